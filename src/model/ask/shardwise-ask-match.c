/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Phrases of the tables and numbers with their scale, found among the atoms of a question. */
#include "shardwise-ask-match.h"

#include <math.h>
#include <string.h>

enum { LONGEST_GAP = 9 /* atoms that "*" may stand for */ };

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
  const ShardwiseAtom *atom = shardwise_atom (self->atoms, at);

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

/* Whether the number at @at stands apart from a letter before it: "a 30B" names no A30. */
static gboolean
follows_letter (const ShardwiseAskReader *self, guint at)
{
  const ShardwiseAtom *atom = shardwise_atom (self->atoms, at);

  return at > 0 && atom->is_number && !atom->glued
         && strlen (shardwise_atom (self->atoms, at - 1)->text) == 1;
}

/* Whether @at to @end is a whole word: not "A10" in "A100"; "8xA100s" is. */
static gboolean
is_whole (const ShardwiseAskReader *self, guint at, guint end)
{
  static const char *const beside[] = { "x", "s", "g", "gb", "gib", "sxm", "pcie", NULL };
  const ShardwiseAtom *first = shardwise_atom (self->atoms, at),
                      *next = shardwise_atom (self->atoms, end);

  return !(first->glued && at > 0 && !g_str_equal (shardwise_atom (self->atoms, at - 1)->text, "x")
           && g_unichar_isalnum (g_utf8_get_char (shardwise_atom (self->atoms, at - 1)->text)))
         && !(next != NULL && next->glued && !g_strv_contains (beside, next->text)
              && g_unichar_isalnum (g_utf8_get_char (next->text)));
}

/* The end of the phrase whose @word-th word is at @at, or 0. @words: (nullable): set for each of its words. */
static guint
match_from (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, guint word, guint at,
            guint8 *words)
{
  const char *text, *atom;
  gsize length;

  if (word == phrase->words->len)
    return at;
  text = g_ptr_array_index (phrase->words, word);
  if (g_str_equal (text, "*"))
    {
      for (guint gap = 0; gap <= LONGEST_GAP && at + gap < self->atoms->len; gap++)
        {
          guint end = match_from (self, phrase, word + 1, at + gap, words);

          if (end > 0)
            return end;
        }
      return 0;
    }
  if (at >= self->atoms->len)
    return 0;
  if (word > 0 && phrase->kind == SHARDWISE_ASK_GPU && follows_letter (self, at))
    return 0;
  /* Whether the atom is one of those that the text parts by "|", or begins as one before "~". */
  atom = shardwise_atom (self->atoms, at)->text;
  length = strlen (atom);
  for (const char *p = text; p != NULL; p = strchr (p, '|'))
    {
      gsize known;

      p += *p == '|' ? 1 : 0;
      known = strcspn (p, "|~");
      if ((p[known] == '~' ? known <= length : known == length) && strncmp (p, atom, known) == 0)
        {
          const guint end = match_from (self, phrase, word + 1, at + 1, words);

          if (end > 0 && words != NULL)
            words[at] = TRUE;
          return end;
        }
    }
  return 0;
}

/* Returns the number of atoms from @at that @phrase matches; 0: none. */
guint
shardwise_ask_match (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, guint at)
{
  guint end = match_from (self, phrase, 0, at, NULL);
  gboolean is_name = phrase->kind == SHARDWISE_ASK_GPU || phrase->kind == SHARDWISE_ASK_UNKNOWN_GPU;

  /* "ZeRO++" is no ZeRO. */
  if (end > at && shardwise_ask_is_word (self, end, "+") && shardwise_atom (self->atoms, end)->glued
      && shardwise_ask_is_word (self, end + 1, "+"))
    return 0;
  return end > at && (!is_name || is_whole (self, at, end)) ? end - at : 0;
}

/* @phrase: that stands at @at; @words: becomes TRUE at each atom that is a word of it. */
void
shardwise_ask_note (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, guint at,
                    guint8 *words)
{
  match_from (self, phrase, 0, at, words);
}

/* Returns (transfer none) (nullable): the longest phrase of free atoms at @at; @length: (out): its atoms. */
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

/* @self: a reader; @at: an atom. Returns: the number of free atoms that begins there. */
ShardwiseAskNumber
shardwise_ask_number (const ShardwiseAskReader *self, guint at)
{
  const ShardwiseAtom *atom = shardwise_atom (self->atoms, at);
  ShardwiseAskNumber out = { .length = 1, .grouped = NAN, .scale = 1 };
  const ShardwiseAskPhrase *phrase;
  guint more;

  if (atom == NULL || !shardwise_ask_is_free (self, at))
    return (ShardwiseAskNumber){ 0 };
  if (atom->is_number)
    {
      out.value = atom->value;
      out.grouped = atom->grouped;
    }
  else
    {
      phrase = shardwise_ask_match_any (self, SHARDWISE_ASK_NUMBER, at, &out.length);
      if (phrase == NULL)
        return (ShardwiseAskNumber){ 0 };
      out.value = phrase->number;
    }
  phrase = shardwise_ask_match_any (self, SHARDWISE_ASK_SCALE, at + out.length, &more);
  if (phrase != NULL)
    {
      out.scale = phrase->number;
      /* "billion" is a thousand times as much in German. */
      if (self->question->german && shardwise_ask_is_word (self, at + out.length, "billion"))
        out.scale *= 1e3;
      out.length += more;
    }
  return out;
}

/* The number of free atoms that ends before @at. */
ShardwiseAskNumber
shardwise_ask_number_before (const ShardwiseAskReader *self, guint at)
{
  for (guint back = MIN (at, 4); back > 0; back--)
    {
      const ShardwiseAskNumber found = shardwise_ask_number (self, at - back);

      if (found.length == back)
        return found;
    }
  return (ShardwiseAskNumber){ 0 };
}

/* ---- slots ---- */

/* Records @length unused atoms at @at and the translated reason @why. Returns (transfer none): the record. */
ShardwiseAskLeftOut *
shardwise_ask_leave_out (ShardwiseAskReader *self, guint at, guint length, const char *why)
{
  ShardwiseAskLeftOut *left = g_atomic_rc_box_new0 (ShardwiseAskLeftOut);
  GString *words = g_string_new (NULL);

  for (guint i = at; i < at + length && i < self->atoms->len; i++)
    {
      const ShardwiseAtom *atom = shardwise_atom (self->atoms, i);

      g_string_append_printf (words, "%s%s", i > at && !atom->glued ? " " : "", atom->text);
    }
  left->words = g_string_free (words, FALSE);
  left->why = g_strdup (why);
  left->at = at;
  g_ptr_array_add (self->question->left_out, left);
  return left;
}

/* A slot that a question may take over; (nullable) @value, which sinks. */
ShardwiseAskSlot *
shardwise_ask_slot_new (const char *path, GVariant *value)
{
  ShardwiseAskSlot *slot = g_atomic_rc_box_new0 (ShardwiseAskSlot);
  const ShardwiseKey *key = shardwise_key_find (path);

  slot->path = g_strdup (path);
  slot->key = key != NULL ? key->id : SHARDWISE_KEY_NONE;
  slot->value = value != NULL ? g_variant_ref_sink (value) : NULL;
  return slot;
}

/* Adds a slot for @path at atom @at; @value: (nullable): sinks. Returns (transfer none): the slot. */
ShardwiseAskSlot *
shardwise_ask_add_slot (ShardwiseAskReader *self, const char *path, GVariant *value, guint at)
{
  ShardwiseAskSlot *slot = shardwise_ask_slot_new (path, value);

  slot->at = at;
  g_ptr_array_add (self->question->slots, slot);
  return slot;
}

/* Adds a number; @grouped: its reading with thousands, or NAN. Returns %NULL if the key rejects it. */
ShardwiseAskSlot *
shardwise_ask_add_number (ShardwiseAskReader *self, const char *path, double value, double grouped,
                          guint at)
{
  const ShardwiseKey *key = shardwise_key_find (path);
  g_autoptr (GVariant) number = NULL, normal = NULL;
  g_autoptr (GError) error = NULL;

  if (!isnan (grouped)
      && (key != NULL && key->kind == SHARDWISE_KIND_INTEGER ? value != floor (value)
                                                             : self->question->german))
    value = grouped;
  number = g_variant_ref_sink (g_variant_new_double (value));
  if (key == NULL)
    return shardwise_ask_add_slot (self, path, number, at);
  normal = shardwise_key_normalise (key, number, &error);
  if (normal != NULL)
    return shardwise_ask_add_slot (self, path, normal, at);
  shardwise_ask_leave_out (self, at, 1, error->message)->is_figure = TRUE;
  return NULL;
}
