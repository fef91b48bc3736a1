/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages of a window cost nothing before they are seen. */
#include "shardwise-metric-card.h"
#include "ui-fixture.h"
#include "window-fixture.h"

static GtkWidget *
page_of (Fixture *fixture, const char *name)
{
  GtkWidget *stack = ui_find (GTK_WIDGET (fixture->window), ADW_TYPE_VIEW_STACK);
  GtkWidget *bin = adw_view_stack_get_child_by_name (ADW_VIEW_STACK (stack), name);

  return adw_bin_get_child (ADW_BIN (bin));
}

static void
test_made_when_seen (Fixture *fixture, gconstpointer data)
{
  static const char *const others[] = { "analysis", "alternatives", "scale", "export" };

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  g_assert_nonnull (page_of (fixture, "advice"));
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    g_assert_null (page_of (fixture, others[i]));
  activate (fixture->window, "page", g_variant_new_string ("export"));
  g_assert_nonnull (page_of (fixture, "export"));
}

/* A change of the inputs reaches a page when it is seen again. */
static void
test_hidden (Fixture *fixture, gconstpointer data)
{
  ShardwiseMetricCard *card;
  const ShardwiseMetric *before;

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  card = SHARDWISE_METRIC_CARD (ui_find (page_of (fixture, "advice"), SHARDWISE_TYPE_METRIC_CARD));
  wait_until (shardwise_metric_card_get_metric (card) != NULL);
  activate (fixture->window, "page", g_variant_new_string ("export"));
  wait_until (!gtk_widget_get_mapped (GTK_WIDGET (card)));
  before = shardwise_metric_card_get_metric (card);
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (16)));
  wait_until (has_status (fixture->window, "ready"));
  shardwise_page_update_now (SHARDWISE_PAGE (page_of (fixture, "export")));
  g_assert_true (shardwise_metric_card_get_metric (card) == before);
  activate (fixture->window, "page", g_variant_new_string ("advice"));
  wait_until (shardwise_metric_card_get_metric (card) != before);
}

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;
  ADD ("/window-pages/made-when-seen", test_made_when_seen);
  ADD ("/window-pages/hidden", test_hidden);
  return g_test_run ();
}
