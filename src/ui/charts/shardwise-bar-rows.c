/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-bar-rows.h"

#define NARROW 32      /* lines of text: a chart that is not as wide has texts above its bars */
#define GAP 10         /* between texts and bar */
#define LABEL_MOST 0.3 /* of the width, for the labels */
#define STRETCH 2.2    /* what a row may take where there are few, as a multiple of what it needs */
#define STRETCH_NARROW 1.5
#define BAR_SHARE 0.7 /* of a row that has room */
#define BAR_NARROW 16
#define FOOT 6 /* under the bar of a narrow row that has no more room than it needs */

static void
clear_label (gpointer data)
{
  ShardwiseBarLabel *label = data;

  g_clear_pointer (&label->label, g_free);
  g_clear_pointer (&label->value, g_free);
}

/**
 * shardwise_bar_labels_new:
 *
 * Returns: (transfer full): an array of #ShardwiseBarLabel that owns their texts
 */
GArray *
shardwise_bar_labels_new (void)
{
  GArray *labels = g_array_new (FALSE, TRUE, sizeof (ShardwiseBarLabel));

  g_array_set_clear_func (labels, clear_label);
  return labels;
}

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

/**
 * shardwise_bar_rows_height:
 * @chart: whose font is used
 * @n: rows
 * @width: of the chart
 *
 * Returns: the natural height with the axis
 */
int
shardwise_bar_rows_height (ShardwiseChart *chart, guint n, int width)
{
  return (int) (n * natural_row (chart, is_narrow (chart, width)))
         + shardwise_draw_axis_height (chart);
}

/**
 * shardwise_bar_rows_height_with_notes:
 * @chart: whose font is used
 * @n: rows
 * @width: of the chart
 *
 * Returns: the natural height with the axis where some rows have notes, which take a second line
 * in a narrow chart
 */
int
shardwise_bar_rows_height_with_notes (ShardwiseChart *chart, guint n, int width)
{
  const int height = shardwise_bar_rows_height (chart, n, width),
            more = (int) n * shardwise_draw_line_height (chart);

  if (!is_narrow (chart, width))
    return height;
  return MIN (height + more, shardwise_bar_rows_most (chart, n, width));
}

/**
 * shardwise_bar_rows_most:
 * @chart: whose font is used
 * @n: rows
 * @width: of the chart
 *
 * Returns: the greatest height that the rows fill, with the axis
 */
int
shardwise_bar_rows_most (ShardwiseChart *chart, guint n, int width)
{
  return (int) (n * stretched_row (chart, is_narrow (chart, width)))
         + shardwise_draw_axis_height (chart);
}

static double
widest (ShardwiseChart *chart, GArray *labels, gboolean values)
{
  double width = 0;

  for (guint i = 0; i < labels->len; i++)
    {
      ShardwiseBarLabel *label = &g_array_index (labels, ShardwiseBarLabel, i);
      PangoLayout *layout = shardwise_draw_line_layout (chart, values ? label->value : label->label,
                                                        0.85, label->strong);
      int pixels;

      pango_layout_get_pixel_size (layout, &pixels, NULL);
      width = MAX (width, pixels);
    }
  return width;
}

/**
 * shardwise_bar_rows_layout:
 * @rows: (out caller-allocates): set but for the range of the axis
 * @chart: whose font is used
 * @labels: of ShardwiseBarLabel
 * @plot: where
 */
void
shardwise_bar_rows_layout (ShardwiseBarRows *rows, ShardwiseChart *chart, GArray *labels,
                           const graphene_rect_t *plot)
{
  double left = plot->origin.x, right = plot->origin.x + plot->size.width, most;

  rows->n = labels->len;
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
      left += MIN (widest (chart, labels, FALSE), plot->size.width * LABEL_MOST) + GAP;
      right -= widest (chart, labels, TRUE) + GAP;
    }
  rows->axis = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, 1, left, MAX (right, left + 1) };
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

/* The lines of the axis do not run through what is written over them. */
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

/**
 * shardwise_bar_rows_draw_note:
 * @note: why a row has no bar
 *
 * Writes in the place of a row's bar.
 */
void
shardwise_bar_rows_draw_note (const ShardwiseBarRows *rows, const ShardwisePen *pen, guint row,
                              const char *note)
{
  g_autoptr (PangoLayout) layout = shardwise_draw_layout (pen->chart, note, 0.85, FALSE);
  double bar = shardwise_bar_rows_bar_y (rows, row);

  pango_layout_set_width (layout, (int) (MAX (rows->axis.end - rows->axis.start, 1) * PANGO_SCALE));
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  if (rows->narrow)
    pango_layout_set_height (layout, -2); /* lines */
  draw_clear (pen, layout, &pen->dim, rows->axis.start,
              rows->narrow ? bar : bar + rows->bar_height / 2, 0, rows->narrow ? 0 : 0.5);
}

static void
draw_label (const ShardwiseBarRows *rows, const ShardwisePen *pen, const ShardwiseBarLabel *label,
            guint row)
{
  g_autoptr (PangoLayout) name = shardwise_draw_layout (pen->chart, label->label, 0.85,
                                                        label->strong);
  PangoLayout *value = shardwise_draw_line_layout (pen->chart, label->value, 0.85, label->strong);
  double bar = shardwise_bar_rows_bar_y (rows, row),
         y = rows->narrow ? bar - 2 : bar + rows->bar_height / 2;
  int value_width;
  double width;

  pango_layout_get_pixel_size (value, &value_width, NULL);
  width = (rows->narrow ? rows->text_right - GAP - value_width : rows->axis.start - GAP / 2.0)
          - rows->text_left;
  pango_layout_set_width (name, (int) (MAX (width, 1) * PANGO_SCALE));
  pango_layout_set_ellipsize (name, PANGO_ELLIPSIZE_END);
  draw_clear (pen, name, &pen->text, rows->text_left, y, 0, rows->narrow ? 1 : 0.5);
  draw_clear (pen, value, &pen->text, rows->text_right, y, 1, rows->narrow ? 1 : 0.5);
}

/**
 * shardwise_bar_rows_draw_labels:
 *
 * Draws name and value of every row.
 */
void
shardwise_bar_rows_draw_labels (const ShardwiseBarRows *rows, const ShardwisePen *pen,
                                GArray *labels)
{
  for (guint i = 0; i < labels->len; i++)
    draw_label (rows, pen, &g_array_index (labels, ShardwiseBarLabel, i), i);
}

/**
 * shardwise_bar_rows_draw_grid:
 * @format: gives the label of a tick, (transfer full); unit is that of the axis, step the distance
 *   of two ticks
 *
 * Draws the axis under the rows and its lines behind them.
 */
void
shardwise_bar_rows_draw_grid (const ShardwiseBarRows *rows, const ShardwisePen *pen,
                              ShardwiseTickFormat format)
{
  double bottom = shardwise_bar_rows_bottom (rows);
  const ShardwiseTickSpan span = { rows->top, bottom + 4 };
  const ShardwiseTicks ticks = {
    3.8, 10, &span, 1, bottom + 5, rows->text_left, rows->text_right, .format = format
  };

  shardwise_draw_level_axis (pen, &rows->axis, &ticks);
}
