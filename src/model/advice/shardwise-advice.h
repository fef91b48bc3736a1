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

/* One row of a counterfactual table. Texts are translated and owned by the advice. */
typedef struct {
  SwNeighbour neighbour;
  char *value;     /* "4", "selective", "on" */
  char *reason;    /* "lacks 31 GB", "exposed TP communication grows from 8 % to 14 %", "chosen" */
  gboolean beside; /* it says most of its side of the chosen one: see shardwise_text_beside() */
} ShardwiseNeighbourRow;

typedef struct {
  SwDimension dimension;
  char *title;     /* "Tensor parallel" */
  char *value;     /* "8" */
  char *text;      /* one paragraph, with numbers from the neighbours */
  GPtrArray *rows; /* of ShardwiseNeighbourRow */
  gboolean is_pinned, has_freed;
  SwEstimate freed; /* the best strategy without that pin, where there is one */
} ShardwiseRationale;

typedef struct {
  ShardwiseSeverity severity;
  const char *code;       /* "tp-overhead" */
  ShardwiseEffect effect; /* of the analytical model; not of the quick score */
  char *text;
  GVariant *changes; /* (nullable) a{sv} for win.apply: what the button beside it does */
} ShardwiseRecommendation;

/* When nothing fits. */
typedef struct {
  char *name;   /* translated: "64 GPUs instead of 32" */
  char *change; /* the same, and what it gives */
  SwEstimate result;
  SwProblem problem; /* the question after it */
  GVariant *changes; /* (nullable) for win.apply */
} ShardwiseWayOut;

/* A change that alone does not suffice. */
typedef struct {
  char *text; /* translated: "Recomputation: full (it needs 231 GiB more per GPU)" */
  SwChange change;
} ShardwiseMiss;

/* The answer to a scenario: immutable after it is made, so any thread may read it. */
#define SHARDWISE_TYPE_ADVICE (shardwise_advice_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAdvice, shardwise_advice, SHARDWISE, ADVICE, GObject)

#define SHARDWISE_ADVICE_TOP 50 /* of which the window takes the alternatives */

typedef struct {
  ShardwiseMethod method;
  guint top;         /* alternatives kept */
  gboolean complete; /* complete search */
  gboolean explain;  /* rationale, way out, least and sensible GPUs (else only the search) */
  gboolean bare; /* strategies and their figures alone, without texts, which may ask for sizes */
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
/* nothing fits: the nearest */
const SwEstimate *shardwise_advice_get_recommended (ShardwiseAdvice *self);
const SwEstimate *shardwise_advice_get_fastest (ShardwiseAdvice *self); /* (nullable) */
/* of ShardwiseFrameworkChoice, the best first */
GArray *shardwise_advice_get_frameworks (ShardwiseAdvice *self);
guint shardwise_advice_get_n_alternatives (ShardwiseAdvice *self);
/* best first, without the recommended one */
const SwEstimate *shardwise_advice_get_alternative (ShardwiseAdvice *self, guint index);
/* (transfer none) of ShardwiseRationale */
GPtrArray *shardwise_advice_get_rationale (ShardwiseAdvice *self);
/* of ShardwiseRecommendation */
GPtrArray *shardwise_advice_get_recommendations (ShardwiseAdvice *self);
GPtrArray *shardwise_advice_get_steps (ShardwiseAdvice *self); /* of ShardwiseStep, three */
/* (nullable): nothing fits */
const ShardwiseVerify *shardwise_advice_get_verify (ShardwiseAdvice *self);
GPtrArray *shardwise_advice_get_notes (ShardwiseAdvice *self); /* of char* */
/* of ShardwiseAssumption: what the recommended one takes for granted */
GPtrArray *shardwise_advice_get_assumptions (ShardwiseAdvice *self);
/* of ShardwiseWayOut; empty where it fits */
GPtrArray *shardwise_advice_get_ways_out (ShardwiseAdvice *self);
GPtrArray *shardwise_advice_get_usual (ShardwiseAdvice *self);  /* of ShardwiseUsual */
GPtrArray *shardwise_advice_get_misses (ShardwiseAdvice *self); /* of ShardwiseMiss; empty where it
                                                                   fits */
const SwSearchResult *shardwise_advice_get_search (ShardwiseAdvice *self);
const SwPlaybook *shardwise_advice_get_playbook (ShardwiseAdvice *self); /* always computed */
/* always computed */
const SwQuickScoreResult *shardwise_advice_get_quick_score (ShardwiseAdvice *self);
const SwEstimate *shardwise_advice_get_quick_estimate (ShardwiseAdvice *self); /* of its best */
/* (nullable) */
const ShardwiseNearestRun *shardwise_advice_get_nearest_run (ShardwiseAdvice *self);
/* (transfer none) */
const SwLeastGpus *shardwise_advice_get_least (ShardwiseAdvice *self, guint *n);
guint shardwise_advice_get_least_gpus (ShardwiseAdvice *self); /* 0: not found */
guint shardwise_advice_get_sensible_gpus (ShardwiseAdvice *self);
const char *shardwise_advice_get_verdict (ShardwiseAdvice *self); /* one sentence, translated */
double shardwise_advice_get_days (ShardwiseAdvice *self); /* to train the tokens; 0: no token
                                                             count */
double shardwise_advice_get_cost (ShardwiseAdvice *self, const char **currency); /* 0: no price */

G_END_DECLS
