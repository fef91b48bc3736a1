/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Days as scenario files and command lines write them. */
gboolean shardwise_date_parse (const char *text, GDate *out);
void shardwise_date_today (GDate *out);

G_END_DECLS
