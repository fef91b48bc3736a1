/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-strategy.h"

G_BEGIN_DECLS

/* What a framework can run; the search is limited to it. */
typedef struct {
  SwFramework framework;
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
} SwFrameworkRules;

const SwFrameworkRules *sw_framework_rules (SwFramework framework);
guint sw_selected_modules (const SwStrategy *strategy);
gboolean sw_framework_is_fsdp (SwFramework framework);

G_END_DECLS
