/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a job scales: the speed of each GPU of a cluster relative to another size, and why it differs. */
#include "shardwise-scaling.h"

#include <glib/gi18n.h>

#include "shardwise-advice-json.h"
#include "shardwise-dimension.h"
#include "shardwise-format.h"
#include "shardwise-json.h"
#include "shardwise-text-strategy.h"

/* Below this share nothing is gained that is worth a sentence. */
#define WORTH_SAYING 0.005
/* Of what a GPU does at the best size: what scaling is counted against does no less. */
#define FAIR_SHARE 0.5
/* So much less than on a smaller cluster is unexpected where it does not last. */
#define WORTH_A_DIP 0.05

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
 * Returns: (transfer none) (nullable): the reference of scaling: the smallest size that fits and on
 * which a GPU has at least half of its speed on the best size
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
 *   %NULL if that is the size that scaling is counted against, or nothing fits
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
  return g_strdup_printf (
      ngettext ("On %'u GPU, the job barely fits: the throughput per GPU is %s of that on %'u.",
                "On %'u GPUs, the job barely fits: the throughput per GPU is %s of that on %'u.",
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

/* GPU seconds per token by activity: all terms add up to the step. */
static void
split (const ShardwiseSizingPoint *point, double out[N_TERMS])
{
  const SwEstimate *estimate = &point->estimate;
  const SwTime *time = &estimate->time;
  double share = estimate->gpus_used / (estimate->tokens_per_s * time->step_s), sum = 0;

  out[TERM_RECOMPUTE] = time->recompute_s;
  out[TERM_OFFLOAD] = time->offload_exposed_s;
  out[TERM_BUBBLE] = time->bubble_s + time->uneven_s;
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

/* The next size below or above that fits; %NULL: none. */
static const ShardwiseSizingPoint *
find_beside (GPtrArray *points, const ShardwiseSizingPoint *point, gboolean above)
{
  const ShardwiseSizingPoint *found = NULL;

  for (guint i = 0; i < points->len; i++)
    {
      const ShardwiseSizingPoint *other = g_ptr_array_index (points, i);

      if (other->estimate.fits && other->gpus != point->gpus && (other->gpus > point->gpus) == above
          && (found == NULL || (other->gpus < found->gpus) == above))
        found = other;
    }
  return found;
}

/* The share by which a GPU does less than on the next smaller size, where that is unexpected: a larger
 * size makes up for it, or all GPUs together do less. Else 0. */
static double
depth_of_dip (GPtrArray *points, const ShardwiseSizingPoint *point)
{
  const ShardwiseSizingPoint *below = find_beside (points, point, FALSE),
                             *above = find_beside (points, point, TRUE);
  double depth;

  if (!point->estimate.fits || below == NULL)
    return 0;
  depth = 1 - rate_per_gpu (point) / rate_per_gpu (below);
  if (depth < WORTH_A_DIP
      || (point->estimate.tokens_per_s >= (1 - WORTH_SAYING) * below->estimate.tokens_per_s
          && (above == NULL || rate_per_gpu (above) < (1 + WORTH_SAYING) * rate_per_gpu (point))))
    return 0;
  return depth;
}

/**
 * shardwise_sizing_dip_text:
 * @points: (element-type ShardwiseSizingPoint): sizes in any order
 * @point: (nullable): one of them; %NULL: that at which a GPU loses most
 *
 * Why a GPU of @point does unexpectedly less than on the next smaller size: the part of a token's time
 * that grows most, and how the strategy differs.
 *
 * Returns: (transfer full) (nullable): a sentence, translated; %NULL if it does not
 */
char *
shardwise_sizing_dip_text (GPtrArray *points, const ShardwiseSizingPoint *point)
{
  static const char *const reasons[N_TERMS] = {
    [TERM_RECOMPUTE] = N_ ("more recomputation"),
    [TERM_OFFLOAD] = N_ ("more waiting for offload"),
    [TERM_IDLE] = N_ ("more idle GPUs"),
    [TERM_BUBBLE] = N_ ("a larger pipeline bubble"),
    [TERM_COMMUNICATION] = N_ ("more exposed communication"),
    [TERM_OPTIMIZER] = N_ ("a larger share of the optimizer states per GPU"),
    [TERM_COMPUTE] = N_ ("less efficient kernels"),
    [TERM_OTHER] = N_ ("more time for everything except compute and communication"),
  };
  const ShardwiseSizingPoint *below;
  g_autofree char *share = NULL, *differences = NULL;
  double deepest = 0, before[N_TERMS], after[N_TERMS];
  Term growth = TERM_OTHER;

  for (guint i = 0; point == NULL && i < points->len; i++)
    deepest = MAX (deepest, depth_of_dip (points, g_ptr_array_index (points, i)));
  for (guint i = 0; point == NULL && deepest > 0; i++)
    if (depth_of_dip (points, g_ptr_array_index (points, i)) >= deepest)
      point = g_ptr_array_index (points, i);
  if (point == NULL || depth_of_dip (points, point) <= 0)
    return NULL;
  below = find_beside (points, point, FALSE);
  share = shardwise_format_percent (depth_of_dip (points, point));
  split (below, before);
  split (point, after);
  for (guint i = 0; i < N_TERMS; i++)
    if (after[i] - before[i] > after[growth] - before[growth])
      growth = (Term) i;
  differences = shardwise_text_differences (&below->estimate.strategy, &point->estimate.strategy,
                                            SW_N_DIMENSIONS);
  if (differences == NULL)
    return g_strdup_printf (
        /* Translators: GPUs of a cluster, a percentage, GPUs of a smaller cluster, and why */
        _ ("On %'u GPUs, the throughput per GPU is %s lower than on %'u: %s."), point->gpus, share,
        below->gpus, _ (reasons[growth]));
  return g_strdup_printf (
      /* Translators: GPUs of a cluster, a percentage, GPUs of a smaller cluster, why, and how the
       * strategy differs: "PP 1, ZeRO 3" */
      _ ("On %'u GPUs, the throughput per GPU is %s lower than on %'u: %s, with %s."), point->gpus,
      share, below->gpus, _ (reasons[growth]), differences);
}

/* Two labels in @format; %NULL if the dimension did not change. */
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

/* What of the strategy made that part of the time shrink; %NULL: nothing that has a name. */
static char *
changed_reason (Term term, const SwStrategy *before, const SwStrategy *after)
{
  if (term == TERM_COMPUTE)
    {
      /* Translators: "Micro-batch 4" and "1", or "TP 2" and "8" */
      const char *format = _ ("free memory allows larger matrices (%s instead of %s)");

      if (after->micro_batch > before->micro_batch)
        return describe_change (format, SW_DIM_MICRO_BATCH, before, after);
      return after->tp < before->tp ? describe_change (format, SW_DIM_TP, before, after) : NULL;
    }
  if (term == TERM_RECOMPUTE)
    /* Translators: "Recomputation: selective" and "full" */
    return describe_change (_ ("free memory allows less recomputation (%s instead of %s)"),
                            SW_DIM_RECOMPUTE, before, after);
  if (term == TERM_OFFLOAD || (term == TERM_OPTIMIZER && after->offload != before->offload))
    /* Translators: "Offload: none" and "optimizer" */
    return describe_change (_ ("free memory allows less offload (%s instead of %s)"),
                            SW_DIM_OFFLOAD, before, after);
  if (term == TERM_BUBBLE && after->pp < before->pp)
    /* Translators: "PP 2" and "4" */
    return describe_change (_ ("free memory allows a shorter pipeline (%s instead of %s)"),
                            SW_DIM_PP, before, after);
  return NULL;
}

/**
 * shardwise_sizing_gain_text:
 * @reference: (nullable): from shardwise_sizing_reference()
 * @point: a size
 *
 * Why a GPU of @point does more than one of @reference: the part of a token's time that shrinks
 * most, and what of the strategy made it shrink.
 *
 * Returns: (transfer full) (nullable): a sentence, translated; %NULL if it does not do more
 */
char *
shardwise_sizing_gain_text (const ShardwiseSizingPoint *reference,
                            const ShardwiseSizingPoint *point)
{
  static const char *const reasons[N_TERMS] = {
    [TERM_RECOMPUTE] = N_ ("less recomputation"),
    [TERM_OFFLOAD] = N_ ("less waiting for offload"),
    [TERM_IDLE] = N_ ("fewer idle GPUs"),
    [TERM_BUBBLE] = N_ ("a smaller pipeline bubble"),
    [TERM_COMMUNICATION] = N_ ("less exposed communication"),
    [TERM_OPTIMIZER] = N_ ("a smaller share of the optimizer states per GPU"),
    [TERM_COMPUTE] = N_ ("more efficient kernels"),
    [TERM_OTHER] = N_ ("less time for everything except compute and communication"),
  };
  double gain = shardwise_sizing_efficiency (reference, point) - 1;
  g_autofree char *share = NULL, *reason = NULL;
  double before[N_TERMS], after[N_TERMS];
  Term saving = TERM_OTHER;

  if (gain < WORTH_SAYING)
    return NULL;
  share = shardwise_format_percent (gain);
  split (reference, before);
  split (point, after);
  for (guint i = 0; i < N_TERMS; i++)
    if (before[i] - after[i] > before[saving] - after[saving])
      saving = (Term) i;
  reason = changed_reason (saving, &reference->estimate.strategy, &point->estimate.strategy);
  /* Translators: GPUs of a cluster, a percentage, GPUs of a smaller cluster, and why */
  return g_strdup_printf (_ ("On %'u GPUs, the throughput per GPU is %s higher than on %'u: %s."),
                          point->gpus, share, reference->gpus,
                          reason != NULL ? reason : _ (reasons[saving]));
}

/**
 * shardwise_sizing_strategy_text:
 * @strategy: a strategy
 *
 * Returns: (transfer full): "TP 8 PP 4": the parallel sizes above one, except for the replicas,
 * which grow with the cluster; if there are none, how states are sharded
 */
char *
shardwise_sizing_strategy_text (const SwStrategy *strategy)
{
  const struct {
    const char *name;
    guint value;
  } degrees[] = {
    { "TP", strategy->tp },
    { "PP", strategy->pp },
    { "CP", strategy->cp },
    { "EP", strategy->ep },
  };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    if (degrees[i].value > 1)
      g_string_append_printf (text, "%s%s %u", text->len > 0 ? " " : "", degrees[i].name,
                              degrees[i].value);
  if (text->len == 0)
    g_string_append_printf (text, "ZeRO %u", strategy->zero_stage);
  return g_string_free (text, FALSE);
}

/**
 * shardwise_sizing_to_array:
 * @problem: the question, on any number of GPUs
 * @points: (element-type ShardwiseSizingPoint): computed of it
 * @notes: (nullable) (element-type utf8): sentences of the question
 *
 * Returns: (transfer full): the "points" of `scale --json`: estimates, with what each size costs
 */
JsonArray *
shardwise_sizing_to_array (const SwProblem *problem, GPtrArray *points, GPtrArray *notes)
{
  const ShardwiseSizingPoint *reference = shardwise_sizing_reference (points);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (points, i);
      const gboolean fits = point->estimate.fits, has_days = point->days > 0;
      g_autofree char *gain = shardwise_sizing_gain_text (reference, point),
                      *dip = shardwise_sizing_dip_text (points, point);
      SwProblem sized = *problem;
      JsonNode *node;
      JsonObject *row;

      sized.cluster.gpus = point->gpus;
      sized.training.global_batch = point->global_batch;
      node = shardwise_estimate_to_json (&sized, &point->estimate, notes);
      row = json_node_get_object (node);
      json_object_set_int_member (row, "gpus", point->gpus);
      json_object_set_int_member (row, "global_batch_size", point->global_batch);
      shardwise_json_set_known (row, "days", point->days, has_days);
      shardwise_json_set_known (row, "cost", point->cost,
                                has_days && shardwise_cost_bill (&point->bill) != NULL);
      shardwise_json_set_known (row, "goodput", point->bill.goodput.ratio, fits);
      shardwise_json_set_known (row, "energy_kwh", point->bill.energy_kwh, has_days);
      shardwise_json_set_known (row, "kg_co2", point->bill.kg_co2, has_days);
      shardwise_json_set_known (row, "share_of_ideal",
                                shardwise_sizing_efficiency (reference, point), fits);
      if (gain != NULL)
        json_object_set_string_member (row, "above_ideal", gain);
      if (dip != NULL)
        json_object_set_string_member (row, "dip", dip);
      json_array_add_element (array, node);
    }
  return array;
}

static void
append_sentence (GString *text, char *sentence)
{
  if (sentence != NULL)
    g_string_append_printf (text, " %s", sentence);
  g_free (sentence);
}

/**
 * shardwise_sizing_text:
 * @points: (nullable) (element-type ShardwiseSizingPoint): ascending
 *
 * Returns: (transfer full) (nullable): how the job scales over them
 */
char *
shardwise_sizing_text (GPtrArray *points)
{
  const ShardwiseSizingPoint *reference = points != NULL ? shardwise_sizing_reference (points)
                                                         : NULL,
                             *first = NULL, *last = NULL, *best = reference;
  g_autofree char *from = NULL, *to = NULL, *share = NULL;
  GString *text;

  if (points == NULL || points->len == 0)
    return NULL;
  if (reference == NULL)
    return g_strdup (_ ("The job does not fit on any cluster size in this range."));
  for (guint i = 0; i < points->len; i++)
    if (((const ShardwiseSizingPoint *) points->pdata[i])->estimate.fits)
      {
        last = points->pdata[i];
        first = first != NULL ? first : last;
        if (shardwise_sizing_efficiency (reference, last)
            > shardwise_sizing_efficiency (reference, best))
          best = last;
      }
  from = shardwise_format_count (first->estimate.tokens_per_s);
  to = shardwise_format_count (last->estimate.tokens_per_s);
  share = shardwise_format_percent (shardwise_sizing_efficiency (reference, last));
  text = g_string_new (NULL);
  g_string_append_printf (
      text,
      /* Translators: GPUs of the smallest and of the largest cluster, tokens per second of both, a
     * percentage, and GPUs of another cluster */
      _ ("%'u to %'u GPUs: %s to %s tokens/s; in the largest cluster, the throughput per GPU is %s "
         "of that on %'u."),
      first->gpus, last->gpus, from, to, share, reference->gpus);
  append_sentence (text, shardwise_sizing_least_text (points));
  append_sentence (text, shardwise_sizing_gain_text (reference, best));
  append_sentence (text, shardwise_sizing_dip_text (points, NULL));
  return g_string_free (text, FALSE);
}
