/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Workarounds for bugs in GTK 4.8. Each states the bug; remove it with the version that has the
 * bug. */

void shardwise_gtk_let_go_of_focus (GtkWidget *widget);
void shardwise_gtk_keep_focus_in_sight (GtkWindow *window);
void shardwise_gtk_close_popovers (GtkWidget *widget);
void shardwise_gtk_outlive_editing (GtkWidget *label);
void shardwise_gtk_ellipsize (GtkWidget *label);
void shardwise_gtk_measure_before_drawing (GtkTextView *text);
void shardwise_gtk_pass_wheel_on (GtkScrolledWindow *window);

G_END_DECLS
