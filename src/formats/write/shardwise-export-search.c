/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The strategies that an export target can run: the best one, and the nearest to what is pinned;
 * and which target to offer for an answer: one that can be written. */
#include "shardwise-export-search.h"

#include <glib/gi18n.h>

#include "shardwise-advice-json.h"
#include "shardwise-export-job.h"
#include "shardwise-resolve.h"
#include "shardwise-format.h"
#include "sw-framework.h"

static GError *
does_not_fit (const ShardwiseFormatInfo *info, double missing_bytes)
{
  g_autofree char *missing = shardwise_format_bytes (missing_bytes);

  return shardwise_error_new (
      SHARDWISE_ERROR_UNSUPPORTED, "strategy",
      /* Translators: a framework, "DeepSpeed", then an amount of memory, "3.2 GiB" */
      _ ("no strategy that %s supports fits in memory; the nearest needs %s more per GPU"),
      info->title, missing);
}

/* The fastest strategy that can be written and runs as predicted, else the fastest that can be
 * written. */
static ShardwiseExport *
write_first (const ShardwiseFormatInfo *info, ShardwiseAdvice *advice, GError **error)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwEstimate *candidate = shardwise_advice_get_recommended (advice);
  guint n = shardwise_advice_get_n_alternatives (advice);
  g_autoptr (ShardwiseExport) avoided = NULL;
  g_autoptr (GError) first = NULL;

  for (guint i = 0; candidate != NULL; i++)
    {
      g_autoptr (ShardwiseExport) out = shardwise_export_write (info->format, problem, candidate,
                                                                first == NULL ? &first : NULL);

      /* One that is written otherwise than it was found may need more memory. */
      if (out != NULL && !out->estimate.fits)
        {
          if (first == NULL)
            first = does_not_fit (info, out->estimate.missing_bytes);
          g_clear_pointer (&out, shardwise_export_free);
        }
      if (out != NULL
          && !shardwise_format_avoids (out->info, &out->problem, &out->estimate.strategy))
        return g_steal_pointer (&out);
      if (avoided == NULL)
        avoided = g_steal_pointer (&out);
      candidate = i < n ? shardwise_advice_get_alternative (advice, i) : NULL;
    }
  if (avoided == NULL)
    g_propagate_error (error, g_steal_pointer (&first));

  return g_steal_pointer (&avoided);
}

static gboolean
is_of_framework (SwRule rule, guint dimensions)
{
  return rule >= SW_RULE_FRAMEWORK_TP && rule <= SW_RULE_PRECISION;
}

/* A rule of every framework that the pinned values break whatever the others are. */
static gboolean
is_of_pins (SwRule rule, guint dimensions)
{
  const guint experts = 1u << SW_DIM_TP | 1u << SW_DIM_ETP;

  return rule == SW_RULE_TP_HEADS || rule == SW_RULE_TP_KV_HEADS || rule == SW_RULE_TP_WIDTH
         || rule == SW_RULE_PP_LAYERS || rule == SW_RULE_CP_SEQUENCE || rule == SW_RULE_BATCH
         || (rule == SW_RULE_ETP && (dimensions & experts) == experts);
}

typedef gboolean (*RuleFilter) (SwRule rule, guint dimensions);

/* The first of the rules considered that rejects a part of the pinned values, with the plainest
 * values for all others; OK if none does. */
static SwRule
rule_against (const SwProblem *problem, RuleFilter filter, guint dimensions, SwStrategy *strategy)
{
  SwRule rule;

  sw_strategy_init_default (strategy);
  strategy->framework = (guint8) problem->training.framework;
  for (guint d = 0; d < SW_N_DIMENSIONS; d++)
    if ((dimensions & (1u << d)) != 0)
      sw_strategy_set (strategy, d, sw_strategy_get (&problem->pins.value, d));
  if (strategy->vpp > 1 && (dimensions & (1u << SW_DIM_SCHEDULE)) == 0)
    strategy->schedule = SW_SCHEDULE_INTERLEAVED;
  rule = sw_rules_check (problem, strategy);

  return filter (rule, dimensions) ? rule : SW_RULE_OK;
}

/* The same against all that is pinned; where another rule stands before it, against each value and
 * each pair of them alone. */
static SwRule
rule_against_pins (const SwProblem *problem, RuleFilter filter, SwStrategy *strategy)
{
  guint pinned = 0;
  SwRule rule;

  for (guint d = 0; d < SW_N_DIMENSIONS; d++)
    pinned |= sw_pins_has (&problem->pins, d) ? 1u << d : 0;
  rule = rule_against (problem, filter, pinned, strategy);
  for (guint i = 0; i < SW_N_DIMENSIONS && rule == SW_RULE_OK; i++)
    for (guint j = 0; j <= i && rule == SW_RULE_OK; j++)
      if ((pinned & (1u << i)) != 0 && (pinned & (1u << j)) != 0)
        rule = rule_against (problem, filter, 1u << i | 1u << j, strategy);

  return rule;
}

/* `narrows`: where nothing comes back, whether a narrower question may say more. */
static ShardwiseExport *
advise_and_write (const ShardwiseFormatInfo *info, ShardwiseScenario *scenario,
                  GCancellable *cancellable, gboolean *narrows, GError **error)
{
  const ShardwiseAdviceOptions options = { .method = SHARDWISE_METHOD_ANALYTICAL,
                                           .top = 50,
                                           .bare = TRUE };
  g_autoptr (ShardwiseAdvice) advice = shardwise_advice_compute (scenario, &options, cancellable,
                                                                 error);
  g_autoptr (ShardwiseExport) written = NULL;
  const SwEstimate *nearest;
  const SwProblem *problem;
  SwStrategy plain;
  SwRule rule;

  *narrows = TRUE;
  if (advice == NULL)
    return NULL;
  if (shardwise_advice_get_fits (advice))
    return write_first (info, advice, error);

  /* Whether the target can express the nearest strategy, were there memory for it. Where the rules
   * leave none at all the advice holds one that breaks them. */
  nearest = shardwise_advice_get_recommended (advice);
  problem = shardwise_advice_get_problem (advice);
  if (nearest->rule == SW_RULE_GPU_MEMORY || nearest->rule == SW_RULE_HOST_MEMORY)
    written = shardwise_export_write (info->format, problem, nearest, NULL);
  *narrows = written == NULL;
  rule = rule_against_pins (problem, is_of_framework, &plain);
  if (rule == SW_RULE_OK)
    rule = rule_against_pins (problem, is_of_pins, &plain);
  if (rule != SW_RULE_OK)
    g_propagate_error (error, shardwise_export_engine_refusal (info, problem, &plain, rule, 0));
  else if (nearest->missing_bytes <= 0)
    g_propagate_error (error, shardwise_error_new (
                                  SHARDWISE_ERROR_UNSUPPORTED, "strategy",
                                  /* Translators: %s is a framework, "DeepSpeed" */
                                  _ ("%s supports none of the strategies that these inputs allow"),
                                  info->title));
  else
    g_propagate_error (error, does_not_fit (info, nearest->missing_bytes));
  return NULL;
}

/* If the search prefers values that the format cannot express, it is narrowed; pinned values stay.
 * If nothing fits and the format can express the nearest strategy, a narrower search would only
 * need more memory. */
static gboolean
narrow (const ShardwiseFormatInfo *info, const SwProblem *problem, ShardwiseScenario *scenario)
{
  const ShardwiseFormatInfo *inner = info->launcher
                                         ? shardwise_format_of_profile (problem->training.framework)
                                         : info;
  gboolean changed = FALSE;

  for (const ShardwiseFormatPin *pin = shardwise_format_writer (inner)->narrow;
       pin->key != SHARDWISE_KEY_NONE; pin++)
    {
      GVariant *value;

      if (shardwise_scenario_is_set (scenario, pin->key)
          || (pin->experts && problem->model.moe.experts == 0))
        continue;
      value = pin->word == NULL ? g_variant_new_int64 (1)
              : g_str_equal (pin->word, "true") || g_str_equal (pin->word, "false")
                  ? g_variant_new_boolean (g_str_equal (pin->word, "true"))
                  : g_variant_new_string (pin->word);
      changed |= shardwise_scenario_set (scenario, pin->key, value, NULL);
    }

  return changed;
}

/* If the pinned parallel sizes leave one replica, which needs no sharding, a pinned ZeRO stage that
 * the profile does not support is replaced by one that it supports. */
static gboolean
unpin_sharding (ShardwiseScenario *scenario, SwProblem *problem, GError **error)
{
  static const SwDimension degrees[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_CP };
  SwStrategy pinned = problem->pins.value;
  guint64 gpus = 1;

  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    gpus *= sw_pins_has (&problem->pins, degrees[i]) ? sw_strategy_get (&pinned, degrees[i]) : 1;
  if (!sw_pins_has (&problem->pins, SW_DIM_CP))
    pinned.cp = 1;
  if (!sw_pins_has (&problem->pins, SW_DIM_PP))
    pinned.pp = 1;
  if (!sw_pins_has (&problem->pins, SW_DIM_ZERO) || gpus != problem->cluster.gpus)
    return TRUE;
  pinned.dp = 1;
  shardwise_export_drop_sharding (problem->training.framework, &pinned);
  if (pinned.zero_stage == problem->pins.value.zero_stage)
    return TRUE;
  return shardwise_scenario_set (scenario, SHARDWISE_KEY_STRATEGY_ZERO_STAGE,
                                 g_variant_new_int64 (pinned.zero_stage), error)
         && shardwise_scenario_resolve (scenario, problem, NULL, error);
}

/* The tool whose file the target is, where it has the job and the model; else ANY. */
static SwFramework
tool_of (const ShardwiseFormatInfo *info, const SwProblem *problem)
{
  for (guint i = SW_N_ENGINES; i < SW_N_FRAMEWORKS; i++)
    {
      const guint types = sw_framework_rules ((SwFramework) i)->types;

      if (shardwise_format_is_of (info, (SwFramework) i)
          && (types == 0 || sw_framework_allows (types, problem->training.type))
          && sw_framework_builds ((SwFramework) i, &problem->model))
        return (SwFramework) i;
    }
  return SW_FRAMEWORK_ANY;
}

/* The best under one of the target's profiles; refuses what is pinned against the rules. A launcher
 * takes the scenario's own profile (ANY) first. */
static ShardwiseExport *
best_of_profile (const ShardwiseFormatInfo *info, SwFramework profile, ShardwiseScenario *scenario,
                 GCancellable *cancellable, GError **error)
{
  SwProblem problem;
  g_autoptr (GError) local_error = NULL;
  g_autoptr (ShardwiseScenario) copy = shardwise_scenario_copy (scenario);
  ShardwiseExport *out;
  SwStrategy pinned;
  gboolean narrows;

  if (!shardwise_scenario_resolve (copy, &problem, NULL, error))
    return NULL;
  /* A tool that is built on it stays what is asked, and the target's own is what runs its file. */
  if (profile != SW_FRAMEWORK_ANY && sw_engine (problem.training.framework) != profile)
    {
      const SwFramework tool = tool_of (info, &problem);
      const SwFramework runs = tool != SW_FRAMEWORK_ANY && sw_engine (tool) == profile ? tool
                                                                                       : profile;

      if (!shardwise_scenario_set (copy, SHARDWISE_KEY_TRAINING_FRAMEWORK,
                                   g_variant_new_string (sw_framework_names[runs]), error))
        return NULL;
    }
  if (!shardwise_scenario_resolve (copy, &problem, NULL, error)
      || !unpin_sharding (copy, &problem, error))
    return NULL;
  pinned = problem.pins.value;
  pinned.framework = (guint8) sw_engine (problem.training.framework);
  if (!shardwise_export_check_rules (info, &problem, &pinned, problem.pins.mask, error))
    return NULL;

  out = advise_and_write (info, copy, cancellable, &narrows, &local_error);
  if (out == NULL && narrows
      && g_error_matches (local_error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED)
      && narrow (info, &problem, copy))
    {
      g_debug ("%s: searching again, narrowed, after “%s”", info->id, local_error->message);
      g_clear_error (&local_error);
      out = advise_and_write (info, copy, cancellable, &narrows, &local_error);
    }
  if (out == NULL)
    g_propagate_error (error, g_steal_pointer (&local_error));

  return out;
}

/* The fastest of them. */
static ShardwiseExport *
best_of_profiles (const ShardwiseFormatInfo *info, guint profiles, ShardwiseScenario *scenario,
                  GCancellable *cancellable, GError **error)
{
  ShardwiseExport *out = NULL;
  g_autoptr (GError) refusal = NULL;

  for (guint i = 0; i < SW_N_FRAMEWORKS; i++)
    {
      g_autoptr (GError) local_error = NULL;
      g_autoptr (ShardwiseExport) other = NULL;

      if ((profiles & (1u << i)) == 0)
        continue;
      other = best_of_profile (info, (SwFramework) i, scenario, cancellable, &local_error);
      if (out == NULL
          || (other != NULL && other->estimate.tokens_per_s > out->estimate.tokens_per_s))
        {
          shardwise_export_free (out);
          out = g_steal_pointer (&other);
        }
      /* Where all refuse, the reason of the target's usual profile is the one to show. */
      if (local_error != NULL && (refusal == NULL || i == info->framework))
        {
          g_clear_error (&refusal);
          refusal = g_steal_pointer (&local_error);
        }
    }
  if (out == NULL)
    g_propagate_error (error, g_steal_pointer (&refusal));

  return out;
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
 * express; a target with several profiles takes the fastest of them, and that of a tool the tool's
 * own before plain FSDP.
 *
 * Returns: (transfer full) (nullable): the files
 */
ShardwiseExport *
shardwise_export_best (ShardwiseFormat format, ShardwiseScenario *scenario,
                       GCancellable *cancellable, SwEstimate *estimate, GError **error)
{
  const ShardwiseFormatInfo *info;
  g_autoptr (GError) refusal = NULL;
  ShardwiseExport *out = NULL;
  SwProblem problem;
  guint profiles;

  g_return_val_if_fail (format < SHARDWISE_N_FORMATS, NULL);
  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), NULL);

  info = shardwise_format_info (format);
  if (info->launcher) /* one search over all, and one for each where its best cannot be written */
    out = best_of_profile (info, SW_FRAMEWORK_ANY, scenario, cancellable, &refusal);
  if (out == NULL
      && (refusal == NULL
          || g_error_matches (refusal, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED)))
    {
      const guint plain = 1u << SW_FRAMEWORK_FSDP | 1u << SW_FRAMEWORK_FSDP2;
      SwFramework tool = SW_FRAMEWORK_ANY;

      /* The profile that the scenario names where the target has it, else those of the tool, else
       * all. */
      profiles = info->profiles;
      if (shardwise_scenario_resolve (scenario, &problem, NULL, NULL))
        {
          if (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK)
              && (profiles & (1u << sw_engine (problem.training.framework))) != 0)
            profiles = 1u << sw_engine (problem.training.framework);
          else if ((tool = tool_of (info, &problem)) != SW_FRAMEWORK_ANY)
            profiles = (profiles & ~plain) | 1u << sw_engine (tool);
        }
      out = best_of_profiles (info, profiles, scenario, cancellable,
                              refusal == NULL ? &refusal : NULL);
      if (out == NULL && tool != SW_FRAMEWORK_ANY && (info->profiles & ~profiles) != 0)
        out = best_of_profiles (info, info->profiles & ~profiles, scenario, cancellable, NULL);
    }
  if (out == NULL)
    g_propagate_error (error, g_steal_pointer (&refusal));
  else if (estimate != NULL)
    *estimate = out->estimate;

  return out;
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
shardwise_export_nearest (ShardwiseFormat format, ShardwiseScenario *scenario,
                          GCancellable *cancellable, SwEstimate *estimate, GError **error)
{
  g_autoptr (ShardwiseScenario) copy = shardwise_scenario_copy (scenario);

  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    {
      g_autoptr (GError) refusal = NULL;
      ShardwiseExport *out = shardwise_export_best (format, copy, cancellable, estimate, &refusal);
      const ShardwiseKey *key;
      const char *path;

      if (out != NULL)
        return out;
      if (!g_error_matches (refusal, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED))
        {
          g_propagate_error (error, g_steal_pointer (&refusal));
          return NULL;
        }
      path = shardwise_error_path (refusal);
      key = path != NULL ? shardwise_key_find (path) : NULL;
      if (key == NULL || !g_str_has_prefix (path, "strategy.")
          || !shardwise_scenario_is_set (copy, key->id))
        break;
      shardwise_scenario_reset (copy, key->id);
    }

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    if (g_str_has_prefix (shardwise_key_path (i), "strategy."))
      shardwise_scenario_reset (copy, i);
  return shardwise_export_best (format, copy, cancellable, estimate, error);
}

/* Whether it writes the very strategy, which fits in memory then. */
static gboolean
takes_strategy (const ShardwiseFormatInfo *info, ShardwiseAdvice *advice,
                const SwEstimate *selected)
{
  g_autoptr (ShardwiseExport) files =
      shardwise_export_write (info->format, shardwise_advice_get_problem (advice), selected, NULL);

  return files != NULL && files->estimate.fits;
}

/* Whether a target would not refuse; tells without a search. Where the recommended strategy is selected,
 * the target may write another one, and only what the question itself asks for is compared with its
 * rules: that such a strategy fits in memory is not known then. */
static gboolean
can_write (const ShardwiseFormatInfo *info, ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const SwEstimate *recommended;
  const SwProblem *problem;
  gboolean is_best;

  g_return_val_if_fail (info != NULL, FALSE);
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (advice), FALSE);
  g_return_val_if_fail (selected != NULL, FALSE);

  recommended = shardwise_advice_get_recommended (advice);
  problem = shardwise_advice_get_problem (advice);
  is_best = sw_strategy_equal (&selected->strategy, &recommended->strategy);
  /* Whether at least one of its profiles has no rule that rejects the pinned values. */
  for (guint i = 0; is_best && i < SW_N_FRAMEWORKS; i++)
    {
      SwProblem own = *problem;
      SwStrategy pinned = problem->pins.value;

      own.training.framework = (SwFramework) i;
      pinned.framework = (guint8) i;
      if ((info->profiles & (1u << i)) != 0
          && shardwise_export_check_rules (info, &own, &pinned, own.pins.mask, NULL))
        return TRUE;
    }
  return takes_strategy (info, advice, selected);
}

/**
 * shardwise_export_offered:
 * @id: (nullable): the id of the target that was chosen last
 * @version: (nullable): its version, or ""
 * @chosen_for: (nullable): the name of the framework that it was chosen for
 * @advice: an answer
 * @selected: the strategy of it that is looked at
 *
 * Returns: (transfer none): the target to offer first: the one chosen last, where it can express
 * the strategy's framework or was chosen for it, else the framework's own, each unless it would
 * refuse, else another framework's; the framework's own where
 * all would refuse
 */
const ShardwiseFormatInfo *
shardwise_export_offered (const char *id, const char *version, const char *chosen_for,
                          ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const ShardwiseFormatInfo *chosen, *own, *other = NULL;
  guint framework;

  g_return_val_if_fail (SHARDWISE_IS_ADVICE (advice), NULL);
  g_return_val_if_fail (selected != NULL, NULL);

  framework = selected->strategy.framework;
  chosen = shardwise_format_find_version (id, version);
  if (chosen == NULL)
    chosen = shardwise_format_find (id);
  if (chosen != NULL
      && (shardwise_format_is_of (chosen, (SwFramework) framework)
          || g_strcmp0 (chosen_for, sw_framework_names[framework]) == 0)
      && can_write (chosen, advice, selected))
    return chosen;
  own = shardwise_format_of_profile ((SwFramework) framework);
  if (can_write (own, advice, selected))
    return own;

  /* The first framework's that writes the very strategy, else the first that may write another. */
  for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_info (i);

      if (info->launcher || !shardwise_format_is_default (info))
        continue;
      if (takes_strategy (info, advice, selected))
        return info;
      if (other == NULL && can_write (info, advice, selected))
        other = info;
    }
  return other != NULL ? other : own;
}

/* The targets of a framework that write exactly this strategy, each in the default version of its
 * id, without launchers. */
static GPtrArray *
formats_of_choice (ShardwiseAdvice *advice, const ShardwiseFrameworkChoice *choice)
{
  GPtrArray *out = g_ptr_array_new ();
  SwProblem own = *shardwise_advice_get_problem (advice);

  own.training.framework = choice->framework;
  for (guint i = 0; choice->has_strategy && i < SHARDWISE_N_FORMATS; i++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_info ((ShardwiseFormat) i);
      g_autoptr (ShardwiseExport) written = NULL;

      if (info->launcher || !shardwise_format_is_of (info, choice->framework)
          || !shardwise_format_is_default (info))
        continue;
      written = shardwise_export_write ((ShardwiseFormat) i, &own, &choice->estimate, NULL);
      /* What has several routes may write it for another framework. */
      if (written != NULL
          && sw_engine (written->problem.training.framework) == sw_engine (choice->framework))
        g_ptr_array_add (out, (gpointer) info);
    }
  return out;
}

/**
 * shardwise_targets_of_choice:
 * @advice: an answer
 * @choice: what one framework gives of it
 *
 * Returns: (transfer full): what writes that very strategy, in words
 */
char *
shardwise_targets_of_choice (ShardwiseAdvice *advice, const ShardwiseFrameworkChoice *choice)
{
  g_autoptr (GPtrArray) formats = formats_of_choice (advice, choice);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < formats->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                            ((const ShardwiseFormatInfo *) formats->pdata[i])->title);
  if (formats->len == 0)
    g_string_append (text, _ ("none with exactly this strategy"));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_export_advice_to_json:
 * @advice: an answer
 *
 * Returns: (transfer full): the object of `advise --json`: of each framework also what writes its
 *   very strategy, as ids of `export --to`
 */
JsonNode *
shardwise_export_advice_to_json (ShardwiseAdvice *advice)
{
  GArray *choices = shardwise_advice_get_frameworks (advice);
  JsonNode *node = shardwise_advice_to_json (advice);
  JsonArray *rows = json_object_get_array_member (json_node_get_object (node), "frameworks");

  for (guint i = 0; i < choices->len; i++)
    {
      const ShardwiseFrameworkChoice *choice = &g_array_index (choices, ShardwiseFrameworkChoice,
                                                               i);
      g_autoptr (GPtrArray) formats = formats_of_choice (advice, choice);
      JsonArray *ids = json_array_new ();

      for (guint j = 0; j < formats->len; j++)
        json_array_add_string_element (ids, ((const ShardwiseFormatInfo *) formats->pdata[j])->id);
      json_object_set_array_member (json_array_get_object_element (rows, i), "exports", ids);
    }
  return node;
}
