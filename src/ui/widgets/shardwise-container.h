/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A widget with children of its own, which it unparents in dispose. */
#define SHARDWISE_TYPE_CONTAINER (shardwise_container_get_type ())
G_DECLARE_DERIVABLE_TYPE (ShardwiseContainer, shardwise_container, SHARDWISE, CONTAINER, GtkWidget)

struct _ShardwiseContainerClass {
  GtkWidgetClass parent_class;
};

void shardwise_container_empty (GtkWidget *widget);
void shardwise_container_empty_list (GtkListBox *list);

/* Menus that are rebuilt occasionally, with names entered by users. */
void shardwise_menu_empty (GMenu *menu);
char *shardwise_menu_label (const char *text);

G_END_DECLS
