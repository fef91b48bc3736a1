/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-megatron.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-export-job.h"
#include "shardwise-launch.h"
#include "sw-split.h"

/* What Megatron-LM (core 0.20.0) refuses: the checks of validate_args() and of TransformerConfig,
 * and what it has no argument for. */

/* Only with p2p overlap, which is the default, may two stages interleave. */
static gboolean
vpp_two_stages (const SwProblem *problem, const SwStrategy *s)
{
  return s->vpp > 1 && s->pp == 2 && problem->training.overlap == SW_OVERLAP_NONE;
}

static gboolean
offload_parameters (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS;
}

static gboolean
offload_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  return sw_rule_offloads_unsharded (problem, s) || sw_rule_offloads_other_optimizer (problem, s);
}

/* initialize_model_parallel() makes the groups of shards of the experts' replicas, too. */
static gboolean
odd_expert_shards (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.moe.experts > 0 && s->zero_stage > 0 && s->shard_group < s->dp
         && s->tp * s->cp * s->dp / (s->etp * s->ep) % (s->dp / s->shard_group) != 0;
}

static gboolean
layers_per_chunk (const SwProblem *problem, const SwStrategy *s)
{
  return s->recompute == SW_RECOMPUTE_FULL_LAYERS && s->vpp > 1 && s->full_layers % s->vpp != 0;
}

static gboolean
other_modules (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;
  guint modules = s->recompute == SW_RECOMPUTE_SELECTIVE ? s->recompute_modules : 0;

  return ((modules & SW_MODULE_MLA_UP_PROJ) != 0 && model->mla.kv_lora_rank == 0)
         || ((modules & (SW_MODULE_MOE | SW_MODULE_MOE_ACT)) != 0 && model->moe.experts == 0)
         || ((modules & SW_MODULE_SHARED_EXPERTS) != 0 && model->moe.shared_intermediate_size == 0);
}

static gboolean
other_precision (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.precision == SW_PRECISION_FP8_ROWWISE;
}

static gboolean
other_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  SwOptimizer optimizer = problem->training.optimizer;

  return optimizer == SW_OPTIMIZER_ADAM8BIT || optimizer == SW_OPTIMIZER_PAGED_ADAM8BIT
         || optimizer == SW_OPTIMIZER_ADAFACTOR || optimizer == SW_OPTIMIZER_LION;
}

static gboolean
other_kind (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return model->kind != SW_MODEL_DECODER || model->approximated || model->parallel_block
         || model->attention_output_gate;
}

static gboolean
other_norms (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return (model->norm != SW_NORM_RMSNORM && model->norm != SW_NORM_LAYERNORM)
         || model->norms_per_layer != 2 || model->qk_norm == SW_QK_NORM_FULL_WIDTH;
}

static gboolean
other_positions (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return model->position != SW_POSITION_ROPE && model->position != SW_POSITION_LEARNED
         && model->position != SW_POSITION_NONE;
}

static gboolean
other_biases (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return model->attn_out_bias != model->mlp_bias || (model->mlp_bias && !model->qkv_bias);
}

static gboolean
other_router (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return model->moe.experts > 0 && (model->mlp_bias || model->moe.top_k > model->moe.experts);
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

#define N_STRATEGY_RULES 17 /* the first ones, on strategies */

static const ShardwiseFormatRule megatron_rules[] = {
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO), sw_rule_lacks_zero_stage,
    N_ ("Megatron-LM’s distributed optimizer shards the optimizer only: ZeRO 0 or 1; Shardwise "
        "does not write its FSDP modes") },
  { SHARDWISE_KEY_STRATEGY_SCHEDULE, D (PP) | D (SCHEDULE), sw_rule_pipes_unknown_schedule,
    N_ ("Megatron-LM’s pipeline supports 1F1B and interleaved 1F1B") },
  { SHARDWISE_KEY_STRATEGY_VPP, D (PP) | D (VPP), sw_rule_has_vpp_alone,
    N_ ("Megatron-LM supports interleaving only with more than one pipeline stage") },
  { SHARDWISE_KEY_STRATEGY_VPP, D (PP) | D (VPP), vpp_two_stages,
    N_ ("Megatron-LM interleaves two stages only if communication overlaps with compute; without "
        "overlap, PP must be above 2") },
  { SHARDWISE_KEY_STRATEGY_VPP, D (PP) | D (VPP), sw_rule_odd_chunks,
    N_ ("Megatron-LM requires that the layers of each pipeline stage divide evenly into virtual "
        "stages") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), sw_rule_odd_heads,
    N_ ("Megatron-LM requires a number of attention heads that is divisible by TP") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), sw_rule_odd_kv_heads,
    N_ ("Megatron-LM requires a number of KV heads that is a multiple or a divisor of TP") },
  { SHARDWISE_KEY_STRATEGY_CP, D (CP), sw_rule_odd_sequence,
    N_ ("Megatron-LM requires sequences that are a multiple of 2 × CP") },
  { SHARDWISE_KEY_STRATEGY_EP, D (EP), sw_rule_odd_experts,
    N_ ("Megatron-LM requires a number of experts that is divisible by EP; a dense model requires "
        "EP 1") },
  { SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, D (TP) | D (SP), sw_rule_has_sp_alone,
    N_ ("Megatron-LM disables sequence parallelism if TP is 1") },
  { SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, D (TP) | D (SP) | D (EP), sw_rule_has_ep_without_sp,
    N_ ("Megatron-LM requires sequence parallelism to train experts with TP above 1 and EP above "
        "1") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD), offload_parameters,
    N_ ("Megatron-LM offloads the optimizer or activations, but not the parameters") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD) | D (PP) | D (RECOMPUTE),
    sw_rule_misplaces_activations,
    N_ ("Megatron-LM offloads activations only without a pipeline and without recomputation") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD) | D (ZERO), offload_optimizer,
    N_ ("Megatron-LM offloads Adam only with the distributed optimizer (ZeRO 1)") },
  { SHARDWISE_KEY_STRATEGY_SHARD_GROUP,
    D (TP) | D (CP) | D (EP) | D (ETP) | D (DP) | D (ZERO) | D (SHARD_GROUP), odd_expert_shards,
    N_ ("Megatron-LM shards the experts’ replicas over the same number of groups as all replicas; "
        "the number of groups must also divide the experts’ replicas") },
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE, D (RECOMPUTE) | D (VPP), layers_per_chunk,
    N_ ("Megatron-LM counts recomputed layers per virtual stage; their number must be a multiple "
        "of the virtual stages") },
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE_MODULES, D (RECOMPUTE), other_modules,
    N_ ("Megatron-LM recomputes only modules that the model has: the projection of latent "
        "attention, experts and shared experts") },
  { SHARDWISE_KEY_TRAINING_PRECISION, 0, other_precision,
    N_ ("Megatron-LM’s 8-bit recipes scale by tensor or by block (MXFP8), not by row") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, 0, other_optimizer,
    N_ ("Megatron-LM supports Adam, SGD and Muon, but not 8-bit Adam, Adafactor and Lion") },
  { SHARDWISE_KEY_TRAINING_TYPE, 0, sw_rule_is_not_full_training,
    N_ ("pretrain_gpt.py trains all parameters of one model; it supports pre-training and full "
        "fine-tuning only") },
  { SHARDWISE_KEY_NONE, 0, other_kind,
    N_ ("Megatron-LM’s GPT runs attention and MLP one after the other; it does not support hybrid, "
        "parallel and vision models"),
    "model" },
  { SHARDWISE_KEY_NONE, 0, other_norms,
    N_ ("Megatron-LM’s GPT has RMSNorm or LayerNorm twice per layer, and norms of queries and keys "
        "per head only"),
    "model" },
  { SHARDWISE_KEY_MODEL_POSITION_EMBEDDING, 0, other_positions,
    N_ ("Megatron-LM’s GPT supports rotary, learned or no positions") },
  { SHARDWISE_KEY_NONE, 0, other_biases,
    N_ ("Megatron-LM supports biases on all linear layers, on none, or on queries, keys and values "
        "only"),
    "model.bias" },
  { SHARDWISE_KEY_NONE, 0, other_router, N_ ("Megatron-LM’s grouped experts have no biases"),
    "model.moe" },
};

/* The arguments of Megatron-LM (core 0.20.0): the model and how it is split. Options are those of
 * megatron/training/arguments.py and of the dataclasses that it makes arguments of. */

#define flag shardwise_args_flag
#define word shardwise_args_word
#define number shardwise_args_int

/* What the stages of a pipeline look like to Megatron-LM. */
typedef enum {
  STAGES_EVEN,   /* layers / (PP * VPP) each */
  STAGES_ENDS,   /* embedding and loss count as a layer each */
  STAGES_LAYOUT, /* a layout that names the layers of each */
} Stages;

/* The arguments that set the layers of each pipeline stage. */
static Stages
stage_kind (const SwProblem *problem, const SwStrategy *strategy)
{
  guint chunks = strategy->pp * strategy->vpp, layers = problem->model.layers;

  if (layers % chunks == 0)
    return STAGES_EVEN;

  return strategy->pp > 2 && layers % strategy->pp != 0 && (layers + 2) % chunks == 0
             ? STAGES_ENDS
             : STAGES_LAYOUT;
}

/* Its stages as --pipeline-model-parallel-layout takes them, "Et*3|t*4L": embedding, transformer
   layers, multi-token-prediction layers, loss; first the first virtual stages of all. */
static char *
stage_layout (const SwProblem *problem, const SwStrategy *strategy)
{
  GString *layout = g_string_new ("E");
  SwSplit split;

  sw_split (problem, strategy, &split);
  for (guint i = 0; i < strategy->pp * strategy->vpp; i++)
    g_string_append_printf (
        layout, i > 0 ? "|t*%u" : "t*%u",
        sw_split_chunk_layers (&split, strategy->vpp, i % strategy->pp, i / strategy->pp));
  if (problem->model.mtp_layers > 0)
    g_string_append_printf (layout, "m*%u", problem->model.mtp_layers);
  g_string_append_c (layout, 'L');

  return g_string_free (layout, FALSE);
}

static void
add_experts (const SwProblem *problem, GPtrArray *args)
{
  const SwModelSpec *model = &problem->model;
  const SwMoe *moe = &model->moe;
  const guint first = MIN (moe->first_dense_layers, model->layers),
              every = MAX (moe->layer_frequency, 1), groups = (model->layers - first) / every,
              rest = model->layers - first - groups * every;

  number (args, "--num-experts", moe->experts);
  number (args, "--moe-router-topk", moe->top_k);
  number (args, "--moe-ffn-hidden-size", moe->intermediate_size);
  if (moe->shared_intermediate_size > 0)
    number (args, "--moe-shared-expert-intermediate-size", moe->shared_intermediate_size);
  if (moe->shared_gate)
    flag (args, "--moe-shared-expert-gate");
  if (moe->first_dense_layers > 0 || every > 1) /* which layers have experts, where not all have */
    {
      g_autoptr (GString) pattern = g_string_new ("(");

      if (moe->first_dense_layers > 0)
        g_string_append_printf (pattern, "[0]*%u+", moe->first_dense_layers);
      if (every == 1)
        g_string_append_printf (pattern, "[1]*%u", groups);
      else
        g_string_append_printf (pattern, "([0]*%u+[1]*1)*%u", every - 1, groups);
      if (rest > 0)
        g_string_append_printf (pattern, "+[0]*%u", rest);
      g_string_append_c (pattern, ')');
      word (args, "--moe-layer-freq", pattern->str);
    }
  if (moe->router_bias)
    {
      word (args, "--moe-router-score-function", "sigmoid");
      flag (args, "--moe-router-enable-expert-bias");
    }
  else if (moe->top_k == 1 || moe->scaling > 0)
    /* a softmax over the one that was chosen has no gradient; scaled weights are those of all */
    flag (args, "--moe-router-pre-softmax");
  if (moe->groups > 1 && moe->chosen_groups < moe->groups)
    {
      number (args, "--moe-router-num-groups", moe->groups);
      number (args, "--moe-router-group-topk", moe->chosen_groups);
    }
  if (moe->scaling > 0)
    {
      g_autofree char *scaling = g_strdup_printf ("%.4g", moe->scaling);

      word (args, "--moe-router-topk-scaling-factor", scaling);
    }
  flag (args, "--moe-grouped-gemm");
  flag (args, "--moe-permute-fusion"); /* as is predicted */
  /* Beside the bias DeepSeek-V3 has a loss of each sequence, of that weight (Liu et al. 2024, section
   * 4.2). */
  word (args, "--moe-router-load-balancing-type", moe->router_bias ? "seq_aux_loss" : "aux_loss");
  word (args, "--moe-aux-loss-coeff", moe->router_bias ? "1e-4" : "1e-2");
}

/* Adds the architecture. */
static void
add_model (const SwProblem *problem, GPtrArray *args)
{
  const SwModelSpec *model = &problem->model;
  guint sequence = problem->training.sequence_length;
  g_autofree char *size = NULL;

  number (args, "--num-layers", model->layers);
  number (args, "--hidden-size", model->hidden_size);
  number (args, "--ffn-hidden-size",
          model->intermediate_size > 0 ? model->intermediate_size : model->moe.intermediate_size);
  number (args, "--num-attention-heads", model->attention_heads);
  if (model->mla.kv_lora_rank > 0)
    {
      flag (args, "--multi-latent-attention");
      flag (args, "--qk-layernorm"); /* of the compressed queries, keys and values */
      if (model->mla.q_lora_rank > 0)
        number (args, "--q-lora-rank", model->mla.q_lora_rank);
      number (args, "--kv-lora-rank", model->mla.kv_lora_rank);
      number (args, "--qk-head-dim", model->mla.qk_nope_head_dim);
      number (args, "--qk-pos-emb-head-dim", model->mla.qk_rope_head_dim);
      number (args, "--v-head-dim", model->mla.v_head_dim);
    }
  else
    {
      if (model->kv_heads != model->attention_heads)
        {
          flag (args, "--group-query-attention");
          number (args, "--num-query-groups", model->kv_heads);
        }
      if (sw_model_query_head_dim (model) * model->attention_heads != model->hidden_size)
        number (args, "--kv-channels", sw_model_query_head_dim (model));
      if (model->qk_norm == SW_QK_NORM_PER_HEAD_DIM)
        flag (args, "--qk-layernorm");
    }
  if (model->sliding_window > 0)
    {
      size = g_strdup_printf ("%u,0", model->sliding_window);
      word (args, "--window-size", size);
      if (model->window_pattern != SW_WINDOW_ALL)
        word (args, "--window-attn-skip-freq",
              model->window_pattern == SW_WINDOW_EVERY_SECOND ? "2" : "6");
    }
  number (args, "--seq-length", sequence);
  number (args, "--max-position-embeddings", MAX (model->max_position_embeddings, sequence));
  word (args, "--position-embedding-type",
        model->position == SW_POSITION_ROPE      ? "rope"
        : model->position == SW_POSITION_LEARNED ? "learned_absolute"
                                                 : "none");
  if (model->position == SW_POSITION_ROPE)
    number (args, "--rotary-base", shardwise_export_rope_base (model));
  word (args, "--normalization", model->norm == SW_NORM_RMSNORM ? "RMSNorm" : "LayerNorm");
  word (args, "--norm-epsilon", "1e-5");
  if (model->gated_mlp)
    flag (args, "--swiglu");
  if (!model->mlp_bias)
    {
      flag (args, "--disable-bias-linear");
      if (model->qkv_bias)
        flag (args, "--add-qkv-bias");
    }
  if (!model->tied_embeddings)
    flag (args, "--untie-embeddings-and-output-weights");
  word (args, "--attention-dropout", "0.0");
  word (args, "--hidden-dropout", "0.0");
  if (model->moe.experts > 0)
    add_experts (problem, args);
  if (model->mtp_layers > 0)
    number (args, "--mtp-num-layers", model->mtp_layers);
  number (args, "--vocab-size", model->vocab_size);
  number (args, "--make-vocab-size-divisible-by", 128);
  word (args, "--init-method-std", "0.02");
}

/* What the prediction counts on of the software is what the files switch on. */

static gboolean
has_feature (const ShardwiseExportJob *job, SwFeature feature)
{
  return sw_problem_enables (&job->problem, &job->estimate.strategy, feature);
}

/* Whether an option may be written: a job may state a feature that Megatron-LM refuses there. */
static gboolean
may_switch (const ShardwiseExportJob *job, SwFeature feature)
{
  return has_feature (job, feature)
         && sw_framework_enables (&job->problem, &job->estimate.strategy, feature);
}

static gboolean
reduces_beside (const ShardwiseExportJob *job)
{
  return job->problem.training.overlap != SW_OVERLAP_NONE
         && shardwise_export_wants (job, SW_FEATURE_DP_OVERLAP, TRUE);
}

static gboolean
overlaps_tensor (const ShardwiseExportJob *job)
{
  return job->problem.training.overlap != SW_OVERLAP_NONE
         && job->estimate.strategy.sequence_parallel && may_switch (job, SW_FEATURE_ASYNC_TP);
}

static gboolean
overlaps_experts (const ShardwiseExportJob *job)
{
  return job->problem.training.overlap != SW_OVERLAP_NONE && job->estimate.strategy.ep > 1
         && may_switch (job, SW_FEATURE_MOE_OVERLAP);
}

/* Router and what prepares the dispatch, as CUDA graphs: on Blackwell, where launches count. */
static gboolean
captures_routing (const ShardwiseExportJob *job)
{
  return job->problem.model.moe.experts > 0
         && job->problem.cluster.gpu.generation == SW_GENERATION_BLACKWELL
         && job->estimate.strategy.offload != SW_OFFLOAD_ACTIVATIONS
         && may_switch (job, SW_FEATURE_CUDA_GRAPHS);
}

/* What moves tokens to their experts, "deepep" say; NULL: a plain all-to-all. */
static const char *
dispatcher (const ShardwiseExportJob *job)
{
  if (!has_feature (job, SW_FEATURE_MOE_FORWARDING))
    return NULL;
  return job->problem.cluster.nvlink_domain > SW_DEEPEP_DOMAIN ? "hybridep" : "deepep";
}

static void
note_dispatcher (ShardwiseExportJob *job)
{
  const char *backend = dispatcher (job);

  if (backend != NULL)
    shardwise_export_take_note (
        job, SHARDWISE_NOTE_MISSING_FILE,
        /* Translators: a package, "DeepEP" */
        g_strdup_printf (
            _ ("Dispatcher of the experts: %s must be installed; a plain all-to-all is "
               "slower than predicted."),
            g_str_equal (backend, "deepep") ? "DeepEP" : "HybridEP"));
}

/* Of Megatron-Core's options those that the files say; what is off by default needs no word. */
static guint
switched_on (const ShardwiseExportJob *job)
{
  const struct {
    SwFeature feature;
    gboolean is_on;
  } options[] = {
    { SW_FEATURE_ASYNC_TP, overlaps_tensor (job) },
    { SW_FEATURE_MOE_OVERLAP, overlaps_experts (job) },
    { SW_FEATURE_CUDA_GRAPHS, captures_routing (job) },
  };
  guint features = SHARDWISE_FEATURE (MOE_FORWARDING) | SHARDWISE_FEATURE (MOE_FORWARDING_INSIDE);

  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if (options[i].is_on || !has_feature (job, options[i].feature))
      features |= 1u << options[i].feature;
  return features;
}

/* Adds how the model is split; data parallelism is what is left of the GPUs. */
static void
add_parallel (const ShardwiseExportJob *job, GPtrArray *args)
{
  const SwProblem *problem = &job->problem;
  const SwStrategy *s = &job->estimate.strategy;
  static const char *const cp_types[] = { "p2p", "all_gather", "a2a" };
  const gboolean overlap = problem->training.overlap != SW_OVERLAP_NONE;
  const Stages stages = stage_kind (problem, s);
  const guint layers = problem->model.layers + (stages == STAGES_ENDS ? 2 : 0);
  const char *backend = dispatcher (job);

  number (args, "--tensor-model-parallel-size", s->tp);
  number (args, "--pipeline-model-parallel-size", s->pp);
  if (s->pp > 1 && stages == STAGES_LAYOUT)
    {
      g_autofree char *layout = stage_layout (problem, s);

      word (args, "--pipeline-model-parallel-layout", layout);
    }
  else if (s->pp > 1)
    {
      if (stages == STAGES_ENDS)
        {
          flag (args, "--account-for-embedding-in-pipeline-split");
          flag (args, "--account-for-loss-in-pipeline-split");
        }
      if (s->vpp > 1)
        number (args, "--num-layers-per-virtual-pipeline-stage", layers / (s->pp * s->vpp));
    }
  number (args, "--context-parallel-size", s->cp);
  if (s->cp > 1)
    word (args, "--cp-comm-type", cp_types[s->cp_method]);
  if (problem->model.moe.experts > 0)
    {
      number (args, "--expert-model-parallel-size", s->ep);
      number (args, "--expert-tensor-parallel-size", s->etp);
      word (args, "--moe-token-dispatcher-type", backend != NULL ? "flex" : "alltoall");
      if (backend != NULL)
        {
          word (args, "--moe-flex-dispatcher-backend", backend);
          word (args, "--moe-router-dtype", "fp32"); /* which its kernels require */
        }
    }
  if (s->sequence_parallel)
    flag (args, "--sequence-parallel");

  if (s->zero_stage > 0)
    {
      flag (args, "--use-distributed-optimizer");
      if (s->shard_group < s->dp)
        number (args, "--num-distributed-optimizer-instances", s->dp / s->shard_group);
    }
  if (reduces_beside (job))
    {
      flag (args, "--overlap-grad-reduce");
      if (s->zero_stage > 0)
        flag (args, "--overlap-param-gather");
    }
  if (overlaps_tensor (job))
    flag (args, "--tp-comm-overlap");
  if (overlaps_experts (job))
    flag (args, "--overlap-moe-expert-parallel-comm");
  if (captures_routing (job))
    {
      word (args, "--cuda-graph-impl", "transformer_engine");
      flag (args, "--cuda-graph-modules");
      g_ptr_array_add (args, g_strdup ("moe_router"));
      g_ptr_array_add (args, g_strdup ("moe_preprocess"));
    }
  /* Without overlap, Megatron-LM requires more than two stages. */
  if (!overlap && s->vpp > 1 && s->pp > 2)
    flag (args, "--no-overlap-p2p-communication");
  number (args, "--distributed-timeout-minutes", 30);
}

/* The arguments of Megatron-LM that say how one step runs, and on what data. */

/* Adds batch, optimizer, precision, recomputation and offload. There is no accumulation argument:
   it is what is left of the global batch. */
static void
add_training (const ShardwiseExportJob *job, GPtrArray *args)
{
  const SwProblem *problem = &job->problem;
  const SwStrategy *strategy = &job->estimate.strategy;
  guint steps = shardwise_export_train_steps (problem);

  number (args, "--micro-batch-size", strategy->micro_batch);
  number (args, "--global-batch-size", shardwise_export_global_batch (job));
  number (args, "--train-iters", steps);
  number (args, "--lr-warmup-iters", MAX (steps / 10, 1));
  word (args, "--optimizer",
        problem->training.optimizer == SW_OPTIMIZER_SGD    ? "sgd"
        : problem->training.optimizer == SW_OPTIMIZER_MUON ? "muon"
                                                           : "adam");
  word (args, "--lr",
        problem->training.optimizer == SW_OPTIMIZER_SGD ? "0.1" : shardwise_export_rate (problem));
  word (args, "--min-lr",
        problem->training.optimizer == SW_OPTIMIZER_SGD  ? "0.01"
        : problem->training.type == SW_TRAINING_FINETUNE ? "1e-6"
                                                         : "1.5e-5");
  word (args, "--lr-decay-style", "cosine");
  word (args, "--weight-decay", "0.1");
  if (problem->training.optimizer == SW_OPTIMIZER_SGD)
    word (args, "--sgd-momentum", "0.9");
  else
    {
      word (args, "--adam-beta1", "0.9");
      word (args, "--adam-beta2", "0.95");
    }
  word (args, "--clip-grad", "1.0");
  flag (args, problem->training.precision == SW_PRECISION_FP16 ? "--fp16" : "--bf16");
  if (problem->training.precision == SW_PRECISION_FP8)
    {
      word (args, "--fp8-format", "hybrid");
      word (args, "--fp8-recipe", "tensorwise");
    }
  else if (problem->training.precision == SW_PRECISION_MXFP8)
    {
      word (args, "--fp8-format", "e4m3");
      word (args, "--fp8-recipe", "mxfp8");
    }
  else if (problem->training.precision == SW_PRECISION_NVFP4)
    {
      word (args, "--fp4-format", "e2m1");
      word (args, "--fp4-recipe", "nvfp4");
    }
  switch ((SwRecompute) strategy->recompute)
    {
    case SW_RECOMPUTE_SELECTIVE:
      word (args, "--recompute-granularity", "selective");
      if (strategy->recompute_modules == 0)
        break;
      flag (args, "--recompute-modules");
      for (guint i = 0; sw_recompute_module_names[i] != NULL; i++)
        if ((strategy->recompute_modules & (1u << i)) != 0)
          g_ptr_array_add (args, g_strdup (sw_recompute_module_names[i]));
      break;
    case SW_RECOMPUTE_FULL:
      word (args, "--recompute-granularity", "full");
      word (args, "--recompute-method", "uniform");
      number (args, "--recompute-num-layers", 1);
      break;
    case SW_RECOMPUTE_FULL_LAYERS: /* of each chunk of a stage */
      word (args, "--recompute-granularity", "full");
      word (args, "--recompute-method", "block");
      number (args, "--recompute-num-layers", strategy->full_layers / strategy->vpp);
      break;
    case SW_RECOMPUTE_NONE:
    default: break;
    }
  if (problem->training.gradient_bytes == 2)
    flag (args, "--grad-reduce-in-bf16");
  if (strategy->offload == SW_OFFLOAD_OPTIMIZER || problem->training.moment_bytes == 2)
    flag (args, "--use-precision-aware-optimizer"); /* which offloading goes through, too */
  if (problem->training.moment_bytes == 2)
    {
      word (args, "--exp-avg-dtype", "bf16");
      word (args, "--exp-avg-sq-dtype", "bf16");
    }
  if (strategy->offload == SW_OFFLOAD_OPTIMIZER)
    flag (args, "--optimizer-cpu-offload");
  else if (strategy->offload == SW_OFFLOAD_ACTIVATIONS)
    number (args, "--cpu-offloading-num-layers", problem->model.layers - 1);
  if (has_feature (job, SW_FEATURE_FUSED_CROSS_ENTROPY))
    flag (args, "--cross-entropy-loss-fusion");
  /* Attention is causal without one, which would be sequence x sequence for each sample. */
  flag (args, "--no-create-attention-mask-in-dataloader");
  word (args, "--attention-backend",
        problem->training.attention == SW_ATTENTION_UNFUSED                        ? "unfused"
        : problem->model.mla.kv_lora_rank > 0 || problem->model.sliding_window > 0 ? "auto"
                                                                                   : "flash");
}

/* Megatron-LM core 0.20.0: a launch script whose arguments are the whole job. */

#define PROGRAM "pretrain_gpt.py"

static void
launch_pretraining (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  GPtrArray *args;

  shardwise_launch_init (out, PROGRAM);
  shardwise_launch_limit_connections (out, job);
  add_model (&job->problem, shardwise_launch_add_group (out, "MODEL_ARGS"));
  add_parallel (job, shardwise_launch_add_group (out, "PARALLEL_ARGS"));
  add_training (job, shardwise_launch_add_group (out, "TRAIN_ARGS"));

  /* made-up data, and where checkpoints go */
  args = shardwise_launch_add_group (out, "DATA_ARGS");
  flag (args, "--mock-data");
  word (args, "--tokenizer-type", "NullTokenizer");
  word (args, "--split", "99,1,0");
  number (args, "--log-interval", 1);
  number (args, "--eval-iters", 0);
  number (args, "--save-interval", 1000);
  word (args, "--save", "checkpoints");
  word (args, "--ckpt-format", "torch_dist");
  if (job->problem.training.type == SW_TRAINING_FINETUNE)
    {
      flag (args, "--finetune");
      word (args, "--load", "pretrained");
    }
}

static void
write_script (ShardwiseExportJob *job)
{
  GString *text = g_string_new ("#!/bin/bash\n");
  const SwModelSpec *model = &job->problem.model;
  g_auto (ShardwiseLaunch) command = { 0 };

  shardwise_export_note_source (job, PROGRAM);
  /* what the architecture's dimensions do not say */
  if (model->position == SW_POSITION_ROPE)
    shardwise_export_note (job, SHARDWISE_NOTE_COMPARE,
                           _ ("Base and scaling of the rotary positions and epsilon of the norm: "
                              "compare them with the model’s own."));
  if (model->gated_mlp)
    shardwise_export_note (job, SHARDWISE_NOTE_OTHERWISE,
                           _ ("Activation of the gated MLP: SwiGLU is written."));
  if (model->moe.experts > 0)
    shardwise_export_note (
        job, SHARDWISE_NOTE_STARTING_POINT,
        _ ("Load balancing of the experts: the weight of its loss is a common starting point."));
  if (model->mla.kv_lora_rank > 0)
    shardwise_export_note (job, SHARDWISE_NOTE_COMPARE,
                           _ ("Scaling of the rotary positions of latent attention: Megatron-LM’s "
                              "defaults are used."));
  shardwise_export_note (job, SHARDWISE_NOTE_MADE_UP_DATA,
                         _ ("Data and tokenizer: the script trains on generated tokens."));
  note_dispatcher (job);
  shardwise_export_note_software (job, switched_on (job) | SHARDWISE_FEATURE (DP_OVERLAP)
                                           | SHARDWISE_FEATURE (FUSED_CROSS_ENTROPY));
  shardwise_export_note_common (job);

  launch_pretraining (job, &command);
  shardwise_export_append_header (job, text);
  shardwise_launch_append_script (&command, job, text);
  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static const ShardwiseFormatPin narrow[] = {
  { SHARDWISE_KEY_STRATEGY_SCHEDULE, "1f1b", FALSE },
  { SHARDWISE_KEY_STRATEGY_VPP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, "none", FALSE },
  { SHARDWISE_KEY_NONE, NULL, FALSE },
};

const ShardwiseFormatWriter shardwise_megatron_writer = {
  .rules = megatron_rules,
  .n_rules = G_N_ELEMENTS (megatron_rules),
  .narrow = narrow,
  .write = write_script,
  .launch = launch_pretraining,
};

/* Megatron-Bridge 0.7.0, and NeMo 2 before it: Python that changes one of their recipes. Bridge's
 * cfg.model refuses unknown attributes, the other sections take any: each name here is a field of
 * the dataclasses. Only values computed here enter the text, never a string of the user outside the
 * comments. */

static const ShardwiseRecipe recipes[] = {
  { "llama-2-7b", "llama.llama2", "llama2_7b_pretrain_config", "llama2_7b" },
  { "llama-3-8b", "llama.llama3", "llama3_8b_pretrain_config", "llama3_8b" },
  { "llama-3-70b", "llama.llama3", "llama3_70b_pretrain_config", "llama3_70b" },
  { "llama-3.1-8b", "llama.llama3", "llama31_8b_pretrain_config", "llama31_8b" },
  { "llama-3.1-70b", "llama.llama3", "llama31_70b_pretrain_config", "llama31_70b" },
  { "llama-3.3-70b", "llama.llama3", "llama31_70b_pretrain_config", "llama31_70b" },
  { "llama-3.1-405b", "llama.llama3", "llama31_405b_pretrain_config", "llama31_405b" },
  { "llama-3.2-1b", "llama.llama3", "llama32_1b_pretrain_config", "llama32_1b" },
  { "llama-3.2-3b", "llama.llama3", "llama32_3b_pretrain_config", "llama32_3b" },
  { "qwen2-0.5b", "qwen.qwen2", "qwen2_500m_pretrain_config", "qwen2_500m" },
  { "qwen2-1.5b", "qwen.qwen2", "qwen2_1p5b_pretrain_config", "qwen2_1p5b" },
  { "qwen2-7b", "qwen.qwen2", "qwen2_7b_pretrain_config", "qwen2_7b" },
  { "qwen2-72b", "qwen.qwen2", "qwen2_72b_pretrain_config", "qwen2_72b" },
  { "qwen2.5-0.5b", "qwen.qwen2", "qwen25_500m_pretrain_config", "qwen25_500m" },
  { "qwen2.5-1.5b", "qwen.qwen2", "qwen25_1p5b_pretrain_config", "qwen25_1p5b" },
  { "qwen2.5-7b", "qwen.qwen2", "qwen25_7b_pretrain_config", "qwen25_7b" },
  { "qwen2.5-14b", "qwen.qwen2", "qwen25_14b_pretrain_config", "qwen25_14b" },
  { "qwen2.5-32b", "qwen.qwen2", "qwen25_32b_pretrain_config", "qwen25_32b" },
  { "qwen2.5-72b", "qwen.qwen2", "qwen25_72b_pretrain_config", "qwen25_72b" },
  { "qwen3-0.6b", "qwen.qwen3", "qwen3_600m_pretrain_config", "qwen3_600m" },
  { "qwen3-1.7b", "qwen.qwen3", "qwen3_1p7b_pretrain_config", "qwen3_1p7b" },
  { "qwen3-4b", "qwen.qwen3", "qwen3_4b_pretrain_config", "qwen3_4b" },
  { "qwen3-8b", "qwen.qwen3", "qwen3_8b_pretrain_config", "qwen3_8b" },
  { "qwen3-14b", "qwen.qwen3", "qwen3_14b_pretrain_config", "qwen3_14b" },
  { "qwen3-32b", "qwen.qwen3", "qwen3_32b_pretrain_config", "qwen3_32b" },
  { "qwen3-30b-a3b", "qwen.qwen3_moe", "qwen3_30b_a3b_pretrain_config", "qwen3_30b_a3b" },
  { "qwen3-235b-a22b", "qwen.qwen3_moe", "qwen3_235b_a22b_pretrain_config", "qwen3_235b_a22b" },
  { "deepseek-v2-lite", "deepseek.deepseek_v2", "deepseek_v2_lite_pretrain_config",
    "deepseek_v2_lite" },
  { "deepseek-v2", "deepseek.deepseek_v2", "deepseek_v2_pretrain_config", "deepseek_v2" },
  { "deepseek-v3", "deepseek.deepseek_v3", "deepseek_v3_pretrain_config", "deepseek_v3" },
  { "moonlight-16b-a3b", "moonlight.moonlight_16b", "moonlight_16b_pretrain_config", NULL },
  { "kimi-k2", "kimi.kimi_k2", "kimi_k2_pretrain_config", NULL, TRUE },
  { "olmoe-7b-a1b", "olmoe.olmoe_7b", "olmoe_7b_pretrain_config", NULL },
  { "glm-4.5-355b-a32b", "glm.glm45", "glm45_355b_pretrain_config", NULL },
  { "glm-4.5-air-106b-a12b", "glm.glm45", "glm45_air_106b_pretrain_config", NULL },
  { "gpt-oss-20b", "gpt_oss.gpt_oss", "gpt_oss_20b_pretrain_config", NULL },
  { "gpt-oss-120b", "gpt_oss.gpt_oss", "gpt_oss_120b_pretrain_config", NULL },
  { "gpt3-175b", "gpt.gpt3_175b", "gpt3_175b_pretrain_config", "gpt3_175b" },
  { "gemma-2-2b", "gemma.gemma2", "gemma2_2b_pretrain_config", "gemma2_2b" },
  { "gemma-2-9b", "gemma.gemma2", "gemma2_9b_pretrain_config", "gemma2_9b" },
  { "gemma-2-27b", "gemma.gemma2", "gemma2_27b_pretrain_config", "gemma2_27b" },
  { "llama-4-scout", NULL, NULL, "llama4_e16" },
  { "llama-4-maverick", NULL, NULL, "llama4_e128" },
  { "mistral-nemo-12b", NULL, NULL, "mistral_nemo_12b" },
  { "mixtral-8x7b", NULL, NULL, "mixtral_8x7b" },
  { "mixtral-8x22b", NULL, NULL, "mixtral_8x22b" },
  { "nemotron-4-15b", NULL, NULL, "nemotron4_15b" },
  { "nemotron-4-340b", NULL, NULL, "nemotron4_340b" },
  { "starcoder2-3b", NULL, NULL, "starcoder2_3b" },
  { "starcoder2-7b", NULL, NULL, "starcoder2_7b" },
  { "starcoder2-15b", NULL, NULL, "starcoder2_15b" },
};

/* What the names of its functions end with. */
#define PRETRAINS "pretrain_config"
#define TUNES "sft_config"
#define ADAPTS "peft_config"

static const ShardwiseRecipe *
find_recipe (const SwProblem *problem)
{
  for (guint i = 0; i < G_N_ELEMENTS (recipes); i++)
    if (g_str_equal (recipes[i].id, problem->model.id))
      return &recipes[i];

  return NULL;
}

/**
 * shardwise_recipe_find:
 * @name: a function of Megatron-Bridge, "llama3_70b_pretrain_config" and longer names of the same
 *   model, or a module of NeMo, "llama3_70b"
 *
 * Returns: (transfer none) (nullable): the recipe
 */
const ShardwiseRecipe *
shardwise_recipe_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (recipes); i++)
    {
      const char *recipe = recipes[i].recipe;

      if ((recipe != NULL && strncmp (recipe, name, strlen (recipe) - strlen ("config")) == 0)
          || g_strcmp0 (recipes[i].nemo, name) == 0)
        return &recipes[i];
    }
  return NULL;
}

static gboolean
no_recipe (const SwProblem *problem, const SwStrategy *s)
{
  const ShardwiseRecipe *recipe = find_recipe (problem);

  return recipe == NULL || recipe->recipe == NULL;
}

static gboolean
no_nemo_recipe (const SwProblem *problem, const SwStrategy *s)
{
  const ShardwiseRecipe *recipe = find_recipe (problem);

  return recipe == NULL || recipe->nemo == NULL;
}

/* Whether Megatron-Bridge tunes no such model, or not that way. */
static gboolean
untuned (const SwProblem *problem, const SwStrategy *s)
{
  static const char *const pretrained_only[] = { "llama-2", "deepseek", "kimi", "gpt3" };

  if (problem->training.type == SW_TRAINING_PRETRAIN)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (pretrained_only); i++)
    if (g_str_has_prefix (problem->model.id, pretrained_only[i]))
      return TRUE;
  return problem->training.type != SW_TRAINING_FINETUNE
         && problem->training.type != SW_TRAINING_LORA;
}

static gboolean
fine_tuning (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.type != SW_TRAINING_PRETRAIN;
}

static gboolean
other_moments (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.moment_bytes == 2;
}

static const ShardwiseFormatRule recipe_rules[] = {
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, 0, sw_rule_is_not_adamw,
    N_ ("The recipe supports Adam only") },
  { SHARDWISE_KEY_TRAINING_STATES_MOMENTS, 0, other_moments,
    N_ ("The recipe supports fp32 moments only") },
  { SHARDWISE_KEY_TRAINING_PRECISION, 0, sw_rule_is_not_bf16,
    N_ ("The recipe’s precision is bf16; separate recipes exist for 8-bit training") },
};

static const ShardwiseFormatRule bridge_rules[] = {
  { SHARDWISE_KEY_TRAINING_TYPE, 0, untuned,
    N_ ("Recipes for fine-tuning and LoRA exist for most models, but not for Llama 2, DeepSeek, "
        "Kimi K2 and GPT-3; there are no recipes for QLoRA and RLHF") },
  { SHARDWISE_KEY_NONE, 0, no_recipe,
    N_ ("Megatron-Bridge has recipes for Llama 2 and 3, Qwen2 to Qwen3, Gemma 2, DeepSeek V2 and "
        "V3, Moonlight, Kimi K2, OLMoE, GLM-4.5, gpt-oss and GPT-3, each in its published sizes"),
    "model" },
};

static const ShardwiseFormatRule nemo_rules[] = {
  { SHARDWISE_KEY_TRAINING_TYPE, 0, fine_tuning,
    N_ ("This is a pre-training recipe; Megatron-Bridge has recipes for fine-tuning and LoRA") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD), sw_rule_offloads,
    N_ ("Shardwise writes NeMo 2’s recipes without offload") },
  { SHARDWISE_KEY_NONE, 0, no_nemo_recipe,
    N_ ("Shardwise writes NeMo 2’s recipes of Llama 2 to 4, Qwen2 to Qwen3, Gemma 2, Mistral NeMo, "
        "Mixtral, Nemotron-4, StarCoder2, DeepSeek V2 and V3 and GPT-3, each in its published "
        "sizes"),
    "model" },
};

static void
set_word (GString *text, const char *target, const char *name, const char *value)
{
  g_string_append_printf (text, "    %s.%s = %s\n", target, name, value);
}

static void
set_number (GString *text, const char *target, const char *name, guint value)
{
  g_string_append_printf (text, "    %s.%s = %u\n", target, name, value);
}

static const char *
python_bool (gboolean value)
{
  return value ? "True" : "False";
}

static void
set_bool (GString *text, const char *target, const char *name, gboolean value)
{
  set_word (text, target, name, python_bool (value));
}

/* The layers of each stage; some recipes bring a split of their own. */
static void
append_split (const ShardwiseExportJob *job, const char *target, GString *text)
{
  const SwStrategy *s = &job->estimate.strategy;
  Stages stages = stage_kind (&job->problem, s);

  set_word (text, target, "num_layers_in_first_pipeline_stage", "None");
  set_word (text, target, "num_layers_in_last_pipeline_stage", "None");
  set_bool (text, target, "account_for_embedding_in_pipeline_split",
            s->pp > 1 && stages == STAGES_ENDS);
  set_bool (text, target, "account_for_loss_in_pipeline_split", s->pp > 1 && stages == STAGES_ENDS);
  if (s->pp > 1 && stages == STAGES_LAYOUT)
    {
      g_autofree char *layout = stage_layout (&job->problem, s);

      g_string_append_printf (text, "    %s.pipeline_model_parallel_layout = \"%s\"\n", target,
                              layout);
    }
  else
    set_word (text, target, "pipeline_model_parallel_layout", "None");
}

static void
append_parallelism (const ShardwiseExportJob *job, const char *target, const char *model,
                    GString *text)
{
  static const char *const cp_types[] = { "\"p2p\"", "\"all_gather\"", "\"a2a\"" };
  const SwStrategy *s = &job->estimate.strategy;

  set_number (text, target, "tensor_model_parallel_size", s->tp);
  set_number (text, target, "pipeline_model_parallel_size", s->pp);
  if (s->vpp > 1)
    set_number (text, target, "virtual_pipeline_model_parallel_size", s->vpp);
  else
    set_word (text, target, "virtual_pipeline_model_parallel_size", "None");
  set_word (text, target, "pipeline_dtype", s->pp > 1 ? "torch.bfloat16" : "None");
  set_number (text, target, "context_parallel_size", s->cp);
  if (s->cp > 1)
    set_word (text, model, "cp_comm_type", cp_types[s->cp_method]);
  set_bool (text, target, "sequence_parallel", s->sequence_parallel);
  if (job->problem.model.moe.experts == 0)
    return;

  set_number (text, target, "expert_model_parallel_size", s->ep);
  set_number (text, target, "expert_tensor_parallel_size", s->etp);
}

static void
append_recompute (const SwStrategy *s, const char *target, GString *text)
{
  const char *before = "";

  switch ((SwRecompute) s->recompute)
    {
    case SW_RECOMPUTE_SELECTIVE:
      set_word (text, target, "recompute_granularity", "\"selective\"");
      set_word (text, target, "recompute_method", "None");
      set_word (text, target, "recompute_num_layers", "None");
      if (s->recompute_modules == 0)
        {
          set_word (text, target, "recompute_modules", "[\"core_attn\"]");
          break;
        }
      g_string_append_printf (text, "    %s.recompute_modules = [", target);
      for (guint i = 0; sw_recompute_module_names[i] != NULL; i++)
        if ((s->recompute_modules & (1u << i)) != 0)
          {
            g_string_append_printf (text, "%s\"%s\"", before, sw_recompute_module_names[i]);
            before = ", ";
          }
      g_string_append (text, "]\n");
      break;
    case SW_RECOMPUTE_FULL:
    case SW_RECOMPUTE_FULL_LAYERS:
      set_word (text, target, "recompute_granularity", "\"full\"");
      set_word (text, target, "recompute_method",
                s->recompute == SW_RECOMPUTE_FULL ? "\"uniform\"" : "\"block\"");
      set_number (text, target, "recompute_num_layers",
                  s->recompute == SW_RECOMPUTE_FULL ? 1 : s->full_layers / s->vpp);
      break;
    case SW_RECOMPUTE_NONE:
    default:
      set_word (text, target, "recompute_granularity", "None");
      set_word (text, target, "recompute_method", "None");
      set_word (text, target, "recompute_num_layers", "None");
      break;
    }
}

static void
append_sharding (const ShardwiseExportJob *job, const char *target, const char *instances,
                 GString *text)
{
  const SwStrategy *s = &job->estimate.strategy;
  const gboolean overlap = reduces_beside (job);

  set_bool (text, target, "use_distributed_optimizer", s->zero_stage > 0);
  set_bool (text, target, "overlap_grad_reduce", overlap);
  set_bool (text, target, "overlap_param_gather", overlap && s->zero_stage > 0);
  if (s->zero_stage > 0 && s->shard_group < s->dp)
    set_number (text, instances, "num_distributed_optimizer_instances", s->dp / s->shard_group);
}

#define ADAM "distributed_fused_adam_with_cosine_annealing"

/* Communication that overlaps, dispatcher and CUDA graphs of a recipe, which may bring others. */
static void
append_software (const ShardwiseExportJob *job, GString *text)
{
  const char *backend = dispatcher (job);
  const gboolean overlaps = reduces_beside (job), captures = captures_routing (job);

  g_string_append_printf (text,
                          "    cfg.comm_overlap = CommOverlapConfig(\n"
                          "        tp_comm_overlap=%s, overlap_grad_reduce=%s, "
                          "overlap_param_gather=%s,\n"
                          "        overlap_moe_expert_parallel_comm=%s)\n",
                          python_bool (overlaps_tensor (job)), python_bool (overlaps),
                          python_bool (overlaps && job->estimate.strategy.zero_stage > 0),
                          python_bool (overlaps_experts (job)));
  if (job->problem.model.moe.experts == 0)
    return;

  set_word (text, "cfg.model", "moe_token_dispatcher_type",
            backend != NULL ? "\"flex\"" : "\"alltoall\"");
  if (backend != NULL)
    g_string_append_printf (text,
                            "    cfg.model.moe_flex_dispatcher_backend = \"%s\"\n"
                            "    cfg.model.moe_router_dtype = \"fp32\"\n",
                            backend);
  else
    set_word (text, "cfg.model", "moe_flex_dispatcher_backend", "None");
  set_bool (text, "cfg.model", "moe_shared_expert_overlap", FALSE);
  set_word (text, "cfg.model", "cuda_graph_impl", captures ? "\"transformer_engine\"" : "\"none\"");
  set_word (text, "cfg.model", "cuda_graph_scope",
            captures ? "[\"moe_router\", \"moe_preprocess\"]" : "[]");
  if (captures)
    {
      set_bool (text, "cfg.model", "use_te_rng_tracker", TRUE);
      set_bool (text, "cfg.rng", "te_rng_tracker", TRUE);
    }
}

static void
add_notes (ShardwiseExportJob *job, guint written)
{
  shardwise_export_note (job, SHARDWISE_NOTE_OWN_WAY,
                         _ ("Model: the recipe takes its dimensions from Hugging Face."));
  shardwise_export_note (job, SHARDWISE_NOTE_MADE_UP_DATA,
                         _ ("Data: the recipe trains on generated tokens."));
  if (job->problem.training.attention == SW_ATTENTION_UNFUSED)
    shardwise_export_note (job, SHARDWISE_NOTE_OTHERWISE,
                           _ ("Unfused attention: the recipe’s own attention is kept."));
  shardwise_export_note_software (job, written | SHARDWISE_FEATURE (DP_OVERLAP));
  shardwise_export_note_common (job);
}

static void
write_bridge (ShardwiseExportJob *job)
{
  const ShardwiseRecipe *recipe = find_recipe (&job->problem);
  GString *text = g_string_new (NULL);
  const SwStrategy *s = &job->estimate.strategy;
  guint steps = shardwise_export_train_steps (&job->problem);
  /* Some recipes keep gradients or moments in 16 bits, or have Muon, which runs without the
   * distributed optimizer: none of that is predicted. */
  static const char *const kept[] = { "main_grads_dtype", "main_params_dtype", "exp_avg_dtype",
                                      "exp_avg_sq_dtype" };
  const gboolean offload = job->estimate.strategy.offload == SW_OFFLOAD_OPTIMIZER,
                 adapts = shardwise_export_has_adapters (&job->problem),
                 tunes = job->problem.training.type != SW_TRAINING_PRETRAIN;
  g_autofree char *stem = g_strndup (recipe->recipe, strlen (recipe->recipe) - strlen (PRETRAINS)),
                  *function = g_strconcat (stem,
                                           adapts  ? ADAPTS
                                           : tunes ? TUNES
                                                   : PRETRAINS,
                                           NULL);

  note_dispatcher (job);
  add_notes (job, switched_on (job));
  shardwise_export_append_header (job, text);
  g_string_append_printf (
      text,
      "import os\n\n"
      "import torch\n"
      "from megatron.bridge.recipes.%s import %s\n"
      "%s"
      "%s"
      "from megatron.bridge.training.comm_overlap import CommOverlapConfig\n"
      "from megatron.bridge.training.config import ConfigContainer\n"
      "%s"
      "from megatron.bridge.training.gpt_step import forward_step\n"
      "%s"
      "\nWORLD_SIZE = %u\n"
      "%s"
      "\n\ndef build() -> ConfigContainer:\n"
      "    cfg = %s()\n",
      recipe->module, function,
      tunes ? "from megatron.bridge.recipes.utils.dataset_utils import default_squad_config\n" : "",
      recipe->by_muon ? "from megatron.bridge.recipes.utils.optimizer_utils import " ADAM "\n" : "",
      tunes ? "from megatron.bridge.training.finetune import finetune\n" : "",
      tunes ? "" : "from megatron.bridge.training.pretrain import pretrain\n",
      shardwise_export_gpus (job),
      tunes ? "CHECKPOINT = \"checkpoint\"  # the model's, which AutoBridge.import_ckpt() makes of "
              "Hugging Face's\n"
            : "",
      function);
  if (tunes) /* packed sequences come one a micro-batch */
    g_string_append_printf (
        text,
        "    cfg.checkpoint.pretrained_checkpoint = CHECKPOINT\n"
        "    cfg.dataset = default_squad_config(  # your data set in its place\n"
        "        seq_length=%u, enable_offline_packing=%s, pad_seq_to_mult=%u)\n",
        job->problem.training.sequence_length, s->micro_batch == 1 ? "True" : "False",
        s->cp > 1 ? 2 * s->cp : 1);
  if (adapts)
    {
      set_number (text, "cfg.peft", "dim", job->problem.training.lora_rank);
      set_number (text, "cfg.peft", "alpha", 2 * job->problem.training.lora_rank);
      if (!job->problem.training.lora_all_linear)
        set_word (text, "cfg.peft", "target_modules", "[\"linear_qkv\", \"linear_proj\"]");
    }

  append_parallelism (job, "cfg.model", "cfg.model", text);
  append_split (job, "cfg.model", text);
  append_recompute (s, "cfg.model", text);
  set_number (text, "cfg.model", "seq_length", job->problem.training.sequence_length);
  set_number (text, "cfg.dataset", "seq_length", job->problem.training.sequence_length);
  set_number (text, "cfg.train", "micro_batch_size", s->micro_batch);
  set_number (text, "cfg.train", "global_batch_size", shardwise_export_global_batch (job));
  set_number (text, "cfg.train", "train_iters", steps);

  set_word (text, "cfg", "mixed_precision", "\"bf16_mixed\"");
  if (find_recipe (&job->problem)->by_muon)
    g_string_append (text, "    cfg.optimizer, cfg.scheduler = " ADAM "()\n");
  set_bool (text, "cfg.optimizer", "use_precision_aware_optimizer", offload);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    set_word (text, "cfg.optimizer", kept[i], "torch.float32");
  if (offload)
    set_bool (text, "cfg.optimizer", "optimizer_cpu_offload", TRUE);
  set_number (text, "cfg.scheduler", "lr_warmup_iters", MAX (steps / 10, 1));
  append_sharding (job, "cfg.ddp", "cfg.ddp", text);
  append_software (job, text);
  if (s->offload == SW_OFFLOAD_ACTIVATIONS)
    {
      set_bool (text, "cfg.model", "cpu_offloading", TRUE);
      set_number (text, "cfg.model", "cpu_offloading_num_layers", job->problem.model.layers - 1);
    }
  g_string_append (text, "    return cfg\n\n\n"
                         "if __name__ == \"__main__\":\n"
                         "    if int(os.environ.get(\"WORLD_SIZE\", WORLD_SIZE)) != WORLD_SIZE:\n"
                         "        raise RuntimeError(f\"this strategy is for {WORLD_SIZE} GPUs\")\n"
                         "    ");
  g_string_append_printf (text, "%s(config=build(), forward_step_func=forward_step)\n",
                          tunes ? "finetune" : "pretrain");
  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static void
write_nemo (ShardwiseExportJob *job)
{
  const ShardwiseRecipe *recipe = find_recipe (&job->problem);
  guint per_node = shardwise_export_gpus_per_node (job);
  GString *text = g_string_new (NULL);
  const SwStrategy *s = &job->estimate.strategy;

  shardwise_export_note (
      job, SHARDWISE_NOTE_OWN_WAY,
      _ ("NeMo 2’s recipes have moved to Megatron-Bridge: use Megatron-Bridge for new work."));
  add_notes (job, SHARDWISE_CORE_OPTIONS & ~job->problem.training.software.on);
  shardwise_export_append_header (job, text);
  g_string_append_printf (text,
                          "import nemo_run as run\n"
                          "import torch\n"
                          "from nemo.collections import llm\n"
                          "\n\ndef build():\n"
                          "    recipe = llm.%s.pretrain_recipe(name=\"shardwise\", num_nodes=%u, "
                          "num_gpus_per_node=%u)\n"
                          "    strategy = recipe.trainer.strategy\n",
                          recipe->nemo, shardwise_export_nodes (job), per_node);

  append_parallelism (job, "strategy", "recipe.model.config", text);
  append_split (job, "strategy", text);
  append_recompute (s, "recipe.model.config", text);
  append_sharding (job, "strategy.ddp", "strategy", text);
  set_number (text, "recipe.data", "micro_batch_size", s->micro_batch);
  set_number (text, "recipe.data", "global_batch_size", shardwise_export_global_batch (job));
  set_number (text, "recipe.data", "seq_length", job->problem.training.sequence_length);
  set_number (text, "recipe.trainer", "max_steps", shardwise_export_train_steps (&job->problem));
  g_string_append (text, "    return recipe\n\n\n"
                         "if __name__ == \"__main__\":\n"
                         "    run.run(build(), direct=True)  # in each process that torchrun "
                         "has started\n");
  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static void
launch_recipe (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, job->info->file_name);
  shardwise_launch_limit_connections (out, job);
}

/* What Megatron-Core itself refuses; the models are the recipes'. */
static const ShardwiseFormatWriter core = {
  .rules = megatron_rules,
  .n_rules = N_STRATEGY_RULES,
};
static const ShardwiseFormatWriter recipe_base = {
  .rules = recipe_rules,
  .n_rules = G_N_ELEMENTS (recipe_rules),
  .base = &core,
};

const ShardwiseFormatWriter shardwise_bridge_writer = {
  .rules = bridge_rules,
  .n_rules = G_N_ELEMENTS (bridge_rules),
  .base = &recipe_base,
  .narrow = narrow,
  .write = write_bridge,
  .launch = launch_recipe,
};

/* The legacy recipes say less: no offload, and none of what Megatron-Core came to. */
static void
adapt_to_nemo (ShardwiseExportJob *job, SwStrategy *strategy)
{
  shardwise_export_lack (job, SHARDWISE_CORE_OPTIONS);
}

const ShardwiseFormatWriter shardwise_nemo_writer = {
  .rules = nemo_rules,
  .n_rules = G_N_ELEMENTS (nemo_rules),
  .base = &recipe_base,
  .narrow = narrow,
  .adapt = adapt_to_nemo,
  .write = write_nemo,
  .launch = launch_recipe,
};
