/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *shardwise_release_notes (const char *metainfo, gssize length, char **version);

G_END_DECLS
