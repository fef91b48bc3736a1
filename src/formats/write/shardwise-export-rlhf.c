/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Launch lines of verl (0.7, FSDP, Hydra's overrides of ppo_trainer.yaml and sft_trainer.yaml) and
 * OpenRLHF (0.11, DeepSpeed, argparse): reinforcement learning in a Ray cluster, and supervised
 * fine-tuning by torchrun. */
#include "shardwise-export-tuning.h"

#include <glib/gi18n.h>

#include "shardwise-export-names.h"
#include "shardwise-launch.h"
#include "sw-framework.h"

#define PARQUET "data.parquet"
#define REWARD "reward.py"
/* Of the GPU's memory, what the weights that vLLM generates with may take. */
#define WEIGHTS_SHARE 0.4

static gboolean
is_rl (const SwProblem *problem)
{
  return problem->training.type == SW_TRAINING_RLHF;
}

static gboolean
is_qlora (const SwProblem *problem, const SwStrategy *s)
{
  return sw_training_states (&problem->training) == SW_TRAINING_QLORA;
}

static gboolean
is_half (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.precision == SW_PRECISION_FP16;
}

static gboolean
other_sharding (const SwProblem *problem, const SwStrategy *s)
{
  return s->dp * s->cp > 1 && s->zero_stage != 3
         && (s->zero_stage != 2 || !is_rl (problem) || s->framework != SW_FRAMEWORK_FSDP2);
}

static gboolean
other_group (const SwProblem *problem, const SwStrategy *s)
{
  return s->zero_stage > 0 && s->shard_group < s->dp && !is_rl (problem);
}

static gboolean
other_context (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->cp_method != SW_CP_ULYSSES;
}

static gboolean
generates_apart (const SwProblem *problem, const SwStrategy *s)
{
  return is_rl (problem) && !problem->training.rlhf_colocated;
}

static gboolean
offloads_by_one (const SwProblem *problem, const SwStrategy *s)
{
  return (s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS && s->framework == SW_FRAMEWORK_FSDP)
         || (s->offload == SW_OFFLOAD_ACTIVATIONS && !is_rl (problem));
}

static gboolean
offloads_parameters (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS || s->offload == SW_OFFLOAD_ACTIVATIONS;
}

static gboolean
other_method (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_method (problem)->command == NULL;
}

static gboolean
drops_out (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_export_has_adapters (problem) && problem->training.lora_dropout > 0;
}

static gboolean
offloads_to_drives (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload != SW_OFFLOAD_NONE && problem->training.offloads_to_nvme;
}

static gboolean
not_verl (const SwProblem *problem, const SwStrategy *s)
{
  return sw_rule_is_not_adamw (problem, s) && problem->training.optimizer != SW_OPTIMIZER_ADAM8BIT;
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

static const ShardwiseFormatRule verl_rules[] = {
  SHARDWISE_TUNING_NO_TEACHER,
  { SHARDWISE_KEY_TRAINING_TYPE, 0, is_qlora,
    N_ ("verl does not support 4-bit weights; Shardwise writes LoRA, full fine-tuning and "
        "reinforcement learning") },
  { SHARDWISE_KEY_TRAINING_TYPE, 0, shardwise_tuning_learns_otherwise,
    N_ ("verl has no trainer for preferences or rewards; use TRL, Axolotl, LLaMA-Factory or "
        "OpenRLHF") },
  { SHARDWISE_KEY_TRAINING_LORA_DROPOUT, 0, drops_out,
    N_ ("verl’s adapters do not support dropout") },
  { SHARDWISE_KEY_TRAINING_LORA_DORA, 0, shardwise_tuning_has_dora,
    N_ ("verl supports LoRA adapters only; for DoRA, use TRL, Axolotl, LLaMA-Factory or "
        "torchtune") },
  { SHARDWISE_KEY_TRAINING_PRECISION, 0, is_half, N_ ("Shardwise writes verl in bf16 only") },
  { SHARDWISE_KEY_TRAINING_RLHF_COLOCATED, 0, generates_apart,
    N_ ("Shardwise writes verl with generation on the training GPUs only; OpenRLHF and TRL can "
        "also generate on separate GPUs") },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO) | D (DP) | D (CP), other_sharding,
    N_ ("verl also shards parameters (ZeRO 3); in reinforcement learning, FSDP 2 can keep them "
        "whole after the forward pass (ZeRO 2)") },
  { SHARDWISE_KEY_STRATEGY_SHARD_GROUP, D (SHARD_GROUP) | D (ZERO) | D (DP), other_group,
    N_ ("verl’s supervised fine-tuning shards over all GPUs") },
  { SHARDWISE_KEY_STRATEGY_CP_METHOD, D (CP) | D (CP_METHOD), other_context,
    N_ ("verl splits sequences with Ulysses") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD), offloads_by_one,
    N_ ("verl offloads the states of FSDP 2, and activations in reinforcement learning") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, 0, not_verl,
    N_ ("Shardwise writes verl with AdamW and torchao’s 8-bit AdamW") },
};

static const ShardwiseFormatRule openrlhf_rules[] = {
  SHARDWISE_TUNING_NO_TEACHER,
  { SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM, 0, other_method,
    N_ ("OpenRLHF supports DPO and IPO for training on preferences") },
  { SHARDWISE_KEY_TRAINING_LORA_DORA, 0, shardwise_tuning_has_dora,
    N_ ("OpenRLHF supports LoRA adapters only; for DoRA, use TRL, Axolotl, LLaMA-Factory or "
        "torchtune") },
  { SHARDWISE_KEY_STRATEGY_CP, D (CP), sw_rule_has_cp,
    N_ ("Shardwise does not model OpenRLHF’s ring attention with DeepSpeed and does not write it; "
        "CP must be 1") },
  { SHARDWISE_KEY_TRAINING_OFFLOAD_DEVICE, D (OFFLOAD), offloads_to_drives,
    N_ ("OpenRLHF offloads to host memory only") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD), offloads_parameters,
    N_ ("OpenRLHF offloads the optimizer only") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, 0, sw_rule_is_not_adamw,
    N_ ("Shardwise writes OpenRLHF with AdamW") },
};

/* ---- what both say ---- */

/* GPUs over which one copy of the weights is split for generation, on the GPUs that train. */
static guint
generating_tp (const ShardwiseExportJob *job)
{
  const double bytes = 2 * job->problem.count.total,
               room = job->estimate.usable_bytes * WEIGHTS_SHARE;
  const guint most = shardwise_export_gpus_per_node (job);
  guint tp = 1;

  while (tp < most && bytes / tp > room && job->problem.model.kv_heads % (2 * tp) == 0
         && most % (2 * tp) == 0)
    tp *= 2;
  return tp;
}

static void
add_word (GPtrArray *args, const char *key, const char *value)
{
  g_ptr_array_add (args, g_strdup_printf ("%s=%s", key, value));
}

static void
add_int (GPtrArray *args, const char *key, guint value)
{
  g_ptr_array_add (args, g_strdup_printf ("%s=%u", key, value));
}

static void
add_bool (GPtrArray *args, const char *key, gboolean value)
{
  add_word (args, key, value ? "True" : "False");
}

/* A function that both find by the file's name. */
static void
add_reward (ShardwiseExportJob *job)
{
  const char *head = job->info->format == SHARDWISE_FORMAT_VERL
                         ? "def compute_score(data_source, solution_str, ground_truth, "
                           "extra_info=None):\n"
                           "    return float(str(ground_truth) in solution_str)\n"
                         : "import torch\n\n\n"
                           "def reward_func(queries, prompts, labels, **kwargs):\n"
                           "    scores = torch.tensor([float(str(right) in text) for text, right "
                           "in zip(queries, labels)])\n"
                           "    return {\"rewards\": scores, \"scores\": scores}\n";

  shardwise_export_add_file (
      job, REWARD,
      g_strconcat ("# Your reward: 1 for an answer that holds the right one.\n", head, NULL));
}

static gboolean
has_reward_model (const ShardwiseExportJob *job)
{
  return is_rl (&job->problem) && job->problem.training.rlhf_ppo;
}

/* How advantages are estimated. */
static const char *
algorithm_word (const ShardwiseExportJob *job, const char *ppo, const char *grpo)
{
  return job->problem.training.rlhf_ppo                         ? ppo
         : job->problem.training.algorithm == SW_ALGORITHM_RLOO ? "rloo"
                                                                : grpo;
}

static void
write_files (ShardwiseExportJob *job)
{
  const gboolean rl = is_rl (&job->problem), verl = job->info->format == SHARDWISE_FORMAT_VERL;
  GString *text = g_string_new ("#!/bin/bash\n");
  g_auto (ShardwiseLaunch) launch = { 0 };
  g_autofree char *data = shardwise_tuning_data_note (
      job, "--data.dataset",
      verl && rl
          ? _ ("Data set: data.parquet, with the columns that verl’s data preprocessing writes "
               "(prompt, data_source, reward_model); change data.train_files to use another file.")
      : verl ? _ ("Data set: data.parquet, with the columns “prompt” and “completion”; change "
                  "data.train_files to use another file.")
      : rl ? _ ("Data set: data.jsonl, with a JSON object on each line that has a “prompt” and an "
                "“answer”; change --data.prompt_dataset to use another file.")
           : _ ("Data set: data.jsonl, with a JSON object on each line that has a “prompt” and a "
                "“completion”; change --data.dataset to use another file."));

  if (has_reward_model (job))
    shardwise_export_note (job, SHARDWISE_NOTE_MISSING_FILE,
                           _ ("Reward model: “reward-model” is a placeholder; replace it with the "
                              "path of your folder."));
  else if (rl)
    shardwise_export_note (
        job, SHARDWISE_NOTE_MADE_UP_DATA,
        _ ("Reward: reward.py contains a placeholder function; replace it with yours."));
  shardwise_tuning_add_notes (
      job, data, SHARDWISE_FEATURE (COMPILE) | SHARDWISE_FEATURE (FUSED_CROSS_ENTROPY));
  shardwise_tuning_append_head (job, text);
  shardwise_launch_of (job, &launch);
  shardwise_launch_append_script (&launch, job, text);
  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
  if (rl && !has_reward_model (job))
    add_reward (job);
}

/* ---- verl ---- */

static void
add_verl_model (const ShardwiseExportJob *job, GPtrArray *args, const char *prefix)
{
  const SwStrategy *s = &job->estimate.strategy;
  const SwTraining *training = &job->problem.training;
  const struct {
    const char *key;
    gboolean value;
  } switches[] = {
    { "enable_gradient_checkpointing", s->recompute == SW_RECOMPUTE_FULL },
    { "use_liger", shardwise_export_wants (job, SW_FEATURE_FUSED_CROSS_ENTROPY, FALSE) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (switches); i++)
    {
      g_autofree char *key = g_strconcat (prefix, switches[i].key, NULL);

      add_bool (args, key, switches[i].value);
    }
  if (shardwise_export_has_adapters (&job->problem))
    {
      g_autofree char *list = shardwise_names_list_adapted (&job->problem, ","),
                      *some = g_strdup_printf ("[%s]", list);

      g_ptr_array_add (args, g_strdup_printf ("%slora_rank=%u", prefix, training->lora_rank));
      g_ptr_array_add (args, g_strdup_printf ("%slora_alpha=%u", prefix,
                                              shardwise_tuning_alpha (&job->problem)));
      g_ptr_array_add (args, g_strdup_printf ("%starget_modules=%s", prefix,
                                              g_str_equal (list, "all-linear") ? list : some));
    }
}

static const char *
verl_strategy (const SwStrategy *s)
{
  return s->framework == SW_FRAMEWORK_FSDP ? "fsdp" : "fsdp2";
}

/* One of the two models that are trained. */
static void
add_verl_engine (const ShardwiseExportJob *job, GPtrArray *args, const char *role,
                 const char *config)
{
  const SwStrategy *s = &job->estimate.strategy;
  const gboolean eight = job->problem.training.optimizer == SW_OPTIMIZER_ADAM8BIT,
                 host = s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS;
  const struct {
    const char *where, *key, *value;
  } words[] = {
    { role, "strategy", verl_strategy (s) },
    { role, "optim.lr", shardwise_tuning_rate (&job->problem) },
    { role, "optim.optimizer_impl", eight ? "torchao.optim" : "torch.optim" },
    { role, "optim.optimizer", eight ? "AdamW8bit" : "AdamW" },
    { config, "model_dtype", shardwise_tuning_is_pure (&job->problem) ? "bf16" : "fp32" },
    { config, "reshard_after_forward", s->zero_stage == 3 ? "True" : "False" },
    { config, "offload_policy", host ? "True" : "False" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    g_ptr_array_add (args,
                     g_strdup_printf ("%s.%s=%s", words[i].where, words[i].key, words[i].value));
  g_ptr_array_add (args,
                   g_strdup_printf ("%s.ppo_micro_batch_size_per_gpu=%u", role, s->micro_batch));
  g_ptr_array_add (args, g_strdup_printf ("%s.ulysses_sequence_parallel_size=%u", role, s->cp));
  g_ptr_array_add (
      args,
      g_strdup_printf ("%s.fsdp_size=%d", config,
                       s->shard_group < s->dp && s->zero_stage > 0 ? (int) s->shard_group : -1));
}

static void
add_verl_rl (const ShardwiseExportJob *job, GPtrArray *args)
{
  const SwStrategy *s = &job->estimate.strategy;
  const SwTraining *training = &job->problem.training;
  const guint group = shardwise_tuning_group (&job->problem),
              prompts = shardwise_export_global_batch (job) / group;
  const char *model = shardwise_tuning_model (job);

  add_word (args, "algorithm.adv_estimator", algorithm_word (job, "gae", "grpo"));
  add_word (args, "data.train_files", PARQUET);
  add_word (args, "data.val_files", PARQUET);
  add_int (args, "data.train_batch_size", prompts);
  add_int (args, "data.max_prompt_length", sw_rlhf_prompt_tokens (training));
  add_int (args, "data.max_response_length", sw_rlhf_response_tokens (training));
  add_word (args, "actor_rollout_ref.model.path", model);
  add_bool (args, "actor_rollout_ref.model.use_remove_padding", TRUE);
  add_bool (args, "actor_rollout_ref.model.enable_activation_offload",
            s->offload == SW_OFFLOAD_ACTIVATIONS);
  add_verl_model (job, args, "actor_rollout_ref.model.");
  add_int (args, "actor_rollout_ref.actor.ppo_mini_batch_size", prompts);
  add_bool (args, "actor_rollout_ref.actor.use_kl_loss",
            !training->rlhf_ppo && !training->no_reference);
  add_bool (args, "algorithm.use_kl_in_reward", training->rlhf_ppo && !training->no_reference);
  add_verl_engine (job, args, "actor_rollout_ref.actor", "actor_rollout_ref.actor.fsdp_config");
  add_int (args, "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu", s->micro_batch);
  add_word (args, "actor_rollout_ref.rollout.name", "vllm");
  add_int (args, "actor_rollout_ref.rollout.n", group);
  add_int (args, "actor_rollout_ref.rollout.tensor_model_parallel_size", generating_tp (job));
  add_word (args, "actor_rollout_ref.rollout.gpu_memory_utilization", "0.5");
  add_int (args, "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu", s->micro_batch);
  if (training->rlhf_ppo)
    {
      add_word (args, "critic.model.path", model);
      add_bool (args, "critic.model.use_remove_padding", TRUE);
      add_bool (args, "critic.model.enable_gradient_checkpointing",
                s->recompute == SW_RECOMPUTE_FULL);
      add_verl_engine (job, args, "critic", "critic.model.fsdp_config");
      add_bool (args, "reward_model.enable", TRUE);
      add_word (args, "reward_model.model.path", "reward-model");
      add_word (args, "reward_model.rollout.name", "vllm");
    }
  else
    add_word (args, "custom_reward_function.path", REWARD);
}

static void
add_verl_sft (const ShardwiseExportJob *job, GPtrArray *args)
{
  const SwStrategy *s = &job->estimate.strategy;

  add_word (args, "data.train_files", PARQUET);
  add_word (args, "data.val_files", PARQUET);
  add_word (args, "data.prompt_key", "prompt");
  add_word (args, "data.response_key", "completion");
  add_int (args, "data.max_length", job->problem.training.sequence_length);
  add_int (args, "data.train_batch_size", shardwise_export_global_batch (job));
  add_int (args, "data.micro_batch_size_per_gpu", s->micro_batch);
  add_word (args, "model.partial_pretrain", shardwise_tuning_model (job));
  add_word (args, "model.strategy", verl_strategy (s));
  add_verl_model (job, args, "model.");
  add_word (args, "model.fsdp_config.model_dtype",
            shardwise_tuning_is_pure (&job->problem) ? "bf16" : "fp32");
  add_bool (args, "model.fsdp_config.cpu_offload", s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS);
  add_bool (args, "model.fsdp_config.offload_params", s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS);
  add_int (args, "ulysses_sequence_parallel_size", s->cp);
  add_bool (args, "use_remove_padding", s->cp > 1);
  add_word (args, "optim.lr", shardwise_tuning_rate (&job->problem));
  if (job->problem.training.optimizer == SW_OPTIMIZER_ADAM8BIT)
    {
      add_word (args, "optim.optimizer_impl", "torchao.optim");
      add_word (args, "optim.optimizer", "AdamW8bit");
    }
}

static void
launch_verl (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  const gboolean rl = is_rl (&job->problem);
  GPtrArray *args;

  shardwise_launch_init (out, rl ? "verl.trainer.main_ppo" : "verl.trainer.fsdp_sft_trainer");
  out->is_module = TRUE;
  if (rl)
    out->starter = SHARDWISE_STARTER_RAY;
  args = shardwise_launch_add_group (out, NULL);
  if (rl)
    add_verl_rl (job, args);
  else
    add_verl_sft (job, args);
  add_int (args, "trainer.nnodes", shardwise_export_nodes (job));
  add_int (args, "trainer.n_gpus_per_node", shardwise_export_gpus_per_node (job));
  add_int (args, "trainer.total_training_steps", shardwise_export_train_steps (&job->problem));
  add_word (args, "trainer.logger", "console");
  add_word (args, "trainer.default_local_dir", SHARDWISE_TUNING_OUTPUT);
}

/* ---- OpenRLHF ---- */

/* The nodes of a model and the GPUs that it takes on each. */
static void
add_place (GPtrArray *args, const char *role, guint nodes, guint gpus)
{
  g_autofree char *of_nodes = g_strdup_printf ("--%s.num_nodes", role),
                  *of_gpus = g_strdup_printf ("--%s.num_gpus_per_node", role);

  shardwise_args_int (args, of_nodes, nodes);
  shardwise_args_int (args, of_gpus, gpus);
}

static void
add_openrlhf_rl (const ShardwiseExportJob *job, GPtrArray *args)
{
  const SwTraining *training = &job->problem.training;
  const guint nodes = shardwise_export_nodes (job), gpus = shardwise_export_gpus_per_node (job),
              group = shardwise_tuning_group (&job->problem),
              batch = shardwise_export_global_batch (job), tp = generating_tp (job),
              generating = sw_rlhf_generating_gpus (&job->problem, &job->estimate.strategy);

  add_place (args, "actor", nodes, gpus);
  if (!training->no_reference)
    add_place (args, "ref", nodes, gpus);
  if (training->rlhf_ppo)
    {
      add_place (args, "critic", nodes, gpus);
      add_place (args, "reward", nodes, gpus);
      shardwise_args_word (args, "--reward.model_name_or_path", "reward-model");
    }
  else
    shardwise_args_word (args, "--reward.remote_url", REWARD);
  shardwise_args_int (args, "--vllm.num_engines", MAX (generating / tp, 1));
  shardwise_args_int (args, "--vllm.tensor_parallel_size", tp);
  shardwise_args_word (args, "--vllm.gpu_memory_utilization", "0.5");
  if (training->rlhf_colocated)
    {
      shardwise_args_flag (args, "--train.colocate_all");
      shardwise_args_flag (args, "--vllm.enable_sleep");
      shardwise_args_flag (args, "--ds.enable_sleep");
    }
  else
    {
      shardwise_args_flag (args, "--train.colocate_actor_ref");
      if (training->rlhf_ppo)
        shardwise_args_flag (args, "--train.colocate_critic_reward");
    }
  shardwise_args_word (args, "--algo.advantage.estimator",
                       algorithm_word (job, "gae", "group_norm"));
  shardwise_args_int (args, "--rollout.n_samples_per_prompt", group);
  shardwise_args_int (args, "--rollout.batch_size", batch / group);
  shardwise_args_int (args, "--rollout.max_new_tokens", sw_rlhf_response_tokens (training));
  shardwise_args_word (args, "--algo.kl.init_coef", training->no_reference ? "0" : "0.01");
  if (!training->rlhf_ppo && !training->no_reference)
    {
      shardwise_args_flag (args, "--algo.kl.use_loss");
      shardwise_args_word (args, "--algo.kl.estimator", "k3");
    }
  shardwise_args_word (args, "--data.prompt_dataset", SHARDWISE_TUNING_DATA);
  shardwise_args_word (args, "--data.input_key", "prompt");
  shardwise_args_word (args, "--data.label_key", "answer");
}

static void
launch_openrlhf (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  const SwStrategy *s = &job->estimate.strategy;
  const SwTraining *training = &job->problem.training;
  const gboolean rl = is_rl (&job->problem), half = training->precision == SW_PRECISION_FP16;
  const guint together = MAX (training->together, 1);
  g_autofree char *module = g_strconcat ("openrlhf.cli.",
                                         shardwise_tuning_method (&job->problem)->command, NULL);
  GPtrArray *args;

  shardwise_launch_init (out, module);
  out->is_module = TRUE;
  if (rl)
    out->starter = SHARDWISE_STARTER_RAY;
  args = shardwise_launch_add_group (out, NULL);
  shardwise_args_word (args, rl ? "--actor.model_name_or_path" : "--model.model_name_or_path",
                       shardwise_tuning_model (job));
  shardwise_args_word (args, rl ? "--actor.adam.lr" : "--adam.lr",
                       shardwise_tuning_rate (&job->problem));
  if (s->recompute == SW_RECOMPUTE_FULL)
    shardwise_args_flag (args, rl ? "--actor.gradient_checkpointing_enable"
                                  : "--model.gradient_checkpointing_enable");
  shardwise_args_int (args, "--data.max_len", training->sequence_length);
  shardwise_args_int (args, "--train.batch_size", shardwise_export_global_batch (job) / together);
  shardwise_args_int (args, "--train.micro_batch_size", shardwise_tuning_micro (job));
  shardwise_args_int (args, "--ds.zero_stage", s->zero_stage);
  shardwise_args_word (args, "--ds.param_dtype", half ? "fp16" : "bf16");
  shardwise_args_word (args, "--ds.attn_implementation", shardwise_tuning_attention (job));
  if (s->offload == SW_OFFLOAD_OPTIMIZER)
    shardwise_args_flag (args, "--ds.adam_offload");
  if (training->attention != SW_ATTENTION_UNFUSED)
    shardwise_args_flag (args, "--ds.packing_samples");
  if (shardwise_export_wants (job, SW_FEATURE_FUSED_CROSS_ENTROPY, FALSE)
      && training->method != SW_METHOD_REWARD)
    shardwise_args_flag (args, "--ds.use_liger_kernel");
  if (shardwise_export_has_adapters (&job->problem))
    {
      shardwise_args_int (args, "--ds.lora.rank", training->lora_rank);
      g_autofree char *dropout = shardwise_tuning_dropout (&job->problem);

      shardwise_args_int (args, "--ds.lora.alpha", shardwise_tuning_alpha (&job->problem));
      shardwise_args_word (args, "--ds.lora.dropout", dropout);
      g_autofree char *list = shardwise_names_list_adapted (&job->problem, " ");

      if (!g_str_equal (list, "all-linear"))
        {
          g_auto (GStrv) names = g_strsplit (list, " ", -1);

          shardwise_args_flag (args, "--ds.lora.target_modules");
          for (guint i = 0; names[i] != NULL; i++)
            g_ptr_array_add (args, g_strdup (names[i]));
        }
    }
  if (sw_training_states (training) == SW_TRAINING_QLORA)
    shardwise_args_flag (args, "--ds.load_in_4bit");
  if (rl)
    add_openrlhf_rl (job, args);
  else
    {
      const gboolean tokens = training->method == SW_METHOD_TOKENS;

      shardwise_args_word (args, "--data.dataset", SHARDWISE_TUNING_DATA);
      shardwise_args_word (args, tokens ? "--data.input_key" : "--data.prompt_key", "prompt");
      if (tokens)
        shardwise_args_word (args, "--data.output_key", "completion");
      else
        {
          shardwise_args_word (args, "--data.chosen_key", "chosen");
          shardwise_args_word (args, "--data.rejected_key", "rejected");
        }
      if (training->method == SW_METHOD_PREFERENCE && training->algorithm == SW_ALGORITHM_IPO)
        shardwise_args_flag (args, "--model.ipo_enable");
    }
  shardwise_args_word (args, "--ckpt.output_dir", SHARDWISE_TUNING_OUTPUT);
}

const ShardwiseFormatWriter shardwise_verl_writer = {
  .rules = verl_rules,
  .n_rules = G_N_ELEMENTS (verl_rules),
  .base = &shardwise_trainer_writer,
  .narrow = shardwise_tuning_narrow,
  .write = write_files,
  .launch = launch_verl,
};

const ShardwiseFormatWriter shardwise_openrlhf_writer = {
  .rules = openrlhf_rules,
  .n_rules = G_N_ELEMENTS (openrlhf_rules),
  .base = &shardwise_trainer_writer,
  .narrow = shardwise_tuning_narrow,
  .write = write_files,
  .launch = launch_openrlhf,
};
