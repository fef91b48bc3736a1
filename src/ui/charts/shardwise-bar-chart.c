/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-bar-chart.h"

#define NARROW 32      /* lines of text: a narrower chart has texts above its bars */
#define GAP 10         /* between texts and bar */
#define LABEL_MOST 0.3 /* of the width, for the labels */
#define STRETCH 2.2    /* maximum height of a row in a chart of few rows, relative to its minimum */
#define STRETCH_NARROW 1.5
#define BAR_SHARE 0.7 /* of a row that has room */
#define BAR_NARROW 16
#define FOOT 6 /* below the bar of a narrow row at its minimum height */

typedef struct {
  GArray *rows; /* ShardwiseBarRow elements */
  ShardwiseBarRows place;
} ShardwiseBarChartPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ShardwiseBarChart, shardwise_bar_chart, SHARDWISE_TYPE_CHART)

static ShardwiseBarChartPrivate *
private_of (gpointer self)
{
  return shardwise_bar_chart_get_instance_private (self);
}

/**
 * shardwise_bar_chart_get_row:
 * @self: a chart
 * @index: the index of a row
 *
 * Returns: (transfer none): its texts, until another row is added
 */
ShardwiseBarRow *
shardwise_bar_chart_get_row (ShardwiseBarChart *self, guint index)
{
  return &g_array_index (private_of (self)->rows, ShardwiseBarRow, index);
}

/**
 * shardwise_bar_chart_clear:
 * @self: a chart
 *
 * Removes all rows.
 */
void
shardwise_bar_chart_clear (ShardwiseBarChart *self)
{
  g_array_set_size (private_of (self)->rows, 0);
}

/**
 * shardwise_bar_chart_add_row:
 * @self: a chart
 * @row: (transfer full): the texts of a new row at the end
 */
void
shardwise_bar_chart_add_row (ShardwiseBarChart *self, ShardwiseBarRow row)
{
  g_array_append_val (private_of (self)->rows, row);
}

/* Layout */

static gboolean
is_narrow (ShardwiseChart *chart, double width)
{
  return width < NARROW * shardwise_draw_line_height (chart);
}

static double
natural_row (ShardwiseChart *chart, gboolean narrow)
{
  int line = shardwise_draw_line_height (chart);

  return narrow ? line + BAR_NARROW + 12 : MAX (line, 20) + 8;
}

static double
stretched_row (ShardwiseChart *chart, gboolean narrow)
{
  return natural_row (chart, narrow) * (narrow ? STRETCH_NARROW : STRETCH);
}

static int
plot_most (ShardwiseChart *chart, int width)
{
  return (int) (private_of (chart)->rows->len * stretched_row (chart, is_narrow (chart, width)))
         + shardwise_draw_axis_height (chart);
}

/* Notes take a second line in a narrow chart. */
static int
plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  const guint n = private_of (chart)->rows->len;
  gboolean narrow = is_narrow (chart, width), has_notes = FALSE;

  *minimum = (int) (n * natural_row (chart, narrow)) + shardwise_draw_axis_height (chart);
  for (guint i = 0; i < n; i++)
    has_notes |= shardwise_bar_chart_get_row (SHARDWISE_BAR_CHART (chart), i)->note != NULL;
  if (narrow && has_notes)
    *minimum = MIN (*minimum + (int) n * shardwise_draw_line_height (chart),
                    plot_most (chart, width));
  return *minimum;
}

static double
widest (ShardwiseBarChart *self, gboolean values)
{
  double width = 0;

  for (guint i = 0; i < private_of (self)->rows->len; i++)
    {
      const ShardwiseBarRow *row = shardwise_bar_chart_get_row (self, i);
      int pixels;

      pango_layout_get_pixel_size (shardwise_draw_line_layout (SHARDWISE_CHART (self),
                                                               values ? row->value : row->label,
                                                               0.85, row->strong),
                                   &pixels, NULL);
      width = MAX (width, pixels);
    }
  return width;
}

static void
layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwiseBarChart *self = SHARDWISE_BAR_CHART (chart);
  ShardwiseBarRows *rows = &private_of (self)->place;
  double left = plot->origin.x, right = plot->origin.x + plot->size.width, most;

  rows->n = private_of (self)->rows->len;
  rows->narrow = is_narrow (chart, plot->size.width);
  rows->top = plot->origin.y;
  rows->text_left = left;
  rows->text_right = right;
  most = stretched_row (chart, rows->narrow);
  rows->row_height =
      rows->n > 0 ? MIN ((plot->size.height - shardwise_draw_axis_height (chart)) / rows->n, most)
                  : most;
  rows->foot = FOOT
               + CLAMP (rows->row_height - natural_row (chart, TRUE), 0,
                        shardwise_draw_line_height (chart));
  rows->bar_height = rows->narrow
                         ? BAR_NARROW
                         : CLAMP (rows->row_height * BAR_SHARE, 4, MAX (rows->row_height - 8, 4));
  if (!rows->narrow)
    {
      left += MIN (widest (self, FALSE), plot->size.width * LABEL_MOST) + GAP;
      right -= widest (self, TRUE) + GAP;
    }
  rows->axis = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, 1, left, MAX (right, left + 1) };
  SHARDWISE_BAR_CHART_GET_CLASS (self)->set_range (self, &rows->axis);
}

/**
 * shardwise_bar_rows_bar_y:
 *
 * Returns: the upper edge of a row's bar, pixels
 */
double
shardwise_bar_rows_bar_y (const ShardwiseBarRows *rows, guint row)
{
  double y = rows->top + row * rows->row_height;

  return rows->narrow ? y + rows->row_height - rows->bar_height - rows->foot
                      : y + (rows->row_height - rows->bar_height) / 2;
}

/**
 * shardwise_bar_rows_bottom:
 *
 * Returns: the lower edge of the last row, pixels
 */
double
shardwise_bar_rows_bottom (const ShardwiseBarRows *rows)
{
  return rows->top + rows->n * rows->row_height;
}

/* Drawing */

/* The lines of the axis do not cross the texts. */
static void
draw_clear (const ShardwisePen *pen, PangoLayout *layout, const GdkRGBA *color, double x, double y,
            double xalign, double yalign)
{
  int width, height;

  pango_layout_get_pixel_size (layout, &width, &height);
  gtk_snapshot_append_color (
      pen->snapshot, &pen->card,
      &GRAPHENE_RECT_INIT (x - width * xalign - 1, y - height * yalign, width + 2, height));
  shardwise_draw_layout_at (pen, layout, color, x, y, xalign, yalign);
}

/* The label and value of a row; if it has no bar, the reason in its place. */
static void
draw_texts (const ShardwiseBarRows *rows, const ShardwisePen *pen, guint index,
            const ShardwiseBarRow *row)
{
  g_autoptr (PangoLayout) name = shardwise_draw_layout (pen->chart, row->label, 0.85, row->strong);
  PangoLayout *value = shardwise_draw_line_layout (pen->chart, row->value, 0.85, row->strong);
  double bar = shardwise_bar_rows_bar_y (rows, index),
         y = rows->narrow ? bar - 2 : bar + rows->bar_height / 2, yalign = rows->narrow ? 1 : 0.5;
  int value_width;
  double width;

  pango_layout_get_pixel_size (value, &value_width, NULL);
  width = (rows->narrow ? rows->text_right - GAP - value_width : rows->axis.start - GAP / 2.0)
          - rows->text_left;
  pango_layout_set_width (name, (int) (MAX (width, 1) * PANGO_SCALE));
  pango_layout_set_ellipsize (name, PANGO_ELLIPSIZE_END);
  draw_clear (pen, name, &pen->text, rows->text_left, y, 0, yalign);
  draw_clear (pen, value, &pen->text, rows->text_right, y, 1, yalign);
  if (row->note != NULL)
    {
      g_autoptr (PangoLayout) note = shardwise_draw_layout (pen->chart, row->note, 0.85, FALSE);

      width = rows->axis.end - rows->axis.start;
      pango_layout_set_width (note, (int) (MAX (width, 1) * PANGO_SCALE));
      pango_layout_set_ellipsize (note, PANGO_ELLIPSIZE_END);
      if (rows->narrow)
        pango_layout_set_height (note, -2); /* lines */
      draw_clear (pen, note, &pen->dim, rows->axis.start, rows->narrow ? bar : y, 0,
                  rows->narrow ? 0 : 0.5);
    }
}

/* The axis under the rows with its lines behind them, the bars, and the texts over both. */
static void
draw (ShardwiseChart *chart, const ShardwisePen *pen)
{
  ShardwiseBarChart *self = SHARDWISE_BAR_CHART (chart);
  ShardwiseBarChartClass *klass = SHARDWISE_BAR_CHART_GET_CLASS (self);
  const ShardwiseBarRows *rows = &private_of (self)->place;
  double bottom = shardwise_bar_rows_bottom (rows);
  const ShardwiseTicks ticks = { .each = 3.8,
                                 .most = 10,
                                 .spans = { { rows->top, bottom + 4 } },
                                 .label_y = bottom + 5,
                                 .left = rows->text_left,
                                 .right = rows->text_right,
                                 .format = klass->format };

  if (private_of (self)->rows->len == 0)
    return;
  shardwise_draw_level_axis (pen, &rows->axis, &ticks);
  klass->draw_bars (self, pen, rows);
  for (guint i = 0; i < rows->n; i++)
    draw_texts (rows, pen, i, shardwise_bar_chart_get_row (self, i));
}

/* Points */

static guint
count_rows (ShardwiseChart *chart)
{
  return private_of (chart)->rows->len;
}

static gboolean
point_area (ShardwiseChart *chart, guint point, graphene_rect_t *out)
{
  ShardwiseBarChartClass *klass = SHARDWISE_BAR_CHART_GET_CLASS (chart);
  const ShardwiseBarRows *rows = &private_of (chart)->place;
  const ShardwiseBar bar = klass->bar (SHARDWISE_BAR_CHART (chart), point);
  double from = shardwise_axis_to_pixel (&rows->axis, bar.from),
         to = shardwise_axis_to_pixel (&rows->axis, bar.to);

  graphene_rect_init (out, from, shardwise_bar_rows_bar_y (rows, bar.row),
                      MAX (to - from, klass->least_width), rows->bar_height);
  return TRUE;
}

/* The pointer selects a whole row, because small parts are hard to hit. */
static int
pick (ShardwiseChart *chart, double x, double y)
{
  const ShardwiseBarRows *rows = &private_of (chart)->place;
  double row = (y - rows->top) / MAX (rows->row_height, 1);

  if (SHARDWISE_BAR_CHART_GET_CLASS (chart)->has_parts)
    return SHARDWISE_CHART_CLASS (shardwise_bar_chart_parent_class)->pick (chart, x, y);
  return row >= 0 && row < count_rows (chart) ? (int) row : -1;
}

/* Type */

static void
row_clear (gpointer data)
{
  ShardwiseBarRow *row = data;

  g_free (row->label);
  g_free (row->value);
  g_free (row->note);
}

static void
shardwise_bar_chart_finalize (GObject *object)
{
  g_array_unref (private_of (object)->rows);
  G_OBJECT_CLASS (shardwise_bar_chart_parent_class)->finalize (object);
}

static void
shardwise_bar_chart_class_init (ShardwiseBarChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_bar_chart_finalize;
  chart_class->plot_height = plot_height;
  chart_class->plot_most = plot_most;
  chart_class->layout = layout;
  chart_class->draw = draw;
  chart_class->n_points = count_rows;
  chart_class->n_rows = count_rows;
  chart_class->point_area = point_area;
  chart_class->pick = pick;
  klass->least_width = 2;
}

static void
shardwise_bar_chart_init (ShardwiseBarChart *self)
{
  private_of (self)->rows = g_array_new (FALSE, TRUE, sizeof (ShardwiseBarRow));
  g_array_set_clear_func (private_of (self)->rows, row_clear);
}
