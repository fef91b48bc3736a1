/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of the ranks, of the page Why. */
#include <string.h>

#include "shardwise-analysis-page.h"
#include "shardwise-chart-card.h"
#include "shardwise-cluster-map.h"
#include "shardwise-rank-chart.h"
#include "ui-fixture.h"

static const char scenario_dense[] =
    "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"llama-3-70b\"},"
    " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 64}, \"training\": {\"framework\": "
    "\"megatron-core\"},"
    " \"strategy\": {\"pp\": 4, \"tp\": 4, \"schedule\": \"1f1b\", \"vpp\": 1}}";

static const char scenario_moe[] =
    "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
    "\"mixtral-8x7b\"},"
    " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 64}, \"training\": {\"framework\": "
    "\"megatron-core\"},"
    " \"strategy\": {\"pp\": 2, \"tp\": 2, \"cp\": 2, \"ep\": 4, \"schedule\": \"1f1b\", "
    "\"vpp\": 1}}";

static const SwCommunicationGroup kinds[] = { SW_COMMUNICATION_TENSOR, SW_COMMUNICATION_CONTEXT,
                                              SW_COMMUNICATION_EXPERT, SW_COMMUNICATION_PIPELINE,
                                              SW_COMMUNICATION_DATA };
static const ShardwiseGroups flags[] = { SHARDWISE_GROUP_TENSOR, SHARDWISE_GROUP_CONTEXT,
                                         SHARDWISE_GROUP_EXPERT, SHARDWISE_GROUP_PIPELINE,
                                         SHARDWISE_GROUP_DATA };

/* Whatever GPU is pointed at, those light up that the map of the cluster puts in one group with
 * it. */
static void
test_groups (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_moe);
  const SwStrategy *strategy = &shardwise_advisor_get_selected (advisor)->strategy;
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;
  ShardwiseRankChart *chart;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  g_assert_true (shardwise_analysis_page_show (SHARDWISE_ANALYSIS_PAGE (page), "ranks"));
  window = ui_show (page, 1000, 900);
  chart = ui_child (page, "rank_chart");
  g_assert_cmpuint (shardwise_chart_n_points (SHARDWISE_CHART (chart)), ==, 64);
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    {
      g_assert_true (shardwise_rank_chart_has_group (chart, kinds[kind]));
      shardwise_rank_chart_set_group (chart, kinds[kind]);
      for (guint by = 0; by < 64; by++)
        for (guint gpu = 0; gpu < 64; gpu++)
          g_assert_cmpint (shardwise_rank_chart_is_lit (chart, gpu, by), ==,
                           (shardwise_rank_common_groups (strategy, gpu, by) & flags[kind]) != 0);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

static GtkToggleButton *
button_of (GtkWidget *buttons, guint index)
{
  GtkWidget *child = gtk_widget_get_first_child (buttons);

  while (index-- > 0)
    child = gtk_widget_get_next_sibling (child);
  return GTK_TOGGLE_BUTTON (child);
}

/* The buttons colour by another group and the sentence follows; the readout names group and links.
 * A strategy without context or expert parallelism has no buttons for them. */
static void
test_page (void)
{
  g_autoptr (ShardwiseAdvisor) moe = ui_advisor (scenario_moe), dense = ui_advisor (scenario_dense);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window, *buttons;
  g_autofree char *text = NULL, *csv = NULL;
  ShardwiseChart *chart;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), moe);
  g_assert_true (shardwise_analysis_page_show (SHARDWISE_ANALYSIS_PAGE (page), "ranks"));
  window = ui_show (page, 360, 900);
  chart = ui_child (page, "rank_chart");
  buttons = ui_find (ui_child (page, "rank_card"), SHARDWISE_TYPE_GROUP_BUTTONS);
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "Tensor parallel: 32 × a group of "
                                                                 "2 GPUs, over NVLink"));
  gtk_toggle_button_set_active (button_of (buttons, SW_COMMUNICATION_PIPELINE), TRUE);
  g_assert_cmpint (shardwise_rank_chart_get_group (SHARDWISE_RANK_CHART (chart)), ==,
                   SW_COMMUNICATION_PIPELINE);
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "Pipeline: 32 × a group of 2 "
                                                                 "GPUs, over InfiniBand"));
  shardwise_chart_set_point (chart, 33);
  text = g_strdup (shardwise_chart_get_readout (chart));
  g_assert_nonnull (strstr (text, "GPU 33 (node 4, slot 1), stage 1 of 2"));
  g_assert_nonnull (strstr (text, "Group of GPUs 1, 33 over InfiniBand"));
  csv = shardwise_chart_to_csv (chart);
  g_assert_nonnull (strstr (csv, "33,4,1,0,0,0,1"));
  gtk_test_widget_wait_for_draw (window);
  ui_wake (page);
  cairo_surface_destroy (ui_picture (ui_child (page, "rank_card"), "analysis-ranks-360"));
  shardwise_page_set_advisor (SHARDWISE_PAGE (page), dense);
  gtk_test_widget_wait_for_draw (window);
  g_assert_cmpint (shardwise_rank_chart_get_group (SHARDWISE_RANK_CHART (chart)), ==,
                   SW_COMMUNICATION_PIPELINE);
  g_assert_false (
      gtk_widget_get_visible (GTK_WIDGET (button_of (buttons, SW_COMMUNICATION_EXPERT))));
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (button_of (buttons, SW_COMMUNICATION_DATA))));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* In the table, too, GPUs that training leaves over are not idle where they generate answers. */
static void
test_generation (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_dense);
  SwProblem problem = *shardwise_advice_get_problem (shardwise_advisor_get_advice (advisor));
  const SwStrategy *strategy = &shardwise_advisor_get_selected (advisor)->strategy;
  ShardwiseRankChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_RANK_CHART, NULL));
  g_autofree char *idle = NULL, *generates = NULL;

  problem.cluster.gpus = 72;
  g_assert_true (shardwise_rank_chart_set_strategy (chart, &problem, strategy));
  idle = shardwise_chart_to_csv (SHARDWISE_CHART (chart));
  g_assert_nonnull (strstr (idle, "64,8,idle"));
  problem.training.type = SW_TRAINING_RLHF;
  problem.training.rlhf_colocated = FALSE;
  g_assert_true (shardwise_rank_chart_set_strategy (chart, &problem, strategy));
  generates = shardwise_chart_to_csv (SHARDWISE_CHART (chart));
  g_assert_nonnull (strstr (generates, "64,8,generation"));
  g_assert_finalize_object (chart);
}

/* Of a thousand nodes no more than sixteen tiles are drawn, whatever the colours. */
static void
test_is_bounded (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_dense);
  SwProblem problem = *shardwise_advice_get_problem (shardwise_advisor_get_advice (advisor));
  SwStrategy strategy = shardwise_advisor_get_selected (advisor)->strategy;
  ShardwiseRankChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_RANK_CHART, NULL));
  int width = 0, height = 0;

  problem.cluster.gpus = 8192;
  strategy.dp = strategy.shard_group = 8192 / (strategy.tp * strategy.pp);
  g_assert_true (shardwise_rank_chart_set_strategy (chart, &problem, &strategy));
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    {
      if (!shardwise_rank_chart_has_group (chart, kinds[kind]))
        continue;
      shardwise_rank_chart_set_group (chart, kinds[kind]);
      gtk_widget_measure (GTK_WIDGET (chart), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL,
                          NULL);
      gtk_widget_measure (GTK_WIDGET (chart), GTK_ORIENTATION_VERTICAL, MAX (width, 300), &height,
                          NULL, NULL, NULL);
      g_assert_cmpint (height, <, 2000);
    }
  g_assert_finalize_object (chart);
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;
  g_test_add_func ("/rank-map/groups", test_groups);
  g_test_add_func ("/rank-map/page", test_page);
  g_test_add_func ("/rank-map/generation", test_generation);
  g_test_add_func ("/rank-map/is-bounded", test_is_bounded);
  return g_test_run ();
}
