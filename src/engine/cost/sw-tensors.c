/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is alive at the peak of one stage, tensor by tensor. Reads the same levels and recipes as
 * the total, so that the sum is the total. */
#include "sw-tensors.h"

#include "sw-estimate.h"
#include "sw-split.h"

#include <math.h>
#include <string.h>

const char *const sw_tensor_kind_names[] = {
  "weights",
  "frozen_weights",
  "reference",
  "gradients",
  "optimizer_states",
  "layer_inputs",
  "norm_outputs",
  "queries_keys_values",
  "mla_projections",
  "attention_scores",
  "attention_output",
  "attention_context",
  "mlp_hidden",
  "mlp_activation",
  "expert_hidden",
  "expert_activation",
  "shared_experts",
  "router",
  "mtp_layers",
  "embedding_mask",
  "running_layer",
  "logits",
  "pipeline_buffers",
  "weight_gradients",
  "sharding_buffers",
  "optimizer_step",
  "fragmentation",
  "cuda_context",
  "communicators",
  "other_phase",
  NULL,
};
G_STATIC_ASSERT (G_N_ELEMENTS (sw_tensor_kind_names) == SW_N_TENSOR_KINDS + 1);

const char *const sw_memory_part_names[] = {
  "parameters", "gradients", "optimizer", "activations", "logits", "buffers", "framework", NULL,
};
G_STATIC_ASSERT (G_N_ELEMENTS (sw_memory_part_names) == SW_N_PARTS + 1);

/**
 * sw_memory_part_bytes:
 * @parts: what a GPU holds
 * @part: one of them
 *
 * Returns: its size in bytes
 */
double
sw_memory_part_bytes (const SwMemoryParts *parts, SwMemoryPart part)
{
  const double bytes[SW_N_PARTS] = {
    [SW_PART_PARAMETERS] = parts->parameters, [SW_PART_GRADIENTS] = parts->gradients,
    [SW_PART_OPTIMIZER] = parts->optimizer,   [SW_PART_ACTIVATIONS] = parts->activations,
    [SW_PART_LOGITS] = parts->logits,         [SW_PART_BUFFERS] = parts->buffers,
    [SW_PART_FRAMEWORK] = parts->framework,
  };

  return bytes[part];
}

const char *const sw_tensor_owner_names[] = { "", "layers", "vocabulary", "experts", NULL };
G_STATIC_ASSERT (G_N_ELEMENTS (sw_tensor_owner_names) == SW_N_OWNERS + 1);

typedef struct {
  const SwProblem *problem;
  const SwStrategy *strategy;
  guint stage, n;
  SwTensor *out;
  SwLayerMemory layer;
  SwScheduleMemory schedule;
  SwMemoryParts parts;
} List;

static SwTensor *
add (List *list, SwTensorKind kind, SwMemoryPart part, double bytes, double count)
{
  SwTensor *tensor = &list->out[list->n];

  if (bytes <= 0)
    return NULL;
  *tensor = (SwTensor){
    .kind = kind, .part = part, .bytes = bytes, .count = count, .tp = list->strategy->tp, .data = 1
  };
  list->n++;
  return tensor;
}

/* ---- states ---- */

static void
add_state (List *list, const SwRecipe *recipe, guint kind, SwTensorKind tensor_kind,
           SwMemoryPart part, const double bytes[2], double count)
{
  double group = recipe->group;
  SwTensor *tensor = add (list, tensor_kind, part, count * (bytes[0] + bytes[1] / group), count);

  if (tensor == NULL)
    return;
  tensor->owner = (SwTensorOwner) (SW_OWNER_LAYERS + kind);
  tensor->data = bytes[1] > 0 ? (guint) group : 1;
  if (kind == SW_RECIPE_EXPERTS)
    tensor->tp = list->strategy->etp;
}

static void
add_states_of (List *list, const SwRecipe *recipe, guint kind, double count)
{
  double trained = count * recipe->trained_share;
  SwOffload offload = (SwOffload) list->strategy->offload;
  gboolean has_states = offload != SW_OFFLOAD_OPTIMIZER && offload != SW_OFFLOAD_OPTIMIZER_PARAMS
                        && !sw_optimizer_is_paged (list->problem->training.optimizer);
  double shards = offload != SW_OFFLOAD_OPTIMIZER_PARAMS; /* 0: they are on the host */

  add_state (list, recipe, kind, SW_TENSOR_WEIGHTS, SW_PART_PARAMETERS,
             (double[]){ recipe->parameters_whole, shards * recipe->parameters_shared }, trained);
  add_state (list, recipe, kind, SW_TENSOR_FROZEN_WEIGHTS, SW_PART_PARAMETERS,
             (double[]){ recipe->frozen_whole, shards * recipe->frozen_shared }, count);
  add_state (list, recipe, kind, SW_TENSOR_GRADIENTS, SW_PART_GRADIENTS,
             (double[]){ recipe->gradients_whole, shards * recipe->gradients_shared }, trained);
  if (has_states)
    add_state (list, recipe, kind, SW_TENSOR_OPTIMIZER, SW_PART_OPTIMIZER,
               (double[]){ recipe->optimizer_whole, recipe->optimizer_shared }, trained);
}

/* Subtracts tensors that do not exist yet at the peak. */
static void
leave_later_gradients (List *list)
{
  const double there = list->parts.gradients, later = list->parts.gradients_later;

  guint n = 0;

  if (later <= 0)
    return;
  for (guint i = 0; i < list->n; i++)
    {
      SwTensor tensor = list->out[i];

      if (tensor.part == SW_PART_GRADIENTS)
        {
          tensor.bytes *= there / (there + later);
          tensor.count *= there / (there + later);
        }
      if (tensor.bytes > 0)
        list->out[n++] = tensor;
    }
  list->n = n;
}

/* ---- activations ---- */

static void
add_saved (List *list, const guint kinds[SW_N_LAYER_KINDS], guint whole, double flight)
{
  double saved[SW_N_LAYER_KINDS][SW_N_SAVED] = { { 0 } };

  for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
    if (kinds[kind] > 0)
      sw_layer_saved (list->problem, list->strategy, kind, saved[kind]);
  for (guint i = 0; i < SW_N_SAVED; i++)
    {
      guint layers = i == SW_SAVED_INPUT ? whole : 0;
      double bytes = layers * list->layer.activation_full_bytes;
      SwTensor *tensor;

      for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
        {
          bytes += kinds[kind] * saved[kind][i];
          layers += saved[kind][i] > 0 ? kinds[kind] : 0;
        }
      tensor = add (list, (SwTensorKind) (SW_TENSOR_LAYER_INPUTS + i), SW_PART_ACTIVATIONS,
                    flight * bytes, flight * layers);
      if (tensor != NULL)
        tensor->data = list->strategy->cp;
    }
}

static void
list_activations (List *list)
{
  const SwStrategy *strategy = list->strategy;
  const SwLayerMemory *layer = &list->layer;
  guint layers = sw_stage_layers (list->problem, strategy, list->stage), start = 0, whole = 0;
  guint kinds[SW_N_LAYER_KINDS] = { 0 }, of_stage[SW_N_LAYER_KINDS], first = list->n;
  double flight = sw_in_flight (strategy, sw_strategy_micro_batches (list->problem, strategy),
                                list->stage);
  double mtp = 0, each;

  /* Layers of the stage that only keep their input: the first. */
  if (strategy->recompute == SW_RECOMPUTE_FULL)
    whole = layers;
  else if (strategy->recompute == SW_RECOMPUTE_FULL_LAYERS)
    whole = MIN (strategy->full_layers, layers);
  for (guint stage = 0; stage < list->stage; stage++)
    start += sw_stage_layers (list->problem, strategy, stage);
  for (guint i = start + whole; i < start + layers; i++)
    kinds[sw_model_layer_is_moe (&list->problem->model, i) ? SW_LAYER_MOE : SW_LAYER_DENSE]++;
  sw_stage_layer_kinds (list->problem, strategy, list->stage, of_stage);
  add_saved (list, kinds, whole, flight);
  /* The last stage's layers of multi-token prediction. */
  if (list->stage + 1 == strategy->pp)
    mtp = list->problem->model.mtp_layers * sw_waiting_losses (strategy, flight);
  each = strategy->recompute == SW_RECOMPUTE_FULL
             ? layer->activation_full_bytes
             : layer->activation_bytes[of_stage[SW_LAYER_MOE] > 0 ? SW_LAYER_MOE : SW_LAYER_DENSE];
  add (list, SW_TENSOR_MTP_LAYERS, SW_PART_ACTIVATIONS, mtp * each, mtp);
  if (list->stage == 0)
    add (list, SW_TENSOR_EMBEDDING_MASK, SW_PART_ACTIVATIONS,
         flight * list->layer.embedding_activation_bytes, flight);
  if (strategy->offload == SW_OFFLOAD_ACTIVATIONS)
    {
      /* Offload keeps a share of the activations on the GPU. */
      double bytes = list->schedule.activation_bytes[0];
      double sum = 0;

      for (guint i = first; i < list->n; i++)
        sum += list->out[i].bytes;
      for (guint i = first; i < list->n && sum > 0; i++)
        {
          list->out[i].bytes *= bytes / sum;
          list->out[i].count *= bytes / sum;
        }
    }
  add (list, SW_TENSOR_RUNNING_LAYER, SW_PART_ACTIVATIONS,
       sw_running_bytes (list->problem, strategy, &list->schedule, 0)
           - list->schedule.logits_bytes[0],
       1);
  add (list, SW_TENSOR_LOGITS, SW_PART_LOGITS, list->schedule.logits_bytes[0], 1);
}

/**
 * sw_memory_tensors:
 * @problem: a prepared question
 * @strategy: a strategy
 * @stage: a pipeline stage, from 0
 * @out: (out): what one GPU of the stage holds at its peak; empty entries are omitted
 *
 * Returns: their number. Their bytes add up to the total of sw_estimate_stage(), and those of each
 * part to the part
 */
guint
sw_memory_tensors (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                   SwTensor out[SW_MAX_TENSORS])
{
  List list = { .problem = problem, .strategy = strategy, .stage = stage, .out = out };
  const SwCalibration *calibration = problem->calibration;
  const guint groups = sw_communicators (strategy);
  const SwMemoryParts *parts = &list.parts;
  const SwScheduleMemory *schedule = &list.schedule;
  const double flight = sw_in_flight (strategy, sw_strategy_micro_batches (problem, strategy),
                                      stage);
  double count[SW_N_RECIPES], pipeline, sharding, fragmentation, step, copies = 0;
  SwRecipe recipes[SW_N_RECIPES];

  sw_layer_memory (problem, strategy, &list.layer);
  sw_schedule_memory_of_stage (problem, strategy, &list.layer, stage, &list.schedule);
  sw_estimate_stage (problem, strategy, stage, &list.parts);
  count[SW_RECIPE_LAYERS] = schedule->parameters[0] - schedule->vocabulary_parameters[0];
  count[SW_RECIPE_VOCABULARY] = schedule->vocabulary_parameters[0];
  count[SW_RECIPE_EXPERTS] = schedule->expert_parameters[0];
  pipeline = sw_pipeline_buffers (problem, strategy, &list.layer, flight);
  sharding = sw_sharding_buffers (problem, strategy, schedule, 0);
  fragmentation = (parts->total - parts->framework)
                  * (1 - 1 / sw_allocator_factor (problem, strategy));
  step = parts->buffers - fragmentation - schedule->buffer_bytes[0] - sharding;
  sw_recipes_init (problem, strategy, recipes);
  for (guint kind = 0; kind < SW_N_RECIPES; kind++)
    if (count[kind] > 0)
      {
        add_states_of (&list, &recipes[kind], kind, count[kind]);
        copies += sw_frozen_copies (problem, strategy, &recipes[kind], count[kind]);
      }
  add (&list, SW_TENSOR_REFERENCE, SW_PART_PARAMETERS, copies, 1);
  leave_later_gradients (&list);
  list_activations (&list);
  add (&list, SW_TENSOR_PIPELINE_BUFFERS, SW_PART_BUFFERS, pipeline, 1);
  add (&list, SW_TENSOR_WEIGHT_GRADIENTS, SW_PART_BUFFERS, schedule->buffer_bytes[0] - pipeline, 1);
  add (&list, SW_TENSOR_SHARDING_BUFFERS, SW_PART_BUFFERS, sharding, 1);
  /* Differences below the rounding of the sums above are ignored. */
  if (step > 1e-9 * parts->total)
    add (&list, SW_TENSOR_OPTIMIZER_STEP, SW_PART_BUFFERS, step, 1);
  add (&list, SW_TENSOR_FRAGMENTATION, SW_PART_BUFFERS, fragmentation, 1);
  add (&list, SW_TENSOR_CUDA_CONTEXT, SW_PART_FRAMEWORK, calibration->context_bytes, 1);
  add (&list, SW_TENSOR_COMMUNICATORS, SW_PART_FRAMEWORK,
       groups * calibration->nccl_bytes_per_group, groups);
  if (problem->training.type == SW_TRAINING_RLHF)
    {
      const double bytes[SW_N_PARTS] = {
        parts->parameters, parts->gradients, parts->optimizer, parts->activations,
        parts->logits,     parts->buffers,   parts->framework,
      };

      /* Other models are in memory with the policy, and the peak may be in a phase other than its
       * training: parts that differ are completed, or replaced as a whole. */
      for (guint part = 0; part < SW_N_PARTS; part++)
        {
          double sum = 0;
          guint n = 0;

          for (guint i = 0; i < list.n; i++)
            sum += out[i].part == part ? out[i].bytes : 0;
          if (fabs (bytes[part] - sum) <= 1e-9 * parts->total)
            continue;
          if (bytes[part] < sum)
            {
              for (guint i = 0; i < list.n; i++)
                if (out[i].part != part)
                  out[n++] = out[i];
              list.n = n;
              sum = 0;
            }
          add (&list, SW_TENSOR_OTHER_PHASE, (SwMemoryPart) part, bytes[part] - sum, 1);
        }
    }
  return list.n;
}
