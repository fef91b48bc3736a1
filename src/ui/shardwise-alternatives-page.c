/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-alternatives-page.h"

#include <glib/gi18n.h>
#include "shardwise-absence.h"
#include "shardwise-beside.h"
#include "shardwise-candidate-list.h"
#include "shardwise-chart-card.h"
#include "shardwise-complete-search.h"
#include "shardwise-fold.h"
#include "shardwise-rejections.h"
#include "shardwise-scatter-chart.h"
#include "shardwise-strategy-columns.h"
#include "shardwise-texts.h"
#include "shardwise-wrap-layout.h"

#define ROOMY 0.75 /* of the usable memory: the chip "Memory below 75 %" */

/* Beside each other, pixels: the table with its eight columns, and the chart. */
#define LIST_WIDTH 680
#define CHART_WIDTH 400

struct _ShardwiseAlternativesPage {
  ShardwisePage parent_instance;

  ShardwiseCandidateList *list;
  GtkSingleSelection *selection;
  ShardwiseCompleteSearch *complete; /* runs while the page is seen */
  ShardwiseAdvice *counted;          /* (nullable): the advice that it belongs to */
  ShardwiseCandidateFilter filter;
  GCancellable *asked; /* (nullable): why nothing is listed */
  gboolean stopped;    /* by the person, for the present advice */

  GtkStack *stack, *list_stack;
  GtkRevealer *banner, *progress_revealer;
  GtkProgressBar *progress_bar;
  GtkButton *stop_button;
  GtkLabel *banner_label, *foot_label, *rejected_label;
  GtkExpander *foot;
  GtkEditable *search_entry;
  GtkToggleButton *no_pipeline_chip, *no_recompute_chip, *roomy_chip, *chart_chip;
  GtkDropDown *framework_drop_down;
  AdwBin *beside_bin, *fold_bin;
  AdwStatusPage *empty_page, *absent_page;
  GtkWidget *wide, *narrow, *chart_box, *beside;
  ShardwiseScatterChart *chart;
  GtkColumnView *column_view;
  GtkListView *list_view;
};

G_DEFINE_FINAL_TYPE (ShardwiseAlternativesPage, shardwise_alternatives_page, SHARDWISE_TYPE_PAGE)

/* Filter */

static double
usable_bytes (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseAdvice *advice = advisor != NULL ? shardwise_advisor_get_advice (advisor) : NULL;

  return advice != NULL ? shardwise_advice_get_problem (advice)->cluster.usable_bytes : 0;
}

static void
filter_changed (ShardwiseAlternativesPage *self)
{
  guint chosen = gtk_drop_down_get_selected (self->framework_drop_down);

  shardwise_candidate_filter_set_text (&self->filter, gtk_editable_get_text (self->search_entry));
  self->filter.no_pipeline = gtk_toggle_button_get_active (self->no_pipeline_chip);
  self->filter.no_recompute = gtk_toggle_button_get_active (self->no_recompute_chip);
  self->filter.memory_below_bytes =
    gtk_toggle_button_get_active (self->roomy_chip) ? ROOMY * usable_bytes (self) : 0;
  self->filter.framework = chosen < SW_N_FRAMEWORKS ? (guint8) chosen : SW_FRAMEWORK_ANY;
  shardwise_candidate_list_set_filter (self->list, &self->filter);
}

static void
sort_changed (ShardwiseAlternativesPage *self)
{
  gboolean descending;
  ShardwiseSort sort;

  if (self->list == NULL || self->column_view == NULL) /* the view takes its columns down */
    return;
  sort = shardwise_strategy_columns_get_sort (self->column_view, &descending);
  shardwise_candidate_list_set_sort (self->list, sort, descending);
}

static void
fill_frameworks (ShardwiseAlternativesPage *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  gtk_string_list_append (names, _ ("Every framework"));
  for (guint i = 1; i < SW_N_FRAMEWORKS; i++)
    gtk_string_list_append (names, shardwise_text_framework (i));
  gtk_drop_down_set_model (self->framework_drop_down, G_LIST_MODEL (names));
}

/* Selection */

static void
activate_cb (ShardwiseAlternativesPage *self, guint position)
{
  g_autoptr (ShardwiseStrategy) strategy =
    g_list_model_get_item (G_LIST_MODEL (self->selection), position);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  if (strategy != NULL && advisor != NULL)
    shardwise_advisor_set_selected (advisor, shardwise_strategy_get_estimate (strategy));
}

static void
point_activated_cb (ShardwiseAlternativesPage *self, guint point)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseAdvice *advice = advisor != NULL ? shardwise_advisor_get_advice (advisor) : NULL;
  SwEstimate estimate;

  if (advice == NULL)
    return;
  sw_estimate (shardwise_advice_get_problem (advice),
               &shardwise_scatter_chart_get_candidate (self->chart, point)->strategy, &estimate);
  shardwise_advisor_set_selected (advisor, &estimate);
}

static void
back_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  shardwise_advisor_set_selected (shardwise_page_get_advisor (SHARDWISE_PAGE (widget)), NULL);
}

/* 0: not among those of the list's answer. */
static guint
rank_of (ShardwiseAlternativesPage *self, const SwEstimate *estimate)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);
  const SwCandidate *candidates;
  guint n = 0;

  if (view == NULL)
    return 0;
  candidates = shardwise_advice_get_candidates (shardwise_candidate_view_get_advice (view), &n);
  for (guint i = 0; i < n; i++)
    if (sw_strategy_equal (&candidates[i].strategy, &estimate->strategy))
      return i + 1;
  return 0;
}

static void
update_banner (ShardwiseAlternativesPage *self, const SwEstimate *recommended,
               const SwEstimate *selected)
{
  gboolean other = !sw_strategy_equal (&recommended->strategy, &selected->strategy);
  g_autofree char *text = NULL, *summary = NULL;
  guint rank;

  gtk_revealer_set_reveal_child (self->banner, other);
  if (!other)
    return;
  rank = rank_of (self, selected);
  summary = shardwise_text_strategy (&selected->strategy);
  if (rank > 0)
    /* Translators: the rank of a strategy, and what it is ("TP 8 · PP 4 …") */
    text = g_strdup_printf (_ ("You look at alternative %u on every page: %s"), rank, summary);
  else
    /* Translators: what a strategy is ("TP 8 · PP 4 …") */
    text = g_strdup_printf (_ ("You look at another strategy on every page: %s"), summary);
  gtk_label_set_label (self->banner_label, text);
}

/* Chart */

static SwCandidate
candidate_of (const SwEstimate *estimate)
{
  return (SwCandidate){ .strategy = estimate->strategy,
                        .seconds_per_token = (float) (1 / estimate->tokens_per_s),
                        .step_s = (float) estimate->time.step_s,
                        .memory_bytes = (float) estimate->memory.peak.total };
}

static void
update_marks (ShardwiseAlternativesPage *self, const SwEstimate *recommended, const SwEstimate *selected)
{
  SwCandidate best, chosen;

  if (!recommended->fits || !selected->fits)
    return;
  best = candidate_of (recommended);
  chosen = candidate_of (selected);
  shardwise_scatter_chart_set_marks (self->chart, &best, &chosen);
}

static void
update_chart (ShardwiseAlternativesPage *self)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);
  const SwCandidate *dots = NULL;
  const guint *counts = NULL;
  guint n = 0;

  if (view != NULL)
    dots = shardwise_candidate_view_get_dots (view, &counts, &n);
  shardwise_scatter_chart_set_candidates (self->chart, dots, counts, n, (GObject *) view, usable_bytes (self));
}

static void
fold_changed_cb (ShardwiseAlternativesPage *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->chart_chip),
                          shardwise_beside_get_folded (SHARDWISE_BESIDE (self->beside)));
}

/* Nothing listed */

static void
absence_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseAlternativesPage) self = data;
  g_autofree char *text = shardwise_absence_finish (result);

  if (text == NULL || self->asked != g_task_get_cancellable (G_TASK (result)))
    return;
  g_clear_object (&self->asked);
  adw_status_page_set_description (self->absent_page, text);
}

static void
drop_question (ShardwiseAlternativesPage *self)
{
  if (self->asked != NULL)
    g_cancellable_cancel (self->asked);
  g_clear_object (&self->asked);
}

/* Degrees that nothing listed has: the engine says what is wrong with them. */
static void
ask_why_absent (ShardwiseAlternativesPage *self, ShardwiseAdvice *advice)
{
  drop_question (self);
  if (self->filter.degrees.mask == 0)
    {
      adw_status_page_set_description (self->absent_page, _ ("No strategy that fits passes the filter."));
      return;
    }
  adw_status_page_set_description (self->absent_page, _ ("Looking for the reason…"));
  self->asked = g_cancellable_new ();
  shardwise_absence_async (advice, &self->filter.degrees, self->asked, absence_cb, g_object_ref (self));
}

static void
update_absence (ShardwiseAlternativesPage *self)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);
  gboolean none = view != NULL && shardwise_candidate_view_get_n_rows (view) == 0;

  gtk_stack_set_visible_child_name (self->list_stack, none ? "absent" : "rows");
  if (none)
    ask_why_absent (self, shardwise_candidate_view_get_advice (view));
  else
    drop_question (self);
}

/* Foot */

/* Counts of the complete search where it has ended, else of the live one. */
static void
update_foot (ShardwiseAlternativesPage *self, ShardwiseAdvice *advice)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  ShardwiseAdvice *all = shardwise_complete_search_get_advice (self->complete);
  const SwSearchResult *search = shardwise_advice_get_search (all != NULL ? all : advice);
  g_autofree char *rejected = shardwise_rejections_list (search), *kind = shardwise_search_kind (search);
  g_autofree char *counts = NULL, *marked = NULL, *reasons = g_strdup_printf ("%s\n%s", kind, rejected);
  guint n;

  shardwise_advice_get_candidates (advice, &n);
  counts = shardwise_search_counts (search, g_list_model_get_n_items (G_LIST_MODEL (self->list)), n);
  if (recommended != NULL && !sw_estimate_is_validated (recommended))
    /* Translators: %s is a sentence on how many strategies were tried */
    marked = g_strdup_printf (_ ("Not validated. %s"), counts);
  gtk_label_set_label (self->foot_label, marked != NULL ? marked : counts);
  gtk_label_set_label (self->rejected_label, reasons);
}

static void
update_progress (ShardwiseAlternativesPage *self)
{
  gboolean searches = shardwise_complete_search_is_running (self->complete);
  double fraction = shardwise_complete_search_get_fraction (self->complete);
  g_autofree char *share = shardwise_format_percent (fraction), *text = NULL;

  gtk_revealer_set_reveal_child (self->progress_revealer,
                                 searches || self->stopped || shardwise_candidate_list_is_pending (self->list));
  gtk_widget_set_visible (GTK_WIDGET (self->stop_button), searches || self->stopped);
  gtk_button_set_label (self->stop_button, searches ? _ ("_Stop") : _ ("_Try Every Strategy"));
  if (searches)
    /* Translators: a percentage */
    text = g_strdup_printf (_ ("Trying every strategy: %s. Until then, the best ones are listed"), share);
  else
    text = g_strdup (self->stopped ? _ ("The best ones are listed, not every strategy") : _ ("Sorting…"));
  gtk_progress_bar_set_fraction (self->progress_bar, fraction);
  gtk_progress_bar_set_text (self->progress_bar, text);
}

/* The complete search runs while the page is seen, once for each advice; until it ends the best few are listed. */
static void
follow_advice (ShardwiseAlternativesPage *self, ShardwiseAdvisor *advisor, ShardwiseAdvice *advice)
{
  gboolean is_ready = shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY && advice != NULL
                      && shardwise_advice_get_fits (advice);
  gboolean has_it = self->counted == advice && shardwise_complete_search_get_advice (self->complete) != NULL;
  gboolean is_seen = gtk_widget_get_mapped (GTK_WIDGET (self));
  ShardwiseAdvice *wanted = has_it || (is_ready && is_seen) ? advice : NULL;

  if (self->counted == wanted)
    return;
  g_set_object (&self->counted, wanted);
  self->stopped = FALSE;
  if (wanted != NULL)
    shardwise_complete_search_start (self->complete, shardwise_advisor_get_scenario (advisor));
  else
    shardwise_complete_search_stop (self->complete);
}

static void
stop_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (widget);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  self->stopped = shardwise_complete_search_is_running (self->complete);
  if (self->stopped)
    shardwise_complete_search_stop (self->complete);
  else if (advisor != NULL && shardwise_advisor_get_scenario (advisor) != NULL)
    shardwise_complete_search_start (self->complete, shardwise_advisor_get_scenario (advisor));
  update_progress (self);
}

static void
set_list (ShardwiseAlternativesPage *self, ShardwiseAdvice *advice)
{
  ShardwiseAdvice *all = shardwise_complete_search_get_advice (self->complete);
  ShardwiseAdvice *listed = all != NULL ? all : advice;

  if (listed != NULL && shardwise_advice_get_search (listed) == NULL)
    listed = NULL;
  filter_changed (self); /* the GPU's memory may be another one */
  shardwise_candidate_list_set_advice (self->list, listed);
}

static void
follow (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseAdvice *advice = advisor != NULL ? shardwise_advisor_get_advice (advisor) : NULL;

  if (advisor == NULL || self->complete == NULL)
    return;
  follow_advice (self, advisor, advice);
  set_list (self, advice);
  if (advice != NULL && shardwise_advice_get_search (advice) != NULL)
    update_foot (self, advice);
  update_progress (self);
}

static void
view_changed_cb (ShardwiseAlternativesPage *self)
{
  update_chart (self);
  update_absence (self);
}

/* Page */

static void
shardwise_alternatives_page_update (ShardwisePage *page)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const SwEstimate *selected = shardwise_advisor_get_selected (advisor);
  gboolean fits = advice != NULL && shardwise_advice_get_fits (advice);

  gtk_stack_set_visible_child_name (self->stack, fits ? "list" : "empty");
  if (advice != NULL && !fits)
    {
      adw_status_page_set_title (self->empty_page, _ ("Nothing Fits"));
      adw_status_page_set_description (
        self->empty_page, _ ("No strategy fits this cluster; the Advice page says what would."));
    }
  follow (self);
  if (advice == NULL || selected == NULL)
    return;
  update_marks (self, shardwise_advice_get_recommended (advice), selected);
  update_banner (self, shardwise_advice_get_recommended (advice), selected);
}

static void
shardwise_alternatives_page_dispose (GObject *object)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (object);

  drop_question (self);
  if (self->complete != NULL)
    g_signal_handlers_disconnect_by_data (self->complete, self);
  g_clear_object (&self->complete);
  g_clear_object (&self->counted);
  g_clear_object (&self->selection);
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
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, progress_revealer);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, progress_bar);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, stop_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, foot);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, foot_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, rejected_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, search_entry);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, no_pipeline_chip);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, no_recompute_chip);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, roomy_chip);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, chart_chip);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, framework_drop_down);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, beside_bin);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, fold_bin);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, empty_page);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, absent_page);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, wide);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, narrow);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, chart_box);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, column_view);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, list_view);
}

static void
shardwise_alternatives_page_class_init (ShardwiseAlternativesPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_alternatives_page_dispose;
  SHARDWISE_PAGE_CLASS (klass)->update = shardwise_alternatives_page_update;

  g_type_ensure (SHARDWISE_TYPE_CHART_CARD);
  g_type_ensure (SHARDWISE_TYPE_SCATTER_CHART);
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_install_action (widget_class, "alternatives.back", NULL, back_cb);
  gtk_widget_class_install_action (widget_class, "alternatives.stop", NULL, stop_cb);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-alternatives-page.ui");
  bind_children (widget_class);
}

static void
build_models (ShardwiseAlternativesPage *self)
{
  self->list = shardwise_candidate_list_new ();
  self->selection = gtk_single_selection_new (G_LIST_MODEL (g_object_ref (self->list)));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_column_view_set_model (self->column_view, GTK_SELECTION_MODEL (self->selection));
  gtk_list_view_set_model (self->list_view, GTK_SELECTION_MODEL (self->selection));
}

static void
build_views (ShardwiseAlternativesPage *self)
{
  g_object_ref (self->list_stack);
  adw_bin_set_child (self->beside_bin, NULL);
  self->beside = shardwise_beside_new (GTK_WIDGET (self->list_stack), self->chart_box, LIST_WIDTH, CHART_WIDTH);
  g_object_unref (self->list_stack);
  adw_bin_set_child (self->beside_bin, self->beside);
  adw_bin_set_child (self->fold_bin, shardwise_fold_new (self->wide, self->narrow));
  g_object_bind_property (self->chart_chip, "active", self->beside, "second", G_BINDING_SYNC_CREATE);
}

static void
connect_search (ShardwiseAlternativesPage *self)
{
  g_signal_connect_object (self->list, "notify::view", G_CALLBACK (view_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->list, "items-changed", G_CALLBACK (follow), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (self->list, "notify::pending", G_CALLBACK (update_progress), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->complete, "notify::advice", G_CALLBACK (follow), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->complete, "notify::fraction", G_CALLBACK (update_progress), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->beside, "notify::folded", G_CALLBACK (fold_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect (self, "map", G_CALLBACK (follow), NULL);
  g_signal_connect (self, "unmap", G_CALLBACK (follow), NULL);
}

static void
connect_signals (ShardwiseAlternativesPage *self)
{
  GtkWidget *chips[] = { GTK_WIDGET (self->no_pipeline_chip), GTK_WIDGET (self->no_recompute_chip),
                         GTK_WIDGET (self->roomy_chip) };

  for (guint i = 0; i < G_N_ELEMENTS (chips); i++)
    g_signal_connect_object (chips[i], "toggled", G_CALLBACK (filter_changed), self,
                             G_CONNECT_SWAPPED);
  g_signal_connect_object (self->search_entry, "search-changed", G_CALLBACK (filter_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->framework_drop_down, "notify::selected",
                           G_CALLBACK (filter_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->column_view, "activate", G_CALLBACK (activate_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->list_view, "activate", G_CALLBACK (activate_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_column_view_get_sorter (self->column_view), "changed", G_CALLBACK (sort_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->chart, "point-activated", G_CALLBACK (point_activated_cb), self, G_CONNECT_SWAPPED);
  connect_search (self);
}

static void
shardwise_alternatives_page_init (ShardwiseAlternativesPage *self)
{
  g_autoptr (GtkListItemFactory) rows = shardwise_strategy_row_factory_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  shardwise_strategy_columns_append (self->column_view);
  gtk_list_view_set_factory (self->list_view, rows);
  shardwise_candidate_filter_init (&self->filter);
  build_views (self);
  fill_frameworks (self);
  build_models (self);
  self->complete = shardwise_complete_search_new ();
  connect_signals (self);
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
