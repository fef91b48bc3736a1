/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-analysis-page.h"

#include <glib/gi18n.h>
#include "shardwise-chart-card.h"
#include "shardwise-column.h"
#include "shardwise-communication-chart.h"
#include "shardwise-group-buttons.h"
#include "shardwise-hand-card.h"
#include "shardwise-limits-card.h"
#include "shardwise-memory-chart.h"
#include "shardwise-pipeline-player.h"
#include "shardwise-schedule-chart.h"
#include "shardwise-tensor-list.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-estimate.h"
#include "shardwise-timeline-chart.h"
#include "shardwise-waterfall-chart.h"
#include "shardwise-wrapped-label.h"

struct _ShardwiseAnalysisPage {
  ShardwisePage parent_instance;

  GtkStack *stack;
  ShardwiseColumn *content;
  GtkLabel *kind_label, *strategy_label, *generation_label;
  GtkWidget *phases_card;
  ShardwiseWaterfallChart *time_chart, *phases_chart;
  ShardwiseLimitsCard *limits_card;
  ShardwiseCommunicationChart *communication_chart;
  GtkWidget *communication_card;
  ShardwiseRankChart *rank_chart;
  ShardwiseChartCard *rank_card;
  GtkWidget *group_buttons;
  ShardwisePipelineChart *pipeline_chart;
  ShardwiseChartCard *pipeline_card;
  ShardwiseScheduleChart *schedule_chart;
  GtkWidget *schedule_card;
  ShardwiseMemoryChart *memory_chart, *zero_chart;
  ShardwiseTimelineChart *timeline_chart;
  GtkWidget *timeline_card;
  ShardwiseTensorList *tensor_list;
  ShardwiseHandCard *hand_card;
};

G_DEFINE_FINAL_TYPE (ShardwiseAnalysisPage, shardwise_analysis_page, SHARDWISE_TYPE_PAGE)

/* A step of reinforcement learning has phases; any other has none to show. */
static void
show_phases (ShardwiseAnalysisPage *self, const SwProblem *problem, const SwEstimate *estimate)
{
  g_autofree char *generation = shardwise_text_generation (problem, estimate);

  gtk_widget_set_visible (self->phases_card, estimate->phases.n > 0);
  shardwise_wrapped_label_show (self->generation_label, generation);
  shardwise_waterfall_chart_set_phases (self->phases_chart, &estimate->phases);
}

static void
show_estimate (ShardwiseAnalysisPage *self, const SwProblem *problem, const SwEstimate *estimate)
{
  g_autofree char *name = shardwise_text_strategy (&estimate->strategy);
  g_autofree char *strategy = shardwise_format_unbroken (name);
  double kernels[SW_N_KERNELS];

  gtk_label_set_label (self->strategy_label, strategy);
  sw_kernels (problem, &estimate->strategy, &estimate->time, kernels);
  shardwise_waterfall_chart_set_time (self->time_chart, &estimate->time, kernels);
  show_phases (self, problem, estimate);
  gtk_widget_set_visible (self->communication_card,
                          shardwise_communication_chart_set_strategy (
                              self->communication_chart, problem, &estimate->strategy));
  gtk_widget_set_visible (
      GTK_WIDGET (self->rank_card),
      shardwise_rank_chart_set_strategy (self->rank_chart, problem, &estimate->strategy));
  shardwise_group_buttons_update (SHARDWISE_GROUP_BUTTONS (self->group_buttons));
  shardwise_pipeline_chart_set_strategy (self->pipeline_chart, problem, &estimate->strategy);
  gtk_widget_set_visible (self->schedule_card, shardwise_schedule_chart_set_estimate (
                                                   self->schedule_chart, problem, estimate));
  shardwise_memory_chart_set_stages (self->memory_chart, problem, estimate);
  shardwise_tensor_list_set_estimate (self->tensor_list, problem, estimate);
  shardwise_memory_chart_set_zero_stages (self->zero_chart, problem, estimate);
  gtk_widget_set_visible (self->timeline_card, shardwise_timeline_chart_set_strategy (
                                                   self->timeline_chart, problem, estimate));
}

/* Whose figures these are: the page looks the same for each of them. */
static const char *
describe_kind (ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);

  if (!sw_strategy_equal (&recommended->strategy, &selected->strategy))
    return _ ("The strategy that you selected");
  if (!shardwise_advice_get_fits (advice))
    return _ ("Nothing fits; this is the nearest strategy");
  return _ ("The recommended strategy");
}

/* Every chart of the page shows figures of that strategy. */
static void
show_kind (ShardwiseAnalysisPage *self, const char *kind, const SwEstimate *estimate)
{
  g_autofree char *text = sw_estimate_is_validated (estimate)
                              ? g_strdup (kind)
                              /* Translators: %s is whose figures are shown: "The recommended
                             * strategy" */
                              : g_strdup_printf (_ ("%s · not validated"), kind);

  gtk_label_set_label (self->kind_label, text);
}

static void
shardwise_analysis_page_update (ShardwisePage *page)
{
  ShardwiseAnalysisPage *self = SHARDWISE_ANALYSIS_PAGE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const SwEstimate *selected = shardwise_advisor_get_selected (advisor);
  gboolean there = advice != NULL && selected != NULL;

  gtk_stack_set_visible_child_name (self->stack, there ? "charts" : "empty");
  if (!there)
    return;
  shardwise_column_rest (self->content);
  shardwise_limits_card_set_strategy (self->limits_card, advice, selected);
  show_kind (self, describe_kind (advice, selected), selected);
  show_estimate (self, shardwise_advice_get_problem (advice), selected);
  shardwise_hand_card_set_advisor (self->hand_card, advisor);
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    shardwise_limits_card_await (self->limits_card);
}

static void
shardwise_analysis_page_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_ANALYSIS_PAGE);
  G_OBJECT_CLASS (shardwise_analysis_page_parent_class)->dispose (object);
}

static void
shardwise_analysis_page_class_init (ShardwiseAnalysisPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_analysis_page_dispose;
  SHARDWISE_PAGE_CLASS (klass)->update = shardwise_analysis_page_update;

  g_type_ensure (SHARDWISE_TYPE_CHART_CARD);
  g_type_ensure (SHARDWISE_TYPE_COLUMN);
  g_type_ensure (SHARDWISE_TYPE_COMMUNICATION_CHART);
  g_type_ensure (SHARDWISE_TYPE_HAND_CARD);
  g_type_ensure (SHARDWISE_TYPE_LIMITS_CARD);
  g_type_ensure (SHARDWISE_TYPE_MEMORY_CHART);
  g_type_ensure (SHARDWISE_TYPE_PIPELINE_CHART);
  g_type_ensure (SHARDWISE_TYPE_RANK_CHART);
  g_type_ensure (SHARDWISE_TYPE_SCHEDULE_CHART);
  g_type_ensure (SHARDWISE_TYPE_TENSOR_LIST);
  g_type_ensure (SHARDWISE_TYPE_TIMELINE_CHART);
  g_type_ensure (SHARDWISE_TYPE_WATERFALL_CHART);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-analysis-page.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, content);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, kind_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, strategy_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, time_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, limits_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, phases_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, phases_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, generation_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, communication_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, communication_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, rank_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, rank_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, pipeline_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, pipeline_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, schedule_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, schedule_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, memory_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, tensor_list);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, hand_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, zero_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, timeline_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, timeline_card);
}

static void
shardwise_analysis_page_init (ShardwiseAnalysisPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->group_buttons = shardwise_group_buttons_new (self->rank_chart);
  shardwise_chart_card_set_controls (self->rank_card, self->group_buttons);
  shardwise_chart_card_set_controls (self->pipeline_card,
                                     shardwise_pipeline_player_new (self->pipeline_chart));
}

/**
 * shardwise_analysis_page_new:
 *
 * Returns: (transfer floating): an empty page
 */
GtkWidget *
shardwise_analysis_page_new (void)
{
  return g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL);
}
