/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-export-job.h"
#include "shardwise-export-program.h"
#include "shardwise-launch.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "sw-framework.h"
#include "sw-recipe.h"

/**
 * shardwise_format_avoids:
 * @info: a target
 * @problem: the question
 * @strategy: one that it can write
 *
 * Returns: whether its framework runs that otherwise than predicted, in fp32, say
 */
gboolean
shardwise_format_avoids (const ShardwiseFormatInfo *info, const SwProblem *problem,
                         const SwStrategy *strategy)
{
  const ShardwiseFormatWriter *writer = shardwise_format_writer (info);

  return writer->avoid != NULL && writer->avoid (problem, strategy);
}

/**
 * shardwise_export_free:
 * @self: (transfer full) (nullable): an export
 */
void
shardwise_export_free (ShardwiseExport *self)
{
  if (self == NULL)
    return;

  g_ptr_array_unref (self->files);
  g_ptr_array_unref (self->not_expressed);
  g_free (self);
}

static gboolean
check_rules_of (const ShardwiseFormatInfo *info, const ShardwiseFormatWriter *writer,
                const SwProblem *problem, const SwStrategy *strategy, guint dimensions,
                GError **error)
{
  for (gsize i = 0; i < writer->n_rules; i++)
    {
      const ShardwiseFormatRule *rule = &writer->rules[i];

      if ((rule->dimensions & ~dimensions) != 0 || !rule->broken (problem, strategy))
        continue;

      g_propagate_error (
          error,
          shardwise_error_new (
              SHARDWISE_ERROR_UNSUPPORTED,
              rule->key != SHARDWISE_KEY_NONE ? shardwise_key_path (rule->key) : rule->section,
              /* Translators: a sentence on what a framework refuses, then
                                         the product and the version that this was found in */
              C_ ("refusal", "%s (%s %s)"), _ (rule->text), info->product, info->version));
      return FALSE;
    }

  if (writer->base != NULL)
    return check_rules_of (info, writer->base, problem, strategy, dimensions, error);
  return writer == &shardwise_common_writer || info->launcher
         || check_rules_of (info, &shardwise_states_writer, problem, strategy, dimensions, error);
}

/* What a target starts: for a launcher the file of the strategy's framework, else itself. */
static const ShardwiseFormatInfo *
started (const ShardwiseFormatInfo *info, guint framework)
{
  return info->launcher ? shardwise_format_of_profile ((SwFramework) framework) : info;
}

/**
 * shardwise_export_check_rules:
 * @info: the target
 * @problem: the question, with the profile that is to run it
 * @strategy: a strategy, with that profile as its framework
 * @dimensions: bits 1 << SwDimension of those that are known; rules on others are passed over
 * @error: return location for a %SHARDWISE_ERROR_UNSUPPORTED
 *
 * Returns: %TRUE unless the target's framework, or the launcher, would refuse it
 */
gboolean
shardwise_export_check_rules (const ShardwiseFormatInfo *info, const SwProblem *problem,
                              const SwStrategy *strategy, guint dimensions, GError **error)
{
  const ShardwiseFormatInfo *inner = started (info, strategy->framework);

  return check_rules_of (info, shardwise_format_writer (info), problem, strategy, dimensions, error)
         && (inner == info || strategy->framework == SW_FRAMEWORK_ANY
             || check_rules_of (inner, shardwise_format_writer (inner), problem, strategy,
                                dimensions, error));
}

/**
 * shardwise_export_engine_refusal:
 * @info: the target
 * @strategy: that the engine's @rule refuses
 * @missing_bytes: what it lacks, where the rule is one on memory
 *
 * Returns: (transfer full): a %SHARDWISE_ERROR_UNSUPPORTED, which names the product and its version
 * where the rule is a framework's
 */
GError *
shardwise_export_engine_refusal (const ShardwiseFormatInfo *info, const SwProblem *problem,
                                 const SwStrategy *strategy, SwRule rule, double missing_bytes)
{
  g_autofree char *text = shardwise_text_rule (problem, strategy, rule, missing_bytes);
  /* What a rule of a framework is about. */
  static const ShardwiseKeyId keys[SW_N_RULES] = {
    [SW_RULE_FRAMEWORK_TP] = SHARDWISE_KEY_STRATEGY_TP,
    [SW_RULE_FRAMEWORK_PP] = SHARDWISE_KEY_STRATEGY_PP,
    [SW_RULE_FRAMEWORK_CP] = SHARDWISE_KEY_STRATEGY_CP,
    [SW_RULE_FRAMEWORK_EP] = SHARDWISE_KEY_STRATEGY_EP,
    [SW_RULE_FRAMEWORK_ZERO] = SHARDWISE_KEY_STRATEGY_ZERO_STAGE,
    [SW_RULE_FRAMEWORK_SCHEDULE] = SHARDWISE_KEY_STRATEGY_SCHEDULE,
    [SW_RULE_FRAMEWORK_RECOMPUTE] = SHARDWISE_KEY_STRATEGY_RECOMPUTE,
    [SW_RULE_FRAMEWORK_OFFLOAD] = SHARDWISE_KEY_STRATEGY_OFFLOAD,
    [SW_RULE_FRAMEWORK_SP] = SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL,
    [SW_RULE_FRAMEWORK_GPUS] = SHARDWISE_KEY_CLUSTER_GPUS,
    [SW_RULE_FRAMEWORK_TRAINING] = SHARDWISE_KEY_TRAINING_TYPE,
    [SW_RULE_PRECISION] = SHARDWISE_KEY_TRAINING_PRECISION,
  };

  if (keys[rule] == SHARDWISE_KEY_NONE)
    return shardwise_error_new (SHARDWISE_ERROR_UNSUPPORTED, "strategy", "%s", text);
  info = started (info, strategy->framework);
  return shardwise_error_new (SHARDWISE_ERROR_UNSUPPORTED, shardwise_key_path (keys[rule]),
                              C_ ("refusal", "%s (%s %s)"), text, info->product, info->version);
}

/**
 * shardwise_export_drop_sharding:
 * @profile: that is to run it
 * @strategy: a strategy
 *
 * Where one replica holds whole sequences there is nothing to shard: a ZeRO stage that the profile
 * lacks becomes its lowest one.
 */
void
shardwise_export_drop_sharding (SwFramework profile, SwStrategy *strategy)
{
  const SwFrameworkRules *rules = sw_framework_rules (profile);
  const guint mask = rules == NULL ? 0 : strategy->pp > 1 ? rules->zero_mask_pp : rules->zero_mask;

  if (strategy->dp == 1 && strategy->cp == 1 && mask != 0
      && (mask & (1u << strategy->zero_stage)) == 0)
    strategy->zero_stage = (guint8) g_bit_nth_lsf (mask, -1);
}

static ShardwiseExport *
write_profile (const ShardwiseFormatInfo *info, SwFramework profile, const SwProblem *problem,
               const SwEstimate *estimate, GError **error)
{
  const ShardwiseFormatWriter *writer = shardwise_format_writer (started (info, profile));
  g_autoptr (ShardwiseExport) out = g_new0 (ShardwiseExport, 1);
  ShardwiseExportJob job = { .info = info, .target = info, .problem = *problem };
  SwStrategy strategy = estimate->strategy;
  const SwFramework tool = (SwFramework) strategy.framework;
  const gboolean is_tool = tool != profile && sw_engine (tool) == profile;

  out->info = info;
  out->files = g_ptr_array_new_with_free_func (shardwise_export_file_free);
  out->not_expressed = g_ptr_array_new_with_free_func (shardwise_export_note_free);
  job.files = out->files;
  job.not_expressed = out->not_expressed;
  job.problem.training.framework = profile;
  /* A tool may hold states otherwise than what it is built on, which is told so. */
  if (is_tool)
    {
      job.problem.training.no_master = sw_updates_16_bits (problem, &strategy);
      if (job.problem.training.no_master)
        job.problem.training.gradient_bytes = sw_gradient_bytes (problem, &strategy);
      job.problem.training.states_stated = TRUE;
    }
  strategy.framework = (guint8) profile;
  shardwise_export_drop_sharding (profile, &strategy);
  if (writer->adapt != NULL)
    writer->adapt (&job, &strategy);
  if (!shardwise_export_check_rules (info, &job.problem, &strategy, ~0u, error))
    return NULL;

  /* Its own file is predicted as the advice predicts it, but written as that of its engine. */
  if (is_tool && shardwise_format_is_of (info, tool))
    job.problem.training.framework = strategy.framework = (guint8) tool;
  sw_estimate (&job.problem, &strategy, &job.estimate);
  out->estimate = job.estimate;
  job.problem.training.framework = job.estimate.strategy.framework = (guint8) profile;
  if (job.estimate.rule != SW_RULE_OK && job.estimate.rule != SW_RULE_GPU_MEMORY
      && job.estimate.rule != SW_RULE_HOST_MEMORY)
    {
      g_propagate_error (
          error, shardwise_export_engine_refusal (info, &job.problem, &job.estimate.strategy,
                                                  job.estimate.rule, job.estimate.missing_bytes));
      return NULL;
    }

  shardwise_format_writer (info)->write (&job);
  out->problem = job.problem;
  out->n_own_files = out->files->len;
  out->n_own_notes = out->not_expressed->len;

  return g_steal_pointer (&out);
}

/**
 * shardwise_export_runs:
 * @info: a target
 * @problem: the question, with one of its profiles
 * @strategy: a strategy
 * @error: return location for a %SHARDWISE_ERROR_UNSUPPORTED
 *
 * Returns: whether the target runs the strategy under that very profile
 */
gboolean
shardwise_export_runs (const ShardwiseFormatInfo *info, const SwProblem *problem,
                       const SwStrategy *strategy, GError **error)
{
  const SwEstimate estimate = { .strategy = *strategy };
  g_autoptr (ShardwiseExport) out = write_profile (info, problem->training.framework, problem,
                                                   &estimate, error);

  return out != NULL;
}

/**
 * shardwise_export_write:
 * @format: the target
 * @problem: the question
 * @estimate: the strategy to write; its figures are computed again with the target's software
 * profile
 * @error: return location for a %SHARDWISE_ERROR_UNSUPPORTED
 *
 * Writes the files of one framework. A strategy that does not fit in memory is written all the
 * same, and the header says so: the framework itself would accept it. A target with several
 * profiles takes the strategy's own where it can, else the first that runs the strategy.
 *
 * Returns: (transfer full) (nullable): the files, or %NULL if the framework would refuse the
 * strategy
 */
ShardwiseExport *
shardwise_export_write (ShardwiseFormat format, const SwProblem *problem,
                        const SwEstimate *estimate, GError **error)
{
  const ShardwiseFormatInfo *info;
  g_autoptr (GError) refusal = NULL;
  guint framework;
  SwFramework first;
  ShardwiseExport *out;

  g_return_val_if_fail (format < SHARDWISE_N_FORMATS, NULL);
  g_return_val_if_fail (problem != NULL && estimate != NULL, NULL);

  info = shardwise_format_info (format);
  framework = sw_engine (estimate->strategy.framework);
  /* The preferred profile of a strategy; for a tool, the profile of the framework that it is built
   * on. */
  if (info->launcher)
    first = shardwise_format_of_profile ((SwFramework) framework)->framework;
  else
    first = (info->profiles & (1u << framework)) != 0 ? (SwFramework) framework : info->framework;
  out = write_profile (info, first, problem, estimate, &refusal);
  for (guint i = 0; out == NULL && !info->launcher && i < SW_N_FRAMEWORKS; i++)
    if (i != first && (info->profiles & (1u << i)) != 0)
      out = write_profile (info, (SwFramework) i, problem, estimate, NULL);
  g_debug ("%s %s: %s", info->id, info->version, out != NULL ? "written" : refusal->message);
  if (out == NULL)
    g_propagate_error (error, g_steal_pointer (&refusal));

  return out;
}

/**
 * shardwise_export_to_json:
 * @self: an export
 *
 * Returns: (transfer full): the contract of `export --json`
 */
JsonNode *
shardwise_export_to_json (ShardwiseExport *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  g_return_val_if_fail (self != NULL, NULL);

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "framework");
  json_builder_add_string_value (builder, self->info->id);
  json_builder_set_member_name (builder, "version");
  json_builder_add_string_value (builder, self->info->version);
  json_builder_set_member_name (builder, "files");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->files->len; i++)
    {
      const ShardwiseExportFile *file = g_ptr_array_index (self->files, i);

      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "name");
      json_builder_add_string_value (builder, file->name);
      json_builder_set_member_name (builder, "content");
      json_builder_add_string_value (builder, file->content);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "not_expressed");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->not_expressed->len; i++)
    json_builder_add_string_value (builder, shardwise_export_note_text (self->not_expressed, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);

  return json_builder_get_root (builder);
}

/* What accompanies the files of a framework: what starts them, and a README. */

#define README "README.md"

/* (transfer full): of a launcher, or of a script that starts itself */
static char *
start_command (const ShardwiseFormatInfo *launcher)
{
  const char *program = launcher->format == SHARDWISE_FORMAT_SLURM      ? "sbatch"
                        : launcher->format == SHARDWISE_FORMAT_SKYPILOT ? "sky launch"
                        : g_str_equal (launcher->id, "kubernetes")      ? "kubectl apply -f"
                                                                        : "bash";

  return g_strdup_printf ("%s %s", program, launcher->file_name);
}

static char *
readme (const ShardwiseExportJob *job, const ShardwiseFormatInfo *launcher, const char *command)
{
  GString *text = g_string_new (NULL);
  g_autofree char *strategy = shardwise_text_strategy (&job->estimate.strategy);
  g_autofree char *title =
      g_strdup_printf ("%s · %u × %s",
                       job->problem.model.name[0] != '\0' ? job->problem.model.name
                                                          : _ ("Model with custom dimensions"),
                       shardwise_export_gpus (job), job->problem.cluster.gpu.name);
  g_autofree char *checked = g_strdup_printf (
      /* Translators: a framework, the product that it is part of and its version */
      _ ("Written for %s, checked against %s %s."), job->info->title, job->info->product,
      job->info->version);

  shardwise_export_append_text (text, "# ", title);
  g_string_append_printf (text, "\n%s\n\n%s\n", strategy, checked);
  g_string_append_c (text, '\n');
  shardwise_export_append_prediction (job, "", text);
  g_string_append_printf (text, "\n## %s\n\n", _ ("Files"));
  for (guint i = 0; i < job->files->len; i++)
    {
      const ShardwiseExportFile *file = g_ptr_array_index (job->files, i);
      const char *what = g_str_equal (file->name, launcher->file_name)
                             ? _ ("starts the training on every node")
                         : g_str_equal (file->name, "ds_setup.py")
                             ? _ ("builds the DeepSpeed engine, including what JSON cannot express")
                         : g_str_equal (file->name, SHARDWISE_PROGRAM)
                                 || g_str_equal (file->name, "train_trl.py")
                                 || g_str_equal (file->name, "train_unsloth.py")
                             ? _ ("the training program: model, your data set, training steps")
                             : _ ("the framework’s configuration");

      g_string_append_printf (text, "- `%s`: %s\n", file->name, what);
    }

  g_string_append_printf (text, "\n## %s\n\n```\n%s\n```\n", _ ("Start"), command);
  if (shardwise_format_writer (job->info)->program != NULL)
    {
      g_string_append_c (text, '\n');
      shardwise_export_append_text (
          text, "",
          _ ("train.py trains a Hugging Face Transformers model on data.jsonl: put your data set "
             "there, or change its path in the first lines."));
    }
  if (job->not_expressed->len > 0)
    {
      g_string_append_printf (text, "\n## %s\n\n", _ ("Not included in these files"));
      for (guint i = 0; i < job->not_expressed->len; i++)
        shardwise_export_append_text (text, "- ",
                                      shardwise_export_note_text (job->not_expressed, i));
    }

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
  ShardwiseExportJob job = { .info = self->info,
                             .target = self->info,
                             .problem = self->problem,
                             .estimate = self->estimate,
                             .files = self->files,
                             .not_expressed = self->not_expressed };
  g_autofree char *command = NULL;

  g_return_if_fail (starts != NULL && starts->launcher);

  shardwise_export_unbundle (self);
  if (self->info->launcher)
    {
      starts = self->info;
      job.info = shardwise_format_of_profile ((SwFramework) self->estimate.strategy.framework);
    }
  else if (shardwise_format_starts_itself (self->info) && launcher == SHARDWISE_FORMAT_TORCHRUN)
    starts = self->info;
  else
    {
      shardwise_launcher_add_notes (starts, &job);
      shardwise_export_add_program (&job);
      shardwise_export_add_file (&job, starts->file_name, shardwise_launcher_text (starts, &job));
    }
  command = start_command (starts);
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
  const ShardwiseExportJob job = { .info = self->info,
                                   .problem = self->problem,
                                   .estimate = self->estimate };

  for (guint i = SHARDWISE_N_FORMATS; i > 0; i--) /* launchers come after what they start */
    {
      const ShardwiseFormatInfo *info = shardwise_format_info ((ShardwiseFormat) (i - 1));

      for (guint j = 0;
           (info->launcher || shardwise_format_starts_itself (info)) && j < self->files->len; j++)
        if (g_str_equal (info->file_name,
                         ((ShardwiseExportFile *) g_ptr_array_index (self->files, j))->name))
          return start_command (info);
    }
  return shardwise_launch_line (&job);
}
