/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-analysis-page.h"

#include <glib/gi18n.h>
#include "shardwise-chart-card.h"
#include "shardwise-memory-chart.h"
#include "shardwise-pipeline-chart.h"
#include "shardwise-texts.h"
#include "shardwise-waterfall-chart.h"

struct _ShardwiseAnalysisPage {
  ShardwisePage parent_instance;

  GtkStack *stack;
  GtkLabel *kind_label, *strategy_label;
  ShardwiseWaterfallChart *time_chart;
  ShardwisePipelineChart *pipeline_chart;
  ShardwiseMemoryChart *memory_chart, *zero_chart;
};

G_DEFINE_FINAL_TYPE (ShardwiseAnalysisPage, shardwise_analysis_page, SHARDWISE_TYPE_PAGE)

static void
show_estimate (ShardwiseAnalysisPage *self, const SwProblem *problem, const SwEstimate *estimate)
{
  g_autofree char *strategy = shardwise_text_strategy (&estimate->strategy);

  gtk_label_set_label (self->strategy_label, strategy);
  shardwise_waterfall_chart_set_time (self->time_chart, &estimate->time);
  shardwise_pipeline_chart_set_strategy (self->pipeline_chart, problem, &estimate->strategy);
  shardwise_memory_chart_set_stages (self->memory_chart, problem, estimate);
  shardwise_memory_chart_set_zero_stages (self->zero_chart, problem, estimate);
}

/* Whose figures these are: the page looks the same for each of them. */
static const char *
describe_kind (ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);

  if (recommended == NULL || !sw_strategy_equal (&recommended->strategy, &selected->strategy))
    return _ ("The strategy that you selected among the alternatives");
  if (!shardwise_advice_get_fits (advice))
    return _ ("Nothing fits; this is the nearest strategy");
  return _ ("The recommended strategy");
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
  gtk_label_set_label (self->kind_label, describe_kind (advice, selected));
  show_estimate (self, shardwise_advice_get_problem (advice), selected);
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
  g_type_ensure (SHARDWISE_TYPE_MEMORY_CHART);
  g_type_ensure (SHARDWISE_TYPE_PIPELINE_CHART);
  g_type_ensure (SHARDWISE_TYPE_WATERFALL_CHART);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-analysis-page.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, kind_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, strategy_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, time_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, pipeline_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, memory_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, zero_chart);
}

static void
shardwise_analysis_page_init (ShardwiseAnalysisPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
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
