/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The strategy that somebody who knows a framework writes down without a search. */
#include "sw-conventional.h"

/* Longer sequences are split until a part is no longer than this: recipes of Megatron-Bridge go
 * without context parallelism at 8,192 tokens, or have two parts of it. */
#define LONGEST_PART 8192

typedef struct {
  SwConvention convention;
  guint8 zero_stage;
  guint8 recompute; /* first; full where nothing fits with it */
} Convention;

/* TP within the fast links of a node, then PP as memory requires, and DP for the remaining GPUs:
 * Narayanan et al. 2021, takeaways 1 to 3, with the recomputation of all layers of that time;
 * Megatron-Core's parallelism guide and Nanotron's documentation have the same order, with the
 * distributed optimizer and without recomputation. FSDP's tutorials, TorchTitan's 8B configuration,
 * Accelerate's and DeepSpeed's guides for models that do not fit into one GPU: full sharding (ZeRO
 * 3) over all GPUs with activation checkpointing. */
static const Convention conventions[SW_N_FRAMEWORKS] = {
  [SW_FRAMEWORK_ANY] = { SW_CONVENTION_MODEL, 1, SW_RECOMPUTE_NONE },
  [SW_FRAMEWORK_MEGATRON_2021] = { SW_CONVENTION_MODEL, 0, SW_RECOMPUTE_FULL },
  [SW_FRAMEWORK_MEGATRON_CORE] = { SW_CONVENTION_MODEL, 1, SW_RECOMPUTE_NONE },
  [SW_FRAMEWORK_FSDP] = { SW_CONVENTION_DATA, 3, SW_RECOMPUTE_FULL },
  [SW_FRAMEWORK_FSDP2] = { SW_CONVENTION_DATA, 3, SW_RECOMPUTE_FULL },
  [SW_FRAMEWORK_DEEPSPEED] = { SW_CONVENTION_DATA, 3, SW_RECOMPUTE_FULL },
  [SW_FRAMEWORK_NANOTRON] = { SW_CONVENTION_MODEL, 1, SW_RECOMPUTE_NONE },
  [SW_FRAMEWORK_HF_TRAINER] = { SW_CONVENTION_DATA, 3, SW_RECOMPUTE_FULL },
  [SW_FRAMEWORK_UNSLOTH] = { SW_CONVENTION_DATA, 0, SW_RECOMPUTE_FULL },
  [SW_FRAMEWORK_TORCHTUNE] = { SW_CONVENTION_DATA, 3, SW_RECOMPUTE_FULL },
  [SW_FRAMEWORK_VERL] = { SW_CONVENTION_DATA, 3, SW_RECOMPUTE_FULL },
  [SW_FRAMEWORK_OPENRLHF] = { SW_CONVENTION_DATA, 3, SW_RECOMPUTE_FULL },
};

/* What is looked for among, and the best so far. */
typedef struct {
  SwProblem problem;
  const Convention *convention;
  const SwFrameworkRules *rules;
  guint cp, ep;
  SwEstimate *out;
  gboolean has_any;
} Attempt;

/**
 * sw_replicas_within:
 * @problem: a prepared question
 * @ranks: GPUs of a replica
 * @micro_batch: sequences
 *
 * Returns: the most replicas that there are GPUs for and that the batch divides over; at least 1
 */
guint
sw_replicas_within (const SwProblem *problem, guint ranks, guint micro_batch)
{
  guint replicas = MAX (1, problem->cluster.gpus / MAX (1, ranks));

  while (replicas > 1
         && problem->training.global_batch % ((guint64) replicas * MAX (1, micro_batch)) != 0)
    replicas--;
  return replicas;
}

/**
 * sw_convention_of:
 * @framework: a SwFramework
 *
 * Returns: how its users begin
 */
SwConvention
sw_convention_of (SwFramework framework)
{
  g_return_val_if_fail (framework < SW_N_FRAMEWORKS, SW_CONVENTION_MODEL);

  return conventions[framework].convention;
}

/* Takes a strategy with these parallel sizes if it fits, or if it is closer to fitting than those
 * tried before; the remaining GPUs are replicas, as many as the batch divides over. Returns whether
 * it fits. */
static gboolean
try_degrees (Attempt *self, guint tp, guint pp, guint recompute)
{
  const SwProblem *problem = &self->problem;
  SwStrategy strategy;
  SwEstimate estimate;
  gboolean lacks_memory;

  sw_strategy_init_default (&strategy);
  strategy.framework = (guint8) problem->training.framework;
  strategy.tp = tp;
  strategy.pp = pp;
  strategy.cp = self->cp;
  strategy.cp_method = (guint8) MAX (g_bit_nth_lsf (self->rules->cp_method_mask, -1), 0);
  strategy.ep = self->ep;
  strategy.etp = self->rules->etp && self->ep > 1 ? 1 : tp;
  strategy.sequence_parallel = tp > 1 && self->rules->sp;
  strategy.micro_batch = MAX (1, sw_problem_stated_micro_batch (problem));
  strategy.recompute = (guint8) recompute;
  strategy.dp = sw_replicas_within (problem, tp * pp * self->cp, strategy.micro_batch);
  strategy.shard_group = strategy.dp;
  strategy.zero_stage = strategy.dp * strategy.cp > 1 ? self->convention->zero_stage : 0;
  sw_estimate (problem, &strategy, &estimate);
  lacks_memory = estimate.rule == SW_RULE_GPU_MEMORY;
  if (!self->has_any || estimate.fits
      || (lacks_memory
          && (self->out->rule != SW_RULE_GPU_MEMORY
              || estimate.missing_bytes < self->out->missing_bytes)))
    {
      *self->out = estimate;
      self->has_any = TRUE;
    }
  return estimate.fits;
}

/* Experts are spread over a node before layers are split; whole experts need less of that. */
static gboolean
try_model (Attempt *self, guint recompute)
{
  const SwProblem *problem = &self->problem;
  const guint gpus = problem->cluster.gpus, node = problem->cluster.gpus_per_node,
              layers = problem->model.layers,
              heads = self->rules->kv_heads_at_least_tp ? problem->model.kv_heads
                                                        : problem->model.attention_heads;
  guint most = 1;

  for (guint tp = 1; tp <= MIN (node, gpus); tp *= 2)
    if (heads % tp == 0 && tp * self->cp <= gpus && (tp == 1 || self->rules->tp))
      most = tp;
  for (guint tp = self->ep > 1 ? 1 : most; tp <= most; tp *= 2)
    {
      if (self->ep == 1)
        for (guint less = 1; less < most; less *= 2)
          if (try_degrees (self, less, 1, recompute))
            return TRUE;
      for (guint pp = 1; pp <= layers && tp * pp * self->cp <= gpus; pp++)
        if (sw_usual_pp (problem, self->rules->framework, pp) && (pp == 1 || self->rules->pp)
            && try_degrees (self, tp, pp, recompute))
          return TRUE;
    }
  return FALSE;
}

/**
 * sw_conventional_strategy:
 * @problem: a prepared question; its pins are of no effect
 * @framework: a SwFramework
 * @out: (out): of the strategy that the framework's users begin with: the first of them that fits,
 *   else the one that lacks least
 */
void
sw_conventional_strategy (const SwProblem *problem, SwFramework framework, SwEstimate *out)
{
  Attempt self = { .problem = *problem, .cp = 1, .ep = 1, .out = out };

  g_return_if_fail (framework < SW_N_FRAMEWORKS);

  if (framework == SW_FRAMEWORK_ANY)
    framework = SW_FRAMEWORK_MEGATRON_CORE;
  self.convention = &conventions[framework];
  self.rules = sw_framework_rules (framework);
  self.problem.training.framework = framework;
  self.problem.pins.mask = 0;
  if (self.convention->convention == SW_CONVENTION_DATA)
    {
      try_degrees (&self, 1, 1, self.convention->recompute);
      return;
    }
  if (self.rules->cp)
    while (problem->training.sequence_length / self.cp > LONGEST_PART
           && 2 * self.cp <= problem->cluster.gpus)
      self.cp *= 2;
  if (self.rules->ep && problem->model.moe.experts > 0)
    for (guint ep = 2;
         ep <= problem->cluster.gpus_per_node && ep * self.cp <= problem->cluster.gpus; ep++)
      if (problem->model.moe.experts % ep == 0)
        self.ep = ep;
  if (!try_model (&self, self.convention->recompute))
    try_model (&self, SW_RECOMPUTE_FULL);
}
