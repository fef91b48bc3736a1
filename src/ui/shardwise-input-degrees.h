/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "sw-problem.h"

G_BEGIN_DECLS

/* What the dimensions of a strategy may be fixed to in a given question. */
gboolean shardwise_input_dimension (const char *path, SwDimension *dimension);
GListModel *shardwise_input_degrees (const SwProblem *problem, SwDimension dimension, const char *path);

G_END_DECLS
