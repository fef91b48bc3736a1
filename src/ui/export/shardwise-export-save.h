/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gdk/gdk.h>
#include "shardwise-export.h"
#include "shardwise-page.h"

G_BEGIN_DECLS

/* Saves exported files from the window. */
void shardwise_export_save_file (ShardwisePage *page, const ShardwiseExportFile *file);
void shardwise_export_save_as (ShardwisePage *page, const ShardwiseExportFile *file, GFile *as);
/* of ShardwiseExportFile */
void shardwise_export_save_folder (ShardwisePage *page, GPtrArray *files);
void shardwise_export_save_into (ShardwisePage *page, GPtrArray *files, GFile *folder);

/* Exported files dragged out of the window. A worker thread writes them to the cache; the drop
 * waits for it. */
#define SHARDWISE_TYPE_EXPORT_DRAG (shardwise_export_drag_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseExportDrag, shardwise_export_drag, SHARDWISE, EXPORT_DRAG,
                      GdkContentProvider)

/* of ShardwiseExportFile */
GdkContentProvider *shardwise_export_drag_content (GPtrArray *files, guint shown, gboolean all);

G_END_DECLS
