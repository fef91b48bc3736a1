/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "fit-left-out.h"

gboolean fit_write (const Fit *fit, const FitLeftOut *halves, const FitLeftOut *left_out,
                    const char *path, GError **error);
guint fit_compare (const Fit *fit, double tolerance);
