/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "sw-sensitivity.h"

G_BEGIN_DECLS

void shardwise_sensitivity_async (const SwProblem *problem, const SwEstimate *estimate,
                                  double factor, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer data);
GArray *shardwise_sensitivity_finish (GAsyncResult *result, GError **error);

G_END_DECLS
