/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export.h"

G_BEGIN_DECLS

/* Exports the best strategy that the format's framework can run; `export` and the window use it if
 * the scenario pins nothing. estimate: (out): of the exported strategy. Fails with
 * SHARDWISE_ERROR_UNSUPPORTED if the framework rejects every strategy. */
ShardwiseExport *
shardwise_export_best (ShardwiseFormat format, ShardwiseScenario *scenario,
                       GCancellable *cancellable, SwEstimate *estimate, GError **error);
/* The same, but drops pins that the framework's rules reject. */
ShardwiseExport *
shardwise_export_nearest (ShardwiseFormat format, ShardwiseScenario *scenario,
                          GCancellable *cancellable, SwEstimate *estimate, GError **error);
const ShardwiseFormatInfo *
shardwise_export_offered (const char *id, const char *version, const char *chosen_for,
                          ShardwiseAdvice *advice, const SwEstimate *selected);
char *shardwise_targets_of_choice (ShardwiseAdvice *advice, const ShardwiseFrameworkChoice *choice);
JsonNode *shardwise_export_advice_to_json (ShardwiseAdvice *advice);

G_END_DECLS
