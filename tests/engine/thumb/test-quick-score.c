/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-fixture.h"
#include "sw-advice.h"

/* 70 B parameters by name; GPUs of a nominal memory, the method's own target, m = 8. */
static void
problem_70b (SwProblem *problem, guint gpus, double memory_gb)
{
  sw_fixture_problem_70b (problem);
  problem->cluster.gpus = gpus;
  problem->cluster.gpu.memory_gb = memory_gb;
  problem->count.total = 70e9;
  problem->training.memory_target = 0.8;
  problem->training.global_batch = 0;
  problem->training.micro_batch = 4;
  problem->training.framework = SW_FRAMEWORK_ANY;
}

static void
assert_near (double value, double expected, double epsilon)
{
  g_assert_cmpfloat_with_epsilon (value, expected, epsilon);
}

static void
test_memory (void)
{
  assert_near (sw_quick_score_total_gb (70e9, FALSE) / 1.15, 1260.0, 1e-6);
  assert_near (sw_quick_score_total_gb (70e9, FALSE), 1449.0, 1e-6);
  /* (140 + 12.6) x 1.15 */
  assert_near (sw_quick_score_total_gb (70e9, TRUE), 175.49, 1e-6);
}

static void
test_overheads (void)
{
  static const struct {
    guint tp;
    double overhead;
  } rows[] = { { 1, 0.0 }, { 2, 0.03 }, { 4, 0.09 }, { 8, 0.20 } };
  SwQuickScore score;
  SwProblem problem;

  problem_70b (&problem, 64, 80);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      sw_quick_score_evaluate (&problem, rows[i].tp, 1, 1, &score);
      assert_near (score.tp_overhead, rows[i].overhead, 1e-12);
    }
  sw_quick_score_evaluate (&problem, 1, 1, 1, &score);
  assert_near (score.dp_overhead, 0.0, 1e-12);
  sw_quick_score_evaluate (&problem, 1, 1, 4, &score);
  assert_near (score.dp_overhead, 0.04, 1e-12);
  sw_quick_score_evaluate (&problem, 1, 1, 64, &score);
  assert_near (score.dp_overhead, 0.10, 1e-12);
}

/* m = 16 by a global batch of 64 on DP 1 and micro-batch 4: (4 - 1) / (16 + 4 - 1) = 3/19. */
static void
test_bubble (void)
{
  SwQuickScore score;
  SwProblem problem;

  problem_70b (&problem, 64, 80);
  problem.training.global_batch = 64;
  sw_quick_score_evaluate (&problem, 1, 4, 1, &score);
  g_assert_cmpuint (score.micro_batches, ==, 16);
  assert_near (score.bubble, 3.0 / 19.0, 1e-12);
}

/* TP 4, PP 2, DP 8, m = 8: 1 - 0.09 - 1/9 - 0.08 = 71.9 %. */
static void
test_utilisation (void)
{
  SwQuickScore score;
  SwProblem problem;

  problem_70b (&problem, 64, 80);
  sw_quick_score_evaluate (&problem, 4, 2, 8, &score);
  g_assert_cmpuint (score.micro_batches, ==, 8);
  assert_near (score.compute_utilisation, 1 - 0.09 - 1.0 / 9.0 - 0.08, 1e-12);
  assert_near (score.memory_gb, 1449.0 / 8, 1e-9);
  /* log2 (8) / log2 (64) = 1/2 */
  assert_near (score.score, 0.6 * score.compute_utilisation + 0.3 * score.memory_utilisation + 0.05,
               1e-12);
}

/* 256 x H100, TP 4, PP 4, DP 16: 90.6 GB a GPU is over 80 % of 80 GB; the published 68 % needs m
 * = 20. */
static void
test_published_256 (void)
{
  SwQuickScore score;
  SwProblem problem;

  problem_70b (&problem, 256, 80);
  problem.training.global_batch = 20 * 16 * 4;
  sw_quick_score_evaluate (&problem, 4, 4, 16, &score);
  assert_near (score.memory_gb, 90.5625, 1e-9);
  g_assert_false (score.fits);
  g_assert_cmpuint (score.micro_batches, ==, 20);
  assert_near (score.compute_utilisation, 1 - 0.09 - 3.0 / 23.0 - 0.10, 1e-12);
  assert_near (score.compute_utilisation, 0.68, 0.005);
}

/* Only TP 8 with PP 4 (or more) fits 64 GB a GPU: 1449 / 32 = 45.3 GB. */
static void
test_winner_64 (void)
{
  SwQuickScoreResult result;
  SwProblem problem;

  problem_70b (&problem, 64, 80);
  sw_quick_score (&problem, &result);
  g_assert_true (result.fits);
  g_assert_cmpuint (result.best.tp, ==, 8);
  g_assert_cmpuint (result.best.pp, ==, 4);
  g_assert_cmpuint (result.best.dp, ==, 2);
  assert_near (result.best.compute_utilisation, 1 - 0.20 - 3.0 / 11.0 - 0.02, 1e-12);
  assert_near (result.best.compute_utilisation, 0.507, 0.0005);
  assert_near (result.best.memory_utilisation, 1449.0 / 32 / 80, 1e-12);
  /* DP 2 at 57 %: stage 2. */
  g_assert_cmpuint (result.best.zero_stage, ==, 2);
  g_assert_cmpint (result.best.fsdp, ==, SW_FSDP_SHARD_GRAD_OP);
  g_assert_cmpuint (result.n_alternatives, >, 0);
  for (guint i = 0; i < result.n_alternatives; i++)
    {
      g_assert_true (result.alternatives[i].fits);
      g_assert_cmpfloat (result.alternatives[i].score, <=,
                         i > 0 ? result.alternatives[i - 1].score : result.best.score);
    }
}

/* Every candidate by hand: no better one was passed over. */
static void
test_winner_is_highest (void)
{
  static const guint pps[] = { 1, 2, 4, 8, 16 };
  SwQuickScoreResult result;
  SwProblem problem;

  problem_70b (&problem, 128, 141);
  sw_quick_score (&problem, &result);
  for (guint tp = 1; tp <= 8; tp *= 2)
    for (guint i = 0; i < G_N_ELEMENTS (pps); i++)
      {
        SwQuickScore score;

        sw_quick_score_evaluate (&problem, tp, pps[i], 128 / (tp * pps[i]), &score);
        if (score.fits)
          g_assert_cmpfloat (score.score, <=, result.best.score);
      }
}

static void
test_zero (void)
{
  static const struct {
    guint dp;
    double memory_gb;
    guint zero;
    SwFsdpStrategy fsdp;
  } rows[] = {
    { 1, 80, 0, SW_FSDP_NO_SHARD },
    { 2, 60, 3, SW_FSDP_FULL_SHARD },    /* 1449 / 32 = 45.3 of 60: 75 % */
    { 2, 80, 2, SW_FSDP_SHARD_GRAD_OP }, /* 57 % */
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      SwQuickScore score;
      SwProblem problem;

      problem_70b (&problem, 64, rows[i].memory_gb);
      sw_quick_score_evaluate (&problem, 8, 4, rows[i].dp, &score);
      g_assert_cmpuint (score.zero_stage, ==, rows[i].zero);
      g_assert_cmpint (score.fsdp, ==, rows[i].fsdp);
    }
}

static void
test_strategy (void)
{
  SwQuickScoreResult result;
  SwStrategy strategy;
  SwProblem problem;

  problem_70b (&problem, 64, 80);
  sw_quick_score (&problem, &result);
  sw_quick_score_strategy (&problem, &result.best, &strategy);
  g_assert_cmpuint (strategy.tp, ==, 8);
  g_assert_cmpuint (strategy.pp, ==, 4);
  g_assert_cmpuint (strategy.dp, ==, 2);
  g_assert_cmpuint (strategy.zero_stage, ==, 2);
  g_assert_cmpuint (strategy.micro_batch, ==, 4);
  g_assert_cmpuint (strategy.sequence_parallel, ==, 1);
}

static guint
advice_of (const SwProblem *problem)
{
  SwQuickScoreResult result;

  sw_quick_score (problem, &result);
  return sw_quick_score_advice (problem, &result);
}

#define HAS(set, code) g_assert_cmphex ((set) & (1u << (code)), !=, 0)
#define HAS_NOT(set, code) g_assert_cmphex ((set) & (1u << (code)), ==, 0)

/* Each of the method's recommendations, triggered and not. */
static void
test_advice (void)
{
  SwProblem problem;
  guint set;

  /* 8 x 80 GB: 1449 GB over at most TP 8 is 181 GB. */
  problem_70b (&problem, 8, 80);
  set = advice_of (&problem);
  HAS (set, SW_ADVICE_DOES_NOT_FIT);
  HAS (set, SW_ADVICE_BIGGER_GPU);
  HAS (set, SW_ADVICE_DP_ONE);
  HAS_NOT (set, SW_ADVICE_MEMORY_LOW);

  /* 2 GPUs: TP 2 is all there is. */
  problem_70b (&problem, 2, 80);
  problem.count.total = 13e9;
  set = advice_of (&problem);
  HAS (set, SW_ADVICE_DOES_NOT_FIT);
  HAS (set, SW_ADVICE_RAISE_TP);
  HAS_NOT (set, SW_ADVICE_BIGGER_GPU);
  HAS_NOT (set, SW_ADVICE_TP_OVERHEAD);

  /* The winner on 64: TP 8, DP 2, 57 %. */
  problem_70b (&problem, 64, 80);
  set = advice_of (&problem);
  HAS (set, SW_ADVICE_TP_OVERHEAD);
  HAS_NOT (set, SW_ADVICE_DOES_NOT_FIT);
  HAS_NOT (set, SW_ADVICE_RAISE_TP);
  HAS_NOT (set, SW_ADVICE_DP_ONE);
  HAS_NOT (set, SW_ADVICE_MEMORY_HIGH);
  HAS_NOT (set, SW_ADVICE_MEMORY_LOW);

  /* 1 B on 8 GPUs takes a quarter of one. */
  problem_70b (&problem, 8, 80);
  problem.count.total = 1e9;
  set = advice_of (&problem);
  HAS (set, SW_ADVICE_MEMORY_LOW);

  /* 3.5 B on one GPU with a target of 95 %: 72.5 of 80 GB, and no GPU to spare for DP. */
  problem_70b (&problem, 1, 80);
  problem.count.total = 3.6e9;
  problem.training.memory_target = 0.95;
  set = advice_of (&problem);
  HAS (set, SW_ADVICE_MEMORY_HIGH);
  HAS_NOT (set, SW_ADVICE_DP_ONE);
}

/* The reference strategy with small micro-batches, which fits. */
static void
reference (SwProblem *problem, SwStrategy *strategy)
{
  sw_fixture_problem_70b (problem);
  sw_fixture_strategy_70b (strategy);
  strategy->micro_batch = 1;
  strategy->recompute = SW_RECOMPUTE_FULL;
}

/* Those of the analytical model: a strategy and question that call for each, and the reference that
 * does not. */
static void
test_estimate_advice (void)
{
  SwStrategy strategy;
  SwEstimate estimate;
  SwProblem problem;
  guint set;

  reference (&problem, &strategy);
  sw_estimate (&problem, &strategy, &estimate);
  g_assert_true (estimate.fits);
  set = sw_estimate_advice (&problem, &estimate);
  HAS (set, SW_ADVICE_TP_OVERHEAD);
  HAS (set, SW_ADVICE_DP_ONE);
  HAS_NOT (set, SW_ADVICE_TP_ACROSS_NODES);
  HAS_NOT (set, SW_ADVICE_GPUS_IDLE);
  HAS_NOT (set, SW_ADVICE_BATCH_LARGE);
  HAS_NOT (set, SW_ADVICE_BATCH_SMALL);
  HAS_NOT (set, SW_ADVICE_DOES_NOT_FIT);

  strategy.tp = strategy.etp = 16;
  strategy.pp = 1;
  problem.cluster.usable_bytes *= 4; /* for a job that does not fit only that is reported */
  sw_estimate (&problem, &strategy, &estimate);
  g_assert_true (estimate.fits);
  set = sw_estimate_advice (&problem, &estimate);
  HAS (set, SW_ADVICE_TP_ACROSS_NODES);
  HAS (set, SW_ADVICE_GPUS_IDLE);
  HAS (set, SW_ADVICE_COMMUNICATION_HIGH);
  HAS_NOT (set, SW_ADVICE_BUBBLE_LARGE);
}

static void
test_estimate_advice_batch (void)
{
  SwStrategy strategy;
  SwEstimate estimate;
  SwProblem problem;
  guint set;

  reference (&problem, &strategy);
  /* Four micro-batches on four stages: a bubble of 3/7. */
  strategy.tp = strategy.etp = 8;
  strategy.pp = 4;
  problem.training.global_batch = 4;
  sw_estimate (&problem, &strategy, &estimate);
  set = sw_estimate_advice (&problem, &estimate);
  HAS (set, SW_ADVICE_BUBBLE_LARGE);
  HAS (set, SW_ADVICE_BATCH_SMALL);

  problem.training.global_batch = 4096;
  sw_estimate (&problem, &strategy, &estimate);
  HAS (sw_estimate_advice (&problem, &estimate), SW_ADVICE_BATCH_LARGE);
}

static void
test_estimate_advice_memory (void)
{
  SwStrategy strategy;
  SwEstimate estimate;
  SwProblem problem;
  guint set;

  reference (&problem, &strategy);
  sw_estimate (&problem, &strategy, &estimate);
  problem.cluster.usable_bytes = estimate.memory.peak.total / 0.95;
  problem.training.memory_target = 1.0;
  sw_estimate (&problem, &strategy, &estimate);
  HAS (sw_estimate_advice (&problem, &estimate), SW_ADVICE_MEMORY_HIGH);
  problem.cluster.usable_bytes = estimate.memory.peak.total / 0.4;
  sw_estimate (&problem, &strategy, &estimate);
  set = sw_estimate_advice (&problem, &estimate);
  HAS (set, SW_ADVICE_MEMORY_LOW);
  HAS_NOT (set, SW_ADVICE_MEMORY_HIGH);
  problem.cluster.usable_bytes = estimate.memory.peak.total * 0.5;
  sw_estimate (&problem, &strategy, &estimate);
  set = sw_estimate_advice (&problem, &estimate);
  HAS (set, SW_ADVICE_DOES_NOT_FIT);
  HAS (set, SW_ADVICE_BIGGER_GPU);
  HAS_NOT (set, SW_ADVICE_RAISE_TP);
  HAS_NOT (set, SW_ADVICE_DP_ONE);

  /* 64 heads over TP 3: a rule rejects it, and no amount of memory helps. */
  strategy.tp = strategy.etp = 3;
  strategy.pp = 4;
  sw_estimate (&problem, &strategy, &estimate);
  g_assert_cmpint (estimate.rule, ==, SW_RULE_TP_HEADS);
  set = sw_estimate_advice (&problem, &estimate);
  HAS (set, SW_ADVICE_DOES_NOT_FIT);
  HAS_NOT (set, SW_ADVICE_BIGGER_GPU);
  HAS_NOT (set, SW_ADVICE_RAISE_TP);
  HAS_NOT (set, SW_ADVICE_GPUS_IDLE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/quick-score/memory", test_memory);
  g_test_add_func ("/quick-score/overheads", test_overheads);
  g_test_add_func ("/quick-score/bubble", test_bubble);
  g_test_add_func ("/quick-score/utilisation", test_utilisation);
  g_test_add_func ("/quick-score/published-256", test_published_256);
  g_test_add_func ("/quick-score/winner-64", test_winner_64);
  g_test_add_func ("/quick-score/winner-is-highest", test_winner_is_highest);
  g_test_add_func ("/quick-score/zero", test_zero);
  g_test_add_func ("/quick-score/strategy", test_strategy);
  g_test_add_func ("/quick-score/advice", test_advice);
  g_test_add_func ("/quick-score/estimate-advice", test_estimate_advice);
  g_test_add_func ("/quick-score/estimate-advice-batch", test_estimate_advice_batch);
  g_test_add_func ("/quick-score/estimate-advice-memory", test_estimate_advice_memory);
  return g_test_run ();
}
