/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include <adwaita.h>

#include "shardwise-manual.h"

G_BEGIN_DECLS

/* A scrolling page of the manual. The widget names of its sections are their ids.
 *
 * Signal "open" (view, const char *topic): a link to another topic was followed; other links open
 * in the desktop's default program. */
#define SHARDWISE_TYPE_MANUAL_VIEW (shardwise_manual_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseManualView, shardwise_manual_view, SHARDWISE, MANUAL_VIEW, GtkWidget)

gboolean shardwise_manual_view_show_topic (ShardwiseManualView *self, ShardwiseManual *manual,
                                           const char *topic);

G_END_DECLS
