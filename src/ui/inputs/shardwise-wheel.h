/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void shardwise_wheel_pass_on (GtkScrolledWindow *window);

G_END_DECLS
