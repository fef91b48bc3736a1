/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-ask-question.h"
#include "shardwise-figures.h"

G_BEGIN_DECLS

/* Confidence of an answer that is none: below one half. */
#define SHARDWISE_ASK_UNSURE 0.49

/* A number of an answer, as `ask --json` gives it. */
typedef struct {
  char *name;
  double value;
  const char *unit;
} ShardwiseAskFact;

/* What is said to a question: a few sentences, all numbers from the engine. */
typedef struct {
  char *text;             /* translated */
  GPtrArray *facts;       /* of ShardwiseAskFact */
  GVariant *changes;      /* (nullable): a{sv} for win.apply */
  char *change;           /* (nullable): what they do, translated: "64 GPUs" */
  const char *page;       /* (nullable): of the window, that shows it */
  double confidence;      /* 0-1 */
  GPtrArray *suggestions; /* of char*: further questions, translated */
  GPtrArray *understood;  /* of ShardwiseAskPart */
} ShardwiseAnswer;

/* An answer while it is made. */
typedef struct {
  ShardwiseScenario *scenario;
  const ShardwiseQuestion *question;
  GCancellable *cancellable;
  ShardwiseAnswer *answer;
  GString *text;
  GHashTable *told;     /* sentences that are told once, and were */
  const char *prefix;   /* (nullable): of the facts that are told */
  ShardwiseAdvice *now; /* (nullable): of the scenario as it is, where that was needed */
  char *plain;          /* (nullable): of the plainest run, where it does not fit */
  GError *error;        /* the first one: of the scenario, or that it was cancelled */
} ShardwiseAsking;

/* Changes: a{sv} of key path to value, (transfer full) where they are returned. */
GVariant *shardwise_asking_named (ShardwiseAsking *self, guint side);
GVariant *shardwise_asking_changes (ShardwiseAsking *self, guint side);
GVariant *shardwise_asking_own_changes (ShardwiseAsking *self, guint side);
GVariant *shardwise_asking_settle (GVariant *changes, ShardwiseScenario *scenario);
GVariant *shardwise_asking_join (GVariant *base, GVariant *more);
GVariant *shardwise_asking_with (GVariant *changes, ShardwiseKeyId key, const char *format, ...);
gboolean shardwise_asking_has (GVariant *changes, ShardwiseKeyId key);
char *shardwise_asking_describe (GVariant *changes);
void shardwise_asking_offer (ShardwiseAsking *self, GVariant *changes);

/* The scenario and its advice with changes; (nullable). */
ShardwiseScenario *shardwise_asking_changed (ShardwiseAsking *self, GVariant *changes);
ShardwiseAdvice *
shardwise_asking_evaluate (ShardwiseAsking *self, GVariant *changes, gboolean explain);
ShardwiseAdvice *shardwise_asking_try (ShardwiseAsking *self, GVariant *changes);
ShardwiseAdvice *shardwise_asking_plain (ShardwiseAsking *self);
ShardwiseAdvice *shardwise_asking_own (ShardwiseAsking *self);
void shardwise_asking_fail (ShardwiseAsking *self, GError *error); /* (transfer full) */

/* What is said. */
void shardwise_asking_take (ShardwiseAsking *self, char *sentence); /* (transfer full) */
void shardwise_asking_tell (ShardwiseAsking *self, const char *sentence);
void shardwise_asking_say (ShardwiseAsking *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
void shardwise_asking_apart (ShardwiseAsking *self); /* begins a paragraph */
gboolean shardwise_asking_is_told (ShardwiseAsking *self, const char *what);
void shardwise_asking_say_list (ShardwiseAsking *self, const char *format, GString *list);
void
shardwise_asking_fact (ShardwiseAsking *self, const char *name, double value, const char *unit);
void shardwise_asking_facts (ShardwiseAsking *self, const char *prefix, ShardwiseAdvice *advice);
void shardwise_asking_idle (ShardwiseAsking *self, const SwEstimate *estimate);
void shardwise_asking_verdict (ShardwiseAsking *self, ShardwiseAdvice *advice);

/* Sentences with figures of a strategy: see shardwise_figures_fill(). */
double shardwise_asking_figure (ShardwiseAsking *self, ShardwiseAdvice *advice, const char *name);
char *shardwise_asking_fill (ShardwiseAsking *self, ShardwiseAdvice *advice, const char *sentence);
void
shardwise_asking_tell_of (ShardwiseAsking *self, ShardwiseAdvice *advice, const char *sentence);
guint shardwise_asking_micro_batches (ShardwiseAsking *self, guint sizes[8]);

/* What words mean and what explains an observation, with the figures here. */
void shardwise_asking_topics (ShardwiseAsking *self, ShardwiseAdvice *advice, guint scope);
void shardwise_asking_define (ShardwiseAsking *self);

/* What can be asked, where a question is not understood or after one that is. */
void shardwise_asking_unknown (ShardwiseAsking *self);

G_END_DECLS
