/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "fit-objective.h"

void fit_apply_probes (Fit *fit, const char *folder);
