/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart-draw.h"

G_BEGIN_DECLS

/* What is written at a row of horizontal bars. */
typedef struct {
  char *label, *value; /* owned: what it is called, and what stands at its end */
  gboolean strong;     /* the row to look at first */
  char *note;          /* owned (nullable): why it has no bar, in its place */
} ShardwiseBarRow;

/* Where rows of bars lie: label, bar and value beside each other, or in a narrow chart the bar
 * under the texts. */
typedef struct {
  guint n;
  gboolean narrow;
  double top, row_height, bar_height, foot; /* foot: under the bar of a narrow row */
  double text_left, text_right;             /* pixels */
  ShardwiseAxis axis;                       /* pixels of the bars; its range is set by the chart */
} ShardwiseBarRows;

/* What a point is: of a row, from where to where on the axis. */
typedef struct {
  guint row;
  double from, to;
} ShardwiseBar;

/* A chart of rows of horizontal bars over one axis. A subclass gives the rows their texts, the axis
 * its range, and draws the bars. Its points are the rows, each as a whole, unless it counts
 * parts of them. */
#define SHARDWISE_TYPE_BAR_CHART (shardwise_bar_chart_get_type ())
G_DECLARE_DERIVABLE_TYPE (ShardwiseBarChart, shardwise_bar_chart, SHARDWISE, BAR_CHART,
                          ShardwiseChart)

struct _ShardwiseBarChartClass {
  ShardwiseChartClass parent_class;

  ShardwiseTickFormat format; /* of a tick */
  double least_width;         /* of a point, pixels */
  gboolean has_parts;         /* its points are parts of rows */
  void (*set_range) (ShardwiseBarChart *self, ShardwiseAxis *axis);
  void (*draw_bars) (ShardwiseBarChart *self, const ShardwisePen *pen,
                     const ShardwiseBarRows *rows);
  ShardwiseBar (*bar) (ShardwiseBarChart *self, guint point);
};

/* for subclasses */
void shardwise_bar_chart_clear (ShardwiseBarChart *self);
void shardwise_bar_chart_add_row (ShardwiseBarChart *self, ShardwiseBarRow row);
ShardwiseBarRow *shardwise_bar_chart_get_row (ShardwiseBarChart *self, guint index);
double shardwise_bar_rows_bar_y (const ShardwiseBarRows *rows, guint row);
double shardwise_bar_rows_bottom (const ShardwiseBarRows *rows);

G_END_DECLS
