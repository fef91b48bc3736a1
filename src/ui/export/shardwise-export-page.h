/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-page.h"

G_BEGIN_DECLS

/* The configuration files of the selected strategy, as they will be copied or saved.
 *
 * Properties: "format" (string, an id of shardwise_format_find()), "state" (string, read-only:
 * empty | working | ready | refused) */
#define SHARDWISE_TYPE_EXPORT_PAGE (shardwise_export_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseExportPage, shardwise_export_page, SHARDWISE, EXPORT_PAGE,
                      ShardwisePage)

void shardwise_export_page_select (ShardwiseExportPage *self, const char *format_id);
void shardwise_export_page_keep (ShardwiseExportPage *self, gboolean keep);
const char *shardwise_export_page_get_format (ShardwiseExportPage *self);
const char *shardwise_export_page_get_state (ShardwiseExportPage *self);
/* Copies the text now, or as soon as it is ready. Returns: FALSE only if nothing can be copied */
gboolean shardwise_export_page_copy (ShardwiseExportPage *self);
void shardwise_export_page_save (ShardwiseExportPage *self);

G_END_DECLS
