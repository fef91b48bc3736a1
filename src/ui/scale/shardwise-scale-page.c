/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-scale-page.h"

#include "shardwise-atlas-view.h"
#include "shardwise-column.h"
#include "shardwise-cost-section.h"
#include "shardwise-place.h"
#include "shardwise-sizing-view.h"

/* The page as sections, each a widget of its own that follows the advice: how the job scales, what
 * it costs, and what is best in general. */
struct _ShardwiseScalePage {
  ShardwisePage parent_instance;

  GtkStack *stack;
  ShardwiseColumn *content;
  ShardwiseSizingView *sizing;
  GtkBox *cost_section;
  ShardwiseCostSection *cost;
  ShardwiseAtlasView *atlas;
};

G_DEFINE_FINAL_TYPE (ShardwiseScalePage, shardwise_scale_page, SHARDWISE_TYPE_PAGE)

static gboolean
has_answer (ShardwiseAdvisor *advisor)
{
  return shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY
         && shardwise_advisor_get_advice (advisor) != NULL;
}

/* A page updates only while it can be seen, so long work begins when someone looks. */
static void
shardwise_scale_page_update (ShardwisePage *page)
{
  ShardwiseScalePage *self = SHARDWISE_SCALE_PAGE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  gboolean sized_soon;

  gtk_stack_set_visible_child_name (self->stack, advice != NULL ? "sections" : "empty");
  if (!has_answer (advisor))
    return;
  shardwise_place_keep (GTK_WIDGET (self->content));
  shardwise_column_rest (self->content);
  sized_soon = shardwise_sizing_view_show (self->sizing, shardwise_advisor_get_scenario (advisor),
                                           advice);
  shardwise_cost_section_show (self->cost, advisor);
  if (sized_soon && gtk_widget_get_mapped (GTK_WIDGET (self)))
    shardwise_sizing_view_await (self->sizing);
}

/* What is further down and searches, too, leaves the processors to the sizes, which are looked at
 * first. */
static void
shardwise_scale_page_finish (ShardwisePage *page)
{
  ShardwiseScalePage *self = SHARDWISE_SCALE_PAGE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);

  if (!has_answer (advisor))
    return;
  shardwise_cost_section_plan (self->cost, advisor);
  shardwise_atlas_view_show (self->atlas, shardwise_advisor_get_scenario (advisor),
                             shardwise_advisor_get_advice (advisor));
}

static void
shardwise_scale_page_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_SCALE_PAGE);
  G_OBJECT_CLASS (shardwise_scale_page_parent_class)->dispose (object);
}

static void
shardwise_scale_page_class_init (ShardwiseScalePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_scale_page_dispose;
  SHARDWISE_PAGE_CLASS (klass)->update = shardwise_scale_page_update;
  SHARDWISE_PAGE_CLASS (klass)->finish = shardwise_scale_page_finish;

  g_type_ensure (SHARDWISE_TYPE_ATLAS_VIEW);
  g_type_ensure (SHARDWISE_TYPE_COLUMN);
  g_type_ensure (SHARDWISE_TYPE_SIZING_VIEW);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-scale-page.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, content);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, sizing);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, cost_section);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, atlas);
}

static void
shardwise_scale_page_init (ShardwiseScalePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->cost = SHARDWISE_COST_SECTION (shardwise_cost_section_new ());
  gtk_box_append (self->cost_section, GTK_WIDGET (self->cost));
}

/**
 * shardwise_scale_page_new:
 *
 * Returns: (transfer floating): an empty page
 */
GtkWidget *
shardwise_scale_page_new (void)
{
  return g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL);
}
