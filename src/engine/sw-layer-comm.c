/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The communication of one layer: tensor, context and expert parallelism. */
#include "sw-collective.h"
#include "sw-layer-work.h"

#include <math.h>

static gboolean
overlaps (const SwLayerScene *scene)
{
  return scene->problem->training.overlap != SW_OVERLAP_NONE;
}

static void
add_share (double seconds, double exposed_share, double *exposed, double *hidden)
{
  *exposed += seconds * exposed_share;
  *hidden += seconds * (1 - exposed_share);
}

/* Bytes of one micro-batch's activation, whole width. */
static double
hidden_bytes (const SwLayerScene *scene)
{
  return 2 * scene->tokens * scene->problem->model.hidden_size;
}

/* With sequence parallelism (Korthikanti et al. 2022, figure 5) a block gathers its input and
 * scatters its output, both again backward, and backward gathers the input once more for the
 * weight's gradient. */
static void
add_sequence_parallel (const SwLayerScene *scene,
                       SwGroup group,
                       double blocks,
                       double exposed,
                       SwLayerComm *out)
{
  double bytes = hidden_bytes (scene);
  double gather = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_GATHER, group, bytes, 1);
  double scatter =
      sw_collective_seconds (scene->problem, SW_COLLECTIVE_REDUCE_SCATTER, group, bytes, 1);

  add_share (blocks * (gather + scatter), exposed, &out->forward_exposed_s, &out->forward_hidden_s);
  add_share (blocks * (gather + scatter), exposed, &out->backward_exposed_s,
             &out->backward_hidden_s);
  /* The second gather runs beside the input's gradient in every release that has sequence
   * parallelism. */
  add_share (blocks * gather, overlaps (scene) ? 0.5 * exposed : 1, &out->backward_exposed_s,
             &out->backward_hidden_s);
}

/* Without it a block all-reduces its output forward and its input's gradient backward (Shoeybi et
 * al. 2019, figure 4); the latter can run beside the weight's gradient. */
static void
add_all_reduces (const SwLayerScene *scene,
                 SwGroup group,
                 double blocks,
                 double exposed,
                 SwLayerComm *out)
{
  double seconds = blocks
                   * sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_REDUCE, group,
                                            hidden_bytes (scene), 1);

  add_share (seconds, 1, &out->forward_exposed_s, &out->forward_hidden_s);
  add_share (seconds, exposed, &out->backward_exposed_s, &out->backward_hidden_s);
}

/**
 * sw_layer_comm_tensor:
 * @scene: of the layer
 * @is_moe: whether its MLP is a mixture of experts
 * @out: filled in
 *
 * Tensor-parallel collectives of the attention and the MLP block. Routed experts that are not cut
 * by tp have none; their shared experts have.
 */
void
sw_layer_comm_tensor (const SwLayerScene *scene, gboolean is_moe, SwLayerComm *out)
{
  const SwStrategy *s = scene->strategy;
  SwGroup group = { s->tp, 1 };
  double exposed = overlaps (scene) ? scene->rates.profile->tp_exposed : 1;
  double blocks = 2;

  *out = (SwLayerComm){ 0 };
  if (s->tp < 2)
    return;
  if (is_moe && s->etp < 2)
    blocks = scene->problem->model.moe.shared_intermediate_size > 0 ? 2 : 1;
  else if (is_moe)
    blocks = 1
             + scene->problem->model.moe
                   .top_k; /* every routed copy is gathered over the experts' tp group */
  else if (scene->problem->model.parallel_block)
    blocks = 1;
  if (s->sequence_parallel)
    add_sequence_parallel (scene, group, blocks, exposed, out);
  else
    add_all_reduces (scene, group, blocks, exposed, out);
}

/* Bytes of keys and values of one context-parallel rank. */
static double
key_value_bytes (const SwLayerScene *scene)
{
  const SwModelSpec *model = &scene->problem->model;
  double kv = MAX ((double)model->kv_heads / scene->strategy->tp, 1);

  return 2 * scene->tokens * kv
         * (sw_model_query_head_dim (model) + sw_model_value_head_dim (model));
}

/* Ring attention (Liu et al. 2023): keys and values pass round beside the attention of the block
 * before; the gradients pass with them backward. What does not fit behind the kernels, and the
 * first block's start, is left outside. */
static void
context_ring (const SwLayerScene *scene, double attention_s, double exposed, SwLayerComm *out)
{
  const SwStrategy *s = scene->strategy;
  SwGroup pair = { 2, s->tp * (s->cp > 1 ? s->cp - 1 : 1) };
  double step =
      sw_collective_seconds (scene->problem, SW_COLLECTIVE_P2P, pair, key_value_bytes (scene), 1);
  double forward = (s->cp - 1) * step, backward = 2 * forward;
  double window = overlaps (scene) ? attention_s * (s->cp - 1) / s->cp : 0;
  double forward_exposed =
      MIN (forward, MAX (forward - window, 0) + exposed * MIN (forward, window));
  double backward_exposed =
      MIN (backward, MAX (backward - 2.5 * window, 0) + exposed * MIN (backward, 2.5 * window));

  *out = (SwLayerComm){ forward_exposed, forward - forward_exposed, backward_exposed,
                        backward - backward_exposed };
}

/**
 * sw_layer_comm_context:
 * @scene: of the layer
 * @attention_s: forward time of the attention core
 * @out: filled in
 *
 * Ring; all-gather of keys and values with a reduce-scatter backward (Llama 3, section 3.3.2); or
 * Ulysses' all-to-alls of queries, keys, values and outputs (Jacobs et al. 2023). Causal work is
 * taken as balanced: every framework pairs early with late blocks.
 */
void
sw_layer_comm_context (const SwLayerScene *scene, double attention_s, SwLayerComm *out)
{
  const SwModelSpec *model = &scene->problem->model;
  const SwStrategy *s = scene->strategy;
  SwGroup group = { s->cp, s->tp };
  double exposed = overlaps (scene) ? scene->rates.profile->cp_exposed : 1;

  *out = (SwLayerComm){ 0 };
  if (s->cp < 2)
    return;
  if (s->cp_method == SW_CP_RING)
    {
      context_ring (scene, attention_s, exposed, out);
      return;
    }
  if (s->cp_method == SW_CP_ULYSSES)
    {
      double heads = (double)model->attention_heads / s->tp;
      double bytes = key_value_bytes (scene)
                     + 2 * scene->tokens * heads
                           * (sw_model_query_head_dim (model) + sw_model_value_head_dim (model));

      out->forward_exposed_s =
          sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_TO_ALL, group, bytes, 4);
      out->backward_exposed_s = out->forward_exposed_s;
      return;
    }
  out->forward_exposed_s = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_GATHER, group,
                                                  key_value_bytes (scene) * s->cp, 1);
  out->backward_exposed_s = 2 * out->forward_exposed_s;
}

/* Copies of a token that cross the network: a dispatcher that forwards inside the node sends a
 * token once to each node that holds one of its experts (DeepEP; Liu et al. 2024, section 3.2.2).
 */
static double
network_copies_share (const SwLayerScene *scene, guint nodes)
{
  double top_k = scene->problem->model.moe.top_k;

  return nodes * (1 - pow (1 - 1.0 / nodes, top_k)) / top_k;
}

/**
 * sw_layer_comm_expert:
 * @scene: of the layer
 * @out: filled in
 *
 * Dispatch and combine of every routed copy, forward and backward.
 */
void
sw_layer_comm_expert (const SwLayerScene *scene, SwLayerComm *out)
{
  const SwProblem *problem = scene->problem;
  const SwStrategy *s = scene->strategy;
  SwGroup group = { s->ep, s->etp };
  double exposed = overlaps (scene) ? scene->rates.profile->ep_exposed : 1;
  double bytes = hidden_bytes (scene) / s->tp * problem->model.moe.top_k;
  guint domain = MAX (problem->cluster.nvlink_domain, 1), span = s->ep * s->etp;
  SwCollectiveCost cost;
  double seconds;

  *out = (SwLayerComm){ 0 };
  if (s->ep < 2)
    return;
  sw_collective_cost (problem, SW_COLLECTIVE_ALL_TO_ALL, group, &cost);
  if (span > domain && problem->training.software_year >= 2025.4)
    cost.inter_s_per_byte *= network_copies_share (scene, (span + domain - 1) / domain);
  /* Dispatch and combine, each in one call. */
  seconds =
      2 * sw_collective_cost_seconds (&cost, bytes, 1) * scene->rates.calibration->expert_imbalance;
  add_share (seconds, exposed, &out->forward_exposed_s, &out->forward_hidden_s);
  add_share (seconds, exposed, &out->backward_exposed_s, &out->backward_hidden_s);
}

/**
 * sw_layer_comm_head:
 * @scene: of the last stage
 *
 * Returns: seconds of the head's tensor-parallel communication: its input gathered and its gradient
 * reduced, and three short all-reduces of the vocabulary-parallel cross-entropy
 */
double
sw_layer_comm_head (const SwLayerScene *scene)
{
  const SwStrategy *s = scene->strategy;
  SwGroup group = { s->tp, 1 };

  if (s->tp < 2)
    return 0;
  return sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_REDUCE, group,
                                hidden_bytes (scene), 1)
         + sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_REDUCE, group,
                                  12 * scene->tokens, 3);
}
