/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a step probe (data/probe) measured of one layer. */
#include "shardwise-import-step.h"

#include <glib/gi18n.h>
#include <string.h>

/* A measured time as a share of itself varies by no more. */
#define MOST_SPREAD 10.0

/**
 * shardwise_import_is_step:
 * @root: of a file
 *
 * Returns: whether a step probe wrote it
 */
gboolean
shardwise_import_is_step (const ShardwiseNode *root)
{
  return shardwise_node_is_text (shardwise_node_member (root, "format"), "shardwise-step-probe");
}

static void
read_layer (ShardwiseImportJob *job, const ShardwiseNode *map, ShardwiseMeasuredStep *out)
{
  const char *known[SHARDWISE_N_LAYER_FIELDS + 1] = { NULL };

  for (guint i = 0; i < SHARDWISE_N_LAYER_FIELDS; i++)
    {
      const ShardwiseLayerField field = (ShardwiseLayerField) i;

      known[i] = shardwise_step_layer_name (field);
      out->layer[i] = (guint) shardwise_probe_number (job, map, known[i], 0,
                                                      shardwise_step_layer_most (field));
    }
  if (shardwise_probe_check_keys (job, map, known,
                                  _ ("unknown key; allowed: the keys that a probe writes"))
      && !shardwise_step_has_layer (out->layer))
    shardwise_import_fail (job, map, "layer", "%s", _ ("no layer; allowed: what a probe writes"));
}

/* The row of a measurement; SHARDWISE_N_STEP_ROWS: none. */
static guint
find_row (const char *kind, const char *pass)
{
  guint i = 0;

  while (i < SHARDWISE_N_STEP_ROWS
         && (!g_str_equal (shardwise_step_kind ((ShardwiseStepRowId) i), kind)
             || g_strcmp0 (shardwise_step_pass ((ShardwiseStepRowId) i), pass) != 0))
    i++;
  return i;
}

/* Returns: whether it failed there. */
static gboolean
read_measurement (ShardwiseImportJob *job, const ShardwiseNode *map, ShardwiseMeasuredStep *out)
{
  static const char *const known[] = { "kind",    "pass",       "flops",  "bytes",
                                       "seconds", "bytes_held", "spread", "failed",
                                       "repeats", "title",      NULL };
  const char *kind = map->type == SHARDWISE_NODE_MAP ? shardwise_probe_text (job, map, "kind") : "";
  const gboolean has_pass = map->type == SHARDWISE_NODE_MAP
                            && shardwise_node_member (map, "pass") != NULL;
  const guint row = find_row (kind, has_pass ? shardwise_probe_text (job, map, "pass") : NULL);
  const gboolean is_section = g_str_equal (kind, "section");

  if (row == SHARDWISE_N_STEP_ROWS && !is_section)
    shardwise_import_fail (job, map, "measurements", "%s",
                           _ ("unknown measurement; allowed: those of a probe"));
  if (job->error != NULL
      || !shardwise_probe_check_keys (job, map, known,
                                      _ ("unknown key; allowed: the keys that a probe writes")))
    return FALSE;
  if (shardwise_node_member (map, "failed") != NULL || is_section)
    return TRUE;
  out->row[row] =
      row >= SHARDWISE_STEP_KEPT
          ? (ShardwiseMeasurement){ shardwise_probe_number (job, map, "bytes", 0, 1e13), 0 }
          : (ShardwiseMeasurement){ shardwise_probe_number (job, map, "seconds", 1e-9, 86400),
                                    MIN (shardwise_probe_number (job, map, "spread", 0, 1e6),
                                         MOST_SPREAD) };
  return FALSE;
}

/**
 * shardwise_import_read_step:
 * @job: takes the errors
 * @root: of a file that a step probe wrote
 * @out: (out): what was measured
 *
 * Returns: how many measurements failed where it ran
 */
guint
shardwise_import_read_step (ShardwiseImportJob *job, const ShardwiseNode *root,
                            ShardwiseMeasuredStep *out)
{
  static const char *const known[] = { "format",       "version",   "complete", "date",
                                       "took_s",       "framework", "layer",    "machine",
                                       "measurements", "software",  NULL };
  const ShardwiseNode *layer = shardwise_probe_member (job, root, "layer", SHARDWISE_NODE_MAP),
                      *machine = shardwise_probe_member (job, root, "machine", SHARDWISE_NODE_MAP),
                      *measurements = shardwise_probe_member (job, root, "measurements",
                                                              SHARDWISE_NODE_LIST);
  const char *framework = shardwise_probe_text (job, root, "framework"), *gpu;
  const int index = sw_name_index (sw_framework_names, framework);
  guint failed = 0;

  memset (out, 0, sizeof *out);
  shardwise_probe_check_keys (job, root, known,
                              _ ("unknown key; allowed: the keys that a probe writes"));
  if (index < 0 || index == SW_FRAMEWORK_ANY)
    shardwise_import_fail (job, root, "framework", "%s",
                           _ ("unknown framework; allowed: what a probe writes"));
  if (job->error != NULL)
    return 0;
  gpu = shardwise_probe_text (job, machine, "gpu");
  if (gpu[0] == '\0' || strlen (gpu) >= sizeof out->gpu)
    shardwise_import_fail (job, machine, "gpu", "%s", _ ("no name; allowed: the name of a GPU"));
  out->framework = (guint) MAX (index, 0);
  read_layer (job, layer, out);
  for (guint i = 0; job->error == NULL && i < measurements->items->len; i++)
    failed += read_measurement (job, measurements->items->pdata[i], out);
  g_strlcpy (out->gpu, gpu, sizeof out->gpu);
  return failed;
}
