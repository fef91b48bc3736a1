/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules-fixture.h"

#include "shardwise-json.h"

/* The keys that DeepSpeed 0.19.6 reads, with the types and choices of its getters and of its
 * pydantic sections: others it drops at the top level without a word, and refuses in the
 * sections. */
static const FixtureRule keys[] = {
  { "train_batch_size", FIXTURE_INT },
  { "train_micro_batch_size_per_gpu", FIXTURE_INT, NULL, TRUE },
  { "gradient_accumulation_steps", FIXTURE_INT, NULL, TRUE },
  { "gradient_clipping", FIXTURE_FLOAT },
  { "steps_per_print", FIXTURE_INT },
  { "wall_clock_breakdown", FIXTURE_BOOL },
  { "data_parallel_size", FIXTURE_INT },
  { "sequence_parallel_size", FIXTURE_INT },
  { "zero_allow_untested_optimizer", FIXTURE_BOOL },
  { "bf16.enabled", FIXTURE_BOOL, "true" },
  { "fp16.enabled", FIXTURE_BOOL, "true" },
  { "data_types.grad_accum_dtype", FIXTURE_TEXT, "fp32|fp16|bf16" },
  { "zero_optimization.reduce_scatter", FIXTURE_BOOL },
  { "zero_optimization.stage", FIXTURE_INT, "0|1|2|3", TRUE },
  { "zero_optimization.overlap_comm", FIXTURE_BOOL },
  { "zero_optimization.contiguous_gradients", FIXTURE_BOOL },
  { "zero_optimization.reduce_bucket_size", FIXTURE_INT },
  { "zero_optimization.allgather_bucket_size", FIXTURE_INT },
  { "zero_optimization.stage3_gather_16bit_weights_on_model_save", FIXTURE_BOOL },
  { "zero_optimization.mics_shard_size", FIXTURE_INT },
  { "zero_optimization.offload_optimizer.device", FIXTURE_TEXT, "none|cpu|nvme" },
  { "zero_optimization.offload_optimizer.nvme_path", FIXTURE_TEXT },
  { "zero_optimization.offload_optimizer.pin_memory", FIXTURE_BOOL },
  { "zero_optimization.offload_param.device", FIXTURE_TEXT, "none|cpu|nvme" },
  { "zero_optimization.offload_param.nvme_path", FIXTURE_TEXT },
  { "zero_optimization.offload_param.pin_memory", FIXTURE_BOOL },
  { "tensor_parallel.autotp_size", FIXTURE_INT },
  { "tensor_parallel.preset_model", FIXTURE_TEXT,
    "llama|bloom|chatglm|mixtral|deepseek_v2|qwen2|phi3" },
  { "tensor_parallel.tp_overlap_comm", FIXTURE_BOOL },
  { "expert_parallel.enabled", FIXTURE_BOOL, "true" },
  { "expert_parallel.autoep_size", FIXTURE_INT },
  { "expert_parallel.preset_model", FIXTURE_TEXT, "mixtral|qwen3_moe|deepseek_v2|deepseek_v3" },
  { "activation_checkpointing.partition_activations", FIXTURE_BOOL },
  { "activation_checkpointing.cpu_checkpointing", FIXTURE_BOOL },
  { "activation_checkpointing.contiguous_memory_optimization", FIXTURE_BOOL },
  { "activation_checkpointing.synchronize_checkpoint_boundary", FIXTURE_BOOL },
  { "pipeline.activation_checkpoint_interval", FIXTURE_INT },
  { "pipeline.pipe_partitioned", FIXTURE_BOOL },
  { "pipeline.grad_partitioned", FIXTURE_BOOL },
  { "optimizer.type", FIXTURE_TEXT, "AdamW|Muon|SGD" },
  { "optimizer.params.lr", FIXTURE_FLOAT },
  { "optimizer.params.betas", FIXTURE_LIST },
  { "optimizer.params.eps", FIXTURE_FLOAT },
  { "optimizer.params.weight_decay", FIXTURE_FLOAT },
  { "optimizer.params.momentum", FIXTURE_FLOAT },
  { "optimizer.params.muon_lr", FIXTURE_FLOAT },
  { "optimizer.params.adam_lr", FIXTURE_FLOAT },
  { "scheduler.type", FIXTURE_TEXT, "WarmupCosineLR" },
  { "scheduler.params.total_num_steps", FIXTURE_INT },
  { "scheduler.params.warmup_num_steps", FIXTURE_INT },
  { "scheduler.params.cos_min_ratio", FIXTURE_FLOAT },
};

static gint64
number (JsonObject *object, const char *name)
{
  return json_object_get_int_member_with_default (object, name, 0);
}

/* What DeepSpeed enforces when it reads the file: the batch over the data-parallel ranks that it
 * counts, exactly one precision, what goes with a stage of ZeRO and with a pipeline. */
static void
assert_accepted (const char *text, const SwStrategy *s)
{
#define Z "zero_optimization."
  g_autoptr (GHashTable) v = fixture_flatten_json (text);
  guint stage;

  fixture_check (v, keys, G_N_ELEMENTS (keys));
  stage = fixture_number (v, Z "stage", 9);
  g_assert_true (g_hash_table_contains (v, "bf16.enabled")
                 != g_hash_table_contains (v, "fp16.enabled"));
  if (g_hash_table_contains (v, "train_batch_size"))
    g_assert_cmpuint (fixture_number (v, "train_batch_size", 0), ==,
                      fixture_number (v, "train_micro_batch_size_per_gpu", 0)
                          * fixture_number (v, "gradient_accumulation_steps", 0) * s->dp);
  /* With AutoTP alone it counts all ranks. */
  g_assert_true (g_hash_table_contains (v, "train_batch_size") == (s->tp == 1 || s->pp > 1));
  g_assert_true (g_hash_table_contains (v, "data_parallel_size") == (s->cp > 1));
  if (s->cp > 1)
    g_assert_cmpuint (fixture_number (v, "data_parallel_size", 0)
                          * fixture_number (v, "sequence_parallel_size", 0),
                      ==, s->dp * s->cp);
  g_assert_cmpuint (fixture_number (v, "tensor_parallel.autotp_size", 1), ==,
                    s->pp > 1 ? 1 : s->tp);
  g_assert_cmpuint (fixture_number (v, "expert_parallel.autoep_size", 1), ==, s->ep);
  g_assert_true (g_hash_table_contains (v, "pipeline.pipe_partitioned") == (s->pp > 1));
  g_assert_cmpuint (stage, <=, s->pp > 1 ? 1 : 3);
  if (g_hash_table_contains (v, Z "offload_param.device"))
    g_assert_cmpuint (stage, ==, 3);
  if (g_hash_table_contains (v, Z "offload_optimizer.device"))
    g_assert_cmpuint (stage, >, 0);
  if (g_hash_table_contains (v, Z "mics_shard_size"))
    {
      g_assert_cmpuint (stage, ==, 3);
      g_assert_cmpuint (fixture_number (v, Z "mics_shard_size", 0), ==, s->shard_group);
    }
  /* "unsupported mix of model_dtype and grad_accum_dtype" without ZeRO */
  g_assert_false (stage == 0 && g_hash_table_contains (v, "data_types.grad_accum_dtype"));
#undef Z
}

static JsonObject *
write_json (FixtureCase *self, JsonNode **root)
{
  const char *text = fixture_case_write (self, SHARDWISE_FORMAT_DEEPSPEED);
  g_autoptr (GError) error = NULL;

  *root = shardwise_json_parse (text, strlen (text), &error);
  g_assert_no_error (error);
  return json_node_get_object (*root);
}

static void
test_pipeline (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object;

  fixture_case_init (&written, "llama-3-70b", 8, 4, 1);
  object = write_json (&written, &root);

  g_assert_cmpint (number (object, "train_batch_size"), ==, 128);
  g_assert_cmpint (number (object, "train_micro_batch_size_per_gpu"), ==, 4);
  g_assert_cmpint (number (object, "gradient_accumulation_steps"), ==, 32);
  assert_accepted (fixture_file (written.files, "ds_config.json"), &written.strategy);
  fixture_compare_with_golden (fixture_file (written.files, "ds_config.json"), "deepspeed-3d.json");
  fixture_compare_with_golden (fixture_file (written.files, "ds_setup.py"), "deepspeed-3d.py");
}

/* partition_method "type:" counts the embedding and the head where they even out the stages: 126
 * layers in 8 stages. */
static void
test_ends_count (void)
{
  g_auto (FixtureCase) written = { 0 };
  const char *text;

  fixture_case_init (&written, "llama-3.1-405b", 8, 8, 1);
  fixture_case_write (&written, SHARDWISE_FORMAT_DEEPSPEED);
  text = fixture_file (written.files, "ds_setup.py");
  g_assert_nonnull (strstr (text, "def build_engine(layers, loss_fn, layer_class, end_classes, "));
  g_assert_nonnull (strstr (text, "partition_method=f\"type:{layer_class}|{end_classes}\""));
}

static void
test_autotp (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object, *tensor;

  fixture_case_init (&written, "llama-3-70b", 8, 1, 4);
  object = write_json (&written, &root);
  tensor = json_object_get_object_member (object, "tensor_parallel");

  /* DeepSpeed would count 32 data-parallel ranks and refuse 128. */
  g_assert_false (json_object_has_member (object, "train_batch_size"));
  g_assert_cmpint (number (object, "gradient_accumulation_steps"), ==, 8);
  g_assert_cmpint (number (tensor, "autotp_size"), ==, 8);
  g_assert_cmpstr (json_object_get_string_member (tensor, "preset_model"), ==, "llama");
  assert_accepted (fixture_file (written.files, "ds_config.json"), &written.strategy);
}

static void
test_zero3_offload (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *zero;

  fixture_case_init (&written, "llama-3-70b", 1, 1, 32);
  written.strategy.zero_stage = 3;
  written.strategy.offload = SW_OFFLOAD_OPTIMIZER_PARAMS;
  written.strategy.recompute = SW_RECOMPUTE_FULL;
  zero = json_object_get_object_member (write_json (&written, &root), "zero_optimization");

  g_assert_cmpint (number (zero, "stage"), ==, 3);
  g_assert_cmpstr (json_object_get_string_member (
                       json_object_get_object_member (zero, "offload_param"), "device"),
                   ==, "cpu");
  /* JSON cannot switch recomputation on. */
  g_assert_nonnull (
      strstr (fixture_file (written.files, "ds_setup.py"), "gradient_checkpointing_enable("));
}

static void
test_ulysses (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object;

  fixture_case_init (&written, "llama-3-8b", 1, 1, 8);
  fixture_problem ("llama-3-8b", 32, &written.problem);
  written.strategy.cp = 4;
  written.strategy.cp_method = SW_CP_ULYSSES;
  written.strategy.zero_stage = 3;
  object = write_json (&written, &root);

  g_assert_cmpint (number (object, "data_parallel_size"), ==, 8);
  g_assert_cmpint (number (object, "sequence_parallel_size"), ==, 4);
  g_assert_cmpint (number (object, "train_batch_size"), ==, 128);
}

/* ZeRO 3 with a pipeline is lowered if a rule of thumb chose it, and rejected if the user asked for
 * it. */
static void
test_lowered_zero (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object;

  fixture_case_init (&written, "llama-3-70b", 8, 4, 2);
  written.strategy.zero_stage = 3;
  object = write_json (&written, &root);
  g_assert_cmpint (number (json_object_get_object_member (object, "zero_optimization"), "stage"),
                   ==, 1);
  g_assert_nonnull (
      strstr (shardwise_export_note_text (written.files->not_expressed, 0), "ZeRO 3"));
  g_assert_cmpuint (written.files->estimate.strategy.zero_stage, ==, 1);

  written.problem.pins.mask |= 1u << SW_DIM_ZERO;
  fixture_assert_refused (SHARDWISE_FORMAT_DEEPSPEED, &written.problem, &written.strategy,
                          "strategy.zero_stage");
}

/* Left out where another framework had it, refused where it was asked for. */
static void
test_sequence_parallel (void)
{
  g_auto (FixtureCase) written = { 0 };

  fixture_case_init (&written, "llama-3-70b", 8, 4, 1);
  written.strategy.sequence_parallel = TRUE;
  fixture_case_write (&written, SHARDWISE_FORMAT_DEEPSPEED);
  g_assert_false (written.files->estimate.strategy.sequence_parallel);
  g_assert_nonnull (
      strstr (shardwise_export_note_text (written.files->not_expressed, 0), "omitted"));

  written.problem.pins.mask |= 1u << SW_DIM_SP;
  fixture_assert_refused (SHARDWISE_FORMAT_DEEPSPEED, &written.problem, &written.strategy,
                          "strategy.sequence_parallel");
}

/* With one replica the file asks for ZeRO 1, so that gradients are summed in fp32. */
static void
test_one_replica (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object;

  fixture_case_init (&written, "llama-3-70b", 8, 4, 1);
  written.strategy.zero_stage = 0;
  object = write_json (&written, &root);
  g_assert_cmpint (number (json_object_get_object_member (object, "zero_optimization"), "stage"),
                   ==, 1);
  g_assert_true (json_object_has_member (object, "data_types"));
}

/* With sums in fp32 its matrices take plain gradient steps, and clipping would be of its steps:
 * found by running two processes. */
static void
test_muon (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object, *zero;

  fixture_case_init (&written, "llama-3-8b", 1, 1, 32);
  written.strategy.zero_stage = 2;
  written.problem.training.optimizer = SW_OPTIMIZER_MUON;
  object = write_json (&written, &root);
  zero = json_object_get_object_member (object, "zero_optimization");
  g_assert_false (json_object_has_member (object, "data_types"));
  g_assert_cmpfloat (json_object_get_double_member (object, "gradient_clipping"), ==, 0);
  g_assert_false (json_object_get_boolean_member_with_default (zero, "reduce_scatter", TRUE));
  g_assert_cmpstr (
      json_object_get_string_member (json_object_get_object_member (object, "optimizer"), "type"),
      ==, "Muon");
  g_assert_false (json_object_has_member (object, "zero_allow_untested_optimizer"));
}

static void
test_random (void)
{
  static const char *const models[] = { "llama-3-8b", "mixtral-8x7b", "llama-3-70b", "gpt3-6.7b" };
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  guint written = 0;

  for (guint i = 0; i < 1200; i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseExport) files = NULL;
      g_autoptr (JsonNode) root = NULL;

      fixture_problem (models[i % G_N_ELEMENTS (models)], 32, &problem);
      problem.training.optimizer = (SwOptimizer) g_test_rand_int_range (0, SW_OPTIMIZER_SGD + 1);
      problem.training.type = (SwTrainingType) g_test_rand_int_range (0, SW_TRAINING_RLHF + 1);
      problem.training.precision = g_test_rand_bit () ? SW_PRECISION_BF16 : SW_PRECISION_FP16;
      fixture_random_strategy (&problem, &strategy);
      files = fixture_write (SHARDWISE_FORMAT_DEEPSPEED, &problem, &strategy, &error);
      if (files == NULL)
        {
          g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
          continue;
        }
      written++;
      assert_accepted (fixture_file (files, "ds_config.json"), &files->estimate.strategy);
      g_assert_true (fixture_python_is_balanced (fixture_file (files, "ds_setup.py")));
      if (texts->len < 60)
        g_ptr_array_add (texts, g_strdup (fixture_file (files, "ds_setup.py")));
    }

  g_test_message ("%u of 1200 were written", written);
  g_assert_cmpuint (written, >, 20);
  g_assert_true (fixture_python_compiles (texts));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/deepspeed/muon", test_muon);
  g_test_add_func ("/deepspeed/pipeline", test_pipeline);
  g_test_add_func ("/deepspeed/ends-count", test_ends_count);
  g_test_add_func ("/deepspeed/autotp", test_autotp);
  g_test_add_func ("/deepspeed/zero3-offload", test_zero3_offload);
  g_test_add_func ("/deepspeed/ulysses", test_ulysses);
  g_test_add_func ("/deepspeed/lowered-zero", test_lowered_zero);
  g_test_add_func ("/deepspeed/sequence-parallel", test_sequence_parallel);
  g_test_add_func ("/deepspeed/one-replica", test_one_replica);
  g_test_add_func ("/deepspeed/random", test_random);

  return g_test_run ();
}
