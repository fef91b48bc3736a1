/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Features that GtkDropDown lacks, in GTK 4.8 or in general. */

void shardwise_drop_down_show_chosen (GtkDropDown *drop_down);
void shardwise_drop_down_search_anywhere (GtkDropDown *drop_down);
void shardwise_drop_down_set_words (GtkDropDown *list, const char *const *words);

GtkWidget *shardwise_drop_down_get_search (GtkDropDown *drop_down); /* (nullable) */

/* A filter of models and GPUs by name: matches the typed words in any order, and numbers from their
 * start. */
#define SHARDWISE_TYPE_NAME_SEARCH (shardwise_name_search_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseNameSearch, shardwise_name_search, SHARDWISE, NAME_SEARCH, GtkFilter)

ShardwiseNameSearch *shardwise_name_search_new (GtkExpression *name);
void shardwise_name_search_set_text (ShardwiseNameSearch *self, const char *text);

G_END_DECLS
