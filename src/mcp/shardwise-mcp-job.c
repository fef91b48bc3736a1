/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tools about one job, or a few side by side. Each returns the object of the command line's JSON,
 * or parts of it; the table of tools selects what the assistant gets. */
#include "shardwise-mcp-job.h"

#include <string.h>

#include "shardwise-advice-json.h"
#include "shardwise-estimate.h"
#include "shardwise-figures.h"
#include "shardwise-export-search.h"
#include "shardwise-heuristic.h"
#include "shardwise-json.h"
#include "shardwise-prediction.h"
#include "shardwise-rule-finding.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "shardwise-terms.h"
#include "shardwise-text-sums.h"
#include "sw-memory-timeline.h"
#include "sw-pipeline.h"
#include "sw-recipe.h"
#include "sw-split.h"

#define MOST_TASKS 100000 /* passes of a simulated schedule */
#define MOMENTS 8

/* ---- one strategy ---- */

static void
set_double (JsonObject *object, const char *name, double value)
{
  json_object_set_double_member (object, name, value);
}

/* Adds the strategy and its recomputation in words. */
static void
add_words (JsonObject *strategy, const SwEstimate *estimate)
{
  g_autofree char *text = shardwise_text_strategy (&estimate->strategy),
                  *recompute = shardwise_text_value (&estimate->strategy, SW_DIM_RECOMPUTE);

  json_object_set_string_member (strategy, "text", text);
  if (estimate->strategy.recompute == SW_RECOMPUTE_FULL_LAYERS)
    json_object_set_string_member (strategy, "recompute", recompute);
}

/* The object of an estimate, with intervals beside the figures, in words and as sums. */
static JsonObject *
estimate_object (const SwProblem *problem, const SwEstimate *estimate)
{
  JsonObject *object =
                 shardwise_json_into_object (shardwise_estimate_to_json (problem, estimate, NULL)),
             *memory = json_object_get_object_member (object, "memory");
  g_autoptr (GPtrArray) sums = shardwise_text_sums (problem, estimate);
  g_autofree char *why = NULL, *warning = shardwise_text_fit (estimate);

  add_words (json_object_get_object_member (object, "strategy"), estimate);
  if (warning != NULL)
    json_object_set_string_member (object, "warning", warning);
  shardwise_json_set_gib (memory, "low_gib", estimate->memory_low_bytes);
  shardwise_json_set_gib (memory, "high_gib", estimate->memory_high_bytes);
  shardwise_json_set_gib (memory, "missing_gib", estimate->missing_bytes);
  shardwise_json_set_gib (memory, "host_gib_per_node", estimate->memory.host_bytes);
  set_double (object, "step_s", estimate->time.step_s);
  set_double (object, "step_low_s", estimate->step_low_s);
  set_double (object, "step_high_s", estimate->step_high_s);
  set_double (object, "tokens_per_s_low", estimate->tokens_low_per_s);
  set_double (object, "tokens_per_s_high", estimate->tokens_high_per_s);
  set_double (object, "tflops_per_gpu", estimate->model_flops_per_s_per_gpu / 1e12);
  json_object_set_string_member (object, "states", g_ptr_array_index (sums, 0));
  json_object_set_array_member (object, "sums", shardwise_json_strings (sums));
  if (!estimate->fits)
    {
      why = shardwise_text_rule (problem, &estimate->strategy, estimate->rule,
                                 estimate->missing_bytes);
      json_object_set_string_member (object, "why", why);
    }
  return object;
}

static ShardwiseAdvice *
advise (ShardwiseScenario *scenario, ShardwiseMcpCall *call, guint top, gboolean explain,
        GError **error)
{
  const ShardwiseAdviceOptions options = {
    .top = top,
    .explain = explain,
    .progress = call->progress,
    .progress_data = call->progress_data,
  };

  return shardwise_advice_compute (scenario, &options, call->cancellable, error);
}

/* The strategy that a scenario states; if it is incomplete, the best strategy with the stated
 * values. @of (out): "stated" or "searched". */
static gboolean
settle (ShardwiseScenario *scenario, ShardwiseMcpCall *call, SwProblem *problem,
        SwEstimate *estimate, const char **of, GPtrArray **notes, GError **error)
{
  g_autoptr (GError) stated = NULL;
  g_autoptr (ShardwiseAdvice) advice = NULL;

  *of = "stated";
  if (shardwise_estimate_scenario (scenario, problem, estimate, notes, &stated))
    return TRUE;
  if (!g_error_matches (stated, SHARDWISE_ERROR, SHARDWISE_ERROR_MISSING)
      || shardwise_error_path (stated) == NULL
      || !g_str_has_prefix (shardwise_error_path (stated), "strategy."))
    {
      g_propagate_error (error, g_steal_pointer (&stated));
      return FALSE;
    }
  *of = "searched";
  advice = advise (scenario, call, 1, FALSE, error);
  if (advice == NULL)
    return FALSE;
  *problem = *shardwise_advice_get_problem (advice);
  problem->cancelled = NULL;
  *estimate = *shardwise_advice_get_recommended (advice);
  if (notes != NULL)
    *notes = g_ptr_array_ref (shardwise_advice_get_notes (advice));
  return TRUE;
}

/* The same for a call, as an answer that includes its origin. */
static JsonObject *
settled (ShardwiseMcpCall *call, SwProblem *problem, SwEstimate *estimate, GError **error)
{
  g_autoptr (GPtrArray) notes = NULL;
  const char *of;
  JsonObject *object;

  if (!settle (call->scenario, call, problem, estimate, &of, &notes, error))
    return NULL;
  object = estimate_object (problem, estimate);
  json_object_set_string_member (object, "of", of);
  if (notes != NULL)
    json_object_set_array_member (object, "notes", shardwise_json_strings (notes));
  return object;
}

JsonObject *
shardwise_mcp_estimate (ShardwiseMcpCall *call, GError **error)
{
  SwProblem problem;
  SwEstimate estimate;
  g_autoptr (GPtrArray) notes = NULL, assumptions = NULL;
  JsonObject *object;
  JsonArray *texts;

  if (!shardwise_estimate_scenario (call->scenario, &problem, &estimate, &notes, error))
    return NULL;
  object = estimate_object (&problem, &estimate);
  assumptions = shardwise_assumptions_list (call->scenario, &problem, &estimate);
  texts = json_array_new ();
  for (guint i = 0; i < assumptions->len; i++)
    json_array_add_string_element (
        texts, ((const ShardwiseAssumption *) g_ptr_array_index (assumptions, i))->text);
  json_object_set_array_member (object, "assumed", texts);
  json_object_set_array_member (object, "notes", shardwise_json_strings (notes));
  return object;
}

/* ---- the best ---- */

JsonObject *
shardwise_mcp_advise (ShardwiseMcpCall *call, GError **error)
{
  g_autoptr (ShardwiseAdvice) advice =
      advise (call->scenario, call, shardwise_mcp_whole (call, "alternatives", 3), TRUE, error);
  JsonObject *object;
  JsonArray *rows, *changes;
  const SwProblem *problem;
  GArray *choices;

  if (advice == NULL)
    return NULL;
  problem = shardwise_advice_get_problem (advice);
  object = shardwise_json_into_object (shardwise_export_advice_to_json (advice));
  json_object_set_object_member (
      object, "recommended", estimate_object (problem, shardwise_advice_get_recommended (advice)));
  if (shardwise_advice_get_fastest (advice) != NULL)
    json_object_set_object_member (
        object, "fastest", estimate_object (problem, shardwise_advice_get_fastest (advice)));
  choices = shardwise_advice_get_frameworks (advice);
  rows = json_object_get_array_member (object, "frameworks");
  for (guint i = 0; i < choices->len; i++)
    {
      const ShardwiseFrameworkChoice *choice = &g_array_index (choices, ShardwiseFrameworkChoice,
                                                               i);

      if (choice->has_strategy)
        add_words (
            json_object_get_object_member (json_array_get_object_element (rows, i), "strategy"),
            &choice->estimate);
    }
  rows = json_array_new ();
  for (guint i = 0; i < shardwise_advice_get_n_alternatives (advice); i++)
    json_array_add_object_element (
        rows, estimate_object (problem, shardwise_advice_get_alternative (advice, i)));
  json_object_set_array_member (object, "alternatives", rows);
  changes = json_array_new ();
  for (guint i = 0; i < shardwise_advice_get_ways_out (advice)->len; i++)
    json_array_add_string_element (
        changes,
        ((const ShardwiseWayOut *) shardwise_advice_get_ways_out (advice)->pdata[i])->change);
  json_object_set_array_member (object, "would_fit", changes);
  return object;
}

/* ---- memory ---- */

/* The bytes of a parameter in each framework: those that every GPU keeps whole, and those that a
 * shard group shares. */
static JsonArray *
bytes_by_framework (const SwProblem *problem, const SwStrategy *strategy)
{
  JsonArray *array = json_array_new ();

  for (guint i = SW_FRAMEWORK_ANY + 1; i < SW_N_FRAMEWORKS; i++)
    {
      SwStrategy own = *strategy;
      SwRecipe recipes[SW_N_RECIPES];
      const SwRecipe *layers = &recipes[SW_RECIPE_LAYERS];
      JsonObject *row = json_object_new ();

      own.framework = (guint8) i;
      sw_recipes_init (problem, &own, recipes);
      json_object_set_string_member (row, "framework", sw_framework_names[i]);
      set_double (row, "weights_kept", layers->parameters_whole + layers->frozen_whole);
      set_double (row, "weights_shared", layers->parameters_shared + layers->frozen_shared);
      set_double (row, "gradients_kept", layers->gradients_whole);
      set_double (row, "gradients_shared", layers->gradients_shared);
      set_double (row, "optimizer_kept", layers->optimizer_whole);
      set_double (row, "optimizer_shared", layers->optimizer_shared);
      set_double (row, "together",
                  layers->parameters_whole + layers->parameters_shared + layers->frozen_whole
                      + layers->frozen_shared + layers->gradients_whole + layers->gradients_shared
                      + layers->optimizer_whole + layers->optimizer_shared);
      json_array_add_object_element (array, row);
    }
  return array;
}

/* A few moments of a step, including the peak. */
static JsonArray *
moments (const SwProblem *problem, const SwStrategy *strategy, guint stage)
{
  JsonArray *array = json_array_new ();
  SwMemoryTimeline line;

  if (problem->training.type == SW_TRAINING_RLHF
      || !sw_memory_timeline (problem, strategy, stage, MOST_TASKS, &line))
    return array;
  for (guint i = 0; i < MOMENTS; i++)
    {
      const guint last = line.moments->len - 1,
                  at = i == MOMENTS / 2 ? line.peak : last * i / (MOMENTS - 1);
      const SwMemoryMoment *moment = &g_array_index (line.moments, SwMemoryMoment, at);
      JsonObject *row = json_object_new ();

      set_double (row, "time_s", moment->time_s);
      shardwise_json_set_gib (row, "total_gib", sw_memory_moment_total (moment));
      set_double (row, "micro_batches_alive", moment->micro_batches);
      json_object_set_string_member (row, "phase",
                                     at == line.peak                  ? "peak"
                                     : moment->time_s > line.passes_s ? "optimizer"
                                                                      : "passes");
      json_array_add_object_element (array, row);
    }
  sw_memory_timeline_clear (&line);
  return array;
}

static void
told_cb (const char *name, double value, const char *unit, gpointer data)
{
  g_autofree char *text = g_strdup_printf ("%s = %.4g %s", name, value, unit);

  json_array_add_string_element (data, g_strchomp (text));
}

/* The figures of the window's answers. */
static void
set_figures (JsonObject *object, const SwProblem *problem, const SwEstimate *estimate,
             ShardwiseFigureTopic topic)
{
  JsonArray *rows = json_array_new ();
  const ShardwiseFigures figures = {
    .problem = problem, .estimate = estimate, .told = told_cb, .data = rows
  };

  shardwise_figures_tell (&figures, topic);
  json_object_set_array_member (object, "figures", rows);
}

JsonObject *
shardwise_mcp_memory (ShardwiseMcpCall *call, GError **error)
{
  SwProblem problem;
  SwEstimate estimate;
  JsonObject *object = settled (call, &problem, &estimate, error), *full;
  JsonArray *stages, *all;
  guint stage;

  if (object == NULL)
    return NULL;
  stage = estimate.memory.peak_stage;
  all = json_array_new ();
  full = shardwise_json_into_object (
      shardwise_estimate_scenario_to_json (call->scenario, &problem, &estimate, NULL));
  stages = json_object_get_array_member (json_object_get_object_member (full, "memory"), "stages");
  for (guint i = 0; i < json_array_get_length (stages); i++)
    {
      JsonObject *row = json_array_get_object_element (stages, i);

      set_double (row, "in_flight",
                  sw_in_flight (&estimate.strategy,
                                sw_strategy_micro_batches (&problem, &estimate.strategy), i));
      json_object_set_int_member (row, "layers", sw_stage_layers (&problem, &estimate.strategy, i));
      json_array_add_object_element (all, json_object_ref (row));
    }
  json_object_set_array_member (object, "tensors",
                                json_array_ref (json_object_get_array_member (
                                    json_array_get_object_element (stages, stage), "tensors")));
  json_object_set_array_member (object, "stages", all);
  json_object_set_int_member (object, "peak_stage", stage);
  json_object_set_array_member (object, "bytes_per_parameter",
                                bytes_by_framework (&problem, &estimate.strategy));
  json_object_set_array_member (object, "over_time", moments (&problem, &estimate.strategy, stage));
  set_figures (object, &problem, &estimate, SHARDWISE_FIGURES_OF_MEMORY);
  json_object_unref (full);
  return object;
}

/* ---- pipeline ---- */

/* From the time of the passes, if the stages are alike. */
static double
ideal_bubble (const SwStrategy *strategy, guint micro_batches)
{
  return (strategy->pp - 1.0) / (MAX (strategy->vpp, 1) * (double) micro_batches);
}

static void
add_schedule (JsonArray *array, const SwProblem *problem, const SwStrategy *strategy,
              const char *name)
{
  SwEstimate estimate;
  JsonObject *row = json_object_new ();
  const guint m = MAX (sw_strategy_micro_batches (problem, strategy), 1);

  sw_estimate (problem, strategy, &estimate);
  json_object_set_string_member (row, "name", name);
  json_object_set_string_member (row, "rule", sw_rule_names[estimate.rule]);
  json_object_set_int_member (row, "micro_batch_size", strategy->micro_batch);
  json_object_set_int_member (row, "micro_batches", m);
  json_object_set_int_member (row, "vpp", strategy->vpp);
  set_double (row, "ideal_bubble", ideal_bubble (strategy, m));
  set_double (row, "bubble_fraction", estimate.bubble_fraction);
  set_double (row, "step_s", estimate.time.step_s);
  shardwise_json_set_gib (row, "total_gib", estimate.memory.peak.total);
  json_array_add_object_element (array, row);
}

/* The strategy under all schedules, and with other micro-batches. */
static JsonArray *
schedules (const SwProblem *problem, const SwStrategy *strategy)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; sw_schedule_names[i] != NULL; i++)
    {
      SwStrategy other = *strategy;

      other.schedule = (guint8) i;
      other.vpp = i == SW_SCHEDULE_INTERLEAVED ? MAX (strategy->vpp, 2) : 1;
      add_schedule (array, problem, &other, sw_schedule_names[i]);
    }
  for (guint size = 1; size <= 32; size *= 2)
    {
      SwStrategy other = *strategy;

      other.micro_batch = size;
      if (problem->training.global_batch % (strategy->dp * size) == 0)
        add_schedule (array, problem, &other, sw_schedule_names[strategy->schedule]);
    }
  return array;
}

/* Idle times of published schedules, in units of the forward pass of a stage; a backward pass takes
 * two, half of it for the weights: Qi et al., Zero Bubble Pipeline Parallelism, and the table of
 * DeepSeek's DualPipe. */
static JsonArray *
ideal_bubbles (guint pp, guint micro_batches, guint vpp)
{
  const struct {
    const char *name, *formula;
    double idle;
  } rows[] = {
    { "1f1b", "(PP-1)(F+B)", 3.0 * (pp - 1) },
    { "interleaved", "(PP-1)(F+B)/VPP", 3.0 * (pp - 1) / MAX (vpp, 2) },
    { "zero-bubble", "(PP-1)(F+B-2W)", pp - 1.0 },
    { "dualpipe", "(PP/2-1)(F&B+B-3W)", 2.0 * (pp / 2.0 - 1) },
  };
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      JsonObject *row = json_object_new ();
      const double idle = MAX (rows[i].idle, 0);

      json_object_set_string_member (row, "name", rows[i].name);
      json_object_set_string_member (row, "formula", rows[i].formula);
      set_double (row, "idle_forward_passes", idle);
      set_double (row, "of_step", idle / (idle + 3.0 * micro_batches));
      json_array_add_object_element (array, row);
    }
  return array;
}

JsonObject *
shardwise_mcp_pipeline (ShardwiseMcpCall *call, GError **error)
{
  SwProblem problem;
  SwEstimate estimate;
  JsonObject *object = settled (call, &problem, &estimate, error);
  const SwStrategy *s = &estimate.strategy;
  JsonArray *stages;
  SwPipeline run;
  guint m;

  if (object == NULL)
    return NULL;
  stages = json_array_new ();
  m = MAX (sw_strategy_micro_batches (&problem, s), 1);
  json_object_set_int_member (object, "micro_batches", m);
  set_figures (object, &problem, &estimate, SHARDWISE_FIGURES_OF_PIPELINE);
  for (guint i = 0; i < s->pp; i++)
    {
      JsonObject *row = json_object_new ();
      SwMemoryParts parts;

      sw_estimate_stage (&problem, s, i, &parts);
      json_object_set_int_member (row, "stage", i);
      json_object_set_int_member (row, "layers", sw_stage_layers (&problem, s, i));
      set_double (row, "in_flight", sw_in_flight (s, m, i));
      shardwise_json_set_gib (row, "total_gib", parts.total);
      shardwise_json_set_gib (row, "activations_gib", parts.activations);
      json_array_add_object_element (stages, row);
    }
  json_object_set_array_member (object, "stages", stages);
  if (sw_pipeline_of_strategy (&problem, s, MOST_TASKS, &run))
    {
      set_double (object, "simulated_bubble", run.bubble_fraction);
      set_double (object, "uneven_s", run.uneven_s);
      sw_pipeline_clear (&run);
    }
  json_object_set_array_member (object, "schedules", schedules (&problem, s));
  json_object_set_array_member (object, "ideal", ideal_bubbles (s->pp, m, s->vpp));
  return object;
}

JsonObject *
shardwise_mcp_communication (ShardwiseMcpCall *call, GError **error)
{
  SwProblem problem;
  SwEstimate estimate;

  return settled (call, &problem, &estimate, error);
}

/* ---- rules ---- */

/* The objection of a framework, or of its file format, to a strategy; NULL: none. */
static char *
objection (const SwProblem *problem, const SwStrategy *strategy, SwRule *rule)
{
  const ShardwiseFormatInfo *info = shardwise_format_of_profile ((SwFramework) strategy->framework);
  g_autoptr (GError) error = NULL;

  *rule = sw_rules_check (problem, strategy);
  if (*rule == SW_RULE_OK)
    *rule = sw_rules_check_sharding (problem, strategy);
  if (*rule == SW_RULE_OK)
    *rule = sw_rules_check_offload (problem, strategy);
  if (*rule != SW_RULE_OK)
    return shardwise_text_rule (problem, strategy, *rule, 0);
  if (info != NULL
      && !shardwise_export_check_rules (info, problem, strategy, (1u << SW_N_DIMENSIONS) - 1,
                                        &error))
    return g_strdup (error->message);
  return NULL;
}

JsonObject *
shardwise_mcp_rules (ShardwiseMcpCall *call, GError **error)
{
  SwProblem problem;
  SwEstimate estimate;
  JsonObject *object = settled (call, &problem, &estimate, error);
  JsonArray *rows;

  if (object == NULL)
    return NULL;
  rows = json_array_new ();
  for (guint i = SW_FRAMEWORK_ANY + 1; i < SW_N_FRAMEWORKS; i++)
    {
      SwStrategy own = estimate.strategy;
      SwProblem question = problem;
      JsonObject *row = json_object_new ();
      g_autofree char *why = NULL;
      SwRule rule;

      own.framework = (guint8) i;
      question.training.framework = (SwFramework) i;
      why = objection (&question, &own, &rule);
      json_object_set_string_member (row, "framework", sw_framework_names[i]);
      json_object_set_boolean_member (row, "legal", why == NULL);
      json_object_set_string_member (row, "rule", sw_rule_names[rule]);
      if (why != NULL)
        json_object_set_string_member (row, "why", why);
      json_array_add_object_element (rows, row);
    }
  json_object_set_array_member (object, "frameworks", rows);
  return object;
}

/* ---- why ---- */

JsonObject *
shardwise_mcp_explain (ShardwiseMcpCall *call, GError **error)
{
  const char *wanted = shardwise_mcp_text (call, "dimension", NULL);
  g_autoptr (ShardwiseAdvice) advice = advise (call->scenario, call, 1, TRUE, error);
  g_autoptr (GString) known = g_string_new (NULL);
  JsonObject *full, *found = NULL;
  JsonArray *rows;

  if (advice == NULL)
    return NULL;
  full = shardwise_json_into_object (shardwise_advice_to_json (advice));
  rows = json_object_get_array_member (full, "rationale");
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonObject *row = json_array_get_object_element (rows, i);
      const char *name = json_object_get_string_member (row, "dimension");
      const ShardwiseRationale *reason = g_ptr_array_index (shardwise_advice_get_rationale (advice),
                                                            i);

      g_string_append_printf (known, i > 0 ? ", %s" : "%s", name);
      if (!g_str_equal (name, wanted))
        continue;
      found = json_object_ref (row);
      json_object_set_string_member (found, "value", reason->value);
      for (guint j = 0; j < reason->rows->len; j++)
        json_object_set_string_member (
            json_array_get_object_element (json_object_get_array_member (found, "neighbours"), j),
            "value", ((const ShardwiseNeighbourRow *) reason->rows->pdata[j])->value);
      json_object_set_string_member (found, "verdict", shardwise_advice_get_verdict (advice));
      json_object_set_object_member (found, "recommended",
                                     estimate_object (shardwise_advice_get_problem (advice),
                                                      shardwise_advice_get_recommended (advice)));
    }
  json_object_unref (full);
  if (found == NULL)
    g_propagate_error (error,
                       shardwise_error_new (SHARDWISE_ERROR_CHOICE, "dimension",
                                            "has no effect in this job; allowed: %s", known->str));
  return found;
}

JsonObject *
shardwise_mcp_term (ShardwiseMcpCall *call, GError **error)
{
  const char *wanted = shardwise_mcp_text (call, "term", "");
  const ShardwiseTerm *term = shardwise_term_find (wanted);
  g_autofree char *known = shardwise_terms_describe (), *text = NULL;
  SwProblem problem;
  SwEstimate estimate;
  JsonObject *object;

  if (term == NULL)
    {
      g_propagate_error (error,
                         shardwise_error_new (SHARDWISE_ERROR_CHOICE, "term",
                                              "“%s” is unknown; allowed: %s", wanted, known));
      return NULL;
    }
  object = settled (call, &problem, &estimate, error);
  if (object == NULL)
    return NULL;
  const ShardwiseFigures figures = {
    .problem = &problem, .estimate = &estimate, .sizes = { 1, 2, 4, 8 }, .n_sizes = 4
  };

  text = shardwise_term_text (term, &figures);
  json_object_set_string_member (object, "text", text);
  return object;
}

/* ---- side by side ---- */

static JsonObject *
compare_row (ShardwiseMcpCall *call, ShardwiseScenario *scenario, const char *name,
             double *per_token, GError **error)
{
  SwProblem problem;
  SwEstimate estimate;
  JsonObject *row;
  const char *of;

  if (!settle (scenario, call, &problem, &estimate, &of, NULL, error))
    return NULL;
  row = estimate_object (&problem, &estimate);
  json_object_set_string_member (row, "name", name);
  json_object_set_string_member (row, "of", of);
  json_object_set_int_member (row, "global_batch_size", problem.training.global_batch);
  *per_token = estimate.tokens_per_s > 0 ? 1 / estimate.tokens_per_s : 0;
  return row;
}

JsonObject *
shardwise_mcp_compare (ShardwiseMcpCall *call, GError **error)
{
  JsonArray *variants = json_object_get_array_member (call->arguments, "variants"),
            *rows = json_array_new ();
  JsonObject *object = json_object_new (), *row;
  double first = 0, own;

  json_object_set_array_member (object, "runs", rows);
  row = compare_row (call, call->scenario, "scenario", &first, error);
  for (guint i = 0; row != NULL && i < json_array_get_length (variants); i++)
    {
      JsonObject *one = json_array_get_object_element (variants, i);
      g_autofree char *counted = g_strdup_printf ("variant %u", i + 1);
      g_autoptr (ShardwiseScenario) changed = NULL;

      json_array_add_object_element (rows, row);
      row = NULL;
      changed = shardwise_mcp_changed (call->scenario,
                                       json_object_get_object_member (one, "changes"), error);
      if (changed != NULL)
        row = compare_row (call, changed,
                           json_object_get_string_member_with_default (one, "name", counted), &own,
                           error);
      if (row == NULL)
        g_prefix_error (error, "variants[%u]: ", i);
      else if (first > 0 && own > 0)
        set_double (row, "slower_by", own / first - 1);
    }
  if (row == NULL)
    {
      json_object_unref (object);
      return NULL;
    }
  json_array_add_object_element (rows, row);
  return object;
}

JsonObject *
shardwise_mcp_what_if (ShardwiseMcpCall *call, GError **error)
{
  g_autoptr (ShardwiseScenario) changed = shardwise_mcp_changed (
      call->scenario, json_object_get_object_member (call->arguments, "changes"), error);
  JsonObject *object, *before, *after;
  double first, own;

  if (changed == NULL)
    return NULL;
  before = compare_row (call, call->scenario, "before", &first, error);
  after = before != NULL ? compare_row (call, changed, "after", &own, error) : NULL;
  if (after == NULL)
    {
      g_clear_pointer (&before, json_object_unref);
      return NULL;
    }
  if (first > 0 && own > 0)
    set_double (after, "slower_by", own / first - 1);
  object = json_object_new ();
  json_object_set_object_member (object, "before", before);
  json_object_set_object_member (object, "after", after);
  return object;
}

/* ---- what others measured, published and say ---- */

JsonObject *
shardwise_mcp_measured (ShardwiseMcpCall *call, GError **error)
{
  g_autoptr (ShardwiseAdvice) advice = advise (call->scenario, call, 1, TRUE, error);
  const ShardwiseNearestRun *run;
  JsonObject *object, *recommended;
  JsonArray *rows;

  if (advice == NULL)
    return NULL;
  object = shardwise_json_into_object (shardwise_advice_to_json (advice));
  rows = json_object_get_array_member (object, "recipes");
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      const ShardwiseUsual *usual = g_ptr_array_index (shardwise_advice_get_usual (advice), i + 1);

      add_words (
          json_object_get_object_member (json_array_get_object_element (rows, i), "strategy"),
          &usual->estimate);
    }
  recommended = json_object_get_object_member (object, "recommended");
  json_object_set_member (object, "nearest", json_object_dup_member (recommended, "nearest_run"));
  run = shardwise_advice_get_nearest_run (advice);
  if (run != NULL)
    json_object_set_string_member (json_object_get_object_member (object, "nearest"), "description",
                                   run->description);
  return object;
}

JsonObject *
shardwise_mcp_playbook (ShardwiseMcpCall *call, GError **error)
{
  g_autoptr (GPtrArray) all = NULL;
  SwProblem problem;
  SwEstimate estimate;
  JsonObject *object = settled (call, &problem, &estimate, error);
  JsonArray *rows;

  if (object == NULL)
    return NULL;
  rows = json_array_new ();
  all = shardwise_heuristics_load ();
  /* The violated rules first. */
  for (int state = SHARDWISE_RULE_VIOLATED; state >= SHARDWISE_RULE_APPLIES; state--)
    for (guint i = 0; i < all->len; i++)
      {
        const ShardwiseHeuristic *rule = g_ptr_array_index (all, i);
        g_autoptr (ShardwiseRuleFinding) finding = shardwise_rule_finding_new (rule, &problem,
                                                                               &estimate);
        JsonObject *row;

        if ((int) finding->state != state)
          continue;
        row = json_object_new ();
        json_object_set_string_member (row, "state", shardwise_rule_state_names[finding->state]);
        json_object_set_string_member (row, "rule", rule->title);
        json_object_set_string_member (row, "figure", finding->number);
        json_object_set_string_member (row, "source", rule->source != NULL ? rule->source : "");
        json_array_add_object_element (rows, row);
      }
  json_object_set_array_member (object, "findings", rows);
  return object;
}
