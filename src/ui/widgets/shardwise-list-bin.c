/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-list-bin.h"

#include "shardwise-container.h"

struct _ShardwiseListBin {
  ShardwiseContainer parent_instance;
};

G_DEFINE_FINAL_TYPE (ShardwiseListBin, shardwise_list_bin, SHARDWISE_TYPE_CONTAINER)

/* The row of a list that contains the focus; NULL: the focus is elsewhere. */
static GtkWidget *
row_with_focus (GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *row = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (row == NULL || !gtk_widget_is_ancestor (row, widget))
    return NULL;
  while (row != widget && !GTK_IS_LIST_VIEW (gtk_widget_get_parent (row)))
    row = gtk_widget_get_parent (row);
  return row != widget ? row : NULL;
}

/* A list by itself moves Tab from row to row, so that the user could not get past a list of 100,000
 * rows. Tab still leads to controls within the row. */
static gboolean
shardwise_list_bin_focus (GtkWidget *widget, GtkDirectionType direction)
{
  gboolean tabs = direction == GTK_DIR_TAB_FORWARD || direction == GTK_DIR_TAB_BACKWARD;
  GtkWidget *row = tabs ? row_with_focus (widget) : NULL, *headings;

  if (row == NULL)
    return GTK_WIDGET_CLASS (shardwise_list_bin_parent_class)->focus (widget, direction);
  if (gtk_widget_child_focus (row, direction))
    return TRUE;
  headings = gtk_widget_get_prev_sibling (gtk_widget_get_parent (row)); /* of a table */
  return direction == GTK_DIR_TAB_BACKWARD && headings != NULL
         && gtk_widget_child_focus (headings, GTK_DIR_TAB_BACKWARD);
}

static void
shardwise_list_bin_class_init (ShardwiseListBinClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = shardwise_list_bin_focus;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
shardwise_list_bin_init (ShardwiseListBin *self)
{}

/**
 * shardwise_list_bin_new:
 * @child: a list or a table, or its container
 *
 * Returns: (transfer floating): a widget that owns @child
 */
GtkWidget *
shardwise_list_bin_new (GtkWidget *child)
{
  GtkWidget *self;

  g_return_val_if_fail (GTK_IS_WIDGET (child), NULL);

  self = g_object_new (SHARDWISE_TYPE_LIST_BIN, NULL);
  gtk_widget_set_parent (child, self);
  return self;
}
