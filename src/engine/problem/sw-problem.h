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
  guint global_batch;     /* sequences; 0: sw_problem_usual_batch(), by sw_problem_prepare */
  gboolean batch_is_open; /* it is that; by prepare */
  guint micro_batch;      /* pinned by training.micro_batch_size; 0: searched */
  SwPrecision precision;
  SwOptimizer optimizer;
  SwAttentionKernel attention;
  SwFramework framework;
  gboolean usual_frameworks; /* ANY means only the usual frameworks of the job,
                                sw_usual_frameworks(); a named one was chosen among these */
  double software_year; /* 2026.5 = June 2026: what framework versions know is dated; 0: the newest,
                           resolved by prepare */
  SwSoftware software;  /* what is stated of it */
  double gradient_bytes;  /* of a gradient while it accumulates, 2 or 4, where a recipe departs from
                            its framework; 0 */
  double parameter_bytes; /* that FSDP shards and its optimizer updates, likewise */
  double master_bytes;    /* of master weights beside them, likewise */
  gboolean no_master;     /* the optimizer updates the 16-bit weights themselves */
  gboolean states_stated; /* that, or the type of the parameters, is stated; else as a tool has it:
                             sw_updates_16_bits() */
  double
      moment_bytes;  /* of one moment: 4, 2, or 1 with a scale per block; 0: the optimizer's own */
  gboolean autocast; /* fp32 weights that autocast turns into 16 bits as they are used */
  gboolean residual_fp32;   /* what passes from layer to layer is fp32, as behind fp32 embeddings */
  gboolean wraps_replicas;  /* FSDP wraps layers though it shards nothing (NO_SHARD) */
  gboolean layout_is_given; /* of a run whose strategy is known: none is searched */
  gboolean accumulates;     /* gradients of other micro-batches than the batch says are there */
  gboolean repeats_keys; /* keys and values are copied for every head of queries before attention */
  gboolean views_buckets;   /* gradients are views of the buckets in which replicas reduce them
                               (gradient_as_bucket_view) */
  gboolean single_scales;   /* those of a 4-bit base are in fp32 (no double quantisation) */
  gboolean unpacks_eagerly; /* a 4-bit base by plain kernels */
  gboolean gating_apart;    /* an activation function and its product with the gated half are two
                             kernels, though others are fused */
  gboolean optimizer_in_backward; /* a layer's step follows its backward pass, in each micro-batch:
                                     gradients of one layer at a time; PyTorch alone */
  double step_bytes; /* that one optimizer needs at its step beside that, per parameter of the
                        shard, likewise */
  double step_released_bytes; /* of copies already released by then, whose memory the allocator
                                 keeps, likewise */
  gboolean offloads_to_nvme;  /* states and parameters that are offloaded lie on the drives of the
                                node, not in its memory */
  guint offload_layers; /* of a stage, whose activations are sent to the host where a recipe names a
                            number: read by time alone, memory takes all; 0: all */
  gboolean weights_once; /* quantised weights without a transposed copy, likewise */
  SwOverlap overlap;
  double memory_target; /* share of usable memory that a strategy may take; filters */
  gboolean
      target_steers; /* nobody stated that share: what is above it, within sw_memory_most(), may
                              fit */
  guint left_out;    /* what is untried that a search leaves out where it is not pinned: a set of
                     SwUntried */
  double tokens;     /* to train on; 0: not stated */
  SwMethod method;
  SwAlgorithm algorithm;   /* of preferences and of reinforcement learning */
  guint together;          /* sequences that a micro-batch has in multiples: 2 of pairs; 0: 1 */
  double forward_passes;   /* forward passes of a reference or a teacher over all sequences, in
                              forward passes of the model itself */
  double frozen_copies;    /* weights that such models keep in 16 bits, likewise */
  gboolean teacher_logits; /* a teacher's logits are beside the model's own */
  gboolean scalar_head;    /* a score in place of the head over the vocabulary */
  guint lora_rank;
  gboolean lora_all_linear;          /* else attention projections only */
  guint lora_modules;                /* SwLoraModules, where they are named; 0 */
  guint lora_alpha;                  /* 0: twice the rank */
  gboolean lora_dora;                /* weights are decomposed into magnitude and direction */
  double lora_dropout;               /* share of the adapters' inputs, each of its own */
  gboolean lora_vocabulary;          /* embedding and head are trained as copies, too */
  SwBase base;                       /* of the frozen base of adapters */
  gboolean rlhf_colocated, rlhf_ppo; /* else GRPO: no critic */
  double rlhf_critic_parameters;
  SwTrainingType
      policy; /* of reinforcement learning: how the policy is trained, SW_TRAINING_FINETUNE
                            or of adapters, whose frozen base is the reference */
  gboolean no_reference; /* reinforcement learning without a reference model */
  guint rlhf_response_length;
  guint rlhf_group;    /* answers to each prompt; 0: 1 */
  guint mean_document; /* packed sequences; 0: not packed */
} SwTraining;

/* A whole question. A value: copy it to hand it to another thread; `calibration` is immutable and
 * outlives it. */
typedef struct {
  SwModelSpec model;
  SwParameterCount count; /* of model, by sw_problem_prepare */
  double end_layers; /* how many layers its head and multi-token prediction are worth; by prepare */
  SwModelSpec critic; /* RLHF: what the critic and the reward model are built like; by prepare */
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
guint sw_rlhf_response_tokens (const SwTraining *training);
guint sw_rlhf_prompt_tokens (const SwTraining *training);
void sw_rlhf_critic (const SwProblem *problem, SwProblem *out);
guint sw_rlhf_generating_gpus (const SwProblem *problem, const SwStrategy *strategy);

G_END_DECLS
