/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario-fixture.h"
#include "shardwise-advisor.h"
#include "shardwise-candidate-view.h"
#include "shardwise-strategy.h"

/* Runs the main context until the advisor has @status. No sleeps: the advisor's own notifications
 * wake it. */
static void
wait_for (ShardwiseAdvisor *advisor, ShardwiseStatus status)
{
  while (shardwise_advisor_get_status (advisor) != status)
    g_main_context_iteration (NULL, TRUE);
}

static void
count_cb (GObject *object, gpointer unused, guint *count)
{
  (*count)++;
}

static void
selected_cb (ShardwiseAdvisor *advisor, guint *count)
{
  (*count)++;
}

static void
test_live (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (ShardwiseAdvisor) advisor = shardwise_advisor_new (scenario);
  ShardwiseAdvice *first;
  guint advices = 0, statuses = 0;

  g_assert_cmpint (shardwise_advisor_get_status (advisor), ==, SHARDWISE_STATUS_EMPTY);
  g_assert_null (shardwise_advisor_get_selected (advisor));
  g_signal_connect (advisor, "notify::advice", G_CALLBACK (count_cb), &advices);
  wait_for (advisor, SHARDWISE_STATUS_READY);
  first = shardwise_advisor_get_advice (advisor);
  g_assert_cmpuint (shardwise_advice_get_problem (first)->cluster.gpus, ==, 8);
  g_signal_connect (advisor, "notify::status", G_CALLBACK (count_cb), &statuses);
  /* typing 128: three edits, one run */
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "1");
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "12");
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "128");
  g_assert_cmpint (shardwise_advisor_get_status (advisor), ==, SHARDWISE_STATUS_STALE);
  g_assert_true (shardwise_advisor_get_advice (advisor) == first);
  wait_for (advisor, SHARDWISE_STATUS_READY);
  g_assert_cmpuint (
      shardwise_advice_get_problem (shardwise_advisor_get_advice (advisor))->cluster.gpus, ==, 128);
  g_assert_cmpuint (advices, >=, 2);
  g_assert_cmpuint (advices, <=, 4);  /* figures may come before their reasons */
  g_assert_cmpuint (statuses, ==, 2); /* stale, ready */
  scenario_set (scenario, SHARDWISE_KEY_NAME, "'another name'"); /* nothing to compute */
  g_assert_cmpint (shardwise_advisor_get_status (advisor), ==, SHARDWISE_STATUS_READY);
}

static void
test_error (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (ShardwiseAdvisor) advisor = shardwise_advisor_new (scenario);
  ShardwiseAdvice *advice;

  wait_for (advisor, SHARDWISE_STATUS_READY);
  advice = shardwise_advisor_get_advice (advisor);
  scenario_set (scenario, SHARDWISE_KEY_STRATEGY_TP, "3");
  wait_for (advisor, SHARDWISE_STATUS_ERROR);
  g_assert_true (shardwise_advisor_get_advice (advisor) == advice);
  g_assert_cmpstr (shardwise_advisor_get_error_path (advisor), ==, "strategy.tp");
  g_assert_nonnull (shardwise_advisor_get_error_message (advisor));
  shardwise_scenario_undo (scenario);
  wait_for (advisor, SHARDWISE_STATUS_READY);
  g_assert_null (shardwise_advisor_get_error_path (advisor));
  g_assert_null (shardwise_advisor_get_error_message (advisor));
}

static void
test_not_live (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (ShardwiseAdvisor) advisor = g_object_new (SHARDWISE_TYPE_ADVISOR, "live", FALSE,
                                                       "scenario", scenario, NULL);

  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpint (shardwise_advisor_get_status (advisor), ==, SHARDWISE_STATUS_EMPTY);
  shardwise_advisor_evaluate (advisor);
  wait_for (advisor, SHARDWISE_STATUS_READY);
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "16");
  g_assert_cmpint (shardwise_advisor_get_status (advisor), ==, SHARDWISE_STATUS_STALE);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpint (shardwise_advisor_get_status (advisor), ==, SHARDWISE_STATUS_STALE);
  shardwise_advisor_set_live (advisor, TRUE);
  wait_for (advisor, SHARDWISE_STATUS_READY);
}

/* No advice may be for inputs that are gone, and the ready one has its reasons. */
static void
check_gpus_cb (ShardwiseAdvisor *advisor, GParamSpec *pspec, guint *gpus)
{
  g_assert_cmpuint (
      shardwise_advice_get_problem (shardwise_advisor_get_advice (advisor))->cluster.gpus, ==,
      *gpus);
}

/* Editing during a run cancels it: only the last inputs are ever answered. */
static void
test_cancel (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (ShardwiseAdvisor) advisor = shardwise_advisor_new (scenario);
  guint gpus = 16;

  g_signal_connect (advisor, "notify::advice", G_CALLBACK (check_gpus_cb), &gpus);
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "16384");
  shardwise_advisor_evaluate (advisor); /* runs now */
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "16");
  shardwise_advisor_evaluate (advisor);
  wait_for (advisor, SHARDWISE_STATUS_READY);
  g_assert_cmpuint (shardwise_advice_get_rationale (shardwise_advisor_get_advice (advisor))->len, >,
                    0);
  g_assert_null (shardwise_advice_get_problem (shardwise_advisor_get_advice (advisor))->cancelled);
  shardwise_advisor_evaluate (advisor);
  shardwise_advisor_stop (advisor);
  g_assert_cmpint (shardwise_advisor_get_status (advisor), ==, SHARDWISE_STATUS_STALE);
}

/* An advisor may go while its thread works. */
static void
test_dispose (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  ShardwiseAdvisor *advisor = shardwise_advisor_new (scenario);
  g_autoptr (ShardwiseAdvisor) next = NULL;

  shardwise_advisor_evaluate (advisor);
  g_assert_finalize_object (advisor);
  next = shardwise_advisor_new (scenario);
  wait_for (next, SHARDWISE_STATUS_READY);
}

static void
test_selected (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (ShardwiseAdvisor) advisor = shardwise_advisor_new (scenario);
  const SwEstimate *recommended;
  SwEstimate other;
  guint selections = 0;

  wait_for (advisor, SHARDWISE_STATUS_READY);
  g_signal_connect (advisor, "selected-changed", G_CALLBACK (selected_cb), &selections);
  recommended = shardwise_advice_get_recommended (shardwise_advisor_get_advice (advisor));
  g_assert_true (shardwise_advisor_get_selected (advisor) == recommended);
  other = *shardwise_advice_get_alternative (shardwise_advisor_get_advice (advisor), 0);
  shardwise_advisor_set_selected (advisor, &other);
  shardwise_advisor_set_selected (advisor, &other);
  g_assert_true (
      sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &other.strategy));
  g_assert_cmpuint (selections, ==, 1);
  shardwise_advisor_set_selected (advisor, NULL);
  g_assert_true (sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy,
                                    &recommended->strategy));
  g_assert_cmpuint (selections, ==, 2);
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "16");
  wait_for (advisor, SHARDWISE_STATUS_READY);
  g_assert_cmpuint (selections, ==, 3);
}

/* Figures that were looked at stay selected when their reasons come. */
static void
test_reasons_come_later (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (ShardwiseAdvisor) advisor = NULL;
  ShardwiseAdvice *first;
  SwEstimate other;

  scenario_set (scenario, SHARDWISE_KEY_MODEL_PRESET, "'deepseek-v3'");
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "2048");
  advisor = shardwise_advisor_new (scenario);
  while (shardwise_advisor_get_advice (advisor) == NULL)
    g_main_context_iteration (NULL, TRUE);
  if (shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY)
    {
      g_test_skip ("this machine explains as fast as it answers");
      return;
    }
  first = shardwise_advisor_get_advice (advisor);
  g_assert_cmpuint (shardwise_advice_get_rationale (first)->len, ==, 0);
  other = *shardwise_advice_get_alternative (first, 0);
  shardwise_advisor_set_selected (advisor, &other);
  wait_for (advisor, SHARDWISE_STATUS_READY);
  g_assert_cmpuint (shardwise_advice_get_rationale (shardwise_advisor_get_advice (advisor))->len, >,
                    0);
  g_assert_cmpuint (shardwise_advice_get_sensible_gpus (shardwise_advisor_get_advice (advisor)), >,
                    0);
  g_assert_true (
      sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &other.strategy));
}

static void
test_strategies (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (ShardwiseAdvisor) advisor = shardwise_advisor_new (scenario);
  double last = G_MAXDOUBLE;
  guint n;

  wait_for (advisor, SHARDWISE_STATUS_READY);
  shardwise_advice_get_candidates (shardwise_advisor_get_advice (advisor), &n);
  g_assert_cmpuint (n, >, 10);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (ShardwiseStrategy) strategy =
          shardwise_strategy_new (shardwise_advisor_get_advice (advisor), i);
      g_autofree char *summary = NULL, *difference = NULL;
      guint rank;
      double rate;

      g_object_get (strategy, "rank", &rank, "tokens-per-s", &rate, "summary", &summary,
                    "difference", &difference, NULL);
      g_assert_cmpuint (rank, ==, i + 1);
      g_assert_cmpfloat (rate, ==, shardwise_strategy_get_estimate (strategy)->tokens_per_s);
      g_assert_cmpfloat (rate, <=, last * 1.031); /* within 3 % simplicity decides */
      g_assert_nonnull (summary);
      g_assert_nonnull (difference);
      g_assert_null (
          strstr (difference, "arallel ")); /* "TP 4", as everywhere: it has little room */
      last = rate;
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/advisor/live", test_live);
  g_test_add_func ("/advisor/error", test_error);
  g_test_add_func ("/advisor/not-live", test_not_live);
  g_test_add_func ("/advisor/cancel", test_cancel);
  g_test_add_func ("/advisor/dispose", test_dispose);
  g_test_add_func ("/advisor/selected", test_selected);
  g_test_add_func ("/advisor/reasons-come-later", test_reasons_come_later);
  g_test_add_func ("/advisor/strategies", test_strategies);
  return g_test_run ();
}
