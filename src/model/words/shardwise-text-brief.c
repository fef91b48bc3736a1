/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that matters of a job in one text, to be pasted where there are no tools. */
#include "shardwise-text-brief.h"

#include <glib/gi18n.h>

#include "shardwise-text-strategy.h"
#include "shardwise-text-sums.h"

/* A heading before the first item of a list. */
static void
append_item (GString *out, const char **heading, const char *title, const char *text)
{
  if (*heading != NULL)
    g_string_append_printf (out, "\n## %s\n", *heading);
  *heading = NULL;
  if (title != NULL)
    g_string_append_printf (out, "- %s: %s\n", title, text);
  else
    g_string_append_printf (out, "- %s\n", text);
}

/**
 * shardwise_text_brief:
 * @scenario: a job
 * @advice: on it
 *
 * Returns: (transfer full): the scenario as its file has it, the strategy with its sums, why it is so, what
 *   would fit, what is to be heeded and what was assumed, with headings
 */
char *
shardwise_text_brief (ShardwiseScenario *scenario, ShardwiseAdvice *advice)
{
  const SwEstimate *estimate = shardwise_advice_get_recommended (advice);
  g_autofree char *json = shardwise_scenario_to_json (scenario),
                  *strategy = shardwise_text_strategy (&estimate->strategy);
  g_autoptr (GPtrArray) sums = shardwise_text_sums (shardwise_advice_get_problem (advice),
                                                    estimate);
  GPtrArray *rows;
  GString *out = g_string_new (NULL);
  const char *heading;

  /* Translators: heading of a text: a training job */
  g_string_append_printf (out, "# %s\n\n```json\n%s```\n\n%s\n", _ ("Training job (Shardwise)"),
                          json, shardwise_advice_get_verdict (advice));
  heading = _ ("Strategy");
  append_item (out, &heading, shardwise_text_framework (estimate->strategy.framework), strategy);
  for (guint i = 0; i < sums->len; i++)
    append_item (out, &heading, NULL, sums->pdata[i]);
  heading = _ ("What would fit");
  rows = shardwise_advice_get_ways_out (advice);
  for (guint i = 0; i < rows->len; i++)
    append_item (out, &heading, NULL, ((const ShardwiseWayOut *) rows->pdata[i])->change);
  heading = _ ("Why");
  rows = shardwise_advice_get_rationale (advice);
  for (guint i = 0; i < rows->len; i++)
    {
      const ShardwiseRationale *reason = rows->pdata[i];
      /* Translators: a dimension and its value: "Tensor parallel 8" */
      g_autofree char *title = g_strdup_printf (_ ("%s %s"), reason->title, reason->value);

      append_item (out, &heading, title, reason->text);
    }
  heading = _ ("Recommendations");
  rows = shardwise_advice_get_recommendations (advice);
  for (guint i = 0; i < rows->len; i++)
    append_item (out, &heading, NULL, ((const ShardwiseRecommendation *) rows->pdata[i])->text);
  heading = _ ("Assumed");
  rows = shardwise_advice_get_assumptions (advice);
  for (guint i = 0; i < rows->len; i++)
    append_item (out, &heading, NULL, ((const ShardwiseAssumption *) rows->pdata[i])->text);
  heading = _ ("Notes");
  rows = shardwise_advice_get_notes (advice);
  for (guint i = 0; i < rows->len; i++)
    append_item (out, &heading, NULL, rows->pdata[i]);
  return g_string_free (out, FALSE);
}
