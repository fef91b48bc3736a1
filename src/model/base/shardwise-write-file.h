/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Puts a text in the place of a file's content, all of it or nothing. */
gboolean shardwise_write_file (GFile *file, const char *text, gsize length, GError **error);

G_END_DECLS
