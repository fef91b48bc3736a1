/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which page of the manual is about a widget. */
#include "shardwise-manual-window.h"

#include "shardwise-input-row.h"
#include "shardwise-key.h"

/* By the name of the type: the innermost one around the focus counts. */
static const char *const topics[] = {
  "ShardwiseInputs",
  "inputs",
  "ShardwiseAskPanel",
  "ask",
  "ShardwiseWaterfallChart",
  "charts#step",
  "ShardwiseMemoryChart",
  "charts#memory",
  "ShardwiseTimelineChart",
  "charts#timeline",
  "ShardwiseCommunicationChart",
  "charts#communication",
  "ShardwiseRankChart",
  "charts#ranks",
  "ShardwisePipelineChart",
  "charts#pipeline",
  "ShardwiseScheduleChart",
  "charts#schedules",
  "ShardwiseTornadoChart",
  "charts#limits",
  "ShardwiseScatterChart",
  "charts#scatter",
  "ShardwiseSizingChart",
  "charts#sizing",
  "ShardwiseAtlasChart",
  "charts#atlas",
  "ShardwiseGoodputChart",
  "charts#goodput",
  "ShardwisePlanChart",
  "charts#plan",
  "ShardwiseClusterPicture",
  "charts#cluster",
  "ShardwiseHandCard",
  "analysis#hand",
  "ShardwiseLimitsCard",
  "charts#limits",
  "ShardwiseComparisonView",
  "alternatives#compare",
  "ShardwiseFilterBar",
  "alternatives#filter",
  "ShardwiseFacetChip",
  "alternatives#chips",
  "ShardwiseDiagnosisView",
  "diagnosis",
  "ShardwiseCostCard",
  "cost#money",
  "ShardwiseGoodputCard",
  "cost#failures",
  "ShardwiseDeadlineCard",
  "cost#deadline",
  "ShardwiseAtlasView",
  "scale#atlas",
  "ShardwiseAdvicePage",
  "advice",
  "ShardwiseAnalysisPage",
  "analysis",
  "ShardwiseAlternativesPage",
  "alternatives",
  "ShardwiseScalePage",
  "scale",
  "ShardwiseExportPage",
  "export",
  "ShardwiseNoteEditor",
  "rules#own",
  "ShardwisePlaybookWindow",
  "rules",
  "ShardwiseJournalEditor",
  "journal#add",
  "ShardwiseJournalWindow",
  "journal",
  "ShardwisePreferences",
  "preferences",
  NULL,
  NULL,
};

static const char *
find (const char *type)
{
  for (guint i = 0; topics[i] != NULL; i += 2)
    if (g_str_equal (topics[i], type))
      return topics[i + 1];
  return NULL;
}

/**
 * shardwise_help_topic:
 * @focus: (nullable): a widget
 *
 * Returns: (transfer none) (nullable): the page of the manual about it, or a section of one; %NULL
 *   where nothing around it has one
 */
const char *
shardwise_help_topic (GtkWidget *focus)
{
  const char *topic = NULL;

  for (; focus != NULL && topic == NULL; focus = gtk_widget_get_parent (focus))
    if (SHARDWISE_IS_INPUT_ROW (focus))
      topic = shardwise_key_get_topic (
          shardwise_key_find (shardwise_input_row_get_path (SHARDWISE_INPUT_ROW (focus))));
    else
      topic = find (G_OBJECT_TYPE_NAME (focus));
  return topic;
}

/**
 * shardwise_help_topics:
 *
 * Returns: (transfer none) (array zero-terminated=1): names of types and their topics, in turn
 */
const char *const *
shardwise_help_topics (void)
{
  return topics;
}
