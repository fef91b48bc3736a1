/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-job.h"

G_BEGIN_DECLS

/* Hugging Face's names of models and their parts. */
const char *shardwise_names_layer_class (const SwModelSpec *model);
const char *shardwise_names_hub (const SwModelSpec *model);
const char *shardwise_names_of_hub (const char *name);
/* (nullable) */
const SwModelSpec *shardwise_names_sibling (const SwModelSpec *model, double parameters,
                                            gboolean (*knows) (const SwModelSpec *model));
gboolean shardwise_names_projections_apart (const SwModelSpec *model);
const char *shardwise_names_accelerator (const char *gpu);
const char *shardwise_names_gpu (const char *accelerator);
char *shardwise_names_list_adapted (const SwProblem *problem, const char *separator);
void shardwise_names_append_adapted (const SwProblem *problem, GString *text);

G_END_DECLS
