/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-inputs.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "shardwise-catalogue.h"
#include "shardwise-changes-button.h"
#include "shardwise-column.h"
#include "shardwise-container.h"
#include "shardwise-gtk-faults.h"
#include "shardwise-config.h"
#include "shardwise-diagnosis.h"
#include "shardwise-input-control.h"
#include "shardwise-input-degrees.h"
#include "shardwise-input-marks.h"
#include "shardwise-input-row.h"
#include "shardwise-line-layout.h"
#include "shardwise-text-strategy.h"
#include "shardwise-scenario.h"
#include "shardwise-format.h"
#include "shardwise-wrap-layout.h"

/* Expander rows with input rows; when folded, they show the differences from the defaults. */
typedef struct {
  AdwExpanderRow *expander;
  GPtrArray *rows; /* ShardwiseInputRow elements */
  GtkWidget *pin;  /* visible while a row in it is fixed */
} Fold;

static void
fold_free (gpointer data)
{
  Fold *fold = data;

  g_ptr_array_unref (fold->rows);
  g_free (fold);
}

/* @fold: (nullable): the expander row above the rows in @widget. */
static void
collect (GPtrArray *folds, GtkWidget *widget, Fold *fold)
{
  GtkWidget *box, *header;

  if (SHARDWISE_IS_INPUT_ROW (widget))
    {
      if (fold != NULL)
        g_ptr_array_add (fold->rows, widget);
      return;
    }
  if (ADW_IS_EXPANDER_ROW (widget))
    {
      fold = g_new0 (Fold, 1);
      fold->expander = ADW_EXPANDER_ROW (widget);
      fold->rows = g_ptr_array_new ();
      g_ptr_array_add (folds, fold);
      adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (widget), FALSE);
      /* libadwaita limits the lines of its subtitle from 1.3 on. */
      box = gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (widget));
      header = gtk_widget_get_first_child (gtk_widget_get_first_child (box));
      adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (header), 1);
      fold->pin = shardwise_input_pin_new ();
      gtk_widget_set_visible (fold->pin, FALSE);
      adw_expander_row_add_action (fold->expander, fold->pin);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect (folds, child, fold);
}

/* "GPUs per node 4 · Host memory per node 999 GB": the values that are set and differ from their
 * defaults. For dimensions that the search chooses, these are the pinned ones, and the pin shows
 * that. */
static char *
describe (const Fold *fold, ShardwiseScenario *scenario, gboolean *pinned)
{
  GString *text = g_string_new (NULL);

  *pinned = FALSE;
  for (guint i = 0; i < fold->rows->len; i++)
    {
      ShardwiseInputRow *row = g_ptr_array_index (fold->rows, i);
      const ShardwiseKey *key = shardwise_input_row_get_key (row);
      const char *unit = shardwise_control_unit (key);
      g_autofree char *value = NULL;
      SwDimension dimension;

      if (!shardwise_scenario_is_set (scenario, key->id)
          || !gtk_widget_get_visible (GTK_WIDGET (row))
          || (shardwise_scenario_get_resolves (scenario)
              && !shardwise_control_differs (key, scenario)))
        continue;
      *pinned = *pinned || shardwise_input_dimension (key->id, &dimension);
      value = shardwise_control_describe (key, scenario);
      if (value != NULL && *value != '\0')
        g_string_append_printf (text, "%s%s %s%s%s", text->len > 0 ? " · " : "", _ (key->title),
                                value, *unit != '\0' ? " " : "", unit);
    }
  return g_string_free (text, FALSE);
}

struct _ShardwiseInputs {
  ShardwiseContainer parent_instance;
  ShardwiseScenario *scenario;
  ShardwiseAdvisor *advisor;
  GSignalGroup *scenario_signals, *advisor_signals;
  GPtrArray *rows;  /* ShardwiseInputRow elements */
  GPtrArray *folds; /* the expander rows */
  ShardwiseInputRow *marked;
  gboolean live;

  GtkWidget *groups;
  GtkEditableLabel *name_label;
  GtkLabel *edited_label;
  ShardwiseChangesButton *changes;
  GtkRevealer *evaluate_revealer;
  GtkWidget *kind_fold; /* of the kind of training: adapters, examples, answers */
};

G_DEFINE_FINAL_TYPE (ShardwiseInputs, shardwise_inputs, SHARDWISE_TYPE_CONTAINER)

enum { PROP_0, PROP_LIVE, N_PROPS };
static GParamSpec *properties[N_PROPS];
static guint typed_signal;

static void
update_head (ShardwiseInputs *self)
{
  g_autofree char *name = NULL;
  const char *shown;

  if (self->scenario == NULL)
    return;
  g_object_get (self->scenario, "name", &name, NULL);
  shown = name != NULL && *name != '\0' ? name : _ ("New Scenario");
  /* Even the same text would cause a new layout. */
  if (!gtk_editable_label_get_editing (self->name_label)
      && !g_str_equal (gtk_editable_get_text (GTK_EDITABLE (self->name_label)), shown))
    gtk_editable_set_text (GTK_EDITABLE (self->name_label), shown);
  gtk_widget_set_visible (GTK_WIDGET (self->edited_label),
                          shardwise_scenario_get_modified (self->scenario));
}

/* Below a custom architecture, as below models of the catalog: its size. problem: (nullable) */
static void
show_model_size (ShardwiseInputs *self, const SwProblem *problem)
{
  gboolean is_own = problem != NULL && self->scenario != NULL
                    && !shardwise_scenario_is_set (self->scenario, SHARDWISE_KEY_MODEL_PRESET)
                    && !shardwise_scenario_is_set (self->scenario,
                                                   SHARDWISE_KEY_MODEL_PARAMETERS_B);
  g_autofree char *size =
      is_own ? shardwise_catalogue_describe_model (&problem->model, problem->count.total) : NULL;

  g_object_set (shardwise_inputs_find_row (self, SHARDWISE_KEY_MODEL_PRESET), "hint", size, NULL);
}

/* Keys for some kinds of training only, by the words of training.type. */
static const struct {
  ShardwiseKeyId first, last;
  const char *types;
} kinds[] = {
  { SHARDWISE_KEY_TRAINING_EXAMPLES, SHARDWISE_KEY_TRAINING_EPOCHS,
    "finetune lora qlora rlhf dpo reward distill" },
  { SHARDWISE_KEY_TRAINING_ADAPTERS, SHARDWISE_KEY_TRAINING_ADAPTERS, "dpo reward distill" },
  { SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM, SHARDWISE_KEY_TRAINING_RLHF_REFERENCE, "rlhf dpo" },
  { SHARDWISE_KEY_TRAINING_RLHF_GROUP_SIZE, SHARDWISE_KEY_TRAINING_RLHF_COLOCATED, "rlhf" },
  { SHARDWISE_KEY_TRAINING_DISTILL_TEACHER_PARAMETERS_B,
    SHARDWISE_KEY_TRAINING_DISTILL_TEACHER_PARAMETERS_B, "distill" },
};

static gboolean
bears_on (ShardwiseKeyId id, const char *type, const char *algorithm, gboolean has_adapters)
{
  if (id == SHARDWISE_KEY_TRAINING_RLHF_CRITIC_PARAMETERS_B && algorithm != NULL
      && !g_str_equal (algorithm, "ppo")) /* the others have no critic */
    return FALSE;
  if (id >= SHARDWISE_KEY_TRAINING_LORA_RANK && id <= SHARDWISE_KEY_TRAINING_DOUBLE_QUANTIZATION)
    return has_adapters;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (id >= kinds[i].first && id <= kinds[i].last)
      {
        g_auto (GStrv) types = g_strsplit (kinds[i].types, " ", -1);

        return type != NULL && g_strv_contains ((const char *const *) types, type);
      }
  return TRUE;
}

static void
scenario_changed_cb (ShardwiseInputs *self)
{
  update_head (self);

  /* Hides rows without a meaning for the current model and training. */
  g_autofree char *type = shardwise_scenario_get_string (self->scenario,
                                                         SHARDWISE_KEY_TRAINING_TYPE),
                  *adapters = shardwise_scenario_get_string (self->scenario,
                                                             SHARDWISE_KEY_TRAINING_ADAPTERS),
                  *algorithm = shardwise_scenario_get_string (
                      self->scenario, SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM);
  const gboolean has_adapters = g_strcmp0 (type, "lora") == 0 || g_strcmp0 (type, "qlora") == 0
                                || (adapters != NULL && !g_str_equal (adapters, "none"));

  for (guint i = 0; i < self->rows->len; i++)
    gtk_widget_set_visible (self->rows->pdata[i],
                            bears_on (shardwise_input_row_get_key (self->rows->pdata[i])->id, type,
                                      algorithm, has_adapters));
  gtk_widget_set_visible (
      GTK_WIDGET (shardwise_inputs_find_row (self, SHARDWISE_KEY_MODEL_PARAMETERS_B)),
      shardwise_scenario_is_set (self->scenario, SHARDWISE_KEY_MODEL_PARAMETERS_B));
  gtk_widget_set_visible (self->kind_fold, type != NULL && !g_str_equal (type, "pretrain"));
  if (type != NULL) /* otherwise the scenario cannot be evaluated */
    adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->kind_fold),
                                   shardwise_key_word_title (SHARDWISE_KEY_TRAINING_TYPE, type));
  if (shardwise_scenario_is_set (self->scenario, SHARDWISE_KEY_MODEL_PRESET))
    show_model_size (self, NULL);
  for (guint i = 0; i < self->folds->len; i++)
    {
      const Fold *fold = g_ptr_array_index (self->folds, i);
      gboolean pinned;
      g_autofree char *said = describe (fold, self->scenario, &pinned),
                      *text = shardwise_format_unbroken (said);

      gtk_widget_set_visible (fold->pin, pinned);
      if (g_strcmp0 (text, adw_expander_row_get_subtitle (fold->expander)) == 0)
        continue;
      adw_expander_row_set_subtitle (fold->expander, text);
      gtk_widget_set_tooltip_text (GTK_WIDGET (fold->expander), *said != '\0' ? said : NULL);
    }
}

/* (nullable): the title, if it is not the name of the scenario */
static const char *
new_name (ShardwiseInputs *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->name_label));
  g_autofree char *name = NULL;

  if (self->scenario == NULL || g_str_equal (text, _ ("New Scenario")))
    return NULL;
  g_object_get (self->scenario, "name", &name, NULL);
  return g_strcmp0 (name, text) != 0 ? text : NULL;
}

static void
name_editing_cb (ShardwiseInputs *self)
{
  const char *name = new_name (self);

  if (gtk_editable_label_get_editing (self->name_label) || self->scenario == NULL)
    return;
  if (name != NULL)
    shardwise_scenario_set (self->scenario, SHARDWISE_KEY_NAME, g_variant_new_string (name), NULL);
  update_head (self);
}

static void
typed_cb (ShardwiseInputs *self)
{
  g_assert (SHARDWISE_IS_INPUTS (self));

  g_signal_emit (self, typed_signal, 0);
}

static void
collect_rows (ShardwiseInputs *self, GtkWidget *widget)
{
  if (SHARDWISE_IS_INPUT_ROW (widget))
    {
      g_signal_connect_object (widget, "typed", G_CALLBACK (typed_cb), self, G_CONNECT_SWAPPED);
      g_ptr_array_add (self->rows, widget);
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect_rows (self, child);
}

/* Shows the choice of the search after each automatic dimension. */
static void
advice_cb (ShardwiseInputs *self)
{
  ShardwiseAdvice *advice = self->advisor != NULL ? shardwise_advisor_get_advice (self->advisor)
                                                  : NULL;
  const SwEstimate *best;

  show_model_size (self, advice != NULL ? shardwise_advice_get_problem (advice) : NULL);
  if (advice == NULL)
    return;
  best = shardwise_advice_get_recommended (advice);
  shardwise_input_row_set_choice (
      shardwise_inputs_find_row (self, SHARDWISE_KEY_TRAINING_FRAMEWORK),
      best != NULL && best->fits ? shardwise_text_framework (best->strategy.framework) : NULL,
      NULL);
  for (guint i = 0; i < self->rows->len; i++)
    {
      ShardwiseInputRow *row = self->rows->pdata[i];
      SwDimension dimension;
      g_autoptr (GListModel) options = NULL;
      g_autofree char *chosen = NULL;

      if (!shardwise_input_dimension (shardwise_input_row_get_key (row)->id, &dimension))
        continue;
      if (shardwise_input_row_get_key (row)->kind == SHARDWISE_KIND_INTEGER)
        options = shardwise_input_degrees (shardwise_advice_get_problem (advice), dimension,
                                           shardwise_input_row_get_key (row)->id);
      if (best != NULL && best->fits)
        chosen = shardwise_text_value (&best->strategy, dimension);
      shardwise_input_row_set_choice (row, chosen, options);
    }
}

static void
shardwise_inputs_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  switch (prop_id)
    {
    case PROP_LIVE: g_value_set_boolean (value, SHARDWISE_INPUTS (object)->live); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
shardwise_inputs_set_property (GObject *object, guint prop_id, const GValue *value,
                               GParamSpec *pspec)
{
  ShardwiseInputs *self = SHARDWISE_INPUTS (object);

  switch (prop_id)
    {
    case PROP_LIVE:
      self->live = g_value_get_boolean (value);
      gtk_revealer_set_reveal_child (self->evaluate_revealer, !self->live);
      break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
shardwise_inputs_dispose (GObject *object)
{
  ShardwiseInputs *self = SHARDWISE_INPUTS (object);

  if (self->name_label != NULL)
    shardwise_gtk_outlive_editing (GTK_WIDGET (self->name_label));
  g_clear_object (&self->scenario_signals);
  g_clear_object (&self->advisor_signals);
  g_clear_object (&self->scenario);
  g_clear_object (&self->advisor);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->folds, g_ptr_array_unref);
  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_INPUTS);

  G_OBJECT_CLASS (shardwise_inputs_parent_class)->dispose (object);
}

static void
shardwise_inputs_class_init (ShardwiseInputsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = shardwise_inputs_get_property;
  object_class->set_property = shardwise_inputs_set_property;
  object_class->dispose = shardwise_inputs_dispose;

  properties[PROP_LIVE] = g_param_spec_boolean (
      "live", NULL, NULL, TRUE, G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  typed_signal = g_signal_new ("typed", SHARDWISE_TYPE_INPUTS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                               NULL, G_TYPE_NONE, 0);

  g_type_ensure (SHARDWISE_TYPE_CHANGES_BUTTON);
  g_type_ensure (SHARDWISE_TYPE_COLUMN);
  g_type_ensure (SHARDWISE_TYPE_INPUT_ROW);
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "inputs");
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-inputs.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseInputs, groups);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseInputs, name_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseInputs, edited_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseInputs, changes);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseInputs, evaluate_revealer);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseInputs, kind_fold);
  gtk_widget_class_bind_template_callback (widget_class, name_editing_cb);
  gtk_widget_class_bind_template_callback (widget_class, typed_cb);
}

static void
shardwise_inputs_init (ShardwiseInputs *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  shardwise_gtk_ellipsize (GTK_WIDGET (self->name_label));
  self->rows = g_ptr_array_new ();
  collect_rows (self, self->groups);
  self->folds = g_ptr_array_new_with_free_func (fold_free);
  collect (self->folds, self->groups, NULL);
  shardwise_line_layout_rows (self->groups);
  self->scenario_signals = g_signal_group_new (SHARDWISE_TYPE_SCENARIO);
  g_signal_group_connect_swapped (self->scenario_signals, "changed",
                                  G_CALLBACK (scenario_changed_cb), self);
  g_signal_group_connect_swapped (self->scenario_signals, "notify", G_CALLBACK (update_head), self);
  self->advisor_signals = g_signal_group_new (SHARDWISE_TYPE_ADVISOR);
  g_signal_group_connect_swapped (self->advisor_signals, "notify::advice", G_CALLBACK (advice_cb),
                                  self);
}

/**
 * shardwise_inputs_set_scenario:
 * @scenario: (nullable): the document to edit
 */
void
shardwise_inputs_set_scenario (ShardwiseInputs *self, ShardwiseScenario *scenario)
{
  g_return_if_fail (SHARDWISE_IS_INPUTS (self));

  if (!g_set_object (&self->scenario, scenario))
    return;
  g_signal_group_set_target (self->scenario_signals, scenario);
  for (guint i = 0; i < self->rows->len; i++)
    shardwise_input_row_set_scenario (self->rows->pdata[i], scenario);
  shardwise_changes_button_set_scenario (self->changes, scenario);
  if (scenario != NULL)
    scenario_changed_cb (self);
}

/**
 * shardwise_inputs_prepare:
 *
 * Creates the unfolded controls before they are visible, for callers that wait anyway.
 */
void
shardwise_inputs_prepare (ShardwiseInputs *self)
{
  g_return_if_fail (SHARDWISE_IS_INPUTS (self));

  for (guint i = 0; i < self->rows->len; i++)
    if (gtk_widget_get_visible (self->rows->pdata[i])
        && gtk_widget_get_ancestor (self->rows->pdata[i], ADW_TYPE_EXPANDER_ROW) == NULL)
      shardwise_input_row_get_control (self->rows->pdata[i]);
}

/**
 * shardwise_inputs_set_advisor:
 * @advisor: (nullable): the source of the values that the search chose
 */
void
shardwise_inputs_set_advisor (ShardwiseInputs *self, ShardwiseAdvisor *advisor)
{
  g_return_if_fail (SHARDWISE_IS_INPUTS (self));

  if (!g_set_object (&self->advisor, advisor))
    return;
  g_signal_group_set_target (self->advisor_signals, advisor);
  advice_cb (self);
}

static void
unfold (ShardwiseInputRow *row)
{
  GtkWidget *expander = gtk_widget_get_ancestor (GTK_WIDGET (row), ADW_TYPE_EXPANDER_ROW);

  if (expander != NULL)
    adw_expander_row_set_expanded (ADW_EXPANDER_ROW (expander), TRUE);
}

/**
 * shardwise_inputs_set_error:
 * @path: (nullable): the key that prevents the advice
 * @message: (nullable): the reason
 *
 * Marks the row that caused an error, and clears the previous mark.
 */
void
shardwise_inputs_set_error (ShardwiseInputs *self, const char *path, const char *message)
{
  const gboolean lacks_model = g_strcmp0 (path, SHARDWISE_NO_MODEL) == 0;
  const ShardwiseKey *key = lacks_model    ? shardwise_key_get (SHARDWISE_KEY_MODEL_PRESET)
                            : path != NULL ? shardwise_key_find (path)
                                           : NULL;
  g_autofree char *asked = lacks_model ? shardwise_describe_error (path, message) : NULL;
  ShardwiseInputRow *row;

  g_return_if_fail (SHARDWISE_IS_INPUTS (self));

  row = key != NULL ? shardwise_inputs_find_row (self, key->id) : NULL;
  if (self->marked != NULL && self->marked != row)
    shardwise_input_row_set_error (self->marked, NULL);
  self->marked = row;
  if (row != NULL)
    {
      shardwise_input_row_set_error (row, lacks_model ? asked : message);
      unfold (row);
    }
}

/**
 * shardwise_inputs_show:
 * @id: the key of an input
 *
 * Unfolds the input, and gives it the focus.
 */
void
shardwise_inputs_show (ShardwiseInputs *self, ShardwiseKeyId id)
{
  ShardwiseInputRow *row;

  g_return_if_fail (SHARDWISE_IS_INPUTS (self));

  row = shardwise_inputs_find_row (self, id);
  if (row == NULL)
    return;
  unfold (row);
  gtk_widget_child_focus (GTK_WIDGET (row), GTK_DIR_TAB_FORWARD);
}

/**
 * shardwise_inputs_flush:
 *
 * Applies pending typed text at once. Call this before reading the scenario.
 */
void
shardwise_inputs_flush (ShardwiseInputs *self)
{
  g_return_if_fail (SHARDWISE_IS_INPUTS (self));

  if (gtk_editable_label_get_editing (self->name_label))
    gtk_editable_label_stop_editing (self->name_label, TRUE);
  for (guint i = 0; i < self->rows->len; i++)
    shardwise_input_row_flush (self->rows->pdata[i]);
}

/**
 * shardwise_inputs_get_typed:
 *
 * Returns: (transfer full) (nullable): a{ss} of key path to typed text that the scenario does not
 * have, because it is pending or rejected; %NULL if there is none
 */
GVariant *
shardwise_inputs_get_typed (ShardwiseInputs *self)
{
  g_autoptr (GVariant) typed = NULL;
  GVariantBuilder builder;

  g_return_val_if_fail (SHARDWISE_IS_INPUTS (self), NULL);

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
  if (gtk_editable_label_get_editing (self->name_label) && new_name (self) != NULL)
    g_variant_builder_add (&builder, "{ss}", shardwise_key_path (SHARDWISE_KEY_NAME),
                           new_name (self));
  for (guint i = 0; i < self->rows->len; i++)
    if (shardwise_input_row_get_typed (self->rows->pdata[i]) != NULL)
      g_variant_builder_add (&builder, "{ss}",
                             shardwise_input_row_get_key (self->rows->pdata[i])->path,
                             shardwise_input_row_get_typed (self->rows->pdata[i]));
  typed = g_variant_ref_sink (g_variant_builder_end (&builder));
  return g_variant_n_children (typed) > 0 ? g_steal_pointer (&typed) : NULL;
}

/**
 * shardwise_inputs_set_typed:
 * @typed: from shardwise_inputs_get_typed(); unknown keys are ignored
 *
 * Types the texts again.
 */
void
shardwise_inputs_set_typed (ShardwiseInputs *self, GVariant *typed)
{
  GVariantIter iter;
  const char *path, *text;

  g_return_if_fail (SHARDWISE_IS_INPUTS (self));
  g_return_if_fail (self->scenario != NULL && typed != NULL);

  g_variant_iter_init (&iter, typed);
  while (g_variant_iter_next (&iter, "{&s&s}", &path, &text))
    {
      const ShardwiseKey *key = shardwise_key_find (path);
      ShardwiseInputRow *row = key != NULL ? shardwise_inputs_find_row (self, key->id) : NULL;

      if (row != NULL)
        shardwise_input_row_set_typed (row, text);
      else if (key != NULL && key->id == SHARDWISE_KEY_NAME && *text != '\0')
        shardwise_scenario_set (self->scenario, SHARDWISE_KEY_NAME, g_variant_new_string (text),
                                NULL);
    }
}

/**
 * shardwise_inputs_find_row:
 * @id: a key
 *
 * Returns: (transfer none) (nullable): the key's row
 */
ShardwiseInputRow *
shardwise_inputs_find_row (ShardwiseInputs *self, ShardwiseKeyId id)
{
  g_return_val_if_fail (SHARDWISE_IS_INPUTS (self), NULL);

  for (guint i = 0; i < self->rows->len; i++)
    if (shardwise_input_row_get_key (self->rows->pdata[i])->id == id)
      return self->rows->pdata[i];
  return NULL;
}
