/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-scale-page.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>

#include "shardwise-atlas-view.h"
#include "shardwise-cost-section.h"
#include "shardwise-plan-view.h"
#include "shardwise-sections.h"
#include "shardwise-sizing-view.h"

struct _ShardwiseScalePage {
  ShardwisePage parent_instance;

  GtkStack *stack;
  ShardwiseSections *sections;
  GtkStack *content;
  ShardwiseSizingView *sizing;
  ShardwiseCostSection *cost;
  ShardwiseAtlasView *atlas;
  ShardwisePlanView *machine, *model;
  ShardwiseAdvice *planned; /* (nullable): the job that the two views begin with */
};

G_DEFINE_FINAL_TYPE (ShardwiseScalePage, shardwise_scale_page, SHARDWISE_TYPE_PAGE)

static guint open_signal;

static void
open_cb (ShardwiseScalePage *self, ShardwiseScenario *scenario)
{
  g_signal_emit (self, open_signal, 0, scenario);
}

static gboolean
has_answer (ShardwiseAdvisor *advisor)
{
  return shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY
         && shardwise_advisor_get_advice (advisor) != NULL;
}

/* The index: parts of the cost share their figures. */
static const ShardwiseSection sections[] = {
  { "scaling", N_ ("Scaling") },
  { "cost", N_ ("Cost") },
  { "budget", N_ ("Budget and deadline") },
  { "failures", N_ ("Failures") },
  { "machine", N_ ("What can I train on this?") },
  { "model", N_ ("What does this model need?") },
  { "atlas", N_ ("Atlas") },
};

static gboolean
shows (ShardwiseScalePage *self, const char *section)
{
  return g_str_equal (shardwise_sections_get_section (self->sections), section);
}

/* What is asked in the two sections does not change the job: they have a copy of it. */
static void
plan (ShardwiseScalePage *self, ShardwiseAdvisor *advisor)
{
  g_autoptr (ShardwiseScenario) asked = NULL;

  if (!g_set_object (&self->planned, shardwise_advisor_get_advice (advisor)))
    return;
  asked = shardwise_scenario_copy (shardwise_advisor_get_scenario (advisor));
  shardwise_plan_view_set_scenario (self->machine, asked);
  shardwise_plan_view_set_scenario (self->model, asked);
}

/* What searches for long does so when somebody looks at it. */
static void
compute_section (ShardwiseScalePage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  if (advisor == NULL || !has_answer (advisor))
    return;
  if (shows (self, "budget"))
    shardwise_cost_section_plan (self->cost, advisor);
  else if (shows (self, "atlas"))
    shardwise_atlas_view_show (self->atlas, shardwise_advisor_get_scenario (advisor),
                               shardwise_advisor_get_advice (advisor));
  else if (shows (self, "machine") || shows (self, "model"))
    plan (self, advisor);
}

static void
section_cb (ShardwiseScalePage *self)
{
  const char *section = shardwise_sections_get_section (self->sections);

  shardwise_cost_section_show_part (self->cost, shows (self, "budget") ? SHARDWISE_COST_PART_BUDGET
                                                : shows (self, "failures")
                                                    ? SHARDWISE_COST_PART_FAILURES
                                                    : SHARDWISE_COST_PART_COST);
  gtk_stack_set_visible_child_name (
      self->content,
      gtk_stack_get_child_by_name (self->content, section) != NULL ? section : "cost");
  compute_section (self);
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
  sized_soon = shardwise_sizing_view_show (self->sizing, shardwise_advisor_get_scenario (advisor),
                                           advice);
  shardwise_cost_section_show (self->cost, advisor);
  if (sized_soon && gtk_widget_get_mapped (GTK_WIDGET (self)))
    shardwise_sizing_view_await (self->sizing);
}

/* Leaves the processors to the sizes first. */
static void
shardwise_scale_page_finish (ShardwisePage *page)
{
  compute_section (SHARDWISE_SCALE_PAGE (page));
}

static void
shardwise_scale_page_dispose (GObject *object)
{
  g_clear_object (&SHARDWISE_SCALE_PAGE (object)->planned);
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
  g_type_ensure (SHARDWISE_TYPE_COST_SECTION);
  g_type_ensure (SHARDWISE_TYPE_PLAN_VIEW);
  g_type_ensure (SHARDWISE_TYPE_SECTIONS);
  g_type_ensure (SHARDWISE_TYPE_SIZING_VIEW);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-scale-page.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, sections);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, content);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, sizing);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, cost);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, atlas);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, machine);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, model);
  gtk_widget_class_bind_template_callback (widget_class, open_cb);
  open_signal = g_signal_new ("open-scenario", SHARDWISE_TYPE_SCALE_PAGE, G_SIGNAL_RUN_LAST, 0,
                              NULL, NULL, NULL, G_TYPE_NONE, 1, SHARDWISE_TYPE_SCENARIO);
}

static void
shardwise_scale_page_init (ShardwiseScalePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (self->sections, "notify::section", G_CALLBACK (section_cb), self,
                           G_CONNECT_SWAPPED);
  shardwise_sections_fill (self->sections, sections, G_N_ELEMENTS (sections));
}

/**
 * shardwise_scale_page_show:
 * @self: a page
 * @section: its id: scaling, cost, budget, failures, machine, model or atlas
 *
 * Returns: %FALSE if there is no such section
 */
gboolean
shardwise_scale_page_show (ShardwiseScalePage *self, const char *section)
{
  g_return_val_if_fail (SHARDWISE_IS_SCALE_PAGE (self), FALSE);

  return shardwise_sections_set_section (self->sections, section);
}
