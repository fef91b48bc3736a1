/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trainings that everybody knows, as published: tests of the model's structure, on none of which a
 * constant was fitted. */
#include "scenario-fixture.h"
#include "shardwise-estimate.h"

#include <json-glib/json-glib.h>
#include <math.h>

static void
test_run (gconstpointer data)
{
  JsonObject *run = (JsonObject *) data;
  g_autofree char *json = json_to_string (json_object_get_member (run, "scenario"), FALSE);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  double published = json_object_get_double_member (run, "published_step_s");
  g_autoptr (GPtrArray) notes = NULL;
  g_autoptr (GError) error = NULL;
  SwProblem problem;
  SwEstimate estimate;

  shardwise_estimate_scenario (scenario, &problem, &estimate, &notes, &error);
  g_assert_no_error (error);
  g_test_message ("step %.2f s, published %.2f s; %.1f GiB", estimate.time.step_s, published,
                  estimate.memory.peak.total / SW_GIB);
  g_assert_cmpfloat (fabs (log (estimate.time.step_s / published)), <,
                     json_object_get_double_member (run, "tolerance"));
  /* Whether or not its framework has the schedule that stands for the run's own. */
  if (json_object_get_boolean_member (run, "fits"))
    g_assert_cmpint (estimate.fit, !=, SW_FIT_DOES_NOT_FIT);
}

int
main (int argc, char **argv)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  JsonArray *runs;

  g_test_init (&argc, &argv, NULL);
  path = g_test_build_filename (G_TEST_DIST, "model", "physics", "famous-runs.json", NULL);
  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  runs = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                       "runs");
  for (guint i = 0; i < json_array_get_length (runs); i++)
    {
      JsonObject *run = json_array_get_object_element (runs, i);
      g_autofree char *name = g_strconcat ("/famous/", json_object_get_string_member (run, "id"),
                                           NULL);

      g_test_add_data_func (name, run, test_run);
    }
  return g_test_run ();
}
