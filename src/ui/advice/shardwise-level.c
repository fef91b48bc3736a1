/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-level.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "shardwise-palette.h"

struct _ShardwiseLevel {
  GtkWidget parent_instance;
  double level, limit;
};

G_DEFINE_FINAL_TYPE (ShardwiseLevel, shardwise_level, GTK_TYPE_WIDGET)

/* Pixels. */
enum { BAR_HEIGHT = 8, LIMIT_WIDTH = 2, OVERHANG = 2, NATURAL_WIDTH = 120 };

static void
shardwise_level_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                         int *natural, int *minimum_baseline, int *natural_baseline)
{
  if (orientation == GTK_ORIENTATION_VERTICAL)
    *minimum = *natural = BAR_HEIGHT + 2 * OVERHANG;
  else
    {
      *minimum = 24;
      *natural = NATURAL_WIDTH;
    }
}

static void
shardwise_level_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ShardwiseLevel *self = SHARDWISE_LEVEL (widget);
  float width = gtk_widget_get_width (widget), filled = width * CLAMP (self->level, 0, 1),
        at = width * CLAMP (self->limit, 0, 1);
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  gboolean over = self->limit > 0 && self->level > self->limit;
  GdkRGBA fill, ground, line;
  GskRoundedRect outline;

  shardwise_palette_get (over ? SHARDWISE_COLOR_LIMIT : SHARDWISE_COLOR_COMPUTE, dark, &fill);
  shardwise_palette_get (SHARDWISE_COLOR_LIMIT, dark, &line);
  shardwise_palette_text (dark, 1, &ground);
  ground.alpha *= 0.12f;
  gsk_rounded_rect_init_from_rect (&outline, &GRAPHENE_RECT_INIT (0, OVERHANG, width, BAR_HEIGHT),
                                   BAR_HEIGHT / 2.0f);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, &ground, &outline.bounds);
  gtk_snapshot_append_color (
      snapshot, &fill,
      &GRAPHENE_RECT_INIT (mirrored ? width - filled : 0, OVERHANG, filled, BAR_HEIGHT));
  gtk_snapshot_pop (snapshot);
  if (self->limit > 0 && self->limit < 1)
    gtk_snapshot_append_color (
        snapshot, &line,
        &GRAPHENE_RECT_INIT ((mirrored ? width - at : at) - LIMIT_WIDTH / 2.0f, 0, LIMIT_WIDTH,
                             BAR_HEIGHT + 2 * OVERHANG));
}

static void
shardwise_level_class_init (ShardwiseLevelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->measure = shardwise_level_measure;
  widget_class->snapshot = shardwise_level_snapshot;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_METER);
  gtk_widget_class_set_css_name (widget_class, "level");
}

static void
shardwise_level_init (ShardwiseLevel *self)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, 1.0, -1);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
}

/**
 * shardwise_level_new:
 *
 * Returns: (transfer floating): an empty bar
 */
GtkWidget *
shardwise_level_new (void)
{
  return g_object_new (SHARDWISE_TYPE_LEVEL, NULL);
}

/**
 * shardwise_level_set:
 * @level: share that is filled, 0-1; more is drawn full
 * @limit: where the line is, 0-1; the bar turns red over it
 */
void
shardwise_level_set (ShardwiseLevel *self, double level, double limit)
{
  g_autofree char *words = NULL;

  g_return_if_fail (SHARDWISE_IS_LEVEL (self));
  self->level = level;
  self->limit = limit;
  /* Translators: how full a bar is and where its limit is, in percent */
  words = g_strdup_printf (_ ("%.0f %%, limit %.0f %%"), level * 100, limit * 100);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, level,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, words, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
