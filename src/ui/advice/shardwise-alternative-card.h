/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "sw-estimate.h"

G_BEGIN_DECLS

/* One of the next best strategies: how it differs from the recommended one and what that costs.
 *
 * Signal "clicked", as of every button: the user selects the strategy for all pages. */
#define SHARDWISE_TYPE_ALTERNATIVE_CARD (shardwise_alternative_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAlternativeCard, shardwise_alternative_card, SHARDWISE,
                      ALTERNATIVE_CARD, GtkButton)

GtkWidget *shardwise_alternative_card_new (void);
void shardwise_alternative_card_set (ShardwiseAlternativeCard *self, const SwEstimate *recommended,
                                     const SwEstimate *alternative, gboolean selected);
const SwEstimate *shardwise_alternative_card_get_estimate (ShardwiseAlternativeCard *self);

G_END_DECLS
