/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

double soak_judge_growth (const double *steps, const double *values, guint n);
gboolean soak_judge_rises (const double *steps, const double *values, guint n);

G_END_DECLS
