/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-container.h"
#include "shardwise-description.h"

G_BEGIN_DECLS

/* What a window shows before it has a document: a field that takes whatever somebody has of a job, and
 * says while it is typed what it understands; documents that were open, and examples.
 *
 * Signal "described" (ShardwiseDescription *, of the page): names a job that is to be opened. */
#define SHARDWISE_TYPE_START_PAGE (shardwise_start_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseStartPage, shardwise_start_page, SHARDWISE, START_PAGE,
                      ShardwiseContainer)

void shardwise_start_page_set_up (ShardwiseStartPage *self, GSettings *settings, GMenuModel *menu);
void shardwise_start_page_set_text (ShardwiseStartPage *self, const char *text, gboolean opens);
ShardwiseScenario *shardwise_start_page_take_named (ShardwiseStartPage *self);

G_END_DECLS
