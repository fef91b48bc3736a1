/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tools about other sizes of the cluster, model or work, and about time and money. */
#include "shardwise-mcp-plans.h"

#include "shardwise-capacity.h"
#include "shardwise-deadline.h"
#include "shardwise-json.h"
#include "shardwise-resolve.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-sums.h"
#include "shardwise-ways.h"
#include "shardwise-scaling.h"
#include "sw-means.h"

enum { LEAST_GPUS, LARGEST_MODEL, LONGEST_SEQUENCE, LARGEST_MICRO_BATCH };
const char *const shardwise_mcp_fits_words[] = { "least-gpus", "largest-model", "longest-sequence",
                                                 "largest-micro-batch", NULL };

#define MOST_GPUS 16384

/* ---- what fits ---- */

static void
set_row (JsonObject *row, const SwProblem *problem, const SwEstimate *estimate)
{
  g_autofree char *text = shardwise_text_strategy (&estimate->strategy),
                  *states = shardwise_text_states (problem, estimate, estimate->memory.peak_stage),
                  *why = NULL;

  json_object_set_string_member (row, "fit", sw_fit_names[estimate->fit]);
  json_object_set_string_member (row, "level", sw_level_names[estimate->level]);
  json_object_set_string_member (row, "strategy", text);
  json_object_set_string_member (row, "framework",
                                 sw_framework_names[estimate->strategy.framework]);
  shardwise_json_set_gib (row, "total_gib", estimate->memory.peak.total);
  shardwise_json_set_gib (row, "high_gib", estimate->memory_high_bytes);
  shardwise_json_set_gib (row, "usable_gib", estimate->usable_bytes);
  shardwise_json_set_gib (row, "missing_gib", estimate->missing_bytes);
  json_object_set_double_member (row, "tokens_per_s", estimate->tokens_per_s);
  json_object_set_string_member (row, "states", states);
  if (!estimate->fits)
    {
      why = shardwise_text_rule (problem, &estimate->strategy, estimate->rule,
                                 estimate->missing_bytes);
      json_object_set_string_member (row, "why", why);
    }
}

/* The best strategy for a scenario; FALSE with an error if the scenario is invalid. */
static gboolean
add_best (JsonObject *row, ShardwiseScenario *scenario, ShardwiseMcpCall *call, gboolean *fits,
          GError **error)
{
  const ShardwiseAdviceOptions options = { .top = 1, .bare = TRUE };
  g_autoptr (ShardwiseAdvice) advice = shardwise_advice_compute (scenario, &options,
                                                                 call->cancellable, error);

  if (advice == NULL)
    return FALSE;
  set_row (row, shardwise_advice_get_problem (advice), shardwise_advice_get_recommended (advice));
  *fits = shardwise_advice_get_fits (advice);
  return TRUE;
}

static gboolean
least_gpus (JsonArray *rows, ShardwiseMcpCall *call, GError **error)
{
  /* The stated strategy, then each way to save memory. */
  for (guint i = 0; i <= SHARDWISE_N_WAYS; i++)
    {
      const ShardwiseWay *way = i > 0 ? &shardwise_ways[i - 1] : NULL;
      g_autoptr (ShardwiseScenario) changed = way == NULL ? shardwise_scenario_copy (call->scenario)
                                              : way->is_offload
                                                  ? NULL
                                                  : shardwise_way_apply (way, call->scenario);
      JsonObject *row;
      SwLeastGpus least[SW_N_MEANS];
      JsonArray *means;
      SwProblem problem;
      guint n, safe;
      gboolean fits;

      if (changed == NULL)
        continue;
      row = json_object_new ();
      json_object_set_string_member (row, "name", way != NULL ? way->name : "as set");
      means = json_array_new ();
      json_object_set_array_member (row, "by", means);
      json_array_add_object_element (rows, row);
      if (!shardwise_scenario_resolve_on (changed, MOST_GPUS, &problem, error))
        return FALSE;
      n = sw_least_gpus_by (&problem, least);
      safe = sw_least_gpus_with (&problem, SW_MEANS_NONE, TRUE);
      for (guint j = 0; j < n; j++)
        {
          JsonObject *one = json_object_new ();

          json_object_set_int_member (one, "gpus", least[j].gpus);
          json_object_set_string_member (one, "means", sw_means_names[least[j].means]);
          shardwise_json_set_gib (one, "host_gib_per_node", least[j].host_bytes);
          json_array_add_object_element (means, one);
        }
      if (safe > 0)
        {
          if (!shardwise_scenario_set (changed, SHARDWISE_KEY_CLUSTER_GPUS,
                                       g_variant_new_int64 (safe), error)
              || !add_best (row, changed, call, &fits, error))
            return FALSE;
          json_object_set_int_member (row, "gpus", safe);
        }
      if (call->progress != NULL)
        call->progress ((i + 1.0) / (SHARDWISE_N_WAYS + 1), call->progress_data);
      if (g_cancellable_set_error_if_cancelled (call->cancellable, error))
        return FALSE;
    }
  return TRUE;
}

/* A row for each value of a key, doubled until it does not fit. */
static gboolean
ladder (JsonArray *rows, ShardwiseMcpCall *call, ShardwiseKeyId key, guint from, guint to,
        GError **error)
{
  gboolean fits = TRUE;

  for (guint value = from; value <= to && fits; value *= 2)
    {
      g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (call->scenario);
      g_autofree char *name = g_strdup_printf ("%s = %u", shardwise_key_path (key), value);
      g_autoptr (GError) wrong = NULL;
      JsonObject *row = json_object_new ();

      json_object_set_string_member (row, "name", name);
      json_array_add_object_element (rows, row);
      if (!shardwise_scenario_set (changed, key, g_variant_new_int64 (value), &wrong)
          || !add_best (row, changed, call, &fits, &wrong))
        {
          if (value == from || g_cancellable_is_cancelled (call->cancellable))
            {
              g_propagate_error (error, g_steal_pointer (&wrong));
              return FALSE;
            }
          json_object_set_string_member (row, "why", wrong->message);
          fits = FALSE;
        }
      json_object_remove_member (row, "states");
    }
  return TRUE;
}

/* For each method, the largest commonly fine-tuned model that fits and the next that does not. */
static gboolean
largest_model (JsonArray *rows, ShardwiseMcpCall *call, GError **error)
{
  g_autoptr (ShardwiseCapacity) all = shardwise_capacity_of_machine (
      call->scenario, NULL, call->progress, call->progress_data, call->cancellable, error);

  if (all == NULL)
    return FALSE;
  for (guint t = 0; t < SHARDWISE_N_TUNINGS; t++)
    {
      const ShardwiseCapacityRow *best[2] = { NULL, NULL };

      for (guint i = 0; i < all->rows->len; i++)
        {
          const ShardwiseCapacityRow *row = g_ptr_array_index (all->rows, i);
          const gboolean misses = !row->cells[t].estimate.fits;

          if (best[misses] == NULL
              || (misses ? row->parameters < best[1]->parameters
                         : row->parameters > best[0]->parameters))
            best[misses] = row;
        }
      for (guint misses = 0; misses < 2; misses++)
        {
          g_autofree char *name = NULL, *text = NULL;
          const ShardwiseCapacityCell *cell;
          JsonObject *row;

          if (best[misses] == NULL)
            continue;
          cell = &best[misses]->cells[t];
          name = g_strdup_printf ("%s, %s", shardwise_tuning_names[t], best[misses]->id);
          text = shardwise_capacity_text (cell);
          row = json_object_new ();
          json_object_set_string_member (row, "name", name);
          json_object_set_string_member (row, "fit", sw_fit_names[cell->estimate.fit]);
          json_object_set_string_member (row, "level", sw_level_names[cell->estimate.level]);
          json_object_set_string_member (row, "why", text);
          json_object_set_int_member (row, "longest_sequence", cell->longest_sequence);
          json_array_add_object_element (rows, row);
        }
    }
  return TRUE;
}

JsonObject *
shardwise_mcp_fits (ShardwiseMcpCall *call, GError **error)
{
  const int what = sw_name_index (shardwise_mcp_fits_words,
                                  shardwise_mcp_text (call, "what", NULL));
  JsonObject *object = json_object_new ();
  JsonArray *rows = json_array_new ();
  gboolean done;

  json_object_set_array_member (object, "rows", rows);
  switch (what)
    {
    case LARGEST_MODEL: done = largest_model (rows, call, error); break;
    case LONGEST_SEQUENCE:
      done = ladder (rows, call, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, 1024, 1048576, error);
      break;
    case LARGEST_MICRO_BATCH:
      done = ladder (rows, call, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, 1, 256, error);
      break;
    case LEAST_GPUS:
    default: done = least_gpus (rows, call, error); break;
    }
  if (done)
    return object;
  json_object_unref (object);
  return NULL;
}

/* ---- sizes ---- */

/* The points of several numbers of GPUs, each with its best strategy. */
static JsonObject *
sized (ShardwiseMcpCall *call, const guint *gpus, guint n, GError **error)
{
  SwProblem problem;
  g_autoptr (GPtrArray) notes = NULL, points = NULL;
  ShardwiseCostInputs costs;
  JsonObject *object;
  JsonArray *array;

  if (!shardwise_scenario_resolve (call->scenario, &problem, &notes, error))
    return NULL;
  points = shardwise_sizing_compute (call->scenario, gpus, n, call->progress, call->progress_data,
                                     call->cancellable, error);
  if (points == NULL)
    return NULL;
  shardwise_cost_inputs_read (call->scenario, &problem, &costs);
  array = shardwise_sizing_to_array (&problem, points, NULL);
  for (guint i = 0; i < points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (points, i);
      g_autofree char *text = shardwise_text_strategy (&point->estimate.strategy);
      JsonObject *row = json_array_get_object_element (array, i);

      json_object_set_string_member (row, "strategy", text);
      shardwise_json_set_gib (row, "total_gib", point->estimate.memory.peak.total);
      json_object_set_double_member (row, "step_s", point->estimate.time.step_s);
      json_object_set_double_member (row, "tokens_per_s_low", point->estimate.tokens_low_per_s);
      json_object_set_double_member (row, "tokens_per_s_high", point->estimate.tokens_high_per_s);
    }
  object = json_object_new ();
  json_object_set_array_member (object, "points", array);
  json_object_set_string_member (object, "currency", costs.currency);
  json_object_set_array_member (object, "notes", shardwise_json_strings (notes));
  return object;
}

JsonObject *
shardwise_mcp_scale (ShardwiseMcpCall *call, GError **error)
{
  JsonArray *given = json_object_get_array_member (call->arguments, "gpus");
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < json_array_get_length (given); i++)
    {
      const guint gpus = (guint) json_array_get_int_element (given, i);

      g_array_append_val (sizes, gpus);
    }
  return sized (call, (const guint *) (gpointer) sizes->data, sizes->len, error);
}

/* Fails if the scenario does not state a key. */
static gboolean
needs (ShardwiseMcpCall *call, ShardwiseKeyId key, GError **error)
{
  g_autofree char *accepted = NULL;

  if (shardwise_scenario_is_set (call->scenario, key))
    return TRUE;
  accepted = shardwise_key_describe_range (shardwise_key_get (key));
  g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_MISSING, shardwise_key_path (key),
                                                 "is required; allowed: %s", accepted));
  return FALSE;
}

JsonObject *
shardwise_mcp_cost (ShardwiseMcpCall *call, GError **error)
{
  SwProblem problem;
  g_autoptr (GPtrArray) points = NULL, notes = NULL;
  g_autofree char *text = NULL, *goodput = NULL;
  const ShardwiseSizingPoint *point;
  ShardwiseCostInputs costs;
  JsonObject *object;

  if (!needs (call, SHARDWISE_KEY_TRAINING_TOKENS, error)
      || !shardwise_scenario_resolve (call->scenario, &problem, NULL, error))
    return NULL;
  points = shardwise_sizing_compute (call->scenario, &problem.cluster.gpus, 1, NULL, NULL,
                                     call->cancellable, error);
  if (points == NULL)
    return NULL;
  point = g_ptr_array_index (points, 0);
  shardwise_cost_inputs_read (call->scenario, &problem, &costs);
  notes = shardwise_cost_notes (&costs, &point->bill);
  object = shardwise_json_into_object (shardwise_cost_to_json (&costs, &point->bill, notes));
  text = shardwise_text_strategy (&point->estimate.strategy);
  goodput = shardwise_cost_goodput_text (&point->bill);
  json_object_set_int_member (object, "gpus", point->gpus);
  json_object_set_string_member (object, "fit", sw_fit_names[point->estimate.fit]);
  json_object_set_string_member (object, "strategy", text);
  json_object_set_double_member (object, "tokens_per_s", point->estimate.tokens_per_s);
  if (goodput != NULL)
    json_object_set_string_member (object, "failures", goodput);
  return object;
}

JsonObject *
shardwise_mcp_deadline (ShardwiseMcpCall *call, GError **error)
{
  const char *from = shardwise_mcp_text (call, "start", NULL);
  g_autoptr (GPtrArray) points = NULL;
  g_autofree char *text = NULL;
  ShardwiseDeadlinePlan plan;
  ShardwiseCostInputs costs;
  SwProblem problem;
  JsonObject *object;
  GDate start;

  if (from == NULL)
    shardwise_date_today (&start);
  else if (!shardwise_date_parse (from, &start))
    {
      g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_TYPE, "start", "%s",
                                                     "is not a date; allowed: YYYY-MM-DD"));
      return NULL;
    }
  if (!needs (call, SHARDWISE_KEY_TRAINING_TOKENS, error)
      || !needs (call, SHARDWISE_KEY_TRAINING_DEADLINE, error)
      || !shardwise_scenario_resolve (call->scenario, &problem, NULL, error))
    return NULL;
  points = shardwise_deadline_search (call->scenario, &start, call->progress, call->progress_data,
                                      call->cancellable, error);
  if (points == NULL)
    return NULL;
  shardwise_cost_inputs_read (call->scenario, &problem, &costs);
  shardwise_deadline_plan (call->scenario, &start, points, &plan);
  text = shardwise_deadline_text (&plan, points, costs.currency);
  object = shardwise_json_into_object (shardwise_deadline_to_json (&plan, points));
  json_object_set_string_member (object, "currency", costs.currency);
  json_object_set_string_member (object, "verdict", text);
  return object;
}
