/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The built shardwise-cli: numbers of GPUs, and what a job costs. */
#include <math.h>
#include <string.h>

#include "cli-fixture.h"

static void
test_scale (void)
{
  g_autoptr (JsonNode) node = NULL;
  JsonArray *points = json_object_get_array_member (
      run_json ("scale @EXAMPLES@/llama-3-8b-8.shardwise --gpus 16,8 --json", NULL, 0, &node),
      "points");

  g_assert_cmpuint (json_array_get_length (points), ==, 2);
  g_assert_cmpint (json_object_get_int_member (json_array_get_object_element (points, 0), "gpus"),
                   ==, 16);
  g_assert_cmpfloat (
      json_object_get_double_member (json_array_get_object_element (points, 0), "days"), <,
      json_object_get_double_member (json_array_get_object_element (points, 1), "days"));
  g_assert_cmpfloat (
      json_object_get_double_member (json_array_get_object_element (points, 0), "cost"), >, 0);
}

/* The fewest GPUs are named with what they take, as in the advice. */
static void
test_scale_least (void)
{
  g_autoptr (JsonNode) node = NULL;
  g_auto (Outcome) text = { 0 };
  JsonArray *least = json_object_get_array_member (
      run_json ("scale @EXAMPLES@/llama-3-70b-32.shardwise --gpus 16,32 --json", NULL, 0, &node),
      "least_gpus_by");
  JsonObject *first = json_array_get_object_element (least, 0);

  g_assert_cmpuint (json_array_get_length (least), >, 1);
  g_assert_cmpstr (json_object_get_string_member (first, "means"), ==, "none");
  run ("scale @EXAMPLES@/llama-3-70b-32.shardwise --gpus 16,32", NULL, &text);
  g_assert_nonnull (strstr (text.out, "Fewest GPUs on which it fits for certain: "));
  g_assert_nonnull (strstr (text.out, " without offload; "));
}

/* Pins that the smaller sizes cannot hold refuse those alone; memory is not to blame. */
static void
test_scale_pins (void)
{
  g_auto (Outcome) text = { 0 }, none = { 0 };

  run ("scale --model llama-3-70b --gpu h100-80-sxm --tp 8 --pp 4 --gpus 8,64", NULL, &text);
  g_assert_cmpint (text.status, ==, 0);
  g_assert_nonnull (strstr (text.out, "       8  no strategy is possible\n"));
  g_assert_nonnull (strstr (text.out, "TP 8 · PP 4"));
  run ("scale --model llama-3-70b --gpu h100-80-sxm --tp 8 --pp 4 --gpus 8,16", NULL, &none);
  g_assert_cmpint (none.status, ==, 1);
  g_assert_nonnull (strstr (none.err, "but only 8 are available"));
}

/* Without sizes of its own the range is 8 to 131,072; what is not known is null. */
static void
test_scale_defaults (void)
{
  g_autoptr (JsonNode) node = NULL;
  JsonObject *object = run_json ("scale --model llama-3-8b --gpu h100-80-sxm --json", NULL, 0,
                                 &node),
             *point;
  JsonArray *points = json_object_get_array_member (object, "points");

  g_assert_cmpuint (json_array_get_length (points), ==, 15);
  point = json_array_get_object_element (points, 14);
  g_assert_cmpint (json_object_get_int_member (point, "gpus"), ==, 131072);
  g_assert_true (json_object_get_null_member (point, "days"));
  g_assert_true (json_object_get_null_member (point, "cost"));
  g_assert_true (json_object_get_null_member (point, "energy_kwh"));
  g_assert_cmpfloat (json_object_get_double_member (point, "goodput"), >, 0);
  g_assert_cmpstr (json_object_get_string_member (object, "batch"), ==, "fixed");
  g_assert_cmpfloat (
      json_object_get_double_member (json_array_get_object_element (points, 0), "share_of_ideal"),
      ==, 1);
}

/* Each GPU keeps its batch, on the scenario's GPU and on another, in JSON and in CSV. */
static void
test_scale_compared (void)
{
  static const char *const arguments =
      "scale @EXAMPLES@/llama-3-8b-8.shardwise --gpus 8,64 --batch per-gpu --compare-gpu "
      "h200-141-sxm --compare-network ib-edr --json";
  g_autoptr (JsonNode) node = NULL;
  g_auto (Outcome) csv = { 0 }, text = { 0 };
  JsonObject *object = run_json (arguments, NULL, 0, &node),
             *compared = json_object_get_object_member (object, "compared");
  JsonArray *points = json_object_get_array_member (object, "points"),
            *others = json_object_get_array_member (compared, "points");
  gint64 batch = json_object_get_int_member (json_array_get_object_element (points, 0),
                                             "global_batch_size");

  g_assert_cmpstr (json_object_get_string_member (object, "batch"), ==, "per-gpu");
  g_assert_cmpint (
      json_object_get_int_member (json_array_get_object_element (points, 1), "global_batch_size"),
      ==, 8 * batch);
  g_assert_cmpstr (json_object_get_string_member (compared, "gpu"), ==, "h200-141-sxm");
  g_assert_cmpstr (json_object_get_string_member (compared, "network"), ==, "ib-edr");
  g_assert_cmpuint (json_array_get_length (others), ==, 2);
  g_assert_cmpfloat (
      json_object_get_double_member (json_array_get_object_element (others, 0), "tokens_per_s"), >,
      json_object_get_double_member (json_array_get_object_element (points, 0), "tokens_per_s"));
  run ("scale @EXAMPLES@/llama-3-8b-8.shardwise --gpus 8,64 --compare-gpu h200-141-sxm --csv", NULL,
       &csv);
  g_assert_cmpint (csv.status, ==, 0);
  g_assert_nonnull (strstr (csv.out, ",h100-80-sxm,"));
  g_assert_nonnull (strstr (csv.out, ",h200-141-sxm,"));
  run ("scale --model llama-3-8b --gpu h100-80-sxm --gpus 8 --compare-gpu h200-141-sxm", NULL,
       &text);
  g_assert_nonnull (strstr (text.out, "H200"));
  g_assert_nonnull (strstr (text.out, "–")); /* no tokens: neither days nor cost */
}

/* What fits on a machine, and what a model needs. */
static void
test_plan (void)
{
  g_autoptr (JsonNode) machine = NULL, model = NULL;
  g_auto (Outcome) text = { 0 }, prices = { 0 };
  JsonObject *object = run_json ("plan rtx-4090 --gpus 2 --models llama-3-8b,llama-3-70b --json",
                                 NULL, 0, &machine),
             *row;
  JsonArray *rows = json_object_get_array_member (object, "models"), *methods;

  g_assert_cmpint (json_object_get_int_member (object, "gpus"), ==, 2);
  g_assert_cmpuint (json_array_get_length (rows), ==, 2);
  row = json_array_get_object_element (rows, 0);
  g_assert_cmpstr (json_object_get_string_member (row, "model"), ==, "llama-3-8b");
  methods = json_object_get_array_member (row, "methods");
  g_assert_cmpuint (json_array_get_length (methods), ==, 4);
  row = json_array_get_object_element (methods, 3);
  g_assert_cmpstr (json_object_get_string_member (row, "method"), ==, "qlora");
  g_assert_cmpfloat (json_object_get_double_member (row, "tokens_per_s"), >, 0);
  g_assert_cmpint (json_object_get_int_member (row, "longest_sequence"), >=, 4096);

  object = run_json ("plan --model llama-3-8b --json", NULL, 0, &model);
  g_assert_cmpstr (json_object_get_string_member (object, "model"), ==, "llama-3-8b");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "gpus")), >, 40);

  run ("plan t4", NULL, &text);
  g_assert_cmpint (text.status, ==, 0);
  g_assert_nonnull (strstr (text.out, "1 T4"));
  run ("plan --model llama-3-8b", NULL, &prices);
  g_assert_nonnull (strstr (prices.out, "an hour (20"));
}

static void
test_atlas (void)
{
  g_autoptr (JsonNode) node = NULL;
  g_auto (Outcome) csv = { 0 }, text = { 0 };
  JsonArray *cells = json_object_get_array_member (
      run_json ("scale --atlas --gpu h100-80-sxm --sizes 8,80 --nodes 1,4 --json", NULL, 0, &node),
      "cells");
  JsonObject *cell = json_array_get_object_element (cells, 2);

  g_assert_cmpuint (json_array_get_length (cells), ==, 4);
  g_assert_cmpfloat (json_object_get_double_member (cell, "parameters_b"), ==, 80);
  g_assert_cmpint (json_object_get_int_member (cell, "nodes"), ==, 1);
  g_assert_cmpint (json_object_get_int_member (cell, "gpus"), ==, 8);
  g_assert_false (json_object_get_boolean_member (cell, "fits"));
  g_assert_true (json_object_get_boolean_member (json_array_get_object_element (cells, 3), "fits"));
  run ("scale --atlas @EXAMPLES@/llama-3-8b-8.shardwise --csv", NULL, &csv);
  g_assert_true (g_str_has_prefix (csv.out, "parameters_b,nodes,gpus,fits"));
  g_assert_nonnull (strstr (csv.out, "\r\n80,4,32,"));
  run ("scale --atlas --gpu h100-80-sxm --sizes 80 --nodes 1", NULL, &text);
  g_assert_cmpint (text.status, ==, 3);
  g_assert_nonnull (strstr (text.out, "nothing fits"));
}

/* What would say nothing is refused rather than passed over. */
static void
test_atlas_refusals (void)
{
  static const char *const cases[] = {
    "scale --atlas --gpu h100-80-sxm --gpus 8,64",
    "scale --atlas --gpu h100-80-sxm --batch fixed",
    "scale --atlas --gpu h100-80-sxm --compare-gpu h200-141-sxm",
    "scale --atlas --gpu h100-80-sxm --from 2026-12-01",
    "scale @EXAMPLES@/llama-3-8b-8.shardwise --sizes 8",
    "scale @EXAMPLES@/llama-3-8b-8.shardwise --nodes 1",
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Outcome) outcome = { 0 };

      run (cases[i], NULL, &outcome);
      g_assert_cmpint (outcome.status, ==, 2);
      g_assert_nonnull (strstr (outcome.err, "--atlas"));
    }
}

static double
first_cell (const char *arguments, const char *name)
{
  g_autoptr (JsonNode) node = NULL;
  JsonArray *cells = json_object_get_array_member (run_json (arguments, NULL, 0, &node), "cells");

  return json_object_get_double_member (json_array_get_object_element (cells, 0), name);
}

/* Options change the question of the atlas, with a model and without; no GPUs need be named. */
static void
test_atlas_options (void)
{
  const double plain = first_cell ("scale --atlas --gpu h100-80-sxm --sizes 8 --nodes 1 --json",
                                   "tokens_per_s"),
               longer = first_cell ("scale --atlas --gpu h100-80-sxm --sizes 8 --nodes 1 "
                                    "--sequence-length 65536 --json",
                                    "tokens_per_s"),
               fp8 = first_cell ("scale --atlas --precision fp8 --sizes 8 --nodes 1 --json",
                                 "tokens_per_s");

  g_assert_cmpfloat (longer, <, 0.9 * plain);
  g_assert_cmpfloat (fp8, >, 1.1 * plain);
  g_assert_cmpfloat (
      first_cell ("scale --atlas --model llama-3-8b --sizes 8 --nodes 1 --json", "gpus"), ==, 8);
}

/* What `cost` says of a cluster is what `scale` says of that size; items add up to the total. */
static void
test_cost (void)
{
  static const char *const arguments =
      "cost @EXAMPLES@/llama-3-8b-8.shardwise --capex-per-gpu 35000 --json";
  g_autoptr (JsonNode) node = NULL, sizes = NULL;
  JsonObject *object = run_json (arguments, NULL, 0, &node), *point;
  JsonArray *items = json_object_get_array_member (object, "items");
  double total = json_object_get_double_member (object, "total"), sum = 0;

  for (guint i = 0; i < json_array_get_length (items); i++)
    {
      JsonObject *item = json_array_get_object_element (items, i);

      g_assert_cmpstr (json_object_get_string_member (item, "unit"), ==, "USD");
      g_assert_cmpstr (json_object_get_string_member (item, "name"), !=, "");
      sum += json_object_get_double_member (item, "amount");
    }
  g_assert_cmpfloat (total, >, 0);
  g_assert_cmpfloat (fabs (sum / total - 1), <, 1e-14);
  g_assert_cmpstr (json_object_get_string_member (object, "currency"), ==, "USD");
  g_assert_cmpstr (json_object_get_string_member (object, "basis"), ==, "cloud");
  g_assert_cmpfloat (json_object_get_double_member (object, "goodput"), >, 0.9);
  g_assert_cmpfloat (json_object_get_double_member (object, "goodput"), <, 1);
  g_assert_cmpfloat (json_object_get_double_member (object, "break_even_gpu_hours"), >, 0);
  point = json_array_get_object_element (
      json_object_get_array_member (
          run_json ("scale @EXAMPLES@/llama-3-8b-8.shardwise --gpus 8 --json", NULL, 0, &sizes),
          "points"),
      0);
  g_assert_cmpfloat (json_object_get_double_member (point, "cost"), ==, total);
  g_assert_cmpfloat (json_object_get_double_member (point, "days"), ==,
                     json_object_get_double_member (object, "days"));
  g_assert_cmpfloat (json_object_get_double_member (point, "energy_kwh"), ==,
                     json_object_get_double_member (object, "energy_kwh"));
}

/* A job of seconds: its money and energy have digits, and one GPU is not several. */
static void
test_cost_tiny (void)
{
  g_auto (Outcome) outcome = { 0 };
  g_auto (GStrv) lines = NULL;

  run ("cost --parameters-b 0.1 --gpus 1 --global-batch-size 8 --tokens 1e6 --price 2.5", NULL,
       &outcome);
  g_assert_cmpint (outcome.status, ==, 0);
  lines = g_strsplit (outcome.out, "\n", 2);
  g_assert_true (g_regex_match_simple (" on 1 GPU: .* 0\\.00[1-9]\\d* USD\\.$", lines[0], 0, 0));
  g_assert_true (g_regex_match_simple ("Total +0\\.00[1-9]", lines[1], 0, 0));
  g_assert_true (g_regex_match_simple ("Energy: 0\\.000[1-9]\\d* kWh", lines[1], 0, 0));
}

static void
test_cost_deadline (void)
{
  g_autoptr (JsonNode) met = NULL, missed = NULL, unpriced = NULL, hopeless = NULL;
  JsonObject *cost, *plan = json_object_get_object_member (
                        run_json ("cost @EXAMPLES@/llama-3-8b-8.shardwise --deadline "
                                  "2027-01-10 --from 2026-12-31 --json",
                                  NULL, 0, &met),
                        "deadline");
  JsonObject *smallest = json_object_get_object_member (plan, "smallest");

  g_assert_cmpfloat (json_object_get_double_member (plan, "days"), ==, 10);
  g_assert_cmpint (json_object_get_int_member (smallest, "gpus"), >, 8);
  g_assert_cmpfloat (json_object_get_double_member (smallest, "days"), <=, 10);
  plan = json_object_get_object_member (
      run_json ("scale @EXAMPLES@/llama-3-8b-8.shardwise --gpus 1,8 --deadline 2027-01-10 "
                "--from 2026-12-31 --json",
                NULL, 0, &missed),
      "deadline");
  g_assert_true (json_object_get_null_member (plan, "smallest"));
  g_assert_true (json_object_get_null_member (plan, "cheapest"));
  /* Without a price in the currency no cost of a plan is known, and none is the cheapest. */
  plan = json_object_get_object_member (
      run_json ("cost --model llama-3-8b --gpus 8 --tokens 1e11 --currency CHF --json "
                "--deadline 2027-01-10 --from 2026-12-31",
                NULL, 0, &unpriced),
      "deadline");
  smallest = json_object_get_object_member (plan, "smallest");
  g_assert_cmpfloat (json_object_get_double_member (smallest, "days"), <=, 10);
  g_assert_true (json_object_get_null_member (smallest, "cost"));
  g_assert_true (json_object_get_null_member (plan, "cheapest"));
  g_assert_true (json_object_get_null_member (json_node_get_object (unpriced), "price"));
  /* A cluster too small has no days and no cost, and says so. */
  cost = run_json ("cost --model llama-3.1-405b --gpus 8 --tokens 1e12 --json", NULL, 3, &hopeless);
  g_assert_true (json_object_get_null_member (cost, "total"));
  g_assert_true (json_object_get_null_member (cost, "days"));
  g_assert_true (json_object_get_null_member (cost, "energy_kwh"));
}

/* The lines of a bill add up to its total, unrounded. */
static void
test_cost_csv (void)
{
  g_auto (Outcome) outcome = { 0 }, hopeless = { 0 };
  g_auto (GStrv) lines = NULL;
  double sum = 0, total = 0;

  /* What is not known has no line. */
  run ("cost --model llama-3.1-405b --gpus 8 --tokens 1e12 --csv", NULL, &hopeless);
  g_assert_cmpint (hopeless.status, ==, 3);
  g_assert_cmpstr (hopeless.out, ==, "part,item,amount,unit\r\njob,gpus,8,GPUs\r\n");
  run ("cost @EXAMPLES@/llama-3-8b-8.shardwise --csv", NULL, &outcome);
  g_assert_cmpint (outcome.status, ==, 0);
  lines = g_strsplit (outcome.out, "\r\n", -1);
  g_assert_cmpstr (lines[0], ==, "part,item,amount,unit");
  for (guint i = 1; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      g_auto (GStrv) cells = g_strsplit (lines[i], ",", -1);

      g_assert_cmpuint (g_strv_length (cells), ==, 4);
      if (!g_str_equal (cells[0], "cloud") || g_str_equal (cells[1], "per-million-tokens"))
        continue;
      *(g_str_equal (cells[1], "total") ? &total : &sum) += g_ascii_strtod (cells[2], NULL);
    }
  g_assert_cmpfloat (total, >, 0);
  g_assert_cmpfloat (fabs (sum / total - 1), <, 1e-14);
}

static void
test_cost_text (void)
{
  g_auto (Outcome) text = { 0 }, csv = { 0 };
  g_auto (GStrv) lines = NULL;

  run ("cost @EXAMPLES@/llama-3-8b-8.shardwise --capex-per-gpu 35000", NULL, &text);
  g_assert_cmpint (text.status, ==, 0);
  g_assert_nonnull (strstr (text.out, "Owning costs less"));
  g_assert_nonnull (strstr (text.out, "Not included:"));
  g_assert_null (strstr (text.out, "nan"));
  run ("scale @EXAMPLES@/llama-3-8b-8.shardwise --gpus 8,16 --csv", NULL, &csv);
  g_assert_cmpint (csv.status, ==, 0);
  lines = g_strsplit (csv.out, "\r\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 4); /* header, two rows, nothing */
  g_assert_true (g_str_has_prefix (lines[0], "gpus,fits,tokens_per_s"));
  g_assert_true (g_str_has_prefix (lines[2], "16,1,"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cli-scale/scale", test_scale);
  g_test_add_func ("/cli/plan", test_plan);
  g_test_add_func ("/cli/scale-least", test_scale_least);
  g_test_add_func ("/cli/scale-pins", test_scale_pins);
  g_test_add_func ("/cli-scale/scale-defaults", test_scale_defaults);
  g_test_add_func ("/cli-scale/scale-compared", test_scale_compared);
  g_test_add_func ("/cli-scale/atlas", test_atlas);
  g_test_add_func ("/cli-scale/atlas-refusals", test_atlas_refusals);
  g_test_add_func ("/cli-scale/atlas-options", test_atlas_options);
  g_test_add_func ("/cli-scale/cost", test_cost);
  g_test_add_func ("/cli-scale/cost-tiny", test_cost_tiny);
  g_test_add_func ("/cli-scale/cost-deadline", test_cost_deadline);
  g_test_add_func ("/cli-scale/cost-csv", test_cost_csv);
  g_test_add_func ("/cli-scale/cost-text", test_cost_text);
  return g_test_run ();
}
