/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart-draw.h"

G_BEGIN_DECLS

#define SHARDWISE_CURVE_RADIUS 4.5 /* radius of a point, pixels */

/* Two axes with ticks and a curve over time between them. A value struct; the chart sets ranges and
 * scales. */
typedef struct {
  ShardwiseAxis x, y; /* x: seconds */
  guint mark_lines;   /* lines above the curve for the names of marks */
} ShardwiseCurveFrame;

/* Returns: (transfer full): the label of a value on an axis */
typedef char *(*ShardwiseCurveFormat) (double value);

int shardwise_curve_frame_height (ShardwiseChart *chart, int width, int *minimum);
void shardwise_curve_frame_layout (ShardwiseCurveFrame *self, ShardwiseChart *chart,
                                   const graphene_rect_t *plot);
void shardwise_curve_frame_draw (const ShardwiseCurveFrame *self, const ShardwisePen *pen,
                                 ShardwiseCurveFormat y_format, const char *x_title,
                                 const char *y_title);
void shardwise_curve_frame_trace (const ShardwiseCurveFrame *self, const ShardwisePen *pen,
                                  ShardwiseColor color, const graphene_point_t *values, guint n,
                                  gboolean dots);
void shardwise_curve_frame_mark (const ShardwiseCurveFrame *self, const ShardwisePen *pen,
                                 ShardwiseColor color, double x, const char *text, guint line);

G_END_DECLS
