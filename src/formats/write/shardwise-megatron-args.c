/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-megatron.h"

#include "sw-split.h"

/* The arguments of Megatron-LM (core 0.20.0): the model and how it is split. Options are those of
 * megatron/training/arguments.py and of the dataclasses that it makes arguments of. */

#define flag shardwise_args_flag
#define word shardwise_args_word
#define number shardwise_args_int

/**
 * shardwise_megatron_stages:
 * @problem: the question
 * @strategy: a strategy
 *
 * Returns: how the layers of each pipeline stage are said
 */
ShardwiseMegatronStages
shardwise_megatron_stages (const SwProblem *problem, const SwStrategy *strategy)
{
  guint chunks = strategy->pp * strategy->vpp, layers = problem->model.layers;

  if (layers % chunks == 0)
    return SHARDWISE_STAGES_EVEN;

  return strategy->pp > 2 && layers % strategy->pp != 0 && (layers + 2) % chunks == 0
             ? SHARDWISE_STAGES_ENDS
             : SHARDWISE_STAGES_LAYOUT;
}

/**
 * shardwise_megatron_layout:
 * @problem: the question
 * @strategy: a strategy
 *
 * Returns: (transfer full): its stages as --pipeline-model-parallel-layout takes them, "Et*3|t*4L":
 * embedding, transformer layers, multi-token-prediction layers, loss; first the first virtual
 * stages of all
 */
char *
shardwise_megatron_layout (const SwProblem *problem, const SwStrategy *strategy)
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

/* Which layers have experts, as --moe-layer-freq takes it; NULL where all have. */
static char *
moe_layers (const SwModelSpec *model)
{
  guint first = model->moe.first_dense_layers, every = MAX (model->moe.layer_frequency, 1);
  guint groups = (model->layers - MIN (first, model->layers)) / every;
  guint rest = model->layers - MIN (first, model->layers) - groups * every;
  GString *pattern;

  if (first == 0 && every == 1)
    return NULL;

  pattern = g_string_new ("(");
  if (first > 0)
    g_string_append_printf (pattern, "[0]*%u+", first);
  if (every == 1)
    g_string_append_printf (pattern, "[1]*%u", groups);
  else
    g_string_append_printf (pattern, "([0]*%u+[1]*1)*%u", every - 1, groups);
  if (rest > 0)
    g_string_append_printf (pattern, "+[0]*%u", rest);
  g_string_append_c (pattern, ')');

  return g_string_free (pattern, FALSE);
}

/**
 * shardwise_megatron_needs_one_connection:
 * @problem: the question
 * @strategy: a strategy
 *
 * Returns: whether Megatron-LM refuses to start without CUDA_DEVICE_MAX_CONNECTIONS=1: with TP or
 * CP on GPUs whose architecture is numbered below 10 (Blackwell), AMD's among them: gfx942 is 9.4
 */
gboolean
shardwise_megatron_needs_one_connection (const SwProblem *problem, const SwStrategy *strategy)
{
  return (strategy->tp > 1 || strategy->cp > 1)
         && problem->cluster.gpu.generation != SW_GENERATION_BLACKWELL
         && problem->cluster.gpu.generation != SW_GENERATION_RUBIN;
}

static void
add_latent_attention (const SwMla *mla, GPtrArray *args)
{
  flag (args, "--multi-latent-attention");
  flag (args, "--qk-layernorm"); /* of the compressed queries, keys and values */
  if (mla->q_lora_rank > 0)
    number (args, "--q-lora-rank", mla->q_lora_rank);
  number (args, "--kv-lora-rank", mla->kv_lora_rank);
  number (args, "--qk-head-dim", mla->qk_nope_head_dim);
  number (args, "--qk-pos-emb-head-dim", mla->qk_rope_head_dim);
  number (args, "--v-head-dim", mla->v_head_dim);
}

static void
add_attention (const SwModelSpec *model, GPtrArray *args)
{
  number (args, "--num-attention-heads", model->attention_heads);
  if (model->mla.kv_lora_rank > 0)
    {
      add_latent_attention (&model->mla, args);
      return;
    }
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

static void
add_window (const SwModelSpec *model, GPtrArray *args)
{
  g_autofree char *size = NULL;

  if (model->sliding_window == 0)
    return;

  size = g_strdup_printf ("%u,0", model->sliding_window);
  word (args, "--window-size", size);
  if (model->window_pattern != SW_WINDOW_ALL)
    word (args, "--window-attn-skip-freq",
          model->window_pattern == SW_WINDOW_EVERY_SECOND ? "2" : "6");
}

static void
add_positions (const SwModelSpec *model, GPtrArray *args)
{
  word (args, "--position-embedding-type",
        model->position == SW_POSITION_ROPE      ? "rope"
        : model->position == SW_POSITION_LEARNED ? "learned_absolute"
                                                 : "none");
  if (model->position == SW_POSITION_ROPE)
    number (args, "--rotary-base", shardwise_export_rope_base (model));
}

static void
add_layers (const SwModelSpec *model, GPtrArray *args)
{
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
}

static void
add_experts (const SwModelSpec *model, GPtrArray *args)
{
  const SwMoe *moe = &model->moe;
  g_autofree char *layers = moe_layers (model);

  number (args, "--num-experts", moe->experts);
  number (args, "--moe-router-topk", moe->top_k);
  number (args, "--moe-ffn-hidden-size", moe->intermediate_size);
  if (moe->shared_intermediate_size > 0)
    number (args, "--moe-shared-expert-intermediate-size", moe->shared_intermediate_size);
  if (moe->shared_gate)
    flag (args, "--moe-shared-expert-gate");
  if (layers != NULL)
    word (args, "--moe-layer-freq", layers);
  if (moe->router_bias)
    {
      word (args, "--moe-router-score-function", "sigmoid");
      flag (args, "--moe-router-enable-expert-bias");
    }
  else if (moe->top_k == 1) /* a softmax over the one that was chosen has no gradient */
    {
      flag (args, "--moe-router-pre-softmax");
    }
  flag (args, "--moe-grouped-gemm");
  word (args, "--moe-token-dispatcher-type", "alltoall");
  word (args, "--moe-router-load-balancing-type", "aux_loss");
  word (args, "--moe-aux-loss-coeff", "1e-2");
}

/**
 * shardwise_megatron_add_model:
 * @problem: the question
 * @args: where to add to
 *
 * Adds the architecture.
 */
void
shardwise_megatron_add_model (const SwProblem *problem, GPtrArray *args)
{
  const SwModelSpec *model = &problem->model;
  guint sequence = problem->training.sequence_length;

  number (args, "--num-layers", model->layers);
  number (args, "--hidden-size", model->hidden_size);
  number (args, "--ffn-hidden-size",
          model->intermediate_size > 0 ? model->intermediate_size : model->moe.intermediate_size);
  add_attention (model, args);
  add_window (model, args);
  number (args, "--seq-length", sequence);
  number (args, "--max-position-embeddings", MAX (model->max_position_embeddings, sequence));
  add_positions (model, args);
  add_layers (model, args);
  if (model->moe.experts > 0)
    add_experts (model, args);
  if (model->mtp_layers > 0)
    number (args, "--mtp-num-layers", model->mtp_layers);
  number (args, "--vocab-size", model->vocab_size);
  number (args, "--make-vocab-size-divisible-by", 128);
  word (args, "--init-method-std", "0.02");
}

static void
add_stages (const SwProblem *problem, const SwStrategy *s, GPtrArray *args)
{
  ShardwiseMegatronStages stages = shardwise_megatron_stages (problem, s);
  guint layers = problem->model.layers + (stages == SHARDWISE_STAGES_ENDS ? 2 : 0);

  if (s->pp == 1)
    return;
  if (stages == SHARDWISE_STAGES_LAYOUT)
    {
      g_autofree char *layout = shardwise_megatron_layout (problem, s);

      word (args, "--pipeline-model-parallel-layout", layout);
      return;
    }
  if (stages == SHARDWISE_STAGES_ENDS)
    {
      flag (args, "--account-for-embedding-in-pipeline-split");
      flag (args, "--account-for-loss-in-pipeline-split");
    }
  if (s->vpp > 1)
    number (args, "--num-layers-per-virtual-pipeline-stage", layers / (s->pp * s->vpp));
}

static void
add_sharding (const SwProblem *problem, const SwStrategy *s, GPtrArray *args)
{
  gboolean overlap = problem->training.overlap != SW_OVERLAP_NONE;

  if (s->zero_stage > 0)
    {
      flag (args, "--use-distributed-optimizer");
      if (s->shard_group < s->dp)
        number (args, "--num-distributed-optimizer-instances", s->dp / s->shard_group);
    }
  if (!overlap)
    {
      /* Megatron-LM wants more than two stages to send between without overlap. */
      if (s->vpp > 1 && s->pp > 2)
        flag (args, "--no-overlap-p2p-communication");
      return;
    }
  flag (args, "--overlap-grad-reduce");
  if (s->zero_stage > 0)
    flag (args, "--overlap-param-gather");
}

/**
 * shardwise_megatron_add_parallel:
 * @problem: the question
 * @s: the strategy
 * @args: where to add to
 *
 * Adds how the model is split; data parallelism is what is left of the GPUs.
 */
void
shardwise_megatron_add_parallel (const SwProblem *problem, const SwStrategy *s, GPtrArray *args)
{
  static const char *const cp_types[] = { "p2p", "all_gather", "a2a" };

  number (args, "--tensor-model-parallel-size", s->tp);
  number (args, "--pipeline-model-parallel-size", s->pp);
  add_stages (problem, s, args);
  number (args, "--context-parallel-size", s->cp);
  if (s->cp > 1)
    word (args, "--cp-comm-type", cp_types[s->cp_method]);
  if (problem->model.moe.experts > 0)
    {
      number (args, "--expert-model-parallel-size", s->ep);
      number (args, "--expert-tensor-parallel-size", s->etp);
    }
  if (s->sequence_parallel)
    flag (args, "--sequence-parallel");
  add_sharding (problem, s, args);
  number (args, "--distributed-timeout-minutes", 30);
}
