/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-yaml.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
#include <yaml.h>

#include "shardwise-json.h"
#include "shardwise-node.h"

struct _ShardwiseYaml {
  yaml_emitter_t emitter;
  GString *text;
};

static int
write_cb (void *data, unsigned char *buffer, size_t size)
{
  g_string_append_len (data, (const char *) buffer, (gssize) size);
  return 1;
}

/* Every event is built from values of this program, so it only fails without memory, and then GLib
 * aborts too. */
static void
emit (ShardwiseYaml *self, yaml_event_t *event, int initialised)
{
  if (!initialised || !yaml_emitter_emit (&self->emitter, event))
    g_error ("YAML: %s", self->emitter.problem != NULL ? self->emitter.problem : "no memory");
}

static void
emit_scalar (ShardwiseYaml *self, const char *value, yaml_scalar_style_t style)
{
  yaml_event_t event;

  emit (self, &event,
        yaml_scalar_event_initialize (&event, NULL, NULL, (const yaml_char_t *) value, -1,
                                      style == YAML_PLAIN_SCALAR_STYLE, TRUE, style));
}

static void
emit_key (ShardwiseYaml *self, const char *key)
{
  if (key != NULL)
    emit_scalar (self, key, YAML_PLAIN_SCALAR_STYLE);
}

/**
 * shardwise_yaml_new:
 *
 * Returns: (transfer full): a document whose root is a mapping
 */
ShardwiseYaml *
shardwise_yaml_new (void)
{
  ShardwiseYaml *self = g_new0 (ShardwiseYaml, 1);
  yaml_event_t event;

  self->text = g_string_new (NULL);
  if (!yaml_emitter_initialize (&self->emitter))
    g_error ("YAML: no memory");
  yaml_emitter_set_output (&self->emitter, write_cb, self->text);
  yaml_emitter_set_unicode (&self->emitter, TRUE);
  yaml_emitter_set_width (&self->emitter, -1);
  emit (self, &event, yaml_stream_start_event_initialize (&event, YAML_UTF8_ENCODING));
  emit (self, &event, yaml_document_start_event_initialize (&event, NULL, NULL, NULL, TRUE));
  shardwise_yaml_begin_map (self, NULL);

  return self;
}

/**
 * shardwise_yaml_finish:
 * @self: (transfer full): a document
 *
 * Returns: (transfer full): its text
 */
char *
shardwise_yaml_finish (ShardwiseYaml *self)
{
  yaml_event_t event;
  char *text;

  shardwise_yaml_end_map (self);
  emit (self, &event, yaml_document_end_event_initialize (&event, TRUE));
  emit (self, &event, yaml_stream_end_event_initialize (&event));
  yaml_emitter_delete (&self->emitter);
  text = g_string_free (self->text, FALSE);
  g_free (self);

  return text;
}

/**
 * shardwise_yaml_begin_map:
 * @self: a document
 * @key: (nullable): the key in the mapping around it, %NULL in a sequence
 */
void
shardwise_yaml_begin_map (ShardwiseYaml *self, const char *key)
{
  yaml_event_t event;

  emit_key (self, key);
  emit (self, &event,
        yaml_mapping_start_event_initialize (&event, NULL, NULL, TRUE, YAML_BLOCK_MAPPING_STYLE));
}

/**
 * shardwise_yaml_end_map:
 * @self: a document
 */
void
shardwise_yaml_end_map (ShardwiseYaml *self)
{
  yaml_event_t event;

  emit (self, &event, yaml_mapping_end_event_initialize (&event));
}

/**
 * shardwise_yaml_begin_list:
 * @self: a document
 * @key: (nullable): the key in the mapping around it
 */
void
shardwise_yaml_begin_list (ShardwiseYaml *self, const char *key)
{
  yaml_event_t event;

  emit_key (self, key);
  emit (self, &event,
        yaml_sequence_start_event_initialize (&event, NULL, NULL, TRUE, YAML_BLOCK_SEQUENCE_STYLE));
}

/**
 * shardwise_yaml_end_list:
 * @self: a document
 */
void
shardwise_yaml_end_list (ShardwiseYaml *self)
{
  yaml_event_t event;

  emit (self, &event, yaml_sequence_end_event_initialize (&event));
}

/**
 * shardwise_yaml_int:
 * @self: a document
 * @key: (nullable): the key
 * @value: an integer
 */
void
shardwise_yaml_int (ShardwiseYaml *self, const char *key, gint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);

  shardwise_yaml_word (self, key, text);
}

/**
 * shardwise_yaml_bool:
 * @self: a document
 * @key: (nullable): the key
 * @value: a truth value
 */
void
shardwise_yaml_bool (ShardwiseYaml *self, const char *key, gboolean value)
{
  shardwise_yaml_word (self, key, value ? "true" : "false");
}

/**
 * shardwise_yaml_null:
 * @self: a document
 * @key: (nullable): the key
 */
void
shardwise_yaml_null (ShardwiseYaml *self, const char *key)
{
  shardwise_yaml_word (self, key, "null");
}

/**
 * shardwise_yaml_word:
 * @self: a document
 * @key: (nullable): the key
 * @value: a constant of the format, or a number, written without quotes. YAML 1.1 requires a dot
 * and a signed exponent in a float: "1.0e-08", since it reads "1e-8" as a string
 */
void
shardwise_yaml_word (ShardwiseYaml *self, const char *key, const char *value)
{
  emit_key (self, key);
  emit_scalar (self, value, YAML_PLAIN_SCALAR_STYLE);
}

/**
 * shardwise_yaml_string:
 * @self: a document
 * @key: (nullable): the key
 * @value: any string, written in double quotes
 */
void
shardwise_yaml_string (ShardwiseYaml *self, const char *key, const char *value)
{
  emit_key (self, key);
  emit_scalar (self, value, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
}

/* YAML through libyaml, with the types that PyYAML's safe loader gives to plain scalars: all
 * frameworks read their files with it. */

#define MAX_MERGED 1000000

/* An open list or map, and the key that waits for its value. */
typedef struct {
  ShardwiseNode *node;
  char *key, *anchor;
} Level;

typedef struct {
  yaml_parser_t parser;
  GArray *levels; /* Level elements */
  GHashTable *anchors;
  ShardwiseNode *root;
  GError *error;
  guint n_merged; /* keys from "<<" */
  guint repeated; /* the line of the first duplicate key */
} Reader;

static gboolean
fail (Reader *self, const yaml_mark_t *mark, const char *text)
{
  if (self->error == NULL)
    self->error = shardwise_position_error ((guint) mark->line + 1, (guint) mark->column + 1, "%s",
                                            text);
  return FALSE;
}

/* ---- scalars (YAML 1.1 as PyYAML's resolver has it) ---- */

/* A point is required, and a sign in the exponent: "1e-8" and "1.0e8" are strings. */
static gboolean
is_float (const char *plain, double *value)
{
  const char *point = strchr (plain, '.'), *exponent = strpbrk (plain, "eE");
  char *end;

  if (point == NULL || strpbrk (plain, "xXnN") != NULL
      || (exponent != NULL && (exponent < point || (exponent[1] != '+' && exponent[1] != '-'))))
    return FALSE;
  *value = g_ascii_strtod (plain, &end);
  return end != plain && *end == '\0' && isfinite (*value);
}

static ShardwiseNode *
plain_scalar (const char *text, guint line, guint column)
{
  static const char *const nulls[] = { "", "~", "null", "Null", "NULL", NULL };
  static const char *const yes[] = { "yes",  "Yes", "YES", "true", "True",
                                     "TRUE", "on",  "On",  "ON",   NULL };
  static const char *const no[] = { "no",    "No",  "NO",  "false", "False",
                                    "FALSE", "off", "Off", "OFF",   NULL };
  g_auto (GStrv) parts = g_strsplit (text, "_", -1);
  g_autofree char *digits = g_strjoinv ("", parts);
  const gboolean is_true = g_strv_contains (yes, text);
  double number;

  if (g_strv_contains (nulls, text))
    return shardwise_node_new (SHARDWISE_NODE_NULL, line, column);
  if (is_true || g_strv_contains (no, text))
    return shardwise_node_new_scalar (SHARDWISE_NODE_BOOLEAN, line, column, text, is_true);
  if (strlen (text) < 40 && shardwise_node_read_integer (digits, TRUE, &number))
    return shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, line, column, text, number);
  if (strlen (text) < 400 && is_float (digits, &number))
    return shardwise_node_new_scalar (SHARDWISE_NODE_FLOAT, line, column, text, number);
  return shardwise_node_new_scalar (SHARDWISE_NODE_STRING, line, column, text, 0);
}

/* ---- structure ---- */

static gboolean
check_height (Reader *self, const ShardwiseNode *node, const yaml_mark_t *mark)
{
  g_autofree char *text = NULL;

  if (self->levels->len + node->height <= SHARDWISE_JSON_MAX_DEPTH)
    return TRUE;
  text = g_strdup_printf (_ ("nested more than %d levels deep"), SHARDWISE_JSON_MAX_DEPTH);
  return fail (self, mark, text);
}

/* Stores a complete value in its place; takes ownership of @node. */
static gboolean
place (Reader *self, ShardwiseNode *node, const yaml_mark_t *mark)
{
  Level *top;

  if (!check_height (self, node, mark))
    {
      shardwise_node_unref (node);
      return FALSE;
    }
  if (self->levels->len == 0)
    {
      self->root = node;
      return TRUE;
    }
  top = &g_array_index (self->levels, Level, self->levels->len - 1);
  if (top->node->type == SHARDWISE_NODE_LIST)
    {
      shardwise_node_add (top->node, node);
      return TRUE;
    }
  if (top->key == NULL)
    {
      top->key = node->text != NULL ? g_strdup (node->text) : NULL;
      shardwise_node_unref (node);
      return top->key != NULL || fail (self, mark, _ ("a key that is not a word or number"));
    }
  if (g_str_equal (top->key, "<<"))
    {
      const gboolean is_list = node->type == SHARDWISE_NODE_LIST;
      gboolean good = is_list || node->type == SHARDWISE_NODE_MAP;

      for (guint i = 0; is_list && i < node->items->len; i++)
        good = good && ((const ShardwiseNode *) node->items->pdata[i])->type == SHARDWISE_NODE_MAP;
      if (!good)
        {
          shardwise_node_unref (node);
          return fail (self, mark, _ ("wrong after <<; allowed: a map, or a list of maps"));
        }
    }
  /* Like PyYAML, which keeps the last of two values for one key. */
  if (!shardwise_node_set (top->node, top->key, node) && self->repeated == 0)
    self->repeated = (guint) mark->line + 1;
  g_clear_pointer (&top->key, g_free);
  return TRUE;
}

static void
remember (Reader *self, const char *anchor, ShardwiseNode *node)
{
  if (anchor != NULL)
    g_hash_table_insert (self->anchors, g_strdup (anchor), shardwise_node_ref (node));
}

/* Python's safe loader ignores tags other than YAML's own, and no tag creates anything here. */
static gboolean
check_tag (Reader *self, const yaml_char_t *tag, const yaml_mark_t *mark)
{
  g_autofree char *text = NULL;

  if (tag == NULL || g_str_equal ((const char *) tag, "!")
      || (g_str_has_prefix ((const char *) tag, "tag:yaml.org,2002:")
          && strchr ((const char *) tag, '/') == NULL))
    return TRUE;
  text = g_strdup_printf (_ ("the tag “%.60s” is rejected; allowed: a value without a tag"),
                          (const char *) tag);
  return fail (self, mark, text);
}

static gboolean
read_scalar (Reader *self, const yaml_event_t *event)
{
  const char *text = (const char *) event->data.scalar.value;
  const guint line = (guint) event->start_mark.line + 1,
              column = (guint) event->start_mark.column + 1;
  ShardwiseNode *node;

  if (strlen (text) != event->data.scalar.length)
    return fail (self, &event->start_mark, _ ("a string cannot hold the character U+0000"));
  if (!check_tag (self, event->data.scalar.tag, &event->start_mark))
    return FALSE;
  node = event->data.scalar.plain_implicit
             ? plain_scalar (text, line, column)
             : shardwise_node_new_scalar (SHARDWISE_NODE_STRING, line, column, text, 0);
  remember (self, (const char *) event->data.scalar.anchor, node);
  return place (self, node, &event->start_mark);
}

static gboolean
open_level (Reader *self, ShardwiseNodeType type, const yaml_char_t *anchor, const yaml_char_t *tag,
            const yaml_event_t *event)
{
  Level level = { .node = shardwise_node_new (type, (guint) event->start_mark.line + 1,
                                              (guint) event->start_mark.column + 1),
                  .anchor = g_strdup ((const char *) anchor) };

  g_array_append_val (self->levels, level);
  if (!check_tag (self, tag, &event->start_mark))
    return FALSE;
  if (self->levels->len <= SHARDWISE_JSON_MAX_DEPTH)
    return TRUE;
  return check_height (self, level.node, &event->start_mark);
}

static void
level_clear (gpointer data)
{
  Level *level = data;

  g_clear_pointer (&level->node, shardwise_node_unref);
  g_clear_pointer (&level->key, g_free);
  g_clear_pointer (&level->anchor, g_free);
}

/* The keys of @from that are missing in @map. */
static void
add_missing (Reader *self, ShardwiseNode *map, const ShardwiseNode *from)
{
  for (guint i = 0; i < from->keys->len && self->n_merged <= MAX_MERGED; i++, self->n_merged++)
    if (shardwise_node_member (map, from->keys->pdata[i]) == NULL)
      shardwise_node_set (map, from->keys->pdata[i], shardwise_node_ref (from->items->pdata[i]));
}

/* "<<: *defaults" and "<<: [*a, *b]" add missing keys to a map; the first source wins. */
static gboolean
close_level (Reader *self, const yaml_event_t *event)
{
  Level *top = &g_array_index (self->levels, Level, self->levels->len - 1);
  ShardwiseNode *node = g_steal_pointer (&top->node);
  const ShardwiseNode *sources = shardwise_node_member (node, "<<");

  if (sources != NULL)
    {
      ShardwiseNode *map = node;

      node = shardwise_node_new (SHARDWISE_NODE_MAP, map->line, map->column);
      for (guint i = 0; i < map->keys->len; i++)
        if (!g_str_equal (map->keys->pdata[i], "<<"))
          shardwise_node_set (node, map->keys->pdata[i], shardwise_node_ref (map->items->pdata[i]));
      if (sources->type == SHARDWISE_NODE_MAP)
        add_missing (self, node, sources);
      else
        for (guint i = 0; i < sources->items->len; i++)
          add_missing (self, node, sources->items->pdata[i]);
      shardwise_node_unref (map);
    }
  if (self->n_merged > MAX_MERGED)
    {
      shardwise_node_unref (node);
      return fail (self, &event->start_mark, _ ("more merged keys than supported: a million"));
    }
  remember (self, top->anchor, node);
  g_array_set_size (self->levels, self->levels->len - 1);
  return place (self, node, &event->start_mark);
}

/**
 * shardwise_node_from_yaml:
 * @text: valid UTF-8
 * @length: its bytes
 *
 * Plain scalars get PyYAML's types (YAML 1.1: "1e-8" is a string, "no" is false); the last of two
 * values for one key wins; aliases share their value, and "<<" merges it.
 *
 * Returns: (transfer full): the document, null if empty; %NULL with @error with line and column
 */
ShardwiseNode *
shardwise_node_from_yaml (const char *text, gsize length, GError **error)
{
  Reader self = { 0 };
  gboolean good = TRUE, done = FALSE;

  if (!yaml_parser_initialize (&self.parser))
    g_error ("YAML: no memory");
  yaml_parser_set_input_string (&self.parser, (const yaml_char_t *) text, length);
  yaml_parser_set_encoding (&self.parser, YAML_UTF8_ENCODING);
  self.levels = g_array_new (FALSE, FALSE, sizeof (Level));
  g_array_set_clear_func (self.levels, level_clear);
  self.anchors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                        (GDestroyNotify) shardwise_node_unref);
  while (good && !done)
    {
      yaml_event_t event;
      ShardwiseNode *node;

      if (!yaml_parser_parse (&self.parser, &event))
        {
          const char *problem = self.parser.problem != NULL ? self.parser.problem : "?";
          /* Translators: the words of the YAML library, in English */
          g_autofree char *message = g_strdup_printf (_ ("not YAML: %s"), problem);

          good = fail (&self, &self.parser.problem_mark, message);
          break;
        }
      switch (event.type)
        {
        case YAML_DOCUMENT_START_EVENT:
          good = self.root == NULL
                 || fail (&self, &event.start_mark, _ ("a second document; allowed: one document"));
          break;
        case YAML_SCALAR_EVENT: good = read_scalar (&self, &event); break;
        case YAML_ALIAS_EVENT:
          node = g_hash_table_lookup (self.anchors, (const char *) event.data.alias.anchor);
          good = node != NULL ? place (&self, shardwise_node_ref (node), &event.start_mark)
                              : fail (&self, &event.start_mark,
                                      _ ("an alias whose anchor is not defined above it"));
          break;
        case YAML_SEQUENCE_START_EVENT:
          good = open_level (&self, SHARDWISE_NODE_LIST, event.data.sequence_start.anchor,
                             event.data.sequence_start.tag, &event);
          break;
        case YAML_MAPPING_START_EVENT:
          good = open_level (&self, SHARDWISE_NODE_MAP, event.data.mapping_start.anchor,
                             event.data.mapping_start.tag, &event);
          break;
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT: good = close_level (&self, &event); break;
        case YAML_STREAM_END_EVENT: done = TRUE; break;
        case YAML_NO_EVENT:
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
        default: break;
        }
      yaml_event_delete (&event);
    }
  g_array_unref (self.levels);
  g_hash_table_unref (self.anchors);
  yaml_parser_delete (&self.parser);
  if (!good)
    {
      g_clear_pointer (&self.root, shardwise_node_unref);
      g_propagate_error (error, self.error);
      return NULL;
    }
  if (self.root == NULL)
    return shardwise_node_new (SHARDWISE_NODE_NULL, 1, 1);
  self.root->repeated = self.repeated;
  return self.root;
}
