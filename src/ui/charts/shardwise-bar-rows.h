/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart-draw.h"

G_BEGIN_DECLS

/* A row of horizontal bars: what it is called and what stands at its end. */
typedef struct {
  char *label, *value; /* owned */
  gboolean strong;     /* the row to look at first */
} ShardwiseBarLabel;

/* Where rows of bars lie: label, bar and value beside each other, or in a narrow chart the bar
 * under the texts. */
typedef struct {
  guint n;
  gboolean narrow;
  double top, row_height, bar_height, foot; /* foot: under the bar of a narrow row */
  double text_left, text_right;             /* pixels */
  ShardwiseAxis axis;                       /* pixels of the bars; its range is set by the chart */
} ShardwiseBarRows;

GArray *shardwise_bar_labels_new (void);
int shardwise_bar_rows_height (ShardwiseChart *chart, guint n, int width);
int shardwise_bar_rows_height_with_notes (ShardwiseChart *chart, guint n, int width);
int shardwise_bar_rows_most (ShardwiseChart *chart, guint n, int width);
void shardwise_bar_rows_layout (ShardwiseBarRows *rows, ShardwiseChart *chart, GArray *labels,
                                const graphene_rect_t *plot);
double shardwise_bar_rows_bar_y (const ShardwiseBarRows *rows, guint row);
double shardwise_bar_rows_bottom (const ShardwiseBarRows *rows);
void shardwise_bar_rows_draw_labels (const ShardwiseBarRows *rows, const ShardwisePen *pen,
                                     GArray *labels);
void shardwise_bar_rows_draw_note (const ShardwiseBarRows *rows, const ShardwisePen *pen, guint row,
                                   const char *note);
void shardwise_bar_rows_draw_grid (const ShardwiseBarRows *rows, const ShardwisePen *pen,
                                   ShardwiseTickFormat format);

G_END_DECLS
