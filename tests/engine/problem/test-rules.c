/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-fixture.h"

#include "sw-framework.h"
#include "sw-rules.h"

#include <math.h>

#define CHANGES 8

/* The reference strategy (Llama 3 70B, 32 H100s) or that of Mixtral with some dimensions changed,
 * and the rule that this breaks. */
typedef struct {
  const char *name;
  SwFramework framework;
  gboolean is_mixtral;
  struct {
    SwDimension dimension;
    guint value;
  } changes[CHANGES];
  SwRule rule;
} Case;

#define END                                                                                        \
  {                                                                                                \
    SW_N_DIMENSIONS, 0                                                                             \
  }
#define CORE SW_FRAMEWORK_MEGATRON_CORE

static const Case cases[] = {
  { "reference", CORE, FALSE, { END }, SW_RULE_OK },
  { "fewer GPUs", CORE, FALSE, { { SW_DIM_PP, 2 }, END }, SW_RULE_OK },
  { "too many GPUs", CORE, FALSE, { { SW_DIM_DP, 2 }, END }, SW_RULE_WORLD_SIZE },
  { "64 heads by 3", CORE, FALSE, { { SW_DIM_TP, 3 }, { SW_DIM_ETP, 3 }, END }, SW_RULE_TP_HEADS },
  { "8 KV heads by 16",
    CORE,
    FALSE,
    { { SW_DIM_TP, 16 }, { SW_DIM_ETP, 16 }, { SW_DIM_PP, 2 }, END },
    SW_RULE_OK },
  { "8 KV heads by 16, FSDP2",
    SW_FRAMEWORK_FSDP2,
    FALSE,
    { { SW_DIM_TP, 16 }, { SW_DIM_ETP, 16 }, { SW_DIM_PP, 2 }, { SW_DIM_ZERO, 0 }, END },
    SW_RULE_TP_KV_HEADS },
  { "etp neither 1 nor tp", CORE, FALSE, { { SW_DIM_ETP, 4 }, END }, SW_RULE_ETP },
  { "80 layers over 3, uneven", CORE, FALSE, { { SW_DIM_PP, 3 }, END }, SW_RULE_OK },
  { "80 layers over 3, 2021",
    SW_FRAMEWORK_MEGATRON_2021,
    FALSE,
    { { SW_DIM_PP, 3 }, END },
    SW_RULE_PP_LAYERS },
  { "more stages than layers",
    CORE,
    FALSE,
    { { SW_DIM_TP, 1 }, { SW_DIM_ETP, 1 }, { SW_DIM_SP, 0 }, { SW_DIM_PP, 81 }, END },
    SW_RULE_WORLD_SIZE },
  { "20 layers in 5 chunks",
    CORE,
    FALSE,
    { { SW_DIM_VPP, 5 }, { SW_DIM_SCHEDULE, SW_SCHEDULE_INTERLEAVED }, END },
    SW_RULE_OK },
  { "20 layers in 3 chunks",
    CORE,
    FALSE,
    { { SW_DIM_VPP, 3 }, { SW_DIM_SCHEDULE, SW_SCHEDULE_INTERLEAVED }, END },
    SW_RULE_VPP_LAYERS },
  { "chunks without interleaving", CORE, FALSE, { { SW_DIM_VPP, 5 }, END }, SW_RULE_VPP_LAYERS },
  { "interleaving one stage",
    CORE,
    FALSE,
    { { SW_DIM_PP, 1 }, { SW_DIM_VPP, 5 }, { SW_DIM_SCHEDULE, SW_SCHEDULE_INTERLEAVED }, END },
    SW_RULE_VPP_LAYERS },
  { "2 micro-batches over 4 interleaved stages",
    CORE,
    FALSE,
    { { SW_DIM_VPP, 5 },
      { SW_DIM_SCHEDULE, SW_SCHEDULE_INTERLEAVED },
      { SW_DIM_MICRO_BATCH, 64 },
      END },
    SW_RULE_VPP_MICRO_BATCHES },
  { "8192 tokens over 3 context ranks",
    CORE,
    FALSE,
    { { SW_DIM_PP, 1 }, { SW_DIM_CP, 3 }, END },
    SW_RULE_CP_SEQUENCE },
  { "Ulysses over KV heads",
    CORE,
    FALSE,
    { { SW_DIM_PP, 1 }, { SW_DIM_CP, 4 }, { SW_DIM_CP_METHOD, SW_CP_ULYSSES }, END },
    SW_RULE_OK },
  { "experts of a dense model", CORE, FALSE, { { SW_DIM_EP, 2 }, END }, SW_RULE_EP_EXPERTS },
  { "batch of 128 by 3", CORE, FALSE, { { SW_DIM_MICRO_BATCH, 3 }, END }, SW_RULE_BATCH },
  { "shard group over dp", CORE, FALSE, { { SW_DIM_SHARD_GROUP, 2 }, END }, SW_RULE_SHARD_GROUP },
  { "sequence parallelism without tp",
    CORE,
    FALSE,
    { { SW_DIM_TP, 1 }, { SW_DIM_ETP, 1 }, END },
    SW_RULE_SEQUENCE_PARALLEL },
  { "Megatron with ZeRO 2", CORE, FALSE, { { SW_DIM_ZERO, 2 }, END }, SW_RULE_FRAMEWORK_ZERO },
  { "Megatron with GPipe",
    CORE,
    FALSE,
    { { SW_DIM_SCHEDULE, SW_SCHEDULE_GPIPE }, END },
    SW_RULE_FRAMEWORK_SCHEDULE },
  { "Megatron with parameters on the host",
    CORE,
    FALSE,
    { { SW_DIM_OFFLOAD, SW_OFFLOAD_OPTIMIZER_PARAMS }, END },
    SW_RULE_FRAMEWORK_OFFLOAD },
  { "Megatron with the optimizer on the host",
    CORE,
    FALSE,
    { { SW_DIM_OFFLOAD, SW_OFFLOAD_OPTIMIZER }, END },
    SW_RULE_OK },
  { "Megatron with the optimizer on the host and ZeRO 0",
    CORE,
    FALSE,
    { { SW_DIM_OFFLOAD, SW_OFFLOAD_OPTIMIZER }, { SW_DIM_ZERO, 0 }, END },
    SW_RULE_FRAMEWORK_OFFLOAD },
  { "Megatron with activations on the host",
    CORE,
    FALSE,
    { { SW_DIM_OFFLOAD, SW_OFFLOAD_ACTIVATIONS },
      { SW_DIM_PP, 1 },
      { SW_DIM_RECOMPUTE, SW_RECOMPUTE_NONE },
      END },
    SW_RULE_OK },
  { "Megatron with activations of a pipeline on the host",
    CORE,
    FALSE,
    { { SW_DIM_OFFLOAD, SW_OFFLOAD_ACTIVATIONS }, { SW_DIM_RECOMPUTE, SW_RECOMPUTE_NONE }, END },
    SW_RULE_FRAMEWORK_OFFLOAD },
  { "Megatron with some activations on the host and some recomputed",
    CORE,
    FALSE,
    { { SW_DIM_OFFLOAD, SW_OFFLOAD_ACTIVATIONS },
      { SW_DIM_PP, 1 },
      { SW_DIM_RECOMPUTE, SW_RECOMPUTE_SELECTIVE },
      END },
    SW_RULE_FRAMEWORK_OFFLOAD },

  { "Mixtral", CORE, TRUE, { END }, SW_RULE_OK },
  { "8 experts over 3", CORE, TRUE, { { SW_DIM_EP, 3 }, END }, SW_RULE_EP_EXPERTS },
  { "16 ranks of experts among 8",
    CORE,
    TRUE,
    { { SW_DIM_TP, 2 },
      { SW_DIM_ETP, 2 },
      { SW_DIM_DP, 4 },
      { SW_DIM_SHARD_GROUP, 4 },
      { SW_DIM_SP, 1 },
      END },
    SW_RULE_EP_WORLD },
  { "experts and tp without sequence parallelism",
    CORE,
    TRUE,
    { { SW_DIM_TP, 2 }, { SW_DIM_ETP, 1 }, { SW_DIM_DP, 4 }, { SW_DIM_SHARD_GROUP, 4 }, END },
    SW_RULE_FRAMEWORK_SP },
  { "Nanotron has no expert parallelism",
    SW_FRAMEWORK_NANOTRON,
    TRUE,
    { END },
    SW_RULE_FRAMEWORK_EP },
  { "Mixtral on 2021's Megatron", SW_FRAMEWORK_MEGATRON_2021, TRUE, { END }, SW_RULE_FRAMEWORK_EP },

  { "DeepSpeed pipeline with ZeRO 1",
    SW_FRAMEWORK_DEEPSPEED,
    FALSE,
    { { SW_DIM_SP, 0 }, { SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL }, END },
    SW_RULE_OK },
  { "DeepSpeed pipeline with ZeRO 2",
    SW_FRAMEWORK_DEEPSPEED,
    FALSE,
    { { SW_DIM_SP, 0 }, { SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL }, { SW_DIM_ZERO, 2 }, END },
    SW_RULE_FRAMEWORK_ZERO },
  { "DeepSpeed without pipeline with ZeRO 2",
    SW_FRAMEWORK_DEEPSPEED,
    FALSE,
    { { SW_DIM_SP, 0 },
      { SW_DIM_PP, 1 },
      { SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL },
      { SW_DIM_ZERO, 2 },
      END },
    SW_RULE_OK },
  { "DeepSpeed recomputes all or nothing",
    SW_FRAMEWORK_DEEPSPEED,
    FALSE,
    { { SW_DIM_SP, 0 }, END },
    SW_RULE_FRAMEWORK_RECOMPUTE },
  { "DeepSpeed has no ring attention",
    SW_FRAMEWORK_DEEPSPEED,
    FALSE,
    { { SW_DIM_SP, 0 },
      { SW_DIM_PP, 1 },
      { SW_DIM_CP, 2 },
      { SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL },
      END },
    SW_RULE_FRAMEWORK_CP },
  { "DeepSpeed checkpoints of a pipeline on the host",
    SW_FRAMEWORK_DEEPSPEED,
    FALSE,
    { { SW_DIM_SP, 0 },
      { SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL },
      { SW_DIM_OFFLOAD, SW_OFFLOAD_ACTIVATIONS },
      END },
    SW_RULE_OK },
  { "DeepSpeed activations on the host",
    SW_FRAMEWORK_DEEPSPEED,
    FALSE,
    { { SW_DIM_SP, 0 },
      { SW_DIM_RECOMPUTE, SW_RECOMPUTE_NONE },
      { SW_DIM_OFFLOAD, SW_OFFLOAD_ACTIVATIONS },
      END },
    SW_RULE_FRAMEWORK_OFFLOAD },
  { "DeepSpeed checkpoints without a pipeline on the host",
    SW_FRAMEWORK_DEEPSPEED,
    FALSE,
    { { SW_DIM_SP, 0 },
      { SW_DIM_PP, 1 },
      { SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL },
      { SW_DIM_OFFLOAD, SW_OFFLOAD_ACTIVATIONS },
      END },
    SW_RULE_FRAMEWORK_OFFLOAD },
  { "DeepSpeed parameters on the host below ZeRO 3",
    SW_FRAMEWORK_DEEPSPEED,
    FALSE,
    { { SW_DIM_SP, 0 },
      { SW_DIM_PP, 1 },
      { SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL },
      { SW_DIM_ZERO, 2 },
      { SW_DIM_OFFLOAD, SW_OFFLOAD_OPTIMIZER_PARAMS },
      END },
    SW_RULE_FRAMEWORK_OFFLOAD },

  { "Nanotron, all recomputed",
    SW_FRAMEWORK_NANOTRON,
    FALSE,
    { { SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL }, END },
    SW_RULE_OK },
  { "Nanotron recomputes all or nothing",
    SW_FRAMEWORK_NANOTRON,
    FALSE,
    { END },
    SW_RULE_FRAMEWORK_RECOMPUTE },
  { "Nanotron does not interleave",
    SW_FRAMEWORK_NANOTRON,
    FALSE,
    { { SW_DIM_VPP, 5 }, { SW_DIM_SCHEDULE, SW_SCHEDULE_INTERLEAVED }, END },
    SW_RULE_FRAMEWORK_PP },
  { "Nanotron has no fresh context parallelism",
    SW_FRAMEWORK_NANOTRON,
    FALSE,
    { { SW_DIM_PP, 2 }, { SW_DIM_CP, 2 }, END },
    SW_RULE_FRAMEWORK_CP },
  { "Nanotron without sequence parallelism: tp_mode ALL_REDUCE",
    SW_FRAMEWORK_NANOTRON,
    FALSE,
    { { SW_DIM_SP, 0 }, { SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL }, END },
    SW_RULE_OK },

  { "FSDP has no pipeline",
    SW_FRAMEWORK_FSDP,
    FALSE,
    { { SW_DIM_ZERO, 3 }, END },
    SW_RULE_FRAMEWORK_PP },
  { "FSDP with tensor parallelism",
    SW_FRAMEWORK_FSDP,
    FALSE,
    { { SW_DIM_ZERO, 3 }, { SW_DIM_PP, 1 }, END },
    SW_RULE_OK },
  { "FSDP has no ZeRO 1",
    SW_FRAMEWORK_FSDP,
    FALSE,
    { { SW_DIM_PP, 1 }, END },
    SW_RULE_FRAMEWORK_ZERO },
  { "FSDP2 with a pipeline", SW_FRAMEWORK_FSDP2, FALSE, { { SW_DIM_ZERO, 3 }, END }, SW_RULE_OK },
  { "FSDP2 with GPipe",
    SW_FRAMEWORK_FSDP2,
    FALSE,
    { { SW_DIM_ZERO, 3 }, { SW_DIM_SCHEDULE, SW_SCHEDULE_GPIPE }, END },
    SW_RULE_OK },
  { "hybrid sharding with FSDP2",
    SW_FRAMEWORK_FSDP2,
    FALSE,
    { { SW_DIM_ZERO, 3 }, { SW_DIM_PP, 1 }, { SW_DIM_DP, 4 }, { SW_DIM_SHARD_GROUP, 2 }, END },
    SW_RULE_OK },
  { "hybrid sharding in 2021",
    SW_FRAMEWORK_MEGATRON_2021,
    FALSE,
    { { SW_DIM_PP, 1 }, { SW_DIM_DP, 4 }, { SW_DIM_SHARD_GROUP, 2 }, END },
    SW_RULE_SHARD_GROUP },
};

/* Mixtral 8x7B on 8 GPUs: EP 8, DP 8. */
static void
mixtral_case (SwProblem *problem, SwStrategy *strategy)
{
  SwModelSpec model;

  sw_fixture_mixtral_8x7b (&model);
  sw_fixture_problem (problem, &model, 8);
  sw_strategy_init_default (strategy);
  strategy->dp = strategy->ep = strategy->shard_group = 8;
  strategy->zero_stage = 1;
}

static void
test_cases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      SwRule rule;

      if (cases[i].is_mixtral)
        mixtral_case (&problem, &strategy);
      else
        {
          sw_fixture_problem_70b (&problem);
          sw_fixture_strategy_70b (&strategy);
        }
      strategy.framework = (guint8) cases[i].framework;
      for (guint c = 0; cases[i].changes[c].dimension != SW_N_DIMENSIONS; c++)
        sw_strategy_set (&strategy, cases[i].changes[c].dimension, cases[i].changes[c].value);
      rule = sw_rules_check (&problem, &strategy);
      g_test_message ("%s: %s", cases[i].name, sw_rule_names[rule]);
      g_assert_cmpstr (sw_rule_names[rule], ==, sw_rule_names[cases[i].rule]);
    }
}

static void
test_names_are_complete (void)
{
  for (guint i = 0; i < SW_N_RULES; i++)
    g_assert_nonnull (sw_rule_names[i]);
  g_assert_null (sw_rule_names[SW_N_RULES]);
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    g_assert_nonnull (sw_dimension_names[i]);
  g_assert_null (sw_dimension_names[SW_N_DIMENSIONS]);
}

/* H100 has FP8 and no block-scaled formats, an A100 neither. */
static void
test_precision (void)
{
  static const struct {
    SwFramework framework;
    SwPrecision precision;
    SwGeneration generation;
    SwRule rule;
  } table[] = {
    { CORE, SW_PRECISION_BF16, SW_GENERATION_HOPPER, SW_RULE_OK },
    { CORE, SW_PRECISION_FP8, SW_GENERATION_HOPPER, SW_RULE_OK },
    { CORE, SW_PRECISION_MXFP8, SW_GENERATION_HOPPER, SW_RULE_PRECISION },
    { CORE, SW_PRECISION_MXFP8, SW_GENERATION_BLACKWELL, SW_RULE_OK },
    { CORE, SW_PRECISION_NVFP4, SW_GENERATION_HOPPER, SW_RULE_PRECISION },
    { CORE, SW_PRECISION_NVFP4, SW_GENERATION_BLACKWELL, SW_RULE_OK },
    { CORE, SW_PRECISION_FP8, SW_GENERATION_AMPERE, SW_RULE_PRECISION },
    { CORE, SW_PRECISION_BF16, SW_GENERATION_VOLTA, SW_RULE_PRECISION },
    { CORE, SW_PRECISION_FP16, SW_GENERATION_VOLTA, SW_RULE_OK },
    { SW_FRAMEWORK_NANOTRON, SW_PRECISION_FP8, SW_GENERATION_HOPPER, SW_RULE_PRECISION },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      SwGpu *gpu = &problem.cluster.gpu;

      sw_fixture_problem_70b (&problem);
      sw_fixture_strategy_70b (&strategy);
      strategy.framework = (guint8) table[i].framework;
      strategy.recompute = SW_RECOMPUTE_FULL;
      problem.training.precision = table[i].precision;
      gpu->generation = table[i].generation;
      if (table[i].generation < SW_GENERATION_HOPPER)
        gpu->peak_fp8_flops_per_s = 0;
      if (table[i].generation == SW_GENERATION_VOLTA)
        gpu->peak_bf16_flops_per_s = 0;
      if (table[i].generation == SW_GENERATION_BLACKWELL)
        gpu->peak_fp4_flops_per_s = 9e15;
      g_assert_cmpstr (sw_rule_names[sw_rules_check (&problem, &strategy)], ==,
                       sw_rule_names[table[i].rule]);
    }
}

/* Sequence parallelism and selective recomputation came in 2022. */
static void
test_software_year (void)
{
  SwProblem problem;
  SwStrategy strategy;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  strategy.framework = SW_FRAMEWORK_MEGATRON_2021;
  problem.training.software_year = 2023;
  g_assert_cmpint (sw_rules_check (&problem, &strategy), ==, SW_RULE_OK);
  problem.training.software_year = 2021.5;
  g_assert_cmpint (sw_rules_check (&problem, &strategy), ==, SW_RULE_FRAMEWORK_RECOMPUTE);
  strategy.recompute = SW_RECOMPUTE_FULL;
  g_assert_cmpint (sw_rules_check (&problem, &strategy), ==, SW_RULE_FRAMEWORK_SP);
  strategy.sequence_parallel = FALSE;
  g_assert_cmpint (sw_rules_check (&problem, &strategy), ==, SW_RULE_OK);
}

static void
test_pins (void)
{
  SwProblem problem;
  SwStrategy strategy;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  for (guint d = 0; d < SW_N_DIMENSIONS; d++)
    {
      problem.pins.mask = 1u << d;
      problem.pins.value = strategy;
      g_assert_cmpint (sw_rules_check (&problem, &strategy), ==, SW_RULE_OK);
      sw_strategy_set (&problem.pins.value, (SwDimension) d,
                       sw_strategy_get (&strategy, (SwDimension) d) == 0 ? 1 : 0);
      g_assert_cmpint (sw_rules_check (&problem, &strategy), ==, SW_RULE_PIN);
    }
}

static void
test_strategy_accessors (void)
{
  SwStrategy a, b;

  for (guint d = 0; d < SW_N_DIMENSIONS; d++)
    {
      sw_strategy_init_default (&a);
      b = a;
      g_assert_true (sw_strategy_equal (&a, &b));
      sw_strategy_set (&b, (SwDimension) d, sw_strategy_get (&a, (SwDimension) d) == 0 ? 1 : 0);
      g_assert_false (sw_strategy_equal (&a, &b));
    }
  sw_fixture_strategy_70b (&a);
  g_assert_cmpuint (sw_strategy_gpus (&a), ==, 32);
  a.dp = 4;
  a.ep = 8;
  a.etp = 1;
  g_assert_cmpuint (sw_strategy_edp (&a), ==, 4);
  b = a;
  b.tp = 65536;
  b.cp = 65536;
  g_assert_cmpuint (sw_strategy_gpus (&b), ==, G_MAXUINT);
}

static void
test_simpler_comes_first (void)
{
  SwStrategy simple, sharded, deep, offloaded;

  sw_strategy_init_default (&simple);
  simple.dp = simple.shard_group = 8;
  sharded = simple;
  sharded.zero_stage = 3;
  deep = simple;
  deep.dp = deep.shard_group = 4;
  deep.tp = 2;
  g_assert_cmpuint (sw_strategy_complexity (&simple), <, sw_strategy_complexity (&sharded));
  g_assert_cmpuint (sw_strategy_complexity (&sharded), <, sw_strategy_complexity (&deep));
  offloaded = simple;
  offloaded.offload = SW_OFFLOAD_OPTIMIZER;
  deep.zero_stage = 3;
  g_assert_cmpuint (sw_strategy_complexity (&deep), <, sw_strategy_complexity (&offloaded));
}

static void
test_prepare_fills_in (void)
{
  static const struct {
    guint sequence, batch;
  } batches[] = {
    { 8192, 128 },   { 4096, 256 },  { 2048, 512 }, { 131072, 8 }, { 1048576, 1 },
    { 1u << 30, 1 }, { 1, 1048576 }, { 3000, 256 }, { 6000, 128 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (batches); i++)
    {
      SwProblem problem;

      sw_fixture_problem_70b (&problem);
      problem.training.sequence_length = batches[i].sequence;
      problem.training.global_batch = 0;
      problem.training.software_year = 0;
      problem.cluster.nvlink_domain = 0;
      problem.cluster.usable_bytes = 0;
      sw_problem_prepare (&problem);
      g_assert_cmpuint (problem.training.global_batch, ==, batches[i].batch);
      g_assert_cmpuint (problem.cluster.nvlink_domain, ==, 8);
      g_assert_cmpfloat (problem.training.software_year, ==, 2026.5);
      g_assert_cmpfloat (problem.cluster.usable_bytes, ==, 79.19 * SW_GIB);
      g_assert_cmpfloat_with_epsilon (problem.count.total / 1e9, 70.5537, 1e-4);
    }
}

/* The batch where none is stated: by the job, more on many GPUs, and divided by them. */
static void
test_default_batch (void)
{
  static const struct {
    SwTrainingType type;
    guint gpus, batch;
  } jobs[] = {
    { SW_TRAINING_PRETRAIN, 1, 256 },      { SW_TRAINING_PRETRAIN, 6, 192 },
    { SW_TRAINING_PRETRAIN, 7, 224 },      { SW_TRAINING_PRETRAIN, 72, 288 },
    { SW_TRAINING_PRETRAIN, 1024, 256 },   { SW_TRAINING_PRETRAIN, 2048, 512 },
    { SW_TRAINING_PRETRAIN, 16384, 4096 }, { SW_TRAINING_PRETRAIN, 1021, 256 },
    { SW_TRAINING_QLORA, 1, 32 },          { SW_TRAINING_LORA, 6, 24 },
    { SW_TRAINING_FINETUNE, 64, 64 },      { SW_TRAINING_FINETUNE, 4096, 1024 },
    { SW_TRAINING_RLHF, 8, 256 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      SwProblem problem;

      sw_fixture_problem_70b (&problem);
      problem.training.type = jobs[i].type;
      problem.training.sequence_length = 4096;
      problem.training.global_batch = 0;
      problem.cluster.gpus = jobs[i].gpus;
      sw_problem_prepare (&problem);
      g_assert_cmpuint (problem.training.global_batch, ==, jobs[i].batch);
    }
}

/* Any of these is within the ranges of a scenario. */
static guint
extreme (GRand *rand)
{
  static const guint values[] = { 0,    1,     2,     3,      7,        8,       64,
                                  1000, 10000, 65536, 131072, 1u << 20, 1u << 30 };

  return values[g_rand_int_range (rand, 0, G_N_ELEMENTS (values))];
}

static void
extreme_problem (GRand *rand, SwProblem *problem)
{
  SwModelSpec *model = &problem->model;

  sw_fixture_problem_70b (problem);
  model->layers = MAX (extreme (rand), 1);
  model->hidden_size = MAX (extreme (rand), 1);
  model->intermediate_size = MAX (extreme (rand), 1);
  model->attention_heads = MAX (extreme (rand), 1);
  model->kv_heads = MAX (extreme (rand), 1);
  model->head_dim = MAX (extreme (rand), 1);
  model->vocab_size = MAX (extreme (rand), 1);
  if (g_rand_boolean (rand))
    model->moe = (SwMoe){ .experts = extreme (rand),
                          .top_k = extreme (rand),
                          .intermediate_size = MAX (extreme (rand), 1),
                          .shared_intermediate_size = extreme (rand),
                          .first_dense_layers = extreme (rand),
                          .layer_frequency = extreme (rand) };
  problem->training.sequence_length = MAX (extreme (rand), 1);
  problem->training.global_batch = extreme (rand);
  problem->cluster.gpus = MAX (extreme (rand), 1);
  sw_problem_prepare (problem);
}

/* Whatever is asked for, the check answers; and what it lets pass has a finite memory. */
static void
test_extremes (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20261123);
  guint passed = 0;

  for (guint i = 0; i < 200000; i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      SwMemory memory;

      extreme_problem (rand, &problem);
      if (!sw_fixture_random_strategy (rand, &problem, &strategy))
        for (guint d = 0; d < 3; d++)
          sw_strategy_set (&strategy, (SwDimension) g_rand_int_range (rand, 0, SW_DIM_SP),
                           extreme (rand));
      if (sw_rules_check (&problem, &strategy) != SW_RULE_OK)
        continue;
      passed++;
      sw_fixture_memory (&problem, &strategy, &memory);
      g_assert_true (isfinite (memory.peak.total) && memory.peak.total > 0);
      g_assert_true (isfinite (memory.host_bytes) && memory.host_bytes >= 0);
    }
  g_test_message ("%u of 200000 break no rule", passed);
  g_assert_cmpuint (passed, >, 100);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rules/cases", test_cases);
  g_test_add_func ("/rules/names-are-complete", test_names_are_complete);
  g_test_add_func ("/rules/precision", test_precision);
  g_test_add_func ("/rules/software-year", test_software_year);
  g_test_add_func ("/rules/pins", test_pins);
  g_test_add_func ("/rules/extremes", test_extremes);
  g_test_add_func ("/strategy/accessors", test_strategy_accessors);
  g_test_add_func ("/strategy/simpler-comes-first", test_simpler_comes_first);
  g_test_add_func ("/problem/prepare-fills-in", test_prepare_fills_in);
  g_test_add_func ("/problem/default-batch", test_default_batch);
  return g_test_run ();
}
