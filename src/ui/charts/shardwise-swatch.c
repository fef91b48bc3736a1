/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-swatch.h"

#include <adwaita.h>

struct _ShardwiseSwatch {
  GtkWidget parent_instance;
  ShardwiseColor color;
};

G_DEFINE_FINAL_TYPE (ShardwiseSwatch, shardwise_swatch, GTK_TYPE_WIDGET)

enum { SIZE = 12, RADIUS = 4 };

static void
shardwise_swatch_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = SIZE;
}

static void
shardwise_swatch_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  GskRoundedRect outline;
  GdkRGBA color;

  shardwise_palette_get (SHARDWISE_SWATCH (widget)->color,
                         adw_style_manager_get_dark (adw_style_manager_get_default ()), &color);
  gsk_rounded_rect_init_from_rect (
      &outline,
      &GRAPHENE_RECT_INIT ((gtk_widget_get_width (widget) - SIZE) / 2.0f,
                           (gtk_widget_get_height (widget) - SIZE) / 2.0f, SIZE, SIZE),
      RADIUS);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, &color, &outline.bounds);
  gtk_snapshot_pop (snapshot);
}

static void
shardwise_swatch_class_init (ShardwiseSwatchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->measure = shardwise_swatch_measure;
  widget_class->snapshot = shardwise_swatch_snapshot;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
shardwise_swatch_init (ShardwiseSwatch *self)
{
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
}

/**
 * shardwise_swatch_new:
 * @color: a category
 *
 * Returns: (transfer floating): its mark; decoration only, the name stands beside it
 */
GtkWidget *
shardwise_swatch_new (ShardwiseColor color)
{
  ShardwiseSwatch *self = g_object_new (SHARDWISE_TYPE_SWATCH, NULL);

  self->color = color;
  return GTK_WIDGET (self);
}
