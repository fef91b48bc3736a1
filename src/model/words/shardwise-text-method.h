/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-playbook.h"
#include "sw-quick-score.h"

G_BEGIN_DECLS

/* Texts of the two rules of thumb; translated. */

/* One figure of a method. */
typedef struct {
  const char *label; /* static */
  char *value;
} ShardwiseFigure;

GPtrArray *shardwise_text_playbook_figures (const SwPlaybook *playbook); /* of ShardwiseFigure */
GPtrArray *shardwise_text_quick_figures (const SwProblem *problem, const SwQuickScore *score);

char *shardwise_text_playbook_reason (const SwProblem *problem, const SwPlaybook *playbook,
                                      SwDimension dimension);
char *shardwise_text_quick_reason (const SwProblem *problem, const SwQuickScoreResult *result,
                                   const SwStrategy *strategy, SwDimension dimension);
char *shardwise_text_quick_split (const SwQuickScore *score);

void shardwise_text_add_changes (GPtrArray *notes, const SwProblem *problem,
                                 const SwStrategy *decided, const SwStrategy *strategy);
char *shardwise_text_playbook_verdict (const SwProblem *problem, const SwPlaybook *playbook);
char *shardwise_text_quick_verdict (const SwProblem *problem, const SwQuickScoreResult *result,
                                    const SwEstimate *estimate);
char *shardwise_text_count_misfit (const SwProblem *problem, double need_gb, double limit_gb);

G_END_DECLS
