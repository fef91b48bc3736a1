/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SHARDWISE_AXIS_MAX_TICKS 24

typedef enum {
  SHARDWISE_SCALE_LINEAR,
  SHARDWISE_SCALE_DECADES,
  SHARDWISE_SCALE_DOUBLINGS
} ShardwiseScale;

/* Maps data values to pixels. A value struct; start > end reverses the axis. */
typedef struct {
  ShardwiseScale scale;
  double min, max;   /* data range; on a logarithmic scale both > 0 */
  double start, end; /* pixels of min and max */
  double unit;       /* ticks are round in this unit, except for doublings; 0: 1 */
} ShardwiseAxis;

double shardwise_axis_to_pixel (const ShardwiseAxis *axis, double value);
double shardwise_axis_to_value (const ShardwiseAxis *axis, double pixel);
guint
shardwise_axis_ticks (const ShardwiseAxis *axis, guint most, double out[SHARDWISE_AXIS_MAX_TICKS]);
guint shardwise_axis_digits (double step);

/* Returns the label of a tick, (transfer full). unit: of the axis; step: distance between ticks, on
 * a logarithmic axis the value itself. */
typedef char *(*ShardwiseTickFormat) (double value, double unit, double step);

G_END_DECLS
