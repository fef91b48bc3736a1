/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-fixture.h"

#include "sw-pipeline.h"
#include "sw-schedule-time.h"

#include <math.h>

#define MOST_STAGES 16

static void
problem_with (SwProblem *problem, guint layers, double end_layers)
{
  sw_fixture_problem_70b (problem);
  problem->model.layers = layers;
  problem->end_layers = end_layers;
}

static void
assert_split (const SwProblem *problem, SwFramework framework, guint pp, const guint *expected)
{
  SwStrategy strategy;

  sw_strategy_init_default (&strategy);
  strategy.framework = (guint8) framework;
  strategy.pp = pp;
  for (guint stage = 0; stage < pp; stage++)
    g_assert_cmpuint (sw_stage_layers (problem, &strategy, stage), ==, expected[stage]);
}

/* DeepSeek-V3, with multi-token prediction, and Kimi K2, without, as Megatron-Bridge's recipes
 * split them (deepseek_v3.py and kimi_k2.py, map_pp_vp_to_layout). */
static void
test_recipes (void)
{
  static const guint four[] = { 16, 16, 16, 13 }, eight[] = { 8, 8, 8, 8, 8, 8, 8, 5 },
                     sixteen[] = { 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 1 };
  SwModelSpec model;
  SwProblem problem;

  sw_fixture_deepseek_v3 (&model);
  for (guint kimi = 0; kimi < 2; kimi++)
    {
      if (kimi)
        {
          model.mtp_layers = 0;
          model.vocab_size = 163840;
          model.attention_heads = model.kv_heads = 64;
          model.moe.experts = 384;
        }
      sw_fixture_problem (&problem, &model, 64);
      assert_split (&problem, SW_FRAMEWORK_MEGATRON_CORE, 4, four);
      assert_split (&problem, SW_FRAMEWORK_MEGATRON_CORE, 8, eight);
      assert_split (&problem, SW_FRAMEWORK_MEGATRON_CORE, 16, sixteen);
    }
}

/* What frameworks do of themselves: DeepSpeed's partition_balanced() over the layers' type,
 * TorchTitan's default, Nanotron's build_model() with the costs of Llama 3 8B and 70B. */
static void
test_frameworks (void)
{
  static const struct {
    SwFramework framework;
    guint layers, pp, expected[MOST_STAGES];
  } splits[] = {
    { SW_FRAMEWORK_DEEPSPEED, 61, 8, { 8, 8, 8, 8, 8, 7, 7, 7 } },
    { SW_FRAMEWORK_DEEPSPEED, 61, 16, { 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3 } },
    { SW_FRAMEWORK_DEEPSPEED, 32, 5, { 7, 7, 6, 6, 6 } },
    { SW_FRAMEWORK_DEEPSPEED, 80, 4, { 20, 20, 20, 20 } },
    { SW_FRAMEWORK_FSDP2, 61, 8, { 7, 8, 8, 8, 8, 8, 8, 6 } },
    { SW_FRAMEWORK_FSDP2, 80, 4, { 20, 20, 20, 20 } },
    { SW_FRAMEWORK_FSDP2, 82, 4, { 20, 21, 21, 20 } },
    { SW_FRAMEWORK_MEGATRON_CORE, 61, 8, { 7, 7, 8, 8, 8, 8, 8, 7 } },
    { SW_FRAMEWORK_NANOTRON, 80, 4, { 21, 20, 20, 19 } },
  };
  static const guint eight_b[] = { 9, 9, 8, 6 };
  SwModelSpec model;
  SwProblem problem;

  for (guint i = 0; i < G_N_ELEMENTS (splits); i++)
    {
      problem_with (&problem, splits[i].layers, 0.9);
      assert_split (&problem, splits[i].framework, splits[i].pp, splits[i].expected);
    }
  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 8);
  assert_split (&problem, SW_FRAMEWORK_NANOTRON, 4, eight_b);
}

/* The slowest stage in layers, the end being worth @end of them. */
static double
slowest (const SwProblem *problem, const SwStrategy *strategy, double end)
{
  double most = 0;
  guint sum = 0;

  for (guint stage = 0; stage < strategy->pp; stage++)
    {
      guint held = sw_stage_layers (problem, strategy, stage);

      g_assert_cmpuint (held, >=, 1);
      sum += held;
      most = MAX (most, held + (stage + 1 == strategy->pp ? end : 0));
    }
  g_assert_cmpuint (sum, ==, problem->model.layers);
  return most;
}

/* The same of the best split there is, by trying every last stage. */
static double
fastest (guint layers, guint pp, double end)
{
  double best = INFINITY;

  for (guint last = 1; last <= layers - (pp - 1); last++)
    best = MIN (best, MAX (ceil ((layers - last) / (pp - 1.0)), last + end));
  return best;
}

/* Where the framework is told each stage's layers no other split has a faster slowest stage. */
static void
test_no_split_is_faster (void)
{
  static const double ends[] = { 0, 0.7, 1.2, 2, 2.2, 3.9, 7.5, 20 };
  static const SwFramework told[] = { SW_FRAMEWORK_MEGATRON_CORE, SW_FRAMEWORK_FSDP2 };
  SwProblem problem;
  SwStrategy strategy;

  sw_strategy_init_default (&strategy);
  for (guint layers = 3; layers <= 130; layers++)
    for (strategy.pp = 2; strategy.pp < MIN (layers, 40); strategy.pp++)
      for (guint i = 0; i < G_N_ELEMENTS (ends) * G_N_ELEMENTS (told); i++)
        {
          double end = ends[i / G_N_ELEMENTS (told)], held;

          problem_with (&problem, layers, end);
          strategy.framework = (guint8) told[i % G_N_ELEMENTS (told)];
          held = slowest (&problem, &strategy, end);
          /* Even stages and ends of one layer each are what is said without a layout. */
          if (layers % strategy.pp != 0 && (strategy.pp == 2 || (layers + 2) % strategy.pp != 0))
            g_assert_cmpfloat_with_epsilon (held, fastest (layers, strategy.pp, end), 1e-9);
        }
}

/* Wherever virtual stages are allowed they hold what their stage holds, and all but the ends' are
 * of one length. */
static void
test_chunks (void)
{
  SwProblem problem;
  SwStrategy strategy;
  guint uneven = 0;

  sw_strategy_init_default (&strategy);
  for (guint layers = 4; layers <= 128; layers++)
    for (strategy.pp = 2; strategy.pp <= layers / 2; strategy.pp++)
      for (guint vpp = 2; vpp <= layers / strategy.pp; vpp++)
        {
          SwSplit split;
          guint whole;

          problem_with (&problem, layers, 3.2);
          sw_split (&problem, &strategy, &split);
          if (!sw_split_has_chunks (&split, vpp))
            continue;
          uneven += layers % strategy.pp != 0 && (layers + 2) % strategy.pp != 0 ? 1 : 0;
          whole = sw_split_chunk_layers (&split, vpp, 0, 1);
          for (guint stage = 0; stage < strategy.pp; stage++)
            {
              guint held = 0;

              for (guint chunk = 0; chunk < vpp; chunk++)
                {
                  guint here = sw_split_chunk_layers (&split, vpp, stage, chunk);

                  held += here;
                  g_assert_cmpuint (here, >=, 1);
                  if ((stage > 0 || chunk > 0) && (stage + 1 < strategy.pp || chunk + 1 < vpp))
                    g_assert_cmpuint (here, ==, whole);
                }
              g_assert_cmpuint (held, ==, sw_stage_layers (&problem, &strategy, stage));
            }
        }
  g_assert_cmpuint (uneven, >, 10);
}

/* The last stage of DeepSeek-V3, with head and multi-token prediction, takes no more than a tenth
 * longer than another one; with a stage's share of the layers it took a quarter longer. */
static void
test_end_is_balanced (void)
{
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwLayerTime layer;
  SwStageTime middle, last;

  sw_fixture_deepseek_v3 (&model);
  sw_fixture_problem (&problem, &model, 512);
  sw_strategy_init_default (&strategy);
  strategy.pp = 8;
  strategy.ep = 64;
  strategy.dp = 64;
  sw_layer_time (&problem, &strategy, &layer);
  sw_stage_time (&problem, &strategy, &layer, 6, &middle);
  sw_stage_time (&problem, &strategy, &layer, 7, &last);
  g_assert_cmpfloat (last.forward_s + last.backward_s + last.ends_s, <,
                     1.1 * (middle.forward_s + middle.backward_s));
  g_assert_cmpfloat (last.forward_s + last.backward_s + 3 * last.ends_s, >,
                     middle.forward_s + middle.backward_s);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/split/recipes", test_recipes);
  g_test_add_func ("/split/frameworks", test_frameworks);
  g_test_add_func ("/split/no-split-is-faster", test_no_split_is_faster);
  g_test_add_func ("/split/chunks", test_chunks);
  g_test_add_func ("/split/end-is-balanced", test_end_is_balanced);
  return g_test_run ();
}
