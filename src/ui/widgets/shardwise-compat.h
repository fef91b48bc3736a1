/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include <glib-object.h>
#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Dialogs: the only place for APIs that libadwaita 1.4 to 1.6 and GTK 4.10 replace. */

/* file: NULL if the user closed the dialog. */
typedef void (*ShardwiseFileFunc) (GFile *file, gpointer data);
typedef void (*ShardwiseFilesFunc) (GPtrArray *files, gpointer data); /* of GFile */
/* response: its id; "cancel" if the user closed the dialog. */
typedef void (*ShardwiseAnswerFunc) (const char *response, gpointer data);

typedef struct {
  const char *id, *label; /* label: with mnemonic */
  AdwResponseAppearance appearance;
} ShardwiseResponse;

void shardwise_compat_open_files (GtkWindow *parent, const char *title, ShardwiseFilesFunc func,
                                  gpointer data);
void shardwise_compat_open_file (GtkWindow *parent, const char *title, ShardwiseFileFunc func,
                                 gpointer data);
void shardwise_compat_save_file (GtkWindow *parent, const char *title, GFile *folder,
                                 const char *name, ShardwiseFileFunc func, gpointer data);
void shardwise_compat_choose_folder (GtkWindow *parent, const char *title, ShardwiseFileFunc func,
                                     gpointer data);
GtkWindow *shardwise_compat_ask (GtkWindow *parent, const char *heading, const char *body,
                                 const ShardwiseResponse *responses, guint n_responses,
                                 ShardwiseAnswerFunc func, gpointer data, GDestroyNotify destroy);
void shardwise_compat_add_to_question (GtkWindow *dialog, GtkWidget *child);
void shardwise_compat_tell (GtkWindow *parent, const char *heading, const char *body);
void shardwise_compat_show_about (GtkWindow *parent, const char *version, const char *notes);

G_END_DECLS
