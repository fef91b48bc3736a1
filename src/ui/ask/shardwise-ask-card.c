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
  ShardwiseQuestion *question;    /* that it answers */
  GtkWidget *note, *apply, *undo; /* apply: (nullable) */
};

G_DEFINE_FINAL_TYPE (ShardwiseAskCard, shardwise_ask_card, ADW_TYPE_BIN)

enum { PAGE_ACTIVATED, APPLIED, CORRECTED, N_SIGNALS };
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
    { "advice", N_ ("Show on Page Answer") },
    { "analysis", N_ ("Show on Page Why") },
    { "alternatives", N_ ("Show on Page Compare") },
    { "scale", N_ ("Show on Page Plan") },
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

/* ---- what was understood ---- */

static void
correct (ShardwiseAskCard *self, GtkWidget *inside, const char *value)
{
  GtkWidget *popover = gtk_widget_get_ancestor (inside, GTK_TYPE_POPOVER);
  const char *part = g_object_get_data (G_OBJECT (popover), "part");

  gtk_popover_popdown (GTK_POPOVER (popover));
  g_signal_emit (self, signals[CORRECTED], 0, part, value);
}

static void
kind_cb (ShardwiseAskCard *self, GtkWidget *button)
{
  correct (self, button, g_object_get_data (G_OBJECT (button), "kind"));
}

static void
value_cb (ShardwiseAskCard *self, GtkWidget *entry)
{
  g_autofree char *text = g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry)));

  if (*g_strstrip (text) != '\0')
    correct (self, entry, text);
}

/* Kinds of questions to choose from. */
static GtkWidget *
kinds_new (ShardwiseAskCard *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *scroller;

  for (guint i = SHARDWISE_INTENT_UNKNOWN + 1; i < SHARDWISE_N_INTENTS; i++)
    {
      GtkWidget *button = gtk_button_new_with_label (shardwise_intent_title ((ShardwiseIntent) i));

      gtk_widget_add_css_class (button, "flat");
      g_object_set_data (G_OBJECT (button), "kind", (gpointer) shardwise_intent_names[i]);
      g_signal_connect_object (button, "clicked", G_CALLBACK (kind_cb), self, G_CONNECT_SWAPPED);
      gtk_box_append (GTK_BOX (box), button);
    }
  scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), 320);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), box);
  return scroller;
}

/* A chip opens to an entry, that of the kind of question to all kinds. */
static GtkWidget *
chip_new (ShardwiseAskCard *self, const ShardwiseAskPart *part)
{
  GtkWidget *chip = gtk_menu_button_new (), *popover = gtk_popover_new (), *content;

  if (g_str_equal (part->part, "intent"))
    content = kinds_new (self);
  else
    {
      content = gtk_entry_new ();
      gtk_editable_set_text (GTK_EDITABLE (content), part->value);
      gtk_accessible_update_property (GTK_ACCESSIBLE (content), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      part->value, -1);
      g_signal_connect_object (content, "activate", G_CALLBACK (value_cb), self, G_CONNECT_SWAPPED);
    }
  g_object_set_data (G_OBJECT (popover), "part", (gpointer) part->part);
  gtk_popover_set_child (GTK_POPOVER (popover), content);
  gtk_menu_button_set_label (GTK_MENU_BUTTON (chip), part->value);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (chip), popover);
  gtk_widget_add_css_class (chip, "chip");
  return chip;
}

/* "Understood:" and its chips; below, what was left out and why. */
static void
append_understood (ShardwiseAskCard *self, GtkBox *box, const ShardwiseAnswer *answer)
{
  GtkWidget *chips = g_object_new (GTK_TYPE_BOX, "accessible-role", GTK_ACCESSIBLE_ROLE_GROUP,
                                   NULL),
            *label = gtk_label_new (_ ("Understood:"));
  GPtrArray *left_out = self->question->left_out;
  GString *list;

  gtk_widget_set_layout_manager (chips, shardwise_wrap_layout_new (6, 6, 0, 0));
  gtk_accessible_update_property (GTK_ACCESSIBLE (chips), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("What was understood"), -1);
  gtk_widget_add_css_class (label, "caption");
  gtk_box_append (GTK_BOX (chips), label);
  for (guint i = 0; i < answer->understood->len; i++)
    gtk_box_append (GTK_BOX (chips), chip_new (self, g_ptr_array_index (answer->understood, i)));
  gtk_box_append (box, chips);
  if (left_out->len == 0)
    return;
  list = g_string_new (NULL);
  for (guint i = 0; i < left_out->len; i++)
    {
      const ShardwiseAskLeftOut *left = g_ptr_array_index (left_out, i);

      shardwise_text_list (list, "%s (%s)", left->words, left->why);
    }
  /* Translators: words of a question that were not used, each with the reason */
  g_autofree char *text = g_strdup_printf (_ ("Left out: %s."), list->str);

  label = text_new (text, "caption");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (box, label);
  g_string_free (list, TRUE);
}

/**
 * shardwise_ask_card_get_question:
 *
 * Returns: (transfer none): the question that it answers
 */
const ShardwiseQuestion *
shardwise_ask_card_get_question (ShardwiseAskCard *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ASK_CARD (self), NULL);
  return self->question;
}

/**
 * shardwise_ask_card_new:
 * @answer: what it shows; copied
 * @question: that it answers; copied
 * @input: what the answer was computed for, as text
 *
 * Returns: (transfer floating): a card
 */
GtkWidget *
shardwise_ask_card_new (const ShardwiseAnswer *answer, const ShardwiseQuestion *question,
                        const char *input)
{
  /* An alert: screen readers say it when it appears. */
  ShardwiseAskCard *self = g_object_new (SHARDWISE_TYPE_ASK_CARD, "accessible-role",
                                         GTK_ACCESSIBLE_ROLE_ALERT, NULL);

  self->asked_for = g_strdup (input);
  self->question = shardwise_question_copy (question);
  self->page = answer->page != NULL ? g_intern_string (answer->page) : NULL;

  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  g_autofree char *unbroken = shardwise_format_unbroken (answer->text);
  g_auto (GStrv) paragraphs = g_strsplit (unbroken, "\n", -1);
  GtkWidget *actions = actions_new (self, answer);

  append_understood (self, GTK_BOX (box), answer);
  for (guint i = 0; paragraphs[i] != NULL; i++)
    {
      GtkWidget *text = text_new (paragraphs[i], "numeric");

      gtk_label_set_selectable (GTK_LABEL (text), TRUE);
      gtk_box_append (GTK_BOX (box), text);
    }
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
                       is_applied ? _ ("Applied") : _ ("For the inputs at that time"));
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

  g_clear_pointer (&self->question, shardwise_question_free);
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
  signals[CORRECTED] = g_signal_new ("corrected", SHARDWISE_TYPE_ASK_CARD, G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING,
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
