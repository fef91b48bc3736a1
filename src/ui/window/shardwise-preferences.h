/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define SHARDWISE_TYPE_PREFERENCES (shardwise_preferences_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePreferences, shardwise_preferences, SHARDWISE, PREFERENCES,
                      AdwWindow)

GtkWidget *shardwise_preferences_new (GSettings *settings);

G_END_DECLS
