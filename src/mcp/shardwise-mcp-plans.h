/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-mcp-arguments.h"

G_BEGIN_DECLS

/* Tools about other sizes, time and money; see the table of shardwise-mcp-tools.c. */
JsonObject *shardwise_mcp_fits (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_scale (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_cost (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_deadline (ShardwiseMcpCall *call, GError **error);

extern const char *const shardwise_mcp_fits_words[]; /* what may be asked to fit */

G_END_DECLS
