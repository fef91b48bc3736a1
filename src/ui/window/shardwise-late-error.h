/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* What went wrong after the window that it concerns was closed. */
void shardwise_late_error_tell (const char *name, const GError *error);
void shardwise_late_error_tell_on (AdwToastOverlay *toasts, const char *name, const GError *error);

G_END_DECLS
