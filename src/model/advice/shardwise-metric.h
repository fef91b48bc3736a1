/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* One figure of a strategy with all its texts. Independent of widgets. */
typedef enum {
  SHARDWISE_METRIC_MEMORY,     /* peak of one GPU */
  SHARDWISE_METRIC_THROUGHPUT, /* tokens/s of the whole job */
  SHARDWISE_METRIC_MFU,
  SHARDWISE_METRIC_MEMORY_USE, /* share of the usable memory */
  SHARDWISE_METRIC_PER_GPU,    /* tokens/s per GPU */
  SHARDWISE_METRIC_HFU,
  SHARDWISE_METRIC_SCALING, /* scaling efficiency */
  SHARDWISE_METRIC_COMMUNICATION,
  SHARDWISE_METRIC_BUBBLE,
  SHARDWISE_METRIC_STEP,
  SHARDWISE_METRIC_FLOPS, /* per GPU */
  SHARDWISE_N_METRICS,
  SHARDWISE_METRIC_COST = SHARDWISE_N_METRICS /* days and cost: shardwise_metric_new_cost() */
} ShardwiseMetricKind;

typedef enum {
  SHARDWISE_GRADE_NONE,
  SHARDWISE_GRADE_GOOD,
  SHARDWISE_GRADE_FAIR,
  SHARDWISE_GRADE_POOR
} ShardwiseGrade;

/* One line of the sum behind a figure. */
typedef struct {
  char *label, *value;
  double share; /* of the total, for a bar; < 0: not part of it */
  gboolean is_total;
} ShardwisePart;

typedef struct {
  ShardwiseMetricKind kind;
  char *title;      /* "Memory per GPU" */
  char *number;     /* "61.2": three significant digits */
  char *unit;       /* "GiB" */
  char *interval;   /* "± 6 %", or "179–442" if it is skewed; NULL: unknown */
  char *detail;     /* the line below the figure */
  char *exact;      /* tooltip: the figure and its interval in full */
  char *meaning;    /* its definition in one sentence */
  char *assessment; /* "good: up to 10 %"; NULL: not rated */
  ShardwiseGrade grade;
  double level, limit;    /* of the bar, 0-1; level < 0: no bar */
  double low, high;       /* interval on the bar; both 0: none */
  GPtrArray *parts;       /* of ShardwisePart */
  GPtrArray *assumptions; /* of char* */
  gboolean unvalidated;   /* nothing similar was measured */
  char *nearest;          /* the nearest measured run; NULL: none */
} ShardwiseMetric;

ShardwiseMetric *
shardwise_metric_new (ShardwiseMetricKind kind, const SwProblem *problem,
                      const SwEstimate *estimate, const ShardwiseNearestRun *nearest);
ShardwiseMetric *shardwise_metric_new_cost (ShardwiseScenario *scenario, const SwProblem *problem,
                                            const SwEstimate *estimate);
void shardwise_metric_free (ShardwiseMetric *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseMetric, shardwise_metric_free)

char *shardwise_metric_sentence (const ShardwiseMetric *self); /* for screen readers */

G_END_DECLS
