/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-alternatives-page-private.h"

#include <glib/gi18n.h>
#include "shardwise-beside.h"
#include "shardwise-chart-card.h"
#include "shardwise-line-layout.h"
#include "shardwise-search-words.h"
#include "shardwise-tooltip.h"
#include "shardwise-wrap-layout.h"

/* Beside each other, pixels: the table with its eight columns, and the chart. */
#define LIST_WIDTH 680
#define CHART_WIDTH 400

/* While all strategies of a new answer are sought, its best ones stand in the table at once; what
 * shows all of them stays that of the answer before, dimmed, for twice so long: mostly they are
 * found by then. So does the table where its first rows may be others in the end, for so long
 * without being dimmed. */
#define KEEP_MS 200

G_DEFINE_FINAL_TYPE (ShardwiseAlternativesPage, shardwise_alternatives_page, SHARDWISE_TYPE_PAGE)

ShardwiseAdvice *
shardwise_alternatives_page_get_advice (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  return advisor != NULL ? shardwise_advisor_get_advice (advisor) : NULL;
}

static double
usable_bytes (ShardwiseAdvice *advice)
{
  return advice != NULL ? shardwise_advice_get_problem (advice)->cluster.usable_bytes : 0;
}

/* What the memory target leaves of it. */
static double
limit_bytes (ShardwiseAdvice *advice)
{
  return advice != NULL
             ? usable_bytes (advice) * shardwise_advice_get_problem (advice)->training.memory_target
             : 0;
}

static void
filter_changed (ShardwiseAlternativesPage *self)
{
  shardwise_candidate_list_set_filter (self->list,
                                       shardwise_filter_bar_get_filter (self->filter_bar));
}

/* Chart */

static void
update_chart (ShardwiseAlternativesPage *self)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);
  const SwCandidate *dots = NULL;
  const guint *counts = NULL;
  ShardwiseAdvice *advice = view != NULL ? shardwise_candidate_view_get_advice (view) : NULL;
  guint n = 0;

  if (view != NULL)
    {
      dots = shardwise_candidate_view_get_dots (view, &counts, &n);
      shardwise_scatter_chart_set_partial (self->chart,
                                           shardwise_advice_get_search (advice)->all == NULL);
    }
  shardwise_scatter_chart_set_candidates (self->chart, dots, counts, n, (GObject *) view,
                                          usable_bytes (advice), limit_bytes (advice));
}

static void
fold_changed_cb (ShardwiseAlternativesPage *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->chart_chip),
                          shardwise_beside_get_folded (SHARDWISE_BESIDE (self->beside)));
}

/* Nothing listed */

static void
update_absence (ShardwiseAlternativesPage *self)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);
  gboolean none = view != NULL && shardwise_candidate_view_get_n_rows (view) == 0;

  gtk_stack_set_visible_child_name (self->list_stack, none ? "absent" : "rows");
  if (none)
    shardwise_absence_view_ask (self->absence_view, shardwise_candidate_view_get_advice (view),
                                &shardwise_filter_bar_get_filter (self->filter_bar)->degrees);
  else
    shardwise_absence_view_drop (self->absence_view);
}

/* Foot */

/* Counts of the complete search where it has ended, else of the live one. */
static void
update_foot (ShardwiseAlternativesPage *self, ShardwiseAdvice *advice)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  ShardwiseAdvice *all = shardwise_search_progress_get_advice (self->progress);
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);
  const SwSearchResult *search = shardwise_advice_get_search (all != NULL ? all : advice);
  g_autofree char *counts = NULL, *marked = NULL, *details = shardwise_search_details (search);
  guint n;

  shardwise_advice_get_candidates (advice, &n);
  counts = shardwise_search_counts (
      search, view != NULL ? shardwise_candidate_view_get_n_rows (view) : 0, n);
  if (!sw_estimate_is_validated (recommended))
    /* Translators: %s is a sentence on how many strategies were tried */
    marked = g_strdup_printf (_ ("Not validated. %s"), counts);
  gtk_label_set_label (self->foot_label, marked != NULL ? marked : counts);
  gtk_label_set_label (self->rejected_label, details);
}

static void
pending_cb (ShardwiseAlternativesPage *self)
{
  shardwise_search_progress_set_sorting (self->progress,
                                         shardwise_candidate_list_is_pending (self->list));
}

static void follow (ShardwiseAlternativesPage *self);

/* What is worked out from all strategies: the chart, and the values that can be filtered by. */
static void
show_all (ShardwiseAlternativesPage *self)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);

  update_chart (self);
  shardwise_scatter_chart_set_pins (self->chart, self->comparison);
  shardwise_alternatives_page_point (self);
  shardwise_filter_bar_set_facets (
      self->filter_bar, view != NULL ? shardwise_candidate_view_get_facets (view) : NULL);
}

/* Returns: whether anything was kept. */
static gboolean
drop_kept (ShardwiseAlternativesPage *self)
{
  gboolean kept = self->keep_id != 0;

  self->keeps_table = FALSE;
  g_clear_handle_id (&self->keep_id, g_source_remove);
  gtk_widget_remove_css_class (self->beside, "kept");
  gtk_widget_remove_css_class (self->chart_box, "kept");
  return kept;
}

static gboolean
kept_cb (gpointer data)
{
  ShardwiseAlternativesPage *self = data;

  if (self->keeps_table && !gtk_widget_has_css_class (self->beside, "kept"))
    {
      gtk_widget_add_css_class (self->beside, "kept"); /* which styles every cell anew */
      return G_SOURCE_CONTINUE;
    }
  if (shardwise_candidate_list_is_pending (self->list)) /* all are found, and being sorted */
    return G_SOURCE_CONTINUE;
  drop_kept (self);
  follow (self);
  show_all (self);
  shardwise_alternatives_page_show_selected (self);
  return G_SOURCE_REMOVE;
}

/* Whether the first rows, and so all in sight, stay as they are when all strategies are found. */
static gboolean
begins_with_best (ShardwiseAlternativesPage *self, ShardwiseAdvice *advice)
{
  guint n;

  shardwise_advice_get_candidates (advice, &n);
  return shardwise_candidate_list_is_whole (self->list)
         && shardwise_strategy_view_count_rows (self->view) <= n;
}

/* What shows all strategies stays that of the answer before for a moment: they are not found yet.
 */
static void
keep (ShardwiseAlternativesPage *self, ShardwiseAdvice *advice)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);

  if (view == NULL || shardwise_candidate_view_get_advice (view) == advice
      || shardwise_candidate_view_get_n_rows (view) == 0 || !g_set_object (&self->awaited, advice))
    return;
  self->keeps_table = !begins_with_best (self, advice);
  if (!self->keeps_table)
    {
      gtk_widget_remove_css_class (self->beside, "kept");
      gtk_widget_add_css_class (self->chart_box, "kept");
    }
  if (self->keep_id == 0)
    self->keep_id = g_timeout_add (self->keeps_table ? KEEP_MS : 2 * KEEP_MS, kept_cb, self);
}

/* Lists all strategies, or the best ones until they are found. */
static void
list_advice (ShardwiseAlternativesPage *self, ShardwiseAdvice *advice, ShardwiseAdvice *all)
{
  if (all != NULL)
    shardwise_candidate_list_set_advice (self->list, all);
  else if (self->keep_id != 0)
    shardwise_candidate_list_set_first (self->list, advice);
  else
    shardwise_candidate_list_set_advice (self->list, advice);
}

/* While the next answer comes, the best strategies of this one stay where they are, and so do the
 * places of the rows behind them: there will be as many again. */
static gboolean
stays_listed (ShardwiseAlternativesPage *self, ShardwiseAdvice *advice)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);

  return view != NULL && shardwise_candidate_view_get_advice (view) == advice
         && shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_STALE
         && shardwise_advisor_get_live (advisor);
}

static void
follow (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvice *advice = shardwise_alternatives_page_get_advice (self),
                  *all = shardwise_search_progress_get_advice (self->progress);
  gboolean is_searched = advice != NULL && shardwise_advice_get_search (advice) != NULL;
  gboolean dropped = FALSE;

  if (all == NULL && stays_listed (self, advice))
    return;
  if (all == NULL && is_searched && shardwise_search_progress_is_searching (self->progress))
    keep (self, advice);
  else if (all == NULL)
    dropped = drop_kept (self);
  if (self->keeps_table && all == NULL)
    return;
  shardwise_filter_bar_set_usable_bytes (self->filter_bar, usable_bytes (advice));
  list_advice (self, is_searched ? advice : NULL, all);
  if (is_searched && !shardwise_candidate_list_is_pending (self->list))
    update_foot (self, advice);
  if (dropped)
    show_all (self);
}

/* Every strategy is sought while the page is seen; until they are found the best few are listed. */
static void
seen_cb (ShardwiseAlternativesPage *self)
{
  shardwise_search_progress_follow (self->progress,
                                    shardwise_page_get_advisor (SHARDWISE_PAGE (self)),
                                    gtk_widget_get_mapped (GTK_WIDGET (self)));
}

static void
view_changed_cb (ShardwiseAlternativesPage *self)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);
  ShardwiseAdvice *all = shardwise_search_progress_get_advice (self->progress);

  if (view == NULL || shardwise_candidate_view_get_advice (view) == all)
    drop_kept (self);
  if (self->keep_id == 0)
    show_all (self);
  update_absence (self);
  follow (self);
  shardwise_alternatives_page_keep_cursor (self);
  if (!self->keeps_table)
    shardwise_alternatives_page_show_selected (self);
}

/* The comparison where it is asked for; else the strategies, or that there are none. */
void
shardwise_alternatives_page_show_child (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvice *advice = shardwise_alternatives_page_get_advice (self);
  gboolean fits = advice != NULL && shardwise_advice_get_fits (advice);

  gtk_stack_set_visible_child_name (self->stack, self->compares ? "comparison"
                                                 : fits         ? "list"
                                                                : "empty");
}

/* Without an answer, or with one in which nothing fits. */
static void
update_empty (ShardwiseAlternativesPage *self, ShardwiseAdvice *advice)
{
  adw_status_page_set_title (self->empty_page,
                             advice != NULL ? _ ("Nothing Fits") : _ ("No Alternatives Yet"));
  adw_status_page_set_description (
      self->empty_page,
      advice != NULL ? _ ("No strategy fits this cluster; the Advice page says what would.")
                     : _ ("As soon as there is advice, this page lists the strategies that fit."));
  if (advice != NULL) /* what fell away is read below the title */
    gtk_widget_add_css_class (GTK_WIDGET (self->empty_page), "compact");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->empty_page), "compact");
  shardwise_rejected_view_set_advice (self->rejected_view, advice);
}

/* Page */

static void
shardwise_alternatives_page_update (ShardwisePage *page)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);

  shardwise_alternatives_page_show_child (self);
  update_empty (self, advice);
  seen_cb (self);
  follow (self);
  shardwise_alternatives_page_update_pins (self);
  if (!self->keeps_table)
    shardwise_alternatives_page_show_selected (self);
}

static void
shardwise_alternatives_page_dispose (GObject *object)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (object);

  g_clear_handle_id (&self->keep_id, g_source_remove);
  g_clear_object (&self->awaited);
  g_clear_object (&self->comparison);
  g_clear_object (&self->list);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_ALTERNATIVES_PAGE);
  G_OBJECT_CLASS (shardwise_alternatives_page_parent_class)->dispose (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, list_stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, banner);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, banner_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, foot);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, foot_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, rejected_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, filter_bar);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, progress);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, beside_bin);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, view_bin);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, comparison_bin);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, empty_page);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, rejected_view);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, absence_view);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, chart_box);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, chart);
}

static void
shardwise_alternatives_page_class_init (ShardwiseAlternativesPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_alternatives_page_dispose;
  SHARDWISE_PAGE_CLASS (klass)->update = shardwise_alternatives_page_update;
  SHARDWISE_PAGE_CLASS (klass)->minds_stale = TRUE; /* the search for all of them stops */

  g_type_ensure (SHARDWISE_TYPE_ABSENCE_VIEW);
  g_type_ensure (SHARDWISE_TYPE_CHART_CARD);
  g_type_ensure (SHARDWISE_TYPE_FILTER_BAR);
  g_type_ensure (SHARDWISE_TYPE_REJECTED_VIEW);
  g_type_ensure (SHARDWISE_TYPE_SCATTER_CHART);
  g_type_ensure (SHARDWISE_TYPE_SEARCH_PROGRESS);
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  shardwise_alternatives_page_install_selection (widget_class);
  shardwise_alternatives_page_install_pins (widget_class);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-alternatives-page.ui");
  bind_children (widget_class);
}

static void
build_views (ShardwiseAlternativesPage *self)
{
  self->view = SHARDWISE_STRATEGY_VIEW (shardwise_strategy_view_new (self->list, self->comparison));
  adw_bin_set_child (self->view_bin, GTK_WIDGET (self->view));
  self->comparison_view =
      SHARDWISE_COMPARISON_VIEW (shardwise_comparison_view_new (self->comparison));
  adw_bin_set_child (self->comparison_bin, GTK_WIDGET (self->comparison_view));
  g_object_ref (self->list_stack);
  adw_bin_set_child (self->beside_bin, NULL);
  self->beside = shardwise_beside_new (GTK_WIDGET (self->list_stack), self->chart_box, LIST_WIDTH,
                                       CHART_WIDTH);
  g_object_unref (self->list_stack);
  adw_bin_set_child (self->beside_bin, self->beside);
}

/* What stands beside the search entry. */
static void
build_controls (ShardwiseAlternativesPage *self)
{
  GtkWidget *menu = gtk_menu_button_new ();

  gtk_widget_insert_action_group (GTK_WIDGET (self), "columns",
                                  shardwise_strategy_view_get_actions (self->view));
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (menu),
                                  shardwise_strategy_view_get_menu (self->view));
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (menu), "view-sort-descending-symbolic");
  gtk_widget_set_tooltip_text (menu, _ ("Order and Columns"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (menu), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Order and Columns"), -1);
  self->chart_chip = GTK_TOGGLE_BUTTON (gtk_toggle_button_new_with_label (_ ("Chart")));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->chart_chip),
                               _ ("Throughput against memory in place of the list"));
  shardwise_tooltip_wrap (GTK_WIDGET (self->chart_chip));
  gtk_widget_set_visible (GTK_WIDGET (self->chart_chip), FALSE);
  self->compare_chip = GTK_BUTTON (gtk_button_new_with_label (_ ("Compare")));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->compare_chip),
                               _ ("Show the pinned strategies side by side"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->compare_chip), "alternatives.compare");
  gtk_widget_add_css_class (GTK_WIDGET (self->chart_chip), "chip");
  gtk_widget_add_css_class (GTK_WIDGET (self->compare_chip), "chip");
  shardwise_filter_bar_append (self->filter_bar, menu);
  shardwise_filter_bar_append (self->filter_bar, GTK_WIDGET (self->chart_chip));
  shardwise_filter_bar_append (self->filter_bar, GTK_WIDGET (self->compare_chip));
  g_object_bind_property (self->chart_chip, "active", self->beside, "second",
                          G_BINDING_SYNC_CREATE);
}

/* GTK has no way to ask for it: the parent of the foot's text is the line that it shares with the
 * arrow, which is laid out anew with each answer. */
static void
lay_out_foot (ShardwiseAlternativesPage *self)
{
  gtk_widget_set_layout_manager (gtk_widget_get_parent (GTK_WIDGET (self->foot_label)),
                                 shardwise_line_layout_new (0, FALSE));
}

static void
connect_search (ShardwiseAlternativesPage *self)
{
  g_signal_connect_object (self->list, "notify::view", G_CALLBACK (view_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->list, "notify::pending", G_CALLBACK (pending_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->progress, "changed", G_CALLBACK (follow), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->filter_bar, "changed", G_CALLBACK (filter_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->beside, "notify::folded", G_CALLBACK (fold_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "map", G_CALLBACK (seen_cb), NULL);
  g_signal_connect (self, "unmap", G_CALLBACK (seen_cb), NULL);
}

static void
shardwise_alternatives_page_init (ShardwiseAlternativesPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->list = shardwise_candidate_list_new ();
  self->comparison = shardwise_comparison_new ();
  build_views (self);
  build_controls (self);
  lay_out_foot (self);
  shardwise_alternatives_page_connect_selection (self);
  shardwise_alternatives_page_connect_pins (self);
  connect_search (self);
}

/**
 * shardwise_alternatives_page_get_comparison:
 *
 * Returns: (transfer none): the strategies that are pinned
 */
ShardwiseComparison *
shardwise_alternatives_page_get_comparison (ShardwiseAlternativesPage *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ALTERNATIVES_PAGE (self), NULL);

  return self->comparison;
}

/**
 * shardwise_alternatives_page_get_list:
 *
 * Returns: (transfer none): the strategies that are listed, in their order
 */
ShardwiseCandidateList *
shardwise_alternatives_page_get_list (ShardwiseAlternativesPage *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ALTERNATIVES_PAGE (self), NULL);

  return self->list;
}

/**
 * shardwise_alternatives_page_new:
 *
 * Returns: (transfer floating): an empty page
 */
GtkWidget *
shardwise_alternatives_page_new (void)
{
  return g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL);
}
