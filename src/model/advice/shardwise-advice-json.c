/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of `advise --json`: a contract. Keys, codes and numbers are never translated. */
#include "shardwise-advice-private.h"
#include "shardwise-json.h"
#include "shardwise-changes.h"
#include "sw-rejection.h"

/* A dimension's value as the scenario file spells it. */
static void
set_value (JsonObject *object, SwDimension dimension, guint value)
{
  g_autoptr (GVariant) spelt =
      g_variant_ref_sink (shardwise_dimension_to_variant (dimension, value));

  json_object_set_member (object, "value", json_gvariant_serialize (spelt));
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
                 sw_strategy_get (&self->recommended.strategy, rationale->dimension));
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
      const SwEstimate *estimate = &g_array_index (self->alternatives, SwEstimate, i);
      JsonObject *object = shardwise_json_any_estimate (&self->problem, estimate, NULL);

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
                                 shardwise_json_strategy (&self->problem, nearest));
  shardwise_json_set_gib (object, "missing_gib", nearest->missing_bytes);
  if (change != NULL)
    json_object_set_string_member (object, "change", change);
  else
    json_object_set_null_member (object, "change");
  json_object_set_object_member (object, "result",
                                 shardwise_json_any_estimate (problem, result, NULL));
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
    json_array_add_object_element (
        array, nearest_row (self, &self->recommended, NULL, &self->problem, &self->recommended));
  return array;
}

/* `insufficient`: the changes that alone do not suffice, each with the rule that it still breaks
 * and the GiB that it lacks. */
static void
set_misses (JsonObject *object, GPtrArray *misses)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < misses->len; i++)
    {
      const ShardwiseMiss *miss = g_ptr_array_index (misses, i);
      JsonObject *row = json_object_new ();

      json_object_set_string_member (row, "change", sw_change_names[miss->change.kind]);
      json_object_set_string_member (row, "text", miss->text);
      json_object_set_string_member (row, "rule", sw_rule_names[miss->change.result.rule]);
      shardwise_json_set_gib (row, "missing_gib", miss->change.result.missing_bytes);
      json_array_add_object_element (array, row);
    }
  json_object_set_array_member (object, "insufficient", array);
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
  JsonObject *object = shardwise_json_estimate (&self->problem, &self->recommended, self->notes,
                                                self->nearest_run);

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
  set_misses (object, self->misses);
  json_object_set_array_member (object, "notes", shardwise_json_strings (self->notes));
  if (self->method == SHARDWISE_METHOD_QUICK_SCORE)
    json_object_set_object_member (object, "quick_score",
                                   quick_score_to_object (&self->quick_score.best));
  return shardwise_json_take_object (object);
}
