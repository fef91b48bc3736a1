/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "fit-left-out.h"
#include <json-glib/json-glib.h>

void fit_set_residuals (const Fit *fit, const FitLeftOut *left_out, JsonObject *root);
void fit_report_coverage (const Fit *fit, const FitLeftOut *left_out);
