/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parallel work on all cores, how it is stopped, and keeping the program alive until a task is
 * done. */
#include "shardwise-work.h"

typedef struct {
  void (*work) (guint index, gpointer data);
  gpointer data;
  const int *cancelled;
  GAsyncQueue *done; /* finished pieces */
} Batch;

/* A pool does not accept NULL: pieces count from 1 there. */
static void
run_piece (gpointer piece, gpointer data)
{
  Batch *batch = data;

  if (g_atomic_int_get (batch->cancelled) == 0)
    batch->work (GPOINTER_TO_UINT (piece) - 1, batch->data);
  g_async_queue_push (batch->done, piece);
}

/**
 * shardwise_parallel_run:
 * @n: number of pieces of work
 * @work: does the piece with that index; called in any thread, several at once
 * @data: for @work
 * @progress: (nullable): called in this thread after each piece
 * @progress_data: for @progress
 * @cancelled: atomic; if it is not 0, no further piece starts
 *
 * Does all pieces on as many threads as the machine has cores, and waits for them.
 *
 * Returns: whether all pieces were started
 */
gboolean
shardwise_parallel_run (guint n, void (*work) (guint index, gpointer data), gpointer data,
                        void (*progress) (double fraction, gpointer data), gpointer progress_data,
                        int *cancelled)
{
  Batch batch = { work, data, cancelled, g_async_queue_new () };
  GThreadPool *pool = g_thread_pool_new (run_piece, &batch, (gint) g_get_num_processors (), FALSE,
                                         NULL);

  for (guint i = 0; i < n; i++)
    g_thread_pool_push (pool, GUINT_TO_POINTER (i + 1), NULL);
  for (guint i = 0; i < n; i++)
    {
      g_async_queue_pop (batch.done);
      if (progress != NULL && g_atomic_int_get (cancelled) == 0)
        progress ((i + 1.0) / n, progress_data);
    }
  g_thread_pool_free (pool, FALSE, TRUE);
  g_async_queue_unref (batch.done);
  return g_atomic_int_get (cancelled) == 0;
}

static void
cancelled_cb (GCancellable *cancellable, int *cancelled)
{
  g_atomic_int_set (cancelled, 1);
}

/**
 * shardwise_parallel_watch:
 * @cancellable: (nullable): stops the work
 * @cancelled: atomic; set to 1 when it is canceled, because the engine does not use #GCancellable
 *
 * Returns: for g_cancellable_disconnect(), once the work is done
 */
gulong
shardwise_parallel_watch (GCancellable *cancellable, int *cancelled)
{
  return cancellable != NULL
             ? g_cancellable_connect (cancellable, G_CALLBACK (cancelled_cb), cancelled, NULL)
             : 0;
}

static void
completed_cb (GObject *task, GParamSpec *property, gpointer application)
{
  g_application_release (application);
}

/**
 * shardwise_hold_for_task:
 * @task: with a callback, not yet started
 *
 * The application, if there is one, does not end before the callback of @task has been called, even
 * if its last window is closed; otherwise the task's output would be lost.
 */
void
shardwise_hold_for_task (GTask *task)
{
  GApplication *application = g_application_get_default ();

  g_return_if_fail (G_IS_TASK (task));

  if (application == NULL)
    return;
  g_application_hold (application);
  g_signal_connect_object (task, "notify::completed", G_CALLBACK (completed_cb), application, 0);
}
