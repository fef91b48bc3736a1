/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a machine can fine-tune, and what a model needs: each way to fine-tune, searched as a
 * question of its own. */
#include "shardwise-capacity.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-catalogue.h"
#include "shardwise-changes.h"
#include "shardwise-cost.h"
#include "shardwise-format.h"
#include "shardwise-json.h"
#include "shardwise-resolve.h"
#include "shardwise-work.h"
#include "sw-means.h"
#include "sw-start.h"

const char *const shardwise_tuning_names[] = { "full", "full-8bit", "lora", "qlora", NULL };

/* The scenario changes for each way. */
static const struct {
  const char *type, *optimizer, *title;
} tunings[SHARDWISE_N_TUNINGS] = {
  [SHARDWISE_TUNING_FULL] = { "finetune", "adamw", N_ ("Full") },
  [SHARDWISE_TUNING_FULL_8BIT] = { "finetune", "adam8bit", N_ ("Full, 8-bit Adam") },
  [SHARDWISE_TUNING_LORA] = { "lora", "adamw", N_ ("LoRA") },
  [SHARDWISE_TUNING_QLORA] = { "qlora", "adamw", N_ ("QLoRA") },
};

/* Models that people fine-tune, one or two of each size. */
static const char *const usual_models[] = { "llama-3.2-1b",    "llama-3.2-3b",
                                            "llama-3.1-8b",    "qwen3-14b",
                                            "gpt-oss-20b",     "mistral-small-24b",
                                            "qwen3-30b-a3b",   "qwen3-32b",
                                            "llama-3.3-70b",   "gpt-oss-120b",
                                            "qwen3-235b-a22b", "llama-3.1-405b",
                                            "deepseek-v3",     NULL };

/* Limits of the search: a fine-tuner does not rent more GPUs or train longer sequences than
 * this. */
#define MOST_GPUS 1024
#define LONGEST_SEQUENCE 1048576

/**
 * shardwise_tuning_title:
 * @tuning: a way to fine-tune
 *
 * Returns: (transfer none): its name as tables show it
 */
const char *
shardwise_tuning_title (ShardwiseTuning tuning)
{
  g_return_val_if_fail (tuning < SHARDWISE_N_TUNINGS, NULL);
  return _ (tunings[tuning].title);
}

static void
row_free (gpointer data)
{
  ShardwiseCapacityRow *row = data;

  for (guint i = 0; i < SHARDWISE_N_TUNINGS; i++)
    g_clear_pointer (&row->cells[i].changes, g_variant_unref);
  g_free (row->id);
  g_free (row->name);
  g_free (row);
}

/**
 * shardwise_capacity_free:
 * @self: (transfer full): an answer
 */
void
shardwise_capacity_free (ShardwiseCapacity *self)
{
  g_ptr_array_unref (self->rows);
  g_free (self);
}

/* The state of one call. */
typedef struct {
  ShardwiseScenario *scenario;
  ShardwiseCapacity *out;
  int cancelled; /* atomic */
} Work;

/* The changes that turn the given scenario into this cell's, without its strategy. */
static GVariant *
changes_of (const Work *self, const ShardwiseCapacityRow *row, ShardwiseTuning tuning, guint gpus)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      const char *path = shardwise_key_path (i);

      if (shardwise_scenario_is_set (self->scenario, i)
          && (g_str_has_prefix (path, "strategy.")
              || (!self->out->of_gpus && g_str_has_prefix (path, "model."))))
        shardwise_changes_insert (&dict, i, "s", "");
    }
  shardwise_changes_insert (&dict, SHARDWISE_KEY_TRAINING_TYPE, "s", tunings[tuning].type);
  shardwise_changes_insert (&dict, SHARDWISE_KEY_TRAINING_OPTIMIZER, "s",
                            tunings[tuning].optimizer);
  if (self->out->of_gpus)
    {
      shardwise_other_cluster_forget_gpu (&dict, self->scenario);
      shardwise_other_cluster_add_gpu (&dict, row->id);
      if (g_strcmp0 (row->id,
                     shardwise_scenario_peek_string (self->scenario, SHARDWISE_KEY_CLUSTER_GPU))
          == 0)
        for (guint i = SHARDWISE_KEY_COST_PRICE; i <= SHARDWISE_KEY_COST_PRICE_DATE; i++)
          g_variant_dict_remove (&dict, shardwise_key_path (i)); /* its own value applies */
      shardwise_changes_insert (&dict, SHARDWISE_KEY_CLUSTER_GPUS, "x", (gint64) MAX (gpus, 1));
    }
  else
    shardwise_changes_insert (&dict, SHARDWISE_KEY_MODEL_PRESET, "s", row->id);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* The scenario with these changes, as a problem on at least @gpus GPUs; FALSE: it is invalid. */
static gboolean
ask (const Work *self, GVariant *changes, guint gpus, SwProblem *out)
{
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (self->scenario);

  return shardwise_scenario_apply (changed, changes, NULL)
         && (gpus > 0 ? shardwise_scenario_resolve_on (changed, gpus, out, NULL)
                      : shardwise_scenario_resolve (changed, out, NULL, NULL));
}

/* Doubles the sequence while it fits as certainly as the first result. */
static guint
longest_sequence (const SwProblem *asked)
{
  const guint known = asked->model.max_position_embeddings;
  const guint most = known > 0 ? MIN (known, LONGEST_SEQUENCE) : LONGEST_SEQUENCE;
  SwProblem longer = *asked;
  guint longest = asked->training.sequence_length;

  for (; longest <= most / 2; longest *= 2)
    {
      longer.training.sequence_length = 2 * longest;
      if (!sw_search_fits (&longer))
        break;
    }
  return longest;
}

/* The strategy to start with; FALSE: nothing can run at all. */
static gboolean
find (Work *self, const SwProblem *problem, SwProblem *asked, SwEstimate *out)
{
  const SwSearchOptions options = { .top = 1, .cancelled = &self->cancelled };
  SwSearchResult found;
  gboolean any;

  *asked = *problem;
  sw_search_start (asked, &options, &found);
  any = found.n_best + found.n_nearest > 0;
  if (any)
    sw_estimate (problem, &(found.n_best > 0 ? found.best : found.nearest)[0].strategy, out);
  out->fits = found.n_best > 0;
  sw_search_result_clear (&found);
  return any;
}

/* The price per hour of a cell's GPUs: the scenario's price for its own GPU, else the list
 * price. */
static void
set_price (const Work *self, ShardwiseCapacityCell *cell, const SwProblem *problem)
{
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (self->scenario);
  ShardwiseCostInputs inputs;

  if (!shardwise_scenario_apply (changed, cell->changes, NULL))
    return;
  shardwise_cost_inputs_read (changed, problem, &inputs);
  cell->price_per_hour = inputs.price * problem->cluster.gpus;
  g_strlcpy (cell->currency, inputs.currency, sizeof cell->currency);
  g_strlcpy (cell->price_date, inputs.price_date, sizeof cell->price_date);
}

static void
compute_cell (guint index, gpointer data)
{
  Work *self = data;
  ShardwiseCapacityRow *row = g_ptr_array_index (self->out->rows, index / SHARDWISE_N_TUNINGS);
  const ShardwiseTuning tuning = (ShardwiseTuning) (index % SHARDWISE_N_TUNINGS);
  ShardwiseCapacityCell *cell = &row->cells[tuning];
  SwProblem problem, asked;

  cell->tuning = tuning;
  cell->changes = changes_of (self, row, tuning, 0);
  if (self->out->of_gpus)
    {
      guint least;

      /* The network between nodes is part of the question if there may be several nodes. */
      if (!ask (self, cell->changes, MOST_GPUS, &problem))
        return;
      problem.cancelled = &self->cancelled;
      least = sw_least_gpus_with (&problem, SW_MEANS_NONE, TRUE);
      if (least == 0 || least > MOST_GPUS)
        return;
      g_variant_unref (cell->changes);
      cell->changes = changes_of (self, row, tuning, least);
    }
  if (!ask (self, cell->changes, 0, &problem))
    return;
  problem.cancelled = &self->cancelled;
  cell->sequence_length = problem.training.sequence_length;
  cell->gpus = problem.cluster.gpus;
  if (!find (self, &problem, &asked, &cell->estimate))
    return;
  if (cell->estimate.fits)
    cell->longest_sequence = longest_sequence (&asked);
  set_price (self, cell, &problem);
}

/* Does the work and takes ownership of the answer. */
static ShardwiseCapacity *
run (Work *self, void (*progress) (double fraction, gpointer data), gpointer progress_data,
     GCancellable *cancellable, GError **error)
{
  g_autoptr (ShardwiseCapacity) out = self->out;
  const gulong handler = shardwise_parallel_watch (cancellable, &self->cancelled);

  shardwise_parallel_run (out->rows->len * SHARDWISE_N_TUNINGS, compute_cell, self, progress,
                          progress_data, &self->cancelled);
  g_cancellable_disconnect (cancellable, handler);
  return g_cancellable_set_error_if_cancelled (cancellable, error) ? NULL : g_steal_pointer (&out);
}

/* Adds a row without a name, and its first question; FALSE with an error: a stated value is
 * wrong. */
static gboolean
add_row (const Work *self, const char *id, SwProblem *out, GError **error)
{
  g_autoptr (ShardwiseScenario) first = shardwise_scenario_copy (self->scenario);
  g_autoptr (GVariant) changes = NULL;
  ShardwiseCapacityRow *row = g_new0 (ShardwiseCapacityRow, 1);

  row->id = g_strdup (id);
  g_ptr_array_add (self->out->rows, row);
  changes = changes_of (self, row, SHARDWISE_TUNING_FULL, 0);
  if (!shardwise_scenario_apply (first, changes, error)
      || !shardwise_scenario_resolve (first, out, NULL, error))
    return FALSE;
  row->name = g_strdup (self->out->of_gpus ? out->cluster.gpu.name : out->model.name);
  row->parameters = sw_problem_named_parameters (out);
  if (self->out->rows->len == 1)
    self->out->problem = *out;
  return TRUE;
}

static ShardwiseCapacity *
capacity_new (gboolean of_gpus)
{
  ShardwiseCapacity *self = g_new0 (ShardwiseCapacity, 1);

  self->of_gpus = of_gpus;
  self->rows = g_ptr_array_new_with_free_func (row_free);
  return self;
}

/**
 * shardwise_capacity_of_machine:
 * @scenario: the machine and the stated part of the training; its model and strategy are replaced
 * @models: (nullable) (array zero-terminated=1): ids of the catalog; %NULL: those that people
 *   fine-tune, of every size
 * @progress: (nullable): called after each cell
 * @cancellable: (nullable): stops it
 *
 * Answers “What can I train on this?”.
 *
 * Returns: (transfer full): a row for each model, in order; %NULL with @error if the scenario is
 *   wrong, a model is unknown, or the work was canceled
 */
ShardwiseCapacity *
shardwise_capacity_of_machine (ShardwiseScenario *scenario, const char *const *models,
                               void (*progress) (double fraction, gpointer data),
                               gpointer progress_data, GCancellable *cancellable, GError **error)
{
  g_autoptr (ShardwiseCapacity) out = capacity_new (FALSE);
  Work work = { .scenario = scenario, .out = out };
  SwProblem problem;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), NULL);

  models = models != NULL ? models : usual_models;
  for (guint i = 0; models[i] != NULL; i++)
    if (!add_row (&work, models[i], &problem, error))
      return NULL;
  work.out = g_steal_pointer (&out);
  return run (&work, progress, progress_data, cancellable, error);
}

/**
 * shardwise_capacity_for_model:
 * @scenario: the model and the stated part of the training; its cluster and strategy are replaced
 * @progress: (nullable): called after each cell
 * @cancellable: (nullable): stops it
 *
 * Answers “What does it need?”: for each GPU in the catalog, the smallest number on which a proven
 * strategy certainly fits, by the upper end of its memory interval and without offload.
 *
 * Returns: (transfer full): a row for each GPU, in the order of the catalog, see
 *   shardwise_capacity_by_price(); %NULL with @error if the scenario is wrong or the work was
 *   canceled
 */
ShardwiseCapacity *
shardwise_capacity_for_model (ShardwiseScenario *scenario,
                              void (*progress) (double fraction, gpointer data),
                              gpointer progress_data, GCancellable *cancellable, GError **error)
{
  g_autoptr (GListModel) gpus = shardwise_catalogue_gpus (shardwise_catalogue_get ());
  g_autoptr (ShardwiseCapacity) out = capacity_new (TRUE);
  Work work = { .scenario = scenario, .out = out };
  SwProblem problem;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), NULL);

  for (guint i = 0; i < g_list_model_get_n_items (gpus); i++)
    {
      g_autoptr (ShardwiseCatalogueEntry) entry = g_list_model_get_item (gpus, i);
      g_autofree char *id = NULL;

      g_object_get (entry, "id", &id, NULL);
      if (!add_row (&work, id, &problem, error))
        return NULL;
    }
  work.out = g_steal_pointer (&out);
  return run (&work, progress, progress_data, cancellable, error);
}

/**
 * shardwise_capacity_fits:
 * @self: an answer
 *
 * Returns: whether anything fits
 */
gboolean
shardwise_capacity_fits (const ShardwiseCapacity *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    for (guint t = 0; t < SHARDWISE_N_TUNINGS; t++)
      if (((const ShardwiseCapacityRow *) g_ptr_array_index (self->rows, i))
              ->cells[t]
              .estimate.fits)
        return TRUE;
  return FALSE;
}

static int
compare_prices (gconstpointer a, gconstpointer b, gpointer data)
{
  const ShardwiseTuning tuning = (ShardwiseTuning) GPOINTER_TO_UINT (data);
  const ShardwiseCapacityCell *left = &(*(ShardwiseCapacityRow *const *) a)->cells[tuning],
                              *right = &(*(ShardwiseCapacityRow *const *) b)->cells[tuning];
  const gboolean priced[] = { left->price_per_hour > 0, right->price_per_hour > 0 };

  if (priced[0] != priced[1])
    return priced[0] ? -1 : 1;
  if (priced[0] && left->price_per_hour != right->price_per_hour)
    return left->price_per_hour < right->price_per_hour ? -1 : 1;
  if (left->gpus != right->gpus)
    return left->gpus < right->gpus ? -1 : 1;
  return (left->estimate.tokens_per_s < right->estimate.tokens_per_s)
         - (left->estimate.tokens_per_s > right->estimate.tokens_per_s);
}

/**
 * shardwise_capacity_by_price:
 * @self: an answer for a model
 * @tuning: a way to fine-tune
 *
 * Returns: (transfer container) (element-type ShardwiseCapacityRow): the GPUs on which the model
 *   fits this way, lowest hourly price of the smallest number first; then those without a price,
 *   smallest number first. Owned by @self.
 */
GPtrArray *
shardwise_capacity_by_price (const ShardwiseCapacity *self, ShardwiseTuning tuning)
{
  GPtrArray *sorted = g_ptr_array_new ();

  for (guint i = 0; i < self->rows->len; i++)
    {
      ShardwiseCapacityRow *row = g_ptr_array_index (self->rows, i);

      if (row->cells[tuning].estimate.fits)
        g_ptr_array_add (sorted, row);
    }
  g_ptr_array_sort_with_data (sorted, compare_prices, GUINT_TO_POINTER (tuning));
  return sorted;
}

/**
 * shardwise_capacity_text:
 * @cell: of a row
 *
 * Returns: (transfer full): the figures, or what is missing: "15.3 GiB, micro-batch 2, 1.95 k
 *   tokens/s, up to 8,192 tokens"
 */
char *
shardwise_capacity_text (const ShardwiseCapacityCell *cell)
{
  const SwEstimate *estimate = &cell->estimate;
  g_autofree char *memory = NULL, *rate = NULL, *longest = NULL, *text = NULL;

  if (!estimate->fits && estimate->missing_bytes > 0)
    {
      memory = shardwise_format_bytes (estimate->missing_bytes);
      /* Translators: an amount of memory */
      return g_strdup_printf (_ ("%s missing"), memory);
    }
  if (!estimate->fits)
    return g_strdup (_ ("does not fit"));
  memory = shardwise_format_bytes (estimate->memory.peak.total);
  rate = shardwise_format_count (estimate->tokens_per_s);
  longest = shardwise_format_whole (cell->longest_sequence);
  text = g_strdup_printf (estimate->fit == SW_FIT_MAY_NOT
                              /* Translators: memory, a number, a rate, a number of tokens */
                              ? _ ("may not fit: %s, micro-batch %u, %s tokens/s, up to %s tokens")
                              /* Translators: memory, a number, a rate, a number of tokens */
                              : _ ("%s, micro-batch %u, %s tokens/s, up to %s tokens"),
                          memory, estimate->strategy.micro_batch, rate, longest);
  if (estimate->strategy.offload == SW_OFFLOAD_NONE)
    return g_steal_pointer (&text);
  /* Translators: what fits, only by offload: "15.3 GiB, micro-batch 1, 232 tokens/s, up to 8192 tokens" */
  return g_strdup_printf (_ ("%s, with host memory"), text);
}

static JsonObject *
cell_to_json (const ShardwiseCapacityCell *cell)
{
  const SwEstimate *estimate = &cell->estimate;
  const SwStrategy *strategy = &estimate->strategy;
  const gboolean known = cell->gpus > 0, fits = estimate->fits;
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "method", shardwise_tuning_names[cell->tuning]);
  json_object_set_string_member (
      object, "fit", known ? sw_fit_names[estimate->fit] : sw_fit_names[SW_FIT_DOES_NOT_FIT]);
  json_object_set_string_member (object, "level", sw_level_names[estimate->level]);
  json_object_set_string_member (object, "framework",
                                 fits ? sw_framework_names[strategy->framework] : "");
  shardwise_json_set_known (object, "gpus", cell->gpus, known);
  shardwise_json_set_known (object, "tokens_per_s", estimate->tokens_per_s, fits);
  shardwise_json_set_known (object, "total_gib", estimate->memory.peak.total / SW_GIB, fits);
  shardwise_json_set_known (object, "missing_gib", estimate->missing_bytes / SW_GIB,
                            known && !fits);
  shardwise_json_set_known (object, "micro_batch_size", strategy->micro_batch, fits);
  shardwise_json_set_known (object, "sequence_length", cell->sequence_length, known);
  shardwise_json_set_known (object, "longest_sequence", cell->longest_sequence, fits);
  shardwise_json_set_known (object, "price_per_hour", cell->price_per_hour,
                            cell->price_per_hour > 0);
  json_object_set_string_member (object, "currency", cell->currency);
  json_object_set_string_member (object, "price_date", cell->price_date);
  return object;
}

/**
 * shardwise_capacity_to_json:
 * @self: an answer
 *
 * Returns: (transfer full): {"gpu", "gpus", "models": […]} or {"model", "gpus": […]}, of {"model"
 *   or "gpu", "title", "parameters_b", "methods": [{"method", "fit", "level", "framework", "gpus",
 *   "tokens_per_s", "total_gib", "missing_gib", "micro_batch_size", "sequence_length",
 *   "longest_sequence", "price_per_hour", "currency", "price_date"}]}; unknown values are null
 */
JsonNode *
shardwise_capacity_to_json (const ShardwiseCapacity *self)
{
  JsonObject *answer = json_object_new ();
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < self->rows->len; i++)
    {
      const ShardwiseCapacityRow *row = g_ptr_array_index (self->rows, i);
      JsonObject *object = json_object_new ();
      JsonArray *methods = json_array_new ();

      json_object_set_string_member (object, self->of_gpus ? "gpu" : "model", row->id);
      json_object_set_string_member (object, "title", row->name);
      json_object_set_double_member (object, "parameters_b", row->parameters / 1e9);
      for (guint t = 0; t < SHARDWISE_N_TUNINGS; t++)
        json_array_add_object_element (methods, cell_to_json (&row->cells[t]));
      json_object_set_array_member (object, "methods", methods);
      json_array_add_object_element (array, object);
    }
  if (self->of_gpus)
    json_object_set_string_member (answer, "model", self->problem.model.id);
  else
    {
      json_object_set_string_member (answer, "gpu", self->problem.cluster.gpu.id);
      json_object_set_int_member (answer, "gpus", self->problem.cluster.gpus);
    }
  json_object_set_array_member (answer, self->of_gpus ? "gpus" : "models", array);
  return shardwise_json_take_object (answer);
}
