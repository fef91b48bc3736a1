/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders that practitioners measure: of two ways to run one job, which is faster and by how much at
 * least, with the constants of the catalogue. */
#include "scenario-fixture.h"
#include "shardwise-resolve.h"

/* What differs between the jobs of a test; NULL: nothing is said of it. */
typedef struct {
  const char *model, *cluster, *training, *strategy;
} Job;

static void
estimate (const Job *job, SwEstimate *out)
{
  g_autofree char *json = g_strdup_printf (
      "{\"model\": {%s}, \"cluster\": {%s}, \"training\": {\"precision\": \"bf16\", %s}, "
      "\"strategy\": {\"tp\": 1, \"pp\": 1, \"cp\": 1, \"micro_batch_size\": 1, %s}}",
      job->model, job->cluster, job->training, job->strategy);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  g_autoptr (GError) error = NULL;
  SwProblem problem;
  SwStrategy strategy;

  shardwise_scenario_resolve (scenario, &problem, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (shardwise_scenario_get_strategy (scenario, &problem, &strategy, &error));
  g_assert_no_error (error);
  sw_estimate (&problem, &strategy, out);
}
