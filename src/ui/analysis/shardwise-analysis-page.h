/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-page.h"

G_BEGIN_DECLS

#define SHARDWISE_TYPE_ANALYSIS_PAGE (shardwise_analysis_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAnalysisPage, shardwise_analysis_page, SHARDWISE, ANALYSIS_PAGE,
                      ShardwisePage)

GtkWidget *shardwise_analysis_page_new (void);

G_END_DECLS
