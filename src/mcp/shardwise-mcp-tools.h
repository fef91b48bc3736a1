/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-mcp-arguments.h"

G_BEGIN_DECLS

/* A tool: its arguments, its result and the function that runs it. */
typedef struct {
  const char *name, *title, *description;
  const char *shape; /* of the result: see shardwise-mcp-tools.c */
  /* Returns: (transfer full): an object with at least that shape; NULL with an error. */
  JsonObject *(*run) (ShardwiseMcpCall *call, GError **error);
  ShardwiseMcpArgument arguments[SHARDWISE_MCP_MOST_ARGUMENTS + 1]; /* ends with one without a
                                                                       name */
  gboolean changes; /* proposes something to the user; all other tools only read */
} ShardwiseMcpTool;

const ShardwiseMcpTool *shardwise_mcp_tool_find (const char *name); /* (nullable) */
JsonNode *shardwise_mcp_tools_list (void);
JsonNode *
shardwise_mcp_tool_call (const ShardwiseMcpTool *tool, ShardwiseMcpCall *call, GError **error);

G_END_DECLS
