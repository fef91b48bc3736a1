/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-key.h"
#include "shardwise-scenario.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* An assumption of an answer: a key that the user did not set. */
typedef struct {
  ShardwiseKeyId key;
  GVariant *value; /* as in a scenario file */
  char *text;      /* translated: "GPUs per node: 8 (usual for H100)" */
} ShardwiseAssumption;

/* (transfer full): of ShardwiseAssumption */
GPtrArray *shardwise_assumptions_list (ShardwiseScenario *scenario, const SwProblem *problem,
                                       const SwEstimate *estimate);

G_END_DECLS
