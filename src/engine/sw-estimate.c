/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-estimate.h"

#include <math.h>

static void
set_memory (const SwProblem *problem,
            const SwStrategy *strategy,
            const SwLayerMemory *layer,
            SwEstimate *out)
{
  const SwCluster *cluster = &problem->cluster;
  SwScheduleMemory schedule;
  double over_gpu, over_host;

  sw_schedule_memory (problem, strategy, layer, &schedule);
  sw_memory (problem, strategy, &schedule, &out->memory);
  out->usable_bytes = cluster->usable_bytes;
  out->memory_limit_bytes = cluster->usable_bytes * problem->training.memory_target;
  out->memory_utilisation =
      cluster->usable_bytes > 0 ? out->memory.peak.total / cluster->usable_bytes : 0;
  over_gpu = out->memory.peak.total - out->memory_limit_bytes;
  over_host = cluster->host_ram_bytes > 0 ? out->memory.host_bytes - cluster->host_ram_bytes : 0;
  if (out->rule != SW_RULE_OK)
    return;
  if (over_gpu > 0)
    {
      out->rule = SW_RULE_GPU_MEMORY;
      out->missing_bytes = over_gpu;
    }
  else if (over_host > 0)
    {
      out->rule = SW_RULE_HOST_MEMORY;
      out->missing_bytes = over_host;
    }
}

/* Model FLOPs of one step, forward and backward; frozen weights need no gradient. */
static double
step_flops (const SwProblem *problem, gboolean causal_half)
{
  gboolean frozen = sw_training_is_adapter (&problem->training);
  double tokens = (double)problem->training.global_batch * problem->training.sequence_length;

  return tokens
         * sw_model_forward_flops_per_token (&problem->model, problem->training.sequence_length,
                                             causal_half)
         * (frozen ? 2.0 : 3.0);
}

/* MFU (PaLM, appendix B) with causal attention halved and, beside it, whole; HFU counts what is
 * recomputed too, by its share of the forward pass. */
static void
set_rates (const SwProblem *problem, SwEstimate *out)
{
  double seconds = out->time.step_s, gpus = MAX (out->gpus_used, 1), passes;
  double per_gpu = step_flops (problem, TRUE) / seconds / gpus;
  double useful = out->time.compute_s - out->time.recompute_s;

  out->tokens_per_s =
      (double)problem->training.global_batch * problem->training.sequence_length / seconds;
  out->tokens_per_s_per_gpu = out->tokens_per_s / gpus;
  out->model_flops_per_s_per_gpu = per_gpu;
  out->peak_flops_per_s = sw_cluster_peak_flops (&problem->cluster, problem->training.precision);
  if (out->peak_flops_per_s <= 0)
    return;
  passes = useful > 0 ? 1 + out->time.recompute_s / useful : 1;
  out->mfu = per_gpu / out->peak_flops_per_s;
  out->mfu_full_attention = step_flops (problem, FALSE) / seconds / gpus / out->peak_flops_per_s;
  out->hfu = out->mfu * passes;
}

static void
set_shares (SwEstimate *out)
{
  const SwTime *t = &out->time;
  double exposed =
      t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s + t->pp_exposed_s + t->dp_exposed_s;
  double hidden =
      t->tp_hidden_s + t->cp_hidden_s + t->ep_hidden_s + t->pp_hidden_s + t->dp_hidden_s;

  out->communication_overhead = exposed / t->step_s;
  out->bubble_fraction = t->bubble_s / t->step_s;
  out->scaling_efficiency = 1 - out->communication_overhead - out->bubble_fraction;
  out->compute_to_communication = exposed + hidden > 0 ? t->compute_s / (exposed + hidden) : 0;
}

/* What no run was measured with, on whatever GPU and framework: NF4 weights, the generation of
 * RLHF, offload, and GPUs that only PCIe joins. */
static gboolean
was_never_measured (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwTrainingType type = problem->training.type;

  return type == SW_TRAINING_QLORA || type == SW_TRAINING_RLHF
         || strategy->offload != SW_OFFLOAD_NONE
         || (problem->cluster.intra.is_pcie && sw_strategy_gpus (strategy) > 1);
}

/* The 90th percentile of the errors of runs of this kind; that of all, half as wide again, where
 * none like it was measured. */
static void
set_interval (const SwProblem *problem, SwEstimate *out)
{
  const SwCalibration *c = problem->calibration;
  const SwResidual *kind = sw_calibration_residual (
      c, problem->cluster.gpu.generation, out->strategy.framework, problem->model.moe.experts > 0);
  gboolean widen = kind == &c->residual_all || was_never_measured (problem, &out->strategy);
  double least = widen ? 1.5 : 0;
  double time = exp (MAX (kind->time_p90, least * c->residual_all.time_p90));
  double memory = exp (MAX (kind->memory_p90, least * c->residual_all.memory_p90));

  out->step_low_s = out->time.step_s / time;
  out->step_high_s = out->time.step_s * time;
  out->tokens_low_per_s = out->tokens_per_s / time;
  out->tokens_high_per_s = out->tokens_per_s * time;
  out->memory_low_bytes = out->memory.peak.total / memory;
  out->memory_high_bytes = out->memory.peak.total * memory;
}

/**
 * sw_estimate:
 * @problem: the question, prepared
 * @strategy: a strategy, whether it can run or not
 * @out: filled in. Where a rule other than memory is broken the figures are those of an unchecked
 * extrapolation and only the rule is to be shown
 *
 * Everything that is said of one strategy: its rule, memory, time, rates and error interval.
 */
void
sw_estimate (const SwProblem *problem, const SwStrategy *strategy, SwEstimate *out)
{
  SwLayerMemory memory;
  SwLayerTime layer;
  SwScheduleTime schedule;

  *out = (SwEstimate){ .strategy = *strategy, .rule = sw_rules_check (problem, strategy) };
  out->gpus_used = sw_strategy_gpus (strategy);
  out->gpus_idle =
      problem->cluster.gpus > out->gpus_used ? problem->cluster.gpus - out->gpus_used : 0;
  out->gradient_accumulation = sw_strategy_micro_batches (problem, strategy);
  sw_layer_memory (problem, strategy, &memory);
  set_memory (problem, strategy, &memory, out);
  out->fits = out->rule == SW_RULE_OK;
  sw_layer_time (problem, strategy, &layer);
  sw_schedule_time (problem, strategy, &layer, &schedule);
  sw_time (problem, strategy, &memory, &schedule, &out->time);
  set_rates (problem, out);
  set_shares (out);
  set_interval (problem, out);
}

/**
 * sw_estimate_stage:
 * @problem: the question, prepared
 * @strategy: a strategy
 * @stage: of the pipeline, from 0
 * @out: what the memory of that stage's GPUs holds
 */
void
sw_estimate_stage (const SwProblem *problem,
                   const SwStrategy *strategy,
                   guint stage,
                   SwMemoryParts *out)
{
  SwLayerMemory layer;

  sw_layer_memory (problem, strategy, &layer);
  sw_memory_stage (problem, strategy, &layer, stage, out);
}
