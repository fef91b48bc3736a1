/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "soak-driver.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "application-fixture.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#define EXAMPLE "llama-3-70b-32"

static int journal = -1; /* for a handler of signals, which is given nothing */

/* What led to the crash, or to the end of somebody's patience. */
static void
say_last_steps (int number)
{
  char text[2400];
  ssize_t length;

  lseek (journal, 0, SEEK_SET);
  length = read (journal, text, 80); /* the seed */
  length = write (STDERR_FILENO, text, (size_t) MAX (length, 0));
  if (lseek (journal, -(off_t) sizeof text, SEEK_END) < 0)
    lseek (journal, 0, SEEK_SET);
  length = read (journal, text, sizeof text);
  length = write (STDERR_FILENO, text, (size_t) MAX (length, 0));
#ifdef __SANITIZE_ADDRESS__
  if (!__asan_report_present ())
    __sanitizer_print_stack_trace ();
#endif
  raise (number);
}

/* The handler is for one time: the second signal ends the program. */
static void
open_journal (SoakDriver *self)
{
  static const int deadly[] = { SIGABRT, SIGTRAP, SIGTERM };
  const struct sigaction action = { .sa_handler = say_last_steps,
                                    .sa_flags = (int) SA_RESETHAND | SA_NODEFER };
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "ui", "soak.log", NULL);

  self->journal = g_fopen (path, "w");
  journal = g_open (path, O_RDONLY);
  g_assert_true (self->journal != NULL && journal >= 0);
  fprintf (self->journal, "SHARDWISE_SOAK_SEED=%u\n", self->seed);
  for (guint i = 0; i < G_N_ELEMENTS (deadly); i++)
    sigaction (deadly[i], &action, NULL);
}

/* Written before it is done: of a crash the last line is the cause. */
void
soak_driver_note (SoakDriver *self, const char *format, ...)
{
  va_list args;

  fprintf (self->journal, "%u: ", self->step);
  va_start (args, format);
  vfprintf (self->journal, format, args);
  va_end (args);
  fputc ('\n', self->journal);
  fflush (self->journal);
}

/* (nullable): what takes every click until it is closed. */
GtkWidget *
soak_driver_find_popover (GtkWidget *widget)
{
  if (!gtk_widget_get_mapped (widget))
    return NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = soak_driver_find_popover (child);

      if (found != NULL)
        return found;
    }
  return GTK_IS_POPOVER (widget) && gtk_popover_get_autohide (GTK_POPOVER (widget)) ? widget : NULL;
}

/* (nullable): that of any window. */
GtkWidget *
soak_driver_find_popover_of_any (void)
{
  GListModel *windows = gtk_window_get_toplevels ();
  GtkWidget *found = NULL;

  for (guint i = 0; found == NULL && i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      found = soak_driver_find_popover (window);
    }
  return found;
}

/* A click on the button of a window closes them first. GTK 4.8 never frees one that is open in a
 * window that is destroyed. */
static void
close_popovers (GtkWindow *window)
{
  GtkWidget *popover;

  while ((popover = soak_driver_find_popover (GTK_WIDGET (window))) != NULL)
    gtk_popover_popdown (GTK_POPOVER (popover));
}

/* A dialog is told that it closes, as by its button; a document is dropped without a question. */
void
soak_driver_close_window (SoakDriver *self, GtkWindow *window)
{
  if (window == GTK_WINDOW (self->window))
    return;
  close_popovers (window);
  if (SHARDWISE_IS_WINDOW (window))
    gtk_window_destroy (window);
  else
    gtk_window_close (window);
}

static void
close_toplevels (SoakDriver *self, guint left)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = g_list_model_get_n_items (windows); i-- > 0;)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);

      if (g_list_model_get_n_items (windows) > left && window != NULL)
        soak_driver_close_window (self, window);
    }
}

static void
gone_cb (gpointer data, GObject *object)
{
  g_hash_table_remove (data, object);
}

static void
watch (SoakDriver *self, gpointer object)
{
  if (g_hash_table_add (self->alive, object))
    g_object_weak_ref (object, gone_cb, self->alive);
}

static void
watch_pages (SoakDriver *self, GtkWidget *widget)
{
  if (SHARDWISE_IS_PAGE (widget))
    {
      watch (self, widget);
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    watch_pages (self, child);
}

/* The windows that are not freed yet, and their pages, which hold most of the memory. */
static void
watch_windows (SoakDriver *self)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GObject) window = g_list_model_get_item (windows, i);

      if (!SHARDWISE_IS_WINDOW (window))
        continue;
      watch (self, window);
      watch_pages (self, GTK_WIDGET (SHARDWISE_WINDOW (window)->view_stack));
    }
}

static void
open_window (SoakDriver *self)
{
  self->window = g_object_ref (shardwise_window_new (
      GTK_APPLICATION (self->application), shardwise_application_get_settings (self->application)));
  gtk_window_present (GTK_WINDOW (self->window));
  wait_until (gtk_widget_get_mapped (GTK_WIDGET (self->window)));
  activate (self->window, "open-example", g_variant_new_string (EXAMPLE));
}

/* Sees to it that there is a window to use, and no more than so many others. */
void
soak_driver_take_window (SoakDriver *self, guint most)
{
  if (self->window == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self->window)))
    {
      g_clear_object (&self->window);
      close_toplevels (self, 0);
      open_window (self);
    }
  close_toplevels (self, most);
  watch_windows (self);
}

void
soak_driver_init (SoakDriver *self, ShardwiseApplication *application, const char *directory,
                  guint32 seed)
{
  *self = (SoakDriver){ .application = application,
                        .directory = g_strdup (directory),
                        .seed = seed,
                        .rand = g_rand_new_with_seed (seed),
                        .alive = g_hash_table_new (NULL, NULL) };
  open_journal (self);
  open_window (self);
}

static void
not_freed_cb (gpointer data)
{
  GHashTableIter iter;
  GtkWidget *widget;

  g_hash_table_iter_init (&iter, data);
  while (g_hash_table_iter_next (&iter, (gpointer *) &widget, NULL))
    {
      g_printerr ("%s is held %u times", G_OBJECT_TYPE_NAME (widget), G_OBJECT (widget)->ref_count);
      while ((widget = gtk_widget_get_parent (widget)) != NULL)
        g_printerr (", in %s (%u)", G_OBJECT_TYPE_NAME (widget), G_OBJECT (widget)->ref_count);
      g_printerr ("\n");
    }
  g_error ("windows are closed and not freed");
}

/* Closes every window; all of them have to go. */
static void
close_all (SoakDriver *self)
{
  guint deadline = g_timeout_add_once (DEADLINE_S * 1000, not_freed_cb, self->alive);

  watch_windows (self);
  close_toplevels (self, 0);
  close_popovers (GTK_WINDOW (self->window));
  gtk_window_destroy (GTK_WINDOW (self->window));
  g_clear_object (&self->window);
  while (g_hash_table_size (self->alive) > 0)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (deadline);
}

void
soak_driver_clear (SoakDriver *self)
{
  soak_driver_note (self, "the end");
  close_all (self);
  g_clear_pointer (&self->alive, g_hash_table_unref);
  g_clear_pointer (&self->rand, g_rand_free);
  g_clear_pointer (&self->journal, fclose);
  g_clear_pointer (&self->directory, g_free);
}

static void
reset_settings (SoakDriver *self)
{
  GSettings *settings = shardwise_application_get_settings (self->application);
  g_autoptr (GSettingsSchema) schema = NULL;
  g_auto (GStrv) keys = NULL;

  g_object_get (settings, "settings-schema", &schema, NULL);
  keys = g_settings_schema_list_keys (schema);
  for (guint i = 0; keys[i] != NULL; i++)
    g_settings_reset (settings, keys[i]);
}

/* Closes every window and opens one, with the settings of the first start. */
void
soak_driver_renew (SoakDriver *self)
{
  soak_driver_note (self, "anew");
  close_all (self);
  reset_settings (self);
  open_window (self);
}
