/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-calibration.h"
#include "sw-cluster.h"
#include "sw-model.h"
#include "sw-strategy.h"

G_BEGIN_DECLS

typedef struct {
  SwTrainingType type;
  guint sequence_length;
  guint global_batch;     /* sequences; 0: sw_problem_prepare() sets sw_problem_usual_batch() */
  gboolean batch_is_open; /* set by prepare: global_batch is that default */
  guint micro_batch;      /* pinned by training.micro_batch_size; 0: searched */
  SwPrecision precision;
  SwOptimizer optimizer;
  SwAttentionKernel attention;
  SwFramework framework;
  gboolean usual_frameworks; /* ANY includes only the usual frameworks of the job,
                                sw_usual_frameworks(); a named framework was chosen among these */
  double software_year;      /* decides which features frameworks have; 2026.5 = June 2026; 0: the
                           newest, set by prepare */
  SwSoftware software;       /* its stated features */
  double gradient_bytes;     /* of a gradient while it accumulates: 2 or 4 if a recipe departs from
                             its framework; else 0 */
  double parameter_bytes;    /* of parameters that FSDP shards and its optimizer updates, if a
                             recipe departs; else 0 */
  double master_bytes;       /* of additional master weights, if a recipe departs; else 0 */
  gboolean no_master;        /* the optimizer updates the 16-bit weights directly */
  gboolean states_stated;    /* no_master or the type of the parameters is stated; else the tool
                             decides: sw_updates_16_bits() */
  double moment_bytes;       /* of one moment: 4, 2, or 1 with a scale per block; 0: the optimizer's
                        default */
  gboolean autocast;         /* fp32 weights that autocast converts to 16 bits when they are used */
  gboolean residual_fp32;    /* activations between layers are fp32, as after fp32 embeddings */
  gboolean wraps_replicas;   /* FSDP wraps layers although it shards nothing (NO_SHARD) */
  gboolean layout_is_given;  /* the run's strategy is known: no search */
  gboolean accumulates;      /* gradients accumulate over more micro-batches than the batch
                               implies */
  gboolean repeats_keys;     /* keys and values are copied for every query head before attention */
  gboolean views_buckets;    /* gradients are views of the buckets that replicas reduce
                               (gradient_as_bucket_view) */
  gboolean single_scales;    /* scales of a 4-bit base are fp32 (no double quantization) */
  gboolean unpacks_eagerly;  /* plain kernels expand a 4-bit base */
  gboolean gating_apart;     /* an activation function and its product with the gate are two
                               kernels, though other operations are fused */
  gboolean optimizer_in_backward; /* each layer steps after its backward pass in each
                                     micro-batch, so that only one layer's gradients exist at a
                                     time; plain PyTorch only */
  double step_bytes; /* additional memory of an optimizer step, per parameter of the shard, if a
                        recipe departs; else 0 */
  double step_released_bytes; /* of copies released before the step but still held by the
                                 allocator, if a recipe departs; else 0 */
  gboolean offloads_to_nvme;  /* offloaded states and parameters are on the node's drives, not in
                                 host memory */
  guint offload_layers;  /* layers of a stage that offload activations, if a recipe states it; 0:
                           all. Used for time only: memory counts all layers. */
  gboolean weights_once; /* quantized weights have no transposed copy */
  SwOverlap overlap;
  double memory_target; /* share of usable memory that a strategy may use; filters */
  gboolean
      target_steers; /* the share is the default: strategies above it but within sw_memory_most()
                        may fit */
  guint left_out;    /* SwUntried bits that a search excludes unless they are pinned */
  double tokens;     /* to train on; 0: not set */
  SwMethod method;
  SwAlgorithm algorithm;   /* of preference training and reinforcement learning */
  guint together;          /* a micro-batch is a multiple of this number of sequences: 2 for
                              pairs; 0: 1 */
  double forward_passes;   /* forward passes of a reference or teacher over all sequences, in
                              units of the model's own forward pass */
  double frozen_copies;    /* copies of the weights that such models keep in 16 bits, in units of
                              the model */
  gboolean teacher_logits; /* the teacher's logits are in memory beside the model's own */
  gboolean scalar_head;    /* a score replaces the vocabulary head */
  guint lora_rank;
  gboolean lora_all_linear;          /* else only attention projections */
  guint lora_modules;                /* SwLoraModules if they are named; else 0 */
  guint lora_alpha;                  /* 0: twice the rank */
  gboolean lora_dora;                /* weights are decomposed into magnitude and direction */
  double lora_dropout;               /* of the adapters' inputs, a separate mask for each */
  gboolean lora_vocabulary;          /* embedding and head are also trained, as copies */
  SwBase base;                       /* storage of the frozen base of adapters */
  gboolean rlhf_colocated, rlhf_ppo; /* FALSE: GRPO, without a critic */
  double rlhf_critic_parameters;
  SwTrainingType
      policy; /* reinforcement learning: how the policy is trained. SW_TRAINING_FINETUNE, or
                 adapters, whose frozen base is the reference */
  gboolean no_reference; /* reinforcement learning without a reference model */
  guint rlhf_response_length;
  guint rlhf_group;    /* answers per prompt; 0: 1 */
  guint mean_document; /* mean length of packed documents, in tokens; 0: not packed */
} SwTraining;

/* A whole question. A value: copy it to pass it to another thread; `calibration` is immutable and
 * must outlive it. */
typedef struct _SwProblem {
  SwModelSpec model;
  SwParameterCount count; /* of model; set by prepare */
  double end_layers;      /* cost of head and multi-token prediction, in layers; set by prepare */
  SwModelSpec critic;     /* architecture of the RLHF critic and reward model; set by prepare */
  SwParameterCount critic_count;
  SwCluster cluster;
  SwTraining training;
  SwPins pins;
  const SwCalibration *calibration;
  const int *cancelled; /* (nullable): atomic; non-zero ends every search for this question early */
} SwProblem;

void sw_problem_prepare (SwProblem *problem);
gboolean sw_problem_is_cancelled (const SwProblem *problem);
guint sw_problem_usual_batch (const SwProblem *problem, guint parts);
double sw_problem_named_parameters (const SwProblem *problem);
guint sw_problem_stated_micro_batch (const SwProblem *problem);
const SwProfile *sw_problem_profile (const SwProblem *problem, SwFramework framework);
gboolean sw_problem_has (const SwProblem *problem, SwFramework framework, SwFeature feature);
gboolean
sw_problem_enables (const SwProblem *problem, const SwStrategy *strategy, SwFeature feature);
SwKernelClass sw_problem_kernel_class (const SwProblem *problem, SwFramework framework);
SwTrainingType sw_training_states (const SwTraining *training);
gboolean sw_training_is_adapter (const SwTraining *training);
double sw_memory_most (const SwProblem *problem);
guint sw_lora_modules (const SwTraining *training);
guint sw_lora_count (const SwTraining *training, guint modules);
double sw_trained_share (const SwProblem *problem);
double sw_adapter_active_parameters (const SwProblem *problem);
double sw_weight_bytes (const SwTraining *training);
SwBase sw_training_base (const SwTraining *training);
double sw_base_bytes (const SwTraining *training);
guint sw_strategy_micro_batches (const SwProblem *problem, const SwStrategy *strategy);
gboolean sw_strategy_runs_beside (const SwProblem *problem, const SwStrategy *strategy);
guint sw_rlhf_response_tokens (const SwTraining *training);
guint sw_rlhf_prompt_tokens (const SwTraining *training);
void sw_rlhf_critic (const SwProblem *problem, SwProblem *out);
guint sw_rlhf_generating_gpus (const SwProblem *problem, const SwStrategy *strategy);

G_END_DECLS
