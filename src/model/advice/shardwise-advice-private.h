/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

struct _ShardwiseAdvice {
  GObject parent_instance;
  ShardwiseMethod method;
  SwProblem problem; /* as the method sees it */
  gboolean fits;
  SwEstimate recommended;
  SwEstimate validated; /* where the recommended one is not */
  gboolean has_validated;
  GArray *alternatives; /* of SwEstimate */
  GPtrArray *rationale, *recommendations, *steps, *notes, *ways_out, *misses;
  GArray *way_problems; /* of SwProblem: the question after each way out */
  SwSearchResult search;
  SwPlaybook playbook;
  SwQuickScoreResult quick_score;
  ShardwiseNearestRun *nearest_run;
  guint least_gpus, sensible_gpus;
  char *verdict, *currency;
  double days, cost;
};

ShardwiseAdvice *shardwise_advice_copy (ShardwiseAdvice *self); /* without reasons, ways out and
                                                                   sizes */
void shardwise_advice_find_ways_out (ShardwiseAdvice *advice, ShardwiseScenario *scenario);
ShardwiseAdvice *shardwise_advice_explain (ShardwiseAdvice *base, ShardwiseScenario *scenario,
                                           GCancellable *cancellable, GError **error);
/* answer: (transfer none): without its reasons */
typedef void (*ShardwiseAnsweredFunc) (ShardwiseAdvice *answer, gpointer data);
/* Both, one after the other, on a worker thread; finish with shardwise_advisor_compute_finish(). */
void
shardwise_advice_reasoned_async (ShardwiseScenario *scenario, const ShardwiseAdviceOptions *options,
                                 GCancellable *cancellable, ShardwiseAnsweredFunc answered,
                                 GAsyncReadyCallback callback, gpointer data);

ShardwiseNearestRun *shardwise_nearest_run_copy (const ShardwiseNearestRun *run); /* (nullable) */
/* (nullable) */
ShardwiseNearestRun *
shardwise_nearest_run_find (const SwProblem *problem, const SwStrategy *strategy);
void shardwise_nearest_run_free (ShardwiseNearestRun *run);

/* Parts of the JSON; each (transfer full). */
JsonObject *shardwise_json_strategy (const SwProblem *problem, const SwEstimate *estimate);
JsonObject *shardwise_json_estimate (const SwProblem *problem, const SwEstimate *estimate,
                                     GPtrArray *notes, const ShardwiseNearestRun *nearest);
JsonObject *shardwise_json_any_estimate (const SwProblem *problem, const SwEstimate *estimate,
                                         GPtrArray *notes);

G_END_DECLS
