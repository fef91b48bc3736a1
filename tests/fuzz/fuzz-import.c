/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of jobs and models from anywhere: no text may crash or hang a reader, or give a scenario
 * that does not survive its own writing. SHARDWISE_FUZZ_NAME is a file name, which picks the
 * reader; each reader is a target of its own. */
#include "fuzz-import.h"

#include <string.h>

#include "shardwise-import.h"
#include "shardwise-resolve.h"
#include "shardwise-diagnosis.h"

/* Searching large clusters for every input would leave the fuzzer no time for the readers. */
#define MOST_GPUS 64
#define MOST_LAYERS 100
#define SOME 8
#define SEPARATOR '\x1e' /* of files */

static void
check_round_trip (ShardwiseScenario *scenario)
{
  g_autofree char *json = shardwise_scenario_to_json (scenario), *again = NULL;
  g_autoptr (ShardwiseScenario) back = shardwise_scenario_from_json (json, -1, NULL);

  g_assert_nonnull (back);
  again = shardwise_scenario_to_json (back);
  g_assert_cmpstr (json, ==, again);
}

static void
check_diagnosis (const ShardwiseImport *import)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autoptr (GPtrArray) findings = NULL;

  if (!shardwise_import_is_job (import->kind)
      || !shardwise_scenario_resolve (import->scenario, problem, NULL, NULL))
    return;
  if (problem->cluster.gpus > MOST_GPUS || problem->model.layers > MOST_LAYERS
      || problem->training.global_batch > 4096
      || problem->training.type
             == SW_TRAINING_RLHF) /* several models, and as many times the time */
    return;
  findings = shardwise_diagnose (import->scenario, import->kind, NULL, NULL);
  g_assert_cmpuint (findings->len, >=, 1);
}

/* Reads the bytes, and what stands behind each separator as another file of the same job. */
static ShardwiseImport *
read_pieces (const char *text, gsize size, const char *name, GError **error)
{
  static const char *const names[] = { "run.sh", "ds.json", "train.py" };
  ShardwiseImportText files[1 + G_N_ELEMENTS (names)];
  guint n = 0;

  for (const char *begin = text; begin != NULL && n < G_N_ELEMENTS (files); n++)
    {
      const gsize left = size - (gsize) (begin - text);
      const char *end = n + 1 < G_N_ELEMENTS (files) ? memchr (begin, SEPARATOR, left) : NULL;

      files[n] = (ShardwiseImportText){ begin, end != NULL ? (gsize) (end - begin) : left,
                                        n == 0 ? name : names[n - 1] };
      begin = end != NULL ? end + 1 : NULL;
    }
  return shardwise_import_read_job (files, n, NULL, error);
}

/**
 * fuzz_import:
 * @data: any bytes
 * @size: their count
 * @name: the file name that they come under
 * @diagnoses: whether a job that was read is diagnosed as well
 */
void
fuzz_import (const guint8 *data, gsize size, const char *name, gboolean diagnoses)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_malloc (size + 1);
  g_autoptr (ShardwiseImport) import = NULL;

  if (size > 0)
    memcpy (text, data, size);
  text[size] = '\0';
  import = read_pieces (text, size, name, &error);
  g_assert_true ((import == NULL) == (error != NULL));
  if (import == NULL)
    {
      g_assert_null (strchr (error->message, '\n'));
      return;
    }
  check_round_trip (import->scenario);
  if (diagnoses && size % SOME == 0) /* which takes a hundred times as long as reading */
    check_diagnosis (import);
}
