/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-palette.h"

G_BEGIN_DECLS

typedef struct _ShardwiseChart ShardwiseChart;

/* What a drawing is made with: where it goes, whose font it has, and the colours that hold for the
 * whole of it. */
typedef struct {
  ShardwiseChart *chart;
  GtkSnapshot *snapshot;
  graphene_rect_t plot; /* what the legend leaves, in pixels of the widget */
  gboolean dark, high_contrast;
  gboolean vector; /* for a document: nothing is drawn as pixels */
  GdkRGBA text, dim, grid, card;
} ShardwisePen;

typedef struct {
  const char *title; /* marked with N_(), with the unit; NULL ends a list of columns */
  int digits;        /* of a number; -1: the cells are text */
} ShardwiseChartColumn;

typedef struct {
  char *text; /* owned; NULL: a number */
  double number;
} ShardwiseChartCell;

/* How the points of a series are told apart without their colour. */
typedef enum { SHARDWISE_MARK_NONE, SHARDWISE_MARK_DISC, SHARDWISE_MARK_SQUARE } ShardwiseMark;

typedef struct {
  ShardwiseColor color;
  const char *label; /* translated */
  gboolean hatched;  /* also outside of high contrast */
  gboolean pale;
  gboolean dashed;    /* a line in the colour of the text */
  ShardwiseMark mark; /* of a line with points; else a box */
} ShardwiseLegendEntry;

#define SHARDWISE_LEGEND_MAX 12

/* A chart: geometry that is drawn once and kept, and above it the point under the pointer or the
 * keyboard's cursor. "Points" are the things that can be pointed at; they have a rectangle and a
 * sentence.
 *
 * properties: "summary" (string: what it shows, its accessible label), "readout" (string, nullable:
 *   the sentence of the point that is looked at, its accessible description); read-only
 * signals: "changed": it has other data; "point-activated" (guint point): clicked, or Return
 * CSS node: chart. Keys: arrows, Home and End step through the points, Return activates one, Escape
 * forgets it. */
#define SHARDWISE_TYPE_CHART (shardwise_chart_get_type ())
G_DECLARE_DERIVABLE_TYPE (ShardwiseChart, shardwise_chart, SHARDWISE, CHART, GtkWidget)

struct _ShardwiseChartClass {
  GtkWidgetClass parent_class;

  /* natural; without the legend */
  int (*plot_height) (ShardwiseChart *self, int width, int *minimum);
  int (*plot_most) (ShardwiseChart *self, int width); /* that it can fill; NULL: any height */
  int (*plot_width) (ShardwiseChart *self);           /* least */
  gboolean is_whole; /* of few rows: it is never scrolled within its card */
  void (*layout) (ShardwiseChart *self, const graphene_rect_t *plot);
  void (*draw) (ShardwiseChart *self, const ShardwisePen *pen);
  void (*draw_point) (ShardwiseChart *self, const ShardwisePen *pen, guint point);
  guint (*legend) (ShardwiseChart *self, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX]);

  guint (*n_points) (ShardwiseChart *self);
  gboolean (*point_area) (ShardwiseChart *self, guint point, graphene_rect_t *out); /* FALSE: out of
                                                                                         sight */
  char *(*readout) (ShardwiseChart *self, guint point);
  /* which point is under the pointer, -1: none; that of the base class takes the one whose area it is
   * in or, with a reach, the one whose middle is the nearest within so many pixels */
  int (*pick) (ShardwiseChart *self, double x, double y);
  double reach;
  int (*step) (ShardwiseChart *self, guint point, GtkDirectionType direction);
  void (*reveal) (ShardwiseChart *self, guint point);

  char *(*summary) (ShardwiseChart *self);
  const ShardwiseChartColumn *columns;    /* of its table */
  guint (*n_rows) (ShardwiseChart *self); /* of its table; those of the base class are the points */
  void (*cell) (ShardwiseChart *self, guint row, guint column, ShardwiseChartCell *out);
};

/* The number of a point after a new layout. */
typedef guint (*ShardwiseChartNumber) (ShardwiseChart *self, guint point, gconstpointer data);

/* for subclasses */
void shardwise_chart_changed (ShardwiseChart *self);
void shardwise_chart_redraw (ShardwiseChart *self);
void shardwise_chart_set_columns (ShardwiseChart *self, const ShardwiseChartColumn *columns);
void shardwise_chart_get_pen (ShardwiseChart *self, GtkSnapshot *snapshot, ShardwisePen *out);
void shardwise_chart_get_plot (ShardwiseChart *self, graphene_rect_t *out);
void
shardwise_chart_renumber (ShardwiseChart *self, ShardwiseChartNumber number, gconstpointer data);

int shardwise_chart_get_point (ShardwiseChart *self); /* -1: none */
void shardwise_chart_set_point (ShardwiseChart *self, int point);
const char *shardwise_chart_get_summary (ShardwiseChart *self);
const char *shardwise_chart_get_readout (ShardwiseChart *self);
void shardwise_chart_render (ShardwiseChart *self, cairo_t *cr);
guint shardwise_chart_n_points (ShardwiseChart *self);
const ShardwiseChartColumn *shardwise_chart_get_columns (ShardwiseChart *self, guint *n);

G_END_DECLS
