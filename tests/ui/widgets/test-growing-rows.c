/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first rows of a model: what is told of them is what they are, whatever becomes of it. */
#include "shardwise-growing-rows.h"

#include "ui-fixture.h"

typedef struct {
  GtkStringList *strings;
  GtkSingleSelection *selection;
  ShardwiseGrowingRows *rows;
  GPtrArray *told; /* of items: what the rows are by what was told of them */
} Rows;

static void
items_changed_cb (GListModel *model, guint position, guint removed, guint added, Rows *self)
{
  g_assert_cmpuint (position + removed, <=, self->told->len);
  if (removed > 0)
    g_ptr_array_remove_range (self->told, position, removed);
  for (guint i = 0; i < added; i++)
    g_ptr_array_insert (self->told, (int) (position + i),
                        g_list_model_get_item (model, position + i));
}

static void
set_up (Rows *self, gconstpointer data)
{
  self->strings = gtk_string_list_new (NULL);
  self->selection = gtk_single_selection_new (G_LIST_MODEL (g_object_ref (self->strings)));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  self->rows = shardwise_growing_rows_new (GTK_SELECTION_MODEL (self->selection));
  self->told = g_ptr_array_new_with_free_func (g_object_unref);
  g_signal_connect (self->rows, "items-changed", G_CALLBACK (items_changed_cb), self);
}

static void
tear_down (Rows *self, gconstpointer data)
{
  g_object_unref (self->strings);
  g_object_unref (self->selection);
  g_assert_finalize_object (self->rows);
  g_ptr_array_unref (self->told);
}

static void
splice (Rows *self, guint position, guint removed, guint added)
{
  static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", NULL };

  g_assert_cmpuint (added, <, G_N_ELEMENTS (names));
  gtk_string_list_splice (self->strings, position, removed,
                          names + G_N_ELEMENTS (names) - 1 - added);
}

static void
check (Rows *self, guint most)
{
  const guint n = MIN (most, g_list_model_get_n_items (G_LIST_MODEL (self->strings)));

  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (self->rows)), ==, n);
  g_assert_cmpuint (self->told->len, ==, n);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GObject) row = g_list_model_get_item (G_LIST_MODEL (self->rows), i);
      g_autoptr (GObject) string = g_list_model_get_item (G_LIST_MODEL (self->strings), i);

      g_assert_true (row == string && row == g_ptr_array_index (self->told, i));
    }
  g_assert_null (g_list_model_get_item (G_LIST_MODEL (self->rows), n));
}

static void
test_changes (Rows *self, gconstpointer data)
{
  guint most = 0;

  for (guint i = 0; i < 2000; i++)
    {
      guint n = g_list_model_get_n_items (G_LIST_MODEL (self->strings)),
            position = (guint) g_test_rand_int_range (0, (int) n + 1),
            removed = (guint) g_test_rand_int_range (0, (int) (n - position) + 1);

      if (i % 3 == 0)
        {
          most = i % 7 == 0 ? G_MAXUINT : (guint) g_test_rand_int_range (0, 20);
          shardwise_growing_rows_set_most (self->rows, most);
          g_assert_cmpuint (shardwise_growing_rows_get_most (self->rows), ==, most);
        }
      else
        splice (self, position, removed, (guint) g_test_rand_int_range (0, 9));
      check (self, most);
    }
}

static void
count_cb (GtkSelectionModel *model, guint position, guint n, Rows *self)
{
  g_assert_cmpuint (position + n, <=, g_list_model_get_n_items (G_LIST_MODEL (model)));
}

/* What is selected stays so, whether its row is among the first or not. */
static void
test_selection (Rows *self, gconstpointer data)
{
  GtkSelectionModel *rows = GTK_SELECTION_MODEL (self->rows);
  g_autoptr (GtkBitset) selected = NULL;

  splice (self, 0, 0, 9);
  shardwise_growing_rows_set_most (self->rows, 4);
  g_signal_connect (self->rows, "selection-changed", G_CALLBACK (count_cb), self);
  g_assert_true (gtk_selection_model_select_item (rows, 2, TRUE));
  g_assert_cmpuint (gtk_single_selection_get_selected (self->selection), ==, 2);
  gtk_single_selection_set_selected (self->selection, 7);
  g_assert_false (gtk_selection_model_is_selected (rows, 2));
  shardwise_growing_rows_set_most (self->rows, 9);
  g_assert_true (gtk_selection_model_is_selected (rows, 7));
  shardwise_growing_rows_set_most (self->rows, 0);
  g_assert_cmpuint (gtk_single_selection_get_selected (self->selection), ==, 7);
  shardwise_growing_rows_set_most (self->rows, G_MAXUINT);
  g_assert_true (gtk_selection_model_unselect_item (rows, 7));
  selected = gtk_selection_model_get_selection (rows);
  g_assert_true (gtk_bitset_is_empty (selected));
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add ("/growing-rows/changes", Rows, NULL, set_up, test_changes, tear_down);
  g_test_add ("/growing-rows/selection", Rows, NULL, set_up, test_selection, tear_down);
  return g_test_run ();
}
