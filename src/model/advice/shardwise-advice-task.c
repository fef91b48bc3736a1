/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advice on a worker thread. */
#include "shardwise-advice-private.h"
#include "shardwise-advisor.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

typedef struct {
  ShardwiseScenario *scenario; /* a copy that nobody else has */
  ShardwiseAdviceOptions options;
  ShardwiseAnsweredFunc answered; /* NULL: reasons are not asked for */
  gpointer data;                  /* for it */
} ComputeData;

typedef struct {
  GTask *task;
  ShardwiseAdvice *answer;
} Answered;

static void
compute_data_free (gpointer data)
{
  ComputeData *compute = data;

  g_object_unref (compute->scenario);
  g_free (compute);
}

static void
answered_free (gpointer data)
{
  Answered *answered = data;

  g_object_unref (answered->answer);
  g_object_unref (answered->task);
  g_free (answered);
}

static gboolean
answered_cb (gpointer data)
{
  Answered *answered = data;
  const ComputeData *compute = g_task_get_task_data (answered->task);

  if (!g_task_get_completed (answered->task))
    compute->answered (answered->answer, compute->data);
  return G_SOURCE_REMOVE;
}

/* On the thread of the task's callback, and before that. */
static void
tell_answer (GTask *task, ShardwiseAdvice *answer)
{
  g_autoptr (GSource) source = g_idle_source_new ();
  Answered *answered = g_new (Answered, 1);

  *answered = (Answered){ g_object_ref (task), g_object_ref (answer) };
  g_source_set_priority (source, g_task_get_priority (task));
  g_source_set_callback (source, answered_cb, answered, answered_free);
  g_source_attach (source, g_task_get_context (task));
}

/* A complete search takes much memory for a moment, on all cores: what the allocator keeps of it
 * for later, in a heap for each of its threads, goes back to the system. */
static void
give_memory_back (void)
{
#ifdef __GLIBC__
  malloc_trim (0);
#endif
}

static void
compute_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  ComputeData *compute = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAdvice) advice =
      shardwise_advice_compute (compute->scenario, &compute->options, cancellable, &error);

  if (advice != NULL && compute->answered != NULL)
    {
      g_autoptr (ShardwiseAdvice) answer = g_steal_pointer (&advice);

      tell_answer (task, answer);
      advice = shardwise_advice_explain (answer, compute->scenario, cancellable, &error);
    }
  if (compute->options.complete)
    give_memory_back ();
  if (advice != NULL)
    g_task_return_pointer (task, g_steal_pointer (&advice), g_object_unref);
  else
    g_task_return_error (task, g_steal_pointer (&error));
}

static void
compute_async (ShardwiseScenario *scenario, const ShardwiseAdviceOptions *options,
               GCancellable *cancellable, ShardwiseAnsweredFunc answered,
               GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  ComputeData *compute = g_new (ComputeData, 1);

  *compute = (ComputeData){ shardwise_scenario_copy (scenario), *options, answered, data };
  g_task_set_source_tag (task, compute_async);
  g_task_set_task_data (task, compute, compute_data_free);
  g_task_run_in_thread (task, compute_thread);
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
  g_return_if_fail (SHARDWISE_IS_SCENARIO (scenario) && options != NULL);

  compute_async (scenario, options, cancellable, NULL, callback, data);
}

/**
 * shardwise_advice_reasoned_async:
 * @scenario: the inputs, copied here
 * @options: copied
 * @cancellable: (nullable): stops the work
 * @answered: called with the advice without its reasons, while these are sought
 * @callback: called when they are there too
 * @data: for both, which are called on the thread-default main context of the caller
 *
 * shardwise_advice_compute() and then shardwise_advice_explain() on a worker thread; finish with
 * shardwise_advisor_compute_finish().
 */
void
shardwise_advice_reasoned_async (ShardwiseScenario *scenario, const ShardwiseAdviceOptions *options,
                                 GCancellable *cancellable, ShardwiseAnsweredFunc answered,
                                 GAsyncReadyCallback callback, gpointer data)
{
  compute_async (scenario, options, cancellable, answered, callback, data);
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
