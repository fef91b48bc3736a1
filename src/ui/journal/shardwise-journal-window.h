/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advisor.h"
#include "shardwise-journal.h"

G_BEGIN_DECLS

/* The user's own runs held against the model, and whether they calibrate the scenario. */
#define SHARDWISE_TYPE_JOURNAL_WINDOW (shardwise_journal_window_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseJournalWindow, shardwise_journal_window, SHARDWISE, JOURNAL_WINDOW,
                      AdwWindow)

GtkWidget *
shardwise_journal_window_new (ShardwiseJournal *journal, ShardwiseAdvisor *advisor, GFile *file);

G_END_DECLS
