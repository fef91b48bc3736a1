/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ink.h"
#include "sw-estimate.h"
#include "sw-kernels.h"

G_BEGIN_DECLS

/* The parts of the step time in order: time that counts in the sum, and time hidden behind
 * compute. */
typedef struct {
  ShardwiseColor color;
  const char *name; /* marked with N_() */
  double from_s, seconds, hidden_s;
} ShardwiseStepPart;

GArray *shardwise_step_parts (const SwTime *time, const double *kernels);
char *shardwise_step_parts_text (const GArray *parts, double step_s);

G_END_DECLS
