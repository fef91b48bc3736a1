/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-comparison-offers.h"

#include <glib/gi18n.h>

#include "shardwise-advice-lists.h"
#include "shardwise-changes.h"
#include "shardwise-container.h"
#include "shardwise-format.h"
#include "shardwise-strategy-words.h"
#include "shardwise-text-strategy.h"
#include "shardwise-wrapped-label.h"

enum { MOST_OFFERS = 4 };

static GtkWidget *
add_card (GtkWidget *box, const char *title, const char *subtitle)
{
  GtkWidget *card = gtk_button_new (), *lines = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  g_autofree char *first = shardwise_format_unbroken (title),
                  *second = shardwise_format_unbroken (subtitle);
  GtkWidget *detail = shardwise_wrapped_label_new (second, "caption");

  gtk_widget_add_css_class (detail, "dim-label");
  gtk_box_append (GTK_BOX (lines), shardwise_wrapped_label_new (first, "heading"));
  gtk_box_append (GTK_BOX (lines), detail);
  gtk_button_set_child (GTK_BUTTON (card), lines);
  gtk_widget_add_css_class (card, "card");
  gtk_widget_add_css_class (card, "alternative-card");
  gtk_box_append (GTK_BOX (box), card);
  return card;
}

/* changes: of the current inputs; sunk if floating. */
static void
offer (GtkWidget *box, const char *title, const char *subtitle, GVariant *changes)
{
  GtkWidget *card = add_card (box, title, subtitle);

  gtk_actionable_set_action_target_value (
      GTK_ACTIONABLE (card), g_variant_new_array (G_VARIANT_TYPE_VARDICT, &changes, 1));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (card), "win.compare");
}

/* What differs by its framework alone is offered as that. */
static void
offer_next_best (GtkWidget *box, ShardwiseAdvice *advice)
{
  const SwEstimate *next = shardwise_advice_get_alternative (advice, 0);
  g_autofree char *difference = shardwise_strategy_difference (
      &shardwise_advice_get_recommended (advice)->strategy, &next->strategy);

  if (*difference == '\0')
    return;
  gtk_actionable_set_action_name (GTK_ACTIONABLE (add_card (box, _ ("Next best"), difference)),
                                  "alternatives.pin-next");
}

/* The fastest other framework in question. */
static void
offer_framework (GtkWidget *box, ShardwiseAdvice *advice)
{
  GArray *choices = shardwise_advice_get_frameworks (advice);
  const ShardwiseFrameworkChoice *best = NULL;
  g_autofree char *figures = NULL;
  GVariantDict changes;

  for (guint i = 1; i < choices->len; i++)
    {
      const ShardwiseFrameworkChoice *choice = &g_array_index (choices, ShardwiseFrameworkChoice,
                                                               i);

      if (choice->has_strategy && choice->estimate.fit == SW_FIT_FITS
          && (best == NULL || choice->estimate.tokens_per_s > best->estimate.tokens_per_s))
        best = choice;
    }
  if (best == NULL)
    return;
  figures = shardwise_text_framework_figures (shardwise_advice_get_problem (advice), best);
  g_variant_dict_init (&changes, NULL);
  shardwise_changes_insert (&changes, SHARDWISE_KEY_TRAINING_FRAMEWORK, "s",
                            sw_framework_names[best->framework]);
  offer (box, shardwise_text_framework (best->framework), figures, g_variant_dict_end (&changes));
}

static void
offer_size (GtkWidget *box, guint gpus, const char *subtitle)
{
  g_autofree char *title = shardwise_format_gpus (gpus);
  GVariantDict changes;

  g_variant_dict_init (&changes, NULL);
  shardwise_changes_insert (&changes, SHARDWISE_KEY_CLUSTER_GPUS, "x", (gint64) gpus);
  offer (box, title, subtitle, g_variant_dict_end (&changes));
}

/**
 * shardwise_comparison_offers_fill:
 * @box: a box for the cards
 * @advice: (nullable): the current answer
 *
 * Fills @box anew: with the next best strategy, another framework and other sizes of the cluster;
 * if nothing fits, with the first changes that make the job fit.
 *
 * Returns: how many cards there are
 */
guint
shardwise_comparison_offers_fill (GtkWidget *box, ShardwiseAdvice *advice)
{
  const guint gpus = advice != NULL ? shardwise_advice_get_problem (advice)->cluster.gpus : 0;
  GPtrArray *ways;
  guint n = 0;

  g_return_val_if_fail (GTK_IS_BOX (box), 0);

  shardwise_container_empty (box);
  if (advice == NULL)
    return 0;
  if (shardwise_advice_get_fits (advice))
    {
      if (shardwise_advice_get_n_alternatives (advice) > 0)
        offer_next_best (box, advice);
      offer_framework (box, advice);
      offer_size (box, 2 * gpus, _ ("Twice as many GPUs"));
      if (gpus % 2 == 0)
        offer_size (box, gpus / 2, _ ("Half as many GPUs"));
    }
  ways = shardwise_advice_get_ways_out (advice);
  for (guint i = 0; i < ways->len && i < MOST_OFFERS; i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (ways, i);
      g_autofree char *result = shardwise_result_text (&way->result);

      if (way->changes != NULL)
        offer (box, way->name, result, way->changes);
    }
  for (GtkWidget *card = gtk_widget_get_first_child (box); card != NULL;
       card = gtk_widget_get_next_sibling (card))
    n++;
  return n;
}
