/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario-fixture.h"
#include "shardwise-comparison.h"

static ShardwiseScenario *
scenario_new (guint gpus, guint tp)
{
  g_autofree char *pins = tp > 0 ? g_strdup_printf ("\"tp\": %u", tp) : g_strdup ("");
  g_autofree char *json =
      g_strdup_printf ("{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": "
                       "{\"preset\": \"llama-3-8b\"}, "
                       "\"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": %u}, \"strategy\": {%s}}",
                       gpus, pins);

  return scenario_of (json);
}

static ShardwiseAdvice *
advice_new (ShardwiseScenario *scenario)
{
  const ShardwiseAdviceOptions options = { .top = 10 };
  g_autoptr (GError) error = NULL;
  ShardwiseAdvice *advice = shardwise_advice_compute (scenario, &options, NULL, &error);

  g_assert_no_error (error);
  return advice;
}

static void
count_cb (guint *count)
{
  (*count)++;
}

/* Four are held in the order they came, each once; letting go of one keeps the others. */
static void
test_pins (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_new (8, 0);
  g_autoptr (ShardwiseAdvice) advice = advice_new (scenario);
  g_autoptr (ShardwiseComparison) comparison = shardwise_comparison_new ();
  const SwSearchResult *search = shardwise_advice_get_search (advice);
  guint changes = 0;

  g_assert_cmpuint (search->n_best, >, 5);
  g_signal_connect_swapped (comparison, "changed", G_CALLBACK (count_cb), &changes);
  shardwise_comparison_set_advice (comparison, advice, scenario);
  for (guint i = 0; i < SHARDWISE_COMPARISON_MAX; i++)
    g_assert_true (shardwise_comparison_pin (comparison, &search->best[i].strategy));
  g_assert_cmpuint (changes, ==, 1 + SHARDWISE_COMPARISON_MAX);
  g_assert_false (shardwise_comparison_pin (comparison, &search->best[0].strategy));
  g_assert_false (shardwise_comparison_pin (comparison, &search->best[4].strategy));
  g_assert_false (shardwise_comparison_unpin (comparison, &search->best[4].strategy));
  g_assert_true (shardwise_comparison_unpin (comparison, &search->best[1].strategy));
  g_assert_false (shardwise_comparison_has (comparison, &search->best[1].strategy));
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, 3);
  g_assert_true (sw_strategy_equal (&shardwise_comparison_get_estimate (comparison, 1)->strategy,
                                    &search->best[2].strategy));
  shardwise_comparison_clear (comparison);
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, 0);
  g_assert_cmpuint (changes, ==, 3 + SHARDWISE_COMPARISON_MAX);
}

/* The figures are the engine's for the present inputs, whichever inputs the strategy was pinned
 * under. */
static void
test_estimates (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_new (8, 0), wider = scenario_new (16, 0);
  g_autoptr (ShardwiseAdvice) advice = advice_new (scenario), after = advice_new (wider);
  g_autoptr (ShardwiseComparison) comparison = shardwise_comparison_new ();
  const SwStrategy strategy = shardwise_advice_get_recommended (advice)->strategy;
  SwEstimate expected;

  shardwise_comparison_set_advice (comparison, advice, scenario);
  shardwise_comparison_pin (comparison, &strategy);
  g_assert_cmpfloat (shardwise_comparison_get_estimate (comparison, 0)->time.step_s, ==,
                     shardwise_advice_get_recommended (advice)->time.step_s);
  shardwise_comparison_set_advice (comparison, after, wider);
  sw_estimate (shardwise_advice_get_problem (after), &strategy, &expected);
  g_assert_cmpfloat (shardwise_comparison_get_estimate (comparison, 0)->time.step_s, ==,
                     expected.time.step_s);
  g_assert_cmpuint (shardwise_comparison_get_estimate (comparison, 0)->gpus_idle, ==, 8);
}

/* What cannot run on the present inputs says why and has no figures; back on the old ones it has
 * them again. */
static void
test_obstacle (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_new (8, 0), narrower = scenario_new (4, 0);
  g_autoptr (ShardwiseAdvice) advice = advice_new (scenario), after = advice_new (narrower);
  g_autoptr (ShardwiseComparison) comparison = shardwise_comparison_new ();
  g_autofree char *before = NULL, *obstacle = NULL, *again = NULL;
  const char *currency;
  ShardwiseCost cost;

  shardwise_comparison_set_advice (comparison, advice, scenario);
  shardwise_comparison_pin (comparison, &shardwise_advice_get_recommended (advice)->strategy);
  before = shardwise_comparison_get_obstacle (comparison, 0);
  g_assert_null (before);
  g_assert_true (shardwise_comparison_get_cost (comparison, 0, &cost, &currency));
  shardwise_comparison_set_advice (comparison, after, narrower);
  obstacle = shardwise_comparison_get_obstacle (comparison, 0);
  g_assert_nonnull (strstr (obstacle, "4 GPUs"));
  g_assert_false (shardwise_comparison_has_figures (comparison, 0));
  g_assert_false (shardwise_comparison_get_cost (comparison, 0, &cost, &currency));
  shardwise_comparison_set_advice (comparison, advice, scenario);
  again = shardwise_comparison_get_obstacle (comparison, 0);
  g_assert_null (again);
  g_assert_true (shardwise_comparison_has_figures (comparison, 0));
}

/* Another degree fixed in the inputs takes a strategy off the list, but nothing from its
 * figures. */
static void
test_fixed (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_new (8, 8), fixed = scenario_new (8, 1);
  g_autoptr (ShardwiseAdvice) advice = advice_new (scenario), after = advice_new (fixed);
  g_autoptr (ShardwiseComparison) comparison = shardwise_comparison_new ();
  g_autofree char *obstacle = NULL;
  double step_s;

  shardwise_comparison_set_advice (comparison, advice, scenario);
  shardwise_comparison_pin (comparison, &shardwise_advice_get_recommended (advice)->strategy);
  step_s = shardwise_comparison_get_estimate (comparison, 0)->time.step_s;
  shardwise_comparison_set_advice (comparison, after, fixed);
  obstacle = shardwise_comparison_get_obstacle (comparison, 0);
  g_assert_nonnull (obstacle);
  g_assert_true (shardwise_comparison_has_figures (comparison, 0));
  g_assert_cmpfloat (shardwise_comparison_get_estimate (comparison, 0)->time.step_s, ==, step_s);
}

/* A strategy of another scenario keeps the figures of that scenario, whatever the present one is,
 * and may be the same as one that is pinned. */
static void
test_scenario (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_new (8, 0), other = scenario_new (16, 0);
  g_autoptr (ShardwiseAdvice) advice = advice_new (scenario), of_other = advice_new (other);
  g_autoptr (ShardwiseComparison) comparison = shardwise_comparison_new ();
  const SwEstimate *best = shardwise_advice_get_recommended (advice);
  const SwEstimate *best_of_other = shardwise_advice_get_recommended (of_other);

  shardwise_comparison_set_advice (comparison, advice, scenario);
  g_assert_true (shardwise_comparison_pin (comparison, &best->strategy));
  g_assert_true (shardwise_comparison_add_scenario (comparison, "sixteen", of_other, other, NULL));
  g_assert_true (
      shardwise_comparison_add_scenario (comparison, "kept", advice, scenario, &best->strategy));
  g_assert_null (shardwise_comparison_get_name (comparison, 0));
  g_assert_cmpstr (shardwise_comparison_get_name (comparison, 1), ==, "sixteen");
  g_assert_cmpfloat (
      shardwise_scenario_get_number (shardwise_comparison_get_scenario (comparison, 1),
                                     SHARDWISE_KEY_CLUSTER_GPUS, 0),
      ==, 16);
  g_assert_cmpfloat (shardwise_comparison_get_estimate (comparison, 1)->tokens_per_s, ==,
                     best_of_other->tokens_per_s);

  /* The present inputs change; what was added does not. */
  shardwise_comparison_set_advice (comparison, of_other, other);
  g_assert_cmpuint (shardwise_comparison_get_estimate (comparison, 0)->gpus_idle, ==, 8);
  g_assert_cmpfloat (shardwise_comparison_get_estimate (comparison, 2)->tokens_per_s, ==,
                     best->tokens_per_s);
  g_assert_cmpuint (shardwise_comparison_get_estimate (comparison, 2)->gpus_idle, ==,
                    best->gpus_idle);

  /* Letting go of the pinned one leaves its like of the other scenario. */
  g_assert_true (shardwise_comparison_unpin (comparison, &best->strategy));
  g_assert_false (shardwise_comparison_has (comparison, &best->strategy));
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, 2);
  g_assert_cmpstr (shardwise_comparison_get_name (comparison, 1), ==, "kept");
  shardwise_comparison_remove (comparison, 0);
  g_assert_cmpstr (shardwise_comparison_get_name (comparison, 0), ==, "kept");
}

/* Without memory enough for it in its own scenario it says so, and still has figures. */
static void
test_scenario_obstacle (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario = scenario_new (8, 0);
  g_autoptr (ShardwiseScenario) large = shardwise_scenario_from_json (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3.1-405b\"}, \"cluster\": {\"gpus\": 8}}",
      -1, &error);
  g_autoptr (ShardwiseAdvice) advice = advice_new (scenario), nothing = advice_new (large);
  g_autoptr (ShardwiseComparison) comparison = shardwise_comparison_new ();
  g_autofree char *obstacle = NULL;

  shardwise_comparison_set_advice (comparison, advice, scenario);
  g_assert_false (shardwise_advice_get_fits (nothing));
  g_assert_true (shardwise_comparison_add_scenario (comparison, "large", nothing, large, NULL));
  obstacle = shardwise_comparison_get_obstacle (comparison, 0);
  g_assert_nonnull (obstacle);
  g_assert_true (shardwise_comparison_has_figures (comparison, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/comparison/pins", test_pins);
  g_test_add_func ("/comparison/estimates", test_estimates);
  g_test_add_func ("/comparison/obstacle", test_obstacle);
  g_test_add_func ("/comparison/fixed", test_fixed);
  g_test_add_func ("/comparison/scenario", test_scenario);
  g_test_add_func ("/comparison/scenario-obstacle", test_scenario_obstacle);
  return g_test_run ();
}
