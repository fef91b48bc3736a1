/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-container.h"

G_DEFINE_ABSTRACT_TYPE (ShardwiseContainer, shardwise_container, GTK_TYPE_WIDGET)

static void
shardwise_container_dispose (GObject *object)
{
  shardwise_container_empty (GTK_WIDGET (object));
  G_OBJECT_CLASS (shardwise_container_parent_class)->dispose (object);
}

static void
shardwise_container_class_init (ShardwiseContainerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_container_dispose;
}

static void
shardwise_container_init (ShardwiseContainer *self)
{}

/**
 * shardwise_container_empty:
 * @widget: a widget that has its children of its own
 *
 * Lets go of all its children.
 */
void
shardwise_container_empty (GtkWidget *widget)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (widget)) != NULL)
    gtk_widget_unparent (child);
}

/**
 * shardwise_container_empty_list:
 * @list: a list
 *
 * Removes its rows; a placeholder stays. GTK 4.12 has a function for it.
 */
void
shardwise_container_empty_list (GtkListBox *list)
{
  GtkListBoxRow *row;

  while ((row = gtk_list_box_get_row_at_index (list, 0)) != NULL)
    gtk_list_box_remove (list, GTK_WIDGET (row));
}
