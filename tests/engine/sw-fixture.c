/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-fixture.h"

#include "sw-framework.h"
#include "sw-rules.h"
#include "sw-estimate.h"

/* A calibration without character: plausible shares, the same for every generation and profile,
 * nothing fitted. */
static SwCalibration
neutral_calibration (void)
{
  SwCalibration c = {
    .power_exponent = 0.5,
    .gemm_k_half = 200,
    .mxfp8 = 1,
    .fp8_rowwise = 0.7,
    .cast_traffic = 2,
    .expert_tokens_half = 300,
    .expert_imbalance = 1.1,
    .launch_s_per_expert = 20e-6,
    .ep_beside_exposed = 0.5,
    .permute_traffic = 1.5,
    .gptq_unpacking = 16.5,
    .unfused_attention = 0.3,
    .nvlink_efficiency = 0.75,
    .network_efficiency = 0.75,
    .pcie_efficiency = 0.5,
    .intra_half_bytes = 1e6,
    .intra_slice_bytes = 1.25e5,
    .inter_half_bytes = 4e6,
    .inter_half_link_bytes_per_s = 50e9,
    .intra_latency_s = 3e-6,
    .inter_latency_s = 6e-6,
    .all_to_all_efficiency = 0.8,
    .all_to_all_hashed = 0.6,
    .optimizer_factor = 1,
    .host_bytes_per_s = 200e9,
    .host_optimizer_bytes_per_s = 55e9,
    .host_optimizer_unfused = 5,
    .context_bytes = 1e9,
    .nccl_bytes_per_group = 0.25e9,
    .fixed_s = 0.01,
    .gemm_slices = 8,
    .gemm_slice_below = 0.8,
    .gemm_slice_k = 1024,
    .gemm_slice_rate = 0.95,
    .gemm_most = 0.93,
    .gemm_narrow = 256,
    .gemm_half_aligned = 0.8,
    .gemm_unaligned = 0.69,
    .expert_gradient_half = 3,
    .attention_head_half = 18,
    .attention_keys_half = 245,
    .attention_block = 128,
    .attention_forward = 1.15,
    .attention_backward = 0.92,
    .latent_attention = 0.8,
    .pcie_copy_efficiency = 0.8,
    .pcie_uplinks = 4,
    .baseboard_gpus = 16,
    .pcie_pair_share = 2,
    .pcie_all_to_all_share = 0.5,
    .pcie_root_share = 0.69 / 0.42,
    .pcie_root_gpus = 4,
    .pcie_most = 0.85,
    .tree_hops = 12,
    .all_to_all_batch = 8,
    .intra_slice_link_bytes_per_s = 450e9,
    .short_message_ramp = 4,
    .permute_unfused = 3,
    .permute_row_overhead = 1000,
    .routing_ungraphed = 2,
    .plain_dispatch_ranks = 8,
    .attention_merge_bytes = 10,
    .attention_merge_unfused_bytes = 38,
    .deepspeed_bucket_elements = 5e8,
    .deepspeed_sub_group_elements = 1e9,
    .deepspeed_live_parameters = 1e9,
    .megatron_bucket_parameters = 40e6,
    .megatron_bucket_parameters_per_rank = 1e6,
    .retries_from = 0.95,
    .retries_most = 1,
    .unmeasured_beyond_widest = 1.25,
    .unmeasured_beyond_all = 1.5,
    .tile = { { 1.0 / 256, 1.0 / 128, 1.0 },
              { 1.0 / 128, 1.0 / 256, 1.0 },
              { 1.0 / 128, 1.0 / 128, 0.93 },
              { 1.0 / 128, 1.0 / 64, 0.80 },
              { 1.0 / 64, 1.0 / 64, 0.62 } },
    .since = { .mla_rope_fused = 2025.5,
               .permute_fused = 2025.3,
               .experts_fused = 2026.45,
               .probabilities_in_activation = 2025.25,
               .operator_policy = 2024.5,
               .deepspeed_hugging_face = 2023,
               .newest = 2026.5,
               .sequence_parallel = 2022.4,
               .megatron_offload = 2025,
               .nemo_2 = 2024.75,
               .frozen_inputs_freed = 2024.75,
               .selective_norms = 2025.5 },
  };

  static const double w_per_tflops[SW_N_GENERATIONS] = { 2.4,   1.28, 1.24,  0.707,
                                                         0.444, 0.4,  0.577, 0.537 };

  for (guint g = 0; g < SW_N_GENERATIONS; g++)
    {
      c.generation[g].w_per_tflops = w_per_tflops[g];
      c.generation[g].gemm_bf16 = 0.7;
      c.generation[g].gemm_fp8 = 0.6;
      c.generation[g].gemm_fp4 = 0.5;
      c.generation[g].attention_flash = 0.5;
      c.generation[g].hbm = 0.8;
      c.generation[g].best_gemm = 0.8;
      c.generation[g].launch_s_per_routing = 300e-6;
      c.generation[g].host_factor = 1;
    }
  for (guint k = 0; k < SW_N_KERNEL_CLASSES; k++)
    {
      c.kernels[k].memory_bound_factor = 1;
      c.kernels[k].launch_s_per_layer = 150e-6;
    }
  for (guint k = 0; k < SW_N_FLASH_KERNELS; k++)
    c.flash[k].before_hopper = c.flash[k].hopper = c.flash[k].blackwell = 1;
  c.launch_blocking = 1;
  c.loss_chunks = 8;
  for (guint f = 0; f < SW_N_FRAMEWORKS; f++)
    {
      c.feature[f][SW_FEATURE_COMPILE] = 9999;
      c.feature[f][SW_FEATURE_BLOCKING_LAUNCHES] = 9999;
      c.feature[f][SW_FEATURE_CUDA_GRAPHS] = 2026.1;
      c.feature[f][SW_FEATURE_MOE_OVERLAP] = 2025.65;
      c.feature[f][SW_FEATURE_MOE_FORWARDING] = 2025.4;
      c.feature[f][SW_FEATURE_MOE_FORWARDING_INSIDE] = 2025.65;
      c.feature[f][SW_FEATURE_FUSED_CROSS_ENTROPY] = f == SW_FRAMEWORK_MEGATRON_CORE ? 0
                                                     : f == SW_FRAMEWORK_FSDP2       ? 2025.5
                                                                                     : 9999;
      c.feature[f][SW_FEATURE_CHUNKED_CROSS_ENTROPY] = 9999;
      c.feature[f][SW_FEATURE_REENTRANT_CHECKPOINTING] = 9999;
      c.feature[f][SW_FEATURE_UNSHARDED_ACCUMULATION] = 9999;
      c.feature[f][SW_FEATURE_FUSED_ADAPTERS] = 9999;
    }
  for (guint f = 0; f < SW_N_FRAMEWORKS; f++)
    c.profile[f] = (SwProfile){
      .gemm_factor = 1,
      .tp_exposed = 0.5,
      .dp_exposed = 0.3,
      .ep_exposed = 0.8,
      .cp_exposed = 0.3,
      .pp_exposed = 0.5,
      .fsdp_exposed = 0.3,
      .allocator_factor = 1.05,
      .gradient_bytes = 4,
      .straggler_per_doubling = 0.005,
    };
  return c;
}

const SwCalibration *
sw_fixture_calibration (void)
{
  static SwCalibration calibration;
  static gsize initialised = 0;

  if (g_once_init_enter (&initialised))
    {
      calibration = neutral_calibration ();
      g_once_init_leave (&initialised, 1);
    }
  return &calibration;
}

/* H100 80 GB SXM by its data sheet; usable memory as CUDA reports it. */
void
sw_fixture_h100 (SwGpu *gpu)
{
  *gpu = (SwGpu){
    .id = "h100-80-sxm",
    .name = "H100 80 GB SXM",
    .generation = SW_GENERATION_HOPPER,
    .memory_gb = 80,
    .usable_bytes = 79.19 * SW_GIB,
    .hbm_bytes_per_s = 3.35e12,
    .peak_bf16_flops_per_s = 989e12,
    .peak_fp16_flops_per_s = 989e12,
    .peak_fp8_flops_per_s = 1979e12,
    .measured_bf16_flops_per_s = 750e12,
    .sm_count = 132,
    .scale_up_bytes_per_s = 450e9,
    .scale_up_domain = 8,
    .pcie_bytes_per_s = 64e9,
    .tdp_w = 700,
    .price_per_hour_low = 2,
    .price_per_hour_high = 4,
    .price_month = "2026-11",
  };
}

/* Nodes of 8 on NVLink 4, 400 Gbit/s of InfiniBand per GPU, 2 TB of host memory. */
void
sw_fixture_cluster (SwCluster *cluster, guint gpus)
{
  *cluster = (SwCluster){
    .gpus = gpus,
    .gpus_per_node = 8,
    .nvlink_domain = 8,
    .oversubscription = 1,
    .host_ram_bytes = 2048e9,
    .intra = { .id = "nvlink4", .name = "NVLink 4", .bytes_per_s = 450e9, .latency_s = 2e-6 },
    .inter = { .id = "ib-ndr", .name = "InfiniBand NDR", .bytes_per_s = 50e9, .latency_s = 5e-6 },
  };
  sw_fixture_h100 (&cluster->gpu);
}

void
sw_fixture_training (SwTraining *training)
{
  *training = (SwTraining){
    .type = SW_TRAINING_PRETRAIN,
    .sequence_length = 8192,
    .precision = SW_PRECISION_BF16,
    .optimizer = SW_OPTIMIZER_ADAMW,
    .attention = SW_ATTENTION_FLASH,
    .framework = SW_FRAMEWORK_MEGATRON_CORE,
    .software_year = 2026.5,
    .overlap = SW_OVERLAP_AUTO,
    .memory_target = 0.9,
    .lora_rank = 16,
    .lora_all_linear = TRUE,
    .rlhf_colocated = TRUE,
    .rlhf_ppo = TRUE,
    .rlhf_response_length = 1024,
  };
}

void
sw_fixture_llama3_8b (SwModelSpec *model)
{
  *model = (SwModelSpec){
    .id = "llama-3-8b",
    .name = "Llama 3 8B",
    .layers = 32,
    .hidden_size = 4096,
    .intermediate_size = 14336,
    .attention_heads = 32,
    .kv_heads = 8,
    .head_dim = 128,
    .vocab_size = 128256,
    .max_position_embeddings = 8192,
    .gated_mlp = TRUE,
    .norm = SW_NORM_RMSNORM,
    .norms_per_layer = 2,
    .position = SW_POSITION_ROPE,
  };
}

void
sw_fixture_llama3_70b (SwModelSpec *model)
{
  sw_fixture_llama3_8b (model);
  g_strlcpy (model->id, "llama-3-70b", sizeof model->id);
  g_strlcpy (model->name, "Llama 3 70B", sizeof model->name);
  model->layers = 80;
  model->hidden_size = 8192;
  model->intermediate_size = 28672;
  model->attention_heads = 64;
}

void
sw_fixture_mixtral_8x7b (SwModelSpec *model)
{
  sw_fixture_llama3_8b (model);
  g_strlcpy (model->id, "mixtral-8x7b", sizeof model->id);
  g_strlcpy (model->name, "Mixtral 8x7B", sizeof model->name);
  model->vocab_size = 32000;
  model->max_position_embeddings = 32768;
  model->moe =
      (SwMoe){ .experts = 8, .top_k = 2, .intermediate_size = 14336, .layer_frequency = 1 };
}

void
sw_fixture_deepseek_v3 (SwModelSpec *model)
{
  *model = (SwModelSpec){
    .id = "deepseek-v3",
    .name = "DeepSeek-V3",
    .layers = 61,
    .hidden_size = 7168,
    .intermediate_size = 18432,
    .attention_heads = 128,
    .kv_heads = 128,
    .head_dim = 192,
    .vocab_size = 129280,
    .max_position_embeddings = 163840,
    .gated_mlp = TRUE,
    .norm = SW_NORM_RMSNORM,
    .norms_per_layer = 2,
    .position = SW_POSITION_ROPE,
    .mtp_layers = 1,
    .moe = { .experts = 256,
             .top_k = 8,
             .intermediate_size = 2048,
             .shared_intermediate_size = 2048,
             .first_dense_layers = 3,
             .layer_frequency = 1,
             .groups = 8,
             .chosen_groups = 4,
             .router_bias = TRUE },
    .mla = { .kv_lora_rank = 512,
             .q_lora_rank = 1536,
             .qk_nope_head_dim = 128,
             .qk_rope_head_dim = 64,
             .v_head_dim = 128 },
  };
}

/* @model on @gpus H100s, pre-training in bf16 on sequences of 8192 with Megatron-Core. */
void
sw_fixture_problem (SwProblem *problem, const SwModelSpec *model, guint gpus)
{
  *problem = (SwProblem){ .model = *model, .calibration = sw_fixture_calibration () };
  sw_fixture_cluster (&problem->cluster, gpus);
  sw_fixture_training (&problem->training);
  sw_problem_prepare (problem);
}

/* Llama 3 70B on 32 H100s: the reference case. */
void
sw_fixture_problem_70b (SwProblem *problem)
{
  SwModelSpec model;

  sw_fixture_llama3_70b (&model);
  sw_fixture_problem (problem, &model, 32);
}

/* What the speed of searching is measured with: Llama 3 70B or DeepSeek-V3, 2048 sequences of
 * 8192. */
void
sw_fixture_problem_bench (SwProblem *problem, SwFramework framework, gboolean experts, guint gpus)
{
  SwModelSpec model;

  if (experts)
    sw_fixture_deepseek_v3 (&model);
  else
    sw_fixture_llama3_70b (&model);
  sw_fixture_problem (problem, &model, gpus);
  problem->training.framework = framework;
  problem->training.sequence_length = 8192;
  problem->training.global_batch = 2048;
  sw_problem_prepare (problem);
}

/* TP 8, PP 4, DP 1, micro-batch 4, ZeRO 1, sequence parallelism: the reference strategy. */
void
sw_fixture_strategy_70b (SwStrategy *strategy)
{
  sw_strategy_init_default (strategy);
  strategy->tp = strategy->etp = 8;
  strategy->pp = 4;
  strategy->sequence_parallel = TRUE;
  strategy->zero_stage = 1;
  strategy->micro_batch = 4;
  strategy->recompute = SW_RECOMPUTE_SELECTIVE;
}

/* All three levels of memory of one strategy. */
void
sw_fixture_memory (const SwProblem *problem, const SwStrategy *strategy, SwMemory *out)
{
  SwLayerMemory layer;
  SwScheduleMemory schedule;

  sw_layer_memory (problem, strategy, &layer);
  sw_schedule_memory (problem, strategy, &layer, &schedule);
  sw_estimate_memory (problem, strategy, &schedule, out);
}

static guint
random_degree (GRand *rand, guint most)
{
  guint degree = 1;

  while (degree * 2 <= most && g_rand_boolean (rand))
    degree *= 2;
  return degree;
}

/* One of the four models. */
void
sw_fixture_random_model (GRand *rand, SwModelSpec *model)
{
  static void (*const models[]) (SwModelSpec *) = { sw_fixture_llama3_8b, sw_fixture_llama3_70b,
                                                    sw_fixture_mixtral_8x7b,
                                                    sw_fixture_deepseek_v3 };

  models[g_rand_int_range (rand, 0, G_N_ELEMENTS (models))](model);
}

/* A model, a cluster and a training among those that tests sweep over. */
void
sw_fixture_random_problem (GRand *rand, SwProblem *problem)
{
  static const SwTrainingType types[] = { SW_TRAINING_PRETRAIN, SW_TRAINING_PRETRAIN,
                                          SW_TRAINING_PRETRAIN, SW_TRAINING_LORA };
  SwModelSpec model;

  sw_fixture_random_model (rand, &model);
  sw_fixture_problem (problem, &model, 8u << g_rand_int_range (rand, 0, 5));
  problem->training.type = types[g_rand_int_range (rand, 0, G_N_ELEMENTS (types))];
  problem->training.sequence_length = 2048u << g_rand_int_range (rand, 0, 3);
  problem->training.overlap = g_rand_boolean (rand) ? SW_OVERLAP_AUTO : SW_OVERLAP_NONE;
  problem->training.software_year = g_rand_double_range (rand, 2021, 2026.5);
  problem->cluster.nvlink_domain = g_rand_boolean (rand) ? 8 : 72;
  sw_problem_prepare (problem);
}

/* A strategy drawn at random. Returns whether it breaks no rule. */
gboolean
sw_fixture_random_strategy (GRand *rand, const SwProblem *problem, SwStrategy *strategy)
{
  guint gpus = problem->cluster.gpus;

  sw_strategy_init_default (strategy);
  strategy->framework = (guint8) g_rand_int_range (rand, SW_FRAMEWORK_MEGATRON_2021, SW_N_ENGINES);
  strategy->tp = random_degree (rand, MIN (gpus, 8));
  strategy->pp = g_rand_int_range (rand, 0, 4) == 0 ? (guint) g_rand_int_range (rand, 1, 12)
                                                    : random_degree (rand, 16);
  strategy->cp = g_rand_boolean (rand) ? 1 : random_degree (rand, 8);
  strategy->dp = MAX (gpus / (strategy->tp * strategy->pp * strategy->cp), 1);
  strategy->ep = problem->model.moe.experts > 0 ? random_degree (rand, problem->model.moe.experts)
                                                : 1;
  strategy->etp = g_rand_boolean (rand) ? 1 : strategy->tp;
  strategy->sequence_parallel = strategy->tp > 1 && g_rand_boolean (rand);
  strategy->zero_stage = (guint8) g_rand_int_range (rand, 0, 4);
  strategy->shard_group = g_rand_boolean (rand) ? strategy->dp : random_degree (rand, strategy->dp);
  strategy->micro_batch = random_degree (rand, 8);
  strategy->recompute = (guint8) g_rand_int_range (rand, 0, 4);
  strategy->full_layers = strategy->recompute == SW_RECOMPUTE_FULL_LAYERS
                              ? (guint) g_rand_int_range (rand, 1, 20)
                              : 0;
  strategy->schedule = (guint8) g_rand_int_range (rand, 0, 4);
  strategy->vpp = strategy->schedule == SW_SCHEDULE_INTERLEAVED
                      ? (guint) g_rand_int_range (rand, 2, 6)
                      : 1;
  strategy->cp_method = (guint8) g_rand_int_range (rand, 0, 3);
  return sw_rules_check (problem, strategy) == SW_RULE_OK;
}
