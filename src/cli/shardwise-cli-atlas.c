/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cli-atlas.h"

#include <glib/gi18n.h>

#include "shardwise-json.h"
#include "shardwise-sizing.h"
#include "shardwise-resolve.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-advice-json.h"

/* What was computed. */
typedef struct {
  SwProblem problem;
  GPtrArray *cells, *notes;
} Atlas;

/* "1,8,80" to numbers; NULL where a part is none. */
static GArray *
parse_sizes (const char *text)
{
  g_auto (GStrv) parts = g_strsplit_set (text, ", ", -1);
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (double));
  const ShardwiseKey *key = shardwise_key_find ("model.parameters_b");

  for (guint i = 0; parts[i] != NULL; i++)
    {
      char *end;
      double size = g_ascii_strtod (parts[i], &end);
      g_autoptr (GVariant) value = g_variant_ref_sink (g_variant_new_double (size));

      if (*parts[i] == '\0')
        continue;
      if (*end != '\0' || !shardwise_key_check (key, value, NULL))
        return NULL;
      g_array_append_val (sizes, size);
    }
  return sizes->len > 0 ? g_steal_pointer (&sizes) : NULL;
}

/**
 * shardwise_cli_atlas_check:
 *
 * Returns: (transfer none) (nullable): what is wrong with the options
 */
const char *
shardwise_cli_atlas_check (const ShardwiseCliAtlas *self)
{
  g_autoptr (GArray) sizes = self->sizes != NULL ? parse_sizes (self->sizes) : NULL;

  if (self->sizes != NULL && sizes == NULL)
    return _ ("--sizes needs billions of parameters, accepted: 0.1 to 10000, such as 1,8,80");
  if (self->nodes != NULL && !shardwise_sizing_parse (self->nodes, NULL, NULL))
    return _ ("--nodes needs numbers of nodes, accepted: 1 to 131072, such as 1,2,4");
  return NULL;
}

static JsonNode *
cell_to_json (const Atlas *self, const ShardwiseAtlasCell *cell)
{
  SwProblem sized = self->problem;
  JsonNode *node;
  JsonObject *object;

  sw_model_from_size (cell->parameters_b * 1e9, &sized.model);
  sized.cluster.gpus = cell->gpus;
  sw_problem_prepare (&sized);
  node = shardwise_estimate_to_json (&sized, &cell->estimate, self->notes);
  object = json_node_get_object (node);
  json_object_set_double_member (object, "parameters_b", cell->parameters_b);
  json_object_set_int_member (object, "nodes", cell->nodes);
  json_object_set_int_member (object, "gpus", cell->gpus);
  return node;
}

static JsonNode *
to_json (const Atlas *self)
{
  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < self->cells->len; i++)
    json_array_add_element (array, cell_to_json (self, g_ptr_array_index (self->cells, i)));
  json_object_set_array_member (object, "cells", array);
  return shardwise_json_take_object (object);
}

static char *
to_csv (const Atlas *self)
{
  GString *out = g_string_new (
      "parameters_b,nodes,gpus,fits,mfu,tokens_per_s,memory_gib,missing_gib,strategy\r\n");

  for (guint i = 0; i < self->cells->len; i++)
    {
      const ShardwiseAtlasCell *cell = g_ptr_array_index (self->cells, i);
      const SwEstimate *estimate = &cell->estimate;
      g_autofree char *strategy = shardwise_text_strategy (&estimate->strategy);
      const double numbers[] = { estimate->mfu, estimate->tokens_per_s,
                                 estimate->memory.peak.total / SW_GIB };
      char number[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append_printf (out, "%s,%u,%u,%d",
                              g_ascii_dtostr (number, sizeof number, cell->parameters_b),
                              cell->nodes, cell->gpus, estimate->fits);
      for (guint j = 0; j < G_N_ELEMENTS (numbers); j++)
        g_string_append_printf (
            out, ",%s", estimate->fits ? g_ascii_dtostr (number, sizeof number, numbers[j]) : "");
      g_string_append_printf (
          out, ",%s,\"%s\"\r\n",
          g_ascii_dtostr (number, sizeof number, estimate->missing_bytes / SW_GIB),
          estimate->fits ? strategy : "");
    }
  return g_string_free (out, FALSE);
}

static char *
to_text (const Atlas *self)
{
  GString *out = g_string_new (NULL);

  const struct {
    int width;
    const char *title;
  } columns[] = {
    { 10, _ ("model") }, { 8, _ ("nodes") },   { 10, _ ("GPUs") },
    { 9, _ ("MFU") },    { 12, _ ("memory") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    shardwise_text_append_cell (out, columns[i].width, columns[i].title);
  g_string_append_printf (out, "  %s\n", _ ("strategy"));
  for (guint i = 0; i < self->cells->len; i++)
    {
      const ShardwiseAtlasCell *cell = g_ptr_array_index (self->cells, i);
      const SwEstimate *estimate = &cell->estimate;
      g_autofree char *size = shardwise_format_count (cell->parameters_b * 1e9),
                      *mfu = shardwise_format_percent (estimate->mfu),
                      *memory = shardwise_format_bytes (estimate->memory.peak.total),
                      *strategy = shardwise_text_strategy (&estimate->strategy);

      shardwise_text_append_cell (out, 10, size);
      g_string_append_printf (out, "  %6u  %8u", cell->nodes, cell->gpus);
      if (!estimate->fits)
        {
          g_string_append (out, "  ");
          shardwise_cli_append_misfit (out, estimate);
          continue;
        }
      shardwise_text_append_cell (out, 9, mfu);
      shardwise_text_append_cell (out, 12, memory);
      g_string_append_printf (out, "  %s\n", strategy);
    }
  return g_string_free (out, FALSE);
}

static gboolean
names_model (ShardwiseScenario *scenario)
{
  return shardwise_scenario_is_set (scenario, "model.preset")
         || shardwise_scenario_is_set (scenario, "model.layers")
         || shardwise_scenario_is_set (scenario, "model.parameters_b");
}

/* Options alone name no model: the question is the published benchmark's, but for what they say.
 * The number of GPUs is each cell's own. */
static ShardwiseScenario *
question (ShardwiseScenario *scenario, GError **error)
{
  g_autoptr (ShardwiseScenario) asked = names_model (scenario)
                                            ? shardwise_scenario_new ()
                                            : shardwise_atlas_benchmark (NULL, error);
  const ShardwiseKey *keys;
  guint n;

  if (asked == NULL)
    return NULL;
  if (names_model (scenario))
    shardwise_scenario_reset (asked, "model.preset");
  keys = shardwise_keys (&n);
  for (guint i = 0; i < n; i++)
    if (shardwise_scenario_is_set (scenario, keys[i].path))
      {
        g_autoptr (GVariant) value = shardwise_scenario_get (scenario, keys[i].path);

        if (!shardwise_scenario_set (asked, keys[i].path, value, error))
          return NULL;
      }
  return g_steal_pointer (&asked);
}

/**
 * shardwise_cli_atlas:
 * @input: what was read
 * @self: lists that shardwise_cli_atlas_check() accepts
 * @csv: comma-separated values instead of a text
 *
 * Returns: an exit status
 */
int
shardwise_cli_atlas (ShardwiseCliInput *input, const ShardwiseCliAtlas *self, gboolean csv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario = question (input->scenario, &error);
  g_autoptr (GArray) sizes = self->sizes != NULL ? parse_sizes (self->sizes) : NULL, nodes = NULL;
  g_autoptr (GPtrArray) cells = NULL, notes = NULL;
  Atlas atlas = { .cells = NULL };

  if (self->nodes != NULL)
    shardwise_sizing_parse (self->nodes, &nodes, NULL);
  if (scenario != NULL && shardwise_scenario_resolve (scenario, &atlas.problem, &notes, &error))
    cells = shardwise_atlas_compute (
        scenario, sizes != NULL ? (const double *) (gpointer) sizes->data : NULL,
        sizes != NULL ? sizes->len : 0,
        nodes != NULL ? (const guint *) (gpointer) nodes->data : shardwise_atlas_nodes,
        nodes != NULL ? nodes->len : SHARDWISE_ATLAS_BENCHMARK_NODES, NULL, NULL, NULL, &error);
  if (cells == NULL)
    return shardwise_cli_fail (input->file, error);
  atlas.cells = cells;
  atlas.notes = notes;

  g_autofree char *text = NULL;
  int status = SHARDWISE_CLI_NOTHING_FITS;

  for (guint i = 0; i < atlas.cells->len; i++)
    if (((const ShardwiseAtlasCell *) g_ptr_array_index (atlas.cells, i))->estimate.fits)
      status = SHARDWISE_CLI_DONE;
  if (input->json)
    return shardwise_cli_print_json (to_json (&atlas), status);
  text = csv ? to_csv (&atlas) : to_text (&atlas);
  return shardwise_cli_print (text, status);
}

/* Frees what the options of an atlas hold. */
void
shardwise_cli_atlas_clear (ShardwiseCliAtlas *self)
{
  g_free (self->sizes);
  g_free (self->nodes);
}
