/* SPDX-License-Identifier: GPL-3.0-or-later */
/* $(( … )): integers, variables, + - * / % << >> and brackets. */
#include "shardwise-shell.h"

#include <string.h>

#define MAX_DEPTH 32

typedef struct {
  const char *at;
  ShardwiseShellLookup lookup;
  gpointer data;
  guint depth;
} Sum;

static gboolean read_shift (Sum *self, gint64 *result);

static void
skip_space (Sum *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;
}

static gboolean
read_variable (Sum *self, gint64 *result)
{
  const char *start = self->at;
  g_autofree char *name = NULL, *value = NULL;

  while (g_ascii_isalnum (*self->at) || *self->at == '_')
    self->at++;
  name = g_strndup (start, self->at - start);
  value = self->lookup (name, self->data);
  return value != NULL
         && g_ascii_string_to_signed (g_strstrip (value), 10, G_MININT32, G_MAXINT32, result, NULL);
}

static gboolean
read_number (Sum *self, gint64 *result)
{
  char *end;

  *result = g_ascii_strtoll (self->at, &end, 10);
  if (end == self->at || *result > G_MAXINT32)
    return FALSE;
  self->at = end;
  return TRUE;
}

static gboolean
read_atom (Sum *self, gint64 *result)
{
  gboolean good;

  skip_space (self);
  if (*self->at == '$') /* also ${name} */
    self->at += self->at[1] == '{' ? 2 : 1;
  if (g_ascii_isalpha (*self->at) || *self->at == '_')
    {
      good = read_variable (self, result);
      if (*self->at == '}')
        self->at++;
      return good;
    }
  if (*self->at != '(' && *self->at != '-')
    return read_number (self, result);
  if (++self->depth > MAX_DEPTH)
    return FALSE;
  if (*self->at++ == '-')
    {
      good = read_atom (self, result);
      if (good)
        *result = -*result;
    }
  else
    {
      good = read_shift (self, result);
      skip_space (self);
      good = good && *self->at == ')';
      self->at += good;
    }
  self->depth--;
  return good;
}

static gboolean
combine (char operation, gint64 other, gint64 *result)
{
  if ((operation == '/' || operation == '%') && other == 0)
    return FALSE;
  if (operation == '*')
    *result *= other;
  else if (operation == '/')
    *result /= other;
  else if (operation == '%')
    *result %= other;
  else
    *result += operation == '+' ? other : -other;
  return ABS (*result) <= G_MAXINT32; /* so that no product overflows */
}

static gboolean
read_product (Sum *self, gint64 *result)
{
  gint64 other;

  if (!read_atom (self, result))
    return FALSE;
  for (skip_space (self); *self->at != '\0' && strchr ("*/%", *self->at) != NULL; skip_space (self))
    {
      char operation = *self->at++;

      if (!read_atom (self, &other) || !combine (operation, other, result))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_sum (Sum *self, gint64 *result)
{
  gint64 other;

  if (!read_product (self, result))
    return FALSE;
  for (skip_space (self); *self->at == '+' || *self->at == '-'; skip_space (self))
    {
      char operation = *self->at++;

      if (!read_product (self, &other) || !combine (operation, other, result))
        return FALSE;
    }
  return TRUE;
}

/* "1 << 3" and "8 >> 1", which bind less than sums do. */
static gboolean
read_shift (Sum *self, gint64 *result)
{
  gint64 places;

  if (!read_sum (self, result))
    return FALSE;
  for (skip_space (self); g_str_has_prefix (self->at, "<<") || g_str_has_prefix (self->at, ">>");
       skip_space (self))
    {
      const gboolean is_left = *self->at == '<';

      self->at += 2;
      if (!read_sum (self, &places) || places < 0 || places > 31 || *result < 0)
        return FALSE;
      if (!combine (is_left ? '*' : '/', (gint64) 1 << places, result))
        return FALSE;
    }
  return TRUE;
}

/**
 * shardwise_shell_arithmetic:
 * @text: what stands between the brackets
 * @lookup: gives the value of a variable
 * @data: for @lookup
 * @result: (out): the integer
 *
 * Returns: whether the value is known and within 31 bits
 */
gboolean
shardwise_shell_arithmetic (const char *text, ShardwiseShellLookup lookup, gpointer data,
                            gint64 *result)
{
  Sum sum = { .at = text, .lookup = lookup, .data = data };

  if (!read_shift (&sum, result))
    return FALSE;
  skip_space (&sum);
  return *sum.at == '\0';
}
