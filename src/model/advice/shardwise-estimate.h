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

/* The estimate of the strategy that a scenario states, nothing searched: keys that are not given
 * must follow from the others (dp from the GPUs). `notes` (out) (transfer full) (nullable): also
 * what was taken for granted. */
gboolean shardwise_estimate_scenario (ShardwiseScenario *scenario, SwProblem *problem,
                                      SwEstimate *estimate, GPtrArray **notes, GError **error);

/* The best strategy with several dimensions at the values of `pins`, in a framework or, ANY, in the
 * best. FALSE: none fits; then it is the nearest one, or else the present one with those values,
 * and its rule says why. */
gboolean shardwise_what_if_pins (const SwProblem *problem, const SwStrategy *present,
                                 SwFramework framework, const SwPins *pins, SwEstimate *out);
gboolean shardwise_what_if_freed (const SwProblem *problem, const SwEstimate *chosen,
                                  SwDimension dimension, SwEstimate *out);
gboolean shardwise_what_if_unpinned (const SwProblem *problem);

/* What a recommendation is about, beside the estimate itself: which of it is set follows from the
 * code. */
typedef struct {
  SwDimension dimension; /* that is to have `value`; SW_N_DIMENSIONS: none */
  guint value;
  gboolean fits;                 /* a strategy with that value */
  gboolean frees;                /* it fits where data parallelism is not fixed any more */
  SwEstimate then;               /* that strategy; the nearest where none fits */
  guint batch;                   /* another global batch */
  double seconds_per_token;      /* with it; 0: no strategy has it, or it is not asked for */
  const SwGpu *gpu;              /* a larger one on which it fits (nullable) */
  SwLeastGpus least[SW_N_MEANS]; /* on which it fits, by what means */
  guint n_least;                 /* 0: on none */
  gboolean fits_unpinned;        /* without the pinned values */
} ShardwiseEffect;

void shardwise_what_if_advised (const SwProblem *problem, const SwEstimate *estimate,
                                SwAdviceCode code, ShardwiseEffect *out);

/* Why no strategy with certain degrees is among those that fit. */
typedef enum {
  SHARDWISE_ABSENCE_FIXED,   /* another value is */
  SHARDWISE_ABSENCE_HIDDEN,  /* the strategy fits */
  SHARDWISE_ABSENCE_NEAREST, /* the strategy comes nearest */
  SHARDWISE_ABSENCE_REJECTED /* the strategy is the recommended one with these degrees */
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

/* A share of the throughput from which a pin is the first thing to be told. */
#define SHARDWISE_PIN_WORTH_A_WARNING 0.02

enum { SHARDWISE_MOST_PIN_COSTS = SW_N_DIMENSIONS + 1 };

guint shardwise_pin_costs (const SwProblem *problem, const SwEstimate *chosen,
                           ShardwiseEffect out[SHARDWISE_MOST_PIN_COSTS]);
void shardwise_pins_drop (GVariantDict *changes);
GVariant *shardwise_pin_changes (SwDimension dimension);

G_END_DECLS
