/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of what the window shows, to a printer or a file. */
#include "shardwise-window-private.h"

#include <glib/gi18n.h>

#include "shardwise-compat.h"
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

static void
written_cb (const GError *error, gpointer data)
{
  if (error == NULL)
    shardwise_window_toast (data, _ ("Saved the report"));
  done_cb (error, data);
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

static void
chosen_cb (GFile *file, gpointer data)
{
  ShardwiseWindow *self = data;

  if (file == NULL || !has_advice (self))
    g_object_unref (self);
  else
    shardwise_report_print_async (self->advisor, GTK_WINDOW (self), file, written_cb, self);
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
  g_autofree char *name = NULL, *file = NULL;

  g_assert (SHARDWISE_IS_WINDOW (self));

  if (!has_advice (self))
    return;
  g_object_get (self->scenario, "name", &name, NULL);
  file = g_strconcat (name != NULL && *name != '\0' ? name : _ ("Report"), ".pdf", NULL);
  g_strdelimit (file, "/", '-');
  shardwise_compat_save_file (GTK_WINDOW (self), _ ("Save Report"), NULL, file, chosen_cb,
                              g_object_ref (self));
}
