/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advisor.h"
#include "shardwise-journal.h"

G_BEGIN_DECLS

/* The user's own runs held against the model, the newest first, with what calibrating by them
 * changes, and whether they calibrate the scenario. It stands over the window of the scenario,
 * follows the journal, and is made anew each time it is asked for.
 *
 * Actions: journal.add enters a run of the selected strategy. Escape closes it. */
#define SHARDWISE_TYPE_JOURNAL_WINDOW (shardwise_journal_window_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseJournalWindow, shardwise_journal_window, SHARDWISE, JOURNAL_WINDOW,
                      AdwWindow)

GtkWidget *
shardwise_journal_window_new (ShardwiseJournal *journal, ShardwiseAdvisor *advisor, GFile *file);

G_END_DECLS
