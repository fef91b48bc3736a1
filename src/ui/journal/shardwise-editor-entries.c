/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-editor-entries.h"

#include <adwaita.h>

static void
collect (GtkWidget *widget, GPtrArray *entries)
{
  if (GTK_IS_TEXT_VIEW (widget) || GTK_IS_EDITABLE (widget) || ADW_IS_COMBO_ROW (widget))
    {
      g_ptr_array_add (entries, widget);
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect (child, entries);
}

static GPtrArray *
entries_of (GtkWidget *editor)
{
  GPtrArray *entries = g_ptr_array_new ();

  collect (editor, entries);
  return entries;
}

static char *
get_text (GtkWidget *entry)
{
  char *text = NULL;

  if (GTK_IS_TEXT_VIEW (entry))
    g_object_get (gtk_text_view_get_buffer (GTK_TEXT_VIEW (entry)), "text", &text, NULL);
  else if (GTK_IS_EDITABLE (entry))
    text = g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry)));
  else
    text = g_strdup_printf ("%u", adw_combo_row_get_selected (ADW_COMBO_ROW (entry)));
  return text;
}

static void
set_text (GtkWidget *entry, const char *text)
{
  guint64 selected;

  if (GTK_IS_TEXT_VIEW (entry))
    gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (entry)), text, -1);
  else if (GTK_IS_EDITABLE (entry))
    gtk_editable_set_text (GTK_EDITABLE (entry), text);
  else if (g_ascii_string_to_unsigned (
               text, 10, 0,
               g_list_model_get_n_items (adw_combo_row_get_model (ADW_COMBO_ROW (entry))) - 1,
               &selected, NULL))
    adw_combo_row_set_selected (ADW_COMBO_ROW (entry), (guint) selected);
}

/**
 * shardwise_editor_entries_get:
 * @editor: with entries
 *
 * Returns: (transfer full): the text of each; of a list the number of what is selected
 */
char **
shardwise_editor_entries_get (GtkWidget *editor)
{
  g_autoptr (GPtrArray) entries = NULL;
  GStrvBuilder *texts;
  char **result;

  g_return_val_if_fail (GTK_IS_WIDGET (editor), NULL);

  entries = entries_of (editor);
  texts = g_strv_builder_new ();
  for (guint i = 0; i < entries->len; i++)
    {
      g_autofree char *text = get_text (entries->pdata[i]);

      g_strv_builder_add (texts, text);
    }
  result = g_strv_builder_end (texts);
  g_strv_builder_unref (texts);
  return result;
}

/**
 * shardwise_editor_entries_set:
 * @editor: with entries
 * @texts: as shardwise_editor_entries_get() gave them; those too many, or too few, are passed over
 */
void
shardwise_editor_entries_set (GtkWidget *editor, const char *const *texts)
{
  g_autoptr (GPtrArray) entries = NULL;

  g_return_if_fail (GTK_IS_WIDGET (editor));
  g_return_if_fail (texts != NULL);

  entries = entries_of (editor);
  for (guint i = 0; i < entries->len && texts[i] != NULL; i++)
    set_text (entries->pdata[i], texts[i]);
}

/**
 * shardwise_editor_entries_watch:
 * @editor: with entries
 * @changed: called with @object alone whenever one changes
 * @object: a #GObject; nothing is called any more once it is gone
 */
void
shardwise_editor_entries_watch (GtkWidget *editor, GCallback changed, gpointer object)
{
  g_autoptr (GPtrArray) entries = NULL;

  g_return_if_fail (GTK_IS_WIDGET (editor));
  g_return_if_fail (G_IS_OBJECT (object));

  entries = entries_of (editor);
  for (guint i = 0; i < entries->len; i++)
    {
      GtkWidget *entry = entries->pdata[i];

      if (GTK_IS_TEXT_VIEW (entry))
        g_signal_connect_object (gtk_text_view_get_buffer (GTK_TEXT_VIEW (entry)), "changed",
                                 changed, object, G_CONNECT_SWAPPED);
      else
        g_signal_connect_object (entry, GTK_IS_EDITABLE (entry) ? "changed" : "notify::selected",
                                 changed, object, G_CONNECT_SWAPPED);
    }
}
