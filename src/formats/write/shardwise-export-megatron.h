/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* What others take from the writers of Megatron-LM and of its recipes: Accelerate, which drives it,
 * and the reader of recipes. */
gboolean
shardwise_megatron_needs_one_connection (const SwProblem *problem, const SwStrategy *strategy);
const char *shardwise_recipe_model (const char *name); /* (nullable) */

G_END_DECLS
