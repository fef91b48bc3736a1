/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_STATUS_EMPTY,
  SHARDWISE_STATUS_STALE,
  SHARDWISE_STATUS_READY,
  SHARDWISE_STATUS_ERROR
} ShardwiseStatus;
GType shardwise_status_get_type (void);
#define SHARDWISE_TYPE_STATUS (shardwise_status_get_type ())

/* Evaluates a copy of a scenario in a worker thread, after edits settle; a new run cancels the
 * previous one. The last advice remains until the next one is ready. If the reasons take long, the
 * figures arrive first ("advice" notifies, status STALE); READY means the advice has its
 * reasons. */
#define SHARDWISE_TYPE_ADVISOR (shardwise_advisor_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAdvisor, shardwise_advisor, SHARDWISE, ADVISOR, GObject)

/* Properties: "scenario" (ShardwiseScenario), "live" (boolean, TRUE), "method" (int),
 *   "advice" (ShardwiseAdvice, read-only, notifies), "status" (ShardwiseStatus, read-only),
 *   "running" (boolean, read-only: an answer is being computed),
 *   "error-message" (string, read-only), "error-path" (string, read-only)
 * Signal "selected-changed": the selected strategy or the advice has changed. */

ShardwiseAdvisor *shardwise_advisor_new (ShardwiseScenario *scenario);
/* Callable in any thread: not live; starts the first evaluation. */
ShardwiseAdvisor *shardwise_advisor_begin (ShardwiseScenario *scenario);
void shardwise_advisor_set_scenario (ShardwiseAdvisor *self, ShardwiseScenario *scenario);
ShardwiseScenario *shardwise_advisor_get_scenario (ShardwiseAdvisor *self);
/* (transfer none) (nullable) */
ShardwiseAdvice *shardwise_advisor_get_advice (ShardwiseAdvisor *self);
ShardwiseStatus shardwise_advisor_get_status (ShardwiseAdvisor *self);
const char *shardwise_advisor_get_error_message (ShardwiseAdvisor *self);
const char *shardwise_advisor_get_error_path (ShardwiseAdvisor *self);
/* The strategy that all pages show: the one selected under Alternatives, else the recommended one.
 * NULL: no advice. */
const SwEstimate *shardwise_advisor_get_selected (ShardwiseAdvisor *self);
/* estimate: (nullable): NULL selects the recommended strategy */
void shardwise_advisor_set_selected (ShardwiseAdvisor *self, const SwEstimate *estimate);
void shardwise_advisor_set_live (ShardwiseAdvisor *self, gboolean live);
gboolean shardwise_advisor_get_live (ShardwiseAdvisor *self);
gboolean shardwise_advisor_is_running (ShardwiseAdvisor *self);
void shardwise_advisor_evaluate (ShardwiseAdvisor *self); /* immediately */
void shardwise_advisor_stop (ShardwiseAdvisor *self);

void
shardwise_advisor_compute_async (ShardwiseScenario *scenario, const ShardwiseAdviceOptions *options,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer data);
ShardwiseAdvice *shardwise_advisor_compute_finish (GAsyncResult *result, GError **error);

G_END_DECLS
