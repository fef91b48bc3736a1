/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-model-values.h"

#include <stddef.h>

#include "sw-types.h"

/* The member of SwModelSpec with a key's value: a count, a boolean, or the index of a word. */
G_STATIC_ASSERT (sizeof (gboolean) == sizeof (guint) && sizeof (SwNorm) == sizeof (guint));

#define ROW(name, field)                                                                           \
  [SHARDWISE_KEY_MODEL_##name - SHARDWISE_MODEL_VALUES_FIRST] = offsetof (SwModelSpec, field)

static const gsize offsets[] = {
  ROW (KIND, kind),
  ROW (LAYERS, layers),
  ROW (HIDDEN_SIZE, hidden_size),
  ROW (INTERMEDIATE_SIZE, intermediate_size),
  ROW (ATTENTION_HEADS, attention_heads),
  ROW (KV_HEADS, kv_heads),
  ROW (HEAD_DIM, head_dim),
  ROW (VOCAB_SIZE, vocab_size),
  ROW (MAX_POSITION_EMBEDDINGS, max_position_embeddings),
  ROW (GATED_MLP, gated_mlp),
  ROW (TIED_EMBEDDINGS, tied_embeddings),
  ROW (NORM, norm),
  ROW (NORMS_PER_LAYER, norms_per_layer),
  ROW (QK_NORM, qk_norm),
  ROW (BIAS_QKV, qkv_bias),
  ROW (BIAS_ATTN_OUT, attn_out_bias),
  ROW (BIAS_MLP, mlp_bias),
  ROW (POSITION_EMBEDDING, position),
  ROW (PARALLEL_BLOCK, parallel_block),
  ROW (SLIDING_WINDOW, sliding_window),
  ROW (SLIDING_WINDOW_PATTERN, window_pattern),
  ROW (MTP_LAYERS, mtp_layers),
  ROW (MOE_EXPERTS, moe.experts),
  ROW (MOE_TOP_K, moe.top_k),
  ROW (MOE_INTERMEDIATE_SIZE, moe.intermediate_size),
  ROW (MOE_SHARED_INTERMEDIATE_SIZE, moe.shared_intermediate_size),
  ROW (MOE_FIRST_DENSE_LAYERS, moe.first_dense_layers),
  ROW (MOE_LAYER_FREQUENCY, moe.layer_frequency),
  ROW (MLA_Q_LORA_RANK, mla.q_lora_rank),
  ROW (MLA_KV_LORA_RANK, mla.kv_lora_rank),
  ROW (MLA_QK_NOPE_HEAD_DIM, mla.qk_nope_head_dim),
  ROW (MLA_QK_ROPE_HEAD_DIM, mla.qk_rope_head_dim),
  ROW (MLA_V_HEAD_DIM, mla.v_head_dim),
};
G_STATIC_ASSERT (G_N_ELEMENTS (offsets)
                 == SHARDWISE_MODEL_VALUES_LAST - SHARDWISE_MODEL_VALUES_FIRST + 1);

/**
 * shardwise_model_values_get:
 * @model: an architecture
 * @id: a key between %SHARDWISE_MODEL_VALUES_FIRST and %SHARDWISE_MODEL_VALUES_LAST
 *
 * Returns: (transfer floating): the value of @model, in the key's type
 */
GVariant *
shardwise_model_values_get (const SwModelSpec *model, ShardwiseKeyId id)
{
  const ShardwiseKey *key = shardwise_key_get (id);
  guint value;

  g_return_val_if_fail (id >= SHARDWISE_MODEL_VALUES_FIRST && id <= SHARDWISE_MODEL_VALUES_LAST,
                        NULL);

  value = G_STRUCT_MEMBER (guint, model, offsets[id - SHARDWISE_MODEL_VALUES_FIRST]);
  if (key->kind == SHARDWISE_KIND_CHOICE)
    return g_variant_new_string (key->choices[value]);
  return key->kind == SHARDWISE_KIND_BOOLEAN ? g_variant_new_boolean ((gboolean) value)
                                             : g_variant_new_int64 (value);
}

/**
 * shardwise_model_values_read:
 * @scenario: a scenario
 * @model: (inout): an architecture; values that @scenario does not set are kept
 */
void
shardwise_model_values_read (ShardwiseScenario *scenario, SwModelSpec *model)
{
  for (ShardwiseKeyId id = SHARDWISE_MODEL_VALUES_FIRST; id <= SHARDWISE_MODEL_VALUES_LAST; id++)
    {
      const ShardwiseKey *key = shardwise_key_get (id);
      guint *value = &G_STRUCT_MEMBER (guint, model, offsets[id - SHARDWISE_MODEL_VALUES_FIRST]);

      if (shardwise_scenario_peek (scenario, id) == NULL)
        continue;
      *value = key->kind == SHARDWISE_KIND_CHOICE
                   ? (guint) sw_name_index (key->choices,
                                            shardwise_scenario_peek_string (scenario, id))
                   : (guint) shardwise_scenario_peek_number (scenario, id, 0);
    }
}
