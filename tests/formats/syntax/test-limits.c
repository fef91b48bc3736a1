/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file from anywhere may cost: each limit of the readers, and that no reader opens what an
 * input names. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "shardwise-import.h"
#include "shardwise-file.h"
#include "shardwise-json.h"
#include "shardwise-log.h"

#define MUCH_TIME_S                                                                                \
  120.0 /* of inputs that are read in a second, without a sanitizer on a busy machine */

static char *
repeat (const char *text, guint n)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append (out, text);
  return g_string_free (out, FALSE);
}

/* (transfer full): `before`, n times `text`, `after` */
static char *
around (const char *before, const char *text, guint n, const char *after)
{
  g_autofree char *middle = repeat (text, n);

  return g_strconcat (before, middle, after, NULL);
}

/* Returns (transfer full) (nullable): why the text was refused; it takes little time either way. */
static char *
refusal (const char *text, const char *name)
{
  g_autoptr (GTimer) timer = g_timer_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseImport) import = shardwise_import_read (text, strlen (text), name, NULL,
                                                              &error);

  g_assert_true ((import == NULL) == (error != NULL));
  g_assert_cmpfloat (g_timer_elapsed (timer, NULL), <, MUCH_TIME_S);
  return error != NULL ? g_strdup (error->message) : NULL;
}

static void
expect (const char *text, const char *name, const char *reason)
{
  g_autofree char *said = refusal (text, name);

  g_test_message ("%s: %s", name, said);
  g_assert_nonnull (said);
  if (strstr (said, reason) == NULL)
    g_error ("%s: “%s” is not in: %s", name, reason, said);
}

static void
test_size (void)
{
  static const char *const names[] = { "config.json", "ds_config.json", "job.yaml", "train.toml",
                                       "train.sh",    "train.py",       "unknown" };
  g_autofree char *large = g_malloc (SHARDWISE_JSON_MAX_BYTES + 2);

  memset (large, ' ', SHARDWISE_JSON_MAX_BYTES + 1);
  large[SHARDWISE_JSON_MAX_BYTES + 1] = '\0';
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    expect (large, names[i], "MiB");
  memset (large, '#', 2 * 1024 * 1024);
  large[2 * 1024 * 1024] = '\0';
  expect (large, "train.sh", "1 MiB");
}

static void
test_log_size (void)
{
  gsize length = 17 << 20;
  g_autofree char *large = g_malloc (length + 1);
  g_autoptr (GTimer) timer = g_timer_new ();
  ShardwiseLog log;

  memset (large, 'a', length);
  large[length] = '\0';
  g_assert_false (shardwise_log_read (large, (gssize) length, &log, NULL));
  g_assert_cmpfloat (g_timer_elapsed (timer, NULL), <, MUCH_TIME_S);
}

static void
test_depth (void)
{
  const struct {
    const char *name, *open, *close, *before, *after;
  } cases[] = {
    { "config.json", "[", "]", "{\"a\": ", "}" },
    { "ds_config.json", "{\"a\": ", "}", "{\"train_batch_size\": 1, \"b\": ", "}" },
    { "job.yaml", "[", "]", "a: ", "\n" },
    { "train.toml", "[", "]", "a = ", "\n" },
    { "train.py", "(", ")", "a = ", "\n" },
  };
  static const guint depths[] = { 100, 100000 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint j = 0; j < G_N_ELEMENTS (depths); j++)
      {
        g_autofree char *open = repeat (cases[i].open, depths[j]);
        g_autofree char *close = repeat (cases[i].close, depths[j]);
        g_autofree char *text = g_strconcat (cases[i].before, open,
                                             g_str_has_prefix (cases[i].open, "{") ? "1" : "",
                                             close, cases[i].after, NULL);
        g_autofree char *said = refusal (text, cases[i].name);

        g_test_message ("%s, %u deep: %s", cases[i].name, depths[j], said);
        g_assert_nonnull (said);
      }
}

/* Each line doubles what the one before stands for. */
static void
test_expansion (void)
{
  g_autoptr (GString) yaml = g_string_new ("a0: &a0 {x: 1, y: 2}\n");
  g_autoptr (GString) shell = g_string_new ("A0=xxxxxxxxxxxxxxxx\n");
  g_autofree char *said = NULL, *braces = NULL;

  for (guint i = 1; i < 64; i++)
    {
      g_string_append_printf (yaml, "a%u: &a%u {b: *a%u, c: *a%u}\n", i, i, i - 1, i - 1);
      g_string_append_printf (shell, "A%u=\"$A%u$A%u\"\n", i, i - 1, i - 1);
    }
  g_string_append (shell, "torchrun pretrain_gpt.py --num-layers $A63\n");
  said = refusal (yaml->str, "job.yaml");
  g_assert_nonnull (said);
  g_clear_pointer (&said, g_free);
  said = refusal (shell->str, "train.sh");
  g_assert_nonnull (said);
  braces = around ("torchrun pretrain_gpt.py --num-layers $((", "(", 100000, "1");
  g_clear_pointer (&said, g_free);
  said = refusal (braces, "train.sh");
  g_assert_nonnull (said);
}

/* Many of everything: options, keys, names. */
static void
test_count (void)
{
  g_autofree char *options = around ("torchrun pretrain_gpt.py", " --num-layers 2", 20000, "\n");
  g_autofree char *keys = around ("{\"train_batch_size\": 8, \"x\": [", "{\"a\": 1}, ", 50000,
                                  "1]}");
  g_autofree char *names = around ("x = 1\n", "x = x + x\n", 5000, "");
  g_autofree char *dotted = around ("a", ".b", 200000, " = 1\n");
  g_autofree char *said[4] = { NULL };

  said[0] = refusal (options, "train.sh");
  said[1] = refusal (keys, "ds_config.json");
  said[2] = refusal (names, "train.py");
  said[3] = refusal (dotted, "train.toml");
  g_assert_nonnull (said[3]);
  for (guint i = 1; i < G_N_ELEMENTS (said); i++)
    g_clear_pointer (&said[i], g_free);
}

/* A value of many words is cut into them in one go. */
static void
test_words (void)
{
  g_autoptr (GTimer) timer = g_timer_new ();
  g_autofree char *array = around ("A=\"", "a ", 400000, "\"\nB=($A)\n"),
                  *plain = around ("A=\"", "a ", 400000, "\"\necho $A\n"),
                  *said = refusal (array, "train.sh"), *same = refusal (plain, "train.sh");

  g_assert_cmpstr (said, ==, same);
  if (g_getenv ("SHARDWISE_MEMCHECK") == NULL)
    g_assert_cmpfloat (g_timer_elapsed (timer, NULL), <, MUCH_TIME_S);
}

/* Folders, pipes and devices are no files to be read to their end. */
static void
test_kinds_of_files (void)
{
  static const char *const paths[] = { "/", "/dev/zero", "/dev/tty", "/proc/self/nothing" };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (GFile) file = g_file_new_for_path (paths[i]);
      g_autoptr (GError) error = NULL;

      g_assert_null (shardwise_read_file (file, NULL, &error));
      g_assert_nonnull (error);
    }
}

/* Whether anything was opened in the folder since the last time that this was asked. */
static gboolean
was_opened (int watch)
{
  char events[4096];
  gboolean opened = FALSE;

  while (read (watch, events, sizeof events) > 0)
    opened = TRUE;
  g_assert_cmpint (errno, ==, EAGAIN);
  return opened;
}

static const char *const leading[][2] = {
  { "config.json", "{\"model_type\": \"llama\", \"_name_or_path\": \"%s\", \"auto_map\": {\"a\": "
                   "\"%s\"}, \"base\": \"file://%s\"}" },
  { "config.json", "{\"$ref\": \"%s\", \"include\": \"%s\"}" },
  { "scenario.shardwise", "{\"shardwise\": 1, \"name\": \"%s\", \"model\": {\"preset\": \"%s\"}}" },
  { "ds_config.json", "{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 3, "
                      "\"offload_param\": {\"device\": \"nvme\", \"nvme_path\": \"%s\"}}, "
                      "\"hostfile\": \"%s\"}" },
  { "accelerate.yaml", "distributed_type: DEEPSPEED\ndeepspeed_config:\n  deepspeed_config_file: "
                       "%s\n"
                       "  deepspeed_hostfile: %s\nfsdp_config: !include %s\n" },
  { "nanotron.yaml", "parallelism: {dp: 1, tp: 2, pp: 1}\nmodel:\n  init_method: {path: %s}\n"
                     "tokenizer: {tokenizer_name_or_path: %s}\ndata: !!python/object/apply:open "
                     "[%s]\n" },
  { "job.yaml", "apiVersion: v1\nkind: Job\nspec:\n  template:\n    spec:\n      containers:\n"
                "      - command: [bash, -c, 'source %s; torchrun --config %s train.py']\n" },
  { "train.sh", "source %s\n. %s\nX=$(cat %s)\nexec < %s\ntorchrun pretrain_gpt.py --num-layers $X "
                "--yaml-cfg %s --load %s $(< %s) @%s\n" },
  { "train.toml", "[job]\nconfig_file = \"%s\"\ncustom_config_module = \"%s\"\n[parallelism]\n"
                  "tensor_parallel_degree = 2\n[checkpoint]\nfolder = \"%s\"\n" },
  { "train.py", "import json, torch\nfrom deepspeed import initialize\nwith open('%s') as f:\n    "
                "c = json.load(f)\n"
                "exec(open('%s').read())\nmodel = AutoModel.from_pretrained('%s')\n"
                "initialize(config='%s')\n" },
};

/* Inputs that name a file in every way there is: none of them opens it. */
static void
test_paths (void)
{
  g_autofree char *folder = g_dir_make_tmp ("shardwise-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "config.json", NULL);
  int watch = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
  g_autofree char *content = NULL;

  g_assert_true (g_file_set_contents (path, "{\"hidden_size\": 64}", -1, NULL));
  g_assert_cmpint (watch, >=, 0);
  g_assert_cmpint (inotify_add_watch (watch, folder, IN_OPEN | IN_ACCESS), >=, 0);
  for (guint i = 0; i < G_N_ELEMENTS (leading); i++)
    {
      g_auto (GStrv) parts = g_strsplit (leading[i][1], "%s", -1);
      g_autofree char *text = g_strjoinv (path, parts);
      g_autofree char *said = refusal (text, leading[i][0]);

      g_test_message ("%s: %s", leading[i][0], said);
      if (was_opened (watch))
        g_error ("%s was followed in %s", path, text);
    }
  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  g_assert_true (was_opened (watch)); /* this is what it looks like */
  close (watch);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/limits/size", test_size);
  g_test_add_func ("/limits/log-size", test_log_size);
  g_test_add_func ("/limits/depth", test_depth);
  g_test_add_func ("/limits/expansion", test_expansion);
  g_test_add_func ("/limits/count", test_count);
  g_test_add_func ("/limits/words", test_words);
  g_test_add_func ("/limits/kinds-of-files", test_kinds_of_files);
  g_test_add_func ("/limits/paths", test_paths);
  return g_test_run ();
}
