/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of what the window shows, to a printer or a file. */
#include "shardwise-window-private.h"

#include <glib/gi18n.h>

#include "shardwise-compat.h"
#include "shardwise-late-error.h"
#include "shardwise-report-print.h"

static void
done_cb (const GError *error, gpointer data)
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
} Saving;

static void
written_cb (const GError *error, gpointer data)
{
  Saving *saving = data;
  ShardwiseWindow *self = g_steal_pointer (&saving->window);
  g_autofree char *name = shardwise_file_name (saving->file);

  g_object_unref (saving->file);
  g_free (saving);
  if (error == NULL)
    shardwise_window_toast (self, _ ("Saved the report"));
  else if (shardwise_window_is_closed (self))
    shardwise_late_error_tell (name, error);
  done_cb (error, self);
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
  Saving *saving;

  g_assert (SHARDWISE_IS_WINDOW (self));
  g_assert (G_IS_FILE (file));

  if (!has_advice (self))
    return;
  saving = g_new (Saving, 1);
  *saving = (Saving){ g_object_ref (self), g_object_ref (file) };
  shardwise_report_print_async (self->advisor, GTK_WINDOW (self), file, written_cb, saving);
}

static void
chosen_cb (GFile *file, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;

  if (file != NULL)
    shardwise_window_save_report_as (self, file);
}

/* Asks for a printer. */
void
shardwise_window_print_report (ShardwiseWindow *self)
{
  g_assert (SHARDWISE_IS_WINDOW (self));

  if (has_advice (self))
    shardwise_report_print_async (self->advisor, GTK_WINDOW (self), NULL, done_cb,
                                  g_object_ref (self));
}

/* Asks for a file. */
void
shardwise_window_save_report (ShardwiseWindow *self)
{
  g_autofree char *file = NULL;

  g_assert (SHARDWISE_IS_WINDOW (self));

  if (!has_advice (self))
    return;
  file = shardwise_window_suggest_file_name (self, _ ("Report"), ".pdf");
  shardwise_compat_save_file (GTK_WINDOW (self), _ ("Save Report"), NULL, file, chosen_cb,
                              g_object_ref (self));
}
