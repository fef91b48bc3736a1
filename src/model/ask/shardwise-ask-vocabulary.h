/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What a phrase of the tables means. */
typedef enum {
  SHARDWISE_ASK_KEY,    /* target: path of a key whose value comes after or before */
  SHARDWISE_ASK_UNIT,   /* target: path of a key whose value comes before */
  SHARDWISE_ASK_VALUE,  /* target: path, value: its value */
  SHARDWISE_ASK_GPU,    /* value: id in the catalog */
  SHARDWISE_ASK_MODEL,  /* value: id in the catalog */
  SHARDWISE_ASK_TERM,   /* target: a term that can be explained */
  SHARDWISE_ASK_GOAL,   /* target: the quantity to improve */
  SHARDWISE_ASK_NUMBER, /* number: the value of the word */
  SHARDWISE_ASK_SCALE,  /* number: multiplies the number before it */
  SHARDWISE_ASK_FACTOR, /* number: multiplies the current value */
  SHARDWISE_ASK_MARK,   /* target: "instead", "versus", "or", "follow", … */
  SHARDWISE_ASK_UNKNOWN_GPU,
  SHARDWISE_ASK_TOPIC,   /* target: kind of fault */
  SHARDWISE_ASK_SEEN,    /* target: meaning of a number with this unit, which is no input */
  SHARDWISE_ASK_CONCEPT, /* target: the meaning that these words share; number: 1 for asking words,
                            which count only in the sentence that asks */
  SHARDWISE_ASK_TOLD,    /* target: an intent, value: the concepts that its answers use */
  SHARDWISE_ASK_RULE,    /* target: concepts, value: an intent, number: its confidence */
  SHARDWISE_ASK_N_KINDS
} ShardwiseAskKind;

typedef struct {
  ShardwiseAskKind kind;
  char *target, *value;
  double number;
  GPtrArray
      *words; /* of char*: folded atoms; "*": up to nine others; "a|b": either; "a~": words that
                     begin with a */
} ShardwiseAskPhrase;

/* The words of all languages and the names in the catalog. Immutable, shared between threads. */
typedef struct _ShardwiseAskVocabulary ShardwiseAskVocabulary;

const ShardwiseAskVocabulary *shardwise_ask_vocabulary_get (void);
GPtrArray *
shardwise_ask_vocabulary_phrases (const ShardwiseAskVocabulary *self, ShardwiseAskKind kind);
gboolean shardwise_ask_vocabulary_is_filler (const ShardwiseAskVocabulary *self, const char *word);
const char *shardwise_ask_vocabulary_spell (const ShardwiseAskVocabulary *self, const char *word);
int shardwise_ask_vocabulary_german (const ShardwiseAskVocabulary *self, const char *word);

G_END_DECLS
