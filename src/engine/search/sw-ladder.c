/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A series of changes for a strategy that runs out of memory. From the strategy before it, each
 * step takes the change that frees the most memory for the time that it costs. Nothing is searched:
 * at the cluster, people change one thing at a time. */
#include "sw-ladder.h"

#include "sw-framework.h"

/* A step must lower the upper end of the memory interval by at least this share of its initial
 * value. */
#define LEAST_FREED 0.04
/* Costs below this count as zero. */
#define LEAST_COST 0.005
/* If the memory freed per time differs by less than this factor, the step that costs less time
 * comes first. */
#define AS_GOOD 1.25

/* The search for one step. */
typedef struct {
  const SwProblem *problem; /* without the user's pins, which must give way when memory runs out */
  const SwEstimate *start, *from;
  guint untried; /* SwUntried that a step may introduce */
  guint moved;   /* bits 1 << SwDimension: sizes changed by previous steps, which stay */
  SwRung best;
  double score, cost;
  gboolean found;
} Step;

static double
seconds_per_token (const SwEstimate *estimate)
{
  return 1.0 / estimate->tokens_per_s;
}

/* Compares a strategy with the best step so far. */
static void
try_on (Step *self, const SwProblem *problem, const SwStrategy *strategy, SwDimension dimension,
        guint value)
{
  SwEstimate estimate;
  double freed, cost, score;

  sw_estimate (problem, strategy, &estimate);
  if (!estimate.fits || (estimate.untried & ~self->untried) != 0)
    return;
  freed = self->from->memory_high_bytes - estimate.memory_high_bytes;
  if (freed < LEAST_FREED * self->start->memory_high_bytes
      || estimate.memory.peak.total >= self->from->memory.peak.total)
    return;
  cost = MAX (seconds_per_token (&estimate) / seconds_per_token (self->from) - 1.0, LEAST_COST);
  score = freed / cost;
  if (self->found
      && (cost < self->cost ? AS_GOOD * score <= self->score : score <= AS_GOOD * self->score))
    return;
  self->found = TRUE;
  self->score = score;
  self->cost = cost;
  self->best = (SwRung){ .dimension = dimension, .value = value, .estimate = estimate };
}

static void
try_strategy (Step *self, const SwStrategy *strategy, SwDimension dimension)
{
  try_on (self, self->problem, strategy, dimension, sw_strategy_get (strategy, dimension));
}

static void
try_micro_batches (Step *self)
{
  SwStrategy s = self->from->strategy;

  if (s.micro_batch == 1)
    return;
  if (s.micro_batch % 2 == 0)
    {
      s.micro_batch /= 2;
      try_strategy (self, &s, SW_DIM_MICRO_BATCH);
    }
  s.micro_batch = 1;
  try_strategy (self, &s, SW_DIM_MICRO_BATCH);
}

/* Increases recomputation: selective, half of a stage's layers, all. */
static void
try_recomputation (Step *self)
{
  static const SwRecompute kinds[] = { SW_RECOMPUTE_SELECTIVE, SW_RECOMPUTE_FULL_LAYERS,
                                       SW_RECOMPUTE_FULL };
  const SwStrategy s = self->from->strategy;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (s.recompute != SW_RECOMPUTE_FULL && kinds[i] != s.recompute)
      {
        SwStrategy changed = s;

        changed.recompute = (guint8) kinds[i];
        changed.full_layers = kinds[i] == SW_RECOMPUTE_FULL_LAYERS
                                  ? (self->problem->model.layers / s.pp + 1) / 2
                                  : 0;
        changed.recompute_modules = 0;
        try_strategy (self, &changed, SW_DIM_RECOMPUTE);
      }
}

static void
try_sharding (Step *self)
{
  SwStrategy s = self->from->strategy;

  if (s.zero_stage == 0)
    s.shard_group = s.dp;
  while (s.zero_stage < 3)
    {
      s.zero_stage++;
      try_strategy (self, &s, SW_DIM_ZERO);
    }
}

/* Sets a parallel size and the values that depend on it. */
static void
set_degree (const Step *self, SwStrategy *s, SwDimension dimension, guint value)
{
  const SwStrategy *from = &self->from->strategy;
  const SwFrameworkRules *rules = sw_framework_rules ((SwFramework) s->framework);

  sw_strategy_set (s, dimension, value);
  if (dimension == SW_DIM_TP)
    {
      s->sequence_parallel = value > 1 && (from->tp > 1 ? from->sequence_parallel : rules->sp);
      s->etp = from->etp == from->tp ? value : from->etp;
    }
  else if (dimension == SW_DIM_DP)
    s->shard_group = from->shard_group == from->dp ? value : MIN (from->shard_group, value);
  else if (dimension == SW_DIM_PP && value == 1)
    s->vpp = 1;
}

/* The methods of context parallelism when it starts, and a pipeline with and without chunks. */
static void
try_degree (Step *self, const SwStrategy *strategy, SwDimension dimension)
{
  SwStrategy s = *strategy;

  if (dimension == SW_DIM_CP && self->from->strategy.cp == 1)
    for (guint method = SW_CP_RING; method <= SW_CP_ULYSSES; method++)
      {
        s.cp_method = (guint8) method;
        try_strategy (self, &s, dimension);
      }
  else
    try_strategy (self, &s, dimension);
  if (s.pp == self->from->strategy.pp)
    return;
  s = *strategy;
  s.vpp = 1;
  s.schedule = SW_SCHEDULE_1F1B;
  try_strategy (self, &s, dimension);
}

/* Doubles one parallel size and halves another, so that the number of GPUs stays. */
static void
try_degrees (Step *self)
{
  static const SwDimension degrees[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_CP, SW_DIM_DP };
  const SwStrategy *from = &self->from->strategy;
  SwStrategy s = *from;

  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    for (guint j = 0; j < G_N_ELEMENTS (degrees); j++)
      {
        const guint halved = sw_strategy_get (from, degrees[j]);

        if (i == j || degrees[i] == SW_DIM_DP || halved % 2 != 0
            || (self->moved & (1u << degrees[i] | 1u << degrees[j])) != 0)
          continue;
        s = *from;
        set_degree (self, &s, degrees[j], halved / 2);
        set_degree (self, &s, degrees[i], 2 * sw_strategy_get (from, degrees[i]));
        try_degree (self, &s, degrees[i]);
      }
  s = *from;
  s.ep *= 2;
  if (self->problem->model.moe.experts > 0)
    try_strategy (self, &s, SW_DIM_EP);
}

/* Halves the sequence, which changes the training: a last resort. */
static void
try_shorter (Step *self)
{
  SwProblem shorter = *self->problem;

  if (shorter.training.sequence_length % 2 != 0 || shorter.training.global_batch > G_MAXUINT / 2)
    return;
  shorter.training.sequence_length /= 2;
  shorter.training.global_batch *= 2;
  try_on (self, &shorter, &self->from->strategy, SW_N_DIMENSIONS, shorter.training.sequence_length);
}

/* Hardly measured and slow: only if nothing else is left. */
static void
try_offloads (Step *self)
{
  SwStrategy s = self->from->strategy;

  self->untried = ~0u;
  for (guint offload = SW_OFFLOAD_OPTIMIZER; offload <= SW_OFFLOAD_ACTIVATIONS; offload++)
    if (s.offload == SW_OFFLOAD_NONE)
      {
        SwStrategy changed = s;

        changed.offload = (guint8) offload;
        /* Each replica keeps its shard of the states on the host. */
        if (offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
          changed.zero_stage = 3;
        else if (offload == SW_OFFLOAD_OPTIMIZER)
          changed.zero_stage = MAX (changed.zero_stage, 1);
        if (s.zero_stage == 0)
          changed.shard_group = s.dp;
        try_strategy (self, &changed, SW_DIM_OFFLOAD);
      }
}

/**
 * sw_ladder:
 * @problem: a prepared question
 * @start: an estimate of a strategy that fits
 * @rungs: (out): steps, each with less memory than the one before it, also at the upper end of its
 *   interval
 *
 * Returns: the number of steps
 */
guint
sw_ladder (const SwProblem *problem, const SwEstimate *start, SwRung rungs[SW_MOST_RUNGS])
{
  static const SwDimension degrees[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_CP };
  SwProblem open = *problem;
  guint n = 0, moved = 0;

  open.pins.mask = 0;
  open.training.micro_batch = 0;
  while (n < SW_MOST_RUNGS)
    {
      Step step = {
        .problem = &open,
        .start = start,
        .from = n == 0 ? start : &rungs[n - 1].estimate,
        .untried = start->untried,
        .moved = moved,
      };

      try_micro_batches (&step);
      try_recomputation (&step);
      try_sharding (&step);
      try_degrees (&step);
      if (!step.found)
        try_shorter (&step);
      if (!step.found)
        try_offloads (&step);
      if (!step.found)
        break;
      for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
        if (sw_strategy_get (&step.best.estimate.strategy, degrees[i])
            != sw_strategy_get (&step.from->strategy, degrees[i]))
          moved |= 1u << degrees[i];
      rungs[n] = step.best;
      rungs[n].freed_bytes = start->memory.peak.total - step.best.estimate.memory.peak.total;
      rungs[n].change = seconds_per_token (&step.best.estimate) / seconds_per_token (start) - 1.0;
      if (step.best.dimension == SW_N_DIMENSIONS)
        {
          open.training.global_batch *= open.training.sequence_length / step.best.value;
          open.training.sequence_length = step.best.value;
        }
      n++;
    }
  return n;
}
