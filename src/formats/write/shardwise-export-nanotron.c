/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-job.h"

#include <glib/gi18n.h>

#include "shardwise-launch.h"
#include "shardwise-yaml.h"
#include "sw-framework.h"

/* Nanotron 0.4: one YAML file that is the whole training job. Its sections and fields are exactly
 * those of Nanotron's dataclasses: one unknown key anywhere is refused. */

/* What Nanotron 0.4 refuses, or accepts and cannot run: its configuration classes, the asserts of
 * config.py and of the models. */

/* Whether the sliding window is shorter than the sequences, so that it changes anything. */
static gboolean
has_window (const SwProblem *problem)
{
  guint window = problem->model.sliding_window;

  return window > 0 && window < problem->training.sequence_length;
}

static gboolean
tp_kv_heads (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.kv_heads % s->tp != 0;
}

static gboolean
kv_heads (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.kv_heads == 0
         || problem->model.attention_heads % problem->model.kv_heads != 0;
}

static gboolean
other_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer != SW_OPTIMIZER_ADAMW
         && problem->training.optimizer != SW_OPTIMIZER_SGD;
}

static gboolean
other_kind (const SwProblem *problem, const SwStrategy *s)
{
  return !sw_model_is_plain_decoder (&problem->model);
}

static gboolean
other_layers (const SwProblem *problem, const SwStrategy *s)
{
  return !sw_model_has_llama_layers (&problem->model);
}

static gboolean
other_biases (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.attn_out_bias || problem->model.mlp_bias;
}

static gboolean
other_head_size (const SwProblem *problem, const SwStrategy *s)
{
  return !sw_model_has_usual_heads (&problem->model);
}

static gboolean
other_window (const SwProblem *problem, const SwStrategy *s)
{
  return has_window (problem) && problem->model.window_pattern != SW_WINDOW_ALL;
}

static gboolean
other_experts (const SwProblem *problem, const SwStrategy *s)
{
  const SwMoe *moe = &problem->model.moe;

  return moe->experts > 0 && moe->router_bias;
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

static const ShardwiseFormatRule rules[] = {
  { SHARDWISE_KEY_STRATEGY_CP, D (CP), sw_rule_lacks_cp,
    N_ ("Nanotron cannot start a new training with context parallelism; CP must be 1") },
  { SHARDWISE_KEY_STRATEGY_EP, D (EP), sw_rule_lacks_ep,
    N_ ("Nanotron’s check of the world size ignores expert parallelism, so no number of GPUs "
        "passes; EP must be 1") },
  { SHARDWISE_KEY_STRATEGY_VPP, D (VPP), sw_rule_lacks_vpp,
    N_ ("Nanotron has no interleaved pipeline; each GPU has one stage") },
  { SHARDWISE_KEY_STRATEGY_SCHEDULE, D (PP) | D (SCHEDULE), sw_rule_pipes_unknown_schedule,
    N_ ("Nanotron’s pipeline supports 1F1B and all forward passes first (GPipe)") },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO), sw_rule_lacks_zero_stage,
    N_ ("Nanotron shards the optimizer only: ZeRO 0 or 1") },
  { SHARDWISE_KEY_STRATEGY_SHARD_GROUP, D (SHARD_GROUP) | D (ZERO) | D (DP), sw_rule_lacks_groups,
    N_ ("Nanotron’s ZeRO 1 shards over all of DP") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD), sw_rule_offloads,
    N_ ("Nanotron does not support offload to the host") },
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE, D (RECOMPUTE), sw_rule_lacks_recompute,
    N_ ("Nanotron recomputes all layers or none") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), sw_rule_odd_heads,
    N_ ("Nanotron requires a number of attention heads that is divisible by TP") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), tp_kv_heads,
    N_ ("Nanotron requires a number of KV heads that is a multiple of TP") },
  { SHARDWISE_KEY_MODEL_KV_HEADS, 0, kv_heads,
    N_ ("Nanotron requires a number of attention heads that is a multiple of the KV heads") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), sw_rule_splits_experts,
    N_ ("Nanotron copies every expert to all tensor-parallel ranks; a mixture of experts requires "
        "TP 1") },
  { SHARDWISE_KEY_TRAINING_PRECISION, 0, sw_rule_is_not_bf16,
    N_ ("Nanotron’s trainer has no loss scaling and no 8-bit layers; it trains in bf16") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, 0, other_optimizer, N_ ("Nanotron supports AdamW and SGD") },
  { SHARDWISE_KEY_TRAINING_TYPE, 0, sw_rule_is_not_full_training,
    N_ ("Nanotron trains all parameters of one model; it supports pre-training and full "
        "fine-tuning only") },
  { SHARDWISE_KEY_NONE, 0, other_kind,
    N_ ("Nanotron supports Llama and Qwen2: decoders without latent attention, hybrid or parallel "
        "blocks, and multi-token prediction"),
    "model" },
  { SHARDWISE_KEY_NONE, 0, other_layers,
    N_ ("Nanotron’s Llama and Qwen2 have RMSNorm twice per layer, rotary positions, a gated MLP "
        "and no norm of queries and keys"),
    "model" },
  { SHARDWISE_KEY_NONE, 0, other_biases,
    N_ ("Nanotron’s Llama and Qwen2 have biases on queries, keys and values only"), "model.bias" },
  { SHARDWISE_KEY_MODEL_HEAD_DIM, 0, other_head_size,
    N_ ("Nanotron sets the head size to hidden size / attention heads") },
  { SHARDWISE_KEY_MODEL_SLIDING_WINDOW_PATTERN, 0, other_window,
    N_ ("Nanotron applies the sliding window to every layer or to none") },
  { SHARDWISE_KEY_NONE, 0, other_experts, N_ ("Nanotron’s router has no bias"), "model.moe" },
};

#define PROGRAM "run_train.py"

static void
write_model (ShardwiseYaml *yaml, const SwProblem *problem)
{
  const SwModelSpec *model = &problem->model;
  /* Whether the model needs Nanotron's Qwen2 (biases, windows, experts) rather than its Llama. */
  gboolean qwen2 = problem->model.qkv_bias || problem->model.moe.experts > 0
                   || has_window (problem);
  g_autofree char *base = g_strdup_printf ("%u.0", shardwise_export_rope_base (model));

  shardwise_yaml_begin_map (yaml, "model");
  shardwise_yaml_word (yaml, "dtype", "bfloat16");
  shardwise_yaml_int (yaml, "ddp_bucket_cap_mb", 25);
  shardwise_yaml_int (yaml, "make_vocab_size_divisible_by", 128);
  shardwise_yaml_begin_map (yaml, "init_method");
  shardwise_yaml_word (yaml, "std", "0.02");
  shardwise_yaml_end_map (yaml);

  shardwise_yaml_begin_map (yaml, "model_config");
  shardwise_yaml_bool (yaml, qwen2 ? "is_qwen2_config" : "is_llama_config", TRUE);
  shardwise_yaml_int (yaml, "bos_token_id", 1);
  shardwise_yaml_int (yaml, "eos_token_id", 2);
  shardwise_yaml_null (yaml, "pad_token_id");
  shardwise_yaml_word (yaml, "hidden_act", "silu");
  shardwise_yaml_int (yaml, "hidden_size", model->hidden_size);
  shardwise_yaml_int (yaml, "intermediate_size", model->intermediate_size);
  shardwise_yaml_int (yaml, "num_hidden_layers", model->layers);
  shardwise_yaml_int (yaml, "num_attention_heads", model->attention_heads);
  shardwise_yaml_int (yaml, "num_key_value_heads", model->kv_heads);
  shardwise_yaml_int (yaml, "max_position_embeddings",
                      MAX (model->max_position_embeddings, problem->training.sequence_length));
  shardwise_yaml_word (yaml, "rms_norm_eps", "1.0e-05");
  shardwise_yaml_word (yaml, "rope_theta", base);
  shardwise_yaml_null (yaml, "rope_scaling");
  shardwise_yaml_bool (yaml, "rope_interleaved", FALSE);
  shardwise_yaml_word (yaml, "initializer_range", "0.02");
  shardwise_yaml_bool (yaml, "tie_word_embeddings", model->tied_embeddings);
  shardwise_yaml_bool (yaml, "use_cache", TRUE);
  shardwise_yaml_int (yaml, "pretraining_tp", 1);
  shardwise_yaml_int (yaml, "vocab_size", model->vocab_size);
  if (qwen2)
    {
      shardwise_yaml_bool (yaml, "attention_bias", problem->model.qkv_bias);
      if (has_window (problem))
        shardwise_yaml_int (yaml, "sliding_window_size", problem->model.sliding_window);
      if (problem->model.moe.experts > 0)
        {
          const SwMoe *moe = &problem->model.moe;

          shardwise_yaml_begin_map (yaml, "moe_config");
          shardwise_yaml_int (yaml, "num_experts", moe->experts);
          shardwise_yaml_int (yaml, "top_k", moe->top_k);
          shardwise_yaml_int (yaml, "moe_intermediate_size", moe->intermediate_size);
          if (moe->shared_intermediate_size > 0)
            shardwise_yaml_int (yaml, "shared_expert_intermediate_size",
                                moe->shared_intermediate_size);
          shardwise_yaml_bool (yaml, "enable_shared_expert", moe->shared_intermediate_size > 0);
          shardwise_yaml_begin_list (yaml, "layers");
          for (guint layer = 0; layer < problem->model.layers; layer++)
            if (sw_model_layer_is_moe (&problem->model, layer))
              shardwise_yaml_int (yaml, NULL, layer);
          shardwise_yaml_end_list (yaml);
          shardwise_yaml_end_map (yaml);
        }
    }
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_map (yaml);
}

static void
write_optimizer (ShardwiseYaml *yaml, const ShardwiseExportJob *job)
{
  gboolean adamw = job->problem.training.optimizer == SW_OPTIMIZER_ADAMW;
  const guint steps = shardwise_export_train_steps (&job->problem), warmup = MAX (steps / 10, 1);

  shardwise_yaml_begin_map (yaml, "optimizer");
  shardwise_yaml_int (yaml, "zero_stage", job->estimate.strategy.zero_stage);
  shardwise_yaml_word (yaml, "weight_decay", "0.1");
  shardwise_yaml_word (yaml, "clip_grad", "1.0");
  shardwise_yaml_bool (yaml, "accumulate_grad_in_fp32", TRUE);
  shardwise_yaml_begin_map (yaml, "optimizer_factory");
  shardwise_yaml_word (yaml, "name", adamw ? "adamW" : "sgd");
  if (adamw)
    {
      shardwise_yaml_word (yaml, "adam_beta1", "0.9");
      shardwise_yaml_word (yaml, "adam_beta2", "0.95");
      shardwise_yaml_word (yaml, "adam_eps", "1.0e-08");
      shardwise_yaml_bool (yaml, "torch_adam_is_fused", TRUE);
    }
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_begin_map (yaml, "learning_rate_scheduler");
  shardwise_yaml_word (yaml, "learning_rate", "0.00015");
  shardwise_yaml_int (yaml, "lr_warmup_steps", warmup);
  shardwise_yaml_word (yaml, "lr_warmup_style", "linear");
  shardwise_yaml_word (yaml, "lr_decay_style", "cosine");
  shardwise_yaml_int (yaml, "lr_decay_steps", steps - warmup);
  shardwise_yaml_null (yaml, "lr_decay_starting_step");
  shardwise_yaml_word (yaml, "min_decay_lr", "1.5e-05");
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_map (yaml);
}

static void
write_parallelism (ShardwiseYaml *yaml, const ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  gboolean sequence = strategy->tp > 1 && strategy->sequence_parallel;

  shardwise_yaml_begin_map (yaml, "parallelism");
  shardwise_yaml_int (yaml, "dp", strategy->dp);
  shardwise_yaml_int (yaml, "pp", strategy->pp);
  shardwise_yaml_int (yaml, "tp", strategy->tp);
  shardwise_yaml_word (yaml, "pp_engine",
                       strategy->schedule == SW_SCHEDULE_GPIPE ? "afab" : "1f1b");
  shardwise_yaml_word (yaml, "tp_mode", sequence ? "REDUCE_SCATTER" : "ALL_REDUCE");
  shardwise_yaml_bool (yaml, "tp_linear_async_communication",
                       sequence && job->problem.training.overlap != SW_OVERLAP_NONE
                           && shardwise_export_wants (job, SW_FEATURE_ASYNC_TP, TRUE));
  shardwise_yaml_bool (yaml, "recompute_layer", strategy->recompute == SW_RECOMPUTE_FULL);
  shardwise_yaml_bool (yaml, "tp_recompute_allgather", TRUE);
  shardwise_yaml_int (yaml, "expert_parallel_size", 1);
  shardwise_yaml_int (yaml, "context_parallel_size", 1);
  shardwise_yaml_end_map (yaml);
}

static void
write_files (ShardwiseExportJob *job)
{
  ShardwiseYaml *yaml = shardwise_yaml_new ();
  GString *text = g_string_new (NULL);
  g_autofree char *body = NULL;
  const SwStrategy *strategy = &job->estimate.strategy;
  g_autofree char *run = g_strdup_printf ("tp%u-pp%u-dp%u", strategy->tp, strategy->pp,
                                          strategy->dp);

  shardwise_export_note_source (job, PROGRAM);
  shardwise_export_note (job, SHARDWISE_NOTE_MADE_UP_DATA,
                         _ ("Data set: with null, Nanotron trains on random tokens."));
  shardwise_export_note (job, SHARDWISE_NOTE_COMPARE,
                         _ ("Base of the rotary positions, epsilon of the norm and token IDs: "
                            "compare them with the model’s own."));
  if (job->problem.training.attention == SW_ATTENTION_UNFUSED)
    shardwise_export_note (job, SHARDWISE_NOTE_OTHERWISE,
                           _ ("Unfused attention: Nanotron runs FlashAttention."));
  if (job->problem.model.moe.experts > 0)
    shardwise_export_note (
        job, SHARDWISE_NOTE_MISSING_FILE,
        _ ("Install the grouped_gemm package, which Nanotron’s experts require."));
  shardwise_export_note_software (job, SHARDWISE_FEATURE (ASYNC_TP));
  shardwise_export_note_common (job);
  shardwise_export_append_header (job, text);
  g_string_append_printf (text,
                          "#\n# torchrun --nnodes=%u --nproc-per-node=%u %s --config-file %s\n\n",
                          shardwise_export_nodes (job), shardwise_export_gpus_per_node (job),
                          PROGRAM, job->info->file_name);

  shardwise_yaml_begin_map (yaml, "general");
  shardwise_yaml_string (yaml, "project",
                         job->problem.model.id[0] != '\0' ? job->problem.model.id : "training");
  shardwise_yaml_string (yaml, "run", run);
  shardwise_yaml_int (yaml, "seed", 42);
  shardwise_yaml_null (yaml, "step");
  shardwise_yaml_null (yaml, "consumed_train_samples");
  shardwise_yaml_null (yaml, "benchmark_csv_path");
  shardwise_yaml_bool (yaml, "ignore_sanity_checks", TRUE);
  shardwise_yaml_end_map (yaml);

  write_parallelism (yaml, job);
  write_model (yaml, &job->problem);
  shardwise_yaml_begin_map (yaml, "tokens");
  shardwise_yaml_int (yaml, "sequence_length", job->problem.training.sequence_length);
  shardwise_yaml_int (yaml, "micro_batch_size", job->estimate.strategy.micro_batch);
  shardwise_yaml_int (yaml, "batch_accumulation_per_replica",
                      MAX (job->estimate.gradient_accumulation, 1));
  shardwise_yaml_int (yaml, "train_steps", shardwise_export_train_steps (&job->problem));
  shardwise_yaml_int (yaml, "val_check_interval", -1);
  shardwise_yaml_int (yaml, "limit_val_batches", 0);
  shardwise_yaml_int (yaml, "limit_test_batches", 0);
  shardwise_yaml_end_map (yaml);
  write_optimizer (yaml, job);
  shardwise_yaml_begin_list (yaml, "data_stages");
  shardwise_yaml_begin_map (yaml, NULL);
  shardwise_yaml_word (yaml, "name", "main");
  shardwise_yaml_int (yaml, "start_training_step", 1);
  shardwise_yaml_begin_map (yaml, "data");
  shardwise_yaml_null (yaml, "dataset");
  shardwise_yaml_int (yaml, "num_loading_workers", 1);
  shardwise_yaml_int (yaml, "seed", 42);
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_list (yaml);
  shardwise_yaml_begin_map (yaml, "tokenizer");
  shardwise_yaml_null (yaml, "tokenizer_name_or_path");
  shardwise_yaml_null (yaml, "tokenizer_revision");
  shardwise_yaml_null (yaml, "tokenizer_max_length");
  shardwise_yaml_end_map (yaml);

  shardwise_yaml_begin_map (yaml, "checkpoints");
  shardwise_yaml_word (yaml, "checkpoints_path", "checkpoints");
  shardwise_yaml_int (yaml, "checkpoint_interval", 500);
  shardwise_yaml_bool (yaml, "checkpoints_path_is_shared_file_system", TRUE);
  shardwise_yaml_null (yaml, "resume_checkpoint_path");
  shardwise_yaml_bool (yaml, "save_initial_state", FALSE);
  shardwise_yaml_end_map (yaml);

  shardwise_yaml_begin_map (yaml, "logging");
  shardwise_yaml_word (yaml, "log_level", "info");
  shardwise_yaml_word (yaml, "log_level_replica", "info");
  shardwise_yaml_int (yaml, "iteration_step_info_interval", 1);
  shardwise_yaml_end_map (yaml);
  body = shardwise_yaml_finish (yaml);
  g_string_append (text, body);

  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static void
launch (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, PROGRAM);
  shardwise_launch_set (out, "CUDA_DEVICE_MAX_CONNECTIONS", "1");
  shardwise_args_word (shardwise_launch_add_group (out, NULL), "--config-file",
                       job->info->file_name);
}

static const ShardwiseFormatPin narrow[] = {
  { SHARDWISE_KEY_STRATEGY_CP, NULL, FALSE },  { SHARDWISE_KEY_STRATEGY_EP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_VPP, NULL, FALSE }, { SHARDWISE_KEY_STRATEGY_TP, NULL, TRUE },
  { SHARDWISE_KEY_NONE, NULL, FALSE },
};

const ShardwiseFormatWriter shardwise_nanotron_writer = {
  .rules = rules,
  .n_rules = G_N_ELEMENTS (rules),
  .narrow = narrow,
  .write = write_files,
  .launch = launch,
};
