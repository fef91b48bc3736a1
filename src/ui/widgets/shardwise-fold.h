/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Shows its wide child where that has room, else its narrow child. */
#define SHARDWISE_TYPE_FOLD (shardwise_fold_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseFold, shardwise_fold, SHARDWISE, FOLD, GtkWidget)

GtkWidget *shardwise_fold_new (GtkWidget *wide, GtkWidget *narrow);

G_END_DECLS
