/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python 3 from top to bottom, over the tokens of shardwise-node-python-lexer.h: expressions, with
 * arithmetic on numbers, and the assignments and calls of statements. Anything except constants,
 * names and calls counts as unknown. Functions are read where they are defined, conditions and
 * loops once; nothing is executed. Maps are copied when a name is used, so that none contains
 * itself; lists are shared, because nothing is assigned into them. */
#include "shardwise-node-python.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-json.h"
#include "shardwise-node-python-lexer.h"

#define MAX_PARTS 32    /* of a dotted name */
#define MAX_DEPTH 200   /* of nested expressions */
#define MAX_ITEMS 10000 /* of a list from an operator */
#define COMPARISONS 3   /* their precedence among the operators */

/* An expression: a dotted name, or a value. */
typedef struct {
  char *path;          /* (nullable): "cfg.model" */
  ShardwiseNode *node; /* (nullable) */
  GPtrArray *targets;  /* (nullable): of a tuple: strings, its dotted names, "" for other
                          expressions */
} Value;

static void read_binary (ShardwisePython *self, guint level, Value *out);
static void read_one (ShardwisePython *self, Value *out);
static void read_value (ShardwisePython *self, Value *out);
static void read_targets (ShardwisePython *self, Value *out);
static void read_comprehension (ShardwisePython *self);
static void read_items (ShardwisePython *self, Value *value, gboolean (*ends) (ShardwisePython *));

/* (transfer full): an empty value, which counts toward the maximum of a file. */
static ShardwiseNode *
new_node (ShardwisePython *self, ShardwiseNodeType type, const ShardwisePythonToken *where)
{
  if (++self->n_nodes > SHARDWISE_PYTHON_MAX_NODES)
    shardwise_python_fail (self, where, _ ("more values than supported: a million"));
  return shardwise_node_new (type, where->line, where->column);
}

/* Whether @item may be put into another value; deeper values are omitted. */
static gboolean
fits (const ShardwiseNode *item)
{
  return item->height < SHARDWISE_JSON_MAX_DEPTH;
}

/* (transfer full): an unknown value; name: (nullable): one from elsewhere. */
static ShardwiseNode *
unknown (ShardwisePython *self, const ShardwisePythonToken *where, const char *name)
{
  ShardwiseNode *node = new_node (self, SHARDWISE_NODE_STRING, where);

  node->text = g_strdup_printf ("%c%s", SHARDWISE_NODE_UNKNOWN, name != NULL ? name : "");
  return node;
}

static void
value_clear (Value *value)
{
  g_clear_pointer (&value->path, g_free);
  g_clear_pointer (&value->node, shardwise_node_unref);
  g_clear_pointer (&value->targets, g_ptr_array_unref);
}

/* Replaces the previous value; takes @node. */
static void
become (Value *value, ShardwiseNode *node)
{
  value_clear (value);
  value->node = node;
}

/* The previous position, if it is known. */
static void
become_unknown (ShardwisePython *self, Value *value)
{
  ShardwisePythonToken where = self->token;

  if (value->node != NULL)
    {
      where.line = value->node->line;
      where.column = value->node->column;
    }
  become (value, unknown (self, &where, NULL));
}

/* ---- names ---- */

/* (transfer full): the dotted name as written, with imports and other names resolved. */
static char *
full_name (ShardwisePython *self, const char *path)
{
  gsize length = strcspn (path, ".");
  g_autofree char *first = g_strndup (path, length);
  const char *stands_for = g_hash_table_lookup (self->aliases, first);

  return g_strconcat (stands_for != NULL ? stands_for : first, path + length, NULL);
}

static ShardwiseNode *
copy_map (ShardwisePython *self, const ShardwiseNode *node, const ShardwisePythonToken *where)
{
  ShardwiseNode *copy = new_node (self, SHARDWISE_NODE_MAP, where);

  copy->line = node->line;
  copy->column = node->column;
  self->n_nodes += node->keys->len;
  for (guint i = 0; i < node->keys->len && self->error == NULL; i++)
    {
      ShardwiseNode *item = node->items->pdata[i];

      shardwise_node_set (copy, node->keys->pdata[i],
                          item->type == SHARDWISE_NODE_MAP ? copy_map (self, item, where)
                                                           : shardwise_node_ref (item));
    }
  return copy;
}

/* (transfer full): the value of an expression, with the position @where. */
static ShardwiseNode *
node_of (ShardwisePython *self, Value *value, const ShardwisePythonToken *where)
{
  g_autofree char *name = NULL;
  ShardwiseNode *node;

  if (value->node != NULL)
    return shardwise_node_ref (value->node);
  if (value->path == NULL)
    return unknown (self, where, NULL);
  name = full_name (self, value->path);
  node = shardwise_node_find (self->root, name);
  if (node == NULL || self->error != NULL)
    return unknown (self, where, name);
  return node->type == SHARDWISE_NODE_MAP ? copy_map (self, node, where)
                                          : shardwise_node_ref (node);
}

/* ---- assignments ---- */

/* Assigns @value to the name @path. A name for something with attributes becomes another name for
 * it; an attribute is copied. */
static void
assign (ShardwisePython *self, const char *path, Value *value, const ShardwisePythonToken *where)
{
  const gboolean is_plain = strchr (path, '.') == NULL;
  g_autofree char *name = NULL, *of = NULL;
  g_auto (GStrv) parts = NULL;
  ShardwiseNode *node, *map = self->root;
  guint n;

  if (self->error != NULL)
    return;
  of = value->node == NULL && value->path != NULL ? full_name (self, value->path) : NULL;
  node = is_plain && of != NULL ? shardwise_node_find (self->root, of) : NULL;
  if (is_plain && of != NULL && (node == NULL || node->type == SHARDWISE_NODE_MAP))
    {
      if (!g_str_equal (of, path) && strlen (of) < 500)
        g_hash_table_insert (self->aliases, g_strdup (path), g_steal_pointer (&of));
      return;
    }
  node = node_of (self, value, where);

  /* A value that depends on a condition, which is not evaluated. */
  if (self->block > 0 && self->statement > self->block
      && (node->type == SHARDWISE_NODE_BOOLEAN || shardwise_node_is_number (node))
      && shardwise_node_member (self->root, SHARDWISE_NODE_CONDITION) == NULL)
    shardwise_node_set (self->root, SHARDWISE_NODE_CONDITION,
                        shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, where->line,
                                                   where->column, "", where->line));
  if (is_plain)
    g_hash_table_remove (self->aliases, path);

  /* Turns a value on the path of an attribute into a map. */
  name = full_name (self, path);
  parts = g_strsplit (name, ".", MAX_PARTS + 2);
  n = g_strv_length (parts);
  if (n > MAX_PARTS || !fits (node))
    {
      shardwise_node_unref (node);
      return;
    }
  for (guint i = 0; i + 1 < n; i++)
    {
      ShardwiseNode *inner = shardwise_node_member (map, parts[i]);

      if (inner == NULL || inner->type != SHARDWISE_NODE_MAP)
        {
          inner = new_node (self, SHARDWISE_NODE_MAP, where);
          shardwise_node_set (map, parts[i], inner);
        }
      map = inner;
    }
  shardwise_node_set (map, parts[n - 1], node);
}

/* Whether a closing bracket comes next. */
static gboolean
at_bracket (ShardwisePython *self)
{
  return shardwise_python_is (self, ")") || shardwise_python_is (self, "]");
}

static gboolean
at_end (ShardwisePython *self)
{
  return self->token.type == SHARDWISE_PYTHON_NEWLINE || self->token.type == SHARDWISE_PYTHON_END
         || shardwise_python_is (self, "=") || shardwise_python_is (self, ":")
         || shardwise_python_is (self, ";") || at_bracket (self);
}

static gboolean
at_line_end (ShardwisePython *self)
{
  return self->token.type == SHARDWISE_PYTHON_NEWLINE || self->token.type == SHARDWISE_PYTHON_END;
}

/* ---- calls and subscripts ---- */

/* "**options": the entries of a map. */
static void
add_keywords (ShardwisePython *self, ShardwiseNode *call, const ShardwisePythonToken *where)
{
  Value value = { 0 };
  g_autoptr (ShardwiseNode) map = NULL;

  read_binary (self, 0, &value);
  map = node_of (self, &value, where);
  value_clear (&value);
  if (map->type != SHARDWISE_NODE_MAP || !fits (map))
    return;
  self->n_nodes += map->keys->len;
  for (guint i = 0; i < map->keys->len; i++)
    shardwise_node_set (call, map->keys->pdata[i], shardwise_node_ref (map->items->pdata[i]));
}

static void
read_argument (ShardwisePython *self, ShardwiseNode *call, ShardwiseNode *arguments)
{
  const ShardwisePythonToken where = self->token;
  Value value = { 0 };
  g_autofree char *keyword = NULL;
  ShardwiseNode *node;

  if (shardwise_python_take (self, "**"))
    {
      add_keywords (self, call, &where);
      return;
    }
  read_one (self, &value);
  if (value.path != NULL && strchr (value.path, '.') == NULL && shardwise_python_take (self, "="))
    {
      keyword = g_steal_pointer (&value.path);
      read_one (self, &value);
    }
  if (shardwise_python_is (self, "for") || shardwise_python_is (self, "async"))
    {
      read_comprehension (self);
      become_unknown (self, &value);
    }
  node = node_of (self, &value, &where);
  value_clear (&value);
  if (!fits (node))
    shardwise_node_unref (node);
  else if (keyword != NULL)
    shardwise_node_set (call, keyword, node);
  else
    shardwise_node_add (arguments, node);
}

static void
read_call (ShardwisePython *self, Value *value)
{
  static const char *const conversions[] = { "int", "float", "bool", "str", "tuple", "list", NULL };
  const ShardwisePythonToken where = self->token;
  const gboolean is_elsewhere = value->node != NULL && value->node->type == SHARDWISE_NODE_STRING
                                && value->node->text[0] == SHARDWISE_NODE_UNKNOWN;
  /* The called function: a name, or the last part of one. */
  g_autofree char *callee = value->path != NULL
                                ? full_name (self, value->path)
                                : g_strdup (is_elsewhere ? value->node->text + 1 : "");
  ShardwiseNode *call = new_node (self, SHARDWISE_NODE_MAP, &where),
                *arguments = new_node (self, SHARDWISE_NODE_LIST, &where), *first;

  shardwise_python_next (self);
  shardwise_node_set (
      call, SHARDWISE_NODE_CALLEE,
      shardwise_node_new_scalar (SHARDWISE_NODE_STRING, where.line, where.column, callee, 0));
  while (self->error == NULL && !shardwise_python_is (self, ")"))
    {
      read_argument (self, call, arguments);
      if (!shardwise_python_take (self, ","))
        break;
    }
  shardwise_python_expect (self, ")");
  /* int (8), float ("…"), tuple ([…]): the argument itself if it is constant. */
  first = arguments->items->len == 1 ? arguments->items->pdata[0] : NULL;
  shardwise_node_set (call, SHARDWISE_NODE_ARGUMENTS, arguments);
  if (first == NULL || !g_strv_contains (conversions, callee) || first->type == SHARDWISE_NODE_MAP)
    become (value, shardwise_node_ref (call));
  else if (g_str_equal (callee, "int") && first->type == SHARDWISE_NODE_FLOAT)
    {
      g_autofree char *text = g_strdup_printf ("%.0f", trunc (first->number));

      become (value, shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, first->line, first->column,
                                                text, trunc (first->number)));
    }
  else
    become (value, shardwise_node_ref (first));
  g_ptr_array_add (self->calls->items, call);
}

static void
subscribe (ShardwisePython *self, Value *value)
{
  const ShardwisePythonToken where = self->token;
  g_autoptr (ShardwiseNode) key = NULL, base = NULL;
  ShardwiseNode *item = NULL;
  guint n = 0;

  /* "a", "a:b:c" and several of them: a single constant is used. */
  shardwise_python_next (self);
  while (self->error == NULL && !shardwise_python_is (self, "]"))
    {
      Value inside = { 0 };

      if (shardwise_python_take (self, ":") || shardwise_python_take (self, ","))
        {
          n += 2;
          continue;
        }
      read_one (self, &inside);
      n++;
      g_clear_pointer (&key, shardwise_node_unref);
      key = node_of (self, &inside, &self->token);
      value_clear (&inside);
      if (!shardwise_python_is (self, ":") && !shardwise_python_is (self, ","))
        break;
    }
  shardwise_python_expect (self, "]");
  if (n != 1)
    g_clear_pointer (&key, shardwise_node_unref);

  if (key != NULL && key->type == SHARDWISE_NODE_STRING && value->path != NULL
      && key->text[0] != '\0' && strpbrk (key->text, ".()*\x01") == NULL)
    {
      g_autofree char *path = g_strconcat (value->path, ".", key->text, NULL);

      value_clear (value);
      value->path = g_steal_pointer (&path);
      return;
    }
  base = node_of (self, value, &where);
  if (key != NULL && key->type == SHARDWISE_NODE_STRING)
    item = shardwise_node_member (base, key->text);
  else if (key != NULL && key->type == SHARDWISE_NODE_INTEGER && base->type == SHARDWISE_NODE_LIST
           && key->number >= 0 && key->number < base->items->len)
    item = base->items->pdata[(guint) key->number];
  if (item != NULL)
    become (value, shardwise_node_ref (item));
  else
    become_unknown (self, value);
}

/* ---- atoms ---- */

/* After "(" or "["; "(x)" is x. */
static void
read_brackets (ShardwisePython *self, const char *close, Value *out)
{
  if (shardwise_python_is (self, close))
    out->node = new_node (self, SHARDWISE_NODE_LIST, &self->token);
  else
    {
      read_one (self, out);
      if (shardwise_python_take (self, "as")) /* with (open (…) as file, …): */
        {
          value_clear (out);
          read_one (self, out);
        }
      if (shardwise_python_is (self, "for") || shardwise_python_is (self, "async"))
        {
          read_comprehension (self);
          become_unknown (self, out);
        }
      else if (*close == ']' || shardwise_python_is (self, ","))
        read_items (self, out, at_bracket);
    }
  shardwise_python_expect (self, close);
}

/* An entry of a dictionary or a set: the value if the key is a text. */
static void
read_entry (ShardwisePython *self, ShardwiseNode *map)
{
  const ShardwisePythonToken where = self->token;
  Value value = { 0 };
  g_autoptr (ShardwiseNode) key = NULL;
  ShardwiseNode *node;

  if (shardwise_python_take (self, "**"))
    {
      add_keywords (self, map, &where);
      return;
    }
  read_one (self, &value);
  key = node_of (self, &value, &where);
  value_clear (&value);
  if (!shardwise_python_take (self, ":"))
    return;
  read_one (self, &value);
  node = node_of (self, &value, &where);
  value_clear (&value);
  if (key->text != NULL && fits (node))
    shardwise_node_set (map, key->text, node);
  else
    shardwise_node_unref (node);
}

/* A name, or a constant in the form of a name. */
static void
read_name (ShardwisePython *self, Value *out)
{
  static const char *const reserved[] = { "and",      "as",      "assert", "break",  "class",
                                          "continue", "def",     "del",    "elif",   "else",
                                          "except",   "finally", "for",    "from",   "global",
                                          "if",       "import",  "in",     "is",     "nonlocal",
                                          "or",       "pass",    "raise",  "return", "try",
                                          "while",    "with",    NULL };
  const ShardwisePythonToken where = self->token;
  g_autofree char *text = shardwise_python_token_text (&where);

  if (g_strv_contains (reserved, text))
    {
      shardwise_python_fail (self, &where, _ ("expected a value"));
      return;
    }
  shardwise_python_next (self);
  if (g_str_equal (text, "None"))
    out->node = new_node (self, SHARDWISE_NODE_NULL, &where);
  else if (g_str_equal (text, "True") || g_str_equal (text, "False"))
    {
      out->node = new_node (self, SHARDWISE_NODE_BOOLEAN, &where);
      out->node->number = *text == 'T';
      out->node->text = g_steal_pointer (&text);
    }
  else
    out->path = g_steal_pointer (&text);
}

static void
read_atom (ShardwisePython *self, Value *out)
{
  const ShardwisePythonToken where = self->token;
  g_autoptr (GString) text = NULL;
  gboolean known = TRUE;

  switch (where.type)
    {
    case SHARDWISE_PYTHON_NUMBER:
      out->node = shardwise_python_number (&where);
      self->n_nodes++;
      shardwise_python_next (self);
      break;
    case SHARDWISE_PYTHON_STRING:
    case SHARDWISE_PYTHON_FORMATTED: /* adjacent strings are joined */
      text = g_string_new (NULL);
      for (; self->token.type == SHARDWISE_PYTHON_STRING
             || self->token.type == SHARDWISE_PYTHON_FORMATTED;
           shardwise_python_next (self))
        if (self->token.type == SHARDWISE_PYTHON_STRING)
          shardwise_python_append_string (&self->token, text);
        else
          known = FALSE;
      if (!known)
        break;
      out->node = new_node (self, SHARDWISE_NODE_STRING, &where);
      out->node->text = g_strdup (text->str);
      break;
    case SHARDWISE_PYTHON_NAME: read_name (self, out); break;
    case SHARDWISE_PYTHON_OPERATOR:
      if (shardwise_python_take (self, "("))
        read_brackets (self, ")", out);
      else if (shardwise_python_take (self, "["))
        read_brackets (self, "]", out);
      else if (shardwise_python_take (self, "{"))
        {
          ShardwiseNode *map = new_node (self, SHARDWISE_NODE_MAP, &self->token);

          while (self->error == NULL && !shardwise_python_is (self, "}"))
            {
              read_entry (self, map);
              if (shardwise_python_is (self, "for") || shardwise_python_is (self, "async"))
                read_comprehension (self);
              if (!shardwise_python_take (self, ","))
                break;
            }
          shardwise_python_expect (self, "}");
          out->node = map;
        }
      else if (!shardwise_python_take (self, "..."))
        shardwise_python_fail (self, &where, _ ("expected a value"));
      break;
    case SHARDWISE_PYTHON_END:
    case SHARDWISE_PYTHON_NEWLINE:
    default: shardwise_python_fail (self, &where, _ ("expected a value")); break;
    }
  if (out->node == NULL && out->path == NULL)
    out->node = unknown (self, &where, NULL);
}

static void
read_primary (ShardwisePython *self, Value *out)
{
  read_atom (self, out);
  while (self->error == NULL)
    if (shardwise_python_take (self, "."))
      {
        g_autofree char *name = shardwise_python_token_text (&self->token);

        if (self->token.type != SHARDWISE_PYTHON_NAME)
          shardwise_python_fail (self, &self->token, _ ("expected the name of an attribute"));
        else if (out->path != NULL)
          {
            g_autofree char *path = g_strconcat (out->path, ".", name, NULL);

            g_free (out->path);
            out->path = g_steal_pointer (&path);
          }
        else
          {
            ShardwiseNode *member = shardwise_node_member (out->node, name);

            become (out, member != NULL ? shardwise_node_ref (member)
                                        : unknown (self, &self->token, name));
          }
        shardwise_python_next (self);
      }
    else if (shardwise_python_is (self, "("))
      read_call (self, out);
    else if (shardwise_python_is (self, "["))
      subscribe (self, out);
    else
      return;
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

/* Joins or repeats lists; NULL if they are not lists, or become long. */
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

/* Operations on numbers give a number, on lists a list; other results are unknown. */
static void
combine (ShardwisePython *self, const ShardwisePythonToken *sign, Value *left, Value *right)
{
  g_autoptr (ShardwiseNode) a = node_of (self, left, sign), b = node_of (self, right, sign);
  const gboolean doubled = sign->length > 1 && *sign->start != '<';
  gboolean whole = a->type == SHARDWISE_NODE_INTEGER && b->type == SHARDWISE_NODE_INTEGER
                   && (*sign->start != '/' || doubled);
  ShardwiseNode *list = doubled ? NULL : combine_lists (self, *sign->start, a, b);
  g_autofree char *text = NULL;
  double result;

  if (list != NULL)
    {
      become (left, list);
      return;
    }
  if (!shardwise_node_is_number (a) || !shardwise_node_is_number (b)
      || !compute (*sign->start, doubled, a->number, b->number, &result))
    {
      become_unknown (self, left);
      return;
    }
  whole = whole && fabs (result) < 9007199254740992.0 && result == floor (result);
  text = whole ? g_strdup_printf ("%.0f", result) : g_strdup_printf ("%g", result);
  self->n_nodes++;
  become (left, shardwise_node_new_scalar (whole ? SHARDWISE_NODE_INTEGER : SHARDWISE_NODE_FLOAT,
                                           a->line, a->column, text, result));
}

static void
read_unary (ShardwisePython *self, Value *out)
{
  const ShardwisePythonToken sign = self->token;
  Value zero = { 0 };

  if (!enter (self))
    {
      become_unknown (self, out);
      return;
    }
  if (shardwise_python_take (self, "-") || shardwise_python_take (self, "+"))
    {
      become (&zero,
              shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, sign.line, sign.column, "0", 0));
      read_unary (self, out);
      combine (self, &sign, &zero, out);
      value_clear (out);
      *out = zero;
    }
  else if (shardwise_python_take (self, "~") || shardwise_python_take (self, "await"))
    {
      read_unary (self, out);
      become_unknown (self, out);
    }
  else
    {
      Value exponent = { 0 };
      ShardwisePythonToken power;

      read_primary (self, out);
      power = self->token;
      if (shardwise_python_take (self, "**"))
        {
          read_unary (self, &exponent);
          combine (self, &power, out, &exponent);
          value_clear (&exponent);
        }
    }
  self->depth--;
}

/* Precedence of the current operator: 1 "or" … 9 "*"; 0: not an operator. */
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

/* Operators with at least the precedence @level. */
static void
read_binary (ShardwisePython *self, guint level, Value *out)
{
  if (shardwise_python_take (self, "not"))
    {
      if (enter (self))
        read_binary (self, COMPARISONS, out);
      self->depth--;
      become_unknown (self, out);
    }
  else
    read_unary (self, out);
  for (guint here = level_here (self); here > 0 && here >= level && self->error == NULL;
       here = level_here (self))
    {
      const ShardwisePythonToken sign = self->token;
      Value right = { 0 };

      shardwise_python_next (self);
      if (here == COMPARISONS && *sign.start == 'n')
        shardwise_python_expect (self, "in");
      else if (here == COMPARISONS && sign.length == 2 && *sign.start == 'i')
        shardwise_python_take (self, "not");
      read_binary (self, here + 1, &right);
      if (here > COMPARISONS)
        combine (self, &sign, out, &right);
      else
        become_unknown (self, out);
      value_clear (&right);
    }
}

/* ---- lists ---- */

/* The rest of a list or a tuple, up to a closing bracket or the end of a line. */
static void
read_items (ShardwisePython *self, Value *value, gboolean (*ends) (ShardwisePython *))
{
  const ShardwisePythonToken where = self->token;
  ShardwiseNode *list = new_node (self, SHARDWISE_NODE_LIST, &where);
  g_autoptr (GPtrArray) targets = g_ptr_array_new_with_free_func (g_free);

  for (;;)
    {
      ShardwiseNode *item = node_of (self, value, &where);

      if (fits (item))
        shardwise_node_add (list, item);
      else
        shardwise_node_unref (item);
      g_ptr_array_add (targets, value->path != NULL ? g_strdup (value->path) : g_strdup (""));
      value_clear (value);
      if (!shardwise_python_take (self, ",") || self->error != NULL || ends (self))
        break;
      read_one (self, value);
    }
  value->node = list;
  value->targets = g_steal_pointer (&targets);
}

/* "for x in y if z …": parsed, not evaluated. */
static void
read_comprehension (ShardwisePython *self)
{
  while (self->error == NULL)
    {
      Value value = { 0 };

      shardwise_python_take (self, "async");
      if (shardwise_python_take (self, "for"))
        {
          read_targets (self, &value);
          value_clear (&value);
          shardwise_python_expect (self, "in");
          read_binary (self, 0, &value);
        }
      else if (shardwise_python_take (self, "if"))
        read_binary (self, 0, &value);
      else
        return;
      value_clear (&value);
    }
}

/* ---- whole expressions ---- */

/* The value of the current expression, up to a comma. */
static void
read_one (ShardwisePython *self, Value *out)
{
  const gsize open = self->open->len;
  Value other = { 0 };
  ShardwisePythonToken where;

  if (!enter (self))
    {
      become_unknown (self, out);
      return;
    }
  if (shardwise_python_take (self, "*") || shardwise_python_take (self, "**"))
    {
      read_binary (self, 0, out);
      become_unknown (self, out);
    }
  else if (shardwise_python_take (self, "lambda"))
    {
      while (!at_line_end (self) && !(shardwise_python_is (self, ":") && self->open->len == open))
        shardwise_python_next (self);
      shardwise_python_expect (self, ":");
      read_one (self, out);
      become_unknown (self, out);
    }
  else if (shardwise_python_take (self, "yield"))
    {
      shardwise_python_take (self, "from");
      if (!at_end (self))
        read_value (self, out);
      become_unknown (self, out);
    }
  else
    {
      read_binary (self, 0, out);
      where = self->token;
      if (shardwise_python_take (self, "if")) /* "a if b else c" */
        {
          read_binary (self, 0, &other);
          value_clear (&other);
          shardwise_python_expect (self, "else");
          read_one (self, &other);
          become_unknown (self, out);
          value_clear (&other);
        }
      else if (out->path != NULL && shardwise_python_take (self, ":=")) /* "a := b" */
        {
          read_one (self, &other);
          assign (self, out->path, &other, &where);
          value_clear (out);
          *out = other;
        }
    }
  self->depth--;
}

/* The current value; values with commas between them are a list. */
static void
read_value (ShardwisePython *self, Value *out)
{
  read_one (self, out);
  if (shardwise_python_is (self, ","))
    read_items (self, out, at_end);
}

/* The targets of a loop, before its "in". */
static void
read_targets (ShardwisePython *self, Value *out)
{
  do
    {
      value_clear (out);
      shardwise_python_take (self, "*");
      read_binary (self, COMPARISONS + 1, out);
    }
  while (shardwise_python_take (self, ",") && !shardwise_python_is (self, "in"));
}

/* ---- statements ---- */

static char *
read_dotted (ShardwisePython *self)
{
  GString *text = g_string_new (NULL);

  while (self->token.type == SHARDWISE_PYTHON_NAME || shardwise_python_is (self, ".")
         || shardwise_python_is (self, "..."))
    {
      if (shardwise_python_is (self, "import") || shardwise_python_is (self, "as"))
        break;
      g_string_append_len (text, self->token.start, (gssize) self->token.length);
      shardwise_python_next (self);
    }
  return g_string_free (text, FALSE);
}

static char *
read_plain_name (ShardwisePython *self)
{
  char *name;

  if (self->token.type != SHARDWISE_PYTHON_NAME)
    {
      shardwise_python_fail (self, &self->token, _ ("expected a name"));
      return g_strdup ("_");
    }
  name = shardwise_python_token_text (&self->token);
  shardwise_python_next (self);
  return name;
}

/* ---- imports ---- */

static void
add_import (ShardwisePython *self, const char *name, const char *full,
            const ShardwisePythonToken *where)
{
  ShardwiseNode *node = new_node (self, SHARDWISE_NODE_STRING, where);

  node->text = g_strdup (full);
  shardwise_node_add (shardwise_node_member (self->root, SHARDWISE_NODE_IMPORTS), node);
  if (strlen (full) < 500)
    g_hash_table_insert (self->aliases, g_strdup (name), g_strdup (full));
}

/* "import a.b, c as d" */
static void
read_import (ShardwisePython *self)
{
  do
    {
      const ShardwisePythonToken where = self->token;
      g_autofree char *module = read_dotted (self), *name = NULL;

      if (shardwise_python_take (self, "as"))
        {
          name = read_plain_name (self);
          add_import (self, name, module, &where);
        }
      else
        {
          name = g_strndup (module, strcspn (module, "."));
          add_import (self, name, module, &where);
          g_hash_table_insert (self->aliases, g_strdup (name), g_strdup (name));
        }
    }
  while (shardwise_python_take (self, ","));
}

/* "from a.b import c as d, (e, f)" */
static void
read_from (ShardwisePython *self)
{
  g_autofree char *module = read_dotted (self);
  gboolean bracket;

  if (!shardwise_python_expect (self, "import"))
    return;
  bracket = shardwise_python_take (self, "(");
  while (self->token.type == SHARDWISE_PYTHON_NAME || shardwise_python_is (self, "*"))
    {
      const ShardwisePythonToken where = self->token;
      g_autofree char *name = shardwise_python_token_text (&where), *as = NULL;
      g_autofree char *full = g_strconcat (module, ".", name, NULL);

      shardwise_python_next (self);
      if (shardwise_python_take (self, "as"))
        as = read_plain_name (self);
      add_import (self, as != NULL ? as : name, full, &where);
      if (!shardwise_python_take (self, ","))
        break;
    }
  if (bracket)
    shardwise_python_expect (self, ")");
}

/* ---- functions and classes ---- */

/* "name: type = default"; a constant default counts as assigned. */
static void
read_parameter (ShardwisePython *self)
{
  Value value = { 0 };
  g_autofree char *name = NULL;

  if (shardwise_python_take (self, "/")
      || (shardwise_python_take (self, "*") && shardwise_python_is (self, ",")))
    return;
  shardwise_python_take (self, "**");
  name = read_plain_name (self);
  if (shardwise_python_take (self, ":"))
    read_one (self, &value);
  value_clear (&value);
  if (!shardwise_python_take (self, "="))
    return;
  read_one (self, &value);
  if (value.node != NULL && value.node->type != SHARDWISE_NODE_MAP
      && value.node->type != SHARDWISE_NODE_NULL)
    assign (self, name, &value, &self->token);
  value_clear (&value);
}

/* The parameters of a type, the bases of a class. */
static void
skip_brackets (ShardwisePython *self, const char *bracket)
{
  const gsize open = self->open->len;

  if (!shardwise_python_is (self, bracket))
    return;
  while (self->error == NULL && self->open->len >= open)
    shardwise_python_next (self);
  shardwise_python_next (self);
}

/* ---- other statements with a block ---- */

static void
read_condition (ShardwisePython *self, gboolean is_if)
{
  Value value = { 0 };

  if (is_if && self->block == 0 && !shardwise_python_is (self, "__name__"))
    self->block = self->statement;
  read_value (self, &value);
  value_clear (&value);
}

/* Whether "match x:", "case y:" or "type x = y" begin here; elsewhere these words are names. */
static gboolean
is_soft_keyword (ShardwisePython *self)
{
  const char *start = self->token.start, *c = start + self->token.length;
  const gboolean is_case = shardwise_python_is (self, "case");

  if (!is_case && !shardwise_python_is (self, "match") && !shardwise_python_is (self, "type"))
    return FALSE;
  while (c < self->cursor.end && *c == ' ')
    c++;
  if (c == self->cursor.end || c == start + self->token.length || g_str_has_prefix (c, "in ")
      || g_str_has_prefix (c, "is ") || g_str_has_prefix (c, "if "))
    return FALSE;
  return g_ascii_isalnum (*c) || strchr (is_case ? "_\"'([{-*" : "_\"'{", *c) != NULL;
}

/* Whether it was one; then its colon is next. */
static gboolean
read_block_header (ShardwisePython *self)
{
  static const char *const plain[] = { "else", "try", "finally" };
  Value value = { 0 }, target = { 0 };

  shardwise_python_take (self, "async");
  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    if (shardwise_python_take (self, plain[i]))
      return TRUE;
  if (shardwise_python_take (self, "def"))
    {
      g_free (read_plain_name (self));
      skip_brackets (self, "[");
      shardwise_python_expect (self, "(");
      while (self->error == NULL && !shardwise_python_is (self, ")"))
        {
          read_parameter (self);
          if (!shardwise_python_take (self, ","))
            break;
        }
      shardwise_python_expect (self, ")");
      if (shardwise_python_take (self, "->"))
        read_one (self, &value);
    }
  else if (shardwise_python_take (self, "class"))
    {
      g_free (read_plain_name (self));
      skip_brackets (self, "[");
      skip_brackets (self, "(");
    }
  else if (shardwise_python_take (self, "if"))
    read_condition (self, TRUE);
  else if (shardwise_python_take (self, "elif") || shardwise_python_take (self, "while"))
    read_condition (self, FALSE);
  else if (shardwise_python_take (self, "for"))
    {
      read_targets (self, &value);
      value_clear (&value);
      shardwise_python_expect (self, "in");
      read_value (self, &value);
    }
  else if (shardwise_python_take (self, "with"))
    do
      {
        const ShardwisePythonToken where = self->token;

        read_one (self, &value);
        if (shardwise_python_take (self, "as"))
          {
            read_primary (self, &target);
            if (target.path != NULL)
              assign (self, target.path, &value, &where);
          }
        value_clear (&value);
        value_clear (&target);
      }
    while (shardwise_python_take (self, ","));
  else if (shardwise_python_take (self, "except"))
    {
      shardwise_python_take (self, "*");
      if (!shardwise_python_is (self, ":"))
        read_value (self, &value);
      if (shardwise_python_take (self, "as"))
        g_free (read_plain_name (self));
    }
  else
    return FALSE;
  value_clear (&value);
  return TRUE;
}

/* ---- simple statements ---- */

/* "a = b = value" and "a, b = 1, 2", after the first equals sign. */
static void
assign_to (ShardwisePython *self, Value *target, Value *value, const ShardwisePythonToken *where)
{
  if (target->path != NULL)
    assign (self, target->path, value, where);
  for (guint i = 0; target->targets != NULL && i < target->targets->len; i++)
    {
      const char *path = target->targets->pdata[i];
      const gboolean known = value->node != NULL && value->node->type == SHARDWISE_NODE_LIST
                             && value->node->items->len == target->targets->len;
      Value item = { 0 };

      if (*path == '\0')
        continue;
      item.node = known ? shardwise_node_ref (value->node->items->pdata[i])
                        : unknown (self, where, NULL);
      assign (self, path, &item, where);
      value_clear (&item);
    }
}

/* An expression, or assignments of the last one to all before it: "a = b = value", "target += …",
 * "target: type = value". */
static void
read_expression (ShardwisePython *self)
{
  static const char *const augmented[] = { "+=",  "-=",  "*=", "/=", "//=", "%=", "**=",
                                           ">>=", "<<=", "&=", "|=", "^=",  "@=" };
  const ShardwisePythonToken where = self->token;
  g_autoptr (GArray) targets = g_array_new (FALSE, TRUE, sizeof (Value));
  Value value = { 0 }, other = { 0 };
  guint i = 0;

  g_array_set_clear_func (targets, (GDestroyNotify) value_clear);
  read_value (self, &value);
  while (i < G_N_ELEMENTS (augmented) && !shardwise_python_take (self, augmented[i]))
    i++;
  if (i < G_N_ELEMENTS (augmented))
    {
      read_value (self, &other);
      become_unknown (self, &other);
      assign_to (self, &value, &other, &where);
    }
  else if (shardwise_python_take (self, ":"))
    read_one (self, &other);
  value_clear (&other);
  while (shardwise_python_take (self, "="))
    {
      g_array_append_val (targets, value);
      value = (Value){ 0 };
      read_value (self, &value);
    }
  for (guint j = 0; j < targets->len; j++)
    assign_to (self, &g_array_index (targets, Value, j), &value, &where);
  value_clear (&value);
}

static void
read_simple (ShardwisePython *self)
{
  static const char *const words[] = { "pass", "break", "continue" };
  static const char *const before[] = { "return", "raise", "assert", "del" };
  static const char *const scopes[] = { "global", "nonlocal" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (shardwise_python_take (self, words[i]))
      return;
  for (guint i = 0; i < G_N_ELEMENTS (before); i++)
    if (shardwise_python_take (self, before[i]) && at_end (self))
      return;
  for (guint i = 0; i < G_N_ELEMENTS (scopes); i++)
    shardwise_python_take (self, scopes[i]);
  if (shardwise_python_take (self, "import"))
    read_import (self);
  else if (shardwise_python_take (self, "from"))
    read_from (self);
  else
    read_expression (self);
  if (shardwise_python_take (self, "from")) /* raise … from … */
    read_expression (self);
}

/* ---- lines ---- */

/* A logical line from its first token. */
static void
read_line (ShardwisePython *self)
{
  const gboolean is_type = shardwise_python_is (self, "type");
  gboolean is_block;

  self->statement = self->token.column;
  if (self->statement <= self->block && !shardwise_python_is (self, "else")
      && !shardwise_python_is (self, "elif"))
    self->block = 0;
  shardwise_python_take (self, "@");
  is_block = is_soft_keyword (self);
  if (is_block)
    {
      /* Skips to the colon of its block, or to the end of the line. */
      const gsize open = self->open->len;

      while (!at_line_end (self) && !(shardwise_python_is (self, ":") && self->open->len == open))
        shardwise_python_next (self);
    }
  else
    is_block = read_block_header (self);
  if (is_block && !(is_type && at_line_end (self)))
    shardwise_python_expect (self, ":");
  while (!at_line_end (self))
    {
      self->statement = self->token.column;
      read_simple (self);
      if (!shardwise_python_take (self, ";"))
        break;
    }
  if (!at_line_end (self))
    shardwise_python_fail (self, &self->token, _ ("expected the end of the statement"));
}

/**
 * shardwise_node_from_python:
 * @text: valid UTF-8 without NUL
 * @length: its bytes
 * @error: return location for a %SHARDWISE_ERROR with line and column
 *
 * Reads the assignments and calls of a Python file. It is parsed, never executed.
 *
 * Returns: (transfer full) (nullable): its names and calls, as described in shardwise-node.h
 */
ShardwiseNode *
shardwise_node_from_python (const char *text, gsize length, GError **error)
{
  ShardwisePython self = { 0 };

  if (length > SHARDWISE_JSON_MAX_BYTES)
    {
      shardwise_json_check (text, length, error); /* sets the error */
      return NULL;
    }
  self.cursor = shardwise_cursor_begin (text, length);
  self.open = g_string_new (NULL);
  self.aliases = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self.root = shardwise_node_new (SHARDWISE_NODE_MAP, 1, 1);
  self.calls = shardwise_node_new (SHARDWISE_NODE_LIST, 1, 1);
  shardwise_node_set (self.root, SHARDWISE_NODE_CALLS, self.calls);
  shardwise_node_set (self.root, SHARDWISE_NODE_IMPORTS,
                      shardwise_node_new (SHARDWISE_NODE_LIST, 1, 1));
  shardwise_python_next (&self);
  while (self.error == NULL && self.token.type != SHARDWISE_PYTHON_END)
    if (self.token.type == SHARDWISE_PYTHON_NEWLINE)
      shardwise_python_next (&self);
    else
      read_line (&self);
  g_string_free (self.open, TRUE);
  g_hash_table_unref (self.aliases);
  if (self.error == NULL)
    return self.root;
  shardwise_node_unref (self.root);
  g_propagate_error (error, self.error);
  return NULL;
}
