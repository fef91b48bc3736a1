/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-start.h"

G_BEGIN_DECLS

/* Ways to need fewer GPUs, least intrusive first. */
typedef enum {
  SW_MEANS_NONE, /* the job as stated; only pinned offload */
  SW_MEANS_OPTIMIZER_8BIT,
  SW_MEANS_OFFLOAD_OPTIMIZER,
  SW_MEANS_OFFLOAD_OPTIMIZER_PARAMS,
  SW_N_MEANS
} SwMeans;
extern const char *const sw_means_names[];

/* The smallest number of GPUs, and what it requires. */
typedef struct {
  guint gpus;
  SwMeans means;
  double host_bytes; /* per node, if something is offloaded; else 0 */
} SwLeastGpus;

void sw_means_apply (SwProblem *problem, SwMeans means);
guint sw_least_gpus_with (const SwProblem *problem, SwMeans means, gboolean safely);
guint sw_least_gpus_by (const SwProblem *problem, SwLeastGpus out[SW_N_MEANS]);

G_END_DECLS
