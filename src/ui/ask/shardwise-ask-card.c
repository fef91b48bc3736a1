/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-ask-card.h"

#include <glib/gi18n.h>

#include "shardwise-advice-lists.h"
#include "shardwise-format.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-wrapped-label.h"

struct _ShardwiseAskCard {
  AdwBin parent_instance;
  char *asked_for; /* the input that it was computed for, as text */
  char *applied;   /* (nullable): the input that its change made of that */
  const char *page;
  GtkWidget *note, *apply, *undo; /* apply: (nullable) */
};

G_DEFINE_FINAL_TYPE (ShardwiseAskCard, shardwise_ask_card, ADW_TYPE_BIN)

enum { PAGE_ACTIVATED, APPLIED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- what it offers ---- */

static void
page_cb (ShardwiseAskCard *self)
{
  g_signal_emit (self, signals[PAGE_ACTIVATED], 0, self->page);
}

static void
applied_cb (ShardwiseAskCard *self)
{
  g_signal_emit (self, signals[APPLIED], 0);
}

static const char *
page_label (const char *page)
{
  static const struct {
    const char *page, *label;
  } labels[] = {
    { "advice", N_ ("Show on Page Advice") },
    { "analysis", N_ ("Show on Page Analysis") },
    { "alternatives", N_ ("Show on Page Alternatives") },
    { "scale", N_ ("Show on Page Scale") },
    { "export", N_ ("Show on Page Export") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    if (g_str_equal (labels[i].page, page))
      return _ (labels[i].label);
  g_return_val_if_reached (page);
}

static GtkWidget *
actions_new (ShardwiseAskCard *self, const ShardwiseAnswer *answer)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_set_layout_manager (box, shardwise_wrap_layout_new (6, 6, 0, 0));
  if (answer->changes != NULL && answer->change != NULL && *answer->change != '\0')
    {
      /* Translators: on a button; %s is what changes: "64 GPUs" */
      g_autofree char *text = g_strdup_printf (_ ("Apply: %s"), answer->change);
      g_autofree char *unbroken = shardwise_format_unbroken (text);
      GtkWidget *label = gtk_label_new (unbroken);

      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
      gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_NONE);
      self->apply = shardwise_apply_button_new (text, NULL, answer->changes);
      gtk_button_set_child (GTK_BUTTON (self->apply), label);
      g_signal_connect_object (self->apply, "clicked", G_CALLBACK (applied_cb), self,
                               G_CONNECT_SWAPPED | G_CONNECT_AFTER);
      gtk_box_append (GTK_BOX (box), self->apply);
      self->undo = gtk_button_new_with_mnemonic (_ ("_Undo"));
      gtk_actionable_set_action_name (GTK_ACTIONABLE (self->undo), "win.undo");
      gtk_widget_set_visible (self->undo, FALSE);
      gtk_box_append (GTK_BOX (box), self->undo);
    }
  if (answer->page != NULL)
    {
      GtkWidget *button = gtk_button_new_with_label (page_label (answer->page));

      g_signal_connect_object (button, "clicked", G_CALLBACK (page_cb), self, G_CONNECT_SWAPPED);
      gtk_box_append (GTK_BOX (box), button);
    }
  return box;
}

static GtkWidget *
text_new (const char *text, const char *css_class)
{
  GtkWidget *label = shardwise_wrapped_label_new (text, css_class);

  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  return label;
}

/**
 * shardwise_ask_card_new:
 * @answer: what it shows; copied
 * @input: what the answer was computed for, as text
 *
 * Returns: (transfer floating): a card
 */
GtkWidget *
shardwise_ask_card_new (const ShardwiseAnswer *answer, const char *input)
{
  /* An alert: screen readers say it when it appears. */
  ShardwiseAskCard *self = g_object_new (SHARDWISE_TYPE_ASK_CARD, "accessible-role",
                                         GTK_ACCESSIBLE_ROLE_ALERT, NULL);

  self->asked_for = g_strdup (input);
  self->page = answer->page != NULL ? g_intern_string (answer->page) : NULL;

  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  g_autofree char *unbroken = shardwise_format_unbroken (answer->text);
  GtkWidget *text = text_new (unbroken, "numeric");
  GtkWidget *actions = actions_new (self, answer);

  gtk_label_set_selectable (GTK_LABEL (text), TRUE);
  gtk_box_append (GTK_BOX (box), text);
  self->note = text_new (NULL, "caption");
  gtk_widget_add_css_class (self->note, "dim-label");
  gtk_widget_set_visible (self->note, FALSE);
  gtk_box_append (GTK_BOX (box), self->note);
  if (gtk_widget_get_first_child (actions) != NULL)
    gtk_box_append (GTK_BOX (box), actions);
  else
    g_object_unref (g_object_ref_sink (actions));
  adw_bin_set_child (ADW_BIN (self), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Answer"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, answer->text,
                                  -1);
  return GTK_WIDGET (self);
}

/**
 * shardwise_ask_card_set_input:
 * @input: the present input, as text
 *
 * An answer for another input says so and can no longer be applied: its figures may be others now.
 */
void
shardwise_ask_card_set_input (ShardwiseAskCard *self, const char *input)
{
  gboolean is_present, is_applied;

  g_return_if_fail (SHARDWISE_IS_ASK_CARD (self));

  is_present = g_str_equal (self->asked_for, input);
  is_applied = !is_present && g_strcmp0 (self->applied, input) == 0;
  gtk_label_set_label (GTK_LABEL (self->note),
                       is_applied ? _ ("Applied") : _ ("About the inputs as they were then"));
  gtk_widget_set_visible (self->note, !is_present);
  if (self->apply == NULL)
    return;
  gtk_widget_set_visible (self->apply, is_present);
  gtk_widget_set_visible (self->undo, is_applied);
}

/**
 * shardwise_ask_card_set_applied:
 * @input: what its change made of the input, as text
 */
void
shardwise_ask_card_set_applied (ShardwiseAskCard *self, const char *input)
{
  g_return_if_fail (SHARDWISE_IS_ASK_CARD (self));

  g_free (self->applied);
  self->applied = g_strdup (input);
  shardwise_ask_card_set_input (self, input);
}

static void
shardwise_ask_card_finalize (GObject *object)
{
  ShardwiseAskCard *self = SHARDWISE_ASK_CARD (object);

  g_free (self->asked_for);
  g_free (self->applied);
  G_OBJECT_CLASS (shardwise_ask_card_parent_class)->finalize (object);
}

static void
shardwise_ask_card_class_init (ShardwiseAskCardClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_ask_card_finalize;
  signals[PAGE_ACTIVATED] = g_signal_new ("page-activated", SHARDWISE_TYPE_ASK_CARD,
                                          G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                          G_TYPE_STRING);
  signals[APPLIED] = g_signal_new ("applied", SHARDWISE_TYPE_ASK_CARD, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
shardwise_ask_card_init (ShardwiseAskCard *self)
{
  gtk_widget_add_css_class (GTK_WIDGET (self), "card");
  gtk_widget_add_css_class (GTK_WIDGET (self), "ask-card");
}
