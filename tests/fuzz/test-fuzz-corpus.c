/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the committed corpus of one target (CORPUS), and every input cut short at each of the first
 * and of the last lengths, through the fuzzer's entry point. */
#include "fuzz-target.h"

static void
test_file (gconstpointer data)
{
  g_autofree char *text = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (data, &text, &length, NULL));
  LLVMFuzzerTestOneInput ((const guint8 *) text, length);
  for (gsize cut = 0; cut < MIN (length, 400); cut++)
    LLVMFuzzerTestOneInput ((const guint8 *) text, cut);
  for (gsize cut = length - MIN (length, 100); cut < length; cut++)
    LLVMFuzzerTestOneInput ((const guint8 *) text, cut);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_test_init (&argc, &argv, NULL);
  folder = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", CORPUS, NULL);
  dir = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_strconcat ("/fuzz/" CORPUS "/", name, NULL);

      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
      g_test_add_data_func (path, paths->pdata[paths->len - 1], test_file);
    }
  g_assert_cmpuint (paths->len, >=, 8);
  return g_test_run ();
}
