/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-job.h"

G_BEGIN_DECLS

/* All of these look at the options as job->root: a map of "--option" to its value, of one word
 * where it has one, a list where it has several, true where it has none. A launch script holds
 * them, and a recipe of Megatron-Bridge says the same by other names, for which it sets job->spell.
 * Options that Megatron-LM does not have are left to those who read the script. */

/* whether the command line has the option */
gboolean shardwise_megatron_has (ShardwiseImportJob *job, const char *option);
/* the model; where a checkpoint holds its arguments nothing is put, and the scenario at hand names
 * it */
void shardwise_megatron_read_model (ShardwiseImportJob *job);
/* how it is split, and one step of it; world: processes in all, 0: not known */
void shardwise_megatron_read_strategy (ShardwiseImportJob *job, guint world);

G_END_DECLS
