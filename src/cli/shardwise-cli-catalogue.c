/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entries of the catalog, and predictions beside measured runs. */
#include "shardwise-cli-catalogue.h"

#include <glib/gi18n.h>

#include "shardwise-catalogue.h"
#include "shardwise-cli-input.h"
#include "shardwise-cli-output.h"
#include "shardwise-format.h"
#include "shardwise-json.h"
#include "shardwise-prices.h"
#include "shardwise-validation.h"

/* ---- models and gpus ---- */

typedef void (*AddDetails) (JsonObject *object, const char *id);

static int
list (int argc, char **argv, const char *summary, GListModel *entries, const char *list_name,
      AddDetails add_details)
{
  gboolean json = FALSE;
  g_auto (GStrv) rest = NULL;
  const GOptionEntry options[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print one JSON object"), NULL },
    { NULL },
  };
  const int status = shardwise_cli_options (argc, argv, options, "", summary, 0, &rest);
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (JsonObject) object = json_object_new ();
  JsonArray *array = json_array_new ();

  json_object_set_array_member (object, list_name, array);
  if (status != SHARDWISE_CLI_DONE)
    return status;
  for (guint i = 0; i < g_list_model_get_n_items (entries); i++)
    {
      g_autoptr (ShardwiseCatalogueEntry) entry = g_list_model_get_item (entries, i);
      g_autofree char *id = NULL, *name = NULL, *subtitle = NULL;
      JsonObject *row = json_object_new ();

      g_object_get (entry, "id", &id, "name", &name, "subtitle", &subtitle, NULL);
      json_object_set_string_member (row, "id", id);
      json_object_set_string_member (row, "name", name);
      add_details (row, id);
      json_array_add_object_element (array, row);
      shardwise_text_append_cell (out, -28, id);
      g_string_append (out, "  ");
      shardwise_text_append_cell (out, -40, name);
      g_string_append_printf (out, "  %s\n", subtitle);
    }
  if (json)
    return shardwise_cli_print_json (shardwise_json_take_object (g_steal_pointer (&object)),
                                     status);
  return shardwise_cli_print (g_strdup (out->str), status);
}

int
shardwise_cli_models (int argc, char **argv)
{
  g_autoptr (GListModel) entries = shardwise_catalogue_models (shardwise_catalogue_get ());

  return list (argc, argv, _ ("Lists the models in the catalog."), entries, "models",
               shardwise_catalogue_add_model);
}

int
shardwise_cli_gpus (int argc, char **argv)
{
  g_autoptr (GListModel) entries = shardwise_catalogue_gpus (shardwise_catalogue_get ());

  return list (argc, argv, _ ("Lists the GPUs in the catalog."), entries, "gpus",
               shardwise_catalogue_add_gpu);
}

/* ---- prices ---- */

/* "$2.10 (November 2026), your own", "$1.49 to $4.29 (June 2026)" */
static char *
price_text (const SwGpu *gpu, gboolean is_own)
{
  g_autofree char *low = shardwise_format_price (gpu->price_per_hour_low, "USD"),
                  *high = shardwise_format_price (gpu->price_per_hour_high, "USD"),
                  *months = shardwise_format_months (gpu->price_month);

  if (gpu->price_per_hour_low <= 0)
    return g_strdup (_ ("price unknown"));
  if (is_own)
    /* Translators: a price and the month in which it was looked up */
    return g_strdup_printf (_ ("%s (%s), set by you"), low, months);
  return gpu->price_per_hour_high > gpu->price_per_hour_low
             /* Translators: two prices and the month in which they were looked up */
             ? g_strdup_printf (_ ("%s to %s (%s)"), low, high, months)
             /* Translators: a price and the month in which it was looked up */
             : g_strdup_printf (_ ("%s (%s)"), low, months);
}

static int
set_price (const char *gpu, const char *text)
{
  const gboolean back = g_str_equal (text, "default");
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *month = g_date_time_format (now, "%Y-%m");
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) value = NULL;
  char *end;
  const double price = g_ascii_strtod (text, &end);

  if (!back && (end == text || *end != '\0' || !(price > 0)))
    return shardwise_cli_usage ("prices", _ ("the price must be a number above 0, or “default”"));
  value = g_variant_ref_sink (g_variant_new_double (price));
  if ((!back && !shardwise_key_check (shardwise_key_get (SHARDWISE_KEY_COST_PRICE), value, &error))
      || !shardwise_prices_set (gpu, back ? 0 : price, month, &error))
    return shardwise_cli_fail (gpu, error);
  return SHARDWISE_CLI_DONE;
}

int
shardwise_cli_prices (int argc, char **argv)
{
  gboolean json = FALSE;
  g_auto (GStrv) rest = NULL;
  const GOptionEntry options[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print one JSON object"), NULL },
    { NULL },
  };
  int status = shardwise_cli_options (argc, argv, options, _ ("[GPU [PRICE]]"),
                                      _ ("Lists or sets the price of a GPU-hour, in USD. PRICE "
                                         "overrides the catalog; “default” restores it."),
                                      SHARDWISE_CLI_ANY, &rest);
  g_autoptr (GListModel) entries = shardwise_catalogue_gpus (shardwise_catalogue_get ());
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (JsonObject) object = json_object_new ();
  JsonArray *array = json_array_new ();
  const char *only = rest != NULL ? rest[0] : NULL;

  json_object_set_array_member (object, "prices", array);
  if (status != SHARDWISE_CLI_DONE)
    return status;
  if (only != NULL && shardwise_catalogue_find_gpu (shardwise_catalogue_get (), only) == NULL)
    return shardwise_cli_usage (argv[0], _ ("unknown GPU; “shardwise-cli gpus” lists all GPUs"));
  if (only != NULL && rest[1] != NULL)
    {
      if (rest[2] != NULL)
        return shardwise_cli_usage (argv[0], _ ("too many arguments"));
      status = set_price (only, rest[1]);
      if (status != SHARDWISE_CLI_DONE)
        return status;
    }
  for (guint i = 0; i < g_list_model_get_n_items (entries); i++)
    {
      g_autoptr (ShardwiseCatalogueEntry) entry = g_list_model_get_item (entries, i);
      g_autofree char *id = NULL, *text = NULL;
      JsonObject *row = json_object_new ();
      gboolean is_own;
      SwGpu gpu;

      g_object_get (entry, "id", &id, NULL);
      gpu = *shardwise_catalogue_find_gpu (shardwise_catalogue_get (), id);
      is_own = shardwise_prices_get (id, NULL) > 0;
      shardwise_prices_apply (&gpu);
      if (only != NULL && !g_str_equal (only, id))
        {
          json_object_unref (row);
          continue;
        }
      json_object_set_string_member (row, "gpu", id);
      shardwise_json_set_known (row, "low", gpu.price_per_hour_low, gpu.price_per_hour_low > 0);
      shardwise_json_set_known (row, "high", gpu.price_per_hour_high, gpu.price_per_hour_high > 0);
      json_object_set_string_member (row, "currency", "USD");
      json_object_set_string_member (row, "date", gpu.price_month);
      json_object_set_boolean_member (row, "own", is_own);
      json_array_add_object_element (array, row);
      text = price_text (&gpu, is_own);
      shardwise_text_append_cell (out, -28, id);
      g_string_append_printf (out, "  %s\n", text);
    }
  if (json)
    return shardwise_cli_print_json (shardwise_json_take_object (g_steal_pointer (&object)),
                                     status);
  return shardwise_cli_print (g_strdup (out->str), status);
}

/* ---- validate ---- */

int
shardwise_cli_validate (int argc, char **argv)
{
  gboolean json = FALSE, summary = FALSE;
  g_auto (GStrv) rest = NULL;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print one JSON object"), NULL },
    { "summary", 0, 0, G_OPTION_ARG_NONE, &summary, N_ ("Omit the individual rows"), NULL },
    { NULL },
  };
  const int status = shardwise_cli_options (
      argc, argv, entries, _ ("CSV"), _ ("Compares predictions with measured runs."), 1, &rest);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (ShardwiseValidation) result = NULL;
  const char *csv;
  gsize length;

  if (status != SHARDWISE_CLI_DONE)
    return status;
  bytes = shardwise_cli_read (rest[0], &error);
  if (bytes == NULL)
    return shardwise_cli_fail (rest[0], error);
  csv = g_bytes_get_data (bytes, &length);
  runs = shardwise_runs_parse (csv != NULL ? csv : "", (gssize) length, &error);
  if (runs == NULL)
    return shardwise_cli_fail (rest[0], error);
  result = shardwise_validate (runs);
  if (json)
    return shardwise_cli_print_json (shardwise_validation_to_json (result), status);
  return shardwise_cli_print (shardwise_validation_to_text (result, !summary), status);
}
