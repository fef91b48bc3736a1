/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sensitivity.h"

#include "shardwise-parallel.h"

/* The work of one call. */
typedef struct {
  SwProblem problem;
  SwEstimate estimate;
  double factor;
  int cancelled; /* atomic */
} Work;

static void
work_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  GArray *gains = g_array_sized_new (FALSE, TRUE, sizeof (SwSensitivity), SW_N_RESOURCES);
  const gulong handler = shardwise_parallel_watch (cancellable, &work->cancelled);

  g_array_set_size (gains, SW_N_RESOURCES);
  work->problem.cancelled = &work->cancelled;
  sw_sensitivity (&work->problem, &work->estimate, work->factor,
                  &g_array_index (gains, SwSensitivity, 0));
  g_cancellable_disconnect (cancellable, handler);
  g_task_return_pointer (task, gains, (GDestroyNotify) g_array_unref);
}

/**
 * shardwise_sensitivity_async:
 * @problem: a prepared question; copied
 * @estimate: of the strategy that is looked at; copied
 * @factor: how much of each resource there is then; 1.25: a quarter more
 * @cancellable: (nullable): stops it at once
 * @callback: called in the thread of the caller
 * @data: for @callback
 *
 * sw_sensitivity() on a worker thread.
 */
void
shardwise_sensitivity_async (const SwProblem *problem, const SwEstimate *estimate, double factor,
                             GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  Work *work = g_new0 (Work, 1);

  work->problem = *problem;
  work->estimate = *estimate;
  work->factor = factor;
  g_task_set_source_tag (task, shardwise_sensitivity_async);
  g_task_set_task_data (task, work, g_free);
  g_task_run_in_thread (task, work_thread);
}

/**
 * shardwise_sensitivity_finish:
 * @result: given to the callback
 * @error: %G_IO_ERROR_CANCELLED where it was stopped
 *
 * Returns: (transfer full): of SwSensitivity, by SwResource; %NULL with @error
 */
GArray *
shardwise_sensitivity_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
