/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-pipeline.h"

#include "sw-schedule-time.h"

/* The tasks of one rank in the schedule's order, and its progress. */
typedef struct {
  SwTask *tasks;
  guint n_tasks, next;
  double free_s;
} Rank;

typedef struct {
  const SwPipelineSpec *spec;
  guint stages; /* virtual: pp * vpp */
  Rank *ranks;
  double *forward_end,
      *backward_end; /* [stage * micro_batches + micro_batch]; negative: not yet run */
} Simulation;

static void
push (Rank *rank, guint index, SwTaskKind kind, guint chunk, guint micro_batch)
{
  rank->tasks[rank->n_tasks++] =
      (SwTask){ .kind = kind, .rank = index, .chunk = chunk, .micro_batch = micro_batch };
}

/* The k-th forward (or backward) pass of a rank with interleaving: pp micro-batches through one
 * chunk, then through the next (Megatron-Core, pipeline_parallel/schedules.py). */
static void
push_interleaved (const SwPipelineSpec *spec, guint index, SwTaskKind kind, guint k, Rank *rank)
{
  guint round = spec->pp * spec->vpp;
  guint chunk = (k % round) / spec->pp;

  if (kind == SW_TASK_BACKWARD)
    chunk = spec->vpp - 1 - chunk;
  push (rank, index, kind, chunk, k / round * spec->pp + k % spec->pp);
}

/* 1F1B (Narayanan et al. 2019, PipeDream-Flush) and, with more chunks, its interleaved form
 * (Narayanan et al. 2021, section 2.2): a warm-up of forward passes, then alternating passes, then
 * the remaining backward passes. */
static void
order_1f1b (const SwPipelineSpec *spec, guint index, Rank *rank)
{
  guint total = spec->micro_batches * spec->vpp;
  guint warm_up = spec->vpp > 1 ? 2 * (spec->pp - index - 1) + (spec->vpp - 1) * spec->pp
                                : spec->pp - index - 1;

  warm_up = MIN (warm_up, total);
  for (guint k = 0; k < warm_up; k++)
    push_interleaved (spec, index, SW_TASK_FORWARD, k, rank);
  for (guint k = 0; k < total; k++)
    {
      if (warm_up + k < total)
        push_interleaved (spec, index, SW_TASK_FORWARD, warm_up + k, rank);
      push_interleaved (spec, index, SW_TASK_BACKWARD, k, rank);
    }
}

/* ZB-H1 (Qi et al. 2023, section 3): like 1F1B, but each rank delays weight gradients by as many
 * micro-batches as there are ranks before it, so that input gradients move on earlier. */
static void
order_zero_bubble (const SwPipelineSpec *spec, guint index, Rank *rank)
{
  guint m = spec->micro_batches, warm_up = MIN (spec->pp - index - 1, m), weights = 0;

  for (guint k = 0; k < warm_up; k++)
    push (rank, index, SW_TASK_FORWARD, 0, k);
  for (guint k = 0; k < m; k++)
    {
      if (warm_up + k < m)
        push (rank, index, SW_TASK_FORWARD, 0, warm_up + k);
      push (rank, index, SW_TASK_BACKWARD_INPUT, 0, k);
      if (k >= index)
        push (rank, index, SW_TASK_BACKWARD_WEIGHT, 0, weights++);
    }
  while (weights < m)
    push (rank, index, SW_TASK_BACKWARD_WEIGHT, 0, weights++);
}

/* When the input of `task` arrives; negative: not yet. */
static double
ready_at (const Simulation *self, const SwTask *task, guint stage)
{
  const SwPipelineSpec *spec = self->spec;
  gsize at = (gsize) stage * spec->micro_batches + task->micro_batch;
  double p2p = spec->pp > 1 ? spec->p2p_s : 0, end;

  if (task->kind == SW_TASK_BACKWARD_WEIGHT)
    return self->backward_end[at];
  if (task->kind == SW_TASK_FORWARD)
    {
      if (stage == 0)
        return 0;
      end = self->forward_end[at - spec->micro_batches];
      return end < 0 ? -1 : end + p2p;
    }
  if (stage == self->stages - 1)
    return self->forward_end[at];
  end = self->backward_end[at + spec->micro_batches];
  return end < 0 || self->forward_end[at] < 0 ? -1 : end + p2p;
}

/* Runs the tasks that `rank` can run now. Returns: their number. */
static guint
advance_rank (Simulation *self, Rank *rank)
{
  guint before = rank->next;

  for (; rank->next < rank->n_tasks; rank->next++)
    {
      SwTask *task = &rank->tasks[rank->next];
      guint stage = task->chunk * self->spec->pp + task->rank;
      gsize at = (gsize) stage * self->spec->micro_batches + task->micro_batch;
      double ready = ready_at (self, task, stage), duration;

      if (ready < 0)
        break;
      switch ((SwTaskKind) task->kind)
        {
        case SW_TASK_FORWARD: duration = self->spec->forward_s[stage]; break;
        case SW_TASK_BACKWARD_INPUT: duration = self->spec->backward_input_s[stage]; break;
        case SW_TASK_BACKWARD_WEIGHT:
          duration = self->spec->backward_s[stage] - self->spec->backward_input_s[stage];
          break;
        case SW_TASK_BACKWARD:
        default: duration = self->spec->backward_s[stage]; break;
        }
      task->start_s = MAX (ready, rank->free_s);
      task->end_s = task->start_s + duration;
      /* How long a rank waits after a pass until its output is sent and its next input has
       * arrived. */
      rank->free_s = task->end_s
                     + (self->spec->pp > 1 && task->kind != SW_TASK_BACKWARD_WEIGHT
                            ? self->spec->p2p_s * self->spec->blocked_share
                            : 0);
      if (task->kind == SW_TASK_FORWARD)
        self->forward_end[at] = task->end_s;
      else if (task->kind != SW_TASK_BACKWARD_WEIGHT)
        self->backward_end[at] = task->end_s;
    }
  return rank->next - before;
}

static void
run_events (const SwPipelineSpec *spec, SwPipeline *out)
{
  const guint stages = spec->pp * spec->vpp;
  gsize n = (gsize) stages * spec->micro_batches;
  Simulation simulation = { .spec = spec,
                            .stages = stages,
                            .ranks = g_new0 (Rank, spec->pp),
                            .forward_end = g_new (double, n),
                            .backward_end = g_new (double, n) };
  double busy = 0, busiest = 0;
  guint moved;

  *out = (SwPipeline){ .tasks = g_array_new (FALSE, FALSE, sizeof (SwTask)),
                       .stages = stages,
                       .send_s = spec->pp > 1 ? spec->p2p_s : 0 };
  for (gsize i = 0; i < n; i++)
    simulation.forward_end[i] = simulation.backward_end[i] = -1;
  for (guint i = 0; i < spec->pp; i++)
    {
      Rank *rank = &simulation.ranks[i];

      rank->tasks = g_new0 (SwTask, (gsize) 3 * spec->micro_batches * spec->vpp);
      if (spec->schedule == SW_SCHEDULE_GPIPE)
        {
          /* Huang et al. 2019: all forward passes, then all backward passes in reverse order. */
          for (guint k = 0; k < spec->micro_batches; k++)
            push (rank, i, SW_TASK_FORWARD, 0, k);
          for (guint k = spec->micro_batches; k > 0; k--)
            push (rank, i, SW_TASK_BACKWARD, 0, k - 1);
        }
      else if (spec->schedule == SW_SCHEDULE_ZERO_BUBBLE)
        order_zero_bubble (spec, i, rank);
      else
        order_1f1b (spec, i, rank);
    }
  do
    {
      moved = 0;
      for (guint i = 0; i < spec->pp; i++)
        moved += advance_rank (&simulation, &simulation.ranks[i]);
    }
  while (moved > 0);
  /* Collects the tasks of all ranks and frees the rest. */
  for (guint i = 0; i < spec->pp; i++)
    {
      Rank *rank = &simulation.ranks[i];
      double before = busy;

      g_array_append_vals (out->tasks, rank->tasks, rank->next);
      out->total_s = MAX (out->total_s, rank->free_s);
      for (guint k = 0; k < rank->next; k++)
        busy += rank->tasks[k].end_s - rank->tasks[k].start_s;
      busiest = MAX (busiest, busy - before);
      g_free (rank->tasks);
    }
  out->uneven_s = busiest - busy / spec->pp;
  out->bubble_s = MAX (out->total_s - busiest, 0);
  out->bubble_fraction = out->total_s > 0 ? MAX (1 - busy / (spec->pp * out->total_s), 0) : 0;
  g_free (simulation.ranks);
  g_free (simulation.forward_end);
  g_free (simulation.backward_end);
}

/**
 * sw_pipeline_simulate:
 * @spec: schedule and times; GPipe, 1F1B and zero-bubble require vpp 1; interleaved requires
 * micro-batches divisible by pp
 * @out: (out caller-allocates): free with sw_pipeline_clear()
 *
 * Simulates the schedule by events, and again without transfers to find their cost.
 */
void
sw_pipeline_simulate (const SwPipelineSpec *spec, SwPipeline *out)
{
  SwPipelineSpec at_once = *spec;
  SwPipeline without;

  run_events (spec, out);
  if (spec->pp < 2 || spec->p2p_s <= 0)
    return;
  at_once.p2p_s = 0;
  run_events (&at_once, &without);
  out->transfer_s = out->total_s - without.total_s;
  out->bubble_s = without.bubble_s;
  sw_pipeline_clear (&without);
}

/**
 * sw_pipeline_clear:
 * @pipeline: a simulated pipeline
 *
 * Frees its tasks.
 */
void
sw_pipeline_clear (SwPipeline *pipeline)
{
  g_clear_pointer (&pipeline->tasks, g_array_unref);
}

/* The times of every virtual stage: the embedding on the first chunk of the first rank, the head on
 * the last chunk of the last rank. A third of both is forward. */
static void
fill_stage_times (const SwProblem *problem, const SwStrategy *strategy, const SwLayerTime *layer,
                  guint vpp, double *forward, double *backward, double *input)
{
  SwSplit split;

  sw_split (problem, strategy, &split);
  for (guint rank = 0; rank < strategy->pp; rank++)
    {
      gboolean first = rank == 0, last = rank == strategy->pp - 1;
      guint layers = sw_stage_layers (problem, strategy, rank);
      SwStageTime stage;

      sw_stage_time (problem, strategy, layer, rank, &stage);
      for (guint chunk = 0; chunk < vpp; chunk++)
        {
          guint at = chunk * strategy->pp + rank;
          gboolean holds_end = (first && chunk == 0) || (last && chunk == vpp - 1);
          double ends = holds_end ? stage.ends_s : 0;
          double share = sw_split_chunk_layers (&split, vpp, rank, chunk)
                         / (double) MAX (layers, 1);

          forward[at] = stage.forward_s * share + ends / 3;
          backward[at] = stage.backward_s * share + ends * 2 / 3;
          input[at] = stage.backward_input_s * share + ends / 3;
        }
    }
}

/**
 * sw_pipeline_of_strategy:
 * @problem: the question, prepared
 * @strategy: a strategy that can run
 * @max_tasks: the maximum number of tasks
 * @out: (out caller-allocates): free with sw_pipeline_clear() if the result is TRUE
 *
 * The schedule of one step with the engine's own time of every stage.
 *
 * Returns: FALSE, with @out untouched, if the step has more tasks than @max_tasks
 */
gboolean
sw_pipeline_of_strategy (const SwProblem *problem, const SwStrategy *strategy, guint max_tasks,
                         SwPipeline *out)
{
  gboolean interleaved = strategy->schedule == SW_SCHEDULE_INTERLEAVED;
  guint vpp = interleaved ? MAX (strategy->vpp, 1) : 1, n = strategy->pp * vpp;
  guint micro_batches = MAX (sw_strategy_micro_batches (problem, strategy), 1);
  guint64 tasks = (guint64) n * micro_batches
                  * (strategy->schedule == SW_SCHEDULE_ZERO_BUBBLE ? 3 : 2);
  g_autofree double *times = NULL;
  SwCollectiveCall call, fill;
  SwPipelineSpec spec;
  SwLayerTime layer;

  if (tasks > max_tasks)
    return FALSE;
  times = g_new0 (double, (gsize) 3 * n);
  sw_layer_time (problem, strategy, &layer);
  fill_stage_times (problem, strategy, &layer, vpp, times, times + n, times + 2 * n);
  /* Without a pipeline each micro-batch runs backward before the next one runs forward. */
  spec = (SwPipelineSpec){ strategy->pp > 1 ? strategy->schedule : SW_SCHEDULE_1F1B,
                           strategy->pp,
                           vpp,
                           micro_batches,
                           times,
                           times + n,
                           times + 2 * n };
  if (strategy->pp > 1)
    {
      /* Time of one transfer and its exposed part, from the same values as the step time. */
      sw_schedule_point_to_point (problem, strategy, &layer, micro_batches, &call, &fill);
      spec.p2p_s = call.seconds;
      spec.blocked_share = sw_schedule_blocked_share (problem, strategy);
    }
  sw_pipeline_simulate (&spec, out);
  return TRUE;
}
