/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-model.h"
#include "sw-strategy.h"

G_BEGIN_DECLS

/* What a framework can run; the search is limited to it. */
typedef struct {
  SwFramework framework;
  SwFramework engine;   /* what holds states and runs layers: of a tool another one */
  guint zero_mask;      /* bit 1 << stage */
  guint zero_mask_pp;   /* the same with pp > 1 */
  guint schedule_mask;  /* bit 1 << SwSchedule */
  guint recompute_mask; /* bit 1 << SwRecompute */
  guint offload_mask;   /* bit 1 << SwOffload */
  guint cp_method_mask; /* bit 1 << SwCpMethod */
  guint precision_mask; /* bit 1 << SwPrecision */
  gboolean tp, pp, vpp, cp, ep, sp, etp, hsdp, uneven_pp;
  gboolean kv_heads_at_least_tp; /* kv_heads % tp == 0 */
  gboolean ep_wants_sp;          /* experts and tp together only with sequence parallelism */
  gboolean one_gpu;              /* a single GPU */
  guint types;                   /* kinds of training, bit 1 << SwTrainingType; 0: all */
  gboolean (*builds) (const SwModelSpec *model); /* which models it has; NULL: any */
} SwFrameworkRules;

/* By SwFramework; of ANY the union of all, for what is asked before one is chosen. */
extern const SwFrameworkRules sw_frameworks[SW_N_FRAMEWORKS];

guint sw_selected_modules (const SwStrategy *strategy);
gboolean sw_framework_builds (SwFramework framework, const SwModelSpec *model);

/* What a software profile can run. Here, as the next ones, since a search asks millions of times. */
static inline const SwFrameworkRules *
sw_framework_rules (SwFramework framework)
{
  g_return_val_if_fail (framework < SW_N_FRAMEWORKS, &sw_frameworks[SW_FRAMEWORK_ANY]);

  return &sw_frameworks[framework];
}

/* Whether a mask of SwFrameworkRules has the bit of a value. */
static inline gboolean
sw_framework_allows (guint mask, guint value)
{
  return value < 32 && (mask >> value & 1) != 0;
}

/* What a software profile computes as: itself, or the framework that a tool is built on. */
static inline SwFramework
sw_engine (SwFramework framework)
{
  return framework < SW_N_ENGINES ? framework : sw_frameworks[framework].engine;
}

/* Whether it is PyTorch's fully sharded data parallelism, of either generation. */
static inline gboolean
sw_framework_is_fsdp (SwFramework framework)
{
  const SwFramework engine = sw_engine (framework);

  return engine == SW_FRAMEWORK_FSDP || engine == SW_FRAMEWORK_FSDP2;
}

G_END_DECLS
