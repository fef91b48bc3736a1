/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cluster-map.h"

#include <glib/gi18n.h>

/**
 * shardwise_rank_of_gpu:
 * @strategy: a strategy
 * @gpu: number of the GPU, counted through the nodes
 * @out: (out): its coordinates
 *
 * rank = tp + TP (cp + CP (dp + DP pp)). Within a stage the experts are laid out over the same
 * ranks as etp + ETP (ep + EP edp), as Megatron-Core's parallel state does.
 */
void
shardwise_rank_of_gpu (const SwStrategy *strategy, guint gpu, ShardwiseRank *out)
{
  guint in_stage;

  g_return_if_fail (strategy != NULL && out != NULL);
  *out = (ShardwiseRank){ .idle = gpu >= sw_strategy_gpus (strategy) };
  if (out->idle)
    return;
  in_stage = gpu % (strategy->tp * strategy->cp * strategy->dp);
  out->tp = gpu % strategy->tp;
  out->cp = gpu / strategy->tp % strategy->cp;
  out->dp = gpu / (strategy->tp * strategy->cp) % strategy->dp;
  out->pp = gpu / (strategy->tp * strategy->cp * strategy->dp);
  out->ep = in_stage / MAX (1, strategy->etp) % MAX (1, strategy->ep);
}

static gboolean
same_expert_group (const SwStrategy *strategy, guint gpu_a, guint gpu_b)
{
  guint stage = strategy->tp * strategy->cp * strategy->dp;
  guint a = gpu_a % stage, b = gpu_b % stage, etp = MAX (1, strategy->etp),
        span = etp * strategy->ep;

  return a % etp == b % etp && a / span == b / span;
}

/**
 * shardwise_rank_common_groups:
 * @strategy: a strategy
 * @gpu_a: a GPU
 * @gpu_b: another (or the same) GPU
 *
 * Returns: the communicators that hold both; groups of one GPU do not count
 */
ShardwiseGroups
shardwise_rank_common_groups (const SwStrategy *strategy, guint gpu_a, guint gpu_b)
{
  ShardwiseRank a, b;
  gboolean tp, cp, dp, pp;
  ShardwiseGroups groups = SHARDWISE_GROUP_NONE;

  g_return_val_if_fail (strategy != NULL, SHARDWISE_GROUP_NONE);
  shardwise_rank_of_gpu (strategy, gpu_a, &a);
  shardwise_rank_of_gpu (strategy, gpu_b, &b);
  if (a.idle || b.idle)
    return SHARDWISE_GROUP_NONE;
  tp = a.tp == b.tp;
  cp = a.cp == b.cp;
  dp = a.dp == b.dp;
  pp = a.pp == b.pp;
  if (strategy->tp > 1 && cp && dp && pp)
    groups |= SHARDWISE_GROUP_TENSOR;
  if (strategy->cp > 1 && tp && dp && pp)
    groups |= SHARDWISE_GROUP_CONTEXT;
  if (strategy->dp > 1 && tp && cp && pp)
    groups |= SHARDWISE_GROUP_DATA;
  if (strategy->pp > 1 && tp && cp && dp)
    groups |= SHARDWISE_GROUP_PIPELINE;
  if (strategy->ep > 1 && pp && same_expert_group (strategy, gpu_a, gpu_b))
    groups |= SHARDWISE_GROUP_EXPERT;
  return groups;
}

/* Whether a GPU and the next one of its node share a tensor-parallel group. */
static gboolean
is_joined (const SwStrategy *strategy, guint gpu, guint gpus_per_node)
{
  return (gpu + 1) % gpus_per_node != 0 && (gpu + 1) % strategy->tp != 0;
}

/**
 * shardwise_rank_coordinate:
 * @rank: of a GPU that is used
 * @group: a kind of group; SW_N_COMMUNICATION_GROUPS: none
 *
 * Returns: its place in its group of that kind, from 0
 */
guint
shardwise_rank_coordinate (const ShardwiseRank *rank, SwCommunicationGroup group)
{
  switch (group)
    {
    case SW_COMMUNICATION_TENSOR: return rank->tp;
    case SW_COMMUNICATION_CONTEXT: return rank->cp;
    case SW_COMMUNICATION_EXPERT: return rank->ep;
    case SW_COMMUNICATION_PIPELINE: return rank->pp;
    case SW_COMMUNICATION_DATA: return rank->dp;
    case SW_N_COMMUNICATION_GROUPS:
    default: return 0;
    }
}

/* Whether two nodes look the same: stages, tensor groups, idle GPUs, and the coordinates by which
 * they are coloured. Others are not drawn. */
static gboolean
nodes_alike (const SwStrategy *strategy, guint gpus, guint gpus_per_node, guint node_a,
             guint node_b, SwCommunicationGroup group)
{
  for (guint i = 0; i < gpus_per_node; i++)
    {
      guint gpu_a = node_a * gpus_per_node + i, gpu_b = node_b * gpus_per_node + i;
      ShardwiseRank a, b;

      if ((gpu_a < gpus) != (gpu_b < gpus))
        return FALSE;
      shardwise_rank_of_gpu (strategy, gpu_a, &a);
      shardwise_rank_of_gpu (strategy, gpu_b, &b);
      if (a.idle != b.idle || a.pp != b.pp
          || shardwise_rank_coordinate (&a, group) != shardwise_rank_coordinate (&b, group)
          || is_joined (strategy, gpu_a, gpus_per_node)
                 != is_joined (strategy, gpu_b, gpus_per_node))
        return FALSE;
    }
  return TRUE;
}

/**
 * shardwise_cluster_map_runs:
 * @strategy: a strategy
 * @gpus: GPUs of the cluster
 * @gpus_per_node: of one node
 * @group: by whose coordinate GPUs are told apart too; SW_N_COMMUNICATION_GROUPS: none
 *
 * Returns: (transfer full) (element-type ShardwiseNodeRun): runs of nodes alike, in the order of
 * the nodes
 */
GArray *
shardwise_cluster_map_runs (const SwStrategy *strategy, guint gpus, guint gpus_per_node,
                            SwCommunicationGroup group)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (ShardwiseNodeRun));
  guint nodes;

  g_return_val_if_fail (strategy != NULL && gpus_per_node > 0, runs);
  nodes = (gpus + gpus_per_node - 1) / gpus_per_node;
  for (guint node = 0; node < nodes; node++)
    {
      ShardwiseNodeRun *last = runs->len ? &g_array_index (runs, ShardwiseNodeRun, runs->len - 1)
                                         : NULL;

      if (last && nodes_alike (strategy, gpus, gpus_per_node, last->first, node, group))
        last->count++;
      else
        g_array_append_vals (runs, &(ShardwiseNodeRun){ node, 1 }, 1);
    }
  return runs;
}

/**
 * shardwise_cluster_map_generates:
 * @training: a job
 *
 * Returns: whether the GPUs that training leaves over generate the answers that it learns from
 */
gboolean
shardwise_cluster_map_generates (const SwTraining *training)
{
  g_return_val_if_fail (training != NULL, FALSE);
  return training->type == SW_TRAINING_RLHF && !training->rlhf_colocated;
}

/* First and last GPU of a node that trains; FALSE: none of it does. */
static gboolean
used_range (const SwStrategy *strategy, guint gpus, guint gpus_per_node, guint node,
            ShardwiseRank *first, ShardwiseRank *last)
{
  guint used = MIN (sw_strategy_gpus (strategy), gpus), begin = node * gpus_per_node;

  if (begin >= used)
    return FALSE;
  shardwise_rank_of_gpu (strategy, begin, first);
  shardwise_rank_of_gpu (strategy, MIN (begin + gpus_per_node, used) - 1, last);
  return TRUE;
}

/**
 * shardwise_cluster_map_node_content:
 * @strategy: how the GPUs are grouped
 * @gpus: GPUs of the cluster
 * @gpus_per_node: of one node
 * @generates: whether the GPUs that training leaves over generate answers
 * @node: number of the node
 *
 * Returns: (transfer full): what the node holds, in a few words
 */
char *
shardwise_cluster_map_node_content (const SwStrategy *strategy, guint gpus, guint gpus_per_node,
                                    gboolean generates, guint node)
{
  ShardwiseRank first, last;

  g_return_val_if_fail (strategy != NULL && gpus_per_node > 0, NULL);
  if (!used_range (strategy, gpus, gpus_per_node, node, &first, &last))
    /* Translators: what a node does: it generates the answers of reinforcement learning */
    return g_strdup (generates ? _ ("generation") : _ ("idle"));
  if (strategy->pp > 1 && first.pp != last.pp)
    /* Translators: pipeline stages that a node holds, first and last */
    return g_strdup_printf (_ ("stages %u–%u"), first.pp, last.pp);
  if (strategy->pp > 1)
    return g_strdup_printf (_ ("stage %u"), first.pp);
  if (strategy->dp > 1 && first.dp != last.dp)
    /* Translators: copies of the model (data parallel) that a node holds, first and last */
    return g_strdup_printf (_ ("replicas %u–%u"), first.dp, last.dp);
  return g_strdup_printf (_ ("replica %u"), first.dp);
}

/* The coordinates along the dimensions that are in use, counted from 0. */
static void
append_coordinates (GString *text, const SwStrategy *strategy, const ShardwiseRank *rank)
{
  /* Translators: coordinates of a GPU, counted from 0: ", stage 1 of 4" */
  if (strategy->pp > 1)
    g_string_append_printf (text, _ (", stage %u of %u"), rank->pp, strategy->pp);
  if (strategy->dp > 1)
    g_string_append_printf (text, _ (", replica %u of %u"), rank->dp, strategy->dp);
  if (strategy->tp > 1)
    g_string_append_printf (text, _ (", tensor rank %u of %u"), rank->tp, strategy->tp);
  if (strategy->cp > 1)
    g_string_append_printf (text, _ (", context rank %u of %u"), rank->cp, strategy->cp);
  if (strategy->ep > 1)
    g_string_append_printf (text, _ (", expert rank %u of %u"), rank->ep, strategy->ep);
}

/* Whether the tensor-parallel group of a GPU stays in its node. */
static gboolean
tensor_group_in_node (const SwStrategy *strategy, guint gpus_per_node, guint gpu)
{
  guint first = gpu - gpu % strategy->tp;

  return first / gpus_per_node == (first + strategy->tp - 1) / gpus_per_node;
}

static void
append_place (GString *text, guint gpus_per_node, guint gpu)
{
  /* Translators: place of a GPU in the cluster, counted from 0 */
  g_string_append_printf (text, _ ("GPU %u (node %u, slot %u)"), gpu, gpu / gpus_per_node,
                          gpu % gpus_per_node);
}

/**
 * shardwise_cluster_map_coordinates:
 * @strategy: how the GPUs are grouped
 * @gpus_per_node: of one node
 * @gpu: number of a GPU that is used, counted through the nodes
 *
 * Returns: (transfer full): its node and its coordinates
 */
char *
shardwise_cluster_map_coordinates (const SwStrategy *strategy, guint gpus_per_node, guint gpu)
{
  GString *text = g_string_new (NULL);
  ShardwiseRank rank;

  g_return_val_if_fail (strategy != NULL && gpus_per_node > 0, g_string_free (text, FALSE));
  shardwise_rank_of_gpu (strategy, gpu, &rank);
  append_place (text, gpus_per_node, gpu);
  append_coordinates (text, strategy, &rank);
  return g_string_free (text, FALSE);
}

/**
 * shardwise_cluster_map_describe:
 * @strategy: how the GPUs are grouped
 * @gpus: GPUs of the cluster
 * @gpus_per_node: of one node
 * @generates: whether the GPUs that training leaves over generate answers
 * @gpu: number of the GPU, counted through the nodes
 *
 * Returns: (transfer full): its node, its coordinates and its tensor-parallel group, as a sentence
 */
char *
shardwise_cluster_map_describe (const SwStrategy *strategy, guint gpus, guint gpus_per_node,
                                gboolean generates, guint gpu)
{
  GString *text = g_string_new (NULL);
  ShardwiseRank rank;

  g_return_val_if_fail (strategy != NULL && gpus_per_node > 0, g_string_free (text, FALSE));
  shardwise_rank_of_gpu (strategy, gpu, &rank);
  append_place (text, gpus_per_node, gpu);
  if (rank.idle)
    {
      g_string_append (text, generates ? _ (": generates answers, does not train")
                                       : _ (": idle, the strategy does not use it"));
      return g_string_free (text, FALSE);
    }
  append_coordinates (text, strategy, &rank);
  if (strategy->tp > 1)
    {
      guint first = gpu - gpu % strategy->tp;

      g_string_append_printf (text,
                              tensor_group_in_node (strategy, gpus_per_node, gpu)
                                  /* Translators: first and last GPU of a tensor-parallel group */
                                  ? _ (". Its tensor group, GPUs %u–%u, stays in the node")
                                  : _ (". Its tensor group, GPUs %u–%u, spans nodes"),
                              first, first + strategy->tp - 1);
    }
  g_string_append_c (text, '.');
  return g_string_free (text, FALSE);
}

static void
append_split (GString *text, char *part)
{
  if (text->len > 0)
    g_string_append (text, " × ");
  g_string_append (text, part);
  g_free (part);
}

/* "4 pipeline stages × 2 replicas × tensor groups of 8": the degrees that are more than one. */
static char *
split_text (const SwStrategy *strategy)
{
  GString *text = g_string_new (NULL);

  if (strategy->pp > 1)
    append_split (
        text, g_strdup_printf (ngettext ("%u pipeline stage", "%u pipeline stages", strategy->pp),
                               strategy->pp));
  if (strategy->dp > 1)
    append_split (
        text, g_strdup_printf (ngettext ("%u replica", "%u replicas", strategy->dp), strategy->dp));
  if (strategy->cp > 1)
    append_split (text, g_strdup_printf (
                            ngettext ("context groups of %u", "context groups of %u", strategy->cp),
                            strategy->cp));
  if (strategy->tp > 1)
    append_split (text, g_strdup_printf (
                            ngettext ("tensor groups of %u", "tensor groups of %u", strategy->tp),
                            strategy->tp));
  if (strategy->ep > 1)
    append_split (text, g_strdup_printf (
                            ngettext ("expert groups of %u", "expert groups of %u", strategy->ep),
                            strategy->ep));
  if (text->len == 0)
    g_string_append (text, _ ("the whole model on one GPU"));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_cluster_map_summary:
 * @strategy: how the GPUs are grouped
 * @gpus: GPUs of the cluster
 * @gpus_per_node: of one node
 * @generates: whether the GPUs that training leaves over generate answers
 *
 * Returns: (transfer full): the picture in one sentence, for its accessible label
 */
char *
shardwise_cluster_map_summary (const SwStrategy *strategy, guint gpus, guint gpus_per_node,
                               gboolean generates)
{
  guint nodes, used, rest;
  g_autofree char *where = NULL, *split = NULL;

  g_return_val_if_fail (strategy != NULL && gpus_per_node > 0, NULL);
  used = MIN (sw_strategy_gpus (strategy), gpus);
  nodes = (used + gpus_per_node - 1) / gpus_per_node;
  rest = gpus - used;
  if (nodes == 1)
    where = g_strdup_printf (ngettext ("%u GPU on one node", "%u GPUs on one node", used), used);
  else
    /* Translators: how many GPUs the strategy uses, on how many nodes */
    where = g_strdup_printf (ngettext ("%'u GPU on %'u nodes", "%'u GPUs on %'u nodes", used), used,
                             nodes);
  split = split_text (strategy);
  if (rest > 0 && generates)
    return g_strdup_printf (
        ngettext ("%s: %s; %'u GPU generates answers.", "%s: %s; %'u GPUs generate answers.", rest),
        where, split, rest);
  if (rest > 0)
    return g_strdup_printf (
        ngettext ("%s: %s; %'u GPU is idle.", "%s: %s; %'u GPUs are idle.", rest), where, split,
        rest);
  return g_strdup_printf (_ ("%s: %s."), where, split);
}
