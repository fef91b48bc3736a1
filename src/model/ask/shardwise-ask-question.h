/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-key.h"
#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* What a question is after. The names are those of `ask --json`. */
typedef enum {
  SHARDWISE_INTENT_UNKNOWN,
  SHARDWISE_INTENT_WHY, /* why this, why not that */
  SHARDWISE_INTENT_WHAT_IF,
  SHARDWISE_INTENT_FITS,
  SHARDWISE_INTENT_GPUS,   /* how many are needed */
  SHARDWISE_INTENT_MEMORY, /* how much it takes */
  SHARDWISE_INTENT_TIME,   /* how long it trains */
  SHARDWISE_INTENT_COST,
  SHARDWISE_INTENT_THROUGHPUT, /* how fast */
  SHARDWISE_INTENT_LIMIT,      /* what holds it back */
  SHARDWISE_INTENT_OOM,
  SHARDWISE_INTENT_SLOW,
  SHARDWISE_INTENT_DEFINE, /* what is … */
  SHARDWISE_INTENT_COMPARE,
  SHARDWISE_INTENT_HOW_TO,  /* how to change or better something */
  SHARDWISE_INTENT_BEST,    /* which strategy */
  SHARDWISE_INTENT_FAULT,   /* what no model of performance can know */
  SHARDWISE_INTENT_ALLOWED, /* whether a framework or a division permits it */
  SHARDWISE_N_INTENTS
} ShardwiseIntent;
extern const char *const shardwise_intent_names[];

/* Something named in a question: a key of the scenario, or "nodes", "days", "budget",
 * "measured.mfu", "measured.tokens_per_s", "measured.tokens_per_s_per_gpu", "measured.step_s",
 * "measured.tflops_per_gpu". */
typedef struct {
  char *path;
  ShardwiseKeyId key; /* NONE: it is no key of the scenario */
  GVariant *value;    /* (nullable): in the key's own type */
  double factor;      /* of the present value, "twice"; 0: none */
  guint side;         /* 1 and on: what is held against the others, "rather than 8" */
  guint at;           /* its place among the atoms */
  gboolean given; /* what else changes is held against the job with it: "is fp8 worth it on H100" */
  gboolean unclear; /* a second value, and nothing says that two are compared */
  gboolean repeats; /* the scenario says so already, if more precisely: nothing changes */
} ShardwiseAskSlot;

/* What a question says that is no input, and why it was not used. */
typedef struct {
  char *words, *why;  /* why: translated */
  guint at;           /* its place among the atoms */
  gboolean is_figure; /* it carries a number that nothing explains: no answer may pass over it */
} ShardwiseAskLeftOut;

/* One visible part of what was understood: "fits?", "16 GPUs". */
typedef struct {
  const char *part; /* "intent", a key path, "topic"; not translated */
  char *value;      /* translated */
} ShardwiseAskPart;

/* A question that was read. */
typedef struct {
  char *text;
  ShardwiseIntent intent;
  double confidence; /* 0-1, that the intent is the one meant */
  GPtrArray *slots;  /* of ShardwiseAskSlot */
  GPtrArray *topics; /* of char*: what can be explained of it, what is named by most words first */
  GPtrArray *left_out; /* of ShardwiseAskLeftOut */
  char *goal;          /* (nullable): what should become better */
  char *unknown_gpu;   /* (nullable): a GPU that the catalogue has not */
  char *missed; /* (nullable): what stands in the way of an answer: words that were not read */
  gboolean german;
} ShardwiseQuestion;

ShardwiseQuestion *shardwise_question_parse (const char *text, ShardwiseScenario *scenario,
                                             const ShardwiseQuestion *before);
ShardwiseQuestion *shardwise_question_copy (const ShardwiseQuestion *self);
ShardwiseQuestion *shardwise_question_with (const ShardwiseQuestion *self, const char *part,
                                            const char *value, ShardwiseScenario *scenario);
void shardwise_question_free (ShardwiseQuestion *self);
const ShardwiseAskSlot *shardwise_question_slot (const ShardwiseQuestion *self, guint index);
const ShardwiseAskSlot *
shardwise_question_find (const ShardwiseQuestion *self, ShardwiseKeyId key, guint side);
double shardwise_question_number (const ShardwiseQuestion *self, const char *path);
gboolean shardwise_question_names (const ShardwiseQuestion *self, ShardwiseKeyId key, int side);
gboolean shardwise_question_has_topic (const ShardwiseQuestion *self, const char *topic);
gboolean shardwise_question_states (const ShardwiseQuestion *self, guint side, gboolean is_new);
GVariant *shardwise_question_changes (const ShardwiseQuestion *self, guint side);
JsonNode *shardwise_question_slots_to_json (const ShardwiseQuestion *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseQuestion, shardwise_question_free)

G_END_DECLS
