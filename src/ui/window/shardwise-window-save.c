/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-compat.h"
#include "shardwise-work.h"
#include "shardwise-late-error.h"
#include "shardwise-write-file.h"

/* Saving: on a thread, because a disk may be slow or stall, and one at a time for each window. What
 * is edited meanwhile is not saved yet. */

#define SLOW_MS 600 /* then the user is told */

/* What happens once the document is saved. */
typedef enum {
  AND_GO_ON,
  AND_CLOSE, /* the window, or go on with quitting */
} AndThen;

struct _ShardwiseSaving {
  /* for the thread */
  GFile *file;
  char *text;
  GPtrArray *others;         /* of GFile: those of other windows */
  ShardwiseFileCheck *check; /* (nullable): others' changes are asked about */
  GFile *resolved;           /* what the file leads to */

  ShardwiseScenario *written; /* the document as it is being written */
  AndThen then;
  GFile *next;    /* (nullable): somewhere else, too */
  gboolean again; /* and then once more */
  gboolean slow;
  guint slow_id;
};

static void
saving_free (ShardwiseSaving *saving)
{
  g_clear_handle_id (&saving->slow_id, g_source_remove);
  g_object_unref (saving->file);
  g_free (saving->text);
  g_ptr_array_unref (saving->others);
  g_clear_pointer (&saving->check, shardwise_file_check_free);
  g_clear_object (&saving->resolved);
  g_object_unref (saving->written);
  g_clear_object (&saving->next);
  g_free (saving);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseSaving, saving_free)

/* (transfer full): the name of a file as people read it. */
char *
shardwise_file_name (GFile *file)
{
  g_autofree char *base = g_file_get_basename (file);

  return g_filename_display_name (base);
}

/* saved: what the file of the document says, or the text it was opened from; of a document without
 * either what it began with. */
void
shardwise_window_set_saved (ShardwiseWindow *self, ShardwiseScenario *saved)
{
  g_free (self->saved);
  self->saved = shardwise_scenario_to_json (saved);
  shardwise_scenario_set_saved_as (self->scenario, saved);
}

static void save_elsewhere (ShardwiseWindow *self, AndThen then);
static void write_document (ShardwiseWindow *self, GFile *file, gboolean look, AndThen then);
static void ask_to_overwrite (ShardwiseWindow *self, AndThen then);
static void save (ShardwiseWindow *self, AndThen then);

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
    { "cancel", _ ("_Close"), ADW_RESPONSE_DEFAULT },
    { "save-as", _ ("Save _As…"), ADW_RESPONSE_SUGGESTED },
  };
  g_autofree char *name = shardwise_file_name (file);
  /* Translators: %s is the name of a file */
  g_autofree char *heading = g_strdup_printf (_ ("“%s” Cannot Be Saved"), name);
  /* Translators: %s is the reason, with the path of the file */
  g_autofree char *body = g_strdup_printf (
      _ ("%s.\n\nThe file is as it was. Your edits stay in this window, and are kept."), message);

  shardwise_compat_ask (GTK_WINDOW (self), heading, body, responses, G_N_ELEMENTS (responses),
                        failed_cb, g_object_ref (self), g_object_unref);
}

/* ---- the thread ---- */

static gboolean
is_among (GPtrArray *files, GFile *file)
{
  return g_ptr_array_find_with_equal_func (files, file, (GEqualFunc) g_file_equal, NULL);
}

/* Writes the file, unless others have it or changed it: the old one stays whole until the new one
 * is. */
static void
write_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  ShardwiseSaving *saving = data;
  GError *error = NULL;

  saving->resolved = shardwise_file_resolve (saving->file);
  if (is_among (saving->others, saving->file) || is_among (saving->others, saving->resolved))
    g_task_return_new_error (
        task, G_IO_ERROR, G_IO_ERROR_BUSY,
        _ ("Another window shows this file, and the two would write over each other"));
  else if (saving->check != NULL && shardwise_file_check_is_changed (saving->check))
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_WRONG_ETAG, "changed");
  else if (shardwise_write_file (saving->file, saving->text, strlen (saving->text), &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* Files that other windows show, or are about to. */
static GPtrArray *
files_of_others (ShardwiseWindow *self)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_object_unref);
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  GList *windows = application != NULL ? gtk_application_get_windows (application) : NULL;

  for (GList *link = windows; link != NULL; link = link->next)
    {
      ShardwiseWindow *other = SHARDWISE_IS_WINDOW (link->data) ? link->data : self;

      if (other == self)
        continue;
      if (other->file != NULL)
        g_ptr_array_add (files, g_object_ref (other->file));
      if (other->watch != NULL)
        g_ptr_array_add (files, g_object_ref (shardwise_file_watch_get_resolved (other->watch)));
      if (other->saving != NULL)
        g_ptr_array_add (files, g_object_ref (other->saving->file));
    }
  return files;
}

/* ---- before and after ---- */

static gboolean
is_own_file (ShardwiseWindow *self, const ShardwiseSaving *saving)
{
  return self->watch != NULL
         && (g_file_equal (saving->file, self->file)
             || g_file_equal (saving->resolved, shardwise_file_watch_get_resolved (self->watch)));
}

/* The document is the file's now, but for what was edited meanwhile. */
static void
take_written (ShardwiseWindow *self, ShardwiseSaving *saving)
{
  gboolean elsewhere = !is_own_file (self, saving);

  g_free (self->saved);
  self->saved = g_steal_pointer (&saving->text);
  if (elsewhere)
    shardwise_window_set_file (self, saving->file);
  else
    shardwise_window_file_is_known (self);
  shardwise_scenario_set_saved_as (self->scenario, saving->written); /* and with it the title */
  if (elsewhere)
    shardwise_window_keep_calibration (self);
  shardwise_window_set_restored (self, FALSE);
  shardwise_window_remember (self, saving->file);
  shardwise_window_queue_session (self);
}

/* What was asked for while it was being written. */
static void
go_on (ShardwiseWindow *self, const ShardwiseSaving *saving)
{
  if (saving->next != NULL)
    write_document (self, saving->next, FALSE, saving->then);
  else if (saving->again && shardwise_window_has_unsaved (self))
    save (self, saving->then);
  else if (saving->then == AND_GO_ON)
    shardwise_window_toast (self, _ ("Saved"));
  else if (!self->asking) /* closed again meanwhile: the answer counts */
    shardwise_window_go_on_closing (self);
}

/* Others wrote the file, which stays as it is where the user has chosen another one meanwhile. */
static void
tell_changed (ShardwiseWindow *self, const ShardwiseSaving *saving)
{
  if (self->watch != NULL)
    shardwise_file_watch_look (self->watch);
  if (saving->next != NULL)
    write_document (self, saving->next, FALSE, saving->then);
  else
    ask_to_overwrite (self, saving->then);
}

static void
tell_failed (ShardwiseWindow *self, const ShardwiseSaving *saving, const char *message)
{
  shardwise_window_stay (self);
  tell_save_error (self, saving->file, message);
  if (saving->next != NULL)
    write_document (self, saving->next, FALSE, AND_GO_ON);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  ShardwiseWindow *self = SHARDWISE_WINDOW (source);
  g_autoptr (ShardwiseSaving) saving = g_steal_pointer (&self->saving);
  g_autoptr (GError) error = NULL;
  gboolean written = g_task_propagate_boolean (G_TASK (result), &error);

  if (self->watch != NULL)
    shardwise_file_watch_set_coming (self->watch, NULL);
  if (shardwise_window_is_closed (self)) /* its edits since were discarded */
    {
      g_autofree char *name = shardwise_file_name (saving->file);

      if (!written)
        shardwise_late_error_tell (name, error);
      return;
    }
  if (written)
    {
      take_written (self, saving);
      go_on (self, saving);
      return;
    }
  shardwise_window_update_banner (self);
  if (saving->check != NULL && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WRONG_ETAG))
    tell_changed (self, saving);
  else
    tell_failed (self, saving, error->message);
}

static void
slow_cb (gpointer data)
{
  ShardwiseWindow *self = data;

  self->saving->slow_id = 0;
  self->saving->slow = TRUE;
  if (!shardwise_window_is_closed (self))
    shardwise_window_update_banner (self);
}

/* Closing is not given up by saving once more. */
static void
do_then (ShardwiseSaving *saving, AndThen then)
{
  if (then == AND_CLOSE)
    saving->then = then;
}

/* Writes the document as it is now. look: whether what others wrote there is asked about. */
static void
write_document (ShardwiseWindow *self, GFile *file, gboolean look, AndThen then)
{
  g_autoptr (GTask) task = NULL;
  ShardwiseSaving *saving;

  if (self->saving != NULL)
    {
      g_set_object (&self->saving->next, file);
      do_then (self->saving, then);
      return;
    }
  saving = g_new0 (ShardwiseSaving, 1);
  saving->file = g_object_ref (file);
  saving->written = shardwise_scenario_copy (self->scenario);
  saving->text = shardwise_scenario_to_json (saving->written);
  saving->others = files_of_others (self);
  saving->then = then;
  if (self->watch != NULL)
    {
      saving->check = look ? shardwise_file_watch_check_new (self->watch) : NULL;
      shardwise_file_watch_set_coming (self->watch, saving->text);
    }
  saving->slow_id = g_timeout_add_once (SLOW_MS, slow_cb, self);
  self->saving = saving;
  task = g_task_new (self, NULL, written_cb, NULL);
  g_task_set_source_tag (task, write_document);
  g_task_set_task_data (task, saving, NULL);
  shardwise_hold_for_task (task);
  g_task_run_in_thread (task, write_thread);
}

/**
 * shardwise_window_is_saving:
 *
 * Returns: whether the document is being written to a file
 */
gboolean
shardwise_window_is_saving (ShardwiseWindow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), FALSE);
  return self->saving != NULL;
}

/* Whether `file` is about to hold the document. */
gboolean
shardwise_window_is_saving_to (ShardwiseWindow *self, GFile *file)
{
  return self->saving != NULL && g_file_equal (self->saving->file, file);
}

/* Whether the window is being saved, which takes its time: then the banner says so. */
gboolean
shardwise_window_say_saving (ShardwiseWindow *self)
{
  const ShardwiseBannerButton cancel = { _ ("_Cancel"), "win.stay-open" };
  gboolean closing = self->saving != NULL && self->saving->then == AND_CLOSE;
  g_autofree char *name = NULL, *text = NULL;

  if (self->saving == NULL || !self->saving->slow)
    return FALSE;
  name = shardwise_file_name (self->saving->file);
  if (closing)
    /* Translators: %s is the name of a file */
    text = g_strdup_printf (_ ("Saving “%s”; the window closes when that is done."), name);
  else
    /* Translators: %s is the name of a file */
    text = g_strdup_printf (_ ("Saving “%s”…"), name);
  shardwise_banner_say (self->banner, text, &cancel, closing ? 1 : 0);
  return TRUE;
}

/* What is being saved is all that there is to lose: the window closes after that. FALSE where it is
 * not, or where it was asked for before. */
gboolean
shardwise_window_close_when_saved (ShardwiseWindow *self)
{
  g_autofree char *text = NULL;

  if (self->saving == NULL || self->saving->then == AND_CLOSE)
    return FALSE;
  text = shardwise_scenario_to_json (self->scenario);
  if (!g_str_equal (text, self->saving->text))
    return FALSE;
  self->saving->then = AND_CLOSE;
  shardwise_window_update_banner (self);
  return TRUE;
}

/* The window does not close when it is saved, after all. */
void
shardwise_window_stay_open (ShardwiseWindow *self)
{
  if (self->saving != NULL)
    self->saving->then = AND_GO_ON;
  shardwise_window_stay (self);
  shardwise_window_update_banner (self);
}

/* ---- what is asked ---- */

/* A question or a dialog that saving waits for. */
typedef struct {
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
    write_document (request->window, file, FALSE, request->then);
  else
    shardwise_window_stay (request->window);
}

/* A file for the scenario, named as it is; what was read from "train.sh" is "train". */
char *
shardwise_window_suggest_file_name (ShardwiseWindow *self, const char *unnamed,
                                    const char *extension)
{
  g_autoptr (GRegex) suffix = g_regex_new ("(?<=.)\\.[a-z]{2,9}$", 0, 0, NULL);
  g_autofree char *name = NULL, *stem = NULL;

  g_object_get (self->scenario, "name", &name, NULL);
  stem = g_regex_replace_literal (suffix, name != NULL && *name != '\0' ? name : unnamed, -1, 0, "",
                                  0, NULL);
  g_strdelimit (stem, "/\\", '-');
  return g_strconcat (stem, extension, NULL);
}

static void
save_elsewhere (ShardwiseWindow *self, AndThen then)
{
  g_autoptr (GFile) folder = self->file != NULL ? g_file_get_parent (self->file) : NULL;
  g_autofree char *name =
      self->file != NULL ? shardwise_file_name (self->file)
                         : shardwise_window_suggest_file_name (self, _ ("scenario"), ".shardwise");

  shardwise_compat_save_file (GTK_WINDOW (self), _ ("Save Scenario"), folder, name, save_chosen_cb,
                              request_new (self, then));
}

static void
overwrite_cb (const char *response, gpointer data)
{
  g_autoptr (Request) request = data;
  ShardwiseWindow *self = request->window;

  if (g_str_equal (response, "overwrite") && self->file != NULL)
    write_document (self, self->file, FALSE, request->then);
  else if (g_str_equal (response, "save-as"))
    save_elsewhere (self, request->then);
  else
    shardwise_window_stay (self);
}

/* What others wrote meanwhile is not written over unasked. */
static void
ask_to_overwrite (ShardwiseWindow *self, AndThen then)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _ ("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "overwrite", _ ("_Overwrite"), ADW_RESPONSE_DESTRUCTIVE },
    { "save-as", _ ("Save _As…"), ADW_RESPONSE_SUGGESTED },
  };
  g_autofree char *name = shardwise_file_name (self->file);
  /* Translators: %s is the name of a file */
  g_autofree char *heading = g_strdup_printf (_ ("“%s” Has Changed"), name);

  shardwise_compat_ask (GTK_WINDOW (self), heading,
                        _ ("Another program changed the file after it was opened here. Overwriting "
                           "it loses what that program wrote."),
                        responses, G_N_ELEMENTS (responses), overwrite_cb, request_new (self, then),
                        (GDestroyNotify) request_free);
}

static void
save (ShardwiseWindow *self, AndThen then)
{
  if (self->saving != NULL)
    {
      self->saving->again = TRUE;
      do_then (self->saving, then);
      shardwise_window_update_banner (self);
    }
  else if (self->file == NULL)
    save_elsewhere (self, then);
  else
    write_document (self, self->file, TRUE, then);
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

/* Saves, and then closes the window or goes on with quitting. */
void
shardwise_window_save_and_close (ShardwiseWindow *self)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  save (self, AND_CLOSE);
}
