/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys with their values: "TP 8", "batch of 256", "64 GPUs", "70B", "$2 an hour". */
#include "shardwise-ask-private.h"

#include <math.h>

enum {
  LONGEST_LINK = 4,  /* words between a key and its value: "sequence length to be set to 8192" */
  FACTOR_REACH = 4,  /* words between "twice" and what is doubled */
  AMOUNT_BEFORE = 4, /* words over which "using" reaches to an amount of memory */
  AMOUNT_AFTER = 3,  /* and "free" back to it */
  FEW = 10           /* words of a question whose nameless numbers all belong to what it names */
};

#define PRICE_MOST 200.0 /* money from which an amount is no price of a GPU-hour */
#define TOKENS_LEAST 1e7 /* from which tokens are those to train on, not those of a sequence */

/* A unit that is another's multiple. */
typedef struct {
  const char *unit, *path;
  double factor;
} UnitOf;

static const UnitOf units_of[] = {
  { "weeks", "days", 7 },
  { "months", "days", 365.25 / 12 },
  { "hours", "days", 1.0 / 24 },
  { "years", "days", 365.25 },
  { "gbit", "cluster.inter_node_gb_s", 1.0 / 8 },
  { "tbit", "cluster.inter_node_gb_s", 125 },
  { "host_tb", "cluster.host_ram_gb", 1000 },
};

/* ---- numbers that belong to a key ---- */

static gboolean
is_sequence (const char *path)
{
  return g_str_equal (path, "training.sequence_length");
}

/* "8k" tokens are 8192, "100k" are 100,000. */
static double
scaled (const char *path, double value, double scale)
{
  double rounded = log2 (value);

  if (is_sequence (path) && (scale == 1e3 || scale == 1e6) && rounded == floor (rounded))
    return value * (scale == 1e3 ? 1024 : 1048576);
  return value * scale;
}

static ShardwiseAskSlot *
add_scaled (ShardwiseAskReader *self, const char *path, double value, double grouped, double scale,
            guint at)
{
  for (guint i = 0; i < G_N_ELEMENTS (units_of); i++)
    if (g_str_equal (units_of[i].unit, path))
      return shardwise_ask_add_number (self, units_of[i].path, value * scale * units_of[i].factor,
                                       grouped * scale * units_of[i].factor, at);
  return shardwise_ask_add_number (self, path, scaled (path, value, scale), grouped * scale, at);
}

static gboolean
is_percent_key (const char *path)
{
  return g_str_equal (path, "training.memory_target") || g_str_equal (path, "measured.mfu");
}

/* "90 %" of a share is 0.9. */
static double
as_share (ShardwiseAskReader *self, const char *path, double value, guint end)
{
  if (!is_percent_key (path))
    return value;
  if (shardwise_ask_is_word (self, end, "%"))
    shardwise_ask_use (self, end, 1, SHARDWISE_ASK_UNIT);
  return value > 1 ? value / 100 : value;
}

/* A batch in tokens, as sequences. */
static double
as_sequences (ShardwiseAskReader *self, const char *path, double value, guint end)
{
  double sequence;

  if (!g_str_equal (path, "training.global_batch_size")
      || !shardwise_ask_is_mark (self, end, "tokens") || self->scenario == NULL)
    return value;
  sequence = shardwise_scenario_get_number (self->scenario, "training.sequence_length", 4096);
  shardwise_ask_use (self, end, 1, SHARDWISE_ASK_UNIT);
  return MAX (1, floor (value / sequence));
}

static void
use_number (ShardwiseAskReader *self, const char *path, guint at, guint length, double value,
            double grouped, double scale)
{
  guint end = at + length;
  double share = as_share (self, path, value, end),
         sequences = as_sequences (self, path, value * scale, end);

  shardwise_ask_use (self, at, length, SHARDWISE_ASK_UNIT);
  if (share != value)
    shardwise_ask_add_number (self, path, share, NAN, at);
  else if (sequences != value * scale)
    shardwise_ask_add_number (self, path, sequences, NAN, at);
  else
    add_scaled (self, path, value, grouped, scale, at);
}

/* Thousands are of counts, millions and more of tokens alone: "TP for a 13B" names no TP. */
static gboolean
accepts_scale (const char *path, double scale)
{
  static const char *const large[] = { "training.tokens", "training.sequence_length",
                                       "training.global_batch_size", "budget", NULL };
  static const char *const counts[] = {
    "cluster.gpus", "nodes", "hours", "measured.tokens_per_s", "measured.tokens_per_s_per_gpu", NULL
  };

  return scale == 1 || g_strv_contains (large, path)
         || (scale <= 1e3 && g_strv_contains (counts, path));
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

/* The "from 32 to" before the number at @at is no number of its own. */
static void
use_from (ShardwiseAskReader *self, guint at)
{
  double value, grouped, scale;
  guint length;

  if (at == 0 || !shardwise_ask_is_mark (self, at - 1, "to"))
    return;
  length = shardwise_ask_number_before (self, at - 1, &value, &grouped, &scale);
  if (length > 0 && at > length + 1 && shardwise_ask_is_mark (self, at - length - 2, "from"))
    shardwise_ask_use (self, at - length - 1, length, SHARDWISE_ASK_UNIT);
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
  use_from (self, before - length);
  use_number (self, path, before - length, length, value, grouped, scale);
  if (g_str_equal (path, "cluster.gpus"))
    shardwise_ask_read_nodes (self, before - length);
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

  return key == NULL || key->kind == SHARDWISE_KEY_INTEGER || key->kind == SHARDWISE_KEY_NUMBER;
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
      if (g_str_equal (key->target, "nodes"))
        {
          /* "Twice the nodes" are twice the GPUs. */
          double factor = factor_before (self, at);

          if (factor > 0)
            shardwise_ask_add_slot (self, "cluster.gpus", NULL, at)->factor = factor;
        }
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
  GVariant *variant;

  shardwise_ask_use (self, at, length, SHARDWISE_ASK_VALUE);
  if (key->kind == SHARDWISE_KEY_BOOLEAN)
    variant = g_variant_new_boolean (g_str_equal (value->value, "true"));
  else if (key->kind == SHARDWISE_KEY_INTEGER || key->kind == SHARDWISE_KEY_NUMBER)
    {
      shardwise_ask_add_number (self, value->target, g_ascii_strtod (value->value, NULL), NAN, at);
      return;
    }
  else
    variant = g_variant_new_string (value->value);
  shardwise_ask_add_slot (self, value->target, variant, at);
  if (g_str_equal (value->target, "cluster.inter_node"))
    {
      /* "400G RoCE": the rate stands before the network, in Gbit/s. */
      if (at < 2 || !shardwise_ask_is_word (self, at - 1, "g")
          || !shardwise_ask_is_free (self, at - 1))
        return;
      if (number_before (self, "gbit", at - 1, TRUE))
        shardwise_ask_use (self, at - 1, 1, SHARDWISE_ASK_UNIT);
    }
}

static void
read_phrase (ShardwiseAskReader *self, guint at)
{
  static const ShardwiseAskKind kinds[] = { SHARDWISE_ASK_VALUE, SHARDWISE_ASK_KEY,
                                            SHARDWISE_ASK_UNIT };
  const ShardwiseAskPhrase *best = NULL;
  guint length = 0;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      guint found;
      const ShardwiseAskPhrase *phrase = shardwise_ask_match_any (self, kinds[i], at, &found);

      if (phrase != NULL && found > length)
        {
          best = phrase;
          length = found;
        }
    }
  if (best == NULL)
    return;
  if (best->kind == SHARDWISE_ASK_VALUE)
    read_value (self, best, at, length);
  else
    read_key (self, best, at, length);
}

/* ---- sizes, tokens, memory, money ---- */

/* "70B", "350M parameters", "1T model"; tokens where tokens follow. */
static gboolean
read_size (ShardwiseAskReader *self, guint at)
{
  double value, grouped, scale;
  guint length = shardwise_ask_number (self, at, &value, &grouped, &scale);
  gboolean is_model = shardwise_ask_is_mark (self, at + length, "parameters"),
           is_tokens = shardwise_ask_is_mark (self, at + length, "tokens"),
           has_model = shardwise_question_find (self->question, "model.preset", 0) != NULL;
  double total = value * scale;

  if (length == 0 || (scale == 1 && !is_tokens))
    return FALSE;
  if (is_tokens && total < TOKENS_LEAST)
    use_number (self, "training.sequence_length", at, length, value, grouped, scale);
  else if (is_tokens || (scale == 1e12 && !is_model) || (scale == 1e9 && has_model && !is_model))
    use_number (self, "training.tokens", at, length, value, grouped, scale);
  else if (scale == 1e9 || is_model)
    use_number (self, "model.parameters_b", at, length, total / 1e9, NAN, 1);
  else
    return FALSE;
  if (is_tokens || is_model)
    shardwise_ask_use (self, at + length, 1, SHARDWISE_ASK_UNIT);
  return TRUE;
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
    shardwise_ask_add_number (self, "cost.price", value * scale, grouped * scale, at);
  if (is_euro)
    shardwise_ask_add_slot (self, "cost.currency", g_variant_new_string ("EUR"), at);
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

/* "24GB" is of the GPU, "2 TB RAM" of the host. */
static gboolean
read_memory (ShardwiseAskReader *self, guint at)
{
  double value, grouped, scale;
  guint length = shardwise_ask_number (self, at, &value, &grouped, &scale), end = at + length;
  gboolean is_tera = shardwise_ask_is_word (self, end, "tb");

  if (length == 0 || shardwise_ask_is_word (self, end + 1, "/")
      || (!is_tera && !shardwise_ask_is_mark (self, end, "gigabyte")))
    return FALSE;
  shardwise_ask_use (self, at, length + 1, SHARDWISE_ASK_UNIT);
  if (!is_tera && is_amount (self, at, end + 1, value))
    return TRUE;
  if (is_tera || shardwise_ask_is_mark (self, end + 1, "host"))
    shardwise_ask_add_number (self, "cluster.host_ram_gb", value * (is_tera ? 1000 : 1), NAN, at);
  else
    shardwise_ask_add_number (self, "cluster.gpu_memory_gb", value, NAN, at);
  number_before (self, "cluster.gpus", at, TRUE);
  return TRUE;
}

/* ---- all ---- */

static gboolean
is_closed (const ShardwiseAskReader *self, guint at)
{
  return !shardwise_ask_is_free (self, at);
}

/**
 * shardwise_ask_read_keys:
 * @self: a reader whose names are read; gets slots for keys and values
 */
void
shardwise_ask_read_keys (ShardwiseAskReader *self)
{
  for (guint i = 0; i < self->atoms->len; i++)
    if (!is_closed (self, i) && !read_money (self, i) && !read_memory (self, i))
      continue;
  for (guint i = 0; i < self->atoms->len; i++)
    if (!is_closed (self, i))
      read_phrase (self, i);
  for (guint i = 0; i < self->atoms->len; i++)
    if (!is_closed (self, i))
      read_size (self, i);
}

static gboolean
accepts_number (const char *path, double value)
{
  const ShardwiseKey *key = shardwise_key_find (path);
  g_autoptr (GVariant) number = g_variant_ref_sink (g_variant_new_double (value)), normal = NULL;

  if (key == NULL)
    return TRUE;
  normal = shardwise_key_normalise (key, number, NULL);
  return normal != NULL;
}

/* Whether the nameless number before @end is held against a named one ("rather than 8", "2, 4 or
 * 8"); any may be in a short question, but not what a long one counts besides ("after 20 steps").
 */
static gboolean
is_of_path (const ShardwiseAskReader *self, const char *path, guint at, guint end, double value,
            double scale)
{
  static const char *const marks[] = { "instead", "over", "versus", "or", "follow", "to", "from" };

  if (has_other_unit (self, path, end))
    return FALSE;
  if (self->atoms->len <= FEW || (is_sequence (path) && scale > 1))
    return TRUE;
  if (!accepts_number (path, value * scale) || at == 0)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    if (shardwise_ask_is_mark (self, at - 1, marks[i]))
      return TRUE;
  return shardwise_ask_atom (self->atoms, at - 1)->is_number
         || shardwise_ask_is_mark (self, end, "or");
}

/**
 * shardwise_ask_take_numbers:
 * @self: a reader
 * @path: key path that numbers without a name are of: "rather than 8", "and with 64?"
 */
void
shardwise_ask_take_numbers (ShardwiseAskReader *self, const char *path)
{
  double value, grouped, scale;
  guint length;

  for (guint i = 0; i < self->atoms->len; i++)
    if (shardwise_ask_is_free (self, i) && shardwise_ask_atom (self->atoms, i)->is_number
        && (length = shardwise_ask_number (self, i, &value, &grouped, &scale)) > 0
        && is_of_path (self, path, i, i + length, value, scale))
      use_number (self, path, i, length, value, grouped, scale);
}
