/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The statements of Python 3, from top to bottom: what they assign and call. Functions are read
 * where they stand, conditions and loops once; nothing is executed. */
#include "shardwise-node-python.h"

#include "shardwise-node-python-value.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-json.h"

static gboolean
at_line_end (ShardwisePython *self)
{
  return self->token.type == SHARDWISE_PYTHON_NEWLINE || self->token.type == SHARDWISE_PYTHON_END;
}

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
      shardwise_python_fail (self, &self->token, _ ("a name is expected"));
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
  ShardwiseNode *node = shardwise_python_new (self, SHARDWISE_NODE_STRING, where);

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

/* "name: type = default"; a default that is a constant counts as assigned. */
static void
read_parameter (ShardwisePython *self)
{
  ShardwisePythonValue value = { 0 };
  g_autofree char *name = NULL;

  if (shardwise_python_take (self, "/")
      || (shardwise_python_take (self, "*") && shardwise_python_is (self, ",")))
    return;
  shardwise_python_take (self, "**");
  name = read_plain_name (self);
  if (shardwise_python_take (self, ":"))
    shardwise_python_read_one (self, &value);
  shardwise_python_value_clear (&value);
  if (!shardwise_python_take (self, "="))
    return;
  shardwise_python_read_one (self, &value);
  if (value.node != NULL && value.node->type != SHARDWISE_NODE_MAP
      && value.node->type != SHARDWISE_NODE_NULL)
    shardwise_python_assign (self, name, &value, &self->token);
  shardwise_python_value_clear (&value);
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

static void
read_def (ShardwisePython *self)
{
  ShardwisePythonValue result = { 0 };

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
    shardwise_python_read_one (self, &result);
  shardwise_python_value_clear (&result);
}

static void
read_class (ShardwisePython *self)
{
  g_free (read_plain_name (self));
  skip_brackets (self, "[");
  skip_brackets (self, "(");
}

/* ---- other statements with a block ---- */

static void
read_condition (ShardwisePython *self, gboolean is_if)
{
  ShardwisePythonValue value = { 0 };

  if (is_if && self->block == 0 && !shardwise_python_is (self, "__name__"))
    self->block = self->statement;
  shardwise_python_read_value (self, &value);
  shardwise_python_value_clear (&value);
}

static void
read_for (ShardwisePython *self)
{
  ShardwisePythonValue value = { 0 };

  shardwise_python_read_targets (self, &value);
  shardwise_python_value_clear (&value);
  shardwise_python_expect (self, "in");
  shardwise_python_read_value (self, &value);
  shardwise_python_value_clear (&value);
}

static void
read_with (ShardwisePython *self)
{
  do
    {
      const ShardwisePythonToken where = self->token;
      ShardwisePythonValue value = { 0 }, target = { 0 };

      shardwise_python_read_one (self, &value);
      if (shardwise_python_take (self, "as"))
        {
          shardwise_python_read_primary (self, &target);
          if (target.path != NULL)
            shardwise_python_assign (self, target.path, &value, &where);
        }
      shardwise_python_value_clear (&value);
      shardwise_python_value_clear (&target);
    }
  while (shardwise_python_take (self, ","));
}

static void
read_except (ShardwisePython *self)
{
  ShardwisePythonValue value = { 0 };

  shardwise_python_take (self, "*");
  if (!shardwise_python_is (self, ":"))
    shardwise_python_read_value (self, &value);
  shardwise_python_value_clear (&value);
  if (shardwise_python_take (self, "as"))
    g_free (read_plain_name (self));
}

/* Whether "match x:", "case y:" or "type x = y" begin here, which are names elsewhere. */
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

/* Whether it was one; then its colon comes next. */
static gboolean
read_block_header (ShardwisePython *self)
{
  static const char *const plain[] = { "else", "try", "finally" };

  shardwise_python_take (self, "async");
  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    if (shardwise_python_take (self, plain[i]))
      return TRUE;
  if (shardwise_python_take (self, "def"))
    read_def (self);
  else if (shardwise_python_take (self, "class"))
    read_class (self);
  else if (shardwise_python_take (self, "if"))
    read_condition (self, TRUE);
  else if (shardwise_python_take (self, "elif") || shardwise_python_take (self, "while"))
    read_condition (self, FALSE);
  else if (shardwise_python_take (self, "for"))
    read_for (self);
  else if (shardwise_python_take (self, "with"))
    read_with (self);
  else if (shardwise_python_take (self, "except"))
    read_except (self);
  else
    return FALSE;
  return TRUE;
}

/* ---- simple statements ---- */

/* "a = b = value" and "a, b = 1, 2", after the first equals sign. */
static void
assign_to (ShardwisePython *self, ShardwisePythonValue *target, ShardwisePythonValue *value,
           const ShardwisePythonToken *where)
{
  if (target->path != NULL)
    shardwise_python_assign (self, target->path, value, where);
  for (guint i = 0; target->targets != NULL && i < target->targets->len; i++)
    {
      const char *path = target->targets->pdata[i];
      const gboolean known = value->node != NULL && value->node->type == SHARDWISE_NODE_LIST
                             && value->node->items->len == target->targets->len;
      ShardwisePythonValue item = { 0 };

      if (*path == '\0')
        continue;
      item.node = known ? shardwise_node_ref (value->node->items->pdata[i])
                        : shardwise_python_unknown (self, where, NULL);
      shardwise_python_assign (self, path, &item, where);
      shardwise_python_value_clear (&item);
    }
}

static gboolean
take_augmented (ShardwisePython *self)
{
  static const char *const operators[] = { "+=",  "-=",  "*=", "/=", "//=", "%=", "**=",
                                           ">>=", "<<=", "&=", "|=", "^=",  "@=" };

  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    if (shardwise_python_take (self, operators[i]))
      return TRUE;
  return FALSE;
}

/* "target += …" and "target: type", after the target. */
static void
read_target_rest (ShardwisePython *self, ShardwisePythonValue *target,
                  const ShardwisePythonToken *where)
{
  ShardwisePythonValue value = { 0 };

  if (take_augmented (self))
    {
      shardwise_python_read_value (self, &value);
      shardwise_python_become_unknown (self, &value);
      assign_to (self, target, &value, where);
    }
  else if (shardwise_python_take (self, ":"))
    shardwise_python_read_one (self, &value);
  shardwise_python_value_clear (&value);
}

/* An expression, or assignments of the last one to all before it. */
static void
read_expression (ShardwisePython *self)
{
  const ShardwisePythonToken where = self->token;
  g_autoptr (GArray) targets = g_array_new (FALSE, TRUE, sizeof (ShardwisePythonValue));
  ShardwisePythonValue value = { 0 };

  g_array_set_clear_func (targets, (GDestroyNotify) shardwise_python_value_clear);
  shardwise_python_read_value (self, &value);
  read_target_rest (self, &value, &where);
  while (shardwise_python_take (self, "="))
    {
      g_array_append_val (targets, value);
      value = (ShardwisePythonValue){ 0 };
      shardwise_python_read_value (self, &value);
    }
  for (guint i = 0; i < targets->len; i++)
    assign_to (self, &g_array_index (targets, ShardwisePythonValue, i), &value, &where);
  shardwise_python_value_clear (&value);
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
    if (shardwise_python_take (self, before[i]) && shardwise_python_at_end (self))
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
      /* To the colon of its block, or to the end of the line. */
      const gsize open = self->open->len;

      while (!at_line_end (self) && !(shardwise_python_is (self, ":") && self->open->len == open))
        shardwise_python_next (self);
    }
  else
    is_block = read_block_header (self);
  if (is_block && !(is_type && at_line_end (self)))
    shardwise_python_expect (self, ":");
  if (!at_line_end (self))
    {
      do
        {
          self->statement = self->token.column;
          read_simple (self);
        }
      while (shardwise_python_take (self, ";") && !at_line_end (self));
    }
  if (!at_line_end (self))
    shardwise_python_fail (self, &self->token, _ ("the end of the statement is expected"));
}

/**
 * shardwise_node_from_python:
 * @text: valid UTF-8 without NUL
 * @length: its bytes
 * @error: return location for a %SHARDWISE_ERROR with line and column
 *
 * Reads what a Python file assigns and calls. It is parsed, never executed.
 *
 * Returns: (transfer full) (nullable): its names and calls, as shardwise-node.h says
 */
ShardwiseNode *
shardwise_node_from_python (const char *text, gsize length, GError **error)
{
  ShardwisePython self = { 0 };

  if (length > SHARDWISE_JSON_MAX_BYTES)
    {
      shardwise_json_check (text, length, error); /* says so */
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
