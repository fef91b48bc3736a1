/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The nested branches of if and case that a script is in. */
typedef struct _ShardwiseShellBranches ShardwiseShellBranches;

ShardwiseShellBranches *shardwise_shell_branches_new (void);
void shardwise_shell_branches_free (ShardwiseShellBranches *self);
gboolean shardwise_shell_branches_skip (const ShardwiseShellBranches *self);
guint shardwise_shell_branches_depth (const ShardwiseShellBranches *self);
gboolean shardwise_shell_branches_keyword (ShardwiseShellBranches *self, const char *word);
gboolean shardwise_shell_branches_take (ShardwiseShellBranches *self, const char *const *words,
                                        guint n, char before, char end);
void shardwise_shell_branches_end_clause (ShardwiseShellBranches *self);
void
shardwise_shell_branches_set (ShardwiseShellBranches *self, const char *name, const char *value);
gboolean shardwise_shell_branches_is_undecided (const ShardwiseShellBranches *self);
GPtrArray *shardwise_shell_branches_leave (ShardwiseShellBranches *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseShellBranches, shardwise_shell_branches_free)

G_END_DECLS
