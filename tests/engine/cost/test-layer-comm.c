/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The communication of one layer. */
#include "sw-collective.h"
#include "sw-fixture.h"
#include "sw-layer-time.h"

static void
scene_init (SwLayerScene *scene, SwProblem *problem, SwStrategy *strategy)
{
  sw_fixture_problem_70b (problem);
  sw_fixture_strategy_70b (strategy);
  sw_layer_scene_init (scene, problem, strategy);
}

/* Sequence parallelism over 8 GPUs, 4 x 8192 tokens of 8192: two blocks gather their input and
 * scatter their output; the GEMM reads what is gathered in 8 bits, so it is gathered in 8 bits. An
 * adapter reads 16 bits, and nothing of it overlaps. */
static void
test_gathers_in_eight_bits (void)
{
  const SwGroup group = { 8, 1 };
  const double bytes = 2.0 * 4 * 8192 * 8192;
  SwProblem problem;
  SwStrategy strategy;
  SwLayerScene scene;
  SwLayerComm comm;
  double scatter, gather[2];

  scene_init (&scene, &problem, &strategy);
  scatter = sw_collective_seconds (&problem, SW_COLLECTIVE_REDUCE_SCATTER, group, bytes, 1);
  gather[0] = sw_collective_seconds (&problem, SW_COLLECTIVE_ALL_GATHER, group, bytes, 1);
  gather[1] = sw_collective_seconds (&problem, SW_COLLECTIVE_ALL_GATHER, group, bytes / 2, 1);
  sw_layer_comm_tensor (&scene, FALSE, &comm);
  g_assert_cmpfloat_with_epsilon (comm.forward_exposed_s, 0.5 * 2 * (gather[0] + scatter), 1e-12);
  problem.training.precision = SW_PRECISION_FP8;
  sw_layer_scene_init (&scene, &problem, &strategy);
  sw_layer_comm_tensor (&scene, FALSE, &comm);
  g_assert_cmpfloat_with_epsilon (comm.forward_exposed_s, 0.5 * 2 * (gather[1] + scatter), 1e-12);
  problem.training.type = SW_TRAINING_LORA;
  sw_layer_scene_init (&scene, &problem, &strategy);
  sw_layer_comm_tensor (&scene, FALSE, &comm);
  g_assert_cmpfloat_with_epsilon (comm.forward_exposed_s, 2 * (gather[0] + scatter), 1e-12);
}

/* A release that leaves the overlap off on packed sequences exposes all of it there. */
static void
test_packed_sequences (void)
{
  SwCalibration late = *sw_fixture_calibration ();
  SwProblem problem;
  SwStrategy strategy;
  SwLayerScene scene;
  SwLayerComm plain, packed;

  scene_init (&scene, &problem, &strategy);
  late.profile[strategy.framework].tp_exposed_packed = 1;
  problem.calibration = &late;
  sw_layer_scene_init (&scene, &problem, &strategy);
  sw_layer_comm_tensor (&scene, FALSE, &plain);
  problem.training.mean_document = 180;
  sw_layer_comm_tensor (&scene, FALSE, &packed);
  g_assert_cmpfloat_with_epsilon (packed.forward_exposed_s, 2 * plain.forward_exposed_s, 1e-12);
  g_assert_cmpfloat (packed.forward_hidden_s, ==, 0);
}

/* Over PCIe, or if the group is larger than the scale-up domain, no gather is split to overlap with
 * the GEMMs: all of it is exposed. A backward all-reduce overlaps with the weight gradients over
 * any link. */
static void
test_no_chunks_without_peers (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwLayerScene scene;
  SwLayerComm comm;

  for (guint i = 0; i < 2; i++)
    {
      scene_init (&scene, &problem, &strategy);
      if (i == 0)
        problem.cluster.intra.is_pcie = TRUE;
      else
        problem.cluster.nvlink_domain = 4;
      sw_layer_comm_tensor (&scene, FALSE, &comm);
      g_assert_cmpfloat (comm.forward_exposed_s, >, 0);
      g_assert_cmpfloat (comm.forward_hidden_s, ==, 0);
      strategy.sequence_parallel = FALSE;
      sw_layer_scene_init (&scene, &problem, &strategy);
      sw_layer_comm_tensor (&scene, FALSE, &comm);
      g_assert_cmpfloat (comm.backward_hidden_s, >, 0);
    }
}

/* A ring over two ranks of 16384 tokens, 8 heads of 128 on a GPU: each of its two steps merges 10
 * bytes an element at 2.68 TB/s, which no overlap hides; backward half as much again. */
static void
test_ring_merges (void)
{
  const double merge = 10.0 * 2 * 16384 * 8 * 128 / 2.68e12;
  SwProblem problem;
  SwStrategy strategy;
  SwLayerScene scene;
  SwLayerComm comm;

  scene_init (&scene, &problem, &strategy);
  strategy.cp = 2;
  strategy.cp_method = SW_CP_RING;
  sw_layer_scene_init (&scene, &problem, &strategy);
  sw_layer_comm_context (&scene, 1e3, &comm);
  g_assert_cmpfloat_with_epsilon (comm.forward_exposed_s - merge, 0.3 / 0.7 * comm.forward_hidden_s,
                                  1e-12);
  g_assert_cmpfloat_with_epsilon (comm.backward_exposed_s - 1.5 * merge,
                                  0.3 / 0.7 * comm.backward_hidden_s, 1e-12);
}

/* Of a ring that fills a node the last rank sends to the first one over the link inside, too; over
 * two nodes all wait for the network. */
static void
test_ring_links (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwLayerScene scene;
  SwLayerComm comm;
  double seconds[2];

  scene_init (&scene, &problem, &strategy);
  strategy.tp = 1;
  strategy.cp_method = SW_CP_RING;
  for (guint i = 0; i < 2; i++)
    {
      strategy.cp = 8 << i;
      sw_layer_scene_init (&scene, &problem, &strategy);
      sw_layer_comm_context (&scene, 0, &comm);
      seconds[i] = comm.forward_hidden_s + comm.forward_exposed_s;
    }
  /* 15 steps of half as much; 50 against 450 GB/s. */
  g_assert_cmpfloat (seconds[1], >, 4 * seconds[0]);
}

/* PyTorch merges the steps in four kernels of fp32, 38 bytes an element, whatever it gathers. */
static void
test_unfused_merges (void)
{
  const double merge = 38.0 * 2 * 16384 * 8 * 128 / 2.68e12;
  SwProblem problem;
  SwStrategy strategy;
  SwLayerScene scene;
  SwLayerComm megatron, pytorch;

  scene_init (&scene, &problem, &strategy);
  strategy.cp = 2;
  strategy.cp_method = SW_CP_ALLGATHER;
  sw_layer_scene_init (&scene, &problem, &strategy);
  sw_layer_comm_context (&scene, 1e3, &megatron);
  strategy.framework = SW_FRAMEWORK_FSDP2;
  sw_layer_scene_init (&scene, &problem, &strategy);
  sw_layer_comm_context (&scene, 1e3, &pytorch);
  g_assert_cmpfloat_with_epsilon (pytorch.forward_exposed_s - megatron.forward_exposed_s, merge,
                                  1e-12);
  g_assert_cmpfloat_with_epsilon (pytorch.backward_exposed_s - megatron.backward_exposed_s,
                                  1.5 * merge, 1e-12);
}

/* Each rank casts its own part of the data that tensor parallelism gathers, once: each of 8 GPUs
 * casts an eighth of the MLP's input and lays out all of it again, and it casts its whole part of
 * the output's input. */
static void
test_casts_before_gathers (void)
{
  const double m = 4 * 8192, h = 8192, f = 28672.0 / 8;
  SwProblem problem;
  SwStrategy strategy;
  SwLayerScene scene;
  SwWork spread = { 0 }, whole = { 0 };
  double rate;

  scene_init (&scene, &problem, &strategy);
  problem.training.precision = SW_PRECISION_FP8;
  sw_layer_scene_init (&scene, &problem, &strategy);
  rate = scene.rates.memory_bytes_per_s / problem.calibration->cast_traffic;
  sw_layer_work_mlp (&scene, 28672, 8, SW_MODULE_MLP, &spread);
  scene.spread = 1;
  sw_layer_work_mlp (&scene, 28672, 8, SW_MODULE_MLP, &whole);
  g_assert_cmpfloat_with_epsilon (whole.forward_s - spread.forward_s, 3 * m * h * 7 / 8 / rate,
                                  1e-12);
  g_assert_cmpfloat_with_epsilon (whole.input_s - spread.input_s, 3 * m * h * 7 / 8 / rate, 1e-12);
  g_assert_cmpfloat (whole.forward_s, >, 5 * m * (h + f) / rate);
}

/* Two linear layers of an MLP cast an input and an output's gradient each: two of the casts' fixed
 * times forward, two backward. */
static void
test_casts_take_time (void)
{
  SwCalibration slow = *sw_fixture_calibration ();
  SwProblem problem;
  SwStrategy strategy;
  SwLayerScene scene;
  SwWork work[2] = { 0 };

  scene_init (&scene, &problem, &strategy);
  problem.training.precision = SW_PRECISION_FP8;
  slow.cast_s += 1e-3;
  for (guint i = 0; i < 2; i++)
    {
      sw_layer_scene_init (&scene, &problem, &strategy);
      sw_layer_work_mlp (&scene, 28672, 8, SW_MODULE_MLP, &work[i]);
      problem.calibration = &slow;
    }
  g_assert_cmpfloat_with_epsilon (work[1].forward_s - work[0].forward_s, 2e-3, 1e-9);
  g_assert_cmpfloat_with_epsilon (work[1].input_s - work[0].input_s, 2e-3, 1e-9);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layer-comm/gathers-in-eight-bits", test_gathers_in_eight_bits);
  g_test_add_func ("/layer-comm/packed-sequences", test_packed_sequences);
  g_test_add_func ("/layer-comm/no-chunks-without-peers", test_no_chunks_without_peers);
  g_test_add_func ("/layer-comm/ring-links", test_ring_links);
  g_test_add_func ("/layer-comm/ring-merges", test_ring_merges);
  g_test_add_func ("/layer-comm/unfused-merges", test_unfused_merges);
  g_test_add_func ("/layer-comm/casts-before-gathers", test_casts_before_gathers);
  g_test_add_func ("/layer-comm/casts-take-time", test_casts_take_time);
  return g_test_run ();
}
