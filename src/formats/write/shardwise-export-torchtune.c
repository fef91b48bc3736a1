/* SPDX-License-Identifier: GPL-3.0-or-later */
/* torchtune's YAML for its recipes of full and LoRA fine-tuning, 0.7: what the recipes read of it,
 * and the arguments of the components that it names. All weights, gradients and moments are in the
 * file's dtype: there is no autocast. */
#include "shardwise-export-tuning.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-export-names.h"
#include "shardwise-launch.h"

/* Catalogue id, module and builder of torchtune.models, files of the checkpoint: as the published
 * configurations of its recipes have them (recipes/configs). */
static const struct {
  const char *id, *module, *builder;
  guint files;
} builders[] = {
  { "llama-2-7b", "llama2", "llama2_7b", 2 },
  { "llama-2-13b", "llama2", "llama2_13b", 3 },
  { "llama-2-70b", "llama2", "llama2_70b", 15 },
  { "llama-3-8b", "llama3", "llama3_8b", 4 },
  { "llama-3-70b", "llama3", "llama3_70b", 30 },
  { "llama-3.1-8b", "llama3_1", "llama3_1_8b", 4 },
  { "llama-3.1-70b", "llama3_1", "llama3_1_70b", 30 },
  { "llama-3.1-405b", "llama3_1", "llama3_1_405b", 191 },
  { "llama-3.2-1b", "llama3_2", "llama3_2_1b", 1 },
  { "llama-3.2-3b", "llama3_2", "llama3_2_3b", 2 },
  { "llama-3.3-70b", "llama3_3", "llama3_3_70b", 30 },
  { "mistral-7b-v0.1", "mistral", "mistral_7b", 2 },
  { "gemma-2b", "gemma", "gemma_2b", 2 },
  { "gemma-7b", "gemma", "gemma_7b", 4 },
  { "gemma-2-2b", "gemma2", "gemma2_2b", 3 },
  { "gemma-2-9b", "gemma2", "gemma2_9b", 8 },
  { "gemma-2-27b", "gemma2", "gemma2_27b", 24 },
  { "phi-3-mini", "phi3", "phi3_mini", 2 },
  { "phi-4", "phi4", "phi4_14b", 6 },
  { "qwen2-0.5b", "qwen2", "qwen2_0_5b", 1 },
  { "qwen2-1.5b", "qwen2", "qwen2_1_5b", 1 },
  { "qwen2-7b", "qwen2", "qwen2_7b", 4 },
  { "qwen2.5-0.5b", "qwen2_5", "qwen2_5_0_5b", 1 },
  { "qwen2.5-1.5b", "qwen2_5", "qwen2_5_1_5b_base", 1 },
  { "qwen2.5-3b", "qwen2_5", "qwen2_5_3b", 2 },
  { "qwen2.5-7b", "qwen2_5", "qwen2_5_7b_base", 4 },
  { "qwen2.5-14b", "qwen2_5", "qwen2_5_14b_base", 8 },
  { "qwen2.5-32b", "qwen2_5", "qwen2_5_32b_base", 17 },
  { "qwen2.5-72b", "qwen2_5", "qwen2_5_72b_base", 37 },
  { "qwen3-0.6b", "qwen3", "qwen3_0_6b_base", 1 },
  { "qwen3-1.7b", "qwen3", "qwen3_1_7b_base", 2 },
  { "qwen3-4b", "qwen3", "qwen3_4b_base", 3 },
  { "qwen3-8b", "qwen3", "qwen3_8b_base", 5 },
  { "qwen3-14b", "qwen3", "qwen3_14b_base", 8 },
  { "qwen3-32b", "qwen3", "qwen3_32b", 17 },
};

/* By module: its tokenizer, the type of its checkpoints, the tokenizer's file or its two. */
static const struct {
  const char *module, *tokenizer, *type, *vocabulary, *merges;
} families[] = {
  { "llama2", "llama2.llama2_tokenizer", "LLAMA2", "tokenizer.model", NULL },
  { "llama3", "llama3.llama3_tokenizer", "LLAMA3", "original/tokenizer.model", NULL },
  { "llama3_1", "llama3.llama3_tokenizer", "LLAMA3", "original/tokenizer.model", NULL },
  { "llama3_2", "llama3.llama3_tokenizer", "LLAMA3_2", "original/tokenizer.model", NULL },
  { "llama3_3", "llama3.llama3_tokenizer", "LLAMA3", "original/tokenizer.model", NULL },
  { "mistral", "mistral.mistral_tokenizer", "MISTRAL", "tokenizer.model", NULL },
  { "gemma", "gemma.gemma_tokenizer", "GEMMA", "tokenizer.model", NULL },
  { "gemma2", "gemma.gemma_tokenizer", "GEMMA2", "tokenizer.model", NULL },
  { "phi3", "phi3.phi3_mini_tokenizer", "PHI3_MINI", "tokenizer.model", NULL },
  { "phi4", "phi4.phi4_tokenizer", "PHI4", "vocab.json", "merges.txt" },
  { "qwen2", "qwen2.qwen2_tokenizer", "QWEN2", "vocab.json", "merges.txt" },
  { "qwen2_5", "qwen2_5.qwen2_5_tokenizer", "QWEN2", "vocab.json", "merges.txt" },
  { "qwen3", "qwen3.qwen3_tokenizer", "QWEN3", "vocab.json", "merges.txt" },
};

static int
index_of (const SwModelSpec *model)
{
  for (guint i = 0; i < G_N_ELEMENTS (builders); i++)
    if (g_str_equal (builders[i].id, model->id))
      return (int) i;
  return -1;
}

static gboolean
is_single (const SwStrategy *s)
{
  return s->dp * s->cp == 1;
}

static gboolean
other_model (const SwProblem *problem, const SwStrategy *s)
{
  return index_of (&problem->model) < 0;
}

static gboolean
is_half (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.precision == SW_PRECISION_FP16;
}

static gboolean
replicates (const SwProblem *problem, const SwStrategy *s)
{
  return s->zero_stage == 0 && !is_single (s);
}

static gboolean
other_context (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->cp_method == SW_CP_ULYSSES;
}

static gboolean
accumulates_in_backward (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer_in_backward
         && (shardwise_export_has_adapters (problem) || sw_strategy_micro_batches (problem, s) > 1);
}

static gboolean
other_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer == SW_OPTIMIZER_ADAFACTOR && !is_single (s);
}

static gboolean
other_modules (const SwProblem *problem, const SwStrategy *s)
{
  const guint mlp = sw_lora_modules (&problem->training) & SW_LORA_MLP;

  return shardwise_export_has_adapters (problem) && mlp != 0 && mlp != SW_LORA_MLP;
}

static gboolean
is_dpo (const SwProblem *problem)
{
  return problem->training.method == SW_METHOD_PREFERENCE;
}

static gboolean
knows (const SwModelSpec *model)
{
  return index_of (model) >= 0;
}

static gboolean
other_teacher (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_is_distilled (problem, s)
         && shardwise_tuning_teacher (problem, knows) == NULL;
}

static gboolean
distills_all (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_is_distilled (problem, s) && !shardwise_export_has_adapters (problem);
}

static gboolean
distills_offloaded (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_is_distilled (problem, s) && s->offload == SW_OFFLOAD_ACTIVATIONS;
}

static gboolean
other_method (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_learns_otherwise (problem, s)
         && !shardwise_tuning_is_distilled (problem, s)
         && (!is_dpo (problem) || problem->training.algorithm != SW_ALGORITHM_DPO);
}

static gboolean
compares_alone (const SwProblem *problem, const SwStrategy *s)
{
  return is_dpo (problem) && is_single (s) && !shardwise_export_has_adapters (problem);
}

static gboolean
splits_replicas (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.method != SW_METHOD_TOKENS && s->shard_group < s->dp;
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

static const ShardwiseFormatRule rules[] = {
  { SHARDWISE_KEY_TRAINING_TYPE, 0, shardwise_tuning_trains_policy,
    N_ ("torchtune’s reinforcement learning recipes are for development, and Shardwise does not "
        "write them; use TRL, verl or OpenRLHF") },
  { SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM, 0, other_method,
    N_ ("Of preferences torchtune has DPO, of rewards nothing; TRL, Axolotl and LLaMA-Factory have "
        "more") },
  { SHARDWISE_KEY_STRATEGY_DP, D (DP), compares_alone,
    N_ ("torchtune’s DPO of all weights is a recipe of several GPUs; on one it trains adapters") },
  { SHARDWISE_KEY_STRATEGY_SHARD_GROUP, D (SHARD_GROUP) | D (ZERO) | D (DP), splits_replicas,
    N_ ("torchtune’s DPO and distillation shard over all GPUs") },
  { SHARDWISE_KEY_TRAINING_ADAPTERS, 0, distills_all,
    N_ ("torchtune distills into adapters; set training.adapters, or use TRL") },
  { SHARDWISE_KEY_TRAINING_DISTILL_TEACHER_PARAMETERS_B, 0, other_teacher,
    N_ ("torchtune has no model of the teacher’s size with the tokenizer of the student") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD), distills_offloaded,
    N_ ("torchtune’s distillation does not offload activations") },
  { SHARDWISE_KEY_TRAINING_LORA_MODULES, 0, other_modules,
    N_ ("torchtune adapts all of the MLP or nothing of it") },
  { SHARDWISE_KEY_NONE, 0, other_model,
    N_ ("torchtune supports its own models only: Llama 2 to 3.3, Mistral 7B, Gemma, Phi-3 and 4, "
        "Qwen 2 to 3"),
    "model" },
  { SHARDWISE_KEY_TRAINING_PRECISION, 0, is_half,
    N_ ("torchtune rejects fp16; it trains in bf16") },
  { SHARDWISE_KEY_TRAINING_STATES_MASTER, 0, shardwise_tuning_keeps_masters,
    N_ ("torchtune’s weights, gradients and moments are in bf16, without fp32 master weights") },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO) | D (DP) | D (CP), replicates,
    N_ ("torchtune shards replicas with FSDP: ZeRO 2 or 3 over more than one GPU") },
  { SHARDWISE_KEY_STRATEGY_CP_METHOD, D (CP) | D (CP_METHOD), other_context,
    N_ ("torchtune uses PyTorch’s context parallelism: ring attention or all-gather") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER_IN_BACKWARD, D (DP) | D (MICRO_BATCH), accumulates_in_backward,
    N_ ("torchtune’s optimizer_in_bwd requires training of all parameters, without gradient "
        "accumulation") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, D (DP) | D (CP), other_optimizer,
    N_ ("Adafactor computes wrong steps on the tensors of FSDP 2; torchtune supports it on one GPU "
        "only") },
};

/* The component, and its arguments that are always the same. */
static void
write_optimizer (ShardwiseYaml *yaml, const ShardwiseExportJob *job)
{
  const gboolean sharded = !is_single (&job->estimate.strategy);
  const char *component;

  switch (job->problem.training.optimizer)
    {
    case SW_OPTIMIZER_ADAM8BIT:
      component = sharded ? "torchao.optim.AdamW8bit" : "bitsandbytes.optim.AdamW8bit";
      break;
    case SW_OPTIMIZER_PAGED_ADAM8BIT: component = "bitsandbytes.optim.PagedAdamW8bit"; break;
    case SW_OPTIMIZER_LION: component = "bitsandbytes.optim.Lion"; break;
    case SW_OPTIMIZER_ADAFACTOR: component = "torch.optim.Adafactor"; break;
    case SW_OPTIMIZER_ADAMW:
    case SW_OPTIMIZER_MUON:
    case SW_OPTIMIZER_SGD:
    default: component = "torch.optim.AdamW"; break;
    }
  shardwise_yaml_begin_map (yaml, "optimizer");
  shardwise_yaml_word (yaml, "_component_", component);
  shardwise_yaml_word (yaml, "lr", shardwise_tuning_rate (&job->problem));
  if (g_str_equal (component, "torch.optim.AdamW"))
    shardwise_yaml_bool (yaml, "fused", TRUE);
  shardwise_yaml_end_map (yaml);
}

static void
write_model (ShardwiseYaml *yaml, const ShardwiseExportJob *job, guint index)
{
  const SwProblem *problem = &job->problem;
  const gboolean adapters = shardwise_export_has_adapters (problem);
  static const struct {
    SwLoraModules module;
    const char *name;
  } attention[] = { { SW_LORA_Q, "q_proj" },
                    { SW_LORA_K, "k_proj" },
                    { SW_LORA_V, "v_proj" },
                    { SW_LORA_O, "output_proj" } };
  g_autofree char *component = g_strdup_printf ("torchtune.models.%s.%s%s", builders[index].module,
                                                adapters ? "lora_" : "", builders[index].builder);

  shardwise_yaml_begin_map (yaml, "model");
  shardwise_yaml_word (yaml, "_component_", component);
  if (adapters)
    {
      const guint modules = sw_lora_modules (&problem->training);
      g_autofree char *dropout = shardwise_tuning_dropout (problem);

      shardwise_yaml_begin_list (yaml, "lora_attn_modules");
      for (guint i = 0; i < G_N_ELEMENTS (attention); i++)
        if ((modules & attention[i].module) != 0)
          shardwise_yaml_word (yaml, NULL, attention[i].name);
      shardwise_yaml_end_list (yaml);
      shardwise_yaml_bool (yaml, "apply_lora_to_mlp", (modules & SW_LORA_MLP) != 0);
      if (problem->training.lora_dora)
        shardwise_yaml_bool (yaml, "use_dora", TRUE);
      shardwise_yaml_int (yaml, "lora_rank", problem->training.lora_rank);
      shardwise_yaml_int (yaml, "lora_alpha", shardwise_tuning_alpha (problem));
      shardwise_yaml_word (yaml, "lora_dropout", dropout);
      if (sw_training_states (&problem->training) == SW_TRAINING_QLORA)
        shardwise_yaml_bool (yaml, "quantize_base", TRUE);
    }
  shardwise_yaml_end_map (yaml);
}

static guint
family_of (guint index)
{
  guint family = 0;

  while (!g_str_equal (families[family].module, builders[index].module))
    family++;
  return family;
}

/* Where weights come from: of the model, or of the one that it is compared with. */
static void
write_checkpointer (ShardwiseYaml *yaml, guint index, const char *key, const char *folder)
{
  g_autofree char *last = g_strdup_printf ("%05u", builders[index].files);
  const guint family = family_of (index);

  shardwise_yaml_begin_map (yaml, key);
  shardwise_yaml_word (yaml, "_component_", "torchtune.training.FullModelHFCheckpointer");
  shardwise_yaml_string (yaml, "checkpoint_dir", folder);
  if (builders[index].files == 1)
    {
      shardwise_yaml_begin_list (yaml, "checkpoint_files");
      shardwise_yaml_word (yaml, NULL, "model.safetensors");
      shardwise_yaml_end_list (yaml);
    }
  else
    {
      shardwise_yaml_begin_map (yaml, "checkpoint_files");
      shardwise_yaml_string (yaml, "filename_format", "model-{}-of-{}.safetensors");
      shardwise_yaml_string (yaml, "max_filename", last);
      shardwise_yaml_end_map (yaml);
    }
  shardwise_yaml_null (yaml, "recipe_checkpoint");
  shardwise_yaml_string (yaml, "output_dir", "${output_dir}");
  shardwise_yaml_word (yaml, "model_type", families[family].type);
  shardwise_yaml_end_map (yaml);
}

static void
write_checkpoint (ShardwiseYaml *yaml, guint index, gboolean compares)
{
  const guint family = family_of (index);
  const gboolean pair = families[family].merges != NULL;
  g_autofree char *tokenizer = g_strconcat ("torchtune.models.", families[family].tokenizer, NULL),
                  *vocabulary = g_strconcat ("${checkpoint_dir}/", families[family].vocabulary,
                                             NULL);

  shardwise_yaml_begin_map (yaml, "tokenizer");
  shardwise_yaml_word (yaml, "_component_", tokenizer);
  shardwise_yaml_string (yaml, "path", vocabulary);
  if (pair)
    shardwise_yaml_string (yaml, "merges_file", "${checkpoint_dir}/merges.txt");
  shardwise_yaml_string (yaml, "max_seq_len", "${sequence_length}");
  shardwise_yaml_end_map (yaml);
  write_checkpointer (yaml, index, "checkpointer", "${checkpoint_dir}");
  if (compares)
    write_checkpointer (yaml, index, "ref_checkpointer", "${checkpoint_dir}");
}

/* The model that is learnt from: frozen, in the dtype of the file. */
static void
write_teacher (ShardwiseYaml *yaml, guint index)
{
  g_autofree char *component = g_strdup_printf ("torchtune.models.%s.%s", builders[index].module,
                                                builders[index].builder);

  shardwise_yaml_begin_map (yaml, "teacher_model");
  shardwise_yaml_word (yaml, "_component_", component);
  shardwise_yaml_end_map (yaml);
  write_checkpointer (yaml, index, "teacher_checkpointer", "${teacher_dir}");
}

static const char *
recipe_of (const ShardwiseExportJob *job)
{
  const gboolean single = is_single (&job->estimate.strategy);

  if (is_dpo (&job->problem))
    return !shardwise_export_has_adapters (&job->problem) ? "full_dpo_distributed"
           : single                                       ? "lora_dpo_single_device"
                                                          : "lora_dpo_distributed";
  if (shardwise_tuning_is_distilled (&job->problem, NULL))
    return single ? "knowledge_distillation_single_device" : "knowledge_distillation_distributed";
  if (shardwise_export_has_adapters (&job->problem))
    return single ? "lora_finetune_single_device" : "lora_finetune_distributed";
  return single ? "full_finetune_single_device" : "full_finetune_distributed";
}

static void
write_data (ShardwiseYaml *yaml, gboolean compares)
{
  shardwise_yaml_begin_map (yaml, "dataset");
  shardwise_yaml_word (yaml, "_component_",
                       compares ? "torchtune.datasets.preference_dataset"
                                : "torchtune.datasets.instruct_dataset");
  shardwise_yaml_word (yaml, "source", "json");
  shardwise_yaml_word (yaml, "data_files", SHARDWISE_TUNING_DATA);
  if (!compares)
    {
      shardwise_yaml_begin_map (yaml, "column_map");
      shardwise_yaml_word (yaml, "input", "prompt");
      shardwise_yaml_word (yaml, "output", "completion");
      shardwise_yaml_end_map (yaml);
      shardwise_yaml_bool (yaml, "packed", TRUE);
    }
  shardwise_yaml_end_map (yaml);
}

static void
write_loss (ShardwiseYaml *yaml, gboolean compares, gboolean distills)
{
  shardwise_yaml_begin_map (yaml, "loss");
  shardwise_yaml_word (yaml, "_component_",
                       compares   ? "torchtune.rlhf.loss.DPOLoss"
                       : distills ? "torchtune.modules.loss.CEWithChunkedOutputLoss"
                                  : "torchtune.modules.loss.LinearCrossEntropyLoss");
  shardwise_yaml_end_map (yaml);
  if (distills)
    {
      shardwise_yaml_begin_map (yaml, "kd_loss");
      shardwise_yaml_word (yaml, "_component_",
                           "torchtune.modules.loss.ForwardKLWithChunkedOutputLoss");
      shardwise_yaml_end_map (yaml);
      shardwise_yaml_word (yaml, "kd_ratio", "0.5");
    }
}

static void
write_logs (ShardwiseYaml *yaml)
{
  shardwise_yaml_begin_map (yaml, "metric_logger");
  shardwise_yaml_word (yaml, "_component_", "torchtune.training.metric_logging.DiskLogger");
  shardwise_yaml_string (yaml, "log_dir", "${output_dir}/logs");
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_int (yaml, "log_every_n_steps", 10);
  shardwise_yaml_bool (yaml, "log_peak_memory_stats", TRUE);
  shardwise_yaml_word (yaml, "log_level", "INFO");
  shardwise_yaml_begin_map (yaml, "profiler");
  shardwise_yaml_word (yaml, "_component_", "torchtune.training.setup_torch_profiler");
  shardwise_yaml_bool (yaml, "enabled", FALSE);
  shardwise_yaml_end_map (yaml);
}

/* teacher (nullable): of a distillation. */
static void
add_notes (ShardwiseExportJob *job, gboolean compiles, const SwModelSpec *teacher)
{
  shardwise_tuning_add_notes (
      job,
      is_dpo (&job->problem)
          ? _ ("Data set: data.jsonl, with a JSON object on each line that has a “chosen” and a "
               "“rejected” chat, each a list of messages; change data_files to use another file.")
          : _ ("Data set: data.jsonl, with a JSON object on each line that has a “prompt” and "
               "a “completion”; change data_files to use another file."),
      (compiles ? SHARDWISE_FEATURE (COMPILE) : 0) | SHARDWISE_FEATURE (CHUNKED_CROSS_ENTROPY)
          | SHARDWISE_FEATURE (FUSED_CROSS_ENTROPY));
  shardwise_export_take_note (
      job, SHARDWISE_NOTE_MISSING_FILE, /* Translators: a model on the Hugging Face Hub */
      g_strdup_printf (
          _ ("Weights: `tune download %s` stores them in the folder of checkpoint_dir."),
          shardwise_tuning_model (job)));
  if (teacher != NULL)
    shardwise_export_take_note (
        job, SHARDWISE_NOTE_MISSING_FILE, /* Translators: a model on the Hugging Face Hub */
        g_strdup_printf (
            _ ("Teacher: %s has about the size that you set, and the tokenizer of the student; "
               "`tune download` stores it in the folder of teacher_dir."),
            shardwise_names_hub (teacher)));
}

static void
write_files (ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  const SwTraining *training = &job->problem.training;
  const gboolean adapters = shardwise_export_has_adapters (&job->problem), single = is_single (s),
                 compares = is_dpo (&job->problem),
                 distills = shardwise_tuning_is_distilled (&job->problem, s),
                 compiles = !compares || !adapters || single; /* its recipe reads no "compile" */
  const guint index = (guint) index_of (&job->problem.model);
  const SwModelSpec *teacher = distills ? shardwise_tuning_teacher (&job->problem, knows) : NULL;
  ShardwiseYaml *yaml = shardwise_yaml_new ();
  g_autofree char *start = g_strdup_printf (
      "# tune run --nnodes %u --nproc_per_node %u %s --config %s\n", shardwise_export_nodes (job),
      shardwise_export_gpus_per_node (job), recipe_of (job), job->info->file_name);

  add_notes (job, compiles, teacher);

  shardwise_yaml_word (yaml, "checkpoint_dir", "model");
  if (distills)
    shardwise_yaml_word (yaml, "teacher_dir", "teacher");
  shardwise_yaml_word (yaml, "output_dir", SHARDWISE_TUNING_OUTPUT);
  shardwise_yaml_int (yaml, "sequence_length", training->sequence_length);
  write_model (yaml, job, index);
  write_checkpoint (yaml, index, compares && !adapters);
  if (distills)
    write_teacher (yaml, (guint) index_of (teacher));
  shardwise_yaml_bool (yaml, "resume_from_checkpoint", FALSE);
  if (adapters)
    shardwise_yaml_bool (yaml, "save_adapter_weights_only", TRUE);
  write_data (yaml, compares);
  shardwise_yaml_int (yaml, "seed", 42);
  shardwise_yaml_bool (yaml, "shuffle", TRUE);
  shardwise_yaml_int (yaml, "batch_size", shardwise_tuning_micro (job));
  shardwise_yaml_int (yaml, "gradient_accumulation_steps", shardwise_tuning_accumulation (job));
  shardwise_yaml_int (yaml, "epochs", 1);
  shardwise_yaml_int (yaml, "max_steps_per_epoch", shardwise_export_train_steps (&job->problem));
  write_optimizer (yaml, job);
  if (adapters || compares)
    {
      shardwise_yaml_begin_map (yaml, "lr_scheduler");
      shardwise_yaml_word (yaml, "_component_",
                           "torchtune.training.lr_schedulers.get_cosine_schedule_with_warmup");
      shardwise_yaml_int (yaml, "num_warmup_steps", shardwise_tuning_warmup (&job->problem));
      shardwise_yaml_end_map (yaml);
    }
  write_loss (yaml, compares, distills);
  if (training->optimizer_in_backward)
    {
      shardwise_yaml_bool (yaml, "optimizer_in_bwd", TRUE);
      shardwise_yaml_null (yaml, "clip_grad_norm");
    }
  else if (distills ? single : !compares || !adapters)
    shardwise_yaml_word (yaml, "clip_grad_norm", "1.0");
  if (compiles)
    shardwise_yaml_bool (yaml, "compile", shardwise_export_wants (job, SW_FEATURE_COMPILE, FALSE));
  shardwise_yaml_word (yaml, "device", "cuda");
  shardwise_yaml_word (yaml, "dtype", "bf16");
  shardwise_yaml_bool (yaml, "enable_activation_checkpointing", s->recompute == SW_RECOMPUTE_FULL);
  if (!distills)
    shardwise_yaml_bool (yaml, "enable_activation_offloading",
                         s->offload == SW_OFFLOAD_ACTIVATIONS);
  if (!single)
    {
      if (!compares && !distills)
        {
          shardwise_yaml_int (yaml, "data_parallel_shard_dim", s->shard_group);
          shardwise_yaml_int (yaml, "data_parallel_replicate_dim", s->dp / s->shard_group);
        }
      if (s->cp > 1)
        {
          shardwise_yaml_int (yaml, "context_parallel_dim", s->cp);
          shardwise_yaml_word (yaml, "context_parallel_rotate_method",
                               s->cp_method == SW_CP_RING ? "alltoall" : "allgather");
        }
      shardwise_yaml_bool (yaml, "fsdp_cpu_offload", s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS);
      shardwise_yaml_bool (yaml, "fsdp_reshard_after_forward", s->zero_stage == 3);
    }
  write_logs (yaml);
  shardwise_tuning_add_yaml (job, start, yaml);
}

static void
adapt (ShardwiseExportJob *job, SwStrategy *strategy)
{
  shardwise_tuning_set_pure (&job->problem);
}

static void
launch (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, recipe_of (job));
  out->starter = SHARDWISE_STARTER_TUNE;
  shardwise_args_word (shardwise_launch_add_group (out, NULL), "--config", job->info->file_name);
}

static const ShardwiseFormatPin narrow[] = {
  { SHARDWISE_KEY_TRAINING_STATES_MASTER, "none", FALSE },
  { SHARDWISE_KEY_TRAINING_STATES_GRADIENTS, "bf16", FALSE },
  { SHARDWISE_KEY_STRATEGY_TP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_PP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_CP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, "false", FALSE },
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE, "full", FALSE },
  { SHARDWISE_KEY_NONE, NULL, FALSE },
};

const ShardwiseFormatWriter shardwise_torchtune_writer = {
  .rules = rules,
  .n_rules = G_N_ELEMENTS (rules),
  .base = &shardwise_tuning_writer,
  .narrow = narrow,
  .adapt = adapt,
  .write = write_files,
  .launch = launch,
};

/* Without the case of an adapter in front, and which of several checkpoints at the end. */
static char *
plain_builder (const char *name)
{
  static const char *const before[] = { "qlora_", "lora_", "dora_" }, *const after[] = {
    "_base", "_instruct"
  };

  for (guint i = 0; i < G_N_ELEMENTS (before); i++)
    if (g_str_has_prefix (name, before[i]))
      name += strlen (before[i]);
  for (guint i = 0; i < G_N_ELEMENTS (after); i++)
    if (g_str_has_suffix (name, after[i]))
      return g_strndup (name, strlen (name) - strlen (after[i]));
  return g_strdup (name);
}

/**
 * shardwise_torchtune_model:
 * @component: "torchtune.models.llama3_1.lora_llama3_1_8b"
 *
 * Returns: (nullable): the catalog id of the model that it builds
 */
const char *
shardwise_torchtune_model (const char *component)
{
  const char *dot = strrchr (component, '.');
  g_autofree char *name = plain_builder (dot != NULL ? dot + 1 : component);

  for (guint i = 0; i < G_N_ELEMENTS (builders); i++)
    {
      g_autofree char *own = plain_builder (builders[i].builder);

      if (g_str_equal (own, name))
        return builders[i].id;
    }
  return NULL;
}
