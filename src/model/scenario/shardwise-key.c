/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-text-strategy.h"
#include "shardwise-dimension.h"
#include "shardwise-key.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-error.h"
#include "shardwise-json.h"
#include "shardwise-format.h"
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

static gboolean
fail (const ShardwiseKey *key, ShardwiseError code, GVariant *value, GError **error)
{
  g_autofree char *accepted = shardwise_key_describe_range (key);
  g_autofree char *text = NULL;
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  /* As a person wrote it: 8.5, not 8.5000000000000000, and texts in quotes. */
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    text = g_strdup_printf ("“%.60s”", g_variant_get_string (value, NULL));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    text =
        g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.15g", g_variant_get_double (value)));
  else
    text = g_variant_print (value, FALSE);
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
check_number (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  double number;

  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BYTE: number = g_variant_get_byte (value); break;
    case G_VARIANT_CLASS_INT16: number = g_variant_get_int16 (value); break;
    case G_VARIANT_CLASS_UINT16: number = g_variant_get_uint16 (value); break;
    case G_VARIANT_CLASS_INT32: number = g_variant_get_int32 (value); break;
    case G_VARIANT_CLASS_UINT32: number = g_variant_get_uint32 (value); break;
    case G_VARIANT_CLASS_INT64: number = (double) g_variant_get_int64 (value); break;
    case G_VARIANT_CLASS_UINT64: number = (double) g_variant_get_uint64 (value); break;
    case G_VARIANT_CLASS_DOUBLE: number = g_variant_get_double (value); break;
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
    default: return fail (key, SHARDWISE_ERROR_TYPE, value, error);
    }

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
  GDate date;

  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  text = g_variant_get_string (value, NULL);
  if (key->kind == SHARDWISE_KEY_CHOICE && !g_strv_contains (key->choices, text))
    return fail (key, SHARDWISE_ERROR_CHOICE, value, error);
  if (key->kind == SHARDWISE_KEY_DATE && !shardwise_date_parse (text, &date))
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
    if (!g_strv_contains (key->choices, words[i]))
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

static gboolean
check_boolean (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  *out = g_variant_ref (value);
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
  static gboolean (*const checks[]) (const ShardwiseKey *, GVariant *, GVariant **, GError **) = {
    [SHARDWISE_KEY_INTEGER] = check_number,  [SHARDWISE_KEY_NUMBER] = check_number,
    [SHARDWISE_KEY_BOOLEAN] = check_boolean, [SHARDWISE_KEY_STRINGS] = check_strings,
    [SHARDWISE_KEY_GPU] = check_gpu,         [SHARDWISE_KEY_CURRENCY] = check_currency,
    [SHARDWISE_KEY_STRING] = check_text,     [SHARDWISE_KEY_CHOICE] = check_text,
    [SHARDWISE_KEY_DATE] = check_text,       [SHARDWISE_KEY_RECOMPUTE] = check_text,
  };
  g_autoptr (GVariant) held = g_variant_ref_sink (value);
  GVariant *out = NULL;

  return checks[key->kind](key, held, &out, error) ? g_variant_take_ref (out) : NULL;
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

/* The names of the words of the scenario file. */

/* The same word may mean different things under different keys: a key of its own comes first. */
static const struct {
  const char *path, *word, *title;
} titles[] = {
  { "training.type", "pretrain", N_ ("Pre-training") },
  { "training.type", "finetune", N_ ("Full fine-tuning") },
  { "training.type", "lora", N_ ("LoRA") },
  { "training.type", "qlora", N_ ("QLoRA") },
  { "training.type", "rlhf", N_ ("RLHF") },
  { "training.precision", "bf16", N_ ("BF16") },
  { "training.precision", "fp16", N_ ("FP16") },
  { "training.precision", "fp8", N_ ("FP8, one scale per tensor") },
  { "training.precision", "fp8-tensorwise", N_ ("FP8, one scale per tensor") },
  { "training.precision", "fp8-rowwise", N_ ("FP8, one scale per row") },
  { "training.precision", "mxfp8", N_ ("MXFP8") },
  { "training.precision", "nvfp4", N_ ("NVFP4") },
  { "training.optimizer", "adamw", N_ ("AdamW") },
  { "training.optimizer", "adam8bit", N_ ("8-bit Adam") },
  { "training.optimizer", "adafactor", N_ ("Adafactor") },
  { "training.optimizer", "muon", N_ ("Muon") },
  { "training.optimizer", "sgd", N_ ("SGD with momentum") },
  { "training.attention", "flash", N_ ("FlashAttention") },
  { "training.attention", "unfused", N_ ("Unfused") },
  { "training.overlap", "auto", N_ ("As the framework does") },
  { "training.overlap", "none", N_ ("None") },
  { "training.lora.targets", "all-linear", N_ ("All linear layers") },
  { "training.lora.targets", "attention", N_ ("Attention only") },
  { "training.rlhf.algorithm", "ppo", N_ ("PPO") },
  { "training.rlhf.algorithm", "grpo", N_ ("GRPO") },
  { "strategy.recompute", "none", N_ ("None") },
  { "strategy.recompute", "selective", N_ ("Selective") },
  { "strategy.recompute", "full", N_ ("Full") },
  { "strategy.schedule", "gpipe", N_ ("GPipe") },
  { "strategy.schedule", "1f1b", N_ ("1F1B") },
  { "strategy.schedule", "interleaved", N_ ("Interleaved 1F1B") },
  { "strategy.schedule", "zero-bubble", N_ ("Zero bubble (ZB-H1)") },
  { "strategy.offload", "none", N_ ("None") },
  { "strategy.offload", "optimizer", N_ ("Optimizer") },
  { "strategy.offload", "optimizer+params", N_ ("Optimizer and parameters") },
  { "strategy.offload", "activations", N_ ("Activations") },
  { "strategy.cp_method", "ring", N_ ("Ring") },
  { "strategy.cp_method", "allgather", N_ ("All-gather") },
  { "strategy.cp_method", "ulysses", N_ ("Ulysses") },
  { "strategy.zero_stage", "0", N_ ("0 – nothing sharded") },
  { "strategy.zero_stage", "1", N_ ("1 – optimizer sharded") },
  { "strategy.zero_stage", "2", N_ ("2 – and gradients") },
  { "strategy.zero_stage", "3", N_ ("3 – and parameters") },
  { "cluster", "nvlink", N_ ("NVLink") },
  { "cluster", "infiniband", N_ ("InfiniBand") },
  { "cluster", "roce", N_ ("RoCE") },
  { "cluster", "pcie", N_ ("PCIe") },
  { "cluster", "ethernet", N_ ("Ethernet") },
  { "cluster", "efa", N_ ("EFA") },
};

/**
 * shardwise_key_word_title:
 * @path: of a key of the scenario file
 * @word: one of its words
 *
 * Returns: (transfer none): the name that the user reads, translated; @word itself where it has
 * none
 */
const char *
shardwise_key_word_title (const char *path, const char *word)
{
  int framework = sw_name_index (sw_framework_names, word);

  if (g_str_equal (path, "training.framework") && framework >= 0)
    return shardwise_text_framework (framework);
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    if (g_str_has_prefix (path, titles[i].path) && g_str_equal (titles[i].word, word))
      return _ (titles[i].title);
  return word;
}

/* What each key means, for the person who sets it. */

static const struct {
  const char *path, *topic, *text;
} table[] = {
  { "name", "scenario-file", N_ ("What the scenario is called, in the window and in reports.") },
  { "notes", "scenario-file", N_ ("Text of your own that the file keeps.") },

  { "model.preset", "inputs#model",
    N_ ("A model of the catalogue, with its published architecture.") },
  { "model.parameters_b", "inputs#model",
    N_ ("A bare size. A Llama-like architecture of as many parameters is derived from it.") },
  { "model.kind", "inputs#model",
    N_ ("A language model, or a vision or diffusion transformer, which is approximated as "
        "a decoder without causal mask.") },
  { "model.layers", "formula-parameters",
    N_ ("Transformer layers. Pipeline stages are cut between them.") },
  { "model.hidden_size", "formula-parameters",
    N_ ("Width of the residual stream between the layers.") },
  { "model.intermediate_size", "formula-parameters", N_ ("Width inside the MLP of a layer.") },
  { "model.attention_heads", "formula-parameters",
    N_ ("Query heads. Tensor parallelism has to divide them.") },
  { "model.kv_heads", "formula-parameters",
    N_ ("Heads of keys and values: fewer than query heads with grouped-query attention. "
        "By default as many as query heads.") },
  { "model.head_dim", "formula-parameters",
    N_ ("Width of a head. By default hidden size over attention heads.") },
  { "model.vocab_size", "formula-parameters",
    N_ ("Tokens of the vocabulary: size of embedding, head and logits.") },
  { "model.max_position_embeddings", "inputs#model",
    N_ ("The longest sequence that the model was made for. A longer one is computed, with "
        "a note.") },
  { "model.gated_mlp", "formula-parameters",
    N_ ("Three matrices in the MLP (SwiGLU and its like) instead of two.") },
  { "model.tied_embeddings", "formula-parameters",
    N_ ("The head uses the weights of the embedding.") },
  { "model.norm", "formula-parameters",
    N_ ("RMSNorm has a weight, LayerNorm a weight and a bias.") },
  { "model.norms_per_layer", "formula-parameters",
    N_ ("Norms in a layer. Each has weights and keeps its input.") },
  { "model.qk_norm", "formula-parameters",
    N_ ("Whether queries and keys are normalised, by head or over their whole width.") },
  { "model.bias.qkv", "formula-parameters",
    N_ ("Whether the projections of query, key and value have a bias.") },
  { "model.bias.attn_out", "formula-parameters",
    N_ ("Whether the output projection of attention has a bias.") },
  { "model.bias.mlp", "formula-parameters", N_ ("Whether the matrices of the MLP have a bias.") },
  { "model.position_embedding", "formula-parameters",
    N_ ("Learned positions are parameters; rotary ones are not.") },
  { "model.parallel_block", "formula-overlap#tensor",
    N_ ("Attention and MLP read the same input: one tensor-parallel exchange a layer "
        "instead of two.") },
  { "model.sliding_window", "formula-attention",
    N_ ("Tokens that a query looks back on. Without one it sees all before it.") },
  { "model.sliding_window_pattern", "formula-attention",
    N_ ("Which layers have the sliding window.") },
  { "model.mtp_layers", "formula-parameters",
    N_ ("Layers for multi-token prediction at the end of the last stage.") },
  { "model.moe.experts", "formula-experts", N_ ("Routed experts of a layer.") },
  { "model.moe.top_k", "formula-experts", N_ ("Experts that each token is sent to.") },
  { "model.moe.intermediate_size", "formula-experts", N_ ("Width inside one expert.") },
  { "model.moe.shared_intermediate_size", "formula-experts",
    N_ ("Width of the experts that every token passes, together. 0: there are none.") },
  { "model.moe.first_dense_layers", "formula-experts",
    N_ ("Layers at the start that have an MLP in place of experts.") },
  { "model.moe.layer_frequency", "formula-experts",
    N_ ("1: experts in every layer; 2: in every second one.") },
  { "model.mla.q_lora_rank", "formula-parameters",
    N_ ("Width to which queries are compressed. 0: they are not.") },
  { "model.mla.kv_lora_rank", "formula-parameters",
    N_ ("Width to which keys and values are compressed (multi-head latent attention).") },
  { "model.mla.qk_nope_head_dim", "formula-parameters",
    N_ ("Width of queries and keys, by head, that is not rotated.") },
  { "model.mla.qk_rope_head_dim", "formula-parameters",
    N_ ("Width of queries and keys, by head, that carries the position.") },
  { "model.mla.v_head_dim", "formula-parameters", N_ ("Width of values, by head.") },

  { "cluster.gpu", "inputs#cluster",
    N_ ("Decides memory, peak rates, the link inside a node and what a GPU-hour usually "
        "costs.") },
  { "cluster.gpus", "inputs#cluster",
    N_ ("How many GPUs the job may use. A strategy may leave some idle, and says so.") },
  { "cluster.gpus_per_node", "inputs#cluster",
    N_ ("GPUs that share a host. Tensor parallelism should stay within.") },
  { "cluster.gpu_memory_gb", "formula-states#usable",
    N_ ("Nominal memory. What can be used is a little less, in the proportion of the GPU "
        "chosen.") },
  { "cluster.nvlink_domain", "formula-collectives",
    N_ ("GPUs that the fast link joins: a node, or a whole rack.") },
  { "cluster.intra_node", "formula-collectives",
    N_ ("What joins the GPUs of a node. By default that of the GPU.") },
  { "cluster.intra_node_gb_s", "formula-collectives",
    N_ ("Of each GPU, in one direction. By default the rate of the link.") },
  { "cluster.inter_node", "formula-collectives",
    N_ ("What joins the nodes. By default what is usual for the GPU.") },
  { "cluster.inter_node_gb_s", "formula-collectives",
    N_ ("Each GPU’s part of the network, in one direction: 400 Gbit/s are 50 GB/s.") },
  { "cluster.oversubscription", "formula-collectives",
    N_ ("How much thinner the network is beyond a pod: 1 is a full one, 2 has half the "
        "bandwidth between pods.") },
  { "cluster.pod_gpus", "formula-collectives",
    N_ ("GPUs behind one switch with full bandwidth. 0: those of a node.") },
  { "cluster.host_ram_gb", "formula-offload",
    N_ ("What offloaded states have to fit into, on each node.") },

  { "training.type", "jobs",
    N_ ("Pre-training and full fine-tuning train all parameters; LoRA and QLoRA adapters "
        "beside frozen ones; reinforcement learning generates and scores answers too.") },
  { "training.sequence_length", "formula-attention",
    N_ ("Tokens of one sequence. By default 4,096.") },
  { "training.global_batch_size", "formula-pipeline",
    N_ ("Sequences of one optimizer step, over all replicas. By default about a million "
        "tokens. For tokens divide by the sequence length.") },
  { "training.micro_batch_size", "formula-activations",
    N_ ("Sequences that a GPU processes at once. Larger: better kernels, more memory, a "
        "larger bubble.") },
  { "training.precision", "formula-gemm",
    N_ ("Of the matrix products. Below 16 bits master weights and attention stay as they "
        "are.") },
  { "training.optimizer", "formula-states",
    N_ ("Decides the bytes of state for each parameter, and the time of the step’s end.") },
  { "training.attention", "formula-attention",
    N_ ("Flash attention keeps no scores; the unfused kernel keeps the whole square.") },
  { "training.framework", "inputs#training",
    N_ ("Whose rules, memory and overlap hold. “any” takes the best of all; each result "
        "names its own.") },
  { "training.software_date", "inputs#training",
    N_ ("Release of the framework, by its month: what it could do then. By default the "
        "newest one known.") },
  { "training.overlap", "formula-overlap",
    N_ ("Without overlap all communication delays the step.") },
  { "training.memory_target", "formula-states#usable",
    N_ ("Share of the usable memory that a strategy may fill: 0.9, or 0.8 in the quick "
        "score.") },
  { "training.tokens", "formula-cost",
    N_ ("How many the model is to see: what days and cost are computed for.") },
  { "training.deadline", "cost#deadline",
    N_ ("When training is to be done. The Scale page finds the smallest cluster that is "
        "in time.") },
  { "training.lora.rank", "formula-lora",
    N_ ("Inner width of the adapters: more of it, more trained parameters. By default 16.") },
  { "training.lora.targets", "formula-lora",
    N_ ("Adapters beside all linear layers, or beside those of attention alone.") },
  { "training.rlhf.algorithm", "formula-rlhf", N_ ("PPO trains a critic too; GRPO has none.") },
  { "training.rlhf.critic_parameters_b", "formula-rlhf",
    N_ ("Size of critic and reward model. By default that of the policy.") },
  { "training.rlhf.response_length", "formula-rlhf",
    N_ ("Tokens of each sequence that are generated; the rest is the prompt.") },
  { "training.rlhf.colocated", "formula-rlhf",
    N_ ("On: the GPUs that train also generate, one after the other. Off: those that "
        "training leaves over do.") },
  { "training.packing.mean_document", "formula-attention",
    N_ ("Where documents are packed into a sequence a token sees its own one only: their "
        "mean length.") },

  { "strategy.tp", "dimensions#tp", N_ ("GPUs that share the matrices of every layer.") },
  { "strategy.etp", "dimensions#ep",
    N_ ("GPUs that share the matrices of each expert. By default those of tensor "
        "parallelism.") },
  { "strategy.pp", "dimensions#pp", N_ ("Stages that the layers are cut into.") },
  { "strategy.vpp", "dimensions#pp",
    N_ ("Chunks of layers on each GPU of an interleaved pipeline: a smaller bubble, more "
        "transfers.") },
  { "strategy.dp", "dimensions#dp", N_ ("Replicas, each with its part of the batch.") },
  { "strategy.cp", "dimensions#cp", N_ ("GPUs that share each sequence.") },
  { "strategy.cp_method", "formula-overlap#context",
    N_ ("How they exchange keys and values: round a ring, gathered at once, or by heads "
        "(Ulysses).") },
  { "strategy.ep", "dimensions#ep", N_ ("GPUs over which the experts are spread.") },
  { "strategy.sequence_parallel", "dimensions#tp",
    N_ ("Cuts the activations between the matrices of tensor parallelism over the same "
        "GPUs; costs nothing more.") },
  { "strategy.zero_stage", "dimensions#dp",
    N_ ("What replicas share instead of repeating: 1 optimizer states, 2 gradients too, 3 "
        "parameters too (FSDP).") },
  { "strategy.shard_group", "dimensions#dp",
    N_ ("Over how many of the replicas. Fewer than all is hybrid sharding.") },
  { "strategy.micro_batch_size", "formula-activations",
    N_ ("Sequences that a GPU processes at once. This wins over the value of the "
        "training.") },
  { "strategy.recompute", "formula-activations#recompute",
    N_ ("Activations that are dropped and computed again in the backward pass.") },
  { "strategy.recompute_modules", "formula-activations#recompute",
    N_ ("Which parts of a layer “selective” computes again, by the names of "
        "Megatron-Core.") },
  { "strategy.schedule", "formula-pipeline",
    N_ ("Order of forward and backward passes through the stages.") },
  { "strategy.offload", "formula-offload", N_ ("What lives in the memory of the host.") },

  { "cost.price", "formula-cost",
    N_ ("What an hour of one GPU costs, rented. By default the lowest of the catalogue, "
        "with its date.") },
  { "cost.currency", "formula-cost", N_ ("Of all prices. None is converted.") },
  { "cost.price_date", "formula-cost", N_ ("When the price was asked for; shown beside it.") },
  { "cost.capex_per_gpu", "formula-cost",
    N_ ("Owned hardware: a GPU with its share of node and network.") },
  { "cost.depreciation_years", "formula-cost",
    N_ ("Years over which the purchase is spread evenly. By default 4, an assumption.") },
  { "cost.power_w", "formula-cost",
    N_ ("What a GPU at work draws, with its share of the node. By default its rated "
        "power, an upper bound.") },
  { "cost.pue", "formula-cost",
    N_ ("Power of the whole building over that of its computers. By default 1.56, the "
        "mean of a survey.") },
  { "cost.kwh_price", "formula-cost",
    N_ ("Of electricity. By default that of industry in the United States.") },
  { "cost.grid_kg_co2_per_kwh", "formula-cost",
    N_ ("Of your grid. By default the mean of the world.") },
  { "cost.overhead_share", "formula-cost",
    N_ ("Staff, network and buildings, as a share of hardware and electricity. By default "
        "0.2, an assumption.") },
  { "cost.mtbf_gpu_hours", "formula-goodput",
    N_ ("Hours between interruptions of one GPU; a job of N GPUs meets them N times as "
        "often.") },
  { "cost.storage_gb_s", "formula-goodput",
    N_ ("Rate at which checkpoints are written, of the whole job. By default in "
        "proportion to the GPUs.") },
  { "cost.restart_s", "formula-goodput",
    N_ ("From an interruption until the job trains again, without the work that is lost.") },
};

static gsize
find (const ShardwiseKey *key)
{
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    if (g_str_equal (table[i].path, key->path))
      return i;
  g_error ("No help for the key “%s”", key->path); /* a test walks all keys */
}

/**
 * shardwise_key_get_help:
 *
 * Returns: (transfer none): what @key means, translated
 */
const char *
shardwise_key_get_help (const ShardwiseKey *key)
{
  g_return_val_if_fail (key != NULL, NULL);

  return _ (table[find (key)].text);
}

/**
 * shardwise_key_get_topic:
 *
 * Returns: (transfer none): the page of the manual about @key, or a section of one
 */
const char *
shardwise_key_get_topic (const ShardwiseKey *key)
{
  g_return_val_if_fail (key != NULL, NULL);

  return table[find (key)].topic;
}

/**
 * shardwise_key_describe_help:
 * @usual: (nullable): its default here, as the user reads it
 *
 * Returns: (transfer full): what @key means, what it accepts and its default, a line each
 */
char *
shardwise_key_describe_help (const ShardwiseKey *key, const char *usual)
{
  g_autofree char *range = NULL;
  GString *text;

  g_return_val_if_fail (key != NULL, NULL);

  text = g_string_new (shardwise_key_get_help (key));
  if (key->kind == SHARDWISE_KEY_INTEGER || key->kind == SHARDWISE_KEY_NUMBER
      || key->kind == SHARDWISE_KEY_DATE || key->kind == SHARDWISE_KEY_CURRENCY)
    {
      range = shardwise_key_describe_range (key);
      g_string_append_c (text, '\n');
      /* Translators: what an input accepts: "Accepted: 1 to 131,072 GPUs" */
      g_string_append_printf (text, _ ("Accepted: %s"), range);
    }
  if (usual != NULL && *usual != '\0')
    {
      g_string_append_c (text, '\n');
      /* Translators: the value of an input that was not set */
      g_string_append_printf (text, _ ("Default here: %s"), usual);
    }
  return g_string_free (text, FALSE);
}
