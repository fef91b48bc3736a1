/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-axis.h"
#include "shardwise-scatter-chart.h"

G_BEGIN_DECLS

/* The scatter chart is two files: what it shows, and how it is drawn. */

enum {
  SHARDWISE_SCATTER_SPOT = 5,   /* pixels: strategies nearer than that are one spot */
  SHARDWISE_SCATTER_RADIUS = 4, /* of a point of the front, pixels */
  SHARDWISE_SCATTER_REACH = 14, /* from the pointer, pixels */
};

/* The strategies that are drawn as one dot. */
typedef struct {
  guint fastest, count;
} ShardwiseScatterSpot;

struct _ShardwiseScatterChart {
  ShardwiseChart parent_instance;

  GObject *owner; /* (nullable) of the candidates */
  const SwCandidate *candidates;
  const guint *counts; /* (nullable) */
  gboolean is_partial; /* the complete search has not ended */
  guint n, total;
  double usable_bytes, limit_bytes, least_memory_bytes, most_tokens_per_s;
  GArray *front;                       /* of guint, indices of candidates */
  SwCandidate best, selected, pointed; /* marked */
  gboolean has_best, has_selected, has_pointed;
  SwCandidate pins[SHARDWISE_COMPARISON_MAX];
  guint letters[SHARDWISE_COMPARISON_MAX], n_pins;

  ShardwiseAxis memory, throughput;
  GArray *spots;    /* of ShardwiseScatterSpot */
  guint most_alike; /* the greatest count of a spot */
};

const SwCandidate *shardwise_scatter_chart_candidate_at (ShardwiseScatterChart *self, guint point);
void shardwise_scatter_chart_place (ShardwiseScatterChart *self, const SwCandidate *candidate,
                                    double *x, double *y);

int shardwise_scatter_chart_plot_height (ShardwiseChart *chart, int width, int *minimum);
void shardwise_scatter_chart_layout (ShardwiseChart *chart, const graphene_rect_t *plot);
void shardwise_scatter_chart_draw (ShardwiseChart *chart, GtkSnapshot *snapshot,
                                   const ShardwiseChartStyle *style);
void shardwise_scatter_chart_draw_point (ShardwiseChart *chart, GtkSnapshot *snapshot,
                                         const ShardwiseChartStyle *style, guint point);

G_END_DECLS
