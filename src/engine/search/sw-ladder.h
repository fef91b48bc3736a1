/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* What to change, step by step, if a strategy needs more memory than predicted. */
typedef struct {
  SwDimension
      dimension; /* dimension to change; SW_N_DIMENSIONS: the sequence length, at the same tokens
                    per batch */
  guint value;   /* its new value */
  SwEstimate estimate; /* after this step and all before it */
  double freed_bytes;  /* reduction of the peak compared with the first strategy */
  double change;       /* relative change of the time per token compared with the first: +0.08 =
                          8 % slower */
} SwRung;

enum { SW_MOST_RUNGS = 3 };

guint sw_ladder (const SwProblem *problem, const SwEstimate *start, SwRung rungs[SW_MOST_RUNGS]);

G_END_DECLS
