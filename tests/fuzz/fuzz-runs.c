/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of measured runs from anywhere: every row is predicted with finite numbers, or skipped
 * with a reason, and the comparison is printed. */
#include "fuzz-target.h"

#include <math.h>
#include <string.h>

#include "shardwise-json.h"
#include "shardwise-validation.h"

static void
check_predictions (const ShardwiseValidation *validation)
{
  for (guint i = 0; i < validation->predictions->len; i++)
    {
      const ShardwiseRunPrediction *p = &g_array_index (validation->predictions,
                                                        ShardwiseRunPrediction, i);

      if (!isfinite (p->step_s) || p->step_s <= 0 || !isfinite (p->memory_bytes)
          || p->memory_bytes <= 0)
        g_error ("%s: %g s, %g bytes", p->run->id, p->step_s, p->memory_bytes);
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *csv = g_strndup ((const char *) data, size), *json = NULL, *text = NULL;
  g_autoptr (GPtrArray) runs = shardwise_runs_parse (csv, (gssize) strlen (csv), &error);
  g_autoptr (ShardwiseValidation) validation = NULL;
  g_autoptr (JsonNode) node = NULL, back = NULL;

  g_assert_true ((runs == NULL) == (error != NULL));
  if (runs == NULL)
    {
      g_assert_null (strchr (error->message, '\n'));
      return 0;
    }
  validation = shardwise_validate (runs);
  check_predictions (validation);
  node = shardwise_validation_to_json (validation);
  json = shardwise_json_to_string (node);
  back = shardwise_json_parse (json, strlen (json), &error);
  g_assert_no_error (error);
  g_assert_nonnull (back);
  text = shardwise_validation_to_text (validation, TRUE);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  return 0;
}
