/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-figures.h"

G_BEGIN_DECLS

/* What a term explains the observation of, beside what it means. */
typedef enum {
  SHARDWISE_TERM_OF_MEMORY = 1 << 0,
  SHARDWISE_TERM_OF_TIME = 1 << 1,
  SHARDWISE_TERM_OF_ALL = SHARDWISE_TERM_OF_MEMORY | SHARDWISE_TERM_OF_TIME
} ShardwiseTermScope;

typedef struct {
  char *id, *page;      /* of the window */
  guint scope;          /* of ShardwiseTermScope; 0: it is only a word */
  gboolean piped;       /* its figures are of a pipeline */
  char **then;          /* (nullable): names of paragraphs of Ask */
  GPtrArray *sentences; /* of char*, not translated: what it means, then its figures */
} ShardwiseTerm;

const ShardwiseTerm *shardwise_term_find (const char *id);
char *shardwise_terms_describe (void); /* "bubble, mfu, …" */
char *shardwise_term_text (const ShardwiseTerm *self, const ShardwiseFigures *figures);

G_END_DECLS
