/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models and GPUs of the catalogue as people call them. */
#include "shardwise-ask-private.h"

#include <math.h>
#include <string.h>

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

/* How well an atom is the word of a name: "3" is nearly "3.1". */
static double
likeness_of_word (const ShardwiseAskReader *self, guint at, const char *word)
{
  const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, at);
  gsize length = strlen (atom->text);

  if (g_str_equal (atom->text, word))
    return 10;
  if (atom->is_number && strncmp (atom->text, word, length) == 0 && word[length] == '.')
    return 5;
  return 0;
}

/* A number before "b" is a size only where "b" follows it in the question, too. */
static gboolean
is_cut_off (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, guint word, guint at)
{
  const char *next = word_of (phrase, word + 1);

  return (g_str_equal (next, "b") || g_str_equal (next, "m") || g_str_equal (next, "x"))
         && g_ascii_isdigit (*word_of (phrase, word))
         && !shardwise_ask_is_word (self, at + 1, next);
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
      guint next = word;
      double score = 0;

      while (next < phrase->words->len
             && ((score = likeness_of_word (self, i, word_of (phrase, next))) <= 0
                 || is_cut_off (self, phrase, next, i)))
        {
          next++;
          score = 0;
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
static const ShardwiseAskPhrase *
find_model (const ShardwiseAskReader *self, guint at, guint *length)
{
  GPtrArray *phrases = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_MODEL);
  const ShardwiseAskPhrase *best = NULL;
  double score = 0;

  *length = 0;
  for (guint i = 0; i < phrases->len; i++)
    {
      const ShardwiseAskPhrase *phrase = g_ptr_array_index (phrases, i);
      Likeness found = likeness (self, phrase, at);
      gboolean is_whole = found.matched == phrase->words->len;

      if ((found.matched < 2 && !is_whole) || found.score < score)
        continue;
      score = found.score;
      *length = found.length;
      best = phrase;
    }
  return best;
}

static gboolean
read_model (ShardwiseAskReader *self, guint at)
{
  guint length;
  const ShardwiseAskPhrase *model;

  if (shardwise_ask_atom (self->atoms, at)->is_number)
    return FALSE;
  model = find_model (self, at, &length);
  if (model == NULL)
    return FALSE;
  shardwise_ask_add_slot (self, model->target, g_variant_new_string (model->value), at);
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

/* "4 8xH100 nodes": the nodes stand before the count of GPUs at @at. */
static void
read_nodes_of (ShardwiseAskReader *self, guint at, guint end)
{
  double value, grouped, scale;
  guint length;

  if (shardwise_ask_read_nodes (self, at) || !are_nodes (self, end, 1))
    return;
  length = shardwise_ask_number_before (self, at, &value, &grouped, &scale);
  if (length > 0)
    use_count (self, "nodes", at - length, length, value * scale, grouped * scale);
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
      gboolean nodes = !times && are_nodes (self, end, value * scale);

      use_count (self, nodes ? "nodes" : "cluster.gpus", before - length, at - before + length,
                 value * scale, grouped * scale);
      if (nodes)
        shardwise_ask_use (self, end, 1, SHARDWISE_ASK_UNIT);
      else
        read_nodes_of (self, before - length, end);
      return;
    }
  if (!shardwise_ask_is_word (self, end, "x"))
    return;
  length = shardwise_ask_number (self, end + 1, &value, &grouped, &scale);
  if (length > 0)
    use_count (self, "cluster.gpus", end, length + 1, value * scale, grouped * scale);
}

static gboolean
read_gpu (ShardwiseAskReader *self, guint at)
{
  guint length;
  const ShardwiseAskPhrase *gpu = shardwise_ask_match_any (self, SHARDWISE_ASK_GPU, at, &length);

  if (gpu == NULL)
    return FALSE;
  shardwise_ask_add_slot (self, gpu->target, g_variant_new_string (gpu->value), at);
  if (shardwise_ask_is_word (self, at + length, "s"))
    length++;
  shardwise_ask_use (self, at, length, SHARDWISE_ASK_GPU);
  read_count (self, at, at + length);
  return TRUE;
}

static void
read_unknown_gpu (ShardwiseAskReader *self, guint at)
{
  guint length;
  const ShardwiseAskPhrase *gpu = shardwise_ask_match_any (self, SHARDWISE_ASK_UNKNOWN_GPU, at,
                                                           &length);

  if (gpu == NULL || self->question->unknown_gpu != NULL)
    return;
  self->question->unknown_gpu = g_strdup (gpu->target);
  shardwise_ask_use (self, at, length, SHARDWISE_ASK_GPU);
  read_count (self, at, at + length);
}

/**
 * shardwise_ask_read_names:
 * @self: a reader; gets slots for the models and GPUs that are named, and the counts beside them
 */
void
shardwise_ask_read_names (ShardwiseAskReader *self)
{
  for (guint i = 0; i < self->atoms->len; i++)
    if (shardwise_ask_is_free (self, i) && !read_gpu (self, i) && !read_model (self, i))
      read_unknown_gpu (self, i);
}
