/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-job.h"
#include "shardwise-shell.h"

G_BEGIN_DECLS

/* (transfer full): a map of "--option" to its value: one word, or true for an option without a
 * value; has_underscores: whether its program accepts "--an_option" for "--an-option" */
ShardwiseNode *
shardwise_command_options (const ShardwiseShellCommand *command, gboolean has_underscores);
/* how many processes it starts; 0: not known */
guint shardwise_command_read_world (ShardwiseImportJob *job, const ShardwiseShell *shell,
                                    gboolean is_one_node);

G_END_DECLS
