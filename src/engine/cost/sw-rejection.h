/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-rules.h"

G_BEGIN_DECLS

/* Why a strategy is rejected. */
typedef struct {
  SwRule rule;          /* the first broken rule; OK: it fits */
  double missing_bytes; /* on a GPU or a host; else 0 */
} SwRejection;

void sw_why_rejected (const SwProblem *problem, const SwStrategy *strategy, SwRejection *out);

/* What a strategy is checked or ranked by. */
typedef enum {
  SW_LIMIT_GPUS,
  SW_LIMIT_DIVISIBILITY,
  SW_LIMIT_FRAMEWORK,
  SW_LIMIT_PINS,
  SW_LIMIT_MEMORY_TARGET,
  SW_LIMIT_HOST_MEMORY,
  SW_LIMIT_IDLE_GPUS,
  SW_LIMIT_SCALE_UP_DOMAIN, /* tensor parallelism beyond the scale-up domain */
  SW_LIMIT_BUBBLE,
  SW_LIMIT_COMMUNICATION,
  SW_LIMIT_SIMPLICITY,
  SW_LIMIT_HEADROOM,
  SW_N_LIMITS
} SwLimit;
extern const char *const sw_limit_names[];

gboolean sw_limit_filters (SwLimit limit);

G_END_DECLS
