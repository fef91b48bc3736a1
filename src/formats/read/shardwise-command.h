/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-job.h"
#include "shardwise-shell.h"

G_BEGIN_DECLS

/* Returns: (transfer full): a map from "--option" to its value: one word, or true for an option
 * without a value. has_underscores: the program accepts "--an_option" for "--an-option". */
ShardwiseNode *
shardwise_command_options (const ShardwiseShellCommand *command, gboolean has_underscores);
/* Returns: how many processes the command starts; 0: unknown */
guint shardwise_command_read_world (ShardwiseImportJob *job, const ShardwiseShell *shell,
                                    gboolean is_one_node);

G_END_DECLS
