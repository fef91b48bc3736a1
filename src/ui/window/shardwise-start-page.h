/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-container.h"
#include "shardwise-description.h"

G_BEGIN_DECLS

/* The content of a window without a document: a field for any description of a job, which shows
 * what it understands while the user types; recent documents and examples.
 *
 * Signal "described" (ShardwiseDescription *, owned by the page): the user wants to open a job. */
#define SHARDWISE_TYPE_START_PAGE (shardwise_start_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseStartPage, shardwise_start_page, SHARDWISE, START_PAGE,
                      ShardwiseContainer)

void shardwise_start_page_set_up (ShardwiseStartPage *self, GSettings *settings, GMenuModel *menu);
void shardwise_start_page_set_text (ShardwiseStartPage *self, const char *text, gboolean opens);
ShardwiseScenario *shardwise_start_page_take_named (ShardwiseStartPage *self);

G_END_DECLS
