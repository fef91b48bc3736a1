/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "shardwise-manual.h"

G_BEGIN_DECLS

GtkWidget *shardwise_manual_page_blocks (ShardwiseManual *manual, const ShardwiseManualNode *page);

G_END_DECLS
