/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-page.h"
#include "shardwise-rank-chart.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* A row of buttons, one for each kind of group that the chart's strategy has: by which its GPUs are
 * coloured. */
#define SHARDWISE_TYPE_GROUP_BUTTONS (shardwise_group_buttons_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseGroupButtons, shardwise_group_buttons, SHARDWISE, GROUP_BUTTONS,
                      ShardwiseContainer)

/* Why the answer is what it is, a section at a time with an index: charts of the strategy that is
 * looked at, a calculator that sets any degree by hand, and what stands behind the answer.
 *
 * signal "section-wanted" (const char *): a section that the window fills, runs or rules, is seen */
#define SHARDWISE_TYPE_ANALYSIS_PAGE (shardwise_analysis_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAnalysisPage, shardwise_analysis_page, SHARDWISE, ANALYSIS_PAGE,
                      ShardwisePage)

gboolean shardwise_analysis_page_show (ShardwiseAnalysisPage *self, const char *place);
AdwBin *shardwise_analysis_page_get_bin (ShardwiseAnalysisPage *self, const char *section);

G_END_DECLS
