/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-compute.h"
#include "sw-fixture.h"

#include <math.h>

#define FW SW_FRAMEWORK_MEGATRON_CORE

static void
problem_70b (SwProblem *problem, SwPrecision precision)
{
  sw_fixture_problem_70b (problem);
  problem->training.precision = precision;
}

/* Kernels as a training runs them, in seconds: the linear layer's GEMM of m rows, n columns and
 * inner dimension k, the GEMMs of the experts of a GPU, the attention of the training, and
 * element-wise work. */
static double
gemm_s (const SwProblem *problem, double m, double n, double k)
{
  SwRates rates;

  sw_rates_init (&rates, problem, FW);
  return sw_rates_gemm (&rates, rates.linear_flops_per_s, rates.linear_bytes, m, n, k);
}

static double
grouped_gemm_s (const SwProblem *problem, double tokens, double experts, double n, double k)
{
  SwRates rates;

  sw_rates_init (&rates, problem, FW);
  return sw_rates_grouped_gemm (&rates, tokens, experts, n, k, FALSE);
}

static double
attention_s (const SwProblem *problem, double batch, double heads, double queries, double attended,
             double head_dim, gboolean backward)
{
  SwRates rates;

  sw_rates_init (&rates, problem, FW);
  if (problem->training.attention == SW_ATTENTION_UNFUSED)
    return sw_rates_unfused_attention (&rates, batch, heads, queries, 2 * attended, head_dim,
                                       backward);
  return sw_rates_attention (&rates, batch, heads, queries, attended, head_dim, backward);
}

static double
memory_bound_s (const SwProblem *problem, double bytes)
{
  SwRates rates;

  sw_rates_init (&rates, problem, FW);
  return bytes / rates.memory_bytes_per_s;
}

/* A large square GEMM by hand: whole waves of 256 x 128 tiles over 132 SMs, K / (K + 200), 0.7 of
 * the peak, and the card's measured 750 of 989 TFLOP/s against 0.8 of the generation's best. */
static void
test_gemm_by_hand (void)
{
  SwProblem problem;
  double blocks = (16384 / 256.0) * (16384 / 128.0);
  double waves = blocks / (ceil (blocks / 132) * 132);
  double rate = 989e12 * 0.7 * (750.0 / 989 / 0.8) * waves * 16384 / (16384 + 200.0);

  problem_70b (&problem, SW_PRECISION_BF16);
  g_assert_cmpfloat_with_epsilon (gemm_s (&problem, 16384, 16384, 16384), 2 * pow (16384, 3) / rate,
                                  1e-9);
}

/* Wave quantisation: one row of tiles beyond a whole wave costs another wave. */
static void
test_gemm_wave (void)
{
  SwProblem problem;
  double whole, more;

  problem_70b (&problem, SW_PRECISION_BF16);
  whole = gemm_s (&problem, 12 * 256, 11 * 128, 8192); /* 132 tiles */
  more = gemm_s (&problem, 13 * 256, 11 * 128, 8192);
  g_assert_cmpfloat (more / whole, >, 13.0 / 12 * 1.1);
}

/* One token reads all weights: the memory rate rules. 2.68 TB/s of 3.35 reach. */
static void
test_gemm_is_memory_bound (void)
{
  SwProblem problem;
  double bytes = 2.0 * 8192 * 8192;

  problem_70b (&problem, SW_PRECISION_BF16);
  g_assert_cmpfloat (gemm_s (&problem, 1, 8192, 8192), >=, bytes / (3.35e12 * 0.8));
  g_assert_cmpfloat (gemm_s (&problem, 1, 8192, 8192), <, 3 * bytes / (3.35e12 * 0.8));
}

static void
test_precisions (void)
{
  static const SwPrecision faster[] = { SW_PRECISION_BF16, SW_PRECISION_FP8_ROWWISE,
                                        SW_PRECISION_FP8 };
  double last = INFINITY;

  for (guint i = 0; i < G_N_ELEMENTS (faster); i++)
    {
      SwProblem problem;
      double seconds;

      problem_70b (&problem, faster[i]);
      seconds = gemm_s (&problem, 8192, 8192, 8192);
      g_assert_cmpfloat (seconds, <, last);
      last = seconds;
    }
}

/* A card without a measured rate is held back by its watts: half of them, at the neutral exponent
 * of a half. */
static void
test_card_without_measurement (void)
{
  SwProblem problem;
  double free_of_power, limited;

  problem_70b (&problem, SW_PRECISION_BF16);
  problem.cluster.gpu.measured_bf16_flops_per_s = 0;
  free_of_power = gemm_s (&problem, 8192, 8192, 8192);
  problem.cluster.gpu.tdp_w = 350;
  limited = gemm_s (&problem, 8192, 8192, 8192);
  g_assert_cmpfloat_with_epsilon (limited / free_of_power, sqrt (2), 1e-9);
}

/* At the half-rate constant, a grouped GEMM takes twice its time of many tokens per token. */
static void
test_grouped_gemm (void)
{
  SwProblem problem;
  double few, many;

  problem_70b (&problem, SW_PRECISION_BF16);
  few = grouped_gemm_s (&problem, 300, 8, 14336, 4096) / 300;
  many = grouped_gemm_s (&problem, 3e7, 8, 14336, 4096) / 3e7;
  g_assert_cmpfloat_with_epsilon (few / many, 2.0, 1e-3);
}

/* Causal flash attention of 16k tokens on an H100: FlashAttention-3 reaches 616 and cuDNN 539
 * TFLOP/s forward (github Dao-AILab/flash-attention, assets); with a neutral half of the peak the
 * model must lie by it. */
static void
test_attention_rate (void)
{
  SwProblem problem;
  double flops = 4.0 * 32 * 16384 * 8192 * 128, seconds;

  problem_70b (&problem, SW_PRECISION_BF16);
  seconds = attention_s (&problem, 1, 32, 16384, 8192, 128, FALSE);
  g_assert_cmpfloat (flops / seconds, >, 400e12);
  g_assert_cmpfloat (flops / seconds, <, 650e12);
  g_assert_cmpfloat (attention_s (&problem, 1, 32, 16384, 8192, 128, TRUE), >, 2.5 * seconds);
}

/* By hand: half of the peak times the card's 750 / 989 / 0.8, 1.15 forward, a mean of 8192 keys
 * over 8192 + 245, and 4096 blocks beside 132 SMs. */
static void
test_attention_by_hand (void)
{
  SwProblem problem;
  double flops = 4.0 * 32 * 16384 * 8192 * 128;
  double rate = 989e12 * 0.5 * (750.0 / 989 / 0.8) * 1.15 * (8192 / 8437.0) * (4096 / 4228.0);

  problem_70b (&problem, SW_PRECISION_BF16);
  g_assert_cmpfloat_with_epsilon (attention_s (&problem, 1, 32, 16384, 8192, 128, FALSE),
                                  flops / rate, 1e-9);
}

/* Few heads leave SMs idle at the end. Measured on A100 and B200, causal, 4096 tokens, forward and
 * backward (github MooreThreads/SimuMax, configs/system): the rate with 8 heads over that with 64.
 * Head size 64 over 128 on A100: 0.90 to 0.92 of long sequences. */
static void
test_attention_shapes (void)
{
  static const struct {
    double sms, measured;
  } heads[] = {
    { 108, (1 / 0.594 + 2.5 / 0.503) / (1 / 0.393 + 2.5 / 0.380) },
    { 148, (1 / 0.436 + 2.5 / 0.365) / (1 / 0.155 + 2.5 / 0.329) },
  };
  SwProblem problem;
  double small, big;

  problem_70b (&problem, SW_PRECISION_BF16);
  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      problem.cluster.gpu.sm_count = (guint) heads[i].sms;
      small = attention_s (&problem, 1, 8, 4096, 2048, 128, FALSE) / 8;
      big = attention_s (&problem, 1, 64, 4096, 2048, 128, FALSE) / 64;
      g_assert_cmpfloat (fabs (log (big / small / heads[i].measured)), <, 0.1);
    }
  small = attention_s (&problem, 8, 32, 16384, 8192, 64, FALSE);
  big = attention_s (&problem, 8, 32, 16384, 8192, 128, FALSE);
  g_assert_cmpfloat (fabs (log (big / small / 2 / 0.905)), <, 0.03);
}

/* Widths that are no multiple of 32 elements: 0.69 of the rate where they are even, 0.8 where they
 * are multiples of 8 (github stas00/ml-engineering, SwiGLU width). */
static void
test_gemm_alignment (void)
{
  static const struct {
    double n, rate;
  } table[] = { { 10944, 1 }, { 10848, 1 }, { 10920, 0.8 }, { 10922, 0.69 } };
  SwProblem problem;
  double whole;

  problem_70b (&problem, SW_PRECISION_BF16);
  whole = gemm_s (&problem, 16384, 10944, 4096) / 10944;
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    g_assert_cmpfloat (fabs (log (gemm_s (&problem, 16384, table[i].n, 4096) / table[i].n / whole
                                  * table[i].rate)),
                       <, 0.02);
}

/* Bytes that casts of one element move. */
static void
test_casts (void)
{
  static const struct {
    SwGeneration generation;
    SwPrecision precision;
    SwTrainingType type;
    double cast, transpose;
  } table[] = {
    { SW_GENERATION_HOPPER, SW_PRECISION_FP8, SW_TRAINING_PRETRAIN, 3, 2 },
    { SW_GENERATION_HOPPER, SW_PRECISION_FP8, SW_TRAINING_LORA, 3, 0 },
    { SW_GENERATION_BLACKWELL, SW_PRECISION_FP8, SW_TRAINING_PRETRAIN, 3, 0 },
    { SW_GENERATION_BLACKWELL, SW_PRECISION_MXFP8, SW_TRAINING_PRETRAIN, 4, 0 },
    { SW_GENERATION_BLACKWELL, SW_PRECISION_NVFP4, SW_TRAINING_PRETRAIN, 3, 0 },
    { SW_GENERATION_BLACKWELL, SW_PRECISION_NVFP4, SW_TRAINING_LORA, 2.5, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      SwProblem problem;
      SwRates rates;

      problem_70b (&problem, table[i].precision);
      problem.cluster.gpu.generation = table[i].generation;
      problem.training.type = table[i].type;
      sw_rates_init (&rates, &problem, FW);
      g_assert_cmpfloat (rates.cast_bytes, ==, table[i].cast);
      g_assert_cmpfloat (rates.transpose_bytes, ==, table[i].transpose);
    }
}

/* GEMMs below 16 bits on Blackwell take longer where the kernels before do not cast their operands,
 * those of 16 bits and those on Hopper do not. */
static void
test_casts_alone (void)
{
  static const struct {
    SwGeneration generation;
    SwPrecision precision;
    double ratio;
  } table[] = { { SW_GENERATION_BLACKWELL, SW_PRECISION_FP8, 1.25 },
                { SW_GENERATION_BLACKWELL, SW_PRECISION_BF16, 1 },
                { SW_GENERATION_HOPPER, SW_PRECISION_FP8, 1 } };
  SwCalibration late = *sw_fixture_calibration ();

  late.cast_delay = 0.25;
  late.feature[FW][SW_FEATURE_FUSED_CASTS] = 9999;
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      SwProblem problem;
      double before;

      problem_70b (&problem, table[i].precision);
      problem.cluster.gpu.generation = table[i].generation;
      before = gemm_s (&problem, 8192, 8192, 8192);
      problem.calibration = &late;
      g_assert_cmpfloat_with_epsilon (gemm_s (&problem, 8192, 8192, 8192) / before, table[i].ratio,
                                      1e-9);
    }
}

static void
test_unfused_is_slower (void)
{
  SwProblem problem;
  double flash;

  problem_70b (&problem, SW_PRECISION_BF16);
  flash = attention_s (&problem, 4, 8, 4096, 2048, 128, FALSE);
  problem.training.attention = SW_ATTENTION_UNFUSED;
  g_assert_cmpfloat (attention_s (&problem, 4, 8, 4096, 2048, 128, FALSE), >, 2 * flash);
}

static void
test_memory_bound (void)
{
  SwProblem problem;

  problem_70b (&problem, SW_PRECISION_BF16);
  g_assert_cmpfloat_with_epsilon (memory_bound_s (&problem, 2.68e12), 1.0, 1e-9);
}

/* Every name of the file, and nothing else, has an address. */
static void
test_calibration_names (void)
{
  static const char *const known[] = { "gemm_k_half",
                                       "generation.hopper.gemm_bf16",
                                       "profile.megatron-core.tp_exposed",
                                       "feature.deepspeed.flash_2",
                                       "kernels.eager.launch_s_per_layer",
                                       "flash.2.hopper" };
  static const char *const unknown[] = { "",
                                         "gemm",
                                         "generation.hopper",
                                         "generation.kepler.hbm",
                                         "profile.megatron-core.",
                                         "feature.deepspeed",
                                         "feature.deepspeed.flash",
                                         "flash.4.hopper",
                                         "residual" };
  SwCalibration c = *sw_fixture_calibration ();

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    g_assert_nonnull (sw_calibration_lookup (&c, known[i]));
  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++)
    g_assert_null (sw_calibration_lookup (&c, unknown[i]));
}

/* A feature is in the software from its date on, or as it is stated, whatever the date. */
static void
test_features (void)
{
  SwCalibration c = *sw_fixture_calibration ();
  SwProblem problem;

  problem_70b (&problem, SW_PRECISION_BF16);
  problem.calibration = &c;
  c.feature[FW][SW_FEATURE_COMPILE] = 2024.5;
  problem.training.software_year = 2024;
  g_assert_false (sw_problem_has (&problem, FW, SW_FEATURE_COMPILE));
  g_assert_cmpuint (sw_problem_kernel_class (&problem, FW), ==, SW_KERNEL_CLASS_FUSED);
  problem.training.software_year = 2025;
  g_assert_true (sw_problem_has (&problem, FW, SW_FEATURE_COMPILE));
  g_assert_cmpuint (sw_problem_kernel_class (&problem, FW), ==, SW_KERNEL_CLASS_COMPILED);
  sw_software_state (&problem.training.software, SW_FEATURE_COMPILE, FALSE);
  sw_software_state (&problem.training.software, SW_FEATURE_FUSED_KERNELS, FALSE);
  g_assert_cmpuint (sw_problem_kernel_class (&problem, FW), ==, SW_KERNEL_CLASS_EAGER);
  sw_software_state_flash (&problem.training.software, 2);
  g_assert_true (sw_problem_has (&problem, FW, SW_FEATURE_FLASH_2));
  g_assert_false (sw_problem_has (&problem, FW, SW_FEATURE_FLASH_3));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/compute/gemm-by-hand", test_gemm_by_hand);
  g_test_add_func ("/compute/features", test_features);
  g_test_add_func ("/compute/gemm-wave", test_gemm_wave);
  g_test_add_func ("/compute/gemm-memory-bound", test_gemm_is_memory_bound);
  g_test_add_func ("/compute/precisions", test_precisions);
  g_test_add_func ("/compute/card-without-measurement", test_card_without_measurement);
  g_test_add_func ("/compute/grouped-gemm", test_grouped_gemm);
  g_test_add_func ("/compute/attention-rate", test_attention_rate);
  g_test_add_func ("/compute/attention-by-hand", test_attention_by_hand);
  g_test_add_func ("/compute/attention-shapes", test_attention_shapes);
  g_test_add_func ("/compute/gemm-alignment", test_gemm_alignment);
  g_test_add_func ("/compute/casts", test_casts);
  g_test_add_func ("/compute/casts-alone", test_casts_alone);
  g_test_add_func ("/compute/unfused", test_unfused_is_slower);
  g_test_add_func ("/compute/memory-bound", test_memory_bound);
  g_test_add_func ("/compute/calibration-names", test_calibration_names);
  return g_test_run ();
}
