/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A word, a number or a sign of a text. Letters and digits part even without a space between,
 * so that "8xH100", "8 x H100" and "TP8" read alike. */
typedef struct {
  char *text;     /* folded: lower case, "ä" as "ae"; of a number as it was written */
  double value;   /* of a number; NAN: none */
  double grouped; /* the same where points or commas part thousands ("4.096"); else NAN */
  gboolean is_number;
  gboolean glued;  /* nothing stands between it and the atom before */
  gboolean begins; /* a sentence */
  gboolean asked;  /* it is of a sentence that ends with a question mark */
} ShardwiseAtom;

GArray *shardwise_atoms (const char *text); /* of ShardwiseAtom */
const ShardwiseAtom *shardwise_atom (GArray *atoms, guint index);
void shardwise_atom_replace (GArray *atoms, guint index, const char *text);
guint shardwise_text_distance (const char *a, const char *b, guint most);
gboolean shardwise_text_has_words (const char *text, const char *words);

G_END_DECLS
