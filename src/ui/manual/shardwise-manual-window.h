/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include <adwaita.h>

G_BEGIN_DECLS

/* The manual in a window of the program, for sandboxes and machines without a help viewer. */
#define SHARDWISE_TYPE_MANUAL_WINDOW (shardwise_manual_window_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseManualWindow, shardwise_manual_window, SHARDWISE, MANUAL_WINDOW,
                      AdwWindow)

GtkWidget *shardwise_manual_window_new (void);
void shardwise_manual_window_open (ShardwiseManualWindow *self, const char *topic);

/* Returns: the manual page about a widget */
const char *shardwise_help_topic (GtkWidget *focus);
const char *const *shardwise_help_topics (void);

G_END_DECLS
