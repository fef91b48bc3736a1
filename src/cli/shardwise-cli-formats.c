/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of other programs: configurations of frameworks, training jobs, models, the report as a PDF
 * file, and the scripts that measure a cluster or a layer, with their results. */
#include "shardwise-cli-formats.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-advice-json.h"
#include "shardwise-cli-input.h"
#include "shardwise-cli-output.h"
#include "shardwise-diagnosis.h"
#include "shardwise-export-search.h"
#include "shardwise-file.h"
#include "shardwise-format.h"
#include "shardwise-import.h"
#include "shardwise-json.h"
#include "shardwise-probe-script.h"
#include "shardwise-report-pages.h"
#include "shardwise-resolve.h"
#include "shardwise-text-strategy.h"

/* ---- export ---- */

/* The options of one command. */
typedef struct {
  ShardwiseCliInput input;
  char *to, *version, *launcher, *output;
  gboolean bundle;
} Export;

/* Writes the first `n` ShardwiseExportFile of `files` to a folder, which is created. */
static gboolean
save_files (const char *folder, GPtrArray *files, guint n, GError **error)
{
  if (g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_set_error_literal (error, G_FILE_ERROR, (int) g_file_error_from_errno (errno),
                           g_strerror (errno));
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      const ShardwiseExportFile *file = g_ptr_array_index (files, i);
      g_autofree char *path = g_build_filename (folder, file->name, NULL);

      /* Atomic: a launcher never reads half a file. */
      if (!g_file_set_contents_full (path, file->content, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0666,
                                     error))
        return FALSE;
    }
  return TRUE;
}

static guint
n_files (const Export *self, const ShardwiseExport *export)
{
  return self->bundle ? export->files->len : MIN (1, export->files->len);
}

/* Bundles of several frameworks have files with the same names: each gets a folder. */
static gboolean
write_files (const Export *self, const ShardwiseExport *export, GError **error)
{
  g_autofree char *folder = self->bundle && g_str_equal (self->to, "all")
                                ? g_build_filename (self->output, export->info->id, NULL)
                                : g_strdup (self->output);

  return save_files (folder, export->files, n_files (self, export), error);
}

static void
append_files (const Export *self, const ShardwiseExport *export, GString *out)
{
  for (guint i = 0; i < n_files (self, export); i++)
    {
      const ShardwiseExportFile *file = g_ptr_array_index (export->files, i);

      if (self->bundle || g_str_equal (self->to, "all"))
        g_string_append_printf (out, "==> %s: %s <==\n", export->info->id, file->name);
      g_string_append (out, file->content);
    }
}

static void
say_not_expressed (const Export *self, const ShardwiseExport *export)
{
  for (guint i = 0; i < export->not_expressed->len; i++)
    g_printerr ("%s: %s\n", export->info->id,
                shardwise_export_note_text (export->not_expressed, i));
  for (guint i = n_files (self, export); i < export->files->len; i++)
    {
      const ShardwiseExportFile *file = g_ptr_array_index (export->files, i);

      /* Translators: a framework, the name of a file */
      g_printerr (_ ("%s: --bundle also writes %s\n"), export->info->id, file->name);
    }
}

static JsonNode *
to_json (const Export *self, ShardwiseExport *export)
{
  JsonNode *node = shardwise_export_to_json (export);
  JsonArray *files = json_object_get_array_member (json_node_get_object (node), "files");

  while (!self->bundle && json_array_get_length (files) > 1)
    json_array_remove_element (files, json_array_get_length (files) - 1);
  return node;
}

/* The reason for a framework's refusal. If a pin causes it, also the nearest strategy that it can
 * run, as in `advise`. */
static JsonNode *
refusal_to_json (const Export *self, const ShardwiseFormatInfo *info, const GError *error)
{
  JsonObject *object = json_object_new ();
  JsonArray *nearest = json_array_new (), *rules = json_array_new ();
  const char *path = shardwise_error_path (error);
  SwEstimate estimate;
  SwProblem problem;
  g_autoptr (ShardwiseExport) export =
      path != NULL
          ? shardwise_export_nearest (info->format, self->input.scenario, NULL, &estimate, NULL)
          : NULL;

  json_array_add_string_element (rules, error->message);
  if (export != NULL && shardwise_scenario_resolve (self->input.scenario, &problem, NULL, NULL))
    {
      JsonObject *way = json_object_new ();
      JsonNode *result = shardwise_estimate_to_json (&problem, &estimate, NULL);
      /* Translators: %s is a key of the scenario, "strategy.pp" */
      g_autofree char *change = g_strdup_printf (_ ("without the pinned %s"), path);

      json_object_set_member (
          way, "strategy",
          json_node_copy (json_object_get_member (json_node_get_object (result), "strategy")));
      json_object_set_double_member (way, "missing_gib", 0);
      json_object_set_string_member (way, "change", change);
      json_object_set_member (way, "result", result);
      json_array_add_object_element (nearest, way);
    }
  json_object_set_string_member (object, "framework", info->id);
  json_object_set_string_member (object, "version", info->version);
  json_object_set_array_member (object, "files", json_array_new ());
  json_object_set_array_member (object, "not_expressed", rules);
  json_object_set_array_member (object, "nearest", nearest);
  return shardwise_json_take_object (object);
}

/* The export with its bundle; the caller may drop everything but the first file. */
static ShardwiseExport *
write_best (const Export *self, const ShardwiseFormatInfo *info, GError **error)
{
  const ShardwiseFormatInfo *launcher = shardwise_format_find (self->launcher);
  ShardwiseExport *export = shardwise_export_best (info->format, self->input.scenario, NULL, NULL,
                                                   error);

  if (export != NULL && self->bundle)
    shardwise_export_bundle (export,
                             launcher != NULL ? launcher->format : SHARDWISE_FORMAT_TORCHRUN);
  return export;
}

static int
export_one (const Export *self, const ShardwiseFormatInfo *info)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseExport) export = write_best (self, info, &error);
  GString *out;

  if (export == NULL)
    {
      /* Status 3: the framework has a rule against the strategy; any other error is wrong input. */
      int status = shardwise_cli_fail (self->input.file, error);

      if (!g_error_matches (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED))
        return status;
      if (!self->input.json)
        return SHARDWISE_CLI_NOTHING_FITS;
      return shardwise_cli_print_json (refusal_to_json (self, info, error),
                                       SHARDWISE_CLI_NOTHING_FITS);
    }
  if (self->output != NULL && !write_files (self, export, &error))
    return shardwise_cli_fail (self->output, error);
  if (self->input.json)
    return shardwise_cli_print_json (to_json (self, export), SHARDWISE_CLI_DONE);
  say_not_expressed (self, export);
  out = g_string_new (NULL);
  if (self->output == NULL)
    append_files (self, export, out);
  return shardwise_cli_print (g_string_free (out, FALSE), SHARDWISE_CLI_DONE);
}

/* One object with every export; a refusal replaces that of its framework. Status 3 if all
 * refuse. */
static int
export_all (const Export *self)
{
  g_autoptr (GString) out = g_string_new (NULL);
  JsonObject *object = json_object_new ();
  JsonArray *exports = json_array_new ();
  g_autoptr (JsonNode) node = shardwise_json_take_object (object);
  int status = SHARDWISE_CLI_NOTHING_FITS;

  json_object_set_array_member (object, "exports", exports);
  for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_info ((ShardwiseFormat) i);
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseExport) export = NULL;

      if (!shardwise_format_is_default (info))
        continue;
      export = write_best (self, info, &error);
      if (export == NULL && !g_error_matches (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED))
        return shardwise_cli_fail (self->input.file, error);
      if (export == NULL)
        {
          if (self->input.json)
            json_array_add_element (exports, refusal_to_json (self, info, error));
          else
            g_printerr ("%s: %s\n", info->id, error->message);
          continue;
        }
      if (self->output != NULL && !write_files (self, export, &error))
        return shardwise_cli_fail (self->output, error);
      status = SHARDWISE_CLI_DONE;
      json_array_add_element (exports, to_json (self, export));
      if (self->output == NULL)
        append_files (self, export, out);
      if (!self->input.json)
        say_not_expressed (self, export);
    }
  if (self->input.json)
    return shardwise_cli_print_json (g_steal_pointer (&node), status);
  return shardwise_cli_print (g_strdup (out->str), status);
}

/* "deepspeed, fsdp1, … or all" */
static char *
describe_targets (void)
{
  GString *ids = g_string_new (NULL);
  char *text;

  for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_info ((ShardwiseFormat) i);

      if (shardwise_format_is_default (info))
        g_string_append_printf (ids, "%s%s", i > 0 ? ", " : "", info->id);
    }
  /* Translators: a list of words that are not translated */
  text = g_strdup_printf (_ ("%s or all"), ids->str);
  g_string_free (ids, TRUE);
  return text;
}

static const char *
check_options (gconstpointer data)
{
  const Export *self = data;
  const ShardwiseFormatInfo *launcher = shardwise_format_find (self->launcher);

  if (self->to == NULL)
    return _ ("--to FRAMEWORK is required");
  if (self->launcher != NULL && (launcher == NULL || !launcher->launcher))
    return _ ("--launcher must be torchrun, slurm, kubernetes or skypilot");
  if (g_str_equal (self->to, "all"))
    return self->version == NULL ? NULL
                                 : _ ("--framework-version requires --to with a single framework");
  if (shardwise_format_find (self->to) == NULL)
    {
      g_autofree char *targets = describe_targets (),
                      /* Translators: words that are not translated */
          *text = g_strdup_printf (_ ("--to must be %s"), targets);

      return g_intern_string (text);
    }
  if (shardwise_format_find_version (self->to, self->version) == NULL)
    return _ ("--framework-version is not a supported version");
  return NULL;
}

/* "Another version than the first of its kind: torchtitan “0.2.2”, “main”; …" */
static char *
describe_versions (void)
{
  GString *text = g_string_new (_ ("Version to write, instead of the first one listed:"));
  const char *separator = " ";

  for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_info ((ShardwiseFormat) i);

      if (shardwise_format_is_default (info))
        continue;
      g_string_append_printf (text, "%s%s “%s”, “%s”", separator, info->id,
                              shardwise_format_find (info->id)->version, info->version);
      separator = "; ";
    }
  return g_string_free (text, FALSE);
}

int
shardwise_cli_export (int argc, char **argv)
{
  Export self = { .input = { .check = check_options, .data = &self } };
  g_autofree char *versions = describe_versions (), *targets = describe_targets ();
  const GOptionEntry entries[] = {
    { "to", 0, 0, G_OPTION_ARG_STRING, &self.to, targets, N_ ("FRAMEWORK") },
    { "framework-version", 0, 0, G_OPTION_ARG_STRING, &self.version, versions, N_ ("VERSION") },
    { "launcher", 0, 0, G_OPTION_ARG_STRING, &self.launcher,
      N_ ("Launcher of the bundle: torchrun (default), slurm, kubernetes or skypilot"),
      N_ ("LAUNCHER") },
    { "output", 0, 0, G_OPTION_ARG_FILENAME, &self.output, N_ ("Write the files to this folder"),
      N_ ("DIR") },
    { "bundle", 0, 0, G_OPTION_ARG_NONE, &self.bundle,
      N_ ("Also write the launcher and a README, not only the framework’s own files"), NULL },
    { NULL },
  };
  int status = shardwise_cli_input_read (&self.input, argc, argv, entries,
                                         _ ("Writes the configuration for a framework."));

  if (status == SHARDWISE_CLI_DONE)
    status = g_str_equal (self.to, "all")
                 ? export_all (&self)
                 : export_one (&self, shardwise_format_find_version (self.to, self.version));
  shardwise_cli_input_clear (&self.input);
  g_free (self.to);
  g_free (self.version);
  g_free (self.launcher);
  g_free (self.output);
  return status;
}

/* ---- import ---- */

/* Reads the files of one job; NULL if they cannot be read, with the faulty file in @blamed. */
static ShardwiseImport *
import_files (char **files, const char **blamed, GError **error)
{
  const guint n = g_strv_length (files);
  g_autoptr (GPtrArray) held = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autofree ShardwiseImportText *texts = g_new0 (ShardwiseImportText, n);
  g_autoptr (GError) refused = NULL;
  g_autofree char *start = NULL;
  const char *why;
  ShardwiseImport *import;

  for (guint i = 0; i < n; i++)
    {
      GBytes *bytes = shardwise_cli_read (files[i], error);
      const char *data;

      *blamed = files[i];
      if (bytes == NULL)
        return NULL;
      g_ptr_array_add (held, bytes);
      data = g_bytes_get_data (bytes, &texts[i].length);
      texts[i].text = data != NULL ? data : "";
      texts[i].name = g_str_equal (files[i], "-") ? "" : files[i];
    }
  if (n > 1)
    *blamed = "import"; /* the error contains the file name */
  import = shardwise_import_read_job (texts, n, NULL, &refused);
  if (import != NULL)
    return import;
  /* Findings on a whole file have no line number. */
  start = g_strdup_printf (_ ("line %u, column %u: %s"), 1, 1, "");
  why = refused->message + (g_str_has_prefix (refused->message, start) ? strlen (start) : 0);
  g_set_error_literal (error, refused->domain, refused->code, why);
  return NULL;
}

int
shardwise_cli_import (int argc, char **argv)
{
  gboolean json = FALSE;
  g_auto (GStrv) rest = NULL;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json,
      N_ ("Print one JSON object, including messages about the job"), NULL },
    { NULL },
  };
  const int status = shardwise_cli_options (
      argc, argv, entries, _ ("FILE…"),
      _ ("Prints the scenario of a training job or model. Reads config.json, params.json, "
         "DeepSpeed JSON, Nanotron or Accelerate YAML, TorchTitan TOML, Megatron-LM launch "
         "scripts, Kubernetes jobs, and Python scripts that start DeepSpeed, PyTorch FSDP, "
         "TorchTitan, Megatron-Bridge or NeMo. Several files describe one job: its model, "
         "launcher, configuration and script."),
      SHARDWISE_CLI_SOME, &rest);
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseImport) import = NULL;
  g_autoptr (GPtrArray) findings = NULL, all = NULL;
  g_autofree char *scenario = NULL;
  const char *file = NULL;

  if (status != SHARDWISE_CLI_DONE)
    return status;
  import = import_files (rest, &file, &error);
  if (import == NULL)
    return shardwise_cli_fail (file, error);
  if (shardwise_import_is_job (import->kind))
    findings = shardwise_diagnose (import->scenario, import->kind, NULL, NULL);
  scenario = shardwise_scenario_to_json (import->scenario);
  if (json)
    return shardwise_cli_print_json (shardwise_import_all_to_json (import, findings), status);

  /* Prints the scenario; the notes on it go to standard error. */
  all = g_ptr_array_new ();
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
  if (import->kind == SHARDWISE_IMPORT_ERROR) /* of a job that no file states */
    {
      g_printerr ("%s: %s\n", file,
                  _ ("Which job failed? Add its configuration, launch command or scenario."));
      return status;
    }
  return shardwise_cli_print (g_steal_pointer (&scenario), status);
}

/* ---- report ---- */

static const char *
check_report (gconstpointer data)
{
  return *(char *const *) data != NULL ? NULL : _ ("--output PDF is required");
}

int
shardwise_cli_report (int argc, char **argv)
{
  g_autofree char *output = NULL;
  const GOptionEntry entries[] = {
    { "output", 0, 0, G_OPTION_ARG_FILENAME, &output, N_ ("Write to this file"), "PDF" },
    { NULL },
  };
  g_auto (ShardwiseCliInput) input = { .check = check_report, .data = &output };
  int status =
      shardwise_cli_input_read (&input, argc, argv, entries,
                                _ ("Writes the report that the window prints: verdict, figures, "
                                   "charts, reasons, second opinions, cost and all assumptions."));
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (ShardwiseReportExtras) extras = NULL;
  g_autoptr (ShardwiseReport) report = NULL;
  g_autoptr (GBytes) content = NULL;
  g_autoptr (GFile) file = NULL;
  g_autoptr (GError) error = NULL;
  guint n_pages;

  if (status != SHARDWISE_CLI_DONE)
    return status;
  advice = shardwise_advice_compute (
      input.scenario, &(ShardwiseAdviceOptions){ .top = SHARDWISE_ADVICE_TOP, .explain = TRUE },
      NULL, &error);
  if (advice == NULL)
    return shardwise_cli_fail (input.file, error);
  extras = shardwise_report_extras_new (input.scenario, advice, NULL, &error);
  report = shardwise_report_of_scenario (input.scenario, advice,
                                         shardwise_advice_get_recommended (advice), extras);
  content = shardwise_report_to_pdf (report, &n_pages, &error);
  file = g_file_new_for_commandline_arg (output);
  if (content == NULL
      || !shardwise_write_file (file, g_bytes_get_data (content, NULL), g_bytes_get_size (content),
                                &error))
    return shardwise_cli_fail (output, error);
  status = shardwise_advice_get_fits (advice) ? SHARDWISE_CLI_DONE : SHARDWISE_CLI_NOTHING_FITS;
  if (input.json)
    {
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "file", output);
      json_object_set_int_member (object, "pages", n_pages);
      return shardwise_cli_print_json (shardwise_json_take_object (object), status);
    }
  return shardwise_cli_print (
      /* Translators: the path of a file, and its number of pages */
      g_strdup_printf (ngettext ("wrote %s, %u page\n", "wrote %s, %u pages\n", n_pages), output,
                       n_pages),
      status);
}

/* ---- probe and step-probe ---- */

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
check_probe (gconstpointer data)
{
  const Probe *self = data;

  if (self->to == NULL)
    return _ ("--to is required");
  if (self->launcher != NULL && !g_str_equal (self->launcher, "torchrun")
      && !g_str_equal (self->launcher, "slurm"))
    return _ ("--launcher: unknown launcher; allowed: torchrun, slurm");
  return NULL;
}

/* @starts: the commands that start it, the one for the most GPUs last. */
static JsonNode *
probe_to_json (GPtrArray *files, char **starts)
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

/* @json: the name of the script's output file. */
static char *
probe_to_text (const Probe *self, GPtrArray *files, char **starts, const char *json)
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

/* Writes the script that @options describe, and prints how to start it. */
static int
write_probe (const Probe *self, const ShardwiseProbeOptions *options, gboolean json)
{
  g_autoptr (GPtrArray) files = shardwise_probe_files (options);
  g_autofree char *start = shardwise_probe_start (options);
  g_auto (GStrv) starts = g_strsplit (start, "\n", -1);
  g_autoptr (GError) error = NULL;

  if (!save_files (self->to, files, files->len, &error))
    return shardwise_cli_fail (self->to, error);
  if (json)
    return shardwise_cli_print_json (probe_to_json (files, starts), SHARDWISE_CLI_DONE);
  return shardwise_cli_print (probe_to_text (self, files, starts,
                                             options->strategy != NULL ? "shardwise-step-probe.json"
                                                                       : "shardwise-probe.json"),
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
    .file = NULL, .is_optional = TRUE, .check = check_probe, .data = &self
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
  return write_probe (&self, &options, input.json);
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

/* The measurements on the scenario's machine beside the prediction. */
static int
compare_step (const ShardwiseCliInput *input)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autoptr (GError) error = NULL;
  ShardwiseStepRow rows[SHARDWISE_N_STEP_ROWS];
  ShardwiseMachine machine;
  guint n;

  /* Including other measurements and the factors of the journal, so that the check judges the
   * calibrated prediction. */
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
    return compare_step (&input);
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
  return write_probe (
      &self, &(ShardwiseProbeOptions){ .advice = advice, .strategy = &recommended->strategy },
      input.json);
}
