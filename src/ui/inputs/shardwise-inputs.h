/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advisor.h"
#include "shardwise-input-row.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* The sidebar: the whole scenario as rows. */
#define SHARDWISE_TYPE_INPUTS (shardwise_inputs_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseInputs, shardwise_inputs, SHARDWISE, INPUTS, ShardwiseContainer)

/* Property "live" (boolean): FALSE: a button requests the advice */

void shardwise_inputs_set_scenario (ShardwiseInputs *self, ShardwiseScenario *scenario);
void shardwise_inputs_prepare (ShardwiseInputs *self); /* builds the rows that are about to
                                                          become visible */
/* shows the search's choices */
void shardwise_inputs_set_advisor (ShardwiseInputs *self, ShardwiseAdvisor *advisor);
/* path, message: (nullable) */
void shardwise_inputs_set_error (ShardwiseInputs *self, const char *path, const char *message);
void shardwise_inputs_flush (ShardwiseInputs *self); /* applies text typed just before */
void shardwise_inputs_show (ShardwiseInputs *self, ShardwiseKeyId id); /* expands its group and
                                                                          focuses it */
GVariant *shardwise_inputs_get_typed (ShardwiseInputs *self); /* (nullable) a{ss}; signal "typed"
                                                                 (inputs): there may be some */
void shardwise_inputs_set_typed (ShardwiseInputs *self, GVariant *typed);
/* (transfer none) (nullable) */
ShardwiseInputRow *shardwise_inputs_find_row (ShardwiseInputs *self, ShardwiseKeyId id);

G_END_DECLS
