/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where to start: in each framework that is usual for a job, certain and proven strategies before
 * faster ones; and which of these frameworks. */
#include "sw-start.h"

#include <math.h>
#include <string.h>

#include "sw-level.h"

/**
 * sw_safe_target:
 * @problem: prepared by sw_problem_prepare()
 *
 * Returns: the share of the memory that a strategy may take so that the upper end of its interval
 *   is within the GPU's memory; with several frameworks, for the one that people usually start with
 */
double
sw_safe_target (const SwProblem *problem)
{
  SwFramework usual[SW_N_FRAMEWORKS];
  SwStrategy strategy;
  SwEstimate estimate;

  /* A strategy over all GPUs with the pinned offload: the interval only depends on these. */
  sw_strategy_init_default (&strategy);
  strategy.dp = strategy.shard_group = problem->cluster.gpus;
  if (sw_pins_has (&problem->pins, SW_DIM_OFFLOAD))
    strategy.offload = problem->pins.value.offload;
  if (problem->training.framework != SW_FRAMEWORK_ANY)
    strategy.framework = (guint8) problem->training.framework;
  else if (problem->training.usual_frameworks && sw_usual_frameworks (problem, usual) > 0)
    strategy.framework = (guint8) usual[0];
  sw_estimate (problem, &strategy, &estimate);
  return estimate.memory.peak.total / estimate.memory_high_bytes;
}

/**
 * sw_search_fits_safely:
 * @problem: prepared by sw_problem_prepare()
 *
 * Returns: whether any strategy fits by the upper end of its interval, by memory alone; with
 *   several usual frameworks, each is checked with its own interval
 */
gboolean
sw_search_fits_safely (const SwProblem *problem)
{
  SwFramework frameworks[SW_N_FRAMEWORKS] = { problem->training.framework };
  guint n = 1;

  if (frameworks[0] == SW_FRAMEWORK_ANY && problem->training.usual_frameworks)
    n = sw_usual_frameworks (problem, frameworks);
  for (guint i = 0; i < n; i++)
    {
      SwProblem asked = *problem;

      asked.training.framework = frameworks[i];
      asked.training.memory_target = MIN (asked.training.memory_target, sw_safe_target (&asked));
      if (sw_search_fits (&asked))
        return TRUE;
    }
  return FALSE;
}

/* Searches with a memory target. TRUE: something was found, or the search was cancelled. */
static gboolean
finds (SwProblem *problem, double target, const SwSearchOptions *options, SwSearchResult *out)
{
  sw_search_result_clear (out);
  memset (out, 0, sizeof *out);
  problem->training.memory_target = target;
  problem->training.target_steers = FALSE; /* the estimates respect the target, too */
  sw_search (problem, options, out);
  return out->n_best > 0 || out->was_cancelled;
}

/* Whether the first strategy found leaves at least half of the GPUs idle, which is no answer for that
 * many GPUs. */
static gboolean
is_for_fewer (const SwProblem *problem, const SwSearchResult *found)
{
  return found->n_best > 0 && sw_leaves_half_idle (problem, &found->best[0].strategy);
}

/* Memory targets between a certain fit and a possible fit, tried one after another. */
#define TIGHT_STEPS 4
/* Each further target must save at least this share of the time. */
#define STEP_PAYS 0.25

/* Starts with the strategy that needs the least memory, and continues while a little more memory
 * makes it much faster. */
static void
step_on (SwProblem *problem, double safe, double asked, guint step, const SwSearchOptions *options,
         SwSearchResult *out)
{
  while (++step <= TIGHT_STEPS && out->n_best > 0 && !out->was_cancelled)
    {
      SwProblem roomier = *problem;
      SwSearchResult found = { 0 };

      if (!finds (&roomier, safe + (asked - safe) * step / TIGHT_STEPS, options, &found)
          || found.n_best == 0
          || found.best[0].seconds_per_token * (1 + STEP_PAYS) > out->best[0].seconds_per_token)
        {
          sw_search_result_clear (&found);
          return;
        }
      sw_search_result_clear (out);
      *out = found;
      *problem = roomier;
    }
}

/* A strategy that may not fit comes before one that certainly fits with offload only if it is this
 * many times faster. */
#define WORTH_THE_RISK 2.0

/* Makes @problem exclude @left_out and nothing else. Returns: the memory target of a certain fit. */
static double
leave_out (SwProblem *problem, guint left_out)
{
  SwProblem interval = *problem; /* its interval counts */

  if (left_out != problem->training.left_out && !sw_pins_has (&problem->pins, SW_DIM_OFFLOAD))
    {
      interval.pins.mask |= 1u << SW_DIM_OFFLOAD;
      interval.pins.value.offload = SW_OFFLOAD_OPTIMIZER;
    }
  problem->training.left_out = left_out;
  return MIN (problem->training.memory_target, sw_safe_target (&interval));
}

/* Whether a certain fit with offload comes before @out, which may not fit; if so, replaces @out.
 * @first: the question before it was narrowed */
static gboolean
offloads_safely (const SwProblem *first, SwProblem *problem, const SwSearchOptions *options,
                 SwSearchResult *out)
{
  SwProblem offloads = *first;
  SwSearchResult found = { 0 };
  double safe;

  if ((first->training.left_out & SW_UNTRIED_OFFLOAD) == 0
      || sw_pins_has (&first->pins, SW_DIM_OFFLOAD) || out->n_best == 0)
    return FALSE;
  safe = leave_out (&offloads, first->training.left_out & ~SW_UNTRIED_OFFLOAD);
  if (!finds (&offloads, safe, options, &found) || found.n_best == 0
      || is_for_fewer (&offloads, &found)
      || found.best[0].seconds_per_token > WORTH_THE_RISK * out->best[0].seconds_per_token)
    {
      out->was_cancelled |= found.was_cancelled;
      sw_search_result_clear (&found);
      return FALSE;
    }
  sw_search_result_clear (out);
  *out = found;
  *problem = offloads;
  return TRUE;
}

/* Like sw_search_start(), for one framework or the union of several. */
static SwStartClass
start_one (SwProblem *problem, const SwSearchOptions *options, SwSearchResult *out)
{
  /* Excludes less and less: offload, which some recipes use, is allowed before the rest. */
  const struct {
    guint left_out;
    SwStartClass safe, tight;
  } stages[] = {
    { problem->training.left_out, SW_START_SAFE, SW_START_TIGHT },
    { problem->training.left_out & ~SW_UNTRIED_OFFLOAD, SW_START_UNTRIED, SW_START_UNTRIED_TIGHT },
    { 0, SW_START_ODD, SW_START_ODD },
  };
  const SwProblem first = *problem;
  const double asked = problem->training.memory_target, most = sw_memory_most (problem);
  SwSearchResult of_fewer = { 0 };
  SwProblem whole = *problem, fewer;

  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    {
      double safe;

      if (i > 0 && stages[i].left_out == problem->training.left_out)
        continue;
      problem->training.memory_target = asked;
      safe = leave_out (problem, stages[i].left_out);
      if (finds (problem, safe, options, out) && !is_for_fewer (problem, out))
        return stages[i].safe;
      /* A strategy that leaves half of the GPUs idle is only kept in case none of the others
       * fits. */
      if (out->n_best > 0)
        {
          fewer = *problem;
          of_fewer = *out;
          *out = (SwSearchResult){ 0 };
        }
      else if (i == 0)
        {
          /* If nothing fits at all, further stages are pointless; if nothing meets the target, the
           * larger one is searched instead. */
          whole.training.left_out = 0;
          if (!finds (&whole, MAX (asked, most), options, out))
            {
              *problem = whole;
              return SW_START_NONE;
            }
          whole.training.memory_target = asked;
          if (!out->was_cancelled && most > asked && !sw_search_fits (&whole))
            {
              *problem = first;
              problem->training.memory_target = most;
              return start_one (problem, options, out);
            }
        }
      for (guint step = 1; step <= TIGHT_STEPS && safe < asked; step++)
        if (finds (problem, safe + (asked - safe) * step / TIGHT_STEPS, options, out)
            && (!is_for_fewer (problem, out) || of_fewer.n_best == 0))
          {
            sw_search_result_clear (&of_fewer);
            step_on (problem, safe, asked, step, options, out);
            return i == 0 && offloads_safely (&first, problem, options, out) ? SW_START_UNTRIED
                                                                             : stages[i].tight;
          }
      if (of_fewer.n_best > 0)
        {
          sw_search_result_clear (out);
          *out = of_fewer;
          *problem = fewer;
          return i == 0 ? stages[i].safe : SW_START_ODD;
        }
    }
  return SW_START_NONE;
}

/* ---- several frameworks ---- */

/* The work of the threads. */
typedef struct {
  const SwSearchOptions *options;
  SwStart *starts;
  guint n;
  int next; /* atomic: index of the first unclaimed framework */
} Share;

static gpointer
find_starts (gpointer data)
{
  Share *share = data;
  guint taken;

  while ((taken = (guint) g_atomic_int_add (&share->next, 1)) < share->n)
    {
      SwStart *start = &share->starts[taken];

      start->class = start_one (&start->asked, share->options, &start->search);
    }
  return NULL;
}

/* Seconds per token of the best strategy; if nothing fits, the bytes that each GPU of the nearest
 * strategy is short of. */
static double
cost_of (const SwStart *start)
{
  const SwSearchResult *search = &start->search;
  const guint node = MAX (1, start->asked.cluster.gpus_per_node);
  SwEstimate nearest;

  if (start->class != SW_START_NONE && search->n_best > 0)
    return search->best[0].seconds_per_token;
  if (search->n_nearest == 0)
    return INFINITY;
  sw_estimate (&start->asked, &search->nearest[0].strategy, &nearest);
  return sw_search_distance (&start->asked, &nearest.strategy, nearest.missing_bytes)
         / (nearest.rule == SW_RULE_HOST_MEMORY ? node : 1);
}

static int
compare_starts (gconstpointer a, gconstpointer b)
{
  const SwStart *left = a, *right = b;
  const double x = cost_of (left), y = cost_of (right);
  const gboolean fit = left->class != SW_START_NONE && right->class != SW_START_NONE,
                 is_last = sw_is_last_resort (&left->asked, left->framework);

  if (fit && is_last != sw_is_last_resort (&right->asked, right->framework))
    return is_last ? 1 : -1;
  if (left->class != right->class)
    return left->class > right->class ? -1 : 1;
  return (x > y) - (x < y);
}

static void
move_to_front (SwStart *starts, guint index)
{
  const SwStart first = starts[index];

  memmove (starts + 1, starts, index * sizeof *starts);
  starts[0] = first;
}

/* If the most certain need offload: puts one that may not fit first if it is much faster. */
static void
take_risk (SwStart *starts, guint n)
{
  for (guint i = 1; i < n && starts[0].class == SW_START_UNTRIED; i++)
    if (starts[i].class == SW_START_TIGHT
        && cost_of (&starts[i]) * WORTH_THE_RISK < cost_of (&starts[0]))
      move_to_front (starts, i);
}

/* Among the most certain, an expert's first choice, unless another is faster by more than the error
 * of its figures. */
static void
put_first (SwStart *starts, guint n, const SwFramework *usual)
{
  const double limit = cost_of (&starts[0]) * (1 + SW_FRAMEWORK_BAND);

  if (starts[0].class == SW_START_NONE)
    return;
  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < n; j++)
      if (starts[j].framework == usual[i]
          && starts[j].class == starts[0].class && cost_of (&starts[j]) <= limit)
        {
          move_to_front (starts, j);
          return;
        }
}

/**
 * sw_start_frameworks:
 * @problem: prepared by sw_problem_prepare()
 * @options: see #SwSearchOptions; its threads share the frameworks
 * @starts: (out caller-allocates): where to start in each usual framework of the job, best first;
 *   if the question states a framework, only in that. Clear with sw_start_clear()
 *
 * The first is the recommendation: among the most certain the fastest, and among those within a
 * tenth of it the one that people usually start with. The others follow by certainty and speed;
 * those in which nothing fits by missing memory.
 *
 * Returns: their number
 */
guint
sw_start_frameworks (const SwProblem *problem, const SwSearchOptions *options,
                     SwStart starts[SW_N_FRAMEWORKS])
{
  const gboolean is_open = problem->training.framework == SW_FRAMEWORK_ANY
                           && problem->training.usual_frameworks;
  SwFramework usual[SW_N_FRAMEWORKS] = { problem->training.framework };
  const guint n = is_open ? sw_usual_frameworks (problem, usual) : 1;
  const guint n_threads = CLAMP (options->threads, 1, n) - 1;
  GThread *threads[SW_N_FRAMEWORKS];
  Share share = { .options = options, .starts = starts, .n = n };

  for (guint i = 0; i < n; i++)
    {
      memset (&starts[i], 0, sizeof starts[i]);
      starts[i].framework = usual[i];
      starts[i].asked = *problem;
      starts[i].asked.training.framework = usual[i];
    }
  for (guint i = 0; i < n_threads; i++)
    threads[i] = g_thread_new ("start", find_starts, &share);
  find_starts (&share);
  for (guint i = 0; i < n_threads; i++)
    g_thread_join (threads[i]);
  qsort (starts, n, sizeof *starts, compare_starts);
  take_risk (starts, n);
  put_first (starts, n, usual);
  return n;
}

/**
 * sw_start_clear:
 * @starts: from sw_start_frameworks()
 * @n: their number
 */
void
sw_start_clear (SwStart *starts, guint n)
{
  for (guint i = 0; i < n; i++)
    sw_search_result_clear (&starts[i].search);
}

/**
 * sw_search_start:
 * @problem: (inout): prepared by sw_problem_prepare(); its memory target, its exclusion of untried
 *   strategies and, if it leaves the framework open, its framework are set to those with which
 *   something was found
 * @options: see #SwSearchOptions
 * @out: (out caller-allocates): as for sw_search(); free with sw_search_result_clear()
 *
 * Finds the strategy to start with: the best that fits by the upper end of its interval, otherwise
 * the best that may not fit. If the question excludes untried strategies and no other fits, untried
 * ones follow in the same order. For several frameworks see sw_start_frameworks().
 */
void
sw_search_start (SwProblem *problem, const SwSearchOptions *options, SwSearchResult *out)
{
  SwStart starts[SW_N_FRAMEWORKS];
  const guint n = sw_start_frameworks (problem, options, starts);

  g_assert (n > 0);
  *problem = starts[0].asked;
  *out = starts[0].search;
  for (guint i = 1; i < n; i++)
    out->was_cancelled |= starts[i].search.was_cancelled;
  sw_start_clear (starts + 1, n - 1);
}

/* Longer sequences are split until no part exceeds this: recipes of Megatron-Bridge use no context
 * parallelism at 8,192 tokens, or two parts. */
#define LONGEST_PART 8192

typedef struct {
  SwConvention convention;
  guint8 zero_stage;
  guint8 recompute; /* tried first; full if nothing fits with it */
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

/* The candidates, and the best so far. */
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
 * Returns: the largest number of replicas that the GPUs allow and that divides the batch; at least
 * 1
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
 * Returns: how its users split a model first
 */
SwConvention
sw_convention_of (SwFramework framework)
{
  g_return_val_if_fail (framework < SW_N_FRAMEWORKS, SW_CONVENTION_MODEL);

  return conventions[framework].convention;
}

/* Considers a strategy with these parallel sizes: keeps it if it fits, or if it is closer to
 * fitting than previous ones. The remaining GPUs are replicas, as many as divide the batch.
 * Returns: whether it fits. */
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

/* Experts are spread over a node before layers are split, because whole experts need fewer
 * splits. */
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
 * @problem: a prepared question; its pins have no effect
 * @framework: a SwFramework
 * @out: (out): of the conventional strategy of the framework's users: the first that fits,
 *   otherwise the one with the least missing memory
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
