/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ink.h"
#include "sw-estimate.h"
#include "sw-kernels.h"

G_BEGIN_DECLS

/* What the time of a step goes into, one after another: what counts in the sum, and what runs hidden
 * behind compute. */
typedef struct {
  ShardwiseColor color;
  const char *name; /* marked with N_() */
  double from_s, seconds, hidden_s;
} ShardwiseStepPart;

GArray *shardwise_step_parts (const SwTime *time, const double *kernels);
char *shardwise_step_parts_text (const GArray *parts, double step_s);

G_END_DECLS
