/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A drop-down of the inputs: the chosen option on its button, all of them in its list. */
GtkWidget *shardwise_input_list_new (GListModel *options);

G_END_DECLS
