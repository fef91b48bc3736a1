/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "application-fixture.h"

/* The main job, through the actions that menus and shortcuts use: a scenario in, advice in the
 * window, each configuration on the clipboard. */

static GVariant *
scenario_changes (void)
{
  GVariantDict changes;

  g_variant_dict_init (&changes, NULL);
  g_variant_dict_insert (&changes, "model.preset", "s", "llama-3-70b");
  g_variant_dict_insert (&changes, "cluster.gpu", "s", "h100-80-sxm");
  g_variant_dict_insert (&changes, "cluster.gpus", "i", 32);
  g_variant_dict_insert (&changes, "cluster.gpus_per_node", "i", 8);
  g_variant_dict_insert (&changes, "cluster.inter_node", "s", "infiniband");
  g_variant_dict_insert (&changes, "training.sequence_length", "i", 8192);
  g_variant_dict_insert (&changes, "training.micro_batch_size", "i", 4);
  g_variant_dict_insert (&changes, "training.type", "s", "pretrain");
  return g_variant_dict_end (&changes);
}

static void
clipboard_changed_cb (gboolean *changed)
{
  *changed = TRUE;
}

/* Copies the configuration for a framework and returns what is on the clipboard then. */
static char *
copy_export (ShardwiseWindow *window, const char *format)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (window));
  gboolean changed = FALSE;
  gulong handler;

  gdk_clipboard_set_text (clipboard, "before");
  handler = g_signal_connect_swapped (clipboard, "changed", G_CALLBACK (clipboard_changed_cb),
                                      &changed);
  activate (window, "export-to", g_variant_new_string (format));
  activate (window, "copy-export", NULL);
  wait_until (changed);
  g_signal_handler_disconnect (clipboard, handler);
  return ui_read_clipboard (clipboard);
}

static void
check_advice (ShardwiseWindow *window)
{
  ShardwiseAdvisor *advisor = shardwise_window_get_advisor (window);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const SwEstimate *best = shardwise_advice_get_recommended (advice);

  g_assert_true (shardwise_advice_get_fits (advice));
  g_assert_cmpuint (best->gpus_used, <=, 32);
  g_assert_cmpuint (best->strategy.micro_batch, ==, 4);
  g_assert_cmpuint (shardwise_advice_get_problem (advice)->model.layers, ==, 80);
  g_assert_nonnull (strstr (shardwise_advice_get_verdict (advice), "Llama 3 70B"));
  g_assert_cmpuint (shardwise_advice_get_search (advice)->n_best, >, 1);
}

static void
test_main_job (void)
{
  static const struct {
    const char *format;
    const char *holds[3]; /* what a file of that framework cannot be without */
  } exports[] = {
    { "deepspeed",
      { "\"train_micro_batch_size_per_gpu\": 4", "\"zero_optimization\"", "\"bf16\"" } },
    { "fsdp1", { "FullyShardedDataParallel", "torch", "import" } },
    { "fsdp2", { "fully_shard", "torch", "import" } },
    { "nanotron", { "parallelism:", "micro_batch_size: 4", "sequence_length: 8192" } },
  };
  g_autoptr (ShardwiseApplication) application = start_application ();
  ShardwiseWindow *window;

  g_application_activate (G_APPLICATION (application));
  window = SHARDWISE_WINDOW (gtk_application_get_active_window (GTK_APPLICATION (application)));
  wait_until (gtk_widget_get_mapped (GTK_WIDGET (window)));
  g_assert_cmpstr (get_status (window), ==, "empty");

  activate (window, "apply", scenario_changes ());
  wait_until (has_status (window, "ready") || has_status (window, "error"));
  g_assert_cmpstr (get_status (window), ==, "ready");
  check_advice (window);

  for (guint i = 0; i < G_N_ELEMENTS (exports); i++)
    {
      g_autofree char *text = copy_export (window, exports[i].format);

      g_assert_nonnull (text);
      for (guint j = 0; j < G_N_ELEMENTS (exports[i].holds); j++)
        if (strstr (text, exports[i].holds[j]) == NULL)
          g_error ("%s: “%s” is not in\n%s", exports[i].format, exports[i].holds[j], text);
    }
  {
    GVariantDict changes;
    g_autofree char *text = NULL;

    /* What is copied right after an edit waits for its advice. */
    g_variant_dict_init (&changes, NULL);
    g_variant_dict_insert (&changes, "training.sequence_length", "i", 4096);
    activate (window, "apply", g_variant_dict_end (&changes));
    g_assert_cmpstr (get_status (window), ==, "stale");
    text = copy_export (window, "nanotron");
    g_assert_nonnull (strstr (text, "sequence_length: 4096"));
  }
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char *argv[])
{
  if (!ui_start (&argc, &argv))
    return 0;

  g_test_add_func ("/end-to-end/main-job", test_main_job);
  return g_test_run ();
}
