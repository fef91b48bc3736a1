/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The built shardwise-cli: scenarios side by side, what limits one, rules, the own runs, every
 * alternative. */
#include <glib/gstdio.h>
#include <string.h>

#include "cli-fixture.h"

#define SMALL "@EXAMPLES@/llama-3-8b-8.shardwise"
#define LARGE "@EXAMPLES@/llama-3-70b-32.shardwise"

static double
member (JsonArray *array, guint index, const char *name)
{
  return json_object_get_double_member (json_array_get_object_element (array, index), name);
}

static const char *
text (JsonArray *array, guint index, const char *name)
{
  return json_object_get_string_member (json_array_get_object_element (array, index), name);
}

/* Columns are the estimates of advise; what differs are keys of the scenario. */
static void
test_compare (void)
{
  g_autoptr (JsonNode) node = NULL, alone = NULL;
  g_auto (Outcome) words = { 0 }, all = { 0 }, csv = { 0 }, one = { 0 }, wrong = { 0 };
  JsonObject *object = run_json ("compare " SMALL " " LARGE " --json", NULL, 0, &node);
  JsonArray *columns = json_object_get_array_member (object, "columns"),
            *differs = json_object_get_array_member (object, "differs");
  JsonObject *best = json_object_get_object_member (
      run_json ("advise " SMALL " --json", NULL, 0, &alone), "recommended");
  gboolean has_gpus = FALSE;

  g_assert_cmpuint (json_array_get_length (columns), ==, 2);
  g_assert_cmpfloat (member (columns, 0, "tokens_per_s"), ==,
                     json_object_get_double_member (best, "tokens_per_s"));
  g_assert_cmpfloat (member (columns, 1, "days"), >, member (columns, 0, "days"));
  g_assert_cmpstr (text (columns, 1, "currency"), ==, "USD");
  for (guint i = 0; i < json_array_get_length (differs); i++)
    has_gpus |= g_str_equal (text (differs, i, "key"), "cluster.gpus");
  g_assert_true (has_gpus);

  run ("compare " SMALL " " LARGE, NULL, &words);
  run ("compare " SMALL " " LARGE " --all", NULL, &all);
  g_assert_nonnull (strstr (words.out, "\nInputs\n"));
  g_assert_null (strstr (words.out, "Sequence parallel"));
  g_assert_nonnull (strstr (all.out, "Sequence parallel"));
  run ("compare " SMALL " " LARGE " --csv", NULL, &csv);
  g_assert_true (g_str_has_prefix (csv.out, "Figure,Unit,A,B\r\n"));
  run ("compare " SMALL, NULL, &one);
  g_assert_cmpint (one.status, ==, 2);
  run ("compare " SMALL " no-such-file", NULL, &wrong);
  g_assert_cmpint (wrong.status, ==, 1);
}

static void
test_sensitivity (void)
{
  g_autoptr (JsonNode) node = NULL, double_node = NULL;
  g_auto (Outcome) words = { 0 }, wrong = { 0 };
  JsonArray *rows = json_object_get_array_member (
                run_json ("sensitivity " SMALL " --json", NULL, 0, &node), "resources"),
            *twice = json_object_get_array_member (
                run_json ("sensitivity " SMALL " --factor 2 --json", NULL, 0, &double_node),
                "resources");

  g_assert_cmpuint (json_array_get_length (rows), ==, 6);
  g_assert_cmpstr (text (rows, 0, "resource"), ==, "compute");
  g_assert_cmpfloat (member (rows, 0, "reoptimised"), >, 0.1);
  g_assert_cmpfloat (member (rows, 0, "reoptimised"), >=, member (rows, 0, "held"));
  g_assert_cmpfloat (member (twice, 0, "reoptimised"), >, member (rows, 0, "reoptimised"));
  run ("sensitivity " SMALL, NULL, &words);
  g_assert_nonnull (strstr (words.out, "\n  Compute rate +25 %: +"));
  run ("sensitivity " SMALL " --factor 1", NULL, &wrong);
  g_assert_cmpint (wrong.status, ==, 2);
}

static void
test_playbook (void)
{
  g_autoptr (JsonNode) node = NULL;
  g_auto (Outcome) words = { 0 }, all = { 0 };
  JsonArray *rules = json_object_get_array_member (
      run_json ("playbook " LARGE " --json", NULL, 0, &node), "rules");
  guint violated = 0, not_relevant = 0;

  for (guint i = 0; i < json_array_get_length (rules); i++)
    {
      violated += g_str_equal (text (rules, i, "state"), "violated");
      not_relevant += g_str_equal (text (rules, i, "state"), "not-relevant");
      g_assert_cmpstr (text (rules, i, "title"), !=, "");
    }
  g_assert_cmpuint (violated, >, 0);
  g_assert_cmpuint (not_relevant, >, 0);
  run ("playbook " LARGE, NULL, &words);
  run ("playbook " LARGE " --all", NULL, &all);
  g_assert_null (strstr (words.out, "Not relevant"));
  g_assert_nonnull (strstr (all.out, "Not relevant"));
}

/* What is added is listed, and calibrates; a journal that is not there is not made by looking. */
static void
test_journal (void)
{
  g_autofree char *folder = g_dir_make_tmp ("shardwise-journal-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "journal.db", NULL);
  g_autofree char *list = g_strdup_printf ("journal list --database %s --json", path),
                  *add = g_strdup_printf (
                      "journal add " SMALL " --step-s 10 --name first --database %s --json", path),
                  *fit = g_strdup_printf ("journal fit --database %s --json", path),
                  *mine = g_strdup_printf ("journal fit " SMALL " --database %s --json", path),
                  *words = g_strdup_printf ("journal fit --database %s", path),
                  *none = g_strdup_printf ("journal add " SMALL " --database %s", path);
  g_autoptr (JsonNode) empty = NULL, added = NULL, listed = NULL, fitted = NULL, own = NULL;
  g_auto (Outcome) said = { 0 }, lacks = { 0 }, verb = { 0 };
  JsonArray *runs;

  runs = json_object_get_array_member (run_json (list, NULL, 0, &empty), "runs");
  g_assert_cmpuint (json_array_get_length (runs), ==, 0);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_cmpfloat (json_object_get_double_member (run_json (add, NULL, 0, &added), "step_s"), ==,
                     10);
  runs = json_object_get_array_member (run_json (list, NULL, 0, &listed), "runs");
  g_assert_cmpuint (json_array_get_length (runs), ==, 1);
  g_assert_cmpstr (text (runs, 0, "name"), ==, "first");
  /* The whole strategy is kept. */
  g_assert_cmpint (
      json_object_get_int_member (
          json_object_get_object_member (
              json_object_get_object_member (json_array_get_object_element (runs, 0), "scenario"),
              "strategy"),
          "pp"),
      ==, 1);
  runs = json_object_get_array_member (run_json (fit, NULL, 0, &fitted), "runs");
  g_assert_cmpfloat (ABS (member (runs, 0, "calibrated_step_s") - 10), <,
                     ABS (member (runs, 0, "predicted_step_s") - 10));
  /* All runs are on the GPU of FILE: the same. */
  run_json (mine, NULL, 0, &own);
  g_assert_true (json_node_equal (own, fitted));
  run (words, NULL, &said);
  g_assert_nonnull (strstr (said.out, "Median error"));
  run (none, NULL, &lacks);
  g_assert_cmpint (lacks.status, ==, 2);
  run ("journal forget", NULL, &verb);
  g_assert_cmpint (verb.status, ==, 2);
  g_unlink (path);
  g_rmdir (folder);
}

/* A line for every strategy that fits, as many as the complete search counts. */
static void
test_alternatives (void)
{
  g_autoptr (JsonNode) node = NULL;
  g_auto (Outcome) all = { 0 }, few = { 0 }, wrong = { 0 };
  JsonObject *searched = json_object_get_object_member (
      run_json ("advise --model llama-3-8b --gpu h100-80-sxm --gpus 8 --complete --json", NULL, 0,
                &node),
      "searched");
  g_auto (GStrv) lines = NULL, best = NULL;

  run ("advise --model llama-3-8b --gpu h100-80-sxm --gpus 8 --csv", NULL, &all);
  lines = g_strsplit (all.out, "\r\n", -1);
  g_assert_true (g_str_has_prefix (lines[0], "rank,framework,tp,etp,pp,"));
  g_assert_cmpint (g_strv_length (lines), ==, json_object_get_int_member (searched, "fit") + 2);
  run ("advise --model llama-3-8b --gpu h100-80-sxm --gpus 8 --csv --top 5", NULL, &few);
  best = g_strsplit (few.out, "\r\n", -1);
  g_assert_cmpuint (g_strv_length (best), ==, 7);
  g_assert_cmpstr (best[5], ==, lines[5]);
  run ("advise " SMALL " --csv --method playbook", NULL, &wrong);
  g_assert_cmpint (wrong.status, ==, 2);
}

/* A complete PDF, for jobs that fit and jobs that do not; nothing is printed meanwhile. */
static void
test_report (void)
{
  g_autofree char *folder = g_dir_make_tmp ("shardwise-report-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "report.pdf", NULL), *content = NULL,
                  *fits = g_strdup_printf ("report " LARGE " --output %s --json", path),
                  *too_large = g_strdup_printf (
                      "report @EXAMPLES@/llama-3.1-405b-too-large.shardwise --output %s --json",
                      path),
                  *nowhere = g_strdup_printf ("report " SMALL " --output %s/none/x.pdf", folder);
  g_autoptr (JsonNode) node = NULL, none = NULL;
  g_auto (Outcome) lacks = { 0 }, wrong = { 0 };
  gsize length;

  g_assert_cmpint (json_object_get_int_member (run_json (fits, NULL, 0, &node), "pages"), >, 3);
  g_assert_true (g_file_get_contents (path, &content, &length, NULL));
  g_assert_true (g_str_has_prefix (content, "%PDF-"));
  g_assert_nonnull (g_strrstr_len (content + length - 32, 32, "%%EOF"));
  g_assert_cmpint (json_object_get_int_member (run_json (too_large, NULL, 3, &none), "pages"), >,
                   0);
  run ("report " SMALL, NULL, &lacks);
  g_assert_cmpint (lacks.status, ==, 2);
  run (nowhere, NULL, &wrong);
  g_assert_cmpint (wrong.status, ==, 1);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cli/compare", test_compare);
  g_test_add_func ("/cli/sensitivity", test_sensitivity);
  g_test_add_func ("/cli/playbook", test_playbook);
  g_test_add_func ("/cli/journal", test_journal);
  g_test_add_func ("/cli/alternatives", test_alternatives);
  g_test_add_func ("/cli/report", test_report);
  return g_test_run ();
}
