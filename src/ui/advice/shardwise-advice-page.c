/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-advice-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtk/gtk.h>

#include "shardwise-advice-lists.h"
#include "shardwise-advice.h"
#include "shardwise-alternative-card.h"
#include "shardwise-cluster-picture.h"
#include "shardwise-column.h"
#include "shardwise-container.h"
#include "shardwise-menu.h"
#include "shardwise-degree-chip.h"
#include "shardwise-diagnosis-view.h"
#include "shardwise-fit-look.h"
#include "shardwise-diagnosis.h"
#include "shardwise-export-search.h"
#include "shardwise-export-picker.h"
#include "shardwise-line-layout.h"
#include "shardwise-metric-card.h"
#include "shardwise-reason-row.h"
#include "shardwise-changes.h"
#include "shardwise-strategy-words.h"
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-method.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"
#include "shardwise-text-advice.h"
#include "shardwise-wrapped-label.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-resolve.h"

/* The three steps to a strategy, beside each other or, where that has no room, below each other.
 *
 * CSS node: stepper, with a child of the class .step for each */
#define SHARDWISE_TYPE_STEPPER (shardwise_stepper_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseStepper, shardwise_stepper, SHARDWISE, STEPPER, ShardwiseContainer)

#define N_STEPS 3
#define STEP_WIDTH 230 /* pixels, least */

/* One step: a number in a ring with a line to the next one, its figure, and how it is reached. */
typedef struct {
  GtkWidget *box;
  GtkImage *mark;
  GtkLabel *title, *value, *text;
} Step;

struct _ShardwiseStepper {
  ShardwiseContainer parent_instance;
  Step steps[N_STEPS];
};

G_DEFINE_FINAL_TYPE (ShardwiseStepper, shardwise_stepper, SHARDWISE_TYPE_CONTAINER)

static GtkLabel *
stepper_label_new (GtkWidget *box, const char *css_class)
{
  GtkWidget *label = shardwise_wrapped_label_new (NULL, css_class);

  gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), label);
  return GTK_LABEL (label);
}

/* @self: a stepper
 * @advice: of which the steps are shown */
static void
shardwise_stepper_set_advice (ShardwiseStepper *self, ShardwiseAdvice *advice)
{
  GPtrArray *steps = shardwise_advice_get_steps (advice);

  g_return_if_fail (SHARDWISE_IS_STEPPER (self));

  for (guint i = 0; i < N_STEPS; i++)
    {
      gtk_widget_set_visible (self->steps[i].box, i < steps->len);
      if (i < steps->len)
        {
          Step *shown = &self->steps[i];
          const ShardwiseStep *step = g_ptr_array_index (steps, i);
          /* Translators: number and title of a step: "1. Fit in memory" */
          g_autofree char *title = g_strdup_printf (_ ("%u. %s"), i + 1, step->title);
          /* Translators: number and title of a step, its figure, and whether it is reached */
          g_autofree char *name = g_strdup_printf (_ ("%s: %s, %s"), title, step->value,
                                                   step->done ? _ ("done") : _ ("not reached"));
          g_autofree char *text = shardwise_format_unbroken (step->text);

          gtk_image_set_from_icon_name (shown->mark, step->done ? "object-select-symbolic"
                                                                : "window-close-symbolic");
          gtk_widget_remove_css_class (GTK_WIDGET (shown->mark), step->done ? "error" : "success");
          gtk_widget_add_css_class (GTK_WIDGET (shown->mark), step->done ? "success" : "error");
          gtk_label_set_label (shown->title, title);
          gtk_label_set_label (shown->value, step->value);
          gtk_label_set_label (shown->text, text);
          gtk_accessible_update_property (GTK_ACCESSIBLE (shown->box),
                                          GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                          GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, step->text, -1);
        }
    }
}

static void
shardwise_stepper_class_init (ShardwiseStepperClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_css_name (widget_class, "stepper");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LIST);
}

static void
shardwise_stepper_init (ShardwiseStepper *self)
{
  gtk_widget_set_layout_manager (GTK_WIDGET (self),
                                 shardwise_wrap_layout_new (18, 18, STEP_WIDTH, N_STEPS));
  gtk_widget_add_css_class (GTK_WIDGET (self), "card");
  for (guint i = 0; i < N_STEPS; i++)
    {
      Step *step = &self->steps[i];
      GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

      gtk_widget_set_layout_manager (head, shardwise_line_layout_new (9, TRUE));
      step->box = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 6,
                                "accessible-role", GTK_ACCESSIBLE_ROLE_LIST_ITEM, NULL);
      step->mark = g_object_new (GTK_TYPE_IMAGE, "accessible-role",
                                 GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
      gtk_widget_add_css_class (step->box, "step");
      gtk_widget_add_css_class (GTK_WIDGET (step->mark), "step-mark");
      gtk_widget_set_valign (GTK_WIDGET (step->mark), GTK_ALIGN_CENTER);
      gtk_box_append (GTK_BOX (head), GTK_WIDGET (step->mark));
      step->title = stepper_label_new (head, "heading");
      if (i + 1 < N_STEPS)
        {
          GtkWidget *line = gtk_separator_new (GTK_ORIENTATION_HORIZONTAL);

          gtk_widget_set_hexpand (line, TRUE);
          gtk_widget_set_valign (line, GTK_ALIGN_CENTER);
          gtk_box_append (GTK_BOX (head), line);
        }
      gtk_box_append (GTK_BOX (step->box), head);
      step->value = stepper_label_new (step->box, "title-4");
      step->text = stepper_label_new (step->box, "body");
      gtk_widget_set_parent (step->box, GTK_WIDGET (self));
    }
}

/* Fills `box` with a card each for the model, the playbook and the quick score, side by side. */

/* What each method decides; "Use" pins that and leaves the rest to the search. */
#define BIT(dimension) (1u << (dimension))
#define QUICK_SCORE_DIMENSIONS                                                                     \
  (BIT (SW_DIM_TP) | BIT (SW_DIM_PP) | BIT (SW_DIM_DP) | BIT (SW_DIM_ZERO) | BIT (SW_DIM_SP)       \
   | BIT (SW_DIM_MICRO_BATCH) | BIT (SW_DIM_RECOMPUTE))
#define PLAYBOOK_DIMENSIONS (QUICK_SCORE_DIMENSIONS | BIT (SW_DIM_CP) | BIT (SW_DIM_EP))

static GtkWidget *
label_new (const char *text, const char *css_class, float xalign)
{
  g_autofree char *unbroken = shardwise_format_unbroken (text);
  GtkWidget *label = gtk_label_new (unbroken);

  gtk_label_set_xalign (GTK_LABEL (label), xalign);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_WORD);
  gtk_widget_add_css_class (label, "numeric");
  if (css_class)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

static GtkWidget *
card_new (const char *title, const char *subtitle)
{
  GtkWidget *card = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  gtk_widget_add_css_class (card, "card");
  gtk_widget_add_css_class (card, "opinion-card");
  gtk_box_append (GTK_BOX (card), label_new (title, "heading", 0));
  gtk_box_append (GTK_BOX (card), label_new (subtitle, "dim-label", 0));
  return card;
}

/* Adds a line "label … value"; takes ownership of `value`. */
static void
add_line (GtkWidget *card, const char *label, char *value)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0), *name = label_new (label, NULL, 0);
  g_autofree char *shown = shardwise_isolate (value);
  GtkWidget *figure = label_new (shown, NULL, 1);

  gtk_widget_set_hexpand (name, TRUE);
  gtk_label_set_selectable (GTK_LABEL (figure), TRUE);
  gtk_widget_set_can_focus (figure, FALSE);
  gtk_widget_set_layout_manager (line, shardwise_line_layout_new (12, FALSE));
  gtk_box_append (GTK_BOX (line), name);
  gtk_box_append (GTK_BOX (line), figure);
  gtk_box_append (GTK_BOX (card), line);
  g_free (value);
}

static void
add_figures (GtkWidget *card, GPtrArray *figures)
{
  for (guint i = 0; i < figures->len; i++)
    {
      const ShardwiseFigure *figure = g_ptr_array_index (figures, i);

      add_line (card, figure->label, g_strdup (figure->value));
    }
}

/* Adds "TP 8: No smaller TP fits …" to the reasons; takes ownership of `reason`. */
static void
add_reason (GtkWidget *box, const SwStrategy *strategy, SwDimension dimension, char *reason)
{
  g_autofree char *label = shardwise_text_part (strategy, dimension);
  g_autofree char *line = NULL;

  if (reason != NULL)
    {
      /* Translators: "TP 8", why it has that value */
      line = g_strdup_printf (_ ("%s: %s"), label, reason);
      gtk_box_append (GTK_BOX (box), label_new (line, "dim-label", 0));
    }
  g_free (reason);
}

/* Unfolds to the reasons that are to be put into the box that it returns. No GtkExpander: GTK 4.18 asks
 * what is folded away in one for the focus, outside of any window. */
static GtkWidget *
add_reasons (GtkWidget *card)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *revealer = gtk_revealer_new (),
            *button = gtk_toggle_button_new_with_label (_ ("Why"));

  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_revealer_set_child (GTK_REVEALER (revealer), box);
  g_object_bind_property (button, "active", revealer, "reveal-child", G_BINDING_DEFAULT);
  gtk_box_append (GTK_BOX (card), button);
  gtk_box_append (GTK_BOX (card), revealer);
  return box;
}

/* By what it can be run, and what that makes otherwise than the method decides. */
static void
add_changes (GtkWidget *card, const SwProblem *problem, const SwStrategy *decided,
             const SwStrategy *strategy)
{
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);

  add_line (card, _ ("Framework"), g_strdup (shardwise_text_framework (strategy->framework)));
  shardwise_text_add_changes (notes, problem, decided, strategy);
  for (guint i = 0; i < notes->len; i++)
    gtk_box_append (GTK_BOX (card), label_new (g_ptr_array_index (notes, i), "dim-label", 0));
}

/* What the model computes for the method's strategy, and where it differs from the recommended one.
 */
static void
add_comparison (GtkWidget *card, ShardwiseAdvice *advice, const SwEstimate *estimate)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  g_autofree char *result = NULL, *difference = NULL, *line = NULL, *why = NULL;

  if (estimate->rule == SW_RULE_OK || estimate->rule == SW_RULE_GPU_MEMORY)
    {
      result = shardwise_result_text (estimate);
      /* Translators: what the performance model computes for the strategy of another method */
      line = g_strdup_printf (_ ("The model computes %s for it."), result);
    }
  else
    {
      why = shardwise_text_rule (shardwise_advice_get_problem (advice), &estimate->strategy,
                                 estimate->rule, estimate->missing_bytes);
      /* Translators: the rule that the strategy of another method breaks */
      line = g_strdup_printf (_ ("It cannot run as it is: %s."), why);
    }
  gtk_box_append (GTK_BOX (card), label_new (line, NULL, 0));
  difference = shardwise_strategy_difference (&recommended->strategy, &estimate->strategy);
  g_free (line);
  /* Translators: the dimensions in which two strategies differ */
  line = *difference ? g_strdup_printf (_ ("Differs: %s"), difference)
                     : g_strdup (_ ("The same as the model’s."));
  gtk_box_append (GTK_BOX (card), label_new (line, *difference ? "dim-label" : "success", 0));
}

static void
add_use_button (GtkWidget *card, const char *tooltip, const SwStrategy *strategy, guint dimensions)
{
  GtkWidget *button = shardwise_apply_button_new (
      _ ("Use"), tooltip, shardwise_strategy_changes (strategy, dimensions));

  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_widget_set_valign (button, GTK_ALIGN_END);
  gtk_widget_set_vexpand (button, TRUE);
  gtk_box_append (GTK_BOX (card), button);
}

static GtkWidget *
model_card (ShardwiseAdvice *advice)
{
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  g_autofree char *strategy = shardwise_text_strategy (&e->strategy);
  GtkWidget *card = card_new (_ ("Performance model"), strategy);

  add_line (card, _ ("Memory per GPU"), shardwise_format_bytes (e->memory.peak.total));
  add_line (card, _ ("tokens/s per GPU"), shardwise_format_significant (e->tokens_per_s_per_gpu));
  add_line (card, _ ("Communication"), shardwise_format_percent (e->communication_overhead));
  add_line (card, _ ("Bubble"), shardwise_format_percent (e->bubble_fraction));
  add_line (card, _ ("MFU"), shardwise_format_percent (e->mfu));
  gtk_box_append (GTK_BOX (card),
                  label_new (!e->fits ? _ ("It does not fit.")
                             : sw_estimate_is_validated (e)
                                 ? _ ("What to start with; checked against published runs.")
                                 : _ ("These figures are not validated."),
                             "dim-label", 0));
  return card;
}

static GtkWidget *
playbook_card (ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_asked (advice);
  const SwPlaybook *playbook = shardwise_advice_get_playbook (advice);
  g_autofree char *strategy = shardwise_text_strategy (&playbook->strategy);
  g_autofree char *verdict = shardwise_text_playbook_verdict (problem, playbook);
  g_autoptr (GPtrArray) figures = shardwise_text_playbook_figures (playbook);
  GtkWidget *card = card_new (_ ("Playbook"), strategy), *reasons;

  add_figures (card, figures);
  add_changes (card, problem, &playbook->decided, &playbook->strategy);
  if (verdict != NULL)
    gtk_box_append (GTK_BOX (card), label_new (verdict, "error", 0));
  reasons = add_reasons (card);
  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    add_reason (reasons, &playbook->strategy, i,
                shardwise_text_playbook_reason (problem, playbook, i));
  add_comparison (card, advice, &playbook->estimate);
  add_use_button (card, _ ("Pins the values of the playbook’s decision tree"), &playbook->strategy,
                  PLAYBOOK_DIMENSIONS);
  return card;
}

static GtkWidget *
quick_score_card (ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_asked (advice);
  const SwQuickScoreResult *result = shardwise_advice_get_quick_score (advice);
  const SwEstimate *estimate = shardwise_advice_get_quick_estimate (advice);
  g_autofree char *title = shardwise_text_quick_split (&result->best);
  g_autofree char *verdict = shardwise_text_quick_verdict (problem, result, estimate);
  g_autoptr (GPtrArray) figures = shardwise_text_quick_figures (problem, &result->best);
  GtkWidget *card = card_new (_ ("Quick score"), title), *reasons;
  SwStrategy decided;

  add_figures (card, figures);
  sw_quick_score_describe (problem, &result->best, &decided);
  add_changes (card, problem, &decided, &estimate->strategy);
  if (verdict != NULL)
    gtk_box_append (GTK_BOX (card), label_new (verdict, "error", 0));
  reasons = add_reasons (card);
  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    add_reason (reasons, &estimate->strategy, i,
                shardwise_text_quick_reason (problem, result, &estimate->strategy, i));
  add_comparison (card, advice, estimate);
  add_use_button (card, _ ("Pins the values of the quick score"), &estimate->strategy,
                  QUICK_SCORE_DIMENSIONS);
  return card;
}

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
  GtkWidget *pill, *copy, *selected_bar, *fastest_bar, *unpin;
  GtkWidget *ways_out_section, *nearest_section, *strategy_section, *metrics_section,
      *notices_section;
  GtkWidget *alternatives_section, *frameworks_section, *usual_section, *reasons_section,
      *steps_section, *verify_section, *opinions_section, *search_section, *assumptions_section;
  GtkImage *pill_icon;
  GtkLabel *pill_label, *verdict, *selected_label, *fastest_label, *nearest_title, *facts;
  GtkBox *below, *heroes, *cards, *alternatives, *opinions;
  GtkListBox *ways_out, *nearest, *notices, *frameworks, *usual, *reasons, *verify, *search,
      *assumptions;
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
show_pill (ShardwiseAdvicePage *self, SwFit fit)
{
  static const char *const labels[SHARDWISE_N_FITS] = {
    [SW_FIT_FITS] = N_ ("Fits"),
    [SW_FIT_MAY_NOT] = N_ ("May not fit"),
    [SW_FIT_DOES_NOT_FIT] = N_ ("Does not fit"),
  };

  gtk_label_set_label (self->pill_label, _ (labels[fit]));
  gtk_image_set_from_icon_name (self->pill_icon, shardwise_fit_looks[fit].icon);
  for (guint i = 0; i < SHARDWISE_N_FITS; i++)
    if (i != fit)
      gtk_widget_remove_css_class (self->pill, shardwise_fit_looks[i].css_class);
  gtk_widget_add_css_class (self->pill, shardwise_fit_looks[fit].css_class);
}

static void
show_head (ShardwiseAdvicePage *self, ShardwiseAdvisor *advisor, ShardwiseAdvice *advice,
           const SwEstimate *selected)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  const SwEstimate *shown = selected != NULL ? selected : recommended;
  gboolean fits = selected ? selected->fits : shardwise_advice_get_fits (advice);
  gboolean other = selected && !sw_strategy_equal (&selected->strategy, &recommended->strategy);
  g_autofree char *why = NULL;
  g_autofree char *sentence =
      shardwise_strategy_verdict (advice, shardwise_advisor_get_scenario (advisor), selected);
  g_autofree char *verdict = shardwise_format_unbroken (sentence);

  show_pill (self, fits ? shown->fit : SW_FIT_DOES_NOT_FIT);
  why = fits ? shardwise_text_fit (shown) : NULL;
  gtk_widget_set_tooltip_text (self->pill, why);
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

/* What is predicted to be faster than what to start with. */
static void
show_fastest (ShardwiseAdvicePage *self, ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  const SwEstimate *fastest = shardwise_advice_get_fastest (advice);
  gboolean offered = fastest && selected
                     && sw_strategy_equal (&selected->strategy, &recommended->strategy);

  gtk_widget_set_visible (self->fastest_bar, offered);
  if (offered)
    {
      g_autofree char *text = shardwise_text_faster (recommended, fastest);

      shardwise_wrapped_label_show (self->fastest_label, text);
    }
}

/* Where there is advice from before, the window says above it what is wrong now. */
static void
show_error (ShardwiseAdvicePage *self, ShardwiseAdvisor *advisor)
{
  gboolean wrong = shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_ERROR;
  const char *message = shardwise_advisor_get_error_message (advisor),
             *path = shardwise_advisor_get_error_path (advisor);
  g_autofree char *text =
      wrong && message ? shardwise_describe_error (path, message)
                       : g_strdup (_ ("It appears as soon as the inputs make a whole question."));
  g_autofree char *markup = g_markup_escape_text (text, -1); /* messages hold what was typed */
  GVariant *changes = NULL;

  adw_status_page_set_title (self->empty, wrong && g_strcmp0 (path, SHARDWISE_NO_MODEL) == 0
                                              ? _ ("Which Model?")
                                          : wrong ? _ ("The Inputs Do Not Work Together")
                                                  : _ ("No Advice Yet"));
  adw_status_page_set_description (self->empty, markup);
  /* A diagnosis below it takes the room of the picture. */
  adw_status_page_set_icon_name (self->empty, shardwise_diagnosis_view_is_of_job (self->diagnosis)
                                                  ? NULL
                                                  : "view-grid-symbolic");

  /* Offers to drop the strategy that is pinned, where it alone is what contradicts the rest. */
  if (wrong && shardwise_advisor_get_scenario (advisor) != NULL)
    changes = shardwise_scenario_get_unpinning (shardwise_advisor_get_scenario (advisor));
  gtk_widget_set_visible (self->unpin, changes != NULL);
  if (changes == NULL)
    return;
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (self->unpin), changes);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->unpin), "win.apply");
}

/* ---- the strategy that is looked at ---- */

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
framework_activated_cb (ShardwiseAdvicePage *self, GtkListBoxRow *row)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  GArray *choices = self->shown ? shardwise_advice_get_frameworks (self->shown) : NULL;
  const int index = gtk_list_box_row_get_index (row);

  if (advisor && choices && index < (int) choices->len)
    {
      const SwEstimate estimate = g_array_index (choices, ShardwiseFrameworkChoice, index).estimate;

      shardwise_advisor_set_selected (advisor, index > 0 ? &estimate : NULL);
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
fastest_cb (ShardwiseAdvicePage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseAdvice *advice = advisor ? shardwise_advisor_get_advice (advisor) : NULL;
  const SwEstimate *fastest = advice ? shardwise_advice_get_fastest (advice) : NULL;

  if (fastest)
    shardwise_advisor_set_selected (advisor, fastest);
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

static void
dimension_activated_cb (ShardwiseAdvicePage *self, int dimension)
{
  ShardwiseReasonRow *row = self->reason_rows[dimension];

  if (!row || !gtk_widget_get_visible (GTK_WIDGET (row)))
    return;
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (row), TRUE);

  /* Brings a widget of the page to the top of what is visible. */
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);
  double y;

  shardwise_column_wake (self->content);
  if (gtk_widget_translate_coordinates (GTK_WIDGET (row), GTK_WIDGET (self->content), 0, 0, NULL,
                                        &y))
    gtk_adjustment_set_value (adjustment, MAX (0, y - 24));
  gtk_widget_grab_focus (GTK_WIDGET (row));
}

/* ---- updates ---- */

static void
show_lists (ShardwiseAdvicePage *self, ShardwiseAdvice *advice)
{
  gboolean fits = shardwise_advice_get_fits (advice), more = FALSE;

  /* The diagnosis of a job has the same changes. */
  gtk_widget_set_visible (self->ways_out_section,
                          shardwise_advice_list_ways_out (self->ways_out, advice) > 0
                              && !shardwise_diagnosis_view_is_of_job (self->diagnosis));
  if (!fits)
    {
      /* Where the list tells more than the rest of the page, which shows the first of it. */
      const guint n = shardwise_advice_list_nearest (self->nearest, advice);
      g_autofree char *host = shardwise_text_host_lack (shardwise_advice_get_problem (advice),
                                                        shardwise_advice_get_recommended (advice));

      more = n > 1 || (n == 1 && *host != '\0');
    }
  gtk_widget_set_visible (self->nearest_section, more);
  gtk_widget_set_visible (self->notices_section,
                          shardwise_advice_list_notices (self->notices, advice) > 0);
  gtk_widget_set_visible (self->frameworks_section,
                          shardwise_advice_list_frameworks (self->frameworks, advice) > 0);
  shardwise_stepper_set_advice (self->steps, advice);
  gtk_widget_set_visible (self->steps_section, shardwise_advice_get_steps (advice)->len > 0);
  gtk_widget_set_visible (self->usual_section,
                          shardwise_advice_list_usual (self->usual, advice) > 0);
  show_reasons (self, advice);
  self->has_old_foot = TRUE;
}

/* Says on the button what it copies: the format chosen last, or that of the strategy's framework, or
 * another one where they would refuse. */
static void
update_copy_label (ShardwiseAdvicePage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseAdvice *advice = advisor ? shardwise_advisor_get_advice (advisor) : NULL;
  const SwEstimate *selected = advice ? shardwise_advisor_get_selected (advisor) : NULL;
  g_autofree char *label = NULL;

  if (selected != NULL)
    /* Translators: name of a framework; the underscore marks the mnemonic */
    label = g_strdup_printf (
        _ ("_Copy %s Configuration"),
        shardwise_export_picker_get_offered (self->settings, advice, selected)->title);
  adw_split_button_set_label (ADW_SPLIT_BUTTON (self->copy),
                              label != NULL ? label : _ ("_Copy Configuration"));
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
  show_fastest (self, advice, selected);
  gtk_widget_set_visible (GTK_WIDGET (self->heroes), selected != NULL);
  gtk_widget_set_visible (self->strategy_section, selected != NULL);
  gtk_widget_set_visible (self->metrics_section, selected != NULL);
  if (selected)
    {
      const SwProblem *problem = shardwise_advice_get_problem (advice);
      const ShardwiseNearestRun *nearest = shardwise_advice_get_nearest_run (advice);

      show_strategy (self, advice, selected);
      for (guint kind = 0; kind < SHARDWISE_N_METRICS; kind++)
        shardwise_metric_card_set_metric (self->metrics[kind],
                                          shardwise_metric_new (kind, problem, selected, nearest));
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
  gtk_widget_set_visible (self->verify_section,
                          shardwise_advice_list_verify (self->verify, self->shown) > 0);
  gtk_widget_set_visible (self->assumptions_section,
                          shardwise_advice_list_assumptions (self->assumptions, self->shown) > 0);
  gtk_widget_set_visible (self->search_section,
                          shardwise_advice_list_search (self->search, self->shown) > 0);
  shardwise_container_empty (GTK_WIDGET (self->opinions));
  gtk_box_append (self->opinions, model_card (self->shown));
  gtk_box_append (self->opinions, playbook_card (self->shown));
  gtk_box_append (self->opinions, quick_score_card (self->shown));
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
    shardwise_menu_empty (self->copy_menu);
  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_ADVICE_PAGE);
  G_OBJECT_CLASS (shardwise_advice_page_parent_class)->dispose (object);
}

#define BIND(name) gtk_widget_class_bind_template_child (widget_class, ShardwiseAdvicePage, name)

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
  BIND (fastest_bar);
  BIND (fastest_label);
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
  BIND (frameworks_section);
  BIND (frameworks);
  BIND (alternatives_section);
  BIND (alternatives);
  BIND (usual_section);
  BIND (usual);
  BIND (reasons_section);
  BIND (reasons);
  BIND (steps_section);
  BIND (steps);
  BIND (verify_section);
  BIND (verify);
  BIND (opinions_section);
  BIND (opinions);
  BIND (assumptions_section);
  BIND (assumptions);
  BIND (search_section);
  BIND (search);
  gtk_widget_class_bind_template_callback (widget_class, back_cb);
  gtk_widget_class_bind_template_callback (widget_class, fastest_cb);
  gtk_widget_class_bind_template_callback (widget_class, framework_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, dimension_activated_cb);
  gtk_widget_class_install_action (widget_class, "advice.copy-as", "s", copy_as_action);
}

static void
shardwise_advice_page_init (ShardwiseAdvicePage *self)
{
  GtkWidget *inner, *label;
  static const char *const offering[] = { "changed::export-format", "changed::export-version",
                                          "changed::export-framework" };

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_list_box_set_sort_func (self->reasons, compare_reasons, NULL, NULL);
  self->diagnosis = SHARDWISE_DIAGNOSIS_VIEW (g_object_ref_sink (shardwise_diagnosis_view_new ()));
  gtk_widget_insert_after (GTK_WIDGET (self->diagnosis), GTK_WIDGET (self->content), NULL);
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
  self->settings = g_settings_new ("io.github.shardwise.Shardwise");
  for (guint i = 0; i < G_N_ELEMENTS (offering); i++)
    g_signal_connect_object (self->settings, offering[i], G_CALLBACK (update_copy_label), self,
                             G_CONNECT_SWAPPED);
  /* With a long translation the button of the configuration to copy would be wider than a narrow
   * window. */
  inner = gtk_widget_get_first_child (self->copy);
  label = GTK_IS_BUTTON (inner) ? gtk_button_get_child (GTK_BUTTON (inner)) : NULL;
  if (GTK_IS_LABEL (label))
    {
      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
    }
}
