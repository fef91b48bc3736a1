/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules-fixture.h"

#define M "model.model_config."

/* The fields of Nanotron 0.4's dataclasses that a file may hold, with their types: one unknown key
 * anywhere is refused, and dacite takes no integer and no string where a field is a float. */
static const FixtureRule fields[] = {
  { "general.project", FIXTURE_TEXT, NULL, TRUE },
  { "general.run", FIXTURE_TEXT, NULL, TRUE },
  { "general.seed", FIXTURE_INT, NULL, TRUE },
  { "general.step", FIXTURE_NULL_OR_INT, NULL, TRUE },
  { "general.consumed_train_samples", FIXTURE_NULL_OR_INT, NULL, TRUE },
  { "general.benchmark_csv_path", FIXTURE_TEXT, "null", TRUE },
  { "general.ignore_sanity_checks", FIXTURE_BOOL, NULL, TRUE },
  { "parallelism.dp", FIXTURE_INT, NULL, TRUE },
  { "parallelism.pp", FIXTURE_INT, NULL, TRUE },
  { "parallelism.tp", FIXTURE_INT, NULL, TRUE },
  { "parallelism.pp_engine", FIXTURE_TEXT, "1f1b|afab", TRUE },
  { "parallelism.tp_mode", FIXTURE_TEXT, "ALL_REDUCE|REDUCE_SCATTER", TRUE },
  { "parallelism.tp_linear_async_communication", FIXTURE_BOOL, NULL, TRUE },
  { "parallelism.recompute_layer", FIXTURE_BOOL, NULL, TRUE },
  { "parallelism.tp_recompute_allgather", FIXTURE_BOOL, NULL, TRUE },
  { "parallelism.expert_parallel_size", FIXTURE_INT, "1", TRUE },
  { "parallelism.context_parallel_size", FIXTURE_INT, "1", TRUE },
  { "model.dtype", FIXTURE_TEXT, "bfloat16", TRUE },
  { "model.ddp_bucket_cap_mb", FIXTURE_INT, NULL, TRUE },
  { "model.make_vocab_size_divisible_by", FIXTURE_INT, NULL, TRUE },
  { "model.init_method.std", FIXTURE_YAML_FLOAT, NULL, TRUE },
  { "tokens.sequence_length", FIXTURE_INT, NULL, TRUE },
  { "tokens.micro_batch_size", FIXTURE_INT, NULL, TRUE },
  { "tokens.batch_accumulation_per_replica", FIXTURE_INT, NULL, TRUE },
  { "tokens.train_steps", FIXTURE_INT, NULL, TRUE },
  { "tokens.val_check_interval", FIXTURE_INT, NULL, TRUE },
  { "tokens.limit_val_batches", FIXTURE_INT, NULL, TRUE },
  { "tokens.limit_test_batches", FIXTURE_INT, NULL, TRUE },
  { "optimizer.zero_stage", FIXTURE_INT, "0|1", TRUE },
  { "optimizer.weight_decay", FIXTURE_YAML_FLOAT, NULL, TRUE },
  { "optimizer.clip_grad", FIXTURE_YAML_FLOAT, NULL, TRUE },
  { "optimizer.accumulate_grad_in_fp32", FIXTURE_BOOL, NULL, TRUE },
  { "optimizer.optimizer_factory.name", FIXTURE_TEXT, "adamW|sgd", TRUE },
  { "optimizer.learning_rate_scheduler.learning_rate", FIXTURE_YAML_FLOAT, NULL, TRUE },
  { "optimizer.learning_rate_scheduler.lr_warmup_steps", FIXTURE_INT, NULL, TRUE },
  { "optimizer.learning_rate_scheduler.lr_warmup_style", FIXTURE_TEXT, "linear|constant", TRUE },
  { "optimizer.learning_rate_scheduler.lr_decay_style", FIXTURE_TEXT, "linear|cosine|1-sqrt",
    TRUE },
  { "optimizer.learning_rate_scheduler.lr_decay_steps", FIXTURE_INT, NULL, TRUE },
  { "optimizer.learning_rate_scheduler.lr_decay_starting_step", FIXTURE_NULL_OR_INT, NULL, TRUE },
  { "optimizer.learning_rate_scheduler.min_decay_lr", FIXTURE_YAML_FLOAT, NULL, TRUE },
  { "data_stages.0.name", FIXTURE_TEXT, NULL, TRUE },
  { "data_stages.0.start_training_step", FIXTURE_INT, "1", TRUE },
  { "data_stages.0.data.dataset", FIXTURE_TEXT, "null", TRUE },
  { "data_stages.0.data.num_loading_workers", FIXTURE_INT, NULL, TRUE },
  { "data_stages.0.data.seed", FIXTURE_INT, NULL, TRUE },
  { "tokenizer.tokenizer_name_or_path", FIXTURE_TEXT, "null", TRUE },
  { "tokenizer.tokenizer_revision", FIXTURE_TEXT, "null", TRUE },
  { "tokenizer.tokenizer_max_length", FIXTURE_NULL_OR_INT, NULL, TRUE },
  { "checkpoints.checkpoints_path", FIXTURE_TEXT, NULL, TRUE },
  { "checkpoints.checkpoint_interval", FIXTURE_INT, NULL, TRUE },
  { "checkpoints.checkpoints_path_is_shared_file_system", FIXTURE_BOOL, NULL, TRUE },
  { "checkpoints.resume_checkpoint_path", FIXTURE_TEXT, "null", TRUE },
  { "checkpoints.save_initial_state", FIXTURE_BOOL, NULL, TRUE },
  { "logging.log_level", FIXTURE_TEXT, "info", TRUE },
  { "logging.log_level_replica", FIXTURE_TEXT, "info", TRUE },
  { "logging.iteration_step_info_interval", FIXTURE_INT, NULL, TRUE },
  { "optimizer.optimizer_factory.adam_beta1", FIXTURE_YAML_FLOAT },
  { "optimizer.optimizer_factory.adam_beta2", FIXTURE_YAML_FLOAT },
  { "optimizer.optimizer_factory.adam_eps", FIXTURE_YAML_FLOAT },
  { "optimizer.optimizer_factory.torch_adam_is_fused", FIXTURE_BOOL },
  { M "bos_token_id", FIXTURE_INT, NULL, TRUE },
  { M "eos_token_id", FIXTURE_INT, NULL, TRUE },
  { M "pad_token_id", FIXTURE_NULL_OR_INT, NULL, TRUE },
  { M "hidden_act", FIXTURE_TEXT, "silu", TRUE },
  { M "hidden_size", FIXTURE_INT, NULL, TRUE },
  { M "intermediate_size", FIXTURE_INT, NULL, TRUE },
  { M "num_hidden_layers", FIXTURE_INT, NULL, TRUE },
  { M "num_attention_heads", FIXTURE_INT, NULL, TRUE },
  { M "num_key_value_heads", FIXTURE_INT, NULL, TRUE },
  { M "max_position_embeddings", FIXTURE_INT, NULL, TRUE },
  { M "rms_norm_eps", FIXTURE_YAML_FLOAT, NULL, TRUE },
  { M "rope_theta", FIXTURE_YAML_FLOAT, NULL, TRUE },
  { M "rope_scaling", FIXTURE_TEXT, "null", TRUE },
  { M "rope_interleaved", FIXTURE_BOOL, NULL, TRUE },
  { M "initializer_range", FIXTURE_YAML_FLOAT, NULL, TRUE },
  { M "tie_word_embeddings", FIXTURE_BOOL, NULL, TRUE },
  { M "use_cache", FIXTURE_BOOL, NULL, TRUE },
  { M "pretraining_tp", FIXTURE_INT, "1", TRUE },
  { M "vocab_size", FIXTURE_INT, NULL, TRUE },
};

/* What makes it one of the two models; a key that Llama lacks makes it fall through to Qwen2. */
static const FixtureRule llama_fields[] = {
  { M "is_llama_config", FIXTURE_BOOL, "true", TRUE },
};
static const FixtureRule qwen2_fields[] = {
  { M "is_qwen2_config", FIXTURE_BOOL, "true", TRUE },
  { M "attention_bias", FIXTURE_BOOL },
  { M "sliding_window_size", FIXTURE_INT },
  { M "moe_config.num_experts", FIXTURE_INT },
  { M "moe_config.top_k", FIXTURE_INT },
  { M "moe_config.moe_intermediate_size", FIXTURE_INT },
  { M "moe_config.shared_expert_intermediate_size", FIXTURE_INT },
  { M "moe_config.enable_shared_expert", FIXTURE_BOOL },
  { M "moe_config.layers.*", FIXTURE_INT },
};

static void
assert_fields (const char *text)
{
  g_autoptr (GHashTable) values = fixture_flatten_yaml (text);
  g_autoptr (GArray) rules = g_array_new (FALSE, FALSE, sizeof (FixtureRule));

  g_array_append_vals (rules, fields, G_N_ELEMENTS (fields));
  if (g_hash_table_contains (values, M "is_qwen2_config"))
    g_array_append_vals (rules, qwen2_fields, G_N_ELEMENTS (qwen2_fields));
  else
    g_array_append_vals (rules, llama_fields, G_N_ELEMENTS (llama_fields));
  fixture_check (values, (const FixtureRule *) rules->data, rules->len);
}

static void
assert_accepted (GHashTable *yaml, guint world)
{
  guint tp = fixture_yaml_number (yaml, "parallelism.tp");
  guint heads = fixture_yaml_number (yaml, M "num_attention_heads");
  guint kv_heads = fixture_yaml_number (yaml, M "num_key_value_heads");

  g_assert_cmpuint (tp * fixture_yaml_number (yaml, "parallelism.pp")
                        * fixture_yaml_number (yaml, "parallelism.dp"),
                    ==, world);
  g_assert_cmpuint (heads % tp, ==, 0);
  g_assert_cmpuint (kv_heads % tp, ==, 0);
  g_assert_cmpuint (heads % kv_heads, ==, 0);
}

static GHashTable *
write_nanotron (FixtureCase *self)
{
  const char *text = fixture_case_write (self, SHARDWISE_FORMAT_NANOTRON);

  assert_fields (text);
  return fixture_yaml (text);
}

static void
test_llama (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (GHashTable) yaml = NULL;

  fixture_case_init (&written, "llama-3-70b", 8, 4, 1);
  written.strategy.sequence_parallel = TRUE;
  yaml = write_nanotron (&written);

  assert_accepted (yaml, 32);
  g_assert_cmpuint (fixture_yaml_number (yaml, "tokens.micro_batch_size"), ==, 4);
  g_assert_cmpuint (fixture_yaml_number (yaml, "tokens.batch_accumulation_per_replica"), ==, 32);
  g_assert_cmpstr (g_hash_table_lookup (yaml, "parallelism.tp_mode"), ==, "REDUCE_SCATTER");
  g_assert_cmpstr (g_hash_table_lookup (yaml, "optimizer.optimizer_factory.adam_eps"), ==,
                   "1.0e-08");
  g_assert_cmpuint (fixture_yaml_number (yaml, "model.model_config.vocab_size"), ==, 128256);
  fixture_compare_with_golden (fixture_file (written.files, "nanotron.yaml"), "nanotron.yaml");
}

static void
test_qwen2 (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (GHashTable) yaml = NULL;

  fixture_case_init (&written, "qwen2-7b", 4, 1, 4);
  written.strategy.sequence_parallel = TRUE;
  written.strategy.recompute = SW_RECOMPUTE_FULL;
  yaml = write_nanotron (&written);

  assert_accepted (yaml, 16);
  g_assert_cmpstr (g_hash_table_lookup (yaml, "model.model_config.is_qwen2_config"), ==, "true");
  g_assert_cmpstr (g_hash_table_lookup (yaml, "model.model_config.attention_bias"), ==, "true");
  g_assert_cmpstr (g_hash_table_lookup (yaml, "parallelism.recompute_layer"), ==, "true");
}

static void
test_experts (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (GHashTable) yaml = NULL;

  fixture_case_init (&written, "mixtral-8x7b", 1, 4, 4);
  yaml = write_nanotron (&written);

  assert_accepted (yaml, 16);
  g_assert_cmpuint (fixture_yaml_number (yaml, "model.model_config.moe_config.num_experts"), ==, 8);
  g_assert_cmpuint (fixture_yaml_number (yaml, "model.model_config.moe_config.top_k"), ==, 2);
  g_assert_cmpstr (g_hash_table_lookup (yaml, M "rope_theta"), ==, "1000000.0");
  g_assert_cmpstr (g_hash_table_lookup (yaml, "model.model_config.moe_config.layers.31"), ==, "31");
  g_assert_false (g_hash_table_contains (yaml, "model.model_config.moe_config.layers.32"));
}

/* The layers of experts are counted from 0: all but the first, dense ones. */
static void
test_dense_layers (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (GHashTable) yaml = NULL;

  fixture_case_init (&written, "mixtral-8x7b", 1, 4, 4);
  written.problem.model.moe.first_dense_layers = 2;
  yaml = write_nanotron (&written);

  g_assert_cmpstr (g_hash_table_lookup (yaml, M "moe_config.layers.0"), ==, "2");
  g_assert_cmpstr (g_hash_table_lookup (yaml, M "moe_config.layers.29"), ==, "31");
  g_assert_false (g_hash_table_contains (yaml, M "moe_config.layers.30"));
}

/* The linear layers' communication overlaps with sequence parallelism only, and not where the user
 * wants none hidden. */
static void
test_asynchronous (void)
{
  for (guint i = 0; i < 4; i++)
    {
      g_auto (FixtureCase) written = { 0 };
      g_autoptr (GHashTable) yaml = NULL;

      fixture_case_init (&written, "llama-3-70b", 8, 4, 1);
      written.problem.training.overlap = (i & 1) != 0 ? SW_OVERLAP_NONE : SW_OVERLAP_AUTO;
      written.strategy.sequence_parallel = (i & 2) != 0;
      yaml = write_nanotron (&written);
      g_assert_cmpstr (g_hash_table_lookup (yaml, "parallelism.tp_linear_async_communication"), ==,
                       i == 2 ? "true" : "false");
    }
}

static void
test_random (void)
{
  static const char *const models[] = { "llama-3-8b", "mixtral-8x7b", "qwen2-7b", "llama-2-13b" };
  guint written = 0;

  for (guint i = 0; i < 1200; i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseExport) files = NULL;
      g_autoptr (GHashTable) yaml = NULL;

      fixture_problem (models[g_test_rand_int_range (0, G_N_ELEMENTS (models))], 32, &problem);
      problem.training.optimizer = (SwOptimizer) g_test_rand_int_range (0, SW_OPTIMIZER_SGD + 1);
      fixture_random_strategy (&problem, &strategy);
      files = fixture_write (SHARDWISE_FORMAT_NANOTRON, &problem, &strategy, &error);
      if (files == NULL)
        {
          g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
          continue;
        }
      written++;
      assert_fields (fixture_file (files, "nanotron.yaml"));
      yaml = fixture_yaml (fixture_file (files, "nanotron.yaml"));
      assert_accepted (yaml, 32);
      g_assert_cmpuint (fixture_yaml_number (yaml, "tokens.micro_batch_size")
                            * fixture_yaml_number (yaml, "tokens.batch_accumulation_per_replica")
                            * strategy.dp,
                        ==, 128);
    }

  g_test_message ("%u of 1200 were written", written);
  g_assert_cmpuint (written, >, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/nanotron/llama", test_llama);
  g_test_add_func ("/nanotron/qwen2", test_qwen2);
  g_test_add_func ("/nanotron/experts", test_experts);
  g_test_add_func ("/nanotron/dense-layers", test_dense_layers);
  g_test_add_func ("/nanotron/asynchronous", test_asynchronous);
  g_test_add_func ("/nanotron/random", test_random);

  return g_test_run ();
}
