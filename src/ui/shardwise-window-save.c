/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-compat.h"
#include "shardwise-write-file.h"

/* Saving, and what is asked before edits go. */

/* What happens once the document is saved. */
typedef enum
{
  AND_GO_ON,
  AND_CLOSE, /* the window, or go on with quitting */
} AndThen;

/* (transfer full): the name of a file as people read it. */
char *
shardwise_file_name (GFile *file)
{
  g_autofree char *base = g_file_get_basename (file);

  return g_filename_display_name (base);
}

/* The document as it is now is what its file, or the text it was opened from, says. */
void
shardwise_window_set_saved (ShardwiseWindow *self)
{
  g_free (self->saved);
  self->saved = shardwise_scenario_to_json (self->scenario);
  shardwise_scenario_set_saved (self->scenario);
}

/* The window has nothing to lose any more. Quitting goes on with the next one that has. */
static void
settle (ShardwiseWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));

  self->discard = TRUE;
  if (self->quitting && application != NULL)
    g_action_group_activate_action (G_ACTION_GROUP (application), "quit", NULL);
  else
    gtk_window_close (GTK_WINDOW (self));
}

/* The window stays, and with it those whose edits were given up in order to quit. */
static void
stay (ShardwiseWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  GList *windows = self->quitting && application != NULL
                       ? gtk_application_get_windows (application)
                       : NULL;

  for (GList *link = windows; link != NULL; link = link->next)
    if (SHARDWISE_IS_WINDOW (link->data))
      {
        SHARDWISE_WINDOW (link->data)->discard = FALSE;
        SHARDWISE_WINDOW (link->data)->quitting = FALSE;
      }
}

static void save_elsewhere (ShardwiseWindow *self, AndThen then);

static void
failed_cb (const char *response, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;

  if (g_str_equal (response, "save-as"))
    save_elsewhere (self, AND_GO_ON);
}

static void
tell_save_error (ShardwiseWindow *self, GFile *file, const char *message)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _("_Close"), ADW_RESPONSE_DEFAULT },
    { "save-as", _("Save _As…"), ADW_RESPONSE_SUGGESTED },
  };
  g_autofree char *name = shardwise_file_name (file);
  /* Translators: %s is the name of a file */
  g_autofree char *heading = g_strdup_printf (_("“%s” Cannot Be Saved"), name);
  /* Translators: %s is the reason, with the path of the file */
  g_autofree char *body = g_strdup_printf (
      _("%s.\n\nThe file is as it was. Your edits stay in this window, and are kept."), message);

  shardwise_compat_ask (GTK_WINDOW (self), heading, body, responses, G_N_ELEMENTS (responses),
                        failed_cb, g_object_ref (self));
}

/* Writes the document: the old file stays whole until the new one is. */
static void
write_document (ShardwiseWindow *self, GFile *file, AndThen then)
{
  g_autofree char *text = shardwise_scenario_to_json (self->scenario);
  g_autoptr (GError) error = NULL;

  if (shardwise_window_is_elsewhere (self, file))
    {
      stay (self);
      tell_save_error (
          self, file, _("Another window shows this file, and the two would write over each other"));
      return;
    }
  if (!shardwise_write_file (file, text, strlen (text), &error))
    {
      stay (self);
      tell_save_error (self, file, error->message);
      return;
    }
  shardwise_window_set_saved (self);
  if (shardwise_window_shows_file (self, file))
    {
      shardwise_window_file_is_known (self);
    }
  else
    {
      shardwise_window_set_file (self, file);
      shardwise_window_keep_calibration (self);
    }
  shardwise_window_set_restored (self, FALSE);
  shardwise_window_remember (self, file);
  shardwise_window_queue_session (self);
  if (then == AND_CLOSE)
    settle (self);
  else
    shardwise_window_toast (self, _("Saved"));
}

/* A question or a dialog that saving waits for. */
typedef struct
{
  ShardwiseWindow *window;
  AndThen then;
} Request;

static Request *
request_new (ShardwiseWindow *window, AndThen then)
{
  Request *request = g_new (Request, 1);

  *request = (Request){ g_object_ref (window), then };
  return request;
}

static void
request_free (Request *request)
{
  g_object_unref (request->window);
  g_free (request);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Request, request_free)

/* The dialog has asked about a file that is there. */
static void
save_chosen_cb (GFile *file, gpointer data)
{
  g_autoptr (Request) request = data;

  if (file != NULL)
    write_document (request->window, file, request->then);
  else
    stay (request->window);
}

static char *
suggest_file_name (ShardwiseWindow *self)
{
  g_autofree char *name = NULL;

  if (self->file != NULL)
    return shardwise_file_name (self->file);
  g_object_get (self->scenario, "name", &name, NULL);
  if (name == NULL || *name == '\0')
    return g_strdup_printf ("%s.shardwise", _("scenario"));
  g_strdelimit (name, "/\\", '-');
  return g_strdup_printf ("%s.shardwise", name);
}

static void
save_elsewhere (ShardwiseWindow *self, AndThen then)
{
  g_autoptr (GFile) folder = self->file != NULL ? g_file_get_parent (self->file) : NULL;
  g_autofree char *name = suggest_file_name (self);

  shardwise_compat_save_file (GTK_WINDOW (self), _("Save Scenario"), folder, name, save_chosen_cb,
                              request_new (self, then));
}

static void
overwrite_cb (const char *response, gpointer data)
{
  g_autoptr (Request) request = data;
  ShardwiseWindow *self = request->window;

  if (g_str_equal (response, "overwrite") && self->file != NULL)
    write_document (self, self->file, request->then);
  else if (g_str_equal (response, "save-as"))
    save_elsewhere (self, request->then);
  else
    stay (self);
}

/* What others wrote meanwhile is not written over unasked. */
static void
ask_to_overwrite (ShardwiseWindow *self, AndThen then)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "overwrite", _("_Overwrite"), ADW_RESPONSE_DESTRUCTIVE },
    { "save-as", _("Save _As…"), ADW_RESPONSE_SUGGESTED },
  };
  g_autofree char *name = shardwise_file_name (self->file);
  /* Translators: %s is the name of a file */
  g_autofree char *heading = g_strdup_printf (_("“%s” Has Changed"), name);

  shardwise_compat_ask (GTK_WINDOW (self), heading,
                        _("Another program changed the file after it was opened here. Overwriting "
                          "it loses what that program wrote."),
                        responses, G_N_ELEMENTS (responses), overwrite_cb,
                        request_new (self, then));
}

static void
save (ShardwiseWindow *self, AndThen then)
{
  if (self->file == NULL)
    save_elsewhere (self, then);
  else if (shardwise_file_watch_look_now (self->watch) == SHARDWISE_FILE_CHANGED)
    ask_to_overwrite (self, then);
  else
    write_document (self, self->file, then);
}

/* Asks for a file and saves there. */
void
shardwise_window_save_as (ShardwiseWindow *self)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  save_elsewhere (self, AND_GO_ON);
}

/* Saves to the file of the document, or asks for one. */
void
shardwise_window_save (ShardwiseWindow *self)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  save (self, AND_GO_ON);
}

static void
close_answer_cb (const char *response, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;

  self->asking = FALSE;
  if (g_str_equal (response, "discard"))
    settle (self);
  else if (g_str_equal (response, "save"))
    save (self, AND_CLOSE);
  else
    stay (self);
}

/* Asks what to do with unsaved edits before the window closes, or the program quits. */
void
shardwise_window_ask_to_close (ShardwiseWindow *self)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "discard", _("_Discard"), ADW_RESPONSE_DESTRUCTIVE },
    { "save", _("_Save"), ADW_RESPONSE_SUGGESTED },
  };

  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  if (self->asking)
    return;
  self->asking = TRUE;
  shardwise_compat_ask (
      GTK_WINDOW (self), _("Save Changes?"),
      _("The scenario has unsaved edits. Edits that are not saved are lost for good."), responses,
      G_N_ELEMENTS (responses), close_answer_cb, g_object_ref (self));
}

/**
 * shardwise_window_settle_to_quit:
 *
 * Asks about unsaved edits, if there are any and it was not answered yet; app.quit is activated
 * again with the answer, unless that is to stay.
 *
 * Returns: whether the window has nothing to lose
 */
gboolean
shardwise_window_settle_to_quit (ShardwiseWindow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), TRUE);

  shardwise_inputs_flush (self->inputs);
  if (self->discard || !shardwise_window_has_unsaved (self))
    return TRUE;
  self->quitting = TRUE;
  gtk_window_present (GTK_WINDOW (self));
  shardwise_window_ask_to_close (self);
  return FALSE;
}

/**
 * shardwise_window_quit:
 *
 * Closes the window with all others: its document comes back with the program.
 */
void
shardwise_window_quit (ShardwiseWindow *self)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  self->keep = TRUE;
  gtk_window_close (GTK_WINDOW (self));
}
