/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* The best strategy of each framework, side by side, as toggle buttons; the selected one is
 * pressed.
 *
 * Signal "chosen" (guint): the index of shardwise_advice_get_frameworks(). */
#define SHARDWISE_TYPE_FRAMEWORK_STRIP (shardwise_framework_strip_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseFrameworkStrip, shardwise_framework_strip, SHARDWISE,
                      FRAMEWORK_STRIP, ShardwiseContainer)

guint shardwise_framework_strip_set (ShardwiseFrameworkStrip *self, ShardwiseAdvice *advice,
                                     const SwEstimate *selected);

G_END_DECLS
