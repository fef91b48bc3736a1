/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void shardwise_tooltip_fill (GtkTooltip *tooltip, GtkWidget *widget, const char *text);
void shardwise_tooltip_wrap (GtkWidget *widget);
void shardwise_tooltip_set (GtkWidget *widget, const char *text);

G_END_DECLS
