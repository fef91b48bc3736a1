/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"
#include "sw-model.h"

G_BEGIN_DECLS

/* The dimensions of a model and the keys "model.…" that state them: one table, by which a scenario is
 * read, its defaults are told, and the model of a file is written down. */

/* the keys that the table has, one after the other */
#define SHARDWISE_MODEL_VALUES_FIRST SHARDWISE_KEY_MODEL_KIND
#define SHARDWISE_MODEL_VALUES_LAST SHARDWISE_KEY_MODEL_MLA_V_HEAD_DIM

GVariant *shardwise_model_values_get (const SwModelSpec *model, ShardwiseKeyId id);
void shardwise_model_values_read (ShardwiseScenario *scenario, SwModelSpec *model);

G_END_DECLS
