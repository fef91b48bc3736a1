/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-input-control.h"

G_BEGIN_DECLS

/* A drop-down of the inputs: the selected option on its button and all options in its list, with a
 * search field if there are many. */
GtkWidget *shardwise_input_list_new (GListModel *options);
/* (transfer floating) */
GtkWidget *
shardwise_control_new (const ShardwiseKey *key, ShardwiseControlKind kind, GListModel *options);

/* Drop-downs of a chart, with only their name beside them. Options have a value and a label
 * (ShardwiseInputOption). */
GtkWidget *shardwise_option_list_new (const char *name, GListModel *options);
const char *shardwise_option_list_get_value (GtkDropDown *list); /* (transfer none); "" if
                                                                    nothing is selected */
gboolean shardwise_option_list_set_value (GtkDropDown *list, const char *value);
GtkWidget *shardwise_labelled_new (const char *name, GtkWidget *control);

G_END_DECLS
