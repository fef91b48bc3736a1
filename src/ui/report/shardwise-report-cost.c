/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report's part on money, energy, failures and the date. */
#include "shardwise-report-content.h"

#include <glib/gi18n.h>

#include "shardwise-cost.h"
#include "shardwise-deadline.h"
#include "shardwise-goodput-chart.h"
#include "shardwise-plan-chart.h"
#include "shardwise-sizing-chart.h"
#include "shardwise-money.h"

/* Texts are taken over. */
static void
add_owned (ShardwiseReport *self, ShardwiseReportKind kind, char *text)
{
  shardwise_report_add_text (self, kind, text);
  g_free (text);
}

static void
add_item (ShardwiseReport *self, gboolean strong, const char *title, double amount, double total,
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
        add_item (self, FALSE, shardwise_text_cost_item (bill->items[i].kind), shown[i],
                  bill->total, currency);
      add_item (self, TRUE, _ ("Total"), bill->total, bill->total, currency);
      add_item (self, FALSE, _ ("Per million tokens"), bill->per_million_tokens,
                bill->per_million_tokens, currency);
    }
  g_free (basis);
}

static void
add_energy (ShardwiseReport *self, const ShardwiseCostInputs *inputs, const ShardwiseCost *cost)
{
  g_autofree char *energy = shardwise_format_energy (cost->energy_kwh),
                  *mass = shardwise_format_mass (cost->kg_co2);

  if (cost->energy_kwh > 0)
    add_owned (
        self, SHARDWISE_REPORT_PARAGRAPH,
        /* Translators: energy, power in W, power usage effectiveness, a mass, kg for each kWh */
        g_strdup_printf (
            _ ("Energy: %s at %.0f W per GPU and a PUE of %.2f; CO₂: %s at %.3f kg per kWh."),
            energy, inputs->power_w, inputs->pue, mass, inputs->grid_kg_co2_per_kwh));
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

static void
add_goodput (ShardwiseReport *self, const ShardwiseCost *cost)
{
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_GOODPUT_CHART, NULL);

  shardwise_goodput_chart_set_goodput (SHARDWISE_GOODPUT_CHART (chart), &cost->goodput);
  shardwise_report_add_text (self, SHARDWISE_REPORT_HEADING, _ ("Failures and checkpoints"));
  add_owned (self, SHARDWISE_REPORT_PARAGRAPH, shardwise_cost_goodput_text (cost));
  if (shardwise_chart_n_points (chart) > 0)
    shardwise_report_add_chart (self, chart);
  else
    g_object_ref_sink (chart), g_object_unref (chart);
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
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  shardwise_report_add_row (
      self, TRUE,
      (const char *const[]){ _ ("Assumption on cost"), _ ("Value"), _ ("Source"), NULL });
  for (guint i = 0; i < n_keys; i++)
    {
      const char *name = keys[i].path + strlen ("cost.");
      g_autofree char *detail = NULL, *value = NULL;

      if (!g_str_has_prefix (keys[i].path, "cost.") || keys[i].kind != SHARDWISE_KEY_NUMBER)
        continue;
      value = shardwise_cost_assumption (scenario, problem, inputs, name, &detail);
      if (value != NULL)
        shardwise_report_add_row (self, FALSE,
                                  (const char *const[]){ _ (keys[i].title), value, detail, NULL });
    }
}

/**
 * shardwise_report_add_cost:
 * @self: a report
 * @scenario: the document
 * @advice: the answer to it
 * @estimate: of the strategy that is looked at, which fits
 * @clusters: (nullable) (element-type ShardwiseSizingPoint): other sizes with their days and cost
 *
 * Adds what the job costs, with everything that it counts and does not count.
 */
void
shardwise_report_add_cost (ShardwiseReport *self, ShardwiseScenario *scenario,
                           ShardwiseAdvice *advice, const SwEstimate *estimate, GPtrArray *clusters)
{
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
  add_energy (self, &inputs, &cost);
  add_bill (self, _ ("Rented"), &cost.cloud, inputs.currency, shardwise_cost_cloud_text (&inputs));
  add_offers (self, &inputs, &cost);
  add_bill (self, _ ("Owned"), &cost.owned, inputs.currency, shardwise_cost_owned_text (&inputs));
  if (cost.basis != SHARDWISE_BASIS_NONE)
    {
      add_owned (self, SHARDWISE_REPORT_SMALL, shardwise_cost_included (&cost));
      add_owned (self, SHARDWISE_REPORT_SMALL, shardwise_cost_not_included (&cost));
    }
  add_goodput (self, &cost);
  if (clusters != NULL)
    add_sizes (self, advice, clusters, inputs.currency);
  if (clusters != NULL && cost.days > 0)
    add_clusters (self, scenario, clusters, inputs.currency);
  add_assumptions (self, scenario, problem, &inputs);
}
