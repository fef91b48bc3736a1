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
void shardwise_draw_mark (cairo_t *cr, ShardwiseMark mark, double x, double y, double radius);

#define SHARDWISE_TICK_SPANS 4

/* How the ticks of a level axis look; pixels. */
typedef struct {
  double each;                           /* lines of text that a tick takes at least */
  guint most;                            /* ticks */
  double spans[SHARDWISE_TICK_SPANS][2]; /* from where to where a tick has lines; both 0: none */
  double label_y;                        /* the top of the labels */
  double left, right;         /* between which the labels stay; both 0: wherever their ticks are */
  double alone;               /* the step where there is one tick; 0: its value */
  ShardwiseTickFormat format; /* NULL: whole numbers */
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
