/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-chart-texts.h"

#define TEXTS "shardwise-chart-texts"

/* Of PangoLayout, by what it is made of: of this drawing and of the one before. */
typedef struct {
  GHashTable *now, *before;
} Texts;

static GHashTable *
new_table (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
}

static void
texts_free (gpointer data)
{
  Texts *self = data;

  g_hash_table_unref (self->now);
  g_hash_table_unref (self->before);
  g_free (self);
}

static Texts *
texts_of (GtkWidget *chart)
{
  Texts *self = g_object_get_data (G_OBJECT (chart), TEXTS);

  if (self == NULL)
    {
      self = g_new0 (Texts, 1);
      self->now = new_table ();
      self->before = new_table ();
      g_object_set_data_full (G_OBJECT (chart), TEXTS, self, texts_free);
    }
  return self;
}

/**
 * shardwise_chart_texts_begin:
 * @chart: a chart
 *
 * A drawing begins: what the last one did not write is dropped.
 */
void
shardwise_chart_texts_begin (GtkWidget *chart)
{
  Texts *self = texts_of (chart);

  g_hash_table_unref (self->before);
  self->before = self->now;
  self->now = new_table ();
}

/**
 * shardwise_chart_texts_get:
 * @chart: a chart, whose font is used
 * @text: one line
 * @scale: of the font's size
 * @bold: emphasised
 *
 * Returns: (transfer none): a layout that is not to be changed, until the drawing after the next;
 *   of the font that holds when it is used
 */
PangoLayout *
shardwise_chart_texts_get (GtkWidget *chart, const char *text, double scale, gboolean bold)
{
  Texts *self = texts_of (chart);
  g_autofree char *key = g_strdup_printf ("%d %g %s", bold, scale, text);
  PangoLayout *layout = g_hash_table_lookup (self->now, key);

  if (layout != NULL)
    return layout;
  layout = g_hash_table_lookup (self->before, key);
  layout = layout != NULL ? g_object_ref (layout)
                          : shardwise_chart_texts_make (chart, text, scale, bold);
  g_hash_table_insert (self->now, g_steal_pointer (&key), layout);
  return layout;
}

/**
 * shardwise_chart_texts_make:
 * @chart: a chart, whose font is used
 * @text: one line
 * @scale: of the font's size
 * @bold: emphasised
 *
 * Returns: (transfer full): a layout of one's own, with tabular figures
 */
PangoLayout *
shardwise_chart_texts_make (GtkWidget *chart, const char *text, double scale, gboolean bold)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (chart, text);
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

  pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
  pango_attr_list_insert (attributes, pango_attr_scale_new (scale));
  if (bold)
    pango_attr_list_insert (attributes, pango_attr_weight_new (PANGO_WEIGHT_BOLD));
  pango_layout_set_attributes (layout, attributes);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  return layout;
}
