/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-fsdp.h"

#include <glib/gi18n.h>

#include "shardwise-rule-conditions.h"

/* What PyTorch's FSDP cannot run: the checks of FullyShardedDataParallel and fully_shard, and what
 * there is no interface for. */

static gboolean
has_pp (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1;
}

static gboolean
unsharded_cp (const SwProblem *problem, const SwStrategy *s)
{
  return s->zero_stage == 0 && s->cp > 1;
}

static gboolean
hybrid_tp (const SwProblem *problem, const SwStrategy *s)
{
  return s->zero_stage > 0 && s->shard_group < s->dp && s->tp > 1;
}

static gboolean
offload_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload == SW_OFFLOAD_OPTIMIZER;
}

static gboolean
half_pipeline (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && problem->training.precision == SW_PRECISION_FP16;
}

static gboolean
is_muon (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer == SW_OPTIMIZER_MUON;
}

static gboolean
eight_bit_on_fsdp1 (const SwProblem *problem, const SwStrategy *s)
{
  SwPrecision precision = problem->training.precision;

  return precision != SW_PRECISION_BF16 && precision != SW_PRECISION_FP16;
}

static gboolean
not_in_torchao (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.precision == SW_PRECISION_MXFP8
         || problem->training.precision == SW_PRECISION_NVFP4;
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)
#define EP_RULE N_ ("PyTorch has no expert parallelism of its own: EP is 1; TorchTitan adds it")
#define MOE_TP_RULE                                                                                 \
  N_ ("PyTorch’s tensor-parallel styles do not split experts; a mixture of experts runs with TP " \
      "1")
#define ZERO_RULE                                                                                  \
  N_ ("FSDP shards gradients with the optimizer (ZeRO 2), parameters too (ZeRO 3), or nothing; "   \
      "ZeRO 1 does not exist there")
#define OFFLOAD_RULE                                                                               \
  N_ ("FSDP offloads parameters, gradients and optimizer together, not the optimizer alone")
#define MUON_RULE N_ ("PyTorch has no Muon; AdamW, 8-bit Adam, Adafactor and SGD are written")
#define ADAPTERS_RULE                                                                              \
  N_ ("PyTorch’s tensor-parallel styles do not split the adapters of LoRA; there TP is 1")

const ShardwiseFormatRule shardwise_fsdp1_rules[SHARDWISE_FSDP1_N_RULES] = {
  { "strategy.pp", D (PP), has_pp, N_ ("FSDP has no pipeline parallelism: PP is 1") },
  { "strategy.cp", D (CP), shardwise_rule_has_cp, N_ ("FSDP 1 does not split sequences: CP is 1") },
  { "strategy.ep", D (EP), shardwise_rule_has_ep, EP_RULE },
  { "strategy.tp", D (TP), shardwise_rule_splits_experts, MOE_TP_RULE },
  { "strategy.zero_stage", D (ZERO) | D (DP) | D (CP), shardwise_rule_has_zero_one, ZERO_RULE },
  { "strategy.shard_group", D (SHARD_GROUP) | D (DP) | D (TP), hybrid_tp,
    N_ ("FSDP 1 takes a one-dimensional mesh beside tensor parallelism; with TP above 1 it shards "
        "over all of DP") },
  { "strategy.offload", D (OFFLOAD), offload_optimizer, OFFLOAD_RULE },
  { "strategy.offload", D (OFFLOAD) | D (ZERO), shardwise_rule_offloads_whole,
    N_ ("FSDP offloads sharded parameters: ZeRO 3 only") },
  { "strategy.tp", D (TP), shardwise_rule_splits_adapters, ADAPTERS_RULE },
  { "training.optimizer", 0, is_muon, MUON_RULE },
  { "training.precision", 0, eight_bit_on_fsdp1,
    N_ ("FSDP 1 runs bf16 and fp16; 8-bit layers need FSDP 2") },
  { "strategy.vpp", D (VPP), shardwise_rule_has_vpp,
    N_ ("FSDP has no pipeline, so that there are no virtual stages") },
};

const ShardwiseFormatRule shardwise_fsdp2_rules[SHARDWISE_FSDP2_N_RULES] = {
  { "strategy.cp_method", D (CP) | D (CP_METHOD), shardwise_rule_has_ulysses,
    N_ ("PyTorch’s context parallelism is ring attention or all-gather, not Ulysses") },
  { "strategy.ep", D (EP), shardwise_rule_has_ep, EP_RULE },
  { "strategy.tp", D (TP), shardwise_rule_splits_experts, MOE_TP_RULE },
  { "strategy.zero_stage", D (ZERO) | D (DP) | D (CP), shardwise_rule_has_zero_one, ZERO_RULE },
  { "strategy.zero_stage", D (ZERO) | D (CP), unsharded_cp,
    N_ ("FSDP shards over the ranks of context parallelism, too; with CP above 1 ZeRO is 2 or 3") },
  { "strategy.schedule", D (PP) | D (SCHEDULE), shardwise_rule_is_zero_bubble,
    N_ ("PyTorch’s zero-bubble schedules need two stages per rank and are others than ZB-H1; "
        "GPipe, 1F1B and interleaved 1F1B are written") },
  { "strategy.offload", D (OFFLOAD), offload_optimizer, OFFLOAD_RULE },
  { "strategy.offload", D (OFFLOAD) | D (ZERO), shardwise_rule_offloads_whole,
    N_ ("FSDP offloads sharded parameters: ZeRO 3 only") },
  { "strategy.tp", D (TP), shardwise_rule_splits_adapters, ADAPTERS_RULE },
  { "strategy.pp", D (PP), half_pipeline,
    N_ ("PyTorch’s pipeline schedules scale no loss, which fp16 needs; with fp16 PP is 1") },
  { "training.optimizer", 0, is_muon, MUON_RULE },
  { "training.precision", 0, not_in_torchao,
    N_ ("The released 8-bit training of torchao is fp8 with one scale per tensor or per row, not "
        "MXFP8 and NVFP4") },
};
