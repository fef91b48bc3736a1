/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "shardwise-work.h"
#include "sw-estimate.h"
#include "sw-problem.h"
#include "sw-sensitivity.h"

/* The work of one call. */
typedef struct {
  SwProblem problem;
  const SwEstimate *estimate;
  double factor;
  GPtrArray *gains;
  int cancelled; /* atomic */
} Work;

static void
compute_one (guint index, gpointer data)
{
  Work *work = data;

  sw_sensitivity_of (&work->problem, work->estimate, (SwResource) index, work->factor,
                     g_ptr_array_index (work->gains, index));
}

/**
 * shardwise_sensitivity_compute:
 * @problem: a prepared question
 * @estimate: of the strategy that is looked at
 * @factor: how much of each resource there is then; 1.25: a quarter more
 * @progress: (nullable): called after each resource
 * @progress_data: for @progress
 * @cancellable: (nullable): stops it at once
 * @error: %G_IO_ERROR_CANCELLED where it was stopped
 *
 * sw_sensitivity() on all cores.
 *
 * Returns: (transfer full) (element-type SwSensitivity): by #SwResource; %NULL with @error
 */
GPtrArray *
shardwise_sensitivity_compute (const SwProblem *problem, const SwEstimate *estimate, double factor,
                               void (*progress) (double fraction, gpointer data),
                               gpointer progress_data, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) gains = g_ptr_array_new_full (SW_N_RESOURCES, g_free);
  Work work = { *problem, estimate, factor, gains, 0 };
  const gulong handler = shardwise_parallel_watch (cancellable, &work.cancelled);

  for (guint i = 0; i < SW_N_RESOURCES; i++)
    g_ptr_array_add (gains, g_new0 (SwSensitivity, 1));
  work.problem.cancelled = &work.cancelled;
  shardwise_parallel_run (gains->len, compute_one, &work, progress, progress_data, &work.cancelled);
  g_cancellable_disconnect (cancellable, handler);
  return g_cancellable_set_error_if_cancelled (cancellable, error) ? NULL
                                                                   : g_steal_pointer (&gains);
}
