/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* Scenarios of tests below the window. */

/* Llama 3 70B on four nodes of 8 H100, of which questions are asked. */
#define SCENARIO_70B_32(training)                                                                  \
  "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"llama-3-70b\"}," \
  " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 32, \"gpus_per_node\": 8},"                  \
  " \"training\": {\"sequence_length\": 8192, \"global_batch_size\": 128" training "}}"

/* (transfer full) */
static inline ShardwiseScenario *
scenario_of (const char *json)
{
  g_autoptr (GError) error = NULL;
  ShardwiseScenario *scenario = shardwise_scenario_from_json (json, -1, &error);

  g_assert_no_error (error);
  return scenario;
}

/* `value` is a GVariant as text; the scenario takes it. */
static inline void
scenario_set (ShardwiseScenario *scenario, ShardwiseKeyId id, const char *value)
{
  g_autoptr (GError) error = NULL;

  shardwise_scenario_set (scenario, id, g_variant_new_parsed (value), &error);
  g_assert_no_error (error);
}

G_END_DECLS
