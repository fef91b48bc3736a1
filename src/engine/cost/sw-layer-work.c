/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of one layer on one GPU: linear layers, the attention core, experts and the
 * element-wise work between. */
#include "sw-layer-work.h"

#include "sw-framework.h"

/**
 * sw_layer_scene_init:
 * @scene: filled in
 * @problem: the question
 * @strategy: its level-1 fields are read
 */
void
sw_layer_scene_init (SwLayerScene *scene, const SwProblem *problem, const SwStrategy *strategy)
{
  SwTrainingType type = problem->training.type;

  scene->problem = problem;
  scene->strategy = strategy;
  sw_rates_init (&scene->rates, problem, strategy->framework);
  scene->sequences = strategy->micro_batch;
  scene->tokens = (double) strategy->micro_batch * problem->training.sequence_length / strategy->cp;
  scene->spread = strategy->sequence_parallel ? strategy->tp : 1;
  scene->modules = sw_selected_modules (strategy);
  scene->frozen = sw_training_is_adapter (&problem->training);
  scene->dequantises = type == SW_TRAINING_QLORA;
  scene->log = NULL;
}

/* How a linear layer is cut by tensor parallelism: along its outputs, where its input is gathered
 * from the sequence-parallel ranks; or along its inputs, where its output's gradient is. */
typedef enum {
  CUT_NONE,
  CUT_COLUMNS,
  CUT_ROWS,
} Cut;

/* Casts of the input forward and of the output's gradient backward. What is gathered is cast
 * before, by each rank its own part (Transformer Engine gathers 8 bits). Weights are cast once a
 * step, which is nothing beside the micro-batches. */
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
 * 16 bits before each of the two passes that read them: half a byte read, two written. */
static void
add_dequantisation (const SwLayerScene *scene, double count, SwWork *work)
{
  double seconds = 2.5 * count / scene->rates.memory_bytes_per_s;

  if (!scene->dequantises)
    return;
  work->forward_s += seconds;
  work->input_s += seconds;
  work->memory_s += 2 * seconds;
}

/* One linear layer of m tokens: y[m x n] = x[m x k] w[k x n]. Its forward GEMM, the input's
 * gradient and the weight's gradient have the same FLOPs and other shapes. */
static void
add_linear (const SwLayerScene *scene, double m, double n, double k, Cut cut, gboolean adapted,
            SwWork *work)
{
  const SwRates *r = &scene->rates;

  work->forward_s += sw_rates_gemm (r, r->linear_flops_per_s, r->linear_bytes, m, n, k);
  work->input_s += sw_rates_gemm (r, r->linear_flops_per_s, r->linear_bytes, m, k, n);
  if (!scene->frozen)
    work->weight_s += sw_rates_gemm (r, r->linear_flops_per_s, r->linear_bytes, n, k, m);
  if (r->quantises)
    add_casts (scene, m * k, m * n, cut, work);
  add_dequantisation (scene, n * k, work);
  if (scene->frozen && adapted)
    sw_layer_work_adapter (scene, m, n, k, work);
}

/* Element-wise kernels: bytes read and written forward; the backward pass moves half as much again.
 */
static double
add_elementwise (const SwLayerScene *scene, double bytes, SwWork *work)
{
  double seconds = bytes / scene->rates.memory_bytes_per_s;

  work->forward_s += seconds;
  work->input_s += 1.5 * seconds;
  work->memory_s += 2.5 * seconds;
  return seconds;
}

static double
head_size (const SwModelSpec *model)
{
  return (sw_model_query_head_dim (model) + sw_model_value_head_dim (model)) / 2.0;
}

/* Latent attention's kernels have queries and keys of 192 and values of 128: four fifths of the
 * rate at 128 (kernels.md, causal attention on A100 and B200: 0.82 forward, 0.78 backward). */
static void
add_attention_core (const SwLayerScene *scene, SwWork *work)
{
  const double latent_rate = 0.8;
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
      forward /= latent_rate;
      backward /= latent_rate;
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
  static const double fused_year = 2025.5;
  gboolean fused = scene->problem->training.software_year >= fused_year;

  add_linear (scene, m, mla->kv_lora_rank + mla->qk_rope_head_dim, model->hidden_size, CUT_NONE,
              TRUE, work);
  if (mla->q_lora_rank > 0)
    add_linear (scene, m, mla->q_lora_rank, model->hidden_size, CUT_NONE, TRUE, work);
  before = work->forward_s;
  add_linear (scene, m, query, mla->q_lora_rank > 0 ? mla->q_lora_rank : model->hidden_size,
              CUT_COLUMNS, TRUE, work);
  add_linear (scene, m, heads * (mla->qk_nope_head_dim + mla->v_head_dim), mla->kv_lora_rank,
              CUT_COLUMNS, TRUE, work);
  if (scene->modules & SW_MODULE_MLA_UP_PROJ)
    work->selective_s += work->forward_s - before;
  /* Rotated and plain parts are split, rotated and joined again: queries and keys read and written
   * twice each, once in one kernel for both since Megatron-Core 0.13 (apply_rope_fusion). */
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

  /* Two norms, each fused with its residual: two reads and two writes of 16 bits; without fusion
   * the profile's factor says more. */
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

      add_linear (scene, m, width, h, CUT_COLUMNS, TRUE, work);
      if (model->position == SW_POSITION_ROPE || model->qk_norm != SW_QK_NORM_NONE)
        add_elementwise (scene, 4 * m * width, work);
    }
  add_attention_core (scene, work);
  add_linear (scene, m, h, value, CUT_ROWS, TRUE, work);
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
  gboolean adapted = scene->problem->training.lora_all_linear;

  add_linear (scene, m, model->gated_mlp ? 2 * f : f, h, CUT_COLUMNS, adapted, work);
  add_elementwise (scene, activation_bytes (model, m, f), work);
  add_linear (scene, m, h, f, CUT_ROWS, adapted, work);
  if (scene->modules & modules)
    work->selective_s += work->forward_s - before;
}

/* Tokens of a micro-batch that enter the routing on one GPU: with experts cut by fewer than tp,
 * each rank of the tp group routes its own part. */
static double
routed_tokens (const SwLayerScene *scene)
{
  return scene->tokens * scene->strategy->etp / scene->strategy->tp;
}

/**
 * sw_layer_experts_are_fused:
 * @scene: of the layer
 *
 * Returns: whether the experts' grouped GEMMs apply activation functions and cast their operands
 * themselves: Megatron-Bridge from 26.06 on, on Blackwell (performance summary; the same runs took
 * a third longer with the release before)
 */
gboolean
sw_layer_experts_are_fused (const SwLayerScene *scene)
{
  static const double fused_experts_year = 2026.45;

  return scene->strategy->framework == SW_FRAMEWORK_MEGATRON_CORE
         && scene->problem->training.software_year >= fused_experts_year
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
  if (scene->frozen && scene->problem->training.lora_all_linear)
    sw_layer_work_adapter (scene, tokens * experts, n, k, work);
}

/* Bytes to route `copies` of tokens: each is gathered and scattered back, read and written twice.
 * Rows cost as if they were a thousand elements longer, for their indices and probabilities and
 * since a short row uses a part of what is fetched (SimuMax measures permutation at 0.75 of the
 * rate of other element-wise kernels on B200, 0.2 on A100: kernels.md). Before Megatron-Core fused
 * it (moe_permute_fusion, 0.11) every step was a kernel of its own: three times the traffic. */
static double
permute_bytes (const SwLayerScene *scene, double copies)
{
  static const double fused_permute_year = 2025.3;
  const double row_overhead = 1000;
  double times = scene->problem->training.software_year < fused_permute_year ? 3 : 1;

  return 8 * copies * (scene->problem->model.hidden_size + row_overhead) * times
         * scene->rates.calibration->permute_traffic;
}

/* The experts' activation function of `copies` on a width of `f`. With biases and a clamp (GPT-OSS)
 * it runs as separate kernels: both products' biases, two clamps, the scaled sigmoid, the shifted
 * linear half, their product and the routing weights, 28 reads and writes of 16 bits; ten are left
 * where the GEMMs apply their part (counted in Megatron-Core's experts.py). */
static double
add_expert_activation (const SwLayerScene *scene, double copies, double f, SwWork *work)
{
  const SwModelSpec *model = &scene->problem->model;
  double passes = 0;

  if (model->mlp_bias && model->gated_mlp)
    passes = sw_layer_experts_are_fused (scene) ? 10 : 28;
  return add_elementwise (scene, activation_bytes (model, copies, f) + 2 * passes * copies * f,
                          work);
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
  double routed = routed_tokens (scene) * moe->top_k, h = model->hidden_size;
  double experts = (double) moe->experts / scene->strategy->ep,
         f = (double) moe->intermediate_size / scene->strategy->etp;
  double router = sw_rates_gemm (r, r->half_flops_per_s, 2, scene->tokens / scene->spread,
                                 moe->experts, h);
  double before = work->forward_s, activation;

  work->forward_s += router;
  work->input_s += 2 * router;
  add_elementwise (scene, permute_bytes (scene, routed), work);
  add_grouped_linear (scene, routed / experts, experts, model->gated_mlp ? 2 * f : f, h, work);
  activation = add_expert_activation (scene, routed, f, work);
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
 * profiles read and write the logits once more than the GEMM; others also keep a copy in fp32,
 * which memory_bound_factor stands for.
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

/**
 * sw_layer_work_embedding:
 * @scene: of the first stage
 *
 * Returns: seconds of the embedding's look-up and of adding its gradient, forward and backward; a
 * frozen one has no gradient
 */
double
sw_layer_work_embedding (const SwLayerScene *scene)
{
  return (scene->frozen ? 4 : 14) * scene->tokens * scene->problem->model.hidden_size
         / scene->rates.memory_bytes_per_s;
}
