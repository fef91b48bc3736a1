/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-picker.h"

#include <glib/gi18n.h>

#include "shardwise-drop-down.h"
#include "shardwise-export-search.h"
#include "shardwise-wrap-layout.h"

struct _ShardwiseExportPicker {
  GtkBox parent_instance;

  GtkWidget *frameworks, *launchers, *version_label, *versions;
  GtkWidget *bundle_row, *starters, *bundle_switch;
  GtkWidget *buttons[SHARDWISE_N_FORMATS]; /* of the default versions */

  GSettings *settings;
  ShardwiseFormat format, launcher;
  SwFramework framework; /* framework of the strategy; ANY: there is no strategy yet */
  gboolean is_chosen;    /* the format was, for this framework or before there was a strategy */
  gboolean bundle, filling;
};

G_DEFINE_FINAL_TYPE (ShardwiseExportPicker, shardwise_export_picker, GTK_TYPE_BOX)

enum { PROP_0, PROP_FORMAT, PROP_BUNDLE, PROP_LAUNCHER, N_PROPS };
static GParamSpec *properties[N_PROPS];

static char *
describe_version (const ShardwiseFormatInfo *info)
{
  return g_strdup_printf ("%s %s", info->product, info->version);
}

/* The versions of the format's id, in the order of the drop-down. */
static const ShardwiseFormatInfo *
nth_version (const char *id, guint n)
{
  for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
    if (g_str_equal (shardwise_format_info (i)->id, id) && n-- == 0)
      return shardwise_format_info (i);

  return NULL;
}

static void
fill_versions (ShardwiseExportPicker *self)
{
  const ShardwiseFormatInfo *info = shardwise_format_info (self->format), *version;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *text = describe_version (info);
  g_auto (GStrv) versions = NULL;
  guint n = 0, selected = 0;

  for (; (version = nth_version (info->id, n)) != NULL; n++)
    {
      g_autofree char *described = describe_version (version);

      g_strv_builder_add (builder, described);
      if (version == info)
        selected = n;
    }
  versions = g_strv_builder_end (builder);
  self->filling = TRUE;
  shardwise_drop_down_set_words (GTK_DROP_DOWN (self->versions), (const char *const *) versions);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->versions), selected);
  self->filling = FALSE;
  gtk_label_set_label (GTK_LABEL (self->version_label), text);
  gtk_widget_set_visible (self->versions, n > 1);
  gtk_widget_set_visible (self->version_label, n == 1);
}

static void
update_bundle (ShardwiseExportPicker *self)
{
  gboolean launcher = shardwise_format_info (self->format)->launcher;

  gtk_widget_set_visible (self->starters, self->bundle && !launcher);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->bundle_row),
                               launcher ? _ ("With the framework’s files and a README")
                                        : _ ("With a launcher and a README"));
}

static void
version_selected_cb (ShardwiseExportPicker *self)
{
  const ShardwiseFormatInfo *info =
      nth_version (shardwise_format_info (self->format)->id,
                   gtk_drop_down_get_selected (GTK_DROP_DOWN (self->versions)));

  if (!self->filling && info != NULL)
    shardwise_export_picker_set_format (self, info->format);
}

static void
starter_selected_cb (ShardwiseExportPicker *self)
{
  guint selected = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->starters));
  ShardwiseFormat launcher = SHARDWISE_FORMAT_TORCHRUN + selected;

  if (self->filling || selected == GTK_INVALID_LIST_POSITION || launcher == self->launcher)
    return;

  self->launcher = launcher;
  g_settings_set_string (self->settings, "export-launcher", shardwise_format_info (launcher)->id);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LAUNCHER]);
}

static void
bundle_switched_cb (ShardwiseExportPicker *self)
{
  g_assert (SHARDWISE_IS_EXPORT_PICKER (self));

  if (!self->filling)
    shardwise_export_picker_set_bundle (self,
                                        gtk_switch_get_active (GTK_SWITCH (self->bundle_switch)));
}

static void
format_toggled_cb (GtkToggleButton *button, ShardwiseExportPicker *self)
{
  guint format = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "format"));

  if (!self->filling && gtk_toggle_button_get_active (button))
    shardwise_export_picker_set_format (self, (ShardwiseFormat) format);
}

static GtkWidget *
create_button (const ShardwiseFormatInfo *info)
{
  GtkWidget *button = gtk_toggle_button_new_with_label (info->title);
  g_autofree char *version = describe_version (info);

  gtk_widget_set_tooltip_text (button, version);
  gtk_widget_add_css_class (button, "export-format");
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  info->title, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, version, -1);

  return button;
}

static void
press_button (ShardwiseExportPicker *self)
{
  const char *id = shardwise_format_info (self->format)->id;

  self->filling = TRUE;
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (self->buttons[shardwise_format_find (id)->format]), TRUE);
  self->filling = FALSE;
}

static void
shardwise_export_picker_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ShardwiseExportPicker *self = SHARDWISE_EXPORT_PICKER (object);

  switch (id)
    {
    case PROP_FORMAT: g_value_set_uint (value, self->format); break;
    case PROP_BUNDLE: g_value_set_boolean (value, self->bundle); break;
    case PROP_LAUNCHER: g_value_set_uint (value, self->launcher); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
shardwise_export_picker_dispose (GObject *object)
{
  ShardwiseExportPicker *self = SHARDWISE_EXPORT_PICKER (object);

  self->filling = TRUE; /* drop-downs select nothing while they go */
  g_clear_object (&self->settings);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_EXPORT_PICKER);

  G_OBJECT_CLASS (shardwise_export_picker_parent_class)->dispose (object);
}

static void
shardwise_export_picker_class_init (ShardwiseExportPickerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = shardwise_export_picker_get_property;
  object_class->dispose = shardwise_export_picker_dispose;

  properties[PROP_FORMAT] = g_param_spec_uint ("format", NULL, NULL, 0, SHARDWISE_N_FORMATS - 1, 0,
                                               flags);
  properties[PROP_BUNDLE] = g_param_spec_boolean ("bundle", NULL, NULL, FALSE, flags);
  properties[PROP_LAUNCHER] = g_param_spec_uint ("launcher", NULL, NULL, 0, SHARDWISE_N_FORMATS - 1,
                                                 SHARDWISE_FORMAT_TORCHRUN, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-export-picker.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPicker, frameworks);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPicker, launchers);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPicker, version_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPicker, versions);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPicker, bundle_row);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPicker, starters);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPicker, bundle_switch);
  gtk_widget_class_bind_template_callback (widget_class, version_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, starter_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, bundle_switched_cb);
}

static void
shardwise_export_picker_init (ShardwiseExportPicker *self)
{
  g_autoptr (GtkStringList) starters = gtk_string_list_new (NULL);
  g_autofree char *id = NULL, *version = NULL, *launcher = NULL;
  const ShardwiseFormatInfo *info, *starter;

  gtk_widget_init_template (GTK_WIDGET (self));
  self->settings = g_settings_new ("io.github.shardwise.Shardwise");
  for (guint i = SHARDWISE_FORMAT_TORCHRUN; i <= SHARDWISE_FORMAT_SKYPILOT; i++)
    gtk_string_list_append (starters, shardwise_format_info (i)->title);
  self->filling = TRUE;
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->starters), G_LIST_MODEL (starters));
  self->filling = FALSE;
  for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
    {
      GtkWidget *button;

      info = shardwise_format_info (i);
      if (!shardwise_format_is_default (info))
        continue;
      button = self->buttons[i] = create_button (info);
      g_object_set_data (G_OBJECT (button), "format", GUINT_TO_POINTER (i));
      g_signal_connect (button, "toggled", G_CALLBACK (format_toggled_cb), self);
      gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (button),
                                   i > 0 ? GTK_TOGGLE_BUTTON (self->buttons[0]) : NULL);
      gtk_box_append (GTK_BOX (info->launcher ? self->launchers : self->frameworks), button);
    }
  id = g_settings_get_string (self->settings, "export-format");
  version = g_settings_get_string (self->settings, "export-version");
  launcher = g_settings_get_string (self->settings, "export-launcher");
  info = shardwise_format_find_version (id, version);
  starter = shardwise_format_find (launcher);
  if (info == NULL)
    info = shardwise_format_find (id);
  self->format = info != NULL ? info->format : SHARDWISE_FORMAT_DEEPSPEED;
  self->launcher = starter != NULL && starter->launcher ? starter->format
                                                        : SHARDWISE_FORMAT_TORCHRUN;
  self->bundle = g_settings_get_boolean (self->settings, "export-bundle");
  self->filling = TRUE;
  gtk_switch_set_active (GTK_SWITCH (self->bundle_switch), self->bundle);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->starters),
                              self->launcher - SHARDWISE_FORMAT_TORCHRUN);
  self->filling = FALSE;
  press_button (self);
  fill_versions (self);
  update_bundle (self);
}

/**
 * shardwise_export_picker_get_format:
 * @self: a picker
 *
 * Returns: what is exported
 */
ShardwiseFormat
shardwise_export_picker_get_format (ShardwiseExportPicker *self)
{
  g_return_val_if_fail (SHARDWISE_IS_EXPORT_PICKER (self), SHARDWISE_FORMAT_DEEPSPEED);

  return self->format;
}

static void
show_format (ShardwiseExportPicker *self)
{
  press_button (self);
  fill_versions (self);
  update_bundle (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FORMAT]);
}

/**
 * shardwise_export_picker_set_format:
 * @self: a picker
 * @format: what to export
 *
 * Chooses the framework or launcher, in its version, and remembers it.
 */
void
shardwise_export_picker_set_format (ShardwiseExportPicker *self, ShardwiseFormat format)
{
  const ShardwiseFormatInfo *info;

  g_return_if_fail (SHARDWISE_IS_EXPORT_PICKER (self));
  g_return_if_fail (format < SHARDWISE_N_FORMATS);

  info = shardwise_format_info (format);
  self->is_chosen = TRUE;
  g_settings_set_string (self->settings, "export-version", info->version);
  g_settings_set_string (self->settings, "export-framework", sw_framework_names[self->framework]);
  g_settings_set_string (self->settings, "export-format", info->id);
  if (self->format == format)
    return;

  self->format = format;
  show_format (self);
}

/**
 * shardwise_export_picker_select:
 * @self: a picker
 * @id: of a format; an unknown one changes nothing
 *
 * Chooses the format as set_format() does, but keeps the version if the format is already shown.
 */
void
shardwise_export_picker_select (ShardwiseExportPicker *self, const char *id)
{
  const ShardwiseFormatInfo *info = shardwise_format_find (id);

  g_return_if_fail (SHARDWISE_IS_EXPORT_PICKER (self));

  if (info != NULL && g_str_equal (shardwise_format_info (self->format)->id, id))
    info = shardwise_format_info (self->format);
  if (info != NULL)
    shardwise_export_picker_set_format (self, info->format);
}

/**
 * shardwise_export_picker_get_offered:
 * @settings: the application's
 * @advice: an answer
 * @selected: the selected strategy
 *
 * Returns: (transfer none): what is exported unless another format is chosen
 */
const ShardwiseFormatInfo *
shardwise_export_picker_get_offered (GSettings *settings, ShardwiseAdvice *advice,
                                     const SwEstimate *selected)
{
  g_autofree char *id = g_settings_get_string (settings, "export-format");
  g_autofree char *version = g_settings_get_string (settings, "export-version");
  g_autofree char *chosen_for = g_settings_get_string (settings, "export-framework");

  return shardwise_export_offered (id, version, chosen_for, advice, selected);
}

/**
 * shardwise_export_picker_follow:
 * @self: a picker
 * @advice: an answer
 * @selected: the strategy of it to export
 *
 * Shows the formats for that strategy. A format that the user chose for its framework, or before
 * there was a strategy, stays even if it is rejected, so that the user sees the reason.
 *
 * Returns: whether the format changed
 */
gboolean
shardwise_export_picker_follow (ShardwiseExportPicker *self, ShardwiseAdvice *advice,
                                const SwEstimate *selected)
{
  const SwFramework framework = (SwFramework) selected->strategy.framework;
  const ShardwiseFormatInfo *info;

  g_return_val_if_fail (SHARDWISE_IS_EXPORT_PICKER (self), FALSE);

  if (self->is_chosen && self->framework == SW_FRAMEWORK_ANY)
    g_settings_set_string (self->settings, "export-framework", sw_framework_names[framework]);
  else if (self->framework != framework)
    self->is_chosen = FALSE;
  self->framework = framework;
  if (self->is_chosen)
    return FALSE;

  info = shardwise_export_picker_get_offered (self->settings, advice, selected);
  if (info->format == self->format)
    return FALSE;

  self->format = info->format;
  show_format (self);
  return TRUE;
}

/**
 * shardwise_export_picker_let_go:
 * @self: a picker
 *
 * From now on a chosen format stays only if it can be written.
 */
void
shardwise_export_picker_let_go (ShardwiseExportPicker *self)
{
  g_return_if_fail (SHARDWISE_IS_EXPORT_PICKER (self));

  self->is_chosen = self->is_chosen && self->framework == SW_FRAMEWORK_ANY;
}

/**
 * shardwise_export_picker_is_chosen:
 * @self: a picker
 *
 * Returns: whether someone chose the format, and it is not only offered
 */
gboolean
shardwise_export_picker_is_chosen (ShardwiseExportPicker *self)
{
  g_return_val_if_fail (SHARDWISE_IS_EXPORT_PICKER (self), FALSE);

  return self->is_chosen;
}

/**
 * shardwise_export_picker_choose_for:
 * @self: a picker
 * @framework: the framework of the strategy about to be selected
 *
 * The format that is chosen is so for that framework.
 */
void
shardwise_export_picker_choose_for (ShardwiseExportPicker *self, SwFramework framework)
{
  g_return_if_fail (SHARDWISE_IS_EXPORT_PICKER (self));

  self->framework = framework;
  self->is_chosen = TRUE;
  g_settings_set_string (self->settings, "export-framework", sw_framework_names[framework]);
}

/**
 * shardwise_export_picker_get_bundle:
 * @self: a picker
 *
 * Returns: whether a launcher and a README go with the files
 */
gboolean
shardwise_export_picker_get_bundle (ShardwiseExportPicker *self)
{
  g_return_val_if_fail (SHARDWISE_IS_EXPORT_PICKER (self), FALSE);

  return self->bundle;
}

/**
 * shardwise_export_picker_set_bundle:
 * @self: a picker
 * @bundle: whether a launcher and a README go with the files
 */
void
shardwise_export_picker_set_bundle (ShardwiseExportPicker *self, gboolean bundle)
{
  g_return_if_fail (SHARDWISE_IS_EXPORT_PICKER (self));

  if (self->bundle == bundle)
    return;

  self->bundle = bundle;
  g_settings_set_boolean (self->settings, "export-bundle", bundle);
  gtk_switch_set_active (GTK_SWITCH (self->bundle_switch), bundle);
  update_bundle (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUNDLE]);
}

/**
 * shardwise_export_picker_get_launcher:
 * @self: a picker
 *
 * Returns: what a bundle is started with
 */
ShardwiseFormat
shardwise_export_picker_get_launcher (ShardwiseExportPicker *self)
{
  g_return_val_if_fail (SHARDWISE_IS_EXPORT_PICKER (self), SHARDWISE_FORMAT_TORCHRUN);

  return self->launcher;
}
