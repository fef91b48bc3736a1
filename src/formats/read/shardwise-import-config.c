/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hugging Face's config.json: the keys of all families under one name, and what a family takes
 * where a key is missing (data/catalogue/families.json, from the configuration classes of
 * transformers). */
#include "shardwise-import-config.h"
#include "shardwise-node-json.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define FAMILIES "/io/github/shardwise/Shardwise/catalogue/families.json"

/* One name for what families call differently; the first that a file has counts. */
static const struct {
  const char *name;
  const char *others[8];
} names[] = {
  { "hidden_size", { "n_embd", "n_embed", "d_model", "model_dim", NULL } },
  { "num_hidden_layers", { "n_layer", "n_layers", "num_layers", "decoder_layers", NULL } },
  { "num_attention_heads",
    { "n_head", "n_heads", "num_heads", "num_query_heads", "decoder_attention_heads", NULL } },
  { "num_key_value_heads",
    { "n_head_kv", "num_kv_heads", "num_query_groups", "multi_query_group_num",
      "attn_config.kv_n_heads", NULL } },
  { "intermediate_size",
    { "n_inner", "ffn_dim", "ffn_hidden_size", "d_ff", "decoder_ffn_dim",
      "ffn_config.ffn_hidden_size", NULL } },
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
      "ffn_config.moe_top_k", NULL } },
  { "n_shared_experts",
    { "num_shared_experts", "num_shared_expert", "moe_num_shared_experts", NULL } },
  { "shared_expert_intermediate_size", { "shared_intermediate_size", NULL } },
  { "decoder_sparse_step",
    { "moe_layer_freq", "interleave_moe_layer_step", "expert_layer_period", "moe_layer_interval",
      NULL } },
  { "first_k_dense_replace", { "moe_layer_start_index", NULL } },
};

static gboolean
is_present (const ShardwiseNode *node)
{
  return node != NULL && node->type != SHARDWISE_NODE_NULL;
}

/* A number for each layer as one number: theirs where all agree, else the mean, which keeps the
 * number of parameters. */
static ShardwiseNode *
of_all_layers (ShardwiseImportJob *job, const char *name, const ShardwiseNode *list)
{
  const double first = ((ShardwiseNode *) list->items->pdata[0])->number;
  g_autofree char *text = NULL;
  double sum = 0, mean;
  gboolean is_same = TRUE;

  for (guint i = 0; i < list->items->len; i++)
    {
      const ShardwiseNode *item = list->items->pdata[i];

      sum += item->number;
      is_same = is_same && item->number == first;
    }
  mean = is_same ? first : floor (sum / list->items->len + 0.5);
  text = g_strdup_printf ("%.0f", mean);
  if (!is_same)
    shardwise_import_warn (
        job,
        /* Translators: a key of the file, a number */
        g_strdup_printf (_ ("%s differs from layer to layer: the mean, %s, is computed for all."),
                         name, text));
  return shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, list->line, list->column, text, mean);
}

static gboolean
is_list_of_numbers (const ShardwiseNode *node)
{
  if (node == NULL || node->type != SHARDWISE_NODE_LIST || node->items->len == 0)
    return FALSE;
  for (guint i = 0; i < node->items->len; i++)
    if (!shardwise_node_is_number (node->items->pdata[i]))
      return FALSE;
  return TRUE;
}

/* Newer families state some numbers layer by layer. */
static void
flatten (ShardwiseImportJob *job, ShardwiseNode *map)
{
  static const char *const keys[] = { "intermediate_size",   "moe_intermediate_size",
                                      "num_attention_heads", "num_key_value_heads",
                                      "num_experts_per_tok", "n_shared_experts" };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (is_list_of_numbers (shardwise_node_member (map, keys[i])))
      shardwise_node_set (map, keys[i],
                          of_all_layers (job, keys[i], shardwise_node_member (map, keys[i])));
}

static void
copy (ShardwiseNode *to, const char *name, ShardwiseNode *value)
{
  if (is_present (value) && shardwise_node_member (to, name) == NULL)
    shardwise_node_set (to, name, shardwise_node_ref (value));
}

/* Both are maps; what stands in @to already wins, a null too: it says that there is none. */
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

static gboolean
is_of_type (const ShardwiseNode *family, const char *type)
{
  const ShardwiseNode *types = shardwise_node_member (family, "types");

  for (guint i = 0; i < types->items->len; i++)
    if (shardwise_node_is_text (types->items->pdata[i], type))
      return TRUE;
  return FALSE;
}

static ShardwiseNode *
load_families (void)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (FAMILIES, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  gsize length;
  const char *text;
  ShardwiseNode *root;

  g_return_val_if_fail (bytes != NULL, NULL);
  text = g_bytes_get_data (bytes, &length);
  root = shardwise_node_from_json (text, length, NULL);
  g_return_val_if_fail (root != NULL, NULL);
  return root;
}

static const ShardwiseNode *
find_family (const ShardwiseNode *families, const char *type)
{
  const ShardwiseNode *list = shardwise_node_member (families, "families");

  for (guint i = 0; list != NULL && i < list->items->len; i++)
    if (is_of_type (list->items->pdata[i], type))
      return list->items->pdata[i];
  return NULL;
}

/* ---- warnings ---- */

static void
warn_approximation (ShardwiseImportJob *job, const char *word, const char *type)
{
  static const struct {
    const char *word, *text;
  } texts[] = {
    { "hybrid", N_ ("“%s” mixes attention with recurrent layers: all layers are counted as "
                    "attention layers, so that memory and time of the recurrent ones are "
                    "approximated.") },
    { "recurrent", N_ ("“%s” has recurrent layers and no attention: they are counted as attention "
                       "layers, so that their memory and time are approximated.") },
    { "encoder-decoder",
      N_ ("“%s” is an encoder and a decoder: only the stack of num_hidden_layers "
          "is counted, as decoder layers; the other stack and its "
          "cross-attention are left out.") },
    { "encoder", N_ ("“%s” is an encoder: its attention is counted as a decoder’s, which looks at "
                     "half of the sequence only.") },
    { "window", N_ ("“%s” has one layer in four that sees the whole sequence: one in six is "
                    "counted.") },
    { "sparse-attention", N_ ("“%s” selects what it attends to: attention is counted as dense, so "
                              "that long sequences take less time than computed.") },
    { "chunked-attention", N_ ("“%s” cuts attention into chunks in most layers: attention is "
                               "counted over the whole sequence.") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (g_str_equal (texts[i].word, word))
      shardwise_import_warn (job, shardwise_import_fill (_ (texts[i].text), type));
}

static void
warn_unknown (ShardwiseImportJob *job, const char *type)
{
  if (type == NULL)
    shardwise_import_warn (job, g_strdup (_ ("The file does not name its model_type: it is read as "
                                             "a decoder like Llama, with RMSNorm and rotary "
                                             "positions.")));
  else
    shardwise_import_warn (
        job,
        /* Translators: a model_type, a word of the file */
        g_strdup_printf (
            _ ("The architecture “%.60s” is not known: it is read as a decoder like Llama, "
               "with RMSNorm twice a layer and rotary positions. Norms, biases and the "
               "kind of attention are approximated; compare the number of parameters."),
            type));
}

/* Keys that the file leaves to its family: each is an assumption. */
static void
warn_defaults (ShardwiseImportJob *job, const ShardwiseNode *merged, const ShardwiseNode *defaults,
               const char *type)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < defaults->keys->len; i++)
    {
      const char *key = defaults->keys->pdata[i];
      const ShardwiseNode *value = defaults->items->pdata[i];

      if (value->text != NULL && shardwise_node_member (merged, key) == NULL)
        g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", key, value->text);
    }
  if (text->len > 0)
    shardwise_import_warn (
        job,
        /* Translators: a model_type; then keys with their values */
        g_strdup_printf (_ ("Not in the file, and taken as Transformers documents them for "
                            "“%.60s”: %s."),
                         type, text->str));
}

/* ---- the language model inside another ---- */

/* Text and vision in one file: the part that is the decoder. */
static const ShardwiseNode *
language_part (ShardwiseImportJob *job, const ShardwiseNode *root)
{
  static const char *const parts[] = { "text_config", "llm_config", "language_config",
                                       "thinker_config.text_config", NULL };

  for (guint i = 0; parts[i] != NULL; i++)
    {
      const ShardwiseNode *part = shardwise_node_find (root, parts[i]);

      if (part == NULL || part->type == SHARDWISE_NODE_NULL)
        continue;
      if (part->type != SHARDWISE_NODE_MAP)
        {
          shardwise_import_fail (job, part, parts[i], _ ("wrong type, accepted: a group of keys"));
          return root;
        }
      shardwise_import_warn (
          job,
          /* Translators: the name of a part of the file */
          g_strdup_printf (_ ("Only the language model (%s) is read: encoders of pictures or sound "
                              "beside it are left out."),
                           parts[i]));
      if (shardwise_node_is_text (shardwise_node_member (root, "model_type"), "mllama"))
        shardwise_import_warn (job, g_strdup (_ ("Its cross-attention layers are counted as layers "
                                                 "of self-attention.")));
      return part;
    }
  if (shardwise_node_member (root, "vision_config") != NULL
      || shardwise_node_member (root, "audio_config") != NULL)
    shardwise_import_warn (job, g_strdup (_ ("Only the language model is read: encoders of "
                                             "pictures or sound beside it are left out.")));
  return root;
}

static const char *
text_of (const ShardwiseNode *map, const char *key)
{
  const ShardwiseNode *node = shardwise_node_member (map, key);

  return node != NULL && node->type == SHARDWISE_NODE_STRING ? node->text : NULL;
}

/* model_type, also where only the nested part or only the class is named. */
static char *
type_of (const ShardwiseNode *part, const ShardwiseNode *root)
{
  const ShardwiseNode *classes = shardwise_node_member (root, "architectures");
  const char *type = text_of (part, "model_type");

  if (type == NULL)
    type = text_of (root, "model_type");
  if (type != NULL || classes == NULL || classes->type != SHARDWISE_NODE_LIST
      || classes->items->len == 0)
    return g_strdup (type);
  type = ((ShardwiseNode *) classes->items->pdata[0])->text;
  if (type != NULL && g_str_has_suffix (type, "ForCausalLM"))
    return g_ascii_strdown (type, (gssize) (strlen (type) - strlen ("ForCausalLM")));
  return g_strdup (type);
}

/**
 * shardwise_import_model_keys:
 * @part: a map with the keys of a config.json
 * @type: (nullable): its model_type
 *
 * Puts the model that @part describes, with the defaults of its family.
 */
void
shardwise_import_model_keys (ShardwiseImportJob *job, const ShardwiseNode *part, const char *type)
{
  const ShardwiseNode *root = job->root, *family;
  g_autoptr (ShardwiseNode) families = load_families ();
  g_autoptr (ShardwiseNode) merged = shardwise_node_new (SHARDWISE_NODE_MAP, part->line,
                                                         part->column);
  SwModelSpec model = { 0 };

  family = type != NULL ? find_family (families, type) : NULL;
  merge (merged, part);
  flatten (job, merged);
  if (family != NULL)
    {
      warn_defaults (job, merged, shardwise_node_member (family, "defaults"), type);
      merge (merged, shardwise_node_member (family, "defaults"));
    }
  else
    warn_unknown (job, type);
  if (family != NULL && text_of (family, "approximation") != NULL)
    warn_approximation (job, text_of (family, "approximation"), type);
  job->root = merged;
  shardwise_import_architecture (job, family, &model);
  shardwise_import_put_model (job, &model);
  job->root = root;
}

/**
 * shardwise_import_config:
 * @job: with the file as its root
 *
 * Reads the model of a config.json; the scenario names the catalogue's model where it is one.
 */
void
shardwise_import_config (ShardwiseImportJob *job)
{
  const ShardwiseNode *part = language_part (job, job->root),
                      *path = shardwise_node_member (job->root, "_name_or_path");
  g_autofree char *type = type_of (part, job->root);

  shardwise_import_model_keys (job, part, type);
  shardwise_import_find_size (job, path != NULL && path->type == SHARDWISE_NODE_STRING ? path->text
                                                                                       : NULL);
}
