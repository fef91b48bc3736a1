/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

typedef enum {
  SW_RESOURCE_COMPUTE, /* arithmetic units */
  SW_RESOURCE_MEMORY,  /* memory capacity */
  SW_RESOURCE_HBM,     /* memory bandwidth */
  SW_RESOURCE_INTRA,   /* link inside a node or scale-up domain */
  SW_RESOURCE_NETWORK, /* between nodes */
  SW_RESOURCE_BATCH,   /* global batch */
  SW_N_RESOURCES
} SwResource;
extern const char *const sw_resource_names[];

/* The gain from more of one resource, as a share of the current tokens per second: 0.1 is a tenth
 * more. */
typedef struct {
  double held;         /* gain with the current strategy; 0 if that cannot run */
  gboolean runs;       /* whether it can: a larger batch may need more memory or not divide */
  double reoptimised;  /* gain with the best strategy for the larger resource; never below held */
  SwStrategy strategy; /* of `reoptimised` */
  double factor;       /* actual factor; a batch is rounded to whole micro-batches */
} SwSensitivity;

void sw_problem_scale_resource (SwProblem *problem, const SwStrategy *strategy, SwResource resource,
                                double factor);
void sw_sensitivity_of (const SwProblem *problem, const SwEstimate *estimate, SwResource resource,
                        double factor, SwSensitivity *out);
void sw_sensitivity (const SwProblem *problem, const SwEstimate *estimate, double factor,
                     SwSensitivity out[SW_N_RESOURCES]);

G_END_DECLS
