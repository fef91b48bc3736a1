/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-search-private.h"

/* No cluster that is planned for is larger. */
enum { MOST_GPUS = 131072 };

/* A size may reach this share of the best rate per GPU of the larger ones and still be sensible. */
#define SENSIBLE_SHARE 0.9

/* The cluster with another number of GPUs; the rest of the question stays. */
static void
resize (SwProblem *problem, guint gpus)
{
  problem->cluster.gpus = gpus;
}

static gboolean
fits_on (const SwProblem *problem, guint gpus)
{
  SwProblem sized = *problem;

  resize (&sized, gpus);
  return sw_search_any_fits (&sized);
}

/**
 * sw_least_gpus:
 * @problem: a prepared question; its number of GPUs is of no effect
 *
 * The least number of GPUs on which anything fits: a power of two within one node, else whole
 * nodes. What fits on a number of GPUs fits on any larger one, with the rest idle, so that
 * bisection is exact.
 *
 * Returns: that number; 0 where nothing fits on 131,072 GPUs
 */
guint
sw_least_gpus (const SwProblem *problem)
{
  const guint node = MAX (1, problem->cluster.gpus_per_node), most = MAX (1, MOST_GPUS / node);
  guint low = 0, high = 1;

  for (guint gpus = 1; gpus < node; gpus *= 2)
    if (fits_on (problem, gpus))
      return gpus;
  while (!fits_on (problem, high * node))
    {
      if (high == most)
        return 0;
      low = high;
      high = MIN (2 * high, most);
    }
  while (high - low > 1)
    {
      const guint middle = low + (high - low) / 2;

      if (fits_on (problem, middle * node))
        high = middle;
      else
        low = middle;
    }
  return high * node;
}

/* Tokens per second and GPU of the best strategy on `gpus`, idle ones included; without offload,
 * unless it was asked for. 0 where none fits. */
static double
rate_on (const SwProblem *problem, guint gpus)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem sized = *problem;
  SwSearchResult result;
  double rate = 0.0;

  resize (&sized, gpus);
  if (!sw_pins_has (&problem->pins, SW_DIM_OFFLOAD))
    {
      sized.pins.mask |= 1u << SW_DIM_OFFLOAD;
      sized.pins.value.offload = SW_OFFLOAD_NONE;
    }
  sw_search (&sized, &options, &result);
  if (result.n_best > 0)
    rate = 1.0 / (result.best[0].seconds_per_token * gpus);
  sw_search_result_clear (&result);
  return rate;
}

/**
 * sw_sensible_gpus:
 * @problem: a prepared question; its number of GPUs is of no effect
 *
 * The least number of GPUs often fits only with full recomputation, offload or tiny micro-batches.
 * Sensible is the smallest of its doublings (up to 64-fold) without offload on which a GPU trains
 * at least 90 % of the tokens per second (so that MFU is within 10 %) that it trains on any larger
 * of them.
 *
 * Returns: that number; 0 where nothing fits
 */
guint
sw_sensible_gpus (const SwProblem *problem)
{
  double rates[7] = { 0.0 }, best = 0.0;
  const guint least = sw_least_gpus (problem);
  guint sensible = least, n = 0;

  if (least == 0)
    return 0;
  for (guint64 gpus = least; n < G_N_ELEMENTS (rates) && gpus <= MOST_GPUS; gpus *= 2)
    rates[n++] = rate_on (problem, (guint) gpus);
  while (n-- > 0)
    {
      best = MAX (best, rates[n]);
      if (rates[n] >= SENSIBLE_SHARE * best)
        sensible = least << n;
    }
  return sensible;
}
