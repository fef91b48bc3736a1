/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-mcp-arguments.h"

G_BEGIN_DECLS

/* What can be read beside the tools, and the prompts that a person chooses: results of the methods of
 * these names. */
JsonNode *shardwise_mcp_resources_list (void);
JsonNode *shardwise_mcp_templates_list (void);
JsonNode *shardwise_mcp_resource_read (const char *uri, GCancellable *cancellable, GError **error);
JsonNode *shardwise_mcp_prompts_list (void);
JsonNode *shardwise_mcp_prompt_get (const char *name, JsonObject *arguments, GError **error);

/* A tool, see the table of shardwise-mcp-tools.c: proposes changes to a window of the program that runs
 * beside this one, over the session's bus, and waits for the user. Nothing is started. */
JsonObject *shardwise_mcp_apply (ShardwiseMcpCall *call, GError **error);

G_END_DECLS
