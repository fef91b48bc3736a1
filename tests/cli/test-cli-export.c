/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The built shardwise-cli: what it exports, and what it says of what it does not. */
#include <glib/gstdio.h>
#include <string.h>

#include "cli-fixture.h"

/* A framework that refuses stands among the others, with its rule and what is nearest. */
static void
test_all_refusals (void)
{
  g_autoptr (JsonNode) node = NULL;
  JsonArray *all = json_object_get_array_member (
      run_json ("export --model mixtral-8x7b --gpu h100-80-sxm --gpus 64 --to all --json", NULL, 0,
                &node),
      "exports");
  guint refused = 0;

  g_assert_cmpuint (json_array_get_length (all), ==, 19);
  for (guint i = 0; i < json_array_get_length (all); i++)
    {
      JsonObject *object = json_array_get_object_element (all, i);

      if (json_array_get_length (json_object_get_array_member (object, "files")) > 0)
        continue;
      refused++;
      g_assert_cmpuint (
          json_array_get_length (json_object_get_array_member (object, "not_expressed")), ==, 1);
    }
  g_assert_cmpuint (refused, ==, 9); /* seven of them tools for fine-tuning */
}

static void
test_export (void)
{
  g_autofree char *folder = g_dir_make_tmp ("shardwise-XXXXXX", NULL),
                  *inner = g_build_filename (folder, "a", "b", NULL);
  g_autofree char *arguments =
      g_strdup_printf ("export @EXAMPLES@/llama-3-8b-8.shardwise --to all --output %s", inner);
  g_autoptr (JsonNode) node = NULL, all = NULL;
  g_auto (Outcome) outcome = { 0 }, refused = { 0 }, lone = { 0 }, bundle = { 0 };
  JsonObject *object = run_json ("export @EXAMPLES@/llama-3-8b-8.shardwise --to deepspeed --json",
                                 NULL, 0, &node);
  JsonArray *files = json_object_get_array_member (object, "files");
  g_autoptr (GDir) dir = NULL;
  const char *name;
  guint n = 0;

  g_assert_cmpstr (json_object_get_string_member (object, "framework"), ==, "deepspeed");
  g_assert_cmpuint (json_array_get_length (files), ==, 1);
  g_assert_nonnull (
      strstr (json_object_get_string_member (json_array_get_object_element (files, 0), "content"),
              "train_micro_batch_size_per_gpu"));
  g_assert_cmpuint (
      json_array_get_length (json_object_get_array_member (
          run_json ("export @EXAMPLES@/llama-3-8b-8.shardwise --to all --json", NULL, 0, &all),
          "exports")),
      ==, 19);
  run (arguments, NULL, &outcome);
  g_assert_cmpint (outcome.status, ==, 0);
  dir = g_dir_open (inner, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (inner, name, NULL);

      g_remove (path);
      n++;
    }
  g_assert_cmpuint (n, ==, 12); /* the tools for fine-tuning refuse it */
  g_assert_cmpint (g_rmdir (inner), ==, 0);
  *strrchr (inner, G_DIR_SEPARATOR) = '\0';
  g_assert_cmpint (g_rmdir (inner), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  /* What the notes name but is not written is said. */
  run ("export --model llama-3-8b --gpus 16 --pp 2 --to deepspeed", NULL, &lone);
  g_assert_cmpint (lone.status, ==, 0);
  g_assert_nonnull (strstr (lone.err, "deepspeed: --bundle also writes ds_setup.py"));
  run ("export --model llama-3-8b --gpus 16 --pp 2 --to deepspeed --bundle", NULL, &bundle);
  g_assert_null (strstr (bundle.err, "--bundle"));
  /* DeepSpeed's pipeline refuses ZeRO 3 */
  run ("export --model llama-3-8b --gpus 16 --pp 2 --zero-stage 3 --to deepspeed", NULL, &refused);
  g_assert_cmpint (refused.status, ==, 3);
  g_assert_cmpstr (refused.out, ==, "");
  g_assert_cmpuint (strlen (refused.err), >, 20);
}

/* The bundle has what the framework needs, what starts it, and says so; a version can be asked
 * for. */
static void
test_export_bundle (void)
{
  static const char *const names[] = { "job.sbatch", "nanotron.yaml", "README.md" };
  g_autofree char *folder = g_dir_make_tmp ("shardwise-XXXXXX", NULL);
  g_autofree char *arguments =
      g_strdup_printf ("export @EXAMPLES@/llama-3-8b-8.shardwise --to nanotron --bundle --launcher "
                       "slurm --output %s",
                       folder);
  g_auto (Outcome) outcome = { 0 }, wrong = { 0 }, unknown = { 0 }, rule = { 0 };
  g_autoptr (JsonNode) node = NULL, refused = NULL;
  JsonObject *object;

  run (arguments, NULL, &outcome);
  g_assert_cmpint (outcome.status, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0); /* nothing else was written */

  object =
      run_json ("export @EXAMPLES@/llama-3-8b-8.shardwise --to kubernetes --framework-version v1 "
                "--json",
                NULL, 0, &node);
  g_assert_cmpstr (json_object_get_string_member (object, "version"), ==, "v1");
  run ("export @EXAMPLES@/llama-3-8b-8.shardwise --to nanotron --framework-version 9", NULL,
       &unknown);
  g_assert_cmpint (unknown.status, ==, 2);
  run ("export @EXAMPLES@/llama-3-8b-8.shardwise --to nanotron --launcher fsdp2", NULL, &wrong);
  g_assert_cmpint (wrong.status, ==, 2);

  /* A pinned strategy that it cannot express: the rule, and the nearest that it can. */
  run ("export --model llama-3-70b --gpus 32 --zero-stage 3 --to megatron --json", NULL, &rule);
  g_assert_cmpint (rule.status, ==, 3);
  refused = json_from_string (rule.out, NULL);
  object = json_node_get_object (refused);
  g_assert_nonnull (strstr (
      json_array_get_string_element (json_object_get_array_member (object, "not_expressed"), 0),
      "Megatron-Core 0.20.0"));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "nearest")), ==,
                    1);
}

#define PROBE "shardwise-probe.py"

/* The shapes of the scenario, which its strategy cuts, stand in the script; without one nobody's. */
static void
test_probe (void)
{
  g_autofree char *folder = g_dir_make_tmp ("shardwise-XXXXXX", NULL);
  g_autofree char *script = g_build_filename (folder, "shardwise-probe.py", NULL),
                  *batch = g_build_filename (folder, "shardwise-probe.sbatch", NULL);
  g_autofree char *whole = g_strdup_printf ("probe @EXAMPLES@/llama-3-70b-32.shardwise --to %s "
                                            "--launcher slurm --quick --json",
                                            folder),
                  *plain = g_strdup_printf ("probe --to %s", folder), *text = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_auto (Outcome) outcome = { 0 };
  JsonObject *object = run_json (whole, NULL, 0, &node);
  JsonArray *files = json_object_get_array_member (object, "files");
  const char *content;

  g_assert_cmpuint (json_array_get_length (files), ==, 2);
  content = json_object_get_string_member (json_array_get_object_element (files, 0), "content");
  g_assert_nonnull (strstr (content, "\nSCENARIO = {\"gemms\": [(")); /* not the template's */
  g_assert_nonnull (strstr (content, "\nQUICK = True\n"));
  /* One GPU, those of a node, all nodes: in its head and for whoever asks. */
  g_assert_nonnull (strstr (content, "\n    torchrun --standalone --nproc-per-node 8 " PROBE));
  g_assert_nonnull (strstr (content, "\n    srun --nodes 4 --ntasks-per-node 8 --gpus-per-node 8 "
                                     "python3 " PROBE "  # "));
  g_assert_cmpstr (json_object_get_string_member (object, "start"), ==,
                   "sbatch shardwise-probe.sbatch");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "starts")), ==, 3);
  content = json_object_get_string_member (json_array_get_object_element (files, 1), "content");
  g_assert_nonnull (strstr (content, "#SBATCH --nodes=4\n"));
  g_assert_cmpint (g_remove (batch), ==, 0);

  run (plain, NULL, &outcome);
  g_assert_cmpint (outcome.status, ==, 0);
  g_assert_nonnull (strstr (outcome.out, "\n  python3 " PROBE "\n  torchrun --standalone "
                                         "--nproc-per-node 8 " PROBE "\n  srun --nodes 2 "));
  g_assert_true (g_file_get_contents (script, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "SCENARIO = {\"gemms\": [], "));
  g_assert_nonnull (strstr (text, "\nQUICK = False\n"));
  g_assert_cmpint (g_remove (script), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0); /* nothing else was written */
}

/* The script contains the layer of the best strategy and the code shared with the probe; its output
 * is compared. */
static void
test_step_probe (void)
{
  g_autofree char *folder = g_dir_make_tmp ("shardwise-XXXXXX", NULL);
  g_autofree char *script = g_build_filename (folder, "shardwise-step-probe.py", NULL),
                  *written = g_strdup_printf ("step-probe @EXAMPLES@/llama-3-8b-8.shardwise --tp 2 "
                                              "--cp 2 --to %s",
                                              folder),
                  *measured = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", "import-probe",
                                                     "step.json", NULL),
                  *compared = g_strdup_printf ("step-probe @EXAMPLES@/llama-3-8b-8.shardwise "
                                               "--measured %s",
                                               measured),
                  *as_json = g_strconcat (compared, " --json", NULL), *text = NULL;
  g_auto (Outcome) outcome = { 0 }, table = { 0 }, answer = { 0 }, none = { 0 };
  g_autoptr (JsonNode) node = NULL;
  JsonObject *row;

  run (written, NULL, &outcome);
  g_assert_cmpint (outcome.status, ==, 0);
  g_assert_nonnull (strstr (outcome.out, "torchrun --standalone --nproc-per-node 4"));
  g_assert_nonnull (strstr (outcome.out, "shardwise-step-probe.json"));
  g_assert_true (g_file_get_contents (script, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "LAYER = {\"hidden_size\": 4096"));
  g_assert_nonnull (
      strstr (text, "--nproc-per-node 4 shardwise-step-probe.py  # of tp x cp = 4 GPUs"));
  g_assert_nonnull (strstr (text, "\nclass Machine:"));
  g_assert_nonnull (strstr (text, "\nclass Probe:"));
  g_assert_null (strstr (text, "@shared"));
  g_assert_cmpint (g_remove (script), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);

  run (compared, NULL, &table);
  g_assert_cmpint (table.status, ==, 0);
  g_assert_nonnull (strstr (table.out, "One layer on CPU, as in Megatron-Core: TP 2, CP 2"));
  g_assert_nonnull (strstr (table.out, "Attention, backward"));
  g_assert_nonnull (strstr (table.err, "The layer ran on “CPU”"));
  run (as_json, NULL, &answer);
  node = json_from_string (answer.out, NULL);
  row = json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (node), "rows"), 0);
  g_assert_cmpstr (json_object_get_string_member (row, "kind"), ==, "attention");
  g_assert_cmpstr (json_object_get_string_member (row, "pass"), ==, "forward");
  g_assert_cmpfloat (json_object_get_double_member (row, "predicted"), >, 0);
  run ("step-probe @EXAMPLES@/llama-3-8b-8.shardwise", NULL, &none);
  g_assert_cmpint (none.status, ==, 2);
  g_assert_nonnull (strstr (none.err, "No layer was measured"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cli-export/step-probe", test_step_probe);
  g_test_add_func ("/cli-export/export", test_export);
  g_test_add_func ("/cli-export/export-bundle", test_export_bundle);
  g_test_add_func ("/cli-export/probe", test_probe);
  g_test_add_func ("/cli/export-all-refusals", test_all_refusals);
  return g_test_run ();
}
