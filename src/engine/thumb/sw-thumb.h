/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* Shared by both rules of thumb: pinned values, a batch that replicas divide, and a framework that
 * can run the result. */

/* The published micro-batch of both. */
#define SW_THUMB_MICRO_BATCH 4

gboolean sw_thumb_allows (const SwProblem *problem, SwDimension dimension, guint value);
void sw_thumb_init (const SwProblem *problem, SwStrategy *out);
void sw_thumb_split (const SwProblem *problem, SwStrategy *strategy, guint tp, guint pp, guint dp);
guint sw_thumb_micro_batch (const SwProblem *problem, guint dp);
void sw_thumb_set_micro_batch (const SwProblem *problem, SwStrategy *strategy);
gboolean sw_thumb_adapt (const SwProblem *problem, SwStrategy *strategy);
gboolean sw_thumb_can_run (const SwProblem *problem, const SwStrategy *strategy);

G_END_DECLS
