/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What recipes and documentation of the frameworks combine, and what they go without or the model was
 * not held against runs of. A search for what to start with leaves the second out. */
#include "sw-level.h"

const char *const sw_level_names[] = { "measured", "usual", "untried", NULL };

/* Recipes stay within the eight GPUs of a baseboard, in racks with wider links too
 * (Megatron-Bridge's for GB200 and GB300). */
#define MOST_TP 8
/* DeepSeek-V3 spreads experts over 64 GPUs; Megatron-Bridge's recipes go no farther. */
#define MOST_EP 64
/* Llama 3 405B splits sequences of 131,072 tokens over 16 GPUs, NeMo's recipes 16,384 over 2: never
 * into parts of fewer tokens than this. */
#define LEAST_CP_TOKENS 4096

/**
 * sw_usual_tp:
 * @problem: a prepared question
 * @tp: tensor-parallel degree
 *
 * Returns: whether recipes split layers over so many GPUs there
 */
gboolean
sw_usual_tp (const SwProblem *problem, guint tp)
{
  return tp <= MIN (MAX (problem->cluster.nvlink_domain, problem->cluster.gpus_per_node), MOST_TP);
}

/**
 * sw_usual_cp:
 * @problem: a prepared question
 * @cp: context-parallel degree
 *
 * Returns: whether recipes split such sequences into so many parts
 */
gboolean
sw_usual_cp (const SwProblem *problem, guint cp)
{
  return cp == 1 || problem->training.sequence_length / cp >= LEAST_CP_TOKENS;
}

/**
 * sw_usual_ep:
 * @ep: expert-parallel degree
 *
 * Returns: whether recipes spread experts over so many GPUs
 */
gboolean
sw_usual_ep (guint ep)
{
  return ep <= MOST_EP;
}

/**
 * sw_usual_pp:
 * @problem: a prepared question
 * @pp: pipeline stages
 *
 * Recipes divide the layers evenly, or count embedding, head and predicted tokens as layers with
 * them (Llama 3 405B: 126 and 2 over 16 stages; DeepSeek-V3: 61 and 3).
 *
 * Returns: whether they cut the model into so many stages
 */
gboolean
sw_usual_pp (const SwProblem *problem, guint pp)
{
  const guint layers = problem->model.layers, ends = 2 + problem->model.mtp_layers;

  for (guint i = 0; i <= ends; i++)
    if ((layers + i) % pp == 0)
      return TRUE;
  return FALSE;
}

/**
 * sw_usual_shard_group:
 * @problem: a prepared question
 * @shard_group: replicas that share what ZeRO shards
 * @dp: replicas
 * @ranks: GPUs of each replica that lie beside each other, tp x cp
 *
 * Returns: whether recipes shard so: over all replicas, or over whole nodes
 */
gboolean
sw_usual_shard_group (const SwProblem *problem, guint shard_group, guint dp, guint ranks)
{
  return shard_group == dp || shard_group * ranks % problem->cluster.gpus_per_node == 0;
}

/**
 * sw_untried:
 * @problem: a prepared question
 * @strategy: a strategy
 *
 * Returns: what of it is not proven, a set of #SwUntried; 0: nothing
 */
guint
sw_untried (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwStrategy *s = strategy;
  guint out = 0;

  if (s->offload != SW_OFFLOAD_NONE)
    out |= SW_UNTRIED_OFFLOAD;
  if (!sw_usual_tp (problem, s->tp))
    out |= SW_UNTRIED_TP;
  if (!sw_usual_cp (problem, s->cp))
    out |= SW_UNTRIED_CP;
  if (!sw_usual_ep (s->ep))
    out |= SW_UNTRIED_EP;
  if (!sw_usual_pp (problem, s->pp))
    out |= SW_UNTRIED_STAGES;
  if (s->pp > 1 && !sw_framework_allows (SW_USUAL_SCHEDULES, s->schedule))
    out |= SW_UNTRIED_SCHEDULE;
  if (s->zero_stage > 0 && !sw_usual_shard_group (problem, s->shard_group, s->dp, s->tp * s->cp))
    out |= SW_UNTRIED_SHARD_GROUP;
  return out;
}

/**
 * sw_is_left_out:
 * @problem: a prepared question
 * @strategy: a strategy
 *
 * Returns: whether the question is for what is proven alone, and the strategy is untried in a
 * dimension that is not pinned
 */
gboolean
sw_is_left_out (const SwProblem *problem, const SwStrategy *strategy)
{
  static const SwDimension dimensions[SW_N_UNTRIED] = {
    SW_DIM_OFFLOAD, SW_DIM_TP, SW_DIM_CP, SW_DIM_EP, SW_DIM_PP, SW_DIM_SCHEDULE, SW_DIM_SHARD_GROUP,
  };
  guint untried;

  if (!problem->training.proven_only)
    return FALSE;
  untried = sw_untried (problem, strategy);
  for (guint i = 0; i < SW_N_UNTRIED; i++)
    if ((untried & 1u << i) != 0 && !sw_pins_has (&problem->pins, dimensions[i]))
      return TRUE;
  return FALSE;
}
