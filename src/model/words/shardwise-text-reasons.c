/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a dimension has its value: which part of a step grows with another value, and what a pinned
 * value costs. Every clause comes from an estimate: of the chosen strategy, or of the best one with
 * a neighboring value. */
#include "shardwise-text-reasons.h"
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"

/* Differences in speed below this share do not matter to a reader. */
#define AS_FAST 0.0005

/* Within this share, the search ranks the simpler strategy first; beyond it, a rule of thumb or the
 * user rejected a faster neighbor. */
#define RANK_BAND 0.0301 /* SW_RANK_BAND of the search, plus rounding */

/* If a share of the step grew by less, the text uses seconds instead. */
#define CLEARLY 0.01

/* The index of shardwise_time_parts(), and after the last one the waste of idle GPUs. */
enum { PART_COMPUTE = 0, PART_UNEVEN = 2, PART_IDLE = SHARDWISE_N_TIME_PARTS };

/* Below this share, unpinning the dimension does not help. */
#define WORTH_FREEING 0.0005

/**
 * shardwise_time_parts:
 * @time: of a step
 * @parts: (out caller-allocates): its parts, which add up to it
 */
void
shardwise_time_parts (const SwTime *time, ShardwiseTimePart parts[SHARDWISE_N_TIME_PARTS])
{
  const ShardwiseTimePart all[SHARDWISE_N_TIME_PARTS] = {
    { N_ ("compute"), time->compute_s - time->recompute_s },
    { N_ ("recomputation"), time->recompute_s },
    { N_ ("uneven stages"), time->uneven_s },
    { N_ ("exposed tensor-parallel communication"), time->tp_exposed_s },
    { N_ ("exposed context-parallel communication"), time->cp_exposed_s },
    { N_ ("exposed expert-parallel communication"), time->ep_exposed_s },
    { N_ ("exposed pipeline communication"), time->pp_exposed_s },
    { N_ ("exposed data-parallel communication"), time->dp_exposed_s },
    { N_ ("the pipeline bubble"), time->bubble_s },
    { N_ ("the optimizer step"), time->optimizer_s },
    { N_ ("exposed offload traffic"), time->offload_exposed_s },
    { N_ ("the rest of the step"), time->other_s },
  };

  memcpy (parts, all, sizeof all);
}

/* "… grows from 8.1 % to 31.0 % of the step": shares if they grew, else seconds. */
static char *
growth_of (const char *name, double old_s, double new_s, gboolean of_step, double old_step_s,
           double new_step_s)
{
  const double old_share = old_s / old_step_s, new_share = new_s / new_step_s;
  g_autofree char *from = NULL, *to = NULL;

  if (of_step && new_share > old_share + CLEARLY)
    {
      from = shardwise_format_percent (old_share);
      to = shardwise_format_percent (new_share);
      return g_strdup_printf (
          /* Translators: a part of the time, its share before and after */
          _ ("%s grows from %s to %s of the step"), name, from, to);
    }
  from = shardwise_format_seconds (old_s);
  to = shardwise_format_seconds_beside (new_s, old_s);
  return g_strdup_printf (
      /* Translators: a part of the time, its duration before and after */
      _ ("%s grows from %s to %s per step"), name, from, to);
}

static guint
sequences_of (const SwEstimate *e)
{
  return MAX (1, e->strategy.dp * e->strategy.micro_batch * e->gradient_accumulation);
}

static double
busy_share (const SwEstimate *e)
{
  return (double) e->gpus_used / MAX (1, e->gpus_used + e->gpus_idle);
}

/* The parts of the difference between two strategies, per sequence: each part as if all GPUs of the
 * cluster shared it, plus the waste of idle GPUs. Their sum is the step, so fewer busy GPUs, which
 * compute longer, do not count as slower. Returns: the part that grew most. */
static guint
grown_most (const SwEstimate *before, const SwEstimate *after, double scale)
{
  ShardwiseTimePart old[SHARDWISE_N_TIME_PARTS], new[SHARDWISE_N_TIME_PARTS];
  const double old_busy = busy_share (before), new_busy = busy_share (after);
  const double idle = after->time.step_s * scale * (1.0 - new_busy)
                      - before->time.step_s * (1.0 - old_busy);
  guint most = idle > 0.0 ? PART_IDLE : PART_COMPUTE;
  double growth = idle > 0.0 ? idle : -INFINITY;

  shardwise_time_parts (&before->time, old);
  shardwise_time_parts (&after->time, new);
  for (guint i = 0; i < SHARDWISE_N_TIME_PARTS; i++)
    {
      const double seconds = new[i].seconds *scale;

      if (seconds > old[i].seconds && seconds * new_busy - old[i].seconds * old_busy > growth)
        {
          most = i;
          growth = seconds * new_busy - old[i].seconds * old_busy;
        }
    }
  return most;
}

/* "24 of the 64 GPUs are idle: the number of GPUs is not a multiple of the replica size, 40 GPUs" */
static char *
idle_cause (const SwEstimate *e)
{
  const SwStrategy *s = &e->strategy;
  const guint all = e->gpus_used + e->gpus_idle, replica = s->tp * s->pp * s->cp,
              replicas = all / MAX (1, replica), batch = sequences_of (e);
  g_autofree char *idle = g_strdup_printf (
      /* Translators: idle GPUs, all GPUs */
      ngettext ("%'u of the %'u GPUs is idle", "%'u of the %'u GPUs are idle", e->gpus_idle),
      e->gpus_idle, all);

  if (e->phases.n == 0 && all % MAX (1, s->dp) != 0)
    return g_strdup_printf (
        /* Translators: how many GPUs stay idle, all GPUs, a DP degree */
        _ ("%s: %'u GPUs are not divisible by DP %u"), idle, all, s->dp);
  if (e->phases.n == 0 && replicas > s->dp && batch % replicas != 0)
    return g_strdup_printf (
        /* Translators: how many GPUs stay idle, the DP degree that would use them, sequences */
        _ ("%s: DP %u would use them, but does not divide the batch of %'u sequences"), idle,
        replicas, batch);
  if (e->phases.n == 0 && replica > 1 && all % replica != 0)
    return g_strdup_printf (
        /* Translators: how many GPUs stay idle, GPUs of a replica */
        _ ("%s: the number of GPUs is not a multiple of the replica size, %'u GPUs"), idle,
        replica);
  return g_steal_pointer (&idle);
}

/* "80 layers do not divide evenly over PP 12: waiting for the fullest stage grows from … to …" */
static char *
uneven_cause (const SwProblem *problem, const SwEstimate *before, const SwEstimate *after)
{
  const guint layers = problem->model.layers, pp = after->strategy.pp;
  g_autofree char *from = shardwise_format_percent (before->time.uneven_s / before->time.step_s);
  g_autofree char *to = shardwise_format_percent (after->time.uneven_s / after->time.step_s);
  guint most = 0, least = G_MAXUINT;

  for (guint stage = 0; stage < pp; stage++)
    {
      most = MAX (most, sw_stage_layers (problem, &after->strategy, stage));
      least = MIN (least, sw_stage_layers (problem, &after->strategy, stage));
    }
  if (most > least)
    return g_strdup_printf (
        /* Translators: layers, PP degree, two shares of the step */
        _ ("%u layers do not divide evenly over PP %u: waiting for the fullest stage grows from %s "
           "to %s of the step"),
        layers, pp, from, to);
  return g_strdup_printf (
      /* Translators: PP degree, two shares of the step */
      _ ("the embedding and the head make the end stages of PP %u fuller than the others: waiting "
         "for the fullest stage grows from %s to %s of the step"),
      pp, from, to);
}

/**
 * shardwise_text_growth:
 * @problem: the question
 * @before: an estimate
 * @after: of another strategy, or batch
 *
 * Compute is most of a step, so its seconds are more useful than its share. If a strategy is not
 * tensor parallel, such traffic belongs to generation, which has its own TP: the text then states
 * the phase.
 *
 * Returns: (transfer full): the main cause of the difference: "exposed tensor-parallel
 * communication grows from 8.1 % to 31.0 % of the step", "24 of the 64 GPUs are idle"
 */
char *
shardwise_text_growth (const SwProblem *problem, const SwEstimate *before, const SwEstimate *after)
{
  ShardwiseTimePart old[SHARDWISE_N_TIME_PARTS], new[SHARDWISE_N_TIME_PARTS];
  const double scale = (double) sequences_of (before) / sequences_of (after),
               old_step_s = before->time.step_s, new_step_s = after->time.step_s * scale;
  const SwPhase *was = before->phases.phase, *is = after->phases.phase;
  const guint part = grown_most (before, after, scale);
  guint phase = 0;

  if (part == PART_IDLE)
    return idle_cause (after);
  if (part == PART_UNEVEN
      && after->time.uneven_s / new_step_s * scale > before->time.uneven_s / old_step_s)
    return uneven_cause (problem, before, after);
  shardwise_time_parts (&before->time, old);
  shardwise_time_parts (&after->time, new);
  if (part != SHARDWISE_FIRST_COMMUNICATION || after->strategy.tp != 1 || before->phases.n == 0
      || before->phases.n != after->phases.n)
    return growth_of (_ (old[part].name), old[part].seconds, new[part].seconds *scale,
                      part != PART_COMPUTE, old_step_s, new_step_s);
  for (guint i = 1; i < before->phases.n; i++)
    if (is[i].time.step_s - was[i].time.step_s > is[phase].time.step_s - was[phase].time.step_s)
      phase = i;
  return growth_of (shardwise_text_phase (was[phase].kind), was[phase].time.step_s,
                    is[phase].time.step_s * scale, TRUE, old_step_s, new_step_s);
}

/**
 * shardwise_text_beside:
 * @reason: of sw_explain()
 * @step: -1 for the side of the lower values, 1 for the other
 *
 * Returns: the index of the most informative neighbor on that side: the nearest that could be
 * chosen or only lacks memory, otherwise the nearest; -1 if there is none
 */
int
shardwise_text_beside (const SwReason *reason, int step)
{
  const int n = (int) reason->n_neighbours;
  int chosen = 0;

  g_return_val_if_fail (step == -1 || step == 1, -1);

  while (chosen < n && !reason->neighbours[chosen].chosen)
    chosen++;
  if (chosen == n || chosen + step < 0 || chosen + step >= n)
    return -1;
  for (int i = chosen + step; i >= 0 && i < n; i += step)
    {
      const SwRule rule = reason->neighbours[i].rule;

      /* For any other rule, no choice of the other dimensions helps. */
      if (rule == SW_RULE_OK || rule == SW_RULE_GPU_MEMORY || rule == SW_RULE_HOST_MEMORY)
        return i;
    }
  return chosen + step;
}

static gboolean
was_evaluated (const SwNeighbour *neighbour)
{
  return neighbour->estimate.time.step_s > 0.0;
}

/* Adds what is different with a neighbor besides the strategy, unless the reason includes it: "a batch
 * of 255 sequences, 4 idle GPUs". */
static void
add_circumstances (GString *list, const SwEstimate *chosen, const SwNeighbour *neighbour)
{
  const SwEstimate *e = &neighbour->estimate;
  const guint was = sequences_of (chosen), is = sequences_of (e);
  const gboolean told = neighbour->change >= AS_FAST
                        && grown_most (chosen, e, (double) was / is) == PART_IDLE;

  if (!e->fits || !was_evaluated (neighbour))
    return;
  if (is != was)
    shardwise_text_items (list,
                          /* Translators: sequences; follows "with" */
                          ngettext ("a batch of %'u sequence", "a batch of %'u sequences", is), is);
  if (e->gpus_idle > 0 && e->gpus_idle != chosen->gpus_idle && !told)
    shardwise_text_items (list,
                          /* Translators: follows "with" */
                          ngettext ("%'u idle GPU", "%'u idle GPUs", e->gpus_idle), e->gpus_idle);
}

/* Share of the throughput lost by a longer step. */
static double
lost_throughput (double change)
{
  return 1.0 - 1.0 / (1.0 + change);
}

/**
 * shardwise_text_neighbour:
 * @problem: the question
 * @chosen: the strategy to explain
 * @neighbour: one value of one of its dimensions
 *
 * Returns: (transfer full): the row's reason: "chosen", "it needs 31.2 GiB more per GPU", "38.0 % lower
 * throughput: …"
 */
char *
shardwise_text_neighbour (const SwProblem *problem, const SwEstimate *chosen,
                          const SwNeighbour *neighbour)
{
  g_autofree char *figure = NULL, *why = NULL;
  g_autoptr (GString) beside = g_string_new (NULL);

  if (neighbour->chosen)
    return g_strdup (_ ("chosen"));
  if (!neighbour->estimate.fits)
    return shardwise_text_shortfall (problem, &neighbour->estimate, neighbour->rule);
  if (fabs (neighbour->change) < AS_FAST)
    figure = g_strdup (_ ("as fast"));
  else if (neighbour->change < 0.0)
    {
      g_autofree char *share = shardwise_format_percent (1.0 / (1.0 + neighbour->change) - 1.0);

      figure = g_strdup_printf (
          /* Translators: a percentage */
          _ ("%s higher throughput"), share);
    }
  else
    {
      g_autofree char *share = shardwise_format_percent (lost_throughput (neighbour->change));

      why = shardwise_text_growth (problem, chosen, &neighbour->estimate);
      figure = g_strdup_printf (
          /* Translators: a percentage, then why: "exposed … grows from … to … of the step" */
          _ ("%s lower throughput: %s"), share, why);
    }
  add_circumstances (beside, chosen, neighbour);
  return beside->len == 0
             ? g_steal_pointer (&figure)
             : g_strdup_printf (
                 /* Translators: what a value costs, and what else is different with it:
                             * "4 idle GPUs" */
                 _ ("%s; with %s"), figure, beside->str);
}

/**
 * shardwise_text_usual:
 * @problem: the question
 * @recommended: the recommended strategy, or the nearest
 * @usual: a conventional one
 *
 * Returns: (transfer full): "1,020 tokens/s per GPU with 61.2 GiB, 8.3 % less than recommended: …",
 *   "By our estimate, it does not fit: it needs 8.3 GiB more per GPU."
 */
char *
shardwise_text_usual (const SwProblem *problem, const SwEstimate *recommended,
                      const SwEstimate *usual)
{
  g_autofree char *rate = shardwise_format_significant (usual->tokens_per_s_per_gpu),
                  *memory = shardwise_format_bytes (usual->memory.peak.total), *lack = NULL,
                  *fit = NULL;
  const double change = recommended->time.step_s > 0.0
                            ? usual->time.step_s / recommended->time.step_s - 1.0
                            : 0.0;
  GString *text = g_string_new (NULL);

  if (!usual->fits)
    {
      lack = shardwise_text_rule (problem, &usual->strategy, usual->rule, usual->missing_bytes);
      g_string_free (text, TRUE);
      if (usual->rule == SW_RULE_GPU_MEMORY
          && usual->memory_low_bytes <= problem->cluster.usable_bytes)
        /* Translators: why a strategy may not run: "it needs 8.3 GiB more per GPU" */
        return g_strdup_printf (
            _ ("It may fit: by our estimate, %s, but the estimate can be off by this much."), lack);
      if (usual->rule != SW_RULE_GPU_MEMORY && usual->rule != SW_RULE_HOST_MEMORY)
        return g_strdup_printf (_ ("It cannot run: %s."), lack);
      /* Translators: why a strategy does not run: "it needs 8.3 GiB more per GPU" */
      return g_strdup_printf (_ ("By our estimate, it does not fit: %s."), lack);
    }
  shardwise_text_append (text,
                         g_strdup_printf (
                             /* Translators: a rate, memory of a GPU */
                             _ ("Predicted: %s tokens/s per GPU with %s per GPU."), rate, memory));
  if (sw_strategy_equal (&usual->strategy, &recommended->strategy))
    shardwise_text_append (text, g_strdup (_ ("It is the recommended strategy.")));
  else if (recommended->fits && fabs (change) < AS_FAST)
    shardwise_text_append (text, g_strdup (_ ("It is as fast as the recommended strategy.")));
  else if (recommended->fits)
    {
      g_autofree char *share = shardwise_format_percent (change > 0.0 ? lost_throughput (change)
                                                                      : 1.0 / (1.0 + change) - 1.0);
      g_autofree char *why = change > 0.0 ? shardwise_text_growth (problem, recommended, usual)
                                          : NULL;

      shardwise_text_append (
          text, change > 0.0 ? g_strdup_printf (
                    /* Translators: a percentage, then why: "exposed … grows from … to …" */
                    _ ("That is %s less than the recommended strategy: %s."), share, why)
                             : g_strdup_printf (
                                 /* Translators: a percentage */
                                 _ ("That is %s more than the recommended strategy."), share));
    }
  fit = shardwise_text_fit (usual);
  if (fit != NULL)
    shardwise_text_append (text, g_steal_pointer (&fit));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_is_pinned:
 * @problem: the question
 * @dimension: a dimension
 *
 * Returns: whether the user pinned it, in the strategy or in the training
 */
gboolean
shardwise_text_is_pinned (const SwProblem *problem, SwDimension dimension)
{
  return sw_pins_has (&problem->pins, dimension)
         || (dimension == SW_DIM_MICRO_BATCH && problem->training.micro_batch > 0);
}

/**
 * shardwise_text_pin:
 * @chosen: the strategy to explain
 * @dimension: a dimension that the user or the method fixed
 * @freed: (nullable): the best strategy without that value
 * @named: (out): the strategy that the text calls faster; TP 0: none
 *
 * Returns: (transfer full): "TP 8 is pinned; without that, TP 4 would raise throughput by 3.1 %."
 */
char *
shardwise_text_pin (const SwEstimate *chosen, SwDimension dimension, const SwEstimate *freed,
                    SwStrategy *named)
{
  g_autofree char *label = shardwise_text_label (dimension,
                                                 sw_strategy_get (&chosen->strategy, dimension));
  g_autofree char *other = NULL, *rest = NULL, *figure = NULL;
  const double gain = freed != NULL ? chosen->time.step_s / freed->time.step_s - 1.0 : 0;

  *named = (SwStrategy){ 0 };
  if (gain < WORTH_FREEING)
    return g_strdup_printf (
        /* Translators: "TP 8" */
        _ ("%s is pinned; without that, the search finds nothing faster."), label);
  *named = freed->strategy;
  figure = shardwise_format_percent (gain);
  other = shardwise_text_label (dimension, sw_strategy_get (&freed->strategy, dimension));
  rest = shardwise_text_differences (&chosen->strategy, &freed->strategy, dimension);
  if (rest == NULL)
    return g_strdup_printf (
        /* Translators: "TP 8", "TP 4", a percentage */
        _ ("%s is pinned; without that, %s would raise throughput by %s."), label, other, figure);
  return g_strdup_printf (
      /* Translators: "TP 8", "TP 4", what changes with it: "PP 8, DP 1", a percentage */
      _ ("%s is pinned; without that, %s (with %s) would raise throughput by %s."), label, other,
      rest, figure);
}

static gboolean
crosses_nodes (const SwProblem *problem, guint tp)
{
  return sw_cluster_tp_together (&problem->cluster, tp) < tp;
}

/* A neighbor may be faster: within the band in which the simpler ranks first, or if the user pinned
 * the value. */
static char *
faster_clause (const SwProblem *problem, const SwEstimate *chosen, SwDimension dimension,
               const SwNeighbour *neighbour, const char *label)
{
  g_autofree char *figure = shardwise_format_percent (1.0 / (1.0 + neighbour->change) - 1.0);
  const SwStrategy *other = &neighbour->estimate.strategy;
  const guint simple = sw_strategy_complexity (&chosen->strategy),
              complex = sw_strategy_complexity (other);

  if (shardwise_text_is_pinned (problem, dimension))
    return g_strdup_printf (
        /* Translators: "TP 16", a percentage */
        _ ("%s would raise throughput by %s, but another value is pinned."), label, figure);
  if (sw_pins_has (&problem->pins, SW_DIM_DP) && other->dp != chosen->strategy.dp)
    return g_strdup_printf (
        /* Translators: "TP 4 (with DP 4)", a percentage, a DP degree */
        _ ("%s would raise throughput by %s, but DP %u is pinned."), label, figure,
        chosen->strategy.dp);
  if (neighbour->change < -RANK_BAND)
    return g_strdup_printf (
        /* Translators: "TP 16", a percentage */
        _ ("%s would raise throughput by %s."), label, figure);
  if (complex < simple || (complex == simple && other->vpp <= chosen->strategy.vpp))
    return g_strdup_printf (
        /* Translators: "TP 16", a percentage */
        _ ("%s would raise throughput by only %s and leave less memory free."), label, figure);
  return g_strdup_printf (
      /* Translators: "TP 16", a percentage */
      _ ("%s would raise throughput by only %s, at the cost of a more complex strategy."), label,
      figure);
}

static char *
clause (const SwProblem *problem, const SwEstimate *chosen, SwDimension dimension,
        const SwNeighbour *neighbour)
{
  g_autofree char *alone = shardwise_text_label (dimension, neighbour->value);
  g_autofree char *label = NULL, *rest = NULL, *figure = NULL, *why = NULL;

  if (neighbour->estimate.fits)
    {
      g_autofree char *strategy =
          shardwise_text_differences (&chosen->strategy, &neighbour->estimate.strategy, dimension);
      GString *list = g_string_new (strategy);

      add_circumstances (list, chosen, neighbour);
      rest = g_string_free (list, list->len == 0);
    }
  label = rest == NULL ? g_steal_pointer (&alone)
                       : g_strdup_printf (
                           /* Translators: "TP 4", then what changes with it: "PP 8, DP 1" */
                           _ ("%s (with %s)"), alone, rest);
  if (!neighbour->estimate.fits || !was_evaluated (neighbour))
    {
      g_autofree char *missing = shardwise_format_bytes (neighbour->estimate.missing_bytes);
      g_autofree char *rule = NULL;

      if (neighbour->rule == SW_RULE_GPU_MEMORY && was_evaluated (neighbour))
        {
          const double limit = problem->cluster.usable_bytes * problem->training.memory_target;
          g_autofree char *high = shardwise_format_bytes (neighbour->estimate.memory_high_bytes);

          /* A strategy rejected by a search for certain fits is not rejected by the question
           * itself. */
          return neighbour->estimate.memory.peak.total <= limit
                     ? g_strdup_printf (
                         /* Translators: "TP 4", an amount of memory */
                         _ ("%s may not fit: peak memory may reach %s."), label, high)
                     : g_strdup_printf (
                         /* Translators: "TP 4", an amount of memory */
                         _ ("%s exceeds the memory target by %s per GPU."), label, missing);
        }
      if (neighbour->rule == SW_RULE_HOST_MEMORY && was_evaluated (neighbour))
        return g_strdup_printf (
            /* Translators: "TP 4", an amount of memory */
            _ ("%s needs %s more host memory per node."), label, missing);
      rule = shardwise_text_rule (problem, &neighbour->estimate.strategy, neighbour->rule, 0.0);
      return g_strdup_printf (
          /* Translators: "TP 24", then why: "64 attention heads cannot be split over TP 24" */
          _ ("%s is not possible: %s."), label, rule);
    }
  if (fabs (neighbour->change) < AS_FAST && shardwise_text_is_pinned (problem, dimension))
    return g_strdup_printf (
        /* Translators: "TP 4" */
        _ ("%s would be as fast."), label);
  if (fabs (neighbour->change) < AS_FAST)
    return g_strdup_printf (
        /* Translators: "TP 4" */
        _ ("%s would be as fast, but ranks lower: simpler strategies with more free memory come "
           "first."),
        label);
  if (neighbour->change < 0.0)
    return faster_clause (problem, chosen, dimension, neighbour, label);
  figure = shardwise_format_percent (lost_throughput (neighbour->change));
  why = shardwise_text_growth (problem, chosen, &neighbour->estimate);
  if (dimension == SW_DIM_TP && !crosses_nodes (problem, chosen->strategy.tp)
      && crosses_nodes (problem, neighbour->value))
    return g_strdup_printf (
        /* Translators: "TP 16", a percentage, then why: "exposed … grows from … to …" */
        _ ("%s would cross nodes and lower throughput by %s, because %s."), label, figure, why);
  return g_strdup_printf (
      /* Translators: "TP 16", a percentage, then why: "exposed … grows from … to …" */
      _ ("%s would lower throughput by %s, because %s."), label, figure, why);
}

static char *
share_of_step (double seconds, const SwEstimate *estimate)
{
  return shardwise_format_percent (seconds / estimate->time.step_s);
}

static char *
tensor_fact (const SwProblem *problem, const SwEstimate *e, SwDimension dimension)
{
  const guint tp = e->strategy.tp;
  g_autofree char *share = share_of_step (e->time.tp_exposed_s, e);

  if (tp == 1 && e->time.tp_exposed_s > 0)
    return g_strdup_printf (
        /* Translators: a share of the step; the phases are those of reinforcement learning */
        _ ("TP 1 splits no layer in training; exposed tensor-parallel communication of the other "
           "phases takes %s of the step."),
        share);
  if (tp == 1)
    return g_strdup (_ ("TP 1 splits no layer, so there is no tensor-parallel communication."));
  if (!crosses_nodes (problem, tp))
    return g_strdup_printf (
        /* Translators: TP degree, name of the link, share of the step */
        _ ("TP %u keeps tensor-parallel communication on %s within a node; its exposed part takes "
           "%s of the step."),
        tp, problem->cluster.intra.name, share);
  return g_strdup_printf (
      /* Translators: TP degree, name of the link, share of the step */
      _ ("TP %u crosses nodes over %s; exposed tensor-parallel communication takes %s of the "
         "step."),
      tp, problem->cluster.inter.name, share);
}

static char *
pipeline_fact (const SwProblem *problem, const SwEstimate *e, SwDimension dimension)
{
  const guint pp = e->strategy.pp;
  g_autofree char *bubble = shardwise_format_percent (e->bubble_fraction);
  guint most = 0, least = G_MAXUINT;

  if (pp == 1)
    return g_strdup (_ ("PP 1 keeps all layers on every GPU, so there is no pipeline bubble."));
  for (guint stage = 0; stage < pp; stage++)
    {
      const guint layers = sw_stage_layers (problem, &e->strategy, stage);

      most = MAX (most, layers);
      least = MIN (least, layers);
    }
  if (most == least)
    return g_strdup_printf (
        /* Translators: PP degree, layers of a stage, share of the step */
        _ ("PP %u puts %u layers on each stage; the pipeline bubble takes %s of the step."), pp,
        most, bubble);
  return g_strdup_printf (
      /* Translators: PP degree, least and most layers of a stage, share of the step */
      _ ("PP %u puts %u to %u layers on each stage; the pipeline bubble takes %s of the step."), pp,
      least, most, bubble);
}

static char *
replicas_fact (const SwProblem *problem, const SwEstimate *e, SwDimension dimension)
{
  const guint dp = e->strategy.dp, gpus = sw_strategy_gpus (&e->strategy);
  g_autofree char *share = share_of_step (e->time.dp_exposed_s, e);

  if (dp == 1)
    return g_strdup_printf (
        /* Translators: degrees and counts of the strategy, and shares or amounts with their unit */
        ngettext ("DP 1: one replica on %u GPU processes every sequence of the batch.",
                  "DP 1: one replica on %u GPUs processes every sequence of the batch.", gpus),
        gpus);
  return g_strdup_printf (
      /* Translators: DP degree, sequences of a replica and of the batch, share of the step */
      _ ("DP %u gives each replica %'u of the %'u sequences of a batch; exposed data-parallel "
         "communication takes %s of the step."),
      dp, problem->training.global_batch / dp, problem->training.global_batch, share);
}

static char *
context_fact (const SwProblem *problem, const SwEstimate *e, SwDimension dimension)
{
  g_autofree char *share = share_of_step (e->time.cp_exposed_s, e);

  if (e->strategy.cp == 1)
    return g_strdup_printf (
        /* Translators: tokens of a sequence */
        _ ("CP 1 keeps each sequence of %'u tokens on one tensor-parallel group."),
        problem->training.sequence_length);
  return g_strdup_printf (
      /* Translators: CP degree, tokens of a GPU and of a sequence, share of the step */
      _ ("CP %u gives each GPU %'u of the %'u tokens of a sequence; exposed context-parallel "
         "communication takes %s of the step."),
      e->strategy.cp, problem->training.sequence_length / e->strategy.cp,
      problem->training.sequence_length, share);
}

static char *
expert_fact (const SwProblem *problem, const SwEstimate *e, SwDimension dimension)
{
  const guint experts = problem->model.moe.experts;
  g_autofree char *share = share_of_step (e->time.ep_exposed_s, e);

  if (e->strategy.ep == 1)
    return g_strdup_printf (
        /* Translators: number of experts */
        _ ("EP 1 keeps all %u experts of a layer together, so no token moves to another GPU."),
        experts);
  return g_strdup_printf (
      /* Translators: EP degree, experts of a GPU and of a layer, share of the step */
      _ ("EP %u puts %u of the %u experts of a layer on each GPU; their exposed all-to-all takes "
         "%s of the step."),
      e->strategy.ep, experts / MAX (1, e->strategy.ep), experts, share);
}

static char *
zero_fact (const SwProblem *problem, const SwEstimate *e, SwDimension dimension)
{
  static const char *const shards[] = {
    N_ ("ZeRO 0 shards nothing over the GPUs that hold the same part of the model"),
    N_ ("ZeRO 1 shards the optimizer states over the GPUs that hold the same part of the model"),
    N_ ("ZeRO 2 shards the gradients and optimizer states over the GPUs that hold the same part of "
        "the model"),
    N_ ("ZeRO 3 shards the parameters, gradients and optimizer states over the GPUs that hold the "
        "same part of the model"),
  };
  const SwMemoryParts *peak = &e->memory.peak;
  g_autofree char *states =
      shardwise_format_bytes (peak->parameters + peak->gradients + peak->optimizer);

  return g_strdup_printf (
      /* Translators: what ZeRO shards, then the memory of these states on a GPU */
      _ ("%s: each GPU holds %s of parameters, gradients and optimizer states."),
      _ (shards[MIN (3, e->strategy.zero_stage)]), states);
}

static char *
micro_batch_fact (const SwProblem *problem, const SwEstimate *e, SwDimension dimension)
{
  g_autofree char *activations = shardwise_format_bytes (e->memory.peak.activations);

  return g_strdup_printf (
      /* Translators: sequences of a micro-batch, steps of gradient accumulation, memory of a GPU */
      _ ("Micro-batches of %u need %u gradient accumulation steps and hold %s of activations."),
      e->strategy.micro_batch, e->gradient_accumulation, activations);
}

static char *
recompute_fact (const SwProblem *problem, const SwEstimate *e, SwDimension dimension)
{
  g_autofree char *activations = shardwise_format_bytes (e->memory.peak.activations);
  g_autofree char *share = share_of_step (e->time.recompute_s, e);

  if (e->strategy.recompute == SW_RECOMPUTE_NONE)
    return g_strdup_printf (
        /* Translators: memory of a GPU */
        _ ("Without recomputation, all %s of activations are kept in memory."), activations);
  if (e->strategy.recompute == SW_RECOMPUTE_FULL_LAYERS)
    return g_strdup_printf (
        /* Translators: number of layers, share of the step, memory of a GPU */
        _ ("Recomputing the first %u layers of each stage takes %s of the step and leaves %s of "
           "activations in memory."),
        e->strategy.full_layers, share, activations);
  if (e->strategy.recompute == SW_RECOMPUTE_FULL)
    return g_strdup_printf (
        /* Translators: share of the step, memory of a GPU */
        _ ("Recomputing every layer takes %s of the step and leaves %s of activations in memory."),
        share, activations);
  return g_strdup_printf (
      /* Translators: share of the step, memory of a GPU */
      _ ("Selective recomputation takes %s of the step and leaves %s of activations in memory."),
      share, activations);
}

/* Dimensions without a text of their own: the share of the step that they affect. */
static char *
other_fact (const SwProblem *problem, const SwEstimate *e, SwDimension dimension)
{
  g_autofree char *label = shardwise_text_label (dimension,
                                                 sw_strategy_get (&e->strategy, dimension));
  g_autofree char *bubble = shardwise_format_percent (e->bubble_fraction);
  g_autofree char *activations = shardwise_format_bytes (e->memory.peak.activations);
  g_autofree char *offload = share_of_step (e->time.offload_exposed_s, e);
  g_autofree char *context = share_of_step (e->time.cp_exposed_s, e);
  g_autofree char *expert = share_of_step (e->time.ep_exposed_s, e);
  g_autofree char *data = share_of_step (e->time.dp_exposed_s, e);

  switch ((int) dimension)
    {
    case SW_DIM_VPP:
    case SW_DIM_SCHEDULE:
      return g_strdup_printf (
          /* Translators: "Schedule: 1F1B", share of the step */
          _ ("%s: the pipeline bubble takes %s of the step."), label, bubble);
    case SW_DIM_SP:
      return g_strdup_printf (
          /* Translators: "SP on", memory of a GPU */
          _ ("%s: each GPU holds %s of activations."), label, activations);
    case SW_DIM_OFFLOAD:
      return g_strdup_printf (
          /* Translators: "Offload: optimizer", share of the step */
          _ ("%s: exposed offload traffic takes %s of the step."), label, offload);
    case SW_DIM_CP_METHOD:
      return g_strdup_printf (
          /* Translators: "CP method: ring", share of the step */
          _ ("%s: exposed context-parallel communication takes %s of the step."), label, context);
    case SW_DIM_ETP:
      return g_strdup_printf (
          /* Translators: "ETP 1", share of the step */
          _ ("%s: exposed expert-parallel communication takes %s of the step."), label, expert);
    default:
      return g_strdup_printf (
          /* Translators: ranks of a shard group, ranks of all data parallelism, share of the
           * step */
          _ ("Model states are sharded over groups of %'u of the %'u replicas; exposed "
             "data-parallel communication takes %s of the step."),
          e->strategy.shard_group, e->strategy.dp, data);
    }
}

static char *(*const facts[SW_N_DIMENSIONS]) (const SwProblem *problem, const SwEstimate *e,
                                              SwDimension dimension) = {
  [SW_DIM_TP] = tensor_fact,
  [SW_DIM_ETP] = other_fact,
  [SW_DIM_PP] = pipeline_fact,
  [SW_DIM_VPP] = other_fact,
  [SW_DIM_DP] = replicas_fact,
  [SW_DIM_CP] = context_fact,
  [SW_DIM_CP_METHOD] = other_fact,
  [SW_DIM_EP] = expert_fact,
  [SW_DIM_SP] = other_fact,
  [SW_DIM_ZERO] = zero_fact,
  [SW_DIM_SHARD_GROUP] = other_fact,
  [SW_DIM_MICRO_BATCH] = micro_batch_fact,
  [SW_DIM_RECOMPUTE] = recompute_fact,
  [SW_DIM_SCHEDULE] = other_fact,
  [SW_DIM_OFFLOAD] = other_fact,
};

/**
 * shardwise_text_rationale:
 * @problem: the question
 * @chosen: the strategy to explain
 * @reason: of sw_explain()
 * @freed: (nullable): if the dimension is fixed, the best strategy without that value
 *
 * Returns: (transfer full): one paragraph: the effect of the value, and the cost of the neighboring
 * ones
 */
char *
shardwise_text_rationale (const SwProblem *problem, const SwEstimate *chosen,
                          const SwReason *reason, const SwEstimate *freed)
{
  /* For parallel sizes, the paragraph mentions one on either side; for choices, all. The table
   * shows the rest. */
  const gboolean is_choice = reason->dimension == SW_DIM_SP || reason->dimension == SW_DIM_ZERO
                             || reason->dimension == SW_DIM_RECOMPUTE
                             || reason->dimension == SW_DIM_SCHEDULE
                             || reason->dimension == SW_DIM_OFFLOAD
                             || reason->dimension == SW_DIM_CP_METHOD;
  GString *text = g_string_new (NULL);
  SwStrategy named = { 0 };

  shardwise_text_append (text, facts[reason->dimension](problem, chosen, reason->dimension));
  if (shardwise_text_is_pinned (problem, reason->dimension))
    shardwise_text_append (text, shardwise_text_pin (chosen, reason->dimension, freed, &named));
  for (guint i = 0; i < reason->n_neighbours; i++)
    if (!reason->neighbours[i].chosen
        && (is_choice || shardwise_text_beside (reason, -1) == (int) i
            || shardwise_text_beside (reason, 1) == (int) i)
        && !sw_strategy_equal (&reason->neighbours[i].estimate.strategy, &named))
      shardwise_text_append (text,
                             clause (problem, chosen, reason->dimension, &reason->neighbours[i]));
  return g_string_free (text, FALSE);
}
