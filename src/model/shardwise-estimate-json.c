/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of `estimate --json`: arithmetic by every convention, phases, and what was not measured. */
#include "shardwise-advice-private.h"

static void
set_gib (JsonObject *object, const char *name, double bytes)
{
  json_object_set_double_member (object, name, bytes / SW_GIB);
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
void
shardwise_json_set_utilisation (JsonObject *object, const SwEstimate *e)
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
  const SwTime *t = &phase->time;
  const struct { const char *name; double seconds; } terms[] = {
    { "step_s", t->step_s },
    { "compute_s", t->compute_s },
    { "recompute_s", t->recompute_s },
    { "tp_exposed_s", t->tp_exposed_s },
    { "cp_exposed_s", t->cp_exposed_s },
    { "ep_exposed_s", t->ep_exposed_s },
    { "pp_exposed_s", t->pp_exposed_s },
    { "dp_exposed_s", t->dp_exposed_s },
    { "bubble_s", t->bubble_s },
    { "optimizer_s", t->optimizer_s },
    { "offload_exposed_s", t->offload_exposed_s },
    { "other_s", t->other_s },
  };
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "phase", sw_phase_names[phase->kind]);
  for (guint i = 0; i < G_N_ELEMENTS (terms); i++)
    json_object_set_double_member (object, terms[i].name, terms[i].seconds);
  set_gib (object, "total_gib", phase->memory.total);
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
  set_gib (object, "cache_gib", plan->cache_bytes);
  set_gib (object, "weights_copy_gib", plan->weight_bytes);
  json_object_set_double_member (object, "prefill_s", plan->prefill_s);
  json_object_set_double_member (object, "decode_s", plan->decode_s);
  json_object_set_double_member (object, "transfer_s", plan->transfer_s);
  return object;
}

/* "phases", and "generation" where there is any. */
void
shardwise_json_set_phases (JsonObject *object, const SwEstimate *estimate)
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
void
shardwise_json_set_validated (JsonObject *object, const SwEstimate *estimate)
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
 * shardwise_json_set_misses:
 * @object: of an advice
 * @misses: (element-type ShardwiseMiss): the changes that alone do not suffice
 *
 * Adds `insufficient`: each change, the rule that it still breaks and the GiB that it lacks.
 */
void
shardwise_json_set_misses (JsonObject *object, GPtrArray *misses)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < misses->len; i++)
    {
      const ShardwiseMiss *miss = g_ptr_array_index (misses, i);
      JsonObject *row = json_object_new ();

      json_object_set_string_member (row, "change", sw_change_names[miss->change.kind]);
      json_object_set_string_member (row, "text", miss->text);
      json_object_set_string_member (row, "rule", sw_rule_names[miss->change.result.rule]);
      json_object_set_double_member (row, "missing_gib",
                                     miss->change.result.missing_bytes / SW_GIB);
      json_array_add_object_element (array, row);
    }
  json_object_set_array_member (object, "insufficient", array);
}
