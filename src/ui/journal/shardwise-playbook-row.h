/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-rule-finding.h"

G_BEGIN_DECLS

/* A rule and what it says of the job; unfolds to its text and source.
 * signals "edit" and "remove" (row): asked for by the buttons of a rule of the user's own */
#define SHARDWISE_TYPE_PLAYBOOK_ROW (shardwise_playbook_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePlaybookRow, shardwise_playbook_row, SHARDWISE, PLAYBOOK_ROW,
                      AdwExpanderRow)

GtkWidget *shardwise_playbook_row_new (const ShardwiseHeuristic *rule, gboolean own);
const ShardwiseHeuristic *shardwise_playbook_row_get_rule (ShardwisePlaybookRow *self);
void shardwise_playbook_row_set_finding (ShardwisePlaybookRow *self,
                                         const ShardwiseRuleFinding *finding);
ShardwiseRuleState shardwise_playbook_row_get_state (ShardwisePlaybookRow *self);

G_END_DECLS
