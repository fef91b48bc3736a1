/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A word, number or symbol of a text. Letters and digits separate even without a space, so that
 * "8xH100", "8 x H100" and "TP8" are read alike. */
typedef struct {
  char *text;     /* folded: lower case, "ä" as "ae"; numbers as written */
  double value;   /* of a number; else NAN */
  double grouped; /* value with points or commas as thousands separators ("4.096"); else NAN */
  gboolean is_number;
  gboolean glued;   /* nothing separates it from the previous atom */
  gboolean begins;  /* first of a sentence */
  gboolean asked;   /* its sentence ends with a question mark */
  gboolean capital; /* starts with a capital letter inside a sentence */
  gboolean named;   /* written as a name: "DoRA", "K3", "zero++" */
} ShardwiseAtom;

GArray *shardwise_atoms (const char *text); /* of ShardwiseAtom */
const ShardwiseAtom *shardwise_atom (GArray *atoms, guint index);
void shardwise_atom_replace (GArray *atoms, guint index, const char *text);
const char *shardwise_text_nearest (GHashTable *words, const char *word);
guint shardwise_text_distance (const char *a, const char *b, guint most);
gboolean shardwise_text_has_words (const char *text, const char *words);

G_END_DECLS
