/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-column-buttons.h"

#include <glib/gi18n.h>

#include "shardwise-catalogue.h"
#include "shardwise-changes.h"
#include "shardwise-container.h"
#include "shardwise-format.h"
#include "shardwise-page.h"
#include "shardwise-text-strategy.h"
#include "shardwise-wrap-layout.h"

/* The input by which a column differs from the current inputs. */
typedef enum { CHANGE_GPU, CHANGE_GPUS, CHANGE_FRAMEWORK, N_CHANGES } Change;

#define MOST_GPUS 131072u

struct _ShardwiseColumnButtons {
  ShardwiseContainer parent_instance;

  ShardwiseComparison *comparison;
  GtkMenuButton *buttons[N_CHANGES];
  GMenu *menus[N_CHANGES];
  GCancellable *cancellable;
  guint adding;
};

G_DEFINE_FINAL_TYPE (ShardwiseColumnButtons, shardwise_column_buttons, SHARDWISE_TYPE_CONTAINER)

static const struct {
  const char *label, *tooltip, *action;
} changes[N_CHANGES] = {
  { N_ ("_GPU"), N_ ("Add a column with other GPUs"), "columns.gpu" },
  { N_ ("_Size"), N_ ("Add a column with more or fewer GPUs"), "columns.gpus" },
  { N_ ("_Framework"), N_ ("Add a column with another framework"), "columns.framework" },
};

/* Titles contain the value of the input that differs. */
static char *
name_of (const SwProblem *problem, SwFramework framework, Change change)
{
  switch (change)
    {
    case CHANGE_GPUS: return shardwise_format_gpus (problem->cluster.gpus);
    case CHANGE_FRAMEWORK: return g_strdup (shardwise_text_framework (framework));
    case CHANGE_GPU:
    case N_CHANGES:
    default: return g_strdup (problem->cluster.gpu.name);
    }
}

/* ---- computing ---- */

typedef struct {
  ShardwiseScenario *scenario;
  Change change;
} Column;

static void
column_free (gpointer data)
{
  Column *column = data;

  g_object_unref (column->scenario);
  g_free (column);
}

static void
evaluate (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  const Column *column = data;
  GError *error = NULL;
  ShardwiseAdvice *advice = shardwise_advice_compute (column->scenario, &options, cancellable,
                                                      &error);

  if (advice != NULL)
    g_task_return_pointer (task, advice, g_object_unref);
  else
    g_task_return_error (task, error);
}

static void
add (ShardwiseColumnButtons *self, ShardwiseAdvice *advice, ShardwiseScenario *scenario,
     const SwStrategy *strategy, Change change)
{
  g_autofree char *name = name_of (shardwise_advice_get_problem (advice),
                                   (SwFramework) strategy->framework, change);

  if (!shardwise_comparison_add_scenario (self->comparison, name, advice, scenario, strategy))
    shardwise_page_toast (shardwise_page_of (self), _ ("No result could be computed"));
}

/* The first column is a copy of the current inputs, so later edits do not change the comparison. */
static void
add_present (ShardwiseColumnButtons *self, Change change)
{
  ShardwisePage *page = shardwise_page_of (self);
  ShardwiseAdvisor *advisor = page != NULL ? shardwise_page_get_advisor (page) : NULL;
  const SwEstimate *selected = advisor != NULL ? shardwise_advisor_get_selected (advisor) : NULL;

  if (selected == NULL || shardwise_comparison_get_n (self->comparison) > 1
      || (shardwise_comparison_get_n (self->comparison) == 1
          && shardwise_comparison_get_name (self->comparison, 0) != NULL))
    return;
  shardwise_comparison_clear (self->comparison);
  add (self, shardwise_advisor_get_advice (advisor), shardwise_advisor_get_scenario (advisor),
       &selected->strategy, change);
}

static void
evaluated_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseColumnButtons) self = data;
  const Column *column = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAdvice) advice = g_task_propagate_pointer (G_TASK (result), &error);

  self->adding--;
  if (gtk_widget_get_root (GTK_WIDGET (self)) == NULL)
    return; /* the window was closed */
  if (advice != NULL)
    {
      add_present (self, column->change);
      add (self, advice, column->scenario, &shardwise_advice_get_recommended (advice)->strategy,
           column->change);
    }
  else
    shardwise_page_toast (shardwise_page_of (self), error->message);
}

/* scenario: (transfer full) (nullable): a copy with the same factors of the user's runs, so that
 * the figures are comparable; NULL: @error has the reason. */
static void
begin (ShardwiseColumnButtons *self, ShardwiseScenario *scenario, Change change, GError *error)
{
  g_autoptr (GError) reason = error;
  g_autoptr (GTask) task = NULL;
  Column *column;

  if (scenario == NULL)
    {
      shardwise_page_toast (shardwise_page_of (self), reason->message);
      return;
    }
  column = g_new0 (Column, 1);
  *column = (Column){ scenario, change };
  task = g_task_new (NULL, self->cancellable, evaluated_cb, g_object_ref (self));
  g_task_set_source_tag (task, begin);
  g_task_set_task_data (task, column, column_free);
  self->adding++;
  g_task_run_in_thread (task, evaluate);
}

/* (nullable): of the page; shows a message if no column can be added. */
static ShardwiseScenario *
present (ShardwiseColumnButtons *self)
{
  ShardwisePage *page = shardwise_page_of (self);
  ShardwiseAdvisor *advisor = page != NULL ? shardwise_page_get_advisor (page) : NULL;

  if (shardwise_comparison_get_n (self->comparison) == SHARDWISE_COMPARISON_MAX)
    shardwise_page_toast (shardwise_page_of (self),
                          _ ("You can compare up to four. Remove one first."));
  else if (advisor == NULL || shardwise_advisor_get_selected (advisor) == NULL
           || shardwise_advisor_get_status (advisor) != SHARDWISE_STATUS_READY)
    shardwise_page_toast (shardwise_page_of (self), _ ("There is no advice for these inputs yet"));
  else
    return shardwise_advisor_get_scenario (advisor);
  return NULL;
}

static void
gpu_cb (GtkWidget *widget, const char *action, GVariant *id)
{
  ShardwiseColumnButtons *self = SHARDWISE_COLUMN_BUTTONS (widget);
  ShardwiseScenario *scenario = present (self), *changed;
  GError *error = NULL;

  if (scenario == NULL)
    return;
  changed = shardwise_other_cluster_of_gpu (scenario, g_variant_get_string (id, NULL), &error);
  begin (self, changed, CHANGE_GPU, error);
}

static void
change (ShardwiseColumnButtons *self, ShardwiseKeyId key, GVariant *value, Change kind)
{
  g_autoptr (GVariant) owned = g_variant_ref_sink (value);
  ShardwiseScenario *scenario = present (self), *changed;
  GError *error = NULL;

  if (scenario == NULL)
    return;
  changed = shardwise_scenario_copy (scenario);
  if (!shardwise_scenario_set (changed, key, owned, &error))
    g_clear_object (&changed);
  begin (self, changed, kind, error);
}

static void
gpus_cb (GtkWidget *widget, const char *action, GVariant *gpus)
{
  change (SHARDWISE_COLUMN_BUTTONS (widget), SHARDWISE_KEY_CLUSTER_GPUS,
          g_variant_new_int64 (g_variant_get_uint32 (gpus)), CHANGE_GPUS);
}

static void
framework_cb (GtkWidget *widget, const char *action, GVariant *name)
{
  change (SHARDWISE_COLUMN_BUTTONS (widget), SHARDWISE_KEY_TRAINING_FRAMEWORK,
          g_variant_new_string (g_variant_get_string (name, NULL)), CHANGE_FRAMEWORK);
}

/* ---- menus ---- */

/* target: floating. */
static void
add_item (GMenu *menu, const char *text, Change kind, GVariant *target)
{
  g_autofree char *label = shardwise_menu_label (text);
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target_value (item, changes[kind].action, target);
  g_menu_append_item (menu, item);
}

/* Sizes depend on the inputs, so they are listed when the menu opens. */
static void
fill_sizes (GtkMenuButton *button, gpointer data)
{
  ShardwiseColumnButtons *self = data;
  ShardwisePage *page = shardwise_page_of (self);
  ShardwiseAdvisor *advisor = page != NULL ? shardwise_page_get_advisor (page) : NULL;
  ShardwiseAdvice *advice = advisor != NULL ? shardwise_advisor_get_advice (advisor) : NULL;
  const guint now = advice != NULL ? shardwise_advice_get_problem (advice)->cluster.gpus : 0;

  g_menu_remove_all (self->menus[CHANGE_GPUS]);
  for (guint scale = 1; scale <= 64 && now > 0; scale *= 2)
    {
      const guint gpus = now * scale / 4;
      g_autofree char *text = shardwise_format_gpus (gpus);

      if (gpus > 0 && gpus != now && gpus <= MOST_GPUS)
        add_item (self->menus[CHANGE_GPUS], text, CHANGE_GPUS, g_variant_new_uint32 (gpus));
    }
}

/* ---- object ---- */

static void
shardwise_column_buttons_dispose (GObject *object)
{
  ShardwiseColumnButtons *self = SHARDWISE_COLUMN_BUTTONS (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->comparison);
  for (guint i = 0; i < N_CHANGES; i++)
    {
      if (self->menus[i] != NULL)
        shardwise_menu_empty (self->menus[i]);
      g_clear_object (&self->menus[i]);
    }
  G_OBJECT_CLASS (shardwise_column_buttons_parent_class)->dispose (object);
}

static void
shardwise_column_buttons_class_init (ShardwiseColumnButtonsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_column_buttons_dispose;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_install_action (widget_class, "columns.gpu", "s", gpu_cb);
  gtk_widget_class_install_action (widget_class, "columns.gpus", "u", gpus_cb);
  gtk_widget_class_install_action (widget_class, "columns.framework", "s", framework_cb);
}

static void
shardwise_column_buttons_init (ShardwiseColumnButtons *self)
{
  g_autoptr (GListModel) gpus = shardwise_catalogue_gpus (shardwise_catalogue_get ());
  GtkWidget *label;

  self->cancellable = g_cancellable_new ();
  gtk_widget_set_layout_manager (GTK_WIDGET (self), shardwise_wrap_layout_new (6, 6, 0, 0));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Add a column"), -1);
  label = gtk_label_new (_ ("Add a column:"));
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_set_parent (label, GTK_WIDGET (self));
  for (guint i = 0; i < N_CHANGES; i++)
    {
      GtkWidget *button = gtk_menu_button_new ();

      self->menus[i] = g_menu_new ();
      self->buttons[i] = GTK_MENU_BUTTON (button);
      gtk_menu_button_set_label (self->buttons[i], _ (changes[i].label));
      gtk_menu_button_set_use_underline (self->buttons[i], TRUE);
      gtk_menu_button_set_menu_model (self->buttons[i], G_MENU_MODEL (self->menus[i]));
      gtk_widget_set_tooltip_text (button, _ (changes[i].tooltip));
      gtk_widget_set_parent (button, GTK_WIDGET (self));
    }
  for (guint i = 0; i < g_list_model_get_n_items (gpus); i++)
    {
      g_autoptr (ShardwiseCatalogueEntry) entry = g_list_model_get_item (gpus, i);
      g_autofree char *id = NULL, *name = NULL;

      g_object_get (entry, "id", &id, "name", &name, NULL);
      add_item (self->menus[CHANGE_GPU], name, CHANGE_GPU, g_variant_new_string (id));
    }
  for (guint i = 0; i < SW_N_ENGINES; i++)
    if (i != SW_FRAMEWORK_ANY)
      add_item (self->menus[CHANGE_FRAMEWORK], shardwise_text_framework (i), CHANGE_FRAMEWORK,
                g_variant_new_string (sw_framework_names[i]));
  gtk_menu_button_set_create_popup_func (self->buttons[CHANGE_GPUS], fill_sizes, self, NULL);
}

/**
 * shardwise_column_buttons_set_comparison:
 * @comparison: the comparison that gets the columns
 */
void
shardwise_column_buttons_set_comparison (ShardwiseColumnButtons *self,
                                         ShardwiseComparison *comparison)
{
  g_return_if_fail (SHARDWISE_IS_COLUMN_BUTTONS (self));

  g_set_object (&self->comparison, comparison);
}

/**
 * shardwise_column_buttons_is_adding:
 *
 * Returns: whether a column is being computed
 */
gboolean
shardwise_column_buttons_is_adding (ShardwiseColumnButtons *self)
{
  g_return_val_if_fail (SHARDWISE_IS_COLUMN_BUTTONS (self), FALSE);

  return self->adding > 0;
}
