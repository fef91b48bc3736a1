/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-page.h"
#include "shardwise-import.h"

G_BEGIN_DECLS

/* The answer, top down: whether the job fits, its three figures, the strategy as chips over the
 * picture of nodes, the best of each framework, what to do next, and the file. Where nothing fits,
 * what would make it fit. Above it stands what is to be said of a job that was opened
 * (shardwise_advice_page_set_import()).
 *
 * Its widgets stay and get new values, so that the scroll position and the focus survive an edit. */
#define SHARDWISE_TYPE_ADVICE_PAGE (shardwise_advice_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAdvicePage, shardwise_advice_page, SHARDWISE, ADVICE_PAGE,
                      ShardwisePage)

/* (transfer none) */
ShardwiseExportPage *shardwise_advice_page_get_export (ShardwiseAdvicePage *self);
/* (nullable) */
void shardwise_advice_page_set_import (ShardwiseAdvicePage *self, const ShardwiseImport *import);

G_END_DECLS
