/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contextual recommendations: which ones apply to a result. */
#include "sw-advice.h"

const char *const sw_advice_names[] = {
  "does-not-fit",  "raise-tp",    "bigger-gpu",      "tp-overhead",  "memory-high",
  "memory-low",    "dp-one",      "tp-across-nodes", "bubble-large", "communication-high",
  "batch-large",   "batch-small", "gpus-idle",       "pin-costs",    "pins-cost",
  "batch-default", NULL
};

/* Triggers of the method (quick-score). */
#define MEMORY_HIGH 0.9
#define MEMORY_LOW 0.5
#define TP_MANY 8
#define BIG_MODEL 70e9

/* Triggers of the analytical model. More micro-batches reduce a bubble over 10 %; one part of
 * communication to ten of compute is the playbook's rule (1 / 11 of the sum). Batches: below 256 K
 * tokens large clusters starve; beyond 16 M tokens pre-training recipes see diminishing returns
 * (the critical batch size, McCandlish et al. 2018; Llama 3 ends at 16 M). */
#define BUBBLE_LARGE 0.1
#define COMMUNICATION_HIGH (1.0 / 11.0)
#define BATCH_SMALL_TOKENS 2.56e5
/* Time that a step spends once, regardless of its micro-batches; four times the batch saves three
 * quarters of it, which is worth suggesting if it may be enough. */
#define ONCE_A_STEP (SW_WORTH_ANOTHER_BATCH / 0.75)

static guint
bit (SwAdviceCode code, gboolean applies)
{
  return applies ? 1u << code : 0;
}

static guint
memory_advice (gboolean fits, double utilisation)
{
  return bit (SW_ADVICE_MEMORY_HIGH, fits && utilisation > MEMORY_HIGH)
         | bit (SW_ADVICE_MEMORY_LOW, fits && utilisation < MEMORY_LOW);
}

static guint
misfit_advice (const SwProblem *problem, gboolean fits, guint tp)
{
  return bit (SW_ADVICE_DOES_NOT_FIT, !fits) | bit (SW_ADVICE_RAISE_TP, !fits && tp < TP_MANY)
         | bit (SW_ADVICE_BIGGER_GPU, !fits && sw_problem_named_parameters (problem) >= BIG_MODEL);
}

/**
 * sw_quick_score_advice:
 * @problem: the question
 * @result: of sw_quick_score()
 *
 * Returns: the set (bit 1 << SwAdviceCode) of the method's recommendations that apply
 */
guint
sw_quick_score_advice (const SwProblem *problem, const SwQuickScoreResult *result)
{
  const SwQuickScore *best = &result->best;

  /* Neither more TP nor a larger GPU helps if no framework runs the strategy. */
  return bit (SW_ADVICE_DOES_NOT_FIT, !result->fits) | misfit_advice (problem, best->fits, best->tp)
         | bit (SW_ADVICE_TP_OVERHEAD, best->tp >= TP_MANY)
         | memory_advice (result->fits, best->memory_utilisation)
         | bit (SW_ADVICE_DP_ONE, best->dp == 1 && problem->cluster.gpus > 1);
}

static guint
batch_advice (const SwProblem *problem)
{
  const double tokens = (double) problem->training.global_batch * problem->training.sequence_length;
  const gboolean pretrain = problem->training.type == SW_TRAINING_PRETRAIN;

  return bit (SW_ADVICE_BATCH_LARGE, pretrain && tokens > SW_BATCH_LARGE_TOKENS)
         | bit (SW_ADVICE_BATCH_SMALL, pretrain && tokens < BATCH_SMALL_TOKENS);
}

/* Whether more sequences per step could increase the throughput. */
static gboolean
starves (const SwEstimate *estimate)
{
  const SwTime *time = &estimate->time;
  const double once = time->bubble_s + time->dp_exposed_s + time->optimizer_s + time->other_s;

  return estimate->gpus_idle > 0 || estimate->gradient_accumulation == 1
         || once > ONCE_A_STEP * time->step_s;
}

/**
 * sw_estimate_advice:
 * @problem: the question
 * @estimate: of the strategy in question
 *
 * The same recommendations from the analytical model's figures, and those that only this model
 * provides: TP beyond one node or NVLink domain, bubble over 10 %, communication over a tenth of
 * compute, idle GPUs, pre-training batches beyond 16.8 M or below 256 K tokens, and a default batch
 * if a larger one may be faster. For a strategy that does not fit, only what may make it fit: more
 * TP if there are GPUs for it.
 *
 * Returns: the set (bit 1 << SwAdviceCode) that applies
 */
guint
sw_estimate_advice (const SwProblem *problem, const SwEstimate *estimate)
{
  const SwStrategy *strategy = &estimate->strategy;
  const guint tp = strategy->tp * 2 <= problem->cluster.gpus ? strategy->tp : TP_MANY;
  /* Neither a larger parallel size nor a larger GPU helps if no memory would: a rule of the
   * framework. */
  const gboolean lacks_memory = estimate->rule == SW_RULE_OK
                                || estimate->rule == SW_RULE_GPU_MEMORY;
  const guint misfit = misfit_advice (problem, estimate->fits, tp)
                       & (lacks_memory ? G_MAXUINT : 1u << SW_ADVICE_DOES_NOT_FIT);

  if (!estimate->fits)
    return misfit | batch_advice (problem);
  return batch_advice (problem) | memory_advice (estimate->fits, estimate->memory_utilisation)
         | bit (SW_ADVICE_TP_OVERHEAD, strategy->tp >= TP_MANY)
         | bit (SW_ADVICE_DP_ONE, strategy->dp == 1 && sw_strategy_gpus (strategy) > 1)
         | bit (SW_ADVICE_TP_ACROSS_NODES,
                sw_cluster_tp_together (&problem->cluster, strategy->tp) < strategy->tp)
         | bit (SW_ADVICE_BUBBLE_LARGE, estimate->bubble_fraction > BUBBLE_LARGE)
         | bit (SW_ADVICE_COMMUNICATION_HIGH, estimate->communication_overhead > COMMUNICATION_HIGH)
         | bit (SW_ADVICE_GPUS_IDLE, lacks_memory && estimate->gpus_idle > 0)
         | bit (SW_ADVICE_BATCH_DEFAULT, problem->training.batch_is_open && starves (estimate));
}

/**
 * sw_playbook_advice:
 * @problem: the question
 * @estimate: of the decision tree's strategy
 *
 * Returns: the set (bit 1 << SwAdviceCode) of what the tree checks when training is slow and what
 * it cannot decide; nothing that would change its decision
 */
guint
sw_playbook_advice (const SwProblem *problem, const SwEstimate *estimate)
{
  return sw_estimate_advice (problem, estimate)
         & (1u << SW_ADVICE_BUBBLE_LARGE | 1u << SW_ADVICE_COMMUNICATION_HIGH
            | 1u << SW_ADVICE_GPUS_IDLE | 1u << SW_ADVICE_BATCH_LARGE
            | 1u << SW_ADVICE_BATCH_SMALL);
}
