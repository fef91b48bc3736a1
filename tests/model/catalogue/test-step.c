/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One layer as the script measures it: the layer of the strategy, as the engine prices it. */
#include <math.h>

#include "scenario-fixture.h"
#include "shardwise-estimate.h"
#include "shardwise-step.h"
#include "sw-layer-memory.h"
#include "sw-layer-time.h"

#define MEGATRON                                                                                   \
  "\"framework\": \"megatron-core\", \"micro_batch_size\": 1, \"sequence_length\": 4096"

/* What of a layer the script does not have, or has on other GPUs, is left out of its figures. */
static const struct {
  const char *model, *cluster, *training, *strategy;
  gboolean same; /* the whole of the engine's layer */
} cases[] = {
  { "llama-3-8b", "\"gpus\": 8", MEGATRON,
    "\"tp\": 2, \"pp\": 1, \"cp\": 1, \"recompute\": \"none\"", TRUE },
  { "llama-3-8b", "\"gpus\": 8", MEGATRON,
    "\"tp\": 2, \"pp\": 1, \"cp\": 2, \"cp_method\": \"ring\", \"recompute\": \"full\"", TRUE },
  { "llama-3-8b", "\"gpus\": 8", MEGATRON,
    "\"tp\": 1, \"pp\": 1, \"cp\": 4, \"cp_method\": \"ulysses\", \"recompute\": \"selective\"",
    TRUE },
  { "llama-3-70b", "\"gpus\": 32",
    "\"framework\": \"fsdp2\", \"micro_batch_size\": 1, \"sequence_length\": 8192",
    "\"tp\": 4, \"pp\": 1, \"cp\": 4, \"cp_method\": \"allgather\", \"recompute\": \"selective\"",
    FALSE },
  { "mixtral-8x7b", "\"gpus\": 8", MEGATRON,
    "\"tp\": 1, \"pp\": 1, \"ep\": 8, \"recompute\": \"none\"", FALSE },
  { "deepseek-v3", "\"gpus\": 256", MEGATRON,
    "\"tp\": 2, \"pp\": 8, \"ep\": 16, \"recompute\": \"full\"", FALSE },
};

static void
estimate (guint i, SwProblem *problem, SwEstimate *out)
{
  g_autofree char *json = g_strdup_printf (
      "{\"model\": {\"preset\": \"%s\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", %s}, "
      "\"training\": {%s}, \"strategy\": {%s}}",
      cases[i].model, cases[i].cluster, cases[i].training, cases[i].strategy);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  g_autoptr (GError) error = NULL;

  shardwise_estimate_scenario (scenario, problem, out, NULL, &error);
  g_assert_no_error (error);
}

/* Predicted seconds and bytes of every row; 0 where there are none. */
static void
predict (ShardwiseMeasuredStep *step, const SwProblem *problem, double out[SHARDWISE_N_STEP_ROWS])
{
  ShardwiseStepRow rows[SHARDWISE_N_STEP_ROWS];
  guint n;

  g_strlcpy (step->gpu, "GPU", sizeof step->gpu);
  for (guint i = 0; i < SHARDWISE_N_STEP_ROWS; i++)
    {
      step->row[i] = (ShardwiseMeasurement){ 1, 0.1 };
      out[i] = 0;
    }
  n = shardwise_step_rows (step, problem, rows);
  for (guint i = 0; i < n; i++)
    out[rows[i].id] = rows[i].predicted;
}

static void
test_prediction (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
      double rows[SHARDWISE_N_STEP_ROWS], forward = 0, backward = 0;
      ShardwiseMeasuredStep step;
      SwEstimate answer;
      SwLayerTime time;
      SwLayerMemory memory;
      guint kind;

      estimate (i, problem, &answer);
      shardwise_step_from_strategy (problem, &answer.strategy, &step);
      predict (&step, problem, rows);
      g_assert_true (shardwise_step_has_layer (step.layer));
      g_assert_cmpuint (step.layer[SHARDWISE_LAYER_TP] * step.layer[SHARDWISE_LAYER_CP], <=,
                        problem->cluster.gpus_per_node);
      kind = step.layer[SHARDWISE_LAYER_EXPERTS] > 0 ? SW_LAYER_MOE : SW_LAYER_DENSE;
      for (guint row = 0; row < SHARDWISE_STEP_RECOMPUTATION; row += 2)
        {
          forward += rows[row];
          backward += rows[row + 1];
        }
      /* The kinds are nearly all of the layer: what is hidden is in them, and a launch is not. */
      g_assert_cmpfloat (forward / rows[SHARDWISE_STEP_LAYER], >, 0.7);
      g_assert_cmpfloat (forward / rows[SHARDWISE_STEP_LAYER], <, 1.3);
      backward += rows[SHARDWISE_STEP_RECOMPUTATION + 1];
      g_assert_cmpfloat (backward / rows[SHARDWISE_STEP_LAYER + 1], >, 0.7);
      g_assert_cmpfloat (backward / rows[SHARDWISE_STEP_LAYER + 1], <, 1.3);
      g_assert_true ((rows[SHARDWISE_STEP_RECOMPUTATION + 1] > 0)
                     == (answer.strategy.recompute != SW_RECOMPUTE_NONE));
      g_assert_true ((rows[SHARDWISE_STEP_EXPERTS] > 0) == (kind == SW_LAYER_MOE));
      g_assert_cmpfloat (rows[SHARDWISE_STEP_PEAK], >, rows[SHARDWISE_STEP_KEPT]);
      if (!cases[i].same)
        continue;
      sw_layer_time (problem, &answer.strategy, &time);
      sw_layer_memory (problem, &answer.strategy, &memory);
      g_assert_cmpfloat_with_epsilon (rows[SHARDWISE_STEP_LAYER],
                                      time.part[kind].forward_s + time.part[kind].forward_comm_s,
                                      1e-9);
      if (answer.strategy.recompute != SW_RECOMPUTE_FULL)
        g_assert_cmpfloat (fabs (rows[SHARDWISE_STEP_KEPT] / memory.activation_bytes[kind] - 1), <,
                           0.1);
    }
}

/* What of a strategy does not stay in a node goes with its part of the work. */
static void
test_node (void)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  ShardwiseMeasuredStep step;
  SwEstimate answer;

  estimate (3, problem, &answer);
  g_assert_cmpuint (answer.strategy.cp, ==, 4);
  shardwise_step_from_strategy (problem, &answer.strategy, &step);
  g_assert_cmpuint (step.layer[SHARDWISE_LAYER_CP], ==, 2);
  g_assert_cmpuint (step.layer[SHARDWISE_LAYER_TOKENS], ==, 4096);
  estimate (5, problem, &answer);
  shardwise_step_from_strategy (problem, &answer.strategy, &step);
  g_assert_cmpuint (step.layer[SHARDWISE_LAYER_EXPERTS], ==, 16);
  g_assert_cmpuint (step.layer[SHARDWISE_LAYER_VALUE_SIZE], ==, 128);
}

static void
test_file (void)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  g_autoptr (GError) error = NULL;
  double rows[SHARDWISE_N_STEP_ROWS];
  ShardwiseMeasuredStep step, again;
  SwEstimate answer;

  estimate (5, problem, &answer);
  shardwise_step_from_strategy (problem, &answer.strategy, &step);
  predict (&step, problem, rows);
  json_node_take_object (node, shardwise_step_to_json (&step));
  g_assert_true (shardwise_step_read (node, &again, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (step.layer, sizeof step.layer, again.layer, sizeof again.layer);
  g_assert_cmpuint (step.framework, ==, again.framework);
  for (guint i = 0; i < SHARDWISE_N_STEP_ROWS; i++)
    g_assert_cmpfloat (step.row[i].value, ==, again.row[i].value);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step/prediction", test_prediction);
  g_test_add_func ("/step/node", test_node);
  g_test_add_func ("/step/file", test_file);
  return g_test_run ();
}
