/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gulong shardwise_names_install (void);
void shardwise_names_remove (gulong hook);

G_END_DECLS
