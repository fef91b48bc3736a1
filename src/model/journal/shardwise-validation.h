/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-prediction.h"
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Errors |ln (predicted / measured)|; the bias is the signed median. */
typedef struct {
  guint rows;
  double median, p90, bias;
} ShardwiseErrors;

/* How many rows of a family are within their predicted interval. */
typedef struct {
  guint rows, inside;
} ShardwiseCoverage;

typedef struct {
  const char *family;
  ShardwiseErrors time, memory;
  ShardwiseCoverage time_coverage, memory_coverage;
  guint groups, pairs; /* of strategies; pairs differ by more than 5 % in the measurement */
  double kendall_tau;  /* over the pairs; 0: no pairs */
  double regret;       /* mean over groups; 0: no groups */
} ShardwiseFamilyErrors;

/* Predictions compared with measured runs. Families have equal weight in means. */
typedef struct {
  GPtrArray *runs;              /* of ShardwiseRun */
  GArray *predictions;          /* of ShardwiseRunPrediction, for the runs that can be predicted */
  GArray *families;             /* of ShardwiseFamilyErrors */
  ShardwiseErrors time, memory; /* means over families; `rows` counts families */
  double time_coverage, memory_coverage; /* share of rows inside the interval, mean over families */
  guint ranked, compared;                /* families with pairs, and with groups */
  double kendall_tau, regret;
  guint oom_rows, oom_found, false_alarms;
} ShardwiseValidation;

ShardwiseValidation *shardwise_validate (GPtrArray *runs);
void shardwise_validation_free (ShardwiseValidation *self);
JsonNode *shardwise_validation_to_json (const ShardwiseValidation *self);
char *shardwise_validation_to_text (const ShardwiseValidation *self, gboolean rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseValidation, shardwise_validation_free)

G_END_DECLS
