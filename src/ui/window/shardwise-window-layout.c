/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-layout.h"

struct _ShardwiseWindowLayout {
  GtkLayoutManager parent_instance;
};

G_DEFINE_FINAL_TYPE (ShardwiseWindowLayout, shardwise_window_layout, GTK_TYPE_LAYOUT_MANAGER)

static GtkSizeRequestMode
shardwise_window_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_CONSTANT_SIZE;
}

/* The least height is the window's own. */
static void
shardwise_window_layout_measure (GtkLayoutManager *manager, GtkWidget *widget,
                                 GtkOrientation orientation, int for_size, int *minimum,
                                 int *natural, int *minimum_baseline, int *natural_baseline)
{
  GtkWidget *child = gtk_widget_get_first_child (widget);

  *minimum = *natural = 0;
  if (child != NULL && orientation == GTK_ORIENTATION_HORIZONTAL)
    gtk_widget_measure (child, orientation, -1, minimum, natural, NULL, NULL);
}

static void
shardwise_window_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width,
                                  int height, int baseline)
{
  GtkWidget *child = gtk_widget_get_first_child (widget);
  int least;

  if (child == NULL)
    return;
  gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, width, &least, NULL, NULL, NULL);
  gtk_widget_allocate (child, width, MAX (height, least), baseline, NULL);
}

static void
shardwise_window_layout_class_init (ShardwiseWindowLayoutClass *klass)
{
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  layout_class->get_request_mode = shardwise_window_layout_get_request_mode;
  layout_class->measure = shardwise_window_layout_measure;
  layout_class->allocate = shardwise_window_layout_allocate;
}

static void
shardwise_window_layout_init (ShardwiseWindowLayout *self)
{}
