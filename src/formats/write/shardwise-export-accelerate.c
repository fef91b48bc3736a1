/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-job.h"

#include <glib/gi18n.h>

#include "shardwise-export-names.h"
#include "shardwise-export-program.h"
#include "shardwise-export-tuning.h"
#include "shardwise-launch.h"
#include "shardwise-yaml.h"
#include "sw-framework.h"

/* Hugging Face Accelerate 1.15: a YAML file for `accelerate launch`, and what it refuses or cannot
 * say, by the engine that it is to drive: FSDP (1 and 2), DeepSpeed or Megatron-LM. Its YAML is a
 * closed list of keys; those of parallelism_config and megatron_lm_config carry their section's
 * name: without it they are dropped without a word. */

static gboolean
by_fsdp (const SwStrategy *s)
{
  return s->framework == SW_FRAMEWORK_FSDP || s->framework == SW_FRAMEWORK_FSDP2;
}

static gboolean
by_megatron (const SwStrategy *s)
{
  return s->framework == SW_FRAMEWORK_MEGATRON_CORE;
}

static gboolean
by_deepspeed (const SwStrategy *s)
{
  return s->framework == SW_FRAMEWORK_DEEPSPEED;
}

static gboolean
pipeline (const SwProblem *problem, const SwStrategy *s)
{
  return !by_megatron (s) && s->pp > 1;
}

static gboolean
uneven_stages (const SwProblem *problem, const SwStrategy *s)
{
  return by_megatron (s) && problem->model.layers % s->pp != 0;
}

/* Accelerate decides by the model type, which identifies a family, and rejects another family of
 * the same dimensions. A model without its own type is trained as the family that has its
 * dimensions. */
static gboolean
megatron_model (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;
  const char *class = shardwise_names_layer_class (&problem->model);
  gboolean llama = model->norm == SW_NORM_RMSNORM && model->gated_mlp && model->moe.experts == 0
                   && (class == NULL || g_str_equal (class, "LlamaDecoderLayer"));
  gboolean gpt2 = model->norm == SW_NORM_LAYERNORM && model->position == SW_POSITION_LEARNED
                  && model->moe.experts == 0 && (class == NULL || g_str_equal (class, "GPT2Block"));

  return by_megatron (s)
         && ((!llama && !gpt2) || model->qk_norm != SW_QK_NORM_NONE || model->qkv_bias != gpt2
             || model->norms_per_layer != 2 || model->mla.kv_lora_rank > 0 || model->parallel_block
             || model->kind != SW_MODEL_DECODER || model->approximated);
}

static gboolean
deepspeed_degrees (const SwProblem *problem, const SwStrategy *s)
{
  return by_deepspeed (s) && s->tp > 1;
}

static gboolean
deepspeed_context (const SwProblem *problem, const SwStrategy *s)
{
  return by_deepspeed (s) && s->cp > 1;
}

static gboolean
fsdp1_mesh (const SwProblem *problem, const SwStrategy *s)
{
  return s->framework == SW_FRAMEWORK_FSDP && (s->tp > 1 || s->cp > 1);
}

static gboolean
replicated_mesh (const SwProblem *problem, const SwStrategy *s)
{
  guint group = s->zero_stage == 0 ? 1 : s->shard_group;

  return by_fsdp (s) && (s->tp > 1 || s->cp > 1) && s->dp > 1 && group == 1;
}

static gboolean
ring_backend (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1
         && (s->cp_method == SW_CP_ULYSSES || (by_megatron (s) && s->cp_method != SW_CP_RING));
}

static gboolean
tensor_without_sequence (const SwProblem *problem, const SwStrategy *s)
{
  return by_fsdp (s) && s->sequence_parallel;
}

static gboolean
fsdp_zero_one (const SwProblem *problem, const SwStrategy *s)
{
  return by_fsdp (s) && s->dp > 1 && s->zero_stage == 1;
}

static gboolean
fsdp_unsharded (const SwProblem *problem, const SwStrategy *s)
{
  return s->framework == SW_FRAMEWORK_FSDP2 && s->zero_stage == 0;
}

static gboolean
partial_recompute (const SwProblem *problem, const SwStrategy *s)
{
  return !by_megatron (s) && sw_rule_has_partial_recompute (problem, s);
}

/* Accelerate's MegatronLMPlugin sets full recomputation by "uniform" by default, and keeps that
 * method with the granularity "selective", which Megatron-LM then rejects. */
static gboolean
megatron_recompute (const SwProblem *problem, const SwStrategy *s)
{
  return by_megatron (s)
         && (s->recompute == SW_RECOMPUTE_NONE || s->recompute == SW_RECOMPUTE_SELECTIVE);
}

static gboolean
megatron_zero (const SwProblem *problem, const SwStrategy *s)
{
  return by_megatron (s) && sw_rule_lacks_zero_stage (problem, s);
}

static gboolean
other_offload (const SwProblem *problem, const SwStrategy *s)
{
  SwOffload offload = (SwOffload) s->offload;

  if (offload == SW_OFFLOAD_NONE)
    return FALSE;
  if (by_fsdp (s))
    return offload != SW_OFFLOAD_OPTIMIZER_PARAMS || s->zero_stage != 3;
  if (by_megatron (s))
    return offload != SW_OFFLOAD_OPTIMIZER || s->zero_stage == 0;

  return offload == SW_OFFLOAD_ACTIVATIONS || s->zero_stage == 0
         || (offload == SW_OFFLOAD_OPTIMIZER_PARAMS && s->zero_stage != 3);
}

/* What there is for the shards of each route: norms of rows and columns need whole parameters, the
 * optimizers of bitsandbytes do not know FSDP 2's tensors, and Megatron-LM has its own. */
static gboolean
other_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  switch (problem->training.optimizer)
    {
    case SW_OPTIMIZER_ADAMW:
    case SW_OPTIMIZER_SGD: return FALSE;
    case SW_OPTIMIZER_ADAM8BIT: return by_megatron (s);
    case SW_OPTIMIZER_PAGED_ADAM8BIT:
    case SW_OPTIMIZER_LION: return by_megatron (s) || s->framework == SW_FRAMEWORK_FSDP2;
    case SW_OPTIMIZER_ADAFACTOR: return s->framework != SW_FRAMEWORK_FSDP || s->zero_stage > 0;
    case SW_OPTIMIZER_MUON:
    default: return TRUE;
    }
}

static gboolean
other_training (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.type == SW_TRAINING_RLHF
         || (by_megatron (s) && shardwise_export_has_adapters (problem))
         || (s->tp > 1 && shardwise_export_has_adapters (problem));
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

static const ShardwiseFormatRule rules[] = {
  { SHARDWISE_KEY_STRATEGY_PP, D (PP), pipeline,
    N_ ("Accelerate supports pipelines through Megatron-LM only; its FSDP and DeepSpeed run with "
        "PP 1") },
  { SHARDWISE_KEY_STRATEGY_VPP, D (VPP), sw_rule_has_vpp,
    N_ ("Accelerate’s file has no key for virtual stages; each GPU has 1") },
  { SHARDWISE_KEY_STRATEGY_PP, D (PP), uneven_stages,
    N_ ("Megatron-LM under Accelerate requires a number of layers that is divisible by PP") },
  { SHARDWISE_KEY_NONE, 0, megatron_model,
    N_ ("Accelerate supports Megatron-LM for GPT-2, Llama and GLM-4.5 models only; Shardwise "
        "writes GPT-2 and Llama"),
    "model" },
  { SHARDWISE_KEY_STRATEGY_EP, D (EP), sw_rule_has_ep,
    N_ ("Accelerate’s meshes have no expert dimension; EP must be 1") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), sw_rule_splits_experts,
    N_ ("Accelerate’s tensor parallelism uses the model’s own plan, which does not split experts; "
        "a mixture of experts requires TP 1") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), deepspeed_degrees,
    N_ ("Accelerate’s own DeepSpeed keys do not support tensor parallelism; TP must be 1") },
  { SHARDWISE_KEY_STRATEGY_CP, D (CP), deepspeed_context,
    N_ ("Accelerate requires a separate length for DeepSpeed’s sequence parallelism, which "
        "Shardwise does not write; CP must be 1") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP) | D (CP), fsdp1_mesh,
    N_ ("Accelerate’s parallelism_config requires FSDP 2; with FSDP 1 the job is rejected when it "
        "starts") },
  { SHARDWISE_KEY_STRATEGY_SHARD_GROUP, D (TP) | D (CP) | D (DP) | D (ZERO) | D (SHARD_GROUP),
    replicated_mesh,
    N_ ("Accelerate rejects TP or CP above 1 with replicas that are not sharded") },
  { SHARDWISE_KEY_STRATEGY_CP_METHOD, D (CP) | D (CP_METHOD), ring_backend,
    N_ ("Accelerate’s context parallelism is ring attention or all-gather with FSDP 2, and ring "
        "attention with Megatron-LM") },
  { SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, D (SP), tensor_without_sequence,
    N_ ("Accelerate’s file does not support sequence parallelism together with FSDP’s tensor "
        "parallelism") },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO) | D (DP), fsdp_zero_one,
    N_ ("FSDP shards gradients and optimizer (ZeRO 2), parameters too (ZeRO 3), or nothing; it has "
        "no ZeRO 1") },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO), fsdp_unsharded,
    N_ ("FSDP 2 in Accelerate either reshards after the forward pass (ZeRO 3) or does not (ZeRO "
        "2)") },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO), megatron_zero,
    N_ ("Megatron-LM’s distributed optimizer shards the optimizer only: ZeRO 0 or 1") },
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE, D (RECOMPUTE), partial_recompute,
    N_ ("Accelerate recomputes all FSDP layers or none, and leaves recomputation with DeepSpeed to "
        "the script") },
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE, D (RECOMPUTE), megatron_recompute,
    N_ ("Accelerate always enables recomputation in Megatron-LM, for all layers or the first ones "
        "of each stage; its keys cannot select none or selective") },
  { SHARDWISE_KEY_STRATEGY_SHARD_GROUP, D (SHARD_GROUP) | D (ZERO) | D (DP),
    shardwise_tuning_other_group,
    N_ ("Accelerate shards over a part of the replicas with FSDP 2, and with FSDP 1 over those of "
        "one node") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD) | D (ZERO), other_offload,
    N_ ("Accelerate offloads all sharded states of FSDP (ZeRO 3), the optimizer of DeepSpeed and, "
        "with ZeRO 3, its parameters, or the optimizer of Megatron-LM (ZeRO 1)") },
  { SHARDWISE_KEY_TRAINING_PRECISION, 0, shardwise_tuning_other_precision,
    N_ ("Accelerate leaves the recipe of 8-bit precision to its backend; Shardwise writes bf16 and "
        "fp16") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, D (ZERO), other_optimizer,
    N_ ("With Accelerate, AdamW and SGD always work; 8-bit AdamW requires FSDP or DeepSpeed, Lion "
        "and paged AdamW require FSDP 1 or DeepSpeed, Adafactor requires FSDP 1 with ZeRO 0") },
  { SHARDWISE_KEY_TRAINING_TYPE, 0, other_training,
    N_ ("Accelerate trains one model: adapters require TP 1 with FSDP or DeepSpeed, and RLHF is "
        "not supported") },
};

static void
write_fsdp (ShardwiseYaml *yaml, const ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  const gboolean two = s->framework == SW_FRAMEWORK_FSDP2, three = s->zero_stage == 3;
  const char *layer = shardwise_names_layer_class (&job->problem.model);
  const char *sharding = s->zero_stage == 0       ? "NO_SHARD"
                         : s->shard_group < s->dp ? three ? "HYBRID_SHARD" : "HYBRID_SHARD_ZERO2"
                         : three                  ? "FULL_SHARD"
                                                  : "SHARD_GRAD_OP";

  shardwise_yaml_begin_map (yaml, "fsdp_config");
  shardwise_yaml_int (yaml, "fsdp_version", two ? 2 : 1);
  if (two)
    shardwise_yaml_bool (yaml, "fsdp_reshard_after_forward", three);
  else
    shardwise_yaml_word (yaml, "fsdp_sharding_strategy", sharding);

  shardwise_yaml_word (yaml, "fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
  /* Without it Accelerate takes the classes that the model names itself. */
  if (layer != NULL)
    shardwise_yaml_word (yaml, "fsdp_transformer_layer_cls_to_wrap", layer);
  if (!two)
    {
      shardwise_yaml_word (yaml, "fsdp_backward_prefetch", "BACKWARD_PRE");
      shardwise_yaml_bool (yaml, "fsdp_forward_prefetch", FALSE);
      /* The trainer of a tool wraps adapters apart, whose frozen neighbors need no gradients then. */
      shardwise_yaml_bool (yaml, "fsdp_use_orig_params",
                           job->info->format == SHARDWISE_FORMAT_ACCELERATE
                               || !shardwise_export_has_adapters (&job->problem));
      shardwise_yaml_bool (yaml, "fsdp_sync_module_states", TRUE);
    }
  shardwise_yaml_word (yaml, "fsdp_state_dict_type", "SHARDED_STATE_DICT");
  shardwise_yaml_bool (yaml, "fsdp_cpu_ram_efficient_loading", TRUE);
  shardwise_yaml_bool (yaml, "fsdp_offload_params", s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS);
  shardwise_yaml_bool (yaml, "fsdp_activation_checkpointing", s->recompute == SW_RECOMPUTE_FULL);
  shardwise_yaml_end_map (yaml);
}

static void
write_megatron (ShardwiseYaml *yaml, const ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  /* None and selective are refused before: without these keys Accelerate recomputes all. */
  gboolean full = s->recompute == SW_RECOMPUTE_FULL;

  shardwise_yaml_begin_map (yaml, "megatron_lm_config");
  shardwise_yaml_int (yaml, "megatron_lm_tp_degree", s->tp);
  shardwise_yaml_int (yaml, "megatron_lm_pp_degree", s->pp);
  shardwise_yaml_int (yaml, "megatron_lm_num_micro_batches",
                      MAX (job->estimate.gradient_accumulation, 1));
  shardwise_yaml_int (yaml, "megatron_lm_context_parallel_size", s->cp);
  shardwise_yaml_bool (yaml, "megatron_lm_sequence_parallelism", s->sequence_parallel);
  shardwise_yaml_bool (yaml, "megatron_lm_use_distributed_optimizer", s->zero_stage > 0);

  shardwise_yaml_word (yaml, "megatron_lm_recompute_granularity", "full");
  shardwise_yaml_word (yaml, "megatron_lm_recompute_method", full ? "uniform" : "block");
  shardwise_yaml_int (yaml, "megatron_lm_recompute_num_layers", full ? 1 : s->full_layers);
  if (s->offload == SW_OFFLOAD_OPTIMIZER)
    {
      shardwise_yaml_bool (yaml, "megatron_lm_use_precision_aware_optimizer", TRUE);
      shardwise_yaml_bool (yaml, "megatron_lm_optimizer_cpu_offload", TRUE);
    }
  shardwise_yaml_word (yaml, "megatron_lm_gradient_clipping", "1.0");
  shardwise_yaml_end_map (yaml);
}

static void
add_notes (ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  guint accumulation = MAX (job->estimate.gradient_accumulation, 1);

  if (s->framework == SW_FRAMEWORK_FSDP || s->framework == SW_FRAMEWORK_FSDP2)
    shardwise_export_take_note (
        job, SHARDWISE_NOTE_OTHERWISE,
        /* Translators: sequences, micro-batches */
        g_strdup_printf (ngettext ("Batch: load %u sequence per GPU and step, and create "
                                   "Accelerator(gradient_accumulation_steps=%u).",
                                   "Batch: load %u sequences per GPU and step, and create "
                                   "Accelerator(gradient_accumulation_steps=%u).",
                                   s->micro_batch),
                         s->micro_batch, accumulation));
  else
    shardwise_export_take_note (
        job, SHARDWISE_NOTE_OTHERWISE,
        g_strdup_printf (ngettext ("Micro-batch: load %u sequence per GPU and step.",
                                   "Micro-batch: load %u sequences per GPU and step.",
                                   s->micro_batch),
                         s->micro_batch));
  shardwise_export_note (job, SHARDWISE_NOTE_OWN_WAY,
                         _ ("Model, sequence length and optimizer: your script creates them."));
  if (s->framework == SW_FRAMEWORK_DEEPSPEED && s->recompute == SW_RECOMPUTE_FULL)
    shardwise_export_note (
        job, SHARDWISE_NOTE_IN_SCRIPT,
        _ ("Recomputation: call model.gradient_checkpointing_enable() in your script."));
  if (s->framework == SW_FRAMEWORK_FSDP2)
    shardwise_export_note (job, SHARDWISE_NOTE_COMPARE,
                           _ ("Loss: the predicted memory is that of a compiled or fused loss; an "
                              "eager loss copies all logits to 32 bits."));
  if (s->framework == SW_FRAMEWORK_FSDP2 && s->tp > 1)
    shardwise_export_note (
        job, SHARDWISE_NOTE_IN_SCRIPT,
        _ ("Split of the layers: load the model with its own plan, tp_plan=\"auto\"."));
  if (s->framework == SW_FRAMEWORK_MEGATRON_CORE && s->cp > 1)
    shardwise_export_note (job, SHARDWISE_NOTE_OWN_WAY,
                           _ ("Attention backend that exchanges parts of the sequence: Transformer "
                              "Engine’s default is used."));
  if (shardwise_export_has_adapters (&job->problem))
    shardwise_export_note (job, SHARDWISE_NOTE_IN_SCRIPT,
                           _ ("Adapters: train.py puts them into the model; a program of your own "
                              "must do so, too."));
  if (shardwise_export_nodes (job) > 1)
    shardwise_export_note (job, SHARDWISE_NOTE_ADDRESS,
                           _ ("Address of the first node: set --main_process_ip, "
                              "--main_process_port and, on each node, --machine_rank."));
  shardwise_export_note_software (job, sw_framework_is_fsdp (s->framework)
                                           ? SHARDWISE_FEATURE (COMPILE)
                                           : SHARDWISE_CORE_OPTIONS
                                                 & ~job->problem.training.software.on);
  shardwise_export_note_drives (job);
  shardwise_export_note_common (job);
}

/**
 * shardwise_accelerate_text:
 * @job: a job of Accelerate, or of a tool that it starts
 *
 * Returns: (transfer full): its YAML
 */
char *
shardwise_accelerate_text (const ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  const gboolean is_own = job->info->format == SHARDWISE_FORMAT_ACCELERATE,
                 is_plain = !is_own && shardwise_tuning_route (s) == SHARDWISE_ROUTE_PLAIN,
                 is_pure = !is_own && shardwise_tuning_is_pure (&job->problem)
                           && !shardwise_export_has_adapters (&job->problem);
  gboolean megatron = s->framework == SW_FRAMEWORK_MEGATRON_CORE;
  gboolean deepspeed = s->framework == SW_FRAMEWORK_DEEPSPEED && !is_plain;
  ShardwiseYaml *yaml = shardwise_yaml_new ();
  gboolean half = job->problem.training.precision == SW_PRECISION_FP16;

  shardwise_yaml_word (yaml, "compute_environment", "LOCAL_MACHINE");
  /* Some of these words are truths to YAML without quotes. */
  (is_plain ? shardwise_yaml_string : shardwise_yaml_word) (yaml, "distributed_type",
                                                            is_plain && s->dp > 1 ? "MULTI_GPU"
                                                            : is_plain            ? "NO"
                                                            : megatron            ? "MEGATRON_LM"
                                                            : deepspeed           ? "DEEPSPEED"
                                                                                  : "FSDP");
  (is_pure ? shardwise_yaml_string : shardwise_yaml_word) (yaml, "mixed_precision",
                                                           is_pure ? "no"
                                                           : half  ? "fp16"
                                                                   : "bf16");
  shardwise_yaml_int (yaml, "num_machines", shardwise_export_nodes (job));
  shardwise_yaml_int (yaml, "num_processes", shardwise_export_gpus (job)); /* over all machines */
  shardwise_yaml_int (yaml, "machine_rank", 0);
  shardwise_yaml_word (yaml, "rdzv_backend", "static");
  shardwise_yaml_bool (yaml, "same_network", TRUE);
  shardwise_yaml_word (yaml, "main_training_function", "main");
  shardwise_yaml_string (yaml, "downcast_bf16", "no");
  shardwise_yaml_bool (yaml, "use_cpu", FALSE);
  shardwise_yaml_bool (yaml, "debug", FALSE);
  shardwise_yaml_bool (yaml, "enable_cpu_affinity", FALSE);
  if (megatron)
    write_megatron (yaml, job);
  else if (deepspeed)
    {
      const gboolean params = s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS,
                     optimizer = params || s->offload == SW_OFFLOAD_OPTIMIZER,
                     drives = job->problem.training.offloads_to_nvme;
      const char *device = drives ? "nvme" : "cpu";

      shardwise_yaml_begin_map (yaml, "deepspeed_config");
      shardwise_yaml_int (yaml, "zero_stage", s->zero_stage);
      shardwise_yaml_int (yaml, "gradient_accumulation_steps",
                          MAX (job->estimate.gradient_accumulation, 1));
      shardwise_yaml_word (yaml, "gradient_clipping", "1.0");
      shardwise_yaml_word (yaml, "offload_optimizer_device", optimizer ? device : "none");
      shardwise_yaml_word (yaml, "offload_param_device", params ? device : "none");
      if (optimizer && drives)
        shardwise_yaml_string (yaml, "offload_optimizer_nvme_path", SHARDWISE_NVME_PATH);
      if (params && drives)
        shardwise_yaml_string (yaml, "offload_param_nvme_path", SHARDWISE_NVME_PATH);
      shardwise_yaml_bool (yaml, "zero3_init_flag", s->zero_stage == 3);
      shardwise_yaml_bool (yaml, "zero3_save_16bit_model", s->zero_stage == 3);
      shardwise_yaml_word (yaml, "deepspeed_multinode_launcher", "standard");
      shardwise_yaml_end_map (yaml);
    }
  else if (!is_plain)
    {
      write_fsdp (yaml, job);
      if (s->framework == SW_FRAMEWORK_FSDP2 && (s->tp > 1 || s->cp > 1 || s->shard_group < s->dp))
        {
          shardwise_yaml_begin_map (yaml, "parallelism_config");
          shardwise_yaml_int (yaml, "parallelism_config_dp_replicate_size", s->dp / s->shard_group);
          shardwise_yaml_int (yaml, "parallelism_config_dp_shard_size", s->shard_group);
          shardwise_yaml_int (yaml, "parallelism_config_tp_size", s->tp);
          shardwise_yaml_int (yaml, "parallelism_config_cp_size", s->cp);
          if (s->cp > 1)
            {
              shardwise_yaml_word (yaml, "parallelism_config_cp_backend", "torch");
              shardwise_yaml_word (yaml, "parallelism_config_cp_comm_strategy",
                                   s->cp_method == SW_CP_ALLGATHER ? "allgather" : "alltoall");
            }
          shardwise_yaml_end_map (yaml);
        }
      /* The runs that the prediction rests on were compiled. With FSDP 2 it is by layer: a module
       * compiled as a whole skips the hooks that gather the shards of its layers. */
      if (shardwise_export_wants (job, SW_FEATURE_COMPILE, is_own))
        {
          shardwise_yaml_begin_map (yaml, "dynamo_config");
          shardwise_yaml_word (yaml, "dynamo_backend", "INDUCTOR");
          shardwise_yaml_bool (yaml, "dynamo_use_regional_compilation",
                               s->framework == SW_FRAMEWORK_FSDP2);
          shardwise_yaml_end_map (yaml);
        }
    }
  return shardwise_yaml_finish (yaml);
}

static void
write_files (ShardwiseExportJob *job)
{
  GString *text = g_string_new (NULL);
  g_autofree char *body = shardwise_accelerate_text (job);

  add_notes (job);
  shardwise_export_append_header (job, text);
  g_string_append_printf (text, "\n%s", body);
  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static void
adapt (ShardwiseExportJob *job, SwStrategy *strategy)
{
  if (strategy->framework == SW_FRAMEWORK_DEEPSPEED)
    {
      shardwise_deepspeed_writer.adapt (job, strategy);
      return;
    }
  if (by_megatron (strategy))
    shardwise_export_lack (job, SHARDWISE_CORE_OPTIONS);
  if (!sw_framework_is_fsdp (strategy->framework) || !strategy->sequence_parallel
      || sw_pins_has (&job->problem.pins, SW_DIM_SP))
    return;

  strategy->sequence_parallel = FALSE;
  shardwise_export_note (
      job, SHARDWISE_NOTE_OTHERWISE,
      _ ("Sequence parallelism is omitted: Accelerate’s file does not support it with FSDP."));
}

static void
launch (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, SHARDWISE_PROGRAM);
  out->starter = SHARDWISE_STARTER_ACCELERATE;
  out->config = job->info->file_name;
  if (by_megatron (&job->estimate.strategy))
    shardwise_launch_limit_connections (out, job);
}

static const ShardwiseFormatPin narrow[] = {
  { SHARDWISE_KEY_STRATEGY_EP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_TP, NULL, TRUE },
  { SHARDWISE_KEY_STRATEGY_VPP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, "false", FALSE },
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE, "full", FALSE },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, "none", FALSE },
  { SHARDWISE_KEY_NONE, NULL, FALSE },
};

const ShardwiseFormatWriter shardwise_accelerate_writer = {
  .rules = rules,
  .n_rules = G_N_ELEMENTS (rules),
  .narrow = narrow,
  .adapt = adapt,
  .write = write_files,
  .program = shardwise_program_of_accelerate,
  .launch = launch,
};
