/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in the output of the scripts of data/probe. */
#include "shardwise-import-probe-value.h"

#include <glib/gi18n.h>

/**
 * shardwise_probe_member:
 * @map: an object
 * @key: one of its keys
 * @type: what must be there
 *
 * Returns: (transfer none) (nullable): the value there
 */
const ShardwiseNode *
shardwise_probe_member (ShardwiseImportJob *job, const ShardwiseNode *map, const char *key,
                        ShardwiseNodeType type)
{
  const ShardwiseNode *node = shardwise_node_member (map, key);

  if (node != NULL && node->type == type)
    return node;
  shardwise_import_fail (job, node != NULL ? node : map, key, "%s",
                         type == SHARDWISE_NODE_STRING ? _ ("must be text")
                         : type == SHARDWISE_NODE_LIST ? _ ("must be a list")
                                                       : _ ("must be an object"));
  return NULL;
}

/**
 * shardwise_probe_text:
 * @map: an object
 * @key: one of its keys
 *
 * Returns: (transfer none): the word there; "" after an error
 */
const char *
shardwise_probe_text (ShardwiseImportJob *job, const ShardwiseNode *map, const char *key)
{
  const ShardwiseNode *node = shardwise_probe_member (job, map, key, SHARDWISE_NODE_STRING);

  return node != NULL ? node->text : "";
}

/**
 * shardwise_probe_number:
 * @map: an object
 * @key: one of its keys
 * @low: the least that it may be
 * @high: the most
 *
 * Returns: the number there; @low after an error
 */
double
shardwise_probe_number (ShardwiseImportJob *job, const ShardwiseNode *map, const char *key,
                        double low, double high)
{
  const ShardwiseNode *node = shardwise_node_member (map, key);

  if (node != NULL && shardwise_node_is_number (node) && node->number >= low
      && node->number <= high)
    return node->number;
  shardwise_import_fail (job, node != NULL ? node : map, key, _ ("must be a number from %g to %g"),
                         low, high);
  return low;
}

/**
 * shardwise_probe_check_keys:
 * @map: an object
 * @known: (array zero-terminated=1): the keys that it may have
 * @refusal: what is said of any other
 *
 * Returns: whether it has no other
 */
gboolean
shardwise_probe_check_keys (ShardwiseImportJob *job, const ShardwiseNode *map,
                            const char *const *known, const char *refusal)
{
  for (guint i = 0; i < map->keys->len; i++)
    if (!g_strv_contains (known, map->keys->pdata[i]))
      {
        shardwise_import_fail (job, map->items->pdata[i], map->keys->pdata[i], "%s", refusal);
        return FALSE;
      }
  return TRUE;
}
