/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* Figures as sums of their parts; translated, newly allocated. */
char *shardwise_text_states (const SwProblem *problem, const SwEstimate *estimate, guint stage);
GPtrArray *shardwise_text_sums (const SwProblem *problem, const SwEstimate *estimate);

/* (transfer full): a job, its advice and the reasons as one text for an assistant; translated */
char *shardwise_text_brief (ShardwiseScenario *scenario, ShardwiseAdvice *advice);

G_END_DECLS
