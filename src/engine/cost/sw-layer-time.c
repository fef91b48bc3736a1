/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Level 1 of time: one micro-batch through one layer of each kind. */
#include "sw-layer-work.h"

#include <math.h>
#include <string.h>

/* Host and GPU side by side: what a step takes beyond the GPU's own `work_s` when launching it
 * takes `launch_s`. A smooth maximum, since some kernels of a layer are longer than their launches
 * and some shorter; a sum where launches block. */
static double
launch_excess (const SwProfile *profile, double work_s, double launch_s)
{
  double squared;

  if (profile->launch_blocking > 0.5 || work_s <= 0)
    return launch_s;
  /* The 4-norm of the two: roots and products are many times faster than pow(). */
  squared = launch_s / work_s * (launch_s / work_s);
  return work_s * (sqrt (sqrt (1 + squared * squared)) - 1);
}

/* The three kinds of communication of a layer. */
typedef struct {
  SwLayerComm tp, cp, ep;
} LayerComm;

static double
forward_exposed (const LayerComm *comm)
{
  return comm->tp.forward_exposed_s + comm->cp.forward_exposed_s + comm->ep.forward_exposed_s;
}

static double
backward_exposed (const LayerComm *comm)
{
  return comm->tp.backward_exposed_s + comm->cp.backward_exposed_s + comm->ep.backward_exposed_s;
}

static void
sum_comm (const SwLayerComm *comm, double again, double *exposed, double *hidden)
{
  *exposed = comm->forward_exposed_s * (1 + again) + comm->backward_exposed_s;
  *hidden = comm->forward_hidden_s * (1 + again) + comm->backward_hidden_s;
}

/* Fills `part` for a layer of which `recompute_s` of the forward work run again, with its
 * communication where `again` says so, as of sw_layer_comm_again(). */
static void
fill_part (const SwLayerScene *scene, const SwWork *work, const LayerComm *comm, double recompute_s,
           double launch_s, const double again[3], SwLayerTimePart *part)
{
  const SwProfile *profile = scene->rates.profile;
  double backward = work->input_s + work->weight_s;
  double recompute_comm = again[0] * comm->tp.forward_exposed_s
                          + again[1] * comm->cp.forward_exposed_s
                          + again[2] * comm->ep.forward_exposed_s;
  double recompute_launch = work->forward_s > 0 ? launch_s * recompute_s / work->forward_s : 0,
         excess;

  part->forward_s = work->forward_s
                    + launch_excess (profile, work->forward_s + forward_exposed (comm), launch_s);
  excess = launch_excess (profile,
                          backward + recompute_s + backward_exposed (comm) + recompute_comm,
                          launch_s + recompute_launch);
  part->recompute_s = recompute_s;
  part->backward_s = backward + excess;
  part->backward_input_s = work->input_s + excess;
  sum_comm (&comm->tp, again[0], &part->tp_exposed_s, &part->tp_hidden_s);
  sum_comm (&comm->cp, again[1], &part->cp_exposed_s, &part->cp_hidden_s);
  sum_comm (&comm->ep, again[2], &part->ep_exposed_s, &part->ep_hidden_s);
  part->ep_beside_s[0] = comm->ep.forward_beside_s;
  part->ep_beside_s[1] = comm->ep.backward_beside_s + again[2] * comm->ep.forward_beside_s;
  part->forward_comm_s = forward_exposed (comm);
  part->backward_comm_s = backward_exposed (comm) + recompute_comm;
}

static double
selective_seconds (const SwLayerScene *scene, const SwWork *work)
{
  if (scene->strategy->recompute_modules != 0)
    return work->selective_s;
  return work->selective_s
         + scene->rates.profile->selective_share * (work->forward_s - work->selective_s);
}

/* Host cost of routing and dispatch in one pass. On Blackwell recipes capture part of it in CUDA
 * graphs, the router and what prepares the dispatch since Megatron-Bridge 26.02: about half. */
static double
routing_launch_seconds (const SwLayerScene *scene)
{
  static const double router_graph_year = 2026.1;
  SwGeneration generation = scene->problem->cluster.gpu.generation;
  double seconds = scene->rates.calibration->generation[generation].launch_s_per_routing;
  gboolean captures = scene->problem->training.software_year >= router_graph_year;

  return generation == SW_GENERATION_BLACKWELL && !captures ? 2 * seconds : seconds;
}

/* Host cost of one pass of a layer. Experts are launched one by one; casting their operands takes
 * launches of its own. */
static double
launch_seconds (const SwLayerScene *scene, gboolean is_moe)
{
  const SwCalibration *c = scene->rates.calibration;
  double experts = (double) scene->problem->model.moe.experts / scene->strategy->ep;
  double routing_s = routing_launch_seconds (scene);

  if (!is_moe)
    return scene->rates.profile->launch_s_per_layer;
  return scene->rates.profile->launch_s_per_layer + routing_s
         + experts
               * (c->launch_s_per_expert
                  + (scene->rates.quantises ? c->launch_s_per_cast_expert : 0));
}

/**
 * sw_layer_comm_again:
 * @scene: of the layer
 * @whole: whether it is one that is recomputed whole, whatever the strategy
 * @again: (out): of tensor, context and expert parallelism: 1 where its forward communication runs
 * again backward, else 0
 */
void
sw_layer_comm_again (const SwLayerScene *scene, gboolean whole, double again[3])
{
  const guint recompute = scene->strategy->recompute;
  gboolean all = whole || recompute == SW_RECOMPUTE_FULL,
           selective = recompute == SW_RECOMPUTE_SELECTIVE;

  again[0] = all;
  again[1] = all || (selective && (scene->modules & SW_MODULE_CORE_ATTN));
  again[2] = all || (selective && (scene->modules & SW_MODULE_MOE));
}

/* One layer of a kind from its work and communication: as the strategy recomputes it; and, where it
 * may, whole. */
static void
layer_part (const SwLayerScene *scene, const SwWork *work, const LayerComm *comm, double launch_s,
            SwLayerTimePart *part, SwLayerTimePart *full)
{
  const guint recompute = scene->strategy->recompute;
  double whole[3], again[3];

  if (recompute == SW_RECOMPUTE_FULL || recompute == SW_RECOMPUTE_FULL_LAYERS)
    {
      sw_layer_comm_again (scene, TRUE, whole);
      fill_part (scene, work, comm, work->forward_s, launch_s, whole, full);
    }
  sw_layer_comm_again (scene, FALSE, again);
  if (recompute == SW_RECOMPUTE_FULL)
    *part = *full;
  else if (recompute == SW_RECOMPUTE_SELECTIVE)
    fill_part (scene, work, comm, selective_seconds (scene, work), launch_s, again, part);
  else
    fill_part (scene, work, comm, 0, launch_s, again, part);
}

static void
add_work (SwWork *work, const SwWork *other)
{
  work->forward_s += other->forward_s;
  work->input_s += other->input_s;
  work->weight_s += other->weight_s;
  work->selective_s += other->selective_s;
  work->core_s += other->core_s;
}

static double
part_seconds (const SwLayerTimePart *part)
{
  return part->forward_s + part->backward_s + part->recompute_s + part->forward_comm_s
         + part->backward_comm_s;
}

/**
 * sw_layer_base:
 * @problem: the question, prepared
 * @strategy: tp, cp, sequence parallelism, micro-batch, modules and framework are read, and nothing
 * else
 * @out: filled in
 *
 * What the layers of all strategies with the same of these have in common: attention, dense MLPs,
 * embedding and head. The search works it out once for every ep, etp, cp method and recomputation.
 */
void
sw_layer_base (const SwProblem *problem, const SwStrategy *strategy, SwLayerBase *out)
{
  const SwModelSpec *model = &problem->model;
  SwWork head = { 0 };

  memset (out, 0, sizeof *out);
  out->has_moe = model->moe.experts > 0;
  out->has_dense = !out->has_moe || model->moe.first_dense_layers > 0
                   || model->moe.layer_frequency > 1;
  sw_layer_scene_init (&out->scene, problem, strategy);
  sw_layer_work_attention (&out->scene, &out->attention);
  if (out->has_dense)
    {
      sw_layer_work_mlp (&out->scene, model->intermediate_size, strategy->tp, SW_MODULE_MLP,
                         &out->mlp);
      sw_layer_comm_tensor (&out->scene, FALSE, &out->dense_comm);
    }
  if (out->has_moe && model->moe.shared_intermediate_size > 0)
    sw_layer_work_mlp (&out->scene, model->moe.shared_intermediate_size, strategy->tp,
                       SW_MODULE_MOE | SW_MODULE_SHARED_EXPERTS, &out->shared);
  sw_layer_work_head (&out->scene, &head);
  out->head_s = head.forward_s + head.input_s + head.weight_s;
  out->head_tp_exposed_s = sw_layer_comm_head (&out->scene);
  out->embedding_s = sw_layer_work_embedding (&out->scene);
  out->scene.strategy = NULL; /* the caller's; each strategy comes with its own */
}

/**
 * sw_layer_experts:
 * @base: of the same question, by sw_layer_base()
 * @strategy: in addition to the fields of @base, etp and ep are read
 * @out: filled in; zero where the model has no experts
 *
 * What the routed experts of a layer add, whatever the cp method and recomputation.
 */
void
sw_layer_experts (const SwLayerBase *base, const SwStrategy *strategy, SwLayerExperts *out)
{
  SwLayerScene scene = base->scene;

  memset (out, 0, sizeof *out);
  if (!base->has_moe)
    return;
  scene.strategy = strategy;
  sw_layer_work_experts (&scene, &out->work);
  sw_layer_comm_tensor (&scene, TRUE, &out->tensor);
  sw_layer_comm_expert (&scene, &out->expert);
}

/* Layers of one kind, of base and experts. */
static void
compose_kind (const SwLayerScene *scene, const SwLayerBase *base, const SwLayerExperts *experts,
              const SwLayerComm *context, SwLayerTime *out)
{
  const gboolean is_moe = experts != NULL;
  const guint kind = is_moe ? SW_LAYER_MOE : SW_LAYER_DENSE;
  LayerComm comm = { .tp = is_moe ? experts->tensor : base->dense_comm, .cp = *context };
  SwWork work = base->attention;

  if (is_moe)
    {
      comm.ep = experts->expert;
      add_work (&work, &experts->work);
    }
  add_work (&work, is_moe ? &base->shared : &base->mlp);
  layer_part (scene, &work, &comm, launch_seconds (scene, is_moe), &out->part[kind],
              &out->full[kind]);
}

/**
 * sw_layer_compose:
 * @base: of the strategy, by sw_layer_base()
 * @experts: of the strategy, by sw_layer_experts()
 * @strategy: all its level-1 fields are read
 * @out: filled in
 *
 * The rest of sw_layer_time(): context parallelism, recomputation and launches.
 */
void
sw_layer_compose (const SwLayerBase *base, const SwLayerExperts *experts,
                  const SwStrategy *strategy, SwLayerTime *out)
{
  const SwModelSpec *model = &base->scene.problem->model;
  SwLayerScene scene = base->scene;
  SwLayerComm context;

  scene.strategy = strategy;
  memset (out, 0, sizeof *out);
  sw_layer_comm_context (&scene, base->attention.core_s, &context);
  if (base->has_dense)
    compose_kind (&scene, base, NULL, &context, out);
  if (base->has_moe)
    compose_kind (&scene, base, experts, &context, out);
  out->embedding_s = base->embedding_s;
  out->head_s = base->head_s;
  out->head_tp_exposed_s = base->head_tp_exposed_s;
  /* Each multi-token-prediction layer is a layer, a projection of twice the width (about a sixth of
   * it) and a head (DeepSeek-V3, section 2.2). */
  out->mtp_s =
      model->mtp_layers
      * (7.0 / 6.0 * part_seconds (&out->part[base->has_moe ? SW_LAYER_MOE : SW_LAYER_DENSE])
         + out->head_s);
  /* Every tensor-parallel rank sends its part, gathered again inside the node (Narayanan et al.
   * 2021, section 4.1). */
  out->p2p_bytes = 2 * scene.tokens * model->hidden_size / strategy->tp;
}

/**
 * sw_layer_time:
 * @problem: the question, prepared
 * @strategy: its level-1 fields are read: tp, etp, cp, ep, sequence parallelism, micro-batch,
 * recomputation, framework
 * @out: filled in
 *
 * Seconds of one micro-batch through one layer of each kind the model has; zero for a kind that it
 * has not.
 */
void
sw_layer_time (const SwProblem *problem, const SwStrategy *strategy, SwLayerTime *out)
{
  SwLayerExperts experts;
  SwLayerBase base;

  sw_layer_base (problem, strategy, &base);
  sw_layer_experts (&base, strategy, &experts);
  sw_layer_compose (&base, &experts, strategy, out);
}
