/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "shardwise-scenario.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_MCP_SCENARIO, /* as its file has it */
  SHARDWISE_MCP_CHANGES,  /* of key path to value, null resets */
  SHARDWISE_MCP_VARIANTS, /* an array of {"name", "changes"} */
  SHARDWISE_MCP_FILES,    /* an array of {"name", "text"} */
  SHARDWISE_MCP_TEXT,
  SHARDWISE_MCP_WORD,
  SHARDWISE_MCP_WHOLE,  /* a whole number */
  SHARDWISE_MCP_WHOLES, /* an array of them */
} ShardwiseMcpKind;

/* One argument of a tool or a prompt. */
typedef struct {
  const char *name;
  ShardwiseMcpKind kind;
  gboolean required;
  double minimum, maximum;  /* of whole numbers, of items, of characters; 0, 0: the kind's own */
  const char *const *words; /* NULL-terminated */
  const char *description;  /* not translated, as all that speaks to programs */
} ShardwiseMcpArgument;

enum { SHARDWISE_MCP_MOST_ARGUMENTS = 6 };

/* What one call works on. The rest of a call is the tool's own. */
typedef struct {
  JsonObject *arguments;                             /* checked */
  ShardwiseScenario *scenario;                       /* (nullable): of the argument of that name */
  GCancellable *cancellable;                         /* (nullable) */
  void (*progress) (double fraction, gpointer data); /* (nullable); from any thread */
  gpointer progress_data;
} ShardwiseMcpCall;

JsonNode *shardwise_mcp_arguments_schema (const ShardwiseMcpArgument *arguments);
JsonNode *shardwise_mcp_keys_schema (void);
gboolean shardwise_mcp_arguments_check (const ShardwiseMcpArgument *arguments, JsonObject *given,
                                        GError **error);
ShardwiseScenario *shardwise_mcp_scenario_read (JsonNode *node, GError **error);
GVariant *shardwise_mcp_changes_read (JsonObject *changes, GError **error);
ShardwiseScenario *
shardwise_mcp_changed (ShardwiseScenario *scenario, JsonObject *changes, GError **error);

const char *shardwise_mcp_text (const ShardwiseMcpCall *call, const char *name, const char *none);
guint shardwise_mcp_whole (const ShardwiseMcpCall *call, const char *name, guint none);

G_END_DECLS
