/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-metric.h"

G_BEGIN_DECLS

/* One figure: a button that opens its sum, its assumptions and the nearest measured run. The
 * popover is filled when it opens. Large cards are at the top of the Advice page, the others in
 * columns below. */
#define SHARDWISE_TYPE_METRIC_CARD (shardwise_metric_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseMetricCard, shardwise_metric_card, SHARDWISE, METRIC_CARD, GtkWidget)

GtkWidget *shardwise_metric_card_new (gboolean large);
void shardwise_metric_card_set_metric (ShardwiseMetricCard *self,
                                       ShardwiseMetric *metric); /* (transfer full) */
const ShardwiseMetric *
shardwise_metric_card_get_metric (ShardwiseMetricCard *self); /* (nullable) */

G_END_DECLS
