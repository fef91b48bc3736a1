/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-sizing.h"

G_BEGIN_DECLS

/* What an amount of money buys on one cluster with its best strategy. A value. */
typedef struct {
  guint gpus;
  double tokens, tokens_low, tokens_high; /* with the error interval of the speed */
  double days;
} ShardwiseBudgetOffer;

gboolean shardwise_budget_offer (const ShardwiseSizingPoint *point, double amount,
                                 ShardwiseBudgetOffer *out);
GPtrArray *
shardwise_budget_search (ShardwiseScenario *scenario, double amount,
                         void (*progress) (double fraction, gpointer data), gpointer progress_data,
                         GCancellable *cancellable, GError **error); /* of ShardwiseBudgetOffer */

G_END_DECLS
