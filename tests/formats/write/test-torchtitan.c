/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules-fixture.h"

/* The keys of TorchTitan v0.2.2's JobConfig that a file may hold, with the types of its dataclasses
 * (a quoted number passes the TOML loader and fails later); any other key is refused. */
static const FixtureRule keys[] = {
  { "job.description", FIXTURE_TEXT },
  { "job.dump_folder", FIXTURE_TEXT },
  { "model.name", FIXTURE_TEXT, "llama3|llama4|deepseek_v3|qwen3|gpt_oss", TRUE },
  { "model.flavor", FIXTURE_TEXT,
    "8B|70B|405B|17bx16e|17bx128e|16B|236B|671B|0.6B|1.7B|4B|14B|32B|30B-A3B|235B-A22B|20b|120b",
    TRUE },
  { "model.hf_assets_path", FIXTURE_TEXT },
  { "model.converters", FIXTURE_LIST, "quantize.linear.float8|quantize.linear.mx" },
  { "training.local_batch_size", FIXTURE_INT, NULL, TRUE },
  { "training.global_batch_size", FIXTURE_INT, NULL, TRUE },
  { "training.seq_len", FIXTURE_INT, NULL, TRUE },
  { "training.max_norm", FIXTURE_FLOAT },
  { "training.steps", FIXTURE_INT },
  { "training.dataset", FIXTURE_TEXT },
  { "training.dataset_path", FIXTURE_TEXT },
  { "training.enable_cpu_offload", FIXTURE_BOOL },
  { "training.mixed_precision_param", FIXTURE_TEXT, "bfloat16|float32" },
  { "training.mixed_precision_reduce", FIXTURE_TEXT, "float32" },
  { "parallelism.data_parallel_replicate_degree", FIXTURE_INT, NULL, TRUE },
  { "parallelism.data_parallel_shard_degree", FIXTURE_INT, NULL, TRUE },
  { "parallelism.fsdp_reshard_after_forward", FIXTURE_TEXT, "default|always|never" },
  { "parallelism.tensor_parallel_degree", FIXTURE_INT, NULL, TRUE },
  { "parallelism.enable_async_tensor_parallel", FIXTURE_BOOL },
  { "parallelism.pipeline_parallel_degree", FIXTURE_INT, NULL, TRUE },
  { "parallelism.pipeline_parallel_schedule", FIXTURE_TEXT, "1F1B|GPipe|Interleaved1F1B" },
  { "parallelism.pipeline_parallel_microbatch_size", FIXTURE_INT },
  { "parallelism.pipeline_parallel_first_stage_less_layers", FIXTURE_INT },
  { "parallelism.pipeline_parallel_last_stage_less_layers", FIXTURE_INT },
  { "parallelism.pipeline_parallel_layers_per_stage", FIXTURE_INT },
  { "parallelism.context_parallel_degree", FIXTURE_INT, NULL, TRUE },
  { "parallelism.context_parallel_rotate_method", FIXTURE_TEXT, "allgather|alltoall" },
  { "parallelism.expert_parallel_degree", FIXTURE_INT },
  { "parallelism.expert_tensor_parallel_degree", FIXTURE_INT },
  { "activation_checkpoint.mode", FIXTURE_TEXT, "selective|full|memory_budget|none", TRUE },
  { "activation_checkpoint.selective_ac_option", FIXTURE_TEXT },
  { "quantize.linear.float8.recipe_name", FIXTURE_TEXT, "tensorwise|rowwise|rowwise_with_gw_hp" },
  { "quantize.linear.float8.filter_fqns", FIXTURE_LIST },
  { "quantize.linear.mx.recipe_name", FIXTURE_TEXT, "mxfp8_cublas" },
  { "quantize.linear.mx.filter_fqns", FIXTURE_LIST },
  { "optimizer.name", FIXTURE_TEXT, "Adam|AdamW", TRUE },
  { "optimizer.lr", FIXTURE_FLOAT },
  { "optimizer.eps", FIXTURE_FLOAT },
  { "lr_scheduler.warmup_steps", FIXTURE_INT },
  { "compile.enable", FIXTURE_BOOL, "True", TRUE },
  { "compile.components", FIXTURE_LIST, "model|loss", TRUE },
  { "checkpoint.enable", FIXTURE_BOOL },
  { "checkpoint.initial_load_path", FIXTURE_TEXT },
  { "checkpoint.initial_load_in_hf", FIXTURE_BOOL },
};

/* The fields of Trainer.Config on the main branch of August 2026 that a file sets; the sections
 * refuse others (slots), and those of v0.2.2 that were renamed. */
static const FixtureRule fields[] = {
  { "import torchtitan.distributed.activation_checkpoint.FullAC", FIXTURE_FLAG },
  { "import torchtitan.distributed.activation_checkpoint.SelectiveAC", FIXTURE_FLAG },
  { "import torchtitan.models.*", FIXTURE_FLAG },
  { "import torchtitan.trainer.Trainer", FIXTURE_FLAG, NULL, TRUE },
  { "p.data_parallel_replicate_degree", FIXTURE_INT, NULL, TRUE },
  { "p.data_parallel_shard_degree", FIXTURE_INT, NULL, TRUE },
  { "p.fsdp_reshard_after_forward", FIXTURE_TEXT, "default|always|never" },
  { "p.tensor_parallel_degree", FIXTURE_INT, NULL, TRUE },
  { "p.enable_sequence_parallel", FIXTURE_BOOL },
  { "p.context_parallel_degree", FIXTURE_INT, NULL, TRUE },
  { "p.expert_parallel_degree", FIXTURE_INT },
  { "p.pipeline_parallel_degree", FIXTURE_INT, NULL, TRUE },
  { "p.pipeline_parallel_schedule", FIXTURE_TEXT, "1F1B|GPipe|Interleaved1F1B" },
  { "p.num_pp_microbatches", FIXTURE_INT },
  { "p.pipeline_parallel_first_stage_less_layers", FIXTURE_INT },
  { "p.pipeline_parallel_last_stage_less_layers", FIXTURE_INT },
  { "p.pipeline_parallel_layers_per_stage", FIXTURE_INT },
  { "t.max_context_length", FIXTURE_INT, NULL, TRUE },
  { "t.num_tokens_per_microbatch_per_dp_rank", FIXTURE_INT, NULL, TRUE },
  { "t.num_tokens_per_train_step", FIXTURE_INT, NULL, TRUE },
  { "t.steps", FIXTURE_INT },
  { "t.enable_cpu_offload", FIXTURE_BOOL },
  { "t.disable_cuda_graphs", FIXTURE_BOOL, "True" },
  { "import torchtitan.config.CompileConfig", FIXTURE_FLAG, NULL, TRUE },
  { "run.model_spec", FIXTURE_CODE, "model_registry('405B')" },
  { "run.hf_assets_path", FIXTURE_TEXT, "./assets/hf/Llama-3.1-405B" },
  { "run.compile", FIXTURE_CODE, NULL, TRUE },
  { "CompileConfig(enable)", FIXTURE_BOOL, "True", TRUE },
  { "CompileConfig(components)", FIXTURE_LIST, "model|loss", TRUE },
  { "run.activation_checkpoint", FIXTURE_CODE },
};

/* ParallelDims and the pipeline split. */
static void
assert_valid_pipeline (GHashTable *v, const char *section, const FixtureCase *written)
{
  guint layers = written->problem.model.layers, vpp = written->strategy.vpp;
  SwStrategy strategy = written->strategy;
  g_autofree char *first_key = g_strconcat (section, "pipeline_parallel_first_stage_less_layers",
                                            NULL);
  g_autofree char *last_key = g_strconcat (section, "pipeline_parallel_last_stage_less_layers",
                                           NULL);
  g_autofree char *each_key = g_strconcat (section, "pipeline_parallel_layers_per_stage", NULL);
  g_autofree char *schedule_key = g_strconcat (section, "pipeline_parallel_schedule", NULL);
  g_autofree char *pp_key = g_strconcat (section, "pipeline_parallel_degree", NULL);
  guint pp = fixture_number (v, pp_key, 1), each = fixture_number (v, each_key, 0), stages;
  guint first, last;
  gboolean many = g_strcmp0 (fixture_text (v, schedule_key), "Interleaved1F1B") == 0;

  first = fixture_number (v, first_key, 1);
  last = fixture_number (v, last_key, 1);
  layers += first + last;
  stages = each > 0 ? (layers + each - 1) / each : pp * (many ? 2 : 1);
  g_assert_cmpuint (stages % pp, ==, 0);
  g_assert_true (many ? stages / pp >= 2 : stages == pp);
  g_assert_cmpuint (stages / pp, ==, vpp);
  g_assert_cmpuint (stages, <=, layers);
  g_assert_cmpuint (MAX (first, last), <=, layers / stages);
  strategy.framework = SW_FRAMEWORK_FSDP2;
  for (guint rank = 0; rank < pp; rank++)
    {
      guint held = 0;

      for (guint stage = rank; stage < stages; stage += pp)
        held += layers / stages + (stage < layers % stages ? 1 : 0) - (stage == 0 ? first : 0)
                - (stage + 1 == stages ? last : 0);
      g_assert_cmpuint (held, ==, sw_stage_layers (&written->problem, &strategy, rank));
    }
}

static void
assert_valid (GHashTable *v, const FixtureCase *written)
{
  const SwStrategy *s = &written->strategy;
  guint replicas = fixture_number (v, "parallelism.data_parallel_replicate_degree", 0);
  guint shards = fixture_number (v, "parallelism.data_parallel_shard_degree", 0);
  guint tp = fixture_number (v, "parallelism.tensor_parallel_degree", 0);
  guint pp = fixture_number (v, "parallelism.pipeline_parallel_degree", 0);
  guint cp = fixture_number (v, "parallelism.context_parallel_degree", 0);
  guint ep = fixture_number (v, "parallelism.expert_parallel_degree", 1);
  guint etp = fixture_number (v, "parallelism.expert_tensor_parallel_degree", 1);
  guint local = fixture_number (v, "training.local_batch_size", 0);

  if (written->problem.model.moe.experts > 0)
    g_assert_cmpuint (etp, ==, ep > 1 ? written->strategy.etp : 1);
  g_assert_cmpuint (replicas * shards * tp * pp * cp, ==, s->tp * s->pp * s->cp * s->dp);
  g_assert_cmpuint (tp, ==, s->tp);
  g_assert_cmpuint (pp, ==, s->pp);
  g_assert_cmpuint (cp, ==, s->cp);
  g_assert_cmpuint (ep, ==, s->ep);
  g_assert_cmpuint (
      fixture_number (v, "training.global_batch_size", 0) % (local * replicas * shards), ==, 0);
  g_assert_cmpuint (fixture_number (v, "training.seq_len", 0) % (tp * 2 * cp), ==, 0);
  /* Unsharded replicas run alone. */
  if (shards * cp == 1 && replicas > 1)
    g_assert_cmpuint (tp * pp, ==, 1);
  if (ep > 1)
    {
      g_assert_true (etp == tp || etp == 1);
      g_assert_cmpuint (shards * cp * tp % (ep * etp), ==, 0);
    }
  if (pp == 1)
    {
      g_assert_cmpuint (local, ==, s->micro_batch);
      return;
    }
  g_assert_cmpuint (local % fixture_number (v, "parallelism.pipeline_parallel_microbatch_size", 1),
                    ==, 0);
  /* With a pipeline the accumulation is inside the local batch. */
  g_assert_cmpuint (local * replicas * shards, ==,
                    fixture_number (v, "training.global_batch_size", 0));
  assert_valid_pipeline (v, "parallelism.", written);
}

static void
test_reference (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (GHashTable) values = NULL;

  if (!fixture_has_python ())
    return;
  fixture_case_init (&written, "llama-3-70b", 8, 4, 1);
  written.strategy.zero_stage = 0;
  written.strategy.sequence_parallel = TRUE;
  written.strategy.recompute = SW_RECOMPUTE_SELECTIVE;
  values = fixture_case_read (&written, SHARDWISE_FORMAT_TORCHTITAN);
  fixture_check (values, keys, G_N_ELEMENTS (keys));
  /* The example of the specification. */
  g_assert_cmpuint (fixture_number (values, "training.local_batch_size", 0), ==, 128);
  g_assert_cmpuint (fixture_number (values, "training.global_batch_size", 0), ==, 128);
  g_assert_cmpuint (fixture_number (values, "parallelism.pipeline_parallel_microbatch_size", 0), ==,
                    4);
  g_assert_cmpstr (fixture_text (values, "activation_checkpoint.selective_ac_option"), ==, "op");
  fixture_compare_with_golden (fixture_file (written.files, "torchtitan.toml"), "torchtitan.toml");
}

/* 80 layers as 16 chunks of 5 for four stages of four: 10 a stage with the ends counted would be
 * nine stages, which TorchTitan refuses. */
static void
test_virtual_stages (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (GHashTable) values = NULL;

  if (!fixture_has_python ())
    return;
  fixture_case_init (&written, "llama-3-70b", 8, 4, 2);
  written.strategy.zero_stage = 2;
  written.strategy.sequence_parallel = TRUE;
  written.strategy.vpp = 2;
  written.strategy.schedule = SW_SCHEDULE_INTERLEAVED;
  values = fixture_case_read (&written, SHARDWISE_FORMAT_TORCHTITAN);
  fixture_check (values, keys, G_N_ELEMENTS (keys));
  assert_valid_pipeline (values, "parallelism.", &written);
  g_assert_cmpuint (fixture_number (values, "parallelism.pipeline_parallel_layers_per_stage", 0),
                    ==, 10);
  g_assert_cmpuint (
      fixture_number (values, "parallelism.pipeline_parallel_first_stage_less_layers", 1), ==, 0);
}

/* Whatever the layers, the stages that TorchTitan makes of the file are those of the prediction,
 * where the head is worth more than a layer, too. */
static void
test_uneven_stages (void)
{
  for (guint layers = 20; layers <= 40; layers += 3)
    for (guint large = 0; large < 2; large++)
      {
        g_auto (FixtureCase) written = { 0 };
        g_autoptr (GHashTable) values = NULL;

        if (!fixture_has_python ())
          return;
        fixture_case_init (&written, "llama-3-8b", 1, 8, 1);
        written.problem.model.layers = layers;
        written.problem.end_layers = large ? 3.5 : 0.5;
        written.strategy.zero_stage = 2;
        values = fixture_case_read (&written, SHARDWISE_FORMAT_TORCHTITAN);
        assert_valid_pipeline (values, "parallelism.", &written);
      }
}

static void
test_escapes (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (GHashTable) values = NULL;

  if (!fixture_has_python ())
    return;
  fixture_case_init (&written, "llama-3-8b", 1, 1, 16);
  written.strategy.zero_stage = 3;
  g_strlcpy (written.problem.model.name, "a \"b\" \\ c\001 é", sizeof written.problem.model.name);
  values = fixture_case_read (&written, SHARDWISE_FORMAT_TORCHTITAN);
  g_assert_true (
      g_str_has_prefix (fixture_text (values, "job.description"), "a \"b\" \\ c\001 é, tp1"));
}

static const char *const models[] = {
  "llama-3-8b", "llama-3-70b", "qwen3-30b-a3b", "deepseek-v2-lite", "qwen3-14b", "gpt-oss-20b", NULL
};

static void
test_random (void)
{
  g_autoptr (GPtrArray) cases = NULL, tables = NULL;

  if (!fixture_has_python ())
    return;
  cases = fixture_random_cases (SHARDWISE_FORMAT_TORCHTITAN, models, 4000);
  g_assert_cmpuint (cases->len, >, 60);
  tables = fixture_read_cases (cases);
  for (guint i = 0; i < cases->len; i++)
    {
      fixture_check (tables->pdata[i], keys, G_N_ELEMENTS (keys));
      assert_valid (tables->pdata[i], cases->pdata[i]);
    }
}

static void
assert_valid_main (GHashTable *v, const FixtureCase *written)
{
  const SwStrategy *s = &written->strategy;
  guint dp = fixture_number (v, "p.data_parallel_replicate_degree", 0)
             * fixture_number (v, "p.data_parallel_shard_degree", 0);
  guint micro = fixture_number (v, "t.num_tokens_per_microbatch_per_dp_rank", 0);
  guint step = fixture_number (v, "t.num_tokens_per_train_step", 0);

  g_assert_cmpuint (dp, ==, s->dp);
  g_assert_cmpuint (step % (micro * fixture_number (v, "p.num_pp_microbatches", 1) * dp), ==, 0);
  g_assert_cmpuint (micro % (2 * s->tp * s->cp), ==, 0);
  if (s->pp > 1 || s->ep > 1)
    g_assert_cmpstr (fixture_text (v, "t.disable_cuda_graphs"), ==, "True");
  if (s->pp == 1)
    return;
  assert_valid_pipeline (v, "p.", written);
}

/* The registry's 405B computes in float8, which the prediction does not; layers of experts are
 * compiled, too, as predicted, though the registry compiles their loss alone. */
static void
test_compilation (void)
{
  static const struct {
    const char *model, *spec, *parts;
  } cases[] = {
    { "llama-3.1-405b", "model_registry('405B')", "model loss" },
    { "llama-3.1-8b", NULL, "model loss" },
    { "deepseek-v3", NULL, "model loss" },
  };

  if (!fixture_has_python ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (FixtureCase) written = { 0 };
      g_autoptr (GHashTable) values = NULL;

      fixture_case_init (&written, cases[i].model, 1, 1, 32);
      written.strategy.zero_stage = 3;
      values = fixture_case_read (&written, SHARDWISE_FORMAT_TORCHTITAN_MAIN);
      fixture_check (values, fields, G_N_ELEMENTS (fields));
      g_assert_cmpstr (fixture_text (values, "run.model_spec"), ==, cases[i].spec);
      g_assert_cmpstr (fixture_text (values, "CompileConfig(components)"), ==, cases[i].parts);
    }
}

static void
test_random_main (void)
{
  g_autoptr (GPtrArray) cases = NULL, tables = NULL;

  if (!fixture_has_python ())
    return;
  cases = fixture_random_cases (SHARDWISE_FORMAT_TORCHTITAN_MAIN, models, 4000);
  g_assert_cmpuint (cases->len, >, 20);
  tables = fixture_read_cases (cases);
  for (guint i = 0; i < cases->len; i++)
    {
      fixture_check (tables->pdata[i], fields, G_N_ELEMENTS (fields));
      assert_valid_main (tables->pdata[i], cases->pdata[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/torchtitan/reference", test_reference);
  g_test_add_func ("/torchtitan/virtual-stages", test_virtual_stages);
  g_test_add_func ("/torchtitan/uneven-stages", test_uneven_stages);
  g_test_add_func ("/torchtitan/escapes", test_escapes);
  g_test_add_func ("/torchtitan/random", test_random);
  g_test_add_func ("/torchtitan/compilation", test_compilation);
  g_test_add_func ("/torchtitan/random-main", test_random_main);

  return g_test_run ();
}
