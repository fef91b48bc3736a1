/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LoRA and QLoRA: what frozen weights leave out and what adapters and NF4 add. */
#include "sw-estimate.h"
#include "sw-fixture.h"

#include <math.h>

static void
problem_of_type (SwTrainingType type, SwProblem *problem)
{
  SwModelSpec model;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (problem, &model, 8);
  problem->training.type = type;
}

static void
work_of (const SwProblem *problem, SwWork *work)
{
  SwStrategy strategy;
  SwLayerScene scene;

  sw_strategy_init_default (&strategy);
  *work = (SwWork){ 0 };
  sw_layer_scene_init (&scene, problem, &strategy);
  sw_layer_work_mlp (&scene, 14336, 1, SW_MODULE_MLP, work);
}

/* An adapter of rank 16 beside 4096 x 14336, on 8192 tokens: its GEMMs move far more bytes than
 * they compute, and three tensors of the output pass for the addition. */
static void
test_adapter_by_hand (void)
{
  const double m = 8192, n = 14336, k = 4096, rank = 16, rate = 0.8 * 3.35e12;
  const double adds = 6 * m * n / rate;
  /* A GEMM of rows x columns x inner moves 2 inner (rows + columns) + 2 rows columns bytes. */
  const double down = (2 * k * (m + rank) + 2 * m * rank) / rate;
  const double up = (2 * rank * (m + n) + 2 * m * n) / rate;
  SwProblem problem;
  SwStrategy strategy;
  SwLayerScene scene;
  SwWork work = { 0 };

  problem_of_type (SW_TRAINING_LORA, &problem);
  sw_strategy_init_default (&strategy);
  sw_layer_scene_init (&scene, &problem, &strategy);
  sw_layer_work_adapter (&scene, m, n, k, &work);
  /* No less than what memory alone takes, and not much more. */
  g_assert_cmpfloat (work.forward_s, >=, (adds + up + down) * (1 - 1e-9));
  g_assert_cmpfloat (work.forward_s, <=, 2 * (adds + up + down));
  g_assert_cmpfloat (work.input_s, >=, 6 * m * k / rate);
  g_assert_cmpfloat (work.weight_s, >, 0);
}

/* The base's weight gradient is gone; what is left of the weights' column is the adapters' own. */
static void
test_no_weight_gradients (void)
{
  SwProblem full, lora;
  SwWork all, frozen;

  problem_of_type (SW_TRAINING_FINETUNE, &full);
  problem_of_type (SW_TRAINING_LORA, &lora);
  work_of (&full, &all);
  lora.training.lora_all_linear = FALSE;
  work_of (&lora, &frozen);
  g_assert_cmpfloat (frozen.weight_s, ==, 0);
  g_assert_cmpfloat (all.weight_s, >, 0.3 * (all.forward_s + all.input_s + all.weight_s));
  g_assert_cmpfloat_with_epsilon (frozen.forward_s, all.forward_s, 1e-12);
  g_assert_cmpfloat_with_epsilon (frozen.input_s, all.input_s, 1e-12);
  lora.training.lora_all_linear = TRUE;
  work_of (&lora, &frozen);
  g_assert_cmpfloat (frozen.weight_s, >, 0);
  g_assert_cmpfloat (frozen.weight_s, <, 0.1 * all.weight_s);
}

/* 2.5 bytes a parameter, forward and backward: 3 x 4096 x 14336 parameters at 2.68 TB/s are
 * 164.3 us each. */
static void
test_dequantisation (void)
{
  const double seconds = 2.5 * 3 * 4096 * 14336 / (0.8 * 3.35e12);
  SwProblem lora, qlora;
  SwWork base, expanded;

  problem_of_type (SW_TRAINING_LORA, &lora);
  problem_of_type (SW_TRAINING_QLORA, &qlora);
  work_of (&lora, &base);
  work_of (&qlora, &expanded);
  g_assert_cmpfloat_with_epsilon (seconds, 164.3e-6, 0.1e-6);
  g_assert_cmpfloat_with_epsilon (expanded.forward_s - base.forward_s, seconds, 1e-9);
  g_assert_cmpfloat_with_epsilon (expanded.input_s - base.input_s, seconds, 1e-9);
  g_assert_cmpfloat_with_epsilon (expanded.weight_s, base.weight_s, 1e-12);
}

/* Unpacked kernel by kernel, at the rate of the memory alone: 16.5 bytes. */
static void
test_eager_unpacking (void)
{
  const double seconds = 16.5 * 3 * 4096 * 14336 / (0.8 * 3.35e12);
  SwProblem lora, qlora;
  SwWork base, expanded;

  problem_of_type (SW_TRAINING_LORA, &lora);
  problem_of_type (SW_TRAINING_QLORA, &qlora);
  qlora.training.unpacks_eagerly = TRUE;
  work_of (&lora, &base);
  work_of (&qlora, &expanded);
  g_assert_cmpfloat_with_epsilon (expanded.forward_s - base.forward_s, seconds, 1e-9);
}

/* fp32 adapters under FSDP, unless their kernels are fused or they are in 16 bits: casts and sums of
 * 20 bytes for each output and 8 for each input of each, forward; 18 and 10 backward. */
static void
test_adapters_by_plain_kernels (void)
{
  const double tokens = 8192, rate = 0.8 * 3.35e12;
  SwProblem problem;
  SwStrategy strategy;
  SwWork fused = { 0 }, plain = { 0 };
  SwLayerScene scene;

  problem_of_type (SW_TRAINING_LORA, &problem);
  problem.training.lora_all_linear = TRUE;
  problem.training.sequence_length = (guint) tokens;
  sw_software_state (&problem.training.software, SW_FEATURE_FUSED_KERNELS, TRUE);
  sw_software_state (&problem.training.software, SW_FEATURE_FUSED_ADAPTERS, TRUE);
  sw_strategy_init_default (&strategy);
  strategy.framework = SW_FRAMEWORK_FSDP;
  sw_layer_scene_init (&scene, &problem, &strategy);
  sw_layer_work_mlp (&scene, 14336, 1, SW_MODULE_MLP, &fused);
  sw_software_state (&problem.training.software, SW_FEATURE_FUSED_ADAPTERS, FALSE);
  sw_layer_scene_init (&scene, &problem, &strategy);
  sw_layer_work_mlp (&scene, 14336, 1, SW_MODULE_MLP, &plain);
  g_assert_cmpfloat_with_epsilon ((plain.forward_s - fused.forward_s) * rate / tokens,
                                  20 * (2 * 14336 + 4096) + 8 * (2 * 4096 + 14336), 1);
  g_assert_cmpfloat_with_epsilon ((plain.input_s - fused.input_s) * rate / tokens,
                                  18 * (2 * 14336 + 4096) + 10 * (2 * 4096 + 14336), 1);
  problem.training.no_master = TRUE;
  sw_layer_scene_init (&scene, &problem, &strategy);
  plain = (SwWork){ 0 };
  sw_layer_work_mlp (&scene, 14336, 1, SW_MODULE_MLP, &plain);
  g_assert_cmpfloat (plain.forward_s, ==, fused.forward_s);
}

/* A higher rank and more targets cost more, but far less than the base. */
static void
test_rank_and_targets (void)
{
  static const guint ranks[] = { 8, 64, 512 };
  double before = 0;

  for (guint i = 0; i < G_N_ELEMENTS (ranks); i++)
    {
      SwProblem problem;
      SwWork work;
      double seconds;

      problem_of_type (SW_TRAINING_LORA, &problem);
      problem.training.lora_rank = ranks[i];
      work_of (&problem, &work);
      seconds = work.forward_s + work.input_s + work.weight_s;
      g_assert_cmpfloat (seconds, >, before);
      before = seconds;
      problem.training.lora_all_linear = FALSE;
      work_of (&problem, &work);
      g_assert_cmpfloat (work.forward_s + work.input_s + work.weight_s, <, seconds);
    }
}

static void
estimate_of (SwTrainingType type, guint8 zero_stage, SwEstimate *out)
{
  SwProblem problem;
  SwStrategy strategy;

  problem_of_type (type, &problem);
  sw_strategy_init_default (&strategy);
  strategy.framework = zero_stage == 3 ? SW_FRAMEWORK_FSDP2 : SW_FRAMEWORK_MEGATRON_CORE;
  strategy.dp = strategy.shard_group = 8;
  strategy.zero_stage = zero_stage;
  sw_estimate (&problem, &strategy, out);
}

/* Gradients and optimizer of the adapters alone: 0.52 % of Llama 3 8B at rank 16 over all linear
 * layers (41,943,040 of 8,030,261,248), so that little is reduced; a sharded base is gathered all
 * the same. */
static void
test_traffic_of_adapters (void)
{
  SwEstimate full, lora, sharded, sharded_lora, quantised;
  SwProblem problem;

  problem_of_type (SW_TRAINING_LORA, &problem);
  g_assert_cmpfloat_with_epsilon (sw_trained_share (&problem), 41943040 / 8030261248.0, 1e-9);
  estimate_of (SW_TRAINING_FINETUNE, 0, &full);
  estimate_of (SW_TRAINING_LORA, 0, &lora);
  g_assert_cmpfloat (lora.time.dp_exposed_s + lora.time.dp_hidden_s, <,
                     0.05 * (full.time.dp_exposed_s + full.time.dp_hidden_s));
  g_assert_cmpfloat (lora.time.optimizer_s, <, 0.01 * full.time.optimizer_s);
  estimate_of (SW_TRAINING_FINETUNE, 3, &sharded);
  estimate_of (SW_TRAINING_LORA, 3, &sharded_lora);
  g_assert_cmpfloat (sharded_lora.time.dp_exposed_s + sharded_lora.time.dp_hidden_s, >,
                     0.3 * (sharded.time.dp_exposed_s + sharded.time.dp_hidden_s));
  /* Weights of 4.127 bits are gathered in a quarter of the time. */
  estimate_of (SW_TRAINING_QLORA, 3, &quantised);
  g_assert_cmpfloat (quantised.time.dp_exposed_s + quantised.time.dp_hidden_s, <,
                     0.35 * (sharded_lora.time.dp_exposed_s + sharded_lora.time.dp_hidden_s));
}

/* DeepSeek-V3: adapters on the latent projections; a token passes the adapters of 8 of 256
 * experts. */
static void
test_adapters_of_experts (void)
{
  const double attention = 7168 + 2 * 1536 + 128 * 192       /* queries, by their latent */
                           + 7168 + 2 * 512 + 64 + 128 * 256 /* keys and values, by theirs */
                           + 128 * 128 + 7168;
  const double dense = 3 * (7168 + 18432), expert = 3 * (7168 + 2048);
  SwStrategy strategy;
  SwProblem problem;
  SwModelSpec model;
  SwFlops flops;
  double forward;

  sw_fixture_deepseek_v3 (&model);
  sw_fixture_problem (&problem, &model, 64);
  problem.training.type = SW_TRAINING_LORA;
  sw_strategy_init_default (&strategy);
  g_assert_cmpfloat_with_epsilon (sw_trained_share (&problem) * problem.count.total,
                                  16 * (61 * attention + 3 * dense + 58 * 257 * expert), 1);
  g_assert_cmpfloat_with_epsilon (sw_adapter_active_parameters (&problem),
                                  16 * (61 * attention + 3 * dense + 58 * 9 * expert), 1);
  forward = sw_model_forward_flops_per_token (&model, problem.training.sequence_length, TRUE);
  sw_flops_per_token (&problem, &strategy, TRUE, &flops);
  g_assert_cmpfloat_with_epsilon (
      flops.model, 2 * forward + 6 * sw_adapter_active_parameters (&problem), 1e-6 * forward);
  problem.training.lora_all_linear = FALSE;
  g_assert_cmpfloat_with_epsilon (sw_adapter_active_parameters (&problem), 16 * 61 * attention, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/adapters/by-hand", test_adapter_by_hand);
  g_test_add_func ("/adapters/no-weight-gradients", test_no_weight_gradients);
  g_test_add_func ("/adapters/dequantisation", test_dequantisation);
  g_test_add_func ("/adapters/eager-unpacking", test_eager_unpacking);
  g_test_add_func ("/adapters/plain-kernels", test_adapters_by_plain_kernels);
  g_test_add_func ("/adapters/rank-and-targets", test_rank_and_targets);
  g_test_add_func ("/adapters/traffic", test_traffic_of_adapters);
  g_test_add_func ("/adapters/experts", test_adapters_of_experts);
  return g_test_run ();
}
