/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "shardwise-advisor.h"
#include "shardwise-import.h"

G_BEGIN_DECLS

/* The document that the program starts with. A thread reads it and starts its first search while
 * GTK and the window are created. */
typedef struct _ShardwiseAhead ShardwiseAhead;

ShardwiseAhead *shardwise_ahead_new (GFile *file, gboolean live);
gboolean shardwise_ahead_is_of (ShardwiseAhead *self, GFile *file);
ShardwiseImport *
shardwise_ahead_take (ShardwiseAhead *self, ShardwiseAdvisor **advisor, GError **error);
void shardwise_ahead_free (ShardwiseAhead *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseAhead, shardwise_ahead_free)

G_END_DECLS
