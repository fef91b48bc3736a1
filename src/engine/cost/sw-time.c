/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Level 3 of time: data-parallel communication, the optimizer, and the whole step. */
#include "sw-collective.h"
#include "sw-compute.h"
#include "sw-rlhf.h"
#include "sw-time-private.h"

#include <math.h>
#include <string.h>

/* Embedding, head and multi-token prediction: all on the only stage, where a tied head is the
 * embedding; else those of the first and of the last. */
static double
end_parameters (const SwTimeScene *scene, const SwLayerMemory *memory)
{
  const guint last = scene->strategy->pp - 1;
  double head = scene->problem->model.tied_embeddings && last == 0 ? 0 : memory->head_parameters;

  return (scene->stage == 0 ? memory->embedding_parameters : 0)
         + (scene->stage == last ? head + memory->mtp_parameters : 0);
}

static void
dense_parts (const SwTimeScene *scene, const SwLayerMemory *memory, SwTimeParts *out)
{
  const SwStrategy *s = scene->strategy;
  const guint *layers = scene->layers;
  guint shard = MAX (MIN (s->shard_group, s->dp), 1);

  out->is_experts = FALSE;
  out->matrices = memory->layer_parameters[SW_LAYER_DENSE] * layers[SW_LAYER_DENSE]
                  + memory->layer_parameters[SW_LAYER_MOE] * layers[SW_LAYER_MOE];
  out->side = scene->problem->model.hidden_size;
  out->parameters = out->matrices + end_parameters (scene, memory);
  out->trained = out->parameters * sw_trained_share (scene->problem);
  out->all = (SwGroup){ s->dp * s->cp, s->tp };
  out->shard = (SwGroup){ shard * s->cp, s->tp };
  out->replicas = (SwGroup){ s->dp / shard, s->tp * s->cp * shard };
}

static void
expert_parts (const SwTimeScene *scene, const SwLayerMemory *memory, SwTimeParts *out)
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

/* Calls that a profile makes for `parameters`: Megatron's buckets of max (40 M, 1 M x ranks)
 * parameters, DeepSpeed's of 500 M elements, one unit per layer with FSDP (each framework's
 * documented defaults). */
static double
buckets (const SwTimeScene *scene, double parameters, guint ranks)
{
  const guint *layers = scene->layers;
  double bucket;

  switch ((SwFramework) scene->strategy->framework)
    {
    case SW_FRAMEWORK_FSDP:
    case SW_FRAMEWORK_FSDP2: return MAX (layers[SW_LAYER_DENSE] + layers[SW_LAYER_MOE], 1);
    case SW_FRAMEWORK_DEEPSPEED: bucket = 500e6; break;
    case SW_FRAMEWORK_ANY:
    case SW_FRAMEWORK_MEGATRON_2021:
    case SW_FRAMEWORK_MEGATRON_CORE:
    case SW_FRAMEWORK_NANOTRON:
    case SW_N_FRAMEWORKS:
    default: bucket = MAX (40e6, 1e6 * ranks); break;
    }
  return MAX (ceil (parameters / bucket), 1);
}

static double
seconds_of (const SwTimeScene *scene, SwCollective kind, SwGroup group, double parameters,
            double bytes_each)
{
  SwCollectiveCost cost;

  if (group.size < 2 || parameters <= 0)
    return 0;
  sw_collective_cost (scene->problem, kind, group, &cost);
  return sw_collective_cost_seconds (&cost, parameters * bytes_each,
                                     buckets (scene, parameters, group.size));
}

/* Data-parallel communication of one step, of dense and expert parameters, by the pass that it runs
 * beside. One window hides it all, whatever its groups. */
typedef struct {
  double forward_s, backward_s;
} Traffic;

/* What runs beside a window of compute is hidden but for the profile's share; the rest is exposed.
 * Returns: the exposed share of it */
static double
overlap (const SwTimeScene *scene, double seconds, double window_s, double exposed_share,
         SwTime *out)
{
  double beside = MIN (seconds, window_s), exposed;

  if (scene->problem->training.overlap == SW_OVERLAP_NONE)
    beside = 0;
  exposed = seconds - beside + exposed_share * beside;
  out->dp_exposed_s += exposed;
  out->dp_hidden_s += seconds - exposed;
  return seconds > 0 ? exposed / seconds : 0;
}

/* Calls of one kind for `parameters`, so often beside each pass. */
static void
add_calls (const SwTimeScene *scene, SwCollective kind, SwGroup group, gboolean is_experts,
           double parameters, double bytes_each, double forward_times, double backward_times,
           Traffic *out)
{
  double seconds = seconds_of (scene, kind, group, parameters, bytes_each);

  out->forward_s += forward_times * seconds;
  out->backward_s += backward_times * seconds;
  if (scene->log == NULL || seconds <= 0)
    return;
  sw_collective_log (scene->log, scene->problem,
                     &(SwCollectiveCall){ kind,
                                          group,
                                          parameters * bytes_each,
                                          buckets (scene, parameters, group.size),
                                          seconds,
                                          1,
                                          1,
                                          { forward_times, backward_times },
                                          .is_experts = is_experts });
}

/* Gradients summed over the ranks that share the state, and its parts over the replicas. */
static void
add_reductions (const SwTimeScene *scene, const SwTimeParts *parts, double times, Traffic *out)
{
  double bytes = sw_gradient_bytes (scene->problem, scene->strategy);

  add_calls (scene, SW_COLLECTIVE_REDUCE_SCATTER, parts->shard, parts->is_experts, parts->trained,
             bytes, 0, times, out);
  add_calls (scene, SW_COLLECTIVE_ALL_REDUCE, parts->replicas, parts->is_experts,
             parts->trained / MAX (parts->shard.size, 1), bytes, 0, times, out);
}

/* ZeRO 0 to 2: gradients once a step (or a micro-batch, where the framework keeps only its part of
 * them), parameters once. Rajbhandari et al. 2020, section 7. */
static void
add_replicated (const SwTimeScene *scene, const SwTimeParts *parts, Traffic *out)
{
  const SwStrategy *s = scene->strategy;

  if (s->zero_stage == 0)
    {
      add_calls (scene, SW_COLLECTIVE_ALL_REDUCE, parts->all, parts->is_experts, parts->trained,
                 sw_gradient_bytes (scene->problem, s), 0, 1, out);
      return;
    }
  add_reductions (scene, parts, s->zero_stage >= 2 ? scene->m : 1, out);
  add_calls (scene, SW_COLLECTIVE_ALL_GATHER, parts->shard, parts->is_experts, parts->trained, 2, 1,
             0, out);
}

/* All parameters, sharded as they are, so often beside each pass. */
static void
add_gathers (const SwTimeScene *scene, const SwTimeParts *parts, double forward_times,
             double backward_times, Traffic *out)
{
  add_calls (scene, SW_COLLECTIVE_ALL_GATHER, parts->shard, parts->is_experts, parts->parameters,
             sw_weight_bytes (&scene->problem->training), forward_times, backward_times, out);
}

/* ZeRO 3 and FSDP (Zhao et al. 2023, section 3): parameters gathered for both passes of every
 * micro-batch, gradients scattered after each; with a pipeline they stay gathered and are scattered
 * once. Hybrid sharding reduces the parts over the replicas. FSDP2's recipes leave routed experts
 * gathered for the backward pass and scatter their gradients once a step (NeMo AutoModel,
 * parallelizer of mixtures of experts). */
static void
add_sharded (const SwTimeScene *scene, const SwTimeParts *parts, Traffic *out)
{
  double times = scene->strategy->pp > 1 ? 1 : scene->m;
  gboolean stays = parts->is_experts && scene->strategy->framework == SW_FRAMEWORK_FSDP2;

  add_gathers (scene, parts, times, scene->strategy->pp > 1 || stays ? 0 : times, out);
  add_reductions (scene, parts, stays ? 1 : times, out);
}

/* One window hides traffic of all kinds together: what is left outside is shared out among them in
 * proportion to their time. */
static void
log_exposed (SwCollectiveLog *log, double forward_share, double backward_share)
{
  for (guint i = 0; log != NULL && i < log->n; i++)
    {
      log->call[i].exposed_share[0] = forward_share;
      log->call[i].exposed_share[1] = backward_share;
    }
}

/* Hides the traffic beside the compute: of FSDP and ZeRO 2 beside every micro-batch, of the others
 * beside the last backward and the first forward pass. */
static void
add_traffic (const SwTimeScene *scene, const Traffic *traffic, SwTime *out)
{
  const SwScheduleTime *schedule = scene->schedule;
  double exposed = scene->profile->dp_exposed, forward = schedule->first_backward_s,
         backward = schedule->last_backward_s;

  if (scene->strategy->zero_stage >= 3)
    {
      double times = scene->strategy->pp > 1 ? 1 : scene->m;

      exposed = scene->profile->fsdp_exposed;
      forward = times * schedule->forward_s;
      backward = times * schedule->backward_s;
    }
  else if (scene->strategy->zero_stage == 2)
    backward = scene->m * schedule->backward_s;
  forward = overlap (scene, traffic->forward_s, forward, exposed, out);
  backward = overlap (scene, traffic->backward_s, backward, exposed, out);
  log_exposed (scene->log, forward, backward);
}

/**
 * sw_offload_may_pay:
 * @problem: the question, prepared
 *
 * Whether offload can make a strategy faster that fits without it, all else being equal. It adds
 * traffic with the host and nothing else, but for two cases: the optimizer steps faster on a host
 * whose memory is faster than a GPU's, at best for one GPU alone; and where a GPU that trains also
 * generates, the room that is left makes way for more sequences at once.
 *
 * Returns: whether one of them is given
 */
gboolean
sw_offload_may_pay (const SwProblem *problem)
{
  const SwCalibration *calibration = problem->calibration;

  return (problem->training.type == SW_TRAINING_RLHF && problem->training.rlhf_colocated)
         || calibration->host_bytes_per_s * calibration->optimizer_factor
                > sw_stream_bytes_per_s (problem);
}

static void
add_stragglers (const SwTimeScene *scene, SwTime *out)
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

static void
add_data_parallel (const SwTimeScene *scene, const SwTimeParts *parts, guint n_parts, SwTime *out)
{
  Traffic traffic = { 0, 0 };

  for (guint i = 0; i < n_parts; i++)
    if (scene->strategy->zero_stage >= 3)
      add_sharded (scene, &parts[i], &traffic);
    else
      add_replicated (scene, &parts[i], &traffic);
  add_traffic (scene, &traffic, out);
}

/* Of how many of its parts the stage has any. */
static guint
count_parts (const SwTimeScene *scene)
{
  return scene->layers[SW_LAYER_MOE] > 0 ? 2 : 1;
}

static void
take_stage (SwTimeScene *scene, const SwLayerMemory *memory, guint stage, SwTimeParts parts[2])
{
  scene->stage = stage;
  sw_split_kinds (&scene->schedule->split, &scene->problem->model, stage, scene->layers);
  dense_parts (scene, memory, &parts[0]);
  expert_parts (scene, memory, &parts[1]);
}

static gboolean
holds_no_more (const SwTimeParts parts[2], const SwTimeParts than[2])
{
  return parts[0].parameters <= than[0].parameters && parts[1].parameters <= than[1].parameters;
}

/* What a stage's parameters add to the step. */
static double
stage_seconds (const SwTimeScene *scene, const SwTimeParts *parts)
{
  SwTime time = { 0 };

  for (guint i = 0; i < count_parts (scene); i++)
    sw_time_add_optimizer (scene, &parts[i], &time);
  add_data_parallel (scene, parts, count_parts (scene), &time);
  return time.dp_exposed_s + time.optimizer_s + time.offload_exposed_s;
}

/* Whether the last stage has as many layers of each kind as any, and a head no smaller than the
 * embedding. */
static gboolean
last_holds_most (const SwTimeScene *scene, const SwLayerMemory *memory)
{
  const SwSplit *split = &scene->schedule->split;

  return scene->problem->model.moe.experts == 0 && split->last >= sw_split_most_layers (split)
         && memory->embedding_parameters <= memory->head_parameters + memory->mtp_parameters;
}

/* Takes the stage whose parameters take the longest to exchange and to update: the slowest, one of
 * those with the most layers, the first with the embedding or the last with the head. Mostly one of
 * them holds the most of everything. */
static void
scene_init (SwTimeScene *scene, const SwProblem *problem, const SwStrategy *strategy,
            const SwLayerMemory *memory, const SwScheduleTime *schedule, SwTimeParts parts[2])
{
  const guint last = strategy->pp - 1;
  const guint stages[] = { 0, sw_split_longest (&schedule->split), schedule->stage };

  *scene = (SwTimeScene){ .problem = problem,
                          .strategy = strategy,
                          .schedule = schedule,
                          .profile = sw_problem_profile (problem, strategy->framework),
                          .m = schedule->micro_batches };
  take_stage (scene, memory, last, parts);
  if (last_holds_most (scene, memory))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    {
      SwTimeScene other = *scene;
      SwTimeParts there[2];

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
 * @log: (inout): the data-parallel calls of a step that trains are added
 */
void
sw_time_data_calls (const SwProblem *problem, const SwStrategy *strategy,
                    const SwLayerMemory *layer_memory, const SwScheduleTime *schedule,
                    SwCollectiveLog *log)
{
  SwTime time = { 0 };
  SwTimeParts parts[2];
  SwTimeScene scene;

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
 * Adds data-parallel communication, the optimizer step and what remains to a pipeline's time.
 */
void
sw_time (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer_memory,
         const SwScheduleTime *schedule, SwTime *out)
{
  SwRlhfMemo memo;

  if (problem->training.type != SW_TRAINING_RLHF)
    {
      sw_time_with (NULL, problem, strategy, layer_memory, schedule, out);
      return;
    }
  sw_rlhf_memo_init (&memo, problem);
  sw_time_with (&memo, problem, strategy, layer_memory, schedule, out);
}

/**
 * sw_time_with:
 * @memo: what is known of the other phases of reinforcement learning; NULL for other jobs
 * @problem: the question, prepared
 * @strategy: the whole strategy
 * @layer_memory: as for sw_time()
 * @schedule: as for sw_time()
 * @out: as of sw_time()
 */
void
sw_time_with (SwRlhfMemo *memo, const SwProblem *problem, const SwStrategy *strategy,
              const SwLayerMemory *layer_memory, const SwScheduleTime *schedule, SwTime *out)
{
  SwTimeParts parts[2];
  SwTimeScene scene;

  scene_init (&scene, problem, strategy, layer_memory, schedule, parts);
  copy_schedule (schedule, out);
  for (guint i = 0; i < count_parts (&scene); i++)
    sw_time_add_optimizer (&scene, &parts[i], out);
  add_data_parallel (&scene, parts, count_parts (&scene), out);
  out->other_s += problem->calibration->fixed_s;
  add_stragglers (&scene, out);
  out->step_s = sw_time_sum (out);
  if (memo != NULL)
    sw_rlhf_add_time (memo, strategy, out);
}

/**
 * sw_time_forward:
 * @problem: the question, prepared
 * @strategy: the whole strategy
 * @layer_memory: parameter counts, by sw_layer_memory()
 * @schedule: of the forward pass alone
 * @out: filled in
 *
 * Forward passes over the step's batch, of which no gradient is made: sharded parameters are
 * gathered once for each.
 */
void
sw_time_forward (const SwProblem *problem, const SwStrategy *strategy,
                 const SwLayerMemory *layer_memory, const SwScheduleTime *schedule, SwTime *out)
{
  Traffic traffic = { 0, 0 };
  SwTimeParts parts[2];
  SwTimeScene scene;
  double times;

  scene_init (&scene, problem, strategy, layer_memory, schedule, parts);
  copy_schedule (schedule, out);
  times = strategy->pp > 1 ? 1 : scene.m;
  for (guint i = 0; i < count_parts (&scene) && strategy->zero_stage >= 3; i++)
    add_gathers (&scene, &parts[i], times, 0, &traffic);
  overlap (&scene, traffic.forward_s, times * schedule->forward_s, scene.profile->fsdp_exposed,
           out);
  add_stragglers (&scene, out);
  out->step_s = sw_time_sum (out);
}
