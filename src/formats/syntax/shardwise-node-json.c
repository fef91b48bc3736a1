/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON with the position of every value: the strict reader gives the values, a second walk over the
 * same text their places. */
#include "shardwise-node.h"

#include <string.h>

#include "shardwise-cursor.h"
#include "shardwise-json.h"

static void
skip_space (ShardwiseCursor *place)
{
  while (place->at < place->end && g_ascii_isspace (*place->at))
    shardwise_cursor_step (place, 1);
}

/* The text was checked: brackets, quotes and commas stand where they must. */
static void
skip_string (ShardwiseCursor *place)
{
  shardwise_cursor_step (place, 1);
  while (place->at < place->end && *place->at != '"')
    {
      if (*place->at == '\\')
        shardwise_cursor_step (place, 1);
      shardwise_cursor_step (place, 1);
    }
  shardwise_cursor_step (place, 1);
}

static void
skip_scalar (ShardwiseCursor *place)
{
  if (*place->at == '"')
    {
      skip_string (place);
      return;
    }
  while (place->at < place->end && strchr (",]} \t\r\n", *place->at) == NULL)
    shardwise_cursor_step (place, 1);
}

static ShardwiseNode *walk (JsonNode *json, ShardwiseCursor *place);

static ShardwiseNode *
walk_object (JsonObject *object, ShardwiseCursor *place)
{
  ShardwiseNode *node = shardwise_node_new (SHARDWISE_NODE_MAP, place->line, place->column);
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &member))
    {
      shardwise_cursor_step (place, 1); /* the brace or the comma */
      skip_space (place);
      skip_string (place);
      skip_space (place);
      shardwise_cursor_step (place, 1); /* the colon */
      shardwise_node_set (node, name, walk (member, place));
      skip_space (place);
    }
  return node;
}

static ShardwiseNode *
walk_array (JsonArray *array, ShardwiseCursor *place)
{
  ShardwiseNode *node = shardwise_node_new (SHARDWISE_NODE_LIST, place->line, place->column);

  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      shardwise_cursor_step (place, 1); /* the bracket or the comma */
      shardwise_node_add (node, walk (json_array_get_element (array, i), place));
      skip_space (place);
    }
  return node;
}

static void
skip_end (ShardwiseCursor *place, gboolean is_empty)
{
  if (is_empty)
    shardwise_cursor_step (place, 1);
  skip_space (place);
  shardwise_cursor_step (place, 1);
}

static ShardwiseNode *
walk (JsonNode *json, ShardwiseCursor *place)
{
  ShardwiseNode *node;
  ShardwiseCursor start;

  skip_space (place);
  if (JSON_NODE_HOLDS_OBJECT (json))
    {
      node = walk_object (json_node_get_object (json), place);
      skip_end (place, node->items->len == 0);
      return node;
    }
  if (JSON_NODE_HOLDS_ARRAY (json))
    {
      node = walk_array (json_node_get_array (json), place);
      skip_end (place, node->items->len == 0);
      return node;
    }
  start = *place;
  skip_scalar (place);

  g_autofree char *text = g_strndup (start.at, place->at - start.at);

  switch (json_node_get_value_type (json))
    {
    case G_TYPE_BOOLEAN:
      return shardwise_node_new_scalar (SHARDWISE_NODE_BOOLEAN, start.line, start.column, text,
                                        json_node_get_boolean (json));
    case G_TYPE_INT64:
      return shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, start.line, start.column, text,
                                        (double) json_node_get_int (json));
    case G_TYPE_DOUBLE:
      return shardwise_node_new_scalar (SHARDWISE_NODE_FLOAT, start.line, start.column, text,
                                        json_node_get_double (json));
    case G_TYPE_STRING:
      return shardwise_node_new_scalar (SHARDWISE_NODE_STRING, start.line, start.column,
                                        json_node_get_string (json), 0);
    default: return shardwise_node_new (SHARDWISE_NODE_NULL, start.line, start.column);
    }
}

/**
 * shardwise_node_from_json:
 * @text: valid UTF-8
 * @length: its bytes
 *
 * Returns: (transfer full): the document, or %NULL with @error naming line and column
 */
ShardwiseNode *
shardwise_node_from_json (const char *text, gsize length, GError **error)
{
  g_autoptr (JsonNode) json = shardwise_json_parse (text, length, error);
  ShardwiseCursor place = shardwise_cursor_begin (text, length);

  return json != NULL ? walk (json, &place) : NULL;
}
