/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run journal of a window: shown on demand, and what it says of a scenario that was opened. */
#include "shardwise-window-private.h"

#include "shardwise-application.h"
#include "shardwise-journal-fit.h"
#include "shardwise-journal-window.h"
#include "shardwise-late-error.h"

#define FILE_NAME "journal.db" /* where there is no room for its path */

static ShardwiseJournal *
get_journal (ShardwiseWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));

  return SHARDWISE_IS_APPLICATION (application)
             ? shardwise_application_get_journal (SHARDWISE_APPLICATION (application))
             : NULL;
}

/* ---- shown ---- */

static void
shown_cb (GObject *journal, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  g_autoptr (GError) error = NULL;
  GtkWidget *window;

  shardwise_journal_finish (SHARDWISE_JOURNAL (journal), result, &error);
  if (shardwise_window_is_closed (self) || self->advisor == NULL)
    return;
  if (error != NULL)
    {
      shardwise_window_tell_open_error (self, FILE_NAME, error->message);
      return;
    }
  window = shardwise_journal_window_new (SHARDWISE_JOURNAL (journal), self->advisor, self->file);
  gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (self));
  gtk_window_set_application (GTK_WINDOW (window), gtk_window_get_application (GTK_WINDOW (self)));
  gtk_window_set_destroy_with_parent (GTK_WINDOW (window), TRUE); /* it keeps no program running */
  gtk_window_present (GTK_WINDOW (window));
}

/* Shows the journal when it is read. */
void
shardwise_window_show_journal (ShardwiseWindow *self)
{
  ShardwiseJournal *journal = get_journal (self);

  if (journal != NULL)
    shardwise_journal_read_async (journal, TRUE, shown_cb, g_object_ref (self));
}

/* ---- what it says of a scenario ---- */

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

  if (fit != NULL && opened->window->scenario == opened->scenario)
    shardwise_scenario_set_factors (opened->scenario, &fit->factors);
  shardwise_journal_fit_free (fit);
  opened_free (opened);
}

/* One that cannot be read says nothing; who asks for it is told. */
static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  ShardwiseJournal *journal = SHARDWISE_JOURNAL (source);
  Opened *opened = data;
  ShardwiseWindow *self = opened->window;
  g_autofree char *document = self->scenario == opened->scenario && self->file != NULL
                                  ? g_file_get_uri (self->file)
                                  : NULL;

  if (shardwise_journal_finish (journal, result, NULL) && document != NULL
      && shardwise_journal_get_calibrates (journal, document))
    shardwise_journal_fit_async (journal, self->cancellable, fitted_cb, opened);
  else
    opened_free (opened);
}

/* Calibrates the scenario of a file that was just opened, where the user wanted that of it. */
void
shardwise_window_calibrate (ShardwiseWindow *self)
{
  ShardwiseJournal *journal = self->file != NULL ? get_journal (self) : NULL;
  Opened *opened;

  if (journal == NULL)
    return;
  opened = g_new0 (Opened, 1);
  opened->window = g_object_ref (self);
  opened->scenario = g_object_ref (self->scenario);
  shardwise_journal_read_async (journal, FALSE, read_cb, opened);
}

/* ---- what is kept of it ---- */

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
    shardwise_late_error_tell (FILE_NAME, error);
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

/* A scenario that is saved under another name is calibrated there as it is on the screen. */
void
shardwise_window_keep_calibration (ShardwiseWindow *self)
{
  const ShardwiseFactors factors = shardwise_scenario_get_factors (self->scenario);
  ShardwiseJournal *journal = get_journal (self);
  Kept *kept;

  if (journal == NULL)
    return;
  kept = g_new (Kept, 1);
  *kept = (Kept){ g_object_ref (self), g_file_get_uri (self->file),
                  !shardwise_factors_are_neutral (&factors) };
  shardwise_journal_read_async (journal, FALSE, keep_cb, kept);
}
