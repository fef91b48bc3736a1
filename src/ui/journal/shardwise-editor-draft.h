/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What is being entered in an editor outlives the program, as documents do: a draft each. */

/* Returns: (transfer none) (nullable): an editor of that kind as it is when nothing was entered
 * yet, on the screen; NULL: it cannot be made now */
typedef GtkWindow *(*ShardwiseEditorFunc) (const char *kind, const char *subject, const char *label,
                                           gpointer data);

void shardwise_editor_draft_begin (GtkWindow *editor, const char *kind, const char *subject,
                                   const char *label);
gboolean shardwise_editor_drafts_exist (void);
void shardwise_editor_drafts_restore (ShardwiseEditorFunc func, gpointer data);

G_END_DECLS
