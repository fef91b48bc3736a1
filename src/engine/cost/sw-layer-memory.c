/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-layer-memory.h"

#include "sw-framework.h"

#include <math.h>
#include <string.h>

/* What the parts of level 1 below share. Tokens are those of one micro-batch on one GPU. */
typedef struct {
  const SwModelSpec *model;
  const SwParameterCount *count;
  const SwReleases *since;
  SwFramework framework;
  double tokens;          /* of a context-parallel rank */
  double tp, etp, ep, sp; /* sp: divisor by sequence parallelism, tp or 1 */
  double kv_share;        /* divisor of KV heads, which are replicated if tp exceeds them */
  double sequence;
  double saved_input; /* bytes per element of input that a linear layer keeps */
  double cp;
  SwCpMethod cp_method;
  double imbalance;        /* tokens of the busiest expert-parallel rank / mean */
  double adapted;          /* 1 if every linear layer has an adapter, else 0 */
  double gathered_for;     /* ranks whose tokens are included in the kept input of an adapter */
  double residual;         /* bytes per element passed between layers */
  double input_of_adapter; /* bytes per element of its own input that an adapter keeps */
  gboolean is_adapter, has_dropout, is_flash, is_fp8;
  gboolean repeats_keys; /* copies keys and values for each query head */
  gboolean eager;        /* PyTorch's own element-wise kernels */
  gboolean eager_gating; /* an activation function and its product with the gated half, unfused */
  gboolean keeps_frozen_inputs; /* linear layers keep their input though they are frozen */
  guint modules;                /* recomputed selectively */
} Layer;

/* Bytes per token of one layer; Korthikanti et al. 2022, equation 1, tensor by tensor, generalised
 * to grouped queries, latent attention, gated MLPs and experts. */
typedef struct {
  double kept[SW_N_SAVED]; /* from the forward pass to the backward pass */
  double working;          /* alive in the backward pass of one layer only */
} Saved;

static gboolean
is_quantised (SwPrecision precision)
{
  return precision != SW_PRECISION_BF16 && precision != SW_PRECISION_FP16;
}

static void
layer_init (Layer *layer, const SwProblem *problem, const SwStrategy *strategy)
{
  const SwTraining *training = &problem->training;
  gboolean is_adapter = sw_training_is_adapter (training);

  layer->is_adapter = is_adapter;
  layer->model = &problem->model;
  layer->count = &problem->count;
  layer->since = &problem->calibration->since;
  layer->framework = strategy->framework;
  layer->sequence = training->sequence_length;
  layer->tokens = (double) strategy->micro_batch * training->sequence_length / strategy->cp;
  layer->tp = strategy->tp;
  layer->cp = strategy->cp;
  layer->cp_method = (SwCpMethod) strategy->cp_method;
  layer->etp = strategy->etp;
  layer->ep = strategy->ep;
  layer->sp = strategy->sequence_parallel ? strategy->tp : 1;
  layer->kv_share = MIN (strategy->tp, MAX (problem->model.kv_heads, 1));
  layer->is_flash = training->attention == SW_ATTENTION_FLASH;
  layer->repeats_keys = training->repeats_keys;
  layer->has_dropout = strategy->framework == SW_FRAMEWORK_MEGATRON_2021
                       || (sw_engine (strategy->framework) == SW_FRAMEWORK_DEEPSPEED
                           && training->software_year
                                  < problem->calibration->since.deepspeed_hugging_face);
  layer->modules = strategy->recompute == SW_RECOMPUTE_SELECTIVE ? sw_selected_modules (strategy)
                                                                 : 0;
  layer->imbalance = strategy->ep > 1 ? MAX (problem->calibration->expert_imbalance, 1) : 1;
  /* A frozen linear layer keeps no input, but its adapter does, in 16 bits; tensors of rank width
   * are ignored. Megatron's adapters keep the input of attention and MLP as sequence parallelism
   * gathers it (Megatron-Bridge, lora.py: sequence_parallel_input_regather, off by default). */
  layer->adapted = !is_adapter || (sw_lora_modules (training) & SW_LORA_MLP) != 0 ? 1 : 0;
  layer->gathered_for = is_adapter && layer->framework == SW_FRAMEWORK_MEGATRON_CORE ? layer->sp
                                                                                     : 1;
  /* TorchTitan and torchao keep the bf16 input and cast it again; Transformer Engine keeps the
   * quantized input. */
  layer->is_fp8 = is_quantised (training->precision)
                  && strategy->framework == SW_FRAMEWORK_MEGATRON_CORE && !is_adapter;
  layer->saved_input = layer->is_fp8 ? 1 : 2;
  /* Bytes per element passed between layers: 16 bits, or fp32 if the weights are fp32. */
  layer->residual = training->autocast || training->residual_fp32 ? 4 : 2;
  /* With dropout: its copy and its mask, for each adapter separately. */
  layer->input_of_adapter = is_adapter && training->lora_dropout ? 2 + 1 : 0;
  /* Hugging Face and similar tools write layers in plain PyTorch. */
  layer->eager =
      (sw_framework_is_fsdp (strategy->framework)
       || (sw_engine (strategy->framework) == SW_FRAMEWORK_DEEPSPEED
           && training->software_year >= problem->calibration->since.deepspeed_hugging_face))
      && sw_problem_kernel_class (problem, strategy->framework) == SW_KERNEL_CLASS_EAGER;
  /* Nanotron fuses norms and rotation only (nanotron, nn/layer_norm.py; models/llama.py,
   * GLUActivation). */
  layer->eager_gating = (layer->eager || strategy->framework == SW_FRAMEWORK_NANOTRON
                         || training->gating_apart)
                        && problem->model.gated_mlp;
  layer->keeps_frozen_inputs = is_adapter && sw_training_base (training) == SW_BASE_NF4
                               && training->software_year
                                      < problem->calibration->since.frozen_inputs_freed;
}

/* Dense (not routed) parameters of one layer on one GPU. tp splits matrices; norms, row-parallel
 * biases, the router and the down-projections of latent attention are replicated on every rank. */
static double
attention_on_rank (const Layer *layer)
{
  const SwModelSpec *model = layer->model;
  const SwMla *mla = &model->mla;
  double h = model->hidden_size, whole, kv;

  if (mla->kv_lora_rank > 0)
    {
      whole = h * (mla->kv_lora_rank + mla->qk_rope_head_dim) + mla->kv_lora_rank
              + (h + 1) * mla->q_lora_rank;
      return whole + (layer->count->attention - whole) / layer->tp;
    }
  kv = 2.0 * model->kv_heads * model->head_dim * (h + (model->qkv_bias ? 1 : 0));
  whole = (model->attn_out_bias ? h : 0)
          + (model->qk_norm == SW_QK_NORM_PER_HEAD_DIM ? 2.0 * model->head_dim : 0);
  return whole + kv / layer->kv_share + (layer->count->attention - whole - kv) / layer->tp;
}

static void
save_attention (const Layer *layer, Saved *saved)
{
  const SwModelSpec *model = layer->model;
  double h = model->hidden_size, heads = model->attention_heads / layer->tp;
  double query = heads * sw_model_query_head_dim (model),
         value = heads * sw_model_value_head_dim (model);
  double keys = layer->repeats_keys ? heads * model->head_dim
                                    : model->kv_heads / layer->kv_share * model->head_dim;

  if (model->mla.kv_lora_rank > 0)
    {
      /* Latents and their norms are replicated on each rank; keys have the width of the queries,
       * and the projected [k | v] stays alive beside the concatenated keys. */
      double latents = model->mla.q_lora_rank + model->mla.kv_lora_rank;

      saved->kept[SW_SAVED_UP_PROJ] = 2 * (2 * query + value + heads * model->mla.qk_nope_head_dim);
      saved->kept[SW_SAVED_QKV] = 2 * (2 * latents + model->mla.qk_rope_head_dim) / layer->sp;
    }
  else
    {
      /* The backward pass of the rotation does not need its input. */
      saved->kept[SW_SAVED_QKV] = 2 * (query + 2 * keys);
      if (model->qk_norm != SW_QK_NORM_NONE)
        saved->kept[SW_SAVED_QKV] += 2 * (query + keys);
    }
  if (layer->is_flash)
    saved->kept[SW_SAVED_CORE] = 4 * heads;
  else /* Scores are written out: the softmax, and with dropout its mask and its output; plain
        * PyTorch computes the softmax in fp32 and keeps it beside its 16-bit copy (transformers,
        * models/llama/modeling_llama.py, eager_attention_forward). */
    saved->kept[SW_SAVED_CORE] = (layer->has_dropout ? 5
                                  : layer->eager     ? 4 + 2
                                                     : 2)
                                 * heads * layer->sequence;
  /* The output projection reads the quantised copy of the context, or the context itself. */
  saved->kept[SW_SAVED_OUTPUT] = layer->is_fp8 ? 2 * value : 0;
  saved->kept[SW_SAVED_ATTENTION] =
      (layer->is_fp8 ? 1 : 2) * value + layer->input_of_adapter * value
      + (model->attention_output_gate ? 2 * value : 0) + (layer->has_dropout ? h / layer->sp : 0);
}

/* Bytes per element that linear layers with one input keep of it: the layers themselves, or the
 * adapters next to them. Each adapter with dropout keeps its own copy. @adapted: whether there are
 * adapters; @adapters: their number. */
static double
linear_input (const Layer *layer, double adapted, double adapters)
{
  const double frozen = layer->keeps_frozen_inputs ? layer->saved_input : 0;

  if (layer->input_of_adapter > 0)
    return adapted * adapters * layer->input_of_adapter + frozen;
  return MAX (adapted * layer->saved_input, frozen);
}

static double
activation_width (const Layer *layer, double width, gboolean input)
{
  if (input)
    return 2 * width * (layer->model->gated_mlp ? 2 : 1);
  return linear_input (layer, layer->adapted, 1) * width + (layer->eager_gating ? 2 * width : 0);
}

/* Tensors that norms keep in addition to their outputs: RMSNorm in plain PyTorch keeps an fp32 copy
 * of its input, and the 16-bit factor of its trained weight (transformers,
 * models/llama/modeling_llama.py, LlamaRMSNorm); others keep two numbers per token. For one norm
 * and one element. */
static double
norm_bytes (const Layer *layer)
{
  if (!layer->eager || layer->model->norm != SW_NORM_RMSNORM)
    return 0;
  return (layer->residual < 4 ? 4 : 0) + (layer->is_adapter ? 0 : 2);
}

/* Inputs of the linear layers after the norms: attention layers share one, and MLP layers share
 * one. */
static double
norm_outputs (const Layer *layer, guint norms)
{
  const double of_mlp = linear_input (layer, layer->adapted, layer->model->gated_mlp ? 2 : 1);

  return linear_input (layer, 1, 3) + (norms > 1 ? of_mlp : 0);
}

/* Dropless routing: the busiest GPU processes somewhat more tokens than it sends. Experts split by
 * etp receive the tokens of all etp ranks. */
static void
save_experts (const Layer *layer, double software_year, Saved *saved)
{
  const SwMoe *moe = &layer->model->moe;
  double routed = moe->top_k * layer->imbalance * layer->etp / layer->tp;
  double h = layer->model->hidden_size;
  double width = moe->intermediate_size / layer->etp,
         shared = moe->shared_intermediate_size / layer->tp;
  double outputs = software_year < layer->since->probabilities_in_activation ? 2 * h : 0;

  saved->kept[SW_SAVED_EXPERTS] =
      routed
      * (layer->adapted * layer->saved_input * h + activation_width (layer, width, TRUE) + outputs);
  saved->kept[SW_SAVED_EXPERT_ACT] = routed * activation_width (layer, width, FALSE);
  saved->kept[SW_SAVED_SHARED] = activation_width (layer, shared, TRUE)
                                 + activation_width (layer, shared, FALSE);
  saved->kept[SW_SAVED_ROUTER] = (2 * 4.0 * moe->experts + 2 * h) / layer->sp;
  saved->working = routed * (2 * width * (layer->model->gated_mlp ? 3 : 2) + 4 * h);
}

static double
saved_total (const Saved *saved)
{
  double total = 0;

  for (guint i = 0; i < SW_N_SAVED; i++)
    total += saved->kept[i];
  return total;
}

/* PyTorch's selective checkpointing as TorchTitan sets it up keeps the layer's input, every second
 * matrix product (wq, wv, w1, w2) and the attention output; the rest is recomputed (torchtitan,
 * activation_checkpoint.py, "op" policy). */
static void
keep_by_operator_policy (const Layer *layer, gboolean is_moe, Saved *saved)
{
  const SwModelSpec *model = layer->model;
  const double heads = model->attention_heads / layer->tp;
  double width = is_moe ? model->moe.shared_intermediate_size : model->intermediate_size;
  double keys = model->kv_heads / layer->kv_share * model->head_dim;
  Saved kept = { .working = saved->working };

  kept.kept[SW_SAVED_INPUT] = saved->kept[SW_SAVED_INPUT];
  kept.kept[SW_SAVED_QKV] = 2 * (heads * sw_model_query_head_dim (model) + keys);
  kept.kept[SW_SAVED_CORE] = saved->kept[SW_SAVED_CORE];
  kept.kept[SW_SAVED_ATTENTION] = 2 * heads * sw_model_value_head_dim (model);
  kept.kept[is_moe ? SW_SAVED_SHARED : SW_SAVED_MLP] =
      2 * (width / layer->tp + model->hidden_size / layer->sp);
  kept.kept[SW_SAVED_EXPERTS] = saved->kept[SW_SAVED_EXPERTS];
  if (saved_total (&kept) < saved_total (saved))
    *saved = kept;
}

static void
save_all (const Layer *layer, double software_year, guint kind, Saved *saved)
{
  double h = layer->model->hidden_size / layer->sp;
  double width = layer->model->intermediate_size / layer->tp;
  guint norms = MAX (layer->model->norms_per_layer, 1);

  memset (saved, 0, sizeof *saved);
  save_attention (layer, saved);
  saved->kept[SW_SAVED_INPUT] = layer->residual * h;
  saved->kept[SW_SAVED_NORMS] =
      h * (norm_outputs (layer, norms) * layer->gathered_for + norms * norm_bytes (layer));
  /* Every further norm keeps its input: the residual between attention and MLP, and the inputs of
   * post-norms. */
  saved->kept[SW_SAVED_ATTENTION] += layer->residual * h * (norms - 1);
  if (kind == SW_LAYER_MOE)
    save_experts (layer, software_year, saved);
  else
    {
      saved->kept[SW_SAVED_MLP] = activation_width (layer, width, TRUE)
                                  + (layer->has_dropout ? h : 0);
      saved->kept[SW_SAVED_MLP_ACT] = activation_width (layer, width, FALSE);
      saved->working = 2 * width * (layer->model->gated_mlp ? 3 : 2);
    }
}

static void
apply_selection (const Layer *layer, const SwStrategy *strategy, double software_year, guint kind,
                 Saved *saved)
{
  gboolean by_fsdp = strategy->recompute == SW_RECOMPUTE_SELECTIVE
                     && strategy->recompute_modules == 0 && sw_framework_is_fsdp (layer->framework);

  if (!by_fsdp)
    {
      /* Tensors that selective recomputation computes again. */
      static const struct {
        guint module;
        SwSaved tensor;
      } table[] = {
        { SW_MODULE_LAYERNORM, SW_SAVED_NORMS },
        { SW_MODULE_MLA_UP_PROJ, SW_SAVED_UP_PROJ },
        { SW_MODULE_CORE_ATTN, SW_SAVED_CORE },
        { SW_MODULE_CORE_ATTN, SW_SAVED_OUTPUT },
        { SW_MODULE_MLP, SW_SAVED_MLP },
        { SW_MODULE_MLP, SW_SAVED_MLP_ACT },
        { SW_MODULE_MOE | SW_MODULE_MOE_ACT, SW_SAVED_EXPERT_ACT },
        { SW_MODULE_MOE, SW_SAVED_EXPERTS },
        { SW_MODULE_MOE | SW_MODULE_SHARED_EXPERTS, SW_SAVED_SHARED },
      };

      for (guint i = 0; i < G_N_ELEMENTS (table); i++)
        if (layer->modules & table[i].module)
          saved->kept[table[i].tensor] = 0;
    }
  else if (software_year < layer->since->operator_policy)
    {
      /* Every second layer is recomputed whole: on average half a layer is kept, and the input of
       * the other half. */
      for (guint i = 0; i < SW_N_SAVED; i++)
        saved->kept[i] *= i == SW_SAVED_INPUT ? 1 : 0.5;
    }
  else
    keep_by_operator_policy (layer, kind == SW_LAYER_MOE, saved);
}

/* Weights of the largest matrix of a layer. */
static double
widest_matrix (const SwModelSpec *model)
{
  return model->hidden_size
         * MAX (model->intermediate_size * (model->gated_mlp ? 2.0 : 1),
                (double) model->attention_heads * model->head_dim);
}

static void
activations_of_kind (const Layer *layer, const SwProblem *problem, const SwStrategy *strategy,
                     guint kind, SwLayerMemory *out)
{
  const SwModelSpec *model = layer->model;
  double year = problem->training.software_year, all, kept, gathered_input, buffers = 0;
  Saved saved;

  save_all (layer, year, kind, &saved);
  all = saved_total (&saved);
  apply_selection (layer, strategy, year, kind, &saved);
  kept = saved_total (&saved);
  /* Keys and values of other context ranks, and their gradients, during attention: of the whole
   * sequence if they are gathered (Llama 3, 2024, section 3.3.2), of two ranks in a ring. Per token
   * of this rank. */
  if (layer->cp > 1 && layer->cp_method != SW_CP_ULYSSES)
    {
      double width = model->mla.kv_lora_rank > 0
                         ? model->attention_heads / layer->tp
                               * (sw_model_query_head_dim (model) + sw_model_value_head_dim (model))
                         : 2 * model->kv_heads / layer->kv_share * model->head_dim;

      buffers = 2 * 2 * width * (layer->cp_method == SW_CP_ALLGATHER ? layer->cp : 2);
    }
  /* With sequence parallelism the whole input is gathered again for the weight gradient, and its
   * gradient is whole. */
  gathered_input = (layer->sp > 1 ? 2 : 1) * 2.0 * model->hidden_size;
  /* torchao casts that input for the weight gradient and changes its layout for the GEMM. */
  if (is_quantised (problem->training.precision)
      && sw_engine (layer->framework) == SW_FRAMEWORK_FSDP2)
    gathered_input += 2.0 * model->hidden_size;
  out->activation_bytes[kind] = layer->tokens * kept;
  out->activation_full_bytes = layer->tokens * saved.kept[SW_SAVED_INPUT];
  out->recompute_peak_bytes[kind] = MAX (saved.working, buffers) + gathered_input;
  if (strategy->recompute == SW_RECOMPUTE_FULL || strategy->recompute == SW_RECOMPUTE_FULL_LAYERS)
    out->recompute_peak_bytes[kind] += all - saved.kept[SW_SAVED_INPUT];
  else
    out->recompute_peak_bytes[kind] += all - kept;
  out->recompute_peak_bytes[kind] *= layer->tokens;
  /* A matrix of 4-bit weights is expanded to 16 bits for its multiplication (bitsandbytes,
   * functional.py, dequantize_4bit). */
  if (sw_base_bytes (&problem->training) < 1)
    out->recompute_peak_bytes[kind] += 2 * widest_matrix (model) / layer->tp;
}

/* Bytes that one layer of @kind keeps of one micro-batch, tensor by tensor; their sum is
 * activation_bytes[kind] of level 1. */
void
sw_layer_saved (const SwProblem *problem, const SwStrategy *strategy, guint kind,
                double bytes[SW_N_SAVED])
{
  Layer layer;
  Saved saved;

  layer_init (&layer, problem, strategy);
  save_all (&layer, problem->training.software_year, kind, &saved);
  apply_selection (&layer, strategy, problem->training.software_year, kind, &saved);
  for (guint i = 0; i < SW_N_SAVED; i++)
    bytes[i] = layer.tokens * saved.kept[i];
}

typedef struct {
  double peak;   /* during the loss: logits, intermediate results and their gradient */
  double kept;   /* from the loss to its backward pass */
  double taught; /* additional peak for a teacher's logits */
} BytesPerLogit;

/* A fused loss writes the gradient beside the bf16 logits, and in their place once it is done; an
 * eager one makes an fp32 copy, its log-softmax, which it keeps, and its gradient too; Megatron's
 * vocabulary-parallel one an fp32 copy that becomes softmax and gradient in place. Models of Hugging
 * Face turn their logits into fp32 themselves and copy them without the last token of each sequence
 * (transformers, models/llama/modeling_llama.py: logits.float(), shift_logits.contiguous()): a fused
 * loss works on that copy, an eager one adds its log-softmax. A teacher's logits are beside them,
 * and in fp32 for the divergence; Hugging Face's trainer of distillation holds logits, quotient by the
 * temperature and log-softmax of both, the student's in fp32 outside DeepSpeed, and what the divergence
 * makes of them (trl, experimental/gkd/gkd_trainer.py: generalized_jsd_loss; ATen, Loss.cpp: kl_div). */
static BytesPerLogit
bytes_per_logit (const Layer *layer, const SwProblem *problem, gboolean fused)
{
  const SwTraining *training = &problem->training;
  const gboolean own_type = !sw_problem_has (problem, layer->framework, SW_FEATURE_LOSS_UPCAST);
  const BytesPerLogit in_place = { 4, 2, 6 }, eager = { 14, 4, 6 }, parallel = { 8, 4, 6 },
                      upcast = { 12, 4, 16 }, upcast_in_place = { 8, 4, 6 }, own = { 8, 2, 10 };

  /* Models of Hugging Face today, Megatron's in the years of BLOOM. */
  if (sw_engine (layer->framework) == SW_FRAMEWORK_FSDP
      || (sw_engine (layer->framework) == SW_FRAMEWORK_DEEPSPEED
          && training->software_year >= layer->since->deepspeed_hugging_face))
    {
      /* DeepSpeed's engine runs in 16 bits; other engines use autocast, which computes a loss in
       * fp32. */
      if (own_type && fused)
        return in_place;
      if (own_type && sw_engine (layer->framework) == SW_FRAMEWORK_DEEPSPEED)
        return own;
      return fused ? upcast_in_place : upcast;
    }
  if (fused)
    return in_place;
  return sw_engine (layer->framework) == SW_FRAMEWORK_FSDP2 ? eager : parallel;
}

/* Logits of the last stage and the tensors of their loss. A loss that projects and differentiates
 * one chunk of tokens after another only holds one chunk (torchtune, modules/loss:
 * LinearCrossEntropyLoss and CEWithChunkedOutputLoss, num_output_chunks = 8; Hsu et al. 2024,
 * "Liger Kernel", section 3.2: FusedLinearCrossEntropy). */
static void
add_logits (const Layer *layer, const SwProblem *problem, double vocabulary, SwLayerMemory *out)
{
  const gboolean fused = sw_problem_has (problem, layer->framework, SW_FEATURE_FUSED_CROSS_ENTROPY);
  const BytesPerLogit bytes = bytes_per_logit (layer, problem, fused);
  double tokens = problem->training.scalar_head ? 0 : layer->tokens;

  if (sw_problem_has (problem, layer->framework, SW_FEATURE_CHUNKED_CROSS_ENTROPY))
    tokens = MIN (tokens, MAX (tokens / problem->calibration->loss_chunks, 1));
  out->logits_bytes = tokens * vocabulary
                      * (bytes.peak + (problem->training.teacher_logits ? bytes.taught : 0));
  /* In distillation, only the losses are chunked; the logits of both models are whole (torchtune,
   * recipes/knowledge_distillation_distributed.py, modules/transformer.py: chunked_output). */
  if (problem->training.teacher_logits && layer->framework == SW_FRAMEWORK_TORCHTUNE)
    out->logits_bytes += 4 * layer->tokens * vocabulary;
  out->logits_kept_bytes = tokens * vocabulary * bytes.kept;
}

/**
 * sw_layer_memory:
 * @problem: a prepared question
 * @strategy: tp, etp, cp, ep, sequence parallelism, micro-batch, recomputation and framework are
 * read
 * @out: (out): parameters and activations of the parts of the model on one GPU, in counts and bytes
 */
void
sw_layer_memory (const SwProblem *problem, const SwStrategy *strategy, SwLayerMemory *out)
{
  const SwModelSpec *model = &problem->model;
  const SwParameterCount *count = &problem->count;
  const double h = model->hidden_size, bias = model->mlp_bias ? h : 0;
  /* Plus the parameters that the dimensions do not determine. */
  const double positions = count->embedding - model->vocab_size * h;
  const double multiple = sw_framework_is_fsdp (strategy->framework) ? 1 : 128;
  double common, vocabulary;
  Layer layer;

  memset (out, 0, sizeof *out);
  layer_init (&layer, problem, strategy);
  common = attention_on_rank (&layer) + count->norms + model->extra_params_per_layer / layer.tp;
  /* Megatron pads the vocabulary to a multiple of 128 per tensor-parallel rank
   * (--make-vocab-size-divisible-by). */
  vocabulary = ceil (model->vocab_size / (multiple * layer.tp)) * multiple;
  out->layer_parameters[SW_LAYER_DENSE] = common + bias + (count->dense_mlp - bias) / layer.tp;
  if (model->moe.experts > 0)
    {
      out->layer_parameters[SW_LAYER_MOE] = common + count->shared / layer.tp + count->router;
      out->expert_parameters = ceil (model->moe.experts / layer.ep) * count->expert / layer.etp;
    }
  out->embedding_parameters = vocabulary * h + positions;
  out->head_parameters = vocabulary * h;
  out->final_norm_parameters = count->final_norm;
  out->mtp_parameters =
      model->mtp_layers
      * (out->layer_parameters[model->moe.experts > 0 ? SW_LAYER_MOE : SW_LAYER_DENSE]
         + 2 * h * h / layer.tp + 3 * count->final_norm);
  activations_of_kind (&layer, problem, strategy, SW_LAYER_DENSE, out);
  if (problem->model.moe.experts > 0)
    activations_of_kind (&layer, problem, strategy, SW_LAYER_MOE, out);
  if (!sw_training_is_adapter (&problem->training))
    {
      /* Weight gradients before they are accumulated. Transformer Engine adds them to the fp32
       * buffer at once but hands a placeholder of each shape to autograd and keeps it
       * (get_dummy_wgrad); otherwise the gradient of one matrix at a time exists in addition to the
       * accumulated one. FSDP keeps those of a whole unit, which the memory of FSDP includes. */
      const double widest = widest_matrix (model);

      for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
        if (strategy->framework == SW_FRAMEWORK_MEGATRON_CORE)
          out->weight_gradient_bytes[kind] =
              2
              * (out->layer_parameters[kind]
                 + (kind == SW_LAYER_MOE ? layer.count->expert / layer.etp : 0));
        else if (!sw_framework_is_fsdp (strategy->framework))
          out->weight_gradient_bytes[kind] = 2 * widest / layer.tp;
    }
  out->embedding_activation_bytes = layer.has_dropout
                                        ? layer.tokens * problem->model.hidden_size / layer.sp
                                        : 0;
  add_logits (&layer, problem, vocabulary, out);
}
