/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fine-tuning on one node as public repositories configure it (tests/data/setups/setups.json), as its
 * authors ran it and as the advice has it. Exits with 1 where one that ran does not fit. */
#include <locale.h>
#include <stdio.h>

#include "shardwise-advice.h"
#include "shardwise-estimate.h"
#include "shardwise-file.h"
#include "shardwise-json.h"
#include "shardwise-text-strategy.h"

/* The scenario of a setup, with its strategy or without. */
static ShardwiseScenario *
scenario_of (JsonObject *setup, gboolean with_strategy)
{
  g_autoptr (JsonNode) node = json_node_copy (json_object_get_member (setup, "scenario"));
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  ShardwiseScenario *scenario;

  if (!with_strategy)
    json_object_remove_member (json_node_get_object (node), "strategy");
  text = shardwise_json_to_string (node);
  scenario = shardwise_scenario_from_json (text, -1, &error);
  if (scenario == NULL)
    g_error ("%s: %s", json_object_get_string_member (setup, "id"), error->message);
  return scenario;
}

/* Returns whether what ran fits. */
static gboolean
show (JsonObject *setup)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  const char *id = json_object_get_string_member (setup, "id");
  g_autoptr (ShardwiseScenario) ran = scenario_of (setup, TRUE), open = scenario_of (setup, FALSE);
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autofree char *strategy = NULL;
  const SwEstimate *ours;
  SwEstimate theirs;
  SwProblem problem;

  if (!shardwise_estimate_scenario (ran, &problem, &theirs, NULL, &error))
    g_error ("%s: %s", id, error->message);
  advice = shardwise_advice_compute (open, &options, NULL, &error);
  ours = advice != NULL ? shardwise_advice_get_recommended (advice) : NULL;
  strategy = ours != NULL ? shardwise_text_strategy (&ours->strategy) : g_strdup ("nothing");
  printf ("%-26s %-13s %6.1f of %5.1f GiB %8.0f | %6.1f GiB %8.0f %s\n", id,
          theirs.rule == SW_RULE_OK ? sw_fit_names[theirs.fit] : sw_rule_names[theirs.rule],
          theirs.memory.peak.total / SW_GIB, theirs.usable_bytes / SW_GIB,
          theirs.tokens_per_s_per_gpu, ours != NULL ? ours->memory.peak.total / SW_GIB : 0,
          ours != NULL ? ours->tokens_per_s_per_gpu : 0, strategy);
  return theirs.rule == SW_RULE_OK && theirs.fit != SW_FIT_DOES_NOT_FIT;
}

int
main (int argc, char **argv)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (argc > 1 ? argv[1] : "setups.json");
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = shardwise_read_file (file, NULL, &error);
  g_autoptr (JsonNode) root = NULL;
  guint n_wrong = 0;
  JsonArray *setups;

  setlocale (LC_ALL, "C.UTF-8");
  if (bytes != NULL)
    root = shardwise_json_parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), &error);
  if (root == NULL)
    g_error ("%s", error->message);
  setups = json_object_get_array_member (json_node_get_object (root), "setups");
  printf ("%-26s %-54s | %s\n", "setup", "as its authors ran it (memory, tokens/s per GPU)",
          "the advice");
  for (guint i = 0; i < json_array_get_length (setups); i++)
    n_wrong += !show (json_array_get_object_element (setups, i));
  printf ("%u setups, %u that ran do not fit\n", json_array_get_length (setups), n_wrong);
  return n_wrong > 0;
}
