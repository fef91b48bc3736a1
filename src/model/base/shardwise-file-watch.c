/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-file-watch.h"

#include <stdlib.h>

#include "shardwise-file.h"
#include "shardwise-scenario.h"

#define SETTLE_MS 200 /* programs save in several steps */
#define GONE ""       /* not a valid scenario */

struct _ShardwiseFileWatch {
  GObject parent_instance;
  GFile *file;
  GFile *watched; /* the target if the file is a link */
  GFile *target;  /* (nullable): the new name */
  GFileMonitor *monitor;
  GCancellable *cancellable;
  char *known;  /* the scenario that the document last read from or wrote to the file */
  char *seen;   /* (nullable): the content when last checked */
  char *left;   /* (nullable): content that the user ignored */
  char *coming; /* (nullable): content that the program is writing */
  ShardwiseFileState state;
  guint settle_id;
  gboolean looking; /* one thread at a time, because on a stalled disk they would never end */
  gboolean again;   /* another change happened meanwhile */
  guint turn;       /* incremented when the known content changes: results of earlier checks are
                       discarded */
};

G_DEFINE_FINAL_TYPE (ShardwiseFileWatch, shardwise_file_watch, G_TYPE_OBJECT)

static guint changed_signal;

/* The content of a file: its scenario in canonical form, otherwise a checksum. (transfer full)
 * (nullable): NULL if unknown. Blocks. */
static char *
look_at (GFile *file, GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = shardwise_read_file (file, cancellable, &error);
  g_autoptr (ShardwiseScenario) scenario = NULL;
  const char *text;
  gsize length;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    return g_strdup (GONE);
  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  scenario = shardwise_scenario_from_json (text != NULL ? text : "", (gssize) length, NULL);
  return scenario != NULL ? shardwise_scenario_to_json (scenario)
                          : g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
}

/* seen: (transfer full) (nullable) */
static void
take (ShardwiseFileWatch *self, char *seen)
{
  ShardwiseFileState state;
  gboolean again;

  if (seen == NULL)
    return;
  if (g_str_equal (seen, self->known) || g_strcmp0 (seen, self->left) == 0
      || g_strcmp0 (seen, self->coming) == 0)
    state = SHARDWISE_FILE_SAME;
  else if (!g_str_equal (seen, GONE))
    state = SHARDWISE_FILE_CHANGED;
  else
    state = self->target != NULL ? SHARDWISE_FILE_MOVED : SHARDWISE_FILE_GONE;
  again = g_strcmp0 (seen, self->seen) != 0;
  g_free (self->seen);
  self->seen = seen;
  if (state == self->state && (!again || state == SHARDWISE_FILE_SAME))
    return;
  self->state = state;
  g_signal_emit (self, changed_signal, 0);
}

static void
look_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_task_return_pointer (task, look_at (data, cancellable), g_free);
}

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  ShardwiseFileWatch *self = SHARDWISE_FILE_WATCH (source);
  g_autoptr (GError) error = NULL;
  char *seen = g_task_propagate_pointer (G_TASK (result), &error);

  self->looking = FALSE;
  if (error != NULL)
    return;
  if (self->turn == GPOINTER_TO_UINT (data))
    take (self, seen);
  else
    g_free (seen);
  if (self->again || self->turn != GPOINTER_TO_UINT (data))
    shardwise_file_watch_look (self);
}

static gboolean
settled_cb (gpointer data)
{
  ShardwiseFileWatch *self = data;
  g_autoptr (GTask) task = NULL;

  self->settle_id = 0;
  self->again = self->looking;
  if (self->looking)
    return G_SOURCE_REMOVE;
  self->looking = TRUE;
  task = g_task_new (self, self->cancellable, looked_cb, GUINT_TO_POINTER (self->turn));
  g_task_set_source_tag (task, shardwise_file_watch_look);
  g_task_set_task_data (task, g_object_ref (self->file), g_object_unref);
  g_task_run_in_thread (task, look_thread);
  return G_SOURCE_REMOVE;
}

/* file: the file with the watched name, or the link's target. */
static void
event_cb (GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event,
          ShardwiseFileWatch *self)
{
  const gboolean is_renamed = event == G_FILE_MONITOR_EVENT_RENAMED && other != NULL;

  if (is_renamed && !g_file_equal (other, self->watched))
    g_set_object (&self->target, other);
  else if (is_renamed || event == G_FILE_MONITOR_EVENT_CREATED
           || event == G_FILE_MONITOR_EVENT_MOVED_IN)
    g_clear_object (&self->target);
  shardwise_file_watch_look (self);
}

/**
 * shardwise_file_resolve:
 *
 * The monitor of a link does not report changes of its target. Blocks.
 *
 * Returns: (transfer full): @file, or the target of the link
 */
GFile *
shardwise_file_resolve (GFile *file)
{
  g_autofree char *path = g_file_is_native (file) ? g_file_get_path (file) : NULL;
  char *resolved = path != NULL ? realpath (path, NULL) : NULL;
  GFile *target = resolved != NULL ? g_file_new_for_path (resolved) : g_object_ref (file);

  free (resolved);
  return target;
}

static void
shardwise_file_watch_dispose (GObject *object)
{
  ShardwiseFileWatch *self = SHARDWISE_FILE_WATCH (object);

  g_clear_handle_id (&self->settle_id, g_source_remove);
  g_cancellable_cancel (self->cancellable);
  if (self->monitor != NULL)
    g_file_monitor_cancel (self->monitor);
  g_clear_object (&self->monitor);
  G_OBJECT_CLASS (shardwise_file_watch_parent_class)->dispose (object);
}

static void
shardwise_file_watch_finalize (GObject *object)
{
  ShardwiseFileWatch *self = SHARDWISE_FILE_WATCH (object);

  g_clear_object (&self->file);
  g_clear_object (&self->watched);
  g_clear_object (&self->target);
  g_clear_object (&self->cancellable);
  g_free (self->known);
  g_free (self->seen);
  g_free (self->left);
  g_free (self->coming);
  G_OBJECT_CLASS (shardwise_file_watch_parent_class)->finalize (object);
}

static void
shardwise_file_watch_class_init (ShardwiseFileWatchClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_file_watch_dispose;
  G_OBJECT_CLASS (klass)->finalize = shardwise_file_watch_finalize;
  changed_signal = g_signal_new ("changed", SHARDWISE_TYPE_FILE_WATCH, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
shardwise_file_watch_init (ShardwiseFileWatch *self)
{
  self->cancellable = g_cancellable_new ();
}

/**
 * shardwise_file_watch_new:
 * @file: the file of a document
 * @known: the text of the scenario that was read from it, as shardwise_scenario_to_json() writes it
 *
 * Returns: (transfer full): a watch of @file, which soon checks it for the first time
 */
ShardwiseFileWatch *
shardwise_file_watch_new (GFile *file, const char *known)
{
  ShardwiseFileWatch *self;

  g_return_val_if_fail (G_IS_FILE (file), NULL);
  g_return_val_if_fail (known != NULL, NULL);

  self = g_object_new (SHARDWISE_TYPE_FILE_WATCH, NULL);
  self->file = g_object_ref (file);
  self->known = g_strdup (known);
  self->watched = shardwise_file_resolve (file);
  self->monitor = g_file_monitor_file (self->watched, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor != NULL)
    g_signal_connect (self->monitor, "changed", G_CALLBACK (event_cb), self);
  shardwise_file_watch_look (self);
  return self;
}

/**
 * shardwise_file_watch_is_of:
 *
 * Returns: whether @file is the watched file, possibly under another name
 */
gboolean
shardwise_file_watch_is_of (ShardwiseFileWatch *self, GFile *file)
{
  g_autoptr (GFile) resolved = NULL;

  g_return_val_if_fail (SHARDWISE_IS_FILE_WATCH (self), FALSE);
  g_return_val_if_fail (G_IS_FILE (file), FALSE);

  if (g_file_equal (file, self->file))
    return TRUE;
  resolved = shardwise_file_resolve (file);
  return g_file_equal (resolved, self->watched);
}

/**
 * shardwise_file_watch_get_resolved:
 *
 * Returns: (transfer none): the target if the file is a link
 */
GFile *
shardwise_file_watch_get_resolved (ShardwiseFileWatch *self)
{
  g_return_val_if_fail (SHARDWISE_IS_FILE_WATCH (self), NULL);
  return self->watched;
}

/**
 * shardwise_file_watch_get_target:
 *
 * Returns: (transfer none) (nullable): where the file is now, while it is %SHARDWISE_FILE_MOVED
 */
GFile *
shardwise_file_watch_get_target (ShardwiseFileWatch *self)
{
  g_return_val_if_fail (SHARDWISE_IS_FILE_WATCH (self), NULL);
  return self->state == SHARDWISE_FILE_MOVED ? self->target : NULL;
}

/**
 * shardwise_file_watch_get_state:
 *
 * Returns: the result of the last check
 */
ShardwiseFileState
shardwise_file_watch_get_state (ShardwiseFileWatch *self)
{
  g_return_val_if_fail (SHARDWISE_IS_FILE_WATCH (self), SHARDWISE_FILE_SAME);
  return self->state;
}

/**
 * shardwise_file_watch_set_known:
 * @known: the text of the scenario that the program itself wrote or read
 */
void
shardwise_file_watch_set_known (ShardwiseFileWatch *self, const char *known)
{
  g_return_if_fail (SHARDWISE_IS_FILE_WATCH (self));
  g_return_if_fail (known != NULL);

  if (g_str_equal (self->known, known) && self->state == SHARDWISE_FILE_SAME)
    return;
  g_free (self->known);
  self->known = g_strdup (known);
  g_clear_pointer (&self->left, g_free);
  g_clear_object (&self->target);
  self->turn++;
  take (self, g_strdup (known));
  shardwise_file_watch_look (self);
}

/**
 * shardwise_file_watch_let_be:
 *
 * The user ignores the current content of the file, or that it is gone: it counts as unchanged
 * until it changes again.
 */
void
shardwise_file_watch_let_be (ShardwiseFileWatch *self)
{
  g_return_if_fail (SHARDWISE_IS_FILE_WATCH (self));

  if (self->seen == NULL)
    return;
  g_free (self->left);
  self->left = g_strdup (self->seen);
  take (self, g_strdup (self->seen));
}

/**
 * shardwise_file_watch_look:
 *
 * Checks the file soon, in a thread, for example if it is on a disk that cannot be monitored.
 */
void
shardwise_file_watch_look (ShardwiseFileWatch *self)
{
  g_return_if_fail (SHARDWISE_IS_FILE_WATCH (self));

  if (self->settle_id == 0 && !g_cancellable_is_cancelled (self->cancellable))
    self->settle_id = g_timeout_add (SETTLE_MS, settled_cb, self);
}

/**
 * shardwise_file_watch_set_coming:
 * @text: (nullable): the scenario that the program is about to write to the file; %NULL: finished
 *
 * From now on, the file may contain it without a notification.
 */
void
shardwise_file_watch_set_coming (ShardwiseFileWatch *self, const char *text)
{
  g_return_if_fail (SHARDWISE_IS_FILE_WATCH (self));

  g_free (self->coming);
  self->coming = g_strdup (text);
}

struct _ShardwiseFileCheck {
  GFile *file;
  char *known, *left;
  gboolean was_changed;
};

/**
 * shardwise_file_watch_check_new:
 *
 * Returns: (transfer full): for shardwise_file_check_is_changed()
 */
ShardwiseFileCheck *
shardwise_file_watch_check_new (ShardwiseFileWatch *self)
{
  ShardwiseFileCheck *check;

  g_return_val_if_fail (SHARDWISE_IS_FILE_WATCH (self), NULL);

  check = g_new0 (ShardwiseFileCheck, 1);
  check->file = g_object_ref (self->file);
  check->known = g_strdup (self->known);
  check->left = g_strdup (self->left);
  check->was_changed = self->state == SHARDWISE_FILE_CHANGED;
  return check;
}

/**
 * shardwise_file_check_free:
 * @self: a check
 */
void
shardwise_file_check_free (ShardwiseFileCheck *self)
{
  g_object_unref (self->file);
  g_free (self->known);
  g_free (self->left);
  g_free (self);
}

/**
 * shardwise_file_check_is_changed:
 * @self: a check
 *
 * Checks the file before it is overwritten. Blocks: call it in a worker thread.
 *
 * Returns: whether other programs changed it without the user's knowledge
 */
gboolean
shardwise_file_check_is_changed (const ShardwiseFileCheck *self)
{
  g_autofree char *seen = NULL;

  g_return_val_if_fail (self != NULL, FALSE);

  seen = look_at (self->file, NULL);
  if (seen == NULL)
    return self->was_changed;
  return !g_str_equal (seen, self->known) && g_strcmp0 (seen, self->left) != 0
         && !g_str_equal (seen, GONE);
}
