/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* Figures as the sums that they are of; translated, newly allocated. */
char *shardwise_text_states (const SwProblem *problem, const SwEstimate *estimate, guint stage);
GPtrArray *shardwise_text_sums (const SwProblem *problem, const SwEstimate *estimate);

/* (transfer full): a job, its advice and its reasons as one text for an assistant; translated */
char *shardwise_text_brief (ShardwiseScenario *scenario, ShardwiseAdvice *advice);

G_END_DECLS
