/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's own prices: kept in a file, and used wherever a price is. */
#include "scenario-fixture.h"
#include "shardwise-resolve.h"
#include "shardwise-cost.h"
#include "shardwise-prices.h"

static GFile *
file_of (const char *text)
{
  g_autofree char *folder = g_dir_make_tmp ("prices-XXXXXX", NULL),
                  *path = g_build_filename (folder, "own", "prices.json", NULL);

  if (text != NULL)
    {
      g_autofree char *own = g_path_get_dirname (path);

      g_assert_cmpint (g_mkdir_with_parents (own, 0700), ==, 0);
      g_assert_true (g_file_set_contents (path, text, -1, NULL));
    }
  return g_file_new_for_path (path);
}

static void
read_inputs (const char *cost, ShardwiseCostInputs *out)
{
  g_autofree char *json = g_strdup_printf ("{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": "
                                           "{\"gpu\": \"h100-80-sxm\", \"gpus\": 8}%s}",
                                           cost);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  SwProblem problem;

  g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, NULL));
  shardwise_cost_inputs_read (scenario, &problem, out);
}

/* One that is set goes before the catalogue's, and after the scenario's; it is there again next time. */
static void
test_own (void)
{
  g_autoptr (GFile) file = file_of (NULL);
  g_autoptr (GError) error = NULL;
  ShardwiseCostInputs before, own, stated;

  g_assert_true (shardwise_prices_open (file, &error));
  g_assert_no_error (error);
  read_inputs ("", &before);
  g_assert_true (shardwise_prices_set ("h100-80-sxm", 1.25, "2026-11", &error));
  g_assert_no_error (error);
  g_assert_true (shardwise_prices_open (file, &error));
  read_inputs ("", &own);
  g_assert_cmpfloat (own.price, ==, 1.25);
  g_assert_cmpstr (own.price_date, ==, "2026-11");
  g_assert_cmpfloat (before.price, !=, own.price);
  read_inputs (", \"cost\": {\"price\": 9}", &stated);
  g_assert_cmpfloat (stated.price, ==, 9);
  g_assert_true (shardwise_prices_set ("h100-80-sxm", 0, "2026-11", &error));
  read_inputs ("", &own);
  g_assert_cmpfloat (own.price, ==, before.price);
}

/* A file that is wrong says so, and is left alone. */
static void
test_wrong (void)
{
  static const char *const wrong[] = { "[", "{\"h100-80-sxm\": 2}",
                                       "{\"h100-80-sxm\": {\"price\": -1}}" };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GFile) file = file_of (wrong[i]);
      g_autoptr (GError) error = NULL;

      g_assert_false (shardwise_prices_open (file, &error));
      g_assert_nonnull (error);
    }
}

/* As many steps as the examples fill: pairs are two sequences, packed ones share them. */
static void
test_examples (void)
{
  static const struct {
    const char *training;
    double tokens;
  } jobs[] = {
    { "\"type\": \"lora\", \"examples\": 1000, \"epochs\": 3", 94 * 32 * 1024 },
    { "\"type\": \"dpo\", \"examples\": 1000", 63 * 32 * 1024 },
    { "\"type\": \"lora\", \"examples\": 1000, \"packing\": {\"mean_document\": 256}",
      8 * 32 * 1024 },
    { "\"type\": \"lora\", \"examples\": 1000, \"tokens\": 5e6", 5e6 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autofree char *json = g_strdup_printf (
          "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, \"training\": "
          "{\"sequence_length\": 1024, \"global_batch_size\": 32, %s}}",
          jobs[i].training);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
      SwProblem problem;

      g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, NULL));
      g_assert_cmpfloat (problem.training.tokens, ==, jobs[i].tokens);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/prices/own", test_own);
  g_test_add_func ("/prices/wrong", test_wrong);
  g_test_add_func ("/prices/examples", test_examples);
  return g_test_run ();
}
