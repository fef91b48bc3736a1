/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Accessible names where the toolkit provides none or repeats one. Checks each control once, when
 * it is realized, so that controls created later get names too.
 *
 * A button with an icon is named by its tooltip, one with a child by the first text in it; a
 * control that opens a list includes the selection. An expander row is named by its title, a list
 * by its row or heading, a row of a list view by its first text. An explicit label or relation is
 * kept.
 *
 * Install it once at startup; remove it with the hook that install() returns. */
/* Returns: an emission hook of "realize" for all widgets */
gulong shardwise_names_install (void);
void shardwise_names_remove (gulong hook);

G_END_DECLS
