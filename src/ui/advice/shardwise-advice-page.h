/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-page.h"
#include "shardwise-import.h"

G_BEGIN_DECLS

/* The answer, from the top: messages about an opened job (shardwise_advice_page_set_import()),
 * whether the job fits, its three figures, the strategy as chips and as a picture of the nodes, the
 * best strategy of each framework, what to do next, and the exported file. If nothing fits, the
 * changes that would make it fit.
 *
 * Keeps its widgets and updates their values, so that the scroll position and the focus survive an
 * edit. */
#define SHARDWISE_TYPE_ADVICE_PAGE (shardwise_advice_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAdvicePage, shardwise_advice_page, SHARDWISE, ADVICE_PAGE,
                      ShardwisePage)

/* (transfer none) */
ShardwiseExportPage *shardwise_advice_page_get_export (ShardwiseAdvicePage *self);
void shardwise_advice_page_show_files (ShardwiseAdvicePage *self);
/* (nullable) */
void shardwise_advice_page_set_import (ShardwiseAdvicePage *self, const ShardwiseImport *import);

G_END_DECLS
