/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-application.h"

#include <glib/gi18n.h>

#include "shardwise-advice.h"
#include "shardwise-catalogue.h"
#include "shardwise-compat.h"
#include "shardwise-config.h"
#include "shardwise-editor.h"
#include "shardwise-file.h"
#include "shardwise-manual-window.h"
#include "shardwise-format.h"
#include "shardwise-names.h"
#include "shardwise-preferences.h"
#include "shardwise-shortcuts-window.h"
#include "shardwise-window-files.h"
#include "shardwise-window.h"
#include "shardwise-prediction.h"
#include "shardwise-gtk-faults.h"
#include "shardwise-manual.h"
#include "shardwise-release-notes.h"
#include "shardwise-prices.h"

struct _ShardwiseApplication {
  AdwApplication parent_instance;
  GSettings *settings;
  GtkWidget *preferences;    /* while it is open */
  GtkWidget *manual;         /* same */
  GtkWidget *shortcuts;      /* same */
  ShardwiseJournal *journal; /* (nullable): not requested yet */
  ShardwiseNotes *notes;     /* same */
  gulong names;              /* assigns names to visible widgets; 0: not started */
  gulong unrealized;         /* a hook, with @names */
  GFile *first;              /* (nullable): the document of the command line */
  ShardwiseAhead *ahead;     /* (nullable): its read, until a window opens it */
};

G_DEFINE_FINAL_TYPE (ShardwiseApplication, shardwise_application, ADW_TYPE_APPLICATION)

static const struct {
  const char *action;
  const char *accels[3];
} shortcuts[] = {
  { "app.new", { "<Control>n" } },
  { "app.open", { "<Control>o" } },
  { "app.preferences", { "<Control>comma" } },
  { "app.shortcuts", { "<Control>question" } },
  { "app.help", { "F1" } },
  { "app.quit", { "<Control>q" } },
  { "window.close", { "<Control>w" } },
  { "win.save", { "<Control>s" } },
  { "win.save-as", { "<Control><Shift>s" } },
  { "win.print-report", { "<Control>p" } },
  { "win.undo", { "<Control>z" } },
  { "win.redo", { "<Control><Shift>z", "<Control>y" } },
  { "win.evaluate", { "<Control>Return", "<Control>KP_Enter" } },
  { "win.stop", { "<Control>period" } },
  { "win.toggle-inputs", { "F9" } },
  { "win.ask", { "<Control>k" } },
  { "win.plan", { "<Control>t" } },
  { "win.copy-export", { "<Control><Shift>c" } },
  { "win.save-export", { "<Control>e" } },
  { "win.page('advice')", { "<Control>1" } },
  { "win.page('analysis')", { "<Control>2" } },
  { "win.page('alternatives')", { "<Control>3" } },
  { "win.page('scale')", { "<Control>4" } },
};

static ShardwiseWindow *
new_window (ShardwiseApplication *self)
{
  return shardwise_window_new (GTK_APPLICATION (self), self->settings);
}

/* The window that opens a new document, or shows it if it has none: the last used one. */
static ShardwiseWindow *
window_for_file (ShardwiseApplication *self)
{
  GList *windows = gtk_application_get_windows (GTK_APPLICATION (self));

  for (GList *link = windows; link != NULL; link = link->next)
    if (SHARDWISE_IS_WINDOW (link->data))
      return link->data;
  return new_window (self);
}

static GtkWindow *
main_window (ShardwiseApplication *self)
{
  GtkWindow *active = gtk_application_get_active_window (GTK_APPLICATION (self));

  while (active != NULL && gtk_window_get_transient_for (active) != NULL)
    active = gtk_window_get_transient_for (active);
  return active;
}

static void
new_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  gtk_window_present (GTK_WINDOW (new_window (data)));
}

static void
open_chosen_cb (GPtrArray *files, gpointer data)
{
  if (files->len > 0)
    g_application_open (data, (GFile **) files->pdata, (int) files->len, "");
}

static void
open_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_compat_open_files (main_window (data), _ ("Open a Scenario, Model or Job"),
                               open_chosen_cb, data);
}

static void
open_uri_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (GFile) file = g_file_new_for_uri (g_variant_get_string (parameter, NULL));

  g_application_open (data, &file, 1, "");
}

static void
preferences_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseApplication *self = data;

  if (self->preferences == NULL)
    {
      g_set_weak_pointer (&self->preferences, shardwise_preferences_new (self->settings));
      gtk_window_set_transient_for (GTK_WINDOW (self->preferences), main_window (self));
      gtk_window_set_application (GTK_WINDOW (self->preferences), GTK_APPLICATION (self)); /* F1 */
      if (G_IS_ACTION_GROUP (main_window (self))) /* for values from its scenario */
        gtk_widget_insert_action_group (self->preferences, "win",
                                        G_ACTION_GROUP (main_window (self)));
    }
  gtk_window_present (GTK_WINDOW (self->preferences));
}

static void
shortcuts_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseApplication *self = data;
  GtkWindow *window = main_window (self);

  if (self->shortcuts == NULL && window != NULL)
    {
      g_set_weak_pointer (&self->shortcuts,
                          shardwise_shortcuts_window_new (GTK_APPLICATION (self)));
      gtk_window_set_transient_for (GTK_WINDOW (self->shortcuts), window);
      gtk_window_set_application (GTK_WINDOW (self->shortcuts), GTK_APPLICATION (self)); /* F1 */
      gtk_window_set_destroy_with_parent (GTK_WINDOW (self->shortcuts), TRUE);
    }
  if (self->shortcuts != NULL)
    gtk_window_present (GTK_WINDOW (self->shortcuts));
}

/* The widget with the focus, also in a window other than the main one. */
static const char *
topic_of_focus (ShardwiseApplication *self)
{
  GtkWindow *active = gtk_application_get_active_window (GTK_APPLICATION (self));

  if (SHARDWISE_IS_WINDOW (active))
    return shardwise_window_get_help_page (SHARDWISE_WINDOW (active));
  if (active == NULL)
    return NULL;
  if (gtk_window_get_focus (active) != NULL)
    return shardwise_help_topic (gtk_window_get_focus (active));
  return shardwise_help_topic (GTK_WIDGET (active));
}

/* In the desktop's viewer, otherwise in our own window. */
static void
help_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseApplication *self = data;
  const char *topic = topic_of_focus (self);

  if (shardwise_manual_show_in_viewer (topic))
    return;
  if (self->manual == NULL)
    {
      /* It does not keep the program running. */
      g_set_weak_pointer (&self->manual, shardwise_manual_window_new ());
    }
  if (topic != NULL)
    shardwise_manual_window_open (SHARDWISE_MANUAL_WINDOW (self->manual), topic);
  gtk_window_present (GTK_WINDOW (self->manual));
}

static void
about_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (GBytes) metainfo = g_resources_lookup_data (APPLICATION_PATH "/metainfo.xml", 0, NULL);
  g_autofree char *version = NULL, *notes = NULL;

  notes = shardwise_release_notes_read (g_bytes_get_data (metainfo, NULL),
                                        (gssize) g_bytes_get_size (metainfo), &version);
  shardwise_compat_show_about (main_window (data), version, notes);
}

/* Each window with unsaved edits asks, one after the other, before the first one closes; each
 * answer activates this again. The open documents are restored with the program. */
static void
quit_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autolist (GtkWindow) documents = NULL;

  for (GList *item = gtk_application_get_windows (data); item != NULL; item = item->next)
    if ((SHARDWISE_IS_EDITOR (item->data) && !shardwise_editor_settle (item->data))
        || (SHARDWISE_IS_WINDOW (item->data) && !shardwise_window_settle_to_quit (item->data)))
      return;
  /* Excludes windows that belong to one of them: in GTK they must not outlive it. */
  for (GList *item = gtk_application_get_windows (data); item != NULL; item = item->next)
    if (SHARDWISE_IS_WINDOW (item->data))
      documents = g_list_append (documents, g_object_ref (item->data));
  for (GList *item = documents; item != NULL; item = item->next)
    shardwise_window_quit (item->data);
}

static const GActionEntry actions[] = {
  { .name = "new", .activate = new_cb },
  { .name = "open", .activate = open_cb },
  { .name = "open-uri", .activate = open_uri_cb, .parameter_type = "s" },
  { .name = "preferences", .activate = preferences_cb },
  { .name = "shortcuts", .activate = shortcuts_cb },
  { .name = "help", .activate = help_cb },
  { .name = "about", .activate = about_cb },
  { .name = "quit", .activate = quit_cb },
};

static void
color_scheme_cb (ShardwiseApplication *self)
{
  g_autofree char *name = g_settings_get_string (self->settings, "color-scheme");
  AdwColorScheme scheme = ADW_COLOR_SCHEME_DEFAULT;

  if (g_str_equal (name, "light"))
    scheme = ADW_COLOR_SCHEME_FORCE_LIGHT;
  else if (g_str_equal (name, "dark"))
    scheme = ADW_COLOR_SCHEME_FORCE_DARK;
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), scheme);
}

static gpointer
read_tables (gpointer data)
{
  shardwise_catalogue_get ();
  shardwise_nearest_run_prepare ();
  return NULL;
}

/* Existing texts have the other unit: they are created again with the advice. */
static void
memory_unit_cb (ShardwiseApplication *self)
{
  g_autofree char *name = g_settings_get_string (self->settings, "memory-unit");
  GList *windows = gtk_application_get_windows (GTK_APPLICATION (self));

  shardwise_memory_unit_set_decimal (g_str_equal (name, "GB"));
  for (GList *item = windows; item != NULL; item = item->next)
    if (SHARDWISE_IS_WINDOW (item->data) && shardwise_window_get_advisor (item->data) != NULL)
      shardwise_advisor_evaluate (shardwise_window_get_advisor (item->data));
}

/* A closing window must not be laid out again. Late messages of the X server for a hidden window,
 * such as its last size, request a layout; its surface defers that, and GTK 4.8 then asks the
 * window for its size, even if it was freed while pending events still keep the surface. Hiding the
 * surface again before the window releases it cancels the request. */
static gboolean
unrealize_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GtkWidget *widget = g_value_get_object (&values[0]);

  if (GTK_IS_WINDOW (widget))
    gdk_surface_hide (gtk_native_get_surface (GTK_NATIVE (widget)));
  return G_SOURCE_CONTINUE;
}

static void
shardwise_application_startup (GApplication *application)
{
  ShardwiseApplication *self = SHARDWISE_APPLICATION (application);
  gboolean chosen = g_getenv ("GTK_THEME") != NULL;
  g_autoptr (GError) error = NULL;

  /* Own prices take precedence over the catalog's from the first answer on. */
  if (!shardwise_prices_open (NULL, &error))
    g_printerr ("%s\n", error->message);

  /* GTK would read its own theme, which libadwaita replaces at once by an empty one with that name.
   * The variable must be unset before libadwaita starts, although users may set a theme with it,
   * and before there are threads, because this changes the environment. */
  if (!chosen)
    g_setenv ("GTK_THEME", "Adwaita-empty", TRUE);
  gtk_init ();
  gtk_settings_get_default (); /* which read the theme */
  if (!chosen)
    g_unsetenv ("GTK_THEME");
  self->settings = g_settings_new ("io.github.shardwise.Shardwise");
  g_signal_connect_object (self->settings, "changed::memory-unit", G_CALLBACK (memory_unit_cb),
                           self, G_CONNECT_SWAPPED);
  memory_unit_cb (self);
  /* Every answer needs the tables. Both threads run while GTK starts. */
  g_thread_unref (g_thread_new ("tables", read_tables, NULL));
  if (self->first != NULL)
    self->ahead = shardwise_ahead_new (self->first,
                                       g_settings_get_boolean (self->settings, "live-evaluation"));
  G_APPLICATION_CLASS (shardwise_application_parent_class)->startup (application);

  self->names = shardwise_names_install ();
  g_type_class_unref (g_type_class_ref (GTK_TYPE_WIDGET));
  self->unrealized = g_signal_add_emission_hook (g_signal_lookup ("unrealize", GTK_TYPE_WIDGET), 0,
                                                 unrealize_cb, NULL, NULL);
  gtk_window_set_default_icon_name (APPLICATION_ID);
  g_action_map_add_action_entries (G_ACTION_MAP (self), actions, G_N_ELEMENTS (actions), self);
  for (guint i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (self), shortcuts[i].action,
                                           shortcuts[i].accels);

  g_signal_connect_object (self->settings, "changed::color-scheme", G_CALLBACK (color_scheme_cb),
                           self, G_CONNECT_SWAPPED);
  color_scheme_cb (self);
}

static void
shardwise_application_activate (GApplication *application)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (application));

  if (window == NULL)
    {
      ShardwiseWindow *first = new_window (SHARDWISE_APPLICATION (application));

      shardwise_window_restore_session_soon (first);
      window = GTK_WINDOW (first);
    }
  gtk_window_present (window);
}

static void
shardwise_application_open (GApplication *application, GFile **files, int n_files, const char *hint)
{
  ShardwiseApplication *self = SHARDWISE_APPLICATION (application);
  g_autoptr (GPtrArray) others = g_ptr_array_new_with_free_func (g_object_unref);

  /* If the program starts with files, edits restored after a crash open in addition. */
  if (gtk_application_get_windows (GTK_APPLICATION (self)) == NULL)
    shardwise_window_restore_session (new_window (self), TRUE);
  for (int i = 0; i < n_files; i++)
    {
      ShardwiseWindow *window = shardwise_window_that_shows (GTK_APPLICATION (self), files[i]);

      if (window != NULL)
        gtk_window_present (GTK_WINDOW (window));
      else
        g_ptr_array_add (others, g_object_ref (files[i]));
    }
  if (others->len > 0)
    {
      ShardwiseWindow *window = window_for_file (self);

      shardwise_window_open_beside (window, others);
      gtk_window_present (GTK_WINDOW (window));
    }
  g_clear_pointer (&self->ahead, shardwise_ahead_free);
}

/* Records the opened file; it can only be reported once GTK has started. */
static gboolean
shardwise_application_local_command_line (GApplication *application, char ***arguments,
                                          int *exit_status)
{
  const char *first = (*arguments)[0] != NULL ? (*arguments)[1] : NULL;

  if (first != NULL && *first != '-')
    SHARDWISE_APPLICATION (application)->first = g_file_new_for_commandline_arg (first);
  return G_APPLICATION_CLASS (shardwise_application_parent_class)
      ->local_command_line (application, arguments, exit_status);
}

static int
shardwise_application_handle_local_options (GApplication *application, GVariantDict *options)
{
  if (!g_variant_dict_contains (options, "version"))
    return -1;
  g_print ("Shardwise %s\n", PACKAGE_VERSION);
  return 0;
}

static void
shardwise_application_finalize (GObject *object)
{
  ShardwiseApplication *self = SHARDWISE_APPLICATION (object);

  if (self->names > 0)
    shardwise_names_remove (self->names);
  if (self->unrealized > 0)
    g_signal_remove_emission_hook (g_signal_lookup ("unrealize", GTK_TYPE_WIDGET),
                                   self->unrealized);
  g_clear_weak_pointer (&self->preferences);
  g_clear_weak_pointer (&self->shortcuts);
  g_clear_weak_pointer (&self->manual);
  g_clear_pointer (&self->ahead, shardwise_ahead_free);
  g_clear_object (&self->first);
  g_clear_object (&self->settings);
  g_clear_object (&self->journal);
  g_clear_object (&self->notes);
  G_OBJECT_CLASS (shardwise_application_parent_class)->finalize (object);
}

static void
shardwise_application_window_added (GtkApplication *application, GtkWindow *window)
{
  shardwise_gtk_keep_focus_in_sight (window);
  GTK_APPLICATION_CLASS (shardwise_application_parent_class)->window_added (application, window);
}

/* The preferences keep the actions of their parent window, which would never be freed while they
 * wait for it to close. */
static void
shardwise_application_window_removed (GtkApplication *application, GtkWindow *window)
{
  GtkWidget *preferences = SHARDWISE_APPLICATION (application)->preferences;

  if (preferences != NULL && gtk_window_get_transient_for (GTK_WINDOW (preferences)) == window)
    gtk_window_destroy (GTK_WINDOW (preferences));
  shardwise_gtk_close_popovers (GTK_WIDGET (window));
  GTK_APPLICATION_CLASS (shardwise_application_parent_class)->window_removed (application, window);
}

static void
shardwise_application_class_init (ShardwiseApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_application_finalize;
  application_class->local_command_line = shardwise_application_local_command_line;
  application_class->handle_local_options = shardwise_application_handle_local_options;
  application_class->startup = shardwise_application_startup;
  application_class->activate = shardwise_application_activate;
  application_class->open = shardwise_application_open;
  GTK_APPLICATION_CLASS (klass)->window_added = shardwise_application_window_added;
  GTK_APPLICATION_CLASS (klass)->window_removed = shardwise_application_window_removed;
}

static void
shardwise_application_init (ShardwiseApplication *self)
{
  g_application_add_main_option (G_APPLICATION (self), "version", 0, 0, G_OPTION_ARG_NONE,
                                 _ ("Print the version and exit"), NULL);
}

/**
 * shardwise_application_new:
 *
 * Returns: (transfer full): the program, not yet registered
 */
ShardwiseApplication *
shardwise_application_new (void)
{
  return g_object_new (SHARDWISE_TYPE_APPLICATION, "application-id", APPLICATION_ID,
                       "resource-base-path", APPLICATION_PATH, "flags", G_APPLICATION_HANDLES_OPEN,
                       NULL);
}

/**
 * shardwise_application_get_settings:
 *
 * Returns: (transfer none): the user's preferences; valid from startup on
 */
GSettings *
shardwise_application_get_settings (ShardwiseApplication *self)
{
  g_return_val_if_fail (SHARDWISE_IS_APPLICATION (self), NULL);
  return self->settings;
}

/**
 * shardwise_application_take_ahead:
 *
 * Returns: (transfer full) (nullable): the read of @file if the program was started with it and no
 * window has opened it yet
 */
ShardwiseAhead *
shardwise_application_take_ahead (ShardwiseApplication *self, GFile *file)
{
  g_return_val_if_fail (SHARDWISE_IS_APPLICATION (self), NULL);

  if (self->ahead == NULL || !shardwise_ahead_is_of (self->ahead, file))
    return NULL;
  return g_steal_pointer (&self->ahead);
}

/**
 * shardwise_application_get_journal:
 *
 * Returns: (transfer none): the user's runs, one journal for all windows; it is read when somebody
 * asks it to be
 */
ShardwiseJournal *
shardwise_application_get_journal (ShardwiseApplication *self)
{
  g_autofree char *file = NULL;

  g_return_val_if_fail (SHARDWISE_IS_APPLICATION (self), NULL);

  if (self->journal != NULL)
    return self->journal;
  file = shardwise_user_file ("journal.db");
  self->journal = shardwise_journal_new (file);
  return self->journal;
}

/**
 * shardwise_application_get_notes:
 *
 * Returns: (transfer none) (nullable): the user's own notes and rules, the same for all windows;
 *   %NULL with @error if their file cannot be read
 */
ShardwiseNotes *
shardwise_application_get_notes (ShardwiseApplication *self, GError **error)
{
  g_autofree char *path = NULL;
  g_autoptr (GFile) file = NULL;

  g_return_val_if_fail (SHARDWISE_IS_APPLICATION (self), NULL);

  if (self->notes != NULL)
    return self->notes;
  path = shardwise_user_file ("playbook.json");
  file = g_file_new_for_path (path);
  self->notes = shardwise_notes_open (file, error);
  return self->notes;
}
