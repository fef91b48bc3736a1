/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-advice.h"

G_BEGIN_DECLS

/* Asks how the script that measures this cluster, or a layer of a strategy, is to leave the window:
 * copied, or saved. */
void shardwise_measure_ask (GtkWindow *window, ShardwiseAdvice *advice, const SwStrategy *strategy);

G_END_DECLS
