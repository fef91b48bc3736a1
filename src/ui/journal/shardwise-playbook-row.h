/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-rule-finding.h"

G_BEGIN_DECLS

/* A rule and its result for the job; expands to its text and source. Signals "edit" and "remove"
 * (row): from the buttons of the user's own rules. */
#define SHARDWISE_TYPE_PLAYBOOK_ROW (shardwise_playbook_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePlaybookRow, shardwise_playbook_row, SHARDWISE, PLAYBOOK_ROW,
                      AdwExpanderRow)

GtkWidget *shardwise_playbook_row_new (const ShardwiseHeuristic *rule, gboolean own);
const ShardwiseHeuristic *shardwise_playbook_row_get_rule (ShardwisePlaybookRow *self);
void shardwise_playbook_row_set_finding (ShardwisePlaybookRow *self,
                                         const ShardwiseRuleFinding *finding);
ShardwiseRuleState shardwise_playbook_row_get_state (ShardwisePlaybookRow *self);

G_END_DECLS
