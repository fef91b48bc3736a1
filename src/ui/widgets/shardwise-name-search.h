/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Names of models and GPUs, found by what is typed: words in any order, numbers from their
 * start. */

GtkFilter *shardwise_name_search_new (GtkExpression *name);
void shardwise_name_search_set_text (GtkFilter *search, const char *text);

G_END_DECLS
