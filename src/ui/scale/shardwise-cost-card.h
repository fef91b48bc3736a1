/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-cost.h"

G_BEGIN_DECLS

/* A row of a list: title, details below, and a value at the end. */
#define SHARDWISE_TYPE_VALUE_ROW (shardwise_value_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseValueRow, shardwise_value_row, SHARDWISE, VALUE_ROW, AdwActionRow)

GtkWidget *shardwise_value_row_new (const char *title, gboolean strong);
void shardwise_value_row_lead (ShardwiseValueRow *self, ShardwiseKeyId id);
/* value, detail: (nullable) */
void shardwise_value_row_set (ShardwiseValueRow *self, const char *value, const char *detail);

/* A bill item by item, with the key that it needs above. */
#define SHARDWISE_TYPE_BILL_LIST (shardwise_bill_list_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseBillList, shardwise_bill_list, SHARDWISE, BILL_LIST, AdwBin)

/* The cost of the job: rented and owned, item by item, with energy, CO2 and all assumptions. */
#define SHARDWISE_TYPE_COST_CARD (shardwise_cost_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseCostCard, shardwise_cost_card, SHARDWISE, COST_CARD, AdwBin)

void shardwise_cost_card_show (ShardwiseCostCard *self, ShardwiseScenario *scenario,
                               const SwProblem *problem, const SwEstimate *estimate);
const ShardwiseCost *
shardwise_cost_card_get_cost (ShardwiseCostCard *self); /* the displayed cost */

G_END_DECLS
