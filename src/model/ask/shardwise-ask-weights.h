/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-question.h"

G_BEGIN_DECLS

void shardwise_ask_weigh (GArray *features, double shares[SHARDWISE_N_INTENTS]);

G_END_DECLS
