/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The price list: the price per hour of each GPU of the catalog, and the user's own prices. */
#include "shardwise-price-window.h"

#include <glib/gi18n.h>

#include "shardwise-catalogue.h"
#include "shardwise-format.h"
#include "shardwise-input-number.h"
#include "shardwise-key.h"
#include "shardwise-prices.h"

#define GPU_DATA "shardwise-gpu"

/* "H100 SXM5 80 GB · $1.49 to $4.29 (June 2026)": the price that applies if the row is empty. */
static char *
title_of (const SwGpu *gpu)
{
  g_autofree char *low = shardwise_format_price (gpu->price_per_hour_low, "USD"),
                  *high = shardwise_format_price (gpu->price_per_hour_high, "USD"),
                  *months = shardwise_format_months (gpu->price_month);

  if (gpu->price_per_hour_low <= 0)
    return g_strdup (gpu->name);
  return gpu->price_per_hour_high > gpu->price_per_hour_low
             /* Translators: the name of a GPU, two prices, when they were looked up */
             ? g_strdup_printf (_ ("%s · %s to %s (%s)"), gpu->name, low, high, months)
             /* Translators: the name of a GPU, a price, when it was looked up */
             : g_strdup_printf (_ ("%s · %s (%s)"), gpu->name, low, months);
}

static void
show_price (AdwEntryRow *row)
{
  const double price = shardwise_prices_get (g_object_get_data (G_OBJECT (row), GPU_DATA), NULL);
  g_autofree char *text = price > 0 ? shardwise_input_number_format (price, FALSE) : g_strdup ("");

  gtk_editable_set_text (GTK_EDITABLE (row), text);
}

/* An empty row removes the own price. */
static void
apply_cb (AdwEntryRow *row)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (row))));
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *month = g_date_time_format (now, "%Y-%m");
  g_autoptr (GError) error = NULL;
  double price = 0;

  if ((*text != '\0'
       && (!shardwise_input_number_parse (text, FALSE, &price) || !(price > 0)
           || price > shardwise_key_get (SHARDWISE_KEY_COST_PRICE)->maximum))
      || !shardwise_prices_set (g_object_get_data (G_OBJECT (row), GPU_DATA), price, month, &error))
    {
      gtk_widget_add_css_class (GTK_WIDGET (row), "error");
      gtk_widget_set_tooltip_text (
          GTK_WIDGET (row), error != NULL ? error->message : _ ("A price is a number above 0."));
      return;
    }
  gtk_widget_remove_css_class (GTK_WIDGET (row), "error");
  gtk_widget_set_tooltip_text (GTK_WIDGET (row), NULL);
  show_price (row);
  g_signal_emit_by_name (gtk_widget_get_root (GTK_WIDGET (row)), "activate-default");
}

static GtkWidget *
row_new (const SwGpu *gpu)
{
  GtkWidget *row = adw_entry_row_new ();
  g_autofree char *title = title_of (gpu);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_entry_row_set_show_apply_button (ADW_ENTRY_ROW (row), TRUE);
  adw_entry_row_set_input_purpose (ADW_ENTRY_ROW (row), GTK_INPUT_PURPOSE_NUMBER);
  g_object_set_data_full (G_OBJECT (row), GPU_DATA, g_strdup (gpu->id), g_free);
  show_price (ADW_ENTRY_ROW (row));
  g_signal_connect (row, "apply", G_CALLBACK (apply_cb), NULL);
  return row;
}

/**
 * shardwise_price_window_new:
 * @parent: (nullable): its parent
 * @changed: (scope forever): called with @data, swapped, after each change of a price
 * @data: a GObject; no call outlives it
 *
 * Returns: (transfer floating): the window, not yet shown
 */
GtkWidget *
shardwise_price_window_new (GtkWindow *parent, GCallback changed, gpointer data)
{
  g_autoptr (GListModel) entries = shardwise_catalogue_gpus (shardwise_catalogue_get ());
  GtkWidget *window = adw_window_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *page = adw_preferences_page_new (), *group = adw_preferences_group_new ();

  gtk_window_set_title (GTK_WINDOW (window), _ ("Prices of GPUs"));
  gtk_window_set_default_size (GTK_WINDOW (window), 560, 640);
  gtk_widget_set_size_request (window, 360, 294);
  gtk_window_set_transient_for (GTK_WINDOW (window), parent);
  gtk_window_set_modal (GTK_WINDOW (window), TRUE);
  adw_preferences_group_set_description (
      ADW_PREFERENCES_GROUP (group),
      _ ("US dollars per hour and GPU. Your own price overrides the catalog’s price here, in every "
         "scenario that does not set a price, and on the command line; clear the entry to remove "
         "it."));
  for (guint i = 0; i < g_list_model_get_n_items (entries); i++)
    {
      g_autoptr (ShardwiseCatalogueEntry) entry = g_list_model_get_item (entries, i);
      g_autofree char *id = NULL;

      g_object_get (entry, "id", &id, NULL);
      adw_preferences_group_add (
          ADW_PREFERENCES_GROUP (group),
          row_new (shardwise_catalogue_find_gpu (shardwise_catalogue_get (), id)));
    }
  adw_preferences_page_add (ADW_PREFERENCES_PAGE (page), ADW_PREFERENCES_GROUP (group));
  gtk_widget_set_vexpand (page, TRUE);
  gtk_box_append (GTK_BOX (box), adw_header_bar_new ());
  gtk_box_append (GTK_BOX (box), page);
  adw_window_set_content (ADW_WINDOW (window), box);
  g_signal_connect_object (window, "activate-default", changed, data, G_CONNECT_SWAPPED);
  return window;
}
