/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-key.h"
#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* What a question asks for. `ask --json` uses the same names. */
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
  SHARDWISE_INTENT_HOW_TO,  /* how to change or improve something */
  SHARDWISE_INTENT_BEST,    /* which strategy */
  SHARDWISE_INTENT_FAULT,   /* faults that a performance model cannot know */
  SHARDWISE_INTENT_ALLOWED, /* whether a framework or divisibility permits it */
  SHARDWISE_N_INTENTS
} ShardwiseIntent;
extern const char *const shardwise_intent_names[];

/* Something named in a question: a key of the scenario, or "nodes", "days", "budget",
 * "measured.mfu", "measured.tokens_per_s", "measured.tokens_per_s_per_gpu", "measured.step_s",
 * "measured.tflops_per_gpu". */
typedef struct {
  char *path;
  ShardwiseKeyId key; /* NONE: not a key of the scenario */
  GVariant *value;    /* (nullable): in the key's own type */
  double factor;      /* multiplies the current value: "twice"; 0: none */
  guint side;         /* from 1: compared with the other sides, "rather than 8"; 0: of all */
  guint at;           /* its index among the atoms */
  gboolean
      given; /* other changes are compared with the job that has it: "is fp8 worth it on H100" */
  gboolean unclear; /* a second value without a word that compares the two */
  gboolean repeats; /* the scenario already has it, perhaps more precisely: nothing changes */
} ShardwiseAskSlot;

/* Words of a question that are no input, and why they were not used. */
typedef struct {
  char *words, *why;  /* why: translated */
  guint at;           /* its index among the atoms */
  gboolean is_figure; /* it has an unexplained number, which no answer may ignore */
} ShardwiseAskLeftOut;

/* One visible part of the interpretation: "fits?", "16 GPUs". */
typedef struct {
  const char *part; /* "intent", a key path, "topic"; not translated */
  char *value;      /* translated */
} ShardwiseAskPart;

/* A question after reading. */
typedef struct {
  char *text;
  ShardwiseIntent intent;
  double confidence;   /* 0-1, that the intent is right */
  GPtrArray *slots;    /* of ShardwiseAskSlot */
  GPtrArray *topics;   /* of char*: terms to explain, those with the most words first */
  GPtrArray *left_out; /* of ShardwiseAskLeftOut */
  char *goal;          /* (nullable): the quantity to improve */
  char *unknown_gpu;   /* (nullable): a GPU that is not in the catalog */
  char *missed;        /* (nullable): words that were not understood and prevent an answer */
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
