/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

char *shardwise_isolate (const char *figure);
GtkWidget *shardwise_figure_label_new (const char *figure);
void shardwise_label_set_figure (GtkLabel *label, const char *figure);

G_END_DECLS
