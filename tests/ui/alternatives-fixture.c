/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "alternatives-fixture.h"

ShardwiseCandidateList *
alternatives_list_of (GtkWidget *page)
{
  return shardwise_alternatives_page_get_list (SHARDWISE_ALTERNATIVES_PAGE (page));
}

GListModel *
alternatives_rows_of (GtkWidget *page)
{
  return G_LIST_MODEL (alternatives_list_of (page));
}

GtkColumnView *
alternatives_table_of (GtkWidget *page)
{
  return GTK_COLUMN_VIEW (ui_find (ui_child (page, "view_bin"), GTK_TYPE_COLUMN_VIEW));
}

ShardwiseStrategyView *
alternatives_view_of (GtkWidget *page)
{
  return SHARDWISE_STRATEGY_VIEW (ui_find (page, SHARDWISE_TYPE_STRATEGY_VIEW));
}

/* The first button below `widget` that says so. */
GtkWidget *
alternatives_button_of (GtkWidget *widget, const char *label)
{
  return ui_find_button (widget, label);
}

static gboolean
has_all (GtkWidget *page)
{
  return strstr (gtk_label_get_label (ui_child (page, "rejected_label")),
                 "The search tried every strategy")
             != NULL
         && !shardwise_candidate_list_is_pending (alternatives_list_of (page));
}

/* Until every strategy is listed, filtered and sorted as asked for. */
void
alternatives_wait_for_all (GtkWidget *page)
{
  wait_until (has_all (page));
}

/* Until the table has all of them, which come by and by. */
void
alternatives_wait_for_rows (GtkWidget *page)
{
  GtkColumnView *table = alternatives_table_of (page);

  wait_until (gtk_column_view_get_model (table) != NULL
              && g_list_model_get_n_items (G_LIST_MODEL (gtk_column_view_get_model (table)))
                     == g_list_model_get_n_items (alternatives_rows_of (page)));
}

SwStrategy
alternatives_strategy_at (GListModel *rows, guint position)
{
  g_autoptr (ShardwiseStrategy) strategy = g_list_model_get_item (rows, position);

  g_assert_nonnull (strategy);
  return shardwise_strategy_get_estimate (strategy)->strategy;
}

GtkWidget *
alternatives_page_with (ShardwiseAdvisor *advisor, int width, GtkWidget **window)
{
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL);

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  *window = ui_show (page, width, 700);
  alternatives_wait_for_all (page);
  return page;
}

/* Types `text` and counts the rows left. The entry itself reports a little later; the test does not
 * wait. */
guint
alternatives_rows_with (GtkWidget *page, const char *text)
{
  GtkWidget *entry = ui_find (page, GTK_TYPE_SEARCH_ENTRY);

  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  g_signal_emit_by_name (entry, "search-changed");
  alternatives_wait_for_all (page);
  return g_list_model_get_n_items (alternatives_rows_of (page));
}

ShardwiseFacetChip *
alternatives_chip_of (GtkWidget *page, guint facet)
{
  GtkWidget *chip = ui_find (page, SHARDWISE_TYPE_FACET_CHIP);

  while (shardwise_facet_chip_get_facet (SHARDWISE_FACET_CHIP (chip)) != facet)
    chip = gtk_widget_get_next_sibling (chip);
  return SHARDWISE_FACET_CHIP (chip);
}

/* The box of a value, by how its label begins. */
GtkCheckButton *
alternatives_box_of (ShardwiseFacetChip *chip, const char *value)
{
  GtkWidget *popover = GTK_WIDGET (gtk_menu_button_get_popover (
      GTK_MENU_BUTTON (gtk_widget_get_first_child (GTK_WIDGET (chip)))));
  g_autofree char *start = g_strconcat (value, " (", NULL);

  for (GtkWidget *box = ui_find (popover, GTK_TYPE_CHECK_BUTTON); box != NULL;
       box = gtk_widget_get_next_sibling (box))
    if (g_str_has_prefix (gtk_check_button_get_label (GTK_CHECK_BUTTON (box)), start))
      return GTK_CHECK_BUTTON (box);
  return NULL;
}
