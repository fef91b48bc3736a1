/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-cost.h"

G_BEGIN_DECLS

/* A line of a list: what it is, more about it below, and how much at its end. */
#define SHARDWISE_TYPE_VALUE_ROW (shardwise_value_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseValueRow, shardwise_value_row, SHARDWISE, VALUE_ROW, AdwActionRow)

GtkWidget *shardwise_value_row_new (const char *title, gboolean strong);
void shardwise_value_row_lead (ShardwiseValueRow *self, ShardwiseKeyId id);
/* (nullable) both */
void shardwise_value_row_set (ShardwiseValueRow *self, const char *value, const char *detail);

/* One bill item by item, and above it the key whose value it needs. */
#define SHARDWISE_TYPE_BILL_LIST (shardwise_bill_list_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseBillList, shardwise_bill_list, SHARDWISE, BILL_LIST, AdwBin)

/* What the job costs: rented and owned, item by item, with energy, CO2 and what all of it
 * assumes. */
#define SHARDWISE_TYPE_COST_CARD (shardwise_cost_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseCostCard, shardwise_cost_card, SHARDWISE, COST_CARD, AdwBin)

void shardwise_cost_card_show (ShardwiseCostCard *self, ShardwiseScenario *scenario,
                               const SwProblem *problem, const SwEstimate *estimate);
const ShardwiseCost *shardwise_cost_card_get_cost (ShardwiseCostCard *self); /* what is shown */

G_END_DECLS
