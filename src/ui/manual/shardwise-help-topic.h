/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

const char *shardwise_help_topic (GtkWidget *focus);
const char *const *shardwise_help_topics (void);

G_END_DECLS
