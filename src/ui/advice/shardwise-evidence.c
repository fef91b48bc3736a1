/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-evidence.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>

#include "shardwise-advice-lists.h"
#include "shardwise-advice.h"
#include "shardwise-alternative-card.h"
#include "shardwise-changes.h"
#include "shardwise-container.h"
#include "shardwise-format.h"
#include "shardwise-line-layout.h"
#include "shardwise-metric-card.h"
#include "shardwise-reason-row.h"
#include "shardwise-stepper.h"
#include "shardwise-strategy-words.h"
#include "shardwise-text-method.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-wrapped-label.h"

/* ---- second opinions: a card each for the model, the playbook and the quick score ---- */

/* The choices of each method; "Use" pins them and leaves the rest to the search. */
#define BIT(dimension) (1u << (dimension))
#define QUICK_SCORE_DIMENSIONS                                                                     \
  (BIT (SW_DIM_TP) | BIT (SW_DIM_PP) | BIT (SW_DIM_DP) | BIT (SW_DIM_ZERO) | BIT (SW_DIM_SP)       \
   | BIT (SW_DIM_MICRO_BATCH) | BIT (SW_DIM_RECOMPUTE))
#define PLAYBOOK_DIMENSIONS (QUICK_SCORE_DIMENSIONS | BIT (SW_DIM_CP) | BIT (SW_DIM_EP))

static GtkWidget *
label_new (const char *text, const char *css_class, float xalign)
{
  g_autofree char *unbroken = shardwise_format_unbroken (text);
  GtkWidget *label = shardwise_wrapped_label_new (unbroken, css_class);

  gtk_label_set_xalign (GTK_LABEL (label), xalign);
  gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_WORD);
  gtk_widget_add_css_class (label, "numeric");
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

/* Returns the box for the reasons, which the user can unfold. This is not a GtkExpander, because
 * GTK 4.18 asks the folded child for the focus although it is in no window. */
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

/* The software that can run the strategy, and its changes of the method's choice. */
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

/* The model's figures for the method's strategy, and its differences from the recommended one. */
static void
add_comparison (GtkWidget *card, ShardwiseAdvice *advice, const SwEstimate *estimate)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  g_autofree char *result = NULL, *difference = NULL, *line = NULL, *why = NULL;

  if (estimate->rule == SW_RULE_OK || estimate->rule == SW_RULE_GPU_MEMORY)
    {
      result = shardwise_result_text (estimate);
      /* Translators: what the performance model computes for the strategy of another method */
      line = g_strdup_printf (_ ("The performance model computes %s for this strategy."), result);
    }
  else
    {
      why = shardwise_text_rule (shardwise_advice_get_problem (advice), &estimate->strategy,
                                 estimate->rule, estimate->missing_bytes);
      /* Translators: the rule that the strategy of another method breaks */
      line = g_strdup_printf (_ ("It cannot run unchanged: %s."), why);
    }
  gtk_box_append (GTK_BOX (card), label_new (line, NULL, 0));
  difference = shardwise_strategy_difference (&recommended->strategy, &estimate->strategy);
  g_free (line);
  /* Translators: the dimensions in which two strategies differ */
  line = *difference ? g_strdup_printf (_ ("Differs: %s"), difference)
                     : g_strdup (_ ("Same as the model’s strategy."));
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
  add_line (card, _ ("Tokens/s per GPU"), shardwise_format_significant (e->tokens_per_s_per_gpu));
  add_line (card, _ ("Communication"), shardwise_format_percent (e->communication_overhead));
  add_line (card, _ ("Bubble"), shardwise_format_percent (e->bubble_fraction));
  add_line (card, _ ("MFU"), shardwise_format_percent (e->mfu));
  gtk_box_append (
      GTK_BOX (card),
      label_new (!e->fits ? _ ("It does not fit.")
                 : sw_estimate_is_validated (e)
                     ? _ ("Start with this strategy. The model is checked against published runs.")
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
  add_use_button (card, _ ("Pin the values of the playbook’s decision tree"), &playbook->strategy,
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
  add_use_button (card, _ ("Pin the values of the quick score"), &estimate->strategy,
                  QUICK_SCORE_DIMENSIONS);
  return card;
}

/* ---- the page ---- */

#define N_ALTERNATIVES 3

struct _ShardwiseEvidence {
  ShardwisePage parent_instance;

  GtkStack *sections;
  GtkWidget *notices_section, *alternatives_section, *frameworks_section, *usual_section,
      *reasons_section, *steps_section, *verify_section, *assumptions_section;
  GtkBox *cards, *alternatives, *opinions;
  GtkListBox *notices, *frameworks, *usual, *reasons, *verify, *search, *assumptions;
  ShardwiseStepper *steps;
  ShardwiseMetricCard *metrics[SHARDWISE_N_METRICS];
  ShardwiseAlternativeCard *alternative_cards[N_ALTERNATIVES];
  ShardwiseReasonRow *reason_rows[SW_N_DIMENSIONS]; /* created on demand */
  ShardwiseAdvice *shown;                           /* the source of the lists */
};

G_DEFINE_FINAL_TYPE (ShardwiseEvidence, shardwise_evidence, SHARDWISE_TYPE_PAGE)

/* The metrics that are not in the answer itself. */
static const ShardwiseMetricKind card_metrics[] = {
  SHARDWISE_METRIC_MFU,    SHARDWISE_METRIC_MEMORY_USE, SHARDWISE_METRIC_COMMUNICATION,
  SHARDWISE_METRIC_BUBBLE, SHARDWISE_METRIC_SCALING,    SHARDWISE_METRIC_PER_GPU,
  SHARDWISE_METRIC_STEP,   SHARDWISE_METRIC_FLOPS,      SHARDWISE_METRIC_HFU,
};

static void
select_estimate (ShardwiseEvidence *self, const SwEstimate *estimate)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  if (advisor != NULL)
    shardwise_advisor_set_selected (advisor, estimate);
}

static void
framework_activated_cb (ShardwiseEvidence *self, GtkListBoxRow *row)
{
  GArray *choices = self->shown ? shardwise_advice_get_frameworks (self->shown) : NULL;
  const int index = gtk_list_box_row_get_index (row);

  if (choices && index < (int) choices->len)
    select_estimate (self, index > 0
                               ? &g_array_index (choices, ShardwiseFrameworkChoice, index).estimate
                               : NULL);
}

static void
alternative_clicked_cb (ShardwiseEvidence *self, ShardwiseAlternativeCard *card)
{
  select_estimate (self, shardwise_alternative_card_get_estimate (card));
}

static void
show_alternatives (ShardwiseEvidence *self, ShardwiseAdvice *advice, const SwEstimate *selected)
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
show_reasons (ShardwiseEvidence *self, ShardwiseAdvice *advice)
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

/* Rows keep the order of the dimensions, in whatever order they are created. */
static int
compare_reasons (GtkListBoxRow *a, GtkListBoxRow *b, gpointer data)
{
  return (int) shardwise_reason_row_get_dimension (SHARDWISE_REASON_ROW (a))
         - (int) shardwise_reason_row_get_dimension (SHARDWISE_REASON_ROW (b));
}

static void
show_lists (ShardwiseEvidence *self, ShardwiseAdvice *advice)
{
  const struct {
    guint (*fill) (GtkListBox *list, ShardwiseAdvice *advice);
    GtkListBox *list;
    GtkWidget *section; /* (nullable): always there */
  } lists[] = {
    { shardwise_advice_list_notices, self->notices, self->notices_section },
    { shardwise_advice_list_frameworks, self->frameworks, self->frameworks_section },
    { shardwise_advice_list_usual, self->usual, self->usual_section },
    { shardwise_advice_list_verify, self->verify, self->verify_section },
    { shardwise_advice_list_assumptions, self->assumptions, self->assumptions_section },
    { shardwise_advice_list_search, self->search, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      const gboolean any = lists[i].fill (lists[i].list, advice) > 0;

      if (lists[i].section)
        gtk_widget_set_visible (lists[i].section, any);
    }
  shardwise_stepper_set_advice (self->steps, advice);
  gtk_widget_set_visible (self->steps_section, shardwise_advice_get_steps (advice)->len > 0);
  show_reasons (self, advice);
  shardwise_container_empty (GTK_WIDGET (self->opinions));
  gtk_box_append (self->opinions, model_card (advice));
  gtk_box_append (self->opinions, playbook_card (advice));
  gtk_box_append (self->opinions, quick_score_card (advice));
}

static void
shardwise_evidence_update (ShardwisePage *page)
{
  ShardwiseEvidence *self = SHARDWISE_EVIDENCE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const SwEstimate *selected = advice ? shardwise_advisor_get_selected (advisor) : NULL;

  if (!advice)
    return;
  gtk_widget_set_visible (GTK_WIDGET (self->cards), selected != NULL);
  for (guint i = 0; selected && i < G_N_ELEMENTS (card_metrics); i++)
    shardwise_metric_card_set_metric (
        self->metrics[card_metrics[i]],
        shardwise_metric_new (card_metrics[i], shardwise_advice_get_problem (advice), selected,
                              shardwise_advice_get_nearest_run (advice)));
  show_alternatives (self, advice, selected);
  if (g_set_object (&self->shown, advice))
    show_lists (self, advice);
}

/**
 * shardwise_evidence_show:
 * @section: the name of a section
 */
void
shardwise_evidence_show (ShardwiseEvidence *self, const char *section)
{
  g_return_if_fail (SHARDWISE_IS_EVIDENCE (self));

  gtk_stack_set_visible_child_name (self->sections, section);
}

/**
 * shardwise_evidence_unfold:
 * @dimension: of the strategy
 *
 * Shows the reasons, and unfolds the reason for @dimension.
 *
 * Returns: (transfer none) (nullable): their row
 */
GtkWidget *
shardwise_evidence_unfold (ShardwiseEvidence *self, SwDimension dimension)
{
  ShardwiseReasonRow *row;

  g_return_val_if_fail (SHARDWISE_IS_EVIDENCE (self), NULL);

  shardwise_page_update_now (SHARDWISE_PAGE (self));
  shardwise_evidence_show (self, "reasons");
  row = self->reason_rows[dimension];
  if (!row || !gtk_widget_get_visible (GTK_WIDGET (row)))
    return NULL;
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (row), TRUE);
  return GTK_WIDGET (row);
}

static void
shardwise_evidence_dispose (GObject *object)
{
  g_clear_object (&SHARDWISE_EVIDENCE (object)->shown);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_EVIDENCE);
  G_OBJECT_CLASS (shardwise_evidence_parent_class)->dispose (object);
}

#define BIND(name) gtk_widget_class_bind_template_child (widget_class, ShardwiseEvidence, name)

static void
shardwise_evidence_class_init (ShardwiseEvidenceClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_evidence_dispose;
  SHARDWISE_PAGE_CLASS (klass)->update = shardwise_evidence_update;
  g_type_ensure (SHARDWISE_TYPE_STEPPER);
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-evidence.ui");
  BIND (sections);
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
  BIND (opinions);
  BIND (assumptions_section);
  BIND (assumptions);
  BIND (search);
  gtk_widget_class_bind_template_callback (widget_class, framework_activated_cb);
}

static void
shardwise_evidence_init (ShardwiseEvidence *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_list_box_set_sort_func (self->reasons, compare_reasons, NULL, NULL);
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
