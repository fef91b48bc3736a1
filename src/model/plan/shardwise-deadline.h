/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-format.h"
#include "shardwise-sizing.h"

G_BEGIN_DECLS

/* The clusters that train the tokens by a date. A value with indices of points; -1: none. */
typedef struct {
  char start[12], deadline[12]; /* YYYY-MM-DD */
  double days;                  /* between the dates; below 0: the deadline has passed */
  int smallest, cheapest;       /* that meet the deadline; cheapest: -1 also if no price is known */
  int fastest;                  /* of all points */
} ShardwiseDeadlinePlan;

GArray *shardwise_deadline_sizes (guint gpus); /* of guint */
GPtrArray *shardwise_deadline_search (ShardwiseScenario *scenario, const GDate *start,
                                      void (*progress) (double fraction, gpointer data),
                                      gpointer progress_data,
                                      /* of ShardwiseSizingPoint */
                                      GCancellable *cancellable, GError **error);
gboolean shardwise_deadline_plan (ShardwiseScenario *scenario, const GDate *start,
                                  GPtrArray *points, ShardwiseDeadlinePlan *out);
char *shardwise_deadline_text (const ShardwiseDeadlinePlan *plan, GPtrArray *points,
                               const char *currency);
JsonNode *shardwise_deadline_to_json (const ShardwiseDeadlinePlan *plan, GPtrArray *points);

/* Clusters that fit, by days and cost. */
double shardwise_deadline_amount (const ShardwiseSizingPoint *point, gboolean has_cost);
gboolean shardwise_deadline_is_dominated (GPtrArray *points, const ShardwiseSizingPoint *point,
                                          gboolean has_cost);
char *shardwise_deadline_amount_text (const ShardwiseSizingPoint *point, const char *currency);
char *shardwise_deadline_extremes_text (GPtrArray *points, const char *currency); /* (nullable) */

G_END_DECLS
