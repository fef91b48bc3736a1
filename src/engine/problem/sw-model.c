/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-model.h"

#include <math.h>
#include <string.h>

const char *const sw_norm_names[] = { "rmsnorm", "layernorm", "layernorm_nobias",
                                      "layernorm_noparam", NULL };
const char *const sw_qk_norm_names[] = { "none", "per_head_dim", "full_width", NULL };
const char *const sw_position_names[] = { "rope",     "learned", "alibi", "none",
                                          "relative", "sincos",  NULL };
const char *const sw_window_pattern_names[] = { "all layers", "every second layer local",
                                                "5 local to 1 global", NULL };

/* Weights of one norm with @width features. */
static double
norm_parameters (SwNorm norm, double width)
{
  switch (norm)
    {
    case SW_NORM_LAYERNORM: return 2 * width;
    case SW_NORM_LAYERNORM_NOPARAM: return 0;
    case SW_NORM_RMSNORM:
    case SW_NORM_LAYERNORM_NOBIAS:
    default: return width;
    }
}

/* DeepSeek-V2 (2024), section 2.1: low-rank queries and keys/values, each with a norm on the
 * latent. */
static double
mla_parameters (const SwModelSpec *model)
{
  const SwMla *mla = &model->mla;
  double h = model->hidden_size, heads = model->attention_heads;
  double query_head = mla->qk_nope_head_dim + mla->qk_rope_head_dim;
  double query = h * heads * query_head;

  if (mla->q_lora_rank > 0)
    query = h * mla->q_lora_rank + mla->q_lora_rank + mla->q_lora_rank * heads * query_head;
  return query + h * (mla->kv_lora_rank + mla->qk_rope_head_dim) + mla->kv_lora_rank
         + mla->kv_lora_rank * heads * (mla->qk_nope_head_dim + mla->v_head_dim)
         + heads * mla->v_head_dim * h;
}

static double
attention_parameters (const SwModelSpec *model)
{
  double h = model->hidden_size, d = model->head_dim, norms = 0;
  double qkv = d * (model->attention_heads + 2.0 * model->kv_heads),
         out = d * model->attention_heads;

  if (model->mla.kv_lora_rank > 0)
    return mla_parameters (model);
  if (model->qk_norm == SW_QK_NORM_PER_HEAD_DIM)
    norms = 2 * norm_parameters (model->norm, d);
  else if (model->qk_norm == SW_QK_NORM_FULL_WIDTH)
    norms = norm_parameters (model->norm, out) + norm_parameters (model->norm, d * model->kv_heads);
  return h * (qkv + out) + (model->attention_output_gate ? h * out : 0)
         + (model->qkv_bias ? qkv : 0) + (model->attn_out_bias ? h : 0) + norms;
}

/* A gated MLP has two matrices into the intermediate width, a plain one has one; both have one back
 * to the hidden width. */
static double
mlp_parameters (const SwModelSpec *model, double width)
{
  double inputs = model->gated_mlp ? 2 : 1;

  if (width <= 0)
    return 0;
  return (inputs + 1) * model->hidden_size * width
         + (model->mlp_bias ? inputs * width + model->hidden_size : 0);
}

/**
 * sw_model_count:
 * @model: an architecture
 * @out: (out): its parameter counts
 *
 * Counts parameters from the dimensions. @out->embedding holds token and learned position
 * embeddings and
 * @model->other_params, all of which are on the first pipeline stage. A multi-token-prediction
 * layer is one more layer of the last kind, with a projection of two hidden states and three norms
 * (DeepSeek-V3, 2024, section 2.2).
 */
void
sw_model_count (const SwModelSpec *model, SwParameterCount *out)
{
  double h = model->hidden_size, moe_layers = sw_model_moe_layers (model);

  memset (out, 0, sizeof *out);
  out->attention = attention_parameters (model);
  out->dense_mlp = mlp_parameters (model, model->intermediate_size);
  out->norms = model->norms_per_layer * norm_parameters (model->norm, h);
  out->dense_layer = out->attention + out->dense_mlp + out->norms + model->extra_params_per_layer;
  if (model->moe.experts > 0)
    {
      const SwMoe *moe = &model->moe;

      out->expert = mlp_parameters (model, moe->intermediate_size);
      out->shared = mlp_parameters (model, moe->shared_intermediate_size)
                    + (moe->shared_gate ? model->hidden_size : 0);
      out->router = (double) moe->experts * model->hidden_size
                    + (moe->router_bias ? moe->experts : 0);
      out->moe_layer = out->attention + out->norms + model->extra_params_per_layer
                       + moe->experts * out->expert + out->shared + out->router;
    }

  out->embedding = model->vocab_size * h + model->other_params;
  /* A vision model's positions are part of its other parameters. */
  if (model->position == SW_POSITION_LEARNED && model->kind == SW_MODEL_DECODER)
    out->embedding += model->max_position_embeddings * h;
  out->head = model->tied_embeddings ? 0 : model->vocab_size * h;
  out->final_norm = norm_parameters (model->norm, h);
  out->mtp =
      model->mtp_layers
      * ((moe_layers > 0 ? out->moe_layer : out->dense_layer) + 2 * h * h + 3 * out->final_norm);
  out->total = out->embedding + out->head + out->final_norm
               + (model->layers - moe_layers) * out->dense_layer + moe_layers * out->moe_layer;
  out->active = out->total
                - moe_layers * ((double) model->moe.experts - model->moe.top_k) * out->expert;
}

/**
 * sw_model_layer_is_moe:
 * @model: an architecture
 * @layer: index of a layer, from 0
 *
 * Returns: whether the layer has experts: after the first dense layers, the last of every
 * `layer_frequency` layers
 */
gboolean
sw_model_layer_is_moe (const SwModelSpec *model, guint layer)
{
  guint frequency = MAX (model->moe.layer_frequency, 1);

  return model->moe.experts > 0 && layer >= model->moe.first_dense_layers
         && (layer - model->moe.first_dense_layers + 1) % frequency == 0;
}

/* 
 * sw_model_moe_layers_before:
 * @model: an architecture
 * @layers: number of leading layers
 *
 * Returns: how many of them have experts */
static guint
sw_model_moe_layers_before (const SwModelSpec *model, guint layers)
{
  if (model->moe.experts == 0 || layers <= model->moe.first_dense_layers)
    return 0;
  return (layers - model->moe.first_dense_layers) / MAX (model->moe.layer_frequency, 1);
}

/**
 * sw_model_moe_layers:
 * @model: an architecture
 *
 * Returns: how many of its layers have experts
 */
guint
sw_model_moe_layers (const SwModelSpec *model)
{
  return sw_model_moe_layers_before (model, model->layers);
}

/**
 * sw_model_kinds_between:
 * @model: what is trained
 * @start: a layer, from 0
 * @end: the layer after the last one
 * @layers: (out): the number of dense layers and of layers with experts in between
 */
void
sw_model_kinds_between (const SwModelSpec *model, guint start, guint end,
                        guint layers[SW_N_LAYER_KINDS])
{
  layers[SW_LAYER_MOE] = sw_model_moe_layers_before (model, end)
                         - sw_model_moe_layers_before (model, start);
  layers[SW_LAYER_DENSE] = end - start - layers[SW_LAYER_MOE];
}

/**
 * sw_model_query_head_dim:
 * @model: an architecture
 *
 * Returns: width of a query or key head in the attention kernel
 */
guint
sw_model_query_head_dim (const SwModelSpec *model)
{
  if (model->mla.kv_lora_rank > 0)
    return model->mla.qk_nope_head_dim + model->mla.qk_rope_head_dim;
  return model->head_dim;
}

/**
 * sw_model_value_head_dim:
 * @model: an architecture
 *
 * Returns: width of a value head in the attention kernel
 */
guint
sw_model_value_head_dim (const SwModelSpec *model)
{
  return model->mla.kv_lora_rank > 0 ? model->mla.v_head_dim : model->head_dim;
}

/**
 * sw_model_attended_tokens:
 * @model: an architecture
 * @sequence: tokens of a sequence
 * @causal: whether a decoder's token only attends to previous tokens, counted as half of the
 *   sequence; vision models have no mask
 *
 * Returns: the mean number of tokens that a token attends to, over the sequence and over local and
 * global layers
 */
double
sw_model_attended_tokens (const SwModelSpec *model, guint sequence, gboolean causal)
{
  double s = sequence, window = MIN (model->sliding_window, sequence);
  gboolean halved = causal && model->kind == SW_MODEL_DECODER;
  double global = halved ? s / 2 : s;
  double local = halved ? window - window * window / (2 * s) : window;
  guint locals = 0;
  double share;

  /* Layers whose attention is limited to the sliding window: the first of every two, or the first
   * five of every six. */
  if (model->sliding_window > 0)
    switch (model->window_pattern)
      {
      case SW_WINDOW_EVERY_SECOND: locals = (model->layers + 1) / 2; break;
      case SW_WINDOW_FIVE_TO_ONE: locals = model->layers - model->layers / 6; break;
      case SW_WINDOW_ALL:
      default: locals = model->layers; break;
      }
  share = model->layers > 0 ? (double) locals / model->layers : 0;
  return share * local + (1 - share) * global;
}

static double
mlp_gemm_parameters (const SwModelSpec *model, double width)
{
  return (model->gated_mlp ? 3.0 : 2.0) * model->hidden_size * width;
}

/**
 * sw_model_forward_flops_per_token:
 * @model: an architecture
 * @sequence: tokens of a sequence
 * @causal_half: whether the masked half of causal attention is excluded
 *
 * Two FLOPs per weight and token, and per attended token and head 2 d for the scores and 2 d for
 * the values (Narayanan et al. 2021, appendix, generalised to GQA, MLA and experts). The embedding
 * is a look-up and does not count; the head counts even if it is tied. In a hybrid, the weights
 * that represent its recurrent layers count like matrices. Training is three times this, without
 * recomputation.
 *
 * Returns: FLOPs of a forward pass per token, without multi-token-prediction layers
 */
double
sw_model_forward_flops_per_token (const SwModelSpec *model, guint sequence, gboolean causal_half)
{
  const SwMoe *moe = &model->moe;
  double moe_layers = sw_model_moe_layers (model), dense_layers = model->layers - moe_layers;
  double attended = sw_model_attended_tokens (model, sequence, causal_half);
  double heads = model->attention_heads, h = model->hidden_size, out = heads * model->head_dim;
  /* Weights of one layer that multiply a token: without norms and biases. */
  double attention = model->mla.kv_lora_rank > 0
                         ? mla_parameters (model) - model->mla.kv_lora_rank - model->mla.q_lora_rank
                         : h * (2 * out + 2.0 * model->head_dim * model->kv_heads)
                               + (model->attention_output_gate ? h * out : 0);
  double scores = heads * attended
                  * (sw_model_query_head_dim (model) + sw_model_value_head_dim (model));
  double recurrent = model->kind == SW_MODEL_DECODER && model->approximated
                         ? model->extra_params_per_layer
                         : 0;
  double layer = attention + scores + recurrent;
  double routed = mlp_gemm_parameters (model, (double) moe->top_k * moe->intermediate_size
                                                  + moe->shared_intermediate_size)
                  + (double) moe->experts * model->hidden_size;

  return 2
         * (model->layers * layer
            + dense_layers * mlp_gemm_parameters (model, model->intermediate_size)
            + moe_layers * routed + (double) model->vocab_size * model->hidden_size);
}

/**
 * sw_model_end_layers:
 * @model: what is trained
 * @sequence: tokens of a sequence
 *
 * Returns: the cost of the head and of multi-token prediction in layers, by the FLOPs of their
 * forward passes. Each predicted token takes a layer, a projection of two hidden states to one, and
 * the head again (DeepSeek-AI 2024, section 2.2).
 */
double
sw_model_end_layers (const SwModelSpec *model, guint sequence)
{
  double h = model->hidden_size, head = 2.0 * model->vocab_size * h, layer;
  SwModelSpec last = *model;

  /* The layers at the end have experts. */
  last.moe.first_dense_layers = 0;
  last.moe.layer_frequency = 1;
  last.vocab_size = 0;
  layer = sw_model_forward_flops_per_token (&last, sequence, TRUE) / MAX (model->layers, 1);
  if (!(layer > 0))
    return 0;
  return head / layer + model->mtp_layers * (1 + (head + 4 * h * h) / layer);
}

/* The shape of a model that is given only by its size: widths and depths like Llama 3's (hidden /
 * layers 102-130, MLP width 3.5 times the hidden width), and depths with many divisors. */
static const guint size_layers[] = { 2,   4,   6,   8,   12,  16,  20,  24,  28,  32,  36,
                                     40,  48,  56,  60,  64,  72,  80,  96,  112, 120, 128,
                                     144, 160, 180, 192, 240, 256, 288, 320, 360, 384, 480 };
static const guint size_head_dims[] = { 128, 96, 64 };
static const double size_mlp_ratio = 3.5, size_aspect = 115;

/* Sets width and depth, and derives the MLP width from the size. Returns: how far the shape is from
 * the usual one. */
static double
try_shape (double parameters, guint layers, guint heads, guint head_dim, SwModelSpec *model)
{
  SwParameterCount count;
  double width, unit, error, h = (double) heads * head_dim;
  guint step = h >= 2048 ? 128 : 16;

  model->layers = layers;
  model->attention_heads = heads;
  model->kv_heads = MIN (heads, 8);
  model->head_dim = head_dim;
  model->hidden_size = heads * head_dim;
  model->intermediate_size = 0;
  sw_model_count (model, &count);
  unit = 3 * h * layers;
  width = round ((parameters - count.total) / unit / step) * step;
  if (width < step)
    return INFINITY;
  error = fabs ((count.total + width * unit) / parameters - 1);
  model->intermediate_size = (guint) width;
  return fabs (log (width / h / size_mlp_ratio)) + 0.5 * fabs (log (h / layers / size_aspect))
         + (error > 0.008 ? 10 : 0) + (head_dim < 128 && h >= 2048 ? 0.3 : 0)
         + (heads % 32 != 0 ? 0.05 : 0);
}

/**
 * sw_model_from_size:
 * @parameters: how many parameters the model has
 * @out: (out): a Llama-like decoder of that size
 *
 * Grouped-query attention with 8 KV heads, heads in multiples of 8, gated MLP, RMSNorm. Small
 * models share the embedding with the head and have a smaller vocabulary, because the embedding
 * would outweigh the rest. The count matches within 1 % from 0.1 B to 10 T.
 */
void
sw_model_from_size (double parameters, SwModelSpec *out)
{
  SwModelSpec trial = { 0 };
  double best = INFINITY;

  trial.kind = SW_MODEL_DECODER;
  trial.vocab_size = parameters < 0.05e9 ? 4096 : parameters < 0.7e9 ? 32000 : 128256;
  trial.tied_embeddings = parameters < 6e9;
  trial.gated_mlp = TRUE;
  trial.norm = SW_NORM_RMSNORM;
  trial.norms_per_layer = 2;
  trial.position = SW_POSITION_ROPE;
  trial.max_position_embeddings = 131072;
  trial.stated_parameters = parameters;
  g_snprintf (trial.name, sizeof trial.name, "%g B", parameters / 1e9);
  *out = trial;
  for (guint heads = parameters < 0.05e9 ? 1 : 8; heads <= 512; heads += heads < 8 ? 1 : 8)
    for (guint d = 0; d < G_N_ELEMENTS (size_head_dims); d++)
      for (guint l = 0; l < G_N_ELEMENTS (size_layers); l++)
        {
          double score = try_shape (parameters, size_layers[l], heads, size_head_dims[d], &trial);

          if (score < best)
            {
              best = score;
              *out = trial;
            }
        }
}
