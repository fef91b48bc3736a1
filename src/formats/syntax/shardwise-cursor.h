/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A place in a text that is read from its beginning; columns count characters, both from 1. */
typedef struct {
  const char *at, *end;
  guint line, column;
} ShardwiseCursor;

ShardwiseCursor shardwise_cursor_begin (const char *text, gsize length);
char shardwise_cursor_peek (const ShardwiseCursor *self, gsize offset);
gboolean shardwise_cursor_starts (const ShardwiseCursor *self, const char *text);
void shardwise_cursor_step (ShardwiseCursor *self, gsize n);

G_END_DECLS
