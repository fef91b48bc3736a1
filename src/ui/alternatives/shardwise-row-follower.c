/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-row-follower.h"

#define SHOW "shardwise-row-show"
#define LATER "shardwise-rows-later"

/* Of a list: what is put off until the frame after the next one. */
typedef struct {
  GHashTable *items; /* set of GtkListItem, held */
  guint tick_id;     /* 0: nothing is put off */
  gboolean framed;   /* the frame with the rows in sight is made */
} Later;

static void
later_free (gpointer data)
{
  Later *later = data;

  g_hash_table_unref (later->items);
  g_free (later);
}

static Later *
later_of (GtkWidget *list)
{
  Later *later = g_object_get_data (G_OBJECT (list), LATER);

  if (later == NULL)
    {
      later = g_new0 (Later, 1);
      later->items = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
      g_object_set_data_full (G_OBJECT (list), LATER, later, later_free);
    }
  return later;
}

static void
show (GtkListItem *item)
{
  ShardwiseRowShow function = (ShardwiseRowShow) g_object_get_data (G_OBJECT (item), SHOW);

  if (function != NULL) /* else its row was let go of meanwhile */
    function (item);
}

static gboolean
later_cb (GtkWidget *list, GdkFrameClock *clock, gpointer data)
{
  Later *later = data;
  g_autofree gpointer *items = NULL;
  guint n;

  if (!later->framed)
    {
      later->framed = TRUE;
      return G_SOURCE_CONTINUE;
    }
  later->tick_id = 0;
  items = g_hash_table_get_keys_as_array (later->items, &n);
  g_hash_table_steal_all (later->items);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GtkListItem) item = items[i];

      show (item);
    }
  return G_SOURCE_REMOVE;
}

static void
put_off (GtkWidget *list, GtkListItem *item)
{
  Later *later = later_of (list);

  g_hash_table_add (later->items, g_object_ref (item));
  if (later->tick_id != 0)
    return;
  later->framed = FALSE;
  later->tick_id = gtk_widget_add_tick_callback (list, later_cb, later, NULL);
}

/* Of a list that is seen, a row that was given a place out of sight: no frame shows it. */
static gboolean
is_out_of_sight (GtkWidget *row, GtkWidget *list)
{
  graphene_rect_t place;

  return gtk_widget_get_mapped (list) && gtk_widget_compute_bounds (row, list, &place)
         && place.size.height > 0
         && (place.origin.y + place.size.height <= 0
             || place.origin.y >= (float) gtk_widget_get_height (list));
}

static void
changed_cb (GtkListItem *item)
{
  GtkWidget *row = gtk_list_item_get_child (item), *list;

  while (row != NULL && !GTK_IS_LIST_VIEW (gtk_widget_get_parent (row)))
    row = gtk_widget_get_parent (row);
  list = row != NULL ? gtk_widget_get_parent (row) : NULL;
  if (list != NULL && is_out_of_sight (row, list))
    put_off (list, item);
  else
    show (item);
}

/**
 * shardwise_row_follower_bind:
 * @item: of a factory, bound to an object that tells by "changed" that it is another one
 * @show: shows the object in the child of @item
 *
 * Shows it, and again whenever it is another one.
 */
void
shardwise_row_follower_bind (GtkListItem *item, ShardwiseRowShow show_row)
{
  g_return_if_fail (GTK_IS_LIST_ITEM (item) && show_row != NULL);

  g_object_set_data (G_OBJECT (item), SHOW, (gpointer) show_row);
  g_signal_connect_swapped (gtk_list_item_get_item (item), "changed", G_CALLBACK (changed_cb),
                            item);
  show (item);
}

/**
 * shardwise_row_follower_unbind:
 * @item: of shardwise_row_follower_bind()
 *
 * Lets go of the object.
 */
void
shardwise_row_follower_unbind (GtkListItem *item)
{
  g_return_if_fail (GTK_IS_LIST_ITEM (item));

  g_object_set_data (G_OBJECT (item), SHOW, NULL);
  g_signal_handlers_disconnect_by_data (gtk_list_item_get_item (item), item);
}
