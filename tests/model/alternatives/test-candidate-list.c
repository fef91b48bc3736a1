/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-candidate-list.h"

#include <time.h>

#include "shardwise-advisor.h"
#include "shardwise-strategy.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "sw-search-result.h"

/* The default model on 32 GPUs, every framework, more than 100,000. */
static ShardwiseAdvice *
advice_new (gboolean complete)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GError) error = NULL;
  ShardwiseAdviceOptions options = { .top = 50, .complete = complete };
  ShardwiseAdvice *advice;

  shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK, g_variant_new_string ("any"),
                          &error);
  g_assert_no_error (error);
  shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_parsed ("32"),
                          &error);
  g_assert_no_error (error);
  shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_ALLOW_UNTRIED,
                          g_variant_new_boolean (TRUE), &error);
  g_assert_no_error (error);
  /* So low that everything below it fits by the upper end of its interval, too: what to start with
   * is then the first of all. */
  shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_MEMORY_TARGET,
                          g_variant_new_double (0.65), &error);
  g_assert_no_error (error);
  advice = shardwise_advice_compute (scenario, &options, NULL, &error);
  g_assert_no_error (error);
  return advice;
}

static void
wait (ShardwiseCandidateList *list)
{
  while (shardwise_candidate_list_is_pending (list))
    g_main_context_iteration (NULL, TRUE);
}

static gboolean
passes (const char *text, const SwStrategy *strategy)
{
  ShardwiseCandidateFilter filter;
  SwCandidate candidate = { .strategy = *strategy };

  shardwise_candidate_filter_init (&filter);
  shardwise_candidate_filter_set_text (&filter, text);
  return shardwise_candidate_filter_misses (&filter, &candidate) == 0;
}

/* Degrees are exact, with or without a space; other words are looked for in the names. */
static void
test_words (void)
{
  SwStrategy strategy;

  sw_strategy_init_default (&strategy);
  strategy.tp = 16;
  strategy.pp = 3;
  strategy.zero_stage = 1;
  strategy.micro_batch = 2;
  strategy.recompute = SW_RECOMPUTE_SELECTIVE;
  strategy.framework = SW_FRAMEWORK_DEEPSPEED;
  const struct {
    const char *text;
    gboolean passes;
  } cases[] = {
    { "", TRUE },
    { " , ", TRUE },
    { "tp 16", TRUE },
    { "TP=16", TRUE },
    { "tp16 pp3", TRUE },
    { "TP 1", FALSE },
    { "TP 160", FALSE },
    { "TP 16 PP 4", FALSE },
    { "zero 1", TRUE },
    { "zero 0", FALSE },
    { "zero-1", TRUE },
    { "Micro-batch 2", TRUE },
    { "mbs 1", FALSE },
    { "selective", TRUE },
    { "full", FALSE },
    { "SELECT", TRUE },
    { "recompute selective", TRUE },
    { "recompute full", FALSE },
    { "deepspeed", TRUE },
    { "nanotron", FALSE },
    { "tp 0", FALSE },
    { "zero 4", FALSE },
    { "deepspeed tp16 selective", TRUE },
    { "nothing", FALSE },
    { "tp 99999999999", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].text);
      g_assert_cmpint (passes (cases[i].text, &strategy), ==, cases[i].passes);
    }
}

/* Of chosen values of one facet any passes, of several facets all have to hold; without a choice
 * all pass. */
static void
test_choices (void)
{
  SwCandidate candidate = { .memory_bytes = 60e9f };
  ShardwiseCandidateFilter filter, empty;

  sw_strategy_init_default (&candidate.strategy);
  candidate.strategy.framework = SW_FRAMEWORK_FSDP;
  shardwise_candidate_filter_init (&filter);
  shardwise_candidate_filter_init (&empty);
  g_assert_true (shardwise_candidate_filter_is_empty (&filter));
  g_assert_true (shardwise_candidate_filter_choose (&filter, SW_DIM_PP, 4, TRUE));
  g_assert_false (shardwise_candidate_filter_choose (&filter, SW_DIM_PP, 4, TRUE));
  g_assert_false (shardwise_candidate_filter_is_empty (&filter));
  g_assert_cmpuint (shardwise_candidate_filter_misses (&filter, &candidate), ==, 1u << SW_DIM_PP);
  g_assert_true (shardwise_candidate_filter_choose (&filter, SW_DIM_PP, 1, TRUE));
  g_assert_cmpuint (shardwise_candidate_filter_misses (&filter, &candidate), ==, 0);
  g_assert_true (shardwise_candidate_filter_choose (&filter, SHARDWISE_FACET_FRAMEWORK,
                                                    SW_FRAMEWORK_FSDP2, TRUE));
  g_assert_cmpuint (shardwise_candidate_filter_misses (&filter, &candidate), ==,
                    1u << SHARDWISE_FACET_FRAMEWORK);
  shardwise_candidate_filter_clear_facet (&filter, SHARDWISE_FACET_FRAMEWORK);
  filter.memory_below_bytes = 60e9;
  g_assert_cmpuint (shardwise_candidate_filter_misses (&filter, &candidate), ==,
                    SHARDWISE_FILTER_OTHER);
  filter.memory_below_bytes = 0;
  g_assert_true (shardwise_candidate_filter_choose (&filter, SW_DIM_PP, 1, FALSE));
  g_assert_true (shardwise_candidate_filter_choose (&filter, SW_DIM_PP, 4, FALSE));
  /* whatever was chosen in between */
  g_assert_true (shardwise_candidate_filter_equal (&filter, &empty));
  for (guint value = 0; value < SHARDWISE_FILTER_CHOSEN; value++)
    g_assert_true (shardwise_candidate_filter_choose (&filter, SW_DIM_DP, 100 - value, TRUE));
  g_assert_false (shardwise_candidate_filter_choose (&filter, SW_DIM_DP, 1, TRUE));
}

/* The values of a facet are those that some strategy has. Their counts are what the list would
 * show, so the chosen ones of a facet sum up to the rows, and of the other facets all values do. */
static void
test_facets (void)
{
  g_autoptr (ShardwiseAdvice) advice = advice_new (TRUE);
  g_autoptr (ShardwiseCandidateView) view = NULL;
  ShardwiseCandidateFilter filter;
  guint n_candidates, rows;
  const SwCandidate *candidates = shardwise_advice_get_candidates (advice, &n_candidates);

  shardwise_candidate_filter_init (&filter);
  shardwise_candidate_filter_choose (&filter, SW_DIM_TP, 2, TRUE);
  shardwise_candidate_filter_choose (&filter, SW_DIM_TP, 8, TRUE);
  shardwise_candidate_filter_choose (&filter, SW_DIM_RECOMPUTE, SW_RECOMPUTE_NONE, TRUE);
  view = shardwise_candidate_view_new (advice, &filter, SHARDWISE_SORT_RANK, FALSE, NULL);
  rows = shardwise_candidate_view_get_n_rows (view);
  g_assert_cmpuint (rows, >, 0);
  for (guint facet = 0; facet < SHARDWISE_N_FACETS; facet++)
    {
      guint n, sum = 0;
      const ShardwiseFacetValue *values =
          shardwise_candidate_facets_get (shardwise_candidate_view_get_facets (view), facet, &n);

      g_assert_cmpuint (n, >, 0);
      for (guint i = 0; i < n; i++)
        {
          g_assert_true (i == 0 || values[i].value > values[i - 1].value);
          if (filter.n_chosen[facet] == 0
              || shardwise_candidate_filter_has_chosen (&filter, facet, values[i].value))
            sum += values[i].count;
        }
      g_assert_cmpuint (sum, ==, rows);
      for (guint i = 0; i < n_candidates; i += 1009)
        {
          guint value = shardwise_facet_value (&candidates[i].strategy, facet), found = 0;

          for (guint k = 0; k < n; k++)
            found += values[k].value == value;
          g_assert_cmpuint (found, ==, 1);
        }
    }
}

/* A strategy is found by itself and its time, wherever it stands; what the filter hides has no
 * row. */
static void
test_find (void)
{
  g_autoptr (ShardwiseAdvice) advice = advice_new (TRUE);
  g_autoptr (ShardwiseCandidateView) view = NULL;
  ShardwiseCandidateFilter filter;
  const SwCandidate *candidates;
  SwStrategy unknown;
  guint n, candidate;
  int row;

  shardwise_candidate_filter_init (&filter);
  shardwise_candidate_filter_choose (&filter, SW_DIM_PP, 1, TRUE);
  view = shardwise_candidate_view_new (advice, &filter, SHARDWISE_SORT_MEMORY, TRUE, NULL);
  candidates = shardwise_advice_get_candidates (advice, &n);
  for (guint i = 0; i < n; i += i < 200 ? 1 : n / 300)
    {
      SwEstimate estimate;

      sw_estimate (shardwise_advice_get_problem (advice), &candidates[i].strategy, &estimate);
      g_assert_true (shardwise_candidate_view_find (view, &estimate.strategy, estimate.time.step_s,
                                                    &candidate, &row));
      g_assert_cmpuint (candidate, ==, i);
      g_assert_cmpint (row >= 0, ==, estimate.strategy.pp == 1);
      if (row >= 0)
        g_assert_cmpuint (shardwise_candidate_view_get_candidate (view, (guint) row), ==, i);
    }
  unknown = candidates[n / 2].strategy;
  unknown.dp = 7;
  g_assert_false (
      shardwise_candidate_view_find (view, &unknown, candidates[n / 2].step_s, &candidate, &row));
}

/* What a row shows in the column, as a number that grows as the column does. */
static double
shown (const SwCandidate *c, ShardwiseSort sort)
{
  const SwStrategy *s = &c->strategy;
  const double figures[SHARDWISE_N_SORTS] = {
    [SHARDWISE_SORT_SUMMARY] = s->tp, /* what it begins with */
    [SHARDWISE_SORT_TP] = s->tp,
    [SHARDWISE_SORT_PP] = s->pp,
    [SHARDWISE_SORT_DP] = s->dp,
    [SHARDWISE_SORT_CP] = s->cp,
    [SHARDWISE_SORT_EP] = s->ep,
    [SHARDWISE_SORT_VPP] = s->vpp,
    [SHARDWISE_SORT_ZERO] = s->zero_stage,
    [SHARDWISE_SORT_MICRO_BATCH] = s->micro_batch,
    [SHARDWISE_SORT_RECOMPUTE] = s->recompute == SW_RECOMPUTE_FULL          ? 3
                                 : s->recompute == SW_RECOMPUTE_FULL_LAYERS ? 2
                                                                            : s->recompute,
    [SHARDWISE_SORT_SCHEDULE] = s->schedule,
    [SHARDWISE_SORT_OFFLOAD] = s->offload,
    [SHARDWISE_SORT_GPUS] = sw_strategy_gpus (s),
    [SHARDWISE_SORT_MEMORY] = c->memory_bytes,
    [SHARDWISE_SORT_STEP] = c->step_s,
    [SHARDWISE_SORT_TOKENS_PER_S] = 1 / (double) c->seconds_per_token,
    [SHARDWISE_SORT_TOKENS_PER_GPU] =
        1 / (double) (float) ((double) c->seconds_per_token * sw_strategy_gpus (s)),
    [SHARDWISE_SORT_MFU] =
        1 / (double) (float) ((double) c->seconds_per_token * sw_strategy_gpus (s)),
    [SHARDWISE_SORT_DIFFERENCE] = c->seconds_per_token,
  };

  return figures[sort];
}

/* Every column both ways over more than 100,000 rows: ordered, equals best first, no row lost or
 * doubled. */
static void
test_sort (void)
{
  g_autoptr (ShardwiseAdvice) advice = advice_new (TRUE);
  guint n;
  const SwCandidate *candidates = shardwise_advice_get_candidates (advice, &n);
  g_autofree guint32 *rows = g_new (guint32, n);

  g_assert_cmpuint (n, >, 100000);
  for (guint i = 0; i < 2 * SHARDWISE_N_SORTS; i++)
    {
      ShardwiseSort sort = (ShardwiseSort) (i / 2);
      g_autofree guint8 *seen = g_new0 (guint8, n);

      for (guint row = 0; row < n; row++)
        rows[row] = row;
      shardwise_candidates_sort (candidates, rows, n, sort, i % 2);
      for (guint row = 0; row < n; row++)
        {
          double change = row > 0 ? shown (&candidates[rows[row]], sort)
                                        - shown (&candidates[rows[row - 1]], sort)
                                  : 0;

          g_assert_cmpuint (seen[rows[row]]++, ==, 0);
          g_assert_true (i % 2 ? change <= 0 : change >= 0);
          if (row > 0 && change == 0 && sort > SHARDWISE_SORT_SUMMARY
              && sort != SHARDWISE_SORT_FRAMEWORK)
            g_assert_cmpuint (rows[row], >, rows[row - 1]);
        }
    }
}

/* The figures that are sorted by are those that the rows show. */
static void
test_items (void)
{
  g_autoptr (ShardwiseAdvice) advice = advice_new (TRUE);
  g_autoptr (ShardwiseCandidateList) list = shardwise_candidate_list_new ();
  GListModel *model = G_LIST_MODEL (list);
  double last = 0;
  guint n;

  g_assert_cmpuint (g_list_model_get_n_items (model), ==, 0);
  g_assert_null (g_list_model_get_item (model, 0));
  shardwise_candidate_list_set_sort (list, SHARDWISE_SORT_MFU, FALSE);
  shardwise_candidate_list_set_advice (list, advice);
  g_assert_true (shardwise_candidate_list_is_pending (list));
  wait (list);
  shardwise_advice_get_candidates (advice, &n);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, n);
  for (guint i = 0; i < n; i += n / 500)
    {
      g_autoptr (ShardwiseStrategy) strategy = g_list_model_get_item (model, i);
      const SwEstimate *estimate = shardwise_strategy_get_estimate (strategy);

      g_assert_true (estimate->fits);
      g_assert_cmpfloat (estimate->mfu, >=, last * (1 - 1e-6)); /* candidates are floats */
      last = estimate->mfu;
    }
}

static void
count_cb (GListModel *model, guint position, guint removed, guint added, guint counts[3])
{
  counts[0]++;
  counts[1] = removed;
  counts[2] = added;
}

/* The rows of before stay until the new ones are there; then they are swapped at once. Of requests
 * that follow one another only the last is shown. */
static void
test_swap (void)
{
  g_autoptr (ShardwiseAdvice) live = advice_new (FALSE), all = advice_new (TRUE);
  g_autoptr (ShardwiseCandidateList) list = shardwise_candidate_list_new ();
  ShardwiseCandidateFilter filter;
  guint counts[3] = { 0 }, n, few, listed;

  shardwise_advice_get_candidates (live, &few);
  shardwise_candidate_list_set_advice (list, live);
  g_assert_false (shardwise_candidate_list_is_pending (list)); /* so few are there at once */
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, few);
  g_signal_connect (list, "items-changed", G_CALLBACK (count_cb), counts);
  shardwise_candidate_list_set_advice (list, all);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, few);
  shardwise_candidate_filter_init (&filter);
  shardwise_candidate_filter_choose (&filter, SW_DIM_PP, 1, TRUE);
  shardwise_candidate_list_set_filter (list, &filter);
  shardwise_candidate_list_set_sort (list, SHARDWISE_SORT_MEMORY, TRUE);
  wait (list);
  shardwise_advice_get_candidates (all, &n);
  listed = g_list_model_get_n_items (G_LIST_MODEL (list));
  g_assert_cmpuint (counts[0], ==, 1); /* rows are added behind those that become others */
  g_assert_cmpuint (counts[1], ==, 0);
  g_assert_cmpuint (counts[2], ==, listed - few);
  g_assert_cmpuint (listed, >, few);
  g_assert_cmpuint (listed, <, n);
  for (guint i = 0; i < listed; i += 97)
    {
      g_autoptr (ShardwiseStrategy) strategy = g_list_model_get_item (G_LIST_MODEL (list), i);

      g_assert_cmpuint (shardwise_strategy_get_estimate (strategy)->strategy.pp, ==, 1);
    }
}

static void
changed_cb (ShardwiseStrategy *strategy, guint *n)
{
  (*n)++;
}

static void
check_row (ShardwiseStrategy *row, ShardwiseAdvice *advice, guint candidate)
{
  g_autoptr (ShardwiseStrategy) same = shardwise_strategy_new (advice, candidate);
  g_autofree char *shown = NULL, *expected = NULL;
  guint rank;

  g_assert_false (shardwise_strategy_is_awaited (row));
  g_object_get (row, "rank", &rank, "difference", &shown, NULL);
  g_object_get (same, "difference", &expected, NULL);
  g_assert_cmpuint (rank, ==, candidate + 1);
  g_assert_cmpstr (shown, ==, expected);
  g_assert_true (sw_strategy_equal (&shardwise_strategy_get_estimate (row)->strategy,
                                    &shardwise_strategy_get_estimate (same)->strategy));
  g_assert_cmpfloat (shardwise_strategy_get_estimate (row)->time.step_s, ==,
                     shardwise_strategy_get_estimate (same)->time.step_s);
}

/* A row in use becomes another strategy, and says so where it is one: the best ones are the same in
 * the live answer and in the complete one. Rows behind the best ones of an answer keep their places
 * and show nothing, until all are listed, or the best ones alone. */
static void
test_rows (void)
{
  g_autoptr (ShardwiseAdvice) live = advice_new (FALSE), all = advice_new (TRUE);
  g_autoptr (ShardwiseCandidateList) list = shardwise_candidate_list_new ();
  GListModel *model = G_LIST_MODEL (list);
  g_autoptr (ShardwiseStrategy) first = NULL, last = NULL, later = NULL;
  guint few, n, changes = 0;

  shardwise_advice_get_candidates (live, &few);
  shardwise_advice_get_candidates (all, &n);
  shardwise_candidate_list_set_advice (list, live);
  first = g_list_model_get_item (model, 0);
  last = g_list_model_get_item (model, few - 1);
  g_signal_connect (first, "changed", G_CALLBACK (changed_cb), &changes);
  g_signal_connect (last, "changed", G_CALLBACK (changed_cb), &changes);
  shardwise_candidate_list_set_advice (list, all);
  wait (list);
  g_assert_cmpuint (changes, ==, 0);
  check_row (first, all, 0);
  check_row (last, all, few - 1);
  shardwise_candidate_list_set_sort (list, SHARDWISE_SORT_RANK, TRUE);
  wait (list);
  g_assert_cmpuint (changes, ==, 2);
  check_row (first, all, n - 1);
  check_row (last, all, n - few);
  later = g_list_model_get_item (model, n - 1);
  check_row (later, all, 0);
  shardwise_candidate_list_set_sort (list, SHARDWISE_SORT_RANK, FALSE);
  shardwise_candidate_list_set_first (list, live);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, n);
  check_row (first, live, 0);
  g_assert_true (shardwise_strategy_is_awaited (later));
  g_clear_object (&later);
  later = g_list_model_get_item (model, few);
  g_assert_true (shardwise_strategy_is_awaited (later));
  shardwise_candidate_list_set_advice (list, all);
  wait (list);
  check_row (later, all, few);
  shardwise_candidate_list_set_first (list, live);
  shardwise_candidate_list_set_advice (list, live);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, few);
  g_assert_true (g_list_model_get_item (model, few) == NULL);
}

/* The picture has the whole front, and its dots stand for every strategy exactly once. */
static void
test_dots (void)
{
  g_autoptr (ShardwiseAdvice) advice = advice_new (TRUE);
  g_autoptr (ShardwiseCandidateView) view = NULL;
  g_autoptr (GArray) front = NULL, drawn = NULL;
  ShardwiseCandidateFilter filter;
  const SwCandidate *all, *dots;
  const guint *counts;
  guint n, n_dots, sum = 0;

  shardwise_candidate_filter_init (&filter);
  view = shardwise_candidate_view_new (advice, &filter, SHARDWISE_SORT_RANK, FALSE, NULL);
  all = shardwise_advice_get_candidates (advice, &n);
  dots = shardwise_candidate_view_get_dots (view, &counts, &n_dots);
  for (guint i = 0; i < n_dots; i++)
    sum += counts[i];
  g_assert_cmpuint (sum, ==, n);
  front = sw_pareto_front (all, n);
  drawn = sw_pareto_front (dots, n_dots);
  g_assert_cmpuint (front->len, ==, drawn->len);
  for (guint i = 0; i < front->len; i++)
    g_assert_cmpfloat (all[g_array_index (front, guint, i)].memory_bytes, ==,
                       dots[g_array_index (drawn, guint, i)].memory_bytes);
}

/* What the last one costs is named in throughput, of which none loses all, however long its
 * step. */
static void
test_difference (void)
{
  g_autoptr (ShardwiseAdvice) advice = advice_new (TRUE);
  g_autoptr (ShardwiseCandidateList) list = shardwise_candidate_list_new ();
  g_autoptr (ShardwiseStrategy) last = NULL;
  g_autofree char *difference = NULL, *share = NULL;
  const double best = shardwise_advice_get_recommended (advice)->tokens_per_s;
  const SwEstimate *estimate;

  shardwise_candidate_list_set_advice (list, advice);
  wait (list);
  last = g_list_model_get_item (G_LIST_MODEL (list),
                                g_list_model_get_n_items (G_LIST_MODEL (list)) - 1);
  estimate = shardwise_strategy_get_estimate (last);
  g_assert_cmpfloat (estimate->tokens_per_s, <, best / 2);
  g_object_get (last, "difference", &difference, NULL);
  share = shardwise_format_percent (1 - estimate->tokens_per_s / best);
  g_assert_true (g_str_has_prefix (difference, share));
}

/* How many layers are computed again differs, too. */
static void
test_layers (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  ShardwiseAdviceOptions options = { .top = 50, .complete = TRUE };
  g_autoptr (ShardwiseAdvice) advice = NULL;
  guint n, n_differ = 0, layers;

  shardwise_scenario_set (scenario, SHARDWISE_KEY_MODEL_PRESET,
                          g_variant_new_string ("llama-3-70b"), NULL);
  shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_int32 (32), NULL);
  shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                          g_variant_new_int32 (128), NULL);
  advice = shardwise_advice_compute (scenario, &options, NULL, NULL);
  layers = shardwise_advice_get_recommended (advice)->strategy.full_layers;
  shardwise_advice_get_candidates (advice, &n);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (ShardwiseStrategy) row = shardwise_strategy_new (advice, i);
      const SwStrategy *strategy = &shardwise_strategy_get_estimate (row)->strategy;
      g_autofree char *difference = NULL, *words = NULL;

      if (strategy->recompute != SW_RECOMPUTE_FULL_LAYERS || strategy->full_layers == layers)
        continue;
      words = strategy->full_layers == 1
                  ? g_strdup ("first layer")
                  : g_strdup_printf ("first %u layers", strategy->full_layers);
      g_object_get (row, "difference", &difference, NULL);
      g_assert_nonnull (strstr (difference, words));
      n_differ++;
    }
  g_assert_cmpuint (n_differ, >, 0);
}

/* Of two strategies that differ in their software alone one is not the recommended one. */
static void
test_software (void)
{
  const ShardwiseAdviceOptions options = { .top = 200 };
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (ShardwiseAdvice) advice = NULL;
  const SwEstimate *best;
  guint n, n_others = 0;

  shardwise_scenario_set (scenario, SHARDWISE_KEY_MODEL_PRESET, g_variant_new_string ("llama-3-8b"),
                          NULL);
  shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK, g_variant_new_string ("any"),
                          NULL);
  shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_int32 (8), NULL);
  advice = shardwise_advice_compute (scenario, &options, NULL, NULL);
  best = shardwise_advice_get_recommended (advice);
  shardwise_advice_get_candidates (advice, &n);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (ShardwiseStrategy) row = shardwise_strategy_new (advice, i);
      const SwStrategy *strategy = &shardwise_strategy_get_estimate (row)->strategy;
      g_autofree char *difference = NULL;

      if (strategy->framework == best->strategy.framework)
        continue;
      g_object_get (row, "difference", &difference, NULL);
      g_assert_nonnull (strstr (difference, shardwise_text_framework (strategy->framework)));
      n_others++;
    }
  g_assert_cmpuint (n_others, >, 0);
}

/* Making the rows of a screen costs little of a frame of 33 ms, however long the list is. */
static void
test_cost (void)
{
  g_autoptr (ShardwiseAdvice) advice = advice_new (TRUE);
  g_autoptr (ShardwiseCandidateList) list = shardwise_candidate_list_new ();
  double seconds;
  clock_t start;
  guint n;

  shardwise_candidate_list_set_advice (list, advice);
  wait (list);
  n = g_list_model_get_n_items (G_LIST_MODEL (list));
  start = clock ();
  for (guint i = 0; i < 60; i++)
    {
      g_autoptr (ShardwiseStrategy) strategy = g_list_model_get_item (G_LIST_MODEL (list),
                                                                      i * (n / 60));
      g_autofree char *difference = NULL;

      g_object_get (strategy, "difference", &difference, NULL);
    }
  seconds = (double) (clock () - start) / CLOCKS_PER_SEC;
  g_test_message ("60 of %u rows in %.2f ms", n, seconds * 1e3);
  if (g_getenv ("SHARDWISE_MEMCHECK") == NULL)
    g_assert_cmpfloat (seconds, <, 0.033);
}

/* Grouped, each split has one row, the first of it in the order; no strategy is lost in the counts, and
 * a variant is found in the row of its split. */
static void
test_grouped (void)
{
  g_autoptr (ShardwiseAdvice) advice = advice_new (TRUE);
  g_autoptr (ShardwiseCandidateView) view = NULL;
  ShardwiseCandidateFilter filter;
  const SwCandidate *all;
  guint n, n_rows, sum = 0, candidate;
  int row;

  shardwise_candidate_filter_init (&filter);
  filter.grouped = TRUE;
  view = shardwise_candidate_view_new (advice, &filter, SHARDWISE_SORT_RANK, FALSE, NULL);
  all = shardwise_advice_get_candidates (advice, &n);
  n_rows = shardwise_candidate_view_get_n_rows (view);
  g_assert_cmpuint (n_rows, >, 1);
  g_assert_cmpuint (n_rows, <, n);
  g_assert_cmpuint (shardwise_candidate_view_get_n_passed (view), ==, n);
  for (guint i = 0; i < n_rows; i++)
    {
      const guint place = shardwise_candidate_view_get_candidate (view, i);

      sum += 1 + shardwise_candidate_view_get_variants (view, i);
      for (guint j = 0; j < i; j++)
        g_assert_false (sw_same_split (
            &all[place].strategy, &all[shardwise_candidate_view_get_candidate (view, j)].strategy));
    }
  g_assert_cmpuint (sum, ==, n);
  g_assert_true (shardwise_candidate_view_find (view, &all[n - 1].strategy, all[n - 1].step_s,
                                                &candidate, &row));
  g_assert_cmpuint (candidate, ==, n - 1);
  g_assert_cmpint (row, >=, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/candidate-list/words", test_words);
  g_test_add_func ("/candidate-list/choices", test_choices);
  g_test_add_func ("/candidate-list/facets", test_facets);
  g_test_add_func ("/candidate-list/find", test_find);
  g_test_add_func ("/candidate-list/sort", test_sort);
  g_test_add_func ("/candidate-list/items", test_items);
  g_test_add_func ("/candidate-list/difference", test_difference);
  g_test_add_func ("/candidate-list/layers", test_layers);
  g_test_add_func ("/candidate-list/software", test_software);
  g_test_add_func ("/candidate-list/swap", test_swap);
  g_test_add_func ("/candidate-list/rows", test_rows);
  g_test_add_func ("/candidate-list/grouped", test_grouped);
  g_test_add_func ("/candidate-list/dots", test_dots);
  g_test_add_func ("/candidate-list/cost", test_cost);
  return g_test_run ();
}
