/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The categories that keep one colour and one pattern on every chart. */
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
  /* what memory holds besides optimizer states and activations */
  SHARDWISE_COLOR_PARAMETERS,
  SHARDWISE_COLOR_GRADIENTS,
  SHARDWISE_COLOR_LOGITS,
  SHARDWISE_COLOR_BUFFERS,
  SHARDWISE_COLOR_OTHER,
  /* kinds of compute, shades of its blue */
  SHARDWISE_COLOR_BACKWARD,
  SHARDWISE_COLOR_BACKWARD_WEIGHT,
  SHARDWISE_COLOR_RECOMPUTE,
  SHARDWISE_N_COLORS
} ShardwiseColor;

/* How a category is told apart without its colour: drawn over it in high contrast. */
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

/* Pixels between two lines of a pattern, and so the period in which it repeats. */
#define SHARDWISE_HATCH_STEP 6.0

void shardwise_palette_get (ShardwiseColor color, gboolean dark, GdkRGBA *out);
ShardwisePattern shardwise_palette_pattern (ShardwiseColor color);
void shardwise_palette_ramp (double share, GdkRGBA *out);
void shardwise_palette_card (gboolean dark, GdkRGBA *out);
void shardwise_palette_text (gboolean dark, double strength, GdkRGBA *out);
void shardwise_palette_text_on (const GdkRGBA *background, GdkRGBA *out);
double shardwise_palette_contrast (const GdkRGBA *a, const GdkRGBA *b);
void shardwise_palette_hatch (cairo_t *cr, ShardwisePattern pattern, const GdkRGBA *line, double x,
                              double y, double width, double height);

/* A small mark in the colour of a category. */
#define SHARDWISE_TYPE_SWATCH (shardwise_swatch_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseSwatch, shardwise_swatch, SHARDWISE, SWATCH, GtkWidget)

GtkWidget *shardwise_swatch_new (ShardwiseColor color);

G_END_DECLS
