/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-axis.h"
#include "shardwise-chart.h"

G_BEGIN_DECLS

/* What every chart draws in the same way. Coordinates are pixels of the widget. */

/* The lines of text of a chart, laid out. A chart is drawn anew in every frame while the window is
 * resized, and writes the same then: what a drawing wrote is kept until the one after the next. */
void shardwise_draw_texts_begin (ShardwiseChart *chart);
PangoLayout *shardwise_draw_line_layout (ShardwiseChart *chart, const char *text, double scale,
                                         gboolean bold); /* (transfer none) */
PangoLayout *shardwise_draw_layout (ShardwiseChart *chart, const char *text, double scale,
                                    gboolean bold); /* (transfer full) */

void shardwise_draw_layout_at (GtkSnapshot *snapshot, PangoLayout *layout, const GdkRGBA *color,
                               double x, double y, double xalign, double yalign);
void shardwise_draw_text (ShardwiseChart *chart, GtkSnapshot *snapshot, const char *text,
                          const GdkRGBA *color, double x, double y, double xalign, double yalign);
void
shardwise_draw_text_within (ShardwiseChart *chart, GtkSnapshot *snapshot, const char *text,
                            const GdkRGBA *color, double x, double y, double width, double yalign);
void shardwise_draw_text_lines (ShardwiseChart *chart, GtkSnapshot *snapshot, const char *text,
                                const GdkRGBA *color, double x, double y, double width);
guint shardwise_draw_line_count (ShardwiseChart *chart, const char *text, double width);
int shardwise_draw_text_width (ShardwiseChart *chart, const char *text);
int shardwise_draw_line_height (ShardwiseChart *chart);
int shardwise_draw_axis_height (ShardwiseChart *chart);
void
shardwise_draw_box (GtkSnapshot *snapshot, const ShardwiseChartStyle *style, ShardwiseColor color,
                    gboolean pale, double x, double y, double width, double height);
void shardwise_draw_hatched (GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
                             ShardwiseColor color, double x, double y, double width, double height);
void shardwise_draw_line (GtkSnapshot *snapshot, const GdkRGBA *color, double x, double y,
                          double width, double height);
void shardwise_draw_outline (GtkSnapshot *snapshot, const GdkRGBA *color,
                             const graphene_rect_t *area, double width);
void shardwise_draw_mark (cairo_t *cr, ShardwiseMark mark, double x, double y, double radius);
char *shardwise_draw_percent_label (double share);

int shardwise_draw_legend_height (ShardwiseChart *chart, const ShardwiseLegendEntry *entries,
                                  guint n, int width);
void shardwise_draw_legend (ShardwiseChart *chart, GtkSnapshot *snapshot,
                            const ShardwiseChartStyle *style, const ShardwiseLegendEntry *entries,
                            guint n, int width);

G_END_DECLS
