/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advisor.h"
#include "shardwise-journal.h"

G_BEGIN_DECLS

/* The user's own runs held against the model, the newest first, with what calibrating by them
 * changes, and whether they calibrate the scenario. It follows the journal; what happened is told
 * on the toasts of its window.
 *
 * Actions: journal.add enters a run of the selected strategy. */
#define SHARDWISE_TYPE_JOURNAL_VIEW (shardwise_journal_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseJournalView, shardwise_journal_view, SHARDWISE, JOURNAL_VIEW, AdwBin)

GtkWidget *
shardwise_journal_view_new (ShardwiseJournal *journal, ShardwiseAdvisor *advisor, GFile *file);

G_END_DECLS
