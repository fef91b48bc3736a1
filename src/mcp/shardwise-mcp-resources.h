/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-mcp-arguments.h"

G_BEGIN_DECLS

/* Resources that clients can read, and prompts that users can choose: the results of the methods of
 * these names. */
JsonNode *shardwise_mcp_resources_list (void);
JsonNode *shardwise_mcp_templates_list (void);
JsonNode *shardwise_mcp_resource_read (const char *uri, GCancellable *cancellable, GError **error);
JsonNode *shardwise_mcp_prompts_list (void);
JsonNode *shardwise_mcp_prompt_get (const char *name, JsonObject *arguments, GError **error);

/* A tool; see the table in shardwise-mcp-tools.c. Proposes changes to a running window of the
 * program over the session bus, and waits for the user. Starts nothing. */
JsonObject *shardwise_mcp_apply (ShardwiseMcpCall *call, GError **error);

G_END_DECLS
