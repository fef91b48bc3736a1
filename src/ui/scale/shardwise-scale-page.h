/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-page.h"

G_BEGIN_DECLS

/* The page as sections, each a widget of its own that follows the advice: how the job scales with the
 * number of GPUs (ShardwiseSizingView), what it costs and when it is done (ShardwiseCostSection), and
 * what is best in general (ShardwiseAtlasView). Without advice it says that there is none yet.
 *
 * Its searches run on threads and begin when someone looks at the page; of those further down, when
 * the first has ended. What has the focus stays where it is on the screen as the sections change.
 *
 * It has the properties of a page, and no signals and no CSS of its own: the sections are cards, which
 * have theirs. */
#define SHARDWISE_TYPE_SCALE_PAGE (shardwise_scale_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseScalePage, shardwise_scale_page, SHARDWISE, SCALE_PAGE,
                      ShardwisePage)

G_END_DECLS
