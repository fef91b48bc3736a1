/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-moments.h"

#include "sw-framework.h"

/* Who reads the weights. */
typedef enum {
  READ_BY_EACH, /* process, all of them */
  READ_ONCE,    /* a node: the others begin with empty weights */
  READ_PIECES   /* by each process, and put onto its GPU one after the other */
} Readers;

/* How weights come onto the GPUs: with FSDP the first process of a node alone loads them
 * (accelerate, FullyShardedDataParallelPlugin.cpu_ram_efficient_loading; verl,
 * get_init_weight_context_manager). DeepSpeed's ZeRO 3 splits each as it is made (zero.Init), and
 * quantised ones, and Unsloth's, go to the GPU one by one (transformers, device_map). Trainers without
 * these, ZeRO 1 and 2, and torchtune's checkpointers read all of them in each process. */
static Readers
readers_of (const SwProblem *problem, const SwStrategy *s)
{
  const SwFramework tool = problem->training.framework,
                    engine = sw_engine ((SwFramework) s->framework);

  if (tool == SW_FRAMEWORK_TORCHTUNE || s->framework == SW_FRAMEWORK_TORCHTUNE)
    return READ_BY_EACH;
  if (engine == SW_FRAMEWORK_DEEPSPEED)
    return s->zero_stage == 3 || problem->training.type == SW_TRAINING_QLORA ? READ_PIECES
                                                                             : READ_BY_EACH;
  if (sw_framework_is_fsdp (engine) && s->zero_stage > 0 && s->dp * s->cp > 1)
    return READ_ONCE;
  if (!sw_framework_is_fsdp (engine) || tool == SW_FRAMEWORK_UNSLOTH
      || problem->training.type == SW_TRAINING_QLORA)
    return READ_PIECES;
  return READ_BY_EACH;
}

/* Bytes that a weight has when it is read: fp32 where the optimizer updates those. */
static double
read_bytes (const SwProblem *problem, const SwStrategy *s)
{
  return sw_training_is_adapter (&problem->training) || problem->training.no_master
                 || problem->training.parameter_bytes == 2
                 || !sw_framework_is_fsdp (sw_engine ((SwFramework) s->framework))
                 || sw_updates_16_bits (problem, s)
             ? 2
             : 4;
}

/**
 * sw_moments:
 * @problem: a prepared question
 * @estimate: of a strategy
 * @out: (out): what it holds at other moments than its steady steps; bytes
 *
 * Evaluation takes the micro-batch of training, whose logits are whole and copied to 32 bits
 * (transformers, ForCausalLMLoss), as no fused loss runs there.
 *
 * Returns: whether the training has such moments: it starts from trained weights, and generates none
 */
gboolean
sw_moments (const SwProblem *problem, const SwEstimate *estimate, SwMoments *out)
{
  const SwStrategy *s = &estimate->strategy;
  const SwTraining *training = &problem->training;
  const SwMemoryParts *peak = &estimate->memory.peak;
  const SwModelSpec *model = &problem->model;
  const double bytes = read_bytes (problem, s), layers = MAX (model->layers, 1),
               vocabulary = (double) model->vocab_size * model->hidden_size,
               layer = (problem->count.total - vocabulary) / layers,
               piece = bytes * MAX (vocabulary, layer),
               processes = MIN (estimate->gpus_used, problem->cluster.gpus_per_node),
               logits = training->scalar_head ? 0
                                              : (double) s->micro_batch * training->sequence_length
                                                    / s->cp * model->vocab_size / s->tp * (2 + 4),
               whole = bytes * problem->count.total * (1 + training->frozen_copies);

  if (training->type == SW_TRAINING_PRETRAIN || training->type == SW_TRAINING_RLHF)
    return FALSE;
  switch (readers_of (problem, s))
    {
    case READ_BY_EACH: out->loading_host = processes * whole; break;
    case READ_ONCE: out->loading_host = whole; break;
    case READ_PIECES:
    default: out->loading_host = processes * piece; break;
    }
  out->loading = peak->parameters + peak->framework
                 + (s->dp * s->cp > 1 && s->zero_stage > 0 ? piece : 0);
  /* DeepSpeed makes the states before the first step (initialize_optimizer_states). */
  out->first_backward =
      peak->total
      - (sw_framework_is_fsdp (sw_engine ((SwFramework) s->framework)) ? peak->optimizer : 0);
  out->evaluation = peak->parameters + peak->optimizer + peak->framework + logits;
  return TRUE;
}
