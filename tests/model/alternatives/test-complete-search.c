/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario-fixture.h"
#include "shardwise-complete-search.h"
#include "shardwise-resolve.h"

static void
wait (ShardwiseCompleteSearch *search)
{
  while (shardwise_complete_search_is_running (search))
    g_main_context_iteration (NULL, TRUE);
}

/* It ends with every feasible strategy, the reasons of all others, and the whole of the work. */
static void
test_answer (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (ShardwiseCompleteSearch) search = shardwise_complete_search_new ();
  const SwSearchResult *result;
  guint64 rejected = 0;

  g_assert_false (shardwise_complete_search_is_running (search));
  shardwise_complete_search_start (search, scenario);
  g_assert_true (shardwise_complete_search_is_running (search));
  g_assert_null (shardwise_complete_search_get_advice (search));
  wait (search);
  g_assert_nonnull (shardwise_complete_search_get_advice (search));
  g_assert_cmpfloat (shardwise_complete_search_get_fraction (search), ==, 1);
  result = shardwise_advice_get_search (shardwise_complete_search_get_advice (search));
  for (guint i = 0; i < SW_N_RULES; i++)
    rejected += result->rejected[i];
  g_assert_cmpuint (result->n_all, >, 50);
  g_assert_cmpuint (result->n_all, ==, result->fit);
  g_assert_cmpuint (result->tried, ==, result->fit + rejected);
}

/* Stopping forgets the run, and it may be started again with other inputs. */
static void
test_stop (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (ShardwiseCompleteSearch) search = shardwise_complete_search_new ();

  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "16384");
  scenario_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK, "'any'");
  shardwise_complete_search_start (search, scenario);
  shardwise_complete_search_stop (search);
  g_assert_false (shardwise_complete_search_is_running (search));
  g_assert_cmpfloat (shardwise_complete_search_get_fraction (search), ==, 0);
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "2");
  shardwise_complete_search_start (search, scenario);
  wait (search);
  g_assert_nonnull (shardwise_complete_search_get_advice (search));
  g_assert_cmpuint (
      shardwise_advice_get_problem (shardwise_complete_search_get_advice (search))->cluster.gpus,
      ==, 2);
}

/* The live search finds the best of all too where experts' communication runs beside a pipeline's
 * other micro-batches, which its bounds must take back. */
static void
test_live_agrees_on_experts (void)
{
  const SwSearchOptions live = { .top = 10 }, complete = { .top = 10, .complete = TRUE };
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GError) error = NULL;
  SwProblem problem;
  SwSearchResult ours, all;

  scenario_set (scenario, SHARDWISE_KEY_MODEL_PRESET, "'qwen3-30b-a3b'");
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "64");
  scenario_set (scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, "4096");
  scenario_set (scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, "1024");
  scenario_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK, "'megatron-core'");
  scenario_set (scenario, SHARDWISE_KEY_STRATEGY_EP, "16");
  scenario_set (scenario, SHARDWISE_KEY_STRATEGY_PP, "2");
  scenario_set (scenario, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, "1");
  shardwise_scenario_resolve (scenario, &problem, NULL, &error);
  g_assert_no_error (error);
  sw_search (&problem, &live, &ours);
  sw_search (&problem, &complete, &all);
  g_assert_cmpuint (ours.n_best, ==, 10);
  for (guint i = 0; i < ours.n_best; i++)
    g_assert_true (sw_strategy_equal (&ours.best[i].strategy, &all.all[i].strategy));
  sw_search_result_clear (&ours);
  sw_search_result_clear (&all);
}

/* The object may go while it runs. */
static void
test_drop (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  ShardwiseCompleteSearch *search = shardwise_complete_search_new ();

  g_object_add_weak_pointer (G_OBJECT (search), (gpointer *) &search);
  shardwise_complete_search_start (search, scenario);
  g_object_unref (search);
  g_assert_null (search);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/complete-search/live-agrees-on-experts", test_live_agrees_on_experts);
  g_test_add_func ("/complete-search/answer", test_answer);
  g_test_add_func ("/complete-search/stop", test_stop);
  g_test_add_func ("/complete-search/drop", test_drop);
  return g_test_run ();
}
