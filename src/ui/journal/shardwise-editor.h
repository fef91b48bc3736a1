/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include <glib-object.h>

G_BEGIN_DECLS

/* A window with texts, entries and lists that a button saves. Closing it asks first if there are
 * unsaved entries, and waits for a save in progress. Entries are kept as a draft that survives a
 * crash, like those of documents. */
#define SHARDWISE_TYPE_EDITOR (shardwise_editor_get_type ())
G_DECLARE_DERIVABLE_TYPE (ShardwiseEditor, shardwise_editor, SHARDWISE, EDITOR, AdwWindow)

struct _ShardwiseEditorClass {
  AdwWindowClass parent_class;
};

/* Returns: (transfer none) (nullable): a new editor of that kind, already presented, without
 * entries; NULL: it cannot be created now */
typedef ShardwiseEditor *(*ShardwiseEditorFunc) (const char *kind, const char *subject,
                                                 const char *label, gpointer data);

void shardwise_editor_begin (ShardwiseEditor *self, GtkWidget *page, GtkWidget *save,
                             const char *kind, const char *subject, const char *label);
void shardwise_editor_begin_save (ShardwiseEditor *self);
gboolean shardwise_editor_end_save (ShardwiseEditor *self, const char *name, const GError *error);
gboolean shardwise_editor_settle (ShardwiseEditor *self);
void shardwise_editor_present (ShardwiseEditor *self, GtkWindow *parent);

gboolean shardwise_editor_drafts_exist (void);
void shardwise_editor_drafts_restore (ShardwiseEditorFunc func, gpointer data);

/* A reference for callbacks that must not keep the object alive. */
GWeakRef *shardwise_weak_new (gpointer object);
gpointer shardwise_weak_take (GWeakRef *weak);

G_END_DECLS
