/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-report.h"

#include "shardwise-format.h"
#include <glib/gi18n.h>
#include "shardwise-deadline.h"
#include "shardwise-goodput-chart.h"
#include "shardwise-input-control.h"
#include "shardwise-memory-chart.h"
#include "shardwise-metric.h"
#include "shardwise-plan-chart.h"
#include "shardwise-sizing-chart.h"
#include "shardwise-strategy-words.h"
#include "shardwise-waterfall-chart.h"
#include "shardwise-text-strategy.h"

struct _ShardwiseReport {
  GObject parent_instance;

  char *title;
  GPtrArray *items; /* of ShardwiseReportItem */
};

G_DEFINE_FINAL_TYPE (ShardwiseReport, shardwise_report, G_TYPE_OBJECT)

static void shardwise_report_add_cost (ShardwiseReport *self, ShardwiseScenario *scenario,
                                       ShardwiseAdvice *advice, const SwEstimate *estimate,
                                       GPtrArray *clusters);

static void
item_free (gpointer data)
{
  ShardwiseReportItem *item = data;

  for (guint i = 0; i < item->n_cells; i++)
    g_free (item->cells[i]);
  g_clear_object (&item->chart);
  g_free (item);
}

static ShardwiseReportItem *
add_item (ShardwiseReport *self, ShardwiseReportKind kind)
{
  ShardwiseReportItem *item = g_new0 (ShardwiseReportItem, 1);

  item->kind = kind;
  g_ptr_array_add (self->items, item);
  return item;
}

/**
 * shardwise_report_new:
 * @title: what stands at the head of each page
 *
 * Returns: (transfer full): a report without content
 */
ShardwiseReport *
shardwise_report_new (const char *title)
{
  ShardwiseReport *self = g_object_new (SHARDWISE_TYPE_REPORT, NULL);

  self->title = g_strdup (title);
  return self;
}

/**
 * shardwise_report_get_title:
 * @self: a report
 *
 * Returns: (transfer none): what stands at the head of each page
 */
const char *
shardwise_report_get_title (ShardwiseReport *self)
{
  g_return_val_if_fail (SHARDWISE_IS_REPORT (self), NULL);
  return self->title;
}

/**
 * shardwise_report_add_text:
 * @self: a report
 * @kind: neither a row nor a chart
 * @text: (nullable): %NULL or "" adds nothing
 *
 * Adds a text at the end; numbers stay with their units.
 */
void
shardwise_report_add_text (ShardwiseReport *self, ShardwiseReportKind kind, const char *text)
{
  ShardwiseReportItem *item;

  g_return_if_fail (SHARDWISE_IS_REPORT (self));

  if (text == NULL || *text == '\0')
    return;
  item = add_item (self, kind);
  item->cells[0] = shardwise_format_unbroken (text);
  item->n_cells = 1;
}

/**
 * shardwise_report_add_row:
 * @self: a report
 * @strong: whether it is a head or a total
 * @cells: (array zero-terminated=1): at most %SHARDWISE_REPORT_CELLS
 *
 * Adds a row of a table at the end; rows with as many cells that follow each other are one table.
 */
void
shardwise_report_add_row (ShardwiseReport *self, gboolean strong, const char *const *cells)
{
  ShardwiseReportItem *item;

  g_return_if_fail (SHARDWISE_IS_REPORT (self));

  item = add_item (self, SHARDWISE_REPORT_ROW);
  item->strong = strong;
  for (; cells[item->n_cells] != NULL && item->n_cells < SHARDWISE_REPORT_CELLS; item->n_cells++)
    item->cells[item->n_cells] = shardwise_format_unbroken (cells[item->n_cells]);
}

/*
 * shardwise_report_add_chart:
 * @self: a report
 * @chart: (transfer floating): in no window
 *
 * Adds a picture at the end, dark on white.
 */
static void
shardwise_report_add_chart (ShardwiseReport *self, ShardwiseChart *chart)
{
  g_return_if_fail (SHARDWISE_IS_REPORT (self) && SHARDWISE_IS_CHART (chart));

  shardwise_chart_set_paper (chart);
  add_item (self, SHARDWISE_REPORT_CHART)->chart = g_object_ref_sink (chart);
}

/**
 * shardwise_report_n_items:
 * @self: a report
 *
 * Returns: the count of its items
 */
guint
shardwise_report_n_items (ShardwiseReport *self)
{
  g_return_val_if_fail (SHARDWISE_IS_REPORT (self), 0);
  return self->items->len;
}

/**
 * shardwise_report_get_item:
 * @self: a report
 * @index: of an item
 *
 * Returns: (transfer none): the item
 */
const ShardwiseReportItem *
shardwise_report_get_item (ShardwiseReport *self, guint index)
{
  g_return_val_if_fail (SHARDWISE_IS_REPORT (self) && index < self->items->len, NULL);
  return g_ptr_array_index (self->items, index);
}

static void
shardwise_report_finalize (GObject *object)
{
  ShardwiseReport *self = SHARDWISE_REPORT (object);

  g_ptr_array_unref (self->items);
  g_free (self->title);
  G_OBJECT_CLASS (shardwise_report_parent_class)->finalize (object);
}

static void
shardwise_report_class_init (ShardwiseReportClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_report_finalize;
}

static void
shardwise_report_init (ShardwiseReport *self)
{
  self->items = g_ptr_array_new_with_free_func (item_free);
}

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
  add_heading (self, _ ("What the scenario states"));
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      g_autofree char *value = shardwise_scenario_is_set (scenario, i)
                                   ? shardwise_control_describe (shardwise_key_get (i), scenario)
                                   : NULL;
      g_autofree char *text = NULL;

      if (value == NULL || *value == '\0' || i == SHARDWISE_KEY_NAME
          || i == SHARDWISE_KEY_NOTES) /* which stand above */
        continue;
      text = shardwise_key_get (i)->unit != NULL
                 ? g_strdup_printf ("%s %s", value, _ (shardwise_key_get (i)->unit))
                 : g_strdup (value);
      add_row (self, _ (shardwise_key_get (i)->title), text);
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
  GPtrArray *ways = shardwise_advice_get_ways_out (advice),
            *recommendations = shardwise_advice_get_recommendations (advice);
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  g_autofree char *name = NULL, *notes = NULL,
                  *verdict = shardwise_strategy_verdict (advice, scenario, estimate);
  ShardwiseReport *self;

  name = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_NAME);
  notes = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_NOTES);
  self = shardwise_report_new (name != NULL && *name != '\0' ? name : problem->model.name);
  shardwise_report_add_text (self, SHARDWISE_REPORT_TITLE, shardwise_report_get_title (self));
  add_paragraph (self, verdict);
  add_paragraph (self, notes);
  if (estimate != NULL)
    add_strategy (self, advice, estimate);
  if (ways->len > 0)
    add_heading (self, _ ("What would fit"));
  for (guint i = 0; i < ways->len; i++)
    add_paragraph (self, ((const ShardwiseWayOut *) g_ptr_array_index (ways, i))->change);
  if (estimate != NULL)
    {
      add_figures (self, advice, estimate);
      add_charts (self, problem, estimate);
    }
  if (recommendations->len > 0)
    add_heading (self, _ ("What to know"));
  for (guint i = 0; i < recommendations->len; i++)
    add_paragraph (
        self, ((const ShardwiseRecommendation *) g_ptr_array_index (recommendations, i))->text);
  if (estimate == NULL || is_recommended (advice, estimate))
    add_reasons (self, advice);
  add_alternatives (self, advice);
  if (estimate != NULL && estimate->fits)
    shardwise_report_add_cost (self, scenario, advice, estimate, clusters);
  add_inputs (self, scenario);
  add_notes (self, advice);
  return self;
}

/* The report's part on money, energy, failures and the date. */

/* Texts are taken over. */
static void
add_owned (ShardwiseReport *self, ShardwiseReportKind kind, char *text)
{
  shardwise_report_add_text (self, kind, text);
  g_free (text);
}

static void
add_amount (ShardwiseReport *self, gboolean strong, const char *title, double amount, double total,
            const char *currency)
{
  g_autofree char *text = shardwise_format_item (amount, total, currency);

  shardwise_report_add_row (self, strong, (const char *const[]){ title, text, NULL });
}

static void
add_bill (ShardwiseReport *self, const char *title, const ShardwiseBill *bill, const char *currency,
          char *basis)
{
  double shown[SHARDWISE_BILL_ITEMS];

  shardwise_bill_shown (bill, shown);
  if (bill->n > 0)
    {
      shardwise_report_add_text (self, SHARDWISE_REPORT_HEADING, title);
      shardwise_report_add_text (self, SHARDWISE_REPORT_PARAGRAPH, basis);
      for (guint i = 0; i < bill->n; i++)
        add_amount (self, FALSE, shardwise_text_cost_item (bill->items[i].kind), shown[i],
                    bill->total, currency);
      add_amount (self, TRUE, _ ("Total"), bill->total, bill->total, currency);
      add_amount (self, FALSE, _ ("Per million tokens"), bill->per_million_tokens,
                  bill->per_million_tokens, currency);
    }
  g_free (basis);
}

static void
add_offers (ShardwiseReport *self, const ShardwiseCostInputs *inputs, const ShardwiseCost *cost)
{
  ShardwiseRentOffer offers[SHARDWISE_N_RENT_OFFERS];
  guint n = shardwise_cost_rent_offers (inputs, cost, offers);

  if (n > 0)
    shardwise_report_add_row (self, TRUE,
                              (const char *const[]){ _ ("Reserved or spot instead"),
                                                     _ ("Costs less below, per GPU-hour"), NULL });
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *title = shardwise_rent_offer_title (&offers[i]),
                      *price = shardwise_format_price (offers[i].price_below, inputs->currency);

      shardwise_report_add_row (
          self, FALSE,
          (const char *const[]){ title, offers[i].job_days > 0 ? price : _ ("never"), NULL });
    }
}

/* Throughput and efficiency of all sizes, marked as in the window. */
static void
add_sizes (ShardwiseReport *self, ShardwiseAdvice *advice, GPtrArray *clusters,
           const char *currency)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_SIZING_CHART, NULL);

  shardwise_sizing_chart_set_marks (SHARDWISE_SIZING_CHART (chart), problem->cluster.gpus,
                                    shardwise_advice_get_least_gpus (advice),
                                    shardwise_advice_get_sensible_gpus (advice));
  shardwise_sizing_chart_set_points (SHARDWISE_SIZING_CHART (chart), clusters,
                                     problem->cluster.gpu.name, currency);
  shardwise_report_add_text (self, SHARDWISE_REPORT_HEADING, _ ("How it scales"));
  shardwise_report_add_text (self, SHARDWISE_REPORT_PARAGRAPH, shardwise_chart_get_summary (chart));
  shardwise_report_add_chart (self, chart);
}

static void
add_clusters (ShardwiseReport *self, ShardwiseScenario *scenario, GPtrArray *clusters,
              const char *currency)
{
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_PLAN_CHART, NULL);
  ShardwiseDeadlinePlan plan;
  gboolean has_plan;
  GDate today;

  shardwise_date_today (&today);
  has_plan = shardwise_deadline_plan (scenario, &today, clusters, &plan);
  shardwise_plan_chart_set_plan (SHARDWISE_PLAN_CHART (chart), clusters, has_plan ? &plan : NULL,
                                 currency);
  shardwise_report_add_text (self, SHARDWISE_REPORT_HEADING, _ ("Cost against time"));
  if (has_plan)
    add_owned (self, SHARDWISE_REPORT_PARAGRAPH,
               shardwise_deadline_text (&plan, clusters, currency));
  shardwise_report_add_text (self, SHARDWISE_REPORT_PARAGRAPH, shardwise_chart_get_summary (chart));
  shardwise_report_add_chart (self, chart);
}

static void
add_assumptions (ShardwiseReport *self, ShardwiseScenario *scenario, const SwProblem *problem,
                 const ShardwiseCostInputs *inputs)
{
  shardwise_report_add_row (
      self, TRUE,
      (const char *const[]){ _ ("Assumption on cost"), _ ("Value"), _ ("Source"), NULL });
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      g_autofree char *detail = NULL, *value = NULL;

      if (!g_str_has_prefix (shardwise_key_path (i), "cost.")
          || shardwise_key_get (i)->kind != SHARDWISE_KIND_NUMBER)
        continue;
      value = shardwise_cost_assumption (scenario, problem, inputs, i, &detail);
      if (value != NULL)
        shardwise_report_add_row (
            self, FALSE,
            (const char *const[]){ _ (shardwise_key_get (i)->title), value, detail, NULL });
    }
}

/*
 * shardwise_report_add_cost:
 * @self: a report
 * @scenario: the document
 * @advice: the answer to it
 * @estimate: of the strategy that is looked at, which fits
 * @clusters: (nullable) (element-type ShardwiseSizingPoint): other sizes with their days and cost
 *
 * Adds what the job costs, with everything that it counts and does not count.
 */
static void
shardwise_report_add_cost (ShardwiseReport *self, ShardwiseScenario *scenario,
                           ShardwiseAdvice *advice, const SwEstimate *estimate, GPtrArray *clusters)
{
  ShardwiseChart *chart;
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  ShardwiseCostInputs inputs;
  ShardwiseCost cost;
  g_autoptr (GPtrArray) notes = NULL;

  shardwise_cost_inputs_read (scenario, problem, &inputs);
  shardwise_cost_compute (&inputs, problem, estimate, &cost);
  notes = shardwise_cost_notes (&inputs, &cost);
  shardwise_report_add_text (self, SHARDWISE_REPORT_HEADING, _ ("Cost"));
  add_owned (self, SHARDWISE_REPORT_PARAGRAPH,
             shardwise_cost_verdict (&inputs, &cost, problem->cluster.gpus));
  add_owned (self, SHARDWISE_REPORT_PARAGRAPH, shardwise_cost_break_even_text (&inputs, &cost));
  for (guint i = 0; i < notes->len; i++)
    shardwise_report_add_text (self, SHARDWISE_REPORT_PARAGRAPH, g_ptr_array_index (notes, i));
  if (cost.energy_kwh > 0)
    {
      g_autofree char *energy = shardwise_format_energy (cost.energy_kwh),
                      *mass = shardwise_format_mass (cost.kg_co2);

      add_owned (
          self, SHARDWISE_REPORT_PARAGRAPH,
          /* Translators: energy, power in W, power usage effectiveness, a mass, kg for each kWh */
          g_strdup_printf (
              _ ("Energy: %s at %.0f W per GPU and a PUE of %.2f; CO₂: %s at %.3f kg per kWh."),
              energy, inputs.power_w, inputs.pue, mass, inputs.grid_kg_co2_per_kwh));
    }
  add_bill (self, _ ("Rented"), &cost.cloud, inputs.currency, shardwise_cost_cloud_text (&inputs));
  add_offers (self, &inputs, &cost);
  add_bill (self, _ ("Owned"), &cost.owned, inputs.currency, shardwise_cost_owned_text (&inputs));
  if (cost.basis != SHARDWISE_BASIS_NONE)
    {
      add_owned (self, SHARDWISE_REPORT_SMALL, shardwise_cost_included (&cost));
      add_owned (self, SHARDWISE_REPORT_SMALL, shardwise_cost_not_included (&cost));
    }
  chart = g_object_new (SHARDWISE_TYPE_GOODPUT_CHART, NULL);
  shardwise_goodput_chart_set_goodput (SHARDWISE_GOODPUT_CHART (chart), &cost.goodput);
  shardwise_report_add_text (self, SHARDWISE_REPORT_HEADING, _ ("Failures and checkpoints"));
  add_owned (self, SHARDWISE_REPORT_PARAGRAPH, shardwise_cost_goodput_text (&cost));
  if (shardwise_chart_n_points (chart) > 0)
    shardwise_report_add_chart (self, chart);
  else
    g_object_ref_sink (chart), g_object_unref (chart);
  if (clusters != NULL)
    add_sizes (self, advice, clusters, inputs.currency);
  if (clusters != NULL && cost.days > 0)
    add_clusters (self, scenario, clusters, inputs.currency);
  add_assumptions (self, scenario, problem, &inputs);
}
