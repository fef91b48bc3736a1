/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <pango/pangocairo.h>

#include "shardwise-axis.h"
#include "shardwise-ink.h"

G_BEGIN_DECLS

/* A chart on paper: rows of bars on one axis, or curves between two axes. Drawn with cairo only, so
 * that programs without a display can use it. Lengths are in points. */
typedef struct _ShardwisePicture ShardwisePicture;

typedef enum { SHARDWISE_INK_SOLID, SHARDWISE_INK_PALE, SHARDWISE_INK_HATCHED } ShardwiseInkStyle;

ShardwisePicture *shardwise_picture_new_bars (double most, double unit, ShardwiseTickFormat format);
ShardwisePicture *
shardwise_picture_new_curves (const ShardwiseAxis *x, const ShardwiseAxis *y,
                              ShardwiseTickFormat format_x, ShardwiseTickFormat format_y,
                              const char *title_x, const char *title_y);
void shardwise_picture_free (ShardwisePicture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwisePicture, shardwise_picture_free)

/* Bars: adds a row, and pieces to the last row. */
void shardwise_picture_add_row (ShardwisePicture *self, const char *label, const char *value);
void shardwise_picture_add_piece (ShardwisePicture *self, ShardwiseColor color,
                                  ShardwiseInkStyle style, double from, double to);
/* Curves: values in units of the axes. */
void shardwise_picture_add_curve (ShardwisePicture *self, ShardwiseColor color, const double *x,
                                  const double *y, guint n, gboolean joined, gboolean dots);
/* Both kinds: a vertical line with a label (nullable) at a value of the horizontal axis, and the
 * legend of the colors. */
void shardwise_picture_add_mark (ShardwisePicture *self, ShardwiseColor color, double at,
                                 const char *label);
void shardwise_picture_add_legend (ShardwisePicture *self, ShardwiseColor color,
                                   ShardwiseInkStyle style, const char *label);

double shardwise_picture_height (ShardwisePicture *self, PangoContext *context, double width);
void
shardwise_picture_draw (ShardwisePicture *self, cairo_t *cr, PangoContext *context, double width);

G_END_DECLS
