/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-compat.h"

#include <glib/gi18n.h>

#include "shardwise-catalogue.h"
#include "shardwise-config.h"
#include "shardwise-text-estimate.h"

/* As in the metainfo. */
#define WEBSITE "https://shardwise.github.io"
#define ISSUES "https://github.com/shardwise/shardwise/issues"

typedef struct {
  ShardwiseFileFunc func;
  gpointer data;
} FileRequest;

typedef struct {
  ShardwiseFilesFunc func;
  gpointer data;
} FilesRequest;

static void
file_response_cb (GtkNativeDialog *dialog, int response, FileRequest *request)
{
  g_autoptr (GFile) file = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  request->func (file, request->data);
  g_free (request);
  g_object_unref (dialog);
}

static void
files_response_cb (GtkNativeDialog *dialog, int response, FilesRequest *request)
{
  g_autoptr (GListModel) chosen = NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);

  if (response == GTK_RESPONSE_ACCEPT)
    chosen = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog));
  for (guint i = 0; chosen != NULL && i < g_list_model_get_n_items (chosen); i++)
    g_ptr_array_add (files, g_list_model_get_item (chosen, i));
  request->func (files, request->data);
  g_free (request);
  g_object_unref (dialog);
}

static void
add_filter (GtkFileChooser *chooser, const char *name, const char *const *suffixes)
{
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, name);
  for (guint i = 0; suffixes[i] != NULL; i++)
    gtk_file_filter_add_suffix (filter, suffixes[i]);
  if (suffixes[0] == NULL)
    gtk_file_filter_add_pattern (filter, "*");
  gtk_file_chooser_add_filter (chooser, filter);
}

static void
run_chooser (GtkFileChooserNative *dialog, ShardwiseFileFunc func, gpointer data)
{
  FileRequest *request = g_new (FileRequest, 1);

  *request = (FileRequest){ func, data };
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect (dialog, "response", G_CALLBACK (file_response_cb), request);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* Of a scenario, or the configuration of a model or a job. */
static GtkFileChooserNative *
new_open_dialog (GtkWindow *parent, const char *title)
{
  static const char *const readable[] = { "shardwise", "json",   "yaml",  "yml", "toml", "sh",
                                          "bash",      "sbatch", "slurm", "py",  NULL };
  static const char *const models[] = { "json", NULL };
  static const char *const jobs[] = { "json", "yaml",   "yml",   "toml", "sh",
                                      "bash", "sbatch", "slurm", "py",   NULL };
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      title, parent, GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Open"), _ ("_Cancel"));

  add_filter (GTK_FILE_CHOOSER (dialog), _ ("All supported files"), readable);
  add_filter (GTK_FILE_CHOOSER (dialog), _ ("Shardwise scenarios"),
              (const char *const[]){ "shardwise", NULL });
  add_filter (GTK_FILE_CHOOSER (dialog), _ ("Models (config.json, params.json)"), models);
  add_filter (GTK_FILE_CHOOSER (dialog), _ ("Training jobs"), jobs);
  add_filter (GTK_FILE_CHOOSER (dialog), _ ("All files"), (const char *const[]){ NULL });
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  return dialog;
}

/**
 * shardwise_compat_open_file:
 * @parent: (nullable): the window that asks
 * @title: of the dialog, translated
 * @func: called once, with a file or %NULL
 * @data: for @func
 *
 * Lets the user choose a scenario, or the configuration of a model or a job.
 */
void
shardwise_compat_open_file (GtkWindow *parent, const char *title, ShardwiseFileFunc func,
                            gpointer data)
{
  g_return_if_fail (func != NULL);

  run_chooser (new_open_dialog (parent, title), func, data);
}

/**
 * shardwise_compat_open_files:
 * @parent: (nullable): the window that asks
 * @title: of the dialog, translated
 * @func: called once, with the files, which may be none
 * @data: for @func
 *
 * Lets the user choose a scenario, or the files of a model or a job.
 */
void
shardwise_compat_open_files (GtkWindow *parent, const char *title, ShardwiseFilesFunc func,
                             gpointer data)
{
  GtkFileChooserNative *dialog = new_open_dialog (parent, title);
  FilesRequest *request = g_new (FilesRequest, 1);

  g_return_if_fail (func != NULL);

  *request = (FilesRequest){ func, data };
  gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (dialog), TRUE);
  g_signal_connect (dialog, "response", G_CALLBACK (files_response_cb), request);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/**
 * shardwise_compat_save_file:
 * @parent: (nullable): the window that asks
 * @title: of the dialog, translated
 * @folder: (nullable): where the dialog begins
 * @name: a suggested file name
 * @func: called once, with a file or %NULL
 * @data: for @func
 *
 * Lets the user choose where to save; the dialog asks before it gives an existing file.
 */
void
shardwise_compat_save_file (GtkWindow *parent, const char *title, GFile *folder, const char *name,
                            ShardwiseFileFunc func, gpointer data)
{
  GtkFileChooserNative *dialog;

  g_return_if_fail (func != NULL);

  dialog = gtk_file_chooser_native_new (title, parent, GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"),
                                        _ ("_Cancel"));
  if (folder != NULL)
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder, NULL);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  run_chooser (dialog, func, data);
}

/**
 * shardwise_compat_choose_folder:
 * @parent: (nullable): the window that asks
 * @title: of the dialog, translated
 * @func: called once, with a folder or %NULL
 * @data: for @func
 */
void
shardwise_compat_choose_folder (GtkWindow *parent, const char *title, ShardwiseFileFunc func,
                                gpointer data)
{
  g_return_if_fail (func != NULL);

  run_chooser (gtk_file_chooser_native_new (title, parent, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                                            _ ("_Select"), _ ("_Cancel")),
               func, data);
}

typedef struct {
  ShardwiseAnswerFunc func;
  gpointer data;
  GDestroyNotify destroy; /* (nullable): func has not got the data yet */
} AskRequest;

/* The dialog is closed, but lives until its signal is over. GTK 4.8 leaves such a one the pointer to
 * its parent, which the answer may free. */
static void
ask_response_cb (AdwMessageDialog *dialog, const char *response, AskRequest *request)
{
  gtk_window_set_transient_for (GTK_WINDOW (dialog), NULL);
  request->destroy = NULL;
  request->func (response, request->data);
}

static void
ask_request_free (gpointer data, GClosure *closure)
{
  AskRequest *request = data;

  if (request->destroy != NULL)
    request->destroy (request->data);
  g_free (request);
}

/**
 * shardwise_compat_ask:
 * @parent: (nullable): the window that asks; the dialog goes with it, without an answer
 * @heading: the question, translated
 * @body: what hangs on it, translated; "" if the question says it all
 * @responses: the answers; "cancel" is what closing the dialog means, the last one is the default,
 *   but nothing is destroyed by Enter alone: then it is "cancel"
 * @n_responses: how many
 * @func: called with the answer
 * @data: for @func, which takes it over
 * @destroy: (nullable): frees @data if the dialog closes without an answer
 *
 * Returns: (transfer none): the dialog
 */
GtkWindow *
shardwise_compat_ask (GtkWindow *parent, const char *heading, const char *body,
                      const ShardwiseResponse *responses, guint n_responses,
                      ShardwiseAnswerFunc func, gpointer data, GDestroyNotify destroy)
{
  g_autofree char *text =
      g_markup_printf_escaped ("<span size='x-large' weight='800'>%s</span>%s%s", heading,
                               *body != '\0' ? "\n\n" : "", body);
  const ShardwiseResponse *last = &responses[n_responses - 1];
  GtkWidget *dialog;
  AskRequest *request;

  g_return_val_if_fail (func != NULL, NULL);
  g_return_val_if_fail (n_responses > 0, NULL);

  /* The dialog's own heading is measured narrower than it can be, of which GTK 4.18 warns */
  dialog = adw_message_dialog_new (parent, NULL, text);
  gtk_window_set_destroy_with_parent (GTK_WINDOW (dialog), TRUE);
  adw_message_dialog_set_body_use_markup (ADW_MESSAGE_DIALOG (dialog), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (dialog), GTK_ACCESSIBLE_PROPERTY_LABEL, heading,
                                  -1);
  request = g_new (AskRequest, 1);
  *request = (AskRequest){ func, data, destroy };
  for (guint i = 0; i < n_responses; i++)
    {
      adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), responses[i].id,
                                       responses[i].label);
      adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), responses[i].id,
                                                  responses[i].appearance);
    }
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog),
                                           last->appearance == ADW_RESPONSE_DESTRUCTIVE ? "cancel"
                                                                                        : last->id);
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect_data (dialog, "response", G_CALLBACK (ask_response_cb), request,
                         ask_request_free, 0);
  gtk_window_present (GTK_WINDOW (dialog));
  return GTK_WINDOW (dialog);
}

/**
 * shardwise_compat_add_to_question:
 * @dialog: of shardwise_compat_ask()
 * @child: what stands below its text
 */
void
shardwise_compat_add_to_question (GtkWindow *dialog, GtkWidget *child)
{
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (dialog), child);
}

static void
ignore_answer (const char *response, gpointer data)
{}

/**
 * shardwise_compat_tell:
 * @parent: (nullable): the window it concerns
 * @heading: what happened, translated
 * @body: where and what is accepted, translated
 */
void
shardwise_compat_tell (GtkWindow *parent, const char *heading, const char *body)
{
  const ShardwiseResponse close = { "cancel", _ ("_Close"), ADW_RESPONSE_DEFAULT };

  shardwise_compat_ask (parent, heading, body, &close, 1, ignore_answer, NULL, NULL);
}

/**
 * shardwise_compat_show_about:
 * @parent: (nullable): the window it belongs to
 * @version: (nullable): of the release that @notes are about
 * @notes: (nullable): what is new in it, with the elements that an about window takes
 */
void
shardwise_compat_show_about (GtkWindow *parent, const char *version, const char *notes)
{
  g_autofree char *debug = g_strdup_printf (
      "Shardwise %s\nGTK %u.%u.%u\nlibadwaita %u.%u.%u\nGLib %u.%u.%u\n", PACKAGE_VERSION,
      gtk_get_major_version (), gtk_get_minor_version (), gtk_get_micro_version (),
      adw_get_major_version (), adw_get_minor_version (), adw_get_micro_version (),
      glib_major_version, glib_minor_version, glib_micro_version);
  g_autofree char *accuracy = shardwise_text_accuracy (
                      &shardwise_catalogue_calibration (shardwise_catalogue_get ())->accuracy[0]),
                  *comments = NULL;
  const char *const developers[] = { _ ("The Shardwise developers"), NULL };

  comments = g_strconcat (_ ("How to split the training of a large model over a GPU cluster, why, "
                             "and what it will cost."),
                          "\n\n", accuracy, NULL);

  adw_show_about_window (
      parent, "application-name", "Shardwise", "application-icon", APPLICATION_ID, "version",
      PACKAGE_VERSION, "developer-name", developers[0], "developers", developers, "website",
      WEBSITE, "issue-url", ISSUES, "license-type", GTK_LICENSE_GPL_3_0, "comments", comments,
      /* Translators: put your names here, one on each line */
      "translator-credits", _ ("translator-credits"), "debug-info", debug, "debug-info-filename",
      "shardwise-debug.txt", "release-notes-version", version, "release-notes", notes, NULL);
}
