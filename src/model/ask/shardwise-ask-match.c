/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Phrases of the tables and numbers with their scale, found among the atoms. */
#include "shardwise-ask-private.h"

#include <math.h>
#include <string.h>

enum {
  LONGEST_GAP = 9 /* atoms that "*" may stand for */
};

/* Whether no slot uses the word at @at yet. */
gboolean
shardwise_ask_is_free (const ShardwiseAskReader *self, guint at)
{
  return at < self->atoms->len && self->used[at] == SHARDWISE_ASK_N_KINDS;
}

/* Whether the word at @at is @word. */
gboolean
shardwise_ask_is_word (const ShardwiseAskReader *self, guint at, const char *word)
{
  const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, at);

  return atom != NULL && g_str_equal (atom->text, word);
}

/* Notes that @length words from @at on are used for @kind. */
void
shardwise_ask_use (ShardwiseAskReader *self, guint at, guint length, ShardwiseAskKind kind)
{
  for (guint i = at; i < at + length && i < self->atoms->len; i++)
    self->used[i] = (guint8) kind;
}

/* ---- phrases ---- */

static gboolean
matches_class (const ShardwiseAskReader *self, const char *name, guint at)
{
  if (g_str_equal (name, "<gpu>"))
    return self->used[at] == SHARDWISE_ASK_GPU;
  if (g_str_equal (name, "<model>"))
    return self->used[at] == SHARDWISE_ASK_MODEL;
  return shardwise_ask_atom (self->atoms, at)->is_number;
}

/* The atoms after the class that begins at @at: a name is many atoms. */
static guint
class_end (const ShardwiseAskReader *self, guint at)
{
  guint8 kind = self->used[at];
  guint end = at + 1;

  if (kind == SHARDWISE_ASK_GPU || kind == SHARDWISE_ASK_MODEL)
    while (end < self->atoms->len && self->used[end] == kind)
      end++;
  return end;
}

/* Whether @word is one of those that @words parts by "|", or begins as one before "~". */
static gboolean
is_one_of (const char *word, const char *words)
{
  gsize length = strlen (word);

  for (const char *p = words; p != NULL; p = strchr (p, '|'))
    {
      gsize known;

      p += *p == '|' ? 1 : 0;
      known = strcspn (p, "|~");
      if ((p[known] == '~' ? known <= length : known == length) && strncmp (p, word, known) == 0)
        return TRUE;
    }
  return FALSE;
}

static guint
match_from (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, guint word, guint at)
{
  const char *text;

  if (word == phrase->words->len)
    return at;
  text = g_ptr_array_index (phrase->words, word);
  if (g_str_equal (text, "*"))
    {
      for (guint gap = 0; gap <= LONGEST_GAP && at + gap < self->atoms->len; gap++)
        {
          guint end = match_from (self, phrase, word + 1, at + gap);

          if (end > 0)
            return end;
        }
      return 0;
    }
  if (at >= self->atoms->len)
    return 0;
  if (*text == '<' && text[1] != '\0')
    return matches_class (self, text, at)
               ? match_from (self, phrase, word + 1, class_end (self, at))
               : 0;
  return is_one_of (shardwise_ask_atom (self->atoms, at)->text, text)
             ? match_from (self, phrase, word + 1, at + 1)
             : 0;
}

/**
 * shardwise_ask_match:
 * @self: a reader
 * @phrase: of the tables
 * @at: an atom
 *
 * Returns: how many atoms from @at the phrase stands for; 0: it does not stand there
 */
guint
shardwise_ask_match (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, guint at)
{
  guint end = match_from (self, phrase, 0, at);

  return end > at ? end - at : 0;
}

/**
 * shardwise_ask_match_any:
 * @self: a reader
 * @kind: of phrases
 * @at: an atom
 * @length: (out): atoms of the phrase
 *
 * Returns: (transfer none) (nullable): the longest phrase of free atoms from @at on
 */
const ShardwiseAskPhrase *
shardwise_ask_match_any (const ShardwiseAskReader *self, ShardwiseAskKind kind, guint at,
                         guint *length)
{
  GPtrArray *phrases = shardwise_ask_vocabulary_phrases (self->vocabulary, kind);
  const ShardwiseAskPhrase *best = NULL;

  *length = 0;
  for (guint i = 0; i < phrases->len; i++)
    {
      const ShardwiseAskPhrase *phrase = g_ptr_array_index (phrases, i);
      guint found = shardwise_ask_match (self, phrase, at), free = 0;

      while (free < found && shardwise_ask_is_free (self, at + free))
        free++;
      if (found > *length && free == found)
        {
          best = phrase;
          *length = found;
        }
    }
  return best;
}

/* Whether a phrase of the vocabulary that stands for @mark begins at @at. */
gboolean
shardwise_ask_is_mark (const ShardwiseAskReader *self, guint at, const char *mark)
{
  GPtrArray *phrases = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_MARK);

  for (guint i = 0; i < phrases->len; i++)
    {
      const ShardwiseAskPhrase *phrase = g_ptr_array_index (phrases, i);

      if (g_str_equal (phrase->target, mark) && shardwise_ask_match (self, phrase, at) > 0)
        return TRUE;
    }
  return FALSE;
}

/* ---- numbers ---- */

static gboolean
word_number (const ShardwiseAskReader *self, guint at, ShardwiseAskKind kind, double *number,
             guint *length)
{
  const ShardwiseAskPhrase *phrase = shardwise_ask_match_any (self, kind, at, length);

  if (phrase != NULL)
    *number = phrase->number;
  return phrase != NULL;
}

/* "billion" is a thousand times as much in German. */
static double
scale_of (const ShardwiseAskReader *self, guint at, double scale)
{
  return self->question->german && shardwise_ask_is_word (self, at, "billion") ? scale * 1e3
                                                                               : scale;
}

/**
 * shardwise_ask_number:
 * @self: a reader
 * @at: an atom
 * @value: (out): the number
 * @grouped: (out): the same with its points as separators of thousands, or NAN
 * @scale: (out): of both: 1000 after "8k"; 1
 *
 * Returns: how many free atoms the number takes; 0: there is none
 */
guint
shardwise_ask_number (const ShardwiseAskReader *self, guint at, double *value, double *grouped,
                      double *scale)
{
  const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, at);
  guint length = 1, more = 0;

  *grouped = NAN;
  *scale = 1;
  if (atom == NULL || !shardwise_ask_is_free (self, at))
    return 0;
  if (atom->is_number)
    {
      *value = atom->value;
      *grouped = atom->grouped;
    }
  else if (!word_number (self, at, SHARDWISE_ASK_NUMBER, value, &length))
    return 0;
  if (word_number (self, at + length, SHARDWISE_ASK_SCALE, scale, &more))
    *scale = scale_of (self, at + length, *scale);
  return length + more;
}

/**
 * shardwise_ask_number_before:
 * @at: the atom after the number
 *
 * Returns: how many free atoms the number takes that ends before @at; 0: none does
 */
guint
shardwise_ask_number_before (const ShardwiseAskReader *self, guint at, double *value,
                             double *grouped, double *scale)
{
  for (guint back = MIN (at, 4); back > 0; back--)
    if (shardwise_ask_number (self, at - back, value, grouped, scale) == back)
      return back;
  return 0;
}

/* ---- slots ---- */

/**
 * shardwise_ask_read_nodes:
 * @at: the first atom of a number of GPUs
 *
 * Reads the nodes that stand before it, the 4 of "4x8 H100".
 *
 * Returns: whether there are any
 */
gboolean
shardwise_ask_read_nodes (ShardwiseAskReader *self, guint at)
{
  double value, grouped, scale;
  guint length;

  if (at == 0 || !shardwise_ask_is_word (self, at - 1, "x")
      || !shardwise_ask_is_free (self, at - 1))
    return FALSE;
  length = shardwise_ask_number_before (self, at - 1, &value, &grouped, &scale);
  if (length == 0 || scale != 1 || value < 1 || value != floor (value))
    return FALSE;
  shardwise_ask_use (self, at - 1 - length, length + 1, SHARDWISE_ASK_UNIT);
  shardwise_ask_add_number (self, "nodes", value, NAN, at - 1 - length);
  return TRUE;
}

/**
 * shardwise_ask_add_slot:
 * @path: key path
 * @value: (nullable): floating or owned; sinks
 * @at: its place
 *
 * Returns: (transfer none): the slot, which the question owns
 */
ShardwiseAskSlot *
shardwise_ask_add_slot (ShardwiseAskReader *self, const char *path, GVariant *value, guint at)
{
  ShardwiseAskSlot *slot = g_new0 (ShardwiseAskSlot, 1);

  slot->path = g_strdup (path);
  slot->value = value != NULL ? g_variant_ref_sink (value) : NULL;
  slot->at = at;
  g_ptr_array_add (self->question->slots, slot);
  return slot;
}

static gboolean
is_grouped (const ShardwiseAskReader *self, const ShardwiseKey *key, double value, double grouped)
{
  if (isnan (grouped))
    return FALSE;
  if (key != NULL && key->kind == SHARDWISE_KEY_INTEGER)
    return value != floor (value);
  return self->question->german;
}

/**
 * shardwise_ask_add_number:
 * @path: key path of a number
 * @value: it
 * @grouped: its other reading, or NAN: taken where the key wants whole numbers
 * @at: its place
 *
 * Returns: (transfer none) (nullable): the slot; %NULL where the key does not accept the number,
 *   which the question then says
 */
ShardwiseAskSlot *
shardwise_ask_add_number (ShardwiseAskReader *self, const char *path, double value, double grouped,
                          guint at)
{
  const ShardwiseKey *key = shardwise_key_find (path);
  g_autoptr (GVariant) number = NULL, normal = NULL;
  g_autoptr (GError) error = NULL;

  if (is_grouped (self, key, value, grouped))
    value = grouped;
  number = g_variant_ref_sink (g_variant_new_double (value));
  if (key == NULL)
    return shardwise_ask_add_slot (self, path, number, at);
  normal = shardwise_key_normalise (key, number, &error);
  if (normal != NULL)
    return shardwise_ask_add_slot (self, path, normal, at);
  g_free (self->question->wrong);
  self->question->wrong = g_strdup (error->message);
  return NULL;
}
