/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-sensitivity.h"

#include <math.h>
#include "sw-fixture.h"
#include "sw-search.h"

static void
best_of (const SwProblem *problem, SwEstimate *out)
{
  SwSearchOptions options = { .top = 1 };
  SwSearchResult search;

  sw_search (problem, &options, &search);
  g_assert_cmpuint (search.n_best, ==, 1);
  sw_estimate (problem, &search.best[0].strategy, out);
  sw_search_result_clear (&search);
}

/* The figures are those of the changed questions themselves. */
static void
test_figures (void)
{
  SwSensitivity gains[SW_N_RESOURCES];
  SwProblem problem;
  SwEstimate now;

  sw_fixture_problem_70b (&problem);
  best_of (&problem, &now);
  sw_sensitivity (&problem, &now, 1.25, gains);
  for (guint i = 0; i < SW_N_RESOURCES; i++)
    {
      SwProblem scaled = problem;
      SwEstimate held, best;

      sw_problem_scale_resource (&scaled, &now.strategy, i, 1.25);
      sw_estimate (&scaled, &now.strategy, &held);
      best_of (&scaled, &best);
      g_assert_cmpfloat_with_epsilon (gains[i].held, held.tokens_per_s / now.tokens_per_s - 1,
                                      1e-9);
      g_assert_cmpfloat (gains[i].reoptimised, >=, best.tokens_per_s / now.tokens_per_s - 1 - 1e-9);
      g_assert_cmpfloat (gains[i].reoptimised, >=, gains[i].held);
    }
  /* A quarter more arithmetic gives at most a quarter, and a job of large GEMMs most of it; more
   * capacity changes nothing while the strategy stays. */
  g_assert_cmpfloat (gains[SW_RESOURCE_COMPUTE].held, >, 0.1);
  g_assert_cmpfloat (gains[SW_RESOURCE_COMPUTE].held, <, 0.25);
  g_assert_cmpfloat_with_epsilon (gains[SW_RESOURCE_MEMORY].held, 0, 1e-9);
}

/* What is changed, by how much, and nothing else. */
static void
test_scaling (void)
{
  SwProblem problem, scaled;
  SwStrategy strategy;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  scaled = problem;
  sw_problem_scale_resource (&scaled, &strategy, SW_RESOURCE_NETWORK, 2);
  g_assert_cmpfloat (scaled.cluster.inter.bytes_per_s, ==, 2 * problem.cluster.inter.bytes_per_s);
  g_assert_cmpfloat (scaled.cluster.intra.bytes_per_s, ==, problem.cluster.intra.bytes_per_s);
  sw_problem_scale_resource (&scaled, &strategy, SW_RESOURCE_NETWORK, 0.5);
  g_assert_cmpmem (&scaled, sizeof scaled, &problem, sizeof problem);
  strategy.dp = 2;
  strategy.micro_batch = 3;
  sw_problem_scale_resource (&scaled, &strategy, SW_RESOURCE_BATCH, 1.01);
  g_assert_cmpuint (scaled.training.global_batch % 6, ==, 0);
  g_assert_cmpuint (scaled.training.global_batch, >, problem.training.global_batch);
}

/* One micro-batch a step becomes two: twice the batch, and it says so. */
static void
test_whole_micro_batches (void)
{
  SwSensitivity gains[SW_N_RESOURCES];
  SwStrategy strategy;
  SwProblem problem;
  SwEstimate now;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  problem.training.global_batch = 4;
  sw_estimate (&problem, &strategy, &now);
  g_assert_cmpint (now.rule, ==, SW_RULE_OK);
  sw_sensitivity (&problem, &now, 1.25, gains);
  g_assert_cmpfloat (gains[SW_RESOURCE_BATCH].factor, ==, 2);
  g_assert_cmpfloat (gains[SW_RESOURCE_NETWORK].factor, ==, 1.25);
  problem.training.global_batch = 64;
  sw_estimate (&problem, &strategy, &now);
  sw_sensitivity (&problem, &now, 1.25, gains);
  g_assert_cmpfloat (gains[SW_RESOURCE_BATCH].factor, ==, 1.25);
}

/* Interleaved stages take micro-batches in multiples of their number: four stages run four, not
 * five, so that a quarter more gains nothing while the strategy stays. */
static void
test_cannot_run (void)
{
  SwSensitivity gains[SW_N_RESOURCES];
  SwStrategy strategy;
  SwProblem problem;
  SwEstimate now;

  sw_fixture_problem_70b (&problem);
  best_of (&problem, &now);
  strategy = now.strategy;
  strategy.pp = 4;
  strategy.tp = 8;
  strategy.cp = strategy.ep = 1;
  strategy.vpp = 2;
  strategy.schedule = SW_SCHEDULE_INTERLEAVED;
  strategy.zero_stage = 1;
  strategy.micro_batch = 1;
  strategy.dp = problem.cluster.gpus / 32;
  strategy.shard_group = strategy.dp;
  problem.training.global_batch = 4 * strategy.dp;
  sw_estimate (&problem, &strategy, &now);
  g_assert_cmpint (now.rule, ==, SW_RULE_OK);
  sw_sensitivity (&problem, &now, 1.25, gains);
  g_assert_false (gains[SW_RESOURCE_BATCH].runs);
  g_assert_cmpfloat (gains[SW_RESOURCE_BATCH].held, ==, 0);
  g_assert_true (gains[SW_RESOURCE_COMPUTE].runs);
}

/* One GPU has no links to be limited by. */
static void
test_one_gpu (void)
{
  SwSensitivity gains[SW_N_RESOURCES];
  SwModelSpec model;
  SwProblem problem;
  SwEstimate now;

  sw_model_from_size (0.5e9, &model);
  sw_fixture_problem (&problem, &model, 1);
  best_of (&problem, &now);
  sw_sensitivity (&problem, &now, 2, gains);
  g_assert_cmpfloat_with_epsilon (gains[SW_RESOURCE_NETWORK].held, 0, 1e-12);
  g_assert_cmpfloat_with_epsilon (gains[SW_RESOURCE_INTRA].held, 0, 1e-12);
  g_assert_cmpfloat (gains[SW_RESOURCE_HBM].held, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sensitivity/figures", test_figures);
  g_test_add_func ("/sensitivity/scaling", test_scaling);
  g_test_add_func ("/sensitivity/whole-micro-batches", test_whole_micro_batches);
  g_test_add_func ("/sensitivity/cannot-run", test_cannot_run);
  g_test_add_func ("/sensitivity/one-gpu", test_one_gpu);
  return g_test_run ();
}
