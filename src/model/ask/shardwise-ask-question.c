/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a question: models, GPUs, inputs with values, sides of a comparison, and what the scenario has. */
#include "shardwise-ask-question.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-ask-intent.h"
#include "shardwise-catalogue.h"
#include "shardwise-json.h"
#include "shardwise-resolve.h"

enum {
  LONGEST_LINK = 4,    /* words between a key and its value: "sequence length to be set to 8192" */
  HOST_REACH = 3,      /* words over which "RAM" says whose memory it is */
  FACTOR_REACH = 4,    /* words between "twice" and what is doubled */
  AMOUNT_BEFORE = 4,   /* words over which "using" reaches to an amount of memory */
  AMOUNT_AFTER = 3,    /* and "free" back to it */
  FEW = 10,            /* words of a question whose nameless numbers all belong to what it names */
  GPUS_OF_A_NODE = 16, /* most that "2 nodes with 8 GPUs" may mean by the latter */
  NEAR = 5,            /* atoms over which "not" reaches */
  FAR = 20
};

#define MOST_OF_A_GPU 320.0 /* GB */
#define SOLD_WITH_MORE 2.5  /* of what the catalogue has: some GPUs are sold with twice as much */
#define PRICE_MOST 200.0    /* money from which an amount is no price of a GPU-hour */
#define TOKENS_OF_A_MODEL 1e11 /* from which billions beside a model are tokens */
#define TOKENS_LEAST 1e7 /* from which tokens are those to train on, not those of a sequence */
#define SIZE_ERROR 0.08  /* as people round sizes of models: "70B" of 70.6 */

/* ---- models ---- */

/* How much of a model's name stands in a question. */
typedef struct {
  guint length, matched;
  double score;
} Likeness;

static const char *
word_of (const ShardwiseAskPhrase *phrase, guint index)
{
  return index < phrase->words->len ? g_ptr_array_index (phrase->words, index) : "";
}

/* Scores an atom as a word of a name: "3" nearly matches "3.1"; a size needs its "b". */
static double
word_score (const ShardwiseAskReader *self, guint at, const char *text, const char *unit)
{
  const ShardwiseAtom *atom = shardwise_atom (self->atoms, at);
  const gsize length = strlen (atom->text);

  if (g_ascii_isdigit (*text)
      && (g_str_equal (unit, "b") || g_str_equal (unit, "m") || g_str_equal (unit, "x"))
      && !shardwise_ask_is_word (self, at + 1, unit))
    return 0;
  if (g_str_equal (atom->text, text))
    return 10;
  return atom->is_number && strncmp (atom->text, text, length) == 0 && text[length] == '.' ? 5 : 0;
}

/* Matches atoms from @at in the order of the name, which may have other words between. */
static Likeness
likeness (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, guint at)
{
  Likeness out = { 0 };
  guint word = 0;

  for (guint i = at; shardwise_ask_is_free (self, i); i++)
    {
      guint next = word;
      double score = 0;

      for (; next < phrase->words->len && score <= 0; next += score > 0 ? 0 : 1)
        score = word_score (self, i, word_of (phrase, next), word_of (phrase, next + 1));
      if (score <= 0 || (i == at && next > 0))
        break;
      out.score += score - (next - word);
      out.matched++;
      out.length = i - at + 1;
      word = next + 1;
    }
  out.score -= 0.1 * (phrase->words->len - word);
  return out;
}

/* A name as a whole, or the newest model of a family and size: "Llama 70B". */
static gboolean
read_model (ShardwiseAskReader *self, guint at)
{
  GPtrArray *phrases = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_MODEL);
  const ShardwiseAskPhrase *best = NULL;
  const ShardwiseAtom *next;
  Likeness most = { 0 };

  for (guint i = 0; !shardwise_atom (self->atoms, at)->is_number && i < phrases->len; i++)
    {
      const ShardwiseAskPhrase *phrase = g_ptr_array_index (phrases, i);
      const Likeness found = likeness (self, phrase, at);

      if ((found.matched < 2 && found.matched < phrase->words->len) || found.score < most.score)
        continue;
      most = found;
      best = phrase;
    }
  next = shardwise_atom (self->atoms, at + most.length);
  /* A "K3" is no "K2". */
  if (best == NULL || (next != NULL && next->glued && next->is_number))
    return FALSE;
  shardwise_ask_add_slot (self, best->target, g_variant_new_string (best->value), at);
  shardwise_ask_use (self, at, most.length, SHARDWISE_ASK_MODEL);
  return TRUE;
}

/* ---- GPUs ---- */

/* Whether a number of @path stands from @at on; then it takes @length atoms. */
static void
use_count (ShardwiseAskReader *self, const char *path, guint at, guint length,
           const ShardwiseAskNumber *n)
{
  const double value = n->value * n->scale;

  if (n->length == 0 || value < 1 || (value != floor (value) && isnan (n->grouped)))
    return;
  shardwise_ask_add_number (self, path, value, n->grouped * n->scale, at);
  shardwise_ask_use (self, at, length, SHARDWISE_ASK_UNIT);
}

/* Reads the nodes that stand before a number of GPUs at @at, the 4 of "4x8 H100". */
static gboolean
read_nodes (ShardwiseAskReader *self, guint at)
{
  ShardwiseAskNumber n;

  if (at == 0 || !shardwise_ask_is_word (self, at - 1, "x")
      || !shardwise_ask_is_free (self, at - 1))
    return FALSE;
  n = shardwise_ask_number_before (self, at - 1);
  if (n.length == 0 || n.scale != 1 || n.value < 1 || n.value != floor (n.value))
    return FALSE;
  use_count (self, "nodes", at - 1 - n.length, n.length + 1, &n);
  return TRUE;
}

/* Whether "nodes" stands at @at, and not one of them: "an 8 H100 node" has 8 GPUs. */
static gboolean
are_nodes (const ShardwiseAskReader *self, guint at, double count)
{
  guint length;
  const ShardwiseAskPhrase *unit = shardwise_ask_match_any (self, SHARDWISE_ASK_UNIT, at, &length);

  return unit != NULL && g_str_equal (unit->target, "nodes")
         && (count <= 1 || self->question->german
             || g_str_has_suffix (shardwise_atom (self->atoms, at)->text, "s"));
}

/* "8x", "8", "eight", "8 Nvidia" before a GPU; "x 8" after it; "4 H100 nodes", "4x8 H100". */
static void
read_count (ShardwiseAskReader *self, guint at, guint end)
{
  guint before = at;
  gboolean times = FALSE, nodes;
  ShardwiseAskNumber n;

  while (before > 0
         && (shardwise_ask_is_mark (self, before - 1, "skip")
             || shardwise_ask_is_word (self, before - 1, "x")))
    times = shardwise_ask_is_word (self, --before, "x") || times;
  n = shardwise_ask_number_before (self, before);
  if (n.length == 0)
    {
      n = shardwise_ask_is_word (self, end, "x") ? shardwise_ask_number (self, end + 1) : n;
      use_count (self, PATH (CLUSTER_GPUS), end, n.length + 1, &n);
      return;
    }
  /* A DGX is a machine. */
  nodes = !times
          && (are_nodes (self, end, n.value * n.scale) || shardwise_ask_is_word (self, at, "dgx"));
  before -= n.length;
  /* The 1 of "ZeRO1 A100" counts none. */
  if (before > 0 && shardwise_atom (self->atoms, before)->glued && !times
      && !shardwise_ask_is_word (self, before - 1, "x"))
    return;
  use_count (self, nodes ? "nodes" : PATH (CLUSTER_GPUS), before, at - before, &n);
  if (nodes && are_nodes (self, end, n.value * n.scale))
    shardwise_ask_use (self, end, 1, SHARDWISE_ASK_UNIT);
  else if (!read_nodes (self, before) && are_nodes (self, end, 1))
    {
      /* "4 8xH100 nodes": the nodes stand before the count of GPUs. */
      n = shardwise_ask_number_before (self, before);
      use_count (self, "nodes", before - n.length, n.length, &n);
    }
}

/* A GPU of @kind with the count beside it. The first that the catalogue has not is kept by name. */
static gboolean
read_gpu (ShardwiseAskReader *self, ShardwiseAskKind kind, guint at)
{
  const gboolean is_known = kind == SHARDWISE_ASK_GPU;
  guint length;
  const ShardwiseAskPhrase *gpu = shardwise_ask_match_any (self, kind, at, &length);

  if (gpu == NULL || (!is_known && self->question->unknown_gpu != NULL))
    return FALSE;
  if (is_known)
    shardwise_ask_add_slot (self, gpu->target, g_variant_new_string (gpu->value), at);
  else
    self->question->unknown_gpu = g_strdup (gpu->target);
  if (is_known && shardwise_ask_is_word (self, at + length, "s"))
    length++;
  /* "TPU v4-256" */
  while (!is_known && at + length < self->atoms->len
         && (shardwise_atom (self->atoms, at + length)->is_number
             || strlen (shardwise_atom (self->atoms, at + length)->text) == 1))
    length++;
  shardwise_ask_use (self, at, length, SHARDWISE_ASK_GPU);
  read_count (self, at, at + length);
  return TRUE;
}

/* ---- numbers that belong to a key ---- */

/* SHARDWISE_KEY_NONE: what a question counts and no scenario has, such as "nodes" */
static ShardwiseKeyId
key_of (const char *path)
{
  const ShardwiseKey *key = shardwise_key_find (path);

  return key != NULL ? key->id : SHARDWISE_KEY_NONE;
}

static gboolean
takes_numbers (const char *path)
{
  const ShardwiseKey *key = shardwise_key_find (path);

  return key == NULL || key->kind == SHARDWISE_KIND_INTEGER || key->kind == SHARDWISE_KIND_NUMBER;
}

static gboolean
is_percent_key (const char *path)
{
  return key_of (path) == SHARDWISE_KEY_TRAINING_MEMORY_TARGET
         || g_str_equal (path, "measured.mfu");
}

/* The number at @at is of @path. */
static void
use_number (ShardwiseAskReader *self, const char *path, guint at, ShardwiseAskNumber n)
{
  const guint end = at + n.length;
  const ShardwiseKeyId key = key_of (path);
  const double rounded = log2 (n.value);

  shardwise_ask_use (self, at, n.length, SHARDWISE_ASK_UNIT);
  /* "Each extra 1k of context" is none of that length. */
  if (g_str_equal (path, "micro-batches")
      || ((key == SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH || key == SHARDWISE_KEY_TRAINING_LORA_RANK
           || key == SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE)
          && at > 0 && shardwise_ask_is_mark (self, at - 1, "each")))
    {
      shardwise_ask_leave_out (self, at, n.length + 1, _ ("counts something that is no input"))
          ->is_figure = TRUE;
      return;
    }
  if (is_percent_key (path))
    {
      if (shardwise_ask_is_word (self, end, "%"))
        shardwise_ask_use (self, end, 1, SHARDWISE_ASK_UNIT);
      /* "90 %" of a share is 0.9. */
      n.scale = n.value > 1 ? 0.01 : n.scale;
      n.grouped = n.value > 1 ? NAN : n.grouped;
    }
  else if (key == SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE && self->scenario != NULL
           && shardwise_ask_is_mark (self, end, "tokens"))
    {
      /* A batch in tokens, as sequences. */
      const double sequence =
          shardwise_scenario_get_number (self->scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                                         shardwise_defaults_get ("training.sequence_length"));

      shardwise_ask_use (self, end, 1, SHARDWISE_ASK_UNIT);
      n = (ShardwiseAskNumber){ 1, MAX (1, floor (n.value * n.scale / sequence)), NAN, 1 };
    }
  if (key == SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE
      && shardwise_ask_is_word (self, end, "sequences"))
    shardwise_ask_use (self, end, 1, SHARDWISE_ASK_UNIT);
  /* "8k" tokens are 8192, "100k" are 100,000. */
  if (key == SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH && (n.scale == 1e3 || n.scale == 1e6)
      && rounded == floor (rounded))
    n.value *= n.scale == 1e3 ? 1024 : 1048576;
  else
    n.value *= n.scale;
  shardwise_ask_add_number (self, path, n.value, n.grouped * n.scale, at);
}

/* Thousands are of counts, millions and more of tokens alone: "TP for a 13B" names no TP. */
static gboolean
accepts_scale (const char *path, double scale)
{
  static const char *const counts[] = { "nodes", "days", "measured.tokens_per_s",
                                        "measured.tokens_per_s_per_gpu", NULL };
  const ShardwiseKeyId key = key_of (path);

  return scale == 1 || key == SHARDWISE_KEY_TRAINING_TOKENS
         || key == SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH
         || key == SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE || g_str_equal (path, "budget")
         || (scale <= 1e3 && (key == SHARDWISE_KEY_CLUSTER_GPUS || g_strv_contains (counts, path)));
}

/* Whether a unit or key follows the number: "TP on 64 GPUs"; not in "GBS 512 seq 4k". */
static gboolean
has_other_unit (const ShardwiseAskReader *self, const char *path, guint end)
{
  guint length, of_key, of_value;
  const ShardwiseAskPhrase *unit = shardwise_ask_match_any (self, SHARDWISE_ASK_UNIT, end, &length);

  if (shardwise_ask_is_word (self, end, "%"))
    return !is_percent_key (path);
  shardwise_ask_match_any (self, SHARDWISE_ASK_KEY, end, &of_key);
  shardwise_ask_match_any (self, SHARDWISE_ASK_VALUE, end, &of_value);
  return unit != NULL && !g_str_equal (unit->target, path) && MAX (of_key, of_value) <= length
         && (of_key == 0 || shardwise_ask_number (self, end + length).length == 0);
}

/* "= 8", "of 8", "from 4 to 8" (8) after a key. */
static gboolean
number_after (ShardwiseAskReader *self, const char *path, guint end)
{
  guint at = end;
  ShardwiseAskNumber n, later;

  for (guint i = 0; i < LONGEST_LINK && shardwise_ask_is_mark (self, at, "link"); i++)
    at++;
  n = shardwise_ask_number (self, at);
  if (n.length == 0 || !accepts_scale (path, n.scale)
      || (!shardwise_ask_is_word (self, at - 1, "=") && has_other_unit (self, path, at + n.length)))
    return FALSE;
  if (shardwise_ask_is_mark (self, at - 1, "from")
      && shardwise_ask_is_mark (self, at + n.length, "to"))
    {
      later = shardwise_ask_number (self, at + n.length + 1);
      if (later.length > 0)
        {
          use_number (self, path, at, n);
          at += n.length + 1;
          n = later;
        }
    }
  use_number (self, path, at, n);
  return TRUE;
}

/* "64", "4-way" before a key; before a unit also "one". @factor: what the unit is a multiple of */
static gboolean
number_before (ShardwiseAskReader *self, const char *path, double factor, guint at,
               gboolean is_unit)
{
  guint before = at;
  ShardwiseAskNumber n, earlier = { 0 };

  while (before > 0 && shardwise_ask_is_mark (self, before - 1, "way"))
    before--;
  n = shardwise_ask_number_before (self, before);
  at = before - n.length;
  /* "two cards", but "a sequence" is no number of them. */
  if (n.length == 0 || !accepts_scale (path, n.scale)
      || (!is_unit && !shardwise_atom (self->atoms, at)->is_number
          && (n.value <= 1 || key_of (path) != SHARDWISE_KEY_CLUSTER_GPUS)))
    return FALSE;
  /* "From 32 to" before it is of the same. */
  if (at > 0 && shardwise_ask_is_mark (self, at - 1, "to"))
    earlier = shardwise_ask_number_before (self, at - 1);
  if (earlier.length > 0 && at > earlier.length + 1
      && shardwise_ask_is_mark (self, at - earlier.length - 2, "from"))
    {
      earlier.scale *= factor;
      use_number (self, path, at - earlier.length - 1, earlier);
    }
  n.scale *= factor;
  use_number (self, path, at, n);
  if (key_of (path) == SHARDWISE_KEY_CLUSTER_GPUS)
    read_nodes (self, at);
  return TRUE;
}

/* "Twice the batch", "double our number of GPUs"; behind it in German, "die Batchgröße verdoppeln", or at the end. */
static double
factor_near (ShardwiseAskReader *self, guint at, guint end)
{
  for (guint near = 0; near <= FACTOR_REACH; near++)
    {
      const guint from = near > 0 ? at - near : end;
      guint length;
      const ShardwiseAskPhrase *factor =
          near <= at && (near > 0 || self->question->german || end + 1 == self->atoms->len)
              ? shardwise_ask_match_any (self, SHARDWISE_ASK_FACTOR, from, &length)
              : NULL;

      if (factor != NULL && (near == 0 || length <= near))
        {
          shardwise_ask_use (self, from, length, SHARDWISE_ASK_FACTOR);
          return factor->number;
        }
    }
  return 0;
}

/* "400 Gb/s", and however that is written but as "GB/s": networks are quoted in bits. */
static gboolean
in_bits (const ShardwiseAskReader *self, guint at)
{
  return shardwise_ask_is_word (self, at, "gb") && shardwise_ask_is_word (self, at + 1, "/")
         && strstr (self->question->text, "GB/") == NULL;
}

static void
read_key (ShardwiseAskReader *self, const ShardwiseAskPhrase *key, guint at, guint length)
{
  const gboolean is_unit = key->kind == SHARDWISE_ASK_UNIT,
                 is_count = is_unit && key_of (key->target) == SHARDWISE_KEY_NONE;
  double factor = 0;

  shardwise_ask_use (self, at, length, SHARDWISE_ASK_UNIT);
  if (takes_numbers (key->target)
      && (is_unit && !shardwise_ask_is_word (self, at + length, "=")
              ? number_before (self, key->target, key->number * (in_bits (self, at) ? 0.125 : 1),
                               at, TRUE)
              : number_after (self, key->target, at + length)
                    || number_before (self, key->target, 1, at, FALSE)))
    return;
  /* It is only named, and what is asked must account for it. */
  shardwise_ask_use (self, at, length, SHARDWISE_ASK_KEY);
  if (is_count && !g_str_equal (key->target, "nodes"))
    return;
  if (takes_numbers (key->target))
    factor = factor_near (self, at, at + length);
  /* "Twice the nodes" are twice the GPUs. */
  if (!is_count || factor > 0)
    shardwise_ask_add_slot (self, is_count ? PATH (CLUSTER_GPUS) : key->target, NULL, at)->factor =
        factor;
}

static void
read_value (ShardwiseAskReader *self, const ShardwiseAskPhrase *value, guint at, guint length)
{
  const ShardwiseKey *key = shardwise_key_find (value->target);
  const ShardwiseAskNumber n = shardwise_ask_number (self, at + length);

  shardwise_ask_use (self, at, length, SHARDWISE_ASK_VALUE);
  /* "FSDP 8" is a degree. */
  if (key->id == SHARDWISE_KEY_TRAINING_FRAMEWORK && g_str_has_prefix (value->value, "fsdp")
      && n.length == 1 && n.value > 2 && n.scale == 1
      && !has_other_unit (self, PATH (STRATEGY_DP), at + length + 1))
    use_number (self, PATH (STRATEGY_DP), at + length, n);
  if (takes_numbers (key->path))
    shardwise_ask_add_number (self, value->target, g_ascii_strtod (value->value, NULL), NAN, at);
  else
    shardwise_ask_add_slot (self, value->target,
                            key->kind == SHARDWISE_KIND_BOOLEAN
                                ? g_variant_new_boolean (g_str_equal (value->value, "true"))
                                : g_variant_new_string (value->value),
                            at);
  /* "400G RoCE": the rate stands before the network, in Gbit/s. */
  if (key->id == SHARDWISE_KEY_CLUSTER_INTER_NODE && at >= 2
      && shardwise_ask_is_word (self, at - 1, "g") && shardwise_ask_is_free (self, at - 1)
      && number_before (self, PATH (CLUSTER_INTER_NODE_GB_S), 1.0 / 8, at - 1, TRUE))
    shardwise_ask_use (self, at - 1, 1, SHARDWISE_ASK_UNIT);
}

/* ---- sizes, tokens, memory, money ---- */

/* Parameters of a model of the catalogue, 0: it has none of that name. */
static double
parameters_of (const char *id)
{
  const SwModelSpec *spec = shardwise_catalogue_find_model (shardwise_catalogue_get (), id);
  SwParameterCount count = { 0 };

  if (spec != NULL)
    sw_model_count (spec, &count);
  return count.total;
}

/* Those of the model that the question names. */
static double
named_parameters (const ShardwiseAskReader *self)
{
  const ShardwiseAskSlot *slot = shardwise_question_find (self->question,
                                                          SHARDWISE_KEY_MODEL_PRESET, 0);

  return slot != NULL && slot->value != NULL
             ? parameters_of (g_variant_get_string (slot->value, NULL))
             : 0;
}

/* "70B", "350M parameters", "1T model"; tokens where tokens follow. */
static void
read_size (ShardwiseAskReader *self, guint at)
{
  ShardwiseAskNumber n = shardwise_ask_number (self, at);
  const gboolean is_model = shardwise_ask_is_mark (self, at + n.length, "parameters"),
                 is_tokens = shardwise_ask_is_mark (self, at + n.length, "tokens"),
                 has_model = shardwise_question_names (self->question, SHARDWISE_KEY_MODEL_PRESET,
                                                       0);
  const double total = n.value * n.scale;
  const guint end = at + n.length;

  /* The "3B" of "35B-A3B" is a part of a name. */
  if (n.length == 0 || (n.scale == 1 && !is_tokens) || shardwise_atom (self->atoms, at)->glued)
    return;
  if (is_tokens && total < TOKENS_LEAST)
    use_number (self, PATH (TRAINING_SEQUENCE_LENGTH), at, n);
  else if (is_tokens || (n.scale == 1e12 && !is_model)
           || (n.scale == 1e9 && has_model && !is_model && total >= TOKENS_OF_A_MODEL
               && fabs (total / named_parameters (self) - 1) > SIZE_ERROR))
    use_number (self, PATH (TRAINING_TOKENS), at, n);
  else if (n.scale == 1e9 || is_model)
    {
      n.scale /= 1e9;
      n.grouped = NAN;
      use_number (self, PATH (MODEL_PARAMETERS_B), at, n);
    }
  else
    return;
  if (is_tokens || is_model)
    shardwise_ask_use (self, end, 1, SHARDWISE_ASK_UNIT);
}

/* Reads a price ("$2.50", "3 dollars per GPU-hour"), or a budget if it is too high for one. */
static gboolean
read_money (ShardwiseAskReader *self, guint at)
{
  const gboolean before = shardwise_ask_is_mark (self, at, "dollar")
                          || shardwise_ask_is_mark (self, at, "euro");
  const ShardwiseAskNumber n = shardwise_ask_number (self, at + (before ? 1 : 0));
  const guint sign = before ? at : at + n.length;
  const gboolean is_euro = shardwise_ask_is_mark (self, sign, "euro");
  gboolean is_energy = FALSE; /* "0.30 € per kWh" */

  if (n.length == 0
      || (!is_euro && !shardwise_ask_is_mark (self, sign, "dollar")
          && !shardwise_ask_is_word (self, sign, "budget")))
    return FALSE;
  shardwise_ask_use (self, at, n.length + 1, SHARDWISE_ASK_UNIT);
  for (guint i = sign + 1; i <= sign + 2; i++)
    is_energy = is_energy || shardwise_ask_is_word (self, i, "kwh");
  shardwise_ask_add_number (self,
                            is_energy                        ? PATH (COST_KWH_PRICE)
                            : n.value * n.scale > PRICE_MOST ? "budget"
                                                             : PATH (COST_PRICE),
                            n.value * n.scale, n.grouped * n.scale, at);
  if (is_euro)
    shardwise_ask_add_slot (self, PATH (COST_CURRENCY), g_variant_new_string ("EUR"), at);
  return TRUE;
}

/* Where the mark last stands among the @reach atoms before a place: the place after it, or 0. */
static guint
last_mark (const ShardwiseAskReader *self, const char *mark, guint to, guint reach)
{
  for (guint i = to; i > 0 && to - i < reach; i--)
    if (shardwise_ask_is_mark (self, i - 1, mark))
      return i;
  return 0;
}

/* Whether an amount is used, free or needed memory ("70GB in use"), or no whole number ("26.08 GiB"). */
static gboolean
is_amount (const ShardwiseAskReader *self, guint at, guint end, double value)
{
  gboolean is_one = value != floor (value) || last_mark (self, "amount", at, AMOUNT_BEFORE) > 0;

  for (guint i = end;
       i < MIN (end + AMOUNT_AFTER, self->atoms->len) && !shardwise_atom (self->atoms, i)->begins;
       i++)
    is_one = is_one || shardwise_ask_is_mark (self, i, "amount");
  return is_one;
}

/* Whether an amount is the memory of a GPU: "16 × 80 GB", "with 24 GB", "80GB cards". */
static gboolean
is_of_a_gpu (const ShardwiseAskReader *self, guint at, guint end)
{
  const gboolean is_short = self->atoms->len <= FEW;

  if (shardwise_ask_is_mark (self, end, "gpu-size"))
    return TRUE;
  if (at <= 1 && (at == 0 || shardwise_ask_is_mark (self, 0, "gpu-size")))
    return at == 1 || is_short;
  return shardwise_ask_is_mark (self, at - 1, "of-gpu") || self->used[at - 1] == SHARDWISE_ASK_GPU
         || self->used[at - 1] == SHARDWISE_ASK_UNIT
         || (is_short && shardwise_atom (self->atoms, at - 1)->is_number);
}

/* The most gigabytes that a GPU of the question may have. */
static double
most_gpu_memory (const ShardwiseAskReader *self)
{
  const ShardwiseAskSlot *slot = shardwise_question_find (self->question, SHARDWISE_KEY_CLUSTER_GPU,
                                                          0);
  const SwGpu *gpu = slot != NULL && slot->value != NULL ? shardwise_catalogue_find_gpu (
                         shardwise_catalogue_get (), g_variant_get_string (slot->value, NULL))
                                                         : NULL;

  return gpu != NULL ? SOLD_WITH_MORE * gpu->memory_gb : MOST_OF_A_GPU;
}

/* "24GB" is of the GPU, "2 TB RAM" of the host. */
static void
read_memory (ShardwiseAskReader *self, guint at)
{
  const ShardwiseAskNumber n = shardwise_ask_number (self, at);
  const guint end = at + n.length + 1;
  const gboolean is_tera = shardwise_ask_is_word (self, end - 1, "tb");
  const double gigabytes = n.value * (is_tera ? 1000 : 1);
  gboolean is_host = FALSE;

  if (n.length == 0 || shardwise_ask_is_word (self, end, "/")
      || (!is_tera && !shardwise_ask_is_mark (self, end - 1, "gigabyte")))
    return;
  shardwise_ask_use (self, at, n.length + 1, SHARDWISE_ASK_UNIT);
  for (guint i = at > HOST_REACH ? at - HOST_REACH : 0; i < end + HOST_REACH; i++)
    is_host = is_host || shardwise_ask_is_mark (self, i, "host");
  if (!is_host
      && (is_tera || n.value > most_gpu_memory (self) || is_amount (self, at, end, n.value)
          || !is_of_a_gpu (self, at, end)))
    {
      shardwise_ask_leave_out (self, at, n.length + 1, _ ("an amount of memory, not an input"))
          ->is_figure = !is_amount (self, at, end, n.value);
      shardwise_ask_add_number (self, "said.memory_gb", gigabytes, NAN, at);
      return;
    }
  shardwise_ask_add_number (self,
                            is_host ? PATH (CLUSTER_HOST_RAM_GB) : PATH (CLUSTER_GPU_MEMORY_GB),
                            gigabytes, NAN, at);
  number_before (self, PATH (CLUSTER_GPUS), 1, at, TRUE);
}

/* ---- what is seen and no input ---- */

/* Whether what stands at @at is of @path: "the step time is 14 s", "my MFU is 31 %". */
static gboolean
is_measured (const ShardwiseAskReader *self, const char *path, guint at)
{
  GPtrArray *keys = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_KEY);

  for (guint back = 1; back <= MIN (at, LONGEST_LINK + 1); back++)
    for (guint i = 0; i < keys->len; i++)
      {
        const ShardwiseAskPhrase *key = g_ptr_array_index (keys, i);

        if (g_str_equal (key->target, path) && shardwise_ask_match (self, key, at - back) > 0)
          return TRUE;
      }
  return FALSE;
}

/* Where a row of numbers begins that ends at @at: "159, 293 and 560 ms", "from 7000 to 4000". */
static guint
row_begin (const ShardwiseAskReader *self, guint at)
{
  while (at > 0 && shardwise_ask_is_free (self, at - 1)
         && (shardwise_atom (self->atoms, at - 1)->is_number
             || (at > 1 && shardwise_atom (self->atoms, at - 2)->is_number
                 && (shardwise_ask_is_mark (self, at - 1, "or")
                     || shardwise_ask_is_mark (self, at - 1, "to")
                     || shardwise_ask_is_mark (self, at - 1, "join")))))
    at--;
  return at;
}

/* Numbers whose unit no input has: durations, rates, percentages, how many times as slow. */
static void
read_seen (ShardwiseAskReader *self)
{
  static const struct {
    const char *target, *why;
  } reasons[] = {
    { "time", N_ ("a duration, not an input") },
    { "rate", N_ ("something measured, not an input") },
    { "times", N_ ("how many times as much, not an input") },
    { "percent", N_ ("a share, not an input") },
    { "count", N_ ("counts something that is no input") },
  };

  for (guint i = 0; i < self->atoms->len; i++)
    {
      const ShardwiseAskNumber n = shardwise_ask_number (self, i);
      guint length, of_unit, first = i, k = 0;
      const ShardwiseAskPhrase *seen = shardwise_ask_match_any (self, SHARDWISE_ASK_SEEN,
                                                                i + n.length, &length);

      shardwise_ask_match_any (self, SHARDWISE_ASK_UNIT, i + n.length, &of_unit);
      if (n.length == 0 || !shardwise_atom (self->atoms, i)->is_number || seen == NULL
          || of_unit >= length
          || (g_str_equal (seen->target, "percent") && is_measured (self, "measured.mfu", i)))
        continue;
      while (!g_str_equal (reasons[k].target, seen->target))
        k++;
      /* "From 2.1 s to 3.4 s": neither is what the run takes. */
      if (k == 0 && is_measured (self, "measured.step_s", i)
          && !shardwise_ask_is_mark (self, i - 1, "from"))
        {
          const gboolean in_ms = *shardwise_atom (self->atoms, i + n.length)->text == 'm';

          shardwise_ask_add_number (self, "measured.step_s", n.value * n.scale * (in_ms ? 1e-3 : 1),
                                    NAN, i);
        }
      else
        {
          first = row_begin (self, i);
          shardwise_ask_leave_out (self, first, i - first + n.length + length, _ (reasons[k].why))
              ->is_figure = TRUE;
        }
      shardwise_ask_use (self, first, i - first + n.length + length, SHARDWISE_ASK_SEEN);
    }
}

/* Gets slots for keys and values, of a reader whose names are read. */
static void
read_keys (ShardwiseAskReader *self)
{
  static const ShardwiseAskKind kinds[] = { SHARDWISE_ASK_VALUE, SHARDWISE_ASK_KEY,
                                            SHARDWISE_ASK_UNIT };

  for (guint i = 0; i < self->atoms->len; i++)
    if (shardwise_ask_is_free (self, i) && !read_money (self, i))
      read_memory (self, i);
  for (guint i = 0; i < self->atoms->len; i++)
    {
      const ShardwiseAskPhrase *best = NULL;
      guint length = 0;

      for (guint k = 0; shardwise_ask_is_free (self, i) && k < G_N_ELEMENTS (kinds); k++)
        {
          guint found;
          const ShardwiseAskPhrase *phrase = shardwise_ask_match_any (self, kinds[k], i, &found);

          if (phrase != NULL && found > length)
            {
              best = phrase;
              length = found;
            }
        }
      if (best != NULL)
        (best->kind == SHARDWISE_ASK_VALUE ? read_value : read_key) (self, best, i, length);
    }
  for (guint i = 0; i < self->atoms->len; i++)
    if (shardwise_ask_is_free (self, i))
      read_size (self, i);
  /* A bare "full" beside a model. */
  for (guint i = 1; i < self->atoms->len; i++)
    if (shardwise_ask_is_free (self, i) && shardwise_ask_is_mark (self, i, "full")
        && !shardwise_ask_is_free (self, i - 1)
        && (i + 1 == self->atoms->len || shardwise_atom (self->atoms, i + 1)->begins
            || !shardwise_ask_is_free (self, i + 1))
        && !shardwise_question_names (self->question, SHARDWISE_KEY_TRAINING_TYPE, -1))
      {
        shardwise_ask_add_slot (self, PATH (TRAINING_TYPE), g_variant_new_string ("finetune"), i);
        shardwise_ask_use (self, i, 1, SHARDWISE_ASK_VALUE);
      }
}

/* ---- what belongs together ---- */

static ShardwiseAskSlot *
slot_at (const ShardwiseAskReader *self, guint index)
{
  return index < self->question->slots->len ? g_ptr_array_index (self->question->slots, index)
                                            : NULL;
}

static double
number_of (const ShardwiseAskSlot *slot)
{
  if (slot == NULL || slot->value == NULL)
    return NAN;
  if (g_variant_is_of_type (slot->value, G_VARIANT_TYPE_INT64))
    return (double) g_variant_get_int64 (slot->value);
  return g_variant_is_of_type (slot->value, G_VARIANT_TYPE_DOUBLE)
             ? g_variant_get_double (slot->value)
             : NAN;
}

static const char *
text_of (const ShardwiseAskSlot *slot)
{
  return slot != NULL && slot->value != NULL
                 && g_variant_is_of_type (slot->value, G_VARIANT_TYPE_STRING)
             ? g_variant_get_string (slot->value, NULL)
             : "";
}

static gint
compare_places (gconstpointer a, gconstpointer b)
{
  const ShardwiseAskSlot *x = *(ShardwiseAskSlot *const *) a, *y = *(ShardwiseAskSlot *const *) b;

  return x->at < y->at ? -1 : x->at > y->at;
}

/* The slot of a side with a value; (nullable). */
static ShardwiseAskSlot *
find_slot (const ShardwiseAskReader *self, const char *path, guint side)
{
  ShardwiseAskSlot *slot;

  for (guint i = 0; (slot = slot_at (self, i)) != NULL; i++)
    if (slot->value != NULL && slot->side == side && g_str_equal (slot->path, path))
      return slot;
  return NULL;
}

static void
set_path (ShardwiseAskSlot *slot, ShardwiseKeyId key)
{
  g_free (slot->path);
  slot->path = g_strdup (shardwise_key_path (key));
  slot->key = key;
}

static void
set_number (ShardwiseAskReader *self, ShardwiseAskSlot *slot, const char *path, double value)
{
  const guint side = slot->side, at = slot->at;
  ShardwiseAskSlot *made;

  g_ptr_array_remove (self->question->slots, slot);
  made = shardwise_ask_add_number (self, path, value, NAN, at);
  if (made != NULL)
    made->side = side;
}

/* "Add 8 GPUs", "lose one node": what is named is the difference to what the scenario has. */
static void
settle_difference (ShardwiseAskReader *self)
{
  ShardwiseAskSlot *slot = find_slot (self, PATH (CLUSTER_GPUS), 0);
  static const struct {
    const char *before, *after;
    double sign;
  } marks[] = { { "plus", "more", 1 }, { "minus", "fewer", -1 } };
  double now, more = 0;

  if (slot == NULL || self->scenario == NULL)
    return;
  now = shardwise_scenario_get_number (self->scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0);
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    {
      const guint before = last_mark (self, marks[i].before, slot->at, 3);

      if (before == 0 && !shardwise_ask_is_mark (self, slot->at + 1, marks[i].after))
        continue;
      more = marks[i].sign * number_of (slot);
      shardwise_ask_use (self, before > 0 ? before - 1 : slot->at + 1, 1, SHARDWISE_ASK_UNIT);
    }
  if (more != 0 && now + more >= 1)
    set_number (self, slot, PATH (CLUSTER_GPUS), now + more);
}

/* GPUs of a node of the GPU that is asked about, else of the scenario's. */
static double
gpus_of_node (const ShardwiseAskReader *self, guint side)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const char *gpu = text_of (find_slot (self, PATH (CLUSTER_GPU), side));
  const double usual = shardwise_defaults_get ("cluster.gpus_per_node");
  ShardwiseNodeClass nodes;

  if (shardwise_catalogue_find_gpu (catalogue, gpu) == NULL)
    return self->scenario != NULL ? shardwise_scenario_get_number (
               self->scenario, SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE, usual)
                                  : usual;
  shardwise_catalogue_node_class (catalogue, gpu, &nodes);
  return nodes.gpus_per_node;
}

/* Converts nodes to GPUs: "2 nodes of 8" are 16 GPUs; "64 GPUs on 8 nodes" are 64. */
static void
settle_nodes (ShardwiseAskReader *self, guint side)
{
  ShardwiseAskSlot *nodes = find_slot (self, "nodes", side),
                   *gpus = find_slot (self, PATH (CLUSTER_GPUS), side),
                   *per_node = find_slot (self, PATH (CLUSTER_GPUS_PER_NODE), side);
  const double n = number_of (nodes), all = number_of (gpus);

  if (nodes == NULL)
    return;
  if (gpus == NULL)
    set_number (self, nodes, PATH (CLUSTER_GPUS),
                n * (per_node != NULL ? number_of (per_node) : gpus_of_node (self, side)));
  else if (nodes->at < gpus->at && all <= GPUS_OF_A_NODE)
    {
      set_number (self, nodes, PATH (CLUSTER_GPUS_PER_NODE), all);
      set_number (self, gpus, PATH (CLUSTER_GPUS), n * all);
    }
  else if (n >= 1 && fmod (all, n) == 0)
    set_number (self, nodes, PATH (CLUSTER_GPUS_PER_NODE), all / n);
  else
    g_ptr_array_remove (self->question->slots, nodes);
}

/* ---- sides ---- */

/* Whether it says how the work is split: a dimension, or a framework that shards. @slot: (nullable). */
gboolean
shardwise_ask_splits (const ShardwiseAskSlot *slot)
{
  return slot != NULL
         && (g_str_has_prefix (slot->path, "strategy.")
             || slot->key == SHARDWISE_KEY_TRAINING_FRAMEWORK);
}

/* Whether it is a way to train, of which "or" parts two. */
static gboolean
is_method (const ShardwiseAskSlot *slot)
{
  return slot != NULL
         && (slot->key == SHARDWISE_KEY_TRAINING_TYPE
             || slot->key == SHARDWISE_KEY_TRAINING_OPTIMIZER
             || slot->key == SHARDWISE_KEY_TRAINING_PRECISION);
}

/* Whether it says what it runs on. */
static gboolean
is_of_machine (const ShardwiseAskSlot *slot)
{
  return g_str_has_prefix (slot->path, "cluster.") || g_str_equal (slot->path, "nodes");
}

/* Whether it says what is trained, and not how. */
static gboolean
is_of_job (const ShardwiseAskSlot *slot)
{
  return g_str_has_prefix (slot->path, "model.") || slot->key == SHARDWISE_KEY_TRAINING_TYPE
         || slot->key == SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH
         || slot->key == SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE
         || slot->key == SHARDWISE_KEY_TRAINING_TOKENS;
}

/* Assigns sides: "instead of" and "not" apply to the next slot, "versus" and "or" to all that follow. */
static void
settle_sides (ShardwiseAskReader *self)
{
  guint side = 0, from = 0, first = G_MAXUINT;
  gboolean sticks = FALSE; /* all that follows is of that side */
  ShardwiseAskSlot *slot, *before = NULL;

  for (guint i = 0; (slot = slot_at (self, i)) != NULL; before = slot, i++)
    {
      const gboolean is_split = shardwise_ask_splits (slot) && shardwise_ask_splits (before);
      gboolean is_repeated = FALSE, is_joined, is_denied, is_marked_off;

      /* What another sentence says is of both. */
      for (guint k = before != NULL ? before->at + 1 : slot->at + 1; k <= slot->at; k++)
        sticks = sticks && !shardwise_atom (self->atoms, k)->begins;
      for (guint j = 0; j < i; j++)
        is_repeated = is_repeated
                      || (slot_at (self, j)->side == side
                          && g_str_equal (slot_at (self, j)->path, slot->path));
      is_denied = last_mark (self, "instead", slot->at, NEAR) > from;
      is_marked_off = is_denied
                      || (shardwise_ask_splits (slot)
                          && last_mark (self, "over", slot->at, NEAR) > from);
      is_joined = is_split && slot->at - from <= NEAR && !is_repeated
                  && last_mark (self, "join", slot->at, NEAR) > from;
      /* "The difference between ZeRO 2 and FSDP". */
      if (i > 0
          && ((last_mark (self, "between", slot->at, FAR) > 0
               && last_mark (self, "join", slot->at, NEAR) > from)
              || last_mark (self, "versus", slot->at, FAR) > from
              || (last_mark (self, "or", slot->at, FAR) > from
                  && (is_repeated || is_split || (is_method (slot) && is_method (before))))))
        sticks = is_marked_off = TRUE;
      /* "Is A faster than B for LoRA": the job is the same for both. */
      if ((is_of_job (slot) || is_of_machine (slot)) && !is_repeated && !is_denied)
        slot->side = 0;
      else
        slot->side = is_marked_off ? ++side : sticks ? side : is_joined ? before->side : 0;
      /* What follows the words of the slot: "no NVLink" denies nothing after it. */
      for (from = slot->at; from < self->atoms->len && !shardwise_ask_is_free (self, from)
                            && (slot_at (self, i + 1) == NULL || from < slot_at (self, i + 1)->at);)
        from++;
      from = MAX (from, slot->at + 1) - 1;
      first = MIN (first, slot->side);
    }
  /* "Why not A instead of B": two sides, though both are denied. */
  for (guint i = 0; first == 1 && side > 1 && (slot = slot_at (self, i)) != NULL; i++)
    slot->side--;
}

/* "From 400G InfiniBand to 100G Ethernet": what is left is what the rest is held against. */
static void
settle_from (ShardwiseAskReader *self)
{
  guint first = 0; /* slot that "from" stands before */
  ShardwiseAskSlot *taken;

  while (slot_at (self, first) != NULL
         && last_mark (self, "from", slot_at (self, first)->at, NEAR) == 0)
    first++;
  for (guint j = first + 1; (taken = slot_at (self, j)) != NULL; j++)
    {
      const guint to = taken->value != NULL ? last_mark (self, "to", taken->at, NEAR) : 0;
      gboolean is_taken = FALSE; /* in the place of a value of the same key before it */

      for (guint i = first; i < j && slot_at (self, i)->at < to; i++)
        is_taken = is_taken
                   || (slot_at (self, i)->value != NULL
                       && g_str_equal (slot_at (self, i)->path, taken->path));
      for (guint i = first; is_taken && i < j && slot_at (self, i)->at < to; i++)
        slot_at (self, i)->side = 1;
      if (is_taken)
        taken->side = 0;
    }
}

/* Whether a slot adds nothing: a mention of a key with a value, a repetition, "how many GPUs". */
static gboolean
is_idle (const ShardwiseAskReader *self, guint index)
{
  const ShardwiseAskSlot *slot = slot_at (self, index), *other;
  const gboolean is_mention = slot->value == NULL && !(slot->factor > 0);

  for (guint i = 0; (other = slot_at (self, i)) != NULL; i++)
    if (i != index && g_str_equal (slot->path, other->path)
        && ((is_mention && (other->value != NULL || other->factor > 0 || i < index))
            || (i < index && slot->side == other->side && slot->value != NULL
                && other->value != NULL)))
      return TRUE;
  return g_str_equal (slot->path, "nodes")
         || (is_mention
             && (slot->key == SHARDWISE_KEY_CLUSTER_GPUS
                 || slot->key == SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB
                 || g_str_has_prefix (slot->path, "measured.")
                 || (slot->key == SHARDWISE_KEY_CLUSTER_INTER_NODE
                     && find_slot (self, PATH (CLUSTER_INTER_NODE_GB_S), slot->side) != NULL)));
}

/* Drops a slot; its words are of another of the same path, if there is one: "if the price drops to $2". */
static void
drop_slot (ShardwiseAskReader *self, guint index)
{
  const ShardwiseAskSlot *slot = slot_at (self, index), *other;
  gboolean is_of_other = FALSE;

  for (guint i = 0; (other = slot_at (self, i)) != NULL; i++)
    is_of_other = is_of_other || (i != index && g_str_equal (slot->path, other->path));
  for (guint i = slot->at;
       is_of_other && i < self->atoms->len && self->used[i] == SHARDWISE_ASK_KEY; i++)
    self->used[i] = SHARDWISE_ASK_UNIT;
  g_ptr_array_remove_index (self->question->slots, index);
}

/* What a number without a name may be of: a slot with a number before it; @path where there is none. */
static const char *
path_near (const ShardwiseAskReader *self, guint at, guint end, const char *path)
{
  const ShardwiseAskSlot *best = NULL, *slot;

  for (guint i = 0; (slot = slot_at (self, i)) != NULL; i++)
    if (slot->key != SHARDWISE_KEY_NONE && takes_numbers (slot->path)
        && !g_str_has_prefix (slot->path, "model.")
        && ((slot->at >= end && slot->at <= end + 2
             && !shardwise_ask_is_mark (self, slot->at - 1, "each"))
            || (slot->at < at && (best == NULL || slot->at > best->at)
                && (self->atoms->len <= FEW || slot->at + 2 * NEAR >= at))))
      best = slot;
  return best != NULL ? shardwise_key_path (best->key) : path;
}

/* Whether a number without a name belongs to @path: "rather than 8", "2, 4 or 8", any in a short question. */
static gboolean
is_of_path (const ShardwiseAskReader *self, const char *path, guint at, const ShardwiseAskNumber *n)
{
  static const char *const marks[] = { "instead", "over", "versus", "or", "follow", "to", "from" };
  const ShardwiseKey *key = shardwise_key_find (path);
  const ShardwiseAtom *next = shardwise_atom (self->atoms, at + n->length);
  g_autoptr (GVariant) number = g_variant_ref_sink (g_variant_new_double (n->value * n->scale)),
                       normal = key != NULL ? shardwise_key_normalise (key, number, NULL) : NULL;

  if (has_other_unit (self, path, at + n->length)
      || (at > 0 && strpbrk (shardwise_atom (self->atoms, at - 1)->text, "<>") != NULL)
      || (at > 0 && shardwise_ask_is_mark (self, at - 1, "index")))
    return FALSE;
  if (self->atoms->len <= FEW
      || (key != NULL && key->id == SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH && n->scale > 1))
    return TRUE;
  if ((key != NULL && normal == NULL) || at == 0)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    if (shardwise_ask_is_mark (self, at - 1, marks[i])
        || (at > 1 && shardwise_ask_is_mark (self, at - 2, marks[i])
            && shardwise_ask_vocabulary_is_filler (self->vocabulary,
                                                   shardwise_atom (self->atoms, at - 1)->text)))
      return TRUE;
  return shardwise_atom (self->atoms, at - 1)->is_number
         || shardwise_ask_is_mark (self, at + n->length, "or") || (next != NULL && next->is_number);
}

/* Whether only marks of a comparison or a list stand between two values: not "FSDP in torchtune". */
static gboolean
are_joined (const ShardwiseAskReader *self, guint from, guint to)
{
  static const char *const marks[] = { "versus", "or",   "instead", "over",
                                       "to",     "from", "join",    "given" };
  gboolean is_free = FALSE, is_mark = FALSE;

  for (guint i = from; i < to; i++)
    {
      is_free = is_free || shardwise_ask_is_free (self, i);
      for (guint k = 0; k < G_N_ELEMENTS (marks); k++)
        is_mark = is_mark || shardwise_ask_is_mark (self, i, marks[k]);
    }
  return is_mark || !is_free;
}

/* Assigns sides and order. @path: (nullable): the key of numbers without a name: "and with 64?" */
static void
settle_slots (ShardwiseAskReader *self, const char *path)
{
  GPtrArray *slots = self->question->slots;
  ShardwiseAskSlot *slot, *generic = NULL;

  g_ptr_array_sort (slots, compare_places);
  /* "TP 4 rather than 8", "2, 4 or 6 GPUs": such numbers belong to the nearest slot. */
  for (guint i = self->atoms->len; i > 0; i--)
    {
      const ShardwiseAskNumber n = shardwise_ask_number (self, i - 1);
      const gboolean is_on = i > 1
                             && (shardwise_ask_is_word (self, i - 2, "on")
                                 || shardwise_ask_is_word (self, i - 2, "auf"));
      const char *near = n.length == 0 || !shardwise_atom (self->atoms, i - 1)->is_number ? NULL
                         : is_on ? PATH (CLUSTER_GPUS) /* "PP 4 on 64" */
                                 : path_near (self, i - 1, i - 1 + n.length, path);

      /* "Batch 8 at 16k" is a batch and a length. */
      if (near != NULL && accepts_scale (near, n.scale)
          && !(n.scale == 1e3 && key_of (near) == SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE)
          && is_of_path (self, near, i - 1, &n))
        use_number (self, near, i - 1, n);
    }
  g_ptr_array_sort (slots, compare_places);
  settle_sides (self);
  settle_from (self);
  /* Two values of one key on one side: the later is what the question compares with. */
  for (guint i = 0; (slot = slot_at (self, i)) != NULL; i++)
    for (guint j = 0; j < i; j++)
      if (slot->side == slot_at (self, j)->side && slot->value != NULL
          && slot_at (self, j)->value != NULL && g_str_equal (slot->path, slot_at (self, j)->path)
          && !g_variant_equal (slot->value, slot_at (self, j)->value))
        {
          slot->side++;
          slot->unclear = !takes_numbers (slot->path)
                          && !are_joined (self, slot_at (self, j)->at, slot->at);
          /* "Fine-tuning with LoRA": the other says how. */
          if (slot->unclear && g_str_equal (text_of (slot_at (self, j)), "finetune"))
            generic = slot_at (self, j);
        }
  for (guint i = 0; generic != NULL && (slot = slot_at (self, i)) != NULL; i++)
    if (g_str_equal (slot->path, generic->path))
      slot->side = slot->unclear = 0;
  if (generic != NULL)
    g_ptr_array_remove (slots, generic);
  settle_nodes (self, 0);
  settle_nodes (self, 1);
  settle_difference (self);
  g_ptr_array_sort (slots, compare_places);
  for (guint i = slots->len; i > 0; i--)
    if (is_idle (self, i - 1))
      drop_slot (self, i - 1);
}

/* What is left of the numbers; "at 32k" is a length of sequences. */
static void
leave_numbers (ShardwiseAskReader *self)
{
  for (guint i = 0; i < self->atoms->len; i++)
    {
      const ShardwiseAtom *atom = shardwise_atom (self->atoms, i);
      ShardwiseAskNumber n = shardwise_ask_number (self, i);

      if (atom->glued || !shardwise_ask_is_free (self, i))
        continue;
      n.grouped = NAN;
      if (atom->is_number && n.length == 2 && n.scale == 1e3 && n.value >= 1 && n.value <= 1024
          && i > 0 && shardwise_ask_is_mark (self, i - 1, "length")
          && find_slot (self, PATH (TRAINING_SEQUENCE_LENGTH), 0) == NULL)
        use_number (self, PATH (TRAINING_SEQUENCE_LENGTH), i, n);
      else if (!g_ascii_isdigit (*atom->text))
        continue;
      else if (i > 0 && shardwise_ask_is_mark (self, i - 1, "index"))
        {
          ShardwiseAskLeftOut *left = shardwise_ask_leave_out (self, i - 1, 2,
                                                               _ ("one of several, not an input"));

          left->at = i;
          left->is_figure = TRUE;
          shardwise_ask_use (self, i - 1, 2, SHARDWISE_ASK_SEEN);
        }
      else
        {
          const ShardwiseAtom *next = shardwise_atom (self->atoms, i + 1);

          /* Unless it is a part of a name, "17Bx16E". */
          shardwise_ask_leave_out (self, i, 1, _ ("a number without a name"))->is_figure =
              next == NULL || !next->glued || g_str_equal (next->text, "x");
        }
    }
}

/* ---- what the scenario says already ---- */

/* Whether "a100" stands for the GPU "a100-40-sxm" of the scenario: the name without its memory. */
static gboolean
is_gpu_family (const ShardwiseAskReader *self, const ShardwiseAskSlot *slot, const char *gpu)
{
  g_auto (GStrv) parts = g_strsplit (gpu, "-", -1);
  g_autoptr (GString) name = g_string_new (NULL);

  for (guint i = slot->at; i < self->atoms->len && self->used[i] == SHARDWISE_ASK_GPU; i++)
    if (i == slot->at || !shardwise_ask_is_word (self, i, "s"))
      g_string_append (name, shardwise_atom (self->atoms, i)->text);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      g_autofree char *both = g_strconcat (parts[i], parts[i + 1], NULL);

      if (g_str_equal (parts[i], name->str) || g_str_equal (both, name->str))
        return TRUE;
    }
  return FALSE;
}

/* Whether a size is that of the scenario's model; of a mixture also the share that is active. */
static gboolean
is_its_size (const SwProblem *problem, double billions)
{
  return fabs (billions * 1e9 / problem->count.total - 1) < SIZE_ERROR
         || fabs (billions * 1e9 / problem->count.active - 1) < SIZE_ERROR;
}

/* "Llama 2 7B, 13B and 70B": the model of the family that has this size takes the slot. */
static gboolean
take_family_size (ShardwiseAskReader *self, ShardwiseAskSlot *slot)
{
  g_autoptr (GListModel) models = shardwise_catalogue_models (shardwise_catalogue_get ());
  const char *id = text_of (find_slot (self, PATH (MODEL_PRESET), 0)), *end = strrchr (id, '-');
  const double size = number_of (slot) * 1e9;
  const ShardwiseAskSlot *other;
  guint side = 0;

  for (guint i = 0; (other = slot_at (self, i)) != NULL; i++)
    side += g_str_has_prefix (other->path, "model.") && other->at < slot->at;
  for (guint i = 0; end != NULL && i < g_list_model_get_n_items (models); i++)
    {
      g_autoptr (GObject) entry = g_list_model_get_item (models, i);
      g_autofree char *name = NULL;

      g_object_get (entry, "id", &name, NULL);
      if (strncmp (name, id, (gsize) (end - id) + 1) != 0
          || fabs (size / parameters_of (name) - 1) > SIZE_ERROR)
        continue;
      slot->side = g_str_equal (name, id) ? 0 : side;
      slot->repeats = FALSE;
      set_path (slot, SHARDWISE_KEY_MODEL_PRESET);
      g_variant_unref (slot->value);
      slot->value = g_variant_ref_sink (g_variant_new_string (name));
      return TRUE;
    }
  return FALSE;
}

/* Whether a batch is of one GPU: it is said of no group, and has not a sequence for each. */
static gboolean
is_batch_of_gpu (const ShardwiseAskReader *self, const ShardwiseAskSlot *slot)
{
  const double gpus = number_of (find_slot (self, PATH (CLUSTER_GPUS), 0)),
               there = self->scenario != NULL ? shardwise_scenario_get_number (
                           self->scenario, SHARDWISE_KEY_CLUSTER_GPUS, 1)
                                              : 1;

  return slot->key == SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE && slot->value != NULL
         && (number_of (slot) < (isnan (gpus) ? there : gpus)
             || shardwise_question_names (self->question, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE,
                                          -1))
         && last_mark (self, "global", slot->at, NEAR) == 0;
}

/* Settles a size beside a model's name, a model held against itself, and a batch of one GPU. */
static void
settle_doubles (ShardwiseAskReader *self)
{
  GPtrArray *slots = self->question->slots;
  const gboolean has_preset = find_slot (self, PATH (MODEL_PRESET), 0) != NULL
                              || find_slot (self, PATH (MODEL_PRESET), 1) != NULL;
  ShardwiseAskSlot *slot;

  for (guint i = slots->len; i > 0; i--)
    {
      slot = slot_at (self, i - 1);
      if (has_preset && slot->key == SHARDWISE_KEY_MODEL_PARAMETERS_B
          && !take_family_size (self, slot) && slot->side == 0 && slots->len > 1)
        {
          shardwise_ask_leave_out (self, slot->at, 2, _ ("a size beside a model’s name"));
          g_ptr_array_remove_index (slots, i - 1);
        }
      else if (slot->side > 0 && slot->key == SHARDWISE_KEY_MODEL_PRESET
               && g_str_equal (text_of (slot), text_of (find_slot (self, slot->path, 0))))
        g_ptr_array_remove_index (slots, i - 1);
      else if (is_batch_of_gpu (self, slot))
        set_path (slot, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE);
    }
}

/* Whether a value is what the job has already, if more precisely. */
static gboolean
repeats (const ShardwiseAskReader *self, const ShardwiseAskSlot *slot, const SwProblem *problem)
{
  g_autoptr (GVariant) now = shardwise_scenario_get (self->scenario, slot->key);
  const char *text = text_of (slot);

  if (now != NULL && g_variant_equal (now, slot->value))
    return TRUE;
  switch ((int) slot->key)
    {
    case SHARDWISE_KEY_STRATEGY_OFFLOAD: /* "CPU offload" is the one that there is */
      return problem->pins.value.offload != SW_OFFLOAD_NONE
             && sw_pins_has (&problem->pins, SW_DIM_OFFLOAD) && !g_str_equal (text, "none");
    case SHARDWISE_KEY_MODEL_PARAMETERS_B: return is_its_size (problem, number_of (slot));
    case SHARDWISE_KEY_MODEL_PRESET:
      /* The same family and size: "Llama 70B" repeats Llama 3.1 70B. */
      return is_its_size (problem, parameters_of (text) / 1e9)
             && (*problem->model.id == '\0'
                 || g_ascii_strncasecmp (text, problem->model.id, 4) == 0);
    case SHARDWISE_KEY_CLUSTER_GPU: return is_gpu_family (self, slot, problem->cluster.gpu.id);
    case SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB:
      return fabs (number_of (slot) / problem->cluster.gpu.memory_gb - 1) < 0.05;
    default: return FALSE;
    }
}

/* Names that merely repeat the scenario replace nothing of it. */
static void
settle_repeats (ShardwiseAskReader *self)
{
  ShardwiseAskSlot *slot;
  SwProblem problem;

  if (self->scenario == NULL || !shardwise_scenario_resolve (self->scenario, &problem, NULL, NULL))
    return;
  for (guint i = 0; (slot = slot_at (self, i)) != NULL; i++)
    {
      gboolean is_alone = TRUE;

      slot->repeats = slot->value != NULL && slot->key != SHARDWISE_KEY_NONE
                      && repeats (self, slot, &problem);
      for (guint k = 0; slot_at (self, k) != NULL; k++)
        is_alone = is_alone && (k == i || !g_str_equal (slot_at (self, k)->path, slot->path));
      if (slot->repeats && is_alone
          && (g_str_has_prefix (slot->path, "model.") || g_str_has_prefix (slot->path, "cluster.")))
        slot->side = 0;
    }
}

/* Reads dates to come, "by 2026-12-20", as days from now. Other dates are not understood. */
static void
read_dates (ShardwiseAskReader *self)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();

  for (guint i = 0; i < self->atoms->len; i++)
    {
      g_autofree char *text = g_strconcat (shardwise_atom (self->atoms, i)->text, "T00:00:00Z",
                                           NULL);
      g_autoptr (GDateTime) date = g_date_time_new_from_iso8601 (text, NULL);

      if (date == NULL || g_date_time_compare (date, now) < 0)
        continue;
      shardwise_ask_use (self, i, 1, SHARDWISE_ASK_UNIT);
      shardwise_ask_add_slot (self, "days",
                              g_variant_new_double (ceil (
                                  (double) g_date_time_difference (date, now) / G_TIME_SPAN_DAY)),
                              i);
    }
}

static void
read_slots (ShardwiseAskReader *self, const char *path)
{
  int sum = 0;

  for (guint i = 0; i < self->atoms->len; i++)
    {
      const ShardwiseAtom *atom = shardwise_atom (self->atoms, i);
      const char *right = atom->is_number
                              ? NULL
                              : shardwise_ask_vocabulary_spell (self->vocabulary, atom->text);

      if (right != NULL)
        shardwise_atom_replace (self->atoms, i, right);
      sum += shardwise_ask_vocabulary_german (self->vocabulary, atom->text);
    }
  self->question->german = sum > 0;
  read_dates (self);
  for (guint i = 0; i < self->atoms->len; i++)
    if (shardwise_ask_is_free (self, i) && !read_gpu (self, SHARDWISE_ASK_GPU, i)
        && !read_model (self, i))
      read_gpu (self, SHARDWISE_ASK_UNKNOWN_GPU, i);
  read_seen (self);
  read_keys (self);
  settle_slots (self, path);
  leave_numbers (self);
  settle_repeats (self);
  settle_doubles (self);
}

/* ---- questions ---- */

const char *const shardwise_intent_names[] = {
  "unknown", "why",        "what-if", "fits",    "gpus", "memory", "time",
  "cost",    "throughput", "limit",   "oom",     "slow", "define", "compare",
  "how-to",  "best",       "fault",   "allowed", NULL,
};
G_STATIC_ASSERT (G_N_ELEMENTS (shardwise_intent_names) == SHARDWISE_N_INTENTS + 1);

static void
slot_clear (gpointer data)
{
  ShardwiseAskSlot *slot = data;

  g_free (slot->path);
  g_clear_pointer (&slot->value, g_variant_unref);
}

/* Slots are shared by the questions that have them, and not changed once they were read. */
static void
slot_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, slot_clear);
}

static gpointer
slot_ref (gconstpointer slot, gpointer data)
{
  return g_atomic_rc_box_acquire ((gpointer) slot);
}

static gpointer
copy_text (gconstpointer text, gpointer data)
{
  return g_strdup (text);
}

static void
left_out_clear (gpointer data)
{
  ShardwiseAskLeftOut *self = data;

  g_free (self->words);
  g_free (self->why);
}

static void
left_out_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, left_out_clear);
}

static ShardwiseQuestion *
question_new (const char *text)
{
  ShardwiseQuestion *self = g_new0 (ShardwiseQuestion, 1);

  self->text = g_utf8_make_valid (text, -1);
  self->slots = g_ptr_array_new_with_free_func (slot_unref);
  self->topics = g_ptr_array_new_with_free_func (g_free);
  self->left_out = g_ptr_array_new_with_free_func (left_out_unref);
  return self;
}

/**
 * shardwise_question_free:
 * @self: a question
 */
void
shardwise_question_free (ShardwiseQuestion *self)
{
  g_ptr_array_unref (self->slots);
  g_ptr_array_unref (self->topics);
  g_ptr_array_unref (self->left_out);
  g_free (self->text);
  g_free (self->goal);
  g_free (self->unknown_gpu);
  g_free (self->missed);
  g_free (self);
}

/**
 * shardwise_question_copy:
 *
 * Returns: (transfer full): the same question
 */
ShardwiseQuestion *
shardwise_question_copy (const ShardwiseQuestion *self)
{
  ShardwiseQuestion *copy = question_new (self->text);

  copy->intent = self->intent;
  copy->confidence = self->confidence;
  copy->german = self->german;
  copy->missed = g_strdup (self->missed);
  copy->goal = g_strdup (self->goal);
  copy->unknown_gpu = g_strdup (self->unknown_gpu);
  g_ptr_array_extend (copy->slots, self->slots, slot_ref, NULL);
  g_ptr_array_extend (copy->topics, self->topics, copy_text, NULL);
  g_ptr_array_extend (copy->left_out, self->left_out, slot_ref, NULL);
  return copy;
}

/* Whether two paths say the same sort of thing: a model is named by a preset or by a size. */
static gboolean
are_alike (const char *a, const char *b)
{
  return g_str_equal (a, b) || (g_str_has_prefix (a, "model.") && g_str_has_prefix (b, "model."));
}

/* What the question before said, and this one does not. */
static void
follow (ShardwiseAskReader *self, const ShardwiseQuestion *before)
{
  ShardwiseQuestion *question = self->question;
  const gboolean has_intent = question->intent != SHARDWISE_INTENT_UNKNOWN
                              && question->confidence > 0.4;
  const guint own = question->slots->len;
  const ShardwiseAskSlot *slot;

  if (!shardwise_ask_is_mark (self, 0, "follow")
      && (has_intent || (own == 0 && question->topics->len == 0 && question->goal == NULL)))
    return;
  for (guint i = 0; (slot = shardwise_question_slot (before, i)) != NULL; i++)
    {
      gboolean is_named = slot->side == 1 && own > 0;

      for (guint k = 0; k < own; k++)
        is_named = is_named || are_alike (slot_at (self, k)->path, slot->path);
      if (!is_named)
        g_ptr_array_add (question->slots, slot_ref (slot, NULL));
    }
  if (has_intent && question->intent != SHARDWISE_INTENT_WHAT_IF)
    return;
  question->intent = before->intent;
  question->confidence = MAX (question->confidence, 0.5);
  if (own == 0 && question->topics->len == 0)
    g_ptr_array_extend (question->topics, before->topics, copy_text, NULL);
  if (question->goal == NULL)
    question->goal = g_strdup (before->goal);
}

/**
 * shardwise_question_parse:
 * @text: in English or German; any text
 * @scenario: (nullable): what "twice" is twice of, and how many GPUs a node has
 * @before: (nullable): the question before, of which this may be the continuation
 *
 * Returns: (transfer full): what is asked; %SHARDWISE_INTENT_UNKNOWN where that is not understood
 */
ShardwiseQuestion *
shardwise_question_parse (const char *text, ShardwiseScenario *scenario,
                          const ShardwiseQuestion *before)
{
  ShardwiseQuestion *question = question_new (text);
  g_autoptr (GArray) atoms = shardwise_atoms (text);
  g_autofree guint8 *used = g_malloc (MAX (atoms->len, 1));
  ShardwiseAskReader self = { shardwise_ask_vocabulary_get (), atoms, used, scenario, question };
  const char *path = before != NULL ? PATH (CLUSTER_GPUS) : NULL;
  const ShardwiseAskSlot *slot;

  memset (used, SHARDWISE_ASK_N_KINDS, atoms->len);
  /* The key that "and with 64?" is about. */
  for (guint i = 0; before != NULL && (slot = shardwise_question_slot (before, i)) != NULL; i++)
    if (slot->side == 0 && slot->key != SHARDWISE_KEY_NONE
        && shardwise_key_get (slot->key)->kind == SHARDWISE_KIND_INTEGER)
      path = slot->path;
  read_slots (&self, path);
  shardwise_ask_read_intent (&self);
  if (before != NULL)
    follow (&self, before);
  return question;
}

/* ---- corrections ---- */

/* Drops what a question says of the first side of a path. */
static void
forget (ShardwiseQuestion *self, const char *path)
{
  for (guint i = self->slots->len; i > 0; i--)
    if (shardwise_question_slot (self, i - 1)->side == 0
        && are_alike (shardwise_question_slot (self, i - 1)->path, path))
      g_ptr_array_remove_index (self->slots, i - 1);
}

/**
 * shardwise_question_with:
 * @part: of what was understood: "intent" or a key path
 * @value: what it is to be: a name of an intent, or words as in a question: "16 H100", "ZeRO 2"
 * @scenario: (nullable): that it is about
 *
 * Returns: (transfer full): the same question with that part; without it where @value says nothing
 */
ShardwiseQuestion *
shardwise_question_with (const ShardwiseQuestion *self, const char *part, const char *value,
                         ShardwiseScenario *scenario)
{
  ShardwiseQuestion *copy = shardwise_question_copy (self);
  g_autoptr (ShardwiseQuestion) said = NULL;
  const ShardwiseKey *key = shardwise_key_find (part);
  const int intent = sw_name_index (shardwise_intent_names, value);
  g_autoptr (GVariant) one = NULL, normal = NULL;
  const ShardwiseAskSlot *slot;

  copy->confidence = 1; /* the asker says so */
  g_clear_pointer (&copy->missed, g_free);
  if (g_str_equal (part, "intent"))
    {
      copy->intent = intent > 0 ? (ShardwiseIntent) intent : copy->intent;
      return copy;
    }
  said = shardwise_question_parse (value, scenario, NULL);
  forget (copy, part);
  for (guint i = 0; (slot = shardwise_question_slot (said, i)) != NULL; i++)
    if (slot->side == 0)
      forget (copy, slot->path);
  g_ptr_array_extend (copy->slots, said->slots, slot_ref, NULL);
  if (key == NULL || said->slots->len > 0)
    return copy;
  /* The mere value: "8". */
  one = g_variant_ref_sink (takes_numbers (part)
                                ? g_variant_new_double (g_ascii_strtod (value, NULL))
                                : g_variant_new_string (value));
  normal = shardwise_key_normalise (key, one, NULL);
  if (normal != NULL)
    {
      ShardwiseAskSlot *made = shardwise_ask_slot_new (key->path, normal);

      g_ptr_array_add (copy->slots, made);
    }
  return copy;
}

/* ---- slots ---- */

/* Returns (transfer none) (nullable): the slot at @index; %NULL beyond the last. */
const ShardwiseAskSlot *
shardwise_question_slot (const ShardwiseQuestion *self, guint index)
{
  return index < self->slots->len ? g_ptr_array_index (self->slots, index) : NULL;
}

/* Returns (transfer none) (nullable): the slot of @key on @side (0: the first), preferably with a value. */
const ShardwiseAskSlot *
shardwise_question_find (const ShardwiseQuestion *self, ShardwiseKeyId key, guint side)
{
  const ShardwiseAskSlot *found = NULL, *slot;

  for (guint i = 0; (slot = shardwise_question_slot (self, i)) != NULL; i++)
    if (slot->side == side && slot->key == key && (found == NULL || found->value == NULL))
      found = slot;
  return found;
}

/* Returns the number of @path, which is no key ("days", "measured.mfu"); 0: none. */
double
shardwise_question_number (const ShardwiseQuestion *self, const char *path)
{
  const ShardwiseAskSlot *slot;

  for (guint i = 0; (slot = shardwise_question_slot (self, i)) != NULL; i++)
    if (slot->side == 0 && slot->value != NULL && g_str_equal (slot->path, path))
      return g_variant_get_double (slot->value);
  return 0;
}

/* Whether the key is named on @side, with a value or without; on any side: -1. */
gboolean
shardwise_question_names (const ShardwiseQuestion *self, ShardwiseKeyId key, int side)
{
  const ShardwiseAskSlot *slot;

  for (guint i = 0; (slot = shardwise_question_slot (self, i)) != NULL; i++)
    if (slot->key == key && (side < 0 || slot->side == (guint) side))
      return TRUE;
  return FALSE;
}

/* Whether the topic is one of those that the question speaks of. */
gboolean
shardwise_question_has_topic (const ShardwiseQuestion *self, const char *topic)
{
  return g_ptr_array_find_with_equal_func (self->topics, topic, g_str_equal, NULL);
}

/* Whether a side states a value, or a factor, of a key of the scenario; @is_new: one that it has not. */
gboolean
shardwise_question_states (const ShardwiseQuestion *self, guint side, gboolean is_new)
{
  const ShardwiseAskSlot *slot;

  for (guint i = 0; (slot = shardwise_question_slot (self, i)) != NULL; i++)
    if (slot->side == side && slot->key != SHARDWISE_KEY_NONE
        && (slot->value != NULL || slot->factor > 0) && !(is_new && slot->repeats))
      return TRUE;
  return FALSE;
}

/**
 * shardwise_question_changes:
 * @side: 0, or 1 for what is held against it
 *
 * Returns: (transfer floating): a{sv}, the values that the question names, as win.apply takes them
 */
GVariant *
shardwise_question_changes (const ShardwiseQuestion *self, guint side)
{
  const ShardwiseAskSlot *slot;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  for (guint i = 0; (slot = shardwise_question_slot (self, i)) != NULL; i++)
    if (slot->side == side && slot->value != NULL && !slot->repeats
        && slot->key != SHARDWISE_KEY_NONE)
      g_variant_dict_insert_value (&dict, slot->path, slot->value);
  return g_variant_dict_end (&dict);
}

/* Returns (transfer full): slots by key path, other sides in "than", and "term", "goal", "gpu". */
JsonNode *
shardwise_question_slots_to_json (const ShardwiseQuestion *self)
{
  JsonObject *object = json_object_new (), *than = json_object_new ();
  const ShardwiseAskSlot *slot;

  for (guint i = 0; (slot = shardwise_question_slot (self, i)) != NULL; i++)
    {
      JsonObject *side = slot->side > 0 ? than : object;

      if (slot->value == NULL && slot->factor > 0)
        json_object_set_double_member (side, slot->path, slot->factor);
      else if (slot->value == NULL)
        json_object_set_null_member (side, slot->path);
      else
        json_object_set_member (side, slot->path, json_gvariant_serialize (slot->value));
    }
  if (json_object_get_size (than) > 0)
    json_object_set_object_member (object, "than", json_object_ref (than));
  if (self->topics->len > 0)
    json_object_set_string_member (object, "term", g_ptr_array_index (self->topics, 0));
  if (self->goal != NULL)
    json_object_set_string_member (object, "goal", self->goal);
  if (self->unknown_gpu != NULL)
    json_object_set_string_member (object, "gpu", self->unknown_gpu);
  json_object_unref (than);
  return shardwise_json_take_object (object);
}
