/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-advisor.h"
#include "shardwise-notes.h"

G_BEGIN_DECLS

/* The playbook's rules and the user's own, held against the strategy that is looked at: by topic,
 * to search and to filter, with a count of what is violated. It follows what is selected.
 *
 * Actions: playbook.add, playbook.import and playbook.export, without notes disabled. */
#define SHARDWISE_TYPE_PLAYBOOK_VIEW (shardwise_playbook_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePlaybookView, shardwise_playbook_view, SHARDWISE, PLAYBOOK_VIEW,
                      AdwBin)

GtkWidget *shardwise_playbook_view_new (ShardwiseNotes *notes, ShardwiseAdvisor *advisor);

G_END_DECLS
