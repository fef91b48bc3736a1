/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the committed corpora of all readers, and every input cut short, through what the fuzzers
 * drive. */
#include "fuzz-import.h"

/* A folder of the tests, and the name that its inputs come under; NULL: their own. The files that
 * the readers' tests read are inputs, too. */
static const char *const corpora[][2] = {
  { "data/import/config", "config.json" },
  { "data/import/job", NULL },
  { "fuzz/corpus/import-config", "config.json" },
  { "fuzz/corpus/import-deepspeed", "ds_config.json" },
  { "fuzz/corpus/import-nanotron", "nanotron.yaml" },
  { "fuzz/corpus/import-accelerate", "accelerate.yaml" },
  { "fuzz/corpus/import-kubernetes", "job.yaml" },
  { "fuzz/corpus/import-megatron", "train.sh" },
  { "fuzz/corpus/import-torchtitan", "train.toml" },
  { "fuzz/corpus/import-probe", "probe.json" },
  { "fuzz/corpus/import-python", "train.py" },
  { "fuzz/corpus/import-tools", NULL },
  { "fuzz/corpus/import-job", "config.json" },
  { "fuzz/corpus/import-any", "" },
};

typedef struct {
  char *path;
  const char *name;
} Input;

static void
input_free (gpointer data)
{
  g_free (((Input *) data)->path);
  g_free (data);
}

static void
test_input (gconstpointer data)
{
  const Input *input = data;
  g_autofree char *text = NULL;
  const char *name;
  gsize length;

  g_assert_true (g_file_get_contents (input->path, &text, &length, NULL));
  name = input->name != NULL ? input->name : input->path;
  fuzz_import ((const guint8 *) text, length, name, TRUE);
  for (gsize cut = 0; cut < MIN (length, 3000); cut += cut < 300 ? 1 : 37)
    fuzz_import ((const guint8 *) text, cut, name, FALSE);
}

static void
add_corpus (const char *corpus, const char *name)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, corpus, NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *file;
  guint n = 0;

  g_assert_nonnull (dir);
  for (; (file = g_dir_read_name (dir)) != NULL; n++)
    {
      Input *input = g_new (Input, 1);
      g_autofree char *path = g_strdup_printf ("/fuzz/%s/%s", corpus, file);

      *input = (Input){ g_build_filename (folder, file, NULL), name };
      g_test_add_data_func_full (path, input, test_input, input_free);
    }
  g_assert_cmpuint (n, >=, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (corpora); i++)
    add_corpus (corpora[i][0], corpora[i][1]);
  return g_test_run ();
}
