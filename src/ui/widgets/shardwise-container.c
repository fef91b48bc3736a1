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
 * @widget: a widget with its own children
 *
 * Removes all its children.
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

/**
 * shardwise_menu_empty:
 * @menu: the menu of a menu button
 *
 * Removes everything from a menu, its sections and its submenus. GTK 4.8 never frees the sections
 * of a button's menu; this frees most of their content.
 */
void
shardwise_menu_empty (GMenu *menu)
{
  GMenuModel *model = G_MENU_MODEL (menu);

  g_return_if_fail (G_IS_MENU (menu));

  for (int i = 0; i < g_menu_model_get_n_items (model); i++)
    {
      g_autoptr (GMenuLinkIter) links = g_menu_model_iterate_item_links (model, i);

      while (g_menu_link_iter_next (links))
        {
          g_autoptr (GMenuModel) inner = g_menu_link_iter_get_value (links);

          if (G_IS_MENU (inner))
            shardwise_menu_empty (G_MENU (inner));
        }
    }
  g_menu_remove_all (menu);
}

/**
 * shardwise_menu_label:
 * @text: the name of a file, or a text of the user
 *
 * Returns: (transfer full): the label of a menu item with that text, including underscores, which
 *   would otherwise mark the next letter as a shortcut
 */
char *
shardwise_menu_label (const char *text)
{
  GString *label = g_string_new (text);

  g_string_replace (label, "_", "__", 0);
  return g_string_free (label, FALSE);
}
