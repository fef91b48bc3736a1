/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-types.h"

G_BEGIN_DECLS

typedef enum {
  SW_NORM_RMSNORM,
  SW_NORM_LAYERNORM,
  SW_NORM_LAYERNORM_NOBIAS,
  SW_NORM_LAYERNORM_NOPARAM
} SwNorm;
extern const char *const sw_norm_names[];

typedef enum { SW_QK_NORM_NONE, SW_QK_NORM_PER_HEAD_DIM, SW_QK_NORM_FULL_WIDTH } SwQkNorm;
extern const char *const sw_qk_norm_names[];

typedef enum {
  SW_POSITION_ROPE,
  SW_POSITION_LEARNED,
  SW_POSITION_ALIBI,
  SW_POSITION_NONE,
  SW_POSITION_RELATIVE,
  SW_POSITION_SINCOS
} SwPosition;
extern const char *const sw_position_names[];

/* Which layers are local if the model has a sliding window. */
typedef enum { SW_WINDOW_ALL, SW_WINDOW_EVERY_SECOND, SW_WINDOW_FIVE_TO_ONE } SwWindowPattern;
extern const char *const sw_window_pattern_names[];

typedef struct {
  guint experts; /* 0: the model is dense */
  guint top_k;
  guint intermediate_size;        /* of one routed expert */
  guint shared_intermediate_size; /* of all shared experts together; 0: none */
  guint first_dense_layers;
  guint layer_frequency; /* 1: every layer after the first dense ones; 2: every second */
  guint groups;          /* of experts; the router chooses among groups first; 0: no groups */
  guint chosen_groups;   /* number that a token's experts come from */
  double scaling;        /* factor on the router weights of a token's experts; 0: none */
  gboolean router_bias;
  gboolean shared_gate;
} SwMoe;

typedef struct {
  guint kv_lora_rank; /* 0: no multi-head latent attention */
  guint q_lora_rank;  /* 0: queries are not compressed */
  guint qk_nope_head_dim;
  guint qk_rope_head_dim;
  guint v_head_dim;
} SwMla;

/* Layers differ in cost by kind. */
enum { SW_LAYER_DENSE, SW_LAYER_MOE, SW_N_LAYER_KINDS };

/* The architecture of a model, as dimensions. */
typedef struct {
  char id[64];   /* from the catalog; "" for the user's own architecture */
  char name[96]; /* displayed */
  SwModelKind kind;
  guint layers, hidden_size, intermediate_size, attention_heads, kv_heads, head_dim, vocab_size;
  guint max_position_embeddings;
  gboolean gated_mlp, tied_embeddings, parallel_block, attention_output_gate;
  gboolean qkv_bias, attn_out_bias, mlp_bias;
  SwNorm norm;
  guint norms_per_layer;
  SwQkNorm qk_norm;
  SwPosition position;
  guint sliding_window; /* 0: none */
  SwWindowPattern window_pattern;
  guint mtp_layers;
  SwMoe moe;
  SwMla mla;
  double extra_params_per_layer, other_params; /* vision models, and parameters that the
                                                  dimensions do not determine */
  double stated_parameters; /* of a model given only by its size; the dimensions match within 1 %;
                            0: the dimensions determine it */
  gboolean approximated;    /* hybrid or vision: the caller shows a warning */
} SwModelSpec;

/* Parameter counts of a whole model (not bytes). */
typedef struct {
  double total, active;          /* without multi-token-prediction layers; active: used by one
                                    token */
  double embedding, head;        /* head is 0 when tied */
  double dense_layer, moe_layer; /* one layer of each kind, all its experts included */
  double attention;              /* of one layer: projections, biases and q/k norms */
  double dense_mlp;              /* of one dense layer */
  double expert;                 /* one routed expert */
  double shared, router;         /* shared experts and router of one MoE layer */
  double norms;                  /* of one layer */
  double final_norm;
  double mtp; /* all multi-token-prediction layers together */
} SwParameterCount;

void sw_model_count (const SwModelSpec *model, SwParameterCount *out);
gboolean sw_model_layer_is_moe (const SwModelSpec *model, guint layer);
guint sw_model_moe_layers (const SwModelSpec *model);
void sw_model_kinds_between (const SwModelSpec *model, guint start, guint end,
                             guint layers[SW_N_LAYER_KINDS]);
guint sw_model_query_head_dim (const SwModelSpec *model);
guint sw_model_value_head_dim (const SwModelSpec *model);
double sw_model_attended_tokens (const SwModelSpec *model, guint sequence, gboolean causal);
double
sw_model_forward_flops_per_token (const SwModelSpec *model, guint sequence, gboolean causal_half);
double sw_model_end_layers (const SwModelSpec *model, guint sequence);
void sw_model_from_size (double parameters, SwModelSpec *out);

G_END_DECLS
