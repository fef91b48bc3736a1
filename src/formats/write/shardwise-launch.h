/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-private.h"

G_BEGIN_DECLS

/* Command lines, as values and as shell. Only values computed here enter them, never a string of
 * the user. */
void shardwise_launch_init (ShardwiseLaunch *self, const char *script);
void shardwise_launch_clear (ShardwiseLaunch *self);
/* (transfer none) */
GPtrArray *shardwise_launch_add_group (ShardwiseLaunch *self, const char *name);
void shardwise_launch_set (ShardwiseLaunch *self, const char *variable, const char *value);
void shardwise_args_flag (GPtrArray *args, const char *option);
void shardwise_args_word (GPtrArray *args, const char *option, const char *value);
void shardwise_args_int (GPtrArray *args, const char *option, guint value);
void shardwise_launch_append_arrays (const ShardwiseLaunch *self, GString *text);
void shardwise_launch_append_environment (const ShardwiseLaunch *self, GString *text);
void
shardwise_launch_append_command (const ShardwiseLaunch *self, const ShardwiseExportJob *job,
                                 const char *prefix, const char *const *options, GString *text);
void shardwise_launch_append_script (const ShardwiseLaunch *self, const ShardwiseExportJob *job,
                                     GString *text);
char *shardwise_launch_line (const ShardwiseExportJob *job);
char *shardwise_launcher_text (const ShardwiseFormatInfo *launcher, ShardwiseExportJob *job);
void shardwise_launcher_add_notes (const ShardwiseFormatInfo *launcher, ShardwiseExportJob *job);
void shardwise_launch_of (const ShardwiseExportJob *job, ShardwiseLaunch *launch);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ShardwiseLaunch, shardwise_launch_clear)

G_END_DECLS
