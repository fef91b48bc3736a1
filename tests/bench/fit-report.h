/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "fit-left-out.h"

double fit_quantile (GArray *values, double share);
void fit_report_families (const Fit *fit, const FitLeftOut *left_out, const char *of);
void fit_accuracy (const Fit *fit, const FitLeftOut *left_out, SwAccuracy out[2]);
void fit_report_rows (const Fit *fit, const FitLeftOut *left_out);
void fit_report_constants (const Fit *fit);
