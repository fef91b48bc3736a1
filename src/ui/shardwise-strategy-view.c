/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-strategy-view.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-compat.h"
#include "shardwise-fold.h"
#include "shardwise-list-bin.h"
#include "shardwise-strategy-columns.h"

/* What the table needs for its eight columns, pixels: its padding, and its texts at the usual
 * size. */
#define TABLE_PADDING 440
#define TABLE_TEXTS 240
#define USUAL_DPI (96.0 * 1024)

struct _ShardwiseStrategyView
{
  GtkWidget parent_instance;
  ShardwiseCandidateList *list;
  GtkSingleSelection *selection;
  GtkWidget *bin, *fold, *wide, *narrow;
  GtkColumnView *column_view;
  GtkListView *list_view;
  GActionGroup *actions;
  GMenuModel *menu;
  guint show_id;
  guint scroll_id;
  int revealed, frames_to_pass; /* revealed: the row to scroll to */
};

G_DEFINE_FINAL_TYPE (ShardwiseStrategyView, shardwise_strategy_view, GTK_TYPE_WIDGET)

enum
{
  ACTIVATED,
  CURSOR_CHANGED,
  N_SIGNALS
};
static guint signals[N_SIGNALS];

/* Of a column view its first list view is the list of its rows: GTK has no way to ask for it. */
static GtkWidget *
shown_list (ShardwiseStrategyView *self)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->column_view));

  if (gtk_widget_get_child_visible (self->narrow))
    return GTK_WIDGET (self->list_view);
  while (child != NULL && !GTK_IS_LIST_VIEW (child))
    child = gtk_widget_get_next_sibling (child);
  return child;
}

/* A list that was not laid out with its rows yet loses them when it is scrolled: one frame passes
 * before. */
static gboolean
scroll_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ShardwiseStrategyView *self = SHARDWISE_STRATEGY_VIEW (widget);
  GtkWidget *list = shown_list (self);

  if (self->frames_to_pass-- > 0)
    return G_SOURCE_CONTINUE;
  self->scroll_id = 0;
  if (list != NULL)
    gtk_widget_activate_action (list, "list.scroll-to-item", "u", (guint)self->revealed);
  return G_SOURCE_REMOVE;
}

static void
queue_scroll (ShardwiseStrategyView *self)
{
  self->frames_to_pass = 2;
  if (self->scroll_id == 0)
    self->scroll_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), scroll_cb, NULL, NULL);
}

static gboolean
show_cb (gpointer data)
{
  ShardwiseStrategyView *self = data;
  gboolean folded = gtk_widget_get_child_visible (self->narrow);
  GtkSelectionModel *model = GTK_SELECTION_MODEL (self->selection);

  self->show_id = 0;
  gtk_column_view_set_model (self->column_view, folded ? NULL : model);
  gtk_list_view_set_model (self->list_view, folded ? model : NULL);
  return G_SOURCE_REMOVE;
}

/* Which list shows is known once sizes were given out; not then, for a list that gets rows wants
 * another one. */
static void
queue_show (ShardwiseStrategyView *self)
{
  if (self->show_id == 0)
    self->show_id = g_idle_add_full (G_PRIORITY_HIGH_IDLE, show_cb, self, NULL);
}

static void
activate_cb (ShardwiseStrategyView *self, guint position)
{
  g_signal_emit (self, signals[ACTIVATED], 0, position);
}

static void
cursor_cb (ShardwiseStrategyView *self)
{
  g_signal_emit (self, signals[CURSOR_CHANGED], 0);
}

static void
sort_changed_cb (ShardwiseStrategyView *self)
{
  gboolean descending;
  ShardwiseSort sort;

  if (self->list == NULL) /* the table takes its columns down */
    return;
  sort = shardwise_strategy_columns_get_sort (self->column_view, &descending);
  shardwise_candidate_list_set_sort (self->list, sort, descending);
}

/**
 * shardwise_strategy_view_get_cursor:
 *
 * Returns: the row that is selected; -1: none
 */
int
shardwise_strategy_view_get_cursor (ShardwiseStrategyView *self)
{
  guint row;

  g_return_val_if_fail (SHARDWISE_IS_STRATEGY_VIEW (self), -1);

  row = gtk_single_selection_get_selected (self->selection);
  return row != GTK_INVALID_LIST_POSITION ? (int)row : -1;
}

/**
 * shardwise_strategy_view_reveal:
 * @row: a row of the list; -1: none
 * @scrolls: whether to scroll to it too, once the list is on the screen
 *
 * Selects a row, and no other one.
 */
void
shardwise_strategy_view_reveal (ShardwiseStrategyView *self, int row, gboolean scrolls)
{
  g_return_if_fail (SHARDWISE_IS_STRATEGY_VIEW (self) && row >= -1);

  gtk_single_selection_set_selected (self->selection,
                                     row >= 0 ? (guint)row : GTK_INVALID_LIST_POSITION);
  if (!scrolls || row < 0)
    return;
  self->revealed = row;
  queue_scroll (self);
}

/**
 * shardwise_strategy_view_count_rows:
 *
 * Returns: about how many rows there are down to the last one in sight, all above it included
 */
guint
shardwise_strategy_view_count_rows (ShardwiseStrategyView *self)
{
  GtkAdjustment *adjustment;
  double upper;

  g_return_val_if_fail (SHARDWISE_IS_STRATEGY_VIEW (self), 0);

  adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (
      gtk_widget_get_child_visible (self->narrow) ? self->narrow : self->wide));
  upper = gtk_adjustment_get_upper (adjustment);
  return (guint)ceil (
      (gtk_adjustment_get_value (adjustment) + gtk_adjustment_get_page_size (adjustment))
      / MAX (upper, 1) * g_list_model_get_n_items (G_LIST_MODEL (self->list)));
}

/**
 * shardwise_strategy_view_get_actions:
 *
 * Returns: (transfer none): what the menu does, to be inserted as "columns" above it
 */
GActionGroup *
shardwise_strategy_view_get_actions (ShardwiseStrategyView *self)
{
  g_return_val_if_fail (SHARDWISE_IS_STRATEGY_VIEW (self), NULL);

  return self->actions;
}

/**
 * shardwise_strategy_view_get_menu:
 *
 * Returns: (transfer none): by what to sort, and which columns to show
 */
GMenuModel *
shardwise_strategy_view_get_menu (ShardwiseStrategyView *self)
{
  g_return_val_if_fail (SHARDWISE_IS_STRATEGY_VIEW (self), NULL);

  return self->menu;
}

/* Type */

static void
shardwise_strategy_view_dispose (GObject *object)
{
  ShardwiseStrategyView *self = SHARDWISE_STRATEGY_VIEW (object);

  g_clear_handle_id (&self->show_id, g_source_remove);
  if (self->scroll_id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->scroll_id);
  self->scroll_id = 0;
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->list);
  g_clear_pointer (&self->bin, gtk_widget_unparent);
  g_clear_object (&self->selection);
  g_clear_object (&self->actions);
  if (self->menu != NULL)
    shardwise_compat_empty_menu (G_MENU (self->menu));
  g_clear_object (&self->menu);
  G_OBJECT_CLASS (shardwise_strategy_view_parent_class)->dispose (object);
}

static void
shardwise_strategy_view_class_init (ShardwiseStrategyViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_strategy_view_dispose;
  signals[ACTIVATED] = g_signal_new ("activated", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[CURSOR_CHANGED] = g_signal_new ("cursor-changed", G_TYPE_FROM_CLASS (klass),
                                          G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
shardwise_strategy_view_init (ShardwiseStrategyView *self)
{
}

static GtkWidget *
scroller_new (GtkWidget *list, GtkPolicyType across)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), across, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), list);
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Strategies that fit"), -1);
  return scroller;
}

/* With large text the table asks for more before it takes the place of the rows. */
static void
size_table (ShardwiseStrategyView *self)
{
  int dpi;

  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-xft-dpi", &dpi, NULL);
  gtk_scrolled_window_set_min_content_width (
      GTK_SCROLLED_WINDOW (self->wide),
      TABLE_PADDING + (int)(TABLE_TEXTS * (dpi > 0 ? dpi / USUAL_DPI : 1)));
}

static void
build_table (ShardwiseStrategyView *self, ShardwiseComparison *comparison)
{
  self->column_view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_column_view_set_show_row_separators (self->column_view, TRUE);
  gtk_column_view_set_reorderable (self->column_view, FALSE);
  shardwise_strategy_columns_append (self->column_view, comparison);
  self->actions = shardwise_strategy_columns_actions (self->column_view);
  gtk_widget_insert_action_group (GTK_WIDGET (self->column_view), "columns", self->actions);
  self->menu = shardwise_strategy_columns_menu ();
  self->wide = scroller_new (GTK_WIDGET (self->column_view), GTK_POLICY_AUTOMATIC);
  size_table (self);
  g_signal_connect_object (gtk_widget_get_settings (GTK_WIDGET (self)), "notify::gtk-xft-dpi",
                           G_CALLBACK (size_table), self, G_CONNECT_SWAPPED);
}

static void
build_rows (ShardwiseStrategyView *self, ShardwiseComparison *comparison)
{
  self->list_view =
      GTK_LIST_VIEW (gtk_list_view_new (NULL, shardwise_strategy_row_factory_new (comparison)));
  gtk_list_view_set_show_separators (self->list_view, TRUE);
  gtk_list_view_set_single_click_activate (self->list_view, TRUE);
  self->narrow = scroller_new (GTK_WIDGET (self->list_view), GTK_POLICY_NEVER);
}

static void
connect_lists (ShardwiseStrategyView *self)
{
  GtkWidget *lists[] = { self->wide, self->narrow };

  g_signal_connect_swapped (self->selection, "notify::selected", G_CALLBACK (cursor_cb), self);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      g_signal_connect_object (lists[i], "map", G_CALLBACK (queue_show), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (lists[i], "unmap", G_CALLBACK (queue_show), self, G_CONNECT_SWAPPED);
    }
  g_signal_connect_object (self->column_view, "activate", G_CALLBACK (activate_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->list_view, "activate", G_CALLBACK (activate_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_column_view_get_sorter (self->column_view), "changed",
                           G_CALLBACK (sort_changed_cb), self, G_CONNECT_SWAPPED);
}

/**
 * shardwise_strategy_view_new:
 * @list: what to show
 * @comparison: what its strategies can be pinned to
 *
 * Returns: (transfer floating): a view, which sorts @list as its headings and its menu are asked to
 */
GtkWidget *
shardwise_strategy_view_new (ShardwiseCandidateList *list, ShardwiseComparison *comparison)
{
  ShardwiseStrategyView *self;

  g_return_val_if_fail (SHARDWISE_IS_CANDIDATE_LIST (list) && SHARDWISE_IS_COMPARISON (comparison),
                        NULL);

  self = g_object_new (SHARDWISE_TYPE_STRATEGY_VIEW, NULL);
  self->list = g_object_ref (list);
  self->selection = gtk_single_selection_new (G_LIST_MODEL (g_object_ref (list)));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  build_table (self, comparison);
  build_rows (self, comparison);
  self->fold = shardwise_fold_new (self->wide, self->narrow);
  self->bin = shardwise_list_bin_new (self->fold);
  gtk_widget_set_parent (self->bin, GTK_WIDGET (self));
  connect_lists (self);
  return GTK_WIDGET (self);
}
