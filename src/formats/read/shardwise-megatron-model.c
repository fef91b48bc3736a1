/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model in Megatron-LM's arguments, with the defaults of arguments.py. */
#include "shardwise-import-megatron.h"

#include <glib/gi18n.h>
#include <string.h>

static void
read_latent (ShardwiseImportJob *job, SwModelSpec *out)
{
  SwMla *mla = &out->mla;

  if (!shardwise_megatron_has (job, "--multi-latent-attention"))
    return;
  mla->kv_lora_rank = shardwise_import_count_or (job, "--kv-lora-rank", "model.mla.kv_lora_rank",
                                                 32);
  shardwise_import_count (job, "--q-lora-rank", "model.mla.q_lora_rank", &mla->q_lora_rank);
  mla->qk_nope_head_dim = shardwise_import_count_or (job, "--qk-head-dim",
                                                     "model.mla.qk_nope_head_dim", 128);
  mla->qk_rope_head_dim = shardwise_import_count_or (job, "--qk-pos-emb-head-dim",
                                                     "model.mla.qk_rope_head_dim", 64);
  mla->v_head_dim = shardwise_import_count_or (job, "--v-head-dim", "model.mla.v_head_dim", 128);
  out->head_dim = mla->qk_nope_head_dim + mla->qk_rope_head_dim;
}

static void
read_attention (ShardwiseImportJob *job, SwModelSpec *out)
{
  out->kv_heads = out->attention_heads;
  if (shardwise_megatron_has (job, "--group-query-attention"))
    out->kv_heads = shardwise_import_count_or (job, "--num-query-groups", "model.kv_heads", 1);
  out->head_dim =
      shardwise_import_count_or (job, "--kv-channels", "model.head_dim",
                                 MAX (1, out->hidden_size / MAX (1, out->attention_heads)));
  out->qk_norm = shardwise_megatron_has (job, "--qk-layernorm") ? SW_QK_NORM_PER_HEAD_DIM
                                                                : SW_QK_NORM_NONE;
  read_latent (job, out);
}

/* "4096,0" and "(4096, 0)": the first number; every n-th layer has no window. */
static void
read_window (ShardwiseImportJob *job, SwModelSpec *out)
{
  const char *text = shardwise_import_text (job, "--window-size");
  guint skip = 0;
  guint64 window;

  if (text == NULL)
    return;
  window = g_ascii_strtoull (text + strspn (text, "( "), NULL, 10);
  out->sliding_window = (guint) MIN (window, 1073741824);
  if (shardwise_import_count (job, "--window-attn-skip-freq", "model.layers", &skip))
    out->window_pattern = skip <= 3 ? SW_WINDOW_EVERY_SECOND : SW_WINDOW_FIVE_TO_ONE;
}

#define MOST_LAYERS 10000u /* as model.layers takes them */
#define MOST_DEPTH 8u      /* of parentheses */

static gboolean read_layers (const char **at, guint depth, GByteArray *layers);

/* "[0,1]", or a sum in parentheses: appends for each layer whether it has experts. */
static gboolean
read_term (const char **at, guint depth, GByteArray *layers)
{
  if (**at == '(' && depth < MOST_DEPTH)
    {
      (*at)++;
      return read_layers (at, depth + 1, layers) && *(*at)++ == ')';
    }
  if (**at != '[')
    return FALSE;
  do
    {
      const char flag = *++*at;
      const guint8 has_experts = flag == '1';

      if (flag != '0' && flag != '1')
        return FALSE;
      g_byte_array_append (layers, &has_experts, 1);
      (*at)++;
    }
  while (**at == ',');
  return *(*at)++ == ']';
}

/* "*24" behind the layers from start on: repeats these. */
static gboolean
repeat (const char **at, guint start, GByteArray *layers)
{
  const guint length = layers->len - start;
  char *end;
  const guint64 times = MIN (g_ascii_strtoull (*at + 1, &end, 10), MOST_LAYERS + 1);

  if (end == *at + 1 || times * length > MOST_LAYERS - start)
    return FALSE;
  *at = end;
  g_byte_array_set_size (layers, start + (guint) times * length);
  for (guint i = start + length; i < layers->len; i++)
    layers->data[i] = layers->data[i - length];
  return TRUE;
}

/* A sum of terms: "[0]*3+([0]*1+[1]*1)*24". */
static gboolean
read_layers (const char **at, guint depth, GByteArray *layers)
{
  for (;; (*at)++)
    {
      const guint start = layers->len;

      if (!read_term (at, depth, layers) || layers->len > MOST_LAYERS
          || (**at == '*' && !repeat (at, start, layers)))
        return FALSE;
      if (**at != '+')
        return TRUE;
    }
}

/* Whether that is some dense layers, then experts in every n-th. */
static gboolean
is_regular (const GByteArray *layers, SwMoe *moe)
{
  guint n = 0, first = 0, last = 0, every = 1;

  for (guint i = 0; i < layers->len; i++)
    {
      if (!layers->data[i])
        continue;
      if (n == 0)
        first = i;
      else if (n == 1)
        every = i - last;
      else if (i - last != every)
        return FALSE;
      last = i;
      n++;
    }
  first -= MIN (first, every - 1);
  if (n == 0 || (layers->len - first) / every != n)
    return FALSE;
  moe->first_dense_layers = first;
  moe->layer_frequency = every;
  return TRUE;
}

/* A number n, or a list in Python: "([0]*3+[1]*58)", "([0]*1+[1]*1)*24". */
static void
read_layer_frequency (ShardwiseImportJob *job, SwMoe *moe)
{
  const ShardwiseNode *node = shardwise_import_at (job, "--moe-layer-freq");
  g_autoptr (GByteArray) layers = g_byte_array_new ();
  g_autoptr (GString) text = g_string_new (node != NULL ? node->text : NULL);
  const char *at;

  moe->layer_frequency = 1;
  if (node == NULL)
    return;
  g_string_replace (text, " ", "", 0);
  at = text->str;
  if (shardwise_node_is_number (node))
    shardwise_import_count (job, "--moe-layer-freq", "model.moe.layer_frequency",
                            &moe->layer_frequency);
  else if (!read_layers (&at, 0, layers) || *at != '\0' || !is_regular (layers, moe))
    shardwise_import_warn (job, g_strdup (_ ("Which layers have experts (--moe-layer-freq) is not "
                                             "understood: all are counted with experts.")));
}

static void
read_experts (ShardwiseImportJob *job, SwModelSpec *out)
{
  SwMoe *moe = &out->moe;

  if (!shardwise_import_count (job, "--num-experts", "model.moe.experts", &moe->experts))
    return;
  moe->top_k = shardwise_import_count_or (job, "--moe-router-topk", "model.moe.top_k", 2);
  moe->intermediate_size = shardwise_import_count_or (
      job, "--moe-ffn-hidden-size", "model.moe.intermediate_size", out->intermediate_size);
  shardwise_import_count (job, "--moe-shared-expert-intermediate-size",
                          "model.moe.shared_intermediate_size", &moe->shared_intermediate_size);
  read_layer_frequency (job, moe);
}

/* A word of a fork is refused by Megatron-LM; what it means is known of some. */
static SwPosition
position (ShardwiseImportJob *job)
{
  static const struct {
    const char *word;
    SwPosition position;
    gboolean is_core;
  } words[] = {
    { "learned_absolute", SW_POSITION_LEARNED, TRUE },
    { "rope", SW_POSITION_ROPE, TRUE },
    { "none", SW_POSITION_NONE, TRUE },
    { "relative", SW_POSITION_RELATIVE, TRUE },
    { "mrope", SW_POSITION_ROPE, TRUE },
    { "yarn", SW_POSITION_ROPE, TRUE },
    { "alibi", SW_POSITION_ALIBI, FALSE },
    { "rotary", SW_POSITION_ROPE, FALSE },
  };
  const char *const option = "--position-embedding-type";
  const char *word = shardwise_import_text (job, option);
  SwPosition found = SW_POSITION_LEARNED;

  if (word == NULL)
    return found;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (words[i].word, word))
      {
        found = words[i].position;
        if (words[i].is_core)
          return found;
      }
  shardwise_import_find (
      job, SHARDWISE_SEVERITY_ERROR, "unknown-key",
      /* Translators: a word of the file, the line it stands in */
      g_strdup_printf (_ ("--position-embedding-type “%.60s” (line %u) is refused by Megatron-LM "
                          "core 0.20.0, accepted: learned_absolute, rope, none, relative, mrope, "
                          "yarn."),
                       word, shardwise_import_at (job, option)->line));
  return found;
}

static void
read_blocks (ShardwiseImportJob *job, SwModelSpec *out)
{
  static const char *const norms[] = { "LayerNorm", "RMSNorm", NULL };
  guint norm = 0;
  const gboolean biases = !shardwise_megatron_has (job, "--disable-bias-linear");

  shardwise_import_word_index (job, "--normalization", norms, &norm);
  out->norm = norm == 0 ? SW_NORM_LAYERNORM : SW_NORM_RMSNORM;
  out->norms_per_layer = 2;
  out->position = position (job);
  if (shardwise_megatron_has (job, "--use-rotary-position-embeddings"))
    out->position = SW_POSITION_ROPE;
  out->mlp_bias = out->attn_out_bias = biases;
  out->qkv_bias = biases || shardwise_megatron_has (job, "--add-qkv-bias");
  out->tied_embeddings = !shardwise_megatron_has (job, "--untie-embeddings-and-output-weights");
  shardwise_import_count (job, "--mtp-num-layers", "model.mtp_layers", &out->mtp_layers);
}

/* ffn_hidden_size as arguments.py fills it in. */
static guint
default_width (const SwModelSpec *model)
{
  return model->gated_mlp ? (guint) ((guint64) 4 * model->hidden_size * 2 / 3 / 64 * 64)
                          : 4 * model->hidden_size;
}

/* What the tokenizer is called, whatever it is: "meta-llama/Llama-3-8B", "GPT2BPETokenizer". */
static const char *
word_of (ShardwiseImportJob *job, const char *option)
{
  const ShardwiseNode *node = shardwise_import_at (job, option);

  return node != NULL && node->type == SHARDWISE_NODE_STRING ? node->text : "";
}

/* The vocabularies of tokenizers that hold only one; 0: not one of them. */
static guint
size_of_tokenizer (ShardwiseImportJob *job)
{
  static const struct {
    const char *type;
    guint size;
  } types[] = {
    { "GPT2BPETokenizer", 50257 },
    { "BertWordPieceLowerCase", 30522 },
    { "BertWordPieceCase", 28996 },
  };
  const char *type = word_of (job, "--tokenizer-type"), *name = word_of (job, "--tokenizer-model");

  if (strstr (name, "lama-3") != NULL || strstr (name, "lama3") != NULL)
    return 128256;
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_equal (types[i].type, type))
      return types[i].size;
  return 0;
}

/* What the script does not hold: as the tokenizer's type says, else as a known model of these
 * layers has it, of several the largest unless the tokenizer is of Llama 2's kind. */
static guint
vocabulary (ShardwiseImportJob *job, const SwModelSpec *model)
{
  const gboolean is_small = strstr (word_of (job, "--tokenizer-type"), "SentencePiece") != NULL
                            || strstr (word_of (job, "--tokenizer-type"), "Llama2") != NULL;
  const SwModelSpec *known = shardwise_import_match_but_vocabulary (model, !is_small);
  guint size = 0;

  if (shardwise_import_count (job, "--vocab-size", "model.vocab_size", &size)
      || shardwise_import_count (job, "--padded-vocab-size", "model.vocab_size", &size))
    return size;
  size = size_of_tokenizer (job);
  if (size == 0 && known != NULL)
    {
      shardwise_import_warn (
          job, g_strdup_printf (_ ("The vocabulary is the tokenizer’s, which the script does not "
                                   "hold: %'u tokens stand for it, as %s has, whose layers are "
                                   "alike."),
                                known->vocab_size, known->name));
      return known->vocab_size;
    }
  size = size > 0 ? size : 32000;
  shardwise_import_warn (
      job,
      g_strdup_printf (_ ("The vocabulary is the tokenizer’s, which the script does not hold: %'u "
                          "tokens stand for it."),
                       size));
  return size;
}

/**
 * shardwise_megatron_read_model:
 * @job: with the options as its root
 *
 * Puts the model of the arguments; where they come from a checkpoint, the scenario at hand names
 * it.
 */
void
shardwise_megatron_read_model (ShardwiseImportJob *job)
{
  SwModelSpec model = { .gated_mlp = shardwise_megatron_has (job, "--swiglu") };

  if (!shardwise_import_count (job, "--num-layers", "model.layers", &model.layers)
      || !shardwise_import_count (job, "--hidden-size", "model.hidden_size", &model.hidden_size)
      || !shardwise_import_count (job, "--num-attention-heads", "model.attention_heads",
                                  &model.attention_heads))
    return;
  model.intermediate_size = shardwise_import_count_or (
      job, "--ffn-hidden-size", "model.intermediate_size", default_width (&model));
  model.max_position_embeddings = shardwise_import_count_or (job, "--max-position-embeddings",
                                                             "model.max_position_embeddings", 4096);
  read_attention (job, &model);
  read_window (job, &model);
  read_blocks (job, &model);
  read_experts (job, &model);
  model.vocab_size = vocabulary (job, &model);
  shardwise_import_put_model (job, &model);
}
