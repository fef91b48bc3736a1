/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-job.h"

G_BEGIN_DECLS

/* These functions read the options in job->root: a map of "--option" to a word, a list of words, or
 * true for an option without a value. A launch script contains the options; a recipe of
 * Megatron-Bridge has the same settings under other names, for which it sets job->spell. The
 * callers report options that Megatron-LM does not have. */

/* Returns: whether the command line has the option */
gboolean shardwise_megatron_has (ShardwiseImportJob *job, const char *option);
/* Reads the model. If the arguments are in a checkpoint, the scenario's model is kept. */
void shardwise_megatron_read_model (ShardwiseImportJob *job);
/* Reads the strategy and the batch; world: number of processes, 0: unknown. */
void shardwise_megatron_read_strategy (ShardwiseImportJob *job, guint world);

G_END_DECLS
