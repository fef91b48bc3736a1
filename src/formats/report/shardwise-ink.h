/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <cairo.h>

#include "sw-pipeline.h"
#include "sw-tensors.h"

G_BEGIN_DECLS

/* Categories that have the same color and pattern in every chart. */
typedef enum {
  SHARDWISE_COLOR_COMPUTE,
  SHARDWISE_COLOR_TENSOR,
  SHARDWISE_COLOR_PIPELINE,
  SHARDWISE_COLOR_DATA,
  SHARDWISE_COLOR_CONTEXT,
  SHARDWISE_COLOR_EXPERT,
  SHARDWISE_COLOR_OPTIMIZER,
  SHARDWISE_COLOR_BUBBLE,
  SHARDWISE_COLOR_ACTIVATIONS,
  SHARDWISE_COLOR_LIMIT,
  /* memory other than optimizer states and activations */
  SHARDWISE_COLOR_PARAMETERS,
  SHARDWISE_COLOR_GRADIENTS,
  SHARDWISE_COLOR_LOGITS,
  SHARDWISE_COLOR_BUFFERS,
  SHARDWISE_COLOR_OTHER,
  /* kinds of compute: shades of its blue */
  SHARDWISE_COLOR_BACKWARD,
  SHARDWISE_COLOR_BACKWARD_WEIGHT,
  SHARDWISE_COLOR_RECOMPUTE,
  SHARDWISE_N_COLORS
} ShardwiseColor;

/* Distinguishes categories without color: drawn over the color in high contrast. */
typedef enum {
  SHARDWISE_PATTERN_NONE,
  SHARDWISE_PATTERN_RISING,
  SHARDWISE_PATTERN_FALLING,
  SHARDWISE_PATTERN_HORIZONTAL,
  SHARDWISE_PATTERN_VERTICAL,
  SHARDWISE_PATTERN_GRID,
  SHARDWISE_PATTERN_DIAMONDS,
  SHARDWISE_PATTERN_DOTS
} ShardwisePattern;

/* Distance between two lines of a pattern in pixels, and its period. */
#define SHARDWISE_HATCH_STEP 6.0

guint32 shardwise_ink_get (ShardwiseColor color, gboolean dark); /* 0xrrggbb */
ShardwisePattern shardwise_ink_pattern (ShardwiseColor color);
ShardwiseColor shardwise_ink_of_memory (SwMemoryPart part);
ShardwiseColor shardwise_ink_of_task (SwTaskKind kind);
void shardwise_ink_hatch (cairo_t *cr, ShardwisePattern pattern, double x, double y, double width,
                          double height);

G_END_DECLS
