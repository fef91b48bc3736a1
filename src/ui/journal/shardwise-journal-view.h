/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advisor.h"
#include "shardwise-journal.h"

G_BEGIN_DECLS

/* The user's own runs compared with the model, newest first, the effect of calibrating with them,
 * and a switch that calibrates the scenario. Follows the journal and reports on the toasts of its
 * window.
 *
 * Actions: journal.add enters a run of the selected strategy. */
#define SHARDWISE_TYPE_JOURNAL_VIEW (shardwise_journal_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseJournalView, shardwise_journal_view, SHARDWISE, JOURNAL_VIEW, AdwBin)

GtkWidget *
shardwise_journal_view_new (ShardwiseJournal *journal, ShardwiseAdvisor *advisor, GFile *file);

G_END_DECLS
