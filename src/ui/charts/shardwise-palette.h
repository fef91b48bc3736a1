/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The categories that keep one colour and one pattern on every chart. */
typedef enum {
  SHARDWISE_COLOR_COMPUTE, SHARDWISE_COLOR_TENSOR, SHARDWISE_COLOR_PIPELINE, SHARDWISE_COLOR_DATA, SHARDWISE_COLOR_CONTEXT,
  SHARDWISE_COLOR_EXPERT, SHARDWISE_COLOR_OPTIMIZER, SHARDWISE_COLOR_BUBBLE, SHARDWISE_COLOR_ACTIVATIONS, SHARDWISE_COLOR_LIMIT,
  SHARDWISE_N_COLORS
} ShardwiseColor;

void shardwise_palette_get (ShardwiseColor color, gboolean dark, GdkRGBA *out);
const char *shardwise_palette_name (ShardwiseColor color); /* translated, for legends */

G_END_DECLS
