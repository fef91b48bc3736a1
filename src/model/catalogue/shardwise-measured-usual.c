/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-problem.h"
#include "sw-strategy.h"
#include "sw-types.h"
/* What runs usually do of what a table of measured runs leaves out. */

/* A micro-batch that is not stated: one sequence in a pipeline, else about 8192 tokens, of narrower
 * layers as many more (tensor parallelism by four or more: half of it times), dividing what a rank
 * has. */
guint
shardwise_run_usual_micro_batch (const SwTraining *training, const SwStrategy *strategy)
{
  guint per_rank = MAX (training->global_batch / MAX (strategy->dp, 1), 1);
  guint tokens = 8192 * MAX (strategy->tp / 2, 1);
  guint wanted = strategy->pp > 1 ? 1 : MAX (tokens / MAX (training->sequence_length, 1), 1);

  wanted = MIN (wanted, per_rank);
  while (per_rank % wanted != 0)
    wanted--;
  return wanted;
}

/* Chunks a stage that are not stated: Megatron-Core overlaps its transfers only where it
 * interleaves, and its tuned runs do so, with chunks of two layers or more where they divide, else
 * of one. torchtitan's interleaved schedules have two by default; its others are stated as one. */
guint
shardwise_run_usual_chunks (const SwProblem *problem, const SwStrategy *s)
{
  guint layers = problem->model.layers / s->pp, m = sw_strategy_micro_batches (problem, s),
        chunks = layers / 2;

  if (s->framework == SW_FRAMEWORK_FSDP2 && s->pp > 1)
    return 2;
  if (s->framework != SW_FRAMEWORK_MEGATRON_CORE || s->pp < 2 || problem->model.layers % s->pp != 0
      || m % s->pp != 0)
    return 1;
  while (chunks > 1 && layers % chunks != 0)
    chunks--;
  return chunks > 1 ? chunks : layers;
}

/* Mixtures of experts, in Megatron-Core's recipes of mid-2025 on: "selective" without names is the
 * norms and the experts' activation functions, which is what the sources that do name modules name.
 * NeMo's of DeepSeek before ran again the whole MLPs and experts (its recommended configurations:
 * mla_up_proj, mlp, moe). */
guint
shardwise_run_usual_modules (const SwProblem *problem, const SwStrategy *s)
{
  if (s->recompute != SW_RECOMPUTE_SELECTIVE || s->recompute_modules != 0
      || s->framework != SW_FRAMEWORK_MEGATRON_CORE || problem->model.moe.experts == 0)
    return s->recompute_modules;
  if (problem->training.software_year >= 2025.5)
    return SW_MODULE_LAYERNORM | SW_MODULE_MOE_ACT;
  return problem->model.mla.kv_lora_rank > 0 ? SW_MODULE_MLA_UP_PROJ | SW_MODULE_MLP | SW_MODULE_MOE
                                             : 0;
}
