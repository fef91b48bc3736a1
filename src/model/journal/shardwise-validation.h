/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-prediction.h"
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Of |ln (predicted / measured)|; the bias is the median with its sign. */
typedef struct {
  guint rows;
  double median, p90, bias;
} ShardwiseErrors;

/* Of the rows of a family how many lie within the interval of their prediction. */
typedef struct {
  guint rows, inside;
} ShardwiseCoverage;

typedef struct {
  const char *family;
  ShardwiseErrors time, memory;
  ShardwiseCoverage time_coverage, memory_coverage;
  guint groups, pairs; /* of strategies; pairs measured more than 5 % apart */
  double kendall_tau;  /* of the pairs; 0 where there are none */
  double regret;       /* mean over groups; 0 where there are none */
} ShardwiseFamilyErrors;

/* Predictions held against measured runs. Families weigh the same in what has no family. */
typedef struct {
  GPtrArray *runs;              /* of ShardwiseRun */
  GArray *predictions;          /* of ShardwiseRunPrediction, of the runs that can be predicted */
  GArray *families;             /* of ShardwiseFamilyErrors */
  ShardwiseErrors time, memory; /* means over families; `rows` counts families */
  double time_coverage, memory_coverage; /* means over families of the share that lies inside */
  guint ranked, compared;                /* families with pairs, with groups */
  double kendall_tau, regret;
  guint oom_rows, oom_found, false_alarms;
} ShardwiseValidation;

ShardwiseValidation *shardwise_validate (GPtrArray *runs);
void shardwise_validation_free (ShardwiseValidation *self);
JsonNode *shardwise_validation_to_json (const ShardwiseValidation *self);
char *shardwise_validation_to_text (const ShardwiseValidation *self, gboolean rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseValidation, shardwise_validation_free)

G_END_DECLS
