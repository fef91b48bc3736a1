/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-layer-time.h"
#include "sw-rules.h"
#include "sw-search-space.h"

G_BEGIN_DECLS

/* Level-1 points that share sw_layer_base(). */
typedef struct {
  double bound_s;
  SwStrategy strategy;
  guint family;    /* groups that differ only in the micro-batch share a family: the index of the
                      first */
  guint first_row; /* in the first group of a family: the row of its first point; G_MAXUINT: not
                      opened */
  SwLayerBase base;
} SwGroupNode;

/* A level-1 point of the search, before recomputation is chosen, with a lower bound of the step
 * time. */
typedef struct {
  double bound_s;
  SwStrategy strategy;
  guint group;
  guint row; /* shared by the points that differ only in the micro-batch */
} SwNode;

/* The level-1 points of a question in the order of their bounds, created on demand. */
typedef struct _SwNodes {
  SwProblem problem, free; /* free: the problem without its pins */
  SwSpaces *spaces;
  gboolean is_timed;
  GArray *groups;  /* of SwGroupNode */
  GArray *nodes;   /* of SwNode */
  GArray *heap;    /* points not yet returned, and groups not yet opened */
  GArray *ordered; /* of guint: indices of the nodes returned so far */
  const int *cancelled;
  guint n_rows; /* number of distinct SwNode.row */
  guint64 rejected[SW_N_RULES];
} SwNodes;

double sw_nodes_bound_s (SwSpaces *spaces, const SwStrategy *strategy, double micro_batch_s);
SwNodes *sw_nodes_new (const SwProblem *problem, gboolean is_timed, const int *cancelled);
void sw_nodes_free (SwNodes *nodes);
const SwNode *sw_nodes_get (SwNodes *nodes, guint index);
guint sw_nodes_count (SwNodes *nodes);
double sw_layers_s (const SwProblem *problem, const SwLayerTime *time);

/* Time of one micro-batch through one layer, without communication that may overlap with other
 * micro-batches. */
static inline double
sw_layer_part_s (const SwLayerTimePart *part)
{
  return part->forward_s + part->backward_s + part->recompute_s + part->tp_exposed_s
         + part->cp_exposed_s + part->ep_exposed_s - part->ep_beside_s[0] - part->ep_beside_s[1];
}

G_END_DECLS
