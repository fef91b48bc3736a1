/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reinforcement learning: four phases, each timed, the memory of the fullest. */
#include "sw-estimate.h"
#include "sw-fixture.h"
#include "sw-generation.h"
#include "sw-search.h"
#include "sw-search-state.h"

#include <math.h>

/* Llama 3 8B over 64 GPUs by fours, 256 sequences of 3072 + 1024 tokens. */
static void
rlhf_problem (SwProblem *problem, SwStrategy *strategy)
{
  SwModelSpec model;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (problem, &model, 64);
  problem->training.type = SW_TRAINING_RLHF;
  problem->training.sequence_length = 4096;
  problem->training.global_batch = 256;
  sw_problem_prepare (problem);
  sw_strategy_init_default (strategy);
  strategy->tp = strategy->etp = 4;
  strategy->sequence_parallel = TRUE;
  strategy->dp = strategy->shard_group = 16;
  strategy->zero_stage = 1;
  strategy->recompute = SW_RECOMPUTE_SELECTIVE;
}

static const SwPhase *
phase_of (const SwEstimate *e, SwPhaseKind kind)
{
  for (guint i = 0; i < e->phases.n; i++)
    if (e->phases.phase[i].kind == kind)
      return &e->phases.phase[i];
  return NULL;
}

static double
total_of (const SwEstimate *e, double (*part) (const SwTime *))
{
  double sum = 0;

  for (guint i = 0; i < e->phases.n; i++)
    sum += part (&e->phases.phase[i].time);
  return sum;
}

static double
step_of (const SwTime *t)
{
  return t->step_s;
}

static double
compute_of (const SwTime *t)
{
  return t->compute_s;
}

static double
tensor_of (const SwTime *t)
{
  return t->tp_exposed_s;
}

/* The step is the sum of its phases, part by part; its memory that of the fullest. */
static void
test_sum (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwEstimate e;
  double most = 0;

  rlhf_problem (&problem, &strategy);
  sw_estimate (&problem, &strategy, &e);
  g_assert_cmpint (e.rule, ==, SW_RULE_OK);
  g_assert_cmpuint (e.phases.n, ==, 4);
  for (guint i = 0; i < 4; i++)
    {
      g_assert_cmpint (e.phases.phase[i].kind, ==, i);
      g_assert_cmpfloat (e.phases.phase[i].time.step_s, >, 0);
      most = MAX (most, e.phases.phase[i].memory.total);
    }
  g_assert_cmpfloat_with_epsilon (total_of (&e, step_of), e.time.step_s, 1e-9 * e.time.step_s);
  g_assert_cmpfloat_with_epsilon (total_of (&e, compute_of), e.time.compute_s,
                                  1e-9 * e.time.step_s);
  g_assert_cmpfloat_with_epsilon (total_of (&e, tensor_of), e.time.tp_exposed_s,
                                  1e-9 * e.time.step_s);
  g_assert_cmpfloat_with_epsilon (most, e.memory.peak.total, 1);
}

/* The policy's phase is the training of the policy by itself. */
static void
test_policy_alone (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwEstimate rlhf, alone;

  rlhf_problem (&problem, &strategy);
  sw_estimate (&problem, &strategy, &rlhf);
  problem.training.type = SW_TRAINING_FINETUNE;
  sw_estimate (&problem, &strategy, &alone);
  g_assert_cmpuint (alone.phases.n, ==, 0);
  g_assert_cmpfloat_with_epsilon (phase_of (&rlhf, SW_PHASE_POLICY)->time.step_s, alone.time.step_s,
                                  1e-9);
  /* A forward pass takes about a third of it. */
  problem.training.rlhf_ppo = FALSE;
  problem.training.type = SW_TRAINING_RLHF;
  sw_estimate (&problem, &strategy, &rlhf);
  g_assert_cmpuint (rlhf.phases.n, ==, 3);
  g_assert_null (phase_of (&rlhf, SW_PHASE_CRITIC));
  g_assert_cmpfloat (phase_of (&rlhf, SW_PHASE_SCORING)->time.compute_s, >,
                     0.28 * alone.time.compute_s);
  g_assert_cmpfloat (phase_of (&rlhf, SW_PHASE_SCORING)->time.compute_s, <,
                     0.4 * alone.time.compute_s);
}

/* Adapters of the policy: no gradients and optimizer of the base, which is the reference too, and half
 * of the backward pass. */
static void
test_adapters (void)
{
  SwProblem problem, adapted;
  SwStrategy strategy;
  SwEstimate full, lora, qlora;

  rlhf_problem (&problem, &strategy);
  problem.training.rlhf_ppo = FALSE;
  strategy.tp = strategy.etp = 1;
  strategy.sequence_parallel = FALSE;
  strategy.dp = strategy.shard_group = 64;
  sw_estimate (&problem, &strategy, &full);
  adapted = problem;
  adapted.training.policy = SW_TRAINING_LORA;
  adapted.training.lora_rank = 16;
  sw_problem_prepare (&adapted);
  sw_estimate (&adapted, &strategy, &lora);
  g_assert_cmpfloat (lora.memory.peak.gradients, <, 0.05 * full.memory.peak.gradients);
  g_assert_cmpfloat (lora.memory.peak.optimizer, <, 0.05 * full.memory.peak.optimizer);
  /* One copy in 16 bits instead of the trained one and the reference. */
  g_assert_cmpfloat (lora.memory.peak.parameters, <, 0.6 * full.memory.peak.parameters);
  g_assert_cmpfloat (phase_of (&lora, SW_PHASE_POLICY)->time.compute_s, <,
                     0.9 * phase_of (&full, SW_PHASE_POLICY)->time.compute_s);
  g_assert_cmpfloat (phase_of (&lora, SW_PHASE_SCORING)->time.compute_s, >,
                     0.9 * phase_of (&full, SW_PHASE_SCORING)->time.compute_s);
  adapted.training.policy = SW_TRAINING_QLORA;
  sw_problem_prepare (&adapted);
  sw_estimate (&adapted, &strategy, &qlora);
  g_assert_cmpfloat (qlora.memory.peak.parameters, <, 0.45 * lora.memory.peak.parameters);
}

/* Pope et al. 2022: a token of a small batch takes the bytes of the weights and of the cache over
 * the memory's rate. 8.03 G parameters without the 0.525 G of the embedding, 16 bits, at 2.68 TB/s:
 * 5.60 ms; the cache of 4 sequences of 3584 tokens on average, 131,072 bytes each: 0.70 ms. */
static void
test_decode_by_hand (void)
{
  const double rate = 0.8 * 3.35e12;
  const double weights_s = 2 * (8030261248.0 - 128256.0 * 4096) / rate;
  const double cache_s = 4 * 3584.0 * 131072 / rate;
  SwProblem problem;
  SwStrategy strategy;
  SwGenerationPlan plan = { .gpus = 1, .tp = 1, .replicas = 1, .sequences = 4, .concurrent = 4 };
  SwTime time;

  rlhf_problem (&problem, &strategy);
  sw_generation_time (&problem, &strategy, &plan, &time);
  g_assert_cmpfloat_with_epsilon (weights_s, 5.60e-3, 0.01e-3);
  g_assert_cmpfloat_with_epsilon (cache_s, 0.701e-3, 0.001e-3);
  g_assert_cmpfloat (plan.decode_s / 1024, >=, weights_s + cache_s);
  g_assert_cmpfloat (plan.decode_s / 1024, <=, 1.1 * (weights_s + cache_s));
  g_assert_cmpfloat (time.tp_exposed_s, ==, 0);
  /* 16 times as many sequences read the weights as often. */
  plan.sequences = plan.concurrent = 64;
  sw_generation_time (&problem, &strategy, &plan, &time);
  g_assert_cmpfloat (plan.decode_s / 1024, >=, weights_s + 16 * cache_s);
  g_assert_cmpfloat (plan.decode_s / 1024, <=, 1.25 * (weights_s + 16 * cache_s));
  /* A prompt of 3072 tokens is a forward pass of 15.0 GFLOP a token, at half of the peak or so. */
  g_assert_cmpfloat (plan.prefill_s, >, 64 * 3072 * 15.0e9 / 989e12);
  g_assert_cmpfloat (plan.prefill_s, <, 64 * 3072 * 15.0e9 / 989e12 / 0.4);
}

/* Two GPUs halve the bytes and wait 2 x 32 times a token for each other. */
static void
test_decode_tensor_parallel (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwGenerationPlan one = { .gpus = 1, .tp = 1, .replicas = 1, .sequences = 4, .concurrent = 4 };
  SwGenerationPlan two = { .gpus = 2, .tp = 2, .replicas = 1, .sequences = 4, .concurrent = 4 };
  SwTime alone, shared;

  rlhf_problem (&problem, &strategy);
  sw_generation_time (&problem, &strategy, &one, &alone);
  sw_generation_time (&problem, &strategy, &two, &shared);
  g_assert_cmpfloat (shared.compute_s, <, 0.62 * alone.compute_s);
  g_assert_cmpfloat (shared.tp_exposed_s, >, 1024 * 64 * 3e-6);
  g_assert_cmpfloat (shared.step_s, <, alone.step_s);
}

/* The cache of as many sequences as fit: each of 4096 tokens takes 0.5 GiB. */
static void
test_concurrency (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwGenerationPlan plan;
  double free_bytes, limit;

  rlhf_problem (&problem, &strategy);
  problem.cluster.gpus = 1;
  strategy.tp = strategy.etp = strategy.dp = strategy.shard_group = 1;
  strategy.sequence_parallel = FALSE;
  limit = problem.cluster.usable_bytes * 0.9;
  free_bytes = 20.2 * (4096 * 131072.0 + 4 * 128256);
  sw_generation_plan (NULL, &problem, &strategy, limit - free_bytes, &plan);
  g_assert_false (plan.moved);
  g_assert_cmpuint (plan.sequences, ==, 256);
  g_assert_cmpuint (plan.concurrent, ==, 20);
  g_assert_cmpuint (plan.rounds, ==, 13);
  /* Twice the length, half of them. */
  problem.training.sequence_length = 8192;
  sw_generation_plan (NULL, &problem, &strategy, limit - free_bytes, &plan);
  g_assert_cmpuint (plan.concurrent, ==, 10);
  /* A copy of the weights takes room too. */
  problem.training.sequence_length = 4096;
  strategy.zero_stage = 3;
  sw_generation_plan (NULL, &problem, &strategy, limit - free_bytes - 2 * problem.count.total,
                      &plan);
  g_assert_true (plan.moved);
  g_assert_cmpuint (plan.concurrent, ==, 20);
}

/* A round of more sequences takes no less time, on which the floor of all generation rests; and no
 * plan, however its memory parts the sequences into rounds, is below that floor. */
static void
test_floor (void)
{
  static void (*const models[]) (SwModelSpec *) = { sw_fixture_llama3_8b, sw_fixture_llama3_70b,
                                                    sw_fixture_mixtral_8x7b };

  for (guint i = 0; i < G_N_ELEMENTS (models) * 4; i++)
    {
      const guint tp = 1u << i % 4;
      SwGenerationFloor *floor;
      double previous = 0;
      SwModelSpec model;
      SwProblem problem;
      SwStrategy strategy;

      rlhf_problem (&problem, &strategy);
      models[i / 4](&model);
      problem.model = model;
      problem.training.global_batch = 1000;
      sw_problem_prepare (&problem);
      floor = sw_generation_floor_new (&problem);
      for (guint n = 1; n <= 1000; n++)
        {
          const guint gpus = problem.cluster.gpus, replicas = MAX (gpus / tp, 1);
          const double round = sw_generation_round_s (&problem, tp, n);
          SwGenerationPlan plan = { .gpus = gpus,
                                    .tp = tp,
                                    .replicas = replicas,
                                    .sequences = (1000 + replicas - 1) / replicas,
                                    .concurrent = n };
          SwTime time;

          g_assert_cmpfloat (round, >=, previous);
          previous = round;
          if (n > MIN (plan.sequences, sw_generation_most_at_once (&problem, tp)))
            continue;
          sw_generation_time (&problem, &strategy, &plan, &time);
          g_assert_cmpfloat (time.step_s, >=, sw_generation_floor_s (floor, gpus) * (1 - 1e-9));
        }
      sw_generation_floor_free (floor);
    }
}

/* Where others generate than train, the floor is what they take, and the split no more than any. */
static void
test_split (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (11);

  for (guint i = 0; i < 24; i++)
    {
      const guint gpus = (guint) g_rand_int_range (random, 2, i < 16 ? 300 : 3000);
      const double work = pow (10, g_rand_double_range (random, 0, 7));
      SwGenerationFloor *floor;
      SwStrategy strategy;
      SwProblem problem;
      double least = INFINITY, split;

      rlhf_problem (&problem, &strategy);
      problem.training.rlhf_colocated = FALSE;
      problem.training.global_batch = (guint) g_rand_int_range (random, 1, i % 2 ? 600 : 40000);
      problem.cluster.gpus = gpus;
      sw_problem_prepare (&problem);
      floor = sw_generation_floor_new (&problem);
      split = sw_generation_split_s (floor, work);
      sw_strategy_init_default (&strategy);
      for (guint training = 1; training < gpus; training++)
        {
          SwGenerationPlan plan;
          double floor_s;
          SwTime time;

          strategy.dp = training;
          sw_generation_plan (NULL, &problem, &strategy, problem.calibration->context_bytes, &plan);
          sw_generation_time (&problem, &strategy, &plan, &time);
          floor_s = sw_generation_floor_s (floor, gpus - training);
          g_assert_cmpfloat (floor_s, <=, time.step_s * (1 + 1e-9));
          g_assert_cmpfloat (split, <=, (work / training + floor_s) * (1 + 1e-9));
          least = MIN (least, work / training + time.step_s);
        }
      g_assert_cmpfloat (split, >=, least * 0.5);
      sw_generation_floor_free (floor);
    }
}

static void
random_problem (GRand *random, SwProblem *out)
{
  static void (*const models[]) (SwModelSpec *) = { sw_fixture_llama3_8b, sw_fixture_llama3_70b,
                                                    sw_fixture_mixtral_8x7b,
                                                    sw_fixture_deepseek_v3 };
  SwModelSpec model;

  models[g_rand_int_range (random, 0, G_N_ELEMENTS (models))](&model);
  sw_fixture_problem (out, &model, 8u << g_rand_int_range (random, 0, 5));
  out->training.type = SW_TRAINING_RLHF;
  out->training.sequence_length = 1024u << g_rand_int_range (random, 0, 5);
  out->training.rlhf_response_length = 128u << g_rand_int_range (random, 0, 6);
  out->training.global_batch = 16u << g_rand_int_range (random, 0, 7);
  out->training.rlhf_ppo = g_rand_boolean (random);
  out->training.policy = (SwTrainingType) g_rand_int_range (random, SW_TRAINING_FINETUNE,
                                                            SW_TRAINING_RLHF);
  out->training.lora_rank = 16;
  out->training.rlhf_colocated = g_rand_boolean (random);
  out->cluster.usable_bytes *= exp (g_rand_double_range (random, -0.5, 1.5));
  sw_problem_prepare (out);
}

/* More memory has room for more sequences at once, on replicas as large or as small as is best. */
static void
test_more_memory (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (20261122);
  guint seen = 0, faster = 0;

  while (seen < 10000)
    {
      SwEstimate before, after;
      SwStrategy strategy;
      SwProblem problem;

      random_problem (random, &problem);
      for (guint i = 0; i < 10; i++)
        {
          SwProblem training = problem, more = problem;

          if (!problem.training.rlhf_colocated)
            training.cluster.gpus /= 2;
          more.cluster.usable_bytes *= g_rand_double_range (random, 1, 2);
          if (!sw_fixture_random_strategy (random, &training, &strategy))
            continue;
          sw_estimate (&problem, &strategy, &before);
          sw_estimate (&more, &strategy, &after);
          if (!before.fits)
            continue;
          seen++;
          faster += after.time.step_s < before.time.step_s ? 1 : 0;
          if (after.time.step_s > before.time.step_s * (1 + 1e-9))
            g_error ("%s on %u GPUs, batch %u: %.9g s, with more memory %.9g", problem.model.id,
                     problem.cluster.gpus, problem.training.global_batch, before.time.step_s,
                     after.time.step_s);
        }
    }
  g_assert_cmpuint (faster, >, 100);
}

/* What has room beside the states of training, where the weights perhaps lie already, is generated
 * no sooner than the floor of all strategies, which only knows of the weights. */
static void
test_floor_of_fitting (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (20261129);
  guint in_place = 0, elsewhere = 0;

  while (in_place < 30 || elsewhere < 300)
    {
      SwGenerationFloor *floor;
      SwStrategy strategy;
      SwEstimate estimate;
      SwProblem problem;

      random_problem (random, &problem);
      problem.training.rlhf_colocated = TRUE;
      floor = sw_generation_floor_new (&problem);
      for (guint i = 0; i < 20; i++)
        {
          if (!sw_fixture_random_strategy (random, &problem, &strategy))
            continue;
          sw_estimate (&problem, &strategy, &estimate);
          if (!estimate.fits)
            continue;
          *(estimate.phases.generation.moved ? &elsewhere : &in_place) += 1;
          g_assert_cmpfloat (estimate.phases.phase[0].time.step_s, >=,
                             sw_generation_floor_s (floor, estimate.phases.generation.gpus)
                                 * (1 - 1e-9));
        }
      sw_generation_floor_free (floor);
    }
}

/* What each stage holds is at most what the fullest does, and that is one of them. */
static void
test_stages (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (20261123);

  for (guint seen = 0; seen < 300;)
    {
      SwEstimate estimate;
      SwStrategy strategy;
      SwProblem problem;
      double most = 0;

      random_problem (random, &problem);
      problem.training.rlhf_colocated = TRUE;
      if (!sw_fixture_random_strategy (random, &problem, &strategy))
        continue;
      seen++;
      sw_estimate (&problem, &strategy, &estimate);
      for (guint stage = 0; stage < strategy.pp; stage++)
        {
          SwMemoryParts parts;

          sw_estimate_stage (&problem, &strategy, stage, &parts);
          most = MAX (most, parts.total);
        }
      g_assert_cmpfloat_with_epsilon (most / estimate.memory.peak.total, 1, 1e-9);
    }
}

static double
step_with (guint response, double critic, gboolean ppo)
{
  SwProblem problem;
  SwStrategy strategy;
  SwEstimate e;

  rlhf_problem (&problem, &strategy);
  problem.training.rlhf_response_length = response;
  problem.training.rlhf_critic_parameters = critic;
  problem.training.rlhf_ppo = ppo;
  sw_problem_prepare (&problem);
  sw_estimate (&problem, &strategy, &e);
  return e.time.step_s;
}

static void
test_order (void)
{
  g_assert_cmpfloat (step_with (2048, 0, TRUE), >, step_with (1024, 0, TRUE));
  g_assert_cmpfloat (step_with (1024, 0, TRUE), >, step_with (1024, 1e9, TRUE));
  g_assert_cmpfloat (step_with (1024, 1e9, TRUE), >, step_with (1024, 0, FALSE));
}

/* Where others generate, they are those that training leaves over, and they get the weights. */
static void
test_apart (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwEstimate together, apart;

  rlhf_problem (&problem, &strategy);
  sw_estimate (&problem, &strategy, &together);
  problem.training.rlhf_colocated = FALSE;
  g_assert_cmpint (sw_rules_check (&problem, &strategy), ==, SW_RULE_WORLD_SIZE);
  strategy.dp = strategy.shard_group = 8;
  sw_estimate (&problem, &strategy, &apart);
  g_assert_cmpint (apart.rule, ==, SW_RULE_OK);
  g_assert_cmpuint (apart.phases.generation.gpus, ==, 32);
  g_assert_cmpuint (apart.gpus_used, ==, 64);
  g_assert_cmpuint (apart.gpus_idle, ==, 0);
  g_assert_cmpfloat_with_epsilon (apart.tokens_per_s_per_gpu * 64, apart.tokens_per_s,
                                  1e-9 * apart.tokens_per_s);
  g_assert_cmpfloat (apart.phases.generation.transfer_s, >, 0);
  g_assert_cmpfloat (phase_of (&apart, SW_PHASE_GENERATION)->memory.optimizer, ==, 0);
  g_assert_cmpfloat (phase_of (&apart, SW_PHASE_POLICY)->time.step_s, >,
                     1.5 * phase_of (&together, SW_PHASE_POLICY)->time.step_s);
}

static float
least_step (const SwProblem *problem, gboolean complete)
{
  const SwSearchOptions options = { .top = 1, .complete = complete };
  SwSearchResult result;
  float least = INFINITY;

  sw_search (problem, &options, &result);
  g_assert_cmpuint (result.n_best, >, 0);
  if (!complete)
    least = result.best[0].step_s;
  for (guint i = 0; i < result.n_all; i++)
    least = MIN (least, result.all[i].step_s);
  sw_search_result_clear (&result);
  return least;
}

/* The search looks for the least of all phases together: with bounds it finds what a complete
 * search finds, up to the band within which the simpler one wins. */
static void
test_search (void)
{
  for (guint colocated = 0; colocated <= 1; colocated++)
    for (guint ppo = 0; ppo <= 1; ppo++)
      {
        SwProblem problem;
        SwStrategy strategy;
        float live, all;

        rlhf_problem (&problem, &strategy);
        problem.cluster.gpus = 24;
        problem.training.global_batch = 96;
        problem.training.rlhf_colocated = colocated;
        problem.training.rlhf_ppo = ppo;
        live = least_step (&problem, FALSE);
        all = least_step (&problem, TRUE);
        g_assert_cmpfloat (live, >=, all);
        g_assert_cmpfloat (live, <=, all * (1 + SW_RANK_BAND + 1e-4));
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rlhf/sum", test_sum);
  g_test_add_func ("/rlhf/policy-alone", test_policy_alone);
  g_test_add_func ("/rlhf/adapters", test_adapters);
  g_test_add_func ("/rlhf/decode-by-hand", test_decode_by_hand);
  g_test_add_func ("/rlhf/decode-tensor-parallel", test_decode_tensor_parallel);
  g_test_add_func ("/rlhf/concurrency", test_concurrency);
  g_test_add_func ("/rlhf/floor", test_floor);
  g_test_add_func ("/rlhf/floor-of-fitting", test_floor_of_fitting);
  g_test_add_func ("/rlhf/split", test_split);
  g_test_add_func ("/rlhf/order", test_order);
  g_test_add_func ("/rlhf/apart", test_apart);
  g_test_add_func ("/rlhf/search", test_search);
  g_test_add_func ("/rlhf/more-memory", test_more_memory);
  g_test_add_func ("/rlhf/stages", test_stages);
  return g_test_run ();
}
