/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-page.h"
#include "shardwise-rank-chart.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* Buttons that select the kind of group by which the chart colors GPUs, one for each kind that the
 * strategy has. */
#define SHARDWISE_TYPE_GROUP_BUTTONS (shardwise_group_buttons_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseGroupButtons, shardwise_group_buttons, SHARDWISE, GROUP_BUTTONS,
                      ShardwiseContainer)

/* Explains the answer, one section at a time with an index: charts of the selected strategy, a
 * calculator to set parallel sizes by hand, and the evidence behind the answer.
 *
 * Signal "section-wanted" (const char *): a section that the window fills ("runs" or "rules")
 * became visible. */
#define SHARDWISE_TYPE_ANALYSIS_PAGE (shardwise_analysis_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAnalysisPage, shardwise_analysis_page, SHARDWISE, ANALYSIS_PAGE,
                      ShardwisePage)

gboolean shardwise_analysis_page_show (ShardwiseAnalysisPage *self, const char *place);
AdwBin *shardwise_analysis_page_get_bin (ShardwiseAnalysisPage *self, const char *section);

G_END_DECLS
