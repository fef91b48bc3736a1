/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-fixture.h"
#include "sw-rejection.h"
#include "sw-search.h"
#include "sw-search-state.h"

#include <math.h>

static void
search_live (const SwProblem *problem, guint top, SwSearchResult *out)
{
  const SwSearchOptions options = { .top = top };

  sw_search (problem, &options, out);
}

static double
least_step (const SwSearchResult *result)
{
  double least = INFINITY;

  for (guint i = 0; i < result->n_best; i++)
    least = MIN (least, (double) result->best[i].step_s);
  return least;
}

/* Without bounds the same strategies rank first, and every strategy is accounted for. */
static void
test_complete (void)
{
  static const guint gpus[] = { 4, 8, 24 };

  for (guint i = 0; i < G_N_ELEMENTS (gpus); i++)
    {
      const SwSearchOptions options = { .top = 20, .complete = TRUE };
      SwSearchResult live, complete;
      SwModelSpec model;
      SwProblem problem;

      sw_fixture_llama3_8b (&model);
      sw_fixture_problem (&problem, &model, gpus[i]);
      search_live (&problem, 20, &live);
      sw_search (&problem, &options, &complete);
      g_assert_cmpuint (complete.n_all, ==, complete.fit);
      g_assert_cmpuint (live.n_best, ==, MIN (20, complete.n_all));
      for (guint j = 0; j < live.n_best; j++)
        {
          g_assert_true (sw_strategy_equal (&live.best[j].strategy, &complete.best[j].strategy));
          g_assert_true (sw_strategy_equal (&complete.all[j].strategy, &complete.best[j].strategy));
        }
      sw_search_result_clear (&live);
      sw_search_result_clear (&complete);
    }
}

static void
check_counts (const SwSearchResult *result)
{
  guint64 rejected = 0;

  for (guint i = 0; i < SW_N_RULES; i++)
    rejected += result->rejected[i];
  g_assert_cmpuint (result->tried, ==, result->fit + rejected);
  g_assert_cmpuint (result->timed, <=, result->fit);
  g_assert_cmpuint (result->rejected[SW_RULE_OK], ==, 0);
}

static void
test_counts (void)
{
  const SwSearchOptions options = { .top = 10, .complete = TRUE };
  SwSearchResult result;
  SwProblem problem;

  sw_fixture_problem_70b (&problem);
  search_live (&problem, 10, &result);
  check_counts (&result);
  g_assert_cmpuint (result.bounded, >, 0);
  g_assert_cmpuint (result.n_nearest, ==, 0);
  sw_search_result_clear (&result);

  sw_search (&problem, &options, &result);
  check_counts (&result);
  g_assert_cmpuint (result.bounded, ==, 0);
  g_assert_cmpuint (result.timed, ==, result.fit);
  sw_search_result_clear (&result);

  problem.cluster.gpus = 4;
  problem.cluster.host_ram_bytes = 100e9;
  search_live (&problem, 10, &result);
  check_counts (&result);
  g_assert_cmpuint (result.fit, ==, 0);
  g_assert_cmpuint (result.n_nearest, >, 0);
  sw_search_result_clear (&result);
}

/* Host memory above the limit counts for each GPU of the host, in addition to GPU memory above the
 * limit. A strategy that offloads to hosts that are too small does not nearly fit, and the larger
 * of both is reported as missing. */
static void
test_nearest (void)
{
  SwSearchResult result;
  SwProblem problem;
  double previous = 0;

  sw_fixture_problem_70b (&problem);
  problem.cluster.gpus = 8;
  problem.cluster.host_ram_bytes = 256e9;
  search_live (&problem, 10, &result);
  g_assert_cmpuint (result.fit, ==, 0);
  g_assert_cmpuint (result.n_nearest, >, 1);
  for (guint i = 0; i < result.n_nearest; i++)
    {
      SwEstimate estimate;
      double gpu, host, missing;

      sw_estimate (&problem, &result.nearest[i].strategy, &estimate);
      gpu = MAX (estimate.memory.peak.total - estimate.memory_limit_bytes, 0);
      host = MAX (estimate.memory.host_bytes - problem.cluster.host_ram_bytes, 0);
      missing = gpu + host / problem.cluster.gpus_per_node;
      g_assert_cmpint (estimate.rule, ==,
                       gpu >= host / problem.cluster.gpus_per_node ? SW_RULE_GPU_MEMORY
                                                                   : SW_RULE_HOST_MEMORY);
      g_assert_cmpfloat (estimate.missing_bytes, ==,
                         estimate.rule == SW_RULE_GPU_MEMORY ? gpu : host);
      g_assert_cmpfloat (missing, >=, previous * (1 - 1e-9));
      previous = missing;
    }
  sw_search_result_clear (&result);
}

/* Of those within 1 % of the best time the simpler comes first, then by time. */
static void
test_rank (void)
{
  SwSearchResult result;
  SwProblem problem;
  double best, previous = 0;
  guint complexity = 0;

  sw_fixture_problem_70b (&problem);
  problem.cluster.gpus = 64;
  search_live (&problem, 50, &result);
  g_assert_cmpuint (result.n_best, ==, 50);
  best = least_step (&result);
  for (guint i = 0; i < result.n_best; i++)
    {
      const SwCandidate *entry = &result.best[i];
      const gboolean in_band = entry->step_s <= best * (1 + SW_RANK_BAND);
      const guint simple = sw_strategy_complexity (&entry->strategy);

      if (in_band)
        {
          g_assert_cmpfloat (previous, <=, best * (1 + SW_RANK_BAND));
          g_assert_cmpuint (simple, >=, complexity);
          complexity = simple;
        }
      else if (previous > best * (1 + SW_RANK_BAND))
        g_assert_cmpfloat (entry->step_s, >=, previous);
      previous = entry->step_s;
    }
  g_assert_cmpfloat (result.best[0].step_s, <=, best * (1 + SW_RANK_BAND));
  sw_search_result_clear (&result);
}

static void
test_deterministic (void)
{
  SwSearchResult a, b;
  SwProblem problem;

  sw_fixture_problem_70b (&problem);
  problem.training.framework = SW_FRAMEWORK_ANY;
  search_live (&problem, 30, &a);
  search_live (&problem, 30, &b);
  g_assert_cmpuint (a.n_best, ==, b.n_best);
  g_assert_cmpuint (a.tried, ==, b.tried);
  g_assert_cmpuint (a.timed, ==, b.timed);
  for (guint i = 0; i < a.n_best; i++)
    g_assert_true (sw_strategy_equal (&a.best[i].strategy, &b.best[i].strategy));
  sw_search_result_clear (&a);
  sw_search_result_clear (&b);
}

/* ANY is the best of the frameworks in use; a result never names ANY, nor Megatron-LM of 2021
 * unless asked. */
static void
test_any_framework (void)
{
  double best = INFINITY;
  SwSearchResult result;
  SwProblem problem;

  sw_fixture_problem_70b (&problem);
  for (guint i = SW_FRAMEWORK_MEGATRON_CORE; i < SW_N_FRAMEWORKS; i++)
    {
      problem.training.framework = (SwFramework) i;
      search_live (&problem, 20, &result);
      for (guint j = 0; j < result.n_best; j++)
        g_assert_cmpuint (result.best[j].strategy.framework, ==, i);
      best = MIN (best, least_step (&result));
      sw_search_result_clear (&result);
    }
  problem.training.framework = SW_FRAMEWORK_ANY;
  search_live (&problem, 20, &result);
  g_assert_cmpfloat_with_epsilon (least_step (&result), best, 1e-6 * best);
  for (guint j = 0; j < result.n_best; j++)
    g_assert_cmpuint (result.best[j].strategy.framework, >=, SW_FRAMEWORK_MEGATRON_CORE);
  sw_search_result_clear (&result);
}

/* Every dimension that is pinned keeps its value, by itself and in pairs. */
static void
test_pins (void)
{
  static const struct {
    SwDimension dimension;
    guint value;
  } pins[] = {
    { SW_DIM_TP, 4 },
    { SW_DIM_PP, 2 },
    { SW_DIM_DP, 2 },
    { SW_DIM_CP, 2 },
    { SW_DIM_ZERO, 1 },
    { SW_DIM_MICRO_BATCH, 2 },
    { SW_DIM_RECOMPUTE, 2 },
    { SW_DIM_SP, 0 },
    { SW_DIM_SCHEDULE, SW_SCHEDULE_INTERLEAVED },
    { SW_DIM_OFFLOAD, SW_OFFLOAD_OPTIMIZER },
    { SW_DIM_CP_METHOD, SW_CP_ULYSSES },
    { SW_DIM_VPP, 5 },
    { SW_DIM_SHARD_GROUP, 2 },
    { SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL_LAYERS },
  };

  for (guint i = 0; i < G_N_ELEMENTS (pins); i++)
    {
      SwSearchResult result;
      SwProblem problem;

      sw_fixture_problem_70b (&problem);
      problem.pins.mask = 1u << pins[i].dimension;
      sw_strategy_set (&problem.pins.value, pins[i].dimension, pins[i].value);
      search_live (&problem, 10, &result);
      g_assert_cmpuint (result.n_best, >, 0);
      for (guint j = 0; j < result.n_best; j++)
        g_assert_cmpuint (sw_strategy_get (&result.best[j].strategy, pins[i].dimension), ==,
                          pins[i].value);
      sw_search_result_clear (&result);
    }
}

/* The micro-batch of the training is a pin too. */
static void
test_training_micro_batch (void)
{
  SwSearchResult result;
  SwProblem problem;

  sw_fixture_problem_70b (&problem);
  problem.training.micro_batch = 4;
  search_live (&problem, 10, &result);
  g_assert_cmpuint (result.n_best, >, 0);
  for (guint i = 0; i < result.n_best; i++)
    g_assert_cmpuint (result.best[i].strategy.micro_batch, ==, 4);
  sw_search_result_clear (&result);
}

/* The memory target filters: nothing that is listed takes more. */
static void
test_memory_target (void)
{
  for (double target = 0.5; target < 1.01; target += 0.1)
    {
      SwSearchResult result;
      SwProblem problem;

      sw_fixture_problem_70b (&problem);
      problem.training.memory_target = target;
      search_live (&problem, 50, &result);
      for (guint i = 0; i < result.n_best; i++)
        g_assert_cmpfloat (result.best[i].memory_bytes, <=,
                           target * problem.cluster.usable_bytes * (1 + 1e-6));
      sw_search_result_clear (&result);
    }
}

/* A prime number of GPUs: the rest stays idle rather than that nothing is found. */
static void
test_idle_gpus (void)
{
  SwSearchResult result;
  SwModelSpec model;
  SwProblem problem;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 13);
  search_live (&problem, 10, &result);
  g_assert_cmpuint (result.n_best, >, 0);
  g_assert_cmpuint (sw_strategy_gpus (&result.best[0].strategy), <=, 13);
  sw_search_result_clear (&result);
}

static void
test_cancelled (void)
{
  const int cancelled = 1;
  const SwSearchOptions options = { .top = 10, .cancelled = &cancelled };
  SwSearchResult result;
  SwProblem problem;

  sw_fixture_problem_70b (&problem);
  problem.cluster.gpus = 131072;
  sw_search (&problem, &options, &result);
  g_assert_true (result.was_cancelled);
  g_assert_cmpuint (result.n_best, ==, 0);
  g_assert_cmpuint (result.timed, ==, 0);
  sw_search_result_clear (&result);
}

static void
count_progress (double fraction, gpointer data)
{
  double *last = data;

  g_assert_cmpfloat (fraction, >=, *last);
  g_assert_cmpfloat (fraction, <=, 1.0);
  *last = fraction;
}

static void
test_progress (void)
{
  double last = 0;
  const SwSearchOptions options = {
    .top = 1, .complete = TRUE, .progress = count_progress, .progress_data = &last
  };
  SwSearchResult result;
  SwModelSpec model;
  SwProblem problem;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 4);
  sw_search (&problem, &options, &result);
  g_assert_cmpfloat (last, ==, 1.0);
  sw_search_result_clear (&result);
}

static void
test_sensible_gpus (void)
{
  SwProblem problem;
  SwSearchOptions options = { .top = 1 };
  SwSearchResult result;
  guint least, sensible;

  sw_fixture_problem_70b (&problem);
  least = sw_least_gpus (&problem);
  sensible = sw_sensible_gpus (&problem);
  g_assert_cmpuint (least, >, 0);
  g_assert_cmpuint (sensible, >=, least);
  g_assert_cmpuint (sensible % least, ==, 0);
  problem.cluster.gpus = sensible;
  problem.pins.mask = 1u << SW_DIM_OFFLOAD;
  problem.pins.value.offload = SW_OFFLOAD_NONE;
  sw_search (&problem, &options, &result);
  g_assert_cmpuint (result.n_best, >, 0);
  sw_search_result_clear (&result);
  problem.pins.mask = 0;
  /* A question that nothing answers. */
  problem.cluster.usable_bytes = 1e6;
  g_assert_cmpuint (sw_least_gpus (&problem), ==, 0);
  g_assert_cmpuint (sw_sensible_gpus (&problem), ==, 0);
}

/* If the limit of GPUs is not a power of two, the search also tries the limit. */
static void
test_least_gpus_of_wide_nodes (void)
{
  SwProblem problem;
  SwModelSpec model;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 72);
  problem.cluster.gpus_per_node = problem.cluster.nvlink_domain = 72;
  problem.training.global_batch = 98304;
  problem.pins.mask = 1u << SW_DIM_DP | 1u << SW_DIM_TP | 1u << SW_DIM_PP | 1u << SW_DIM_CP;
  problem.pins.value = (SwStrategy){ .dp = 98304, .tp = 1, .pp = 1, .cp = 1 };
  g_assert_cmpuint (sw_least_gpus (&problem), ==, 1366 * 72);
  problem.training.global_batch = problem.pins.value.dp = 131041;
  g_assert_cmpuint (sw_least_gpus (&problem), ==, 0);
}

/* As many threads as may be find the same. */
static void
test_threads (void)
{
  SwSearchOptions options = { .top = 20, .complete = TRUE, .threads = 1 };
  SwSearchResult one, several;
  SwModelSpec model;
  SwProblem problem;

  sw_fixture_mixtral_8x7b (&model);
  sw_fixture_problem (&problem, &model, 32);
  sw_search (&problem, &options, &one);
  options.threads = 4;
  sw_search (&problem, &options, &several);
  g_assert_cmpuint (one.tried, ==, several.tried);
  g_assert_cmpuint (one.evaluated, ==, several.evaluated);
  g_assert_cmpuint (one.n_all, ==, several.n_all);
  g_assert_cmpuint (one.n_all, >, 1000);
  g_assert_cmpuint (one.evaluated, ==,
                    one.timed + one.rejected[SW_RULE_GPU_MEMORY]
                        + one.rejected[SW_RULE_HOST_MEMORY]);
  for (guint i = 0; i < one.n_all; i++)
    g_assert_true (sw_strategy_equal (&one.all[i].strategy, &several.all[i].strategy));
  sw_search_result_clear (&one);
  sw_search_result_clear (&several);
}

/* What is rejected has its reason; what fits has none. */
static void
test_why_rejected (void)
{
  SwRejection why;
  SwStrategy strategy;
  SwProblem problem;

  sw_fixture_problem_70b (&problem);
  problem.cluster.usable_bytes = 120e9;
  sw_fixture_strategy_70b (&strategy);
  strategy.micro_batch = 1;
  sw_why_rejected (&problem, &strategy, &why);
  g_assert_cmpint (why.rule, ==, SW_RULE_OK);
  g_assert_cmpfloat (why.missing_bytes, ==, 0);

  strategy.tp = strategy.etp = 3;
  sw_why_rejected (&problem, &strategy, &why);
  g_assert_cmpint (why.rule, ==, SW_RULE_TP_HEADS);

  sw_fixture_strategy_70b (&strategy);
  strategy.dp = 2;
  sw_why_rejected (&problem, &strategy, &why);
  g_assert_cmpint (why.rule, ==, SW_RULE_WORLD_SIZE);

  sw_fixture_strategy_70b (&strategy);
  strategy.tp = strategy.etp = 2;
  sw_why_rejected (&problem, &strategy, &why);
  g_assert_cmpint (why.rule, ==, SW_RULE_GPU_MEMORY);
  g_assert_cmpfloat (why.missing_bytes, >, 1e9);

  strategy.offload = SW_OFFLOAD_OPTIMIZER;
  strategy.recompute = SW_RECOMPUTE_FULL;
  strategy.micro_batch = 1;
  problem.cluster.host_ram_bytes = 64e9;
  problem.cluster.usable_bytes = 500e9;
  sw_why_rejected (&problem, &strategy, &why);
  g_assert_cmpint (why.rule, ==, SW_RULE_HOST_MEMORY);
  g_assert_cmpfloat (why.missing_bytes, >, 1e9);

  problem.pins.mask = 1u << SW_DIM_PP;
  problem.pins.value.pp = 8;
  sw_why_rejected (&problem, &strategy, &why);
  g_assert_cmpint (why.rule, ==, SW_RULE_PIN);
}

/* What cannot be filters; idle GPUs and the like only rank. */
static void
test_limits (void)
{
  g_assert_true (sw_limit_filters (SW_LIMIT_DIVISIBILITY));
  g_assert_true (sw_limit_filters (SW_LIMIT_HOST_MEMORY));
  g_assert_false (sw_limit_filters (SW_LIMIT_IDLE_GPUS));
  g_assert_false (sw_limit_filters (SW_LIMIT_HEADROOM));
  for (guint i = 0; i < SW_N_LIMITS; i++)
    g_assert_nonnull (sw_limit_names[i]);
  g_assert_null (sw_limit_names[SW_N_LIMITS]);
}

/* 1,000 GPUs, of which the model can use 992 and no more: the rest is idle, and is said to be. */
static void
test_left_over (void)
{
  const SwSearchOptions options = { .top = 1 };
  SwSearchResult result;
  SwModelSpec model;
  SwEstimate estimate;
  SwProblem problem;

  sw_fixture_llama3_8b (&model);
  model.layers = 31;
  sw_fixture_problem (&problem, &model, 1000);
  problem.training.global_batch = 32;
  problem.pins.mask = 1u << SW_DIM_PP | 1u << SW_DIM_DP | 1u << SW_DIM_CP;
  problem.pins.value.pp = 31;
  problem.pins.value.dp = 32;
  problem.pins.value.cp = 1;
  sw_search (&problem, &options, &result);
  g_assert_cmpuint (result.n_best, ==, 1);
  sw_estimate (&problem, &result.best[0].strategy, &estimate);
  g_assert_cmpuint (estimate.gpus_used, ==, 992);
  g_assert_cmpuint (estimate.gpus_idle, ==, 8);
  sw_search_result_clear (&result);
}

typedef struct {
  int cancelled;
  gint64 at_us;
} Canceller;

static gpointer
cancel_soon (gpointer data)
{
  Canceller *self = data;

  g_usleep (2000);
  self->at_us = g_get_monotonic_time ();
  g_atomic_int_set (&self->cancelled, 1);
  return NULL;
}

/* An absurd question is answered nevertheless, or stops soon after it is told to: measured by what
 * was still walked, as the clock is not ours alone. */
static void
test_absurd (void)
{
  Canceller canceller = { 0, 0 };
  const SwSearchOptions options = { .top = 50,
                                    .complete = TRUE,
                                    .cancelled = &canceller.cancelled };
  SwSearchResult result;
  SwModelSpec model;
  SwProblem problem;
  GThread *thread;

  sw_fixture_llama3_70b (&model);
  model.layers = 10000;
  sw_fixture_problem (&problem, &model, 131072);
  problem.training.framework = SW_FRAMEWORK_ANY;
  problem.training.global_batch = 735134400;
  problem.training.sequence_length = 16;
  thread = g_thread_new ("cancel", cancel_soon, &canceller);
  sw_search (&problem, &options, &result);
  g_thread_join (thread);
  g_assert_true (result.was_cancelled);
  g_assert_cmpuint (result.n_all, ==, 0);
  g_test_message ("stopped %" G_GINT64_FORMAT " us after it was told to",
                  g_get_monotonic_time () - canceller.at_us);
  sw_search_result_clear (&result);
}

/* One GPU lacks as little of its host's memory as two do, or less; what is nearest uses both. */
static void
test_nearest_uses_all (void)
{
  const SwSearchOptions options = { .top = 1 };
  SwSearchResult result;
  SwProblem problem;

  sw_fixture_problem_70b (&problem);
  problem.cluster.gpus = problem.cluster.gpus_per_node = 2;
  problem.cluster.host_ram_bytes = 256e9;
  problem.training.framework = SW_FRAMEWORK_FSDP2;
  sw_search (&problem, &options, &result);
  g_assert_cmpuint (result.n_best, ==, 0);
  g_assert_cmpuint (result.n_nearest, >, 0);
  g_assert_cmpuint (sw_strategy_gpus (&result.nearest[0].strategy), ==, 2);
  sw_search_result_clear (&result);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/search/complete", test_complete);
  g_test_add_func ("/search/counts", test_counts);
  g_test_add_func ("/search/nearest", test_nearest);
  g_test_add_func ("/search/nearest-uses-all", test_nearest_uses_all);
  g_test_add_func ("/search/rank", test_rank);
  g_test_add_func ("/search/deterministic", test_deterministic);
  g_test_add_func ("/search/any-framework", test_any_framework);
  g_test_add_func ("/search/pins", test_pins);
  g_test_add_func ("/search/training-micro-batch", test_training_micro_batch);
  g_test_add_func ("/search/memory-target", test_memory_target);
  g_test_add_func ("/search/idle-gpus", test_idle_gpus);
  g_test_add_func ("/search/cancelled", test_cancelled);
  g_test_add_func ("/search/progress", test_progress);
  g_test_add_func ("/search/sensible-gpus", test_sensible_gpus);
  g_test_add_func ("/search/least-gpus-of-wide-nodes", test_least_gpus_of_wide_nodes);
  g_test_add_func ("/search/threads", test_threads);
  g_test_add_func ("/search/why-rejected", test_why_rejected);
  g_test_add_func ("/search/limits", test_limits);
  g_test_add_func ("/search/left-over", test_left_over);
  g_test_add_func ("/search/absurd", test_absurd);
  return g_test_run ();
}
