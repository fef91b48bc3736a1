/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-mcp-arguments.h"

G_BEGIN_DECLS

/* A tool: what it takes, what it gives, and the function that does it. */
typedef struct {
  const char *name, *title, *description;
  const char *shape; /* of what it gives: see shardwise-mcp-tools.c */
  /* (transfer full): an object that has all of that, and perhaps more; NULL with an error */
  JsonObject *(*run) (ShardwiseMcpCall *call, GError **error);
  ShardwiseMcpArgument arguments[SHARDWISE_MCP_MOST_ARGUMENTS + 1]; /* ended by one without name */
  gboolean changes; /* proposes something to the user; all others only read */
} ShardwiseMcpTool;

const ShardwiseMcpTool *shardwise_mcp_tool_find (const char *name); /* (nullable) */
JsonNode *shardwise_mcp_tools_list (void);
JsonNode *
shardwise_mcp_tool_call (const ShardwiseMcpTool *tool, ShardwiseMcpCall *call, GError **error);

G_END_DECLS
