/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-alternatives-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtk/gtk.h>

#include "shardwise-absence-view.h"
#include "shardwise-advice-lists.h"
#include "shardwise-advice.h"
#include "shardwise-chart-card.h"
#include "shardwise-comparison-view.h"
#include "shardwise-container.h"
#include "shardwise-filter-bar.h"
#include "shardwise-line-layout.h"
#include "shardwise-scatter-chart.h"
#include "shardwise-search-progress.h"
#include "shardwise-strategy-view.h"
#include "shardwise-strategy-words.h"
#include "shardwise-strategy.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-wrapped-label.h"
#include "shardwise-text-strategy.h"

/* Replaces the list of strategies if none fits: the nearest ones with the memory that each needs
 * above the limit and, unfolded, the reasons why the others were rejected. Hidden without a search,
 * or if something fits. */
#define SHARDWISE_TYPE_REJECTED_VIEW (shardwise_rejected_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseRejectedView, shardwise_rejected_view, SHARDWISE, REJECTED_VIEW,
                      ShardwiseContainer)

#define SPACING 9 /* pixels, within a section */
#define GAP 24    /* between the sections */

struct _ShardwiseRejectedView {
  ShardwiseContainer parent_instance;

  ShardwiseAdvice *shown; /* (nullable): the answer whose strategies are listed */
  GtkListBox *nearest, *search;
};

G_DEFINE_FINAL_TYPE (ShardwiseRejectedView, shardwise_rejected_view, SHARDWISE_TYPE_CONTAINER)

/* @advice: (nullable): an answer
 *
 * Lists the excluded strategies of @advice if all are excluded. An unfolded list stays so while the
 * answer is the same. */
static void
shardwise_rejected_view_set_advice (ShardwiseRejectedView *self, ShardwiseAdvice *advice)
{
  ShardwiseAdvice *listed = NULL;

  g_return_if_fail (SHARDWISE_IS_REJECTED_VIEW (self));
  g_return_if_fail (advice == NULL || SHARDWISE_IS_ADVICE (advice));

  if (advice != NULL && shardwise_advice_get_search (advice) != NULL
      && !shardwise_advice_get_fits (advice))
    listed = advice;
  gtk_widget_set_visible (GTK_WIDGET (self), listed != NULL);
  if (!g_set_object (&self->shown, listed) || listed == NULL)
    return;
  gtk_widget_set_visible (gtk_widget_get_parent (GTK_WIDGET (self->nearest)),
                          shardwise_advice_list_nearest (self->nearest, advice) > 0);
  shardwise_advice_list_search (self->search, advice);
}

static void
shardwise_rejected_view_dispose (GObject *object)
{
  g_clear_object (&SHARDWISE_REJECTED_VIEW (object)->shown);
  G_OBJECT_CLASS (shardwise_rejected_view_parent_class)->dispose (object);
}

static void
shardwise_rejected_view_class_init (ShardwiseRejectedViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_rejected_view_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
}

static GtkListBox *
add_section (ShardwiseRejectedView *self, const char *title)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, SPACING);
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "label", title, "xalign", 0.0, NULL);
  GtkWidget *list = g_object_new (GTK_TYPE_LIST_BOX, "selection-mode", GTK_SELECTION_NONE, NULL);

  gtk_widget_add_css_class (label, "title-4");
  gtk_widget_add_css_class (list, "boxed-list");
  gtk_accessible_update_relation (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label,
                                  NULL, -1);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), list);
  gtk_widget_set_parent (box, GTK_WIDGET (self));
  return GTK_LIST_BOX (list);
}

static void
shardwise_rejected_view_init (ShardwiseRejectedView *self)
{
  GtkBoxLayout *layout = GTK_BOX_LAYOUT (gtk_widget_get_layout_manager (GTK_WIDGET (self)));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  gtk_box_layout_set_spacing (layout, GAP);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  self->nearest = add_section (self, _ ("Nearest strategies"));
  self->search = add_section (self, _ ("What was searched"));
}

/* Two views of the same data: side by side if both fit, otherwise one of them.
 * properties: "folded" (boolean, read-only, notifies: one of them), "second" (boolean: then it is
 * the second) */
#define SHARDWISE_TYPE_BESIDE (shardwise_beside_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseBeside, shardwise_beside, SHARDWISE, BESIDE, ShardwiseContainer)

#define FIRST_SHARE 0.58 /* share of the width if both are visible */

struct _ShardwiseBeside {
  ShardwiseContainer parent_instance;
  GtkWidget *first, *second;
  int first_width, second_width; /* width for both side by side, in pixels */
  gboolean folded, shows_second;
  guint notify_id;
};

G_DEFINE_FINAL_TYPE (ShardwiseBeside, shardwise_beside, SHARDWISE_TYPE_CONTAINER)

enum { PROP_0, PROP_FOLDED, PROP_SECOND, N_PROPS };

static GParamSpec *properties[N_PROPS];

/* The minimum is the width at which each fits on its own. Height is not measured for each width:
 * both fill their allocation and scroll. */
static void
shardwise_beside_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  ShardwiseBeside *self = SHARDWISE_BESIDE (widget);
  int other_minimum, other_natural;

  gtk_widget_measure (self->first, orientation, -1, minimum, natural, NULL, NULL);
  gtk_widget_measure (self->second, orientation, -1, &other_minimum, &other_natural, NULL, NULL);
  *minimum = MAX (*minimum, other_minimum);
  *natural = MAX (*natural, other_natural);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *natural = MAX (*natural, self->first_width + self->second_width);
}

/* Not during allocation, because listeners may show or hide widgets. */
static gboolean
notify_cb (gpointer data)
{
  ShardwiseBeside *self = data;

  self->notify_id = 0;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FOLDED]);
  return G_SOURCE_REMOVE;
}

static void
shardwise_beside_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ShardwiseBeside *self = SHARDWISE_BESIDE (widget);
  int first = MAX (self->first_width, (int) (width * FIRST_SHARE));
  gboolean left_to_right = gtk_widget_get_direction (widget) != GTK_TEXT_DIR_RTL;
  gboolean folded = !(width < 0 || width >= self->first_width + self->second_width);

  if (self->folded != folded)
    {
      self->folded = folded;
      if (self->notify_id == 0)
        self->notify_id = g_idle_add_full (G_PRIORITY_HIGH_IDLE, notify_cb, self, NULL);
    }
  gtk_widget_set_child_visible (self->first, !self->folded || !self->shows_second);
  gtk_widget_set_child_visible (self->second, !self->folded || self->shows_second);
  if (self->folded)
    {
      gtk_widget_size_allocate (self->shows_second ? self->second : self->first,
                                &(GtkAllocation){ 0, 0, width, height }, baseline);
      return;
    }
  gtk_widget_size_allocate (self->first,
                            &(GtkAllocation){ left_to_right ? 0 : width - first, 0, first, height },
                            baseline);
  gtk_widget_size_allocate (self->second,
                            &(GtkAllocation){ left_to_right ? first : 0, 0, width - first, height },
                            baseline);
}

static void
shardwise_beside_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  ShardwiseBeside *self = SHARDWISE_BESIDE (object);

  if (id == PROP_FOLDED)
    g_value_set_boolean (value, self->folded);
  else if (id == PROP_SECOND)
    g_value_set_boolean (value, self->shows_second);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
}

static void
shardwise_beside_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  if (id != PROP_SECOND)
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
      return;
    }
  SHARDWISE_BESIDE (object)->shows_second = g_value_get_boolean (value);
  gtk_widget_queue_allocate (GTK_WIDGET (object));
}

static void
shardwise_beside_dispose (GObject *object)
{
  ShardwiseBeside *self = SHARDWISE_BESIDE (object);

  g_clear_handle_id (&self->notify_id, g_source_remove);
  G_OBJECT_CLASS (shardwise_beside_parent_class)->dispose (object);
}

static void
shardwise_beside_class_init (ShardwiseBesideClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = shardwise_beside_dispose;
  object_class->get_property = shardwise_beside_get_property;
  object_class->set_property = shardwise_beside_set_property;
  widget_class->measure = shardwise_beside_measure;
  widget_class->size_allocate = shardwise_beside_size_allocate;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  properties[PROP_FOLDED] = g_param_spec_boolean ("folded", NULL, NULL, FALSE,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_SECOND] = g_param_spec_boolean ("second", NULL, NULL, FALSE,
                                                  G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
shardwise_beside_init (ShardwiseBeside *self)
{}

/* @first: shown at the start
 * @second: shown at the end, or instead of @first
 * @first_width: the width of @first if both are visible, pixels
 * @second_width: the width of @second
 *
 * Returns: (transfer floating): a widget that owns both */
static GtkWidget *
shardwise_beside_new (GtkWidget *first, GtkWidget *second, int first_width, int second_width)
{
  ShardwiseBeside *self;

  g_return_val_if_fail (GTK_IS_WIDGET (first) && GTK_IS_WIDGET (second), NULL);
  self = g_object_new (SHARDWISE_TYPE_BESIDE, NULL);
  self->first = first;
  self->second = second;
  self->first_width = first_width;
  self->second_width = second_width;
  gtk_widget_set_parent (first, GTK_WIDGET (self));
  gtk_widget_set_parent (second, GTK_WIDGET (self));
  return GTK_WIDGET (self);
}

/* Widths for side by side, in pixels: the table with its eight columns, and the chart. */
#define LIST_WIDTH 680
#define CHART_WIDTH 400

/* While a new answer is searched for all strategies, the table shows its best ones at once. The
 * other parts keep the previous answer, dimmed, for twice as long: mostly the search ends by then.
 * So does the table if its first rows may still change, for that time without being dimmed. */
#define KEEP_MS 200

struct _ShardwiseAlternativesPage {
  ShardwisePage parent_instance;

  ShardwiseCandidateList *list;
  ShardwiseComparison *comparison;
  gboolean compares;    /* instead of the list */
  gboolean was_emptied; /* the comparison: it is not filled again automatically */
  guint n_compared;
  SwStrategy first; /* the automatically pinned one */
  SwStrategy revealed;
  ShardwiseAdvice *awaited; /* (nullable): the answer for which content was last kept */
  guint keep_id;            /* the parts with all strategies belong to the previous answer */
  gboolean keeps_table;     /* and so does the table */
  gboolean has_revealed;    /* revealed: the target of the last scroll */

  GtkStack *stack, *list_stack;
  GtkRevealer *banner, *detail;
  GtkLabel *detail_title, *detail_text, *banner_label, *foot_label, *rejected_label;
  GtkExpander *foot;
  ShardwiseFilterBar *filter_bar;
  GtkMenuButton *order_button;
  GtkToggleButton *chart_chip, *group_chip;
  GtkButton *compare_chip, *variants_button;
  AdwBin *beside_bin, *view_bin, *comparison_bin;
  AdwStatusPage *empty_page;
  ShardwiseRejectedView *rejected_view;
  ShardwiseSearchProgress *progress;
  ShardwiseAbsenceView *absence_view;
  GtkWidget *chart_box, *beside;
  ShardwiseScatterChart *chart;
  ShardwiseStrategyView *view;
  ShardwiseComparisonView *comparison_view;
};

G_DEFINE_FINAL_TYPE (ShardwiseAlternativesPage, shardwise_alternatives_page, SHARDWISE_TYPE_PAGE)

static ShardwiseAdvice *
get_advice (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  return advisor != NULL ? shardwise_advisor_get_advice (advisor) : NULL;
}

/* The strategy that every page shows: chosen in the table or in the chart, shown in both. */

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
  ShardwiseAdvice *advice = get_advice (self);
  SwEstimate estimate;

  /* a smaller chart has fewer points */
  if (advice == NULL || self->keep_id != 0
      || point >= shardwise_chart_n_points (SHARDWISE_CHART (self->chart)))
    return;
  sw_estimate (shardwise_advice_get_problem (advice),
               &shardwise_scatter_chart_get_candidate (self->chart, point)->strategy, &estimate);
  shardwise_advisor_set_selected (shardwise_page_get_advisor (SHARDWISE_PAGE (self)), &estimate);
}

/* Returns: (transfer full) (nullable): the object of the row with the cursor */
static ShardwiseStrategy *
strategy_at_cursor (ShardwiseAlternativesPage *self)
{
  const int row = shardwise_strategy_view_get_cursor (self->view);
  g_autoptr (ShardwiseStrategy) strategy =
      row >= 0 ? g_list_model_get_item (G_LIST_MODEL (self->list), (guint) row) : NULL;

  return strategy != NULL && !shardwise_strategy_is_awaited (strategy) ? g_steal_pointer (&strategy)
                                                                       : NULL;
}

/* Details of the row with the cursor. Its buttons are only shown if they have an effect: another
 * strategy to select, or variants to list. */
static void
show_detail (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  g_autoptr (ShardwiseStrategy) strategy = strategy_at_cursor (self);
  const SwEstimate *selected = advisor != NULL ? shardwise_advisor_get_selected (advisor) : NULL;
  const gboolean is_other =
      strategy != NULL && selected != NULL
      && !sw_strategy_equal (&shardwise_strategy_get_estimate (strategy)->strategy,
                             &selected->strategy);
  g_autofree char *title = NULL, *figures = NULL, *speed = NULL, *text = NULL, *more = NULL;
  guint variants;

  gtk_revealer_set_reveal_child (self->detail, strategy != NULL && selected != NULL);
  if (strategy == NULL)
    return;
  g_object_get (strategy, "summary", &title, NULL);
  figures = shardwise_strategy_subtitle (strategy);
  speed = shardwise_strategy_speed_text (strategy);
  text = g_strjoin (" · ", figures, speed, NULL);
  shardwise_wrapped_label_show (self->detail_title, title);
  shardwise_wrapped_label_show (self->detail_text, text);
  variants = shardwise_strategy_get_variants (strategy);
  gtk_widget_set_visible (GTK_WIDGET (self->variants_button), variants > 0);
  more = shardwise_strategy_variants_text (strategy);
  gtk_button_set_label (self->variants_button, more);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "alternatives.use",
                                 is_other && !self->keeps_table);
}

static void
use_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (widget);
  const int row = shardwise_strategy_view_get_cursor (self->view);

  if (row >= 0)
    activate_cb (self, (guint) row);
}

/* Lists all strategies with the same split of the GPUs, each in a row. */
static void
variants_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (widget);
  g_autoptr (ShardwiseStrategy) strategy = strategy_at_cursor (self);
  const SwStrategy *s;
  g_autofree char *text = NULL;

  if (strategy == NULL)
    return;
  s = &shardwise_strategy_get_estimate (strategy)->strategy;
  text = g_strdup_printf ("tp %u pp %u dp %u cp %u ep %u", s->tp, s->pp, s->dp, s->cp, s->ep);
  gtk_toggle_button_set_active (self->group_chip, FALSE);
  shardwise_filter_bar_set_text (self->filter_bar, text);
}

/* Marks the row with the cursor in the chart. */
static void
point (ShardwiseAlternativesPage *self)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);
  int row = shardwise_strategy_view_get_cursor (self->view);
  const SwCandidate *pointed = NULL;
  guint n;

  show_detail (self);
  if (self->keep_id != 0) /* the chart belongs to another answer */
    return;
  if (view != NULL && row >= 0 && (guint) row < shardwise_candidate_view_get_n_rows (view))
    pointed = shardwise_advice_get_candidates (shardwise_candidate_view_get_advice (view), &n)
              + shardwise_candidate_view_get_candidate (view, (guint) row);
  shardwise_scatter_chart_set_pointed (self->chart, pointed);
}

/* Position of the selected strategy. 0: it is not in the list of the answer. `row`: -1 if the
 * filter hides it. */
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

static void
update_banner (ShardwiseAlternativesPage *self, const SwEstimate *recommended,
               const SwEstimate *selected)
{
  gboolean other = !sw_strategy_equal (&recommended->strategy, &selected->strategy), again;
  g_autofree char *text = NULL, *summary = NULL;
  guint rank;
  int row;

  gtk_revealer_set_reveal_child (self->banner, other);
  if (!other && !self->has_revealed) /* nothing was selected */
    return;
  rank = rank_of (self, selected, &row);
  /* The list scrolls once to a strategy selected elsewhere. */
  again = self->has_revealed && sw_strategy_equal (&self->revealed, &selected->strategy);
  self->has_revealed = TRUE;
  self->revealed = selected->strategy;
  if (!again && row >= 0 && row != shardwise_strategy_view_get_cursor (self->view))
    shardwise_strategy_view_reveal (self->view, row, TRUE);
  if (!other)
    return;
  summary = shardwise_text_strategy (&selected->strategy);
  if (rank > 0)
    /* Translators: the rank of a strategy, and what it is ("TP 8 · PP 4 …") */
    text = g_strdup_printf (_ ("All pages now show alternative %u: %s"), rank, summary);
  else
    /* Translators: what a strategy is ("TP 8 · PP 4 …") */
    text = g_strdup_printf (_ ("All pages now show another strategy: %s"), summary);
  shardwise_wrapped_label_show (self->banner_label, text);
}

/* The selected strategy, in the chart and above the table. */
static void
show_selected (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseAdvice *advice = get_advice (self);
  const SwEstimate *selected = advice != NULL ? shardwise_advisor_get_selected (advisor) : NULL,
                   *recommended;

  show_detail (self);
  if (selected == NULL)
    return;
  recommended = shardwise_advice_get_recommended (advice);
  if (recommended->fits && self->keep_id == 0)
    {
      /* A strategy set by hand that does not fit has no rank. */
      SwCandidate best = shardwise_candidate_of (recommended),
                  chosen = shardwise_candidate_of (selected);

      shardwise_scatter_chart_set_marks (self->chart, &best, selected->fits ? &chosen : NULL);
    }
  update_banner (self, recommended, selected);
}

static void
back_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  shardwise_advisor_set_selected (shardwise_page_get_advisor (SHARDWISE_PAGE (widget)), NULL);
}

/* The pinned strategies, and their comparison. */

/* Shows the comparison if the user requested it; otherwise the strategies, or that there are
 * none. */
static void
show_child (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvice *advice = get_advice (self);
  gboolean fits = advice != NULL && shardwise_advice_get_fits (advice);

  gtk_stack_set_visible_child_name (self->stack, self->compares ? "comparison"
                                                 : fits         ? "list"
                                                                : "empty");
}

static void
pin (ShardwiseAlternativesPage *self, const SwStrategy *strategy)
{
  if (shardwise_comparison_has (self->comparison, strategy))
    shardwise_comparison_unpin (self->comparison, strategy);
  else if (!shardwise_comparison_pin (self->comparison, strategy))
    shardwise_page_toast (SHARDWISE_PAGE (self),
                          _ ("You can compare up to four strategies. Remove one first."));
}

static void
pin_selected_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (widget));
  const SwEstimate *selected = advisor != NULL ? shardwise_advisor_get_selected (advisor) : NULL;

  if (selected != NULL)
    pin (SHARDWISE_ALTERNATIVES_PAGE (widget), &selected->strategy);
}

static void
pin_recommended_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseAdvice *advice = get_advice (SHARDWISE_ALTERNATIVES_PAGE (widget));

  if (advice != NULL)
    pin (SHARDWISE_ALTERNATIVES_PAGE (widget),
         &shardwise_advice_get_recommended (advice)->strategy);
}

static void
pin_next_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseAdvice *advice = get_advice (SHARDWISE_ALTERNATIVES_PAGE (widget));

  if (advice != NULL && shardwise_advice_get_n_alternatives (advice) > 0)
    pin (SHARDWISE_ALTERNATIVES_PAGE (widget),
         &shardwise_advice_get_alternative (advice, 0)->strategy);
}

/* The row with the cursor; otherwise the selected strategy. */
static void
pin_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (widget);
  int row = shardwise_strategy_view_get_cursor (self->view);
  g_autoptr (ShardwiseStrategy) strategy =
      row >= 0 && !self->compares ? g_list_model_get_item (G_LIST_MODEL (self->list), (guint) row)
                                  : NULL;

  if (strategy != NULL && !shardwise_strategy_is_awaited (strategy))
    pin (self, &shardwise_strategy_get_estimate (strategy)->strategy);
  else
    pin_selected_cb (widget, action, parameter);
}

static void seen_cb (ShardwiseAlternativesPage *self);

/* Moves the focus to the visible part: the comparison, the button that led there, or the page that
 * replaces an empty list. */
static void
compare_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (widget);
  GtkWidget *next = GTK_WIDGET (self->comparison_view);

  self->compares = g_str_equal (action, "alternatives.compare");
  show_child (self);
  seen_cb (self);
  if (!self->compares)
    next = gtk_widget_get_mapped (GTK_WIDGET (self->compare_chip)) ? GTK_WIDGET (self->compare_chip)
                                                                   : GTK_WIDGET (self->stack);
  gtk_widget_child_focus (next, GTK_DIR_TAB_FORWARD);
}

static void
look_cb (ShardwiseAlternativesPage *self, guint index)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  if (advisor != NULL)
    shardwise_advisor_set_selected (advisor,
                                    shardwise_comparison_get_estimate (self->comparison, index));
}

static void
comparison_changed_cb (ShardwiseAlternativesPage *self)
{
  guint n = shardwise_comparison_get_n (self->comparison);
  /* Translators: how many strategies are compared */
  g_autofree char *label = n > 0 ? g_strdup_printf (_ ("Compare (%u)"), n)
                                 : g_strdup (_ ("Compare"));

  gtk_button_set_label (self->compare_chip, label);
  self->was_emptied = n == 0 && (self->was_emptied || self->n_compared > 0);
  self->n_compared = n;
  if (self->keep_id == 0) /* otherwise the chart belongs to another answer */
    shardwise_scatter_chart_set_pins (self->chart, self->comparison);
}

/* A comparison begins with the recommended strategy, which follows the answer until a second column
 * is added. */
static void
pin_first (ShardwiseAlternativesPage *self, ShardwiseAdvice *advice)
{
  const guint n = shardwise_comparison_get_n (self->comparison);
  const SwStrategy *recommended = &shardwise_advice_get_recommended (advice)->strategy;
  const gboolean is_first =
      n == 1 && shardwise_comparison_get_name (self->comparison, 0) == NULL
      && sw_strategy_equal (&self->first,
                            &shardwise_comparison_get_estimate (self->comparison, 0)->strategy);

  if (!self->compares || self->was_emptied || !(n == 0 || is_first)
      || shardwise_comparison_has (self->comparison, recommended))
    return;
  shardwise_comparison_clear (self->comparison);
  shardwise_comparison_pin (self->comparison, recommended);
  self->first = *recommended;
  self->was_emptied = FALSE;
}

/* Pins are computed for the current answer; an outdated answer changes nothing. */
static void
update_pins (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const SwEstimate *selected = shardwise_advisor_get_selected (advisor);

  if (shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY || advice == NULL)
    shardwise_comparison_set_advice (self->comparison, advice,
                                     shardwise_advisor_get_scenario (advisor));
  if (shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY && advice != NULL)
    pin_first (self, advice);
  shardwise_comparison_view_set_marks (
      self->comparison_view,
      advice != NULL ? &shardwise_advice_get_recommended (advice)->strategy : NULL,
      selected != NULL ? &selected->strategy : NULL);
}

/* The strategies that fit. */

static double
usable_bytes (ShardwiseAdvice *advice)
{
  return advice != NULL ? shardwise_advice_get_problem (advice)->cluster.usable_bytes : 0;
}

static void
filter_changed (ShardwiseAlternativesPage *self)
{
  ShardwiseCandidateFilter filter = *shardwise_filter_bar_get_filter (self->filter_bar);

  filter.grouped = gtk_toggle_button_get_active (self->group_chip);
  shardwise_candidate_list_set_filter (self->list, &filter);
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
  /* The limit is the memory up to the target. */
  shardwise_scatter_chart_set_candidates (
      self->chart, dots, counts, n, (GObject *) view, usable_bytes (advice),
      (advice != NULL
           ? usable_bytes (advice) * shardwise_advice_get_problem (advice)->training.memory_target
           : 0));
}

static void
fold_changed_cb (ShardwiseAlternativesPage *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->chart_chip), SHARDWISE_BESIDE (self->beside)->folded);
}

/* Nothing listed */

/* Foot */

/* Counts of the complete search if it has ended, otherwise of the live one. */
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
      search, view != NULL ? shardwise_candidate_view_get_n_passed (view) : 0, n);
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

/* The parts computed from all strategies: the chart, and the values of the filter. */
static void
show_all (ShardwiseAlternativesPage *self)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);

  update_chart (self);
  shardwise_scatter_chart_set_pins (self->chart, self->comparison);
  point (self);
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
      gtk_widget_add_css_class (self->beside, "kept"); /* which restyles every cell */
      return G_SOURCE_CONTINUE;
    }
  if (shardwise_candidate_list_is_pending (self->list)) /* all are found, and being sorted */
    return G_SOURCE_CONTINUE;
  drop_kept (self);
  follow (self);
  show_all (self);
  show_selected (self);
  return G_SOURCE_REMOVE;
}

/* The parts with all strategies keep the previous answer for a moment: the new strategies are not
 * found yet. */
static void
keep (ShardwiseAlternativesPage *self, ShardwiseAdvice *advice)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);
  guint n;

  if (view == NULL || shardwise_candidate_view_get_advice (view) == advice
      || shardwise_candidate_view_get_n_rows (view) == 0 || !g_set_object (&self->awaited, advice))
    return;
  /* Whether the first rows, and so all visible ones, may change when all strategies are found. */
  shardwise_advice_get_candidates (advice, &n);
  self->keeps_table = !shardwise_candidate_list_is_whole (self->list)
                      || shardwise_strategy_view_count_rows (self->view) > n;
  if (!self->keeps_table)
    {
      gtk_widget_remove_css_class (self->beside, "kept");
      gtk_widget_add_css_class (self->chart_box, "kept");
    }
  if (self->keep_id == 0)
    self->keep_id = g_timeout_add (self->keeps_table ? KEEP_MS : 2 * KEEP_MS, kept_cb, self);
}

/* Until the next answer arrives, the best strategies of this one stay in place, and so do the
 * positions of the rows after them: there will be equally many. */
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
  ShardwiseAdvice *advice = get_advice (self),
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
  /* all strategies, or the best ones until they are found */
  if (all != NULL)
    shardwise_candidate_list_set_advice (self->list, all);
  else if (self->keep_id != 0)
    shardwise_candidate_list_set_first (self->list, is_searched ? advice : NULL);
  else
    shardwise_candidate_list_set_advice (self->list, is_searched ? advice : NULL);
  if (is_searched && !shardwise_candidate_list_is_pending (self->list))
    update_foot (self, advice);
  if (dropped)
    show_all (self);
}

/* The search for every strategy runs while the list is visible; until it ends the best few are
 * listed. */
static void
seen_cb (ShardwiseAlternativesPage *self)
{
  shardwise_search_progress_follow (self->progress,
                                    shardwise_page_get_advisor (SHARDWISE_PAGE (self)),
                                    gtk_widget_get_mapped (GTK_WIDGET (self)) && !self->compares);
}

static void
view_changed_cb (ShardwiseAlternativesPage *self)
{
  ShardwiseCandidateView *view = shardwise_candidate_list_get_view (self->list);
  ShardwiseAdvice *all = shardwise_search_progress_get_advice (self->progress);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  const SwEstimate *selected;
  gboolean none;
  int row = -1;

  if (view == NULL || shardwise_candidate_view_get_advice (view) == all)
    drop_kept (self);
  if (self->keep_id == 0)
    show_all (self);
  none = view != NULL && shardwise_candidate_view_get_n_rows (view) == 0;
  gtk_stack_set_visible_child_name (self->list_stack, none ? "absent" : "rows");
  if (none)
    shardwise_absence_view_ask (self->absence_view, shardwise_candidate_view_get_advice (view),
                                &shardwise_filter_bar_get_filter (self->filter_bar)->degrees);
  else
    shardwise_absence_view_drop (self->absence_view);
  follow (self);

  /* A new order or filter keeps the selected strategy at its new position. If it is hidden, nothing
   * is selected, because its row now has another strategy. */
  selected = advisor != NULL ? shardwise_advisor_get_selected (advisor) : NULL;
  if (selected != NULL && self->has_revealed)
    rank_of (self, selected, &row);
  shardwise_strategy_view_reveal (self->view, row, FALSE);
  if (!self->keeps_table)
    show_selected (self);
}

/* Page */

static void
shardwise_alternatives_page_update (ShardwisePage *page)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);

  show_child (self);
  /* Without an answer, or with one in which nothing fits. */
  adw_status_page_set_title (self->empty_page,
                             advice != NULL ? _ ("Nothing Fits") : _ ("No Alternatives Yet"));
  adw_status_page_set_description (
      self->empty_page,
      advice != NULL ? _ ("No strategy fits this cluster. The page Answer lists changes that fit.")
                     : _ ("As soon as there is advice, this page lists the strategies that fit."));
  if (advice != NULL) /* the excluded strategies are below the title */
    gtk_widget_add_css_class (GTK_WIDGET (self->empty_page), "compact");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->empty_page), "compact");
  shardwise_rejected_view_set_advice (self->rejected_view, advice);
  seen_cb (self);
  follow (self);
  update_pins (self);
  if (!self->keeps_table)
    show_selected (self);
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
  gtk_widget_class_install_action (widget_class, "alternatives.back", NULL, back_cb);
  gtk_widget_class_install_action (widget_class, "alternatives.pin", NULL, pin_cb);
  gtk_widget_class_install_action (widget_class, "alternatives.pin-selected", NULL,
                                   pin_selected_cb);
  gtk_widget_class_install_action (widget_class, "alternatives.pin-recommended", NULL,
                                   pin_recommended_cb);
  gtk_widget_class_install_action (widget_class, "alternatives.pin-next", NULL, pin_next_cb);
  gtk_widget_class_install_action (widget_class, "alternatives.use", NULL, use_cb);
  gtk_widget_class_install_action (widget_class, "alternatives.variants", NULL, variants_cb);
  gtk_widget_class_install_action (widget_class, "alternatives.compare", NULL, compare_cb);
  gtk_widget_class_install_action (widget_class, "alternatives.list", NULL, compare_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_d, GDK_CONTROL_MASK,
                                       "alternatives.pin", NULL);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-alternatives-page.ui");
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
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, order_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, group_chip);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, detail);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, detail_title);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, detail_text);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, variants_button);
  gtk_widget_class_bind_template_callback (widget_class, filter_changed);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, chart_chip);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, compare_chip);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, chart_box);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, chart);
}

static void
shardwise_alternatives_page_init (ShardwiseAlternativesPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->list = shardwise_candidate_list_new ();
  self->comparison = shardwise_comparison_new ();
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
  gtk_widget_insert_action_group (GTK_WIDGET (self), "columns",
                                  shardwise_strategy_view_get_actions (self->view));
  gtk_menu_button_set_menu_model (self->order_button,
                                  shardwise_strategy_view_get_menu (self->view));
  shardwise_tooltip_wrap (GTK_WIDGET (self->chart_chip));
  shardwise_filter_bar_append (self->filter_bar, GTK_WIDGET (self->order_button));
  shardwise_filter_bar_append (self->filter_bar, GTK_WIDGET (self->group_chip));
  shardwise_filter_bar_append (self->filter_bar, GTK_WIDGET (self->chart_chip));
  shardwise_filter_bar_append (self->filter_bar, GTK_WIDGET (self->compare_chip));
  g_object_bind_property (self->chart_chip, "active", self->beside, "second",
                          G_BINDING_SYNC_CREATE);
  /* GTK has no API for it: the parent of the footer's text is the line that it shares with the
   * arrow, which is laid out again with each answer. */
  gtk_widget_set_layout_manager (gtk_widget_get_parent (GTK_WIDGET (self->foot_label)),
                                 shardwise_line_layout_new (0, FALSE));
  g_signal_connect_object (self->view, "activated", G_CALLBACK (activate_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->view, "cursor-changed", G_CALLBACK (point), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->chart, "point-activated", G_CALLBACK (point_activated_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->comparison_view, "activated", G_CALLBACK (look_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->comparison, "changed", G_CALLBACK (comparison_changed_cb), self,
                           G_CONNECT_SWAPPED);
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

/**
 * shardwise_alternatives_page_show:
 * @self: a page
 * @part: "compare": the comparison, initially with the recommended strategy; "list": all strategies
 *
 * Returns: %FALSE if there is no such part
 */
gboolean
shardwise_alternatives_page_show (ShardwiseAlternativesPage *self, const char *part)
{
  g_return_val_if_fail (SHARDWISE_IS_ALTERNATIVES_PAGE (self), FALSE);

  if (!g_str_equal (part, "compare") && !g_str_equal (part, "list"))
    return FALSE;
  self->compares = g_str_equal (part, "compare");
  if (shardwise_page_get_advisor (SHARDWISE_PAGE (self)) != NULL)
    update_pins (self);
  show_child (self);
  seen_cb (self);
  return TRUE;
}

/**
 * shardwise_alternatives_page_get_comparison:
 *
 * Returns: (transfer none): the pinned strategies
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
 * Returns: (transfer none): the listed strategies, in their order
 */
ShardwiseCandidateList *
shardwise_alternatives_page_get_list (ShardwiseAlternativesPage *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ALTERNATIVES_PAGE (self), NULL);

  return self->list;
}

/**
 * shardwise_alternatives_page_group:
 * @self: a page
 *
 * Lists one row for all strategies with the same split of the GPUs, until the user changes this.
 */
void
shardwise_alternatives_page_group (ShardwiseAlternativesPage *self)
{
  g_return_if_fail (SHARDWISE_IS_ALTERNATIVES_PAGE (self));

  gtk_toggle_button_set_active (self->group_chip, TRUE);
}
