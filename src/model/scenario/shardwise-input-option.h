/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib-object.h>
#include "shardwise-key.h"

G_BEGIN_DECLS

/* One item of a drop-down in the inputs. */
#define SHARDWISE_TYPE_INPUT_OPTION (shardwise_input_option_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseInputOption, shardwise_input_option, SHARDWISE, INPUT_OPTION,
                      GObject)

/* Properties (read-only): "label", "subtitle" (string), "enabled" (boolean) */

/* value: "" for the automatic choice; subtitle: (nullable) */
ShardwiseInputOption *shardwise_input_option_new (const char *value, const char *label,
                                                  const char *subtitle, gboolean enabled);
const char *shardwise_input_option_get_value (ShardwiseInputOption *self);
const char *shardwise_input_option_get_label (ShardwiseInputOption *self);
const char *shardwise_input_option_get_subtitle (ShardwiseInputOption *self);
gboolean shardwise_input_option_get_enabled (ShardwiseInputOption *self);
/* a: (nullable) */
gboolean shardwise_input_option_equal (ShardwiseInputOption *a, ShardwiseInputOption *b);

G_END_DECLS
