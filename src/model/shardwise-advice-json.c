/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of `estimate --json` and `advise --json`: a contract. Keys, codes and numbers are never
 * translated. */
#include "shardwise-advice-private.h"
#include "sw-rejection.h"
#include "shardwise-texts.h"

#define FLOP_CONVENTION "model FLOPs, causal attention halved"

static void
set_gib (JsonObject *object, const char *name, double bytes)
{
  json_object_set_double_member (object, name, bytes / SW_GIB);
}

static void
set_parts (JsonObject *object, const SwMemoryParts *parts)
{
  set_gib (object, "total_gib", parts->total);
  set_gib (object, "parameters_gib", parts->parameters);
  set_gib (object, "gradients_gib", parts->gradients);
  set_gib (object, "optimizer_gib", parts->optimizer);
  set_gib (object, "activations_gib", parts->activations);
  set_gib (object, "logits_gib", parts->logits);
  set_gib (object, "buffers_gib", parts->buffers);
  set_gib (object, "framework_gib", parts->framework);
}

static void
set_recompute (JsonObject *object, const SwStrategy *strategy)
{
  JsonObject *layers;

  if (strategy->recompute != SW_RECOMPUTE_FULL_LAYERS)
    {
      json_object_set_string_member (object, "recompute", sw_recompute_names[strategy->recompute]);
      return;
    }
  layers = json_object_new ();
  json_object_set_int_member (layers, "full_layers", strategy->full_layers);
  json_object_set_object_member (object, "recompute", layers);
}

static void
set_recompute_modules (JsonObject *object, const SwStrategy *strategy)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; sw_recompute_module_names[i] != NULL; i++)
    if ((strategy->recompute_modules & (1u << i)) != 0)
      json_array_add_string_element (array, sw_recompute_module_names[i]);
  json_object_set_array_member (object, "recompute_modules", array);
}

static JsonArray *
layers_per_stage (const SwProblem *problem, const SwStrategy *strategy)
{
  JsonArray *array = json_array_new ();

  for (guint stage = 0; stage < strategy->pp; stage++)
    json_array_add_int_element (array, sw_stage_layers (problem, strategy, stage));
  return array;
}

/* The dimensions as the scenario file spells them. */
static JsonObject *
strategy_to_object (const SwStrategy *strategy)
{
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "tp", strategy->tp);
  json_object_set_int_member (object, "etp", strategy->etp);
  json_object_set_int_member (object, "pp", strategy->pp);
  json_object_set_int_member (object, "vpp", strategy->vpp);
  json_object_set_int_member (object, "dp", strategy->dp);
  json_object_set_int_member (object, "cp", strategy->cp);
  json_object_set_string_member (object, "cp_method", sw_cp_method_names[strategy->cp_method]);
  json_object_set_int_member (object, "ep", strategy->ep);
  json_object_set_boolean_member (object, "sequence_parallel", strategy->sequence_parallel);
  json_object_set_int_member (object, "zero_stage", strategy->zero_stage);
  json_object_set_int_member (object, "shard_group", strategy->shard_group);
  json_object_set_int_member (object, "micro_batch_size", strategy->micro_batch);
  set_recompute (object, strategy);
  set_recompute_modules (object, strategy);
  json_object_set_string_member (object, "schedule", sw_schedule_names[strategy->schedule]);
  json_object_set_string_member (object, "offload", sw_offload_names[strategy->offload]);
  json_object_set_string_member (object, "framework", sw_framework_names[strategy->framework]);
  return object;
}

static JsonObject *
strategy_of_estimate (const SwProblem *problem, const SwEstimate *estimate)
{
  JsonObject *object = strategy_to_object (&estimate->strategy);

  json_object_set_int_member (object, "gradient_accumulation", estimate->gradient_accumulation);
  json_object_set_array_member (object, "layers_per_stage",
                                layers_per_stage (problem, &estimate->strategy));
  json_object_set_int_member (object, "gpus_used", estimate->gpus_used);
  json_object_set_int_member (object, "gpus_idle", estimate->gpus_idle);
  return object;
}

static JsonArray *
stages_to_array (const SwProblem *problem, const SwEstimate *estimate)
{
  JsonArray *array = json_array_new ();

  for (guint stage = 0; stage < estimate->strategy.pp; stage++)
    {
      JsonObject *object = json_object_new ();
      SwMemoryParts parts;

      sw_estimate_stage (problem, &estimate->strategy, stage, &parts);
      json_object_set_int_member (object, "stage", stage);
      set_parts (object, &parts);
      json_array_add_object_element (array, object);
    }
  return array;
}

static JsonObject *
memory_to_object (const SwProblem *problem, const SwEstimate *estimate)
{
  JsonObject *object = json_object_new ();

  set_parts (object, &estimate->memory.peak);
  set_gib (object, "host_gib", estimate->memory.host_bytes);
  set_gib (object, "usable_gib", estimate->usable_bytes);
  json_object_set_double_member (object, "utilisation", estimate->memory_utilisation);
  json_object_set_int_member (object, "peak_stage", estimate->memory.peak_stage);
  json_object_set_array_member (object, "stages", stages_to_array (problem, estimate));
  return object;
}

static JsonObject *
time_to_object (const SwTime *time)
{
  const struct { const char *name; double seconds; } terms[] = {
    { "step_s", time->step_s },
    { "compute_s", time->compute_s },
    { "recompute_s", time->recompute_s },
    { "tp_exposed_s", time->tp_exposed_s },
    { "cp_exposed_s", time->cp_exposed_s },
    { "ep_exposed_s", time->ep_exposed_s },
    { "pp_exposed_s", time->pp_exposed_s },
    { "dp_exposed_s", time->dp_exposed_s },
    { "bubble_s", time->bubble_s },
    { "optimizer_s", time->optimizer_s },
    { "offload_exposed_s", time->offload_exposed_s },
    { "other_s", time->other_s },
    { "tp_hidden_s", time->tp_hidden_s },
    { "cp_hidden_s", time->cp_hidden_s },
    { "ep_hidden_s", time->ep_hidden_s },
    { "pp_hidden_s", time->pp_hidden_s },
    { "dp_hidden_s", time->dp_hidden_s },
    { "offload_hidden_s", time->offload_hidden_s },
  };
  JsonObject *object = json_object_new ();

  for (guint i = 0; i < G_N_ELEMENTS (terms); i++)
    json_object_set_double_member (object, terms[i].name, terms[i].seconds);
  return object;
}

static void
set_rates (JsonObject *object, const SwEstimate *estimate)
{
  const struct { const char *name; double value; } rates[] = {
    { "tokens_per_s", estimate->tokens_per_s },
    { "tokens_per_s_per_gpu", estimate->tokens_per_s_per_gpu },
    { "model_tflops_per_gpu", estimate->model_flops_per_s_per_gpu / 1e12 },
    { "mfu", estimate->mfu },
    { "mfu_full_attention", estimate->mfu_full_attention },
    { "hfu", estimate->hfu },
    { "hfu_full_attention", estimate->hfu_full_attention },
    { "peak_tflops", estimate->peak_flops_per_s / 1e12 },
    { "communication_overhead", estimate->communication_overhead },
    { "bubble_fraction", estimate->bubble_fraction },
    { "scaling_efficiency", estimate->scaling_efficiency },
    { "compute_to_communication", estimate->compute_to_communication },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++)
    json_object_set_double_member (object, rates[i].name, rates[i].value);
  json_object_set_string_member (object, "flop_convention", FLOP_CONVENTION);
}

static void
set_interval (JsonObject *object, const char *name, double low, double high)
{
  JsonArray *array = json_array_new ();

  json_array_add_double_element (array, low);
  json_array_add_double_element (array, high);
  json_object_set_array_member (object, name, array);
}

static JsonObject *
interval_to_object (const SwEstimate *estimate)
{
  JsonObject *object = json_object_new ();

  set_interval (object, "step_s", estimate->step_low_s, estimate->step_high_s);
  set_interval (object, "total_gib", estimate->memory_low_bytes / SW_GIB,
                estimate->memory_high_bytes / SW_GIB);
  set_interval (object, "tokens_per_s", estimate->tokens_low_per_s, estimate->tokens_high_per_s);
  return object;
}

static void
set_nearest_run (JsonObject *object, const ShardwiseNearestRun *nearest)
{
  JsonObject *run;

  if (nearest == NULL)
    {
      json_object_set_null_member (object, "nearest_run");
      return;
    }
  run = json_object_new ();
  json_object_set_string_member (run, "id", nearest->id);
  json_object_set_string_member (run, "source", nearest->source);
  json_object_set_double_member (run, "distance", nearest->distance);
  json_object_set_double_member (run, "measured_step_s", nearest->measured_step_s);
  json_object_set_double_member (run, "predicted_step_s", nearest->predicted_step_s);
  json_object_set_object_member (object, "nearest_run", run);
}

static JsonArray *
notes_to_array (GPtrArray *notes)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; notes != NULL && i < notes->len; i++)
    json_array_add_string_element (array, g_ptr_array_index (notes, i));
  return array;
}

static JsonObject *
estimate_to_object (const SwProblem *problem, const SwEstimate *estimate, GPtrArray *notes,
                    const ShardwiseNearestRun *nearest)
{
  JsonObject *object = json_object_new ();

  json_object_set_boolean_member (object, "fits", estimate->fits);
  json_object_set_string_member (object, "rule", sw_rule_names[estimate->rule]);
  set_gib (object, "missing_gib", estimate->missing_bytes);
  json_object_set_array_member (object, "notes", notes_to_array (notes));
  json_object_set_object_member (object, "strategy", strategy_of_estimate (problem, estimate));
  json_object_set_object_member (object, "memory", memory_to_object (problem, estimate));
  json_object_set_object_member (object, "time", time_to_object (&estimate->time));
  set_rates (object, estimate);
  shardwise_json_set_utilisation (object, estimate);
  shardwise_json_set_phases (object, estimate);
  json_object_set_array_member (object, "communication",
                                shardwise_communication_to_json (problem, &estimate->strategy));
  shardwise_json_set_validated (object, estimate);
  json_object_set_object_member (object, "error_interval", interval_to_object (estimate));
  set_nearest_run (object, nearest);
  return object;
}

/* With the measured run that is nearest to this estimate. */
static JsonObject *
any_estimate_to_object (const SwProblem *problem, const SwEstimate *estimate, GPtrArray *notes)
{
  ShardwiseNearestRun *run = shardwise_nearest_run_find (problem, &estimate->strategy);
  JsonObject *object = estimate_to_object (problem, estimate, notes, run);

  shardwise_nearest_run_free (run);
  return object;
}

static JsonNode *
take_object (JsonObject *object)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);

  json_node_take_object (node, object);
  return node;
}

/**
 * shardwise_estimate_to_json:
 * @problem: the question
 * @estimate: of one strategy
 * @notes: (nullable): of char*
 *
 * Returns: (transfer full): the object of `estimate --json`
 */
JsonNode *
shardwise_estimate_to_json (const SwProblem *problem, const SwEstimate *estimate, GPtrArray *notes)
{
  return take_object (any_estimate_to_object (problem, estimate, notes));
}

/* A dimension's value as the scenario file spells it: number, word or boolean. */
static void
set_value (JsonObject *object, SwDimension dimension, guint value, const char *text)
{
  switch (dimension)
    {
    case SW_DIM_SP:
      json_object_set_boolean_member (object, "value", value != 0);
      break;
    case SW_DIM_CP_METHOD:
      json_object_set_string_member (object, "value", sw_cp_method_names[value]);
      break;
    case SW_DIM_RECOMPUTE:
      json_object_set_string_member (object, "value", sw_recompute_names[value]);
      break;
    case SW_DIM_SCHEDULE:
      json_object_set_string_member (object, "value", sw_schedule_names[value]);
      break;
    case SW_DIM_OFFLOAD:
      json_object_set_string_member (object, "value", sw_offload_names[value]);
      break;
    case SW_DIM_TP:
    case SW_DIM_ETP:
    case SW_DIM_PP:
    case SW_DIM_VPP:
    case SW_DIM_DP:
    case SW_DIM_CP:
    case SW_DIM_EP:
    case SW_DIM_ZERO:
    case SW_DIM_SHARD_GROUP:
    case SW_DIM_MICRO_BATCH:
      json_object_set_int_member (object, "value", value);
      break;
    case SW_N_DIMENSIONS:
    default:
      json_object_set_string_member (object, "value", text);
    }
}

static JsonArray *
neighbours_to_array (const ShardwiseRationale *rationale)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < rationale->rows->len; i++)
    {
      const ShardwiseNeighbourRow *row = g_ptr_array_index (rationale->rows, i);
      const SwNeighbour *neighbour = &row->neighbour;
      JsonObject *object = json_object_new ();

      set_value (object, rationale->dimension, neighbour->value, row->value);
      json_object_set_boolean_member (object, "chosen", neighbour->chosen);
      json_object_set_boolean_member (object, "fits", neighbour->rule == SW_RULE_OK);
      json_object_set_string_member (object, "rule", sw_rule_names[neighbour->rule]);
      json_object_set_string_member (object, "reason", row->reason);
      set_gib (object, "missing_gib", neighbour->estimate.missing_bytes);
      set_gib (object, "total_gib", neighbour->estimate.memory.peak.total);
      json_object_set_double_member (object, "tokens_per_s_per_gpu",
                                     neighbour->estimate.tokens_per_s_per_gpu);
      json_object_set_double_member (object, "change", neighbour->change);
      json_array_add_object_element (array, object);
    }
  return array;
}

static JsonArray *
rationale_to_array (ShardwiseAdvice *self)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < self->rationale->len; i++)
    {
      const ShardwiseRationale *rationale = g_ptr_array_index (self->rationale, i);
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "dimension", sw_dimension_names[rationale->dimension]);
      set_value (object, rationale->dimension,
                 sw_strategy_get (&self->recommended.strategy, rationale->dimension),
                 rationale->value);
      json_object_set_string_member (object, "text", rationale->text);
      json_object_set_array_member (object, "neighbours", neighbours_to_array (rationale));
      json_array_add_object_element (array, object);
    }
  return array;
}

static JsonArray *
recommendations_to_array (ShardwiseAdvice *self)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < self->recommendations->len; i++)
    {
      const ShardwiseRecommendation *recommendation = g_ptr_array_index (self->recommendations, i);
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "severity",
                                     shardwise_severity_names[recommendation->severity]);
      json_object_set_string_member (object, "code", recommendation->code);
      json_object_set_string_member (object, "text", recommendation->text);
      json_array_add_object_element (array, object);
    }
  return array;
}

static JsonArray *
steps_to_array (ShardwiseAdvice *self)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < self->steps->len; i++)
    {
      const ShardwiseStep *step = g_ptr_array_index (self->steps, i);
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "step", step->step);
      json_object_set_string_member (object, "text", step->text);
      json_object_set_string_member (object, "value", step->value);
      json_array_add_object_element (array, object);
    }
  return array;
}

static JsonObject *
quick_score_to_object (const SwQuickScore *score)
{
  JsonObject *object = json_object_new ();

  json_object_set_double_member (object, "score", score->score);
  json_object_set_double_member (object, "compute_utilisation", score->compute_utilisation);
  json_object_set_double_member (object, "tp_overhead", score->tp_overhead);
  json_object_set_double_member (object, "bubble", score->bubble);
  json_object_set_double_member (object, "dp_overhead", score->dp_overhead);
  json_object_set_double_member (object, "memory_utilisation", score->memory_utilisation);
  json_object_set_double_member (object, "memory_gb", score->memory_gb);
  json_object_set_int_member (object, "zero_stage", score->zero_stage);
  json_object_set_string_member (object, "fsdp", sw_fsdp_strategy_names[score->fsdp]);
  return object;
}

static JsonArray *
alternatives_to_array (ShardwiseAdvice *self)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < self->alternatives->len; i++)
    {
      JsonObject *object =
        any_estimate_to_object (&self->problem, &g_array_index (self->alternatives, SwEstimate, i),
                                NULL);

      if (self->method == SHARDWISE_METHOD_QUICK_SCORE)
        json_object_set_object_member (object, "quick_score",
                                       quick_score_to_object (&self->quick_score.alternatives[i]));
      json_array_add_object_element (array, object);
    }
  return array;
}

/* What strategies are held against: what filters them, and what only ranks them. */
static JsonArray *
limits_to_array (void)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < SW_N_LIMITS; i++)
    {
      JsonObject *row = json_object_new ();

      json_object_set_string_member (row, "name", sw_limit_names[i]);
      json_object_set_string_member (row, "effect",
                                     sw_limit_filters ((SwLimit) i) ? "filters" : "ranks");
      json_array_add_object_element (array, row);
    }
  return array;
}

static JsonObject *
searched_to_object (const SwSearchResult *search)
{
  JsonObject *object = json_object_new ();
  JsonArray *rejected = json_array_new ();

  json_object_set_int_member (object, "tried", (gint64) search->tried);
  json_object_set_int_member (object, "timed", (gint64) search->timed);
  json_object_set_int_member (object, "fit", (gint64) search->fit);
  json_object_set_int_member (object, "evaluated", (gint64) search->evaluated);
  json_object_set_int_member (object, "bounded", (gint64) search->bounded);
  json_object_set_boolean_member (object, "complete", search->all != NULL);
  json_object_set_double_member (object, "seconds", search->seconds);
  json_object_set_array_member (object, "limits", limits_to_array ());
  for (guint rule = SW_RULE_OK + 1; rule < SW_N_RULES; rule++)
    if (search->rejected[rule] > 0)
      {
        JsonObject *row = json_object_new ();

        json_object_set_string_member (row, "reason", sw_rule_names[rule]);
        json_object_set_int_member (row, "count", (gint64) search->rejected[rule]);
        json_array_add_object_element (rejected, row);
      }
  json_object_set_array_member (object, "rejected", rejected);
  return object;
}

static JsonObject *
nearest_row (ShardwiseAdvice *self, const SwEstimate *nearest, const char *change,
             const SwProblem *problem, const SwEstimate *result)
{
  JsonObject *object = json_object_new ();

  json_object_set_object_member (object, "strategy",
                                 strategy_of_estimate (&self->problem, nearest));
  set_gib (object, "missing_gib", nearest->missing_bytes);
  if (change != NULL)
    json_object_set_string_member (object, "change", change);
  else
    json_object_set_null_member (object, "change");
  json_object_set_object_member (object, "result", any_estimate_to_object (problem, result, NULL));
  return object;
}

/* Nothing fits: for the nearest strategy, each change that would; then the other near ones as they
 * are. */
static JsonArray *
nearest_to_array (ShardwiseAdvice *self)
{
  JsonArray *array = json_array_new ();

  if (self->fits)
    return array;
  for (guint i = 0; i < self->ways_out->len; i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (self->ways_out, i);

      json_array_add_object_element (
        array, nearest_row (self, &self->recommended, way->change,
                            &g_array_index (self->way_problems, SwProblem, i), &way->result));
    }
  for (guint i = self->ways_out->len > 0 ? 1 : 0; i < self->search.n_nearest; i++)
    {
      SwEstimate estimate;

      sw_estimate (&self->problem, &self->search.nearest[i].strategy, &estimate);
      json_array_add_object_element (
        array, nearest_row (self, &estimate, NULL, &self->problem, &estimate));
    }
  if (json_array_get_length (array) == 0) /* nothing may run at all: the one that the rule is of */
    json_array_add_object_element (array, nearest_row (self, &self->recommended, NULL,
                                                       &self->problem, &self->recommended));
  return array;
}

static void
set_count_or_null (JsonObject *object, const char *name, guint value)
{
  if (value > 0)
    json_object_set_int_member (object, name, value);
  else
    json_object_set_null_member (object, name);
}

static JsonObject *
recommended_to_object (ShardwiseAdvice *self)
{
  JsonObject *object =
    estimate_to_object (&self->problem, &self->recommended, self->notes, self->nearest_run);

  json_object_set_boolean_member (object, "fits",
                                  self->fits); /* the method's word; the model's is in the notes */
  return object;
}

/**
 * shardwise_advice_to_json:
 *
 * Returns: (transfer full): the object of `advise --json`
 */
JsonNode *
shardwise_advice_to_json (ShardwiseAdvice *self)
{
  JsonObject *object = json_object_new ();

  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  json_object_set_string_member (object, "method", shardwise_method_names[self->method]);
  json_object_set_boolean_member (object, "fits", self->fits);
  json_object_set_string_member (object, "verdict", self->verdict);
  json_object_set_object_member (object, "recommended", recommended_to_object (self));
  json_object_set_array_member (object, "rationale", rationale_to_array (self));
  json_object_set_array_member (object, "recommendations", recommendations_to_array (self));
  json_object_set_array_member (object, "steps", steps_to_array (self));
  json_object_set_array_member (object, "alternatives", alternatives_to_array (self));
  set_count_or_null (object, "least_gpus", self->least_gpus);
  set_count_or_null (object, "sensible_gpus", self->sensible_gpus);
  json_object_set_object_member (object, "searched", searched_to_object (&self->search));
  json_object_set_array_member (object, "nearest", nearest_to_array (self));
  shardwise_json_set_misses (object, self->misses);
  json_object_set_array_member (object, "notes", notes_to_array (self->notes));
  if (self->method == SHARDWISE_METHOD_QUICK_SCORE)
    json_object_set_object_member (object, "quick_score",
                                   quick_score_to_object (&self->quick_score.best));
  return take_object (object);
}
