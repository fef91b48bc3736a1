/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* What both rules of thumb share: values that are pinned, a batch that replicas divide, and a
 * framework that can run what they decide. */

/* The micro-batch that both were published with. */
#define SW_THUMB_MICRO_BATCH 4

gboolean sw_thumb_allows (const SwProblem *problem, SwDimension dimension, guint value);
void sw_thumb_init (const SwProblem *problem, SwStrategy *out);
void sw_thumb_split (const SwProblem *problem, SwStrategy *strategy, guint tp, guint pp, guint dp);
guint sw_thumb_micro_batch (const SwProblem *problem, guint dp);
void sw_thumb_set_micro_batch (const SwProblem *problem, SwStrategy *strategy);
gboolean sw_thumb_adapt (const SwProblem *problem, SwStrategy *strategy);
gboolean sw_thumb_can_run (const SwProblem *problem, const SwStrategy *strategy);

G_END_DECLS
