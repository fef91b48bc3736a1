/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import.h"
#include "shardwise-page.h"

G_BEGIN_DECLS

/* The answer, top down: whether the job fits and the recommended strategy as chips, its figures as
 * cards, warnings, the next best strategies, why each dimension has its value, the steps to a good
 * one, second opinions, and what was searched. Where nothing fits, what would make it fit. Above it
 * stands what is to be said of a job that was opened (shardwise_advice_page_set_import()).
 *
 * Its widgets stay and get new values, so that the scroll position, the focus and unfolded rows
 * survive an edit. "advice.copy-as" copies the configuration in the format of that id. */
#define SHARDWISE_TYPE_ADVICE_PAGE (shardwise_advice_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAdvicePage, shardwise_advice_page, SHARDWISE, ADVICE_PAGE,
                      ShardwisePage)

/* (nullable) */
void shardwise_advice_page_set_import (ShardwiseAdvicePage *self, const ShardwiseImport *import);

G_END_DECLS
