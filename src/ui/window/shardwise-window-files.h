/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-description.h"
#include "shardwise-document.h"
#include "shardwise-window.h"

G_BEGIN_DECLS

/* How documents are opened, saved and closed, with the questions to the user, the banner about the
 * file, and the session that is restored at startup. */
ShardwiseDocument *shardwise_window_document_new (ShardwiseWindow *self);
void shardwise_window_add_file_actions (ShardwiseWindow *self);
void shardwise_window_add_controllers (ShardwiseWindow *self);

gboolean shardwise_window_shows_file (ShardwiseWindow *self, GFile *file);
ShardwiseWindow *shardwise_window_that_shows (GtkApplication *application, GFile *file);
void shardwise_window_open_file (ShardwiseWindow *self, GFile *file);
/* Opens files in new windows if this one has a document. */
void shardwise_window_open_beside (ShardwiseWindow *self, GPtrArray *files); /* of GFile */
gboolean shardwise_window_open_text (ShardwiseWindow *self, const char *text, gssize length,
                                     const char *name);
void shardwise_window_show_beside (ShardwiseWindow *self, ShardwiseScenario *scenario);
void
shardwise_window_tell_open_error (ShardwiseWindow *self, const char *name, const char *message);

gboolean shardwise_window_is_saving (ShardwiseWindow *self); /* a thread writes the document */
void shardwise_window_ask_to_close (ShardwiseWindow *self);
gboolean shardwise_window_settle_to_quit (ShardwiseWindow *self);
void shardwise_window_quit (ShardwiseWindow *self);

void shardwise_window_keep_session (ShardwiseWindow *self);
gboolean shardwise_window_restore_session (ShardwiseWindow *self, gboolean edited_only);
void shardwise_window_restore_session_soon (ShardwiseWindow *self); /* from the main loop */

gboolean shardwise_window_is_job (const char *text);
void shardwise_window_open_description (ShardwiseWindow *self, ShardwiseDescription *what);
void shardwise_window_take_pasted_jobs (ShardwiseWindow *self, GtkWidget *entry);

G_END_DECLS
