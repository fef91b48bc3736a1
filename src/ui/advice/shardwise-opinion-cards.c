/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-opinion-cards.h"

#include <glib/gi18n.h>

#include "shardwise-advice-lists.h"
#include "shardwise-changes.h"
#include "shardwise-container.h"
#include "shardwise-format.h"
#include "shardwise-line-layout.h"
#include "shardwise-strategy-words.h"
#include "shardwise-text-method.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "shardwise-wrapped-label.h"

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

/* The software that can run the strategy, and what that software changes in the method's choice. */
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

/**
 * shardwise_opinion_cards_fill:
 * @box: where they stand
 * @advice: an answer
 */
void
shardwise_opinion_cards_fill (GtkBox *box, ShardwiseAdvice *advice)
{
  shardwise_container_empty (GTK_WIDGET (box));
  gtk_box_append (box, model_card (advice));
  gtk_box_append (box, playbook_card (advice));
  gtk_box_append (box, quick_score_card (advice));
}
