/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exported files on their way out of the window under the pointer. */
#include "stalled-disk.h"
#include <utime.h>

#include "shardwise-export-save.h"
#include "shardwise-export.h"
#include "ui-fixture.h"

static const char *const names[] = { "a.yaml", "launch.sh" };

/* Where they lie until whoever they are dropped on has read them. */
static char *
cache_folder (void)
{
  return g_build_filename (g_get_user_cache_dir (), "shardwise", "export", NULL);
}

/* What is dragged: "launch.sh" alone, or with "a.yaml". */
static GdkContentProvider *
drag (gboolean all)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      ShardwiseExportFile *file = g_new0 (ShardwiseExportFile, 1);

      file->name = (char *) names[i];
      file->content = (char *) (i == 0 ? "tp: 8\n" : "torchrun\n");
      g_ptr_array_add (files, file);
    }
  return shardwise_export_drag_content (files, 1, all);
}

static void
test_files (void)
{
  for (guint all = 0; all < 2; all++)
    {
      g_autoptr (GdkContentProvider) provider = drag (all);
      g_auto (GValue) text = G_VALUE_INIT, list = G_VALUE_INIT;
      g_autoptr (GError) error = NULL;
      g_autofree char *name = NULL, *content = NULL;
      GSList *dragged;

      g_value_init (&text, G_TYPE_STRING);
      g_value_init (&list, GDK_TYPE_FILE_LIST);
      gdk_content_provider_get_value (provider, &text, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (g_value_get_string (&text), ==, "torchrun\n");
      wait_until (gdk_content_provider_get_value (provider, &list, NULL));
      dragged = g_value_get_boxed (&list);
      g_assert_cmpuint (g_slist_length (dragged), ==, all ? 2 : 1);
      name = g_file_get_basename (dragged->data);
      g_assert_cmpstr (name, ==, names[all ? 0 : 1]);
      g_assert_true (g_file_load_contents (dragged->data, NULL, &content, NULL, NULL, NULL));
      g_assert_cmpstr (content, ==, all ? "tp: 8\n" : "torchrun\n");
    }
}

/* What somebody on whom the files are dropped reads. */
typedef struct {
  GOutputStream *stream;
  gboolean done;
  GError *error; /* (nullable) */
} Drop;

static void
read_cb (GObject *provider, GAsyncResult *result, gpointer data)
{
  Drop *drop = data;

  drop->done = gdk_content_provider_write_mime_type_finish (GDK_CONTENT_PROVIDER (provider), result,
                                                            &drop->error)
               || drop->error != NULL;
}

static Drop
begin_drop (void)
{
  return (Drop){ .stream = g_memory_output_stream_new_resizable () };
}

static void
read_drop (Drop *drop, GdkContentProvider *provider)
{
  gdk_content_provider_write_mime_type_async (provider, "text/uri-list", drop->stream,
                                              G_PRIORITY_DEFAULT, NULL, read_cb, drop);
}

static void
end_drop (Drop *drop)
{
  g_object_unref (drop->stream);
  g_clear_error (&drop->error);
}

/* The window does not wait for the disk where files are dragged, but whoever they are dropped
 * on. */
static void
test_stalls (void)
{
  g_autofree char *folder = cache_folder ();
  g_autoptr (GdkContentProvider) provider = NULL;
  g_autoptr (GdkContentFormats) formats = NULL;
  g_autofree char *uris = NULL, *uri = NULL;
  Drop drop = begin_drop ();
  g_auto (GValue) list = G_VALUE_INIT;

  g_value_init (&list, GDK_TYPE_FILE_LIST);
  disk_stall (folder);
  provider = drag (FALSE);
  formats = gdk_content_provider_ref_formats (provider);
  g_assert_true (gdk_content_formats_contain_mime_type (formats, "text/uri-list"));
  g_assert_false (gdk_content_formats_contain_mime_type (formats, "text/plain;charset=utf-8"));
  disk_await ();
  g_assert_false (gdk_content_provider_get_value (provider, &list, NULL));
  read_drop (&drop, provider);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_false (drop.done);
  disk_go_on ();
  wait_until (drop.done);
  g_assert_no_error (drop.error);
  g_assert_true (gdk_content_provider_get_value (provider, &list, NULL));
  uri = g_file_get_uri (((GSList *) g_value_get_boxed (&list))->data);
  uris = g_strndup (g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (drop.stream)),
                    g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (drop.stream)));
  g_assert_cmpstr (g_strchomp (uris), ==, uri);
  end_drop (&drop);
}

/* Whoever reads files that could not be written says nothing: the user is told. */
static void
test_fails (void)
{
  g_autofree char *folder = cache_folder ();
  g_autoptr (GdkContentProvider) provider = NULL;
  Drop drop = begin_drop ();

  disk_break (folder);
  provider = drag (TRUE);
  g_test_expect_message ("Shardwise-UI", G_LOG_LEVEL_MESSAGE, "“a.yaml” Cannot Be Saved: *");
  read_drop (&drop, provider);
  wait_until (drop.done);
  disk_break (NULL);
  g_test_assert_expected_messages ();
  g_assert_error (drop.error, G_IO_ERROR, G_IO_ERROR_FAILED);
  end_drop (&drop);
}

/* What nobody reads any more goes with the next drag; what somebody may still read stays. */
static void
test_old (void)
{
  g_autofree char *folder = cache_folder ();
  g_autofree char *old = g_build_filename (folder, "old", NULL);
  g_autofree char *file = g_build_filename (old, "a.yaml", NULL);
  g_autofree char *young = g_build_filename (folder, "young", NULL);
  const struct utimbuf long_ago = { 0, 0 };
  g_autoptr (GdkContentProvider) provider = NULL;
  g_auto (GValue) list = G_VALUE_INIT;

  g_assert_cmpint (g_mkdir_with_parents (old, 0700), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (young, 0700), ==, 0);
  g_assert_true (g_file_set_contents (file, "tp: 4\n", -1, NULL));
  g_assert_cmpint (utime (old, &long_ago), ==, 0);
  g_value_init (&list, GDK_TYPE_FILE_LIST);
  provider = drag (FALSE);
  wait_until (gdk_content_provider_get_value (provider, &list, NULL));
  g_assert_false (g_file_test (old, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (young, G_FILE_TEST_IS_DIR));
}

int
main (int argc, char **argv)
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/export-drag/files", test_files);
  g_test_add_func ("/export-drag/stalls", test_stalls);
  g_test_add_func ("/export-drag/fails", test_fails);
  g_test_add_func ("/export-drag/old", test_old);
  return g_test_run ();
}
