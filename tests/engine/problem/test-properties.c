/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds of every question, on questions drawn at random with a fixed seed. */
#include "sw-fixture.h"
#include "sw-search.h"

#include <math.h>

enum { SEED = 20261120, QUESTIONS = 24, STRATEGIES = 4000 };

/* The recommended strategy may be slower than the fastest by the band within which simpler ones
 * rank first. */
#define BAND (1 + SW_RANK_BAND + 1e-4)

static void
random_problem (GRand *rand, SwProblem *problem)
{
  static void (*const models[]) (SwModelSpec *) = { sw_fixture_llama3_8b, sw_fixture_llama3_70b,
                                                    sw_fixture_mixtral_8x7b };
  SwModelSpec model;

  models[g_rand_int_range (rand, 0, G_N_ELEMENTS (models))](&model);
  sw_fixture_problem (problem, &model, 8u << g_rand_int_range (rand, 0, 4));
  problem->training.sequence_length = 2048u << g_rand_int_range (rand, 0, 3);
  problem->training.global_batch = 128u << g_rand_int_range (rand, 0, 3);
  problem->training.framework = (SwFramework) g_rand_int_range (rand, SW_FRAMEWORK_MEGATRON_CORE,
                                                                SW_N_FRAMEWORKS);
  sw_problem_prepare (problem);
}

/* Seconds per token of the recommended strategy; 0 where nothing fits. */
static double
best_seconds (const SwProblem *problem)
{
  const SwSearchOptions options = { .top = 1 };
  SwSearchResult result;
  double seconds = 0;

  sw_search (problem, &options, &result);
  if (result.n_best > 0)
    seconds = result.best[0].seconds_per_token;
  sw_search_result_clear (&result);
  return seconds;
}

/* Leaves offload out, for the host and its link are the same in the better question and the worse.
 * FALSE: nothing fits without. */
static gboolean
fits_without_offload (SwProblem *problem)
{
  problem->pins.mask = 1u << SW_DIM_OFFLOAD;
  problem->pins.value.offload = SW_OFFLOAD_NONE;
  return best_seconds (problem) > 0;
}

static void
check_not_worse (const SwProblem *worse, const SwProblem *better, const char *what)
{
  const double before = best_seconds (worse), after = best_seconds (better);

  g_test_message ("%s: %g, then %g s per token", what, before, after);
  g_assert_cmpfloat (after, >, 0);
  g_assert_cmpfloat (after, <=, before * BAND);
}

/* A faster link, more memory, a higher target and more GPUs never make the advice worse. */
static void
test_more_is_not_worse (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED);

  for (guint i = 0; i < QUESTIONS; i++)
    {
      SwProblem problem, more;

      random_problem (rand, &problem);
      if (!fits_without_offload (&problem))
        continue;
      more = problem;
      more.cluster.inter.bytes_per_s *= 2;
      check_not_worse (&problem, &more, "network");
      more = problem;
      more.cluster.intra.bytes_per_s *= 2;
      check_not_worse (&problem, &more, "scale-up");
      more = problem;
      more.cluster.usable_bytes *= 1.3;
      check_not_worse (&problem, &more, "memory");
      more = problem;
      more.training.memory_target = 1.0;
      check_not_worse (&problem, &more, "memory target");
      more = problem;
      more.cluster.gpus += more.cluster.gpus_per_node;
      check_not_worse (&problem, &more, "GPUs");
    }
}

/* The same tokens in longer sequences: attention grows, nothing shrinks but by the 3 % that kernels
 * gain on larger shapes. */
static void
test_longer_sequences (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED);

  for (guint i = 0; i < QUESTIONS; i++)
    {
      SwProblem problem, longer;

      random_problem (rand, &problem);
      if (!fits_without_offload (&problem))
        continue;
      longer = problem;
      longer.training.sequence_length *= 2;
      longer.training.global_batch /= 2;
      sw_problem_prepare (&longer);
      if (best_seconds (&longer) > 0)
        g_assert_cmpfloat (best_seconds (&longer), >=, 0.97 * best_seconds (&problem));
    }
}

static void
check_faster_link (const SwProblem *problem, const SwStrategy *strategy, const SwEstimate *before)
{
  SwProblem faster = *problem;
  SwEstimate after;

  faster.cluster.inter.bytes_per_s *= 1.5;
  faster.cluster.intra.bytes_per_s *= 1.5;
  sw_estimate (&faster, strategy, &after);
  g_assert_cmpfloat (after.time.step_s, <=, before->time.step_s * (1 + 1e-9));
  g_assert_cmpfloat (after.memory.peak.total, ==, before->memory.peak.total);
}

/* Of one strategy: intervals contain their figure and say the same of step and tokens; the shares
 * are shares; a faster link shortens no step less than nothing. */
static void
test_strategies (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED);
  guint valid = 0;

  for (guint i = 0; i < STRATEGIES; i++)
    {
      SwStrategy strategy;
      SwProblem problem;
      SwEstimate e;

      random_problem (rand, &problem);
      if (!sw_fixture_random_strategy (rand, &problem, &strategy))
        continue;
      valid++;
      sw_estimate (&problem, &strategy, &e);
      g_assert_cmpfloat (e.step_low_s, <=, e.time.step_s);
      g_assert_cmpfloat (e.step_high_s, >=, e.time.step_s);
      g_assert_cmpfloat_with_epsilon (e.tokens_low_per_s * e.step_high_s,
                                      e.tokens_per_s * e.time.step_s, 1e-3);
      g_assert_cmpfloat_with_epsilon (e.tokens_high_per_s * e.step_low_s,
                                      e.tokens_per_s * e.time.step_s, 1e-3);
      g_assert_cmpfloat (e.scaling_efficiency, >, 0);
      g_assert_cmpfloat_with_epsilon (
          e.scaling_efficiency + e.communication_overhead + e.bubble_fraction, 1, 1e-12);
      g_assert_cmpfloat (e.mfu, <=, e.hfu * (1 + 1e-12));
      check_faster_link (&problem, &strategy, &e);
    }
  g_assert_cmpuint (valid, >, 100);
}

/* Kinds of runs that nobody measured are known less well than those that somebody did. */
static void
test_intervals_widen (void)
{
  SwCalibration calibration = *sw_fixture_calibration ();
  SwStrategy strategy;
  SwProblem problem;
  SwEstimate measured, offloaded, qlora;
  SwResidual *kind;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  kind = &calibration.residual[problem.cluster.gpu.generation][strategy.framework][0][0];
  *kind = (SwResidual){ .rows = 10, .time_p90 = 0.1, .memory_p90 = 0.02 };
  calibration.residual_all = (SwResidual){ .rows = 100, .time_p90 = 0.2, .memory_p90 = 0.1 };
  problem.calibration = &calibration;
  problem.cluster.usable_bytes = 1e12;
  sw_estimate (&problem, &strategy, &measured);
  g_assert_cmpfloat_with_epsilon (measured.step_high_s, measured.time.step_s * exp (0.1), 1e-9);
  strategy.offload = SW_OFFLOAD_OPTIMIZER;
  sw_estimate (&problem, &strategy, &offloaded);
  g_assert_cmpfloat_with_epsilon (offloaded.step_high_s, offloaded.time.step_s * exp (0.3), 1e-9);
  strategy.offload = SW_OFFLOAD_NONE;
  problem.training.type = SW_TRAINING_QLORA;
  sw_estimate (&problem, &strategy, &qlora);
  g_assert_cmpfloat_with_epsilon (qlora.memory_high_bytes / qlora.memory.peak.total, exp (0.15),
                                  1e-9);
}

/* The interval of memory decides: within the GPU by its upper end, by its middle alone, or not. */
static void
test_fit (void)
{
  static const struct {
    double usable; /* over the peak */
    SwFit fit;
    gboolean retries;
  } cases[] = {
    { 1.30, SW_FIT_FITS, FALSE },        { 1.15, SW_FIT_MAY_NOT, FALSE },
    { 1.02, SW_FIT_MAY_NOT, TRUE },      { 1.0001, SW_FIT_MAY_NOT, TRUE },
    { 0.99, SW_FIT_DOES_NOT_FIT, TRUE },
  };
  SwCalibration calibration = *sw_fixture_calibration ();
  SwStrategy strategy;
  SwProblem problem;
  double peak;
  SwEstimate e;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  calibration.residual_all = (SwResidual){ .rows = 100, .time_p90 = 0.2, .memory_p90 = 0.1 };
  calibration.residual[problem.cluster.gpu.generation][strategy.framework][0][0] =
      (SwResidual){ .rows = 10, .time_p90 = 0.1, .memory_p90 = log (1.2) };
  problem.calibration = &calibration;
  problem.training.memory_target = 1;
  sw_estimate (&problem, &strategy, &e);
  peak = e.memory.peak.total;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      double free = cases[i].usable - 1;

      problem.cluster.usable_bytes = cases[i].usable * peak;
      sw_estimate (&problem, &strategy, &e);
      g_assert_cmpint (e.fit, ==, cases[i].fit);
      g_assert_true (e.fits == (cases[i].fit != SW_FIT_DOES_NOT_FIT));
      g_assert_true (e.retries == cases[i].retries);
      /* 95 % and above: up to twice as long where nothing is left. */
      g_assert_cmpfloat_with_epsilon (e.step_high_s / e.time.step_s / exp (0.1),
                                      1 + CLAMP ((1 / (1 + free) - 0.95) / 0.05, 0, 1), 1e-9);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/properties/more-is-not-worse", test_more_is_not_worse);
  g_test_add_func ("/properties/longer-sequences", test_longer_sequences);
  g_test_add_func ("/properties/strategies", test_strategies);
  g_test_add_func ("/properties/intervals-widen", test_intervals_widen);
  g_test_add_func ("/properties/fit", test_fit);
  return g_test_run ();
}
