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

/* Takes down one call, so many times forward and backward, with the exposed share of each. */
static void
note (const SwLayerScene *scene, SwCollective kind, SwGroup group, double bytes, double seconds,
      const double units[2], const double exposed[2])
{
  sw_collective_log (scene->log, scene->problem,
                     &(SwCollectiveCall){ kind,
                                          group,
                                          bytes,
                                          1,
                                          seconds,
                                          1,
                                          1,
                                          { units[0], units[1] },
                                          { exposed[0], exposed[1] } });
}

/* Takes down kernels that belong to a collective: so long in each pass, and all of it exposed. */
static void
note_local (const SwLayerScene *scene, double forward_s)
{
  sw_collective_log (
      scene->log, scene->problem,
      &(SwCollectiveCall){
          .seconds = forward_s, .units = { 1, 1.5 }, .exposed_share = { 1, 1 }, .is_local = TRUE });
}

static double
share_of (double part, double whole)
{
  return whole > 0 ? part / whole : 0;
}

/* With sequence parallelism (Korthikanti et al. 2022, figure 5) a block gathers its input and
 * scatters its output, both again backward, and backward gathers the input once more for the
 * weight's gradient. What a GEMM reads is gathered in the precision in which it reads it
 * (Transformer Engine; torchtitan's float8 tensor parallelism), but for adapters, which read it at
 * 16 bits; sums are scattered at 16 bits. */
static void
add_sequence_parallel (const SwLayerScene *scene, SwGroup group, double blocks, double exposed,
                       SwLayerComm *out)
{
  double bytes = hidden_bytes (scene);
  double element = scene->frozen ? 2 : scene->rates.linear_bytes;
  double gather = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_GATHER, group,
                                         bytes * element / 2, 1);
  double scatter = sw_collective_seconds (scene->problem, SW_COLLECTIVE_REDUCE_SCATTER, group,
                                          bytes, 1);
  double again = overlaps (scene) ? 0.5 * exposed : 1;

  add_share (blocks * (gather + scatter), exposed, &out->forward_exposed_s, &out->forward_hidden_s);
  add_share (blocks * (gather + scatter), exposed, &out->backward_exposed_s,
             &out->backward_hidden_s);
  /* The second gather runs beside the input's gradient in every release that has sequence
   * parallelism. */
  add_share (blocks * gather, again, &out->backward_exposed_s, &out->backward_hidden_s);
  note (scene, SW_COLLECTIVE_ALL_GATHER, group, bytes * element / 2, gather,
        (double[]){ blocks, blocks }, (double[]){ exposed, exposed });
  note (scene, SW_COLLECTIVE_ALL_GATHER, group, bytes * element / 2, gather,
        (double[]){ 0, blocks }, (double[]){ 0, again });
  note (scene, SW_COLLECTIVE_REDUCE_SCATTER, group, bytes, scatter, (double[]){ blocks, blocks },
        (double[]){ exposed, exposed });
}

/* Without it a block all-reduces its output forward and its input's gradient backward (Shoeybi et
 * al. 2019, figure 4); the latter can run beside the weight's gradient. */
static void
add_all_reduces (const SwLayerScene *scene, SwGroup group, double blocks, double exposed,
                 SwLayerComm *out)
{
  double one = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_REDUCE, group,
                                      hidden_bytes (scene), 1);

  add_share (blocks * one, 1, &out->forward_exposed_s, &out->forward_hidden_s);
  add_share (blocks * one, exposed, &out->backward_exposed_s, &out->backward_hidden_s);
  note (scene, SW_COLLECTIVE_ALL_REDUCE, group, hidden_bytes (scene), one,
        (double[]){ blocks, blocks }, (double[]){ 1, exposed });
}

/* Share of tensor-parallel communication left outside the GEMMs. A layer with an adapter beside it
 * cannot split its GEMM into the chunks of the overlap; recipes for packed sequences may leave the
 * overlap off. */
static double
tensor_exposed (const SwLayerScene *scene)
{
  const SwProfile *profile = scene->rates.profile;

  if (!overlaps (scene) || scene->frozen)
    return 1;
  if (scene->problem->training.mean_document > 0 && profile->tp_exposed_packed > 0)
    return profile->tp_exposed_packed;
  return profile->tp_exposed;
}

/* Whether gathers and scatters can be cut into chunks beside the GEMMs: Transformer Engine's user
 * buffers and PyTorch's symmetric memory are written by the other ranks over NVLink, neither over
 * PCIe nor from one scale-up domain to the next. */
static gboolean
writes_to_peers (const SwLayerScene *scene)
{
  gboolean inside, network;

  sw_collective_links (&scene->problem->cluster, SW_COLLECTIVE_ALL_GATHER,
                       (SwGroup){ scene->strategy->tp, 1 }, &inside, &network);
  return !scene->problem->cluster.intra.is_pcie && !network;
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
  const SwMoe *moe = &scene->problem->model.moe;
  SwGroup group = { s->tp, 1 };
  double exposed = tensor_exposed (scene), has_shared = moe->shared_intermediate_size > 0;
  double blocks = 2;

  *out = (SwLayerComm){ 0 };
  if (s->tp < 2)
    return;
  if (is_moe && s->etp < 2)
    blocks = 1 + has_shared;
  else if (is_moe)
    /* Every routed copy is gathered over the experts' tp group. */
    blocks = 1 + moe->top_k + has_shared;
  else if (scene->problem->model.parallel_block)
    blocks = 1;
  if (s->sequence_parallel)
    add_sequence_parallel (scene, group, blocks, writes_to_peers (scene) ? exposed : 1, out);
  else
    add_all_reduces (scene, group, blocks, exposed, out);
}

/* Bytes of keys and values of one context-parallel rank. */
static double
key_value_bytes (const SwLayerScene *scene)
{
  const SwModelSpec *model = &scene->problem->model;
  double kv = MAX ((double) model->kv_heads / scene->strategy->tp, 1);

  return 2 * scene->tokens * kv
         * (sw_model_query_head_dim (model) + sw_model_value_head_dim (model));
}

/* Attention in steps merges each step's output into the running one, which it keeps in fp32 (Liu et
 * al. 2023, algorithm 1), `bytes` an element; backward each step's gradients of queries, keys and
 * values are added up, half as much again. Returns: seconds of the forward pass. */
static double
merge_seconds (const SwLayerScene *scene, double bytes)
{
  const SwModelSpec *model = &scene->problem->model;
  const SwStrategy *s = scene->strategy;
  double elements = scene->tokens * model->attention_heads / s->tp
                    * (double) sw_model_value_head_dim (model);

  return bytes * elements * s->cp / scene->rates.memory_bytes_per_s;
}

/* Bytes of one merge by a fused kernel: the step's output read at 16 bits, the running one read and
 * written. PyTorch's context parallelism takes steps whichever way keys and values travel, and four
 * kernels in fp32 for a merge: a cast, a difference, a product and a sum (_SDPAMerger). */
static const double merge_bytes = 10, unfused_merge_bytes = 38;

/* Neighbours in a ring of context-parallel ranks: those of two nodes where any are, for which the
 * others wait. */
static SwGroup
ring_pair (const SwLayerScene *scene)
{
  const SwCluster *cluster = &scene->problem->cluster;
  const SwStrategy *s = scene->strategy;
  const guint inside = sw_cluster_ranks_together (cluster, cluster->nvlink_domain, s->cp, s->tp);

  return (SwGroup){ 2,
                    inside == s->cp ? s->tp : MAX (cluster->nvlink_domain, s->tp * (s->cp - 1)) };
}

/* Ring attention (Liu et al. 2023): keys and values pass round beside the attention of the block
 * before; the gradients pass with them backward. What does not fit behind the kernels, and the
 * first block's start, is left outside, and so are the merges. */
static void
context_ring (const SwLayerScene *scene, double attention_s, double exposed, SwLayerComm *out)
{
  const SwStrategy *s = scene->strategy;
  const SwGroup pair = ring_pair (scene);
  double merge = merge_seconds (scene, merge_bytes);
  double step = sw_collective_seconds (scene->problem, SW_COLLECTIVE_P2P, pair,
                                       key_value_bytes (scene), 1);
  double forward = (s->cp - 1) * step, backward = 2 * forward;
  double window = overlaps (scene) ? attention_s * (s->cp - 1) / s->cp : 0;
  double forward_exposed = MIN (forward,
                                MAX (forward - window, 0) + exposed * MIN (forward, window));
  double backward_exposed =
      MIN (backward, MAX (backward - 2.5 * window, 0) + exposed * MIN (backward, 2.5 * window));

  *out = (SwLayerComm){ forward_exposed + merge, forward - forward_exposed,
                        backward_exposed + 1.5 * merge, backward - backward_exposed };
  note (scene, SW_COLLECTIVE_P2P, pair, key_value_bytes (scene), step,
        (double[]){ s->cp - 1, 2 * (s->cp - 1) },
        (double[]){ share_of (forward_exposed, forward), share_of (backward_exposed, backward) });
  note_local (scene, merge);
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
      double heads = (double) model->attention_heads / s->tp;
      double bytes = key_value_bytes (scene)
                     + 2 * scene->tokens * heads
                           * (sw_model_query_head_dim (model) + sw_model_value_head_dim (model));

      out->forward_exposed_s = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_TO_ALL,
                                                      group, bytes, 4);
      out->backward_exposed_s = out->forward_exposed_s;
      sw_collective_log (scene->log, scene->problem,
                         &(SwCollectiveCall){ SW_COLLECTIVE_ALL_TO_ALL,
                                              group,
                                              bytes,
                                              4,
                                              out->forward_exposed_s,
                                              1,
                                              1,
                                              { 1, 1 },
                                              { 1, 1 } });
      return;
    }
  out->forward_exposed_s = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_GATHER, group,
                                                  key_value_bytes (scene) * s->cp, 1);
  out->backward_exposed_s = 2 * out->forward_exposed_s;
  note (scene, SW_COLLECTIVE_ALL_GATHER, group, key_value_bytes (scene) * s->cp,
        out->forward_exposed_s, (double[]){ 1, 1 }, (double[]){ 1, 1 });
  note (scene, SW_COLLECTIVE_REDUCE_SCATTER, group, key_value_bytes (scene) * s->cp,
        out->forward_exposed_s, (double[]){ 0, 1 }, (double[]){ 0, 1 });
  if (s->framework == SW_FRAMEWORK_FSDP2)
    {
      note_local (scene, merge_seconds (scene, unfused_merge_bytes));
      out->forward_exposed_s += merge_seconds (scene, unfused_merge_bytes);
      out->backward_exposed_s += 1.5 * merge_seconds (scene, unfused_merge_bytes);
    }
}

/* Mean places, of `places` that hold the experts, that a token is sent to. */
static double
places_of_token (double places, double top_k)
{
  return places * (1 - pow (1 - 1 / places, top_k));
}

/* Nodes that a token is sent to. Some routers choose groups of experts first (DeepSeek-V3, four of
 * eight: Liu et al. 2024, section 2.1.2), which are whole nodes or parts of one. */
static double
nodes_of_token (const SwMoe *moe, double nodes)
{
  const double groups = moe->groups, chosen = moe->chosen_groups;
  double any = places_of_token (nodes, moe->top_k), missed = 1;

  if (groups < 2 || chosen >= groups)
    return any;
  if (nodes >= groups)
    return MIN (any, nodes * chosen / groups);
  for (double i = 0; i < groups / nodes; i++)
    missed *= (groups - chosen - i) / (groups - i);
  return MIN (any, nodes * (1 - MAX (missed, 0)));
}

/* A plain all-to-all sends every copy of a token. A dispatcher that forwards sends the token once
 * to each node with one of its experts and from there, over the links inside, once to each GPU with
 * one (DeepEP; Liu et al. 2024, section 3.2.2). Megatron-Core has had it since 0.12; its recipes
 * leave it out within eight GPUs. What is sent of a plain one goes to `intra` and `inter`. */
static void
forward_copies (const SwLayerScene *scene, double nodes, double ranks, double *intra, double *inter)
{
  static const double forwarding_year = 2025.4, forwarding_inside_year = 2025.65;
  static const double plain_ranks = 8;
  const SwModelSpec *model = &scene->problem->model;
  double year = scene->problem->training.software_year, top_k = model->moe.top_k;

  *intra = *inter = 1;
  if (nodes > 1 && year >= forwarding_year)
    *inter = nodes_of_token (&model->moe, nodes) / top_k;
  if (ranks > plain_ranks && year >= forwarding_inside_year)
    *intra = nodes * places_of_token (ranks, top_k) / top_k;
}

/* Experts' communication over the network runs beside other micro-batches of a pipeline since
 * Megatron-Core 0.14 (overlap_moe_expert_parallel_comm): what such a schedule hides of the exposed
 * is told apart. */
static void
set_beside (const SwLayerScene *scene, gboolean crosses, SwLayerComm *out)
{
  static const double beside_year = 2025.65;
  double hidden = 1 - scene->rates.calibration->ep_beside_exposed;

  if (!crosses || !overlaps (scene) || scene->strategy->framework != SW_FRAMEWORK_MEGATRON_CORE
      || scene->problem->training.software_year < beside_year)
    return;
  out->forward_beside_s = hidden * out->forward_exposed_s;
  out->backward_beside_s = hidden * out->backward_exposed_s;
}

/* Takes down dispatch and combine. In a pipeline what runs beside other micro-batches is hidden. */
static void
note_expert (const SwLayerScene *scene, const SwCollectiveCall *call, const SwLayerComm *comm)
{
  double beside = scene->strategy->pp > 1 ? 1 : 0;
  SwCollectiveCall both = *call;

  if (scene->log == NULL)
    return;
  both.exposed_share[0] = share_of (comm->forward_exposed_s - beside * comm->forward_beside_s,
                                    call->seconds);
  both.exposed_share[1] = share_of (comm->backward_exposed_s - beside * comm->backward_beside_s,
                                    call->seconds);
  sw_collective_log (scene->log, scene->problem, &both);
}

/* Share left outside compute. Inside a scale-up domain the newest release runs half of it beside
 * the work (Megatron-Bridge 26.06, performance summary). */
static double
expert_exposed (const SwLayerScene *scene, gboolean crosses)
{
  double share = scene->rates.profile->ep_exposed;

  if (!overlaps (scene))
    return 1;
  return !crosses && sw_layer_experts_are_fused (scene) ? share / 2 : share;
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
  double bytes = hidden_bytes (scene) / s->tp * problem->model.moe.top_k;
  const guint span = s->ep * s->etp;
  double exposed, seconds, intra, inter, nodes;
  gboolean inside, network;
  SwCollectiveCost cost;

  *out = (SwLayerComm){ 0 };
  if (s->ep < 2)
    return;
  sw_collective_links (&problem->cluster, SW_COLLECTIVE_ALL_TO_ALL, group, &inside, &network);
  exposed = expert_exposed (scene, network);
  nodes = ceil ((double) span / MAX (problem->cluster.nvlink_domain, 1));
  sw_collective_cost (problem, SW_COLLECTIVE_ALL_TO_ALL, group, &cost);
  forward_copies (scene, network ? MAX (nodes, 2) : 1, span, &intra, &inter);
  cost.intra_s_per_byte *= intra;
  cost.inter_s_per_byte *= inter;
  /* Dispatch and combine, each in one call. */
  seconds = 2 * sw_collective_cost_seconds (&cost, bytes, 1)
            * scene->rates.calibration->expert_imbalance;
  add_share (seconds, exposed, &out->forward_exposed_s, &out->forward_hidden_s);
  add_share (seconds, exposed, &out->backward_exposed_s, &out->backward_hidden_s);
  set_beside (scene, network, out);
  note_expert (scene,
               &(SwCollectiveCall){
                   SW_COLLECTIVE_ALL_TO_ALL, group, 2 * bytes, 2, seconds, intra, inter, { 1, 1 } },
               out);
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
  double bytes = hidden_bytes (scene), losses = 12 * scene->tokens, input_s, losses_s;
  SwGroup group = { s->tp, 1 };

  if (s->tp < 2)
    return 0;
  input_s = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_REDUCE, group, bytes, 1);
  losses_s = sw_collective_seconds (scene->problem, SW_COLLECTIVE_ALL_REDUCE, group, losses, 3);
  note (scene, SW_COLLECTIVE_ALL_REDUCE, group, bytes, input_s, (double[]){ 1, 0 },
        (double[]){ 1, 0 });
  sw_collective_log (
      scene->log, scene->problem,
      &(SwCollectiveCall){
          SW_COLLECTIVE_ALL_REDUCE, group, losses, 3, losses_s, 1, 1, { 1, 0 }, { 1, 0 } });
  return input_s + losses_s;
}
