/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-pipeline-chart.h"
#include "ui-fixture.h"

/* What the tests of charts share: a simulated pipeline, and where a point is drawn. */

#define LIGHT_BLUE 0x1c71d8
#define LIGHT_NAVY 0x15396e

/* Forward 1 s and backward 2 s on each stage; `second` scales the last one. */
static inline ShardwiseChart *
pipeline_new (guint pp, guint micro_batches, double second)
{
  g_autofree double *times = g_new0 (double, pp * 3);
  SwPipelineSpec spec = { SW_SCHEDULE_1F1B, pp, 1, micro_batches, times, times + pp,
                          times + 2 * pp,   0 };
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_PIPELINE_CHART, NULL);
  SwPipeline pipeline;

  for (guint i = 0; i < pp; i++)
    {
      double scale = i + 1 == pp ? second : 1;

      times[i] = scale;
      times[pp + i] = 2 * scale;
      times[2 * pp + i] = scale;
    }
  sw_pipeline_simulate (&spec, &pipeline);
  shardwise_pipeline_chart_set_pipeline (SHARDWISE_PIPELINE_CHART (chart), &pipeline, pp,
                                         micro_batches);
  return chart;
}

static inline graphene_rect_t
area_of (ShardwiseChart *chart, guint point)
{
  graphene_rect_t area;

  g_assert_true (SHARDWISE_CHART_GET_CLASS (chart)->point_area (chart, point, &area));
  return area;
}

/* A pixel near the left edge of a point, clear of the number in its middle. */
static inline guint32
color_at (cairo_surface_t *picture, graphene_rect_t area)
{
  return ui_pixel (picture, area.origin.x + 3, area.origin.y + area.size.height / 2);
}
