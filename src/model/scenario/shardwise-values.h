/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-key.h"

G_BEGIN_DECLS

/* Forms of a model, whose keys replace each other: a preset, a size or an architecture. */
typedef enum {
  SHARDWISE_MODEL_NONE,
  SHARDWISE_MODEL_PRESET,
  SHARDWISE_MODEL_SIZE,
  SHARDWISE_MODEL_ARCHITECTURE
} ShardwiseModelForm;

/* An array by ShardwiseKeyId; NULL: not set. */
GPtrArray *shardwise_values_new (void);
GPtrArray *shardwise_values_copy (GPtrArray *values); /* shares the values */
gboolean shardwise_value_equal (GVariant *a, GVariant *b);
gboolean shardwise_values_equal (GPtrArray *a, GPtrArray *b);
/* value: (nullable) */
void shardwise_values_set (GPtrArray *values, ShardwiseKeyId id, GVariant *value);
/* (transfer none) (nullable) */
GVariant *shardwise_values_get (GPtrArray *values, ShardwiseKeyId id);
void shardwise_values_drop_other_models (GPtrArray *values, ShardwiseModelForm keep);
guint shardwise_values_differ (GPtrArray *a, GPtrArray *b, ShardwiseKeyId *key);

ShardwiseModelForm shardwise_model_form (ShardwiseKeyId id);
GError *shardwise_unknown_key_error (const char *path);

G_END_DECLS
