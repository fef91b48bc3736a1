/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-torchtitan.h"

#include <glib/gi18n.h>

#include "shardwise-export-job.h"
#include "shardwise-launch.h"
#include "shardwise-toml.h"
#include "sw-split.h"

/* TorchTitan v0.2.2, the last release that reads TOML, and the main branch, whose configurations
 * are Python functions. */

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

/* What TorchTitan calls the model. */
static const ShardwiseTitanModel *
find_model (const SwProblem *problem)
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

/* Groups that hold a copy of everything each; the rest of DP shards. */
static guint
count_replicas (const SwStrategy *s)
{
  return s->zero_stage == 0 ? s->dp : s->dp / s->shard_group;
}

/* What TorchTitan refuses: its registry of models, ParallelDims and the pipeline split of v0.2.2
 * and of the main branch of August 2026. */

/* When parameters are gathered again; under a pipeline ZeRO 2 and 3 are the same. */
static const char *
reshard (const SwStrategy *s)
{
  if (s->zero_stage != 3)
    return "never";

  return s->pp > 1 ? "default" : "always";
}

/* PyTorch's name of its schedule. */
static const char *
schedule_name (const SwStrategy *s)
{
  if (s->schedule == SW_SCHEDULE_GPIPE)
    return "GPipe";

  return s->vpp > 1 ? "Interleaved1F1B" : "1F1B";
}

/* Tensor-parallel communication beside the GEMMs, where the job states it. */
static gboolean
overlaps_tensor (const ShardwiseExportJob *job)
{
  return job->estimate.strategy.tp > 1 && job->problem.training.overlap != SW_OVERLAP_NONE
         && shardwise_export_wants (job, SW_FEATURE_ASYNC_TP, FALSE);
}

/* The components that torch.compile() is to take, ended by %NULL. All measured runs of TorchTitan were
   compiled. */
static const char *const *
compiled_parts (const ShardwiseExportJob *job)
{
  static const char *const all[] = { "model", "loss", NULL }, *const model[] = { "model", NULL };

  if (!shardwise_export_wants (job, SW_FEATURE_COMPILE, TRUE))
    return shardwise_export_wants (job, SW_FEATURE_FUSED_CROSS_ENTROPY, FALSE) ? all + 1 : all + 2;
  return shardwise_export_wants (job, SW_FEATURE_FUSED_CROSS_ENTROPY, TRUE) ? all : model;
}

/* TorchTitan splits the layers and these evenly, what is left over to the first stages, and takes
   these off again. */
static void
end_layers (const SwProblem *problem, const SwStrategy *s, guint *first, guint *last)
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

/* The setting that gives each rank its virtual stages, or 0. */
static guint
layers_per_stage (const SwProblem *problem, const SwStrategy *s)
{
  guint stages = s->pp * s->vpp, first, last, layers, n;

  end_layers (problem, s, &first, &last);
  layers = problem->model.layers + first + last;
  n = (layers + stages - 1) / stages;
  return (layers + n - 1) / n == stages ? n : 0;
}

static gboolean
has_model (const SwProblem *problem, const char *name)
{
  const ShardwiseTitanModel *model = find_model (problem);

  return model != NULL && g_str_equal (model->name, name);
}

static gboolean
unknown_model (const SwProblem *problem, const SwStrategy *s)
{
  return find_model (problem) == NULL;
}

static gboolean
unknown_on_main (const SwProblem *problem, const SwStrategy *s)
{
  const ShardwiseTitanModel *model = find_model (problem);

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
  gboolean alone = s->dp > 1 && count_replicas (s) == s->dp;

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
  return s->pp > 1 && s->vpp > 1
         && (sw_rule_odd_chunks (problem, s) || layers_per_stage (problem, s) == 0);
}

static gboolean
experts_split (const SwProblem *problem, const SwStrategy *s)
{
  guint group = s->dp / count_replicas (s);

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

static const ShardwiseFormatRule common_rules[] = {
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO) | D (DP) | D (CP), sw_rule_has_zero_one,
    N_ ("TorchTitan’s FSDP shards gradients and optimizer (ZeRO 2), parameters too (ZeRO 3), or "
        "nothing; it has no ZeRO 1") },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE,
    D (ZERO) | D (SHARD_GROUP) | D (DP) | D (TP) | D (PP) | D (CP), ddp_with_others,
    N_ ("TorchTitan runs unsharded replicas (ZeRO 0) only without other parallelism, and always "
        "shards over CP") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), odd_sequence,
    N_ ("TorchTitan requires sequences that are a multiple of TP × 2 × CP") },
  { SHARDWISE_KEY_STRATEGY_CP_METHOD, D (CP) | D (CP_METHOD), sw_rule_lacks_cp_method,
    N_ ("TorchTitan’s context parallelism is ring attention or all-gather, not Ulysses") },
  { SHARDWISE_KEY_STRATEGY_SCHEDULE, D (PP) | D (SCHEDULE), sw_rule_is_zero_bubble,
    N_ ("TorchTitan’s zero-bubble schedules require two stages per rank and differ from ZB-H1; "
        "Shardwise writes GPipe, 1F1B and interleaved 1F1B") },
  { SHARDWISE_KEY_STRATEGY_VPP, D (PP) | D (VPP), odd_stages,
    N_ ("TorchTitan requires a number of layers per stage that gives each rank the same number of "
        "virtual stages") },
  { SHARDWISE_KEY_STRATEGY_EP,
    D (EP) | D (ETP) | D (TP) | D (CP) | D (DP) | D (ZERO) | D (SHARD_GROUP), experts_split,
    N_ ("TorchTitan builds expert groups from the shards: EP × expert TP must divide shards × CP × "
        "TP") },
  { SHARDWISE_KEY_STRATEGY_ETP, D (ETP) | D (EP) | D (TP), experts_alone,
    N_ ("TorchTitan supports a separate TP for experts with EP above 1 only") },
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE, D (RECOMPUTE), first_layers,
    N_ ("TorchTitan recomputes all layers in full, all selectively, or none") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD) | D (ZERO), other_offload,
    N_ ("TorchTitan offloads parameters, gradients and optimizer together, with ZeRO 3 only") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, 0, sw_rule_is_not_adamw,
    N_ ("TorchTitan supports Adam and AdamW") },
  { SHARDWISE_KEY_TRAINING_TYPE, 0, sw_rule_is_not_full_training,
    N_ ("TorchTitan trains all parameters of one model; it supports pre-training and full "
        "fine-tuning only") },
};

static const ShardwiseFormatRule release_rules[] = {
  { SHARDWISE_KEY_STRATEGY_PP, D (PP), no_pipeline,
    N_ ("TorchTitan splits Llama and DeepSeek into pipeline stages, but not Qwen3 and gpt-oss; PP "
        "must be 1") },
  { SHARDWISE_KEY_NONE, 0, unknown_model,
    N_ ("TorchTitan trains the models of its registry: Llama 3 and 4, DeepSeek V2 Lite, V2 and V3, "
        "Qwen3 and gpt-oss, each in its published sizes"),
    "model" },
  { SHARDWISE_KEY_STRATEGY_CP, D (CP), flexible_attention,
    N_ ("TorchTitan supports context parallelism for plain attention, but not for the flexible "
        "attention of its DeepSeek and gpt-oss; CP must be 1") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), float8_latent,
    N_ ("TorchTitan’s DeepSeek does not support tensor parallelism in fp8 with one scale per "
        "tensor; TP must be 1, or use scales per row") },
  { SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, D (TP) | D (SP), plain_tensor,
    N_ ("TorchTitan’s tensor parallelism always includes sequence parallelism") },
  { SHARDWISE_KEY_TRAINING_PRECISION, 0, other_precision,
    N_ ("TorchTitan trains in bf16, with fp8 or MXFP8 layers; it has no loss scaling, which fp16 "
        "requires") },
};

static gboolean
expert_tensor (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.moe.experts > 0 && s->ep > 1 && s->etp > 1;
}

static const ShardwiseFormatRule main_rules[] = {
  { SHARDWISE_KEY_NONE, 0, unknown_on_main,
    N_ ("TorchTitan’s main branch has configurations for Llama 3 8B, 70B and 405B, DeepSeek V3 16B "
        "and 671B, some Qwen3 sizes and gpt-oss"),
    "model" },
  { SHARDWISE_KEY_STRATEGY_PP, D (PP), tied_pipeline,
    N_ ("TorchTitan’s main branch does not split models with tied embeddings into pipeline stages; "
        "PP must be 1") },
  { SHARDWISE_KEY_STRATEGY_CP, D (CP), varlen_attention,
    N_ ("TorchTitan’s main branch does not support context parallelism for the attention of its "
        "gpt-oss; CP must be 1") },
  { SHARDWISE_KEY_STRATEGY_ETP, D (ETP) | D (EP), expert_tensor,
    N_ ("TorchTitan’s main branch no longer supports tensor parallelism of experts with EP; with "
        "EP above 1, expert TP must be 1") },
  { SHARDWISE_KEY_STRATEGY_CP_METHOD, D (CP) | D (CP_METHOD), allgather_on_main,
    N_ ("TorchTitan’s main branch has no setting for ring attention; its context parallelism "
        "gathers keys and values") },
  { SHARDWISE_KEY_TRAINING_PRECISION, 0, sw_rule_is_not_bf16,
    N_ ("TorchTitan’s main branch sets 8-bit layers in the model’s own configuration; Shardwise "
        "writes bf16") },
};

/* The configuration of TorchTitan's main branch: a Python function that changes one of its own.
 * Only values computed here enter the text, never a string of the user outside the comments. */

/* Other frameworks may run the strategy without sequence parallelism. */
static void
adapt (ShardwiseExportJob *job, SwStrategy *strategy)
{
  if (strategy->tp == 1 || strategy->sequence_parallel
      || sw_pins_has (&job->problem.pins, SW_DIM_SP))
    return;

  strategy->sequence_parallel = TRUE;
  shardwise_export_note (
      job, SHARDWISE_NOTE_OTHERWISE,
      _ ("Sequence parallelism is enabled: TorchTitan’s tensor parallelism always includes it."));
}

/* The folder of what is fine-tuned on. */
#define TUNING_DATA "data"

/* Mixed precision comes with FSDP: where nothing is sharded, tensor and pipeline parallelism run in
 * fp32. */
static gboolean
runs_in_fp32 (const SwProblem *problem, const SwStrategy *s)
{
  return s->dp == 1 && s->cp == 1 && (s->tp > 1 || s->pp > 1);
}

static void
add_notes (ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  const SwModelSpec *model = &job->problem.model;

  if (runs_in_fp32 (&job->problem, s))
    shardwise_export_note (job, SHARDWISE_NOTE_OTHERWISE,
                           _ ("Mixed precision with one replica: TorchTitan supports it only with "
                              "sharding, and trains in fp32 here, which is slower and takes more "
                              "memory than predicted. A DP of 2 or more avoids this."));
  if (s->recompute == SW_RECOMPUTE_SELECTIVE)
    shardwise_export_note (
        job, SHARDWISE_NOTE_OWN_WAY,
        _ ("Recomputed modules: TorchTitan’s policy keeps matrix products and attention."));
  if (model->mtp_layers > 0)
    shardwise_export_note (
        job, SHARDWISE_NOTE_OTHERWISE,
        _ ("Multi-token prediction layers, which TorchTitan’s model does not have."));
  if (job->problem.training.attention == SW_ATTENTION_UNFUSED)
    shardwise_export_note (job, SHARDWISE_NOTE_OTHERWISE,
                           _ ("Unfused attention: TorchTitan runs fused attention."));
  shardwise_export_note (job, SHARDWISE_NOTE_MISSING_FILE,
                         _ ("Tokenizer of the model: download it to the specified folder."));
  if (job->problem.training.type == SW_TRAINING_FINETUNE)
    shardwise_export_note (
        job, SHARDWISE_NOTE_MISSING_FILE,
        job->info->format == SHARDWISE_FORMAT_TORCHTITAN_MAIN
            ? _ ("Data set: the configuration’s own, C4; set run.dataloader to train on yours.")
            : _ (
                "Data set: the folder “data”, whose files have a JSON object with a “text” on each "
                "line; change training.dataset_path to use another folder."));
  shardwise_export_note_software (
      job, SHARDWISE_FEATURE (COMPILE) | SHARDWISE_FEATURE (FUSED_CROSS_ENTROPY)
               | (job->estimate.strategy.tp > 1 ? SHARDWISE_FEATURE (ASYNC_TP) : 0));
  shardwise_export_note_common (job);
}

static void
write_parallelism (GString *toml, const ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  gboolean experts = job->problem.model.moe.experts > 0;
  guint first, last;

  shardwise_toml_table (toml, "parallelism");
  shardwise_toml_int (toml, "data_parallel_replicate_degree", count_replicas (s));
  shardwise_toml_int (toml, "data_parallel_shard_degree", s->dp / count_replicas (s));
  shardwise_toml_string (toml, "fsdp_reshard_after_forward", reshard (s));
  shardwise_toml_int (toml, "tensor_parallel_degree", s->tp);
  shardwise_toml_bool (toml, "enable_async_tensor_parallel", overlaps_tensor (job));

  shardwise_toml_int (toml, "pipeline_parallel_degree", s->pp);
  if (s->pp > 1)
    {
      shardwise_toml_string (toml, "pipeline_parallel_schedule", schedule_name (s));
      shardwise_toml_int (toml, "pipeline_parallel_microbatch_size", s->micro_batch);
      end_layers (&job->problem, s, &first, &last);
      shardwise_toml_int (toml, "pipeline_parallel_first_stage_less_layers", first);
      shardwise_toml_int (toml, "pipeline_parallel_last_stage_less_layers", last);
      if (s->vpp > 1)
        shardwise_toml_int (toml, "pipeline_parallel_layers_per_stage",
                            layers_per_stage (&job->problem, s));
    }
  shardwise_toml_int (toml, "context_parallel_degree", s->cp);
  if (s->cp > 1)
    shardwise_toml_string (toml, "context_parallel_rotate_method",
                           s->cp_method == SW_CP_ALLGATHER ? "allgather" : "alltoall");
  shardwise_toml_int (toml, "expert_parallel_degree", s->ep);
  if (experts)
    shardwise_toml_int (toml, "expert_tensor_parallel_degree", s->ep > 1 ? s->etp : 1);
}

static void
launch_toml (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, "torchtitan.train");
  out->is_module = TRUE;
  shardwise_launch_set (out, "PYTORCH_ALLOC_CONF", "expandable_segments:True");
  shardwise_args_word (shardwise_launch_add_group (out, NULL), "--job.config_file",
                       job->info->file_name);
}

static void
write_files (ShardwiseExportJob *job)
{
  static const char *const kept[] = { "output", "router.gate", NULL };
  static const char *const float8[] = { "quantize.linear.float8", NULL };
  static const char *const mx[] = { "quantize.linear.mx", NULL };
  const SwStrategy *s = &job->estimate.strategy;
  const ShardwiseTitanModel *model = find_model (&job->problem);
  const SwPrecision precision = job->problem.training.precision;
  const guint steps = shardwise_export_train_steps (&job->problem),
              accumulation = MAX (job->estimate.gradient_accumulation, 1);
  g_autoptr (GString) toml = g_string_new (NULL);
  GString *text = g_string_new (NULL);
  g_autofree char *assets = g_strdup_printf ("./assets/hf/%s", model->assets);
  const gboolean tunes = job->problem.training.type == SW_TRAINING_FINETUNE;
  g_autofree char *description = g_strdup_printf (
      "%s, tp%u pp%u dp%u cp%u", job->problem.model.name, s->tp, s->pp, s->dp, s->cp);

  add_notes (job);
  shardwise_toml_table (toml, "job");
  shardwise_toml_string (toml, "description", description);
  shardwise_toml_string (toml, "dump_folder", "./outputs");

  shardwise_toml_table (toml, "model");
  shardwise_toml_string (toml, "name", model->name);
  shardwise_toml_string (toml, "flavor", model->flavor);
  shardwise_toml_string (toml, "hf_assets_path", assets);
  if (precision == SW_PRECISION_FP8 || precision == SW_PRECISION_FP8_ROWWISE)
    shardwise_toml_strings (toml, "converters", float8);
  else if (precision == SW_PRECISION_MXFP8)
    shardwise_toml_strings (toml, "converters", mx);

  shardwise_toml_table (toml, "training");
  /* With a pipeline the accumulation is inside the local batch. */
  shardwise_toml_int (toml, "local_batch_size",
                      (gint64) s->micro_batch * (s->pp > 1 ? accumulation : 1));
  shardwise_toml_int (toml, "global_batch_size", shardwise_export_global_batch (job));
  shardwise_toml_int (toml, "seq_len", job->problem.training.sequence_length);
  shardwise_toml_word (toml, "max_norm", "1.0");
  shardwise_toml_int (toml, "steps", steps);
  /* The loader of "c4_test" takes any folder of samples with a text. */
  shardwise_toml_string (toml, "dataset", tunes ? "c4_test" : "c4");
  if (tunes)
    shardwise_toml_string (toml, "dataset_path", TUNING_DATA);
  shardwise_toml_bool (toml, "enable_cpu_offload", s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS);
  shardwise_toml_string (toml, "mixed_precision_param", "bfloat16");
  shardwise_toml_string (toml, "mixed_precision_reduce", "float32");

  write_parallelism (toml, job);
  shardwise_toml_table (toml, "activation_checkpoint");
  shardwise_toml_string (toml, "mode",
                         s->recompute == SW_RECOMPUTE_NONE   ? "none"
                         : s->recompute == SW_RECOMPUTE_FULL ? "full"
                                                             : "selective");
  if (s->recompute == SW_RECOMPUTE_SELECTIVE)
    shardwise_toml_string (toml, "selective_ac_option", "op");

  if (precision != SW_PRECISION_BF16)
    {
      shardwise_toml_table (toml, precision == SW_PRECISION_MXFP8 ? "quantize.linear.mx"
                                                                  : "quantize.linear.float8");
      shardwise_toml_string (toml, "recipe_name",
                             precision == SW_PRECISION_MXFP8         ? "mxfp8_cublas"
                             : precision == SW_PRECISION_FP8_ROWWISE ? "rowwise"
                                                                     : "tensorwise");
      shardwise_toml_strings (toml, "filter_fqns", kept);
    }

  shardwise_toml_table (toml, "optimizer");
  shardwise_toml_string (toml, "name", "AdamW");
  shardwise_toml_word (toml, "lr", shardwise_export_rate (&job->problem));
  shardwise_toml_word (toml, "eps", "1e-8");
  shardwise_toml_table (toml, "lr_scheduler");
  shardwise_toml_int (toml, "warmup_steps", MAX (steps / 10, 1));
  shardwise_toml_table (toml, "compile"); /* off by default; the prediction is of compiled runs */
  shardwise_toml_bool (toml, "enable", *compiled_parts (job) != NULL);
  if (*compiled_parts (job) != NULL)
    shardwise_toml_strings (toml, "components", compiled_parts (job));
  shardwise_toml_table (toml, "checkpoint");
  shardwise_toml_bool (toml, "enable", tunes);
  if (tunes)
    {
      shardwise_toml_string (toml, "initial_load_path", "pretrained");
      shardwise_toml_bool (toml, "initial_load_in_hf", TRUE);
    }

  shardwise_export_append_header (job, text);
  g_string_append_printf (text, "\n%s", toml->str);
  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static void
launch_main (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  GPtrArray *args;

  shardwise_launch_init (out, "torchtitan.train");
  out->is_module = TRUE;
  shardwise_launch_set (out, "PYTORCH_ALLOC_CONF", "expandable_segments:True");
  args = shardwise_launch_add_group (out, NULL);
  shardwise_args_word (args, "--module", "torchtitan_config");
  shardwise_args_word (args, "--config", "config");
}

static void
write_main (ShardwiseExportJob *job)
{
  SwRecompute recompute = (SwRecompute) job->estimate.strategy.recompute;
  const char *wrapper = recompute == SW_RECOMPUTE_FULL ? "FullAC" : "SelectiveAC";
  GString *text = g_string_new (NULL);
  /* The function that 405B has in the registry converts it to float8 at once, which is not what was
   * predicted, and some GPUs cannot. */
  const ShardwiseTitanModel *model = find_model (&job->problem);
  const char *registered = model->in_bf16 != NULL ? model->in_bf16 : model->function;
  /* Some of the registry's configurations compile, some do not. */
  g_autofree char *parts = g_strjoinv ("\", \"", (char **) compiled_parts (job));
  const SwStrategy *s = &job->estimate.strategy;
  const guint sequence = job->problem.training.sequence_length, replicas = count_replicas (s);
  guint first, last;

  add_notes (job);
  shardwise_export_append_header (job, text);
  g_string_append (text, "from torchtitan.config import CompileConfig\n");
  if (recompute != SW_RECOMPUTE_NONE)
    g_string_append_printf (text, "from torchtitan.distributed.activation_checkpoint import %s\n",
                            wrapper);
  if (model->in_bf16 != NULL)
    g_string_append_printf (text, "from torchtitan.models.%s import model_registry\n", model->name);
  g_string_append_printf (text,
                          "from torchtitan.models.%s.config_registry import %s\n"
                          "from torchtitan.trainer import Trainer\n"
                          "\n\ndef config() -> Trainer.Config:\n"
                          "    run = %s()\n",
                          model->name, registered, registered);
  if (model->in_bf16 != NULL)
    g_string_append_printf (text,
                            "    run.model_spec = model_registry(\"%s\")  # %s() is in float8\n"
                            "    run.hf_assets_path = \"./assets/hf/%s\"\n",
                            model->flavor, model->function, model->assets);
  g_string_append_printf (text,
                          "    p = run.parallelism\n"
                          "    p.data_parallel_replicate_degree = %u\n"
                          "    p.data_parallel_shard_degree = %u\n"
                          "    p.fsdp_reshard_after_forward = \"%s\"\n"
                          "    p.tensor_parallel_degree = %u\n"
                          "    p.enable_sequence_parallel = %s\n"
                          "    p.context_parallel_degree = %u\n"
                          "    p.expert_parallel_degree = %u\n"
                          "    p.pipeline_parallel_degree = %u\n",
                          replicas, s->dp / replicas, reshard (s), s->tp,
                          s->sequence_parallel ? "True" : "False", s->cp, s->ep, s->pp);
  if (s->pp > 1)
    {
      end_layers (&job->problem, s, &first, &last);
      g_string_append_printf (text,
                              "    p.pipeline_parallel_schedule = \"%s\"\n"
                              "    p.num_pp_microbatches = %u\n"
                              "    p.pipeline_parallel_first_stage_less_layers = %u\n"
                              "    p.pipeline_parallel_last_stage_less_layers = %u\n",
                              schedule_name (s), MAX (job->estimate.gradient_accumulation, 1),
                              first, last);
    }
  if (s->pp > 1 && s->vpp > 1)
    g_string_append_printf (text, "    p.pipeline_parallel_layers_per_stage = %u\n",
                            layers_per_stage (&job->problem, s));

  g_string_append_printf (text,
                          "    t = run.training\n"
                          "    t.max_context_length = %u\n"
                          "    t.num_tokens_per_microbatch_per_dp_rank = %u * %u\n"
                          "    t.num_tokens_per_train_step = %u * %u\n"
                          "    t.steps = %u\n",
                          sequence, s->micro_batch, sequence, shardwise_export_global_batch (job),
                          sequence, shardwise_export_train_steps (&job->problem));
  if (s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    g_string_append (text, "    t.enable_cpu_offload = True\n");
  if (s->pp > 1 || s->ep > 1)
    g_string_append_printf (text, "    t.disable_cuda_graphs = True  # refused otherwise with %s\n",
                            s->pp > 1 ? "a pipeline" : "expert parallelism");

  if (*parts != '\0')
    g_string_append_printf (
        text, "    run.compile = CompileConfig(enable=True, components=[\"%s\"]%s)\n", parts,
        overlaps_tensor (job) ? ", enable_async_tensor_parallel=True" : "");
  else
    g_string_append (text, "    run.compile = CompileConfig(enable=False)\n");
  if (recompute != SW_RECOMPUTE_NONE)
    g_string_append_printf (text, "    run.activation_checkpoint = %s.Config()\n", wrapper);
  else
    g_string_append (text, "    run.activation_checkpoint = None\n");
  g_string_append (text, "    return run\n");

  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static const ShardwiseFormatPin narrow[] = {
  { SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, "true", FALSE },
  { SHARDWISE_KEY_STRATEGY_SCHEDULE, "1f1b", FALSE },
  { SHARDWISE_KEY_STRATEGY_EP, NULL, TRUE },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, "none", FALSE },
  { SHARDWISE_KEY_NONE, NULL, FALSE },
};

/* What holds for both versions. */
static const ShardwiseFormatWriter common = {
  .rules = common_rules,
  .n_rules = G_N_ELEMENTS (common_rules),
};

const ShardwiseFormatWriter shardwise_torchtitan_writer = {
  .rules = release_rules,
  .n_rules = G_N_ELEMENTS (release_rules),
  .base = &common,
  .narrow = narrow,
  .avoid = runs_in_fp32,
  .adapt = adapt,
  .write = write_files,
  .launch = launch_toml,
};

const ShardwiseFormatWriter shardwise_torchtitan_main_writer = {
  .rules = main_rules,
  .n_rules = G_N_ELEMENTS (main_rules),
  .base = &common,
  .narrow = narrow + 1,
  .avoid = runs_in_fp32,
  .write = write_main,
  .launch = launch_main,
};
