/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

GPtrArray *shardwise_ask_examples (ShardwiseScenario *scenario, ShardwiseAdvice *advice);

G_END_DECLS
