/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cursor.h"

#include <string.h>

/**
 * shardwise_cursor_begin:
 * @text: what is read; outlives the cursor
 * @length: its bytes
 *
 * Returns: its first line and column
 */
ShardwiseCursor
shardwise_cursor_begin (const char *text, gsize length)
{
  return (ShardwiseCursor){ text, text + length, 1, 1 };
}

/**
 * shardwise_cursor_peek:
 * @self: a place
 * @offset: bytes ahead
 *
 * Returns: that byte; NUL behind the end
 */
char
shardwise_cursor_peek (const ShardwiseCursor *self, gsize offset)
{
  return (gsize) (self->end - self->at) > offset ? self->at[offset] : '\0';
}

/**
 * shardwise_cursor_starts:
 * @self: a place
 * @text: what may stand there
 *
 * Returns: whether it does
 */
gboolean
shardwise_cursor_starts (const ShardwiseCursor *self, const char *text)
{
  gsize length = strlen (text);

  return (gsize) (self->end - self->at) >= length && memcmp (self->at, text, length) == 0;
}

/**
 * shardwise_cursor_step:
 * @self: a place
 * @n: bytes to go on, as far as there are any
 */
void
shardwise_cursor_step (ShardwiseCursor *self, gsize n)
{
  for (; n > 0 && self->at < self->end; n--, self->at++)
    if (*self->at == '\n')
      {
        self->line++;
        self->column = 1;
      }
    else if (((guchar) *self->at & 0xc0) != 0x80)
      self->column++;
}
