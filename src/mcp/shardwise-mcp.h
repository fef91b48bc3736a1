/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A Model Context Protocol server for one client: JSON-RPC 2.0, one message per line. */
typedef struct _ShardwiseMcp ShardwiseMcp;

/* Receives a line without its end; called in the thread that created the server. */
typedef void (*ShardwiseMcpSend) (const char *line, gpointer data);

ShardwiseMcp *shardwise_mcp_new (ShardwiseMcpSend send, gpointer data, gboolean threads);
void shardwise_mcp_free (ShardwiseMcp *self);
void shardwise_mcp_receive (ShardwiseMcp *self, const char *bytes, gsize length);
void shardwise_mcp_end (ShardwiseMcp *self);
gboolean shardwise_mcp_is_busy (ShardwiseMcp *self);

int shardwise_mcp_run (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseMcp, shardwise_mcp_free)

G_END_DECLS
