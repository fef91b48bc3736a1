/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* A setting of a question that could be changed. */
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
  SW_CHANGE_TP,
  SW_CHANGE_PP,
  SW_CHANGE_CP,
  SW_CHANGE_EP,
  SW_CHANGE_FRAMEWORK,
  SW_CHANGE_HOST_MEMORY, /* GB per node */
  SW_N_CHANGES
} SwChangeKind;
extern const char *const sw_change_names[];

/* One changed setting. */
typedef struct {
  SwChangeKind kind;
  double value; /* the new GPU count, sequence length, SwFramework, …; 0 for changes without a
                   value */
} SwChangePart;

/* A change of one or two settings, evaluated. */
typedef struct {
  guint n_parts;
  SwChangePart parts[2];
  SwEstimate result; /* the best strategy after the change; if none fits, the nearest */
} SwChange;

/* Maximum number of changes that suffice; among those that do not, one of each kind is listed. */
enum { SW_MOST_WAYS = 6, SW_MOST_CHANGES = SW_MOST_WAYS + SW_N_CHANGES };

guint sw_changes_tried (const SwProblem *problem, SwChange changes[SW_MOST_CHANGES]);
gboolean sw_change_to_proven (const SwProblem *problem, SwChange *out);
gboolean sw_change_for_safety (const SwProblem *problem, SwChange *out);
gboolean sw_change_to_work (const SwProblem *problem, const SwEstimate *now, SwChange *out);
SwDimension sw_change_dimension (SwChangeKind kind);
gboolean sw_change_is_unpinned (const SwProblem *problem, SwChangeKind kind);

G_END_DECLS
