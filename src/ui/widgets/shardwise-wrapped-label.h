/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

GtkWidget *shardwise_wrapped_label_new (const char *text, const char *css_class);
void shardwise_wrapped_label_show (GtkLabel *label, const char *text);

G_END_DECLS
