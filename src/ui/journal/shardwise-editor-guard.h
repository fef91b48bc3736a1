/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Asks before a window with entries that are saved by a button is closed without them. */
void shardwise_editor_guard (GtkWindow *window, GtkWidget *page, GtkWidget *save);
void shardwise_editor_guard_begin_save (GtkWindow *window);
gboolean shardwise_editor_guard_end_save (GtkWindow *window, const char *name, const GError *error);
gboolean shardwise_editor_guard_settle (GtkWindow *window);
void shardwise_editor_present (GtkWindow *editor, GtkWindow *parent);

G_END_DECLS
