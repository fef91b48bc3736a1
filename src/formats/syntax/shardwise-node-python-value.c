/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of Python 3: what names stand for, atoms (literals, names, attributes, calls), and the
 * expressions made of them. Maps are copied where a name is used, so that none holds itself; lists
 * are shared, since nothing is assigned into them. */
#include "shardwise-node-python-value.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-json.h"
#include "shardwise-node-python.h"

#define MAX_PARTS 32 /* of a dotted name */

static void shardwise_python_become (ShardwisePythonValue *value, ShardwiseNode *node);

static void
shardwise_python_read_binary (ShardwisePython *self, guint level, ShardwisePythonValue *out);

static void shardwise_python_read_items (ShardwisePython *self, ShardwisePythonValue *value,
                                         gboolean (*ends) (ShardwisePython *));

static gboolean shardwise_python_at_bracket (ShardwisePython *self);

static void shardwise_python_read_comprehension (ShardwisePython *self);

/**
 * shardwise_python_new:
 * @self: a text
 * @type: the kind of value
 * @where: what it is read from
 *
 * Returns: (transfer full): an empty value, which counts towards the most that a file may have
 */
ShardwiseNode *
shardwise_python_new (ShardwisePython *self, ShardwiseNodeType type,
                      const ShardwisePythonToken *where)
{
  if (++self->n_nodes > SHARDWISE_PYTHON_MAX_NODES)
    shardwise_python_fail (self, where, _ ("more values than are read: a million"));
  return shardwise_node_new (type, where->line, where->column);
}

/* Whether @item may stand inside another value; what is too deep is left out. */
static gboolean
shardwise_python_fits (const ShardwiseNode *item)
{
  return item->height < SHARDWISE_JSON_MAX_DEPTH;
}

/**
 * shardwise_python_unknown:
 * @self: a text
 * @where: what it is read from
 * @name: (nullable): a name from elsewhere
 *
 * Returns: (transfer full): a value that the file does not state
 */
ShardwiseNode *
shardwise_python_unknown (ShardwisePython *self, const ShardwisePythonToken *where,
                          const char *name)
{
  ShardwiseNode *node = shardwise_python_new (self, SHARDWISE_NODE_STRING, where);

  node->text = g_strdup_printf ("%c%s", SHARDWISE_NODE_UNKNOWN, name != NULL ? name : "");
  return node;
}

/* ---- names ---- */

/*
 * shardwise_python_full_name:
 * @self: a text
 * @path: a dotted name as it is written
 *
 * Returns: (transfer full): the same where imports and other names for it are put in
 */
static char *
shardwise_python_full_name (ShardwisePython *self, const char *path)
{
  gsize length = strcspn (path, ".");
  g_autofree char *first = g_strndup (path, length);
  const char *stands_for = g_hash_table_lookup (self->aliases, first);

  return g_strconcat (stands_for != NULL ? stands_for : first, path + length, NULL);
}

static ShardwiseNode *
copy_map (ShardwisePython *self, const ShardwiseNode *node, const ShardwisePythonToken *where)
{
  ShardwiseNode *copy = shardwise_python_new (self, SHARDWISE_NODE_MAP, where);

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

/*
 * shardwise_python_node:
 * @self: a text
 * @value: an expression
 * @where: where it is used
 *
 * Returns: (transfer full): its value
 */
static ShardwiseNode *
shardwise_python_node (ShardwisePython *self, ShardwisePythonValue *value,
                       const ShardwisePythonToken *where)
{
  g_autofree char *name = NULL;
  ShardwiseNode *node;

  if (value->node != NULL)
    return shardwise_node_ref (value->node);
  if (value->path == NULL)
    return shardwise_python_unknown (self, where, NULL);
  name = shardwise_python_full_name (self, value->path);
  node = shardwise_node_find (self->root, name);
  if (node == NULL || self->error != NULL)
    return shardwise_python_unknown (self, where, name);
  return node->type == SHARDWISE_NODE_MAP ? copy_map (self, node, where)
                                          : shardwise_node_ref (node);
}

/* ---- assignments ---- */

/* A value that hangs on a condition, which is not evaluated. */
static void
note_condition (ShardwisePython *self, const ShardwiseNode *node, const ShardwisePythonToken *where)
{
  if (self->block == 0 || self->statement <= self->block
      || (node->type != SHARDWISE_NODE_BOOLEAN && !shardwise_node_is_number (node))
      || shardwise_node_member (self->root, SHARDWISE_NODE_CONDITION) != NULL)
    return;
  shardwise_node_set (self->root, SHARDWISE_NODE_CONDITION,
                      shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, where->line, where->column,
                                                 "", where->line));
}

static gboolean
is_path_of (const ShardwiseNode *node)
{
  return node == NULL || node->type == SHARDWISE_NODE_MAP;
}

/**
 * shardwise_python_assign:
 * @self: a text
 * @path: a dotted name as it is written
 * @value: what it becomes
 * @where: where it stands
 *
 * A name for something that has attributes is another name for it; an attribute is a copy.
 */
void
shardwise_python_assign (ShardwisePython *self, const char *path, ShardwisePythonValue *value,
                         const ShardwisePythonToken *where)
{
  const gboolean is_plain = strchr (path, '.') == NULL;
  g_autofree char *name = NULL, *of = NULL;
  ShardwiseNode *node;

  if (self->error != NULL)
    return;
  of = value->node == NULL && value->path != NULL ? shardwise_python_full_name (self, value->path)
                                                  : NULL;
  if (is_plain && of != NULL && is_path_of (shardwise_node_find (self->root, of)))
    {
      if (!g_str_equal (of, path) && strlen (of) < 500)
        g_hash_table_insert (self->aliases, g_strdup (path), g_steal_pointer (&of));
      return;
    }
  node = shardwise_python_node (self, value, where);
  note_condition (self, node, where);
  if (is_plain)
    g_hash_table_remove (self->aliases, path);
  name = shardwise_python_full_name (self, path);

  /* Puts @node there; what stands in the way of an attribute becomes a map. Takes @node. */
  g_auto (GStrv) parts = g_strsplit (name, ".", MAX_PARTS + 2);
  guint n = g_strv_length (parts);
  ShardwiseNode *map = self->root;

  if (n > MAX_PARTS || !shardwise_python_fits (node))
    {
      shardwise_node_unref (node);
      return;
    }
  for (guint i = 0; i + 1 < n; i++)
    {
      ShardwiseNode *inner = shardwise_node_member (map, parts[i]);

      if (inner == NULL || inner->type != SHARDWISE_NODE_MAP)
        {
          inner = shardwise_python_new (self, SHARDWISE_NODE_MAP, where);
          shardwise_node_set (map, parts[i], inner);
        }
      map = inner;
    }
  shardwise_node_set (map, parts[n - 1], node);
}

/* Takes note of a call; takes @call. */
static void
shardwise_python_add_call (ShardwisePython *self, ShardwiseNode *call)
{
  g_ptr_array_add (self->calls->items, call);
}

/* The values of Python 3 that operators join: literals, names, attributes, calls. */

/* ---- calls and subscripts ---- */

/* "**options": what a map holds. */
static void
add_keywords (ShardwisePython *self, ShardwiseNode *call, const ShardwisePythonToken *where)
{
  ShardwisePythonValue value = { 0 };
  g_autoptr (ShardwiseNode) map = NULL;

  shardwise_python_read_binary (self, 0, &value);
  map = shardwise_python_node (self, &value, where);
  shardwise_python_value_clear (&value);
  if (map->type != SHARDWISE_NODE_MAP || !shardwise_python_fits (map))
    return;
  self->n_nodes += map->keys->len;
  for (guint i = 0; i < map->keys->len; i++)
    shardwise_node_set (call, map->keys->pdata[i], shardwise_node_ref (map->items->pdata[i]));
}

static void
read_argument (ShardwisePython *self, ShardwiseNode *call, ShardwiseNode *arguments)
{
  const ShardwisePythonToken where = self->token;
  ShardwisePythonValue value = { 0 };
  g_autofree char *keyword = NULL;
  ShardwiseNode *node;

  if (shardwise_python_take (self, "**"))
    {
      add_keywords (self, call, &where);
      return;
    }
  shardwise_python_read_one (self, &value);
  if (value.path != NULL && strchr (value.path, '.') == NULL && shardwise_python_take (self, "="))
    {
      keyword = g_steal_pointer (&value.path);
      shardwise_python_read_one (self, &value);
    }
  if (shardwise_python_is (self, "for") || shardwise_python_is (self, "async"))
    {
      shardwise_python_read_comprehension (self);
      shardwise_python_become_unknown (self, &value);
    }
  node = shardwise_python_node (self, &value, &where);
  shardwise_python_value_clear (&value);
  if (!shardwise_python_fits (node))
    shardwise_node_unref (node);
  else if (keyword != NULL)
    shardwise_node_set (call, keyword, node);
  else
    shardwise_node_add (arguments, node);
}

/* int (8), float ("…"), tuple ([…]): the argument itself, where it is a constant. */
static ShardwiseNode *
converted (const char *callee, const ShardwiseNode *arguments)
{
  static const char *const names[] = { "int", "float", "bool", "str", "tuple", "list", NULL };
  ShardwiseNode *first = arguments->items->len == 1 ? arguments->items->pdata[0] : NULL;

  if (first == NULL || !g_strv_contains (names, callee) || first->type == SHARDWISE_NODE_MAP)
    return NULL;
  if (g_str_equal (callee, "int") && first->type == SHARDWISE_NODE_FLOAT)
    {
      g_autofree char *text = g_strdup_printf ("%.0f", trunc (first->number));

      return shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, first->line, first->column, text,
                                        trunc (first->number));
    }
  return shardwise_node_ref (first);
}

/* What is called: a name, or the last part of one. */
static char *
callee_of (ShardwisePython *self, const ShardwisePythonValue *value)
{
  if (value->path != NULL)
    return shardwise_python_full_name (self, value->path);
  if (value->node != NULL && value->node->type == SHARDWISE_NODE_STRING
      && value->node->text[0] == SHARDWISE_NODE_UNKNOWN)
    return g_strdup (value->node->text + 1);
  return g_strdup ("");
}

static void
read_call (ShardwisePython *self, ShardwisePythonValue *value)
{
  const ShardwisePythonToken where = self->token;
  g_autofree char *callee = callee_of (self, value);
  ShardwiseNode *call = shardwise_python_new (self, SHARDWISE_NODE_MAP, &where),
                *arguments = shardwise_python_new (self, SHARDWISE_NODE_LIST, &where), *constant;

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
  constant = converted (callee, arguments);
  shardwise_node_set (call, SHARDWISE_NODE_ARGUMENTS, arguments);
  shardwise_python_become (value, constant != NULL ? constant : shardwise_node_ref (call));
  shardwise_python_add_call (self, call);
}

/* "a", "a:b:c" and several of them; the only one, where it is a constant. */
static ShardwiseNode *
read_subscript (ShardwisePython *self)
{
  g_autoptr (ShardwiseNode) only = NULL;
  guint n = 0;

  shardwise_python_next (self);
  while (self->error == NULL && !shardwise_python_is (self, "]"))
    {
      ShardwisePythonValue value = { 0 };

      if (shardwise_python_take (self, ":") || shardwise_python_take (self, ","))
        {
          n += 2;
          continue;
        }
      shardwise_python_read_one (self, &value);
      n++;
      g_clear_pointer (&only, shardwise_node_unref);
      only = shardwise_python_node (self, &value, &self->token);
      shardwise_python_value_clear (&value);
      if (!shardwise_python_is (self, ":") && !shardwise_python_is (self, ","))
        break;
    }
  shardwise_python_expect (self, "]");
  return n == 1 ? g_steal_pointer (&only) : NULL;
}

static void
subscribe (ShardwisePython *self, ShardwisePythonValue *value)
{
  const ShardwisePythonToken where = self->token;
  g_autoptr (ShardwiseNode) key = read_subscript (self);
  g_autoptr (ShardwiseNode) base = NULL;
  ShardwiseNode *item = NULL;

  if (key != NULL && key->type == SHARDWISE_NODE_STRING && value->path != NULL
      && key->text[0] != '\0' && strpbrk (key->text, ".()*\x01") == NULL)
    {
      g_autofree char *path = g_strconcat (value->path, ".", key->text, NULL);

      shardwise_python_value_clear (value);
      value->path = g_steal_pointer (&path);
      return;
    }
  base = shardwise_python_node (self, value, &where);
  if (key != NULL && key->type == SHARDWISE_NODE_STRING)
    item = shardwise_node_member (base, key->text);
  else if (key != NULL && key->type == SHARDWISE_NODE_INTEGER && base->type == SHARDWISE_NODE_LIST
           && key->number >= 0 && key->number < base->items->len)
    item = base->items->pdata[(guint) key->number];
  if (item != NULL)
    shardwise_python_become (value, shardwise_node_ref (item));
  else
    shardwise_python_become_unknown (self, value);
}

static void
read_attribute (ShardwisePython *self, ShardwisePythonValue *value)
{
  g_autofree char *name = NULL;
  ShardwiseNode *member;

  shardwise_python_next (self);
  if (self->token.type != SHARDWISE_PYTHON_NAME)
    {
      shardwise_python_fail (self, &self->token, _ ("the name of an attribute is expected"));
      return;
    }
  name = shardwise_python_token_text (&self->token);
  if (value->path != NULL)
    {
      g_autofree char *path = g_strconcat (value->path, ".", name, NULL);

      g_free (value->path);
      value->path = g_steal_pointer (&path);
    }
  else
    {
      member = shardwise_node_member (value->node, name);
      shardwise_python_become (value, member != NULL
                                          ? shardwise_node_ref (member)
                                          : shardwise_python_unknown (self, &self->token, name));
    }
  shardwise_python_next (self);
}

/* ---- atoms ---- */

/* After "(" or "["; "(x)" is x. */
static void
read_brackets (ShardwisePython *self, const char *close, ShardwisePythonValue *out)
{
  if (shardwise_python_is (self, close))
    out->node = shardwise_python_new (self, SHARDWISE_NODE_LIST, &self->token);
  else
    {
      shardwise_python_read_one (self, out);
      if (shardwise_python_take (self, "as")) /* with (open (…) as file, …): */
        {
          shardwise_python_value_clear (out);
          shardwise_python_read_one (self, out);
        }
      if (shardwise_python_is (self, "for") || shardwise_python_is (self, "async"))
        {
          shardwise_python_read_comprehension (self);
          shardwise_python_become_unknown (self, out);
        }
      else if (*close == ']' || shardwise_python_is (self, ","))
        shardwise_python_read_items (self, out, shardwise_python_at_bracket);
    }
  shardwise_python_expect (self, close);
}

/* One of a dictionary, or of a set: the value of a key that is a text. */
static void
read_entry (ShardwisePython *self, ShardwiseNode *map)
{
  const ShardwisePythonToken where = self->token;
  ShardwisePythonValue value = { 0 };
  g_autoptr (ShardwiseNode) key = NULL;
  ShardwiseNode *node;

  if (shardwise_python_take (self, "**"))
    {
      add_keywords (self, map, &where);
      return;
    }
  shardwise_python_read_one (self, &value);
  key = shardwise_python_node (self, &value, &where);
  shardwise_python_value_clear (&value);
  if (!shardwise_python_take (self, ":"))
    return;
  shardwise_python_read_one (self, &value);
  node = shardwise_python_node (self, &value, &where);
  shardwise_python_value_clear (&value);
  if (key->text != NULL && shardwise_python_fits (node))
    shardwise_node_set (map, key->text, node);
  else
    shardwise_node_unref (node);
}

/* Strings that stand side by side are one. */
static void
read_strings (ShardwisePython *self, ShardwisePythonValue *out)
{
  const ShardwisePythonToken where = self->token;
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean known = TRUE;

  for (; self->token.type == SHARDWISE_PYTHON_STRING
         || self->token.type == SHARDWISE_PYTHON_FORMATTED;
       shardwise_python_next (self))
    if (self->token.type == SHARDWISE_PYTHON_STRING)
      shardwise_python_append_string (&self->token, text);
    else
      known = FALSE;
  if (!known)
    {
      out->node = shardwise_python_unknown (self, &where, NULL);
      return;
    }
  out->node = shardwise_python_new (self, SHARDWISE_NODE_STRING, &where);
  out->node->text = g_strdup (text->str);
}

/* A name, or one of the constants that have one. */
static void
read_name (ShardwisePython *self, ShardwisePythonValue *out)
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
      shardwise_python_fail (self, &where, _ ("a value is expected"));
      return;
    }
  shardwise_python_next (self);
  if (g_str_equal (text, "None"))
    out->node = shardwise_python_new (self, SHARDWISE_NODE_NULL, &where);
  else if (g_str_equal (text, "True") || g_str_equal (text, "False"))
    {
      out->node = shardwise_python_new (self, SHARDWISE_NODE_BOOLEAN, &where);
      out->node->number = *text == 'T';
      out->node->text = g_steal_pointer (&text);
    }
  else
    out->path = g_steal_pointer (&text);
}

static void
read_atom (ShardwisePython *self, ShardwisePythonValue *out)
{
  const ShardwisePythonToken where = self->token;

  switch (where.type)
    {
    case SHARDWISE_PYTHON_NUMBER:
      out->node = shardwise_python_number (&where);
      self->n_nodes++;
      shardwise_python_next (self);
      break;
    case SHARDWISE_PYTHON_STRING:
    case SHARDWISE_PYTHON_FORMATTED: read_strings (self, out); break;
    case SHARDWISE_PYTHON_NAME: read_name (self, out); break;
    case SHARDWISE_PYTHON_OPERATOR:
      if (shardwise_python_take (self, "("))
        read_brackets (self, ")", out);
      else if (shardwise_python_take (self, "["))
        read_brackets (self, "]", out);
      else if (shardwise_python_take (self, "{"))
        {
          ShardwiseNode *map = shardwise_python_new (self, SHARDWISE_NODE_MAP, &self->token);

          while (self->error == NULL && !shardwise_python_is (self, "}"))
            {
              read_entry (self, map);
              if (shardwise_python_is (self, "for") || shardwise_python_is (self, "async"))
                shardwise_python_read_comprehension (self);
              if (!shardwise_python_take (self, ","))
                break;
            }
          shardwise_python_expect (self, "}");
          out->node = map;
        }
      else if (!shardwise_python_take (self, "..."))
        shardwise_python_fail (self, &where, _ ("a value is expected"));
      break;
    case SHARDWISE_PYTHON_END:
    case SHARDWISE_PYTHON_NEWLINE:
    default: shardwise_python_fail (self, &where, _ ("a value is expected")); break;
    }
  if (out->node == NULL && out->path == NULL)
    out->node = shardwise_python_unknown (self, &where, NULL);
}

void
shardwise_python_read_primary (ShardwisePython *self, ShardwisePythonValue *out)
{
  read_atom (self, out);
  while (self->error == NULL)
    if (shardwise_python_is (self, "."))
      read_attribute (self, out);
    else if (shardwise_python_is (self, "("))
      read_call (self, out);
    else if (shardwise_python_is (self, "["))
      subscribe (self, out);
    else
      return;
}

/* The expressions of Python 3: arithmetic on numbers, and what is only read. What is neither a
 * constant, a name nor a call counts as not known. */

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
static void
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
static void
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
static void
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
static gboolean
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
static void
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
