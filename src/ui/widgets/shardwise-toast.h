/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Short messages in a window. */

AdwToastOverlay *shardwise_toast_overlay_of (gpointer widget);
AdwToast *shardwise_toast_show (AdwToastOverlay *overlay, const char *text);

/* Reports an error after the window it concerns was closed, e.g. of a file, journal or note that a
 * thread was still writing: as a desktop notification, which remains until it is read, and on
 * standard error. If the window may still exist, pass its toasts, which take precedence. Not for
 * messages of dialogs. */
void shardwise_late_error_tell (const char *name, const GError *error);
void shardwise_late_error_tell_on (AdwToastOverlay *toasts, const char *name, const GError *error);

G_END_DECLS
