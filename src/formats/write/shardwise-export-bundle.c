/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-launch.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-texts.h"

/* What accompanies the files of a framework: what starts them, and a README. */

#define README "README.md"

static const char *
start_command (const ShardwiseFormatInfo *launcher)
{
  if (launcher->format == SHARDWISE_FORMAT_SLURM)
    return "sbatch job.sbatch";
  if (launcher->format == SHARDWISE_FORMAT_KUBERNETES)
    return "kubectl apply -f trainjob.yaml";

  return launcher->format == SHARDWISE_FORMAT_PYTORCHJOB ? "kubectl apply -f pytorchjob.yaml"
                                                         : "bash launch.sh";
}

static const char *
describe_file (const char *name, const ShardwiseFormatInfo *launcher)
{
  if (g_str_equal (name, launcher->file_name))
    return _ ("starts the training on every node");
  if (g_str_equal (name, "ds_setup.py"))
    return _ ("builds the DeepSpeed engine: what JSON cannot say");
  if (g_str_equal (name, "your_script.py"))
    return _ ("your own training program");

  return _ ("the framework’s configuration");
}

static void
append_title (const ShardwiseExportJob *job, GString *text)
{
  g_autofree char *strategy = shardwise_text_strategy (&job->estimate.strategy);
  g_autofree char *title =
      g_strdup_printf ("%s · %u × %s",
                       job->problem.model.name[0] != '\0' ? job->problem.model.name
                                                          : _ ("A model given by its dimensions"),
                       shardwise_export_gpus (job), job->problem.cluster.gpu.name);
  g_autofree char *checked = g_strdup_printf (
      /* Translators: a framework, the product that it is part of and its version */
      _ ("Written for %s, checked against %s %s."), job->info->title, job->info->product,
      job->info->version);

  shardwise_export_append_text (text, "# ", title);
  g_string_append_printf (text, "\n%s\n\n%s\n", strategy, checked);
}

static void
append_files (const ShardwiseExportJob *job, const ShardwiseFormatInfo *launcher, GString *text)
{
  g_string_append_printf (text, "\n## %s\n\n", _ ("Files"));
  for (guint i = 0; i < job->out->files->len; i++)
    {
      const ShardwiseExportFile *file = g_ptr_array_index (job->out->files, i);

      g_string_append_printf (text, "- `%s`: %s\n", file->name,
                              describe_file (file->name, launcher));
    }
}

/* A script of one's own runs where the framework brings none. */
static void
append_start (const ShardwiseExportJob *job, const char *command, GString *text)
{
  g_auto (ShardwiseLaunch) launch = { 0 };

  g_string_append_printf (text, "\n## %s\n\n```\n%s\n```\n", _ ("Start"), command);
  shardwise_launch_of (job, &launch);
  if (!g_str_equal (launch.script, "your_script.py"))
    return;

  g_string_append_c (text, '\n');
  shardwise_export_append_text (text, "",
                                _ ("your_script.py is your own training program: it imports what "
                                   "is written here, and makes the "
                                   "model and the data."));
}

static void
append_notes (const ShardwiseExportJob *job, GString *text)
{
  if (job->out->not_expressed->len == 0)
    return;

  g_string_append_printf (text, "\n## %s\n\n", _ ("What these files do not say"));
  for (guint i = 0; i < job->out->not_expressed->len; i++)
    shardwise_export_append_text (text, "- ", g_ptr_array_index (job->out->not_expressed, i));
}

static char *
readme (const ShardwiseExportJob *job, const ShardwiseFormatInfo *launcher, const char *command)
{
  GString *text = g_string_new (NULL);

  append_title (job, text);
  g_string_append_c (text, '\n');
  shardwise_export_append_prediction (job, "", text);
  append_files (job, launcher, text);
  append_start (job, command, text);
  append_notes (job, text);

  return g_string_free (text, FALSE);
}

/**
 * shardwise_export_unbundle:
 * @self: an export
 *
 * Leaves the target's own files alone.
 */
void
shardwise_export_unbundle (ShardwiseExport *self)
{
  g_ptr_array_set_size (self->files, (int) self->n_own_files);
  g_ptr_array_set_size (self->not_expressed, (int) self->n_own_notes);
}

/**
 * shardwise_export_bundle:
 * @self: an export, as it was written
 * @launcher: a launcher; without effect where @self is a launcher's already, or a script that
 * starts itself
 *
 * Adds the launcher's file and a README to the files.
 */
void
shardwise_export_bundle (ShardwiseExport *self, ShardwiseFormat launcher)
{
  const ShardwiseFormatInfo *starts = shardwise_format_info (launcher);
  ShardwiseExportJob job = {
    .info = self->info, .problem = self->problem, .estimate = self->estimate, .out = self
  };
  const char *command;

  g_return_if_fail (starts != NULL && starts->launcher);

  shardwise_export_unbundle (self);
  command = start_command (starts);
  if (self->info->launcher)
    {
      starts = self->info;
      command = start_command (starts);
      job.info = shardwise_format_of_profile ((SwFramework) self->estimate.strategy.framework);
    }
  else if (self->info->format == SHARDWISE_FORMAT_MEGATRON && launcher == SHARDWISE_FORMAT_TORCHRUN)
    {
      starts = self->info;
      command = "bash megatron.sh";
    }
  else
    {
      shardwise_launcher_add_notes (starts, &job);
      shardwise_export_add_file (&job, starts->file_name, shardwise_launcher_text (starts, &job));
    }
  shardwise_export_add_file (&job, README, readme (&job, starts, command));
}

/**
 * shardwise_export_start:
 * @self: an export, or a bundle
 *
 * Returns: (transfer full): the command that starts it, in one line; on several nodes that are not
 * started by a launcher, run on each with NODE_RANK, MASTER_ADDR and MASTER_PORT
 */
char *
shardwise_export_start (const ShardwiseExport *self)
{
  static const char *const starts[] = { "sbatch job.sbatch", "kubectl apply -f trainjob.yaml",
                                        "kubectl apply -f pytorchjob.yaml", "bash launch.sh",
                                        "bash megatron.sh" };
  const ShardwiseExportJob job = { .info = self->info,
                                   .problem = self->problem,
                                   .estimate = self->estimate };

  for (guint i = 0; i < G_N_ELEMENTS (starts); i++)
    for (guint j = 0; j < self->files->len; j++)
      if (g_str_equal (strrchr (starts[i], ' ') + 1,
                       ((ShardwiseExportFile *) g_ptr_array_index (self->files, j))->name))
        return g_strdup (starts[i]);
  return shardwise_launch_line (&job);
}
