/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-ask-answer.h"

G_BEGIN_DECLS

/* An answer while it is made. */
typedef struct {
  ShardwiseScenario *scenario;
  const ShardwiseQuestion *question;
  GCancellable *cancellable;
  ShardwiseAnswer *answer;
  GString *text;
  GError *error; /* the first one: of the scenario, or that it was cancelled */
} ShardwiseAsking;

/* ---- shardwise-ask-changes.c ---- */
GVariant *shardwise_asking_named (ShardwiseAsking *self, guint side);
GVariant *shardwise_asking_changes (ShardwiseAsking *self, guint side);
GVariant *shardwise_asking_settle (GVariant *changes, ShardwiseScenario *scenario);
char *shardwise_asking_describe (GVariant *changes);
ShardwiseAdvice *
shardwise_asking_evaluate (ShardwiseAsking *self, GVariant *changes, gboolean explain);
void shardwise_asking_fail (ShardwiseAsking *self, GError *error); /* (transfer full) */
GVariant *shardwise_asking_join (GVariant *base, GVariant *more);  /* (transfer full) */
ShardwiseScenario *shardwise_asking_changed (ShardwiseAsking *self, GVariant *changes);
void shardwise_asking_offer (ShardwiseAsking *self, GVariant *changes);

/* ---- shardwise-ask-figures.c ---- */
void shardwise_asking_say (ShardwiseAsking *self, char *sentence);
void
shardwise_asking_fact (ShardwiseAsking *self, const char *name, double value, const char *unit);
void shardwise_asking_facts (ShardwiseAsking *self, const char *prefix, ShardwiseAdvice *advice);
void shardwise_asking_verdict (ShardwiseAsking *self, ShardwiseAdvice *advice);
void shardwise_asking_against (ShardwiseAsking *self, const char *what, ShardwiseAdvice *then,
                               const char *than, ShardwiseAdvice *now);
void shardwise_asking_ways_out (ShardwiseAsking *self, ShardwiseAdvice *advice);
void shardwise_asking_states (ShardwiseAsking *self, ShardwiseAdvice *advice);
char *shardwise_asking_rate (const SwEstimate *estimate);

/* From here on a function answers the questions of one intent. */

/* ---- shardwise-ask-why.c ---- */
void shardwise_asking_why (ShardwiseAsking *self);
void shardwise_asking_what_if (ShardwiseAsking *self);
void shardwise_asking_compare (ShardwiseAsking *self);
void shardwise_asking_best (ShardwiseAsking *self);

/* ---- shardwise-ask-needs.c ---- */
void shardwise_asking_fits (ShardwiseAsking *self);
void shardwise_asking_gpus (ShardwiseAsking *self);
void shardwise_asking_memory (ShardwiseAsking *self);
void shardwise_asking_time (ShardwiseAsking *self);
void shardwise_asking_cost (ShardwiseAsking *self);
void shardwise_asking_throughput (ShardwiseAsking *self);

/* ---- shardwise-ask-trouble.c ---- */
void shardwise_asking_limit (ShardwiseAsking *self);
void shardwise_asking_oom (ShardwiseAsking *self);
void shardwise_asking_slow (ShardwiseAsking *self);
void shardwise_asking_fault (ShardwiseAsking *self);

/* ---- shardwise-ask-largest.c ---- */
gboolean shardwise_asking_largest (ShardwiseAsking *self);

/* ---- shardwise-ask-levers.c ---- */
void shardwise_asking_levers (ShardwiseAsking *self, const char *goal, GVariant *base);
void shardwise_asking_how_to (ShardwiseAsking *self);

/* ---- shardwise-ask-terms.c ---- */
void shardwise_asking_define (ShardwiseAsking *self);
gboolean shardwise_asking_define_slots (ShardwiseAsking *self);
void shardwise_asking_unknown (ShardwiseAsking *self);
void shardwise_asking_suggest (ShardwiseAsking *self);

G_END_DECLS
