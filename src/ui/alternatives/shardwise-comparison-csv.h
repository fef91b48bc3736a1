/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-comparison.h"

G_BEGIN_DECLS

char *shardwise_comparison_to_csv (ShardwiseComparison *comparison);

G_END_DECLS
