/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The "cluster.gpu" of a scenario. */
#include "shardwise-catalogue-private.h"
#include "shardwise-scenario-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-json.h"

/* The fields of gpus.json. */
static const char *const texts[] = { "base",   "id",          "name",
                                     "vendor", "form_factor", "usable_memory_source",
                                     "source", "note",        NULL };
static const char *const figures[] = { "memory_gb",
                                       "usable_memory_mib",
                                       "usable_memory_gib",
                                       "hbm_bandwidth_gb_s",
                                       "sm_count",
                                       "l2_mb",
                                       "tdp_w",
                                       NULL };

/* What stands beside the figures of a section. */
static const char *const remarks[] = { "type",     "source", "note", "month",
                                       "currency", "kernel", "unit", NULL };

typedef struct {
  const char *name;
  gboolean has_lists; /* figures may stand in arrays and in objects with their source */
  const char *const *figures;
} Section;

static const char *const peak_figures[] = { "bf16", "fp16", "fp8", "fp4", "tf32", NULL };
static const char *const scale_up_figures[] = {
  "unidirectional_gb_s",           "domain_size",
  "bridge_unidirectional_gb_s",    "bridge_domain_size",
  "pairwise_unidirectional_gb_s",  "effective_unidirectional_gb_s",
  "scale_out_unidirectional_gb_s", NULL
};
static const char *const pcie_figures[] = { "unidirectional_gb_s", "gen", NULL };
static const char *const price_figures[] = { "low", "high", NULL };
static const char *const achievable_figures[] = { "bf16_gemm_tflops",
                                                  "fp16_gemm_tflops",
                                                  "fp8_gemm_tflops",
                                                  "fp4_gemm_tflops",
                                                  "memory_copy_gb_s",
                                                  "peer_copy_gb_s",
                                                  "host_to_device_gb_s",
                                                  "flash_attention",
                                                  "flash_attention_8k",
                                                  "bf16_gemm_fraction_of_peak_by_shape",
                                                  "attention_in_training_step",
                                                  "rest_of_training_step",
                                                  NULL };

static const Section sections[] = {
  { "peak_dense_tflops", FALSE, peak_figures },
  { "scale_up", FALSE, scale_up_figures },
  { "pcie", FALSE, pcie_figures },
  { "cloud_price_per_gpu_hour", FALSE, price_figures },
  { "achievable", TRUE, achievable_figures },
};

static const Section *
find_section (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (sections); i++)
    if (g_str_equal (sections[i].name, name))
      return &sections[i];
  return NULL;
}

static gboolean
wrong_type (const char *path, const char *message, GError **error)
{
  return shardwise_resolve_fail (error, SHARDWISE_ERROR_TYPE, path, g_strdup (message));
}

/* Takes @accepted. */
static gboolean
unknown_field (const char *path, char *accepted, GError **error)
{
  /* Translators: names of keys */
  char *text = g_strdup_printf (_ ("unknown key, accepted: %s"), accepted);

  g_free (accepted);
  return shardwise_resolve_fail (error, SHARDWISE_ERROR_UNKNOWN_KEY, path, text);
}

static gboolean
check_text (const char *path, JsonNode *node, GError **error)
{
  return JSON_NODE_HOLDS_NULL (node) || json_node_get_value_type (node) == G_TYPE_STRING
         || wrong_type (path, _ ("of the wrong type, accepted: a text"), error);
}

/* A figure is a positive number; null is "not known". */
static gboolean
check_figure (const char *path, JsonNode *node, GError **error)
{
  GType type = json_node_get_value_type (node);
  double value;

  if (JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
    return wrong_type (path, _ ("of the wrong type, accepted: a number"), error);
  value = json_node_get_double (node);
  if (value <= 0 || value > 1e7)
    return shardwise_resolve_fail (
        error, SHARDWISE_ERROR_RANGE, path,
        g_strdup_printf (_ ("%g is out of range, accepted: above 0, at most 1e7"), value));
  return TRUE;
}

static gboolean check_list (const char *path, JsonNode *node, GError **error);

/* Figures one by one, in arrays, or in objects with remarks. */
static gboolean
check_list (const char *path, JsonNode *node, GError **error)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObject *object = json_node_get_object (node);
      JsonObjectIter iter;
      const char *name;
      JsonNode *child;

      json_object_iter_init_ordered (&iter, object);
      while (json_object_iter_next_ordered (&iter, &name, &child))
        {
          g_autofree char *below = g_strconcat (path, ".", name, NULL);

          if (!(g_strv_contains (remarks, name) ? check_text (below, child, error)
                                                : check_list (below, child, error)))
            return FALSE;
        }
      return TRUE;
    }
  if (array == NULL)
    return check_figure (path, node, error);
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!check_list (path, json_array_get_element (array, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
check_member (const Section *section, const char *name, const char *path, JsonNode *node,
              GError **error)
{
  if (g_strv_contains (remarks, name))
    return check_text (path, node, error);
  if (!g_strv_contains (section->figures, name))
    return unknown_field (path, g_strjoinv (", ", (char **) section->figures), error);
  return section->has_lists ? check_list (path, node, error) : check_figure (path, node, error);
}

static gboolean
check_section (const Section *section, const char *path, JsonNode *node, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *child;

  if (JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return wrong_type (path, _ ("of the wrong type, accepted: an object"), error);
  json_object_iter_init_ordered (&iter, json_node_get_object (node));
  while (json_object_iter_next_ordered (&iter, &name, &child))
    {
      g_autofree char *below = g_strconcat (path, ".", name, NULL);

      if (!check_member (section, name, below, child, error))
        return FALSE;
    }
  return TRUE;
}

/* The fields that say something of the GPU. */
static char *
accepted_fields (void)
{
  GString *names = g_string_new ("base, name");

  for (guint i = 0; figures[i] != NULL; i++)
    g_string_append_printf (names, ", %s", figures[i]);
  for (guint i = 0; i < G_N_ELEMENTS (sections); i++)
    g_string_append_printf (names, ", %s", sections[i].name);
  return g_string_free (names, FALSE);
}

static gboolean
check_field (const char *name, JsonNode *node, GError **error)
{
  g_autofree char *path = g_strconcat ("cluster.gpu.", name, NULL);
  const Section *section = find_section (name);

  if (section != NULL)
    return check_section (section, path, node, error);
  if (g_strv_contains (figures, name))
    return check_figure (path, node, error);
  return g_strv_contains (texts, name) ? check_text (path, node, error)
                                       : unknown_field (path, accepted_fields (), error);
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
        g_strdup (_ ("is missing, accepted: an id that “shardwise-cli gpus” lists")));
  found = shardwise_catalogue_find_gpu (shardwise_catalogue_get (), base);
  if (found == NULL)
    return shardwise_resolve_fail (
        error, SHARDWISE_ERROR_CHOICE, "cluster.gpu.base",
        g_strdup_printf (
            _ ("“%.60s” is not in the catalogue, accepted: an id that “shardwise-cli gpus” lists"),
            base));
  *out = *found;
  shardwise_catalogue_read_gpu (json_node_get_object (root), out);
  memory_gb = shardwise_json_number (json_node_get_object (root), "memory_gb", 80);
  if (memory_gb < 8 || memory_gb > 320)
    return shardwise_resolve_fail (
        error, SHARDWISE_ERROR_RANGE, "cluster.gpu.memory_gb",
        g_strdup_printf (_ ("%g is out of range, accepted: 8 to 320 GB"), memory_gb));
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
    {
      if (strchr (id, ',') != NULL || strchr (id, '+') != NULL)
        return shardwise_resolve_fail (
            error, SHARDWISE_ERROR_CHOICE, "cluster.gpu",
            g_strdup (
                _ ("several GPU types in one job are not supported, accepted: one GPU type; advise "
                   "each type on its own")));
      return shardwise_resolve_fail (
          error, SHARDWISE_ERROR_CHOICE, "cluster.gpu",
          g_strdup_printf (_ ("“%.60s” is not in the catalogue, accepted: an id that "
                              "“shardwise-cli gpus” lists"),
                           id));
    }
  *out = *found;
  return TRUE;
}
