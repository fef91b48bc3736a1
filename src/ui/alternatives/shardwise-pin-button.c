/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-pin-button.h"

#include <glib/gi18n.h>

#include "shardwise-wrapped-label.h"

struct _ShardwisePinButton {
  GtkToggleButton parent_instance;
  ShardwiseComparison *comparison;
  SwStrategy strategy;
  gboolean has_strategy, updating;
};

G_DEFINE_FINAL_TYPE (ShardwisePinButton, shardwise_pin_button, GTK_TYPE_TOGGLE_BUTTON)

/* If four are pinned, a fifth is impossible: the button shows this instead of doing nothing. */
static void
update (ShardwisePinButton *self)
{
  gboolean held = self->has_strategy
                  && shardwise_comparison_has (self->comparison, &self->strategy);
  gboolean full = shardwise_comparison_get_n (self->comparison) == SHARDWISE_COMPARISON_MAX;
  const char *tooltip = held   ? _ ("No Longer Compare")
                        : full ? _ ("You can compare up to four strategies. Remove one first.")
                               : _ ("Pin to Compare");

  self->updating = TRUE;
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self), held);
  self->updating = FALSE;
  gtk_widget_set_sensitive (GTK_WIDGET (self), self->has_strategy && (held || !full));
  if (g_strcmp0 (gtk_widget_get_tooltip_text (GTK_WIDGET (self)), tooltip) != 0)
    gtk_widget_set_tooltip_text (GTK_WIDGET (self), tooltip);
}

static void
shardwise_pin_button_toggled (GtkToggleButton *button)
{
  ShardwisePinButton *self = SHARDWISE_PIN_BUTTON (button);

  if (self->updating || !self->has_strategy)
    return;
  if (gtk_toggle_button_get_active (button))
    shardwise_comparison_pin (self->comparison, &self->strategy);
  else
    shardwise_comparison_unpin (self->comparison, &self->strategy);
}

static void
shardwise_pin_button_dispose (GObject *object)
{
  ShardwisePinButton *self = SHARDWISE_PIN_BUTTON (object);

  self->has_strategy = FALSE;
  if (self->comparison != NULL)
    g_signal_handlers_disconnect_by_data (self->comparison, self);
  g_clear_object (&self->comparison);
  G_OBJECT_CLASS (shardwise_pin_button_parent_class)->dispose (object);
}

static void
shardwise_pin_button_class_init (ShardwisePinButtonClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_pin_button_dispose;
  GTK_TOGGLE_BUTTON_CLASS (klass)->toggled = shardwise_pin_button_toggled;
}

static void
shardwise_pin_button_init (ShardwisePinButton *self)
{
  gtk_button_set_icon_name (GTK_BUTTON (self), "view-pin-symbolic");
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (GTK_WIDGET (self), "flat");
  gtk_widget_add_css_class (GTK_WIDGET (self), "pin");
  shardwise_tooltip_wrap (GTK_WIDGET (self));
}

/**
 * shardwise_pin_button_new:
 * @comparison: the comparison for the strategies
 *
 * Returns: (transfer floating): a button without a strategy
 */
GtkWidget *
shardwise_pin_button_new (ShardwiseComparison *comparison)
{
  ShardwisePinButton *self;

  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (comparison), NULL);

  /* For tooltips, GTK queries the display for the pointer position for every visible widget. */
  self = g_object_new (SHARDWISE_TYPE_PIN_BUTTON, "visible", FALSE, NULL);
  self->comparison = g_object_ref (comparison);
  g_signal_connect_swapped (comparison, "changed", G_CALLBACK (update), self);
  update (self);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  return GTK_WIDGET (self);
}

/**
 * shardwise_pin_button_set_strategy:
 * @strategy: (nullable): the button's strategy; copied
 * @name: (nullable): its name for screen readers
 */
void
shardwise_pin_button_set_strategy (ShardwisePinButton *self, const SwStrategy *strategy,
                                   const char *name)
{
  g_autofree char *label = NULL;

  g_return_if_fail (SHARDWISE_IS_PIN_BUTTON (self));

  self->has_strategy = strategy != NULL;
  if (strategy != NULL)
    self->strategy = *strategy;
  if (name != NULL)
    /* Translators: of a button: "Pin to compare: 3. TP 8 · PP 4 …" */
    label = g_strdup_printf (_ ("Pin to compare: %s"), name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label != NULL ? label : _ ("Pin to Compare"), -1);
  update (self);
}
