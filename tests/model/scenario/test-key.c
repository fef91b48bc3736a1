/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-error.h"
#include "shardwise-key.h"

#include <math.h>
#include <string.h>

/* Every key of the scenario file, as the interface lists them. */
static const char *const expected_paths[] = {
  "name",
  "notes",
  "model.preset",
  "model.parameters_b",
  "model.kind",
  "model.layers",
  "model.hidden_size",
  "model.intermediate_size",
  "model.attention_heads",
  "model.kv_heads",
  "model.head_dim",
  "model.vocab_size",
  "model.max_position_embeddings",
  "model.gated_mlp",
  "model.tied_embeddings",
  "model.norm",
  "model.norms_per_layer",
  "model.qk_norm",
  "model.bias.qkv",
  "model.bias.attn_out",
  "model.bias.mlp",
  "model.position_embedding",
  "model.parallel_block",
  "model.sliding_window",
  "model.sliding_window_pattern",
  "model.mtp_layers",
  "model.moe.experts",
  "model.moe.top_k",
  "model.moe.intermediate_size",
  "model.moe.shared_intermediate_size",
  "model.moe.first_dense_layers",
  "model.moe.layer_frequency",
  "model.mla.q_lora_rank",
  "model.mla.kv_lora_rank",
  "model.mla.qk_nope_head_dim",
  "model.mla.qk_rope_head_dim",
  "model.mla.v_head_dim",
  "cluster.gpu",
  "cluster.gpus",
  "cluster.gpus_per_node",
  "cluster.gpu_memory_gb",
  "cluster.nvlink_domain",
  "cluster.intra_node",
  "cluster.intra_node_gb_s",
  "cluster.inter_node",
  "cluster.inter_node_gb_s",
  "cluster.oversubscription",
  "cluster.pod_gpus",
  "cluster.host_ram_gb",
  "training.type",
  "training.sequence_length",
  "training.global_batch_size",
  "training.micro_batch_size",
  "training.precision",
  "training.optimizer",
  "training.attention",
  "training.framework",
  "training.software_date",
  "training.overlap",
  "training.memory_target",
  "training.tokens",
  "training.deadline",
  "training.lora.rank",
  "training.lora.targets",
  "training.rlhf.algorithm",
  "training.rlhf.critic_parameters_b",
  "training.rlhf.response_length",
  "training.rlhf.colocated",
  "training.packing.mean_document",
  "strategy.tp",
  "strategy.etp",
  "strategy.pp",
  "strategy.vpp",
  "strategy.dp",
  "strategy.cp",
  "strategy.cp_method",
  "strategy.ep",
  "strategy.sequence_parallel",
  "strategy.zero_stage",
  "strategy.shard_group",
  "strategy.micro_batch_size",
  "strategy.recompute",
  "strategy.recompute_modules",
  "strategy.schedule",
  "strategy.offload",
  "cost.price",
  "cost.currency",
  "cost.price_date",
  "cost.capex_per_gpu",
  "cost.depreciation_years",
  "cost.power_w",
  "cost.pue",
  "cost.kwh_price",
  "cost.grid_kg_co2_per_kwh",
  "cost.overhead_share",
  "cost.mtbf_gpu_hours",
  "cost.storage_gb_s",
  "cost.restart_s",
};

static void
test_table (void)
{
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  g_assert_cmpuint (n_keys, ==, G_N_ELEMENTS (expected_paths));
  for (guint i = 0; i < n_keys; i++)
    {
      g_autofree char *range = shardwise_key_describe_range (&keys[i]);

      g_assert_cmpstr (keys[i].path, ==, expected_paths[i]);
      g_assert_true (shardwise_key_find (keys[i].path) == &keys[i]);
      g_assert_nonnull (keys[i].title);
      g_assert_cmpuint (strlen (range), >, 0);
    }
  g_assert_null (shardwise_key_find ("cluster.gpu_count"));
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
  { "training.software_date", "'2026-06'", -1 },
  { "training.software_date", "'2026-02-28'", -1 },
  { "training.software_date", "'2026-02-30'", SHARDWISE_ERROR_RANGE },
  { "training.software_date", "'2026-13'", SHARDWISE_ERROR_RANGE },
  { "training.software_date", "'2026-1x'", SHARDWISE_ERROR_RANGE },
  { "training.software_date", "'06/2026'", SHARDWISE_ERROR_RANGE },
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
  const ShardwiseKey *key = shardwise_key_find ("cost.price");
  g_autoptr (GError) nan_error = NULL, infinity_error = NULL;

  g_assert_false (shardwise_key_check (key, g_variant_new_double (NAN), &nan_error));
  g_assert_false (shardwise_key_check (key, g_variant_new_double (INFINITY), &infinity_error));
  g_assert_error (nan_error, SHARDWISE_ERROR, SHARDWISE_ERROR_RANGE);
  g_assert_error (infinity_error, SHARDWISE_ERROR, SHARDWISE_ERROR_RANGE);
}

static void
test_normalise (void)
{
  g_autoptr (GVariant) gpus = shardwise_key_normalise (shardwise_key_find ("cluster.gpus"),
                                                       g_variant_new_double (8), NULL);
  g_autoptr (GVariant) price = shardwise_key_normalise (shardwise_key_find ("cost.price"),
                                                        g_variant_new_int32 (2), NULL);

  g_autoptr (GVariant) currency = shardwise_key_normalise (shardwise_key_find ("cost.currency"),
                                                           g_variant_new_string (" eur"), NULL);

  g_assert_cmpint (g_variant_get_int64 (gpus), ==, 8);
  g_assert_cmpfloat (g_variant_get_double (price), ==, 2);
  g_assert_cmpstr (g_variant_get_string (currency, NULL), ==, "EUR");
}

static void
test_range_text (void)
{
  g_autofree char *gpus = shardwise_key_describe_range (shardwise_key_find ("cluster.gpus"));
  g_autofree char *offload = shardwise_key_describe_range (shardwise_key_find ("strategy.offload"));

  g_assert_cmpstr (gpus, ==, "1 to 131072 GPUs"); /* grouped where the locale groups */
  g_assert_cmpstr (offload, ==, "none, optimizer, optimizer+params, activations");
}

static void
test_error_path (void)
{
  g_autoptr (GError) error = NULL, copy = NULL,
                     other = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, "x");

  shardwise_key_check (shardwise_key_find ("cluster.gpus"), g_variant_new_int32 (0), &error);
  copy = g_error_copy (error);
  g_assert_cmpstr (shardwise_error_path (copy), ==, "cluster.gpus");
  g_assert_cmpstr (copy->message, ==,
                   "cluster.gpus: 0 is out of range, accepted: 1 to 131072 GPUs");
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
