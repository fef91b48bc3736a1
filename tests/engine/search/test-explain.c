/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-changes.h"
#include "sw-ladder.h"
#include "sw-means.h"
#include "sw-explain.h"
#include "sw-search.h"
#include "sw-fixture.h"
#include "sw-search-result.h"
#include "sw-search-state.h"
#include "sw-start.h"
#include "sw-search.h"

#include <math.h>

static void
search_best (const SwProblem *problem, SwEstimate *out)
{
  const SwSearchOptions options = { .top = 1 };
  SwSearchResult result;

  sw_search (problem, &options, &result);
  g_assert_cmpuint (result.n_best, ==, 1);
  sw_estimate (problem, &result.best[0].strategy, out);
  g_assert_true (out->fits);
  sw_search_result_clear (&result);
}

static const SwNeighbour *
find (const SwReason *reason, guint value)
{
  for (guint i = 0; i < reason->n_neighbours; i++)
    if (reason->neighbours[i].value == value)
      return &reason->neighbours[i];
  return NULL;
}

static void
explain (const SwProblem *problem, const SwEstimate *chosen, SwDimension dimension, SwReason *out)
{
  SwExplainer *explainer = sw_explainer_new (problem, chosen);

  sw_explainer_explain (explainer, dimension, out);
  sw_explainer_free (explainer);
}

/* Neighbours stand in the order of their values, the chosen one among them, and every one keeps its
 * value. */
static void
check_reason (const SwProblem *problem, const SwEstimate *chosen, SwDimension dimension)
{
  guint n_chosen = 0;
  SwReason reason;

  explain (problem, chosen, dimension, &reason);
  g_assert_cmpuint (reason.value, ==, sw_strategy_get (&chosen->strategy, dimension));
  for (guint i = 0; i < reason.n_neighbours; i++)
    {
      const SwNeighbour *neighbour = &reason.neighbours[i];

      n_chosen += neighbour->chosen != 0;
      if (i > 0)
        g_assert_cmpuint (neighbour->value, >, reason.neighbours[i - 1].value);
      if (!neighbour->estimate.fits)
        {
          g_assert_cmpint (neighbour->rule, !=, SW_RULE_OK);
          if (neighbour->rule == SW_RULE_GPU_MEMORY)
            g_assert_cmpfloat (neighbour->estimate.missing_bytes, >, 0.0);
          continue;
        }
      g_assert_cmpint (neighbour->rule, ==, SW_RULE_OK);
      g_assert_cmpuint (sw_strategy_get (&neighbour->estimate.strategy, dimension), ==,
                        neighbour->value);
      /* Nothing is faster than the chosen one by more than the band in which the simpler comes
       * first. */
      if (problem->pins.mask == 0)
        g_assert_cmpfloat (neighbour->change, >=, -SW_RANK_BAND - 1e-4);
      g_assert_cmpfloat_with_epsilon (
          neighbour->change, chosen->tokens_per_s / neighbour->estimate.tokens_per_s - 1, 1e-9);
    }
  g_assert_cmpuint (n_chosen, ==, 1);
}

static void
test_neighbours (void)
{
  SwDimension dimensions[SW_N_DIMENSIONS];
  SwEstimate chosen;
  SwProblem problem;
  guint n;

  sw_fixture_problem_70b (&problem);
  search_best (&problem, &chosen);
  n = sw_explain_dimensions (&problem, &chosen, dimensions);
  g_assert_cmpuint (n, >=, 8);
  for (guint i = 0; i < n; i++)
    check_reason (&problem, &chosen, dimensions[i]);
}

/* A neighbour is the optimum under that value: the search with that value pinned finds the same. */
static void
test_neighbour_is_optimum (void)
{
  SwEstimate chosen, pinned;
  const SwNeighbour *neighbour;
  SwProblem problem;
  SwReason reason;

  sw_fixture_problem_70b (&problem);
  search_best (&problem, &chosen);
  explain (&problem, &chosen, SW_DIM_TP, &reason);
  neighbour = find (&reason, chosen.strategy.tp / 2);
  g_assert_nonnull (neighbour);
  problem.pins.mask = 1u << SW_DIM_TP;
  problem.pins.value.tp = chosen.strategy.tp / 2;
  search_best (&problem, &pinned);
  g_assert_cmpfloat_with_epsilon (pinned.time.step_s, neighbour->estimate.time.step_s, 1e-9);
}

/* How many neighbours can be had by changing that value alone; each of them costs no more than
 * that, though the search would take a simpler strategy that is up to one percent slower. */
static guint
check_alone (const SwProblem *problem, const SwEstimate *chosen, SwDimension dimension)
{
  SwReason reason;
  guint n = 0;

  explain (problem, chosen, dimension, &reason);
  for (guint i = 0; i < reason.n_neighbours; i++)
    {
      const SwNeighbour *neighbour = &reason.neighbours[i];
      SwStrategy changed = chosen->strategy;
      SwEstimate alone;

      sw_strategy_set (&changed, dimension, neighbour->value);
      sw_estimate (problem, &changed, &alone);
      if (neighbour->chosen || dimension == SW_DIM_RECOMPUTE || !alone.fits)
        continue;
      g_assert_cmpfloat (neighbour->estimate.time.step_s, <=, alone.time.step_s);
      n++;
    }
  return n;
}

static void
test_neighbour_alone (void)
{
  for (guint gpus = 32; gpus <= 256; gpus *= 2)
    {
      SwDimension dimensions[SW_N_DIMENSIONS];
      SwEstimate chosen;
      SwProblem problem;
      guint n, n_alone = 0;

      sw_fixture_problem_70b (&problem);
      problem.cluster.gpus = gpus;
      search_best (&problem, &chosen);
      n = sw_explain_dimensions (&problem, &chosen, dimensions);
      for (guint i = 0; i < n; i++)
        n_alone += check_alone (&problem, &chosen, dimensions[i]);
      g_assert_cmpuint (n_alone, >, 0);
    }
}

/* A pin of the user is kept while another dimension is varied; its own neighbours are evaluated all
 * the same. */
static void
test_pins_are_kept (void)
{
  SwEstimate chosen;
  SwProblem problem;
  SwReason reason;

  sw_fixture_problem_70b (&problem);
  problem.pins.mask = 1u << SW_DIM_PP;
  problem.pins.value.pp = 4;
  search_best (&problem, &chosen);
  g_assert_cmpuint (chosen.strategy.pp, ==, 4);
  explain (&problem, &chosen, SW_DIM_MICRO_BATCH, &reason);
  for (guint i = 0; i < reason.n_neighbours; i++)
    if (reason.neighbours[i].estimate.fits)
      g_assert_cmpuint (reason.neighbours[i].estimate.strategy.pp, ==, 4);
  explain (&problem, &chosen, SW_DIM_PP, &reason);
  g_assert_nonnull (find (&reason, 8));
  g_assert_true (find (&reason, 8)->estimate.fits);
  g_assert_cmpint (find (&reason, 8)->rule, ==, SW_RULE_OK);
}

/* What no strategy can have names the rule: 64 heads and TP 128, EP on a dense model, ZeRO 3 under
 * Megatron. */
static void
test_rules (void)
{
  SwEstimate chosen;
  SwProblem problem;
  SwReason reason;

  sw_fixture_problem_70b (&problem);
  problem.cluster.gpus = 256;
  problem.pins.mask = 1u << SW_DIM_TP;
  problem.pins.value.tp = 64;
  search_best (&problem, &chosen);
  explain (&problem, &chosen, SW_DIM_TP, &reason);
  g_assert_nonnull (find (&reason, 128));
  g_assert_cmpint (find (&reason, 128)->rule, ==, SW_RULE_TP_HEADS);
  explain (&problem, &chosen, SW_DIM_ZERO, &reason);
  g_assert_cmpint (find (&reason, 3)->rule, ==, SW_RULE_FRAMEWORK_ZERO);
}

static void
check_rule (SwProblem *problem, const SwStrategy *strategy, SwDimension dimension, guint value,
            SwRule rule)
{
  const SwNeighbour *neighbour;
  SwEstimate chosen;
  SwReason reason;

  sw_problem_prepare (problem);
  sw_estimate (problem, strategy, &chosen);
  explain (problem, &chosen, dimension, &reason);
  neighbour = find (&reason, value);
  g_assert_nonnull (neighbour);
  g_assert_cmpint (neighbour->rule, ==, rule);
  g_assert_cmpuint (sw_strategy_get (&neighbour->estimate.strategy, dimension), ==, value);
  problem->pins.mask = 0;
  g_assert_cmpint (sw_rules_check (problem, &neighbour->estimate.strategy), ==, rule);
}

/* A value is not blamed for what would go along with it: interleaving has chunks, more TP cuts the
 * experts with it, DeepSpeed's CP is Ulysses, ETP is that of the TP there is. */
static void
test_companions (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwModelSpec model;

  sw_fixture_problem_70b (&problem);
  problem.training.global_batch = 6;
  problem.training.batch_is_open = FALSE;
  problem.pins.mask = 1u << SW_DIM_PP;
  sw_fixture_strategy_70b (&strategy);
  strategy.micro_batch = 1;
  problem.pins.value = strategy;
  check_rule (&problem, &strategy, SW_DIM_SCHEDULE, SW_SCHEDULE_INTERLEAVED,
              SW_RULE_VPP_MICRO_BATCHES);

  sw_fixture_problem_70b (&problem);
  problem.cluster.gpus = 8;
  problem.training.framework = SW_FRAMEWORK_DEEPSPEED;
  strategy.framework = SW_FRAMEWORK_DEEPSPEED;
  strategy.pp = strategy.dp = strategy.shard_group = 1;
  strategy.sequence_parallel = FALSE;
  problem.pins.mask = 1u << SW_DIM_TP;
  problem.pins.value = strategy;
  check_rule (&problem, &strategy, SW_DIM_CP, 2, SW_RULE_WORLD_SIZE);

  sw_fixture_mixtral_8x7b (&model);
  sw_fixture_problem (&problem, &model, 8);
  strategy.framework = SW_FRAMEWORK_MEGATRON_CORE;
  strategy.sequence_parallel = TRUE;
  strategy.etp = 1;
  strategy.ep = 8;
  problem.pins.mask = 1u << SW_DIM_TP | 1u << SW_DIM_EP;
  problem.pins.value = strategy;
  check_rule (&problem, &strategy, SW_DIM_ETP, 8, SW_RULE_EP_WORLD);
}

/* A pinned DP takes what the other degrees leave: it is that of the present ones, and follows them. */
static void
test_followers (void)
{
  SwEstimate chosen;
  const SwNeighbour *half;
  SwProblem problem;
  SwReason reason;

  sw_fixture_problem_70b (&problem);
  problem.cluster.gpus = 64;
  problem.pins.mask = 1u << SW_DIM_PP | 1u << SW_DIM_DP | 1u << SW_DIM_TP;
  problem.pins.value = (SwStrategy){ .tp = 8, .pp = 8, .dp = 1 };
  search_best (&problem, &chosen);
  explain (&problem, &chosen, SW_DIM_PP, &reason);
  half = find (&reason, 4);
  g_assert_nonnull (half);
  g_assert_true (half->estimate.fits);
  g_assert_cmpuint (half->estimate.strategy.tp, ==, 8);
  g_assert_cmpuint (half->estimate.strategy.dp * half->estimate.strategy.cp, ==, 2);
  g_assert_cmpuint (half->estimate.gpus_idle, ==, 0);
  /* Of the micro-batch it is no less a pin than others. */
  explain (&problem, &chosen, SW_DIM_MICRO_BATCH, &reason);
  for (guint i = 0; i < reason.n_neighbours; i++)
    if (reason.neighbours[i].estimate.fits)
      g_assert_cmpuint (reason.neighbours[i].estimate.strategy.dp, ==, 1);
}

/* A batch that nobody stated is one that the GPUs in use divide; a stated one stays. */
static void
test_open_batch (void)
{
  SwEstimate chosen;
  const SwNeighbour *five;
  SwProblem problem;
  SwReason reason;

  for (guint is_open = 0; is_open <= 1; is_open++)
    {
      sw_fixture_problem_70b (&problem);
      problem.cluster.gpus = 64;
      problem.training.global_batch = is_open ? 0 : 256;
      problem.training.batch_is_open = FALSE;
      sw_problem_prepare (&problem);
      search_best (&problem, &chosen);
      chosen.strategy.pp = 4; /* whose neighbours are divisors of the layers */
      explain (&problem, &chosen, SW_DIM_PP, &reason);
      five = find (&reason, 5);
      g_assert_nonnull (five);
      g_assert_true (five->estimate.fits);
      if (!is_open)
        g_assert_cmpuint (five->global_batch, ==, 256);
      else
        {
          g_assert_cmpuint (five->global_batch % 3, ==, 0);
          g_assert_cmpuint (five->estimate.gpus_used, ==, 60);
          g_assert_cmpfloat_with_epsilon (
              five->change, chosen.tokens_per_s / five->estimate.tokens_per_s - 1, 1e-9);
        }
    }
}

/* The memory that is missing is that of the best-fitting strategy, over the limit. */
static void
test_missing (void)
{
  SwEstimate chosen;
  SwProblem problem;
  SwReason reason;
  const SwNeighbour *neighbour;

  sw_fixture_problem_70b (&problem);
  problem.pins.mask = 1u << SW_DIM_PP | 1u << SW_DIM_CP | 1u << SW_DIM_OFFLOAD
                      | 1u << SW_DIM_RECOMPUTE;
  problem.pins.value =
      (SwStrategy){ .pp = 1, .cp = 1, .offload = SW_OFFLOAD_NONE, .recompute = SW_RECOMPUTE_FULL };
  problem.pins.mask |= 1u << SW_DIM_ZERO;
  problem.pins.value.zero_stage = 1;
  search_best (&problem, &chosen);
  g_assert_cmpuint (chosen.strategy.tp, >=, 16);
  explain (&problem, &chosen, SW_DIM_TP, &reason);
  neighbour = &reason.neighbours[0];
  g_assert_cmpuint (neighbour->value, ==, chosen.strategy.tp / 2);
  g_assert_cmpint (neighbour->rule, ==, SW_RULE_GPU_MEMORY);
  g_assert_cmpfloat_with_epsilon (
      neighbour->estimate.missing_bytes,
      neighbour->estimate.memory.peak.total - neighbour->estimate.memory_limit_bytes, 1);
}

/* 70 B on one node of 8 x 24 GB: nothing fits; every change offered fits as it says. */
static void
test_changes (void)
{
  const SwSearchOptions options = { .top = 1 };
  SwChange changes[SW_MOST_CHANGES];
  SwSearchResult result;
  SwProblem problem;
  guint n, seen = 0, missed = 0;

  sw_fixture_problem_70b (&problem);
  problem.cluster.gpus = 8;
  problem.cluster.usable_bytes = 23e9;
  problem.cluster.host_ram_bytes = 256e9;
  problem.training.framework = SW_FRAMEWORK_ANY;
  problem.training.type = SW_TRAINING_FINETUNE;
  sw_search (&problem, &options, &result);
  g_assert_cmpuint (result.n_best, ==, 0);
  g_assert_cmpuint (result.n_nearest, >, 0);
  sw_search_result_clear (&result);
  n = sw_changes_tried (&problem, changes);
  g_assert_cmpuint (n, >, 0);
  for (guint i = 0; i < n; i++)
    {
      if (!changes[i].result.fits)
        {
          g_assert_cmpfloat (changes[i].result.missing_bytes, >, 0.0);
          g_assert_cmpuint (changes[i].n_parts, ==, 1);
          missed |= 1u << changes[i].parts[0].kind;
          continue;
        }
      g_assert_cmpuint (missed, ==, 0); /* those that suffice come first */
      g_assert_cmpuint (i, <, SW_MOST_WAYS);
      if (changes[i].n_parts > 1)
        continue;
      seen |= 1u << changes[i].parts[0].kind;
      if (changes[i].parts[0].kind == SW_CHANGE_GPUS)
        g_assert_cmpfloat (changes[i].parts[0].value, >, 8);
    }
  g_assert_true (seen & (1u << SW_CHANGE_GPUS));
  g_assert_true (seen & (1u << SW_CHANGE_QLORA));
  g_assert_false (seen & (1u << SW_CHANGE_UNPIN));
  g_assert_true (missed & (1u << SW_CHANGE_RECOMPUTE)); /* searched, and named all the same */
  g_assert_true (missed & (1u << SW_CHANGE_OFFLOAD));
  g_assert_true (missed & (1u << SW_CHANGE_ZERO));
  g_assert_true ((seen | missed) & (1u << SW_CHANGE_OPTIMIZER_8BIT));
  g_assert_true ((seen | missed) & (1u << SW_CHANGE_LORA));
  g_assert_true ((seen | missed) & (1u << SW_CHANGE_SEQUENCE));
}

static const SwChange *
find_change (const SwChange *changes, guint n, SwChangeKind kind)
{
  for (guint i = 0; i < n; i++)
    if (changes[i].n_parts == 1 && changes[i].parts[0].kind == kind)
      return &changes[i];
  return NULL;
}

/* 70 B made 440 B, on one node: no target and no length suffices. A shorter sequence keeps the tokens of the
 * batch, and a stated target is no change. */
static void
test_changes_keep_tokens (void)
{
  const double stated[] = { 0.85, 0.9, 0.95 }, tried[] = { 0.95, 0.95, 0.0 };
  const guint lengths[] = { 8192, 8190, 8191 }, shortest[] = { 1024, 4095, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (stated); i++)
    {
      SwChange changes[SW_MOST_CHANGES];
      const SwChange *target, *sequence;
      SwProblem problem;
      guint n;

      sw_fixture_problem_70b (&problem);
      problem.model.layers = 500;
      problem.cluster.gpus = 8;
      problem.training.memory_target = stated[i];
      problem.training.sequence_length = lengths[i];
      sw_problem_prepare (&problem);
      n = sw_changes_tried (&problem, changes);
      target = find_change (changes, n, SW_CHANGE_MEMORY_TARGET);
      g_assert_cmpfloat (target != NULL ? target->parts[0].value : 0, ==, tried[i]);
      sequence = find_change (changes, n, SW_CHANGE_SEQUENCE);
      g_assert_cmpfloat (sequence != NULL ? sequence->parts[0].value : 0, ==, shortest[i]);
    }
}

/* A pin that excludes everything is what is to be changed. */
static void
test_changes_of_pins (void)
{
  SwChange changes[SW_MOST_CHANGES];
  SwProblem problem;
  guint n;
  gboolean found = FALSE;

  sw_fixture_problem_70b (&problem);
  problem.pins.mask = 1u << SW_DIM_ZERO | 1u << SW_DIM_TP | 1u << SW_DIM_PP | 1u << SW_DIM_OFFLOAD;
  problem.pins.value =
      (SwStrategy){ .zero_stage = 0, .tp = 8, .pp = 1, .offload = SW_OFFLOAD_NONE };
  n = sw_changes_tried (&problem, changes);
  for (guint i = 0; i < n; i++)
    if (changes[i].parts[0].kind == SW_CHANGE_UNPIN && changes[i].result.fits)
      found = TRUE;
  g_assert_true (found);

  /* Where nothing fits, a fixed value that the search would choose again is not named as a change. */
  problem.model.layers = 500;
  problem.cluster.gpus = 4;
  problem.training.framework = SW_FRAMEWORK_FSDP2; /* has no pipeline of its own */
  problem.pins.mask = 1u << SW_DIM_TP | 1u << SW_DIM_PP;
  problem.pins.value.tp = 1;
  sw_problem_prepare (&problem);
  n = sw_changes_tried (&problem, changes);
  g_assert_cmpuint (n, >, 0);
  for (guint i = 0; i < n; i++)
    {
      const SwChangePart *part = &changes[i].parts[0];
      const SwDimension dimension = sw_change_dimension (part->kind);

      if (changes[i].n_parts == 1 && sw_pins_has (&problem.pins, dimension))
        g_assert_cmpfloat (part->value, !=, sw_strategy_get (&problem.pins.value, dimension));
    }
}

/* Two changes are named where neither suffices alone, or where they need far fewer GPUs; none makes it
 * another job. */
static void
test_changes_in_pairs (void)
{
  SwChange changes[SW_MOST_CHANGES];
  SwProblem problem;
  guint n, pairs = 0;

  sw_fixture_problem_70b (&problem); /* made 440 B */
  problem.model.layers = 500;
  problem.cluster.gpus = 16;
  problem.cluster.host_ram_bytes = 2e12;
  sw_problem_prepare (&problem);
  n = sw_changes_tried (&problem, changes);
  for (guint i = 0; i < n && changes[i].result.fits; i++)
    {
      const SwChange *change = &changes[i];

      pairs += change->n_parts == 2;
      for (guint j = 0; j < change->n_parts; j++)
        {
          if (change->parts[j].kind == SW_CHANGE_GPUS)
            g_assert_cmpfloat (change->parts[j].value, <=, 64 * problem.cluster.gpus);
          if (change->parts[j].kind == SW_CHANGE_SEQUENCE)
            g_assert_cmpfloat (change->parts[j].value * 8, >=, problem.training.sequence_length);
        }
      if (change->n_parts == 2 && change->parts[1].kind != SW_CHANGE_GPUS)
        for (guint j = 0; j < 2; j++)
          {
            const SwChange *alone = find_change (changes, n, change->parts[j].kind);

            g_assert_true (alone == NULL || !alone->result.fits);
          }
    }
  g_assert_cmpuint (pairs, >, 0);
}

/* A framework that holds less is named where the stated one does not suffice, and never where all were
 * searched. */
static void
test_change_of_framework (void)
{
  const SwFramework stated[] = { SW_FRAMEWORK_NANOTRON, SW_FRAMEWORK_ANY };
  guint offered[2] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (stated); i++)
    {
      SwChange changes[SW_MOST_CHANGES];
      SwProblem problem;
      guint n;

      /* QLoRA, which takes ZeRO 3 here. */
      sw_fixture_problem_70b (&problem);
      problem.cluster.gpus = 2;
      problem.cluster.usable_bytes = 30e9;
      problem.training.type = SW_TRAINING_QLORA;
      problem.training.sequence_length = 1024;
      problem.training.framework = stated[i];
      sw_problem_prepare (&problem);
      n = sw_changes_tried (&problem, changes);
      for (guint j = 0; j < n; j++)
        if (changes[j].parts[0].kind == SW_CHANGE_FRAMEWORK)
          {
            g_assert_true (changes[j].result.fits);
            g_assert_cmpuint (changes[j].result.strategy.framework, !=, stated[i]);
            offered[i]++;
          }
    }
  g_assert_cmpuint (offered[0], ==, 1);
  g_assert_cmpuint (offered[1], ==, 0);
}

/* 70 B with adapters on two cards of 24 GB: a base in four bits, on the same two, comes before memory or
 * more cards. */
static void
test_changes_keep_the_machine (void)
{
  SwChange changes[SW_MOST_CHANGES];
  SwProblem problem;
  guint n;

  sw_fixture_problem_70b (&problem);
  problem.cluster.gpus = problem.cluster.gpus_per_node = 2;
  problem.cluster.usable_bytes = 25e9;
  problem.cluster.host_ram_bytes = 128e9;
  problem.training.framework = SW_FRAMEWORK_ANY;
  problem.training.type = SW_TRAINING_LORA;
  problem.training.sequence_length = 2048;
  sw_problem_prepare (&problem);
  n = sw_changes_tried (&problem, changes);
  g_assert_cmpuint (n, >, 1);
  g_assert_cmpint (changes[0].parts[0].kind, ==, SW_CHANGE_QLORA);
  g_assert_cmpuint (changes[0].n_parts, ==, 1);
  g_assert_true (changes[0].result.fits && changes[1].result.fits);
}

/* A pinned recomputation that leaves no room for the error: the smallest change is to free it. */
static void
test_change_for_safety (void)
{
  const SwSearchOptions options = { .top = 1 };
  SwSearchResult result;
  SwEstimate now;
  SwChange change;
  SwCalibration calibration;
  SwProblem problem, asked;
  gboolean found = FALSE;

  sw_fixture_problem_70b (&problem);
  calibration = *problem.calibration;
  calibration.residual_all.memory_p90 = log (1.2);
  calibration.residual[SW_GENERATION_HOPPER][SW_FRAMEWORK_MEGATRON_CORE][FALSE][FALSE] =
      calibration.residual_all;
  problem.calibration = &calibration;
  /* Shrinks the memory until the best may not fit. */
  problem.pins.mask = 1u << SW_DIM_RECOMPUTE;
  problem.pins.value.recompute = SW_RECOMPUTE_NONE;
  problem.training.memory_target = 0.99;
  for (; problem.cluster.usable_bytes > 20e9 && !found; problem.cluster.usable_bytes *= 0.99)
    {
      asked = problem;
      sw_search_start (&asked, &options, &result);
      if (result.n_best > 0)
        {
          sw_estimate (&problem, &result.best[0].strategy, &now);
          found = now.fit == SW_FIT_MAY_NOT;
        }
      sw_search_result_clear (&result);
      if (found)
        break;
    }
  g_assert_true (found);
  g_assert_true (sw_change_for_safety (&problem, &change));
  g_assert_cmpint (change.result.fit, ==, SW_FIT_FITS);
  g_assert_cmpuint (change.n_parts, ==, 1);
  g_assert_cmpint (change.parts[0].kind, ==, SW_CHANGE_RECOMPUTE);
  g_assert_cmpfloat (change.parts[0].value, ==, change.result.strategy.recompute);
}

/* Least numbers of GPUs: each holds by its means, and each is clearly less than the one before. */
static void
test_least_gpus_by_means (void)
{
  SwLeastGpus least[SW_N_MEANS];
  SwProblem problem;
  guint n;

  sw_fixture_problem_70b (&problem);
  n = sw_least_gpus_by (&problem, least);
  g_assert_cmpuint (n, >, 1);
  g_assert_cmpint (least[0].means, ==, SW_MEANS_NONE);
  g_assert_cmpfloat (least[0].host_bytes, ==, 0.0);
  for (guint i = 0; i < n; i++)
    {
      SwProblem sized = problem;

      sized.cluster.gpus = least[i].gpus;
      sw_means_apply (&sized, least[i].means);
      g_assert_true (sw_search_fits (&sized));
      sized.cluster.gpus /= 2;
      g_assert_false (sw_search_fits (&sized));
      if (i > 0)
        g_assert_cmpuint (4 * least[i].gpus, <=, 3 * least[i - 1].gpus);
      g_assert_true (least[i].means < SW_MEANS_OFFLOAD_OPTIMIZER || least[i].host_bytes > 0.0);
    }
  problem.cluster.usable_bytes = 1e6;
  g_assert_cmpuint (sw_least_gpus_by (&problem, least), ==, 0);
}

/* Each step of the ladder needs less than the one before, at the upper end of its interval, too. */
static void
test_ladder (void)
{
  static const SwTrainingType types[] = { SW_TRAINING_PRETRAIN, SW_TRAINING_LORA };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      const SwSearchOptions options = { .top = 1 };
      SwSearchResult result;
      SwRung rungs[SW_MOST_RUNGS];
      SwEstimate start;
      SwProblem problem;
      guint n;

      sw_fixture_problem_70b (&problem);
      problem.training.type = types[i];
      sw_problem_prepare (&problem);
      sw_search_start (&problem, &options, &result);
      g_assert_cmpuint (result.n_best, >, 0);
      sw_estimate (&problem, &result.best[0].strategy, &start);
      sw_search_result_clear (&result);
      n = sw_ladder (&problem, &start, rungs);
      g_assert_cmpuint (n, ==, SW_MOST_RUNGS);
      for (guint j = 0; j < n; j++)
        {
          const SwEstimate *before = j == 0 ? &start : &rungs[j - 1].estimate;

          g_assert_true (rungs[j].estimate.fits);
          g_assert_cmpfloat (rungs[j].estimate.memory_high_bytes, <, before->memory_high_bytes);
          g_assert_cmpfloat (rungs[j].freed_bytes, >, 0.0);
          if (rungs[j].dimension != SW_N_DIMENSIONS)
            g_assert_cmpuint (sw_strategy_get (&rungs[j].estimate.strategy, rungs[j].dimension), ==,
                              rungs[j].value);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/neighbour-alone", test_neighbour_alone);
  g_test_add_func ("/explain/neighbours", test_neighbours);
  g_test_add_func ("/explain/neighbour-is-optimum", test_neighbour_is_optimum);
  g_test_add_func ("/explain/pins-are-kept", test_pins_are_kept);
  g_test_add_func ("/explain/followers", test_followers);
  g_test_add_func ("/explain/open-batch", test_open_batch);
  g_test_add_func ("/explain/rules", test_rules);
  g_test_add_func ("/explain/companions", test_companions);
  g_test_add_func ("/explain/missing", test_missing);
  g_test_add_func ("/explain/changes", test_changes);
  g_test_add_func ("/explain/changes-keep-tokens", test_changes_keep_tokens);
  g_test_add_func ("/explain/changes-of-pins", test_changes_of_pins);
  g_test_add_func ("/explain/changes-in-pairs", test_changes_in_pairs);
  g_test_add_func ("/explain/change-of-framework", test_change_of_framework);
  g_test_add_func ("/explain/changes-keep-the-machine", test_changes_keep_the_machine);
  g_test_add_func ("/explain/change-for-safety", test_change_for_safety);
  g_test_add_func ("/explain/least-gpus-by-means", test_least_gpus_by_means);
  g_test_add_func ("/explain/ladder", test_ladder);
  return g_test_run ();
}
