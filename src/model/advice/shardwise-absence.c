/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why no strategy with certain degrees is among those that fit. */
#include "shardwise-absence.h"

#include <glib/gi18n.h>
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "shardwise-what-if.h"
#include "sw-rejection.h"

static gboolean
contradicts_pins (const SwPins *pins, const SwPins *degrees)
{
  for (guint mask = degrees->mask & pins->mask; mask != 0; mask &= mask - 1)
    {
      SwDimension dimension = (SwDimension) g_bit_nth_lsf (mask, -1);

      if (sw_strategy_get (&pins->value, dimension) != sw_strategy_get (&degrees->value, dimension))
        return TRUE;
    }
  return FALSE;
}

static char *
name_rule (const SwProblem *problem, const SwStrategy *strategy)
{
  g_autofree char *name = shardwise_text_strategy (strategy), *rule = NULL;
  SwRejection why;

  sw_why_rejected (problem, strategy, &why);
  if (why.rule == SW_RULE_OK)
    return g_strdup (_ ("No strategy with these degrees was found."));
  rule = shardwise_text_rule (problem, strategy, why.rule, why.missing_bytes);
  /* Translators: a strategy ("TP 8 · PP 4 …"), then why it cannot run */
  return g_strdup_printf (_ ("%s: %s."), name, rule);
}

static char *
describe (const SwProblem *problem, const SwStrategy *recommended, const SwPins *degrees,
          const SwSearchResult *search)
{
  g_autofree char *text = NULL;
  SwStrategy strategy;

  if (search->n_best > 0)
    {
      text = shardwise_text_strategy (&search->best[0].strategy);
      /* Translators: a strategy ("TP 8 · PP 4 …") */
      return g_strdup_printf (_ ("%s fits; the other filters hide it."), text);
    }
  if (search->n_nearest > 0)
    {
      text = name_rule (problem, &search->nearest[0].strategy);
      /* Translators: a strategy and why it cannot run */
      return g_strdup_printf (_ ("None fits. The nearest is %s"), text);
    }
  strategy = shardwise_what_if_complete (problem, recommended, degrees);
  return name_rule (problem, &strategy);
}

/* Why no strategy with these degrees is listed, found by a search among them alone: the rule that
 * the nearest one breaks, or the memory that it lacks. What they leave open is filled as
 * recommended where none has them at all. */
static char *
text_absence (const SwProblem *problem, const SwStrategy *recommended, const SwPins *degrees)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem question = *problem;
  SwSearchResult search;
  char *text;

  g_return_val_if_fail (problem != NULL && recommended != NULL && degrees != NULL, NULL);

  if (contradicts_pins (&problem->pins, degrees))
    return g_strdup (_ ("Another value is fixed in the inputs."));
  question.pins.mask |= degrees->mask;
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (sw_pins_has (degrees, (SwDimension) i))
      sw_strategy_set (&question.pins.value, (SwDimension) i,
                       sw_strategy_get (&degrees->value, (SwDimension) i));
  sw_search (&question, &options, &search);
  text = describe (problem, recommended, degrees, &search);
  sw_search_result_clear (&search);
  return text;
}

/* On a worker thread */

typedef struct {
  ShardwiseAdvice *advice;
  SwPins degrees;
} Question;

static void
question_free (gpointer data)
{
  Question *question = data;

  g_object_unref (question->advice);
  g_free (question);
}

static void
thread_cb (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *question = data;

  g_task_return_pointer (
      task,
      text_absence (shardwise_advice_get_problem (question->advice),
                    &shardwise_advice_get_recommended (question->advice)->strategy,
                    &question->degrees),
      g_free);
}

/**
 * shardwise_absence_async:
 * @advice: an answer with a recommended strategy
 * @degrees: what is asked for; copied
 * @cancellable: (nullable): drops the answer
 * @callback: called on the caller's main context
 *
 * Searches among the strategies with these degrees alone, on a worker thread.
 */
void
shardwise_absence_async (ShardwiseAdvice *advice, const SwPins *degrees, GCancellable *cancellable,
                         GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  Question *question = g_new (Question, 1);

  *question = (Question){ g_object_ref (advice), *degrees };
  g_task_set_source_tag (task, shardwise_absence_async);
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, thread_cb);
}

/**
 * shardwise_absence_finish:
 *
 * Returns: (transfer full) (nullable): why none of them is listed; %NULL: cancelled
 */
char *
shardwise_absence_finish (GAsyncResult *result)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), NULL);
}
