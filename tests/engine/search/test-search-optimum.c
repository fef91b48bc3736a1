/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search holds what brute force finds over the whole cross product. */
#include "sw-brute-force.h"
#include "sw-fixture.h"
#include "sw-framework.h"
#include "sw-search-state.h"

#include <math.h>
#include <string.h>

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

static guint
choose (GRand *rand, const guint *values, guint n)
{
  return values[g_rand_int_range (rand, 0, (gint32) n)];
}

/* Mixtures of experts, latent attention, tied embeddings and further predicted tokens. */
static void
random_model (GRand *rand, SwModelSpec *model)
{
  static const guint layers[] = { 2, 3, 4, 4, 6, 6, 9 }, heads[] = { 4, 6, 8 },
                     experts[] = { 0, 0, 4, 6 };

  sw_fixture_llama3_8b (model);
  model->layers = choose (rand, layers, G_N_ELEMENTS (layers));
  model->attention_heads = choose (rand, heads, G_N_ELEMENTS (heads));
  model->kv_heads = g_rand_boolean (rand) ? model->attention_heads : 2;
  model->hidden_size = model->attention_heads * 128 * (g_rand_boolean (rand) ? 4 : 8);
  model->intermediate_size = model->hidden_size * 3;
  model->vocab_size = 32000;
  model->tied_embeddings = g_rand_boolean (rand);
  model->mtp_layers = (guint) g_rand_int_range (rand, 0, 4) / 3;
  if (g_rand_int_range (rand, 0, 4) == 0)
    model->mla = (SwMla){ .kv_lora_rank = 512,
                          .q_lora_rank = g_rand_boolean (rand) ? 1024 : 0,
                          .qk_nope_head_dim = 128,
                          .qk_rope_head_dim = 64,
                          .v_head_dim = 128 };
  model->moe.experts = choose (rand, experts, G_N_ELEMENTS (experts));
  if (model->moe.experts == 0)
    return;
  model->moe.top_k = 2;
  model->moe.intermediate_size = model->hidden_size;
  model->moe.shared_intermediate_size = g_rand_boolean (rand) ? model->hidden_size : 0;
  model->moe.first_dense_layers = (guint) g_rand_int_range (rand, 0, 6);
  model->moe.layer_frequency = 1 + (guint) g_rand_int_range (rand, 0, 3);
}

/* Mostly pretraining: drawn twice. */
static SwTrainingType
random_type (GRand *rand)
{
  gint type = g_rand_int_range (rand, -4, SW_TRAINING_RLHF + 1);

  if (type >= 0)
    type = g_rand_int_range (rand, -4, SW_TRAINING_RLHF + 1);
  return (SwTrainingType) MAX (0, type);
}

static void
random_training (GRand *rand, SwTraining *training)
{
  static const guint batches[] = { 2, 4, 6, 8, 12 }, sequences[] = { 2048, 5120, 2047, 65536 };

  training->type = random_type (rand);
  training->sequence_length = choose (rand, sequences, G_N_ELEMENTS (sequences));
  training->global_batch = choose (rand, batches, G_N_ELEMENTS (batches));
  training->optimizer = (SwOptimizer) g_rand_int_range (rand, 0, SW_OPTIMIZER_SGD + 1);
  training->overlap = g_rand_int_range (rand, 0, 4) == 0 ? SW_OVERLAP_NONE : SW_OVERLAP_AUTO;
  training->precision = g_rand_int_range (rand, 0, 5) == 0 ? SW_PRECISION_FP8 : SW_PRECISION_BF16;
  training->micro_batch = g_rand_int_range (rand, 0, 8) == 0 ? 2 : 0;
  training->framework = (SwFramework) g_rand_int_range (rand, SW_FRAMEWORK_MEGATRON_2021,
                                                        SW_N_ENGINES);
  if (g_rand_int_range (rand, 0, 12) == 0)
    training->framework = SW_FRAMEWORK_ANY;
  training->rlhf_colocated = g_rand_boolean (rand);
  training->rlhf_ppo = g_rand_boolean (rand);
}

/* A small question drawn at random: models of a few layers, up to 9 GPUs, any framework. */
static void
random_problem (GRand *rand, SwProblem *problem)
{
  static const guint gpus[] = { 1, 2, 3, 4, 5, 6, 7, 8, 8, 9 }, nodes[] = { 2, 4, 8 };
  SwModelSpec model;

  random_model (rand, &model);
  sw_fixture_problem (problem, &model, choose (rand, gpus, G_N_ELEMENTS (gpus)));
  random_training (rand, &problem->training);
  problem->cluster.gpus_per_node = problem->cluster.nvlink_domain = choose (rand, nodes,
                                                                            G_N_ELEMENTS (nodes));
  problem->cluster.inter.bytes_per_s *= g_rand_double_range (rand, 0.02, 2.0);
  /* One in eight is slower than its host. */
  if (g_rand_int_range (rand, 0, 8) == 0)
    problem->cluster.gpu.hbm_bytes_per_s *= 0.02;
  /* From roomy to hopeless. */
  problem->cluster.usable_bytes = exp (g_rand_double_range (rand, log (4e9), log (80e9)));
  problem->cluster.host_ram_bytes = exp (g_rand_double_range (rand, log (8e9), log (2e12)));
  /* Without another draw, which would make other scenarios of the seeds below. */
  problem->cluster.nvme_bytes_per_s = 25e9;
  problem->training.offloads_to_nvme = (guint64) problem->cluster.host_ram_bytes % 6 == 0;
  sw_problem_prepare (problem);
}

/* Pins up to two dimensions to values of a strategy that may or may not be valid. */
static void
pin_some (GRand *rand, SwProblem *problem)
{
  SwStrategy strategy;

  sw_fixture_random_strategy (rand, problem, &strategy);
  strategy.full_layers = 0;
  strategy.offload = (guint8) g_rand_int_range (rand, 0, SW_OFFLOAD_ACTIVATIONS + 1);
  problem->pins.value = strategy;
  for (guint i = 0; i < 2; i++)
    {
      const guint dimension = (guint) g_rand_int_range (rand, 0, SW_N_DIMENSIONS);

      if (g_rand_boolean (rand))
        problem->pins.mask |= 1u << dimension;
    }
}

static void
search_live (const SwProblem *problem, guint top, SwSearchResult *out)
{
  const SwSearchOptions options = { .top = top };

  sw_search (problem, &options, out);
}

/* The order that the help describes: within 3 % of the least time the simpler first, then the lower
 * ZeRO stage, fewer virtual stages and more headroom; beyond it the faster. */
static int
compare_rank (gconstpointer a, gconstpointer b, gpointer data)
{
  const SwCandidate *left = a, *right = b;
  const double band = *(const double *) data;
  const gboolean left_in = left->step_s <= band, right_in = right->step_s <= band;
  const double keys[2][5] = {
    { sw_strategy_complexity (&left->strategy), left->strategy.zero_stage, left->strategy.vpp,
      left->memory_bytes, left->step_s },
    { sw_strategy_complexity (&right->strategy), right->strategy.zero_stage, right->strategy.vpp,
      right->memory_bytes, right->step_s },
  };

  if (left_in != right_in)
    return left_in ? -1 : 1;
  /* Candidates are kept in floats, whose last digit may differ. */
  for (guint i = left_in ? 0 : 4; i < 5; i++)
    if (fabs (keys[0][i] / keys[1][i] - 1.0) > 3e-7 && fabs (keys[0][i] - keys[1][i]) > 0.0)
      return keys[0][i] < keys[1][i] ? -1 : 1;
  return 0;
}

static void G_GNUC_NORETURN
fail (const SwProblem *problem, guint32 seed, guint scenario, const SwCandidate *ours,
      const SwCandidate *theirs)
{
  g_autofree char *our_words = ours != NULL ? describe (&ours->strategy) : g_strdup ("nothing");
  g_autofree char *their_words = theirs != NULL ? describe (&theirs->strategy)
                                                : g_strdup ("nothing");

  g_error ("seed %u, scenario %u, %s, %s, %u GPUs, %u layers, %u experts, batch %u, pins %x:\n"
           "search %.9g s %.9g bytes (%s)\nbrute force %.9g s %.9g bytes (%s)",
           seed, scenario, sw_framework_names[problem->training.framework],
           sw_training_type_names[problem->training.type], problem->cluster.gpus,
           problem->model.layers, problem->model.moe.experts, problem->training.global_batch,
           problem->pins.mask, ours != NULL ? ours->step_s : 0.0,
           ours != NULL ? ours->memory_bytes : 0.0, our_words,
           theirs != NULL ? theirs->step_s : 0.0, theirs != NULL ? theirs->memory_bytes : 0.0,
           their_words);
}

/* As many, and the same ten by rank, up to ties. */
static void
check_same (const SwProblem *problem, guint32 seed, guint scenario, const SwCandidate *best,
            guint n, GArray *all)
{
  double band = INFINITY;

  for (guint i = 0; i < all->len; i++)
    band = MIN (band, g_array_index (all, SwCandidate, i).step_s * (1 + SW_RANK_BAND));
  g_array_sort_with_data (all, compare_rank, &band);
  for (guint i = 0; i < 10; i++)
    {
      const SwCandidate *ours = i < n ? &best[i] : NULL;
      const SwCandidate *theirs = i < all->len ? &g_array_index (all, SwCandidate, i) : NULL;

      if ((ours == NULL) != (theirs == NULL)
          || (ours != NULL && compare_rank (ours, theirs, &band) != 0))
        fail (problem, seed, scenario, ours, theirs);
    }
}

/* What is listed keeps the pins, fits, and has the figures of its estimate. */
static void
check_listed (const SwProblem *problem, const SwSearchResult *result)
{
  for (guint i = 0; i < result->n_best; i++)
    {
      SwEstimate estimate;

      g_assert_true (sw_keeps_pins (problem, &result->best[i].strategy));
      sw_estimate (problem, &result->best[i].strategy, &estimate);
      if (sw_pins_has (&problem->pins, SW_DIM_RECOMPUTE))
        estimate.fits |= estimate.rule == SW_RULE_PIN; /* of N, which is open */
      g_assert_true (estimate.fits);
      g_assert_cmpfloat_with_epsilon (estimate.time.step_s, result->best[i].step_s,
                                      1e-6 * estimate.time.step_s);
      g_assert_cmpfloat_with_epsilon (estimate.memory.peak.total, result->best[i].memory_bytes,
                                      1e-6 * estimate.memory.peak.total);
    }
}

static const SwCandidate *
find (const SwCandidate *all, guint n, const SwStrategy *strategy)
{
  for (guint i = 0; i < n; i++)
    if (sw_strategy_equal (&all[i].strategy, strategy))
      return &all[i];
  return NULL;
}

static void
report_first_missing (const SwCandidate *ours, guint n, GArray *all)
{
  const SwCandidate *theirs = (const SwCandidate *) (gpointer) all->data;

  for (guint i = 0; i < MAX (n, all->len); i++)
    {
      const SwCandidate *only = i < all->len && find (ours, n, &theirs[i].strategy) == NULL
                                    ? &theirs[i]
                                : i < n && find (theirs, all->len, &ours[i].strategy) == NULL
                                    ? &ours[i]
                                    : NULL;
      g_autofree char *words = only != NULL ? describe (&only->strategy) : NULL;

      if (words != NULL)
        {
          g_test_message ("only one has %s", words);
          return;
        }
    }
}

/* The complete search, on threads, has just what brute force has; every strategy is accounted for.
 */
static void
check_complete (const SwProblem *problem, guint32 seed, guint scenario, GArray *all)
{
  const SwSearchOptions options = { .top = 10, .complete = TRUE, .threads = 1 + scenario % 3 };
  SwSearchResult result;

  sw_search (problem, &options, &result);
  if (result.n_all != all->len)
    report_first_missing (result.all, result.n_all, all);
  if (result.n_all != all->len)
    g_error ("seed %u, scenario %u: complete search %u, brute force %u", seed, scenario,
             result.n_all, all->len);
  g_assert_cmpuint (result.n_all, ==, result.fit);
  check_same (problem, seed, scenario, result.all, result.n_all, all);
  sw_search_result_clear (&result);
}

/* So has the live search over level-1 points that were made without the pins, but for those to what
 * would not be among them. */
static void
check_shared (const SwProblem *problem, guint32 seed, guint scenario, GArray *all)
{
  const SwSearchOptions ten = { .top = 10 }, one = { .top = 1 };
  SwProblem open = *problem;
  SwSearchResult result, alone;
  SwNodes *nodes;

  open.training.left_out = 0;
  open.pins.mask &= 1u << SW_DIM_CP_METHOD | 1u << SW_DIM_ETP | 1u << SW_DIM_MICRO_BATCH;
  nodes = sw_nodes_new (&open, TRUE, NULL);
  sw_search_prepared (problem, &ten, nodes, &result);
  check_listed (problem, &result);
  check_same (problem, seed, scenario, result.best, result.n_best, all);
  sw_search_prepared (problem, &one, nodes, &alone);
  g_assert_cmpuint (alone.n_best, ==, MIN (result.n_best, 1));
  if (alone.n_best > 0)
    g_assert_true (sw_strategy_equal (&alone.best[0].strategy, &result.best[0].strategy));
  sw_search_result_clear (&alone);
  sw_search_result_clear (&result);
  sw_nodes_free (nodes);
}

/* The next of the random problems. */
static void
next_problem (GRand *rand, guint scenario, SwProblem *problem)
{
  random_problem (rand, problem);
  problem->training.left_out = scenario % 4 >= 2 ? SW_UNTRIED_ALL : 0;
  if (scenario % 2 == 1)
    pin_some (rand, problem);
}

/* What the live search and the complete one find is what brute force does. Returns whether anything
 * fits, and whether the best of it offloads. */
static gboolean
check_scenario (const SwProblem *problem, guint32 seed, guint scenario, gboolean *offloaded)
{
  g_autoptr (GArray) all = sw_brute_force (problem);
  SwSearchResult result;
  gboolean any;

  search_live (problem, 10, &result);
  check_listed (problem, &result);
  check_same (problem, seed, scenario, result.best, result.n_best, all);
  check_complete (problem, seed, scenario, all);
  check_shared (problem, seed, scenario, all);
  any = result.n_best > 0;
  *offloaded = any && result.best[0].strategy.offload != SW_OFFLOAD_NONE;
  sw_search_result_clear (&result);
  return any;
}

/* The sanitizers look for other faults than a lost optimum, and a few problems have all of the code.
 */
static guint
n_scenarios (void)
{
#if defined __SANITIZE_ADDRESS__
  const guint usual = 150;
#else
  const guint usual = 500;
#endif

  return g_test_slow () ? 3000 : usual;
}

/* Tools, and the methods of fine-tuning: what runs forward beside the model, and what it learns from. */
static void
vary_method (GRand *rand, SwTraining *training)
{
  static const double others[] = { 0, 0, 1, 2.5 };

  if (g_rand_boolean (rand))
    training->framework = (SwFramework) g_rand_int_range (rand, SW_N_ENGINES, SW_N_FRAMEWORKS);
  training->states_stated = g_rand_boolean (rand);
  training->lora_modules = g_rand_boolean (rand) ? 1u << g_rand_int_range (rand, 0, 7) | SW_LORA_Q
                                                 : 0;
  training->lora_dora = g_rand_int_range (rand, 0, 4) == 0;
  training->no_reference = g_rand_boolean (rand);
  training->rlhf_group = (guint) g_rand_int_range (rand, 0, 5);
  for (guint i = 0; i < 2; i++)
    if (g_rand_boolean (rand))
      sw_software_state (&training->software, SW_FEATURE_REENTRANT_CHECKPOINTING + i, TRUE);
  if (training->type == SW_TRAINING_RLHF || training->type == SW_TRAINING_PRETRAIN)
    return;
  training->forward_passes = others[g_rand_int_range (rand, 0, G_N_ELEMENTS (others))];
  training->frozen_copies = others[g_rand_int_range (rand, 0, G_N_ELEMENTS (others))];
  training->together = (guint) g_rand_int_range (rand, 0, 3);
  training->scalar_head = g_rand_int_range (rand, 0, 4) == 0;
}

/* What of states and adapters a scenario may state; of another series than the problems, which keep
 * their seeds. */
static void
vary_states (GRand *rand, SwTraining *training)
{
  static const double bytes[] = { 0, 0, 1, 2, 4 };

  training->no_master = g_rand_int_range (rand, 0, 4) == 0;
  training->moment_bytes = bytes[g_rand_int_range (rand, 0, G_N_ELEMENTS (bytes))];
  training->gradient_bytes = g_rand_int_range (rand, 0, 4) == 0 ? 2 : 0;
  training->optimizer_in_backward = g_rand_int_range (rand, 0, 4) == 0;
  training->base = (SwBase) g_rand_int_range (rand, SW_BASE_AUTO, SW_BASE_FP32 + 1);
  training->lora_dropout = g_rand_boolean (rand);
  training->lora_vocabulary = g_rand_int_range (rand, 0, 4) == 0;
  training->autocast = g_rand_int_range (rand, 0, 6) == 0;
  if (g_rand_int_range (rand, 0, 4) == 0)
    training->optimizer = (SwOptimizer) g_rand_int_range (rand, 0, SW_OPTIMIZER_LION + 1);
  for (guint i = SW_FEATURE_COMPILE; i <= SW_FEATURE_FUSED_KERNELS; i++)
    if (g_rand_boolean (rand))
      sw_software_state (&training->software, i, g_rand_boolean (rand));
  vary_method (rand, training);
}

/* Bounds never lose the optimum, nor one of the ten best: the same as all valid strategies,
 * estimated one by one. */
static void
test_brute_force (void)
{
  const guint32 seed = (guint32) g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed), states = g_rand_new_with_seed (seed);
  const guint scenarios = n_scenarios ();
  guint with_result = 0, offloaded = 0;

  for (guint i = 0; i < scenarios; i++)
    {
      gboolean offloads;
      SwProblem problem;

      next_problem (rand, i, &problem);
      if (i % 4 >= 2)
        vary_states (states, &problem.training);
      with_result += check_scenario (&problem, seed, i, &offloads);
      offloaded += offloads;
    }
  g_test_message ("%u of %u scenarios have an answer, %u with offload", with_result, scenarios,
                  offloaded);
  g_assert_cmpuint (with_result, >, scenarios / 4);
  g_assert_cmpuint (with_result, <, scenarios);
  g_assert_cmpuint (offloaded, >, 0);
}

/* Problems with which the search once found something else than brute force, or crashed. */
static void
test_once_wrong (void)
{
  static const struct {
    guint32 seed;
    guint scenario;
  } once[] = {
    { 1459462972, 223 },   /* offloaded activations fit kept, and not where all is recomputed */
    { 3391041387, 2247 },  /* two offloads fit before the fastest generation is known: a crash */
    { 2872347190, 497 },   /* the memory of two differs by a millionth: the test took it for none */
    { 244667634, 410 },    /* fewer replicas than fill a node fit on its host, though more do not */
    { 1681326029, 24527 }, /* as many replicas as a pinned shard group need no groups of groups */
    { 1671551483, 2 },     /* an offload that wants a ZeRO stage, on one GPU */
    { 1255218361, 7 },  /* the same with an offload that the user did not ask for and that fits, on
                           several stages */
    { 4272725379, 20 }, /* offloaded activations come back later than layers are recomputed */
    { 2064679349, 18 }, /* the same, and more layers than the fewest are best */
    { 1865924674, 1569 }, /* a pinned shard group that is none of the stage that fits best */
  };

  for (guint i = 0; i < G_N_ELEMENTS (once); i++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (once[i].seed);
      gboolean offloads;
      SwProblem problem;

      for (guint j = 0; j <= once[i].scenario; j++)
        next_problem (rand, j, &problem);
      problem.training.left_out = 0;
      problem.training.offloads_to_nvme = FALSE;
      /* As when they were found: with fp32 adapters less fits. */
      problem.training.no_master = sw_training_is_adapter (&problem.training);
      /* And with 4 bits FSDP split no layers. */
      if (problem.training.type == SW_TRAINING_QLORA)
        problem.training.base = SW_BASE_FP8;
      g_assert_true (check_scenario (&problem, once[i].seed, once[i].scenario, &offloads));
    }
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
          gpus = gpus < problem.cluster.gpus_per_node ? gpus + 1
                                                      : gpus + problem.cluster.gpus_per_node;
        }
      if (gpus <= 64)
        g_assert_cmpuint (least, ==, gpus);
      else
        g_assert_true (least == 0 || least > 64);
    }
}

/* The longest that a step takes at least with TP @tp, asked after TP @before. */
static double
weight_after (const SwProblem *problem, guint before, guint tp)
{
  SwSpaces *spaces = sw_spaces_new (problem);
  const SwUses *uses;
  SwStrategy strategy;
  double weight;

  sw_strategy_init_default (&strategy);
  strategy.tp = before;
  sw_spaces_uses (spaces, &strategy);
  strategy.tp = tp;
  uses = sw_spaces_uses (spaces, &strategy);
  g_assert_cmpuint (uses->ranks, ==, problem->cluster.gpus / tp);
  weight = g_array_index (uses->uses, SwUse, uses->uses->len - 1).weight;
  sw_spaces_free (spaces);
  return weight;
}

/* TP 40 and TP 48 leave two ranks each of 100 GPUs, but are not as many for stragglers. */
static void
test_uses (void)
{
  SwProblem problem;
  SwModelSpec model;

  sw_fixture_llama3_70b (&model);
  sw_fixture_problem (&problem, &model, 100);
  g_assert_cmpfloat (weight_after (&problem, 48, 40), ==, weight_after (&problem, 40, 40));
  g_assert_cmpfloat (weight_after (&problem, 40, 48), ==, weight_after (&problem, 48, 48));
  g_assert_cmpfloat (weight_after (&problem, 48, 48), >, weight_after (&problem, 40, 40));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/search-optimum/brute-force", test_brute_force);
  g_test_add_func ("/search-optimum/once-wrong", test_once_wrong);
  g_test_add_func ("/search-optimum/least-gpus", test_least_gpus);
  g_test_add_func ("/search-optimum/uses", test_uses);
  return g_test_run ();
}
