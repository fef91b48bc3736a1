/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advice.h"

G_BEGIN_DECLS

/* What stands in place of a list of strategies where none fits: the nearest ones with what each
 * lacks, and, unfolded, why the others fell away. Hidden where there is no search or something
 * fits. */
#define SHARDWISE_TYPE_REJECTED_VIEW (shardwise_rejected_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseRejectedView, shardwise_rejected_view, SHARDWISE, REJECTED_VIEW,
                      GtkWidget)

void shardwise_rejected_view_set_advice (ShardwiseRejectedView *self, ShardwiseAdvice *advice);

G_END_DECLS
