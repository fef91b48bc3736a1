/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"
#include "sw-problem.h"

G_BEGIN_DECLS

/* Features of a job's software and their keys "training.software.…". */

gboolean shardwise_software_is_key (ShardwiseKeyId id);
ShardwiseKeyId shardwise_software_key (SwFeature feature);
void shardwise_software_read (ShardwiseScenario *scenario, SwSoftware *out);
GVariant *shardwise_software_default (const SwProblem *problem, ShardwiseKeyId id);
void shardwise_software_add_notes (const SwProblem *problem, GPtrArray *notes);

G_END_DECLS
