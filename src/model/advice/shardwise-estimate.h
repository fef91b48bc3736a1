/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"
#include "sw-estimate.h"
#include "sw-quick-score.h"
#include "sw-rejection.h"
#include "sw-sensitivity.h"
#include "sw-advice.h"
#include "sw-means.h"

G_BEGIN_DECLS

/* Estimates the strategy stated in a scenario, without a search. Keys that are not set must follow
 * from the others (dp from the GPUs). notes: (out) (transfer full) (nullable): includes the
 * assumptions. Returns FALSE with an error if the strategy is incomplete or inconsistent. */
gboolean shardwise_estimate_scenario (ShardwiseScenario *scenario, SwProblem *problem,
                                      SwEstimate *estimate, GPtrArray **notes, GError **error);

/* Finds the best strategy with the values of `pins`, in one framework or, for ANY, the best one.
 * Returns FALSE if none fits; then `out` is the nearest, or the present strategy with those values
 * and the broken rule. */
gboolean shardwise_what_if_pins (const SwProblem *problem, const SwStrategy *present,
                                 SwFramework framework, const SwPins *pins, SwEstimate *out);
gboolean shardwise_what_if_freed (const SwProblem *problem, const SwEstimate *chosen,
                                  SwDimension dimension, SwEstimate *out);
gboolean shardwise_what_if_unpinned (const SwProblem *problem);

/* The effect of a recommendation; its code determines which members are set. */
typedef struct {
  SwDimension dimension; /* the dimension to change to `value`; SW_N_DIMENSIONS: none */
  guint value;
  gboolean fits;                 /* a strategy with that value fits */
  gboolean frees;                /* it fits once data parallelism is no longer pinned */
  SwEstimate then;               /* that strategy; if none fits, the nearest */
  guint batch;                   /* suggested global batch */
  double seconds_per_token;      /* with that value; 0: not computed, or no strategy has it */
  const SwGpu *gpu;              /* (nullable): a larger GPU on which it fits */
  SwLeastGpus least[SW_N_MEANS]; /* the smallest numbers of GPUs on which it fits, by means */
  guint n_least;                 /* 0: it fits on none */
  gboolean fits_unpinned;        /* it fits without the pins */
} ShardwiseEffect;

void shardwise_what_if_advised (const SwProblem *problem, const SwEstimate *estimate,
                                SwAdviceCode code, ShardwiseEffect *out);

/* Why no strategy with certain parallel sizes is among those that fit. */
typedef enum {
  SHARDWISE_ABSENCE_FIXED,   /* another value is pinned */
  SHARDWISE_ABSENCE_HIDDEN,  /* `strategy` fits, but the list hides it */
  SHARDWISE_ABSENCE_NEAREST, /* `strategy` is the nearest */
  SHARDWISE_ABSENCE_REJECTED /* `strategy` is the recommended one with these sizes */
} ShardwiseAbsenceKind;

typedef struct {
  ShardwiseAbsenceKind kind;
  SwProblem problem;
  SwStrategy strategy;
  SwRejection why;
} ShardwiseAbsence;

void shardwise_absence_async (const SwProblem *problem, const SwStrategy *recommended,
                              const SwPins *degrees, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer data);
ShardwiseAbsence *shardwise_absence_finish (GAsyncResult *result); /* (nullable); g_free() */

GPtrArray *
shardwise_sensitivity_compute (const SwProblem *problem, const SwEstimate *estimate, double factor,
                               void (*progress) (double fraction, gpointer data),
                               gpointer progress_data, GCancellable *cancellable, GError **error);

/* A pin that costs at least this share of the throughput is the first warning. */
#define SHARDWISE_PIN_WORTH_A_WARNING 0.02

enum { SHARDWISE_MOST_PIN_COSTS = SW_N_DIMENSIONS + 1 };

guint shardwise_pin_costs (const SwProblem *problem, const SwEstimate *chosen,
                           ShardwiseEffect out[SHARDWISE_MOST_PIN_COSTS]);
void shardwise_pins_drop (GVariantDict *changes);
GVariant *shardwise_pin_changes (SwDimension dimension);

G_END_DECLS
