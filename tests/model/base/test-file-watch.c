/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An open file that others change. */
#include <glib/gstdio.h>
#include <unistd.h>

#include "shardwise-file-watch.h"
#include "shardwise-scenario.h"

static void
changed_cb (guint *n)
{
  ++*n;
}

static void
give_up (gpointer data)
{
  g_error ("the file did not become %s", (const char *) data);
}

#define wait_for(watch, expected)                                                                  \
  G_STMT_START                                                                                     \
  {                                                                                                \
    guint deadline = g_timeout_add_once (20000, give_up, (gpointer) #expected);                    \
    while (shardwise_file_watch_get_state (watch) != (expected))                                   \
      g_main_context_iteration (NULL, TRUE);                                                       \
    g_source_remove (deadline);                                                                    \
  }                                                                                                \
  G_STMT_END

static char *
scenario_text (double gpus)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();

  g_assert_true (shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS,
                                         g_variant_new_double (gpus), NULL));
  return shardwise_scenario_to_json (scenario);
}

static void
assert_check (ShardwiseFileWatch *watch, gboolean changed)
{
  g_autoptr (ShardwiseFileCheck) check = shardwise_file_watch_check_new (watch);

  g_assert_cmpint (shardwise_file_check_is_changed (check), ==, changed);
}

/* Written the same in another form: the same. Other values, gone, another name: told apart. */
static void
test_watch (void)
{
  static const char *const compact =
      "{\"format\":\"shardwise-scenario\",\"version\":1,\"model\":{\"preset\":\"llama-3-8b\"},"
      "\"cluster\":{\"gpu\":\"h100-80-sxm\",\"gpus\":16}}";
  g_autofree char *sixteen = scenario_text (16), *thirty = scenario_text (30);
  g_autofree char *folder = g_dir_make_tmp ("shardwise-watch-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "mine.shardwise", NULL),
                  *other_path = g_build_filename (folder, "other.shardwise", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (ShardwiseFileWatch) watch = NULL;
  g_autofree char *target = NULL;
  guint n = 0;

  g_assert_true (g_file_set_contents (path, sixteen, -1, NULL));
  watch = shardwise_file_watch_new (file, sixteen);
  g_signal_connect_swapped (watch, "changed", G_CALLBACK (changed_cb), &n);
  g_assert_true (g_file_set_contents (path, compact, -1, NULL));
  assert_check (watch, FALSE);
  g_assert_cmpuint (n, ==, 0);

  g_assert_true (g_file_set_contents (path, thirty, -1, NULL));
  assert_check (watch, TRUE);
  wait_for (watch, SHARDWISE_FILE_CHANGED);
  shardwise_file_watch_let_be (watch);
  assert_check (watch, FALSE);
  g_assert_true (g_file_set_contents (path, "nonsense", -1, NULL));
  wait_for (watch, SHARDWISE_FILE_CHANGED);
  g_assert_cmpint (g_unlink (path), ==, 0);
  wait_for (watch, SHARDWISE_FILE_GONE);
  assert_check (watch, FALSE); /* there is nothing to write over */

  g_assert_true (g_file_set_contents (path, thirty, -1, NULL));
  shardwise_file_watch_set_known (watch, thirty);
  g_assert_cmpint (shardwise_file_watch_get_state (watch), ==, SHARDWISE_FILE_SAME);
  g_assert_cmpint (g_rename (path, other_path), ==, 0);
  wait_for (watch, SHARDWISE_FILE_MOVED);
  target = g_file_get_path (shardwise_file_watch_get_target (watch));
  g_assert_cmpstr (target, ==, other_path);
  g_assert_cmpint (g_unlink (other_path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Replaced as programs save, through a link: what comes in the place of a file that was moved away
 * is no longer followed to where that one went, nor to itself. */
static void
test_replaced (void)
{
  g_autofree char *sixteen = scenario_text (16), *thirty = scenario_text (30);
  g_autofree char *folder = g_dir_make_tmp ("shardwise-watch-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "mine.shardwise", NULL),
                  *coming_path = g_build_filename (folder, "coming", NULL),
                  *away_path = g_build_filename (folder, "away", NULL),
                  *link_path = g_build_filename (folder, "link.shardwise", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (link_path);
  g_autoptr (ShardwiseFileWatch) watch = NULL;

  g_assert_true (g_file_set_contents (path, sixteen, -1, NULL));
  g_assert_cmpint (symlink (path, link_path), ==, 0);
  watch = shardwise_file_watch_new (file, sixteen);
  g_assert_true (g_file_set_contents (path, thirty, -1, NULL));
  wait_for (watch, SHARDWISE_FILE_CHANGED); /* by now it is watched */
  g_assert_cmpint (g_rename (path, away_path), ==, 0);
  wait_for (watch, SHARDWISE_FILE_MOVED);
  g_assert_true (g_file_set_contents (coming_path, thirty, -1, NULL));
  g_assert_cmpint (g_rename (coming_path, path), ==, 0);
  wait_for (watch, SHARDWISE_FILE_CHANGED);
  g_assert_cmpint (g_unlink (path), ==, 0);
  wait_for (watch, SHARDWISE_FILE_GONE);
  g_assert_cmpint (g_unlink (link_path), ==, 0);
  g_assert_cmpint (g_unlink (away_path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/file-watch/states", test_watch);
  g_test_add_func ("/file-watch/replaced", test_replaced);
  return g_test_run ();
}
