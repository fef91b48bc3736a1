/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include <glib-object.h>

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_KEY_STRING,
  SHARDWISE_KEY_BOOLEAN,
  SHARDWISE_KEY_INTEGER,
  SHARDWISE_KEY_NUMBER,
  SHARDWISE_KEY_CHOICE,    /* one of `choices` */
  SHARDWISE_KEY_DATE,      /* YYYY-MM or YYYY-MM-DD */
  SHARDWISE_KEY_CURRENCY,  /* three letters */
  SHARDWISE_KEY_STRINGS,   /* array of `choices` */
  SHARDWISE_KEY_RECOMPUTE, /* none | selective | full | {"full_layers": N}; as a value:
                              "full_layers:N" */
  SHARDWISE_KEY_GPU,       /* catalogue id, or an object over a "base"; as a value: the id, or the
                        object's JSON text */
} ShardwiseKeyKind;

/* One key of the scenario file: the table that file, command line and window share. */
typedef struct {
  const char *path; /* "training.sequence_length" */
  ShardwiseKeyKind kind;
  double minimum, maximum;    /* inclusive; of INTEGER and NUMBER */
  const char *const *choices; /* NULL-terminated; of CHOICE and STRINGS */
  const char *title;          /* N_() marked, e.g. "Sequence length" */
  const char *unit;           /* N_() marked, e.g. "tokens"; NULL: none */
} ShardwiseKey;

const ShardwiseKey *shardwise_keys (guint *n_keys);
const ShardwiseKey *shardwise_key_find (const char *path);
/* in the key's own type: x, d, b, s, as */
GVariant *shardwise_key_normalise (const ShardwiseKey *key, GVariant *value, GError **error);
gboolean shardwise_key_check (const ShardwiseKey *key, GVariant *value, GError **error);
char *shardwise_key_describe_range (const ShardwiseKey *key); /* "1 to 131,072 GPUs", translated */

const char *shardwise_key_word_title (const char *path, const char *word); /* "adamw": "AdamW" */

/* What the window says of an input: the tooltip of its row, and the topic that F1 opens. */
const char *shardwise_key_get_help (const ShardwiseKey *key);
const char *shardwise_key_get_topic (const ShardwiseKey *key);
char *shardwise_key_describe_help (const ShardwiseKey *key, const char *usual);

G_END_DECLS
