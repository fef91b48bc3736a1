/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advisor.h"

G_BEGIN_DECLS

/* One scenario, its inputs at the left and the pages of its advice at the right; a page with
 * examples until there is a scenario. */
#define SHARDWISE_TYPE_WINDOW (shardwise_window_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseWindow, shardwise_window, SHARDWISE, WINDOW, AdwApplicationWindow)

ShardwiseWindow *shardwise_window_new (GtkApplication *application, GSettings *settings);
/* (transfer none) (nullable) */
ShardwiseScenario *shardwise_window_get_scenario (ShardwiseWindow *self);
/* (transfer none) (nullable) */
ShardwiseAdvisor *shardwise_window_get_advisor (ShardwiseWindow *self);
/* (nullable) of the manual: about what has the focus */
const char *shardwise_window_get_help_page (ShardwiseWindow *self);
gboolean shardwise_window_is_unused (ShardwiseWindow *self); /* still shows the start page */
gboolean shardwise_window_is_saving (ShardwiseWindow *self); /* a thread writes the document */
gboolean shardwise_window_shows_file (ShardwiseWindow *self, GFile *file);
ShardwiseWindow *shardwise_window_that_shows (GtkApplication *application, GFile *file);
void shardwise_window_open_file (ShardwiseWindow *self, GFile *file);
/* in a window of its own where this one has a document */
void shardwise_window_open_beside (ShardwiseWindow *self, GFile *file);
gboolean shardwise_window_open_text (ShardwiseWindow *self, const char *text, gssize length,
                                     const char *name);
void shardwise_window_keep_session (ShardwiseWindow *self);
gboolean shardwise_window_restore_session (ShardwiseWindow *self, gboolean edited_only);
void shardwise_window_restore_session_soon (ShardwiseWindow *self); /* from the main loop */
void shardwise_window_present_soon (ShardwiseWindow *self); /* with its answer, if that is near */
gboolean shardwise_window_settle_to_quit (ShardwiseWindow *self);
void shardwise_window_quit (ShardwiseWindow *self);

G_END_DECLS
