/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-fixture.h"
#include "sw-playbook.h"

/* The golden case: 70 B, H100 80 GB, 8 per node, sequence 8192, micro-batch 4, global batch 128. */
static void
golden (SwProblem *problem, guint gpus)
{
  sw_fixture_problem_70b (problem);
  problem->cluster.gpus = gpus;
  problem->count.total = 70e9;
  problem->training.sequence_length = 8192;
  problem->training.micro_batch = 4;
  problem->training.global_batch = 128;
  problem->training.framework = SW_FRAMEWORK_ANY;
}

static void
test_golden_32 (void)
{
  SwPlaybook playbook;
  SwProblem problem;

  golden (&problem, 32);
  sw_playbook (&problem, &playbook);
  g_assert_true (playbook.fits);
  g_assert_cmpuint (playbook.strategy.tp, ==, 8);
  g_assert_cmpuint (playbook.strategy.pp, ==, 4);
  g_assert_cmpuint (playbook.strategy.dp, ==, 1);
  g_assert_cmpuint (playbook.strategy.cp, ==, 1);
  g_assert_cmpuint (playbook.strategy.zero_stage, ==, 1);
  g_assert_cmpuint (playbook.strategy.sequence_parallel, ==, 1);
  g_assert_cmpuint (playbook.strategy.micro_batch, ==, 4);
  g_assert_cmpuint (playbook.estimate.gradient_accumulation, ==, 32);
  for (guint stage = 0; stage < 4; stage++)
    g_assert_cmpuint (sw_stage_layers (&problem, &playbook.strategy, stage), ==, 20);
  g_assert_cmpfloat_with_epsilon (playbook.weights_bytes, 140e9, 1);
  g_assert_cmpfloat_with_epsilon (playbook.weights_bytes_per_tp_rank, 17.5e9, 1);
  g_assert_cmpfloat_with_epsilon (playbook.limit_bytes, 72e9, 1);
  /* PP 4: 35 GB of states and 2 x 8192 x 4 x 8192 / 8 x 20 x 4 bytes of activations = 40.4 GB. */
  g_assert_cmpfloat_with_epsilon (playbook.state_bytes, 35e9, 1);
  g_assert_cmpfloat_with_epsilon (playbook.state_bytes + playbook.activation_bytes, 40.4e9, 0.05e9);
}

/* The step before: PP 2 would take 75.4 GB, more than 72. */
static void
test_golden_pp_2_does_not_fit (void)
{
  const double activations = 2.0 * 8192 * 4 * 8192 / 8 * 40 * 2;

  g_assert_cmpfloat_with_epsilon (70e9 * 16 / 16 + activations, 75.4e9, 0.05e9);
  g_assert_cmpfloat (70e9 * 16 / 16 + activations, >, 72e9);
}

static void
test_golden_64 (void)
{
  SwPlaybook playbook;
  SwProblem problem;

  golden (&problem, 64);
  sw_playbook (&problem, &playbook);
  g_assert_true (playbook.fits);
  g_assert_cmpuint (playbook.strategy.tp, ==, 8);
  g_assert_cmpuint (playbook.strategy.pp, ==, 4);
  g_assert_cmpuint (playbook.strategy.dp, ==, 2);
  g_assert_cmpuint (playbook.strategy.zero_stage, ==, 1);
  g_assert_cmpuint (playbook.estimate.gradient_accumulation, ==, 16);
}

/* Step 1 takes the smallest TP: 3 B of 48 GB fit one GPU, 8 B of 128 GB want two. */
static void
test_smallest_tp (void)
{
  static const struct {
    double parameters;
    guint tp;
  } rows[] = { { 3e9, 1 }, { 8e9, 2 }, { 17e9, 4 }, { 34e9, 8 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      SwPlaybook playbook;
      SwProblem problem;

      golden (&problem, 8);
      problem.count.total = rows[i].parameters;
      sw_playbook (&problem, &playbook);
      g_assert_cmpuint (playbook.strategy.tp, ==, rows[i].tp);
      g_assert_cmpuint (playbook.strategy.pp, ==, 1);
      g_assert_cmpuint (playbook.strategy.dp, ==, 8 / rows[i].tp);
    }
}

/* One node that cannot fit says so: there is no pipeline inside a node, and no replica to shard
 * over. */
static void
test_one_node_cannot_fit (void)
{
  SwPlaybook playbook;
  SwProblem problem;

  golden (&problem, 8);
  sw_playbook (&problem, &playbook);
  g_assert_false (playbook.fits);
  g_assert_cmpuint (playbook.strategy.tp, ==, 8);
  g_assert_cmpuint (playbook.strategy.pp, ==, 1);
  g_assert_cmpuint (playbook.strategy.zero_stage, ==, 3);
}

/* ZeRO goes up only while memory is short: a node of 16 leaves DP 2 beside TP 8. 40 B: 80 GB of
 * states a GPU; ZeRO 1 leaves 20 + 60 / 2 = 50 GB. */
static void
test_zero_when_short (void)
{
  SwPlaybook playbook;
  SwProblem problem;

  golden (&problem, 16);
  problem.cluster.gpus_per_node = 16;
  problem.count.total = 40e9;
  problem.training.micro_batch = 1;
  sw_playbook (&problem, &playbook);
  g_assert_true (playbook.fits);
  g_assert_cmpuint (playbook.strategy.tp, ==, 8);
  g_assert_cmpuint (playbook.strategy.dp, ==, 2);
  g_assert_cmpuint (playbook.decided.zero_stage, ==, 1);

  /* 60 B: 30 + 90 / 2 = 75 GB, over 72; ZeRO 2: 15 + 105 / 2 = 67.5 and activations. */
  problem.count.total = 60e9;
  problem.training.sequence_length = 2048;
  sw_playbook (&problem, &playbook);
  g_assert_true (playbook.fits);
  g_assert_cmpuint (playbook.decided.zero_stage, ==, 2);

  /* 66 B: ZeRO 2 takes 16.5 + 57.75 = 74.3 GB, ZeRO 3 half of 132. */
  problem.count.total = 66e9;
  sw_playbook (&problem, &playbook);
  g_assert_true (playbook.fits);
  g_assert_cmpuint (playbook.decided.zero_stage, ==, 3);
}

static void
test_long_sequence (void)
{
  static const struct {
    guint sequence, cp;
  } rows[] = { { 32768, 1 }, { 65536, 2 }, { 131072, 4 }, { 131200, 8 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      SwPlaybook playbook;
      SwProblem problem;

      golden (&problem, 64);
      problem.training.sequence_length = rows[i].sequence;
      problem.training.micro_batch = 1;
      sw_playbook (&problem, &playbook);
      g_assert_cmpuint (playbook.strategy.cp, ==, rows[i].cp);
    }
}

/* EP is the greatest common divisor of experts and DP x CP. */
static void
test_experts (void)
{
  SwModelSpec model;
  SwPlaybook playbook;
  SwProblem problem;

  sw_fixture_mixtral_8x7b (&model);
  sw_fixture_problem (&problem, &model, 64);
  sw_playbook (&problem, &playbook);
  g_assert_cmpuint (playbook.strategy.tp, ==, 8);
  g_assert_cmpuint (8 % playbook.strategy.ep, ==, 0);
  g_assert_cmpuint (playbook.strategy.dp * playbook.strategy.cp % playbook.strategy.ep, ==, 0);
  g_assert_cmpuint (playbook.strategy.ep, ==, MIN (8, playbook.strategy.dp * playbook.strategy.cp));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/playbook/golden-32", test_golden_32);
  g_test_add_func ("/playbook/golden-pp-2-does-not-fit", test_golden_pp_2_does_not_fit);
  g_test_add_func ("/playbook/golden-64", test_golden_64);
  g_test_add_func ("/playbook/smallest-tp", test_smallest_tp);
  g_test_add_func ("/playbook/one-node-cannot-fit", test_one_node_cannot_fit);
  g_test_add_func ("/playbook/zero-when-short", test_zero_when_short);
  g_test_add_func ("/playbook/long-sequence", test_long_sequence);
  g_test_add_func ("/playbook/experts", test_experts);
  return g_test_run ();
}
