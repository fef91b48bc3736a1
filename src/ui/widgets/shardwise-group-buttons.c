/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-group-buttons.h"

#include <glib/gi18n.h>

struct _ShardwiseGroupButtons {
  GtkWidget parent_instance;

  ShardwiseRankChart *chart; /* weak: its page owns both */
  GtkToggleButton *button[SW_N_COMMUNICATION_GROUPS];
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (ShardwiseGroupButtons, shardwise_group_buttons, GTK_TYPE_WIDGET)

/* Short, so that all five have room in a narrow window. */
static const struct {
  const char *label, *name;
} groups[SW_N_COMMUNICATION_GROUPS] = {
  { N_ ("TP"), N_ ("Colour by Tensor Parallel Rank") },
  { N_ ("CP"), N_ ("Colour by Context Parallel Rank") },
  { N_ ("EP"), N_ ("Colour by Expert Parallel Rank") },
  { N_ ("PP"), N_ ("Colour by Pipeline Stage") },
  { N_ ("DP"), N_ ("Colour by Data Parallel Replica") },
};

static void
toggled_cb (ShardwiseGroupButtons *self, GtkToggleButton *button)
{
  if (self->updating || self->chart == NULL || !gtk_toggle_button_get_active (button))
    return;
  for (guint i = 0; i < SW_N_COMMUNICATION_GROUPS; i++)
    if (self->button[i] == button)
      shardwise_rank_chart_set_group (self->chart, (SwCommunicationGroup) i);
}

/**
 * shardwise_group_buttons_update:
 * @self: a row of buttons
 *
 * Shows what the chart's strategy has and what it is coloured by; to be called after its strategy
 * has changed.
 */
void
shardwise_group_buttons_update (ShardwiseGroupButtons *self)
{
  g_return_if_fail (SHARDWISE_IS_GROUP_BUTTONS (self));

  if (self->chart == NULL)
    return;
  self->updating = TRUE;
  for (guint i = 0; i < SW_N_COMMUNICATION_GROUPS; i++)
    {
      SwCommunicationGroup group = (SwCommunicationGroup) i;

      gtk_widget_set_visible (GTK_WIDGET (self->button[i]),
                              shardwise_rank_chart_has_group (self->chart, group));
      gtk_toggle_button_set_active (self->button[i],
                                    shardwise_rank_chart_get_group (self->chart) == group);
    }
  self->updating = FALSE;
}

static void
add_button (ShardwiseGroupButtons *self, guint i)
{
  GtkWidget *button = gtk_toggle_button_new_with_label (_ (groups[i].label));

  self->button[i] = GTK_TOGGLE_BUTTON (button);
  if (i > 0)
    gtk_toggle_button_set_group (self->button[i], self->button[0]);
  gtk_widget_set_tooltip_text (button, _ (groups[i].name));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (groups[i].name), -1);
  g_signal_connect_object (button, "toggled", G_CALLBACK (toggled_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_set_parent (button, GTK_WIDGET (self));
}

static void
shardwise_group_buttons_dispose (GObject *object)
{
  ShardwiseGroupButtons *self = SHARDWISE_GROUP_BUTTONS (object);
  GtkWidget *child;

  self->updating = TRUE;
  g_clear_weak_pointer (&self->chart);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (shardwise_group_buttons_parent_class)->dispose (object);
}

static void
shardwise_group_buttons_class_init (ShardwiseGroupButtonsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_group_buttons_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
shardwise_group_buttons_init (ShardwiseGroupButtons *self)
{
  gtk_widget_add_css_class (GTK_WIDGET (self), "linked");
  for (guint i = 0; i < SW_N_COMMUNICATION_GROUPS; i++)
    add_button (self, i);
}

/**
 * shardwise_group_buttons_new:
 * @chart: what the buttons choose for
 *
 * Returns: (transfer floating): the row, for a chart without a strategy
 */
GtkWidget *
shardwise_group_buttons_new (ShardwiseRankChart *chart)
{
  ShardwiseGroupButtons *self = g_object_new (SHARDWISE_TYPE_GROUP_BUTTONS, NULL);

  g_set_weak_pointer (&self->chart, chart);
  return GTK_WIDGET (self);
}
