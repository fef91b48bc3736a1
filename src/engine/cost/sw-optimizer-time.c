/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Level 3 of time: the optimizer's step, on the GPU or on the host. */
#include "sw-compute.h"
#include "sw-time-private.h"

/* Over how many ranks the optimizer's work on these is divided. */
static double
shards (const SwTimeScene *scene, const SwTimeParts *parts)
{
  return scene->strategy->zero_stage >= 1 ? MAX (parts->shard.size, 1) : 1;
}

/* Bytes moved per parameter by one step: the fp32 gradient, the state read and written, the 16-bit
 * copy written. */
static double
optimizer_bytes (SwOptimizer optimizer)
{
  switch (optimizer)
    {
    case SW_OPTIMIZER_ADAM8BIT: return 4 + 8 + 4 + 2;
    case SW_OPTIMIZER_ADAFACTOR: return 4 + 8 + 2;
    case SW_OPTIMIZER_MUON: return 4 + 16 + 2;
    case SW_OPTIMIZER_SGD: return 4 + 8 + 2;
    case SW_OPTIMIZER_ADAMW:
    default: return 4 + 24 + 2;
    }
}

/* Muon's five Newton-Schulz steps of three products each on every matrix of the layers, taken as
 * square, of its shorter side (Jordan et al. 2024); embedding and head have AdamW. */
static double
newton_schulz_seconds (const SwTimeScene *scene, const SwTimeParts *parts)
{
  double matrices = parts->matrices * sw_trained_share (scene->problem) / shards (scene, parts);
  SwRates rates;

  sw_rates_init (&rates, scene->problem, scene->strategy->framework);
  return 5 * 3 * 2 * matrices * parts->side / rates.half_flops_per_s;
}

/* Traffic with the host: what runs beside `window_s` of the GPU's work is hidden but for the
 * profile's share of gathered parameters, with which it competes. */
static void
add_host_traffic (const SwTimeScene *scene, double seconds, double window_s, SwTime *out)
{
  double beside = MIN (seconds, window_s), exposed;

  if (scene->problem->training.overlap == SW_OVERLAP_NONE)
    beside = 0;
  exposed = seconds - beside + scene->profile->fsdp_exposed * beside;
  out->offload_exposed_s += exposed;
  out->offload_hidden_s += seconds - exposed;
}

/* Offloaded: gradients go down while the last backward pass makes them, the step runs on the host's
 * CPUs, whose memory the GPUs of a node share, and new parameters come up after it, when nothing is
 * left to hide them behind (Ren et al. 2021, ZeRO-Offload, sections 4 and 5). Parameters that live
 * in the host come up for the forward and for the backward pass of every micro-batch, ahead of the
 * work, and the shards of its gradients go down after each (Rajbhandari et al. 2021, ZeRO-Infinity,
 * section 6.2); in a pipeline both happen once, for they stay gathered and whole. */
static void
add_host_step (const SwTimeScene *scene, const SwTimeParts *parts, double parameters, double bytes,
               SwTime *out)
{
  const SwProblem *problem = scene->problem;
  const SwScheduleTime *schedule = scene->schedule;
  guint gpus = MIN (sw_strategy_gpus (scene->strategy), problem->cluster.gpus_per_node);
  double link = sw_host_link_bytes_per_s (problem, FALSE);
  double gradients = parameters * sw_gradient_bytes (problem, scene->strategy);
  double times = scene->strategy->pp > 1 ? 1 : scene->m;
  /* All of them, a frozen base too. */
  double weights = parts->parameters / MAX (parts->shard.size, 1)
                   * sw_weight_bytes (&problem->training);

  out->optimizer_s += bytes * MAX (gpus, 1) / problem->calibration->host_bytes_per_s;
  if (scene->strategy->offload != SW_OFFLOAD_OPTIMIZER_PARAMS)
    {
      add_host_traffic (scene, gradients / link, schedule->last_backward_s, out);
      add_host_traffic (scene, parameters * 2 / link, 0, out);
      return;
    }
  add_host_traffic (scene, times * gradients / link, times * schedule->backward_s, out);
  add_host_traffic (scene, times * weights / link, times * schedule->forward_s, out);
  if (scene->strategy->pp == 1)
    add_host_traffic (scene, times * weights / link, times * schedule->backward_s, out);
}

/* The optimizer's step on these, wherever it runs. */
void
sw_time_add_optimizer (const SwTimeScene *scene, const SwTimeParts *parts, SwTime *out)
{
  const SwProblem *problem = scene->problem;
  const SwStrategy *s = scene->strategy;
  double parameters = parts->trained / shards (scene, parts);
  double bytes = parameters * optimizer_bytes (problem->training.optimizer);

  if (s->offload == SW_OFFLOAD_OPTIMIZER || s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    add_host_step (scene, parts, parameters, bytes, out);
  else
    out->optimizer_s += problem->calibration->optimizer_factor * bytes
                        / sw_stream_bytes_per_s (problem);
  if (problem->training.optimizer == SW_OPTIMIZER_MUON)
    out->optimizer_s += newton_schulz_seconds (scene, parts);
}
