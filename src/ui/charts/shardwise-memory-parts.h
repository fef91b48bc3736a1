/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-palette.h"
#include "sw-tensors.h"

G_BEGIN_DECLS

ShardwiseColor shardwise_memory_part_color (SwMemoryPart part);
const char *shardwise_memory_part_name (SwMemoryPart part); /* translated */

G_END_DECLS
