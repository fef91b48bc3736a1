/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-ahead.h"
#include "shardwise-journal.h"
#include "shardwise-notes.h"

G_BEGIN_DECLS

/* The program: one process, one window per scenario. */
#define SHARDWISE_TYPE_APPLICATION (shardwise_application_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseApplication, shardwise_application, SHARDWISE, APPLICATION,
                      AdwApplication)

ShardwiseApplication *shardwise_application_new (void);
GSettings *shardwise_application_get_settings (ShardwiseApplication *self); /* (transfer none) */
ShardwiseAhead *shardwise_application_take_ahead (ShardwiseApplication *self, GFile *file);
ShardwiseJournal *shardwise_application_get_journal (ShardwiseApplication *self);
ShardwiseNotes *shardwise_application_get_notes (ShardwiseApplication *self, GError **error);

G_END_DECLS
