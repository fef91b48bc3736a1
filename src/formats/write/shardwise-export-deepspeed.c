/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-job.h"

#include <glib/gi18n.h>

#include "shardwise-export-program.h"
#include "shardwise-json.h"
#include "shardwise-launch.h"

/* DeepSpeed 0.19.6. The JSON says ZeRO, precision, batch, AutoTP, AutoEP, Ulysses and offload; the
 * pipeline and the layers' tensor parallelism are Python, which goes into a second file. What it
 * refuses is from its PipelineEngine, auto_ep_folding.py, the asserts of engine.py and its
 * configuration page. */

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

/* AutoEP's preset for that family. */
static const char *
ep_preset (const char *model_id)
{
  return find_preset (ep_presets, G_N_ELEMENTS (ep_presets), model_id);
}

/* Whether the JSON can name it; else it is made in Python. */
static gboolean
has_optimizer (SwOptimizer optimizer)
{
  return optimizer == SW_OPTIMIZER_ADAMW || optimizer == SW_OPTIMIZER_MUON
         || optimizer == SW_OPTIMIZER_SGD || optimizer == SW_OPTIMIZER_LION;
}

static gboolean
cp_tp (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->tp > 1;
}

static gboolean
cp_ep (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->ep > 1;
}

static gboolean
ep_family (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && ep_preset (problem->model.id) == NULL;
}

static gboolean
ep_etp (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && s->etp > 1;
}

/* Its step is taken where ZeRO 1 to 3 gather gradients (runtime/zero); elsewhere the optimizer adds
 * plain gradients at Muon's large rate. */
static gboolean
muon_without_zero (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer == SW_OPTIMIZER_MUON
         && (s->pp > 1 || s->ep > 1 || problem->training.precision == SW_PRECISION_FP16
             || (s->zero_stage == 0 && s->dp > 1));
}

static gboolean
is_adafactor (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer == SW_OPTIMIZER_ADAFACTOR;
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

static const ShardwiseFormatRule rules[] = {
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, D (PP) | D (EP) | D (ZERO) | D (DP), muon_without_zero,
    N_ ("DeepSpeed supports Muon with ZeRO 1 to 3 in bf16, without pipeline and expert "
        "parallelism; otherwise it would apply plain gradients") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, 0, is_adafactor,
    N_ ("DeepSpeed passes flat pieces of many parameters to optimizers; Adafactor needs the rows "
        "and columns of each parameter") },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (PP) | D (ZERO), sw_rule_lacks_zero_stage,
    N_ ("DeepSpeed’s pipeline engine rejects ZeRO 2 and 3; a pipeline requires ZeRO 0 or 1") },
  { SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, D (SP), sw_rule_lacks_sp,
    N_ ("DeepSpeed’s tensor parallelism does not support sequence parallelism") },
  { SHARDWISE_KEY_STRATEGY_VPP, D (VPP), sw_rule_lacks_vpp,
    N_ ("DeepSpeed’s pipeline does not support virtual stages; each GPU has one stage") },
  { SHARDWISE_KEY_STRATEGY_SCHEDULE, D (PP) | D (SCHEDULE), sw_rule_pipes_unknown_schedule,
    N_ ("DeepSpeed’s pipeline supports 1F1B only") },
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE, D (RECOMPUTE), sw_rule_lacks_recompute,
    N_ ("DeepSpeed recomputes all layers or none") },
  { SHARDWISE_KEY_STRATEGY_CP_METHOD, D (CP) | D (CP_METHOD), sw_rule_lacks_cp_method,
    N_ ("DeepSpeed splits sequences with Ulysses, not with ring attention or all-gather") },
  { SHARDWISE_KEY_STRATEGY_CP, D (CP) | D (TP), cp_tp,
    N_ ("DeepSpeed’s mesh has data and sequence dimensions only; Ulysses requires TP 1") },
  { SHARDWISE_KEY_STRATEGY_CP, D (CP) | D (PP), sw_rule_has_cp_beside_pp,
    N_ ("DeepSpeed’s mesh has data and sequence dimensions only; Ulysses requires PP 1") },
  { SHARDWISE_KEY_STRATEGY_EP, D (CP) | D (EP), cp_ep,
    N_ ("DeepSpeed’s AutoEP does not support sequence parallelism; with CP above 1, EP must be "
        "1") },
  { SHARDWISE_KEY_STRATEGY_EP, D (EP), ep_family,
    N_ ("DeepSpeed’s AutoEP supports the experts of Mixtral, Qwen3-MoE and DeepSeek V2 and V3 "
        "only; for other models, EP must be 1") },
  { SHARDWISE_KEY_STRATEGY_EP, D (EP) | D (TP), sw_rule_has_ep_beside_tp,
    N_ ("DeepSpeed’s AutoEP cannot be combined with AutoTP; with TP above 1, EP must be 1") },
  { SHARDWISE_KEY_STRATEGY_ETP, D (EP) | D (ETP), ep_etp,
    N_ ("DeepSpeed’s AutoEP does not split experts; expert TP must be 1") },
  { SHARDWISE_KEY_STRATEGY_EP, D (EP) | D (PP), sw_rule_has_ep_beside_pp,
    N_ ("DeepSpeed’s AutoEP requires a whole Hugging Face model; with a pipeline, EP must be 1") },
  { SHARDWISE_KEY_STRATEGY_SHARD_GROUP, D (SHARD_GROUP) | D (ZERO) | D (DP),
    sw_rule_has_groups_below_zero_three,
    N_ ("DeepSpeed shards over a part of the replicas with ZeRO 3 (MiCS) only") },
  { SHARDWISE_KEY_STRATEGY_SHARD_GROUP, D (SHARD_GROUP) | D (ZERO) | D (DP) | D (TP),
    sw_rule_groups_others, N_ ("DeepSpeed’s MiCS requires TP, EP and CP 1") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD) | D (ZERO), sw_rule_offloads_unsharded,
    N_ ("DeepSpeed offloads the optimizer with ZeRO 1 to 3 only") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD) | D (ZERO), sw_rule_offloads_whole,
    N_ ("DeepSpeed offloads parameters with ZeRO 3 only") },
  { SHARDWISE_KEY_TRAINING_OFFLOAD_DEVICE, D (OFFLOAD) | D (ZERO), sw_rule_misplaces_drives,
    N_ ("DeepSpeed offloads to NVMe drives with ZeRO 3 only") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD) | D (PP) | D (RECOMPUTE),
    sw_rule_misplaces_activations,
    N_ ("DeepSpeed offloads the checkpoints of fully recomputed pipeline layers, but no other "
        "activations") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), sw_rule_splits_adapters,
    N_ ("DeepSpeed’s AutoTP does not split LoRA adapters; TP must be 1") },
  { SHARDWISE_KEY_STRATEGY_PP, D (PP), sw_rule_pipes_adapters,
    N_ ("LoRA adapters wrap a whole Hugging Face model, not a DeepSpeed pipeline; PP must be 1") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD), sw_rule_offloads_other_optimizer,
    N_ ("DeepSpeed’s optimizer on the host is AdamW; other optimizers cannot be offloaded") },
};

/* The Python beside ds_config.json: what JSON cannot say. Only values computed here enter the text,
 * never a string of the user outside the comments. */

static void
append_optimizer (const ShardwiseExportJob *job, GString *text)
{
  const SwOptimizer optimizer = job->problem.training.optimizer;
  const char *name = optimizer == SW_OPTIMIZER_PAGED_ADAM8BIT ? "PagedAdamW8bit" : "AdamW8bit";

  if (has_optimizer (optimizer))
    return;

  g_string_append (text, "\n\ndef make_optimizer(parameters):\n");
  g_string_append_printf (text,
                          "    from bitsandbytes.optim import %s\n\n"
                          "    return %s(parameters, lr=%s, betas=(0.9, 0.95), weight_decay=0.1)\n",
                          name, name, shardwise_export_rate (&job->problem));
}

static void
append_initialize (const ShardwiseExportJob *job, GString *text)
{
  g_string_append (text, "    parameters = [p for p in model.parameters() if p.requires_grad]\n"
                         "    engine, _, loader, _ = deepspeed.initialize(\n"
                         "        model=model,\n"
                         "        model_parameters=parameters,\n");
  if (!has_optimizer (job->problem.training.optimizer))
    g_string_append (text, "        optimizer=make_optimizer(parameters),\n");
  if (job->estimate.strategy.cp > 1)
    g_string_append (text, "        mpu=mpu,\n");
  g_string_append_printf (text,
                          "        training_data=training_data,\n"
                          "        config=\"%s\",\n"
                          "    )\n"
                          "    return engine, loader\n",
                          job->info->file_name);
}

static void
append_pipeline (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const gboolean ends_count = shardwise_export_ends_count (job);

  g_string_append (text,
                   "import deepspeed\n"
                   "from deepspeed.pipe import PipelineModule\n"
                   "from deepspeed.runtime.pipe.topology import PipeModelDataParallelTopology\n");
  append_optimizer (job, text);
  g_string_append_printf (
      text,
      "\n\ndef build_engine(layers, loss_fn, layer_class, %straining_data=None):\n"
      "    \"\"\"layers: the model as a list of modules or LayerSpecs, embedding first, head "
      "last.\n\n"
      "    layer_class: the class name of a transformer layer: the stages get equal numbers of "
      "these.\n"
      "%s"
      "    engine.train_batch() then runs one step of the 1F1B schedule.\n"
      "    \"\"\"\n"
      "    deepspeed.init_distributed()\n",
      ends_count ? "end_classes, " : "",
      ends_count
          ? "    end_classes: those of embedding and head, \"Embedding|Head\": each counts as "
            "a layer.\n"
          : "");
  g_string_append_printf (
      text, "    topology = PipeModelDataParallelTopology(num_pp=%u, num_mp=%u, num_dp=%u)\n",
      strategy->pp, strategy->tp, strategy->dp);
  g_string_append_printf (
      text,
      "    model = PipelineModule(\n"
      "        layers=layers,\n"
      "        topology=topology,\n"
      "        loss_fn=loss_fn,\n"
      "        partition_method=f\"type:{layer_class}%s\",\n"
      "%s"
      "    )\n",
      ends_count ? "|{end_classes}" : "",
      /* Of the embedding, whose input has no gradient, nothing would be left. */
      strategy->recompute == SW_RECOMPUTE_FULL ? "        checkpointable_layers=[layer_class],\n"
                                               : "");
  append_initialize (job, text);
}

static void
append_model (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const gboolean hybrid = strategy->shard_group < strategy->dp && strategy->zero_stage == 3;

  g_string_append (text, "import deepspeed\n");
  if (strategy->cp > 1)
    g_string_append (text, "from deepspeed.runtime.sequence_parallel.ulysses_sp import "
                           "UlyssesSPAttentionHF\n");
  append_optimizer (job, text);
  shardwise_export_append_adapters (job, text);
  g_string_append_printf (
      text,
      "\n\ndef build_engine(model, training_data=None):\n"
      "    \"\"\"model: a Hugging Face causal language model; %s holds everything else.%s\"\"\"\n",
      job->info->file_name,
      hybrid ? "\n\n    MiCS: create the model inside "
               "deepspeed.zero.MiCS_Init(config_dict_or_path=\"ds_config.json\").\n    "
             : "");
  if (strategy->recompute == SW_RECOMPUTE_FULL)
    g_string_append (text, "    model.gradient_checkpointing_enable("
                           "gradient_checkpointing_kwargs={\"use_reentrant\": False})\n");
  if (shardwise_export_has_adapters (&job->problem))
    g_string_append (text, "    add_adapters(model)\n");
  if (strategy->cp > 1)
    g_string_append_printf (text,
                            "    # Each rank of a group is given its own part of the tokens; "
                            "attention exchanges them for heads.\n"
                            "    mpu = UlyssesSPAttentionHF.register_with_transformers(\n"
                            "        model_name_or_path=model,\n"
                            "        core_attn_implementation=\"sdpa\",\n"
                            "        sequence_parallel_size=%u,\n"
                            "        micro_batch_size=%u,\n"
                            "        seq_length=%u,\n"
                            "        seq_length_is_variable=False,\n"
                            "    )\n",
                            strategy->cp, strategy->micro_batch,
                            job->problem.training.sequence_length);
  append_initialize (job, text);
}

static void
member (JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name (builder, name);
}

static void
add_int (JsonBuilder *builder, const char *name, gint64 value)
{
  member (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
add_bool (JsonBuilder *builder, const char *name, gboolean value)
{
  member (builder, name);
  json_builder_add_boolean_value (builder, value);
}

static void
add_number (JsonBuilder *builder, const char *name, double value)
{
  member (builder, name);
  json_builder_add_double_value (builder, value);
}

static void
add_string (JsonBuilder *builder, const char *name, const char *value)
{
  member (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
begin (JsonBuilder *builder, const char *name)
{
  member (builder, name);
  json_builder_begin_object (builder);
}

/* One replica has nothing to shard, but only with ZeRO does DeepSpeed sum bf16 gradients in fp32,
 * as predicted. */
static guint
file_stage (const ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  gboolean bf16 = job->problem.training.precision != SW_PRECISION_FP16;

  return strategy->zero_stage == 0 && strategy->dp == 1 && strategy->ep == 1 && bf16
             ? 1
             : strategy->zero_stage;
}

static gboolean
is_muon (const ShardwiseExportJob *job)
{
  return job->problem.training.optimizer == SW_OPTIMIZER_MUON;
}

static void
add_offload (JsonBuilder *builder, const ShardwiseExportJob *job, const char *name)
{
  const gboolean drives = job->problem.training.offloads_to_nvme;

  begin (builder, name);
  add_string (builder, "device", drives ? "nvme" : "cpu");
  if (drives)
    add_string (builder, "nvme_path", SHARDWISE_NVME_PATH);
  add_bool (builder, "pin_memory", TRUE);
  json_builder_end_object (builder);
}

static void
add_zero (JsonBuilder *builder, const ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  guint stage = file_stage (job);

  begin (builder, "zero_optimization");
  add_int (builder, "stage", stage);
  if (stage > 0)
    {
      add_bool (builder, "overlap_comm",
                job->problem.training.overlap != SW_OVERLAP_NONE
                    && shardwise_export_wants (job, SW_FEATURE_DP_OVERLAP, TRUE));
      add_bool (builder, "contiguous_gradients", TRUE);
      if (is_muon (job)) /* whose step needs whole matrices */
        add_bool (builder, "reduce_scatter", FALSE);
      add_int (builder, "reduce_bucket_size", 500000000);
      if (stage < 3)
        add_int (builder, "allgather_bucket_size", 500000000);
      else
        add_bool (builder, "stage3_gather_16bit_weights_on_model_save", TRUE);
      if (strategy->shard_group < strategy->dp)
        add_int (builder, "mics_shard_size", strategy->shard_group);
      if (strategy->offload == SW_OFFLOAD_OPTIMIZER
          || strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
        {
          add_offload (builder, job, "offload_optimizer");
          if (strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
            add_offload (builder, job, "offload_param");
        }
    }
  json_builder_end_object (builder);
}

/* AdamW and Muon are built in, SGD is looked up in torch.optim; the others are made in Python and
 * handed over. */
static void
add_optimizer (JsonBuilder *builder, const ShardwiseExportJob *job)
{
  SwOptimizer optimizer = job->problem.training.optimizer;
  guint steps = shardwise_export_train_steps (&job->problem);

  if (has_optimizer (optimizer))
    {
      begin (builder, "optimizer");
      add_string (builder, "type",
                  optimizer == SW_OPTIMIZER_ADAMW  ? "AdamW"
                  : optimizer == SW_OPTIMIZER_MUON ? "Muon"
                  : optimizer == SW_OPTIMIZER_LION ? "Lion"
                                                   : "SGD");
      begin (builder, "params");
      if (optimizer == SW_OPTIMIZER_ADAMW)
        {
          add_number (builder, "lr", g_ascii_strtod (shardwise_export_rate (&job->problem), NULL));
          member (builder, "betas");
          json_builder_begin_array (builder);
          json_builder_add_double_value (builder, 0.9);
          json_builder_add_double_value (builder, 0.95);
          json_builder_end_array (builder);
          add_number (builder, "eps", 1e-8);
          add_number (builder, "weight_decay", 0.1);
        }
      else if (optimizer == SW_OPTIMIZER_MUON)
        {
          /* DeepSpeed's own, which runs AdamW on embeddings, head and norms. */
          add_number (builder, "muon_lr", 0.02);
          add_number (builder, "adam_lr",
                      g_ascii_strtod (shardwise_export_rate (&job->problem), NULL));
          add_number (builder, "momentum", 0.95);
          add_number (builder, "weight_decay", 0.1);
        }
      else if (optimizer == SW_OPTIMIZER_LION)
        {
          /* A third of AdamW's rate and more decay (Chen et al. 2023, section 5). */
          add_number (builder, "lr", 3e-5);
          member (builder, "betas");
          json_builder_begin_array (builder);
          json_builder_add_double_value (builder, 0.9);
          json_builder_add_double_value (builder, 0.99);
          json_builder_end_array (builder);
          add_number (builder, "weight_decay", 0.5);
        }
      else
        {
          add_number (builder, "lr", 0.1);
          add_number (builder, "momentum", 0.9);
        }
      json_builder_end_object (builder);
      json_builder_end_object (builder);

      begin (builder, "scheduler");
      add_string (builder, "type", "WarmupCosineLR");
      begin (builder, "params");
      add_int (builder, "total_num_steps", steps);
      add_int (builder, "warmup_num_steps", MAX (steps / 10, 1));
      add_number (builder, "cos_min_ratio", 0.1);
      json_builder_end_object (builder);
      json_builder_end_object (builder);
    }

  if (optimizer != SW_OPTIMIZER_ADAMW && optimizer != SW_OPTIMIZER_MUON && file_stage (job) > 0)
    add_bool (builder, "zero_allow_untested_optimizer", TRUE);
}

static char *
write_json (const ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const gboolean fp16 = job->problem.training.precision == SW_PRECISION_FP16,
                 full = strategy->recompute == SW_RECOMPUTE_FULL;
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;

  json_builder_begin_object (builder);
  /* With AutoTP and no mpu DeepSpeed counts every GPU as data-parallel, so that train_batch_size
   * cannot be right: micro-batch and accumulation alone are enough. */
  if (strategy->tp == 1 || strategy->pp > 1)
    add_int (builder, "train_batch_size", shardwise_export_global_batch (job));
  add_int (builder, "train_micro_batch_size_per_gpu", strategy->micro_batch);
  add_int (builder, "gradient_accumulation_steps", MAX (job->estimate.gradient_accumulation, 1));
  if (strategy->cp > 1)
    {
      add_int (builder, "data_parallel_size", strategy->dp);
      add_int (builder, "sequence_parallel_size", strategy->cp);
    }
  add_int (builder, "steps_per_print", 10);
  /* Muon's steps, which have a length of their own, are what would be clipped. */
  add_number (builder, "gradient_clipping", is_muon (job) ? 0 : 1);

  begin (builder, fp16 ? "fp16" : "bf16");
  add_bool (builder, "enabled", TRUE);
  json_builder_end_object (builder);

  /* Without ZeRO, DeepSpeed refuses a gradient type other than the model's. */
  if (!fp16 && file_stage (job) > 0 && !is_muon (job))
    {
      begin (builder, "data_types");
      add_string (builder, "grad_accum_dtype", "fp32");
      json_builder_end_object (builder);
    }
  add_zero (builder, job);
  add_optimizer (builder, job);
  if (strategy->pp > 1)
    {
      /* Configures deepspeed.checkpointing, which pipeline modules call; it switches no
       * recomputation on. */
      if (full)
        {
          begin (builder, "activation_checkpointing");
          add_bool (builder, "partition_activations", strategy->tp > 1);
          add_bool (builder, "cpu_checkpointing", strategy->offload == SW_OFFLOAD_ACTIVATIONS);
          add_bool (builder, "contiguous_memory_optimization", FALSE);
          add_bool (builder, "synchronize_checkpoint_boundary", FALSE);
          json_builder_end_object (builder);
        }
      begin (builder, "pipeline");
      add_int (builder, "activation_checkpoint_interval", full ? 1 : 0);
      add_bool (builder, "pipe_partitioned", strategy->tp > 1);
      add_bool (builder, "grad_partitioned", strategy->tp > 1);
      json_builder_end_object (builder);
    }
  else if (strategy->tp > 1)
    {
      /* AutoTP's preset for that family; without one AutoTP takes the plan that the Hugging Face
       * model brings. */
      const char *preset = find_preset (tp_presets, G_N_ELEMENTS (tp_presets),
                                        job->problem.model.id);

      begin (builder, "tensor_parallel");
      add_int (builder, "autotp_size", strategy->tp);
      if (preset != NULL)
        add_string (builder, "preset_model", preset);
      add_bool (builder, "tp_overlap_comm",
                shardwise_export_wants (job, SW_FEATURE_ASYNC_TP, FALSE));
      json_builder_end_object (builder);
    }
  if (strategy->ep > 1)
    {
      begin (builder, "expert_parallel");
      add_bool (builder, "enabled", TRUE);
      add_int (builder, "autoep_size", strategy->ep);
      add_string (builder, "preset_model", ep_preset (job->problem.model.id));
      json_builder_end_object (builder);
    }
  add_bool (builder, "wall_clock_breakdown", FALSE);
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);

  return shardwise_json_to_string (root);
}

static void
add_notes (ShardwiseExportJob *job)
{
  SwPrecision precision = job->problem.training.precision;
  const SwStrategy *strategy = &job->estimate.strategy;

  if (strategy->pp > 1)
    shardwise_export_note (job, SHARDWISE_NOTE_SEEN_TO,
                           _ ("JSON cannot express the pipeline: ds_setup.py creates the "
                              "PipelineModule with its topology."));
  if (strategy->pp > 1 && strategy->tp > 1)
    shardwise_export_note (job, SHARDWISE_NOTE_IN_SCRIPT,
                           _ ("The layers passed to PipelineModule must be tensor-parallel "
                              "themselves, as Megatron-DeepSpeed’s are."));
  if (strategy->cp > 1)
    shardwise_export_note (job, SHARDWISE_NOTE_SEEN_TO,
                           _ ("Ulysses requires attention that exchanges heads for sequence: "
                              "ds_setup.py registers it."));
  if (strategy->recompute != SW_RECOMPUTE_NONE && strategy->pp == 1)
    shardwise_export_note (job, SHARDWISE_NOTE_SEEN_TO,
                           _ ("JSON cannot enable recomputation: ds_setup.py does."));
  shardwise_export_note_drives (job);
  if (file_stage (job) != strategy->zero_stage)
    shardwise_export_note (job, SHARDWISE_NOTE_OWN_WAY,
                           _ ("ZeRO 1 is written instead of ZeRO 0: with one replica it shards "
                              "nothing, and DeepSpeed then sums gradients in fp32."));
  if (precision != SW_PRECISION_BF16 && precision != SW_PRECISION_FP16)
    shardwise_export_note (job, SHARDWISE_NOTE_OTHERWISE,
                           _ ("The model’s layers (Transformer Engine) provide 8-bit and 4-bit "
                              "arithmetic; everything else runs in bf16."));
  if (is_muon (job))
    shardwise_export_note (job, SHARDWISE_NOTE_OTHERWISE,
                           _ ("Muon: gradients are summed in bf16, because in fp32 DeepSpeed takes "
                              "plain gradient steps (ZeRO 1) or stops (ZeRO 2). They are not "
                              "clipped, because DeepSpeed would clip Muon’s steps."));
  if (!has_optimizer (job->problem.training.optimizer))
    shardwise_export_note (
        job, SHARDWISE_NOTE_SEEN_TO,
        _ ("The optimizer is not a DeepSpeed type: ds_setup.py creates it and passes it on."));
  shardwise_export_note_software (
      job, (file_stage (job) > 0 ? SHARDWISE_FEATURE (DP_OVERLAP) : 0)
               | (job->estimate.strategy.tp > 1 ? SHARDWISE_FEATURE (ASYNC_TP) : 0));
  shardwise_export_note_common (job);
}

/* The published rules of thumb combine ZeRO 2 and 3 with pipelines, and other frameworks combine
 * tensor and sequence parallelism; DeepSpeed rejects both. If the user did not ask for it, it is
 * omitted and reported. */
static void
adapt_to_deepspeed (ShardwiseExportJob *job, SwStrategy *strategy)
{
  if (strategy->pp > 1 && strategy->zero_stage > 1
      && !sw_pins_has (&job->problem.pins, SW_DIM_ZERO))
    {
      shardwise_export_take_note (
          job, SHARDWISE_NOTE_OTHERWISE,
          /* Translators: %u is 2 or 3 */
          g_strdup_printf (
              _ ("ZeRO %u is lowered to ZeRO 1: DeepSpeed’s pipeline engine rejects ZeRO 2 and 3."),
              (guint) strategy->zero_stage));
      strategy->zero_stage = 1;
    }
  if (strategy->sequence_parallel && !sw_pins_has (&job->problem.pins, SW_DIM_SP))
    {
      shardwise_export_note (job, SHARDWISE_NOTE_OTHERWISE,
                             _ ("Sequence parallelism is omitted: DeepSpeed’s tensor parallelism "
                                "does not support it."));
      strategy->sequence_parallel = FALSE;
    }
}

static void
write_files (ShardwiseExportJob *job)
{
  GString *text = g_string_new (NULL); /* of ds_setup.py */

  add_notes (job);
  shardwise_export_add_file (job, job->info->file_name, write_json (job));
  shardwise_export_append_header (job, text);
  g_string_append_printf (text,
                          "#\n# deepspeed --num_nodes %u --num_gpus %u " SHARDWISE_PROGRAM "\n",
                          shardwise_export_nodes (job), shardwise_export_gpus_per_node (job));
  if (job->estimate.strategy.pp > 1)
    append_pipeline (job, text);
  else
    append_model (job, text);
  shardwise_export_add_file (job, "ds_setup.py", g_string_free (text, FALSE));
}

static void
launch (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, SHARDWISE_PROGRAM);
}

static const ShardwiseFormatPin narrow[] = {
  { SHARDWISE_KEY_STRATEGY_CP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_EP, NULL, FALSE },
  { SHARDWISE_KEY_NONE, NULL, FALSE },
};

const ShardwiseFormatWriter shardwise_deepspeed_writer = {
  .rules = rules,
  .n_rules = G_N_ELEMENTS (rules),
  .narrow = narrow,
  .adapt = adapt_to_deepspeed,
  .write = write_files,
  .program = shardwise_program_of_deepspeed,
  .launch = launch,
};
