/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-start.h"

G_BEGIN_DECLS

/* The means by which a job needs fewer GPUs, starting with the one that changes the least. */
typedef enum {
  SW_MEANS_NONE, /* as it is stated, with nothing in the host's memory but what is pinned there */
  SW_MEANS_OPTIMIZER_8BIT,
  SW_MEANS_OFFLOAD_OPTIMIZER,
  SW_MEANS_OFFLOAD_OPTIMIZER_PARAMS,
  SW_N_MEANS
} SwMeans;
extern const char *const sw_means_names[];

/* A least number of GPUs, and what it takes. */
typedef struct {
  guint gpus;
  SwMeans means;
  double host_bytes; /* of each node, where something lies there; else 0 */
} SwLeastGpus;

void sw_means_apply (SwProblem *problem, SwMeans means);
guint sw_least_gpus_with (const SwProblem *problem, SwMeans means, gboolean safely);
guint sw_least_gpus_by (const SwProblem *problem, SwLeastGpus out[SW_N_MEANS]);

G_END_DECLS
