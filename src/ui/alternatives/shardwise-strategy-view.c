/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-strategy-view.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-compat.h"
#include "shardwise-fold.h"
#include "shardwise-growing-rows.h"
#include "shardwise-list-bin.h"
#include "shardwise-strategy-columns.h"

/* What the table needs for its eight columns, pixels: its padding, and its texts at the usual
 * size. */
#define TABLE_PADDING 440
#define TABLE_TEXTS 240
#define USUAL_DPI (96.0 * 1024)

/* Rows that a list begins with, and how many more it gets with each frame, until it has made as
 * many as it makes of any number of them. */
#define FIRST_ROWS 6
#define MORE_ROWS 5
#define MADE_ROWS 206

struct _ShardwiseStrategyView {
  GtkWidget parent_instance;
  ShardwiseCandidateList *list;
  GtkSingleSelection *selection;
  GtkWidget *bin, *fold, *wide, *narrow;
  GtkColumnView *column_view;
  GtkListView *list_view;
  ShardwiseGrowingRows *wide_rows, *narrow_rows; /* of the selection, for the one and the other */
  GActionGroup *actions;
  GMenuModel *menu;
  guint show_id;
  guint scroll_id, grow_id;
  int grown_width;              /* when it was last asked whether to add rows */
  int revealed, frames_to_pass; /* revealed: the row to scroll to */
};

G_DEFINE_FINAL_TYPE (ShardwiseStrategyView, shardwise_strategy_view, GTK_TYPE_WIDGET)

enum { ACTIVATED, CURSOR_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static gboolean
is_folded (ShardwiseStrategyView *self)
{
  return gtk_widget_get_child_visible (self->narrow);
}

/* Of a column view its first list view is the list of its rows: GTK has no way to ask for it. */
static GtkWidget *
shown_list (ShardwiseStrategyView *self)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->column_view));

  if (is_folded (self))
    return GTK_WIDGET (self->list_view);
  while (child != NULL && !GTK_IS_LIST_VIEW (child))
    child = gtk_widget_get_next_sibling (child);
  return child;
}

static ShardwiseGrowingRows *
shown_rows (ShardwiseStrategyView *self)
{
  return is_folded (self) ? self->narrow_rows : self->wide_rows;
}

static ShardwiseGrowingRows *
hidden_rows (ShardwiseStrategyView *self)
{
  return is_folded (self) ? self->wide_rows : self->narrow_rows;
}

static GtkAdjustment *
adjustment_of (GtkWidget *scroller)
{
  return gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
}

static void
set_model (ShardwiseStrategyView *self, ShardwiseGrowingRows *rows, gboolean has_rows)
{
  GtkSelectionModel *model = has_rows ? GTK_SELECTION_MODEL (rows) : NULL;

  if (rows == self->wide_rows)
    gtk_column_view_set_model (self->column_view, model);
  else
    gtk_list_view_set_model (self->list_view, model);
  if (!has_rows)
    shardwise_growing_rows_set_most (rows, 0);
}

/* While the window is resized, which takes all of a frame, no rows come but those in sight.
 * Returns: whether all are there */
static gboolean
grow (ShardwiseStrategyView *self, gboolean rests)
{
  GtkAdjustment *adjustment = adjustment_of (is_folded (self) ? self->narrow : self->wide);
  guint most = shardwise_growing_rows_get_most (shown_rows (self));

  if (most < MADE_ROWS
      && (rests
          || gtk_adjustment_get_upper (adjustment) <= gtk_adjustment_get_page_size (adjustment)))
    {
      most = most + MORE_ROWS < MADE_ROWS ? most + MORE_ROWS : G_MAXUINT;
      shardwise_growing_rows_set_most (shown_rows (self), most);
    }
  return most >= MADE_ROWS;
}

/* Nor do rows go meanwhile from the list that does not show. Returns: whether all are gone */
static gboolean
shrink (ShardwiseStrategyView *self, gboolean rests)
{
  guint most = MIN (shardwise_growing_rows_get_most (hidden_rows (self)), MADE_ROWS);

  if (most == 0 || !rests)
    return most == 0;
  most -= MIN (most, MORE_ROWS);
  shardwise_growing_rows_set_most (hidden_rows (self), most);
  if (most == 0)
    set_model (self, hidden_rows (self), FALSE);
  return most == 0;
}

static gboolean
grow_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ShardwiseStrategyView *self = SHARDWISE_STRATEGY_VIEW (widget);
  const gboolean rests = gtk_widget_get_width (widget) == self->grown_width;
  const gboolean has_grown = grow (self, rests), is_gone = shrink (self, rests);

  self->grown_width = gtk_widget_get_width (widget);
  if (!has_grown || !is_gone)
    return G_SOURCE_CONTINUE;
  self->grow_id = 0;
  return G_SOURCE_REMOVE;
}

/* For whoever goes to a row that is not there yet. */
static void
grow_at_once (ShardwiseStrategyView *self)
{
  if (self->grow_id != 0)
    shardwise_growing_rows_set_most (shown_rows (self), G_MAXUINT);
}

/* A list that was not laid out with its rows yet loses them when it is scrolled: one frame passes
 * before. */
static gboolean
scroll_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ShardwiseStrategyView *self = SHARDWISE_STRATEGY_VIEW (widget);
  GtkWidget *list = shown_list (self);

  if (shardwise_growing_rows_get_most (shown_rows (self)) <= (guint) self->revealed)
    grow_at_once (self);
  if (self->frames_to_pass-- > 0)
    return G_SOURCE_CONTINUE;
  self->scroll_id = 0;
  if (list != NULL)
    gtk_widget_activate_action (list, "list.scroll-to-item", "u", (guint) self->revealed);
  return G_SOURCE_REMOVE;
}

static void
queue_scroll (ShardwiseStrategyView *self)
{
  self->frames_to_pass = 2;
  if (self->scroll_id == 0)
    self->scroll_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), scroll_cb, NULL, NULL);
}

/* The list that shows gets the rows, the other one loses them: by and by, but for a list that is
 * scrolled, which would make other rows for those that go. */
static gboolean
show_cb (gpointer data)
{
  ShardwiseStrategyView *self = data;
  GtkAdjustment *hidden = adjustment_of (is_folded (self) ? self->wide : self->narrow);

  self->show_id = 0;
  if (shardwise_growing_rows_get_most (shown_rows (self)) == 0)
    shardwise_growing_rows_set_most (shown_rows (self), FIRST_ROWS);
  set_model (self, shown_rows (self), TRUE);
  if (gtk_adjustment_get_value (hidden) > 0)
    set_model (self, hidden_rows (self), FALSE);
  if (self->grow_id == 0)
    self->grow_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), grow_cb, NULL, NULL);
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

/* Keys go as far as the last row. */
static gboolean
key_cb (ShardwiseStrategyView *self)
{
  grow_at_once (self);
  return GDK_EVENT_PROPAGATE;
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
  return row != GTK_INVALID_LIST_POSITION ? (int) row : -1;
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
                                     row >= 0 ? (guint) row : GTK_INVALID_LIST_POSITION);
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

  adjustment = adjustment_of (is_folded (self) ? self->narrow : self->wide);
  upper = gtk_adjustment_get_upper (adjustment);
  return (guint) ceil (
      (gtk_adjustment_get_value (adjustment) + gtk_adjustment_get_page_size (adjustment))
      / MAX (upper, 1) * g_list_model_get_n_items (G_LIST_MODEL (shown_rows (self))));
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
  if (self->grow_id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->grow_id);
  self->grow_id = 0;
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->list);
  g_clear_pointer (&self->bin, gtk_widget_unparent);
  g_clear_object (&self->wide_rows);
  g_clear_object (&self->narrow_rows);
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
{}

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
      TABLE_PADDING + (int) (TABLE_TEXTS * (dpi > 0 ? dpi / USUAL_DPI : 1)));
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
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
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
  self->wide_rows = shardwise_growing_rows_new (GTK_SELECTION_MODEL (self->selection));
  self->narrow_rows = shardwise_growing_rows_new (GTK_SELECTION_MODEL (self->selection));
  build_table (self, comparison);
  build_rows (self, comparison);
  self->fold = shardwise_fold_new (self->wide, self->narrow);
  self->bin = shardwise_list_bin_new (self->fold);
  gtk_widget_set_parent (self->bin, GTK_WIDGET (self));
  connect_lists (self);
  return GTK_WIDGET (self);
}
