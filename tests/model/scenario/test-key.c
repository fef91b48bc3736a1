/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-error.h"
#include "shardwise-key.h"

#include <math.h>
#include <string.h>

#define ROW(id, path)                                                                              \
  {                                                                                                \
    SHARDWISE_KEY_##id, #id, path                                                                  \
  }

/* Every key of the scenario file, as the interface lists them, and its name in the enumeration. */
static const struct {
  ShardwiseKeyId id;
  const char *name, *path;
} expected[] = {
  ROW (NAME, "name"),
  ROW (NOTES, "notes"),
  ROW (MODEL_PRESET, "model.preset"),
  ROW (MODEL_PARAMETERS_B, "model.parameters_b"),
  ROW (MODEL_KIND, "model.kind"),
  ROW (MODEL_LAYERS, "model.layers"),
  ROW (MODEL_HIDDEN_SIZE, "model.hidden_size"),
  ROW (MODEL_INTERMEDIATE_SIZE, "model.intermediate_size"),
  ROW (MODEL_ATTENTION_HEADS, "model.attention_heads"),
  ROW (MODEL_KV_HEADS, "model.kv_heads"),
  ROW (MODEL_HEAD_DIM, "model.head_dim"),
  ROW (MODEL_VOCAB_SIZE, "model.vocab_size"),
  ROW (MODEL_MAX_POSITION_EMBEDDINGS, "model.max_position_embeddings"),
  ROW (MODEL_GATED_MLP, "model.gated_mlp"),
  ROW (MODEL_TIED_EMBEDDINGS, "model.tied_embeddings"),
  ROW (MODEL_NORM, "model.norm"),
  ROW (MODEL_NORMS_PER_LAYER, "model.norms_per_layer"),
  ROW (MODEL_QK_NORM, "model.qk_norm"),
  ROW (MODEL_BIAS_QKV, "model.bias.qkv"),
  ROW (MODEL_BIAS_ATTN_OUT, "model.bias.attn_out"),
  ROW (MODEL_BIAS_MLP, "model.bias.mlp"),
  ROW (MODEL_POSITION_EMBEDDING, "model.position_embedding"),
  ROW (MODEL_PARALLEL_BLOCK, "model.parallel_block"),
  ROW (MODEL_SLIDING_WINDOW, "model.sliding_window"),
  ROW (MODEL_SLIDING_WINDOW_PATTERN, "model.sliding_window_pattern"),
  ROW (MODEL_MTP_LAYERS, "model.mtp_layers"),
  ROW (MODEL_MOE_EXPERTS, "model.moe.experts"),
  ROW (MODEL_MOE_TOP_K, "model.moe.top_k"),
  ROW (MODEL_MOE_INTERMEDIATE_SIZE, "model.moe.intermediate_size"),
  ROW (MODEL_MOE_SHARED_INTERMEDIATE_SIZE, "model.moe.shared_intermediate_size"),
  ROW (MODEL_MOE_FIRST_DENSE_LAYERS, "model.moe.first_dense_layers"),
  ROW (MODEL_MOE_LAYER_FREQUENCY, "model.moe.layer_frequency"),
  ROW (MODEL_MLA_Q_LORA_RANK, "model.mla.q_lora_rank"),
  ROW (MODEL_MLA_KV_LORA_RANK, "model.mla.kv_lora_rank"),
  ROW (MODEL_MLA_QK_NOPE_HEAD_DIM, "model.mla.qk_nope_head_dim"),
  ROW (MODEL_MLA_QK_ROPE_HEAD_DIM, "model.mla.qk_rope_head_dim"),
  ROW (MODEL_MLA_V_HEAD_DIM, "model.mla.v_head_dim"),
  ROW (CLUSTER_GPU, "cluster.gpu"),
  ROW (CLUSTER_GPUS, "cluster.gpus"),
  ROW (CLUSTER_GPUS_PER_NODE, "cluster.gpus_per_node"),
  ROW (CLUSTER_GPU_MEMORY_GB, "cluster.gpu_memory_gb"),
  ROW (CLUSTER_NVLINK_DOMAIN, "cluster.nvlink_domain"),
  ROW (CLUSTER_INTRA_NODE, "cluster.intra_node"),
  ROW (CLUSTER_INTRA_NODE_GB_S, "cluster.intra_node_gb_s"),
  ROW (CLUSTER_INTER_NODE, "cluster.inter_node"),
  ROW (CLUSTER_INTER_NODE_GB_S, "cluster.inter_node_gb_s"),
  ROW (CLUSTER_OVERSUBSCRIPTION, "cluster.oversubscription"),
  ROW (CLUSTER_POD_GPUS, "cluster.pod_gpus"),
  ROW (CLUSTER_HOST_RAM_GB, "cluster.host_ram_gb"),
  ROW (CLUSTER_NVME_GB_S, "cluster.nvme_gb_s"),
  ROW (TRAINING_TYPE, "training.type"),
  ROW (TRAINING_SEQUENCE_LENGTH, "training.sequence_length"),
  ROW (TRAINING_GLOBAL_BATCH_SIZE, "training.global_batch_size"),
  ROW (TRAINING_MICRO_BATCH_SIZE, "training.micro_batch_size"),
  ROW (TRAINING_PRECISION, "training.precision"),
  ROW (TRAINING_OPTIMIZER, "training.optimizer"),
  ROW (TRAINING_STATES_PARAMETERS, "training.states.parameters"),
  ROW (TRAINING_STATES_GRADIENTS, "training.states.gradients"),
  ROW (TRAINING_STATES_MASTER, "training.states.master"),
  ROW (TRAINING_STATES_MOMENTS, "training.states.moments"),
  ROW (TRAINING_OPTIMIZER_IN_BACKWARD, "training.optimizer_in_backward"),
  ROW (TRAINING_ATTENTION, "training.attention"),
  ROW (TRAINING_FRAMEWORK, "training.framework"),
  ROW (TRAINING_SOFTWARE_DATE, "training.software_date"),
  ROW (TRAINING_SOFTWARE_COMPILE, "training.software.compile"),
  ROW (TRAINING_SOFTWARE_FUSED_KERNELS, "training.software.fused_kernels"),
  ROW (TRAINING_SOFTWARE_FLASH_ATTENTION, "training.software.flash_attention"),
  ROW (TRAINING_SOFTWARE_ASYNC_TP, "training.software.async_tp"),
  ROW (TRAINING_SOFTWARE_DP_OVERLAP, "training.software.dp_overlap"),
  ROW (TRAINING_SOFTWARE_FLAT_BUFFERS, "training.software.flat_buffers"),
  ROW (TRAINING_SOFTWARE_CUDA_GRAPHS, "training.software.cuda_graphs"),
  ROW (TRAINING_SOFTWARE_MOE_OVERLAP, "training.software.moe_overlap"),
  ROW (TRAINING_SOFTWARE_FUSED_CROSS_ENTROPY, "training.software.fused_cross_entropy"),
  ROW (TRAINING_SOFTWARE_CHUNKED_CROSS_ENTROPY, "training.software.chunked_cross_entropy"),
  ROW (TRAINING_SOFTWARE_FUSED_CASTS, "training.software.fused_casts"),
  ROW (TRAINING_SOFTWARE_BLOCKING_LAUNCHES, "training.software.blocking_launches"),
  ROW (TRAINING_SOFTWARE_REENTRANT_CHECKPOINTING, "training.software.reentrant_checkpointing"),
  ROW (TRAINING_SOFTWARE_UNSHARDED_ACCUMULATION, "training.software.unsharded_accumulation"),
  ROW (TRAINING_SOFTWARE_LOSS_UPCAST, "training.software.loss_upcast"),
  ROW (TRAINING_SOFTWARE_FUSED_ADAPTERS, "training.software.fused_adapters"),
  ROW (TRAINING_SOFTWARE_MOE_DISPATCHER, "training.software.moe_dispatcher"),
  ROW (TRAINING_OVERLAP, "training.overlap"),
  ROW (TRAINING_OFFLOAD_DEVICE, "training.offload_device"),
  ROW (TRAINING_MEMORY_TARGET, "training.memory_target"),
  ROW (TRAINING_ALLOW_UNTRIED, "training.allow_untried"),
  ROW (TRAINING_TOKENS, "training.tokens"),
  ROW (TRAINING_EXAMPLES, "training.examples"),
  ROW (TRAINING_EPOCHS, "training.epochs"),
  ROW (TRAINING_DEADLINE, "training.deadline"),
  ROW (TRAINING_ADAPTERS, "training.adapters"),
  ROW (TRAINING_LORA_RANK, "training.lora.rank"),
  ROW (TRAINING_LORA_TARGETS, "training.lora.targets"),
  ROW (TRAINING_LORA_MODULES, "training.lora.modules"),
  ROW (TRAINING_LORA_ALPHA, "training.lora.alpha"),
  ROW (TRAINING_LORA_DROPOUT, "training.lora.dropout"),
  ROW (TRAINING_LORA_DORA, "training.lora.dora"),
  ROW (TRAINING_LORA_EMBEDDINGS, "training.lora.embeddings"),
  ROW (TRAINING_BASE_PRECISION, "training.base_precision"),
  ROW (TRAINING_DOUBLE_QUANTIZATION, "training.double_quantization"),
  ROW (TRAINING_RLHF_ALGORITHM, "training.rlhf.algorithm"),
  ROW (TRAINING_RLHF_REFERENCE, "training.rlhf.reference"),
  ROW (TRAINING_RLHF_GROUP_SIZE, "training.rlhf.group_size"),
  ROW (TRAINING_RLHF_CRITIC_PARAMETERS_B, "training.rlhf.critic_parameters_b"),
  ROW (TRAINING_RLHF_RESPONSE_LENGTH, "training.rlhf.response_length"),
  ROW (TRAINING_RLHF_COLOCATED, "training.rlhf.colocated"),
  ROW (TRAINING_DISTILL_TEACHER_PARAMETERS_B, "training.distill.teacher_parameters_b"),
  ROW (TRAINING_PACKING_MEAN_DOCUMENT, "training.packing.mean_document"),
  ROW (TRAINING_PADDING_MEAN_LENGTH, "training.padding.mean_length"),
  ROW (STRATEGY_TP, "strategy.tp"),
  ROW (STRATEGY_ETP, "strategy.etp"),
  ROW (STRATEGY_PP, "strategy.pp"),
  ROW (STRATEGY_VPP, "strategy.vpp"),
  ROW (STRATEGY_DP, "strategy.dp"),
  ROW (STRATEGY_CP, "strategy.cp"),
  ROW (STRATEGY_CP_METHOD, "strategy.cp_method"),
  ROW (STRATEGY_EP, "strategy.ep"),
  ROW (STRATEGY_SEQUENCE_PARALLEL, "strategy.sequence_parallel"),
  ROW (STRATEGY_ZERO_STAGE, "strategy.zero_stage"),
  ROW (STRATEGY_SHARD_GROUP, "strategy.shard_group"),
  ROW (STRATEGY_MICRO_BATCH_SIZE, "strategy.micro_batch_size"),
  ROW (STRATEGY_RECOMPUTE, "strategy.recompute"),
  ROW (STRATEGY_RECOMPUTE_MODULES, "strategy.recompute_modules"),
  ROW (STRATEGY_SCHEDULE, "strategy.schedule"),
  ROW (STRATEGY_OFFLOAD, "strategy.offload"),
  ROW (COST_PRICE, "cost.price"),
  ROW (COST_CURRENCY, "cost.currency"),
  ROW (COST_PRICE_DATE, "cost.price_date"),
  ROW (COST_CAPEX_PER_GPU, "cost.capex_per_gpu"),
  ROW (COST_DEPRECIATION_YEARS, "cost.depreciation_years"),
  ROW (COST_POWER_W, "cost.power_w"),
  ROW (COST_PUE, "cost.pue"),
  ROW (COST_KWH_PRICE, "cost.kwh_price"),
  ROW (COST_GRID_KG_CO2_PER_KWH, "cost.grid_kg_co2_per_kwh"),
  ROW (COST_OVERHEAD_SHARE, "cost.overhead_share"),
  ROW (COST_MTBF_GPU_HOURS, "cost.mtbf_gpu_hours"),
  ROW (COST_STORAGE_GB_S, "cost.storage_gb_s"),
  ROW (COST_RESTART_S, "cost.restart_s"),
};

/* A key and its row have the same name, and no row is missing. */
static void
test_table (void)
{
  g_assert_cmpuint (G_N_ELEMENTS (expected), ==, SHARDWISE_N_KEYS - 1);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      const ShardwiseKey *key = shardwise_key_get (expected[i].id);
      g_autofree char *range = shardwise_key_describe_range (key),
                      *name = g_ascii_strup (expected[i].path, -1);

      g_assert_cmpuint (expected[i].id, ==, i + 1);
      g_assert_cmpstr (g_strdelimit (name, ".", '_'), ==, expected[i].name);
      g_assert_cmpuint (key->id, ==, expected[i].id);
      g_assert_cmpstr (shardwise_key_path (key->id), ==, expected[i].path);
      g_assert_true (shardwise_key_find (expected[i].path) == key);
      g_assert_nonnull (key->title);
      g_assert_nonnull (key->topic);
      g_assert_nonnull (key->help);
      g_assert_cmpuint (strlen (range), >, 0);
    }
  g_assert_null (shardwise_key_find ("cluster.gpu_count"));
  g_assert_null (shardwise_key_path (SHARDWISE_KEY_NONE));
}

typedef struct {
  const char *path, *value; /* GVariant text */
  int code;                 /* -1: accepted */
} Case;

static const Case cases[] = {
  { "model.parameters_b", "0.1", -1 },
  { "model.parameters_b", "10000", -1 },
  { "model.parameters_b", "0.09", SHARDWISE_ERROR_RANGE },
  { "model.parameters_b", "10001", SHARDWISE_ERROR_RANGE },
  { "model.parameters_b", "'70'", SHARDWISE_ERROR_TYPE },
  { "model.parameters_b", "true", SHARDWISE_ERROR_TYPE },
  { "cluster.gpus", "1", -1 },
  { "cluster.gpus", "131072", -1 },
  { "cluster.gpus", "uint32 8", -1 },
  { "cluster.gpus", "int64 8", -1 },
  { "cluster.gpus", "8.0", -1 },
  { "cluster.gpus", "0", SHARDWISE_ERROR_RANGE },
  { "cluster.gpus", "-8", SHARDWISE_ERROR_RANGE },
  { "cluster.gpus", "131073", SHARDWISE_ERROR_RANGE },
  { "cluster.gpus", "uint64 18446744073709551615", SHARDWISE_ERROR_RANGE },
  { "cluster.gpus", "8.5", SHARDWISE_ERROR_TYPE },
  { "cluster.gpus", "'8'", SHARDWISE_ERROR_TYPE },
  { "cluster.gpu_memory_gb", "8", -1 },
  { "cluster.gpu_memory_gb", "320", -1 },
  { "cluster.gpu_memory_gb", "7.9", SHARDWISE_ERROR_RANGE },
  { "cluster.gpu_memory_gb", "321", SHARDWISE_ERROR_RANGE },
  { "cluster.gpus_per_node", "1024", -1 },
  { "cluster.gpus_per_node", "1025", SHARDWISE_ERROR_RANGE },
  { "training.sequence_length", "1073741824", -1 },
  { "training.sequence_length", "1073741825", SHARDWISE_ERROR_RANGE },
  { "training.micro_batch_size", "65536", -1 },
  { "training.micro_batch_size", "65537", SHARDWISE_ERROR_RANGE },
  { "training.global_batch_size", "1000000000", -1 },
  { "training.global_batch_size", "1000000001", SHARDWISE_ERROR_RANGE },
  { "training.memory_target", "0.05", -1 },
  { "training.memory_target", "1.01", SHARDWISE_ERROR_RANGE },
  { "training.tokens", "1e18", -1 },
  { "training.tokens", "1.1e18", SHARDWISE_ERROR_RANGE },
  { "model.layers", "10000", -1 },
  { "model.layers", "10001", SHARDWISE_ERROR_RANGE },
  { "model.hidden_size", "1048576", -1 },
  { "model.hidden_size", "1048577", SHARDWISE_ERROR_RANGE },
  { "cost.price", "0", -1 },
  { "cost.price", "1000001", SHARDWISE_ERROR_RANGE },
  { "cost.currency", "'CHF'", -1 },
  { "cost.currency", "'eur'", -1 },
  { "cost.currency", "'US'", SHARDWISE_ERROR_CHOICE },
  { "cost.currency", "'Bitcoin'", SHARDWISE_ERROR_CHOICE },
  { "cost.currency", "'U$D'", SHARDWISE_ERROR_CHOICE },
  { "cost.currency", "''", SHARDWISE_ERROR_CHOICE },
  { "cost.currency", "840", SHARDWISE_ERROR_TYPE },
  { "strategy.zero_stage", "3", -1 },
  { "strategy.zero_stage", "4", SHARDWISE_ERROR_RANGE },
  { "training.precision", "'fp8-tensorwise'", -1 },
  { "training.precision", "'nvfp4'", -1 },
  { "training.precision", "'fp4'", SHARDWISE_ERROR_CHOICE },
  { "training.precision", "8", SHARDWISE_ERROR_TYPE },
  { "training.framework", "'any'", -1 },
  { "training.type", "'sft'", SHARDWISE_ERROR_CHOICE },
  { "training.type", "''", SHARDWISE_ERROR_CHOICE },
  { "training.states.parameters", "'bf16'", -1 },
  { "training.states.parameters", "'8bit'", SHARDWISE_ERROR_CHOICE },
  { "training.states.master", "'none'", -1 },
  { "training.states.master", "'bf16'", SHARDWISE_ERROR_CHOICE },
  { "training.states.moments", "'8bit'", -1 },
  { "training.states.moments", "8", SHARDWISE_ERROR_TYPE },
  { "training.base_precision", "'nf4'", -1 },
  { "training.base_precision", "'int4'", SHARDWISE_ERROR_CHOICE },
  { "training.optimizer_in_backward", "true", -1 },
  { "training.optimizer_in_backward", "'yes'", SHARDWISE_ERROR_TYPE },
  { "training.optimizer", "'paged-adamw-8bit'", -1 },
  { "training.optimizer", "'lion'", -1 },
  { "training.software_date", "'2026-06'", -1 },
  { "training.software_date", "'2026-02-28'", -1 },
  { "training.software_date", "'2026-02-30'", SHARDWISE_ERROR_RANGE },
  { "training.software_date", "'2026-13'", SHARDWISE_ERROR_RANGE },
  { "training.software_date", "'2026-1x'", SHARDWISE_ERROR_RANGE },
  { "training.software_date", "'06/2026'", SHARDWISE_ERROR_RANGE },
  { "training.software.compile", "true", -1 },
  { "training.software.compile", "'true'", SHARDWISE_ERROR_TYPE },
  { "training.software.async_tp", "1", SHARDWISE_ERROR_TYPE },
  { "training.software.flash_attention", "2", -1 },
  { "training.software.flash_attention", "3.0", -1 },
  { "training.software.flash_attention", "1", -1 },
  { "training.software.flash_attention", "false", -1 },
  { "training.software.flash_attention", "0.0", -1 },
  { "training.software.flash_attention", "true", SHARDWISE_ERROR_TYPE },
  { "training.software.flash_attention", "2.5", SHARDWISE_ERROR_TYPE },
  { "training.software.flash_attention", "4", SHARDWISE_ERROR_RANGE },
  { "training.software.flash_attention", "-1", SHARDWISE_ERROR_RANGE },
  { "training.software.flash_attention", "'2'", SHARDWISE_ERROR_TYPE },
  { "strategy.sequence_parallel", "true", -1 },
  { "strategy.sequence_parallel", "1", SHARDWISE_ERROR_TYPE },
  { "strategy.recompute", "'selective'", -1 },
  { "strategy.recompute", "'full_layers:12'", -1 },
  { "strategy.recompute", "'full_layers:'", SHARDWISE_ERROR_CHOICE },
  { "strategy.recompute", "'full_layers'", SHARDWISE_ERROR_CHOICE },
  { "strategy.recompute_modules", "['core_attn', 'mlp']", -1 },
  { "strategy.recompute_modules", "@as []", -1 },
  { "strategy.recompute_modules", "['attention']", SHARDWISE_ERROR_CHOICE },
  { "strategy.recompute_modules", "'mlp'", SHARDWISE_ERROR_TYPE },
  { "strategy.schedule", "'zero-bubble'", -1 },
  { "strategy.offload", "'optimizer+params'", -1 },
  { "cluster.gpu", "'h100-80-sxm'", -1 },
  { "cluster.gpu", "'{\"base\": '", SHARDWISE_ERROR_SYNTAX },
};

static void
test_check (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const ShardwiseKey *key = shardwise_key_find (cases[i].path);
      g_autoptr (GError) error = NULL;
      gboolean accepted;

      g_test_message ("%s = %s", cases[i].path, cases[i].value);
      accepted = shardwise_key_check (key, g_variant_new_parsed (cases[i].value), &error);
      if (cases[i].code < 0)
        {
          g_assert_no_error (error);
          g_assert_true (accepted);
          continue;
        }
      g_assert_error (error, SHARDWISE_ERROR, cases[i].code);
      g_assert_true (g_str_has_prefix (error->message, cases[i].path));
    }
}

static void
test_not_finite (void)
{
  const ShardwiseKey *key = shardwise_key_get (SHARDWISE_KEY_COST_PRICE);
  g_autoptr (GError) nan_error = NULL, infinity_error = NULL;

  g_assert_false (shardwise_key_check (key, g_variant_new_double (NAN), &nan_error));
  g_assert_false (shardwise_key_check (key, g_variant_new_double (INFINITY), &infinity_error));
  g_assert_error (nan_error, SHARDWISE_ERROR, SHARDWISE_ERROR_RANGE);
  g_assert_error (infinity_error, SHARDWISE_ERROR, SHARDWISE_ERROR_RANGE);
}

static void
test_normalise (void)
{
  g_autoptr (GVariant) gpus = shardwise_key_normalise (
      shardwise_key_get (SHARDWISE_KEY_CLUSTER_GPUS), g_variant_new_double (8), NULL);
  g_autoptr (GVariant) price = shardwise_key_normalise (
      shardwise_key_get (SHARDWISE_KEY_COST_PRICE), g_variant_new_int32 (2), NULL);

  g_autoptr (GVariant) currency = shardwise_key_normalise (
      shardwise_key_get (SHARDWISE_KEY_COST_CURRENCY), g_variant_new_string (" eur"), NULL);

  g_assert_cmpint (g_variant_get_int64 (gpus), ==, 8);
  g_assert_cmpfloat (g_variant_get_double (price), ==, 2);
  g_assert_cmpstr (g_variant_get_string (currency, NULL), ==, "EUR");
}

static void
test_range_text (void)
{
  g_autofree char *gpus =
      shardwise_key_describe_range (shardwise_key_get (SHARDWISE_KEY_CLUSTER_GPUS));
  g_autofree char *offload =
      shardwise_key_describe_range (shardwise_key_get (SHARDWISE_KEY_STRATEGY_OFFLOAD));

  g_assert_cmpstr (gpus, ==, "1 to 131072 GPUs"); /* grouped where the locale groups */
  g_assert_cmpstr (offload, ==, "none, optimizer, optimizer+params, activations");
}

static void
test_error_path (void)
{
  g_autoptr (GError) error = NULL, copy = NULL,
                     other = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, "x");

  shardwise_key_check (shardwise_key_get (SHARDWISE_KEY_CLUSTER_GPUS), g_variant_new_int32 (0),
                       &error);
  copy = g_error_copy (error);
  g_assert_cmpstr (shardwise_error_path (copy), ==, "cluster.gpus");
  g_assert_cmpstr (copy->message, ==, "cluster.gpus: 0 is out of range; allowed: 1 to 131072 GPUs");
  g_assert_null (shardwise_error_path (other));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/key/table", test_table);
  g_test_add_func ("/key/check", test_check);
  g_test_add_func ("/key/not-finite", test_not_finite);
  g_test_add_func ("/key/normalise", test_normalise);
  g_test_add_func ("/key/range-text", test_range_text);
  g_test_add_func ("/key/error-path", test_error_path);
  return g_test_run ();
}
