/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an amount of money buys: how many tokens, on which cluster, in what time. */
#include "shardwise-budget.h"
#include "shardwise-resolve.h"

#define SOME_TOKENS 1e12 /* the bill is proportional to them */
#define SHORTEST_DAYS 1.0
#define LONGEST_DAYS 365.0
#define HOURS_PER_DAY 24.0
#define UNPRICED_GPUS 1024 /* the largest size that is searched if no price bounds it */

/**
 * shardwise_budget_offer:
 * @point: a cluster with the bill of some number of tokens
 * @amount: in the currency of the bill
 * @out: (out): the result
 *
 * Bill and days are proportional to the tokens, so tokens = amount / bill × its tokens. The money
 * buys a fixed time of the cluster: only the tokens have the interval of the speed.
 *
 * Returns: whether anything fits and has a price
 */
gboolean
shardwise_budget_offer (const ShardwiseSizingPoint *point, double amount, ShardwiseBudgetOffer *out)
{
  const ShardwiseBill *bill = shardwise_cost_bill (&point->bill);
  const SwEstimate *estimate = &point->estimate;
  double share;

  g_return_val_if_fail (amount > 0, FALSE);

  if (!estimate->fits || bill == NULL || !(bill->total > 0) || !(point->bill.days > 0))
    return FALSE;
  share = amount / bill->total;
  *out = (ShardwiseBudgetOffer){
    .gpus = point->gpus,
    .tokens = share * point->bill.tokens,
    .days = share * point->bill.days,
  };
  out->tokens_low = out->tokens * estimate->tokens_low_per_s / estimate->tokens_per_s;
  out->tokens_high = out->tokens * estimate->tokens_high_per_s / estimate->tokens_per_s;
  return TRUE;
}

/* Doublings, and the scenario's own, up to what the money pays for a day. */
static GArray *
sizes_for (ShardwiseScenario *scenario, double amount, GError **error)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  ShardwiseCostInputs inputs;
  GArray *sizes;
  double most = UNPRICED_GPUS, hour;

  if (!shardwise_scenario_resolve (scenario, problem, NULL, error))
    return NULL;
  shardwise_cost_inputs_read (scenario, problem, &inputs);
  hour = shardwise_cost_least_hour (&inputs);
  if (hour > 0)
    most = amount / hour / HOURS_PER_DAY / SHORTEST_DAYS;
  sizes = shardwise_sizing_sizes (1, problem->cluster.gpus);
  for (guint i = sizes->len; i > 0 && g_array_index (sizes, guint, i - 1) > most; i--)
    g_array_set_size (sizes, i - 1);
  return sizes;
}

/**
 * shardwise_budget_search:
 * @scenario: the question; its number of GPUs is replaced
 * @amount: in the scenario's currency
 * @progress: (nullable): called during the work, in any thread
 * @progress_data: for @progress
 * @cancellable: (nullable): stops it
 * @error: the reason
 *
 * Returns: (transfer full) (element-type ShardwiseBudgetOffer): the clusters, doublings and the
 * scenario's own, that the money pays for a day to a year, ascending; none if no price is known
 */
GPtrArray *
shardwise_budget_search (ShardwiseScenario *scenario, double amount,
                         void (*progress) (double fraction, gpointer data), gpointer progress_data,
                         GCancellable *cancellable, GError **error)
{
  g_autoptr (ShardwiseScenario) some = shardwise_scenario_copy (scenario);
  g_autoptr (GArray) sizes = NULL;
  g_autoptr (GPtrArray) points = NULL, offers = g_ptr_array_new_with_free_func (g_free);

  g_return_val_if_fail (amount > 0, NULL);

  shardwise_scenario_set (some, SHARDWISE_KEY_TRAINING_TOKENS, g_variant_new_double (SOME_TOKENS),
                          NULL);
  sizes = sizes_for (some, amount, error);
  if (sizes == NULL)
    return NULL;
  if (sizes->len == 0)
    return g_steal_pointer (&offers);
  points = shardwise_sizing_compute (some, (const guint *) (gpointer) sizes->data, sizes->len,
                                     progress, progress_data, cancellable, error);
  if (points == NULL)
    return NULL;
  for (guint i = 0; i < points->len; i++)
    {
      ShardwiseBudgetOffer offer;

      if (shardwise_budget_offer (g_ptr_array_index (points, i), amount, &offer)
          && offer.days >= SHORTEST_DAYS && offer.days <= LONGEST_DAYS)
        g_ptr_array_add (offers, g_memdup2 (&offer, sizeof offer));
    }
  return g_steal_pointer (&offers);
}
