/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

GtkWidget *shardwise_price_window_new (GtkWindow *parent, GCallback changed, gpointer data);

G_END_DECLS
