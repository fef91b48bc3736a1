/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-private.h"

#include <glib/gi18n.h>

#include "shardwise-config.h"
#include "shardwise-texts.h"

static const ShardwiseFormatInfo formats[SHARDWISE_N_FORMATS] = {
  { SHARDWISE_FORMAT_DEEPSPEED, "deepspeed", "DeepSpeed", "DeepSpeed", "0.19.6", "json",
    "ds_config.json", SW_FRAMEWORK_DEEPSPEED },
  { SHARDWISE_FORMAT_FSDP1, "fsdp1", "FSDP 1", "PyTorch", "2.6", "python3", "train_fsdp1.py",
    SW_FRAMEWORK_FSDP },
  { SHARDWISE_FORMAT_FSDP2, "fsdp2", "FSDP 2", "PyTorch", "2.6", "python3", "train_fsdp2.py",
    SW_FRAMEWORK_FSDP2 },
  { SHARDWISE_FORMAT_NANOTRON, "nanotron", "Nanotron", "Nanotron", "0.4", "yaml", "nanotron.yaml",
    SW_FRAMEWORK_NANOTRON },
};

static const ShardwiseFormatWriter *const writers[SHARDWISE_N_FORMATS] = {
  &shardwise_deepspeed_writer,
  &shardwise_fsdp1_writer,
  &shardwise_fsdp2_writer,
  &shardwise_nanotron_writer,
};

/**
 * shardwise_format_info:
 * @format: an export target
 *
 * Returns: (transfer none): its description
 */
const ShardwiseFormatInfo *
shardwise_format_info (ShardwiseFormat format)
{
  g_return_val_if_fail (format < SHARDWISE_N_FORMATS, NULL);

  return &formats[format];
}

/**
 * shardwise_format_find:
 * @id: an id as `--to` takes it
 *
 * Returns: (transfer none) (nullable): the target of that id
 */
const ShardwiseFormatInfo *
shardwise_format_find (const char *id)
{
  for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
    if (g_strcmp0 (formats[i].id, id) == 0)
      return &formats[i];

  return NULL;
}

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
check_rules (const ShardwiseFormatWriter *writer,
             const SwProblem *problem,
             const SwStrategy *strategy,
             guint dimensions,
             GError **error)
{
  for (gsize i = 0; i < writer->n_rules; i++)
    {
      const ShardwiseFormatRule *rule = &writer->rules[i];

      if ((rule->dimensions & ~dimensions) != 0 || !rule->broken (problem, strategy))
        continue;

      g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_UNSUPPORTED, rule->path, "%s",
                                                     _ (rule->text)));
      return FALSE;
    }

  return TRUE;
}

/* The published rules of thumb name ZeRO 2 and 3 beside pipelines, and other frameworks run tensor
 * parallelism with sequence parallelism, which DeepSpeed refuses; where the user did not ask for
 * it, it is left out and said. */
static void
adapt_to_deepspeed (ShardwiseExportJob *job, SwStrategy *strategy)
{
  if (strategy->pp > 1 && strategy->zero_stage > 1
      && !sw_pins_has (&job->problem.pins, SW_DIM_ZERO))
    {
      shardwise_export_add_note (job,
                                 /* Translators: %u is 2 or 3 */
                                 g_strdup_printf (_("ZeRO %u was lowered to ZeRO 1: DeepSpeed's "
                                                     "pipeline engine refuses ZeRO 2 and 3."),
                                                  (guint)strategy->zero_stage));
      strategy->zero_stage = 1;
    }
  if (strategy->sequence_parallel && !sw_pins_has (&job->problem.pins, SW_DIM_SP))
    {
      shardwise_export_add_note (
          job, g_strdup (_ (
                   "Sequence parallelism was left out: DeepSpeed's tensor parallelism has none.")));
      strategy->sequence_parallel = FALSE;
    }
}

static gboolean
check_engine_rule (const SwProblem *problem, const SwEstimate *estimate, GError **error)
{
  g_autofree char *text = NULL;

  if (estimate->rule == SW_RULE_OK || estimate->rule == SW_RULE_GPU_MEMORY
      || estimate->rule == SW_RULE_HOST_MEMORY)
    return TRUE;

  text =
      shardwise_text_rule (problem, &estimate->strategy, estimate->rule, estimate->missing_bytes);
  g_propagate_error (error,
                     shardwise_error_new (SHARDWISE_ERROR_UNSUPPORTED, "strategy", "%s", text));

  return FALSE;
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
 * same, and the header says so: the framework itself would accept it.
 *
 * Returns: (transfer full) (nullable): the files, or %NULL where the framework would refuse the
 * strategy
 */
ShardwiseExport *
shardwise_export_write (ShardwiseFormat format,
                        const SwProblem *problem,
                        const SwEstimate *estimate,
                        GError **error)
{
  g_autoptr (ShardwiseExport) out = NULL;
  ShardwiseExportJob job;
  SwStrategy strategy;

  g_return_val_if_fail (format < SHARDWISE_N_FORMATS, NULL);
  g_return_val_if_fail (problem != NULL && estimate != NULL, NULL);

  out = export_new (&formats[format]);
  job = (ShardwiseExportJob){ .info = &formats[format], .problem = *problem, .out = out };
  job.problem.training.framework = job.info->framework;
  strategy = estimate->strategy;
  strategy.framework = (guint8)job.info->framework;
  if (format == SHARDWISE_FORMAT_DEEPSPEED)
    adapt_to_deepspeed (&job, &strategy);

  if (!check_rules (writers[format], &job.problem, &strategy, ~0u, error))
    return NULL;

  sw_estimate (&job.problem, &strategy, &job.estimate);
  if (!check_engine_rule (&job.problem, &job.estimate, error))
    return NULL;

  writers[format]->write (&job);
  out->estimate = job.estimate;

  return g_steal_pointer (&out);
}

static ShardwiseExport *
write_first (ShardwiseFormat format, ShardwiseAdvice *advice, SwEstimate *estimate, GError **error)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwEstimate *candidate = shardwise_advice_get_recommended (advice);
  guint n = shardwise_advice_get_n_alternatives (advice);
  g_autoptr (GError) first = NULL;

  for (guint i = 0; candidate != NULL; i++)
    {
      g_autoptr (GError) refusal = NULL;
      ShardwiseExport *out = shardwise_export_write (format, problem, candidate, &refusal);

      if (out != NULL)
        {
          if (estimate != NULL)
            *estimate = out->estimate;
          return out;
        }
      if (first == NULL)
        first = g_steal_pointer (&refusal);
      candidate = i < n ? shardwise_advice_get_alternative (advice, i) : NULL;
    }

  g_propagate_error (error, g_steal_pointer (&first));
  return NULL;
}

/* The engine's rule against what is pinned, the rest being as plain as it can be: OK where it is
 * not the framework's. */
static SwRule
rule_against_pins (const SwProblem *problem, SwStrategy *strategy)
{
  SwRule rule;

  sw_strategy_init_default (strategy);
  strategy->framework = (guint8)problem->training.framework;
  for (guint d = 0; d < SW_N_DIMENSIONS; d++)
    if (sw_pins_has (&problem->pins, d))
      sw_strategy_set (strategy, d, sw_strategy_get (&problem->pins.value, d));
  rule = sw_rules_check (problem, strategy);

  return rule >= SW_RULE_FRAMEWORK_TP && rule <= SW_RULE_PRECISION ? rule : SW_RULE_OK;
}

static gboolean
fail_nothing_fits (const ShardwiseFormatInfo *info, ShardwiseAdvice *advice, GError **error)
{
  const SwEstimate *nearest = shardwise_advice_get_recommended (advice);

  const SwProblem *problem = shardwise_advice_get_problem (advice);
  SwStrategy plain;
  SwRule rule = rule_against_pins (problem, &plain);

  if (rule != SW_RULE_OK)
    {
      g_autofree char *text = shardwise_text_rule (problem, &plain, rule, 0);

      g_propagate_error (error,
                         shardwise_error_new (SHARDWISE_ERROR_UNSUPPORTED, "strategy", "%s", text));
    }
  else if (nearest == NULL || nearest->missing_bytes <= 0)
    {
      g_propagate_error (error, shardwise_error_new (
                                    SHARDWISE_ERROR_UNSUPPORTED, "strategy",
                                    /* Translators: %s is a framework, "DeepSpeed" */
                                    _("%s can run none of the strategies that these inputs allow"),
                                    info->title));
    }
  else
    {
      g_autofree char *missing = shardwise_format_bytes (nearest->missing_bytes);

      g_propagate_error (
          error,
          shardwise_error_new (
              SHARDWISE_ERROR_UNSUPPORTED, "strategy",
              /* Translators: a framework, "DeepSpeed", then an amount of memory, "3.2 GiB" */
              _("nothing that %s can run fits in memory; the nearest strategy lacks %s per GPU"),
              info->title, missing));
    }

  return FALSE;
}

static ShardwiseExport *
advise_and_write (const ShardwiseFormatInfo *info,
                  ShardwiseScenario *scenario,
                  GCancellable *cancellable,
                  SwEstimate *estimate,
                  GError **error)
{
  const ShardwiseAdviceOptions options = { .method = SHARDWISE_METHOD_ANALYTICAL, .top = 50 };
  g_autoptr (ShardwiseAdvice) advice =
      shardwise_advice_compute (scenario, &options, cancellable, error);

  if (advice == NULL)
    return NULL;
  if (!shardwise_advice_get_fits (advice))
    {
      fail_nothing_fits (info, advice, error);
      return NULL;
    }

  return write_first (info->format, advice, estimate, error);
}

/* Where the search prefers what the format cannot say, it is narrowed; what the user pinned stays.
 */
static gboolean
narrow (const ShardwiseFormatWriter *writer, const SwProblem *problem, ShardwiseScenario *scenario)
{
  gboolean changed = FALSE;

  for (const ShardwiseFormatPin *pin = writer->narrow; pin->path != NULL; pin++)
    {
      GVariant *value;

      if (shardwise_scenario_is_set (scenario, pin->path)
          || (pin->experts && problem->model.moe.experts == 0))
        continue;
      value = pin->word != NULL ? g_variant_new_string (pin->word) : g_variant_new_int64 (1);
      changed |= shardwise_scenario_set (scenario, pin->path, value, NULL);
    }

  return changed;
}

/* The question under the format's profile; refuses what is pinned against the framework's rules. */
static ShardwiseScenario *
scenario_for_format (const ShardwiseFormatInfo *info,
                     ShardwiseScenario *scenario,
                     SwProblem *problem,
                     GError **error)
{
  g_autoptr (ShardwiseScenario) copy = shardwise_scenario_copy (scenario);

  if (!shardwise_scenario_set (copy, "training.framework",
                               g_variant_new_string (sw_framework_names[info->framework]), error)
      || !shardwise_scenario_resolve (copy, problem, NULL, error))
    return NULL;

  if (!check_rules (writers[info->format], problem, &problem->pins.value, problem->pins.mask,
                    error))
    return NULL;

  return g_steal_pointer (&copy);
}

/**
 * shardwise_export_best:
 * @format: the target
 * @scenario: the question; what it pins stays pinned
 * @cancellable: (nullable): stops the search
 * @estimate: (out) (optional): the strategy that was written, with the target's software profile
 * @error: return location for a %SHARDWISE_ERROR_UNSUPPORTED (the framework's rule, or what is
 * missing) or another error of the scenario
 *
 * Searches with the target's software profile and writes the best strategy that the target can
 * express.
 *
 * Returns: (transfer full) (nullable): the files
 */
ShardwiseExport *
shardwise_export_best (ShardwiseFormat format,
                       ShardwiseScenario *scenario,
                       GCancellable *cancellable,
                       SwEstimate *estimate,
                       GError **error)
{
  g_autoptr (ShardwiseScenario) copy = NULL;
  g_autoptr (GError) local_error = NULL;
  SwProblem problem;
  ShardwiseExport *out;

  g_return_val_if_fail (format < SHARDWISE_N_FORMATS, NULL);
  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), NULL);

  copy = scenario_for_format (&formats[format], scenario, &problem, error);
  if (copy == NULL)
    return NULL;

  out = advise_and_write (&formats[format], copy, cancellable, estimate, &local_error);
  if (out == NULL && g_error_matches (local_error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED)
      && narrow (writers[format], &problem, copy))
    {
      g_clear_error (&local_error);
      out = advise_and_write (&formats[format], copy, cancellable, estimate, &local_error);
    }
  if (out == NULL)
    g_propagate_error (error, g_steal_pointer (&local_error));

  return out;
}

static void
reset_strategy (ShardwiseScenario *scenario)
{
  guint n;
  const ShardwiseKey *keys = shardwise_keys (&n);

  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (keys[i].path, "strategy."))
      shardwise_scenario_reset (scenario, keys[i].path);
}

/**
 * shardwise_export_nearest:
 * @format: the target
 * @scenario: the question
 * @cancellable: (nullable): stops the search
 * @estimate: (out) (optional): the strategy that was written
 * @error: return location for an error
 *
 * Like shardwise_export_best(), but lets go of what is pinned against the framework's rules: first
 * the key that is to blame, one after the other, and every pinned dimension where none is.
 *
 * Returns: (transfer full) (nullable): the files
 */
ShardwiseExport *
shardwise_export_nearest (ShardwiseFormat format,
                          ShardwiseScenario *scenario,
                          GCancellable *cancellable,
                          SwEstimate *estimate,
                          GError **error)
{
  g_autoptr (ShardwiseScenario) copy = shardwise_scenario_copy (scenario);

  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    {
      g_autoptr (GError) refusal = NULL;
      ShardwiseExport *out = shardwise_export_best (format, copy, cancellable, estimate, &refusal);
      const char *path;

      if (out != NULL)
        return out;
      if (!g_error_matches (refusal, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED))
        {
          g_propagate_error (error, g_steal_pointer (&refusal));
          return NULL;
        }
      path = shardwise_error_path (refusal);
      if (path == NULL || !g_str_has_prefix (path, "strategy.")
          || !shardwise_scenario_is_set (copy, path))
        break;
      shardwise_scenario_reset (copy, path);
    }

  reset_strategy (copy);
  return shardwise_export_best (format, copy, cancellable, estimate, error);
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
