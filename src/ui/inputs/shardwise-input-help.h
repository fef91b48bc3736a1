/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-input-row.h"

G_BEGIN_DECLS

char *shardwise_input_help_text (ShardwiseInputRow *row);
void shardwise_input_help_attach (ShardwiseInputRow *row, GtkWidget *control);

G_END_DECLS
