/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export.h"
#include "shardwise-import.h"

G_BEGIN_DECLS

typedef struct {
  ShardwiseScenario *scenario;
  const ShardwiseFormatInfo *format; /* (nullable): whose rules hold */
  GCancellable *cancellable;
  SwProblem problem;
  SwEstimate now; /* of the job as it is; what it leaves open is as good as it can be */
  GPtrArray *findings;
} ShardwiseDiagnosis;

/* Whether the framework itself runs the strategy; else @error carries its rule. */
gboolean shardwise_diagnosis_allows (const ShardwiseDiagnosis *self, const SwProblem *problem,
                                     const SwStrategy *strategy, GError **error);
/* shardwise-diagnosis-world.c */
gboolean shardwise_diagnosis_check_world (ShardwiseDiagnosis *self);
void shardwise_diagnosis_use_all_gpus (ShardwiseDiagnosis *self);
gboolean
shardwise_diagnosis_search (ShardwiseDiagnosis *self, const SwProblem *problem, SwEstimate *out);
void shardwise_diagnosis_add_changes (ShardwiseDiagnosis *self);

G_END_DECLS
