/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-editor.h"
#include "shardwise-journal.h"
#include "sw-problem.h"

G_BEGIN_DECLS

/* A window for entering a measured run, or pasting a log that fills the entries. Invalid amounts
 * and dates are marked and cannot be saved. */
#define SHARDWISE_TYPE_JOURNAL_EDITOR (shardwise_journal_editor_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseJournalEditor, shardwise_journal_editor, SHARDWISE, JOURNAL_EDITOR,
                      ShardwiseEditor)

#define SHARDWISE_JOURNAL_EDITOR_KIND "run" /* of its drafts */

GtkWidget *shardwise_journal_editor_new (ShardwiseJournal *journal, ShardwiseJournalRun *run,
                                         const SwProblem *problem, const char *strategy);

G_END_DECLS
