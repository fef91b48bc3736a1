/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-new-scenario.h"

#include <glib/gi18n.h>

#include "shardwise-resolve.h"
#include "shardwise-format.h"

#define CLUSTER "default-cluster"

/* A setting that another program wrote may name other things than a cluster. */
static gboolean
names_cluster (GVariant *values)
{
  GVariantIter iter;
  const char *path;

  g_variant_iter_init (&iter, values);
  while (g_variant_iter_next (&iter, "{&sv}", &path, NULL))
    if (!g_str_has_prefix (path, "cluster."))
      return FALSE;
  return g_variant_n_children (values) > 0;
}

/**
 * shardwise_new_scenario_take_cluster:
 * @scenario: one that says nothing of its cluster
 * @settings: the preferences
 *
 * Gives it the preferred cluster; one that cannot be evaluated, as its GPU is no longer in the
 * catalogue, is passed over.
 */
void
shardwise_new_scenario_take_cluster (ShardwiseScenario *scenario, GSettings *settings)
{
  g_autoptr (ShardwiseScenario) trial = NULL;
  g_autoptr (GVariant) cluster = NULL;

  g_return_if_fail (SHARDWISE_IS_SCENARIO (scenario) && G_IS_SETTINGS (settings));

  trial = shardwise_scenario_copy (scenario);
  cluster = g_settings_get_value (settings, CLUSTER);
  if (names_cluster (cluster) && shardwise_scenario_apply (trial, cluster, NULL)
      && shardwise_scenario_get_resolves (trial))
    shardwise_scenario_apply (scenario, cluster, NULL);
}

/**
 * shardwise_new_scenario:
 * @settings: the preferences
 *
 * Returns: (transfer full): a scenario with the preferred cluster and currency, and nothing to undo
 */
ShardwiseScenario *
shardwise_new_scenario (GSettings *settings)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autofree char *currency = NULL;

  g_return_val_if_fail (G_IS_SETTINGS (settings), NULL);

  currency = g_settings_get_string (settings, "currency");
  if (!g_str_equal (currency, "USD")) /* which is the default of a scenario too */
    shardwise_scenario_set (scenario, "cost.currency", g_variant_new_string (currency), NULL);
  shardwise_new_scenario_take_cluster (scenario, settings);
  return shardwise_scenario_copy (scenario);
}

/**
 * shardwise_new_scenario_keep_cluster:
 * @scenario: whose cluster new scenarios take from now on
 * @settings: the preferences
 */
void
shardwise_new_scenario_keep_cluster (ShardwiseScenario *scenario, GSettings *settings)
{
  g_autoptr (GVariant) cluster = NULL;

  g_return_if_fail (SHARDWISE_IS_SCENARIO (scenario) && G_IS_SETTINGS (settings));

  /* a{sv} of what the scenario sets of its cluster */
  GVariantDict values;
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  g_variant_dict_init (&values, NULL);
  for (guint i = 0; i < n_keys; i++)
    {
      g_autoptr (GVariant) value = NULL;

      if (!g_str_has_prefix (keys[i].path, "cluster.")
          || !shardwise_scenario_is_set (scenario, keys[i].path))
        continue;
      value = shardwise_scenario_get (scenario, keys[i].path);
      g_variant_dict_insert_value (&values, keys[i].path, value);
    }
  cluster = g_variant_ref_sink (g_variant_dict_end (&values));
  g_settings_set_value (settings, CLUSTER, cluster);
}

/**
 * shardwise_new_scenario_describe_cluster:
 * @settings: the preferences
 *
 * Returns: (transfer full): the cluster that new scenarios take: "32 × H100 SXM5 80 GB"
 */
char *
shardwise_new_scenario_describe_cluster (GSettings *settings)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_new_scenario (settings);
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autofree char *gpus = NULL;

  if (!shardwise_scenario_resolve (scenario, problem, NULL, NULL))
    return g_strdup ("");
  gpus = shardwise_format_whole (problem->cluster.gpus);
  /* Translators: how many of what: "4 × 1.2 GiB", "32 × H100 SXM5 80 GB" */
  return g_strdup_printf (_ ("%s × %s"), gpus, problem->cluster.gpu.name);
}
