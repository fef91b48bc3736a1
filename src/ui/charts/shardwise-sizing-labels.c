/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands beside the lines of the sizing chart: strategies where they change, and marked sizes. */
#include "shardwise-sizing-chart-private.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include "shardwise-chart-draw.h"

#define MOST_LABELS 64

/* Where labels are. */
typedef struct {
  graphene_rect_t areas[MOST_LABELS];
  guint n;
} Taken;

static gboolean
is_free (const Taken *taken, const graphene_rect_t *area)
{
  for (guint i = 0; i < taken->n; i++)
    if (graphene_rect_intersection (area, &taken->areas[i], NULL))
      return FALSE;
  return taken->n < MOST_LABELS;
}

/* Where a label of this size has room beside its point, clear of a rising line: to the right under it, else to the left
 * above it. */
static gboolean
place_label (ShardwiseSizingChart *self, double x, double y, int width, int height,
             const Taken *taken, graphene_rect_t *out)
{
  const double tops[2] = { y + 4, y - 4 - height };
  const double lefts[2] = { x + 5, x - 5 - width };

  for (guint i = 0; i < 2; i++)
    {
      graphene_rect_init (out, lefts[i], tops[i], width, height);
      if (lefts[i] >= self->gpus.start && lefts[i] + width <= self->gpus.end
          && tops[i] >= self->throughput.end && tops[i] + height <= self->throughput.start
          && is_free (taken, out))
        return TRUE;
    }
  return FALSE;
}

/* A label at each point whose degrees differ from those of the label before. Where its neighbour takes the room, the
 * readout and the table say it. */
static void
draw_strategies (ShardwiseSizingChart *self, GtkSnapshot *snapshot,
                 const ShardwiseChartStyle *style, const ShardwiseSizingSeries *series, Taken *taken)
{
  ShardwiseChart *chart = SHARDWISE_CHART (self);
  int height = shardwise_draw_line_height (chart);
  g_autofree char *last = NULL;

  for (guint i = 0; i < shardwise_sizing_series_length (series); i++)
    {
      const ShardwiseSizingPoint *point = shardwise_sizing_series_at (series, i);
      g_autofree char *text =
        point->estimate.fits ? shardwise_sizing_strategy_text (&point->estimate.strategy) : NULL;
      double x = shardwise_sizing_chart_x (self, point->gpus),
             y = shardwise_axis_to_pixel (&self->throughput, point->estimate.tokens_per_s);
      graphene_rect_t area;

      if (text == NULL || g_strcmp0 (text, last) == 0
          || !place_label (self, x, y, shardwise_draw_text_width (chart, text), height, taken, &area))
        continue;
      shardwise_draw_text (chart, snapshot, text, &style->text, area.origin.x, area.origin.y, 0, 0);
      taken->areas[taken->n++] = area;
      g_free (last);
      last = g_steal_pointer (&text);
    }
}

/* Where the name of a mark at `x` has room: over its line in one of two rows, else beside the line there. FALSE: nowhere. */
static gboolean
place_name (ShardwiseSizingChart *self, double x, int width, const double taken[2], double *left,
            guint *row)
{
  const double middle =
    CLAMP (x - width / 2.0, self->gpus.start, MAX (self->gpus.end - width, self->gpus.start));
  const double places[] = { middle, x + 3 };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    for (*row = 0; *row < 2; ++*row)
      if (places[i] >= taken[*row] && places[i] + width <= self->gpus.end + 1)
        {
          *left = places[i];
          return TRUE;
        }
  return FALSE;
}

/* A line at a size with its name over it. */
static void
draw_mark (ShardwiseSizingChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
           guint gpus, ShardwiseColor color, const char *text, double taken[2])
{
  ShardwiseChart *chart = SHARDWISE_CHART (self);
  double x = shardwise_sizing_chart_x (self, gpus), top = self->throughput.end, left;
  int width = shardwise_draw_text_width (chart, text), height = shardwise_draw_line_height (chart);
  GdkRGBA rgba;
  guint row;

  if (gpus == 0 || x < self->gpus.start || x > self->gpus.end)
    return;
  shardwise_palette_get (color, style->dark, &rgba);
  shardwise_draw_line (snapshot, &rgba, x, top, 1, self->efficiency.start - top);
  if (!place_name (self, x, width, taken, &left, &row))
    return;
  shardwise_draw_text (chart, snapshot, text, &rgba, left, top - 2 - row * height, 0, 1);
  taken[row] = left + width + 8;
}

typedef struct {
  guint gpus;
  ShardwiseColor color;
  const char *text;
} Mark;

static int
compare_marks (gconstpointer a, gconstpointer b)
{
  guint left = ((const Mark *) a)->gpus, right = ((const Mark *) b)->gpus;

  return (left > right) - (left < right);
}

void
shardwise_sizing_chart_draw_marks (ShardwiseSizingChart *self, GtkSnapshot *snapshot,
                                   const ShardwiseChartStyle *style)
{
  Mark marks[] = {
    { self->least == self->sensible ? 0 : self->least, SHARDWISE_COLOR_OTHER, _ ("least") },
    { self->sensible == self->present ? 0 : self->sensible, SHARDWISE_COLOR_DATA, _ ("sensible") },
    { self->present, SHARDWISE_COLOR_PIPELINE, _ ("now") },
  };
  /* The upper row begins with the title of the axis. */
  double taken[2] = { 0, shardwise_draw_text_width (SHARDWISE_CHART (self), _ ("tokens/s")) + 8 };

  qsort (marks, G_N_ELEMENTS (marks), sizeof marks[0], compare_marks);
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    draw_mark (self, snapshot, style, marks[i].gpus, marks[i].color, marks[i].text, taken);
}

void
shardwise_sizing_chart_draw_strategies (ShardwiseSizingChart *self, GtkSnapshot *snapshot,
                                        const ShardwiseChartStyle *style)
{
  Taken taken = { .n = 0 };

  for (guint i = 0; i < SHARDWISE_SIZING_SERIES; i++)
    draw_strategies (self, snapshot, style, &self->series[i], &taken);
}
