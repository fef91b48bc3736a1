/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Names for the screen reader where the toolkit gives none or says one twice. Each control is looked
 * at once, when it gets its place on a display: whatever is shown is named, also what is made later.
 *
 * A button with an icon is called as its tooltip says, one with a child as the first text in it; what
 * opens a list also says what is chosen. An expander row is called by its title, a list by the row or
 * the heading that it belongs to, a row of a list view by its first text. What has a label or a
 * relation of its own keeps it.
 *
 * It is installed once, when the program starts, and removed with what that returned. */
/* Returns: the hook, an emission hook of "realize" of every widget */
gulong shardwise_names_install (void);
void shardwise_names_remove (gulong hook);

G_END_DECLS
