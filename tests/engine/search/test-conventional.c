/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-fixture.h"
#include "sw-search.h"
#include "sw-start.h"

static void
conventional (const SwProblem *problem, SwFramework framework, SwEstimate *out)
{
  sw_conventional_strategy (problem, framework, out);
  g_assert_cmpint (out->strategy.framework, ==, framework);
  g_assert_true (out->rule == SW_RULE_OK || out->rule == SW_RULE_GPU_MEMORY);
  g_assert_cmpuint (sw_strategy_gpus (&out->strategy), <=, problem->cluster.gpus);
}

/* TP as far as the node goes, then stages, until it fits; nothing is recomputed where that
 * suffices. */
static void
test_model (void)
{
  SwEstimate small, out;
  SwProblem problem;
  SwModelSpec model;

  sw_fixture_problem_70b (&problem);
  problem.cluster.gpus = 64;
  conventional (&problem, SW_FRAMEWORK_MEGATRON_CORE, &out);
  g_assert_true (out.fits);
  g_assert_cmpuint (out.strategy.tp, ==, 8);
  g_assert_cmpuint (out.strategy.pp, >, 1);
  g_assert_cmpuint (out.strategy.tp * out.strategy.pp * out.strategy.dp, ==, 64);
  g_assert_cmpint (out.strategy.recompute, ==, SW_RECOMPUTE_NONE);
  g_assert_cmpuint (out.strategy.zero_stage, ==, 1);
  g_assert_true (out.strategy.sequence_parallel);
  /* One stage fewer would not fit. */
  problem.cluster.usable_bytes = out.memory.peak.total * 2;
  conventional (&problem, SW_FRAMEWORK_MEGATRON_CORE, &small);
  g_assert_cmpuint (small.strategy.tp * small.strategy.pp, <, out.strategy.tp * out.strategy.pp);

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 64);
  conventional (&problem, SW_FRAMEWORK_MEGATRON_CORE, &out);
  g_assert_true (out.fits);
  g_assert_cmpuint (out.strategy.pp, ==, 1);
  g_assert_cmpuint (out.strategy.tp, <=, 2);
  conventional (&problem, SW_FRAMEWORK_MEGATRON_2021, &out);
  g_assert_cmpint (out.strategy.recompute, ==, SW_RECOMPUTE_FULL);
  g_assert_cmpuint (out.strategy.zero_stage, ==, 0);
}

/* Experts over a node, before layers are split; long sequences in parts. */
static void
test_experts (void)
{
  SwEstimate out;
  SwProblem problem;
  SwModelSpec model;

  sw_fixture_mixtral_8x7b (&model);
  sw_fixture_problem (&problem, &model, 64);
  conventional (&problem, SW_FRAMEWORK_MEGATRON_CORE, &out);
  g_assert_true (out.fits);
  g_assert_cmpuint (out.strategy.ep, ==, 8);
  g_assert_cmpuint (out.strategy.etp, ==, 1);
  problem.training.sequence_length = 32768;
  problem.training.global_batch = 64;
  conventional (&problem, SW_FRAMEWORK_MEGATRON_CORE, &out);
  g_assert_cmpuint (out.strategy.cp, ==, 4);
}

/* One replica a GPU, all of it sharded, whether that fits or not; no more replicas than the batch
 * divides over. */
static void
test_data (void)
{
  const SwFramework frameworks[] = { SW_FRAMEWORK_FSDP, SW_FRAMEWORK_FSDP2,
                                     SW_FRAMEWORK_DEEPSPEED };

  for (guint i = 0; i < G_N_ELEMENTS (frameworks); i++)
    {
      SwEstimate out;
      SwProblem problem;

      sw_fixture_problem_70b (&problem);
      problem.cluster.gpus = 64;
      problem.pins.mask = 1u << SW_DIM_TP; /* of no effect */
      problem.pins.value.tp = 8;
      conventional (&problem, frameworks[i], &out);
      g_assert_cmpint (sw_convention_of (frameworks[i]), ==, SW_CONVENTION_DATA);
      g_assert_cmpuint (out.strategy.dp, ==, 64);
      g_assert_cmpuint (out.strategy.zero_stage, ==, 3);
      g_assert_cmpint (out.strategy.recompute, ==, SW_RECOMPUTE_FULL);
      problem.cluster.gpus = 4;
      conventional (&problem, frameworks[i], &out);
      g_assert_false (out.fits);
      g_assert_cmpfloat (out.missing_bytes, >, 0.0);
      problem.cluster.gpus = 12;
      problem.training.global_batch = 64;
      conventional (&problem, frameworks[i], &out);
      g_assert_cmpuint (out.strategy.dp, ==, 8);
      g_assert_cmpuint (out.gpus_idle, ==, 4);
    }
}

/* Nobody's convention beats the search by more than the band in which the simpler comes first. */
static void
test_not_faster (void)
{
  const SwSearchOptions options = { .top = 1 };

  for (SwFramework i = SW_FRAMEWORK_ANY + 1; i < SW_N_ENGINES; i++)
    for (guint gpus = 8; gpus <= 128; gpus *= 4)
      {
        SwSearchResult result;
        SwEstimate out;
        SwProblem problem;

        sw_fixture_problem_70b (&problem);
        problem.cluster.gpus = gpus;
        problem.training.framework = i;
        conventional (&problem, i, &out);
        sw_search (&problem, &options, &result);
        if (out.fits)
          {
            g_assert_cmpuint (result.n_best, ==, 1);
            g_assert_cmpfloat (result.best[0].step_s, <=, out.time.step_s * 1.0301);
          }
        sw_search_result_clear (&result);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conventional/model", test_model);
  g_test_add_func ("/conventional/experts", test_experts);
  g_test_add_func ("/conventional/data", test_data);
  g_test_add_func ("/conventional/not-faster", test_not_faster);
  return g_test_run ();
}
