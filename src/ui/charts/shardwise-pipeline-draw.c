/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-pipeline-chart-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-chart-draw.h"
#include "shardwise-texts.h"

#define ROW_MOST 48
#define ROW_LEAST 9
#define WIDE 2.0      /* pixels from which on a task has a rectangle of its own */
#define RUN 8.0       /* pixels that narrower ones are merged into */
#define READABLE 15.0 /* pixels of a forward task that is seen at first */

static ShardwiseColor
color_of (const SwTask *task)
{
  switch (task->kind)
    {
    case SW_TASK_FORWARD:
      return SHARDWISE_COLOR_COMPUTE;
    case SW_TASK_BACKWARD_WEIGHT:
      return SHARDWISE_COLOR_BACKWARD_WEIGHT;
    default:
      return SHARDWISE_COLOR_BACKWARD;
    }
}

static double
mean_forward (ShardwisePipelineChart *self)
{
  double sum = 0;
  guint n = 0;

  for (guint i = 0; i < shardwise_pipeline_chart_n_tasks (self); i++)
    {
      const SwTask *task = shardwise_pipeline_chart_task (self, i);

      if (task->kind != SW_TASK_FORWARD)
        continue;
      sum += task->end_s - task->start_s;
      n++;
    }
  return n > 0 ? sum / n : 0;
}

/* When the first rank ends its first backward pass: before that there is no more than a warm-up to see. */
static double
warmed_up (ShardwisePipelineChart *self)
{
  for (guint i = 0; i < self->first[1]; i++)
    if (shardwise_pipeline_chart_task (self, i)->kind != SW_TASK_FORWARD)
      return shardwise_pipeline_chart_task (self, i)->end_s;
  return 0;
}

/* The whole step, or as much of its beginning as can be read: once, when the width is known. */
static void
choose_view (ShardwisePipelineChart *self)
{
  double readable = mean_forward (self) / READABLE * (self->plot.size.width - self->label_width);

  self->view_start = 0;
  self->view_span = readable > 0 ? MAX (readable, warmed_up (self) * 1.2) : self->pipeline.total_s;
  self->fresh = FALSE;
  shardwise_pipeline_chart_clamp_view (self);
}

int
shardwise_pipeline_chart_plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);

  int below = 2 * shardwise_draw_axis_height (chart);

  *minimum = (int) self->ranks * ROW_LEAST + below;
  return (int) self->ranks * MAX (26, shardwise_draw_axis_height (chart)) + below;
}

static char *
rank_label (guint rank)
{
  /* Translators: a rank of the pipeline, as the label of a row */
  return g_strdup_printf (_ ("Rank %u"), rank);
}

void
shardwise_pipeline_chart_layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);
  g_autofree char *label = rank_label (self->ranks > 0 ? self->ranks - 1 : 0);
  /* Below are the axis, and the strip that shows which part of the step is seen and says so. */
  double height = plot->size.height - 2 * shardwise_draw_axis_height (chart);

  self->plot = *plot;
  self->label_width = shardwise_draw_text_width (chart, label) + 8;
  self->top = plot->origin.y;
  self->row_height = self->ranks > 0 ? MIN (ROW_MOST, height / self->ranks) : ROW_MOST;
  if (self->fresh && shardwise_pipeline_chart_n_tasks (self) > 0)
    choose_view (self);
  self->time =
    (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, self->view_start, self->view_start + self->view_span,
                     plot->origin.x + self->label_width, plot->origin.x + plot->size.width - 1 };
}

static void
draw_axis (ShardwisePipelineChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  double ticks[SHARDWISE_AXIS_MAX_TICKS],
    bottom = shardwise_pipeline_chart_row_top (self, self->ranks);
  guint most = (guint) CLAMP ((self->time.end - self->time.start) / (6 * shardwise_draw_line_height (SHARDWISE_CHART (self))), 2, 12);
  guint n = shardwise_axis_ticks (&self->time, most, ticks);
  double step = n > 1 ? ticks[1] - ticks[0] : self->view_span;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = shardwise_draw_time_label (ticks[i], step);
      double x = shardwise_axis_to_pixel (&self->time, ticks[i]);
      double half = shardwise_draw_text_width (SHARDWISE_CHART (self), label) / 2.0;

      shardwise_draw_line (snapshot, &style->grid, x, self->top, 1, bottom - self->top + 4);
      shardwise_draw_text (SHARDWISE_CHART (self), snapshot, label, &style->dim,
                           CLAMP (x, self->time.start + half, self->time.end - half), bottom + 5,
                           0.5, 0);
    }
}

static char *
describe_view (ShardwisePipelineChart *self)
{
  g_autofree char *from = shardwise_format_seconds (self->view_start);
  g_autofree char *to = shardwise_format_seconds (self->view_start + self->view_span);
  g_autofree char *total = shardwise_format_seconds (self->pipeline.total_s);

  /* Translators: three times: the ends of what is seen, and the length of the whole */
  return g_strdup_printf (_ ("Seen: %s to %s of %s. 0 shows all, Ctrl and scroll zooms."), from, to,
                          total);
}

static void
draw_overview (ShardwisePipelineChart *self, GtkSnapshot *snapshot,
               const ShardwiseChartStyle *style)
{
  double y = shardwise_pipeline_chart_row_top (self, self->ranks) + shardwise_draw_axis_height (SHARDWISE_CHART (self)) + 2,
         width = self->time.end - self->time.start;
  double total = self->pipeline.total_s;
  g_autofree char *seen = NULL;

  if (shardwise_pipeline_chart_sees_all (self))
    return;
  seen = describe_view (self);
  shardwise_draw_text_within (SHARDWISE_CHART (self), snapshot, seen, &style->dim, self->time.start,
                              y + 6, width, 0);
  shardwise_draw_line (snapshot, &style->grid, self->time.start, y, width, 4);
  shardwise_draw_line (snapshot, &style->dim, self->time.start + self->view_start / total * width,
                       y, MAX (self->view_span / total * width, 3), 4);
}

/* What is narrower than two pixels is merged into runs: their colour is the mean of what runs there, their opacity
 * the share of time in which something runs. */
typedef struct {
  cairo_t *cr;
  const ShardwiseChartStyle *style;
  GdkRGBA colors[SHARDWISE_N_COLORS];
  double y, height;
  double start, end, busy, red, green, blue; /* the open run, pixels */
} Painter;

static void
flush (Painter *painter)
{
  double left = round (painter->start), width = MAX (round (painter->end) - left, 1),
         busy = painter->busy;

  if (busy > 0)
    {
      cairo_set_source_rgba (painter->cr, painter->red / busy, painter->green / busy,
                             painter->blue / busy,
                             MIN (busy / MAX (painter->end - painter->start, 1), 1));
      cairo_rectangle (painter->cr, left, painter->y, width, painter->height);
      cairo_fill (painter->cr);
    }
  painter->busy = painter->red = painter->green = painter->blue = 0;
}

static void
merge (Painter *painter, ShardwiseColor color, double start, double end)
{
  const GdkRGBA *rgba = &painter->colors[color];
  double width = end - start;

  if (painter->busy > 0 && (start - painter->end > 1 || end - painter->start > RUN))
    flush (painter);
  if (painter->busy <= 0)
    painter->start = start;
  painter->end = end;
  painter->busy += width;
  painter->red += rgba->red * width;
  painter->green += rgba->green * width;
  painter->blue += rgba->blue * width;
}

static void
paint_alone (Painter *painter, ShardwiseColor color, double start, double end)
{
  double left = round (start), width = MAX (round (end) - left - (end - start > 4 ? 1 : 0), 1);

  flush (painter);
  gdk_cairo_set_source_rgba (painter->cr, &painter->colors[color]);
  cairo_rectangle (painter->cr, left, painter->y, width, painter->height);
  cairo_fill (painter->cr);
  if (painter->style->high_contrast && width > 4)
    {
      GdkRGBA line;

      shardwise_palette_text_on (&painter->colors[color], &line);
      shardwise_palette_hatch (painter->cr, shardwise_palette_pattern (color), &line, left,
                               painter->y, width, painter->height);
    }
}

static void
paint_row (ShardwisePipelineChart *self, Painter *painter, guint rank)
{
  double gap = 2;

  painter->y = round (shardwise_pipeline_chart_row_top (self, rank)) + gap / 2;
  painter->height = floor (self->row_height) - gap;
  for (guint i = shardwise_pipeline_chart_first_after (self, rank, self->time.min);
       i < self->first[rank + 1]; i++)
    {
      const SwTask *task = shardwise_pipeline_chart_task (self, i);
      double start = shardwise_axis_to_pixel (&self->time, task->start_s);
      double end = shardwise_axis_to_pixel (&self->time, task->end_s);

      if (task->start_s > self->time.max)
        break;
      if (end - start >= WIDE)
        paint_alone (painter, color_of (task), start, end);
      else
        merge (painter, color_of (task), start, end);
    }
  flush (painter);
}

/* What is idle: the rows between the ends of the step, hatched in one go. */
static void
paint_bubble (ShardwisePipelineChart *self, cairo_t *cr, const ShardwiseChartStyle *style)
{
  double from = MAX (shardwise_axis_to_pixel (&self->time, 0), self->time.start);
  double to = MIN (shardwise_axis_to_pixel (&self->time, self->pipeline.total_s), self->time.end);
  GdkRGBA line;

  shardwise_palette_get (SHARDWISE_COLOR_BUBBLE, style->dark, &line);
  cairo_save (cr);
  for (guint rank = 0; rank < self->ranks; rank++)
    cairo_rectangle (cr, round (from), round (shardwise_pipeline_chart_row_top (self, rank)) + 1,
                     round (to - from), MAX (floor (self->row_height) - 2, 1));
  cairo_clip (cr);
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE); /* 45 degrees: smooth without, and quicker */
  shardwise_palette_hatch (cr, SHARDWISE_PATTERN_RISING, &line, from, self->top, to - from,
                           self->ranks * self->row_height);
  cairo_restore (cr);
}

static void
paint_tasks (ShardwisePipelineChart *self, cairo_t *cr, const ShardwiseChartStyle *style)
{
  Painter painter = { cr, style };

  for (guint i = 0; i < SHARDWISE_N_COLORS; i++)
    shardwise_palette_get (i, style->dark, &painter.colors[i]);
  paint_bubble (self, cr, style);
  for (guint rank = 0; rank < self->ranks; rank++)
    paint_row (self, &painter, rank);
}

static GdkTexture *
texture_of (cairo_surface_t *surface)
{
  int width = cairo_image_surface_get_width (surface), height = cairo_image_surface_get_height (surface);
  gsize stride = (gsize) cairo_image_surface_get_stride (surface);
  g_autoptr (GBytes) bytes = NULL;

  cairo_surface_flush (surface);
  bytes = g_bytes_new_with_free_func (cairo_image_surface_get_data (surface), stride * height,
                                      (GDestroyNotify) cairo_surface_destroy, surface);
  return gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes, stride);
}

/* On the screen the rectangles, thousands of them, are painted once: what moves above them costs a copy of pixels. */
static void
draw_tasks (ShardwisePipelineChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  graphene_rect_t area =
    GRAPHENE_RECT_INIT (floorf (self->time.start), floorf (self->top),
                        ceilf (self->time.end) - floorf (self->time.start),
                        ceilf (self->ranks * self->row_height));
  int scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
  g_autoptr (GdkTexture) texture = NULL;
  cairo_surface_t *surface = NULL;
  cairo_t *cr;

  if (style->vector)
    {
      cr = gtk_snapshot_append_cairo (snapshot, &area);
    }
  else
    {
      surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) area.size.width * scale,
                                            (int) area.size.height * scale);
      cr = cairo_create (surface);
      cairo_scale (cr, scale, scale);
      cairo_translate (cr, -area.origin.x, -area.origin.y);
    }
  paint_tasks (self, cr, style);
  cairo_destroy (cr);
  if (surface == NULL)
    return;
  texture = texture_of (surface);
  gtk_snapshot_append_texture (snapshot, texture, &area);
}

static PangoLayout *
number_layout (ShardwisePipelineChart *self, GHashTable *layouts, guint number)
{
  PangoLayout *found = g_hash_table_lookup (layouts, GUINT_TO_POINTER (number));
  g_autofree char *text = NULL;

  if (found != NULL)
    return found;
  text = g_strdup_printf ("%u", number);
  found = shardwise_draw_layout (SHARDWISE_CHART (self), text, 0.75, FALSE);
  g_hash_table_insert (layouts, GUINT_TO_POINTER (number), found);
  return found;
}

static void
draw_number (ShardwisePipelineChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
             GHashTable *layouts, const SwTask *task)
{
  double start = shardwise_axis_to_pixel (&self->time, task->start_s);
  double end = shardwise_axis_to_pixel (&self->time, task->end_s);
  PangoLayout *number;
  GdkRGBA fill, text;
  int width;

  if (end - start < 8 || start < self->time.start || end > self->time.end + 1)
    return;
  number = number_layout (self, layouts, task->micro_batch);
  pango_layout_get_pixel_size (number, &width, NULL);
  if (width + 3 > end - start)
    return;
  shardwise_palette_get (color_of (task), style->dark, &fill);
  shardwise_palette_text_on (&fill, &text);
  if (style->high_contrast) /* clear of the pattern */
    gtk_snapshot_append_color (
      snapshot, &fill,
      &GRAPHENE_RECT_INIT ((start + end - width) / 2 - 1,
                           shardwise_pipeline_chart_row_top (self, task->rank) + 3, width + 2,
                           self->row_height - 6));
  shardwise_draw_layout_at (
    snapshot, number, &text, (start + end) / 2,
    shardwise_pipeline_chart_row_top (self, task->rank) + self->row_height / 2, 0.5, 0.5);
}

static void
draw_numbers (ShardwisePipelineChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  g_autoptr (GHashTable) layouts = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);

  if (self->row_height < 13)
    return;
  for (guint rank = 0; rank < self->ranks; rank++)
    for (guint i = shardwise_pipeline_chart_first_after (self, rank, self->time.min);
         i < self->first[rank + 1]; i++)
      {
        if (shardwise_pipeline_chart_task (self, i)->start_s > self->time.max)
          break;
        draw_number (self, snapshot, style, layouts, shardwise_pipeline_chart_task (self, i));
      }
}

static void
draw_row_labels (ShardwisePipelineChart *self, GtkSnapshot *snapshot,
                 const ShardwiseChartStyle *style)
{
  guint every =
    (guint) MAX (1, ceil (shardwise_draw_line_height (SHARDWISE_CHART (self)) / self->row_height));

  for (guint rank = 0; rank < self->ranks; rank += every)
    {
      g_autofree char *label = rank_label (rank);

      shardwise_draw_text (
        SHARDWISE_CHART (self), snapshot, label, &style->text, self->plot.origin.x,
        shardwise_pipeline_chart_row_top (self, rank) + self->row_height / 2, 0, 0.5);
    }
}

void
shardwise_pipeline_chart_draw (ShardwiseChart *chart, GtkSnapshot *snapshot,
                               const ShardwiseChartStyle *style)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);

  if (shardwise_pipeline_chart_n_tasks (self) == 0)
    return;
  draw_row_labels (self, snapshot, style);
  draw_tasks (self, snapshot, style);
  draw_numbers (self, snapshot, style);
  draw_axis (self, snapshot, style);
  draw_overview (self, snapshot, style);
}
