/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-heuristic.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_RULE_UNKNOWN, /* no job to check, or an unreadable condition */
  SHARDWISE_RULE_NOT_RELEVANT,
  SHARDWISE_RULE_APPLIES, /* advice that cannot be violated */
  SHARDWISE_RULE_SATISFIED,
  SHARDWISE_RULE_VIOLATED,
  SHARDWISE_N_RULE_STATES
} ShardwiseRuleState;

/* The result of a playbook rule for one job and strategy. Texts are translated. */
typedef struct {
  ShardwiseRuleState state;
  char *number;       /* the deciding figure: "TP 16, wanted: at most 8"; "": none */
  char *comparison;   /* (nullable): the figures of the rule and of the model */
  gboolean disagrees; /* the model contradicts the rule */
  SwPins follow;      /* if violated: what the rule recommends; no bits: nothing that a strategy
                    decides */
} ShardwiseRuleFinding;

extern const char *const shardwise_rule_state_names[SHARDWISE_N_RULE_STATES]; /* in JSON */

ShardwiseRuleFinding *
shardwise_rule_finding_new (const ShardwiseHeuristic *rule, const SwProblem *problem,
                            const SwEstimate *estimate);
void shardwise_rule_finding_free (ShardwiseRuleFinding *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseRuleFinding, shardwise_rule_finding_free)
void shardwise_rule_finding_compare (ShardwiseRuleFinding *self, const SwProblem *problem,
                                     const SwEstimate *estimate);

char *shardwise_rule_finding_text (const ShardwiseRuleFinding *self);

void shardwise_rule_findings_make_async (GPtrArray *rules, ShardwiseAdvice *advice,
                                         const SwEstimate *estimate, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer data);
GPtrArray *shardwise_rule_findings_make_finish (GAsyncResult *result, GError **error);

G_END_DECLS
