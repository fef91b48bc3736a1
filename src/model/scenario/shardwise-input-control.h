/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "shardwise-input-option.h"
#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* What an input row needs to know about the widget for its value. */

typedef enum {
  SHARDWISE_CONTROL_ENTRY,
  SHARDWISE_CONTROL_LIST,
  SHARDWISE_CONTROL_SWITCH
} ShardwiseControlKind;

ShardwiseControlKind shardwise_control_kind (const ShardwiseKey *key, gboolean automatic);

/* Entries: the text of the current value, and the value of a text (floating; NULL with an error if
 * it is not readable). */
char *shardwise_control_text (const ShardwiseKey *key, ShardwiseScenario *scenario);
GVariant *shardwise_control_value (const ShardwiseKey *key, const char *text, GError **error);
gboolean shardwise_control_accepts (const ShardwiseKey *key, GVariant *value, const char *text,
                                    GError **error);
const char *shardwise_control_without_path (const ShardwiseKey *key, const char *message);
char *shardwise_control_usual (const ShardwiseKey *key, ShardwiseScenario *scenario);
char *shardwise_control_by_date (const ShardwiseKey *key, ShardwiseScenario *scenario);
const char *shardwise_control_unit (const ShardwiseKey *key);
double shardwise_control_step (const ShardwiseKey *key, double value, int direction);

/* Scenario: sets a value as the user means it; whether an explicit value differs from the usual
 * one. */
gboolean shardwise_control_set (const ShardwiseKey *key, ShardwiseScenario *scenario,
                                GVariant *value, GError **error);
gboolean shardwise_control_differs (const ShardwiseKey *key, ShardwiseScenario *scenario);

/* Drop-downs. */
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

/* The value of the key as its row displays it: "H100 SXM", "8,192", "Auto". */
char *shardwise_control_describe (const ShardwiseKey *key, ShardwiseScenario *scenario);

G_END_DECLS
