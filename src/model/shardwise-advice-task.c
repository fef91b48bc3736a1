/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advice on a worker thread. */
#include "shardwise-advice-private.h"
#include "shardwise-advisor.h"

typedef struct {
  ShardwiseScenario *scenario; /* a copy that nobody else has */
  ShardwiseAdviceOptions options;
  ShardwiseAdvice *base;       /* to explain; NULL: compute */
} ComputeData;

static void
compute_data_free (gpointer data)
{
  ComputeData *compute = data;

  g_object_unref (compute->scenario);
  g_clear_object (&compute->base);
  g_free (compute);
}

static void
compute_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  ComputeData *compute = data;
  g_autoptr (GError) error = NULL;
  ShardwiseAdvice *advice =
    compute->base != NULL
      ? shardwise_advice_explain (compute->base, compute->scenario, cancellable, &error)
      : shardwise_advice_compute (compute->scenario, &compute->options, cancellable, &error);

  if (advice != NULL)
    g_task_return_pointer (task, advice, g_object_unref);
  else
    g_task_return_error (task, g_steal_pointer (&error));
}

/**
 * shardwise_advisor_compute_async:
 * @scenario: the inputs, copied here
 * @options: copied; its progress function is called on the worker thread
 * @cancellable: (nullable): stops the work
 * @callback: called on the thread-default main context of the caller
 *
 * shardwise_advice_compute() on a worker thread.
 */
void
shardwise_advisor_compute_async (ShardwiseScenario *scenario, const ShardwiseAdviceOptions *options,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer data)
{
  g_autoptr (GTask) task = NULL;
  ComputeData *compute;

  g_return_if_fail (SHARDWISE_IS_SCENARIO (scenario) && options != NULL);

  task = g_task_new (NULL, cancellable, callback, data);
  compute = g_new0 (ComputeData, 1);
  compute->scenario = shardwise_scenario_copy (scenario);
  compute->options = *options;
  g_task_set_source_tag (task, shardwise_advisor_compute_async);
  g_task_set_task_data (task, compute, compute_data_free);
  g_task_run_in_thread (task, compute_thread);
}

/**
 * shardwise_advice_explain_async:
 * @base: an advice without reasons
 * @scenario: the inputs that it answers, copied here
 * @cancellable: (nullable): stops the work
 * @callback: called on the thread-default main context of the caller
 *
 * shardwise_advice_explain() on a worker thread; finish with shardwise_advisor_compute_finish().
 */
void
shardwise_advice_explain_async (ShardwiseAdvice *base, ShardwiseScenario *scenario,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  ComputeData *compute = g_new0 (ComputeData, 1);

  compute->scenario = shardwise_scenario_copy (scenario);
  compute->base = g_object_ref (base);
  g_task_set_source_tag (task, shardwise_advice_explain_async);
  g_task_set_task_data (task, compute, compute_data_free);
  g_task_run_in_thread (task, compute_thread);
}

/**
 * shardwise_advisor_compute_finish:
 *
 * Returns: (transfer full): the advice, or %NULL with @error
 */
ShardwiseAdvice *
shardwise_advisor_compute_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
