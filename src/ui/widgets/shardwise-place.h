/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void shardwise_place_keep (GtkWidget *content);

G_END_DECLS
