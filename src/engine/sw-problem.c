/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-problem.h"

#include "sw-rlhf.h"

#include <math.h>

static const double default_batch_tokens = 1048576;
/* The newest software among the measured runs: June 2026. */
static const double newest_software_year = 2026.5;

/* The power of two of sequences that comes nearest to a million tokens: it divides well over any
 * usual cluster. */
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
    cluster->usable_bytes =
        cluster->gpu.usable_bytes > 0 ? cluster->gpu.usable_bytes : cluster->gpu.memory_gb * SW_GB;
}

/**
 * sw_problem_prepare:
 * @problem: (inout): a question whose model, cluster, training and pins are set
 *
 * Fills in what follows from the rest: the parameter counts, the default global batch (about 1 M
 * tokens), the GPUs that the fast link joins (a node where not stated) and the usable memory (that
 * of the GPU where not stated).
 */
void
sw_problem_prepare (SwProblem *problem)
{
  sw_model_count (&problem->model, &problem->count);
  sw_rlhf_prepare (problem);
  prepare_cluster (&problem->cluster);
  problem->training.sequence_length = MAX (problem->training.sequence_length, 1);
  if (problem->training.global_batch == 0)
    problem->training.global_batch = default_global_batch (problem->training.sequence_length);
  if (problem->training.software_year <= 0)
    problem->training.software_year = newest_software_year;
}

/**
 * sw_training_is_adapter:
 * @training: what is trained how
 *
 * Returns: whether adapters are trained beside frozen weights (LoRA, QLoRA)
 */
gboolean
sw_training_is_adapter (const SwTraining *training)
{
  return training->type == SW_TRAINING_LORA || training->type == SW_TRAINING_QLORA;
}

/* Parameters of the adapters over those of the base: rank x (inputs + outputs) of each adapted
 * matrix (Hu et al. 2021). Matrices of experts are adapted one by one. */
static double
adapter_share (const SwProblem *problem)
{
  const SwModelSpec *model = &problem->model;
  double h = model->hidden_size, rank = problem->training.lora_rank;
  double query = (double) model->attention_heads * sw_model_query_head_dim (model);
  double value = (double) model->attention_heads * sw_model_value_head_dim (model);
  double keys = (double) model->kv_heads * model->head_dim, inputs = model->gated_mlp ? 3 : 2;
  double moe_layers = sw_model_moe_layers (model);
  double attention = 4 * h + query + value + 2 * keys, mlp = 0;

  if (problem->training.lora_all_linear)
    mlp = (model->layers - moe_layers) * inputs * (h + model->intermediate_size)
          + moe_layers * inputs
                * ((double) model->moe.experts * (h + model->moe.intermediate_size)
                   + (model->moe.shared_intermediate_size > 0
                          ? h + model->moe.shared_intermediate_size
                          : 0));
  return rank * (model->layers * attention + mlp) / problem->count.total;
}

/**
 * sw_trained_share:
 * @problem: a prepared question
 *
 * Returns: trained parameters over those of the model: 1, or the adapters' share
 */
double
sw_trained_share (const SwProblem *problem)
{
  return sw_training_is_adapter (&problem->training) ? adapter_share (problem) : 1;
}

/**
 * sw_weight_bytes:
 * @training: what is trained how
 *
 * Returns: bytes of a weight as the passes read it and as sharding gathers it: 16 bits, or the
 * 4.127 bits of double-quantised NF4 (Dettmers et al. 2023, section 3)
 */
double
sw_weight_bytes (const SwTraining *training)
{
  return training->type == SW_TRAINING_QLORA ? 4.127 / 8 : 2;
}

/**
 * sw_problem_is_cancelled:
 * @problem: a question
 *
 * Returns: whether nobody waits for its answer any more
 */
gboolean
sw_problem_is_cancelled (const SwProblem *problem)
{
  return problem->cancelled != NULL && g_atomic_int_get (problem->cancelled) != 0;
}
