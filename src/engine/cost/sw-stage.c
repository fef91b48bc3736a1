/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-framework.h"
#include "sw-memory-private.h"
#include "sw-split.h"

#include <string.h>

/**
 * sw_stage_layers:
 * @problem: a prepared question
 * @strategy: its framework and pp are read
 * @stage: a pipeline stage, from 0
 *
 * Returns: how many layers the stage holds
 */
guint
sw_stage_layers (const SwProblem *problem, const SwStrategy *strategy, guint stage)
{
  SwSplit split;

  sw_split (problem, strategy, &split);
  return sw_split_start (&split, stage + 1) - sw_split_start (&split, stage);
}

/**
 * sw_stage_layer_kinds:
 * @problem: a prepared question
 * @strategy: its framework and pp are read
 * @stage: a pipeline stage, from 0
 * @layers: (out): how many dense layers and how many with experts it holds
 */
void
sw_stage_layer_kinds (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                      guint layers[SW_N_LAYER_KINDS])
{
  SwSplit split;

  sw_split (problem, strategy, &split);
  sw_split_kinds (&split, &problem->model, stage, layers);
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

/* Micro-batches whose activations a stage holds at once, counted in whole stages: all under GPipe;
 * what the warm-up lets in plus one under 1F1B, and the same under ZB-H1 (Qi et al. 2023); under
 * interleaving 2 (p - i - 1) + (v - 1) p + 1 chunks of 1/v of the stage (Narayanan et al. 2021,
 * Megatron's schedules.py). */
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

/* Activations of one micro-batch through all layers of a stage. */
static double
stage_activations (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
                   guint start, guint end)
{
  guint kinds[SW_N_LAYER_KINDS];
  guint full = strategy->recompute == SW_RECOMPUTE_FULL_LAYERS
                   ? MIN (strategy->full_layers, end - start)
                   : 0;

  if (strategy->recompute == SW_RECOMPUTE_FULL)
    return (end - start) * layer->activation_full_bytes;
  sw_model_kinds_between (&problem->model, start + full, end, kinds);
  return full * layer->activation_full_bytes
         + kinds[SW_LAYER_DENSE] * layer->activation_bytes[SW_LAYER_DENSE]
         + kinds[SW_LAYER_MOE] * layer->activation_bytes[SW_LAYER_MOE];
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
  /* A tied head on another stage than the embedding is a copy of it. */
  if (is_last && (!model->tied_embeddings || strategy->pp > 1))
    out->vocabulary_parameters[i] += layer->head_parameters;
  out->parameters[i] += out->vocabulary_parameters[i];
  if (!is_last)
    return;
  out->parameters[i] += layer->final_norm_parameters + layer->mtp_parameters;
  out->expert_parameters[i] += model->mtp_layers * layer->expert_parameters;
}

/* DeepSpeed's pipeline engine keeps inputs and outputs of every micro-batch in flight in buffers of
 * its own. PyTorch's keeps the outputs, and buffers for the gradients of all micro-batches of a
 * step. */
double
sw_pipeline_buffers (const SwProblem *problem, const SwStrategy *strategy,
                     const SwLayerMemory *layer, double flight)
{
  if (strategy->pp == 1)
    return 0;
  if (strategy->framework == SW_FRAMEWORK_DEEPSPEED)
    return 2 * flight * layer->activation_full_bytes;
  if (strategy->framework == SW_FRAMEWORK_FSDP2)
    return (flight + sw_strategy_micro_batches (problem, strategy)) * strategy->vpp
           * layer->activation_full_bytes;
  return 0;
}

/* Weight gradients under way: those of layers, kept or one at a time, the head's beside the logits,
 * and the embedding's at the end of a micro-batch, when others are in flight. What cannot be at
 * once is not added. Takes the part that coincides with the logits out of the layers' peak. */
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
 * backward pass: one under all schedules but GPipe. */
double
sw_waiting_losses (const SwStrategy *strategy, double flight)
{
  return strategy->schedule == SW_SCHEDULE_GPIPE && strategy->pp > 1 ? flight : 1;
}

/* What the end of one micro-batch keeps while it waits. */
double
sw_waiting_logits (const SwProblem *problem, const SwLayerMemory *layer)
{
  return (1 + problem->model.mtp_layers) * layer->logits_kept_bytes;
}

/* Activations between forward and backward passes: all that the number of first layers recomputed
 * changes of a stage. */
static void
fill_kept (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
           const SwSplit *split, guint stage, double flight, SwScheduleMemory *out, guint i)
{
  guint start = sw_split_start (split, stage), end = sw_split_start (split, stage + 1);
  double kept = flight * stage_activations (problem, strategy, layer, start, end);

  if (stage + 1 == strategy->pp && problem->model.mtp_layers > 0)
    {
      guint kinds[SW_N_LAYER_KINDS], kind;

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
      /* Two layers stay: the one that runs and the one that is copied. */
      double stays = MIN (kept, 2 * kept / (flight * (end - start)));

      out->offloaded_bytes[i] = kept - stays;
      kept = stays;
    }
  out->activation_bytes[i] = kept;
}

static void
fill_activations (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
                  const SwSplit *split, guint stage, const guint kinds[SW_N_LAYER_KINDS],
                  SwScheduleMemory *out, guint i)
{
  double flight = sw_in_flight (strategy, sw_strategy_micro_batches (problem, strategy), stage);
  gboolean has_experts = kinds[SW_LAYER_MOE] > 0, is_last = stage + 1 == strategy->pp;
  guint kind = has_experts ? SW_LAYER_MOE : SW_LAYER_DENSE,
        mtp = is_last ? problem->model.mtp_layers : 0;
  double waiting = sw_waiting_losses (strategy, flight);

  fill_kept (problem, strategy, layer, split, stage, flight, out, i);
  out->peak_bytes[i] = layer->recompute_peak_bytes[kind];
  if (has_experts && kinds[SW_LAYER_DENSE] > 0)
    out->peak_bytes[i] = MAX (out->peak_bytes[i], layer->recompute_peak_bytes[SW_LAYER_DENSE]);
  /* Multi-token prediction keeps bf16 logits of each further token. */
  out->logits_bytes[i] = is_last ? layer->logits_bytes * (1 + 0.5 * mtp) : 0;
  if (is_last)
    {
      double others = (waiting - 1) * sw_waiting_logits (problem, layer);

      /* They are there while a layer runs backward, too. */
      out->logits_bytes[i] += others;
      out->peak_bytes[i] += others;
    }
  out->buffer_bytes[i] = sw_pipeline_buffers (problem, strategy, layer, flight)
                         + fill_weight_gradients (problem, strategy, layer, stage, kinds, out, i);
}

static void
fill_stage (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
            const SwSplit *split, guint stage, SwScheduleMemory *out, guint i)
{
  guint kinds[SW_N_LAYER_KINDS];

  sw_split_kinds (split, &problem->model, stage, kinds);
  out->stage[i] = stage;
  fill_parameters (problem, strategy, layer, stage, kinds, out, i);
  fill_activations (problem, strategy, layer, split, stage, kinds, out, i);
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

/* Whether stages may differ in more ways than one layer: experts in every so many layers only, or a
 * split by cost. */
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

/* The first stage of each make-up. There are few: stages have one of two lengths, as many experts
 * as that holds or one more, all or some of which are left; and those of leading dense layers. */
static void
add_make_ups (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
              const SwSplit *split, SwScheduleMemory *out)
{
  const SwModelSpec *model = &problem->model;
  MakeUp known[SW_STAGE_CANDIDATES];
  guint n = 0;

  for (guint stage = 1; stage + 1 < strategy->pp && n < SW_STAGE_CANDIDATES; stage++)
    {
      guint start = sw_split_start (split, stage), end = sw_split_start (split, stage + 1), at = 0;
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
}

/* Of stages with the same layers the earlier holds more micro-batches, so that it is enough to look
 * at the first stage of each make-up: with leading dense layers alone, which is like stage 0 but
 * where that has a layer less; where they end; after them; and with a layer more. */
static void
add_middle_candidates (const SwProblem *problem, const SwStrategy *strategy,
                       const SwLayerMemory *layer, const SwSplit *split, SwScheduleMemory *out)
{
  if (has_many_make_ups (problem, strategy))
    {
      add_make_ups (problem, strategy, layer, split, out);
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

/**
 * sw_memory_stage:
 * @problem: a prepared question
 * @strategy: a strategy
 * @layer: level 1 of the same strategy
 * @stage: a pipeline stage, from 0
 * @out: (out): what one GPU of that stage holds, in bytes
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
