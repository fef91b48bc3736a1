/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-axis.h"
#include "shardwise-chart.h"

G_BEGIN_DECLS

/* Drawing shared by all charts. Coordinates are pixels of the widget. */

/* Text layouts are cached for two drawings, because a chart redraws the same texts in every frame
 * while the window is resized. */
void shardwise_draw_texts_begin (ShardwiseChart *chart);
PangoLayout *shardwise_draw_line_layout (ShardwiseChart *chart, const char *text, double scale,
                                         gboolean bold); /* (transfer none) */
PangoLayout *shardwise_draw_layout (ShardwiseChart *chart, const char *text, double scale,
                                    gboolean bold); /* (transfer full) */

void shardwise_draw_layout_at (const ShardwisePen *pen, PangoLayout *layout, const GdkRGBA *color,
                               double x, double y, double xalign, double yalign);
void shardwise_draw_text (const ShardwisePen *pen, const char *text, const GdkRGBA *color, double x,
                          double y, double xalign, double yalign);
void shardwise_draw_text_within (const ShardwisePen *pen, const char *text, const GdkRGBA *color,
                                 double x, double y, double width, double yalign);
void shardwise_draw_text_lines (const ShardwisePen *pen, const char *text, const GdkRGBA *color,
                                double x, double y, double width);
guint shardwise_draw_line_count (ShardwiseChart *chart, const char *text, double width);
int shardwise_draw_text_width (ShardwiseChart *chart, const char *text);
int shardwise_draw_line_height (ShardwiseChart *chart);
int shardwise_draw_axis_height (ShardwiseChart *chart);
void shardwise_draw_box (const ShardwisePen *pen, ShardwiseColor color, gboolean pale, double x,
                         double y, double width, double height);
void shardwise_draw_hatched (const ShardwisePen *pen, ShardwiseColor color, double x, double y,
                             double width, double height);
void shardwise_draw_line (const ShardwisePen *pen, const GdkRGBA *color, double x, double y,
                          double width, double height);
void shardwise_draw_outline (const ShardwisePen *pen, const GdkRGBA *color,
                             const graphene_rect_t *area, double width);
void shardwise_draw_hollow_mark (const ShardwisePen *pen, cairo_t *cr, ShardwiseMark mark, double x,
                                 double y, double radius);
void shardwise_draw_mark (cairo_t *cr, ShardwiseMark mark, double x, double y, double radius);

#define SHARDWISE_TICK_SPANS 4

/* The appearance of ticks on a horizontal axis; pixels. */
typedef struct {
  double each;                           /* minimum distance between ticks, in lines of text */
  guint most;                            /* maximum number of ticks */
  double spans[SHARDWISE_TICK_SPANS][2]; /* ranges of the tick lines; both 0: none */
  double label_y;                        /* top of the labels */
  double left, right;                    /* limits of the labels; both 0: centered on their ticks */
  double alone;                          /* the step if there is only one tick; 0: its value */
  ShardwiseTickFormat format;            /* NULL: whole numbers */
} ShardwiseTicks;

void shardwise_draw_level_axis (const ShardwisePen *pen, const ShardwiseAxis *axis,
                                const ShardwiseTicks *ticks);
void shardwise_draw_upright_axis (const ShardwisePen *pen, const ShardwiseAxis *axis, double each,
                                  double left, double right, char *(*format) (double value));
char *shardwise_draw_percent_label (double share);

int shardwise_draw_legend_height (ShardwiseChart *chart, const ShardwiseLegendEntry *entries,
                                  guint n, int width);
void shardwise_draw_legend (const ShardwisePen *pen, const ShardwiseLegendEntry *entries, guint n,
                            int width);

G_END_DECLS
