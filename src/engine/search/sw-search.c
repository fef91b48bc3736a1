/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes of a search: live, which bounds keep short, and complete, which threads may share. */
#include "sw-search-private.h"

#include <math.h>
#include <string.h>

/* For one thread; NULL for jobs without phases. */
static SwRlhfMemo *
memo_new (const SwProblem *problem)
{
  SwRlhfMemo *memo;

  if (problem->training.type != SW_TRAINING_RLHF)
    return NULL;
  memo = g_new (SwRlhfMemo, 1);
  sw_rlhf_memo_init (memo, problem);
  return memo;
}

static void
search_init (SwSearch *search, const SwProblem *problem, SwSearchResult *out)
{
  memset (search, 0, sizeof *search);
  search->problem = problem;
  search->out = out;
  search->tokens_per_step = (double) problem->training.global_batch
                            * problem->training.sequence_length;
  search->memory_limit_bytes = problem->cluster.usable_bytes * problem->training.memory_target;
  search->host_limit_bytes = problem->cluster.host_ram_bytes > 0.0 ? problem->cluster.host_ram_bytes
                                                                   : INFINITY;
  search->offload_pays = sw_offload_may_pay (problem);
  search->memo = memo_new (problem);
  search->states = g_new0 (SwStatesMemo, 1);
  search->least_step_s = INFINITY;
}

/* Of what the bounds on training leave out. */
static void
find_floor (SwSearch *search)
{
  const SwProblem *problem = search->problem;

  if (problem->training.type != SW_TRAINING_RLHF)
    return;
  search->generation = sw_generation_floor_new (problem);
  search->generation_floor_s = problem->training.rlhf_colocated
                                   ? sw_generation_floor_s (search->generation,
                                                            problem->cluster.gpus)
                                   : sw_generation_split_s (search->generation, 0.0);
  search->floor_s = search->generation_floor_s + sw_rlhf_floor_s (problem);
}

static void
search_clear (SwSearch *search)
{
  sw_generation_floor_free (search->generation);
  g_free (search->memo);
  g_free (search->states);
}

/* Searches on `nodes`, with the values of its own pins. */
static void
take_nodes (SwSearch *search, SwNodes *nodes)
{
  search->nodes = nodes;
  search->free = &nodes->free;
  search->spaces = nodes->spaces;
}

/* What fell away while the level-1 points were made. */
static void
count_rejected_nodes (SwSearch *search, const SwNodes *nodes)
{
  for (guint i = 0; i < SW_N_RULES; i++)
    {
      search->out->rejected[i] += nodes->rejected[i];
      search->out->tried += nodes->rejected[i];
    }
}

static void
walk_pass (SwSearch *search, SwPass pass, double limit_s)
{
  search->pass = pass;
  search->limit_s = limit_s;
  sw_search_walk (search, 0, G_MAXUINT);
}

/* Whether anything fits, by a walk over level-1 points of its own; what was counted is of interest
 * only where nothing does. */
static gboolean
fits_at_all (SwSearch *search)
{
  SwSearchResult *out = search->out;
  SwSearch own = *search;
  SwNodes *nodes = sw_nodes_new (search->problem, FALSE, search->options.cancelled);

  take_nodes (&own, nodes);
  own.shared_nodes = FALSE;
  own.floors = NULL; /* of what does not fit the nearest are sought */
  own.keeps_nearest = TRUE;
  own.found = FALSE;
  walk_pass (&own, SW_PASS_FEASIBLE, INFINITY);
  count_rejected_nodes (&own, nodes);
  if (own.found)
    {
      out->n_nearest = 0;
      out->tried = out->fit = out->evaluated = out->bounded = 0;
      memset (out->rejected, 0, sizeof out->rejected);
    }
  search->stop |= own.stop;
  sw_nodes_free (nodes);
  return own.found;
}

/* Ranks by the least time known. FALSE: there is a lesser one, and nothing was counted. */
static gboolean
rank (SwSearch *search, double last_s)
{
  const SwSearchResult before = *search->out;

  search->n_best = 0;
  walk_pass (search, SW_PASS_RANK,
             MAX (last_s, search->least_step_s * (1.0 + SW_RANK_BAND) * SW_LIMIT_SLACK));
  if (!search->is_beaten || search->stop)
    return TRUE;
  *search->out = before;
  search->is_beaten = FALSE;
  return FALSE;
}

/* Level-1 points that are walked before it is asked whether anything fits at all. */
enum { FIRST_NODES = 128 };

/* With the limit that the coarse walk found. */
static void
walk_ranked (SwSearch *search)
{
  const double last_s = search->limit_s;

  search->few_fit = last_s == INFINITY;
  if (!rank (search, last_s))
    {
      walk_pass (search, SW_PASS_FASTEST, search->least_step_s * SW_LIMIT_SLACK);
      rank (search, last_s);
    }
  search->out->n_best = MIN (search->n_best, MAX (1, search->options.top));
}

/* The coarse walk gives the others their limits: the least time is no greater than what it found,
 * nor is that of the last of the best. Mostly it found the least already: that is sought on its own
 * only where ranking comes upon a lesser one and cannot go on. Where anything fits, something mostly
 * does among the first level-1 points, long before all that is valid is walked to know it. Returns:
 * whether anything fits. */
static gboolean
walk_timed (SwSearch *search)
{
  SwSearchResult of_floor = { 0 };
  SwSearch floor;
  gboolean fits, more;

  find_floor (search);
  sw_search_floor_init (search, &floor, &of_floor);
  search->pass = SW_PASS_COARSE;
  search->limit_s = INFINITY;
  search->found = FALSE;
  more = sw_search_walk (search, 0, FIRST_NODES);
  fits = search->found || (!search->stop && fits_at_all (search));
  if (fits && !search->stop)
    {
      if (more)
        sw_search_walk (search, FIRST_NODES, G_MAXUINT);
      walk_ranked (search);
    }
  sw_search_floor_clear (search);
  return fits;
}

/* Over all level-1 points of the question. */
static void
walk_live (SwSearch *search)
{
  SwNodes *nodes = sw_nodes_new (search->problem, TRUE, search->options.cancelled);

  take_nodes (search, nodes);
  if (walk_timed (search))
    count_rejected_nodes (search, nodes);
  sw_nodes_free (nodes);
}

/* Over level-1 points of the same question with fewer pins. */
static void
walk_shared (SwSearch *search, SwNodes *shared)
{
  SwSpaces *spaces = sw_spaces_new (search->problem);

  search->shared_nodes = TRUE;
  take_nodes (search, shared);
  search->spaces = spaces;
  walk_timed (search);
  sw_spaces_free (spaces);
}

/* Feasible strategies that a complete search keeps: 256 MiB of them. */
#define MOST_KEPT (1u << 22)

/* What the threads of a complete search share. */
typedef struct {
  guint n_nodes;
  int next; /* atomic: the first level-1 point that nobody has taken */
} Share;

typedef struct {
  SwSearch search;
  SwSearchResult out;
  Share *share;
  gboolean reports; /* runs on the caller's thread */
} Worker;

static gpointer
worker_run (gpointer data)
{
  Worker *self = data;
  SwSearch *search = &self->search;
  const guint n = self->share->n_nodes;
  guint taken;

  while (!sw_search_cancelled (search)
         && (taken = (guint) g_atomic_int_add (&self->share->next, 1)) < n)
    {
      /* All points stand already: the list does not change. */
      sw_search_walk_node (search, sw_nodes_get (search->nodes, taken));
      if (self->reports && search->options.progress != NULL)
        search->options.progress ((taken + 1.0) / n, search->options.progress_data);
    }
  return NULL;
}

static guint
threads_of (const SwSearch *search)
{
  return CLAMP (search->options.threads, 1, 64);
}

/* Each thread has spaces and a memo of its own: they remember what was asked of them. */
static void
worker_init (Worker *self, const SwSearch *search, Share *share)
{
  memset (self, 0, sizeof *self);
  self->search = *search;
  self->search.out = &self->out;
  self->search.spaces = sw_spaces_new (search->problem);
  self->search.memo = memo_new (search->problem);
  self->search.states = g_new0 (SwStatesMemo, 1);
  self->search.most_kept = MOST_KEPT / threads_of (search);
  /* In one piece, which costs nothing before it is filled: as it grew it would be copied. */
  self->search.all = g_array_sized_new (FALSE, FALSE, sizeof (SwCandidate), self->search.most_kept);
  self->share = share;
}

static void
candidates_free (GArray *candidates)
{
  const gsize bytes = (gsize) candidates->len * sizeof (SwCandidate);

  sw_free_aside (g_array_free (candidates, FALSE), bytes);
}

/* Copies what a thread found, by and by. */
static void
take_all (SwSearch *search, const GArray *found)
{
  const SwCandidate *from = (const SwCandidate *) (gpointer) found->data;
  const guint stride = 1u << 14;

  for (guint i = 0; i < found->len && !sw_search_cancelled (search); i += stride)
    g_array_append_vals (search->all, from + i, MIN (stride, found->len - i));
}

static void
worker_merge (Worker *self, SwSearch *search)
{
  SwSearchResult *out = search->out;

  take_all (search, self->search.all);
  candidates_free (self->search.all);
  sw_spaces_free (self->search.spaces);
  g_free (self->search.memo);
  g_free (self->search.states);
  out->tried += self->out.tried;
  out->timed += self->out.timed;
  out->fit += self->out.fit;
  out->evaluated += self->out.evaluated;
  for (guint i = 0; i < SW_N_RULES; i++)
    out->rejected[i] += self->out.rejected[i];
  sw_search_merge_nearest (search, &self->search);
  search->stop |= self->search.stop;
  out->was_cancelled |= self->out.was_cancelled;
}

static void
run_workers (SwSearch *search, Share *share)
{
  const guint n = threads_of (search);
  Worker *workers = g_new (Worker, n);
  GThread **threads = g_new0 (GThread *, n);
  guint found = 0;

  for (guint i = 0; i < n; i++)
    {
      worker_init (&workers[i], search, share);
      if (i > 0)
        threads[i] = g_thread_try_new ("search", worker_run, &workers[i], NULL);
    }
  workers[0].reports = TRUE;
  worker_run (&workers[0]);
  for (guint i = 0; i < n; i++)
    {
      if (threads[i] != NULL)
        g_thread_join (threads[i]);
      found += workers[i].search.all->len;
    }
  search->all = g_array_sized_new (FALSE, FALSE, sizeof (SwCandidate), search->stop ? 0 : found);
  for (guint i = 0; i < n; i++)
    worker_merge (&workers[i], search);
  g_free (workers);
  g_free (threads);
}

static void
finish_complete (SwSearch *search)
{
  SwSearchResult *out = search->out;

  if (search->stop || (out->all = sw_search_rank_all (search)) == NULL)
    return;
  out->n_all = search->all->len;
  out->n_best = MIN (out->n_all, MAX (1, search->options.top));
  memcpy (out->best, out->all, out->n_best * sizeof *out->best);
  if (search->options.progress != NULL)
    search->options.progress (1.0, search->options.progress_data);
}

static void
walk_complete (SwSearch *search)
{
  SwNodes *nodes = sw_nodes_new (search->problem, TRUE, search->options.cancelled);
  Share share = { sw_nodes_count (nodes), 0 };

  take_nodes (search, nodes);
  search->pass = SW_PASS_COMPLETE;
  search->keeps_nearest = TRUE;
  search->limit_s = INFINITY;
  if (!sw_search_cancelled (search))
    run_workers (search, &share);
  count_rejected_nodes (search, nodes);
  if (search->all != NULL)
    {
      finish_complete (search);
      candidates_free (search->all);
    }
  sw_nodes_free (nodes);
}

/* The step times of the nearest are not needed to find them. */
static void
time_nearest (SwSearch *search)
{
  SwProblem free = *search->problem;

  free.pins.mask = 0;
  free.training.micro_batch = 0;
  if (search->out->fit > 0 || search->stop)
    search->out->n_nearest = 0;
  for (guint i = 0; i < search->out->n_nearest; i++)
    {
      SwCandidate *nearest = &search->out->nearest[i];
      SwEstimate estimate;

      sw_estimate (&free, &nearest->strategy, &estimate);
      *nearest = sw_search_candidate (search, &nearest->strategy, estimate.time.step_s,
                                      estimate.memory.peak.total);
    }
}

static void
run (const SwProblem *problem, const SwSearchOptions *options, SwNodes *shared, SwSearchResult *out)
{
  const gint64 start_us = g_get_monotonic_time ();
  SwProblem own = *problem;
  SwSearch search;

  if (own.cancelled == NULL)
    own.cancelled = options->cancelled;
  memset (out, 0, sizeof *out);
  search_init (&search, &own, out);
  search.options = *options;
  search.best = out->best = g_new0 (SwCandidate, sw_search_room (&search) + 1);
  if (sw_search_cancelled (&search))
    ; /* nothing is begun */
  else if (options->complete)
    walk_complete (&search);
  else if (shared != NULL)
    walk_shared (&search, shared);
  else
    walk_live (&search);
  time_nearest (&search);
  search_clear (&search);
  out->seconds = (g_get_monotonic_time () - start_us) / 1e6;
}

/**
 * sw_search:
 * @problem: prepared by sw_problem_prepare()
 * @options: see #SwSearchOptions
 * @out: (out caller-allocates): free with sw_search_result_clear()
 *
 * Walks every valid strategy within the pins and the memory target, and ranks those that fit: of
 * those within 1 % of the least step time the simpler first (no offload, fewer dimensions, lower
 * ZeRO, fewer virtual stages, more headroom), of the others the faster. Without
 * @options->complete, bounds leave out what provably cannot be among the best, or, where nothing
 * fits, among the nearest; `bounded` counts how often. The search is deterministic but for
 * `seconds`, allocates nothing per strategy, and stops within 5 ms of being cancelled.
 */
void
sw_search (const SwProblem *problem, const SwSearchOptions *options, SwSearchResult *out)
{
  run (problem, options, NULL, out);
}

/* sw_search() over `nodes` of the same problem with fewer pins. */
void
sw_search_prepared (const SwProblem *problem, const SwSearchOptions *options, SwNodes *nodes,
                    SwSearchResult *out)
{
  run (problem, options, nodes, out);
}

/**
 * sw_search_result_clear:
 * @result: filled by sw_search(); frees what it owns
 */
void
sw_search_result_clear (SwSearchResult *result)
{
  g_clear_pointer (&result->best, g_free);
  g_clear_pointer (&result->all, g_free);
  result->n_best = result->n_all = 0;
}

/* Whether any strategy fits, by memory alone; stops at the first. */
gboolean
sw_search_any_fits (const SwProblem *problem)
{
  SwSearchResult out;
  SwSearch search;
  gboolean fits;

  memset (&out, 0, sizeof out);
  search_init (&search, problem, &out);
  fits = fits_at_all (&search);
  search_clear (&search);
  return fits;
}
