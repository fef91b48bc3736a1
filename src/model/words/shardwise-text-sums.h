/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* Figures as the sums that they are of; translated, newly allocated. */
char *shardwise_text_states (const SwProblem *problem, const SwEstimate *estimate, guint stage);
GPtrArray *shardwise_text_sums (const SwProblem *problem, const SwEstimate *estimate);

G_END_DECLS
