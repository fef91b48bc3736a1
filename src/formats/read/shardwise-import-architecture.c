/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the keys of a config.json, under their usual names, to the dimensions of the engine. */
#include "shardwise-import-config.h"

#include <glib/gi18n.h>
#include <string.h>

static guint
required (ShardwiseImportJob *job, const char *key, const char *path)
{
  guint value = 0;
  g_autofree char *accepted = NULL, *text = NULL;

  if (shardwise_import_count (job, key, path, &value) || job->error != NULL)
    return value;
  accepted = shardwise_key_describe_range (shardwise_key_find (path));
  /* Translators: a range of numbers */
  text = g_strdup_printf (_ ("is missing, and its family has no usual value, accepted: %s"),
                          accepted);
  shardwise_import_fail (job, NULL, key, text);
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

/* ---- attention ---- */

/* Falcon, MPT and StarCoder say whether all heads share one key and value; ChatGLM says whether its
 * number of groups counts. */
static guint
kv_heads (ShardwiseImportJob *job, guint heads)
{
  const gboolean grouped = shardwise_import_truth (job, "new_decoder_architecture", FALSE)
                           || shardwise_import_truth (job, "multi_query_attention", FALSE);

  if (!grouped && shardwise_import_truth (job, "multi_query", FALSE))
    return 1;
  if (shardwise_import_at (job, "multi_query_attention") != NULL && !grouped)
    return heads;
  return shardwise_import_count_or (job, "num_key_value_heads", "model.kv_heads", heads);
}

static void
read_latent (ShardwiseImportJob *job, SwModelSpec *out)
{
  SwMla *mla = &out->mla;

  if (!shardwise_import_count (job, "kv_lora_rank", "model.mla.kv_lora_rank", &mla->kv_lora_rank))
    return;
  shardwise_import_count (job, "q_lora_rank", "model.mla.q_lora_rank", &mla->q_lora_rank);
  mla->qk_nope_head_dim = shardwise_import_count_or (job, "qk_nope_head_dim",
                                                     "model.mla.qk_nope_head_dim", 128);
  mla->qk_rope_head_dim = shardwise_import_count_or (job, "qk_rope_head_dim",
                                                     "model.mla.qk_rope_head_dim", 64);
  mla->v_head_dim = shardwise_import_count_or (job, "v_head_dim", "model.mla.v_head_dim", 128);
  out->head_dim = mla->qk_nope_head_dim + mla->qk_rope_head_dim;
}

static void
read_attention (ShardwiseImportJob *job, SwModelSpec *out)
{
  const guint heads = MAX (out->attention_heads, 1);

  out->kv_heads = kv_heads (job, heads);
  out->head_dim = shardwise_import_count_or (job, "head_dim", "model.head_dim",
                                             MAX (out->hidden_size / heads, 1));
  if (out->hidden_size % heads != 0 && shardwise_import_at (job, "head_dim") == NULL
      && shardwise_import_at (job, "kv_lora_rank") == NULL)
    shardwise_import_find (
        job, SHARDWISE_SEVERITY_ERROR, "heads",
        g_strdup_printf (_ ("The hidden size %'u is no multiple of the %u attention heads, and no "
                            "head_dim is stated: Transformers refuses the model."),
                         out->hidden_size, heads));
  read_latent (job, out);
}

/* Which share of the layers is local, from the list that newer files have. */
static gboolean
local_share (ShardwiseImportJob *job, double *share)
{
  const ShardwiseNode *types = shardwise_import_at (job, "layer_types");
  guint local = 0;

  if (types == NULL || types->type != SHARDWISE_NODE_LIST || types->items->len == 0)
    return FALSE;
  for (guint i = 0; i < types->items->len; i++)
    local += shardwise_node_is_text (types->items->pdata[i], "sliding_attention");
  *share = (double) local / types->items->len;
  return TRUE;
}

static SwWindowPattern
nearest_pattern (double share)
{
  if (share > 0.92)
    return SW_WINDOW_ALL;
  return share > 2.0 / 3.0 ? SW_WINDOW_FIVE_TO_ONE : SW_WINDOW_EVERY_SECOND;
}

static void
read_window (ShardwiseImportJob *job, const ShardwiseNode *family, SwModelSpec *out)
{
  const double exact[] = { 1, 0.5, 5.0 / 6.0 };
  double share;
  guint window;

  if (!shardwise_import_truth (job, "use_sliding_window", TRUE)
      || !shardwise_import_count (job, "sliding_window", "model.sliding_window", &window))
    return;
  out->window_pattern = family_word (family, "window", sw_window_pattern_names, SW_WINDOW_ALL);
  out->sliding_window = window;
  if (!local_share (job, &share))
    return;
  if (share == 0)
    out->sliding_window = 0;
  out->window_pattern = nearest_pattern (share);
  if (share > 0 && ABS (exact[out->window_pattern] - share) > 0.05)
    shardwise_import_warn (
        job, g_strdup_printf (_ ("The sliding window holds in %.0f %% of the layers: the nearest "
                                 "pattern that is computed is “%s”."),
                              100 * share, sw_window_pattern_names[out->window_pattern]));
}

/* ---- experts ---- */

/* How many dense layers stand first, where a list names them. */
static guint
listed_dense_layers (ShardwiseImportJob *job)
{
  const ShardwiseNode *list = shardwise_import_at (job, "mlp_only_layers");

  if (list == NULL || list->type != SHARDWISE_NODE_LIST)
    return 0;
  for (guint i = 0; i < list->items->len; i++)
    {
      const ShardwiseNode *item = list->items->pdata[i];

      if (!shardwise_node_is_number (item) || item->number != i)
        {
          shardwise_import_warn (job,
                                 g_strdup (_ ("Dense layers (mlp_only_layers) that are not the "
                                              "first ones are counted as first ones.")));
          break;
        }
    }
  return list->items->len;
}

/* A number, or a list with 0 for every dense layer. */
static void
read_frequency (ShardwiseImportJob *job, SwMoe *moe)
{
  const ShardwiseNode *list = shardwise_import_at (job, "decoder_sparse_step");
  guint n = 0;

  moe->layer_frequency = 1;
  if (list == NULL || list->type != SHARDWISE_NODE_LIST)
    {
      shardwise_import_count (job, "decoder_sparse_step", "model.moe.layer_frequency",
                              &moe->layer_frequency);
      return;
    }
  while (n < list->items->len && ((ShardwiseNode *) list->items->pdata[n])->number == 0)
    n++;
  moe->first_dense_layers = MAX (moe->first_dense_layers, n);
}

static guint
shared_width (ShardwiseImportJob *job, const ShardwiseNode *family, const SwMoe *moe)
{
  guint n = 0, width = 0;

  if (shardwise_import_count (job, "shared_expert_intermediate_size",
                              "model.moe.shared_intermediate_size", &width))
    return width;
  if (shardwise_import_count (job, "n_shared_experts", "model.moe.first_dense_layers", &n))
    return (guint) MIN ((guint64) n * moe->intermediate_size, 16777216);
  return g_strcmp0 (family_text (family, "approximation"), "chunked-attention") == 0
             ? moe->intermediate_size /* Llama 4: one shared expert of the same width */
             : 0;
}

static void
read_experts (ShardwiseImportJob *job, const ShardwiseNode *family, SwModelSpec *out)
{
  SwMoe *moe = &out->moe;
  guint experts = 0;

  if (!shardwise_import_count (job, "num_experts", "model.moe.first_dense_layers", &experts)
      || experts < 2)
    return;
  shardwise_import_count (job, "num_experts", "model.moe.experts", &moe->experts);
  if (!shardwise_import_count (job, "num_experts_per_tok", "model.moe.top_k", &moe->top_k))
    {
      moe->top_k = MIN (2, moe->experts);
      shardwise_import_warn (job, g_strdup (_ ("The file does not say how many experts a token "
                                               "takes (num_experts_per_tok): 2 stands for it.")));
    }
  moe->intermediate_size = shardwise_import_count_or (
      job, "moe_intermediate_size", "model.moe.intermediate_size", out->intermediate_size);
  moe->first_dense_layers = shardwise_import_count_or (
      job, "first_k_dense_replace", "model.moe.first_dense_layers", listed_dense_layers (job));
  read_frequency (job, moe);
  moe->shared_intermediate_size = shared_width (job, family, moe);
  /* Llama 4 gives the dense layers a key of their own. */
  shardwise_import_count (job, "intermediate_size_mlp", "model.intermediate_size",
                          &out->intermediate_size);
}

/* ---- blocks ---- */

/* Words of a family: "qkv out mlp". */
static void
add_biases (SwModelSpec *out, const char *words)
{
  g_auto (GStrv) list = g_strsplit (words != NULL ? words : "", " ", -1);

  out->qkv_bias |= g_strv_contains ((const char *const *) list, "qkv");
  out->attn_out_bias |= g_strv_contains ((const char *const *) list, "out");
  out->mlp_bias |= g_strv_contains ((const char *const *) list, "mlp");
}

static void
read_biases (ShardwiseImportJob *job, const ShardwiseNode *family, SwModelSpec *out)
{
  const ShardwiseNode *keys = family != NULL ? shardwise_node_member (family, "bias_keys") : NULL;

  add_biases (out, family_text (family, "bias"));
  for (guint i = 0; keys != NULL && i < keys->keys->len; i++)
    if (shardwise_import_truth (job, keys->keys->pdata[i], FALSE))
      add_biases (out, ((ShardwiseNode *) keys->items->pdata[i])->text);
  if (family == NULL && shardwise_import_truth (job, "attention_bias", FALSE))
    add_biases (out, "qkv out");
}

/* Families that are not known: gated where the activation usually is. */
static gboolean
is_gated (ShardwiseImportJob *job, const ShardwiseNode *family)
{
  const ShardwiseNode *activation = shardwise_import_at (job, "hidden_act");

  if (family != NULL)
    return family_truth (family, "gated", TRUE);
  return activation == NULL || activation->type != SHARDWISE_NODE_STRING
         || strstr (activation->text, "gelu") == NULL;
}

static void
read_blocks (ShardwiseImportJob *job, const ShardwiseNode *family, SwModelSpec *out)
{
  const ShardwiseNode *norms = family != NULL ? shardwise_node_member (family, "norms") : NULL;
  const char *norm_key = family_text (family, "qk_norm_key");

  out->gated_mlp = is_gated (job, family);
  /* The base class of all configurations ties where nothing is said. */
  out->tied_embeddings = shardwise_import_truth (job, "tie_word_embeddings", TRUE);
  out->norm = family_word (family, "norm", sw_norm_names, SW_NORM_RMSNORM);
  out->norms_per_layer = norms != NULL ? (guint) norms->number : 2;
  out->position = family_word (family, "position", sw_position_names, SW_POSITION_ROPE);
  out->qk_norm = family_word (family, "qk_norm", sw_qk_norm_names, SW_QK_NORM_NONE);
  if (norm_key != NULL && !shardwise_import_truth (job, norm_key, FALSE))
    out->qk_norm = SW_QK_NORM_NONE;
  out->parallel_block = family_truth (family, "parallel", FALSE);
  read_biases (job, family, out);
}

/* What single families say beside the common keys. */
static void
read_peculiarities (ShardwiseImportJob *job, SwModelSpec *out)
{
  if (shardwise_import_truth (job, "new_decoder_architecture", FALSE))
    out->norms_per_layer = 2; /* Falcon 40B and 180B */
  if (shardwise_import_truth (job, "alibi", FALSE))
    out->position = SW_POSITION_ALIBI;
  if (shardwise_import_at (job, "num_nextn_predict_layers") != NULL)
    shardwise_import_count (job, "num_nextn_predict_layers", "model.mtp_layers", &out->mtp_layers);
  if (shardwise_import_truth (job, "use_mtp", FALSE))
    shardwise_import_count (job, "num_mtp_modules", "model.mtp_layers", &out->mtp_layers);
}

/* Pictures as words: a model of pictures has patches and labels where others have a vocabulary. */
static guint
read_vocabulary (ShardwiseImportJob *job, SwModelSpec *out)
{
  const ShardwiseNode *labels = shardwise_import_at (job, "id2label");

  if (shardwise_import_at (job, "vocab_size") != NULL
      || shardwise_import_at (job, "patch_size") == NULL)
    return required (job, "vocab_size", "model.vocab_size");
  out->kind = SW_MODEL_VIT;
  shardwise_import_warn (
      job, g_strdup (_ ("A model of pictures: its layers are counted as a decoder’s, its patches "
                        "are the sequence, which the file does not state, and its labels the "
                        "vocabulary. Time and memory are approximated.")));
  return labels != NULL && labels->keys != NULL && labels->keys->len > 0 ? labels->keys->len : 1000;
}

/**
 * shardwise_import_architecture:
 * @job: with the keys, defaults of the family among them, as its root
 * @family: (nullable): of families.json; %NULL: not known
 * @out: (out): the architecture
 */
void
shardwise_import_architecture (ShardwiseImportJob *job, const ShardwiseNode *family,
                               SwModelSpec *out)
{
  guint hidden = required (job, "hidden_size", "model.hidden_size");

  out->hidden_size = hidden;
  out->layers = required (job, "num_hidden_layers", "model.layers");
  out->attention_heads = required (job, "num_attention_heads", "model.attention_heads");
  out->vocab_size = read_vocabulary (job, out);
  out->intermediate_size = shardwise_import_count_or (
      job, "intermediate_size", "model.intermediate_size",
      shardwise_import_count_or (job, "expansion_ratio", "model.norms_per_layer", 4) * hidden);
  out->max_position_embeddings = shardwise_import_count_or (job, "max_position_embeddings",
                                                            "model.max_position_embeddings", 4096);
  if (family_truth (family, "halved", FALSE))
    out->intermediate_size = MAX (out->intermediate_size / 2, 1); /* Qwen 1: of both halves */
  read_attention (job, out);
  read_window (job, family, out);
  read_blocks (job, family, out);
  read_experts (job, family, out);
  read_peculiarities (job, out);
}

/* ---- Llama's params.json ---- */

/* The width of the MLP as llama/model.py computes it. */
static guint
llama_mlp_width (ShardwiseImportJob *job, guint dim)
{
  const ShardwiseNode *multiplier = shardwise_import_at (job, "ffn_dim_multiplier");
  guint multiple = shardwise_import_count_or (job, "multiple_of", "model.hidden_size", 256);
  guint64 width = (guint64) 4 * dim * 2 / 3;

  if (shardwise_node_is_number (multiplier) && multiplier->number > 0 && multiplier->number < 16)
    width = (guint64) ((double) width * multiplier->number);
  return (guint) MIN ((width + multiple - 1) / multiple * multiple, 16777216);
}

/**
 * shardwise_import_params:
 * @job: with the file as its root
 *
 * Reads params.json of Meta's own checkpoints: Llama 1 to 3.
 */
void
shardwise_import_params (ShardwiseImportJob *job)
{
  SwModelSpec model = { .gated_mlp = TRUE, .norms_per_layer = 2 };

  model.hidden_size = required (job, "dim", "model.hidden_size");
  model.layers = required (job, "n_layers", "model.layers");
  model.attention_heads = required (job, "n_heads", "model.attention_heads");
  model.kv_heads = shardwise_import_count_or (job, "n_kv_heads", "model.kv_heads",
                                              model.attention_heads);
  model.head_dim = MAX (1, model.hidden_size / MAX (1, model.attention_heads));
  model.max_position_embeddings = shardwise_import_count_or (job, "max_seq_len",
                                                             "model.max_position_embeddings", 2048);
  model.intermediate_size = llama_mlp_width (job, model.hidden_size);
  model.vocab_size = 32000;
  /* Llama 1 and 2 state -1: the tokenizer's. */
  if (shardwise_import_at (job, "vocab_size") == NULL
      || shardwise_import_at (job, "vocab_size")->number < 0)
    shardwise_import_warn (job, g_strdup (_ ("The vocabulary is the tokenizer’s, which the file "
                                             "does not hold: 32,000 tokens, as Llama 1 and 2 "
                                             "have.")));
  else
    model.vocab_size = required (job, "vocab_size", "model.vocab_size");
  shardwise_import_put_model (job, &model);
  shardwise_import_find_size (job, NULL);
}
