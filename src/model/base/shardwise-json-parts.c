/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several of our JSON objects are put together of. */
#include "shardwise-json.h"

#include "sw-types.h"

/**
 * shardwise_json_take_object:
 * @object: (transfer full): becomes the root
 *
 * Returns: (transfer full): its node
 */
JsonNode *
shardwise_json_take_object (JsonObject *object)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);

  json_node_take_object (node, object);
  return node;
}

/**
 * shardwise_json_strings:
 * @texts: (nullable) (element-type utf8): sentences
 *
 * Returns: (transfer full): an array of them, empty for %NULL
 */
JsonArray *
shardwise_json_strings (GPtrArray *texts)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; texts != NULL && i < texts->len; i++)
    json_array_add_string_element (array, g_ptr_array_index (texts, i));
  return array;
}

/**
 * shardwise_json_set_gib:
 * @object: to add to
 * @name: of the member, with "gib" in it
 * @bytes: written in GiB
 */
void
shardwise_json_set_gib (JsonObject *object, const char *name, double bytes)
{
  json_object_set_double_member (object, name, bytes / SW_GIB);
}

/**
 * shardwise_json_set_known:
 * @object: to add to
 * @name: of the member
 * @value: any number
 * @known: whether it is known; what is not is null, never 0
 */
void
shardwise_json_set_known (JsonObject *object, const char *name, double value, gboolean known)
{
  if (known)
    json_object_set_double_member (object, name, value);
  else
    json_object_set_null_member (object, name);
}
