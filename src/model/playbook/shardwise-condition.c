/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-condition.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

typedef struct {
  const ShardwiseQuantity *quantity; /* (nullable): the number */
  double number;
} Bound;

typedef struct {
  const ShardwiseQuantity *quantity;
  Bound low, high;
} Range;

struct _ShardwiseCondition {
  GPtrArray *alternatives; /* of GArray of Range */
};

/* ---- reading ---- */

static gboolean
parse_bound (const char *text, double open, Bound *out, GError **error)
{
  char *end;

  out->quantity = NULL;
  out->number = open;
  if (*text == '\0')
    return TRUE;
  out->quantity = shardwise_quantity_find (text);
  if (out->quantity != NULL)
    return TRUE;
  out->number = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0' && isfinite (out->number))
    return TRUE;
  g_set_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_RANGE,
               /* Translators: what stands there */
               _ ("“%s” is neither a number nor the name of a quantity"), text);
  return FALSE;
}

/* "tp=2..8", "tp=2..", "tp=..8", "tp=8" */
static gboolean
parse_term (const char *text, Range *range, GError **error)
{
  const char *sign = strchr (text, '='), *value = sign != NULL ? sign + 1 : "";
  const char *dots = strstr (value, "..");
  g_autofree char *name = sign != NULL ? g_strndup (text, (gsize) (sign - text)) : g_strdup (text);
  g_autofree char *low = dots != NULL ? g_strndup (value, (gsize) (dots - value)) : NULL;

  range->quantity = shardwise_quantity_find (name);
  if (range->quantity == NULL)
    {
      g_set_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_CHOICE,
                   /* Translators: what stands there */
                   _ ("“%s” is not a quantity; allowed: tp, pp, dp, gpus, params, memory and the "
                      "others listed in the manual"),
                   name);
      return FALSE;
    }
  if (!parse_bound (low != NULL ? low : value, -INFINITY, &range->low, error)
      || !parse_bound (dots != NULL ? dots + 2 : value, INFINITY, &range->high, error))
    return FALSE;
  /* "8..2" is only an error if both bounds are numbers. */
  if (*value == '\0' || g_str_equal (value, "..")
      || (range->low.quantity == NULL && range->high.quantity == NULL
          && range->low.number > range->high.number))
    {
      g_set_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_RANGE,
                   /* Translators: the name of a quantity */
                   _ ("“%s” needs a value or a range, such as “tp=8” or “tp=2..8”"),
                   range->quantity->name);
      return FALSE;
    }
  return TRUE;
}

/**
 * shardwise_condition_parse:
 * @text: the condition
 * @error: (out): the reason, and the allowed values
 *
 * Returns: (transfer full) (nullable): the condition; free with shardwise_condition_free()
 */
ShardwiseCondition *
shardwise_condition_parse (const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, "|", -1);
  g_autoptr (ShardwiseCondition) self = g_new0 (ShardwiseCondition, 1);

  self->alternatives = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit_set (parts[i], " \t\n,", -1);
      GArray *ranges = g_array_new (FALSE, TRUE, sizeof (Range));

      g_ptr_array_add (self->alternatives, ranges);
      for (guint j = 0; words[j] != NULL; j++)
        {
          Range range = { 0 };

          if (*words[j] == '\0')
            continue;
          if (!parse_term (words[j], &range, error))
            return NULL;
          g_array_append_val (ranges, range);
        }
      if (ranges->len == 0 && g_strv_length (parts) > 1)
        {
          g_set_error_literal (error, SHARDWISE_ERROR, SHARDWISE_ERROR_SYNTAX,
                               _ ("both sides of “|” need a value"));
          return NULL;
        }
    }
  return g_steal_pointer (&self);
}

/**
 * shardwise_condition_free:
 * @self: (nullable): a condition
 */
void
shardwise_condition_free (ShardwiseCondition *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->alternatives);
  g_free (self);
}

/* ---- checking ---- */

static double
bound_get (const Bound *bound, const SwProblem *problem, const SwEstimate *estimate)
{
  return bound->quantity != NULL ? shardwise_quantity_get (bound->quantity, problem, estimate)
                                 : bound->number;
}

/* Returns: the number of terms that fail. */
static guint
check_alternative (GArray *ranges, const SwProblem *problem, const SwEstimate *estimate,
                   GArray *terms)
{
  guint failed = 0;

  g_array_set_size (terms, 0);
  for (guint i = 0; i < ranges->len; i++)
    {
      const Range *range = &g_array_index (ranges, Range, i);
      ShardwiseTerm term = { .quantity = range->quantity,
                             .low_is_figure = range->low.quantity != NULL,
                             .high_is_figure = range->high.quantity != NULL };

      term.value = shardwise_quantity_get (range->quantity, problem, estimate);
      term.low = bound_get (&range->low, problem, estimate);
      term.high = bound_get (&range->high, problem, estimate);
      term.holds = term.value >= term.low && term.value <= term.high;
      failed += !term.holds;
      g_array_append_val (terms, term);
    }
  return failed;
}

/**
 * shardwise_condition_check:
 * @self: a condition
 * @problem: the question, prepared
 * @estimate: of the selected strategy
 * @terms: (nullable) (element-type ShardwiseTerm): filled with the terms of the alternative that
 * holds, otherwise of the nearest one
 *
 * Returns: whether it holds
 */
gboolean
shardwise_condition_check (const ShardwiseCondition *self, const SwProblem *problem,
                           const SwEstimate *estimate, GArray *terms)
{
  g_autoptr (GArray) trial = g_array_new (FALSE, FALSE, sizeof (ShardwiseTerm));
  guint least = self->alternatives->len > 0 ? G_MAXUINT : 0; /* empty: holds */

  for (guint i = 0; i < self->alternatives->len && least > 0; i++)
    {
      guint failed = check_alternative (self->alternatives->pdata[i], problem, estimate, trial);

      if (failed >= least)
        continue;
      least = failed;
      if (terms == NULL)
        continue;
      g_array_set_size (terms, 0);
      if (trial->len > 0)
        g_array_append_vals (terms, trial->data, trial->len);
    }
  return least == 0;
}

/* (transfer full) (nullable): NULL if the bound is open. */
static char *
describe_bound (const ShardwiseTerm *term, double value, gboolean is_figure)
{
  if (!isfinite (value))
    return NULL;
  return is_figure ? shardwise_quantity_format (term->quantity, value)
                   : shardwise_quantity_format_bound (term->quantity, value);
}

/**
 * shardwise_term_describe_range:
 * @term: of a check
 *
 * Returns: (transfer full): the required range: "at most 8", "2 to 8", "8"
 */
char *
shardwise_term_describe_range (const ShardwiseTerm *term)
{
  g_autofree char *low = describe_bound (term, term->low, term->low_is_figure),
                  *high = describe_bound (term, term->high, term->high_is_figure);

  if (low == NULL)
    /* Translators: a value */
    return g_strdup_printf (_ ("at most %s"), high);
  if (high == NULL)
    /* Translators: a value */
    return g_strdup_printf (_ ("at least %s"), low);
  if (g_str_equal (low, high))
    return g_steal_pointer (&low);
  /* Translators: two values */
  return g_strdup_printf (_ ("%s to %s"), low, high);
}
