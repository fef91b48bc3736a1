/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* A neighboring value of one dimension, with the other dimensions optimized again. */
typedef struct {
  guint value;
  gboolean chosen;
  SwRule rule;         /* why no strategy with this value runs; OK if one does */
  SwEstimate estimate; /* the best strategy with this value, or the nearest that does not fit; if
                          none runs, a strategy that breaks only this rule */
  guint global_batch;  /* of that strategy; differs from the question's only if that is not set
                          and would leave GPUs idle */
  double change;       /* relative change of the time per token: +0.08 = 8 % slower */
} SwNeighbour;

enum { SW_MAX_NEIGHBOURS = 12 };

typedef struct {
  SwDimension dimension;
  guint value; /* chosen */
  guint n_neighbours;
  /* in ascending order, including the chosen value */
  SwNeighbour neighbours[SW_MAX_NEIGHBOURS];
} SwReason;

/* Explains several dimensions of one choice and keeps what their searches share. For one thread. */
typedef struct _SwExplainer SwExplainer;

SwExplainer *sw_explainer_new (const SwProblem *problem, const SwEstimate *chosen);
void sw_explainer_free (SwExplainer *self);
void sw_explainer_explain (SwExplainer *self, SwDimension dimension, SwReason *out);
guint sw_explain_dimensions (const SwProblem *problem, const SwEstimate *chosen,
                             SwDimension dimensions[SW_N_DIMENSIONS]);

G_END_DECLS
