/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels 2 and 3 of memory: the stages of a pipeline, and their states by data parallelism. */
#include "sw-memory.h"

#include "sw-framework.h"
#include "sw-split.h"

#include <math.h>
#include <string.h>

/* Micro-batches whose activations a stage holds at once, in units of the whole stage: all under
 * GPipe; those of the warm-up plus one under 1F1B and ZB-H1 (Qi et al. 2023); with interleaving 2
 * (p - i - 1) + (v - 1) p + 1 chunks of 1/v of the stage (Narayanan et al. 2021, Megatron's
 * schedules.py). */
double
sw_in_flight (const SwStrategy *strategy, guint micro_batches, guint stage)
{
  double m = micro_batches, behind = strategy->pp - 1.0 - stage, v = strategy->vpp;

  if (strategy->pp == 1)
    return 1;
  switch ((SwSchedule) strategy->schedule)
    {
    case SW_SCHEDULE_GPIPE: return m;
    case SW_SCHEDULE_INTERLEAVED: return MIN (m * v, 2 * behind + (v - 1) * strategy->pp + 1) / v;
    case SW_SCHEDULE_1F1B:
    case SW_SCHEDULE_ZERO_BUBBLE:
    default: return MIN (m, behind + 1);
    }
}

static void
fill_parameters (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
                 guint stage, const guint kinds[SW_N_LAYER_KINDS], SwScheduleMemory *out, guint i)
{
  gboolean is_first = stage == 0, is_last = stage + 1 == strategy->pp;
  const SwModelSpec *model = &problem->model;

  out->parameters[i] = kinds[SW_LAYER_DENSE] * layer->layer_parameters[SW_LAYER_DENSE]
                       + kinds[SW_LAYER_MOE] * layer->layer_parameters[SW_LAYER_MOE];
  out->expert_parameters[i] = kinds[SW_LAYER_MOE] * layer->expert_parameters;
  out->vocabulary_parameters[i] = is_first ? layer->embedding_parameters : 0;
  /* A tied head on another stage than the embedding is a copy. */
  if (is_last && (!model->tied_embeddings || strategy->pp > 1))
    out->vocabulary_parameters[i] += layer->head_parameters;
  out->parameters[i] += out->vocabulary_parameters[i];
  if (!is_last)
    return;
  out->parameters[i] += layer->final_norm_parameters + layer->mtp_parameters;
  out->expert_parameters[i] += model->mtp_layers * layer->expert_parameters;
}

/* DeepSpeed's pipeline engine keeps inputs and outputs of every micro-batch in flight in its own
 * buffers. PyTorch's engine keeps the outputs, and buffers for the gradients of all micro-batches
 * of a step. */
double
sw_pipeline_buffers (const SwProblem *problem, const SwStrategy *strategy,
                     const SwLayerMemory *layer, double flight)
{
  if (strategy->pp == 1)
    return 0;
  if (sw_engine (strategy->framework) == SW_FRAMEWORK_DEEPSPEED)
    return 2 * flight * layer->activation_full_bytes;
  if (sw_engine (strategy->framework) == SW_FRAMEWORK_FSDP2)
    return (flight + sw_strategy_micro_batches (problem, strategy)) * strategy->vpp
           * layer->activation_full_bytes;
  return 0;
}

/* Weight gradients not yet accumulated: those of layers, kept or one at a time; the head's,
 * together with the logits; and the embedding's at the end of a micro-batch, when others are in
 * flight. Parts that never exist at the same time are not added. The part that coincides with the
 * logits is subtracted from the layers' peak. */
static double
fill_weight_gradients (const SwProblem *problem, const SwStrategy *strategy,
                       const SwLayerMemory *layer, guint stage, const guint kinds[SW_N_LAYER_KINDS],
                       SwScheduleMemory *out, guint i)
{
  gboolean is_core = strategy->framework == SW_FRAMEWORK_MEGATRON_CORE;
  double kept = 0, ends = 0;

  if (sw_framework_is_fsdp (strategy->framework) || sw_training_is_adapter (&problem->training))
    return 0;
  for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
    if (kinds[kind] > 0)
      kept = MAX (kept, layer->weight_gradient_bytes[kind]);
  if (stage + 1 == strategy->pp)
    ends = 2 * layer->head_parameters;
  else if (stage == 0)
    ends = 2 * layer->embedding_parameters;
  out->peak_bytes[i] = MAX (out->peak_bytes[i] - ends, 0);
  return is_core ? kept + ends : MAX (kept, ends);
}

/* Micro-batches of the last stage's end (loss and multi-token prediction) that wait for their
 * backward pass: one under all schedules except GPipe. */
double
sw_waiting_losses (const SwStrategy *strategy, double flight)
{
  return strategy->schedule == SW_SCHEDULE_GPIPE && strategy->pp > 1 ? flight : 1;
}

/* Bytes that the end of one micro-batch keeps while it waits. */
double
sw_waiting_logits (const SwProblem *problem, const SwLayerMemory *layer)
{
  return (1 + problem->model.mtp_layers) * layer->logits_kept_bytes;
}

/* Activations between forward and backward passes: the only part of a stage that depends on the
 * number of recomputed first layers. */
static void
fill_kept (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
           const SwSplit *split, guint stage, double flight, SwScheduleMemory *out, guint i)
{
  guint start = sw_split_start (split, stage), end = sw_split_start (split, stage + 1);
  guint kinds[SW_N_LAYER_KINDS];
  guint full = strategy->recompute == SW_RECOMPUTE_FULL_LAYERS
                   ? MIN (strategy->full_layers, end - start)
                   : 0;
  double kept;

  /* For one micro-batch through all layers. */
  if (strategy->recompute == SW_RECOMPUTE_FULL)
    kept = (end - start) * layer->activation_full_bytes;
  else
    {
      sw_model_kinds_between (&problem->model, start + full, end, kinds);
      kept = full * layer->activation_full_bytes
             + kinds[SW_LAYER_DENSE] * layer->activation_bytes[SW_LAYER_DENSE]
             + kinds[SW_LAYER_MOE] * layer->activation_bytes[SW_LAYER_MOE];
    }
  kept *= flight;
  if (stage + 1 == strategy->pp && problem->model.mtp_layers > 0)
    {
      guint kind;

      sw_model_kinds_between (&problem->model, start, end, kinds);
      kind = kinds[SW_LAYER_MOE] > 0 ? SW_LAYER_MOE : SW_LAYER_DENSE;
      kept += sw_waiting_losses (strategy, flight) * problem->model.mtp_layers
              * (strategy->recompute == SW_RECOMPUTE_FULL ? layer->activation_full_bytes
                                                          : layer->activation_bytes[kind]);
    }
  if (stage == 0)
    kept += flight * layer->embedding_activation_bytes;
  out->offloaded_bytes[i] = 0;
  if (strategy->offload == SW_OFFLOAD_ACTIVATIONS && end > start)
    {
      /* Two layers stay: the running one and the one being copied. */
      double stays = MIN (kept, 2 * kept / (flight * (end - start)));

      out->offloaded_bytes[i] = kept - stays;
      kept = stays;
    }
  out->activation_bytes[i] = kept;
}

/* Tensors that were sent and released, but cannot be reused while the host runs ahead of the GPU:
 * NCCL's stream is recorded in the tensors that it reads, until the allocator sees that its event
 * has passed (PyTorch, ProcessGroupNCCL.cpp: recordStream, TORCH_NCCL_AVOID_RECORD_STREAMS, which
 * Megatron's launchers and TorchTitan's collectives do not use). In a forward pass these are the
 * two partial sums of each layer that sequence parallelism scatters. If memory runs short, the
 * allocator waits for the events (CUDACachingAllocator.cpp: synchronize_and_free_events). */
static double
deferred_bytes (const SwProblem *problem, const SwStrategy *strategy, guint layers)
{
  if (strategy->framework != SW_FRAMEWORK_NANOTRON || !strategy->sequence_parallel)
    return 0;
  return 2.0 * layers * 2 * problem->model.hidden_size * strategy->micro_batch
         * problem->training.sequence_length / strategy->cp;
}

static void
fill_stage (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
            const SwSplit *split, guint stage, SwScheduleMemory *out, guint i)
{
  double flight = sw_in_flight (strategy, sw_strategy_micro_batches (problem, strategy), stage);
  double waiting = sw_waiting_losses (strategy, flight);
  gboolean has_experts, is_last = stage + 1 == strategy->pp;
  guint kinds[SW_N_LAYER_KINDS], kind, mtp = is_last ? problem->model.mtp_layers : 0;

  sw_split_kinds (split, &problem->model, stage, kinds);
  has_experts = kinds[SW_LAYER_MOE] > 0;
  kind = has_experts ? SW_LAYER_MOE : SW_LAYER_DENSE;
  out->stage[i] = stage;
  fill_parameters (problem, strategy, layer, stage, kinds, out, i);
  fill_kept (problem, strategy, layer, split, stage, flight, out, i);
  out->peak_bytes[i] = layer->recompute_peak_bytes[kind];
  if (has_experts && kinds[SW_LAYER_DENSE] > 0)
    out->peak_bytes[i] = MAX (out->peak_bytes[i], layer->recompute_peak_bytes[SW_LAYER_DENSE]);
  out->input_bytes[i] = (kinds[SW_LAYER_DENSE] + kinds[SW_LAYER_MOE])
                        * layer->activation_full_bytes;
  /* Multi-token prediction keeps bf16 logits of each additional token. */
  out->logits_bytes[i] = is_last ? layer->logits_bytes * (1 + 0.5 * mtp) : 0;
  if (is_last)
    {
      double others = (waiting - 1) * sw_waiting_logits (problem, layer);

      /* These exist while a layer runs backward, too. */
      out->logits_bytes[i] += others;
      out->peak_bytes[i] += others;
    }
  out->deferred_bytes[i] = deferred_bytes (problem, strategy,
                                           kinds[SW_LAYER_DENSE] + kinds[SW_LAYER_MOE]);
  out->buffer_bytes[i] = sw_pipeline_buffers (problem, strategy, layer, flight)
                         + fill_weight_gradients (problem, strategy, layer, stage, kinds, out, i);
}

static void
add_candidate (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
               const SwSplit *split, guint stage, SwScheduleMemory *out)
{
  if (stage >= strategy->pp || out->n_candidates == SW_STAGE_CANDIDATES)
    return;
  for (guint i = 0; i < out->n_candidates; i++)
    if (out->stage[i] == stage)
      return;
  fill_stage (problem, strategy, layer, split, stage, out, out->n_candidates++);
}

/* Whether stages may differ by more than one layer: experts only in every nth layer, or a split by
 * cost. */
static gboolean
has_many_make_ups (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwMoe *moe = &problem->model.moe;

  return (moe->experts > 0 && moe->layer_frequency > 1)
         || strategy->framework == SW_FRAMEWORK_NANOTRON;
}

/* Layers of a stage by kind: all, and those that the first-N recomputation leaves. */
typedef struct {
  guint all[SW_N_LAYER_KINDS], left[SW_N_LAYER_KINDS];
} MakeUp;

/* Among stages with the same layers, the earliest holds the most micro-batches, so the first stage
 * of each composition is enough: the one with only leading dense layers, which equals stage 0
 * unless that has a layer less; the one where the dense layers end; the one after them; and one
 * with an additional layer. */
static void
add_middle_candidates (const SwProblem *problem, const SwStrategy *strategy,
                       const SwLayerMemory *layer, const SwSplit *split, SwScheduleMemory *out)
{
  if (has_many_make_ups (problem, strategy))
    {
      /* The first stage of each composition. There are few: stages have one of two lengths; experts
       * in all layers, or in one of two numbers of them; all or some recomputed; and the stages of
       * leading dense layers. */
      const SwModelSpec *model = &problem->model;
      MakeUp known[SW_STAGE_CANDIDATES];
      guint n = 0;

      for (guint stage = 1; stage + 1 < strategy->pp && n < SW_STAGE_CANDIDATES; stage++)
        {
          guint start = sw_split_start (split, stage), end = sw_split_start (split, stage + 1),
                at = 0;
          guint full = strategy->recompute == SW_RECOMPUTE_FULL_LAYERS
                           ? MIN (strategy->full_layers, end - start)
                           : 0;

          sw_model_kinds_between (model, start, end, known[n].all);
          sw_model_kinds_between (model, start + full, end, known[n].left);
          while (memcmp (&known[at], &known[n], sizeof known[n]) != 0)
            at++;
          if (at < n)
            continue;
          n++;
          add_candidate (problem, strategy, layer, split, stage, out);
        }
      return;
    }
  if (split->first < split->between || (split->longer > 0 && split->longer_first))
    add_candidate (problem, strategy, layer, split, 1, out);
  if (split->longer > 0 && !split->longer_first)
    add_candidate (problem, strategy, layer, split, strategy->pp - 1 - split->longer, out);
  if (problem->model.moe.experts > 0)
    {
      guint after = sw_split_stage_of (split, problem->model.moe.first_dense_layers);

      add_candidate (problem, strategy, layer, split, after, out);
      add_candidate (problem, strategy, layer, split, after + 1, out);
    }
}

static double
gathered_unit (const SwProblem *problem, const SwLayerMemory *layer)
{
  double dense = layer->layer_parameters[SW_LAYER_DENSE];
  double moe = layer->layer_parameters[SW_LAYER_MOE] + layer->expert_parameters;

  if (problem->model.moe.experts == 0)
    return dense;
  return problem->model.moe.first_dense_layers > 0 ? MAX (dense, moe) : moe;
}

/**
 * sw_schedule_memory:
 * @problem: a prepared question
 * @strategy: in addition to level 1, pp, vpp, schedule, first-N layers and offload of activations
 * are read, and dp for the number of micro-batches
 * @layer: level 1 of the same strategy
 * @out: (out): parameters (counts) and activations (bytes) of the stages that can hold the most
 */
void
sw_schedule_memory (const SwProblem *problem, const SwStrategy *strategy,
                    const SwLayerMemory *layer, SwScheduleMemory *out)
{
  SwSplit split;

  sw_split (problem, strategy, &split);
  out->n_candidates = 0;
  out->unit_parameters = gathered_unit (problem, layer);
  add_candidate (problem, strategy, layer, &split, 0, out);
  add_candidate (problem, strategy, layer, &split, strategy->pp - 1, out);
  if (strategy->pp > 2)
    add_middle_candidates (problem, strategy, layer, &split, out);
}

/**
 * sw_schedule_memory_first_layers:
 * @problem: a prepared question
 * @strategy: as for sw_schedule_memory(), with first-N recomputation
 * @layer: level 1 of the same strategy
 * @memory: (inout): of a strategy that differs in the number of first layers alone
 *
 * sw_schedule_memory() where only that number changed, faster.
 */
void
sw_schedule_memory_first_layers (const SwProblem *problem, const SwStrategy *strategy,
                                 const SwLayerMemory *layer, SwScheduleMemory *memory)
{
  guint micro_batches = sw_strategy_micro_batches (problem, strategy);
  SwSplit split;

  if (has_many_make_ups (problem, strategy))
    {
      sw_schedule_memory (problem, strategy, layer, memory);
      return;
    }
  sw_split (problem, strategy, &split);
  for (guint i = 0; i < memory->n_candidates; i++)
    fill_kept (problem, strategy, layer, &split, memory->stage[i],
               sw_in_flight (strategy, micro_batches, memory->stage[i]), memory, i);
}

/* Level 2 of one stage, as its only candidate. */
void
sw_schedule_memory_of_stage (const SwProblem *problem, const SwStrategy *strategy,
                             const SwLayerMemory *layer, guint stage, SwScheduleMemory *out)
{
  SwSplit split;

  sw_split (problem, strategy, &split);
  out->n_candidates = 1;
  out->unit_parameters = gathered_unit (problem, layer);
  fill_stage (problem, strategy, layer, &split, stage, out, 0);
}

/* Shared by all stages of a strategy. */
typedef struct {
  const SwProblem *problem;
  const SwStrategy *strategy;
  const SwScheduleMemory *schedule;
  const SwStates *states;
  gboolean step_copies;
  gboolean gradients_go;
  double framework_bytes;
} Scene;

/* Adds the states of @count parameters. */
static void
add_states (const SwRecipe *recipe, double count, SwMemoryParts *parts)
{
  double trained = count * recipe->trained_share;

  parts->parameters += trained * recipe->parameters + count * recipe->frozen;
  parts->gradients += trained * recipe->gradients;
  parts->optimizer += trained * recipe->optimizer;
}

/* DoRA's norm needs each weight plus its adapter's product, one matrix after another: both in 16
 * bits, and their sum (Liu et al. 2024, section 4; peft/tuners/lora/dora.py). */
static double
decomposition_bytes (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwModelSpec *model = &problem->model;

  if (!problem->training.lora_dora || !sw_training_is_adapter (&problem->training))
    return 0;
  return 3 * 2.0 * model->hidden_size
         * ((sw_lora_modules (&problem->training) & SW_LORA_MLP) != 0 ? model->intermediate_size
                                                                      : model->hidden_size)
         / strategy->tp;
}

/* Buffers for sharding. DeepSpeed has buckets even on one GPU, two sets with overlap. Replicas in
 * PyTorch have additional buckets of all gradients (torch.nn.parallel.DistributedDataParallel,
 * gradient_as_bucket_view). */
static double
shard_buffers (const SwProblem *problem, const SwStrategy *strategy,
               const SwScheduleMemory *schedule, guint i)
{
  gboolean gathers = sw_framework_is_fsdp (strategy->framework) || strategy->zero_stage == 3;
  double parameters = schedule->parameters[i] + schedule->expert_parameters[i];
  /* Gradients of one unit, if its optimizer steps as soon as they exist: a layer, or the head. */
  double alone = !sw_steps_in_backward (problem, strategy)
                     ? 0
                     : sw_fsdp_parameter_bytes (problem, strategy)
                           * MAX (schedule->unit_parameters, schedule->vocabulary_parameters[i]);
  double buckets = 0;

  /* Bytes per parameter in the buckets of replicas: the type of its gradient in PyTorch; 16 bits in
   * Nanotron, which adds them to its fp32 gradients (trainer.py, make_ddp;
   * optim/gradient_accumulator.py, get_fp32_accum_hook). */
  if (strategy->dp > 1 && sw_framework_is_fsdp (strategy->framework))
    buckets = problem->training.views_buckets ? 0 : sw_fsdp_parameter_bytes (problem, strategy);
  else if (strategy->dp > 1 && strategy->framework == SW_FRAMEWORK_NANOTRON)
    buckets = 2;
  buckets = buckets * parameters * sw_trained_share (problem);
  if (strategy->zero_stage == 0)
    return alone + buckets;
  if (sw_engine (strategy->framework) == SW_FRAMEWORK_DEEPSPEED && strategy->zero_stage == 3)
    return 2 * MIN (problem->calibration->deepspeed_live_parameters, parameters)
           + 2 * MIN (problem->calibration->deepspeed_bucket_elements, parameters);
  if (sw_engine (strategy->framework) == SW_FRAMEWORK_DEEPSPEED)
    return 2 * 2 * MIN (problem->calibration->deepspeed_bucket_elements, parameters);
  if (strategy->shard_group * strategy->cp <= 1)
    return alone + buckets; /* no stage shards anything */
  if (!gathers)
    return alone;

  /* Stage 3: the computing unit and the prefetched one (16 bits, or as a base is quantized), and a
   * unit's gradients before they are scattered (bf16, and fp32 to reduce) or, together with the
   * logits, embedding and head, which are one unit. In a pipeline, units stay gathered, and only
   * one unit's bf16 gradients exist besides the accumulated ones. */
  double unit = schedule->unit_parameters;
  double gradients = sw_training_is_adapter (&problem->training) ? 0 : 6 * unit;

  if (strategy->pp > 1)
    return sw_training_is_adapter (&problem->training) ? 0 : 2 * unit;
  if (strategy->zero_stage < 3)
    return gradients;
  return 2 * sw_weight_bytes (&problem->training) * unit
         + MAX (gradients, 2 * schedule->vocabulary_parameters[i]);
}

/* Buffers for sharding and DoRA. */
double
sw_sharding_buffers (const SwProblem *problem, const SwStrategy *strategy,
                     const SwScheduleMemory *schedule, guint i)
{
  return shard_buffers (problem, strategy, schedule, i) + decomposition_bytes (problem, strategy);
}

/* Communicators, each with NCCL's buffers. */
guint
sw_communicators (const SwStrategy *strategy)
{
  return (strategy->tp > 1) + (strategy->cp > 1) + (strategy->ep > 1) + (strategy->pp > 1)
         + (strategy->dp > 1) + (strategy->dp > 1 && strategy->shard_group < strategy->dp);
}

/* The optimizer step: tensors alive at its peak, and tensors already freed but held by the
 * allocator. Experts have an optimizer of their own, which steps after the others. The copies reuse
 * the memory of the activations; only what they need beyond that counts for the step. The allocator
 * keeps blocks of both, which have different sizes, while memory is left. */
static void
add_step (const Scene *scene, const double count[SW_N_RECIPES], SwMemoryParts *parts)
{
  const SwRecipe *recipes = scene->states->recipes;
  double passes = parts->activations + parts->logits + parts->buffers - parts->gradients_later;
  double copies = 0, dense = 0, experts = 0, released = 0;

  for (guint kind = 0; kind < SW_N_RECIPES; kind++)
    if (count[kind] > 0)
      {
        double trained = recipes[kind].trained_share * count[kind];

        copies += recipes[kind].copies * trained;
        *(kind == SW_RECIPE_EXPERTS ? &experts : &dense) += recipes[kind].temporaries * trained;
        released += recipes[kind].released * trained;
      }
  copies += MAX (dense, experts);
  parts->buffers += MAX (copies - passes, 0);
  parts->reclaimable += MIN (copies, passes) + released;
}

/* Memory of a running layer beyond the kept activations, or of the logits before it, whichever is
 * more. Gradients of the layers' inputs, and the inputs themselves, stay until the backward pass
 * ends in one case: PyTorch's FSDP waits for the gradients of a frozen unit with a hook on its
 * inputs, and such a hook keeps a leaf alive. With re-entrant checkpointing, the input of a layer
 * is a leaf (torch/distributed/fsdp/_runtime_utils.py, _register_post_backward_reshard_only_hook;
 * torch/autograd/graph.py, register_multi_grad_hook). */
double
sw_running_bytes (const SwProblem *problem, const SwStrategy *strategy,
                  const SwScheduleMemory *schedule, guint i)
{
  const gboolean keeps =
      sw_engine (strategy->framework) == SW_FRAMEWORK_FSDP
      && sw_training_is_adapter (&problem->training) && strategy->recompute == SW_RECOMPUTE_FULL
      && (strategy->zero_stage > 0 || problem->training.wraps_replicas) && strategy->dp > 1
      && sw_problem_has (problem, strategy->framework, SW_FEATURE_REENTRANT_CHECKPOINTING);

  return schedule->peak_bytes[i] + (keeps ? schedule->input_bytes[i] : 0);
}

/* 16-bit weights of @count parameters that a reference or a teacher keeps on one GPU: sharded like
 * the parameters. */
double
sw_frozen_copies (const SwProblem *problem, const SwStrategy *strategy, const SwRecipe *recipe,
                  double count)
{
  return 2 * problem->training.frozen_copies * count
         / (strategy->zero_stage == 3 && strategy->pp == 1 ? MAX (recipe->group, 1) : 1);
}

static void
stage_parts (const Scene *scene, guint i, SwMemoryParts *parts, double *host_bytes)
{
  const SwRecipe *recipes = scene->states->recipes;
  const SwScheduleMemory *schedule = scene->schedule;
  const SwOffload offload = (SwOffload) scene->strategy->offload;
  const double count[SW_N_RECIPES] = {
    [SW_RECIPE_LAYERS] = schedule->parameters[i] - schedule->vocabulary_parameters[i],
    [SW_RECIPE_VOCABULARY] = schedule->vocabulary_parameters[i],
    [SW_RECIPE_EXPERTS] = schedule->expert_parameters[i],
  };
  const double running = sw_running_bytes (scene->problem, scene->strategy, schedule, i);
  double bytes = 0, paged;

  memset (parts, 0, sizeof *parts);
  if (scene->states->vocabulary_differs)
    {
      add_states (&recipes[SW_RECIPE_LAYERS], count[SW_RECIPE_LAYERS], parts);
      add_states (&recipes[SW_RECIPE_VOCABULARY], count[SW_RECIPE_VOCABULARY], parts);
    }
  else
    add_states (&recipes[SW_RECIPE_LAYERS], schedule->parameters[i], parts);
  if (count[SW_RECIPE_EXPERTS] > 0)
    add_states (&recipes[SW_RECIPE_EXPERTS], count[SW_RECIPE_EXPERTS], parts);
  if (offload == SW_OFFLOAD_OPTIMIZER || offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    {
      bytes += parts->optimizer;
      parts->optimizer = 0;
    }
  if (offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    {
      /* Unsharded parts stay on the GPU, such as gathered parameters and unsharded gradients in a
       * pipeline (FSDP only offloads shards). */
      double parameters = 0, gradients = 0;

      for (guint kind = 0; kind < SW_N_RECIPES; kind++)
        if (count[kind] > 0)
          {
            double trained = count[kind] * recipes[kind].trained_share;

            parameters += trained * recipes[kind].parameters_whole
                          + count[kind] * recipes[kind].frozen_whole;
            gradients += trained * recipes[kind].gradients_whole;
          }
      bytes += parts->parameters + parts->gradients - parameters - gradients;
      parts->parameters = parameters;
      parts->gradients = gradients;
    }
  for (guint kind = 0; kind < SW_N_RECIPES && scene->problem->training.frozen_copies > 0; kind++)
    if (count[kind] > 0)
      parts->parameters += sw_frozen_copies (scene->problem, scene->strategy, &recipes[kind],
                                             count[kind]);
  /* Data for drives passes through a few buffers on the host. */
  if (scene->problem->training.offloads_to_nvme)
    bytes = 0;
  paged = sw_optimizer_is_paged (scene->problem->training.optimizer) ? parts->optimizer : 0;
  bytes += paged;
  parts->optimizer -= paged;
  *host_bytes = bytes + schedule->offloaded_bytes[i];
  parts->logits = schedule->logits_bytes[i];
  /* A layer's backward pass starts after the logits are freed. */
  parts->activations = schedule->activation_bytes[i] + MAX (running - parts->logits, 0);
  parts->buffers = schedule->buffer_bytes[i]
                   + sw_sharding_buffers (scene->problem, scene->strategy, schedule, i);
  if (scene->gradients_go)
    {
      /* They never coincide with the logits; those of the layers coincide with a layer's
       * activations. */
      parts->gradients_later =
          MIN (parts->gradients,
               schedule->activation_bytes[i] + MAX (schedule->logits_bytes[i] - running, 0));
      parts->gradients -= parts->gradients_later;
      /* Sharded ones are created on a separate stream, and the allocator's memory belongs to a
       * stream (torch/distributed/fsdp, reduce_scatter_stream; PyTorch,
       * CUDACachingAllocator.cpp). */
      parts->reclaimable = scene->strategy->dp > 1 ? parts->gradients_later : 0;
    }
  if (scene->step_copies)
    add_step (scene, count, parts);
  parts->reclaimable += paged + schedule->deferred_bytes[i];
  parts->total = parts->parameters + parts->gradients + parts->optimizer + parts->activations
                 + parts->logits + parts->buffers;
  /* Memory that the caching allocator reserves beyond the allocated bytes. */
  parts->buffers += (scene->states->allocator - 1) * parts->total;
  parts->framework = scene->framework_bytes;
  parts->total = scene->states->allocator * parts->total + parts->framework;
}

/**
 * sw_memory_within:
 * @states: (nullable): a cache for the same question
 * @problem: a prepared question
 * @strategy: as for sw_memory()
 * @schedule: level 2 of the same strategy
 * @most_bytes: once a stage exceeds this, its other parts and the other stages do not matter: @out
 *   is then the fullest stage so far
 * @add: (nullable): adds to the memory of a stage and to the host memory of one of its GPUs
 * @data: for @add
 * @out: (out): as for sw_memory()
 */
void
sw_memory_within (SwStatesMemo *states, const SwProblem *problem, const SwStrategy *strategy,
                  const SwScheduleMemory *schedule, double most_bytes, SwMemoryAdd add,
                  gpointer data, SwMemory *out)
{
  const SwCalibration *calibration = problem->calibration;
  Scene scene = { .problem = problem, .strategy = strategy, .schedule = schedule };
  guint gpus = MIN (sw_strategy_gpus (strategy), problem->cluster.gpus_per_node);
  const SwRecipe *layers;
  SwStates own;

  if (states == NULL)
    sw_states_init (problem, strategy, &own);
  scene.states = states == NULL ? &own : sw_states_known (states, problem, strategy);
  layers = &scene.states->recipes[SW_RECIPE_LAYERS];
  scene.step_copies = layers->copies > 0 || layers->temporaries > 0;
  /* Gradients exist only from the backward pass of their layer to the optimizer step: PyTorch's
   * optimizers free them (zero_grad, set_to_none), and if a step is one micro-batch, none exists when
   * its backward pass begins. Replicas keep them in permanent buckets (DistributedDataParallel). If the
   * number of micro-batches is not set, they count as permanent, so that a larger micro-batch never
   * takes less memory than a smaller one. */
  scene.gradients_go = sw_framework_is_fsdp (strategy->framework) && strategy->pp == 1
                       && (strategy->zero_stage > 0 || strategy->dp == 1)
                       && problem->training.type != SW_TRAINING_RLHF
                       && !problem->training.accumulates && problem->training.layout_is_given
                       && sw_strategy_micro_batches (problem, strategy) == 1;
  /* CUDA context and what NCCL keeps for each communicator. */
  scene.framework_bytes = calibration->context_bytes
                          + sw_communicators (strategy) * calibration->nccl_bytes_per_group;
  memset (out, 0, sizeof *out);
  for (guint i = 0; i < schedule->n_candidates && out->peak.total <= most_bytes; i++)
    {
      SwMemoryParts parts;
      double host_bytes;

      stage_parts (&scene, i, &parts, &host_bytes);
      if (add != NULL && parts.total <= most_bytes)
        add (data, strategy, schedule->stage[i], &parts, &host_bytes);
      out->host_bytes = MAX (out->host_bytes, host_bytes * gpus);
      if (parts.total > out->peak.total)
        {
          out->peak = parts;
          out->peak_stage = schedule->stage[i];
        }
    }
}

/**
 * sw_memory:
 * @problem: a prepared question
 * @strategy: in addition to levels 1 and 2, dp, ZeRO stage, shard group and offload are read
 * @schedule: level 2 of the same strategy
 * @out: (out): bytes on a GPU of the fullest stage, and bytes that offload takes of a node's memory
 *
 * For the trained model only. The total is the memory of the process: allocated memory,
 * fragmentation (in the buffers), and memory of CUDA and NCCL outside the allocator (`framework`).
 */
void
sw_memory (const SwProblem *problem, const SwStrategy *strategy, const SwScheduleMemory *schedule,
           SwMemory *out)
{
  sw_memory_within (NULL, problem, strategy, schedule, INFINITY, NULL, NULL, out);
}

/**
 * sw_memory_allocated:
 * @problem: a prepared question
 * @strategy: a strategy
 * @parts: what a GPU holds under it
 *
 * Returns: bytes that torch counts as allocated (max_memory_allocated), without additional reserved
 * memory and without the memory of CUDA and NCCL
 */
double
sw_memory_allocated (const SwProblem *problem, const SwStrategy *strategy,
                     const SwMemoryParts *parts)
{
  return (parts->total - parts->framework) / sw_allocator_factor (problem, strategy);
}

/**
 * sw_memory_stage:
 * @problem: a prepared question
 * @strategy: a strategy
 * @layer: level 1 of the same strategy
 * @stage: a pipeline stage, from 0
 * @out: (out): bytes on one GPU of that stage
 */
void
sw_memory_stage (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
                 guint stage, SwMemoryParts *out)
{
  SwScheduleMemory schedule;
  SwMemory memory;

  sw_schedule_memory_of_stage (problem, strategy, layer, stage, &schedule);
  sw_memory (problem, strategy, &schedule, &memory);
  *out = memory.peak;
}
