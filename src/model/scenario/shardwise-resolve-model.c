/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The "model" section of a scenario: a preset, a size or an architecture. */
#include "shardwise-scenario-private.h"

#include <glib/gi18n.h>
#include <string.h>

static guint
number (ShardwiseScenario *self, const char *path, double fallback)
{
  return (guint) shardwise_scenario_peek_number (self, path, fallback);
}

static gboolean
check_required (ShardwiseScenario *self, GError **error)
{
  static const char *const required[] = { "model.layers", "model.hidden_size",
                                          "model.attention_heads", "model.vocab_size" };

  for (guint i = 0; i < G_N_ELEMENTS (required); i++)
    if (shardwise_scenario_peek (self, required[i]) == NULL)
      {
        g_autofree char *accepted = shardwise_key_describe_range (shardwise_key_find (required[i]));

        /* Translators: a range of numbers */
        return shardwise_resolve_fail (
            error, SHARDWISE_ERROR_MISSING, required[i],
            g_strdup_printf (_ ("is missing in this architecture, accepted: %s"), accepted));
      }
  return TRUE;
}

static gboolean
any_set (ShardwiseScenario *self, const char *section)
{
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  for (guint i = 0; i < n_keys; i++)
    if (g_str_has_prefix (keys[i].path, section)
        && shardwise_scenario_peek (self, keys[i].path) != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
read_moe (ShardwiseScenario *self, SwModelSpec *out, GError **error)
{
  SwMoe *moe = &out->moe;

  if (!any_set (self, "model.moe."))
    return TRUE;
  moe->experts = number (self, "model.moe.experts", 0);
  moe->top_k = number (self, "model.moe.top_k", 2);
  moe->intermediate_size = number (self, "model.moe.intermediate_size", out->intermediate_size);
  moe->shared_intermediate_size = number (self, "model.moe.shared_intermediate_size", 0);
  moe->first_dense_layers = number (self, "model.moe.first_dense_layers", 0);
  moe->layer_frequency = number (self, "model.moe.layer_frequency", 1);
  if (moe->experts == 0)
    return shardwise_resolve_fail (error, SHARDWISE_ERROR_MISSING, "model.moe.experts",
                                   g_strdup (_ ("is missing, accepted: 1 to 65,536")));
  if (moe->top_k > moe->experts)
    return shardwise_resolve_fail (
        error, SHARDWISE_ERROR_INCONSISTENT, "model.moe.top_k",
        g_strdup_printf (_ ("%u experts per token of %u experts, accepted: 1 to %u"), moe->top_k,
                         moe->experts, moe->experts));
  if (moe->first_dense_layers > out->layers)
    return shardwise_resolve_fail (
        error, SHARDWISE_ERROR_INCONSISTENT, "model.moe.first_dense_layers",
        g_strdup_printf (_ ("%u dense layers of %u layers, accepted: 0 to %u"),
                         moe->first_dense_layers, out->layers, out->layers));
  return TRUE;
}

static gboolean
read_mla (ShardwiseScenario *self, SwModelSpec *out, GError **error)
{
  if (!any_set (self, "model.mla."))
    return TRUE;
  out->mla.kv_lora_rank = number (self, "model.mla.kv_lora_rank", 0);
  out->mla.q_lora_rank = number (self, "model.mla.q_lora_rank", 0);
  out->mla.qk_nope_head_dim = number (self, "model.mla.qk_nope_head_dim", out->head_dim);
  out->mla.qk_rope_head_dim = number (self, "model.mla.qk_rope_head_dim", 64);
  out->mla.v_head_dim = number (self, "model.mla.v_head_dim", out->head_dim);
  if (out->mla.kv_lora_rank == 0)
    return shardwise_resolve_fail (error, SHARDWISE_ERROR_MISSING, "model.mla.kv_lora_rank",
                                   g_strdup (_ ("is missing, accepted: 1 to 1,048,576")));
  if (out->mla.qk_nope_head_dim + out->mla.qk_rope_head_dim == 0)
    return shardwise_resolve_fail (
        error, SHARDWISE_ERROR_INCONSISTENT, "model.mla.qk_nope_head_dim",
        g_strdup (
            _ ("queries and keys have no width, accepted: at least 1 with or without rotation")));
  return TRUE;
}

/* Without a width of its own a head takes its share of the hidden size, which must then be whole.
 * Latent attention has other widths. */
static gboolean
check_head_dim (ShardwiseScenario *self, const SwModelSpec *model, GError **error)
{
  if (shardwise_scenario_peek (self, "model.head_dim") != NULL || any_set (self, "model.mla.")
      || model->hidden_size % model->attention_heads == 0)
    return TRUE;
  return shardwise_resolve_fail (
      error, SHARDWISE_ERROR_INCONSISTENT, "model.attention_heads",
      /* Translators: a number of attention heads, a width; head_dim is a key of the file */
      g_strdup_printf (_ ("%u does not divide the hidden size %'u, accepted: a divisor of it, or a "
                          "model.head_dim"),
                       model->attention_heads, model->hidden_size));
}

static gboolean
resolve_architecture (ShardwiseScenario *self, SwModelSpec *out, GPtrArray *notes, GError **error)
{
  if (!check_required (self, error))
    return FALSE;

  /* What is not given is that of a Llama: gated MLP of 8/3 of the width in steps of 256, RMSNorm,
   * rotary positions. */
  gboolean gated = (gboolean) number (self, "model.gated_mlp", TRUE);

  out->layers = number (self, "model.layers", 0);
  out->hidden_size = number (self, "model.hidden_size", 0);
  out->attention_heads = number (self, "model.attention_heads", 0);
  out->kv_heads = number (self, "model.kv_heads", out->attention_heads);
  out->head_dim = number (self, "model.head_dim", MAX (1, out->hidden_size / out->attention_heads));
  out->vocab_size = number (self, "model.vocab_size", 0);
  out->max_position_embeddings = number (self, "model.max_position_embeddings",
                                         number (self, "training.sequence_length", 4096));
  out->gated_mlp = gated;
  out->intermediate_size = number (self, "model.intermediate_size",
                                   gated ? (out->hidden_size * 8 / 3 + 255) / 256 * 256
                                         : 4.0 * out->hidden_size);
  out->norms_per_layer = number (self, "model.norms_per_layer", 2);
  out->sliding_window = number (self, "model.sliding_window", 0);
  out->mtp_layers = number (self, "model.mtp_layers", 0);
  out->kind = shardwise_resolve_word (self, "model.kind", sw_model_kind_names, SW_MODEL_DECODER);
  out->tied_embeddings = (gboolean) number (self, "model.tied_embeddings", FALSE);
  out->parallel_block = (gboolean) number (self, "model.parallel_block", FALSE);
  out->qkv_bias = (gboolean) number (self, "model.bias.qkv", FALSE);
  out->attn_out_bias = (gboolean) number (self, "model.bias.attn_out", FALSE);
  out->mlp_bias = (gboolean) number (self, "model.bias.mlp", FALSE);
  out->norm = shardwise_resolve_word (self, "model.norm", sw_norm_names, SW_NORM_RMSNORM);
  out->qk_norm = shardwise_resolve_word (self, "model.qk_norm", sw_qk_norm_names, SW_QK_NORM_NONE);
  out->position = shardwise_resolve_word (self, "model.position_embedding", sw_position_names,
                                          SW_POSITION_ROPE);
  out->window_pattern = shardwise_resolve_word (self, "model.sliding_window_pattern",
                                                sw_window_pattern_names, SW_WINDOW_ALL);
  out->approximated = out->kind != SW_MODEL_DECODER;
  if (out->kv_heads > out->attention_heads || out->attention_heads % out->kv_heads != 0)
    return shardwise_resolve_fail (
        error, SHARDWISE_ERROR_INCONSISTENT, "model.kv_heads",
        /* Translators: numbers of attention heads */
        g_strdup_printf (
            _ ("%u does not divide the %u attention heads, accepted: a divisor of them"),
            out->kv_heads, out->attention_heads));
  if (!check_head_dim (self, out, error))
    return FALSE;
  if (out->approximated)
    g_ptr_array_add (
        notes,
        g_strdup (_ ("Vision models are approximated: blocks are counted as transformer layers "
                     "over the sequence length, without the causal mask; patch and condition "
                     "embeddings are not counted.")));
  g_strlcpy (out->name, _ ("Custom architecture"), sizeof out->name);
  if (!read_moe (self, out, error) || !read_mla (self, out, error))
    return FALSE;
  shardwise_catalogue_complete_routing (shardwise_catalogue_get (), out);
  return TRUE;
}

/**
 * shardwise_resolve_model:
 * @out: (out): the architecture
 * @notes: receives sentences on what is approximated
 *
 * Returns: whether the scenario names a model that exists and holds together
 */
gboolean
shardwise_resolve_model (ShardwiseScenario *self, SwModelSpec *out, GPtrArray *notes,
                         GError **error)
{
  const char *preset = shardwise_scenario_peek_string (self, "model.preset");
  double billions = shardwise_scenario_peek_number (self, "model.parameters_b", 0);

  memset (out, 0, sizeof *out);
  if (preset != NULL)
    {
      const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
      const SwModelSpec *spec = shardwise_catalogue_find_model (catalogue, preset);
      char *note;

      if (spec == NULL)
        return shardwise_resolve_fail (
            error, SHARDWISE_ERROR_CHOICE, "model.preset",
            g_strdup_printf (_ ("“%.60s” is not in the catalogue, accepted: "
                                "an id that “shardwise-cli models” lists"),
                             preset));
      *out = *spec;
      note = shardwise_catalogue_model_approximation (catalogue, preset);
      if (note != NULL)
        g_ptr_array_add (notes, note);
      return TRUE;
    }
  if (billions > 0)
    {
      sw_model_from_size (billions * 1e9, out);
      return TRUE;
    }
  if (any_set (self, "model."))
    return resolve_architecture (self, out, notes, error);
  return shardwise_resolve_fail (
      error, SHARDWISE_ERROR_MISSING, "model",
      g_strdup (
          _ ("is missing, accepted: {\"preset\": id}, {\"parameters_b\": 0.1 to 10,000} or an "
             "architecture")));
}
