/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run journal of a window: shown on demand, and what it says of a scenario that was opened. */
#include "shardwise-window-private.h"

#include "shardwise-application.h"
#include "shardwise-journal-fit.h"
#include "shardwise-journal-window.h"

static ShardwiseJournal *
get_journal (ShardwiseWindow *self, gboolean make, GError **error)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));

  return SHARDWISE_IS_APPLICATION (application)
             ? shardwise_application_get_journal (SHARDWISE_APPLICATION (application), make, error)
             : NULL;
}

/* Shows the journal. */
void
shardwise_window_show_journal (ShardwiseWindow *self)
{
  g_autoptr (GError) error = NULL;
  ShardwiseJournal *journal = get_journal (self, TRUE, &error);
  GtkWidget *window;

  if (journal == NULL)
    {
      if (error != NULL) /* a toast has no room for the path */
        shardwise_window_tell_open_error (self, "journal.db", error->message);
      return;
    }
  window = shardwise_journal_window_new (journal, self->advisor, self->file);
  gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (self));
  gtk_window_set_application (GTK_WINDOW (window),
                              gtk_window_get_application (GTK_WINDOW (self)));
  gtk_window_set_destroy_with_parent (GTK_WINDOW (window), TRUE); /* it keeps no program running */
  gtk_window_present (GTK_WINDOW (window));
}

typedef struct
{
  ShardwiseWindow *window;
  ShardwiseScenario *scenario;
} Opened;

static void
fitted_cb (GObject *journal, GAsyncResult *result, gpointer data)
{
  Opened *opened = data;
  ShardwiseJournalFit *fit =
      shardwise_journal_fit_finish (SHARDWISE_JOURNAL (journal), result, NULL);

  if (fit != NULL && opened->window->scenario == opened->scenario)
    shardwise_scenario_set_factors (opened->scenario, &fit->factors);
  shardwise_journal_fit_free (fit);
  g_object_unref (opened->scenario);
  g_object_unref (opened->window);
  g_free (opened);
}

/* Calibrates the scenario of a file that was just opened, where the user wanted that of it. */
void
shardwise_window_calibrate (ShardwiseWindow *self)
{
  g_autofree char *document = self->file != NULL ? g_file_get_uri (self->file) : NULL;
  ShardwiseJournal *journal = document != NULL ? get_journal (self, FALSE, NULL) : NULL;
  Opened *opened;

  if (journal == NULL || !shardwise_journal_get_calibrates (journal, document))
    return;
  opened = g_new0 (Opened, 1);
  opened->window = g_object_ref (self);
  opened->scenario = g_object_ref (self->scenario);
  shardwise_journal_fit_async (journal, self->cancellable, fitted_cb, opened);
}

/* A scenario that is saved under another name is calibrated there as it is on the screen. */
void
shardwise_window_keep_calibration (ShardwiseWindow *self)
{
  const ShardwiseFactors factors = shardwise_scenario_get_factors (self->scenario);
  gboolean calibrated = !shardwise_factors_are_neutral (&factors);
  g_autofree char *document = g_file_get_uri (self->file);
  ShardwiseJournal *journal = get_journal (self, FALSE, NULL);
  g_autoptr (GError) error = NULL;

  if (journal == NULL || shardwise_journal_get_calibrates (journal, document) == calibrated)
    return;
  if (!shardwise_journal_set_calibrates (journal, document, calibrated, &error))
    shardwise_window_toast (self, error->message);
}
