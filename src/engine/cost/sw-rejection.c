/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a strategy is rejected, for any strategy, and which limits reject it. */
#include "sw-rejection.h"

#include "sw-estimate.h"

const char *const sw_limit_names[] = {
  "gpus",      "divisibility",    "framework", "pins",          "memory-target", "host-memory",
  "idle-gpus", "scale-up-domain", "bubble",    "communication", "simplicity",    "headroom",
  NULL
};

/**
 * sw_why_rejected:
 * @problem: a prepared question
 * @strategy: any strategy, of its space or not
 * @out: (out caller-allocates): the first rule that it breaks, pins last of them; else what it
 * lacks of a GPU's memory or of a host's, in bytes
 *
 * The same word that a search counts the strategy under.
 */
void
sw_why_rejected (const SwProblem *problem, const SwStrategy *strategy, SwRejection *out)
{
  SwProblem strict = *problem;
  SwEstimate estimate;

  *out = (SwRejection){ .rule = sw_rules_check (problem, strategy) };
  if (out->rule != SW_RULE_OK)
    return;
  strict.training.target_steers = FALSE; /* as a search has it */
  sw_estimate (&strict, strategy, &estimate);
  out->rule = estimate.rule;
  out->missing_bytes = estimate.missing_bytes;
}

/**
 * sw_limit_filters:
 * @limit: what strategies are compared with
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
    case SW_LIMIT_HOST_MEMORY: return TRUE;
    case SW_LIMIT_IDLE_GPUS:
    case SW_LIMIT_SCALE_UP_DOMAIN:
    case SW_LIMIT_BUBBLE:
    case SW_LIMIT_COMMUNICATION:
    case SW_LIMIT_SIMPLICITY:
    case SW_LIMIT_HEADROOM:
    case SW_N_LIMITS:
    default: return FALSE;
    }
}
