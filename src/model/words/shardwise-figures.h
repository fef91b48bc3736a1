/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

typedef void (*ShardwiseFigureTold) (const char *name, double value, const char *unit,
                                     gpointer data);

/* The strategy that figures describe. A value. */
typedef struct {
  const SwProblem *problem;
  const SwEstimate *estimate;
  guint sizes[8], n_sizes;  /* micro-batches to compare */
  ShardwiseFigureTold told; /* (nullable): called for each named number, in its own unit */
  gpointer data;
} ShardwiseFigures;

/* The topic of a set of figures. */
typedef enum {
  SHARDWISE_FIGURES_OF_MEMORY,
  SHARDWISE_FIGURES_OF_PIPELINE,
  SHARDWISE_FIGURES_OF_OTHER
} ShardwiseFigureTopic;

double shardwise_figure (const ShardwiseFigures *self, const char *name);
char *shardwise_figures_fill (const ShardwiseFigures *self, const char *sentence);
void shardwise_figures_tell (const ShardwiseFigures *self, ShardwiseFigureTopic topic);
gboolean
shardwise_figures_estimate (const SwProblem *problem, const SwStrategy *strategy, SwEstimate *out);

char *shardwise_text_rate (const SwEstimate *estimate); /* "26.1 k tokens/s (24.0 k–28.2 k)" */

G_END_DECLS
