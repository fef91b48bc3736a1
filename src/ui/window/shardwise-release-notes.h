/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What is new in a version, from the metainfo file that software centers read too. */

char *shardwise_release_notes_read (const char *metainfo, gssize length, char **version);

G_END_DECLS
