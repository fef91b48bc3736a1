/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The script that measures a cluster. */
#include "shardwise-cli-probe.h"

#include <glib/gi18n.h>

#include "shardwise-cli-formats.h"
#include "shardwise-cli-input.h"
#include "shardwise-cli-output.h"
#include "shardwise-json.h"
#include "shardwise-probe-script.h"

typedef struct {
  char *to, *launcher;
  gboolean quick;
} Probe;

static void
probe_clear (Probe *self)
{
  g_free (self->to);
  g_free (self->launcher);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Probe, probe_clear)

static const char *
check (gconstpointer data)
{
  const Probe *self = data;

  if (self->to == NULL)
    return _ ("--to is missing");
  if (self->launcher != NULL && !g_str_equal (self->launcher, "torchrun")
      && !g_str_equal (self->launcher, "slurm"))
    return _ ("--launcher: no such launcher, accepted: torchrun, slurm");
  return NULL;
}

static JsonNode *
to_json (GPtrArray *files, const char *start)
{
  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < files->len; i++)
    {
      const ShardwiseExportFile *file = g_ptr_array_index (files, i);
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "name", file->name);
      json_object_set_string_member (item, "content", file->content);
      json_array_add_object_element (array, item);
    }
  json_object_set_array_member (object, "files", array);
  json_object_set_string_member (object, "start", start);
  return shardwise_json_take_object (object);
}

static char *
to_text (const Probe *self, GPtrArray *files, const char *start)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < files->len; i++)
    {
      g_autofree char *path = g_build_filename (
          self->to, ((ShardwiseExportFile *) g_ptr_array_index (files, i))->name, NULL);

      /* Translators: the path of a file */
      g_string_append_printf (out, _ ("wrote %s"), path);
      g_string_append_c (out, '\n');
    }
  /* Translators: what is typed in a shell */
  g_string_append_printf (out, _ ("Start it there by: %s"), start);
  g_string_append_printf (
      out, "\n%s\n", _ ("Then open the shardwise-probe.json that it writes, or import it here."));
  return g_string_free (out, FALSE);
}

int
shardwise_cli_probe (int argc, char **argv)
{
  g_auto (Probe) self = { .to = NULL };
  const GOptionEntry entries[] = {
    { "to", 0, 0, G_OPTION_ARG_FILENAME, &self.to, N_ ("Write to this folder"), "DIR" },
    { "launcher", 0, 0, G_OPTION_ARG_STRING, &self.launcher,
      N_ ("How it is started: torchrun or slurm"), "LAUNCHER" },
    { "quick", 0, 0, G_OPTION_ARG_NONE, &self.quick, N_ ("Half a minute instead of two"), NULL },
    { NULL },
  };
  g_auto (ShardwiseCliInput) input = {
    .file = NULL, .is_optional = TRUE, .check = check, .data = &self
  };
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (GPtrArray) files = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *start = NULL;
  ShardwiseProbeOptions options;
  int status = shardwise_cli_input_read (&input, argc, argv, entries,
                                         _ ("Write the script that measures a cluster."));

  if (status != SHARDWISE_CLI_DONE)
    return status;
  if (input.scenario != NULL)
    advice = shardwise_advice_compute (
        input.scenario, &(ShardwiseAdviceOptions){ .top = 1, .bare = TRUE }, NULL, &error);
  if (error != NULL)
    return shardwise_cli_fail (input.file, error);
  options = (ShardwiseProbeOptions){ .advice = advice,
                                     .slurm = g_strcmp0 (self.launcher, "slurm") == 0,
                                     .quick = self.quick };
  files = shardwise_probe_files (&options);
  start = shardwise_probe_start (&options);
  if (!shardwise_cli_write_files (self.to, files, files->len, &error))
    return shardwise_cli_fail (self.to, error);
  if (input.json)
    return shardwise_cli_print_json (to_json (files, start), SHARDWISE_CLI_DONE);
  return shardwise_cli_print (to_text (&self, files, start), SHARDWISE_CLI_DONE);
}
