/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-sensitivity.h"

#include "sw-search.h"

#include <math.h>

const char *const sw_resource_names[] = { "compute", "memory", "hbm", "intra_node",
                                          "network", "batch",  NULL };

/**
 * sw_problem_scale_resource:
 * @problem: a prepared question; changed
 * @strategy: its micro-batches determine the size of a larger batch
 * @resource: the resource to increase
 * @factor: factor above 0; a batch is rounded up to whole micro-batches
 */
void
sw_problem_scale_resource (SwProblem *problem, const SwStrategy *strategy, SwResource resource,
                           double factor)
{
  SwCluster *cluster = &problem->cluster;
  SwGpu *gpu = &cluster->gpu;
  double unit;

  switch (resource)
    {
    case SW_RESOURCE_COMPUTE:
      /* Scales arithmetic and its power, because otherwise power would throttle the higher rate. */
      gpu->peak_bf16_flops_per_s *= factor;
      gpu->peak_fp16_flops_per_s *= factor;
      gpu->peak_fp8_flops_per_s *= factor;
      gpu->peak_fp4_flops_per_s *= factor;
      gpu->measured_bf16_flops_per_s *= factor;
      gpu->tdp_w *= factor;
      break;
    case SW_RESOURCE_MEMORY: cluster->usable_bytes *= factor; break;
    case SW_RESOURCE_HBM: cluster->gpu.hbm_bytes_per_s *= factor; break;
    case SW_RESOURCE_INTRA:
      cluster->gpu.scale_up_bytes_per_s *= factor;
      cluster->intra.bytes_per_s *= factor;
      break;
    case SW_RESOURCE_NETWORK: cluster->inter.bytes_per_s *= factor; break;
    case SW_RESOURCE_BATCH:
      /* Whole micro-batches on every replica, so that the same strategy can run it. */
      unit = (double) strategy->dp * strategy->micro_batch;
      problem->training.global_batch =
          (guint) MIN (ceil (problem->training.global_batch * factor / unit) * unit, G_MAXUINT / 2);
      break;
    case SW_N_RESOURCES: break;
    }
}

/**
 * sw_sensitivity_of:
 * @problem: a prepared question; its `cancelled` ends the work early
 * @estimate: of the selected strategy
 * @resource: the resource to increase
 * @factor: factor above 0; 1.25: a quarter more
 * @out: (out caller-allocates): the gain
 *
 * Evaluates the question with more of one resource, with the current strategy and with the best one
 * for it. The user's pins apply. With few micro-batches per step, a larger batch may grow by far
 * more than @factor: see #SwSensitivity.factor.
 */
void
sw_sensitivity_of (const SwProblem *problem, const SwEstimate *estimate, SwResource resource,
                   double factor, SwSensitivity *out)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem scaled = *problem;
  SwEstimate held, best;
  SwSearchResult search;

  *out = (SwSensitivity){ .strategy = estimate->strategy, .factor = factor };
  if (!(estimate->tokens_per_s > 0))
    return;
  sw_problem_scale_resource (&scaled, &estimate->strategy, resource, factor);
  if (resource == SW_RESOURCE_BATCH)
    out->factor = (double) scaled.training.global_batch / problem->training.global_batch;
  sw_estimate (&scaled, &estimate->strategy, &held);
  out->runs = held.rule == SW_RULE_OK && held.fits;
  if (out->runs)
    out->held = held.tokens_per_s / estimate->tokens_per_s - 1;
  out->reoptimised = out->held;
  sw_search (&scaled, &options, &search);
  if (search.n_best > 0)
    {
      sw_estimate (&scaled, &search.best[0].strategy, &best);
      if (best.tokens_per_s / estimate->tokens_per_s - 1 > out->reoptimised)
        {
          out->reoptimised = best.tokens_per_s / estimate->tokens_per_s - 1;
          out->strategy = best.strategy;
        }
    }
  sw_search_result_clear (&search);
}

/**
 * sw_sensitivity:
 * @problem: as for sw_sensitivity_of()
 * @estimate: as there
 * @factor: as there
 * @out: (out caller-allocates): by #SwResource
 *
 * sw_sensitivity_of() every resource.
 */
void
sw_sensitivity (const SwProblem *problem, const SwEstimate *estimate, double factor,
                SwSensitivity out[SW_N_RESOURCES])
{
  for (guint resource = 0; resource < SW_N_RESOURCES; resource++)
    sw_sensitivity_of (problem, estimate, (SwResource) resource, factor, &out[resource]);
}
