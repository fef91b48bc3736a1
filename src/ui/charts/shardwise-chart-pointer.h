/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"

G_BEGIN_DECLS

void shardwise_chart_pointer_add (ShardwiseChart *self);

G_END_DECLS
