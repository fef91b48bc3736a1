/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-fold.h"

struct _ShardwiseFold {
  ShardwiseContainer parent_instance;
  GtkWidget *wide, *narrow;
};

G_DEFINE_FINAL_TYPE (ShardwiseFold, shardwise_fold, SHARDWISE_TYPE_CONTAINER)

static gboolean
has_room (ShardwiseFold *self, int width)
{
  int minimum;

  gtk_widget_measure (self->wide, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  return width < 0 || width >= minimum;
}

static void
shardwise_fold_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                        int *natural, int *minimum_baseline, int *natural_baseline)
{
  ShardwiseFold *self = SHARDWISE_FOLD (widget);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      gtk_widget_measure (self->narrow, orientation, -1, minimum, NULL, NULL, NULL);
      gtk_widget_measure (self->wide, orientation, -1, NULL, natural, NULL, NULL);
      *natural = MAX (*natural, *minimum);
      return;
    }
  gtk_widget_measure (has_room (self, for_size) ? self->wide : self->narrow, orientation, for_size,
                      minimum, natural, NULL, NULL);
}

static void
shardwise_fold_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ShardwiseFold *self = SHARDWISE_FOLD (widget);
  const gboolean folded = !has_room (self, width);

  gtk_widget_set_child_visible (self->wide, !folded);
  gtk_widget_set_child_visible (self->narrow, folded);
  gtk_widget_size_allocate (folded ? self->narrow : self->wide,
                            &(GtkAllocation){ 0, 0, width, height }, baseline);
}

static GtkSizeRequestMode
shardwise_fold_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
shardwise_fold_class_init (ShardwiseFoldClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->measure = shardwise_fold_measure;
  widget_class->size_allocate = shardwise_fold_size_allocate;
  widget_class->get_request_mode = shardwise_fold_get_request_mode;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
shardwise_fold_init (ShardwiseFold *self)
{}

/**
 * shardwise_fold_new:
 * @wide: shown if its minimum width fits
 * @narrow: shown otherwise
 *
 * Returns: (transfer floating): a widget that owns both
 */
GtkWidget *
shardwise_fold_new (GtkWidget *wide, GtkWidget *narrow)
{
  ShardwiseFold *self;

  g_return_val_if_fail (GTK_IS_WIDGET (wide) && GTK_IS_WIDGET (narrow), NULL);
  self = g_object_new (SHARDWISE_TYPE_FOLD, NULL);
  self->wide = wide;
  self->narrow = narrow;
  gtk_widget_set_parent (wide, GTK_WIDGET (self));
  gtk_widget_set_parent (narrow, GTK_WIDGET (self));
  return GTK_WIDGET (self);
}
