/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-node.h"
#include <glib.h>

G_BEGIN_DECLS

/* TOML 1.0: tables of scalars and lists of strings. */
void shardwise_toml_table (GString *toml, const char *name);
void shardwise_toml_int (GString *toml, const char *key, gint64 value);
void shardwise_toml_bool (GString *toml, const char *key, gboolean value);
void shardwise_toml_word (GString *toml, const char *key, const char *value);
void shardwise_toml_string (GString *toml, const char *key, const char *value);
void shardwise_toml_strings (GString *toml, const char *key, const char *const *values);

ShardwiseNode *shardwise_node_from_toml (const char *text, gsize length, GError **error);

G_END_DECLS
