/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "shardwise-input-option.h"
#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* What a row needs to know of the widget in which its value is set. */

typedef enum {
  SHARDWISE_CONTROL_ENTRY,
  SHARDWISE_CONTROL_LIST,
  SHARDWISE_CONTROL_SWITCH
} ShardwiseControlKind;

ShardwiseControlKind shardwise_control_kind (const ShardwiseKey *key, gboolean automatic);

/* Entry: text of the value there is, and the value of the text (floating; NULL: not readable, with
 * an error). */
char *shardwise_control_text (const ShardwiseKey *key, ShardwiseScenario *scenario);
GVariant *shardwise_control_value (const ShardwiseKey *key, const char *text, GError **error);
gboolean shardwise_control_accepts (const ShardwiseKey *key, GVariant *value, const char *text,
                                    GError **error);
const char *shardwise_control_without_path (const ShardwiseKey *key, const char *message);
char *shardwise_control_usual (const ShardwiseKey *key, ShardwiseScenario *scenario);
char *shardwise_control_by_date (const ShardwiseKey *key, ShardwiseScenario *scenario);
const char *shardwise_control_unit (const ShardwiseKey *key);
double shardwise_control_step (const ShardwiseKey *key, double value, int direction);

/* The scenario: sets a value as a person means it, and whether a value of its own differs from what
 * is usual. */
gboolean shardwise_control_set (const ShardwiseKey *key, ShardwiseScenario *scenario,
                                GVariant *value, GError **error);
gboolean shardwise_control_differs (const ShardwiseKey *key, ShardwiseScenario *scenario);

/* Drop-down. */
void shardwise_control_list_add (GListStore *store, const char *value, const char *label,
                                 const char *subtitle);
void
shardwise_control_list_add_catalogue (GListStore *store, const char *prefix, GListModel *entries);
void shardwise_control_list_fill (GListStore *store, const ShardwiseKey *key, gboolean automatic);
void shardwise_control_offer_size (GListStore *store, const char *typed);
void shardwise_control_name_custom (GListStore *store, ShardwiseScenario *scenario);
void shardwise_control_list_replace (GListStore *store, GListModel *options);
guint shardwise_control_list_position (GListStore *store, const ShardwiseKey *key,
                                       ShardwiseScenario *scenario);

/* What the scenario says of the key, as its row does: "H100 SXM", "8,192", "Auto". */
char *shardwise_control_describe (const ShardwiseKey *key, ShardwiseScenario *scenario);

G_END_DECLS
