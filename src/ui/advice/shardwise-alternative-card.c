/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-alternative-card.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-neighbour-table.h"
#include "shardwise-strategy-words.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-trade.h"
#include "shardwise-wrapped-label.h"
#include "shardwise-wrap-layout.h"

struct _ShardwiseAlternativeCard {
  GtkButton parent_instance;
  GtkLabel *difference, *strategy, *trades, *tokens, *tokens_change, *memory, *memory_change;
  SwEstimate estimate;
};

G_DEFINE_FINAL_TYPE (ShardwiseAlternativeCard, shardwise_alternative_card, GTK_TYPE_BUTTON)

static GtkLabel *
add_label (GtkWidget *box, const char *css_class, gboolean wrap)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), wrap);
  if (wrap)
    gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_WORD);
  gtk_widget_add_css_class (label, "numeric");
  if (css_class)
    gtk_widget_add_css_class (label, css_class);
  gtk_box_append (GTK_BOX (box), label);
  return GTK_LABEL (label);
}

static void
add_figure (GtkWidget *parent, GtkLabel **figure, GtkLabel **change)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_set_layout_manager (box, shardwise_wrap_layout_new (8, 0, 0, 0));
  *figure = add_label (box, NULL, FALSE);
  *change = add_label (box, "caption", FALSE);
  gtk_box_append (GTK_BOX (parent), box);
}

/* Shows a signed change in the color of better or worse. */
static void
show_change (GtkLabel *label, const char *text, double change, gboolean more_is_better)
{
  const char *css_class = shardwise_change_class (change, more_is_better);

  shardwise_label_set_figure (label, text);
  gtk_widget_remove_css_class (GTK_WIDGET (label), "success");
  gtk_widget_remove_css_class (GTK_WIDGET (label), "error");
  if (css_class)
    gtk_widget_add_css_class (GTK_WIDGET (label), css_class);
}

static char *
signed_bytes (double bytes)
{
  g_autofree char *text = shardwise_format_bytes (fabs (bytes));

  if (fabs (bytes) < 0.005 * SW_GIB)
    return g_strdup (_ ("the same"));
  /* Translators: an arrow and a signed difference of memory */
  return bytes > 0 ? g_strdup_printf (_ ("▲ +%s"), text) : g_strdup_printf (_ ("▼ −%s"), text);
}

static void
shardwise_alternative_card_class_init (ShardwiseAlternativeCardClass *klass)
{}

static void
shardwise_alternative_card_init (ShardwiseAlternativeCard *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);

  self->difference = add_label (box, "heading", TRUE);
  self->strategy = add_label (box, "caption", TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->strategy), "dim-label");
  self->trades = add_label (box, NULL, TRUE);
  add_figure (box, &self->tokens, &self->tokens_change);
  add_figure (box, &self->memory, &self->memory_change);
  gtk_button_set_child (GTK_BUTTON (self), box);
  gtk_widget_add_css_class (GTK_WIDGET (self), "card");
  gtk_widget_add_css_class (GTK_WIDGET (self), "alternative-card");
}

/**
 * shardwise_alternative_card_new:
 *
 * Returns: (transfer floating): an empty card
 */
GtkWidget *
shardwise_alternative_card_new (void)
{
  return g_object_new (SHARDWISE_TYPE_ALTERNATIVE_CARD, NULL);
}

/**
 * shardwise_alternative_card_set:
 * @recommended: the base of the comparison
 * @alternative: the strategy to show
 * @selected: whether the pages show this one
 */
void
shardwise_alternative_card_set (ShardwiseAlternativeCard *self, const SwEstimate *recommended,
                                const SwEstimate *alternative, gboolean selected)
{
  g_autofree char *trades = NULL, *changes = NULL, *difference = NULL, *heading = NULL,
                  *name = NULL, *strategy = NULL, *tokens = NULL, *rate = NULL, *memory = NULL,
                  *sentence = NULL;
  g_autofree char *tokens_change = NULL, *memory_change = NULL, *peak = NULL, *text = NULL,
                  *exact = NULL;
  double faster, more;

  g_return_if_fail (SHARDWISE_IS_ALTERNATIVE_CARD (self) && recommended != NULL
                    && alternative != NULL);
  self->estimate = *alternative;
  changes = shardwise_strategy_difference (&recommended->strategy, &alternative->strategy);
  difference = shardwise_format_unbroken (changes);
  name = shardwise_text_strategy (&alternative->strategy);
  if (alternative->strategy.framework != recommended->strategy.framework)
    {
      g_autofree char *alone = g_steal_pointer (&name);

      name = g_strdup_printf ("%s · %s", alone,
                              shardwise_text_framework (alternative->strategy.framework));
    }
  strategy = shardwise_format_unbroken (name);
  faster = recommended->tokens_per_s > 0 ? alternative->tokens_per_s / recommended->tokens_per_s - 1
                                         : 0;
  more = alternative->memory.peak.total - recommended->memory.peak.total;
  rate = shardwise_format_count (alternative->tokens_per_s);
  /* If the recommended strategy is not either, the verdict says so for all. */
  if (sw_estimate_is_validated (alternative) || !sw_estimate_is_validated (recommended))
    tokens = g_strdup_printf (_ ("%s tokens/s"), rate);
  else
    tokens = g_strdup_printf (_ ("%s tokens/s, not validated"), rate);
  memory = shardwise_format_bytes (alternative->memory.peak.total);
  peak = g_strdup_printf (_ ("%s per GPU"), memory);
  tokens_change = shardwise_signed_percent (faster);
  memory_change = signed_bytes (more);
  heading = g_ascii_islower (*difference) ? shardwise_text_capitalise (difference)
                                          : g_strdup (difference);
  gtk_label_set_label (self->difference,
                       *heading ? heading
                                : shardwise_text_framework (alternative->strategy.framework));
  gtk_label_set_label (self->strategy, strategy);
  trades = shardwise_text_trades (recommended, alternative);
  gtk_widget_set_visible (GTK_WIDGET (self->trades), trades != NULL);
  gtk_label_set_label (self->trades, trades);
  gtk_label_set_label (self->tokens, tokens);
  gtk_label_set_label (self->memory, peak);
  show_change (self->tokens_change, tokens_change, faster, TRUE);
  show_change (self->memory_change, memory_change, fabs (more) < 0.005 * SW_GIB ? 0 : more, FALSE);
  text = g_strdup_printf (
      _ ("%.1f tokens/s, %.3f GiB per GPU, %.4f s a step"), alternative->tokens_per_s,
      alternative->memory.peak.total / shardwise_memory_unit_bytes (), alternative->time.step_s);
  exact = shardwise_memory_unit_text (text);
  shardwise_tooltip_set (GTK_WIDGET (self), exact);
  if (selected)
    gtk_widget_add_css_class (GTK_WIDGET (self), "selected");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "selected");
  /* Translators: what differs; throughput and its change; memory and its change */
  sentence = g_strdup_printf (_ ("%s: %s, %s; %s, %s"), gtk_label_get_label (self->difference),
                              tokens, tokens_change, peak, memory_change);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  trades != NULL ? trades : "", -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence,
                                  -1);
}

/**
 * shardwise_alternative_card_get_estimate:
 *
 * Returns: (transfer none): the strategy shown
 */
const SwEstimate *
shardwise_alternative_card_get_estimate (ShardwiseAlternativeCard *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ALTERNATIVE_CARD (self), NULL);
  return &self->estimate;
}
