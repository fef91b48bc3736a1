/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fewest GPUs, each with the means it requires: a number alone hides that it depends on host
 * memory or on another optimizer. */
#include "sw-means.h"

const char *const sw_means_names[] = { "none", "optimizer-8bit", "offload-optimizer",
                                       "offload-optimizer-params", NULL };

static const SwOffload offloads[SW_N_MEANS] = {
  [SW_MEANS_OFFLOAD_OPTIMIZER] = SW_OFFLOAD_OPTIMIZER,
  [SW_MEANS_OFFLOAD_OPTIMIZER_PARAMS] = SW_OFFLOAD_OPTIMIZER_PARAMS,
};

/**
 * sw_means_apply:
 * @problem: (inout): a prepared question
 * @means: the means to use
 *
 * Turns it into the question for the smallest number of GPUs: with only these means, and for
 * strategies that fit by the upper end of their interval.
 */
void
sw_means_apply (SwProblem *problem, SwMeans means)
{
  if (means == SW_MEANS_OPTIMIZER_8BIT)
    problem->training.optimizer = SW_OPTIMIZER_ADAM8BIT;
  if (!sw_pins_has (&problem->pins, SW_DIM_OFFLOAD))
    {
      problem->pins.mask |= 1u << SW_DIM_OFFLOAD;
      problem->pins.value.offload = (guint8) offloads[means];
    }
  problem->training.memory_target = MIN (problem->training.memory_target, sw_safe_target (problem));
}

/* Whether the means apply to the question. */
static gboolean
is_open (const SwProblem *problem, SwMeans means)
{
  return means == SW_MEANS_NONE
         || (problem->training.optimizer == SW_OPTIMIZER_ADAMW
             && (offloads[means] == SW_OFFLOAD_NONE
                 || !sw_pins_has (&problem->pins, SW_DIM_OFFLOAD)));
}

/* Host memory per node that the best strategy on this many GPUs uses. */
static double
host_bytes (const SwProblem *problem, guint gpus)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem sized = *problem;
  SwSearchResult result;
  SwEstimate estimate = { .fits = FALSE };

  sized.cluster.gpus = gpus;
  sw_search (&sized, &options, &result);
  if (result.n_best > 0)
    sw_estimate (&sized, &result.best[0].strategy, &estimate);
  sw_search_result_clear (&result);
  return estimate.memory.host_bytes;
}

/* Further means are listed if they need at most this share of the GPUs. */
#define CLEARLY_FEWER 0.75

/* Whether the framework of @one is also in question for that many GPUs. */
static gboolean
is_usual_on (const SwProblem *problem, const SwProblem *one)
{
  SwFramework frameworks[SW_N_FRAMEWORKS];
  guint n;

  if (problem->training.framework != SW_FRAMEWORK_ANY || !problem->training.usual_frameworks)
    return TRUE;
  n = sw_usual_frameworks (one, frameworks);
  while (n-- > 0)
    if (frameworks[n] == one->training.framework)
      return TRUE;
  return FALSE;
}

/* The usual frameworks for any number of GPUs, so that the answer does not depend on the question's
 * number: for one GPU, for a node, and for more. */
static guint
usual_on_any (const SwProblem *problem, SwFramework out[SW_N_FRAMEWORKS])
{
  const guint node = MAX (1, problem->cluster.gpus_per_node), sizes[] = { node + 1, node, 1 };
  SwProblem other = *problem;
  guint seen = 0, n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      SwFramework usual[SW_N_FRAMEWORKS];
      guint of_size;

      other.cluster.gpus = sizes[i];
      of_size = sw_usual_frameworks (&other, usual);
      for (guint j = 0; j < of_size; j++)
        {
          if ((seen & 1u << usual[j]) == 0)
            out[n++] = usual[j];
          seen |= 1u << usual[j];
        }
    }
  return n;
}

/* The smallest number over all frameworks in question, each with its own interval; @limit: only
 * smaller numbers are of interest; 0: all. @asked: (out): the question that it answers. */
static guint
least_of_frameworks (const SwProblem *problem, SwMeans means, guint limit, SwProblem *asked)
{
  SwFramework frameworks[SW_N_FRAMEWORKS] = { problem->training.framework };
  const guint node = MAX (1, problem->cluster.gpus_per_node);
  guint n = 1, least = 0;

  if (frameworks[0] == SW_FRAMEWORK_ANY && problem->training.usual_frameworks)
    n = usual_on_any (problem, frameworks);
  for (guint i = 0; i < n; i++)
    {
      const guint below = least > 0 ? least : limit;
      /* the next smaller number: any within a node, else whole nodes */
      const guint next = below == 0 ? 0 : below > node ? (below - 1) / node * node : below - 1;
      SwProblem one = *problem;

      one.training.framework = frameworks[i];
      sw_means_apply (&one, means);
      /* What fits on fewer GPUs fits on the next smaller number, too. */
      if (below > 0 && (next == 0 || !sw_search_fits_on (&one, next)))
        continue;
      one.cluster.gpus = sw_least_gpus (&one);
      if (one.cluster.gpus > 0 && one.cluster.gpus <= node && !is_usual_on (problem, &one))
        one.cluster.gpus = 2 * node;
      if (one.cluster.gpus > node && !is_usual_on (problem, &one))
        continue;
      if (one.cluster.gpus == 0 || (least > 0 && one.cluster.gpus >= least))
        continue;
      least = one.cluster.gpus;
      *asked = one;
    }
  return least;
}

/**
 * sw_least_gpus_with:
 * @problem: a prepared question; its number of GPUs only determines which frameworks are usual
 * @means: the means to use besides the stated ones
 * @safely: whether only strategies that fit by the upper end of their interval count
 *
 * Returns: the smallest number of GPUs on which it fits by the upper end of its interval; if there
 *   is none, on which it may fit; 0: none
 */
guint
sw_least_gpus_with (const SwProblem *problem, SwMeans means, gboolean safely)
{
  SwProblem asked;
  guint least = least_of_frameworks (problem, means, 0, &asked);

  if (least > 0 || safely)
    return least;
  asked = *problem;
  sw_means_apply (&asked, means);
  asked.training.memory_target = sw_memory_most (problem);
  return sw_least_gpus (&asked);
}

/**
 * sw_least_gpus_by:
 * @problem: a prepared question; its number of GPUs only determines which frameworks are usual
 * @out: (out): smallest numbers of GPUs, each clearly smaller than the one before, with further
 * means
 *
 * The first uses only the question's own means, if anything fits that way. Each holds for
 * strategies that fit by the upper end of their interval; if none does on any number, the first
 * holds for strategies that may not fit.
 *
 * Returns: their number; 0: nothing fits on any number of GPUs
 */
guint
sw_least_gpus_by (const SwProblem *problem, SwLeastGpus out[SW_N_MEANS])
{
  const guint node = MAX (1, problem->cluster.gpus_per_node);
  guint n = 0;

  for (guint i = 0; i < SW_N_MEANS; i++)
    {
      const SwMeans means = (SwMeans) i;
      SwLeastGpus least = { .means = means };
      SwProblem asked = *problem;

      if (!is_open (problem, means))
        continue;
      if (n == 0)
        least.gpus = sw_least_gpus_with (problem, means, FALSE);
      else /* numbers that are clearly smaller: any within a node, else whole nodes */
        {
          guint most = (guint) (CLEARLY_FEWER * out[n - 1].gpus);

          if (most >= node)
            most = most / node * node;
          least.gpus = least_of_frameworks (problem, means, most + 1, &asked);
        }
      if (least.gpus == 0)
        continue;
      sw_means_apply (&asked, means); /* the first question again with any framework */
      if (asked.pins.value.offload != SW_OFFLOAD_NONE)
        least.host_bytes = host_bytes (&asked, least.gpus);
      out[n++] = least;
    }
  return n;
}
