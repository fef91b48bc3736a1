/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Numbers as people type them, with the separators of any locale and suffixes such as k and M.
 * Ambiguous numbers are not guessed. A displayed number parses to the same value. binary: k, M and
 * G are powers of 1024, as for sequence lengths. */
typedef enum {
  SHARDWISE_NUMBER_NONE,      /* no number */
  SHARDWISE_NUMBER_AMBIGUOUS, /* not a number */
  SHARDWISE_NUMBER_ONE,
} ShardwiseNumberKind;

ShardwiseNumberKind shardwise_input_number_read (const char *text, gboolean binary, double *value);
gboolean shardwise_input_number_parse (const char *text, gboolean binary, double *value);
char *shardwise_input_number_format (double value, gboolean integer);

G_END_DECLS
