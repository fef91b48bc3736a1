/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Money, energy and days of a job. */
#include "shardwise-cost.h"

#include <string.h>

#include "sw-checkpoint.h"

#define HOURS_PER_YEAR (365.25 * 24)
#define HOUR_S 3600.0

const char *const shardwise_cost_names[] = { "training-steps", "checkpoints", "interruptions",
                                             "idle-gpus",      "purchase",    "energy",
                                             "overhead",       NULL };
const char *const shardwise_basis_names[] = { "none", "cloud", "owned", NULL };

static gboolean
is_set (ShardwiseScenario *scenario, const char *name)
{
  g_autofree char *path = g_strconcat ("cost.", name, NULL);

  return shardwise_scenario_is_set (scenario, path);
}

static double
number (ShardwiseScenario *scenario, const SwProblem *problem, const char *name)
{
  g_autofree char *path = g_strconcat ("cost.", name, NULL);

  return is_set (scenario, name) ? shardwise_scenario_get_number (scenario, path, 0)
                                 : shardwise_cost_default (problem, name);
}

/* The scenario's price and its date, or the lowest of the catalogue, which is in USD. */
static void
read_price (ShardwiseScenario *scenario, const SwGpu *gpu, ShardwiseCostInputs *out)
{
  g_autofree char *currency = shardwise_scenario_get_string (scenario, "cost.currency");
  gboolean is_usd = currency == NULL || g_str_equal (currency, "USD");

  g_strlcpy (out->currency, currency != NULL && *currency != '\0' ? currency : "USD",
             sizeof out->currency);
  out->price_is_stated = is_set (scenario, "price");
  out->price_low = is_usd ? MAX (gpu->price_per_hour_low, 0) : 0;
  out->price_high = is_usd ? gpu->price_per_hour_high : 0;
  if (out->price_is_stated)
    {
      g_autofree char *date = is_set (scenario, "price_date")
                                  ? shardwise_scenario_get_string (scenario, "cost.price_date")
                                  : NULL;

      out->price = shardwise_scenario_get_number (scenario, "cost.price", 0);
      g_strlcpy (out->price_date, date != NULL ? date : "", sizeof out->price_date);
    }
  else if (is_usd)
    {
      out->price = out->price_low;
      g_strlcpy (out->price_date, gpu->price_month, sizeof out->price_date);
    }
}

/**
 * shardwise_cost_inputs_read:
 * @scenario: the document
 * @problem: @scenario, resolved
 * @out: (out): its keys of "cost", each with its default where it is not set
 */
void
shardwise_cost_inputs_read (ShardwiseScenario *scenario, const SwProblem *problem,
                            ShardwiseCostInputs *out)
{
  g_return_if_fail (SHARDWISE_IS_SCENARIO (scenario) && problem != NULL && out != NULL);

  memset (out, 0, sizeof *out);
  read_price (scenario, &problem->cluster.gpu, out);
  out->capex_per_gpu = number (scenario, problem, "capex_per_gpu");
  out->depreciation_years = number (scenario, problem, "depreciation_years");
  out->power_w = number (scenario, problem, "power_w");
  out->power_is_stated = is_set (scenario, "power_w");
  out->pue = number (scenario, problem, "pue");
  out->kwh_price = is_set (scenario, "kwh_price") || g_str_equal (out->currency, "USD")
                       ? number (scenario, problem, "kwh_price")
                       : -1;
  out->grid_kg_co2_per_kwh = number (scenario, problem, "grid_kg_co2_per_kwh");
  out->overhead_share = number (scenario, problem, "overhead_share");
  out->mtbf_gpu_hours = number (scenario, problem, "mtbf_gpu_hours");
  out->restart_s = number (scenario, problem, "restart_s");
  if (is_set (scenario, "storage_gb_s"))
    out->storage_bytes_per_s = number (scenario, problem, "storage_gb_s") * SW_GB;
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

/* GPU-hours of the GPUs that train, by what they do meanwhile, and those of the rest. */
static void
fill_cloud (const ShardwiseCostInputs *inputs, double used_hours, double idle_hours,
            ShardwiseCost *out)
{
  double rate = inputs->price * used_hours;

  add_item (&out->cloud, SHARDWISE_COST_STEPS, rate * out->goodput.ratio);
  add_item (&out->cloud, SHARDWISE_COST_CHECKPOINTS, rate * out->goodput.checkpoint_share);
  add_item (&out->cloud, SHARDWISE_COST_INTERRUPTIONS, rate * out->goodput.interruption_share);
  add_item (&out->cloud, SHARDWISE_COST_IDLE, inputs->price * idle_hours);
  per_token (&out->cloud, out->tokens);
}

/* The purchase is spread evenly over the years: other jobs pay for the rest of the time. */
static double
purchase_per_hour (const ShardwiseCostInputs *inputs)
{
  return inputs->capex_per_gpu / (inputs->depreciation_years * HOURS_PER_YEAR);
}

static void
fill_owned (const ShardwiseCostInputs *inputs, ShardwiseCost *out)
{
  double purchase = purchase_per_hour (inputs) * out->gpu_hours,
         energy = out->energy_kwh * inputs->kwh_price;

  add_item (&out->owned, SHARDWISE_COST_PURCHASE, purchase);
  add_item (&out->owned, SHARDWISE_COST_ENERGY, energy);
  add_item (&out->owned, SHARDWISE_COST_OVERHEAD, (purchase + energy) * inputs->overhead_share);
  per_token (&out->owned, out->tokens);
}

/* Hours of use at which a GPU's purchase and running costs reach its rent: capex x (1 + overhead) =
 * hours x (price - running costs of an hour). */
static void
fill_break_even (const ShardwiseCostInputs *inputs, ShardwiseCost *out)
{
  double load = 1 + inputs->overhead_share,
         running = inputs->power_w / 1000 * inputs->pue * inputs->kwh_price * load;

  if (!(inputs->price > running))
    return;
  out->break_even_hours = inputs->capex_per_gpu * load / (inputs->price - running);
  out->break_even_share = out->break_even_hours / (inputs->depreciation_years * HOURS_PER_YEAR);
}

/* Failures strike the GPUs that train; all of them wait for a checkpoint. */
static void
fill_goodput (const ShardwiseCostInputs *inputs, const SwProblem *problem,
              const SwEstimate *estimate, double used, ShardwiseCost *out)
{
  out->checkpoint_bytes = sw_checkpoint_bytes (problem, &estimate->strategy);
  out->storage_bytes_per_s = inputs->storage_bytes_per_s > 0
                                 ? inputs->storage_bytes_per_s
                                 : shardwise_cost_constant ("storage_gb_s_per_gpu") * SW_GB * used;
  shardwise_goodput_compute (inputs->mtbf_gpu_hours * HOUR_S / used,
                             out->checkpoint_bytes / out->storage_bytes_per_s, inputs->restart_s,
                             &out->goodput);
}

static gboolean
has_owned (const ShardwiseCostInputs *inputs)
{
  return inputs->capex_per_gpu > 0 && inputs->kwh_price >= 0;
}

/* Whether the bill of owned hardware is the answer: a price that is stated goes before it. */
static gboolean
answers_owned (const ShardwiseCostInputs *inputs)
{
  return has_owned (inputs) && !(inputs->price_is_stated && inputs->price > 0);
}

/**
 * shardwise_cost_least_hour:
 * @inputs: prices
 *
 * Returns: the least that an hour of one GPU costs by the bill that is the answer: its rent, or its
 * share of the purchase with overheads, electricity not counted; 0: not known
 */
double
shardwise_cost_least_hour (const ShardwiseCostInputs *inputs)
{
  return answers_owned (inputs) ? purchase_per_hour (inputs) * (1 + inputs->overhead_share)
                                : inputs->price;
}

static ShardwiseCostBasis
basis_of (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost)
{
  if (answers_owned (inputs))
    return SHARDWISE_BASIS_OWNED;
  return cost->cloud.n > 0 ? SHARDWISE_BASIS_CLOUD : SHARDWISE_BASIS_NONE;
}

/**
 * shardwise_cost_compute:
 * @inputs: prices, power and failures
 * @problem: the question, with the number of GPUs that @estimate is for
 * @estimate: of one strategy; its own time model, also of adapters and reinforcement learning
 * @out: (out): what the job takes and costs
 *
 * Nothing that is not known is guessed: a bill without its price has no items, and a job without
 * tokens, or one that does not advance, no days. Where both a price and a purchase are stated the
 * price is the answer; without a price the purchase goes before the catalogue's price.
 */
void
shardwise_cost_compute (const ShardwiseCostInputs *inputs, const SwProblem *problem,
                        const SwEstimate *estimate, ShardwiseCost *out)
{
  double gpus = problem->cluster.gpus, used = CLAMP (estimate->gpus_used, 1, gpus), hours;

  memset (out, 0, sizeof *out);
  out->tokens = problem->training.tokens;
  fill_goodput (inputs, problem, estimate, used, out);
  if (has_owned (inputs))
    fill_break_even (inputs, out);
  if (!(out->tokens > 0) || !(estimate->tokens_per_s > 0) || out->goodput.ratio <= 0)
    return;
  out->training_s = out->tokens / estimate->tokens_per_s;
  hours = out->training_s / out->goodput.ratio / HOUR_S;
  out->days = hours / 24;
  out->gpu_hours = hours * gpus;
  out->energy_kwh = inputs->power_w / 1000 * inputs->pue * hours
                    * (used + shardwise_cost_constant ("idle_power_share") * (gpus - used));
  out->kg_co2 = out->energy_kwh * inputs->grid_kg_co2_per_kwh;
  if (inputs->price > 0 || inputs->price_is_stated)
    fill_cloud (inputs, used * hours, (gpus - used) * hours, out);
  if (has_owned (inputs))
    fill_owned (inputs, out);
  out->basis = basis_of (inputs, out);
}

/**
 * shardwise_cost_bill:
 * @cost: what a job costs
 *
 * Returns: (transfer none) (nullable): the bill that is the answer; %NULL where there is none
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
 * @amount: what grows with the time of a step: days, money, energy
 * @estimate: of the strategy
 * @low: (out): the least of it, in the error interval of the speed
 * @high: (out): the most
 */
void
shardwise_cost_spread (double amount, const SwEstimate *estimate, double *low, double *high)
{
  *low = amount * estimate->tokens_per_s / estimate->tokens_high_per_s;
  *high = amount * estimate->tokens_per_s / estimate->tokens_low_per_s;
}

/**
 * shardwise_cost_stated_total:
 * @inputs: prices
 * @cost: computed of them
 *
 * Returns: the total of the bill that is the answer where the scenario states its price; 0 where it
 * does not, so that a short answer names no money that nobody stated
 */
double
shardwise_cost_stated_total (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost)
{
  const ShardwiseBill *bill = shardwise_cost_bill (cost);

  if (bill == NULL || !(inputs->price_is_stated || cost->basis == SHARDWISE_BASIS_OWNED))
    return 0;
  return bill->total;
}
