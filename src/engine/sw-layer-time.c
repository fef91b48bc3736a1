/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Level 1 of time: one micro-batch through one layer of each kind. */
#include "sw-layer-work.h"

#include <math.h>

/* Host and GPU side by side: what a step takes beyond the GPU's own `work_s` when launching it
 * takes `launch_s`. A smooth maximum, since some kernels of a layer are longer than their launches
 * and some shorter; a sum where launches block. */
static double
launch_excess (const SwProfile *profile, double work_s, double launch_s)
{
  const double sharpness = 4;

  if (profile->launch_blocking > 0.5)
    return launch_s;
  if (work_s <= 0)
    return launch_s;
  return work_s * (pow (1 + pow (launch_s / work_s, sharpness), 1 / sharpness) - 1);
}

/* The three kinds of communication of a layer. */
typedef struct
{
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

/* Fills `part` for a layer whose forward work is run again in the share `again` (0: none, 1:
 * whole), with its communication where `again_tp` and so on say so. */
static void
fill_part (const SwLayerScene *scene,
           const SwWork *work,
           const LayerComm *comm,
           double recompute_s,
           double launch_s,
           const double again[3],
           SwLayerTimePart *part)
{
  const SwProfile *profile = scene->rates.profile;
  double backward = work->input_s + work->weight_s;
  double recompute_comm = again[0] * comm->tp.forward_exposed_s
                          + again[1] * comm->cp.forward_exposed_s
                          + again[2] * comm->ep.forward_exposed_s;
  double recompute_launch = work->forward_s > 0 ? launch_s * recompute_s / work->forward_s : 0,
         excess;

  part->forward_s =
      work->forward_s + launch_excess (profile, work->forward_s + forward_exposed (comm), launch_s);
  excess =
      launch_excess (profile, backward + recompute_s + backward_exposed (comm) + recompute_comm,
                     launch_s + recompute_launch);
  part->recompute_s = recompute_s;
  part->backward_s = backward + excess;
  part->backward_input_s = work->input_s + excess;
  sum_comm (&comm->tp, again[0], &part->tp_exposed_s, &part->tp_hidden_s);
  sum_comm (&comm->cp, again[1], &part->cp_exposed_s, &part->cp_hidden_s);
  sum_comm (&comm->ep, again[2], &part->ep_exposed_s, &part->ep_hidden_s);
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

/* Host cost of one pass of a layer. Experts are launched one by one; casting their operands takes
 * launches of its own. */
static double
launch_seconds (const SwLayerScene *scene, gboolean is_moe)
{
  const SwCalibration *c = scene->rates.calibration;
  double experts = (double)scene->problem->model.moe.experts / scene->strategy->ep;

  if (!is_moe)
    return scene->rates.profile->launch_s_per_layer;
  return scene->rates.profile->launch_s_per_layer + c->launch_s_per_routing
         + experts
               * (c->launch_s_per_expert
                  + (scene->rates.quantises ? c->launch_s_per_cast_expert : 0));
}

static void
layer_part (const SwLayerScene *scene,
            gboolean is_moe,
            SwRecompute recompute,
            SwLayerTimePart *part,
            SwLayerTimePart *full,
            double *launch_s)
{
  const SwModelSpec *model = &scene->problem->model;
  const SwStrategy *s = scene->strategy;
  static const double nothing[3] = { 0, 0, 0 }, whole[3] = { 1, 1, 1 };
  double some[3] = { 0, (scene->modules & SW_MODULE_CORE_ATTN) ? 1 : 0,
                     (scene->modules & SW_MODULE_MOE) ? 1 : 0 };
  SwWork work = { 0 };
  LayerComm comm = { 0 };

  sw_layer_work_attention (scene, &work);
  if (is_moe)
    sw_layer_work_experts (scene, &work);
  else
    sw_layer_work_mlp (scene, model->intermediate_size, s->tp, SW_MODULE_MLP, &work);
  sw_layer_comm_tensor (scene, is_moe, &comm.tp);
  sw_layer_comm_context (scene, work.core_s, &comm.cp);
  if (is_moe)
    sw_layer_comm_expert (scene, &comm.ep);
  *launch_s = launch_seconds (scene, is_moe);
  fill_part (scene, &work, &comm, work.forward_s, *launch_s, whole, full);
  if (recompute == SW_RECOMPUTE_FULL)
    *part = *full;
  else if (recompute == SW_RECOMPUTE_SELECTIVE)
    fill_part (scene, &work, &comm, selective_seconds (scene, &work), *launch_s, some, part);
  else
    fill_part (scene, &work, &comm, 0, *launch_s, nothing, part);
}

static double
part_seconds (const SwLayerTimePart *part)
{
  return part->forward_s + part->backward_s + part->recompute_s + part->forward_comm_s
         + part->backward_comm_s;
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
  const SwModelSpec *model = &problem->model;
  SwRecompute recompute = strategy->recompute;
  gboolean has_moe = model->moe.experts > 0;
  gboolean has_dense =
      !has_moe || model->moe.first_dense_layers > 0 || model->moe.layer_frequency > 1;
  SwLayerScene scene;
  SwWork head = { 0 };
  double launch;

  *out = (SwLayerTime){ 0 };
  sw_layer_scene_init (&scene, problem, strategy);
  if (has_dense)
    layer_part (&scene, FALSE, recompute, &out->part[SW_LAYER_DENSE], &out->full[SW_LAYER_DENSE],
                &out->launch_s);
  if (has_moe)
    {
      layer_part (&scene, TRUE, recompute, &out->part[SW_LAYER_MOE], &out->full[SW_LAYER_MOE],
                  &launch);
      out->launch_s = MAX (out->launch_s, launch);
    }
  out->launch_s *= 2;
  sw_layer_work_head (&scene, &head);
  out->embedding_s = sw_layer_work_embedding (&scene);
  out->head_s = head.forward_s + head.input_s + head.weight_s;
  out->head_tp_exposed_s = sw_layer_comm_head (&scene);
  /* Each multi-token-prediction layer is a layer, a projection of twice the width (about a sixth of
   * it) and a head (DeepSeek-V3, section 2.2). */
  out->mtp_s = model->mtp_layers
               * (7.0 / 6.0 * part_seconds (&out->part[has_moe ? SW_LAYER_MOE : SW_LAYER_DENSE])
                  + out->head_s);
  /* Every tensor-parallel rank sends its part, gathered again inside the node (Narayanan et al.
   * 2021, section 4.1). */
  out->p2p_bytes = 2 * scene.tokens * model->hidden_size / strategy->tp;
}
