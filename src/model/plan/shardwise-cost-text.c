/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a cost says in words. */
#include "shardwise-cost.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-format.h"
#include "shardwise-money.h"

/* A stated price beyond the catalogue's by this factor is pointed out. */
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
    N_ ("GPUs while training advances"),
    N_ ("GPUs while checkpoints are written"),
    N_ ("GPUs during restarts and lost work"),
    N_ ("GPUs left over"),
    N_ ("Purchase, by depreciation"),
    N_ ("Electricity"),
    N_ ("Overheads: staff, network, buildings"),
  };

  g_return_val_if_fail ((guint) kind < SHARDWISE_N_COSTS, "");

  return _ (names[kind]);
}

/* Adds @n digits, each to the amount that lacks most of its item. */
static void
round_up (const ShardwiseBill *bill, double digit, double n, double *amounts)
{
  for (; n >= 1; n--)
    {
      guint most = 0;

      for (guint i = 1; i < bill->n; i++)
        if (bill->items[i].amount - amounts[i] > bill->items[most].amount - amounts[most])
          most = i;
      amounts[most] += digit;
    }
}

/**
 * shardwise_bill_shown:
 * @bill: of a job
 * @amounts: (out) (array fixed-size=4): its items in their order, as they are to be read
 *
 * Each item is rounded down or up to the last digit of the total, those with the largest remainders
 * up (Hamilton's method), so that what is read adds up to the total that is read. An item so small
 * that it is shown with digits of its own is left as it is.
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
  round_up (bill, digit, missing - round (small / digit), amounts);
}

static void
note_price (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost, GPtrArray *notes)
{
  g_autofree char *price = shardwise_format_price (inputs->price, inputs->currency),
                  *high = shardwise_format_price (inputs->price_high, inputs->currency),
                  *low = shardwise_format_price (inputs->price_low, inputs->currency),
                  *months = shardwise_format_months (inputs->price_date);

  if (inputs->price_is_stated && inputs->price <= 0)
    g_ptr_array_add (notes, g_strdup (_ ("The price of a GPU-hour is 0: renting is counted as "
                                         "free.")));
  else if (inputs->price_high > 0 && inputs->price_is_stated
           && inputs->price > ODD_FACTOR * inputs->price_high)
    g_ptr_array_add (
        notes,
        g_strdup_printf (
            /* Translators: two prices of a GPU-hour */
            _ ("A price of %s per GPU-hour is more than ten times the highest in the catalogue, "
               "%s: is it the price of a node, or of a month?"),
            price, high));
  else if (inputs->price_is_stated && inputs->price * ODD_FACTOR < inputs->price_low)
    g_ptr_array_add (
        notes,
        g_strdup_printf (
            /* Translators: two prices of a GPU-hour */
            _ ("A price of %s per GPU-hour is less than a tenth of the lowest in the catalogue, "
               "%s: is it the price of a minute, or in thousands?"),
            price, low));
  else if (!inputs->price_is_stated && inputs->price > 0 && cost->cloud.n > 0)
    g_ptr_array_add (notes,
                     /* Translators: a price, months such as 2026-09 – 2026-11 */
                     g_strdup_printf (_ ("No price is stated: %s per GPU-hour is the lowest of the "
                                         "catalogue (%s)."),
                                      price, months));
  else if (inputs->price <= 0 && cost->owned.n == 0)
    g_ptr_array_add (notes, g_strdup_printf (
                                /* Translators: a currency */
                                _ ("No price in %s is known: state the price of a GPU-hour or the "
                                   "purchase price of a GPU."),
                                inputs->currency));
  if (inputs->price > 0 && inputs->price_date[0] == '\0')
    g_ptr_array_add (notes, g_strdup (_ ("The price has no date: prices of GPU-hours change within "
                                         "months.")));
}

static void
note_owned (const ShardwiseCostInputs *inputs, GPtrArray *notes)
{
  if (inputs->capex_per_gpu > 0 && inputs->kwh_price < 0)
    g_ptr_array_add (
        notes,
        /* Translators: a currency */
        g_strdup_printf (_ ("Owned GPUs are not counted: state the price of a kWh in %s."),
                         inputs->currency));
}

static void
note_power (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost, GPtrArray *notes)
{
  if (inputs->power_w <= 0)
    g_ptr_array_add (
        notes,
        g_strdup (_ ("The power of this GPU is not known: energy and CO₂ are not counted.")));
  else if (!inputs->power_is_stated && cost->energy_kwh > 0)
    g_ptr_array_add (
        notes,
        /* Translators: power in W */
        g_strdup_printf (_ ("Energy and CO₂ count each GPU at its rated %.0f W, the most it draws: "
                            "state what yours draw."),
                         inputs->power_w));
}

/**
 * shardwise_cost_notes:
 * @inputs: prices, power and failures
 * @cost: computed of them
 *
 * Returns: (transfer full) (element-type utf8): what is missing, absurd or taken for granted
 */
GPtrArray *
shardwise_cost_notes (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost)
{
  GPtrArray *notes = g_ptr_array_new_with_free_func (g_free);

  if (!(cost->tokens > 0))
    g_ptr_array_add (notes, g_strdup (_ ("Without a number of tokens to train on there are neither "
                                         "days nor cost.")));
  else if (cost->goodput.ratio <= 0)
    g_ptr_array_add (notes, g_strdup (_ ("The job is interrupted so often that it does not "
                                         "advance: failures, the restart or the storage must "
                                         "improve.")));
  else
    note_price (inputs, cost, notes);
  note_owned (inputs, notes);
  note_power (inputs, cost, notes);
  return notes;
}

/**
 * shardwise_cost_included:
 * @cost: what a job costs
 *
 * Returns: (transfer full): what its total counts
 */
char *
shardwise_cost_included (const ShardwiseCost *cost)
{
  if (cost->basis == SHARDWISE_BASIS_OWNED)
    return g_strdup (
        _ ("Included: the purchase price spread evenly over the years of depreciation, as if other "
           "jobs used the GPUs for the rest of the time; electricity of the GPUs with cooling; a "
           "share for staff, network and buildings; checkpoints, restarts and lost work."));
  return g_strdup (_ ("Included: the hours of all GPUs of the cluster at one price, with "
                      "checkpoints, restarts, lost work and GPUs that are left over."));
}

/**
 * shardwise_cost_not_included:
 * @cost: what a job costs
 *
 * Returns: (transfer full): what its total does not count
 */
char *
shardwise_cost_not_included (const ShardwiseCost *cost)
{
  if (cost->basis == SHARDWISE_BASIS_OWNED)
    return g_strdup (_ (
        "Not included: the power of hosts and switches unless the power per GPU has it; interest, "
        "taxes and resale; storage, data, evaluation, experiments that come before, and waiting "
        "for GPUs."));
  return g_strdup (_ ("Not included: storage and traffic, taxes and discounts, data, evaluation, "
                      "experiments that come before, and waiting for GPUs."));
}

/**
 * shardwise_cost_break_even_text:
 * @inputs: prices
 * @cost: computed of them
 *
 * Returns: (transfer full) (nullable): from when on owning costs less than renting; %NULL where one
 * of the two is not stated
 */
char *
shardwise_cost_break_even_text (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost)
{
  g_autofree char *share = shardwise_format_percent (cost->break_even_share);

  if (!(inputs->price > 0 && inputs->capex_per_gpu > 0 && inputs->kwh_price >= 0))
    return NULL;
  if (!(cost->break_even_hours > 0))
    return g_strdup (_ ("Owning never pays: an hour of electricity and overheads costs more than "
                        "the rent."));
  if (cost->break_even_share > 1)
    return g_strdup_printf (
        /* Translators: hours, years */
        _ ("Owning does not pay: it would take %'.0f hours of use of each GPU, more than the %g "
           "years of depreciation have."),
        cost->break_even_hours, inputs->depreciation_years);
  return g_strdup_printf (
      /* Translators: hours, a percentage, years */
      _ ("Owning costs less than renting from %'.0f hours of use of each GPU: %s of %g years."),
      cost->break_even_hours, share, inputs->depreciation_years);
}

/**
 * shardwise_cost_goodput_text:
 * @cost: what a job costs
 *
 * Returns: (transfer full) (nullable): where the time goes that does not train; %NULL where the job
 * does not advance
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
      _ ("%s of the time advances the training. It is interrupted every %s on average; a "
         "checkpoint "
         "of %s takes %s, and the least is lost with one every %s of work (Daly 2006)."),
      ratio, between, bytes, write, interval);
}
