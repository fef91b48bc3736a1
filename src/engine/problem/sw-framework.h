/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-model.h"
#include "sw-software.h"
#include "sw-strategy.h"

G_BEGIN_DECLS

typedef struct _SwProblem SwProblem; /* sw-problem.h */

/* GPUs of a node that DeepEP's kernels reach; HybridEP's reach a larger domain. */
#define SW_DEEPEP_DOMAIN 8

/* Whether a framework has a feature of its software for this strategy; NULL: for any. */
typedef gboolean (*SwFeatureRule) (const SwProblem *problem, const SwStrategy *s);

/* What a framework can run. The search is limited to it. */
typedef struct {
  SwFramework framework;
  SwFramework engine;       /* the framework that holds the states and runs the layers; differs for
                               tools */
  guint zero_mask;          /* bit 1 << stage */
  guint zero_mask_pp;       /* the same with pp > 1 */
  guint zero_lacks_ep;      /* stages of both masks that are unsupported with ep > 1 */
  guint schedule_mask;      /* bit 1 << SwSchedule */
  guint recompute_mask;     /* bit 1 << SwRecompute */
  guint recompute_lacks_ep; /* values of that mask that are unsupported with ep > 1 */
  guint offload_mask;       /* bit 1 << SwOffload */
  guint cp_method_mask;     /* bit 1 << SwCpMethod */
  guint precision_mask;     /* bit 1 << SwPrecision */
  gboolean tp, pp, vpp, cp, ep, sp, etp, hsdp, uneven_pp;
  gboolean kv_heads_at_least_tp; /* kv_heads % tp == 0 */
  gboolean ep_wants_sp;          /* experts and tp together only with sequence parallelism */
  gboolean splits_no_experts;    /* a mixture of experts only with tp 1 */
  gboolean one_gpu;              /* a single GPU */
  guint types;                   /* kinds of training, bit 1 << SwTrainingType; 0: all */
  gboolean (*builds) (const SwModelSpec *model); /* whether it supports a model; NULL: any */
  const SwFeatureRule *features; /* by SwFeature; NULL: any strategy may run with any */
} SwFrameworkRules;

/* By SwFramework. ANY has the union of all, for checks made before a framework is chosen. */
extern const SwFrameworkRules sw_frameworks[SW_N_FRAMEWORKS];

guint sw_selected_modules (const SwStrategy *strategy);
gboolean
sw_framework_enables (const SwProblem *problem, const SwStrategy *strategy, SwFeature feature);
gboolean sw_model_is_plain_decoder (const SwModelSpec *model);
gboolean sw_model_has_llama_layers (const SwModelSpec *model);
gboolean sw_model_has_usual_heads (const SwModelSpec *model);
gboolean sw_framework_builds (SwFramework framework, const SwModelSpec *model);

/* What a software profile can run. Inline, like the functions below, because a search calls it
 * millions of times. */
static inline const SwFrameworkRules *
sw_framework_rules (SwFramework framework)
{
  g_return_val_if_fail (framework < SW_N_FRAMEWORKS, &sw_frameworks[SW_FRAMEWORK_ANY]);

  return &sw_frameworks[framework];
}

/* The supported ZeRO stages, as a mask. */
static inline guint
sw_framework_zero (const SwFrameworkRules *rules, guint pp, guint ep)
{
  return (pp > 1 ? rules->zero_mask_pp : rules->zero_mask) & ~(ep > 1 ? rules->zero_lacks_ep : 0);
}

/* The supported recomputation, as a mask of SwRecompute. */
static inline guint
sw_framework_recompute (const SwFrameworkRules *rules, guint ep)
{
  return rules->recompute_mask & ~(ep > 1 ? rules->recompute_lacks_ep : 0);
}

/* Whether a mask of SwFrameworkRules includes a value. */
static inline gboolean
sw_framework_allows (guint mask, guint value)
{
  return value < 32 && (mask >> value & 1) != 0;
}

/* The framework whose engine a software profile uses: itself, or the one that a tool is built
 * on. */
static inline SwFramework
sw_engine (SwFramework framework)
{
  return framework < SW_N_ENGINES ? framework : sw_frameworks[framework].engine;
}

/* Whether it is PyTorch FSDP, version 1 or 2. */
static inline gboolean
sw_framework_is_fsdp (SwFramework framework)
{
  const SwFramework engine = sw_engine (framework);

  return engine == SW_FRAMEWORK_FSDP || engine == SW_FRAMEWORK_FSDP2;
}

G_END_DECLS
