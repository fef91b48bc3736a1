/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-torchtitan.h"

#include <glib/gi18n.h>

#include "shardwise-rule-conditions.h"
#include "sw-split.h"

/* What TorchTitan refuses: its registry of models, ParallelDims and the pipeline split of v0.2.2
 * and of the main branch of August 2026. */

static const ShardwiseTitanModel models[] = {
  { "llama-3-8b", "llama3", "8B", "llama3_8b", "Llama-3.1-8B" },
  { "llama-3.1-8b", "llama3", "8B", "llama3_8b", "Llama-3.1-8B" },
  { "llama-3-70b", "llama3", "70B", "llama3_70b", "Llama-3.1-70B" },
  { "llama-3.1-70b", "llama3", "70B", "llama3_70b", "Llama-3.1-70B" },
  { "llama-3.3-70b", "llama3", "70B", "llama3_70b", "Llama-3.1-70B" },
  { "llama-3.1-405b", "llama3", "405B", "llama3_405b", "Llama-3.1-405B", "llama3_70b" },
  { "llama-4-scout", "llama4", "17bx16e", NULL, "Llama-4-Scout-17B-16E" },
  { "llama-4-maverick", "llama4", "17bx128e", NULL, "Llama-4-Maverick-17B-128E" },
  { "deepseek-v2-lite", "deepseek_v3", "16B", "deepseek_v3_16b", "deepseek-moe-16b-base" },
  { "deepseek-v2", "deepseek_v3", "236B", NULL, "DeepSeek-V2" },
  { "deepseek-v3", "deepseek_v3", "671B", "deepseek_v3_671b", "DeepSeek-V3.1-Base" },
  { "qwen3-0.6b", "qwen3", "0.6B", "qwen3_0_6b", "Qwen3-0.6B" },
  { "qwen3-1.7b", "qwen3", "1.7B", "qwen3_1_7b", "Qwen3-1.7B" },
  { "qwen3-4b", "qwen3", "4B", NULL, "Qwen3-4B" },
  { "qwen3-8b", "qwen3", "8B", NULL, "Qwen3-8B" },
  { "qwen3-14b", "qwen3", "14B", "qwen3_14b", "Qwen3-14B" },
  { "qwen3-32b", "qwen3", "32B", "qwen3_32b", "Qwen3-32B" },
  { "qwen3-30b-a3b", "qwen3", "30B-A3B", "qwen3_30b_a3b", "Qwen3-30B-A3B" },
  { "qwen3-235b-a22b", "qwen3", "235B-A22B", NULL, "Qwen3-235B-A22B" },
  { "gpt-oss-20b", "gpt_oss", "20b", "gpt_oss_20b", "gpt-oss-20b" },
  { "gpt-oss-120b", "gpt_oss", "120b", "gpt_oss_120b", "gpt-oss-120b" },
};

/**
 * shardwise_titan_model:
 * @problem: the question
 *
 * Returns: (nullable): what TorchTitan calls the model
 */
const ShardwiseTitanModel *
shardwise_titan_model (const SwProblem *problem)
{
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    if (g_str_equal (models[i].id, problem->model.id))
      return &models[i];

  return NULL;
}

/**
 * shardwise_titan_model_of:
 * @function: of the main branch's registry, "llama3_8b"
 *
 * Returns: (nullable): the first model that it configures
 */
const ShardwiseTitanModel *
shardwise_titan_model_of (const char *function)
{
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    if (g_strcmp0 (models[i].function, function) == 0)
      return &models[i];

  return NULL;
}

/**
 * shardwise_titan_end_layers:
 * @problem: the question
 * @s: a strategy with a pipeline
 * @first: (out): how many layers the embedding counts for
 * @last: (out): how many the head does
 *
 * TorchTitan splits the layers and these evenly, what is left over to the first stages, and takes
 * these off again.
 */
void
shardwise_titan_end_layers (const SwProblem *problem, const SwStrategy *s, guint *first,
                            guint *last)
{
  SwSplit split;

  sw_split (problem, s, &split);
  /* Two stages that are even by rank may still not be by virtual stage. */
  *first = *last = s->vpp > 1 && problem->model.layers % (s->pp * s->vpp) != 0 ? 1 : 0;
  if (split.last == split.first && split.first == split.between && split.longer == 0)
    return;
  *first = sw_split_most_layers (&split) - split.first;
  *last = split.between - split.last;
}

/**
 * shardwise_titan_layers_per_stage:
 * @problem: the question
 * @s: a strategy with a pipeline
 *
 * Returns: the setting that gives each rank its virtual stages, or 0 where there is none
 */
guint
shardwise_titan_layers_per_stage (const SwProblem *problem, const SwStrategy *s)
{
  guint stages = s->pp * s->vpp, first, last, layers, n;

  shardwise_titan_end_layers (problem, s, &first, &last);
  layers = problem->model.layers + first + last;
  n = (layers + stages - 1) / stages;
  return (layers + n - 1) / n == stages ? n : 0;
}

static gboolean
has_model (const SwProblem *problem, const char *name)
{
  const ShardwiseTitanModel *model = shardwise_titan_model (problem);

  return model != NULL && g_str_equal (model->name, name);
}

static gboolean
unknown_model (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_titan_model (problem) == NULL;
}

static gboolean
unknown_on_main (const SwProblem *problem, const SwStrategy *s)
{
  const ShardwiseTitanModel *model = shardwise_titan_model (problem);

  return model == NULL || model->function == NULL;
}

static gboolean
no_pipeline (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && (has_model (problem, "qwen3") || has_model (problem, "gpt_oss"));
}

/* Flexible attention has no context parallelism in v0.2.2, nor has variable-length attention on
 * the main branch. */
static gboolean
flexible_attention (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && (has_model (problem, "deepseek_v3") || has_model (problem, "gpt_oss"));
}

static gboolean
varlen_attention (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && has_model (problem, "gpt_oss");
}

static gboolean
float8_latent (const SwProblem *problem, const SwStrategy *s)
{
  return s->tp > 1 && problem->training.precision == SW_PRECISION_FP8
         && has_model (problem, "deepseek_v3");
}

static gboolean
tied_pipeline (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && problem->model.tied_embeddings;
}

static gboolean
ddp_with_others (const SwProblem *problem, const SwStrategy *s)
{
  gboolean alone = s->dp > 1 && shardwise_titan_replicas (s) == s->dp;

  return (alone && (s->tp > 1 || s->pp > 1)) || (s->zero_stage == 0 && s->cp > 1);
}

static gboolean
plain_tensor (const SwProblem *problem, const SwStrategy *s)
{
  return s->tp > 1 && !s->sequence_parallel;
}

static gboolean
odd_sequence (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.sequence_length % (2 * s->tp * s->cp) != 0;
}

static gboolean
allgather_on_main (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->cp_method != SW_CP_ALLGATHER;
}

static gboolean
odd_stages (const SwProblem *problem, const SwStrategy *s)
{
  SwSplit split;

  sw_split (problem, s, &split);
  return s->pp > 1 && s->vpp > 1
         && (!sw_split_has_chunks (&split, s->vpp)
             || shardwise_titan_layers_per_stage (problem, s) == 0);
}

static gboolean
experts_split (const SwProblem *problem, const SwStrategy *s)
{
  guint group = s->dp / shardwise_titan_replicas (s);

  return s->ep > 1 && group * s->cp * s->tp % (s->ep * s->etp) != 0;
}

static gboolean
experts_alone (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.moe.experts > 0 && s->ep == 1 && s->etp != s->tp;
}

static gboolean
first_layers (const SwProblem *problem, const SwStrategy *s)
{
  return s->recompute == SW_RECOMPUTE_FULL_LAYERS;
}

static gboolean
other_offload (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload != SW_OFFLOAD_NONE
         && (s->offload != SW_OFFLOAD_OPTIMIZER_PARAMS || s->zero_stage != 3);
}

static gboolean
other_precision (const SwProblem *problem, const SwStrategy *s)
{
  SwPrecision precision = problem->training.precision;

  return precision == SW_PRECISION_FP16 || precision == SW_PRECISION_NVFP4;
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

const ShardwiseFormatRule shardwise_titan_common_rules[SHARDWISE_TITAN_N_COMMON_RULES] = {
  { "strategy.zero_stage", D (ZERO) | D (DP) | D (CP), shardwise_rule_has_zero_one,
    N_ ("TorchTitan’s FSDP shards gradients with the optimizer (ZeRO 2), parameters too (ZeRO 3), "
        "or nothing; ZeRO 1 does not exist there") },
  { "strategy.zero_stage", D (ZERO) | D (SHARD_GROUP) | D (DP) | D (TP) | D (PP) | D (CP),
    ddp_with_others,
    N_ ("TorchTitan runs unsharded replicas (ZeRO 0) with no other parallelism, and shards over CP "
        "always") },
  { "strategy.tp", D (TP), odd_sequence,
    N_ ("TorchTitan wants sequences that are a multiple of TP × 2 × CP") },
  { "strategy.cp_method", D (CP) | D (CP_METHOD), shardwise_rule_has_ulysses,
    N_ ("TorchTitan’s context parallelism is ring attention or all-gather, not Ulysses") },
  { "strategy.schedule", D (PP) | D (SCHEDULE), shardwise_rule_is_zero_bubble,
    N_ ("TorchTitan’s zero-bubble schedules need two stages per rank and are others than ZB-H1; "
        "GPipe, 1F1B and interleaved 1F1B are written") },
  { "strategy.vpp", D (PP) | D (VPP), odd_stages,
    N_ ("TorchTitan wants a number of layers per stage that gives each rank the same number of "
        "virtual stages") },
  { "strategy.ep", D (EP) | D (ETP) | D (TP) | D (CP) | D (DP) | D (ZERO) | D (SHARD_GROUP),
    experts_split,
    N_ ("TorchTitan takes expert groups out of the shards: EP × expert TP must divide shards × CP "
        "× TP") },
  { "strategy.etp", D (ETP) | D (EP) | D (TP), experts_alone,
    N_ ("TorchTitan splits experts otherwise than the rest with EP above 1 only") },
  { "strategy.recompute", D (RECOMPUTE), first_layers,
    N_ ("TorchTitan recomputes all layers whole, all selectively, or none") },
  { "strategy.offload", D (OFFLOAD) | D (ZERO), other_offload,
    N_ ("TorchTitan offloads parameters, gradients and optimizer together, with ZeRO 3") },
  { "training.optimizer", 0, shardwise_rule_is_not_adamw,
    N_ ("TorchTitan’s optimizers are Adam and AdamW") },
  { "training.type", 0, shardwise_rule_is_not_full_training,
    N_ ("TorchTitan trains all parameters of one model: pre-training and full fine-tuning") },
};

const ShardwiseFormatRule shardwise_torchtitan_rules[SHARDWISE_TORCHTITAN_N_RULES] = {
  { "strategy.pp", D (PP), no_pipeline,
    N_ ("TorchTitan splits Llama and DeepSeek into pipeline stages, not Qwen3 and gpt-oss; there "
        "PP is 1") },
  { "model", 0, unknown_model,
    N_ ("TorchTitan trains the models of its registry: Llama 3 and 4, DeepSeek V2 Lite, V2 and V3, "
        "Qwen3 and gpt-oss, each in its published sizes") },
  { "strategy.cp", D (CP), flexible_attention,
    N_ ("TorchTitan has context parallelism for plain attention, not for the flexible attention of "
        "its DeepSeek and gpt-oss; there CP is 1") },
  { "strategy.tp", D (TP), float8_latent,
    N_ ("TorchTitan’s DeepSeek has no tensor parallelism in fp8 with one scale per tensor; there "
        "TP "
        "is 1, or the scales are by row") },
  { "strategy.sequence_parallel", D (TP) | D (SP), plain_tensor,
    N_ ("TorchTitan’s tensor parallelism always comes with sequence parallelism") },
  { "training.precision", 0, other_precision,
    N_ ("TorchTitan trains in bf16, with fp8 or MXFP8 layers; it scales no loss, which fp16 "
        "needs") },
};

static gboolean
expert_tensor (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.moe.experts > 0 && s->ep > 1 && s->etp > 1;
}

const ShardwiseFormatRule shardwise_torchtitan_main_rules[SHARDWISE_TORCHTITAN_MAIN_N_RULES] = {
  { "model", 0, unknown_on_main,
    N_ ("TorchTitan’s main branch has configurations for Llama 3 8B, 70B and 405B, DeepSeek V3 16B "
        "and 671B, some Qwen3 sizes and gpt-oss") },
  { "strategy.pp", D (PP), tied_pipeline,
    N_ ("TorchTitan’s main branch does not split a model whose embedding and head share weights "
        "into pipeline stages; there PP is 1") },
  { "strategy.cp", D (CP), varlen_attention,
    N_ ("TorchTitan’s main branch has no context parallelism for the attention of its gpt-oss; "
        "there CP is 1") },
  { "strategy.etp", D (ETP) | D (EP), expert_tensor,
    N_ ("TorchTitan’s main branch has dropped tensor parallelism of experts beside EP; with EP "
        "above 1 expert TP is 1") },
  { "strategy.cp_method", D (CP) | D (CP_METHOD), allgather_on_main,
    N_ ("TorchTitan’s main branch has no setting for the ring; its context parallelism gathers "
        "keys and values") },
  { "training.precision", 0, shardwise_rule_is_not_bf16,
    N_ ("TorchTitan’s main branch sets 8-bit layers in the model’s own configuration; bf16 is "
        "written") },
};
