/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-mcp-arguments.h"

G_BEGIN_DECLS

/* Tools that read and write files as text, and look up what the program knows. See the table in
 * shardwise-mcp-tools.c. */
JsonObject *shardwise_mcp_find (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_describe (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_import (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_diagnose (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_export (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_manual (ShardwiseMcpCall *call, GError **error);

/* Resources use these, too. */
extern const char *const shardwise_mcp_catalogues[]; /* "model", "gpu", "fabric" */
JsonArray *shardwise_mcp_catalogue (const char *kind, const char *words);

G_END_DECLS
