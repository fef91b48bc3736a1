/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-advisor.h"
#include "shardwise-notes.h"

G_BEGIN_DECLS

/* The rules of the playbook and the user's own, applied to the selected strategy: by topic, with
 * search, filters and the number of violations. Follows the selection.
 *
 * Actions: playbook.add, playbook.import and playbook.export; disabled without notes. */
#define SHARDWISE_TYPE_PLAYBOOK_VIEW (shardwise_playbook_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePlaybookView, shardwise_playbook_view, SHARDWISE, PLAYBOOK_VIEW,
                      AdwBin)

GtkWidget *shardwise_playbook_view_new (ShardwiseNotes *notes, ShardwiseAdvisor *advisor);

G_END_DECLS
