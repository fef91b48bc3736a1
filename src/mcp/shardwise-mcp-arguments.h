/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "shardwise-scenario.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_MCP_SCENARIO, /* as in a scenario file */
  SHARDWISE_MCP_CHANGES,  /* key path to value; null resets */
  SHARDWISE_MCP_VARIANTS, /* an array of {"name", "changes"} */
  SHARDWISE_MCP_FILES,    /* an array of {"name", "text"} */
  SHARDWISE_MCP_TEXT,
  SHARDWISE_MCP_WORD,
  SHARDWISE_MCP_WHOLE,  /* a whole number */
  SHARDWISE_MCP_WHOLES, /* an array of them */
} ShardwiseMcpKind;

/* One argument of a tool or prompt. */
typedef struct {
  const char *name;
  ShardwiseMcpKind kind;
  gboolean required;
  double minimum, maximum;  /* limits of numbers, items or characters; 0, 0: the default of the
                               kind */
  const char *const *words; /* NULL-terminated */
  const char *description;  /* not translated, like everything for programs */
} ShardwiseMcpArgument;

enum { SHARDWISE_MCP_MOST_ARGUMENTS = 6 };

/* The state of one call. */
typedef struct {
  JsonObject *arguments;                             /* validated */
  ShardwiseScenario *scenario;                       /* (nullable): from the argument "scenario" */
  GCancellable *cancellable;                         /* (nullable) */
  void (*progress) (double fraction, gpointer data); /* (nullable); called in any thread */
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
