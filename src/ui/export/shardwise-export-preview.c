/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-preview.h"

#include <adwaita.h>

/* GtkSourceView's ids, by the end of the file's name. */
static const struct {
  const char *suffix, *language;
} languages[] = {
  { ".json", "json" }, { ".py", "python3" }, { ".yaml", "yaml" },   { ".toml", "toml" },
  { ".sh", "sh" },     { ".sbatch", "sh" },  { ".md", "markdown" },
};

static const char *
language_of (const char *file_name)
{
  for (guint i = 0; i < G_N_ELEMENTS (languages); i++)
    if (g_str_has_suffix (file_name, languages[i].suffix))
      return languages[i].language;

  return "text";
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
  GtkTextIter start;

  g_return_if_fail (GTK_SOURCE_IS_VIEW (view));
  g_return_if_fail (file != NULL);

  buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  gtk_source_buffer_set_language (
      GTK_SOURCE_BUFFER (buffer),
      gtk_source_language_manager_get_language (gtk_source_language_manager_get_default (),
                                                language_of (file->name)));
  gtk_text_buffer_set_text (buffer, file->content, -1);
  gtk_text_buffer_get_start_iter (buffer, &start); /* not at the end, whither the focus scrolls */
  gtk_text_buffer_place_cursor (buffer, &start);
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

/**
 * shardwise_export_preview_let_go:
 * @view: a preview that goes away
 *
 * Lets go of what @view has drawn beside its lines, which holds @view in GtkSourceView 5.6 until
 * the numbers are drawn anew: for ever, with the whole text. Without any numbers there is nothing
 * to be drawn.
 */
void
shardwise_export_preview_let_go (GtkSourceView *view)
{
  g_autoptr (GtkSnapshot) nothing = gtk_snapshot_new ();
  GtkSourceGutter *gutter;
  GtkWidget *child;

  g_return_if_fail (GTK_SOURCE_IS_VIEW (view));

  gutter = gtk_source_view_get_gutter (view, GTK_TEXT_WINDOW_LEFT);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (gutter))) != NULL)
    gtk_source_gutter_remove (gutter, GTK_SOURCE_GUTTER_RENDERER (child));
  GTK_WIDGET_GET_CLASS (gutter)->snapshot (GTK_WIDGET (gutter), nothing);
}
