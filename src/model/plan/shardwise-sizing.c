/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sizing.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-work.h"
#include "sw-start.h"
#include "shardwise-resolve.h"

#define MOST_GPUS 131072u
#define LEAST_OWN_SIZE 8u
#define MOST_SIZES 1000u
#define MOST_BATCH 1e9 /* of training.global_batch_size */

const char *const shardwise_batch_rule_names[] = { "fixed", "per-gpu", NULL };

/* The state of one call. */
typedef struct {
  SwProblem problem;
  ShardwiseCostInputs costs;
  ShardwiseBatchRule rule;
  int cancelled;     /* atomic */
  GPtrArray *points; /* of ShardwiseSizingPoint, or of ShardwiseAtlasCell */
  GMutex lock;       /* of the members below, if the work may end early */
  gboolean *done;    /* (nullable): of each point */
  guint n_first;     /* number of finished points at the beginning */
  ShardwiseSizingEnough enough;
  gpointer enough_data;
} Sizing;

static int
compare_sizes (gconstpointer a, gconstpointer b)
{
  guint left = *(const guint *) a, right = *(const guint *) b;

  return (left > right) - (left < right);
}

/**
 * shardwise_sizing_sort:
 * @sizes: (element-type guint): numbers of GPUs
 *
 * Puts them in ascending order, each once.
 */
void
shardwise_sizing_sort (GArray *sizes)
{
  guint n = 0;

  g_array_sort (sizes, compare_sizes);
  for (guint i = 0; i < sizes->len; i++)
    if (n == 0 || g_array_index (sizes, guint, i) != g_array_index (sizes, guint, n - 1))
      g_array_index (sizes, guint, n++) = g_array_index (sizes, guint, i);
  g_array_set_size (sizes, n);
}

/**
 * shardwise_sizing_sizes:
 * @first: a power of two
 * @present: the scenario's number of GPUs
 *
 * Returns: (transfer full) (element-type guint): powers of two from @first up to 131,072, and
 *   @present and the powers of two above it among them, ascending
 */
GArray *
shardwise_sizing_sizes (guint first, guint present)
{
  GArray *sizes = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint size = 1; size <= MOST_GPUS; size *= 2)
    {
      if (present > size / 2 && present < size)
        g_array_append_val (sizes, present);
      if (size >= first || size >= present)
        g_array_append_val (sizes, size);
    }
  return sizes;
}

/**
 * shardwise_sizing_parse:
 * @text: "8, 16, 32"
 * @out: (out) (transfer full) (optional) (element-type guint): the numbers, in typed order
 * @why: (out) (transfer full) (optional): the error, translated
 *
 * Returns: whether @text is a list of numbers of GPUs
 */
gboolean
shardwise_sizing_parse (const char *text, GArray **out, char **why)
{
  g_auto (GStrv) parts = g_strsplit_set (text, ", \t", -1);
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  const char *wrong = NULL;

  for (guint i = 0; parts[i] != NULL; i++)
    {
      guint64 value;
      guint size;

      if (*parts[i] == '\0')
        continue;
      if (!g_ascii_string_to_unsigned (parts[i], 10, 1, MOST_GPUS, &value, NULL))
        {
          wrong = parts[i];
          break;
        }
      size = (guint) value;
      g_array_append_val (sizes, size);
    }
  if (wrong != NULL || sizes->len == 0 || sizes->len > MOST_SIZES)
    {
      if (why != NULL && wrong != NULL)
        *why = g_strdup_printf (
            /* Translators: %s is what was typed instead of a number */
            _ ("“%s” is not a number of GPUs; allowed: 1 to 131072, such as 8,16,32"), wrong);
      else if (why != NULL)
        *why = g_strdup_printf (
            _ ("%u numbers of GPUs are too many; allowed: 1 to %u, such as 8,16,32"), sizes->len,
            MOST_SIZES);
      return FALSE;
    }
  if (out != NULL)
    *out = g_steal_pointer (&sizes);
  return TRUE;
}

/* The best strategy or, if nothing fits, the nearest one. */
static void
compute_best (Sizing *self, const SwProblem *problem, SwEstimate *out)
{
  const SwSearchOptions options = { .top = 1, .cancelled = &self->cancelled };
  SwProblem asked = *problem;
  SwSearchResult search;
  SwStrategy strategy;

  sw_search_start (&asked, &options, &search);
  sw_strategy_init_default (&strategy);
  if (search.n_best > 0)
    strategy = search.best[0].strategy;
  else if (search.n_nearest > 0)
    strategy = search.nearest[0].strategy;
  sw_estimate (problem, &strategy, out);
  out->fits = search.n_best > 0;
  sw_search_result_clear (&search);
}

static void
compute_point (guint index, gpointer data)
{
  Sizing *self = data;
  ShardwiseSizingPoint *point = g_ptr_array_index (self->points, index);
  SwProblem problem = self->problem;

  problem.cluster.gpus = point->gpus;
  if (self->rule == SHARDWISE_BATCH_PER_GPU)
    {
      /* A batch that keeps each GPU's share. It consists of whole sequences and, if each GPU has at
       * least one, of the same number for each, because other batches do not divide among them. */
      double exact = (double) problem.training.global_batch * point->gpus
                     / MAX (self->problem.cluster.gpus, 1);
      double unit = exact >= point->gpus && exact != floor (exact) ? point->gpus : 1;

      problem.training.global_batch = (guint) CLAMP (round (exact / unit) * unit, 1, MOST_BATCH);
    }
  point->global_batch = problem.training.global_batch;
  compute_best (self, &problem, &point->estimate);
  if (point->estimate.fits)
    {
      shardwise_cost_compute (&self->costs, &problem, &point->estimate, &point->bill);
      point->days = point->bill.days;
      if (shardwise_cost_bill (&point->bill) != NULL)
        point->cost = shardwise_cost_bill (&point->bill)->total;
    }
  if (self->enough != NULL)
    {
      /* Finished points are reported to the caller one by one, in order, so that the end of the
       * work does not depend on the threads. */
      g_mutex_lock (&self->lock);
      if (g_atomic_int_get (&self->cancelled) == 0)
        {
          self->done[index] = TRUE;
          while (self->n_first < self->points->len && self->done[self->n_first])
            if (self->enough (self->points, ++self->n_first, self->enough_data))
              {
                g_atomic_int_set (&self->cancelled, 1);
                break;
              }
        }
      g_mutex_unlock (&self->lock);
    }
}

static void
compute_cell (guint index, gpointer data)
{
  Sizing *self = data;
  ShardwiseAtlasCell *cell = g_ptr_array_index (self->points, index);
  SwProblem problem = self->problem;

  sw_model_from_size (cell->parameters_b * 1e9, &problem.model);
  problem.cluster.gpus = cell->gpus;
  sw_problem_prepare (&problem);
  compute_best (self, &problem, &cell->estimate);
}

/* Computes all points in parallel. */
static GPtrArray *
run (Sizing *self, void (*work) (guint index, gpointer data),
     void (*progress) (double fraction, gpointer data), gpointer progress_data,
     GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) points = self->points;
  const gulong handler = shardwise_parallel_watch (cancellable, &self->cancelled);

  shardwise_parallel_run (points->len, work, self, progress, progress_data, &self->cancelled);
  g_cancellable_disconnect (cancellable, handler);
  return g_cancellable_set_error_if_cancelled (cancellable, error) ? NULL
                                                                   : g_steal_pointer (&points);
}

/**
 * shardwise_sizing_compute:
 *
 * shardwise_sizing_compute_with() with the scenario's global batch.
 */
GPtrArray *
shardwise_sizing_compute (ShardwiseScenario *scenario, const guint *gpus, guint n_gpus,
                          void (*progress) (double fraction, gpointer data), gpointer progress_data,
                          GCancellable *cancellable, GError **error)
{
  return shardwise_sizing_compute_with (scenario, gpus, n_gpus, SHARDWISE_BATCH_FIXED, progress,
                                        progress_data, cancellable, error);
}

static guint
present_gpus (ShardwiseScenario *scenario)
{
  return (guint) shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 1);
}

static guint
largest (const guint *gpus, guint n_gpus)
{
  guint most = 1;

  for (guint i = 0; i < n_gpus; i++)
    most = MAX (most, gpus[i]);
  return most;
}

static void
add_points (Sizing *self, const guint *gpus, guint n_gpus)
{
  self->points = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n_gpus; i++)
    {
      ShardwiseSizingPoint *point = g_new0 (ShardwiseSizingPoint, 1);

      point->gpus = gpus[i];
      g_ptr_array_add (self->points, point);
    }
}

/* Resolves the question for the largest cluster, which needs the most values (such as a network)
 * and allows the most pins; then restores the scenario's number of GPUs, and its default batch if
 * the batch is not set. */
static gboolean
prepare (Sizing *self, ShardwiseScenario *scenario, guint most, GError **error)
{
  if (!shardwise_scenario_resolve_on (scenario, most, &self->problem, error))
    return FALSE;
  self->problem.cluster.gpus = present_gpus (scenario);
  if (!shardwise_scenario_is_set (scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE))
    {
      self->problem.training.global_batch = 0;
      sw_problem_prepare (&self->problem);
    }
  shardwise_cost_inputs_read (scenario, &self->problem, &self->costs);
  return TRUE;
}

/**
 * shardwise_sizing_compute_with:
 * @scenario: the question; its number of GPUs is replaced
 * @gpus: (nullable): the sizes; %NULL: 8 to 131,072 and the scenario's
 * @n_gpus: their count
 * @rule: whether the global batch or each GPU's share stays constant
 * @progress: (nullable): called after each size
 * @cancellable: (nullable): stops it
 *
 * Returns: (transfer full) (element-type ShardwiseSizingPoint): each size with its own best
 *   strategy, in the order of @gpus; %NULL with @error if the scenario is wrong or the work was
 *   canceled
 */
GPtrArray *
shardwise_sizing_compute_with (ShardwiseScenario *scenario, const guint *gpus, guint n_gpus,
                               ShardwiseBatchRule rule,
                               void (*progress) (double fraction, gpointer data),
                               gpointer progress_data, GCancellable *cancellable, GError **error)
{
  g_autoptr (GArray) own = NULL;
  Sizing sizing = { .rule = rule };

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), NULL);

  if (gpus == NULL)
    {
      own = shardwise_sizing_sizes (LEAST_OWN_SIZE, present_gpus (scenario));
      gpus = (const guint *) (gpointer) own->data;
      n_gpus = own->len;
    }
  if (!prepare (&sizing, scenario, largest (gpus, n_gpus), error))
    return NULL;
  add_points (&sizing, gpus, n_gpus);
  return run (&sizing, compute_point, progress, progress_data, cancellable, error);
}

/**
 * shardwise_sizing_compute_until:
 * @scenario: the question; its number of GPUs is replaced
 * @gpus: the sizes
 * @n_gpus: their count
 * @enough: receives the number of finished sizes from the first; %TRUE ends the work with these;
 *   called for each number in order, in any thread, one at a time
 * @enough_data: for @enough
 * @progress: (nullable): called after each size
 * @cancellable: (nullable): stops it
 *
 * Like shardwise_sizing_compute(), but only for as many sizes from the first as needed; the others,
 * including unfinished ones in other threads, are dropped.
 *
 * Returns: (transfer full) (element-type ShardwiseSizingPoint): as for shardwise_sizing_compute()
 */
GPtrArray *
shardwise_sizing_compute_until (ShardwiseScenario *scenario, const guint *gpus, guint n_gpus,
                                ShardwiseSizingEnough enough, gpointer enough_data,
                                void (*progress) (double fraction, gpointer data),
                                gpointer progress_data, GCancellable *cancellable, GError **error)
{
  Sizing sizing = { .enough = enough, .enough_data = enough_data };
  GPtrArray *points;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario) && enough != NULL, NULL);

  if (!prepare (&sizing, scenario, largest (gpus, n_gpus), error))
    return NULL;
  add_points (&sizing, gpus, n_gpus);
  g_mutex_init (&sizing.lock);
  sizing.done = g_new0 (gboolean, n_gpus);
  points = run (&sizing, compute_point, progress, progress_data, cancellable, error);
  if (points != NULL)
    g_ptr_array_set_size (points, (int) sizing.n_first);
  g_free (sizing.done);
  g_mutex_clear (&sizing.lock);
  return points;
}

static gboolean
set_text (ShardwiseScenario *scenario, ShardwiseKeyId id, const char *text, GError **error)
{
  return shardwise_scenario_set (scenario, id, g_variant_new_string (text), error);
}

/* In billions of parameters: includes a model as small and one as large as those of the published
 * benchmark on 1 to 64 nodes. */
static const double atlas_sizes[] = { 1, 3, 8, 13, 30, 80, 140, 250, 405, 700, 1000, 2000 };
const guint shardwise_atlas_nodes[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048 };
G_STATIC_ASSERT (G_N_ELEMENTS (atlas_sizes) == SHARDWISE_ATLAS_SIZES);
G_STATIC_ASSERT (G_N_ELEMENTS (shardwise_atlas_nodes) == SHARDWISE_ATLAS_NODES);

/**
 * shardwise_atlas_benchmark:
 * @gpu: (nullable): an id of the catalog; %NULL: H100
 *
 * The question of the published benchmark of 1 to 64 nodes (Tazi et al. 2025, "The Ultra-Scale
 * Playbook", best configurations by model size and number of nodes): sequences of 4,096 tokens, 1 M
 * tokens per step, no offload.
 *
 * Returns: (transfer full): a scenario; %NULL with @error if there is no such GPU
 */
ShardwiseScenario *
shardwise_atlas_benchmark (const char *gpu, GError **error)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  SwProblem problem;

  if (!set_text (scenario, SHARDWISE_KEY_CLUSTER_GPU, gpu != NULL ? gpu : "h100-80-sxm", error)
      || !shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                                  g_variant_new_int64 (4096), error)
      || !shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                                  g_variant_new_int64 (256), error)
      || !set_text (scenario, SHARDWISE_KEY_STRATEGY_OFFLOAD, "none", error)
      || !shardwise_scenario_resolve (scenario, &problem, NULL, error))
    return NULL;
  return g_steal_pointer (&scenario);
}

/**
 * shardwise_atlas_cell_scenario:
 * @scenario: the question of the atlas; becomes that of the cell
 * @cell: one of its cells
 *
 * Returns: whether the scenario accepts it; otherwise @error is set
 */
gboolean
shardwise_atlas_cell_scenario (ShardwiseScenario *scenario, const ShardwiseAtlasCell *cell,
                               GError **error)
{
  return shardwise_scenario_set (scenario, SHARDWISE_KEY_MODEL_PARAMETERS_B,
                                 g_variant_new_double (cell->parameters_b), error)
         && shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS,
                                    g_variant_new_int64 (cell->gpus), error);
}

/**
 * shardwise_atlas_compute:
 * @scenario: the question; its model and number of GPUs are replaced
 * @sizes_b: (nullable): models, in billions of parameters; %NULL: those of the benchmark
 * @n_sizes: their count
 * @nodes: (nullable): numbers of nodes; %NULL: shardwise_atlas_nodes
 * @n_nodes: their count
 * @progress: (nullable): called after each cell
 * @cancellable: (nullable): stops it
 *
 * Returns: (transfer full) (element-type ShardwiseAtlasCell): a Llama-like model of each size on
 *   each number of nodes with its best strategy, sorted by size; %NULL with @error if the scenario
 *   is wrong or the work was canceled
 */
GPtrArray *
shardwise_atlas_compute (ShardwiseScenario *scenario, const double *sizes_b, guint n_sizes,
                         const guint *nodes, guint n_nodes,
                         void (*progress) (double fraction, gpointer data), gpointer progress_data,
                         GCancellable *cancellable, GError **error)
{
  Sizing sizing = { 0 };
  guint most;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), NULL);

  if (sizes_b == NULL)
    {
      sizes_b = atlas_sizes;
      n_sizes = SHARDWISE_ATLAS_SIZES;
    }
  if (nodes == NULL)
    {
      nodes = shardwise_atlas_nodes;
      n_nodes = SHARDWISE_ATLAS_NODES;
    }
  if (!shardwise_scenario_resolve (scenario, &sizing.problem, NULL, error))
    return NULL;
  most = largest (nodes, n_nodes) * MAX (1, sizing.problem.cluster.gpus_per_node);
  g_autoptr (GVariant) value = g_variant_ref_sink (g_variant_new_int64 (most));

  if (!(shardwise_key_check (shardwise_key_get (SHARDWISE_KEY_CLUSTER_GPUS), value, error))
      || !shardwise_scenario_resolve_on (scenario, most, &sizing.problem, error))
    return NULL;
  sizing.points = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n_sizes * n_nodes; i++)
    {
      ShardwiseAtlasCell *cell = g_new0 (ShardwiseAtlasCell, 1);

      cell->parameters_b = sizes_b[i / n_nodes];
      cell->nodes = nodes[i % n_nodes];
      cell->gpus = cell->nodes * MAX (1, sizing.problem.cluster.gpus_per_node);
      g_ptr_array_add (sizing.points, cell);
    }
  return run (&sizing, compute_cell, progress, progress_data, cancellable, error);
}
