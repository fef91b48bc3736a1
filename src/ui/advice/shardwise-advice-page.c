/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-advice-page.h"

#include <glib/gi18n.h>

#include "shardwise-advice-lists.h"
#include "shardwise-alternative-card.h"
#include "shardwise-chip-row.h"
#include "shardwise-cluster-picture.h"
#include "shardwise-column.h"
#include "shardwise-compat.h"
#include "shardwise-copy-button.h"
#include "shardwise-diagnosis-view.h"
#include "shardwise-diagnosis.h"
#include "shardwise-export-search.h"
#include "shardwise-metric-card.h"
#include "shardwise-reason-row.h"
#include "shardwise-second-opinions.h"
#include "shardwise-stepper.h"
#include "shardwise-strategy-words.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"
#include "shardwise-text-advice.h"
#include "shardwise-wrapped-label.h"
#include "shardwise-wrap-layout.h"

/* The answer, top down. Widgets stay and get new values, so that the scroll position, the focus and
 * unfolded rows survive an edit; only lists of sentences are made anew, and only when the advice is
 * another one. */

#define N_ALTERNATIVES 3

struct _ShardwiseAdvicePage {
  ShardwisePage parent_instance;
  GtkStack *stack;
  AdwStatusPage *empty;
  GtkScrolledWindow *scroller;
  ShardwiseColumn *content;
  GtkWidget *pill, *copy, *selected_bar, *validated_bar, *unpin;
  GtkWidget *ways_out_section, *nearest_section, *strategy_section, *metrics_section,
      *notices_section;
  GtkWidget *alternatives_section, *reasons_section, *steps_section, *opinions_section,
      *search_section;
  GtkImage *pill_icon;
  GtkLabel *pill_label, *verdict, *selected_label, *validated_label, *nearest_title, *facts;
  GtkBox *below, *heroes, *cards, *alternatives, *opinions;
  GtkListBox *ways_out, *nearest, *notices, *reasons, *search;
  ShardwiseStepper *steps;
  ShardwiseChipRow *chips;
  ShardwiseClusterPicture *picture;
  ShardwiseMetricCard *metrics[SHARDWISE_N_METRICS];
  ShardwiseAlternativeCard *alternative_cards[N_ALTERNATIVES];
  ShardwiseReasonRow *reason_rows[SW_N_DIMENSIONS]; /* made when first needed */
  GMenu *copy_menu;
  GSettings *settings;
  ShardwiseDiagnosisView *diagnosis; /* above the answer, or below why there is none */
  ShardwiseAdvice *shown;            /* the advice that the lists were made from */
  gboolean has_old_foot;             /* the lists at the foot were made from another one */
};

G_DEFINE_FINAL_TYPE (ShardwiseAdvicePage, shardwise_advice_page, SHARDWISE_TYPE_PAGE)

static const ShardwiseMetricKind hero_metrics[] = { SHARDWISE_METRIC_MEMORY,
                                                    SHARDWISE_METRIC_THROUGHPUT,
                                                    SHARDWISE_METRIC_MFU };
static const ShardwiseMetricKind card_metrics[] = {
  SHARDWISE_METRIC_MEMORY_USE, SHARDWISE_METRIC_COMMUNICATION, SHARDWISE_METRIC_BUBBLE,
  SHARDWISE_METRIC_SCALING,    SHARDWISE_METRIC_PER_GPU,       SHARDWISE_METRIC_STEP,
  SHARDWISE_METRIC_FLOPS,      SHARDWISE_METRIC_HFU,
};

/* ---- the head ---- */

static void
show_pill (ShardwiseAdvicePage *self, gboolean fits)
{
  gtk_label_set_label (self->pill_label, fits ? _ ("Fits") : _ ("Does not fit"));
  gtk_image_set_from_icon_name (self->pill_icon,
                                fits ? "object-select-symbolic" : "window-close-symbolic");
  gtk_widget_remove_css_class (self->pill, fits ? "error" : "success");
  gtk_widget_add_css_class (self->pill, fits ? "success" : "error");
}

static void
show_head (ShardwiseAdvicePage *self, ShardwiseAdvisor *advisor, ShardwiseAdvice *advice,
           const SwEstimate *selected)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  gboolean fits = selected ? selected->fits : shardwise_advice_get_fits (advice);
  gboolean other = selected && !sw_strategy_equal (&selected->strategy, &recommended->strategy);
  g_autofree char *sentence =
      shardwise_strategy_verdict (advice, shardwise_advisor_get_scenario (advisor), selected);
  g_autofree char *verdict = shardwise_format_unbroken (sentence);

  show_pill (self, fits);
  gtk_label_set_label (self->verdict, verdict);
  gtk_widget_set_visible (self->copy, fits);
  gtk_widget_set_visible (self->selected_bar, other);
  if (other)
    {
      g_autofree char *strategy = shardwise_text_strategy (&recommended->strategy);
      g_autofree char *text =
          g_strdup_printf (_ ("You are looking at an alternative. Recommended is %s."), strategy);

      gtk_label_set_label (self->selected_label, text);
    }
}

/* The choice that a ranking by throughput alone hides, beside the answer that is not validated. */
static void
show_validated (ShardwiseAdvicePage *self, ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  const SwEstimate *validated = shardwise_advice_get_validated (advice);
  gboolean offered = validated && selected
                     && sw_strategy_equal (&selected->strategy, &recommended->strategy);

  gtk_widget_set_visible (self->validated_bar, offered);
  if (offered)
    {
      g_autofree char *text = shardwise_text_validated_choice (recommended, validated);

      shardwise_wrapped_label_show (self->validated_label, text);
    }
}

/* Offers to drop the strategy that is pinned, where it alone is what contradicts the rest. */
static void
show_unpin (ShardwiseAdvicePage *self, ShardwiseScenario *scenario)
{
  GVariant *changes = scenario != NULL ? shardwise_scenario_get_unpinning (scenario) : NULL;

  gtk_widget_set_visible (self->unpin, changes != NULL);
  if (changes == NULL)
    return;
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (self->unpin), changes);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->unpin), "win.apply");
}

/* Where there is advice from before, the window says above it what is wrong now. */
static void
show_error (ShardwiseAdvicePage *self, ShardwiseAdvisor *advisor)
{
  gboolean wrong = shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_ERROR;
  const char *message = shardwise_advisor_get_error_message (advisor);
  g_autofree char *text =
      wrong && message
          ? shardwise_describe_error (shardwise_advisor_get_error_path (advisor), message)
          : g_strdup (_ ("It appears as soon as the inputs make a whole question."));
  g_autofree char *markup = g_markup_escape_text (text, -1); /* messages hold what was typed */

  adw_status_page_set_title (self->empty,
                             wrong ? _ ("The Inputs Do Not Work Together") : _ ("No Advice Yet"));
  adw_status_page_set_description (self->empty, markup);
  /* A diagnosis below it takes the room of the picture. */
  adw_status_page_set_icon_name (self->empty, shardwise_diagnosis_view_is_of_job (self->diagnosis)
                                                  ? NULL
                                                  : "view-grid-symbolic");
  show_unpin (self, wrong ? shardwise_advisor_get_scenario (advisor) : NULL);
}

/* ---- the strategy that is looked at ---- */

static void
show_metrics (ShardwiseAdvicePage *self, ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const ShardwiseNearestRun *nearest = shardwise_advice_get_nearest_run (advice);

  for (guint kind = 0; kind < SHARDWISE_N_METRICS; kind++)
    shardwise_metric_card_set_metric (self->metrics[kind],
                                      shardwise_metric_new (kind, problem, selected, nearest));
}

static void
show_strategy (ShardwiseAdvicePage *self, ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  g_autofree char *facts = shardwise_strategy_facts (problem, selected);

  gtk_widget_set_visible (GTK_WIDGET (self->nearest_title), !selected->fits);
  shardwise_chip_row_set_strategy (self->chips, &selected->strategy);
  gtk_label_set_label (self->facts, facts);
  shardwise_cluster_picture_set_strategy (self->picture, &selected->strategy, problem->cluster.gpus,
                                          problem->cluster.gpus_per_node,
                                          shardwise_cluster_map_generates (&problem->training));
}

static void
show_alternatives (ShardwiseAdvicePage *self, ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  guint n = recommended->fits ? MIN (N_ALTERNATIVES, shardwise_advice_get_n_alternatives (advice))
                              : 0;

  gtk_widget_set_visible (self->alternatives_section, n > 0);
  for (guint i = 0; i < N_ALTERNATIVES; i++)
    {
      const SwEstimate *alternative = i < n ? shardwise_advice_get_alternative (advice, i) : NULL;

      gtk_widget_set_visible (GTK_WIDGET (self->alternative_cards[i]), alternative != NULL);
      if (alternative)
        shardwise_alternative_card_set (
            self->alternative_cards[i], recommended, alternative,
            selected && sw_strategy_equal (&selected->strategy, &alternative->strategy));
    }
}

static void
alternative_clicked_cb (ShardwiseAdvicePage *self, ShardwiseAlternativeCard *card)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  SwEstimate estimate = *shardwise_alternative_card_get_estimate (card);

  if (advisor)
    shardwise_advisor_set_selected (advisor, &estimate);
}

static void
back_cb (ShardwiseAdvicePage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  if (advisor)
    shardwise_advisor_set_selected (advisor, NULL);
}

static void
validated_cb (ShardwiseAdvicePage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseAdvice *advice = advisor ? shardwise_advisor_get_advice (advisor) : NULL;
  const SwEstimate *validated = advice ? shardwise_advice_get_validated (advice) : NULL;

  if (validated)
    shardwise_advisor_set_selected (advisor, validated);
}

/* ---- reasons ---- */

static void
show_reasons (ShardwiseAdvicePage *self, ShardwiseAdvice *advice)
{
  GPtrArray *rationale = shardwise_advice_get_rationale (advice);
  guint mask = 0;

  for (guint i = 0; i < rationale->len; i++)
    {
      const ShardwiseRationale *reason = g_ptr_array_index (rationale, i);
      ShardwiseReasonRow **row = &self->reason_rows[reason->dimension];

      if (!*row)
        {
          *row = SHARDWISE_REASON_ROW (shardwise_reason_row_new (reason->dimension));
          gtk_list_box_append (self->reasons, GTK_WIDGET (*row));
        }
      shardwise_reason_row_set_rationale (*row, advice, reason);
      mask |= 1u << reason->dimension;
    }
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (self->reason_rows[i])
      gtk_widget_set_visible (GTK_WIDGET (self->reason_rows[i]), mask & (1u << i));
  gtk_widget_set_visible (self->reasons_section, rationale->len > 0);
  gtk_list_box_invalidate_sort (self->reasons);
}

/* Rows stand in the order of the dimensions whenever they were made. */
static int
compare_reasons (GtkListBoxRow *a, GtkListBoxRow *b, gpointer data)
{
  return (int) shardwise_reason_row_get_dimension (SHARDWISE_REASON_ROW (a))
         - (int) shardwise_reason_row_get_dimension (SHARDWISE_REASON_ROW (b));
}

/* Brings a widget of the page to the top of what is visible. */
static void
scroll_to (ShardwiseAdvicePage *self, GtkWidget *widget)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);
  double y;

  shardwise_column_wake (self->content);
  if (gtk_widget_translate_coordinates (widget, GTK_WIDGET (self->content), 0, 0, NULL, &y))
    gtk_adjustment_set_value (adjustment, MAX (0, y - 24));
}

static void
dimension_activated_cb (ShardwiseAdvicePage *self, int dimension)
{
  ShardwiseReasonRow *row = self->reason_rows[dimension];

  if (!row || !gtk_widget_get_visible (GTK_WIDGET (row)))
    return;
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (row), TRUE);
  scroll_to (self, GTK_WIDGET (row));
  gtk_widget_grab_focus (GTK_WIDGET (row));
}

/* ---- updates ---- */

/* Returns: whether the list tells more than the rest of the page, which shows the first of it. */
static gboolean
list_nearest (ShardwiseAdvicePage *self, ShardwiseAdvice *advice)
{
  const guint n = shardwise_advice_list_nearest (self->nearest, advice);
  g_autofree char *host = shardwise_text_host_lack (shardwise_advice_get_problem (advice),
                                                    shardwise_advice_get_recommended (advice));

  return n > 1 || (n == 1 && *host != '\0');
}

static void
show_lists (ShardwiseAdvicePage *self, ShardwiseAdvice *advice)
{
  gboolean fits = shardwise_advice_get_fits (advice);

  /* The diagnosis of a job has the same changes. */
  gtk_widget_set_visible (self->ways_out_section,
                          shardwise_advice_list_ways_out (self->ways_out, advice) > 0
                              && !shardwise_diagnosis_view_is_of_job (self->diagnosis));
  gtk_widget_set_visible (self->nearest_section, !fits && list_nearest (self, advice));
  gtk_widget_set_visible (self->notices_section,
                          shardwise_advice_list_notices (self->notices, advice) > 0);
  shardwise_stepper_set_advice (self->steps, advice);
  gtk_widget_set_visible (self->steps_section, shardwise_advice_get_steps (advice)->len > 0);
  show_reasons (self, advice);
  self->has_old_foot = TRUE;
}

static void
update_copy_label (ShardwiseAdvicePage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseAdvice *advice = advisor ? shardwise_advisor_get_advice (advisor) : NULL;

  shardwise_copy_button_name (ADW_SPLIT_BUTTON (self->copy), self->settings, advice,
                              advice ? shardwise_advisor_get_selected (advisor) : NULL);
}

/* Where the inputs contradict each other there is no answer to stand above, and the diagnosis is
 * what helps. */
static void
place_diagnosis (ShardwiseAdvicePage *self, gboolean has_advice)
{
  GtkWidget *diagnosis = GTK_WIDGET (self->diagnosis);
  gboolean above = gtk_widget_get_parent (diagnosis) == GTK_WIDGET (self->content);

  if (above == has_advice)
    return;
  gtk_widget_unparent (diagnosis);
  if (has_advice)
    gtk_widget_insert_after (diagnosis, GTK_WIDGET (self->content), NULL);
  else
    gtk_box_append (self->below, diagnosis);
}

static void
shardwise_advice_page_update (ShardwisePage *page)
{
  ShardwiseAdvicePage *self = SHARDWISE_ADVICE_PAGE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = advisor ? shardwise_advisor_get_advice (advisor) : NULL;
  const SwEstimate *selected = advice ? shardwise_advisor_get_selected (advisor) : NULL;

  if (!advisor)
    return;
  show_error (self, advisor);
  gtk_stack_set_visible_child_name (self->stack, advice ? "result" : "empty");
  place_diagnosis (self, advice != NULL);
  if (!advice || shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_ERROR
      || advice != self->shown)
    shardwise_diagnosis_view_update (self->diagnosis, shardwise_advisor_get_scenario (advisor));
  if (!advice)
    return;
  show_head (self, advisor, advice, selected);
  show_validated (self, advice, selected);
  gtk_widget_set_visible (GTK_WIDGET (self->heroes), selected != NULL);
  gtk_widget_set_visible (self->strategy_section, selected != NULL);
  gtk_widget_set_visible (self->metrics_section, selected != NULL);
  if (selected)
    {
      show_strategy (self, advice, selected);
      show_metrics (self, advice, selected);
    }
  show_alternatives (self, advice, selected);
  if (g_set_object (&self->shown, advice))
    {
      shardwise_column_rest (self->content);
      show_lists (self, advice);
    }
  update_copy_label (self);
}

/* What stands at the foot is all made anew, and leaves the frame before to the figures. */
static void
shardwise_advice_page_finish (ShardwisePage *page)
{
  ShardwiseAdvicePage *self = SHARDWISE_ADVICE_PAGE (page);

  if (!self->has_old_foot || !self->shown) /* another document came in the frame between */
    return;
  self->has_old_foot = FALSE;
  gtk_widget_set_visible (self->search_section,
                          shardwise_advice_list_search (self->search, self->shown) > 0);
  shardwise_second_opinions_fill (GTK_WIDGET (self->opinions), self->shown);
}

/* ---- actions ---- */

/* Chooses the format and copies it without leaving this page, unless it would be refused: then the
 * Export page says why. */
static void
copy_as_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (widget));
  ShardwiseAdvice *advice = advisor ? shardwise_advisor_get_advice (advisor) : NULL;
  const SwEstimate *selected = advice ? shardwise_advisor_get_selected (advisor) : NULL;
  const char *id = g_variant_get_string (parameter, NULL);

  gtk_widget_activate_action_variant (widget, "win.export-to", parameter);
  if (selected && !shardwise_export_can_write (shardwise_format_find (id), advice, selected))
    return;
  gtk_widget_activate_action (widget, "win.page", "s", "advice");
  gtk_widget_activate_action_variant (widget, "win.copy-export", NULL);
}

/* ---- object ---- */

static void
add_cards (ShardwiseAdvicePage *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (hero_metrics); i++)
    {
      GtkWidget *card = shardwise_metric_card_new (TRUE);

      self->metrics[hero_metrics[i]] = SHARDWISE_METRIC_CARD (card);
      gtk_box_append (self->heroes, card);
    }
  for (guint i = 0; i < G_N_ELEMENTS (card_metrics); i++)
    {
      GtkWidget *card = shardwise_metric_card_new (FALSE);

      self->metrics[card_metrics[i]] = SHARDWISE_METRIC_CARD (card);
      gtk_box_append (self->cards, card);
    }
  for (guint i = 0; i < N_ALTERNATIVES; i++)
    {
      GtkWidget *card = shardwise_alternative_card_new ();

      self->alternative_cards[i] = SHARDWISE_ALTERNATIVE_CARD (card);
      g_signal_connect_object (card, "clicked", G_CALLBACK (alternative_clicked_cb), self,
                               G_CONNECT_SWAPPED);
      gtk_box_append (self->alternatives, card);
    }
}

/**
 * shardwise_advice_page_set_import:
 * @import: (nullable): the file of a job or a model that the scenario came from
 */
void
shardwise_advice_page_set_import (ShardwiseAdvicePage *self, const ShardwiseImport *import)
{
  ShardwiseAdvisor *advisor;

  g_return_if_fail (SHARDWISE_IS_ADVICE_PAGE (self));

  advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  shardwise_diagnosis_view_set_import (self->diagnosis, import);
  g_clear_object (&self->shown); /* what the lists show hangs on it */
  if (advisor)
    shardwise_diagnosis_view_update (self->diagnosis, shardwise_advisor_get_scenario (advisor));
}

static void
shardwise_advice_page_dispose (GObject *object)
{
  ShardwiseAdvicePage *self = SHARDWISE_ADVICE_PAGE (object);

  g_clear_object (&self->diagnosis);

  g_clear_object (&self->shown);
  g_clear_object (&self->settings);
  if (self->copy_menu != NULL)
    shardwise_compat_empty_menu (self->copy_menu);
  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_ADVICE_PAGE);
  G_OBJECT_CLASS (shardwise_advice_page_parent_class)->dispose (object);
}

#define BIND(name) gtk_widget_class_bind_template_child (widget_class, ShardwiseAdvicePage, name)

static void
bind_children (GtkWidgetClass *widget_class)
{
  BIND (stack);
  BIND (below);
  BIND (copy_menu);
  BIND (empty);
  BIND (unpin);
  BIND (scroller);
  BIND (content);
  BIND (pill);
  BIND (pill_icon);
  BIND (pill_label);
  BIND (verdict);
  BIND (copy);
  BIND (selected_bar);
  BIND (selected_label);
  BIND (validated_bar);
  BIND (validated_label);
  BIND (ways_out_section);
  BIND (ways_out);
  BIND (nearest_section);
  BIND (nearest);
  BIND (heroes);
  BIND (strategy_section);
  BIND (nearest_title);
  BIND (chips);
  BIND (facts);
  BIND (picture);
  BIND (metrics_section);
  BIND (cards);
  BIND (notices_section);
  BIND (notices);
  BIND (alternatives_section);
  BIND (alternatives);
  BIND (reasons_section);
  BIND (reasons);
  BIND (steps_section);
  BIND (steps);
  BIND (opinions_section);
  BIND (opinions);
  BIND (search_section);
  BIND (search);
}

static void
shardwise_advice_page_class_init (ShardwiseAdvicePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_advice_page_dispose;
  SHARDWISE_PAGE_CLASS (klass)->update = shardwise_advice_page_update;
  SHARDWISE_PAGE_CLASS (klass)->finish = shardwise_advice_page_finish;
  g_type_ensure (SHARDWISE_TYPE_CHIP_ROW);
  g_type_ensure (SHARDWISE_TYPE_CLUSTER_PICTURE);
  g_type_ensure (SHARDWISE_TYPE_COLUMN);
  g_type_ensure (SHARDWISE_TYPE_STEPPER);
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-advice-page.ui");
  bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, back_cb);
  gtk_widget_class_bind_template_callback (widget_class, validated_cb);
  gtk_widget_class_bind_template_callback (widget_class, dimension_activated_cb);
  gtk_widget_class_install_action (widget_class, "advice.copy-as", "s", copy_as_action);
}

static void
shardwise_advice_page_init (ShardwiseAdvicePage *self)
{
  static const char *const offering[] = { "changed::export-format", "changed::export-version",
                                          "changed::export-framework" };

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_list_box_set_sort_func (self->reasons, compare_reasons, NULL, NULL);
  self->diagnosis = SHARDWISE_DIAGNOSIS_VIEW (g_object_ref_sink (shardwise_diagnosis_view_new ()));
  gtk_widget_insert_after (GTK_WIDGET (self->diagnosis), GTK_WIDGET (self->content), NULL);
  add_cards (self);
  self->settings = g_settings_new ("io.github.shardwise.Shardwise");
  for (guint i = 0; i < G_N_ELEMENTS (offering); i++)
    g_signal_connect_object (self->settings, offering[i], G_CALLBACK (update_copy_label), self,
                             G_CONNECT_SWAPPED);
  shardwise_copy_button_wrap (ADW_SPLIT_BUTTON (self->copy));
}

/**
 * shardwise_advice_page_new:
 *
 * Returns: (transfer floating): an empty page
 */
GtkWidget *
shardwise_advice_page_new (void)
{
  return g_object_new (SHARDWISE_TYPE_ADVICE_PAGE, NULL);
}
