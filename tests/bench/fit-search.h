/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "fit-objective.h"

double fit_search (Fit *fit, FitKind kind);
void fit_run (Fit *fit);
