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

/* Evaluates a scenario on a worker thread: with a copy of the inputs, a debounce after edits, and
 * the previous run cancelled. The last advice stays until the next one is there. Where reasons take
 * long, the figures come first ("advice" notifies, the status is STALE); READY is the advice with
 * its reasons. */
#define SHARDWISE_TYPE_ADVISOR (shardwise_advisor_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAdvisor, shardwise_advisor, SHARDWISE, ADVISOR, GObject)

/* properties: "scenario" (ShardwiseScenario), "live" (boolean, TRUE), "method" (int),
 *   "advice" (ShardwiseAdvice, read-only, notifies), "status" (ShardwiseStatus, read-only),
 *   "running" (boolean, read-only: an answer is on its way),
 *   "error-message" (string, read-only), "error-path" (string, read-only)
 * signal "selected-changed": another strategy is looked at (or the advice changed) */

ShardwiseAdvisor *shardwise_advisor_new (ShardwiseScenario *scenario);
/* on any thread: not live, the first answer on its way */
ShardwiseAdvisor *shardwise_advisor_begin (ShardwiseScenario *scenario);
void shardwise_advisor_set_scenario (ShardwiseAdvisor *self, ShardwiseScenario *scenario);
ShardwiseScenario *shardwise_advisor_get_scenario (ShardwiseAdvisor *self);
/* (transfer none) (nullable) */
ShardwiseAdvice *shardwise_advisor_get_advice (ShardwiseAdvisor *self);
ShardwiseStatus shardwise_advisor_get_status (ShardwiseAdvisor *self);
const char *shardwise_advisor_get_error_message (ShardwiseAdvisor *self);
const char *shardwise_advisor_get_error_path (ShardwiseAdvisor *self);
/* The strategy that every page shows: the one selected in Alternatives, else the recommended one.
 * NULL: no advice. */
const SwEstimate *shardwise_advisor_get_selected (ShardwiseAdvisor *self);
/* (nullable): the recommended one */
void shardwise_advisor_set_selected (ShardwiseAdvisor *self, const SwEstimate *estimate);
void shardwise_advisor_set_live (ShardwiseAdvisor *self, gboolean live);
gboolean shardwise_advisor_get_live (ShardwiseAdvisor *self);
gboolean shardwise_advisor_is_running (ShardwiseAdvisor *self);
void shardwise_advisor_evaluate (ShardwiseAdvisor *self); /* now */
void shardwise_advisor_stop (ShardwiseAdvisor *self);

void
shardwise_advisor_compute_async (ShardwiseScenario *scenario, const ShardwiseAdviceOptions *options,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer data);
ShardwiseAdvice *shardwise_advisor_compute_finish (GAsyncResult *result, GError **error);

G_END_DECLS
