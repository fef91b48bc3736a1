/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's own prices of GPU-hours in USD, which override the catalog's everywhere. */
#include "shardwise-prices.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-catalogue-read.h"
#include "shardwise-config.h"
#include "shardwise-error.h"
#include "shardwise-file.h"
#include "shardwise-json.h"
#include "shardwise-key.h"

typedef struct {
  double price;
  char date[24];
} Price;

static GMutex mutex; /* of both; scenarios are resolved on threads */
static GHashTable *prices;
static GFile *kept_in;

static gboolean
read_prices (JsonObject *root, GHashTable *out, GError **error)
{
  const ShardwiseKey *key = shardwise_key_get (SHARDWISE_KEY_COST_PRICE);
  JsonObjectIter iter;
  const char *gpu;
  JsonNode *node;

  json_object_iter_init (&iter, root);
  while (json_object_iter_next (&iter, &gpu, &node))
    {
      JsonObject *record = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
      const char *date = record != NULL ? shardwise_json_text (record, "date") : NULL;
      Price *price = g_new0 (Price, 1);

      g_hash_table_insert (out, g_strdup (gpu), price);
      price->price = record != NULL ? shardwise_json_number (record, "price", 0) : 0;
      g_strlcpy (price->date, date != NULL ? date : "", sizeof price->date);
      if (!(price->price > 0) || price->price > key->maximum)
        {
          g_autofree char *range = shardwise_key_describe_range (key);

          g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_RANGE, gpu,
                                                         /* Translators: a range of numbers */
                                                         _ ("invalid price; allowed: %s"), range));
          return FALSE;
        }
    }
  return TRUE;
}

/**
 * shardwise_prices_open:
 * @where: (nullable): their file, which need not exist; %NULL: in the user's data
 *
 * Reads the prices of the file; later changes are written to it.
 *
 * Returns: whether it could be read; if not, there are no prices, and none are written
 */
gboolean
shardwise_prices_open (GFile *where, GError **error)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), APPLICATION_ID, "prices.json",
                                            NULL);
  g_autoptr (GFile) file = where != NULL ? g_object_ref (where) : g_file_new_for_path (path);
  g_autoptr (GHashTable) read = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GError) local_error = NULL;
  g_autoptr (GBytes) bytes = shardwise_read_file (file, NULL, &local_error);
  g_autoptr (JsonNode) root = NULL;

  if (bytes != NULL)
    {
      gsize length;
      const char *text = g_bytes_get_data (bytes, &length);

      root = shardwise_json_parse (text, length, error);
      if (root == NULL || !read_prices (json_node_get_object (root), read, error))
        {
          g_prefix_error (error, "%s: ", g_file_peek_path (file));
          return FALSE;
        }
    }
  else if (!g_error_matches (local_error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  g_mutex_lock (&mutex);
  g_clear_pointer (&prices, g_hash_table_unref);
  prices = g_steal_pointer (&read);
  g_set_object (&kept_in, file);
  g_mutex_unlock (&mutex);
  return TRUE;
}

/**
 * shardwise_prices_get:
 * @gpu: an id of the catalog
 * @date: (out) (optional): when it was set, as in cost.price_date
 *
 * Returns: the user's price per hour; USD; 0: none
 */
double
shardwise_prices_get (const char *gpu, char date[24])
{
  const Price *price;
  double value = 0;

  g_mutex_lock (&mutex);
  price = prices != NULL ? g_hash_table_lookup (prices, gpu) : NULL;
  if (price != NULL)
    {
      value = price->price;
      if (date != NULL)
        g_strlcpy (date, price->date, 24);
    }
  g_mutex_unlock (&mutex);
  return value;
}

/* Under the mutex. (transfer full) */
static char *
to_text (void)
{
  JsonObject *root = json_object_new ();
  g_autoptr (JsonNode) node = NULL;
  GHashTableIter iter;
  gpointer gpu, value;

  g_hash_table_iter_init (&iter, prices);
  while (g_hash_table_iter_next (&iter, &gpu, &value))
    {
      const Price *price = value;
      JsonObject *record = json_object_new ();

      json_object_set_double_member (record, "price", price->price);
      json_object_set_string_member (record, "date", price->date);
      json_object_set_object_member (root, gpu, record);
    }
  node = shardwise_json_take_object (root);
  return shardwise_json_to_string (node);
}

/**
 * shardwise_prices_set:
 * @gpu: an id of the catalog
 * @price: per hour; USD; 0: resets it to the catalog's
 * @date: date of the price: "2026-11"
 *
 * Returns: whether it was saved; it applies in either case
 */
gboolean
shardwise_prices_set (const char *gpu, double price, const char *date, GError **error)
{
  g_autoptr (GFile) file = NULL;
  g_autoptr (GFile) folder = NULL;
  g_autofree char *text = NULL;

  g_return_val_if_fail (gpu != NULL && price >= 0 && date != NULL, FALSE);

  g_mutex_lock (&mutex);
  if (prices == NULL)
    prices = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (price > 0)
    {
      Price *own = g_new0 (Price, 1);

      own->price = price;
      g_strlcpy (own->date, date, sizeof own->date);
      g_hash_table_replace (prices, g_strdup (gpu), own);
    }
  else
    g_hash_table_remove (prices, gpu);
  g_set_object (&file, kept_in);
  text = to_text ();
  g_mutex_unlock (&mutex);
  if (file == NULL)
    return TRUE;
  folder = g_file_get_parent (file);
  if (folder != NULL)
    g_file_make_directory_with_parents (folder, NULL, NULL); /* writing reports the error */
  return shardwise_write_file (file, text, strlen (text), error);
}

/**
 * shardwise_prices_apply:
 * @gpu: (inout): a record of the catalog; gets the user's price, if there is one
 */
void
shardwise_prices_apply (SwGpu *gpu)
{
  char date[24];
  const double price = shardwise_prices_get (gpu->id, date);

  if (price <= 0)
    return;
  gpu->price_per_hour_low = gpu->price_per_hour_high = price;
  g_strlcpy (gpu->price_month, date, sizeof gpu->price_month);
}
