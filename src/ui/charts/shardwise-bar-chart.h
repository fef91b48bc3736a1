/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart-draw.h"

G_BEGIN_DECLS

/* The texts of a row of horizontal bars. */
typedef struct {
  char *label, *value; /* owned: the label, and the value at the end of the row */
  gboolean strong;     /* emphasized */
  char *note;          /* owned (nullable): shown instead of the bar: why there is none */
} ShardwiseBarRow;

/* The layout of rows of bars: label, bar and value side by side; in a narrow chart the bar is below
 * the texts. */
typedef struct {
  guint n;
  gboolean narrow;
  double top, row_height, bar_height, foot; /* foot: below the bar of a narrow row */
  double text_left, text_right;             /* pixels */
  ShardwiseAxis axis;                       /* pixels of the bars; the chart sets the range */
} ShardwiseBarRows;

/* A point's row and its range on the axis. */
typedef struct {
  guint row;
  double from, to;
} ShardwiseBar;

/* A chart with rows of horizontal bars on one axis. A subclass provides the texts of the rows and
 * the range of the axis, and draws the bars. Its points are the rows, unless the subclass counts
 * parts of rows. */
#define SHARDWISE_TYPE_BAR_CHART (shardwise_bar_chart_get_type ())
G_DECLARE_DERIVABLE_TYPE (ShardwiseBarChart, shardwise_bar_chart, SHARDWISE, BAR_CHART,
                          ShardwiseChart)

struct _ShardwiseBarChartClass {
  ShardwiseChartClass parent_class;

  ShardwiseTickFormat format; /* of tick labels */
  double least_width;         /* minimum width of a point in pixels */
  gboolean has_parts;         /* its points are parts of rows */
  void (*set_range) (ShardwiseBarChart *self, ShardwiseAxis *axis);
  void (*draw_bars) (ShardwiseBarChart *self, const ShardwisePen *pen,
                     const ShardwiseBarRows *rows);
  ShardwiseBar (*bar) (ShardwiseBarChart *self, guint point);
};

/* ---- for subclasses ---- */
void shardwise_bar_chart_clear (ShardwiseBarChart *self);
void shardwise_bar_chart_add_row (ShardwiseBarChart *self, ShardwiseBarRow row);
ShardwiseBarRow *shardwise_bar_chart_get_row (ShardwiseBarChart *self, guint index);
double shardwise_bar_rows_bar_y (const ShardwiseBarRows *rows, guint row);
double shardwise_bar_rows_bottom (const ShardwiseBarRows *rows);

G_END_DECLS
