/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-export.h"

G_BEGIN_DECLS

/* How the files that were written are started, as a command to copy: the subtitle is the command,
 * whose lines end between its words, not behind a hyphen, and what is copied has it as it is. */
#define SHARDWISE_TYPE_START_ROW (shardwise_start_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseStartRow, shardwise_start_row, SHARDWISE, START_ROW, AdwActionRow)

void shardwise_start_row_show (ShardwiseStartRow *self, const ShardwiseExport *files);

G_END_DECLS
