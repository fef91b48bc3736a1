/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include <adwaita.h>

#include "shardwise-manual.h"

G_BEGIN_DECLS

/* One page of the manual, to read: it scrolls, and its sections bear their id as widget name.
 *
 * Signal "open" (view, const char *topic): a link to another topic was followed; others open in what
 * the desktop has for them. */
#define SHARDWISE_TYPE_MANUAL_VIEW (shardwise_manual_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseManualView, shardwise_manual_view, SHARDWISE, MANUAL_VIEW, GtkWidget)

gboolean shardwise_manual_view_show_topic (ShardwiseManualView *self, ShardwiseManual *manual,
                                           const char *topic);

G_END_DECLS
