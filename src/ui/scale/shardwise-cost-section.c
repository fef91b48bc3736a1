/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cost-section.h"

#include "shardwise-budget-card.h"
#include "shardwise-cost-card.h"
#include "shardwise-deadline-card.h"
#include "shardwise-goodput-card.h"

struct _ShardwiseCostSection {
  AdwBin parent_instance;

  ShardwiseCostCard *cost;
  ShardwiseGoodputCard *goodput;
  ShardwiseBudgetCard *budget;
  ShardwiseDeadlineCard *deadline;
  GtkWidget *parts[SHARDWISE_N_COST_PARTS];
};

G_DEFINE_FINAL_TYPE (ShardwiseCostSection, shardwise_cost_section, ADW_TYPE_BIN)

/**
 * shardwise_cost_section_show:
 * @self: a section
 * @advisor: which has advice on its scenario
 *
 * Shows the cost of the selected strategy; nothing if none fits.
 */
void
shardwise_cost_section_show (ShardwiseCostSection *self, ShardwiseAdvisor *advisor)
{
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  ShardwiseScenario *scenario = shardwise_advisor_get_scenario (advisor);
  const SwEstimate *selected = shardwise_advisor_get_selected (advisor);
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  gboolean fits = selected != NULL && selected->fits;

  g_return_if_fail (SHARDWISE_IS_COST_SECTION (self));

  gtk_widget_set_visible (GTK_WIDGET (self->cost), fits);
  gtk_widget_set_visible (GTK_WIDGET (self->goodput), fits);
  if (fits)
    {
      shardwise_cost_card_show (self->cost, scenario, problem, selected);
      shardwise_goodput_card_show (self->goodput, scenario, problem,
                                   shardwise_cost_card_get_cost (self->cost));
    }
}

/**
 * shardwise_cost_section_plan:
 * @self: a section
 * @advisor: which has advice on its scenario
 *
 * Searches other clusters for what a budget buys and for the deadline; also where none fits, since
 * one of those may.
 */
void
shardwise_cost_section_plan (ShardwiseCostSection *self, ShardwiseAdvisor *advisor)
{
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  ShardwiseScenario *scenario = shardwise_advisor_get_scenario (advisor);

  g_return_if_fail (SHARDWISE_IS_COST_SECTION (self));

  shardwise_budget_card_show (self->budget, scenario, advice);
  shardwise_deadline_card_show (self->deadline, scenario, advice);
}

/**
 * shardwise_cost_section_show_part:
 * @self: a section
 * @part: what is seen of it; the rest is away
 */
void
shardwise_cost_section_show_part (ShardwiseCostSection *self, ShardwiseCostPart part)
{
  g_return_if_fail (SHARDWISE_IS_COST_SECTION (self));

  for (guint i = 0; i < SHARDWISE_N_COST_PARTS; i++)
    gtk_widget_set_visible (self->parts[i], i == part);
}

static void
shardwise_cost_section_class_init (ShardwiseCostSectionClass *klass)
{}

static void
add (ShardwiseCostSection *self, ShardwiseCostPart part, gpointer card)
{
  gtk_box_append (GTK_BOX (self->parts[part]), GTK_WIDGET (card));
}

static void
shardwise_cost_section_init (ShardwiseCostSection *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 30);

  for (guint i = 0; i < SHARDWISE_N_COST_PARTS; i++)
    {
      self->parts[i] = gtk_box_new (GTK_ORIENTATION_VERTICAL, 30);
      gtk_box_append (GTK_BOX (box), self->parts[i]);
    }
  self->cost = g_object_new (SHARDWISE_TYPE_COST_CARD, NULL);
  self->goodput = g_object_new (SHARDWISE_TYPE_GOODPUT_CARD, NULL);
  self->budget = g_object_new (SHARDWISE_TYPE_BUDGET_CARD, NULL);
  self->deadline = g_object_new (SHARDWISE_TYPE_DEADLINE_CARD, NULL);
  add (self, SHARDWISE_COST_PART_COST, self->cost);
  add (self, SHARDWISE_COST_PART_BUDGET, self->budget);
  add (self, SHARDWISE_COST_PART_BUDGET, self->deadline);
  add (self, SHARDWISE_COST_PART_FAILURES, self->goodput);
  gtk_widget_add_css_class (GTK_WIDGET (self), "cost-section");
  adw_bin_set_child (ADW_BIN (self), box);
}

/**
 * shardwise_cost_section_new:
 *
 * Returns: (transfer floating): a section without a job
 */
GtkWidget *
shardwise_cost_section_new (void)
{
  return g_object_new (SHARDWISE_TYPE_COST_SECTION, NULL);
}
