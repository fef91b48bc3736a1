/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands for prices, power and failures that a scenario does not state: costs.json. */
#include "shardwise-catalogue-read.h"
#include "shardwise-cost.h"

static gpointer
load_costs (gpointer data)
{
  return shardwise_catalogue_load ("costs.json");
}

static JsonObject *
record_of (const char *name)
{
  static GOnce once = G_ONCE_INIT;
  JsonObject *root = json_node_get_object (g_once (&once, load_costs, NULL));

  return shardwise_json_object (shardwise_json_object (root, "defaults"), name);
}

/**
 * shardwise_cost_constant:
 * @name: of a record of costs.json
 *
 * Returns: its value, in the unit that the name says
 */
double
shardwise_cost_constant (const char *name)
{
  JsonObject *record = record_of (name);

  g_return_val_if_fail (record != NULL, 0);

  return shardwise_json_number (record, "value", 0);
}

/**
 * shardwise_cost_source:
 * @name: a key of "cost", without that prefix
 *
 * Returns: (transfer none) (nullable): where its default comes from; %NULL where it has none
 */
const char *
shardwise_cost_source (const char *name)
{
  const char *found = g_str_equal (name, "storage_gb_s") ? "storage_gb_s_per_gpu"
                      : g_str_equal (name, "power_w")    ? "power_utilisation"
                                                         : name;
  JsonObject *record = record_of (found);

  return record != NULL ? shardwise_json_text (record, "source") : NULL;
}

/**
 * shardwise_cost_default:
 * @problem: the resolved scenario
 * @name: a key of "cost", without that prefix
 *
 * Returns: the number that stands for it where it is not set, in the unit of the key; 0: none
 */
double
shardwise_cost_default (const SwProblem *problem, const char *name)
{
  if (g_str_equal (name, "power_w"))
    return problem->cluster.gpu.tdp_w * shardwise_cost_constant ("power_utilisation");
  if (g_str_equal (name, "storage_gb_s"))
    return shardwise_cost_constant ("storage_gb_s_per_gpu") * problem->cluster.gpus;
  return record_of (name) != NULL ? shardwise_cost_constant (name) : 0;
}
