/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a pinned value costs: the search again without that pin, with all others. */
#include "shardwise-texts-private.h"

#include <glib/gi18n.h>

/* Below this share the freed dimension brings nothing. */
#define WORTH_FREEING 0.0005

/**
 * shardwise_text_is_pinned:
 * @problem: the question
 * @dimension: a dimension
 *
 * Returns: whether the user fixed it, as part of the strategy or of the training
 */
gboolean
shardwise_text_is_pinned (const SwProblem *problem, SwDimension dimension)
{
  return sw_pins_has (&problem->pins, dimension)
         || (dimension == SW_DIM_MICRO_BATCH && problem->training.micro_batch > 0);
}

/**
 * shardwise_text_differences:
 * @chosen: a strategy
 * @other: another one
 * @except: a dimension that is named elsewhere; SW_N_DIMENSIONS: none
 *
 * Returns: (transfer full) (nullable): "PP 8, ZeRO 1", in which @other differs; at most three;
 *   %NULL where it does not
 */
char *
shardwise_text_differences (const SwStrategy *chosen, const SwStrategy *other, SwDimension except)
{
  static const SwDimension order[] = { SW_DIM_TP,   SW_DIM_PP,          SW_DIM_DP,
                                       SW_DIM_CP,   SW_DIM_EP,          SW_DIM_OFFLOAD,
                                       SW_DIM_ZERO, SW_DIM_MICRO_BATCH, SW_DIM_RECOMPUTE,
                                       SW_DIM_VPP,  SW_DIM_SCHEDULE };
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (order) && n < 3; i++)
    {
      const guint value = sw_strategy_get (other, order[i]);
      g_autofree char *label = NULL;

      if (order[i] == except || value == sw_strategy_get (chosen, order[i]))
        continue;
      label = shardwise_text_label (order[i], value);
      g_string_append_printf (text, "%s%s", n++ > 0 ? ", " : "", label);
    }
  return n > 0 ? g_strdup (text->str) : NULL;
}

/* The best strategy without the pin of `dimension`. FALSE: the search finds none. */
static gboolean
evaluate_freed (const SwProblem *problem, const SwEstimate *chosen, SwDimension dimension,
                SwEstimate *out)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem freed = *problem;
  SwSearchResult result;
  gboolean found;

  freed.pins.mask &= ~(1u << dimension);
  freed.training.framework = (SwFramework) chosen->strategy.framework;
  if (dimension == SW_DIM_MICRO_BATCH)
    freed.training.micro_batch = 0;
  sw_search (&freed, &options, &result);
  found = result.n_best > 0;
  if (found)
    sw_estimate (&freed, &result.best[0].strategy, out);
  sw_search_result_clear (&result);
  return found;
}

/**
 * shardwise_text_fits_unpinned:
 * @problem: a question without an answer that fits
 *
 * Returns: whether it has pinned values, and an answer without them
 */
gboolean
shardwise_text_fits_unpinned (const SwProblem *problem)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem freed = *problem;
  SwSearchResult result;
  gboolean fits;

  if (problem->pins.mask == 0)
    return FALSE;
  freed.pins.mask = 0;
  sw_search (&freed, &options, &result);
  fits = result.n_best > 0;
  sw_search_result_clear (&result);
  return fits;
}

/**
 * shardwise_text_pin:
 * @problem: the question
 * @chosen: the strategy that is explained
 * @dimension: one that the user, or the method, fixed
 * @named: (out): the strategy that the text says is faster; that with TP 0: none
 *
 * Returns: (transfer full): "TP 8 is fixed; without that, TP 4 would give 3.1 % more throughput."
 */
char *
shardwise_text_pin (const SwProblem *problem, const SwEstimate *chosen, SwDimension dimension,
                    SwStrategy *named)
{
  g_autofree char *label = shardwise_text_label (dimension,
                                                 sw_strategy_get (&chosen->strategy, dimension));
  g_autofree char *other = NULL, *rest = NULL, *figure = NULL;
  SwEstimate freed;
  double gain = 0;

  if (evaluate_freed (problem, chosen, dimension, &freed))
    gain = chosen->time.step_s / freed.time.step_s - 1.0;
  *named = (SwStrategy){ 0 };
  if (gain < WORTH_FREEING)
    return g_strdup_printf (
        /* Translators: "TP 8" */
        _ ("%s is fixed; the search would find nothing faster without that."), label);
  *named = freed.strategy;
  figure = shardwise_format_percent (gain);
  other = shardwise_text_label (dimension, sw_strategy_get (&freed.strategy, dimension));
  rest = shardwise_text_differences (&chosen->strategy, &freed.strategy, dimension);
  if (rest == NULL)
    return g_strdup_printf (
        /* Translators: "TP 8", "TP 4", a percentage */
        _ ("%s is fixed; without that, %s would give %s more throughput."), label, other, figure);
  return g_strdup_printf (
      /* Translators: "TP 8", "TP 4", what changes with it: "PP 8, DP 1", a percentage */
      _ ("%s is fixed; without that, %s (with %s) would give %s more throughput."), label, other,
      rest, figure);
}
