/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"
#include "sw-model.h"

G_BEGIN_DECLS

/* The dimensions of a model and their keys "model.…": one table, used to read a scenario, to show
 * its defaults and to write the model of a file. */

/* the range of keys in the table */
#define SHARDWISE_MODEL_VALUES_FIRST SHARDWISE_KEY_MODEL_KIND
#define SHARDWISE_MODEL_VALUES_LAST SHARDWISE_KEY_MODEL_MLA_V_HEAD_DIM

GVariant *shardwise_model_values_get (const SwModelSpec *model, ShardwiseKeyId id);
void shardwise_model_values_read (ShardwiseScenario *scenario, SwModelSpec *model);

G_END_DECLS
