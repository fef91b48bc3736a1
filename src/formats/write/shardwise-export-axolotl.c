/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axolotl's YAML, and what it refuses: its pydantic schema (axolotl/utils/schemas) with its
 * validators, which take unknown keys without a word. */
#include "shardwise-export-tuning.h"

#include <glib/gi18n.h>

#include "shardwise-export-names.h"
#include "shardwise-launch.h"

static gboolean
other_context (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1
         && (s->cp_method != SW_CP_RING || problem->training.attention == SW_ATTENTION_UNFUSED);
}

static gboolean
pure_shards (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_is_pure (problem) && shardwise_tuning_route (s) != SHARDWISE_ROUTE_PLAIN;
}

/* bitsandbytes' 8-bit states beside parameters in the host's memory. */
static gboolean
offloads_eight_bits (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_route (s) == SHARDWISE_ROUTE_FSDP1
         && s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS
         && (problem->training.optimizer == SW_OPTIMIZER_ADAM8BIT
             || problem->training.optimizer == SW_OPTIMIZER_PAGED_ADAM8BIT);
}

static gboolean
groups_too_large (const SwProblem *problem, const SwStrategy *s)
{
  const guint gpus = problem->training.rlhf_colocated ? problem->cluster.gpus : s->dp * s->cp;

  return shardwise_tuning_trains_policy (problem, s)
         && shardwise_tuning_group (problem) * gpus > problem->training.global_batch;
}

static gboolean
offloads_answers (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_trains_policy (problem, s) && s->offload == SW_OFFLOAD_ACTIVATIONS;
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

static const ShardwiseFormatRule rules[] = {
  SHARDWISE_TUNING_NO_TEACHER,
  { SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM, 0, shardwise_tuning_is_not_grpo,
    N_ ("Of reinforcement learning Axolotl has GRPO; verl and OpenRLHF run PPO and RLOO, too") },
  { SHARDWISE_KEY_TRAINING_RLHF_GROUP_SIZE, 0, groups_too_large,
    N_ ("Axolotl’s GRPO takes a batch of at least one group of answers for each GPU") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD), offloads_answers,
    N_ ("GRPO offloads no activations") },
  { SHARDWISE_KEY_STRATEGY_CP_METHOD, D (CP) | D (CP_METHOD), other_context,
    N_ ("Axolotl’s context parallelism is ring attention with FlashAttention") },
  { SHARDWISE_KEY_TRAINING_STATES_MASTER, D (ZERO) | D (DP) | D (OFFLOAD), pure_shards,
    N_ ("Axolotl’s FSDP and DeepSpeed keep fp32 weights in full fine-tuning; without them, Axolotl "
        "keeps 16-bit weights only") },
  { SHARDWISE_KEY_TRAINING_STATES_MASTER, D (ZERO) | D (DP) | D (OFFLOAD),
    shardwise_tuning_has_plain_pure,
    N_ ("Axolotl’s full fine-tuning without FSDP or DeepSpeed has no fp32 master weights") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD) | D (ZERO) | D (DP), offloads_eight_bits,
    N_ ("Axolotl rejects 8-bit AdamW when FSDP 1 offloads") },
};

static void
write_method (ShardwiseYaml *yaml, const ShardwiseExportJob *job)
{
  const SwProblem *problem = &job->problem;
  g_autoptr (GString) targets = g_string_new (NULL);
  g_autofree char *dropout = shardwise_tuning_dropout (problem);

  if (!shardwise_export_has_adapters (problem))
    return;
  shardwise_yaml_word (yaml, "adapter",
                       sw_training_states (&problem->training) == SW_TRAINING_QLORA ? "qlora"
                                                                                    : "lora");
  if (sw_training_states (&problem->training) == SW_TRAINING_QLORA)
    shardwise_yaml_bool (yaml, "load_in_4bit", TRUE);
  shardwise_yaml_int (yaml, "lora_r", problem->training.lora_rank);
  shardwise_yaml_int (yaml, "lora_alpha", shardwise_tuning_alpha (problem));
  shardwise_yaml_word (yaml, "lora_dropout", dropout);
  if (problem->training.lora_dora)
    shardwise_yaml_bool (yaml, "peft_use_dora", TRUE);
  shardwise_names_append_adapted (problem, targets);
  if (g_str_equal (targets->str, "\"all-linear\""))
    shardwise_yaml_bool (yaml, "lora_target_linear", TRUE);
  else
    shardwise_yaml_word (yaml, "lora_target_modules", targets->str);
}

/* What is learnt, and its data set: prompts and answers, or pairs of these; ORPO and reward models
 * take chats. */
static void
write_data (ShardwiseYaml *yaml, const ShardwiseExportJob *job)
{
  static const char *const columns[][5][2] = {
    { { "field_instruction", "prompt" },
      { "field_output", "completion" },
      { "format", "{instruction}" },
      { "no_input_format", "{instruction}" } },
    { { "field_prompt", "prompt" },
      { "field_chosen", "chosen" },
      { "field_rejected", "rejected" } },
    { { "field_prompt", "prompt" },
      { "field_completion", "completion" },
      { "field_label", "label" } },
  };
  const ShardwiseTuningMethod *method = shardwise_tuning_method (&job->problem);
  const gboolean rl = job->problem.training.type == SW_TRAINING_RLHF,
                 tokens = method->method == SW_METHOD_TOKENS && !rl,
                 reward = method->method == SW_METHOD_REWARD,
                 chats = reward || method->algorithm == SW_ALGORITHM_ORPO;
  const guint kind = tokens ? 0 : method->algorithm == SW_ALGORITHM_KTO ? 2 : 1;

  if (method->rl != NULL)
    shardwise_yaml_word (yaml, "rl", method->rl);
  if (reward)
    shardwise_yaml_bool (yaml, "reward_model", TRUE);
  if (chats)
    shardwise_yaml_word (yaml, "chat_template", "tokenizer_default");
  if (!tokens)
    shardwise_yaml_bool (yaml, "remove_unused_columns", FALSE);
  shardwise_yaml_begin_list (yaml, "datasets");
  shardwise_yaml_begin_map (yaml, NULL);
  shardwise_yaml_word (yaml, "path", SHARDWISE_TUNING_DATA);
  if (tokens || reward || rl)
    shardwise_yaml_word (yaml, "ds_type", "json");
  if (!tokens && !reward)
    shardwise_yaml_word (yaml, "split", "train");
  if (chats)
    shardwise_yaml_word (yaml, "type",
                         reward ? "bradley_terry.chat_template" : "chat_template.argilla");
  else if (!rl) /* whose columns are those of the data set */
    {
      shardwise_yaml_begin_map (yaml, "type");
      for (guint i = 0; columns[kind][i][0] != NULL; i++)
        shardwise_yaml_string (yaml, columns[kind][i][0], columns[kind][i][1]);
      shardwise_yaml_end_map (yaml);
    }
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_list (yaml);
}

/* GRPO, whose answers vLLM generates. */
static void
write_generation (ShardwiseYaml *yaml, ShardwiseExportJob *job)
{
  const SwTraining *training = &job->problem.training;

  if (training->type != SW_TRAINING_RLHF)
    return;
  shardwise_yaml_begin_map (yaml, "trl");
  shardwise_yaml_word (yaml, "beta", training->no_reference ? "0.0" : "0.04");
  shardwise_yaml_bool (yaml, "use_vllm", TRUE);
  shardwise_yaml_word (yaml, "vllm_mode", training->rlhf_colocated ? "colocate" : "server");
  shardwise_yaml_int (yaml, "num_generations", shardwise_tuning_group (&job->problem));
  shardwise_yaml_int (yaml, "generation_batch_size", shardwise_export_global_batch (job));
  shardwise_yaml_int (yaml, "max_completion_length", sw_rlhf_response_tokens (training));
  shardwise_yaml_begin_list (yaml, "reward_funcs");
  shardwise_yaml_word (yaml, NULL, "reward.score");
  shardwise_yaml_end_list (yaml);
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_begin_map (yaml, "vllm");
  shardwise_yaml_int (yaml, "tensor_parallel_size", 1);
  shardwise_yaml_word (yaml, "gpu_memory_utilization", training->rlhf_colocated ? "0.5" : "0.9");
  shardwise_yaml_int (yaml, "max_model_len", training->sequence_length);
  shardwise_yaml_end_map (yaml);
  shardwise_export_add_file (
      job, "reward.py",
      g_strdup ("# Your reward: 1 for an answer that holds the right one.\n"
                "def score(completions, answer, **kwargs):\n"
                "    return [float(str(right) in text) for text, right in zip(completions, "
                "answer)]\n"));
}

static char *
data_note (const ShardwiseExportJob *job)
{
  if (job->problem.training.type == SW_TRAINING_RLHF)
    return g_strdup (_ ("The data set: data.jsonl, on each line a JSON object with a “prompt” and "
                        "an “answer”; the path under datasets names another. The reward is a "
                        "function of reward.py."));
  switch ((guint) shardwise_tuning_method (&job->problem)->method)
    {
    case SW_METHOD_REWARD:
      return g_strdup (_ (
          "Data set: data.jsonl, with a JSON object on each line that has “system”, “input”, and a "
          "“chosen” and a “rejected” answer; change the path under datasets to use another file."));
    case SW_METHOD_PREFERENCE:
      if (job->problem.training.algorithm == SW_ALGORITHM_ORPO)
        return g_strdup (_ ("Data set: data.jsonl, with a JSON object on each line that has a "
                            "“chosen” and a “rejected” chat, each a list of messages; change the "
                            "path under datasets to use another file."));
      break;
    default: break;
    }
  return shardwise_tuning_data_note (
      job, "datasets",
      _ ("Data set: data.jsonl, with a JSON object on each line that has a “prompt” and a "
         "“completion”; change the path under datasets to use another file."));
}

static void
write_sharding (ShardwiseYaml *yaml, const ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  const ShardwiseRoute route = shardwise_tuning_route (s);
  const gboolean two = route == SHARDWISE_ROUTE_FSDP2, three = s->zero_stage == 3;
  const char *layer = shardwise_names_layer_class (&job->problem.model);

  if (route == SHARDWISE_ROUTE_DEEPSPEED)
    shardwise_yaml_word (yaml, "deepspeed", SHARDWISE_TUNING_DEEPSPEED);
  if (s->cp > 1)
    shardwise_yaml_int (yaml, "context_parallel_size", s->cp);
  if (route == SHARDWISE_ROUTE_FSDP2)
    {
      shardwise_yaml_int (yaml, "dp_shard_size", s->shard_group);
      shardwise_yaml_int (yaml, "dp_replicate_size", s->dp / s->shard_group);
    }
  if (!shardwise_tuning_wraps (s))
    return;
  shardwise_yaml_int (yaml, "fsdp_version", two ? 2 : 1);
  if (!two) /* a list that version 1 takes its sharding from */
    {
      shardwise_yaml_begin_list (yaml, "fsdp");
      shardwise_yaml_word (yaml, NULL,
                           s->shard_group < s->dp ? three ? "hybrid_shard" : "hybrid_shard_zero2"
                           : three                ? "full_shard"
                                                  : "shard_grad_op");
      shardwise_yaml_word (yaml, NULL, "auto_wrap");
      shardwise_yaml_end_list (yaml);
    }
  shardwise_yaml_begin_map (yaml, "fsdp_config");
  if (two)
    shardwise_yaml_bool (yaml, "reshard_after_forward", three);
  shardwise_yaml_word (yaml, "auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
  if (layer != NULL)
    shardwise_yaml_word (yaml, "transformer_layer_cls_to_wrap", layer);
  shardwise_yaml_word (yaml, "state_dict_type", "FULL_STATE_DICT");
  if (!two)
    {
      shardwise_yaml_bool (yaml, "sync_module_states", TRUE);
      shardwise_yaml_bool (yaml, "use_orig_params", !shardwise_export_has_adapters (&job->problem));
    }
  shardwise_yaml_bool (yaml, "cpu_ram_efficient_loading", TRUE);
  shardwise_yaml_bool (yaml, "offload_params", s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS);
  shardwise_yaml_bool (yaml, "activation_checkpointing", s->recompute == SW_RECOMPUTE_FULL);
  shardwise_yaml_end_map (yaml);
}

static void
write_files (ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  const SwTraining *training = &job->problem.training;
  const gboolean wraps = shardwise_tuning_wraps (s),
                 half = training->precision == SW_PRECISION_FP16;
  ShardwiseYaml *yaml = shardwise_yaml_new ();
  g_autofree char *data = data_note (job);

  shardwise_tuning_add_notes (job, data,
                              SHARDWISE_FEATURE (COMPILE) | SHARDWISE_FEATURE (FLASH_3)
                                  | SHARDWISE_FEATURE (FUSED_CROSS_ENTROPY)
                                  | SHARDWISE_FEATURE (CHUNKED_CROSS_ENTROPY));

  if (training->type == SW_TRAINING_RLHF && !training->rlhf_colocated)
    shardwise_export_note (job, SHARDWISE_NOTE_ADDRESS,
                           _ ("The server that generates: start `axolotl vllm-serve "
                              "axolotl.yaml` on its GPUs, and name its host by "
                              "trl.vllm_server_host."));

  shardwise_yaml_word (yaml, "base_model", shardwise_tuning_model (job));
  write_method (yaml, job);
  write_data (yaml, job);
  shardwise_yaml_word (yaml, "output_dir", SHARDWISE_TUNING_OUTPUT);
  shardwise_yaml_int (yaml, "sequence_len", training->sequence_length);
  shardwise_yaml_bool (yaml, "sample_packing",
                       training->attention != SW_ATTENTION_UNFUSED
                           && training->method == SW_METHOD_TOKENS
                           && training->type != SW_TRAINING_RLHF);
  shardwise_yaml_bool (yaml, "pad_to_sequence_len", TRUE);
  shardwise_yaml_int (yaml, "micro_batch_size", shardwise_tuning_micro (job));
  shardwise_yaml_int (yaml, "gradient_accumulation_steps", shardwise_tuning_accumulation (job));
  shardwise_yaml_int (yaml, "max_steps", shardwise_export_train_steps (&job->problem));
  shardwise_yaml_int (yaml, "warmup_steps", shardwise_tuning_warmup (&job->problem));
  shardwise_yaml_word (yaml, "optimizer", shardwise_tuning_optimizer (job));
  shardwise_yaml_word (yaml, "learning_rate", shardwise_tuning_rate (&job->problem));
  shardwise_yaml_word (yaml, "lr_scheduler", "cosine");
  shardwise_yaml_word (yaml, "max_grad_norm", "1.0");
  shardwise_yaml_bool (yaml, "bf16", !half);
  shardwise_yaml_bool (yaml, "fp16", half);
  shardwise_yaml_word (yaml, "attn_implementation", shardwise_tuning_attention (job));
  shardwise_yaml_bool (yaml, "gradient_checkpointing", s->recompute == SW_RECOMPUTE_FULL && !wraps);
  if (s->recompute == SW_RECOMPUTE_FULL && !wraps)
    {
      shardwise_yaml_begin_map (yaml, "gradient_checkpointing_kwargs");
      shardwise_yaml_bool (yaml, "use_reentrant",
                           shardwise_export_wants (job, SW_FEATURE_REENTRANT_CHECKPOINTING, FALSE));
      shardwise_yaml_end_map (yaml);
    }
  if (s->offload == SW_OFFLOAD_ACTIVATIONS)
    shardwise_yaml_bool (yaml, "activation_offloading", TRUE);
  if (shardwise_export_wants (job, SW_FEATURE_COMPILE, FALSE))
    shardwise_yaml_bool (yaml, "torch_compile", TRUE);
  if (shardwise_export_wants (job, SW_FEATURE_CHUNKED_CROSS_ENTROPY, FALSE))
    shardwise_yaml_bool (yaml, "chunked_cross_entropy", TRUE);
  if (shardwise_export_wants (job, SW_FEATURE_FUSED_CROSS_ENTROPY, FALSE))
    {
      shardwise_yaml_begin_list (yaml, "plugins");
      shardwise_yaml_word (yaml, NULL, "axolotl.integrations.liger.LigerPlugin");
      shardwise_yaml_end_list (yaml);
      shardwise_yaml_bool (yaml, "liger_fused_linear_cross_entropy", TRUE);
    }
  write_sharding (yaml, job);
  write_generation (yaml, job);
  shardwise_yaml_int (yaml, "logging_steps", 10);
  shardwise_yaml_int (yaml, "save_steps", 500);
  shardwise_tuning_add_yaml (job, NULL, yaml);
  if (shardwise_tuning_route (s) == SHARDWISE_ROUTE_DEEPSPEED)
    shardwise_tuning_add_deepspeed (job);
}

static void
adapt (ShardwiseExportJob *job, SwStrategy *strategy)
{
  if (shardwise_tuning_route (strategy) == SHARDWISE_ROUTE_PLAIN)
    shardwise_tuning_set_pure (&job->problem);
}

static void
launch (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, "axolotl.cli.train");
  out->is_module = TRUE;
  shardwise_args_flag (shardwise_launch_add_group (out, NULL), job->info->file_name);
}

const ShardwiseFormatWriter shardwise_axolotl_writer = {
  .rules = rules,
  .n_rules = G_N_ELEMENTS (rules),
  .base = &shardwise_trainer_writer,
  .narrow = shardwise_tuning_narrow,
  .adapt = adapt,
  .write = write_files,
  .launch = launch,
};
