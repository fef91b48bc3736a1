/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* How a framework's users split a model before they try anything else. */
typedef enum {
  SW_CONVENTION_DATA,  /* data parallelism that shards everything, and checkpointing */
  SW_CONVENTION_MODEL, /* tensor parallelism inside a node, then stages, as memory demands */
} SwConvention;

guint sw_replicas_within (const SwProblem *problem, guint ranks, guint micro_batch);
SwConvention sw_convention_of (SwFramework framework);
void sw_conventional_strategy (const SwProblem *problem, SwFramework framework, SwEstimate *out);

G_END_DECLS
