/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-job.h"

G_BEGIN_DECLS

/* Values that a script measured. An invalid value sets the error of the job, and a harmless value
 * is returned. */
const ShardwiseNode *shardwise_probe_member (ShardwiseImportJob *job, const ShardwiseNode *map,
                                             const char *key, ShardwiseNodeType type);
const char *
shardwise_probe_text (ShardwiseImportJob *job, const ShardwiseNode *map, const char *key);
double shardwise_probe_number (ShardwiseImportJob *job, const ShardwiseNode *map, const char *key,
                               double low, double high);
gboolean shardwise_probe_check_keys (ShardwiseImportJob *job, const ShardwiseNode *map,
                                     const char *const *known, const char *refusal);

G_END_DECLS
