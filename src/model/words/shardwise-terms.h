/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-figures.h"

G_BEGIN_DECLS

/* The observations that a term can explain. */
typedef enum {
  SHARDWISE_TERM_OF_MEMORY = 1 << 0,
  SHARDWISE_TERM_OF_TIME = 1 << 1,
  SHARDWISE_TERM_OF_ALL = SHARDWISE_TERM_OF_MEMORY | SHARDWISE_TERM_OF_TIME
} ShardwiseTermScope;

typedef struct {
  char *id, *page;      /* page: of the window */
  guint scope;          /* of ShardwiseTermScope; 0: only a definition */
  gboolean piped;       /* its figures need a pipeline */
  char **then;          /* (nullable): ids of Ask's paragraphs that follow */
  GPtrArray *sentences; /* of char*, not translated: the definition, then its figures */
} ShardwiseTerm;

const ShardwiseTerm *shardwise_term_find (const char *id);
char *shardwise_terms_describe (void); /* "bubble, mfu, …" */
char *shardwise_term_text (const ShardwiseTerm *self, const ShardwiseFigures *figures);

G_END_DECLS
