/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LLaMA-Factory's YAML: the fields of its dataclasses and of transformers' training arguments,
 * which its parser checks. FSDP uses Accelerate's file, and DeepSpeed its JSON. */
#include "shardwise-export-tuning.h"

#include <glib/gi18n.h>

#include "shardwise-export-names.h"
#include "shardwise-launch.h"

static gboolean
offloads_activations (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload == SW_OFFLOAD_ACTIVATIONS;
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

static const ShardwiseFormatRule rules[] = {
  SHARDWISE_TUNING_NO_TEACHER,
  { SHARDWISE_KEY_TRAINING_TYPE, 0, shardwise_tuning_trains_policy,
    N_ ("LLaMA-Factory’s PPO generates without vLLM, with a critic that is a head of the policy, "
        "which is not the job that is predicted; verl and OpenRLHF run PPO") },
  { SHARDWISE_KEY_STRATEGY_CP, D (CP), sw_rule_has_cp,
    N_ ("LLaMA-Factory’s own trainer does not split sequences; CP must be 1") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD), offloads_activations,
    N_ ("LLaMA-Factory offloads activations with Unsloth’s checkpointing only, which Shardwise "
        "does not write") },
};

static void
write_files (ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  const SwTraining *training = &job->problem.training;
  const gboolean adapters = shardwise_export_has_adapters (&job->problem),
                 wraps = shardwise_tuning_wraps (s),
                 half = training->precision == SW_PRECISION_FP16;
  const ShardwiseRoute route = shardwise_tuning_route (s);
  const char *attention = shardwise_tuning_attention (job);
  const ShardwiseTuningMethod *method = shardwise_tuning_method (&job->problem);
  const gboolean tokens = training->method == SW_METHOD_TOKENS,
                 labels = method->algorithm == SW_ALGORITHM_KTO && !tokens;
  ShardwiseYaml *yaml = shardwise_yaml_new ();
  g_autofree char *data = shardwise_tuning_data_note (
      job, "dataset_info.json",
      _ ("Data set: data.jsonl, with a JSON object on each line that has a “prompt” and a "
         "“completion”; change dataset_info.json to use another file."));

  shardwise_tuning_add_notes (job, data,
                              SHARDWISE_FEATURE (COMPILE) | SHARDWISE_FEATURE (FLASH_3)
                                  | SHARDWISE_FEATURE (FUSED_CROSS_ENTROPY));

  shardwise_yaml_word (yaml, "model_name_or_path", shardwise_tuning_model (job));
  shardwise_yaml_word (yaml, "stage", method->stage);
  if (method->preference != NULL)
    shardwise_yaml_word (yaml, "pref_loss", method->preference);
  shardwise_yaml_bool (yaml, "do_train", TRUE);
  shardwise_yaml_word (yaml, "finetuning_type", adapters ? "lora" : "full");
  if (adapters)
    {
      g_autofree char *targets = shardwise_names_list_adapted (&job->problem, ",");

      shardwise_yaml_int (yaml, "lora_rank", training->lora_rank);
      g_autofree char *dropout = shardwise_tuning_dropout (&job->problem);

      shardwise_yaml_int (yaml, "lora_alpha", shardwise_tuning_alpha (&job->problem));
      shardwise_yaml_word (yaml, "lora_dropout", dropout);
      shardwise_yaml_word (yaml, "lora_target",
                           g_str_equal (targets, "all-linear") ? "all" : targets);
      if (training->lora_dora)
        shardwise_yaml_bool (yaml, "use_dora", TRUE);
    }
  if (sw_training_states (training) == SW_TRAINING_QLORA)
    {
      shardwise_yaml_int (yaml, "quantization_bit", 4);
      shardwise_yaml_word (yaml, "quantization_method", "bnb");
      shardwise_yaml_word (yaml, "quantization_type", "nf4");
      shardwise_yaml_bool (yaml, "double_quantization", !training->single_scales);
    }
  if (shardwise_tuning_is_pure (&job->problem) && !adapters)
    shardwise_yaml_bool (yaml, "pure_bf16", TRUE);
  shardwise_yaml_word (yaml, "dataset", "data");
  shardwise_yaml_word (yaml, "dataset_dir", ".");
  shardwise_yaml_word (yaml, "template", "default");
  shardwise_yaml_int (yaml, "cutoff_len", training->sequence_length);
  shardwise_yaml_bool (yaml, "packing", tokens);
  shardwise_yaml_word (yaml, "output_dir", SHARDWISE_TUNING_OUTPUT);
  shardwise_yaml_int (yaml, "per_device_train_batch_size", shardwise_tuning_micro (job));
  shardwise_yaml_int (yaml, "gradient_accumulation_steps", shardwise_tuning_accumulation (job));
  shardwise_yaml_int (yaml, "max_steps", shardwise_export_train_steps (&job->problem));
  shardwise_yaml_int (yaml, "warmup_steps", shardwise_tuning_warmup (&job->problem));
  shardwise_yaml_word (yaml, "optim", shardwise_tuning_optimizer (job));
  shardwise_yaml_word (yaml, "learning_rate", shardwise_tuning_rate (&job->problem));
  shardwise_yaml_word (yaml, "lr_scheduler_type", "cosine");
  shardwise_yaml_word (yaml, "max_grad_norm", "1.0");
  shardwise_yaml_bool (yaml, half ? "fp16" : "bf16", TRUE);
  shardwise_yaml_word (yaml, "flash_attn",
                       g_str_equal (attention, "flash_attention_2")   ? "fa2"
                       : g_str_equal (attention, "flash_attention_3") ? "fa3"
                                                                      : "disabled");
  /* It checkpoints unless it is told not to; FSDP's own does it where Accelerate wraps layers. */
  shardwise_yaml_bool (yaml, "disable_gradient_checkpointing",
                       s->recompute != SW_RECOMPUTE_FULL || wraps);
  if (s->recompute == SW_RECOMPUTE_FULL && !wraps)
    shardwise_yaml_bool (yaml, "use_reentrant_gc",
                         shardwise_export_wants (job, SW_FEATURE_REENTRANT_CHECKPOINTING, FALSE));
  if (shardwise_export_wants (job, SW_FEATURE_FUSED_CROSS_ENTROPY, FALSE))
    shardwise_yaml_bool (yaml, "enable_liger_kernel", TRUE);
  if (shardwise_export_wants (job, SW_FEATURE_COMPILE, FALSE) && !wraps)
    shardwise_yaml_bool (yaml, "torch_compile", TRUE);
  if (route == SHARDWISE_ROUTE_DEEPSPEED)
    shardwise_yaml_word (yaml, "deepspeed", SHARDWISE_TUNING_DEEPSPEED);
  shardwise_yaml_int (yaml, "logging_steps", 10);
  shardwise_yaml_int (yaml, "save_steps", 500);
  shardwise_yaml_word (yaml, "report_to", "none");
  shardwise_tuning_add_yaml (job, NULL, yaml);
  shardwise_export_add_file (
      job, "dataset_info.json",
      g_strdup_printf ("{\n  \"data\": {\n    \"file_name\": \"" SHARDWISE_TUNING_DATA "\",\n"
                       "%s    \"columns\": {\n      \"prompt\": \"prompt\",\n"
                       "%s\n    }\n  }\n}\n",
                       tokens || labels ? "" : "    \"ranking\": true,\n",
                       labels   ? "      \"response\": \"completion\",\n"
                                  "      \"kto_tag\": \"label\""
                       : tokens ? "      \"response\": \"completion\""
                                : "      \"chosen\": \"chosen\",\n"
                                  "      \"rejected\": \"rejected\""));
  if (wraps)
    shardwise_tuning_add_accelerate (job);
  if (route == SHARDWISE_ROUTE_DEEPSPEED)
    shardwise_tuning_add_deepspeed (job);
}

static void
launch (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, "llamafactory.launcher");
  out->is_module = TRUE;
  if (shardwise_tuning_wraps (&job->estimate.strategy))
    {
      out->starter = SHARDWISE_STARTER_ACCELERATE;
      out->config = SHARDWISE_TUNING_ACCELERATE;
    }
  shardwise_args_flag (shardwise_launch_add_group (out, NULL), job->info->file_name);
}

const ShardwiseFormatWriter shardwise_llama_factory_writer = {
  .rules = rules,
  .n_rules = G_N_ELEMENTS (rules),
  .base = &shardwise_trainer_writer,
  .narrow = shardwise_tuning_narrow,
  .write = write_files,
  .launch = launch,
};
