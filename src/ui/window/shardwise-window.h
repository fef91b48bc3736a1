/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advisor.h"
#include "shardwise-import.h"
#include "shardwise-page.h"

G_BEGIN_DECLS

/* One scenario: its inputs at the left, the pages of its advice at the right; the start page until
 * there is a scenario. See shardwise-window-actions.h for its actions and shardwise-window-files.h
 * for documents. */
#define SHARDWISE_TYPE_WINDOW (shardwise_window_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseWindow, shardwise_window, SHARDWISE, WINDOW, AdwApplicationWindow)

ShardwiseWindow *shardwise_window_new (GtkApplication *application, GSettings *settings);
/* (transfer none) (nullable) */
ShardwiseScenario *shardwise_window_get_scenario (ShardwiseWindow *self);
/* (transfer none) (nullable) */
ShardwiseAdvisor *shardwise_window_get_advisor (ShardwiseWindow *self);
/* Returns: (nullable): the manual page about the focused widget */
const char *shardwise_window_get_help_page (ShardwiseWindow *self);
gboolean shardwise_window_is_unused (ShardwiseWindow *self); /* still shows the start page */

/* ---- document ---- */
void shardwise_window_take_advisor (ShardwiseWindow *self, ShardwiseAdvisor *advisor);
void
shardwise_window_set_scenario (ShardwiseWindow *self, ShardwiseScenario *scenario, GFile *file);
void shardwise_window_set_import (ShardwiseWindow *self, ShardwiseImport *import);

/* ---- view ---- */
gboolean shardwise_window_is_closed (ShardwiseWindow *self);
void shardwise_window_show_start (ShardwiseWindow *self);
ShardwisePage *shardwise_window_get_page (ShardwiseWindow *self, const char *name);
gboolean shardwise_window_set_page (ShardwiseWindow *self, const char *name);
void shardwise_window_reveal (AdwFlap *flap, gboolean reveal);
void shardwise_window_focus_ask (ShardwiseWindow *self);
void shardwise_window_toast (ShardwiseWindow *self, const char *text);

/* Lays out the content of a window: one child that fills it, and scrolls if it is too tall.
 * Requests no height for width: with such content, GTK measures every text at a dozen widths on
 * each change to find the smallest window size. */
#define SHARDWISE_TYPE_WINDOW_LAYOUT (shardwise_window_layout_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseWindowLayout, shardwise_window_layout, SHARDWISE, WINDOW_LAYOUT,
                      GtkLayoutManager)

G_END_DECLS
