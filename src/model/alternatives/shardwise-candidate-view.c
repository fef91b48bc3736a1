/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-candidate-view.h"

#include "sw-search-result.h"
#include "shardwise-text-strategy.h"

/* For sorting by one dimension. */
static const SwDimension sort_dimensions[SHARDWISE_N_SORTS] = {
  [SHARDWISE_SORT_TP] = SW_DIM_TP,
  [SHARDWISE_SORT_PP] = SW_DIM_PP,
  [SHARDWISE_SORT_DP] = SW_DIM_DP,
  [SHARDWISE_SORT_CP] = SW_DIM_CP,
  [SHARDWISE_SORT_EP] = SW_DIM_EP,
  [SHARDWISE_SORT_ZERO] = SW_DIM_ZERO,
  [SHARDWISE_SORT_MICRO_BATCH] = SW_DIM_MICRO_BATCH,
  [SHARDWISE_SORT_VPP] = SW_DIM_VPP,
  [SHARDWISE_SORT_SCHEDULE] = SW_DIM_SCHEDULE,
  [SHARDWISE_SORT_OFFLOAD] = SW_DIM_OFFLOAD,
};

/* From none to full: the first layers before all of them. */
static const guint8 recompute_order[] = {
  [SW_RECOMPUTE_NONE] = 0,
  [SW_RECOMPUTE_SELECTIVE] = 1,
  [SW_RECOMPUTE_FULL_LAYERS] = 2,
  [SW_RECOMPUTE_FULL] = 3,
};

static guint32
key_of (const SwCandidate *candidate, ShardwiseSort sort,
        const guint8 framework_order[SW_N_FRAMEWORKS])
{
  switch ((int) sort)
    {
    case SHARDWISE_SORT_MEMORY: return sw_key_of_positive (candidate->memory_bytes);
    case SHARDWISE_SORT_STEP: return sw_key_of_positive (candidate->step_s);
    case SHARDWISE_SORT_TOKENS_PER_S: return ~sw_key_of_positive (candidate->seconds_per_token);
    case SHARDWISE_SORT_DIFFERENCE: return sw_key_of_positive (candidate->seconds_per_token);
    case SHARDWISE_SORT_TOKENS_PER_GPU:
    case SHARDWISE_SORT_MFU: /* like tokens per used GPU, because the FLOPs per token and the
                                peak are the same for all */
      return ~sw_key_of_positive ((float) ((double) candidate->seconds_per_token
                                           * sw_strategy_gpus (&candidate->strategy)));
    case SHARDWISE_SORT_GPUS: return sw_strategy_gpus (&candidate->strategy);
    case SHARDWISE_SORT_RECOMPUTE: return recompute_order[candidate->strategy.recompute];
    case SHARDWISE_SORT_FRAMEWORK: return framework_order[candidate->strategy.framework];
    case SHARDWISE_SORT_RANK:
    case SHARDWISE_SORT_SUMMARY: return 0;
    default: return sw_strategy_get (&candidate->strategy, sort_dimensions[sort]);
    }
}

static void
sort_once (const SwCandidate *candidates, guint32 *rows, guint n, ShardwiseSort sort,
           gboolean descending)
{
  g_autofree SwKeyed *keyed = g_new (SwKeyed, n), *sorted = g_new (SwKeyed, n);
  guint8 frameworks[SW_N_FRAMEWORKS];

  for (guint i = 0; i < SW_N_FRAMEWORKS; i++)
    {
      frameworks[i] = 0;
      for (guint j = 0; j < SW_N_FRAMEWORKS; j++)
        frameworks[i] += g_utf8_collate (shardwise_text_framework (j), shardwise_text_framework (i))
                         < 0;
    }

  for (guint i = 0; i < n; i++)
    {
      guint32 key = key_of (&candidates[rows[i]], sort, frameworks);

      keyed[i] = (SwKeyed){ descending ? ~key : key, rows[i] };
    }
  sw_keyed_sort (keyed, sorted, n, NULL, NULL);
  for (guint i = 0; i < n; i++)
    rows[i] = sorted[i].place;
}

/**
 * shardwise_candidates_sort:
 * @candidates: strategies, best first
 * @rows: (array length=n): indices into @candidates, ascending; sorted here
 * @n: their number
 * @sort: the order
 * @descending: largest first; equal values stay best first
 */
void
shardwise_candidates_sort (const SwCandidate *candidates, guint32 *rows, guint n,
                           ShardwiseSort sort, gboolean descending)
{
  /* The last key sorts first, because every pass keeps the order of the previous one. */
  static const ShardwiseSort summary[] = { SHARDWISE_SORT_RECOMPUTE, SHARDWISE_SORT_MICRO_BATCH,
                                           SHARDWISE_SORT_ZERO,      SHARDWISE_SORT_EP,
                                           SHARDWISE_SORT_CP,        SHARDWISE_SORT_DP,
                                           SHARDWISE_SORT_PP,        SHARDWISE_SORT_TP };

  if (sort == SHARDWISE_SORT_SUMMARY)
    for (guint i = 0; i < G_N_ELEMENTS (summary); i++)
      sort_once (candidates, rows, n, summary[i], descending);
  else if (sort != SHARDWISE_SORT_RANK)
    sort_once (candidates, rows, n, sort, descending);
  else if (descending)
    for (guint i = 0; i < n / 2; i++)
      {
        guint32 row = rows[i];

        rows[i] = rows[n - 1 - i];
        rows[n - 1 - i] = row;
      }
}

/* A picture has at most this many cells in each direction; the fastest strategy represents a
 * cell. */
#define CELLS 512
/* How many strategies to process between checks of the cancellable. */
#define STRIDE 65536

struct _ShardwiseCandidateView {
  GObject parent_instance;
  ShardwiseAdvice *advice; /* owns the candidates */
  const SwCandidate *candidates;
  guint32 *rows;   /* indices of candidates */
  guint *variants; /* (nullable): for each row, how many other strategies have the same split */
  guint n_rows, n_passed;
  GArray *dots;   /* of SwCandidate */
  GArray *counts; /* of guint: number of strategies at each dot */
  ShardwiseCandidateFacets *facets;
};

G_DEFINE_FINAL_TYPE (ShardwiseCandidateView, shardwise_candidate_view, G_TYPE_OBJECT)

/**
 * shardwise_advice_get_candidates:
 * @advice: an answer
 * @n: (out): their number
 *
 * Returns: (transfer none) (array length=n): every feasible strategy of a complete search, else the
 * best; best first
 */
const SwCandidate *
shardwise_advice_get_candidates (ShardwiseAdvice *advice, guint *n)
{
  const SwSearchResult *search;

  g_return_val_if_fail (SHARDWISE_IS_ADVICE (advice) && n != NULL, NULL);

  search = shardwise_advice_get_search (advice);
  *n = search->all != NULL ? search->n_all : search->n_best;
  return search->all != NULL ? search->all : search->best;
}

/**
 * shardwise_candidate_of:
 * @estimate: of a strategy that fits
 *
 * Returns: the strategy for lists and charts
 */
SwCandidate
shardwise_candidate_of (const SwEstimate *estimate)
{
  return (SwCandidate){ .strategy = estimate->strategy,
                        .seconds_per_token = (float) (1 / estimate->tokens_per_s),
                        .step_s = (float) estimate->time.step_s,
                        .memory_bytes = (float) estimate->memory.peak.total };
}

/* FALSE: canceled. */
static gboolean
filter_rows (ShardwiseCandidateView *self, guint n, const ShardwiseCandidateFilter *filter,
             GCancellable *cancellable)
{
  self->rows = g_new (guint32, n);
  for (guint i = 0; i < n; i++)
    {
      guint misses = shardwise_candidate_filter_misses (filter, &self->candidates[i]);

      if (i % STRIDE == 0 && g_cancellable_is_cancelled (cancellable))
        return FALSE;
      shardwise_candidate_facets_count (self->facets, &self->candidates[i].strategy, misses);
      if (misses == 0)
        self->rows[self->n_rows++] = i;
    }
  shardwise_candidate_facets_finish (self->facets);
  self->rows = g_renew (guint32, self->rows, self->n_rows);
  return TRUE;
}

typedef struct {
  guint32 fastest, count;
} Cell;

static double
tokens_per_s (const SwCandidate *candidate)
{
  return 1 / (double) candidate->seconds_per_token;
}

static void
add_dot (ShardwiseCandidateView *self, const SwCandidate *candidate, guint count)
{
  g_array_append_vals (self->dots, candidate, 1);
  g_array_append_val (self->counts, count);
}

/* The fastest strategy of each cell of the chart, and the whole Pareto front, which cells could
 * hide. */
static void
add_dots (ShardwiseCandidateView *self, guint n)
{
  g_autofree Cell *cells = g_new0 (Cell, CELLS * CELLS);
  g_autofree SwCandidate *passed = NULL;
  const SwCandidate *of = self->candidates;
  g_autoptr (GArray) front = NULL;
  double most_bytes = 1, most_tokens = 1, cell_bytes, cell_tokens;

  for (guint i = 0; i < self->n_rows; i++)
    {
      const SwCandidate *candidate = &self->candidates[self->rows[i]];

      most_bytes = MAX (most_bytes, candidate->memory_bytes);
      most_tokens = MAX (most_tokens, tokens_per_s (candidate));
    }
  cell_bytes = most_bytes / (CELLS - 1);
  cell_tokens = most_tokens / (CELLS - 1);
  for (guint i = 0; i < self->n_rows; i++)
    {
      const SwCandidate *candidate = &self->candidates[self->rows[i]];
      Cell *cell = &cells[(guint) (tokens_per_s (candidate) / cell_tokens) * CELLS
                          + (guint) (candidate->memory_bytes / cell_bytes)];

      if (cell->count++ == 0
          || candidate->seconds_per_token < self->candidates[cell->fastest].seconds_per_token)
        cell->fastest = self->rows[i];
    }
  /* The Pareto front is computed from a copy of the strategies that passed the filter; if all did,
   * from the candidates themselves. */
  if (self->n_rows < n)
    {
      of = passed = g_new (SwCandidate, self->n_rows);
      for (guint i = 0; i < self->n_rows; i++)
        passed[i] = self->candidates[self->rows[i]];
    }
  front = sw_pareto_front (of, self->n_rows);
  for (guint i = 0; i < front->len; i++)
    add_dot (self, &of[g_array_index (front, guint, i)], 0); /* their cells count them */
  for (guint i = 0; i < CELLS * CELLS; i++)
    if (cells[i].count > 0)
      add_dot (self, &self->candidates[cells[i].fastest], cells[i].count);
}

/* A split: how the GPUs are divided, as sw_same_split() has it. */
static guint
split_hash (gconstpointer data)
{
  const SwStrategy *s = data;

  return (((((guint) s->tp * 31 + s->pp) * 31 + s->dp) * 31 + s->cp) * 31 + s->ep) * 31
         + s->framework;
}

static gboolean
split_equal (gconstpointer a, gconstpointer b)
{
  return sw_same_split (a, b);
}

/* The first row of each split stays and represents the others. */
static void
group (ShardwiseCandidateView *self)
{
  g_autoptr (GHashTable) first = g_hash_table_new (split_hash, split_equal);
  guint n = 0;

  self->variants = g_new0 (guint, self->n_rows);
  for (guint i = 0; i < self->n_rows; i++)
    {
      gpointer key = (gpointer) &self->candidates[self->rows[i]].strategy, at;

      if (g_hash_table_lookup_extended (first, key, NULL, &at))
        {
          self->variants[GPOINTER_TO_UINT (at)]++;
          continue;
        }
      g_hash_table_insert (first, key, GUINT_TO_POINTER (n));
      self->rows[n++] = self->rows[i];
    }
  self->n_rows = n;
}

/**
 * shardwise_candidate_view_new:
 * @advice: the answer
 * @filter: the filter
 * @sort: the order of the rows
 * @descending: largest first
 * @cancellable: (nullable): ends it early
 *
 * Takes time linear in the strategies of @advice; use it in a worker thread.
 *
 * Returns: (transfer full) (nullable): the view; %NULL: canceled
 */
ShardwiseCandidateView *
shardwise_candidate_view_new (ShardwiseAdvice *advice, const ShardwiseCandidateFilter *filter,
                              ShardwiseSort sort, gboolean descending, GCancellable *cancellable)
{
  g_autoptr (ShardwiseCandidateView) self = NULL;
  guint n;

  g_return_val_if_fail (SHARDWISE_IS_ADVICE (advice) && filter != NULL && sort < SHARDWISE_N_SORTS,
                        NULL);

  self = g_object_new (SHARDWISE_TYPE_CANDIDATE_VIEW, NULL);
  self->advice = g_object_ref (advice);
  self->candidates = shardwise_advice_get_candidates (advice, &n);
  if (!filter_rows (self, n, filter, cancellable))
    return NULL;
  add_dots (self, n);
  if (g_cancellable_is_cancelled (cancellable))
    return NULL;
  shardwise_candidates_sort (self->candidates, self->rows, self->n_rows, sort, descending);
  self->n_passed = self->n_rows;
  if (filter->grouped)
    group (self);
  return g_steal_pointer (&self);
}

/**
 * shardwise_candidate_view_get_advice:
 *
 * Returns: (transfer none): the advice that owns the strategies
 */
ShardwiseAdvice *
shardwise_candidate_view_get_advice (ShardwiseCandidateView *self)
{
  g_return_val_if_fail (SHARDWISE_IS_CANDIDATE_VIEW (self), NULL);

  return self->advice;
}

/**
 * shardwise_candidate_view_get_n_rows:
 *
 * Returns: number of rows
 */
guint
shardwise_candidate_view_get_n_rows (ShardwiseCandidateView *self)
{
  g_return_val_if_fail (SHARDWISE_IS_CANDIDATE_VIEW (self), 0);

  return self->n_rows;
}

/**
 * shardwise_candidate_view_get_candidate:
 * @row: of the view
 *
 * Returns: its index among the answer's candidates, from 0: its rank minus one
 */
guint
shardwise_candidate_view_get_candidate (ShardwiseCandidateView *self, guint row)
{
  g_return_val_if_fail (SHARDWISE_IS_CANDIDATE_VIEW (self) && row < self->n_rows, 0);

  return self->rows[row];
}

/**
 * shardwise_candidate_view_get_variants:
 * @row: of the view
 *
 * Returns: number of other strategies with its split that passed; 0 if rows are not grouped
 */
guint
shardwise_candidate_view_get_variants (ShardwiseCandidateView *self, guint row)
{
  g_return_val_if_fail (SHARDWISE_IS_CANDIDATE_VIEW (self) && row < self->n_rows, 0);

  return self->variants != NULL ? self->variants[row] : 0;
}

/**
 * shardwise_candidate_view_get_n_passed:
 *
 * Returns: number of strategies that passed, including those that a row of their split represents
 */
guint
shardwise_candidate_view_get_n_passed (ShardwiseCandidateView *self)
{
  g_return_val_if_fail (SHARDWISE_IS_CANDIDATE_VIEW (self), 0);

  return self->n_passed;
}

/* Answers are sorted by step time, except that the best band has another order. */
#define AS_GOOD 1.031
/* A candidate's time is a float, and was summed in another order. */
#define SAME_TIME 1e-5

/* The first strategy, in order of time, that takes at least that long. */
static guint
find_time (ShardwiseCandidateView *self, guint n, double step_s)
{
  guint low = 0, high = n;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (self->candidates[middle].step_s < step_s)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/**
 * shardwise_candidate_view_find:
 * @strategy: a strategy
 * @step_s: its step time
 * @candidate: (out): its index among the answer's candidates, from 0: its rank minus one
 * @row: (out): row of the view, or the row of its split; -1: hidden by the filter
 *
 * Returns: whether the answer has it
 */
gboolean
shardwise_candidate_view_find (ShardwiseCandidateView *self, const SwStrategy *strategy,
                               double step_s, guint *candidate, int *row)
{
  guint n, i = 0;
  double last_s = step_s * (1 + SAME_TIME);

  g_return_val_if_fail (SHARDWISE_IS_CANDIDATE_VIEW (self) && strategy != NULL, FALSE);

  *row = -1;
  shardwise_advice_get_candidates (self->advice, &n);
  if (n == 0)
    return FALSE;
  if (step_s > self->candidates[0].step_s * AS_GOOD)
    i = find_time (self, n, step_s * (1 - SAME_TIME));
  else
    last_s *= AS_GOOD;
  while (i < n && self->candidates[i].step_s <= last_s
         && !sw_strategy_equal (&self->candidates[i].strategy, strategy))
    i++;
  if (i == n || self->candidates[i].step_s > last_s)
    return FALSE;
  *candidate = i;
  for (guint j = 0; j < self->n_rows && *row < 0; j++)
    if (self->rows[j] == i
        || (self->variants != NULL
            && sw_same_split (&self->candidates[self->rows[j]].strategy, strategy)))
      *row = (int) j;
  return TRUE;
}

/**
 * shardwise_candidate_view_get_facets:
 *
 * Returns: (transfer none): the values of all strategies of the answer, with the number of
 * strategies that pass
 */
const ShardwiseCandidateFacets *
shardwise_candidate_view_get_facets (ShardwiseCandidateView *self)
{
  g_return_val_if_fail (SHARDWISE_IS_CANDIDATE_VIEW (self), NULL);

  return self->facets;
}

/**
 * shardwise_candidate_view_get_dots:
 * @counts: (out): number of strategies that each dot represents; 0: counted with another dot
 * @n: (out): number of dots
 *
 * Returns: (transfer none) (array length=n): the Pareto front, and the fastest strategy of each
 * cell of a chart
 */
const SwCandidate *
shardwise_candidate_view_get_dots (ShardwiseCandidateView *self, const guint **counts, guint *n)
{
  g_return_val_if_fail (SHARDWISE_IS_CANDIDATE_VIEW (self), NULL);

  *counts = (const guint *) (gpointer) self->counts->data;
  *n = self->dots->len;
  return (const SwCandidate *) (gpointer) self->dots->data;
}

static void
shardwise_candidate_view_finalize (GObject *object)
{
  ShardwiseCandidateView *self = SHARDWISE_CANDIDATE_VIEW (object);

  g_array_unref (self->dots);
  g_array_unref (self->counts);
  shardwise_candidate_facets_free (self->facets);
  g_free (self->rows);
  g_free (self->variants);
  g_object_unref (self->advice);
  G_OBJECT_CLASS (shardwise_candidate_view_parent_class)->finalize (object);
}

static void
shardwise_candidate_view_class_init (ShardwiseCandidateViewClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_candidate_view_finalize;
}

static void
shardwise_candidate_view_init (ShardwiseCandidateView *self)
{
  self->dots = g_array_new (FALSE, FALSE, sizeof (SwCandidate));
  self->counts = g_array_new (FALSE, FALSE, sizeof (guint));
  self->facets = shardwise_candidate_facets_new ();
}
