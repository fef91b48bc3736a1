/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-report-content.h"

#include <glib/gi18n.h>

#include "shardwise-input-control.h"
#include "shardwise-memory-chart.h"
#include "shardwise-metric.h"
#include "shardwise-strategy-words.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-waterfall-chart.h"

static void
add_heading (ShardwiseReport *self, const char *text)
{
  shardwise_report_add_text (self, SHARDWISE_REPORT_HEADING, text);
}

static void
add_paragraph (ShardwiseReport *self, const char *text)
{
  shardwise_report_add_text (self, SHARDWISE_REPORT_PARAGRAPH, text);
}

static void
add_row (ShardwiseReport *self, const char *a, const char *b)
{
  shardwise_report_add_row (self, FALSE, (const char *const[]){ a, b, NULL });
}

/* ---- figures ---- */

static void
add_figures (ShardwiseReport *self, ShardwiseAdvice *advice, const SwEstimate *estimate)
{
  const char *const head[] = { _ ("Figure"), _ ("Value"), _ ("Meaning"), NULL };

  add_heading (self, _ ("Figures"));
  shardwise_report_add_row (self, TRUE, head);
  for (guint i = 0; i < SHARDWISE_N_METRICS; i++)
    {
      g_autoptr (ShardwiseMetric) metric =
          shardwise_metric_new ((ShardwiseMetricKind) i, shardwise_advice_get_problem (advice),
                                estimate, shardwise_advice_get_nearest_run (advice));
      g_autofree char *value = g_strdup_printf (
          "%s %s%s%s", metric->number, metric->unit != NULL ? metric->unit : "",
          metric->interval != NULL ? " " : "", metric->interval != NULL ? metric->interval : "");
      const char *const cells[] = { metric->title, value,
                                    metric->detail != NULL ? metric->detail : "", NULL };

      shardwise_report_add_row (self, FALSE, cells);
    }
}

static void
add_charts (ShardwiseReport *self, const SwProblem *problem, const SwEstimate *estimate)
{
  ShardwiseChart *memory = g_object_new (SHARDWISE_TYPE_MEMORY_CHART, NULL),
                 *time = g_object_new (SHARDWISE_TYPE_WATERFALL_CHART, NULL);
  double kernels[SW_N_KERNELS];

  shardwise_memory_chart_set_stages (SHARDWISE_MEMORY_CHART (memory), problem, estimate);
  sw_kernels (problem, &estimate->strategy, &estimate->time, kernels);
  shardwise_waterfall_chart_set_time (SHARDWISE_WATERFALL_CHART (time), &estimate->time, kernels);
  add_heading (self, _ ("What the memory of a GPU holds"));
  add_paragraph (self, shardwise_chart_get_summary (memory));
  shardwise_report_add_chart (self, memory);
  add_heading (self, _ ("Where the time of a step goes"));
  add_paragraph (self, shardwise_chart_get_summary (time));
  shardwise_report_add_chart (self, time);
}

/* ---- words ---- */

static void
add_recommendations (ShardwiseReport *self, ShardwiseAdvice *advice)
{
  GPtrArray *recommendations = shardwise_advice_get_recommendations (advice);

  if (recommendations->len > 0)
    add_heading (self, _ ("What to know"));
  for (guint i = 0; i < recommendations->len; i++)
    add_paragraph (
        self, ((const ShardwiseRecommendation *) g_ptr_array_index (recommendations, i))->text);
}

static void
add_reasons (ShardwiseReport *self, ShardwiseAdvice *advice)
{
  GPtrArray *rationale = shardwise_advice_get_rationale (advice);

  if (rationale->len > 0)
    add_heading (self, _ ("Why"));
  for (guint i = 0; i < rationale->len; i++)
    {
      const ShardwiseRationale *reason = g_ptr_array_index (rationale, i);
      g_autofree char *title = g_strdup_printf ("%s: %s", reason->title, reason->value);

      add_row (self, title, reason->text);
    }
}

static void
add_ways_out (ShardwiseReport *self, ShardwiseAdvice *advice)
{
  GPtrArray *ways = shardwise_advice_get_ways_out (advice);

  if (ways->len > 0)
    add_heading (self, _ ("What would fit"));
  for (guint i = 0; i < ways->len; i++)
    add_paragraph (self, ((const ShardwiseWayOut *) g_ptr_array_index (ways, i))->change);
}

static void
add_alternatives (ShardwiseReport *self, ShardwiseAdvice *advice)
{
  const char *const head[] = { _ ("Strategy"), _ ("Tokens/s"), _ ("MFU"), _ ("Memory"), NULL };
  guint n = MIN (5, shardwise_advice_get_n_alternatives (advice));

  if (n == 0)
    return;
  add_heading (self, _ ("Next best"));
  shardwise_report_add_row (self, TRUE, head);
  for (guint i = 0; i < n; i++)
    {
      const SwEstimate *e = shardwise_advice_get_alternative (advice, i);
      g_autofree char *strategy = shardwise_text_strategy (&e->strategy),
                      *rate = shardwise_format_count (e->tokens_per_s),
                      *mfu = shardwise_format_percent (e->mfu),
                      *memory = shardwise_format_bytes (e->memory.peak.total);

      shardwise_report_add_row (self, FALSE,
                                (const char *const[]){ strategy, rate, mfu, memory, NULL });
    }
}

/* ---- assumptions ---- */

/* Every key that the scenario states, in the order of its file. */
static void
add_inputs (ShardwiseReport *self, ShardwiseScenario *scenario)
{
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  add_heading (self, _ ("What the scenario states"));
  for (guint i = 0; i < n_keys; i++)
    {
      g_autofree char *value = shardwise_scenario_is_set (scenario, keys[i].path)
                                   ? shardwise_control_describe (&keys[i], scenario)
                                   : NULL;
      g_autofree char *text = NULL;

      if (value == NULL || *value == '\0' || g_str_equal (keys[i].path, "name")
          || g_str_equal (keys[i].path, "notes")) /* which stand above */
        continue;
      text = keys[i].unit != NULL ? g_strdup_printf ("%s %s", value, _ (keys[i].unit))
                                  : g_strdup (value);
      add_row (self, _ (keys[i].title), text);
    }
}

static void
add_notes (ShardwiseReport *self, ShardwiseAdvice *advice)
{
  const ShardwiseNearestRun *run = shardwise_advice_get_nearest_run (advice);
  GPtrArray *notes = shardwise_advice_get_notes (advice);

  add_heading (self, _ ("What the figures rest on"));
  if (run != NULL)
    {
      g_autofree char *measured = shardwise_format_seconds (run->measured_step_s),
                      *predicted = shardwise_format_seconds_beside (run->predicted_step_s,
                                                                    run->measured_step_s),
                      *text = NULL;

      /* Translators: a published run, its source, two durations */
      text = g_strdup_printf (_ ("Nearest measured run: %s (%s), %s a step measured, %s computed."),
                              run->description, run->source, measured, predicted);
      add_paragraph (self, text);
    }
  for (guint i = 0; i < notes->len; i++)
    add_paragraph (self, g_ptr_array_index (notes, i));
}

static gboolean
is_recommended (ShardwiseAdvice *advice, const SwEstimate *estimate)
{
  return sw_strategy_equal (&estimate->strategy,
                            &shardwise_advice_get_recommended (advice)->strategy);
}

static void
add_strategy (ShardwiseReport *self, ShardwiseAdvice *advice, const SwEstimate *estimate)
{
  g_autofree char *strategy = shardwise_text_strategy (&estimate->strategy), *used = NULL;

  add_heading (self, estimate->fits ? _ ("Strategy") : _ ("Nearest strategy"));
  add_paragraph (self, strategy);
  used = g_strdup_printf (
      ngettext ("%'u GPU in use, %s.", "%'u GPUs in use, %s.", estimate->gpus_used),
      estimate->gpus_used, shardwise_text_framework (estimate->strategy.framework));
  add_paragraph (self, used);
  if (!is_recommended (advice, estimate))
    {
      g_autofree char *best =
          shardwise_text_strategy (&shardwise_advice_get_recommended (advice)->strategy);
      g_autofree char *text =
          g_strdup_printf (_ ("You are looking at an alternative. Recommended is %s."), best);

      add_paragraph (self, text);
    }
}

/**
 * shardwise_report_of_scenario:
 * @scenario: the document
 * @advice: the answer to it
 * @estimate: (nullable): of the strategy that is looked at; the reasons for the recommended one are
 *   left out where it is another
 * @clusters: (nullable) (element-type ShardwiseSizingPoint): other sizes with their days and cost
 *
 * Returns: (transfer full): the report
 */
ShardwiseReport *
shardwise_report_of_scenario (ShardwiseScenario *scenario, ShardwiseAdvice *advice,
                              const SwEstimate *estimate, GPtrArray *clusters)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  g_autofree char *name = NULL, *notes = NULL,
                  *verdict = shardwise_strategy_verdict (advice, scenario, estimate);
  ShardwiseReport *self;

  name = shardwise_scenario_get_string (scenario, "name");
  notes = shardwise_scenario_get_string (scenario, "notes");
  self = shardwise_report_new (name != NULL && *name != '\0' ? name : problem->model.name);
  shardwise_report_add_text (self, SHARDWISE_REPORT_TITLE, shardwise_report_get_title (self));
  add_paragraph (self, verdict);
  add_paragraph (self, notes);
  if (estimate != NULL)
    add_strategy (self, advice, estimate);
  add_ways_out (self, advice);
  if (estimate != NULL)
    {
      add_figures (self, advice, estimate);
      add_charts (self, problem, estimate);
    }
  add_recommendations (self, advice);
  if (estimate == NULL || is_recommended (advice, estimate))
    add_reasons (self, advice);
  add_alternatives (self, advice);
  if (estimate != NULL && estimate->fits)
    shardwise_report_add_cost (self, scenario, advice, estimate, clusters);
  add_inputs (self, scenario);
  add_notes (self, advice);
  return self;
}
