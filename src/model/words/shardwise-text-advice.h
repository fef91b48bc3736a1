/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-estimate.h"
#include "sw-advice.h"
#include "sw-changes.h"
#include "sw-means.h"
#include "sw-quick-score.h"
#include "sw-start.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_SEVERITY_INFO,
  SHARDWISE_SEVERITY_WARNING,
  SHARDWISE_SEVERITY_ERROR
} ShardwiseSeverity;
extern const char *const shardwise_severity_names[]; /* info, warning, error */

typedef struct {
  const char *step; /* "fit", "batch", "throughput" */
  char *title, *text;
  char *value; /* "61.2 of 79.2 GiB" */
  gboolean done;
} ShardwiseStep;

/* The best strategy of one framework that is usual for the job. */
typedef struct {
  SwFramework framework;
  SwStartClass class;
  gboolean has_strategy; /* FALSE: it has no valid strategy, and estimate is not set */
  SwEstimate estimate;   /* of the strategy to start with; if nothing fits, of the nearest */
} ShardwiseFrameworkChoice;

/* The answer in words: translated, newly allocated. */
char *
shardwise_text_verdict (const SwProblem *problem, const SwEstimate *estimate,
                        gboolean fits_unpinned, const SwLeastGpus *least, guint n_least,
                        double days, double cost, gboolean cost_is_stated, const char *currency);
char *shardwise_text_faster (const SwEstimate *recommended, const SwEstimate *fastest);
char *shardwise_text_framework_cost (const SwEstimate *named, const SwEstimate *other);
/* (nullable) */
char *shardwise_text_framework_choice (const ShardwiseFrameworkChoice *choices, guint n);
char *
shardwise_text_framework_figures (const SwProblem *problem, const ShardwiseFrameworkChoice *choice);
GPtrArray *
shardwise_text_steps (const SwProblem *problem, const SwEstimate *estimate,
                      const SwSearchResult *search, gboolean by_tree); /* of ShardwiseStep */
ShardwiseSeverity shardwise_advice_severity (SwAdviceCode code);
char *shardwise_text_quick_advice (const SwProblem *problem, const SwQuickScoreResult *result,
                                   SwAdviceCode code);
char *shardwise_text_advice (const SwProblem *problem, const SwEstimate *estimate,
                             SwAdviceCode code, const ShardwiseEffect *effect);
/* If nothing fits: a change that suffices with its effect, and one that does not suffice. */
char *shardwise_text_least (const SwLeastGpus *least, guint n); /* "24; 8 with 8-bit Adam" */
char *shardwise_text_least_sentence (const SwLeastGpus *least, guint n); /* (nullable) */
char *shardwise_text_change_name (const SwProblem *problem, const SwChange *change);
char *shardwise_text_change (const SwProblem *problem, const SwChange *change);
char *shardwise_text_miss (const SwProblem *problem, const SwChange *change);
/* If it may not fit. */
char *
shardwise_text_waiting (const SwProblem *problem, const SwEstimate *now, const SwChange *change);
char *
shardwise_text_safety (const SwProblem *problem, const SwEstimate *now, const SwChange *change);

G_END_DECLS
