/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compute of a step by kind: it adds up to the step's, and each kind is what it is called. */
#include "sw-fixture.h"
#include "sw-kernels.h"
#include "sw-estimate.h"

enum { SEED = 20261122, CASES = 5000 };

static void
kernels_of (const SwProblem *problem, const SwStrategy *strategy, SwTime *time,
            double kernels[SW_N_KERNELS])
{
  SwLayerMemory memory;
  SwScheduleTime schedule;
  SwLayerTime layer;

  sw_layer_memory (problem, strategy, &memory);
  sw_layer_time (problem, strategy, &layer);
  sw_schedule_time (problem, strategy, &layer, &schedule);
  sw_estimate_time (problem, strategy, &memory, &schedule, time);
  sw_kernels (problem, strategy, time, kernels);
}

/* Returns: whether the kinds add up to the compute without recomputation */
static gboolean
adds_up (const SwTime *time, const double kernels[SW_N_KERNELS])
{
  const double compute_s = time->compute_s - time->recompute_s;
  double sum = 0;

  for (guint kind = 0; kind < SW_N_KERNELS; kind++)
    {
      g_assert_cmpfloat (kernels[kind], >=, 0);
      sum += kernels[kind];
    }
  return ABS (sum - compute_s) <= 1e-9 * compute_s;
}

/* Of random strategies that the rules allow, in 16 and in 8 bits. */
static void
test_add_up (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED);
  guint done = 0, seen[SW_N_KERNELS] = { 0 };

  while (done < CASES)
    {
      SwProblem problem;

      sw_fixture_random_problem (rand, &problem);
      problem.training.precision = g_rand_boolean (rand) ? SW_PRECISION_BF16 : SW_PRECISION_FP8;
      sw_problem_prepare (&problem);
      for (guint i = 0; i < 20; i++)
        {
          double kernels[SW_N_KERNELS];
          SwStrategy strategy;
          SwTime time;

          if (!sw_fixture_random_strategy (rand, &problem, &strategy))
            continue;
          kernels_of (&problem, &strategy, &time, kernels);
          g_assert_true (adds_up (&time, kernels));
          for (guint kind = 0; kind < SW_N_KERNELS; kind++)
            seen[kind] += kernels[kind] > 0;
          done++;
        }
    }
  for (guint kind = 0; kind < SW_KERNEL_OTHER; kind++)
    g_assert_cmpuint (seen[kind], >, CASES / 100);
  g_assert_cmpuint (seen[SW_KERNEL_OTHER], ==, 0);
}

/* Where a sequence doubles and a batch of as many tokens halves, the core of causal attention
 * doubles and the linear layers stay as they are. */
static void
test_attention_core (void)
{
  double short_s[SW_N_KERNELS], long_s[SW_N_KERNELS];
  SwStrategy strategy;
  SwProblem problem;
  SwTime time;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  strategy.micro_batch = 2;
  kernels_of (&problem, &strategy, &time, short_s);
  problem.training.sequence_length *= 2;
  problem.training.global_batch /= 2;
  strategy.micro_batch = 1;
  sw_problem_prepare (&problem);
  kernels_of (&problem, &strategy, &time, long_s);
  g_assert_cmpfloat_with_epsilon (long_s[SW_KERNEL_PROJECTION] / short_s[SW_KERNEL_PROJECTION], 1,
                                  1e-9);
  g_assert_cmpfloat_with_epsilon (long_s[SW_KERNEL_MLP] / short_s[SW_KERNEL_MLP], 1, 1e-9);
  g_assert_cmpfloat (long_s[SW_KERNEL_ATTENTION], >, 1.7 * short_s[SW_KERNEL_ATTENTION]);
  g_assert_cmpfloat (short_s[SW_KERNEL_EXPERTS], ==, 0);
}

/* Llama 3 70B by its shapes: an MLP has 3 x 8192 x 28672 weights, the projections of attention
 * 2 x 8192 x (8192 + 1024). At the same rate their times are as 14 to 3. */
static void
test_linear_layers (void)
{
  const double expected = 3.0 * 28672 / (2 * (8192 + 1024));
  double kernels[SW_N_KERNELS];
  SwStrategy strategy;
  SwProblem problem;
  SwTime time;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  kernels_of (&problem, &strategy, &time, kernels);
  g_assert_cmpfloat_with_epsilon (kernels[SW_KERNEL_MLP] / kernels[SW_KERNEL_PROJECTION], expected,
                                  0.15 * expected);
}

/* A pipeline's slowest stage is not its first or its last where those have fewer layers; it has no
 * head then, and a pipeline of one stage has. */
static void
test_vocabulary (void)
{
  double kernels[SW_N_KERNELS];
  SwStrategy strategy;
  SwProblem problem;
  SwTime time;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  strategy.pp = 1;
  kernels_of (&problem, &strategy, &time, kernels);
  g_assert_cmpfloat (kernels[SW_KERNEL_VOCABULARY], >, 0);
  g_assert_cmpfloat (kernels[SW_KERNEL_VOCABULARY], <, kernels[SW_KERNEL_MLP]);
  problem.model.layers = 82;
  strategy.pp = 4;
  sw_problem_prepare (&problem);
  kernels_of (&problem, &strategy, &time, kernels);
  g_assert_cmpfloat (kernels[SW_KERNEL_VOCABULARY], ==, 0);
}

/* 4-bit weights are expanded before each pass: memory-bound work that LoRA has not. */
static void
test_dequantisation (void)
{
  double lora[SW_N_KERNELS], qlora[SW_N_KERNELS];
  SwStrategy strategy;
  SwProblem problem;
  SwTime time;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  problem.training.type = SW_TRAINING_LORA;
  sw_problem_prepare (&problem);
  kernels_of (&problem, &strategy, &time, lora);
  problem.training.type = SW_TRAINING_QLORA;
  sw_problem_prepare (&problem);
  kernels_of (&problem, &strategy, &time, qlora);
  g_assert_cmpfloat (qlora[SW_KERNEL_MEMORY], >, lora[SW_KERNEL_MEMORY]);
  g_assert_cmpfloat_with_epsilon (qlora[SW_KERNEL_MLP] / lora[SW_KERNEL_MLP], 1, 1e-9);
}

/* Reinforcement learning generates and scores beside the update. */
static void
test_other_phases (void)
{
  double kernels[SW_N_KERNELS];
  SwStrategy strategy;
  SwProblem problem;
  SwTime time;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  problem.training.type = SW_TRAINING_RLHF;
  sw_problem_prepare (&problem);
  kernels_of (&problem, &strategy, &time, kernels);
  g_assert_true (adds_up (&time, kernels));
  g_assert_cmpfloat (kernels[SW_KERNEL_OTHER], >, 0);
  g_assert_cmpfloat (kernels[SW_KERNEL_MLP], >, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/add-up", test_add_up);
  g_test_add_func ("/kernels/attention-core", test_attention_core);
  g_test_add_func ("/kernels/linear-layers", test_linear_layers);
  g_test_add_func ("/kernels/vocabulary", test_vocabulary);
  g_test_add_func ("/kernels/dequantisation", test_dequantisation);
  g_test_add_func ("/kernels/other-phases", test_other_phases);
  return g_test_run ();
}
