/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "sw-sensitivity.h"

G_BEGIN_DECLS

GPtrArray *
shardwise_sensitivity_compute (const SwProblem *problem, const SwEstimate *estimate, double factor,
                               void (*progress) (double fraction, gpointer data),
                               gpointer progress_data, GCancellable *cancellable, GError **error);

G_END_DECLS
