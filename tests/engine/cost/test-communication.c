/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of communication: its rows add up to the step's times, its bytes to what textbooks
 * say. */
#include "sw-communication.h"
#include "sw-fixture.h"
#include "sw-estimate.h"

#include <math.h>

enum { SEED = 20261121, CASES = 10000 };

static gboolean
close_to (double value, double expected)
{
  return fabs (value - expected) <= 1e-9 + 1e-6 * fabs (expected);
}

static void
sum_rows (const SwCommunication *rows, guint n, double sums[SW_N_COMMUNICATION_GROUPS][2])
{
  for (guint i = 0; i < n; i++)
    {
      const SwCommunication *row = &rows[i];

      sums[row->group][0] += row->exposed_s;
      sums[row->group][1] += row->hidden_s;
      g_assert_cmpfloat (row->exposed_s, >=, 0);
      g_assert_cmpfloat (row->network_bytes, <=, row->bytes * (1 + 1e-12));
      g_assert_true (close_to (row->exposed_s + row->hidden_s, row->seconds));
      if (row->use < SW_COMMUNICATION_MERGES)
        {
          g_assert_cmpfloat (row->bytes, >, 0);
          g_assert_cmpfloat (row->calls, >=, 1);
          g_assert_cmpuint (row->gpus, >, 1);
          g_assert_true (row->inside || row->network);
          g_assert_true (row->network == (row->network_bytes > 0));
        }
    }
}

static void
check_sums (const SwProblem *problem, const SwStrategy *strategy)
{
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  double sums[SW_N_COMMUNICATION_GROUPS][2] = { { 0 } };
  SwLayerMemory memory;
  SwScheduleTime schedule;
  SwLayerTime layer;
  SwTime t;

  sw_layer_memory (problem, strategy, &memory);
  sw_layer_time (problem, strategy, &layer);
  sw_schedule_time (problem, strategy, &layer, &schedule);
  sw_estimate_time (problem, strategy, &memory, &schedule, &t);
  sum_rows (rows, sw_communication (problem, strategy, rows), sums);
  const double expected[SW_N_COMMUNICATION_GROUPS][2] = {
    { t.tp_exposed_s, t.tp_hidden_s }, { t.cp_exposed_s, t.cp_hidden_s },
    { t.ep_exposed_s, t.ep_hidden_s }, { t.pp_exposed_s, t.pp_hidden_s },
    { t.dp_exposed_s, t.dp_hidden_s },
  };
  for (guint group = 0; group < SW_N_COMMUNICATION_GROUPS; group++)
    for (guint i = 0; i < 2; i++)
      if (!close_to (sums[group][i], expected[group][i]))
        g_error ("%s %u: rows add up to %.9g s, the step has %.9g",
                 sw_communication_group_names[group], i, sums[group][i], expected[group][i]);
}

/* Of 10,000 random strategies that the rules allow, whether they fit or not. */
static void
test_rows_add_up (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED);
  guint done = 0, seen[5] = { 0 };

  while (done < CASES)
    {
      SwStrategy strategy;
      SwProblem problem;

      sw_fixture_random_problem (rand, &problem);
      for (guint i = 0; i < 20; i++)
        {
          if (!sw_fixture_random_strategy (rand, &problem, &strategy))
            continue;
          check_sums (&problem, &strategy);
          done++;
          seen[0] += strategy.tp > 1;
          seen[1] += strategy.cp > 1;
          seen[2] += strategy.ep > 1;
          seen[3] += strategy.pp > 1;
          seen[4] += strategy.zero_stage > 2 && strategy.shard_group < strategy.dp;
        }
    }
  for (guint i = 0; i < G_N_ELEMENTS (seen); i++)
    g_assert_cmpuint (seen[i], >, CASES / 100);
}

static const SwCommunication *
find (const SwCommunication *rows, guint n, SwCommunicationGroup group, SwCommunicationUse use)
{
  for (guint i = 0; i < n; i++)
    if (rows[i].group == group && rows[i].use == use)
      return &rows[i];
  return NULL;
}

/* Llama 3 8B over 16 GPUs in two nodes, ZeRO 0: an all-reduce of the gradients sends 2 (n - 1) / n
 * of them (Rajbhandari et al. 2020, section 7: twice the parameters), of which a ring spreads what
 * leaves the node over the eight GPUs in it. ZeRO 1: half of that scattered, the 16-bit parameters
 * gathered. */
static void
test_bytes_of_gradients (void)
{
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  const SwCommunication *row;
  SwStrategy strategy;
  SwProblem problem;
  SwModelSpec model;
  double gradients;
  guint n;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 16);
  sw_problem_prepare (&problem);
  sw_strategy_init_default (&strategy);
  strategy.framework = SW_FRAMEWORK_MEGATRON_CORE;
  strategy.dp = strategy.shard_group = 16;
  strategy.zero_stage = 0;
  gradients = problem.count.total * sw_gradient_bytes (&problem, &strategy);
  n = sw_communication (&problem, &strategy, rows);
  g_assert_cmpuint (n, ==, 1);
  row = find (rows, n, SW_COMMUNICATION_DATA, SW_COMMUNICATION_GRADIENTS);
  g_assert_nonnull (row);
  g_assert_cmpint (row->kind, ==, SW_COLLECTIVE_ALL_REDUCE);
  g_assert_cmpuint (row->gpus, ==, 16);
  g_assert_true (row->inside && row->network);
  g_assert_cmpfloat_with_epsilon (row->bytes / (gradients * 2 * 15 / 16), 1, 1e-3);
  g_assert_cmpfloat_with_epsilon (row->network_bytes / row->bytes, 1.0 / 8, 1e-12);
  strategy.zero_stage = 1;
  n = sw_communication (&problem, &strategy, rows);
  g_assert_cmpuint (n, ==, 2);
  row = find (rows, n, SW_COMMUNICATION_DATA, SW_COMMUNICATION_GRADIENTS);
  g_assert_cmpint (row->kind, ==, SW_COLLECTIVE_REDUCE_SCATTER);
  g_assert_cmpfloat_with_epsilon (row->bytes / (gradients * 15 / 16), 1, 1e-3);
  row = find (rows, n, SW_COMMUNICATION_DATA, SW_COMMUNICATION_PARAMETERS);
  g_assert_cmpfloat_with_epsilon (row->bytes / (problem.count.total * 2 * 15 / 16), 1, 1e-3);
}

/* Tensor parallelism of 2 without sequence parallelism (Shoeybi et al. 2019): four all-reduces of
 * the hidden state a layer, and the head's four, in one micro-batch; nothing leaves the node. */
static void
test_tensor_calls (void)
{
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  const SwCommunication *row;
  SwStrategy strategy;
  SwProblem problem;
  SwModelSpec model;
  double hidden, losses;
  guint n;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 2);
  problem.training.global_batch = 1;
  problem.training.sequence_length = 4096;
  sw_problem_prepare (&problem);
  sw_strategy_init_default (&strategy);
  strategy.framework = SW_FRAMEWORK_MEGATRON_CORE;
  strategy.tp = strategy.etp = 2;
  strategy.micro_batch = 1;
  strategy.sequence_parallel = FALSE;
  strategy.recompute = SW_RECOMPUTE_NONE;
  n = sw_communication (&problem, &strategy, rows);
  row = find (rows, n, SW_COMMUNICATION_TENSOR, SW_COMMUNICATION_ACTIVATIONS);
  g_assert_nonnull (row);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpfloat (row->calls, ==, 32 * 4 + 1 + 3);
  hidden = 2.0 * 4096 * 4096;
  losses = 12.0 * 4096;
  /* 2 (n - 1) / n of a group of two is 1. */
  g_assert_cmpfloat (row->bytes, ==, (32 * 4 + 1) * hidden + losses);
  g_assert_true (row->inside && !row->network);
  g_assert_cmpfloat (row->network_bytes, ==, 0);
  strategy.recompute = SW_RECOMPUTE_FULL;
  sw_communication (&problem, &strategy, rows);
  g_assert_cmpfloat (rows[0].calls, ==, 32 * 6 + 1 + 3);
}

/* Eight stages of four GPUs over four nodes of eight: three of the seven borders lie between nodes,
 * and the pipeline keeps the network's pace. In one domain of 32 GPUs none does. A GPU sends each
 * micro-batch's activations on and its gradients back. */
static void
test_pipeline_borders (void)
{
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  const SwCommunication *row;
  SwStrategy strategy;
  SwProblem problem;
  double near_s, far_s, mixed_s, bytes;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  strategy.tp = strategy.etp = 4;
  strategy.pp = 8;
  strategy.micro_batch = 1;
  problem.training.global_batch = 16;
  bytes = 2 * 8192.0 * problem.model.hidden_size / 4;
  row = find (rows, sw_communication (&problem, &strategy, rows), SW_COMMUNICATION_PIPELINE,
              SW_COMMUNICATION_ACTIVATIONS);
  g_assert_true (row->inside && row->network);
  g_assert_cmpfloat (row->calls, ==, 32);
  g_assert_cmpfloat_with_epsilon (row->bytes, 32 * bytes, 1);
  g_assert_cmpfloat_with_epsilon (row->network_bytes / row->bytes, 3.0 / 7, 1e-12);
  mixed_s = row->seconds;
  near_s = sw_collective_seconds (&problem, SW_COLLECTIVE_P2P, (SwGroup){ 2, 4 }, bytes, 1);
  far_s = sw_collective_seconds (&problem, SW_COLLECTIVE_P2P, (SwGroup){ 2, 8 }, bytes, 1);
  g_assert_cmpfloat (far_s, >, 2 * near_s);
  g_assert_cmpfloat_with_epsilon (mixed_s, (32 + 2 * 3) * far_s + 2 * 4 * near_s, 1e-9);
  problem.cluster.nvlink_domain = 32;
  row = find (rows, sw_communication (&problem, &strategy, rows), SW_COMMUNICATION_PIPELINE,
              SW_COMMUNICATION_ACTIVATIONS);
  g_assert_true (row->inside && !row->network);
  g_assert_cmpfloat_with_epsilon (row->seconds, (32 + 2 * 7) * near_s, 1e-9);
}

/* Reinforcement learning: what the other phases communicate is told apart, and the rows still add
 * up to the step. */
static void
test_phases (void)
{
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  SwStrategy strategy;
  SwProblem problem;
  SwModelSpec model;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 16);
  problem.training.type = SW_TRAINING_RLHF;
  problem.training.rlhf_response_length = 1024;
  sw_problem_prepare (&problem);
  sw_strategy_init_default (&strategy);
  strategy.framework = SW_FRAMEWORK_MEGATRON_CORE;
  strategy.dp = strategy.shard_group = 8;
  strategy.tp = strategy.etp = 2;
  strategy.zero_stage = 1;
  check_sums (&problem, &strategy);
  g_assert_nonnull (find (rows, sw_communication (&problem, &strategy, rows),
                          SW_COMMUNICATION_TENSOR, SW_COMMUNICATION_OTHER_PHASES));
}

static void
test_single (void)
{
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  SwStrategy strategy;
  SwProblem problem;
  SwModelSpec model;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 1);
  sw_problem_prepare (&problem);
  sw_strategy_init_default (&strategy);
  strategy.framework = SW_FRAMEWORK_MEGATRON_CORE;
  g_assert_cmpuint (sw_communication (&problem, &strategy, rows), ==, 0);
}

/* The parameters that ranks of one stage gather: of the layers and the ends, and of experts. */
static void
held_by (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *memory,
         guint stage, double held[2])
{
  const guint last = strategy->pp - 1;
  guint layers[SW_N_LAYER_KINDS];

  sw_stage_layer_kinds (problem, strategy, stage, layers);
  held[0] = layers[SW_LAYER_DENSE] * memory->layer_parameters[SW_LAYER_DENSE]
            + layers[SW_LAYER_MOE] * memory->layer_parameters[SW_LAYER_MOE]
            + (stage == 0 ? memory->embedding_parameters : 0)
            + (stage == last ? memory->head_parameters + memory->mtp_parameters : 0);
  held[1] = (layers[SW_LAYER_MOE] + (stage == last ? problem->model.mtp_layers : 0))
            * memory->expert_parameters;
}

/* What is gathered is what a stage that there is holds, and without experts the most that any
 * holds: no stage has the most layers and the embedding, where the first has a layer less. */
static void
check_gathered (const SwProblem *problem, const SwStrategy *strategy)
{
  double gathered[2] = { 0, 0 }, most = 0;
  SwCollectiveLog log = { 0 };
  gboolean is_real = FALSE;
  SwScheduleTime schedule;
  SwLayerMemory memory;
  SwLayerTime layer;

  sw_layer_memory (problem, strategy, &memory);
  sw_layer_time (problem, strategy, &layer);
  sw_schedule_time (problem, strategy, &layer, &schedule);
  sw_time_data_calls (problem, strategy, &memory, &schedule, &log);
  for (guint i = 0; i < log.n; i++)
    if (log.call[i].kind == SW_COLLECTIVE_ALL_GATHER)
      gathered[log.call[i].is_experts] = log.call[i].bytes / 2;
  for (guint stage = 0; stage < strategy->pp; stage++)
    {
      double held[2];

      held_by (problem, strategy, &memory, stage, held);
      most = MAX (most, held[0]);
      is_real |= close_to (gathered[0], held[0]) && close_to (gathered[1], held[1]);
    }
  g_assert_true (is_real);
  if (problem->model.moe.experts == 0)
    g_assert_true (close_to (gathered[0], most));
}

static void
test_stages_that_are (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwModelSpec model;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  strategy.dp = strategy.shard_group = 4;
  strategy.zero_stage = 1;
  for (problem.model.layers = 60; problem.model.layers <= 130; problem.model.layers++)
    for (strategy.pp = 2; strategy.pp <= 20; strategy.pp++)
      check_gathered (&problem, &strategy);
  sw_fixture_deepseek_v3 (&model);
  sw_fixture_problem (&problem, &model, 2048);
  strategy.tp = strategy.etp = 1;
  strategy.sequence_parallel = FALSE;
  strategy.dp = strategy.shard_group = 64;
  for (strategy.ep = 2; strategy.ep <= 32; strategy.ep *= 2)
    for (strategy.pp = 2; strategy.pp <= 20; strategy.pp++)
      check_gathered (&problem, &strategy);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/communication/rows-add-up", test_rows_add_up);
  g_test_add_func ("/communication/bytes-of-gradients", test_bytes_of_gradients);
  g_test_add_func ("/communication/tensor-calls", test_tensor_calls);
  g_test_add_func ("/communication/pipeline-borders", test_pipeline_borders);
  g_test_add_func ("/communication/phases", test_phases);
  g_test_add_func ("/communication/stages-that-are", test_stages_that_are);
  g_test_add_func ("/communication/single", test_single);
  return g_test_run ();
}
