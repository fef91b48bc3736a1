/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What a phrase of the tables says. */
typedef enum {
  SHARDWISE_ASK_KEY,    /* target: path of a key whose value follows, or stands before */
  SHARDWISE_ASK_UNIT,   /* likewise, whose value stands before */
  SHARDWISE_ASK_VALUE,  /* target: path, value: of it */
  SHARDWISE_ASK_GPU,    /* value: id of the catalogue */
  SHARDWISE_ASK_MODEL,  /* value: id of the catalogue */
  SHARDWISE_ASK_TERM,   /* target: what can be explained */
  SHARDWISE_ASK_GOAL,   /* target: what should become better */
  SHARDWISE_ASK_NUMBER, /* number: what the word means */
  SHARDWISE_ASK_SCALE,  /* number: what the number before is multiplied by */
  SHARDWISE_ASK_FACTOR, /* number: what the present value is multiplied by */
  SHARDWISE_ASK_MARK,   /* target: "instead", "versus", "or", "follow", … */
  SHARDWISE_ASK_UNKNOWN_GPU,
  SHARDWISE_ASK_TOPIC,   /* target: kind of fault */
  SHARDWISE_ASK_SEEN,    /* target: what a number with this unit is, that no input is */
  SHARDWISE_ASK_CONCEPT, /* target: what words of one meaning have in common; number: 1 of one that
                            asks, which counts in the sentence that asks alone */
  SHARDWISE_ASK_TOLD,    /* target: an intent, value: the concepts that its answers use */
  SHARDWISE_ASK_RULE,    /* target: concepts, value: an intent, number: how sure it is */
  SHARDWISE_ASK_N_KINDS
} ShardwiseAskKind;

typedef struct {
  ShardwiseAskKind kind;
  char *target, *value;
  double number;
  GPtrArray
      *words; /* of char*: folded atoms; "*": up to nine others; "a|b": one of them; "a~": what
                     begins so */
} ShardwiseAskPhrase;

/* The words of all languages, and the names of the catalogue. Immutable, shared between threads. */
typedef struct _ShardwiseAskVocabulary ShardwiseAskVocabulary;

const ShardwiseAskVocabulary *shardwise_ask_vocabulary_get (void);
GPtrArray *
shardwise_ask_vocabulary_phrases (const ShardwiseAskVocabulary *self, ShardwiseAskKind kind);
gboolean shardwise_ask_vocabulary_is_filler (const ShardwiseAskVocabulary *self, const char *word);
const char *shardwise_ask_vocabulary_spell (const ShardwiseAskVocabulary *self, const char *word);
int shardwise_ask_vocabulary_german (const ShardwiseAskVocabulary *self, const char *word);

G_END_DECLS
