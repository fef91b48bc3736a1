/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-actions.h"

#include <glib/gi18n.h>

#include "shardwise-advice-page.h"
#include "shardwise-advice.h"
#include "shardwise-alternatives-page.h"
#include "shardwise-analysis-page.h"
#include "shardwise-application.h"
#include "shardwise-asking.h"
#include "shardwise-changes-button.h"
#include "shardwise-compat.h"
#include "shardwise-diagnosis.h"
#include "shardwise-export.h"
#include "shardwise-journal-editor.h"
#include "shardwise-journal-fit.h"
#include "shardwise-journal-view.h"
#include "shardwise-measure.h"
#include "shardwise-note-editor.h"
#include "shardwise-plan-view.h"
#include "shardwise-playbook-view.h"
#include "shardwise-preferences.h"
#include "shardwise-report-print.h"
#include "shardwise-resolve.h"
#include "shardwise-scale-page.h"
#include "shardwise-toast.h"
#include "shardwise-window-assistant.h"
#include "shardwise-window-files.h"
#include "shardwise-window-private.h"

/* The actions are entries of the window's GActionMap, not class actions, because only those are
 * exported on the bus. */

#define JOURNAL_NAME "journal.db" /* if there is no room for its path */

/* ---- the report ---- */

static void
reported_cb (const GError *error, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  g_autofree char *text = NULL;

  if (error == NULL)
    return;
  /* Translators: %s is what the system says */
  text = g_strdup_printf (_ ("There is no report: %s"), error->message);
  shardwise_window_toast (self, text);
}

/* A report that is on its way to a file. */
typedef struct {
  ShardwiseWindow *window;
  GFile *file;
} ReportFile;

static void
report_written_cb (const GError *error, gpointer data)
{
  ReportFile *saving = data;
  ShardwiseWindow *self = g_steal_pointer (&saving->window);
  g_autofree char *name = shardwise_file_name (saving->file);

  g_object_unref (saving->file);
  g_free (saving);
  if (error == NULL)
    shardwise_window_toast (self, _ ("Saved the report"));
  else if (shardwise_window_is_closed (self))
    shardwise_late_error_tell (name, error);
  reported_cb (error, self);
}

/* Whether there is advice on the inputs as they are: a report of both would be wrong otherwise. */
static gboolean
has_advice (ShardwiseWindow *self)
{
  if (self->advisor != NULL && shardwise_advisor_get_advice (self->advisor) != NULL
      && shardwise_advisor_get_status (self->advisor) == SHARDWISE_STATUS_READY)
    return TRUE;
  shardwise_window_toast (self, _ ("There is no advice to report yet"));
  return FALSE;
}

/* Writes the report to a file, and says when it is there. */
void
shardwise_window_save_report_as (ShardwiseWindow *self, GFile *file)
{
  ReportFile *saving;

  g_assert (SHARDWISE_IS_WINDOW (self));
  g_assert (G_IS_FILE (file));

  if (!has_advice (self))
    return;
  saving = g_new (ReportFile, 1);
  *saving = (ReportFile){ g_object_ref (self), g_object_ref (file) };
  shardwise_report_print_async (self->advisor, GTK_WINDOW (self), file, report_written_cb, saving);
}

static void
report_chosen_cb (GFile *file, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;

  if (file != NULL)
    shardwise_window_save_report_as (self, file);
}

/* Asks for a printer. */
static void
print_report_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  shardwise_inputs_flush (self->inputs);
  if (has_advice (self))
    shardwise_report_print_async (self->advisor, GTK_WINDOW (self), NULL, reported_cb,
                                  g_object_ref (self));
}

/* Asks for a file. */
static void
save_report_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  g_autofree char *file = NULL;

  shardwise_inputs_flush (self->inputs);
  if (!has_advice (self))
    return;
  file = shardwise_document_suggest_name (self->document, _ ("Report"), ".pdf");
  shardwise_compat_save_file (GTK_WINDOW (self), _ ("Save Report"), NULL, file, report_chosen_cb,
                              g_object_ref (self));
}

/* ---- the journal ---- */

static ShardwiseJournal *
get_journal (ShardwiseWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));

  return SHARDWISE_IS_APPLICATION (application)
             ? shardwise_application_get_journal (SHARDWISE_APPLICATION (application))
             : NULL;
}

/* Where the journal and the playbook are shown: sections of Why. */
static AdwBin *
section_bin (ShardwiseWindow *self, const char *section)
{
  return shardwise_analysis_page_get_bin (
      SHARDWISE_ANALYSIS_PAGE (shardwise_window_get_page (self, "analysis")), section);
}

/* A journal that is shown already follows what was read. */
static void
journal_read_to_show_cb (GObject *journal, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  g_autoptr (GError) error = NULL;

  shardwise_journal_finish (SHARDWISE_JOURNAL (journal), result, &error);
  if (shardwise_window_is_closed (self) || self->advisor == NULL)
    return;
  if (error != NULL)
    shardwise_window_tell_open_error (self, JOURNAL_NAME, error->message);
  else if (adw_bin_get_child (section_bin (self, "runs")) == NULL)
    adw_bin_set_child (section_bin (self, "runs"),
                       shardwise_journal_view_new (SHARDWISE_JOURNAL (journal), self->advisor,
                                                   shardwise_document_get_file (self->document)));
}

static void
show_journal_cb (GSimpleAction *action, GVariant *parameter, gpointer self)
{
  shardwise_window_set_page (self, "analysis/runs");
}

/* After the document got another name, or became another one: what calibrates it is kept by name. */
void
shardwise_window_show_journal_again (ShardwiseWindow *self)
{
  GtkWidget *page =
      adw_bin_get_child (ADW_BIN (adw_view_stack_get_child_by_name (self->view_stack, "analysis")));
  AdwBin *bin = page != NULL
                    ? shardwise_analysis_page_get_bin (SHARDWISE_ANALYSIS_PAGE (page), "runs")
                    : NULL;

  if (bin == NULL || adw_bin_get_child (bin) == NULL)
    return;
  adw_bin_set_child (bin, NULL);
  if (gtk_widget_get_mapped (GTK_WIDGET (bin)))
    g_signal_emit_by_name (page, "section-wanted", "runs");
}

typedef struct {
  ShardwiseWindow *window;
  ShardwiseScenario *scenario;
} Opened;

static void
opened_free (Opened *opened)
{
  g_object_unref (opened->scenario);
  g_object_unref (opened->window);
  g_free (opened);
}

static void
fitted_cb (GObject *journal, GAsyncResult *result, gpointer data)
{
  Opened *opened = data;
  ShardwiseJournalFit *fit = shardwise_journal_fit_finish (SHARDWISE_JOURNAL (journal), result,
                                                           NULL);

  if (fit != NULL && shardwise_document_get_scenario (opened->window->document) == opened->scenario)
    shardwise_scenario_set_factors (opened->scenario, &fit->factors);
  shardwise_journal_fit_free (fit);
  opened_free (opened);
}

/* One that cannot be read says nothing; who asks for it is told. */
static void
journal_read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  ShardwiseJournal *journal = SHARDWISE_JOURNAL (source);
  Opened *opened = data;
  ShardwiseWindow *self = opened->window;
  g_autofree char *document = shardwise_document_get_scenario (self->document) == opened->scenario
                                      && shardwise_document_get_file (self->document) != NULL
                                  ? g_file_get_uri (shardwise_document_get_file (self->document))
                                  : NULL;

  if (shardwise_journal_finish (journal, result, NULL) && document != NULL
      && shardwise_journal_get_calibrates (journal, document))
    shardwise_journal_fit_async (journal, opened->scenario, self->cancellable, fitted_cb, opened);
  else
    opened_free (opened);
}

/* Calibrates the scenario of a file, where the user wanted that of it: when it was just opened, and
 * again for another GPU. */
void
shardwise_window_calibrate (ShardwiseWindow *self)
{
  ShardwiseJournal *journal = shardwise_document_get_file (self->document) != NULL
                                  ? get_journal (self)
                                  : NULL;
  g_autofree char *gpu = shardwise_scenario_get_string (
      shardwise_document_get_scenario (self->document), SHARDWISE_KEY_CLUSTER_GPU);
  Opened *opened;

  if (journal == NULL || (gpu != NULL && g_strcmp0 (gpu, self->calibrated_gpu) == 0))
    return;
  g_free (self->calibrated_gpu);
  self->calibrated_gpu = g_steal_pointer (&gpu);
  opened = g_new0 (Opened, 1);
  opened->window = g_object_ref (self);
  opened->scenario = g_object_ref (shardwise_document_get_scenario (self->document));
  shardwise_journal_read_async (journal, FALSE, journal_read_cb, opened);
}

typedef struct {
  ShardwiseWindow *window;
  char *document;
  gboolean calibrated;
} Kept;

static void
kept_cb (GObject *journal, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  g_autoptr (GError) error = NULL;

  if (shardwise_journal_finish (SHARDWISE_JOURNAL (journal), result, &error))
    return;
  if (shardwise_window_is_closed (self))
    shardwise_late_error_tell (JOURNAL_NAME, error);
  else
    shardwise_window_toast (self, error->message);
}

static void
keep_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  ShardwiseJournal *journal = SHARDWISE_JOURNAL (source);
  g_autofree Kept *kept = data;
  g_autofree char *document = kept->document;
  g_autoptr (ShardwiseWindow) window = kept->window;

  if (shardwise_journal_finish (journal, result, NULL)
      && shardwise_journal_get_calibrates (journal, document) != kept->calibrated)
    shardwise_journal_set_calibrates_async (journal, document, kept->calibrated, kept_cb,
                                            g_steal_pointer (&window));
}

/* Saving a scenario under another name keeps its calibration setting. */
void
shardwise_window_keep_calibration (ShardwiseWindow *self)
{
  const ShardwiseFactors factors =
      shardwise_scenario_get_factors (shardwise_document_get_scenario (self->document));
  ShardwiseJournal *journal = get_journal (self);
  Kept *kept;

  if (journal == NULL)
    return;
  kept = g_new (Kept, 1);
  *kept = (Kept){ g_object_ref (self),
                  g_file_get_uri (shardwise_document_get_file (self->document)),
                  !shardwise_factors_are_neutral (&factors) };
  shardwise_journal_read_async (journal, FALSE, keep_cb, kept);
}

/* ---- the playbook ---- */

static ShardwiseNotes *
get_notes (ShardwiseWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  g_autoptr (GError) error = NULL;
  ShardwiseNotes *notes = SHARDWISE_IS_APPLICATION (application) ? shardwise_application_get_notes (
                              SHARDWISE_APPLICATION (application), &error)
                                                                 : NULL;

  if (error != NULL)
    shardwise_window_tell_open_error (self, "playbook.json", error->message);
  return notes;
}

static void
show_playbook_cb (GSimpleAction *action, GVariant *parameter, gpointer self)
{
  shardwise_window_set_page (self, "analysis/rules");
}

/* The journal is shown once it is read. */
static void
section_wanted_cb (ShardwiseWindow *self, const char *section)
{
  ShardwiseJournal *journal = get_journal (self);

  if (g_str_equal (section, "rules") && adw_bin_get_child (section_bin (self, section)) == NULL)
    adw_bin_set_child (section_bin (self, section),
                       shardwise_playbook_view_new (get_notes (self), self->advisor));
  else if (g_str_equal (section, "runs") && journal != NULL)
    shardwise_journal_read_async (journal, TRUE, journal_read_to_show_cb, g_object_ref (self));
}

/* ---- what can be trained ---- */

/* The user looks at the job next, wherever it is shown. */
static void
planned_cb (GtkWidget *plan, ShardwiseScenario *scenario, ShardwiseWindow *self)
{
  const gboolean here = shardwise_document_get_scenario (self->document) == NULL;

  shardwise_window_show_beside (self, scenario);
  if (here)
    gtk_window_present (GTK_WINDOW (self));
}

/* What the window does for a page of its own. */
void
shardwise_window_connect_page (ShardwiseWindow *self, GtkWidget *page)
{
  if (SHARDWISE_IS_ANALYSIS_PAGE (page))
    g_signal_connect_object (page, "section-wanted", G_CALLBACK (section_wanted_cb), self,
                             G_CONNECT_SWAPPED);
  else if (SHARDWISE_IS_SCALE_PAGE (page))
    g_signal_connect_object (page, "open-scenario", G_CALLBACK (planned_cb), self, 0);
}

/* Shows a section of the page Plan. Without a document there is no such page, so a window opens. */
static void
show_plan_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  GtkWidget *window = self->plan;

  if (shardwise_document_get_scenario (self->document) != NULL)
    {
      shardwise_inputs_flush (self->inputs);
      shardwise_window_set_page (self, "scale/machine");
      return;
    }
  if (window == NULL)
    {
      g_autoptr (ShardwiseScenario) scenario = shardwise_new_scenario (self->settings);

      /* Nobody's machine: one GPU, unless the preferences have another. */
      if (!shardwise_new_scenario_has_cluster (self->settings))
        shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_int64 (1),
                                NULL);
      window = shardwise_plan_window_new (scenario);
      /* Not transient for this window, in which a job may open; but it closes with it. */
      gtk_window_set_application (GTK_WINDOW (window),
                                  gtk_window_get_application (GTK_WINDOW (self)));
      g_signal_connect_object (window, "open-scenario", G_CALLBACK (planned_cb), self, 0);
      g_signal_connect_object (self, "destroy", G_CALLBACK (gtk_window_destroy), window,
                               G_CONNECT_SWAPPED);
      g_set_weak_pointer (&self->plan, window);
    }
  gtk_window_present (GTK_WINDOW (window));
}

static void
measure_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;

  shardwise_measure_ask (
      GTK_WINDOW (self),
      self->advisor != NULL ? shardwise_advisor_get_advice (self->advisor) : NULL, NULL);
}

static void
measure_layer_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  const SwEstimate *selected = self->advisor != NULL
                                   ? shardwise_advisor_get_selected (self->advisor)
                                   : NULL;

  if (selected != NULL)
    shardwise_measure_ask (GTK_WINDOW (self), shardwise_advisor_get_advice (self->advisor),
                           &selected->strategy);
}

/* ---- editors that a crash closed ---- */

static GtkWidget *
run_editor (ShardwiseApplication *application, const char *subject, const char *label)
{
  ShardwiseJournal *journal = shardwise_application_get_journal (application);
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_from_json (subject, -1, NULL);
  ShardwiseJournalRun *run;
  SwProblem problem;

  if (scenario == NULL || !shardwise_scenario_resolve (scenario, &problem, NULL, NULL))
    return NULL;
  run = shardwise_journal_run_new ();
  g_free (run->scenario);
  run->scenario = g_strdup (subject);
  return shardwise_journal_editor_new (journal, run, &problem, label);
}

/* A note that is gone meanwhile becomes a new one. */
static GtkWidget *
note_editor (ShardwiseApplication *application, const char *subject)
{
  ShardwiseNotes *notes = shardwise_application_get_notes (application, NULL);
  GPtrArray *rules = notes != NULL ? shardwise_notes_get_rules (notes) : NULL;
  const ShardwiseHeuristic *rule = NULL;

  for (guint i = 0; rules != NULL && i < rules->len; i++)
    if (g_strcmp0 (((const ShardwiseHeuristic *) rules->pdata[i])->id, subject) == 0)
      rule = rules->pdata[i];
  return notes != NULL ? shardwise_note_editor_new (notes, rule) : NULL;
}

static ShardwiseEditor *
open_editor (const char *kind, const char *subject, const char *label, gpointer data)
{
  ShardwiseWindow *self = data;
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  GtkWidget *editor = NULL;

  if (g_str_equal (kind, SHARDWISE_JOURNAL_EDITOR_KIND))
    editor = run_editor (SHARDWISE_APPLICATION (application), subject, label);
  else if (g_str_equal (kind, SHARDWISE_NOTE_EDITOR_KIND))
    editor = note_editor (SHARDWISE_APPLICATION (application), subject);
  if (editor == NULL)
    return NULL;
  gtk_window_present (GTK_WINDOW (self));
  shardwise_editor_present (SHARDWISE_EDITOR (editor), GTK_WINDOW (self));
  return SHARDWISE_EDITOR (editor);
}

/* Shows them over the window. */
void
shardwise_window_restore_editors (ShardwiseWindow *self)
{
  if (SHARDWISE_IS_APPLICATION (gtk_window_get_application (GTK_WINDOW (self))))
    shardwise_editor_drafts_restore (open_editor, self);
}

/* ---- actions ---- */

static GSimpleAction *
find_action (ShardwiseWindow *self, const char *name)
{
  return G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (self), name));
}

static void
start_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  g_autoptr (ShardwiseScenario) named = shardwise_start_page_take_named (self->start_page),
                                scenario = named != NULL ? g_steal_pointer (&named)
                                                         : shardwise_new_scenario (self->settings);

  shardwise_window_set_scenario (self, scenario, NULL);
  if (adw_flap_get_folded (self->flap)) /* there is nothing to read before something is stated */
    adw_flap_set_reveal_flap (self->flap, TRUE);
  if (adw_flap_get_reveal_flap (self->flap)) /* the button that had the focus is gone */
    gtk_widget_grab_focus (
        GTK_WIDGET (shardwise_inputs_find_row (self->inputs, SHARDWISE_KEY_MODEL_PRESET)));
}

static void
undo_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_inputs_flush (SHARDWISE_WINDOW (data)->inputs);
  shardwise_scenario_undo (shardwise_document_get_scenario (SHARDWISE_WINDOW (data)->document));
}

static void
redo_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_scenario_redo (shardwise_document_get_scenario (SHARDWISE_WINDOW (data)->document));
}

static void
keep_cluster_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;

  shardwise_inputs_flush (self->inputs);
  shardwise_new_scenario_keep_cluster (shardwise_document_get_scenario (self->document),
                                       self->settings);
}

/* Every input has its default again; the message takes that back. */
static void
reset_inputs_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  g_autofree char *text = NULL;
  AdwToast *toast;
  guint n;

  shardwise_inputs_flush (self->inputs);
  n = shardwise_input_changes_reset (shardwise_document_get_scenario (self->document));
  if (n == 0)
    return;
  text = g_strdup_printf (ngettext ("%u input reset", "%u inputs reset", n), n);
  toast = shardwise_toast_show (self->toasts, text);
  adw_toast_set_button_label (toast, _ ("_Undo"));
  adw_toast_set_action_name (toast, "win.undo");
}

static void
evaluate_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_inputs_flush (SHARDWISE_WINDOW (data)->inputs);
  shardwise_advisor_evaluate (SHARDWISE_WINDOW (data)->advisor);
}

static void
stop_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SHARDWISE_WINDOW (data)->copy_due = FALSE;
  shardwise_advisor_stop (SHARDWISE_WINDOW (data)->advisor);
}

static void
page_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  const char *name = g_variant_get_string (parameter, NULL);

  if (!shardwise_window_set_page (self, name))
    {
      /* Translators: %s is a word that a program sent */
      g_autofree char *text = g_strdup_printf (_ ("There is no page “%s”"), name);

      shardwise_window_toast (self, text);
    }
}

/* Sets several keys at once, all or nothing; on the start page it begins a new scenario with them.
 */
static void
apply_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  g_autoptr (ShardwiseScenario) scenario =
      shardwise_document_get_scenario (self->document)
          ? g_object_ref (shardwise_document_get_scenario (self->document))
          : shardwise_scenario_new ();
  g_autoptr (GError) error = NULL;

  if (!shardwise_scenario_apply (scenario, parameter, &error))
    {
      g_autofree char *text = shardwise_describe_error (shardwise_error_path (error),
                                                        error->message);

      shardwise_window_toast (self, text);
    }
  else if (shardwise_document_get_scenario (self->document) == NULL)
    shardwise_window_set_scenario (self, scenario, NULL);
}

/* Shows a scenario, given as the text of its file, in addition to the open document. */
static void
open_scenario_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario =
      shardwise_scenario_from_json (g_variant_get_string (parameter, NULL), -1, &error);

  if (scenario != NULL)
    shardwise_window_show_beside (SHARDWISE_WINDOW (data), scenario);
  else
    shardwise_window_toast (SHARDWISE_WINDOW (data), error->message);
}

static ShardwiseStatus
get_status (ShardwiseWindow *self)
{
  return self->advisor != NULL ? shardwise_advisor_get_status (self->advisor)
                               : SHARDWISE_STATUS_EMPTY;
}

static ShardwiseAdvicePage *
advice_page (ShardwiseWindow *self)
{
  return SHARDWISE_ADVICE_PAGE (shardwise_window_get_page (self, "advice"));
}

static ShardwiseExportPage *
export_page (ShardwiseWindow *self)
{
  return shardwise_advice_page_get_export (advice_page (self));
}

static void
show_files (ShardwiseWindow *self)
{
  shardwise_advice_page_show_files (advice_page (self));
  shardwise_window_set_page (self, "advice");
}

static void
export_to_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  const char *format = g_variant_get_string (parameter, NULL);

  if (shardwise_format_find (format) == NULL)
    {
      /* Translators: %s is a word that a program sent */
      g_autofree char *text = g_strdup_printf (_ ("There is no export format “%s”"), format);

      shardwise_window_toast (self, text);
      return;
    }
  shardwise_export_page_select (export_page (self), format);
  show_files (self);
}

static void
copy_export (ShardwiseWindow *self)
{
  if (get_status (self) != SHARDWISE_STATUS_ERROR
      && shardwise_export_page_copy (export_page (self)))
    return;
  show_files (self); /* the page says why */
  shardwise_window_toast (self, _ ("There is no configuration to copy"));
}

/* Whether the present files belong to older inputs and new ones are being written. */
static gboolean
awaits_files (ShardwiseWindow *self)
{
  shardwise_inputs_flush (self->inputs);
  return get_status (self) == SHARDWISE_STATUS_STALE && shardwise_advisor_get_live (self->advisor);
}

static void
copy_export_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;

  self->copy_due = awaits_files (self);
  if (!self->copy_due)
    copy_export (self);
}

static void
save_export_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;

  if (awaits_files (self))
    shardwise_window_toast (self, _ ("There is no file to save yet"));
  else
    shardwise_export_page_save (export_page (self));
}

static void
toggle_ask_cb (GSimpleAction *action, GVariant *state, gpointer data)
{
  shardwise_window_reveal (SHARDWISE_WINDOW (data)->ask_flap, g_variant_get_boolean (state));
}

static void
ask_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_window_focus_ask (data);
}

static void
toggle_inputs_cb (GSimpleAction *action, GVariant *state, gpointer data)
{
  shardwise_window_reveal (SHARDWISE_WINDOW (data)->flap, g_variant_get_boolean (state));
}

/* Leads to the input of a key, wherever it is folded away. */
static void
show_input_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  const ShardwiseKey *key = shardwise_key_find (g_variant_get_string (parameter, NULL));

  if (key == NULL)
    return;
  if (gtk_widget_get_mapped (GTK_WIDGET (self->inputs)))
    {
      shardwise_inputs_show (self->inputs, key->id);
      return;
    }
  self->input_due = key->id;
  shardwise_window_reveal (self->flap, TRUE);
}

/* ---- the present inputs beside the same with changes ---- */

/* A column that a thread evaluates. */
typedef struct {
  ShardwiseScenario *scenario;
  char *name;
  ShardwiseAdvice *advice; /* (nullable): once it is evaluated */
} Column;

static void
column_free (gpointer data)
{
  Column *column = data;

  g_object_unref (column->scenario);
  g_clear_object (&column->advice);
  g_free (column->name);
  g_free (column);
}

/* changes: (nullable): what differs; it also is the column's name. */
static void
add_column (GPtrArray *columns, ShardwiseScenario *scenario, GVariant *changes)
{
  Column *column = g_new0 (Column, 1);
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autoptr (GVariant) settled = changes != NULL ? shardwise_asking_settle (changes, scenario)
                                                 : NULL;

  column->scenario = shardwise_scenario_copy (scenario);
  g_ptr_array_add (columns, column);
  if (settled != NULL)
    shardwise_scenario_apply (column->scenario, settled, NULL);
  if (shardwise_scenario_resolve (column->scenario, problem, NULL, NULL)
      && (changes == NULL
          || g_variant_lookup (changes, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPU), "*", NULL)))
    column->name = g_strdup (problem->cluster.gpu.name);
  else
    column->name = changes != NULL ? shardwise_asking_describe (changes) : g_strdup ("");
}

static void
evaluate_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  GPtrArray *columns = data;

  for (guint i = 0; i < columns->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      Column *column = columns->pdata[i];

      column->advice = shardwise_advice_compute (column->scenario, &options, cancellable, NULL);
    }
  g_task_return_boolean (task, TRUE);
}

static void
evaluated_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  const GPtrArray *columns = g_task_get_task_data (G_TASK (result));
  ShardwiseAlternativesPage *page;
  ShardwiseComparison *comparison;

  if (shardwise_window_is_closed (self) || self->advisor == NULL)
    return;
  page = SHARDWISE_ALTERNATIVES_PAGE (shardwise_window_get_page (self, "alternatives"));
  comparison = shardwise_alternatives_page_get_comparison (page);
  shardwise_comparison_clear (comparison);
  for (guint i = 0; i < columns->len; i++)
    {
      const Column *column = columns->pdata[i];

      if (column->advice != NULL)
        shardwise_comparison_add_scenario (comparison, column->name, column->advice,
                                           column->scenario, NULL);
    }
  shardwise_window_set_page (self, "alternatives");
  gtk_widget_activate_action (GTK_WIDGET (page), "alternatives.compare", NULL);
}

static void
compare_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  ShardwiseScenario *scenario = shardwise_document_get_scenario (self->document);
  GPtrArray *columns = g_ptr_array_new_with_free_func (column_free);
  g_autoptr (GTask) task = g_task_new (NULL, self->cancellable, evaluated_cb, g_object_ref (self));

  add_column (columns, scenario, NULL);
  for (gsize i = 0; i < g_variant_n_children (parameter) && i + 1 < SHARDWISE_COMPARISON_MAX; i++)
    {
      g_autoptr (GVariant) changes = g_variant_get_child_value (parameter, i);

      add_column (columns, scenario, changes);
    }
  g_task_set_source_tag (task, compare_cb);
  g_task_set_task_data (task, columns, (GDestroyNotify) g_ptr_array_unref);
  g_task_run_in_thread (task, evaluate_thread);
}

static const GActionEntry entries[] = {
  { .name = "start", .activate = start_cb },
  { .name = "print-report", .activate = print_report_cb },
  { .name = "save-report", .activate = save_report_cb },
  { .name = "undo", .activate = undo_cb },
  { .name = "redo", .activate = redo_cb },
  { .name = "keep-cluster", .activate = keep_cluster_cb },
  { .name = "reset-inputs", .activate = reset_inputs_cb },
  { .name = "evaluate", .activate = evaluate_cb },
  { .name = "stop", .activate = stop_cb },
  { .name = "page", .activate = page_cb, .parameter_type = "s", .state = "'advice'" },
  { .name = "ask", .activate = ask_cb },
  { .name = "toggle-ask", .state = "false", .change_state = toggle_ask_cb },
  { .name = "toggle-inputs", .state = "true", .change_state = toggle_inputs_cb },
  { .name = "export-to", .activate = export_to_cb, .parameter_type = "s" },
  { .name = "copy-export", .activate = copy_export_cb },
  { .name = "save-export", .activate = save_export_cb },
  { .name = "journal", .activate = show_journal_cb },
  { .name = "playbook", .activate = show_playbook_cb },
  { .name = "plan", .activate = show_plan_cb },
  { .name = "measure", .activate = measure_cb },
  { .name = "measure-layer", .activate = measure_layer_cb },
  { .name = "open-scenario", .activate = open_scenario_cb, .parameter_type = "s" },
  { .name = "show-input", .activate = show_input_cb, .parameter_type = "s" },
  { .name = "apply", .activate = apply_cb, .parameter_type = "a{sv}" },
  { .name = "compare", .activate = compare_cb, .parameter_type = "aa{sv}" },
};

static void
page_changed_cb (ShardwiseWindow *self)
{
  const char *name = adw_view_stack_get_visible_child_name (self->view_stack);

  if (name != NULL)
    g_simple_action_set_state (find_action (self, "page"), g_variant_new_string (name));
}

/* The status is for reading only: a request to change it is dropped. */
static void
status_change_state_cb (GSimpleAction *action, GVariant *value, gpointer data)
{}

/* Adds every win.* action. */
void
shardwise_window_add_actions (ShardwiseWindow *self)
{
  g_autoptr (GSimpleAction) status = g_simple_action_new_stateful ("status", NULL,
                                                                   g_variant_new_string ("empty"));

  g_assert (SHARDWISE_IS_WINDOW (self));

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  g_signal_connect (status, "change-state", G_CALLBACK (status_change_state_cb), NULL);
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (status));
  shardwise_window_add_file_actions (self);
  shardwise_window_add_assistant_actions (self);
  g_signal_connect_object (self->view_stack, "notify::visible-child", G_CALLBACK (page_changed_cb),
                           self, G_CONNECT_SWAPPED);
  page_changed_cb (self);
}

static void
enable (ShardwiseWindow *self, const char *name, gboolean enabled)
{
  g_simple_action_set_enabled (find_action (self, name), enabled);
}

/* Follows the scenario and the advisor: what can be done now, and win.status. */
void
shardwise_window_update_actions (ShardwiseWindow *self)
{
  static const char *const words[] = { "empty", "stale", "ready", "error" };
  static const char *const need_scenario[] = {
    "save",         "save-as",      "evaluate",     "page",        "export-to",  "copy-export",
    "save-export",  "journal",      "print-report", "save-report", "toggle-ask", "playbook",
    "reset-inputs", "keep-cluster", "show-input",   "compare"
  };
  ShardwiseStatus status = get_status (self);
  gboolean can_undo = FALSE, can_redo = FALSE, modified = FALSE;

  if (shardwise_document_get_scenario (self->document) != NULL)
    g_object_get (shardwise_document_get_scenario (self->document), "can-undo", &can_undo,
                  "can-redo", &can_redo, "modified", &modified, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (need_scenario); i++)
    enable (self, need_scenario[i], shardwise_document_get_scenario (self->document) != NULL);
  enable (self, "start", shardwise_document_get_scenario (self->document) == NULL);
  enable (self, "undo", can_undo);
  enable (self, "redo", can_redo);
  enable (self, "revert", modified && shardwise_document_get_file (self->document) != NULL);
  enable (self, "stop", status == SHARDWISE_STATUS_STALE);
  enable (self, "measure-layer",
          self->advisor != NULL && shardwise_advisor_get_selected (self->advisor) != NULL);
  g_simple_action_set_state (find_action (self, "status"), g_variant_new_string (words[status]));
  shardwise_window_update_assistant (self);
  if (self->copy_due && status != SHARDWISE_STATUS_STALE)
    {
      self->copy_due = FALSE;
      if (status != SHARDWISE_STATUS_EMPTY)
        copy_export (self);
    }
}
