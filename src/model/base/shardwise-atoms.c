/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts by users, folded and split into words, numbers and symbols; and a search for words in
 * them. */
#include "shardwise-atoms.h"

#include <math.h>
#include <string.h>

enum {
  MOST_BYTES = 2000, /* longer texts are not questions; the rest is ignored */
  MOST_ATOMS = 300,
  DATE_LENGTH = 10,  /* of "2026-12-20" */
  MOST_LETTERS = 40, /* of words to compare with others */
  LEAST_WORD = 4,    /* letters of a word that may have two swapped */
  LONG_ENOUGH = 6,   /* letters of a word that may have one typo */
  LONG_WORD = 9      /* letters of a word that may have two typos */
};

/* ---- folding ---- */

/* Returns: (transfer full): in lower case, compatibility forms as plain ones, umlauts as two
 * letters, without other accents. */
static char *
fold (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1),
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
        case 0x3bc: /* the sign of micro, normalized */ g_string_append (out, "micro"); break;
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

/* The end of a number at @p such as "16.384", "1,5", "1e12" and "2^20". */
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
  /* "10:1" and "3/4/5" are single words, not numbers. */
  while ((*p == ':' || *p == '/') && g_ascii_isdigit (p[1]))
    p = skip_digits (p + 1);
  return p;
}

/* The end of "16 384" with its first digits from @p to @end. Larger powers of two do not end with
 * such groups: "64 128" is two numbers; so is "3 405 B", a version and a size. */
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

/* Whether each separator is followed by exactly three digits, and all separators are equal. */
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
read_number (ShardwiseAtom *atom)
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
  g_free (((ShardwiseAtom *) data)->text);
}

static void
end_sentence (GArray *atoms, guint first, gboolean asked)
{
  if (first < atoms->len)
    g_array_index (atoms, ShardwiseAtom, first).begins = TRUE;
  for (guint i = first; i < atoms->len; i++)
    g_array_index (atoms, ShardwiseAtom, i).asked = asked;
}

/* Notes how words are written in @text, which they are the folded words of, in order. */
static void
note_names (GArray *atoms, const char *text)
{
  for (guint i = 0; i < atoms->len; i++)
    {
      ShardwiseAtom *atom = &g_array_index (atoms, ShardwiseAtom, i);
      const ShardwiseAtom *before = i > 0 ? atom - 1 : NULL,
                          *next = i + 1 < atoms->len ? atom + 1 : NULL;
      const gsize length = strlen (atom->text);
      const char *p = text;

      while (*p != '\0' && g_ascii_strncasecmp (p, atom->text, length) != 0)
        p++;
      atom->named = (atom->glued && before != NULL && before->is_number)
                    || (next != NULL && next->glued
                        && (next->is_number || g_str_equal (next->text, "+")));
      if (*p == '\0')
        continue;
      atom->capital = g_ascii_isupper (*p) && !atom->begins;
      for (gsize k = 1; k < length; k++)
        atom->named = atom->named || g_ascii_isupper (p[k]);
      text = p + length;
    }
}

/* Whether an ISO date begins here: "2026-12-20". */
static gboolean
is_date (const char *p)
{
  const char *form = "0000-00-00";

  for (; *form != '\0'; form++, p++)
    if (*form == '0' ? !g_ascii_isdigit (*p) : *p != *form)
      return FALSE;
  return !g_ascii_isdigit (*p);
}

/**
 * shardwise_atoms:
 * @text: a question, any text
 *
 * Returns: (transfer full) (element-type ShardwiseAtom): its words, numbers and symbols
 */
GArray *
shardwise_atoms (const char *text)
{
  g_autofree char *cut = g_strndup (text, MOST_BYTES), *folded = fold (cut);
  GArray *atoms = g_array_new (FALSE, TRUE, sizeof (ShardwiseAtom));
  const char *p = folded, *last = NULL;
  guint first = 0;

  g_array_set_clear_func (atoms, atom_clear);
  while (*p != '\0' && atoms->len < MOST_ATOMS)
    {
      ShardwiseAtom atom = { .glued = p == last, .value = NAN, .grouped = NAN };
      const char *end = g_utf8_next_char (p);
      gunichar c = g_utf8_get_char (p);
      gboolean is_times = *p == 'x' && p > folded && g_ascii_isdigit (p[-1]); /* of "8xH100" */
      GString *word;

      if (is_date (p))
        end = p + DATE_LENGTH;
      else if (g_ascii_isdigit (*p))
        end = p == last ? number_end (p) : groups_end (p, number_end (p));
      else if (g_unichar_isalpha (c) && !is_times)
        while (*end != '\0' && g_unichar_isalpha (g_utf8_get_char (end)))
          end = g_utf8_next_char (end);
      else if (!(c == '%' || c == '$' || c == '=' || c == '/' || c == '+' || c == '<' || c == '>'
                 || c == 0x20ac || c == 0x2192)
               && !is_times)
        {
          /* Whether a sentence ends at @p: a period followed by a space, or the end of a line. */
          if ((*p == '\n' || *p == '?' || *p == '!' || *p == ';'
               || (*p == '.' && (p[1] == '\0' || g_ascii_isspace (p[1]))))
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
      if (g_ascii_isdigit (*p) && strpbrk (atom.text, ":/-") == NULL)
        read_number (&atom);
      g_array_append_val (atoms, atom);
      p = last = end;
    }
  end_sentence (atoms, first, FALSE);
  note_names (atoms, cut);
  return atoms;
}

/**
 * shardwise_atom:
 * @atoms: of shardwise_atoms()
 * @index: any number
 *
 * Returns: (transfer none) (nullable): the atom, or %NULL beyond the end
 */
const ShardwiseAtom *
shardwise_atom (GArray *atoms, guint index)
{
  return index < atoms->len ? &g_array_index (atoms, ShardwiseAtom, index) : NULL;
}

/**
 * shardwise_atom_replace:
 * @atoms: of shardwise_atoms()
 * @index: of a word
 * @text: its new spelling
 */
void
shardwise_atom_replace (GArray *atoms, guint index, const char *text)
{
  ShardwiseAtom *atom = &g_array_index (atoms, ShardwiseAtom, index);

  g_free (atom->text);
  atom->text = g_strdup (text);
}

/* ---- spelling ---- */

/**
 * shardwise_text_distance:
 * @a: a folded word
 * @b: another
 * @most: maximum distance of interest
 *
 * Returns: number of different, missing, additional or swapped letters (optimal string alignment);
 *   @most + 1 if it is larger
 */
guint
shardwise_text_distance (const char *a, const char *b, guint most)
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

/* Whether @known may be a misspelled @word: short words need the same letters ("mcuh", not "racks"/"ranks"). */
static gboolean
is_candidate (const char *word, const char *known)
{
  const gsize length = strlen (known), own = strlen (word);
  const char *longer = length > own ? known : word, *shorter = length > own ? word : known;
  int counts[256] = { 0 };

  if (*known != *word || length < LEAST_WORD
      || (length == own && strncmp (known, word, own - 1) == 0))
    return FALSE;
  while (*longer != '\0' && *longer == *shorter)
    longer++, shorter++;
  /* "buble" */
  if (MIN (length, own) >= LONG_ENOUGH || (length != own && *longer == longer[-1]))
    return TRUE;
  for (const guchar *p = (const guchar *) word; *p != '\0'; p++)
    counts[*p]++;
  for (const guchar *p = (const guchar *) known; *p != '\0'; p++)
    counts[*p]--;
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (counts[i] != 0)
      return FALSE;
  return TRUE;
}

/**
 * shardwise_text_nearest:
 * @words: (element-type utf8 gpointer): known words
 * @word: another
 *
 * Returns: (transfer none) (nullable): the known word of which @word is probably a misspelling
 */
const char *
shardwise_text_nearest (GHashTable *words, const char *word)
{
  const gsize length = strlen (word);
  guint least = length >= LONG_WORD ? 3 : 2;
  const char *best = NULL, *known;
  GHashTableIter iter;

  g_hash_table_iter_init (&iter, words);
  while (length >= LEAST_WORD && g_hash_table_iter_next (&iter, (gpointer *) &known, NULL))
    if (is_candidate (word, known))
      {
        guint distance = shardwise_text_distance (word, known, least);

        if (distance < least || (distance == least && best != NULL && strcmp (known, best) < 0))
          {
            least = distance;
            best = known;
          }
      }
  return best;
}

/* Whether one of the atoms is almost a word, apart from a typo. */
static gboolean
is_near (GArray *atoms, const char *word)
{
  if (strlen (word) < LONG_ENOUGH || strpbrk (word, "0123456789") != NULL)
    return FALSE;
  for (guint i = 0; i < atoms->len; i++)
    if (shardwise_text_distance (shardwise_atom (atoms, i)->text, word, 1) <= 1)
      return TRUE;
  return FALSE;
}

/**
 * shardwise_text_has_words:
 * @text: any text
 * @words: words to find, separated by spaces or punctuation
 *
 * Returns: whether @text contains each of the words, ignoring case and accents, or a word that
 *   differs in one letter
 */
gboolean
shardwise_text_has_words (const char *text, const char *words)
{
  g_autofree char *folded = fold (text), *wanted = fold (words);
  g_auto (GStrv) each = g_strsplit_set (wanted, " \t\n-_,", -1);
  g_autoptr (GArray) atoms = NULL;

  for (guint i = 0; each[i] != NULL; i++)
    if (strstr (folded, each[i]) == NULL)
      {
        atoms = atoms != NULL ? atoms : shardwise_atoms (folded);
        if (!is_near (atoms, each[i]))
          return FALSE;
      }
  return TRUE;
}
