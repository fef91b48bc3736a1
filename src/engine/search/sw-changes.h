/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* Something that could be changed when nothing fits; each was evaluated. */
typedef enum {
  SW_CHANGE_GPUS,
  SW_CHANGE_RECOMPUTE,
  SW_CHANGE_ZERO,
  SW_CHANGE_OFFLOAD,
  SW_CHANGE_OPTIMIZER_8BIT,
  SW_CHANGE_LORA,
  SW_CHANGE_QLORA,
  SW_CHANGE_SEQUENCE,
  SW_CHANGE_MICRO_BATCH,
  SW_CHANGE_MEMORY_TARGET,
  SW_CHANGE_UNPIN,
  SW_N_CHANGES
} SwChangeKind;
extern const char *const sw_change_names[];

typedef struct {
  SwChangeKind kind;
  double value;      /* the new GPU count, sequence length, …; 0 where there is none */
  SwEstimate result; /* the best after it, or the nearest where it does not suffice */
} SwChange;

guint sw_changes_tried (const SwProblem *problem, SwChange changes[SW_N_CHANGES]);

G_END_DECLS
