/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-drop-down.h"

#include <string.h>

struct _ShardwiseNameSearch {
  GtkFilter parent_instance;
  GtkExpression *name;
  char *text; /* the typed text, case-folded; never NULL */
};

G_DEFINE_FINAL_TYPE (ShardwiseNameSearch, shardwise_name_search, GTK_TYPE_FILTER)

static char *
without_case (const char *text)
{
  g_autofree char *normal = g_utf8_normalize (text, -1, G_NORMALIZE_ALL);

  return g_utf8_casefold (normal != NULL ? normal : text, -1);
}

/* "70 b parameters" is also found as "70b". */
static void
join_size (char *name)
{
  char *at = strstr (name, " b ");

  if (at != NULL && at > name && g_ascii_isdigit (at[-1]))
    memmove (at, at + 1, strlen (at));
}

/* A word that starts with a number is not found within a number: "7b" is not in "17B", nor in
 * "2.7B". A number is complete once the next word has begun: "3 8b" is not in "3.1 8B". */
static gboolean
has_word (const char *name, const char *word, gsize length, gboolean ended)
{
  for (const char *at = name; *at != '\0'; at = g_utf8_next_char (at))
    {
      if (strncmp (at, word, length) != 0)
        continue;
      if (g_ascii_isdigit (*word) && at > name
          && (g_ascii_isdigit (at[-1])
              || (at[-1] == '.' && at - name > 1 && g_ascii_isdigit (at[-2]))))
        continue;
      if (ended && g_ascii_isdigit (word[length - 1])
          && (g_ascii_isdigit (at[length])
              || (at[length] == '.' && g_ascii_isdigit (at[length + 1]))))
        continue;
      return TRUE;
    }
  return FALSE;
}

static gboolean
shardwise_name_search_match (GtkFilter *filter, gpointer item)
{
  ShardwiseNameSearch *self = SHARDWISE_NAME_SEARCH (filter);
  g_auto (GValue) value = G_VALUE_INIT;
  g_autofree char *name = NULL;

  if (!gtk_expression_evaluate (self->name, item, &value) || g_value_get_string (&value) == NULL)
    return FALSE;
  name = without_case (g_value_get_string (&value));
  join_size (name);
  for (const char *word = self->text; *word != '\0';)
    {
      const gsize length = strcspn (word, " ");

      if (length > 0 && !has_word (name, word, length, word[length] == ' '))
        return FALSE;
      word += length + (word[length] == ' ');
    }
  return TRUE;
}

static void
shardwise_name_search_finalize (GObject *object)
{
  ShardwiseNameSearch *self = SHARDWISE_NAME_SEARCH (object);

  gtk_expression_unref (self->name);
  g_free (self->text);
  G_OBJECT_CLASS (shardwise_name_search_parent_class)->finalize (object);
}

static void
shardwise_name_search_class_init (ShardwiseNameSearchClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_name_search_finalize;
  GTK_FILTER_CLASS (klass)->match = shardwise_name_search_match;
}

static void
shardwise_name_search_init (ShardwiseNameSearch *self)
{
  self->text = g_strdup ("");
}

/**
 * shardwise_name_search_new:
 * @name: (transfer none): the name of an item, a string
 *
 * Returns: (transfer full): a filter for items with every typed word; until
 *   shardwise_name_search_set_text(), all items pass
 */
ShardwiseNameSearch *
shardwise_name_search_new (GtkExpression *name)
{
  ShardwiseNameSearch *self = g_object_new (SHARDWISE_TYPE_NAME_SEARCH, NULL);

  self->name = gtk_expression_ref (name);
  return self;
}

/**
 * shardwise_name_search_set_text:
 * @self: a search
 * @text: the typed text
 *
 * Matches words between spaces, in any order and case. A number matches by its start, so that "7"
 * finds "70B" during typing, and "7b" does not find "17B".
 */
void
shardwise_name_search_set_text (ShardwiseNameSearch *self, const char *text)
{
  g_return_if_fail (SHARDWISE_IS_NAME_SEARCH (self) && text != NULL);

  g_free (self->text);
  self->text = without_case (text);
  gtk_filter_changed (GTK_FILTER (self), GTK_FILTER_CHANGE_DIFFERENT);
}

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

/* During a search, Enter takes the first match; GTK would select the line after the chosen one. */
static void
found_cb (GtkDropDown *drop_down)
{
  GtkSelectionModel *lines = lines_of (drop_down);
  GtkWidget *button = gtk_widget_get_first_child (GTK_WIDGET (drop_down));
  const gboolean searches = *searched (drop_down) != '\0';
  const guint chosen = searches ? 0 : gtk_drop_down_get_selected (drop_down);

  /* When the list closes, GTK clears the search and takes the selected line. */
  if (!gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (button))
      || chosen >= g_list_model_get_n_items (G_LIST_MODEL (lines)))
    return;
  gtk_selection_model_select_item (lines, chosen, TRUE);
  gtk_widget_activate_action (find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_LIST_VIEW),
                              "list.scroll-to-item", "u", chosen);
}

/* Text that was typed before the list opened stays. */
static gboolean
focus_search_cb (gpointer entry)
{
  GtkEditable *text = gtk_editable_get_delegate (GTK_EDITABLE (entry));

  if (gtk_widget_get_mapped (entry))
    gtk_text_grab_focus_without_selecting (GTK_TEXT (text));
  gtk_editable_set_position (text, -1);
  return G_SOURCE_REMOVE;
}

/* Typing on a closed list searches it. */
static gboolean
key_cb (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
        GtkWidget *entry)
{
  GtkWidget *drop_down = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (controller));
  GtkToggleButton *button = GTK_TOGGLE_BUTTON (gtk_widget_get_first_child (drop_down));
  const gunichar typed = gdk_keyval_to_unicode (keyval);
  char text[7] = "";

  if (gtk_toggle_button_get_active (button) || !g_unichar_isalnum (typed)
      || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  gtk_toggle_button_set_active (button, TRUE);
  g_unichar_to_utf8 (typed, text);
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  return GDK_EVENT_STOP;
}

/**
 * shardwise_drop_down_get_search:
 *
 * Returns: (transfer none) (nullable): the search entry of its list
 */
GtkWidget *
shardwise_drop_down_get_search (GtkDropDown *drop_down)
{
  return find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_SEARCH_ENTRY);
}

/* GTK gives the focus to the list, which does not use a space for the search. */
static void
search_mapped_cb (GtkWidget *entry)
{
  g_idle_add_full (G_PRIORITY_DEFAULT, focus_search_cb, g_object_ref (entry), g_object_unref);
}

/* Enter takes the first match. */
static void
search_activated_cb (GtkDropDown *drop_down)
{
  if (*searched (drop_down) != '\0'
      && g_list_model_get_n_items (G_LIST_MODEL (lines_of (drop_down))) > 0)
    g_signal_emit_by_name (find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_LIST_VIEW), "activate",
                           0);
}

/* GTK closes the list on Escape only if it has its own filter. */
static void
search_stopped_cb (GtkWidget *entry)
{
  gtk_popover_popdown (GTK_POPOVER (gtk_widget_get_ancestor (entry, GTK_TYPE_POPOVER)));
}

/**
 * shardwise_drop_down_search_anywhere:
 * @drop_down: a drop-down with a model, an expression and search
 *
 * Makes the search match the words of a name (shardwise_name_search_new()) instead of its start:
 * the filter is accessible through the list of the popover. What is typed while the list is open is
 * searched for, wherever the focus is, spaces too; Enter takes the first line found, Escape none.
 */
void
shardwise_drop_down_search_anywhere (GtkDropDown *drop_down)
{
  GtkWidget *entry = find_descendant (GTK_WIDGET (drop_down), GTK_TYPE_SEARCH_ENTRY);
  GListModel *model = G_LIST_MODEL (lines_of (drop_down));
  GtkEventController *keys;

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
  keys = gtk_event_controller_key_new ();
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_cb), entry, 0);
  gtk_widget_add_controller (GTK_WIDGET (drop_down), keys);
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

/* The position of a line is known once the list has its size. */
static void
lines_mapped_cb (GtkWidget *lines)
{
  g_idle_add_full (G_PRIORITY_LOW, show_chosen_cb, g_object_ref (lines), g_object_unref);
}

/**
 * shardwise_drop_down_show_chosen:
 * @drop_down: a drop-down
 *
 * Makes its list open at the chosen line instead of its top.
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
 * @words: (array zero-terminated=1): its words
 *
 * Replaces the words of a drop-down; does nothing if they are the same. The model stays the same
 * object, because replacing it would free the selection, which GTK still uses after it has notified
 * a choice.
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
