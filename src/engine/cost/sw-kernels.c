/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compute of a step by kind of kernel, from the same factors as its time. */
#include "sw-kernels.h"

#include "sw-time.h"

#include <string.h>

static double
work_seconds (const SwWork *work)
{
  return work->forward_s + work->input_s + work->weight_s;
}

/* Adds the work of several layers: memory-bound kernels, and the rest as `kind`. */
static void
add_work (const SwWork *work, SwKernelKind kind, double count, double out[SW_N_KERNELS])
{
  out[SW_KERNEL_MEMORY] += count * work->memory_s;
  out[kind] += count * (work_seconds (work) - work->memory_s);
}

/* Subtracts the slowest stage's excess over the mean stage from its kinds: first the ends of the
 * model, then all kinds in proportion, because the excess is additional layers. */
static void
take_uneven (double uneven_s, double out[SW_N_KERNELS])
{
  static const SwKernelKind ends[] = { SW_KERNEL_VOCABULARY, SW_KERNEL_PREDICTION };
  double left = uneven_s, sum = 0;

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      double taken = MIN (out[ends[i]], left);

      out[ends[i]] -= taken;
      left -= taken;
    }
  for (guint kind = 0; kind < SW_N_KERNELS; kind++)
    sum += out[kind];
  for (guint kind = 0; kind < SW_N_KERNELS && sum > 0; kind++)
    out[kind] *= MAX (1 - left / sum, 0);
}

/**
 * sw_kernels:
 * @problem: the question, prepared
 * @strategy: a strategy that the rules allow
 * @time: of the same strategy, by sw_time()
 * @out: (out): seconds of a step by #SwKernelKind
 *
 * The compute of a pipeline's mean stage in a step. The kinds add up to the compute of
 * @time without its recomputation.
 */
void
sw_kernels (const SwProblem *problem, const SwStrategy *strategy, const SwTime *time,
            double out[SW_N_KERNELS])
{
  double rest = time->compute_s + time->uneven_s - time->recompute_s;
  guint whole[SW_N_LAYER_KINDS];
  SwScheduleTime schedule;
  SwLayerExperts experts;
  SwLayerTime layer;
  SwLayerBase base;

  memset (out, 0, SW_N_KERNELS * sizeof *out);
  sw_layer_time (problem, strategy, &layer);
  sw_schedule_time (problem, strategy, &layer, &schedule);
  sw_layer_base (problem, strategy, &base);
  sw_layer_experts (&base, strategy, &experts);
  sw_stage_whole_layers (strategy, schedule.stage_layers, whole);
  /* One micro-batch through the slowest stage. */
  for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
    {
      const SwLayerTimePart *part = &layer.part[kind], *full = &layer.full[kind];
      const SwWork *mlp = kind == SW_LAYER_MOE ? &base.shared : &base.mlp;
      const double count = schedule.stage_layers[kind], plain = count - whole[kind];
      const double core_s = base.attention.core_s + base.attention.core_backward_s;
      double work_s = work_seconds (&base.attention) + work_seconds (mlp);

      if (count <= 0)
        continue;
      add_work (&base.attention, SW_KERNEL_PROJECTION, count, out);
      out[SW_KERNEL_PROJECTION] -= count * core_s;
      out[SW_KERNEL_ATTENTION] += count * core_s;
      add_work (mlp, SW_KERNEL_MLP, count, out);
      if (kind == SW_LAYER_MOE)
        {
          add_work (&experts.work, SW_KERNEL_EXPERTS, count, out);
          work_s += work_seconds (&experts.work);
        }
      /* Some layers use the strategy's recomputation, some are recomputed whole. Time of a layer
       * beyond its work is waiting for launches. */
      out[SW_KERNEL_LAUNCH] += plain * (part->forward_s + part->backward_s - work_s)
                               + whole[kind] * (full->forward_s + full->backward_s - work_s);
    }
  if (schedule.stage == 0)
    out[SW_KERNEL_VOCABULARY] += layer.embedding_s;
  if (schedule.stage == strategy->pp - 1)
    {
      out[SW_KERNEL_VOCABULARY] += layer.head_s;
      out[SW_KERNEL_PREDICTION] += layer.mtp_s;
      if (schedule.micro_batches <= 1)
        out[SW_KERNEL_PREDICTION] += layer.mtp_beside_s;
    }
  /* A difference within rounding is not a wait for launches. */
  out[SW_KERNEL_LAUNCH] = MAX (out[SW_KERNEL_LAUNCH], 0);
  for (guint kind = 0; kind < SW_N_KERNELS; kind++)
    {
      out[kind] *= schedule.micro_batches;
      rest -= out[kind];
    }
  if (problem->training.type == SW_TRAINING_RLHF)
    out[SW_KERNEL_OTHER] = MAX (rest, 0);
  take_uneven (time->uneven_s, out);
}
