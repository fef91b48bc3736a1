/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cli.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-diagnosis.h"
#include "shardwise-import.h"
#include "shardwise-json.h"

static JsonNode *
scenario_node (ShardwiseScenario *scenario)
{
  g_autofree char *text = shardwise_scenario_to_json (scenario);

  return shardwise_json_parse (text, strlen (text), NULL);
}

static JsonNode *
to_json (const ShardwiseImport *import, GPtrArray *findings)
{
  JsonObject *object = json_object_new ();

  json_object_set_member (object, "scenario", scenario_node (import->scenario));
  json_object_set_string_member (object, "kind", shardwise_import_name (import->kind));
  json_object_set_array_member (object, "warnings", shardwise_json_strings (import->warnings));
  json_object_set_member (object, "diagnosis",
                          shardwise_findings_to_json (import->findings, findings));
  return shardwise_json_take_object (object);
}

static int
import_file (const char *file, gboolean json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = shardwise_cli_read (file, &error);
  g_autoptr (ShardwiseImport) import = NULL;
  g_autoptr (GPtrArray) findings = NULL;
  g_autofree char *text = NULL;
  gsize length;
  const char *data;

  if (bytes == NULL)
    return shardwise_cli_fail (file, error);
  data = g_bytes_get_data (bytes, &length);
  import = shardwise_import_read (data != NULL ? data : "", length,
                                  g_str_equal (file, "-") ? "" : file, NULL, &error);
  if (import == NULL)
    return shardwise_cli_fail (file, error);
  if (shardwise_import_is_job (import->kind))
    findings = shardwise_diagnose (import->scenario, import->kind, NULL, NULL);
  if (json)
    return shardwise_cli_print_json (to_json (import, findings), SHARDWISE_CLI_DONE);

  /* The scenario is what is printed; what is to be said of it goes beside it. */
  g_autoptr (GPtrArray) all = g_ptr_array_new ();

  for (guint i = 0; i < import->warnings->len; i++)
    g_printerr ("%s: %s\n", file, (char *) import->warnings->pdata[i]);
  for (guint i = 0; i < import->findings->len; i++)
    g_ptr_array_add (all, import->findings->pdata[i]);
  for (guint i = 0; findings != NULL && i < findings->len; i++)
    if (!shardwise_finding_is_said (findings->pdata[i], import->findings))
      g_ptr_array_add (all, findings->pdata[i]);
  for (guint i = 0; i < all->len; i++)
    {
      const ShardwiseFinding *finding = all->pdata[i];

      if (finding->effect != NULL)
        g_printerr ("%s: %s (%s)\n", file, finding->text, finding->effect);
      else
        g_printerr ("%s: %s\n", file, finding->text);
    }
  text = shardwise_scenario_to_json (import->scenario);
  return shardwise_cli_print (text, SHARDWISE_CLI_DONE);
}

int
shardwise_cli_import (int argc, char **argv)
{
  gboolean json = FALSE;
  g_auto (GStrv) rest = NULL;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json,
      N_ ("Print one JSON object, with what is to be said of the job"), NULL },
    { NULL },
  };
  int status =
      shardwise_cli_options (argc, argv, entries, _ ("FILE"),
                             _ ("Prints the scenario of a training job or a model: config.json, "
                                "params.json, a DeepSpeed JSON, a Nanotron or Accelerate YAML, a "
                                "TorchTitan TOML, a Megatron-LM launch script, a Kubernetes job, "
                                "Python that starts DeepSpeed, PyTorch FSDP, TorchTitan, "
                                "Megatron-Bridge or NeMo."),
                             1, &rest);

  return status == SHARDWISE_CLI_DONE ? import_file (rest[0], json) : status;
}
