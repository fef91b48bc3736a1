/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Numbers as people type them, with the separators of any locale and suffixes as k and M; what can be
 * two numbers is not guessed. A number that is shown is read back to the same.
 *
 * `binary`: k, M, G are powers of 1024, as of sequence lengths. */
typedef enum {
  SHARDWISE_NUMBER_NONE,      /* no number */
  SHARDWISE_NUMBER_AMBIGUOUS, /* two of them: thousands, or a fraction */
  SHARDWISE_NUMBER_ONE,
} ShardwiseNumberKind;

ShardwiseNumberKind shardwise_input_number_read (const char *text, gboolean binary, double *value);
gboolean shardwise_input_number_parse (const char *text, gboolean binary, double *value);
char *shardwise_input_number_format (double value, gboolean integer);

G_END_DECLS
