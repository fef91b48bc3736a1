/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-problem.h"

#include <math.h>

static const double default_batch_tokens = 1048576;

/* The power of two of sequences that comes nearest to a million tokens: it divides well over any usual cluster. */
static guint
default_global_batch (guint sequence_length)
{
  double sequences = default_batch_tokens / MAX (sequence_length, 1);

  return sequences <= 1 ? 1 : (guint) exp2 (round (log2 (sequences)));
}

static void
prepare_cluster (SwCluster *cluster)
{
  cluster->gpus = MAX (cluster->gpus, 1);
  cluster->gpus_per_node = MAX (cluster->gpus_per_node, 1);
  if (cluster->nvlink_domain == 0)
    cluster->nvlink_domain = cluster->gpus_per_node;
  if (cluster->oversubscription < 1)
    cluster->oversubscription = 1;
  if (cluster->usable_bytes <= 0)
    cluster->usable_bytes = cluster->gpu.usable_bytes > 0 ? cluster->gpu.usable_bytes
                                                          : cluster->gpu.memory_gb * SW_GB;
}

/**
 * sw_problem_prepare:
 * @problem: (inout): a question whose model, cluster, training and pins are set
 *
 * Fills in what follows from the rest: the parameter counts, the default global batch (about 1 M tokens), the GPUs that
 * the fast link joins (a node where not stated) and the usable memory (that of the GPU where not stated).
 */
void
sw_problem_prepare (SwProblem *problem)
{
  sw_model_count (&problem->model, &problem->count);
  prepare_cluster (&problem->cluster);
  problem->training.sequence_length = MAX (problem->training.sequence_length, 1);
  if (problem->training.global_batch == 0)
    problem->training.global_batch = default_global_batch (problem->training.sequence_length);
}
