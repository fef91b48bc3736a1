/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expressions of Python 3: arithmetic on numbers, and what is only read. What is neither a
 * constant, a name nor a call counts as not known. */
#include "shardwise-node-python.h"

#include <glib/gi18n.h>
#include <math.h>

#define MAX_DEPTH 200
#define MAX_ITEMS 10000 /* of a list that an operator makes */
#define COMPARISONS 3   /* their level among the operators */

void
shardwise_python_value_clear (ShardwisePythonValue *value)
{
  g_clear_pointer (&value->path, g_free);
  g_clear_pointer (&value->node, shardwise_node_unref);
  g_clear_pointer (&value->targets, g_ptr_array_unref);
}

/* In place of what it was; takes @node. */
void
shardwise_python_become (ShardwisePythonValue *value, ShardwiseNode *node)
{
  shardwise_python_value_clear (value);
  value->node = node;
}

/* Where it stood before, as far as that is known. */
void
shardwise_python_become_unknown (ShardwisePython *self, ShardwisePythonValue *value)
{
  ShardwisePythonToken where = self->token;

  if (value->node != NULL)
    {
      where.line = value->node->line;
      where.column = value->node->column;
    }
  shardwise_python_become (value, shardwise_python_unknown (self, &where, NULL));
}

static gboolean
enter (ShardwisePython *self)
{
  if (++self->depth <= MAX_DEPTH)
    return TRUE;
  shardwise_python_fail (self, &self->token, _ ("expressions are nested deeper than 200 levels"));
  return FALSE;
}

/* ---- operators ---- */

static gboolean
compute (char sign, gboolean doubled, double a, double b, double *out)
{
  if (b == 0 && (sign == '/' || sign == '%'))
    return FALSE;
  switch (sign)
    {
    case '+': *out = a + b; break;
    case '-': *out = a - b; break;
    case '*': *out = doubled ? pow (a, b) : a * b; break;
    case '/': *out = doubled ? floor (a / b) : a / b; break;
    case '%': *out = a - b * floor (a / b); break;
    case '<': *out = a * exp2 (b); break;
    case '>': *out = floor (a / exp2 (b)); break;
    default: return FALSE;
    }
  return isfinite (*out);
}

/* Lists that are joined, or one that is repeated; NULL where they are not that, or grow long. */
static ShardwiseNode *
combine_lists (ShardwisePython *self, char sign, const ShardwiseNode *a, const ShardwiseNode *b)
{
  const gboolean joins = sign == '+' && b->type == SHARDWISE_NODE_LIST,
                 repeats = sign == '*' && b->type == SHARDWISE_NODE_INTEGER;
  ShardwiseNode *list;
  double length;

  if (a->type != SHARDWISE_NODE_LIST || (!joins && !repeats))
    return NULL;
  length = joins ? (double) a->items->len + b->items->len : a->items->len * MAX (b->number, 0);
  if (length > MAX_ITEMS)
    return NULL;
  self->n_nodes += (guint) length;
  list = shardwise_node_new (SHARDWISE_NODE_LIST, a->line, a->column);
  for (guint i = 0; i < (guint) length; i++)
    shardwise_node_add (list, shardwise_node_ref (joins && i >= a->items->len
                                                      ? b->items->pdata[i - a->items->len]
                                                      : a->items->pdata[i % a->items->len]));
  return list;
}

/* Numbers give a number, and lists a list; all else is not known. */
static void
combine (ShardwisePython *self, const ShardwisePythonToken *sign, ShardwisePythonValue *left,
         ShardwisePythonValue *right)
{
  g_autoptr (ShardwiseNode) a = shardwise_python_node (self, left, sign),
                            b = shardwise_python_node (self, right, sign);
  const gboolean doubled = sign->length > 1 && *sign->start != '<';
  gboolean whole = a->type == SHARDWISE_NODE_INTEGER && b->type == SHARDWISE_NODE_INTEGER
                   && (*sign->start != '/' || doubled);
  ShardwiseNode *list = doubled ? NULL : combine_lists (self, *sign->start, a, b);
  g_autofree char *text = NULL;
  double result;

  if (list != NULL)
    {
      shardwise_python_become (left, list);
      return;
    }
  if (!shardwise_node_is_number (a) || !shardwise_node_is_number (b)
      || !compute (*sign->start, doubled, a->number, b->number, &result))
    {
      shardwise_python_become_unknown (self, left);
      return;
    }
  whole = whole && fabs (result) < 9007199254740992.0 && result == floor (result);
  text = whole ? g_strdup_printf ("%.0f", result) : g_strdup_printf ("%g", result);
  self->n_nodes++;
  shardwise_python_become (
      left, shardwise_node_new_scalar (whole ? SHARDWISE_NODE_INTEGER : SHARDWISE_NODE_FLOAT,
                                       a->line, a->column, text, result));
}

static void
read_unary (ShardwisePython *self, ShardwisePythonValue *out)
{
  const ShardwisePythonToken sign = self->token;
  ShardwisePythonValue zero = { 0 };

  if (!enter (self))
    {
      shardwise_python_become_unknown (self, out);
      return;
    }
  if (shardwise_python_take (self, "-") || shardwise_python_take (self, "+"))
    {
      shardwise_python_become (&zero, shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, sign.line,
                                                                 sign.column, "0", 0));
      read_unary (self, out);
      combine (self, &sign, &zero, out);
      shardwise_python_value_clear (out);
      *out = zero;
    }
  else if (shardwise_python_take (self, "~") || shardwise_python_take (self, "await"))
    {
      read_unary (self, out);
      shardwise_python_become_unknown (self, out);
    }
  else
    {
      const ShardwisePythonToken *power;
      ShardwisePythonValue exponent = { 0 };
      ShardwisePythonToken at;

      shardwise_python_read_primary (self, out);
      at = self->token;
      power = &at;
      if (shardwise_python_take (self, "**"))
        {
          read_unary (self, &exponent);
          combine (self, power, out, &exponent);
          shardwise_python_value_clear (&exponent);
        }
    }
  self->depth--;
}

/* How tightly the operator at hand binds: 1 "or" … 9 "*"; 0: there is none. */
static guint
level_here (const ShardwisePython *self)
{
  static const char *const levels[][9] = {
    { "or" },       { "and" },    { "<", ">", "==", "!=", "<=", ">=", "in", "is", "not" },
    { "|" },        { "^" },      { "&" },
    { "<<", ">>" }, { "+", "-" }, { "*", "/", "//", "%", "@" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    for (guint j = 0; j < G_N_ELEMENTS (levels[i]) && levels[i][j] != NULL; j++)
      if (shardwise_python_is (self, levels[i][j]))
        return i + 1;
  return 0;
}

static void
read_operand (ShardwisePython *self, ShardwisePythonValue *out)
{
  if (!shardwise_python_is (self, "not"))
    {
      read_unary (self, out);
      return;
    }
  shardwise_python_next (self);
  if (enter (self))
    shardwise_python_read_binary (self, COMPARISONS, out);
  self->depth--;
  shardwise_python_become_unknown (self, out);
}

/* Operators of at least @level. */
void
shardwise_python_read_binary (ShardwisePython *self, guint level, ShardwisePythonValue *out)
{
  read_operand (self, out);
  for (guint here = level_here (self); here > 0 && here >= level && self->error == NULL;
       here = level_here (self))
    {
      const ShardwisePythonToken sign = self->token;
      ShardwisePythonValue right = { 0 };

      shardwise_python_next (self);
      if (here == COMPARISONS && *sign.start == 'n')
        shardwise_python_expect (self, "in");
      else if (here == COMPARISONS && sign.length == 2 && *sign.start == 'i')
        shardwise_python_take (self, "not");
      shardwise_python_read_binary (self, here + 1, &right);
      if (here > COMPARISONS)
        combine (self, &sign, out, &right);
      else
        shardwise_python_become_unknown (self, out);
      shardwise_python_value_clear (&right);
    }
}

/* ---- lists ---- */

/* The rest of a list or a tuple, up to a closing bracket or the end of a line. */
void
shardwise_python_read_items (ShardwisePython *self, ShardwisePythonValue *value,
                             gboolean (*ends) (ShardwisePython *))
{
  const ShardwisePythonToken where = self->token;
  ShardwiseNode *list = shardwise_python_new (self, SHARDWISE_NODE_LIST, &where);
  g_autoptr (GPtrArray) targets = g_ptr_array_new_with_free_func (g_free);

  for (;;)
    {
      ShardwiseNode *item = shardwise_python_node (self, value, &where);

      if (shardwise_python_fits (item))
        shardwise_node_add (list, item);
      else
        shardwise_node_unref (item);
      g_ptr_array_add (targets, value->path != NULL ? g_strdup (value->path) : g_strdup (""));
      shardwise_python_value_clear (value);
      if (!shardwise_python_take (self, ",") || self->error != NULL || ends (self))
        break;
      shardwise_python_read_one (self, value);
    }
  value->node = list;
  value->targets = g_steal_pointer (&targets);
}

/* Whether a closing bracket comes next. */
gboolean
shardwise_python_at_bracket (ShardwisePython *self)
{
  return shardwise_python_is (self, ")") || shardwise_python_is (self, "]");
}

gboolean
shardwise_python_at_end (ShardwisePython *self)
{
  return self->token.type == SHARDWISE_PYTHON_NEWLINE || self->token.type == SHARDWISE_PYTHON_END
         || shardwise_python_is (self, "=") || shardwise_python_is (self, ":")
         || shardwise_python_is (self, ";") || shardwise_python_at_bracket (self);
}

/* "for x in y if z …": read, not computed. */
void
shardwise_python_read_comprehension (ShardwisePython *self)
{
  while (self->error == NULL)
    {
      ShardwisePythonValue value = { 0 };

      shardwise_python_take (self, "async");
      if (shardwise_python_take (self, "for"))
        {
          shardwise_python_read_targets (self, &value);
          shardwise_python_value_clear (&value);
          shardwise_python_expect (self, "in");
          shardwise_python_read_binary (self, 0, &value);
        }
      else if (shardwise_python_take (self, "if"))
        shardwise_python_read_binary (self, 0, &value);
      else
        return;
      shardwise_python_value_clear (&value);
    }
}

/* ---- whole expressions ---- */

static void
read_lambda (ShardwisePython *self, ShardwisePythonValue *out)
{
  const gsize open = self->open->len;

  while (self->error == NULL && self->token.type != SHARDWISE_PYTHON_NEWLINE
         && self->token.type != SHARDWISE_PYTHON_END
         && !(shardwise_python_is (self, ":") && self->open->len == open))
    shardwise_python_next (self);
  shardwise_python_expect (self, ":");
  shardwise_python_read_one (self, out);
  shardwise_python_become_unknown (self, out);
}

static void
read_yield (ShardwisePython *self, ShardwisePythonValue *out)
{
  shardwise_python_take (self, "from");
  if (!shardwise_python_at_end (self))
    shardwise_python_read_value (self, out);
  shardwise_python_become_unknown (self, out);
}

/* "a if b else c" and "a := b", after the a. */
static void
read_rest (ShardwisePython *self, ShardwisePythonValue *out)
{
  const ShardwisePythonToken where = self->token;
  ShardwisePythonValue other = { 0 };

  if (shardwise_python_take (self, "if"))
    {
      shardwise_python_read_binary (self, 0, &other);
      shardwise_python_value_clear (&other);
      shardwise_python_expect (self, "else");
      shardwise_python_read_one (self, &other);
      shardwise_python_become_unknown (self, out);
      shardwise_python_value_clear (&other);
    }
  else if (out->path != NULL && shardwise_python_take (self, ":="))
    {
      shardwise_python_read_one (self, &other);
      shardwise_python_assign (self, out->path, &other, &where);
      shardwise_python_value_clear (out);
      *out = other;
    }
}

/**
 * shardwise_python_read_one:
 * @self: a text
 * @out: (out): the value of the expression at hand; to be cleared
 */
void
shardwise_python_read_one (ShardwisePython *self, ShardwisePythonValue *out)
{
  if (!enter (self))
    {
      shardwise_python_become_unknown (self, out);
      return;
    }
  if (shardwise_python_take (self, "*") || shardwise_python_take (self, "**"))
    {
      shardwise_python_read_binary (self, 0, out);
      shardwise_python_become_unknown (self, out);
    }
  else if (shardwise_python_take (self, "lambda"))
    read_lambda (self, out);
  else if (shardwise_python_take (self, "yield"))
    read_yield (self, out);
  else
    {
      shardwise_python_read_binary (self, 0, out);
      read_rest (self, out);
    }
  self->depth--;
}

/**
 * shardwise_python_read_value:
 * @self: a text
 * @out: (out): the value at hand; what commas separate is a list. To be cleared
 */
void
shardwise_python_read_value (ShardwisePython *self, ShardwisePythonValue *out)
{
  shardwise_python_read_one (self, out);
  if (shardwise_python_is (self, ","))
    shardwise_python_read_items (self, out, shardwise_python_at_end);
}

/**
 * shardwise_python_read_targets:
 * @self: a text
 * @out: (out): what a loop assigns to; to be cleared
 */
void
shardwise_python_read_targets (ShardwisePython *self, ShardwisePythonValue *out)
{
  do
    {
      shardwise_python_value_clear (out);
      shardwise_python_take (self, "*");
      shardwise_python_read_binary (self, COMPARISONS + 1, out);
    }
  while (shardwise_python_take (self, ",") && !shardwise_python_is (self, "in"));
}
