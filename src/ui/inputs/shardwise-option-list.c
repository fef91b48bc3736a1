/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-option-list.h"

#include "shardwise-input-list.h"

/**
 * shardwise_option_list_new:
 * @name: what is chosen, translated: the accessible name
 * @options: (transfer none): of ShardwiseInputOption
 *
 * Returns: (transfer floating): a drop-down, with a search field where there are many options
 */
GtkWidget *
shardwise_option_list_new (const char *name, GListModel *options)
{
  GtkWidget *list = shardwise_input_list_new (options);

  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  return list;
}

/**
 * shardwise_option_list_get_value:
 *
 * Returns: (transfer none): the value of the option that is chosen; "" where none is
 */
const char *
shardwise_option_list_get_value (GtkDropDown *list)
{
  gpointer option = gtk_drop_down_get_selected_item (list);

  return option != NULL ? shardwise_input_option_get_value (option) : "";
}

/**
 * shardwise_option_list_set_value:
 * @value: of an option
 *
 * Chooses an option.
 *
 * Returns: whether there is one of that value; else nothing changes
 */
gboolean
shardwise_option_list_set_value (GtkDropDown *list, const char *value)
{
  GListModel *options = gtk_drop_down_get_model (list);

  for (guint i = 0; i < g_list_model_get_n_items (options); i++)
    {
      g_autoptr (ShardwiseInputOption) option = g_list_model_get_item (options, i);

      if (g_str_equal (shardwise_input_option_get_value (option), value))
        {
          gtk_drop_down_set_selected (list, i);
          return TRUE;
        }
    }
  return FALSE;
}

/**
 * shardwise_labelled_new:
 * @name: translated
 * @control: what it names
 *
 * Returns: (transfer floating): the control under its name
 */
GtkWidget *
shardwise_labelled_new (const char *name, GtkWidget *control)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3), *label = gtk_label_new (name);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, "caption");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), control);
  return box;
}
