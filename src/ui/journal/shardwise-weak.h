/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/* An object for a callback that must not keep it. */

GWeakRef *shardwise_weak_new (gpointer object);
gpointer shardwise_weak_take (GWeakRef *weak);

G_END_DECLS
