/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-key.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-date.h"
#include "shardwise-error.h"
#include "shardwise-json.h"
#include "shardwise-texts.h"
#include "sw-model.h"
#include "sw-types.h"

static const char *const precision_choices[] = { "bf16",        "fp16",  "fp8",   "fp8-tensorwise",
                                                 "fp8-rowwise", "mxfp8", "nvfp4", NULL };
static const char *const lora_target_choices[] = { "all-linear", "attention", NULL };
static const char *const rlhf_algorithm_choices[] = { "ppo", "grpo", NULL };

/* The spellings of model-layer choices come from the engine's tables, so that they cannot
 * differ. */
#define KEY(p, k, lo, hi, c, t, u)                                                                 \
  {                                                                                                \
    .path = p, .kind = SHARDWISE_KEY_##k, .minimum = lo, .maximum = hi, .choices = c, .title = t,  \
    .unit = u                                                                                      \
  }
#define INT(p, lo, hi, t, u) KEY (p, INTEGER, lo, hi, NULL, t, u)
#define NUM(p, lo, hi, t, u) KEY (p, NUMBER, lo, hi, NULL, t, u)
#define BOOL(p, t) KEY (p, BOOLEAN, 0, 0, NULL, t, NULL)
#define TEXT(p, t) KEY (p, STRING, 0, 0, NULL, t, NULL)
#define WORD(p, c, t) KEY (p, CHOICE, 0, 0, c, t, NULL)

static const ShardwiseKey keys[] = {
  TEXT ("name", N_ ("Name")),
  TEXT ("notes", N_ ("Notes")),

  TEXT ("model.preset", N_ ("Model")),
  NUM ("model.parameters_b", 0.1, 10000, N_ ("Model size"), N_ ("billion parameters")),
  WORD ("model.kind", sw_model_kind_names, N_ ("Kind of model")),
  INT ("model.layers", 1, 10000, N_ ("Layers"), NULL),
  INT ("model.hidden_size", 1, 1048576, N_ ("Hidden size"), NULL),
  INT ("model.intermediate_size", 1, 16777216, N_ ("MLP size"), NULL),
  INT ("model.attention_heads", 1, 65536, N_ ("Attention heads"), NULL),
  INT ("model.kv_heads", 1, 65536, N_ ("Key/value heads"), NULL),
  INT ("model.head_dim", 1, 65536, N_ ("Head dimension"), NULL),
  INT ("model.vocab_size", 1, 16777216, N_ ("Vocabulary"), N_ ("tokens")),
  INT ("model.max_position_embeddings", 1, 1073741824, N_ ("Longest sequence of the model"),
       N_ ("tokens")),
  BOOL ("model.gated_mlp", N_ ("Gated MLP")),
  BOOL ("model.tied_embeddings", N_ ("Tied embeddings")),
  WORD ("model.norm", sw_norm_names, N_ ("Normalisation")),
  INT ("model.norms_per_layer", 0, 16, N_ ("Normalisations per layer"), NULL),
  WORD ("model.qk_norm", sw_qk_norm_names, N_ ("Query/key normalisation")),
  BOOL ("model.bias.qkv", N_ ("Bias of query, key and value")),
  BOOL ("model.bias.attn_out", N_ ("Bias of the attention output")),
  BOOL ("model.bias.mlp", N_ ("Bias of the MLP")),
  WORD ("model.position_embedding", sw_position_names, N_ ("Position embedding")),
  BOOL ("model.parallel_block", N_ ("Attention and MLP in parallel")),
  INT ("model.sliding_window", 1, 1073741824, N_ ("Sliding window"), N_ ("tokens")),
  WORD ("model.sliding_window_pattern", sw_window_pattern_names,
        N_ ("Layers with a sliding window")),
  INT ("model.mtp_layers", 0, 100, N_ ("Multi-token-prediction layers"), NULL),
  INT ("model.moe.experts", 1, 65536, N_ ("Experts"), NULL),
  INT ("model.moe.top_k", 1, 65536, N_ ("Experts per token"), NULL),
  INT ("model.moe.intermediate_size", 1, 16777216, N_ ("Expert size"), NULL),
  INT ("model.moe.shared_intermediate_size", 0, 16777216, N_ ("Size of the shared experts"), NULL),
  INT ("model.moe.first_dense_layers", 0, 10000, N_ ("First dense layers"), NULL),
  INT ("model.moe.layer_frequency", 1, 10000, N_ ("Experts in every n-th layer"), NULL),
  INT ("model.mla.q_lora_rank", 0, 1048576, N_ ("Query rank"), NULL),
  INT ("model.mla.kv_lora_rank", 1, 1048576, N_ ("Key/value rank"), NULL),
  INT ("model.mla.qk_nope_head_dim", 0, 65536, N_ ("Query/key width without rotation"), NULL),
  INT ("model.mla.qk_rope_head_dim", 0, 65536, N_ ("Query/key width with rotation"), NULL),
  INT ("model.mla.v_head_dim", 1, 65536, N_ ("Value width"), NULL),

  KEY ("cluster.gpu", GPU, 0, 0, NULL, N_ ("GPU"), NULL),
  INT ("cluster.gpus", 1, 131072, N_ ("Number of GPUs"), N_ ("GPUs")),
  INT ("cluster.gpus_per_node", 1, 1024, N_ ("GPUs per node"), N_ ("GPUs")),
  NUM ("cluster.gpu_memory_gb", 8, 320, N_ ("GPU memory"), N_ ("GB")),
  INT ("cluster.nvlink_domain", 1, 131072, N_ ("GPUs that the fast link joins"), N_ ("GPUs")),
  TEXT ("cluster.intra_node", N_ ("Link inside a node")),
  NUM ("cluster.intra_node_gb_s", 0.001, 100000, N_ ("Bandwidth inside a node"), N_ ("GB/s")),
  TEXT ("cluster.inter_node", N_ ("Network")),
  NUM ("cluster.inter_node_gb_s", 0.001, 100000, N_ ("Network bandwidth per GPU"), N_ ("GB/s")),
  NUM ("cluster.oversubscription", 1, 100, N_ ("Oversubscription"), NULL),
  INT ("cluster.pod_gpus", 0, 131072, N_ ("GPUs in a pod"), N_ ("GPUs")),
  NUM ("cluster.host_ram_gb", 1, 1000000, N_ ("Host memory per node"), N_ ("GB")),

  WORD ("training.type", sw_training_type_names, N_ ("Type")),
  INT ("training.sequence_length", 1, 1073741824, N_ ("Sequence length"), N_ ("tokens")),
  INT ("training.global_batch_size", 1, 1e9, N_ ("Global batch"), N_ ("sequences")),
  INT ("training.micro_batch_size", 1, 65536, N_ ("Micro-batch"), N_ ("sequences")),
  WORD ("training.precision", precision_choices, N_ ("Precision")),
  WORD ("training.optimizer", sw_optimizer_names, N_ ("Optimizer")),
  WORD ("training.attention", sw_attention_names, N_ ("Attention kernel")),
  WORD ("training.framework", sw_framework_names, N_ ("Framework")),
  KEY ("training.software_date", DATE, 0, 0, NULL, N_ ("Software of"), NULL),
  WORD ("training.overlap", sw_overlap_names, N_ ("Overlap of communication")),
  NUM ("training.memory_target", 0.05, 1, N_ ("Memory target"), NULL),
  NUM ("training.tokens", 1, 1e18, N_ ("Tokens to train on"), N_ ("tokens")),
  KEY ("training.deadline", DATE, 0, 0, NULL, N_ ("Deadline"), NULL),
  INT ("training.lora.rank", 1, 65536, N_ ("LoRA rank"), NULL),
  WORD ("training.lora.targets", lora_target_choices, N_ ("LoRA targets")),
  WORD ("training.rlhf.algorithm", rlhf_algorithm_choices, N_ ("RLHF algorithm")),
  NUM ("training.rlhf.critic_parameters_b", 0.001, 10000, N_ ("Critic size"),
       N_ ("billion parameters")),
  INT ("training.rlhf.response_length", 1, 1073741824, N_ ("Response length"), N_ ("tokens")),
  BOOL ("training.rlhf.colocated", N_ ("Generation on the same GPUs")),
  INT ("training.packing.mean_document", 1, 1073741824, N_ ("Mean document when packed"),
       N_ ("tokens")),

  INT ("strategy.tp", 1, 131072, N_ ("Tensor parallel"), NULL),
  INT ("strategy.etp", 1, 131072, N_ ("Expert tensor parallel"), NULL),
  INT ("strategy.pp", 1, 10000, N_ ("Pipeline parallel"), NULL),
  INT ("strategy.vpp", 1, 10000, N_ ("Virtual stages"), NULL),
  INT ("strategy.dp", 1, 131072, N_ ("Data parallel"), NULL),
  INT ("strategy.cp", 1, 131072, N_ ("Context parallel"), NULL),
  WORD ("strategy.cp_method", sw_cp_method_names, N_ ("Context-parallel method")),
  INT ("strategy.ep", 1, 131072, N_ ("Expert parallel"), NULL),
  BOOL ("strategy.sequence_parallel", N_ ("Sequence parallel")),
  INT ("strategy.zero_stage", 0, 3, N_ ("ZeRO stage"), NULL),
  INT ("strategy.shard_group", 1, 131072, N_ ("GPUs to shard over"), N_ ("GPUs")),
  INT ("strategy.micro_batch_size", 1, 65536, N_ ("Micro-batch"), N_ ("sequences")),
  KEY ("strategy.recompute", RECOMPUTE, 0, 0, NULL, N_ ("Recomputation"), NULL),
  KEY ("strategy.recompute_modules", STRINGS, 0, 0, sw_recompute_module_names,
       N_ ("Modules to recompute"), NULL),
  WORD ("strategy.schedule", sw_schedule_names, N_ ("Pipeline schedule")),
  WORD ("strategy.offload", sw_offload_names, N_ ("Offload")),

  NUM ("cost.price", 0, 1e6, N_ ("Price"), N_ ("per GPU-hour")),
  KEY ("cost.currency", CURRENCY, 0, 0, NULL, N_ ("Currency"), NULL),
  KEY ("cost.price_date", DATE, 0, 0, NULL, N_ ("Date of the price"), NULL),
  KEY ("cost.capex_per_gpu", NUMBER, 0, 1e6, NULL, N_ ("Purchase price per GPU"), NULL),
  KEY ("cost.depreciation_years", NUMBER, 0.1, 100, NULL, N_ ("Depreciation"), N_ ("years")),
  KEY ("cost.power_w", NUMBER, 0, 1e6, NULL, N_ ("Power per GPU"), N_ ("W")),
  KEY ("cost.pue", NUMBER, 1, 10, NULL, N_ ("Power usage effectiveness"), NULL),
  KEY ("cost.kwh_price", NUMBER, 0, 1e6, NULL, N_ ("Price of a kWh"), NULL),
  KEY ("cost.grid_kg_co2_per_kwh", NUMBER, 0, 100, NULL, N_ ("CO₂ of a kWh"), N_ ("kg")),
  KEY ("cost.overhead_share", NUMBER, 0, 100, NULL, N_ ("Overheads"), NULL),
  KEY ("cost.mtbf_gpu_hours", NUMBER, 1, 1e9, NULL, N_ ("Time between failures"), N_ ("GPU-hours")),
  KEY ("cost.storage_gb_s", NUMBER, 0.001, 1e6, NULL, N_ ("Storage bandwidth"), N_ ("GB/s")),
  KEY ("cost.restart_s", NUMBER, 0, 1e6, NULL, N_ ("Restart"), N_ ("seconds")),
};

/**
 * shardwise_keys:
 * @n_keys: (out): their count
 *
 * Returns: (transfer none): every key of the scenario file but "format" and "version", in the order
 * of the file
 */
const ShardwiseKey *
shardwise_keys (guint *n_keys)
{
  *n_keys = G_N_ELEMENTS (keys);
  return keys;
}

static gpointer
index_keys (gpointer data)
{
  GHashTable *index = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_hash_table_insert (index, (gpointer) keys[i].path, (gpointer) &keys[i]);
  return index;
}

/**
 * shardwise_key_find:
 * @path: "training.sequence_length"
 *
 * Returns: (transfer none) (nullable): the key, or %NULL where there is none of that path
 */
const ShardwiseKey *
shardwise_key_find (const char *path)
{
  static GOnce index = G_ONCE_INIT;

  g_return_val_if_fail (path != NULL, NULL);

  return g_hash_table_lookup (g_once (&index, index_keys, NULL), path);
}

/* Shortest text of a bound: "131,072" but "0.1" and "1e+18". */
static char *
format_bound (double value)
{
  if (value == floor (value) && value < 1e10)
    return shardwise_format_whole (value);
  return g_strdup_printf ("%.6g", value);
}

/**
 * shardwise_key_describe_range:
 * @key: a key
 *
 * Returns: (transfer full): what @key accepts, translated: "1 to 131,072 GPUs", "bf16, fp16 or fp8"
 */
char *
shardwise_key_describe_range (const ShardwiseKey *key)
{
  g_autofree char *low = NULL, *high = NULL;

  switch (key->kind)
    {
    case SHARDWISE_KEY_BOOLEAN: return g_strdup (_ ("true or false"));
    case SHARDWISE_KEY_DATE: return g_strdup (_ ("a date as YYYY-MM or YYYY-MM-DD"));
    case SHARDWISE_KEY_CHOICE: return g_strjoinv (", ", (char **) key->choices);
    case SHARDWISE_KEY_STRINGS:
      low = g_strjoinv (", ", (char **) key->choices);
      /* Translators: %s is a list of words that a file may hold */
      return g_strdup_printf (_ ("an array of %s"), low);
    case SHARDWISE_KEY_RECOMPUTE:
      return g_strdup (_ ("none, selective, full or {\"full_layers\": N}"));
    case SHARDWISE_KEY_GPU:
      return g_strdup (
          _ ("a GPU of the catalogue, or an object with a “base” and what differs from it"));
    case SHARDWISE_KEY_CURRENCY:
      return g_strdup (_ ("a code of three letters (ISO 4217), such as USD or EUR"));
    case SHARDWISE_KEY_STRING: return g_strdup (_ ("a text"));
    case SHARDWISE_KEY_INTEGER:
    case SHARDWISE_KEY_NUMBER:
    default: break;
    }
  low = format_bound (key->minimum);
  high = format_bound (key->maximum);
  if (key->unit == NULL)
    /* Translators: a range of numbers */
    return g_strdup_printf (_ ("%s to %s"), low, high);
  /* Translators: a range of numbers and its unit: 1 to 131,072 GPUs */
  return g_strdup_printf (_ ("%s to %s %s"), low, high, _ (key->unit));
}

/* A value as a person wrote it: 8.5, not 8.5000000000000000, and texts in quotes. */
static char *
describe_value (GVariant *value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return g_strdup_printf ("“%.60s”", g_variant_get_string (value, NULL));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    return g_strdup (
        g_ascii_formatd (buffer, sizeof buffer, "%.15g", g_variant_get_double (value)));
  return g_variant_print (value, FALSE);
}

static gboolean
fail (const ShardwiseKey *key, ShardwiseError code, GVariant *value, GError **error)
{
  g_autofree char *accepted = shardwise_key_describe_range (key);
  g_autofree char *text = describe_value (value);

  if (code == SHARDWISE_ERROR_TYPE && key->kind == SHARDWISE_KEY_INTEGER
      && g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    /* Translators: a number with a fraction, then what is accepted */
    g_propagate_error (error, shardwise_error_new (code, key->path,
                                                   _ ("%s is not a whole number, accepted: %s"),
                                                   text, accepted));
  else if (code == SHARDWISE_ERROR_TYPE)
    /* Translators: a value of a wrong type, then what is accepted */
    g_propagate_error (error, shardwise_error_new (code, key->path,
                                                   _ ("%s is of the wrong type, accepted: %s"),
                                                   text, accepted));
  else if (code == SHARDWISE_ERROR_RANGE)
    /* Translators: a number outside its range, then the range */
    g_propagate_error (error,
                       shardwise_error_new (code, key->path, _ ("%s is out of range, accepted: %s"),
                                            text, accepted));
  else
    /* Translators: a word that is none of the known ones, then these */
    g_propagate_error (
        error,
        shardwise_error_new (code, key->path, _ ("%s is not known, accepted: %s"), text, accepted));
  return FALSE;
}

static gboolean
number_of (GVariant *value, double *out)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BYTE: *out = g_variant_get_byte (value); return TRUE;
    case G_VARIANT_CLASS_INT16: *out = g_variant_get_int16 (value); return TRUE;
    case G_VARIANT_CLASS_UINT16: *out = g_variant_get_uint16 (value); return TRUE;
    case G_VARIANT_CLASS_INT32: *out = g_variant_get_int32 (value); return TRUE;
    case G_VARIANT_CLASS_UINT32: *out = g_variant_get_uint32 (value); return TRUE;
    case G_VARIANT_CLASS_INT64: *out = (double) g_variant_get_int64 (value); return TRUE;
    case G_VARIANT_CLASS_UINT64: *out = (double) g_variant_get_uint64 (value); return TRUE;
    case G_VARIANT_CLASS_DOUBLE: *out = g_variant_get_double (value); return TRUE;
    case G_VARIANT_CLASS_BOOLEAN:
    case G_VARIANT_CLASS_HANDLE:
    case G_VARIANT_CLASS_STRING:
    case G_VARIANT_CLASS_OBJECT_PATH:
    case G_VARIANT_CLASS_SIGNATURE:
    case G_VARIANT_CLASS_VARIANT:
    case G_VARIANT_CLASS_MAYBE:
    case G_VARIANT_CLASS_ARRAY:
    case G_VARIANT_CLASS_TUPLE:
    case G_VARIANT_CLASS_DICT_ENTRY:
    default: return FALSE;
    }
}

static gboolean
check_number (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  double number;

  if (!number_of (value, &number))
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  if (!(number >= key->minimum && number <= key->maximum)) /* also refuses NaN */
    return fail (key, SHARDWISE_ERROR_RANGE, value, error);
  if (key->kind == SHARDWISE_KEY_NUMBER)
    *out = g_variant_new_double (number);
  else if (number == floor (number))
    *out = g_variant_new_int64 ((gint64) number);
  else
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  return TRUE;
}

static gboolean
contains (const char *const *words, const char *word)
{
  return g_strv_contains (words, word);
}

static gboolean
is_date (const char *text)
{
  GDate date;

  return shardwise_date_parse (text, &date);
}

/* none | selective | full | full_layers:N with 0 <= N <= 10000 */
static gboolean
is_recompute (const char *text)
{
  guint64 layers;

  if (g_str_equal (text, "none") || g_str_equal (text, "selective") || g_str_equal (text, "full"))
    return TRUE;
  return g_str_has_prefix (text, "full_layers:")
         && g_ascii_string_to_unsigned (text + strlen ("full_layers:"), 10, 0, 10000, &layers,
                                        NULL);
}

/* A code of ISO 4217, in capitals whatever was typed: "eur" is EUR. Which codes exist changes, so
 * that only their form is checked. */
static gboolean
check_currency (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  g_autofree char *code = NULL;

  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  code = g_strstrip (g_ascii_strup (g_variant_get_string (value, NULL), -1));
  if (strlen (code) != 3 || strspn (code, G_CSET_A_2_Z) != 3)
    return fail (key, SHARDWISE_ERROR_CHOICE, value, error);
  *out = g_variant_new_take_string (g_steal_pointer (&code));
  return TRUE;
}

static gboolean
check_text (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  const char *text;

  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  text = g_variant_get_string (value, NULL);
  if (key->kind == SHARDWISE_KEY_CHOICE && !contains (key->choices, text))
    return fail (key, SHARDWISE_ERROR_CHOICE, value, error);
  if (key->kind == SHARDWISE_KEY_DATE && !is_date (text))
    return fail (key, SHARDWISE_ERROR_RANGE, value, error);
  if (key->kind == SHARDWISE_KEY_RECOMPUTE && !is_recompute (text))
    return fail (key, SHARDWISE_ERROR_CHOICE, value, error);
  *out = g_variant_ref (value);
  return TRUE;
}

static gboolean
check_strings (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  g_autofree const char **words = NULL;

  if (g_variant_is_of_type (value, G_VARIANT_TYPE_ARRAY) && g_variant_n_children (value) == 0)
    {
      *out = g_variant_new_strv (NULL, 0);
      return TRUE;
    }
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_STRING_ARRAY))
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  words = g_variant_get_strv (value, NULL);
  for (guint i = 0; words[i] != NULL; i++)
    if (!contains (key->choices, words[i]))
      return fail (key, SHARDWISE_ERROR_CHOICE, value, error);
  *out = g_variant_ref (value);
  return TRUE;
}

/* An object is kept in one layout, so that the same object is the same value. */
static gboolean
check_gpu (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  g_autoptr (JsonNode) node = NULL;
  const char *text;

  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  text = g_variant_get_string (value, NULL);
  if (text[0] != '{')
    {
      *out = g_variant_ref (value);
      return TRUE;
    }
  node = shardwise_json_parse (text, strlen (text), error);
  if (node == NULL)
    {
      g_prefix_error (error, "%s: ", key->path);
      return FALSE;
    }
  *out = g_variant_new_take_string (g_strstrip (shardwise_json_to_string (node)));
  return TRUE;
}

/**
 * shardwise_key_normalise:
 * @key: a key
 * @value: sunk if floating; of any natural type: integers of every width and doubles are numbers;
 * strings are never numbers
 *
 * Returns: (transfer full): @value in the key's own type (x, d, b, s or as), or %NULL with @error
 * naming the path and what is accepted
 */
GVariant *
shardwise_key_normalise (const ShardwiseKey *key, GVariant *value, GError **error)
{
  g_autoptr (GVariant) held = g_variant_ref_sink (value);
  GVariant *out = NULL;
  gboolean done;

  switch (key->kind)
    {
    case SHARDWISE_KEY_INTEGER:
    case SHARDWISE_KEY_NUMBER: done = check_number (key, held, &out, error); break;
    case SHARDWISE_KEY_BOOLEAN:
      done = g_variant_is_of_type (held, G_VARIANT_TYPE_BOOLEAN)
             || fail (key, SHARDWISE_ERROR_TYPE, held, error);
      out = done ? g_variant_ref (held) : NULL;
      break;
    case SHARDWISE_KEY_STRINGS: done = check_strings (key, held, &out, error); break;
    case SHARDWISE_KEY_GPU: done = check_gpu (key, held, &out, error); break;
    case SHARDWISE_KEY_CURRENCY: done = check_currency (key, held, &out, error); break;
    case SHARDWISE_KEY_STRING:
    case SHARDWISE_KEY_CHOICE:
    case SHARDWISE_KEY_DATE:
    case SHARDWISE_KEY_RECOMPUTE:
    default: done = check_text (key, held, &out, error);
    }
  return done ? g_variant_take_ref (out) : NULL;
}

/**
 * shardwise_key_check:
 * @key: a key
 * @value: a value for it; sunk if floating
 *
 * Returns: whether @key accepts @value; else @error names the path and what is accepted
 */
gboolean
shardwise_key_check (const ShardwiseKey *key, GVariant *value, GError **error)
{
  g_autoptr (GVariant) normalised = shardwise_key_normalise (key, value, error);

  return normalised != NULL;
}
