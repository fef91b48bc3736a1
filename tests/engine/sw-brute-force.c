/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-brute-force.h"

#include "sw-level.h"

/* What brute force found over the whole cross product. */
typedef struct {
  const SwProblem *problem;
  SwProblem open; /* without the pins */
  GArray *all;    /* of SwCandidate: what fits */
} Brute;

/* What came of one strategy; see the space in sw-search-space.c. */
typedef enum {
  FITS,
  POINTLESS,
  INVALID,
  TOO_BIG,
} Outcome;

gboolean
sw_keeps_pins (const SwProblem *problem, const SwStrategy *s)
{
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (sw_pins_has (&problem->pins, (SwDimension) i)
        && sw_strategy_get (s, (SwDimension) i)
               != sw_strategy_get (&problem->pins.value, (SwDimension) i))
      return FALSE;
  return TRUE;
}

static Outcome
try_estimate (Brute *brute, const SwStrategy *strategy, SwCandidate *out)
{
  SwEstimate estimate;

  if (sw_rules_check (&brute->open, strategy) != SW_RULE_OK)
    return INVALID;
  sw_estimate (&brute->open, strategy, &estimate);
  if (!estimate.fits)
    return TOO_BIG;
  *out = (SwCandidate){ *strategy, 0, (float) estimate.time.step_s,
                        (float) estimate.memory.peak.total };
  return FITS;
}

static guint
most_first_layers (const Brute *brute, const SwStrategy *s)
{
  SwSplit split;

  sw_split (brute->problem, s, &split);
  return (sw_split_most_layers (&split) + s->vpp - 1) / s->vpp * s->vpp;
}

/* With so many of the first layers recomputed; none is no recomputation. */
static Outcome
try_layers (Brute *brute, SwStrategy *s, guint layers, SwEstimate *estimate)
{
  s->recompute = layers > 0 ? SW_RECOMPUTE_FULL_LAYERS : SW_RECOMPUTE_NONE;
  s->full_layers = layers;
  if (sw_rules_check (&brute->open, s) != SW_RULE_OK)
    return INVALID;
  sw_estimate (&brute->open, s, estimate);
  return estimate->fits ? FITS : TOO_BIG;
}

/* Of first-N recomputation the smallest N that fits, one after the other; with offloaded activations
 * more while the step waits for them and one more makes it faster. Where it fits without any, more
 * than the first must make it faster. As many layers in every chunk. All of them are full
 * recomputation, which takes the multi-token-prediction layers with it. Leaves N in the strategy:
 * the most where none fits, 0 where none has to be recomputed. */
static Outcome
try_first_layers (Brute *brute, SwStrategy *s, SwCandidate *out)
{
  const guint most = most_first_layers (brute, s);
  const gboolean pinned = sw_pins_has (&brute->problem->pins, SW_DIM_RECOMPUTE);
  SwEstimate now, more;
  const gboolean kept = !pinned && try_layers (brute, s, 0, &now) == FITS;
  Outcome outcome = TOO_BIG;
  guint n = 0;

  while (outcome == TOO_BIG && n + s->vpp <= most)
    outcome = try_layers (brute, s, n += s->vpp, &now);
  while (outcome == FITS && s->offload == SW_OFFLOAD_ACTIVATIONS && now.time.offload_exposed_s > 0
         && n + s->vpp <= most && try_layers (brute, s, n + s->vpp, &more) == FITS
         && more.time.step_s < now.time.step_s)
    {
      now = more;
      n += s->vpp;
    }
  s->recompute = SW_RECOMPUTE_FULL_LAYERS;
  s->full_layers = kept && (n == s->vpp || outcome == TOO_BIG) ? 0 : n;
  if (outcome == INVALID)
    return INVALID;
  *out = (SwCandidate){ *s, 0, (float) now.time.step_s, (float) now.memory.peak.total };
  if (kept && (s->offload != SW_OFFLOAD_ACTIVATIONS || s->full_layers == 0))
    {
      s->full_layers = 0;
      return POINTLESS;
    }
  if (outcome == FITS && n == most && brute->problem->model.mtp_layers == 0 && !pinned)
    return POINTLESS;
  return outcome;
}

static void
take (Brute *brute, const SwCandidate *candidate)
{
  if (!sw_is_left_out (brute->problem, &candidate->strategy))
    g_array_append_vals (brute->all, candidate, 1);
}

static gboolean
shards_nothing (const SwStrategy *s)
{
  return s->dp * s->cp == 1 && sw_strategy_edp (s) == 1;
}

/* If nothing is sharded, the lowest ZeRO stage that fits represents all; it stays in the
 * strategy. */
static Outcome
try_offload (Brute *brute, SwStrategy *s, SwOffload offload, SwCandidate *out)
{
  const guint most = shards_nothing (s) ? 3 : s->zero_stage;
  Outcome outcome = INVALID;

  s->offload = (guint8) offload;
  for (guint zero = shards_nothing (s) ? 0 : most; zero <= most; zero++)
    {
      Outcome one;

      s->zero_stage = (guint8) zero;
      if (sw_pins_has (&brute->problem->pins, SW_DIM_ZERO)
          && brute->problem->pins.value.zero_stage != zero)
        continue;
      one = s->recompute == SW_RECOMPUTE_FULL_LAYERS ? try_first_layers (brute, s, out)
                                                     : try_estimate (brute, s, out);
      if (one == FITS || one == POINTLESS)
        return one;
      outcome = one == TOO_BIG ? TOO_BIG : outcome;
    }
  return outcome;
}

/* With an offload what fits without: of interest where it may be faster. Everything else must not
 * be. */
static void
try_faster (Brute *brute, const SwStrategy *without, double step_s, SwOffload offload)
{
  const gboolean pays = sw_offload_may_pay (brute->problem);
  SwStrategy s = *without;
  SwCandidate candidate;
  Outcome outcome = try_offload (brute, &s, offload, &candidate);
  const gboolean fewer = s.full_layers < without->full_layers;

  /* All layers are as pointless as without, but the same strategy may be faster. */
  if (outcome == POINTLESS && pays && s.full_layers > 0)
    outcome = FITS;
  if (outcome != FITS || s.full_layers > without->full_layers)
    return;
  if (pays || fewer)
    take (brute, &candidate);
  else
    g_assert_cmpfloat (candidate.step_s, >=, step_s * (1 - 1e-6));
}

/* Without offload; where that does not fit, or may be slower, with each kind of it, unless one is
 * pinned. */
static void
try_offloads (Brute *brute, SwStrategy s)
{
  const gboolean pinned = sw_pins_has (&brute->problem->pins, SW_DIM_OFFLOAD);
  const gboolean first = s.recompute == SW_RECOMPUTE_FULL_LAYERS;
  SwCandidate candidate;
  Outcome outcome;

  if (!pinned || brute->problem->pins.value.offload == SW_OFFLOAD_NONE)
    {
      outcome = try_offload (brute, &s, SW_OFFLOAD_NONE, &candidate);
      if (outcome == FITS)
        take (brute, &candidate);
      for (guint offload = SW_OFFLOAD_OPTIMIZER; (outcome == FITS || outcome == POINTLESS)
                                                 && !pinned && offload <= SW_OFFLOAD_ACTIVATIONS;
           offload++)
        if (!first || s.full_layers > 0)
          try_faster (brute, &s, candidate.step_s, (SwOffload) offload);
      if (outcome != TOO_BIG)
        return;
    }
  for (guint offload = SW_OFFLOAD_OPTIMIZER; offload <= SW_OFFLOAD_ACTIVATIONS; offload++)
    {
      SwStrategy own = s;

      if (pinned && offload != brute->problem->pins.value.offload)
        continue;
      outcome = try_offload (brute, &own, (SwOffload) offload, &candidate);
      if (outcome == FITS)
        take (brute, &candidate);
    }
}

/* Groups of no effect are none of the space unless they are pinned. */
static void
try_sharding (Brute *brute, SwStrategy s)
{
  const SwPins *pins = &brute->problem->pins;
  const gboolean pinned = sw_pins_has (pins, SW_DIM_SHARD_GROUP);
  const guint first = sw_pins_has (pins, SW_DIM_ZERO) ? pins->value.zero_stage : 0;

  for (guint zero = first; zero <= (shards_nothing (&s) ? first : 3); zero++)
    for (guint group = s.dp; group > 0; group--)
      {
        if (!pinned && group < (zero == 0 ? s.dp : MIN (2, s.dp)))
          continue;
        s.zero_stage = (guint8) zero;
        s.shard_group = group;
        s.offload = brute->problem->pins.value.offload;
        if (sw_keeps_pins (brute->problem, &s))
          try_offloads (brute, s);
      }
}

static void
try_recomputes (Brute *brute, SwStrategy s)
{
  guint sets[SW_MOST_MODULE_SETS];
  const guint n = sw_pins_has (&brute->problem->pins, SW_DIM_RECOMPUTE)
                      ? 1
                      : sw_usual_modules (brute->problem, (SwFramework) s.framework, sets);

  for (guint r = SW_RECOMPUTE_NONE; r <= SW_RECOMPUTE_FULL_LAYERS; r++)
    {
      s.recompute = (guint8) r;
      try_sharding (brute, s);
    }
  s.recompute = SW_RECOMPUTE_SELECTIVE;
  for (guint i = 1; i < n; i++)
    {
      s.recompute_modules = sets[i];
      try_sharding (brute, s);
    }
}

static void
try_schedules (Brute *brute, SwStrategy s)
{
  const SwPins *pins = &brute->problem->pins;
  const gboolean pinned = sw_pins_has (pins, SW_DIM_SCHEDULE) || sw_pins_has (pins, SW_DIM_VPP);

  for (guint schedule = SW_SCHEDULE_GPIPE; schedule <= SW_SCHEDULE_ZERO_BUBBLE; schedule++)
    for (guint vpp = 1; vpp <= brute->problem->model.layers / s.pp; vpp++)
      {
        s.schedule = (guint8) schedule;
        s.vpp = vpp;
        if ((vpp > 1) != (schedule == SW_SCHEDULE_INTERLEAVED)
            || (s.pp == 1 && schedule != SW_SCHEDULE_1F1B && !pinned))
          continue;
        try_recomputes (brute, s);
      }
}

static void
try_experts (Brute *brute, SwStrategy s)
{
  const SwProblem *problem = brute->problem;
  const SwPins *pins = &problem->pins;
  const gboolean two = problem->model.moe.experts > 0 || sw_pins_has (pins, SW_DIM_ETP);
  const gboolean pinned = sw_pins_has (pins, SW_DIM_MICRO_BATCH);

  for (guint ep = 1; ep <= MAX (1, problem->model.moe.experts); ep++)
    for (guint etp = 0; etp <= (s.tp > 1 && two); etp++)
      for (guint mbs = 1; mbs <= problem->training.global_batch; mbs++)
        {
          s.ep = ep;
          s.etp = etp ? 1 : s.tp;
          s.micro_batch = mbs;
          if (mbs > 1 && mbs * problem->training.sequence_length > (1u << 17) && !pinned)
            break;
          if (problem->training.micro_batch == 0 || problem->training.micro_batch == mbs || pinned)
            try_schedules (brute, s);
        }
}

/* One rank: the method is of no effect, and one stands for all. */
static void
try_contexts (Brute *brute, SwStrategy s)
{
  const SwPins *pins = &brute->problem->pins;
  const guint only = sw_pins_has (pins, SW_DIM_CP_METHOD) ? pins->value.cp_method : SW_CP_RING;

  for (guint method = s.cp > 1 ? SW_CP_RING : only; method <= (s.cp > 1 ? SW_CP_ULYSSES : only);
       method++)
    for (guint sp = 0; sp <= 1; sp++)
      {
        s.cp_method = (guint8) method;
        s.sequence_parallel = (guint8) sp;
        try_experts (brute, s);
      }
}

/* The whole cross product, without any bound or order. */
static void
try_framework (Brute *brute, SwFramework framework)
{
  const guint gpus = brute->problem->cluster.gpus;
  SwStrategy s;

  sw_strategy_init_default (&s);
  s.framework = (guint8) framework;
  for (s.tp = 1; s.tp <= gpus; s.tp++)
    for (s.cp = 1; s.tp * s.cp <= gpus; s.cp++)
      for (s.pp = 1; s.tp * s.cp * s.pp <= gpus && s.pp <= brute->problem->model.layers; s.pp++)
        for (s.dp = 1; s.tp * s.cp * s.pp * s.dp <= gpus; s.dp++)
          try_contexts (brute, s);
}

GArray *
sw_brute_force (const SwProblem *problem)
{
  const SwFramework asked = problem->training.framework;
  Brute brute = { problem, *problem, g_array_new (FALSE, FALSE, sizeof (SwCandidate)) };

  brute.open.pins.mask = 0;
  brute.open.training.micro_batch = 0;
  for (guint i = SW_FRAMEWORK_MEGATRON_2021; i < SW_N_FRAMEWORKS; i++)
    if (i == asked
        || (asked == SW_FRAMEWORK_ANY && i != SW_FRAMEWORK_MEGATRON_2021 && i < SW_N_ENGINES))
      try_framework (&brute, (SwFramework) i);
  return brute.all;
}
