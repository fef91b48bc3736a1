/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "soak-driver.h"

#include "ui-utils.h"

#define EXAMPLE "llama-3-70b-32"

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

/* A dialog is told that it closes, as by its button; a document is dropped without a question. */
void
soak_driver_close_window (SoakDriver *self, GtkWindow *window)
{
  if (window == GTK_WINDOW (self->window))
    return;
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
gone_cb (gpointer data, GObject *window)
{
  g_hash_table_remove (data, window);
}

/* Counts the windows that are not freed yet. */
static void
watch_windows (SoakDriver *self)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GObject) window = g_list_model_get_item (windows, i);

      if (SHARDWISE_IS_WINDOW (window) && g_hash_table_add (self->alive, window))
        g_object_weak_ref (window, gone_cb, self->alive);
    }
}

static void
open_window (SoakDriver *self)
{
  self->window = g_object_ref (shardwise_window_new (
      GTK_APPLICATION (self->application),
      shardwise_application_get_settings (self->application)));
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
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "ui", "soak.log", NULL);

  *self = (SoakDriver){ .application = application,
                        .directory = g_strdup (directory),
                        .seed = seed,
                        .rand = g_rand_new_with_seed (seed),
                        .alive = g_hash_table_new (NULL, NULL),
                        .journal = g_fopen (path, "w") };
  g_assert_nonnull (self->journal);
  open_window (self);
}

/* Closes every window; all of them have to go. */
static void
close_all (SoakDriver *self)
{
  watch_windows (self);
  close_toplevels (self, 0);
  gtk_window_destroy (GTK_WINDOW (self->window));
  g_clear_object (&self->window);
  wait_until (g_hash_table_size (self->alive) == 0);
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
