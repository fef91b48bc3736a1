/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-drop-down.h"

#include "shardwise-name-search.h"

static GtkWidget *
find_descendant (GtkWidget *widget, GType type)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = g_type_is_a (G_OBJECT_TYPE (child), type) ? child
                                                                   : find_descendant (child, type);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static GtkSelectionModel *
lines_of (GtkDropDown *drop_down)
{
  GtkWidget *list = find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_LIST_VIEW);

  return list != NULL ? gtk_list_view_get_model (GTK_LIST_VIEW (list)) : NULL;
}

static const char *
searched (GtkDropDown *drop_down)
{
  GtkWidget *entry = find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_SEARCH_ENTRY);

  return gtk_editable_get_text (GTK_EDITABLE (entry));
}

static void
typed_cb (GtkEditable *entry, ShardwiseNameSearch *filter)
{
  shardwise_name_search_set_text (filter, gtk_editable_get_text (entry));
}

/* While something is searched for, the first line found is the one to take; GTK would mark the one
 * that came after what is chosen. */
static void
found_cb (GtkDropDown *drop_down)
{
  GtkSelectionModel *lines = lines_of (drop_down);
  GtkWidget *button = gtk_widget_get_first_child (GTK_WIDGET (drop_down));
  const gboolean searches = *searched (drop_down) != '\0';
  const guint chosen = searches ? 0 : gtk_drop_down_get_selected (drop_down);

  /* As the list closes GTK forgets what was searched for, and takes the line that is marked. */
  if (!gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (button))
      || chosen >= g_list_model_get_n_items (G_LIST_MODEL (lines)))
    return;
  gtk_selection_model_select_item (lines, chosen, TRUE);
  gtk_widget_activate_action (find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_LIST_VIEW),
                              "list.scroll-to-item", "u", chosen);
}

static gboolean
focus_search_cb (gpointer entry)
{
  if (gtk_widget_get_mapped (entry))
    gtk_widget_grab_focus (entry);
  return G_SOURCE_REMOVE;
}

/* GTK gives the focus to the list, where a space is no letter to search for. */
static void
search_mapped_cb (GtkWidget *entry)
{
  g_idle_add_full (G_PRIORITY_DEFAULT, focus_search_cb, g_object_ref (entry), g_object_unref);
}

/* Enter takes the first line found. */
static void
search_activated_cb (GtkDropDown *drop_down)
{
  if (*searched (drop_down) != '\0'
      && g_list_model_get_n_items (G_LIST_MODEL (lines_of (drop_down))) > 0)
    g_signal_emit_by_name (find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_LIST_VIEW), "activate",
                           0);
}

/* GTK closes the list on Escape with a filter of its own alone. */
static void
search_stopped_cb (GtkWidget *entry)
{
  gtk_popover_popdown (GTK_POPOVER (gtk_widget_get_ancestor (entry, GTK_TYPE_POPOVER)));
}

/**
 * shardwise_drop_down_search_anywhere:
 * @drop_down: a drop-down with a model, an expression and search
 *
 * Lets the search find the words of a name (shardwise_name_search_new()) where GTK would compare
 * its beginning: the filter is reached through the list of the popover. What is typed while the
 * list is open is searched for, wherever the focus is, spaces too; Enter takes the first line
 * found, Escape none.
 */
void
shardwise_drop_down_search_anywhere (GtkDropDown *drop_down)
{
  GtkWidget *entry = find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_SEARCH_ENTRY);
  GListModel *model = G_LIST_MODEL (lines_of (drop_down));

  if (GTK_IS_SINGLE_SELECTION (model))
    model = gtk_single_selection_get_model (GTK_SINGLE_SELECTION (model));
  if (entry == NULL)
    return;
  if (GTK_IS_FILTER_LIST_MODEL (model))
    {
      g_autoptr (ShardwiseNameSearch) filter =
          shardwise_name_search_new (gtk_drop_down_get_expression (drop_down));

      gtk_filter_list_model_set_filter (GTK_FILTER_LIST_MODEL (model), GTK_FILTER (filter));
      g_signal_connect_object (entry, "search-changed", G_CALLBACK (typed_cb), filter, 0);
    }
  gtk_search_entry_set_key_capture_widget (GTK_SEARCH_ENTRY (entry),
                                           gtk_widget_get_ancestor (entry, GTK_TYPE_POPOVER));
  g_signal_connect_object (entry, "search-changed", G_CALLBACK (found_cb), drop_down,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect (entry, "map", G_CALLBACK (search_mapped_cb), NULL);
  g_signal_connect (entry, "stop-search", G_CALLBACK (search_stopped_cb), NULL);
  g_signal_connect_object (entry, "activate", G_CALLBACK (search_activated_cb), drop_down,
                           G_CONNECT_SWAPPED);
}

static gboolean
show_chosen_cb (gpointer lines)
{
  g_autoptr (GtkBitset) chosen =
      gtk_selection_model_get_selection (gtk_list_view_get_model (GTK_LIST_VIEW (lines)));

  if (!gtk_bitset_is_empty (chosen))
    gtk_widget_activate_action (lines, "list.scroll-to-item", "u", gtk_bitset_get_minimum (chosen));
  return G_SOURCE_REMOVE;
}

/* Where a line is is known once the list has its size. */
static void
lines_mapped_cb (GtkWidget *lines)
{
  g_idle_add_full (G_PRIORITY_LOW, show_chosen_cb, g_object_ref (lines), g_object_unref);
}

/**
 * shardwise_drop_down_show_chosen:
 * @drop_down: a drop-down
 *
 * Lets its list open at the line that is chosen, not at its top.
 */
void
shardwise_drop_down_show_chosen (GtkDropDown *drop_down)
{
  GtkWidget *lines = find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_LIST_VIEW);

  if (lines != NULL)
    g_signal_connect (lines, "map", G_CALLBACK (lines_mapped_cb), NULL);
}

/**
 * shardwise_drop_down_set_words:
 * @list: a drop-down of words
 * @words: (array zero-terminated=1): what it offers
 *
 * Replaces the words of a drop-down, which stays as it is where they are the same. It keeps its
 * model: another one would free the selection, which GTK goes on using after it has said that
 * something was chosen.
 */
void
shardwise_drop_down_set_words (GtkDropDown *list, const char *const *words)
{
  GListModel *model = gtk_drop_down_get_model (list);
  guint n = model != NULL ? g_list_model_get_n_items (model) : 0;
  gboolean same = GTK_IS_STRING_LIST (model) && n == g_strv_length ((char **) words);

  if (!GTK_IS_STRING_LIST (model))
    {
      g_autoptr (GtkStringList) strings = gtk_string_list_new (words);

      gtk_drop_down_set_model (list, G_LIST_MODEL (strings));
      return;
    }
  for (guint i = 0; same && i < n; i++)
    same = g_str_equal (gtk_string_list_get_string (GTK_STRING_LIST (model), i), words[i]);
  if (!same)
    gtk_string_list_splice (GTK_STRING_LIST (model), 0, n, words);
}
