/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of tools that fine-tune share: rules, names of Hugging Face's trainer, DeepSpeed's
 * JSON for it. Read in the sources of TRL 1.9, Axolotl 0.18, LLaMA-Factory 0.9.5, torchtune 0.7,
 * Unsloth 2026.8 and of transformers' TrainingArguments; tests/data/tools holds their fields. */
#include "shardwise-export-tuning.h"

#include <glib/gi18n.h>

#include "shardwise-export-names.h"
#include "sw-framework.h"

/* ---- what they run ---- */

/**
 * shardwise_tuning_route:
 * @strategy: a strategy
 *
 * Returns: what shards its states; one GPU shards nothing
 */
ShardwiseRoute
shardwise_tuning_route (const SwStrategy *strategy)
{
  if (strategy->framework == SW_FRAMEWORK_DEEPSPEED)
    return strategy->dp * strategy->cp == 1 && strategy->offload == SW_OFFLOAD_NONE
               ? SHARDWISE_ROUTE_PLAIN
               : SHARDWISE_ROUTE_DEEPSPEED;
  if (strategy->zero_stage == 0
      || (strategy->dp * strategy->cp == 1 && strategy->offload != SW_OFFLOAD_OPTIMIZER_PARAMS))
    return SHARDWISE_ROUTE_PLAIN;
  return strategy->framework == SW_FRAMEWORK_FSDP ? SHARDWISE_ROUTE_FSDP1 : SHARDWISE_ROUTE_FSDP2;
}

/**
 * shardwise_tuning_wraps:
 * @strategy: a strategy
 *
 * Returns: whether FSDP wraps its layers, of either version
 */
gboolean
shardwise_tuning_wraps (const SwStrategy *strategy)
{
  const ShardwiseRoute route = shardwise_tuning_route (strategy);

  return route == SHARDWISE_ROUTE_FSDP1 || route == SHARDWISE_ROUTE_FSDP2;
}

/**
 * shardwise_tuning_is_pure:
 * @problem: the question
 *
 * Returns: whether the optimizer updates 16-bit weights themselves
 */
gboolean
shardwise_tuning_is_pure (const SwProblem *problem)
{
  return problem->training.no_master || problem->training.parameter_bytes == 2;
}

/* Whether the question says something of the precision of states. */
static gboolean
has_states (const SwTraining *training)
{
  return training->master_bytes > 0 || training->parameter_bytes > 0 || training->gradient_bytes > 0
         || training->moment_bytes > 0;
}

/**
 * shardwise_tuning_keeps_masters:
 *
 * Returns: whether full fine-tuning is to keep fp32 weights: a rule of tools that have none. One
 * that leaves it open is written as the tool does it, by shardwise_tuning_set_pure()
 */
gboolean
shardwise_tuning_keeps_masters (const SwProblem *problem, const SwStrategy *s)
{
  return !shardwise_export_has_adapters (problem) && !shardwise_tuning_is_pure (problem)
         && has_states (&problem->training);
}

/**
 * shardwise_tuning_set_pure:
 * @problem: (inout): a question of full fine-tuning by a tool that trains in 16 bits throughout
 *
 * Makes it so where the question leaves it open.
 */
void
shardwise_tuning_set_pure (SwProblem *problem)
{
  SwTraining *training = &problem->training;

  if (shardwise_export_has_adapters (problem) || has_states (training))
    return;
  training->no_master = TRUE;
  training->gradient_bytes = 2;
  if (training->optimizer == SW_OPTIMIZER_ADAMW)
    training->moment_bytes = 2;
}

/* Trainers of TRL 1.9 (ORPO, CPO and GKD are experimental there), rl of Axolotl, stage and pref_loss of
 * LLaMA-Factory, modules of openrlhf.cli. */
static const ShardwiseTuningMethod methods[] = {
  { SW_METHOD_TOKENS, SW_ALGORITHM_DPO, "SFT", "trl", NULL, NULL, "sft", NULL, "train_sft" },
  { SW_METHOD_TOKENS, SW_ALGORITHM_PPO, NULL, NULL, NULL, NULL, NULL, NULL, "train_ppo_ray" },
  { SW_METHOD_TOKENS, SW_ALGORITHM_GRPO, "GRPO", "trl", NULL, "grpo", NULL, NULL, "train_ppo_ray" },
  { SW_METHOD_TOKENS, SW_ALGORITHM_RLOO, "RLOO", "trl", NULL, NULL, NULL, NULL, "train_ppo_ray" },
  { SW_METHOD_PREFERENCE, SW_ALGORITHM_DPO, "DPO", "trl", "sigmoid", "dpo", "dpo", "sigmoid",
    "train_dpo" },
  { SW_METHOD_PREFERENCE, SW_ALGORITHM_IPO, "DPO", "trl", "ipo", "ipo", "dpo", "ipo", "train_dpo" },
  { SW_METHOD_PREFERENCE, SW_ALGORITHM_KTO, "KTO", "trl", NULL, "kto", "kto", NULL, NULL },
  { SW_METHOD_PREFERENCE, SW_ALGORITHM_ORPO, "ORPO", "trl.experimental.orpo", NULL, "orpo", "dpo",
    "orpo", NULL },
  { SW_METHOD_PREFERENCE, SW_ALGORITHM_SIMPO, "CPO", "trl.experimental.cpo", "simpo", "simpo",
    "dpo", "simpo", NULL },
  { SW_METHOD_REWARD, SW_ALGORITHM_DPO, "Reward", "trl", NULL, NULL, "rm", NULL, "train_rm" },
  { SW_METHOD_DISTILL, SW_ALGORITHM_DPO, "GKD", "trl.experimental.gkd", NULL, NULL, NULL, NULL,
    NULL },
};

/**
 * shardwise_tuning_method:
 * @problem: the question
 *
 * Returns: (transfer none): what the tools call what it learns from
 */
const ShardwiseTuningMethod *
shardwise_tuning_method (const SwProblem *problem)
{
  const SwTraining *training = &problem->training;
  const SwAlgorithm algorithm = training->type == SW_TRAINING_RLHF
                                        || training->method == SW_METHOD_PREFERENCE
                                    ? training->algorithm
                                    : SW_ALGORITHM_DPO;

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    if (methods[i].method == training->method && methods[i].algorithm == algorithm)
      return &methods[i];
  return &methods[0];
}

/* ---- rules ---- */

/**
 * shardwise_tuning_is_distilled:
 *
 * Returns: whether it learns from a teacher: a rule of tools that have no teacher in memory
 */
gboolean
shardwise_tuning_is_distilled (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.method == SW_METHOD_DISTILL;
}

/**
 * shardwise_tuning_teacher:
 * @problem: a question of distillation
 * @knows: (nullable): which models the tool has
 *
 * Returns: (transfer none) (nullable): a model of the size that is set for the teacher, with the
 *   tokenizer of the student: logits are compared one by one
 */
const SwModelSpec *
shardwise_tuning_teacher (const SwProblem *problem, gboolean (*knows) (const SwModelSpec *model))
{
  return shardwise_names_sibling (&problem->model,
                                  problem->training.frozen_copies * problem->count.total, knows);
}

/**
 * shardwise_tuning_learns_otherwise:
 *
 * Returns: whether it learns from pairs of answers or from a teacher: a rule of what trains on the
 * next token, or by reinforcement, alone
 */
gboolean
shardwise_tuning_learns_otherwise (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.method != SW_METHOD_TOKENS;
}

/**
 * shardwise_tuning_has_dora:
 *
 * Returns: whether adapters are DoRA's: a rule of what has none
 */
gboolean
shardwise_tuning_has_dora (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_export_has_adapters (problem) && problem->training.lora_dora;
}

/* A reference model where the algorithm has none, or none if it has one. */
static gboolean
other_reference (const SwProblem *problem, const SwStrategy *s)
{
  const SwTraining *training = &problem->training;
  const double own = training->algorithm == SW_ALGORITHM_KTO ? 2 : 0;

  return training->method == SW_METHOD_PREFERENCE
         && (training->forward_passes > own) != (training->algorithm < SW_ALGORITHM_ORPO);
}

/* A part of the modules, of a family whose projections have no separate names. */
static gboolean
other_modules (const SwProblem *problem, const SwStrategy *s)
{
  const guint modules = problem->training.lora_modules;

  return shardwise_export_has_adapters (problem) && modules != 0 && modules != SW_LORA_ATTENTION
         && modules != (SW_LORA_ATTENTION | SW_LORA_MLP)
         && !shardwise_names_projections_apart (&problem->model);
}

static gboolean
splits_pairs (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && shardwise_tuning_learns_otherwise (problem, s);
}

static gboolean
compares_nothing (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.method == SW_METHOD_PREFERENCE
         && problem->training.algorithm == SW_ALGORITHM_KTO && s->micro_batch == 1;
}

static gboolean
is_pretraining (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.type == SW_TRAINING_PRETRAIN;
}

static gboolean
has_tp (const SwProblem *problem, const SwStrategy *s)
{
  return s->tp > 1;
}

static gboolean
has_pp (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1;
}

/* Neither bf16 nor fp16. */
gboolean
shardwise_tuning_other_precision (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.precision != SW_PRECISION_BF16
         && problem->training.precision != SW_PRECISION_FP16;
}

static gboolean
shards_by_one (const SwProblem *problem, const SwStrategy *s)
{
  return sw_framework_is_fsdp (s->framework) && s->dp > 1 && s->zero_stage == 1;
}

static gboolean
shards_sequences_alone (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->zero_stage == 0;
}

/* FSDP 1 shards over the GPUs of a node or all, DeepSpeed over all. */
gboolean
shardwise_tuning_other_group (const SwProblem *problem, const SwStrategy *s)
{
  if (s->framework == SW_FRAMEWORK_FSDP2 || s->zero_stage == 0 || s->shard_group == s->dp)
    return FALSE;
  return s->framework != SW_FRAMEWORK_FSDP || s->shard_group != problem->cluster.gpus_per_node;
}

static gboolean
other_offload (const SwProblem *problem, const SwStrategy *s)
{
  switch ((SwOffload) s->offload)
    {
    case SW_OFFLOAD_NONE: return FALSE;
    case SW_OFFLOAD_OPTIMIZER: return s->framework != SW_FRAMEWORK_DEEPSPEED || s->zero_stage == 0;
    case SW_OFFLOAD_OPTIMIZER_PARAMS: return s->zero_stage != 3;
    case SW_OFFLOAD_ACTIVATIONS:
    default: return s->recompute != SW_RECOMPUTE_FULL;
    }
}

static gboolean
other_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer == SW_OPTIMIZER_MUON
         || problem->training.optimizer == SW_OPTIMIZER_SGD;
}

static gboolean
shards_bitsandbytes (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_route (s) == SHARDWISE_ROUTE_FSDP2
         && (problem->training.optimizer == SW_OPTIMIZER_PAGED_ADAM8BIT
             || problem->training.optimizer == SW_OPTIMIZER_LION);
}

static gboolean
shards_adafactor (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer == SW_OPTIMIZER_ADAFACTOR
         && shardwise_tuning_route (s) != SHARDWISE_ROUTE_PLAIN;
}

/* Gradients and moments with a separate precision; those of pure 16-bit training follow the
 * weights. */
static gboolean
other_states (const SwProblem *problem, const SwStrategy *s)
{
  const SwTraining *training = &problem->training;
  const double usual = shardwise_tuning_is_pure (problem) ? 2 : 4;

  return training->moment_bytes == 1
         || (training->gradient_bytes > 0 && training->gradient_bytes != usual)
         || (training->moment_bytes > 0 && training->moment_bytes != usual);
}

static gboolean
pure_deepspeed (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_is_pure (problem)
         && shardwise_tuning_route (s) == SHARDWISE_ROUTE_DEEPSPEED;
}

/**
 * shardwise_tuning_trains_policy:
 *
 * Returns: whether it is reinforcement learning: a rule of tools that have none
 */
gboolean
shardwise_tuning_trains_policy (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.type == SW_TRAINING_RLHF;
}

/**
 * shardwise_tuning_is_not_grpo:
 *
 * Returns: whether it is reinforcement learning of another kind than GRPO: a rule of tools that are
 * written with that alone
 */
gboolean
shardwise_tuning_is_not_grpo (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.type == SW_TRAINING_RLHF
         && problem->training.algorithm != SW_ALGORITHM_GRPO;
}

/**
 * shardwise_tuning_has_plain_pure:
 *
 * Returns: whether full fine-tuning shards nothing and keeps fp32 weights: a rule of tools that load
 * 16-bit weights there
 */
gboolean
shardwise_tuning_has_plain_pure (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_keeps_masters (problem, s)
         && shardwise_tuning_route (s) == SHARDWISE_ROUTE_PLAIN;
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

static const ShardwiseFormatRule rules[] = {
  { SHARDWISE_KEY_TRAINING_TYPE, 0, is_pretraining,
    N_ ("A fine-tuning tool starts from trained weights; for pre-training, use another "
        "framework") },
  { SHARDWISE_KEY_TRAINING_RLHF_REFERENCE, 0, other_reference,
    N_ ("DPO, IPO and KTO require a reference model, ORPO and SimPO do not use one; the tools "
        "offer no choice") },
  { SHARDWISE_KEY_TRAINING_LORA_MODULES, 0, other_modules,
    N_ ("Adapters on a part of the modules require separate projections, as in Llama, Mistral, "
        "Qwen and Gemma") },
  { SHARDWISE_KEY_STRATEGY_CP, D (CP), splits_pairs,
    N_ ("Trainers for preferences, rewards and distillation do not split sequences; CP must be "
        "1") },
  { SHARDWISE_KEY_STRATEGY_PP, D (PP), has_pp,
    N_ ("Fine-tuning tools have no pipeline parallelism; PP must be 1") },
  { SHARDWISE_KEY_STRATEGY_VPP, D (VPP), sw_rule_has_vpp,
    N_ ("Fine-tuning tools have no pipeline parallelism and therefore no virtual stages") },
  { SHARDWISE_KEY_STRATEGY_EP, D (EP), sw_rule_has_ep,
    N_ ("Shardwise writes fine-tuning tools without expert parallelism; EP must be 1") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), has_tp,
    N_ ("Fine-tuning tools support tensor parallelism for some models only, and Shardwise does not "
        "write it; TP must be 1") },
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE, D (RECOMPUTE), sw_rule_has_partial_recompute,
    N_ ("Gradient checkpointing recomputes whole layers: all or none") },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO) | D (DP), shards_by_one,
    N_ ("FSDP shards gradients and optimizer (ZeRO 2), parameters too (ZeRO 3), or nothing; it has "
        "no ZeRO 1") },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO) | D (CP), shards_sequences_alone,
    N_ ("FSDP also shards over the ranks of context parallelism; CP above 1 requires ZeRO 2 or "
        "3") },
  { SHARDWISE_KEY_STRATEGY_SHARD_GROUP, D (SHARD_GROUP) | D (ZERO) | D (DP),
    shardwise_tuning_other_group,
    N_ ("FSDP 2 shards over a part of the replicas, FSDP 1 over those of one node; DeepSpeed "
        "shards over all") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD) | D (ZERO) | D (RECOMPUTE), other_offload,
    N_ ("The tools offload all sharded states of FSDP (ZeRO 3), the optimizer of DeepSpeed and, "
        "with ZeRO 3, its parameters, or the activations that checkpointing keeps") },
  { SHARDWISE_KEY_TRAINING_PRECISION, 0, shardwise_tuning_other_precision,
    N_ ("Shardwise writes fine-tuning tools in bf16 and fp16; their 8-bit layers depend on the "
        "backend") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, 0, other_optimizer,
    N_ ("Shardwise writes fine-tuning tools with AdamW, 8-bit and paged AdamW, Adafactor and Lion; "
        "their SGD has no momentum") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, D (ZERO) | D (DP), shards_bitsandbytes,
    N_ ("Lion and paged 8-bit AdamW come from bitsandbytes, which does not support the sharded "
        "tensors of FSDP 2; use FSDP 1 or DeepSpeed") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, D (ZERO) | D (DP), shards_adafactor,
    N_ ("Adafactor needs the norms of rows and columns, which sharding splits; it requires states "
        "that are not sharded (ZeRO 0)") },
  { SHARDWISE_KEY_TRAINING_STATES_MOMENTS, 0, other_states,
    N_ ("Gradients and moments have the precision of the trained weights") },
};

/* Of those that Hugging Face's trainer runs. */
static const ShardwiseFormatRule trainer_rules[] = {
  { SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, D (MICRO_BATCH), compares_nothing,
    N_ ("KTO compares each answer with the others of its micro-batch; it requires a micro-batch of "
        "at least two") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER_IN_BACKWARD, 0, shardwise_export_steps_in_backward,
    N_ ("The optimizer runs after the backward pass; only torchtune can run it within the backward "
        "pass, without gradient accumulation") },
  { SHARDWISE_KEY_TRAINING_STATES_MASTER, D (ZERO) | D (DP) | D (OFFLOAD), pure_deepspeed,
    N_ ("DeepSpeed keeps fp32 weights in addition to 16-bit weights") },
};

const ShardwiseFormatWriter shardwise_tuning_writer = { .rules = rules,
                                                        .n_rules = G_N_ELEMENTS (rules),
                                                        .base = &shardwise_common_writer };
const ShardwiseFormatWriter shardwise_trainer_writer = { .rules = trainer_rules,
                                                         .n_rules = G_N_ELEMENTS (trainer_rules),
                                                         .base = &shardwise_tuning_writer };

const ShardwiseFormatPin shardwise_tuning_narrow[] = {
  { SHARDWISE_KEY_STRATEGY_TP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_PP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_CP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_EP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, "false", FALSE },
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE, "full", FALSE },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, "none", FALSE },
  { SHARDWISE_KEY_NONE, NULL, FALSE },
};

/* ---- names and numbers ---- */

/**
 * shardwise_tuning_model:
 * @job: the job
 *
 * Returns: (transfer none): the model's name on the Hub; "model", a folder of the user's, where none
 * is known
 */
const char *
shardwise_tuning_model (const ShardwiseExportJob *job)
{
  const char *hub = shardwise_names_hub (&job->problem.model);

  return hub != NULL ? hub : "model";
}

/**
 * shardwise_tuning_optimizer:
 * @job: the job
 *
 * Returns: what transformers calls its optimizer (OptimizerNames)
 */
const char *
shardwise_tuning_optimizer (const ShardwiseExportJob *job)
{
  switch (job->problem.training.optimizer)
    {
    case SW_OPTIMIZER_ADAM8BIT: /* torchao's, where states are DTensors */
      return shardwise_tuning_route (&job->estimate.strategy) == SHARDWISE_ROUTE_FSDP2
                 ? "adamw_torch_8bit"
                 : "adamw_8bit";
    case SW_OPTIMIZER_PAGED_ADAM8BIT: return "paged_adamw_8bit";
    case SW_OPTIMIZER_LION: return "lion_32bit";
    case SW_OPTIMIZER_ADAFACTOR: return "adafactor";
    case SW_OPTIMIZER_ADAMW:
    case SW_OPTIMIZER_MUON:
    case SW_OPTIMIZER_SGD:
    default: return "adamw_torch_fused";
    }
}

/**
 * shardwise_tuning_rate:
 * @problem: the question
 *
 * Returns: a usual learning rate, as YAML and Python read it
 */
const char *
shardwise_tuning_rate (const SwProblem *problem)
{
  const gboolean adapters = shardwise_export_has_adapters (problem);

  if (problem->training.type == SW_TRAINING_RLHF)
    return "0.000001";
  /* TRL (trl/scripts/dpo.py, kto.py): pairs need a smaller one, but ORPO's loss has
   * that of fine-tuning in it. */
  if (problem->training.method == SW_METHOD_PREFERENCE
      && problem->training.algorithm != SW_ALGORITHM_ORPO)
    return adapters ? "0.000005" : "0.0000005";
  return adapters ? "0.0002" : "0.00001";
}

/**
 * shardwise_tuning_attention:
 * @job: the job
 *
 * Returns: transformers' attn_implementation. Context parallelism splits PyTorch's own kernel
 */
const char *
shardwise_tuning_attention (const ShardwiseExportJob *job)
{
  if (job->problem.training.attention == SW_ATTENTION_UNFUSED)
    return "eager";
  if (job->estimate.strategy.cp > 1 && job->info->format == SHARDWISE_FORMAT_TRL)
    return "sdpa";
  return shardwise_export_wants (job, SW_FEATURE_FLASH_3, FALSE) ? "flash_attention_3"
                                                                 : "flash_attention_2";
}

/**
 * shardwise_tuning_alpha:
 * @problem: the question
 *
 * Returns: lora_alpha: as stated, else twice the rank, as torchtune's recipes and LLaMA-Factory have
 * it
 */
guint
shardwise_tuning_alpha (const SwProblem *problem)
{
  return problem->training.lora_alpha > 0 ? problem->training.lora_alpha
                                          : 2 * problem->training.lora_rank;
}

/**
 * shardwise_tuning_dropout:
 * @problem: the question
 *
 * Returns: (transfer full): lora_dropout, as YAML, Python and shells read it
 */
char *
shardwise_tuning_dropout (const SwProblem *problem)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return problem->training.lora_dropout > 0 ? g_strdup (
             g_ascii_formatd (text, sizeof text, "%.4g", problem->training.lora_dropout))
                                            : g_strdup ("0.0");
}

/**
 * shardwise_tuning_micro:
 * @job: the job
 *
 * Returns: examples of a micro-batch, as the tools count them: a pair of answers is one
 */
guint
shardwise_tuning_micro (const ShardwiseExportJob *job)
{
  return job->estimate.strategy.micro_batch / MAX (job->problem.training.together, 1);
}

/**
 * shardwise_tuning_warmup:
 * @problem: the question
 *
 * Returns: steps in which the learning rate rises
 */
guint
shardwise_tuning_warmup (const SwProblem *problem)
{
  return MAX (shardwise_export_train_steps (problem) / 20, 1);
}

/**
 * shardwise_tuning_accumulation:
 * @job: the job
 *
 * Returns: micro-batches of a step
 */
guint
shardwise_tuning_accumulation (const ShardwiseExportJob *job)
{
  return MAX (job->estimate.gradient_accumulation, 1);
}

/**
 * shardwise_tuning_group:
 * @problem: a question of reinforcement learning
 *
 * Returns: answers to a prompt: those stated, else 8, or the most below that divide the batch
 */
guint
shardwise_tuning_group (const SwProblem *problem)
{
  const guint batch = problem->training.global_batch;
  guint group = problem->training.rlhf_group > 0 ? problem->training.rlhf_group : 8;

  if (problem->training.rlhf_ppo)
    return 1;
  while (batch % group != 0)
    group--;
  return group;
}

/* ---- files ---- */

/**
 * shardwise_tuning_append_head:
 * @job: the job; its notes must be complete
 * @text: where to append to
 *
 * Appends the header, and what a step's batch is made of.
 */
void
shardwise_tuning_append_head (ShardwiseExportJob *job, GString *text)
{
  g_autofree char *batch = g_strdup_printf (
      /* Translators: numbers: sequences, micro-batches, replicas, sequences */
      _ ("Batch: %u per GPU and micro-batch × %u micro-batches × %u replicas = %u sequences per "
         "step."),
      job->estimate.strategy.micro_batch, shardwise_tuning_accumulation (job),
      job->estimate.strategy.dp, shardwise_export_global_batch (job));

  shardwise_export_append_header (job, text);
  shardwise_export_append_text (text, "# ", batch);
  if (job->problem.training.together == 2)
    shardwise_export_append_text (
        text, "# ", _ ("The tool counts pairs of answers; each pair is two sequences."));
}

/**
 * shardwise_tuning_add_yaml:
 * @job: the job; its notes must be complete
 * @start: (nullable): a comment on how it is started
 * @yaml: (transfer full): what the tool reads
 *
 * Adds the file of a tool that is configured in YAML.
 */
void
shardwise_tuning_add_yaml (ShardwiseExportJob *job, const char *start, ShardwiseYaml *yaml)
{
  g_autofree char *body = shardwise_yaml_finish (yaml);
  GString *text = g_string_new (NULL);

  shardwise_tuning_append_head (job, text);
  g_string_append_printf (text, "%s\n%s", start != NULL ? start : "", body);
  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

/**
 * shardwise_tuning_add_accelerate:
 * @job: the job
 *
 * Adds the file of `accelerate launch`.
 */
void
shardwise_tuning_add_accelerate (ShardwiseExportJob *job)
{
  shardwise_export_add_file (job, SHARDWISE_TUNING_ACCELERATE, shardwise_accelerate_text (job));
}

/**
 * shardwise_tuning_add_deepspeed:
 * @job: the job
 *
 * Adds the JSON that the trainer hands to DeepSpeed. What it says of the batch must be what the
 * trainer is told, and is.
 */
void
shardwise_tuning_add_deepspeed (ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  const gboolean params = s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS,
                 optimizer = params || s->offload == SW_OFFLOAD_OPTIMIZER,
                 half = job->problem.training.precision == SW_PRECISION_FP16;
  const char *place = job->problem.training.offloads_to_nvme
                          ? "\"nvme\",\n      \"nvme_path\": \"" SHARDWISE_NVME_PATH "\""
                          : "\"cpu\"";
  GString *text = g_string_new ("{\n");

  g_string_append_printf (text,
                          "  \"train_micro_batch_size_per_gpu\": %u,\n"
                          "  \"gradient_accumulation_steps\": %u,\n"
                          "  \"gradient_clipping\": 1.0,\n"
                          "  \"zero_allow_untested_optimizer\": true,\n"
                          "  \"zero_force_ds_cpu_optimizer\": false,\n"
                          "  \"%s\": {\n    \"enabled\": true\n  },\n"
                          "  \"zero_optimization\": {\n"
                          "    \"stage\": %u",
                          shardwise_tuning_micro (job), shardwise_tuning_accumulation (job),
                          half ? "fp16" : "bf16", s->zero_stage);
  if (s->zero_stage > 0)
    g_string_append (text, ",\n    \"overlap_comm\": true,\n    \"contiguous_gradients\": true");
  if (s->zero_stage == 3)
    g_string_append (text, ",\n    \"stage3_gather_16bit_weights_on_model_save\": true");
  for (guint i = 0; i < 2; i++)
    if (i == 0 ? optimizer : params)
      g_string_append_printf (text,
                              ",\n    \"offload_%s\": {\n      \"device\": %s,\n"
                              "      \"pin_memory\": true\n    }",
                              i == 0 ? "optimizer" : "param", place);
  g_string_append (text, "\n  }\n}\n");
  shardwise_export_add_file (job, SHARDWISE_TUNING_DEEPSPEED, g_string_free (text, FALSE));
}

/**
 * shardwise_tuning_data_note:
 * @job: the job
 * @names: what in the files names another data set
 * @tokens: the translated sentence where the next token is learnt, or by reinforcement
 *
 * Returns: (transfer full): the translated sentence on what the data set holds
 */
char *
shardwise_tuning_data_note (const ShardwiseExportJob *job, const char *names, const char *tokens)
{
  const SwTraining *training = &job->problem.training;

  if (training->method == SW_METHOD_TOKENS)
    return g_strdup (tokens);
  if (training->method == SW_METHOD_DISTILL)
    return g_strdup_printf (/* Translators: a name in the file */
                            _ ("Data set: data.jsonl, with a JSON object on each line that has "
                               "“messages”, a chat; change %s to use another file. The chats are "
                               "not packed."),
                            names);
  if (training->algorithm == SW_ALGORITHM_KTO && training->method == SW_METHOD_PREFERENCE)
    return g_strdup_printf (/* Translators: a name in the file */
                            _ ("Data set: data.jsonl, with a JSON object on each line that has a "
                               "“prompt”, a “completion” and a “label”, which is true for a good "
                               "completion; change %s to use another file."),
                            names);
  return g_strdup_printf (/* Translators: a name in the file */
                          _ ("Data set: data.jsonl, with a JSON object on each line that has a "
                             "“prompt”, a “chosen” and a “rejected” answer; change %s to use "
                             "another file."),
                          names);
}

/**
 * shardwise_tuning_add_notes:
 * @job: the job
 * @data: the translated sentence on what the data set holds
 * @features: SHARDWISE_FEATURE() of the software that the files say
 *
 * Adds what the files of a tool leave to the user.
 */
void
shardwise_tuning_add_notes (ShardwiseExportJob *job, const char *data, guint features)
{
  shardwise_export_note (job, SHARDWISE_NOTE_MISSING_FILE, data);
  if (shardwise_names_hub (&job->problem.model) == NULL)
    shardwise_export_note (
        job, SHARDWISE_NOTE_MISSING_FILE,
        _ ("Model: “model” is a placeholder; replace it with the path of your folder."));
  shardwise_export_note_drives (job);
  shardwise_export_note_software (job, features | SHARDWISE_FEATURE (FLASH_1)
                                           | SHARDWISE_FEATURE (FLASH_2));
  shardwise_export_note_nodes (job);
}
