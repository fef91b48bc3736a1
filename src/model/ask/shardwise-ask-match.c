/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the text of a question to atoms; then phrases of the tables and numbers with their scale,
 * found among the atoms. */
#include "shardwise-ask-match.h"

#include <math.h>
#include <string.h>

enum {
  MOST_BYTES = 2000, /* what is longer is no question; the rest is not read */
  MOST_ATOMS = 300,
  MOST_LETTERS = 40, /* of words that are held against others */
  LONGEST_GAP = 9    /* atoms that "*" may stand for */
};

/* ---- folding ---- */

/* Lower case, compatibility forms as plain ones, umlauts as two letters, other accents dropped. */
static char *
fold (const char *text)
{
  g_autofree char *cut = g_strndup (text, MOST_BYTES), *valid = g_utf8_make_valid (cut, -1),
                  *composed = g_utf8_normalize (valid, -1, G_NORMALIZE_ALL_COMPOSE),
                  *lower = g_utf8_strdown (composed, -1);
  GString *out = g_string_new (NULL);

  for (const char *p = lower; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p), base[4];

      switch (c)
        {
        case 0xe4: g_string_append (out, "ae"); break;
        case 0xf6: g_string_append (out, "oe"); break;
        case 0xfc: g_string_append (out, "ue"); break;
        case 0xdf: g_string_append (out, "ss"); break;
        case 0x3bc: /* the sign of micro, normalised */ g_string_append (out, "micro"); break;
        case 0xd7: g_string_append (out, "x"); break;
        case '\'': /* "don't" is a word */
        case 0x2019:
        case 0x2018:
        case '`': break;
        default:
          if (g_unichar_fully_decompose (c, FALSE, base, G_N_ELEMENTS (base)) > 1
              && g_unichar_isalpha (base[0]))
            c = base[0];
          g_string_append_unichar (out, c);
        }
    }
  return g_string_free (out, FALSE);
}

/* ---- numbers ---- */

static const char *
skip_digits (const char *p)
{
  while (g_ascii_isdigit (*p))
    p++;
  return p;
}

/* The end of "16.384", "1,5", "1e12" and "2^20" that begins at @p. */
static const char *
number_end (const char *p)
{
  p = skip_digits (p);
  while ((*p == '.' || *p == ',') && g_ascii_isdigit (p[1]))
    p = skip_digits (p + 1);
  if (*p == 'e'
      && (g_ascii_isdigit (p[1])
          || (strchr ("+-", p[1]) && p[1] != '\0' && g_ascii_isdigit (p[2]))))
    return skip_digits (p + 2);
  if (*p == '^' && g_ascii_isdigit (p[1]))
    return skip_digits (p + 1);
  /* "10:1" and "3/4/5" are one thing each, and no number. */
  while ((*p == ':' || *p == '/') && g_ascii_isdigit (p[1]))
    p = skip_digits (p + 1);
  return p;
}

/* The end of "16 384" whose first digits stand from @p to @end. What people count GPUs in ends no
 * larger power of two: "64 128" is two numbers; so is "3 405 B", a version and a size. */
static const char *
groups_end (const char *p, const char *end)
{
  if (end - p > 3 || skip_digits (p) != end || *p == '0')
    return end;
  while (*end == ' ' && skip_digits (end + 1) == end + 4)
    {
      const char *next = end + 4;

      if (g_ascii_isalnum (*next) || g_str_has_prefix (next, " b")
          || (*next != '\0' && g_ascii_isdigit (next[1]) && *next != ' ')
          || g_str_has_prefix (end, " 128") || g_str_has_prefix (end, " 256")
          || g_str_has_prefix (end, " 512"))
        break;
      end = next;
    }
  return end;
}

/* Whether each separator is followed by exactly three digits, and all are alike. */
static gboolean
parts_thousands (const char *text)
{
  const char *first = strpbrk (text, ".,"), *p = first;

  if (first == NULL || first - text > 3 || *text == '0')
    return FALSE;
  while (*p == *first)
    {
      const char *end = skip_digits (p + 1);

      if (end - p != 4)
        return FALSE;
      p = end;
    }
  return *p == '\0';
}

/* The digits of @text, with a point where @decimal is; %NULL: none. */
static double
digits_with_point (const char *text, const char *decimal)
{
  GString *digits = g_string_new (NULL);
  double value;

  for (const char *p = text; *p != '\0'; p++)
    if (p == decimal)
      g_string_append_c (digits, '.');
    else if (*p != '.' && *p != ',')
      g_string_append_c (digits, *p);
  value = g_ascii_strtod (digits->str, NULL);
  g_string_free (digits, TRUE);
  return value;
}

static void
read_number (ShardwiseAskAtom *atom)
{
  const char *power = strchr (atom->text, '^');

  atom->is_number = TRUE;
  atom->grouped = NAN;
  if (power != NULL)
    atom->value = pow (g_ascii_strtod (atom->text, NULL), g_ascii_strtod (power + 1, NULL));
  else
    {
      const char *point = strrchr (atom->text, '.'), *comma = strrchr (atom->text, ',');

      atom->value = digits_with_point (atom->text, point > comma ? point : comma);
    }
  if (power == NULL && parts_thousands (atom->text))
    {
      const char *first = strpbrk (atom->text, ".,");

      atom->grouped = digits_with_point (atom->text, NULL);
      if (*first == ',' || strchr (first + 1, *first) != NULL)
        atom->value = atom->grouped;
    }
  if (!isfinite (atom->value))
    atom->value = 0;
}

/* ---- atoms ---- */

static void
atom_clear (gpointer data)
{
  g_free (((ShardwiseAskAtom *) data)->text);
}

static void
end_sentence (GArray *atoms, guint first, gboolean asked)
{
  if (first < atoms->len)
    g_array_index (atoms, ShardwiseAskAtom, first).begins = TRUE;
  for (guint i = first; i < atoms->len; i++)
    g_array_index (atoms, ShardwiseAskAtom, i).asked = asked;
}

/**
 * shardwise_ask_atoms:
 * @text: a question, any text
 *
 * Returns: (transfer full) (element-type ShardwiseAskAtom): its words, numbers and signs
 */
GArray *
shardwise_ask_atoms (const char *text)
{
  g_autofree char *folded = fold (text);
  GArray *atoms = g_array_new (FALSE, TRUE, sizeof (ShardwiseAskAtom));
  const char *p = folded, *last = NULL;
  guint first = 0;

  g_array_set_clear_func (atoms, atom_clear);
  while (*p != '\0' && atoms->len < MOST_ATOMS)
    {
      ShardwiseAskAtom atom = { .glued = p == last, .value = NAN, .grouped = NAN };
      const char *end = g_utf8_next_char (p);
      gunichar c = g_utf8_get_char (p);
      gboolean is_times = *p == 'x' && p > folded && g_ascii_isdigit (p[-1]); /* of "8xH100" */
      GString *word;

      if (g_ascii_isdigit (*p))
        end = p == last ? number_end (p) : groups_end (p, number_end (p));
      else if (g_unichar_isalpha (c) && !is_times)
        while (*end != '\0' && g_unichar_isalpha (g_utf8_get_char (end)))
          end = g_utf8_next_char (end);
      else if (!(c == '%' || c == '$' || c == '=' || c == '/' || c == '+' || c == '<' || c == '>'
                 || c == 0x20ac || c == 0x2192)
               && !is_times)
        {
          /* Whether a sentence ends at @p: a stop with a space after it, or the end of a line. */
          if ((*p == '\n' || *p == '?' || *p == '!' || *p == ';'
               || ((*p == '.' || *p == ':') && (p[1] == '\0' || g_ascii_isspace (p[1]))))
              && first < atoms->len)
            {
              end_sentence (atoms, first, *p == '?');
              first = atoms->len;
            }
          p = end;
          continue;
        }
      word = g_string_new_len (p, end - p);
      g_string_replace (word, " ", "", 0); /* of "16 384" */
      atom.text = g_string_free (word, FALSE);
      if (g_ascii_isdigit (*p) && strpbrk (atom.text, ":/") == NULL)
        read_number (&atom);
      g_array_append_val (atoms, atom);
      p = last = end;
    }
  end_sentence (atoms, first, FALSE);
  return atoms;
}

/**
 * shardwise_ask_atom:
 * @atoms: of shardwise_ask_atoms()
 * @index: any number
 *
 * Returns: (transfer none) (nullable): the atom, or %NULL beyond the end
 */
const ShardwiseAskAtom *
shardwise_ask_atom (GArray *atoms, guint index)
{
  return index < atoms->len ? &g_array_index (atoms, ShardwiseAskAtom, index) : NULL;
}

/**
 * shardwise_ask_atom_replace:
 * @atoms: of shardwise_ask_atoms()
 * @index: of a word
 * @text: how it is spelt
 */
void
shardwise_ask_atom_replace (GArray *atoms, guint index, const char *text)
{
  ShardwiseAskAtom *atom = &g_array_index (atoms, ShardwiseAskAtom, index);

  g_free (atom->text);
  atom->text = g_strdup (text);
}

/* ---- spelling ---- */

/**
 * shardwise_ask_distance:
 * @a: a folded word
 * @b: another
 * @most: what is farther need not be told apart
 *
 * Returns: how many letters differ, are missing, or are over, two that changed places counting
 *   once (optimal string alignment); @most + 1 where it is more
 */
guint
shardwise_ask_distance (const char *a, const char *b, guint most)
{
  guint rows[3][MOST_LETTERS + 1];
  gsize n = strlen (a), m = strlen (b);

  if (n > MOST_LETTERS || m > MOST_LETTERS || MAX (n, m) - MIN (n, m) > most)
    return most + 1;
  for (guint j = 0; j <= m; j++)
    rows[0][j] = j;
  for (guint i = 1; i <= n; i++)
    {
      guint *now = rows[i % 3], *before = rows[(i - 1) % 3], *earlier = rows[(i + 1) % 3];

      now[0] = i;
      for (guint j = 1; j <= m; j++)
        {
          now[j] = MIN (MIN (before[j], now[j - 1]) + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
          if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            now[j] = MIN (now[j], earlier[j - 2] + 1);
        }
    }
  return MIN (rows[n % 3][m], most + 1);
}

/* Phrases of the tables and numbers with their scale, found among the atoms. */

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

/* Whether the number at @at stands apart from a letter before it: "a 30B" names no A30. */
static gboolean
follows_letter (const ShardwiseAskReader *self, guint at)
{
  const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, at);

  return at > 0 && atom->is_number && !atom->glued
         && strlen (shardwise_ask_atom (self->atoms, at - 1)->text) == 1;
}

/* Whether what stands from @at to @end is the whole of its word: neither "A10" of "A100" and "80B-A10B"
 * nor the "B100" of "AB100"; "8xA100s" is. */
static gboolean
is_whole (const ShardwiseAskReader *self, guint at, guint end)
{
  static const char *const beside[] = { "x", "s", "g", "gb", "gib", "sxm", "pcie", NULL };
  const ShardwiseAskAtom *first = shardwise_ask_atom (self->atoms, at),
                         *next = shardwise_ask_atom (self->atoms, end);

  return !(first->glued && at > 0
           && !g_str_equal (shardwise_ask_atom (self->atoms, at - 1)->text, "x"))
         && !(next != NULL && next->glued && !g_strv_contains (beside, next->text)
              && g_unichar_isalnum (g_utf8_get_char (next->text)));
}

static guint
match_from (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, guint word, guint at)
{
  const char *text, *atom;
  gsize length;
  guint8 kind;

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
  if (word > 0 && phrase->kind == SHARDWISE_ASK_GPU && follows_letter (self, at))
    return 0;
  kind = self->used[at];
  if (*text == '<' && text[1] != '\0')
    {
      guint end = at + 1;

      if (g_str_equal (text, "<gpu>")     ? kind != SHARDWISE_ASK_GPU
          : g_str_equal (text, "<model>") ? kind != SHARDWISE_ASK_MODEL
                                          : !shardwise_ask_atom (self->atoms, at)->is_number)
        return 0;
      /* A name is many atoms. */
      if (kind == SHARDWISE_ASK_GPU || kind == SHARDWISE_ASK_MODEL)
        while (end < self->atoms->len && self->used[end] == kind)
          end++;
      return match_from (self, phrase, word + 1, end);
    }
  /* Whether the atom is one of those that the text parts by "|", or begins as one before "~". */
  atom = shardwise_ask_atom (self->atoms, at)->text;
  length = strlen (atom);
  for (const char *p = text; p != NULL; p = strchr (p, '|'))
    {
      gsize known;

      p += *p == '|' ? 1 : 0;
      known = strcspn (p, "|~");
      if ((p[known] == '~' ? known <= length : known == length) && strncmp (p, atom, known) == 0)
        return match_from (self, phrase, word + 1, at + 1);
    }
  return 0;
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
  gboolean is_name = phrase->kind == SHARDWISE_ASK_GPU || phrase->kind == SHARDWISE_ASK_UNKNOWN_GPU;

  return end > at && (!is_name || is_whole (self, at, end)) ? end - at : 0;
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

/**
 * shardwise_ask_number:
 * @self: a reader
 * @at: an atom
 *
 * Returns: the number of free atoms that begins there
 */
ShardwiseAskNumber
shardwise_ask_number (const ShardwiseAskReader *self, guint at)
{
  const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, at);
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

/**
 * shardwise_ask_leave_out:
 * @at: the first atom of what is not used
 * @length: atoms of it
 * @why: why not, translated
 */
void
shardwise_ask_leave_out (ShardwiseAskReader *self, guint at, guint length, const char *why)
{
  ShardwiseAskLeftOut *left = g_new0 (ShardwiseAskLeftOut, 1);
  GString *words = g_string_new (NULL);

  for (guint i = at; i < at + length && i < self->atoms->len; i++)
    {
      const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, i);

      g_string_append_printf (words, "%s%s", i > at && !atom->glued ? " " : "", atom->text);
    }
  left->words = g_string_free (words, FALSE);
  left->why = g_strdup (why);
  g_ptr_array_add (self->question->left_out, left);
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
  slot->key = shardwise_key_find (path) != NULL ? shardwise_key_find (path)->id
                                                : SHARDWISE_KEY_NONE;
  slot->value = value != NULL ? g_variant_ref_sink (value) : NULL;
  slot->at = at;
  g_ptr_array_add (self->question->slots, slot);
  return slot;
}

/**
 * shardwise_ask_add_number:
 * @path: key path of a number
 * @value: it
 * @grouped: its other reading, or NAN: taken where the key wants whole numbers
 * @at: its place
 *
 * Returns: (transfer none) (nullable): the slot; %NULL where the key does not accept the number,
 *   which is then left out
 */
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
  shardwise_ask_leave_out (self, at, 1, error->message);
  return NULL;
}
