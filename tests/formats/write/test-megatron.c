/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules-fixture.h"
#include "shardwise-export-search.h"
#include "shardwise-resolve.h"

/* The arguments of Megatron-LM core 0.20.0 that a file may hold, with the types and choices of its
 * parser; any other is refused, and no abbreviation is taken. */
static const FixtureRule options[] = {
  { "--num-layers", FIXTURE_INT, NULL, TRUE },
  { "--hidden-size", FIXTURE_INT, NULL, TRUE },
  { "--ffn-hidden-size", FIXTURE_INT, NULL, TRUE },
  { "--num-attention-heads", FIXTURE_INT, NULL, TRUE },
  { "--group-query-attention", FIXTURE_FLAG },
  { "--num-query-groups", FIXTURE_INT },
  { "--kv-channels", FIXTURE_INT },
  { "--qk-layernorm", FIXTURE_FLAG },
  { "--multi-latent-attention", FIXTURE_FLAG },
  { "--q-lora-rank", FIXTURE_INT },
  { "--kv-lora-rank", FIXTURE_INT },
  { "--qk-head-dim", FIXTURE_INT },
  { "--qk-pos-emb-head-dim", FIXTURE_INT },
  { "--v-head-dim", FIXTURE_INT },
  { "--window-size", FIXTURE_TEXT },
  { "--window-attn-skip-freq", FIXTURE_INT },
  { "--seq-length", FIXTURE_INT, NULL, TRUE },
  { "--max-position-embeddings", FIXTURE_INT, NULL, TRUE },
  { "--position-embedding-type", FIXTURE_TEXT, "learned_absolute|rope|mrope|yarn|relative|none" },
  { "--rotary-base", FIXTURE_INT },
  { "--normalization", FIXTURE_TEXT, "LayerNorm|RMSNorm" },
  { "--norm-epsilon", FIXTURE_FLOAT },
  { "--swiglu", FIXTURE_FLAG },
  { "--disable-bias-linear", FIXTURE_FLAG },
  { "--add-qkv-bias", FIXTURE_FLAG },
  { "--untie-embeddings-and-output-weights", FIXTURE_FLAG },
  { "--attention-dropout", FIXTURE_FLOAT },
  { "--hidden-dropout", FIXTURE_FLOAT },
  { "--vocab-size", FIXTURE_INT },
  { "--make-vocab-size-divisible-by", FIXTURE_INT },
  { "--init-method-std", FIXTURE_FLOAT },
  { "--num-experts", FIXTURE_INT },
  { "--moe-router-topk", FIXTURE_INT },
  { "--moe-ffn-hidden-size", FIXTURE_INT },
  { "--moe-shared-expert-intermediate-size", FIXTURE_INT },
  { "--moe-shared-expert-gate", FIXTURE_FLAG },
  { "--moe-layer-freq", FIXTURE_TEXT },
  { "--moe-router-score-function", FIXTURE_TEXT, "softmax|sigmoid" },
  { "--moe-router-enable-expert-bias", FIXTURE_FLAG },
  { "--moe-router-pre-softmax", FIXTURE_FLAG },
  { "--moe-router-num-groups", FIXTURE_INT },
  { "--moe-router-group-topk", FIXTURE_INT },
  { "--moe-router-topk-scaling-factor", FIXTURE_FLOAT },
  { "--moe-grouped-gemm", FIXTURE_FLAG },
  { "--moe-permute-fusion", FIXTURE_FLAG },
  { "--moe-token-dispatcher-type", FIXTURE_TEXT, "allgather|alltoall|flex" },
  { "--moe-flex-dispatcher-backend", FIXTURE_TEXT, "deepep|hybridep" },
  { "--moe-router-dtype", FIXTURE_TEXT, "fp32|fp64" },
  { "--cuda-graph-impl", FIXTURE_TEXT, "none|local|transformer_engine|full_iteration" },
  { "--cuda-graph-modules", FIXTURE_LIST, "moe_router|moe_preprocess" },
  { "--moe-router-load-balancing-type", FIXTURE_LIST, "aux_loss|seq_aux_loss|sinkhorn|none" },
  { "--moe-aux-loss-coeff", FIXTURE_FLOAT },
  { "--mtp-num-layers", FIXTURE_INT },
  { "--tensor-model-parallel-size", FIXTURE_INT, NULL, TRUE },
  { "--pipeline-model-parallel-size", FIXTURE_INT, NULL, TRUE },
  { "--num-layers-per-virtual-pipeline-stage", FIXTURE_INT },
  { "--pipeline-model-parallel-layout", FIXTURE_TEXT },
  { "--account-for-embedding-in-pipeline-split", FIXTURE_FLAG },
  { "--account-for-loss-in-pipeline-split", FIXTURE_FLAG },
  { "--context-parallel-size", FIXTURE_INT, NULL, TRUE },
  { "--cp-comm-type", FIXTURE_LIST, "p2p|all_gather|a2a|a2a+p2p" },
  { "--expert-model-parallel-size", FIXTURE_INT },
  { "--expert-tensor-parallel-size", FIXTURE_INT },
  { "--sequence-parallel", FIXTURE_FLAG },
  { "--use-distributed-optimizer", FIXTURE_FLAG },
  { "--num-distributed-optimizer-instances", FIXTURE_INT },
  { "--overlap-grad-reduce", FIXTURE_FLAG },
  { "--overlap-param-gather", FIXTURE_FLAG },
  { "--no-overlap-p2p-communication", FIXTURE_FLAG },
  { "--tp-comm-overlap", FIXTURE_FLAG },
  { "--overlap-moe-expert-parallel-comm", FIXTURE_FLAG },
  { "--distributed-timeout-minutes", FIXTURE_INT },
  { "--micro-batch-size", FIXTURE_INT, NULL, TRUE },
  { "--global-batch-size", FIXTURE_INT, NULL, TRUE },
  { "--train-iters", FIXTURE_INT, NULL, TRUE },
  { "--lr-warmup-iters", FIXTURE_INT },
  { "--optimizer", FIXTURE_TEXT, "adam|sgd|muon|lion|soap|adaptive_muon" },
  { "--lr", FIXTURE_FLOAT },
  { "--min-lr", FIXTURE_FLOAT },
  { "--lr-decay-style", FIXTURE_TEXT, "constant|linear|cosine|inverse-square-root|WSD" },
  { "--weight-decay", FIXTURE_FLOAT },
  { "--adam-beta1", FIXTURE_FLOAT },
  { "--adam-beta2", FIXTURE_FLOAT },
  { "--sgd-momentum", FIXTURE_FLOAT },
  { "--clip-grad", FIXTURE_FLOAT },
  { "--bf16", FIXTURE_FLAG },
  { "--fp16", FIXTURE_FLAG },
  { "--fp8-format", FIXTURE_TEXT, "e4m3|hybrid" },
  { "--fp8-recipe", FIXTURE_TEXT, "tensorwise|delayed|mxfp8|blockwise" },
  { "--fp4-format", FIXTURE_TEXT, "e2m1" },
  { "--fp4-recipe", FIXTURE_TEXT, "nvfp4" },
  { "--recompute-granularity", FIXTURE_TEXT, "full|selective" },
  { "--recompute-method", FIXTURE_TEXT, "uniform|block" },
  { "--recompute-num-layers", FIXTURE_INT },
  { "--recompute-modules", FIXTURE_LIST,
    "core_attn|layernorm|mla_up_proj|mlp|moe|moe_act|shared_experts" },
  { "--use-precision-aware-optimizer", FIXTURE_FLAG },
  { "--optimizer-cpu-offload", FIXTURE_FLAG },
  { "--cpu-offloading-num-layers", FIXTURE_INT },
  { "--cross-entropy-loss-fusion", FIXTURE_FLAG, NULL, TRUE },
  { "--no-create-attention-mask-in-dataloader", FIXTURE_FLAG, NULL, TRUE },
  { "--attention-backend", FIXTURE_TEXT, "flash|fused|unfused|local|auto" },
  { "--mock-data", FIXTURE_FLAG },
  { "--tokenizer-type", FIXTURE_TEXT, "NullTokenizer" },
  { "--split", FIXTURE_TEXT },
  { "--log-interval", FIXTURE_INT },
  { "--eval-iters", FIXTURE_INT },
  { "--save-interval", FIXTURE_INT },
  { "--save", FIXTURE_TEXT },
  { "--load", FIXTURE_TEXT },
  { "--finetune", FIXTURE_FLAG },
  { "--ckpt-format", FIXTURE_TEXT, "torch|torch_dist|torch_dcp|fsdp_dtensor" },
  { "env CUDA_DEVICE_MAX_CONNECTIONS", FIXTURE_INT, "1" },
  { "torchrun --nnodes", FIXTURE_INT, NULL, TRUE },
  { "torchrun --nproc-per-node", FIXTURE_INT, NULL, TRUE },
  { "torchrun --node-rank", FIXTURE_TEXT },
  { "torchrun --master-addr", FIXTURE_TEXT },
  { "torchrun --master-port", FIXTURE_TEXT },
  { "script", FIXTURE_TEXT, "pretrain_gpt.py", TRUE },
};

/* validate_args(), as far as it is arithmetic. */
static void
assert_valid (GHashTable *v)
{
  guint world = fixture_number (v, "torchrun --nnodes", 0)
                * fixture_number (v, "torchrun --nproc-per-node", 0);
  guint tp = fixture_number (v, "--tensor-model-parallel-size", 1);
  guint pp = fixture_number (v, "--pipeline-model-parallel-size", 1);
  guint cp = fixture_number (v, "--context-parallel-size", 1);
  guint heads = fixture_number (v, "--num-attention-heads", 0);
  guint groups = fixture_number (v, "--num-query-groups", heads);
  guint experts = fixture_number (v, "--num-experts", 0);
  guint ep = fixture_number (v, "--expert-model-parallel-size", 1);
  guint etp = fixture_number (v, "--expert-tensor-parallel-size", tp);
  guint dp = world / (tp * pp * cp);
  guint sequence = fixture_number (v, "--seq-length", 0);

  g_assert_cmpuint (world % (tp * pp * cp), ==, 0);
  g_assert_cmpuint (fixture_number (v, "--global-batch-size", 0)
                        % (fixture_number (v, "--micro-batch-size", 1) * dp),
                    ==, 0);
  g_assert_cmpuint (heads % tp, ==, 0);
  g_assert_true (groups % tp == 0 || tp % groups == 0);
  g_assert_cmpuint (fixture_number (v, "--hidden-size", 0) % tp, ==, 0);
  g_assert_cmpuint (fixture_number (v, "--max-position-embeddings", 0), >=, sequence);
  if (cp > 1)
    g_assert_cmpuint (sequence % (2 * cp), ==, 0);
  if (experts > 0)
    {
      g_assert_cmpuint (experts % ep, ==, 0);
      g_assert_cmpuint (world % (etp * ep * pp), ==, 0);
    }
  else
    {
      g_assert_cmpuint (ep, ==, 1);
    }
  if (g_hash_table_contains (v, "--sequence-parallel"))
    g_assert_cmpuint (tp, >, 1);
  g_assert_true (g_hash_table_contains (v, "env CUDA_DEVICE_MAX_CONNECTIONS")
                 == (tp > 1 || cp > 1));
}

static void
assert_valid_stages (GHashTable *v)
{
  guint layers = fixture_number (v, "--num-layers", 0);
  guint pp = fixture_number (v, "--pipeline-model-parallel-size", 1);
  guint chunk = fixture_number (v, "--num-layers-per-virtual-pipeline-stage", 0);
  const char *layout = fixture_text (v, "--pipeline-model-parallel-layout");
  guint sum = 0;

  layers += g_hash_table_contains (v, "--account-for-embedding-in-pipeline-split");
  layers += g_hash_table_contains (v, "--account-for-loss-in-pipeline-split");
  if (layout == NULL)
    {
      g_assert_cmpuint (layers % pp, ==, 0);
      if (chunk > 0)
        {
          g_assert_cmpuint (pp, >,
                            g_hash_table_contains (v, "--no-overlap-p2p-communication") ? 2 : 1);
          g_assert_cmpuint (layers / pp % chunk, ==, 0);
        }
      return;
    }

  /* E, then t*N for each stage, m*N for multi-token prediction, L. */
  g_assert_cmpuint (chunk, ==, 0);
  g_assert_true (
      g_regex_match_simple ("^Et\\*[0-9]+(\\|t\\*[0-9]+)*(m\\*[0-9]+)?L$", layout, 0, 0));
  for (const char *c = strstr (layout, "t*"); c != NULL; c = strstr (c + 1, "t*"))
    sum += (guint) g_ascii_strtoull (c + 2, NULL, 10);
  g_assert_cmpuint (sum, ==, layers);
}

/* Whether a stage of the pipeline has virtual stages. */
static gboolean
has_chunks (GHashTable *v)
{
  const char *layout = fixture_text (v, "--pipeline-model-parallel-layout");
  g_auto (GStrv) parts = layout != NULL ? g_strsplit (layout, "|", -1) : NULL;

  return g_hash_table_contains (v, "--num-layers-per-virtual-pipeline-stage")
         || (parts != NULL
             && g_strv_length (parts) > fixture_number (v, "--pipeline-model-parallel-size", 1));
}

static void
assert_valid_switches (GHashTable *v)
{
  const char *granularity = fixture_text (v, "--recompute-granularity");
  gboolean sharded = g_hash_table_contains (v, "--use-distributed-optimizer");

  if (g_hash_table_contains (v, "--overlap-param-gather"))
    g_assert_true (sharded && g_hash_table_contains (v, "--overlap-grad-reduce"));
  if (g_strcmp0 (granularity, "full") == 0)
    g_assert_true (g_hash_table_contains (v, "--recompute-method")
                   && g_hash_table_contains (v, "--recompute-num-layers"));
  else
    g_assert_false (g_hash_table_contains (v, "--recompute-method"));
  if (g_hash_table_contains (v, "--optimizer-cpu-offload"))
    g_assert_true (g_hash_table_contains (v, "--use-precision-aware-optimizer") && sharded);
  if (g_hash_table_contains (v, "--cpu-offloading-num-layers"))
    g_assert_true (granularity == NULL
                   && fixture_number (v, "--pipeline-model-parallel-size", 0) == 1);
  if (g_hash_table_contains (v, "--multi-latent-attention"))
    g_assert_false (g_hash_table_contains (v, "--group-query-attention"));
  g_assert_true (g_hash_table_contains (v, "--bf16") != g_hash_table_contains (v, "--fp16"));
  g_assert_false (g_hash_table_contains (v, "--fp8-format")
                  && g_hash_table_contains (v, "--fp4-format"));
  if (g_hash_table_contains (v, "--add-qkv-bias"))
    g_assert_true (g_hash_table_contains (v, "--disable-bias-linear"));
  if (g_hash_table_contains (v, "--tp-comm-overlap"))
    g_assert_true (g_hash_table_contains (v, "--sequence-parallel"));
  if (g_hash_table_contains (v, "--overlap-moe-expert-parallel-comm"))
    g_assert_true (
        fixture_number (v, "--expert-model-parallel-size", 1) > 1
        && g_strcmp0 (granularity, "full") != 0
        && (fixture_number (v, "--pipeline-model-parallel-size", 1) == 1 || has_chunks (v))
        && !g_hash_table_contains (v, "env CUDA_DEVICE_MAX_CONNECTIONS"));
  /* "Please use --moe-router-pre-softmax when topk is 1" */
  if (fixture_number (v, "--moe-router-topk", 0) == 1
      && g_strcmp0 (fixture_text (v, "--moe-router-score-function"), "sigmoid") != 0)
    g_assert_true (g_hash_table_contains (v, "--moe-router-pre-softmax"));
}

static void
assert_accepted (GHashTable *values)
{
  fixture_check (values, options, G_N_ELEMENTS (options));
  assert_valid (values);
  assert_valid_stages (values);
  assert_valid_switches (values);
}

/* Virtual stage after virtual stage, the layout gives each rank the layers that were predicted. */
static void
assert_says_layout (const char *layout, const FixtureCase *written)
{
  const SwStrategy *s = &written->strategy;
  g_auto (GStrv) parts = g_strsplit (layout, "|", -1);

  g_assert_cmpuint (g_strv_length (parts), ==, s->pp * s->vpp);
  for (guint stage = 0; stage < s->pp; stage++)
    {
      guint held = 0;

      for (guint chunk = 0; chunk < s->vpp; chunk++)
        held += (guint) g_ascii_strtoull (strstr (parts[chunk * s->pp + stage], "t*") + 2, NULL,
                                          10);
      g_assert_cmpuint (held, ==, sw_stage_layers (&written->problem, s, stage));
    }
}

/* The file says the strategy that it was written for. */
static void
assert_says (GHashTable *v, const FixtureCase *written)
{
  const SwStrategy *s = &written->strategy;
  guint vpp = fixture_number (v, "--num-layers-per-virtual-pipeline-stage", 0);
  const char *layout = fixture_text (v, "--pipeline-model-parallel-layout");
  guint layers = written->problem.model.layers
                 + (g_hash_table_contains (v, "--account-for-loss-in-pipeline-split") ? 2 : 0);

  g_assert_cmpuint (fixture_number (v, "--tensor-model-parallel-size", 0), ==, s->tp);
  g_assert_cmpuint (fixture_number (v, "--pipeline-model-parallel-size", 0), ==, s->pp);
  g_assert_cmpuint (fixture_number (v, "--context-parallel-size", 0), ==, s->cp);
  g_assert_cmpuint (fixture_number (v, "--micro-batch-size", 0), ==, s->micro_batch);
  if (layout != NULL)
    assert_says_layout (layout, written);
  else
    g_assert_cmpuint (vpp > 0 ? layers / s->pp / vpp : 1, ==, s->vpp);
  g_assert_true (g_hash_table_contains (v, "--use-distributed-optimizer") == (s->zero_stage == 1));
  g_assert_true (g_hash_table_contains (v, "--sequence-parallel") == s->sequence_parallel);
  g_assert_true (g_hash_table_contains (v, "--recompute-granularity")
                 == (s->recompute != SW_RECOMPUTE_NONE));
  if (written->problem.model.moe.experts > 0)
    {
      g_assert_cmpuint (fixture_number (v, "--expert-model-parallel-size", 0), ==, s->ep);
      g_assert_cmpuint (fixture_number (v, "--expert-tensor-parallel-size", 0), ==, s->etp);
    }
  /* Counted by virtual stage; offloaded layers must be fewer than all. */
  if (s->recompute == SW_RECOMPUTE_FULL_LAYERS)
    g_assert_cmpuint (fixture_number (v, "--recompute-num-layers", 0) * s->vpp, ==, s->full_layers);
  if (s->offload == SW_OFFLOAD_ACTIVATIONS)
    g_assert_cmpuint (fixture_number (v, "--cpu-offloading-num-layers", 0), ==,
                      written->problem.model.layers - 1);
  if (s->zero_stage == 1)
    g_assert_cmpuint (fixture_number (v, "--num-distributed-optimizer-instances", 1), ==,
                      s->dp / s->shard_group);
}

static void
test_reference (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (GHashTable) values = NULL;

  if (!fixture_has_python ())
    return;
  fixture_case_init (&written, "llama-3-70b", 8, 4, 1);
  written.strategy.sequence_parallel = TRUE;
  written.strategy.vpp = 4;
  written.strategy.schedule = SW_SCHEDULE_INTERLEAVED;
  written.strategy.recompute = SW_RECOMPUTE_SELECTIVE;
  values = fixture_case_read (&written, SHARDWISE_FORMAT_MEGATRON);

  assert_accepted (values);
  g_assert_cmpstr (fixture_text (values, "--num-layers-per-virtual-pipeline-stage"), ==, "5");
  g_assert_cmpstr (fixture_text (values, "--global-batch-size"), ==, "128");
  g_assert_cmpstr (fixture_text (values, "--recompute-granularity"), ==, "selective");
  g_assert_cmpstr (fixture_text (values, "--num-query-groups"), ==, "8");
  fixture_compare_with_golden (fixture_file (written.files, "megatron.sh"), "megatron.sh");
}

static void
test_experts (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (GHashTable) values = NULL;

  if (!fixture_has_python ())
    return;
  fixture_case_init (&written, "deepseek-v3", 2, 4, 4);
  written.strategy.etp = 1;
  written.strategy.ep = 8;
  written.strategy.micro_batch = 1;
  written.strategy.sequence_parallel = TRUE;
  values = fixture_case_read (&written, SHARDWISE_FORMAT_MEGATRON);

  assert_accepted (values);
  g_assert_cmpstr (fixture_text (values, "--pipeline-model-parallel-layout"), ==,
                   "Et*16|t*16|t*16|t*13m*1L");
  g_assert_cmpstr (fixture_text (values, "--moe-layer-freq"), ==, "([0]*3+[1]*58)");
  g_assert_cmpstr (fixture_text (values, "--expert-model-parallel-size"), ==, "8");
  g_assert_cmpstr (fixture_text (values, "--expert-tensor-parallel-size"), ==, "1");
}

/* The architecture of AMD's GPUs is numbered 9, below Blackwell's 10, from which on one connection
 * is not asked for. */
static void
test_connections (void)
{
  static const struct {
    SwGeneration generation;
    gboolean wanted;
  } cases[] = {
    { SW_GENERATION_AMPERE, TRUE },     { SW_GENERATION_HOPPER, TRUE },
    { SW_GENERATION_BLACKWELL, FALSE }, { SW_GENERATION_RUBIN, FALSE },
    { SW_GENERATION_CDNA, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      g_autoptr (ShardwiseExport) files = NULL;

      fixture_problem ("llama-3-70b", 32, &problem);
      problem.cluster.gpu.generation = cases[i].generation;
      fixture_strategy (8, 4, 1, &strategy);
      files = fixture_written (SHARDWISE_FORMAT_MEGATRON, &problem, &strategy);
      g_assert_true (
          (strstr (fixture_file (files, "megatron.sh"), "\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\n")
           != NULL)
          == cases[i].wanted);
    }
}

static void
test_precision (void)
{
  static const struct {
    SwPrecision precision;
    const char *format, *recipe;
  } cases[] = {
    { SW_PRECISION_FP8, "--fp8-format hybrid\n", "--fp8-recipe tensorwise\n" },
    { SW_PRECISION_MXFP8, "--fp8-format e4m3\n", "--fp8-recipe mxfp8\n" },
    { SW_PRECISION_NVFP4, "--fp4-format e2m1\n", "--fp4-recipe nvfp4\n" },
  };

  g_autoptr (ShardwiseScenario) scenario = scenario_of (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-70b\"}, \"cluster\": {\"gpu\": \"b200-180-sxm\", \"gpus\": 32}, \"training\": "
      "{\"sequence_length\": 8192, \"global_batch_size\": 128}}");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      g_autoptr (ShardwiseExport) files = NULL;
      g_autoptr (GError) error = NULL;
      const char *text;

      shardwise_scenario_resolve (scenario, &problem, NULL, &error);
      g_assert_no_error (error);
      problem.training.precision = cases[i].precision;
      fixture_strategy (8, 4, 1, &strategy);
      files = fixture_write (SHARDWISE_FORMAT_MEGATRON, &problem, &strategy, &error);
      g_assert_no_error (error);
      text = fixture_file (files, "megatron.sh");
      g_assert_nonnull (strstr (text, cases[i].format));
      g_assert_nonnull (strstr (text, cases[i].recipe));
      g_assert_nonnull (strstr (text, "--bf16\n"));
    }
}

/* The base of the rotary positions is the family's, of models that a longer prefix names too. */
static void
test_rotary_base (void)
{
  static const char *const cases[][2] = {
    { "llama-2-7b", "10000" },
    { "llama-33b", "10000" },
    { "llama-3.1-8b", "500000" },
    { "codellama-70b", "1000000" },
    { "yi-34b", "5000000" },
    { "phi-4", "250000" },
    { "phi-4-mini", "10000" },
    { "starcoder2-15b", "100000" },
    { "mistral-small-24b", "100000000" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      g_autofree char *option = g_strdup_printf ("--rotary-base %s\n", cases[i][1]);
      g_autoptr (ShardwiseExport) files = NULL;

      fixture_problem (cases[i][0], 32, &problem);
      fixture_strategy (1, 1, 32, &strategy);
      files = fixture_written (SHARDWISE_FORMAT_MEGATRON, &problem, &strategy);
      g_assert_nonnull (strstr (fixture_file (files, "megatron.sh"), option));
    }
}

/* What is recommended is what is written, also where one replica has nothing to shard: offloading
 * goes through the distributed optimizer. */
static void
test_offload (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3.1-405b\"}, \"cluster\": {\"gpus\": 40, \"inter_node\": \"infiniband\"}, "
      "\"training\": {\"type\": \"finetune\", \"sequence_length\": 8192, "
      "\"global_batch_size\": 64}}");
  g_autoptr (GError) error = NULL;
  SwEstimate estimate;
  g_autoptr (ShardwiseExport) script = shardwise_export_best (SHARDWISE_FORMAT_MEGATRON, scenario,
                                                              NULL, &estimate, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (estimate.strategy.dp, ==, 1);
  g_assert_cmpuint (estimate.strategy.offload, ==, SW_OFFLOAD_OPTIMIZER);
  g_assert_nonnull (strstr (fixture_file (script, "megatron.sh"), "--use-distributed-optimizer"));
  g_assert_nonnull (strstr (fixture_file (script, "megatron.sh"), "--optimizer-cpu-offload"));
}

static void
test_random (void)
{
  static const char *const models[] = { "llama-3-8b",      "llama-3-70b",   "mixtral-8x7b",
                                        "gpt3-6.7b",       "qwen2-7b",      "deepseek-v2-lite",
                                        "qwen3-8b",        "qwen3-30b-a3b", "starcoder2-15b",
                                        "mistral-7b-v0.1", "llama-4-scout", NULL };
  g_autoptr (GPtrArray) cases = NULL, tables = NULL;

  if (!fixture_has_python ())
    return;
  cases = fixture_random_cases (SHARDWISE_FORMAT_MEGATRON, models, 2500);
  g_assert_cmpuint (cases->len, >, 100);
  tables = fixture_read_cases (cases);
  for (guint i = 0; i < cases->len; i++)
    {
      assert_accepted (tables->pdata[i]);
      assert_says (tables->pdata[i], cases->pdata[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/megatron/reference", test_reference);
  g_test_add_func ("/megatron/experts", test_experts);
  g_test_add_func ("/megatron/connections", test_connections);
  g_test_add_func ("/megatron/precision", test_precision);
  g_test_add_func ("/megatron/rotary-base", test_rotary_base);
  g_test_add_func ("/megatron/offload", test_offload);
  g_test_add_func ("/megatron/random", test_random);

  return g_test_run ();
}
