/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-ask-question.h"
#include "shardwise-figures.h"

G_BEGIN_DECLS

/* Confidence of a reply without an answer: below one half. */
#define SHARDWISE_ASK_UNSURE 0.49

/* A number of an answer, as in `ask --json`. */
typedef struct {
  char *name;
  double value;
  const char *unit;
} ShardwiseAskFact;

/* The answer to a question: a few sentences; all numbers come from the engine. */
typedef struct {
  char *text;             /* translated */
  GPtrArray *facts;       /* of ShardwiseAskFact */
  GVariant *changes;      /* (nullable): a{sv} for win.apply */
  char *change;           /* (nullable): the changes in words, translated: "64 GPUs" */
  const char *page;       /* (nullable): the page of the window that shows it */
  double confidence;      /* 0-1 */
  GPtrArray *suggestions; /* of char*: further questions, translated */
  GPtrArray *understood;  /* of ShardwiseAskPart */
} ShardwiseAnswer;

/* An answer while it is being written. */
typedef struct {
  ShardwiseScenario *scenario;
  const ShardwiseQuestion *question;
  GCancellable *cancellable;
  ShardwiseAnswer *answer;
  GString *text;
  GHashTable *told;     /* sentences to write only once that are already written */
  const char *prefix;   /* (nullable): of the names of facts */
  ShardwiseAdvice *now; /* (nullable): advice for the unchanged scenario, if needed */
  char *plain;          /* (nullable): the plainest run, if it does not fit */
  GError *error;        /* the first error: of the scenario, or a cancellation */
} ShardwiseAsking;

/* Changes are a{sv} of key path to value; returned ones are (transfer full). */
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

/* Text of the answer. */
void shardwise_asking_take (ShardwiseAsking *self, char *sentence); /* (transfer full) */
void shardwise_asking_tell (ShardwiseAsking *self, const char *sentence);
void shardwise_asking_say (ShardwiseAsking *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
void shardwise_asking_apart (ShardwiseAsking *self); /* starts a paragraph */
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

/* Explanations of terms and observations, with the figures of this job. */
void shardwise_asking_topics (ShardwiseAsking *self, ShardwiseAdvice *advice, guint scope);
void shardwise_asking_define (ShardwiseAsking *self);

/* Suggests questions if a question is not understood. */
void shardwise_asking_unknown (ShardwiseAsking *self);

G_END_DECLS
