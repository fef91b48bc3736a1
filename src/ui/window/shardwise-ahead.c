/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-ahead.h"

struct _ShardwiseAhead {
  gatomicrefcount references; /* of the owner and the thread */
  GFile *file;
  gboolean live;
  GCancellable *cancellable; /* of the reading */
  GThread *thread;           /* NULL: already joined */
  ShardwiseImport *import;   /* the following members belong to the thread until it has ended */
  ShardwiseAdvisor *advisor;
  GError *error;
};

static void
unref (ShardwiseAhead *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_object_unref (self->file);
  g_object_unref (self->cancellable);
  g_clear_object (&self->advisor);
  g_clear_pointer (&self->import, shardwise_import_free);
  g_clear_error (&self->error);
  g_free (self);
}

static gpointer
read_thread (gpointer data)
{
  ShardwiseAhead *self = data;

  self->import = shardwise_import_file (self->file, NULL, self->cancellable, &self->error);
  if (self->live && self->import != NULL && self->import->kind == SHARDWISE_IMPORT_SCENARIO)
    self->advisor = shardwise_advisor_begin (self->import->scenario);
  unref (self);
  return NULL;
}

/**
 * shardwise_ahead_new:
 * @file: the file that the program opens first
 * @live: whether to evaluate a scenario automatically
 *
 * Returns: (transfer full): the running read
 */
ShardwiseAhead *
shardwise_ahead_new (GFile *file, gboolean live)
{
  ShardwiseAhead *self;

  g_return_val_if_fail (G_IS_FILE (file), NULL);

  self = g_new0 (ShardwiseAhead, 1);
  g_atomic_ref_count_init (&self->references);
  g_atomic_ref_count_inc (&self->references);
  self->file = g_object_ref (file);
  self->live = live;
  self->cancellable = g_cancellable_new ();
  self->thread = g_thread_new ("ahead", read_thread, self);
  return self;
}

/**
 * shardwise_ahead_is_of:
 *
 * Returns: whether it reads @file
 */
gboolean
shardwise_ahead_is_of (ShardwiseAhead *self, GFile *file)
{
  return g_file_equal (self->file, file);
}

/**
 * shardwise_ahead_take:
 * @advisor: (out) (transfer full) (nullable): for a scenario, already evaluating it
 *
 * Waits until the file has been read, so do not call it on the main thread; call it once.
 *
 * Returns: (transfer full): the import, or %NULL with @error
 */
ShardwiseImport *
shardwise_ahead_take (ShardwiseAhead *self, ShardwiseAdvisor **advisor, GError **error)
{
  g_return_val_if_fail (self->thread != NULL, NULL);

  g_thread_join (g_steal_pointer (&self->thread));
  *advisor = g_steal_pointer (&self->advisor);
  if (self->import == NULL)
    g_propagate_error (error, g_steal_pointer (&self->error));
  return g_steal_pointer (&self->import);
}

/**
 * shardwise_ahead_free:
 *
 * Stops the reading and the evaluation if they were not taken.
 */
void
shardwise_ahead_free (ShardwiseAhead *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_pointer (&self->thread, g_thread_unref);
  unref (self);
}
