/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-ink.h"

G_BEGIN_DECLS

void shardwise_palette_get (ShardwiseColor color, gboolean dark, GdkRGBA *out);
void shardwise_palette_ramp (double share, GdkRGBA *out);
void shardwise_palette_card (gboolean dark, GdkRGBA *out);
void shardwise_palette_text (gboolean dark, double strength, GdkRGBA *out);
void shardwise_palette_text_on (const GdkRGBA *background, GdkRGBA *out);
double shardwise_palette_contrast (const GdkRGBA *a, const GdkRGBA *b);
void shardwise_palette_hatch (cairo_t *cr, ShardwisePattern pattern, const GdkRGBA *line, double x,
                              double y, double width, double height);

/* A small mark in the color of a category. */
#define SHARDWISE_TYPE_SWATCH (shardwise_swatch_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseSwatch, shardwise_swatch, SHARDWISE, SWATCH, GtkWidget)

GtkWidget *shardwise_swatch_new (ShardwiseColor color);

G_END_DECLS
