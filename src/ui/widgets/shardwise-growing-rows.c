/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-growing-rows.h"

struct _ShardwiseGrowingRows {
  GObject parent_instance;
  GtkSelectionModel *model;
  GtkSliceListModel *rows; /* of the model, from its first row on */
};

static void list_model_init (GListModelInterface *iface);
static void selection_model_init (GtkSelectionModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (ShardwiseGrowingRows, shardwise_growing_rows, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init)
                                   G_IMPLEMENT_INTERFACE (GTK_TYPE_SELECTION_MODEL,
                                                          selection_model_init))

/* Model */

static GType
list_get_item_type (GListModel *list)
{
  return g_list_model_get_item_type (G_LIST_MODEL (SHARDWISE_GROWING_ROWS (list)->model));
}

static guint
list_get_n_items (GListModel *list)
{
  ShardwiseGrowingRows *self = SHARDWISE_GROWING_ROWS (list);

  return self->rows != NULL ? g_list_model_get_n_items (G_LIST_MODEL (self->rows)) : 0;
}

static gpointer
list_get_item (GListModel *list, guint position)
{
  ShardwiseGrowingRows *self = SHARDWISE_GROWING_ROWS (list);

  return self->rows != NULL ? g_list_model_get_item (G_LIST_MODEL (self->rows), position) : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = list_get_item_type;
  iface->get_n_items = list_get_n_items;
  iface->get_item = list_get_item;
}

static gboolean
selection_is_selected (GtkSelectionModel *selection, guint position)
{
  return gtk_selection_model_is_selected (SHARDWISE_GROWING_ROWS (selection)->model, position);
}

static GtkBitset *
selection_get_in_range (GtkSelectionModel *selection, guint position, guint n)
{
  return gtk_selection_model_get_selection_in_range (SHARDWISE_GROWING_ROWS (selection)->model,
                                                     position, n);
}

static gboolean
selection_select_item (GtkSelectionModel *selection, guint position, gboolean alone)
{
  return gtk_selection_model_select_item (SHARDWISE_GROWING_ROWS (selection)->model, position,
                                          alone);
}

static gboolean
selection_unselect_item (GtkSelectionModel *selection, guint position)
{
  return gtk_selection_model_unselect_item (SHARDWISE_GROWING_ROWS (selection)->model, position);
}

static void
selection_model_init (GtkSelectionModelInterface *iface)
{
  iface->is_selected = selection_is_selected;
  iface->get_selection_in_range = selection_get_in_range;
  iface->select_item = selection_select_item;
  iface->unselect_item = selection_unselect_item;
}

/* Changes */

static void
selection_changed_cb (ShardwiseGrowingRows *self, guint position, guint n)
{
  const guint shown = list_get_n_items (G_LIST_MODEL (self));

  if (position < shown)
    gtk_selection_model_selection_changed (GTK_SELECTION_MODEL (self), position,
                                           MIN (n, shown - position));
}

/**
 * shardwise_growing_rows_set_most:
 * @self: rows
 * @most: the maximum number of rows; %G_MAXUINT: all
 *
 * Adds or removes rows at the end.
 */
void
shardwise_growing_rows_set_most (ShardwiseGrowingRows *self, guint most)
{
  g_return_if_fail (SHARDWISE_IS_GROWING_ROWS (self));

  gtk_slice_list_model_set_size (self->rows, most);
}

/**
 * shardwise_growing_rows_get_most:
 *
 * Returns: the maximum number of rows
 */
guint
shardwise_growing_rows_get_most (ShardwiseGrowingRows *self)
{
  g_return_val_if_fail (SHARDWISE_IS_GROWING_ROWS (self), 0);

  return gtk_slice_list_model_get_size (self->rows);
}

/* Type */

static void
shardwise_growing_rows_dispose (GObject *object)
{
  ShardwiseGrowingRows *self = SHARDWISE_GROWING_ROWS (object);

  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  if (self->rows != NULL)
    g_signal_handlers_disconnect_by_data (self->rows, self);
  g_clear_object (&self->rows);
  g_clear_object (&self->model);
  G_OBJECT_CLASS (shardwise_growing_rows_parent_class)->dispose (object);
}

static void
shardwise_growing_rows_class_init (ShardwiseGrowingRowsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_growing_rows_dispose;
}

static void
shardwise_growing_rows_init (ShardwiseGrowingRows *self)
{}

/**
 * shardwise_growing_rows_new:
 * @model: (transfer none): the model of the rows
 *
 * Returns: (transfer full): a model without rows yet
 */
ShardwiseGrowingRows *
shardwise_growing_rows_new (GtkSelectionModel *model)
{
  ShardwiseGrowingRows *self;

  g_return_val_if_fail (GTK_IS_SELECTION_MODEL (model), NULL);

  self = g_object_new (SHARDWISE_TYPE_GROWING_ROWS, NULL);
  self->model = g_object_ref (model);
  self->rows = gtk_slice_list_model_new (g_object_ref (G_LIST_MODEL (model)), 0, 0);
  g_signal_connect_swapped (self->rows, "items-changed", G_CALLBACK (g_list_model_items_changed),
                            self);
  g_signal_connect_swapped (model, "selection-changed", G_CALLBACK (selection_changed_cb), self);
  return self;
}
