/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advisor.h"
#include "shardwise-input-row.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* The sidebar: everything that a scenario says, as rows. */
#define SHARDWISE_TYPE_INPUTS (shardwise_inputs_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseInputs, shardwise_inputs, SHARDWISE, INPUTS, ShardwiseContainer)

/* property "live" (boolean): else a button asks for the advice */

void shardwise_inputs_set_scenario (ShardwiseInputs *self, ShardwiseScenario *scenario);
void shardwise_inputs_prepare (ShardwiseInputs *self); /* what is about to be seen */
/* what the search chose */
void shardwise_inputs_set_advisor (ShardwiseInputs *self, ShardwiseAdvisor *advisor);
/* (nullable) both */
void shardwise_inputs_set_error (ShardwiseInputs *self, const char *path, const char *message);
void shardwise_inputs_flush (ShardwiseInputs *self); /* takes what was typed a moment ago */
void shardwise_inputs_show (ShardwiseInputs *self, ShardwiseKeyId id); /* unfolds and focuses it */
GVariant *shardwise_inputs_get_typed (ShardwiseInputs *self); /* (nullable) a{ss}; signal "typed"
                                                                 (inputs): there may be some */
void shardwise_inputs_set_typed (ShardwiseInputs *self, GVariant *typed);
/* (transfer none) (nullable) */
ShardwiseInputRow *shardwise_inputs_find_row (ShardwiseInputs *self, ShardwiseKeyId id);

G_END_DECLS
