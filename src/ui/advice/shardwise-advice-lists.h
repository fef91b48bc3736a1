/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advice.h"

G_BEGIN_DECLS

/* The lists of an answer and its evidence. Each function empties a GtkListBox, fills it from an
 * advice, and returns the number of rows. */
guint shardwise_advice_list_actions (GtkListBox *list, ShardwiseAdvice *advice);
guint shardwise_advice_list_notices (GtkListBox *list, ShardwiseAdvice *advice);
guint shardwise_advice_list_ways_out (GtkListBox *list, ShardwiseAdvice *advice);
guint shardwise_advice_list_frameworks (GtkListBox *list, ShardwiseAdvice *advice);
guint shardwise_advice_list_nearest (GtkListBox *list, ShardwiseAdvice *advice);
guint shardwise_advice_list_usual (GtkListBox *list, ShardwiseAdvice *advice);
guint shardwise_advice_list_verify (GtkListBox *list, ShardwiseAdvice *advice);
guint shardwise_advice_list_assumptions (GtkListBox *list, ShardwiseAdvice *advice);
guint shardwise_advice_list_search (GtkListBox *list, ShardwiseAdvice *advice);

/* A button that changes the scenario: win.apply with `changes`; (transfer floating). */
GtkWidget *shardwise_apply_button_new (const char *label, const char *tooltip, GVariant *changes);
void shardwise_apply_button_add (AdwActionRow *row, const char *text, GVariant *changes);
/* "61.2 GiB and 410 tokens/s per GPU", or what is missing if it does not fit; (transfer full). */
char *shardwise_result_text (const SwEstimate *estimate);

G_END_DECLS
