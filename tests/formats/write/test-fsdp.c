/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules-fixture.h"

/* The keywords of PyTorch 2.6's functions that a file may give; any other is a TypeError. The types
 * of FSDP are torch's, not strings, and neither generation has an argument for tensor
 * parallelism. */
#define DTYPE "torch.bfloat16|torch.float16"
static const FixtureRule keywords[] = {
  { "import *", FIXTURE_FLAG },
  { "base.*", FIXTURE_CODE }, /* what a pipeline stage leaves out of the model */
  { "self.*", FIXTURE_CODE },
  { "plan['*", FIXTURE_CODE },
  { "options['n_microbatches']", FIXTURE_CODE },
  { "options['loss_fn']", FIXTURE_CODE },
  { "options['scale_grads']", FIXTURE_BOOL, "False" },
  { "init_device_mesh(mesh_dim_names)", FIXTURE_LIST, "pp|dp|dp_replicate|dp_shard|cp|tp", TRUE },
  { "options['mesh']", FIXTURE_CODE },
  { "options['mp_policy']", FIXTURE_CODE },
  { "options['reshard_after_forward']", FIXTURE_BOOL },
  { "options['offload_policy']", FIXTURE_CODE, "CPUOffloadPolicy(pin_memory=True)" },
  { "fully_shard(None)*", FIXTURE_CODE, "options" },
  { "MixedPrecisionPolicy(param_dtype)", FIXTURE_CODE, DTYPE },
  { "MixedPrecisionPolicy(reduce_dtype)", FIXTURE_CODE, "torch.float32" },
  { "CPUOffloadPolicy(pin_memory)", FIXTURE_BOOL },
  { "FSDP(device_mesh)", FIXTURE_CODE, "mesh['dp']|mesh['dp_replicate', 'dp_shard']" },
  { "FSDP(sharding_strategy)", FIXTURE_CODE,
    "ShardingStrategy.FULL_SHARD|ShardingStrategy.SHARD_GRAD_OP|ShardingStrategy.NO_SHARD|"
    "ShardingStrategy.HYBRID_SHARD|ShardingStrategy._HYBRID_SHARD_ZERO2" },
  { "FSDP(auto_wrap_policy)", FIXTURE_CODE },
  { "FSDP(mixed_precision)", FIXTURE_CODE },
  { "FSDP(backward_prefetch)", FIXTURE_CODE,
    "BackwardPrefetch.BACKWARD_PRE|BackwardPrefetch.BACKWARD_POST" },
  { "FSDP(limit_all_gathers)", FIXTURE_BOOL },
  { "FSDP(use_orig_params)", FIXTURE_BOOL, "True" }, /* tensor parallelism wants it */
  { "FSDP(cpu_offload)", FIXTURE_CODE },
  { "FSDP(device_id)", FIXTURE_CODE },
  { "FSDP(sync_module_states)", FIXTURE_BOOL, "True" },
  { "FSDP(param_init_fn)", FIXTURE_CODE },
  { "CPUOffload(offload_params)", FIXTURE_BOOL },
  { "MixedPrecision(param_dtype)", FIXTURE_CODE, DTYPE },
  { "MixedPrecision(reduce_dtype)", FIXTURE_CODE, "torch.float32" },
  { "MixedPrecision(buffer_dtype)", FIXTURE_CODE, DTYPE },
  { "RowwiseParallel(input_layouts)*", FIXTURE_CODE },
  { "RowwiseParallel(output_layouts)*", FIXTURE_CODE },
  { "ColwiseParallel(input_layouts)*", FIXTURE_CODE },
  { "ColwiseParallel(output_layouts)*", FIXTURE_CODE },
  { "PrepareModuleInput(input_layouts)*", FIXTURE_CODE },
  { "PrepareModuleInput(desired_input_layouts)*", FIXTURE_CODE },
  { "checkpoint_wrapper(context_fn)", FIXTURE_CODE },
  { "checkpoint_wrapper(preserve_rng_state)", FIXTURE_BOOL },
  { "apply_activation_checkpointing(checkpoint_wrapper_fn)", FIXTURE_CODE },
  { "apply_activation_checkpointing(check_fn)", FIXTURE_CODE },
  { "PipelineStage(group)", FIXTURE_CODE },
  { "Schedule1F1B(*", FIXTURE_CODE },
  { "ScheduleGPipe(*", FIXTURE_CODE },
  { "ScheduleInterleaved1F1B(*", FIXTURE_CODE },
  { "schedule.step(target)", FIXTURE_CODE },
  { "context_parallel(buffers)", FIXTURE_CODE },
  { "context_parallel(buffer_seq_dims)", FIXTURE_CODE },
  { "context_parallel(buffer_seq_dims)", FIXTURE_LIST },
  { "context_parallel(no_restore_buffers)", FIXTURE_CODE },
  { "dist.all_reduce(group)*", FIXTURE_CODE },
  { "parameter.data", FIXTURE_CODE },
  { "model.split", FIXTURE_CODE },
  { "torch.clamp(max)", FIXTURE_FLOAT },
  { "torch.arange(device)", FIXTURE_CODE },
  { "model(input_ids)", FIXTURE_CODE },
  { "model(position_ids)", FIXTURE_CODE },
  { "model(use_cache)", FIXTURE_BOOL, "False" },
  { "self.model(*", FIXTURE_CODE },
  { "self.model(use_cache)", FIXTURE_BOOL, "False" },
  { "schedule.step(losses)", FIXTURE_CODE },
  { "schedule.step(position_ids)", FIXTURE_CODE },
  { "module.register_forward_pre_hook(*", FIXTURE_CODE },
  { "module.register_forward_pre_hook(*", FIXTURE_BOOL },
  { "PrepareModuleInput(input_kwarg_layouts)*", FIXTURE_CODE },
  { "PrepareModuleInput(desired_input_kwarg_layouts)*", FIXTURE_CODE },
  { "SequenceParallel(use_local_output)*", FIXTURE_BOOL, "True" },
  { "SequenceParallel(sequence_dim)*", FIXTURE_INT },
  { "module.to_empty(*", FIXTURE_CODE },
  { "module.to_empty(recurse)", FIXTURE_BOOL },
  { "module.parameters(recurse)", FIXTURE_BOOL },
  { "torch.zeros(device)", FIXTURE_CODE },
  { "torch.optim.AdamW(lr)", FIXTURE_FLOAT },
  { "torch.optim.AdamW(betas)", FIXTURE_LIST },
  { "torch.optim.AdamW(eps)", FIXTURE_FLOAT },
  { "torch.optim.AdamW(weight_decay)", FIXTURE_FLOAT },
  { "torch.optim.AdamW(fused)", FIXTURE_BOOL },
  { "torch.optim.SGD(lr)", FIXTURE_FLOAT },
  { "torch.optim.SGD(momentum)", FIXTURE_FLOAT },
  { "torch.optim.Adafactor(lr)", FIXTURE_FLOAT },
  { "AdamW8bit(lr)", FIXTURE_FLOAT },
  { "AdamW8bit(betas)", FIXTURE_LIST },
  { "AdamW8bit(eps)", FIXTURE_FLOAT },
  { "AdamW8bit(weight_decay)", FIXTURE_FLOAT },
  { "torch.nn.functional.cross_entropy(*", FIXTURE_CODE },
  { "LoraConfig(r)", FIXTURE_INT },
  { "LoraConfig(lora_alpha)", FIXTURE_INT, NULL, FALSE },
  { "LoraConfig(target_modules)", FIXTURE_TEXT, "all-linear" },
  { "LoraConfig(target_modules)", FIXTURE_LIST, "q_proj|k_proj|v_proj|o_proj|c_attn|c_proj" },
  { "convert_to_float8_training(config)", FIXTURE_CODE },
  { "convert_to_float8_training(module_filter_fn)", FIXTURE_CODE },
};

#define CONTAINS(text, part) g_assert_nonnull (strstr (text, part))
#define LACKS(text, part) g_assert_null (strstr (text, part))

/* The product of the tuple behind "cuda". */
static guint
mesh_product (const char *text)
{
  const char *c = strstr (text, "\"cuda\",\n        (");
  guint product = 1;

  g_assert_nonnull (c);
  for (c += strlen ("\"cuda\",\n        ("); *c != ')'; c++)
    if (g_ascii_isdigit (*c))
      {
        char *end;

        product *= (guint) g_ascii_strtoull (c, &end, 10);
        c = end - 1;
      }

  return product;
}

static guint
layers_of_stages (const char *text)
{
  const char *c = strstr (text, "LAYERS_PER_STAGE = [");
  guint sum = 0;

  g_assert_nonnull (c);
  for (c += strlen ("LAYERS_PER_STAGE = ["); *c != ']'; c++)
    if (g_ascii_isdigit (*c))
      {
        char *end;

        sum += (guint) g_ascii_strtoull (c, &end, 10);
        c = end - 1;
      }

  return sum;
}

static void
assert_accepted (const char *text, const SwProblem *problem, const SwStrategy *s)
{
  guint world = s->tp * s->pp * s->cp * s->dp;

  g_assert_cmpuint (mesh_product (text), ==, world);
  g_assert_cmpuint (fixture_python_number (text, "WORLD_SIZE"), ==, world);
  g_assert_cmpuint (fixture_python_number (text, "GLOBAL_BATCH"), ==,
                    fixture_python_number (text, "MICRO_BATCH")
                        * fixture_python_number (text, "ACCUMULATION") * s->dp);
  g_assert_true (fixture_python_is_balanced (text));
  /* TP is the innermost dimension, so that it stays inside a node; no FSDP takes it as an argument.
   */
  if (s->tp > 1)
    CONTAINS (text, "\"tp\"),\n    )");
  LACKS (text, "tensor_parallel_size");
  if (s->pp > 1)
    g_assert_cmpuint (layers_of_stages (text), ==, problem->model.layers);
  else
    LACKS (text, "PipelineStage");
}

static void
test_fsdp2_tensor (void)
{
  g_auto (FixtureCase) written = { 0 };
  const char *text;

  fixture_case_init (&written, "llama-3-70b", 8, 1, 4);
  written.strategy.zero_stage = 3;
  written.strategy.sequence_parallel = TRUE;
  written.strategy.recompute = SW_RECOMPUTE_FULL;
  text = fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2);

  assert_accepted (text, &written.problem, &written.strategy);
  CONTAINS (text, "(4, 8),");
  CONTAINS (text, "mesh_dim_names=(\"dp_shard\", \"tp\")");
  CONTAINS (text, "\"reshard_after_forward\": True");
  fixture_compare_with_golden (text, "fsdp2-tp.py");
}

static void
test_fsdp2_pipeline (void)
{
  g_auto (FixtureCase) written = { 0 };
  const char *text;

  fixture_case_init (&written, "llama-3-70b", 8, 4, 1);
  written.strategy.zero_stage = 3;
  written.strategy.sequence_parallel = TRUE;
  text = fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2);

  assert_accepted (text, &written.problem, &written.strategy);
  CONTAINS (text, "Schedule1F1B(stages[0], **options)");
  CONTAINS (text, "mesh_dim_names=(\"pp\", \"dp_shard\", \"tp\")");
  g_assert_cmpuint (fixture_python_number (text, "ACCUMULATION"), ==, 32);
  fixture_compare_with_golden (text, "fsdp2-pp.py");
}

static void
test_fsdp2_hybrid_context (void)
{
  g_auto (FixtureCase) written = { 0 };
  const char *text;

  fixture_case_init (&written, "llama-3-8b", 1, 1, 16);
  fixture_problem ("llama-3-8b", 64, &written.problem);
  written.strategy.cp = 4;
  written.strategy.cp_method = SW_CP_ALLGATHER;
  written.strategy.zero_stage = 2;
  written.strategy.shard_group = 8;
  written.strategy.micro_batch = 1;
  text = fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2);

  assert_accepted (text, &written.problem, &written.strategy);
  CONTAINS (text, "(2, 8, 4),");
  CONTAINS (text, "mesh[\"dp_replicate\", \"dp_shard_cp\"]");
  CONTAINS (text, "\"reshard_after_forward\": False");
  CONTAINS (text, "set_rotate_method(\"allgather\")");
}

static void
test_fsdp1 (void)
{
  g_auto (FixtureCase) written = { 0 };
  const char *text;

  fixture_case_init (&written, "llama-3-8b", 1, 1, 16);
  written.strategy.zero_stage = 3;
  written.strategy.recompute = SW_RECOMPUTE_FULL;
  text = fixture_case_write (&written, SHARDWISE_FORMAT_FSDP1);

  assert_accepted (text, &written.problem, &written.strategy);
  fixture_compare_with_golden (text, "fsdp1.py");
}

static void
test_fsdp1_strategies (void)
{
  static const struct {
    guint zero, dp, group;
    const char *name;
  } cases[] = {
    { 0, 16, 16, "ShardingStrategy.NO_SHARD" },
    { 2, 16, 16, "ShardingStrategy.SHARD_GRAD_OP" },
    { 3, 16, 16, "ShardingStrategy.FULL_SHARD" },
    { 3, 16, 8, "ShardingStrategy.HYBRID_SHARD" },
    { 2, 16, 8, "ShardingStrategy._HYBRID_SHARD_ZERO2" },
    { 3, 1, 1, "ShardingStrategy.FULL_SHARD" }, /* which offload of parameters wants */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (FixtureCase) written = { 0 };
      const char *text;

      fixture_case_init (&written, "llama-3-8b", 1, 1, cases[i].dp);
      written.strategy.zero_stage = (guint8) cases[i].zero;
      written.strategy.shard_group = cases[i].group;
      text = fixture_case_write (&written, SHARDWISE_FORMAT_FSDP1);
      assert_accepted (text, &written.problem, &written.strategy);
      CONTAINS (text, cases[i].name);
    }
}

static void
test_precision (void)
{
  g_auto (FixtureCase) written = { 0 };
  const char *text;

  fixture_case_init (&written, "llama-3-8b", 1, 1, 16);
  written.strategy.zero_stage = 3;
  written.problem.training.precision = SW_PRECISION_FP16;
  text = fixture_case_write (&written, SHARDWISE_FORMAT_FSDP1);
  CONTAINS (text, "param_dtype=torch.float16");
  CONTAINS (text, "SCALER.step(optimizer)");

  written.problem.training.precision = SW_PRECISION_FP8_ROWWISE;
  text = fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2);
  CONTAINS (text, "from_recipe_name(\"rowwise\")");
  CONTAINS (text, "param_dtype=torch.bfloat16");
}

/* The first N layers are a rank's, which interleaving spreads over several stages. */
static void
test_first_layers (void)
{
  g_auto (FixtureCase) written = { 0 };
  const char *text;

  fixture_case_init (&written, "llama-3-70b", 8, 4, 1);
  written.strategy.zero_stage = 0;
  written.strategy.recompute = SW_RECOMPUTE_FULL_LAYERS;
  written.strategy.full_layers = 18;
  text = fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2);
  CONTAINS (text, "RECOMPUTED_LAYERS = 18 ");
  CONTAINS (text, "list(layers)[:RECOMPUTED_LAYERS]):");
  LACKS (text, "model.recomputed");
  LACKS (text, "Shard(1)");
  /* and nothing that is not used */
  CONTAINS (text, "from torch.distributed.tensor import Replicate\n");
  written.strategy.vpp = 5;
  written.strategy.schedule = SW_SCHEDULE_INTERLEAVED;
  text = fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2);
  CONTAINS (text, "list(layers)[:model.recomputed]):");
  CONTAINS (text, "before = sum(LAYERS_PER_STAGE[index % 4:index:4])");
  CONTAINS (text, "self.recomputed = max(0, RECOMPUTED_LAYERS - before)");
}

/* The norm of gradients that are in the hosts' memory is reduced there. */
static void
test_offload (void)
{
  g_auto (FixtureCase) written = { 0 };
  const char *text;

  fixture_case_init (&written, "llama-3-8b", 1, 1, 8);
  written.strategy.zero_stage = 3;
  text = fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2);
  CONTAINS (text, "dist.init_process_group(\"nccl\")\n");
  written.strategy.offload = SW_OFFLOAD_OPTIMIZER_PARAMS;
  text = fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2);
  CONTAINS (text, "dist.init_process_group(\"cpu:gloo,cuda:nccl\")\n");
}

static gboolean
has_note (FixtureCase *written, const char *part)
{
  GPtrArray *notes = written->files->not_expressed;

  for (guint i = 0; i < notes->len; i++)
    if (strstr (shardwise_export_note_text (notes, i), part) != NULL)
      return TRUE;
  return FALSE;
}

/* Layers with offloaded activations are not compiled, unlike predicted: a note states this. */
static void
test_uncompiled (gconstpointer format)
{
  g_auto (FixtureCase) written = { 0 };
  const char *text;

  fixture_case_init (&written, "llama-3-8b", 1, 1, 8);
  written.strategy.zero_stage = 3;
  text = fixture_case_write (&written, GPOINTER_TO_UINT (format));
  CONTAINS (text, ".compile()\n");
  g_assert_false (has_note (&written, "torch.compile"));
  written.strategy.offload = SW_OFFLOAD_ACTIVATIONS;
  text = fixture_case_write (&written, GPOINTER_TO_UINT (format));
  LACKS (text, ".compile()\n");
  g_assert_true (has_note (&written, "torch.compile"));
}

/* Where embedding and head count as a layer each, the virtual stages hold all layers still: 126 in
 * 32, of which the first and the last have one less. */
static void
test_uneven_chunks (void)
{
  g_auto (FixtureCase) written = { 0 };
  const char *text;

  fixture_case_init (&written, "llama-3.1-405b", 8, 8, 1);
  written.strategy.zero_stage = 0;
  written.strategy.vpp = 4;
  written.strategy.schedule = SW_SCHEDULE_INTERLEAVED;
  text = fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2);
  CONTAINS (text, "LAYERS_PER_STAGE = [3, 4, 4, ");
  g_assert_cmpuint (layers_of_stages (text), ==, 126);
}

static void
test_random (void)
{
  static const char *const models[] = { "llama-3-8b", "mixtral-8x7b", "llama-3-70b", "gpt3-6.7b" };
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  guint written = 0;

  for (guint i = 0; i < 1600; i++)
    {
      ShardwiseFormat format = i % 2 == 0 ? SHARDWISE_FORMAT_FSDP1 : SHARDWISE_FORMAT_FSDP2;
      SwProblem problem;
      SwStrategy strategy;
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseExport) files = NULL;
      const char *text;

      fixture_problem (models[g_test_rand_int_range (0, G_N_ELEMENTS (models))], 32, &problem);
      problem.training.optimizer = (SwOptimizer) g_test_rand_int_range (0, SW_OPTIMIZER_SGD + 1);
      problem.training.type = (SwTrainingType) g_test_rand_int_range (0, SW_TRAINING_RLHF + 1);
      problem.training.precision = (SwPrecision) g_test_rand_int_range (0, SW_PRECISION_NVFP4 + 1);
      fixture_random_strategy (&problem, &strategy);
      files = fixture_write (format, &problem, &strategy, &error);
      if (files == NULL)
        {
          g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
          continue;
        }
      written++;
      text = fixture_file (files, shardwise_format_info (format)->file_name);
      assert_accepted (text, &problem, &strategy);
      if (texts->len < 100)
        g_ptr_array_add (texts, g_strdup (text));
    }

  if (fixture_has_python ())
    {
      g_autoptr (GPtrArray) tables = fixture_flatten ("python", texts);

      for (guint i = 0; i < tables->len; i++)
        fixture_check (tables->pdata[i], keywords, G_N_ELEMENTS (keywords));
    }
  g_test_message ("%u of 1600 were written", written);
  g_assert_cmpuint (written, >, 20);
  g_assert_true (fixture_python_compiles (texts));
}

/* The checks above must be able to fail. */
static void
test_checks (void)
{
  g_autoptr (GPtrArray) broken = g_ptr_array_new ();
  g_autofree char *python = g_find_program_in_path ("python3");

  g_assert_true (fixture_python_is_balanced ("f(\"a(\", [1])  # (\n    g({})\n"));
  g_assert_false (fixture_python_is_balanced ("f(1\n"));
  g_assert_false (fixture_python_is_balanced ("f(1])\n"));
  g_assert_false (fixture_python_is_balanced ("f(\"a\n\")\n"));
  g_assert_false (fixture_python_is_balanced ("   f()\n"));
  if (python != NULL)
    {
      g_ptr_array_add (broken, (char *) "def f(:\n");
      g_assert_false (fixture_python_compiles (broken));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/fsdp/checks", test_checks);
  g_test_add_func ("/fsdp/2/tensor", test_fsdp2_tensor);
  g_test_add_func ("/fsdp/2/pipeline", test_fsdp2_pipeline);
  g_test_add_func ("/fsdp/2/hybrid-context", test_fsdp2_hybrid_context);
  g_test_add_func ("/fsdp/1/plain", test_fsdp1);
  g_test_add_func ("/fsdp/1/strategies", test_fsdp1_strategies);
  g_test_add_func ("/fsdp/precision", test_precision);
  g_test_add_func ("/fsdp/first-layers", test_first_layers);
  g_test_add_func ("/fsdp/uneven-chunks", test_uneven_chunks);
  g_test_add_func ("/fsdp/offload", test_offload);
  g_test_add_data_func ("/fsdp/1/uncompiled", GUINT_TO_POINTER (SHARDWISE_FORMAT_FSDP1),
                        test_uncompiled);
  g_test_add_data_func ("/fsdp/2/uncompiled", GUINT_TO_POINTER (SHARDWISE_FORMAT_FSDP2),
                        test_uncompiled);
  g_test_add_func ("/fsdp/random", test_random);

  return g_test_run ();
}
