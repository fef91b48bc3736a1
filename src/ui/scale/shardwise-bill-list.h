/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-cost.h"

G_BEGIN_DECLS

/* One bill item by item, and above it the key whose value it needs. */
#define SHARDWISE_TYPE_BILL_LIST (shardwise_bill_list_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseBillList, shardwise_bill_list, SHARDWISE, BILL_LIST, AdwBin)

GtkWidget *shardwise_bill_list_new (const char *title, const char *path);
void shardwise_bill_list_show (ShardwiseBillList *self, ShardwiseScenario *scenario,
                               const ShardwiseBill *bill, const char *currency, const char *basis);

G_END_DECLS
