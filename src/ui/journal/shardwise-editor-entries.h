/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What stands in the texts, entries and lists of an editor, in their order. */
char **shardwise_editor_entries_get (GtkWidget *editor);
void shardwise_editor_entries_set (GtkWidget *editor, const char *const *texts);
void shardwise_editor_entries_watch (GtkWidget *editor, GCallback changed, gpointer object);

G_END_DECLS
