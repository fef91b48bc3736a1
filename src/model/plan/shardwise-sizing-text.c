/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each GPU of a cluster does against those of another size. */
#include "shardwise-sizing.h"

#include <glib/gi18n.h>

#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

/* Below this share nothing is gained that is worth a sentence. */
#define WORTH_SAYING 0.005
/* Of what a GPU does at the best size: what scaling is counted against does no less. */
#define FAIR_SHARE 0.5

typedef enum {
  TERM_RECOMPUTE,
  TERM_OFFLOAD,
  TERM_IDLE,
  TERM_BUBBLE,
  TERM_COMMUNICATION,
  TERM_OPTIMIZER,
  TERM_COMPUTE,
  TERM_OTHER,
  N_TERMS
} Term;

static double
rate_per_gpu (const ShardwiseSizingPoint *point)
{
  return point->estimate.fits ? point->estimate.tokens_per_s / point->gpus : 0;
}

/* The smallest of the sizes that fit on which a GPU does at least `least`. */
static const ShardwiseSizingPoint *
smallest_at (GPtrArray *points, double least)
{
  const ShardwiseSizingPoint *found = NULL;

  for (guint i = 0; i < points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (points, i);

      if (point->estimate.fits && rate_per_gpu (point) >= least
          && (found == NULL || point->gpus < found->gpus))
        found = point;
    }
  return found;
}

/**
 * shardwise_sizing_reference:
 * @points: (element-type ShardwiseSizingPoint): sizes in any order
 *
 * A size on which a job only just fits says nothing of how it scales: an ideal drawn from it would
 * be beaten many times over, and losses of large clusters would not show.
 *
 * Returns: (transfer none) (nullable): what scaling is counted against: the smallest size that fits
 *   and on which a GPU does at least half of what it does on the best one
 */
const ShardwiseSizingPoint *
shardwise_sizing_reference (GPtrArray *points)
{
  double best = 0;

  for (guint i = 0; i < points->len; i++)
    best = MAX (best, rate_per_gpu (g_ptr_array_index (points, i)));
  return smallest_at (points, FAIR_SHARE * best);
}

/**
 * shardwise_sizing_least_text:
 * @points: (element-type ShardwiseSizingPoint): sizes in any order
 *
 * Returns: (transfer full) (nullable): what a GPU does on the fewest that hold the job, translated;
 *   %NULL where that is the size that scaling is counted against, or nothing fits
 */
char *
shardwise_sizing_least_text (GPtrArray *points)
{
  const ShardwiseSizingPoint *reference = shardwise_sizing_reference (points),
                             *least = smallest_at (points, 0);
  g_autofree char *share = NULL;

  if (least == reference)
    return NULL;
  share = shardwise_format_percent (shardwise_sizing_efficiency (reference, least));
  /* Translators: a number of GPUs, a percentage, a larger number of GPUs */
  return g_strdup_printf (ngettext ("On %'u GPU the job only just fits: it does %s of what each of "
                                    "%'u does.",
                                    "On %'u GPUs the job only just fits: each does %s of what each "
                                    "of %'u does.",
                                    least->gpus),
                          least->gpus, share, reference->gpus);
}

/**
 * shardwise_sizing_efficiency:
 * @reference: (nullable): from shardwise_sizing_reference()
 * @point: a size
 *
 * Returns: tokens per second and GPU, idle ones included, over those of @reference; 0: does not fit
 */
double
shardwise_sizing_efficiency (const ShardwiseSizingPoint *reference,
                             const ShardwiseSizingPoint *point)
{
  if (reference == NULL || !point->estimate.fits)
    return 0;
  return point->estimate.tokens_per_s / point->gpus
         / (reference->estimate.tokens_per_s / reference->gpus);
}

/* What a token costs in seconds of a GPU, by what the GPU does: all terms add up to the step. */
static void
split (const ShardwiseSizingPoint *point, double out[N_TERMS])
{
  const SwEstimate *estimate = &point->estimate;
  const SwTime *time = &estimate->time;
  double share = estimate->gpus_used / (estimate->tokens_per_s * time->step_s), sum = 0;

  out[TERM_RECOMPUTE] = time->recompute_s;
  out[TERM_OFFLOAD] = time->offload_exposed_s;
  out[TERM_BUBBLE] = time->bubble_s;
  out[TERM_COMMUNICATION] = time->tp_exposed_s + time->cp_exposed_s + time->ep_exposed_s
                            + time->pp_exposed_s + time->dp_exposed_s;
  out[TERM_OPTIMIZER] = time->optimizer_s;
  out[TERM_COMPUTE] = time->compute_s - time->recompute_s;
  out[TERM_IDLE] = 0;
  out[TERM_OTHER] = 0;
  for (guint i = 0; i < N_TERMS; i++)
    sum += out[i];
  out[TERM_OTHER] = time->step_s - sum;
  out[TERM_IDLE] = time->step_s * ((double) point->gpus / estimate->gpus_used - 1);
  for (guint i = 0; i < N_TERMS; i++)
    out[i] *= share;
}

static Term
largest_saving (const ShardwiseSizingPoint *reference, const ShardwiseSizingPoint *point)
{
  double before[N_TERMS], after[N_TERMS];
  Term best = TERM_OTHER;

  split (reference, before);
  split (point, after);
  for (guint i = 0; i < N_TERMS; i++)
    if (before[i] - after[i] > before[best] - after[best])
      best = (Term) i;
  return best;
}

/* In @format two labels; %NULL where the dimension is as it was. */
static char *
describe_change (const char *format, SwDimension dimension, const SwStrategy *before,
                 const SwStrategy *after)
{
  g_autofree char *from = shardwise_text_dimension_value (dimension,
                                                          sw_strategy_get (before, dimension)),
                  *to = shardwise_text_label (dimension, sw_strategy_get (after, dimension));

  if (sw_strategy_get (before, dimension) == sw_strategy_get (after, dimension))
    return NULL;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  return g_strdup_printf (format, to, from);
#pragma GCC diagnostic pop
}

static char *
compute_reason (const SwStrategy *before, const SwStrategy *after)
{
  /* Translators: "Micro-batch 4" and "1", or "TP 2" and "8" */
  const char *format = _ ("memory to spare allows larger matrices (%s instead of %s)");

  if (after->micro_batch > before->micro_batch)
    return describe_change (format, SW_DIM_MICRO_BATCH, before, after);
  return after->tp < before->tp ? describe_change (format, SW_DIM_TP, before, after) : NULL;
}

/* What of the strategy made that part of the time shrink; %NULL: nothing that has a name. */
static char *
changed_reason (Term term, const SwStrategy *before, const SwStrategy *after)
{
  if (term == TERM_COMPUTE)
    return compute_reason (before, after);
  if (term == TERM_RECOMPUTE)
    /* Translators: "Recomputation: selective" and "full" */
    return describe_change (_ ("memory to spare allows less to be computed again (%s instead of "
                               "%s)"),
                            SW_DIM_RECOMPUTE, before, after);
  if (term == TERM_OFFLOAD || (term == TERM_OPTIMIZER && after->offload != before->offload))
    /* Translators: "Offload: none" and "optimizer" */
    return describe_change (
        _ ("memory to spare lets what was moved to the host stay (%s instead of "
           "%s)"),
        SW_DIM_OFFLOAD, before, after);
  if (term == TERM_BUBBLE && after->pp < before->pp)
    /* Translators: "PP 2" and "4" */
    return describe_change (_ ("memory to spare allows a shorter pipeline (%s instead of %s)"),
                            SW_DIM_PP, before, after);
  return NULL;
}

static const char *
plain_reason (Term term)
{
  static const char *const reasons[N_TERMS] = {
    [TERM_RECOMPUTE] = N_ ("less is computed again"),
    [TERM_OFFLOAD] = N_ ("less is waited for what is moved to the host"),
    [TERM_IDLE] = N_ ("fewer of its GPUs are left over"),
    [TERM_BUBBLE] = N_ ("its pipeline waits less"),
    [TERM_COMMUNICATION] = N_ ("less of its communication is waited for"),
    [TERM_OPTIMIZER] = N_ ("each GPU updates a smaller share of the optimizer states"),
    [TERM_COMPUTE] = N_ ("its kernels run at a better rate"),
    [TERM_OTHER] = N_ ("less time goes to everything but compute and communication"),
  };

  return _ (reasons[term]);
}

/**
 * shardwise_sizing_gain_text:
 * @reference: (nullable): from shardwise_sizing_reference()
 * @point: a size
 *
 * Why a GPU of @point does more than one of @reference: the part of a token's time that shrinks
 * most, and what of the strategy made it shrink.
 *
 * Returns: (transfer full) (nullable): a sentence, translated; %NULL where it does not do more
 */
char *
shardwise_sizing_gain_text (const ShardwiseSizingPoint *reference,
                            const ShardwiseSizingPoint *point)
{
  double gain = shardwise_sizing_efficiency (reference, point) - 1;
  g_autofree char *share = NULL, *reason = NULL;
  Term saving;

  if (gain < WORTH_SAYING)
    return NULL;
  share = shardwise_format_percent (gain);
  saving = largest_saving (reference, point);
  reason = changed_reason (saving, &reference->estimate.strategy, &point->estimate.strategy);
  /* Translators: GPUs of a cluster, a percentage, GPUs of a smaller cluster, and why */
  return g_strdup_printf (_ ("Each of %'u GPUs does %s more than each of %'u: %s."), point->gpus,
                          share, reference->gpus, reason != NULL ? reason : plain_reason (saving));
}

/**
 * shardwise_sizing_strategy_text:
 * @strategy: a strategy
 *
 * Returns: (transfer full): "TP 8 PP 4": the degrees that are not one, but for the replicas, which
 *   grow with the cluster; where there are none, how states are sharded
 */
char *
shardwise_sizing_strategy_text (const SwStrategy *strategy)
{
  static const SwDimension splits[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_CP, SW_DIM_EP };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (splits); i++)
    if (sw_strategy_get (strategy, splits[i]) > 1)
      g_string_append_printf (text, "%s%s %u", text->len > 0 ? " " : "",
                              shardwise_dimension_degree (splits[i]),
                              sw_strategy_get (strategy, splits[i]));
  if (text->len == 0)
    g_string_append_printf (text, "ZeRO %u", strategy->zero_stage);
  return g_string_free (text, FALSE);
}
