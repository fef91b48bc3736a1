/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What assistants have to do with a window: proposals, its scenario as a state, what is copied. */
#include "window-fixture.h"

static const char *
state_of (Fixture *fixture, const char *action)
{
  g_autoptr (GVariant) state = g_action_group_get_action_state (G_ACTION_GROUP (fixture->window),
                                                                action);

  return g_intern_string (g_variant_get_string (state, NULL));
}

static void
propose (Fixture *fixture, const char *path, GVariant *value)
{
  activate (fixture->window, "propose",
            g_variant_new ("(@a{sv}s)", one_change (path, value), "<b>Less</b> memory"));
}

/* Nothing changes until the user accepts; then it can be undone. */
static void
test_propose (Fixture *fixture, gconstpointer data)
{
  g_autofree char *before = NULL, *body = NULL;

  shardwise_window_set_scenario (fixture->window, shardwise_scenario_new (), NULL);
  before = get_json (fixture);
  g_assert_cmpstr (state_of (fixture, "scenario"), ==, before);

  propose (fixture, "cluster.gpus", g_variant_new_int64 (64));
  g_assert_true (has_dialog ());
  g_assert_cmpstr (state_of (fixture, "proposal"), ==, "waiting");
  g_assert_true (pango_parse_markup (adw_message_dialog_get_body (find_dialog ()), -1, 0, NULL,
                                     &body, NULL, NULL));
  g_assert_nonnull (strstr (body, "<b>Less</b> memory")); /* its markup is none */
  g_assert_nonnull (strstr (body, "8 → 64"));
  g_assert_cmpfloat (get_gpus (fixture), ==, 8);
  propose (fixture, "cluster.gpus", g_variant_new_int64 (128)); /* one at a time */
  answer ("cancel");
  g_assert_false (has_dialog ());
  g_assert_cmpstr (state_of (fixture, "proposal"), ==, "dismissed");
  g_assert_cmpfloat (get_gpus (fixture), ==, 8);

  propose (fixture, "cluster.gpus", g_variant_new_int64 (64));
  answer ("apply");
  g_assert_cmpstr (state_of (fixture, "proposal"), ==, "accepted");
  g_assert_cmpfloat (get_gpus (fixture), ==, 64);
  g_assert_nonnull (strstr (state_of (fixture, "scenario"), "64"));
  activate (fixture->window, "undo", NULL);
  g_assert_cmpfloat (get_gpus (fixture), ==, 8);

  /* What cannot be is refused at once. */
  propose (fixture, "cluster.gpus", g_variant_new_int64 (0));
  g_assert_false (has_dialog ());
  g_assert_cmpstr (state_of (fixture, "proposal"), ==, "dismissed");
  propose (fixture, "no.such", g_variant_new_int64 (0));
  g_assert_false (has_dialog ());
}

/* On the start page a proposal begins a scenario. */
static void
test_start (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpstr (state_of (fixture, "scenario"), ==, "");
  propose (fixture, "cluster.gpus", g_variant_new_int64 (64));
  answer ("apply");
  g_assert_cmpfloat (get_gpus (fixture), ==, 64);
}

static void
test_copy (Fixture *fixture, gconstpointer data)
{
  const char *const holds[] = { "```json", "llama-3-8b", "GiB", "÷", "## " };
  g_autofree char *text = NULL;

  shardwise_window_set_scenario (fixture->window, shardwise_scenario_new (), NULL);
  wait_until (g_str_equal (state_of (fixture, "status"), "ready"));
  activate (fixture->window, "copy-for-assistant", NULL);
  text = ui_read_clipboard (gtk_widget_get_clipboard (GTK_WIDGET (fixture->window)));
  for (guint i = 0; i < G_N_ELEMENTS (holds); i++)
    g_assert_nonnull (strstr (text, holds[i]));
}

/* The window with the lines, if it is there. */
static GtkWidget *
find_lines (void)
{
  GListModel *windows = gtk_window_get_toplevels ();
  GtkWidget *found = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);

      if (g_strcmp0 (gtk_window_get_title (window), "Use with an Assistant") == 0)
        found = GTK_WIDGET (window);
    }
  return found;
}

static void
test_use (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = NULL;

  gtk_window_present (GTK_WINDOW (fixture->window));
  activate (fixture->window, "use-assistant", NULL);
  g_assert_nonnull (find_lines ());
  adw_action_row_activate (ADW_ACTION_ROW (ui_find (find_lines (), ADW_TYPE_ACTION_ROW)));
  wait_until (find_lines () == NULL);
  text = ui_read_clipboard (gtk_widget_get_clipboard (GTK_WIDGET (fixture->window)));
  g_assert_cmpstr (text, ==,
                   g_file_test ("/.flatpak-info", G_FILE_TEST_EXISTS)
                       ? "claude mcp add shardwise -- flatpak run "
                         "--command=shardwise-cli io.github.shardwise.Shardwise mcp"
                       : "claude mcp add shardwise -- shardwise-cli mcp");
}

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;

  ADD ("/window-assistant/propose", test_propose);
  ADD ("/window-assistant/start", test_start);
  ADD ("/window-assistant/copy", test_copy);
  ADD ("/window-assistant/use", test_use);
  return g_test_run ();
}
