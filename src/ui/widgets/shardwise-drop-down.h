/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What GtkDropDown leaves out, in GTK 4.8 or in all. */

void shardwise_drop_down_show_chosen (GtkDropDown *drop_down);
void shardwise_drop_down_search_anywhere (GtkDropDown *drop_down);
void shardwise_drop_down_set_words (GtkDropDown *list, const char *const *words);

GtkWidget *shardwise_drop_down_get_search (GtkDropDown *drop_down); /* (nullable) */

G_END_DECLS
