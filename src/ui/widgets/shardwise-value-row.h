/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* A line of a list: what it is, more about it below, and how much at its end. */
#define SHARDWISE_TYPE_VALUE_ROW (shardwise_value_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseValueRow, shardwise_value_row, SHARDWISE, VALUE_ROW, AdwActionRow)

GtkWidget *shardwise_value_row_new (const char *title, gboolean strong);
/* (nullable) both */
void shardwise_value_row_set (ShardwiseValueRow *self, const char *value, const char *detail);

G_END_DECLS
