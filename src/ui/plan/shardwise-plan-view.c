/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-plan-view.h"

#include <glib/gi18n.h>

#include "shardwise-capacity.h"
#include "shardwise-config.h"
#include "shardwise-diagnosis.h"
#include "shardwise-input-row.h"
#include "shardwise-plan-answer.h"
#include "shardwise-price-window.h"
#include "shardwise-sweep.h"
#include "shardwise-wrapped-label.h"

/* A question and its answer. */
typedef struct {
  ShardwiseScenario *asked; /* a copy */
  gboolean of_gpus;
  ShardwiseCapacity *capacity; /* (nullable): then there is an error */
  GError *error;
} Answer;

struct _ShardwisePlanView {
  AdwBin parent_instance;

  gboolean of_gpus, is_due; /* due: the answer is outdated */
  ShardwiseScenario *scenario;
  GSignalGroup *signals;
  GPtrArray *answered; /* (nullable) Answer elements: the displayed one */

  ShardwiseInputRow *model_row, *gpu_row, *gpus_row, *sequence_row;
  AdwComboRow *method_row;
  ShardwiseSweep *sweep;
  GtkWidget *answer_box;
  GtkLabel *summary;
  GtkStack *stack;
  AdwBin *results;
  AdwStatusPage *error_page;
  GtkLabel *note;
};

G_DEFINE_FINAL_TYPE (ShardwisePlanView, shardwise_plan_view, ADW_TYPE_BIN)

enum { PROP_0, PROP_OF_GPUS, PROP_SCENARIO, N_PROPS };
static GParamSpec *properties[N_PROPS];
static guint open_signal;

static void
answer_free (gpointer data)
{
  Answer *self = data;

  g_object_unref (self->asked);
  g_clear_pointer (&self->capacity, shardwise_capacity_free);
  g_clear_error (&self->error);
  g_free (self);
}

/* An error in the question is an answer, too. */
static GPtrArray *
work (gpointer data, void (*progress) (double fraction, gpointer data), gpointer progress_data,
      GCancellable *cancellable, GError **error)
{
  const Answer *question = data;
  GPtrArray *answered = g_ptr_array_new_with_free_func (answer_free);
  Answer *answer = g_new0 (Answer, 1);

  g_ptr_array_add (answered, answer);
  answer->asked = g_object_ref (question->asked);
  answer->of_gpus = question->of_gpus;
  answer->capacity = question->of_gpus
                         ? shardwise_capacity_for_model (answer->asked, progress, progress_data,
                                                         cancellable, &answer->error)
                         : shardwise_capacity_of_machine (answer->asked, NULL, progress,
                                                          progress_data, cancellable,
                                                          &answer->error);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    g_clear_pointer (&answered, g_ptr_array_unref);
  return answered;
}

/* ---- the answer ---- */

static void
show_error (ShardwisePlanView *self, const GError *error)
{
  ShardwiseInputRow *rows[] = { self->model_row, self->gpu_row, self->gpus_row,
                                self->sequence_row };
  const char *path = error != NULL ? shardwise_error_path (error) : NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    shardwise_input_row_set_error (
        rows[i],
        g_strcmp0 (path, shardwise_input_row_get_key (rows[i])->path) == 0 ? error->message : NULL);
  if (error == NULL)
    return;

  g_autofree char *text = shardwise_describe_error (path, error->message);
  g_autofree char *markup = g_markup_escape_text (text, -1);

  adw_status_page_set_icon_name (self->error_page, "dialog-error-symbolic");
  adw_status_page_set_title (self->error_page, _ ("No Answer for These Inputs"));
  adw_status_page_set_description (self->error_page, markup);
}

static void
show_nothing_fits (ShardwisePlanView *self)
{
  adw_status_page_set_icon_name (self->error_page, "dialog-warning-symbolic");
  adw_status_page_set_title (self->error_page, _ ("Does Not Fit on Any GPUs"));
  adw_status_page_set_description (self->error_page,
                                   _ ("Even a thousand of any GPU in the catalog cannot hold this "
                                      "model. Try another method or a shorter sequence."));
}

static void
show_answer (ShardwisePlanView *self)
{
  const Answer *answer = self->answered != NULL ? g_ptr_array_index (self->answered, 0) : NULL;
  const ShardwiseTuning tuning = (ShardwiseTuning) MIN (
      adw_combo_row_get_selected (self->method_row), SHARDWISE_N_TUNINGS - 1);
  GtkWidget *results = NULL;
  g_autofree char *summary = NULL;

  if (answer == NULL)
    return;
  show_error (self, answer->error);
  if (answer->capacity != NULL && self->of_gpus)
    {
      summary = shardwise_needs_list_summary (answer->capacity, tuning);
      results = shardwise_needs_list_new (answer->capacity, tuning);
      if (results == NULL)
        show_nothing_fits (self);
    }
  else if (answer->capacity != NULL)
    {
      summary = shardwise_machine_table_summary (answer->capacity);
      results = shardwise_machine_table_new (answer->capacity);
    }
  shardwise_wrapped_label_show (self->summary, summary);
  adw_bin_set_child (self->results, results);
  gtk_stack_set_visible_child_name (self->stack, results != NULL ? "results" : "error");
  gtk_widget_set_visible (GTK_WIDGET (self->note), results != NULL);
  gtk_widget_set_visible (self->answer_box, TRUE);
}

static void
computed_cb (ShardwisePlanView *self, GPtrArray *answered)
{
  g_clear_pointer (&self->answered, g_ptr_array_unref);
  self->answered = g_ptr_array_ref (answered);
  show_answer (self);
}

/* ---- the question ---- */

static void
compute (ShardwisePlanView *self)
{
  Answer *question;

  self->is_due = !gtk_widget_get_mapped (GTK_WIDGET (self));
  if (self->is_due || self->scenario == NULL)
    return;
  question = g_new0 (Answer, 1);
  question->asked = shardwise_scenario_copy (self->scenario);
  question->of_gpus = self->of_gpus;
  shardwise_sweep_run (self->sweep, work, question, answer_free);
}

static GPtrArray *all; /* ShardwisePlanView elements, transfer none: prices are the same for all */

static void
prices_changed_cb (ShardwisePlanView *self)
{
  g_ptr_array_foreach (all, (GFunc) (void (*) (void)) compute, NULL);
}

static void
prices_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gtk_window_present (GTK_WINDOW (shardwise_price_window_new (
      GTK_WINDOW (gtk_widget_get_root (widget)), G_CALLBACK (prices_changed_cb), widget)));
}

/* Each question replaces an irrelevant part of the scenario. */
static void
changed_cb (ShardwiseScenario *scenario, const char *path, ShardwisePlanView *self)
{
  if (!g_str_has_prefix (path, "strategy.")
      && !g_str_has_prefix (path, self->of_gpus ? "cluster." : "model."))
    compute (self);
}

static void
shardwise_plan_view_map (GtkWidget *widget)
{
  ShardwisePlanView *self = SHARDWISE_PLAN_VIEW (widget);

  GTK_WIDGET_CLASS (shardwise_plan_view_parent_class)->map (widget);
  if (self->is_due)
    compute (self);
}

/* The method in the scenario, if it is a way to fine-tune. */
static guint
method_of (ShardwiseScenario *scenario)
{
  g_autofree char *type = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_TRAINING_TYPE),
                  *optimizer = shardwise_scenario_get_string (scenario,
                                                              SHARDWISE_KEY_TRAINING_OPTIMIZER);

  if (g_strcmp0 (type, "qlora") == 0)
    return SHARDWISE_TUNING_QLORA;
  if (g_strcmp0 (type, "finetune") == 0)
    return g_strcmp0 (optimizer, "adam8bit") == 0 ? SHARDWISE_TUNING_FULL_8BIT
                                                  : SHARDWISE_TUNING_FULL;
  return SHARDWISE_TUNING_LORA;
}

/* Opens the job of a cell as a new document. */
static void
open_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwisePlanView *self = SHARDWISE_PLAN_VIEW (widget);
  const Answer *answer = self->answered != NULL ? g_ptr_array_index (self->answered, 0) : NULL;
  g_autoptr (ShardwiseScenario) changed = NULL, scenario = NULL;
  const ShardwiseCapacityRow *row;
  const ShardwiseCapacityCell *cell;
  g_autofree char *name = NULL;
  guint index, tuning;

  g_variant_get (parameter, SHARDWISE_PLAN_TARGET, &index, &tuning);
  if (answer == NULL || answer->capacity == NULL || index >= answer->capacity->rows->len
      || tuning >= SHARDWISE_N_TUNINGS)
    return;
  row = g_ptr_array_index (answer->capacity->rows, index);
  cell = &row->cells[tuning];
  changed = shardwise_scenario_copy (answer->asked);
  if (!cell->estimate.fits || !shardwise_scenario_apply (changed, cell->changes, NULL))
    return;
  /* Translators: the name of a model, a number of GPUs, their name, a way to tune it */
  name = g_strdup_printf (
      _ ("%s on %u × %s, %s"), self->of_gpus ? answer->capacity->problem.model.name : row->name,
      cell->gpus, self->of_gpus ? row->name : answer->capacity->problem.cluster.gpu.name,
      shardwise_tuning_title (cell->tuning));
  g_object_set (changed, "name", name, NULL);
  scenario = shardwise_scenario_copy (changed); /* with nothing to undo */
  g_signal_emit (self, open_signal, 0, scenario);
}

/**
 * shardwise_plan_view_set_scenario:
 * @self: a view
 * @scenario: (nullable): the scenario of the question; the inputs change it
 */
void
shardwise_plan_view_set_scenario (ShardwisePlanView *self, ShardwiseScenario *scenario)
{
  g_return_if_fail (SHARDWISE_IS_PLAN_VIEW (self));

  if (!g_set_object (&self->scenario, scenario))
    return;
  g_signal_group_set_target (self->signals, scenario);
  if (scenario != NULL)
    adw_combo_row_set_selected (self->method_row, method_of (scenario));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCENARIO]);
  compute (self);
}

/* ---- object ---- */

static void
shardwise_plan_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ShardwisePlanView *self = SHARDWISE_PLAN_VIEW (object);

  switch (id)
    {
    case PROP_OF_GPUS: g_value_set_boolean (value, self->of_gpus); break;
    case PROP_SCENARIO: g_value_set_object (value, self->scenario); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
shardwise_plan_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ShardwisePlanView *self = SHARDWISE_PLAN_VIEW (object);

  switch (id)
    {
    case PROP_OF_GPUS: self->of_gpus = g_value_get_boolean (value); break;
    case PROP_SCENARIO: shardwise_plan_view_set_scenario (self, g_value_get_object (value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
shardwise_plan_view_constructed (GObject *object)
{
  ShardwisePlanView *self = SHARDWISE_PLAN_VIEW (object);

  G_OBJECT_CLASS (shardwise_plan_view_parent_class)->constructed (object);
  shardwise_wrapped_label_show (
      self->note,
      self->of_gpus ? _ (
          "The fewest GPUs on which the model certainly fits. Prices per hour are the lowest that "
          "providers listed in the months shown. A scenario can set its own price under Cost.")
                    : _ ("Each cell shows the recommended strategy and the longest sequence that "
                         "fits with it. Choose a cell that fits to open its job as a scenario, in "
                         "which you can change everything."));
}

static void
shardwise_plan_view_dispose (GObject *object)
{
  ShardwisePlanView *self = SHARDWISE_PLAN_VIEW (object);

  g_clear_object (&self->signals);
  g_ptr_array_remove (all, self);
  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_PLAN_VIEW);
  g_clear_object (&self->scenario);
  g_clear_pointer (&self->answered, g_ptr_array_unref);
  G_OBJECT_CLASS (shardwise_plan_view_parent_class)->dispose (object);
}

static void
shardwise_plan_view_class_init (ShardwisePlanViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  object_class->constructed = shardwise_plan_view_constructed;
  object_class->dispose = shardwise_plan_view_dispose;
  object_class->get_property = shardwise_plan_view_get_property;
  object_class->set_property = shardwise_plan_view_set_property;
  widget_class->map = shardwise_plan_view_map;

  properties[PROP_OF_GPUS] = g_param_spec_boolean ("of-gpus", NULL, NULL, FALSE,
                                                   flags | G_PARAM_CONSTRUCT_ONLY);
  properties[PROP_SCENARIO] = g_param_spec_object ("scenario", NULL, NULL, SHARDWISE_TYPE_SCENARIO,
                                                   flags | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  open_signal = g_signal_new ("open-scenario", SHARDWISE_TYPE_PLAN_VIEW, G_SIGNAL_RUN_LAST, 0, NULL,
                              NULL, NULL, G_TYPE_NONE, 1, SHARDWISE_TYPE_SCENARIO);

  g_type_ensure (SHARDWISE_TYPE_INPUT_ROW);
  g_type_ensure (SHARDWISE_TYPE_SWEEP);
  gtk_widget_class_set_css_name (widget_class, "planview");
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-plan-view.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanView, model_row);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanView, gpu_row);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanView, gpus_row);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanView, sequence_row);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanView, method_row);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanView, sweep);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanView, answer_box);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanView, summary);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanView, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanView, results);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanView, error_page);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanView, note);
  gtk_widget_class_bind_template_callback (widget_class, compute);
  gtk_widget_class_bind_template_callback (widget_class, computed_cb);
  gtk_widget_class_bind_template_callback (widget_class, show_answer);
  gtk_widget_class_install_action (widget_class, "plan.open", SHARDWISE_PLAN_TARGET, open_cb);
  gtk_widget_class_install_action (widget_class, "plan.prices", NULL, prices_cb);
  all = g_ptr_array_new ();
}

static void
shardwise_plan_view_init (ShardwisePlanView *self)
{
  g_autoptr (GtkStringList) methods = gtk_string_list_new (NULL);

  self->is_due = TRUE;
  g_ptr_array_add (all, self);
  self->signals = g_signal_group_new (SHARDWISE_TYPE_SCENARIO);
  g_signal_group_connect (self->signals, "changed", G_CALLBACK (changed_cb), self);
  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint t = 0; t < SHARDWISE_N_TUNINGS; t++)
    gtk_string_list_append (methods, shardwise_tuning_title ((ShardwiseTuning) t));
  adw_combo_row_set_model (self->method_row, G_LIST_MODEL (methods));
  shardwise_sweep_keep (self->sweep, self->answer_box);
}

/* ---- the window ---- */

struct _ShardwisePlanWindow {
  AdwWindow parent_instance;
  guint reveal_id;
  AdwViewSwitcherTitle *switcher;
  AdwViewSwitcherBar *bar;
  ShardwisePlanView *machine, *model;
};

G_DEFINE_FINAL_TYPE (ShardwisePlanWindow, shardwise_plan_window, ADW_TYPE_WINDOW)

static guint window_open_signal;

static void
window_open_cb (ShardwisePlanWindow *self, ShardwiseScenario *scenario)
{
  g_signal_emit (self, window_open_signal, 0, scenario);
}

static gboolean
reveal_cb (gpointer data)
{
  ShardwisePlanWindow *self = data;

  self->reveal_id = 0;
  adw_view_switcher_bar_set_reveal (self->bar,
                                    adw_view_switcher_title_get_title_visible (self->switcher));
  return G_SOURCE_REMOVE;
}

/* The title finds out while it is given its place, when the bar has been given none. */
static void
title_visible_cb (ShardwisePlanWindow *self)
{
  if (self->reveal_id == 0)
    self->reveal_id = g_idle_add (reveal_cb, self);
}

static void
shardwise_plan_window_dispose (GObject *object)
{
  g_clear_handle_id (&SHARDWISE_PLAN_WINDOW (object)->reveal_id, g_source_remove);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_PLAN_WINDOW);
  G_OBJECT_CLASS (shardwise_plan_window_parent_class)->dispose (object);
}

static void
shardwise_plan_window_class_init (ShardwisePlanWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_plan_window_dispose;
  window_open_signal = g_signal_new ("open-scenario", SHARDWISE_TYPE_PLAN_WINDOW, G_SIGNAL_RUN_LAST,
                                     0, NULL, NULL, NULL, G_TYPE_NONE, 1, SHARDWISE_TYPE_SCENARIO);
  g_type_ensure (SHARDWISE_TYPE_PLAN_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-plan-window.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanWindow, switcher);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanWindow, bar);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanWindow, machine);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanWindow, model);
  gtk_widget_class_bind_template_callback (widget_class, window_open_cb);
  gtk_widget_class_bind_template_callback (widget_class, title_visible_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
shardwise_plan_window_init (ShardwisePlanWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * shardwise_plan_window_new:
 * @scenario: the initial scenario; copied
 *
 * Returns: (transfer floating): the window
 */
GtkWidget *
shardwise_plan_window_new (ShardwiseScenario *scenario)
{
  g_autoptr (ShardwiseScenario) asked = NULL;
  ShardwisePlanWindow *self;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), NULL);

  self = g_object_new (SHARDWISE_TYPE_PLAN_WINDOW, NULL);
  asked = shardwise_scenario_copy (scenario);
  shardwise_plan_view_set_scenario (self->machine, asked);
  shardwise_plan_view_set_scenario (self->model, asked);
  return GTK_WIDGET (self);
}
