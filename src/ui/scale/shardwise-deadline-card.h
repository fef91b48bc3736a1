/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* The smallest and the cheapest cluster that meet a deadline, found in worker threads: a chart of
 * cost against time, and two buttons that apply them to the scenario with win.apply. Tokens and
 * deadline are inputs of the scenario; without tokens there is no search. */
#define SHARDWISE_TYPE_DEADLINE_CARD (shardwise_deadline_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseDeadlineCard, shardwise_deadline_card, SHARDWISE, DEADLINE_CARD,
                      AdwBin)

void shardwise_deadline_card_show (ShardwiseDeadlineCard *self, ShardwiseScenario *scenario,
                                   ShardwiseAdvice *advice);

G_END_DECLS
