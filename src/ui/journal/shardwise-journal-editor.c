/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-journal-editor.h"

#include <glib/gi18n.h>

#include "shardwise-config.h"
#include "shardwise-editor.h"
#include "shardwise-input-marks.h"
#include "shardwise-input-number.h"
#include "shardwise-log.h"
#include "shardwise-format.h"

struct _ShardwiseJournalEditor {
  ShardwiseEditor parent_instance;
  ShardwiseJournal *journal;
  ShardwiseJournalRun *run;
  guint gpus, global_batch, sequence_length;
  AdwPreferencesGroup *job;
  GtkTextView *log;
  GtkLabel *log_said, *error;
  GtkRevealer *error_revealer;
  AdwEntryRow *step, *memory, *name, *day, *note;
  char *read_step, *read_memory; /* (nullable): the texts from the log */
  AdwComboRow *kind;
  GtkWidget *page, *save;
};

G_DEFINE_FINAL_TYPE (ShardwiseJournalEditor, shardwise_journal_editor, SHARDWISE_TYPE_EDITOR)

/* In the order of the list. */
static const char kinds[] = { 'p', 'r', 'a' };

/* An empty text is 0; FALSE: the text is not an amount. */
static gboolean
get_amount (AdwEntryRow *row, double *out)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (row));
  gboolean valid = TRUE;

  *out = 0;
  if (*text != '\0')
    valid = shardwise_input_number_parse (text, FALSE, out) && *out > 0 && *out <= 1e9;
  shardwise_input_mark_wrong (NULL, GTK_WIDGET (row), !valid);
  return valid;
}

/* The reason is above the rows, which have no room for it. row (nullable): all are valid. */
static void
say_reason (ShardwiseJournalEditor *self, AdwEntryRow *row)
{
  g_autofree char *title = NULL, *text = NULL;

  gtk_revealer_set_reveal_child (self->error_revealer, row != NULL);
  if (row == NULL)
    return;

  /* The title of a row without its mnemonic: "_Day" and "日付(_D)". */
  g_autoptr (GRegex) mnemonic = g_regex_new ("\\(_.\\)|_", 0, 0, NULL);

  title = g_regex_replace_literal (
      mnemonic, adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), -1, 0, "", 0, NULL);
  text = g_strdup_printf (
      row == self->day
          /* Translators: the title of a row, and what was typed there */
          ? _ ("%s: “%s” is not a date; use a date such as 2025-03-31")
          /* Translators: the title of a row, and what was typed there */
          : _ ("%s: “%s” is not an amount; use a number above 0 without a thousands separator"),
      title, gtk_editable_get_text (GTK_EDITABLE (row)));
  gtk_label_set_label (self->error, text);
}

/* The button shows whether the run can be saved. */
static void
changed_cb (ShardwiseJournalEditor *self)
{
  double step_s, memory_gib;
  gboolean step = get_amount (self->step, &step_s), memory = get_amount (self->memory, &memory_gib);
  guint year, month, day_of_month;
  char rest;
  gboolean day = sscanf (gtk_editable_get_text (GTK_EDITABLE (self->day)), "%4u-%2u-%2u%c", &year,
                         &month, &day_of_month, &rest)
                     == 3
                 && g_date_valid_dmy ((GDateDay) day_of_month, (GDateMonth) month,
                                      (GDateYear) year);

  shardwise_input_mark_wrong (NULL, GTK_WIDGET (self->day), !day);
  say_reason (self, !step ? self->step : !memory ? self->memory : !day ? self->day : NULL);
  gtk_widget_set_sensitive (self->save, step && memory && day && (step_s > 0 || memory_gib > 0));
}

/* ---- the log ---- */

/* If the value is 0, the row keeps text that the user typed, but not `read`, the text of another
 * log. */
static void
set_amount (AdwEntryRow *row, char **read, double amount)
{
  g_autofree char *said = g_steal_pointer (read);

  *read = amount > 0 ? shardwise_input_number_format (amount, FALSE) : g_strdup ("");
  if (amount > 0 || g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (row)), said) == 0)
    gtk_editable_set_text (GTK_EDITABLE (row), *read);
}

static void
set_amounts (ShardwiseJournalEditor *self, double step_s, double memory_gib)
{
  set_amount (self->step, &self->read_step, step_s);
  set_amount (self->memory, &self->read_memory, memory_gib);
}

/* The step time of another batch must not calibrate, because such a run was never made. */
static gboolean
is_of_another_batch (ShardwiseJournalEditor *self, const ShardwiseLog *log)
{
  return log->global_batch > 0 && log->global_batch != self->global_batch;
}

static char *
describe_log (ShardwiseJournalEditor *self, const ShardwiseLog *log, double step_s)
{
  if (step_s <= 0)
    return g_strdup_printf (
        /* Translators: the name of a framework */
        _ ("Read as a %s log; it does not include the speed of the run."), log->framework);
  if (is_of_another_batch (self, log))
    return g_strdup_printf (
        /* Translators: two numbers of sequences */
        _ ("The log has a global batch of %'u, but the scenario has %'u. Change the scenario "
           "first."),
        log->global_batch, self->global_batch);
  return g_strdup_printf (
      /* Translators: the name of a framework and a number of lines */
      ngettext ("Read from %2$'u line of a %1$s log.", "Read from %2$'u lines of a %1$s log.",
                log->lines),
      log->framework, log->lines);
}

static void
log_changed_cb (GtkTextBuffer *buffer, ShardwiseJournalEditor *self)
{
  g_autofree char *text = NULL, *said = NULL;
  g_autoptr (GError) error = NULL;
  GtkTextIter start, end;
  ShardwiseLog log;
  double step_s;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  text = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->log_said), *text != '\0');
  if (!shardwise_log_read (text, -1, &log, &error))
    {
      gtk_label_set_label (self->log_said, error->message);
      if (*text != '\0') /* after the log was only removed */
        set_amounts (self, 0, 0);
      return;
    }
  step_s = shardwise_log_get_step_s (&log, self->gpus, self->global_batch, self->sequence_length);
  if (is_of_another_batch (self, &log))
    {
      gtk_editable_set_text (GTK_EDITABLE (self->step), "");
      gtk_editable_set_text (GTK_EDITABLE (self->memory), "");
    }
  else
    set_amounts (self, step_s, log.memory_gib);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i] == log.memory_kind)
      adw_combo_row_set_selected (self->kind, i);
  said = describe_log (self, &log, step_s);
  gtk_label_set_label (self->log_said, said);
}

/* ---- saving ---- */

static void
take_text (char **field, AdwEntryRow *row)
{
  g_free (*field);
  *field = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (row))));
}

static void
saved_cb (GObject *journal, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseJournalEditor) self = shardwise_weak_take (data);
  g_autoptr (GError) error = NULL;

  shardwise_journal_finish (SHARDWISE_JOURNAL (journal), result, &error);
  if (!shardwise_editor_end_save ((ShardwiseEditor *) self, "journal.db", error))
    return;
  gtk_label_set_label (self->error, error->message);
  gtk_revealer_set_reveal_child (self->error_revealer, TRUE);
}

static void
save_cb (ShardwiseJournalEditor *self)
{
  get_amount (self->step, &self->run->step_s);
  get_amount (self->memory, &self->run->memory_gib);
  self->run->memory_kind =
      kinds[MIN (adw_combo_row_get_selected (self->kind), G_N_ELEMENTS (kinds) - 1)];
  take_text (&self->run->name, self->name);
  take_text (&self->run->day, self->day);
  take_text (&self->run->note, self->note);
  shardwise_editor_begin_save (SHARDWISE_EDITOR (self));
  shardwise_journal_save_async (self->journal, self->run, saved_cb, shardwise_weak_new (self));
}

/* ---- object ---- */

static void
shardwise_journal_editor_dispose (GObject *object)
{
  ShardwiseJournalEditor *self = SHARDWISE_JOURNAL_EDITOR (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_JOURNAL_EDITOR);
  g_clear_object (&self->journal);
  g_clear_pointer (&self->run, shardwise_journal_run_free);
  g_clear_pointer (&self->read_step, g_free);
  g_clear_pointer (&self->read_memory, g_free);
  G_OBJECT_CLASS (shardwise_journal_editor_parent_class)->dispose (object);
}

static void
shardwise_journal_editor_class_init (ShardwiseJournalEditorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_journal_editor_dispose;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-journal-editor.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalEditor, job);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalEditor, page);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalEditor, log);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalEditor, log_said);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalEditor, error);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalEditor, error_revealer);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalEditor, step);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalEditor, memory);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalEditor, kind);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalEditor, name);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalEditor, day);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalEditor, note);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseJournalEditor, save);
  gtk_widget_class_bind_template_callback (widget_class, changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, save_cb);
}

static void
shardwise_journal_editor_init (ShardwiseJournalEditor *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (gtk_text_view_get_buffer (self->log), "changed",
                           G_CALLBACK (log_changed_cb), self, 0);
}

/**
 * shardwise_journal_editor_new:
 * @journal: the journal to save the run to
 * @run: (transfer full): a run with only its scenario
 * @problem: the question of that scenario
 * @strategy: for display: "TP 8 · PP 4"
 *
 * Returns: (transfer floating): the window
 */
GtkWidget *
shardwise_journal_editor_new (ShardwiseJournal *journal, ShardwiseJournalRun *run,
                              const SwProblem *problem, const char *strategy)
{
  ShardwiseJournalEditor *self = g_object_new (SHARDWISE_TYPE_JOURNAL_EDITOR, NULL);
  g_autofree char *job = NULL, *unbroken = NULL, *markup = NULL;

  g_return_val_if_fail (SHARDWISE_IS_JOURNAL (journal) && run != NULL, NULL);

  self->journal = g_object_ref (journal);
  self->run = run;
  self->gpus = problem->cluster.gpus;
  self->global_batch = problem->training.global_batch;
  self->sequence_length = problem->training.sequence_length;
  job = g_strdup_printf (
      /* Translators: model, number of GPUs, GPU name, strategy */
      _ ("%s on %'u %s with %s. If your run differs, change the scenario first."),
      problem->model.name, problem->cluster.gpus, problem->cluster.gpu.name, strategy);
  unbroken = shardwise_format_unbroken (job);
  markup = g_markup_escape_text (unbroken, -1); /* a model may have any name */
  adw_preferences_group_set_description (self->job, markup);
  gtk_editable_set_text (GTK_EDITABLE (self->name), run->name);
  gtk_editable_set_text (GTK_EDITABLE (self->day), run->day);
  changed_cb (self);
  shardwise_editor_begin (SHARDWISE_EDITOR (self), self->page, self->save,
                          SHARDWISE_JOURNAL_EDITOR_KIND, run->scenario, strategy);
  gtk_widget_grab_focus (GTK_WIDGET (self->log));
  return GTK_WIDGET (self);
}
