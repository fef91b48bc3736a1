/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The "cluster.gpu" of a scenario. */
#include "shardwise-catalogue-private.h"
#include "shardwise-scenario-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-json.h"

static gboolean
unknown_gpu (const char *id, GError **error)
{
  if (strchr (id, ',') != NULL || strchr (id, '+') != NULL)
    return shardwise_resolve_fail (
      error, SHARDWISE_ERROR_CHOICE, "cluster.gpu",
      g_strdup (_("several GPU types in one job are not supported, accepted: one GPU type; advise "
                   "each type on its own")));
  return shardwise_resolve_fail (
    error, SHARDWISE_ERROR_CHOICE, "cluster.gpu",
    g_strdup_printf (
      _("“%.60s” is not in the catalogue, accepted: an id that “shardwise-cli gpus” lists"), id));
}

/* The fields of gpus.json. */
static const char *const texts[] = { "base", "id", "name", "vendor", "form_factor",
                                     "usable_memory_source", "source", "note", NULL };
static const char *const figures[] = {
  "memory_gb", "usable_memory_mib", "usable_memory_gib", "hbm_bandwidth_gb_s", "peak_dense_tflops",
  "sm_count", "l2_mb", "scale_up", "pcie", "tdp_w", "cloud_price_per_gpu_hour", "achievable", NULL
};

static gboolean check_figures (const char *path, JsonNode *node, gboolean is_top, GError **error);

static gboolean
check_members (const char *path, JsonObject *object, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *child;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &child))
    {
      g_autofree char *below = g_strconcat (path, ".", name, NULL);

      if (!check_figures (below, child, FALSE, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_items (const char *path, JsonArray *array, GError **error)
{
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!check_figures (path, json_array_get_element (array, i), FALSE, error))
      return FALSE;
  return TRUE;
}

/* Every number below @path is a positive one; sources and notes may stand beside it, and null is
 * "not known". */
static gboolean
check_figures (const char *path, JsonNode *node, gboolean is_top, GError **error)
{
  GType type = json_node_get_value_type (node);
  double value;

  if (JSON_NODE_HOLDS_OBJECT (node))
    return check_members (path, json_node_get_object (node), error);
  if (JSON_NODE_HOLDS_ARRAY (node))
    return check_items (path, json_node_get_array (node), error);
  if (JSON_NODE_HOLDS_NULL (node) || (type == G_TYPE_STRING && !is_top))
    return TRUE;
  if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
    return shardwise_resolve_fail (error, SHARDWISE_ERROR_TYPE, path,
                                   g_strdup (_("of the wrong type, accepted: a number")));
  value = json_node_get_double (node);
  if (value <= 0 || value > 1e7)
    return shardwise_resolve_fail (
      error, SHARDWISE_ERROR_RANGE, path,
      g_strdup_printf (_("%g is out of range, accepted: above 0, at most 1e7"), value));
  return TRUE;
}

static gboolean
check_field (const char *name, JsonNode *node, GError **error)
{
  g_autofree char *path = g_strconcat ("cluster.gpu.", name, NULL), *accepted = NULL;

  if (g_strv_contains (figures, name))
    return check_figures (path, node, TRUE, error);
  if (!g_strv_contains (texts, name))
    {
      accepted = g_strjoinv (", ", (char **) figures);
      /* Translators: names of keys */
      return shardwise_resolve_fail (
        error, SHARDWISE_ERROR_UNKNOWN_KEY, path,
        g_strdup_printf (_("unknown key, accepted: base, name, %s"), accepted));
    }
  if (JSON_NODE_HOLDS_NULL (node) || json_node_get_value_type (node) == G_TYPE_STRING)
    return TRUE;
  return shardwise_resolve_fail (error, SHARDWISE_ERROR_TYPE, path,
                                 g_strdup (_("of the wrong type, accepted: a text")));
}

static gboolean
check_gpu_object (JsonObject *object, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    if (!check_field (name, node, error))
      return FALSE;
  return TRUE;
}

static gboolean
gpu_from_object (const char *text, SwGpu *out, GError **error)
{
  g_autoptr (JsonNode) root = shardwise_json_parse (text, strlen (text), error);
  const char *base;
  const SwGpu *found;
  double memory_gb;

  if (root == NULL || !check_gpu_object (json_node_get_object (root), error))
    return FALSE;
  base = shardwise_json_text (json_node_get_object (root), "base");
  if (base == NULL)
    return shardwise_resolve_fail (
      error, SHARDWISE_ERROR_MISSING, "cluster.gpu.base",
      g_strdup (_("is missing, accepted: an id that “shardwise-cli gpus” lists")));
  found = shardwise_catalogue_find_gpu (shardwise_catalogue_get (), base);
  if (found == NULL)
    return shardwise_resolve_fail (
      error, SHARDWISE_ERROR_CHOICE, "cluster.gpu.base",
      g_strdup_printf (
        _("“%.60s” is not in the catalogue, accepted: an id that “shardwise-cli gpus” lists"),
        base));
  *out = *found;
  shardwise_catalogue_read_gpu (json_node_get_object (root), out);
  memory_gb = shardwise_json_number (json_node_get_object (root), "memory_gb", 80);
  if (memory_gb < 8 || memory_gb > 320)
    return shardwise_resolve_fail (
      error, SHARDWISE_ERROR_RANGE, "cluster.gpu.memory_gb",
      g_strdup_printf (_("%g is out of range, accepted: 8 to 320 GB"), memory_gb));
  return TRUE;
}

/* The GPU of a scenario: a record of the catalogue, an object over one, or what has that memory. */
gboolean
shardwise_resolve_gpu (ShardwiseScenario *self, SwGpu *out, GError **error)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const char *id = shardwise_scenario_peek_string (self, "cluster.gpu");
  double memory_gb = shardwise_scenario_peek_number (self, "cluster.gpu_memory_gb", 0);
  const SwGpu *found;

  if (id != NULL && id[0] == '{')
    return gpu_from_object (id, out, error);
  if (id != NULL)
    found = shardwise_catalogue_find_gpu (catalogue, id);
  else
    found = memory_gb > 0 ? shardwise_catalogue_gpu_for_memory (catalogue, memory_gb)
                          : shardwise_catalogue_find_gpu (catalogue, "h100-80-sxm");
  if (found == NULL)
    return unknown_gpu (id, error);
  *out = *found;
  return TRUE;
}
