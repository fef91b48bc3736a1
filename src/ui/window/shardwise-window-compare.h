/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-window.h"

G_BEGIN_DECLS

/* win.compare (aa{sv}): holds the present inputs against the same with each of these changes. */
void shardwise_window_add_compare_action (ShardwiseWindow *self);

G_END_DECLS
