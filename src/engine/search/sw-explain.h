/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* A neighbouring value of one dimension, the others re-optimised around it. */
typedef struct {
  guint value;
  gboolean chosen;
  SwRule rule;         /* why no strategy with this value runs; OK where one does */
  SwEstimate estimate; /* the best with this value, or the nearest that does not fit; where none
                          runs, a strategy that breaks the rule and nothing else */
  guint global_batch;  /* of that strategy: another than the question's only where none is stated,
                          and with that one GPUs would stay idle */
  double change;       /* time per token relative to the chosen one: +0.08 = 8 % slower */
} SwNeighbour;

enum { SW_MAX_NEIGHBOURS = 12 };

typedef struct {
  SwDimension dimension;
  guint value; /* chosen */
  guint n_neighbours;
  /* In the order of the values, the chosen one among them. */
  SwNeighbour neighbours[SW_MAX_NEIGHBOURS];
} SwReason;

/* Explains several dimensions of one choice; keeps what their searches share. Not for two threads
 * at once. */
typedef struct _SwExplainer SwExplainer;

SwExplainer *sw_explainer_new (const SwProblem *problem, const SwEstimate *chosen);
void sw_explainer_free (SwExplainer *self);
void sw_explainer_explain (SwExplainer *self, SwDimension dimension, SwReason *out);
guint sw_explain_dimensions (const SwProblem *problem, const SwEstimate *chosen,
                             SwDimension dimensions[SW_N_DIMENSIONS]);

G_END_DECLS
