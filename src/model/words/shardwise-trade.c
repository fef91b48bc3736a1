/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a slower strategy offers: its advantages over the recommended one. */
#include "shardwise-trade.h"

#include <glib/gi18n.h>

#include "shardwise-format.h"

const char *const shardwise_trade_names[] = {
  "faster",         "safer",        "less-memory", "fewer-idle-gpus", "less-recomputation",
  "smaller-bubble", "less-waiting", "no-pp",       "no-tp",           "no-cp",
  "no-ep",          NULL,
};

/* Smaller advantages, as a share of the memory or the step, are not mentioned. */
#define WORTH_MEMORY 0.05
#define WORTH_SHARE 0.02
#define WORTH_SPEED 0.005

static double
recomputed_share (const SwEstimate *estimate)
{
  return estimate->time.step_s > 0 ? estimate->time.recompute_s / estimate->time.step_s : 0;
}

/**
 * shardwise_trades:
 * @from: the recommended strategy
 * @to: another one
 *
 * Returns: the advantages of @to over @from, a set of #ShardwiseTrade; 0: none
 */
guint
shardwise_trades (const SwEstimate *from, const SwEstimate *to)
{
  const SwStrategy *a = &from->strategy, *b = &to->strategy;
  const gboolean trades[SHARDWISE_N_TRADES] = {
    to->tokens_per_s > from->tokens_per_s * (1 + WORTH_SPEED),
    to->fit == SW_FIT_FITS && from->fit != SW_FIT_FITS,
    to->memory.peak.total < from->memory.peak.total * (1 - WORTH_MEMORY),
    to->gpus_idle < from->gpus_idle,
    recomputed_share (to) + WORTH_SHARE < recomputed_share (from),
    to->bubble_fraction + WORTH_SHARE < from->bubble_fraction,
    to->communication_overhead + WORTH_SHARE < from->communication_overhead,
    b->pp == 1 && a->pp > 1,
    b->tp == 1 && a->tp > 1,
    b->cp == 1 && a->cp > 1,
    b->ep == 1 && a->ep > 1,
  };
  guint out = 0;

  for (guint i = 0; i < SHARDWISE_N_TRADES; i++)
    if (trades[i])
      out |= 1u << i;
  return out;
}

/**
 * shardwise_text_trades:
 * @from: the recommended strategy
 * @to: another one
 *
 * Returns: (transfer full) (nullable): the advantages of @to over @from, as a list of phrases,
 *   capitalized; %NULL: none
 */
char *
shardwise_text_trades (const SwEstimate *from, const SwEstimate *to)
{
  static const char *const phrases[SHARDWISE_N_TRADES] = {
    [0] = N_ ("faster"),
    [1] = N_ ("more certain to fit"),
    [3] = N_ ("fewer idle GPUs"),
    [4] = N_ ("less recomputation"),
    [5] = N_ ("a smaller pipeline bubble"),
    [6] = N_ ("less exposed communication"),
    [7] = N_ ("no pipeline"),
    [8] = N_ ("no tensor parallelism"),
    [9] = N_ ("no context parallelism"),
    [10] = N_ ("no expert parallelism"),
  };
  const guint trades = shardwise_trades (from, to);
  g_autofree char *saved = shardwise_format_bytes (from->memory.peak.total - to->memory.peak.total);
  GString *text;
  char *out;

  if (trades == 0)
    return NULL;
  text = g_string_new (NULL);
  for (guint i = 0; i < SHARDWISE_N_TRADES; i++)
    if ((trades & 1u << i) != 0)
      {
        if (1u << i == SHARDWISE_TRADE_MEMORY)
          /* Translators: an amount of memory that a strategy saves */
          shardwise_text_items (text, _ ("%s less memory per GPU"), saved);
        else
          shardwise_text_items (text, "%s", _ (phrases[i]));
      }
  out = shardwise_text_capitalise (text->str);
  g_string_free (text, TRUE);
  return out;
}
