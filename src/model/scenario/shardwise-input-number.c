/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-input-number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shardwise-format.h"

static char
sign_of_locale (const char *sign)
{
  return *sign == '.' || *sign == ',' ? *sign : '\0';
}

static guint
count (const char *text, char sign)
{
  guint n = 0;

  for (; *text != '\0'; text++)
    n += *text == sign;
  return n;
}

/* Whether the digits between the signs `sign` of `number` up to `end` are groups of thousands: one
 * to three digits, then groups of three; in India groups of two before the last three. */
static gboolean
is_grouped (const char *number, const char *end, char sign)
{
  guint digits = 0, groups = 0;

  for (; number < end; number++)
    {
      if (g_ascii_isdigit (*number))
        {
          digits++;
          continue;
        }
      if (*number != sign || digits == 0 || digits > 3 || (groups > 0 && digits < 2))
        return FALSE;
      groups++;
      digits = 0;
    }
  return groups == 0 || digits == 3;
}

/* Which of point, comma and '\0' starts the fraction of `number`, which has digits and these signs.
 * If it has both, the last one does. If it has one kind and both readings are possible, the locale
 * decides; if the locale does not, FALSE with `ambiguous`. */
static gboolean
find_decimal (const char *number, char *decimal, gboolean *ambiguous)
{
  const char *point = strrchr (number, '.'), *comma = strrchr (number, ',');
  const char *last = point != NULL && (comma == NULL || point > comma) ? point : comma;
  const char *end = number + strlen (number);
  const struct lconv *locale = localeconv ();
  gboolean may_group;
  char grouping;

  *decimal = '\0';
  if (last == NULL)
    return TRUE;
  if (point != NULL && comma != NULL)
    {
      *decimal = *last;
      return count (number, *last) == 1;
    }
  if (count (number, *last) > 1)
    return TRUE;
  may_group = *number != '0' && is_grouped (number, end, *last);
  /* The thousands separator of the locale; '\0': neither point nor comma. The C locale has none,
   * but English digits. */
  grouping = *locale->thousands_sep == '\0' && *locale->decimal_point == '.'
                 ? ','
                 : sign_of_locale (locale->thousands_sep);
  if (may_group && grouping == *last)
    return TRUE;
  *decimal = *last;
  *ambiguous = may_group && sign_of_locale (locale->decimal_point) != *last;
  return !*ambiguous;
}

/* Appends `number`, digits with points and commas, in the spelling of the C locale. */
static gboolean
append_number (GString *out, const char *number, gboolean *ambiguous)
{
  const char *end;
  char decimal, groups;

  if (!find_decimal (number, &decimal, ambiguous))
    return FALSE;
  if (decimal != '\0')
    groups = decimal == ',' ? '.' : ',';
  else
    groups = strchr (number, ',') != NULL ? ',' : '.';
  end = decimal != '\0' ? strchr (number, decimal) : number + strlen (number);
  if (!is_grouped (number, end, groups))
    return FALSE;
  for (; *number != '\0'; number++)
    if (g_ascii_isdigit (*number))
      g_string_append_c (out, *number);
    else if (number == end)
      g_string_append_c (out, '.');
  return TRUE;
}

/* Copies digits and signs from `*text`. Spaces between digits must form groups, and become a sign
 * that no number has. */
static gboolean
take_number (const char **text, GString *number)
{
  const char *at = *text;
  guint digits = 0; /* since the last separator of groups */
  gboolean grouped = FALSE, fraction = FALSE;

  for (; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at), next = g_utf8_get_char (g_utf8_next_char (at));

      if (g_unichar_isdigit (c))
        {
          g_string_append_c (number, (char) ('0' + g_unichar_digit_value (c)));
          digits += !fraction;
        }
      else if (c == '.' || c == ',')
        {
          g_string_append_c (number, (char) c);
          fraction = TRUE;
        }
      else if ((c == '_' || c == '\'' || c == 0x2019 || c == 0x066c || g_unichar_isspace (c))
               && number->len > 0 && g_unichar_isdigit (next))
        { /* always separates groups between digits */
          if (fraction || (grouped ? digits != 3 && digits != 2 : digits > 3))
            return FALSE;
          grouped = TRUE;
          digits = 0;
        }
      else
        {
          break;
        }
    }
  *text = at;
  return !grouped || digits == 3;
}

/* The sign, digits, point and exponent in the spelling of the C locale, without separators; NULL:
 * not a number. `rest`: the text after it, the suffix. */
static char *
normalise (const char *text, const char **rest, gboolean *ambiguous)
{
  g_autoptr (GString) out = g_string_new (NULL), number = g_string_new (NULL);
  gunichar sign;

  while (g_unichar_isspace (g_utf8_get_char (text)))
    text = g_utf8_next_char (text);
  sign = g_utf8_get_char (text);
  if (sign == '+' || sign == '-' || sign == 0x2212)
    {
      g_string_append_c (out, sign == '+' ? '+' : '-');
      text = g_utf8_next_char (text);
    }
  if (!take_number (&text, number) || !append_number (out, number->str, ambiguous))
    return NULL;
  if ((*text == 'e' || *text == 'E')
      && (g_ascii_isdigit (text[1]) || text[1] == '+' || text[1] == '-'))
    {
      g_string_append_c (out, *text++);
      do
        g_string_append_c (out, *text++);
      while (g_ascii_isdigit (*text));
    }
  *rest = text;
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static gboolean
suffix_factor (const char *suffix, gboolean binary, double *factor)
{
  static const char letters[] = "kmgt";
  g_autofree char *word = g_strstrip (g_ascii_strdown (suffix, -1));
  const char *letter;

  *factor = 1;
  if (*word == '\0')
    return TRUE;
  if (g_str_equal (word, "b") || g_str_equal (word, "bn"))
    *word = 'g', word[1] = '\0';
  letter = strchr (letters, word[0]);
  if (letter == NULL || (word[1] != '\0' && !g_str_equal (word + 1, "i")))
    return FALSE;
  *factor = pow (binary || word[1] == 'i' ? 1024 : 1000, (double) (letter - letters) + 1);
  return TRUE;
}

/**
 * shardwise_input_number_read:
 * @text: typed text: "8192", "8,192", "8k", "128 K", "1e6", "1.5 T", "1.234,5", "1 234,5"
 * @binary: whether k, M and G are powers of 1024 rather than of 1000 ("Ki" always is)
 * @value: (out): the number, finite
 *
 * The position of point and comma determines their meaning or, if that is ambiguous, the locale:
 * "1,234" is 1234 in English and 1.234 in German. If neither decides, as for "1.234" in French, the
 * number is ambiguous.
 *
 * Returns: the kind of @text
 */
ShardwiseNumberKind
shardwise_input_number_read (const char *text, gboolean binary, double *value)
{
  gboolean ambiguous = FALSE;
  const char *rest;
  g_autofree char *digits = NULL;
  double factor;
  char *end;

  g_return_val_if_fail (text != NULL, SHARDWISE_NUMBER_NONE);
  g_return_val_if_fail (value != NULL, SHARDWISE_NUMBER_NONE);

  digits = normalise (text, &rest, &ambiguous);
  if (ambiguous)
    return SHARDWISE_NUMBER_AMBIGUOUS;
  if (digits == NULL || *digits == '\0' || !suffix_factor (rest, binary, &factor))
    return SHARDWISE_NUMBER_NONE;
  *value = g_ascii_strtod (digits, &end) * factor;
  return *end == '\0' && end != digits && isfinite (*value) ? SHARDWISE_NUMBER_ONE
                                                            : SHARDWISE_NUMBER_NONE;
}

/**
 * shardwise_input_number_parse:
 * @text: as for shardwise_input_number_read()
 * @binary: as for shardwise_input_number_read()
 * @value: (out): the number, finite
 *
 * Returns: whether @text is one number
 */
gboolean
shardwise_input_number_parse (const char *text, gboolean binary, double *value)
{
  return shardwise_input_number_read (text, binary, value) == SHARDWISE_NUMBER_ONE;
}

/**
 * shardwise_input_number_format:
 * @value: a finite number
 * @integer: whether it is a count
 *
 * Returns: (transfer full): @value for an entry, in an exact form that parses to the same number;
 * from a million with M, B or T if that is shorter
 */
char *
shardwise_input_number_format (double value, gboolean integer)
{
  static const struct {
    double factor;
    const char *suffix;
  } units[] = { { 1e12, "T" }, { 1e9, "B" }, { 1e6, "M" } };

  for (guint i = 0; !integer && i < G_N_ELEMENTS (units); i++)
    {
      double scaled = value / units[i].factor;
      g_autofree char *text = NULL;

      if (fabs (scaled) < 1 || fabs (scaled) >= 1e4)
        continue;
      text = g_strdup_printf ("%.6g", scaled);
      if (fabs (strtod (text, NULL) * units[i].factor - value) <= fabs (value) * DBL_EPSILON)
        return g_strdup_printf ("%s %s", text, units[i].suffix);
    }
  return integer ? shardwise_format_whole (value) : g_strdup_printf ("%'.15g", value);
}
