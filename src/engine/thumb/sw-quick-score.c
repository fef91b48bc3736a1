/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The weighted score: a rule of thumb beside the analytical model, as published. Its constants are
 * the method's own; nothing else in the program uses them. */
#include "sw-quick-score.h"

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
#define DEFAULT_MICRO_BATCH 4
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

static guint
micro_batch (const SwProblem *problem)
{
  const guint stated = sw_problem_stated_micro_batch (problem);

  return stated > 0 ? stated : DEFAULT_MICRO_BATCH;
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
 * + p - 1); DP 1 % for each rank, at most 10 %, none for one. Score = 0.6 compute utilisation + 0.3
 * memory utilisation
 * + 0.1 min (1, log2 DP / log2 GPUs); the last term's form is ours, only its weight was published.
 */
void
sw_quick_score_evaluate (const SwProblem *problem, guint tp, guint pp, guint dp, SwQuickScore *out)
{
  const double total = sw_quick_score_total_gb (problem->count.total,
                                                sw_training_is_adapter (&problem->training));
  const guint gpus = problem->cluster.gpus;
  const double bonus = gpus > 1 ? MIN (1.0, log2 (dp) / log2 (gpus)) : 0.0;

  memset (out, 0, sizeof *out);
  out->tp = tp;
  out->pp = pp;
  out->dp = dp;
  out->micro_batches = problem->training.global_batch == 0
                           ? DEFAULT_MICRO_BATCHES
                           : MAX (1, problem->training.global_batch / (dp * micro_batch (problem)));
  out->tp_overhead = MIN (TP_OVERHEAD_PER_RANK * (tp - 1), TP_OVERHEAD_MOST);
  out->bubble = (pp - 1.0) / (out->micro_batches + pp - 1.0);
  out->dp_overhead = dp == 1 ? 0.0 : MIN (DP_OVERHEAD_PER_RANK * dp, DP_OVERHEAD_MOST);
  out->compute_utilisation = 1.0 - (out->tp_overhead + out->bubble + out->dp_overhead);
  out->memory_gb = total / ((double) tp * pp);
  out->memory_utilisation = out->memory_gb / problem->cluster.gpu.memory_gb;
  out->fits = out->memory_utilisation <= problem->training.memory_target;
  out->score = WEIGHT_COMPUTE * out->compute_utilisation + WEIGHT_MEMORY * out->memory_utilisation
               + WEIGHT_DP * bonus;
  out->zero_stage = out->dp == 1 ? 0 : out->memory_utilisation > ZERO_3_UTILISATION ? 3 : 2;
  out->fsdp = out->zero_stage == 3   ? SW_FSDP_FULL_SHARD
              : out->zero_stage == 2 ? SW_FSDP_SHARD_GRAD_OP
                                     : SW_FSDP_NO_SHARD;
}

/* Those that fit by score; of the others the one with the least memory, equal ones by score. */
static gboolean
is_better (const SwQuickScore *a, const SwQuickScore *b)
{
  if (a->fits != b->fits)
    return a->fits;
  if (!a->fits && a->memory_gb != b->memory_gb)
    return a->memory_gb < b->memory_gb;
  return a->score > b->score;
}

static void
offer (SwQuickScoreResult *out, guint *n, const SwQuickScore *score)
{
  SwQuickScore entry = *score, previous;

  if (*n == 0 || is_better (&entry, &out->best))
    {
      previous = out->best;
      out->best = entry;
      entry = previous;
    }
  if ((*n)++ == 0)
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
 * sw_quick_score:
 * @problem: the question; `training.memory_target` is the method's target (0.8 unless set)
 * @out: (out caller-allocates): the highest score that fits, and the next three that fit
 *
 * Enumerates TP in {1, 2, 4, 8}, PP in {1, 2, 4, 8, 16} and DP = GPUs / (TP x PP) where that is
 * whole. Where nothing fits, `best` is the one with the least memory per GPU, and there are no
 * alternatives.
 */
void
sw_quick_score (const SwProblem *problem, SwQuickScoreResult *out)
{
  guint n = 0;

  memset (out, 0, sizeof *out);
  for (guint tp = 1; tp <= 8; tp *= 2)
    for (guint pp = 1; pp <= 16; pp *= 2)
      {
        SwQuickScore score;

        if (problem->cluster.gpus % (tp * pp) != 0)
          continue;
        sw_quick_score_evaluate (problem, tp, pp, problem->cluster.gpus / (tp * pp), &score);
        offer (out, &n, &score);
      }
  out->fits = out->best.fits;
  for (guint i = 0; i < out->n_alternatives; i++)
    if (!out->alternatives[i].fits)
      out->n_alternatives = i;
}

/**
 * sw_quick_score_strategy:
 * @problem: the question
 * @score: of the method
 * @out: (out caller-allocates): the strategy that the score describes, for the analytical model
 *
 * The method does not know of sequence parallelism, recomputation or schedules: SP is on with TP,
 * and activations are recomputed wholly, which is what its 18 bytes per parameter leave room for.
 */
void
sw_quick_score_strategy (const SwProblem *problem, const SwQuickScore *score, SwStrategy *out)
{
  SwFramework framework = problem->training.framework;

  sw_strategy_init_default (out);
  if (framework == SW_FRAMEWORK_ANY)
    framework = SW_FRAMEWORK_MEGATRON_CORE;
  out->framework = (guint8) framework;
  out->tp = out->etp = score->tp;
  out->pp = score->pp;
  out->dp = out->shard_group = score->dp;
  out->zero_stage = (guint8) score->zero_stage;
  out->sequence_parallel = score->tp > 1;
  out->micro_batch = micro_batch (problem);
  out->recompute = SW_RECOMPUTE_FULL;
}
