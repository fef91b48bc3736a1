/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-preview.h"

#include <adwaita.h>

/**
 * shardwise_export_format_button_new:
 * @info: a format
 *
 * Returns: (transfer floating): a toggle button with its name and the product that it was checked against
 */
GtkWidget *
shardwise_export_format_button_new (const ShardwiseFormatInfo *info)
{
  GtkWidget *button = gtk_toggle_button_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  GtkWidget *title = gtk_label_new (info->title);
  g_autofree char *text = g_strdup_printf ("%s %s", info->product, info->version);
  GtkWidget *caption = gtk_label_new (text);

  gtk_widget_add_css_class (title, "heading");
  gtk_widget_add_css_class (caption, "caption");
  gtk_widget_add_css_class (caption, "dim-label");
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_END);
  gtk_label_set_ellipsize (GTK_LABEL (caption), PANGO_ELLIPSIZE_END);
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), caption);
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "export-format");
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, info->title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);

  return button;
}

static const char *
language_of (const char *file_name)
{
  if (g_str_has_suffix (file_name, ".json"))
    return "json";

  return g_str_has_suffix (file_name, ".py") ? "python3" : "yaml";
}

/**
 * shardwise_export_preview_show:
 * @view: a preview
 * @file: what to show
 *
 * Shows the text of the file in the colours of its language.
 */
void
shardwise_export_preview_show (GtkSourceView *view, const ShardwiseExportFile *file)
{
  GtkTextBuffer *buffer;

  g_return_if_fail (GTK_SOURCE_IS_VIEW (view));
  g_return_if_fail (file != NULL);

  buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  gtk_source_buffer_set_language (
      GTK_SOURCE_BUFFER (buffer),
      gtk_source_language_manager_get_language (gtk_source_language_manager_get_default (),
                                                language_of (file->name)));
  gtk_text_buffer_set_text (buffer, file->content, -1);
}

static void
update_scheme (GtkSourceView *view)
{
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  GtkSourceStyleScheme *scheme = gtk_source_style_scheme_manager_get_scheme (
      gtk_source_style_scheme_manager_get_default (), dark ? "Adwaita-dark" : "Adwaita");
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));

  if (scheme != NULL)
    gtk_source_buffer_set_style_scheme (GTK_SOURCE_BUFFER (buffer), scheme);
}

/**
 * shardwise_export_preview_follow_style:
 * @view: a preview
 *
 * Follows the light or dark style, which GtkSourceView does not do by itself.
 */
void
shardwise_export_preview_follow_style (GtkSourceView *view)
{
  g_return_if_fail (GTK_SOURCE_IS_VIEW (view));

  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (update_scheme), view, G_CONNECT_SWAPPED);
  update_scheme (view);
}
