/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include <glib-object.h>
#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What libadwaita 1.4 and GTK 4.10 replace is used only here. */

/* Called with the file, or NULL where the user dismissed the dialog. */
typedef void (*ShardwiseFileFunc) (GFile *file, gpointer data);
typedef void (*ShardwiseFilesFunc) (GPtrArray *files, gpointer data); /* of GFile */
/* Called with the id of the response; "cancel" where the user dismissed the dialog. */
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
void shardwise_compat_tell (GtkWindow *parent, const char *heading, const char *body);
void shardwise_compat_show_about (GtkWindow *parent);
char *shardwise_compat_release_notes (const char *metainfo, gssize length, char **version);
gboolean shardwise_compat_show_help (const char *topic);
void shardwise_compat_show_chosen (GtkDropDown *drop_down);
void shardwise_compat_search_anywhere (GtkDropDown *drop_down);
void shardwise_compat_set_words (GtkDropDown *list, const char *const *words);
void shardwise_compat_let_go_of_focus (GtkWidget *widget);
void shardwise_compat_keep_focus_in_sight (GtkWindow *window);
void shardwise_compat_unparent_children (GtkWidget *widget);
void shardwise_compat_empty_list (GtkListBox *list);
void shardwise_compat_close_popovers (GtkWidget *widget);
void shardwise_compat_outlive_editing (GtkWidget *label);
void shardwise_compat_ellipsize (GtkWidget *label);
AdwToast *shardwise_compat_toast (AdwToastOverlay *overlay, const char *text);
void shardwise_compat_empty_menu (GMenu *menu);
char *shardwise_compat_menu_label (const char *text);

/* Names of models and GPUs, found by what is typed: words in any order, numbers from their
 * start. */
GtkFilter *shardwise_name_search_new (GtkExpression *name);
void shardwise_name_search_set_text (GtkFilter *search, const char *text);

/* An object for a callback that must not keep it. */
GWeakRef *shardwise_weak_new (gpointer object);
gpointer shardwise_weak_take (GWeakRef *weak); /* (transfer full) (nullable) */

/* What went wrong after the window that it concerns was closed: a file, a journal or a note that a
 * thread was still writing. It is told by a notification of the desktop, which stays until it is
 * read, and on the standard error stream. Who may still have the window gives its toasts, which are
 * preferred; a message of a dialog is not for here.
 *
 * name: of what was being saved, as people read it: shardwise_file_name(), "journal.db". error: why
 * it was not. */
/* the window is gone */
void shardwise_late_error_tell (const char *name, const GError *error);
/* toasts: (nullable) */
void shardwise_late_error_tell_on (AdwToastOverlay *toasts, const char *name, const GError *error);

void shardwise_wheel_pass_on (GtkScrolledWindow *window);

G_END_DECLS
