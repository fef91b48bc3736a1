/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The strategy that every page shows: chosen in the table or in the chart, shown in both. */
#include "shardwise-alternatives-page-private.h"

#include <glib/gi18n.h>
#include "shardwise-strategy.h"
#include "shardwise-text-strategy.h"
#include "shardwise-wrapped-label.h"

static void
activate_cb (ShardwiseAlternativesPage *self, guint position)
{
  g_autoptr (ShardwiseStrategy) strategy = g_list_model_get_item (G_LIST_MODEL (self->list),
                                                                  position);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  if (strategy != NULL && !shardwise_strategy_is_awaited (strategy) && advisor != NULL
      && !self->keeps_table)
    shardwise_advisor_set_selected (advisor, shardwise_strategy_get_estimate (strategy));
}

static void
point_activated_cb (ShardwiseAlternativesPage *self, guint point)
{
  ShardwiseAdvice *advice = shardwise_alternatives_page_get_advice (self);
  SwEstimate estimate;

  /* a smaller chart has fewer points */
  if (advice == NULL || self->keep_id != 0
      || point >= shardwise_chart_n_points (SHARDWISE_CHART (self->chart)))
    return;
  sw_estimate (shardwise_advice_get_problem (advice),
               &shardwise_scatter_chart_get_candidate (self->chart, point)->strategy, &estimate);
  shardwise_advisor_set_selected (shardwise_page_get_advisor (SHARDWISE_PAGE (self)), &estimate);
}

/* The row with the cursor is pointed at in the chart. */
void
shardwise_alternatives_page_point (ShardwiseAlternativesPage *self)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);
  int row = shardwise_strategy_view_get_cursor (self->view);
  const SwCandidate *pointed = NULL;
  guint n;

  if (self->keep_id != 0) /* the chart is that of another answer */
    return;
  if (view != NULL && row >= 0 && (guint) row < shardwise_candidate_view_get_n_rows (view))
    pointed = shardwise_advice_get_candidates (shardwise_candidate_view_get_advice (view), &n)
              + shardwise_candidate_view_get_candidate (view, (guint) row);
  shardwise_scatter_chart_set_pointed (self->chart, pointed);
}

/* Where the strategy stands that every page shows. 0: not among those of the list's answer. `row`:
 * -1 where the filter hides it. */
static guint
rank_of (ShardwiseAlternativesPage *self, const SwEstimate *estimate, int *row)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);
  guint candidate;

  *row = -1;
  if (view == NULL
      || !shardwise_candidate_view_find (view, &estimate->strategy, estimate->time.step_s,
                                         &candidate, row))
    return 0;
  return candidate + 1;
}

/* The list is scrolled to what is chosen elsewhere, once. */
static void
reveal_selected (ShardwiseAlternativesPage *self, const SwEstimate *selected, int row)
{
  gboolean again = self->has_revealed && sw_strategy_equal (&self->revealed, &selected->strategy);

  self->has_revealed = TRUE;
  self->revealed = selected->strategy;
  if (!again && row >= 0 && row != shardwise_strategy_view_get_cursor (self->view))
    shardwise_strategy_view_reveal (self->view, row, TRUE);
}

static void
update_banner (ShardwiseAlternativesPage *self, const SwEstimate *recommended,
               const SwEstimate *selected)
{
  gboolean other = !sw_strategy_equal (&recommended->strategy, &selected->strategy);
  g_autofree char *text = NULL, *summary = NULL;
  guint rank;
  int row;

  gtk_revealer_set_reveal_child (self->banner, other);
  if (!other && !self->has_revealed) /* nothing was chosen */
    return;
  rank = rank_of (self, selected, &row);
  reveal_selected (self, selected, row);
  if (!other)
    return;
  summary = shardwise_text_strategy (&selected->strategy);
  if (rank > 0)
    /* Translators: the rank of a strategy, and what it is ("TP 8 · PP 4 …") */
    text = g_strdup_printf (_ ("You look at alternative %u on every page: %s"), rank, summary);
  else
    /* Translators: what a strategy is ("TP 8 · PP 4 …") */
    text = g_strdup_printf (_ ("You look at another strategy on every page: %s"), summary);
  shardwise_wrapped_label_show (self->banner_label, text);
}

/* In another order or filter, what was chosen stays so, wherever it stands; nothing else does: in
 * its row stands another strategy. */
void
shardwise_alternatives_page_keep_cursor (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  const SwEstimate *selected = advisor != NULL ? shardwise_advisor_get_selected (advisor) : NULL;
  int row = -1;

  if (selected != NULL && self->has_revealed)
    rank_of (self, selected, &row);
  shardwise_strategy_view_reveal (self->view, row, FALSE);
}

/* Of strategies set by hand one may not fit: it has no place among those that do. */
static void
update_marks (ShardwiseAlternativesPage *self, const SwEstimate *recommended,
              const SwEstimate *selected)
{
  SwCandidate best, chosen;

  if (!recommended->fits || self->keep_id != 0)
    return;
  best = shardwise_candidate_of (recommended);
  chosen = shardwise_candidate_of (selected);
  shardwise_scatter_chart_set_marks (self->chart, &best, selected->fits ? &chosen : NULL);
}

/* What is selected, in the chart and above the table. */
void
shardwise_alternatives_page_show_selected (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseAdvice *advice = shardwise_alternatives_page_get_advice (self);
  const SwEstimate *selected = advice != NULL ? shardwise_advisor_get_selected (advisor) : NULL;

  if (selected == NULL)
    return;
  update_marks (self, shardwise_advice_get_recommended (advice), selected);
  update_banner (self, shardwise_advice_get_recommended (advice), selected);
}

static void
back_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  shardwise_advisor_set_selected (shardwise_page_get_advisor (SHARDWISE_PAGE (widget)), NULL);
}

void
shardwise_alternatives_page_install_selection (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "alternatives.back", NULL, back_cb);
}

void
shardwise_alternatives_page_connect_selection (ShardwiseAlternativesPage *self)
{
  g_signal_connect_object (self->view, "activated", G_CALLBACK (activate_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->view, "cursor-changed",
                           G_CALLBACK (shardwise_alternatives_page_point), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->chart, "point-activated", G_CALLBACK (point_activated_cb), self,
                           G_CONNECT_SWAPPED);
}
