/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cli.h"

#include <glib/gi18n.h>

#include "shardwise-validation.h"

static int
validate (const char *file, gboolean json, gboolean rows)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = shardwise_cli_read (file, &error);
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (ShardwiseValidation) result = NULL;
  g_autofree char *text = NULL;
  const char *csv;
  gsize length;

  if (bytes == NULL)
    return shardwise_cli_fail (file, error);
  csv = g_bytes_get_data (bytes, &length);
  runs = shardwise_runs_parse (csv != NULL ? csv : "", (gssize) length, &error);
  if (runs == NULL)
    return shardwise_cli_fail (file, error);
  result = shardwise_validate (runs);
  if (json)
    return shardwise_cli_print_json (shardwise_validation_to_json (result), SHARDWISE_CLI_DONE);
  text = shardwise_validation_to_text (result, rows);
  return shardwise_cli_print (text, SHARDWISE_CLI_DONE);
}

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
  int status = shardwise_cli_options (argc, argv, entries, _ ("CSV"),
                                      _ ("Holds predictions against measured runs."), 1, &rest);

  return status == SHARDWISE_CLI_DONE ? validate (rest[0], json, !summary) : status;
}
