/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scripts that measure a cluster, and a layer of a strategy; and what the latter says. */
#include "shardwise-cli-probe.h"

#include <glib/gi18n.h>

#include "shardwise-cli-formats.h"
#include "shardwise-cli-input.h"
#include "shardwise-cli-output.h"
#include "shardwise-json.h"
#include "shardwise-format.h"
#include "shardwise-probe-script.h"
#include "shardwise-resolve.h"
#include "shardwise-text-strategy.h"

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
    return _ ("--to is required");
  if (self->launcher != NULL && !g_str_equal (self->launcher, "torchrun")
      && !g_str_equal (self->launcher, "slurm"))
    return _ ("--launcher: unknown launcher; allowed: torchrun, slurm");
  return NULL;
}

/* @starts: the commands that start it, the one for most GPUs last. */
static JsonNode *
to_json (GPtrArray *files, char **starts)
{
  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new (), *lines = json_array_new ();
  const guint n = g_strv_length (starts);

  for (guint i = 0; i < files->len; i++)
    {
      const ShardwiseExportFile *file = g_ptr_array_index (files, i);
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "name", file->name);
      json_object_set_string_member (item, "content", file->content);
      json_array_add_object_element (array, item);
    }
  json_object_set_array_member (object, "files", array);
  for (guint i = 0; i < n; i++)
    json_array_add_string_element (lines, starts[i]);
  json_object_set_string_member (object, "start", starts[n - 1]);
  json_object_set_array_member (object, "starts", lines);
  return shardwise_json_take_object (object);
}

/* @json: the name of what the script writes. */
static char *
to_text (const Probe *self, GPtrArray *files, char **starts, const char *json)
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
  if (starts[1] == NULL)
    /* Translators: what is typed in a shell */
    g_string_append_printf (out, _ ("Start it on the cluster with: %s"), starts[0]);
  else
    {
      g_autofree char *lines = g_strjoinv ("\n  ", starts);

      /* Translators: lines that are typed in a shell */
      g_string_append_printf (
          out, _ ("Start it on the cluster, on as many GPUs as you want to measure:\n  %s"), lines);
    }
  g_string_append_c (out, '\n');
  /* Translators: the name of a file */
  g_string_append_printf (out, _ ("Then open the %s file that it writes, or import it here."),
                          json);
  g_string_append_c (out, '\n');
  return g_string_free (out, FALSE);
}

/* Writes what @options say, and says how it is started. */
static int
write_files (const Probe *self, const ShardwiseProbeOptions *options, gboolean json)
{
  g_autoptr (GPtrArray) files = shardwise_probe_files (options);
  g_autofree char *start = shardwise_probe_start (options);
  g_auto (GStrv) starts = g_strsplit (start, "\n", -1);
  g_autoptr (GError) error = NULL;

  if (!shardwise_cli_write_files (self->to, files, files->len, &error))
    return shardwise_cli_fail (self->to, error);
  if (json)
    return shardwise_cli_print_json (to_json (files, starts), SHARDWISE_CLI_DONE);
  return shardwise_cli_print (
      to_text (self, files, starts,
               options->strategy != NULL ? "shardwise-step-probe.json" : "shardwise-probe.json"),
      SHARDWISE_CLI_DONE);
}

int
shardwise_cli_probe (int argc, char **argv)
{
  g_auto (Probe) self = { .to = NULL };
  const GOptionEntry entries[] = {
    { "to", 0, 0, G_OPTION_ARG_FILENAME, &self.to, N_ ("Write to this folder"), "DIR" },
    { "launcher", 0, 0, G_OPTION_ARG_STRING, &self.launcher, N_ ("Launcher: torchrun or slurm"),
      "LAUNCHER" },
    { "quick", 0, 0, G_OPTION_ARG_NONE, &self.quick,
      N_ ("Measure for half a minute instead of two minutes"), NULL },
    { NULL },
  };
  g_auto (ShardwiseCliInput) input = {
    .file = NULL, .is_optional = TRUE, .check = check, .data = &self
  };
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (GError) error = NULL;
  ShardwiseProbeOptions options;
  int status = shardwise_cli_input_read (&input, argc, argv, entries,
                                         _ ("Writes a script that measures a cluster."));

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
  return write_files (&self, &options, input.json);
}

/* ---- one layer ---- */

static JsonNode *
rows_to_json (const ShardwiseMeasuredStep *step, const ShardwiseStepRow *rows, guint n)
{
  JsonObject *object = shardwise_step_to_json (step);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < n; i++)
    {
      const char *pass = shardwise_step_pass (rows[i].id);
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "kind", shardwise_step_kind (rows[i].id));
      if (pass != NULL)
        json_object_set_string_member (item, "pass", pass);
      json_object_set_string_member (item, "unit", pass != NULL ? "seconds" : "bytes");
      json_object_set_double_member (item, "measured", rows[i].measured);
      json_object_set_double_member (item, "spread", rows[i].spread);
      json_object_set_double_member (item, "predicted", rows[i].predicted);
      json_array_add_object_element (array, item);
    }
  json_object_set_array_member (object, "rows", array);
  return shardwise_json_take_object (object);
}

static char *
rows_to_text (const ShardwiseMeasuredStep *step, const ShardwiseStepRow *rows, guint n)
{
  g_autofree char *title = shardwise_step_describe (step,
                                                    shardwise_text_framework (step->framework));
  GString *out = g_string_new (title);

  g_string_append_c (out, '\n');
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = shardwise_step_title (rows[i].id),
                      *measured = shardwise_step_text (rows[i].id, rows[i].measured),
                      *predicted = shardwise_step_text (rows[i].id, rows[i].predicted),
                      *spread = shardwise_format_percent (rows[i].spread),
                      *off = shardwise_format_change (rows[i].predicted / rows[i].measured - 1),
                      *text = NULL;

      /* Translators: a measured value, its spread in percent, a predicted value, and by how much
         that is off ("−3.1 %") */
      text = rows[i].spread > 0
                 ? g_strdup_printf (_ ("%s ± %s measured, %s predicted (%s)"), measured, spread,
                                    predicted, off)
                 /* Translators: a measured value, a predicted one, and by how much that is off */
                 : g_strdup_printf (_ ("%s measured, %s predicted (%s)"), measured, predicted, off);
      shardwise_cli_append_row (out, label, text);
    }
  return g_string_free (out, FALSE);
}

/* What was measured on the scenario's machine beside the prediction. */
static int
compare (const ShardwiseCliInput *input)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autoptr (GError) error = NULL;
  ShardwiseStepRow rows[SHARDWISE_N_STEP_ROWS];
  ShardwiseMachine machine;
  guint n;

  /* With what else was measured, and the factors of the journal: what is used is what is judged. */
  shardwise_scenario_get_machine (input->scenario, &machine, problem);
  if (!shardwise_scenario_resolve (input->scenario, problem, NULL, &error))
    return shardwise_cli_fail (input->file, error);
  n = shardwise_step_rows (&machine.step, problem, rows);
  if (n == 0)
    {
      return shardwise_cli_usage (
          "step-probe", _ ("No layer was measured. Write the script (--to DIR), run it, and pass "
                           "its output (--measured JSON)."));
    }
  if (input->json)
    return shardwise_cli_print_json (rows_to_json (&machine.step, rows, n), SHARDWISE_CLI_DONE);
  return shardwise_cli_print (rows_to_text (&machine.step, rows, n), SHARDWISE_CLI_DONE);
}

int
shardwise_cli_step_probe (int argc, char **argv)
{
  g_auto (Probe) self = { .to = NULL };
  const GOptionEntry entries[] = {
    { "to", 0, 0, G_OPTION_ARG_FILENAME, &self.to, N_ ("Write the script to this folder"), "DIR" },
    { NULL },
  };
  g_auto (ShardwiseCliInput) input = { .file = NULL };
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (GError) error = NULL;
  const SwEstimate *recommended;
  int status =
      shardwise_cli_input_read (&input, argc, argv, entries,
                                _ ("Writes a script that measures a layer of the best strategy, or "
                                   "compares its measurements with the prediction."));

  if (status != SHARDWISE_CLI_DONE)
    return status;
  if (self.to == NULL)
    return compare (&input);
  advice = shardwise_advice_compute (
      input.scenario, &(ShardwiseAdviceOptions){ .top = 1, .bare = TRUE }, NULL, &error);
  if (error != NULL)
    return shardwise_cli_fail (input.file, error);
  recommended = shardwise_advice_get_recommended (advice);
  if (recommended == NULL)
    {
      g_printerr ("%s\n", _ ("No strategy can run, so there is no layer to measure."));
      return SHARDWISE_CLI_NOTHING_FITS;
    }
  return write_files (
      &self, &(ShardwiseProbeOptions){ .advice = advice, .strategy = &recommended->strategy },
      input.json);
}
