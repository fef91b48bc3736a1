/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-page.h"

G_BEGIN_DECLS

#define SHARDWISE_TYPE_EXPORT_PAGE (shardwise_export_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseExportPage, shardwise_export_page, SHARDWISE, EXPORT_PAGE, ShardwisePage)

GtkWidget *shardwise_export_page_new (void);

G_END_DECLS
