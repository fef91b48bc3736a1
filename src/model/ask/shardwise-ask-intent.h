/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-match.h"

G_BEGIN_DECLS

void shardwise_ask_read_intent (ShardwiseAskReader *self);

G_END_DECLS
