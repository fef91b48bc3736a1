/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of `estimate --json`: a contract. Keys, codes and numbers are never translated. */
#include "shardwise-advice-private.h"
#include "shardwise-json.h"
#include "shardwise-text-estimate.h"

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

/**
 * shardwise_json_strategy:
 * @problem: the question
 * @estimate: of the strategy
 *
 * Returns: (transfer full): the dimensions and what follows from them
 */
JsonObject *
shardwise_json_strategy (const SwProblem *problem, const SwEstimate *estimate)
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
  shardwise_json_set_gib (object, "host_gib", estimate->memory.host_bytes);
  shardwise_json_set_gib (object, "usable_gib", estimate->usable_bytes);
  json_object_set_double_member (object, "utilisation", estimate->memory_utilisation);
  json_object_set_int_member (object, "peak_stage", estimate->memory.peak_stage);
  json_object_set_array_member (object, "stages", stages_to_array (problem, estimate));
  return object;
}

static void
set_seconds (JsonObject *object, const SwTime *time)
{
  const struct {
    const char *name;
    double seconds;
  } terms[] = {
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
  };

  for (guint i = 0; i < G_N_ELEMENTS (terms); i++)
    json_object_set_double_member (object, terms[i].name, terms[i].seconds);
}

static JsonObject *
time_to_object (const SwTime *time)
{
  const struct {
    const char *name;
    double seconds;
  } hidden[] = {
    { "tp_hidden_s", time->tp_hidden_s }, { "cp_hidden_s", time->cp_hidden_s },
    { "ep_hidden_s", time->ep_hidden_s }, { "pp_hidden_s", time->pp_hidden_s },
    { "dp_hidden_s", time->dp_hidden_s }, { "offload_hidden_s", time->offload_hidden_s },
  };
  JsonObject *object = json_object_new ();

  set_seconds (object, time);
  for (guint i = 0; i < G_N_ELEMENTS (hidden); i++)
    json_object_set_double_member (object, hidden[i].name, hidden[i].seconds);
  return object;
}

static void
set_rates (JsonObject *object, const SwEstimate *estimate)
{
  const struct {
    const char *name;
    double value;
  } rates[] = {
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

/* "utilisation": the share of the dense peak by each of the conventions in use. */
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

static JsonObject *
phase_to_object (const SwPhase *phase)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "phase", sw_phase_names[phase->kind]);
  set_seconds (object, &phase->time);
  shardwise_json_set_gib (object, "total_gib", phase->memory.total);
  return object;
}

static JsonObject *
generation_to_object (const SwGenerationPlan *plan)
{
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "gpus", plan->gpus);
  json_object_set_int_member (object, "tp", plan->tp);
  json_object_set_int_member (object, "replicas", plan->replicas);
  json_object_set_int_member (object, "sequences_per_replica", plan->sequences);
  json_object_set_int_member (object, "concurrent_sequences", plan->concurrent);
  json_object_set_int_member (object, "rounds", plan->rounds);
  shardwise_json_set_gib (object, "cache_gib", plan->cache_bytes);
  shardwise_json_set_gib (object, "weights_copy_gib", plan->weight_bytes);
  json_object_set_double_member (object, "prefill_s", plan->prefill_s);
  json_object_set_double_member (object, "decode_s", plan->decode_s);
  json_object_set_double_member (object, "transfer_s", plan->transfer_s);
  return object;
}

/* "phases", and "generation" where there is any. */
static void
set_phases (JsonObject *object, const SwEstimate *estimate)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < estimate->phases.n; i++)
    json_array_add_object_element (array, phase_to_object (&estimate->phases.phase[i]));
  json_object_set_array_member (object, "phases", array);
  if (estimate->phases.n > 0)
    json_object_set_object_member (object, "generation",
                                   generation_to_object (&estimate->phases.generation));
}

/* "validated", and "unmeasured": why not, and what else widens the interval. */
static void
set_validated (JsonObject *object, const SwEstimate *estimate)
{
  static const char *const names[] = { "gpu", "training", "offload", "pcie", "framework" };
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if ((estimate->unmeasured & 1u << i) != 0)
      json_array_add_string_element (array, names[i]);
  json_object_set_boolean_member (object, "validated", sw_estimate_is_validated (estimate));
  json_object_set_array_member (object, "unmeasured", array);
}

/**
 * shardwise_json_estimate:
 * @problem: the question
 * @estimate: of one strategy
 * @notes: (nullable) (element-type utf8): sentences
 * @nearest: (nullable): the measured run that is nearest to it
 *
 * Returns: (transfer full): the object of an estimate
 */
JsonObject *
shardwise_json_estimate (const SwProblem *problem, const SwEstimate *estimate, GPtrArray *notes,
                         const ShardwiseNearestRun *nearest)
{
  JsonObject *object = json_object_new ();

  json_object_set_boolean_member (object, "fits", estimate->fits);
  json_object_set_string_member (object, "rule", sw_rule_names[estimate->rule]);
  shardwise_json_set_gib (object, "missing_gib", estimate->missing_bytes);
  json_object_set_array_member (object, "notes", shardwise_json_strings (notes));
  json_object_set_object_member (object, "strategy", shardwise_json_strategy (problem, estimate));
  json_object_set_object_member (object, "memory", memory_to_object (problem, estimate));
  json_object_set_object_member (object, "time", time_to_object (&estimate->time));
  set_rates (object, estimate);
  set_utilisation (object, estimate);
  set_phases (object, estimate);
  json_object_set_array_member (object, "communication",
                                shardwise_communication_to_json (problem, &estimate->strategy));
  set_validated (object, estimate);
  json_object_set_object_member (object, "error_interval", interval_to_object (estimate));
  set_nearest_run (object, nearest);
  return object;
}

/**
 * shardwise_json_any_estimate:
 * @problem: the question
 * @estimate: of one strategy
 * @notes: (nullable) (element-type utf8): sentences
 *
 * Looks for the nearest measured run itself.
 *
 * Returns: (transfer full): the object of an estimate
 */
JsonObject *
shardwise_json_any_estimate (const SwProblem *problem, const SwEstimate *estimate, GPtrArray *notes)
{
  ShardwiseNearestRun *run = shardwise_nearest_run_find (problem, &estimate->strategy);
  JsonObject *object = shardwise_json_estimate (problem, estimate, notes, run);

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
  return shardwise_json_take_object (shardwise_json_any_estimate (problem, estimate, notes));
}
