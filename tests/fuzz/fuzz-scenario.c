/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenario files from anywhere: no text may crash, hang or be accepted without surviving its own
 * writing. */
#include "fuzz-target.h"

#include <string.h>

#include "shardwise-advice.h"
#include "shardwise-resolve.h"
#include "shardwise-advice-json.h"

/* Searching 131,072 GPUs for every input would leave the fuzzer no time for the reader. */
#define MOST_GPUS 64
#define MOST_LAYERS 100

static void
check_round_trip (ShardwiseScenario *scenario)
{
  g_autofree char *json = shardwise_scenario_to_json (scenario), *again = NULL;
  g_autoptr (ShardwiseScenario) back = shardwise_scenario_from_json (json, -1, NULL);

  g_assert_nonnull (back);
  again = shardwise_scenario_to_json (back);
  g_assert_cmpstr (json, ==, again);
}

static void
check_advice (ShardwiseScenario *scenario)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (JsonNode) node = NULL;
  SwProblem problem;

  if (!shardwise_scenario_resolve (scenario, &problem, NULL, NULL))
    return;
  if (problem.cluster.gpus > MOST_GPUS || problem.model.layers > MOST_LAYERS
      || problem.training.global_batch > 4096)
    return;
  advice = shardwise_advice_compute (scenario, &options, NULL, NULL);
  if (advice != NULL)
    node = shardwise_advice_to_json (advice);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_from_json (text, (gssize) size,
                                                                         &error);

  g_assert_true ((scenario == NULL) == (error != NULL));
  if (scenario == NULL)
    {
      g_assert_null (strchr (error->message, '\n'));
      return 0;
    }
  check_round_trip (scenario);
  check_advice (scenario);
  return 0;
}
