/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Two views of the same things: side by side where both have room, else one of them.
 *
 * properties: "folded" (boolean, read-only, notifies: one of them), "second" (boolean: then it is
 * the second) */
#define SHARDWISE_TYPE_BESIDE (shardwise_beside_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseBeside, shardwise_beside, SHARDWISE, BESIDE, GtkWidget)

GtkWidget *
shardwise_beside_new (GtkWidget *first, GtkWidget *second, int first_width, int second_width);
gboolean shardwise_beside_get_folded (ShardwiseBeside *self);

G_END_DECLS
