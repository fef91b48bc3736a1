/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-defaults.h"

#include "shardwise-catalogue-read.h"
#include "shardwise-json.h"

static gpointer
load (gpointer data)
{
  return shardwise_catalogue_load ("defaults.json");
}

/**
 * shardwise_defaults_find:
 * @path: of a key, or the name of a figure beside it
 * @value: (out) (optional): the figure, in the unit that the name of its key says
 * @source: (out) (optional) (transfer none): where it comes from
 *
 * Returns: whether there is one
 */
gboolean
shardwise_defaults_find (const char *path, double *value, const char **source)
{
  static GOnce once = G_ONCE_INIT;
  JsonObject *root = json_node_get_object (g_once (&once, load, NULL));
  JsonObject *record = shardwise_json_object (root, path);

  if (record == NULL)
    return FALSE;
  if (value != NULL)
    *value = shardwise_json_number (record, "value", 0);
  if (source != NULL)
    *source = shardwise_json_text (record, "source");
  return TRUE;
}

/**
 * shardwise_defaults_get:
 * @path: of what has a default
 *
 * Returns: the figure, in the unit that the name of its key says
 */
double
shardwise_defaults_get (const char *path)
{
  double value = 0;
  gboolean found = shardwise_defaults_find (path, &value, NULL);

  g_return_val_if_fail (found, 0);

  return value;
}
