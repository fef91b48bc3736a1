/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-heading-sorter.h"

#define ASKED "shardwise-asked-column"

typedef struct {
  GtkColumnView *view; /* lives longer than its columns */
  gconstpointer column;
} Heading;

static int
note_cb (gconstpointer a, gconstpointer b, gpointer data)
{
  const Heading *heading = data;

  g_object_set_data (G_OBJECT (heading->view), ASKED, (gpointer) heading->column);
  return -1;
}

/**
 * shardwise_heading_sorter_new:
 * @view: what the column is of; lives longer than the sorter
 * @column: what the column is known by
 *
 * Returns: (transfer full): a sorter for a column, which notes that it was asked
 */
GtkSorter *
shardwise_heading_sorter_new (GtkColumnView *view, gconstpointer column)
{
  Heading *heading;

  g_return_val_if_fail (GTK_IS_COLUMN_VIEW (view), NULL);

  heading = g_new (Heading, 1);
  *heading = (Heading){ view, column };
  return GTK_SORTER (gtk_custom_sorter_new (note_cb, heading, g_free));
}

/**
 * shardwise_heading_sorter_asked:
 * @view: whose columns have these sorters
 * @descending: (out): the greatest first
 *
 * Returns: (transfer none) (nullable): what the column is known by whose heading sorts; %NULL: no
 * heading sorts
 */
gconstpointer
shardwise_heading_sorter_asked (GtkColumnView *view, gboolean *descending)
{
  g_autoptr (GObject) first = NULL, second = NULL;

  g_return_val_if_fail (GTK_IS_COLUMN_VIEW (view) && descending != NULL, NULL);

  first = g_object_new (G_TYPE_OBJECT, NULL);
  second = g_object_new (G_TYPE_OBJECT, NULL);
  g_object_set_data (G_OBJECT (view), ASKED, NULL);
  *descending = gtk_sorter_compare (gtk_column_view_get_sorter (view), first, second)
                == GTK_ORDERING_LARGER;
  return g_object_get_data (G_OBJECT (view), ASKED);
}
