/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Short messages over a window. */

AdwToastOverlay *shardwise_toast_overlay_of (gpointer widget);
AdwToast *shardwise_toast_show (AdwToastOverlay *overlay, const char *text);

G_END_DECLS
