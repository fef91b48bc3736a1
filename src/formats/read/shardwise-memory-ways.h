/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-finding.h"

G_BEGIN_DECLS

void shardwise_memory_ways (const SwProblem *problem, const SwEstimate *now, double lacking,
                            gboolean loads, GPtrArray *findings);

G_END_DECLS
