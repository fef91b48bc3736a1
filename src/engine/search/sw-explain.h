/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-search.h"

G_BEGIN_DECLS

/* A neighbouring value of one dimension, the others re-optimised around it. */
typedef struct {
  guint value;
  gboolean chosen;
  SwRule rule;         /* why no strategy with this value runs; OK where one does */
  SwEstimate estimate; /* the best with this value, or the nearest that does not fit; where none
                          runs, a strategy that breaks the rule and nothing else */
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

/* Something that could be changed when nothing fits; each was evaluated. */
typedef enum {
  SW_CHANGE_GPUS,
  SW_CHANGE_RECOMPUTE,
  SW_CHANGE_ZERO,
  SW_CHANGE_OFFLOAD,
  SW_CHANGE_OPTIMIZER_8BIT,
  SW_CHANGE_LORA,
  SW_CHANGE_QLORA,
  SW_CHANGE_SEQUENCE,
  SW_CHANGE_MICRO_BATCH,
  SW_CHANGE_MEMORY_TARGET,
  SW_CHANGE_UNPIN,
  SW_N_CHANGES
} SwChangeKind;
extern const char *const sw_change_names[];

typedef struct {
  SwChangeKind kind;
  double value;      /* the new GPU count, sequence length, …; 0 where there is none */
  SwEstimate result; /* the best after it, or the nearest where it does not suffice */
} SwChange;

guint sw_changes_tried (const SwProblem *problem, SwChange changes[SW_N_CHANGES]);

G_END_DECLS
