/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Level 3 of time: data-parallel communication, the optimizer, and the whole step. */
#include "sw-collective.h"
#include "sw-compute.h"
#include "sw-cost.h"

#include <math.h>

/* The ranks that hold the same part of the model: those that share its state, and how many times
 * that is repeated. */
typedef struct
{
  double parameters; /* on one GPU; a count */
  double trained;    /* of them: with a gradient */
  SwGroup all, shard, replicas;
} Parts;

typedef struct
{
  const SwProblem *problem;
  const SwStrategy *strategy;
  const SwScheduleTime *schedule;
  const SwProfile *profile;
  double m; /* micro-batches */
} Scene;

static void
dense_parts (const Scene *scene, const SwLayerMemory *memory, Parts *out)
{
  const SwStrategy *s = scene->strategy;
  const guint *layers = scene->schedule->stage_layers;
  guint shard = MAX (MIN (s->shard_group, s->dp), 1);
  double ends =
      s->pp > 1 ? MAX (memory->embedding_parameters, memory->head_parameters)
                : memory->embedding_parameters + memory->head_parameters + memory->mtp_parameters;

  out->parameters = memory->layer_parameters[SW_LAYER_DENSE] * layers[SW_LAYER_DENSE]
                    + memory->layer_parameters[SW_LAYER_MOE] * layers[SW_LAYER_MOE] + ends;
  out->trained = out->parameters * sw_trained_share (scene->problem);
  out->all = (SwGroup){ s->dp * s->cp, s->tp };
  out->shard = (SwGroup){ shard * s->cp, s->tp };
  out->replicas = (SwGroup){ s->dp / shard, s->tp * s->cp * shard };
}

static void
expert_parts (const Scene *scene, const SwLayerMemory *memory, Parts *out)
{
  const SwStrategy *s = scene->strategy;
  guint edp = MAX (sw_strategy_edp (s), 1), shard = edp;

  if (s->shard_group < s->dp && s->shard_group > 0)
    shard = MAX (edp * s->shard_group / s->dp, 1);
  out->parameters = memory->expert_parameters * scene->schedule->stage_layers[SW_LAYER_MOE];
  out->trained = out->parameters * sw_trained_share (scene->problem);
  out->all = (SwGroup){ edp, s->etp * s->ep };
  out->shard = (SwGroup){ shard, s->etp * s->ep };
  out->replicas = (SwGroup){ edp / shard, s->etp * s->ep * shard };
}

/* Calls that a profile makes for `parameters`: Megatron's buckets of max (40 M, 1 M x ranks)
 * parameters, DeepSpeed's of 500 M elements, one unit per layer with FSDP (each framework's
 * documented defaults). */
static double
buckets (const Scene *scene, double parameters, guint ranks)
{
  const guint *layers = scene->schedule->stage_layers;
  double bucket;

  switch ((SwFramework)scene->strategy->framework)
    {
    case SW_FRAMEWORK_FSDP:
    case SW_FRAMEWORK_FSDP2:
      return MAX (layers[SW_LAYER_DENSE] + layers[SW_LAYER_MOE], 1);
    case SW_FRAMEWORK_DEEPSPEED:
      bucket = 500e6;
      break;
    case SW_FRAMEWORK_ANY:
    case SW_FRAMEWORK_MEGATRON_2021:
    case SW_FRAMEWORK_MEGATRON_CORE:
    case SW_FRAMEWORK_NANOTRON:
    case SW_N_FRAMEWORKS:
    default:
      bucket = MAX (40e6, 1e6 * ranks);
      break;
    }
  return MAX (ceil (parameters / bucket), 1);
}

static double
seconds_of (const Scene *scene,
            SwCollective kind,
            SwGroup group,
            double parameters,
            double bytes_each)
{
  SwCollectiveCost cost;

  if (group.size < 2 || parameters <= 0)
    return 0;
  sw_collective_cost (scene->problem, kind, group, &cost);
  return sw_collective_cost_seconds (&cost, parameters * bytes_each,
                                     buckets (scene, parameters, group.size));
}

/* What runs beside a window of compute is hidden but for the profile's share; the rest is exposed.
 */
static void
overlap (const Scene *scene, double seconds, double window_s, double exposed_share, SwTime *out)
{
  double beside = MIN (seconds, window_s), exposed;

  if (scene->problem->training.overlap == SW_OVERLAP_NONE)
    beside = 0;
  exposed = seconds - beside + exposed_share * beside;
  out->dp_exposed_s += exposed;
  out->dp_hidden_s += seconds - exposed;
}

/* ZeRO 0 to 2: gradients once a step (or a micro-batch, where the framework keeps only its part of
 * them), parameters once. Rajbhandari et al. 2020, section 7. */
static void
add_replicated (const Scene *scene, const Parts *parts, SwTime *out)
{
  const SwStrategy *s = scene->strategy;
  const SwScheduleTime *schedule = scene->schedule;
  double times = s->zero_stage >= 2 ? scene->m : 1,
         gradient_bytes = sw_gradient_bytes (scene->problem, s);
  double backward_window =
      s->zero_stage >= 2 ? scene->m * schedule->backward_s : schedule->last_backward_s;
  double forward_window = schedule->first_backward_s, gradients;

  if (s->zero_stage == 0)
    {
      overlap (
          scene,
          seconds_of (scene, SW_COLLECTIVE_ALL_REDUCE, parts->all, parts->trained, gradient_bytes),
          backward_window, scene->profile->dp_exposed, out);
      return;
    }
  gradients =
      seconds_of (scene, SW_COLLECTIVE_REDUCE_SCATTER, parts->shard, parts->trained, gradient_bytes)
      + seconds_of (scene, SW_COLLECTIVE_ALL_REDUCE, parts->replicas,
                    parts->trained / MAX (parts->shard.size, 1), gradient_bytes);
  overlap (scene, times * gradients, backward_window, scene->profile->dp_exposed, out);
  overlap (scene, seconds_of (scene, SW_COLLECTIVE_ALL_GATHER, parts->shard, parts->trained, 2),
           forward_window, scene->profile->dp_exposed, out);
}

/* ZeRO 3 and FSDP (Zhao et al. 2023, section 3): parameters gathered for both passes of every
 * micro-batch, gradients scattered after each; with a pipeline they stay gathered and are scattered
 * once. Hybrid sharding reduces the parts over the replicas. */
static void
add_sharded (const Scene *scene, const Parts *parts, SwTime *out)
{
  const SwScheduleTime *schedule = scene->schedule;
  double times = scene->strategy->pp > 1 ? 1 : scene->m;
  double gradient_bytes = sw_gradient_bytes (scene->problem, scene->strategy);
  double gather = seconds_of (scene, SW_COLLECTIVE_ALL_GATHER, parts->shard, parts->parameters, 2);
  double scatter =
      seconds_of (scene, SW_COLLECTIVE_REDUCE_SCATTER, parts->shard, parts->trained, gradient_bytes)
      + seconds_of (scene, SW_COLLECTIVE_ALL_REDUCE, parts->replicas,
                    parts->trained / MAX (parts->shard.size, 1), gradient_bytes);
  double again = scene->strategy->pp > 1 ? 0 : gather;

  overlap (scene, times * gather, times * schedule->forward_s, scene->profile->fsdp_exposed, out);
  overlap (scene, times * (again + scatter), times * schedule->backward_s,
           scene->profile->fsdp_exposed, out);
}

/* Bytes moved per parameter by one step: the fp32 gradient, the state read and written, the 16-bit
 * copy written. */
static double
optimizer_bytes (SwOptimizer optimizer)
{
  switch (optimizer)
    {
    case SW_OPTIMIZER_ADAM8BIT:
      return 4 + 8 + 4 + 2;
    case SW_OPTIMIZER_ADAFACTOR:
      return 4 + 8 + 2;
    case SW_OPTIMIZER_MUON:
      return 4 + 16 + 2;
    case SW_OPTIMIZER_SGD:
      return 4 + 8 + 2;
    case SW_OPTIMIZER_ADAMW:
    default:
      return 4 + 24 + 2;
    }
}

/* Muon's five Newton-Schulz steps of three products each on every matrix, taken as hidden x hidden
 * (Jordan 2024). */
static double
newton_schulz_seconds (const Scene *scene, double parameters)
{
  SwRates rates;

  sw_rates_init (&rates, scene->problem, scene->strategy->framework);
  return 5 * 3 * 2 * parameters * scene->problem->model.hidden_size / rates.half_flops_per_s;
}

/* Offloaded: gradients down and parameters up over PCIe, and the step on the host's CPUs, whose
 * memory the GPUs of a node share (Rajbhandari et al. 2021, ZeRO-Infinity, section 4). */
static void
add_host_step (const Scene *scene, double parameters, double bytes, SwTime *out)
{
  const SwCluster *cluster = &scene->problem->cluster;
  double link = sw_host_link_bytes_per_s (scene->problem);
  double node_rate =
      scene->problem->calibration->host_bytes_per_s / MAX (cluster->gpus_per_node, 1);

  out->optimizer_s += bytes / node_rate;
  out->offload_exposed_s +=
      parameters * (sw_gradient_bytes (scene->problem, scene->strategy) + 2) / link;
  if (scene->strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    /* Parameters come up again for the forward and the backward pass of every micro-batch, half
     * beside the work. */
    out->offload_exposed_s += 0.5 * scene->m * 2 * 2 * parameters / link;
}

static void
add_optimizer (const Scene *scene, const Parts *parts, SwTime *out)
{
  const SwProblem *problem = scene->problem;
  const SwStrategy *s = scene->strategy;
  double parameters = parts->trained / (s->zero_stage >= 1 ? MAX (parts->shard.size, 1) : 1);
  double bytes = parameters * optimizer_bytes (problem->training.optimizer);

  if (s->offload == SW_OFFLOAD_OPTIMIZER || s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    add_host_step (scene, parameters, bytes, out);
  else
    out->optimizer_s +=
        problem->calibration->optimizer_factor * bytes / sw_stream_bytes_per_s (problem);
  if (problem->training.optimizer == SW_OPTIMIZER_MUON)
    out->optimizer_s += newton_schulz_seconds (scene, parameters);
}

/* RLHF, coarse: the responses are generated token by token at the rate at which a replica reads its
 * weights, up to 256 sequences at a time; a reference and (PPO) a reward model run forward, and PPO
 * trains a critic of its own size. All on the same GPUs, one after the other. */
static double
rlhf_seconds (const Scene *scene, double training_s)
{
  const SwProblem *problem = scene->problem;
  const SwTraining *t = &problem->training;
  double total = MAX (problem->count.total, 1), forward = training_s / 3,
         critic = t->rlhf_critic_parameters / total;
  double ranks = (double)scene->strategy->tp * scene->strategy->pp;
  double read_s = 2 * total / ranks / sw_stream_bytes_per_s (problem);
  double rounds = ceil (t->global_batch / MAX (256.0 * scene->strategy->dp, 1));

  return rounds * t->rlhf_response_length * read_s + forward
         + (t->rlhf_ppo ? critic * (training_s + forward) : 0);
}

static double
sum_of (const SwTime *t)
{
  return t->compute_s + t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s + t->pp_exposed_s
         + t->dp_exposed_s + t->bubble_s + t->optimizer_s + t->offload_exposed_s + t->other_s;
}

static void
add_other (const Scene *scene, SwTime *out)
{
  double nodes = MAX ((double)sw_strategy_gpus (scene->strategy)
                          / MAX (scene->problem->cluster.gpus_per_node, 1),
                      1);

  if (scene->problem->training.type == SW_TRAINING_RLHF)
    out->other_s += rlhf_seconds (scene, out->compute_s);
  out->other_s += scene->problem->calibration->fixed_s;
  /* The slowest of many nodes sets the pace: a share for every doubling of them. */
  if (nodes > 1)
    out->other_s += scene->profile->straggler_per_doubling * log2 (nodes) * sum_of (out);
}

static void
copy_schedule (const SwScheduleTime *schedule, SwTime *out)
{
  *out = (SwTime){
    .compute_s = schedule->compute_s,
    .recompute_s = schedule->recompute_s,
    .tp_exposed_s = schedule->tp_exposed_s,
    .cp_exposed_s = schedule->cp_exposed_s,
    .ep_exposed_s = schedule->ep_exposed_s,
    .pp_exposed_s = schedule->pp_exposed_s,
    .bubble_s = schedule->bubble_s,
    .offload_exposed_s = schedule->offload_exposed_s,
    .tp_hidden_s = schedule->tp_hidden_s,
    .cp_hidden_s = schedule->cp_hidden_s,
    .ep_hidden_s = schedule->ep_hidden_s,
    .pp_hidden_s = schedule->pp_hidden_s,
  };
}

/**
 * sw_time:
 * @problem: the question, prepared
 * @strategy: the whole strategy
 * @layer_memory: parameter counts of the same level-1 fields, by sw_layer_memory()
 * @schedule: of the same level-2 fields, by sw_schedule_time()
 * @out: filled in; step_s is the exact sum of its parts
 *
 * Adds data-parallel communication, the optimizer step and what remains to a pipeline's time.
 */
void
sw_time (const SwProblem *problem,
         const SwStrategy *strategy,
         const SwLayerMemory *layer_memory,
         const SwScheduleTime *schedule,
         SwTime *out)
{
  Scene scene = { problem, strategy, schedule,
                  sw_calibration_profile (problem->calibration, strategy->framework,
                                          problem->training.software_year),
                  schedule->micro_batches };
  Parts parts[2];
  guint n_parts = schedule->stage_layers[SW_LAYER_MOE] > 0 ? 2 : 1;

  copy_schedule (schedule, out);
  dense_parts (&scene, layer_memory, &parts[0]);
  expert_parts (&scene, layer_memory, &parts[1]);
  for (guint i = 0; i < n_parts; i++)
    {
      if (strategy->zero_stage >= 3)
        add_sharded (&scene, &parts[i], out);
      else
        add_replicated (&scene, &parts[i], out);
      add_optimizer (&scene, &parts[i], out);
    }
  add_other (&scene, out);
  out->step_s = sum_of (out);
}
