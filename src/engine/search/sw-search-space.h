/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-framework.h"
#include "sw-problem.h"

G_BEGIN_DECLS

/* With more, the factor of the stragglers would outgrow what more GPUs gain, and the bound of all
 * of them would be none for fewer. */
#define SW_MOST_STRAGGLER_SHARE 0.5

/* Number of divisors of any number up to 10^9 is at most 1,344; values of a dimension come from
 * divisors of at most two numbers. */
enum { SW_MAX_VALUES = 1536 };

typedef struct {
  guint n, values[SW_MAX_VALUES];
} SwValues;

/* One value of a dimension, with the values of another that go with it: n of them from first in
 * SwSpace.lists. */
typedef struct {
  guint value, first, n;
} SwListed;

/* Layers of the first and of the last stage, by kind, and as many as some stage has at least. */
typedef struct {
  guint first[SW_N_LAYER_KINDS], last[SW_N_LAYER_KINDS], most[SW_N_LAYER_KINDS];
} SwStageEnds;

/* The values of one framework. */
typedef struct {
  SwFramework framework;
  const SwFrameworkRules *rules; /* NULL: not prepared */
  GArray *stages;                /* of SwListed: pp, with the chunks of a stage for interleaving */
  GArray *ends;                  /* of SwStageEnds, of each number of stages */
  GArray *replicas;              /* of SwListed: dp, with the groups that ZeRO may shard over */
  GArray *lists;                 /* of guint */
  SwValues tp, cp, ep, micro_batch; /* not read where it is not prepared */
} SwSpace;

/* How one framework's stages and replicas can use a number of ranks, with a micro-batch: the best
 * first. */
typedef struct {
  guint stages;   /* index in SwSpace.stages */
  guint replicas; /* index in SwSpace.replicas: the most that there are ranks and batches for */
  double weight;  /* a step is no shorter than that many times one micro-batch through everything */
} SwUse;

typedef struct {
  guint ranks;
  guint n_too_many; /* stages for which there are not enough ranks */
  GArray *uses;     /* of SwUse */
} SwUses;

/* Of all frameworks in question. */
typedef struct {
  const SwProblem *problem;
  SwSpace by_framework[SW_N_FRAMEWORKS];
  GHashTable *uses; /* of SwUses: those that were asked for so far; for one thread */
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
