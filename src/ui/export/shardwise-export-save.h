/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export.h"
#include "shardwise-page.h"

G_BEGIN_DECLS

/* An exported file on its way out of the window. */
void shardwise_export_save_file (ShardwisePage *page, const ShardwiseExportFile *file);
void shardwise_export_save_as (ShardwisePage *page, const ShardwiseExportFile *file, GFile *as);
/* of ShardwiseExportFile */
void shardwise_export_save_folder (ShardwisePage *page, GPtrArray *files);
void shardwise_export_save_into (ShardwisePage *page, GPtrArray *files, GFile *folder);

G_END_DECLS
