/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An architecture into the "model" section: as a model of the catalogue where it is one, else as
 * its dimensions. */
#include "shardwise-import-private.h"

#include <string.h>

static gboolean
same_moe (const SwMoe *a, const SwMoe *b)
{
  if (a->experts == 0 || b->experts == 0)
    return a->experts == b->experts;
  return a->experts == b->experts && a->top_k == b->top_k
         && a->intermediate_size == b->intermediate_size
         && a->shared_intermediate_size == b->shared_intermediate_size
         && a->first_dense_layers == b->first_dense_layers
         && MAX (a->layer_frequency, 1) == MAX (b->layer_frequency, 1);
}

static gboolean
same_attention (const SwModelSpec *a, const SwModelSpec *b)
{
  if (a->mla.kv_lora_rank > 0 || b->mla.kv_lora_rank > 0)
    return memcmp (&a->mla, &b->mla, sizeof a->mla) == 0;
  return a->kv_heads == b->kv_heads && a->head_dim == b->head_dim && a->qkv_bias == b->qkv_bias
         && a->attn_out_bias == b->attn_out_bias && a->qk_norm == b->qk_norm;
}

static gboolean
is_dense_anywhere (const SwModelSpec *model)
{
  return sw_model_moe_layers (model) < model->layers;
}

static gboolean
same_blocks (const SwModelSpec *a, const SwModelSpec *b)
{
  return a->gated_mlp == b->gated_mlp && a->tied_embeddings == b->tied_embeddings
         && a->parallel_block == b->parallel_block && a->mlp_bias == b->mlp_bias
         && a->norm == b->norm && a->norms_per_layer == b->norms_per_layer
         && a->position == b->position && a->mtp_layers == b->mtp_layers
         && (!is_dense_anywhere (a) || a->intermediate_size == b->intermediate_size);
}

static gboolean
same_window (const SwModelSpec *a, const SwModelSpec *b)
{
  if (a->sliding_window == 0 || b->sliding_window == 0)
    return a->sliding_window == b->sliding_window;
  return a->sliding_window == b->sliding_window && a->window_pattern == b->window_pattern;
}

static gboolean
is_same (const SwModelSpec *a, const SwModelSpec *b)
{
  return a->kind == b->kind && a->layers == b->layers && a->hidden_size == b->hidden_size
         && a->attention_heads == b->attention_heads && a->vocab_size == b->vocab_size
         && same_attention (a, b) && same_blocks (a, b) && same_window (a, b)
         && same_moe (&a->moe, &b->moe);
}

/* How well the longest sequence fits; a catalogue model of a shorter one would give a wrong note.
 */
static guint64
length_distance (const SwModelSpec *model, const SwModelSpec *wanted)
{
  if (model->max_position_embeddings < wanted->max_position_embeddings)
    return G_MAXUINT64;
  return model->max_position_embeddings - wanted->max_position_embeddings;
}

/* The id of the catalogue's model of the same dimensions, of several the one whose longest sequence
 * is nearest; NULL: none. */
static const char *
match_model (const SwModelSpec *model)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  g_autoptr (GListModel) entries = shardwise_catalogue_models (catalogue);
  guint64 nearest = G_MAXUINT64;
  const char *found = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (entries); i++)
    {
      g_autoptr (GObject) entry = g_list_model_get_item (entries, i);
      g_autofree char *id = NULL;
      const SwModelSpec *known;

      g_object_get (entry, "id", &id, NULL);
      known = shardwise_catalogue_find_model (catalogue, id);
      if (known == NULL || known->approximated || !is_same (known, model)
          || length_distance (known, model) >= nearest)
        continue;
      nearest = length_distance (known, model);
      found = known->id;
    }
  return found;
}

/**
 * shardwise_import_match_but_vocabulary:
 * @model: an architecture without a vocabulary
 * @largest: whether the largest one counts where there are several
 *
 * Returns: (transfer none) (nullable): the catalogue's model whose layers have the same dimensions
 */
const SwModelSpec *
shardwise_import_match_but_vocabulary (const SwModelSpec *model, gboolean largest)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  g_autoptr (GListModel) entries = shardwise_catalogue_models (catalogue);
  const SwModelSpec *found = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (entries); i++)
    {
      g_autoptr (GObject) entry = g_list_model_get_item (entries, i);
      g_autofree char *id = NULL;
      const SwModelSpec *known;

      g_object_get (entry, "id", &id, NULL);
      known = shardwise_catalogue_find_model (catalogue, id);
      if (known != NULL && known->layers == model->layers
          && known->hidden_size == model->hidden_size
          && known->attention_heads == model->attention_heads && known->kv_heads == model->kv_heads
          && known->gated_mlp == model->gated_mlp && known->moe.experts == model->moe.experts
          && (model->moe.experts > 0 || known->intermediate_size == model->intermediate_size)
          && (found == NULL || (known->vocab_size > found->vocab_size) == largest))
        found = known;
    }
  return found;
}

/* ---- a checkpoint's name ---- */

/* "meta-llama/Meta-Llama-3.1-70B-Instruct" -> "llama-3.1-70b" */
static char *
simplify (const char *name)
{
  static const char *const noise[] = { "-instruct", "-chat", "-hf", "-base", "-it" };
  const char *last = strrchr (name, '/') != NULL ? strrchr (name, '/') + 1 : name;
  g_autoptr (GString) text = g_string_new (NULL);

  for (const char *c = last; *c != '\0'; c++)
    g_string_append_c (text, *c == '_' || *c == ' ' ? '-' : g_ascii_tolower (*c));
  g_string_replace (text, "meta-llama-", "llama-", 0);
  for (guint i = 0; i < G_N_ELEMENTS (noise); i++)
    if (g_str_has_suffix (text->str, noise[i]))
      g_string_truncate (text, text->len - strlen (noise[i]));
  return g_strdup (text->str);
}

/**
 * shardwise_import_put_model_named:
 * @name: a checkpoint, such as "meta-llama/Meta-Llama-3-70B"
 *
 * Returns: whether the catalogue has a model of that name, which the scenario then names
 */
gboolean
shardwise_import_put_model_named (ShardwiseImportJob *job, const char *name)
{
  g_autofree char *id = simplify (name);

  if (shardwise_catalogue_find_model (shardwise_catalogue_get (), id) == NULL)
    return FALSE;
  shardwise_import_put_word (job, "model.preset", id);
  return TRUE;
}

/* ---- dimensions ---- */

static void
put_dimensions (ShardwiseImportJob *job, const SwModelSpec *model)
{
  const struct {
    const char *path;
    guint value;
  } counts[] = {
    { "model.layers", model->layers },
    { "model.hidden_size", model->hidden_size },
    { "model.intermediate_size", model->intermediate_size },
    { "model.attention_heads", model->attention_heads },
    { "model.kv_heads", model->kv_heads },
    { "model.head_dim", model->head_dim },
    { "model.vocab_size", model->vocab_size },
    { "model.max_position_embeddings", model->max_position_embeddings },
    { "model.sliding_window", model->sliding_window },
    { "model.mtp_layers", model->mtp_layers },
  };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (counts[i].value > 0)
      shardwise_import_put_int (job, counts[i].path, counts[i].value);
  shardwise_import_put_int (job, "model.norms_per_layer", model->norms_per_layer);
  if (model->sliding_window > 0)
    shardwise_import_put_word (job, "model.sliding_window_pattern",
                               sw_window_pattern_names[model->window_pattern]);
}

static void
put_features (ShardwiseImportJob *job, const SwModelSpec *model)
{
  if (model->kind != SW_MODEL_DECODER)
    shardwise_import_put_word (job, "model.kind", sw_model_kind_names[model->kind]);
  shardwise_import_put_bool (job, "model.gated_mlp", model->gated_mlp);
  shardwise_import_put_bool (job, "model.tied_embeddings", model->tied_embeddings);
  shardwise_import_put_bool (job, "model.parallel_block", model->parallel_block);
  shardwise_import_put_bool (job, "model.bias.qkv", model->qkv_bias);
  shardwise_import_put_bool (job, "model.bias.attn_out", model->attn_out_bias);
  shardwise_import_put_bool (job, "model.bias.mlp", model->mlp_bias);
  shardwise_import_put_word (job, "model.norm", sw_norm_names[model->norm]);
  shardwise_import_put_word (job, "model.qk_norm", sw_qk_norm_names[model->qk_norm]);
  shardwise_import_put_word (job, "model.position_embedding", sw_position_names[model->position]);
}

static void
put_experts (ShardwiseImportJob *job, const SwMoe *moe)
{
  if (moe->experts == 0)
    return;
  shardwise_import_put_int (job, "model.moe.experts", moe->experts);
  shardwise_import_put_int (job, "model.moe.top_k", MAX (moe->top_k, 1));
  shardwise_import_put_int (job, "model.moe.intermediate_size", moe->intermediate_size);
  shardwise_import_put_int (job, "model.moe.shared_intermediate_size",
                            moe->shared_intermediate_size);
  shardwise_import_put_int (job, "model.moe.first_dense_layers", moe->first_dense_layers);
  shardwise_import_put_int (job, "model.moe.layer_frequency", MAX (moe->layer_frequency, 1));
}

static void
put_latent (ShardwiseImportJob *job, const SwMla *mla)
{
  if (mla->kv_lora_rank == 0)
    return;
  shardwise_import_put_int (job, "model.mla.q_lora_rank", mla->q_lora_rank);
  shardwise_import_put_int (job, "model.mla.kv_lora_rank", mla->kv_lora_rank);
  shardwise_import_put_int (job, "model.mla.qk_nope_head_dim", mla->qk_nope_head_dim);
  shardwise_import_put_int (job, "model.mla.qk_rope_head_dim", mla->qk_rope_head_dim);
  shardwise_import_put_int (job, "model.mla.v_head_dim", mla->v_head_dim);
}

/* Several models of the catalogue may have the same dimensions: the one that the file names counts.
 */
static const char *
named_model (ShardwiseImportJob *job, const SwModelSpec *model)
{
  const ShardwiseNode *name = shardwise_import_at (job, "_name_or_path");
  g_autofree char *id = name != NULL && name->type == SHARDWISE_NODE_STRING ? simplify (name->text)
                                                                            : NULL;
  const SwModelSpec *known = id != NULL
                                 ? shardwise_catalogue_find_model (shardwise_catalogue_get (), id)
                                 : NULL;

  return known != NULL && is_same (known, model) ? known->id : NULL;
}

/**
 * shardwise_import_put_model:
 * @model: an architecture, with what the file leaves out filled in
 *
 * Names the model of the catalogue that it is, else states its dimensions. What cannot be is an
 * error here, since nothing could be computed.
 */
void
shardwise_import_put_model (ShardwiseImportJob *job, SwModelSpec *model)
{
  const char *id;

  if (job->error != NULL)
    return;
  id = named_model (job, model);
  if (id == NULL)
    id = match_model (model);
  job->model = *model;
  if (id != NULL)
    {
      shardwise_import_put_word (job, "model.preset", id);
      return;
    }
  put_dimensions (job, model);
  put_features (job, model);
  put_experts (job, &model->moe);
  put_latent (job, &model->mla);
}
