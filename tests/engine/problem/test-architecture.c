/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is particular to an architecture changes arithmetic, time and memory as it should. */
#include "sw-estimate.h"
#include "sw-fixture.h"

/* 64 GPUs, one sequence of 4096 tokens at a time, causal attention halved. */
static void
estimate_of (const SwModelSpec *model, guint tp, SwEstimate *out)
{
  SwProblem problem;
  SwStrategy strategy;

  sw_fixture_problem (&problem, model, 64);
  problem.training.sequence_length = 4096;
  problem.training.global_batch = 64;
  sw_problem_prepare (&problem);
  sw_strategy_init_default (&strategy);
  strategy.tp = strategy.etp = tp;
  strategy.sequence_parallel = tp > 1;
  strategy.dp = strategy.shard_group = 64 / tp;
  strategy.zero_stage = 1;
  sw_estimate (&problem, &strategy, out);
}

static double
forward (const SwModelSpec *model)
{
  return sw_model_forward_flops_per_token (model, 4096, TRUE);
}

/* DeepSeek-V3, section 2: 61 layers of latent attention, 3 of them with a dense MLP, 58 with 8 of
 * 256 experts and a shared one. */
static void
test_deepseek (void)
{
  const double query = 7168.0 * 1536 + 1536.0 * 128 * (128 + 64);
  const double keys = 7168.0 * (512 + 64) + 512.0 * 128 * (128 + 128);
  const double out = 128.0 * 128 * 7168;
  const double scores = 128.0 * 2048 * (192 + 128);
  const double dense = 3.0 * 7168 * 18432, routed = 3.0 * 7168 * 2048 * (8 + 1) + 256.0 * 7168;
  const double head = 129280.0 * 7168;
  SwModelSpec model;

  sw_fixture_deepseek_v3 (&model);
  g_assert_cmpfloat (query + keys + out, ==, 187105280.0);
  g_assert_cmpfloat_with_epsilon (
      forward (&model), 2 * (61 * (query + keys + out + scores) + 3 * dense + 58 * routed + head),
      1);
}

/* Latent attention against the same heads without it: 128 heads of 128 keys and values need
 * 4 x 7168 x 16384 weights. */
static void
test_latent_attention (void)
{
  SwModelSpec latent, plain;
  SwEstimate with, without;

  sw_fixture_deepseek_v3 (&latent);
  latent.layers = 4;
  latent.moe = (SwMoe){ 0 };
  latent.mtp_layers = 0;
  plain = latent;
  plain.mla = (SwMla){ 0 };
  plain.head_dim = 128;
  g_assert_cmpfloat_with_epsilon (
      forward (&plain) - forward (&latent),
      2 * 4 * (4.0 * 7168 * 16384 - 187105280 + 128.0 * 2048 * (256 - 320)), 1);
  estimate_of (&latent, 8, &with);
  estimate_of (&plain, 8, &without);
  g_assert_cmpfloat (with.time.compute_s, <, without.time.compute_s);
  g_assert_cmpfloat (with.memory.peak.parameters, <, without.memory.peak.parameters);
}

/* A layer that predicts one token further is a layer more, with a projection and a head, on the
 * last stage; by convention the model's FLOPs leave it out. */
static void
test_multi_token_prediction (void)
{
  SwModelSpec with, without;
  SwEstimate more, less;
  SwParameterCount count;
  double layer_s;

  sw_fixture_llama3_8b (&without);
  with = without;
  with.mtp_layers = 1;
  sw_model_count (&with, &count);
  /* One dense layer of 218,112,000 parameters, 2 x 4096 x 4096 and three norms. */
  g_assert_cmpfloat (count.mtp, ==, 218112000.0 + 2 * 4096.0 * 4096 + 3 * 4096);
  g_assert_cmpfloat (forward (&with), ==, forward (&without));
  estimate_of (&with, 8, &more);
  estimate_of (&without, 8, &less);
  layer_s = less.time.compute_s / 32;
  g_assert_cmpfloat (more.time.compute_s - less.time.compute_s, >, layer_s);
  g_assert_cmpfloat (more.time.compute_s - less.time.compute_s, <, 5 * layer_s);
  /* 16-bit weights, cut by 8. */
  g_assert_cmpfloat_with_epsilon (
      (more.memory.peak.parameters - less.memory.peak.parameters) / (2 * count.mtp / 8), 1, 0.02);
  g_assert_cmpfloat (more.memory.peak.logits, >, less.memory.peak.logits);
}

/* Of 4096 tokens a window of 1024 leaves 1024 - 1024^2 / 8192 = 896 on average instead of 2048; on
 * every second layer, or on five of six, so much less of it. */
static void
test_sliding_window (void)
{
  static const struct {
    SwWindowPattern pattern;
    guint local;
  } cases[] = { { SW_WINDOW_ALL, 32 },
                { SW_WINDOW_EVERY_SECOND, 16 },
                { SW_WINDOW_FIVE_TO_ONE, 27 } };
  SwModelSpec whole;
  SwEstimate all;

  sw_fixture_llama3_8b (&whole);
  estimate_of (&whole, 1, &all);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwModelSpec model = whole;
      SwEstimate windowed;

      model.sliding_window = 1024;
      model.window_pattern = cases[i].pattern;
      g_assert_cmpfloat_with_epsilon (forward (&whole) - forward (&model),
                                      2 * cases[i].local * 32.0 * (2048 - 896) * 256, 1);
      estimate_of (&model, 1, &windowed);
      g_assert_cmpfloat (windowed.time.compute_s, <, all.time.compute_s);
      /* Flash attention keeps no scores. */
      g_assert_cmpfloat (windowed.memory.peak.activations, ==, all.memory.peak.activations);
    }
}

static void
test_shared_experts (void)
{
  SwModelSpec routed, shared;
  SwParameterCount before, after;
  SwEstimate less, more;

  sw_fixture_mixtral_8x7b (&routed);
  shared = routed;
  shared.moe.shared_intermediate_size = 14336;
  sw_model_count (&routed, &before);
  sw_model_count (&shared, &after);
  g_assert_cmpfloat (after.total - before.total, ==, 32 * 3 * 4096.0 * 14336);
  g_assert_cmpfloat (after.active - before.active, ==, 32 * 3 * 4096.0 * 14336);
  g_assert_cmpfloat_with_epsilon (forward (&shared) - forward (&routed),
                                  2 * 32 * 3 * 4096.0 * 14336, 1);
  estimate_of (&routed, 8, &less);
  estimate_of (&shared, 8, &more);
  g_assert_cmpfloat (more.time.compute_s, >, less.time.compute_s);
  g_assert_cmpfloat (more.memory.peak.parameters, >, less.memory.peak.parameters);
  g_assert_cmpfloat (more.memory.peak.activations, >, less.memory.peak.activations);
}

/* A dense layer of 14,336 for a routed one of 2 of 8 experts as wide: half of the MLP's work, and
 * an eighth of its weights. */
static void
test_leading_dense_layers (void)
{
  SwModelSpec all, led;
  SwParameterCount before, after;
  SwEstimate slow, fast;

  sw_fixture_mixtral_8x7b (&all);
  led = all;
  led.moe.first_dense_layers = 4;
  sw_model_count (&all, &before);
  sw_model_count (&led, &after);
  g_assert_cmpuint (sw_model_moe_layers (&led), ==, 28);
  g_assert_cmpfloat (before.total - after.total, ==, 4 * (7 * 3 * 4096.0 * 14336 + 8 * 4096.0));
  g_assert_cmpfloat_with_epsilon (forward (&all) - forward (&led),
                                  2 * 4 * (3 * 4096.0 * 14336 + 8 * 4096.0), 1);
  estimate_of (&all, 8, &slow);
  estimate_of (&led, 8, &fast);
  g_assert_cmpfloat (fast.time.compute_s, <, slow.time.compute_s);
  g_assert_cmpfloat (fast.memory.peak.parameters, <, slow.memory.peak.parameters);
}

/* Both conventions of arithmetic: attention whole is twice its causal half, and full recomputation
 * runs every layer, but not the head, once more. */
static void
test_conventions (void)
{
  const double head = 2 * 128256.0 * 4096, attention = 2 * 32 * 32 * 2048.0 * 256;
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwFlops half, whole, full, selective;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 8);
  problem.training.sequence_length = 4096;
  sw_strategy_init_default (&strategy);
  sw_flops_per_token (&problem, &strategy, TRUE, &half);
  sw_flops_per_token (&problem, &strategy, FALSE, &whole);
  strategy.recompute = SW_RECOMPUTE_FULL;
  sw_flops_per_token (&problem, &strategy, TRUE, &full);
  strategy.recompute = SW_RECOMPUTE_SELECTIVE;
  sw_flops_per_token (&problem, &strategy, FALSE, &selective);
  g_assert_cmpfloat_with_epsilon (half.model, 3 * forward (&model), 1);
  g_assert_cmpfloat (half.recomputed, ==, 0);
  g_assert_cmpfloat_with_epsilon (whole.model - half.model, 3 * attention, 1);
  g_assert_cmpfloat_with_epsilon (full.recomputed, forward (&model) - head, 1);
  g_assert_cmpfloat_with_epsilon (selective.recomputed, 2 * attention, 1);
  /* Packed documents of 256 tokens attend to 128 on average. */
  problem.training.mean_document = 256;
  strategy.recompute = SW_RECOMPUTE_NONE;
  sw_flops_per_token (&problem, &strategy, TRUE, &full);
  g_assert_cmpfloat_with_epsilon (half.model - full.model, 3 * 2 * 32 * 32 * (2048.0 - 128) * 256,
                                  1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/architecture/deepseek", test_deepseek);
  g_test_add_func ("/architecture/latent-attention", test_latent_attention);
  g_test_add_func ("/architecture/multi-token-prediction", test_multi_token_prediction);
  g_test_add_func ("/architecture/sliding-window", test_sliding_window);
  g_test_add_func ("/architecture/shared-experts", test_shared_experts);
  g_test_add_func ("/architecture/leading-dense-layers", test_leading_dense_layers);
  g_test_add_func ("/architecture/conventions", test_conventions);
  return g_test_run ();
}
