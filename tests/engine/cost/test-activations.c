/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-fixture.h"

/* Llama 3 70B, TP 8 with sequence parallelism, micro-batch 4: bytes per token of one layer on one
 * GPU, by hand. Input, norm outputs and second residual 4 * 2 * 8192 / 8; q, k, v 2 * (8192 + 2 *
 * 1024) / 8; context 2 * 8192 / 8; statistics 4 * 64 / 8; gate and up 2 * 2 * 28672 / 8; their
 * product 2 * 28672 / 8. */
static void
test_activations_by_hand (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwLayerMemory layer;
  double tokens = 4 * 8192.0, all = (65536 + 20480 + 16384 + 256 + 114688 + 57344) / 8.0;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  strategy.recompute = SW_RECOMPUTE_NONE;
  sw_layer_memory (&problem, &strategy, &layer);
  g_assert_cmpfloat_with_epsilon (layer.activation_bytes[SW_LAYER_DENSE] / (tokens * all), 1,
                                  1e-12);
  g_assert_cmpfloat_with_epsilon (layer.activation_full_bytes, tokens * 2048, 1e-3);
  strategy.recompute = SW_RECOMPUTE_SELECTIVE;
  strategy.recompute_modules = SW_MODULE_MLP | SW_MODULE_LAYERNORM;
  sw_layer_memory (&problem, &strategy, &layer);
  g_assert_cmpfloat_with_epsilon (layer.activation_bytes[SW_LAYER_DENSE] / tokens,
                                  all - (32768 + 172032) / 8.0, 1e-6);
}

/* The same layer beside adapters. What is frozen keeps no input: with adapters of the attention
 * alone only the first norm's output stays, and the MLP's product goes. Megatron keeps the inputs
 * of adapters gathered over the 8 GPUs, 2 x 8192 bytes each; FSDP2 as they are. */
static void
test_adapters (void)
{
  static const struct {
    SwFramework framework;
    gboolean all_linear;
    double norms, product;
  } table[] = {
    { SW_FRAMEWORK_MEGATRON_CORE, FALSE, 2 * 8192, 0 },
    { SW_FRAMEWORK_MEGATRON_CORE, TRUE, 2 * 2 * 8192, 7168 },
    { SW_FRAMEWORK_FSDP2, FALSE, 2 * 1024, 0 },
    { SW_FRAMEWORK_FSDP2, TRUE, 2 * 2 * 1024, 7168 },
  };
  const double rest = (2 * 2 * 8192 + 20480 + 16384 + 256 + 114688) / 8.0;

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      SwLayerMemory layer;

      sw_fixture_problem_70b (&problem);
      sw_fixture_strategy_70b (&strategy);
      problem.training.type = SW_TRAINING_LORA;
      problem.training.lora_all_linear = table[i].all_linear;
      strategy.framework = (guint8) table[i].framework;
      strategy.recompute = SW_RECOMPUTE_NONE;
      sw_layer_memory (&problem, &strategy, &layer);
      g_assert_cmpfloat_with_epsilon (layer.activation_bytes[SW_LAYER_DENSE] / (4 * 8192.0),
                                      rest + table[i].norms + table[i].product, 1e-6);
    }
}

/* Kept bytes of a token and layer of Llama 3 8B under FSDP: 4096 and 14336 wide, keys and values
 * 1024, 32 heads. */
static double
kept_by_fsdp (const SwTraining *training, gboolean compiled)
{
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwLayerMemory layer;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 2);
  problem.training.type = training->type;
  problem.training.lora_all_linear = training->lora_all_linear;
  problem.training.lora_dropout = training->lora_dropout;
  problem.training.no_master = training->no_master;
  problem.training.autocast = training->autocast;
  problem.training.gating_apart = training->gating_apart;
  problem.training.repeats_keys = training->repeats_keys;
  problem.training.attention = training->attention;
  problem.training.software_year = training->software_year;
  sw_software_state (&problem.training.software, SW_FEATURE_COMPILE, compiled);
  sw_software_state (&problem.training.software, SW_FEATURE_FUSED_KERNELS, FALSE);
  sw_strategy_init_default (&strategy);
  strategy.framework = SW_FRAMEWORK_FSDP;
  sw_layer_memory (&problem, &strategy, &layer);
  return layer.activation_bytes[SW_LAYER_DENSE]
         / (strategy.micro_batch * (double) problem.training.sequence_length);
}

/* Layers in plain PyTorch keep more than fused ones: each RMSNorm an fp32 copy of its input and, for
 * its own weight, the 16-bit product; the gated MLP the activation function's output. */
static void
test_eager_layers (void)
{
  const SwTraining full = { .type = SW_TRAINING_FINETUNE };
  const SwTraining frozen = { .type = SW_TRAINING_LORA, .no_master = TRUE };
  /* Input, two norms, queries, keys and values, statistics, context, residual, gate, up, product. */
  const double fused = 2 * (4096 + 2 * 4096 + 4096 + 2 * 1024 + 4096 + 4096 + 3 * 14336) + 4 * 32;

  g_assert_cmpfloat_with_epsilon (kept_by_fsdp (&full, TRUE), fused, 1e-6);
  g_assert_cmpfloat_with_epsilon (kept_by_fsdp (&full, FALSE),
                                  fused + 2 * (4 + 2) * 4096 + 2 * 14336, 1e-6);
  /* Frozen weights keep neither the product nor inputs that no adapter has. */
  g_assert_cmpfloat_with_epsilon (kept_by_fsdp (&frozen, FALSE),
                                  fused - 2 * (4096 + 14336) + 2 * 4 * 4096 + 2 * 14336, 1e-6);
}

/* Adapters that drop out keep a copy and a byte of mask for each matrix: of queries, keys and values,
 * of the output, of gate and up, and of the last. */
static void
test_adapters_with_dropout (void)
{
  SwTraining lora = { .type = SW_TRAINING_LORA, .lora_all_linear = TRUE, .no_master = TRUE };
  const double without = kept_by_fsdp (&lora, TRUE);

  lora.lora_dropout = TRUE;
  g_assert_cmpfloat_with_epsilon (kept_by_fsdp (&lora, TRUE) - without,
                                  3 * (3 + 2) * 4096 - 2 * 2 * 4096 + 3 * 4096 + (3 - 2) * 14336,
                                  1e-6);
}

/* 4-bit layers of bitsandbytes before 0.44 keep what they read, frozen or not: the input of the
 * attention's, which the adapters keep as well, that of the MLP, and the product before the last. */
static void
test_frozen_inputs (void)
{
  SwTraining qlora = { .type = SW_TRAINING_QLORA, .no_master = TRUE, .software_year = 2025 };
  const double freed = kept_by_fsdp (&qlora, TRUE);

  qlora.software_year = 2024.5;
  g_assert_cmpfloat_with_epsilon (kept_by_fsdp (&qlora, TRUE) - freed, 2 * 4096 + 2 * 14336, 1e-6);
  qlora.type = SW_TRAINING_LORA;
  g_assert_cmpfloat_with_epsilon (kept_by_fsdp (&qlora, TRUE), freed, 1e-6);
  /* An activation that is a kernel of its own keeps its result. */
  qlora.gating_apart = TRUE;
  g_assert_cmpfloat_with_epsilon (kept_by_fsdp (&qlora, TRUE) - freed, 2 * 14336, 1e-6);
}

/* Where FSDP shards a frozen base, re-entrant checkpointing leaves the layers' inputs and their
 * gradients until the backward pass is over. */
static void
test_reentrant_checkpointing (void)
{
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwMemory without, with;

  sw_fixture_llama3_8b (&model);
  model.vocab_size = 1024; /* else the logits outweigh it */
  sw_fixture_problem (&problem, &model, 2);
  problem.training.type = SW_TRAINING_LORA;
  sw_strategy_init_default (&strategy);
  strategy.framework = SW_FRAMEWORK_FSDP;
  strategy.dp = strategy.shard_group = 2;
  strategy.zero_stage = 3;
  strategy.recompute = SW_RECOMPUTE_FULL;
  sw_fixture_memory (&problem, &strategy, &without);
  sw_software_state (&problem.training.software, SW_FEATURE_REENTRANT_CHECKPOINTING, TRUE);
  sw_fixture_memory (&problem, &strategy, &with);
  g_assert_cmpfloat_with_epsilon ((with.peak.activations - without.peak.activations)
                                      / (32 * 2.0 * 4096 * problem.training.sequence_length),
                                  1, 1e-9);
  problem.training.type = SW_TRAINING_FINETUNE;
  sw_fixture_memory (&problem, &strategy, &with);
  sw_software_state (&problem.training.software, SW_FEATURE_REENTRANT_CHECKPOINTING, FALSE);
  sw_fixture_memory (&problem, &strategy, &without);
  g_assert_cmpfloat (with.peak.total, ==, without.peak.total);
}

/* Autocast makes what passes from layer to layer fp32: the input and the residual in between; norms
 * need no copy then. */
static void
test_fp32_residual (void)
{
  SwTraining full = { .type = SW_TRAINING_FINETUNE };
  const double eager = kept_by_fsdp (&full, FALSE);

  full.autocast = TRUE;
  g_assert_cmpfloat_with_epsilon (kept_by_fsdp (&full, FALSE) - eager, 2 * 2 * 4096 - 2 * 4 * 4096,
                                  1e-6);
}

/* Mixtral over 8 ranks of experts: the hottest has the calibration's share more of routed tokens.
 */
static void
test_hot_experts (void)
{
  SwCalibration calibration = *sw_fixture_calibration ();
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  double bytes[2];

  sw_fixture_mixtral_8x7b (&model);
  sw_fixture_problem (&problem, &model, 8);
  problem.calibration = &calibration;
  sw_strategy_init_default (&strategy);
  strategy.dp = strategy.ep = strategy.shard_group = 8;
  for (guint i = 0; i < 2; i++)
    {
      SwLayerMemory layer;

      calibration.expert_imbalance = 1 + i;
      sw_layer_memory (&problem, &strategy, &layer);
      bytes[i] = layer.activation_bytes[SW_LAYER_MOE] / 8192;
    }
  /* Two experts a token: its input, gate and up, their product; 4096 and 14336 wide. */
  g_assert_cmpfloat_with_epsilon (bytes[1] - bytes[0], 2 * (2 * 4096 + 3 * 2 * 14336), 1e-6);
}

/* Korthikanti et al. 2022, equations 1 and 2, for GPT-3 175B: s b h (34 + 5 a s / h), and with
 * tensor parallelism s b h (10 + 24 / t + 5 a s / (h t)); equation 4 with sequence parallelism
 * divides all by t. */
static void
test_korthikanti (void)
{
  static const struct {
    guint tp;
    gboolean sp;
    double factor;
  } table[] = {
    { 1, FALSE, 34 + 5 * 96 * 2048.0 / 12288 },
    { 8, FALSE, 10 + 24 / 8.0 + 5 * 96 * 2048.0 / 12288 / 8 },
    { 8, TRUE, (34 + 5 * 96 * 2048.0 / 12288) / 8 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      SwModelSpec model = {
        .layers = 96,
        .hidden_size = 12288,
        .intermediate_size = 49152,
        .attention_heads = 96,
        .kv_heads = 96,
        .head_dim = 128,
        .vocab_size = 51200,
        .norm = SW_NORM_LAYERNORM,
        .norms_per_layer = 2,
        .position = SW_POSITION_LEARNED,
        .max_position_embeddings = 2048,
        .tied_embeddings = TRUE,
      };
      SwProblem problem;
      SwStrategy strategy;
      SwLayerMemory layer;

      sw_fixture_problem (&problem, &model, 8);
      problem.training.sequence_length = 2048;
      problem.training.attention = SW_ATTENTION_UNFUSED;
      sw_strategy_init_default (&strategy);
      strategy.framework = SW_FRAMEWORK_MEGATRON_2021;
      strategy.tp = table[i].tp;
      strategy.sequence_parallel = (guint8) table[i].sp;
      sw_layer_memory (&problem, &strategy, &layer);
      g_assert_cmpfloat_with_epsilon (layer.activation_bytes[SW_LAYER_DENSE] / (2048 * 12288.0),
                                      table[i].factor, 1e-9);
    }
}

/* Micro-batches in flight on the first stage of 4, with 32 micro-batches: 1F1B 4, GPipe all, ZB-H1
 * as 1F1B; interleaved with 5 chunks (2 * 3 + 4 * 4 + 1) / 5 = 4.6. */
static void
test_micro_batches_in_flight (void)
{
  static const struct {
    SwSchedule schedule;
    guint vpp;
    double flight;
  } table[] = {
    { SW_SCHEDULE_1F1B, 1, 4 },
    { SW_SCHEDULE_GPIPE, 1, 32 },
    { SW_SCHEDULE_ZERO_BUBBLE, 1, 4 },
    { SW_SCHEDULE_INTERLEAVED, 5, 4.6 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      SwLayerMemory layer;
      SwScheduleMemory schedule;

      sw_fixture_problem_70b (&problem);
      sw_fixture_strategy_70b (&strategy);
      strategy.schedule = (guint8) table[i].schedule;
      strategy.vpp = table[i].vpp;
      strategy.recompute = SW_RECOMPUTE_FULL;
      sw_layer_memory (&problem, &strategy, &layer);
      sw_schedule_memory (&problem, &strategy, &layer, &schedule);
      g_assert_cmpuint (schedule.stage[0], ==, 0);
      g_assert_cmpfloat_with_epsilon (
          schedule.activation_bytes[0] / (20 * layer.activation_full_bytes), table[i].flight, 1e-9);
    }
}

/* Logits of 4096 tokens over a vocabulary of 131072, unsharded: bytes per logit by stack and year.
 */
static void
test_logits (void)
{
  static const struct {
    SwFramework framework;
    double year, bytes;
  } table[] = {
    { SW_FRAMEWORK_MEGATRON_CORE, 2026.5, 4 }, { SW_FRAMEWORK_MEGATRON_2021, 2021.5, 8 },
    { SW_FRAMEWORK_FSDP, 2026.5, 12 },         { SW_FRAMEWORK_FSDP, 2023.9, 12 },
    { SW_FRAMEWORK_FSDP2, 2025.1, 14 },        { SW_FRAMEWORK_FSDP2, 2026.5, 4 },
    { SW_FRAMEWORK_DEEPSPEED, 2022, 8 },       { SW_FRAMEWORK_DEEPSPEED, 2026.5, 12 },
    { SW_FRAMEWORK_NANOTRON, 2026.5, 8 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      SwModelSpec model;
      SwProblem problem;
      SwStrategy strategy;
      SwLayerMemory layer;

      sw_fixture_llama3_8b (&model);
      model.vocab_size = 131072;
      sw_fixture_problem (&problem, &model, 1);
      problem.training.sequence_length = 4096;
      problem.training.software_year = table[i].year;
      sw_strategy_init_default (&strategy);
      strategy.framework = (guint8) table[i].framework;
      sw_layer_memory (&problem, &strategy, &layer);
      g_assert_cmpfloat (layer.logits_bytes, ==, 4096.0 * 131072 * table[i].bytes);
    }
}

/* The loss of those 4096 tokens: of Hugging Face's models, whose logits are in fp32 and copied
 * without the last token, 12 bytes a logit at its peak and 4 kept, fused 8 and 4; of Megatron 8 and
 * 4, fused 4 and 2; in 8 chunks those of 512 tokens, and of one token at least. A model that
 * leaves its logits in 16 bits takes 8 and 2 under DeepSpeed, fused 4 and 2. A teacher adds 6, 16 in
 * Hugging Face's trainer (10 in 16 bits); torchtune's chunks of it are beside whole logits of both. */
static void
test_loss_features (void)
{
  static const struct {
    SwFramework framework;
    gboolean fused, chunked, own_type;
    double tokens, peak, kept, taught;
  } table[] = {
    { SW_FRAMEWORK_FSDP, FALSE, FALSE, FALSE, 4096, 12, 4, 16 },
    { SW_FRAMEWORK_FSDP, TRUE, FALSE, FALSE, 4096, 8, 4, 6 },
    { SW_FRAMEWORK_FSDP, FALSE, TRUE, FALSE, 512, 12, 4, 16 },
    { SW_FRAMEWORK_FSDP, FALSE, FALSE, TRUE, 4096, 12, 4, 16 },
    { SW_FRAMEWORK_FSDP, TRUE, FALSE, TRUE, 4096, 4, 2, 6 },
    { SW_FRAMEWORK_DEEPSPEED, TRUE, TRUE, FALSE, 512, 8, 4, 6 },
    { SW_FRAMEWORK_DEEPSPEED, FALSE, FALSE, TRUE, 4096, 8, 2, 10 },
    { SW_FRAMEWORK_MEGATRON_CORE, FALSE, FALSE, FALSE, 4096, 8, 4, 6 },
    { SW_FRAMEWORK_MEGATRON_CORE, TRUE, TRUE, FALSE, 1, 4, 2, 6 },
    { SW_FRAMEWORK_TORCHTUNE, FALSE, TRUE, FALSE, 512, 14, 4, 6 + 4 * 8 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      SwModelSpec model;
      SwProblem problem;
      SwStrategy strategy;
      SwLayerMemory layer;

      sw_fixture_llama3_8b (&model);
      model.vocab_size = 131072;
      sw_fixture_problem (&problem, &model, 1);
      problem.training.sequence_length = table[i].tokens > 1 ? 4096 : 4;
      sw_software_state (&problem.training.software, SW_FEATURE_FUSED_CROSS_ENTROPY,
                         table[i].fused);
      sw_software_state (&problem.training.software, SW_FEATURE_CHUNKED_CROSS_ENTROPY,
                         table[i].chunked);
      sw_software_state (&problem.training.software, SW_FEATURE_LOSS_UPCAST, !table[i].own_type);
      sw_strategy_init_default (&strategy);
      strategy.framework = (guint8) table[i].framework;
      sw_layer_memory (&problem, &strategy, &layer);
      g_assert_cmpfloat (layer.logits_bytes, ==, table[i].tokens * 131072 * table[i].peak);
      g_assert_cmpfloat (layer.logits_kept_bytes, ==, table[i].tokens * 131072 * table[i].kept);
      problem.training.teacher_logits = TRUE;
      sw_layer_memory (&problem, &strategy, &layer);
      g_assert_cmpfloat (layer.logits_bytes, ==,
                         table[i].tokens * 131072 * (table[i].peak + table[i].taught));
    }
}

/* Keys and values that are repeated are as wide as the queries; scores that plain PyTorch writes out
 * are an fp32 softmax and its 16-bit copy. */
static void
test_attention_by_hand (void)
{
  const SwTraining plain = { .type = SW_TRAINING_FINETUNE };
  const SwTraining repeated = { .type = SW_TRAINING_FINETUNE, .repeats_keys = TRUE };
  const SwTraining scores = { .type = SW_TRAINING_FINETUNE, .attention = SW_ATTENTION_UNFUSED };
  SwModelSpec model;
  SwProblem problem;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 2);
  g_assert_cmpfloat_with_epsilon (kept_by_fsdp (&repeated, FALSE) - kept_by_fsdp (&plain, FALSE),
                                  2 * 2 * (4096 - 1024), 1e-6);
  g_assert_cmpfloat_with_epsilon (kept_by_fsdp (&scores, FALSE) - kept_by_fsdp (&plain, FALSE),
                                  32 * ((4 + 2) * (double) problem.training.sequence_length - 4),
                                  1e-6);
}

/* Context parallelism: all-gather holds keys and values of the whole sequence, a ring those of two
 * ranks, Ulysses none; seen where they outweigh the MLP. */
static void
test_context_buffers (void)
{
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwLayerMemory gathered, ring, ulysses;

  sw_fixture_llama3_8b (&model);
  model.kv_heads = 32;
  sw_fixture_problem (&problem, &model, 32);
  sw_strategy_init_default (&strategy);
  strategy.cp = 32;
  strategy.cp_method = SW_CP_ALLGATHER;
  sw_layer_memory (&problem, &strategy, &gathered);
  strategy.cp_method = SW_CP_RING;
  sw_layer_memory (&problem, &strategy, &ring);
  strategy.cp_method = SW_CP_ULYSSES;
  sw_layer_memory (&problem, &strategy, &ulysses);
  g_assert_cmpfloat (gathered.recompute_peak_bytes[SW_LAYER_DENSE], >,
                     ring.recompute_peak_bytes[SW_LAYER_DENSE]);
  g_assert_cmpfloat (ring.recompute_peak_bytes[SW_LAYER_DENSE], >=,
                     ulysses.recompute_peak_bytes[SW_LAYER_DENSE]);
  /* 8192 / 32 tokens; keys, values and both gradients of 4096 features in bf16, of 32 ranks; the
   * layer's gradient. */
  g_assert_cmpfloat_with_epsilon (gathered.recompute_peak_bytes[SW_LAYER_DENSE],
                                  256 * (4.0 * 2 * 4096 * 32 + 2 * 4096), 1);
}

/* Recomputing more keeps less; a longer sequence or a larger micro-batch takes more. */
static void
test_activations_are_monotonic (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwMemory none, selective, some, full;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  strategy.recompute = SW_RECOMPUTE_NONE;
  sw_fixture_memory (&problem, &strategy, &none);
  strategy.recompute = SW_RECOMPUTE_SELECTIVE;
  sw_fixture_memory (&problem, &strategy, &selective);
  strategy.recompute = SW_RECOMPUTE_FULL_LAYERS;
  strategy.full_layers = 10;
  sw_fixture_memory (&problem, &strategy, &some);
  strategy.recompute = SW_RECOMPUTE_FULL;
  sw_fixture_memory (&problem, &strategy, &full);
  g_assert_cmpfloat (selective.peak.total, <, none.peak.total);
  g_assert_cmpfloat (some.peak.total, <, none.peak.total);
  g_assert_cmpfloat (full.peak.total, <, some.peak.total);
  strategy.micro_batch = 8;
  sw_fixture_memory (&problem, &strategy, &some);
  g_assert_cmpfloat (some.peak.total, >, full.peak.total);
}

/* GPipe runs all 32 micro-batches forward before the first backward pass: the fused loss keeps 2
 * bytes a logit of the 31 others, where 1F1B's last stage holds one. Llama 3 70B, 4 x 8192 tokens,
 * 128256 words over TP 8, padded to 128 a rank: 16128. */
static void
test_logits_that_wait (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwLayerMemory layer;
  SwMemoryParts parts[2];
  const double logits = 4 * 8192.0 * 16128;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  strategy.recompute = SW_RECOMPUTE_FULL;
  sw_layer_memory (&problem, &strategy, &layer);
  sw_memory_stage (&problem, &strategy, &layer, 3, &parts[0]);
  strategy.schedule = SW_SCHEDULE_GPIPE;
  sw_memory_stage (&problem, &strategy, &layer, 3, &parts[1]);
  g_assert_cmpuint (sw_strategy_micro_batches (&problem, &strategy), ==, 32);
  g_assert_cmpfloat_with_epsilon (parts[0].logits, 4 * logits, 1);
  g_assert_cmpfloat_with_epsilon (parts[1].logits, (4 + 31 * 2) * logits, 1);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory/activations/by-hand", test_activations_by_hand);
  g_test_add_func ("/memory/activations/adapters", test_adapters);
  g_test_add_func ("/memory/activations/eager", test_eager_layers);
  g_test_add_func ("/memory/activations/adapters-with-dropout", test_adapters_with_dropout);
  g_test_add_func ("/memory/activations/frozen-inputs", test_frozen_inputs);
  g_test_add_func ("/memory/activations/reentrant-checkpointing", test_reentrant_checkpointing);
  g_test_add_func ("/memory/activations/fp32-residual", test_fp32_residual);
  g_test_add_func ("/memory/activations/attention", test_attention_by_hand);
  g_test_add_func ("/memory/activations/hot-experts", test_hot_experts);
  g_test_add_func ("/memory/activations/korthikanti", test_korthikanti);
  g_test_add_func ("/memory/activations/in-flight", test_micro_batches_in_flight);
  g_test_add_func ("/memory/activations/monotonic", test_activations_are_monotonic);
  g_test_add_func ("/memory/activations/context-buffers", test_context_buffers);
  g_test_add_func ("/memory/logits", test_logits);
  g_test_add_func ("/memory/loss-features", test_loss_features);
  g_test_add_func ("/memory/logits-that-wait", test_logits_that_wait);
  return g_test_run ();
}
