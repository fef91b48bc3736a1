/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-question.h"
#include "shardwise-ask-vocabulary.h"

G_BEGIN_DECLS

/* A question while it is read: which atoms are understood, and as what. */
typedef struct {
  const ShardwiseAskVocabulary *vocabulary;
  GArray *atoms; /* of ShardwiseAskAtom */
  guint8 *used;  /* of each atom: SHARDWISE_ASK_N_KINDS where it is free, else the kind */
  ShardwiseScenario *scenario; /* (nullable): what "twice" is twice of */
  ShardwiseQuestion *question;
} ShardwiseAskReader;

/* ---- shardwise-ask-match.c ---- */
guint
shardwise_ask_match (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, guint at);
const ShardwiseAskPhrase *shardwise_ask_match_any (const ShardwiseAskReader *self,
                                                   ShardwiseAskKind kind, guint at, guint *length);
gboolean shardwise_ask_is_free (const ShardwiseAskReader *self, guint at);
gboolean shardwise_ask_is_word (const ShardwiseAskReader *self, guint at, const char *word);
gboolean shardwise_ask_is_mark (const ShardwiseAskReader *self, guint at, const char *mark);
void shardwise_ask_use (ShardwiseAskReader *self, guint at, guint length, ShardwiseAskKind kind);
guint shardwise_ask_number (const ShardwiseAskReader *self, guint at, double *value,
                            double *grouped, double *scale);
guint shardwise_ask_number_before (const ShardwiseAskReader *self, guint at, double *value,
                                   double *grouped, double *scale);
gboolean shardwise_ask_read_nodes (ShardwiseAskReader *self, guint at);
ShardwiseAskSlot *
shardwise_ask_add_slot (ShardwiseAskReader *self, const char *path, GVariant *value, guint at);
ShardwiseAskSlot *shardwise_ask_add_number (ShardwiseAskReader *self, const char *path,
                                            double value, double grouped, guint at);

/* ---- shardwise-ask-names.c ---- */
void shardwise_ask_read_names (ShardwiseAskReader *self);

/* ---- shardwise-ask-slots.c ---- */
void shardwise_ask_read_keys (ShardwiseAskReader *self);
void shardwise_ask_take_numbers (ShardwiseAskReader *self, const char *path);

/* ---- shardwise-ask-sides.c ---- */
void shardwise_ask_settle_slots (ShardwiseAskReader *self, const char *path);

/* ---- shardwise-ask-features.c ---- */
GArray *shardwise_ask_features (const ShardwiseAskReader *self);

/* ---- shardwise-ask-intent.c ---- */
void shardwise_ask_read_intent (ShardwiseAskReader *self);
void shardwise_ask_read_topic (ShardwiseAskReader *self);

G_END_DECLS
