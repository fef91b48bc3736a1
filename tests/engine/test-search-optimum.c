/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-fixture.h"
#include "sw-framework.h"
#include "sw-search.h"

#include <math.h>
#include <string.h>

/* What brute force found over the whole cross product. */
typedef struct
{
  double best_s;
  guint64 fit;
  SwStrategy best;
} Brute;

static char *
describe (const SwStrategy *s)
{
  GString *text = g_string_new (sw_framework_names[s->framework]);

  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    g_string_append_printf (text, " %s=%u", sw_dimension_names[i],
                            sw_strategy_get (s, (SwDimension) i));
  g_string_append_printf (text, " full_layers=%u", s->full_layers);
  return g_string_free (text, FALSE);
}

static gboolean
try_strategy (const SwProblem *problem, const SwStrategy *strategy, Brute *brute)
{
  SwEstimate estimate;

  if (sw_rules_check (problem, strategy) != SW_RULE_OK)
    return FALSE;
  sw_estimate (problem, strategy, &estimate);
  if (!estimate.fits)
    return FALSE;
  brute->fit++;
  if (estimate.time.step_s >= brute->best_s)
    return TRUE;
  brute->best_s = estimate.time.step_s;
  brute->best = *strategy;
  return TRUE;
}

/* Of first-N recomputation the smallest N that fits, one after the other, where it does not fit
 * without. */
static void
try_recomputes (const SwProblem *problem, SwStrategy *s, Brute *brute)
{
  SwEstimate estimate;
  SwProblem open = *problem;
  guint most;

  s->full_layers = 0;
  for (guint r = SW_RECOMPUTE_NONE; r <= SW_RECOMPUTE_FULL; r++)
    {
      s->recompute = (guint8) r;
      try_strategy (problem, s, brute);
    }
  open.pins.mask = 0;
  s->recompute = SW_RECOMPUTE_NONE;
  sw_estimate (&open, s, &estimate);
  s->recompute = SW_RECOMPUTE_FULL_LAYERS;
  if (estimate.fits)
    return;
  /* As many layers in every chunk. All of them are full recomputation, which takes the
   * multi-token-prediction layers with it. */
  most = (problem->model.layers + s->pp - 1) / s->pp + (problem->model.mtp_layers > 0 ? s->vpp : 0);
  for (guint n = s->vpp; n < most; n += s->vpp)
    {
      s->full_layers = n;
      if (try_strategy (problem, s, brute))
        return;
    }
}

static void
try_sharding (const SwProblem *problem, SwStrategy *s, gboolean offload, Brute *brute)
{
  for (guint zero = 0; zero <= 3; zero++)
    for (guint group = zero == 0 ? s->dp : MIN (2, s->dp); group <= s->dp; group++)
      for (guint o = SW_OFFLOAD_NONE; o <= (offload ? SW_OFFLOAD_ACTIVATIONS : SW_OFFLOAD_NONE);
           o++)
        {
          s->zero_stage = (guint8) zero;
          s->shard_group = group;
          s->offload = (guint8) o;
          try_recomputes (problem, s, brute);
        }
}

static void
try_schedules (const SwProblem *problem, SwStrategy *s, gboolean offload, Brute *brute)
{
  for (guint schedule = SW_SCHEDULE_GPIPE; schedule <= SW_SCHEDULE_ZERO_BUBBLE; schedule++)
    for (guint vpp = 1; vpp <= problem->model.layers / s->pp; vpp++)
      {
        s->schedule = (guint8) schedule;
        s->vpp = vpp;
        if (s->pp == 1 && schedule != SW_SCHEDULE_1F1B)
          continue;
        if (problem->training.global_batch % (s->dp * s->micro_batch) == 0)
          try_sharding (problem, s, offload, brute);
      }
}

static void
try_experts (const SwProblem *problem, SwStrategy *s, gboolean offload, Brute *brute)
{
  for (guint ep = 1; ep <= MAX (1, problem->model.moe.experts); ep++)
    for (guint method = SW_CP_RING; method <= SW_CP_ULYSSES; method++)
      for (guint etp = 0; etp <= (s->tp > 1); etp++)
        for (guint mbs = 1; mbs <= problem->training.global_batch; mbs++)
          {
            s->ep = ep;
            s->etp = etp ? 1 : s->tp;
            s->cp_method = (guint8) method;
            s->micro_batch = mbs;
            if (method == SW_CP_RING || s->cp > 1)
              try_schedules (problem, s, offload, brute);
          }
}

/* The whole cross product, without any bound or order. */
static void
brute_force (const SwProblem *problem, SwFramework framework, gboolean offload, Brute *brute)
{
  const guint gpus = problem->cluster.gpus;
  SwStrategy s;

  sw_strategy_init_default (&s);
  s.framework = (guint8) framework;
  for (s.tp = 1; s.tp <= gpus; s.tp++)
    for (s.cp = 1; s.tp * s.cp <= gpus; s.cp++)
      for (s.pp = 1; s.tp * s.cp * s.pp <= gpus && s.pp <= problem->model.layers; s.pp++)
        for (s.dp = 1; s.tp * s.cp * s.pp * s.dp <= gpus; s.dp++)
          {
            s.sequence_parallel = s.tp > 1 && sw_framework_rules (framework)->sp;
            try_experts (problem, &s, offload, brute);
          }
}

static guint
choose (GRand *rand, const guint *values, guint n)
{
  return values[g_rand_int_range (rand, 0, (gint32) n)];
}

/* A small question drawn at random: models of a few layers, up to 8 GPUs, any framework. */
static void
random_problem (GRand *rand, SwProblem *problem)
{
  static const guint gpus[] = { 1, 2, 3, 4, 6, 8 }, layers[] = { 2, 3, 4, 6 },
                     batches[] = { 2, 4, 6, 8, 12 };
  static const guint heads[] = { 4, 6, 8 }, experts[] = { 0, 0, 4, 6 }, nodes[] = { 2, 4, 8 };
  SwModelSpec model;

  sw_fixture_llama3_8b (&model);
  model.layers = choose (rand, layers, G_N_ELEMENTS (layers));
  model.attention_heads = choose (rand, heads, G_N_ELEMENTS (heads));
  model.kv_heads = g_rand_boolean (rand) ? model.attention_heads : 2;
  model.hidden_size = model.attention_heads * 128 * (g_rand_boolean (rand) ? 4 : 8);
  model.intermediate_size = model.hidden_size * 3;
  model.vocab_size = 32000;
  model.moe.experts = choose (rand, experts, G_N_ELEMENTS (experts));
  model.moe.top_k = 2;
  model.moe.intermediate_size = model.hidden_size;
  model.moe.layer_frequency = 1 + (guint) g_rand_int_range (rand, 0, 2);
  if (model.moe.experts == 0)
    memset (&model.moe, 0, sizeof model.moe);
  sw_fixture_problem (problem, &model, choose (rand, gpus, G_N_ELEMENTS (gpus)));
  problem->training.sequence_length = g_rand_boolean (rand) ? 2048 : 4096 + 1024;
  problem->training.global_batch = choose (rand, batches, G_N_ELEMENTS (batches));
  problem->training.framework =
      (SwFramework) g_rand_int_range (rand, SW_FRAMEWORK_MEGATRON_2021, SW_N_FRAMEWORKS);
  problem->cluster.gpus_per_node = problem->cluster.nvlink_domain =
      choose (rand, nodes, G_N_ELEMENTS (nodes));
  problem->cluster.inter.bytes_per_s *= g_rand_double_range (rand, 0.02, 2.0);
  /* From roomy to hopeless. */
  problem->cluster.usable_bytes = exp (g_rand_double_range (rand, log (4e9), log (80e9)));
  sw_problem_prepare (problem);
}

/* Pins up to two dimensions to values of a strategy that may or may not be valid. */
static void
pin_some (GRand *rand, SwProblem *problem)
{
  SwStrategy strategy;

  sw_strategy_init_default (&strategy);
  sw_fixture_random_strategy (rand, problem, &strategy);
  strategy.full_layers = 0;
  if (strategy.recompute == SW_RECOMPUTE_FULL_LAYERS)
    strategy.recompute = SW_RECOMPUTE_FULL;
  problem->pins.value = strategy;
  for (guint i = 0; i < 2; i++)
    {
      const guint dimension = (guint) g_rand_int_range (rand, 0, SW_N_DIMENSIONS);

      if (g_rand_boolean (rand) && dimension != SW_DIM_SP && dimension != SW_DIM_SCHEDULE
          && dimension != SW_DIM_CP_METHOD && dimension != SW_DIM_OFFLOAD
          && dimension != SW_DIM_SHARD_GROUP && dimension != SW_DIM_VPP)
        problem->pins.mask |= 1u << dimension;
    }
}

static void
search_live (const SwProblem *problem, guint top, SwSearchResult *out)
{
  const SwSearchOptions options = { .top = top };

  sw_search (problem, &options, out);
}

static void
check_ranked (const SwProblem *problem, const SwSearchResult *result)
{
  for (guint i = 0; i < result->n_best; i++)
    {
      SwEstimate estimate;

      sw_estimate (problem, &result->best[i].strategy, &estimate);
      g_assert_true (estimate.fits);
      g_assert_cmpfloat_with_epsilon (estimate.time.step_s, result->best[i].step_s,
                                      1e-6 * estimate.time.step_s);
      g_assert_cmpfloat_with_epsilon (estimate.memory.peak.total, result->best[i].memory_bytes,
                                      1e-6 * estimate.memory.peak.total);
    }
}

static double
least_step (const SwSearchResult *result)
{
  double least = INFINITY;

  for (guint i = 0; i < result->n_best; i++)
    least = MIN (least, (double) result->best[i].step_s);
  return least;
}

static void
check_same (const SwProblem *problem,
            guint32 seed,
            guint scenario,
            const SwSearchResult *result,
            const Brute *brute)
{
  g_autofree char *theirs = describe (&brute->best);
  g_autofree char *ours =
      result->n_best > 0 ? describe (&result->best[0].strategy) : g_strdup ("nothing");

  if ((result->n_best > 0) == (brute->fit > 0)
      && (brute->fit == 0 || fabs (least_step (result) / brute->best_s - 1.0) < 1e-6))
    return;
  g_error ("seed %u, scenario %u, %u GPUs, %u layers, %u experts, batch %u: search %.9g s (%s), "
           "brute force %.9g s (%s)",
           seed, scenario, problem->cluster.gpus, problem->model.layers, problem->model.moe.experts,
           problem->training.global_batch, least_step (result), ours, brute->best_s, theirs);
}

/* The ten best of the bounded search are those of the search without bounds, in the same order. */
static void
check_top (const SwProblem *problem, const SwSearchResult *live)
{
  const SwSearchOptions options = { .top = 10, .complete = TRUE };
  SwSearchResult complete;

  sw_search (problem, &options, &complete);
  g_assert_cmpuint (MIN (live->n_best, 10), ==, complete.n_best);
  for (guint i = 0; i < complete.n_best; i++)
    g_assert_true (sw_strategy_equal (&live->best[i].strategy, &complete.best[i].strategy));
  sw_search_result_clear (&complete);
}

/* Bounds never lose the optimum: the same best time as all valid strategies, estimated one by one.
 */
static void
test_brute_force (void)
{
  const guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  const guint scenarios = g_test_slow () ? 600 : 100;
  guint with_result = 0;

  for (guint i = 0; i < scenarios; i++)
    {
      Brute brute = { .best_s = INFINITY };
      SwSearchResult result;
      SwProblem problem;

      random_problem (rand, &problem);
      if (i % 2 == 1)
        pin_some (rand, &problem);
      brute_force (&problem, problem.training.framework, FALSE, &brute);
      if (brute.fit == 0)
        brute_force (&problem, problem.training.framework, TRUE, &brute);
      search_live (&problem, 10, &result);
      check_top (&problem, &result);
      sw_search_result_clear (&result);
      search_live (&problem, 1000, &result);
      check_ranked (&problem, &result);
      check_same (&problem, seed, i, &result, &brute);
      with_result += result.n_best > 0;
      sw_search_result_clear (&result);
    }
  g_test_message ("%u of %u scenarios have an answer", with_result, scenarios);
  g_assert_cmpuint (with_result, >, scenarios / 4);
  g_assert_cmpuint (with_result, <, scenarios);
}

/* The least number of GPUs is the first size at which the search finds anything. */
static void
test_least_gpus (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) g_test_rand_int ());

  for (guint i = 0; i < 40; i++)
    {
      SwProblem problem, sized;
      guint least, gpus = 1;

      random_problem (rand, &problem);
      least = sw_least_gpus (&problem);
      sized = problem;
      while (gpus <= 64)
        {
          SwSearchResult result;
          gboolean fits;

          sized.cluster.gpus = gpus;
          search_live (&sized, 1, &result);
          fits = result.n_best > 0;
          sw_search_result_clear (&result);
          if (fits)
            break;
          gpus = gpus < problem.cluster.gpus_per_node ? gpus * 2
                                                      : gpus + problem.cluster.gpus_per_node;
        }
      if (gpus <= 64)
        g_assert_cmpuint (least, ==, gpus);
      else
        g_assert_true (least == 0 || least > 64);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/search-optimum/brute-force", test_brute_force);
  g_test_add_func ("/search-optimum/least-gpus", test_least_gpus);
  return g_test_run ();
}
