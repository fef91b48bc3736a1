/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-node.h"
#include <glib.h>

G_BEGIN_DECLS

/* Writes one YAML document of nested mappings with libyaml. A NULL key is an item of a sequence. */
typedef struct _ShardwiseYaml ShardwiseYaml;

ShardwiseYaml *shardwise_yaml_new (void);
char *shardwise_yaml_finish (ShardwiseYaml *self);
void shardwise_yaml_begin_map (ShardwiseYaml *self, const char *key);
void shardwise_yaml_end_map (ShardwiseYaml *self);
void shardwise_yaml_begin_list (ShardwiseYaml *self, const char *key);
void shardwise_yaml_end_list (ShardwiseYaml *self);
void shardwise_yaml_int (ShardwiseYaml *self, const char *key, gint64 value);
void shardwise_yaml_bool (ShardwiseYaml *self, const char *key, gboolean value);
void shardwise_yaml_null (ShardwiseYaml *self, const char *key);
void shardwise_yaml_word (ShardwiseYaml *self, const char *key, const char *value);
void shardwise_yaml_string (ShardwiseYaml *self, const char *key, const char *value);

ShardwiseNode *shardwise_node_from_yaml (const char *text, gsize length, GError **error);

G_END_DECLS
