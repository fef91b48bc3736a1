/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of one layer on one GPU: linear layers, the attention core, experts and the
 * element-wise work between. */
#include "sw-layer-work.h"

/* Modules that "selective" runs again when none are named. Megatron's is the attention core
 * (Korthikanti et al. 2022, section 5); PyTorch's are whole layers or operations in part, which the
 * profile's selective_share says. */
static guint
selective_modules (const SwStrategy *strategy)
{
  if (strategy->recompute_modules != 0)
    return strategy->recompute_modules;
  switch ((SwFramework)strategy->framework)
    {
    case SW_FRAMEWORK_FSDP:
    case SW_FRAMEWORK_FSDP2:
      return 0;
    case SW_FRAMEWORK_ANY:
    case SW_FRAMEWORK_MEGATRON_2021:
    case SW_FRAMEWORK_MEGATRON_CORE:
    case SW_FRAMEWORK_DEEPSPEED:
    case SW_FRAMEWORK_NANOTRON:
    case SW_N_FRAMEWORKS:
    default:
      return SW_MODULE_CORE_ATTN;
    }
}

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
  scene->tokens = (double)strategy->micro_batch * problem->training.sequence_length / strategy->cp;
  scene->spread = strategy->sequence_parallel ? strategy->tp : 1;
  scene->modules = selective_modules (strategy);
  scene->frozen = sw_training_is_adapter (&problem->training);
  scene->dequantises = type == SW_TRAINING_QLORA;
}

/* Casts to 8 or 4 bits: the input is read at 16 bits and written twice (as it is and transposed),
 * so is, backward, the output's gradient (Transformer Engine). Weights are cast once a step, which
 * is nothing beside the micro-batches. */
static void
add_casts (const SwLayerScene *scene, double m, double n, double k, SwWork *work)
{
  double bytes = (2 + 2 * scene->rates.linear_bytes) * scene->rates.calibration->cast_traffic;

  work->forward_s += bytes * m * k / scene->rates.memory_bytes_per_s;
  work->input_s += bytes * m * n / scene->rates.memory_bytes_per_s;
}

/* Low-rank adapters beside an m x n x k linear layer (Hu et al. 2021): two thin GEMMs, which memory
 * bounds. */
static void
add_adapter (const SwLayerScene *scene, double m, double n, double k, SwWork *work)
{
  const SwRates *r = &scene->rates;
  double rank = MAX (scene->problem->training.lora_rank, 1);
  double down = sw_rates_gemm (r, r->half_flops_per_s, 2, m, rank, k);
  double up = sw_rates_gemm (r, r->half_flops_per_s, 2, m, n, rank);

  work->forward_s += down + up;
  work->input_s += down + up;
  work->weight_s += sw_rates_gemm (r, r->half_flops_per_s, 2, rank, k, m)
                    + sw_rates_gemm (r, r->half_flops_per_s, 2, n, rank, m);
}

/* One linear layer of m tokens: y[m x n] = x[m x k] w[k x n]. Its forward GEMM, the input's
 * gradient and the weight's gradient have the same FLOPs and other shapes. */
static void
add_linear (const SwLayerScene *scene, double m, double n, double k, gboolean adapted, SwWork *work)
{
  const SwRates *r = &scene->rates;

  work->forward_s += sw_rates_gemm (r, r->linear_flops_per_s, r->linear_bytes, m, n, k);
  work->input_s += sw_rates_gemm (r, r->linear_flops_per_s, r->linear_bytes, m, k, n);
  if (!scene->frozen)
    work->weight_s += sw_rates_gemm (r, r->linear_flops_per_s, r->linear_bytes, n, k, m);
  if (r->quantises)
    add_casts (scene, m, n, k, work);
  if (scene->dequantises)
    {
      /* NF4 to bf16 (Dettmers et al. 2023): half a byte read, two written, in both passes. */
      work->forward_s += 2.5 * n * k / r->memory_bytes_per_s;
      work->input_s += 2.5 * n * k / r->memory_bytes_per_s;
    }
  if (scene->frozen && adapted)
    add_adapter (scene, m, n, k, work);
}

/* Element-wise kernels: bytes read and written forward; the backward pass moves half as much again.
 */
static double
add_elementwise (const SwLayerScene *scene, double bytes, SwWork *work)
{
  double seconds = bytes / scene->rates.memory_bytes_per_s;

  work->forward_s += seconds;
  work->input_s += 1.5 * seconds;
  return seconds;
}

static double
head_size (const SwModelSpec *model)
{
  return (sw_model_query_head_dim (model) + sw_model_value_head_dim (model)) / 2.0;
}

static void
add_attention_core (const SwLayerScene *scene, SwWork *work)
{
  const SwProblem *problem = scene->problem;
  const SwStrategy *s = scene->strategy;
  double heads = (double)problem->model.attention_heads / s->tp;
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
      double attended =
          sw_model_attended_tokens (&problem->model, problem->training.sequence_length, TRUE);

      /* Packed documents attend only to themselves. */
      if (problem->training.mean_document > 0)
        attended = MIN (attended, sw_model_attended_tokens (
                                      &problem->model, problem->training.mean_document, TRUE));
      forward = sw_rates_attention (&scene->rates, scene->sequences, heads, queries, attended,
                                    head_size (&problem->model), FALSE);
      backward = sw_rates_attention (&scene->rates, scene->sequences, heads, queries, attended,
                                     head_size (&problem->model), TRUE);
    }
  work->forward_s += forward;
  work->core_s += forward;
  work->input_s += backward;
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
  double heads = (double)model->attention_heads / scene->strategy->tp, m = scene->tokens;
  double query = heads * (mla->qk_nope_head_dim + mla->qk_rope_head_dim), before;

  add_linear (scene, m, mla->kv_lora_rank + mla->qk_rope_head_dim, model->hidden_size, TRUE, work);
  if (mla->q_lora_rank > 0)
    add_linear (scene, m, mla->q_lora_rank, model->hidden_size, TRUE, work);
  before = work->forward_s;
  add_linear (scene, m, query, mla->q_lora_rank > 0 ? mla->q_lora_rank : model->hidden_size, TRUE,
              work);
  add_linear (scene, m, heads * (mla->qk_nope_head_dim + mla->v_head_dim), mla->kv_lora_rank, TRUE,
              work);
  if (scene->modules & SW_MODULE_MLA_UP_PROJ)
    work->selective_s += work->forward_s - before;
  /* Rotated and plain parts are split, rotated and joined again: read and written twice. */
  add_elementwise (scene, 8 * m * query * 2, work);
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
  double query = model->attention_heads * (double)sw_model_query_head_dim (model) / tp;
  double value = model->attention_heads * (double)sw_model_value_head_dim (model) / tp;
  double kv = MAX (model->kv_heads / tp, 1.0), norms;

  /* Two norms, each fused with its residual: two reads and two writes of 16 bits; without fusion
   * the profile's factor says more. */
  norms =
      add_elementwise (scene, MAX (model->norms_per_layer, 1) * 8 * h * m / scene->spread, work);
  if (scene->modules & SW_MODULE_LAYERNORM)
    work->selective_s += norms;
  if (model->mla.kv_lora_rank > 0)
    add_latent_projections (scene, work);
  else
    {
      double width =
          query + kv * (sw_model_query_head_dim (model) + sw_model_value_head_dim (model));

      add_linear (scene, m, width, h, TRUE, work);
      if (model->position == SW_POSITION_ROPE || model->qk_norm != SW_QK_NORM_NONE)
        add_elementwise (scene, 4 * m * width, work);
    }
  add_attention_core (scene, work);
  add_linear (scene, m, h, value, TRUE, work);
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
 * @module: bit of SwRecomputeModules that runs it again
 * @work: added to
 *
 * A dense or shared-expert MLP.
 */
void
sw_layer_work_mlp (const SwLayerScene *scene,
                   double width,
                   guint divisor,
                   guint module,
                   SwWork *work)
{
  const SwModelSpec *model = &scene->problem->model;
  double m = scene->tokens, f = width / divisor, h = model->hidden_size, before = work->forward_s;
  gboolean adapted = scene->problem->training.lora_all_linear;

  add_linear (scene, m, model->gated_mlp ? 2 * f : f, h, adapted, work);
  add_elementwise (scene, activation_bytes (model, m, f), work);
  add_linear (scene, m, h, f, adapted, work);
  if (scene->modules & module)
    work->selective_s += work->forward_s - before;
}

/**
 * sw_layer_expert_tokens:
 * @scene: of the layer
 *
 * Returns: tokens of a micro-batch that enter the routing on one GPU: with experts cut by fewer
 * than tp, each rank of the tp group routes its own part
 */
double
sw_layer_expert_tokens (const SwLayerScene *scene)
{
  return scene->tokens * scene->strategy->etp / scene->strategy->tp;
}

static void
add_grouped_linear (const SwLayerScene *scene,
                    double tokens,
                    double experts,
                    double n,
                    double k,
                    SwWork *work)
{
  work->forward_s += sw_rates_grouped_gemm (&scene->rates, tokens, experts, n, k);
  work->input_s += sw_rates_grouped_gemm (&scene->rates, tokens, experts, k, n);
  if (!scene->frozen)
    work->weight_s += sw_rates_grouped_gemm (&scene->rates, tokens, experts, n, k);
  if (scene->rates.quantises)
    add_casts (scene, tokens * experts, n, k, work);
}

/**
 * sw_layer_work_experts:
 * @scene: of the layer
 * @work: added to
 *
 * Router, permutation, the routed experts' grouped GEMMs and the shared experts of one MoE layer.
 */
void
sw_layer_work_experts (const SwLayerScene *scene, SwWork *work)
{
  const SwModelSpec *model = &scene->problem->model;
  const SwMoe *moe = &model->moe;
  const SwRates *r = &scene->rates;
  double routed = sw_layer_expert_tokens (scene) * moe->top_k, h = model->hidden_size;
  double experts = (double)moe->experts / scene->strategy->ep,
         f = (double)moe->intermediate_size / scene->strategy->etp;
  double router =
      sw_rates_gemm (r, r->half_flops_per_s, 2, scene->tokens / scene->spread, moe->experts, h);
  double before = work->forward_s, activation;

  work->forward_s += router;
  work->input_s += 2 * router;
  /* Every copy of a token is gathered and scattered back: read and written twice. */
  add_elementwise (scene, 8 * routed * h * r->calibration->permute_traffic, work);
  add_grouped_linear (scene, routed / experts, experts, model->gated_mlp ? 2 * f : f, h, work);
  activation = add_elementwise (scene, activation_bytes (model, routed, f), work);
  add_grouped_linear (scene, routed / experts, experts, h, f, work);
  if (scene->modules & SW_MODULE_MOE)
    work->selective_s += work->forward_s - before;
  else if (scene->modules & SW_MODULE_MOE_ACT)
    work->selective_s += activation;
  if (moe->shared_intermediate_size > 0)
    sw_layer_work_mlp (scene, moe->shared_intermediate_size, scene->strategy->tp,
                       SW_MODULE_SHARED_EXPERTS, work);
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
  double m = scene->tokens, v = (double)model->vocab_size / scene->strategy->tp,
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
 * Returns: seconds of the embedding's look-up and of adding its gradient, forward and backward
 */
double
sw_layer_work_embedding (const SwLayerScene *scene)
{
  return 14 * scene->tokens * scene->problem->model.hidden_size / scene->rates.memory_bytes_per_s;
}
