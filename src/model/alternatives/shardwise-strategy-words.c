/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-strategy-words.h"

#include <glib/gi18n.h>

#include "shardwise-cost.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"
#include "shardwise-text-advice.h"
#include "shardwise-format.h"

/**
 * shardwise_strategy_difference:
 * @base: the strategy to compare with
 * @other: another strategy
 *
 * Returns: (transfer full): the dimensions that differ with both values; "" if none does
 */
char *
shardwise_strategy_difference (const SwStrategy *base, const SwStrategy *other)
{
  GString *text = g_string_new (NULL);

  g_return_val_if_fail (base != NULL && other != NULL, g_string_free (text, FALSE));
  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    {
      g_autofree char *was = shardwise_text_value (base, i), *is = shardwise_text_value (other, i);

      if (g_str_equal (was, is) || shardwise_dimension_is_implied (base, other, i))
        continue;
      if (text->len > 0)
        g_string_append (text, " · ");
      /* Translators: a dimension, its value here, its value in the strategy compared with: "TP 4,
       * not 8" */
      g_string_append_printf (text, _ ("%s %s, not %s"), shardwise_dimension_short_name (i), is,
                              was);
    }
  return g_string_free (text, FALSE);
}

static char *
layers_text (const SwProblem *problem, const SwStrategy *strategy)
{
  guint least = G_MAXUINT, most = 0;

  for (guint stage = 0; stage < strategy->pp; stage++)
    {
      guint layers = sw_stage_layers (problem, strategy, stage);

      least = MIN (least, layers);
      most = MAX (most, layers);
    }
  if (least == most)
    return g_strdup_printf (ngettext ("%u layer per stage", "%u layers per stage", most), most);
  /* Translators: least and most layers of a pipeline stage */
  return g_strdup_printf (_ ("%u–%u layers per stage"), least, most);
}

/**
 * shardwise_strategy_facts:
 * @problem: the question
 * @estimate: a strategy
 *
 * Returns: (transfer full): layers, accumulation, GPUs used and idle, and the software profile
 */
char *
shardwise_strategy_facts (const SwProblem *problem, const SwEstimate *estimate)
{
  g_autofree char *layers = NULL, *accumulation = NULL, *used = NULL, *idle = NULL;

  g_return_val_if_fail (problem != NULL && estimate != NULL, NULL);
  layers = layers_text (problem, &estimate->strategy);
  accumulation = g_strdup_printf (ngettext ("%u micro-batch per step", "%u micro-batches per step",
                                            estimate->gradient_accumulation),
                                  estimate->gradient_accumulation);
  used = g_strdup_printf (ngettext ("%'u GPU used", "%'u GPUs used", estimate->gpus_used),
                          estimate->gpus_used);
  idle = estimate->gpus_idle > 0 ? g_strdup_printf (
             ngettext ("%'u idle", "%'u idle", estimate->gpus_idle), estimate->gpus_idle)
                                 : g_strdup (_ ("none idle"));
  /* Translators: layers per stage, micro-batches, GPUs used, GPUs idle, name of the software */
  return g_strdup_printf (_ ("%s · %s · %s, %s · %s"), layers, accumulation, used, idle,
                          shardwise_text_framework (estimate->strategy.framework));
}

/**
 * shardwise_strategy_verdict:
 * @advice: an answer
 * @scenario: its scenario
 * @selected: (nullable): the selected strategy, with its own days and cost
 *
 * Returns: (transfer full): the answer in a sentence
 */
char *
shardwise_strategy_verdict (ShardwiseAdvice *advice, ShardwiseScenario *scenario,
                            const SwEstimate *selected)
{
  const SwEstimate *recommended;
  const SwProblem *problem;
  ShardwiseCostInputs inputs;
  ShardwiseCost cost;
  gboolean is_stated;
  double total;

  g_return_val_if_fail (SHARDWISE_IS_ADVICE (advice) && SHARDWISE_IS_SCENARIO (scenario), NULL);
  recommended = shardwise_advice_get_recommended (advice);
  if (selected == NULL || sw_strategy_equal (&selected->strategy, &recommended->strategy))
    return g_strdup (shardwise_advice_get_verdict (advice));
  problem = shardwise_advice_get_problem (advice);
  if (!selected->fits) /* the others may fit */
    return shardwise_text_refusal (problem, selected);
  shardwise_cost_inputs_read (scenario, problem, &inputs);
  shardwise_cost_compute (&inputs, problem, selected, &cost);
  total = shardwise_cost_total (&inputs, &cost, &is_stated);
  return shardwise_text_verdict (problem, selected, FALSE, NULL, 0, cost.days, total, is_stated,
                                 inputs.currency);
}

/* The footer of the list: the counts of a search. */

/**
 * shardwise_search_counts:
 * @search: a finished search
 * @shown: rows that pass the filter
 * @listed: rows without a filter
 *
 * Returns: (transfer full): the counts in a line
 */
char *
shardwise_search_counts (const SwSearchResult *search, guint shown, guint listed)
{
  g_autofree char *tried = shardwise_format_whole ((double) search->tried),
                  *timed = shardwise_format_whole ((double) search->timed),
                  *fit = shardwise_format_whole ((double) search->fit);

  if (search->all != NULL)
    /* Translators: counts of strategies: tried, fitting; then how many the list shows */
    return g_strdup_printf (_ ("%s tried, %s fit, %'u listed. Why the others don’t fit"), tried,
                            fit, shown);
  /* Translators: counts of strategies: tried, timed by the model, fitting; then how many the list
   * shows of how many it has */
  return g_strdup_printf (
      _ ("%s tried, %s timed, %s fit, %'u of the best %'u listed. Why the others don’t fit"), tried,
      timed, fit, shown, listed);
}

/**
 * shardwise_search_details:
 * @search: a finished search
 *
 * Returns: (transfer full): whether every strategy was tried, why strategies were rejected, and
 * which rules filter or only rank
 */
char *
shardwise_search_details (const SwSearchResult *search)
{
  g_autofree char *kind = shardwise_text_search_kind (search);
  g_autofree char *rejections = shardwise_text_rejections (search);
  g_autofree char *filters = shardwise_text_limits (TRUE), *ranks = shardwise_text_limits (FALSE);

  return g_strjoin ("\n", kind, "", rejections, "", filters, ranks, NULL);
}
