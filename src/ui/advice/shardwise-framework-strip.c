/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-framework-strip.h"

#include <glib/gi18n.h>

#include "shardwise-fit-look.h"
#include "shardwise-format.h"
#include "shardwise-text-advice.h"
#include "shardwise-text-strategy.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-wrapped-label.h"

#define ITEM_WIDTH 150 /* pixels, least */
#define MAX_COLUMNS 4

struct _ShardwiseFrameworkStrip {
  ShardwiseContainer parent_instance;

  GPtrArray *buttons; /* of GtkToggleButton, transfer none; they stay and get new words */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (ShardwiseFrameworkStrip, shardwise_framework_strip, SHARDWISE_TYPE_CONTAINER)

enum { CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

/* One that is pressed stays pressed: something is always looked at. */
static void
toggled_cb (ShardwiseFrameworkStrip *self, GtkToggleButton *button)
{
  guint index;

  if (self->updating || !g_ptr_array_find (self->buttons, button, &index))
    return;
  if (gtk_toggle_button_get_active (button))
    g_signal_emit (self, signals[CHOSEN], 0, index);
  else
    gtk_toggle_button_set_active (button, TRUE);
}

static GtkWidget *
add_button (ShardwiseFrameworkStrip *self)
{
  GtkWidget *button = gtk_toggle_button_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3),
            *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6),
            *name = shardwise_wrapped_label_new (NULL, "heading"),
            *icon = g_object_new (GTK_TYPE_IMAGE, "accessible-role",
                                  GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

  gtk_widget_set_hexpand (name, TRUE);
  gtk_box_append (GTK_BOX (head), name);
  gtk_box_append (GTK_BOX (head), icon);
  gtk_box_append (GTK_BOX (box), head);
  gtk_box_append (GTK_BOX (box), shardwise_wrapped_label_new (NULL, "caption"));
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "card");
  gtk_widget_add_css_class (button, "framework-choice");
  g_signal_connect_object (button, "toggled", G_CALLBACK (toggled_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_set_parent (button, GTK_WIDGET (self));
  g_ptr_array_add (self->buttons, button);
  return button;
}

static char *
describe (const ShardwiseFrameworkChoice *choice)
{
  const SwEstimate *e = &choice->estimate;
  g_autofree char *rate = NULL, *missing = NULL;

  if (!choice->has_strategy)
    return g_strdup (_ ("cannot run it"));
  if (!e->fits && e->missing_bytes > 0)
    {
      missing = shardwise_format_bytes (e->missing_bytes);
      /* Translators: memory that a strategy needs above the limit, "3.1 GiB" */
      return g_strdup_printf (_ ("%s over the limit"), missing);
    }
  if (!e->fits)
    return g_strdup (_ ("does not fit"));
  rate = shardwise_format_count (e->tokens_per_s);
  return g_strdup_printf (_ ("%s tokens/s"), rate);
}

static void
show_choice (ShardwiseAdvice *advice, const ShardwiseFrameworkChoice *choice, GtkWidget *button,
             gboolean active)
{
  const SwFit fit = choice->has_strategy && choice->estimate.fits ? choice->estimate.fit
                                                                  : SW_FIT_DOES_NOT_FIT;
  GtkWidget *box = gtk_button_get_child (GTK_BUTTON (button)),
            *head = gtk_widget_get_first_child (box), *icon = gtk_widget_get_last_child (head);
  const char *name = shardwise_text_framework (choice->framework);
  g_autofree char *words = describe (choice), *figures = NULL, *strategy = NULL, *tooltip = NULL,
                  *label = NULL, *title = shardwise_format_unbroken (name),
                  *unbroken = shardwise_format_unbroken (words);

  figures = shardwise_text_framework_figures (shardwise_advice_get_problem (advice), choice);
  strategy = choice->has_strategy ? shardwise_text_strategy (&choice->estimate.strategy) : NULL;
  tooltip = strategy ? g_strdup_printf ("%s\n%s", strategy, figures) : g_strdup (figures);
  /* Translators: name of a framework, then what it gives */
  label = g_strdup_printf (_ ("%s, %s"), name, words);
  gtk_label_set_label (GTK_LABEL (gtk_widget_get_first_child (head)), title);
  gtk_label_set_label (GTK_LABEL (gtk_widget_get_last_child (box)), unbroken);
  shardwise_fit_look_show (fit, icon, GTK_IMAGE (icon));
  shardwise_tooltip_set (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, tooltip, -1);
  gtk_widget_set_sensitive (button, choice->has_strategy);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), active);
}

/**
 * shardwise_framework_strip_set:
 * @self: a strip
 * @advice: an answer
 * @selected: (nullable): the strategy that is looked at
 *
 * Returns: number of frameworks in question
 */
guint
shardwise_framework_strip_set (ShardwiseFrameworkStrip *self, ShardwiseAdvice *advice,
                               const SwEstimate *selected)
{
  GArray *choices = shardwise_advice_get_frameworks (advice);

  g_return_val_if_fail (SHARDWISE_IS_FRAMEWORK_STRIP (self), 0);

  self->updating = TRUE;
  while (self->buttons->len < choices->len)
    add_button (self);
  for (guint i = 0; i < self->buttons->len; i++)
    gtk_widget_set_visible (self->buttons->pdata[i], i < choices->len);
  for (guint i = 0; i < choices->len; i++)
    {
      const ShardwiseFrameworkChoice *choice = &g_array_index (choices, ShardwiseFrameworkChoice,
                                                               i);

      show_choice (advice, choice, self->buttons->pdata[i],
                   selected && selected->strategy.framework == choice->framework);
    }
  self->updating = FALSE;
  return choices->len;
}

static void
shardwise_framework_strip_finalize (GObject *object)
{
  g_ptr_array_unref (SHARDWISE_FRAMEWORK_STRIP (object)->buttons);
  G_OBJECT_CLASS (shardwise_framework_strip_parent_class)->finalize (object);
}

static void
shardwise_framework_strip_class_init (ShardwiseFrameworkStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_framework_strip_finalize;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  signals[CHOSEN] = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
shardwise_framework_strip_init (ShardwiseFrameworkStrip *self)
{
  self->buttons = g_ptr_array_new ();
  gtk_widget_set_layout_manager (GTK_WIDGET (self),
                                 shardwise_wrap_layout_new (6, 6, ITEM_WIDTH, MAX_COLUMNS));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Framework"), -1);
}
