/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules-fixture.h"

/* The keys of Accelerate 1.15's ClusterConfig, a closed list, and the launcher options that nested
 * keys are copied onto: without the section's prefix they would be dropped without a word. */
static const FixtureRule keys[] = {
  { "compute_environment", FIXTURE_TEXT, "LOCAL_MACHINE", TRUE },
  { "distributed_type", FIXTURE_TEXT, "NO|MULTI_GPU|FSDP|DEEPSPEED|MEGATRON_LM", TRUE },
  { "mixed_precision", FIXTURE_TEXT, "no|fp16|bf16|fp8", TRUE },
  { "num_machines", FIXTURE_INT, NULL, TRUE },
  { "num_processes", FIXTURE_INT, NULL, TRUE },
  { "machine_rank", FIXTURE_INT },
  { "rdzv_backend", FIXTURE_TEXT, "static|c10d" },
  { "same_network", FIXTURE_BOOL },
  { "main_training_function", FIXTURE_TEXT },
  { "downcast_bf16", FIXTURE_TEXT, "no" },
  { "use_cpu", FIXTURE_BOOL },
  { "debug", FIXTURE_BOOL },
  { "enable_cpu_affinity", FIXTURE_BOOL },
  { "fsdp_config.fsdp_version", FIXTURE_INT, "1|2" },
  { "fsdp_config.fsdp_reshard_after_forward", FIXTURE_BOOL },
  { "fsdp_config.fsdp_sharding_strategy", FIXTURE_TEXT,
    "FULL_SHARD|SHARD_GRAD_OP|NO_SHARD|HYBRID_SHARD|HYBRID_SHARD_ZERO2" },
  { "fsdp_config.fsdp_auto_wrap_policy", FIXTURE_TEXT,
    "TRANSFORMER_BASED_WRAP|SIZE_BASED_WRAP|NO_WRAP" },
  { "fsdp_config.fsdp_transformer_layer_cls_to_wrap", FIXTURE_TEXT },
  { "fsdp_config.fsdp_backward_prefetch", FIXTURE_TEXT, "BACKWARD_PRE|BACKWARD_POST|NO_PREFETCH" },
  { "fsdp_config.fsdp_forward_prefetch", FIXTURE_BOOL },
  { "fsdp_config.fsdp_use_orig_params", FIXTURE_BOOL },
  { "fsdp_config.fsdp_sync_module_states", FIXTURE_BOOL },
  { "fsdp_config.fsdp_state_dict_type", FIXTURE_TEXT, "FULL_STATE_DICT|SHARDED_STATE_DICT" },
  { "fsdp_config.fsdp_cpu_ram_efficient_loading", FIXTURE_BOOL },
  { "fsdp_config.fsdp_offload_params", FIXTURE_BOOL },
  { "fsdp_config.fsdp_activation_checkpointing", FIXTURE_BOOL },
  { "dynamo_config.dynamo_backend", FIXTURE_TEXT, "INDUCTOR" },
  { "dynamo_config.dynamo_use_regional_compilation", FIXTURE_BOOL },
  { "parallelism_config.parallelism_config_dp_replicate_size", FIXTURE_INT },
  { "parallelism_config.parallelism_config_dp_shard_size", FIXTURE_INT },
  { "parallelism_config.parallelism_config_tp_size", FIXTURE_INT },
  { "parallelism_config.parallelism_config_cp_size", FIXTURE_INT },
  { "parallelism_config.parallelism_config_cp_backend", FIXTURE_TEXT, "torch" },
  { "parallelism_config.parallelism_config_cp_comm_strategy", FIXTURE_TEXT, "allgather|alltoall" },
  { "deepspeed_config.zero_stage", FIXTURE_INT, "0|1|2|3" },
  { "deepspeed_config.gradient_accumulation_steps", FIXTURE_INT },
  { "deepspeed_config.gradient_clipping", FIXTURE_FLOAT },
  { "deepspeed_config.offload_optimizer_device", FIXTURE_TEXT, "none|cpu|nvme" },
  { "deepspeed_config.offload_param_device", FIXTURE_TEXT, "none|cpu|nvme" },
  { "deepspeed_config.offload_optimizer_nvme_path", FIXTURE_TEXT },
  { "deepspeed_config.offload_param_nvme_path", FIXTURE_TEXT },
  { "deepspeed_config.zero3_init_flag", FIXTURE_BOOL },
  { "deepspeed_config.zero3_save_16bit_model", FIXTURE_BOOL },
  { "deepspeed_config.deepspeed_multinode_launcher", FIXTURE_TEXT,
    "pdsh|standard|openmpi|mvapich|mpich|slurm|nossh" },
  { "megatron_lm_config.megatron_lm_tp_degree", FIXTURE_INT },
  { "megatron_lm_config.megatron_lm_pp_degree", FIXTURE_INT },
  { "megatron_lm_config.megatron_lm_num_micro_batches", FIXTURE_INT },
  { "megatron_lm_config.megatron_lm_context_parallel_size", FIXTURE_INT },
  { "megatron_lm_config.megatron_lm_sequence_parallelism", FIXTURE_BOOL },
  { "megatron_lm_config.megatron_lm_use_distributed_optimizer", FIXTURE_BOOL },
  { "megatron_lm_config.megatron_lm_recompute_granularity", FIXTURE_TEXT, "full" },
  { "megatron_lm_config.megatron_lm_recompute_method", FIXTURE_TEXT, "uniform|block" },
  { "megatron_lm_config.megatron_lm_recompute_num_layers", FIXTURE_INT },
  { "megatron_lm_config.megatron_lm_use_precision_aware_optimizer", FIXTURE_BOOL },
  { "megatron_lm_config.megatron_lm_optimizer_cpu_offload", FIXTURE_BOOL },
  { "megatron_lm_config.megatron_lm_gradient_clipping", FIXTURE_FLOAT },
};

static gboolean
has_section (GHashTable *values, const char *prefix)
{
  GHashTableIter iter;
  gpointer path;

  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    if (g_str_has_prefix (path, prefix))
      return TRUE;

  return FALSE;
}

#define MESH "parallelism_config.parallelism_config_"

static void
assert_valid_fsdp (GHashTable *v, const SwStrategy *s, guint world)
{
  gboolean two = fixture_number (v, "fsdp_config.fsdp_version", 0) == 2;
  guint replicas = fixture_number (v, MESH "dp_replicate_size", 1);
  guint shards = fixture_number (v, MESH "dp_shard_size", world);
  guint tp = fixture_number (v, MESH "tp_size", 1), cp = fixture_number (v, MESH "cp_size", 1);

  /* The prediction is of compiled runs; FSDP 2 can be compiled layer by layer only. */
  g_assert_cmpstr (fixture_text (v, "dynamo_config.dynamo_backend"), ==, "INDUCTOR");
  g_assert_cmpstr (fixture_text (v, "dynamo_config.dynamo_use_regional_compilation"), ==,
                   two ? "true" : "false");
  if (!two)
    {
      g_assert_false (has_section (v, "parallelism_config."));
      g_assert_cmpstr (fixture_text (v, "fsdp_config.fsdp_sync_module_states"), ==, "true");
      g_assert_false (g_hash_table_contains (v, "fsdp_config.fsdp_reshard_after_forward"));
      return;
    }
  g_assert_cmpuint (replicas * shards * tp * cp, ==, world);
  g_assert_cmpuint (tp, ==, s->tp);
  g_assert_cmpuint (cp, ==, s->cp);
  g_assert_cmpuint (replicas, ==, s->dp / s->shard_group);
  if (tp > 1 || cp > 1)
    g_assert_false (replicas > 1 && shards == 1);
  g_assert_false (g_hash_table_contains (v, "fsdp_config.fsdp_sharding_strategy"));
  g_assert_false (g_hash_table_contains (v, "fsdp_config.fsdp_forward_prefetch"));
  g_assert_true (g_str_equal (fixture_text (v, "fsdp_config.fsdp_reshard_after_forward"), "true")
                 == (s->zero_stage == 3));
}

static void
assert_valid_megatron (GHashTable *v, const FixtureCase *written, guint world)
{
#define M "megatron_lm_config.megatron_lm_"
  const SwStrategy *s = &written->strategy;
  guint tp = fixture_number (v, M "tp_degree", 0), pp = fixture_number (v, M "pp_degree", 0);
  guint cp = fixture_number (v, M "context_parallel_size", 1);

  g_assert_cmpuint (world % (tp * pp * cp), ==, 0);
  g_assert_cmpuint (world / (tp * pp * cp), ==, s->dp);
  g_assert_cmpuint (written->problem.model.layers % pp, ==, 0);
  g_assert_cmpuint (tp, ==, s->tp);
  g_assert_cmpuint (pp, ==, s->pp);
  g_assert_cmpuint (fixture_number (v, M "num_micro_batches", 0) * s->micro_batch * s->dp, ==, 128);
  /* Without them MegatronLMPlugin takes full, uniform recomputation and CP 2, and Megatron-LM
   * refuses a method beside the granularity "selective". */
  g_assert_true (g_hash_table_contains (v, M "context_parallel_size"));
  g_assert_cmpstr (fixture_text (v, M "recompute_granularity"), ==, "full");
  g_assert_cmpstr (fixture_text (v, M "recompute_method"), ==,
                   s->recompute == SW_RECOMPUTE_FULL ? "uniform" : "block");
  g_assert_cmpuint (fixture_number (v, M "recompute_num_layers", 0), ==,
                    s->recompute == SW_RECOMPUTE_FULL ? 1 : s->full_layers);
  if (g_hash_table_contains (v, M "optimizer_cpu_offload"))
    g_assert_true (g_hash_table_contains (v, M "use_precision_aware_optimizer"));
#undef M
}

static void
assert_accepted (GHashTable *v, const FixtureCase *written)
{
  const SwStrategy *s = &written->strategy;
  const char *type = fixture_text (v, "distributed_type");
  guint world = fixture_number (v, "num_processes", 0);

  fixture_check (v, keys, G_N_ELEMENTS (keys));
  /* The total over all machines. */
  g_assert_cmpuint (world, ==, s->tp * s->pp * s->cp * s->dp);
  g_assert_cmpuint (world % fixture_number (v, "num_machines", 0), ==, 0);
  g_assert_true (has_section (v, "fsdp_config.") == g_str_equal (type, "FSDP"));
  g_assert_true (has_section (v, "deepspeed_config.") == g_str_equal (type, "DEEPSPEED"));
  g_assert_true (has_section (v, "megatron_lm_config.") == g_str_equal (type, "MEGATRON_LM"));
  if (g_str_equal (type, "FSDP"))
    assert_valid_fsdp (v, s, world);
  else if (g_str_equal (type, "MEGATRON_LM"))
    assert_valid_megatron (v, written, world);
  else
    {
      g_assert_cmpuint (s->tp * s->pp * s->cp * s->ep, ==, 1);
      g_assert_cmpuint (fixture_number (v, "deepspeed_config.zero_stage", 9), ==, s->zero_stage);
      g_assert_cmpuint (fixture_number (v, "deepspeed_config.gradient_accumulation_steps", 0)
                            * s->micro_batch * s->dp,
                        ==, 128);
      if (g_str_equal (fixture_text (v, "deepspeed_config.offload_param_device"), "cpu"))
        g_assert_cmpuint (s->zero_stage, ==, 3);
    }
}

static void
test_routes (void)
{
  static const struct {
    guint tp, pp, dp, zero;
    SwFramework framework;
    const char *type;
  } cases[] = {
    { 8, 1, 4, 3, SW_FRAMEWORK_FSDP2, "FSDP" },
    { 1, 1, 32, 2, SW_FRAMEWORK_DEEPSPEED, "DEEPSPEED" },
    { 8, 4, 1, 1, SW_FRAMEWORK_MEGATRON_CORE, "MEGATRON_LM" },
    /* Nanotron is no route: the first that runs it is taken. */
    { 8, 4, 1, 1, SW_FRAMEWORK_NANOTRON, "MEGATRON_LM" },
    { 1, 1, 32, 1, SW_FRAMEWORK_FSDP2, "DEEPSPEED|MEGATRON_LM" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      FixtureCase written;
      g_autoptr (ShardwiseExport) files = NULL;
      g_autoptr (GHashTable) values = NULL;

      fixture_problem ("llama-3-70b", 32, &written.problem);
      fixture_strategy (cases[i].tp, cases[i].pp, cases[i].dp, &written.strategy);
      written.strategy.zero_stage = (guint8) cases[i].zero;
      written.strategy.framework = (guint8) cases[i].framework;
      if (cases[i].pp > 1)
        written.strategy.recompute = SW_RECOMPUTE_FULL;
      files = fixture_written (SHARDWISE_FORMAT_ACCELERATE, &written.problem, &written.strategy);
      written.strategy = files->estimate.strategy;
      values = fixture_flatten_yaml (fixture_file (files, "accelerate.yaml"));
      assert_accepted (values, &written);
      g_assert_nonnull (strstr (cases[i].type, fixture_text (values, "distributed_type")));
    }
}

/* A family's prefix that is another family's start: gemma-2b is no Gemma 2. */
static void
test_layer_classes (void)
{
  static const char *const cases[][2] = {
    { "gemma-2b", "GemmaDecoderLayer" },
    { "gemma-2-2b", "Gemma2DecoderLayer" },
    { "smollm2-1.7b", "LlamaDecoderLayer" },
    { "smollm3-3b", "SmolLM3DecoderLayer" },
    { "qwen3-8b", "Qwen3DecoderLayer" },
    { "qwen3-30b-a3b", "Qwen3MoeDecoderLayer" },
    { "qwen3-next-80b-a3b", "Qwen3NextDecoderLayer" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      g_autoptr (ShardwiseExport) files = NULL;
      g_autoptr (GHashTable) values = NULL;

      fixture_problem (cases[i][0], 32, &problem);
      fixture_strategy (1, 1, 32, &strategy);
      strategy.zero_stage = 3;
      strategy.framework = SW_FRAMEWORK_FSDP2;
      files = fixture_written (SHARDWISE_FORMAT_ACCELERATE, &problem, &strategy);
      values = fixture_flatten_yaml (fixture_file (files, "accelerate.yaml"));
      g_assert_cmpstr (fixture_text (values, "fsdp_config.fsdp_transformer_layer_cls_to_wrap"), ==,
                       cases[i][1]);
    }
}

static void
test_refused (void)
{
  SwProblem problem;
  SwStrategy strategy;

  /* No route has both experts apart and a pipeline. */
  fixture_problem ("mixtral-8x7b", 32, &problem);
  fixture_strategy (1, 1, 32, &strategy);
  strategy.framework = SW_FRAMEWORK_FSDP2;
  strategy.zero_stage = 3;
  strategy.ep = 8;
  fixture_assert_refused (SHARDWISE_FORMAT_ACCELERATE, &problem, &strategy, "strategy.ep");
  fixture_problem ("llama-3-70b", 32, &problem);
  fixture_strategy (4, 4, 2, &strategy);
  strategy.framework = SW_FRAMEWORK_FSDP2;
  strategy.zero_stage = 3;
  fixture_assert_refused (SHARDWISE_FORMAT_ACCELERATE, &problem, &strategy, "strategy.pp");
}

static void
test_random (void)
{
  static const char *const models[] = { "llama-3-8b", "llama-3-70b", "mixtral-8x7b",
                                        "gpt3-6.7b",  "qwen2-7b",    NULL };
  g_autoptr (GPtrArray) cases = fixture_random_cases (SHARDWISE_FORMAT_ACCELERATE, models, 3000);

  g_assert_cmpuint (cases->len, >, 100);
  for (guint i = 0; i < cases->len; i++)
    {
      const FixtureCase *written = cases->pdata[i];
      g_autoptr (GHashTable) values =
          fixture_flatten_yaml (fixture_file (written->files, "accelerate.yaml"));

      assert_accepted (values, written);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/accelerate/routes", test_routes);
  g_test_add_func ("/accelerate/layer-classes", test_layer_classes);
  g_test_add_func ("/accelerate/refused", test_refused);
  g_test_add_func ("/accelerate/random", test_random);

  return g_test_run ();
}
