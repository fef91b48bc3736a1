/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-journal-view.h"

#include <glib/gi18n.h>

#include "shardwise-editor.h"
#include "shardwise-toast.h"
#include "shardwise-config.h"
#include "shardwise-journal-editor.h"
#include "shardwise-journal-fit.h"
#include "shardwise-changes.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

struct _ShardwiseJournalView {
  AdwBin parent_instance;
  ShardwiseJournal *journal;
  ShardwiseAdvisor *advisor;
  char *document; /* (nullable): never saved */
  ShardwiseJournalFit *fit;
  char *gpu;                 /* (nullable): that it is for */
  GCancellable *cancellable; /* of the running fit */
  GPtrArray *rows;           /* GtkWidget elements of the runs */
  gboolean filling;
  GtkStack *stack;
  AdwPreferencesGroup *calibration, *runs;
  AdwActionRow *calibrate_row, *kernel, *network, *memory;
  GtkSwitch *calibrate;
};

G_DEFINE_FINAL_TYPE (ShardwiseJournalView, shardwise_journal_view, ADW_TYPE_BIN)

/* ---- calibration ---- */

/* The switch sets the scenario; notes on the figures state its effect. */
static void
apply_factors (ShardwiseJournalView *self)
{
  ShardwiseScenario *scenario = shardwise_advisor_get_scenario (self->advisor);
  const ShardwiseFactors *factors = &SHARDWISE_FACTORS_NEUTRAL;

  if (self->fit == NULL)
    return;
  if (gtk_switch_get_active (self->calibrate))
    factors = &self->fit->factors;
  shardwise_scenario_set_factors (scenario, factors);
}

/* self (nullable): it was closed. */
static void
tell (ShardwiseJournalView *self, const GError *error)
{
  shardwise_late_error_tell_on (shardwise_toast_overlay_of (self), "journal.db", error);
}

static void
written_cb (GObject *journal, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseJournalView) self = shardwise_weak_take (data);
  g_autoptr (GError) error = NULL;

  if (!shardwise_journal_finish (SHARDWISE_JOURNAL (journal), result, &error))
    tell (self, error);
}

static void
calibrate_cb (ShardwiseJournalView *self)
{
  g_assert (SHARDWISE_IS_JOURNAL_VIEW (self));

  if (self->filling)
    return;
  apply_factors (self);
  if (self->document != NULL)
    shardwise_journal_set_calibrates_async (self->journal, self->document,
                                            gtk_switch_get_active (self->calibrate), written_cb,
                                            shardwise_weak_new (self));
}

static void
show_factor (AdwActionRow *row, double factor)
{
  g_autofree char *number = shardwise_format_significant (factor);
  g_autofree char *text = g_strdup_printf (
      /* Translators: a factor, "0.93" */
      _ ("× %s"), number);
  GtkWidget *label = g_object_get_data (G_OBJECT (row), "factor");

  if (label == NULL)
    {
      label = gtk_label_new (NULL);
      gtk_widget_add_css_class (label, "numeric");
      adw_action_row_add_suffix (row, label);
      g_object_set_data (G_OBJECT (row), "factor", label);
    }
  gtk_label_set_label (GTK_LABEL (label), text);
}

/* ---- runs ---- */

static void show_runs (ShardwiseJournalView *self);

static void
undo_cb (AdwToast *message, ShardwiseJournalView *self)
{
  shardwise_journal_save_async (self->journal, g_object_get_data (G_OBJECT (message), "run"),
                                written_cb, shardwise_weak_new (self));
}

/* A run that is being removed. */
typedef struct {
  GWeakRef *view;
  ShardwiseJournalRun *run;
} Removal;

static void
removed_cb (GObject *journal, GAsyncResult *result, gpointer data)
{
  g_autofree Removal *removal = data;
  g_autoptr (ShardwiseJournalView) self = shardwise_weak_take (removal->view);
  g_autoptr (ShardwiseJournalRun) run = removal->run;
  g_autoptr (GError) error = NULL;
  AdwToast *message;

  if (!shardwise_journal_finish (SHARDWISE_JOURNAL (journal), result, &error))
    {
      tell (self, error);
      if (self != NULL)
        show_runs (self); /* its button can be pressed again */
      return;
    }
  if (shardwise_toast_overlay_of (self) == NULL)
    return;
  message = shardwise_toast_show (shardwise_toast_overlay_of (self), _ ("Run removed"));
  adw_toast_set_button_label (message, _ ("_Undo"));
  g_object_set_data_full (G_OBJECT (message), "run", g_steal_pointer (&run),
                          (GDestroyNotify) shardwise_journal_run_free);
  g_signal_connect_object (message, "button-clicked", G_CALLBACK (undo_cb), self, 0);
}

/* Deleted without a question, but with Undo. */
static void
remove_cb (GtkButton *button, ShardwiseJournalView *self)
{
  const gint64 *id = g_object_get_data (G_OBJECT (button), "id");
  GPtrArray *runs = shardwise_journal_get_runs (self->journal);
  const ShardwiseJournalRun *found = NULL;
  Removal *removal;

  for (guint i = 0; i < runs->len; i++)
    if (((const ShardwiseJournalRun *) runs->pdata[i])->id == *id)
      found = runs->pdata[i];
  if (found == NULL)
    return;
  gtk_widget_set_sensitive (GTK_WIDGET (button), FALSE);
  removal = g_new (Removal, 1);
  *removal = (Removal){ shardwise_weak_new (self), shardwise_journal_run_copy (found) };
  shardwise_journal_remove_async (self->journal, *id, removed_cb, removal);
}

static GtkWidget *
remove_button_new (ShardwiseJournalView *self, const ShardwiseJournalRun *run)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("user-trash-symbolic");
  g_autofree char *label = g_strdup_printf (
      /* Translators: the name of a run */
      _ ("Remove %s"), run->name);

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, _ ("Remove this run"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  g_object_set_data_full (G_OBJECT (button), "id", g_memdup2 (&run->id, sizeof run->id), g_free);
  g_signal_connect_object (button, "clicked", G_CALLBACK (remove_cb), self, 0);
  return button;
}

static void
add_row (ShardwiseJournalView *self, const ShardwiseJournalRun *run,
         const ShardwiseJournalPrediction *prediction)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *text = shardwise_journal_run_text (run, prediction);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row),
                                 *run->name != '\0' ? run->name : _ ("Unnamed run"));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text);
  gtk_widget_add_css_class (row, "numeric");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), remove_button_new (self, run));
  adw_preferences_group_add (self->runs, row);
  g_ptr_array_add (self->rows, row);
}

static void
show_runs (ShardwiseJournalView *self)
{
  GPtrArray *runs = shardwise_journal_get_runs (self->journal);

  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove (self->runs, self->rows->pdata[i]);
  g_ptr_array_set_size (self->rows, 0);
  for (guint i = 0; i < MIN (runs->len, self->fit->predictions->len); i++)
    add_row (self, runs->pdata[i], self->fit->predictions->pdata[i]);
  gtk_stack_set_visible_child_name (self->stack, runs->len > 0 ? "runs" : "empty");
}

static void
fitted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseJournalView) self = shardwise_weak_take (data);
  g_autoptr (ShardwiseJournalFit) fit = shardwise_journal_fit_finish (SHARDWISE_JOURNAL (source),
                                                                      result, NULL);

  if (fit == NULL || self == NULL)
    return; /* canceled: another one is running, or the view was closed */
  g_clear_pointer (&self->fit, shardwise_journal_fit_free);
  self->fit = g_steal_pointer (&fit);

  g_autofree char *errors = shardwise_journal_fit_text (self->fit);

  adw_preferences_group_set_description (self->calibration, errors);
  show_factor (self->kernel, self->fit->factors.kernel);
  show_factor (self->network, self->fit->factors.network);
  show_factor (self->memory, self->fit->factors.memory);
  show_runs (self);
  apply_factors (self);
}

static void
update (ShardwiseJournalView *self)
{
  g_free (self->gpu);
  self->gpu = shardwise_scenario_get_string (shardwise_advisor_get_scenario (self->advisor),
                                             SHARDWISE_KEY_CLUSTER_GPU);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  self->cancellable = g_cancellable_new ();
  shardwise_journal_fit_async (self->journal, shardwise_advisor_get_scenario (self->advisor),
                               self->cancellable, fitted_cb, shardwise_weak_new (self));
}

/* Another GPU has its own runs and factors. */
static void
scenario_changed_cb (ShardwiseJournalView *self)
{
  g_autofree char *gpu = shardwise_scenario_get_string (
      shardwise_advisor_get_scenario (self->advisor), SHARDWISE_KEY_CLUSTER_GPU);

  if (g_strcmp0 (gpu, self->gpu) != 0)
    update (self);
}

/* ---- adding ---- */

static ShardwiseJournalRun *
run_of_selected (ShardwiseJournalView *self, const SwEstimate *selected)
{
  ShardwiseJournalRun *run = shardwise_journal_run_new ();
  g_autoptr (ShardwiseScenario) scenario =
      shardwise_scenario_copy (shardwise_advisor_get_scenario (self->advisor));

  shardwise_scenario_apply (
      scenario, shardwise_strategy_changes (&selected->strategy, SHARDWISE_ALL_DIMENSIONS), NULL);
  g_free (run->scenario);
  run->scenario = shardwise_scenario_to_json (scenario);
  g_free (run->name);
  g_object_get (scenario, "name", &run->name, NULL);
  if (run->name == NULL)
    run->name = g_strdup ("");
  return run;
}

static void
add_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseJournalView *self = SHARDWISE_JOURNAL_VIEW (widget);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (self->advisor);
  const SwEstimate *selected = advice != NULL ? shardwise_advisor_get_selected (self->advisor)
                                              : NULL;
  g_autofree char *strategy = NULL;
  GtkWidget *editor;

  /* The run is stored with the inputs, so a strategy for other inputs is wrong. */
  if (selected == NULL || shardwise_advisor_get_status (self->advisor) != SHARDWISE_STATUS_READY)
    {
      shardwise_toast_show (shardwise_toast_overlay_of (self),
                            _ ("The scenario has no strategy to compare the run with"));
      return;
    }
  strategy = shardwise_text_strategy (&selected->strategy);
  editor = shardwise_journal_editor_new (self->journal, run_of_selected (self, selected),
                                         shardwise_advice_get_problem (advice), strategy);
  shardwise_editor_present (SHARDWISE_EDITOR (editor), GTK_WINDOW (gtk_widget_get_root (widget)));
}

/* ---- object ---- */

static void
shardwise_journal_view_dispose (GObject *object)
{
  ShardwiseJournalView *self = SHARDWISE_JOURNAL_VIEW (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  adw_bin_set_child (ADW_BIN (self), NULL); /* the template would take it from the bin unasked */
  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_JOURNAL_VIEW);
  g_clear_object (&self->journal);
  g_clear_object (&self->advisor);
  g_clear_pointer (&self->document, g_free);
  g_clear_pointer (&self->gpu, g_free);
  g_clear_pointer (&self->fit, shardwise_journal_fit_free);
  G_OBJECT_CLASS (shardwise_journal_view_parent_class)->dispose (object);
}

static void
shardwise_journal_view_class_init (ShardwiseJournalViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_journal_view_dispose;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-journal-view.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalView, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalView, calibration);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalView, runs);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalView, calibrate_row);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalView, kernel);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalView, network);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalView, memory);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalView, calibrate);
  gtk_widget_class_bind_template_callback (widget_class, calibrate_cb);
  gtk_widget_class_install_action (widget_class, "journal.add", NULL, add_cb);
}

static void
shardwise_journal_view_init (ShardwiseJournalView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->rows = g_ptr_array_new ();
}

/**
 * shardwise_journal_view_new:
 * @journal: the user's runs
 * @advisor: source of the scenario to calibrate and of the selected strategy for a new run
 * @file: (nullable): the file of the scenario, for which the choice is remembered
 *
 * Returns: (transfer floating): the view
 */
GtkWidget *
shardwise_journal_view_new (ShardwiseJournal *journal, ShardwiseAdvisor *advisor, GFile *file)
{
  ShardwiseJournalView *self = g_object_new (SHARDWISE_TYPE_JOURNAL_VIEW, NULL);
  ShardwiseFactors factors;

  g_return_val_if_fail (SHARDWISE_IS_JOURNAL (journal) && SHARDWISE_IS_ADVISOR (advisor), NULL);

  self->journal = g_object_ref (journal);
  self->advisor = g_object_ref (advisor);
  self->document = file != NULL ? g_file_get_uri (file) : NULL;
  if (file == NULL)
    adw_action_row_set_subtitle (
        self->calibrate_row,
        _ ("while this window is open; save the scenario to keep this setting"));
  factors = shardwise_scenario_get_factors (shardwise_advisor_get_scenario (advisor));
  self->filling = TRUE;
  gtk_switch_set_active (self->calibrate,
                         self->document != NULL
                             ? shardwise_journal_get_calibrates (journal, self->document)
                             : !shardwise_factors_are_neutral (&factors));
  self->filling = FALSE;
  g_signal_connect_object (journal, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (shardwise_advisor_get_scenario (advisor), "changed",
                           G_CALLBACK (scenario_changed_cb), self, G_CONNECT_SWAPPED);
  update (self);
  return GTK_WIDGET (self);
}
