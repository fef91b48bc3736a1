/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-private.h"

#include <glib/gi18n.h>

#include "shardwise-texts.h"
#include "sw-framework.h"

static void
export_file_free (gpointer data)
{
  ShardwiseExportFile *file = data;

  g_free (file->name);
  g_free (file->content);
  g_free (file);
}

static ShardwiseExport *
export_new (const ShardwiseFormatInfo *info)
{
  ShardwiseExport *self = g_new0 (ShardwiseExport, 1);

  self->info = info;
  self->files = g_ptr_array_new_with_free_func (export_file_free);
  self->not_expressed = g_ptr_array_new_with_free_func (g_free);

  return self;
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
          error, shardwise_error_new (SHARDWISE_ERROR_UNSUPPORTED, rule->path,
                                      /* Translators: a sentence on what a framework refuses, then
                                         the product and the version that this was found in */
                                      C_ ("refusal", "%s (%s %s)"), _ (rule->text), info->product,
                                      info->version));
      return FALSE;
    }

  return writer->base == NULL
         || check_rules_of (info, writer->base, problem, strategy, dimensions, error);
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

/* What a rule of a framework is about. */
static const char *
path_of_rule (SwRule rule)
{
  static const char *const paths[] = {
    [SW_RULE_FRAMEWORK_TP] = "strategy.tp",
    [SW_RULE_FRAMEWORK_PP] = "strategy.pp",
    [SW_RULE_FRAMEWORK_CP] = "strategy.cp",
    [SW_RULE_FRAMEWORK_EP] = "strategy.ep",
    [SW_RULE_FRAMEWORK_ZERO] = "strategy.zero_stage",
    [SW_RULE_FRAMEWORK_SCHEDULE] = "strategy.schedule",
    [SW_RULE_FRAMEWORK_RECOMPUTE] = "strategy.recompute",
    [SW_RULE_FRAMEWORK_OFFLOAD] = "strategy.offload",
    [SW_RULE_FRAMEWORK_SP] = "strategy.sequence_parallel",
    [SW_RULE_PRECISION] = "training.precision",
  };

  return rule < G_N_ELEMENTS (paths) ? paths[rule] : NULL;
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
  const char *path = path_of_rule (rule);

  if (path == NULL)
    return shardwise_error_new (SHARDWISE_ERROR_UNSUPPORTED, "strategy", "%s", text);
  info = started (info, strategy->framework);
  return shardwise_error_new (SHARDWISE_ERROR_UNSUPPORTED, path, C_ ("refusal", "%s (%s %s)"), text,
                              info->product, info->version);
}

static gboolean
check_engine_rule (const ShardwiseFormatInfo *info, const SwProblem *problem,
                   const SwEstimate *estimate, GError **error)
{
  if (estimate->rule == SW_RULE_OK || estimate->rule == SW_RULE_GPU_MEMORY
      || estimate->rule == SW_RULE_HOST_MEMORY)
    return TRUE;

  g_propagate_error (error,
                     shardwise_export_engine_refusal (info, problem, &estimate->strategy,
                                                      estimate->rule, estimate->missing_bytes));
  return FALSE;
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
  g_autoptr (ShardwiseExport) out = export_new (info);
  ShardwiseExportJob job = { .info = info, .problem = *problem, .out = out };
  SwStrategy strategy = estimate->strategy;

  job.problem.training.framework = profile;
  strategy.framework = (guint8) profile;
  shardwise_export_drop_sharding (profile, &strategy);
  if (writer->adapt != NULL)
    writer->adapt (&job, &strategy);
  if (!shardwise_export_check_rules (info, &job.problem, &strategy, ~0u, error))
    return NULL;

  sw_estimate (&job.problem, &strategy, &job.estimate);
  if (!check_engine_rule (info, &job.problem, &job.estimate, error))
    return NULL;

  shardwise_format_writer (info)->write (&job);
  out->estimate = job.estimate;
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

/* The profile that a strategy is written for before all others. */
static SwFramework
first_profile (const ShardwiseFormatInfo *info, guint framework)
{
  if (info->launcher)
    return shardwise_format_of_profile ((SwFramework) framework)->framework;

  return (info->profiles & (1u << framework)) != 0 ? (SwFramework) framework : info->framework;
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
 * Returns: (transfer full) (nullable): the files, or %NULL where the framework would refuse the
 * strategy
 */
ShardwiseExport *
shardwise_export_write (ShardwiseFormat format, const SwProblem *problem,
                        const SwEstimate *estimate, GError **error)
{
  const ShardwiseFormatInfo *info;
  g_autoptr (GError) refusal = NULL;
  SwFramework first;
  ShardwiseExport *out;

  g_return_val_if_fail (format < SHARDWISE_N_FORMATS, NULL);
  g_return_val_if_fail (problem != NULL && estimate != NULL, NULL);

  info = shardwise_format_info (format);
  first = first_profile (info, estimate->strategy.framework);
  out = write_profile (info, first, problem, estimate, &refusal);
  for (guint i = 0; out == NULL && !info->launcher && i < SW_N_FRAMEWORKS; i++)
    if (i != first && (info->profiles & (1u << i)) != 0)
      out = write_profile (info, (SwFramework) i, problem, estimate, NULL);
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
    json_builder_add_string_value (builder, g_ptr_array_index (self->not_expressed, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);

  return json_builder_get_root (builder);
}
