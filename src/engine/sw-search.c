/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-search-private.h"

#include <math.h>
#include <string.h>

/* Candidates are kept in floats: a limit leaves room for their rounding. */
#define LIMIT_SLACK (1.0 + 1e-6)

static int
compare_numbers (double a, double b)
{
  return (a > b) - (a < b);
}

/* An order of strategies that has nothing to do with their worth: makes the result deterministic.
 */
static int
compare_strategies (const SwStrategy *a, const SwStrategy *b)
{
  if (a->framework != b->framework)
    return a->framework < b->framework ? -1 : 1;
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    {
      const guint left = sw_strategy_get (a, (SwDimension) i),
                  right = sw_strategy_get (b, (SwDimension) i);

      if (left != right)
        return left < right ? -1 : 1;
    }
  return compare_numbers (a->full_layers, b->full_layers);
}

static int
compare_simplicity (const SwCandidate *a, const SwCandidate *b)
{
  const guint left = sw_strategy_complexity (&a->strategy),
              right = sw_strategy_complexity (&b->strategy);

  if (left != right)
    return left < right ? -1 : 1;
  if (a->strategy.zero_stage != b->strategy.zero_stage)
    return a->strategy.zero_stage < b->strategy.zero_stage ? -1 : 1;
  if (a->strategy.vpp != b->strategy.vpp)
    return a->strategy.vpp < b->strategy.vpp ? -1 : 1;
  return compare_numbers (a->memory_bytes, b->memory_bytes);
}

/**
 * sw_candidate_compare:
 * @band_s: step time up to which strategies count as equally fast: the least one + 1 %
 *
 * The rank: within the band the simpler first (fewer dimensions, lower ZeRO, fewer virtual stages,
 * more headroom), outside it the faster. All strategies of a problem train the same batch, so that
 * the order by step time is that by time per token.
 *
 * Returns: < 0 where @a ranks before @b
 */
int
sw_candidate_compare (const SwCandidate *a, const SwCandidate *b, double band_s)
{
  const gboolean a_in = a->step_s <= band_s, b_in = b->step_s <= band_s;
  int order = b_in - a_in;

  if (order == 0 && a_in)
    order = compare_simplicity (a, b);
  if (order == 0)
    order = compare_numbers (a->step_s, b->step_s);
  if (order == 0 && !a_in)
    order = compare_simplicity (a, b);
  return order != 0 ? order : compare_strategies (&a->strategy, &b->strategy);
}

static SwCandidate
candidate (const SwSearch *search, const SwStrategy *strategy, double step_s, double memory_bytes)
{
  return (SwCandidate){ *strategy, (float) (step_s / search->tokens_per_step), (float) step_s,
                        (float) memory_bytes };
}

/* While the least time is still sought there is no band, and the order is that of time. */
static double
band_s (const SwSearch *search)
{
  return search->pass == SW_PASS_COARSE ? 0.0 : search->least_step_s * (1.0 + SW_RANK_BAND);
}

/* Keeps the best by insertion; the list is short. */
static void
offer_ranked (SwSearch *search, const SwCandidate *entry)
{
  const guint top = MAX (1, search->options.top);
  guint at = search->n_best;

  while (at > 0 && sw_candidate_compare (entry, &search->best[at - 1], band_s (search)) < 0)
    at--;
  if (at >= top)
    return;
  memmove (search->best + at + 1, search->best + at, (search->n_best - at) * sizeof *search->best);
  search->best[at] = *entry;
  search->n_best = MIN (search->n_best + 1, top);
  if (search->n_best == top)
    search->limit_s = MAX (band_s (search), search->best[top - 1].step_s) * LIMIT_SLACK;
}

/* Takes note of a strategy that fits. */
void
sw_search_offer (SwSearch *search, const SwStrategy *strategy, double step_s, double memory_bytes)
{
  const SwCandidate entry = candidate (search, strategy, step_s, memory_bytes);

  if (search->pass == SW_PASS_FASTEST)
    {
      search->least_step_s = MIN (search->least_step_s, (double) entry.step_s);
      search->limit_s = search->least_step_s * LIMIT_SLACK; /* candidates are kept in floats */
    }
  else if (search->pass == SW_PASS_COARSE)
    {
      search->least_step_s = MIN (search->least_step_s, (double) entry.step_s);
      offer_ranked (search, &entry);
    }
  else if (search->pass == SW_PASS_RANK)
    offer_ranked (search, &entry);
  else
    g_array_append_val (search->all, entry);
}

/* Two of the nearest that differ in these need different changes; others are variants of one. */
static gboolean
same_kind (const SwStrategy *a, const SwStrategy *b)
{
  return a->tp == b->tp && a->pp == b->pp && a->cp == b->cp && a->ep == b->ep
         && a->zero_stage == b->zero_stage && a->framework == b->framework;
}

/* Takes note of a strategy that does not fit: the five kinds with the least bytes missing are kept.
 */
void
sw_search_offer_nearest (SwSearch *search,
                         const SwStrategy *strategy,
                         double memory_bytes,
                         double missing_bytes)
{
  SwSearchResult *out = search->out;
  guint last = out->n_nearest, at;

  if (last == G_N_ELEMENTS (out->nearest)
      && missing_bytes >= search->nearest_missing_bytes[last - 1])
    return;
  for (guint i = 0; i < out->n_nearest; i++)
    if (same_kind (&out->nearest[i].strategy, strategy))
      last = i;
  if (last < out->n_nearest && missing_bytes >= search->nearest_missing_bytes[last])
    return;
  if (last == out->n_nearest && last < G_N_ELEMENTS (out->nearest))
    out->n_nearest++;
  last = MIN (last, G_N_ELEMENTS (out->nearest) - 1);
  for (at = last; at > 0 && missing_bytes < search->nearest_missing_bytes[at - 1]; at--)
    {
      out->nearest[at] = out->nearest[at - 1];
      search->nearest_missing_bytes[at] = search->nearest_missing_bytes[at - 1];
    }
  out->nearest[at] = candidate (search, strategy, 0.0, memory_bytes);
  search->nearest_missing_bytes[at] = missing_bytes;
}

static int
compare_nodes (gconstpointer a, gconstpointer b)
{
  const SwNode *left = a, *right = b;

  if (left->bound_s != right->bound_s)
    return left->bound_s < right->bound_s ? -1 : 1;
  return left->index < right->index ? -1 : left->index > right->index;
}

static int
compare_candidates (gconstpointer a, gconstpointer b, gpointer band)
{
  return sw_candidate_compare (a, b, *(const double *)band);
}

/* ANY is the union over the frameworks in use; Megatron-LM of 2021 is history and takes part only
 * when it is asked for. */
static void
list_nodes (SwSearch *search, SwPass pass)
{
  const SwFramework asked = search->problem->training.framework;

  search->pass = pass;
  if (search->shared_nodes)
    return;
  g_array_set_size (search->nodes, 0);
  if (asked != SW_FRAMEWORK_ANY)
    sw_search_space_nodes (search, asked);
  else
    for (guint i = SW_FRAMEWORK_MEGATRON_CORE; i < SW_N_FRAMEWORKS && !search->stop; i++)
      sw_search_space_nodes (search, (SwFramework) i);
  g_array_sort (search->nodes, compare_nodes);
}

static void
walk_pass (SwSearch *search, SwPass pass, double limit_s)
{
  search->pass = pass;
  search->limit_s = limit_s;
  sw_search_walk (search);
}

static gboolean
fits_at_all (SwSearch *search)
{
  search->found = FALSE;
  list_nodes (search, SW_PASS_FEASIBLE);
  walk_pass (search, SW_PASS_FEASIBLE, INFINITY);
  return search->found;
}

/* Offload mostly costs time: it is tried where nothing fits without it, or where it is pinned. Coarse:
 * with very long sequences activations go to the host and back beside the attention, and that can be
 * faster than to recompute them. */
static gboolean
may_try_offload (const SwSearch *search)
{
  return !search->offload && !search->stop && !sw_pins_has (&search->problem->pins, SW_DIM_OFFLOAD);
}

/* The coarse walk gives the others their limits: the least time is no greater than what it found,
 * nor is that of the last of the best. */
static void
walk_timed (SwSearch *search)
{
  double last_s;

  walk_pass (search, SW_PASS_COARSE, INFINITY);
  last_s = search->limit_s;
  search->n_best = 0;
  walk_pass (search, SW_PASS_FASTEST, search->least_step_s * LIMIT_SLACK);
  walk_pass (search, SW_PASS_RANK,
             MAX (last_s, search->least_step_s * (1.0 + SW_RANK_BAND) * LIMIT_SLACK));
}

static void
walk_live (SwSearch *search)
{
  if (fits_at_all (search))
    {
      list_nodes (search, SW_PASS_RANK);
      walk_timed (search);
      return;
    }
  list_nodes (search, SW_PASS_NEAREST);
  walk_pass (search, SW_PASS_NEAREST, INFINITY);
  if (!may_try_offload (search))
    return;
  search->offload = TRUE;
  walk_live (search);
}

static void
walk_complete (SwSearch *search)
{
  list_nodes (search, SW_PASS_COMPLETE);
  walk_pass (search, SW_PASS_COMPLETE, INFINITY);
  if (search->out->fit > 0 || !may_try_offload (search))
    return;
  search->offload = TRUE;
  walk_pass (search, SW_PASS_COMPLETE, INFINITY);
}

static void
finish_complete (SwSearch *search)
{
  SwSearchResult *out = search->out;
  double band = INFINITY;

  for (guint i = 0; i < search->all->len; i++)
    band = MIN (band, g_array_index (search->all, SwCandidate, i).step_s * (1.0 + SW_RANK_BAND));
  g_array_sort_with_data (search->all, compare_candidates, &band);
  out->n_all = search->all->len;
  out->all = (SwCandidate *)g_array_steal (search->all, NULL);
  out->n_best = MIN (out->n_all, MAX (1, search->options.top));
  if (out->n_best > 0)
    memcpy (out->best, out->all, out->n_best * sizeof *out->best);
}

/* The step times of the nearest are not needed to find them. */
static void
time_nearest (SwSearch *search)
{
  for (guint i = 0; i < search->out->n_nearest; i++)
    {
      SwCandidate *nearest = &search->out->nearest[i];
      SwEstimate estimate;

      sw_estimate (&search->free, &nearest->strategy, &estimate);
      *nearest =
          candidate (search, &nearest->strategy, estimate.time.step_s, estimate.memory.peak.total);
    }
}

static void
search_init (SwSearch *search, const SwProblem *problem, SwSearchResult *out)
{
  memset (search, 0, sizeof *search);
  search->problem = problem;
  search->free = *problem;
  search->free.pins.mask = 0;
  search->free.training.micro_batch = 0;
  search->out = out;
  search->tokens_per_step =
      (double) problem->training.global_batch * problem->training.sequence_length;
  search->memory_limit_bytes = problem->cluster.usable_bytes * problem->training.memory_target;
  search->host_limit_bytes =
      problem->cluster.host_ram_bytes > 0.0 ? problem->cluster.host_ram_bytes : INFINITY;
  search->least_step_s = INFINITY;
  search->spaces = g_new (SwSpace, SW_N_FRAMEWORKS);
  search->nodes = g_array_new (FALSE, FALSE, sizeof (SwNode));
}

static void
search_clear (SwSearch *search)
{
  g_free (search->spaces);
  g_array_unref (search->nodes);
  g_clear_pointer (&search->all, g_array_unref);
}

static void
run (SwSearch *search)
{
  const gint64 start_us = g_get_monotonic_time ();
  const SwSearchOptions *options = &search->options;
  SwSearchResult *out = search->out;

  search->all = g_array_new (FALSE, FALSE, sizeof (SwCandidate));
  search->best = out->best = g_new0 (SwCandidate, MAX (1, options->top) + 1);
  if (options->complete)
    walk_complete (search);
  else
    walk_live (search);
  out->n_best = search->n_best;
  if (options->complete)
    finish_complete (search);
  if (out->fit > 0)
    out->n_nearest = 0;
  time_nearest (search);
  out->seconds = (g_get_monotonic_time () - start_us) / 1e6;
}

/**
 * sw_search:
 * @problem: prepared by sw_problem_prepare()
 * @options: see #SwSearchOptions
 * @out: (out caller-allocates): free with sw_search_result_clear()
 *
 * Walks every valid strategy within the pins and the memory target, and ranks those that fit; see
 * sw_candidate_compare(). Without @options->complete, bounds leave out what provably cannot be
 * among the best, or, where nothing fits, among the nearest; `bounded` counts how often. The search
 * is deterministic but for `seconds`, allocates nothing per strategy, and stops within a
 * millisecond of being cancelled.
 */
void
sw_search (const SwProblem *problem, const SwSearchOptions *options, SwSearchResult *out)
{
  SwSearch search;

  memset (out, 0, sizeof *out);
  search_init (&search, problem, out);
  search.options = *options;
  run (&search);
  search_clear (&search);
}

/* The level-1 points of a problem with one framework, with their bounds, for searches of the same
 * problem with further pins. */
GArray *
sw_search_list_nodes (const SwProblem *problem)
{
  GArray *nodes;
  SwSearchResult out;
  SwSearch search;

  memset (&out, 0, sizeof out);
  search_init (&search, problem, &out);
  list_nodes (&search, SW_PASS_RANK);
  nodes = g_array_ref (search.nodes);
  search_clear (&search);
  return nodes;
}

/* sw_search() over `nodes` of the same problem with fewer pins. FALSE: none of them keeps the pins.
 */
gboolean
sw_search_prepared (const SwProblem *problem,
                    const SwSearchOptions *options,
                    GArray *nodes,
                    SwSearchResult *out)
{
  gboolean found = FALSE;
  SwSearch search;

  memset (out, 0, sizeof *out);
  search_init (&search, problem, out);
  g_array_unref (search.nodes);
  search.nodes = g_array_ref (nodes);
  search.shared_nodes = TRUE;
  search.options = *options;
  search.pass = SW_PASS_RANK;
  sw_search_space_prepare (&search, problem->training.framework);
  for (guint i = 0; i < nodes->len && !found; i++)
    found = sw_search_has_node (&search, &g_array_index (nodes, SwNode, i));
  if (found)
    run (&search);
  search_clear (&search);
  return found;
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

  memset (&out, 0, sizeof out);
  search_init (&search, problem, &out);
  if (!fits_at_all (&search) && may_try_offload (&search))
    {
      search.offload = TRUE;
      fits_at_all (&search);
    }
  search_clear (&search);
  return search.found;
}
