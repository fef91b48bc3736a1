/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* The keyboard shortcuts in rows that fit a narrow screen; GTK's own window of shortcuts is too
 * wide and newer versions deprecate it.
 *
 * Modal, with a group of rows for each part of the program: general shortcuts, pages, and what a
 * page adds. A row is named by the action and described by the names of its keys, because screen
 * readers cannot read the pictures of keys.
 *
 * application: its accelerators are shown. The program has at most one such window. Escape closes
 * it. */
#define SHARDWISE_TYPE_SHORTCUTS_WINDOW (shardwise_shortcuts_window_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseShortcutsWindow, shardwise_shortcuts_window, SHARDWISE,
                      SHORTCUTS_WINDOW, AdwWindow)

/* (transfer floating) */
GtkWidget *shardwise_shortcuts_window_new (GtkApplication *application);

G_END_DECLS
