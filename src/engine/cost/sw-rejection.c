/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a strategy is rejected, and which limits reject strategies. */
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
 * @strategy: any strategy, also outside the search space
 * @out: (out caller-allocates): the first broken rule, with pins checked last; else the bytes
 * missing on a GPU or a host
 *
 * A search counts the strategy under the same rule.
 */
void
sw_why_rejected (const SwProblem *problem, const SwStrategy *strategy, SwRejection *out)
{
  SwProblem strict = *problem;
  SwEstimate estimate;

  *out = (SwRejection){ .rule = sw_rules_check (problem, strategy) };
  if (out->rule != SW_RULE_OK)
    return;
  strict.training.target_steers = FALSE; /* as in a search */
  sw_estimate (&strict, strategy, &estimate);
  out->rule = estimate.rule;
  out->missing_bytes = estimate.missing_bytes;
}

/**
 * sw_limit_filters:
 * @limit: what strategies are compared with
 *
 * Returns: whether strategies beyond the limit are rejected; else they only rank lower: by their
 * time per token or, among equally fast ones, by this limit
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
