/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-framework.h"
#include "sw-problem.h"

G_BEGIN_DECLS

/* A larger share would make the straggler factor outgrow the gain from more GPUs, so that the bound
 * for all GPUs would not hold for fewer. */
#define SW_MOST_STRAGGLER_SHARE 0.5

/* A number up to 10^9 has at most 1,344 divisors; values of a dimension are divisors of at most two
 * numbers. */
enum { SW_MAX_VALUES = 1536 };

typedef struct {
  guint n, values[SW_MAX_VALUES];
} SwValues;

/* One value of a dimension and the matching values of another: n of them from `first` in
 * SwSpace.lists. */
typedef struct {
  guint value, first, n;
} SwListed;

/* Layers by kind: of the first stage, of the last, and a number that some stage has at least. */
typedef struct {
  guint first[SW_N_LAYER_KINDS], last[SW_N_LAYER_KINDS], most[SW_N_LAYER_KINDS];
} SwStageEnds;

/* The values of one framework. */
typedef struct {
  SwFramework framework;
  const SwFrameworkRules *rules;    /* NULL: not prepared */
  GArray *stages;                   /* of SwListed: pp, with the chunks per stage of interleaved
                                    schedules */
  GArray *ends;                     /* of SwStageEnds, one per number of stages */
  GArray *replicas;                 /* of SwListed: dp, with the possible shard groups */
  GArray *lists;                    /* of guint */
  SwValues tp, cp, ep, micro_batch; /* not read unless prepared */
} SwSpace;

/* A way for one framework to use a number of ranks with a given micro-batch; sorted best first. */
typedef struct {
  guint stages;   /* index into SwSpace.stages */
  guint replicas; /* index into SwSpace.replicas: the most that the ranks and the batch allow */
  double weight;  /* lower bound of a step, in units of one micro-batch through the whole model */
} SwUse;

typedef struct {
  guint ranks;
  guint n_too_many; /* numbers of stages that need more ranks */
  GArray *uses;     /* of SwUse */
} SwUses;

/* The spaces of all frameworks in question. */
typedef struct {
  const SwProblem *problem;
  SwSpace by_framework[SW_N_FRAMEWORKS];
  GHashTable *uses; /* of SwUses: a cache for one thread */
} SwSpaces;

void sw_values_single (SwValues *values, guint value);
void sw_values_divisors (SwValues *values, guint number, guint at_most);

SwSpaces *sw_spaces_new (const SwProblem *problem);
void sw_spaces_free (SwSpaces *spaces);
gboolean sw_pins_take (const SwPins *pins, SwDimension dimension, SwValues *values);
guint sw_pins_mask (const SwPins *pins, SwDimension dimension, guint allowed);

const SwUses *sw_spaces_uses (SwSpaces *spaces, const SwStrategy *strategy);
guint sw_space_replicas_within (const SwSpace *space, guint ranks);
guint sw_space_most_replicas (const SwProblem *problem, const SwSpace *space, guint ranks,
                              guint micro_batch);

gboolean sw_space_is_ordered (const SwProblem *problem, SwFramework framework);

G_END_DECLS
