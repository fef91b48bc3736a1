/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-mcp-arguments.h"

G_BEGIN_DECLS

/* The windows of the program that runs beside this one, over the session's bus. Nothing is started. */
GArray *shardwise_mcp_windows (void); /* of guint, their numbers */
/* (transfer full) (nullable): the text of its scenario; "" on the start page */
char *shardwise_mcp_window_scenario (guint window, GCancellable *cancellable, GError **error);
JsonObject *shardwise_mcp_apply (ShardwiseMcpCall *call, GError **error);

G_END_DECLS
