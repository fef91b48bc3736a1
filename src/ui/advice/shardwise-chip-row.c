/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-degree-chip.h"

#include "shardwise-text-strategy.h"
#include "shardwise-wrap-layout.h"

struct _ShardwiseChipRow {
  GtkWidget parent_instance;
  ShardwiseDegreeChip *chips[SW_N_DIMENSIONS];
};

G_DEFINE_FINAL_TYPE (ShardwiseChipRow, shardwise_chip_row, GTK_TYPE_WIDGET)

enum { DIMENSION_ACTIVATED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
clicked_cb (ShardwiseChipRow *self, ShardwiseDegreeChip *chip)
{
  g_signal_emit (self, signals[DIMENSION_ACTIVATED], 0,
                 (int) shardwise_degree_chip_get_dimension (chip));
}

static void
add_chip (ShardwiseChipRow *self, SwDimension dimension)
{
  GtkWidget *chip = shardwise_degree_chip_new (dimension);

  gtk_widget_set_visible (chip, FALSE);
  gtk_widget_set_parent (chip, GTK_WIDGET (self));
  g_signal_connect_object (chip, "clicked", G_CALLBACK (clicked_cb), self, G_CONNECT_SWAPPED);
  self->chips[dimension] = SHARDWISE_DEGREE_CHIP (chip);
}

static void
shardwise_chip_row_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))))
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (shardwise_chip_row_parent_class)->dispose (object);
}

static void
shardwise_chip_row_class_init (ShardwiseChipRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_chip_row_dispose;
  signals[DIMENSION_ACTIVATED] = g_signal_new ("dimension-activated", G_TYPE_FROM_CLASS (klass),
                                               G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                               1, G_TYPE_INT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
shardwise_chip_row_init (ShardwiseChipRow *self)
{
  SwDimension order[SW_N_DIMENSIONS];
  guint n = shardwise_degree_chip_order (order);

  gtk_widget_set_layout_manager (GTK_WIDGET (self), shardwise_wrap_layout_new (8, 8, 0, 0));
  for (guint i = 0; i < n; i++)
    add_chip (self, order[i]);
}

/**
 * shardwise_chip_row_set_strategy:
 * @strategy: what to show; dimensions that are off have no chip
 */
void
shardwise_chip_row_set_strategy (ShardwiseChipRow *self, const SwStrategy *strategy)
{
  SwDimension shown[SW_N_DIMENSIONS];
  g_autofree char *sentence = NULL;
  guint n, mask = 0;

  g_return_if_fail (SHARDWISE_IS_CHIP_ROW (self) && strategy != NULL);
  n = shardwise_degree_chip_dimensions (strategy, shown);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *value = shardwise_text_value (strategy, shown[i]);

      shardwise_degree_chip_set_value (self->chips[shown[i]], value);
      mask |= 1u << shown[i];
    }
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (self->chips[i])
      gtk_widget_set_visible (GTK_WIDGET (self->chips[i]), mask & (1u << i));
  sentence = shardwise_text_strategy (strategy);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence,
                                  -1);
}
