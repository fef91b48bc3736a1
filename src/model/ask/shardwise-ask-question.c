/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A question in plain words, read to an intent and slots: models and GPUs as people call them, what
 * belongs together, keys with their values. */
#include "shardwise-ask-question.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-ask-intent.h"
#include "shardwise-defaults.h"
#include "shardwise-json.h"
#include "shardwise-resolve.h"

/* How much of a model's name stands in a question. */
typedef struct {
  guint length, matched;
  double score;
} Likeness;

/* ---- models ---- */

static const char *
word_of (const ShardwiseAskPhrase *phrase, guint index)
{
  return index < phrase->words->len ? g_ptr_array_index (phrase->words, index) : "";
}

/* The atoms from @at on must all be words of the name, in its order; the name may have others
 * between. */
static Likeness
likeness (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, guint at)
{
  Likeness out = { 0 };
  guint word = 0;

  for (guint i = at; shardwise_ask_is_free (self, i); i++)
    {
      const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, i);
      gsize length = strlen (atom->text);
      guint next = word;
      double score = 0;

      for (; next < phrase->words->len; next++)
        {
          const char *text = word_of (phrase, next), *unit = word_of (phrase, next + 1);

          /* A number before "b" is a size only where "b" follows it in the question, too. */
          if (g_ascii_isdigit (*text)
              && (g_str_equal (unit, "b") || g_str_equal (unit, "m") || g_str_equal (unit, "x"))
              && !shardwise_ask_is_word (self, i + 1, unit))
            continue;
          /* "3" is nearly "3.1". */
          if (g_str_equal (atom->text, text))
            score = 10;
          else if (atom->is_number && strncmp (atom->text, text, length) == 0
                   && text[length] == '.')
            score = 5;
          if (score > 0)
            break;
        }
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
  guint length = 0;
  double score = 0;

  if (shardwise_ask_atom (self->atoms, at)->is_number)
    return FALSE;
  for (guint i = 0; i < phrases->len; i++)
    {
      const ShardwiseAskPhrase *phrase = g_ptr_array_index (phrases, i);
      Likeness found = likeness (self, phrase, at);
      gboolean is_whole = found.matched == phrase->words->len;

      if ((found.matched < 2 && !is_whole) || found.score < score)
        continue;
      score = found.score;
      length = found.length;
      best = phrase;
    }
  if (best == NULL)
    return FALSE;
  shardwise_ask_add_slot (self, best->target, g_variant_new_string (best->value), at);
  shardwise_ask_use (self, at, length, SHARDWISE_ASK_MODEL);
  return TRUE;
}

/* ---- GPUs ---- */

static void
use_count (ShardwiseAskReader *self, const char *path, guint at, guint length, double value,
           double grouped)
{
  if (value < 1 || (value != floor (value) && isnan (grouped)))
    return;
  shardwise_ask_add_number (self, path, value, grouped, at);
  shardwise_ask_use (self, at, length, SHARDWISE_ASK_UNIT);
}

/* Whether "nodes" stands at @at, and not one of them: "an 8 H100 node" has 8 GPUs. */
static gboolean
are_nodes (const ShardwiseAskReader *self, guint at, double count)
{
  guint length;
  const ShardwiseAskPhrase *unit = shardwise_ask_match_any (self, SHARDWISE_ASK_UNIT, at, &length);

  return unit != NULL && g_str_equal (unit->target, "nodes")
         && (count <= 1 || self->question->german
             || g_str_has_suffix (shardwise_ask_atom (self->atoms, at)->text, "s"));
}

/* "8x", "8", "eight", "8 Nvidia" before a GPU; "x 8" after it; "4 H100 nodes", "4x8 H100". */
static void
read_count (ShardwiseAskReader *self, guint at, guint end)
{
  double value, grouped, scale;
  guint before = at, length;
  gboolean times = FALSE;

  while (before > 0
         && (shardwise_ask_is_mark (self, before - 1, "skip")
             || shardwise_ask_is_word (self, before - 1, "x")))
    times = shardwise_ask_is_word (self, --before, "x") || times;
  length = shardwise_ask_number_before (self, before, &value, &grouped, &scale);
  if (length > 0)
    {
      /* A DGX is a machine. */
      gboolean nodes = !times
                       && (are_nodes (self, end, value * scale)
                           || shardwise_ask_is_word (self, at, "dgx"));

      use_count (self, nodes ? "nodes" : shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS),
                 before - length, at - before + length, value * scale, grouped * scale);
      if (nodes && are_nodes (self, end, value * scale))
        shardwise_ask_use (self, end, 1, SHARDWISE_ASK_UNIT);
      else if (!shardwise_ask_read_nodes (self, before - length) && are_nodes (self, end, 1))
        {
          /* "4 8xH100 nodes": the nodes stand before the count of GPUs. */
          guint first = before - length;

          length = shardwise_ask_number_before (self, first, &value, &grouped, &scale);
          if (length > 0)
            use_count (self, "nodes", first - length, length, value * scale, grouped * scale);
        }
      return;
    }
  if (!shardwise_ask_is_word (self, end, "x"))
    return;
  length = shardwise_ask_number (self, end + 1, &value, &grouped, &scale);
  if (length > 0)
    use_count (self, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS), end, length + 1,
               value * scale, grouped * scale);
}

/* A GPU of @kind with the count beside it. The first that the catalogue has not is kept by name. */
static gboolean
read_gpu (ShardwiseAskReader *self, ShardwiseAskKind kind, guint at)
{
  guint length;
  const ShardwiseAskPhrase *gpu = shardwise_ask_match_any (self, kind, at, &length);

  if (gpu == NULL || (kind == SHARDWISE_ASK_UNKNOWN_GPU && self->question->unknown_gpu != NULL))
    return FALSE;
  if (kind == SHARDWISE_ASK_UNKNOWN_GPU)
    self->question->unknown_gpu = g_strdup (gpu->target);
  else
    {
      shardwise_ask_add_slot (self, gpu->target, g_variant_new_string (gpu->value), at);
      if (shardwise_ask_is_word (self, at + length, "s"))
        length++;
    }
  while (kind == SHARDWISE_ASK_UNKNOWN_GPU && at + length < self->atoms->len
         && (shardwise_ask_atom (self->atoms, at + length)->is_number
             || strlen (shardwise_ask_atom (self->atoms, at + length)->text) == 1))
    length++; /* "TPU v4-256" */
  shardwise_ask_use (self, at, length, SHARDWISE_ASK_GPU);
  read_count (self, at, at + length);
  return TRUE;
}

/* Keys with their values: "TP 8", "batch of 256", "64 GPUs", "70B", "$2 an hour". */

enum {
  LONGEST_LINK = 4,  /* words between a key and its value: "sequence length to be set to 8192" */
  HOST_REACH = 3,    /* words over which "RAM" says whose memory it is */
  FACTOR_REACH = 4,  /* words between "twice" and what is doubled */
  AMOUNT_BEFORE = 4, /* words over which "using" reaches to an amount of memory */
  AMOUNT_AFTER = 3,  /* and "free" back to it */
  FEW = 10           /* words of a question whose nameless numbers all belong to what it names */
};

#define MOST_OF_A_GPU 320.0    /* GB */
#define PRICE_MOST 200.0       /* money from which an amount is no price of a GPU-hour */
#define TOKENS_OF_A_MODEL 1e11 /* from which billions beside a model are tokens */
#define TOKENS_LEAST 1e7 /* from which tokens are those to train on, not those of a sequence */

/* A unit that is another's multiple. */
typedef struct {
  const char *unit, *other; /* NULL: of the key */
  ShardwiseKeyId key;
  double factor;
} UnitOf;

static const UnitOf units_of[] = {
  { "weeks", "days", SHARDWISE_KEY_NONE, 7 },
  { "months", "days", SHARDWISE_KEY_NONE, 365.25 / 12 },
  { "hours", "days", SHARDWISE_KEY_NONE, 1.0 / 24 },
  { "years", "days", SHARDWISE_KEY_NONE, 365.25 },
  { "gbit", NULL, SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S, 1.0 / 8 },
  { "tbit", NULL, SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S, 125 },
  { "host_tb", NULL, SHARDWISE_KEY_CLUSTER_HOST_RAM_GB, 1000 },
};

/* ---- numbers that belong to a key ---- */

/* SHARDWISE_KEY_NONE: what a question counts and no scenario has, such as "nodes" */
static ShardwiseKeyId
key_of (const char *path)
{
  const ShardwiseKey *key = shardwise_key_find (path);

  return key != NULL ? key->id : SHARDWISE_KEY_NONE;
}

static gboolean
is_sequence (const char *path)
{
  return key_of (path) == SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH;
}

static gboolean
is_percent_key (const char *path)
{
  return key_of (path) == SHARDWISE_KEY_TRAINING_MEMORY_TARGET
         || g_str_equal (path, "measured.mfu");
}

static void
use_number (ShardwiseAskReader *self, const char *path, guint at, guint length, double value,
            double grouped, double scale)
{
  guint end = at + length;
  double rounded = log2 (value);

  shardwise_ask_use (self, at, length, SHARDWISE_ASK_UNIT);
  if (is_percent_key (path))
    {
      if (shardwise_ask_is_word (self, end, "%"))
        shardwise_ask_use (self, end, 1, SHARDWISE_ASK_UNIT);
      if (value > 1)
        {
          /* "90 %" of a share is 0.9. */
          shardwise_ask_add_number (self, path, value / 100, NAN, at);
          return;
        }
    }
  if (key_of (path) == SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE && self->scenario != NULL
      && shardwise_ask_is_mark (self, end, "tokens"))
    {
      /* A batch in tokens, as sequences. */
      double sequence =
          shardwise_scenario_get_number (self->scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                                         shardwise_defaults_get ("training.sequence_length"));

      shardwise_ask_use (self, end, 1, SHARDWISE_ASK_UNIT);
      shardwise_ask_add_number (self, path, MAX (1, floor (value * scale / sequence)), NAN, at);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (units_of); i++)
    if (g_str_equal (units_of[i].unit, path))
      {
        shardwise_ask_add_number (
            self,
            units_of[i].other != NULL ? units_of[i].other : shardwise_key_path (units_of[i].key),
            value * scale * units_of[i].factor, grouped * scale * units_of[i].factor, at);
        return;
      }
  /* "8k" tokens are 8192, "100k" are 100,000. */
  if (is_sequence (path) && (scale == 1e3 || scale == 1e6) && rounded == floor (rounded))
    value *= scale == 1e3 ? 1024 : 1048576;
  else
    value *= scale;
  shardwise_ask_add_number (self, path, value, grouped * scale, at);
}

/* Thousands are of counts, millions and more of tokens alone: "TP for a 13B" names no TP. */
static gboolean
accepts_scale (const char *path, double scale)
{
  static const char *const counts[] = { "nodes", "hours", "measured.tokens_per_s",
                                        "measured.tokens_per_s_per_gpu", NULL };
  const ShardwiseKeyId key = key_of (path);

  return scale == 1 || key == SHARDWISE_KEY_TRAINING_TOKENS
         || key == SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH
         || key == SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE || g_str_equal (path, "budget")
         || (scale <= 1e3 && (key == SHARDWISE_KEY_CLUSTER_GPUS || g_strv_contains (counts, path)));
}

/* Whether the number before @end is of what follows it: "TP on 64 GPUs", "GPU load of 30 %". */
static gboolean
has_other_unit (const ShardwiseAskReader *self, const char *path, guint end)
{
  guint length;
  const ShardwiseAskPhrase *unit = shardwise_ask_match_any (self, SHARDWISE_ASK_UNIT, end, &length);

  if (shardwise_ask_is_word (self, end, "%"))
    return !is_percent_key (path);
  return unit != NULL && !g_str_equal (unit->target, path);
}

/* "= 8", "of 8", "from 4 to 8" (8) after a key. */
static gboolean
number_after (ShardwiseAskReader *self, const char *path, guint end)
{
  double value, grouped, scale;
  guint at = end, length;

  for (guint i = 0; i < LONGEST_LINK && shardwise_ask_is_mark (self, at, "link"); i++)
    at++;
  length = shardwise_ask_number (self, at, &value, &grouped, &scale);
  if (length == 0 || !accepts_scale (path, scale)
      || (!shardwise_ask_is_word (self, at - 1, "=") && has_other_unit (self, path, at + length)))
    return FALSE;
  if (shardwise_ask_is_mark (self, at - 1, "from")
      && shardwise_ask_is_mark (self, at + length, "to"))
    {
      double later, later_grouped, later_scale;
      guint next = at + length + 1,
            found = shardwise_ask_number (self, next, &later, &later_grouped, &later_scale);

      if (found > 0)
        {
          shardwise_ask_use (self, at, length, SHARDWISE_ASK_UNIT);
          use_number (self, path, next, found, later, later_grouped, later_scale);
          return TRUE;
        }
    }
  use_number (self, path, at, length, value, grouped, scale);
  return TRUE;
}

/* "64", "4-way" before a key; before a unit also "one". */
static gboolean
number_before (ShardwiseAskReader *self, const char *path, guint at, gboolean is_unit)
{
  double value, grouped, scale;
  guint before = at, length;

  while (before > 0 && shardwise_ask_is_mark (self, before - 1, "way"))
    before--;
  length = shardwise_ask_number_before (self, before, &value, &grouped, &scale);
  if (length == 0 || !accepts_scale (path, scale)
      || (!is_unit && !shardwise_ask_atom (self->atoms, before - length)->is_number))
    return FALSE;
  at = before - length;
  if (at > 0 && shardwise_ask_is_mark (self, at - 1, "to"))
    {
      /* The "from 32 to" before it is no number of its own. */
      double earlier, earlier_grouped, earlier_scale;
      guint found = shardwise_ask_number_before (self, at - 1, &earlier, &earlier_grouped,
                                                 &earlier_scale);

      if (found > 0 && at > found + 1 && shardwise_ask_is_mark (self, at - found - 2, "from"))
        shardwise_ask_use (self, at - found - 1, found, SHARDWISE_ASK_UNIT);
    }
  use_number (self, path, at, length, value, grouped, scale);
  if (key_of (path) == SHARDWISE_KEY_CLUSTER_GPUS)
    shardwise_ask_read_nodes (self, at);
  return TRUE;
}

/* "Twice the batch", "double our number of GPUs". */
static double
factor_before (ShardwiseAskReader *self, guint at)
{
  for (guint back = 1; back <= MIN (at, FACTOR_REACH); back++)
    {
      guint length;
      const ShardwiseAskPhrase *factor = shardwise_ask_match_any (self, SHARDWISE_ASK_FACTOR,
                                                                  at - back, &length);

      if (factor != NULL && length <= back)
        {
          shardwise_ask_use (self, at - back, length, SHARDWISE_ASK_FACTOR);
          return factor->number;
        }
    }
  return 0;
}

static gboolean
takes_numbers (const char *path)
{
  const ShardwiseKey *key = shardwise_key_find (path);

  return key == NULL || key->kind == SHARDWISE_KIND_INTEGER || key->kind == SHARDWISE_KIND_NUMBER;
}

static void
read_key (ShardwiseAskReader *self, const ShardwiseAskPhrase *key, guint at, guint length)
{
  gboolean is_unit = key->kind == SHARDWISE_ASK_UNIT, has_number = FALSE;
  ShardwiseAskSlot *slot;

  shardwise_ask_use (self, at, length, key->kind);
  if (takes_numbers (key->target))
    {
      if (is_unit && !shardwise_ask_is_word (self, at + length, "="))
        has_number = number_before (self, key->target, at, TRUE);
      else
        has_number = number_after (self, key->target, at + length)
                     || number_before (self, key->target, at, FALSE);
    }
  if (has_number)
    return;
  if (is_unit && shardwise_key_find (key->target) == NULL)
    {
      /* "Twice the nodes" are twice the GPUs. */
      double factor = g_str_equal (key->target, "nodes") ? factor_before (self, at) : 0;

      if (factor > 0)
        shardwise_ask_add_slot (self, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS), NULL, at)
            ->factor = factor;
      return;
    }
  slot = shardwise_ask_add_slot (self, key->target, NULL, at);
  if (takes_numbers (key->target))
    slot->factor = factor_before (self, at);
}

static void
read_value (ShardwiseAskReader *self, const ShardwiseAskPhrase *value, guint at, guint length)
{
  const ShardwiseKey *key = shardwise_key_find (value->target);
  double degree, grouped, scale;
  GVariant *variant;

  shardwise_ask_use (self, at, length, SHARDWISE_ASK_VALUE);
  if (key->id == SHARDWISE_KEY_TRAINING_FRAMEWORK && g_str_has_prefix (value->value, "fsdp")
      && shardwise_ask_number (self, at + length, &degree, &grouped, &scale) > 0 && degree > 2
      && scale == 1
      && !has_other_unit (self, shardwise_key_path (SHARDWISE_KEY_STRATEGY_DP), at + length + 1))
    /* "FSDP 8" is a degree. */
    use_number (self, shardwise_key_path (SHARDWISE_KEY_STRATEGY_DP), at + length, 1, degree, NAN,
                1);
  if (key->kind == SHARDWISE_KIND_BOOLEAN)
    variant = g_variant_new_boolean (g_str_equal (value->value, "true"));
  else if (key->kind == SHARDWISE_KIND_INTEGER || key->kind == SHARDWISE_KIND_NUMBER)
    {
      shardwise_ask_add_number (self, value->target, g_ascii_strtod (value->value, NULL), NAN, at);
      return;
    }
  else
    variant = g_variant_new_string (value->value);
  shardwise_ask_add_slot (self, value->target, variant, at);
  if (key_of (value->target) == SHARDWISE_KEY_CLUSTER_INTER_NODE)
    {
      /* "400G RoCE": the rate stands before the network, in Gbit/s. */
      if (at < 2 || !shardwise_ask_is_word (self, at - 1, "g")
          || !shardwise_ask_is_free (self, at - 1))
        return;
      if (number_before (self, "gbit", at - 1, TRUE))
        shardwise_ask_use (self, at - 1, 1, SHARDWISE_ASK_UNIT);
    }
}

/* ---- sizes, tokens, memory, money ---- */

/* "70B", "350M parameters", "1T model"; tokens where tokens follow. */
static void
read_size (ShardwiseAskReader *self, guint at)
{
  double value, grouped, scale;
  guint length = shardwise_ask_number (self, at, &value, &grouped, &scale);
  gboolean is_model = shardwise_ask_is_mark (self, at + length, "parameters"),
           is_tokens = shardwise_ask_is_mark (self, at + length, "tokens"),
           has_model = shardwise_question_names (self->question, SHARDWISE_KEY_MODEL_PRESET, 0);
  double total = value * scale;

  /* The "3B" of "35B-A3B" is a part of a name. */
  if (length == 0 || (scale == 1 && !is_tokens) || shardwise_ask_atom (self->atoms, at)->glued)
    return;
  if (is_tokens && total < TOKENS_LEAST)
    use_number (self, shardwise_key_path (SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH), at, length,
                value, grouped, scale);
  else if (is_tokens || (scale == 1e12 && !is_model)
           || (scale == 1e9 && has_model && !is_model && total >= TOKENS_OF_A_MODEL))
    use_number (self, shardwise_key_path (SHARDWISE_KEY_TRAINING_TOKENS), at, length, value,
                grouped, scale);
  else if (scale == 1e9 || is_model)
    use_number (self, shardwise_key_path (SHARDWISE_KEY_MODEL_PARAMETERS_B), at, length,
                total / 1e9, NAN, 1);
  else
    return;
  if (is_tokens || is_model)
    shardwise_ask_use (self, at + length, 1, SHARDWISE_ASK_UNIT);
}

/* "$2.50", "2,50 €", "3 dollars per GPU-hour": a price, or where it is too much for one a budget.
 */
static gboolean
read_money (ShardwiseAskReader *self, guint at)
{
  double value, grouped, scale;
  gboolean before = shardwise_ask_is_mark (self, at, "dollar")
                    || shardwise_ask_is_mark (self, at, "euro");
  guint start = at + (before ? 1 : 0),
        length = shardwise_ask_number (self, start, &value, &grouped, &scale),
        sign = before ? at : start + length;
  gboolean is_euro = shardwise_ask_is_mark (self, sign, "euro");

  if (length == 0 || (!is_euro && !shardwise_ask_is_mark (self, sign, "dollar")))
    return FALSE;
  shardwise_ask_use (self, at, length + 1, SHARDWISE_ASK_UNIT);
  if (value * scale > PRICE_MOST)
    shardwise_ask_add_number (self, "budget", value * scale, grouped * scale, at);
  else
    shardwise_ask_add_number (self, shardwise_key_path (SHARDWISE_KEY_COST_PRICE), value * scale,
                              grouped * scale, at);
  if (is_euro)
    shardwise_ask_add_slot (self, shardwise_key_path (SHARDWISE_KEY_COST_CURRENCY),
                            g_variant_new_string ("EUR"), at);
  return TRUE;
}

/* Whether the amount from @at to @end is one of what is used, free or needed ("70GB in use", "10 GB
 * are free"), or one that no GPU has as its size ("26.08 GiB"). */
static gboolean
is_amount (const ShardwiseAskReader *self, guint at, guint end, double value)
{
  if (value != floor (value))
    return TRUE;
  for (guint i = at; i > 0 && at - i < AMOUNT_BEFORE; i--)
    {
      if (shardwise_ask_is_mark (self, i - 1, "amount"))
        return TRUE;
      if (shardwise_ask_atom (self->atoms, i - 1)->begins)
        break;
    }
  for (guint i = end; i < end + AMOUNT_AFTER && i < self->atoms->len; i++)
    {
      if (shardwise_ask_atom (self->atoms, i)->begins)
        break;
      if (shardwise_ask_is_mark (self, i, "amount"))
        return TRUE;
    }
  return FALSE;
}

/* Whether the amount from @at to @end is what a GPU has: "16 × 80 GB", "with 24 GB", "80GB cards", beside
 * the name of one. */
static gboolean
is_of_a_gpu (const ShardwiseAskReader *self, guint at, guint end)
{
  static const char *const
      before[] = { "x", "with", "of", "mit", "a", "the", "single", "one", NULL },
      *const after[] = { "gpu",        "gpus",  "card",   "cards",   "vram", "each", "karte",
                         "karten",     "per",   "pro",    "a",       "h",    "v",    "enough",
                         "sufficient", "genug", "reicht", "reichen", NULL };
  const ShardwiseAskAtom *next = shardwise_ask_atom (self->atoms, end);

  if (next != NULL && g_strv_contains (after, next->text))
    return TRUE;
  if (at == 1 && shardwise_ask_is_word (self, 0, "reichen"))
    return TRUE;
  if (at == 0)
    return self->atoms->len <= FEW;
  return g_strv_contains (before, shardwise_ask_atom (self->atoms, at - 1)->text)
         || self->used[at - 1] == SHARDWISE_ASK_GPU || self->used[at - 1] == SHARDWISE_ASK_UNIT
         || (shardwise_ask_atom (self->atoms, at - 1)->is_number && self->atoms->len <= FEW);
}

/* "24GB" is of the GPU, "2 TB RAM" of the host. */
static void
read_memory (ShardwiseAskReader *self, guint at)
{
  double value, grouped, scale;
  guint length = shardwise_ask_number (self, at, &value, &grouped, &scale), end = at + length;
  gboolean is_tera = shardwise_ask_is_word (self, end, "tb"), is_host = FALSE;

  if (length == 0 || shardwise_ask_is_word (self, end + 1, "/")
      || (!is_tera && !shardwise_ask_is_mark (self, end, "gigabyte")))
    return;
  shardwise_ask_use (self, at, length + 1, SHARDWISE_ASK_UNIT);
  for (guint i = at > HOST_REACH ? at - HOST_REACH : 0; i < end + 1 + HOST_REACH; i++)
    is_host = is_host || shardwise_ask_is_mark (self, i, "host");
  if (!is_host
      && (is_tera || value > MOST_OF_A_GPU || is_amount (self, at, end + 1, value)
          || !is_of_a_gpu (self, at, end + 1)))
    {
      shardwise_ask_leave_out (self, at, length + 1, _ ("an amount of memory, not an input"));
      shardwise_ask_add_number (self, "said.memory_gb", value * (is_tera ? 1000 : 1), NAN, at);
      return;
    }
  if (is_host)
    shardwise_ask_add_number (self, shardwise_key_path (SHARDWISE_KEY_CLUSTER_HOST_RAM_GB),
                              value * (is_tera ? 1000 : 1), NAN, at);
  else
    shardwise_ask_add_number (self, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB), value,
                              NAN, at);
  number_before (self, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS), at, TRUE);
}

/* ---- all ---- */

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
      if (best != NULL && best->kind == SHARDWISE_ASK_VALUE)
        read_value (self, best, i, length);
      else if (best != NULL)
        read_key (self, best, i, length);
    }
  for (guint i = 0; i < self->atoms->len; i++)
    if (shardwise_ask_is_free (self, i))
      read_size (self, i);
}

/* Whether the nameless number before @end is held against a named one ("rather than 8", "2, 4 or
 * 8"); any may be in a short question, but not what a long one counts besides ("after 20 steps").
 */
static gboolean
is_of_path (const ShardwiseAskReader *self, const char *path, guint at, guint end, double value,
            double scale)
{
  static const char *const marks[] = { "instead", "over", "versus", "or", "follow", "to", "from" };
  const ShardwiseKey *key = shardwise_key_find (path);
  g_autoptr (GVariant) number = NULL, normal = NULL;

  if (has_other_unit (self, path, end))
    return FALSE;
  if (self->atoms->len <= FEW || (is_sequence (path) && scale > 1))
    return TRUE;
  number = g_variant_ref_sink (g_variant_new_double (value * scale));
  normal = key != NULL ? shardwise_key_normalise (key, number, NULL) : NULL;
  if ((key != NULL && normal == NULL) || at == 0)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    if (shardwise_ask_is_mark (self, at - 1, marks[i]))
      return TRUE;
  return shardwise_ask_atom (self->atoms, at - 1)->is_number
         || shardwise_ask_is_mark (self, end, "or")
         || (end < self->atoms->len && shardwise_ask_atom (self->atoms, end)->is_number);
}

/* What belongs together: nodes and GPUs; numbers without a name; what is held against what. */

enum {
  GPUS_OF_A_NODE = 16, /* most that "2 nodes with 8 GPUs" may mean by the latter */
  NEAR = 5,            /* atoms over which "not" reaches */
  FAR = 20
};

static ShardwiseAskSlot *
slot_at (const ShardwiseAskReader *self, guint index)
{
  return g_ptr_array_index (self->question->slots, index);
}

static double
number_of (const ShardwiseAskSlot *slot)
{
  if (slot->value == NULL)
    return NAN;
  if (g_variant_is_of_type (slot->value, G_VARIANT_TYPE_INT64))
    return (double) g_variant_get_int64 (slot->value);
  if (g_variant_is_of_type (slot->value, G_VARIANT_TYPE_DOUBLE))
    return g_variant_get_double (slot->value);
  return NAN;
}

static gint
compare_places (gconstpointer a, gconstpointer b)
{
  const ShardwiseAskSlot *x = *(ShardwiseAskSlot *const *) a, *y = *(ShardwiseAskSlot *const *) b;

  return x->at < y->at ? -1 : x->at > y->at;
}

/* ---- nodes ---- */

static ShardwiseAskSlot *
find_slot (const ShardwiseAskReader *self, const char *path, guint side)
{
  for (guint i = 0; i < self->question->slots->len; i++)
    if (g_str_equal (slot_at (self, i)->path, path) && slot_at (self, i)->value != NULL
        && slot_at (self, i)->side == side)
      return slot_at (self, i);
  return NULL;
}

static void
set_number (ShardwiseAskReader *self, ShardwiseAskSlot *slot, const char *path, double value)
{
  guint side = slot->side, at = slot->at;
  ShardwiseAskSlot *made;

  g_ptr_array_remove (self->question->slots, slot);
  made = shardwise_ask_add_number (self, path, value, NAN, at);
  if (made != NULL)
    made->side = side;
}

/* GPUs of a node of the GPU that is asked about, else of the scenario's. */
static guint
gpus_of_node (const ShardwiseAskReader *self, guint side)
{
  const ShardwiseAskSlot *asked = find_slot (self, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPU),
                                             side);
  const char *gpu = asked != NULL && g_variant_is_of_type (asked->value, G_VARIANT_TYPE_STRING)
                        ? g_variant_get_string (asked->value, NULL)
                        : NULL;
  const guint usual = (guint) shardwise_defaults_get ("cluster.gpus_per_node");
  ShardwiseNodeClass nodes;

  if (gpu == NULL || shardwise_catalogue_find_gpu (shardwise_catalogue_get (), gpu) == NULL)
    return self->scenario != NULL ? (guint) shardwise_scenario_get_number (
               self->scenario, SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE, usual)
                                  : usual;
  shardwise_catalogue_node_class (shardwise_catalogue_get (), gpu, &nodes);
  return nodes.gpus_per_node;
}

/* "2 nodes" are as many GPUs as two nodes have; "2 nodes of 8" are 16; "64 GPUs on 8 nodes" are 64.
 */
static void
settle_nodes (ShardwiseAskReader *self, guint side)
{
  ShardwiseAskSlot *nodes = find_slot (self, "nodes", side),
                   *gpus = find_slot (self, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS), side);
  ShardwiseAskSlot *per_node =
      find_slot (self, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE), side);
  double n, each, all;

  if (nodes == NULL)
    return;
  n = number_of (nodes);
  all = gpus != NULL ? number_of (gpus) : 0;
  each = per_node != NULL ? number_of (per_node) : gpus_of_node (self, side);
  if (gpus == NULL)
    set_number (self, nodes, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS), n * each);
  else if (nodes->at < gpus->at && all <= GPUS_OF_A_NODE)
    {
      set_number (self, nodes, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE), all);
      set_number (self, gpus, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS), n * all);
    }
  else if (n >= 1 && fmod (all, n) == 0)
    set_number (self, nodes, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE), all / n);
  else
    g_ptr_array_remove (self->question->slots, nodes);
}

/* ---- sides ---- */

/* Where the mark last stands among the @reach atoms before a place: the place after it, or 0. */
static guint
last_mark (const ShardwiseAskReader *self, const char *mark, guint to, guint reach)
{
  for (guint i = to; i > 0 && to - i < reach; i--)
    if (shardwise_ask_is_mark (self, i - 1, mark))
      return i;
  return 0;
}

/* Whether the mark stands between two places, at most @reach atoms before the second. */
static gboolean
is_marked (const ShardwiseAskReader *self, const char *mark, guint from, guint to, guint reach)
{
  return last_mark (self, mark, to, reach) > from;
}

static gboolean
is_dimension (const ShardwiseAskSlot *slot)
{
  return g_str_has_prefix (slot->path, "strategy.");
}

/* "instead of" and "not" concern what follows at once, "over" only a dimension ("TP 8 over TP 4",
 * but "split over 64 GPUs"); "versus" and "or" all that follows, "or" only where it repeats a key,
 * or names another dimension. */
static void
settle_sides (ShardwiseAskReader *self)
{
  guint side = 0, from = 0, first = G_MAXUINT;
  gboolean sticks = FALSE; /* all that follows is of that side */

  for (guint i = 0; i < self->question->slots->len; i++)
    {
      ShardwiseAskSlot *slot = slot_at (self, i), *before = i > 0 ? slot_at (self, i - 1) : NULL;
      gboolean is_repeated = FALSE, is_joined, is_marked_off;

      for (guint j = 0; j < i; j++)
        is_repeated = is_repeated
                      || (slot_at (self, j)->side == side
                          && g_str_equal (slot_at (self, j)->path, slot->path));
      is_marked_off =
          is_marked (self, "instead", from, slot->at, NEAR)
          || ((is_dimension (slot) || key_of (slot->path) == SHARDWISE_KEY_TRAINING_FRAMEWORK)
              && is_marked (self, "over", from, slot->at, NEAR));
      is_joined = i > 0 && slot->at - from <= NEAR && is_marked (self, "join", from, slot->at, NEAR)
                  && is_dimension (slot) && is_dimension (before) && !is_repeated;
      if (i > 0 && is_marked (self, "versus", from, slot->at, FAR))
        sticks = is_marked_off = TRUE;
      if (i > 0 && is_marked (self, "or", from, slot->at, FAR)
          && (is_repeated || (is_dimension (slot) && is_dimension (before))))
        sticks = is_marked_off = TRUE;
      if (is_marked_off)
        slot->side = ++side;
      else
        slot->side = sticks ? side : is_joined ? before->side : 0;
      from = slot->at;
      first = MIN (first, slot->side);
    }
  /* "Why not A instead of B": two sides, though both are denied. */
  for (guint i = 0; first == 1 && side > 1 && i < self->question->slots->len; i++)
    slot_at (self, i)->side--;
}

/* "From 400G InfiniBand to 100G Ethernet": what is left is what the rest is held against. */
static void
settle_from (ShardwiseAskReader *self)
{
  guint first = 0; /* slot that "from" stands before */

  while (first < self->question->slots->len
         && last_mark (self, "from", slot_at (self, first)->at, NEAR) == 0)
    first++;
  for (guint j = first + 1; j < self->question->slots->len; j++)
    {
      ShardwiseAskSlot *taken = slot_at (self, j);
      const guint to = taken->value != NULL ? last_mark (self, "to", taken->at, NEAR) : 0;
      gboolean is_taken = FALSE; /* in the place of a value of the same key before it */

      for (guint i = first; i < j && slot_at (self, i)->at < to; i++)
        is_taken = is_taken
                   || (slot_at (self, i)->value != NULL
                       && g_str_equal (slot_at (self, i)->path, taken->path));
      for (guint i = first; is_taken && i < j; i++)
        slot_at (self, i)->side = 1;
      if (is_taken)
        taken->side = 0;
    }
}

/* A key that is named and then given: only the value counts. What is said twice counts once. A mere
 * mention says nothing beside what is asked: "how many GPUs", "which model". */
static gboolean
is_idle (const ShardwiseAskReader *self, guint index)
{
  const ShardwiseAskSlot *slot = slot_at (self, index);
  const ShardwiseKeyId key = key_of (slot->path);

  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *other = slot_at (self, i);

      if (i == index || !g_str_equal (slot->path, other->path))
        continue;
      if (slot->value == NULL && slot->factor == 0
          && (other->value != NULL || other->factor > 0 || i < index))
        return TRUE;
      if (i < index && slot->side == other->side && slot->value != NULL && other->value != NULL)
        return TRUE;
    }
  return slot->value == NULL && !(slot->factor > 0)
         && (key == SHARDWISE_KEY_CLUSTER_GPUS || key == SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB
             || g_str_equal (slot->path, "measured.mfu")
             || g_str_equal (slot->path, "measured.step_s")
             || (key == SHARDWISE_KEY_CLUSTER_INTER_NODE
                 && find_slot (self, shardwise_key_path (SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S),
                               slot->side)
                        != NULL));
}

/* What a number without a name may be of: a slot with a number before it; @path where there is none. */
static const char *
path_near (const ShardwiseAskReader *self, guint at, guint end, const char *path)
{
  const ShardwiseAskSlot *best = NULL;

  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = slot_at (self, i);
      const ShardwiseKey *key = shardwise_key_find (slot->path);
      const gboolean ends_list = slot->at >= end && slot->at <= end + 2;

      if (key != NULL && takes_numbers (key->path) && !g_str_has_prefix (key->path, "model.")
          && (ends_list || (slot->at < at && (best == NULL || slot->at > best->at))))
        best = slot;
    }
  return best != NULL ? shardwise_key_find (best->path)->path : path;
}

/* Gives the slots that were read their sides and their order. @path: (nullable): what numbers without
 * a name are of where no slot says it: "and with 64?" */
static void
settle_slots (ShardwiseAskReader *self, const char *path)
{
  GPtrArray *slots = self->question->slots;

  g_ptr_array_sort (slots, compare_places);
  /* "TP 4 rather than 8": such numbers are of what the slot before them is about, or of a list that
   * ends with one: "2, 4 or 6 GPUs". */
  for (guint i = self->atoms->len; i > 0; i--)
    {
      double value, grouped, scale;
      const guint at = i - 1,
                  length = shardwise_ask_is_free (self, at)
                                   && shardwise_ask_atom (self->atoms, at)->is_number
                               ? shardwise_ask_number (self, at, &value, &grouped, &scale)
                               : 0;
      const char *near = length > 0 ? path_near (self, at, at + length, path) : NULL;

      if (near != NULL && is_of_path (self, near, at, at + length, value, scale))
        use_number (self, near, at, length, value, grouped, scale);
    }
  g_ptr_array_sort (slots, compare_places);
  settle_sides (self);
  settle_from (self);
  /* Two values of one key on one side: the later is what the question compares with. */
  for (guint i = 0; i < slots->len; i++)
    {
      ShardwiseAskSlot *slot = slot_at (self, i);

      for (guint j = 0; j < i; j++)
        if (slot->side == slot_at (self, j)->side
            && g_str_equal (slot->path, slot_at (self, j)->path) && slot->value != NULL
            && slot_at (self, j)->value != NULL)
          slot->side++;
    }
  settle_nodes (self, 0);
  settle_nodes (self, 1);
  g_ptr_array_sort (slots, compare_places);
  for (guint i = slots->len; i > 0; i--)
    if (is_idle (self, i - 1) || g_str_equal (slot_at (self, i - 1)->path, "nodes"))
      g_ptr_array_remove_index (slots, i - 1);
}

/* A question in plain words, read to an intent and slots. */

const char *const shardwise_intent_names[] = {
  "unknown", "why",        "what-if", "fits",    "gpus", "memory", "time",
  "cost",    "throughput", "limit",   "oom",     "slow", "define", "compare",
  "how-to",  "best",       "fault",   "allowed", NULL,
};
G_STATIC_ASSERT (G_N_ELEMENTS (shardwise_intent_names) == SHARDWISE_N_INTENTS + 1);

static void
slot_free (gpointer data)
{
  ShardwiseAskSlot *slot = data;

  g_free (slot->path);
  g_clear_pointer (&slot->value, g_variant_unref);
  g_free (slot);
}

/**
 * shardwise_question_free:
 * @self: a question
 */
void
shardwise_question_free (ShardwiseQuestion *self)
{
  g_ptr_array_unref (self->slots);
  g_free (self->text);
  g_ptr_array_unref (self->topics);
  g_ptr_array_unref (self->left_out);
  g_free (self->goal);
  g_free (self->unknown_gpu);
  g_free (self);
}

static void
left_out_free (gpointer data)
{
  ShardwiseAskLeftOut *self = data;

  g_free (self->words);
  g_free (self->why);
  g_free (self);
}

/* ---- follow-ups ---- */

static ShardwiseAskSlot *
slot_copy (const ShardwiseAskSlot *slot)
{
  ShardwiseAskSlot *copy = g_memdup2 (slot, sizeof *slot);

  copy->path = g_strdup (slot->path);
  copy->value = slot->value != NULL ? g_variant_ref (slot->value) : NULL;
  return copy;
}

static gboolean
names_path (const ShardwiseQuestion *self, const char *path)
{
  for (guint i = 0; i < self->slots->len; i++)
    if (g_str_equal (((ShardwiseAskSlot *) g_ptr_array_index (self->slots, i))->path, path))
      return TRUE;
  return FALSE;
}

static void
follow (ShardwiseAskReader *self, const ShardwiseQuestion *before)
{
  ShardwiseQuestion *question = self->question;
  gboolean begins = shardwise_ask_is_mark (self, 0, "follow"),
           has_intent = question->intent != SHARDWISE_INTENT_UNKNOWN && question->confidence > 0.4;
  guint own = question->slots->len;

  if (!begins && (has_intent || !(own > 0 || question->topics->len > 0 || question->goal != NULL)))
    return;
  for (guint i = 0; i < before->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (before->slots, i);

      /* A model is named by a preset or by a size. */
      if ((slot->side == 1 && own > 0)
          || (g_str_has_prefix (slot->path, "model.")
                  ? names_path (question, shardwise_key_path (SHARDWISE_KEY_MODEL_PRESET))
                        || names_path (question,
                                       shardwise_key_path (SHARDWISE_KEY_MODEL_PARAMETERS_B))
                  : names_path (question, slot->path)))
        continue;
      g_ptr_array_add (question->slots, slot_copy (slot));
    }
  if (has_intent && question->intent != SHARDWISE_INTENT_WHAT_IF)
    return;
  question->intent = before->intent;
  question->confidence = MAX (question->confidence, 0.5);
  for (guint i = 0; own == 0 && question->topics->len == 0 && i < before->topics->len; i++)
    g_ptr_array_add (question->topics, g_strdup (g_ptr_array_index (before->topics, i)));
  if (question->goal == NULL)
    question->goal = g_strdup (before->goal);
}

/* Whether the time at @at is that of a step: "the step time is 14 s". */
static gboolean
is_step_time (const ShardwiseAskReader *self, guint at)
{
  GPtrArray *keys = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_KEY);

  for (guint back = 1; back <= MIN (at, LONGEST_LINK + 1); back++)
    for (guint i = 0; i < keys->len; i++)
      {
        const ShardwiseAskPhrase *key = g_ptr_array_index (keys, i);

        if (g_str_equal (key->target, "measured.step_s")
            && shardwise_ask_match (self, key, at - back) > 0)
          return TRUE;
      }
  return FALSE;
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
      double value, grouped, scale;
      guint number = shardwise_ask_number (self, i, &value, &grouped, &scale), length, first;
      const ShardwiseAskPhrase *seen, *unit;

      if (number == 0 || !shardwise_ask_atom (self->atoms, i)->is_number)
        continue;
      seen = shardwise_ask_match_any (self, SHARDWISE_ASK_SEEN, i + number, &length);
      unit = shardwise_ask_match_any (self, SHARDWISE_ASK_UNIT, i + number, &number);
      if (seen == NULL || (unit != NULL && number >= length))
        continue;
      number = shardwise_ask_number (self, i, &value, &grouped, &scale);
      if (g_str_equal (seen->target, "time") && is_step_time (self, i))
        {
          const gboolean in_ms = *shardwise_ask_atom (self->atoms, i + number)->text == 'm';

          shardwise_ask_add_number (self, "measured.step_s", value * scale * (in_ms ? 1e-3 : 1),
                                    NAN, i);
          shardwise_ask_use (self, i, number + length, SHARDWISE_ASK_SEEN);
          continue;
        }
      /* "159, 293 and 560 ms", "from 7000 to 4000 samples/s". */
      for (first = i; first > 0; first--)
        if (!(shardwise_ask_atom (self->atoms, first - 1)->is_number
              || (first > 1 && shardwise_ask_atom (self->atoms, first - 2)->is_number
                  && (shardwise_ask_is_mark (self, first - 1, "or")
                      || shardwise_ask_is_mark (self, first - 1, "to")
                      || shardwise_ask_is_mark (self, first - 1, "join"))))
            || !shardwise_ask_is_free (self, first - 1))
          break;
      for (guint k = 0; k < G_N_ELEMENTS (reasons); k++)
        if (g_str_equal (reasons[k].target, seen->target))
          shardwise_ask_leave_out (self, first, i - first + number + length, _ (reasons[k].why));
      if (g_str_equal (seen->target, "time"))
        for (guint k = first; k <= i; k++)
          if (shardwise_ask_atom (self->atoms, k)->is_number)
            shardwise_ask_add_number (self, "said.time", shardwise_ask_atom (self->atoms, k)->value,
                                      NAN, k);
      shardwise_ask_use (self, first, i - first + number + length, SHARDWISE_ASK_SEEN);
    }
}

/* What is left of the numbers, and what was measured more than once. */
static void
leave_numbers (ShardwiseAskReader *self)
{
  for (guint i = 0; i < self->atoms->len; i++)
    {
      const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, i);
      gboolean is_ratio = g_ascii_isdigit (*atom->text);

      double value, grouped, scale;

      /* "at 32k" is a length of sequences. */
      if (shardwise_ask_is_free (self, i) && atom->is_number && !atom->glued
          && shardwise_ask_number (self, i, &value, &grouped, &scale) == 2 && scale == 1e3
          && value >= 1 && value <= 1024
          && find_slot (self, shardwise_key_path (SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH), 0)
                 == NULL)
        use_number (self, shardwise_key_path (SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH), i, 2, value,
                    NAN, scale);
      if (shardwise_ask_is_free (self, i) && (atom->is_number || is_ratio) && !atom->glued)
        shardwise_ask_leave_out (self, i, 1, _ ("a number without a name"));
    }
}

/* ---- what the scenario says already ---- */

/* Whether "a100" stands for the GPU "a100-40-sxm" of the scenario: the name without its memory. */
static gboolean
is_gpu_family (const ShardwiseAskReader *self, const ShardwiseAskSlot *slot, const char *gpu)
{
  g_autofree char *plain = NULL;
  g_auto (GStrv) parts = g_strsplit (gpu, "-", -1);
  GString *name = g_string_new (NULL);
  guint end = slot->at;

  while (end < self->atoms->len && self->used[end] == SHARDWISE_ASK_GPU
         && !(end > slot->at && shardwise_ask_is_word (self, end, "s")))
    g_string_append (name, shardwise_ask_atom (self->atoms, end++)->text);
  plain = g_string_free (name, FALSE);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      g_autofree char *both = parts[i + 1] != NULL ? g_strconcat (parts[i], parts[i + 1], NULL)
                                                   : NULL;

      if (g_str_equal (parts[i], plain) || g_strcmp0 (both, plain) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Whether a size is that of the scenario's model, as people round it: "70B" of 70.6, "7B" of 6.7; of a
 * mixture also the share that is active. */
static gboolean
is_its_size (const SwProblem *problem, double billions)
{
  const double sizes[] = { problem->count.total, problem->count.active };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (fabs (billions * 1e9 / sizes[i] - 1) < 0.08)
      return TRUE;
  return FALSE;
}

static void
set_path (ShardwiseAskSlot *slot, ShardwiseKeyId key)
{
  g_free (slot->path);
  slot->path = g_strdup (shardwise_key_path (key));
  slot->key = key;
}

/* "Llama 2 7B, 13B and 70B": the model of the family that has this size takes the slot. */
static gboolean
take_family_size (ShardwiseAskReader *self, ShardwiseAskSlot *slot)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  g_autoptr (GListModel) models = shardwise_catalogue_models (catalogue);
  const ShardwiseAskSlot *preset = find_slot (self, shardwise_key_path (SHARDWISE_KEY_MODEL_PRESET),
                                              0);
  const char *id = preset != NULL ? g_variant_get_string (preset->value, NULL) : "", *end;
  const double size = number_of (slot) * 1e9;
  guint side = 0;

  end = strrchr (id, '-');
  for (guint i = 0; end != NULL && i < g_list_model_get_n_items (models); i++)
    {
      g_autoptr (GObject) entry = g_list_model_get_item (models, i);
      g_autofree char *other = NULL;
      const SwModelSpec *spec;
      SwParameterCount count;

      g_object_get (entry, "id", &other, NULL);
      spec = shardwise_catalogue_find_model (catalogue, other);
      if (spec == NULL || strncmp (other, id, (gsize) (end - id) + 1) != 0)
        continue;
      sw_model_count (spec, &count);
      if (fabs (size / count.total - 1) > 0.08)
        continue;
      for (guint k = 0; k < self->question->slots->len; k++)
        if (g_str_has_prefix (slot_at (self, k)->path, "model.")
            && slot_at (self, k)->at < slot->at)
          side++;
      g_variant_unref (slot->value);
      slot->value = g_variant_ref_sink (g_variant_new_string (other));
      set_path (slot, SHARDWISE_KEY_MODEL_PRESET);
      slot->repeats = FALSE;
      slot->side = g_str_equal (other, id) ? 0 : side;
      return TRUE;
    }
  return FALSE;
}

/* A size beside a model's name is no other model; "batch 8" where micro-batches are spoken of is one. */
static void
settle_doubles (ShardwiseAskReader *self)
{
  GPtrArray *slots = self->question->slots;
  gboolean has_preset = FALSE, has_micro = FALSE;

  for (guint i = 0; i < slots->len; i++)
    {
      has_preset = has_preset || key_of (slot_at (self, i)->path) == SHARDWISE_KEY_MODEL_PRESET;
      has_micro = has_micro
                  || (key_of (slot_at (self, i)->path) == SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE
                      && slot_at (self, i)->value == NULL);
    }
  for (guint i = slots->len; i > 0; i--)
    {
      ShardwiseAskSlot *slot = slot_at (self, i - 1);

      if (has_preset && key_of (slot->path) == SHARDWISE_KEY_MODEL_PARAMETERS_B
          && take_family_size (self, slot))
        continue;
      if (has_preset && key_of (slot->path) == SHARDWISE_KEY_MODEL_PARAMETERS_B && slot->side == 0
          && slots->len > 1)
        {
          shardwise_ask_leave_out (self, slot->at, 2, _ ("a size beside a model’s name"));
          g_ptr_array_remove_index (slots, i - 1);
        }
      else if (has_micro && slot->value != NULL
               && key_of (slot->path) == SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE)
        {
          set_path (slot, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE);
        }
    }
}

static gboolean
is_named_twice (const ShardwiseAskReader *self, const ShardwiseAskSlot *slot)
{
  for (guint i = 0; i < self->question->slots->len; i++)
    if (slot_at (self, i) != slot && g_str_equal (slot_at (self, i)->path, slot->path))
      return TRUE;
  return FALSE;
}

/* Names that merely repeat the scenario replace nothing of it. */
static void
settle_repeats (ShardwiseAskReader *self)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  SwProblem problem;

  if (self->scenario == NULL || !shardwise_scenario_resolve (self->scenario, &problem, NULL, NULL))
    return;
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      ShardwiseAskSlot *slot = slot_at (self, i);
      const ShardwiseKeyId key = key_of (slot->path);
      g_autoptr (GVariant) now = NULL;

      if (slot->value == NULL || key == SHARDWISE_KEY_NONE)
        continue;
      now = shardwise_scenario_get (self->scenario, key);
      if (now != NULL && g_variant_equal (now, slot->value))
        slot->repeats = TRUE;
      else if (key == SHARDWISE_KEY_STRATEGY_OFFLOAD)
        /* "CPU offload" is the one that there is. */
        slot->repeats = problem.pins.value.offload != SW_OFFLOAD_NONE
                        && sw_pins_has (&problem.pins, SW_DIM_OFFLOAD)
                        && !g_str_equal (g_variant_get_string (slot->value, NULL), "none");
      else if (key == SHARDWISE_KEY_MODEL_PARAMETERS_B)
        slot->repeats = is_its_size (&problem, number_of (slot));
      else if (key == SHARDWISE_KEY_MODEL_PRESET)
        {
          const SwModelSpec *spec =
              shardwise_catalogue_find_model (catalogue, g_variant_get_string (slot->value, NULL));
          SwParameterCount count = { 0 };

          if (spec != NULL)
            sw_model_count (spec, &count);
          /* The same size of the same family: "Llama 70B" of Llama 3.1; or of an architecture that was
           * stated. */
          slot->repeats = spec != NULL && is_its_size (&problem, count.total / 1e9)
                          && (*problem.model.id == '\0'
                              || g_ascii_strncasecmp (spec->id, problem.model.id, 4) == 0);
        }
      else if (key == SHARDWISE_KEY_CLUSTER_GPU)
        slot->repeats = is_gpu_family (self, slot, problem.cluster.gpu.id);
      else if (key == SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB)
        slot->repeats = fabs (number_of (slot) / problem.cluster.gpu.memory_gb - 1) < 0.05;
      if (slot->repeats && !is_named_twice (self, slot)
          && (g_str_has_prefix (slot->path, "model.") || g_str_has_prefix (slot->path, "cluster.")))
        slot->side = 0;
    }
}

static void
read_slots (ShardwiseAskReader *self, const char *path)
{
  int sum = 0;

  for (guint i = 0; i < self->atoms->len; i++)
    {
      const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, i);
      const char *right = atom->is_number
                              ? NULL
                              : shardwise_ask_vocabulary_spell (self->vocabulary, atom->text);

      if (right != NULL)
        shardwise_ask_atom_replace (self->atoms, i, right);
      atom = shardwise_ask_atom (self->atoms, i);
      sum += shardwise_ask_vocabulary_german (self->vocabulary, atom->text);
    }
  self->question->german = sum > 0;
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

static ShardwiseQuestion *
question_new (const char *text)
{
  ShardwiseQuestion *self = g_new0 (ShardwiseQuestion, 1);

  self->text = g_utf8_make_valid (text, -1);
  self->slots = g_ptr_array_new_with_free_func (slot_free);
  self->topics = g_ptr_array_new_with_free_func (g_free);
  self->left_out = g_ptr_array_new_with_free_func (left_out_free);
  return self;
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
  g_autoptr (GArray) atoms = shardwise_ask_atoms (text);
  g_autofree guint8 *used = g_malloc (MAX (atoms->len, 1));
  ShardwiseAskReader self = { shardwise_ask_vocabulary_get (), atoms, used, scenario, question };
  const char *path = before != NULL ? shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS) : NULL;

  memset (used, SHARDWISE_ASK_N_KINDS, atoms->len);
  /* The key that "and with 64?" is about. */
  for (guint i = 0; before != NULL && i < before->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (before->slots, i);
      const ShardwiseKey *key = shardwise_key_find (slot->path);

      if (key != NULL && key->kind == SHARDWISE_KIND_INTEGER && slot->side == 0)
        path = slot->path;
    }
  read_slots (&self, path);
  shardwise_ask_read_intent (&self);
  if (before != NULL)
    follow (&self, before);
  return question;
}

/* ---- corrections ---- */

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
  copy->goal = g_strdup (self->goal);
  copy->unknown_gpu = g_strdup (self->unknown_gpu);
  for (guint i = 0; i < self->slots->len; i++)
    g_ptr_array_add (copy->slots, slot_copy (g_ptr_array_index (self->slots, i)));
  for (guint i = 0; i < self->topics->len; i++)
    g_ptr_array_add (copy->topics, g_strdup (g_ptr_array_index (self->topics, i)));
  for (guint i = 0; i < self->left_out->len; i++)
    {
      const ShardwiseAskLeftOut *left = g_ptr_array_index (self->left_out, i);
      ShardwiseAskLeftOut *other = g_new0 (ShardwiseAskLeftOut, 1);

      other->words = g_strdup (left->words);
      other->why = g_strdup (left->why);
      g_ptr_array_add (copy->left_out, other);
    }
  return copy;
}

/* Whether a slot says the same sort of thing as @path: a model is named in two ways. */
static gboolean
is_of (const ShardwiseAskSlot *slot, const char *path)
{
  return g_str_equal (slot->path, path)
         || (g_str_has_prefix (slot->path, "model.") && g_str_has_prefix (path, "model."));
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
  g_autoptr (GVariant) one = NULL;
  ShardwiseAskSlot *slot;

  copy->confidence = 1; /* the asker says so */
  if (g_str_equal (part, "intent"))
    {
      copy->intent = intent > 0 ? (ShardwiseIntent) intent : copy->intent;
      return copy;
    }
  said = shardwise_question_parse (value, scenario, NULL);
  for (guint i = copy->slots->len; i > 0; i--)
    if (is_of (g_ptr_array_index (copy->slots, i - 1), part)
        && ((ShardwiseAskSlot *) g_ptr_array_index (copy->slots, i - 1))->side == 0)
      g_ptr_array_remove_index (copy->slots, i - 1);
  for (guint i = 0; i < said->slots->len; i++)
    {
      const ShardwiseAskSlot *new = g_ptr_array_index (said->slots, i);

      for (guint j = copy->slots->len; j > 0; j--)
        if (new->side == 0 && is_of (g_ptr_array_index (copy->slots, j - 1), new->path)
            && ((ShardwiseAskSlot *) g_ptr_array_index (copy->slots, j - 1))->side == 0)
          g_ptr_array_remove_index (copy->slots, j - 1);
      g_ptr_array_add (copy->slots, slot_copy (new));
    }
  if (key == NULL || said->slots->len > 0)
    return copy;
  /* The mere value: "8". */
  one = g_variant_ref_sink (takes_numbers (part)
                                ? g_variant_new_double (g_ascii_strtod (value, NULL))
                                : g_variant_new_string (value));
  slot = g_new0 (ShardwiseAskSlot, 1);
  slot->path = g_strdup (part);
  slot->key = key->id;
  slot->value = shardwise_key_normalise (key, one, NULL);
  if (slot->value != NULL)
    g_ptr_array_add (copy->slots, slot);
  else
    slot_free (slot);
  return copy;
}

/* ---- slots ---- */

/**
 * shardwise_question_slot:
 *
 * Returns: (transfer none) (nullable): the slot at @index; %NULL beyond the last
 */
const ShardwiseAskSlot *
shardwise_question_slot (const ShardwiseQuestion *self, guint index)
{
  return index < self->slots->len ? g_ptr_array_index (self->slots, index) : NULL;
}

/**
 * shardwise_question_find:
 * @key: a key of the scenario
 * @side: 0, or 1 for what is held against it
 *
 * Returns: (transfer none) (nullable): the slot, one with a value before one without
 */
const ShardwiseAskSlot *
shardwise_question_find (const ShardwiseQuestion *self, ShardwiseKeyId key, guint side)
{
  const ShardwiseAskSlot *found = NULL, *slot;

  for (guint i = 0; (slot = shardwise_question_slot (self, i)) != NULL; i++)
    if (slot->side == side && slot->key == key && (found == NULL || found->value == NULL))
      found = slot;
  return found;
}

/**
 * shardwise_question_number:
 * @path: of what is no key of the scenario: "days", "measured.mfu"
 *
 * Returns: the number that is named of it; 0: none
 */
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

/**
 * shardwise_question_has_values:
 * @self: a question
 * @side: of a comparison; 0 where there is none
 *
 * Returns: whether that side states a value, or a factor, of a key of the scenario
 */
gboolean
shardwise_question_has_values (const ShardwiseQuestion *self, guint side)
{
  for (guint i = 0; i < self->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->slots, i);

      if (slot->side == side && (slot->value != NULL || slot->factor > 0)
          && shardwise_key_find (slot->path) != NULL)
        return TRUE;
    }
  return FALSE;
}

/* Whether that side states a value that the scenario has not already. */
gboolean
shardwise_question_changes_any (const ShardwiseQuestion *self, guint side)
{
  for (guint i = 0; i < self->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->slots, i);

      if (slot->side == side && (slot->value != NULL || slot->factor > 0) && !slot->repeats
          && shardwise_key_find (slot->path) != NULL)
        return TRUE;
    }
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
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  for (guint i = 0; i < self->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->slots, i);

      if (slot->side == side && slot->value != NULL && !slot->repeats
          && shardwise_key_find (slot->path) != NULL)
        g_variant_dict_insert_value (&dict, slot->path, slot->value);
    }
  return g_variant_dict_end (&dict);
}

/**
 * shardwise_question_slots_to_json:
 *
 * Returns: (transfer full): the slots by key path; in "than" those that they are held against;
 *   "term", "goal" and "gpu" where there are any
 */
JsonNode *
shardwise_question_slots_to_json (const ShardwiseQuestion *self)
{
  JsonObject *object = json_object_new (), *than = json_object_new ();

  for (guint i = 0; i < self->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->slots, i);
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
