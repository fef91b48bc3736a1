/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting of millions of strategies by their places: a radix sort, which keeps the order of
 * equals. */
#include "shardwise-candidate-view.h"
#include "shardwise-text-strategy.h"

#include <string.h>

#define DIGIT_BITS 11
#define N_DIGITS (1u << DIGIT_BITS)
#define N_PASSES 3 /* of 11 bits: a key of 32 */

/* Positive floats are ordered as their bits are. */
static guint32
bits_of (double positive)
{
  float number = (float) positive;
  guint32 bits;

  memcpy (&bits, &number, sizeof bits);
  return bits;
}

/* Of an order by one dimension. */
static SwDimension
dimension_of (ShardwiseSort sort)
{
  static const SwDimension dimensions[SHARDWISE_N_SORTS] = {
    [SHARDWISE_SORT_TP] = SW_DIM_TP,
    [SHARDWISE_SORT_PP] = SW_DIM_PP,
    [SHARDWISE_SORT_DP] = SW_DIM_DP,
    [SHARDWISE_SORT_CP] = SW_DIM_CP,
    [SHARDWISE_SORT_EP] = SW_DIM_EP,
    [SHARDWISE_SORT_ZERO] = SW_DIM_ZERO,
    [SHARDWISE_SORT_MICRO_BATCH] = SW_DIM_MICRO_BATCH,
    [SHARDWISE_SORT_VPP] = SW_DIM_VPP,
    [SHARDWISE_SORT_SCHEDULE] = SW_DIM_SCHEDULE,
    [SHARDWISE_SORT_OFFLOAD] = SW_DIM_OFFLOAD,
  };

  return dimensions[sort];
}

/* From nothing to everything: the first layers before all of them. */
static const guint8 recompute_order[] = {
  [SW_RECOMPUTE_NONE] = 0,
  [SW_RECOMPUTE_SELECTIVE] = 1,
  [SW_RECOMPUTE_FULL_LAYERS] = 2,
  [SW_RECOMPUTE_FULL] = 3,
};

static guint32
key_of (const SwCandidate *candidate, ShardwiseSort sort,
        const guint8 framework_order[SW_N_FRAMEWORKS])
{
  switch ((int) sort)
    {
    case SHARDWISE_SORT_MEMORY: return bits_of (candidate->memory_bytes);
    case SHARDWISE_SORT_STEP: return bits_of (candidate->step_s);
    case SHARDWISE_SORT_TOKENS_PER_S: return ~bits_of (candidate->seconds_per_token);
    case SHARDWISE_SORT_DIFFERENCE: return bits_of (candidate->seconds_per_token);
    case SHARDWISE_SORT_TOKENS_PER_GPU:
    case SHARDWISE_SORT_MFU: /* as the tokens of each GPU used: the FLOPs of a token and the peak
                                are one for all */
      return ~bits_of ((double) candidate->seconds_per_token
                       * sw_strategy_gpus (&candidate->strategy));
    case SHARDWISE_SORT_GPUS: return sw_strategy_gpus (&candidate->strategy);
    case SHARDWISE_SORT_RECOMPUTE: return recompute_order[candidate->strategy.recompute];
    case SHARDWISE_SORT_FRAMEWORK: return framework_order[candidate->strategy.framework];
    case SHARDWISE_SORT_RANK:
    case SHARDWISE_SORT_SUMMARY: return 0;
    default: return sw_strategy_get (&candidate->strategy, dimension_of (sort));
    }
}

static void
order_frameworks (guint8 order[SW_N_FRAMEWORKS])
{
  for (guint i = 0; i < SW_N_FRAMEWORKS; i++)
    {
      order[i] = 0;
      for (guint j = 0; j < SW_N_FRAMEWORKS; j++)
        order[i] += g_utf8_collate (shardwise_text_framework (j), shardwise_text_framework (i)) < 0;
    }
}

typedef struct {
  guint32 key, row;
} Keyed;

static void
sort_by_digit (const Keyed *from, Keyed *to, guint n, guint shift)
{
  guint starts[N_DIGITS] = { 0 }, sum = 0;

  for (guint i = 0; i < n; i++)
    starts[from[i].key >> shift & (N_DIGITS - 1)]++;
  for (guint digit = 0; digit < N_DIGITS; digit++)
    {
      guint count = starts[digit];

      starts[digit] = sum;
      sum += count;
    }
  for (guint i = 0; i < n; i++)
    to[starts[from[i].key >> shift & (N_DIGITS - 1)]++] = from[i];
}

static void
sort_by_keys (Keyed *keyed, guint n)
{
  g_autofree Keyed *other = g_new (Keyed, n);
  Keyed *from = keyed, *to = other;

  for (guint pass = 0; pass < N_PASSES; pass++)
    {
      Keyed *swap = from;

      sort_by_digit (from, to, n, pass * DIGIT_BITS);
      from = to;
      to = swap;
    }
  memcpy (keyed, from, n * sizeof *keyed); /* an odd number of passes ends in the other one */
}

static void
sort_once (const SwCandidate *candidates, guint32 *rows, guint n, ShardwiseSort sort,
           gboolean descending)
{
  g_autofree Keyed *keyed = g_new (Keyed, n);
  guint8 frameworks[SW_N_FRAMEWORKS];

  order_frameworks (frameworks);
  for (guint i = 0; i < n; i++)
    {
      guint32 key = key_of (&candidates[rows[i]], sort, frameworks);

      keyed[i] = (Keyed){ descending ? ~key : key, rows[i] };
    }
  sort_by_keys (keyed, n);
  for (guint i = 0; i < n; i++)
    rows[i] = keyed[i].row;
}

static void
reverse (guint32 *rows, guint n)
{
  for (guint i = 0; i < n / 2; i++)
    {
      guint32 row = rows[i];

      rows[i] = rows[n - 1 - i];
      rows[n - 1 - i] = row;
    }
}

/**
 * shardwise_candidates_sort:
 * @candidates: strategies, best first
 * @rows: (array length=n): places in @candidates, rising; sorted here
 * @n: how many
 * @sort: by what
 * @descending: the greatest first; equals stay best first
 */
void
shardwise_candidates_sort (const SwCandidate *candidates, guint32 *rows, guint n,
                           ShardwiseSort sort, gboolean descending)
{
  /* The last of what it reads by first: every pass keeps the order of the one before. */
  static const ShardwiseSort summary[] = { SHARDWISE_SORT_RECOMPUTE, SHARDWISE_SORT_MICRO_BATCH,
                                           SHARDWISE_SORT_ZERO,      SHARDWISE_SORT_EP,
                                           SHARDWISE_SORT_CP,        SHARDWISE_SORT_DP,
                                           SHARDWISE_SORT_PP,        SHARDWISE_SORT_TP };

  if (sort == SHARDWISE_SORT_SUMMARY)
    for (guint i = 0; i < G_N_ELEMENTS (summary); i++)
      sort_once (candidates, rows, n, summary[i], descending);
  else if (sort != SHARDWISE_SORT_RANK)
    sort_once (candidates, rows, n, sort, descending);
  else if (descending)
    reverse (rows, n);
}
