/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Errors in input. The message has the form "path.to.key: what is wrong; allowed: …". */
typedef enum {
  SHARDWISE_ERROR_SYNTAX, /* not JSON (with line and column), too large, too deep */
  SHARDWISE_ERROR_UNKNOWN_KEY,
  SHARDWISE_ERROR_TYPE,
  SHARDWISE_ERROR_RANGE,
  SHARDWISE_ERROR_CHOICE, /* not an allowed word, or an unknown catalog id */
  SHARDWISE_ERROR_MISSING,
  SHARDWISE_ERROR_INCONSISTENT, /* keys that contradict each other */
  SHARDWISE_ERROR_UNSUPPORTED,  /* an export that the framework would reject */
} ShardwiseError;

#define SHARDWISE_ERROR (shardwise_error_quark ())
GQuark shardwise_error_quark (void);

/* Returns: (nullable): the key path of the error ("cluster.gpus"); the window marks its row. */
const char *shardwise_error_path (const GError *error);
GError *shardwise_error_new (ShardwiseError code, const char *path, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

G_END_DECLS
