/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Short messages over a window. */

AdwToastOverlay *shardwise_toast_overlay_of (gpointer widget);
AdwToast *shardwise_toast_show (AdwToastOverlay *overlay, const char *text);

/* What went wrong after the window that it concerns was closed: a file, a journal or a note that a
 * thread was still writing. It is told by a notification of the desktop, which stays until it is
 * read, and on the standard error stream. Who may still have the window gives its toasts, which are
 * preferred; a message of a dialog is not for here. */
void shardwise_late_error_tell (const char *name, const GError *error);
void shardwise_late_error_tell_on (AdwToastOverlay *toasts, const char *name, const GError *error);

G_END_DECLS
