/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* Fills a box with cards, each of which adds a second column to a comparison of one strategy.
 * Returns how many. */
guint shardwise_comparison_offers_fill (GtkWidget *box, ShardwiseAdvice *advice);

G_END_DECLS
