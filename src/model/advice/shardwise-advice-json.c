/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of answers, as `advise --json` and `estimate --json` print it. Programs depend on it:
 * keys, codes and numbers are never translated. */
#include "shardwise-advice-json.h"

#include "shardwise-json.h"
#include "shardwise-changes.h"
#include "sw-communication.h"
#include "sw-estimate.h"
#include "sw-rejection.h"
#include "shardwise-prediction.h"
#include "shardwise-trade.h"
#include "sw-kernels.h"
#include "sw-tensors.h"

/* An object for each row of the table of communication. */
static JsonArray *
communication_to_array (const SwProblem *problem, const SwStrategy *strategy)
{
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  guint n = sw_communication (problem, strategy, rows);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < n; i++)
    {
      const SwCommunication *row = &rows[i];
      JsonObject *object = json_object_new ();
      JsonArray *links = json_array_new ();

      json_object_set_string_member (object, "group", sw_communication_group_names[row->group]);
      json_object_set_string_member (object, "use", sw_communication_use_names[row->use]);
      json_object_set_boolean_member (object, "experts", row->is_experts);
      if (row->calls > 0)
        json_object_set_string_member (object, "collective", sw_collective_names[row->kind]);
      else
        json_object_set_null_member (object, "collective");
      json_object_set_int_member (object, "gpus", row->gpus);
      if (row->inside)
        json_array_add_string_element (links, problem->cluster.intra.id);
      if (row->network)
        json_array_add_string_element (links, problem->cluster.inter.id);
      json_object_set_array_member (object, "links", links);
      json_object_set_double_member (object, "calls", row->calls);
      shardwise_json_set_gib (object, "sent_gib", row->bytes);
      shardwise_json_set_gib (object, "network_gib", row->network_bytes);
      json_object_set_double_member (object, "bus_gb_per_s", row->bus_bytes_per_s / SW_GB);
      json_object_set_double_member (object, "time_s", row->seconds);
      json_object_set_double_member (object, "exposed_s", row->exposed_s);
      json_object_set_double_member (object, "hidden_s", row->hidden_s);
      json_array_add_object_element (array, object);
    }
  return array;
}

/* The "tensors" of a stage in `estimate --json`. */
static JsonArray *
tensors_to_array (const SwProblem *problem, const SwStrategy *strategy, guint stage)
{
  SwTensor tensors[SW_MAX_TENSORS];
  const guint n = sw_memory_tensors (problem, strategy, stage, tensors);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < n; i++)
    {
      const SwTensor *tensor = &tensors[i];
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "name", sw_tensor_kind_names[tensor->kind]);
      json_object_set_string_member (object, "part", sw_memory_part_names[tensor->part]);
      if (tensor->owner != SW_OWNER_NONE)
        json_object_set_string_member (object, "of", sw_tensor_owner_names[tensor->owner]);
      shardwise_json_set_gib (object, "gib", tensor->bytes);
      json_object_set_double_member (object, "count", tensor->count);
      json_object_set_int_member (object, "tensor_parallel", tensor->tp);
      json_object_set_int_member (object, "sharded_over", tensor->data);
      json_array_add_object_element (array, object);
    }
  return array;
}

#define FLOP_CONVENTION "model FLOPs, causal attention halved"

static void
set_parts (JsonObject *object, const SwMemoryParts *parts)
{
  shardwise_json_set_gib (object, "total_gib", parts->total);
  shardwise_json_set_gib (object, "parameters_gib", parts->parameters);
  shardwise_json_set_gib (object, "gradients_gib", parts->gradients);
  shardwise_json_set_gib (object, "optimizer_gib", parts->optimizer);
  shardwise_json_set_gib (object, "activations_gib", parts->activations);
  shardwise_json_set_gib (object, "logits_gib", parts->logits);
  shardwise_json_set_gib (object, "buffers_gib", parts->buffers);
  shardwise_json_set_gib (object, "framework_gib", parts->framework);
}

/**
 * shardwise_strategy_to_object:
 * @problem: the question
 * @estimate: of the strategy
 *
 * Returns: (transfer full): the dimensions as in scenario files, and derived values
 */
JsonObject *
shardwise_strategy_to_object (const SwProblem *problem, const SwEstimate *estimate)
{
  const SwStrategy *strategy = &estimate->strategy;
  JsonObject *object = json_object_new (), *layers;
  JsonArray *modules = json_array_new (), *stages = json_array_new ();

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
  if (strategy->recompute == SW_RECOMPUTE_FULL_LAYERS)
    {
      layers = json_object_new ();
      json_object_set_int_member (layers, "full_layers", strategy->full_layers);
      json_object_set_object_member (object, "recompute", layers);
    }
  else
    json_object_set_string_member (object, "recompute", sw_recompute_names[strategy->recompute]);
  for (guint i = 0; sw_recompute_module_names[i] != NULL; i++)
    if ((strategy->recompute_modules & (1u << i)) != 0)
      json_array_add_string_element (modules, sw_recompute_module_names[i]);
  json_object_set_array_member (object, "recompute_modules", modules);
  json_object_set_string_member (object, "schedule", sw_schedule_names[strategy->schedule]);
  json_object_set_string_member (object, "offload", sw_offload_names[strategy->offload]);
  json_object_set_string_member (object, "framework", sw_framework_names[strategy->framework]);
  json_object_set_int_member (object, "gradient_accumulation", estimate->gradient_accumulation);
  for (guint stage = 0; stage < strategy->pp; stage++)
    json_array_add_int_element (stages, sw_stage_layers (problem, strategy, stage));
  json_object_set_array_member (object, "layers_per_stage", stages);
  json_object_set_int_member (object, "gpus_used", estimate->gpus_used);
  json_object_set_int_member (object, "gpus_idle", estimate->gpus_idle);
  return object;
}

static JsonObject *
memory_to_object (const SwProblem *problem, const SwEstimate *estimate)
{
  JsonObject *object = json_object_new ();
  JsonArray *stages = json_array_new ();
  SwMoments moments;

  set_parts (object, &estimate->memory.peak);
  shardwise_json_set_gib (object, "host_gib", estimate->memory.host_bytes);
  shardwise_json_set_gib (object, "usable_gib", estimate->usable_bytes);
  json_object_set_double_member (object, "utilisation", estimate->memory_utilisation);
  json_object_set_int_member (object, "peak_stage", estimate->memory.peak_stage);
  for (guint i = 0; i < estimate->strategy.pp; i++)
    {
      JsonObject *stage = json_object_new ();
      SwMemoryParts parts;

      sw_estimate_stage (problem, &estimate->strategy, i, &parts);
      json_object_set_int_member (stage, "stage", i);
      set_parts (stage, &parts);
      json_array_add_object_element (stages, stage);
    }
  json_object_set_array_member (object, "stages", stages);
  if (sw_moments (problem, estimate, &moments))
    {
      JsonObject *of = json_object_new ();

      shardwise_json_set_gib (of, "loading_host_gib", moments.loading_host);
      shardwise_json_set_gib (of, "loading_gib", moments.loading);
      shardwise_json_set_gib (of, "first_backward_gib", moments.first_backward);
      shardwise_json_set_gib (of, "steady_gib", estimate->memory.peak.total);
      shardwise_json_set_gib (of, "evaluation_gib", moments.evaluation);
      json_object_set_object_member (object, "moments", of);
    }
  return object;
}

typedef struct {
  const char *name;
  double value;
} Number;

static void
set_numbers (JsonObject *object, const Number *numbers, guint n)
{
  for (guint i = 0; i < n; i++)
    json_object_set_double_member (object, numbers[i].name, numbers[i].value);
}

static void
set_seconds (JsonObject *object, const SwTime *time)
{
  const Number terms[] = {
    { "step_s", time->step_s },
    { "compute_s", time->compute_s },
    { "recompute_s", time->recompute_s },
    { "uneven_s", time->uneven_s },
    { "tp_exposed_s", time->tp_exposed_s },
    { "cp_exposed_s", time->cp_exposed_s },
    { "ep_exposed_s", time->ep_exposed_s },
    { "pp_exposed_s", time->pp_exposed_s },
    { "dp_exposed_s", time->dp_exposed_s },
    { "bubble_s", time->bubble_s },
    { "optimizer_s", time->optimizer_s },
    { "offload_exposed_s", time->offload_exposed_s },
    { "other_s", time->other_s },
  };

  set_numbers (object, terms, G_N_ELEMENTS (terms));
}

static void
set_interval (JsonObject *object, const char *name, double low, double high)
{
  JsonArray *array = json_array_new ();

  json_array_add_double_element (array, low);
  json_array_add_double_element (array, high);
  json_object_set_array_member (object, name, array);
}

static void
set_convention (JsonObject *object, const char *name, double value, double per_token,
                const char *convention)
{
  JsonObject *one = json_object_new ();

  json_object_set_double_member (one, "value", value);
  json_object_set_double_member (one, "gflop_per_token", per_token / 1e9);
  json_object_set_string_member (one, "convention", convention);
  json_object_set_object_member (object, name, one);
}

/* "utilization": shares of the dense peak by each convention. */
static void
set_utilisation (JsonObject *object, const SwEstimate *e)
{
  const SwFlops *causal = &e->flops_per_token, *full = &e->flops_per_token_full_attention;
  JsonObject *all = json_object_new ();

  set_convention (all, "mfu", e->mfu, causal->model, "model FLOPs, causal attention halved");
  set_convention (all, "mfu_full_attention", e->mfu_full_attention, full->model,
                  "model FLOPs, full attention");
  set_convention (all, "hfu", e->hfu, causal->model + causal->recomputed,
                  "model FLOPs and recomputation, causal attention halved");
  set_convention (all, "hfu_full_attention", e->hfu_full_attention, full->model + full->recomputed,
                  "model FLOPs and recomputation, full attention");
  json_object_set_object_member (object, "utilisation", all);
}

/* "phases", and "generation" if there is one. */
static void
set_phases (JsonObject *object, const SwEstimate *estimate)
{
  const SwGenerationPlan *plan = &estimate->phases.generation;
  JsonObject *generation;
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < estimate->phases.n; i++)
    {
      const SwPhase *phase = &estimate->phases.phase[i];
      JsonObject *one = json_object_new ();

      json_object_set_string_member (one, "phase", sw_phase_names[phase->kind]);
      set_seconds (one, &phase->time);
      shardwise_json_set_gib (one, "total_gib", phase->memory.total);
      json_array_add_object_element (array, one);
    }
  json_object_set_array_member (object, "phases", array);
  if (estimate->phases.n == 0)
    return;
  generation = json_object_new ();
  json_object_set_int_member (generation, "gpus", plan->gpus);
  json_object_set_int_member (generation, "tp", plan->tp);
  json_object_set_int_member (generation, "replicas", plan->replicas);
  json_object_set_int_member (generation, "sequences_per_replica", plan->sequences);
  json_object_set_int_member (generation, "concurrent_sequences", plan->concurrent);
  json_object_set_int_member (generation, "rounds", plan->rounds);
  shardwise_json_set_gib (generation, "cache_gib", plan->cache_bytes);
  shardwise_json_set_gib (generation, "weights_copy_gib", plan->weight_bytes);
  json_object_set_double_member (generation, "prefill_s", plan->prefill_s);
  json_object_set_double_member (generation, "decode_s", plan->decode_s);
  json_object_set_double_member (generation, "transfer_s", plan->transfer_s);
  json_object_set_object_member (object, "generation", generation);
}

/* The object of an estimate, with the nearest measured run, if any. */
static JsonObject *
judged_estimate_to_object (const SwProblem *problem, const SwEstimate *estimate, GPtrArray *notes,
                           const ShardwiseNearestRun *nearest)
{
  static const char *const names[] = { "gpu", "training", "offload", "pcie", "framework" };
  const SwTime *time = &estimate->time;
  const Number hidden[] = {
    { "tp_hidden_s", time->tp_hidden_s }, { "cp_hidden_s", time->cp_hidden_s },
    { "ep_hidden_s", time->ep_hidden_s }, { "pp_hidden_s", time->pp_hidden_s },
    { "dp_hidden_s", time->dp_hidden_s }, { "offload_hidden_s", time->offload_hidden_s },
  };
  const Number rates[] = {
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
  JsonObject *object = json_object_new (), *seconds = json_object_new (),
             *interval = json_object_new (), *run;
  JsonArray *unmeasured = json_array_new ();

  json_object_set_boolean_member (object, "fits", estimate->fit != SW_FIT_DOES_NOT_FIT);
  json_object_set_string_member (object, "fit", sw_fit_names[estimate->fit]);
  json_object_set_string_member (object, "level", sw_level_names[estimate->level]);
  json_object_set_string_member (object, "rule", sw_rule_names[estimate->rule]);
  shardwise_json_set_gib (object, "missing_gib", estimate->missing_bytes);
  json_object_set_array_member (object, "notes", shardwise_json_strings (notes));
  json_object_set_object_member (object, "strategy",
                                 shardwise_strategy_to_object (problem, estimate));
  json_object_set_object_member (object, "memory", memory_to_object (problem, estimate));
  set_seconds (seconds, time);
  set_numbers (seconds, hidden, G_N_ELEMENTS (hidden));
  json_object_set_object_member (object, "time", seconds);
  set_numbers (object, rates, G_N_ELEMENTS (rates));
  json_object_set_string_member (object, "flop_convention", FLOP_CONVENTION);
  set_utilisation (object, estimate);
  set_phases (object, estimate);
  json_object_set_array_member (object, "communication",
                                communication_to_array (problem, &estimate->strategy));
  /* "validated", and "unmeasured": why not, and what else widens the interval. */

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if ((estimate->unmeasured & 1u << i) != 0)
      json_array_add_string_element (unmeasured, names[i]);
  json_object_set_boolean_member (object, "validated", sw_estimate_is_validated (estimate));
  json_object_set_array_member (object, "unmeasured", unmeasured);
  set_interval (interval, "step_s", estimate->step_low_s, estimate->step_high_s);
  set_interval (interval, "total_gib", estimate->memory_low_bytes / SW_GIB,
                estimate->memory_high_bytes / SW_GIB);
  set_interval (interval, "tokens_per_s", estimate->tokens_low_per_s, estimate->tokens_high_per_s);
  json_object_set_object_member (object, "error_interval", interval);
  if (nearest == NULL)
    {
      json_object_set_null_member (object, "nearest_run");
      return object;
    }
  run = json_object_new ();
  json_object_set_string_member (run, "id", nearest->id);
  json_object_set_string_member (run, "source", nearest->source);
  json_object_set_double_member (run, "distance", nearest->distance);
  json_object_set_double_member (run, "measured_step_s", nearest->measured_step_s);
  json_object_set_double_member (run, "predicted_step_s", nearest->predicted_step_s);
  json_object_set_object_member (object, "nearest_run", run);
  return object;
}

/* The JSON object of an estimate, with its nearest measured run. */
static JsonObject *
estimate_to_object (const SwProblem *problem, const SwEstimate *estimate, GPtrArray *notes)
{
  ShardwiseNearestRun *run = shardwise_nearest_run_find (problem, &estimate->strategy);
  JsonObject *object = judged_estimate_to_object (problem, estimate, notes, run);

  shardwise_nearest_run_free (run);
  return object;
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
  return shardwise_json_take_object (estimate_to_object (problem, estimate, notes));
}

/* A dimension's value as in scenario files. */
static void
set_value (JsonObject *object, SwDimension dimension, guint value)
{
  g_autoptr (GVariant) spelt =
      g_variant_ref_sink (shardwise_dimension_to_variant (dimension, value));

  json_object_set_member (object, "value", json_gvariant_serialize (spelt));
}

typedef void (*Fill) (JsonObject *object, gconstpointer item, gpointer context);

/* An object for each of @items. */
static JsonArray *
array_of (GPtrArray *items, Fill fill, gpointer context)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < items->len; i++)
    {
      JsonObject *object = json_object_new ();

      fill (object, g_ptr_array_index (items, i), context);
      json_array_add_object_element (array, object);
    }
  return array;
}

static void
fill_neighbour (JsonObject *object, gconstpointer item, gpointer context)
{
  const ShardwiseNeighbourRow *row = item;
  const ShardwiseRationale *rationale = context;
  const SwNeighbour *neighbour = &row->neighbour;

  set_value (object, rationale->dimension, neighbour->value);
  json_object_set_boolean_member (object, "chosen", neighbour->chosen);
  json_object_set_boolean_member (object, "fits", neighbour->rule == SW_RULE_OK);
  json_object_set_string_member (object, "rule", sw_rule_names[neighbour->rule]);
  json_object_set_string_member (object, "reason", row->reason);
  shardwise_json_set_gib (object, "missing_gib", neighbour->estimate.missing_bytes);
  shardwise_json_set_gib (object, "total_gib", neighbour->estimate.memory.peak.total);
  json_object_set_double_member (object, "tokens_per_s_per_gpu",
                                 neighbour->estimate.tokens_per_s_per_gpu);
  json_object_set_double_member (object, "change", neighbour->change);
}

/* @context: the #ShardwiseAdvice. */
static void
fill_rationale (JsonObject *object, gconstpointer item, gpointer context)
{
  const ShardwiseRationale *rationale = item;
  const SwStrategy *strategy = &shardwise_advice_get_recommended (context)->strategy;

  json_object_set_string_member (object, "dimension", sw_dimension_names[rationale->dimension]);
  set_value (object, rationale->dimension, sw_strategy_get (strategy, rationale->dimension));
  json_object_set_string_member (object, "text", rationale->text);
  json_object_set_array_member (object, "neighbours",
                                array_of (rationale->rows, fill_neighbour, (gpointer) rationale));
}

static void
fill_recommendation (JsonObject *object, gconstpointer item, gpointer context)
{
  const ShardwiseRecommendation *recommendation = item;

  json_object_set_string_member (object, "severity",
                                 shardwise_severity_names[recommendation->severity]);
  json_object_set_string_member (object, "code", recommendation->code);
  json_object_set_string_member (object, "text", recommendation->text);
  if (recommendation->changes != NULL)
    json_object_set_member (object, "changes", json_gvariant_serialize (recommendation->changes));
  else
    json_object_set_null_member (object, "changes");
}

/* "conventional", and each of "recipes". @context: the #ShardwiseAdvice. */
static void
fill_usual (JsonObject *object, gconstpointer item, gpointer context)
{
  const ShardwiseUsual *usual = item;
  const SwEstimate *estimate = &usual->estimate;
  const ShardwisePublished *recipe = usual->recipe;

  json_object_set_string_member (object, "title", usual->name);
  if (recipe != NULL)
    {
      json_object_set_string_member (object, "id", recipe->id);
      json_object_set_string_member (object, "by", recipe->by);
      json_object_set_string_member (object, "source", recipe->source);
      json_object_set_int_member (object, "gpus", recipe->problem.cluster.gpus);
    }
  json_object_set_string_member (object, "text", usual->text);
  json_object_set_boolean_member (object, "fits", estimate->fit != SW_FIT_DOES_NOT_FIT);
  json_object_set_string_member (object, "fit", sw_fit_names[estimate->fit]);
  json_object_set_string_member (object, "level", sw_level_names[estimate->level]);
  json_object_set_string_member (object, "rule", sw_rule_names[estimate->rule]);
  shardwise_json_set_gib (object, "missing_gib", estimate->missing_bytes);
  shardwise_json_set_gib (object, "total_gib", estimate->memory.peak.total);
  json_object_set_double_member (object, "tokens_per_s", estimate->tokens_per_s);
  json_object_set_double_member (object, "tokens_per_s_per_gpu", estimate->tokens_per_s_per_gpu);
  json_object_set_double_member (object, "change", usual->change);
  json_object_set_object_member (
      object, "strategy",
      shardwise_strategy_to_object (shardwise_advice_get_problem (context), estimate));
}

/* Common choices of others: first the convention, which always exists, then recipes. */
static void
set_usual (JsonObject *object, ShardwiseAdvice *self)
{
  JsonArray *all = array_of (shardwise_advice_get_usual (self), fill_usual, self),
            *recipes = json_array_new ();

  json_object_set_member (object, "conventional", json_node_copy (json_array_get_element (all, 0)));
  for (guint i = 1; i < json_array_get_length (all); i++)
    json_array_add_element (recipes, json_node_copy (json_array_get_element (all, i)));
  json_object_set_array_member (object, "recipes", recipes);
  json_array_unref (all);
}

static void
fill_assumption (JsonObject *object, gconstpointer item, gpointer context)
{
  const ShardwiseAssumption *assumption = item;

  json_object_set_string_member (object, "key", shardwise_key_path (assumption->key));
  json_object_set_member (object, "value", json_gvariant_serialize (assumption->value));
  json_object_set_string_member (object, "text", assumption->text);
}

static void
fill_step (JsonObject *object, gconstpointer item, gpointer context)
{
  const ShardwiseStep *step = item;

  json_object_set_string_member (object, "step", step->step);
  json_object_set_string_member (object, "text", step->text);
  json_object_set_string_member (object, "value", step->value);
}

/* In the units of the other members: seconds, GiB, tokens per second, a share. */
static void
fill_look_at (JsonObject *object, gconstpointer item, gpointer context)
{
  const ShardwiseLookAt *look = item;
  const double unit = g_str_equal (look->what, "memory") ? SW_GIB : 1.0;

  json_object_set_string_member (object, "what", look->what);
  json_object_set_double_member (object, "expected", look->expected / unit);
  json_object_set_double_member (object, "low", look->low / unit);
  json_object_set_double_member (object, "high", look->high / unit);
  json_object_set_string_member (object, "text", look->value);
  json_object_set_string_member (object, "where", look->where);
}

/* @context: the #SwProblem. */
static void
fill_remedy (JsonObject *object, gconstpointer item, gpointer context)
{
  const ShardwiseRemedy *remedy = item;
  const SwRung *rung = &remedy->rung;

  json_object_set_string_member (
      object, "dimension",
      rung->dimension == SW_N_DIMENSIONS ? "sequence_length" : sw_dimension_names[rung->dimension]);
  json_object_set_string_member (object, "text", remedy->text);
  json_object_set_object_member (object, "strategy",
                                 shardwise_strategy_to_object (context, &rung->estimate));
  shardwise_json_set_gib (object, "total_gib", rung->estimate.memory.peak.total);
  shardwise_json_set_gib (object, "freed_gib", rung->freed_bytes);
  json_object_set_double_member (object, "tokens_per_s", rung->estimate.tokens_per_s);
  json_object_set_double_member (object, "change", rung->change);
  json_object_set_member (object, "changes", json_gvariant_serialize (remedy->changes));
}

static void
fill_suspect (JsonObject *object, gconstpointer item, gpointer context)
{
  const ShardwiseSuspect *suspect = item;

  json_object_set_string_member (object, "part", suspect->part);
  json_object_set_double_member (object, "share", suspect->share);
  json_object_set_string_member (object, "text", suspect->text);
}

static JsonObject *
verify_to_object (const SwProblem *problem, const ShardwiseVerify *verify)
{
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "steps", SHARDWISE_VERIFY_STEPS);
  json_object_set_array_member (object, "look_at", array_of (verify->look_at, fill_look_at, NULL));
  json_object_set_array_member (
      object, "if_out_of_memory",
      array_of (verify->if_out_of_memory, fill_remedy, (gpointer) problem));
  json_object_set_array_member (object, "if_slower",
                                array_of (verify->if_slower, fill_suspect, NULL));
  return object;
}

/* A change that alone is not enough, with the rule that it still violates and the GiB above the
 * limit. */
static void
fill_miss (JsonObject *object, gconstpointer item, gpointer context)
{
  const ShardwiseMiss *miss = item;

  json_object_set_string_member (object, "change", sw_change_names[miss->change.parts[0].kind]);
  json_object_set_string_member (object, "text", miss->text);
  json_object_set_string_member (object, "rule", sw_rule_names[miss->change.result.rule]);
  shardwise_json_set_gib (object, "missing_gib", miss->change.result.missing_bytes);
}

static JsonObject *
quick_score_to_object (const SwQuickScore *score)
{
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "tp", score->tp);
  json_object_set_int_member (object, "pp", score->pp);
  json_object_set_int_member (object, "dp", score->dp);
  json_object_set_boolean_member (object, "fits", score->fits);
  json_object_set_double_member (object, "score", score->score);
  json_object_set_double_member (object, "compute_utilisation", score->compute_utilisation);
  json_object_set_double_member (object, "tp_overhead", score->tp_overhead);
  json_object_set_double_member (object, "bubble", score->bubble);
  json_object_set_double_member (object, "dp_overhead", score->dp_overhead);
  json_object_set_double_member (object, "memory_utilisation", score->memory_utilisation);
  json_object_set_double_member (object, "memory_gb", score->memory_gb);
  json_object_set_double_member (object, "limit_gb", score->limit_gb);
  json_object_set_double_member (object, "dp_bonus", score->dp_bonus);
  json_object_set_int_member (object, "micro_batches", score->micro_batches);
  json_object_set_int_member (object, "zero_stage", score->zero_stage);
  json_object_set_string_member (object, "fsdp", sw_fsdp_strategy_names[score->fsdp]);
  return object;
}

static JsonObject *
playbook_to_object (const SwPlaybook *playbook)
{
  const Number figures[] = {
    { "weights_gb", playbook->weights_bytes / SW_GB },
    { "weights_gb_per_tp_rank", playbook->weights_bytes_per_tp_rank / SW_GB },
    { "state_gb", playbook->state_bytes / SW_GB },
    { "activation_gb", playbook->activation_bytes / SW_GB },
    { "memory_gb", playbook->total_bytes / SW_GB },
    { "limit_gb", playbook->limit_bytes / SW_GB },
  };
  JsonObject *object = json_object_new ();

  json_object_set_boolean_member (object, "fits", playbook->fits);
  set_numbers (object, figures, G_N_ELEMENTS (figures));
  return object;
}

static JsonObject *
searched_to_object (const SwSearchResult *search)
{
  JsonObject *object = json_object_new ();
  /* What strategies are checked or ranked by. */
  JsonArray *limits = json_array_new (), *rejected = json_array_new ();

  json_object_set_int_member (object, "tried", (gint64) search->tried);
  json_object_set_int_member (object, "timed", (gint64) search->timed);
  json_object_set_int_member (object, "fit", (gint64) search->fit);
  json_object_set_int_member (object, "evaluated", (gint64) search->evaluated);
  json_object_set_int_member (object, "bounded", (gint64) search->bounded);
  json_object_set_boolean_member (object, "complete", search->all != NULL);
  json_object_set_double_member (object, "seconds", search->seconds);
  for (guint i = 0; i < SW_N_LIMITS; i++)
    {
      JsonObject *row = json_object_new ();

      json_object_set_string_member (row, "name", sw_limit_names[i]);
      json_object_set_string_member (row, "effect",
                                     sw_limit_filters ((SwLimit) i) ? "filters" : "ranks");
      json_array_add_object_element (limits, row);
    }
  json_object_set_array_member (object, "limits", limits);
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

  json_object_set_object_member (
      object, "strategy",
      shardwise_strategy_to_object (shardwise_advice_get_problem (self), nearest));
  shardwise_json_set_gib (object, "missing_gib", nearest->missing_bytes);
  if (change != NULL)
    json_object_set_string_member (object, "change", change);
  else
    json_object_set_null_member (object, "change");
  json_object_set_object_member (object, "result", estimate_to_object (problem, result, NULL));
  return object;
}

/* If nothing fits: for the nearest strategy, each change that would make it fit; then other near
 * strategies. */
static JsonArray *
nearest_to_array (ShardwiseAdvice *self)
{
  const SwProblem *problem = shardwise_advice_get_problem (self);
  const SwEstimate *nearest = shardwise_advice_get_recommended (self);
  const SwSearchResult *search = shardwise_advice_get_search (self);
  GPtrArray *ways = shardwise_advice_get_ways_out (self);
  JsonArray *array = json_array_new ();

  if (shardwise_advice_get_fits (self))
    return array;
  for (guint i = 0; i < ways->len; i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (ways, i);

      json_array_add_object_element (
          array, nearest_row (self, nearest, way->change, &way->problem, &way->result));
    }
  for (guint i = ways->len > 0 ? 1 : 0; i < search->n_nearest; i++)
    {
      SwEstimate estimate;

      sw_estimate (problem, &search->nearest[i].strategy, &estimate);
      json_array_add_object_element (array,
                                     nearest_row (self, &estimate, NULL, problem, &estimate));
    }
  if (json_array_get_length (array) == 0) /* if nothing can run: the strategy that the rule is
                                             about */
    json_array_add_object_element (array, nearest_row (self, nearest, NULL, problem, nearest));
  return array;
}

/* "buys": the advantages of an alternative over the recommended strategy. */
static JsonArray *
trades_to_array (const SwEstimate *from, const SwEstimate *to)
{
  const guint trades = shardwise_trades (from, to);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < SHARDWISE_N_TRADES; i++)
    if ((trades & 1u << i) != 0)
      json_array_add_string_element (array, shardwise_trade_names[i]);
  return array;
}

/* "frameworks": the results in each usual framework of the job, best first. */
static JsonArray *
frameworks_to_array (ShardwiseAdvice *self)
{
  GArray *choices = shardwise_advice_get_frameworks (self);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < choices->len; i++)
    {
      const ShardwiseFrameworkChoice *choice = &g_array_index (choices, ShardwiseFrameworkChoice,
                                                               i);
      const SwEstimate *estimate = &choice->estimate;
      JsonObject *row = json_object_new ();

      json_object_set_string_member (row, "framework", sw_framework_names[choice->framework]);
      if (choice->has_strategy)
        {
          json_object_set_string_member (row, "fit", sw_fit_names[estimate->fit]);
          json_object_set_string_member (row, "level", sw_level_names[estimate->level]);
          json_object_set_object_member (
              row, "strategy",
              shardwise_strategy_to_object (shardwise_advice_get_problem (self), estimate));
          json_object_set_double_member (row, "tokens_per_s", estimate->tokens_per_s);
          set_interval (row, "interval", estimate->tokens_low_per_s, estimate->tokens_high_per_s);
          shardwise_json_set_gib (row, "total_gib", estimate->memory.peak.total);
        }
      else
        {
          json_object_set_string_member (row, "fit", sw_fit_names[SW_FIT_DOES_NOT_FIT]);
          json_object_set_null_member (row, "strategy");
        }
      json_array_add_object_element (array, row);
    }
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

/**
 * shardwise_least_to_array:
 * @least: of sw_least_gpus_by()
 * @n: how many
 *
 * Returns: (transfer full): "least_gpus_by": the fewest GPUs, with the means that each number requires
 */
JsonArray *
shardwise_least_to_array (const SwLeastGpus *least, guint n)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < n; i++)
    {
      JsonObject *object = json_object_new ();

      json_object_set_int_member (object, "gpus", least[i].gpus);
      json_object_set_string_member (object, "means", sw_means_names[least[i].means]);
      shardwise_json_set_gib (object, "host_gib", least[i].host_bytes);
      json_array_add_object_element (array, object);
    }
  return array;
}

/**
 * shardwise_advice_to_json:
 *
 * Returns: (transfer full): the object of `advise --json`
 */
JsonNode *
shardwise_advice_to_json (ShardwiseAdvice *self)
{
  JsonObject *object, *recommended;
  JsonArray *alternatives;
  const SwProblem *problem;
  const SwQuickScoreResult *quick;
  const SwLeastGpus *least;
  gboolean is_quick;
  guint n_least;

  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  object = json_object_new ();
  alternatives = json_array_new ();
  problem = shardwise_advice_get_problem (self);
  quick = shardwise_advice_get_quick_score (self);
  least = shardwise_advice_get_least (self, &n_least);
  is_quick = shardwise_advice_get_method (self) == SHARDWISE_METHOD_QUICK_SCORE;
  json_object_set_string_member (object, "method",
                                 shardwise_method_names[shardwise_advice_get_method (self)]);
  json_object_set_boolean_member (object, "fits", shardwise_advice_get_fits (self));
  json_object_set_string_member (object, "verdict", shardwise_advice_get_verdict (self));
  recommended = judged_estimate_to_object (problem, shardwise_advice_get_recommended (self),
                                           shardwise_advice_get_notes (self),
                                           shardwise_advice_get_nearest_run (self));
  json_object_set_array_member (
      recommended, "assumptions",
      array_of (shardwise_advice_get_assumptions (self), fill_assumption, NULL));
  json_object_set_object_member (object, "recommended", recommended);
  if (shardwise_advice_get_fastest (self) != NULL)
    json_object_set_object_member (
        object, "fastest", estimate_to_object (problem, shardwise_advice_get_fastest (self), NULL));
  else
    json_object_set_null_member (object, "fastest");
  json_object_set_array_member (object, "frameworks", frameworks_to_array (self));
  json_object_set_array_member (
      object, "rationale", array_of (shardwise_advice_get_rationale (self), fill_rationale, self));
  json_object_set_array_member (
      object, "recommendations",
      array_of (shardwise_advice_get_recommendations (self), fill_recommendation, NULL));
  if (shardwise_advice_get_verify (self) != NULL)
    json_object_set_object_member (object, "verify",
                                   verify_to_object (problem, shardwise_advice_get_verify (self)));
  else
    json_object_set_null_member (object, "verify");
  json_object_set_array_member (object, "steps",
                                array_of (shardwise_advice_get_steps (self), fill_step, NULL));
  for (guint i = 0; i < shardwise_advice_get_n_alternatives (self); i++)
    {
      JsonObject *one = estimate_to_object (problem, shardwise_advice_get_alternative (self, i),
                                            NULL);

      json_object_set_array_member (one, "buys",
                                    trades_to_array (shardwise_advice_get_recommended (self),
                                                     shardwise_advice_get_alternative (self, i)));
      if (is_quick)
        json_object_set_object_member (one, "quick_score",
                                       quick_score_to_object (&quick->alternatives[i]));
      json_array_add_object_element (alternatives, one);
    }
  json_object_set_array_member (object, "alternatives", alternatives);
  set_usual (object, self);
  set_count_or_null (object, "least_gpus", shardwise_advice_get_least_gpus (self));
  json_object_set_array_member (object, "least_gpus_by", shardwise_least_to_array (least, n_least));
  set_count_or_null (object, "sensible_gpus", shardwise_advice_get_sensible_gpus (self));
  json_object_set_object_member (object, "searched",
                                 searched_to_object (shardwise_advice_get_search (self)));
  json_object_set_array_member (object, "nearest", nearest_to_array (self));
  json_object_set_array_member (object, "insufficient",
                                array_of (shardwise_advice_get_misses (self), fill_miss, NULL));
  json_object_set_array_member (object, "notes",
                                shardwise_json_strings (shardwise_advice_get_notes (self)));
  if (is_quick)
    json_object_set_object_member (object, "quick_score", quick_score_to_object (&quick->best));
  if (shardwise_advice_get_method (self) == SHARDWISE_METHOD_PLAYBOOK)
    json_object_set_object_member (object, "playbook",
                                   playbook_to_object (shardwise_advice_get_playbook (self)));
  return shardwise_json_take_object (object);
}

/* "kernels" of `estimate --json`: seconds of a step by kind of kernel. */
static JsonObject *
kernels_to_object (const SwProblem *problem, const SwEstimate *estimate)
{
  static const char *const names[SW_N_KERNELS] = {
    "attention_s",  "projection_s", "mlp_s",    "experts_s", "memory_bound_s",
    "vocabulary_s", "prediction_s", "launch_s", "other_s",
  };
  JsonObject *object = json_object_new ();
  double seconds[SW_N_KERNELS];

  sw_kernels (problem, &estimate->strategy, &estimate->time, seconds);
  for (guint i = 0; i < SW_N_KERNELS; i++)
    json_object_set_double_member (object, names[i], seconds[i]);
  return object;
}

/**
 * shardwise_estimate_scenario_to_json:
 * @scenario: what was estimated
 *
 * Returns: (transfer full): the object of `estimate --json`, with the nearest measured run, the
 * tensors of every stage and the seconds of every kind of kernel; if the strategy does not fit,
 * also "nearest" as in `advise --json`
 */
JsonNode *
shardwise_estimate_scenario_to_json (ShardwiseScenario *scenario, const SwProblem *problem,
                                     const SwEstimate *estimate, GPtrArray *notes)
{
  JsonNode *node = shardwise_estimate_to_json (problem, estimate, notes);
  g_autoptr (GPtrArray) assumptions = shardwise_assumptions_list (scenario, problem, estimate);
  JsonArray *stages;

  json_object_set_array_member (json_node_get_object (node), "assumptions",
                                array_of (assumptions, fill_assumption, NULL));
  json_object_set_object_member (json_node_get_object (node), "kernels",
                                 kernels_to_object (problem, estimate));
  stages = json_object_get_array_member (
      json_object_get_object_member (json_node_get_object (node), "memory"), "stages");
  for (guint i = 0; i < json_array_get_length (stages); i++)
    json_object_set_array_member (json_array_get_object_element (stages, i), "tensors",
                                  tensors_to_array (problem, &estimate->strategy, i));
  if (!estimate->fits)
    {
      /* The estimated strategy, with all values pinned, has no neighbor that fits: its advice lists
       * what would fit. */
      JsonObject *object = json_node_get_object (node);
      const ShardwiseAdviceOptions options = { .explain = TRUE };
      g_autoptr (ShardwiseScenario) pinned = shardwise_scenario_copy (scenario);
      g_autoptr (ShardwiseAdvice) advice = NULL;

      if (shardwise_scenario_apply (
              pinned, shardwise_strategy_changes (&estimate->strategy, SHARDWISE_ALL_DIMENSIONS),
              NULL))
        advice = shardwise_advice_compute (pinned, &options, NULL, NULL);
      json_object_set_array_member (object, "nearest",
                                    advice != NULL ? nearest_to_array (advice) : json_array_new ());
    }
  return node;
}
