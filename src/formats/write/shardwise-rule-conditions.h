/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-job.h"

G_BEGIN_DECLS

/* What several frameworks refuse, as the rules of each of them ask for it: TRUE where it is so. */
gboolean shardwise_rule_has_vpp (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_has_cp (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_has_ulysses (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_has_ep (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_splits_experts (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_splits_adapters (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_odd_heads (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_has_zero_one (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_has_high_zero (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_is_zero_bubble (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_has_partial_recompute (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_offloads (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_offloads_whole (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_is_not_bf16 (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_is_not_adamw (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_rule_is_not_full_training (const SwProblem *problem, const SwStrategy *s);

G_END_DECLS
