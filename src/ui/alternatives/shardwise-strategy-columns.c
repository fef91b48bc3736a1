/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-strategy-view.h"

#include <glib/gi18n.h>
#include "shardwise-heading-sorter.h"
#include "shardwise-line-layout.h"
#include "shardwise-pin-button.h"
#include "shardwise-row-follower.h"
#include "shardwise-format.h"
#include "shardwise-wrapped-label.h"

typedef enum { TEXT, WHOLE, GIB, SECONDS, COUNT, SHARE } Form;

/* A column: a property of ShardwiseStrategy and how it is written. */
typedef struct {
  const char *property;
  const char *title, *tooltip; /* marked with N_(); tooltip: what the abbreviation stands for, also
                                  for screen readers */
  Form form;
  ShardwiseSort sort;
  gboolean hidden; /* until it is asked for in the menu of the headings */
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
  { "schedule", N_ ("Schedule"), N_ ("Schedule of the pipeline"), TEXT, SHARDWISE_SORT_SCHEDULE,
    TRUE },
  { "offload", N_ ("Offload"), N_ ("What the host’s memory keeps"), TEXT, SHARDWISE_SORT_OFFLOAD,
    TRUE },
  { "gpus", N_ ("GPUs"), N_ ("GPUs used"), WHOLE, SHARDWISE_SORT_GPUS, TRUE },
  { "framework", N_ ("Framework"), NULL, TEXT, SHARDWISE_SORT_FRAMEWORK, TRUE },
  { "memory-gib", N_ ("Memory"), N_ ("Peak on the fullest GPU"), GIB, SHARDWISE_SORT_MEMORY },
  { "step-seconds", N_ ("Step"), N_ ("Time of a step"), SECONDS, SHARDWISE_SORT_STEP, TRUE },
  { "tokens-per-s", N_ ("Tokens/s"), N_ ("Of the whole cluster"), COUNT,
    SHARDWISE_SORT_TOKENS_PER_S },
  { "tokens-per-s-per-gpu", N_ ("Tokens/s/GPU"), N_ ("Tokens/s of each GPU used"), COUNT,
    SHARDWISE_SORT_TOKENS_PER_GPU, TRUE },
  { "mfu", N_ ("MFU"), N_ ("Model FLOPs utilisation, of the dense peak"), SHARE, SHARDWISE_SORT_MFU,
    TRUE },
  { "difference", N_ ("Difference"), N_ ("Difference to the recommended strategy"), TEXT,
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

static char *
cell_text (ShardwiseStrategy *strategy, const Column *column)
{
  g_autofree char *text = NULL;
  guint whole;
  double number;

  if (column->form == TEXT)
    {
      g_object_get (strategy, column->property, &text, NULL);
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

/* Cut where there is no room; the tooltip has all of it. */
static gboolean
is_long (const Column *column)
{
  return g_str_equal (column->property, "difference");
}

#define COLUMN "shardwise-column"

static void
setup_cell_cb (GtkSignalListItemFactory *factory, GtkListItem *item, const Column *column)
{
  const char *tooltip = column->tooltip != NULL && !is_long (column) ? _ (column->tooltip) : NULL;
  /* GTK asks the display where the pointer is for the tooltip of whatever is visible. */
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

/* Rows become others in place: what shows a row follows it while it is bound to it. */
static void
unbind_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  shardwise_row_follower_unbind (item);
}

/* What is not known yet keeps its place, empty; pin (nullable): its button has nothing to pin. */
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
  g_autofree char *text = NULL;

  if (hide_awaited (item, NULL))
    return;
  text = cell_text (gtk_list_item_get_item (item), column);
  gtk_label_set_label (GTK_LABEL (label), text);
  if (is_long (column))
    shardwise_tooltip_set (label, text);
}

static void
bind_cell_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  shardwise_row_follower_bind (item, show_cell);
}

/* The button that pins a row's strategy. By keyboard that is Ctrl+D: a list gives the focus to what
 * can take it within a row, and Enter would pin instead of select. */
static GtkWidget *
pin_new (ShardwiseComparison *comparison)
{
  GtkWidget *pin = shardwise_pin_button_new (comparison);

  gtk_widget_set_focusable (pin, FALSE);
  return pin;
}

/* Memory and speed, under the name of a strategy. Returns (transfer full) */
static char *
subtitle_of (ShardwiseStrategy *strategy)
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

/* For a screen reader the row that `child` is in says its rank, strategy, memory and speed; else it
 * would be called by its first text. Returns (transfer full): rank and strategy */
static char *
name_row (GtkWidget *child, ShardwiseStrategy *strategy)
{
  g_autofree char *summary = NULL, *subtitle = subtitle_of (strategy), *sentence = NULL;
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

/* The rank stands beside the button that pins the strategy. */

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
  shardwise_row_follower_bind (item, show_rank);
}

/* NULL: no heading sorts. */
static const Column *
asked_column (GtkColumnView *view, gboolean *descending)
{
  return shardwise_heading_sorter_asked (view, descending);
}

/**
 * shardwise_strategy_columns_get_sort:
 * @view: with the columns of shardwise_strategy_columns_append()
 * @descending: (out): the greatest first
 *
 * Returns: what the headings ask to sort by; the rank where nothing is asked for
 */
ShardwiseSort
shardwise_strategy_columns_get_sort (GtkColumnView *view, gboolean *descending)
{
  const Column *column;

  g_return_val_if_fail (GTK_IS_COLUMN_VIEW (view) && descending != NULL, SHARDWISE_SORT_RANK);

  column = asked_column (view, descending);
  return column != NULL ? column->sort : SHARDWISE_SORT_RANK;
}

static GtkListItemFactory *
factory_new (const Column *column, ShardwiseComparison *comparison)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cb), NULL);
  if (column->sort == SHARDWISE_SORT_RANK)
    {
      g_signal_connect_object (factory, "setup", G_CALLBACK (setup_rank_cb), comparison, 0);
      g_signal_connect (factory, "bind", G_CALLBACK (bind_rank_cb), NULL);
      return factory;
    }
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cell_cb), (gpointer) column);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cell_cb), NULL);
  return factory;
}

static GtkColumnViewColumn *
column_new (GtkColumnView *view, const Column *column, ShardwiseComparison *comparison)
{
  GtkColumnViewColumn *view_column = gtk_column_view_column_new (_ (column->title),
                                                                 factory_new (column, comparison));
  g_autoptr (GtkSorter) sorter = shardwise_heading_sorter_new (view, column);

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

/* Sorting without headings: for the keyboard, and for windows that have no room for a table. */

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

  asked_column (view, &descending);
  sort_by (view, g_variant_get_string (value, NULL), descending);
}

static void
descending_cb (GSimpleAction *action, GVariant *value, GtkColumnView *view)
{
  gboolean before;
  const Column *column = asked_column (view, &before);

  sort_by (view, column != NULL ? column->property : columns[0].property,
           g_variant_get_boolean (value));
}

/* The headings may have been clicked. */
static void
sorter_changed_cb (GActionMap *actions, GtkSorterChange change, GtkSorter *sorter)
{
  GtkColumnView *view = g_object_get_data (G_OBJECT (actions), "shardwise-view");
  gboolean descending;
  const Column *column = asked_column (view, &descending);

  g_simple_action_set_state (
      G_SIMPLE_ACTION (g_action_map_lookup_action (actions, "sort-by")),
      g_variant_new_string (column != NULL ? column->property : columns[0].property));
  g_simple_action_set_state (G_SIMPLE_ACTION (g_action_map_lookup_action (actions, "descending")),
                             g_variant_new_boolean (descending));
}

static void
add_sort_actions (GSimpleActionGroup *group, GtkColumnView *view)
{
  g_autoptr (GSimpleAction) by = g_simple_action_new_stateful (
      "sort-by", G_VARIANT_TYPE_STRING, g_variant_new_string (columns[0].property));
  g_autoptr (GSimpleAction) descending =
      g_simple_action_new_stateful ("descending", NULL, g_variant_new_boolean (FALSE));

  g_signal_connect_object (by, "change-state", G_CALLBACK (sort_by_cb), view, 0);
  g_signal_connect_object (descending, "change-state", G_CALLBACK (descending_cb), view, 0);
  g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (by));
  g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (descending));
  g_object_set_data (G_OBJECT (group), "shardwise-view", view);
  g_signal_connect_object (gtk_column_view_get_sorter (view), "changed",
                           G_CALLBACK (sorter_changed_cb), group, G_CONNECT_SWAPPED);
}

/**
 * shardwise_strategy_columns_actions:
 * @view: with the columns of shardwise_strategy_columns_append(); lives as long as the actions are
 * used
 *
 * Returns: (transfer full): what the menus of shardwise_strategy_columns_menu() and of the headings
 * do, to be inserted as "columns"
 */
GActionGroup *
shardwise_strategy_columns_actions (GtkColumnView *view)
{
  GSimpleActionGroup *group;

  g_return_val_if_fail (GTK_IS_COLUMN_VIEW (view), NULL);

  group = g_simple_action_group_new ();
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column =
          g_list_model_get_item (gtk_column_view_get_columns (view), i);
      g_autoptr (GPropertyAction) action = g_property_action_new (columns[i].property, column,
                                                                  "visible");

      g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (action));
    }
  add_sort_actions (group, view);
  return G_ACTION_GROUP (group);
}

/**
 * shardwise_strategy_columns_menu:
 *
 * Returns: (transfer full): by what to sort, in which order, and which columns to show
 */
GMenuModel *
shardwise_strategy_columns_menu (void)
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
  g_menu_append (order, _ ("_Greatest First"), "columns.descending");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (order));
  g_menu_append_submenu (menu, _ ("_Columns"), shown);
  return G_MENU_MODEL (menu);
}

/* Headings of figures end where the figures do. GTK has no way to ask for it: the first child of
 * the view is the row of headings, the first of a heading holds its title. They are there once the
 * view is on the screen. */
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

/**
 * shardwise_strategy_columns_append:
 * @view: an empty column view over ShardwiseStrategy
 * @comparison: what its strategies can be pinned to
 *
 * Adds a sortable column per figure; those that say the least are hidden at first.
 */
void
shardwise_strategy_columns_append (GtkColumnView *view, ShardwiseComparison *comparison)
{
  g_autoptr (GMenuModel) menu = visibility_menu ();

  g_return_if_fail (GTK_IS_COLUMN_VIEW (view) && SHARDWISE_IS_COMPARISON (comparison));

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = column_new (view, &columns[i], comparison);

      gtk_column_view_append_column (view, column);
      gtk_column_view_column_set_header_menu (column, menu);
    }
  g_signal_connect_after (view, "map", G_CALLBACK (align_headings), NULL);
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
  /* A box would ask the text for its width at the row's height, which is more than the window has
   * where the lines of a text differ in height, as Chinese with English names in it. */
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
  subtitle = subtitle_of (strategy);
  gtk_label_set_label (GTK_LABEL (gtk_widget_get_first_child (box)), unbroken);
  gtk_label_set_label (GTK_LABEL (gtk_widget_get_last_child (box)), subtitle);
  shardwise_pin_button_set_strategy (SHARDWISE_PIN_BUTTON (pin),
                                     &shardwise_strategy_get_estimate (strategy)->strategy, title);
}

static void
bind_row_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  shardwise_row_follower_bind (item, show_row);
}

/**
 * shardwise_strategy_row_factory_new:
 * @comparison: what the strategies can be pinned to
 *
 * Returns: (transfer full): makes rows of two lines, for narrow windows
 */
GtkListItemFactory *
shardwise_strategy_row_factory_new (ShardwiseComparison *comparison)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_signal_connect_object (factory, "setup", G_CALLBACK (setup_row_cb), comparison, 0);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_row_cb), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cb), NULL);
  return factory;
}
