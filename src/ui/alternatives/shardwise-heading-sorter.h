/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Rows are sorted by their list, on a worker thread; of the headings only the column and its
 * direction are wanted, which GTK tells nobody. So the view's sorter is asked to compare two
 * things, and the sorter of the heading's column notes that it was asked, and answers that the
 * first one is smaller: a view that sorts descending says the opposite. */
GtkSorter *shardwise_heading_sorter_new (GtkColumnView *view, gconstpointer column);
gconstpointer shardwise_heading_sorter_asked (GtkColumnView *view, gboolean *descending);

G_END_DECLS
