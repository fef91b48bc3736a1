/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-node.h"

G_BEGIN_DECLS

/* Appends TOML 1.0 to a text, line by line: tables of scalars and lists of strings. Keys are bare
 * and belong to the last table, or to the root before the first one. */
void shardwise_toml_table (GString *toml, const char *name);
void shardwise_toml_int (GString *toml, const char *key, gint64 value);
void shardwise_toml_bool (GString *toml, const char *key, gboolean value);
void shardwise_toml_word (GString *toml, const char *key, const char *value);
void shardwise_toml_string (GString *toml, const char *key, const char *value);
void shardwise_toml_strings (GString *toml, const char *key, const char *const *values);

/* TOML 1.0 as a tree: arrays and inline tables nested at most half of SHARDWISE_JSON_MAX_DEPTH
 * levels, and as many parts in a dotted key. Repeated keys, and additions to an inline table or
 * array, are errors. A date is a STRING: no supported configuration has dates. */
ShardwiseNode *shardwise_node_from_toml (const char *text, gsize length, GError **error);

G_END_DECLS
