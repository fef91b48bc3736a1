/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the window says of a strategy that does not fit: the GPU's lack, or the host's. */
#include "shardwise-advice-lists.h"
#include "shardwise-advice-page.h"
#include "shardwise-metric.h"
#include "shardwise-format.h"
#include "ui-fixture.h"

/* All of the strategy is pinned. */
static const char pinned[] =
    "{\"model\": {\"preset\": \"llama-2-13b\"}, \"cluster\": {\"gpus\": 16}, \"training\": "
    "{\"global_batch_size\": 256}, \"strategy\": {\"tp\": 2, \"pp\": 1, \"dp\": 8, \"cp\": 1, "
    "\"zero_stage\": 0, \"sequence_parallel\": false, \"micro_batch_size\": 4, \"recompute\": "
    "\"none\", \"offload\": \"none\"}}";

static GtkWidget *
page_of (ShardwiseAdvisor *advisor)
{
  GtkWidget *page = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_ADVICE_PAGE, NULL));

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  return page;
}

static ShardwiseMetric *
memory_use (const SwProblem *problem, const SwEstimate *estimate)
{
  return shardwise_metric_new (SHARDWISE_METRIC_MEMORY_USE, problem, estimate, NULL);
}

/* Where the host lacks more than the GPUs, theirs is told of the GPUs all the same. */
static void
test_host (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"model\": {\"preset\": \"deepseek-v3\"}, \"cluster\": {\"gpus\": 8}, "
      "\"training\": {\"framework\": \"megatron-core\"}}");
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  SwEstimate nearest = *shardwise_advice_get_recommended (advice);
  const double over = nearest.memory.peak.total - nearest.memory_limit_bytes;
  g_autofree char *lack = shardwise_format_bytes (over),
                  *host = shardwise_format_bytes (nearest.missing_bytes),
                  *text = shardwise_result_text (&nearest), *fitting = NULL;
  g_autoptr (ShardwiseMetric) metric = memory_use (problem, &nearest), roomy = NULL;

  g_assert_cmpint (nearest.rule, ==, SW_RULE_HOST_MEMORY);
  g_assert_cmpfloat (over, >, 0);
  g_assert_cmpstr (lack, !=, host);
  g_assert_nonnull (strstr (text, lack));
  g_assert_null (strstr (text, host));
  g_assert_nonnull (strstr (metric->assessment, lack));

  nearest.memory.peak.total = nearest.memory_limit_bytes / 2; /* a GPU that has enough */
  fitting = shardwise_result_text (&nearest);
  roomy = memory_use (problem, &nearest);
  g_assert_null (strstr (fitting, host));
  g_assert_nonnull (strstr (roomy->assessment, "host memory"));
  g_assert_cmpint (roomy->grade, ==, SHARDWISE_GRADE_POOR);
}

/* Of a job that cannot run no figure is good or bad, but that it cannot, whatever the rule. */
static void
test_judged (void)
{
  g_autoptr (ShardwiseAdvisor) advisor =
      ui_advisor ("{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}}");
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  SwEstimate broken = *shardwise_advice_get_recommended (advice);

  broken.rule = SW_RULE_TP_HEADS;
  broken.fits = FALSE;
  for (guint kind = 0; kind < SHARDWISE_N_METRICS; kind++)
    {
      g_autoptr (ShardwiseMetric) metric = shardwise_metric_new ((ShardwiseMetricKind) kind,
                                                                 problem, &broken, NULL);

      g_assert_cmpint (metric->grade, ==,
                       kind == SHARDWISE_METRIC_MEMORY_USE ? SHARDWISE_GRADE_POOR
                                                           : SHARDWISE_GRADE_NONE);
      g_assert_true ((metric->assessment != NULL) == (kind == SHARDWISE_METRIC_MEMORY_USE));
    }
}

/* The nearest strategy of a job that is all pinned is on the page once, and not called the best. */
static void
test_pinned (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (pinned);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  GtkWidget *page = page_of (advisor);

  g_assert_false (shardwise_advice_get_fits (advice));
  g_assert_cmpuint (shardwise_advice_get_search (advice)->n_nearest, ==, 1);
  g_assert_true (gtk_widget_get_visible (ui_child (page, "nearest")));
  g_assert_false (gtk_widget_get_visible (ui_child (page, "copy")));
  g_assert_finalize_object (page);
}

/* The first changes that make a job fit are seen at once; the others, and those that are not enough,
 * are folded away. */
static void
test_folded (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"model\": {\"preset\": \"llama-3.1-405b\"}, \"cluster\": {\"gpus\": 16}, "
      "\"training\": {\"type\": \"finetune\", \"global_batch_size\": 64}}");
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const guint n = shardwise_advice_get_ways_out (advice)->len;
  g_autoptr (GtkWidget) list = g_object_ref_sink (gtk_list_box_new ());
  GtkListBoxRow *more, *misses;
  g_autofree char *rest = g_strdup_printf ("%u more changes that make it fit", n - 3);

  g_assert_cmpuint (n, >, 4);
  g_assert_cmpuint (shardwise_advice_list_ways_out (GTK_LIST_BOX (list), advice), ==, 5);
  for (int i = 0; i < 3; i++)
    g_assert_true (ui_says (gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), i), "Apply"));
  more = gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), 3);
  misses = gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), 4);
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (more)), ==, rest);
  g_assert_false (adw_expander_row_get_expanded (ADW_EXPANDER_ROW (more)));
  g_assert_true (ui_says (more, "Apply"));
  g_assert_false (adw_expander_row_get_expanded (ADW_EXPANDER_ROW (misses)));
}

/* "23.8 % of it" is of the figure that it stands under. */
static void
test_recomputation (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, "
      "\"strategy\": {\"recompute\": \"full\"}}");
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  g_autoptr (ShardwiseMetric) metric =
      shardwise_metric_new (SHARDWISE_METRIC_HFU, shardwise_advice_get_problem (advice), e, NULL);
  g_autofree char *share = shardwise_format_percent (1 - e->mfu / e->hfu),
                  *detail = g_strconcat (share, " recomputation", NULL);

  g_assert_cmpfloat (e->hfu, >, e->mfu);
  g_assert_cmpstr (metric->detail, ==, detail);
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;
  g_test_add_func ("/misfit/judged", test_judged);
  g_test_add_func ("/misfit/host", test_host);
  g_test_add_func ("/misfit/pinned", test_pinned);
  g_test_add_func ("/misfit/folded", test_folded);
  g_test_add_func ("/misfit/recomputation", test_recomputation);
  return g_test_run ();
}
