/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>
#include "shardwise-assumptions.h"
#include "shardwise-prediction.h"
#include "shardwise-scenario.h"
#include "shardwise-estimate.h"
#include "shardwise-text-advice.h"
#include "shardwise-usual.h"
#include "shardwise-verify.h"

#include "sw-changes.h"
#include "sw-explain.h"
#include "sw-playbook.h"
#include "sw-advice.h"
#include "sw-search.h"
#include "sw-start.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_METHOD_ANALYTICAL,
  SHARDWISE_METHOD_PLAYBOOK,
  SHARDWISE_METHOD_QUICK_SCORE
} ShardwiseMethod;
extern const char *const shardwise_method_names[];

/* One row of the table of a dimension's other values. The advice owns the texts, which are
 * translated. */
typedef struct {
  SwNeighbour neighbour;
  char *value;     /* "4", "selective", "on" */
  char *reason;    /* "lacks 31 GB", "exposed TP communication grows from 8 % to 14 %", "chosen" */
  gboolean beside; /* describes most of the rows on its side of the chosen value: see
                      shardwise_text_beside() */
} ShardwiseNeighbourRow;

typedef struct {
  SwDimension dimension;
  char *title;     /* "Tensor parallel" */
  char *value;     /* "8" */
  char *text;      /* one paragraph with figures of the neighbors */
  GPtrArray *rows; /* of ShardwiseNeighbourRow */
  gboolean is_pinned, has_freed;
  SwEstimate freed; /* the best strategy without the pin; set if has_freed */
} ShardwiseRationale;

typedef struct {
  ShardwiseSeverity severity;
  const char *code;       /* "tp-overhead" */
  ShardwiseEffect effect; /* from the analytical model; not set for the quick score */
  char *text;
  GVariant *changes; /* (nullable): a{sv} for win.apply: the action of the button beside it */
} ShardwiseRecommendation;

/* A change with which the job would fit. */
typedef struct {
  char *name;   /* translated: "64 GPUs instead of 32" */
  char *change; /* the same, and its effect */
  SwEstimate result;
  SwProblem problem; /* the question with the change */
  GVariant *changes; /* (nullable): a{sv} for win.apply */
} ShardwiseWayOut;

/* A change that is not enough by itself. */
typedef struct {
  char *text; /* translated: "Recomputation: full (it needs 231 GiB more per GPU)" */
  SwChange change;
} ShardwiseMiss;

/* The answer to a scenario. Never changes after it is computed, so any thread may read it. */
#define SHARDWISE_TYPE_ADVICE (shardwise_advice_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAdvice, shardwise_advice, SHARDWISE, ADVICE, GObject)

#define SHARDWISE_ADVICE_TOP 50 /* the number the window requests */

typedef struct {
  ShardwiseMethod method;
  guint top;         /* number of alternatives to keep */
  gboolean complete; /* complete search */
  gboolean explain;  /* adds rationale, ways out, least and sensible GPUs */
  gboolean bare;     /* only strategies and figures, without the texts that need searches for other
                    sizes */
  void (*progress) (double fraction, gpointer data);
  gpointer progress_data;
} ShardwiseAdviceOptions;

ShardwiseAdvice *
shardwise_advice_compute (ShardwiseScenario *scenario, const ShardwiseAdviceOptions *options,
                          GCancellable *cancellable, GError **error);
ShardwiseAdvice *shardwise_advice_explain (ShardwiseAdvice *base, ShardwiseScenario *scenario,
                                           GCancellable *cancellable, GError **error);

ShardwiseMethod shardwise_advice_get_method (ShardwiseAdvice *self);
const SwProblem *shardwise_advice_get_problem (ShardwiseAdvice *self);
const SwProblem *shardwise_advice_get_asked (ShardwiseAdvice *self);
gboolean shardwise_advice_get_fits (ShardwiseAdvice *self);
/* if nothing fits, the nearest */
const SwEstimate *shardwise_advice_get_recommended (ShardwiseAdvice *self);
const SwEstimate *shardwise_advice_get_fastest (ShardwiseAdvice *self); /* (nullable) */
/* of ShardwiseFrameworkChoice, best first */
GArray *shardwise_advice_get_frameworks (ShardwiseAdvice *self);
guint shardwise_advice_get_n_alternatives (ShardwiseAdvice *self);
/* best first, without the recommended strategy */
const SwEstimate *shardwise_advice_get_alternative (ShardwiseAdvice *self, guint index);
/* (transfer none): of ShardwiseRationale */
GPtrArray *shardwise_advice_get_rationale (ShardwiseAdvice *self);
/* of ShardwiseRecommendation */
GPtrArray *shardwise_advice_get_recommendations (ShardwiseAdvice *self);
GPtrArray *shardwise_advice_get_steps (ShardwiseAdvice *self); /* of ShardwiseStep; always three */
/* (nullable): NULL if nothing fits */
const ShardwiseVerify *shardwise_advice_get_verify (ShardwiseAdvice *self);
GPtrArray *shardwise_advice_get_notes (ShardwiseAdvice *self); /* of char* */
/* of ShardwiseAssumption, for the recommended strategy */
GPtrArray *shardwise_advice_get_assumptions (ShardwiseAdvice *self);
/* of ShardwiseWayOut; empty if it fits */
GPtrArray *shardwise_advice_get_ways_out (ShardwiseAdvice *self);
GPtrArray *shardwise_advice_get_usual (ShardwiseAdvice *self);  /* of ShardwiseUsual */
GPtrArray *shardwise_advice_get_misses (ShardwiseAdvice *self); /* of ShardwiseMiss; empty if it
                                                                   fits */
const SwSearchResult *shardwise_advice_get_search (ShardwiseAdvice *self);
const SwPlaybook *shardwise_advice_get_playbook (ShardwiseAdvice *self); /* always computed */
/* always computed */
const SwQuickScoreResult *shardwise_advice_get_quick_score (ShardwiseAdvice *self);
const SwEstimate *
shardwise_advice_get_quick_estimate (ShardwiseAdvice *self); /* for its best result */
/* (nullable) */
const ShardwiseNearestRun *shardwise_advice_get_nearest_run (ShardwiseAdvice *self);
/* (transfer none) */
const SwLeastGpus *shardwise_advice_get_least (ShardwiseAdvice *self, guint *n);
guint shardwise_advice_get_least_gpus (ShardwiseAdvice *self); /* 0: not found */
guint shardwise_advice_get_sensible_gpus (ShardwiseAdvice *self);
const char *shardwise_advice_get_verdict (ShardwiseAdvice *self); /* one sentence, translated */
double shardwise_advice_get_days (ShardwiseAdvice *self); /* to train the tokens; 0: tokens not
                                                             set */
double shardwise_advice_get_cost (ShardwiseAdvice *self, const char **currency); /* 0: no price */

G_END_DECLS
