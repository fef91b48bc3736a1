/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

typedef enum {
  SW_RESOURCE_COMPUTE, /* rate of the arithmetic units */
  SW_RESOURCE_MEMORY,  /* capacity */
  SW_RESOURCE_HBM,     /* rate of the GPU's memory */
  SW_RESOURCE_INTRA,   /* link inside a node or scale-up domain */
  SW_RESOURCE_NETWORK, /* between nodes */
  SW_RESOURCE_BATCH,   /* global batch */
  SW_N_RESOURCES
} SwResource;
extern const char *const sw_resource_names[];

/* What more of one resource gives; shares of the tokens per second that a strategy has now, so that
 * 0.1 is a tenth more. */
typedef struct {
  double held;         /* with the strategy as it is; 0 where that cannot run then */
  gboolean runs;       /* whether it can: a greater batch may need more memory, or not divide */
  double reoptimised;  /* with the best strategy for what is then there; never below held */
  SwStrategy strategy; /* that best one */
  double factor;       /* how much there is then: of a batch what whole micro-batches come to */
} SwSensitivity;

void sw_problem_scale_resource (SwProblem *problem, const SwStrategy *strategy, SwResource resource,
                                double factor);
void sw_sensitivity_of (const SwProblem *problem, const SwEstimate *estimate, SwResource resource,
                        double factor, SwSensitivity *out);
void sw_sensitivity (const SwProblem *problem, const SwEstimate *estimate, double factor,
                     SwSensitivity out[SW_N_RESOURCES]);

G_END_DECLS
