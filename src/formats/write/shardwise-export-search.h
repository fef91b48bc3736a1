/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export.h"

G_BEGIN_DECLS

/* The best strategy that the format's framework can run, and its export: what `export` and the page
 * use when the scenario pins nothing. `estimate` (out): the strategy written. */
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
