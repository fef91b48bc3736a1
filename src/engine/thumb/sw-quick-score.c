/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The weighted score: a rule of thumb beside the analytical model, as published. Its constants are
 * the method's own; nothing else in the program uses them. */
#include "sw-quick-score.h"

#include "sw-thumb.h"

#include <math.h>
#include <string.h>

/* Memory: bytes per parameter under full training, of a frozen base parameter, and the adapters'
 * share. */
#define FULL_BYTES 18.0
#define BASE_BYTES 2.0
#define ADAPTER_SHARE 0.01
#define CUDA_OVERHEAD 1.15

#define TP_OVERHEAD_PER_RANK 0.03
#define TP_OVERHEAD_MOST 0.20
#define DP_OVERHEAD_PER_RANK 0.01
#define DP_OVERHEAD_MOST 0.10

#define WEIGHT_COMPUTE 0.6
#define WEIGHT_MEMORY 0.3
#define WEIGHT_DP 0.1

#define ZERO_3_UTILISATION 0.7
#define DEFAULT_MICRO_BATCHES 8

const char *const sw_fsdp_strategy_names[] = { "NO_SHARD", "SHARD_GRAD_OP", "FULL_SHARD", NULL };

/**
 * sw_quick_score_total_gb:
 * @parameters: of the model
 * @lora: adapters of 1 % on a frozen base, instead of all parameters
 *
 * Returns: memory of one replica in 1e9 bytes, with 15 % for CUDA: 1,449 for 70e9 parameters
 */
double
sw_quick_score_total_gb (double parameters, gboolean lora)
{
  const double bytes = lora ? BASE_BYTES + FULL_BYTES * ADAPTER_SHARE : FULL_BYTES;

  return parameters * bytes * CUDA_OVERHEAD / SW_GB;
}

/* The default batch counts as no batch: entering the same number changes nothing. */
static gboolean
has_batch (const SwProblem *problem)
{
  return problem->training.global_batch > 0
         && problem->training.global_batch
                != sw_problem_usual_batch (problem, problem->cluster.gpus);
}

/**
 * sw_quick_score_bubble:
 * @pp: pipeline stages
 * @micro_batches: of a step
 *
 * Returns: the share of the step, (p - 1) / (m + p - 1)
 */
double
sw_quick_score_bubble (guint pp, guint micro_batches)
{
  return (pp - 1.0) / (micro_batches + pp - 1.0);
}

/**
 * sw_quick_score_evaluate:
 * @problem: the question
 * @tp: tensor-parallel ranks
 * @pp: pipeline stages
 * @dp: replicas
 * @out: (out caller-allocates): overheads, utilisations and the weighted score
 *
 * Overheads, as shares of the step: TP 3 % for each further rank, at most 20 %; bubble (p - 1) / (m
 * + p - 1), m = 8 if the batch is not set; DP 1 % for each rank, at most 10 %, none for one. Score
 * = 0.6 compute utilization + 0.3 memory utilization + 0.1 min (1, log2 DP / log2 GPUs); the last
 * term's form is ours, only its weight was published.
 */
void
sw_quick_score_evaluate (const SwProblem *problem, guint tp, guint pp, guint dp, SwQuickScore *out)
{
  const double total = sw_quick_score_total_gb (sw_problem_named_parameters (problem),
                                                sw_training_is_adapter (&problem->training));
  const guint gpus = problem->cluster.gpus;
  const guint sequences = dp * MAX (1, sw_thumb_micro_batch (problem, dp));

  memset (out, 0, sizeof *out);
  out->tp = tp;
  out->pp = pp;
  out->dp = dp;
  out->gpus_idle = gpus - MIN (gpus, tp * pp * dp);
  out->has_batch = has_batch (problem);
  out->micro_batches = out->has_batch ? MAX (1, problem->training.global_batch / sequences)
                                      : DEFAULT_MICRO_BATCHES;
  out->tp_overhead = MIN (TP_OVERHEAD_PER_RANK * (tp - 1), TP_OVERHEAD_MOST);
  out->bubble = sw_quick_score_bubble (pp, out->micro_batches);
  out->dp_overhead = dp == 1 ? 0.0 : MIN (DP_OVERHEAD_PER_RANK * dp, DP_OVERHEAD_MOST);
  out->compute_utilisation = 1.0 - (out->tp_overhead + out->bubble + out->dp_overhead);
  out->memory_gb = total / ((double) tp * pp);
  out->memory_utilisation = out->memory_gb / problem->cluster.gpu.memory_gb;
  out->limit_gb = problem->cluster.gpu.memory_gb * problem->training.memory_target;
  out->fits = out->memory_utilisation <= problem->training.memory_target;
  out->dp_bonus = gpus > 1 ? MIN (1.0, log2 (dp) / log2 (gpus)) : 0.0;
  out->score = WEIGHT_COMPUTE * out->compute_utilisation + WEIGHT_MEMORY * out->memory_utilisation
               + WEIGHT_DP * out->dp_bonus;
  out->zero_stage = out->dp == 1 ? 0 : out->memory_utilisation > ZERO_3_UTILISATION ? 3 : 2;
  out->fsdp = out->zero_stage == 3   ? SW_FSDP_FULL_SHARD
              : out->zero_stage == 2 ? SW_FSDP_SHARD_GRAD_OP
                                     : SW_FSDP_NO_SHARD;
}

/* Strategies that fit come first, by score, except those with many idle GPUs; the others by least
 * memory, then by score. */
static gboolean
is_better (const SwQuickScore *a, const SwQuickScore *b)
{
  if (a->fits != b->fits)
    return a->fits;
  if (!a->fits && a->memory_gb != b->memory_gb)
    return a->memory_gb < b->memory_gb;
  if (a->gpus_idle != b->gpus_idle)
    return a->gpus_idle < b->gpus_idle;
  return a->score > b->score;
}

static void
offer (SwQuickScoreResult *out, const SwQuickScore *score)
{
  const gboolean is_first = out->n - out->n_refused == 1;
  SwQuickScore entry = *score, previous;

  if (is_first || is_better (&entry, &out->best))
    {
      previous = out->best;
      out->best = entry;
      entry = previous;
    }
  if (is_first)
    return;
  for (guint i = 0; i < SW_QUICK_SCORE_ALTERNATIVES; i++)
    {
      const gboolean is_free = i >= out->n_alternatives;

      if (!is_free && !is_better (&entry, &out->alternatives[i]))
        continue;
      previous = out->alternatives[i];
      out->alternatives[i] = entry;
      entry = previous;
      if (is_free)
        {
          out->n_alternatives++;
          return;
        }
    }
}

/**
 * sw_quick_score_describe:
 * @problem: the question
 * @score: of the method
 * @out: (out caller-allocates): the strategy of the score, without a framework
 *
 * The method does not include sequence parallelism, recomputation or schedules: SP is on with TP,
 * and recomputation is full, which its 18 bytes per parameter imply.
 */
void
sw_quick_score_describe (const SwProblem *problem, const SwQuickScore *score, SwStrategy *out)
{
  sw_thumb_init (problem, out);
  sw_thumb_split (problem, out, score->tp, score->pp, score->dp);
  if (!sw_pins_has (&problem->pins, SW_DIM_ZERO))
    out->zero_stage = (guint8) score->zero_stage;
  sw_thumb_set_micro_batch (problem, out);
}

/* The replicas of a split: as many as the GPUs allow, or fewer that divide the batch, or the pinned
 * number. */
static guint
replicas (const SwProblem *problem, guint tp, guint pp)
{
  const SwPins *pins = &problem->pins;
  const guint cp = sw_pins_has (pins, SW_DIM_CP) ? MAX (1, pins->value.cp) : 1;
  const guint most = MAX (1, problem->cluster.gpus / (tp * pp * cp));

  if (sw_pins_has (pins, SW_DIM_DP))
    return MAX (1, pins->value.dp);
  for (guint dp = most; dp > 0; dp--)
    if (sw_thumb_micro_batch (problem, dp) > 0)
      return dp;
  return most;
}

/* Pinned values replace the method's. */
static guint
values (const SwProblem *problem, SwDimension dimension, guint *list, guint n)
{
  if (!sw_pins_has (&problem->pins, dimension))
    return n;
  list[0] = MAX (1, sw_strategy_get (&problem->pins.value, dimension));
  return 1;
}

static void
consider (const SwProblem *problem, guint tp, guint pp, SwQuickScoreResult *out)
{
  SwQuickScore score;
  SwStrategy strategy;

  if (tp * pp > problem->cluster.gpus)
    return;
  sw_quick_score_evaluate (problem, tp, pp, replicas (problem, tp, pp), &score);
  sw_quick_score_describe (problem, &score, &strategy);
  out->n++;
  if (!sw_thumb_adapt (problem, &strategy))
    {
      out->n_refused++;
      return;
    }
  out->n_fit += score.fits;
  offer (out, &score);
}

/**
 * sw_quick_score:
 * @problem: the question; `training.memory_target` is the method's target (0.8 unless set)
 * @out: (out caller-allocates): the highest score that fits, and the next three that fit
 *
 * Enumerates TP in {1, 2, 4, 8}, PP in {1, 2, 4, 8, 16} and DP = GPUs / (TP x PP) if that is a
 * whole number and a framework can run it. If nothing fits, `best` is the one with the least memory
 * per GPU, and there are no alternatives.
 */
void
sw_quick_score (const SwProblem *problem, SwQuickScoreResult *out)
{
  guint tps[] = { 1, 2, 4, 8 }, pps[] = { 1, 2, 4, 8, 16 };
  const guint n_tps = values (problem, SW_DIM_TP, tps, G_N_ELEMENTS (tps)),
              n_pps = values (problem, SW_DIM_PP, pps, G_N_ELEMENTS (pps));
  const gboolean is_pinned = n_tps == 1 || n_pps == 1;

  memset (out, 0, sizeof *out);
  for (guint i = 0; i < n_tps; i++)
    for (guint j = 0; j < n_pps; j++)
      if (is_pinned || problem->cluster.gpus % (tps[i] * pps[j]) == 0)
        consider (problem, tps[i], pps[j], out);
  /* None can run: the first, to report the rule that it breaks. */
  if (out->n == out->n_refused)
    sw_quick_score_evaluate (problem, tps[0], pps[0], replicas (problem, tps[0], pps[0]),
                             &out->best);
  out->fits = out->best.fits && out->n > out->n_refused;
  for (guint i = 0; i < out->n_alternatives; i++)
    if (!out->alternatives[i].fits)
      out->n_alternatives = i;
}

/**
 * sw_quick_score_strategy:
 * @problem: the question
 * @score: of the method
 * @out: (out caller-allocates): the strategy of the score in a framework that can run it, for the
 *   analytical model
 *
 * If the micro-batch is not set and its activations do not fit by the analytical model, it is
 * halved, because the score does not depend on it.
 */
void
sw_quick_score_strategy (const SwProblem *problem, const SwQuickScore *score, SwStrategy *out)
{
  SwEstimate estimate;

  sw_quick_score_describe (problem, score, out);
  if (!sw_thumb_adapt (problem, out) || sw_problem_stated_micro_batch (problem) > 0)
    return;
  for (;;)
    {
      sw_estimate (problem, out, &estimate);
      if (estimate.rule != SW_RULE_GPU_MEMORY || out->micro_batch == 1)
        return;
      out->micro_batch /= 2;
    }
}
