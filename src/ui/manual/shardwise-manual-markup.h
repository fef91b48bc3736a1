/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-manual.h"

G_BEGIN_DECLS

char *shardwise_manual_markup (ShardwiseManual *manual, const ShardwiseManualNode *node);

G_END_DECLS
