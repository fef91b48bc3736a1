/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-problem.h"

#include "sw-framework.h"

#include <math.h>

/* Default tokens per step of pre-training: as many as small clusters use, and more if each GPU
 * would have few; Llama 3 405B on 16,384 GPUs uses 16 M (Dubey et al. 2024, table 4). */
#define PRETRAIN_TOKENS 1048576.0
#define PRETRAIN_TOKENS_PER_GPU 1024.0
/* Sequences per step of a job with a pretrained model: recipes of torchtune, Axolotl and
 * LLaMA-Factory use 16 to 128. */
#define TUNING_SEQUENCES 32.0

/**
 * sw_problem_usual_batch:
 * @problem: a question
 * @parts: must divide it: the GPUs, or the number that some strategies use
 *
 * Returns: the default global batch in sequences: close to the usual tokens or sequences of such a
 *   job, and the odd part of @parts times a power of two
 */
guint
sw_problem_usual_batch (const SwProblem *problem, guint parts)
{
  const SwTraining *training = &problem->training;
  const double gpus = problem->cluster.gpus;
  double sequences = MAX (PRETRAIN_TOKENS, PRETRAIN_TOKENS_PER_GPU * gpus)
                     / training->sequence_length;
  guint odd = MAX (parts, 1);

  while (odd % 2 == 0)
    odd /= 2;
  if (training->type != SW_TRAINING_PRETRAIN && training->type != SW_TRAINING_RLHF)
    sequences = MIN (sequences, MAX (TUNING_SEQUENCES, gpus * MAX (training->together, 1)));
  /* If there are too many for one sequence each. */
  if (odd > M_SQRT2 * sequences)
    odd = 1;
  if (sequences <= 1)
    return MAX (training->together, 1);
  return odd * (guint) exp2 (MAX (round (log2 (sequences / odd)), 0));
}

/**
 * sw_problem_prepare:
 * @problem: (inout): a question whose model, cluster, training and pins are set
 *
 * Fills in derived values: the parameter counts, the cost of the model's end, the default global
 * batch (about 1 M tokens, or 32 sequences for fine-tuning), the GPUs that the fast link joins (a
 * node if not set) and the usable memory (that of the GPU if not set).
 */
void
sw_problem_prepare (SwProblem *problem)
{
  double parameters = problem->training.rlhf_critic_parameters;

  sw_model_count (&problem->model, &problem->count);
  /* The critic and its count. With a stated size it is a Llama-like model of that size, otherwise
   * the policy's own body; a scalar replaces the vocabulary head, and there is no multi-token
   * prediction. The reward model has the same structure. */
  problem->critic = problem->model;
  if (parameters > 0)
    sw_model_from_size (parameters, &problem->critic);
  problem->critic.tied_embeddings = TRUE;
  problem->critic.mtp_layers = 0;
  sw_model_count (&problem->critic, &problem->critic_count);
  problem->cluster.gpus = MAX (problem->cluster.gpus, 1);
  problem->cluster.gpus_per_node = MAX (problem->cluster.gpus_per_node, 1);
  if (problem->cluster.nvlink_domain == 0)
    problem->cluster.nvlink_domain = problem->cluster.gpus_per_node;
  if (problem->cluster.oversubscription < 1)
    problem->cluster.oversubscription = 1;
  if (problem->cluster.usable_bytes <= 0)
    problem->cluster.usable_bytes = problem->cluster.gpu.usable_bytes > 0
                                        ? problem->cluster.gpu.usable_bytes
                                        : problem->cluster.gpu.memory_gb * SW_GB;
  problem->training.sequence_length = MAX (problem->training.sequence_length, 1);
  problem->end_layers = sw_model_end_layers (&problem->model, problem->training.sequence_length);
  if (problem->training.global_batch == 0)
    {
      problem->training.global_batch = sw_problem_usual_batch (problem, problem->cluster.gpus);
      problem->training.batch_is_open = TRUE;
    }
  if (problem->training.software_year <= 0)
    problem->training.software_year = problem->calibration->since.newest;
}

/**
 * sw_problem_named_parameters:
 * @problem: a prepared question
 *
 * Returns: the nominal number of parameters: 70e9 for a model given as "70 B", whose dimensions
 * match it within 1 %; otherwise as its dimensions determine
 */
double
sw_problem_named_parameters (const SwProblem *problem)
{
  return problem->model.stated_parameters > 0 ? problem->model.stated_parameters
                                              : problem->count.total;
}

/**
 * sw_problem_stated_micro_batch:
 * @problem: a question
 *
 * Returns: the micro-batch that is pinned or set in the training; 0 if it is searched
 */
guint
sw_problem_stated_micro_batch (const SwProblem *problem)
{
  return sw_pins_has (&problem->pins, SW_DIM_MICRO_BATCH) ? problem->pins.value.micro_batch
                                                          : problem->training.micro_batch;
}

/**
 * sw_problem_profile:
 * @problem: a prepared question
 * @framework: a software profile; never ANY
 *
 * Returns: (transfer none): the profile of the framework; for a tool, that of its engine
 */
const SwProfile *
sw_problem_profile (const SwProblem *problem, SwFramework framework)
{
  return &problem->calibration->profile[sw_engine (framework)];
}

/**
 * sw_problem_has:
 * @problem: a prepared question
 * @framework: what runs the job; never ANY
 * @feature: of its software
 *
 * Returns: whether the software has that feature: as set, otherwise as the framework had it at the
 * date of the software
 */
gboolean
sw_problem_has (const SwProblem *problem, SwFramework framework, SwFeature feature)
{
  const SwSoftware *software = &problem->training.software;

  if (software->stated & (1u << feature))
    return (software->on & (1u << feature)) != 0;
  return problem->training.software_year >= problem->calibration->feature[framework][feature];
}

/**
 * sw_problem_enables:
 * @problem: a prepared question
 * @strategy: a strategy, with what runs it
 * @feature: of its software
 *
 * Returns: whether the job runs with that feature: as sw_problem_has(), and, where neither the job
 * states it nor the run took place, only where the framework has it for such a strategy
 */
gboolean
sw_problem_enables (const SwProblem *problem, const SwStrategy *strategy, SwFeature feature)
{
  return sw_problem_has (problem, strategy->framework, feature)
         && (problem->training.layout_is_given
             || (problem->training.software.stated & (1u << feature)) != 0
             || sw_framework_enables (problem, strategy, feature));
}

/**
 * sw_problem_kernel_class:
 * @problem: a prepared question
 * @framework: what runs the job; never ANY
 *
 * Returns: how it runs the operations between GEMMs
 */
SwKernelClass
sw_problem_kernel_class (const SwProblem *problem, SwFramework framework)
{
  if (sw_problem_has (problem, framework, SW_FEATURE_COMPILE))
    return SW_KERNEL_CLASS_COMPILED;
  return sw_problem_has (problem, framework, SW_FEATURE_FUSED_KERNELS) ? SW_KERNEL_CLASS_FUSED
                                                                       : SW_KERNEL_CLASS_EAGER;
}

/**
 * sw_training_states:
 * @training: the training
 *
 * Returns: which weights are trained: its type; for reinforcement learning the policy's
 */
SwTrainingType
sw_training_states (const SwTraining *training)
{
  if (training->type != SW_TRAINING_RLHF)
    return training->type;
  return MAX (training->policy, SW_TRAINING_FINETUNE);
}

/**
 * sw_training_is_adapter:
 * @training: the training
 *
 * Returns: whether it trains adapters on frozen weights (LoRA, QLoRA)
 */
gboolean
sw_training_is_adapter (const SwTraining *training)
{
  const SwTrainingType states = sw_training_states (training);

  return states == SW_TRAINING_LORA || states == SW_TRAINING_QLORA;
}

/**
 * sw_memory_most:
 * @problem: a prepared question
 *
 * Returns: the share of a GPU's usable memory above which a strategy does not fit: the target if it
 *   is set. Otherwise searches respect the target as long as anything fits, and strategies above it
 *   may fit up to the memory where the allocator has to retry
 */
double
sw_memory_most (const SwProblem *problem)
{
  const double target = problem->training.memory_target;

  return problem->training.target_steers ? MAX (target, problem->calibration->retries_from)
                                         : target;
}

/**
 * sw_lora_modules:
 * @training: LoRA or QLoRA
 *
 * Returns: the set of #SwLoraModules with adapters
 */
guint
sw_lora_modules (const SwTraining *training)
{
  if (training->lora_modules != 0)
    return training->lora_modules;
  return SW_LORA_ATTENTION | (training->lora_all_linear ? SW_LORA_MLP : 0);
}

/**
 * sw_lora_count:
 * @training: LoRA or QLoRA
 * @modules: a set of #SwLoraModules
 *
 * Returns: how many of them have adapters
 */
guint
sw_lora_count (const SwTraining *training, guint modules)
{
  guint n = 0;

  for (guint left = sw_lora_modules (training) & modules; left != 0; left &= left - 1)
    n++;
  return n;
}

/* Parameters of the adapters: rank x (inputs + outputs) of each adapted matrix (Hu et al. 2021).
 * Experts' matrices are adapted one by one; @experts of each layer count. */
static double
adapter_parameters (const SwProblem *problem, double experts)
{
  const SwModelSpec *model = &problem->model;
  const SwMla *mla = &model->mla;
  const guint modules = sw_lora_modules (&problem->training),
              of_mlp = model->gated_mlp ? SW_LORA_MLP : SW_LORA_UP | SW_LORA_DOWN;
  double h = model->hidden_size, heads = model->attention_heads;
  double inputs = sw_lora_count (&problem->training, of_mlp);
  double query = heads * sw_model_query_head_dim (model);
  double value = heads * sw_model_value_head_dim (model);
  double keys = (double) model->kv_heads * model->head_dim;
  double queries = mla->q_lora_rank > 0 ? h + 2.0 * mla->q_lora_rank + query : h + query;
  /* Inputs and outputs of the linear layers of one layer's attention. */
  double attention = mla->kv_lora_rank == 0
                         ? ((modules & SW_LORA_Q) != 0 ? h + query : 0)
                               + ((modules & SW_LORA_K) != 0 ? h + keys : 0)
                               + ((modules & SW_LORA_V) != 0 ? h + keys : 0)
                               + ((modules & SW_LORA_O) != 0 ? h + value : 0)
                         : queries + h + 2.0 * mla->kv_lora_rank + mla->qk_rope_head_dim
                               + heads * (mla->qk_nope_head_dim + mla->v_head_dim) + value + h;
  double moe_layers = sw_model_moe_layers (model);
  double shared = model->moe.shared_intermediate_size, mlp = 0;

  if ((modules & SW_LORA_MLP) != 0)
    mlp = (model->layers - moe_layers) * inputs * (h + model->intermediate_size)
          + moe_layers * inputs
                * (experts * (h + model->moe.intermediate_size) + (shared > 0 ? h + shared : 0));
  return problem->training.lora_rank * (model->layers * attention + mlp);
}

/**
 * sw_trained_share:
 * @problem: a prepared question
 *
 * Returns: trained parameters / parameters of the model: 1, or the adapters' share
 */
double
sw_trained_share (const SwProblem *problem)
{
  if (!sw_training_is_adapter (&problem->training))
    return 1;
  return adapter_parameters (problem, problem->model.moe.experts) / problem->count.total;
}

/**
 * sw_adapter_active_parameters:
 * @problem: a prepared question of LoRA or QLoRA
 *
 * Returns: parameters of the adapters that one token passes: for routed experts, only those that it
 * is sent to
 */
double
sw_adapter_active_parameters (const SwProblem *problem)
{
  return adapter_parameters (problem, problem->model.moe.top_k);
}

/**
 * sw_training_base:
 * @training: the training
 *
 * Returns: how the frozen base of adapters is stored: as set, otherwise by the kind of training;
 * SW_BASE_BF16 if nothing is frozen
 */
SwBase
sw_training_base (const SwTraining *training)
{
  if (!sw_training_is_adapter (training))
    return SW_BASE_BF16;
  if (training->base != SW_BASE_AUTO)
    return training->base;
  return sw_training_states (training) == SW_TRAINING_QLORA ? SW_BASE_NF4 : SW_BASE_BF16;
}

/**
 * sw_base_bytes:
 * @training: LoRA or QLoRA
 *
 * Returns: bytes of a frozen weight in memory: 4.127 bits of double-quantised NF4, 4.5 with one
 * fp32 scale for each block of 64 (Dettmers et al. 2023, section 3); for GPTQ 4 bits, plus 16 for
 * the scale and 4 for the zero point per group of 128 (Frantar et al. 2023, section 4)
 */
double
sw_base_bytes (const SwTraining *training)
{
  switch (sw_training_base (training))
    {
    case SW_BASE_FP8: return 1;
    case SW_BASE_NF4: return (training->single_scales ? 4.5 : 4.127) / 8;
    case SW_BASE_INT4: return (4 + 20.0 / 128) / 8;
    case SW_BASE_FP32: return 4;
    case SW_BASE_AUTO:
    case SW_BASE_BF16:
    default: return 2;
    }
}

/**
 * sw_weight_bytes:
 * @training: the training
 *
 * Returns: bytes per weight as passes read it and sharding gathers it: 16 bits, or those of a
 * quantized base
 */
double
sw_weight_bytes (const SwTraining *training)
{
  return MIN (sw_base_bytes (training), 2);
}

/**
 * sw_strategy_micro_batches:
 * @problem: a prepared question
 * @strategy: a strategy
 *
 * Returns: micro-batches of one pipeline in a step (gradient accumulation), at least 1
 */
guint
sw_strategy_micro_batches (const SwProblem *problem, const SwStrategy *strategy)
{
  guint64 sequences = (guint64) MAX (strategy->dp, 1) * MAX (strategy->micro_batch, 1);

  return (guint) MAX (problem->training.global_batch / sequences, 1);
}

/**
 * sw_strategy_runs_beside:
 * @problem: a prepared question
 * @strategy: a strategy
 *
 * Returns: whether expert communication of a micro-batch runs beside the work of others
 */
gboolean
sw_strategy_runs_beside (const SwProblem *problem, const SwStrategy *strategy)
{
  return sw_strategy_micro_batches (problem, strategy) > 1
         && sw_problem_enables (problem, strategy, SW_FEATURE_MOE_OVERLAP);
}

/**
 * sw_rlhf_response_tokens:
 * @training: the training
 *
 * Returns: generated tokens of a sequence: the response length, leaving at least one token for the
 * prompt
 */
guint
sw_rlhf_response_tokens (const SwTraining *training)
{
  guint most = MAX (training->sequence_length, 2) - 1;

  return CLAMP (training->rlhf_response_length, 1, most);
}

/**
 * sw_rlhf_prompt_tokens:
 * @training: the training
 *
 * Returns: prompt tokens of a sequence
 */
guint
sw_rlhf_prompt_tokens (const SwTraining *training)
{
  return MAX (training->sequence_length, 2) - sw_rlhf_response_tokens (training);
}

/**
 * sw_rlhf_critic:
 * @problem: a prepared question of reinforcement learning
 * @out: (out): the training of its critic alone
 */
void
sw_rlhf_critic (const SwProblem *problem, SwProblem *out)
{
  *out = *problem;
  out->model = problem->critic;
  out->count = problem->critic_count;
  out->training.type = SW_TRAINING_FINETUNE;
  out->training.accumulates = TRUE;
}

/**
 * sw_rlhf_generating_gpus:
 * @problem: a prepared question of reinforcement learning
 * @strategy: how training is split
 *
 * Returns: GPUs that generate: the training GPUs, or, if generation has its own, all GPUs that
 * training does not use, so that searching the strategy also searches the split
 */
guint
sw_rlhf_generating_gpus (const SwProblem *problem, const SwStrategy *strategy)
{
  guint used = sw_strategy_gpus (strategy);

  if (problem->training.rlhf_colocated)
    return used;
  return problem->cluster.gpus > used ? problem->cluster.gpus - used : 0;
}

/**
 * sw_problem_is_cancelled:
 * @problem: a question
 *
 * Returns: whether the search was cancelled
 */
gboolean
sw_problem_is_cancelled (const SwProblem *problem)
{
  return problem->cancelled != NULL && g_atomic_int_get (problem->cancelled) != 0;
}
