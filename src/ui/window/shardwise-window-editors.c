/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The editors that a crash closed, with what was being entered there. */
#include "shardwise-window-private.h"

#include "shardwise-application.h"
#include "shardwise-journal-editor.h"
#include "shardwise-note-editor.h"
#include "shardwise-resolve.h"

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
