/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the catalogue holds, and predictions beside measured runs. */
#include "shardwise-cli-catalogue.h"

#include <glib/gi18n.h>

#include "shardwise-catalogue-json.h"
#include "shardwise-cli-input.h"
#include "shardwise-cli-output.h"
#include "shardwise-format.h"
#include "shardwise-json.h"
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

  return list (argc, argv, _ ("Lists the models of the catalogue."), entries, "models",
               shardwise_catalogue_add_model);
}

int
shardwise_cli_gpus (int argc, char **argv)
{
  g_autoptr (GListModel) entries = shardwise_catalogue_gpus (shardwise_catalogue_get ());

  return list (argc, argv, _ ("Lists the GPUs of the catalogue."), entries, "gpus",
               shardwise_catalogue_add_gpu);
}

/* ---- validate ---- */

int
shardwise_cli_validate (int argc, char **argv)
{
  gboolean json = FALSE, summary = FALSE;
  g_auto (GStrv) rest = NULL;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print one JSON object"), NULL },
    { "summary", 0, 0, G_OPTION_ARG_NONE, &summary, N_ ("Leave the rows out"), NULL },
    { NULL },
  };
  const int status = shardwise_cli_options (
      argc, argv, entries, _ ("CSV"), _ ("Holds predictions against measured runs."), 1, &rest);
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
