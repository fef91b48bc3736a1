/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* Expander rows with rows of inputs in them: what is inside is told while it is folded. */
GPtrArray *shardwise_input_folds_find (GtkWidget *root); /* (transfer full) */
void shardwise_input_folds_update (GPtrArray *folds, ShardwiseScenario *scenario);

G_END_DECLS
