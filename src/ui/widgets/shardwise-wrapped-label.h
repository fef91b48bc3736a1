/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Labels that wrap. */
GtkWidget *shardwise_wrapped_label_new (const char *text, const char *css_class);
void shardwise_button_wrap (GtkButton *button);
void shardwise_wrapped_label_show (GtkLabel *label, const char *text);

/* Figures that keep their order in right-to-left windows. */
char *shardwise_isolate (const char *figure);
GtkWidget *shardwise_figure_label_new (const char *figure);
void shardwise_label_set_figure (GtkLabel *label, const char *figure);

/* Tooltips that fit the window, and tooltips that change with every answer. */
void shardwise_tooltip_fill (GtkTooltip *tooltip, GtkWidget *widget, const char *text);
void shardwise_tooltip_wrap (GtkWidget *widget);
void shardwise_tooltip_set (GtkWidget *widget, const char *text);

G_END_DECLS
