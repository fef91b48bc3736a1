/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixtures of experts: kernels and dispatch. */
#include "sw-fixture.h"
#include "sw-flops.h"
#include "sw-rlhf.h"
#include "sw-generation.h"

/* DeepSeek-V3 on 512 H100s: one sequence of 4096 tokens, experts over `ep` GPUs. */
typedef struct {
  SwCalibration calibration;
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwLayerScene scene;
} Question;

static void
ask (Question *q, guint ep, double software_year)
{
  sw_fixture_deepseek_v3 (&q->model);
  sw_fixture_problem (&q->problem, &q->model, 512);
  q->calibration = *sw_fixture_calibration ();
  q->calibration.intra_half_bytes = q->calibration.inter_half_bytes = 0;
  q->calibration.intra_latency_s = q->calibration.inter_latency_s = 0;
  q->problem.cluster.intra.latency_s = q->problem.cluster.inter.latency_s = 0;
  q->problem.calibration = &q->calibration;
  q->problem.training.sequence_length = 4096;
  q->problem.training.software_year = software_year;
  sw_strategy_init_default (&q->strategy);
  q->strategy.framework = SW_FRAMEWORK_MEGATRON_CORE;
  q->strategy.micro_batch = 1;
  q->strategy.ep = ep;
  q->strategy.dp = 64;
  q->strategy.pp = 8;
  sw_layer_scene_init (&q->scene, &q->problem, &q->strategy);
}

/* At 300 tokens an expert the forward pass runs at half of its rate, at 900 the weight's gradient,
 * and twice as many of both where the arithmetic is twice as quick. */
static void
test_half_rates (void)
{
  static const struct {
    double tokens, faster;
    gboolean gradient;
  } cases[] = { { 300, 1, FALSE }, { 900, 1, TRUE }, { 600, 2, FALSE }, { 1800, 2, TRUE } };
  Question q;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwRates *r = &q.scene.rates;
      double few, many;

      ask (&q, 8, 2026);
      r->linear_flops_per_s = cases[i].faster * r->half_flops_per_s;
      r->stream_bytes_per_s = 1e18;
      few = sw_rates_grouped_gemm (r, cases[i].tokens, 8, 4096, 7168, cases[i].gradient);
      many = sw_rates_grouped_gemm (r, 1e9, 8, 4096, 7168, cases[i].gradient);
      g_assert_cmpfloat_with_epsilon (few / cases[i].tokens / (many / 1e9), 2, 1e-5);
    }
}

/* Dispatch and combine over the network, one direction at 37.5 GB/s of 4096 x 7168 x 16 bits times
 * what each token sends: all 8 copies, of which 3 / 4 leave the node of four; forwarded, once to
 * each of the nodes that hold the four chosen groups: on 4 nodes of two groups each, a node is
 * missed where all four lie in the other six, 15 of 70; on 8 nodes it is four. Where the router
 * chooses freely, 8 nodes hold 8 (1 - (7 / 8)^8) places. What is stated wins over the date. */
static void
test_forwarded_copies (void)
{
  static const struct {
    guint ep, groups;
    double year, copies;
    int stated; /* of forwarding: 0, unless it is 1 or -1 */
  } cases[] = {
    { 32, 8, 2025.0, 8.0 * 3 / 4 },    { 32, 8, 2026.0, 4 * (1 - 15.0 / 70) * 3 / 4 },
    { 64, 8, 2026.0, 4.0 * 7 / 8 },    { 64, 0, 2026.0, 5.251129 * 7 / 8 },
    { 64, 8, 2025.0, 4.0 * 7 / 8, 1 }, { 64, 8, 2026.0, 8.0 * 7 / 8, -1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const double one = 2.0 * 4096 * 7168 * cases[i].copies / (0.75 * 50e9 * 0.8);
      SwLayerComm comm;
      Question q;

      ask (&q, cases[i].ep, cases[i].year);
      q.problem.model.moe.groups = cases[i].groups;
      if (cases[i].stated != 0)
        sw_software_state_forwarding (&q.problem.training.software, cases[i].stated > 0);
      sw_layer_comm_expert (&q.scene, &comm);
      g_assert_cmpfloat_with_epsilon (
          (comm.forward_exposed_s + comm.forward_hidden_s) / (2 * 1.1 * one), 1, 1e-5);
    }
}

/* What a plain all-to-all brings is sorted by expert where a GPU has several, which is as much again
 * as the permutation before it; within eight GPUs recipes have it, unless a job states another. */
static void
test_sorted_tokens (void)
{
  SwWork plain = { 0 }, usual = { 0 }, forwarded = { 0 }, alone = { 0 };
  Question q;
  double one;

  ask (&q, 8, 2026.0);
  sw_layer_work_experts (&q.scene, &usual);
  sw_software_state_forwarding (&q.problem.training.software, FALSE);
  sw_layer_work_experts (&q.scene, &plain);
  sw_software_state_forwarding (&q.problem.training.software, TRUE);
  sw_layer_work_experts (&q.scene, &forwarded);
  q.calibration.permute_traffic = 0;
  sw_layer_work_experts (&q.scene, &alone);
  one = forwarded.memory_s - alone.memory_s;
  g_assert_cmpfloat (one, >, 0);
  g_assert_cmpfloat_with_epsilon (usual.memory_s, plain.memory_s, 1e-12);
  g_assert_cmpfloat_with_epsilon (plain.memory_s - forwarded.memory_s, one, 1e-9);
}

/* Half of the exchange of experts overlaps with other micro-batches, within a node too. Nothing
 * overlaps before the release that has the feature, if overlap is off, or with one micro-batch. */
static void
test_beside_micro_batches (void)
{
  static const struct {
    guint ep, overlap;
    double year, share;
  } cases[] = {
    { 32, SW_OVERLAP_AUTO, 2026.0, 0.5 },
    { 32, SW_OVERLAP_AUTO, 2025.5, 0 },
    { 32, SW_OVERLAP_NONE, 2026.0, 0 },
    { 8, SW_OVERLAP_AUTO, 2026.0, 0.5 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwScheduleTime piped, alone;
      SwLayerTime layer;
      Question q;

      ask (&q, cases[i].ep, cases[i].year);
      q.strategy.vpp = 2;
      q.strategy.schedule = SW_SCHEDULE_INTERLEAVED;
      q.problem.training.overlap = cases[i].overlap;
      q.problem.training.global_batch = 512;
      sw_layer_time (&q.problem, &q.strategy, &layer);
      g_assert_cmpfloat_with_epsilon (
          layer.part[SW_LAYER_MOE].ep_beside_s[0] + layer.part[SW_LAYER_MOE].ep_beside_s[1],
          cases[i].share * layer.part[SW_LAYER_MOE].ep_exposed_s, 1e-12);
      sw_schedule_time (&q.problem, &q.strategy, &layer, &piped);
      g_assert_cmpfloat_with_epsilon (
          piped.ep_exposed_s / piped.stage_layers[SW_LAYER_MOE] / piped.micro_batches,
          (1 - cases[i].share) * layer.part[SW_LAYER_MOE].ep_exposed_s, 1e-12);
      /* A pipeline without virtual stages has no such overlap, unless the job states it. */
      q.strategy.vpp = 1;
      q.strategy.schedule = SW_SCHEDULE_1F1B;
      sw_schedule_time (&q.problem, &q.strategy, &layer, &alone);
      g_assert_cmpfloat_with_epsilon (alone.ep_exposed_s / alone.stage_layers[SW_LAYER_MOE]
                                          / alone.micro_batches,
                                      layer.part[SW_LAYER_MOE].ep_exposed_s, 1e-12);
      q.problem.training.global_batch = q.strategy.dp * q.strategy.micro_batch;
      sw_schedule_time (&q.problem, &q.strategy, &layer, &alone);
      g_assert_cmpfloat_with_epsilon (alone.ep_exposed_s / alone.stage_layers[SW_LAYER_MOE]
                                          / alone.micro_batches,
                                      layer.part[SW_LAYER_MOE].ep_exposed_s, 1e-12);
    }
}

/* Experts with biases and a clamp read and write 28 times 16 bits more of each copy's width, at 0.8
 * of 3.35 TB/s: 4096 x 8 copies of 2048. */
static void
test_biased_experts (void)
{
  const double extra = 28 * 2.0 * 4096 * 8 * 2048 / 2.68e12;
  SwWork plain = { 0 }, biased = { 0 };
  Question q;

  ask (&q, 8, 2026);
  sw_layer_work_experts (&q.scene, &plain);
  q.problem.model.mlp_bias = TRUE;
  sw_layer_work_experts (&q.scene, &biased);
  g_assert_cmpfloat_with_epsilon (biased.forward_s - plain.forward_s, extra, 1e-9);
  g_assert_cmpfloat_with_epsilon (biased.input_s - plain.input_s, 1.5 * extra, 1e-9);
}

/* From mid-2026 on, on Blackwell, experts' GEMMs cast their operands: with 8 bits and without, the
 * element-wise work is the same. Before, and on Hopper, casts come on top. */
static void
test_fused_experts (void)
{
  static const struct {
    SwGeneration generation;
    double year;
    gboolean fused;
  } cases[] = { { SW_GENERATION_BLACKWELL, 2026.5, TRUE },
                { SW_GENERATION_BLACKWELL, 2026.3, FALSE },
                { SW_GENERATION_HOPPER, 2026.5, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwWork casting = { 0 }, plain = { 0 };
      Question q;

      ask (&q, 8, cases[i].year);
      q.problem.cluster.gpu.generation = cases[i].generation;
      q.problem.training.precision = SW_PRECISION_MXFP8;
      sw_layer_scene_init (&q.scene, &q.problem, &q.strategy);
      g_assert_cmpint (sw_layer_experts_are_fused (&q.scene), ==, cases[i].fused);
      sw_layer_work_experts (&q.scene, &casting);
      q.scene.rates.quantises = FALSE;
      sw_layer_work_experts (&q.scene, &plain);
      if (cases[i].fused)
        g_assert_cmpfloat_with_epsilon (casting.forward_s, plain.forward_s, 1e-15);
      else
        g_assert_cmpfloat (casting.forward_s, >, 1.05 * plain.forward_s);
    }
}

/* Host time of a layer, both passes: 150 us of the layer, 300 us of routing, twice that on
 * Blackwell before recipes captured the router, and 20 us for each of 256 / 64 experts. */
static void
test_routing_launches (void)
{
  static const struct {
    SwGeneration generation;
    double year, routing_us;
  } cases[] = { { SW_GENERATION_HOPPER, 2026.3, 300 },
                { SW_GENERATION_BLACKWELL, 2026.3, 300 },
                { SW_GENERATION_BLACKWELL, 2025.9, 600 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwLayerTime with, without;
      Question q;

      ask (&q, 64, cases[i].year);
      q.problem.cluster.gpu.generation = cases[i].generation;
      sw_software_state (&q.problem.training.software, SW_FEATURE_BLOCKING_LAUNCHES, TRUE);
      sw_layer_time (&q.problem, &q.strategy, &with);
      q.calibration.kernels[SW_KERNEL_CLASS_FUSED].launch_s_per_layer = 0;
      q.calibration.launch_s_per_expert = 0;
      q.calibration.generation[cases[i].generation].launch_s_per_routing = 0;
      sw_layer_time (&q.problem, &q.strategy, &without);
      g_assert_cmpfloat_with_epsilon (with.part[SW_LAYER_MOE].forward_s
                                          - without.part[SW_LAYER_MOE].forward_s,
                                      1e-6 * (150 + cases[i].routing_us + 4 * 20), 1e-12);
    }
}

static SwLayerTimePart
recomputed (Question *q, guint modules)
{
  SwLayerTime layer;

  q->strategy.recompute = SW_RECOMPUTE_SELECTIVE;
  q->strategy.recompute_modules = modules;
  sw_layer_time (&q->problem, &q->strategy, &layer);
  return layer.part[SW_LAYER_MOE];
}

/* Shared experts are part of the layer of experts: they run again with it, are cut by tp beside
 * routed ones that are too, and answer with the others. */
static void
test_shared_experts (void)
{
  const guint moe = SW_MODULE_MOE, both = SW_MODULE_MOE | SW_MODULE_SHARED_EXPERTS;
  SwFlops flops[2];
  SwLayerComm with, without;
  double round_s;
  Question q;

  ask (&q, 8, 2026);
  g_assert_cmpfloat (recomputed (&q, moe).recompute_s, ==, recomputed (&q, both).recompute_s);
  sw_flops_per_token (&q.problem, &q.strategy, TRUE, &flops[0]);
  q.strategy.recompute_modules = moe;
  sw_flops_per_token (&q.problem, &q.strategy, TRUE, &flops[1]);
  g_assert_cmpfloat (flops[0].recomputed, ==, flops[1].recomputed);

  q.strategy.tp = q.strategy.etp = 2;
  sw_layer_comm_tensor (&q.scene, TRUE, &with);
  round_s = sw_generation_round_s (&q.problem, 2, 64);
  q.problem.model.moe.shared_intermediate_size = 0;
  sw_layer_comm_tensor (&q.scene, TRUE, &without);
  g_assert_cmpfloat_with_epsilon (with.forward_exposed_s / without.forward_exposed_s, 10.0 / 9,
                                  1e-9);
  g_assert_cmpfloat (round_s, >, sw_generation_round_s (&q.problem, 2, 64));
}

/* Hybrid sharding over half of 131,072 replicas: half of the experts' replicas too. */
static void
test_many_replicas (void)
{
  SwCollectiveLog log = { 0 };
  SwScheduleTime schedule;
  SwLayerMemory memory;
  SwLayerTime layer;
  Question q;
  guint n = 0;

  ask (&q, 1, 2026);
  q.problem.cluster.gpus = q.problem.training.global_batch = 131072;
  q.strategy.framework = SW_FRAMEWORK_FSDP2;
  q.strategy.pp = 1;
  q.strategy.dp = 131072;
  q.strategy.shard_group = 65536;
  q.strategy.zero_stage = 3;
  sw_layer_memory (&q.problem, &q.strategy, &memory);
  sw_layer_time (&q.problem, &q.strategy, &layer);
  sw_schedule_time (&q.problem, &q.strategy, &layer, &schedule);
  sw_time_data_calls (&q.problem, &q.strategy, &memory, &schedule, &log);
  for (guint i = 0; i < log.n; i++)
    if (log.call[i].is_experts && log.call[i].kind == SW_COLLECTIVE_ALL_GATHER)
      n = log.call[i].group.size;
  g_assert_cmpuint (n, ==, 65536);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/experts/half-rates", test_half_rates);
  g_test_add_func ("/experts/forwarded-copies", test_forwarded_copies);
  g_test_add_func ("/experts/sorted-tokens", test_sorted_tokens);
  g_test_add_func ("/experts/beside-micro-batches", test_beside_micro_batches);
  g_test_add_func ("/experts/biased", test_biased_experts);
  g_test_add_func ("/experts/fused", test_fused_experts);
  g_test_add_func ("/experts/routing-launches", test_routing_launches);
  g_test_add_func ("/experts/shared", test_shared_experts);
  g_test_add_func ("/experts/many-replicas", test_many_replicas);
  return g_test_run ();
}
