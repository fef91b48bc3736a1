/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-mcp-arguments.h"

G_BEGIN_DECLS

/* Tools for other sizes, time and cost. See the table in shardwise-mcp-tools.c. */
JsonObject *shardwise_mcp_fits (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_scale (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_cost (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_deadline (ShardwiseMcpCall *call, GError **error);

extern const char *const shardwise_mcp_fits_words[]; /* values of the argument that selects what
                                                        should fit */

G_END_DECLS
