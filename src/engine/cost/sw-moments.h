/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* What a run that starts from trained weights holds beside its steady steps; bytes. */
typedef struct {
  double loading_host;   /* of a node, while the model is loaded */
  double loading;        /* of a GPU, then: its part, and the largest piece whole */
  double first_backward; /* of a GPU, before the optimizer has made its states */
  double evaluation;     /* of a GPU, forward alone, with the logits in 16 and 32 bits */
} SwMoments;

gboolean sw_moments (const SwProblem *problem, const SwEstimate *estimate, SwMoments *out);

G_END_DECLS
