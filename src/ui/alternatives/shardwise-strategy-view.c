/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-strategy-view.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <math.h>

#include "shardwise-container.h"
#include "shardwise-fold.h"
#include "shardwise-growing-rows.h"
#include "shardwise-line-layout.h"
#include "shardwise-list-bin.h"
#include "shardwise-pin-button.h"
#include "shardwise-wrapped-label.h"
#include "shardwise-format.h"

struct _ShardwiseStrategyView {
  GtkWidget parent_instance;
  ShardwiseCandidateList *list;
  GtkSingleSelection *selection;
  GtkWidget *bin, *fold, *wide, *narrow;
  GtkColumnView *column_view;
  GtkListView *list_view;
  ShardwiseGrowingRows *wide_rows, *narrow_rows; /* of the selection, for the table and the list */
  GActionGroup *actions;
  GMenuModel *menu;
  guint show_id;
  guint scroll_id, grow_id;
  int grown_width;              /* of the last check for rows to add */
  int revealed, frames_to_pass; /* revealed: the row to scroll to */
  GHashTable *late;             /* set of GtkListItem with references: deferred rows */
  guint late_id;                /* until the frame after the next one; 0: no deferred rows */
  gboolean late_framed;         /* the frame with the visible rows was drawn */
};

G_DEFINE_FINAL_TYPE (ShardwiseStrategyView, shardwise_strategy_view, GTK_TYPE_WIDGET)

/* A list whose rows change in place has far more rows than are visible. Visible rows change at
 * once. The others, whose texts take as long to lay out, change in the next frame, so that they are
 * ready when the user scrolls to them. */

typedef void (*ShardwiseRowShow) (GtkListItem *item);

#define SHOW "shardwise-row-show"

static void
show (GtkListItem *item)
{
  ShardwiseRowShow function = (ShardwiseRowShow) g_object_get_data (G_OBJECT (item), SHOW);

  if (function != NULL) /* otherwise its row was released before */
    function (item);
}

static gboolean
late_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ShardwiseStrategyView *self = SHARDWISE_STRATEGY_VIEW (widget);
  g_autofree gpointer *items = NULL;
  guint n;

  if (!self->late_framed)
    {
      self->late_framed = TRUE;
      return G_SOURCE_CONTINUE;
    }
  self->late_id = 0;
  items = g_hash_table_get_keys_as_array (self->late, &n);
  g_hash_table_steal_all (self->late);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GtkListItem) item = items[i];

      show (item);
    }
  return G_SOURCE_REMOVE;
}

static void
put_off (ShardwiseStrategyView *self, GtkListItem *item)
{
  g_hash_table_add (self->late, g_object_ref (item));
  if (self->late_id != 0)
    return;
  self->late_framed = FALSE;
  self->late_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), late_cb, NULL, NULL);
}

static void
changed_cb (GtkListItem *item)
{
  GtkWidget *row = gtk_list_item_get_child (item), *list;
  graphene_rect_t place;

  while (row != NULL && !GTK_IS_LIST_VIEW (gtk_widget_get_parent (row)))
    row = gtk_widget_get_parent (row);
  list = row != NULL ? gtk_widget_get_parent (row) : NULL;
  /* A row that got a position out of sight in a visible list: no frame shows it. */
  if (list != NULL && gtk_widget_get_mapped (list) && gtk_widget_compute_bounds (row, list, &place)
      && place.size.height > 0
      && (place.origin.y + place.size.height <= 0
          || place.origin.y >= (float) gtk_widget_get_height (list)))
    put_off (SHARDWISE_STRATEGY_VIEW (gtk_widget_get_ancestor (list, SHARDWISE_TYPE_STRATEGY_VIEW)),
             item);
  else
    show (item);
}

/* @item: of a factory, bound to an object with the signal "changed" @show: shows the object in the
 * child of @item
 *
 * Shows it, and again after each "changed". */
static void
follow_row (GtkListItem *item, ShardwiseRowShow show_row)
{
  g_object_set_data (G_OBJECT (item), SHOW, (gpointer) show_row);
  g_signal_connect_swapped (gtk_list_item_get_item (item), "changed", G_CALLBACK (changed_cb),
                            item);
  show (item);
}

typedef enum { TEXT, WHOLE, GIB, SECONDS, COUNT, SHARE } Form;

/* A column: a property of ShardwiseStrategy and its format. */
typedef struct {
  const char *property;
  const char *title, *tooltip; /* marked with N_(); tooltip: the meaning of the abbreviation, also
                                  for screen readers */
  Form form;
  ShardwiseSort sort;
  gboolean hidden; /* until it is enabled in the menu of the headings */
} Column;

static const Column columns[] = {
  { "rank", N_ ("#"), N_ ("Rank by time per token"), WHOLE, SHARDWISE_SORT_RANK },
  { "summary", N_ ("Strategy"), NULL, TEXT, SHARDWISE_SORT_SUMMARY, TRUE },
  { "tp", N_ ("TP"), N_ ("Tensor parallel"), WHOLE, SHARDWISE_SORT_TP },
  { "pp", N_ ("PP"), N_ ("Pipeline parallel"), WHOLE, SHARDWISE_SORT_PP },
  { "dp", N_ ("DP"), N_ ("Data parallel"), WHOLE, SHARDWISE_SORT_DP },
  { "cp", N_ ("CP"), N_ ("Context parallel"), WHOLE, SHARDWISE_SORT_CP, TRUE },
  { "ep", N_ ("EP"), N_ ("Expert parallel"), WHOLE, SHARDWISE_SORT_EP, TRUE },
  { "vpp", N_ ("VPP"), N_ ("Virtual stages"), WHOLE, SHARDWISE_SORT_VPP, TRUE },
  { "zero", N_ ("ZeRO"), N_ ("Stage of ZeRO"), WHOLE, SHARDWISE_SORT_ZERO },
  { "micro-batch", N_ ("µ-batch"), N_ ("Micro-batch, sequences"), WHOLE, SHARDWISE_SORT_MICRO_BATCH,
    TRUE },
  { "recompute", N_ ("Recompute"), N_ ("Recomputation"), TEXT, SHARDWISE_SORT_RECOMPUTE, TRUE },
  { "schedule", N_ ("Schedule"), N_ ("Pipeline schedule"), TEXT, SHARDWISE_SORT_SCHEDULE, TRUE },
  { "offload", N_ ("Offload"), N_ ("What is kept in host memory"), TEXT, SHARDWISE_SORT_OFFLOAD,
    TRUE },
  { "gpus", N_ ("GPUs"), N_ ("GPUs used"), WHOLE, SHARDWISE_SORT_GPUS, TRUE },
  { "framework", N_ ("Framework"), NULL, TEXT, SHARDWISE_SORT_FRAMEWORK, TRUE },
  { "memory-gib", N_ ("Memory"), N_ ("Peak memory of the fullest GPU"), GIB,
    SHARDWISE_SORT_MEMORY },
  { "step-seconds", N_ ("Step"), N_ ("Time of a step"), SECONDS, SHARDWISE_SORT_STEP, TRUE },
  { "tokens-per-s", N_ ("Tokens/s"), N_ ("Of the whole cluster"), COUNT,
    SHARDWISE_SORT_TOKENS_PER_S },
  { "tokens-per-s-per-gpu", N_ ("Tokens/s/GPU"), N_ ("Tokens/s of each GPU used"), COUNT,
    SHARDWISE_SORT_TOKENS_PER_GPU, TRUE },
  { "mfu", N_ ("MFU"), N_ ("Model FLOPs utilization, relative to the dense peak"), SHARE,
    SHARDWISE_SORT_MFU, TRUE },
  { "difference", N_ ("Difference"), N_ ("Difference from the recommended strategy"), TEXT,
    SHARDWISE_SORT_DIFFERENCE },
};

static char *
write_number (double number, Form form)
{
  switch (form)
    {
    case GIB: return shardwise_format_bytes (number * SW_GIB);
    case SECONDS: return shardwise_format_seconds (number);
    case COUNT: return shardwise_format_count (number);
    case SHARE: return shardwise_format_percent (number);
    case TEXT:
    case WHOLE:
    default: return g_strdup_printf ("%.0f", number);
    }
}

/* Ellipsized if necessary; the tooltip has the whole text. */
static gboolean
is_long (const Column *column)
{
  return g_str_equal (column->property, "difference");
}

/**
 * shardwise_strategy_variants_text:
 * @strategy: a row that represents several strategies with its split
 *
 * Returns: (transfer full): "+ 11 variants"
 */
char *
shardwise_strategy_variants_text (ShardwiseStrategy *strategy)
{
  const guint n = shardwise_strategy_get_variants (strategy);

  /* Translators: how many more strategies divide the GPUs alike */
  return g_strdup_printf (ngettext ("+ %u variant", "+ %u variants", n), n);
}

static char *
cell_text (ShardwiseStrategy *strategy, const Column *column)
{
  g_autofree char *text = NULL;
  guint whole;
  double number;

  if (column->form == TEXT)
    {
      g_object_get (strategy, column->property, &text, NULL);
      if (is_long (column) && shardwise_strategy_get_variants (strategy) > 0)
        {
          g_autofree char *variants = shardwise_strategy_variants_text (strategy);

          return g_strjoin (" · ", variants, text, NULL);
        }
      return text != NULL ? g_steal_pointer (&text) : g_strdup ("");
    }
  if (column->form == WHOLE)
    {
      g_object_get (strategy, column->property, &whole, NULL);
      return g_strdup_printf ("%u", whole);
    }
  g_object_get (strategy, column->property, &number, NULL);
  return write_number (number, column->form);
}

#define COLUMN "shardwise-column"

static void
setup_cell_cb (GtkSignalListItemFactory *factory, GtkListItem *item, const Column *column)
{
  const char *tooltip = column->tooltip != NULL && !is_long (column) ? _ (column->tooltip) : NULL;
  /* For tooltips, GTK queries the display for the pointer position for every visible widget. */
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "visible", FALSE, "tooltip-text", tooltip, NULL);

  g_object_set_data (G_OBJECT (label), COLUMN, (gpointer) column);
  gtk_widget_set_visible (label, TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), column->form == TEXT ? 0 : 1);
  if (is_long (column))
    {
      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
      gtk_label_set_width_chars (GTK_LABEL (label), 14);
    }
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

/* Rows change in place: the widgets of a row follow it while they are bound to it. */
static void
unbind_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  g_object_set_data (G_OBJECT (item), SHOW, NULL);
  g_signal_handlers_disconnect_by_data (gtk_list_item_get_item (item), item);
}

/* Unknown values leave empty space; pin (nullable): its button has nothing to pin. */
static gboolean
hide_awaited (GtkListItem *item, GtkWidget *pin)
{
  gboolean is_awaited = shardwise_strategy_is_awaited (gtk_list_item_get_item (item));

  gtk_widget_set_opacity (gtk_list_item_get_child (item), is_awaited ? 0 : 1);
  if (is_awaited && pin != NULL)
    shardwise_pin_button_set_strategy (SHARDWISE_PIN_BUTTON (pin), NULL, NULL);
  return is_awaited;
}

static void
show_cell (GtkListItem *item)
{
  GtkWidget *label = gtk_list_item_get_child (item);
  const Column *column = g_object_get_data (G_OBJECT (label), COLUMN);
  ShardwiseStrategy *strategy = gtk_list_item_get_item (item);
  g_autofree char *text = NULL;

  if (hide_awaited (item, NULL))
    return;
  text = cell_text (strategy, column);
  gtk_label_set_label (GTK_LABEL (label), text);
  if (!is_long (column))
    return;
  shardwise_tooltip_set (label, text);
  /* The columns contain the differences of a split. */
  if (shardwise_strategy_get_variants (strategy) > 0)
    {
      g_autofree char *variants = shardwise_strategy_variants_text (strategy),
                      *speed = shardwise_strategy_speed_text (strategy),
                      *both = g_strjoin (" · ", variants, speed, NULL);

      if (speed != NULL)
        gtk_label_set_label (GTK_LABEL (label), both);
    }
}

static void
bind_cell_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  follow_row (item, show_cell);
}

/* The button that pins a row's strategy. Its key is Ctrl+D: a list gives the focus to a focusable
 * child of a row, and Enter would pin instead of select. */
static GtkWidget *
pin_new (ShardwiseComparison *comparison)
{
  GtkWidget *pin = shardwise_pin_button_new (comparison);

  gtk_widget_set_focusable (pin, FALSE);
  return pin;
}

/**
 * shardwise_strategy_subtitle:
 * @strategy: a row
 *
 * Returns: (transfer full): memory and speed, under the name of a strategy
 */
char *
shardwise_strategy_subtitle (ShardwiseStrategy *strategy)
{
  g_autofree char *memory = NULL, *speed = NULL, *share = NULL;
  double gib, tokens, mfu;

  g_object_get (strategy, "memory-gib", &gib, "tokens-per-s", &tokens, "mfu", &mfu, NULL);
  memory = write_number (gib, GIB);
  speed = write_number (tokens, COUNT);
  share = write_number (mfu, SHARE);
  /* Translators: memory, tokens per second, and a percentage */
  return g_strdup_printf (_ ("%s · %s tokens/s · MFU %s"), memory, speed, share);
}

/* The same text with the number of variants. Returns (transfer full) */
static char *
row_subtitle (ShardwiseStrategy *strategy)
{
  g_autofree char *variants = shardwise_strategy_get_variants (strategy) > 0
                                  ? shardwise_strategy_variants_text (strategy)
                                  : NULL,
                  *subtitle = shardwise_strategy_subtitle (strategy);

  return g_strjoin (" · ", subtitle, variants, NULL);
}

/* For a screen reader, the row around `child` has its rank, strategy, memory and speed as its name;
 * otherwise its first text would be the name. Returns (transfer full): rank and strategy */
static char *
name_row (GtkWidget *child, ShardwiseStrategy *strategy)
{
  g_autofree char *summary = NULL, *subtitle = row_subtitle (strategy), *sentence = NULL;
  char *title;
  guint rank;

  g_object_get (strategy, "summary", &summary, "rank", &rank, NULL);
  title = g_strdup_printf ("%u. %s", rank, summary);
  sentence = g_strjoin (" · ", title, subtitle, NULL);
  while (child != NULL && !GTK_IS_LIST_VIEW (gtk_widget_get_parent (child)))
    child = gtk_widget_get_parent (child);
  if (child != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence,
                                    -1);
  return title;
}

/* The rank is beside the button that pins the strategy. */

static void
setup_rank_cb (GtkSignalListItemFactory *factory, GtkListItem *item,
               ShardwiseComparison *comparison)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), pin_new (comparison));
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_item_set_child (item, box);
}

static void
show_rank (GtkListItem *item)
{
  ShardwiseStrategy *strategy = gtk_list_item_get_item (item);
  GtkWidget *box = gtk_list_item_get_child (item), *pin = gtk_widget_get_first_child (box);
  g_autofree char *text = NULL, *title = NULL;
  guint rank;

  if (hide_awaited (item, pin))
    return;
  title = name_row (box, strategy);
  g_object_get (strategy, "rank", &rank, NULL);
  text = g_strdup_printf ("%u", rank);
  gtk_label_set_label (GTK_LABEL (gtk_widget_get_last_child (box)), text);
  shardwise_pin_button_set_strategy (SHARDWISE_PIN_BUTTON (pin),
                                     &shardwise_strategy_get_estimate (strategy)->strategy, title);
}

static void
bind_rank_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  follow_row (item, show_rank);
}

/* The list sorts its rows on a worker thread; the view needs only the column and direction of the
 * heading, which GTK does not expose. So this asks the view's sorter to compare two objects. The
 * sorter of the column records that it was asked and answers that the first object is smaller. A
 * view in descending order returns the opposite. */

static const Column *asked; /* while the view's sorter compares */

static int
note_cb (gconstpointer a, gconstpointer b, gpointer column)
{
  asked = column;
  return -1;
}

/* @sorter: of a view. Returns: NULL: sorted by no heading. */
static const Column *
asked_column (GtkSorter *sorter, gboolean *descending)
{
  g_autoptr (GObject) first = g_object_new (G_TYPE_OBJECT, NULL),
                      second = g_object_new (G_TYPE_OBJECT, NULL);

  asked = NULL;
  *descending = gtk_sorter_compare (sorter, first, second) == GTK_ORDERING_LARGER;
  return asked;
}

/**
 * shardwise_strategy_columns_get_sort:
 * @view: a view with the columns of append_columns()
 * @descending: (out): whether the largest comes first
 *
 * Returns: the sort column of the headings; the rank if none is set
 */
ShardwiseSort
shardwise_strategy_columns_get_sort (GtkColumnView *view, gboolean *descending)
{
  const Column *column;

  g_return_val_if_fail (GTK_IS_COLUMN_VIEW (view) && descending != NULL, SHARDWISE_SORT_RANK);

  column = asked_column (gtk_column_view_get_sorter (view), descending);
  return column != NULL ? column->sort : SHARDWISE_SORT_RANK;
}

static GtkColumnViewColumn *
column_new (const Column *column, ShardwiseComparison *comparison)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *view_column = gtk_column_view_column_new (_ (column->title), factory);
  g_autoptr (GtkSorter) sorter =
      GTK_SORTER (gtk_custom_sorter_new (note_cb, (gpointer) column, NULL));

  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cb), NULL);
  if (column->sort == SHARDWISE_SORT_RANK)
    {
      g_signal_connect_object (factory, "setup", G_CALLBACK (setup_rank_cb), comparison, 0);
      g_signal_connect (factory, "bind", G_CALLBACK (bind_rank_cb), NULL);
    }
  else
    {
      g_signal_connect (factory, "setup", G_CALLBACK (setup_cell_cb), (gpointer) column);
      g_signal_connect (factory, "bind", G_CALLBACK (bind_cell_cb), NULL);
    }
  gtk_column_view_column_set_sorter (view_column, sorter);
  gtk_column_view_column_set_visible (view_column, !column->hidden);
  gtk_column_view_column_set_resizable (view_column, TRUE);
  gtk_column_view_column_set_expand (view_column, is_long (column));
  return view_column;
}

static const char *
menu_title (const Column *column)
{
  return column->tooltip != NULL ? _ (column->tooltip) : _ (column->title);
}

/* The menu of every heading shows and hides columns. */
static GMenuModel *
visibility_menu (void)
{
  GMenu *menu = g_menu_new ();

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_autofree char *name = g_strconcat ("columns.", columns[i].property, NULL);

      g_menu_append (menu, menu_title (&columns[i]), name);
    }
  return G_MENU_MODEL (menu);
}

/* Sorting without headings: for the keyboard, and for windows that are too narrow for a table. */

static void
sort_by (GtkColumnView *view, const char *property, gboolean descending)
{
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    if (g_str_equal (columns[i].property, property))
      {
        g_autoptr (GtkColumnViewColumn) column =
            g_list_model_get_item (gtk_column_view_get_columns (view), i);

        gtk_column_view_sort_by_column (view, column,
                                        descending ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING);
      }
}

static void
sort_by_cb (GSimpleAction *action, GVariant *value, GtkColumnView *view)
{
  gboolean descending;

  asked_column (gtk_column_view_get_sorter (view), &descending);
  sort_by (view, g_variant_get_string (value, NULL), descending);
}

static void
descending_cb (GSimpleAction *action, GVariant *value, GtkColumnView *view)
{
  gboolean before;
  const Column *column = asked_column (gtk_column_view_get_sorter (view), &before);

  sort_by (view, column != NULL ? column->property : columns[0].property,
           g_variant_get_boolean (value));
}

/* The user may have clicked the headings. */
static void
sorter_changed_cb (GActionMap *actions, GtkSorterChange change, GtkSorter *sorter)
{
  gboolean descending;
  const Column *column = asked_column (sorter, &descending);

  g_simple_action_set_state (
      G_SIMPLE_ACTION (g_action_map_lookup_action (actions, "sort-by")),
      g_variant_new_string (column != NULL ? column->property : columns[0].property));
  g_simple_action_set_state (G_SIMPLE_ACTION (g_action_map_lookup_action (actions, "descending")),
                             g_variant_new_boolean (descending));
}

/* @view: with the columns of append_columns(); lives as long as the actions are
 * used
 *
 * Returns: (transfer full): what the menus of column_menu_new() and of the headings
 * do, to be inserted as "columns"
 */
static GActionGroup *
column_actions_new (GtkColumnView *view)
{
  GSimpleActionGroup *group;

  group = g_simple_action_group_new ();
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column =
          g_list_model_get_item (gtk_column_view_get_columns (view), i);
      g_autoptr (GPropertyAction) action = g_property_action_new (columns[i].property, column,
                                                                  "visible");

      g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (action));
    }

  g_autoptr (GSimpleAction) by = g_simple_action_new_stateful (
      "sort-by", G_VARIANT_TYPE_STRING, g_variant_new_string (columns[0].property));
  g_autoptr (GSimpleAction) descending =
      g_simple_action_new_stateful ("descending", NULL, g_variant_new_boolean (FALSE));

  g_signal_connect_object (by, "change-state", G_CALLBACK (sort_by_cb), view, 0);
  g_signal_connect_object (descending, "change-state", G_CALLBACK (descending_cb), view, 0);
  g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (by));
  g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (descending));
  g_signal_connect_object (gtk_column_view_get_sorter (view), "changed",
                           G_CALLBACK (sorter_changed_cb), group, G_CONNECT_SWAPPED);
  return G_ACTION_GROUP (group);
}

/* Returns: (transfer full): the sort column, the direction, and the columns to show */
static GMenuModel *
column_menu_new (void)
{
  g_autoptr (GMenu) by = g_menu_new (), order = g_menu_new ();
  g_autoptr (GMenuModel) shown = visibility_menu ();
  GMenu *menu = g_menu_new ();

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (menu_title (&columns[i]), NULL);

      g_menu_item_set_action_and_target (item, "columns.sort-by", "s", columns[i].property);
      g_menu_append_item (by, item);
    }
  g_menu_append_submenu (menu, _ ("Sort _By"), G_MENU_MODEL (by));
  g_menu_append (order, _ ("_Largest First"), "columns.descending");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (order));
  g_menu_append_submenu (menu, _ ("_Columns"), shown);
  return G_MENU_MODEL (menu);
}

/* Headings of figures are right-aligned like the figures. GTK has no API for this: the first child
 * of the view is the row of headings, and the first child of a heading is its title. They exist
 * once the view is on the screen. */
static void
align_headings (GtkColumnView *view)
{
  GtkWidget *headings = gtk_widget_get_first_child (GTK_WIDGET (view));
  GtkWidget *heading = headings != NULL ? gtk_widget_get_first_child (headings) : NULL;

  for (guint i = 0; i < G_N_ELEMENTS (columns) && heading != NULL; i++)
    {
      GtkWidget *title = gtk_widget_get_first_child (heading);

      if (title != NULL && columns[i].form != TEXT)
        gtk_widget_set_halign (title, GTK_ALIGN_END);
      heading = gtk_widget_get_next_sibling (heading);
    }
}

static GtkWidget *
row_label_new (const char *css_class)
{
  GtkWidget *label = shardwise_wrapped_label_new (NULL, css_class);

  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (label, "numeric");
  return label;
}

static void
setup_row_cb (GtkSignalListItemFactory *factory, GtkListItem *item, ShardwiseComparison *comparison)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6),
            *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  GtkWidget *subtitle = row_label_new ("caption");

  gtk_widget_add_css_class (subtitle, "dim-label");
  gtk_widget_set_margin_top (row, 6);
  gtk_widget_set_margin_bottom (row, 6);
  gtk_widget_set_margin_start (row, 12);
  gtk_widget_set_margin_end (row, 12);
  gtk_widget_set_hexpand (box, TRUE);
  gtk_box_append (GTK_BOX (box), row_label_new (NULL));
  gtk_box_append (GTK_BOX (box), subtitle);
  gtk_box_append (GTK_BOX (row), box);
  gtk_box_append (GTK_BOX (row), pin_new (comparison));
  /* A box would request the text's width for the row's height, which is more than the width of the
   * window if the lines of a text have different heights, such as Chinese with English names. */
  gtk_widget_set_layout_manager (row, shardwise_line_layout_new (6, FALSE));
  gtk_list_item_set_child (item, row);
}

static void
show_row (GtkListItem *item)
{
  ShardwiseStrategy *strategy = gtk_list_item_get_item (item);
  GtkWidget *row = gtk_list_item_get_child (item), *box = gtk_widget_get_first_child (row),
            *pin = gtk_widget_get_last_child (row);
  g_autofree char *title = NULL, *unbroken = NULL, *subtitle = NULL;

  if (hide_awaited (item, pin))
    return;
  title = name_row (row, strategy);
  unbroken = shardwise_format_unbroken (title);
  subtitle = row_subtitle (strategy);
  gtk_label_set_label (GTK_LABEL (gtk_widget_get_first_child (box)), unbroken);
  gtk_label_set_label (GTK_LABEL (gtk_widget_get_last_child (box)), subtitle);
  shardwise_pin_button_set_strategy (SHARDWISE_PIN_BUTTON (pin),
                                     &shardwise_strategy_get_estimate (strategy)->strategy, title);
}

static void
bind_row_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  follow_row (item, show_row);
}

/* The minimum width of the table for its eight columns, pixels: its padding, and its texts at the
 * usual size. */
#define TABLE_PADDING 440
#define TABLE_TEXTS 240
#define USUAL_DPI (96.0 * 1024)

/* Number of rows at first, and of rows added with each frame, until the list has made as many as it
 * makes for a list of any length. */
#define FIRST_ROWS 6
#define MORE_ROWS 5
#define MADE_ROWS 206

enum { ACTIVATED, CURSOR_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static gboolean
is_folded (ShardwiseStrategyView *self)
{
  return gtk_widget_get_child_visible (self->narrow);
}

/* The first list view in a column view is the list of its rows: GTK has no API for it. */
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

/* During a resize of the window, which takes a whole frame, only visible rows are added. Returns:
 * whether all rows exist */
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

/* Rows of the hidden list are not removed either during a resize. Returns: whether all are
 * removed */
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

/* For callers that go to a row that does not exist yet. */
static void
grow_at_once (ShardwiseStrategyView *self)
{
  if (self->grow_id != 0)
    shardwise_growing_rows_set_most (shown_rows (self), G_MAXUINT);
}

/* A list that was not laid out with its rows yet drops them when it is scrolled: one frame passes
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

/* The visible list gets the rows, and the other one loses them. Both happen step by step, except in
 * a scrolled list, which would otherwise create new rows for the removed ones. */
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

/* The visible list is known only after sizes are allocated. A list that receives rows may need
 * another size, so it is not known then. */
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

/* Keys stop at the last row. */
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

  if (self->list == NULL) /* the table removes its columns */
    return;
  sort = shardwise_strategy_columns_get_sort (self->column_view, &descending);
  shardwise_candidate_list_set_sort (self->list, sort, descending);
}

/**
 * shardwise_strategy_view_get_cursor:
 *
 * Returns: the selected row; -1: none
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
 * Selects only this row.
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
  self->frames_to_pass = 2;
  if (self->scroll_id == 0)
    self->scroll_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), scroll_cb, NULL, NULL);
}

/**
 * shardwise_strategy_view_count_rows:
 *
 * Returns: the approximate number of rows down to the last visible one
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
 * Returns: (transfer none): the actions of the menu, to be inserted as "columns" above it
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
 * Returns: (transfer none): the sort column and the columns to show
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
  if (self->late_id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->late_id);
  self->late_id = 0;
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->list);
  g_clear_pointer (&self->bin, gtk_widget_unparent);
  g_clear_pointer (&self->late, g_hash_table_unref);
  g_clear_object (&self->wide_rows);
  g_clear_object (&self->narrow_rows);
  g_clear_object (&self->selection);
  g_clear_object (&self->actions);
  if (self->menu != NULL)
    shardwise_menu_empty (G_MENU (self->menu));
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
  self->late = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
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

/* With large text the table requests more before it replaces the rows. */
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
 * @list: the list to show
 * @comparison: the comparison for pinned strategies
 *
 * Returns: (transfer floating): a view, which sorts @list by its headings and its menu
 */
GtkWidget *
shardwise_strategy_view_new (ShardwiseCandidateList *list, ShardwiseComparison *comparison)
{
  GtkListItemFactory *factory;
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
  self->column_view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_column_view_set_show_row_separators (self->column_view, TRUE);
  gtk_column_view_set_reorderable (self->column_view, FALSE);

  /* One sortable column per figure; the least useful ones are hidden at first. */
  g_autoptr (GMenuModel) menu = visibility_menu ();

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = column_new (&columns[i], comparison);

      gtk_column_view_append_column (self->column_view, column);
      gtk_column_view_column_set_header_menu (column, menu);
    }
  g_signal_connect_after (self->column_view, "map", G_CALLBACK (align_headings), NULL);
  self->actions = column_actions_new (self->column_view);
  gtk_widget_insert_action_group (GTK_WIDGET (self->column_view), "columns", self->actions);
  self->menu = column_menu_new ();
  self->wide = scroller_new (GTK_WIDGET (self->column_view), GTK_POLICY_AUTOMATIC);
  size_table (self);
  g_signal_connect_object (gtk_widget_get_settings (GTK_WIDGET (self)), "notify::gtk-xft-dpi",
                           G_CALLBACK (size_table), self, G_CONNECT_SWAPPED);
  factory = gtk_signal_list_item_factory_new (); /* for rows of two lines, in narrow windows */
  g_signal_connect_object (factory, "setup", G_CALLBACK (setup_row_cb), comparison, 0);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_row_cb), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cb), NULL);
  self->list_view = GTK_LIST_VIEW (gtk_list_view_new (NULL, factory));
  gtk_list_view_set_show_separators (self->list_view, TRUE);
  gtk_list_view_set_single_click_activate (self->list_view, TRUE);
  self->narrow = scroller_new (GTK_WIDGET (self->list_view), GTK_POLICY_NEVER);
  self->fold = shardwise_fold_new (self->wide, self->narrow);
  self->bin = shardwise_list_bin_new (self->fold);
  gtk_widget_set_parent (self->bin, GTK_WIDGET (self));
  connect_lists (self);
  return GTK_WIDGET (self);
}
