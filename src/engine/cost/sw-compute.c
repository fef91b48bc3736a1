/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-compute.h"

#include <math.h>

/* Compares the card with its generation's best card: by its measured rate, which may come from a
 * short run and exceed what its power sustains, and by its power. */
static double
card_factor (const SwGpu *gpu, const SwCalibration *calibration)
{
  double peak = gpu->peak_bf16_flops_per_s > 0 ? gpu->peak_bf16_flops_per_s
                                               : gpu->peak_fp16_flops_per_s;
  double best = calibration->generation[gpu->generation].best_gemm, factor = 1;

  if (peak <= 0)
    return 1;
  if (gpu->tdp_w > 0)
    {
      /* The rate that power allows relative to the generation's reference card, from the watts per
       * peak TFLOP/s at which the reference runs its GEMMs. A card that power does not limit
       * reaches the rate of its GEMMs at the nominal clock. */
      double watts = gpu->tdp_w / (peak / 1e12);

      factor = MIN (pow (watts / calibration->generation[gpu->generation].w_per_tflops,
                         calibration->power_exponent),
                    calibration->gemm_most / calibration->generation[gpu->generation].gemm_bf16);
    }
  if (gpu->measured_bf16_flops_per_s > 0 && best > 0)
    factor = MIN (factor, gpu->measured_bf16_flops_per_s / peak / best);
  return factor;
}

static double
linear_share (const SwCalibration *calibration, SwGeneration generation, SwPrecision precision)
{
  switch (precision)
    {
    case SW_PRECISION_FP8: return calibration->generation[generation].gemm_fp8;
    case SW_PRECISION_MXFP8:
      return calibration->generation[generation].gemm_fp8 * calibration->mxfp8;
    case SW_PRECISION_FP8_ROWWISE:
      return calibration->generation[generation].gemm_fp8 * calibration->fp8_rowwise;
    case SW_PRECISION_NVFP4: return calibration->generation[generation].gemm_fp4;
    case SW_PRECISION_BF16:
    case SW_PRECISION_FP16:
    default: return calibration->generation[generation].gemm_bf16;
    }
}

static double
element_bytes (SwPrecision precision)
{
  switch (precision)
    {
    case SW_PRECISION_FP8:
    case SW_PRECISION_FP8_ROWWISE:
    case SW_PRECISION_MXFP8: return 1.0;
    case SW_PRECISION_NVFP4: return 0.5;
    case SW_PRECISION_BF16:
    case SW_PRECISION_FP16:
    default: return 2.0;
    }
}

/* The peak of the arithmetic that a kernel of `precision` uses: the next wider units if the GPU
 * lacks these. The rules reject such a training; its figures only stay finite. */
static double
arithmetic_peak (const SwCluster *cluster, SwPrecision precision)
{
  static const SwPrecision wider[] = { SW_PRECISION_FP8, SW_PRECISION_BF16, SW_PRECISION_FP16 };
  const double slowest = 1e12;
  double peak = sw_cluster_peak_flops (cluster, precision);

  for (guint i = precision <= SW_PRECISION_FP16 ? 1 : 0; peak <= 0 && i < G_N_ELEMENTS (wider); i++)
    peak = sw_cluster_peak_flops (cluster, wider[i]);
  return MAX (peak, slowest);
}

/* Number of linear layers of a layer with an adapter: four in attention, and those of the MLP. */
double
sw_layer_adapters (const SwProblem *problem)
{
  if (!sw_training_is_adapter (&problem->training))
    return 0;
  return sw_lora_count (&problem->training,
                        SW_LORA_ATTENTION
                            | (problem->model.gated_mlp ? SW_LORA_MLP : SW_LORA_UP | SW_LORA_DOWN));
}

/* Rate of the flash kernel that the software uses / the generation's best. */
static double
flash_factor (const SwProblem *problem, SwFramework framework)
{
  SwGeneration generation = problem->cluster.gpu.generation;
  guint version = SW_N_FLASH_KERNELS;

  while (version > 1 && !sw_problem_has (problem, framework, SW_FEATURE_FLASH_1 + version - 1))
    version--;
  if (generation < SW_GENERATION_HOPPER)
    return problem->calibration->flash[version - 1].before_hopper;
  return generation == SW_GENERATION_HOPPER ? problem->calibration->flash[version - 1].hopper
                                            : problem->calibration->flash[version - 1].blackwell;
}

/* How the operations between GEMMs run: traffic relative to the ideal, and host time per layer.
 * Compiled code uses hand-written kernels if there are any, and the better of both counts. */
static void
kernel_constants (const SwProblem *problem, SwFramework framework, double *traffic,
                  double *launch_s)
{
  const SwCalibration *c = problem->calibration;
  const SwKernelClass class = sw_problem_kernel_class (problem, framework);

  *traffic = c->kernels[class].memory_bound_factor;
  *launch_s = c->kernels[class].launch_s_per_layer;
  if (class == SW_KERNEL_CLASS_COMPILED
      && sw_problem_has (problem, framework, SW_FEATURE_FUSED_KERNELS))
    {
      *traffic = MIN (*traffic, c->kernels[SW_KERNEL_CLASS_FUSED].memory_bound_factor);
      *launch_s = MIN (*launch_s, c->kernels[SW_KERNEL_CLASS_FUSED].launch_s_per_layer);
    }
}

/**
 * sw_rates_init:
 * @rates: filled in
 * @problem: cluster, precision and constants
 * @framework: the software profile that runs the kernels
 */
void
sw_rates_init (SwRates *rates, const SwProblem *problem, SwFramework framework)
{
  const SwCalibration *calibration = problem->calibration;
  const SwGpu *gpu = &problem->cluster.gpu;
  SwGeneration generation = gpu->generation;
  SwPrecision precision = problem->training.precision;
  gboolean by_block = precision == SW_PRECISION_MXFP8 || precision == SW_PRECISION_NVFP4;
  gboolean frozen = sw_training_is_adapter (&problem->training);
  double half_peak = arithmetic_peak (
      &problem->cluster, precision == SW_PRECISION_FP16 ? SW_PRECISION_FP16 : SW_PRECISION_BF16);
  double card = card_factor (gpu, calibration);
  /* Linear layers whose weights are expanded from 4 bits by plain kernels; each needs about as many
   * launches as an adapter (AutoGPTQ, nn_modules/qlinear/qlinear_cuda.py, forward: shifts, masks,
   * copies, scales). */
  double unpacked = !problem->training.unpacks_eagerly ? 0 : problem->model.gated_mlp ? 7 : 6;
  double traffic, launch_s;

  kernel_constants (problem, framework, &traffic, &launch_s);
  rates->calibration = calibration;
  rates->profile = sw_problem_profile (problem, framework);
  rates->half_flops_per_s =
      half_peak
      * MIN (calibration->generation[generation].gemm_bf16 * card * rates->profile->gemm_factor,
             1.0);
  rates->linear_flops_per_s =
      arithmetic_peak (&problem->cluster, precision)
      * MIN (linear_share (calibration, generation, precision) * card * rates->profile->gemm_factor,
             1.0);
  if (generation >= SW_GENERATION_BLACKWELL && element_bytes (precision) < 2
      && !sw_problem_has (problem, framework, SW_FEATURE_FUSED_CASTS))
    rates->linear_flops_per_s /= 1 + calibration->cast_delay;
  rates->attention_flops_per_s =
      half_peak * MIN (calibration->generation[generation].attention_flash * card, 1.0)
      * flash_factor (problem, framework);
  rates->stream_bytes_per_s = sw_stream_bytes_per_s (problem);
  rates->memory_bytes_per_s = rates->stream_bytes_per_s / traffic;
  rates->launch_s =
      (launch_s + (sw_layer_adapters (problem) + unpacked) * calibration->launch_s_per_adapter)
      * calibration->generation[generation].host_factor;
  rates->launches_block = sw_problem_has (problem, framework, SW_FEATURE_BLOCKING_LAUNCHES);
  if (rates->launches_block)
    rates->launch_s *= calibration->launch_blocking;
  rates->linear_bytes = element_bytes (precision);
  rates->quantises = rates->linear_bytes < 2.0;
  /* Casts below 16 bits (Transformer Engine) read the operand at 16 bits and write the narrow
   * format. The weight's gradient also needs the other layout: Hopper's 8-bit GEMMs take one layout
   * only, so the cast copy is read and written once more; block scales (MXFP8, NVFP4) differ by
   * direction, so both copies are written at once; Blackwell's tensor-wise FP8 GEMMs take either
   * layout. */
  rates->cast_bytes = 2 + rates->linear_bytes * (by_block && !frozen ? 2 : 1);
  rates->transpose_bytes = !frozen && !by_block && generation < SW_GENERATION_BLACKWELL
                               ? 2 * rates->linear_bytes
                               : 0;
  rates->sms = MAX (gpu->sm_count, 1);
  for (guint i = 0; i < SW_N_TILES; i++)
    {
      const SwTile *tile = &calibration->tile[i];

      rates->tile_rate[i] = tile->rate * tile->per_row * tile->per_column;
    }
}

/* ceil() of a nonnegative count, without a call because the search needs it millions of times. */
static inline double
round_up (double count)
{
  double whole = (double) (gint64) count;

  return whole < count ? whole + 1 : whole;
}

/* Share of the GPU's rate that an m x n output reaches with the best tile: whole waves of whole
 * tiles over the SMs (NVIDIA, "Matrix Multiplication Background", tile and wave quantization). */
static double
wave_efficiency (const SwRates *rates, double m, double n)
{
  double best = 0;

  for (guint i = 0; i < SW_N_TILES; i++)
    {
      const SwTile *tile = &rates->calibration->tile[i];
      double blocks = round_up (m * tile->per_row) * round_up (n * tile->per_column);
      double waves = round_up (blocks / rates->sms);

      best = MAX (best, rates->tile_rate[i] / waves);
    }
  return best * m * n / rates->sms;
}

/* A tile's start and end take the time of some of its inner dimension; of twice as much if the
 * operands have half the bytes and the rate is doubled (github deepseek-ai/DeepGEMM, README, FP8 on
 * H800: 775 TFLOP/s at K 512, 1212 at 1536, 1520 at 16384, which is K / (K + 500) of 1560). */
static inline double
k_efficiency (const SwRates *rates, double operand_bytes, double k)
{
  return k / (k + rates->calibration->gemm_k_half * 2 / operand_bytes);
}

/**
 * sw_rates_gemm:
 * @rates: of the GPU and profile
 * @flops_per_s: rate for long K and full waves
 * @operand_bytes: per element of both inputs; the output is 16-bit
 * @m: rows
 * @n: columns
 * @k: inner dimension
 *
 * The roofline (Williams 2009): the slower of arithmetic and memory. Long inner dimensions with few
 * output tiles are cut in up to eight slices along K, as GEMM libraries do for weight gradients.
 *
 * Returns: seconds of one GEMM of 2 m n k FLOPs
 */
double
sw_rates_gemm (const SwRates *rates, double flops_per_s, double operand_bytes, double m, double n,
               double k)
{
  const SwCalibration *c = rates->calibration;
  const gint64 both = (gint64) n | (gint64) k;
  double slices = 1, alignment = 1, efficiency, arithmetic, bytes;

  if (m <= 0 || n <= 0 || k <= 0)
    return 0;
  efficiency = wave_efficiency (rates, m, n);
  while (slices < c->gemm_slices && efficiency < c->gemm_slice_below
         && k / (2 * slices) >= c->gemm_slice_k)
    {
      double sliced = wave_efficiency (rates, m, n * slices * 2);

      slices *= 2;
      efficiency = MAX (efficiency, sliced * c->gemm_slice_rate);
    }
  /* Rows that do not start at a multiple of 64 bytes are loaded in smaller pieces (github
   * stas00/ml-engineering, SwiGLU width on H100: 10848 as fast as 10944, 10922 at 0.69 of it;
   * BLOOM's chronicles: a hidden size of 14400 over 8 GPUs, 1800 each, costs a quarter). Narrow
   * matrices, such as adapters, are limited by their tiles instead. */
  if ((both & 31) != 0 && n >= c->gemm_narrow && k >= c->gemm_narrow)
    alignment = (both & 7) == 0 ? c->gemm_half_aligned : c->gemm_unaligned;
  efficiency *= k_efficiency (rates, operand_bytes, k) * alignment;
  arithmetic = 2 * m * n * k / (flops_per_s * efficiency);
  bytes = operand_bytes * k * (m + n) + 2 * m * n;
  return MAX (arithmetic, bytes / rates->stream_bytes_per_s);
}

/**
 * sw_rates_grouped_gemm:
 * @rates: of the GPU and profile
 * @tokens_per_expert: mean rows of one expert
 * @experts: on this GPU
 * @n: columns of one expert's GEMM
 * @k: inner dimension of one expert's GEMM
 * @gradient: the weight's gradient, whose inner dimension is the tokens
 *
 * The rate falls with few tokens per expert as tokens / (tokens + half) (github
 * MooreThreads/SimuMax, grouped GEMM by tokens per expert, B200: half is 150 of the forward pass
 * and the input's gradient, and three times that of the weight's gradient, which also reads and
 * writes what has been accumulated). Arithmetic below 16 bits is faster but the other costs of an
 * expert are not, so the half-rate point grows with the rate. All ranks wait for the busiest one,
 * which has `expert_imbalance` times the mean.
 *
 * Returns: seconds of all experts' GEMMs of one pass
 */
double
sw_rates_grouped_gemm (const SwRates *rates, double tokens_per_expert, double experts, double n,
                       double k, gboolean gradient)
{
  const SwCalibration *c = rates->calibration;
  double half = c->expert_tokens_half * rates->linear_flops_per_s / rates->half_flops_per_s
                * (gradient ? c->expert_gradient_half : 1);
  double efficiency = tokens_per_expert / (tokens_per_expert + half)
                      * (gradient ? 1 : k_efficiency (rates, rates->linear_bytes, k));
  double flops, bytes;

  if (tokens_per_expert <= 0 || experts <= 0 || n <= 0 || k <= 0)
    return 0;
  flops = 2 * tokens_per_expert * experts * n * k * c->expert_imbalance;
  bytes = experts
          * (rates->linear_bytes * (n * k + tokens_per_expert * k) + 2 * tokens_per_expert * n);
  return MAX (flops / (rates->linear_flops_per_s * efficiency), bytes / rates->stream_bytes_per_s);
}

/**
 * sw_rates_attention:
 * @rates: of the GPU and profile
 * @batch: sequences
 * @heads: query heads on this GPU
 * @queries: query tokens of one sequence on this GPU
 * @attended: mean keys that a query attends to (half the sequence where causal)
 * @head_dim: mean of the query/key and the value size
 * @backward: the backward pass: 2.5 times the FLOPs (Dao 2023, FlashAttention-2, section 3.1.2)
 *
 * Small heads and short sequences run slower: the half-rate constants are those of
 * FlashAttention-2's causal chart on the A100 (github Dao-AILab/flash-attention, assets: 99, 133,
 * 155, 173, 182, 189 TFLOP/s of head size 128 for 512 to 16384 tokens; head size 64 has 0.9 of it
 * at 16384), and hold for the H100's within 5 %. Blocks of 128 queries are spread over the SMs;
 * causal ones differ in length, so that the last wave, the longest of which has twice the mean,
 * adds about one mean block's time to every SM: blocks / (blocks + SMs) (github
 * MooreThreads/SimuMax, causal attention by heads: A100 and B200, forward and backward together).
 *
 * Returns: seconds of the flash kernel
 */
double
sw_rates_attention (const SwRates *rates, double batch, double heads, double queries,
                    double attended, double head_dim, gboolean backward)
{
  const SwCalibration *c = rates->calibration;
  double flops = 4 * batch * heads * queries * attended * head_dim * (backward ? 2.5 : 1.0);
  double head = MIN (head_dim / (head_dim + c->attention_head_half)
                         / (128.0 / (128.0 + c->attention_head_half)),
                     1.0);
  double length = attended / (attended + c->attention_keys_half);
  double blocks = batch * heads * ceil (queries / c->attention_block);
  double waves = blocks / (blocks + rates->sms);

  if (flops <= 0)
    return 0;
  return flops
         / (rates->attention_flops_per_s * head * length * waves
            * (backward ? c->attention_backward : c->attention_forward));
}

/**
 * sw_rates_unfused_attention:
 * @rates: of the GPU and profile
 * @batch: sequences
 * @heads: query heads on this GPU
 * @queries: query tokens of one sequence on this GPU
 * @keys: key tokens; the whole square is computed and masked
 * @head_dim: mean of the query/key and the value size
 * @backward: the backward pass: twice the FLOPs
 *
 * Two batched GEMMs and the traffic of the scores: written, scaled, masked, soft-maxed, dropped out
 * and read, 11 bytes a score forward (Korthikanti et al. 2022, section 4.1: 5 a s^2 b kept) and 14
 * backward.
 *
 * Returns: seconds
 */
double
sw_rates_unfused_attention (const SwRates *rates, double batch, double heads, double queries,
                            double keys, double head_dim, gboolean backward)
{
  double scores = batch * heads * queries * keys;
  double flops = 4 * scores * head_dim * (backward ? 2.0 : 1.0);

  return flops / (rates->half_flops_per_s * rates->calibration->unfused_attention)
         + scores * (backward ? 14 : 11) / rates->memory_bytes_per_s;
}

/**
 * sw_stream_bytes_per_s:
 * @problem: cluster and constants
 *
 * Returns: bytes per second that a kernel which only reads and writes gets from a GPU's memory
 */
double
sw_stream_bytes_per_s (const SwProblem *problem)
{
  const SwGpu *gpu = &problem->cluster.gpu;

  return MAX (gpu->hbm_bytes_per_s, 1e9) * problem->calibration->generation[gpu->generation].hbm;
}

/**
 * sw_host_link_bytes_per_s:
 * @problem: cluster and constants
 * @both_ways: whether the other direction is as busy
 *
 * Returns: bytes per second, one way, between one GPU and its host while all GPUs of the node copy:
 * the chip-to-chip link of a superchip (recognized by its scale-up domain), else four fifths of the
 * nominal rate of PCIe (github Azure/AI-benchmarking-guide, host copies), where two GPUs of a node
 * with more than four share a switch's uplink (DGX A100 and H100; Rajbhandari et al. 2021, ZeRO-
 * Infinity, figure 2b), and at most each GPU's share of the host's memory rate, because all copies
 * pass through host memory
 */
double
sw_host_link_bytes_per_s (const SwProblem *problem, gboolean both_ways)
{
  const SwGpu *gpu = &problem->cluster.gpu;
  double copies = MAX (MIN (problem->cluster.gpus_per_node, problem->cluster.gpus), 1)
                  * (both_ways ? 2.0 : 1.0);
  double sharers = problem->cluster.gpus_per_node > problem->calibration->pcie_uplinks ? 2 : 1;

  if (gpu->scale_up_domain > problem->calibration->baseboard_gpus
      && problem->calibration->superchip_host_bytes_per_s > 0)
    return problem->calibration->superchip_host_bytes_per_s;
  return MIN (MAX (gpu->pcie_bytes_per_s, 1e9) * problem->calibration->pcie_copy_efficiency
                  / sharers,
              problem->calibration->host_bytes_per_s / copies);
}
