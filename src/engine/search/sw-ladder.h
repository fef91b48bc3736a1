/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* What to change where a strategy turns out to need more memory than predicted: one step after
 * another. */
typedef struct {
  SwDimension
      dimension; /* that changes; SW_N_DIMENSIONS: the sequence, in a batch of as many tokens */
  guint value;   /* of it then */
  SwEstimate estimate; /* with this and with all steps before it */
  double freed_bytes;  /* of the peak, against the first strategy */
  double change;       /* of the time per token, against the first: +0.08 = 8 % slower */
} SwRung;

enum { SW_MOST_RUNGS = 3 };

guint sw_ladder (const SwProblem *problem, const SwEstimate *start, SwRung rungs[SW_MOST_RUNGS]);

G_END_DECLS
