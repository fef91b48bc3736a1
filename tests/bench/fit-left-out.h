/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "fit-objective.h"

/* What the fit says of each source that it has not seen. */
typedef struct {
  guint n_samples;
  double *error[FIT_N_SECTIONS]; /* by sample: ln (predicted / measured) of the fit that has not
                                    seen its family; 0 where nothing was measured */
} FitLeftOut;

/* What a fit is not shown: each source in turn, or one half of them and then the other. */
typedef enum { FIT_LEAVE_EACH, FIT_LEAVE_HALF } FitLeave;

FitLeftOut *fit_left_out_new (GPtrArray *runs, const Fit *fit, FitLeave leave, const char *probes);
void fit_left_out_free (FitLeftOut *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FitLeftOut, fit_left_out_free)
