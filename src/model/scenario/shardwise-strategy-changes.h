/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-strategy.h"

G_BEGIN_DECLS

#define SHARDWISE_ALL_DIMENSIONS ((1u << SW_N_DIMENSIONS) - 1)

GVariant *shardwise_dimension_to_variant (SwDimension dimension, guint value);
GVariant *shardwise_strategy_changes (const SwStrategy *strategy, guint dimensions);

G_END_DECLS
