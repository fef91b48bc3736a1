/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The lines of text of a chart, laid out. A chart is drawn anew in every frame while the window is
 * resized, and writes the same then: what a drawing wrote is kept until the one after the next. */

void shardwise_chart_texts_begin (GtkWidget *chart);
PangoLayout *shardwise_chart_texts_get (GtkWidget *chart, const char *text, double scale,
                                        gboolean bold); /* (transfer none) */
PangoLayout *shardwise_chart_texts_make (GtkWidget *chart, const char *text, double scale,
                                         gboolean bold); /* (transfer full) */

G_END_DECLS
