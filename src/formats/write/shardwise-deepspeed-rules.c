/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-deepspeed.h"

#include <glib/gi18n.h>

#include "shardwise-rule-conditions.h"

/* What DeepSpeed 0.19.6 refuses; the sources are its PipelineEngine, auto_ep_folding.py, the
 * asserts of engine.py and its configuration page. */

/* Model families by the start of their catalogue id. */
typedef struct {
  const char *prefix, *preset;
} Preset;

static const Preset tp_presets[] = {
  { "llama-4", NULL },      { "llama", "llama" },
  { "codellama", "llama" }, { "tinyllama", "llama" },
  { "mistral", "llama" },   { "yi-", "llama" },
  { "bloom", "bloom" },     { "chatglm", "chatglm" },
  { "mixtral", "mixtral" }, { "deepseek-v2", "deepseek_v2" },
  { "qwen2-57b", NULL },    { "qwen1.5", "qwen2" },
  { "qwen2", "qwen2" },     { "phi-3", "phi3" },
};

static const Preset ep_presets[] = {
  { "mixtral", "mixtral" },         { "qwen3-30b", "qwen3_moe" },     { "qwen3-235b", "qwen3_moe" },
  { "deepseek-v2", "deepseek_v2" }, { "deepseek-v3", "deepseek_v3" },
};

static const char *
find_preset (const Preset *presets, gsize n, const char *model_id)
{
  for (gsize i = 0; i < n; i++)
    if (g_str_has_prefix (model_id, presets[i].prefix))
      return presets[i].preset;

  return NULL;
}

/**
 * shardwise_deepspeed_tp_preset:
 * @model_id: a catalogue id, or ""
 *
 * Returns: (nullable): AutoTP's preset for that family; without one AutoTP takes the plan that the
 * Hugging Face model brings
 */
const char *
shardwise_deepspeed_tp_preset (const char *model_id)
{
  return find_preset (tp_presets, G_N_ELEMENTS (tp_presets), model_id);
}

/**
 * shardwise_deepspeed_ep_preset:
 * @model_id: a catalogue id, or ""
 *
 * Returns: (nullable): AutoEP's preset for that family
 */
const char *
shardwise_deepspeed_ep_preset (const char *model_id)
{
  return find_preset (ep_presets, G_N_ELEMENTS (ep_presets), model_id);
}

/**
 * shardwise_deepspeed_has_optimizer:
 * @optimizer: an optimizer
 *
 * Returns: whether the JSON can name it; else it is made in Python
 */
gboolean
shardwise_deepspeed_has_optimizer (SwOptimizer optimizer)
{
  return optimizer == SW_OPTIMIZER_ADAMW || optimizer == SW_OPTIMIZER_MUON
         || optimizer == SW_OPTIMIZER_SGD;
}

static gboolean
pp_zero (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && s->zero_stage > 1;
}

static gboolean
sequence_parallel (const SwProblem *problem, const SwStrategy *s)
{
  return s->sequence_parallel;
}

static gboolean
pp_schedule (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && s->schedule != SW_SCHEDULE_1F1B;
}

static gboolean
cp_method (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->cp_method != SW_CP_ULYSSES;
}

static gboolean
cp_tp (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->tp > 1;
}

static gboolean
cp_pp (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->pp > 1;
}

static gboolean
cp_ep (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->ep > 1;
}

static gboolean
ep_family (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && shardwise_deepspeed_ep_preset (problem->model.id) == NULL;
}

static gboolean
ep_tp (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && s->tp > 1;
}

static gboolean
ep_etp (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && s->etp > 1;
}

static gboolean
ep_pp (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && s->pp > 1;
}

static gboolean
group_stage (const SwProblem *problem, const SwStrategy *s)
{
  return s->shard_group < s->dp && s->zero_stage != 3 && s->zero_stage != 0;
}

static gboolean
group_others (const SwProblem *problem, const SwStrategy *s)
{
  return s->shard_group < s->dp && s->zero_stage == 3 && (s->tp > 1 || s->ep > 1 || s->cp > 1);
}

static gboolean
offload_without_zero (const SwProblem *problem, const SwStrategy *s)
{
  return (s->offload == SW_OFFLOAD_OPTIMIZER || s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
         && s->zero_stage == 0;
}

static gboolean
offload_activations (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload == SW_OFFLOAD_ACTIVATIONS && (s->pp == 1 || s->recompute != SW_RECOMPUTE_FULL);
}

/* DeepSpeed would take another optimizer, but update it on the host with the GPU's code. */
static gboolean
offload_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  return (s->offload == SW_OFFLOAD_OPTIMIZER || s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
         && problem->training.optimizer != SW_OPTIMIZER_ADAMW;
}

static gboolean
adapters_pp (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_export_has_adapters (problem) && s->pp > 1;
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

const ShardwiseFormatRule shardwise_deepspeed_rules[SHARDWISE_DEEPSPEED_N_RULES] = {
  { "strategy.zero_stage", D (PP) | D (ZERO), pp_zero,
    N_ ("DeepSpeed’s pipeline engine refuses ZeRO 2 and 3; with a pipeline it runs ZeRO 0 and "
        "1") },
  { "strategy.sequence_parallel", D (SP), sequence_parallel,
    N_ ("DeepSpeed’s tensor parallelism comes without sequence parallelism") },
  { "strategy.vpp", D (VPP), shardwise_rule_has_vpp,
    N_ ("DeepSpeed’s pipeline has no virtual stages: one stage per GPU") },
  { "strategy.schedule", D (PP) | D (SCHEDULE), pp_schedule,
    N_ ("DeepSpeed’s pipeline runs 1F1B and nothing else") },
  { "strategy.recompute", D (RECOMPUTE), shardwise_rule_has_partial_recompute,
    N_ ("DeepSpeed recomputes all layers or none") },
  { "strategy.cp_method", D (CP) | D (CP_METHOD), cp_method,
    N_ ("DeepSpeed splits sequences with Ulysses, not by ring or all-gather") },
  { "strategy.cp", D (CP) | D (TP), cp_tp,
    N_ ("DeepSpeed’s mesh has data and sequence only: Ulysses goes with TP 1") },
  { "strategy.cp", D (CP) | D (PP), cp_pp,
    N_ ("DeepSpeed’s mesh has data and sequence only: Ulysses goes with PP 1") },
  { "strategy.ep", D (CP) | D (EP), cp_ep,
    N_ ("DeepSpeed’s AutoEP does not go with sequence parallelism; beside CP, EP is 1") },
  { "strategy.ep", D (EP), ep_family,
    N_ ("DeepSpeed’s AutoEP knows the experts of Mixtral, Qwen3-MoE and DeepSeek V2 and V3 only; "
        "elsewhere EP is 1") },
  { "strategy.ep", D (EP) | D (TP), ep_tp,
    N_ ("DeepSpeed’s AutoEP cannot be combined with AutoTP; beside TP, EP is 1") },
  { "strategy.etp", D (EP) | D (ETP), ep_etp,
    N_ ("DeepSpeed’s AutoEP keeps each expert whole: expert TP is 1") },
  { "strategy.ep", D (EP) | D (PP), ep_pp,
    N_ ("DeepSpeed’s AutoEP finds experts in a whole Hugging Face model, not in a pipeline; beside "
        "a pipeline, EP is 1") },
  { "strategy.shard_group", D (SHARD_GROUP) | D (ZERO) | D (DP), group_stage,
    N_ ("DeepSpeed shards over a part of the replicas with ZeRO 3 (MiCS) only") },
  { "strategy.shard_group", D (SHARD_GROUP) | D (ZERO) | D (DP) | D (TP), group_others,
    N_ ("DeepSpeed’s MiCS goes with TP, EP and CP 1 only") },
  { "strategy.offload", D (OFFLOAD) | D (ZERO), offload_without_zero,
    N_ ("DeepSpeed offloads the optimizer with ZeRO 1 to 3 only") },
  { "strategy.offload", D (OFFLOAD) | D (ZERO), shardwise_rule_offloads_whole,
    N_ ("DeepSpeed offloads parameters with ZeRO 3 only") },
  { "strategy.offload", D (OFFLOAD) | D (PP) | D (RECOMPUTE), offload_activations,
    N_ ("DeepSpeed offloads the checkpoints of fully recomputed pipeline layers only, no other "
        "activations") },
  { "strategy.tp", D (TP), shardwise_rule_splits_adapters,
    N_ ("DeepSpeed’s AutoTP does not split the adapters of LoRA; there TP is 1") },
  { "strategy.pp", D (PP), adapters_pp,
    N_ ("The adapters of LoRA wrap a whole Hugging Face model, not a DeepSpeed pipeline; there PP "
        "is 1") },
  { "strategy.offload", D (OFFLOAD), offload_optimizer,
    N_ ("DeepSpeed’s optimizer on the host is AdamW; with another optimizer nothing is "
        "offloaded") },
};
