/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client that says anything: every line that comes back is one message of the protocol. */
#include "fuzz-target.h"

#include <string.h>

#include "shardwise-json.h"
#include "shardwise-mcp.h"

static void
check (const char *line, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = shardwise_json_parse (line, strlen (line), &error);
  JsonObject *object;

  g_assert_no_error (error);
  g_assert_null (strchr (line, '\n'));
  object = json_node_get_object (node);
  g_assert_cmpstr (json_object_get_string_member (object, "jsonrpc"), ==, "2.0");
  g_assert_true (json_object_has_member (object, "id"));
  g_assert_true (json_object_has_member (object, "result")
                 != json_object_has_member (object, "error"));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (ShardwiseMcp) server = NULL;

  g_setenv ("DBUS_SESSION_BUS_ADDRESS", "disabled:", TRUE); /* nobody's window is asked */
  server = shardwise_mcp_new (check, NULL, FALSE);
  shardwise_mcp_receive (server, (const char *) data, size);
  shardwise_mcp_end (server);
  return 0;
}
