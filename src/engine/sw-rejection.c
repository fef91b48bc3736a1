/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a strategy fell away, of any that anybody asks about; and which limits make one fall away. */
#include "sw-rejection.h"

#include "sw-estimate.h"

const char *const sw_limit_names[] = { "gpus",        "divisibility",     "framework",
                                       "pins",        "memory-target",    "host-memory",
                                       "idle-gpus",   "scale-up-domain",  "bubble",
                                       "communication", "simplicity",     "headroom",
                                       NULL };

/* The numbers behind a rule of divisibility. */
static void
set_numbers (const SwProblem *problem, const SwStrategy *s, SwRejection *out)
{
  const SwModelSpec *model = &problem->model;
  const double replica = (double) s->tp * s->cp;
  const struct
  {
    SwRule rule;
    double limit, asked;
  } numbers[] = {
    { SW_RULE_WORLD_SIZE, problem->cluster.gpus, replica * s->pp * s->dp },
    { SW_RULE_TP_HEADS, model->attention_heads, s->tp },
    { SW_RULE_TP_KV_HEADS, model->kv_heads, s->tp },
    { SW_RULE_TP_WIDTH, model->hidden_size, s->tp },
    { SW_RULE_ETP, model->moe.intermediate_size, s->etp },
    { SW_RULE_PP_LAYERS, model->layers, s->pp },
    { SW_RULE_VPP_LAYERS, model->layers, (double) s->pp * s->vpp },
    { SW_RULE_VPP_MICRO_BATCHES, sw_strategy_micro_batches (problem, s), s->pp },
    { SW_RULE_CP_SEQUENCE, problem->training.sequence_length, 2.0 * s->cp },
    { SW_RULE_CP_HEADS, model->attention_heads, replica },
    { SW_RULE_EP_EXPERTS, model->moe.experts, s->ep },
    { SW_RULE_EP_WORLD, replica * s->dp, (double) s->etp * s->ep },
    { SW_RULE_BATCH, problem->training.global_batch, (double) s->dp * s->micro_batch },
    { SW_RULE_SHARD_GROUP, s->dp, s->shard_group },
  };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (numbers[i].rule == out->rule)
      {
        out->limit = numbers[i].limit;
        out->asked = numbers[i].asked;
      }
}

/**
 * sw_why_rejected:
 * @problem: a prepared question
 * @strategy: any strategy, of its space or not
 * @out: (out caller-allocates): the first rule that it breaks, pins last of them, with its numbers;
 * else what it lacks of a GPU's memory or of a host's, in bytes
 *
 * The same word that a search counts the strategy under.
 */
void
sw_why_rejected (const SwProblem *problem, const SwStrategy *strategy, SwRejection *out)
{
  SwEstimate estimate;

  *out = (SwRejection){ .rule = sw_rules_check (problem, strategy) };
  set_numbers (problem, strategy, out);
  if (out->rule != SW_RULE_OK)
    return;
  sw_estimate (problem, strategy, &estimate);
  out->rule = estimate.rule;
  out->missing_bytes = estimate.missing_bytes;
  if (out->rule == SW_RULE_OK)
    return;
  out->limit = out->rule == SW_RULE_HOST_MEMORY ? problem->cluster.host_ram_bytes
                                                : estimate.memory_limit_bytes;
  out->asked = out->limit + out->missing_bytes;
}

/**
 * sw_limit_filters:
 * @limit: what strategies are held against
 *
 * Returns: whether what breaks it falls away; else it only ranks lower, through its time per token
 * or, within the band of equally fast ones, by itself
 */
gboolean
sw_limit_filters (SwLimit limit)
{
  switch (limit)
    {
    case SW_LIMIT_GPUS:
    case SW_LIMIT_DIVISIBILITY:
    case SW_LIMIT_FRAMEWORK:
    case SW_LIMIT_PINS:
    case SW_LIMIT_MEMORY_TARGET:
    case SW_LIMIT_HOST_MEMORY:
      return TRUE;
    case SW_LIMIT_IDLE_GPUS:
    case SW_LIMIT_SCALE_UP_DOMAIN:
    case SW_LIMIT_BUBBLE:
    case SW_LIMIT_COMMUNICATION:
    case SW_LIMIT_SIMPLICITY:
    case SW_LIMIT_HEADROOM:
    case SW_N_LIMITS:
    default:
      return FALSE;
    }
}
