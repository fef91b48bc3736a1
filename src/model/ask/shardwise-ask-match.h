/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-question.h"
#include "shardwise-ask-vocabulary.h"
#include "shardwise-atoms.h"

G_BEGIN_DECLS

/* A question while it is being read: which atoms are understood, and as what. */
typedef struct {
  const ShardwiseAskVocabulary *vocabulary;
  GArray *atoms;               /* of ShardwiseAtom */
  guint8 *used;                /* per atom: SHARDWISE_ASK_N_KINDS if it is free, else its kind */
  ShardwiseScenario *scenario; /* (nullable): "twice" refers to its values */
  ShardwiseQuestion *question;
} ShardwiseAskReader;

/* A number of a question. */
typedef struct {
  guint length; /* number of free atoms; 0: no number here */
  double value;
  double grouped; /* value if its points separate thousands, or NAN */
  double scale;   /* multiplier of both: 1000 for "8k"; else 1 */
} ShardwiseAskNumber;

/* The path of a key by its name in the table of keys. */
#define PATH(name) shardwise_key_path (SHARDWISE_KEY_##name)

guint
shardwise_ask_match (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, guint at);
void shardwise_ask_note (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, guint at,
                         guint8 *words);
const ShardwiseAskPhrase *shardwise_ask_match_any (const ShardwiseAskReader *self,
                                                   ShardwiseAskKind kind, guint at, guint *length);
gboolean shardwise_ask_is_free (const ShardwiseAskReader *self, guint at);
gboolean shardwise_ask_is_word (const ShardwiseAskReader *self, guint at, const char *word);
gboolean shardwise_ask_is_mark (const ShardwiseAskReader *self, guint at, const char *mark);
void shardwise_ask_use (ShardwiseAskReader *self, guint at, guint length, ShardwiseAskKind kind);
gboolean shardwise_ask_splits (const ShardwiseAskSlot *slot);
ShardwiseAskSlot *shardwise_ask_slot_new (const char *path, GVariant *value);
ShardwiseAskNumber shardwise_ask_number (const ShardwiseAskReader *self, guint at);
ShardwiseAskNumber shardwise_ask_number_before (const ShardwiseAskReader *self, guint at);
ShardwiseAskLeftOut *
shardwise_ask_leave_out (ShardwiseAskReader *self, guint at, guint length, const char *why);
ShardwiseAskSlot *
shardwise_ask_add_slot (ShardwiseAskReader *self, const char *path, GVariant *value, guint at);
ShardwiseAskSlot *shardwise_ask_add_number (ShardwiseAskReader *self, const char *path,
                                            double value, double grouped, guint at);

G_END_DECLS
