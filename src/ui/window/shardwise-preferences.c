/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-preferences.h"

#include <glib/gi18n.h>

#include "shardwise-config.h"
#include "shardwise-input-marks.h"
#include "shardwise-key.h"
#include "shardwise-format.h"
#include "shardwise-resolve.h"

/* ---- how scenarios begin ---- */

#define CLUSTER "default-cluster"

/* A setting from another program may contain keys other than those of a cluster. */
static gboolean
names_cluster (GVariant *values)
{
  GVariantIter iter;
  const char *path;

  g_variant_iter_init (&iter, values);
  while (g_variant_iter_next (&iter, "{&sv}", &path, NULL))
    if (!g_str_has_prefix (path, "cluster."))
      return FALSE;
  return g_variant_n_children (values) > 0;
}

/**
 * shardwise_new_scenario_take_cluster:
 * @scenario: a scenario without a cluster
 * @settings: the preferences
 *
 * Sets the preferred cluster; an invalid one, for example because its GPU is no longer in the
 * catalog, is ignored.
 */
void
shardwise_new_scenario_take_cluster (ShardwiseScenario *scenario, GSettings *settings)
{
  g_autoptr (ShardwiseScenario) trial = NULL;
  g_autoptr (GVariant) cluster = NULL;

  g_return_if_fail (SHARDWISE_IS_SCENARIO (scenario) && G_IS_SETTINGS (settings));

  trial = shardwise_scenario_copy (scenario);
  cluster = g_settings_get_value (settings, CLUSTER);
  if (names_cluster (cluster) && shardwise_scenario_apply (trial, cluster, NULL)
      && shardwise_scenario_get_resolves (trial))
    shardwise_scenario_apply (scenario, cluster, NULL);
}

/**
 * shardwise_new_scenario:
 * @settings: the preferences
 *
 * Returns: (transfer full): a scenario with the preferred cluster and currency, and nothing to undo
 */
ShardwiseScenario *
shardwise_new_scenario (GSettings *settings)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autofree char *currency = NULL, *framework = NULL;

  g_return_val_if_fail (G_IS_SETTINGS (settings), NULL);

  framework = g_settings_get_string (settings, "default-framework");
  if (!g_str_equal (framework, "auto")) /* an unknown word is ignored */
    shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK,
                            g_variant_new_string (framework), NULL);
  if (g_settings_get_boolean (settings, "allow-untried"))
    shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_ALLOW_UNTRIED,
                            g_variant_new_boolean (TRUE), NULL);
  currency = g_settings_get_string (settings, "currency");
  if (!g_str_equal (currency, "USD")) /* which is the default of a scenario too */
    shardwise_scenario_set (scenario, SHARDWISE_KEY_COST_CURRENCY, g_variant_new_string (currency),
                            NULL);
  shardwise_new_scenario_take_cluster (scenario, settings);
  return shardwise_scenario_copy (scenario);
}

/**
 * shardwise_new_scenario_has_cluster:
 * @settings: the preferences
 *
 * Returns: whether they contain a cluster for new scenarios
 */
gboolean
shardwise_new_scenario_has_cluster (GSettings *settings)
{
  g_autoptr (GVariant) cluster = g_settings_get_value (settings, "default-cluster");

  return g_variant_n_children (cluster) > 0;
}

/**
 * shardwise_new_scenario_keep_cluster:
 * @scenario: the scenario with the new preferred cluster
 * @settings: the preferences
 */
void
shardwise_new_scenario_keep_cluster (ShardwiseScenario *scenario, GSettings *settings)
{
  g_autoptr (GVariant) cluster = NULL;

  g_return_if_fail (SHARDWISE_IS_SCENARIO (scenario) && G_IS_SETTINGS (settings));

  /* a{sv} of the cluster keys that the scenario sets */
  GVariantDict values;

  g_variant_dict_init (&values, NULL);
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      g_autoptr (GVariant) value = NULL;

      if (!g_str_has_prefix (shardwise_key_path (i), "cluster.")
          || !shardwise_scenario_is_set (scenario, i))
        continue;
      value = shardwise_scenario_get (scenario, i);
      g_variant_dict_insert_value (&values, shardwise_key_path (i), value);
    }
  cluster = g_variant_ref_sink (g_variant_dict_end (&values));
  g_settings_set_value (settings, CLUSTER, cluster);
}

/**
 * shardwise_new_scenario_describe_cluster:
 * @settings: the preferences
 *
 * Returns: (transfer full): the cluster of new scenarios: "32 × H100 SXM5 80 GB"
 */
char *
shardwise_new_scenario_describe_cluster (GSettings *settings)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_new_scenario (settings);
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autofree char *gpus = NULL;

  if (!shardwise_scenario_resolve (scenario, problem, NULL, NULL))
    return g_strdup ("");
  gpus = shardwise_format_whole (problem->cluster.gpus);
  /* Translators: how many of what: "4 × 1.2 GiB", "32 × H100 SXM5 80 GB" */
  return g_strdup_printf (_ ("%s × %s"), gpus, problem->cluster.gpu.name);
}

/* ---- the window ---- */

/* Instead of AdwPreferencesWindow, which in libadwaita 1.2 never frees the groups that its search
 * visited. */
struct _ShardwisePreferences {
  AdwWindow parent_instance;
  GtkSwitch *live;
  AdwComboRow *color_scheme, *memory_unit, *framework;
  GtkSwitch *untried;
  AdwEntryRow *currency;
  AdwActionRow *cluster;
  GtkWidget *reset_cluster;
  GSettings *settings;
};

G_DEFINE_FINAL_TYPE (ShardwisePreferences, shardwise_preferences, ADW_TYPE_WINDOW)

/* The position in the list is the value in the schema's enumeration. */
static gboolean
enum_to_position (GValue *value, GVariant *variant, gpointer data)
{
  const char *nick = g_variant_get_string (variant, NULL);
  const char *const *nicks = data;

  for (guint i = 0; nicks[i] != NULL; i++)
    if (g_str_equal (nick, nicks[i]))
      {
        g_value_set_uint (value, i);
        return TRUE;
      }
  return FALSE;
}

static GVariant *
position_to_enum (const GValue *value, const GVariantType *type, gpointer data)
{
  const char *const *nicks = data;

  return g_variant_new_string (nicks[g_value_get_uint (value)]);
}

static GVariant *
text_to_currency (const GValue *value, const GVariantType *type, gpointer data)
{
  return shardwise_key_normalise (shardwise_key_get (SHARDWISE_KEY_COST_CURRENCY),
                                  g_variant_new_string (g_value_get_string (value)), NULL);
}

static gboolean
currency_to_text (GValue *value, GVariant *variant, gpointer data)
{
  g_value_set_string (value, g_variant_get_string (variant, NULL));
  return TRUE;
}

static void
currency_changed_cb (ShardwisePreferences *self)
{
  g_auto (GValue) value = G_VALUE_INIT;
  g_autoptr (GVariant) accepted = NULL;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, gtk_editable_get_text (GTK_EDITABLE (self->currency)));
  accepted = text_to_currency (&value, NULL, NULL);
  shardwise_input_mark_wrong (NULL, GTK_WIDGET (self->currency), accepted == NULL);
}

static void
show_cluster (ShardwisePreferences *self)
{
  g_autoptr (GVariant) set = g_settings_get_user_value (self->settings, "default-cluster");
  g_autofree char *text = shardwise_new_scenario_describe_cluster (self->settings);

  adw_action_row_set_subtitle (self->cluster, text);
  gtk_widget_set_visible (self->reset_cluster, set != NULL);
}

static void
reset_cluster_cb (ShardwisePreferences *self)
{
  g_assert (SHARDWISE_IS_PREFERENCES (self));

  g_settings_reset (self->settings, "default-cluster");
}

static void
shardwise_preferences_dispose (GObject *object)
{
  g_clear_object (&SHARDWISE_PREFERENCES (object)->settings);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_PREFERENCES);
  G_OBJECT_CLASS (shardwise_preferences_parent_class)->dispose (object);
}

static void
shardwise_preferences_class_init (ShardwisePreferencesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_preferences_dispose;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-preferences.ui");
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePreferences, live);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePreferences, color_scheme);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePreferences, memory_unit);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePreferences, currency);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePreferences, framework);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePreferences, untried);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePreferences, cluster);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePreferences, reset_cluster);
  gtk_widget_class_bind_template_callback (widget_class, currency_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, reset_cluster_cb);
}

static void
shardwise_preferences_init (ShardwisePreferences *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * shardwise_preferences_new:
 * @settings: the settings to show and change
 *
 * Returns: (transfer floating): the preferences window
 */
GtkWidget *
shardwise_preferences_new (GSettings *settings)
{
  static const char *const schemes[] = { "default", "light", "dark", NULL };
  static const char *const units[] = { "GiB", "GB", NULL };
  ShardwisePreferences *self = g_object_new (SHARDWISE_TYPE_PREFERENCES, NULL);
  g_autoptr (GtkStringList) frameworks = gtk_string_list_new (NULL);

  for (guint i = 0; sw_framework_choices[i] != NULL; i++)
    gtk_string_list_append (frameworks, shardwise_key_word_title (SHARDWISE_KEY_TRAINING_FRAMEWORK,
                                                                  sw_framework_choices[i]));
  adw_combo_row_set_model (self->framework, G_LIST_MODEL (frameworks));
  g_settings_bind_with_mapping (settings, "default-framework", self->framework, "selected",
                                G_SETTINGS_BIND_DEFAULT, enum_to_position, position_to_enum,
                                (gpointer) sw_framework_choices, NULL);
  g_settings_bind (settings, "allow-untried", self->untried, "active", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (settings, "live-evaluation", self->live, "active", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind_with_mapping (settings, "color-scheme", self->color_scheme, "selected",
                                G_SETTINGS_BIND_DEFAULT, enum_to_position, position_to_enum,
                                (gpointer) schemes, NULL);
  g_settings_bind_with_mapping (settings, "memory-unit", self->memory_unit, "selected",
                                G_SETTINGS_BIND_DEFAULT, enum_to_position, position_to_enum,
                                (gpointer) units, NULL);
  g_settings_bind_with_mapping (settings, "currency", self->currency, "text",
                                G_SETTINGS_BIND_DEFAULT, currency_to_text, text_to_currency, NULL,
                                NULL);
  self->settings = g_object_ref (settings);
  g_signal_connect_object (settings, "changed::default-cluster", G_CALLBACK (show_cluster), self,
                           G_CONNECT_SWAPPED);
  show_cluster (self);
  return GTK_WIDGET (self);
}
