/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-input-number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static gboolean
three_digits_follow (const char *text)
{
  return g_ascii_isdigit (text[1]) && g_ascii_isdigit (text[2]) && g_ascii_isdigit (text[3])
         && !g_ascii_isdigit (text[4]);
}

/* Whether the point or comma at `text` groups thousands: three digits follow, and it is not this
 * locale's decimal sign. */
static gboolean
is_grouping (const char *text)
{
  return *localeconv ()->decimal_point != *text && three_digits_follow (text);
}

/* Copies the digits, sign, point and exponent in the C locale's spelling, without separators;
 * `rest` is what comes after: the suffix. */
static char *
normalise (const char *text, const char **rest)
{
  GString *out = g_string_new (NULL);

  for (; *text != '\0'; text = g_utf8_next_char (text))
    {
      gunichar c = g_utf8_get_char (text);

      if (c == '_' || c == '\'' || c == 0x2019 || c == 0x066c || g_unichar_isspace (c))
        continue;
      if (c == '.' || c == ',')
        {
          if (!is_grouping (text))
            g_string_append_c (out, '.');
        }
      else if ((c == 'e' || c == 'E')
               && (g_ascii_isdigit (text[1]) || text[1] == '+' || text[1] == '-'))
        {
          g_string_append_c (out, 'e');
        }
      else if (g_unichar_isdigit (c))
        {
          g_string_append_c (out, (char)('0' + g_unichar_digit_value (c)));
        }
      else if (c == '+' || c == '-')
        {
          g_string_append_c (out, (char)c);
        }
      else if (c == 0x2212)
        {
          g_string_append_c (out, '-');
        }
      else
        {
          break;
        }
    }
  *rest = text;
  return g_string_free (out, FALSE);
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
  *factor = pow (binary || word[1] == 'i' ? 1024 : 1000, (double)(letter - letters) + 1);
  return TRUE;
}

/**
 * shardwise_input_number_parse:
 * @text: what was typed: "8192", "8,192", "8k", "128 K", "1e6", "1.5 T"
 * @binary: whether k, M and G are powers of 1024 rather than of 1000 ("Ki" always is)
 * @value: (out): the number, finite
 *
 * Returns: whether @text is a number
 */
gboolean
shardwise_input_number_parse (const char *text, gboolean binary, double *value)
{
  const char *rest;
  g_autofree char *digits = NULL;
  double factor;
  char *end;

  g_return_val_if_fail (text != NULL, FALSE);
  g_return_val_if_fail (value != NULL, FALSE);

  digits = normalise (text, &rest);
  if (*digits == '\0' || !suffix_factor (rest, binary, &factor))
    return FALSE;
  *value = g_ascii_strtod (digits, &end) * factor;
  return *end == '\0' && end != digits && isfinite (*value);
}

/**
 * shardwise_input_number_format:
 * @value: a finite number
 * @integer: whether it counts something
 *
 * Returns: (transfer full): @value as it stands in an entry, exact and in a form that is read back
 * to the same number; from a million on with M, B or T where that is shorter
 */
char *
shardwise_input_number_format (double value, gboolean integer)
{
  static const struct
  {
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
      if (fabs (strtod (text, NULL) * units[i].factor - value) <= fabs (value) * 1e-12)
        return g_strdup_printf ("%s %s", text, units[i].suffix);
    }
  return integer ? g_strdup_printf ("%'.0f", value) : g_strdup_printf ("%'.12g", value);
}
