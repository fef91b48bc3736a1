/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-second-opinions.h"

#include <glib/gi18n.h>

#include "shardwise-advice-lists.h"
#include "shardwise-wrapped-label.h"
#include "shardwise-line-layout.h"
#include "shardwise-changes.h"
#include "shardwise-strategy-words.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"

/* What each method decides; "Use" pins that and leaves the rest to the search. */
#define BIT(dimension) (1u << (dimension))
#define QUICK_SCORE_DIMENSIONS                                                                     \
  (BIT (SW_DIM_TP) | BIT (SW_DIM_PP) | BIT (SW_DIM_DP) | BIT (SW_DIM_ZERO))
#define PLAYBOOK_DIMENSIONS                                                                        \
  (QUICK_SCORE_DIMENSIONS | BIT (SW_DIM_CP) | BIT (SW_DIM_EP) | BIT (SW_DIM_SP)                    \
   | BIT (SW_DIM_MICRO_BATCH) | BIT (SW_DIM_RECOMPUTE))

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

static char *
gigabytes (double gb)
{
  g_autofree char *number = shardwise_format_significant (gb);

  /* Translators: memory in units of 1e9 bytes, as the method counts */
  return g_strdup_printf (_ ("%s GB"), number);
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
  gtk_box_append (
      GTK_BOX (card),
      label_new (!e->fits ? _ ("It does not fit.")
                 : sw_estimate_is_validated (e)
                     ? _ ("The best of all valid strategies; checked against published runs.")
                     : _ ("These figures are not validated."),
                 "dim-label", 0));
  return card;
}

static GtkWidget *
playbook_card (ShardwiseAdvice *advice)
{
  const SwPlaybook *playbook = shardwise_advice_get_playbook (advice);
  g_autofree char *strategy = shardwise_text_strategy (&playbook->strategy);
  GtkWidget *card = card_new (_ ("Playbook"), strategy);

  add_line (card, _ ("Weights in total"), gigabytes (playbook->weights_bytes / SW_GB));
  add_line (card, _ ("Weights per tensor rank"),
            gigabytes (playbook->weights_bytes_per_tp_rank / SW_GB));
  add_line (card, _ ("States per GPU"), gigabytes (playbook->state_bytes / SW_GB));
  add_line (card, _ ("Activations per GPU"), gigabytes (playbook->activation_bytes / SW_GB));
  add_line (card, _ ("Limit"), gigabytes (playbook->limit_bytes / SW_GB));
  if (!playbook->fits)
    gtk_box_append (GTK_BOX (card),
                    label_new (_ ("The decision tree finds nothing that fits."), "error", 0));
  add_comparison (card, advice, &playbook->estimate);
  add_use_button (card, _ ("Pins the values of the playbook’s decision tree"), &playbook->strategy,
                  PLAYBOOK_DIMENSIONS);
  return card;
}

static GtkWidget *
quick_score_card (ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwQuickScoreResult *result = shardwise_advice_get_quick_score (advice);
  const SwQuickScore *best = &result->best;
  g_autofree char *title = NULL;
  GtkWidget *card;
  SwStrategy strategy;
  SwEstimate estimate;

  /* Translators: degrees of the quick score, its ZeRO stage, and the name of the FSDP strategy */
  title = g_strdup_printf (_ ("TP %u · PP %u · DP %u · ZeRO %u (FSDP %s)"), best->tp, best->pp,
                           best->dp, best->zero_stage, sw_fsdp_strategy_names[best->fsdp]);
  card = card_new (_ ("Quick score"), title);
  add_line (card, _ ("Score"), g_strdup_printf ("%.3f", best->score));
  add_line (card, _ ("Compute utilisation × 0.6"),
            shardwise_format_percent (best->compute_utilisation));
  add_line (card, _ ("Memory utilisation × 0.3"),
            shardwise_format_percent (best->memory_utilisation));
  add_line (card, _ ("TP overhead"), shardwise_format_percent (best->tp_overhead));
  add_line (card, _ ("Pipeline bubble"), shardwise_format_percent (best->bubble));
  add_line (card, _ ("DP overhead"), shardwise_format_percent (best->dp_overhead));
  add_line (card, _ ("Memory per GPU"), gigabytes (best->memory_gb));
  if (!result->fits)
    gtk_box_append (
        GTK_BOX (card),
        label_new (_ ("Nothing fits by the score’s own count; this one needs least."), "error", 0));
  sw_quick_score_strategy (problem, best, &strategy);
  sw_estimate (problem, &strategy, &estimate);
  add_comparison (card, advice, &estimate);
  add_use_button (card, _ ("Pins TP, PP, DP and ZeRO of the quick score"), &strategy,
                  QUICK_SCORE_DIMENSIONS);
  return card;
}

/**
 * shardwise_second_opinions_fill:
 * @box: a container; what it holds is replaced
 * @advice: an answer
 */
void
shardwise_second_opinions_fill (GtkWidget *box, ShardwiseAdvice *advice)
{
  GtkWidget *child;

  g_return_if_fail (GTK_IS_BOX (box) && SHARDWISE_IS_ADVICE (advice));
  while ((child = gtk_widget_get_first_child (box)))
    gtk_box_remove (GTK_BOX (box), child);
  gtk_box_append (GTK_BOX (box), model_card (advice));
  gtk_box_append (GTK_BOX (box), playbook_card (advice));
  gtk_box_append (GTK_BOX (box), quick_score_card (advice));
}
