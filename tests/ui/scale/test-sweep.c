/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a page computes on worker threads, where that is soon there. */
#include "shardwise-sweep.h"

#include "shardwise-scale-page.h"
#include "ui-fixture.h"

typedef struct {
  GMutex gate; /* held: the work is not done */
  guint n_computed;
} Awaited;

static GPtrArray *
awaited_work (gpointer data, void (*progress) (double fraction, gpointer data),
              gpointer progress_data, GCancellable *cancellable, GError **error)
{
  Awaited *awaited = data;

  g_mutex_lock (&awaited->gate);
  g_mutex_unlock (&awaited->gate);
  return g_ptr_array_new ();
}

static void
awaited_cb (Awaited *awaited)
{
  awaited->n_computed++;
}

/* What is soon there is shown while it is waited for, and once; what is not goes on. */
static void
test_await (void)
{
  g_autoptr (ShardwiseSweep) sweep = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_SWEEP, NULL));
  Awaited awaited = { .n_computed = 0 };
  gint64 until;

  g_mutex_init (&awaited.gate);
  g_signal_connect_swapped (sweep, "computed", G_CALLBACK (awaited_cb), &awaited);
  shardwise_sweep_await (sweep, G_USEC_PER_SEC); /* nothing is under way */
  g_mutex_lock (&awaited.gate);
  shardwise_sweep_run (sweep, awaited_work, &awaited, NULL);
  shardwise_sweep_await (sweep, 1000);
  g_assert_true (shardwise_sweep_is_running (sweep));
  g_assert_cmpuint (awaited.n_computed, ==, 0);
  g_mutex_unlock (&awaited.gate);
  shardwise_sweep_await (sweep, 60 * G_USEC_PER_SEC);
  g_assert_false (shardwise_sweep_is_running (sweep));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (sweep)));
  g_assert_cmpuint (awaited.n_computed, ==, 1);
  for (until = g_get_monotonic_time () + 50000; g_get_monotonic_time () < until;)
    g_main_context_iteration (NULL, FALSE);
  g_assert_cmpuint (awaited.n_computed, ==, 1);
  g_mutex_clear (&awaited.gate);
}

/* A page that is seen shows a new answer with its sizes where these are soon there: of one small
 * cluster they are, but for a machine that does something else just then. */
static void
test_at_once (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), *window, *entry;
  ShardwiseSweep *sweep;
  gboolean at_once = FALSE;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 500, 700);
  sweep = ui_child (ui_child (page, "sizing"), "sweep");
  wait_until (!shardwise_sweep_is_running (sweep));
  entry = ui_find (ui_child (page, "sizing"), GTK_TYPE_ENTRY);
  gtk_editable_set_text (GTK_EDITABLE (entry), "1");
  g_signal_emit_by_name (entry, "activate");
  for (guint i = 0; i < 50 && !at_once; i++)
    {
      ShardwiseAdvice *before = shardwise_advisor_get_advice (advisor);

      g_assert_true (shardwise_scenario_set (shardwise_advisor_get_scenario (advisor),
                                             SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                                             g_variant_new_int64 (64 + 32 * (i % 2)), NULL));
      wait_until (shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY
                  && shardwise_advisor_get_advice (advisor) != before);
      shardwise_page_update_now (SHARDWISE_PAGE (page));
      at_once = !shardwise_sweep_is_running (sweep);
      wait_until (!shardwise_sweep_is_running (sweep));
    }
  g_assert_true (at_once);
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/sweep/await", test_await);
  g_test_add_func ("/sweep/at-once", test_at_once);
  return g_test_run ();
}
