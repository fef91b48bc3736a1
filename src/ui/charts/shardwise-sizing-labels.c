/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands beside the lines of the sizing chart: strategies where they change, and marked
 * sizes. */
#include "shardwise-sizing-chart-private.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include "shardwise-chart-draw.h"

#define MOST_LABELS 128 /* and leaders */
#define LINE_GAP 1.0    /* pixels between a label and a line */
#define LABEL_GAP 4     /* pixels between two labels */
#define LEADER_FROM 12  /* pixels between a point and its label */
#define LABEL_STEPS 5   /* half lines that a label may be away from its point */

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

/* Whether a piece of a line, from left to right, crosses or touches an area. */
static gboolean
meets (const graphene_rect_t *area, double x0, double y0, double x1, double y1)
{
  double left = area->origin.x - LINE_GAP, right = area->origin.x + area->size.width + LINE_GAP,
         from = MAX (x0, left), to = MIN (x1, right), at_from, at_to;

  if (from > to || !(x1 > x0))
    return FALSE;
  at_from = y0 + (y1 - y0) * (from - x0) / (x1 - x0);
  at_to = y0 + (y1 - y0) * (to - x0) / (x1 - x0);
  return MAX (at_from, at_to) >= area->origin.y - LINE_GAP
         && MIN (at_from, at_to) <= area->origin.y + area->size.height + LINE_GAP;
}

/* The dashed line is straight, as both axes are logarithmic. */
static gboolean
meets_ideal (ShardwiseSizingChart *self, const graphene_rect_t *area)
{
  const ShardwiseSizingPoint *reference = self->series[0].reference;
  double each = reference != NULL ? reference->estimate.tokens_per_s / reference->gpus : 0;

  return each > 0
         && meets (area, self->gpus.start,
                   shardwise_axis_to_pixel (&self->throughput, each * self->gpus.min),
                   self->gpus.end,
                   shardwise_axis_to_pixel (&self->throughput, each * self->gpus.max));
}

static gboolean
meets_series (ShardwiseSizingChart *self, const ShardwiseSizingSeries *series,
              const graphene_rect_t *area)
{
  for (guint i = 1; i < shardwise_sizing_series_length (series); i++)
    {
      const ShardwiseSizingPoint *a = shardwise_sizing_series_at (series, i - 1),
                                 *b = shardwise_sizing_series_at (series, i);

      if (a->estimate.fits && b->estimate.fits
          && meets (area, shardwise_sizing_chart_x (self, a->gpus),
                    shardwise_axis_to_pixel (&self->throughput, a->estimate.tokens_per_s),
                    shardwise_sizing_chart_x (self, b->gpus),
                    shardwise_axis_to_pixel (&self->throughput, b->estimate.tokens_per_s)))
        return TRUE;
    }
  return FALSE;
}

static gboolean
meets_mark (ShardwiseSizingChart *self, const graphene_rect_t *area)
{
  const guint marks[] = { self->least, self->sensible, self->present };

  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    {
      double x = marks[i] > 0 ? shardwise_sizing_chart_x (self, marks[i]) : -1;

      if (x >= area->origin.x - LINE_GAP && x <= area->origin.x + area->size.width + LINE_GAP)
        return TRUE;
    }
  return FALSE;
}

/* Whether a label would cover no line, no other label and nothing outside its panel. */
static gboolean
has_room (ShardwiseSizingChart *self, const graphene_rect_t *area, const Taken *taken)
{
  if (area->origin.x < self->gpus.start || area->origin.x + area->size.width > self->gpus.end
      || area->origin.y < self->throughput.end
      || area->origin.y + area->size.height > self->throughput.start || !is_free (taken, area)
      || meets_ideal (self, area) || meets_mark (self, area))
    return FALSE;
  for (guint i = 0; i < SHARDWISE_SIZING_SERIES; i++)
    if (meets_series (self, &self->series[i], area))
      return FALSE;
  return TRUE;
}

/* The line from a point to its label, where other things stand between them; empty where none is
 * needed. */
static void
find_leader (double x, double y, const graphene_rect_t *area, graphene_rect_t *out)
{
  double top = area->origin.y, bottom = top + area->size.height;

  graphene_rect_init (out, x, y, 0, 0);
  if (top > y + LEADER_FROM)
    graphene_rect_init (out, x, y + SHARDWISE_SIZING_RADIUS + 1, 1,
                        top - y - SHARDWISE_SIZING_RADIUS - 1);
  else if (bottom < y - LEADER_FROM)
    graphene_rect_init (out, x, bottom, 1, y - SHARDWISE_SIZING_RADIUS - 1 - bottom);
}

/* Whether a label has room with its leader, which may cross lines, but no other label. */
static gboolean
can_stand (ShardwiseSizingChart *self, double x, double y, const graphene_rect_t *area,
           const Taken *taken)
{
  graphene_rect_t leader;

  find_leader (x, y, area, &leader);
  return has_room (self, area, taken) && (leader.size.height <= 0 || is_free (taken, &leader));
}

/* Where a label of this size has room: beside its point, to the right under a rising line or to the
 * left above it, else lower, else higher. */
static gboolean
place_label (ShardwiseSizingChart *self, double x, double y, int width, int height,
             const Taken *taken, graphene_rect_t *out)
{
  const double near[][2] = { { x + 5, y + 4 }, { x - 5 - width, y - 4 - height } };
  const double lefts[] = { x - width / 2.0, x + 5, x - width };

  for (guint i = 0; i < G_N_ELEMENTS (near); i++)
    {
      graphene_rect_init (out, near[i][0], near[i][1], width, height);
      if (can_stand (self, x, y, out, taken))
        return TRUE;
    }
  for (guint step = 0; step < 2 * LABEL_STEPS; step++)
    for (guint i = 0; i < G_N_ELEMENTS (lefts); i++)
      {
        double away = 8 + step % LABEL_STEPS * height / 2.0;

        graphene_rect_init (out, lefts[i], step < LABEL_STEPS ? y + away : y - away - height, width,
                            height);
        if (can_stand (self, x, y, out, taken))
          return TRUE;
      }
  return FALSE;
}

/* With a gap on both sides, so that two labels do not read as one. */
static void
take (Taken *taken, const graphene_rect_t *area)
{
  if (taken->n < MOST_LABELS)
    graphene_rect_inset_r (area, -LABEL_GAP, 0, &taken->areas[taken->n++]);
}

/* A label at each point whose degrees differ from those of the label before. Where its neighbour
 * takes the room, the readout and the table say it. */
static void
draw_strategies (ShardwiseSizingChart *self, GtkSnapshot *snapshot,
                 const ShardwiseChartStyle *style, const ShardwiseSizingSeries *series,
                 Taken *taken)
{
  ShardwiseChart *chart = SHARDWISE_CHART (self);
  int height = shardwise_draw_line_height (chart);
  g_autofree char *last = NULL;

  for (guint i = 0; i < shardwise_sizing_series_length (series); i++)
    {
      const ShardwiseSizingPoint *point = shardwise_sizing_series_at (series, i);
      g_autofree char *text = point->estimate.fits
                                  ? shardwise_sizing_strategy_text (&point->estimate.strategy)
                                  : NULL;
      double x = shardwise_sizing_chart_x (self, point->gpus),
             y = shardwise_axis_to_pixel (&self->throughput, point->estimate.tokens_per_s);
      graphene_rect_t area, leader;

      if (text == NULL || g_strcmp0 (text, last) == 0
          || !place_label (self, x, y, shardwise_draw_text_width (chart, text), height, taken,
                           &area))
        continue;
      find_leader (x, y, &area, &leader);
      if (leader.size.height > 0)
        {
          gtk_snapshot_append_color (snapshot, &style->dim, &leader);
          take (taken, &leader);
        }
      shardwise_draw_text (chart, snapshot, text, &style->text, area.origin.x, area.origin.y, 0, 0);
      take (taken, &area);
      g_free (last);
      last = g_steal_pointer (&text);
    }
}

/* Where the name of a mark at `x` has room: over its line in one of two rows, else beside the line
 * there. FALSE: nowhere. */
static gboolean
place_name (ShardwiseSizingChart *self, double x, int width, const double taken[2], double *left,
            guint *row)
{
  const double middle = CLAMP (x - width / 2.0, self->gpus.start,
                               MAX (self->gpus.end - width, self->gpus.start));
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
  shardwise_sizing_chart_draw_upright (self, snapshot, &rgba, x);
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

/* Draws what is the least, the sensible and the present size. */
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

/* Draws the strategy at points where there is room for its words. */
void
shardwise_sizing_chart_draw_strategies (ShardwiseSizingChart *self, GtkSnapshot *snapshot,
                                        const ShardwiseChartStyle *style)
{
  Taken taken = { .n = 0 };

  for (guint i = 0; i < SHARDWISE_SIZING_SERIES; i++)
    draw_strategies (self, snapshot, style, &self->series[i], &taken);
}
