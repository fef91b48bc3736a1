/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "sw-estimate.h"

G_BEGIN_DECLS

/* The figures of a strategy, each with that of another and how they differ. */
#define SHARDWISE_TYPE_HAND_TABLE (shardwise_hand_table_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseHandTable, shardwise_hand_table, SHARDWISE, HAND_TABLE, GtkWidget)

GtkWidget *shardwise_hand_table_new (void);
void shardwise_hand_table_set (ShardwiseHandTable *self, const SwEstimate *base,
                               const SwEstimate *other, gboolean has_figures);

G_END_DECLS
