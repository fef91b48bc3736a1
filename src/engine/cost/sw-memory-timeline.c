/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-memory-timeline.h"

#include "sw-estimate.h"
#include "sw-pipeline.h"

/* The memory of a stage, divided by when it is alive. */
typedef struct {
  double always[SW_N_PARTS]; /* always: weights, gradients, states, context; buffers of the
                                passes */
  double chunk;              /* activations of one micro-batch in one chunk of the stage */
  double running, logits;    /* during a backward pass; at the loss of a micro-batch */
  double later;              /* gradients that exist after the backward pass */
  double waiting;            /* the part of `logits` that each micro-batch holds until its
                                backward pass */
  double passes_buffers;     /* the part of `always` that the optimizer step does not need */
  double step_buffers;       /* what the optimizer step needs instead */
  gboolean has_head;
} Cut;

typedef struct {
  const Cut *cut;
  SwMemoryTimeline *out;
  guint chunks; /* of a stage */
  guint alive;  /* micro-batches with live activations */
} Walk;

static void
cut_tensors (const SwProblem *problem, const SwStrategy *strategy, guint stage, Cut *cut)
{
  SwTensor tensors[SW_MAX_TENSORS];
  guint n = sw_memory_tensors (problem, strategy, stage, tensors);
  double kept = 0,
         chunks = sw_in_flight (strategy, sw_strategy_micro_batches (problem, strategy), stage)
                  * (strategy->schedule == SW_SCHEDULE_INTERLEAVED ? strategy->vpp : 1);

  *cut = (Cut){ .has_head = stage + 1 == strategy->pp };
  for (guint i = 0; i < n; i++)
    {
      /* The member for a tensor that appears and disappears on its own; NULL for others. */
      double *passing = tensors[i].kind == SW_TENSOR_RUNNING_LAYER    ? &cut->running
                        : tensors[i].kind == SW_TENSOR_LOGITS         ? &cut->logits
                        : tensors[i].kind == SW_TENSOR_OPTIMIZER_STEP ? &cut->step_buffers
                                                                      : NULL;

      if (passing != NULL)
        *passing += tensors[i].bytes;
      else if (tensors[i].part == SW_PART_ACTIVATIONS)
        kept += tensors[i].bytes;
      else
        cut->always[tensors[i].part] += tensors[i].bytes;
      if (passing == NULL && tensors[i].part == SW_PART_BUFFERS
          && tensors[i].kind != SW_TENSOR_FRAGMENTATION)
        cut->passes_buffers += tensors[i].bytes;
    }
  cut->chunk = kept / MAX (chunks, 1);
}

static SwMemoryMoment *
add_moment (Walk *walk, double time_s, gboolean running, gboolean at_loss)
{
  const Cut *cut = walk->cut;
  SwMemoryMoment moment = { .time_s = time_s,
                            .micro_batches = (double) walk->alive / walk->chunks };

  for (guint part = 0; part < SW_N_PARTS; part++)
    moment.part_bytes[part] = cut->always[part];
  moment.part_bytes[SW_PART_ACTIVATIONS] = walk->alive * cut->chunk + (running ? cut->running : 0);
  moment.part_bytes[SW_PART_LOGITS] = at_loss ? cut->logits + (walk->alive - 1.0) * cut->waiting
                                              : walk->alive * cut->waiting;
  g_array_append_val (walk->out->moments, moment);
  return &g_array_index (walk->out->moments, SwMemoryMoment, walk->out->moments->len - 1);
}

/**
 * sw_memory_timeline:
 * @problem: a prepared question, not of reinforcement learning
 * @strategy: a strategy that can run
 * @stage: a pipeline stage, from 0
 * @max_tasks: the most passes of all stages that may be simulated
 * @out: (out caller-allocates): free with sw_memory_timeline_clear() where the result is %TRUE
 *
 * The memory of a GPU of the stage over one step: the tensors of sw_memory_tensors() placed on the
 * simulated schedule. Activations grow during a micro-batch's forward pass and shrink during its
 * backward pass (where a schedule splits the backward pass, in its first half); the optimizer step
 * comes last. Its maximum is the stage's total.
 *
 * Returns: %FALSE, with @out untouched, if there are more passes than @max_tasks, or the job has
 * phases beyond one step
 */
gboolean
sw_memory_timeline (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                    guint max_tasks, SwMemoryTimeline *out)
{
  guint chunks = strategy->schedule == SW_SCHEDULE_INTERLEAVED ? MAX (strategy->vpp, 1) : 1;
  const double flight = sw_in_flight (strategy, sw_strategy_micro_batches (problem, strategy),
                                      stage);
  const double others = sw_waiting_losses (strategy, flight) - 1;
  SwPipeline pipeline;
  SwEstimate estimate;
  SwLayerMemory layer;
  SwMemoryParts parts;
  Cut cut;
  Walk walk = { .cut = &cut, .out = out, .chunks = chunks };
  double room, most = 0;

  if (problem->training.type == SW_TRAINING_RLHF
      || !sw_pipeline_of_strategy (problem, strategy, max_tasks, &pipeline))
    return FALSE;
  cut_tensors (problem, strategy, stage, &cut);
  /* Copies of the step first use the memory that the passes freed. */
  room = cut.running + cut.logits + cut.passes_buffers;
  sw_layer_memory (problem, strategy, &layer);
  sw_memory_stage (problem, strategy, &layer, stage, &parts);
  room += parts.activations - cut.running - parts.gradients_later;
  cut.later = parts.gradients_later;
  cut.step_buffers += cut.step_buffers > 0 ? room : MIN (parts.reclaimable, room);
  /* Under GPipe, tensors kept by the losses wait for the backward passes at the end; under all
   * other schedules the backward pass follows at once. */
  if (cut.has_head && others > 0)
    {
      cut.waiting = sw_waiting_logits (problem, &layer);
      cut.logits -= others * cut.waiting;
    }
  sw_estimate (problem, strategy, &estimate);
  *out = (SwMemoryTimeline){ .moments = g_array_new (FALSE, FALSE, sizeof (SwMemoryMoment)),
                             .passes_s = pipeline.total_s };
  for (guint i = 0; i < pipeline.tasks->len; i++)
    {
      const SwTask *task = &g_array_index (pipeline.tasks, SwTask, i);

      if (task->rank == stage)
        {
          /* All logits of the head exist at the end of its forward pass and at the start of its
           * backward pass. */
          gboolean at_loss = (task->chunk + 1u == chunks) && walk.cut->has_head;

          if (task->kind == SW_TASK_FORWARD)
            {
              add_moment (&walk, task->start_s, FALSE, FALSE);
              walk.alive++;
              add_moment (&walk, task->end_s, FALSE, at_loss);
            }
          else if (task->kind != SW_TASK_BACKWARD_WEIGHT)
            {
              add_moment (&walk, task->start_s, TRUE, at_loss);
              walk.alive -= walk.alive > 0;
              add_moment (&walk, task->end_s, FALSE, FALSE)->part_bytes[SW_PART_GRADIENTS] +=
                  cut.later;
            }
        }
    }
  walk.alive = 0;
  for (guint i = 0; i < 2; i++)
    {
      SwMemoryMoment *moment = add_moment (&walk, out->passes_s + i * estimate.time.optimizer_s,
                                           FALSE, FALSE);

      moment->part_bytes[SW_PART_BUFFERS] += cut.step_buffers - cut.passes_buffers;
      moment->part_bytes[SW_PART_GRADIENTS] += cut.later;
    }
  out->total_s = out->passes_s + estimate.time.optimizer_s;
  for (guint i = 0; i < out->moments->len; i++)
    {
      double total = sw_memory_moment_total (&g_array_index (out->moments, SwMemoryMoment, i));

      /* Sums of the same parts in another order differ in their last digits. */
      if (total > most * (1 + 1e-12))
        {
          most = total;
          out->peak = i;
        }
    }
  sw_pipeline_clear (&pipeline);
  return TRUE;
}

/**
 * sw_memory_timeline_clear:
 * @timeline: filled by sw_memory_timeline()
 */
void
sw_memory_timeline_clear (SwMemoryTimeline *timeline)
{
  g_clear_pointer (&timeline->moments, g_array_unref);
}

/**
 * sw_memory_moment_total:
 * @moment: of a timeline
 *
 * Returns: bytes on the GPU at that moment
 */
double
sw_memory_moment_total (const SwMemoryMoment *moment)
{
  double total = 0;

  for (guint part = 0; part < SW_N_PARTS; part++)
    total += moment->part_bytes[part];
  return total;
}
