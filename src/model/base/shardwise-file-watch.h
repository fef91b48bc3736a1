/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_FILE_SAME,    /* contents as last opened or saved, or a change that the user ignored */
  SHARDWISE_FILE_CHANGED, /* other contents */
  SHARDWISE_FILE_MOVED,   /* renamed: shardwise_file_watch_get_target() */
  SHARDWISE_FILE_GONE,
} ShardwiseFileState;

/* Watches a document's file for changes by other programs. Compares the scenario in the file, not
 * its time or formatting. */
#define SHARDWISE_TYPE_FILE_WATCH (shardwise_file_watch_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseFileWatch, shardwise_file_watch, SHARDWISE, FILE_WATCH, GObject)

/* Signal "changed" (watch): the state changed, or another program wrote the file again. */

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

/* Checks whether others changed the file; for a thread that is about to write it. */
typedef struct _ShardwiseFileCheck ShardwiseFileCheck;

ShardwiseFileCheck *shardwise_file_watch_check_new (ShardwiseFileWatch *self);
gboolean shardwise_file_check_is_changed (const ShardwiseFileCheck *self);
void shardwise_file_check_free (ShardwiseFileCheck *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseFileCheck, shardwise_file_check_free)

G_END_DECLS
