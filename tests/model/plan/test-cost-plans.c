/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a bill leads to: other ways to rent, the cluster for a date, and where defaults come
 * from. */
#include <math.h>
#include <string.h>

#include "scenario-fixture.h"
#include "shardwise-budget.h"
#include "shardwise-catalogue.h"
#include "shardwise-cost.h"
#include "shardwise-deadline.h"
#include "shardwise-resolve.h"
#include "shardwise-format.h"

/* ---- defaults ---- */

/* Every key of "cost" that has a default says where it comes from. */
static void
test_sources (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  guint n = 0;
  SwProblem problem;

  g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, NULL));
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      if (!g_str_has_prefix (shardwise_key_path (i), "cost.")
          || shardwise_cost_default (&problem, i) <= 0)
        continue;
      g_test_message ("%s", shardwise_key_path (i));
      g_assert_nonnull (shardwise_cost_source (i));
      g_assert_cmpuint (strlen (shardwise_cost_source (i)), >, 20);
      n++;
    }
  g_assert_cmpuint (n, ==, 9);
}

/* A price in yuan is no price in dollars. */
static void
test_foreign_price (void)
{
  static const struct {
    const char *gpu;
    double low;
  } gpus[] = {
    { "h20-96-sxm", 0 },
    { "l4", 0 },
    { "h100-80-sxm", 2.58 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (gpus); i++)
    {
      g_autofree char *json = g_strdup_printf (
          "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"%s\", \"gpus\": 8}}",
          gpus[i].gpu);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
      ShardwiseCostInputs inputs;
      SwProblem problem;

      g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, NULL));
      shardwise_cost_inputs_read (scenario, &problem, &inputs);
      g_assert_cmpfloat (inputs.price, ==, gpus[i].low);
    }
}

/* ---- money ---- */

static void
test_money (void)
{
  static const struct {
    double amount;
    const char *currency, *price, *money;
  } amounts[] = {
    { 2.58, "USD", "$2.58", "$2.58" },           { 0.00123456, "USD", "$0.00123", "$0.00123" },
    { 0.08, "USD", "$0.08", "$0.0800" },         { 0.5, "EUR", "€0.50", "€0.500" },
    { 81.219, "USD", "$81.22", "$81.20" },       { 7, "USD", "$7.00", "$7.00" },
    { 999.99, "CHF", "999.99 CHF", "1000 CHF" }, { 0, "GBP", "£0.00", "£0" },
    { 999.999, "USD", "$1000", "$1000" },        { 1234567.89, "USD", "$1234568", "$1230000" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (amounts); i++)
    {
      g_autofree char *price = shardwise_format_price (amounts[i].amount, amounts[i].currency),
                      *money = shardwise_format_money (amounts[i].amount, amounts[i].currency);

      g_assert_cmpstr (price, ==, amounts[i].price);
      g_assert_cmpstr (money, ==, amounts[i].money);
    }
}

/* The items of a bill are as precise as its total; the smallest still say how much they are. */
static void
test_bill_amounts (void)
{
  static const struct {
    double amount, total;
    const char *item;
  } items[] = {
    { 412.33, 1234567, "$412" },
    { 412.33, 512.1, "$412.33" },
    { 0.314, 1234567, "$0.31" },
    { 0.00123, 1234567, "$0.00123" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    {
      g_autofree char *item = shardwise_format_item (items[i].amount, items[i].total, "USD");

      g_assert_cmpstr (item, ==, items[i].item);
    }
}

/* What is read of a bill adds up to what is read of its total, and no amount is off by a digit. */
static void
test_bill_sums (void)
{
  static const struct {
    double items[SHARDWISE_BILL_ITEMS], shown[SHARDWISE_BILL_ITEMS];
  } bills[] = {
    { { 1000.45, 300.4, 20.4, 0 }, { 1001, 300, 20, 0 } },      /* of 1,321.25 */
    { { 1000.6, 300.65, 20.7, 0 }, { 1000, 301, 21, 0 } },      /* of 1,321.95 */
    { { 1000.3, 0.4, 0.00123, 0 }, { 1001, 0.4, 0.00123, 0 } }, /* of 1,000.70 */
    { { 500.0045, 12.004, 3.004, 0 }, { 500.01, 12, 3, 0 } },
    { { 0.02, 0.03, 0, 0 }, { 0.02, 0.03, 0, 0 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bills); i++)
    {
      ShardwiseBill bill = { .n = SHARDWISE_BILL_ITEMS };
      double shown[SHARDWISE_BILL_ITEMS];

      for (guint j = 0; j < SHARDWISE_BILL_ITEMS; j++)
        {
          bill.items[j].amount = bills[i].items[j];
          bill.total += bills[i].items[j];
        }
      shardwise_bill_shown (&bill, shown);
      for (guint j = 0; j < SHARDWISE_BILL_ITEMS; j++)
        g_assert_cmpfloat_with_epsilon (shown[j], bills[i].shown[j], 1e-9);
    }
}

/* The same of many bills: the sum is the total, rounded. */
static void
test_bill_sums_random (void)
{
  for (guint i = 0; i < 2000; i++)
    {
      ShardwiseBill bill = { .n = SHARDWISE_BILL_ITEMS };
      double shown[SHARDWISE_BILL_ITEMS], sum = 0, digit;

      for (guint j = 0; j < SHARDWISE_BILL_ITEMS; j++)
        {
          bill.items[j].amount = pow (10, g_test_rand_double_range (-3, 7));
          bill.total += bill.items[j].amount;
        }
      digit = shardwise_money_digit (bill.total);
      shardwise_bill_shown (&bill, shown);
      for (guint j = 0; j < SHARDWISE_BILL_ITEMS; j++)
        {
          sum += shown[j];
          g_assert_cmpfloat (fabs (shown[j] - bill.items[j].amount), <, digit + 1e-6);
        }
      g_assert_cmpfloat_with_epsilon (round (sum / digit), round (bill.total / digit), 1e-6);
    }
}

/* What is counted with is named with its currency, and with the digits that were stated. */
static void
test_assumed_values (void)
{
  static const struct {
    ShardwiseKeyId key;
    const char *text;
  } assumed[] = {
    { SHARDWISE_KEY_COST_PRICE, "€2.37 per GPU-hour" },
    { SHARDWISE_KEY_COST_CAPEX_PER_GPU, "€31256" },
    { SHARDWISE_KEY_COST_KWH_PRICE, "€0.13" },
    { SHARDWISE_KEY_COST_STORAGE_GB_S, "2.604 GB/s" },
    { SHARDWISE_KEY_COST_MTBF_GPU_HOURS, "123456 GPU-hours" },
  };
  g_autoptr (ShardwiseScenario) scenario = scenario_of (
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": "
      "32}, \"cost\": {\"price\": 2.37, \"currency\": \"EUR\", \"capex_per_gpu\": 31256, "
      "\"kwh_price\": 0.13, \"mtbf_gpu_hours\": 123456}}");
  ShardwiseCostInputs inputs;
  SwProblem problem;

  g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, NULL));
  shardwise_cost_inputs_read (scenario, &problem, &inputs);
  for (guint i = 0; i < G_N_ELEMENTS (assumed); i++)
    {
      g_autofree char *detail = NULL, *text = shardwise_cost_assumption (
                                          scenario, &problem, &inputs, assumed[i].key, &detail);

      g_assert_cmpstr (text, ==, assumed[i].text);
    }
}

/* ---- other ways to rent ---- */

/* A job of 15 days pays for a whole month: below 15 / 30.4375 of the price it is cheaper. Spot: at
 * the price that is said, the longer job costs the same. */
static void
test_rent (void)
{
  ShardwiseCostInputs inputs = { .price = 3 };
  ShardwiseCost cost = { .days = 15 };
  ShardwiseRentOffer offers[SHARDWISE_N_RENT_OFFERS];
  double last = G_MAXDOUBLE;

  shardwise_goodput_compute (100000, 60, 600, &cost.goodput);
  g_assert_cmpuint (shardwise_cost_rent_offers (&inputs, &cost, offers), ==,
                    SHARDWISE_N_RENT_OFFERS);
  g_assert_cmpfloat_with_epsilon (offers[0].price_below, 3 * 15 / 30.4375, 1e-12);
  g_assert_cmpfloat_with_epsilon (offers[2].price_below, 3 * 15 / 365.25, 1e-12);
  for (guint i = 0; i < SHARDWISE_N_RENT_OFFERS; i++)
    {
      g_autofree char *title = shardwise_rent_offer_title (&offers[i]);

      g_assert_nonnull (title);
      if (offers[i].kind != SHARDWISE_RENT_SPOT)
        continue;
      g_assert_cmpfloat (offers[i].price_below, <, MIN (last, 3)); /* the more often the cheaper */
      g_assert_cmpfloat_with_epsilon (offers[i].price_below * offers[i].job_days, 3 * 15.0, 1e-9);
      last = offers[i].price_below;
    }
  cost.days = 40; /* two months are begun */
  shardwise_cost_rent_offers (&inputs, &cost, offers);
  g_assert_cmpfloat_with_epsilon (offers[0].price_below, 3 * 40 / (2 * 30.4375), 1e-12);
  inputs.price = 0;
  g_assert_cmpuint (shardwise_cost_rent_offers (&inputs, &cost, offers), ==, 0);
}

/* ---- deadline ---- */

#define JOB                                                                                        \
  "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, \"training\": \
{\"tokens\": 1e12%s}, \"cost\": {\"price\": 2.5, \"price_date\": \"2026-11\"}}"

static void
take_progress (double fraction, gpointer data)
{
  double *last = data;

  g_assert_cmpfloat (fraction, >=, *last);
  g_assert_cmpfloat (fraction, <=, 1);
  *last = fraction;
}

static GPtrArray *
search (const char *deadline, ShardwiseScenario **scenario, ShardwiseDeadlinePlan *plan)
{
  g_autofree char *json = g_strdup_printf (JOB, deadline);
  GPtrArray *points;
  double last = 0;
  GDate start;

  *scenario = scenario_of (json);
  g_assert_true (shardwise_date_parse ("2026-12-01", &start));
  points = shardwise_deadline_search (*scenario, &start, take_progress, &last, NULL, NULL);
  g_assert_nonnull (points);
  shardwise_deadline_plan (*scenario, &start, points, plan);
  return points;
}

/* The cluster is smaller than the next power of two, of whole nodes, and the one below is late. */
static void
test_search (void)
{
  g_autoptr (ShardwiseScenario) scenario = NULL;
  ShardwiseDeadlinePlan plan;
  g_autoptr (GPtrArray) points = search (", \"deadline\": \"2027-01-12\"", &scenario, &plan);
  const ShardwiseSizingPoint *smallest, *below;

  g_assert_cmpint (plan.smallest, >, 0);
  smallest = g_ptr_array_index (points, (guint) plan.smallest);
  below = g_ptr_array_index (points, (guint) plan.smallest - 1);
  g_test_message ("%u GPUs take %.1f days, %u take %.1f of %.0f", smallest->gpus, smallest->days,
                  below->gpus, below->days, plan.days);
  g_assert_cmpfloat (smallest->days, <=, plan.days);
  g_assert_cmpuint (smallest->gpus % 8, ==, 0);
  g_assert_true (!below->estimate.fits || below->days > plan.days);
  g_assert_cmpuint (smallest->gpus - below->gpus, <=, MAX (8, below->gpus / 32));
  for (guint i = 1; i < points->len; i++)
    g_assert_cmpuint (((ShardwiseSizingPoint *) g_ptr_array_index (points, i - 1))->gpus, <,
                      ((ShardwiseSizingPoint *) g_ptr_array_index (points, i))->gpus);
}

/* A date that no cluster meets: that is said, with the fastest. */
static void
test_impossible (void)
{
  g_autoptr (ShardwiseScenario) scenario = NULL;
  ShardwiseDeadlinePlan plan;
  g_autoptr (GPtrArray) points = search (", \"deadline\": \"2026-12-02\"", &scenario, &plan);
  g_autofree char *text = shardwise_deadline_text (&plan, points, "USD");

  g_assert_cmpint (plan.smallest, ==, -1);
  g_assert_cmpint (plan.cheapest, ==, -1);
  g_assert_cmpint (plan.fastest, >=, 0);
  g_assert_nonnull (strstr (text, "None of these clusters"));
}

#define SLOW_JOB                                                                                   \
  "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 24}, \"training\": "          \
  "{\"type\": \"rlhf\", \"tokens\": 1e9, \"deadline\": \"%s\"}, \"cost\": {\"price\": 2.5}}"

/* Reinforcement learning: the larger clusters that are left out would have changed no answer. */
static void
test_search_slow (void)
{
  const guint sizes[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048 };
  g_autofree char *json = g_strdup_printf (SLOW_JOB, "2026-12-04");
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  g_autoptr (GPtrArray) points = NULL,
                        all = shardwise_sizing_compute (scenario, sizes, G_N_ELEMENTS (sizes), NULL,
                                                        NULL, NULL, NULL);
  const ShardwiseSizingPoint *smallest, *cheapest, *best;
  ShardwiseDeadlinePlan of_all, plan;
  double last = 0;
  GDate start;

  g_assert_true (shardwise_date_parse ("2026-12-01", &start));
  points = shardwise_deadline_search (scenario, &start, take_progress, &last, NULL, NULL);
  g_assert_true (shardwise_deadline_plan (scenario, &start, all, &of_all));
  g_assert_true (shardwise_deadline_plan (scenario, &start, points, &plan));
  smallest = g_ptr_array_index (points, (guint) plan.smallest);
  cheapest = g_ptr_array_index (points, (guint) plan.cheapest);
  best = g_ptr_array_index (all, (guint) of_all.cheapest);
  g_test_message ("smallest %u, cheapest %u GPUs of up to %u", smallest->gpus, cheapest->gpus,
                  ((ShardwiseSizingPoint *) g_ptr_array_index (points, points->len - 1))->gpus);
  g_assert_cmpuint (
      smallest->gpus, <=,
      ((ShardwiseSizingPoint *) g_ptr_array_index (all, (guint) of_all.smallest))->gpus);
  g_assert_cmpfloat (cheapest->cost, <=, best->cost);
  g_assert_cmpuint (((ShardwiseSizingPoint *) g_ptr_array_index (points, points->len - 1))->gpus, <,
                    sizes[G_N_ELEMENTS (sizes) - 1]);
}

/* A date that reinforcement learning cannot meet is told without the largest clusters. */
static void
test_search_hopeless (void)
{
  g_autofree char *json = g_strdup_printf (SLOW_JOB, "2026-12-01");
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  g_autoptr (GPtrArray) points = NULL;
  ShardwiseDeadlinePlan plan;
  GDate start;

  g_assert_true (shardwise_date_parse ("2026-12-01", &start));
  points = shardwise_deadline_search (scenario, &start, NULL, NULL, NULL, NULL);
  g_assert_true (shardwise_deadline_plan (scenario, &start, points, &plan));
  g_assert_cmpint (plan.smallest, ==, -1);
  g_assert_cmpint (plan.fastest, >=, 0);
  g_assert_cmpuint (points->len, <, 10);
}

static gboolean
is_third (GPtrArray *points, guint n, gpointer data)
{
  guint *calls = data;

  g_assert_cmpuint (n, ==, ++*calls); /* in turn, whatever thread was first */
  g_assert_cmpfloat (((ShardwiseSizingPoint *) g_ptr_array_index (points, n - 1))->days, >, 0);
  return n == 3;
}

/* The work ends with the sizes that are enough. */
static void
test_until (void)
{
  const guint sizes[] = { 8, 16, 32, 64, 128, 256 };
  g_autofree char *json = g_strdup_printf (JOB, "");
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  guint calls = 0;
  g_autoptr (GPtrArray) points = shardwise_sizing_compute_until (
      scenario, sizes, G_N_ELEMENTS (sizes), is_third, &calls, NULL, NULL, NULL, NULL);

  g_assert_cmpuint (calls, ==, 3);
  g_assert_cmpuint (points->len, ==, 3);
  g_assert_cmpuint (((ShardwiseSizingPoint *) g_ptr_array_index (points, 2))->gpus, ==, 32);
}

static void
test_search_cancelled (void)
{
  g_autofree char *json = g_strdup_printf (JOB, "");
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GDate start;

  shardwise_date_today (&start);
  g_assert_true (g_date_valid (&start));
  g_cancellable_cancel (cancellable);
  g_assert_null (shardwise_deadline_search (scenario, &start, NULL, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* ---- kinds of jobs ---- */

/* Steps of batch x sequence tokens, each as long as its own model of time says; of the whole time
 * the share of goodput trains, and every GPU is paid for by the hour. */
static void
check_by_hand (const ShardwiseSizingPoint *point, double tokens, double price)
{
  double steps = tokens / (point->global_batch * 4096.0),
         seconds = steps * point->estimate.time.step_s,
         hours = seconds / point->bill.goodput.ratio / 3600;

  g_assert_cmpfloat_with_epsilon (point->bill.training_s / seconds, 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (point->days / (hours / 24), 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (point->cost / (hours * point->gpus * price), 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (
      point->bill.goodput.write_s
          / (point->bill.checkpoint_bytes / point->bill.storage_bytes_per_s),
      1, 1e-9);
}

/* Each kind of job is costed by its own time, and its own checkpoint. */
static void
test_jobs (void)
{
  static const char *const types[] = { "finetune", "lora", "rlhf", "qlora" };
  double days[4], bytes[4];

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autofree char *json = g_strdup_printf (
          "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 16}, \"training\": "
          "{\"type\": \"%s\", \"tokens\": 1e9}, \"cost\": {\"price\": 2.5}}",
          types[i]);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
      const guint gpus = 16;
      g_autoptr (GPtrArray) points = shardwise_sizing_compute (scenario, &gpus, 1, NULL, NULL, NULL,
                                                               NULL);
      const ShardwiseSizingPoint *point = g_ptr_array_index (points, 0);

      g_assert_true (point->estimate.fits);
      check_by_hand (point, 1e9, 2.5);
      days[i] = point->days;
      bytes[i] = point->bill.checkpoint_bytes;
    }
  g_assert_cmpfloat (days[1], <, days[0]);
  g_assert_cmpfloat (days[2], >, days[0]);
  /* The frozen weights are unpacked in every layer; among the equally fast the simpler is taken. */
  g_assert_cmpfloat (days[3], >, 0.95 * days[1]);
  g_assert_cmpfloat_with_epsilon (bytes[3], bytes[1], 1);
  g_assert_cmpfloat (bytes[1], <, bytes[0] / 50);
  g_assert_cmpfloat (bytes[2], >, 1.5 * bytes[0]);
}

/* Whoever trains on what the money buys pays just that, and takes just that long. */
static void
test_budget (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 12}, "
      "\"cost\": {\"price\": 2}}");
  g_autoptr (GPtrArray) offers = shardwise_budget_search (scenario, 1e4, NULL, NULL, NULL, NULL);
  const ShardwiseBudgetOffer *last = NULL;
  gboolean own = FALSE;

  g_assert_cmpuint (offers->len, >, 4);
  for (guint i = 0; i < offers->len; i++)
    {
      const ShardwiseBudgetOffer *offer = offers->pdata[i];
      g_autoptr (ShardwiseScenario) bought = shardwise_scenario_copy (scenario);
      g_autoptr (GPtrArray) points = NULL;
      const ShardwiseSizingPoint *point;

      shardwise_scenario_set (bought, SHARDWISE_KEY_TRAINING_TOKENS,
                              g_variant_new_double (offer->tokens), NULL);
      points = shardwise_sizing_compute (bought, &offer->gpus, 1, NULL, NULL, NULL, NULL);
      point = points->pdata[0];
      g_assert_cmpfloat_with_epsilon (point->cost, 1e4, 1e-6 * 1e4);
      g_assert_cmpfloat_with_epsilon (point->days, offer->days, 1e-6 * offer->days);
      g_assert_cmpfloat (offer->days, >=, 1);
      g_assert_cmpfloat (offer->days, <=, 365);
      g_assert_cmpfloat (offer->tokens_low, <, offer->tokens);
      g_assert_cmpfloat (offer->tokens_high, >, offer->tokens);
      g_assert_true (last == NULL || (last->gpus < offer->gpus && last->days > offer->days));
      own = own || offer->gpus == 12;
      last = offer;
    }
  g_assert_true (own);
  shardwise_scenario_set (scenario, SHARDWISE_KEY_COST_CURRENCY, g_variant_new_string ("CHF"),
                          NULL);
  shardwise_scenario_reset (scenario, SHARDWISE_KEY_COST_PRICE);
  g_ptr_array_unref (g_steal_pointer (&offers));
  offers = shardwise_budget_search (scenario, 1e4, NULL, NULL, NULL, NULL);
  g_assert_cmpuint (offers->len, ==, 0); /* no price is known in francs */
  /* what is owned costs less an hour than the catalogue's rent: the money reaches further */
  shardwise_scenario_reset (scenario, SHARDWISE_KEY_COST_CURRENCY);
  shardwise_scenario_set (scenario, SHARDWISE_KEY_COST_CAPEX_PER_GPU, g_variant_new_double (30000),
                          NULL);
  g_ptr_array_unref (g_steal_pointer (&offers));
  offers = shardwise_budget_search (scenario, 1.5e4, NULL, NULL, NULL, NULL);
  last = offers->pdata[offers->len - 1];
  g_assert_cmpfloat (last->days, >=, 1);
  g_assert_cmpfloat (last->days, <, 2); /* twice as many would be paid for less than a day */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cost-plans/sources", test_sources);
  g_test_add_func ("/cost-plans/foreign-price", test_foreign_price);
  g_test_add_func ("/cost-plans/money", test_money);
  g_test_add_func ("/cost-plans/bill-amounts", test_bill_amounts);
  g_test_add_func ("/cost-plans/bill-sums", test_bill_sums);
  g_test_add_func ("/cost-plans/bill-sums-random", test_bill_sums_random);
  g_test_add_func ("/cost-plans/assumed-values", test_assumed_values);
  g_test_add_func ("/cost-plans/rent", test_rent);
  g_test_add_func ("/cost-plans/search", test_search);
  g_test_add_func ("/cost-plans/impossible", test_impossible);
  g_test_add_func ("/cost-plans/search-slow", test_search_slow);
  g_test_add_func ("/cost-plans/search-hopeless", test_search_hopeless);
  g_test_add_func ("/cost-plans/until", test_until);
  g_test_add_func ("/cost-plans/budget", test_budget);
  g_test_add_func ("/cost-plans/jobs", test_jobs);
  g_test_add_func ("/cost-plans/search-cancelled", test_search_cancelled);
  return g_test_run ();
}
