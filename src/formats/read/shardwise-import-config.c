/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Model files: Hugging Face's config.json, with the keys of all families under one name and the
 * defaults of each family (data/catalogue/families.json, from the configuration classes of
 * transformers); Llama's params.json. The architecture becomes the "model" section: a model of the
 * catalog if it is one, else its dimensions. */
#include "shardwise-import-config.h"
#include "shardwise-export-names.h"
#include "shardwise-model-values.h"
#include "shardwise-node-json.h"
#include "shardwise-format.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* ---- a model of the catalog ---- */

static gboolean
is_same (const SwModelSpec *a, const SwModelSpec *b)
{
  const gboolean is_latent = a->mla.kv_lora_rank > 0 || b->mla.kv_lora_rank > 0,
                 same_heads = a->kv_heads == b->kv_heads && a->head_dim == b->head_dim
                              && a->qkv_bias == b->qkv_bias && a->attn_out_bias == b->attn_out_bias
                              && a->qk_norm == b->qk_norm,
                 same_experts =
                     a->moe.top_k == b->moe.top_k
                     && a->moe.intermediate_size == b->moe.intermediate_size
                     && a->moe.shared_intermediate_size == b->moe.shared_intermediate_size
                     && a->moe.first_dense_layers == b->moe.first_dense_layers
                     && MAX (a->moe.layer_frequency, 1) == MAX (b->moe.layer_frequency, 1);

  return a->kind == b->kind && a->layers == b->layers && a->hidden_size == b->hidden_size
         && a->attention_heads == b->attention_heads && a->vocab_size == b->vocab_size
         && (is_latent ? memcmp (&a->mla, &b->mla, sizeof a->mla) == 0 : same_heads)
         && a->gated_mlp == b->gated_mlp && a->tied_embeddings == b->tied_embeddings
         && a->parallel_block == b->parallel_block && a->mlp_bias == b->mlp_bias
         && a->norm == b->norm && a->norms_per_layer == b->norms_per_layer
         && a->position == b->position && a->mtp_layers == b->mtp_layers
         && (sw_model_moe_layers (a) >= a->layers || a->intermediate_size == b->intermediate_size)
         && a->sliding_window == b->sliding_window
         && (a->sliding_window == 0 || a->window_pattern == b->window_pattern)
         && a->moe.experts == b->moe.experts && (a->moe.experts == 0 || same_experts);
}

static const SwModelSpec *
model_at (GListModel *entries, guint i)
{
  g_autoptr (GObject) entry = g_list_model_get_item (entries, i);
  g_autofree char *id = NULL;

  g_object_get (entry, "id", &id, NULL);
  return shardwise_catalogue_find_model (shardwise_catalogue_get (), id);
}

/* The fit of the longest sequence; a catalog model with a shorter one would cause a wrong note. */
static guint64
length_distance (const SwModelSpec *model, const SwModelSpec *wanted)
{
  if (model->max_position_embeddings < wanted->max_position_embeddings)
    return G_MAXUINT64;
  return model->max_position_embeddings - wanted->max_position_embeddings;
}

/**
 * shardwise_import_match_but_vocabulary:
 * @model: an architecture without a vocabulary
 * @text: (nullable): the file: a family whose name it contains has priority
 * @largest: whether to return the largest of several
 *
 * Returns: (transfer none) (nullable): the catalog's model whose layers have the same dimensions
 */
const SwModelSpec *
shardwise_import_match_but_vocabulary (const SwModelSpec *model, const char *text, gboolean largest)
{
  g_autoptr (GListModel) entries = shardwise_catalogue_models (shardwise_catalogue_get ());
  g_autofree char *lower = text != NULL ? g_ascii_strdown (text, -1) : NULL;
  const SwModelSpec *found = NULL;
  gboolean is_named = FALSE;

  for (guint i = 0; i < g_list_model_get_n_items (entries); i++)
    {
      const SwModelSpec *known = model_at (entries, i);

      if (known != NULL && known->layers == model->layers
          && known->hidden_size == model->hidden_size
          && known->attention_heads == model->attention_heads && known->kv_heads == model->kv_heads
          && known->gated_mlp == model->gated_mlp && known->moe.experts == model->moe.experts
          && (known->position == SW_POSITION_ALIBI) == (model->position == SW_POSITION_ALIBI)
          && (model->moe.experts > 0 || known->intermediate_size == model->intermediate_size))
        {
          /* Such as "mistral" in "mistral-7b-v0.3". Short words occur in any text, and the
           * program's name occurs in every script for it. */
          g_autofree char *family = g_strndup (known->id,
                                               strspn (known->id, "abcdefghijklmnopqrstuvwxyz"));
          const gboolean names_it = lower != NULL && strlen (family) >= 4
                                    && !g_str_equal (family, "megatron")
                                    && strstr (lower, family) != NULL;

          if (found == NULL || names_it > is_named
              || (names_it == is_named && (known->vocab_size > found->vocab_size) == largest))
            {
              found = known;
              is_named = names_it;
            }
        }
    }
  return found;
}

/* ---- a checkpoint's name ---- */

/* "meta-llama/Meta-Llama-3.1-70B-Instruct/" -> "llama-3.1-70b" */
static char *
simplify (const char *name)
{
  /* Suffixes that distinguish checkpoints of one model, and forms of one checkpoint; the outer ones
   * first. */
  static const char *const noise[] = { "-bnb-4bit",   "-unsloth",  "-bnb-nf4-bf16", "-fp16",
                                       "-torch-dist", "-mcore",    "-slime",        "-hf",
                                       "-fp8",        "-bf16",     "-int4",         "-2507",
                                       "-instruct",   "-thinking", "-chat",         "-base",
                                       "-it" };
  /* Checkpoint names with another name in the catalog. */
  static const struct {
    const char *name, *id;
  } others[] = {
    { "llama-4-scout-17b-16e", "llama-4-scout" },
    { "llama-4-maverick-17b-128e", "llama-4-maverick" },
    { "deepseek-r1", "deepseek-v3" },
    { "deepseek-v3.1", "deepseek-v3" },
    { "glm-4.5", "glm-4.5-355b-a32b" },
    { "glm-4.5-air", "glm-4.5-air-106b-a12b" },
    { "mixtral-8x7b-v0.1", "mixtral-8x7b" },
    { "mixtral-8x22b-v0.1", "mixtral-8x22b" },
  };
  static const char *const hyphened[] = { "llama", "glm" }; /* "llama3-8b" -> "llama-3-8b" */
  g_autofree char *last = g_path_get_basename (name);
  g_autoptr (GString) text = g_string_new (NULL);

  for (const char *c = last; *c != '\0'; c++)
    g_string_append_c (text, *c == '_' || *c == ' ' ? '-' : g_ascii_tolower (*c));
  g_string_replace (text, "meta-llama-", "llama-", 0);
  for (guint i = 0; i < G_N_ELEMENTS (hyphened); i++)
    if (g_str_has_prefix (text->str, hyphened[i])
        && g_ascii_isdigit (text->str[strlen (hyphened[i])]))
      g_string_insert_c (text, (gssize) strlen (hyphened[i]), '-');
  for (guint i = 0; i < G_N_ELEMENTS (noise); i++)
    if (g_str_has_suffix (text->str, noise[i]))
      g_string_truncate (text, text->len - strlen (noise[i]));
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (g_str_equal (others[i].name, text->str))
      return g_strdup (others[i].id);
  return g_strdup (text->str);
}

/**
 * shardwise_import_model_named:
 * @name: a checkpoint, such as "meta-llama/Meta-Llama-3-70B", or a folder of that name
 *
 * Returns: (transfer none) (nullable): the catalog's model with that name
 */
const SwModelSpec *
shardwise_import_model_named (const char *name)
{
  const char *known = shardwise_names_of_hub (name);
  g_autofree char *id = known != NULL ? g_strdup (known) : simplify (name);

  return shardwise_catalogue_find_model (shardwise_catalogue_get (), id);
}

/**
 * shardwise_import_put_model_named:
 * @name: as for shardwise_import_model_named()
 *
 * Returns: whether the catalog has a model with that name, which the scenario then refers to
 */
gboolean
shardwise_import_put_model_named (ShardwiseImportJob *job, const char *name)
{
  const SwModelSpec *model = shardwise_import_model_named (name);

  if (model != NULL && !job->has_model)
    shardwise_import_put_word (job, SHARDWISE_KEY_MODEL_PRESET, model->id);
  return model != NULL || job->has_model;
}

/* ---- dimensions ---- */

/* The id of the catalog's model with the same dimensions; NULL: none. Of several, the one that
 * occurs in the file, otherwise the one with the nearest longest sequence. */
static const char *
find_model (ShardwiseImportJob *job, const SwModelSpec *model)
{
  g_autoptr (GListModel) entries = shardwise_catalogue_models (shardwise_catalogue_get ());
  static const char *const names[] = { "_name_or_path", "--hf-checkpoint", "--tokenizer-model" };
  const SwModelSpec *known = NULL;
  guint64 nearest = G_MAXUINT64;
  const char *found = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const ShardwiseNode *name = shardwise_import_at (job, names[i]);

      if (name != NULL && name->type == SHARDWISE_NODE_STRING)
        known = shardwise_import_model_named (name->text);
      if (known != NULL && is_same (known, model))
        return known->id;
    }
  for (guint i = 0; i < g_list_model_get_n_items (entries); i++)
    {
      known = model_at (entries, i);
      if (known == NULL || known->approximated || !is_same (known, model)
          || length_distance (known, model) >= nearest)
        continue;
      nearest = length_distance (known, model);
      found = known->id;
    }
  return found;
}

/* Whether a key applies to @model: keys of experts, latent attention or a window apply only if it
 * has them, and dimensions only if the file sets them. */
static gboolean
is_told (const SwModelSpec *model, ShardwiseKeyId id, GVariant *value)
{
  if (id >= SHARDWISE_KEY_MODEL_MOE_EXPERTS)
    return id >= SHARDWISE_KEY_MODEL_MLA_Q_LORA_RANK ? model->mla.kv_lora_rank > 0
                                                     : model->moe.experts > 0;
  if (id == SHARDWISE_KEY_MODEL_SLIDING_WINDOW_PATTERN)
    return model->sliding_window > 0;
  if (id == SHARDWISE_KEY_MODEL_KIND)
    return model->kind != SW_MODEL_DECODER;
  return id == SHARDWISE_KEY_MODEL_NORMS_PER_LAYER
         || !g_variant_is_of_type (value, G_VARIANT_TYPE_INT64) || g_variant_get_int64 (value) > 0;
}

/**
 * shardwise_import_put_model:
 * @model: an architecture with defaults for missing keys
 *
 * Refers to the catalog's model if it is one, otherwise states its dimensions. An impossible model
 * is an error here, because nothing could be computed.
 */
void
shardwise_import_put_model (ShardwiseImportJob *job, const SwModelSpec *model)
{
  SwModelSpec stated = *model;
  const char *id;

  if (job->error != NULL || job->has_model)
    return;
  id = find_model (job, model);
  job->model = *model;
  if (id != NULL)
    {
      shardwise_import_put_word (job, SHARDWISE_KEY_MODEL_PRESET, id);
      return;
    }
  stated.moe.top_k = MAX (model->moe.top_k, 1);
  stated.moe.layer_frequency = MAX (model->moe.layer_frequency, 1);
  for (ShardwiseKeyId i = SHARDWISE_MODEL_VALUES_FIRST; i <= SHARDWISE_MODEL_VALUES_LAST; i++)
    {
      g_autoptr (GVariant) value = g_variant_ref_sink (shardwise_model_values_get (&stated, i));

      if (is_told (&stated, i, value))
        shardwise_import_put (job, i, value);
    }
}

/* ---- how many parameters, and whether its name says the same ---- */

/* Names round the size, with or without embeddings. */
#define LEAST_SHARE 0.75
#define MOST_SHARE 1.35

/* "Qwen2-72B" -> 72e9; a part of a product ("8x7b") and active parameters ("a3b") are not the size
 * of the model. 0: no size. */
static double
size_in_name (const char *name)
{
  g_autoptr (GRegex) regex = g_regex_new ("(?<![a-z0-9.])([0-9]+(?:\\.[0-9]+)?)(b|m)(?![a-z0-9])",
                                          G_REGEX_CASELESS | G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *number = NULL, *unit = NULL;

  if (name == NULL || !g_regex_match (regex, name, 0, &match))
    return 0;
  number = g_match_info_fetch (match, 1);
  unit = g_match_info_fetch (match, 2);
  return g_ascii_strtod (number, NULL) * (g_ascii_tolower (*unit) == 'b' ? 1e9 : 1e6);
}

/* Reports the number of parameters, so that a misread number is visible, and warns if the name
 * implies another size. */
static void
find_size (ShardwiseImportJob *job, const char *path)
{
  SwParameterCount count;
  g_autofree char *counted = NULL, *named = NULL, *active = NULL;
  double size;

  if (job->error != NULL || job->model.layers == 0)
    return;
  sw_model_count (&job->model, &count);
  counted = shardwise_format_count (count.total);
  active = shardwise_format_count (count.active);
  if (job->model.moe.experts > 0)
    shardwise_import_find (job, SHARDWISE_SEVERITY_INFO, "parameters",
                           /* Translators: numbers of parameters */
                           _ ("Computed from the file: %s parameters, of which a token uses %s."),
                           counted, active);
  else
    shardwise_import_find (job, SHARDWISE_SEVERITY_INFO, "parameters",
                           /* Translators: a number of parameters */
                           _ ("Computed from the file: %s parameters."), counted);
  size = size_in_name (path);
  if (size == 0 && job->name != NULL && *job->name != '\0')
    {
      /* "config.json" is not a useful name; that of its folder is. */
      g_autofree char *file = g_path_get_basename (job->name),
                      *folder = g_path_get_dirname (job->name),
                      *parent = g_path_get_basename (folder);

      size = size_in_name (file);
      if (size == 0)
        size = size_in_name (parent);
    }
  if (size == 0 || (count.total > LEAST_SHARE * size && count.total < MOST_SHARE * size))
    return;
  named = shardwise_format_count (size);
  shardwise_import_find (job, SHARDWISE_SEVERITY_WARNING, "parameters",
                         /* Translators: numbers of parameters */
                         _ ("The name indicates %s parameters, but the file describes %s: one of "
                            "its values, or a key that is not read, causes the difference."),
                         named, counted);
}

/* ---- from the usual names of config.json to the dimensions of the engine ---- */

static guint
required (ShardwiseImportJob *job, const char *key, ShardwiseKeyId id)
{
  guint value = 0;
  g_autofree char *accepted = NULL;

  if (shardwise_import_count (job, key, id, &value) || job->error != NULL)
    return value;
  accepted = shardwise_key_describe_range (shardwise_key_get (id));
  shardwise_import_fail (job, NULL, key,
                         /* Translators: a range of numbers */
                         _ ("is required, because its family has no usual value; allowed: %s"),
                         accepted);
  return 0;
}

static const char *
family_text (const ShardwiseNode *family, const char *key)
{
  const ShardwiseNode *node = family != NULL ? shardwise_node_member (family, key) : NULL;

  return node != NULL ? node->text : NULL;
}

static gboolean
family_truth (const ShardwiseNode *family, const char *key, gboolean fallback)
{
  const ShardwiseNode *node = family != NULL ? shardwise_node_member (family, key) : NULL;

  return node != NULL ? node->number != 0 : fallback;
}

static guint
family_word (const ShardwiseNode *family, const char *key, const char *const *words, guint fallback)
{
  const char *text = family_text (family, key);
  int index = text != NULL ? sw_name_index (words, text) : -1;

  return index >= 0 ? (guint) index : fallback;
}

/* Newer files list which layers are local. */
static void
read_window (ShardwiseImportJob *job, const ShardwiseNode *family, SwModelSpec *out)
{
  const double exact[] = { 1, 0.5, 5.0 / 6.0 };
  const ShardwiseNode *types = shardwise_import_at (job, "layer_types");
  double share = 0;
  guint window;

  if (!shardwise_import_truth (job, "use_sliding_window", TRUE)
      || !shardwise_import_count (job, "sliding_window", SHARDWISE_KEY_MODEL_SLIDING_WINDOW,
                                  &window))
    return;
  out->window_pattern = family_word (family, "window", sw_window_pattern_names, SW_WINDOW_ALL);
  out->sliding_window = window;
  if (types == NULL || types->type != SHARDWISE_NODE_LIST || types->items->len == 0)
    return;
  for (guint i = 0; i < types->items->len; i++)
    share += shardwise_node_is_text (types->items->pdata[i], "sliding_attention");
  share /= types->items->len;
  if (share == 0)
    out->sliding_window = 0;
  out->window_pattern = share > 0.92        ? SW_WINDOW_ALL
                        : share > 2.0 / 3.0 ? SW_WINDOW_FIVE_TO_ONE
                                            : SW_WINDOW_EVERY_SECOND;
  if (share > 0 && ABS (exact[out->window_pattern] - share) > 0.05)
    shardwise_import_warn (job,
                           _ ("The sliding window applies to %.0f %% of the layers: the model uses "
                              "the nearest supported pattern, “%s”."),
                           100 * share, sw_window_pattern_names[out->window_pattern]);
}

static void
read_experts (ShardwiseImportJob *job, const ShardwiseNode *family, SwModelSpec *out)
{
  const ShardwiseNode *list;
  SwMoe *moe = &out->moe;
  guint experts = 0, n = 0;

  if (!shardwise_import_count (job, "num_experts", SHARDWISE_KEY_MODEL_MOE_FIRST_DENSE_LAYERS,
                               &experts)
      || experts < 2)
    return;
  shardwise_import_count (job, "num_experts", SHARDWISE_KEY_MODEL_MOE_EXPERTS, &moe->experts);
  if (!shardwise_import_count (job, "num_experts_per_tok", SHARDWISE_KEY_MODEL_MOE_TOP_K,
                               &moe->top_k))
    {
      moe->top_k = MIN (2, moe->experts);
      shardwise_import_warn (job, _ ("The file does not set the number of experts per token "
                                     "(num_experts_per_tok): Shardwise uses 2."));
    }
  moe->intermediate_size = shardwise_import_count_or (job, "moe_intermediate_size",
                                                      SHARDWISE_KEY_MODEL_MOE_INTERMEDIATE_SIZE,
                                                      out->intermediate_size);

  /* The number of leading dense layers in a list. */
  list = shardwise_import_at (job, "mlp_only_layers");
  if (list != NULL && list->type == SHARDWISE_NODE_LIST)
    {
      moe->first_dense_layers = list->items->len;
      for (guint i = 0; i < list->items->len; i++)
        {
          const ShardwiseNode *item = list->items->pdata[i];

          if (shardwise_node_is_number (item) && item->number == i)
            continue;
          shardwise_import_warn (job, _ ("Dense layers (mlp_only_layers) that are not the first "
                                         "layers are modeled as first layers."));
          break;
        }
    }
  shardwise_import_count (job, "first_k_dense_replace", SHARDWISE_KEY_MODEL_MOE_FIRST_DENSE_LAYERS,
                          &moe->first_dense_layers);

  /* A number, or a list with 0 for every dense layer. */
  list = shardwise_import_at (job, "decoder_sparse_step");
  moe->layer_frequency = 1;
  if (list == NULL || list->type != SHARDWISE_NODE_LIST)
    shardwise_import_count (job, "decoder_sparse_step", SHARDWISE_KEY_MODEL_MOE_LAYER_FREQUENCY,
                            &moe->layer_frequency);
  else
    {
      while (n < list->items->len && ((ShardwiseNode *) list->items->pdata[n])->number == 0)
        n++;
      moe->first_dense_layers = MAX (moe->first_dense_layers, n);
    }

  if (shardwise_import_count (job, "shared_expert_intermediate_size",
                              SHARDWISE_KEY_MODEL_MOE_SHARED_INTERMEDIATE_SIZE, &n))
    moe->shared_intermediate_size = n;
  else if (shardwise_import_count (job, "n_shared_experts",
                                   SHARDWISE_KEY_MODEL_MOE_FIRST_DENSE_LAYERS, &n))
    moe->shared_intermediate_size = (guint) MIN ((guint64) n * moe->intermediate_size, 16777216);
  else if (g_strcmp0 (family_text (family, "approximation"), "chunked-attention") == 0)
    moe->shared_intermediate_size =
        moe->intermediate_size; /* Llama 4: one shared expert of the same width */
  /* Llama 4 gives the dense layers a key of their own. */
  shardwise_import_count (job, "intermediate_size_mlp", SHARDWISE_KEY_MODEL_INTERMEDIATE_SIZE,
                          &out->intermediate_size);
}

/**
 * shardwise_import_latent:
 * @keys: the file's names for q_lora_rank and the dimensions of a head
 * @out: a model with a known kv_lora_rank
 *
 * Reads multi-head latent attention, with the dimensions of DeepSeek if the file has none.
 */
void
shardwise_import_latent (ShardwiseImportJob *job, const char *const *keys, SwModelSpec *out)
{
  SwMla *mla = &out->mla;

  shardwise_import_count (job, keys[0], SHARDWISE_KEY_MODEL_MLA_Q_LORA_RANK, &mla->q_lora_rank);
  mla->qk_nope_head_dim = shardwise_import_count_or (job, keys[1],
                                                     SHARDWISE_KEY_MODEL_MLA_QK_NOPE_HEAD_DIM, 128);
  mla->qk_rope_head_dim = shardwise_import_count_or (job, keys[2],
                                                     SHARDWISE_KEY_MODEL_MLA_QK_ROPE_HEAD_DIM, 64);
  mla->v_head_dim = shardwise_import_count_or (job, keys[3], SHARDWISE_KEY_MODEL_MLA_V_HEAD_DIM,
                                               128);
  out->head_dim = mla->qk_nope_head_dim + mla->qk_rope_head_dim;
}

/* The keys of a family: "qkv out mlp". */
static void
add_biases (SwModelSpec *out, const char *words)
{
  g_auto (GStrv) list = g_strsplit (words != NULL ? words : "", " ", -1);

  out->qkv_bias |= g_strv_contains ((const char *const *) list, "qkv");
  out->attn_out_bias |= g_strv_contains ((const char *const *) list, "out");
  out->mlp_bias |= g_strv_contains ((const char *const *) list, "mlp");
}

/* ---- the keys of all families ---- */

#define FAMILIES "/io/github/shardwise/Shardwise/catalogue/families.json"

/* Families have different names for the same key; the first one in the file counts. */
static const struct {
  const char *name;
  const char *others[8];
} names[] = {
  { "hidden_size", { "n_embd", "n_embed", "d_model", "model_dim", "dim", NULL } },
  { "num_hidden_layers", { "n_layer", "n_layers", "num_layers", "decoder_layers", NULL } },
  { "num_attention_heads",
    { "n_head", "n_heads", "num_heads", "num_query_heads", "decoder_attention_heads", NULL } },
  { "num_key_value_heads",
    { "n_head_kv", "num_kv_heads", "num_query_groups", "multi_query_group_num",
      "attn_config.kv_n_heads", NULL } },
  { "intermediate_size",
    { "n_inner", "ffn_dim", "ffn_hidden_size", "d_ff", "decoder_ffn_dim",
      "ffn_config.ffn_hidden_size", "inter_dim", NULL } },
  { "moe_intermediate_size", { "moe_inter_dim", NULL } },
  { "vocab_size", { "padded_vocab_size", NULL } },
  { "max_position_embeddings",
    { "n_positions", "n_ctx", "max_seq_len", "seq_length", "max_sequence_length",
      "max_target_positions", NULL } },
  { "hidden_act",
    { "activation_function", "hidden_activation", "mlp_hidden_act", "activation", NULL } },
  { "head_dim", { "kv_channels", "attention_head_dim", "d_kv", NULL } },
  { "num_experts",
    { "num_local_experts", "n_routed_experts", "moe_num_experts", "ffn_config.moe_num_experts",
      NULL } },
  { "num_experts_per_tok",
    { "experts_per_token", "num_experts_per_token", "moe_topk", "moe_top_k", "moe_k",
      "ffn_config.moe_top_k", "n_activated_experts", NULL } },
  { "n_shared_experts",
    { "num_shared_experts", "num_shared_expert", "moe_num_shared_experts", NULL } },
  { "shared_expert_intermediate_size", { "shared_intermediate_size", NULL } },
  { "decoder_sparse_step",
    { "moe_layer_freq", "interleave_moe_layer_step", "expert_layer_period", "moe_layer_interval",
      NULL } },
  { "first_k_dense_replace", { "moe_layer_start_index", "n_dense_layers", NULL } },
};

/* Newer families state some numbers for each layer: one number if all agree, otherwise the mean,
 * which preserves the number of parameters. */
static void
flatten (ShardwiseImportJob *job, ShardwiseNode *map, const char *name)
{
  const ShardwiseNode *list = shardwise_node_member (map, name);
  g_autofree char *text = NULL;
  double first, sum = 0, mean;
  gboolean is_same_number = TRUE;

  if (list == NULL || list->type != SHARDWISE_NODE_LIST || list->items->len == 0)
    return;
  first = ((ShardwiseNode *) list->items->pdata[0])->number;
  for (guint i = 0; i < list->items->len; i++)
    {
      const ShardwiseNode *item = list->items->pdata[i];

      if (!shardwise_node_is_number (item))
        return;
      sum += item->number;
      is_same_number = is_same_number && item->number == first;
    }
  mean = is_same_number ? first : floor (sum / list->items->len + 0.5);
  text = g_strdup_printf ("%.0f", mean);
  if (!is_same_number)
    shardwise_import_warn (job,
                           /* Translators: a key of the file, a number */
                           _ ("%s differs between layers: the mean, %s, is used for all layers."),
                           name, text);
  shardwise_node_set (
      map, name,
      shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, list->line, list->column, text, mean));
}

static void
copy (ShardwiseNode *to, const char *name, ShardwiseNode *value)
{
  if ((value != NULL && value->type != SHARDWISE_NODE_NULL)
      && shardwise_node_member (to, name) == NULL)
    shardwise_node_set (to, name, shardwise_node_ref (value));
}

/* Both are maps. Values in @to have priority, including null, which means "none". */
static void
merge (ShardwiseNode *to, const ShardwiseNode *from)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      copy (to, names[i].name, shardwise_node_member (from, names[i].name));
      for (guint j = 0; names[i].others[j] != NULL; j++)
        copy (to, names[i].name, shardwise_node_find (from, names[i].others[j]));
    }
  for (guint i = 0; i < from->keys->len; i++)
    if (shardwise_node_member (to, from->keys->pdata[i]) == NULL)
      shardwise_node_set (to, from->keys->pdata[i], shardwise_node_ref (from->items->pdata[i]));
}

/* (transfer full) (nullable): the defaults of a model_type. */
static ShardwiseNode *
find_family (const char *type)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (FAMILIES, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autoptr (ShardwiseNode) root = NULL;
  const ShardwiseNode *list;
  gsize length;
  const char *text;

  g_return_val_if_fail (bytes != NULL, NULL);
  text = g_bytes_get_data (bytes, &length);
  root = shardwise_node_from_json (text, length, NULL);
  g_return_val_if_fail (root != NULL, NULL);
  list = shardwise_node_member (root, "families");
  for (guint i = 0; list != NULL && type != NULL && i < list->items->len; i++)
    {
      const ShardwiseNode *types = shardwise_node_member (list->items->pdata[i], "types");

      for (guint j = 0; j < types->items->len; j++)
        if (shardwise_node_is_text (types->items->pdata[j], type))
          return shardwise_node_ref (list->items->pdata[i]);
    }
  return NULL;
}

/* ---- warnings ---- */

static void
warn_approximation (ShardwiseImportJob *job, const char *word, const char *type)
{
  static const struct {
    const char *word, *text;
  } texts[] = {
    { "hybrid",
      N_ ("“%s” combines attention with recurrent layers: all layers are modeled as attention "
          "layers, so memory and time of the recurrent layers are approximate.") },
    { "recurrent", N_ ("“%s” has recurrent layers and no attention: they are modeled as attention "
                       "layers, so their memory and time are approximate.") },
    { "encoder-decoder",
      N_ ("“%s” has an encoder and a decoder: only the stack of num_hidden_layers is modeled, as "
          "decoder layers; the other stack and its cross-attention are omitted.") },
    { "encoder", N_ ("“%s” is an encoder: its attention is modeled as a decoder’s, which covers "
                     "only half of the sequence.") },
    { "window",
      N_ ("In “%s”, one layer in four covers the whole sequence: Shardwise models one in six.") },
    { "sparse-attention", N_ ("“%s” uses sparse attention: it is modeled as dense attention, so "
                              "long sequences take less time than predicted.") },
    { "chunked-attention", N_ ("“%s” splits attention into chunks in most layers: attention is "
                               "modeled over the whole sequence.") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (g_str_equal (texts[i].word, word))
      {
        g_autofree char *text = shardwise_import_fill (_ (texts[i].text), type);

        shardwise_import_warn (job, "%s", text);
      }
}

static const char *
text_of (const ShardwiseNode *map, const char *key)
{
  const ShardwiseNode *node = shardwise_node_member (map, key);

  return node != NULL && node->type == SHARDWISE_NODE_STRING ? node->text : NULL;
}

/* From the keys, including the defaults of the family, to the dimensions of the engine. */
static void
read_architecture (ShardwiseImportJob *job, const ShardwiseNode *family, SwModelSpec *out)
{
  const ShardwiseNode *labels = shardwise_import_at (job, "id2label"),
                      *activation = shardwise_import_at (job, "hidden_act"),
                      *norms = family != NULL ? shardwise_node_member (family, "norms") : NULL,
                      *keys = family != NULL ? shardwise_node_member (family, "bias_keys") : NULL;
  static const char *const latent_keys[] = { "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim",
                                             "v_head_dim" };
  const char *norm_key = family_text (family, "qk_norm_key");
  gboolean grouped;
  guint heads;

  out->hidden_size = required (job, "hidden_size", SHARDWISE_KEY_MODEL_HIDDEN_SIZE);
  out->layers = required (job, "num_hidden_layers", SHARDWISE_KEY_MODEL_LAYERS);
  out->attention_heads = required (job, "num_attention_heads", SHARDWISE_KEY_MODEL_ATTENTION_HEADS);
  heads = MAX (out->attention_heads, 1);
  if (shardwise_import_at (job, "vocab_size") != NULL
      || shardwise_import_at (job, "patch_size") == NULL)
    out->vocab_size = required (job, "vocab_size", SHARDWISE_KEY_MODEL_VOCAB_SIZE);
  else
    {
      /* Pictures as words: a vision model has patches and labels in place of a vocabulary. */
      out->kind = SW_MODEL_VIT;
      shardwise_import_warn (job,
                             _ ("This is an image model: its layers are modeled as a decoder’s, "
                                "its patches as the sequence, which the file does not set, and its "
                                "labels as the vocabulary. Time and memory are approximate."));
      out->vocab_size = labels != NULL && labels->keys != NULL && labels->keys->len > 0
                            ? labels->keys->len
                            : 1000;
    }
  out->intermediate_size = shardwise_import_count_or (
      job, "intermediate_size", SHARDWISE_KEY_MODEL_INTERMEDIATE_SIZE,
      shardwise_import_count_or (job, "expansion_ratio", SHARDWISE_KEY_MODEL_NORMS_PER_LAYER, 4)
          * out->hidden_size);
  out->max_position_embeddings = shardwise_import_count_or (
      job, "max_position_embeddings", SHARDWISE_KEY_MODEL_MAX_POSITION_EMBEDDINGS, 4096);
  if (family_truth (family, "halved", FALSE))
    out->intermediate_size = MAX (out->intermediate_size / 2, 1); /* Qwen 1: of both halves */

  /* Falcon, MPT and StarCoder state whether all heads share one key and value; ChatGLM states
   * whether its number of groups is used. */
  grouped = shardwise_import_truth (job, "new_decoder_architecture", FALSE)
            || shardwise_import_truth (job, "multi_query_attention", FALSE);
  if (!grouped && shardwise_import_truth (job, "multi_query", FALSE))
    out->kv_heads = 1;
  else if (shardwise_import_at (job, "multi_query_attention") != NULL && !grouped)
    out->kv_heads = heads;
  else
    out->kv_heads = shardwise_import_count_or (job, "num_key_value_heads",
                                               SHARDWISE_KEY_MODEL_KV_HEADS, heads);
  out->head_dim = shardwise_import_count_or (job, "head_dim", SHARDWISE_KEY_MODEL_HEAD_DIM,
                                             MAX (out->hidden_size / heads, 1));
  if (out->hidden_size % heads != 0 && shardwise_import_at (job, "head_dim") == NULL
      && shardwise_import_at (job, "kv_lora_rank") == NULL)
    shardwise_import_find (job, SHARDWISE_SEVERITY_ERROR, "heads",
                           _ ("The hidden size %'u is not a multiple of the %u attention heads, "
                              "and head_dim is not set: Transformers rejects the model."),
                           out->hidden_size, heads);
  if (shardwise_import_count (job, "kv_lora_rank", SHARDWISE_KEY_MODEL_MLA_KV_LORA_RANK,
                              &out->mla.kv_lora_rank))
    shardwise_import_latent (job, latent_keys, out);
  read_window (job, family, out);

  /* Unknown families: gated if the activation usually is. */
  out->gated_mlp = family != NULL ? family_truth (family, "gated", TRUE)
                                  : activation == NULL || activation->type != SHARDWISE_NODE_STRING
                                        || strstr (activation->text, "gelu") == NULL;
  /* The base class of all configurations ties embeddings by default. */
  out->tied_embeddings = shardwise_import_truth (job, "tie_word_embeddings", TRUE);
  out->norm = family_word (family, "norm", sw_norm_names, SW_NORM_RMSNORM);
  out->norms_per_layer = norms != NULL ? (guint) norms->number : 2;
  out->position = family_word (family, "position", sw_position_names, SW_POSITION_ROPE);
  out->qk_norm = family_word (family, "qk_norm", sw_qk_norm_names, SW_QK_NORM_NONE);
  if (norm_key != NULL && !shardwise_import_truth (job, norm_key, FALSE))
    out->qk_norm = SW_QK_NORM_NONE;
  out->parallel_block = family_truth (family, "parallel", FALSE);
  add_biases (out, family_text (family, "bias"));
  for (guint i = 0; keys != NULL && i < keys->keys->len; i++)
    if (shardwise_import_truth (job, keys->keys->pdata[i], FALSE))
      add_biases (out, ((ShardwiseNode *) keys->items->pdata[i])->text);
  if (family == NULL && shardwise_import_truth (job, "attention_bias", FALSE))
    add_biases (out, "qkv out");
  read_experts (job, family, out);

  /* Keys of single families besides the common keys. */
  if (shardwise_import_truth (job, "new_decoder_architecture", FALSE))
    out->norms_per_layer = 2; /* Falcon 40B and 180B */
  if (shardwise_import_truth (job, "alibi", FALSE))
    out->position = SW_POSITION_ALIBI;
  if (shardwise_import_at (job, "num_nextn_predict_layers") != NULL)
    shardwise_import_count (job, "num_nextn_predict_layers", SHARDWISE_KEY_MODEL_MTP_LAYERS,
                            &out->mtp_layers);
  if (shardwise_import_truth (job, "use_mtp", FALSE))
    shardwise_import_count (job, "num_mtp_modules", SHARDWISE_KEY_MODEL_MTP_LAYERS,
                            &out->mtp_layers);
}

/**
 * shardwise_import_model_keys:
 * @part: a map with the keys of a config.json
 * @type: (nullable): its model_type
 *
 * Stores the model in @part, with the defaults of its family.
 */
void
shardwise_import_model_keys (ShardwiseImportJob *job, const ShardwiseNode *part, const char *type)
{
  static const char *const by_layer[] = { "intermediate_size",   "moe_intermediate_size",
                                          "num_attention_heads", "num_key_value_heads",
                                          "num_experts_per_tok", "n_shared_experts" };
  const ShardwiseNode *root = job->root;
  g_autoptr (ShardwiseNode) family = find_family (type);
  g_autoptr (ShardwiseNode) merged = shardwise_node_new (SHARDWISE_NODE_MAP, part->line,
                                                         part->column);
  SwModelSpec model = { 0 };

  merge (merged, part);
  for (guint i = 0; i < G_N_ELEMENTS (by_layer); i++)
    flatten (job, merged, by_layer[i]);
  if (family != NULL)
    {
      /* Missing keys with the family's default: each is an assumption. */
      const ShardwiseNode *defaults = shardwise_node_member (family, "defaults");
      g_autoptr (GString) text = g_string_new (NULL);

      for (guint i = 0; i < defaults->keys->len; i++)
        {
          const char *key = defaults->keys->pdata[i];
          const ShardwiseNode *value = defaults->items->pdata[i];

          if (value->text != NULL && shardwise_node_member (merged, key) == NULL)
            g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", key, value->text);
        }
      if (text->len > 0)
        shardwise_import_warn (job,
                               /* Translators: a model_type; then keys with their values */
                               _ ("Not in the file; the defaults that Transformers documents for "
                                  "“%.60s” are used: %s."),
                               type, text->str);
      merge (merged, defaults);
      if (text_of (family, "approximation") != NULL)
        warn_approximation (job, text_of (family, "approximation"), type);
    }
  else if (type == NULL)
    shardwise_import_warn (job, _ ("The file does not set model_type: it is read as a decoder like "
                                   "Llama, with RMSNorm and rotary positions."));
  else
    shardwise_import_warn (
        job,
        /* Translators: a model_type, a word of the file */
        _ ("The architecture “%.60s” is unknown: it is read as a decoder like Llama, with RMSNorm "
           "twice per layer and rotary positions. Norms, biases and the kind of attention are "
           "approximate; compare the number of parameters."),
        type);
  job->root = merged;
  read_architecture (job, family, &model);
  shardwise_import_put_model (job, &model);
  job->root = root;
}

#define TIED "tie_word_embeddings"

/* Reads the model of a config.json; the scenario refers to the catalog's model if it is one. Of
 * text and vision in one file, only the decoder is read. */
static void
read_config (ShardwiseImportJob *job)
{
  static const char *const parts[] = { "text_config", "llm_config", "language_config",
                                       "thinker_config.text_config" };
  const ShardwiseNode *root = job->root, *part = root,
                      *classes = shardwise_node_member (root, "architectures");
  g_autoptr (ShardwiseNode) whole = shardwise_node_new (SHARDWISE_NODE_MAP, root->line,
                                                        root->column);
  g_autofree char *of_class = NULL;
  const char *type, *name = NULL;
  ShardwiseNode *tied;

  for (guint i = 0; i < G_N_ELEMENTS (parts) && name == NULL; i++)
    {
      const ShardwiseNode *inner = shardwise_node_find (root, parts[i]);

      if (inner == NULL || inner->type == SHARDWISE_NODE_NULL)
        continue;
      name = parts[i];
      if (inner->type == SHARDWISE_NODE_MAP)
        part = inner;
      else
        shardwise_import_fail (job, inner, name, _ ("wrong type; allowed: a group of keys"));
    }
  if (part != root)
    {
      shardwise_import_warn (
          job,
          /* Translators: the name of a part of the file */
          _ ("Only the language model (%s) is read: image or audio encoders are omitted."), name);
      if (shardwise_node_is_text (shardwise_node_member (root, "model_type"), "mllama"))
        shardwise_import_warn (
            job, _ ("Its cross-attention layers are modeled as self-attention layers."));
    }
  else if (name == NULL
           && (shardwise_node_member (root, "vision_config") != NULL
               || shardwise_node_member (root, "audio_config") != NULL))
    shardwise_import_warn (
        job, _ ("Only the language model is read: image or audio encoders are omitted."));

  /* model_type, even if only the nested part or the class is stated. */
  type = text_of (part, "model_type");
  if (type == NULL)
    type = text_of (root, "model_type");
  if (type == NULL && classes != NULL && classes->type == SHARDWISE_NODE_LIST
      && classes->items->len > 0)
    {
      type = ((ShardwiseNode *) classes->items->pdata[0])->text;
      if (type != NULL && g_str_has_suffix (type, "ForCausalLM"))
        type = of_class = g_ascii_strdown (type, (gssize) (strlen (type) - strlen ("ForCausalLM")));
    }
  tied = part != root && shardwise_node_member (part, TIED) == NULL
             ? shardwise_node_member (root, TIED)
             : NULL;
  if (tied != NULL) /* for the whole model, so it also applies to its part */
    {
      merge (whole, part);
      shardwise_node_set (whole, TIED, shardwise_node_ref (tied));
      part = whole;
    }
  shardwise_import_model_keys (job, part, type);
  find_size (job, text_of (root, "_name_or_path"));
}

const ShardwiseImportReader shardwise_import_config = { "huggingface",
                                                        N_ ("Hugging Face config.json"),
                                                        SHARDWISE_N_FORMATS, read_config };

/* ---- Llama's params.json ---- */

/* DeepSeek's own configuration, for its published code. That code lacks multi-token prediction,
 * although V3, the model that scores its experts by a sigmoid, is trained with it. */
static void
read_deepseek (ShardwiseImportJob *job)
{
  static const char *const prediction = "num_nextn_predict_layers";
  const ShardwiseNode *root = job->root;
  const gboolean is_v3 = shardwise_node_is_text (shardwise_import_at (job, "score_func"),
                                                 "sigmoid");
  g_autoptr (ShardwiseNode) map = shardwise_node_new (SHARDWISE_NODE_MAP, root->line, root->column);

  merge (map, root);
  if (is_v3 && shardwise_node_member (map, prediction) == NULL)
    {
      shardwise_node_set (map, prediction,
                          shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, 0, 0, "1", 1));
      shardwise_import_warn (
          job, _ ("DeepSeek’s own file does not list multi-token prediction, which is used in "
                  "training only: Shardwise adds the one layer of DeepSeek-V3."));
    }
  shardwise_import_model_keys (job, map, is_v3 ? "deepseek_v3" : "deepseek_v2");
  find_size (job, NULL);
}

/* Reads params.json of Meta's own checkpoints, Llama 1 to 3, and of DeepSeek, with the same first
 * keys. */
static void
read_params (ShardwiseImportJob *job)
{
  SwModelSpec model = { .gated_mlp = TRUE, .norms_per_layer = 2 };
  const ShardwiseNode *multiplier, *vocabulary;
  guint64 width;
  guint multiple;

  if (shardwise_import_at (job, "n_routed_experts") != NULL)
    {
      read_deepseek (job);
      return;
    }
  model.hidden_size = required (job, "dim", SHARDWISE_KEY_MODEL_HIDDEN_SIZE);
  model.layers = required (job, "n_layers", SHARDWISE_KEY_MODEL_LAYERS);
  model.attention_heads = required (job, "n_heads", SHARDWISE_KEY_MODEL_ATTENTION_HEADS);
  model.kv_heads = shardwise_import_count_or (job, "n_kv_heads", SHARDWISE_KEY_MODEL_KV_HEADS,
                                              model.attention_heads);
  model.head_dim = MAX (1, model.hidden_size / MAX (1, model.attention_heads));
  model.max_position_embeddings = shardwise_import_count_or (
      job, "max_seq_len", SHARDWISE_KEY_MODEL_MAX_POSITION_EMBEDDINGS, 2048);

  /* The width of the MLP, as in llama/model.py. */
  multiplier = shardwise_import_at (job, "ffn_dim_multiplier");
  multiple = shardwise_import_count_or (job, "multiple_of", SHARDWISE_KEY_MODEL_HIDDEN_SIZE, 256);
  width = (guint64) 4 * model.hidden_size * 2 / 3;
  if (shardwise_node_is_number (multiplier) && multiplier->number > 0 && multiplier->number < 16)
    width = (guint64) ((double) width * multiplier->number);
  model.intermediate_size = (guint) MIN ((width + multiple - 1) / multiple * multiple, 16777216);
  model.vocab_size = 32000;
  /* Llama 1 and 2 have -1: the tokenizer's size. */
  vocabulary = shardwise_import_at (job, "vocab_size");
  if (vocabulary == NULL || vocabulary->number < 0)
    shardwise_import_warn (job, _ ("The vocabulary size depends on the tokenizer, which is not in "
                                   "the file: Shardwise uses 32,000 tokens, as in Llama 1 and 2."));
  else
    model.vocab_size = required (job, "vocab_size", SHARDWISE_KEY_MODEL_VOCAB_SIZE);
  shardwise_import_put_model (job, &model);
  find_size (job, NULL);
}

const ShardwiseImportReader shardwise_import_params = { "params", N_ ("Llama params.json"),
                                                        SHARDWISE_N_FORMATS, read_params };
