/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of Python 3 that operators join: literals, names, attributes, calls. */
#include "shardwise-node-python.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

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
