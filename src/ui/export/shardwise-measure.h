/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-advice.h"

G_BEGIN_DECLS

/* Asks whether to copy or save the script that measures this cluster, or a layer of a strategy. */
void shardwise_measure_ask (GtkWindow *window, ShardwiseAdvice *advice, const SwStrategy *strategy);

G_END_DECLS
