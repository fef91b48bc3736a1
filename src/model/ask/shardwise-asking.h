/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-ask-question.h"

G_BEGIN_DECLS

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

/* What is told once in an answer. */
typedef enum {
  SHARDWISE_TOLD_SUM = 1 << 0,
  SHARDWISE_TOLD_PARTS = 1 << 1,
  SHARDWISE_TOLD_SHARDING = 1 << 2,
  SHARDWISE_TOLD_STAGES = 1 << 3,
  SHARDWISE_TOLD_MICRO_BATCHES = 1 << 4,
  SHARDWISE_TOLD_FLOOR = 1 << 5,
  SHARDWISE_TOLD_BUBBLE = 1 << 6,
} ShardwiseTold;

/* An answer while it is made. */
typedef struct {
  ShardwiseScenario *scenario;
  const ShardwiseQuestion *question;
  GCancellable *cancellable;
  ShardwiseAnswer *answer;
  GString *text;
  guint said;    /* of ShardwiseTold: what was told already */
  char *plain;   /* (nullable): of the plainest run, where it does not fit */
  GError *error; /* the first one: of the scenario, or that it was cancelled */
} ShardwiseAsking;

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

gboolean shardwise_asking_told (ShardwiseAsking *self, ShardwiseTold what);
void shardwise_asking_apart (ShardwiseAsking *self);
void shardwise_asking_take (ShardwiseAsking *self, char *sentence); /* (transfer full) */
void shardwise_asking_tell (ShardwiseAsking *self, const char *sentence);
void shardwise_asking_say (ShardwiseAsking *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
void
shardwise_asking_fact (ShardwiseAsking *self, const char *name, double value, const char *unit);
void shardwise_asking_facts (ShardwiseAsking *self, const char *prefix, ShardwiseAdvice *advice);
void shardwise_asking_verdict (ShardwiseAsking *self, ShardwiseAdvice *advice);
void shardwise_asking_against (ShardwiseAsking *self, const char *what, ShardwiseAdvice *then,
                               const char *than, ShardwiseAdvice *now);
void shardwise_asking_ways_out (ShardwiseAsking *self, ShardwiseAdvice *advice);
char *shardwise_asking_rate (const SwEstimate *estimate);
char *shardwise_asking_bytes (double bytes);

/* The run as it is stated, and the sums behind its yes or no. */
GVariant *shardwise_asking_own_changes (ShardwiseAsking *self, guint side);
ShardwiseAdvice *shardwise_asking_plain (ShardwiseAsking *self);
void shardwise_asking_say_plain (ShardwiseAsking *self);
ShardwiseAdvice *shardwise_asking_own (ShardwiseAsking *self);
ShardwiseAdvice *shardwise_asking_try (ShardwiseAsking *self, GVariant *changes);
void shardwise_asking_sum (ShardwiseAsking *self, ShardwiseAdvice *advice);
void shardwise_asking_parts (ShardwiseAsking *self, ShardwiseAdvice *advice);
void shardwise_asking_methods (ShardwiseAsking *self, gboolean least);
void shardwise_asking_sharding (ShardwiseAsking *self, ShardwiseAdvice *advice);
void shardwise_asking_stages (ShardwiseAsking *self, ShardwiseAdvice *advice);
gboolean
shardwise_asking_division (ShardwiseAsking *self, const SwProblem *problem, const SwStrategy *base);

/* What words mean and what explains an observation, with the figures here. */
typedef enum {
  SHARDWISE_ASK_OF_MEMORY = 1 << 0,
  SHARDWISE_ASK_OF_TIME = 1 << 1,
  SHARDWISE_ASK_OF_ALL = SHARDWISE_ASK_OF_MEMORY | SHARDWISE_ASK_OF_TIME
} ShardwiseAskScope;
guint shardwise_ask_topic_scope (const char *name);
void shardwise_asking_topics (ShardwiseAsking *self, ShardwiseAdvice *advice, guint scope);
void shardwise_asking_words (ShardwiseAsking *self);
void shardwise_asking_define (ShardwiseAsking *self);

/* What can be asked, where a question is not understood or after one that is. */
void shardwise_asking_unknown (ShardwiseAsking *self);
void shardwise_asking_suggest (ShardwiseAsking *self);

G_END_DECLS
