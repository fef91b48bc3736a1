/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* Why a strategy cannot run: the first broken rule. The names are the codes of the JSON output. */
typedef enum {
  SW_RULE_OK,
  SW_RULE_WORLD_SIZE,  /* tp * pp * cp * dp is not within the GPUs */
  SW_RULE_TP_HEADS,    /* attention heads % tp */
  SW_RULE_TP_KV_HEADS, /* KV heads and tp: neither divides the other, or the framework wants a
                          multiple */
  SW_RULE_TP_WIDTH,    /* hidden or MLP width % tp */
  SW_RULE_ETP,         /* etp != tp nor 1, or expert width % etp */
  SW_RULE_PP_LAYERS,   /* more stages than layers, or layers % pp where the framework wants it */
  SW_RULE_VPP_LAYERS,  /* layers per stage % vpp, vpp without pp */
  SW_RULE_VPP_MICRO_BATCHES, /* interleaving wants micro-batches % pp == 0 */
  SW_RULE_CP_SEQUENCE,       /* sequence % (2 cp), or % (tp) with sequence parallelism */
  SW_RULE_CP_HEADS,          /* Ulysses: heads % (tp cp) */
  SW_RULE_EP_EXPERTS,        /* experts % ep, ep on a dense model */
  SW_RULE_EP_WORLD,          /* etp * ep does not divide tp * cp * dp */
  SW_RULE_BATCH,             /* global batch % (dp * micro-batch) */
  SW_RULE_SHARD_GROUP,       /* dp % shard_group */
  SW_RULE_SEQUENCE_PARALLEL, /* sequence parallelism without tp */
  SW_RULE_FRAMEWORK_TP,
  SW_RULE_FRAMEWORK_PP,
  SW_RULE_FRAMEWORK_CP,
  SW_RULE_FRAMEWORK_EP,
  SW_RULE_FRAMEWORK_ZERO, /* e.g. DeepSpeed pipelines refuse ZeRO 2 and 3 */
  SW_RULE_FRAMEWORK_SCHEDULE,
  SW_RULE_FRAMEWORK_RECOMPUTE,
  SW_RULE_FRAMEWORK_OFFLOAD,
  SW_RULE_FRAMEWORK_SP,
  SW_RULE_PRECISION,   /* the GPU or the framework has no such arithmetic */
  SW_RULE_PIN,         /* another value is pinned */
  SW_RULE_GPU_MEMORY,  /* over the memory target */
  SW_RULE_HOST_MEMORY, /* offloaded bytes over the host RAM */
  SW_N_RULES
} SwRule;
extern const char *const sw_rule_names[];

/* What can be wrong with a strategy: TRUE where it is so. The rules of this engine ask them, and the
 * tables of what the exporters' frameworks refuse, which word them. "lacks": by what its framework
 * can run. */
gboolean sw_rule_lacks_pp (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_lacks_vpp (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_lacks_cp (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_lacks_cp_method (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_lacks_ep (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_lacks_sp (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_lacks_zero_stage (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_lacks_schedule (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_lacks_recompute (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_lacks_groups (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_odd_kv_heads (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_odd_sequence (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_odd_experts (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_odd_chunks (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_has_vpp_alone (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_has_sp_alone (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_has_ep_without_sp (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_has_cp_beside_pp (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_has_ep_beside_pp (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_has_groups_below_zero_three (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_offloads_unsharded (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_offloads_other_optimizer (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_misplaces_activations (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_has_vpp (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_has_ep (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_splits_experts (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_splits_adapters (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_odd_heads (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_has_zero_one (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_is_zero_bubble (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_has_partial_recompute (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_offloads (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_offloads_whole (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_is_not_bf16 (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_is_not_adamw (const SwProblem *problem, const SwStrategy *s);
gboolean sw_rule_is_not_full_training (const SwProblem *problem, const SwStrategy *s);

SwRule sw_rules_check (const SwProblem *problem, const SwStrategy *strategy);
SwRule sw_rules_check_offload (const SwProblem *problem, const SwStrategy *strategy);
SwRule sw_rules_check_sharding (const SwProblem *problem, const SwStrategy *strategy);

G_END_DECLS
