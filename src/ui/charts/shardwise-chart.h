/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-palette.h"

G_BEGIN_DECLS

typedef struct _ShardwiseChart ShardwiseChart;

/* The context of a drawing: target, font and the colors for all of it. */
typedef struct {
  ShardwiseChart *chart;
  GtkSnapshot *snapshot;
  graphene_rect_t plot; /* the area without the legend, in pixels of the widget */
  gboolean dark, high_contrast;
  gboolean vector; /* for a document: nothing is rasterized */
  GdkRGBA text, dim, grid, card;
} ShardwisePen;

typedef struct {
  const char *title; /* N_() marked, with the unit; NULL ends a list of columns */
  int digits;        /* of a number; -1: text cells */
} ShardwiseChartColumn;

typedef struct {
  char *text; /* owned; NULL: a number */
  double number;
} ShardwiseChartCell;

/* Distinguishes the points of series without color. */
typedef enum { SHARDWISE_MARK_NONE, SHARDWISE_MARK_DISC, SHARDWISE_MARK_SQUARE } ShardwiseMark;

typedef struct {
  ShardwiseColor color;
  const char *label; /* translated */
  gboolean hatched;  /* hatched even without high contrast */
  gboolean pale;
  gboolean dashed;    /* a line in the text color */
  ShardwiseMark mark; /* for a line with points; else a box */
  gboolean hollow;    /* the mark */
} ShardwiseLegendEntry;

#define SHARDWISE_LEGEND_MAX 12

/* A chart: its geometry is drawn once and cached; the point under the pointer or the keyboard
 * cursor is drawn on top. A point is anything that can be pointed at; it has a rectangle and a
 * sentence.
 *
 * Properties (read-only): "summary" (string: what the chart shows, its accessible label), "readout"
 * (string, nullable: the sentence of the current point, its accessible description)
 * Signals: "changed": the data changed; "point-activated" (guint point): clicked, or Return
 * CSS node: chart. Keys: arrows, Home and End move through the points, Return activates the current
 * one, Escape clears it. */
#define SHARDWISE_TYPE_CHART (shardwise_chart_get_type ())
G_DECLARE_DERIVABLE_TYPE (ShardwiseChart, shardwise_chart, SHARDWISE, CHART, GtkWidget)

struct _ShardwiseChartClass {
  GtkWidgetClass parent_class;

  /* natural height without the legend */
  int (*plot_height) (ShardwiseChart *self, int width, int *minimum);
  int (*plot_most) (ShardwiseChart *self, int width); /* maximum useful height; NULL: any */
  int (*plot_width) (ShardwiseChart *self);           /* minimum width */
  gboolean is_whole; /* has few rows and never scrolls within its card */
  void (*layout) (ShardwiseChart *self, const graphene_rect_t *plot);
  void (*draw) (ShardwiseChart *self, const ShardwisePen *pen);
  void (*draw_point) (ShardwiseChart *self, const ShardwisePen *pen, guint point);
  guint (*legend) (ShardwiseChart *self, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX]);

  guint (*n_points) (ShardwiseChart *self);
  gboolean (*point_area) (ShardwiseChart *self, guint point,
                          graphene_rect_t *out); /* FALSE: not visible */
  char *(*readout) (ShardwiseChart *self, guint point);
  /* Returns: the point at a position, -1: none. The default takes the point whose area contains it
   * or, with a reach, the one with the nearest center within that many pixels. */
  int (*pick) (ShardwiseChart *self, double x, double y);
  double reach;
  int (*step) (ShardwiseChart *self, guint point, GtkDirectionType direction);
  void (*reveal) (ShardwiseChart *self, guint point);

  char *(*summary) (ShardwiseChart *self);
  const ShardwiseChartColumn *columns;    /* of its table */
  guint (*n_rows) (ShardwiseChart *self); /* of its table; default: one row per point */
  void (*cell) (ShardwiseChart *self, guint row, guint column, ShardwiseChartCell *out);
};

/* Maps a point to its number after a new layout. */
typedef guint (*ShardwiseChartNumber) (ShardwiseChart *self, guint point, gconstpointer data);

/* ---- for subclasses ---- */
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
