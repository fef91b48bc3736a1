/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cost, energy and duration of a job: defaults for prices and failures that are not set, the bills,
 * their texts, and the object of `shardwise-cli cost --json`. */
#include "shardwise-cost.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-catalogue.h"
#include "shardwise-input-number.h"
#include "shardwise-json.h"
#include "shardwise-format.h"
#include "shardwise-resolve.h"

/* Defaults of power and storage that follow from the GPUs. */
#define STORAGE_PER_GPU "cost.storage_gb_s_per_gpu"
#define POWER_UTILISATION "cost.power_utilisation"

/**
 * shardwise_cost_source:
 * @id: a key of "cost"
 *
 * Returns: (transfer none) (nullable): the source of its default; %NULL if it has none
 */
const char *
shardwise_cost_source (ShardwiseKeyId id)
{
  const char *found = id == SHARDWISE_KEY_COST_STORAGE_GB_S ? STORAGE_PER_GPU
                      : id == SHARDWISE_KEY_COST_POWER_W    ? POWER_UTILISATION
                                                            : shardwise_key_path (id);
  const char *source = NULL;

  shardwise_defaults_find (found, NULL, &source);
  return source;
}

/**
 * shardwise_cost_default:
 * @problem: the resolved scenario
 * @id: a key of "cost"
 *
 * Returns: its default in the unit of the key; 0: none
 */
double
shardwise_cost_default (const SwProblem *problem, ShardwiseKeyId id)
{
  double value = 0;

  if (id == SHARDWISE_KEY_COST_POWER_W)
    return problem->cluster.gpu.tdp_w * shardwise_defaults_get (POWER_UTILISATION);
  if (id == SHARDWISE_KEY_COST_STORAGE_GB_S)
    return shardwise_defaults_get (STORAGE_PER_GPU) * problem->cluster.gpus;
  shardwise_defaults_find (shardwise_key_path (id), &value, NULL);
  return value;
}

#define HOURS_PER_YEAR (365.25 * 24)
#define HOUR_S 3600.0

const char *const shardwise_cost_names[] = { "training-steps", "checkpoints", "interruptions",
                                             "idle-gpus",      "purchase",    "energy",
                                             "overhead",       NULL };
static const char *const basis_names[] = { "none", "cloud", "owned", NULL };

static double
read_number (ShardwiseScenario *scenario, const SwProblem *problem, ShardwiseKeyId id)
{
  return shardwise_scenario_is_set (scenario, id) ? shardwise_scenario_get_number (scenario, id, 0)
                                                  : shardwise_cost_default (problem, id);
}

/**
 * shardwise_cost_inputs_read:
 * @scenario: the document
 * @problem: @scenario, resolved
 * @out: (out): its keys of "cost", with defaults for those not set
 */
void
shardwise_cost_inputs_read (ShardwiseScenario *scenario, const SwProblem *problem,
                            ShardwiseCostInputs *out)
{
  g_autofree char *currency = NULL;
  gboolean is_usd;

  g_return_if_fail (SHARDWISE_IS_SCENARIO (scenario) && problem != NULL && out != NULL);

  memset (out, 0, sizeof *out);
  /* The scenario's price with its date, otherwise the catalog's lowest, in USD. */
  currency = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_COST_CURRENCY);
  is_usd = currency == NULL || g_str_equal (currency, "USD");

  g_strlcpy (out->currency, currency != NULL && *currency != '\0' ? currency : "USD",
             sizeof out->currency);
  out->price_is_stated = shardwise_scenario_is_set (scenario, SHARDWISE_KEY_COST_PRICE);
  out->price_low = is_usd ? MAX (problem->cluster.gpu.price_per_hour_low, 0) : 0;
  out->price_high = is_usd ? problem->cluster.gpu.price_per_hour_high : 0;
  if (out->price_is_stated)
    {
      g_autofree char *date = shardwise_scenario_is_set (scenario, SHARDWISE_KEY_COST_PRICE_DATE)
                                  ? shardwise_scenario_get_string (scenario,
                                                                   SHARDWISE_KEY_COST_PRICE_DATE)
                                  : NULL;

      out->price = shardwise_scenario_get_number (scenario, SHARDWISE_KEY_COST_PRICE, 0);
      g_strlcpy (out->price_date, date != NULL ? date : "", sizeof out->price_date);
    }
  else if (is_usd)
    {
      out->price = out->price_low;
      g_strlcpy (out->price_date, problem->cluster.gpu.price_month, sizeof out->price_date);
    }
  out->capex_per_gpu = read_number (scenario, problem, SHARDWISE_KEY_COST_CAPEX_PER_GPU);
  out->depreciation_years = read_number (scenario, problem, SHARDWISE_KEY_COST_DEPRECIATION_YEARS);
  out->power_w = read_number (scenario, problem, SHARDWISE_KEY_COST_POWER_W);
  out->power_is_stated = shardwise_scenario_is_set (scenario, SHARDWISE_KEY_COST_POWER_W);
  out->pue = read_number (scenario, problem, SHARDWISE_KEY_COST_PUE);
  out->kwh_price = shardwise_scenario_is_set (scenario, SHARDWISE_KEY_COST_KWH_PRICE)
                           || g_str_equal (out->currency, "USD")
                       ? read_number (scenario, problem, SHARDWISE_KEY_COST_KWH_PRICE)
                       : -1;
  out->grid_kg_co2_per_kwh = read_number (scenario, problem,
                                          SHARDWISE_KEY_COST_GRID_KG_CO2_PER_KWH);
  out->overhead_share = read_number (scenario, problem, SHARDWISE_KEY_COST_OVERHEAD_SHARE);
  out->mtbf_gpu_hours = read_number (scenario, problem, SHARDWISE_KEY_COST_MTBF_GPU_HOURS);
  out->restart_s = read_number (scenario, problem, SHARDWISE_KEY_COST_RESTART_S);
  if (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_COST_STORAGE_GB_S))
    out->storage_bytes_per_s = read_number (scenario, problem, SHARDWISE_KEY_COST_STORAGE_GB_S)
                               * SW_GB;
}

/**
 * shardwise_cost_usual_price:
 * @scenario: the document
 * @id: %SHARDWISE_KEY_COST_PRICE or its date
 *
 * Returns: (transfer full) (nullable): the value used if the document sets neither: the catalog's
 * price of a GPU-hour, or its date
 */
char *
shardwise_cost_usual_price (ShardwiseScenario *scenario, ShardwiseKeyId id)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  ShardwiseCostInputs inputs;

  if (!shardwise_scenario_resolve (scenario, problem, NULL, NULL))
    return NULL;
  shardwise_cost_inputs_read (scenario, problem, &inputs);
  if (id == SHARDWISE_KEY_COST_PRICE_DATE)
    return g_strdup (inputs.price_date);
  return inputs.price > 0 ? shardwise_input_number_format (inputs.price, FALSE) : NULL;
}

static void
add_item (ShardwiseBill *bill, ShardwiseCostKind kind, double amount)
{
  bill->items[bill->n++] = (ShardwiseCostItem){ kind, amount };
  bill->total += amount;
}

static void
per_token (ShardwiseBill *bill, double tokens)
{
  bill->per_million_tokens = tokens > 0 ? bill->total / tokens * 1e6 : 0;
}

/* The purchase is spread evenly over the years; other jobs pay for the rest of the time. */
static double
purchase_per_hour (const ShardwiseCostInputs *inputs)
{
  return inputs->capex_per_gpu / (inputs->depreciation_years * HOURS_PER_YEAR);
}

static gboolean
has_owned (const ShardwiseCostInputs *inputs)
{
  return inputs->capex_per_gpu > 0 && inputs->kwh_price >= 0;
}

/* Whether the answer uses the bill of owned hardware: a stated price takes precedence. */
static gboolean
answers_owned (const ShardwiseCostInputs *inputs)
{
  return has_owned (inputs) && !(inputs->price_is_stated && inputs->price > 0);
}

/**
 * shardwise_cost_least_hour:
 * @inputs: prices
 *
 * Returns: the minimum cost of an hour of one GPU by the bill that the answer uses: its rent, or
 * its share of the purchase with overheads but without electricity; 0: unknown
 */
double
shardwise_cost_least_hour (const ShardwiseCostInputs *inputs)
{
  return answers_owned (inputs) ? purchase_per_hour (inputs) * (1 + inputs->overhead_share)
                                : inputs->price;
}

/**
 * shardwise_cost_compute:
 * @inputs: prices, power and failures
 * @problem: the question, with the number of GPUs that @estimate is for
 * @estimate: of one strategy
 * @out: (out): the result
 *
 * Unknown values are not guessed: a bill without its price has no items, and a job without tokens
 * or progress has no days. If both a price and a purchase are set, the answer uses the price;
 * without a price, the purchase takes precedence over the catalog's price.
 */
void
shardwise_cost_compute (const ShardwiseCostInputs *inputs, const SwProblem *problem,
                        const SwEstimate *estimate, ShardwiseCost *out)
{
  double gpus = problem->cluster.gpus, used = CLAMP (estimate->gpus_used, 1, gpus), hours;
  double load = 1 + inputs->overhead_share,
         running = inputs->power_w / 1000 * inputs->pue * inputs->kwh_price * load;

  memset (out, 0, sizeof *out);
  out->tokens = problem->training.tokens;
  /* Failures affect the training GPUs; all of them wait for a checkpoint. */
  out->checkpoint_bytes = sw_checkpoint_bytes (problem, &estimate->strategy);
  out->storage_bytes_per_s = inputs->storage_bytes_per_s > 0
                                 ? inputs->storage_bytes_per_s
                                 : shardwise_defaults_get (STORAGE_PER_GPU) * SW_GB * used;
  shardwise_goodput_compute (inputs->mtbf_gpu_hours * HOUR_S / used,
                             out->checkpoint_bytes / out->storage_bytes_per_s, inputs->restart_s,
                             &out->goodput);
  /* Hours of use at which a GPU's purchase and running costs reach its rent: capex x (1 + overhead)
   * = hours x (price - running costs of an hour). */
  if (has_owned (inputs) && inputs->price > running)
    {
      out->break_even_hours = inputs->capex_per_gpu * load / (inputs->price - running);
      out->break_even_share = out->break_even_hours / (inputs->depreciation_years * HOURS_PER_YEAR);
    }
  if (!(out->tokens > 0) || !(estimate->tokens_per_s > 0) || out->goodput.ratio <= 0)
    return;
  out->training_s = out->tokens / estimate->tokens_per_s;
  hours = out->training_s / out->goodput.ratio / HOUR_S;
  out->days = hours / 24;
  out->gpu_hours = hours * gpus;
  out->energy_kwh = inputs->power_w / 1000 * inputs->pue * hours
                    * (used + shardwise_defaults_get ("cost.idle_power_share") * (gpus - used));
  out->kg_co2 = out->energy_kwh * inputs->grid_kg_co2_per_kwh;
  if (inputs->price > 0 || inputs->price_is_stated)
    {
      /* GPU-hours of the training GPUs by activity, and GPU-hours of the others. */
      double used_hours = used * hours, idle_hours = (gpus - used) * hours;
      double rate = inputs->price * used_hours;

      add_item (&out->cloud, SHARDWISE_COST_STEPS, rate * out->goodput.ratio);
      add_item (&out->cloud, SHARDWISE_COST_CHECKPOINTS, rate * out->goodput.checkpoint_share);
      add_item (&out->cloud, SHARDWISE_COST_INTERRUPTIONS, rate * out->goodput.interruption_share);
      add_item (&out->cloud, SHARDWISE_COST_IDLE, inputs->price * idle_hours);
      per_token (&out->cloud, out->tokens);
      out->basis = SHARDWISE_BASIS_CLOUD;
    }
  if (has_owned (inputs))
    {
      double purchase = purchase_per_hour (inputs) * out->gpu_hours;
      double energy = out->energy_kwh * inputs->kwh_price;

      add_item (&out->owned, SHARDWISE_COST_PURCHASE, purchase);
      add_item (&out->owned, SHARDWISE_COST_ENERGY, energy);
      add_item (&out->owned, SHARDWISE_COST_OVERHEAD, (purchase + energy) * inputs->overhead_share);
      per_token (&out->owned, out->tokens);
    }
  if (answers_owned (inputs))
    out->basis = SHARDWISE_BASIS_OWNED;
}

/**
 * shardwise_cost_bill:
 * @cost: cost of a job
 *
 * Returns: (transfer none) (nullable): the bill that the answer uses; %NULL if there is none
 */
const ShardwiseBill *
shardwise_cost_bill (const ShardwiseCost *cost)
{
  switch (cost->basis)
    {
    case SHARDWISE_BASIS_CLOUD: return &cost->cloud;
    case SHARDWISE_BASIS_OWNED: return &cost->owned;
    case SHARDWISE_BASIS_NONE:
    default: return NULL;
    }
}

/**
 * shardwise_cost_spread:
 * @amount: proportional to the step time: days, money, energy
 * @estimate: of the strategy
 * @low: (out): the lower end by the error interval of the speed
 * @high: (out): the upper end
 */
void
shardwise_cost_spread (double amount, const SwEstimate *estimate, double *low, double *high)
{
  *low = amount * estimate->tokens_per_s / estimate->tokens_high_per_s;
  *high = amount * estimate->tokens_per_s / estimate->tokens_low_per_s;
}

/**
 * shardwise_cost_total:
 * @inputs: prices
 * @cost: computed from them
 * @is_stated: (out): whether the scenario sets its price; otherwise it is the catalog's
 *
 * Returns: the total of the bill that the answer uses; 0: no price is known
 */
double
shardwise_cost_total (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost,
                      gboolean *is_stated)
{
  const ShardwiseBill *bill = shardwise_cost_bill (cost);

  *is_stated = inputs->price_is_stated || cost->basis == SHARDWISE_BASIS_OWNED;
  return bill != NULL ? bill->total : 0;
}

/* On demand, reserved or spot: discounts are not guessed; the price below which each is cheaper is
 * computed instead. */

#define DAY_S 86400.0
#define YEAR_S (365.25 * DAY_S)

static const char *const rent_names[] = { "reserved", "spot", NULL };

static const struct {
  ShardwiseRentKind kind;
  double period_s;
  const char *title;
} rent_kinds[] = {
  { SHARDWISE_RENT_RESERVED, YEAR_S / 12, N_ ("Reserved for months") },
  { SHARDWISE_RENT_RESERVED, YEAR_S / 4, N_ ("Reserved for quarters") },
  { SHARDWISE_RENT_RESERVED, YEAR_S, N_ ("Reserved for years") },
  { SHARDWISE_RENT_RESERVED, 3 * YEAR_S, N_ ("Reserved for three years") },
  { SHARDWISE_RENT_SPOT, DAY_S, N_ ("Spot, interrupted once a day") },
  { SHARDWISE_RENT_SPOT, DAY_S / 4, N_ ("Spot, interrupted every six hours") },
  { SHARDWISE_RENT_SPOT, DAY_S / 24, N_ ("Spot, interrupted every hour") },
};
G_STATIC_ASSERT (G_N_ELEMENTS (rent_kinds) == SHARDWISE_N_RENT_OFFERS);

/* The job needs a whole number of terms, and pays each to its end. */
static void
fill_reserved (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost,
               ShardwiseRentOffer *out)
{
  double seconds = cost->days * DAY_S, terms = ceil (seconds / out->period_s);

  out->job_days = cost->days;
  out->price_below = inputs->price * seconds / (terms * out->period_s);
}

/* Interruptions of spot GPUs add to the failures of the job, which continues at once on other GPUs:
 * the rates add up. Days are proportional to 1 / ratio, and so is the bill. */
static void
fill_spot (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost, ShardwiseRentOffer *out)
{
  const ShardwiseGoodput *usual = &cost->goodput;
  ShardwiseGoodput spot;

  shardwise_goodput_compute (1 / (1 / usual->mtbf_s + 1 / out->period_s), usual->write_s,
                             usual->restart_s, &spot);
  out->job_days = spot.ratio > 0 ? cost->days * usual->ratio / spot.ratio : 0;
  out->price_below = inputs->price * spot.ratio / usual->ratio;
}

/**
 * shardwise_cost_rent_offers:
 * @inputs: prices and failures
 * @cost: computed from them
 * @out: (out): other ways to rent
 *
 * Returns: their number; 0 if the price or the duration of the job is unknown
 */
guint
shardwise_cost_rent_offers (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost,
                            ShardwiseRentOffer out[SHARDWISE_N_RENT_OFFERS])
{
  if (!(inputs->price > 0) || !(cost->days > 0))
    return 0;
  for (guint i = 0; i < SHARDWISE_N_RENT_OFFERS; i++)
    {
      out[i] = (ShardwiseRentOffer){ .kind = rent_kinds[i].kind,
                                     .period_s = rent_kinds[i].period_s };
      (out[i].kind == SHARDWISE_RENT_SPOT ? fill_spot : fill_reserved) (inputs, cost, &out[i]);
    }
  return SHARDWISE_N_RENT_OFFERS;
}

/**
 * shardwise_rent_offer_title:
 * @offer: one of shardwise_cost_rent_offers()
 *
 * Returns: (transfer full): its title, translated: "Spot, interrupted once a day"
 */
char *
shardwise_rent_offer_title (const ShardwiseRentOffer *offer)
{
  for (guint i = 0; i < G_N_ELEMENTS (rent_kinds); i++)
    if (rent_kinds[i].kind == offer->kind && rent_kinds[i].period_s == offer->period_s)
      return g_strdup (_ (rent_kinds[i].title));
  g_return_val_if_reached (NULL);
}

/* The cost in words. */

/* A stated price that differs from the catalog's by this factor gets a note. */
#define ODD_FACTOR 10.0

/**
 * shardwise_text_cost_item:
 * @kind: an item of a bill
 *
 * Returns: (transfer none): its name, translated
 */
const char *
shardwise_text_cost_item (ShardwiseCostKind kind)
{
  static const char *const names[SHARDWISE_N_COSTS] = {
    N_ ("GPUs during training"),
    N_ ("GPUs during checkpoints"),
    N_ ("GPUs during restarts and lost work"),
    N_ ("GPUs left over"),
    N_ ("Purchase (depreciation)"),
    N_ ("Electricity"),
    N_ ("Overheads: staff, network, buildings"),
  };

  g_return_val_if_fail ((guint) kind < SHARDWISE_N_COSTS, "");

  return _ (names[kind]);
}

/**
 * shardwise_bill_shown:
 * @bill: of a job
 * @amounts: (out) (array fixed-size=4): its items in order, as displayed
 *
 * Each item is rounded down or up to the last digit of the total, those with the largest remainders
 * up (Hamilton's method), so that the displayed items add up to the displayed total. An item too
 * small for that precision is not changed.
 */
void
shardwise_bill_shown (const ShardwiseBill *bill, double amounts[SHARDWISE_BILL_ITEMS])
{
  const double digit = shardwise_money_digit (bill->total), least = digit < 1 ? 0.1 : 1;
  double small = 0, missing = round (bill->total / digit);

  for (guint i = 0; i < bill->n; i++)
    {
      double amount = bill->items[i].amount, digits = floor (amount / digit);

      amounts[i] = amount < least ? amount : digits * digit;
      if (amount < least)
        small += amount;
      else
        missing -= digits;
    }

  /* Adds @n digits to the amounts that rounding reduced most. */
  double n = missing - round (small / digit);
  for (; n >= 1; n--)
    {
      guint most = 0;

      for (guint i = 1; i < bill->n; i++)
        if (bill->items[i].amount - amounts[i] > bill->items[most].amount - amounts[most])
          most = i;
      amounts[most] += digit;
    }
}

static void
note_price (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost, GPtrArray *notes)
{
  g_autofree char *price = shardwise_format_price (inputs->price, inputs->currency),
                  *high = shardwise_format_price (inputs->price_high, inputs->currency),
                  *low = shardwise_format_price (inputs->price_low, inputs->currency),
                  *months = shardwise_format_months (inputs->price_date);

  if (inputs->price_is_stated && inputs->price <= 0)
    g_ptr_array_add (notes,
                     g_strdup (_ ("The price of a GPU-hour is 0, so renting is counted as free.")));
  else if (inputs->price_high > 0 && inputs->price_is_stated
           && inputs->price > ODD_FACTOR * inputs->price_high)
    g_ptr_array_add (notes,
                     g_strdup_printf (
                         /* Translators: two prices of a GPU-hour */
                         _ ("A price of %s per GPU-hour is more than ten times the highest price "
                            "in the catalog, %s. Is it the price of a node or of a month?"),
                         price, high));
  else if (inputs->price_is_stated && inputs->price * ODD_FACTOR < inputs->price_low)
    g_ptr_array_add (notes,
                     g_strdup_printf (
                         /* Translators: two prices of a GPU-hour */
                         _ ("A price of %s per GPU-hour is less than a tenth of the lowest price "
                            "in the catalog, %s. Is it the price of a minute, or in thousands?"),
                         price, low));
  else if (!inputs->price_is_stated && inputs->price > 0 && cost->cloud.n > 0)
    g_ptr_array_add (
        notes,
        /* Translators: a price, months such as 2026-09 – 2026-11 */
        g_strdup_printf (
            _ ("No price is set, so %s per GPU-hour is used, the lowest in the catalog (%s)."),
            price, months));
  else if (inputs->price <= 0 && cost->owned.n == 0)
    g_ptr_array_add (notes, g_strdup_printf (
                                /* Translators: a currency */
                                _ ("No price in %s is known. Set the price of a GPU-hour or the "
                                   "purchase price of a GPU."),
                                inputs->currency));
  if (inputs->price > 0 && inputs->price_date[0] == '\0')
    g_ptr_array_add (
        notes, g_strdup (_ ("The price has no date. Prices of GPU-hours change within months.")));
}

/**
 * shardwise_cost_notes:
 * @inputs: prices, power and failures
 * @cost: computed from them
 *
 * Returns: (transfer full) (element-type utf8): missing, absurd or assumed values
 */
GPtrArray *
shardwise_cost_notes (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost)
{
  GPtrArray *notes = g_ptr_array_new_with_free_func (g_free);

  if (!(cost->tokens > 0))
    g_ptr_array_add (notes,
                     g_strdup (_ ("Duration and cost require a number of tokens to train on.")));
  else if (cost->goodput.ratio <= 0)
    g_ptr_array_add (notes,
                     g_strdup (_ ("The job is interrupted so often that it makes no progress. "
                                  "Reduce failures, the restart time or the checkpoint time.")));
  else
    note_price (inputs, cost, notes);
  if (inputs->capex_per_gpu > 0 && inputs->kwh_price < 0)
    g_ptr_array_add (
        notes,
        /* Translators: a currency */
        g_strdup_printf (
            _ ("The cost of owned GPUs is not included. Set the price of a kWh in %s."),
            inputs->currency));
  if (inputs->power_w <= 0)
    g_ptr_array_add (
        notes,
        g_strdup (_ ("The power of this GPU is unknown, so energy and CO₂ are not included.")));
  else if (!inputs->power_is_stated && cost->energy_kwh > 0)
    g_ptr_array_add (
        notes,
        /* Translators: power in W */
        g_strdup_printf (_ ("Energy and CO₂ assume that each GPU draws its rated power of %.0f W, "
                            "an upper bound. Set the power that yours draw."),
                         inputs->power_w));
  return notes;
}

/**
 * shardwise_cost_included:
 * @cost: cost of a job
 *
 * Returns: (transfer full): what its total includes
 */
char *
shardwise_cost_included (const ShardwiseCost *cost)
{
  if (cost->basis == SHARDWISE_BASIS_OWNED)
    return g_strdup (_ (
        "Included: the purchase price spread evenly over the years of depreciation, assuming that "
        "other jobs use the GPUs the rest of the time; electricity for the GPUs with cooling; a "
        "share for staff, network and buildings; checkpoints, restarts and lost work."));
  return g_strdup (_ ("Included: the hours of all GPUs in the cluster at one price, with "
                      "checkpoints, restarts, lost work and idle GPUs."));
}

/**
 * shardwise_cost_not_included:
 * @cost: cost of a job
 *
 * Returns: (transfer full): what its total does not include
 */
char *
shardwise_cost_not_included (const ShardwiseCost *cost)
{
  if (cost->basis == SHARDWISE_BASIS_OWNED)
    return g_strdup (_ ("Not included: the power of hosts and switches, unless it is part of the "
                        "power per GPU; interest, taxes and resale; storage, data, evaluation, "
                        "earlier experiments, and waiting for GPUs."));
  return g_strdup (_ ("Not included: storage and traffic, taxes and discounts, data, evaluation, "
                      "earlier experiments, and waiting for GPUs."));
}

/**
 * shardwise_cost_energy_text:
 * @inputs: power, PUE and the CO₂ of the grid
 * @cost: computed from them
 *
 * Returns: (transfer full) (nullable): the energy and its CO₂, %NULL if the power is unknown
 */
char *
shardwise_cost_energy_text (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost)
{
  g_autofree char *energy = shardwise_format_energy (cost->energy_kwh),
                  *mass = shardwise_format_mass (cost->kg_co2);

  /* Translators: energy, power, a factor, a mass of CO2, CO2 of a kWh */
  return cost->energy_kwh > 0 ? g_strdup_printf (
             _ ("Energy: %s at %.0f W per GPU and a PUE of %.2f; %s of CO₂ at %.3f kg per kWh."),
             energy, inputs->power_w, inputs->pue, mass, inputs->grid_kg_co2_per_kwh)
                              : NULL;
}

/**
 * shardwise_cost_break_even_text:
 * @inputs: prices
 * @cost: computed from them
 *
 * Returns: (transfer full) (nullable): when owning becomes cheaper than renting; %NULL if one of
 * the two is not set
 */
char *
shardwise_cost_break_even_text (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost)
{
  g_autofree char *share = shardwise_format_percent (cost->break_even_share);

  if (!(inputs->price > 0 && inputs->capex_per_gpu > 0 && inputs->kwh_price >= 0))
    return NULL;
  if (!(cost->break_even_hours > 0))
    return g_strdup (_ (
        "Owning never pays off: an hour of electricity and overheads costs more than the rent."));
  if (cost->break_even_share > 1)
    return g_strdup_printf (
        /* Translators: hours, years */
        _ ("Owning does not pay off: it would take %'.0f hours of use per GPU, more than the %g "
           "years of depreciation have."),
        cost->break_even_hours, inputs->depreciation_years);
  return g_strdup_printf (
      /* Translators: hours, a percentage, years */
      _ ("Owning costs less than renting after %'.0f hours of use per GPU, which is %s of %g "
         "years."),
      cost->break_even_hours, share, inputs->depreciation_years);
}

/**
 * shardwise_cost_goodput_text:
 * @cost: cost of a job
 *
 * Returns: (transfer full) (nullable): the causes of time without progress; %NULL if the job makes
 * no progress
 */
char *
shardwise_cost_goodput_text (const ShardwiseCost *cost)
{
  const ShardwiseGoodput *goodput = &cost->goodput;
  g_autofree char *ratio = shardwise_format_percent (goodput->ratio),
                  *between = shardwise_format_seconds (goodput->mtbf_s),
                  *bytes = shardwise_format_bytes (cost->checkpoint_bytes),
                  *write = shardwise_format_seconds (goodput->write_s),
                  *interval = shardwise_format_seconds (goodput->interval_s);

  if (goodput->ratio <= 0)
    return NULL;
  return g_strdup_printf (
      /* Translators: a percentage, a duration, an amount of memory, two durations */
      _ ("Training makes progress %s of the time. It is interrupted every %s on average. A "
         "checkpoint of %s takes %s; one every %s of work minimizes the loss (Daly 2006)."),
      ratio, between, bytes, write, interval);
}

/* The short answer on cost, and its basis: for the window and the report. */

/**
 * shardwise_cost_verdict:
 * @inputs: prices, power and failures
 * @cost: computed from them
 * @gpus: of the cluster
 *
 * Returns: (transfer full) (nullable): days, GPU-hours and money in one sentence; %NULL if there
 * are no days
 */
char *
shardwise_cost_verdict (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost, guint gpus)
{
  const ShardwiseBill *bill = shardwise_cost_bill (cost);
  g_autofree char *tokens = shardwise_format_count (cost->tokens),
                  *time = shardwise_format_seconds (cost->days * 86400),
                  *hours = shardwise_format_count (cost->gpu_hours), *money = NULL;

  if (!(cost->days > 0))
    return NULL;
  if (bill == NULL)
    return g_strdup_printf (
        /* Translators: a number of tokens, a duration, a number of GPUs, of GPU-hours */
        ngettext ("Training on %s tokens takes %s on %'u GPU: %s GPU-hours.",
                  "Training on %s tokens takes %s on %'u GPUs: %s GPU-hours.", gpus),
        tokens, time, gpus, hours);
  money = shardwise_format_money (bill->total, inputs->currency);
  return g_strdup_printf (
      cost->basis == SHARDWISE_BASIS_OWNED
          /* Translators: a number of tokens, a duration, a number of GPUs, of GPU-hours, an amount
             of money */
          ? ngettext ("Training on %s tokens takes %s on %'u GPU: %s GPU-hours, which cost %s with "
                      "your own GPUs.",
                      "Training on %s tokens takes %s on %'u GPUs: %s GPU-hours, which cost %s "
                      "with your own GPUs.",
                      gpus)
          /* Translators: a number of tokens, a duration, a number of GPUs, of GPU-hours, an amount
             of money */
          : ngettext (
              "Training on %s tokens takes %s on %'u GPU: %s GPU-hours, which cost %s to rent.",
              "Training on %s tokens takes %s on %'u GPUs: %s GPU-hours, which cost %s to rent.",
              gpus),
      tokens, time, gpus, hours, money);
}

/**
 * shardwise_cost_cloud_text:
 * @inputs: prices
 *
 * Returns: (transfer full): the price of a GPU-hour, its date and its source
 */
char *
shardwise_cost_cloud_text (const ShardwiseCostInputs *inputs)
{
  g_autofree char *price = shardwise_format_price (inputs->price, inputs->currency),
                  *high = shardwise_format_price (inputs->price_high, inputs->currency),
                  *months = shardwise_format_months (inputs->price_date);

  if (!(inputs->price > 0) && !inputs->price_is_stated)
    return g_strdup_printf (
        /* Translators: a currency */
        _ ("No price in %s is known. Set the price of a GPU-hour."), inputs->currency);
  if (!inputs->price_is_stated)
    return g_strdup_printf (
        /* Translators: two prices, months such as 2026-09 – 2026-11 */
        _ ("%s per GPU-hour, the lowest price in the catalog; the highest is %s (%s)."), price,
        high, months);
  if (inputs->price_date[0] == '\0')
    /* Translators: a price */
    return g_strdup_printf (_ ("%s per GPU-hour, your own price without a date."), price);
  /* Translators: a price, a date */
  return g_strdup_printf (_ ("%s per GPU-hour, your own price of %s."), price, inputs->price_date);
}

/**
 * shardwise_cost_owned_text:
 * @inputs: prices
 *
 * Returns: (transfer full): the calculation for owned GPUs, or what is missing
 */
char *
shardwise_cost_owned_text (const ShardwiseCostInputs *inputs)
{
  if (!(inputs->capex_per_gpu > 0))
    return g_strdup (
        _ ("To compare, set the purchase price of a GPU, including its share of the server."));
  if (inputs->kwh_price < 0)
    return g_strdup_printf (
        /* Translators: a currency */
        _ ("The cost of owned GPUs is not included. Set the price of a kWh in %s."),
        inputs->currency);
  return g_strdup_printf (
      /* Translators: years */
      _ ("The purchase is spread over %g years. Other jobs pay for the rest of the time."),
      inputs->depreciation_years);
}

/**
 * shardwise_cost_assumption:
 * @scenario: the document
 * @problem: @scenario, resolved
 * @inputs: read from both
 * @id: a key of "cost"
 * @detail: (out) (transfer full): that the scenario sets it, or the source of the default
 *
 * Returns: (transfer full) (nullable): the value that the cost uses, with its unit; %NULL if there
 * is none
 */
char *
shardwise_cost_assumption (ShardwiseScenario *scenario, const SwProblem *problem,
                           const ShardwiseCostInputs *inputs, ShardwiseKeyId id, char **detail)
{
  const ShardwiseKey *key = shardwise_key_get (id);
  gboolean is_stated = shardwise_scenario_is_set (scenario, id);
  double value = is_stated ? shardwise_scenario_get_number (scenario, id, 0)
                           : shardwise_cost_default (problem, id);

  g_return_val_if_fail (key != NULL, NULL);

  *detail = NULL;
  if (!is_stated && (!(value > 0) || (id == SHARDWISE_KEY_COST_KWH_PRICE && inputs->kwh_price < 0)))
    return NULL;
  if (is_stated)
    *detail = g_strdup (_ ("set in the scenario"));
  else
    /* Translators: the source of a number */
    *detail = g_strdup_printf (_ ("default: %s"), shardwise_cost_source (id));

  /* A value with its unit and with the digits that the inputs show. */
  gboolean is_money = key->id == SHARDWISE_KEY_COST_PRICE
                      || key->id == SHARDWISE_KEY_COST_CAPEX_PER_GPU
                      || key->id == SHARDWISE_KEY_COST_KWH_PRICE;
  g_autofree char *number = is_money        ? shardwise_format_price (value, inputs->currency)
                            : value >= 1000 ? shardwise_format_whole (value)
                                            : g_strdup_printf ("%.4g", value);

  if (key->id == SHARDWISE_KEY_COST_OVERHEAD_SHARE)
    return shardwise_format_percent (value);
  if (key->id == SHARDWISE_KEY_COST_RESTART_S)
    return shardwise_format_seconds (value);
  return key->unit != NULL ? g_strdup_printf ("%s %s", number, _ (key->unit))
                           : g_steal_pointer (&number);
}

/**
 * shardwise_format_energy:
 * @kwh: an amount of energy
 *
 * Returns: (transfer full): in a suitable unit: "63.4 MWh"
 */
char *
shardwise_format_energy (double kwh)
{
  double scale = kwh >= 999500 ? 1e6 : kwh >= 999.5 ? 1e3 : 1;
  g_autofree char *number = shardwise_format_significant (kwh / scale);

  /* Translators: an amount of energy */
  return g_strdup_printf (scale > 1e3 ? _ ("%s GWh")
                          : scale > 1 ? _ ("%s MWh")
                                      : _ ("%s kWh"),
                          number);
}

/**
 * shardwise_format_mass:
 * @kg: a mass
 *
 * Returns: (transfer full): in kilograms or tonnes: "30.0 t"
 */
char *
shardwise_format_mass (double kg)
{
  g_autofree char *number = shardwise_format_significant (kg >= 999.5 ? kg / 1000 : kg);

  /* Translators: a mass: tonnes, or kilograms */
  return g_strdup_printf (kg >= 999.5 ? _ ("%s t") : _ ("%s kg"), number);
}

static void
set_bill (JsonObject *object, const ShardwiseBill *bill, const char *currency)
{
  static const ShardwiseBill none = { 0 };
  JsonArray *items = json_array_new ();

  if (bill == NULL)
    bill = &none;
  for (guint i = 0; i < bill->n; i++)
    {
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "code", shardwise_cost_names[bill->items[i].kind]);
      json_object_set_string_member (item, "name", shardwise_text_cost_item (bill->items[i].kind));
      json_object_set_double_member (item, "amount", bill->items[i].amount);
      json_object_set_string_member (item, "unit", currency);
      json_array_add_object_element (items, item);
    }
  json_object_set_array_member (object, "items", items);
  shardwise_json_set_known (object, "total", bill->total, bill->n > 0);
  shardwise_json_set_known (object, "per_million_tokens", bill->per_million_tokens, bill->n > 0);
}

static void
set_named_bill (JsonObject *object, const char *name, const ShardwiseBill *bill,
                const char *currency)
{
  JsonObject *member = json_object_new ();

  set_bill (member, bill, currency);
  json_object_set_object_member (object, name, member);
}

static void
set_numbers (JsonObject *object, const ShardwiseCostInputs *inputs, const ShardwiseCost *cost)
{
  const gboolean has_days = cost->days > 0;
  const ShardwiseGoodput *goodput = &cost->goodput;
  const struct {
    const char *name;
    double value;
  } numbers[] = {
    { "goodput", goodput->ratio },
    { "checkpoint_bytes", cost->checkpoint_bytes },
    { "checkpoint_write_s", goodput->write_s },
    { "mean_time_between_interruptions_s", goodput->mtbf_s },
    { "restart_s", goodput->restart_s },
    { "young_interval_s", goodput->young_s },
    { "checkpoint_interval_s", goodput->interval_s },
    { "checkpoint_share", goodput->checkpoint_share },
    { "interruption_share", goodput->interruption_share },
    { "break_even_gpu_hours", cost->break_even_hours },
    { "break_even_share", cost->break_even_share },
  };

  shardwise_json_set_known (object, "days", cost->days, has_days);
  shardwise_json_set_known (object, "training_days", cost->training_s / 86400, has_days);
  shardwise_json_set_known (object, "gpu_hours", cost->gpu_hours, has_days);
  shardwise_json_set_known (object, "energy_kwh", cost->energy_kwh,
                            has_days && inputs->power_w > 0);
  shardwise_json_set_known (object, "kg_co2", cost->kg_co2, has_days && inputs->power_w > 0);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    json_object_set_double_member (object, numbers[i].name, numbers[i].value);
}

/**
 * shardwise_cost_to_json:
 * @inputs: prices, power and failures
 * @cost: computed from them
 * @notes: (nullable) (element-type utf8): sentences
 *
 * Returns: (transfer full): the object; its items add up to its total, nothing is rounded
 */
JsonNode *
shardwise_cost_to_json (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost,
                        GPtrArray *notes)
{
  JsonObject *object = json_object_new ();
  JsonArray *rents = json_array_new ();
  ShardwiseRentOffer offers[SHARDWISE_N_RENT_OFFERS];
  guint n = shardwise_cost_rent_offers (inputs, cost, offers);
  g_autofree char *included = shardwise_cost_included (cost),
                  *not_included = shardwise_cost_not_included (cost);

  set_bill (object, shardwise_cost_bill (cost), inputs->currency);
  json_object_set_string_member (object, "currency", inputs->currency);
  json_object_set_string_member (object, "basis", basis_names[cost->basis]);
  shardwise_json_set_known (object, "price", inputs->price,
                            inputs->price_is_stated || inputs->price > 0);
  json_object_set_string_member (object, "price_date", inputs->price_date);
  set_numbers (object, inputs, cost);
  set_named_bill (object, "cloud", &cost->cloud, inputs->currency);
  set_named_bill (object, "owned", &cost->owned, inputs->currency);
  for (guint i = 0; i < n; i++)
    {
      JsonObject *rent = json_object_new ();

      json_object_set_string_member (rent, "kind", rent_names[offers[i].kind]);
      json_object_set_double_member (rent, "period_s", offers[i].period_s);
      json_object_set_double_member (rent, "price_below", offers[i].price_below);
      json_object_set_double_member (rent, "job_days", offers[i].job_days);
      json_array_add_object_element (rents, rent);
    }
  json_object_set_array_member (object, "other_rents", rents);

  json_object_set_string_member (object, "included", included);
  json_object_set_string_member (object, "not_included", not_included);
  json_object_set_array_member (object, "notes", shardwise_json_strings (notes));
  return shardwise_json_take_object (object);
}
