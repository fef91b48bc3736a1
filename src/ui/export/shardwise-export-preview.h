/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtksourceview/gtksource.h>

#include "shardwise-export.h"

G_BEGIN_DECLS

/* How formats and their files look. */
void shardwise_export_preview_show (GtkSourceView *view, const ShardwiseExportFile *file);
void shardwise_export_preview_follow_style (GtkSourceView *view);
void shardwise_export_preview_let_go (GtkSourceView *view);

G_END_DECLS
