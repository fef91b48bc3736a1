/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-editor.h"

#include "shardwise-notes.h"

G_BEGIN_DECLS

/* A window for writing a note or rule: its title, its text and, for a rule, when it applies and
 * what it requires, as conditions on quantities of a job. Invalid conditions are marked and cannot
 * be saved. */
#define SHARDWISE_TYPE_NOTE_EDITOR (shardwise_note_editor_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseNoteEditor, shardwise_note_editor, SHARDWISE, NOTE_EDITOR,
                      ShardwiseEditor)

#define SHARDWISE_NOTE_EDITOR_KIND "note" /* of its drafts */

GtkWidget *shardwise_note_editor_new (ShardwiseNotes *notes, const ShardwiseHeuristic *rule);

G_END_DECLS
