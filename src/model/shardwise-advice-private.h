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
  GArray *alternatives; /* of SwEstimate */
  GPtrArray *rationale, *recommendations, *steps, *notes, *ways_out;
  GArray *way_problems; /* of SwProblem: the question after each way out */
  SwSearchResult search;
  SwPlaybook playbook;
  SwQuickScoreResult quick_score;
  ShardwiseNearestRun *nearest_run;
  guint least_gpus, sensible_gpus;
  char *verdict, *currency;
  double days, cost;
};

ShardwiseAdvice *shardwise_advice_copy (ShardwiseAdvice *self); /* without reasons, ways out and sizes */
ShardwiseAdvice *shardwise_advice_explain (ShardwiseAdvice *base, ShardwiseScenario *scenario,
                                           GCancellable *cancellable, GError **error);
/* The same on a worker thread; finish with shardwise_advisor_compute_finish(). */
void shardwise_advice_explain_async (ShardwiseAdvice *base, ShardwiseScenario *scenario,
                                     GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);

ShardwiseNearestRun *shardwise_nearest_run_copy (const ShardwiseNearestRun *run); /* (nullable) */
ShardwiseNearestRun *shardwise_nearest_run_find (const SwProblem *problem, const SwStrategy *strategy); /* (nullable) */
void shardwise_nearest_run_free (ShardwiseNearestRun *run);

/* Days to train the scenario's tokens at that rate, and what they cost on all GPUs of the cluster; 0: not stated. */
void shardwise_days_and_cost (ShardwiseScenario *scenario, const SwProblem *problem, double tokens_per_s,
                              double *days, double *cost);

G_END_DECLS
