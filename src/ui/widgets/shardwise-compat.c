/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-compat.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-config.h"
#include "shardwise-format.h"

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

  add_filter (GTK_FILE_CHOOSER (dialog), _ ("All that can be opened"), readable);
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
 * @body: what hangs on it, translated; "" where the question says it all
 * @responses: the answers; "cancel" is what closing the dialog means, the last one is the default,
 *   but nothing is destroyed by Enter alone: then it is "cancel"
 * @n_responses: how many
 * @func: called with the answer
 * @data: for @func, which takes it over
 * @destroy: (nullable): frees @data where the dialog goes without an answer
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

/* What is new in a version: from the metainfo, which shops of software read too. */

typedef struct {
  GString *notes;
  GString *block;     /* (nullable): the paragraph or item of a list that is being read */
  char *version;      /* (nullable): of the first release, which is the newest */
  gboolean is_inside; /* its description */
  gboolean is_over;   /* that release */
} NotesReader;

/* All that metainfo may hold in a description, and all that libadwaita shows. */
static const char *const blocks[] = { "p", "li", NULL };
static const char *const lists[] = { "ul", "ol", NULL };
static const char *const inlines[] = { "em", "code", NULL };

static void
notes_start_cb (GMarkupParseContext *context, const char *name, const char **keys,
                const char **values, gpointer data, GError **error)
{
  NotesReader *self = data;

  if (g_str_equal (name, "release") && self->version == NULL)
    for (guint i = 0; keys[i] != NULL; i++)
      if (g_str_equal (keys[i], "version"))
        self->version = g_strdup (values[i]);
  if (g_str_equal (name, "description") && self->version != NULL && !self->is_over)
    self->is_inside = TRUE;
  else if (!self->is_inside)
    return;
  else if (g_strv_contains (blocks, name))
    self->block = g_string_new (NULL);
  else if (g_strv_contains (lists, name))
    g_string_append_printf (self->notes, "<%s>", name);
  else if (self->block != NULL && g_strv_contains (inlines, name))
    g_string_append_printf (self->block, "<%s>", name);
}

static void
notes_end_cb (GMarkupParseContext *context, const char *name, gpointer data, GError **error)
{
  NotesReader *self = data;

  self->is_over |= g_str_equal (name, "release");
  if (!self->is_inside)
    return;
  if (g_str_equal (name, "description"))
    self->is_inside = FALSE;
  else if (self->block != NULL && g_strv_contains (blocks, name))
    {
      /* A block is one of the program's translated messages, in a line as xgettext joins it. */
      g_autofree char *text = shardwise_text_join (self->block->str);

      g_string_free (g_steal_pointer (&self->block), TRUE);
      if (*text != '\0') /* its translation is the catalogue's header */
        g_string_append_printf (self->notes, "<%s>%s</%s>", name, _ (text), name);
    }
  else if (g_strv_contains (lists, name))
    g_string_append_printf (self->notes, "</%s>", name);
  else if (self->block != NULL && g_strv_contains (inlines, name))
    g_string_append_printf (self->block, "</%s>", name);
}

/* As in the file and in the messages: quotes and apostrophes as they are. */
static void
notes_text_cb (GMarkupParseContext *context, const char *text, gsize length, gpointer data,
               GError **error)
{
  NotesReader *self = data;

  for (gsize i = 0; self->block != NULL && i < length; i++)
    if (text[i] == '&')
      g_string_append (self->block, "&amp;");
    else if (text[i] == '<')
      g_string_append (self->block, "&lt;");
    else if (text[i] == '>')
      g_string_append (self->block, "&gt;");
    else
      g_string_append_c (self->block, text[i]);
}

/**
 * shardwise_compat_release_notes:
 * @metainfo: the text of a metainfo file, untranslated; releases newest first
 * @length: its bytes, or -1
 * @version: (out) (transfer full) (nullable): of the release that the notes are about
 *
 * Returns: (transfer full) (nullable): the notes of the newest release, translated, with the
 * elements that an about window takes: p, ul, ol, li, em and code; %NULL where the file has none
 */
char *
shardwise_compat_release_notes (const char *metainfo, gssize length, char **version)
{
  static const GMarkupParser parser = { .start_element = notes_start_cb,
                                        .end_element = notes_end_cb,
                                        .text = notes_text_cb };
  g_autoptr (GString) notes = g_string_new (NULL);
  NotesReader reader = { .notes = notes };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, &reader, NULL);
  gboolean is_whole = g_markup_parse_context_parse (context, metainfo, length, NULL)
                      && g_markup_parse_context_end_parse (context, NULL);

  if (reader.block != NULL)
    g_string_free (reader.block, TRUE);
  if (!is_whole || notes->len == 0)
    g_clear_pointer (&reader.version, g_free);
  *version = reader.version;
  return reader.version != NULL ? g_strdup (notes->str) : NULL;
}

/**
 * shardwise_compat_show_about:
 * @parent: (nullable): the window it belongs to
 */
void
shardwise_compat_show_about (GtkWindow *parent)
{
  g_autofree char *debug = g_strdup_printf (
      "Shardwise %s\nGTK %u.%u.%u\nlibadwaita %u.%u.%u\nGLib %u.%u.%u\n", PACKAGE_VERSION,
      gtk_get_major_version (), gtk_get_minor_version (), gtk_get_micro_version (),
      adw_get_major_version (), adw_get_minor_version (), adw_get_micro_version (),
      glib_major_version, glib_minor_version, glib_micro_version);
  const char *const developers[] = { _ ("The Shardwise developers"), NULL };
  g_autoptr (GBytes) metainfo = g_resources_lookup_data (APPLICATION_PATH "/metainfo.xml", 0, NULL);
  g_autofree char *version = NULL, *notes = NULL;

  notes = shardwise_compat_release_notes (g_bytes_get_data (metainfo, NULL),
                                          (gssize) g_bytes_get_size (metainfo), &version);
  adw_show_about_window (
      parent, "application-name", "Shardwise", "application-icon", APPLICATION_ID, "version",
      PACKAGE_VERSION, "developer-name", developers[0], "developers", developers, "website",
      WEBSITE, "issue-url", ISSUES, "license-type", GTK_LICENSE_GPL_3_0, "comments",
      _ ("How to split the training of a large model over a GPU cluster, why, "
         "and what it will cost."),
      /* Translators: put your names here, one on each line */
      "translator-credits", _ ("translator-credits"), "debug-info", debug, "debug-info-filename",
      "shardwise-debug.txt", "release-notes-version", version, "release-notes", notes, NULL);
}

/* Whether the manual lies where help viewers look for it. */
static gboolean
has_manual (void)
{
  const char *const *folders = g_get_system_data_dirs ();

  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autofree char *index = g_build_filename (folders[i], "help", "C", "shardwise", "index.page",
                                                 NULL);

      if (g_file_test (index, G_FILE_TEST_EXISTS))
        return TRUE;
    }
  return FALSE;
}

/**
 * shardwise_compat_show_help:
 * @topic: (nullable): a page of the manual or a section of one; %NULL: its contents
 *
 * Shows the manual in the desktop's help viewer.
 *
 * Returns: whether there is one that was started; never in a sandbox, where none is sure to have
 *   the manual
 */
gboolean
shardwise_compat_show_help (const char *topic)
{
  g_autoptr (GAppInfo) viewer = g_app_info_get_default_for_uri_scheme ("help");
  g_autofree char *uri = topic != NULL ? g_strdup_printf ("help:shardwise/%s", topic)
                                       : g_strdup ("help:shardwise");

  return viewer != NULL && has_manual () && !g_file_test ("/.flatpak-info", G_FILE_TEST_EXISTS)
         && g_app_info_launch_default_for_uri (uri, NULL, NULL);
}

/**
 * shardwise_compat_let_go_of_focus:
 * @widget: what is being hidden
 *
 * Takes the focus from @widget and what is in it. GTK 4.8 holds what is hidden with the focus in it
 * until the next frame, and for ever where something else goes before with the same focus.
 */
void
shardwise_compat_let_go_of_focus (GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus != NULL && (focus == widget || gtk_widget_is_ancestor (focus, widget)))
    gtk_root_set_focus (root, NULL);
}

/* A stack gives the focus back to what had it last, in a popover that has closed since, too. */
static void
focus_moved_cb (GtkWindow *window, GParamSpec *pspec, GSignalGroup *unmapping)
{
  GtkWidget *focus = gtk_window_get_focus (window);

  g_signal_group_set_target (unmapping, focus);
  if (focus != NULL && !gtk_widget_is_visible (focus)
      && gtk_widget_get_mapped (GTK_WIDGET (window)))
    shardwise_compat_let_go_of_focus (focus);
}

/**
 * shardwise_compat_keep_focus_in_sight:
 * @window: a window
 *
 * Sees to it that nothing has the focus that is hidden, until GTK finds the next to have it with
 * the next frame.
 */
void
shardwise_compat_keep_focus_in_sight (GtkWindow *window)
{
  GSignalGroup *unmapping;

  g_return_if_fail (GTK_IS_WINDOW (window));
  if (g_object_get_data (G_OBJECT (window), "shardwise-unmapping") != NULL)
    return;

  unmapping = g_signal_group_new (GTK_TYPE_WIDGET);
  g_signal_group_connect (unmapping, "unmap", G_CALLBACK (shardwise_compat_let_go_of_focus), NULL);
  g_signal_connect (window, "notify::focus-widget", G_CALLBACK (focus_moved_cb), unmapping);
  g_object_set_data_full (G_OBJECT (window), "shardwise-unmapping", unmapping, g_object_unref);
}

/**
 * shardwise_compat_unparent_children:
 * @widget: what is disposed of
 *
 * Lets go of all children of a widget that has them of its own, as a template does.
 */
void
shardwise_compat_unparent_children (GtkWidget *widget)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (widget)) != NULL)
    gtk_widget_unparent (child);
}

/**
 * shardwise_compat_empty_list:
 * @list: a list
 *
 * Removes its rows; a placeholder stays. GTK 4.12 has a function for it.
 */
void
shardwise_compat_empty_list (GtkListBox *list)
{
  GtkListBoxRow *row;

  while ((row = gtk_list_box_get_row_at_index (list, 0)) != NULL)
    gtk_list_box_remove (list, GTK_WIDGET (row));
}

/**
 * shardwise_compat_close_popovers:
 * @widget: what goes away
 *
 * Closes every popover in @widget, those of pages that were left meanwhile too. GTK 4.8 never frees
 * one that is open when its window goes.
 */
void
shardwise_compat_close_popovers (GtkWidget *widget)
{
  GtkWidget *next;

  g_return_if_fail (GTK_IS_WIDGET (widget));

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = next)
    {
      next = gtk_widget_get_next_sibling (child);
      shardwise_compat_close_popovers (child);
    }
  if (GTK_IS_POPOVER (widget))
    gtk_widget_set_visible (widget, FALSE);
}

static gboolean
outlived_cb (gpointer data)
{
  return G_SOURCE_REMOVE;
}

/**
 * shardwise_compat_outlive_editing:
 * @label: a #GtkEditableLabel that goes away
 *
 * A label that loses the focus ends its editing a tenth of a second later, and in GTK 4.8 nothing
 * keeps it until then: it crashes where its window is closed meanwhile.
 */
void
shardwise_compat_outlive_editing (GtkWidget *label)
{
  g_return_if_fail (GTK_IS_EDITABLE_LABEL (label));

  g_timeout_add_full (G_PRIORITY_LOW, 300, outlived_cb, g_object_ref (label), g_object_unref);
}

static void
ellipsize (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget))
    gtk_label_set_ellipsize (GTK_LABEL (widget), PANGO_ELLIPSIZE_END);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    ellipsize (child);
}

/**
 * shardwise_compat_ellipsize:
 * @label: a #GtkEditableLabel
 *
 * Cuts a text that is too long for its place, which GTK leaves out: the label, and all beside it,
 * would be as wide as the text.
 */
void
shardwise_compat_ellipsize (GtkWidget *label)
{
  g_return_if_fail (GTK_IS_EDITABLE_LABEL (label));

  ellipsize (label);
}

/* ---- toasts ---- */

/* An overlay of toasts and when the animation of its latest one began. */
typedef struct {
  gint64 shown_at;    /* microseconds of the frame clock */
  gboolean is_over;   /* a frame has ended that animation */
  guint tick;         /* until then */
  GPtrArray *waiting; /* of AdwToast: those to be dismissed then */
} ToastTimes;

static void
toast_times_free (gpointer data)
{
  ToastTimes *times = data;

  g_ptr_array_unref (times->waiting);
  g_free (times);
}

static ToastTimes *
get_times (AdwToastOverlay *overlay)
{
  static const char key[] = "shardwise-toast-times";
  ToastTimes *times = g_object_get_data (G_OBJECT (overlay), key);

  if (times == NULL)
    {
      times = g_new0 (ToastTimes, 1);
      times->waiting = g_ptr_array_new_with_free_func (g_object_unref);
      g_object_set_data_full (G_OBJECT (overlay), key, times, toast_times_free);
    }
  return times;
}

/* The callback that ends the animation is of the same frame, before this or after: one more
 * passes. */
static gboolean
toast_tick_cb (GtkWidget *overlay, GdkFrameClock *clock, gpointer data)
{
  enum { LONGEST_US = 520 * 1000 }; /* 500 ms, and 20 for what was rounded */
  ToastTimes *times = data;
  g_autoptr (GPtrArray) waiting = NULL;

  if (!times->is_over)
    {
      times->is_over = gdk_frame_clock_get_frame_time (clock) - times->shown_at > LONGEST_US;
      return G_SOURCE_CONTINUE;
    }
  times->tick = 0;
  waiting = g_steal_pointer (&times->waiting);
  times->waiting = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < waiting->len; i++)
    g_signal_emit_by_name (waiting->pdata[i], "dismissed"); /* a toast asks but once by itself */
  return G_SOURCE_REMOVE;
}

static void
toast_is_shown (AdwToastOverlay *overlay)
{
  ToastTimes *times = get_times (overlay);
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (overlay));

  if (clock == NULL || !gtk_widget_get_mapped (GTK_WIDGET (overlay)))
    return; /* nothing is animated */
  times->shown_at = gdk_frame_clock_get_frame_time (clock);
  times->is_over = FALSE;
  if (times->tick == 0)
    times->tick = gtk_widget_add_tick_callback (GTK_WIDGET (overlay), toast_tick_cb, times, NULL);
}

/* Called before the overlay is told; the next toast of its queue takes the place of this one. */
static void
toast_dismissed_cb (AdwToast *toast, AdwToastOverlay *overlay)
{
  ToastTimes *times = get_times (overlay);

  if (times->tick == 0 || !gtk_widget_get_mapped (GTK_WIDGET (overlay)))
    {
      toast_is_shown (overlay);
      return;
    }
  g_signal_stop_emission_by_name (toast, "dismissed");
  adw_toast_set_button_label (toast, NULL); /* what it offers has been taken */
  g_ptr_array_add (times->waiting, g_object_ref (toast));
}

/**
 * shardwise_compat_toast:
 * @overlay: where it is shown
 * @text: what happened, translated; no markup
 *
 * Shows a short message. Before libadwaita 1.3, an overlay frees a toast whose animation of
 * appearing still runs where it is dismissed in its first fifth of a second, as by the second of
 * two quick clicks on the buttons of two toasts, and crashes when that animation ends: there,
 * toasts wait with going away until they have appeared.
 *
 * Returns: (transfer none): the message, for a button
 */
AdwToast *
shardwise_compat_toast (AdwToastOverlay *overlay, const char *text)
{
  g_autofree char *escaped = NULL;
  AdwToast *toast;

  g_return_val_if_fail (ADW_IS_TOAST_OVERLAY (overlay), NULL);
  g_return_val_if_fail (text != NULL, NULL);

  escaped = g_markup_escape_text (text, -1);
  toast = adw_toast_new (escaped);
  if (adw_get_major_version () == 1 && adw_get_minor_version () < 3)
    {
      g_signal_connect_object (toast, "dismissed", G_CALLBACK (toast_dismissed_cb), overlay, 0);
      toast_is_shown (overlay);
    }
  adw_toast_overlay_add_toast (overlay, toast);
  return toast;
}

/**
 * shardwise_compat_empty_menu:
 * @menu: what a menu button showed
 *
 * Takes everything out of a menu, its sections and its submenus. GTK 4.8 never frees the sections
 * of a menu that a button has: what stands in them, most of it, goes so.
 */
void
shardwise_compat_empty_menu (GMenu *menu)
{
  GMenuModel *model = G_MENU_MODEL (menu);

  g_return_if_fail (G_IS_MENU (menu));

  for (int i = 0; i < g_menu_model_get_n_items (model); i++)
    {
      g_autoptr (GMenuLinkIter) links = g_menu_model_iterate_item_links (model, i);

      while (g_menu_link_iter_next (links))
        {
          g_autoptr (GMenuModel) inner = g_menu_link_iter_get_value (links);

          if (G_IS_MENU (inner))
            shardwise_compat_empty_menu (G_MENU (inner));
        }
    }
  g_menu_remove_all (menu);
}

/**
 * shardwise_compat_menu_label:
 * @text: the name of a file, or what the user typed
 *
 * Returns: (transfer full): the label of a menu item that reads so, underlines too, which would
 *   otherwise name the letter behind them as a shortcut
 */
char *
shardwise_compat_menu_label (const char *text)
{
  GString *label = g_string_new (text);

  g_string_replace (label, "_", "__", 0);
  return g_string_free (label, FALSE);
}

/* What GtkDropDown leaves out, in GTK 4.8 or in all. */

static GtkWidget *
find_descendant (GtkWidget *widget, GType type)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = g_type_is_a (G_OBJECT_TYPE (child), type) ? child
                                                                   : find_descendant (child, type);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static GtkSelectionModel *
lines_of (GtkDropDown *drop_down)
{
  GtkWidget *list = find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_LIST_VIEW);

  return list != NULL ? gtk_list_view_get_model (GTK_LIST_VIEW (list)) : NULL;
}

static const char *
searched (GtkDropDown *drop_down)
{
  GtkWidget *entry = find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_SEARCH_ENTRY);

  return gtk_editable_get_text (GTK_EDITABLE (entry));
}

static void
typed_cb (GtkEditable *entry, GtkFilter *filter)
{
  shardwise_name_search_set_text (filter, gtk_editable_get_text (entry));
}

/* While something is searched for, the first line found is the one to take; GTK would mark the one
 * that came after what is chosen. */
static void
found_cb (GtkDropDown *drop_down)
{
  GtkSelectionModel *lines = lines_of (drop_down);
  GtkWidget *button = gtk_widget_get_first_child (GTK_WIDGET (drop_down));
  const gboolean searches = *searched (drop_down) != '\0';
  const guint chosen = searches ? 0 : gtk_drop_down_get_selected (drop_down);

  /* As the list closes GTK forgets what was searched for, and takes the line that is marked. */
  if (!gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (button))
      || chosen >= g_list_model_get_n_items (G_LIST_MODEL (lines)))
    return;
  gtk_selection_model_select_item (lines, chosen, TRUE);
  gtk_widget_activate_action (find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_LIST_VIEW),
                              "list.scroll-to-item", "u", chosen);
}

static gboolean
focus_search_cb (gpointer entry)
{
  if (gtk_widget_get_mapped (entry))
    gtk_widget_grab_focus (entry);
  return G_SOURCE_REMOVE;
}

/* GTK gives the focus to the list, where a space is no letter to search for. */
static void
search_mapped_cb (GtkWidget *entry)
{
  g_idle_add_full (G_PRIORITY_DEFAULT, focus_search_cb, g_object_ref (entry), g_object_unref);
}

/* Enter takes the first line found. */
static void
search_activated_cb (GtkDropDown *drop_down)
{
  if (*searched (drop_down) != '\0'
      && g_list_model_get_n_items (G_LIST_MODEL (lines_of (drop_down))) > 0)
    g_signal_emit_by_name (find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_LIST_VIEW), "activate",
                           0);
}

/* GTK closes the list on Escape with a filter of its own alone. */
static void
search_stopped_cb (GtkWidget *entry)
{
  gtk_popover_popdown (GTK_POPOVER (gtk_widget_get_ancestor (entry, GTK_TYPE_POPOVER)));
}

/**
 * shardwise_compat_search_anywhere:
 * @drop_down: a drop-down with a model, an expression and search
 *
 * Lets the search find the words of a name (shardwise_name_search_new()) where GTK would compare
 * its beginning: the filter is reached through the list of the popover. What is typed while the
 * list is open is searched for, wherever the focus is, spaces too; Enter takes the first line
 * found, Escape none.
 */
void
shardwise_compat_search_anywhere (GtkDropDown *drop_down)
{
  GtkWidget *entry = find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_SEARCH_ENTRY);
  GListModel *model = G_LIST_MODEL (lines_of (drop_down));

  if (GTK_IS_SINGLE_SELECTION (model))
    model = gtk_single_selection_get_model (GTK_SINGLE_SELECTION (model));
  if (entry == NULL)
    return;
  if (GTK_IS_FILTER_LIST_MODEL (model))
    {
      g_autoptr (GtkFilter) filter =
          shardwise_name_search_new (gtk_drop_down_get_expression (drop_down));

      gtk_filter_list_model_set_filter (GTK_FILTER_LIST_MODEL (model), filter);
      g_signal_connect_object (entry, "search-changed", G_CALLBACK (typed_cb), filter, 0);
    }
  gtk_search_entry_set_key_capture_widget (GTK_SEARCH_ENTRY (entry),
                                           gtk_widget_get_ancestor (entry, GTK_TYPE_POPOVER));
  g_signal_connect_object (entry, "search-changed", G_CALLBACK (found_cb), drop_down,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect (entry, "map", G_CALLBACK (search_mapped_cb), NULL);
  g_signal_connect (entry, "stop-search", G_CALLBACK (search_stopped_cb), NULL);
  g_signal_connect_object (entry, "activate", G_CALLBACK (search_activated_cb), drop_down,
                           G_CONNECT_SWAPPED);
}

static gboolean
show_chosen_cb (gpointer lines)
{
  g_autoptr (GtkBitset) chosen =
      gtk_selection_model_get_selection (gtk_list_view_get_model (GTK_LIST_VIEW (lines)));

  if (!gtk_bitset_is_empty (chosen))
    gtk_widget_activate_action (lines, "list.scroll-to-item", "u", gtk_bitset_get_minimum (chosen));
  return G_SOURCE_REMOVE;
}

/* Where a line is is known once the list has its size. */
static void
lines_mapped_cb (GtkWidget *lines)
{
  g_idle_add_full (G_PRIORITY_LOW, show_chosen_cb, g_object_ref (lines), g_object_unref);
}

/**
 * shardwise_compat_show_chosen:
 * @drop_down: a drop-down
 *
 * Lets its list open at the line that is chosen, not at its top.
 */
void
shardwise_compat_show_chosen (GtkDropDown *drop_down)
{
  GtkWidget *lines = find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_LIST_VIEW);

  if (lines != NULL)
    g_signal_connect (lines, "map", G_CALLBACK (lines_mapped_cb), NULL);
}

/**
 * shardwise_compat_set_words:
 * @list: a drop-down of words
 * @words: (array zero-terminated=1): what it offers
 *
 * Replaces the words of a drop-down, which stays as it is where they are the same. It keeps its
 * model: another one would free the selection, which GTK goes on using after it has said that
 * something was chosen.
 */
void
shardwise_compat_set_words (GtkDropDown *list, const char *const *words)
{
  GListModel *model = gtk_drop_down_get_model (list);
  guint n = model != NULL ? g_list_model_get_n_items (model) : 0;
  gboolean same = GTK_IS_STRING_LIST (model) && n == g_strv_length ((char **) words);

  if (!GTK_IS_STRING_LIST (model))
    {
      g_autoptr (GtkStringList) strings = gtk_string_list_new (words);

      gtk_drop_down_set_model (list, G_LIST_MODEL (strings));
      return;
    }
  for (guint i = 0; same && i < n; i++)
    same = g_str_equal (gtk_string_list_get_string (GTK_STRING_LIST (model), i), words[i]);
  if (!same)
    gtk_string_list_splice (GTK_STRING_LIST (model), 0, n, words);
}

typedef struct {
  GtkExpression *name;
  char *text; /* what is typed, without case; never NULL */
} Search;

static void
search_free (gpointer data)
{
  Search *search = data;

  gtk_expression_unref (search->name);
  g_free (search->text);
  g_free (search);
}

static char *
without_case (const char *text)
{
  g_autofree char *normal = g_utf8_normalize (text, -1, G_NORMALIZE_ALL);

  return g_utf8_casefold (normal != NULL ? normal : text, -1);
}

/* A word with a number in front is not found within a number: "7b" is not in "17B", nor in "2.7B".
 * Once the next word has begun its own number is whole: "3 8b" is not in "3.1 8B". */
static gboolean
has_word (const char *name, const char *word, gsize length, gboolean ended)
{
  for (const char *at = name; *at != '\0'; at = g_utf8_next_char (at))
    {
      if (strncmp (at, word, length) != 0)
        continue;
      if (g_ascii_isdigit (*word) && at > name
          && (g_ascii_isdigit (at[-1])
              || (at[-1] == '.' && at - name > 1 && g_ascii_isdigit (at[-2]))))
        continue;
      if (ended && g_ascii_isdigit (word[length - 1])
          && (g_ascii_isdigit (at[length])
              || (at[length] == '.' && g_ascii_isdigit (at[length + 1]))))
        continue;
      return TRUE;
    }
  return FALSE;
}

static gboolean
matches (gpointer item, gpointer data)
{
  const Search *search = data;
  g_auto (GValue) value = G_VALUE_INIT;
  g_autofree char *name = NULL;

  if (!gtk_expression_evaluate (search->name, item, &value) || g_value_get_string (&value) == NULL)
    return FALSE;
  name = without_case (g_value_get_string (&value));
  for (const char *word = search->text; *word != '\0';)
    {
      const gsize length = strcspn (word, " ");

      if (length > 0 && !has_word (name, word, length, word[length] == ' '))
        return FALSE;
      word += length + (word[length] == ' ');
    }
  return TRUE;
}

static GQuark
search_quark (void)
{
  return g_quark_from_static_string ("shardwise-name-search");
}

/**
 * shardwise_name_search_new:
 * @name: (transfer none): the name of an item, a string
 *
 * Returns: (transfer full): a filter that lets through what has every word that is typed, until
 *   shardwise_name_search_set_text() everything
 */
GtkFilter *
shardwise_name_search_new (GtkExpression *name)
{
  Search *search = g_new (Search, 1);
  GtkFilter *filter;

  *search = (Search){ gtk_expression_ref (name), g_strdup ("") };
  filter = GTK_FILTER (gtk_custom_filter_new (matches, search, search_free));
  g_object_set_qdata (G_OBJECT (filter), search_quark (), search);
  return filter;
}

/**
 * shardwise_name_search_set_text:
 * @search: a filter of shardwise_name_search_new()
 * @text: what is typed
 *
 * Looks for words between spaces, in any order, without regard to case. A number is found by how it
 * begins, so that "7" finds "70B" while it is typed, and "7b" does not find "17B".
 */
void
shardwise_name_search_set_text (GtkFilter *search, const char *text)
{
  Search *self = g_object_get_qdata (G_OBJECT (search), search_quark ());

  g_return_if_fail (self != NULL && text != NULL);

  g_free (self->text);
  self->text = without_case (text);
  gtk_filter_changed (search, GTK_FILTER_CHANGE_DIFFERENT);
}

/**
 * shardwise_weak_new:
 * @object: a window that may go with its parent meanwhile, or the like: a reference would keep it,
 *   with a pointer to that parent
 *
 * Returns: (transfer full): for one shardwise_weak_take()
 */
GWeakRef *
shardwise_weak_new (gpointer object)
{
  GWeakRef *weak = g_new (GWeakRef, 1);

  g_weak_ref_init (weak, object);
  return weak;
}

/**
 * shardwise_weak_take:
 * @weak: (transfer full): of shardwise_weak_new()
 *
 * Returns: (transfer full) (nullable): the object, unless it is gone
 */
gpointer
shardwise_weak_take (GWeakRef *weak)
{
  gpointer object = g_weak_ref_get (weak);

  g_weak_ref_clear (weak);
  g_free (weak);
  return object;
}

static gboolean
has_room (GtkAdjustment *adjustment, double dy)
{
  double value = gtk_adjustment_get_value (adjustment);
  double end = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);

  return dy < 0 ? value > gtk_adjustment_get_lower (adjustment) : value < end;
}

static gboolean
wheel_cb (GtkWidget *window, double dx, double dy, GtkEventController *controller)
{
  GtkAdjustment *own = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (window)), *page;
  GtkWidget *outer = gtk_widget_get_ancestor (gtk_widget_get_parent (window),
                                              GTK_TYPE_SCROLLED_WINDOW);
  double step;

  if (outer == NULL || fabs (dy) <= fabs (dx) || has_room (own, dy)
      || (gtk_event_controller_get_current_event_state (controller)
          & (GDK_CONTROL_MASK | GDK_SHIFT_MASK | GDK_ALT_MASK)))
    return GDK_EVENT_PROPAGATE;
  page = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (outer));
  step = gtk_event_controller_scroll_get_unit (GTK_EVENT_CONTROLLER_SCROLL (controller))
                 == GDK_SCROLL_UNIT_WHEEL
             ? pow (gtk_adjustment_get_page_size (page), 2.0 / 3) /* as GTK does */
             : 1;
  gtk_adjustment_set_value (page, gtk_adjustment_get_value (page) + dy * step);
  return GDK_EVENT_STOP;
}

/**
 * shardwise_wheel_pass_on:
 * @window: what scrolls inside a page that scrolls
 *
 * A scrolled window of GTK 4.8 takes the wheel even where its child is at its end or shows whole:
 * the page would stand still under the pointer. What @window cannot use goes on to the page.
 */
void
shardwise_wheel_pass_on (GtkScrolledWindow *window)
{
  GtkEventController *controller;

  g_return_if_fail (GTK_IS_SCROLLED_WINDOW (window));

  controller = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (controller, "scroll", G_CALLBACK (wheel_cb), window);
  gtk_widget_add_controller (GTK_WIDGET (window), controller);
}

/* ---- what went wrong after its window was closed ---- */

/**
 * shardwise_late_error_tell:
 * @name: of what was being saved, as people read it
 * @error: why it was not
 *
 * Tells by a notification, which stays until it is read, and on the standard error stream, which is
 * all there is without a desktop.
 */
void
shardwise_late_error_tell (const char *name, const GError *error)
{
  GApplication *application = g_application_get_default ();
  /* Translators: %s is the name of a file */
  g_autofree char *heading = g_strdup_printf (_ ("“%s” Cannot Be Saved"), name);

  g_return_if_fail (name != NULL && error != NULL);

  g_message ("%s: %s", heading, error->message);
  if (application != NULL)
    {
      g_autoptr (GNotification) notification = g_notification_new (heading);

      g_notification_set_body (notification, error->message);
      g_notification_set_priority (notification, G_NOTIFICATION_PRIORITY_HIGH);
      g_application_send_notification (application, NULL, notification);
    }
}

/**
 * shardwise_late_error_tell_on:
 * @toasts: (nullable): of the window that it concerns; %NULL: it was closed meanwhile
 * @name: of what was being saved, as people read it
 * @error: why it was not
 *
 * Tells it there or, where the window is gone, as shardwise_late_error_tell() does.
 */
void
shardwise_late_error_tell_on (AdwToastOverlay *toasts, const char *name, const GError *error)
{
  if (toasts != NULL)
    shardwise_compat_toast (toasts, error->message);
  else
    shardwise_late_error_tell (name, error);
}
