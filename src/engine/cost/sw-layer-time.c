/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Level 1 of time: one micro-batch through one layer of each kind. First its kernels on one GPU
 * (linear layers and the low-rank adapters beside frozen ones, the attention core, experts and the
 * element-wise work between), then its communication (tensor, context and expert parallelism), then
 * both together. */
#include "sw-layer-time.h"

#include "sw-framework.h"
#include "sw-recipe.h"

#include <math.h>
#include <string.h>

/* ---- kernels ---- */

/**
 * sw_layer_scene_init:
 * @scene: filled in
 * @problem: the question
 * @strategy: its level-1 fields are read
 */
void
sw_layer_scene_init (SwLayerScene *scene, const SwProblem *problem, const SwStrategy *strategy)
{
  scene->problem = problem;
  scene->strategy = strategy;
  sw_rates_init (&scene->rates, problem, strategy->framework);
  scene->sequences = strategy->micro_batch;
  scene->tokens = (double) strategy->micro_batch * problem->training.sequence_length / strategy->cp;
  scene->spread = strategy->sequence_parallel ? strategy->tp : 1;
  scene->modules = sw_selected_modules (strategy);
  scene->frozen = sw_training_is_adapter (&problem->training);
  scene->casts_adapters =
      scene->frozen && sw_engine (strategy->framework) == SW_FRAMEWORK_FSDP
      && !sw_updates_16_bits (problem, strategy)
      && (!sw_problem_has (problem, strategy->framework, SW_FEATURE_FUSED_ADAPTERS)
          || !sw_problem_has (problem, strategy->framework, SW_FEATURE_FUSED_KERNELS));
  scene->dequantised_bytes = sw_base_bytes (&problem->training) >= 1 ? 0
                             : problem->training.unpacks_eagerly
                                 ? problem->calibration->gptq_unpacking
                                 : 2.5;
  scene->log = NULL;
}

/* How tensor parallelism splits a linear layer: by outputs, with its input gathered from the
 * sequence-parallel ranks; or by inputs, with its output's gradient gathered. */
typedef enum {
  CUT_NONE,
  CUT_COLUMNS,
  CUT_ROWS,
} Cut;

/* Casts of the input (forward) and of the output's gradient (backward). Gathered tensors are cast
 * before the gather, each rank its own part (Transformer Engine gathers 8 bits). Weights are cast
 * once per step, which is negligible. */
static void
add_casts (const SwLayerScene *scene, double input, double gradient, Cut cut, SwWork *work)
{
  const SwRates *r = &scene->rates;
  double spread = scene->frozen ? 1 : scene->spread;
  double input_bytes = r->cast_bytes / (cut == CUT_COLUMNS ? spread : 1),
         gradient_bytes = r->cast_bytes / (cut == CUT_ROWS ? spread : 1);
  double rate = r->memory_bytes_per_s / r->calibration->cast_traffic;
  double forward_s = r->calibration->cast_s + (input_bytes + r->transpose_bytes) * input / rate,
         backward_s = r->calibration->cast_s
                      + (gradient_bytes + r->transpose_bytes) * gradient / rate;

  work->forward_s += forward_s;
  work->input_s += backward_s;
  work->memory_s += forward_s + backward_s;
}

/* QLoRA (Dettmers et al. 2023, section 3): weights of `count` parameters are expanded from NF4 to
 * 16 bits before each of the two passes that read them: half a byte read and two written, unless
 * plain kernels expand them. */
static void
add_dequantisation (const SwLayerScene *scene, double count, SwWork *work)
{
  double seconds = scene->dequantised_bytes * count
                   / (scene->problem->training.unpacks_eagerly ? scene->rates.stream_bytes_per_s
                                                               : scene->rates.memory_bytes_per_s);

  work->forward_s += seconds;
  work->input_s += seconds;
  work->memory_s += 2 * seconds;
}

/**
 * sw_layer_work_adapter:
 * @scene: of the layer; its training is LoRA or QLoRA
 * @m: rows: tokens
 * @n: columns of the linear layer
 * @k: its inner dimension
 * @work: added to
 *
 * y += (x A) B with A[k x r] and B[r x n]: two thin GEMMs forward, two for the gradients of their
 * inputs, two for those of A and B, all in 16 bits and bound by memory. The result is added to the
 * base's output, its input gradient to the base's: each reads two tensors and writes one.
 * Simplified: the first layer's base needs no input gradient before its first adapter; this one
 * GEMM is not subtracted.
 */
void
sw_layer_work_adapter (const SwLayerScene *scene, double m, double n, double k, SwWork *work)
{
  const SwRates *r = &scene->rates;
  double rank = scene->problem->training.lora_rank > 0 ? scene->problem->training.lora_rank : 1;
  double down = sw_rates_gemm (r, r->half_flops_per_s, 2, m, rank, k);
  double up = sw_rates_gemm (r, r->half_flops_per_s, 2, m, n, rank);
  double input_up = sw_rates_gemm (r, r->half_flops_per_s, 2, m, rank, n);
  double input_down = sw_rates_gemm (r, r->half_flops_per_s, 2, m, k, rank);
  double add_s = 6 * m * n / r->memory_bytes_per_s, add_input_s = 6 * m * k / r->memory_bytes_per_s;

  work->forward_s += down + up + add_s;
  work->input_s += input_up + input_down + add_input_s;
  work->memory_s += add_s + add_input_s;
  work->weight_s += sw_rates_gemm (r, r->half_flops_per_s, 2, rank, k, m)
                    + sw_rates_gemm (r, r->half_flops_per_s, 2, n, rank, m);
}

/* With an fp32 residual, a 16-bit layer casts its input and its output, and in the backward pass
 * their gradients (bitsandbytes, nn/modules.py: Linear4bit.forward). */
static void
add_residual_casts (const SwLayerScene *scene, double elements, SwWork *work)
{
  double seconds = (4 + 2) * elements / scene->rates.stream_bytes_per_s;

  if (!scene->problem->training.residual_fp32)
    return;
  work->forward_s += seconds;
  work->input_s += seconds;
  work->memory_s += 2 * seconds;
}

/* Bytes that PEFT's adapters move in addition to their GEMMs, which run in fp32 on a 16-bit base: x
 * is cast, the result scaled, added to and cast back, kernel by kernel, and so are their gradients
 * (peft/tuners/lora/layer.py, Linear.forward; autocast_adapter_dtype). Bytes of each output and of
 * each input of each of the @adapters that share it. */
static void
add_adapter_casts (const SwLayerScene *scene, double m, double n, double k, guint adapters,
                   SwWork *work)
{
  const double rate = scene->rates.stream_bytes_per_s;
  double forward_s = m * (20 * n + 8 * adapters * k) / rate,
         backward_s = m * (18 * n + 10 * adapters * k) / rate;

  /* Dropout reads its input (backward: its gradient), writes the result, and writes or reads its
   * mask. */
  if (scene->problem->training.lora_dropout)
    {
      double dropout_s = m * (2 + 2 + 1) * adapters * k / scene->rates.stream_bytes_per_s;

      work->forward_s += dropout_s;
      work->input_s += dropout_s;
      work->memory_s += 2 * dropout_s;
    }
  if (!scene->casts_adapters)
    return;
  work->forward_s += forward_s;
  work->input_s += backward_s;
  work->memory_s += forward_s + backward_s;
}

/* DoRA (Liu et al. 2024, section 4; peft/tuners/lora/dora.py) computes the norm of the weight plus
 * the product of its adapter in every forward pass: the product is computed, added and summed up,
 * 12 bytes per 16-bit weight, without a gradient. Then both outputs are scaled, 8 bytes each. */
static void
add_decomposition (const SwLayerScene *scene, double m, double n, double k, SwWork *work)
{
  const double rate = scene->rates.stream_bytes_per_s, outputs_s = 8 * m * n / rate;

  work->forward_s += 12 * n * k / rate + outputs_s;
  work->input_s += outputs_s;
  work->memory_s += 12 * n * k / rate + 2 * outputs_s;
}

/* One linear layer of m tokens: y[m x n] = x[m x k] w[k x n]. Its forward GEMM, the input's
 * gradient and the weight's gradient have the same FLOPs but different shapes. @adapters: number of its
 * adapters. */
static void
add_linear (const SwLayerScene *scene, double m, double n, double k, Cut cut, guint adapters,
            SwWork *work)
{
  const SwRates *r = &scene->rates;

  work->forward_s += sw_rates_gemm (r, r->linear_flops_per_s, r->linear_bytes, m, n, k);
  work->input_s += sw_rates_gemm (r, r->linear_flops_per_s, r->linear_bytes, m, k, n);
  if (!scene->frozen)
    work->weight_s += sw_rates_gemm (r, r->linear_flops_per_s, r->linear_bytes, n, k, m);
  if (r->quantises)
    add_casts (scene, m * k, m * n, cut, work);
  add_residual_casts (scene, m * (n + k), work);
  add_dequantisation (scene, n * k, work);
  if (scene->frozen && adapters > 0)
    {
      sw_layer_work_adapter (scene, m, n, k, work);
      add_adapter_casts (scene, m, n, k, adapters, work);
      if (scene->problem->training.lora_dora)
        add_decomposition (scene, m, n, k, work);
    }
}

/* Element-wise kernels: bytes read and written forward. */
static double
add_elementwise (const SwLayerScene *scene, double bytes, SwWork *work)
{
  double seconds = bytes * (scene->problem->training.residual_fp32 ? 2 : 1)
                   / scene->rates.memory_bytes_per_s;

  work->forward_s += seconds;
  work->input_s += SW_ELEMENTWISE_BACKWARD * seconds;
  work->memory_s += (1 + SW_ELEMENTWISE_BACKWARD) * seconds;
  return seconds;
}

static double
head_size (const SwModelSpec *model)
{
  return (sw_model_query_head_dim (model) + sw_model_value_head_dim (model)) / 2.0;
}

/* Latent attention's kernels have queries and keys of 192 and values of 128: four fifths of the
 * rate at 128 (github MooreThreads/SimuMax, causal attention on A100 and B200: 0.82 forward, 0.78
 * backward). */
static void
add_attention_core (const SwLayerScene *scene, SwWork *work)
{
  const SwProblem *problem = scene->problem;
  const SwStrategy *s = scene->strategy;
  double heads = (double) problem->model.attention_heads / s->tp;
  double sequence = problem->training.sequence_length;
  double queries = sequence / s->cp, forward, backward;

  if (problem->training.attention == SW_ATTENTION_UNFUSED)
    {
      forward = sw_rates_unfused_attention (&scene->rates, scene->sequences, heads, queries,
                                            sequence, head_size (&problem->model), FALSE);
      backward = sw_rates_unfused_attention (&scene->rates, scene->sequences, heads, queries,
                                             sequence, head_size (&problem->model), TRUE);
    }
  else
    {
      double attended = sw_model_attended_tokens (&problem->model,
                                                  problem->training.sequence_length, TRUE);

      /* Packed documents attend only to themselves. */
      if (problem->training.mean_document > 0)
        attended = MIN (attended, sw_model_attended_tokens (&problem->model,
                                                            problem->training.mean_document, TRUE));
      forward = sw_rates_attention (&scene->rates, scene->sequences, heads, queries, attended,
                                    head_size (&problem->model), FALSE);
      backward = sw_rates_attention (&scene->rates, scene->sequences, heads, queries, attended,
                                     head_size (&problem->model), TRUE);
    }
  if (problem->model.mla.kv_lora_rank > 0 && problem->training.attention != SW_ATTENTION_UNFUSED)
    {
      forward /= scene->rates.calibration->latent_attention;
      backward /= scene->rates.calibration->latent_attention;
    }
  work->forward_s += forward;
  work->core_s += forward;
  work->input_s += backward;
  work->core_backward_s += backward;
  if (scene->modules & SW_MODULE_CORE_ATTN)
    work->selective_s += forward;
}

/* Multi-head latent attention (DeepSeek-V2, section 2.1): compressed queries and keys, expanded per
 * head. */
static void
add_latent_projections (const SwLayerScene *scene, SwWork *work)
{
  const SwModelSpec *model = &scene->problem->model;
  const SwMla *mla = &model->mla;
  double heads = (double) model->attention_heads / scene->strategy->tp, m = scene->tokens;
  double query = heads * (mla->qk_nope_head_dim + mla->qk_rope_head_dim), before;
  gboolean fused = scene->problem->training.software_year
                   >= scene->rates.calibration->since.mla_rope_fused;

  add_linear (scene, m, mla->kv_lora_rank + mla->qk_rope_head_dim, model->hidden_size, CUT_NONE, 1,
              work);
  if (mla->q_lora_rank > 0)
    add_linear (scene, m, mla->q_lora_rank, model->hidden_size, CUT_NONE, 1, work);
  before = work->forward_s;
  add_linear (scene, m, query, mla->q_lora_rank > 0 ? mla->q_lora_rank : model->hidden_size,
              CUT_COLUMNS, 1, work);
  add_linear (scene, m, heads * (mla->qk_nope_head_dim + mla->v_head_dim), mla->kv_lora_rank,
              CUT_COLUMNS, 1, work);
  if (scene->modules & SW_MODULE_MLA_UP_PROJ)
    work->selective_s += work->forward_s - before;
  /* Rotated and plain parts are split, rotated and joined again: queries and keys are read and
   * written twice each; since Megatron-Core 0.13, once in one kernel for both
   * (apply_rope_fusion). */
  add_elementwise (scene, (fused ? 8 : 16) * m * query, work);
}

/**
 * sw_layer_work_attention:
 * @scene: of the layer
 * @work: added to
 *
 * Norms, projections, rotary embedding and the attention core of one layer.
 */
void
sw_layer_work_attention (const SwLayerScene *scene, SwWork *work)
{
  const SwModelSpec *model = &scene->problem->model;
  double tp = scene->strategy->tp, m = scene->tokens, h = model->hidden_size;
  double query = model->attention_heads * (double) sw_model_query_head_dim (model) / tp;
  double value = model->attention_heads * (double) sw_model_value_head_dim (model) / tp;
  double kv = MAX (model->kv_heads / tp, 1.0), norms;

  /* Two norms, each fused with its residual: two reads and two writes of 16 bits; without fusion,
   * the profile's factor increases this. */
  norms = add_elementwise (scene, MAX (model->norms_per_layer, 1) * 8 * h * m / scene->spread,
                           work);
  if (scene->modules & SW_MODULE_LAYERNORM)
    work->selective_s += norms;
  if (model->mla.kv_lora_rank > 0)
    add_latent_projections (scene, work);
  else
    {
      double width = query
                     + kv * (sw_model_query_head_dim (model) + sw_model_value_head_dim (model));

      add_linear (scene, m, width, h, CUT_COLUMNS,
                  sw_lora_count (&scene->problem->training, SW_LORA_Q | SW_LORA_K | SW_LORA_V),
                  work);
      if (model->position == SW_POSITION_ROPE || model->qk_norm != SW_QK_NORM_NONE)
        add_elementwise (scene, 4 * m * width, work);
    }
  add_attention_core (scene, work);
  add_linear (scene, m, h, value, CUT_ROWS, sw_lora_count (&scene->problem->training, SW_LORA_O),
              work);
}

static double
activation_bytes (const SwModelSpec *model, double tokens, double width)
{
  return (model->gated_mlp ? 6 : 4) * tokens * width;
}

/**
 * sw_layer_work_mlp:
 * @scene: of the layer
 * @width: of the whole MLP
 * @divisor: GPUs that share it
 * @modules: bits of SwRecomputeModules, each of which runs it again
 * @work: added to
 *
 * A dense or shared-expert MLP.
 */
void
sw_layer_work_mlp (const SwLayerScene *scene, double width, guint divisor, guint modules,
                   SwWork *work)
{
  const SwModelSpec *model = &scene->problem->model;
  double m = scene->tokens, f = width / divisor, h = model->hidden_size, before = work->forward_s;
  const SwTraining *training = &scene->problem->training;

  add_linear (scene, m, model->gated_mlp ? 2 * f : f, h, CUT_COLUMNS,
              sw_lora_count (training, SW_LORA_UP | (model->gated_mlp ? SW_LORA_GATE : 0)), work);
  add_elementwise (scene, activation_bytes (model, m, f), work);
  add_linear (scene, m, h, f, CUT_ROWS, sw_lora_count (training, SW_LORA_DOWN), work);
  if (scene->modules & modules)
    work->selective_s += work->forward_s - before;
}

/**
 * sw_layer_experts_are_fused:
 * @scene: of the layer
 *
 * Returns: whether the experts' grouped GEMMs apply activation functions and cast their operands
 * themselves: Megatron-Bridge since 26.06 on Blackwell (performance summary; the same runs took a
 * third longer with the previous release)
 */
gboolean
sw_layer_experts_are_fused (const SwLayerScene *scene)
{
  return scene->strategy->framework == SW_FRAMEWORK_MEGATRON_CORE
         && scene->problem->training.software_year >= scene->rates.calibration->since.experts_fused
         && scene->problem->cluster.gpu.generation >= SW_GENERATION_BLACKWELL
         && scene->problem->cluster.gpu.generation <= SW_GENERATION_RUBIN;
}

static void
add_grouped_linear (const SwLayerScene *scene, double tokens, double experts, double n, double k,
                    SwWork *work)
{
  work->forward_s += sw_rates_grouped_gemm (&scene->rates, tokens, experts, n, k, FALSE);
  work->input_s += sw_rates_grouped_gemm (&scene->rates, tokens, experts, k, n, FALSE);
  if (!scene->frozen)
    work->weight_s += sw_rates_grouped_gemm (&scene->rates, tokens, experts, n, k, TRUE);
  if (scene->rates.quantises && !sw_layer_experts_are_fused (scene))
    add_casts (scene, tokens * experts * k, tokens * experts * n, CUT_NONE, work);
  add_dequantisation (scene, experts * n * k, work);
  if (scene->frozen && (sw_lora_modules (&scene->problem->training) & SW_LORA_MLP) != 0)
    {
      sw_layer_work_adapter (scene, tokens * experts, n, k, work);
      add_adapter_casts (scene, tokens * experts, n, k, 1, work);
    }
}

/* Whether the dispatcher of experts over @ranks GPUs sends a token only once to each GPU of a
 * scale-up domain. Recipes disable this within eight GPUs; a job that sets it does not. */
static gboolean
forwards_inside (const SwLayerScene *scene, guint ranks)
{
  const SwProblem *problem = scene->problem;

  return (ranks > scene->rates.calibration->plain_dispatch_ranks
          || (problem->training.software.stated & SW_HAS (MOE_FORWARDING_INSIDE)) != 0)
         && sw_problem_enables (problem, scene->strategy, SW_FEATURE_MOE_FORWARDING_INSIDE);
}

/**
 * sw_layer_work_experts:
 * @scene: of the layer
 * @work: added to
 *
 * Router, permutation and the routed experts' grouped GEMMs of one MoE layer; its shared experts
 * are an MLP beside them.
 */
void
sw_layer_work_experts (const SwLayerScene *scene, SwWork *work)
{
  const SwModelSpec *model = &scene->problem->model;
  const SwMoe *moe = &model->moe;
  const SwRates *r = &scene->rates;
  const SwCalibration *c = r->calibration;
  /* Tokens of a micro-batch that enter the routing on one GPU: if experts are split by fewer than
   * tp, each rank of the tp group routes its own part. */
  double routed = (scene->tokens * scene->strategy->etp / scene->strategy->tp) * moe->top_k,
         h = model->hidden_size;
  double experts = (double) moe->experts / scene->strategy->ep,
         f = (double) moe->intermediate_size / scene->strategy->etp;
  double router = sw_rates_gemm (r, r->half_flops_per_s, 2, scene->tokens / scene->spread,
                                 moe->experts, h);
  double before = work->forward_s, times = 1, passes = 0, activation;

  work->forward_s += router;
  work->input_s += 2 * router;
  /* Each routed copy is gathered and scattered back, read and written twice. Rows cost as if they
   * were a thousand elements longer, for their indices and probabilities and because a short row
   * uses only a part of what is fetched (SimuMax measures permutation at 0.75 of the rate of other
   * element-wise kernels on B200, 0.2 on A100). Before Megatron-Core fused it (moe_permute_fusion,
   * 0.11) every step was a separate kernel: three times the traffic. */
  if (scene->problem->training.software_year < c->since.permute_fused)
    times = c->permute_unfused;
  /* Tokens received by a plain all-to-all are in the order of their senders and are sorted by
   * expert; tokens sent back are sorted by sender (token_dispatcher.py: sort_chunks_by_idxs). */
  else if (scene->strategy->ep > 1 && experts > 1
           && !forwards_inside (scene, scene->strategy->ep * scene->strategy->etp))
    times = 2;
  add_elementwise (scene,
                   8 * routed * (model->hidden_size + c->permute_row_overhead) * times
                       * c->permute_traffic,
                   work);
  add_grouped_linear (scene, routed / experts, experts, model->gated_mlp ? 2 * f : f, h, work);
  /* With biases and a clamp (GPT-OSS) the activation function runs as separate kernels: both
   * products' biases, two clamps, the scaled sigmoid, the shifted linear half, their product and the
   * routing weights, 28 reads and writes of 16 bits; ten are left where the GEMMs apply their part
   * (counted in Megatron-Core's experts.py). */
  if (model->mlp_bias && model->gated_mlp)
    passes = sw_layer_experts_are_fused (scene) ? 10 : 28;
  activation =
      add_elementwise (scene, activation_bytes (model, routed, f) + 2 * passes * routed * f, work);
  add_grouped_linear (scene, routed / experts, experts, h, f, work);
  if (scene->modules & SW_MODULE_MOE)
    work->selective_s += work->forward_s - before;
  else if (scene->modules & SW_MODULE_MOE_ACT)
    work->selective_s += activation;
}

/**
 * sw_layer_work_head:
 * @scene: of the last stage
 * @work: added to
 *
 * Final norm, head in 16 bits and cross-entropy in fp32 over a vocabulary divided by tp. Fused
 * profiles read and write the logits once more than the GEMM; others also keep an fp32 copy, which
 * memory_bound_factor includes.
 */
void
sw_layer_work_head (const SwLayerScene *scene, SwWork *work)
{
  const SwModelSpec *model = &scene->problem->model;
  const SwRates *r = &scene->rates;
  double m = scene->tokens, v = (double) model->vocab_size / scene->strategy->tp,
         h = model->hidden_size;

  add_elementwise (scene, 8 * h * m / scene->spread, work);
  work->forward_s += sw_rates_gemm (r, r->half_flops_per_s, 2, m, v, h);
  work->input_s += sw_rates_gemm (r, r->half_flops_per_s, 2, m, h, v);
  if (!scene->frozen)
    work->weight_s += sw_rates_gemm (r, r->half_flops_per_s, 2, v, h, m);
  work->forward_s += 8 * m * v / r->memory_bytes_per_s;
  work->input_s += 6 * m * v / r->memory_bytes_per_s;
}

/* ---- communication ---- */

static gboolean
overlaps (const SwLayerScene *scene)
{
  return scene->problem->training.overlap != SW_OVERLAP_NONE;
}

static void
add_share (double seconds, double exposed_share, double *exposed, double *hidden)
{
  *exposed += seconds * exposed_share;
  *hidden += seconds * (1 - exposed_share);
}

/* Bytes of one micro-batch's activation, whole width. */
static double
hidden_bytes (const SwLayerScene *scene)
{
  return 2 * scene->tokens * scene->problem->model.hidden_size;
}

/* Records one call with its numbers forward and backward and the exposed share of each. */
static void
note (const SwLayerScene *scene, SwCollective kind, SwGroup group, double bytes, double seconds,
      const double units[2], const double exposed[2])
{
  sw_collective_log (scene->log, scene->problem,
                     &(SwCollectiveCall){ kind,
                                          group,
                                          bytes,
                                          1,
                                          seconds,
                                          1,
                                          1,
                                          { units[0], units[1] },
                                          { exposed[0], exposed[1] } });
}

/* Records kernels that belong to a collective, fully exposed, with their time in each pass. */
static void
note_local (const SwLayerScene *scene, double forward_s)
{
  sw_collective_log (
      scene->log, scene->problem,
      &(SwCollectiveCall){
          .seconds = forward_s, .units = { 1, 1.5 }, .exposed_share = { 1, 1 }, .is_local = TRUE });
}

static double
share_of (double part, double whole)
{
  return whole > 0 ? part / whole : 0;
}

/* With sequence parallelism (Korthikanti et al. 2022, figure 5) a block gathers its input and
 * scatters its output in both passes, and gathers the input again in the backward pass for the
 * weight's gradient. The input of a GEMM is gathered in the precision in which the GEMM reads it
 * (Transformer Engine; torchtitan's float8 tensor parallelism), except for adapters, which read 16
 * bits; sums are scattered in 16 bits. */
static void
add_sequence_parallel (const SwLayerScene *scene, SwGroup group, double blocks, double exposed,
                       SwLayerComm *out)
{
  double bytes = hidden_bytes (scene);
  double element = scene->frozen ? 2 : scene->rates.linear_bytes;
  /* PyTorch's functional collectives gather and scatter only along the first dimension: activations
   * (batch, sequence, hidden size) are split and joined around each collective, which reads and
   * writes them once more (torch/distributed/_functional_collectives.py: all_gather_tensor,
   * reduce_scatter_tensor). Megatron's activations have the sequence first. */
  double copies_s = sw_engine (scene->strategy->framework) == SW_FRAMEWORK_FSDP2
                        ? 2 * bytes / scene->rates.stream_bytes_per_s
                        : 0;
  double gather = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_GATHER, group,
                                         bytes * element / 2, 1)
                  + copies_s;
  double scatter = sw_collective_seconds (scene->problem, SW_COLLECTIVE_REDUCE_SCATTER, group,
                                          bytes, 1)
                   + copies_s;
  double again = overlaps (scene) ? 0.5 * exposed : 1;

  add_share (blocks * (gather + scatter), exposed, &out->forward_exposed_s, &out->forward_hidden_s);
  add_share (blocks * (gather + scatter), exposed, &out->backward_exposed_s,
             &out->backward_hidden_s);
  /* The second gather overlaps the input's gradient in every release with sequence parallelism. */
  add_share (blocks * gather, again, &out->backward_exposed_s, &out->backward_hidden_s);
  note (scene, SW_COLLECTIVE_ALL_GATHER, group, bytes * element / 2, gather,
        (double[]){ blocks, blocks }, (double[]){ exposed, exposed });
  note (scene, SW_COLLECTIVE_ALL_GATHER, group, bytes * element / 2, gather,
        (double[]){ 0, blocks }, (double[]){ 0, again });
  note (scene, SW_COLLECTIVE_REDUCE_SCATTER, group, bytes, scatter, (double[]){ blocks, blocks },
        (double[]){ exposed, exposed });
}

/**
 * sw_layer_comm_tensor:
 * @scene: of the layer
 * @is_moe: whether its MLP is a mixture of experts
 * @out: filled in
 *
 * Tensor-parallel collectives of the attention and the MLP block. Routed experts that tp does not
 * split have none, but shared experts do.
 */
void
sw_layer_comm_tensor (const SwLayerScene *scene, gboolean is_moe, SwLayerComm *out)
{
  const SwStrategy *s = scene->strategy;
  const SwProfile *profile = scene->rates.profile;
  const SwMoe *moe = &scene->problem->model.moe;
  SwGroup group = { s->tp, 1 };
  double exposed = profile->tp_exposed, has_shared = moe->shared_intermediate_size > 0;
  double blocks = 2;

  *out = (SwLayerComm){ 0 };
  if (s->tp < 2)
    return;
  /* A layer with an adapter cannot split its GEMM into the chunks of the overlap; recipes for
   * packed sequences may disable the overlap. */
  if (!overlaps (scene) || scene->frozen
      || !sw_problem_enables (scene->problem, s, SW_FEATURE_ASYNC_TP))
    exposed = 1;
  else if (scene->problem->training.mean_document > 0 && profile->tp_exposed_packed > 0)
    exposed = profile->tp_exposed_packed;
  if (is_moe && s->etp < 2)
    blocks = 1 + has_shared;
  else if (is_moe)
    /* Every routed copy is gathered over the experts' tp group. */
    blocks = 1 + moe->top_k + has_shared;
  else if (scene->problem->model.parallel_block)
    blocks = 1;
  if (s->sequence_parallel)
    {
      gboolean inside, network;

      /* Gathers and scatters can overlap the GEMMs in chunks if ranks can write to each other's
       * memory: Transformer Engine's user buffers and PyTorch's symmetric memory do so over NVLink,
       * but not over PCIe or between scale-up domains. */
      sw_collective_links (&scene->problem->cluster, SW_COLLECTIVE_ALL_GATHER, group, &inside,
                           &network);
      if (scene->problem->cluster.intra.is_pcie || network)
        exposed = 1;
      add_sequence_parallel (scene, group, blocks, exposed, out);
    }
  else
    {
      /* Without it a block all-reduces its output forward and its input's gradient backward
       * (Shoeybi et al. 2019, figure 4); the latter can run beside the weight's gradient. */
      double one = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_REDUCE, group,
                                          hidden_bytes (scene), 1);

      add_share (blocks * one, 1, &out->forward_exposed_s, &out->forward_hidden_s);
      add_share (blocks * one, exposed, &out->backward_exposed_s, &out->backward_hidden_s);
      note (scene, SW_COLLECTIVE_ALL_REDUCE, group, hidden_bytes (scene), one,
            (double[]){ blocks, blocks }, (double[]){ 1, exposed });
    }
}

/* Bytes of keys and values of one context-parallel rank. */
static double
key_value_bytes (const SwLayerScene *scene)
{
  const SwModelSpec *model = &scene->problem->model;
  double kv = MAX ((double) model->kv_heads / scene->strategy->tp, 1);

  return 2 * scene->tokens * kv
         * (sw_model_query_head_dim (model) + sw_model_value_head_dim (model));
}

/* Attention in steps merges each step's output into the running output, which is fp32 (Liu et al.
 * 2023, algorithm 1): `bytes` per element. The backward pass adds up each step's gradients of
 * queries, keys and values: half as much again. Returns: seconds of the forward pass. */
static double
merge_seconds (const SwLayerScene *scene, double bytes)
{
  const SwModelSpec *model = &scene->problem->model;
  const SwStrategy *s = scene->strategy;
  double elements = scene->tokens * model->attention_heads / s->tp
                    * (double) sw_model_value_head_dim (model);

  return bytes * elements * s->cp / scene->rates.memory_bytes_per_s;
}

/* Ring attention (Liu et al. 2023): keys and values move around the ring during the attention of
 * the previous block; in the backward pass, their gradients move along. Communication longer than
 * the kernels, the start of the first block, and the merges are exposed. */
static void
context_ring (const SwLayerScene *scene, double attention_s, double exposed, SwLayerComm *out)
{
  const SwCluster *cluster = &scene->problem->cluster;
  const SwStrategy *s = scene->strategy;
  const guint inside = sw_cluster_ranks_together (cluster, cluster->nvlink_domain, s->cp, s->tp);
  /* Neighbors in different nodes if there are any, because the others wait for them. */
  const SwGroup pair = { 2, inside == s->cp ? s->tp
                                            : MAX (cluster->nvlink_domain, s->tp * (s->cp - 1)) };
  double merge = merge_seconds (scene, scene->rates.calibration->attention_merge_bytes);
  double step = sw_collective_seconds (scene->problem, SW_COLLECTIVE_P2P, pair,
                                       key_value_bytes (scene), 1);
  double forward = (s->cp - 1) * step, backward = 2 * forward;
  double window = overlaps (scene) ? attention_s * (s->cp - 1) / s->cp : 0;
  double forward_exposed = MIN (forward,
                                MAX (forward - window, 0) + exposed * MIN (forward, window));
  double backward_exposed =
      MIN (backward, MAX (backward - 2.5 * window, 0) + exposed * MIN (backward, 2.5 * window));

  *out = (SwLayerComm){ forward_exposed + merge, forward - forward_exposed,
                        backward_exposed + 1.5 * merge, backward - backward_exposed };
  note (scene, SW_COLLECTIVE_P2P, pair, key_value_bytes (scene), step,
        (double[]){ s->cp - 1, 2 * (s->cp - 1) },
        (double[]){ share_of (forward_exposed, forward), share_of (backward_exposed, backward) });
  note_local (scene, merge);
}

/**
 * sw_layer_comm_context:
 * @scene: of the layer
 * @attention_s: forward time of the attention core
 * @out: filled in
 *
 * Ring; all-gather of keys and values with a reduce-scatter backward (Llama 3, section 3.3.2); or
 * Ulysses' all-to-alls of queries, keys, values and outputs (Jacobs et al. 2023). Causal work is
 * balanced: every framework pairs early with late blocks.
 */
void
sw_layer_comm_context (const SwLayerScene *scene, double attention_s, SwLayerComm *out)
{
  const SwModelSpec *model = &scene->problem->model;
  const SwStrategy *s = scene->strategy;
  SwGroup group = { s->cp, s->tp };
  double exposed = overlaps (scene) ? scene->rates.profile->cp_exposed : 1;

  *out = (SwLayerComm){ 0 };
  if (s->cp < 2)
    return;
  if (s->cp_method == SW_CP_RING)
    {
      context_ring (scene, attention_s, exposed, out);
      return;
    }
  if (s->cp_method == SW_CP_ULYSSES)
    {
      double heads = (double) model->attention_heads / s->tp;
      double bytes = key_value_bytes (scene)
                     + 2 * scene->tokens * heads
                           * (sw_model_query_head_dim (model) + sw_model_value_head_dim (model));

      out->forward_exposed_s = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_TO_ALL,
                                                      group, bytes, 4);
      out->backward_exposed_s = out->forward_exposed_s;
      sw_collective_log (scene->log, scene->problem,
                         &(SwCollectiveCall){ SW_COLLECTIVE_ALL_TO_ALL,
                                              group,
                                              bytes,
                                              4,
                                              out->forward_exposed_s,
                                              1,
                                              1,
                                              { 1, 1 },
                                              { 1, 1 } });
      return;
    }
  out->forward_exposed_s = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_GATHER, group,
                                                  key_value_bytes (scene) * s->cp, 1);
  out->backward_exposed_s = 2 * out->forward_exposed_s;
  note (scene, SW_COLLECTIVE_ALL_GATHER, group, key_value_bytes (scene) * s->cp,
        out->forward_exposed_s, (double[]){ 1, 1 }, (double[]){ 1, 1 });
  note (scene, SW_COLLECTIVE_REDUCE_SCATTER, group, key_value_bytes (scene) * s->cp,
        out->forward_exposed_s, (double[]){ 0, 1 }, (double[]){ 0, 1 });
  if (sw_engine (s->framework) == SW_FRAMEWORK_FSDP2)
    {
      note_local (scene,
                  merge_seconds (scene, scene->rates.calibration->attention_merge_unfused_bytes));
      out->forward_exposed_s +=
          merge_seconds (scene, scene->rates.calibration->attention_merge_unfused_bytes);
      out->backward_exposed_s +=
          1.5 * merge_seconds (scene, scene->rates.calibration->attention_merge_unfused_bytes);
    }
}

/* Mean number of `places` with experts that a token is sent to. */
static double
places_of_token (double places, double top_k)
{
  return places * (1 - pow (1 - 1 / places, top_k));
}

/* The parts of a plain all-to-all, which sends every copy of a token, that remain inside a domain
 * and over the network if the dispatcher forwards: the token is sent once to each of @nodes with
 * one of its experts, and from there over the inner links once to each GPU with one (DeepEP; Liu et
 * al. 2024, section 3.2.2). */
static void
forward_copies (const SwLayerScene *scene, double nodes, double ranks, double *intra, double *inter)
{
  const SwMoe *moe = &scene->problem->model.moe;
  const double groups = moe->groups, chosen = moe->chosen_groups;
  const double top_k = moe->top_k;

  *intra = *inter = 1;
  if (nodes > 1 && sw_problem_enables (scene->problem, scene->strategy, SW_FEATURE_MOE_FORWARDING))
    {
      double any = places_of_token (nodes, top_k), missed = 1;

      /* Some routers choose groups of experts first (DeepSeek-V3: four of eight; Liu et al. 2024,
       * section 2.1.2). A group is a whole node or a part of one. */
      if (groups >= 2 && chosen < groups && nodes >= groups)
        any = MIN (any, nodes * chosen / groups);
      else if (groups >= 2 && chosen < groups)
        {
          for (double i = 0; i < groups / nodes; i++)
            missed *= (groups - chosen - i) / (groups - i);
          any = MIN (any, nodes * (1 - MAX (missed, 0)));
        }
      *inter = any / top_k;
    }
  if (forwards_inside (scene, ranks))
    *intra = nodes * places_of_token (ranks, top_k) / top_k;
}

/**
 * sw_layer_comm_expert:
 * @scene: of the layer
 * @out: filled in
 *
 * Dispatch and combine of every routed copy, forward and backward.
 */
void
sw_layer_comm_expert (const SwLayerScene *scene, SwLayerComm *out)
{
  const SwProblem *problem = scene->problem;
  const SwCalibration *c = scene->rates.calibration;
  const SwStrategy *s = scene->strategy;
  SwGroup group = { s->ep, s->etp };
  double bytes = hidden_bytes (scene) / s->tp * problem->model.moe.top_k;
  const guint span = s->ep * s->etp;
  double exposed = scene->rates.profile->ep_exposed;
  double seconds, intra, inter, nodes, beside;
  gboolean inside, network;
  SwCollectiveCost cost;
  SwCollectiveCall call;

  *out = (SwLayerComm){ 0 };
  if (s->ep < 2)
    return;
  sw_collective_links (&problem->cluster, SW_COLLECTIVE_ALL_TO_ALL, group, &inside, &network);
  if (!overlaps (scene))
    exposed = 1;
  nodes = ceil ((double) span / MAX (problem->cluster.nvlink_domain, 1));
  sw_collective_cost (problem, SW_COLLECTIVE_ALL_TO_ALL, group, &cost);
  forward_copies (scene, network ? MAX (nodes, 2) : 1, span, &intra, &inter);
  cost.intra_s_per_byte *= intra;
  cost.inter_s_per_byte *= inter;
  /* Dispatch and combine, each in one call. */
  seconds = 2 * sw_collective_cost_seconds (&cost, bytes, 1) * c->expert_imbalance;
  add_share (seconds, exposed, &out->forward_exposed_s, &out->forward_hidden_s);
  add_share (seconds, exposed, &out->backward_exposed_s, &out->backward_hidden_s);
  /* Since Megatron-Core 0.14 it overlaps the step's other micro-batches, with or without a pipeline
   * (overlap_moe_expert_parallel_comm; DualPipe: Liu et al. 2024, section 3.2.1): the part that
   * such a schedule hides is recorded separately. */
  if (overlaps (scene) && sw_problem_has (problem, s->framework, SW_FEATURE_MOE_OVERLAP))
    {
      out->forward_beside_s = (1 - c->ep_beside_exposed) * out->forward_exposed_s;
      out->backward_beside_s = (1 - c->ep_beside_exposed) * out->backward_exposed_s;
    }
  if (scene->log == NULL)
    return;
  /* Communication beside other micro-batches is hidden. */
  beside = sw_strategy_runs_beside (problem, s) ? 1 : 0;
  call = (SwCollectiveCall){
    SW_COLLECTIVE_ALL_TO_ALL, group, 2 * bytes, 2, seconds, intra, inter, { 1, 1 }
  };
  call.exposed_share[0] = share_of (out->forward_exposed_s - beside * out->forward_beside_s,
                                    seconds);
  call.exposed_share[1] = share_of (out->backward_exposed_s - beside * out->backward_beside_s,
                                    seconds);
  sw_collective_log (scene->log, problem, &call);
}

/**
 * sw_layer_comm_head:
 * @scene: of the last stage
 *
 * Returns: seconds of the head's tensor-parallel communication: its input gathered and its gradient
 * reduced, and three short all-reduces of the vocabulary-parallel cross-entropy
 */
double
sw_layer_comm_head (const SwLayerScene *scene)
{
  const SwStrategy *s = scene->strategy;
  double bytes = hidden_bytes (scene), losses = 12 * scene->tokens, input_s, losses_s;
  SwGroup group = { s->tp, 1 };

  if (s->tp < 2)
    return 0;
  input_s = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_REDUCE, group, bytes, 1);
  losses_s = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_REDUCE, group, losses, 3);
  note (scene, SW_COLLECTIVE_ALL_REDUCE, group, bytes, input_s, (double[]){ 1, 0 },
        (double[]){ 1, 0 });
  sw_collective_log (
      scene->log, scene->problem,
      &(SwCollectiveCall){
          SW_COLLECTIVE_ALL_REDUCE, group, losses, 3, losses_s, 1, 1, { 1, 0 }, { 1, 0 } });
  return input_s + losses_s;
}

/* ---- the layer ---- */

/* Host and GPU in parallel: the additional time of a step beyond the GPU's own `work_s` if
 * launching takes `launch_s`. A smooth maximum, because some kernels of a layer are longer than
 * their launches and some shorter; a sum if launches block. */
static double
launch_excess (const SwRates *rates, double work_s, double launch_s)
{
  double squared;

  if (rates->launches_block || work_s <= 0)
    return launch_s;
  /* The 4-norm of the two: roots and products are many times faster than pow(). */
  squared = launch_s / work_s * (launch_s / work_s);
  return work_s * (sqrt (sqrt (1 + squared * squared)) - 1);
}

/* The three kinds of communication of a layer. */
typedef struct {
  SwLayerComm tp, cp, ep;
} LayerComm;

static double
forward_exposed (const LayerComm *comm)
{
  return comm->tp.forward_exposed_s + comm->cp.forward_exposed_s + comm->ep.forward_exposed_s;
}

static double
backward_exposed (const LayerComm *comm)
{
  return comm->tp.backward_exposed_s + comm->cp.backward_exposed_s + comm->ep.backward_exposed_s;
}

static void
sum_comm (const SwLayerComm *comm, double again, double *exposed, double *hidden)
{
  *exposed = comm->forward_exposed_s * (1 + again) + comm->backward_exposed_s;
  *hidden = comm->forward_hidden_s * (1 + again) + comm->backward_hidden_s;
}

/* Fills `part` for a layer that repeats `recompute_s` of the forward work, with the communication
 * that `again` marks; see sw_layer_comm_again(). */
static void
fill_part (const SwLayerScene *scene, const SwWork *work, const LayerComm *comm, double recompute_s,
           double launch_s, const double again[3], SwLayerTimePart *part)
{
  const SwRates *rates = &scene->rates;
  const double forwards = scene->problem->training.forward_passes;
  double backward = work->input_s + work->weight_s;
  double recompute_comm = again[0] * comm->tp.forward_exposed_s
                          + again[1] * comm->cp.forward_exposed_s
                          + again[2] * comm->ep.forward_exposed_s;
  /* While communication overlaps other micro-batches, the GPU is busy, so the host does not catch
   * up. */
  double forward_beside = comm->ep.forward_beside_s,
         backward_beside = comm->ep.backward_beside_s + again[2] * forward_beside;
  double recompute_launch = work->forward_s > 0 ? launch_s * recompute_s / work->forward_s : 0,
         excess;

  part->forward_s =
      work->forward_s
      + launch_excess (rates, work->forward_s + forward_exposed (comm) - forward_beside, launch_s);
  /* A reference or a teacher only runs forward. */
  part->forward_s *= 1 + forwards;
  excess = launch_excess (
      rates, backward + recompute_s + backward_exposed (comm) + recompute_comm - backward_beside,
      launch_s + recompute_launch);
  part->recompute_s = recompute_s;
  part->backward_s = backward + excess;
  part->backward_input_s = work->input_s + excess;
  sum_comm (&comm->tp, forwards + again[0], &part->tp_exposed_s, &part->tp_hidden_s);
  sum_comm (&comm->cp, forwards + again[1], &part->cp_exposed_s, &part->cp_hidden_s);
  sum_comm (&comm->ep, forwards + again[2], &part->ep_exposed_s, &part->ep_hidden_s);
  part->ep_beside_s[0] = (1 + forwards) * forward_beside;
  part->ep_beside_s[1] = backward_beside;
  part->forward_comm_s = (1 + forwards) * forward_exposed (comm);
  part->backward_comm_s = backward_exposed (comm) + recompute_comm;
}

/* Host time of one pass of a layer. Experts are launched one by one, and casting their operands
 * needs launches of its own. On Blackwell, recipes since Megatron-Bridge 26.02 capture the router
 * and the preparation of the dispatch in CUDA graphs, about half of routing and dispatch. */
static double
launch_seconds (const SwLayerScene *scene, gboolean is_moe)
{
  const SwCalibration *c = scene->rates.calibration;
  double experts = (double) scene->problem->model.moe.experts / scene->strategy->ep;
  SwGeneration generation = scene->problem->cluster.gpu.generation;
  double routing_s = c->generation[generation].launch_s_per_routing;

  if (!is_moe)
    return scene->rates.launch_s;
  if (generation == SW_GENERATION_BLACKWELL
      && !sw_problem_enables (scene->problem, scene->strategy, SW_FEATURE_CUDA_GRAPHS))
    routing_s *= c->routing_ungraphed;
  return scene->rates.launch_s + routing_s
         + experts
               * (c->launch_s_per_expert
                  + (scene->rates.quantises ? c->launch_s_per_cast_expert : 0));
}

/**
 * sw_layer_comm_again:
 * @scene: of the layer
 * @whole: whether the layer is recomputed whole, regardless of the strategy
 * @again: (out): for tensor, context and expert parallelism: 1 if the backward pass repeats the
 * forward communication, else 0
 */
void
sw_layer_comm_again (const SwLayerScene *scene, gboolean whole, double again[3])
{
  const guint recompute = scene->strategy->recompute;
  gboolean all = whole || recompute == SW_RECOMPUTE_FULL,
           selective = recompute == SW_RECOMPUTE_SELECTIVE;

  again[0] = all;
  again[1] = all || (selective && (scene->modules & SW_MODULE_CORE_ATTN));
  again[2] = all || (selective && (scene->modules & SW_MODULE_MOE));
}

static void
add_work (SwWork *work, const SwWork *other)
{
  work->forward_s += other->forward_s;
  work->input_s += other->input_s;
  work->weight_s += other->weight_s;
  work->selective_s += other->selective_s;
  work->core_s += other->core_s;
}

/**
 * sw_layer_base:
 * @problem: the question, prepared
 * @strategy: tp, cp, sequence parallelism, micro-batch, modules and framework are read, and nothing
 * else
 * @out: filled in
 *
 * The parts that strategies with the same values of these share: attention, dense MLPs, embedding
 * and head. The search computes them once for all ep, etp, cp methods and recomputations.
 */
void
sw_layer_base (const SwProblem *problem, const SwStrategy *strategy, SwLayerBase *out)
{
  const SwModelSpec *model = &problem->model;
  SwWork head = { 0 };

  memset (out, 0, sizeof *out);
  out->has_moe = model->moe.experts > 0;
  out->has_dense = !out->has_moe || model->moe.first_dense_layers > 0
                   || model->moe.layer_frequency > 1;
  sw_layer_scene_init (&out->scene, problem, strategy);
  sw_layer_work_attention (&out->scene, &out->attention);
  if (out->has_dense)
    {
      sw_layer_work_mlp (&out->scene, model->intermediate_size, strategy->tp, SW_MODULE_MLP,
                         &out->mlp);
      sw_layer_comm_tensor (&out->scene, FALSE, &out->dense_comm);
    }
  if (out->has_moe && model->moe.shared_intermediate_size > 0)
    sw_layer_work_mlp (&out->scene, model->moe.shared_intermediate_size, strategy->tp,
                       SW_MODULE_MOE | SW_MODULE_SHARED_EXPERTS, &out->shared);
  sw_layer_work_head (&out->scene, &head);
  if (!problem->training.scalar_head)
    {
      const double forwards = problem->training.forward_passes;

      out->head_s = (1 + forwards) * head.forward_s + head.input_s + head.weight_s;
      out->head_tp_exposed_s = (1 + forwards / 2) * sw_layer_comm_head (&out->scene);
    }
  /* Seconds of the embedding's look-up and of its gradient, forward and backward; a frozen
   * embedding has no gradient. */
  out->embedding_s = (out->scene.frozen ? 4 : 14) * out->scene.tokens
                     * out->scene.problem->model.hidden_size / out->scene.rates.memory_bytes_per_s;
  out->scene.strategy = NULL; /* the caller's; each strategy sets its own */
}

/**
 * sw_layer_experts:
 * @base: of the same question, by sw_layer_base()
 * @strategy: in addition to the fields of @base, etp and ep are read
 * @out: filled in; zero if the model has no experts
 *
 * The part of a layer's routed experts, for all cp methods and recomputations.
 */
void
sw_layer_experts (const SwLayerBase *base, const SwStrategy *strategy, SwLayerExperts *out)
{
  SwLayerScene scene = base->scene;

  memset (out, 0, sizeof *out);
  if (!base->has_moe)
    return;
  scene.strategy = strategy;
  sw_layer_work_experts (&scene, &out->work);
  sw_layer_comm_tensor (&scene, TRUE, &out->tensor);
  sw_layer_comm_expert (&scene, &out->expert);
}

/* Layers of one kind, of base and experts. */
static void
compose_kind (const SwLayerScene *scene, const SwLayerBase *base, const SwLayerExperts *experts,
              const SwLayerComm *context, SwLayerTime *out)
{
  const gboolean is_moe = experts != NULL;
  const guint kind = is_moe ? SW_LAYER_MOE : SW_LAYER_DENSE;
  SwStrategy unpiped = *scene->strategy;
  const guint recompute = scene->strategy->recompute;
  LayerComm comm = { .tp = is_moe ? experts->tensor : base->dense_comm, .cp = *context };
  SwLayerTimePart *part = &out->part[kind], *full = &out->full[kind];
  double launch_s = launch_seconds (scene, is_moe), whole[3], again[3], again_s = 0;
  SwWork work = base->attention;

  if (is_moe)
    {
      comm.ep = experts->expert;
      /* What a pipeline excludes of it is seen when the stages are known. */
      unpiped.pp = unpiped.vpp = 1;
      if (!sw_problem_enables (scene->problem, &unpiped, SW_FEATURE_MOE_OVERLAP))
        comm.ep.forward_beside_s = comm.ep.backward_beside_s = 0;
      add_work (&work, &experts->work);
    }
  add_work (&work, is_moe ? &base->shared : &base->mlp);
  /* With the strategy's recomputation and, if possible, recomputed whole. */
  if (recompute == SW_RECOMPUTE_FULL || recompute == SW_RECOMPUTE_FULL_LAYERS)
    {
      sw_layer_comm_again (scene, TRUE, whole);
      fill_part (scene, &work, &comm, work.forward_s, launch_s, whole, full);
    }
  if (recompute == SW_RECOMPUTE_FULL)
    {
      *part = *full;
      return;
    }
  if (recompute == SW_RECOMPUTE_SELECTIVE)
    again_s = work.selective_s;
  /* Without named modules, the profile's share of the rest is recomputed, too. */
  if (recompute == SW_RECOMPUTE_SELECTIVE && scene->strategy->recompute_modules == 0)
    again_s += scene->rates.profile->selective_share * (work.forward_s - work.selective_s);
  sw_layer_comm_again (scene, FALSE, again);
  fill_part (scene, &work, &comm, again_s, launch_s, again, part);
}

/**
 * sw_layer_compose:
 * @base: of the strategy, by sw_layer_base()
 * @experts: of the strategy, by sw_layer_experts()
 * @strategy: all its level-1 fields are read
 * @out: filled in
 *
 * The rest of sw_layer_time(): context parallelism, recomputation and launches.
 */
void
sw_layer_compose (const SwLayerBase *base, const SwLayerExperts *experts,
                  const SwStrategy *strategy, SwLayerTime *out)
{
  const SwModelSpec *model = &base->scene.problem->model;
  SwLayerScene scene = base->scene;
  const SwLayerTimePart *last;
  SwLayerComm context;
  double beside_s;

  scene.strategy = strategy;
  memset (out, 0, sizeof *out);
  sw_layer_comm_context (&scene, base->attention.core_s, &context);
  if (base->has_dense)
    compose_kind (&scene, base, NULL, &context, out);
  if (base->has_moe)
    compose_kind (&scene, base, experts, &context, out);
  out->embedding_s = base->embedding_s;
  out->head_s = base->head_s;
  out->head_tp_exposed_s = base->head_tp_exposed_s;
  /* Each multi-token-prediction layer is a layer, a projection of twice the width (about a sixth of
   * it) and a head (DeepSeek-V3, section 2.2). */
  last = &out->part[base->has_moe ? SW_LAYER_MOE : SW_LAYER_DENSE];
  beside_s = last->ep_beside_s[0] + last->ep_beside_s[1];
  out->mtp_s = model->mtp_layers
               * (7.0 / 6.0
                      * (last->forward_s + last->backward_s + last->recompute_s
                         + last->forward_comm_s + last->backward_comm_s - beside_s)
                  + out->head_s);
  out->mtp_beside_s = model->mtp_layers * 7.0 / 6.0 * beside_s;
  /* Every tensor-parallel rank sends its part, gathered again inside the node (Narayanan et al.
   * 2021, section 4.1). */
  out->p2p_bytes = 2 * scene.tokens * model->hidden_size / strategy->tp;
}

/**
 * sw_layer_time:
 * @problem: the question, prepared
 * @strategy: its level-1 fields are read: tp, etp, cp, ep, sequence parallelism, micro-batch,
 * recomputation, framework
 * @out: filled in
 *
 * Seconds of one micro-batch through one layer of each kind the model has; zero for a kind that the
 * model lacks.
 */
void
sw_layer_time (const SwProblem *problem, const SwStrategy *strategy, SwLayerTime *out)
{
  SwLayerExperts experts;
  SwLayerBase base;

  sw_layer_base (problem, strategy, &base);
  sw_layer_experts (&base, strategy, &experts);
  sw_layer_compose (&base, &experts, strategy, out);
}
