/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-palette.h"

G_BEGIN_DECLS

/* A small mark in the colour of a category. */
#define SHARDWISE_TYPE_SWATCH (shardwise_swatch_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseSwatch, shardwise_swatch, SHARDWISE, SWATCH, GtkWidget)

GtkWidget *shardwise_swatch_new (ShardwiseColor color);

G_END_DECLS
