/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The short answer on cost, and what it goes by: for the window and the report. */
#include "shardwise-cost.h"

#include <glib/gi18n.h>

#include "shardwise-format.h"
#include "shardwise-money.h"

/**
 * shardwise_cost_verdict:
 * @inputs: prices, power and failures
 * @cost: computed of them
 * @gpus: of the cluster
 *
 * Returns: (transfer full) (nullable): days, GPU-hours and money in one sentence; %NULL where there
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
        ngettext ("%s tokens take %s on %'u GPU: %s GPU-hours.",
                  "%s tokens take %s on %'u GPUs: %s GPU-hours.", gpus),
        tokens, time, gpus, hours);
  money = shardwise_format_money (bill->total, inputs->currency);
  return g_strdup_printf (
      cost->basis == SHARDWISE_BASIS_OWNED
          /* Translators: a number of tokens, a duration, a number of GPUs, of GPU-hours, an amount
             of money */
          ? ngettext ("%s tokens take %s on %'u GPU: %s GPU-hours, which cost %s with "
                      "GPUs of your own.",
                      "%s tokens take %s on %'u GPUs: %s GPU-hours, which cost %s with "
                      "GPUs of your own.",
                      gpus)
          /* Translators: a number of tokens, a duration, a number of GPUs, of GPU-hours, an amount
             of money */
          : ngettext ("%s tokens take %s on %'u GPU: %s GPU-hours, which cost %s to rent.",
                      "%s tokens take %s on %'u GPUs: %s GPU-hours, which cost %s to rent.", gpus),
      tokens, time, gpus, hours, money);
}

/**
 * shardwise_cost_cloud_text:
 * @inputs: prices
 *
 * Returns: (transfer full): the price of a GPU-hour, its date and where it comes from
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
        _ ("No price in %s is known: state what a GPU-hour costs."), inputs->currency);
  if (!inputs->price_is_stated)
    return g_strdup_printf (
        /* Translators: two prices, months such as 2026-09 – 2026-11 */
        _ ("%s per GPU-hour, the lowest of the catalogue; the highest is %s (%s)."), price, high,
        months);
  if (inputs->price_date[0] == '\0')
    /* Translators: a price */
    return g_strdup_printf (_ ("%s per GPU-hour as you state, without a date."), price);
  /* Translators: a price, a date */
  return g_strdup_printf (_ ("%s per GPU-hour as you state, of %s."), price, inputs->price_date);
}

/**
 * shardwise_cost_owned_text:
 * @inputs: prices
 *
 * Returns: (transfer full): how owned GPUs are counted, or what is missing
 */
char *
shardwise_cost_owned_text (const ShardwiseCostInputs *inputs)
{
  if (!(inputs->capex_per_gpu > 0))
    return g_strdup (
        _ ("State what a GPU costs to buy, with its share of the server, to compare."));
  if (inputs->kwh_price < 0)
    return g_strdup_printf (
        /* Translators: a currency */
        _ ("Owned GPUs are not counted: state the price of a kWh in %s."), inputs->currency);
  return g_strdup_printf (
      /* Translators: years */
      _ ("The purchase is spread over %g years; other jobs pay for the rest of the time."),
      inputs->depreciation_years);
}

/* A value with its unit, as its key has it, and with the digits that the inputs show of it. */
static char *
value_text (const ShardwiseCostInputs *inputs, const ShardwiseKey *key, double value)
{
  gboolean is_money = g_str_equal (key->path, "cost.price")
                      || g_str_equal (key->path, "cost.capex_per_gpu")
                      || g_str_equal (key->path, "cost.kwh_price");
  g_autofree char *number = is_money        ? shardwise_format_price (value, inputs->currency)
                            : value >= 1000 ? shardwise_format_whole (value)
                                            : g_strdup_printf ("%.4g", value);

  if (g_str_equal (key->path, "cost.overhead_share"))
    return shardwise_format_percent (value);
  if (g_str_equal (key->path, "cost.restart_s"))
    return shardwise_format_seconds (value);
  return key->unit != NULL ? g_strdup_printf ("%s %s", number, _ (key->unit))
                           : g_steal_pointer (&number);
}

/**
 * shardwise_cost_assumption:
 * @scenario: the document
 * @problem: @scenario, resolved
 * @inputs: read of both
 * @name: a key of "cost", without that prefix
 * @detail: (out) (transfer full): that the scenario states it, or the source of the default
 *
 * Returns: (transfer full) (nullable): the value that is counted with, with its unit; %NULL where
 * there is none
 */
char *
shardwise_cost_assumption (ShardwiseScenario *scenario, const SwProblem *problem,
                           const ShardwiseCostInputs *inputs, const char *name, char **detail)
{
  g_autofree char *path = g_strconcat ("cost.", name, NULL);
  const ShardwiseKey *key = shardwise_key_find (path);
  gboolean is_stated = shardwise_scenario_is_set (scenario, path);
  double value = is_stated ? shardwise_scenario_get_number (scenario, path, 0)
                           : shardwise_cost_default (problem, name);

  g_return_val_if_fail (key != NULL, NULL);

  *detail = NULL;
  if (!is_stated && (!(value > 0) || (g_str_equal (name, "kwh_price") && inputs->kwh_price < 0)))
    return NULL;
  if (is_stated)
    *detail = g_strdup (_ ("stated in the scenario"));
  else
    /* Translators: the source of a number */
    *detail = g_strdup_printf (_ ("default: %s"), shardwise_cost_source (name));
  return value_text (inputs, key, value);
}

/**
 * shardwise_format_energy:
 * @kwh: an amount of energy
 *
 * Returns: (transfer full): in the unit that suits it: "63.4 MWh"
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
