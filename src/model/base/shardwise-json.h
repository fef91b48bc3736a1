/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>
#include "shardwise-error.h"

G_BEGIN_DECLS

#define SHARDWISE_JSON_MAX_BYTES (16u * 1024 * 1024) /* of any file */
#define SHARDWISE_JSON_MAX_DEPTH 64

/* A strict check first (RFC 8259 grammar, UTF-8, size, depth, number range, duplicate keys), then
 * json-glib. */
gboolean shardwise_json_check (const char *text, gsize length, GError **error);
JsonNode *shardwise_json_parse (const char *text, gsize length, GError **error);
char *shardwise_json_to_string (JsonNode *node);
char *shardwise_json_to_line (JsonNode *node);
JsonNode *shardwise_json_take_object (JsonObject *object);
JsonObject *shardwise_json_into_object (JsonNode *node);
JsonArray *shardwise_json_strings (GPtrArray *texts);
void shardwise_json_set_gib (JsonObject *object, const char *name, double bytes);
void shardwise_json_set_known (JsonObject *object, const char *name, double value, gboolean known);

G_END_DECLS
