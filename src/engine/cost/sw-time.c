/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Level 3 of time: data-parallel communication, the optimizer, and the whole step. */
#include "sw-time.h"

#include "sw-framework.h"

#include <math.h>
#include <string.h>

/* The ranks that hold the same part of the model: those that share its state, and the number of
 * such groups. */
typedef struct {
  double parameters; /* count, on one GPU */
  double trained;    /* the part of `parameters` with a gradient */
  double matrices;   /* the part of `parameters` in the matrices of the layers */
  double side;       /* the shorter side of these matrices */
  SwGroup all, shard, replicas;
  gboolean is_experts;
} Parts;

typedef struct {
  const SwProblem *problem;
  const SwStrategy *strategy;
  const SwScheduleTime *schedule;
  const SwProfile *profile;
  guint stage;                    /* the stage whose exchange and update take longest */
  guint layers[SW_N_LAYER_KINDS]; /* of that stage */
  double m;                       /* micro-batches */
  SwCollectiveLog *log;           /* (nullable): records data-parallel communication */
} Scene;

/**
 * sw_time_sum:
 * @t: parts of a step
 *
 * Returns: the step, their exact sum
 */
double
sw_time_sum (const SwTime *t)
{
  return t->compute_s + t->uneven_s + t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s
         + t->pp_exposed_s + t->dp_exposed_s + t->bubble_s + t->optimizer_s + t->offload_exposed_s
         + t->other_s;
}

/**
 * sw_time_add:
 * @out: (inout): a time
 * @other: a following time, added part by part
 */
void
sw_time_add (SwTime *out, const SwTime *other)
{
  out->compute_s += other->compute_s;
  out->recompute_s += other->recompute_s;
  out->uneven_s += other->uneven_s;
  out->tp_exposed_s += other->tp_exposed_s;
  out->cp_exposed_s += other->cp_exposed_s;
  out->ep_exposed_s += other->ep_exposed_s;
  out->pp_exposed_s += other->pp_exposed_s;
  out->dp_exposed_s += other->dp_exposed_s;
  out->bubble_s += other->bubble_s;
  out->optimizer_s += other->optimizer_s;
  out->offload_exposed_s += other->offload_exposed_s;
  out->other_s += other->other_s;
  out->tp_hidden_s += other->tp_hidden_s;
  out->cp_hidden_s += other->cp_hidden_s;
  out->ep_hidden_s += other->ep_hidden_s;
  out->pp_hidden_s += other->pp_hidden_s;
  out->dp_hidden_s += other->dp_hidden_s;
  out->offload_hidden_s += other->offload_hidden_s;
  out->step_s = sw_time_sum (out);
}

/**
 * sw_straggler_share:
 * @problem: the question
 * @framework: a software profile
 *
 * Returns: the share added to a step per doubling of the nodes
 */
double
sw_straggler_share (const SwProblem *problem, SwFramework framework)
{
  return sw_problem_profile (problem, framework)->straggler_per_doubling;
}

/**
 * sw_straggler_factor:
 * @problem: the question
 * @share: of sw_straggler_share()
 * @gpus: that the job uses
 *
 * The slowest of many nodes sets the pace: it adds a share per doubling of the nodes.
 *
 * Returns: step time / step time without stragglers; at least 1
 */
double
sw_straggler_factor (const SwProblem *problem, double share, double gpus)
{
  double nodes = gpus / MAX (problem->cluster.gpus_per_node, 1);

  return nodes > 1 ? 1 + share * log2 (nodes) : 1;
}

static void
expert_parts (const Scene *scene, const SwLayerMemory *memory, Parts *out)
{
  const SwStrategy *s = scene->strategy;
  const SwModelSpec *model = &scene->problem->model;
  guint edp = MAX (sw_strategy_edp (s), 1), shard = edp;
  guint layers = scene->layers[SW_LAYER_MOE];

  /* The layers of multi-token prediction have experts too. */
  if (layers > 0 && scene->stage == s->pp - 1)
    layers += model->mtp_layers;
  if (s->shard_group < s->dp && s->shard_group > 0)
    shard = (guint) MAX ((guint64) edp * s->shard_group / s->dp, 1);
  out->is_experts = TRUE;
  out->matrices = out->parameters = memory->expert_parameters * layers;
  out->side = MIN (model->hidden_size, model->moe.intermediate_size);
  out->trained = out->parameters * sw_trained_share (scene->problem);
  out->all = (SwGroup){ edp, s->etp * s->ep };
  out->shard = (SwGroup){ shard, s->etp * s->ep };
  out->replicas = (SwGroup){ edp / shard, s->etp * s->ep * shard };
}

/* Whether gradients and parameters are exchanged in buckets. Without ZeRO, DistributedDataParallel
 * uses buckets in every framework. */
static gboolean
is_flat (const Scene *scene)
{
  return scene->strategy->zero_stage == 0
         || sw_problem_has (scene->problem, scene->strategy->framework, SW_FEATURE_FLAT_BUFFERS);
}

/* Matrices and vectors of a layer that are separate parameters: two in attention, two in the MLP
 * and two norms. */
#define TENSORS_OF_LAYER 6

/* Calls that a profile makes for `parameters`: Megatron's buckets of max (40 M, 1 M x ranks)
 * parameters, DeepSpeed's of 500 M elements, one unit per layer with FSDP (each framework's
 * documented defaults); without buckets (Nanotron, optim/zero.py; InternEvo, hybrid_zero_optim.py)
 * one call for each tensor, with large ones in parts no larger than a bucket. */
static double
buckets (const Scene *scene, double parameters, guint ranks)
{
  const guint *layers = scene->layers;
  const SwCalibration *c = scene->problem->calibration;
  const double tensors = is_flat (scene)
                             ? 1
                             : TENSORS_OF_LAYER * (layers[SW_LAYER_DENSE] + layers[SW_LAYER_MOE]);
  double bucket;

  switch ((int) sw_engine (scene->strategy->framework))
    {
    case SW_FRAMEWORK_FSDP:
    case SW_FRAMEWORK_FSDP2: return MAX (layers[SW_LAYER_DENSE] + layers[SW_LAYER_MOE], 1);
    case SW_FRAMEWORK_DEEPSPEED: bucket = c->deepspeed_bucket_elements; break;
    default:
      bucket = MAX (c->megatron_bucket_parameters, c->megatron_bucket_parameters_per_rank * ranks);
      break;
    }
  return MAX (ceil (parameters / bucket), MAX (tensors, 1));
}

/* Data-parallel communication of one step, for dense and expert parameters, by the pass that it
 * overlaps. One window hides all of it, for all groups. */
typedef struct {
  double forward_s, backward_s;
  double once_s;    /* overlaps only the last micro-batch's backward pass */
  double ends_s[2]; /* parts of forward_s and backward_s: the first call of each forward pass and
                       the last of each backward pass, which have nothing to overlap with */
} Traffic;

/* Splits `seconds` of communication, of which `beside` can overlap with compute. The overlapping
 * part is hidden except for the profile's share; the rest is exposed. Returns: the exposed share of
 * all */
static double
overlap (const Scene *scene, double seconds, double beside, double exposed_share, SwTime *out)
{
  double exposed;

  if (scene->problem->training.overlap == SW_OVERLAP_NONE)
    beside = 0;
  exposed = seconds - beside + exposed_share * beside;
  out->dp_exposed_s += exposed;
  out->dp_hidden_s += seconds - exposed;
  return seconds > 0 ? exposed / seconds : 0;
}

/* Calls of one kind for `parameters`, with their number for each pass. */
static void
add_calls (const Scene *scene, SwCollective kind, SwGroup group, gboolean is_experts,
           double parameters, double bytes_each, double forward_times, double backward_times,
           Traffic *out)
{
  SwCollectiveCost cost;
  double messages, seconds;

  if (group.size < 2 || parameters <= 0)
    return;
  messages = buckets (scene, parameters, group.size);
  sw_collective_cost (scene->problem, kind, group, &cost);
  seconds = sw_collective_cost_seconds (&cost, parameters * bytes_each, messages);
  out->forward_s += forward_times * seconds;
  out->backward_s += backward_times * seconds;
  out->ends_s[0] += forward_times * seconds / messages;
  /* The unit that the previous pass left gathered comes first. */
  if (kind != SW_COLLECTIVE_ALL_GATHER)
    out->ends_s[1] += backward_times * seconds / messages;
  if (scene->log == NULL || seconds <= 0)
    return;
  sw_collective_log (scene->log, scene->problem,
                     &(SwCollectiveCall){ kind,
                                          group,
                                          parameters * bytes_each,
                                          messages,
                                          seconds,
                                          1,
                                          1,
                                          { forward_times, backward_times },
                                          .is_experts = is_experts });
}

/* Bytes per element of a gradient when it is reduced: the type in which it accumulates, except for
 * DeepSpeed's ZeRO and fp16 optimizers, which reduce in the type of the parameters
 * (communication_data_type's default). Its BF16_Optimizer, without ZeRO or with stage 1, reduces
 * the fp32 gradients that it accumulates. */
static double
reduced_bytes (const Scene *scene)
{
  const SwTraining *training = &scene->problem->training;
  const SwStrategy *s = scene->strategy;

  if (sw_engine (s->framework) == SW_FRAMEWORK_DEEPSPEED && training->gradient_bytes <= 0
      && (s->zero_stage >= 2 || training->precision == SW_PRECISION_FP16))
    return 2;
  return sw_gradient_bytes (scene->problem, s);
}

/* Gradients, summed over the ranks that share the state, `times` per step, and their parts over the
 * replicas once, because each rank accumulates its own part (Zhang et al. 2022, MiCS, section 3.4,
 * two-hop synchronization; PyTorch, FSDPModule.set_requires_all_reduce). */
static void
add_reductions (const Scene *scene, const Parts *parts, double times, Traffic *out)
{
  double bytes = reduced_bytes (scene);
  Traffic once = { 0 };

  add_calls (scene, SW_COLLECTIVE_REDUCE_SCATTER, parts->shard, parts->is_experts, parts->trained,
             bytes, 0, times, out);
  add_calls (scene, SW_COLLECTIVE_ALL_REDUCE, parts->replicas, parts->is_experts,
             parts->trained / MAX (parts->shard.size, 1), bytes, 0, 1, &once);
  out->once_s += once.backward_s;
}

/* Mean bytes per gathered parameter: those of a weight, except for FSDP2's linear layers with
 * tensor-wise FP8, which gather the 8-bit input of the GEMMs (torchao,
 * enable_fsdp_float8_all_gather, on in TorchTitan's recipes; row-wise scaling keeps 16 bits). */
static double
gathered_bytes (const Scene *scene, const Parts *parts)
{
  const SwTraining *training = &scene->problem->training;
  double bytes = sw_weight_bytes (training);

  if (sw_engine (scene->strategy->framework) != SW_FRAMEWORK_FSDP2
      || training->precision != SW_PRECISION_FP8 || sw_training_is_adapter (training)
      || parts->parameters <= 0)
    return bytes;
  return bytes - parts->matrices / parts->parameters;
}

/* All parameters as sharded, with the number of times for each pass. */
static void
add_gathers (const Scene *scene, const Parts *parts, double forward_times, double backward_times,
             Traffic *out)
{
  add_calls (scene, SW_COLLECTIVE_ALL_GATHER, parts->shard, parts->is_experts, parts->parameters,
             gathered_bytes (scene, parts), forward_times, backward_times, out);
}

/* Bytes per parameter that a micro-batch moves inside a GPU if parameters are sharded one by one:
 * gathered parameters are copied out of the buffer for each pass, and gradients are copied into the
 * buffer that is scattered, in fp32 (torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py:
 * split_with_sizes_copy, chunk_cat; DeepSpeed, partition_parameters.py:
 * _allgather_params_coalesced). FSDP1's flat parameters are used in place, as views made by
 * torch.split(), whose backward pass joins the gradients in 16 bits
 * (torch/distributed/fsdp/_flat_param.py: _use_unsharded_views). */
static double
copied_bytes (const Scene *scene, const Parts *parts)
{
  const SwStrategy *s = scene->strategy;
  double bytes = gathered_bytes (scene, parts);
  double trained = sw_trained_share (scene->problem);

  if (s->zero_stage < 3)
    return 0;
  switch ((int) sw_engine (s->framework))
    {
    case SW_FRAMEWORK_FSDP: return (2 + 2) * trained;
    case SW_FRAMEWORK_FSDP2:
    case SW_FRAMEWORK_DEEPSPEED: return 2 * 2 * bytes + (2 + 4) * trained;
    default: return 0;
    }
}

/* Number of modules of a layer that are gathered and released separately. DeepSpeed's stage 3
 * gathers each module with parameters: linear layers and norms, experts, and both halves of an
 * adapter. FSDP gathers a whole layer, except for trained modules in a frozen layer, which FSDP1
 * cannot combine (PEFT, utils/other.py: fsdp_auto_wrap_policy). */
static double
hooked_modules (const SwProblem *problem, SwFramework framework, gboolean is_moe)
{
  const SwModelSpec *model = &problem->model;
  const double mlp = model->gated_mlp ? 3 : 2;
  double modules = 4 + 2;

  if (framework == SW_FRAMEWORK_FSDP2)
    return 1;
  if (framework == SW_FRAMEWORK_FSDP)
    return 1 + 2 * sw_layer_adapters (problem);
  if (is_moe)
    modules += 1 + mlp * (model->moe.experts + (model->moe.shared_intermediate_size > 0 ? 1 : 0));
  else
    modules += mlp;
  return modules + 2 * sw_layer_adapters (problem);
}

/* Whether parameters are gathered module by module. DeepSpeed does so even on one GPU. */
static gboolean
sharding_is_hooked (const SwStrategy *s)
{
  if (s->zero_stage < 3 || s->pp > 1)
    return FALSE;
  return sw_engine (s->framework) == SW_FRAMEWORK_DEEPSPEED
         || (sw_framework_is_fsdp (s->framework) && s->dp * s->cp > 1);
}

/* Seconds by which the host's hooks lengthen a pass of `work_s` in which each module runs several
 * times. They add to the launches, and the GPU's own work hides both as long as it is longer,
 * combined by the 4-norm (DeepSpeed, runtime/zero/parameter_offload.py: hooks before and after each
 * module's forward and backward pass; partitioned_param_coordinator.py: fetch_sub_module,
 * release_sub_module; torch/distributed/fsdp/_runtime_utils.py: _unshard, _reshard). */
static double
hooks_excess (const Scene *scene, double work_s, double times)
{
  const SwProblem *problem = scene->problem;
  const SwCalibration *c = problem->calibration;
  const guint *layers = scene->layers;
  double host = c->generation[problem->cluster.gpu.generation].host_factor * times;
  double launches = host * (layers[SW_LAYER_DENSE] + layers[SW_LAYER_MOE])
                    * c->kernels[sw_problem_kernel_class (problem, scene->strategy->framework)]
                          .launch_s_per_layer;
  double hooks = 0, both, alone;

  if (!sharding_is_hooked (scene->strategy) || work_s <= 0)
    return 0;
  for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
    if (layers[kind] > 0)
      hooks += host * layers[kind] * c->launch_s_per_hook
               * hooked_modules (problem, sw_engine (scene->strategy->framework),
                                 kind == SW_LAYER_MOE);
  both = (launches + hooks) / work_s;
  alone = MIN (launches / work_s, 1); /* already part of the pass's time */
  both *= both;
  alone *= alone;
  return work_s * (sqrt (sqrt (1 + both * both - alone * alone)) - 1);
}

/* Data-parallel communication of a step, which overlaps with compute: for FSDP and ZeRO 2 in every
 * micro-batch; for the others, and between replicas, in the last backward and the first forward
 * pass. */
static void
add_data_parallel (const Scene *scene, const Parts *all_parts, guint n_parts, SwTime *out)
{
  const SwStrategy *s = scene->strategy;
  const SwScheduleTime *schedule = scene->schedule;
  const double times = s->pp > 1 ? 1 : scene->m;
  double exposed = sw_problem_has (scene->problem, s->framework, SW_FEATURE_DP_OVERLAP)
                           && is_flat (scene)
                       ? scene->profile->dp_exposed
                       : 1;
  double forward = schedule->first_backward_s, backward = schedule->last_backward_s;
  double last = backward, hooks[2] = { 0 };
  Traffic traffic = { 0 };

  for (guint i = 0; i < n_parts; i++)
    {
      const Parts *parts = &all_parts[i];

      if (s->zero_stage == 0)
        add_calls (scene, SW_COLLECTIVE_ALL_REDUCE, parts->all, parts->is_experts, parts->trained,
                   reduced_bytes (scene), 0, 1, &traffic);
      else if (s->zero_stage < 3)
        {
          /* ZeRO 1 and 2: gradients once per step (or per micro-batch, if the framework keeps only
           * its part of them), parameters once. Rajbhandari et al. 2020, section 7. */
          add_reductions (scene, parts, s->zero_stage >= 2 ? scene->m : 1, &traffic);
          add_calls (scene, SW_COLLECTIVE_ALL_GATHER, parts->shard, parts->is_experts,
                     parts->trained, 2, 1, 0, &traffic);
        }
      else
        {
          /* ZeRO 3 and FSDP (Zhao et al. 2023, section 3): parameters are gathered for both passes
           * of every micro-batch, and gradients scattered after each; in a pipeline, parameters
           * stay gathered and gradients are scattered once. FSDP2's recipes keep routed experts
           * gathered for the backward pass and scatter their gradients once per step (NeMo
           * AutoModel, parallelizer of mixtures of experts). */
          gboolean stays = parts->is_experts && sw_engine (s->framework) == SW_FRAMEWORK_FSDP2;

          out->other_s += times * copied_bytes (scene, parts) * parts->parameters
                          / sw_stream_bytes_per_s (scene->problem);
          add_gathers (scene, parts, times * (1 + scene->problem->training.forward_passes),
                       s->pp > 1 || stays ? 0 : times, &traffic);
          add_reductions (scene, parts, stays ? 1 : times, &traffic);
        }
    }
  if (s->zero_stage >= 3)
    {
      hooks[0] = hooks_excess (scene, schedule->forward_s, 1);
      hooks[1] = hooks_excess (scene, schedule->backward_s,
                               s->recompute == SW_RECOMPUTE_FULL ? 2 : 1);
      out->compute_s += scene->m * (hooks[0] + hooks[1]);
      exposed = scene->profile->fsdp_exposed;
      forward = times * (schedule->forward_s + hooks[0]);
      backward = times * (schedule->backward_s + hooks[1]);
    }
  else if (s->zero_stage == 2)
    backward = scene->m * schedule->backward_s;
  last = MIN (traffic.once_s, last);
  forward = overlap (scene, traffic.forward_s, MIN (traffic.forward_s - traffic.ends_s[0], forward),
                     exposed, out);
  backward = overlap (scene, traffic.backward_s + traffic.once_s,
                      last + MIN (traffic.backward_s - traffic.ends_s[1], backward - last), exposed,
                      out);
  /* One window hides traffic of all kinds together: the exposed rest is divided among them in
   * proportion to their time. */
  for (guint i = 0; scene->log != NULL && i < scene->log->n; i++)
    {
      scene->log->call[i].exposed_share[0] = forward;
      scene->log->call[i].exposed_share[1] = backward;
    }
}

/**
 * sw_offload_may_pay:
 * @problem: the question, prepared
 *
 * Whether offload can speed up a strategy that fits without it, all else being equal. It usually
 * only adds traffic with the host. There are two exceptions: the optimizer steps faster on a host
 * whose memory is faster than a GPU's, at best for a single GPU; and if training GPUs also
 * generate, the freed memory allows more sequences at once.
 *
 * Returns: whether one of them applies
 */
gboolean
sw_offload_may_pay (const SwProblem *problem)
{
  const SwCalibration *calibration = problem->calibration;

  return (problem->training.type == SW_TRAINING_RLHF && problem->training.rlhf_colocated)
         || calibration->host_optimizer_bytes_per_s * calibration->optimizer_factor
                > sw_stream_bytes_per_s (problem);
}

static void
add_stragglers (const Scene *scene, SwTime *out)
{
  double factor = sw_straggler_factor (scene->problem, scene->profile->straggler_per_doubling,
                                       sw_strategy_gpus (scene->strategy));

  out->other_s += (factor - 1) * sw_time_sum (out);
}

static void
copy_schedule (const SwScheduleTime *schedule, SwTime *out)
{
  *out = (SwTime){
    .compute_s = schedule->compute_s,
    .recompute_s = schedule->recompute_s,
    .uneven_s = schedule->uneven_s,
    .tp_exposed_s = schedule->tp_exposed_s,
    .cp_exposed_s = schedule->cp_exposed_s,
    .ep_exposed_s = schedule->ep_exposed_s,
    .pp_exposed_s = schedule->pp_exposed_s,
    .bubble_s = schedule->bubble_s,
    .offload_exposed_s = schedule->offload_exposed_s,
    .offload_hidden_s = schedule->offload_hidden_s,
    .tp_hidden_s = schedule->tp_hidden_s,
    .cp_hidden_s = schedule->cp_hidden_s,
    .ep_hidden_s = schedule->ep_hidden_s,
    .pp_hidden_s = schedule->pp_hidden_s,
  };
}

/* Number of ranks that share the optimizer's work. */
static double
shards (const Scene *scene, const Parts *parts)
{
  return scene->strategy->zero_stage >= 1 ? MAX (parts->shard.size, 1) : 1;
}

/* Bytes moved per parameter by one optimizer step: the fp32 gradient, the state read and written,
 * the 16-bit copy written. */
static double
moved_bytes (SwOptimizer optimizer)
{
  switch (optimizer)
    {
    case SW_OPTIMIZER_ADAM8BIT:
    case SW_OPTIMIZER_PAGED_ADAM8BIT: return 4 + 8 + 4 + 2;
    case SW_OPTIMIZER_ADAFACTOR: return 4 + 8 + 2;
    case SW_OPTIMIZER_MUON:
    case SW_OPTIMIZER_LION: return 4 + 16 + 2;
    case SW_OPTIMIZER_SGD: return 4 + 8 + 2;
    case SW_OPTIMIZER_ADAMW:
    default: return 4 + 24 + 2;
    }
}

/* Traffic with the host: the part that overlaps with `window_s` of the GPU's work is hidden, except
 * for the profile's share, because it competes with the gathering of parameters. */
static void
add_host_traffic (const Scene *scene, double seconds, double window_s, SwTime *out)
{
  double beside = MIN (seconds, window_s), exposed;

  if (scene->problem->training.overlap == SW_OVERLAP_NONE)
    beside = 0;
  exposed = seconds - beside + scene->profile->fsdp_exposed * beside;
  out->offload_exposed_s += exposed;
  out->offload_hidden_s += seconds - exposed;
}

/* Data on drives is read and written, each GPU's part at its share of the node's rate. For the
 * step: the fp32 gradients, written during the backward passes, and master weights and moments,
 * both of which are written back. Before each pass: parameters, which would otherwise be read from
 * host memory (Rajbhandari et al. 2021, ZeRO-Infinity, sections 5.1 and 6.2). Reads, the step on
 * the host and writes follow each other (DeepSpeed's defaults of pipeline_read and
 * pipeline_write). */
static void
add_drives (const Scene *scene, double parameters, double weights, double times, guint gpus,
            SwTime *out)
{
  const SwScheduleTime *schedule = scene->schedule;
  const gboolean all = scene->strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS;
  double rate = MAX (scene->problem->cluster.nvme_bytes_per_s, 1e6) / MAX (gpus, 1);

  add_host_traffic (scene, times * 4 * parameters / rate, times * schedule->backward_s, out);
  add_host_traffic (scene, (4 + 12 + 12 + (all ? 2 : 0)) * parameters / rate, 0, out);
  if (!all)
    return;
  add_host_traffic (scene, times * weights / rate, times * schedule->forward_s, out);
  add_host_traffic (scene, times * weights / rate, times * schedule->backward_s, out);
}

/* Offloaded optimizer: gradients move to the host while the last backward pass computes them, the
 * step runs on the host's CPUs, which the node's GPUs share, and new parameters come back after it,
 * fully exposed (Ren et al. 2021, ZeRO-Offload, sections 4 and 5). Offloaded parameters come up for
 * the forward and the backward pass of every micro-batch, ahead of the work, and its gradient
 * shards go down after each (Rajbhandari et al. 2021, ZeRO-Infinity, section 6.2); in a pipeline
 * both happen once, because parameters stay gathered and gradients whole. */
static void
add_host_step (const Scene *scene, const Parts *parts, double parameters, double bytes, SwTime *out)
{
  const SwProblem *problem = scene->problem;
  const SwScheduleTime *schedule = scene->schedule;
  guint gpus = MIN (sw_strategy_gpus (scene->strategy), problem->cluster.gpus_per_node);
  double link = sw_host_link_bytes_per_s (problem, FALSE);
  double gradients = parameters * sw_gradient_bytes (problem, scene->strategy);
  double times = scene->strategy->pp > 1 ? 1 : scene->m;
  /* If each micro-batch scatters its gradients, they accumulate on the host (DeepSpeed,
   * stage_1_and_2.py: async_accumulate_grad_in_cpu_via_gpu). */
  double sums = scene->strategy->zero_stage >= 2 ? times : 1;
  /* All parameters, including a frozen base. */
  double weights = parts->parameters / MAX (parts->shard.size, 1)
                   * sw_weight_bytes (&problem->training);

  /* DeepSpeed's and Megatron-Core's CPU optimizers make one pass over the state; PyTorch's own,
   * which FSDP runs on the host, makes one for every operation. */
  if (sw_framework_is_fsdp (scene->strategy->framework))
    bytes *= problem->calibration->host_optimizer_unfused;
  out->optimizer_s += bytes * MAX (gpus, 1) / problem->calibration->host_optimizer_bytes_per_s;
  if (problem->training.offloads_to_nvme)
    add_drives (scene, parameters, weights, sums, gpus, out);
  if (scene->strategy->offload != SW_OFFLOAD_OPTIMIZER_PARAMS)
    {
      add_host_traffic (scene, sums * gradients / link,
                        sums > 1 ? sums * schedule->backward_s : schedule->last_backward_s, out);
      add_host_traffic (scene, parameters * 2 / link, 0, out);
      return;
    }
  add_host_traffic (scene, times * gradients / link, times * schedule->backward_s, out);
  add_host_traffic (scene, times * weights / link, times * schedule->forward_s, out);
  if (scene->strategy->pp == 1)
    add_host_traffic (scene, times * weights / link, times * schedule->backward_s, out);
}

/* Matrices and vectors with parameters of their own in a layer of experts: attention's two, the
 * shared experts' two, two norms and the router; and of each expert. */
#define TENSORS_OF_MOE_LAYER 7
#define TENSORS_OF_EXPERT 2

/* Seconds of the host for the tensor-by-tensor work in the step of a sharded optimizer: casts of
 * gradients and of new parameters, norms, views (Megatron-Core, distrib_optimizer.py:
 * _copy_model_grads_to_main_grads, _copy_main_params_to_model_params; FSDP2's DTensors; Nanotron,
 * optim/zero.py). Others copy whole lists or flat buffers at once (Megatron-LM, optimizer.py:
 * _multi_tensor_copy_this_to_that). */
static double
tensors_seconds (const Scene *scene)
{
  const SwProblem *problem = scene->problem;
  const SwCalibration *c = problem->calibration;
  const SwStrategy *s = scene->strategy;
  double dense = scene->layers[SW_LAYER_DENSE], moe = scene->layers[SW_LAYER_MOE], tensors;

  tensors = TENSORS_OF_LAYER * dense
            + moe
                  * (TENSORS_OF_MOE_LAYER
                     + TENSORS_OF_EXPERT * (double) problem->model.moe.experts / s->ep);
  if (s->zero_stage == 0 || s->dp * s->cp < 2 || sw_engine (s->framework) == SW_FRAMEWORK_FSDP
      || sw_engine (s->framework) == SW_FRAMEWORK_DEEPSPEED)
    return 0;
  /* A gradient and a parameter of each tensor; and three 16-bit states, which Transformer Engine's
   * Adam converts to fp32 and back one by one (fused_adam.py: get_unscaled_state,
   * set_scaled_state). */
  if (problem->training.moment_bytes > 0 && problem->training.moment_bytes < 4
      && problem->training.step_bytes > 0)
    tensors *= (2 + 3) / 2.0;
  return c->launch_s_per_tensor * c->generation[problem->cluster.gpu.generation].host_factor
         * tensors;
}

/* The optimizer step of these parameters, on the GPU or the host. */
static void
add_optimizer (const Scene *scene, const Parts *parts, SwTime *out)
{
  const SwProblem *problem = scene->problem;
  const SwStrategy *s = scene->strategy;
  double parameters = parts->trained / shards (scene, parts);
  double bytes = parameters * moved_bytes (problem->training.optimizer);

  if (s->offload == SW_OFFLOAD_OPTIMIZER || s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    add_host_step (scene, parts, parameters, bytes, out);
  else
    out->optimizer_s += problem->calibration->optimizer_factor * bytes
                        / sw_stream_bytes_per_s (problem);
  if (problem->training.optimizer == SW_OPTIMIZER_MUON)
    {
      /* Five Newton-Schulz steps of three products each on every matrix of the layers, assumed
       * square with its shorter side (Jordan et al. 2024); embedding and head use AdamW. */
      double matrices = parts->matrices * sw_trained_share (problem) / shards (scene, parts);
      SwRates rates;

      sw_rates_init (&rates, problem, s->framework);
      out->optimizer_s += 5 * 3 * 2 * matrices * parts->side / rates.half_flops_per_s;
    }
}

/* Number of parts present on the stage. */
static guint
count_parts (const Scene *scene)
{
  return scene->layers[SW_LAYER_MOE] > 0 ? 2 : 1;
}

static void
take_stage (Scene *scene, const SwLayerMemory *memory, guint stage, Parts parts[2])
{
  const SwModelSpec *model = &scene->problem->model;
  const SwStrategy *s = scene->strategy;
  const guint *layers = scene->layers, last = s->pp - 1;
  guint shard = MAX (MIN (s->shard_group, s->dp), 1);
  Parts *out = &parts[0];
  double ends = 0;

  scene->stage = stage;
  sw_split_kinds (&scene->schedule->split, model, stage, scene->layers);
  /* Embedding, head and multi-token prediction: all on the only stage, where a tied head is the
   * embedding; otherwise those of the first and of the last stage. */
  if (stage == 0)
    ends += memory->embedding_parameters;
  if (stage == last)
    ends += (model->tied_embeddings && last == 0 ? 0 : memory->head_parameters)
            + memory->mtp_parameters;
  out->is_experts = FALSE;
  out->matrices = memory->layer_parameters[SW_LAYER_DENSE] * layers[SW_LAYER_DENSE]
                  + memory->layer_parameters[SW_LAYER_MOE] * layers[SW_LAYER_MOE];
  out->side = model->hidden_size;
  out->parameters = out->matrices + ends;
  out->trained = out->parameters * sw_trained_share (scene->problem);
  out->all = (SwGroup){ s->dp * s->cp, s->tp };
  out->shard = (SwGroup){ shard * s->cp, s->tp };
  out->replicas = (SwGroup){ s->dp / shard, s->tp * s->cp * shard };
  expert_parts (scene, memory, &parts[1]);
}

static gboolean
holds_no_more (const Parts parts[2], const Parts than[2])
{
  return parts[0].parameters <= than[0].parameters && parts[1].parameters <= than[1].parameters;
}

/* Time that a stage's parameters add to the step. */
static double
stage_seconds (const Scene *scene, const Parts *parts)
{
  SwTime time = { 0 };

  for (guint i = 0; i < count_parts (scene); i++)
    add_optimizer (scene, &parts[i], &time);
  add_data_parallel (scene, parts, count_parts (scene), &time);
  return time.dp_exposed_s + time.optimizer_s + time.offload_exposed_s;
}

/* Selects the stage whose parameters take the longest to exchange and update: the slowest stage,
 * one with the most layers, the first with the embedding, or the last with the head. Usually one
 * stage has the most of everything. */
static void
scene_init (Scene *scene, const SwProblem *problem, const SwStrategy *strategy,
            const SwLayerMemory *memory, const SwScheduleTime *schedule, Parts parts[2])
{
  const guint last = strategy->pp - 1;
  const SwSplit *split = &schedule->split;
  const guint stages[] = { 0, sw_split_longest (split), schedule->stage };

  *scene = (Scene){ .problem = problem,
                    .strategy = strategy,
                    .schedule = schedule,
                    .profile = sw_problem_profile (problem, strategy->framework),
                    .m = schedule->micro_batches };
  take_stage (scene, memory, last, parts);
  /* It has at least as many layers of each kind as any other, and the largest head. */
  if (problem->model.moe.experts == 0 && split->last >= sw_split_most_layers (split)
      && memory->embedding_parameters <= memory->head_parameters + memory->mtp_parameters)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    {
      Scene other = *scene;
      Parts there[2];

      if (stages[i] == last || (i > 0 && stages[i] == stages[i - 1]))
        continue;
      take_stage (&other, memory, stages[i], there);
      if (holds_no_more (there, parts)
          || (!holds_no_more (parts, there)
              && stage_seconds (&other, there) <= stage_seconds (scene, parts)))
        continue;
      *scene = other;
      memcpy (parts, there, sizeof there);
    }
}

/**
 * sw_time_data_calls:
 * @problem: the question, prepared
 * @strategy: the whole strategy
 * @layer_memory: parameter counts, by sw_layer_memory()
 * @schedule: by sw_schedule_time()
 * @log: (inout): the data-parallel calls of a training step are added
 */
void
sw_time_data_calls (const SwProblem *problem, const SwStrategy *strategy,
                    const SwLayerMemory *layer_memory, const SwScheduleTime *schedule,
                    SwCollectiveLog *log)
{
  SwTime time = { 0 };
  Parts parts[2];
  Scene scene;

  scene_init (&scene, problem, strategy, layer_memory, schedule, parts);
  scene.log = log;
  add_data_parallel (&scene, parts, count_parts (&scene), &time);
}

/**
 * sw_time:
 * @problem: the question, prepared
 * @strategy: the whole strategy
 * @layer_memory: parameter counts of the same level-1 fields, by sw_layer_memory()
 * @schedule: of the same level-2 fields, by sw_schedule_time()
 * @out: filled in; step_s is the exact sum of its parts
 *
 * Adds data-parallel communication, the optimizer step and other time to a pipeline's time. For the
 * trained model only.
 */
void
sw_time (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer_memory,
         const SwScheduleTime *schedule, SwTime *out)
{
  Parts parts[2];
  Scene scene;

  scene_init (&scene, problem, strategy, layer_memory, schedule, parts);
  copy_schedule (schedule, out);
  for (guint i = 0; i < count_parts (&scene); i++)
    add_optimizer (&scene, &parts[i], out);
  out->optimizer_s += tensors_seconds (&scene);
  add_data_parallel (&scene, parts, count_parts (&scene), out);
  out->other_s += problem->calibration->fixed_s;
  add_stragglers (&scene, out);
  out->step_s = sw_time_sum (out);
}

/**
 * sw_time_forward:
 * @problem: the question, prepared
 * @strategy: the whole strategy
 * @layer_memory: parameter counts, by sw_layer_memory()
 * @schedule: of only the forward pass
 * @out: filled in
 *
 * Forward passes over the step's batch, without gradients: sharded parameters are gathered once for
 * each.
 */
void
sw_time_forward (const SwProblem *problem, const SwStrategy *strategy,
                 const SwLayerMemory *layer_memory, const SwScheduleTime *schedule, SwTime *out)
{
  Traffic traffic = { 0 };
  Parts parts[2];
  Scene scene;
  double times;

  scene_init (&scene, problem, strategy, layer_memory, schedule, parts);
  copy_schedule (schedule, out);
  times = strategy->pp > 1 ? 1 : scene.m;
  for (guint i = 0; i < count_parts (&scene) && strategy->zero_stage >= 3; i++)
    add_gathers (&scene, &parts[i], times, 0, &traffic);
  overlap (&scene, traffic.forward_s,
           MIN (traffic.forward_s - traffic.ends_s[0], times * schedule->forward_s),
           scene.profile->fsdp_exposed, out);
  add_stragglers (&scene, out);
  out->step_s = sw_time_sum (out);
}
