/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Menus that are made anew from time to time, with names that people gave. */

void shardwise_menu_empty (GMenu *menu);
char *shardwise_menu_label (const char *text);

G_END_DECLS
