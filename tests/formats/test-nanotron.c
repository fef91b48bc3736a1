/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export-fixture.h"

/* The fields of Nanotron 0.4's dataclasses that a file may hold; one unknown key anywhere is
 * refused. */
static const char *const fields[] = {
  "general.project",
  "general.run",
  "general.seed",
  "general.step",
  "general.consumed_train_samples",
  "general.benchmark_csv_path",
  "general.ignore_sanity_checks",
  "parallelism.dp",
  "parallelism.pp",
  "parallelism.tp",
  "parallelism.pp_engine",
  "parallelism.tp_mode",
  "parallelism.tp_linear_async_communication",
  "parallelism.recompute_layer",
  "parallelism.tp_recompute_allgather",
  "parallelism.expert_parallel_size",
  "parallelism.context_parallel_size",
  "model.dtype",
  "model.ddp_bucket_cap_mb",
  "model.make_vocab_size_divisible_by",
  "model.init_method.std",
  "tokens.sequence_length",
  "tokens.micro_batch_size",
  "tokens.batch_accumulation_per_replica",
  "tokens.train_steps",
  "tokens.val_check_interval",
  "tokens.limit_val_batches",
  "tokens.limit_test_batches",
  "optimizer.zero_stage",
  "optimizer.weight_decay",
  "optimizer.clip_grad",
  "optimizer.accumulate_grad_in_fp32",
  "optimizer.optimizer_factory.name",
  "optimizer.optimizer_factory.adam_beta1",
  "optimizer.optimizer_factory.adam_beta2",
  "optimizer.optimizer_factory.adam_eps",
  "optimizer.optimizer_factory.torch_adam_is_fused",
  "optimizer.learning_rate_scheduler.learning_rate",
  "optimizer.learning_rate_scheduler.lr_warmup_steps",
  "optimizer.learning_rate_scheduler.lr_warmup_style",
  "optimizer.learning_rate_scheduler.lr_decay_style",
  "optimizer.learning_rate_scheduler.lr_decay_steps",
  "optimizer.learning_rate_scheduler.lr_decay_starting_step",
  "optimizer.learning_rate_scheduler.min_decay_lr",
  "data_stages.0.name",
  "data_stages.0.start_training_step",
  "data_stages.0.data.dataset",
  "data_stages.0.data.num_loading_workers",
  "data_stages.0.data.seed",
  "tokenizer.tokenizer_name_or_path",
  "tokenizer.tokenizer_revision",
  "tokenizer.tokenizer_max_length",
  "checkpoints.checkpoints_path",
  "checkpoints.checkpoint_interval",
  "checkpoints.checkpoints_path_is_shared_file_system",
  "checkpoints.resume_checkpoint_path",
  "checkpoints.save_initial_state",
  "logging.log_level",
  "logging.log_level_replica",
  "logging.iteration_step_info_interval",
  NULL,
};
static const char *const llama_fields[] = {
  "bos_token_id",        "eos_token_id",
  "pad_token_id",        "hidden_act",
  "hidden_size",         "intermediate_size",
  "num_hidden_layers",   "num_attention_heads",
  "num_key_value_heads", "max_position_embeddings",
  "rms_norm_eps",        "rope_theta",
  "rope_scaling",        "rope_interleaved",
  "initializer_range",   "tie_word_embeddings",
  "use_cache",           "pretraining_tp",
  "vocab_size",          NULL,
};
static const char *const qwen2_fields[] = {
  "attention_bias",
  "sliding_window_size",
  "moe_config.num_experts",
  "moe_config.top_k",
  "moe_config.moe_intermediate_size",
  "moe_config.shared_expert_intermediate_size",
  "moe_config.enable_shared_expert",
  NULL,
};

/* dacite takes no integer and no string where a field is a float, and "1e-8" is a string to
 * YAML 1.1. */
static const char *const float_fields[] = {
  "model.init_method.std",
  "model.model_config.rms_norm_eps",
  "model.model_config.rope_theta",
  "model.model_config.initializer_range",
  "optimizer.weight_decay",
  "optimizer.clip_grad",
  "optimizer.learning_rate_scheduler.learning_rate",
  "optimizer.learning_rate_scheduler.min_decay_lr",
  NULL,
};

static gboolean
is_known (const char *path, gboolean qwen2)
{
  const char *field;

  if (g_strv_contains (fields, path))
    return TRUE;
  if (!g_str_has_prefix (path, "model.model_config."))
    return FALSE;

  field = path + strlen ("model.model_config.");
  if (g_str_equal (field, qwen2 ? "is_qwen2_config" : "is_llama_config"))
    return TRUE;
  if (qwen2
      && (g_strv_contains (qwen2_fields, field) || g_str_has_prefix (field, "moe_config.layers.")))
    return TRUE;

  return g_strv_contains (llama_fields, field);
}

static void
assert_accepted (GHashTable *yaml, guint world)
{
  gboolean qwen2 = g_hash_table_contains (yaml, "model.model_config.is_qwen2_config");
  guint tp = fixture_yaml_number (yaml, "parallelism.tp");
  guint heads = fixture_yaml_number (yaml, "model.model_config.num_attention_heads");
  guint kv_heads = fixture_yaml_number (yaml, "model.model_config.num_key_value_heads");
  GHashTableIter iter;
  gpointer path;

  g_hash_table_iter_init (&iter, yaml);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    if (!is_known (path, qwen2))
      g_error ("Nanotron has no field %s", (const char *)path);

  for (guint i = 0; float_fields[i] != NULL; i++)
    g_assert_true (g_regex_match_simple ("^[0-9]+\\.[0-9]+(e[-+][0-9]+)?$",
                                         g_hash_table_lookup (yaml, float_fields[i]), 0, 0));

  g_assert_cmpuint (tp * fixture_yaml_number (yaml, "parallelism.pp")
                        * fixture_yaml_number (yaml, "parallelism.dp"),
                    ==, world);
  g_assert_cmpstr (g_hash_table_lookup (yaml, "parallelism.expert_parallel_size"), ==, "1");
  g_assert_cmpstr (g_hash_table_lookup (yaml, "parallelism.context_parallel_size"), ==, "1");
  g_assert_cmpuint (heads % tp, ==, 0);
  g_assert_cmpuint (kv_heads % tp, ==, 0);
  g_assert_cmpuint (heads % kv_heads, ==, 0);
  g_assert_cmpuint (fixture_yaml_number (yaml, "optimizer.zero_stage"), <=, 1);
}

static GHashTable *
write_nanotron (const SwProblem *problem, const SwStrategy *strategy, ShardwiseExport **files)
{
  g_autoptr (GError) error = NULL;

  *files = fixture_write (SHARDWISE_FORMAT_NANOTRON, problem, strategy, &error);
  g_assert_no_error (error);
  return fixture_yaml (fixture_file (*files, "nanotron.yaml"));
}

static void
test_llama (void)
{
  SwProblem problem;
  SwStrategy strategy;
  g_autoptr (ShardwiseExport) files = NULL;
  g_autoptr (GHashTable) yaml = NULL;

  fixture_problem ("llama-3-70b", 32, &problem);
  fixture_strategy (8, 4, 1, &strategy);
  strategy.sequence_parallel = TRUE;
  yaml = write_nanotron (&problem, &strategy, &files);

  assert_accepted (yaml, 32);
  g_assert_cmpuint (fixture_yaml_number (yaml, "tokens.micro_batch_size"), ==, 4);
  g_assert_cmpuint (fixture_yaml_number (yaml, "tokens.batch_accumulation_per_replica"), ==, 32);
  g_assert_cmpstr (g_hash_table_lookup (yaml, "parallelism.tp_mode"), ==, "REDUCE_SCATTER");
  g_assert_cmpstr (g_hash_table_lookup (yaml, "optimizer.optimizer_factory.adam_eps"), ==,
                   "1.0e-08");
  g_assert_cmpuint (fixture_yaml_number (yaml, "model.model_config.vocab_size"), ==, 128256);
  fixture_compare_with_golden (fixture_file (files, "nanotron.yaml"), "nanotron.yaml");
}

static void
test_qwen2 (void)
{
  SwProblem problem;
  SwStrategy strategy;
  g_autoptr (ShardwiseExport) files = NULL;
  g_autoptr (GHashTable) yaml = NULL;

  fixture_problem ("qwen2-7b", 16, &problem);
  fixture_strategy (4, 1, 4, &strategy);
  strategy.sequence_parallel = TRUE;
  strategy.recompute = SW_RECOMPUTE_FULL;
  yaml = write_nanotron (&problem, &strategy, &files);

  assert_accepted (yaml, 16);
  g_assert_cmpstr (g_hash_table_lookup (yaml, "model.model_config.is_qwen2_config"), ==, "true");
  g_assert_cmpstr (g_hash_table_lookup (yaml, "model.model_config.attention_bias"), ==, "true");
  g_assert_cmpstr (g_hash_table_lookup (yaml, "parallelism.recompute_layer"), ==, "true");
}

static void
test_experts (void)
{
  SwProblem problem;
  SwStrategy strategy;
  g_autoptr (ShardwiseExport) files = NULL;
  g_autoptr (GHashTable) yaml = NULL;

  fixture_problem ("mixtral-8x7b", 16, &problem);
  fixture_strategy (1, 4, 4, &strategy);
  yaml = write_nanotron (&problem, &strategy, &files);

  assert_accepted (yaml, 16);
  g_assert_cmpuint (fixture_yaml_number (yaml, "model.model_config.moe_config.num_experts"), ==, 8);
  g_assert_cmpuint (fixture_yaml_number (yaml, "model.model_config.moe_config.top_k"), ==, 2);
  g_assert_cmpstr (g_hash_table_lookup (yaml, "model.model_config.moe_config.layers.31"), ==, "31");
  g_assert_false (g_hash_table_contains (yaml, "model.model_config.moe_config.layers.32"));
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
      problem.training.optimizer = (SwOptimizer)g_test_rand_int_range (0, SW_OPTIMIZER_SGD + 1);
      fixture_random_strategy (&problem, &strategy);
      files = fixture_write (SHARDWISE_FORMAT_NANOTRON, &problem, &strategy, &error);
      if (files == NULL)
        {
          g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
          continue;
        }
      written++;
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
  g_test_add_func ("/nanotron/random", test_random);

  return g_test_run ();
}
