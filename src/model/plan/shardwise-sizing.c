/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sizing.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-advice-json.h"
#include "shardwise-json.h"
#include "shardwise-work.h"
#include "sw-start.h"
#include "shardwise-resolve.h"
#include "shardwise-dimension.h"
#include "shardwise-format.h"

#define MOST_GPUS 131072u
#define LEAST_OWN_SIZE 8u
#define MOST_SIZES 1000u
#define MOST_BATCH 1e9 /* of training.global_batch_size */

const char *const shardwise_batch_rule_names[] = { "fixed", "per-gpu", NULL };

/* The work of one call. */
typedef struct {
  SwProblem problem;
  ShardwiseCostInputs costs;
  ShardwiseBatchRule rule;
  int cancelled;     /* atomic */
  GPtrArray *points; /* of ShardwiseSizingPoint, or of ShardwiseAtlasCell */
  GMutex lock;       /* of the following, where the work may end early */
  gboolean *done;    /* (nullable): of each point */
  guint n_first;     /* points at the beginning that are done */
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
 * @out: (out) (transfer full) (optional) (element-type guint): the numbers, as they were typed
 * @why: (out) (transfer full) (optional): what is wrong with @text, translated
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
      /* A batch that keeps the share of each GPU. It is made of whole sequences, and, where each
       * GPU has one, of as many for each, since other batches do not divide among them. */
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
      /* What is done at the beginning is shown to the caller one by one, in order, so that where
       * the work ends does not depend on the threads. */
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

/* Does all points at once. */
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
 * shardwise_sizing_compute_with() the global batch of the scenario.
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

/* The question of the largest cluster, which needs most (a network, say) and may hold most pins; its
 * number of GPUs, and the batch of so many where none is stated, are then the scenario's again. */
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
 * @rule: whether the global batch stays as it is, or each GPU's share of it
 * @progress: (nullable): called after each size
 * @cancellable: (nullable): stops it
 *
 * Returns: (transfer full) (element-type ShardwiseSizingPoint): each size with its own best
 *   strategy, in the order of @gpus; %NULL with @error if the scenario is wrong or the work was
 *   cancelled
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
 * @enough: told how many sizes from the first on are done; %TRUE ends the work with them; called
 *   for each number in turn, from any thread, one at a time
 * @enough_data: for @enough
 * @progress: (nullable): called after each size
 * @cancellable: (nullable): stops it
 *
 * Like shardwise_sizing_compute(), but of the sizes from the first on only as many as are needed:
 * the others, of which some are under way on other threads, are dropped.
 *
 * Returns: (transfer full) (element-type ShardwiseSizingPoint): as shardwise_sizing_compute()
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

/* In billions of parameters: among them a model as small and one as large as the published benchmark has on 1 to 64 nodes. */
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
 * tokens a step, nothing offloaded.
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
 * Returns: whether the scenario accepts it; else @error says why
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
 *   each number of nodes with its best strategy, size by size; %NULL with @error if the scenario
 *   is wrong or the work was cancelled
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

/* The speed of each GPU of a cluster relative to another size. */

/* Below this share nothing is gained that is worth a sentence. */
#define WORTH_SAYING 0.005
/* Of what a GPU does at the best size: what scaling is counted against does no less. */
#define FAIR_SHARE 0.5

typedef enum {
  TERM_RECOMPUTE,
  TERM_OFFLOAD,
  TERM_IDLE,
  TERM_BUBBLE,
  TERM_COMMUNICATION,
  TERM_OPTIMIZER,
  TERM_COMPUTE,
  TERM_OTHER,
  N_TERMS
} Term;

static double
rate_per_gpu (const ShardwiseSizingPoint *point)
{
  return point->estimate.fits ? point->estimate.tokens_per_s / point->gpus : 0;
}

/* The smallest of the sizes that fit on which a GPU does at least `least`. */
static const ShardwiseSizingPoint *
smallest_at (GPtrArray *points, double least)
{
  const ShardwiseSizingPoint *found = NULL;

  for (guint i = 0; i < points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (points, i);

      if (point->estimate.fits && rate_per_gpu (point) >= least
          && (found == NULL || point->gpus < found->gpus))
        found = point;
    }
  return found;
}

/**
 * shardwise_sizing_reference:
 * @points: (element-type ShardwiseSizingPoint): sizes in any order
 *
 * A size on which a job only just fits says nothing of how it scales: an ideal drawn from it would
 * be beaten many times over, and losses of large clusters would not show.
 *
 * Returns: (transfer none) (nullable): the reference of scaling: the smallest size that fits and on
 * which a GPU has at least half of its speed on the best size
 */
const ShardwiseSizingPoint *
shardwise_sizing_reference (GPtrArray *points)
{
  double best = 0;

  for (guint i = 0; i < points->len; i++)
    best = MAX (best, rate_per_gpu (g_ptr_array_index (points, i)));
  return smallest_at (points, FAIR_SHARE * best);
}

/**
 * shardwise_sizing_least_text:
 * @points: (element-type ShardwiseSizingPoint): sizes in any order
 *
 * Returns: (transfer full) (nullable): what a GPU does on the fewest that hold the job, translated;
 *   %NULL if that is the size that scaling is counted against, or nothing fits
 */
char *
shardwise_sizing_least_text (GPtrArray *points)
{
  const ShardwiseSizingPoint *reference = shardwise_sizing_reference (points),
                             *least = smallest_at (points, 0);
  g_autofree char *share = NULL;

  if (least == reference)
    return NULL;
  share = shardwise_format_percent (shardwise_sizing_efficiency (reference, least));
  /* Translators: a number of GPUs, a percentage, a larger number of GPUs */
  return g_strdup_printf (
      ngettext ("On %'u GPU, the job barely fits: the throughput per GPU is %s of that on %'u.",
                "On %'u GPUs, the job barely fits: the throughput per GPU is %s of that on %'u.",
                least->gpus),
      least->gpus, share, reference->gpus);
}

/**
 * shardwise_sizing_efficiency:
 * @reference: (nullable): from shardwise_sizing_reference()
 * @point: a size
 *
 * Returns: tokens per second and GPU, idle ones included, over those of @reference; 0: does not fit
 */
double
shardwise_sizing_efficiency (const ShardwiseSizingPoint *reference,
                             const ShardwiseSizingPoint *point)
{
  if (reference == NULL || !point->estimate.fits)
    return 0;
  return point->estimate.tokens_per_s / point->gpus
         / (reference->estimate.tokens_per_s / reference->gpus);
}

/* GPU seconds per token by activity: all terms add up to the step. */
static void
split (const ShardwiseSizingPoint *point, double out[N_TERMS])
{
  const SwEstimate *estimate = &point->estimate;
  const SwTime *time = &estimate->time;
  double share = estimate->gpus_used / (estimate->tokens_per_s * time->step_s), sum = 0;

  out[TERM_RECOMPUTE] = time->recompute_s;
  out[TERM_OFFLOAD] = time->offload_exposed_s;
  out[TERM_BUBBLE] = time->bubble_s + time->uneven_s;
  out[TERM_COMMUNICATION] = time->tp_exposed_s + time->cp_exposed_s + time->ep_exposed_s
                            + time->pp_exposed_s + time->dp_exposed_s;
  out[TERM_OPTIMIZER] = time->optimizer_s;
  out[TERM_COMPUTE] = time->compute_s - time->recompute_s;
  out[TERM_IDLE] = 0;
  out[TERM_OTHER] = 0;
  for (guint i = 0; i < N_TERMS; i++)
    sum += out[i];
  out[TERM_OTHER] = time->step_s - sum;
  out[TERM_IDLE] = time->step_s * ((double) point->gpus / estimate->gpus_used - 1);
  for (guint i = 0; i < N_TERMS; i++)
    out[i] *= share;
}

/* Two labels in @format; %NULL if the dimension did not change. */
static char *
describe_change (const char *format, SwDimension dimension, const SwStrategy *before,
                 const SwStrategy *after)
{
  g_autofree char *from = shardwise_text_dimension_value (dimension,
                                                          sw_strategy_get (before, dimension)),
                  *to = shardwise_text_label (dimension, sw_strategy_get (after, dimension));

  if (sw_strategy_get (before, dimension) == sw_strategy_get (after, dimension))
    return NULL;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  return g_strdup_printf (format, to, from);
#pragma GCC diagnostic pop
}

/* What of the strategy made that part of the time shrink; %NULL: nothing that has a name. */
static char *
changed_reason (Term term, const SwStrategy *before, const SwStrategy *after)
{
  if (term == TERM_COMPUTE)
    {
      /* Translators: "Micro-batch 4" and "1", or "TP 2" and "8" */
      const char *format = _ ("free memory allows larger matrices (%s instead of %s)");

      if (after->micro_batch > before->micro_batch)
        return describe_change (format, SW_DIM_MICRO_BATCH, before, after);
      return after->tp < before->tp ? describe_change (format, SW_DIM_TP, before, after) : NULL;
    }
  if (term == TERM_RECOMPUTE)
    /* Translators: "Recomputation: selective" and "full" */
    return describe_change (_ ("free memory allows less recomputation (%s instead of %s)"),
                            SW_DIM_RECOMPUTE, before, after);
  if (term == TERM_OFFLOAD || (term == TERM_OPTIMIZER && after->offload != before->offload))
    /* Translators: "Offload: none" and "optimizer" */
    return describe_change (_ ("free memory allows less offload (%s instead of %s)"),
                            SW_DIM_OFFLOAD, before, after);
  if (term == TERM_BUBBLE && after->pp < before->pp)
    /* Translators: "PP 2" and "4" */
    return describe_change (_ ("free memory allows a shorter pipeline (%s instead of %s)"),
                            SW_DIM_PP, before, after);
  return NULL;
}

/**
 * shardwise_sizing_gain_text:
 * @reference: (nullable): from shardwise_sizing_reference()
 * @point: a size
 *
 * Why a GPU of @point does more than one of @reference: the part of a token's time that shrinks
 * most, and what of the strategy made it shrink.
 *
 * Returns: (transfer full) (nullable): a sentence, translated; %NULL if it does not do more
 */
char *
shardwise_sizing_gain_text (const ShardwiseSizingPoint *reference,
                            const ShardwiseSizingPoint *point)
{
  static const char *const reasons[N_TERMS] = {
    [TERM_RECOMPUTE] = N_ ("less recomputation"),
    [TERM_OFFLOAD] = N_ ("less waiting for offload"),
    [TERM_IDLE] = N_ ("fewer idle GPUs"),
    [TERM_BUBBLE] = N_ ("a smaller pipeline bubble"),
    [TERM_COMMUNICATION] = N_ ("less exposed communication"),
    [TERM_OPTIMIZER] = N_ ("a smaller share of the optimizer states per GPU"),
    [TERM_COMPUTE] = N_ ("more efficient kernels"),
    [TERM_OTHER] = N_ ("less time for everything except compute and communication"),
  };
  double gain = shardwise_sizing_efficiency (reference, point) - 1;
  g_autofree char *share = NULL, *reason = NULL;
  double before[N_TERMS], after[N_TERMS];
  Term saving = TERM_OTHER;

  if (gain < WORTH_SAYING)
    return NULL;
  share = shardwise_format_percent (gain);
  split (reference, before);
  split (point, after);
  for (guint i = 0; i < N_TERMS; i++)
    if (before[i] - after[i] > before[saving] - after[saving])
      saving = (Term) i;
  reason = changed_reason (saving, &reference->estimate.strategy, &point->estimate.strategy);
  /* Translators: GPUs of a cluster, a percentage, GPUs of a smaller cluster, and why */
  return g_strdup_printf (_ ("On %'u GPUs, the throughput per GPU is %s higher than on %'u: %s."),
                          point->gpus, share, reference->gpus,
                          reason != NULL ? reason : _ (reasons[saving]));
}

/**
 * shardwise_sizing_strategy_text:
 * @strategy: a strategy
 *
 * Returns: (transfer full): "TP 8 PP 4": the parallel sizes above one, except for the replicas,
 * which grow with the cluster; if there are none, how states are sharded
 */
char *
shardwise_sizing_strategy_text (const SwStrategy *strategy)
{
  const struct {
    const char *name;
    guint value;
  } degrees[] = {
    { "TP", strategy->tp },
    { "PP", strategy->pp },
    { "CP", strategy->cp },
    { "EP", strategy->ep },
  };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    if (degrees[i].value > 1)
      g_string_append_printf (text, "%s%s %u", text->len > 0 ? " " : "", degrees[i].name,
                              degrees[i].value);
  if (text->len == 0)
    g_string_append_printf (text, "ZeRO %u", strategy->zero_stage);
  return g_string_free (text, FALSE);
}

/**
 * shardwise_sizing_to_array:
 * @problem: the question, on any number of GPUs
 * @points: (element-type ShardwiseSizingPoint): computed of it
 * @notes: (nullable) (element-type utf8): sentences of the question
 *
 * Returns: (transfer full): the "points" of `scale --json`: estimates, with what each size costs
 */
JsonArray *
shardwise_sizing_to_array (const SwProblem *problem, GPtrArray *points, GPtrArray *notes)
{
  const ShardwiseSizingPoint *reference = shardwise_sizing_reference (points);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (points, i);
      const gboolean fits = point->estimate.fits, has_days = point->days > 0;
      g_autofree char *gain = shardwise_sizing_gain_text (reference, point);
      SwProblem sized = *problem;
      JsonNode *node;
      JsonObject *row;

      sized.cluster.gpus = point->gpus;
      sized.training.global_batch = point->global_batch;
      node = shardwise_estimate_to_json (&sized, &point->estimate, notes);
      row = json_node_get_object (node);
      json_object_set_int_member (row, "gpus", point->gpus);
      json_object_set_int_member (row, "global_batch_size", point->global_batch);
      shardwise_json_set_known (row, "days", point->days, has_days);
      shardwise_json_set_known (row, "cost", point->cost,
                                has_days && shardwise_cost_bill (&point->bill) != NULL);
      shardwise_json_set_known (row, "goodput", point->bill.goodput.ratio, fits);
      shardwise_json_set_known (row, "energy_kwh", point->bill.energy_kwh, has_days);
      shardwise_json_set_known (row, "kg_co2", point->bill.kg_co2, has_days);
      shardwise_json_set_known (row, "share_of_ideal",
                                shardwise_sizing_efficiency (reference, point), fits);
      if (gain != NULL)
        json_object_set_string_member (row, "above_ideal", gain);
      json_array_add_element (array, node);
    }
  return array;
}

static void
append_sentence (GString *text, char *sentence)
{
  if (sentence != NULL)
    g_string_append_printf (text, " %s", sentence);
  g_free (sentence);
}

/**
 * shardwise_sizing_text:
 * @points: (nullable) (element-type ShardwiseSizingPoint): ascending
 *
 * Returns: (transfer full) (nullable): how the job scales over them
 */
char *
shardwise_sizing_text (GPtrArray *points)
{
  const ShardwiseSizingPoint *reference = points != NULL ? shardwise_sizing_reference (points)
                                                         : NULL,
                             *first = NULL, *last = NULL, *best = reference;
  g_autofree char *from = NULL, *to = NULL, *share = NULL;
  GString *text;

  if (points == NULL || points->len == 0)
    return NULL;
  if (reference == NULL)
    return g_strdup (_ ("The job does not fit on any cluster size in this range."));
  for (guint i = 0; i < points->len; i++)
    if (((const ShardwiseSizingPoint *) points->pdata[i])->estimate.fits)
      {
        last = points->pdata[i];
        first = first != NULL ? first : last;
        if (shardwise_sizing_efficiency (reference, last)
            > shardwise_sizing_efficiency (reference, best))
          best = last;
      }
  from = shardwise_format_count (first->estimate.tokens_per_s);
  to = shardwise_format_count (last->estimate.tokens_per_s);
  share = shardwise_format_percent (shardwise_sizing_efficiency (reference, last));
  text = g_string_new (NULL);
  g_string_append_printf (
      text,
      /* Translators: GPUs of the smallest and of the largest cluster, tokens per second of both, a
     * percentage, and GPUs of another cluster */
      _ ("%'u to %'u GPUs: %s to %s tokens/s; in the largest cluster, the throughput per GPU is %s "
         "of that on %'u."),
      first->gpus, last->gpus, from, to, share, reference->gpus);
  append_sentence (text, shardwise_sizing_least_text (points));
  append_sentence (text, shardwise_sizing_gain_text (reference, best));
  return g_string_free (text, FALSE);
}
