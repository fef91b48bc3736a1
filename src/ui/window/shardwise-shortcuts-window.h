/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* The keys of the window, in rows that a narrow screen has room for; GTK's own window of shortcuts is
 * wider than one and is deprecated by newer libraries.
 *
 * It is modal and has a group of rows for each part of the program: general keys, pages, and what a
 * page adds. A row is called by what its keys do, and described by their names, which the pictures of
 * keys do not say to a screen reader.
 *
 * application: whose accelerators are shown. The program has one such window at most. Escape closes
 * it, as it does all that go with a window. */
#define SHARDWISE_TYPE_SHORTCUTS_WINDOW (shardwise_shortcuts_window_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseShortcutsWindow, shardwise_shortcuts_window, SHARDWISE,
                      SHORTCUTS_WINDOW, AdwWindow)

/* (transfer floating) */
GtkWidget *shardwise_shortcuts_window_new (GtkApplication *application);

G_END_DECLS
