/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user's pins cost: each, and all of them together, by a search without. */
#include "shardwise-pins.h"
#include "shardwise-changes.h"
#include "shardwise-text-reasons.h"

/* The share of the throughput that a pin costs. */
static double
cost_of (const SwEstimate *chosen, const SwEstimate *freed)
{
  return 1.0 - freed->time.step_s / chosen->time.step_s;
}

static int
compare_costs (gconstpointer a, gconstpointer b)
{
  const ShardwiseEffect *left = a, *right = b;

  return (left->then.time.step_s > right->then.time.step_s)
         - (left->then.time.step_s < right->then.time.step_s);
}

/* Whether another pin, with what follows it, leads to the same strategy. */
static gboolean
is_listed (const ShardwiseEffect *listed, guint n, const SwEstimate *freed)
{
  for (guint i = 0; i < n; i++)
    if (sw_strategy_equal (&listed[i].then.strategy, &freed->strategy))
      return TRUE;
  return FALSE;
}

/**
 * shardwise_pin_costs:
 * @problem: the question
 * @chosen: its best strategy
 * @out: (out): of each pin that costs more than 2 % of the throughput the `dimension` and what is
 *   best `then`, the dearest first; then, of the dimension SW_N_DIMENSIONS, of all pins together
 *   where they cost as much more than the dearest
 *
 * Returns: how many there are
 */
guint
shardwise_pin_costs (const SwProblem *problem, const SwEstimate *chosen,
                     ShardwiseEffect out[SHARDWISE_MOST_PIN_COSTS])
{
  double dearest = 0.0;
  guint n = 0, n_pins = 0;

  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    {
      ShardwiseEffect *effect = &out[n];

      *effect = (ShardwiseEffect){ .dimension = i };
      if (!shardwise_text_is_pinned (problem, i))
        continue;
      n_pins++;
      effect->fits = shardwise_what_if_freed (problem, chosen, i, &effect->then);
      if (effect->fits && cost_of (chosen, &effect->then) > SHARDWISE_PIN_WORTH_A_WARNING
          && !is_listed (out, n, &effect->then))
        {
          dearest = MAX (dearest, cost_of (chosen, &effect->then));
          n++;
        }
    }
  qsort (out, n, sizeof *out, compare_costs);
  if (n_pins < 2)
    return n;
  out[n] = (ShardwiseEffect){ .dimension = SW_N_DIMENSIONS };
  out[n].fits = shardwise_what_if_freed (problem, chosen, SW_N_DIMENSIONS, &out[n].then);
  return n
         + (out[n].fits
            && cost_of (chosen, &out[n].then) > dearest + SHARDWISE_PIN_WORTH_A_WARNING);
}

/* Without a pin the search chooses. */
static void
drop (GVariantDict *changes, ShardwiseKeyId key)
{
  shardwise_changes_insert (changes, key, "s", "");
}

/**
 * shardwise_pins_drop:
 * @changes: to which it is added that nothing of the strategy is stated
 */
void
shardwise_pins_drop (GVariantDict *changes)
{
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    if (g_str_has_prefix (shardwise_key_path (i), "strategy."))
      drop (changes, i);
}

/**
 * shardwise_pin_changes:
 * @dimension: one whose value is fixed; SW_N_DIMENSIONS: all
 *
 * Returns: (transfer full): a{sv} that undoes its pin, and those of what follows it
 */
GVariant *
shardwise_pin_changes (SwDimension dimension)
{
  GVariantDict changes;

  g_variant_dict_init (&changes, NULL);
  if (dimension == SW_N_DIMENSIONS)
    shardwise_pins_drop (&changes);
  else
    {
      drop (&changes, shardwise_dimension_key (dimension));
      for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
        if ((sw_dimension_followers (dimension) & 1u << i) != 0)
          drop (&changes, shardwise_dimension_key (i));
    }
  if (dimension == SW_DIM_RECOMPUTE)
    drop (&changes, SHARDWISE_KEY_STRATEGY_RECOMPUTE_MODULES);
  if (dimension == SW_DIM_MICRO_BATCH || dimension == SW_N_DIMENSIONS)
    drop (&changes, SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE);
  return g_variant_ref_sink (g_variant_dict_end (&changes));
}
