/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-capacity.h"

G_BEGIN_DECLS

/* What a model needs to be tuned one way: the fewest of each GPU, the cheapest hour first, those
 * without a price after them. */
/* (nullable): it fits on none */
GtkWidget *shardwise_needs_list_new (const ShardwiseCapacity *capacity, ShardwiseTuning tuning);
char *shardwise_needs_list_summary (const ShardwiseCapacity *capacity, ShardwiseTuning tuning);

G_END_DECLS
