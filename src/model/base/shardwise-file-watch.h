/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_FILE_SAME,    /* holds what was opened or saved last, or what the user let be */
  SHARDWISE_FILE_CHANGED, /* holds something else */
  SHARDWISE_FILE_MOVED,   /* has another name now: shardwise_file_watch_get_target() */
  SHARDWISE_FILE_GONE,
} ShardwiseFileState;

/* Looks after the file of a document, which others may change. What counts is the scenario that the
 * file holds, not when or how it was written. */
#define SHARDWISE_TYPE_FILE_WATCH (shardwise_file_watch_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseFileWatch, shardwise_file_watch, SHARDWISE, FILE_WATCH, GObject)

/* signal "changed" (watch): the state did, or others wrote it again */

ShardwiseFileWatch *shardwise_file_watch_new (GFile *file, const char *known);
gboolean shardwise_file_watch_is_of (ShardwiseFileWatch *self, GFile *file);
GFile *shardwise_file_watch_get_target (ShardwiseFileWatch *self); /* (nullable) */
ShardwiseFileState shardwise_file_watch_get_state (ShardwiseFileWatch *self);
void shardwise_file_watch_set_known (ShardwiseFileWatch *self, const char *known);
void shardwise_file_watch_let_be (ShardwiseFileWatch *self);
void shardwise_file_watch_look (ShardwiseFileWatch *self);
void shardwise_file_watch_set_coming (ShardwiseFileWatch *self, const char *text); /* (nullable) */
GFile *shardwise_file_watch_get_resolved (ShardwiseFileWatch *self);

GFile *shardwise_file_resolve (GFile *file);

/* Whether others changed the file, for a thread that is about to write it. */
typedef struct _ShardwiseFileCheck ShardwiseFileCheck;

ShardwiseFileCheck *shardwise_file_watch_check_new (ShardwiseFileWatch *self);
gboolean shardwise_file_check_is_changed (const ShardwiseFileCheck *self);
void shardwise_file_check_free (ShardwiseFileCheck *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseFileCheck, shardwise_file_check_free)

G_END_DECLS
